//! Readings of capacities: which channels of a model are limited, by what, and which are not.
//!
//! What is asked by default of a buffer is about all readings in which it is unlimited and every
//! other channel is unlimited or limited as declared. `full` and `nfull` compare with the number
//! that was declared, in all of them, so they are comparisons of lengths here before any capacity
//! changes.

mod program;
mod text;

use std::collections::BTreeMap;

pub use program::{capacities_of, in_reading};
pub use text::{declared_in, text_in_reading};

/// Room in a channel.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Room {
    /// As many messages as declared.
    Declared,
    /// So many messages more than declared.
    Raised(u32),
    /// Any number of messages; in texts, which have no word for it, as many as [`FAR`].
    Unlimited,
}

/// The capacity of a channel that is unlimited, where there has to be a number.
pub const FAR: u32 = 12;

/// The room in each channel that is declared globally, by its name. Channels that are not named are
/// unlimited.
pub type Reading = BTreeMap<String, Room>;

/// Whether the question that is asked by default is about a reading.
#[must_use]
pub fn is_asked_about(reading: &Reading) -> bool {
    reading.values().all(|room| !matches!(room, Room::Raised(_)))
}

/// All readings in which each of these channels is limited as declared, or unlimited; all unlimited
/// comes first, all declared last.
#[must_use]
pub fn all_readings(channels: &[String]) -> Vec<Reading> {
    let count = 1_u32 << channels.len();
    let reading = |number: u32| {
        let room = |at: usize| if number >> at & 1 == 1 { Room::Declared } else { Room::Unlimited };
        channels.iter().enumerate().map(|(at, channel)| (channel.clone(), room(at))).collect()
    };
    (0..count).map(reading).collect()
}

/// A reading in a line.
#[must_use]
pub fn described(reading: &Reading) -> String {
    let rooms = reading.iter().map(|(name, room)| match room {
        Room::Declared => format!("{name} as declared"),
        Room::Raised(by) => format!("{name} {by} more"),
        Room::Unlimited => format!("{name} unlimited"),
    });
    rooms.collect::<Vec<String>>().join(", ")
}
