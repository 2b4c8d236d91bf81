//! View of a check: plain data in the shape of the JSON of `freeboard check`, key by key.
//!
//! The format only grows: keys may be added, and existing keys keep their meaning. Numbers without
//! a limit (bounds, multiplicities, gains) are [`Number`]s of arbitrary precision.

mod answer;
mod argument;
mod as_declared;
mod build;
mod composition;
mod contract;
mod counterexample;
mod engines;
mod environment;
mod exploration;
mod files;
mod findings;
mod listing;
mod livelock;
mod loops;
mod names;
mod network;
mod report;
mod run;
mod sequence;
mod trace;
mod trust;
mod witness;

use serde::{Deserialize, Serialize};

pub use answer::BufferAnswer;
pub use argument::{Argument, CaseSummary, ConfigurationList, Weight, Weights, arguments};
pub use as_declared::{AsDeclared, AsDeclaredRuns, WaitingSend};
pub use build::{Subject, check, undecided};
pub use certify::Trusted;
pub use composition::{CLAUSES_SCHEMA, COMPOSITION_SCHEMA, ClauseListing, ComposedBuffer, Composition};
pub use contract::{Contract, ContractBound, InEnvironment};
pub use counterexample::step;
pub use engines::{EngineCall, EngineResult};
pub use environment::{ConditionListing, ConditionRow};
pub use exploration::{
    BufferMaximum, EXPLORE_SCHEMA, Exploration, ExplorationSubject, Finding, FindingKind, exploration,
};
pub use files::{CHECKS_SCHEMA, Checks, DiagnosticRow, DiagnosticSeverity, FileReport, diagnostics};
pub use findings::{ModelFinding, findings};
pub use listing::{CYCLES_SCHEMA, CycleListing, ProcessCycles};
pub use livelock::{LivelockRuns, LivelockSubject, livelock};
pub use loops::{LOOPS_SCHEMA, LoopListing, LoopRow, LoopVerdict};
pub use names::{declared_channel, declared_channels};
pub use network::{Channel, Machine, MachineTransition, Network, network};
pub use report::{Report, SourceText};
pub use run::{
    BufferGrowth, BufferLength, Capacity, End, LimitedChannel, Message, Participant, REPLAY_SCHEMA, Replay,
    SIMULATE_SCHEMA, Simulation, Standing, Supply, WITNESS_SCHEMA, Witness, WitnessFile, WitnessStep,
};
pub(crate) use run::{DEADLOCK, INVALID_END};
pub use sequence::{SimulationSubject, simulation, standing, steps};
pub use serde_json::Number;
pub use trace::{BufferContents, Trace, TraceState, trace_states};
pub(crate) use trust::{is_of_abstraction, is_search, is_told_elsewhere};
pub use witness::{Runs, witness};

/// The value of [`Check::schema`].
pub const SCHEMA: &str = "freeboard.check/1";

/// The result of a check.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub struct Check {
    /// Version of the format: [`SCHEMA`].
    pub schema: String,
    /// The file, as the user named it.
    pub file: String,
    /// One entry per property that was asked for.
    pub property_results: Vec<PropertyResult>,
    /// The assumptions: sentences without a full stop.
    pub assumptions: Vec<String>,
    /// The parts of the verdicts that no checker repeated, each once; empty if everything was
    /// checked, beginning with the text.
    #[serde(default)]
    pub trust: Vec<Trusted>,
    /// The places at which the result is coarser than it could be, because a limit was hit. They do
    /// not weaken a proof.
    #[serde(default)]
    pub approximations: Vec<String>,
    /// Findings about the model, in addition to the verdicts.
    #[serde(default)]
    pub findings: Vec<ModelFinding>,
    /// Sizes and times.
    pub statistics: Statistics,
}

/// The result for one property.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub struct PropertyResult {
    /// The property.
    pub property: Property,
    /// The set of runs that the verdict is about; left out if it is about all runs.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub fairness: Option<Fairness>,
    /// The verdict on the whole system.
    pub verdict: Verdict,
    /// One entry per buffer, rendezvous channels left out.
    pub buffers: Vec<Buffer>,
    /// The first of [`counterexamples`](Self::counterexamples).
    pub counterexample: Option<Counterexample>,
    /// Combinations of cycles that contradict the property, in the abstraction.
    #[serde(default)]
    pub counterexamples: Vec<Counterexample>,
    /// The first of [`witnesses`](Self::witnesses).
    pub witness: Option<Witness>,
    /// Executions of the model that refute the property, each in a buffer of its own.
    #[serde(default)]
    pub witnesses: Vec<Witness>,
    /// The refinements that excluded spurious counterexamples, in order.
    pub refinement: Vec<Refinement>,
    /// Further remarks: sentences without a full stop.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub notes: Vec<String>,
    /// The verdict in terms of the environment, if the model is open.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub contract: Option<Contract>,
    /// The parts of the verdict that no checker repeated.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub trust: Vec<Trusted>,
    /// The reason why the verdict is unknown, with advice.
    pub reason: Option<String>,
}

