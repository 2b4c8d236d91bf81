//! Runs of a program: what `freeboard simulate` has to say, and of what witnesses consist.

use serde::{Deserialize, Serialize};

/// The value of [`Simulation::schema`].
pub const SIMULATE_SCHEMA: &str = "freeboard.simulate/1";

/// The value of [`WitnessFile::schema`].
pub const WITNESS_SCHEMA: &str = "freeboard.witness/1";
/// What [`End::Deadlock`] is.
pub(crate) const DEADLOCK: &str = "no process can step, and all that are left wait";
/// What [`End::InvalidEndState`] is.
pub(crate) const INVALID_END: &str = "no process can step, and some wait where they may not rest";

/// An execution that goes on for ever.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub struct Witness {
    /// What comes first.
    pub prefix: Vec<WitnessStep>,
    /// What is repeated then: the first round. Empty if the run has an end.
    #[serde(rename = "loop", default)]
    pub pump: Vec<WitnessStep>,
    /// The buffers that each round adds messages to.
    #[serde(default)]
    pub grows: Vec<BufferGrowth>,
    /// How many messages channels hold in it, if it is not any number.
    #[serde(default, skip_serializing_if = "Capacity::is_unbounded")]
    pub capacity: Capacity,
    /// The channels that it needs to be limited, if the others hold any number.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub limited: Vec<LimitedChannel>,
    /// Whether prefix and first round are possible with the declared capacities, too.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub as_declared: Option<bool>,
    /// Whether rounds may differ in data that decide nothing in them: the same edges are taken in
    /// each, with other values.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub up_to_idle_data: bool,
    /// The steps of the prefix that the loop lives on, if it does not go on for ever by itself.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub supply: Option<Supply>,
    /// The `int` that the supply counts up, if the loop lives on a number and not on messages.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub counter: Option<String>,
    /// How many processes each round leaves behind that never move again: rounds take the same
    /// edges, by processes with other numbers.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub left_behind: usize,
}

/// Whether a number is left out of JSON.
#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde asks for a reference")]
const fn is_zero(number: &usize) -> bool {
    *number == 0
}

/// Steps of a prefix that fill buffers which the loop behind it takes from. The more often they are
/// executed, the more often the loop can be.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub struct Supply {
    /// Steps of the prefix that come first.
    pub first: usize,
    /// Steps of one round.
    pub steps: usize,
    /// Rounds in the prefix.
    pub times: usize,
}

/// A channel that makes sends wait in a run.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub struct LimitedChannel {
    /// The variable that declares it, after its process type and a dot if it is a local: `data`,
    /// `Client.reply`.
    pub name: String,
    /// How many messages it holds, as declared.
    pub capacity: u32,
}

/// How many messages channels hold in a run.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Capacity {
    /// Any number.
    #[default]
    Unbounded,
    /// As many as the model says: a send may have to wait.
    Declared,
}

impl Capacity {
    /// Whether it is any number.
    #[must_use]
    pub const fn is_unbounded(&self) -> bool {
        matches!(self, Self::Unbounded)
    }
}

/// How many messages each round adds to a buffer.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub struct BufferGrowth {
    /// The buffer's name.
    pub name: String,
    /// Messages.
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
    /// As in [`Witness`].
    pub prefix: Vec<WitnessStep>,
    /// As in [`Witness`].
    #[serde(rename = "loop", default)]
    pub pump: Vec<WitnessStep>,
    /// As in [`Witness`].
    #[serde(default)]
    pub grows: Vec<BufferGrowth>,
    /// As in [`Witness`].
    #[serde(default, skip_serializing_if = "Capacity::is_unbounded")]
    pub capacity: Capacity,
    /// As in [`Witness`].
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub limited: Vec<LimitedChannel>,
    /// As in [`Witness`].
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub as_declared: Option<bool>,
    /// As in [`Witness`].
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub up_to_idle_data: bool,
    /// As in [`Witness`].
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub supply: Option<Supply>,
    /// As in [`Witness`].
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub counter: Option<String>,
    /// As in [`Witness`].
    #[serde(default, skip_serializing_if = "is_zero")]
    pub left_behind: usize,
}

