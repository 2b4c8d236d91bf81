//! Channels as declared: whether a send ever finds no room, and how full each channel gets.
//!
//! In this reading each channel holds its declared number, and a send to one that is full waits, or
//! its message is lost, as the channel's declaration says.
//! What the default question proves holds in it too; what that leaves open is looked for in runs,
//! and then in the abstraction with the room of all channels but one:
//! `docs/soundness/capacities.md`.

use std::collections::{BTreeMap, BTreeSet};

use cfsm_core::ids::IdMap;
use cfsm_core::program::{FixedLimit, Program, WhenFull};
use cfsm_core::system::{BufferId, BufferKind, System};
use explore::{Buffers, Completion, Exploration, Limits, QueueOrigin, Run, Semantics, WaitingSend};
use num_bigint::BigInt;

use crate::correspondence::Correspondence;
use crate::{Options, readings};

/// Violations that are kept, each with a run. Of each kind the first one is shown; errors that
/// differ in a number are different violations, and few of them should not hide other kinds.
const VIOLATIONS: usize = 64;

/// Buffers of which one question each is asked, at most: each is about the whole system.
const MOST_QUESTIONS: usize = 64;
/// Questions that may prove nothing: where some do not, others mostly do not either.
const MOST_MISSES: usize = 3;
/// Random runs, and their steps, that are looked at where not all states were: many sends find no
/// room soon.
const RUNS: u64 = 4;
const LENGTH: usize = 500;

/// One buffer, all channels as declared.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct BufferAsDeclared {
    /// Whether some send finds no room; `None` if it is not known.
    pub blocks: Option<bool>,
    /// The most messages that it holds in any run, proved.
    pub bound: Option<BigInt>,
    /// The most messages that it holds in some run, where no run holds more.
    pub exact: Option<u32>,
    /// A send that finds no room.
    pub wait: Option<WaitingSend>,
    /// True if a message that finds no room is lost; else its sender waits.
    pub loses: bool,
}

/// A program, all channels as declared.
#[derive(Clone, Debug, Default)]
pub struct AsDeclared {
    /// The buffers whose capacity is declared.
    pub buffers: BTreeMap<BufferId, BufferAsDeclared>,
    /// The runs that were looked at.
    pub semantics: Option<Semantics>,
    /// What all states show, or some of them; `None` if none was looked at.
    pub exploration: Option<Exploration>,
}

/// The default question's answer, and the means to go further.
#[derive(Clone, Copy, Debug)]
pub struct DefaultAnswer<'a> {
    /// The abstract system.
    pub system: &'a System,
    /// The bound of each buffer that is proved, each channel unlimited or limited as declared.
    pub bounds: &'a IdMap<BufferId, Option<BigInt>>,
    /// How many queues each buffer stands for in all of a run, if that is known.
    pub queues: &'a IdMap<BufferId, Option<u64>>,
    /// How bounds are looked for in the abstraction.
    pub questions: &'a boundedness::Options,
}

impl AsDeclared {
    /// Looks at the runs of a program with its capacities, up to [`Options::exploration_states`],
    /// and at its abstraction where these are too many.
    ///
    /// Where no capacity is declared, nothing is looked at unless all buffers are bounded. The time
    /// is that of the search, and of one bound question for each buffer that it leaves open.
    #[must_use]
    pub fn of<C: Correspondence>(
        program: &Program,
        correspondence: &C,
        default: DefaultAnswer<'_>,
        options: &Options,
    ) -> Self {
        let queues = default.system.buffers.iter().filter(|(_, buffer)| buffer.kind == BufferKind::Queue);
        let declared: BTreeMap<BufferId, u32> =
            queues.filter_map(|(id, buffer)| Some((id, buffer.declared?))).collect();
        let mut all = Self::default();
        let is_finite = || default.bounds.values().all(Option::is_some);
        if (!declared.is_empty() || is_finite()) && options.exploration_states > 0 {
            all.explore(&program.without_fixed_limits(), options);
        }
        // What the question is asked of has to be a reading of channels as declared, among others.
        let covers =
            program.buffered_channels().into_iter().all(|channel| match program.fixed_limit(channel) {
                Some(FixedLimit { size, when_full }) => {
                    program.declared_capacity(channel) == Some(size.get()) && when_full == WhenFull::Wait
                }
                None => true,
            });
        // What is lost changes everything behind it, unless nothing ever is.
        let loses = program
            .buffered_channels()
            .into_iter()
            .any(|channel| program.channel_shape(channel).is_some_and(|shape| !shape.when_full.waits()));
        let fits = |buffer: &BufferId, capacity: &u32| {
            default.bounds[*buffer].as_ref().is_some_and(|bound| *bound <= BigInt::from(*capacity))
        };
        let covers = covers && (!loses || declared.iter().all(|(buffer, capacity)| fits(buffer, capacity)));
        let seen = all.exploration.as_ref().map(|found| Seen::new(correspondence, found));
        for (&buffer, &capacity) in &declared {
            // A limited buffer that is never full never makes a send wait.
            let limit = default.system.limit_of(buffer).map(BigInt::from);
            let known = default.bounds[buffer].as_ref().filter(|_| covers);
            let known = known.filter(|bound| limit.as_ref().is_none_or(|limit| *bound < limit));
            let mut found = seen.as_ref().map(|seen| seen.buffer(buffer)).unwrap_or_default();
            found.loses = loses;
            if known.is_some() && fits(&buffer, &capacity) {
                found.blocks = Some(false);
            }
            let most = found.exact.map(BigInt::from);
            found.bound = known.cloned().into_iter().chain(most).chain([BigInt::from(capacity)]).min();
            all.buffers.insert(buffer, found);
        }
        if covers {
            all.prove_room(default, &declared, options);
        }
        all
    }

