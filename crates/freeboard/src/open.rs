//! The interface that a question gives to a program: which channels its environment uses.

use cfsm_core::clock::Instant;
use std::collections::BTreeSet;
use std::str::FromStr;

use abstraction::{Abstraction, Declaration, Precision, abstract_program};
use boundedness::{Contract, OpenSystem, Outcome};
use cfsm_core::program::{ChannelDeclaration, Program};
use cfsm_core::system::BufferId;
use closing::{Interface, InterfaceError, NotWritable, RangeAssumption, RangeError, close};
use report::view::{Check, InEnvironment};
use thiserror::Error;

#[cfg(feature = "promela")]
use crate::Failure;
use crate::environment_assumption::AssumptionError;
use crate::options::Options;

#[cfg(feature = "promela")]
use crate::comments::{Setting, settings, without_settings};

/// The word for all channels with one end only.
const AUTO: &str = "auto";
/// The word of a comment that names open channels.
#[cfg(feature = "promela")]
const WORD: &str = "open";

/// The channels that the environment uses; none by default. As text these are names with commas,
/// and `auto` for the global channels that are only sent to or only received from.
///
/// ```
/// use freeboard::OpenChannels;
///
/// let open: OpenChannels = "requests,answers[..]".parse()?;
/// assert_eq!(open.names.len(), 2);
/// # Ok::<(), freeboard::NoChannel>(())
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct OpenChannels {
    /// Names of global channels.
    pub names: BTreeSet<String>,
    /// `true` for those that are only sent to, or only received from, as well.
    pub half_used: bool,
    /// Assumptions on the values that the environment sends there.
    pub ranges: BTreeSet<RangeAssumption>,
    /// Files that stand behind the text, whose processes are all of the environment of the others.
    pub models: BTreeSet<String>,
}

/// A text that names no open channel.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("no channel is named: names of global channels with commas, or `auto`")]
pub struct NoChannel;

impl FromStr for OpenChannels {
    type Err = NoChannel;

    fn from_str(text: &str) -> Result<Self, NoChannel> {
        let names = text.split(',').map(str::trim).filter(|name| !name.is_empty());
        let (words, names): (Vec<&str>, Vec<&str>) = names.partition(|name| *name == AUTO);
        if words.is_empty() && names.is_empty() {
            return Err(NoChannel);
        }
        Ok(Self {
            names: names.into_iter().map(str::to_owned).collect(),
            half_used: !words.is_empty(),
            ..Self::default()
        })
    }
}

/// A comment in a text that names a channel that cannot be open.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("{file}:{line}: {error}")]
pub struct OpenComment {
    /// The text, as the user called it.
    pub file: String,
    /// The line, counted from 1.
    pub line: usize,
    /// The reason.
    pub error: InterfaceError,
}

