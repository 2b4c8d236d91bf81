//! The loop: a question, its counterexamples, what the abstraction does not know about them, and the question again.
//!
//! Each round asks about a system of which [`abstraction`] says that it has every run of the program. So whatever is
//! proved, in any round, holds for the program, and the loop itself needs no argument: `docs/soundness/refinement.md`.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use abstraction::{Abstraction, Precision, abstract_program};
use boundedness::Combination;
use cfsm_core::deadline::Deadline;
use cfsm_core::program::{ProcessTypeId, Program, Type, VariableRef};
use cfsm_core::system::System;

use crate::Question;
use crate::relevance::{Followed, Relevance};

/// What is done about a counterexample.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Strategy {
    /// What can never happen is left out (thesis 10.2; theory 5).
    Activation,
    /// Where processes are in the long run is told apart: what one does for ever hangs together (thesis 12.3; theory 7).
    Structure,
    /// Variables that are counted down to an end, or up to one, are places like those of messages (theory 6; it generalises
    /// thesis 12.2).
    DataPlaces,
    /// The values of variables are followed, through messages too (theory 8; thesis 11.3 and 11.4).
    Tracking,
    /// All states of the program are looked at.
    Exhaustion,
}

impl Act {
    /// The act of looking at all states, which decides all that was open.
    #[must_use]
    pub fn exhaustion(spurious: Option<(Arc<System>, Combination)>, states: usize, before: usize) -> Self {
        let strategy = Strategy::Exhaustion;
        let what = format!("all {states} states were looked at");
        Self { strategy, spurious, because: reason(strategy).into(), what, before, after: 0 }
    }
}

impl Strategy {
    /// All of them, in the order in which they are tried.
    pub const ALL: [Self; 5] =
        [Self::Activation, Self::Structure, Self::DataPlaces, Self::Tracking, Self::Exhaustion];

    /// Its name, as users write it.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Activation => "activation",
            Self::Structure => "structure",
            Self::DataPlaces => "data-places",
            Self::Tracking => "tracking",
            Self::Exhaustion => "exhaustion",
        }
    }
}

/// A strategy that acted, and what came of it.
#[derive(Clone, Debug)]
pub struct Act {
    /// The strategy.
    pub strategy: Strategy,
    /// The counterexample that it excludes, with the system that it is one of.
    pub spurious: Option<(Arc<System>, Combination)>,
    /// Why no execution does that, for people: a sentence without a full stop.
    pub because: String,
    /// What was done, for people: a sentence without a full stop.
    pub what: String,
    /// How many questions were open before (buffers, for boundedness).
    pub before: usize,
    /// How many were open behind it.
    pub after: usize,
}

/// How far to go.
#[derive(Clone, Debug)]
pub struct RefinementOptions {
    /// What may be done.
    pub strategies: BTreeSet<Strategy>,
    /// The limits of the abstraction; its precision is where the loop begins.
    pub abstraction: abstraction::Options,
    /// Control states of one process, unfolded.
    pub nodes: usize,
    /// Transitions of a system that is asked about.
    pub transitions: usize,
    /// Visits of nodes in one abstraction.
    pub visits: usize,
    /// Questions that may be asked.
    pub rounds: usize,
    /// When to stop.
    pub deadline: Deadline,
}

impl Default for RefinementOptions {
    fn default() -> Self {
        Self {
            strategies: Strategy::ALL.into(),
            abstraction: abstraction::Options::default(),
            nodes: 2_000,
            transitions: 20_000,
            visits: 10_000,
            rounds: 16,
            deadline: Deadline::default(),
        }
    }
}

impl RefinementOptions {
    fn wants_data_places(&self) -> bool {
        self.abstraction.precision.data_places || self.strategies.contains(&Strategy::DataPlaces)
    }
}

/// The distance from the conditions of a counterexample at which variables are looked for, at most.
const DISTANCE: usize = 6;
/// Elements of arrays that are followed, at most.
const ELEMENTS: u32 = 8;

