//! Ranges of data: assumptions on the values in messages that the environment sends.

use std::str::FromStr;

use cfsm_core::program::{ChannelDeclaration, Program, Type, VariableId};
use thiserror::Error;

use crate::Interface;

/// The assumption that the environment keeps to a range of values in a field of the messages that
/// it sends to a channel. As text: `in.2 in 0..9`, with fields counted from 1, and numbers or
/// declared symbols as ends; `in.1 in req` is one value.
///
/// ```
/// let assumption: closing::RangeAssumption = "in.2 in 0..9".parse()?;
/// assert_eq!((assumption.channel.as_str(), assumption.field), ("in", 2));
/// # Ok::<(), closing::RangeError>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct RangeAssumption {
    /// As the user wrote it.
    pub text: String,
    /// Name of the channel.
    pub channel: String,
    /// Number of the field, from 1.
    pub field: usize,
    /// The least value, a number or a symbol.
    pub least: String,
    /// The greatest value.
    pub most: String,
}

/// The values of a field of the messages that the environment sends to a channel.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FieldRange {
    /// The declaration of the channel, an id of [`Program::globals`].
    pub channel: VariableId,
    /// Number of the field, from 0.
    pub field: usize,
    /// The least value.
    pub least: i64,
    /// The greatest value, at least the least one.
    pub most: i64,
    /// The assumption as the user wrote it.
    pub text: String,
}

/// A range that is none of an open channel.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum RangeError {
    /// The text is no range.
    #[error("`{text}` is no range of a field: `in.1 in 0..9` is one")]
    Text {
        /// The text.
        text: String,
    },
    /// The channel is not open.
    #[error("`{channel}` in `{text}` is no open channel; {} open", are(open))]
    Closed {
        /// The text.
        text: String,
        /// The channel.
        channel: String,
        /// The open channels.
        open: Vec<String>,
    },
    /// There is no such field.
    #[error("`{text}`: messages of `{channel}` have {count} field{}, counted from 1", if *count == 1 { "" } else { "s" })]
    NoField {
        /// The text.
        text: String,
        /// The channel.
        channel: String,
        /// Number of fields.
        count: usize,
    },
    /// The field refers to channels.
    #[error("`{text}`: the field refers to a channel, which has no range")]
    Reference {
        /// The text.
        text: String,
    },
    /// An end is neither a number nor a symbol of the field.
    #[error("`{text}`: `{word}` is neither a number nor a symbol of the field")]
    Word {
        /// The text.
        text: String,
        /// The word.
        word: String,
    },
    /// No value is left.
    #[error("`{text}`: no value of the field is in all its ranges")]
    Empty {
        /// The text.
        text: String,
    },
}

fn are(open: &[String]) -> String {
    match open {
        [] => "nothing is".into(),
        [one] => format!("`{one}` is"),
        several => {
            let names: Vec<String> = several.iter().map(|name| format!("`{name}`")).collect();
            format!("{} are", names.join(", "))
        }
    }
}

impl FromStr for RangeAssumption {
    type Err = RangeError;

    fn from_str(text: &str) -> Result<Self, RangeError> {
        let read = || {
            let (place, values) = text.trim().split_once(" in ")?;
            let (channel, field) = place.trim().rsplit_once('.')?;
            let field = field.parse().ok().filter(|field| *field > 0)?;
            let (least, most) = values.split_once("..").unwrap_or((values, values));
            let is_word = |word: &str| !word.is_empty() && !word.contains(char::is_whitespace);
            let (channel, least, most) = (channel.trim(), least.trim(), most.trim());
            let is_whole = [channel, least, most].into_iter().all(is_word);
            is_whole.then(|| Self {
                text: text.trim().to_owned(),
                channel: channel.strip_suffix("[..]").unwrap_or(channel).to_owned(),
                field,
                least: least.to_owned(),
                most: most.to_owned(),
            })
        };
        read().ok_or_else(|| RangeError::Text { text: text.to_owned() })
    }
}

impl RangeAssumption {
    /// The range of an interface, cut to the type of the field.
    ///
    /// # Errors
    /// If the channel is not open, there is no such field, or an end is none of its values.
    pub fn of(&self, program: &Program, interface: &Interface) -> Result<FieldRange, RangeError> {
        let text = || self.text.clone();
        let open = interface.channels.iter().copied();
        let channel = open.clone().find(|channel| program.globals[*channel].name == self.channel);
        let shape =
            channel.and_then(|variable| program.channel_shape(ChannelDeclaration { owner: None, variable }));
        let (Some(channel), Some(shape)) = (channel, shape) else {
            let open = open.map(|channel| program.globals[channel].name.clone()).collect();
            return Err(RangeError::Closed { text: text(), channel: self.channel.clone(), open });
        };
        let field = self.field - 1;
        let Some(ty) = shape.fields.get(field) else {
            let count = shape.fields.len();
            return Err(RangeError::NoField { text: text(), channel: self.channel.clone(), count });
        };
        if *ty == Type::Channel {
            return Err(RangeError::Reference { text: text() });
        }
        let end = |word: &String| {
            value(program, *ty, word).ok_or_else(|| RangeError::Word { text: text(), word: word.clone() })
        };
        let (first, last) = ty.range();
        let (least, most) = (end(&self.least)?.max(first), end(&self.most)?.min(last));
        if least > most {
            return Err(RangeError::Empty { text: text() });
        }
        Ok(FieldRange { channel, field, least, most, text: text() })
    }
}

/// The value of a word in a field of a type.
fn value(program: &Program, ty: Type, word: &str) -> Option<i64> {
    let of_symbol = match ty {
        Type::Symbol(set) => program.symbols[set].constants.iter().find(|(name, _)| name == word),
        _ => None,
    };
    match word {
        _ if of_symbol.is_some() => of_symbol.map(|(_, value)| *value),
        "true" => Some(1),
        "false" => Some(0),
        number => number.parse().ok(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_range_is_a_place_and_two_ends() {
        let read = |text: &str| {
            let range: RangeAssumption = text.parse().unwrap();
            (range.channel, range.field, range.least, range.most)
        };
        let of = |channel: &str, field, least: &str, most: &str| {
            (channel.to_owned(), field, least.to_owned(), most.to_owned())
        };
        assert_eq!(read("in.1 in 0..9"), of("in", 1, "0", "9"));
        assert_eq!(read(" port.in[..].2 in -3 .. 4 "), of("port.in", 2, "-3", "4"));
        assert_eq!(read("in.1 in req"), of("in", 1, "req", "req"));
        for wrong in ["", "in.1", "in in 0..9", "in.0 in 1", "in.1 in ", "in.1 in 0..", "in.1 in 0 9"] {
            assert!(wrong.parse::<RangeAssumption>().is_err(), "{wrong}");
        }
    }
}