impl WitnessFile {
    /// The file for a witness that refutes a property of a model.
    #[must_use]
    pub fn new(file: &str, property: super::Property, witness: Witness) -> Self {
        let Witness {
            prefix,
            pump,
            grows,
            capacity,
            limited,
            as_declared,
            up_to_idle_data,
            supply,
            counter,
            left_behind,
        } = witness;
        Self {
            schema: WITNESS_SCHEMA.into(),
            file: file.into(),
            property: Some(property),
            prefix,
            pump,
            grows,
            capacity,
            limited,
            as_declared,
            up_to_idle_data,
            supply,
            counter,
            left_behind,
        }
    }

    /// The execution alone.
    #[must_use]
    pub fn into_witness(self) -> Witness {
        let Self {
            prefix,
            pump,
            grows,
            capacity,
            limited,
            as_declared,
            up_to_idle_data,
            supply,
            counter,
            left_behind,
            ..
        } = self;
        Witness {
            prefix,
            pump,
            grows,
            capacity,
            limited,
            as_declared,
            up_to_idle_data,
            supply,
            counter,
            left_behind,
        }
    }

    /// Reads a witness from JSON.
    ///
    /// # Errors
    /// What is wrong with the text, and where; or that it is of another format.
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

/// A witness that was executed step by step, or could not be.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub struct Replay {
    /// Version of the format: [`REPLAY_SCHEMA`].
    pub schema: String,
    /// The model's file, as the user named it.
    pub file: String,
    /// Whether it is a run, and the loop, if there is one, can be repeated for ever.
    pub accepted: bool,
    /// How many rounds of the loop were executed.
    pub rounds: usize,
    /// Why it is not accepted.
    pub reason: Option<String>,
    /// The witness, as executed; as read if it is not accepted.
    pub witness: Witness,
}

/// One step of an execution: a statement, or the end of a process. Where one step has several
/// statements (a rendezvous, a `d_step`), this is the first one, and the others are in
/// [`then`](Self::then).
///
/// A run-time error in what is asked before any statement (a `provided`) is a step of nobody:
/// `process` and `text` are empty.
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
    /// The statement on one line, as the user wrote it; `-end-` if the process has come to its end
    /// and dies.
    pub text: String,
    /// What it puts into a channel, or hands over in a rendezvous.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub sent: Option<Message>,
    /// What it takes out of a channel, or takes over in a rendezvous. Not what it only looks at.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub received: Option<Message>,
    /// The process that it creates.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub created: Option<Participant>,
    /// Whether the process dies.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub ended: bool,
    /// The buffers whose length this statement changes, and how long they are behind it.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub buffers: Vec<BufferLength>,
    /// The other statements of the same step, in order: the receiver's of a rendezvous, the rest of
    /// a `d_step`. They have no statements behind them and no errors of their own.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub then: Vec<Self>,
    /// What goes wrong in the step, in order.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub errors: Vec<String>,
}

impl WitnessStep {
    /// All statements of the step, this one first.
    pub fn statements(&self) -> impl Iterator<Item = &Self> {
        std::iter::once(self).chain(&self.then)
    }
}

/// A message, and the channel it goes through.
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

/// How many messages a buffer holds.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub struct BufferLength {
    /// The buffer's name.
    pub name: String,
    /// Messages in it.
    pub length: usize,
}

/// Where a process is.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub struct Standing {
    /// The process type.
    pub process: String,
    /// The process's number.
    pub pid: u32,
    /// The file.
    pub file: String,
    /// The line of the statement that may be next, the first one if there are several.
    pub line: u32,
    /// The statements that may be next, with ` | ` between them; `-end-` if the process has come to
    /// its end.
    pub text: String,
    /// Whether it may rest there for ever: it has come to its end, or is at an `end` label.
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
    /// What the choices follow from.
    pub seed: u64,
    /// The steps.
    pub steps: Vec<WitnessStep>,
    /// Why there are no more.
    pub end: End,
    /// Where the processes are at the end; empty if an error ended the run.
    pub processes: Vec<Standing>,
    /// How many messages the buffers hold at the end; empty if an error ended the run.
    pub buffers: Vec<BufferLength>,
}

/// Why a run ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum End {
    /// As many steps as were asked for; the run could go on, or might.
    Steps,
    /// No process can step, and each is where it may rest for ever.
    ValidEnd,
    /// No process can step, and all that have not come to their end wait.
    Deadlock,
    /// No process can step; some rest at an `end` label, others wait elsewhere.
    InvalidEndState,
    /// A run-time error.
    Error,
}