/// What the loop came to.
#[derive(Clone, Debug)]
pub struct Refinement<O> {
    /// The abstract system that the answer is about, and the ways back to the program.
    pub abstraction: Abstraction,
    /// The answer that leaves least open.
    pub outcome: O,
    /// What was done that helped, in this order.
    pub acts: Vec<Act>,
    /// What was followed in vain, or would have been too much to follow: for people, sentences without a full stop.
    pub tried: Vec<String>,
}

/// Asks about a program until nothing is open or nothing is left to try, beginning with an abstraction of it and the
/// answer about that.
///
/// # Complexity
/// Up to [`rounds`](RefinementOptions::rounds) times an abstraction and a question, each within the limits.
pub fn refine<Q: Question>(
    program: &Program,
    question: &Q,
    (abstraction, outcome): (Abstraction, Q::Outcome),
    options: &RefinementOptions,
) -> Refinement<Q::Outcome> {
    let best = Refinement { abstraction, outcome, acts: Vec::new(), tried: Vec::new() };
    let mut search = Loop { program, question, options, best, rounds: 0 };
    if options.strategies.contains(&Strategy::Activation) {
        search.activate();
    }
    search.tell_apart_first();
    if options.wants_data_places() {
        search.count();
    }
    if options.strategies.contains(&Strategy::Tracking) {
        search.track();
    }
    search.best
}

struct Loop<'a, Q: Question> {
    program: &'a Program,
    question: &'a Q,
    options: &'a RefinementOptions,
    best: Refinement<Q::Outcome>,
    rounds: usize,
}

