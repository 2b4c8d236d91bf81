//! The answer on one buffer: what certificates and runs say of it, in one value.

use super::{BufferVerdict, Check, Number, Property, Witness, is_search};

/// The answer on one buffer, from all that has been found out about it.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum BufferAnswer {
    /// It is bounded, by a certificate that has been checked: by this number of messages, if the
    /// certificate has one.
    Proved(Option<Number>),
    /// It is bounded, by a search of all states, which no certificate covers: it never holds more
    /// than this number of messages, if there is one.
    Exhausted(Option<Number>),
    /// It exceeds any capacity, in this run, which has been replayed.
    Unbounded(Box<Witness>),
    /// Neither has been established, for this reason.
    Unknown(String),
}

impl BufferAnswer {
    /// Returns `true` if the buffer never holds more than some number of messages.
    #[must_use]
    pub const fn is_bounded(&self) -> bool {
        matches!(self, Self::Proved(_) | Self::Exhausted(_))
    }

    /// The number of messages that it never exceeds; `None` if there is none below 2^64.
    #[must_use]
    pub fn bound(&self) -> Option<u64> {
        match self {
            Self::Proved(Some(bound)) | Self::Exhausted(Some(bound)) => bound.as_u64(),
            _ => None,
        }
    }
}

impl Check {
    /// The answer on the buffer with this name; `None` for a name that is no buffer, and for a
    /// rendezvous, which stores nothing. Time linear in the buffers.
    #[must_use]
    pub fn buffer(&self, name: &str) -> Option<BufferAnswer> {
        let result = self.property_results.iter().find(|found| found.property == Property::Boundedness)?;
        let row = result.buffers.iter().find(|row| row.name == name)?;
        let witness = row.witness.and_then(|position| result.witnesses.get(position));
        let is_searched =
            result.trust.iter().any(|part| is_search(part) && part.about.iter().any(|about| about == name));
        Some(match (row.verdict, witness) {
            (BufferVerdict::Bounded, _) if is_searched => BufferAnswer::Exhausted(row.bound.clone()),
            (BufferVerdict::Bounded, _) => BufferAnswer::Proved(row.bound.clone()),
            (BufferVerdict::Unbounded, Some(witness)) => BufferAnswer::Unbounded(Box::new(witness.clone())),
            _ => BufferAnswer::Unknown(result.reason.clone().unwrap_or_default()),
        })
    }
}
