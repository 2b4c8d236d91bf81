//! View of runs of a program: the JSON of `freeboard simulate`, and the contents of witnesses.

use serde::{Deserialize, Serialize};

/// The value of [`Simulation::schema`].
pub const SIMULATE_SCHEMA: &str = "freeboard.simulate/1";

/// The value of [`WitnessFile::schema`].
pub const WITNESS_SCHEMA: &str = "freeboard.witness/1";
/// Description of [`End::Deadlock`].
pub(crate) const DEADLOCK: &str = "no process can step, and all that are left wait";
/// Description of [`End::InvalidEndState`].
pub(crate) const INVALID_END: &str = "no process can step, and some wait where they may not rest";

/// An infinite execution (a lasso), or a finite one.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub struct Witness {
    /// The steps before the loop.
    pub prefix: Vec<WitnessStep>,
    /// The first round of the loop; empty if the run is finite.
    #[serde(rename = "loop", default)]
    pub pump: Vec<WitnessStep>,
    /// The buffers that grow in each round.
    #[serde(default)]
    pub grows: Vec<BufferGrowth>,
    /// The capacity of channels in the run, if it is limited.
    #[serde(default, skip_serializing_if = "Capacity::is_unbounded")]
    pub capacity: Capacity,
    /// The channels that have to be limited for this run, while the others are unbounded.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub limited: Vec<LimitedChannel>,
    /// `true` if prefix and first round are also possible with the declared capacities.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub as_declared: Option<bool>,
    /// The buffers that hold more messages in prefix and first round than are declared, with the
    /// most that they hold.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub needs: Vec<BufferLength>,
    /// `true` if rounds may differ in data that do not influence them: each takes the same edges,
    /// with other values.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub up_to_idle_data: bool,
    /// The steps of the prefix from which the loop consumes, if the loop cannot be repeated for
    /// ever by itself.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub supply: Option<Supply>,
    /// The `int` that the supply counts up, if the loop consumes a number and not messages.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub counter: Option<String>,
    /// Number of processes that each round leaves behind and that never move again: rounds take the
    /// same edges, by processes with other numbers.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub left_behind: usize,
}

/// Returns `true` for numbers that are left out of the JSON.
#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde asks for a reference")]
const fn is_zero(number: &usize) -> bool {
    *number == 0
}

/// Steps of a prefix that fill buffers from which the loop after it consumes. The more often they
/// are executed, the more often the loop can be.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub struct Supply {
    /// Number of steps of the prefix before the first round.
    pub first: usize,
    /// Number of steps of one round.
    pub steps: usize,
    /// Number of rounds in the prefix.
    pub times: usize,
}

/// A limited channel that makes sends wait in a run.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub struct LimitedChannel {
    /// The variable that declares it, after its process type and a dot if it is a local: `data`,
    /// `Client.reply`.
    pub name: String,
    /// Its declared capacity, in messages.
    pub capacity: u32,
}

/// The capacity of channels in a run.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Capacity {
    /// Unbounded.
    #[default]
    Unbounded,
    /// As declared in the model: a send may have to wait.
    Declared,
}

impl Capacity {
    /// Returns `true` if channels are unbounded.
    #[must_use]
    pub const fn is_unbounded(&self) -> bool {
        matches!(self, Self::Unbounded)
    }
}

/// Number of messages that each round adds to a buffer.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub struct BufferGrowth {
    /// The buffer's name.
    pub name: String,
    /// Number of messages.
    pub count: u32,
}

/// A witness in a file of its own, as `freeboard replay` reads it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub struct WitnessFile {
    /// Version of the format: [`WITNESS_SCHEMA`].
    pub schema: String,
    /// The model's file, as the user named it.
    #[serde(default)]
    pub file: String,
    /// The property that it refutes.
    #[serde(default)]
    pub property: Option<super::Property>,
    /// The execution.
    #[serde(flatten)]
    pub witness: Witness,
}

impl WitnessFile {
    /// The file for a witness that refutes a property of a model.
    #[must_use]
    pub fn new(file: &str, property: super::Property, witness: Witness) -> Self {
        Self { schema: WITNESS_SCHEMA.into(), file: file.into(), property: Some(property), witness }
    }

