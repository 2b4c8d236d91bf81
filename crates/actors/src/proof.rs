//! Proved capacities of mailboxes.

use freeboard::report::text::{self, Style};
use freeboard::{Failure, Options, SystemAnalysis, check_system};
use thiserror::Error;

use crate::delivery::Delivery;
use crate::extract::Extracted;
use crate::role::Address;

/// A number of messages for each actor that its mailbox never exceeds, proved.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Capacities {
    names: Vec<String>,
    most: Vec<usize>,
}

/// An obstacle to capacities.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum NotProved {
    /// Some mailbox is not proved bounded, or has no number.
    #[error("{report}")]
    Unbounded {
        /// The report of `freeboard check`: the run in which a mailbox grows, or the reason why it
        /// is open.
        report: String,
    },
    /// The network has no mailboxes.
    #[error("capacities are those of mailboxes: the network should be one with `Delivery::Mailboxes`")]
    NoMailboxes,
    /// The system cannot be checked.
    #[error(transparent)]
    Failure(#[from] Failure),
}

impl Capacities {
    /// The most messages that wait for an actor at any time.
    #[must_use]
    pub fn of(&self, actor: Address) -> usize {
        self.most[actor.0]
    }

    /// The actors by name, with their capacities.
    pub fn iter(&self) -> impl Iterator<Item = (&str, usize)> {
        self.names.iter().map(String::as_str).zip(self.most.iter().copied())
    }
}

impl Extracted {
    /// Proves all mailboxes bounded, and tells by how much. No mailbox is limited while that is
    /// asked: [`Options::capacities`] are left aside, for with them sends wait, or get lost.
    ///
    /// # Errors
    /// A mailbox that is not proved, with the run in which it grows if there is one.
    pub fn prove(&self, options: &Options) -> Result<Capacities, NotProved> {
        if self.delivery != Delivery::Mailboxes {
            return Err(NotProved::NoMailboxes);
        }
        let options = Options { capacities: freeboard::Capacities::default(), ..options.clone() };
        let analysis = check_system(self.system.clone(), &options)?;
        let most: Option<Vec<usize>> = self.names.iter().map(|name| bound(&analysis, name)).collect();
        let Some(most) = most else {
            let view = analysis.view(&self.system.name);
            return Err(NotProved::Unbounded { report: text::check(&view, Style::default()) });
        };
        Ok(Capacities { names: self.names.clone(), most })
    }
}

/// The proved bound of a mailbox.
fn bound(analysis: &SystemAnalysis, name: &str) -> Option<usize> {
    analysis.buffer(name)?.bound().and_then(|bound| usize::try_from(bound).ok())
}
