//! The loop: a question, its counterexamples, what the abstraction does not know about them, and
//! the question again.
//!
//! Each round asks about a system of which [`abstraction`] says that it has every run of the
//! program. So whatever is proved, in any round, holds for the program, and the loop itself needs
//! no argument: `docs/soundness/refinement.md`.

mod listing;
mod options;
mod ranking;
mod tags;
mod tracking;

pub use options::RefinementOptions;

use std::cell::LazyCell;
use std::sync::Arc;

use abstraction::{Abstraction, Analysed, Counters, Made, Precision};
use cfsm_core::deadline::Deadline;
use cfsm_core::program::Program;
use cfsm_core::system::System;

use crate::Property;
use crate::counters::{self, with_counters};
use crate::explanation::used_up;
use crate::following::list;
use crate::strategy::{Act, Strategy};

/// The description of an act that follows no values: the abstraction is made again, and what else
/// is asked of it helps.
const NOTHING_FOLLOWED: &str = "the abstraction is made again, with no values followed";

/// What the loop came to.
#[derive(Clone, Debug)]
pub struct Refinement<O> {
    /// The abstract system that the answer is about, and the ways back to the program.
    pub abstraction: Abstraction,
    /// The answer that leaves least open.
    pub outcome: O,
    /// What was done that helped, in this order.
    pub acts: Vec<Act>,
    /// What was followed in vain, or would have been too much to follow: for people, sentences
    /// without a full stop.
    pub tried: Vec<String>,
}

/// Asks about a program until nothing is open or nothing is left to try, beginning with an
/// abstraction of it and the answer about that.
///
/// # Complexity
/// Up to [`rounds`](RefinementOptions::rounds) times an abstraction and a question, each within the
/// limits.
pub fn refine<P: Property>(
    program: &Program,
    property: &P,
    first: FirstAnswer<P>,
    options: &RefinementOptions,
) -> Refinement<P::Outcome> {
    let mut refiner = Refiner::new(program, property, first, options);
    refiner.look();
    refiner.track();
    refiner.best
}

/// The abstraction that refinement begins with, and the answer about it.
#[derive(Clone, Debug)]
pub struct FirstAnswer<P: Property> {
    /// An abstraction of the program.
    pub abstraction: Abstraction,
    /// The answer of the property about its system.
    pub outcome: P::Outcome,
}

/// Refinement in steps, between which other engines may have their turn: first
/// [`look`](Self::look), then [`track`](Self::track).
#[derive(Clone, Debug)]
pub struct Refiner<'a, P: Property> {
    program: &'a Program,
    property: P,
    options: Arc<RefinementOptions>,
    best: Refinement<P::Outcome>,
    /// Variables that are known to keep to a range.
    counters: Counters,
    /// Whether pairs of processes are known to exclude something.
    pairs: bool,
    /// An abstraction with data places that could be asked about once more, as sums may wrap there.
    wraps: Option<Abstraction>,
    rounds: usize,
    /// The system that was asked about last, and the answer.
    latest: FirstAnswer<P>,
    /// What has been asked about while it was [looked](Self::look): no more than few configurations
    /// of it have been listed.
    looked_at: Vec<Asked<P::Outcome>>,
    /// Whether message tags are tracked, if that [has been tried](Self::track_tags).
    tracks_tags: Option<bool>,
}

/// A system that was asked about.
#[derive(Clone, Debug)]
struct Asked<O> {
    abstraction: Abstraction,
    outcome: O,
    /// How it was made of the first one, for people.
    made: Option<String>,
    /// How many acts there were when the best answer was about it, if it ever was.
    best_after: Option<usize>,
}