impl<Q: Question> Loop<'_, Q> {
    fn may_go_on(&self) -> bool {
        let late = self.options.deadline.is_over();
        self.question.open(&self.best.outcome) > 0 && self.rounds < self.options.rounds && !late
    }

    /// Leaves out of the first system what can never happen.
    fn activate(&mut self) {
        if !self.may_go_on() {
            return;
        }
        let (activated, dead) = self.best.abstraction.clone().activated();
        if dead > 0 {
            let what = format!("{dead} transitions can never fire, as nobody sends what they wait for");
            self.ask(&activated, Strategy::Activation, what);
        }
    }

    /// Makes places of variables that are counted.
    fn count(&mut self) {
        if !self.may_go_on() || self.options.abstraction.precision.data_places {
            return;
        }
        let precision = Precision { data_places: true, ..self.options.abstraction.precision.clone() };
        let options = abstraction::Options { precision, ..self.options.abstraction.clone() };
        let Ok(counted) = abstract_program(self.program, &options) else { return };
        let (counted, _) = counted.activated();
        let names: Vec<String> =
            counted.system.data.values().map(|place| format!("`{}`", place.name)).collect();
        if !names.is_empty() {
            let what =
                format!("{} never {} below 0", list(&names), if names.len() == 1 { "falls" } else { "fall" });
            self.ask(&counted, Strategy::DataPlaces, what);
        }
    }

    /// Asks about a system, by cases too, and keeps the answer that leaves less open than the best one.
    fn ask(&mut self, abstraction: &Abstraction, strategy: Strategy, what: String) -> Q::Outcome {
        self.rounds += 1;
        let outcome = self.question.ask(&abstraction.system);
        let kept = self.keep(abstraction, &outcome, strategy, what.clone());
        if let Some((settled, act)) = self.tell_apart(&abstraction.system, &outcome) {
            let act = if kept { act } else { format!("{what}; {act}") };
            self.keep(abstraction, &settled, Strategy::Structure, act);
        }
        outcome
    }

    /// Keeps an answer about a system if it leaves less open than the best one.
    fn keep(
        &mut self,
        abstraction: &Abstraction,
        outcome: &Q::Outcome,
        strategy: Strategy,
        what: String,
    ) -> bool {
        let (before, after) = (self.question.open(&self.best.outcome), self.question.open(outcome));
        if after < before {
            let spurious = self.question.counterexamples(&self.best.outcome).first().cloned();
            let spurious = spurious.map(|found| (Arc::new(self.best.abstraction.system.clone()), found));
            let because = reason(strategy).to_owned();
            self.best.acts.push(Act { strategy, spurious, because, what, before, after });
            self.best.abstraction = abstraction.clone();
            self.best.outcome = outcome.clone();
        } else {
            self.best.tried.push(what);
        }
        after < before
    }

    /// Tells apart where processes are in the long run, in the first system.
    fn tell_apart_first(&mut self) {
        let Refinement { abstraction, outcome, .. } = &self.best;
        let abstraction = abstraction.clone();
        if let Some((outcome, what)) = self.tell_apart(&abstraction.system, &outcome.clone()) {
            self.keep(&abstraction, &outcome, Strategy::Structure, what);
        }
    }

    /// The answer about a system of which another one leaves something open, and what was done.
    fn tell_apart(&self, system: &System, outcome: &Q::Outcome) -> Option<(Q::Outcome, String)> {
        let wanted = self.options.strategies.contains(&Strategy::Structure) && self.may_go_on();
        let (settled, cases) =
            if wanted { self.question.ask_by_cases(system, outcome)? } else { return None };
        let what = format!("it is told apart where processes are in the long run, in {cases} cases");
        Some((settled, what))
    }

    /// Follows the values of variables that the counterexamples rest on, nearest ones first.
    fn track(&mut self) {
        let mut abstraction = self.best.abstraction.clone();
        let mut outcome = self.best.outcome.clone();
        let mut following = Following::new(self.program, self.options);
        let mut distance = 0;
        while self.may_go_on() && distance <= DISTANCE {
            let relevance = Relevance { program: self.program, abstraction: &abstraction };
            let wanted = relevance.variables(self.question.counterexamples(&outcome), distance);
            let fresh = following.fresh(&wanted);
            if fresh.is_empty() {
                distance += 1;
                continue;
            }
            let Some(followed) = following.follow(&fresh) else { continue };
            let what = following.described();
            abstraction = followed;
            outcome = self.ask(&abstraction, Strategy::Tracking, what);
        }
        let skipped = following.skipped.iter().map(|followed| following.named(*followed));
        let skipped: Vec<String> = skipped.collect();
        if !skipped.is_empty() {
            self.best.tried.push(format!("to follow {} as well would take too many states", list(&skipped)));
        }
    }
}

/// Why no execution does what a strategy excludes.
const fn reason(strategy: Strategy) -> &'static str {
    match strategy {
        Strategy::Activation => "a statement of these loops waits for something that nobody can send",
        Strategy::Structure => {
            "a process of which there is one does not run all of these loops for ever, as they do not hang together"
        }
        Strategy::DataPlaces => "these loops use up what a variable has, and no loop of them gives it back",
        Strategy::Tracking => {
            "the conditions in these loops cannot hold again and again with the values that the variables have there"
        }
        Strategy::Exhaustion => "all states of the model have been seen, and none of its runs does that",
    }
}

/// What is followed.
struct Following<'a> {
    program: &'a Program,
    options: &'a RefinementOptions,
    tracked: BTreeMap<ProcessTypeId, BTreeSet<VariableRef>>,
    /// What would be too much.
    skipped: BTreeSet<Followed>,
}

impl<'a> Following<'a> {
    fn new(program: &'a Program, options: &'a RefinementOptions) -> Self {
        let tracked = options.abstraction.precision.tracked.clone();
        Self { program, options, tracked, skipped: BTreeSet::new() }
    }

    fn follows(&self, (ty, variable): Followed) -> bool {
        self.tracked.get(&ty).is_some_and(|tracked| tracked.contains(&variable))
    }