    fn explore(&mut self, program: &Program, options: &Options) {
        let Ok(semantics) = readings::semantics(program, Buffers::Declared) else { return };
        let limits = Limits {
            states: Some(options.exploration_states),
            passed: Some(options.exploration_states.saturating_mul(crate::all_states::PASSED)),
            bytes: Some(options.exploration_bytes),
            work: Some(options.ending_work),
            deadline: options.deadline,
            violations: VIOLATIONS,
            waits: true,
            ..Limits::default()
        };
        self.exploration = semantics.explore(&limits).ok();
        if let Some(found) =
            self.exploration.as_mut().filter(|found| found.completion != Completion::Complete)
        {
            let seeds = (0..RUNS).take_while(|_| !options.deadline.is_over());
            seeds.for_each(|seed| look_along(&semantics, seed, found));
        }
        // Where a process may see that there is a claim, these are not all runs.
        if readings::sees_claims(program)
            && let Some(found) = &mut self.exploration
        {
            found.completion = Completion::States;
        }
        self.semantics = Some(semantics);
    }

    /// Proves of buffers that are still open that a send never waits: with the others limited and
    /// this one unlimited, it never holds more than it has room for.
    fn prove_room(
        &mut self,
        default: DefaultAnswer<'_>,
        declared: &BTreeMap<BufferId, u32>,
        options: &Options,
    ) {
        let open = self.buffers.iter_mut().filter(|(_, found)| found.blocks.is_none());
        let mut misses = 0;
        for (&buffer, found) in open.take(MOST_QUESTIONS) {
            if options.deadline.is_over() || misses >= MOST_MISSES {
                return;
            }
            let mut system = default.system.clone();
            system.unlimit(buffer);
            for (&other, &capacity) in declared.iter().filter(|(other, _)| **other != buffer) {
                if let Some(most) =
                    default.queues[other].and_then(|queues| queues.checked_mul(capacity.into()))
                    && u32::try_from(most).is_ok()
                {
                    system.limit(other, most);
                }
            }
            let bound = boundedness::bound_of(&system, buffer, default.questions);
            match bound.filter(|bound| *bound <= BigInt::from(declared[&buffer])) {
                Some(bound) => {
                    found.blocks = Some(false);
                    found.bound = found.bound.take().into_iter().chain([bound]).min();
                }
                None => misses += 1,
            }
        }
    }
}

/// Notes the sends that find no room in a random run.
fn look_along(semantics: &Semantics, seed: u64, found: &mut Exploration) {
    let Ok(steps) = semantics.simulate(seed, LENGTH) else { return };
    for (at, step) in steps.iter().enumerate() {
        let Some(state) = &step.after else { return };
        for (origin, (process_type, edge)) in semantics.sends_without_room(state) {
            found.waits.entry(origin).or_insert_with(|| {
                let steps = steps[..=at].iter().map(|step| step.moves.clone()).collect();
                WaitingSend { process_type, edge, run: Run { steps } }
            });
        }
    }
}

/// What runs show of each buffer.
struct Seen<'a> {
    /// Whether all states were seen.
    complete: bool,
    found: &'a Exploration,
    /// Queues that are one buffer for certain.
    certain: BTreeMap<BufferId, Vec<QueueOrigin>>,
    /// Buffers of which some queue may be another one.
    doubtful: BTreeSet<BufferId>,
}

impl<'a> Seen<'a> {
    fn new<C: Correspondence>(correspondence: &C, found: &'a Exploration) -> Self {
        let mut certain: BTreeMap<BufferId, Vec<QueueOrigin>> = BTreeMap::new();
        let mut doubtful = BTreeSet::new();
        for origin in found.maxima.keys().chain(found.waits.keys()) {
            match correspondence.buffers(origin)[..] {
                [buffer] => certain.entry(buffer).or_default().push(*origin),
                ref several => doubtful.extend(several.iter().copied()),
            }
        }
        // Behind an error other machines may go on; beyond so many kinds of violations some are not
        // listed.
        let is_open = found.violations.len() >= VIOLATIONS
            || found.violations.iter().any(|(violation, _)| violation.is_open() || violation.is_limit());
        let complete = found.completion == Completion::Complete && !is_open;
        Self { complete, found, certain, doubtful }
    }

    fn buffer(&self, buffer: BufferId) -> BufferAsDeclared {
        let queues = self.certain.get(&buffer).map_or(&[][..], Vec::as_slice);
        let wait = queues.iter().find_map(|origin| self.found.waits.get(origin)).cloned();
        let all = self.complete && !self.doubtful.contains(&buffer);
        let exact =
            all.then(|| queues.iter().filter_map(|origin| self.found.maxima.get(origin)).max().copied());
        let exact = exact.map(Option::unwrap_or_default);
        // In a `d_step` a send may find no room in the middle.
        let blocks = match (&wait, exact) {
            (Some(_), _) => Some(true),
            (None, Some(_)) if !self.found.has_sends_in_d_steps => Some(false),
            (None, _) => None,
        };
        BufferAsDeclared { blocks, bound: None, exact, wait, loses: false }
    }
}