impl<'a, P: Property> Refiner<'a, P> {
    /// Begins with an abstraction of a program and the answer about that.
    pub fn new(
        program: &'a Program,
        property: &P,
        first: FirstAnswer<P>,
        options: &RefinementOptions,
    ) -> Self {
        let FirstAnswer { abstraction, outcome } = first.clone();
        Self {
            program,
            property: property.clone(),
            best: Refinement { abstraction, outcome, acts: Vec::new(), tried: Vec::new() },
            counters: Counters::new(),
            pairs: options.abstraction.precision.pairs,
            wraps: None,
            rounds: 0,
            latest: first,
            looked_at: Vec::new(),
            tracks_tags: None,
            options: Arc::new(options.clone()),
        }
    }

    /// The property that is asked about.
    pub const fn property(&self) -> &P {
        &self.property
    }

    /// How far refinement goes.
    pub fn options(&self) -> &RefinementOptions {
        &self.options
    }

    /// Number of questions that have been asked.
    #[must_use]
    pub const fn rounds(&self) -> usize {
        self.rounds
    }

    /// Works until another deadline from now on.
    pub fn set_deadline(&mut self, deadline: Deadline) {
        self.property = self.property.until(deadline);
        Arc::make_mut(&mut self.options).deadline = deadline;
    }

    /// What has been found so far.
    #[must_use]
    pub const fn best(&self) -> &Refinement<P::Outcome> {
        &self.best
    }

    /// Goes no further than these options say, from now on.
    pub fn keep_to(&mut self, options: RefinementOptions) {
        self.options = Arc::new(options);
    }

    /// Tries all strategies that are wanted but counters and tracking: a few questions, at most.
    /// Configurations are listed last, if they are few; many of them take longer than much of
    /// [tracking](Self::track), and are [listed](Self::list_further) after that.
    pub fn look(&mut self) {
        self.look_first();
        self.look_further();
    }

    /// Asks about what needs no other abstraction than there is.
    fn look_first(&mut self) {
        let Refinement { abstraction, outcome, .. } = self.best.clone();
        let first = Asked { abstraction, outcome, made: None, best_after: Some(self.best.acts.len()) };
        let activated =
            if self.options.strategies.contains(&Strategy::Activation) { self.activate() } else { None };
        let mut asked = match activated {
            Some(activated) if self.is_best(&activated) => vec![activated],
            activated => activated.into_iter().chain([first]).collect(),
        };
        asked.iter_mut().for_each(|asked| self.look_by_cases(asked));
        self.looked_at = asked;
    }

    /// Asks about what is made of one more analysis.
    fn look_further(&mut self) {
        let program = self.program;
        let options = self.options.abstraction(self.options.abstraction.precision.clone());
        let analysed = LazyCell::new(|| Analysed::of(program, &options).ok());
        let mut asked = std::mem::take(&mut self.looked_at);
        if let Some(mut counted) = self.count(|made| analysed.clone()?.abstraction(made).ok()) {
            self.look_by_cases(&mut counted);
            asked.push(counted);
        }
        if let Some(mut ranked) = self.rank(|made| analysed.clone()?.abstraction(made).ok()) {
            self.look_by_cases(&mut ranked);
            asked.push(ranked);
        }
        let budgets = self.options.abstraction.precision.budgets.clone();
        let paired = |made| Some(analysed.clone()?.paired(made).ok()??.with_budgets(&budgets));
        if let Some(mut paired) = self.pair(paired) {
            self.look_by_cases(&mut paired);
            asked.push(paired);
        }
        asked.into_iter().for_each(|asked| self.list_few(asked));
    }

    fn may_go_on(&self) -> bool {
        self.rounds < self.options.rounds && self.is_open()
    }

    /// Whether something is left open, and there is time.
    fn is_open(&self) -> bool {
        self.property.open(&self.best.outcome) > 0 && !self.options.deadline.is_over()
    }

    /// Leaves out of the first system what can never happen.
    fn activate(&mut self) -> Option<Asked<P::Outcome>> {
        if !self.may_go_on() {
            return None;
        }
        let (activated, dead) = self.best.abstraction.clone().activated();
        let what = format!("{dead} transitions can never fire, as nobody sends what they wait for");
        (dead > 0).then(|| self.ask(activated, Strategy::Activation, what))
    }

