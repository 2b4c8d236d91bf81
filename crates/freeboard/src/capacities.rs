//! Limits that a question sets: channels whose senders wait for room, or lose what finds none.

use std::collections::{BTreeMap, BTreeSet};
use std::num::NonZeroU32;
use std::str::FromStr;

use cfsm_core::program::{ChannelDeclaration, FixedLimit, Program, WhenFull};
use cfsm_core::system::{BufferId, BufferKind, System};
use thiserror::Error;

#[cfg(feature = "promela")]
use crate::comments::{Setting, settings};

/// The channels that a question limits. The others are unlimited, or limited as declared, in any
/// combination.
///
/// As text: `unbounded` limits none, `declared` all, and `NAME=N` or `NAME=declared` one; with
/// `,lossy` behind it, what finds no room there is lost. Several stand one behind the other, with
/// commas:
///
/// ```
/// use freeboard::Capacities;
///
/// let capacities: Capacities = "board=declared,log=64,lossy".parse()?;
/// assert_eq!(capacities.channels.len(), 2);
/// # Ok::<(), freeboard::CapacityError>(())
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Capacities {
    /// Whether all channels that are not named below are limited as declared; `Some(false)` takes
    /// back what was set before.
    pub all_declared: Option<bool>,
    /// Channels by name: `toServer`, `Client.reply` or `reply`, with all elements of an array.
    pub channels: BTreeMap<String, ChannelCapacity>,
}

/// The limit of a channel.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ChannelCapacity {
    /// How many messages it holds; `None`: as many as are declared.
    pub size: Option<NonZeroU32>,
    /// The fate of a message that finds no room.
    pub when_full: WhenFull,
}

/// A limit that cannot be set.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum CapacityError {
    /// The text is none.
    #[error(
        "`{text}` is no capacity: `unbounded`, `declared`, `NAME=N` or `NAME=declared` is one, with `,lossy` behind it if messages that find no room are lost"
    )]
    Text {
        /// The part that is not understood.
        text: String,
    },
    /// There is no channel of that name.
    #[error("there is no channel `{name}` that could be limited; {}", known_names(known))]
    Unknown {
        /// The name.
        name: String,
        /// The channels that there are.
        known: Vec<String>,
    },
    /// A channel is to be limited as declared, and nothing is declared.
    #[error("no capacity is declared for `{name}`: say `{name}=N`")]
    Undeclared {
        /// The channel.
        name: String,
    },
    /// Buffers of machines lose nothing.
    #[error(
        "`{name}` cannot be lossy: machines are taken to lose no message. A transition without the send, beside it, says that it may be lost"
    )]
    Lossy {
        /// The buffer.
        name: String,
    },
}

fn known_names(known: &[String]) -> String {
    match known {
        [] => "there are none, as a rendezvous holds nothing".into(),
        known => format!("there are {}", known.join(", ")),
    }
}

impl FromStr for Capacities {
    type Err = CapacityError;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let mut all = Self::default();
        let mut last: Option<String> = None;
        for part in text.split(',').map(str::trim) {
            let wrong = || CapacityError::Text { text: part.to_owned() };
            match (part, part.split_once('=')) {
                ("unbounded", _) => all = Self { all_declared: Some(false), ..Self::default() },
                ("declared", _) => all.all_declared = Some(true),
                ("lossy", _) => {
                    let limit = last.as_ref().and_then(|name| all.channels.get_mut(name));
                    limit.ok_or_else(wrong)?.when_full = WhenFull::Lose;
                }
                (_, Some((name, size))) if !name.trim().is_empty() => {
                    let size = match size.trim() {
                        "declared" => None,
                        size => Some(size.parse().map_err(|_| wrong())?),
                    };
                    let name = name.trim().to_owned();
                    let when_full = WhenFull::Wait;
                    all.channels.insert(name.clone(), ChannelCapacity { size, when_full });
                    last = Some(name);
                }
                _ => return Err(wrong()),
            }
        }
        Ok(all)
    }
}

/// The word of a comment that sets limits; they follow.
#[cfg(feature = "promela")]
const WORD: &str = "capacity";