    /// What is wanted and can be followed, and is not yet.
    fn fresh(&self, wanted: &BTreeSet<Followed>) -> BTreeSet<Followed> {
        let is_fresh = |followed: &Followed| {
            let variable = self.program.variable(followed.0, followed.1);
            let short = variable.length.is_none_or(|length| length <= ELEMENTS);
            variable.ty != Type::Channel
                && short
                && !self.follows(*followed)
                && !self.skipped.contains(followed)
        };
        wanted.iter().copied().filter(is_fresh).collect()
    }

    /// The abstraction in which all of this is followed too; of a process that gets too large, all but what is
    /// heaviest. `None` if there is none within the limits.
    fn follow(&mut self, fresh: &BTreeSet<Followed>) -> Option<Abstraction> {
        for (ty, variable) in fresh {
            self.tracked.entry(*ty).or_default().insert(*variable);
        }
        let mut left = fresh.clone();
        while !left.is_empty() {
            let options = abstraction::Options {
                precision: Precision {
                    tracked: self.tracked.clone(),
                    data_places: self.options.wants_data_places(),
                },
                nodes: self.options.nodes.min(self.options.abstraction.nodes),
                transitions: self.options.transitions.min(self.options.abstraction.transitions),
                visits: self.options.visits.min(self.options.abstraction.visits),
                ..self.options.abstraction.clone()
            };
            let too_large: Vec<ProcessTypeId> = match abstract_program(self.program, &options) {
                Ok(abstraction) if abstraction.folded.is_empty() => return Some(abstraction.activated().0),
                Ok(abstraction) => abstraction.folded.iter().copied().collect(),
                Err(_) => left.iter().map(|(ty, _)| *ty).collect(),
            };
            for ty in too_large.into_iter().collect::<BTreeSet<_>>() {
                self.skip_heaviest(ty, &mut left)?;
            }
        }
        None
    }

    /// Stops following the heaviest variable of a type. `None` if none is left that was not followed before.
    fn skip_heaviest(&mut self, ty: ProcessTypeId, left: &mut BTreeSet<Followed>) -> Option<()> {
        let of_type = left.iter().filter(|followed| followed.0 == ty);
        let heaviest = of_type.max_by_key(|followed| self.weight(**followed)).copied();
        // The type may have got too large by what others send: then it is they who go.
        let heaviest =
            heaviest.or_else(|| left.iter().max_by_key(|followed| self.weight(**followed)).copied())?;
        left.remove(&heaviest);
        self.skipped.insert(heaviest);
        self.tracked.entry(heaviest.0).or_default().remove(&heaviest.1);
        Some(())
    }

    /// How many values a variable may have, as a power of two.
    fn weight(&self, (ty, variable): Followed) -> u32 {
        let variable = self.program.variable(ty, variable);
        let bits = match variable.ty {
            Type::Bit => 1,
            Type::Symbol(_) => 3,
            Type::Unsigned(bits) => bits.into(),
            Type::Byte | Type::Pid | Type::Channel => 8,
            Type::Short => 16,
            Type::Int => 32,
        };
        bits * variable.length.unwrap_or(1)
    }

    /// `a of P`
    fn named(&self, (ty, variable): Followed) -> String {
        let process = &self.program.types[ty];
        format!("`{}` of {}", self.program.variable(ty, variable).name, process.name)
    }

    fn described(&self) -> String {
        let all =
            self.tracked.iter().flat_map(|(ty, variables)| variables.iter().map(|variable| (*ty, *variable)));
        let names: Vec<String> = all.map(|followed| self.named(followed)).collect();
        format!("the values of {} are followed", list(&names))
    }
}

/// Names that a list has, at most.
const NAMES: usize = 8;

/// `a, b and c`
fn list(names: &[String]) -> String {
    match names {
        [] => String::new(),
        [one] => one.clone(),
        [first @ .., _] if first.len() >= NAMES => {
            format!("{} and {} more", names[..NAMES].join(", "), names.len() - NAMES)
        }
        [first @ .., last] => format!("{} and {last}", first.join(", ")),
    }
}
