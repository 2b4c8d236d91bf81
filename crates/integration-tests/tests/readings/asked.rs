//! What each strategy alone, and all of them together, say of a program.

use std::collections::BTreeSet;
use std::time::{Duration, Instant};

use abstraction::{Abstraction, Part};
use freeboard::{Analysis, Model, Options, RunLimits, Strategies, check_livelock, check_model, read_promela};
use refine::Strategy;
use report::view::PropertyResult;

/// States that searches of runs may look at.
const STATES: usize = 1_000;
/// The same where they go further: a fourth of it is for each further witness, and of each reading
/// up to 5 000 are looked at before more are of any.
const FURTHER_STATES: usize = 60_000;
/// Configurations that may be listed.
const CONFIGURATIONS: usize = 1_000;
/// So many times as many may be looked at to find out that every run ends, as a twentieth of them
/// is stored.
const FOR_TERMINATION: usize = 4;
/// How long a verdict may take, which none should need.
const PATIENCE: Duration = Duration::from_secs(60);

/// A way to find something out.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Means {
    /// One strategy, and nothing else.
    One(Strategy),
    /// Everything.
    All,
    /// Everything, and runs are searched further: where few states are looked at, all of them are
    /// of the reading in which no channel is limited.
    AllFurther,
}

/// All means but the strategy that knows of livelocks only.
pub fn all_means(goes_further: bool) -> Vec<Means> {
    let single = Strategy::ALL.into_iter().filter(|strategy| *strategy != Strategy::Recurrence);
    let together = if goes_further { Means::AllFurther } else { Means::All };
    single.map(Means::One).chain([together]).collect()
}

impl Means {
    fn options(self) -> Options {
        let (search, all) = match self {
            Self::One(Strategy::Termination | Strategy::Recurrence) => (0, FOR_TERMINATION * STATES),
            Self::One(Strategy::Exhaustion) => (0, STATES),
            Self::One(_) => (0, 0),
            Self::All => (STATES, STATES),
            Self::AllFurther => (FURTHER_STATES, STATES),
        };
        let strategies = match self {
            Self::One(strategy) => Strategies([strategy].into()),
            Self::All | Self::AllFurther => Strategies::default(),
        };
        let runs = RunLimits { search_states: search, exploration_states: all };
        // Random programs are small: what is followed in one of them either decides soon or takes
        // all there is.
        let abstraction = abstraction::Options {
            nodes: 400,
            transitions: 2_000,
            visits: 15_000,
            pair_steps: 20_000,
            ..abstraction::Options::default()
        };
        Options {
            refinement: strategies,
            runs,
            abstraction,
            max_configurations: Some(CONFIGURATIONS),
            time_limit: Some(PATIENCE),
            ..Options::default()
        }
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

    /// Its name.
    pub fn name(self) -> &'static str {
        match self {
            Self::Strategy(strategy) => strategy.name(),
            Self::Registers => "registers",
            Self::Slots => "slots",
            Self::Rooms => "rooms",
        }
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
    /// Whether it took so long that the clock may have ended it.
    pub is_cut_short: bool,
}

/// A program and its abstraction, of which all means are asked; `None` if it is not read.
pub fn read(text: &str) -> Option<Model> {
    read_promela("model.pml", text, &Options::default()).ok()
}

/// What a means says of a program.
pub fn ask(model: &Model, means: Means) -> Found {
    let (options, begin) = (means.options(), Instant::now());
    let analysis = check_model(model.clone(), &options, begin);
    let is_cut_short = begin.elapsed() >= PATIENCE;
    let bounded = analysis.view("model.pml").property_results.swap_remove(0);
    let strategies = analysis.refinement.acts.iter().map(|act| Acting::Strategy(act.strategy));
    let acting = strategies.chain(in_system(&analysis.abstraction)).collect();
    Found { means, bounded, acting, is_cut_short, analysis }
}

/// What acts where livelocks are asked for, if strategy `recurrence` is all there is.
pub fn acting_on_livelocks(model: &Model) -> BTreeSet<Acting> {
    let options = Means::One(Strategy::Recurrence).options();
    let found = check_livelock(&model.program, &model.abstraction, &options);
    found.refinement.acts.iter().map(|act| Acting::Strategy(act.strategy)).collect()
}

/// What a system has been given.
fn in_system(abstraction: &Abstraction) -> impl Iterator<Item = Acting> {
    let slots = abstraction.quantities.values().any(|quantity| matches!(quantity.part, Part::Slots(_)));
    let there = [
        (Acting::Registers, !abstraction.registers.is_empty()),
        (Acting::Slots, slots),
        (Acting::Rooms, abstraction.system.data.values().any(|place| place.name.contains(" - len("))),
    ];
    there.into_iter().filter_map(|(acting, is_there)| is_there.then_some(acting))
}

/// A number of a view, if it is not too large.
pub fn number(number: &report::view::Number) -> Option<u64> {
    number.to_string().parse().ok()
}
