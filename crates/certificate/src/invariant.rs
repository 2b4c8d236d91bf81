//! Invariants: facts about all runs of a system that a proof may rest on, listed by who found them
//! so that a checker only has to see that a list is closed.

use std::fmt;
use std::ops::RangeInclusive;

use serde::de::{Deserializer, Error, Visitor};
use serde::{Deserialize, Serialize, Serializer};

/// A class of which one instance at most is ever created, with the reason.
///
/// Its creator is another class, of which there is one instance at most; once that has created
/// it, it does not come to a state where it could again. Classes that nobody creates, with one
/// instance at the start or none, need no such entry.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub struct SingleClass {
    /// Name of the class. It has no instance at the start.
    pub class: String,
    /// States of the creator, by [full name](cfsm_core::system::System::state_name): at least all
    /// that it may come to once it has created the class.
    pub after: Vec<String>,
}

/// A set of combinations of places that two or three classes may be at together: at least all that
/// any run comes to. Each class has one instance at most.
///
/// The *places* of a class are numbered: 0 stands for "not created", and n for its nth state, in
/// the order of the system.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub struct JointStates {
    /// Names of the classes.
    pub classes: Vec<String>,
    /// The combinations, those with the same places of all classes but the last in one row.
    pub rows: Vec<JointRow>,
}

/// The places of the last class of [`JointStates`] beside given places of the others.
///
/// In a file it is a string such as `3 0: 1-4 7`: beside places 3 and 0, those from 1 to 4, and 7.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct JointRow {
    /// A place of each class but the last.
    pub others: Vec<usize>,
    /// The places of the last class.
    pub last: Vec<RangeInclusive<usize>>,
}

impl JointRow {
    /// A row with these places of the last class, which are in ascending order.
    #[must_use]
    pub fn new(others: Vec<usize>, last: impl IntoIterator<Item = usize>) -> Self {
        let mut runs: Vec<RangeInclusive<usize>> = Vec::new();
        for place in last {
            match runs.last_mut() {
                Some(run) if *run.end() + 1 == place => *run = *run.start()..=place,
                _ => runs.push(place..=place),
            }
        }
        Self { others, last: runs }
    }

    /// Reads what [`Display`](fmt::Display) writes.
    fn parse(text: &str) -> Option<Self> {
        let (others, last) = text.split_once(": ")?;
        let run = |word: &str| {
            let (from, to) = word.split_once('-').unwrap_or((word, word));
            Some(number(from)?..=number(to)?)
        };
        Some(Self {
            others: others.split(' ').map(number).collect::<Option<_>>()?,
            last: last.split(' ').map(run).collect::<Option<_>>()?,
        })
    }
}

/// A number in digits, of which the first is not 0 if there are others.
fn number(text: &str) -> Option<usize> {
    let is_canonical = text.bytes().all(|byte| byte.is_ascii_digit())
        && !text.is_empty()
        && (text == "0" || !text.starts_with('0'));
    let number: u32 = if is_canonical { text.parse().ok()? } else { return None };
    usize::try_from(number).ok()
}

impl fmt::Display for JointRow {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let others: Vec<String> = self.others.iter().map(usize::to_string).collect();
        write!(f, "{}:", others.join(" "))?;
        for run in &self.last {
            match run.start() == run.end() {
                true => write!(f, " {}", run.start())?,
                false => write!(f, " {}-{}", run.start(), run.end())?,
            }
        }
        Ok(())
    }
}

impl Serialize for JointRow {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

impl<'de> Deserialize<'de> for JointRow {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct RowVisitor;
        impl Visitor<'_> for RowVisitor {
            type Value = JointRow;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a row of places such as \"3 0: 1-4 7\"")
            }

            fn visit_str<E: Error>(self, text: &str) -> Result<JointRow, E> {
                JointRow::parse(text)
                    .ok_or_else(|| E::custom(format_args!("`{text}` is not a row of places")))
            }
        }
        deserializer.deserialize_str(RowVisitor)
    }
}

#[cfg(test)]
mod tests {
    use super::JointRow;

    #[test]
    fn rows_are_read_as_they_are_written() {
        let row = JointRow::new(vec![3, 0], [1, 2, 3, 4, 7]);
        assert_eq!(row.to_string(), "3 0: 1-4 7");
        assert_eq!(JointRow::parse("3 0: 1-4 7"), Some(row));
        // Reversed runs can be written down, and mean nothing to a checker.
        assert!(JointRow::parse("1: 4-1").is_some());
    }

    #[test]
    fn what_is_no_row() {
        for bad in [
            "",
            "1",
            "1:",
            "1: ",
            ": 1",
            "1 : 1",
            "1:1",
            "1:  1",
            "01: 1",
            "1: +1",
            "1: 1-",
            "1: -1",
            "1: 1-2-3",
            "1: 4294967296",
            "1: 1, 2",
            "x: 1",
            "1: \u{661}",
        ] {
            assert_eq!(JointRow::parse(bad), None, "{bad}");
        }
    }
}