    /// Makes places of variables that are counted. Which of them do not wrap is found out at once
    /// where all is decided then, as bounds are better; else it can wait, as it takes longer.
    fn count(&mut self, made: impl Fn(Made) -> Option<Abstraction>) -> Option<Asked<P::Outcome>> {
        let counts = self.options.strategies.contains(&Strategy::Counters);
        let has_places = self.options.abstraction.precision.data_places;
        if !self.may_go_on() || has_places || !(counts || self.options.wants_data_places()) {
            return None;
        }
        let counted = made(Made { data_places: true, pairs: self.options.abstraction.precision.pairs })?;
        let wraps = (counts && !counted.wrapping.is_empty()).then(|| counted.clone());
        let (counted, _) = counted.activated();
        let what = self.described(&counted).filter(|_| self.options.wants_data_places());
        let outcome = what.is_some().then(|| self.property.ask(&counted.system));
        self.wraps = wraps;
        let is_decided = |outcome: &P::Outcome| self.property.open(outcome) == 0;
        if outcome.as_ref().is_some_and(is_decided) {
            let better = self.count_without_wrapping();
            if self.property.open(&self.best.outcome) == 0 {
                return better;
            }
        }
        Some(self.asked(counted, outcome?, Strategy::DataPlaces, what?))
    }

    /// Leaves out what pairs of processes exclude, beside all that is counted.
    fn pair(&mut self, made: impl Fn(Made) -> Option<Abstraction>) -> Option<Asked<P::Outcome>> {
        if !self.may_go_on() || self.pairs || !self.options.strategies.contains(&Strategy::Pairs) {
            return None;
        }
        let paired = made(Made { data_places: self.options.wants_data_places(), pairs: true })?;
        self.pairs = true;
        let what = paired.excluded.join("; ");
        Some(self.ask(paired.activated().0, Strategy::Pairs, what))
    }

    /// Finds out which of the variables that are counted keep to a range, and asks about a system
    /// that knows it.
    fn count_without_wrapping(&mut self) -> Option<Asked<P::Outcome>> {
        let counted = self.wraps.take().filter(|_| self.may_go_on())?;
        let precision = Precision { data_places: true, ..self.options.abstraction.precision.clone() };
        let mut options = self.options.abstraction(precision);
        let known = with_counters(self.program, &counted, &mut options, self.options.deadline)?;
        let (known, _) = known.activated();
        self.counters = options.precision.counters;
        let what = self.described(&known)?;
        Some(self.ask(known, Strategy::Counters, what))
    }

    /// What counters and data places a system has, for people; `None` if it has none.
    fn described(&self, counted: &Abstraction) -> Option<String> {
        let mut what = counters::described(self.program, &counted.precision.counters);
        let places: Vec<String> =
            counted.system.data.values().map(|place| format!("`{}`", place.name)).collect();
        let fall = if places.len() == 1 { "falls" } else { "fall" };
        let ranges = list(&what);
        what = (!ranges.is_empty()).then_some(ranges).into_iter().collect();
        what.extend((!places.is_empty()).then(|| format!("{} never {fall} below 0", list(&places))));
        (!what.is_empty()).then(|| what.join("; "))
    }

    /// Asks about an abstraction that an engine of the caller has made, and keeps the answer if it
    /// leaves less open than the best one. Every run of the program must be one of the abstraction:
    /// nothing checks that. `what` says what was done, as a sentence without a full stop.
    pub fn ask_about_own(&mut self, abstraction: Abstraction, name: &'static str, what: String) {
        if self.may_go_on() {
            self.ask(abstraction, Strategy::Own(name), what);
        }
    }

    /// Asks about a system, and keeps the answer if it leaves less open than the best one.
    fn ask(&mut self, abstraction: Abstraction, strategy: Strategy, what: String) -> Asked<P::Outcome> {
        let outcome = self.property.ask(&abstraction.system);
        self.asked(abstraction, outcome, strategy, what)
    }

