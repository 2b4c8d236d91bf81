//! What each strategy alone, and all of them together, say of a program.

use std::collections::BTreeSet;
use std::time::{Duration, Instant};

use abstraction::{Abstraction, Part};
use freeboard::{Analysis, Options, RunLimits, Strategies, check_livelock, check_model, read_promela};
use refine::Strategy;
use report::view::PropertyResult;

/// States that searches of runs may look at.
const STATES: usize = 2_000;
/// How long a verdict may take.
const PATIENCE: Duration = Duration::from_secs(10);

/// A way to find something out.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Means {
    /// One strategy, and nothing else.
    One(Strategy),
    /// Everything.
    All,
}

/// All means but the strategy that knows of livelocks only.
pub fn all_means() -> Vec<Means> {
    let single = Strategy::ALL.into_iter().filter(|strategy| *strategy != Strategy::Recurrence);
    single.map(Means::One).chain([Means::All]).collect()
}

impl Means {
    fn options(self) -> Options {
        let (search, all) = match self {
            // Of these, it stores a twentieth.
            Self::One(Strategy::Termination | Strategy::Recurrence) => (0, 20 * STATES),
            Self::One(Strategy::Exhaustion) => (0, STATES),
            Self::One(_) => (0, 0),
            Self::All => (STATES, STATES),
        };
        let strategies = match self {
            Self::One(strategy) => Strategies([strategy].into()),
            Self::All => Strategies::default(),
        };
        let runs = RunLimits { search_states: search, exploration_states: all };
        Options { refinement: strategies, runs, time_limit: Some(PATIENCE), ..Options::default() }
    }
}

/// Something that acted in a proof, or in what is left of one.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Acting {
    /// A strategy excluded a counterexample, or decided.
    Strategy(Strategy),
    /// The system has registers.
    Registers,
    /// The system has places for slots of tables.
    Slots,
    /// The system has places for the room that questions after lengths leave.
    Rooms,
}

impl Acting {
    /// All of them.
    pub fn all() -> Vec<Self> {
        let own = [Self::Registers, Self::Slots, Self::Rooms];
        Strategy::ALL.into_iter().map(Self::Strategy).chain(own).collect()
    }
}

/// What a means finds out.
pub struct Found {
    /// By what it was found.
    pub means: Means,
    /// All of it.
    pub analysis: Analysis,
    /// What is said of each buffer.
    pub bounded: PropertyResult,
    /// What acted.
    pub acting: BTreeSet<Acting>,
}

/// What a means says of a program; `None` if that is not read.
pub fn ask(text: &str, means: Means) -> Option<Found> {
    let options = means.options();
    let analysis = check_model(read_promela("model.pml", text, &options).ok()?, &options, Instant::now());
    let bounded = analysis.view("model.pml").property_results.swap_remove(0);
    let strategies = analysis.refinement.acts.iter().map(|act| Acting::Strategy(act.strategy));
    let acting = strategies.chain(in_system(&analysis.abstraction)).collect();
    Some(Found { means, bounded, acting, analysis })
}

/// What acts where livelocks are asked for, if strategy `recurrence` is all there is.
pub fn acting_on_livelocks(text: &str) -> BTreeSet<Acting> {
    let options = Means::One(Strategy::Recurrence).options();
    let Ok(model) = read_promela("model.pml", text, &options) else { return BTreeSet::new() };
    let found = check_livelock(&model.program, &model.abstraction, &options);
    found.refinement.acts.iter().map(|act| Acting::Strategy(act.strategy)).collect()
}

/// What a system has been given.
fn in_system(abstraction: &Abstraction) -> impl Iterator<Item = Acting> {
    let slots = abstraction.quantities.values().any(|quantity| matches!(quantity.part, Part::Slots(_)));
    let there = [
        (Acting::Registers, !abstraction.registers.is_empty()),
        (Acting::Slots, slots),
        (Acting::Rooms, abstraction.system.data.len() > abstraction.quantities.len()),
    ];
    there.into_iter().filter_map(|(acting, is_there)| is_there.then_some(acting))
}

/// A number of a view, if it is not too large.
pub fn number(number: &report::view::Number) -> Option<u64> {
    number.to_string().parse().ok()
}
