//! Upper bounds on the number of messages in a buffer (theory 4), for all buffers of a system.
//!
//! The least bound is the optimum of a linear programme. A proof that it is optimal may involve the
//! whole system, whereas a potential that proves the bound is mostly local. So each buffer is
//! treated on its own, with the columns that its weights touch:
//!
//! - where places are the edges of a network, the cheapest potential is a [minimum-cost
//!   circulation](network);
//! - a small programme finds a potential on the places that only users of the buffer touch; if it
//!   proves a bound, the search in a large system gets fewer steps than otherwise;
//! - a programme in which every weight costs something finds a potential on few places; it is
//!   verified exactly, so its bound is proved;
//! - walks through the system count messages in buffers: a bound that a walk reaches is the least
//!   one. There is first one walk for all buffers, then one for each buffer;
//! - where no walk reaches the bound, a programme with a very small extra cost is searched, up to a
//!   number of steps. If its multipliers prove that no weights are cheaper without the extra cost,
//!   the weights are the cheapest. A large system skips this step if no potential on few places was
//!   found.
//!
//! A potential that proves the same bound for other buffers, and a bound that walks reach there,
//! decides them as well.
//!
//! Where this does not decide a buffer of a small system, the exact simplex does. Its tableau is
//! kept from one buffer to the next because their programmes differ in the objective only. Floats
//! decide no more than whether the search continues.
//!
//! A few buffers are processed in parallel, each with the columns of those before. The groups do
//! not depend on the number of threads, so neither does the result.

mod network;
mod search;
mod symmetry;

use std::borrow::Cow;

use cfsm_core::ids::IdMap;
use cfsm_core::system::{BufferId, MessageId};
use num_bigint::BigInt;

use crate::cone::{Cone, Potential, Row, RowId};
use crate::decide::{Pool, potential};
use crate::flow::Separation;
use crate::growth::{Growth, weights};
use crate::lumping::Merged;
use crate::question::{Constraints, Demand, Question};
use crate::rounding::Fractions;
use crate::simplex::{Simplex, Status};
use crate::threads;
use crate::{BoundSearch, Options, Search, Stopped};

/// Maximum number of columns for which the exact simplex searches for the least bound where floats
/// do not decide it. With more columns the best bound proved so far stands.
const EXACT_COLUMNS: usize = 256;

/// Maximum number of pivots of the exact simplex for one buffer, in a search that began with
/// floats.
const PIVOTS: usize = 1_000;

/// The bounds of one system's buffers.
#[derive(Debug)]
pub struct Bounds<'a> {
    cone: &'a Cone<'a>,
    /// The lumped system with its cone, if the questions are put to it.
    merged: Option<(&'a Merged, Cone<'a>)>,
    /// The question without targets, to the lumped system if there is one.
    question: Question,
    /// Maps each buffer to its message types.
    messages: Cow<'a, IdMap<BufferId, Vec<MessageId>>>,
    /// The answer to the growth question.
    growth: &'a Growth,
}

/// Proved bounds of some buffers. Several buffers may share one potential.
#[derive(Clone, Debug, Default)]
pub struct BoundProofs {
    /// Potentials, each with a [bound](Potential::bound) that it proves.
    pub potentials: Vec<Potential>,
    /// Maps each buffer, in the order of the request, to the index of its potential in
    /// `potentials`. `None`: the potential of the growth question, which concerns all buffers
    /// together, proves the same bound. [`Stopped`] if a limit of the options was hit first.
    pub of: Vec<Result<Option<usize>, Stopped>>,
}

/// The result for one buffer, in the lumped system if there is one.
#[derive(Clone, Copy)]
struct Found {
    /// Index of the best potential, if it is better than the shared one.
    best: Option<usize>,
    /// `true` if no bound is smaller, as far as floats can tell.
    is_least: bool,
}

impl<'a> Bounds<'a> {
    /// Prepares the questions, given the growth of the system. They are put to a system [merged
    /// within buffers](Merged::within_buffers) if there is one and the options allow it. Time
    /// linear in the system.
    pub fn new(
        cone: &'a Cone<'a>,
        merged: Option<&'a Merged>,
        growth: &'a Growth,
        options: &Options,
    ) -> Self {
        let small =
            |merged: &'a Merged| Some((merged, Cone::new(merged.system(), merged.facts(), options).ok()?));
        let merged = merged.filter(|_| options.merges()).and_then(small);
        let mut messages = IdMap::filled(Vec::new(), cone.system().buffers.len());
        for (id, message) in cone.system().messages.iter() {
            messages[message.buffer].push(id);
        }
        Self::with(cone, merged, Cow::Owned(messages), growth)
    }

