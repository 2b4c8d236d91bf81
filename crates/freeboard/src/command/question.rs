//! The question that `check` and `report` put to the library, and its options.

use std::str::FromStr;
use std::time::Duration;

use bytesize::ByteSize;
use clap::{Args, ValueEnum};
use freeboard::ilp_encode::{BoundSearch, Encoding};
use freeboard::refine::Strategy;
use freeboard::{Capacities, Options, RunLimits, Strategies, livelock};

use super::arguments::{Input, count, duration, size};
use super::{engines, interrupt, output};

/// A question about a model: the model, the properties, and how to decide.
#[derive(Debug, Args)]
pub struct Question {
    #[command(flatten)]
    pub(super) input: Input,
    /// What to prove [default: boundedness, and livelock too where something is marked as progress]
    #[arg(long)]
    pub(super) property: Option<Property>,
    /// Which channels are limited, so that senders wait for room: `unbounded`, `declared`, `NAME=N`
    /// or `NAME=declared`, several with commas; with `,lossy` behind it, what finds no room there
    /// is lost. What is said with the declared capacities beside the verdict is said in any case
    /// [default: none; each buffer is asked about as unlimited, the others as unlimited or as
    /// declared]
    #[arg(long, value_name = "LIMITS")]
    capacity: Vec<Capacities>,
    /// Which infinite runs have to make progress, for --property livelock
    #[arg(long, value_name = "FAIRNESS", default_value = "none")]
    fairness: Fairness,
    /// How to decide; both give the same verdicts
    #[arg(long, default_value = "flow")]
    encoding: Form,
    /// Which bounds to look for, where buffers are bounded; all are proved, and the verdicts are
    /// the same
    #[arg(long, value_name = "WHICH", default_value = "least")]
    bounds: Bounds,
    /// Stop after the plain test: do nothing about its counterexamples but search for them in runs
    #[arg(long)]
    no_refine: bool,
    /// Do without a strategy of refinement; may be given several times
    #[arg(long, value_name = "STRATEGY", value_parser = strategy)]
    without: Vec<Strategy>,
    /// Use these engines only, behind the plain test: names with commas, as `freeboard engines`
    /// lists them
    #[arg(long, value_name = "LIST", value_delimiter = ',', conflicts_with_all = ["without", "no_refine", "no_search"])]
    engines: Vec<EngineName>,
    /// Search no concrete run: no witness, no true maxima, no proof by `termination`, `recurrence`
    /// or `exhaustion`
    #[arg(long)]
    no_search: bool,
    /// Give up after this time, e.g. 30, 30s or 2m [default: 60s]
    #[arg(long, value_name = "DURATION", value_parser = duration)]
    pub(super) time_limit: Option<Duration>,
    /// Give up when the process takes this much memory, e.g. 500MB or 2GiB [default: none]
    #[arg(long, value_name = "SIZE", value_parser = size)]
    memory_limit: Option<ByteSize>,
    /// Give up if there are more elementary cycles (with --encoding cycles, which lists them)
    #[arg(long, value_name = "N")]
    max_cycles: Option<usize>,
    /// Look at no more than this many states in each search of concrete runs [default: 400000 for
    /// witnesses; 1000000 for all states, 2000 where only true maxima are left
    /// to find, 5000 where a bound exceeds its capacity]
    #[arg(long, value_name = "N", value_parser = count)]
    max_states: Option<usize>,
}

/// The properties to prove.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(super) enum Property {
    /// No buffer can grow without bound
    Boundedness,
    /// Every infinite run makes progress for ever
    Livelock,
    /// Both
    All,
}

#[derive(Clone, Copy, Debug, ValueEnum)]
pub(super) enum Fairness {
    /// All
    None,
    /// Those in which every process that can always step steps again and again (Spin's -f)
    Weak,
}

#[derive(Clone, Copy, Debug, ValueEnum)]
enum Form {
    /// On demand: linear in the system
    Flow,
    /// Every elementary cycle is listed first
    Cycles,
}

#[derive(Clone, Copy, Debug, ValueEnum)]
enum Bounds {
    /// One for all buffers together, which is not small
    None,
    /// Bounds proved by weights on the places near each buffer
    Fast,
    /// The least that can be proved, with refinement where one is above a declared capacity
    Least,
}