/// A comment in a text that sets no limits, though it means to.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("{file}:{line}: {error}")]
pub struct CapacityComment {
    /// The text, as the user called it.
    pub file: String,
    /// The line, counted from 1.
    pub line: usize,
    /// The reason.
    pub error: CapacityError,
}

impl Capacities {
    /// The limits that comments of a Promela text set: `// freeboard: capacity board=declared`,
    /// mostly beside a declaration. Spin takes no notice of them.
    ///
    /// # Errors
    /// If what follows the words is no limit.
    #[cfg(feature = "promela")]
    pub fn in_comments(file: &str, text: &str) -> Result<Self, CapacityComment> {
        let mut all = Self::default();
        for Setting { line, value } in settings(text, WORD) {
            let found =
                value.parse().map_err(|error| CapacityComment { file: file.to_owned(), line, error })?;
            all = all.and(found);
        }
        Ok(all)
    }

    /// Whether no channel is limited.
    #[must_use]
    pub fn is_unlimited(&self) -> bool {
        self.all_declared != Some(true) && self.channels.is_empty()
    }

    /// Adds what another one sets, which goes before what this one says.
    #[must_use]
    pub fn and(mut self, other: Self) -> Self {
        if other.all_declared == Some(false) {
            return other;
        }
        self.all_declared = other.all_declared.or(self.all_declared);
        self.channels.extend(other.channels);
        self
    }

    /// Sets the limits of a program's channels.
    ///
    /// # Errors
    /// If a name is that of no channel, or nothing is declared for it. The program is unchanged
    /// then.
    pub fn limit_program(&self, program: &mut Program) -> Result<(), CapacityError> {
        let channels = program.buffered_channels();
        let named = |channel: &ChannelDeclaration| channel_name(program, *channel);
        let mut limits: BTreeMap<ChannelDeclaration, ChannelCapacity> = BTreeMap::new();
        if self.all_declared == Some(true) {
            let declared = channels.iter().filter(|channel| program.declared_capacity(**channel).is_some());
            let limit = ChannelCapacity { size: None, when_full: WhenFull::Wait };
            limits.extend(declared.map(|channel| (*channel, limit)));
        }
        for (name, limit) in &self.channels {
            let is_meant = |channel: &&ChannelDeclaration| {
                let full = named(channel);
                full == *name || full.rsplit_once('.').is_some_and(|(_, local)| local == name)
            };
            // A global hides locals of its name.
            let global = |channel: &&ChannelDeclaration| channel.owner.is_none() && named(channel) == *name;
            let mut meant: BTreeSet<ChannelDeclaration> = channels.iter().filter(global).copied().collect();
            if meant.is_empty() {
                meant = channels.iter().filter(is_meant).copied().collect();
            }
            if meant.is_empty() {
                let known = channels.iter().map(named).collect();
                return Err(CapacityError::Unknown { name: name.clone(), known });
            }
            limits.extend(meant.into_iter().map(|channel| (channel, *limit)));
        }
        let mut fixed = Vec::new();
        for (channel, ChannelCapacity { size, when_full }) in limits {
            let declared = program.declared_capacity(channel).and_then(NonZeroU32::new);
            let size =
                size.or(declared).ok_or_else(|| CapacityError::Undeclared { name: named(&channel) })?;
            fixed.push((channel, FixedLimit { size, when_full }));
        }
        for (channel, limit) in fixed {
            if let Some(shape) = program.channel_shape_mut(channel) {
                shape.limit = Some(limit);
            }
        }
        Ok(())
    }

    /// Sets the limits of a system's buffers.
    ///
    /// # Errors
    /// If a name is that of no buffer, nothing is declared for it, or it is to lose messages. The
    /// system is unchanged then.
    pub fn limit_system(&self, system: &mut System) -> Result<(), CapacityError> {
        let queues = system.buffers.iter().filter(|(_, buffer)| buffer.kind == BufferKind::Queue);
        let queues: BTreeMap<&str, BufferId> =
            queues.map(|(id, buffer)| (buffer.name.as_str(), id)).collect();
        let declared = |id: BufferId| system.buffers[id].declared.filter(|size| *size > 0);
        let mut limits: BTreeMap<BufferId, u32> = BTreeMap::new();
        if self.all_declared == Some(true) {
            limits.extend(queues.values().filter_map(|id| Some((*id, declared(*id)?))));
        }
        for (name, limit) in &self.channels {
            let Some(&id) = queues.get(name.as_str()) else {
                let known = queues.keys().map(|name| (*name).to_owned()).collect();
                return Err(CapacityError::Unknown { name: name.clone(), known });
            };
            if limit.when_full == WhenFull::Lose {
                return Err(CapacityError::Lossy { name: name.clone() });
            }
            let size = limit.size.map(NonZeroU32::get).or_else(|| declared(id));
            limits.insert(id, size.ok_or_else(|| CapacityError::Undeclared { name: name.clone() })?);
        }
        for (id, size) in limits {
            system.limit(id, size.into());
        }
        Ok(())
    }
}

