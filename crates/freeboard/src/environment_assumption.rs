//! Assumptions of a question on the environment: linear inequalities between numbers of messages.

use std::collections::{BTreeMap, BTreeSet};
use std::str::FromStr;

use boundedness::{Assumption, OpenSystem};
use cfsm_core::system::{MessageId, System};
use thiserror::Error;

/// A linear inequality between the numbers of messages that the environment has sent and taken, at
/// any time of a run.
///
/// As text: sums of channels, or of messages in them, with factors.
///
/// ```
/// use freeboard::EnvironmentAssumption;
///
/// let assumption: EnvironmentAssumption = "in(req) <= 2*out + 3".parse()?;
/// assert_eq!(assumption.at_most, 3);
/// assert_eq!(assumption.taken["out"], 2);
/// # Ok::<(), freeboard::AssumptionError>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct EnvironmentAssumption {
    /// As the user wrote it.
    pub text: String,
    /// Factors of channels and messages that the environment sends, by name.
    pub sent: BTreeMap<String, u32>,
    /// Factors of those that it takes: answers, which the model has sent. The same name may be in
    /// both, as what is sent is not what is taken.
    pub taken: BTreeMap<String, u32>,
    /// The greatest value of the sum.
    pub at_most: i64,
}

/// An assumption that cannot be made.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum AssumptionError {
    /// The text is no inequality.
    #[error("`{text}` is no assumption: `in - out <= 3` or `2*out >= in(req) - 4` is one")]
    Text {
        /// The text.
        text: String,
    },
    /// A name is that of no message of the interface.
    #[error(
        "`{name}` is no open channel or message; the environment sends {}, and takes {}",
        listed(sent),
        listed(taken)
    )]
    Unknown {
        /// The name.
        name: String,
        /// The messages that the environment may send.
        sent: Vec<String>,
        /// The messages that it may take.
        taken: Vec<String>,
    },
    /// It counts as answers what the environment sends.
    #[error(
        "`{name}` is sent by the environment: only what it takes can count as answers, which is {}",
        listed(taken)
    )]
    Sent {
        /// The channel or message.
        name: String,
        /// The messages that it may take.
        taken: Vec<String>,
    },
    /// It limits messages that the model sends to itself as well.
    #[error("`{name}` cannot be limited: the model sends such messages there itself")]
    Own {
        /// The channel or message.
        name: String,
    },
    /// It limits what the environment takes.
    #[error(
        "`{name}` is sent to the environment, which may take it or not: only what it sends can be limited"
    )]
    Taken {
        /// The channel or message.
        name: String,
    },
    /// It does not hold at the start.
    #[error("`{text}` does not hold at the start, when no message has been sent")]
    Broken {
        /// The text.
        text: String,
    },
    /// A factor is too large.
    #[error("a factor of `{text}` is beyond 2^32")]
    Large {
        /// The text.
        text: String,
    },
    /// There is no interface.
    #[error("`{text}` is about an environment, and no channel is open: name some with --open")]
    Closed {
        /// The text.
        text: String,
    },
}

fn listed(names: &[String]) -> String {
    if names.is_empty() { "nothing".into() } else { names.join(", ") }
}

impl FromStr for EnvironmentAssumption {
    type Err = AssumptionError;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let wrong = || AssumptionError::Text { text: text.to_owned() };
        let (less, more) = match (text.split_once("<="), text.split_once(">=")) {
            (Some((less, more)), None) | (None, Some((more, less))) => (less, more),
            _ => return Err(wrong()),
        };
        let (less, more) = (Sum::read(less).ok_or_else(wrong)?, Sum::read(more).ok_or_else(wrong)?);
        let large = || AssumptionError::Large { text: text.to_owned() };
        let at_most = more.constant.checked_sub(less.constant).ok_or_else(large)?;
        let sent = together([less.added, more.subtracted]).ok_or_else(large)?;
        let taken = together([less.subtracted, more.added]).ok_or_else(large)?;
        Ok(Self { text: text.trim().to_owned(), sent, taken, at_most })
    }
}