/// A property.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Property {
    /// No buffer grows without bound.
    Boundedness,
    /// Every infinite run makes progress for ever.
    Livelock,
}

/// The set of infinite runs that a verdict is about, if not all.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Fairness {
    /// Weakly fair runs: every process that can always step steps again and again.
    Weak,
}

/// A verdict on a system.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
#[non_exhaustive]
pub enum Verdict {
    /// The system has the property: a certificate has been checked, or a search that is listed
    /// among the [trusted](PropertyResult::trust) parts has established it.
    Proved,
    /// The system does not have the property, and a witness has been replayed.
    Refuted,
    /// Neither.
    Unknown,
}

/// A buffer.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub struct Buffer {
    /// Its name as a user would write it.
    pub name: String,
    /// The capacity that the model declares, in messages.
    pub declared: Option<u32>,
    /// The verdict on it.
    pub verdict: BufferVerdict,
    /// Proved upper bound on its length, with buffers taken as unbounded.
    pub bound: Option<Number>,
    /// Its true maximum, if exploration finished.
    pub exact: Option<Number>,
    /// The largest number of messages that it may hold according to the question.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub limit: Option<Number>,
    /// The result if each channel holds as many messages as are declared; `None` if no capacity is
    /// declared for it.
    #[serde(default)]
    pub as_declared: Option<AsDeclared>,
    /// Position in [`PropertyResult::counterexamples`] of a counterexample that makes it grow.
    #[serde(default)]
    pub counterexample: Option<usize>,
    /// Position in [`PropertyResult::witnesses`] of a witness in which it grows.
    #[serde(default)]
    pub witness: Option<usize>,
}

/// A verdict on a buffer.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
#[non_exhaustive]
pub enum BufferVerdict {
    /// It never holds more than its bound.
    Bounded,
    /// It exceeds any capacity, in a run that has been replayed.
    Unbounded,
    /// Neither has been established.
    Unknown,
}

/// A combination of cycles that can be repeated for ever in the abstraction.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub struct Counterexample {
    /// The cycles, and paths of processes that are created for ever.
    pub cycles: Vec<Cycle>,
    /// The messages that one round adds: all numbers positive.
    #[serde(default)]
    pub gains: Vec<Gain>,
    /// Names of the buffers that it makes grow.
    #[serde(default)]
    pub grows: Vec<String>,
}

/// One cycle of a counterexample.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub struct Cycle {
    /// The process class that runs it.
    pub process: String,
    /// The kind: cycle or path.
    #[serde(default)]
    pub kind: CycleKind,
    /// Number of times that it is run in one round.
    pub times: Number,
    /// Its statements, in order, including those that neither send nor receive.
    pub steps: Vec<Step>,
}

/// The kind of behaviour of a [`Cycle`].
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum CycleKind {
    /// It ends where it began.
    #[default]
    Cycle,
    /// It is run by a new process each time, from the initial state of that process on.
    Path,
}

/// One step of a cycle.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub struct Step {
    /// The file; empty if the system does not come from a text.
    #[serde(default)]
    pub file: String,
    /// The line, counted from 1; 0 if the system does not come from a text.
    pub line: u32,
    /// The statement on one line; the two states if the system does not come from a text.
    pub text: String,
    /// Its effects: sends (`+AB(a)`), receives (`-2 AB(a)`) and creations (`run P`), in order.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub effect: Vec<String>,
}

/// Number of messages of a type that a round adds.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub struct Gain {
    /// Full name of the message type: `AB(a)`.
    pub message: String,
    /// Number of messages.
    pub count: Number,
}

/// A refinement that excluded a spurious counterexample.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub struct Refinement {
    /// The strategy.
    pub strategy: String,
    /// The counterexample, in the abstraction of that time; the first one, if there were several.
    pub spurious: Option<Counterexample>,
    /// The reason why no execution corresponds to the counterexample.
    pub because: String,
    /// The change that excludes it from now on.
    pub excluded_by: String,
}

/// Sizes and times.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub struct Statistics {
    /// Number of process classes of the abstract system.
    pub processes: usize,
    /// Number of states of all classes.
    pub states: usize,
    /// Number of transitions of all classes.
    pub transitions: usize,
    /// Number of message types, including those of rendezvous channels.
    pub message_types: usize,
    /// Number of buffers, without rendezvous channels.
    pub buffers: usize,
    /// Number of elementary cycles with different effects, if they were listed.
    pub cycles: Option<usize>,
    /// The calls of engines behind the plain test, in order: the same whatever the machine does, if
    /// no time limit was over.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub engines: Vec<EngineCall>,
    /// Wall-clock times.
    pub seconds: Seconds,
}

/// Wall-clock times in seconds; 0 for phases that were not run.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub struct Seconds {
    /// Reading the text.
    pub parse: f64,
    /// Building the abstract system.
    #[serde(rename = "abstract")]
    pub abstraction: f64,
    /// Deciding the properties.
    pub solve: f64,
    /// Excluding spurious counterexamples.
    pub refine: f64,
    /// Searching concrete runs.
    pub search: f64,
    /// Total time.
    pub total: f64,
}