    /// The same questions, put to a system that is merged in another way.
    fn around<'b>(&'b self, merged: &'b Merged, small: Cone<'b>) -> Bounds<'b> {
        Bounds::with(self.cone, Some((merged, small)), Cow::Borrowed(&self.messages), self.growth)
    }

    fn with(
        cone: &'a Cone<'a>,
        merged: Option<(&'a Merged, Cone<'a>)>,
        messages: Cow<'a, IdMap<BufferId, Vec<MessageId>>>,
        growth: &'a Growth,
    ) -> Self {
        let working = merged.as_ref().map_or(cone, |(_, cone)| cone);
        let mut question = Question::new(working);
        for (data, place) in working.system().data.iter() {
            question.marking[working.data_row(data)] = place.initial;
        }
        for (class, declared) in working.system().classes.iter() {
            question.marking[working.entry_row(class)] = declared.instances.into();
        }
        let mut bounds = Self { cone, merged, question, messages, growth };
        for &row in &growth.growing {
            if let Row::Message(message) = row {
                let row = bounds.row(message);
                bounds.question.demand[row] = Demand::Dropped;
            }
        }
        bounds
    }

    /// For each buffer a bound on the number of its messages, with the potential that proves it:
    /// the floor of the potential ([`Potential::bound`]). It is the least bound that the relaxation
    /// of the state equation gives, except where that would take many steps: see `bounds/mod.rs`.
    ///
    /// # Panics
    /// If a buffer is a rendezvous, or a message type of it can grow.
    #[must_use]
    pub fn of(&self, buffers: &[BufferId], options: &Options) -> BoundProofs {
        // A potential below 1 from the growth question bounds every buffer by 0.
        let shared = &self.growth.potential;
        if shared.initial < shared.denominator {
            return BoundProofs { of: buffers.iter().map(|_| Ok(None)).collect(), ..BoundProofs::default() };
        }
        if !options.merges() {
            return self.one_by_one(buffers, options);
        }
        let mut alike = self.of_alike(buffers, options);
        let others: Vec<BufferId> =
            buffers.iter().copied().filter(|buffer| !alike.contains_key(buffer)).collect();
        let mut proofs = self.one_by_one(&others, options);
        let mut of_others = std::mem::take(&mut proofs.of).into_iter();
        for buffer in buffers {
            let of_buffer = match alike.remove(buffer) {
                Some(answer) => answer.map(|found| {
                    found.map(|found| {
                        proofs.potentials.push(found);
                        proofs.potentials.len() - 1
                    })
                }),
                None => of_others.next().unwrap_or(Ok(None)),
            };
            proofs.of.push(of_buffer);
        }
        proofs
    }

    /// The bounds, buffer by buffer, in the working system.
    fn one_by_one(&self, buffers: &[BufferId], options: &Options) -> BoundProofs {
        let (mut found, mut potentials, pool) = match options.search {
            Search::Float => self.all_in_floats(buffers, options),
            Search::Exact => {
                let open = buffers.iter().map(|_| Ok(Found { best: None, is_least: false }));
                (open.collect(), Vec::new(), Pool::default())
            }
        };
        if options.bounds != BoundSearch::Fast {
            self.exactly(buffers, &mut found, &mut potentials, pool, options);
        }
        let shared = self.growth.potential.bound();
        let lifted = threads::map(potentials, |found| self.lifted(found));
        let is_good = |best: &usize| lifted[*best].as_ref().is_some_and(|lifted| lifted.bound() < shared);
        let of = found.into_iter().map(|found| Ok(found?.best.filter(is_good)));
        numbered(of.collect(), lifted)
    }

    /// The cone to which the questions are put: that of the lumped system if there is one.
    fn working(&self) -> &Cone<'a> {
        self.merged.as_ref().map_or(self.cone, |(_, cone)| cone)
    }

    /// The row of a message type in the working cone.
    fn row(&self, message: MessageId) -> RowId {
        let row = self.cone.message_row(message);
        self.merged.as_ref().map_or(row, |(merged, _)| merged.row(row))
    }

    /// The question about a buffer: its message types are the targets.
    fn question(&self, buffer: BufferId) -> Question {
        let mut question = self.question.clone();
        for &message in &self.messages[buffer] {
            let demand = &mut question.demand[self.row(message)];
            assert!(
                matches!(demand, Demand::NonNegative | Demand::Target),
                "only a queue that cannot grow has a bound"
            );
            *demand = Demand::Target;
        }
        question
    }

    /// The potential of the original system from one of the working system; `None` if it does not
    /// hold there.
    fn lifted(&self, found: Potential) -> Option<Potential> {
        let Some((merged, cone)) = &self.merged else { return Some(found) };
        self.holding(merged.spread(&weights(cone, &found)), found.denominator)
    }

    /// The potential of the original system with these weights; `None` if it does not hold.
    fn holding(&self, weights: Vec<BigInt>, denominator: BigInt) -> Option<Potential> {
        let free = IdMap::filled(false, self.cone.system().classes.len());
        match self.cone.separate(&weights, &free) {
            Separation::Holds(heights) => Some(potential(self.cone, &(weights, denominator), heights)),
            Separation::Violated(_) => None,
        }
    }

    /// Computes the least bounds that floats did not decide, by the exact simplex, if there are few
    /// columns.
    fn exactly(
        &self,
        buffers: &[BufferId],
        found: &mut [Result<Found, Stopped>],
        potentials: &mut Vec<Potential>,
        mut pool: Pool,
        options: &Options,
    ) {
        let is_settled = |found: &Result<Found, Stopped>| found.as_ref().map_or(true, |found| found.is_least);
        if found.iter().all(is_settled) {
            return;
        }
        let constraints = Constraints::new(&self.question);
        let mut simplex = Simplex::new(&constraints.bounds(&self.question));
        for (&buffer, found) in buffers.iter().zip(found) {
            if options.search == Search::Float && pool.columns().len() > EXACT_COLUMNS {
                return;
            }
            let Ok(known) = found else { continue };
            if known.is_least {
                continue;
            }
            match self.exactly_of(buffer, &constraints, &mut simplex, &mut pool, options) {
                Ok(Some(best)) => {
                    known.best = Some(potentials.len());
                    potentials.push(best);
                }
                Ok(None) => {}
                Err(stopped) => *found = Err(stopped),
            }
        }
    }

    /// The least bound of a buffer, by the exact simplex; `None` if that took too many pivots.
    fn exactly_of(
        &self,
        buffer: BufferId,
        constraints: &Constraints,
        simplex: &mut Simplex,
        pool: &mut Pool,
        options: &Options,
    ) -> Result<Option<Potential>, Stopped> {
        let question = self.question(buffer);
        simplex.moves = if options.search == Search::Float { PIVOTS } else { usize::MAX };
        let known = pool.columns()[..simplex.columns()].iter().enumerate();
        let objective = known.map(|(at, column)| (at, question.objective(column)));
        let objective: Vec<_> = objective.filter(|(_, change)| *change != BigInt::ZERO).collect();
        simplex.aim(&objective);
        loop {
            for column in &pool.columns()[simplex.columns()..] {
                simplex.add_column(&constraints.entries(column), &question.objective(column));
            }
            match simplex.run(&|| options.check_time().is_err()) {
                Status::Stopped if options.check_time().is_ok() => return Ok(None),
                Status::Stopped => return Err(Stopped::Time),
                Status::Unbounded(_) => unreachable!("the growth question's potential satisfies this one"),
                Status::Optimal => {}
            }
            let weights: Fractions = constraints.weights(&question, simplex.multipliers());
            match self.working().separate(&weights.0, &question.free) {
                Separation::Holds(heights) => return Ok(Some(potential(self.working(), &weights, heights))),
                Separation::Violated(columns) => columns.into_iter().for_each(|column| {
                    pool.admit(column);
                }),
            }
        }
    }
}

/// The proofs with those potentials only that some buffer uses.
fn numbered(of: Vec<Result<Option<usize>, Stopped>>, mut lifted: Vec<Option<Potential>>) -> BoundProofs {
    let mut proofs = BoundProofs::default();
    let mut numbers: Vec<Option<usize>> = vec![None; lifted.len()];
    for found in of {
        let best = found.map(|best| {
            let best = best?;
            if let Some(potential) = lifted[best].take() {
                numbers[best] = Some(proofs.potentials.len());
                proofs.potentials.push(potential);
            }
            numbers[best]
        });
        proofs.of.push(best);
    }
    proofs
}
