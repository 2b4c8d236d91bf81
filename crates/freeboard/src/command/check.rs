//! `freeboard check`.

use std::path::PathBuf;
use std::str::FromStr;
use std::time::{Duration, Instant};

use clap::{Args, ValueEnum};
use freeboard::abstraction::Abstraction;
use freeboard::certify::{Certificate, Checked, Claim, Trusted};
use freeboard::cfsm_core::system::{DataPlace, System};
use freeboard::ilp_encode::Encoding;
use freeboard::refine::Strategy;
use freeboard::report::view::{self, Check, InEnvironment, PropertyResult, Seconds, Verdict, WitnessFile};
use freeboard::report::{json, text};
use freeboard::{
    Capacities, Failure, Model, Options, RunLimits, Strategies, abstraction, boundedness, certify,
    check_livelock, check_livelock_of_system, check_model, check_system, has_progress_labels, livelock,
    read_promela, read_room,
};

use super::arguments::{Format, Input, target};
use super::error::Error;
use super::input::{Machines, Source};
use super::{Status, engines, input, output};

#[derive(Debug, Args)]
pub struct Arguments {
    #[command(flatten)]
    input: Input,
    /// What to prove [default: boundedness, and livelock too where something is marked as progress]
    #[arg(long)]
    property: Option<Property>,
    /// How to print the result
    #[arg(long, default_value = "human")]
    format: Format,
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
    /// Write the certificate here (JSON): a claim for each buffer that is proved bounded, and one
    /// for livelock freedom if that is proved; and, by name, what no checker repeats
    #[arg(long, value_name = "PATH", value_parser = target)]
    certificate: Option<PathBuf>,
    /// Write the abstract system here (JSON), which the certificate speaks of
    #[arg(long, value_name = "PATH", value_parser = target)]
    system: Option<PathBuf>,
    /// Write the replayed execution here (JSON), if something is refuted
    #[arg(long, value_name = "PATH", value_parser = target)]
    witness: Option<PathBuf>,
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
    /// Give up after this time, e.g. 30s or 2m [default: 60s]
    #[arg(long, value_name = "DURATION", value_parser = humantime::parse_duration)]
    time_limit: Option<Duration>,
    /// Give up if there are more elementary cycles (with --encoding cycles, which lists them)
    #[arg(long, value_name = "N")]
    max_cycles: Option<usize>,
    /// Look at no more than this many states in each search of concrete runs [default: 400000 for
    /// witnesses; 1000000 for all states, 2000 where only true maxima are left
    /// to find, 5000 where a bound exceeds its capacity]
    #[arg(long, value_name = "N")]
    max_states: Option<usize>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Property {
    /// No buffer can grow without bound
    Boundedness,
    /// Every infinite run makes progress for ever
    Livelock,
    /// Both
    All,
}

#[derive(Clone, Copy, Debug, ValueEnum)]
enum Fairness {
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

pub fn run(arguments: &Arguments) -> Result<Status, Error> {
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
    match input::open(&arguments.input)? {
        Source::Promela(text) => {
            let start = Instant::now();
            let model = read_promela(&text.name, &text.text, &options);
            program(arguments, &text.name, model, start, &options)
        }
        Source::Room(text) => {
            let start = Instant::now();
            let reading = arguments.input.capsule_options();
            let model = read_room(&text.name, &text.text, &reading, &options);
            program(arguments, &text.name, model, start, &options)
        }
        Source::Machines(machines) => of_machines(arguments, machines, options),
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

/// What is asked for.
#[derive(Clone, Copy)]
struct Wanted {
    boundedness: bool,
    livelock: bool,
}

impl Wanted {
    /// What the user wants, for a model in which something is marked as progress or not.
    const fn of(property: Option<Property>, marked: bool) -> Self {
        match property {
            Some(Property::Boundedness) => Self { boundedness: true, livelock: false },
            Some(Property::Livelock) => Self { boundedness: false, livelock: true },
            Some(Property::All) => Self { boundedness: true, livelock: true },
            None => Self { boundedness: true, livelock: marked },
        }
    }

    /// Warns of options about what is not asked for.
    fn warn(self, arguments: &Arguments) {
        if !self.livelock && matches!(arguments.fairness, Fairness::Weak) {
            output::warning(
                "--fairness weak has no effect: livelocks are not asked for (--property livelock asks for them)",
            );
        }
    }
}

fn of_machines(arguments: &Arguments, machines: Machines, mut options: Options) -> Result<Status, Error> {
    let start = Instant::now();
    let Machines { name, mut system, open } = machines;
    let name = name.as_str();
    if !options.assumptions.is_empty() {
        // Runs know nothing of assumptions.
        options.runs = RunLimits::NONE;
    }
    system.validate().map_err(|defect| Error::of_model(name, defect.into()))?;
    let limited = options.capacities.limit_system(&mut system);
    limited.map_err(|error| Error::of_model(name, error.into()))?;
    let assumed = assumed(&system, options.assumptions.len());
    let marked = system.transitions.values().any(|transition| transition.progress);
    let wanted = Wanted::of(arguments.property, marked);
    wanted.warn(arguments);
    if !wanted.boundedness {
        let found = check_livelock_of_system(&system, &options);
        let certificates = [found.outcome.verdict.certificate()];
        let view = found.view_of_system(name, &system);
        let environment = InEnvironment { values: &assumed, ..InEnvironment::default() };
        let is_open = open.is_some() || !assumed.is_empty();
        let view = if is_open { view.of_open_model(environment) } else { view };
        return finish(arguments, &view, &system, &certificates);
    }
    let analysis = check_system(system, &options).map_err(|failure| Error::of_model(name, failure))?;
    let bounds = analysis.outcome.verdict.certificate();
    let needs_contract = !analysis.outcome.verdict.is_proved() && options.assumptions.is_empty();
    let contract = open.as_ref().filter(|_| needs_contract).and_then(|open| open.contract(&options));
    let assumptions: Vec<String> =
        options.assumptions.iter().map(|assumption| assumption.text.clone()).collect();
    let environment =
        InEnvironment { contract: contract.as_ref(), assumptions: &assumptions, values: &assumed };
    let is_open = open.is_some() || !assumed.is_empty();
    let in_environment = |view: Check| if is_open { view.of_open_model(environment) } else { view };
    if !wanted.livelock {
        let view = in_environment(analysis.view(name));
        return match &contract {
            Some(contract) => finish(arguments, &view, &contract.system, &[Some(&contract.certificate)]),
            None => finish(arguments, &view, &analysis.system, &[bounds]),
        };
    }
    spend(&mut options, start);
    let found = check_livelock_of_system(&analysis.system, &options);
    let certificates = [bounds, found.outcome.verdict.certificate()];
    let view = in_environment(found.view_after_system(name, &analysis));
    finish(arguments, &view, &analysis.system, &certificates)
}

/// The assumptions on an environment that a system file has, as data places; behind them are those
/// of the call.
fn assumed(system: &System, of_call: usize) -> Vec<String> {
    let places: Vec<&DataPlace> = system.data.values().filter(|place| place.is_assumed).collect();
    let of_file = places.len().saturating_sub(of_call);
    let told = |place: &&DataPlace| format!("{} >= 0, which begins with {}", place.name, place.initial);
    places[..of_file].iter().map(told).collect()
}

/// Takes the time since `start` from the limit.
fn spend(options: &mut Options, start: Instant) {
    options.time_limit = options.time_limit.map(|limit| limit.saturating_sub(start.elapsed()));
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

/// Checks a model that was read, in a call that began at `start`.
fn program(
    arguments: &Arguments,
    name: &str,
    model: Result<Model, Failure>,
    start: Instant,
    options: &Options,
) -> Result<Status, Error> {
    let model = match model {
        Ok(model) => model,
        Err(Failure::Abstraction(limit @ abstraction::Error::TooManyTransitions { .. })) => {
            let view = undecided(arguments, view::undecided(name, limit, Seconds::default()));
            output::view(&view, arguments.format, text::check)?;
            return Ok(Status::Unknown);
        }
        Err(failure) => return Err(Error::of_model(name, failure)),
    };
    output::diagnostics(&model.warnings, &model.program.sources);
    let wanted = Wanted::of(arguments.property, has_progress_labels(&model.program));
    wanted.warn(arguments);
    let mut options = options.clone();
    if !wanted.boundedness {
        spend(&mut options, start);
        let found = check_livelock(&model.program, &model.abstraction, &options);
        let certificates = [found.outcome.verdict.certificate()];
        let system = found.refined.as_ref().map_or(&model.abstraction.system, |refined| &refined.system);
        return finish(arguments, &found.view(name, &model), system, &certificates);
    }
    let analysis = check_model(model, &options, start);
    let bounds = analysis.outcome.verdict.certificate();
    if let Some(contract) = analysis.contract.as_ref().filter(|_| !wanted.livelock) {
        return finish(arguments, &analysis.view(name), &contract.system, &[Some(&contract.certificate)]);
    }
    if !wanted.livelock {
        return finish(arguments, &analysis.view(name), analysis.system(), &[bounds]);
    }
    spend(&mut options, start);
    let found = check_livelock(&analysis.program, &analysis.abstraction, &options);
    let view = found.view_after(name, &analysis);
    if !analysis.assumptions.is_empty() {
        output::warning("--assume is about bounds: what is said of livelocks is about every environment");
        return finish(arguments, &view, analysis.system(), &[bounds]);
    }
    let Some(Abstraction { system, .. }) = &found.refined else {
        let certificates = [bounds, found.outcome.verdict.certificate()];
        return finish(arguments, &view, analysis.system(), &certificates);
    };
    // A certificate speaks of one system: that of livelocks, which mostly says more.
    let wants_evidence = arguments.certificate.is_some() || arguments.system.is_some();
    let again = wants_evidence.then(|| boundedness::check(system, &options.boundedness(Instant::now())));
    if again.as_ref().is_some_and(|again| !again.verdict.is_proved()) && analysis.outcome.verdict.is_proved()
    {
        output::note(
            "of the system of livelocks, not all bounds are proved: --property boundedness writes a certificate of these",
        );
    }
    let bounds = again.as_ref().and_then(|outcome| outcome.verdict.certificate());
    finish(arguments, &view, system, &[bounds, found.outcome.verdict.certificate()])
}

/// The view in which nothing is decided, for the properties that were asked for.
fn undecided(arguments: &Arguments, mut view: Check) -> Check {
    let of_livelock: Vec<PropertyResult> = view.property_results.clone();
    let of_livelock =
        of_livelock.into_iter().map(|result| PropertyResult { property: view::Property::Livelock, ..result });
    let wanted = Wanted::of(arguments.property, false);
    if !wanted.boundedness {
        view.property_results.clear();
    }
    if wanted.livelock {
        view.property_results.extend(of_livelock);
    }
    view
}

/// How long a call may take if nobody says so: nothing is silent for minutes.
const DEFAULT_TIME_LIMIT: Duration = Duration::from_secs(60);

fn time_limit(arguments: &Arguments) -> Duration {
    arguments.time_limit.unwrap_or(DEFAULT_TIME_LIMIT)
}

/// Adds to the reason of what is not decided that the time was over, if it was.
fn with_time_limit(arguments: &Arguments, view: &Check) -> Check {
    let limit = time_limit(arguments);
    let mut view = view.clone();
    if view.statistics.seconds.total < limit.as_secs_f64() {
        return view;
    }
    let limit = humantime::format_duration(limit);
    let stopped = match arguments.time_limit {
        None => format!("stopped after the default limit of {limit}: `--time-limit` sets another"),
        Some(_) => format!("stopped after the limit of {limit} that `--time-limit` sets"),
    };
    for result in &mut view.property_results {
        let is_open = result.reason.is_some() || result.verdict == Verdict::Unknown;
        if is_open {
            let reason = result.reason.take();
            result.reason =
                Some(reason.map_or_else(|| stopped.clone(), |reason| format!("{reason}; {stopped}")));
        }
    }
    view
}

/// Prints the result, writes the files that were asked for and tells the exit status.
fn finish(
    arguments: &Arguments,
    view: &Check,
    system: &System,
    certificates: &[Option<&Checked<Certificate>>],
) -> Result<Status, Error> {
    let view = &with_time_limit(arguments, view);
    output::view(view, arguments.format, text::check)?;
    if let Some(path) = &arguments.system {
        output::file(path, &certify::write_system(system))?;
    }
    if let Some(path) = &arguments.certificate {
        // Each claim stands on its own, so certificates for one system can be put together.
        let claims: Vec<_> = certificates.iter().flatten().flat_map(|found| found.claims.clone()).collect();
        let is_proved = view.property_results.iter().any(|result| result.verdict == Verdict::Proved);
        if is_proved || certificates.iter().any(Option::is_some) {
            output::file(path, &certificate(system, claims, &view.trust).to_json())?;
        } else {
            output::note("nothing is proved: no certificate is written");
        }
    }
    if let Some(path) = &arguments.witness {
        match witness_file(view) {
            Some(file) => output::file(path, &json::render(&file))?,
            None => output::note("nothing is refuted: no witness is written"),
        }
    }
    Ok(status(view))
}

/// The certificate of a system, with what of the verdicts it does not have: what is trusted beyond
/// what its claims rest on, which it derives itself.
fn certificate(system: &System, claims: Vec<Claim>, trust: &[Trusted]) -> Certificate {
    Certificate::new(system, claims).bound_to(system, trust.iter().cloned())
}

/// The first witness of the first property that has one.
fn witness_file(view: &Check) -> Option<WitnessFile> {
    view.property_results
        .iter()
        .find_map(|result| Some(WitnessFile::new(&view.file, result.property, result.witness.clone()?)))
}

/// Refuted if anything is, unknown if anything else is.
fn status(view: &Check) -> Status {
    let verdicts = || view.property_results.iter().map(|result| result.verdict);
    if verdicts().any(|verdict| verdict == Verdict::Refuted) {
        Status::Refuted
    } else if verdicts().all(|verdict| verdict == Verdict::Proved) {
        Status::Success
    } else {
        Status::Unknown
    }
}
