//! The options of `freeboard check`, and what they mean for the library.

use std::path::PathBuf;
use std::str::FromStr;
use std::time::Duration;

use clap::{Args, ValueEnum};
use freeboard::ilp_encode::Encoding;
use freeboard::refine::Strategy;
use freeboard::{Capacities, Options, RunLimits, Strategies, livelock};

use super::super::arguments::{Input, ReportFormat, RunOptions, count, duration, target};
use super::super::{engines, output};

#[derive(Debug, Args)]
pub struct Arguments {
    #[command(flatten)]
    pub input: Input,
    /// Further models, and directories, whose models are checked; then there is a line for each
    #[arg(value_name = "MORE")]
    more: Vec<PathBuf>,
    /// What to prove [default: boundedness, and livelock too where something is marked as progress]
    #[arg(long)]
    pub property: Option<Property>,
    /// How to print the result
    #[arg(long, default_value = "human")]
    pub format: ReportFormat,
    #[command(flatten)]
    pub runs: RunOptions,
    /// Which channels are limited, so that senders wait for room: `unbounded`, `declared`, `NAME=N`
    /// or `NAME=declared`, several with commas; with `,lossy` behind it, what finds no room there
    /// is lost. What is said with the declared capacities beside the verdict is said in any case
    /// [default: none; each buffer is asked about as unlimited, the others as unlimited or as
    /// declared]
    #[arg(long, value_name = "LIMITS")]
    capacity: Vec<Capacities>,
    /// Which infinite runs have to make progress, for --property livelock
    #[arg(long, value_name = "FAIRNESS", default_value = "none")]
    pub fairness: Fairness,
    /// How to decide; both give the same verdicts
    #[arg(long, default_value = "flow")]
    pub encoding: Form,
    /// Write the certificate here (JSON): a claim for each buffer that is proved bounded, and one
    /// for livelock freedom if that is proved; and, by name, what no checker repeats
    #[arg(long, value_name = "PATH", value_parser = target)]
    pub certificate: Option<PathBuf>,
    /// Write the abstract system here (JSON), which the certificate speaks of
    #[arg(long, value_name = "PATH", value_parser = target)]
    pub system: Option<PathBuf>,
    /// Write the replayed execution here (JSON), if something is refuted
    #[arg(long, value_name = "PATH", value_parser = target)]
    pub witness: Option<PathBuf>,
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
    pub time_limit: Option<Duration>,
    /// Give up if there are more elementary cycles (with --encoding cycles, which lists them)
    #[arg(long, value_name = "N")]
    pub max_cycles: Option<usize>,
    /// Look at no more than this many states in each search of concrete runs [default: 400000 for
    /// witnesses; 1000000 for all states, 2000 where only true maxima are left
    /// to find, 5000 where a bound exceeds its capacity]
    #[arg(long, value_name = "N", value_parser = count)]
    max_states: Option<usize>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Property {
    /// No buffer can grow without bound
    Boundedness,
    /// Every infinite run makes progress for ever
    Livelock,
    /// Both
    All,
}

#[derive(Clone, Copy, Debug, ValueEnum)]
pub enum Fairness {
    /// All
    None,
    /// Those in which every process that can always step steps again and again (Spin's -f)
    Weak,
}

#[derive(Clone, Copy, Debug, ValueEnum)]
pub enum Form {
    /// On demand: linear in the system
    Flow,
    /// Every elementary cycle is listed first
    Cycles,
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

fn strategies(arguments: &Arguments) -> Strategies {
    if !arguments.engines.is_empty() {
        let named = arguments.engines.iter().filter_map(|engine| match engine {
            EngineName::Strategy(strategy) => Some(*strategy),
            EngineName::Runs => None,
        });
        return Strategies(named.collect());
    }
    let mut strategies = Strategies::default();
    strategies.0.retain(|strategy| !arguments.no_refine && !arguments.without.contains(strategy));
    strategies
}

fn run_limits(arguments: &Arguments) -> RunLimits {
    let mut limits = match arguments.max_states {
        _ if arguments.no_search => RunLimits::NONE,
        Some(states) => RunLimits { search_states: states, exploration_states: states },
        None => RunLimits::default(),
    };
    if !arguments.engines.is_empty() && !arguments.engines.contains(&EngineName::Runs) {
        limits.search_states = 0;
    }
    limits
}

/// How long a call may take if nobody says so: nothing is silent for minutes.
const DEFAULT_TIME_LIMIT: Duration = Duration::from_secs(60);

pub fn time_limit(arguments: &Arguments) -> Duration {
    arguments.time_limit.unwrap_or(DEFAULT_TIME_LIMIT)
}

impl Arguments {
    /// The models and directories that are named, in order.
    pub fn named(&self) -> impl Iterator<Item = &PathBuf> {
        std::iter::once(&self.input.file).chain(&self.more)
    }

    /// The same for one of several files.
    pub fn about(&self, file: PathBuf) -> Input {
        Input { file, ..self.input.clone() }
    }

    /// The options of the library. Warns of those without effect.
    pub fn options(&self) -> Options {
        let arguments = self;
        let options = Options {
            parse: arguments.input.parse_options(),
            encoding: match arguments.encoding {
                Form::Flow => Encoding::Flow,
                Form::Cycles => Encoding::Cycles,
            },
            fairness: match arguments.fairness {
                Fairness::None => livelock::Fairness::None,
                Fairness::Weak => livelock::Fairness::Weak,
            },
            capacities: arguments.capacity.iter().cloned().fold(Capacities::default(), Capacities::and),
            open: arguments.input.open_channels(),
            assumptions: arguments.input.environment_assumptions(),
            time_limit: Some(time_limit(arguments)),
            max_cycles: arguments.max_cycles,
            runs: run_limits(arguments),
            maxima_states: arguments.max_states,
            refinement: strategies(arguments),
            ..Options::default()
        };
        if arguments.max_cycles.is_some() && matches!(arguments.encoding, Form::Flow) {
            output::warning("--max-cycles has no effect without --encoding cycles: no cycles are listed");
        }
        options
    }
}