    /// Keeps the answer about a system if it leaves less open than the best one.
    fn asked(
        &mut self,
        abstraction: Abstraction,
        outcome: P::Outcome,
        strategy: Strategy,
        what: String,
    ) -> Asked<P::Outcome> {
        self.rounds += 1;
        self.latest = FirstAnswer { abstraction: abstraction.clone(), outcome: outcome.clone() };
        let kept = self.keep(&abstraction, &outcome, strategy, what.clone());
        let best_after = kept.then_some(self.best.acts.len());
        Asked { abstraction, outcome, made: Some(what), best_after }
    }

    /// Whether the best answer is about that system.
    fn is_best(&self, asked: &Asked<P::Outcome>) -> bool {
        asked.best_after == Some(self.best.acts.len())
    }

    /// Tells cases apart in a system that has been asked about, if that is wanted.
    fn look_by_cases(&mut self, asked: &mut Asked<P::Outcome>) {
        if !self.may_go_on() {
            return;
        }
        let found = by_cases(&self.property, &self.options, &asked.abstraction.system, &asked.outcome);
        if let Some(found) = found {
            self.keep_otherwise(Strategy::Structure, asked, found);
        }
    }

    /// Keeps what has been found about a system in another way.
    fn keep_otherwise(
        &mut self,
        strategy: Strategy,
        asked: &mut Asked<P::Outcome>,
        (settled, act): (P::Outcome, String),
    ) {
        let act = match &asked.made {
            Some(made) if !self.is_best(asked) => format!("{made}; {act}"),
            _ => act,
        };
        if self.keep(&asked.abstraction, &settled, strategy, act) {
            asked.best_after = Some(self.best.acts.len());
        }
        asked.outcome = settled;
    }

    /// Notes what did not help: nothing twice, and nothing where nothing was followed.
    fn note_in_vain(&mut self, what: String) {
        if !what.is_empty() && !self.best.tried.contains(&what) {
            self.best.tried.push(what);
        }
    }

    /// Keeps an answer about a system if it leaves less open than the best one.
    fn keep(
        &mut self,
        abstraction: &Abstraction,
        outcome: &P::Outcome,
        strategy: Strategy,
        what: String,
    ) -> bool {
        let (before, after) = (self.property.open(&self.best.outcome), self.property.open(outcome));
        if after < before {
            let spurious = self.property.counterexamples(&self.best.outcome).first().cloned();
            let spurious = spurious.map(|found| (Arc::new(self.best.abstraction.system.clone()), found));
            let counted = spurious.as_ref().filter(|_| {
                matches!(strategy, Strategy::DataPlaces | Strategy::Counters | Strategy::Ranking)
            });
            let because = counted.and_then(|(system, loops)| used_up(system, loops, &abstraction.system));
            let because = because.unwrap_or_else(|| strategy.reason().to_owned());
            let what = if what.is_empty() { NOTHING_FOLLOWED.to_owned() } else { what };
            self.best.acts.push(Act { strategy, spurious, because, what, before, after });
            self.best.abstraction = abstraction.clone();
            self.best.outcome = outcome.clone();
        } else {
            self.note_in_vain(what);
            for rejection in self.property.rejected(outcome).to_vec() {
                self.note_in_vain(format!("a proof that the checker rejects, which is a bug ({rejection})"));
            }
        }
        after < before
    }
}

/// The answer to a question about a system of which another one leaves something open, where cases
/// are told apart, and what was done; if that is wanted and there is time.
fn by_cases<P: Property>(
    property: &P,
    options: &RefinementOptions,
    system: &System,
    outcome: &P::Outcome,
) -> Option<(P::Outcome, String)> {
    if !options.strategies.contains(&Strategy::Structure) || options.deadline.is_over() {
        return None;
    }
    let (settled, cases) = property.ask_by_cases(system, outcome)?;
    Some((
        settled,
        format!(
            "it is told apart where processes are in the long run, and what queues deliver, in {cases} cases"
        ),
    ))
}