/// A reason for which a program cannot be closed.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum OpenError {
    /// A name is that of no channel.
    #[error(transparent)]
    Interface(#[from] InterfaceError),
    /// An assumption on values is none about an open channel.
    #[error(transparent)]
    NoRange(#[from] RangeError),
    /// A contract would rest on values, which other parts need not keep to.
    #[error("`{text}`: no contract rests on the values that other parts send")]
    Range {
        /// The assumption.
        text: String,
    },
    /// A comment names no channel.
    #[error(transparent)]
    Comment(#[from] OpenComment),
    /// There is no channel that the environment uses.
    #[error("no channel is open: name some with --open, or in a comment `// freeboard: open NAME`")]
    Nothing,
    /// The environment cannot be written as text.
    #[error(transparent)]
    NotWritable(#[from] NotWritable),
    /// A name is that of no channel of machines.
    #[error("{}; there are {}", no_channel(name, *is_machine, closest.as_deref()), known.join(", "))]
    NoChannel {
        /// The name.
        name: String,
        /// `true` if it is that of a machine.
        is_machine: bool,
        /// The channel with the most similar name.
        closest: Option<String>,
        /// The channels that there are.
        known: Vec<String>,
    },
    /// A transition exchanges several messages, some of them with the environment.
    #[error(
        "a transition at `{state}` exchanges several messages at once, some of them with the environment: split it"
    )]
    SeveralMessages {
        /// Its source.
        state: String,
    },
    /// Messages on a channel name channels, which others may use then.
    #[error("messages on `{name}` have channels in them: what others do with these no contract says")]
    Channels {
        /// The channel.
        name: String,
    },
    /// Channels are used as numbers, so that others may come to use them.
    #[error(
        "channels are used as numbers, or numbers as channels: what others do with these no contract says"
    )]
    ChannelsAsNumbers,
    /// The program asks for more of other processes than their messages.
    #[error("{what} may be another thing beside other parts: no contract is made of a model that uses it")]
    Processes {
        /// The thing that it asks for.
        what: &'static str,
    },
    /// The system rests on an assumption on another environment.
    #[error("the system rests on the assumption `{name} >= 0` already: no contract is made of it")]
    Assumed {
        /// The data place.
        name: String,
    },
    /// A buffer of the abstraction stands for several channels.
    #[error("the elements of `{name}` are not told apart, so that no contract can be about them")]
    Merged {
        /// The buffer.
        name: String,
    },
    /// A limit was hit.
    #[error("nothing is known: {0}")]
    Stopped(#[from] ilp_encode::Stopped),
    /// An assumption on the environment cannot be made.
    #[error(transparent)]
    Assumption(#[from] AssumptionError),
    /// There is no abstraction, which would tell which channels have one end only.
    #[error(transparent)]
    Abstraction(#[from] abstraction::Error),
}

fn no_channel(name: &str, is_machine: bool, closest: Option<&str>) -> String {
    match (is_machine, closest) {
        (true, _) => format!("`{name}` is a machine: name channels of it, or a peer that is none"),
        (false, Some(closest)) => format!("there is no channel `{name}`; did you mean `{closest}`?"),
        (false, None) => format!("there is no channel or peer `{name}`"),
    }
}

impl OpenChannels {
    /// Returns `true` if nothing is open.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.names.is_empty() && !self.half_used
    }

    /// The channels of both.
    #[must_use]
    pub fn and(mut self, other: Self) -> Self {
        self.names.extend(other.names);
        self.ranges.extend(other.ranges);
        self.models.extend(other.models);
        Self { half_used: self.half_used || other.half_used, ..self }
    }

    /// The channels that comments of a Promela text name: `// freeboard: open requests, answers`,
    /// mostly beside a declaration. Spin takes no notice of them.
    ///
    /// # Errors
    /// If a name is not that of a global channel of the program, which was read from the text.
    #[cfg(feature = "promela")]
    pub fn in_comments(file: &str, text: &str, program: &Program) -> Result<Self, OpenComment> {
        let mut all = Self::default();
        for Setting { line, value } in settings(text, WORD) {
            let Ok(found) = value.parse::<Self>() else { continue };
            let named = Interface::named(program, found.names.iter().map(String::as_str));
            named.map_err(|error| OpenComment { file: file.to_owned(), line, error })?;
            all = all.and(found);
        }
        Ok(all)
    }

    /// The program with the most general environment for these channels.
    ///
    /// # Errors
    /// If a name is not that of a global channel, or there is no abstraction of the program.
    pub fn close(&self, program: &Program, options: &abstraction::Options) -> Result<Program, OpenError> {
        let mut closed = close(program, &self.interface(program, options)?);
        let outside =
            self.models.iter().map(|file| format!("outside is nothing but the processes of `{file}`"));
        closed.assumptions.extend(outside);
        Ok(closed)
    }

    /// The channels in a program.
    ///
    /// # Errors
    /// As [`close`](Self::close).
    pub fn interface(
        &self,
        program: &Program,
        options: &abstraction::Options,
    ) -> Result<Interface, OpenError> {
        let mut interface = Interface::named(program, self.names.iter().map(String::as_str))?;
        if !self.half_used {
            return Ok(interface.with_ranges(program, &self.ranges)?);
        }
        // What is behind a receive from a channel can be seen once the channel is open.
        loop {
            let closed = close(program, &interface);
            let found = abstraction::half_used_channels(&closed, &abstract_program(&closed, options)?);
            let known = interface.channels.len();
            interface.channels.extend(found);
            if interface.channels.len() == known {
                return Ok(interface.with_ranges(program, &self.ranges)?);
            }
        }
    }
}

/// A Promela text with the most general environment as one more process; `name` is what diagnostics
/// call the text. Comments in it that name open channels name none any more.
///
/// # Errors
/// [`Failure::Input`] if the text has errors, [`Failure::Open`] if no channel is open, or the
/// environment cannot be written down.
#[cfg(feature = "promela")]
pub fn close_promela(
    name: &str,
    text: &str,
    options: &promela_front::Options,
    open: &OpenChannels,
) -> Result<String, Failure> {
    let OpenProgram { program, interface } = OpenProgram::read(name, text, options, open)?;
    let environment = closing::promela(&program, &interface).map_err(OpenError::from)?;
    let text = without_settings(text, WORD);
    Ok(format!("{}\n\n/* The most general environment. */\n{environment}", text.trim_end()))
}

/// A program, and its interface, which is not empty.
#[cfg(feature = "promela")]
pub(crate) struct OpenProgram {
    /// The program, without an environment.
    pub(crate) program: Program,
    /// The open channels, of comments and of options.
    pub(crate) interface: Interface,
}

#[cfg(feature = "promela")]
impl OpenProgram {
    /// Reads a Promela text, some channels of which are open.
    ///
    /// # Errors
    /// If the text has errors, or no channel is open.
    pub(crate) fn read(
        name: &str,
        text: &str,
        options: &promela_front::Options,
        open: &OpenChannels,
    ) -> Result<Self, Failure> {
        let read = promela_front::parse(name, text, options);
        let Some(program) = read.program else {
            return Err(Failure::Input { diagnostics: read.diagnostics, sources: read.sources });
        };
        let of_text = OpenChannels::in_comments(name, text, &program).map_err(OpenError::from)?;
        let interface = of_text.and(open.clone()).interface(&program, &abstraction::Options::default())?;
        if interface.is_empty() {
            return Err(OpenError::Nothing.into());
        }
        Ok(Self { program, interface })
    }
}

/// The contract of an open program, if it is not proved bounded in every one. `None`
/// too if the program is not open.
pub(crate) fn contract(
    program: &Program,
    abstraction: &Abstraction,
    outcome: &Outcome,
    options: &Options,
    start: Instant,
) -> Option<Contract> {
    if program.environment.is_none() || outcome.verdict.is_proved() {
        return None;
    }
    let precision = abstraction.precision.clone();
    let how = abstraction::Options { precision, open_events: true, ..options.abstraction.clone() };
    let open = abstract_program(program, &how).ok()?;
    OpenSystem::new(&open.system, &open_buffers(program, &open)).contract(&options.boundedness(start))
}

/// The answer about an open program whose environment keeps to assumptions.
#[derive(Clone, Debug)]
pub struct Assumed {
    /// The abstraction, whose system has the environment as its last class.
    pub abstraction: Abstraction,
    /// The answer.
    pub outcome: Outcome,
    /// The assumptions, as the user wrote them.
    pub assumptions: Vec<String>,
}

/// Decides about an open program whose environment keeps to the assumptions of the options, by the
/// plain test and cases; with data places and pairs of processes if the first abstraction does not
/// do.
///
/// # Errors
/// If there is no abstraction, or an assumption cannot be made.
pub(crate) fn under_assumptions(
    program: &Program,
    options: &Options,
    start: Instant,
) -> Result<Assumed, OpenError> {
    if let (None, Some(first)) = (&program.environment, options.assumptions.first()) {
        return Err(AssumptionError::Closed { text: first.text.clone() }.into());
    }
    let precision = &options.abstraction.precision;
    let coarse = ask_under_assumptions(program, precision.clone(), options, start)?;
    if coarse.outcome.verdict.is_proved() {
        return Ok(coarse);
    }
    let fine = Precision { data_places: true, pairs: true, ..precision.clone() };
    ask_under_assumptions(program, fine, options, start)
}

fn ask_under_assumptions(
    program: &Program,
    precision: Precision,
    options: &Options,
    start: Instant,
) -> Result<Assumed, OpenError> {
    let how = abstraction::Options { precision, open_events: true, ..options.abstraction.clone() };
    let mut abstraction = abstract_program(program, &how)?;
    let open = OpenSystem::new(&abstraction.system, &open_buffers(program, &abstraction));
    let assumptions = options.assumptions.iter().map(|assumption| assumption.of(&abstraction.system, &open));
    let assumptions = assumptions.collect::<Result<Vec<_>, _>>()?;
    let system = open.with_environment(&assumptions);
    let outcome = boundedness::check(&system, &options.boundedness(start));
    let texts: Vec<String> = options.assumptions.iter().map(|assumption| assumption.text.clone()).collect();
    let told = texts.iter().map(|text| {
        format!(
            "at any time, `{text}`, in numbers of messages so far (of those that the environment takes, \
             those that the model has sent)"
        )
    });
    abstraction.assumptions.extend(told);
    abstraction.system = system;
    Ok(Assumed { abstraction, outcome, assumptions: texts })
}

/// The buffers of an abstraction that the environment uses.
pub(crate) fn open_buffers(program: &Program, abstraction: &Abstraction) -> BTreeSet<BufferId> {
    let is_open = |declaration: &Declaration| {
        let Declaration { process_type, variable, .. } = *declaration;
        program.is_open(ChannelDeclaration { owner: process_type, variable })
    };
    abstraction.declarations.iter().filter(|(_, from)| is_open(from)).map(|(id, _)| id).collect()
}

/// Views of programs that may be open.
pub(crate) trait InOpenProgram {
    /// The view in terms of the environment, if the program is open.
    fn in_environment(self, program: &Program, environment: InEnvironment<'_>) -> Self;
}

impl InOpenProgram for Check {
    fn in_environment(self, program: &Program, environment: InEnvironment<'_>) -> Self {
        match &program.environment {
            Some(own) => self.of_open_model(InEnvironment { values: &own.assumptions, ..environment }),
            None => self,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_and_auto() {
        let open: OpenChannels = "a, b[..],auto".parse().unwrap();
        assert_eq!(open.names, ["a", "b[..]"].map(str::to_owned).into());
        assert!(open.half_used);
        assert_eq!(",".parse::<OpenChannels>(), Err(NoChannel));
    }
}