/// One side of an inequality.
#[derive(Default)]
struct Sum {
    added: Vec<Term>,
    subtracted: Vec<Term>,
    constant: i64,
}

/// A name with its factor.
struct Term {
    name: String,
    factor: u32,
}

/// The factors of terms, by name; `None` if one is too large.
fn together(terms: [Vec<Term>; 2]) -> Option<BTreeMap<String, u32>> {
    let mut factors: BTreeMap<String, u32> = BTreeMap::new();
    for Term { name, factor } in terms.into_iter().flatten() {
        let sum = factors.entry(name).or_default();
        *sum = sum.checked_add(factor)?;
    }
    factors.retain(|_, factor| *factor > 0);
    Some(factors)
}

impl Sum {
    /// Reads `2*in(req) - out + 3`.
    fn read(text: &str) -> Option<Self> {
        let mut sum = Self::default();
        let mut rest = text.trim();
        let mut sign = 1;
        let mut is_first = true;
        while !rest.is_empty() {
            match rest
                .strip_prefix('+')
                .map(|rest| (1, rest))
                .or_else(|| rest.strip_prefix('-').map(|rest| (-1, rest)))
            {
                Some((found, behind)) => (sign, rest) = (found, behind.trim_start()),
                None if is_first => {}
                None => return None,
            }
            is_first = false;
            let digits = rest.len() - rest.trim_start_matches(|c: char| c.is_ascii_digit()).len();
            let number: Option<i64> = (digits > 0).then(|| rest[..digits].parse().ok()).flatten();
            if digits > 0 && number.is_none() {
                return None;
            }
            rest = rest[digits..].trim_start();
            let has_star = rest.starts_with('*');
            rest = rest.strip_prefix('*').map_or(rest, str::trim_start);
            let name = name(rest);
            rest = rest[name.len()..].trim_start();
            match (name.is_empty(), number) {
                (true, Some(number)) if !has_star => {
                    sum.constant = sum.constant.checked_add(sign * number)?
                }
                (true, _) => return None,
                (false, _) if has_star && number.is_none() => return None,
                (false, number) => {
                    let factor = u32::try_from(number.unwrap_or(1)).ok()?;
                    let terms = if sign > 0 { &mut sum.added } else { &mut sum.subtracted };
                    terms.push(Term { name: name.to_owned(), factor });
                }
            }
        }
        (!is_first).then_some(sum)
    }
}

/// The name at the start of a text: `in`, `in[2]`, `P.in(req,_)`, `P->Q(req)`.
fn name(text: &str) -> &str {
    const ARROW: &str = "->";
    let is_letter = |c: char| c.is_alphanumeric() || matches!(c, '_' | '.' | '[' | ']');
    let end = |text: &str| text.len() - text.trim_start_matches(is_letter).len();
    let first = end(text);
    let word = match text[first..].strip_prefix(ARROW) {
        Some(second) if first > 0 && end(second) > 0 => first + ARROW.len() + end(second),
        _ => first,
    };
    if !text.starts_with(|c: char| c.is_alphabetic() || c == '_') {
        return "";
    }
    match text[word..].strip_prefix('(').and_then(|inside| inside.find(')')) {
        Some(end) => &text[..word + end + 2],
        None => &text[..word],
    }
}