/// `toServer`, or `Client.reply` for a local one.
fn channel_name(program: &Program, channel: ChannelDeclaration) -> String {
    match channel.owner {
        None => program.globals[channel.variable].name.clone(),
        Some(owner) => {
            let process = &program.types[owner];
            format!("{}.{}", process.name, process.locals[channel.variable].name)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parsed(text: &str) -> Capacities {
        text.parse().unwrap()
    }

    #[test]
    fn words_and_names() {
        assert!(parsed("unbounded").is_unlimited());
        assert_eq!(parsed("declared").all_declared, Some(true));
        assert!(parsed("declared,a=3").and(parsed("unbounded")).is_unlimited());
        let several = parsed("a=3, lossy, P.b=declared");
        assert_eq!(several.channels["a"].when_full, WhenFull::Lose);
        assert_eq!(several.channels["P.b"], ChannelCapacity { size: None, when_full: WhenFull::Wait });
        for wrong in ["", "a", "a=", "a=0", "=3", "lossy", "declared,lossy", "a=-1"] {
            assert!(wrong.parse::<Capacities>().is_err(), "{wrong}");
        }
    }

    #[test]
    #[cfg(feature = "promela")]
    fn limits_in_comments() {
        let text = "chan a = [4] of { bit }; // freeboard: capacity a=declared
            /* freeboard: capacity b=2,lossy */ init { printf(\"// freeboard: capacity c=1 \\\" /*\") }
            // freeboard: capacity d=9";
        let found = Capacities::in_comments("m.pml", text).unwrap();
        assert_eq!(found.channels.keys().collect::<Vec<_>>(), ["a", "b", "d"]);
        assert_eq!(found.channels["b"].when_full, WhenFull::Lose);
        let wrong = Capacities::in_comments("m.pml", "\n// freeboard: capacity nothing").unwrap_err();
        assert_eq!(wrong.line, 2);
        assert!(wrong.to_string().starts_with("m.pml:2: `nothing` is no capacity"));
    }

    #[test]
    #[cfg(feature = "promela")]
    fn channels_by_name() {
        let text = "chan a[2] = [4] of { bit }; chan b = [0] of { bit };
            active proctype P() { chan d = [2] of { bit }; chan c = [3] of { bit }; d!1; c!1 }
            active proctype Q() { chan d = [5] of { bit }; d!1 }";
        let read = promela_front::parse("m.pml", text, &promela_front::Options::default());
        let program = read.program.unwrap_or_else(|| panic!("{:?}", read.diagnostics));
        let limits = |text: &str| {
            let mut program = program.clone();
            parsed(text).limit_program(&mut program)?;
            let channels = program.buffered_channels().into_iter();
            Ok(channels.map(|channel| program.fixed_limit(channel).map(|limit| limit.size.get())).collect())
        };
        let some = |limits: [Option<u32>; 4]| Ok(limits.to_vec());
        assert_eq!(limits("a=9"), some([Some(9), None, None, None]));
        assert_eq!(limits("P.d=declared"), some([None, Some(2), None, None]));
        assert_eq!(limits("d=1"), some([None, Some(1), None, Some(1)]));
        assert_eq!(limits("declared,c=7"), some([Some(4), Some(2), Some(7), Some(5)]));
        let known = ["a", "P.d", "P.c", "Q.d"].map(str::to_owned).to_vec();
        assert_eq!(limits("b=1"), Err(CapacityError::Unknown { name: "b".into(), known }));
    }
}