impl Question {
    /// The options of the library. From now on the call is watched for what ends it early.
    pub(super) fn options(&self) -> Options {
        let question = self;
        let options = Options {
            parse: question.input.parse_options(),
            encoding: match question.encoding {
                Form::Flow => Encoding::Flow,
                Form::Cycles => Encoding::Cycles,
            },
            bounds: match question.bounds {
                Bounds::None => BoundSearch::None,
                Bounds::Fast => BoundSearch::Fast,
                Bounds::Least => BoundSearch::Least,
            },
            fairness: match question.fairness {
                Fairness::None => livelock::Fairness::None,
                Fairness::Weak => livelock::Fairness::Weak,
            },
            capacities: question.capacity.iter().cloned().fold(Capacities::default(), Capacities::and),
            open: question.input.open_channels(),
            assumptions: question.input.environment_assumptions(),
            time_limit: Some(time_limit(question)),
            max_cycles: question.max_cycles,
            runs: run_limits(question),
            maxima_states: question.max_states,
            refinement: strategies(question),
            cancelled: Some(interrupt::watch(question.memory_limit)),
            ..Options::default()
        };
        if question.max_cycles.is_some() && matches!(question.encoding, Form::Flow) {
            output::warning("--max-cycles has no effect without --encoding cycles: no cycles are listed");
        }
        options
    }
}

/// A strategy by its name.
fn strategy(name: &str) -> Result<Strategy, String> {
    let known = Strategy::ALL.into_iter().find(|strategy| strategy.name() == name);
    known.ok_or_else(|| format!("the strategies are {}", Strategy::ALL.map(Strategy::name).join(", ")))
}

/// An engine by the name that `freeboard engines` lists.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum EngineName {
    /// A strategy.
    Strategy(Strategy),
    /// The search for runs that refute.
    Runs,
}

impl FromStr for EngineName {
    type Err = String;

    fn from_str(name: &str) -> Result<Self, String> {
        if name == engines::RUNS {
            return Ok(Self::Runs);
        }
        let known = Strategy::ALL.into_iter().find(|strategy| strategy.name() == name);
        known
            .map(Self::Strategy)
            .ok_or_else(|| format!("`freeboard engines` lists the engines: {}", engines::names()))
    }
}

fn strategies(question: &Question) -> Strategies {
    if !question.engines.is_empty() {
        let named = question.engines.iter().filter_map(|engine| match engine {
            EngineName::Strategy(strategy) => Some(*strategy),
            EngineName::Runs => None,
        });
        return Strategies(named.collect());
    }
    let mut strategies = Strategies::default();
    strategies.0.retain(|strategy| !question.no_refine && !question.without.contains(strategy));
    strategies
}

/// What is asked for.
#[derive(Clone, Copy)]
pub(super) struct Wanted {
    pub(super) boundedness: bool,
    pub(super) livelock: bool,
}

impl Wanted {
    /// What the user wants, for a model in which something is marked as progress or not.
    pub(super) const fn of(property: Option<Property>, marked: bool) -> Self {
        match property {
            Some(Property::Boundedness) => Self { boundedness: true, livelock: false },
            Some(Property::Livelock) => Self { boundedness: false, livelock: true },
            Some(Property::All) => Self { boundedness: true, livelock: true },
            None => Self { boundedness: true, livelock: marked },
        }
    }

    /// Warns of options about what is not asked for.
    pub(super) fn warn(self, question: &Question) {
        if !self.livelock && matches!(question.fairness, Fairness::Weak) {
            output::warning(
                "--fairness weak has no effect: livelocks are not asked for (--property livelock asks for them)",
            );
        }
    }
}

fn run_limits(question: &Question) -> RunLimits {
    let mut limits = match question.max_states {
        _ if question.no_search => RunLimits::NONE,
        Some(states) => RunLimits { search_states: states, exploration_states: states },
        None => RunLimits::default(),
    };
    if !question.engines.is_empty() && !question.engines.contains(&EngineName::Runs) {
        limits.search_states = 0;
    }
    limits
}

/// How long a call may take if nobody says so: nothing is silent for minutes.
const DEFAULT_TIME_LIMIT: Duration = Duration::from_secs(60);

pub(super) fn time_limit(question: &Question) -> Duration {
    question.time_limit.unwrap_or(DEFAULT_TIME_LIMIT)
}