impl EnvironmentAssumption {
    /// The assumption about the messages of a system.
    ///
    /// # Errors
    /// If a name is not that of an open channel, or it limits what the environment takes, or it is
    /// broken from the start.
    pub(crate) fn of(&self, system: &System, open: &OpenSystem<'_>) -> Result<Assumption, AssumptionError> {
        let text = || self.text.clone();
        let slack = u64::try_from(self.at_most).map_err(|_| AssumptionError::Broken { text: text() })?;
        let mut assumption = Assumption { slack, ..Assumption::default() };
        let names = |ids: &BTreeSet<MessageId>| ids.iter().map(|id| system.message_name(*id)).collect();
        let unknown = |name: &String| AssumptionError::Unknown {
            name: name.clone(),
            sent: names(open.sent()),
            taken: names(open.taken()),
        };
        let large = || AssumptionError::Large { text: text() };
        for (name, factor) in &self.sent {
            let named = Named::new(name);
            let is_taken = open.taken().iter().any(|id| named.has_channel(system, *id));
            let messages: Vec<MessageId> =
                open.sent().iter().copied().filter(|id| named.has_only(system, *id)).collect();
            if messages.is_empty() {
                return Err(if is_taken {
                    AssumptionError::Taken { name: name.clone() }
                } else {
                    unknown(name)
                });
            }
            if messages.iter().all(|message| open.taken().contains(message)) {
                return Err(AssumptionError::Own { name: name.clone() });
            }
            for message in messages {
                add(&mut assumption.sent, message, *factor).ok_or_else(large)?;
            }
        }
        for (name, factor) in &self.taken {
            let named = Named::new(name);
            let of_channel: Vec<MessageId> =
                open.taken().iter().copied().filter(|id| named.has_channel(system, *id)).collect();
            if of_channel.is_empty() && open.sent().iter().any(|id| named.has_channel(system, *id)) {
                return Err(AssumptionError::Sent { name: name.clone(), taken: names(open.taken()) });
            }
            let counted: Vec<MessageId> =
                of_channel.iter().copied().filter(|id| named.may_have(system, *id)).collect();
            if of_channel.is_empty()
                || (counted.len() < of_channel.len() && !named.is_known(system, &of_channel))
            {
                return Err(unknown(name));
            }
            for message in counted {
                add(&mut assumption.taken, message, *factor).ok_or_else(large)?;
            }
        }
        Ok(assumption)
    }
}

fn add(weights: &mut BTreeMap<MessageId, u32>, message: MessageId, weight: u32) -> Option<()> {
    let sum: &mut u32 = weights.entry(message).or_default();
    *sum = sum.checked_add(weight)?;
    Some(())
}

/// A name in an assumption: a channel, and a kind of message if one is named.
struct Named<'a> {
    channel: &'a str,
    /// The fields, in the form that names of types have them.
    kind: Option<String>,
}

/// Characters in the names of message types with messages of several kinds.
const SEVERAL: [char; 2] = ['|', '…'];
/// The field of a type whose values are not told apart.
const ANY: &str = "_";

/// A field in the form that names of types have it: numbers in decimal, without blanks.
fn field(text: &str) -> String {
    match text.trim() {
        "true" => "1".into(),
        "false" => "0".into(),
        text => text.parse::<i64>().map_or_else(|_| text.to_owned(), |number| number.to_string()),
    }
}

fn first(fields: &str) -> &str {
    fields.split(',').next().unwrap_or_default()
}

impl<'a> Named<'a> {
    fn new(name: &'a str) -> Self {
        let (channel, kind) = match name.strip_suffix(')').and_then(|name| name.split_once('(')) {
            Some((channel, kind)) => (channel, Some(kind)),
            None => (name, None),
        };
        let kind = kind.map(|kind| kind.split(',').map(field).collect::<Vec<_>>().join(","));
        Self { channel: channel.strip_suffix("[..]").unwrap_or(channel), kind }
    }

    /// Returns `true` for a type of the channel, or of the array of channels.
    fn has_channel(&self, system: &System, message: MessageId) -> bool {
        let channel = &system.buffers[system.messages[message].buffer].name;
        let rest = channel.strip_prefix(self.channel);
        rest.is_some_and(|rest| rest.is_empty() || rest.starts_with('['))
    }

    /// Returns `true` if all messages of a type are meant: only these may be limited. A kind is
    /// all fields of a message, or the first one.
    fn has_only(&self, system: &System, message: MessageId) -> bool {
        let name = &system.messages[message].name;
        let is_kind = |kind: &String| {
            let rest = name.strip_prefix(kind.as_str()).filter(|_| !name.contains(SEVERAL));
            rest.is_some_and(|rest| rest.is_empty() || rest.starts_with(','))
        };
        self.has_channel(system, message) && self.kind.as_ref().is_none_or(is_kind)
    }

