//! Kinds of messages: types as assumptions name them.
//!
//! Names of types overlap: beside `ack(1)`, `ack(_)` is each other message of the channel. In an
//! inequality that people read, `_` would be any. So types of one channel are named by their first
//! fields if these tell them apart, and by the channel alone otherwise.

use std::collections::{BTreeMap, BTreeSet};

use cfsm_core::system::{BufferId, Direction, MessageId, System};

/// Message types of one channel that have one name together.
pub(super) struct Kind {
    pub(super) messages: BTreeSet<MessageId>,
    name: String,
}

/// A sum of messages with one weight, by name.
pub(super) struct KindTerm {
    pub(super) name: String,
    pub(super) weight: u32,
}

impl Kind {
    /// The terms of this kind in a sum: one if all its types weigh the same, and otherwise one for
    /// each type.
    pub(super) fn terms(&self, system: &System, weights: &BTreeMap<MessageId, u32>) -> Vec<KindTerm> {
        let weight = |message: &MessageId| weights.get(message).copied().unwrap_or_default();
        let all: BTreeSet<u32> = self.messages.iter().map(weight).collect();
        match (all.first(), all.len()) {
            (Some(0), 1) | (None, _) => Vec::new(),
            (Some(weight), 1) => vec![KindTerm { name: self.name.clone(), weight: *weight }],
            _ => {
                let weighed = self.messages.iter().filter(|message| weight(message) > 0);
                weighed.map(|id| KindTerm { name: type_name(system, *id), weight: weight(id) }).collect()
            }
        }
    }
}

/// The types that the system receives, or sends, of which an environment does the other half.
pub(super) fn exchanged(system: &System, direction: Direction) -> BTreeSet<MessageId> {
    let events = system.transitions.values().flat_map(|transition| &transition.events);
    let events = events.filter(|event| event.direction == direction && system.is_rendezvous(event.message));
    events.map(|event| event.message).collect()
}

/// The kinds of these types, in the order of their channels and names.
pub(super) fn kinds(system: &System, messages: &BTreeSet<MessageId>) -> Vec<Kind> {
    let mut channels: BTreeMap<BufferId, BTreeSet<MessageId>> = BTreeMap::new();
    for message in messages {
        channels.entry(system.messages[*message].buffer).or_default().insert(*message);
    }
    channels.into_iter().flat_map(|(channel, messages)| of_channel(system, channel, messages)).collect()
}

fn of_channel(system: &System, channel: BufferId, messages: BTreeSet<MessageId>) -> Vec<Kind> {
    let channel_name = &system.buffers[channel].name;
    let mut by_field: BTreeMap<&str, BTreeSet<MessageId>> = BTreeMap::new();
    for message in &messages {
        let name = system.messages[*message].name.as_str();
        by_field.entry(first_field(name).unwrap_or_default()).or_default().insert(*message);
    }
    let all: BTreeSet<&str> = by_field.keys().copied().collect();
    let tells = |field: &&str| {
        !field.is_empty() && all.iter().all(|other| other == field || !may_agree(field, other))
    };
    if !by_field.keys().all(tells) {
        return vec![Kind { messages, name: channel_name.clone() }];
    }
    let kind = |(field, messages): (&str, BTreeSet<MessageId>)| Kind {
        name: format!("{channel_name}({field})"),
        messages,
    };
    by_field.into_iter().map(kind).collect()
}

/// The first field of all messages of a type; `None` if its name does not tell.
fn first_field(name: &str) -> Option<&str> {
    let is_open = name.contains(['|', '…', '#']) || name.is_empty();
    name.split(',').next().filter(|_| !is_open)
}

