//! What `freeboard check` has to say, in plain data: the shape of its JSON, key by key.
//!
//! The contract only grows: keys may be added, those that are here keep their meaning. Numbers that
//! have no limit (bounds, multiplicities, gains) are [`Number`]s of arbitrary precision.

mod as_declared;
mod build;
mod counterexample;
mod engines;
mod exploration;
mod findings;
mod listing;
mod livelock;
mod names;
mod run;
mod sequence;
mod trust;
mod witness;

use serde::{Deserialize, Serialize};

pub use as_declared::{AsDeclared, AsDeclaredRuns, WaitingSend};
pub use build::{Subject, check, undecided};
pub use certify::Trusted;
pub use counterexample::step;
pub use engines::{EngineCall, EngineResult};
pub use exploration::{
    BufferMaximum, EXPLORE_SCHEMA, Exploration, ExplorationSubject, Finding, FindingKind, exploration,
};
pub use findings::{ModelFinding, findings};
pub use listing::{CYCLES_SCHEMA, CycleListing, ProcessCycles};
pub use livelock::{LivelockRuns, LivelockSubject, livelock};
pub use names::{declared_channel, declared_channels};
pub use run::{
    BufferGrowth, BufferLength, Capacity, End, LimitedChannel, Message, Participant, REPLAY_SCHEMA, Replay,
    SIMULATE_SCHEMA, Simulation, Standing, Supply, WITNESS_SCHEMA, Witness, WitnessFile, WitnessStep,
};
pub(crate) use run::{DEADLOCK, INVALID_END};
pub use sequence::{SimulationSubject, simulation, standing, steps};
pub use serde_json::Number;
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
    /// What is taken for granted: sentences without a full stop.
    pub assumptions: Vec<String>,
    /// The parts of the verdicts that no checker repeated, each once; empty if all of them were
    /// checked from the text on.
    #[serde(default)]
    pub trust: Vec<Trusted>,
    /// Where the result is coarser than it could be, because a limit was hit. These take nothing
    /// from a proof.
    #[serde(default)]
    pub approximations: Vec<String>,
    /// What its author should know about the model beside the verdicts.
    #[serde(default)]
    pub findings: Vec<ModelFinding>,
    /// Sizes and times.
    pub statistics: Statistics,
}

/// The result for one property.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub struct PropertyResult {
    /// Which property.
    pub property: Property,
    /// Which runs the verdict is about; left out: all.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub fairness: Option<Fairness>,
    /// The verdict on the whole system.
    pub verdict: Verdict,
    /// One entry per buffer, rendezvous channels left out.
    pub buffers: Vec<Buffer>,
    /// The first of [`counterexamples`](Self::counterexamples).
    pub counterexample: Option<Counterexample>,
    /// Combinations of cycles that speak against the property, in the abstraction.
    #[serde(default)]
    pub counterexamples: Vec<Counterexample>,
    /// The first of [`witnesses`](Self::witnesses).
    pub witness: Option<Witness>,
    /// Executions of the model that refute the property, each in a buffer of its own.
    #[serde(default)]
    pub witnesses: Vec<Witness>,
    /// What was done about spurious counterexamples, in order.
    pub refinement: Vec<Refinement>,
    /// What else should be known: sentences without a full stop.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub notes: Vec<String>,
    /// The parts of the verdict that no checker repeated.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub trust: Vec<Trusted>,
    /// Why the verdict is unknown, and what would help.
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

/// Which infinite runs a verdict is about, if not all.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Fairness {
    /// Those in which every process that can always step steps again and again.
    Weak,
}

/// A verdict on a system.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Verdict {
    /// It has the property: a certificate that says so has been checked, or a search that stands
    /// among what is [trusted](PropertyResult::trust) has seen it.
    Proved,
    /// It has not, and a witness that shows it has been replayed.
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
    /// Proved upper bound on its length, buffers taken as unbounded.
    pub bound: Option<Number>,
    /// Its true maximum, where exploration finished.
    pub exact: Option<Number>,
    /// The most messages that it holds because the question limits it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub limit: Option<Number>,
    /// What is so when each channel holds as many messages as are declared; `None` if none is
    /// declared for it.
    #[serde(default)]
    pub as_declared: Option<AsDeclared>,
    /// Position in [`PropertyResult::counterexamples`] of one that makes it grow.
    #[serde(default)]
    pub counterexample: Option<usize>,
    /// Position in [`PropertyResult::witnesses`] of one in which it grows.
    #[serde(default)]
    pub witness: Option<usize>,
}

/// A verdict on a buffer.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum BufferVerdict {
    /// It never holds more than its bound.
    Bounded,
    /// It exceeds any capacity, in a run that has been replayed.
    Unbounded,
    /// Neither is known.
    Unknown,
}

/// A combination of cycles that can be repeated for ever, as far as the abstraction can tell.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub struct Counterexample {
    /// The cycles, and paths of processes that are created for ever.
    pub cycles: Vec<Cycle>,
    /// What one round adds: all positive.
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
    /// Cycle or path.
    #[serde(default)]
    pub kind: CycleKind,
    /// How often it is run in one round.
    pub times: Number,
    /// Its statements, in order, with those that neither send nor receive.
    pub steps: Vec<Step>,
}

/// What kind of behaviour a [`Cycle`] is.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum CycleKind {
    /// It ends where it began.
    #[default]
    Cycle,
    /// It is run by a new process each time, from the start of that process on.
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
    /// What it sends (`+AB(a)`), receives (`-2 AB(a)`) and creates (`run P`), in order.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub effect: Vec<String>,
}

/// How many messages of a type a round adds.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub struct Gain {
    /// Full name of the message type: `AB(a)`.
    pub message: String,
    /// How many.
    pub count: Number,
}

/// A counterexample that was found out to be spurious.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub struct Refinement {
    /// The strategy that did it.
    pub strategy: String,
    /// The counterexample, in the abstraction as it was then; of several the first one.
    pub spurious: Option<Counterexample>,
    /// Why no execution does that.
    pub because: String,
    /// What keeps it away from now on.
    pub excluded_by: String,
}

/// Sizes and times.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub struct Statistics {
    /// Process classes of the abstract system.
    pub processes: usize,
    /// States of all classes.
    pub states: usize,
    /// Transitions of all classes.
    pub transitions: usize,
    /// Message types, those of rendezvous channels too.
    pub message_types: usize,
    /// Buffers, without rendezvous channels.
    pub buffers: usize,
    /// Elementary cycles with different effects, where they were listed.
    pub cycles: Option<usize>,
    /// The calls of engines behind the plain test, in order: the same whatever the machine does, if
    /// no time limit was over.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub engines: Vec<EngineCall>,
    /// Wall-clock times.
    pub seconds: Seconds,
}

/// Wall-clock times in seconds; 0 for what was not done.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub struct Seconds {
    /// Reading the text.
    pub parse: f64,
    /// Making the abstract system.
    #[serde(rename = "abstract")]
    pub abstraction: f64,
    /// Deciding about it.
    pub solve: f64,
    /// Excluding spurious counterexamples.
    pub refine: f64,
    /// Searching concrete runs.
    pub search: f64,
    /// All of it.
    pub total: f64,
}