    /// Returns `true` unless no message of a type is meant. To count more messages as answers only
    /// weakens the assumption. Types of which the kind is [known](Self::is_known).
    fn may_have(&self, system: &System, message: MessageId) -> bool {
        let name = &system.messages[message].name;
        let is_other = |kind: &String| {
            let (own, wanted) = (first(name), first(kind));
            !name.is_empty() && !name.contains(SEVERAL) && own != wanted && own != ANY && wanted != ANY
        };
        self.has_channel(system, message) && !self.kind.as_ref().is_some_and(is_other)
    }

    /// Returns `true` if one of these types is of the kind by name. Otherwise it may be a word for
    /// the value of another, and nobody would know which.
    fn is_known(&self, system: &System, messages: &[MessageId]) -> bool {
        let Some(kind) = &self.kind else { return true };
        let names = messages.iter().flat_map(|message| system.messages[*message].name.split('|'));
        first(kind) == ANY || names.into_iter().any(|name| first(name) == first(kind))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use cfsm_core::system::SystemBuilder;

    #[test]
    fn a_limit_is_on_what_is_meant_only_and_an_answer_is_what_may_be_meant() {
        let mut b = SystemBuilder::new("kinds");
        let names = ["req,_", "req,1|stop,1", "stop,_", "_,7", ""];
        let ids = names.map(|name| b.message("in", name));
        b.class("P", 1).state("s");
        let system = b.build().unwrap();
        let which = |name: &str, ask: &dyn Fn(&Named<'_>, MessageId) -> bool| -> Vec<&str> {
            let named = Named::new(name);
            names.into_iter().zip(ids).filter(|(_, id)| ask(&named, *id)).map(|(name, _)| name).collect()
        };
        let only = |name| which(name, &|named, id| named.has_only(&system, id));
        let may = |name| which(name, &|named, id| named.may_have(&system, id));
        assert_eq!(only("in(req)"), ["req,_"]);
        assert_eq!(only("in"), names);
        assert_eq!(only("in(re)"), [""; 0]);
        assert_eq!(may("in(req)"), ["req,_", "req,1|stop,1", "_,7", ""]);
        assert_eq!(may("i"), [""; 0]);
        let known = |name: &str| Named::new(name).is_known(&system, &ids);
        // Who knows that OK is req?
        assert_eq!(["in", "in( stop )", "in(OK)", "in(7)"].map(known), [true, true, false, false]);
    }

    #[test]
    fn inequalities_are_read_in_either_direction() {
        let read = |text: &str| {
            let EnvironmentAssumption { sent, taken, at_most, .. } = text.parse().unwrap();
            (Vec::from_iter(sent), Vec::from_iter(taken), at_most)
        };
        let of = |sent: &[(&str, u32)], taken: &[(&str, u32)], at_most| {
            let named = |terms: &[(&str, u32)]| -> Vec<(String, u32)> {
                terms.iter().map(|(name, factor)| ((*name).to_owned(), *factor)).collect()
            };
            (named(sent), named(taken), at_most)
        };
        assert_eq!(read("in - out <= 3"), of(&[("in", 1)], &[("out", 1)], 3));
        assert_eq!(read("2*out >= in(req,_) - 4"), of(&[("in(req,_)", 1)], &[("out", 2)], 4));
        assert_eq!(read("2 out[1]+1>=in"), of(&[("in", 1)], &[("out[1]", 2)], 1));
        assert_eq!(read("in <= 10"), of(&[("in", 1)], &[], 10));
        // What is sent to a channel is not what is taken from it.
        assert_eq!(read("in + c <= c + 1"), of(&[("c", 1), ("in", 1)], &[("c", 1)], 1));
        assert_eq!(read("2*c - c <= 1"), of(&[("c", 2)], &[("c", 1)], 1));
        assert_eq!(read("E->A(x) - A->E <= 1"), of(&[("E->A(x)", 1)], &[("A->E", 1)], 1));
        for wrong in ["", "in", "in <= ", "<= 3", "in < 3", "in + * 3 <= 1", "in out <= 1", "3 4 <= in"] {
            assert!(wrong.parse::<EnvironmentAssumption>().is_err(), "{wrong}");
        }
    }
}