/// The full name of a type, in which `other` stands for what no other type of the channel names.
pub(super) fn type_name(system: &System, message: MessageId) -> String {
    const ANY: &str = "_";
    let declared = &system.messages[message];
    let mut others = system.messages_of(declared.buffer).filter(|other| *other != message);
    if !others.any(|other| may_agree(&system.messages[other].name, &declared.name)) {
        return system.message_name(message);
    }
    let alternative = |alternative: &str| {
        let fields = alternative.split(',').map(|field| if field == ANY { "other" } else { field });
        fields.collect::<Vec<_>>().join(",")
    };
    let named: Vec<String> = declared.name.split('|').map(alternative).collect();
    format!("{}({})", system.buffers[declared.buffer].name, named.join("|"))
}

/// Returns `true` unless no message is of both types, as far as their names tell: alternatives with
/// `|` between them, each of fields with `,` between them.
///
/// Symbols of one name are one symbol, and those of different names are different; but a number may
/// be any symbol.
pub(super) fn may_agree(left: &str, right: &str) -> bool {
    // A name that is cut short, or has been made unique, says nothing.
    let is_open = |name: &str| name.contains(['…', '#']) || name.is_empty();
    if left == right || is_open(left) || is_open(right) {
        return true;
    }
    let agree = |left: &str, right: &str| {
        let (left, right): (Vec<&str>, Vec<&str>) = (left.split(',').collect(), right.split(',').collect());
        left.len() != right.len()
            || left.iter().zip(&right).all(|(left, right)| fields_may_agree(left, right))
    };
    left.split('|').any(|left| right.split('|').any(|right| agree(left, right)))
}

fn fields_may_agree(left: &str, right: &str) -> bool {
    const ANY: &str = "_";
    let is_number = |field: &str| field.parse::<i64>().is_ok();
    let is_symbol = |field: &str| {
        field.starts_with(|first: char| first.is_ascii_alphabetic() || first == '_')
            && field.chars().all(|letter| letter.is_ascii_alphanumeric() || letter == '_')
            && !matches!(field, ANY | "true" | "false")
    };
    let differ = left != right;
    !(differ && ((is_number(left) && is_number(right)) || (is_symbol(left) && is_symbol(right))))
}

#[cfg(test)]
mod tests {
    use super::*;
    use cfsm_core::system::SystemBuilder;

    fn names(types: &[&str]) -> Vec<String> {
        let mut b = SystemBuilder::new("kinds");
        let ids: BTreeSet<MessageId> = types.iter().map(|name| b.message("c", name)).collect();
        b.class("P", 1).state("s");
        let system = b.build().unwrap();
        kinds(&system, &ids).into_iter().map(|kind| kind.name).collect()
    }

    #[test]
    fn kinds_have_names_that_mean_just_them() {
        assert_eq!(names(&["req,1", "req,_", "stop,_"]), ["c(req)", "c(stop)"]);
        assert_eq!(names(&["1", "_"]), ["c"]);
        assert_eq!(names(&["req", "3"]), ["c"]);
        assert_eq!(names(&["a|b", "d"]), ["c"]);
        assert_eq!(names(&[""]), ["c"]);
    }

    #[test]
    fn a_rest_is_called_so() {
        let mut b = SystemBuilder::new("rest");
        let ids = ["1", "_"].map(|name| b.message("c", name));
        let alone = b.message("d", "_");
        b.class("P", 1).state("s");
        let system = b.build().unwrap();
        assert_eq!(ids.map(|id| type_name(&system, id)), ["c(1)", "c(other)"]);
        assert_eq!(type_name(&system, alone), "d(_)");
    }

    #[test]
    fn names_differ_where_no_message_is_of_both_types() {
        for [left, right] in [["req", "resp"], ["req,_", "resp,3"], ["req,1", "req,2"], ["a|b", "c"]] {
            assert!(!may_agree(left, right), "{left} {right}");
        }
        for [left, right] in [
            ["req", "req"],
            ["req,_", "req,3"],
            ["3", "req"],
            ["true", "1"],
            ["a|b|c|…", "d"],
            ["", "req"],
            ["a|b", "b"],
            ["req#2", "resp"],
            ["req,1", "resp"],
        ] {
            assert!(may_agree(left, right), "{left} {right}");
        }
    }
}