    /// Reads a witness from JSON.
    ///
    /// # Errors
    /// If the text is not valid JSON of this type (with the position), or has another schema.
    pub fn from_json(text: &str) -> Result<Self, serde_json::Error> {
        let file: Self = serde_json::from_str(text)?;
        if file.schema == WITNESS_SCHEMA {
            return Ok(file);
        }
        Err(serde::de::Error::custom(format!("the schema is `{}`, not `{WITNESS_SCHEMA}`", file.schema)))
    }
}

/// The value of [`Replay::schema`].
pub const REPLAY_SCHEMA: &str = "freeboard.replay/1";

/// The result of executing a witness step by step.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub struct Replay {
    /// Version of the format: [`REPLAY_SCHEMA`].
    pub schema: String,
    /// The model's file, as the user named it.
    pub file: String,
    /// `true` if the witness is a run, and the loop, if there is one, can be repeated for ever.
    pub accepted: bool,
    /// Number of rounds of the loop that were executed.
    pub rounds: usize,
    /// The reason why it is not accepted.
    pub reason: Option<String>,
    /// The witness, as executed; as read if it is not accepted.
    pub witness: Witness,
}

/// One step of an execution: a statement, or the end of a process. Where one step has several
/// statements (a rendezvous, a `d_step`), this is the first one, and the others are in
/// [`then`](Self::then).
///
/// A run-time error that occurs before any statement (in a `provided` clause) is a step without a
/// process: `process` and `text` are empty.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub struct WitnessStep {
    /// The process type.
    pub process: String,
    /// The process's number.
    pub pid: u32,
    /// The file.
    #[serde(default)]
    pub file: String,
    /// The line, counted from 1.
    pub line: u32,
    /// The statement on one line, as the user wrote it; `-end-` if the process terminates.
    pub text: String,
    /// The message that it puts into a channel, or hands over in a rendezvous.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub sent: Option<Message>,
    /// The message that it takes out of a channel, or takes over in a rendezvous; not one that it
    /// only reads.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub received: Option<Message>,
    /// The process that it creates.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub created: Option<Participant>,
    /// `true` if the process terminates.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub ended: bool,
    /// The buffers whose length this statement changes, with the length afterwards.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub buffers: Vec<BufferLength>,
    /// The other statements of the same step, in order: the receiver's of a rendezvous, the rest of
    /// a `d_step`. Their `then` and `errors` are empty.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub then: Vec<Self>,
    /// The run-time errors of the step, in order.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub errors: Vec<String>,
}

impl WitnessStep {
    /// All statements of the step, this one first.
    pub fn statements(&self) -> impl Iterator<Item = &Self> {
        std::iter::once(self).chain(&self.then)
    }
}

/// A message, and the channel that it is sent through.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub struct Message {
    /// The channel's name, as that of a buffer.
    pub channel: String,
    /// The fields as the user writes them: names of symbolic constants and channels, else numbers.
    pub fields: Vec<String>,
}

/// A process.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub struct Participant {
    /// The process type.
    pub process: String,
    /// The process's number.
    pub pid: u32,
}

/// Number of messages in a buffer.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub struct BufferLength {
    /// The buffer's name.
    pub name: String,
    /// Number of messages.
    pub length: usize,
}

/// The position of a process.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub struct Standing {
    /// The process type.
    pub process: String,
    /// The process's number.
    pub pid: u32,
    /// The file.
    pub file: String,
    /// The line of the next statement; of the first one, if there are several.
    pub line: u32,
    /// The possible next statements, separated by ` | `; `-end-` if the process has terminated.
    pub text: String,
    /// `true` if it may rest there for ever: it has terminated, or is at an `end` label.
    pub valid_end: bool,
}

/// A random run.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub struct Simulation {
    /// Version of the format: [`SIMULATE_SCHEMA`].
    pub schema: String,
    /// The file, as the user named it.
    pub file: String,
    /// The seed of the random choices.
    pub seed: u64,
    /// The steps.
    pub steps: Vec<WitnessStep>,
    /// The reason why the run ends.
    pub end: End,
    /// The positions of the processes at the end; empty if an error ended the run.
    pub processes: Vec<Standing>,
    /// The lengths of the buffers at the end; empty if an error ended the run.
    pub buffers: Vec<BufferLength>,
}

/// The reasons why a run ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum End {
    /// The requested number of steps was taken; the run might continue.
    Steps,
    /// No process can step, and each is in a location that is a valid end.
    ValidEnd,
    /// No process can step, and all that have not terminated wait.
    Deadlock,
    /// No process can step; some rest at an `end` label, others wait elsewhere.
    InvalidEndState,
    /// A run-time error.
    Error,
}
