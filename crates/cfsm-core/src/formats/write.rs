//! Writes systems in the formats that can express them.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;

use thiserror::Error;

use super::Format;
use super::machine::channel;
use crate::ids::{Id, IdMap};
use crate::system::{BufferId, ClassId, Direction, Event, Order, System, Transition};

/// Reasons for which a system cannot be written in a format.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum Unwritable {
    /// The format is supported for reading only.
    #[error("{0} are read only: a machine need not be a type of the same size")]
    ReadOnly(Format),
    /// The format cannot express a part of the system.
    #[error("{format} has no words for {what}")]
    Inexpressible {
        /// The format.
        format: Format,
        /// The part that it cannot express.
        what: String,
    },
}

/// Writes a [valid](System::validate) system. Reading the result yields the same machines and
/// buffers, with the origins and the order of the new text; for JSON, the same system. Time
/// `O(n log n)` in the size of the system.
///
/// # Errors
/// [`Unwritable`] if the format cannot express the system: machines with several instances or that
/// create others, transitions that exchange several messages, rendezvous; in [`Format::Fsa`],
/// buffers that do not lead from one machine to one other, and names with blanks.
pub fn write(format: Format, system: &System) -> Result<String, Unwritable> {
    match format {
        Format::Json => Ok(json(system)),
        Format::LocalTypes => Err(Unwritable::ReadOnly(format)),
        Format::Fsa => {
            plain(format, system)?;
            fsa(system)
        }
        Format::Scm => {
            plain(format, system)?;
            Ok(scm(system))
        }
    }
}

fn json(system: &System) -> String {
    let mut text = serde_json::to_string_pretty(system).expect("all keys are strings");
    text.push('\n');
    text
}

fn inexpressible(format: Format, what: impl Into<String>) -> Unwritable {
    Unwritable::Inexpressible { format, what: what.into() }
}

/// Checks that a system has no parts that neither `fsa` nor `scm` can express.
fn plain(format: Format, system: &System) -> Result<(), Unwritable> {
    if system.classes.is_empty() {
        return Err(inexpressible(format, "a system without machines"));
    }
    if let Some(class) = system.classes.values().find(|class| class.instances != 1) {
        return Err(inexpressible(format, format!("{} instances of `{}`", class.instances, class.name)));
    }
    if system.order != Some(Order::Fifo) {
        return Err(inexpressible(format, "queues whose order is not known, or an abstraction"));
    }
    let progress = system.transitions.values().any(|transition| transition.progress);
    if progress || system.buffers.values().any(|buffer| buffer.declared.is_some()) {
        return Err(inexpressible(format, "capacities and progress"));
    }
    let several = |transition: &&Transition| {
        let messages: u64 = transition.events.iter().map(|event| u64::from(event.count)).sum();
        messages > 1 || !transition.creates.is_empty()
    };
    match system.transitions.values().find(several) {
        None => Ok(()),
        Some(transition) => {
            let state = system.state_name(transition.source);
            Err(inexpressible(
                format,
                format!("a transition of `{state}` that does more than exchange one message"),
            ))
        }
    }
}

/// The machines at both ends of each buffer; `None` for an unused end.
fn ends(system: &System) -> Result<IdMap<BufferId, [Option<ClassId>; 2]>, Unwritable> {
    let mut ends = IdMap::filled([None; 2], system.buffers.len());
    for (id, transition) in system.transitions.iter() {
        for event in &transition.events {
            let buffer = system.messages[event.message].buffer;
            let end: &mut Option<ClassId> =
                &mut ends[buffer][usize::from(event.direction == Direction::Receive)];
            let class = system.class_of(id);
            if end.replace(class).is_some_and(|other| other != class) {
                let name = &system.buffers[buffer].name;
                return Err(inexpressible(Format::Fsa, format!("several machines at one end of `{name}`")));
            }
        }
    }
    Ok(ends)
}

/// For each buffer and direction, the name by which the machine refers to its peer.
fn peers(system: &System) -> Result<IdMap<BufferId, [String; 2]>, Unwritable> {
    let mut peers = IdMap::new();
    for (id, ends) in ends(system)?.iter() {
        let name = &system.buffers[id].name;
        let given = name.split_once("->");
        let peer = |end: Option<ClassId>, given: Option<&str>| match (end, given) {
            (Some(class), _) => Ok(class.index().to_string()),
            (None, Some(peer)) => Ok(peer.to_owned()),
            (None, None) => {
                Err(inexpressible(Format::Fsa, format!("`{name}`, which is used at one end only")))
            }
        };
        let sender = peer(ends[0], given.map(|(sender, _)| sender))?;
        let receiver = peer(ends[1], given.map(|(_, receiver)| receiver))?;
        // The name that the buffer will have when it is read: names must be unique, and no buffer
        // may be unused.
        let called = |end: Option<ClassId>, peer: &str| {
            end.map_or(peer.to_owned(), |class| system.classes[class].name.clone())
        };
        let read = channel(&called(ends[0], &sender), &called(ends[1], &receiver));
        if read != *name {
            return Err(inexpressible(Format::Fsa, format!("`{name}`: it would be called `{read}`")));
        }
        if ends == &[None; 2] {
            return Err(inexpressible(Format::Fsa, format!("`{name}`, which nobody uses")));
        }
        peers.push([sender, receiver]);
    }
    Ok(peers)
}

fn fsa(system: &System) -> Result<String, Unwritable> {
    let peers = peers(system)?;
    let by_class = by_class(system);
    let mut text = String::new();
    for (id, class) in system.classes.iter() {
        let state = |id| word(&system.states[id].name);
        let name = word(&class.name)?;
        let misleading = name.parse::<usize>().is_ok_and(|number| number != id.index());
        if misleading || name.contains("->") {
            return Err(inexpressible(Format::Fsa, format!("a machine called `{name}`")));
        }
        let _ = writeln!(text, ".outputs {name}\n.state graph");
        for transition in &by_class[id] {
            let (source, target) = (state(transition.source)?, state(transition.target)?);
            let _ = match transition.events.first() {
                None => writeln!(text, "{source} tau {target}"),
                Some(Event { direction, message, .. }) => {
                    let message = &system.messages[*message];
                    let [sender, receiver] = &peers[message.buffer];
                    let (peer, sign) = match direction {
                        Direction::Send => (receiver, '!'),
                        Direction::Receive => (sender, '?'),
                    };
                    writeln!(text, "{source} {peer} {sign} {} {target}", word(&message.name)?)
                }
            };
        }
        let _ = writeln!(text, ".marking {}\n.end\n", state(class.initial)?);
    }
    Ok(text)
}

/// Checks that a name is a single word for the parser.
fn word(name: &str) -> Result<&str, Unwritable> {
    let begins = ['.', '{', '}'].iter().any(|c| name.starts_with(*c) || name.ends_with(*c));
    let comment = ["--", "//", "/*"].iter().any(|sign| name.starts_with(sign));
    let special = matches!(name, "" | "!" | "?" | "tau" | "break") || name.contains('\u{feff}');
    if begins || comment || special || name.contains(char::is_whitespace) {
        return Err(inexpressible(Format::Fsa, format!("the name `{name}`")));
    }
    Ok(name)
}

fn by_class(system: &System) -> IdMap<ClassId, Vec<&Transition>> {
    let mut by_class: IdMap<ClassId, Vec<&Transition>> = IdMap::filled(Vec::new(), system.classes.len());
    for (id, transition) in system.transitions.iter() {
        by_class[system.class_of(id)].push(transition);
    }
    by_class
}

/// Names that the format does not support are replaced by numbers: states and channels always,
/// messages and machines if they are not words.
fn scm(system: &System) -> String {
    let messages = words(system.messages.values().map(|message| message.name.as_str()), "m");
    let automata = words(system.classes.values().map(|class| class.name.as_str()), "A");
    let mut text = String::from("scm system :\n\n");
    let _ = writeln!(text, "nb_channels = {} ;\nparameters :", system.buffers.len());
    for message in messages.iter().collect::<BTreeSet<_>>() {
        let _ = writeln!(text, "real {message} ;");
    }
    let by_class = by_class(system);
    for (id, class) in system.classes.iter() {
        let states = system.states.iter().filter(|(_, state)| state.class == id).map(|(id, _)| id);
        let numbers: BTreeMap<_, usize> = states.zip(0..).collect();
        let _ =
            writeln!(text, "\nautomaton {} :\n\ninitial : {}", automata[id.index()], numbers[&class.initial]);
        for (state, number) in &numbers {
            let _ = writeln!(text, "\nstate {number} :");
            for transition in by_class[id].iter().filter(|transition| transition.source == *state) {
                let target = numbers[&transition.target];
                let _ = match transition.events.first() {
                    None => writeln!(text, "to {target} : when true ;"),
                    Some(Event { direction, message, .. }) => {
                        let sign = if *direction == Direction::Send { '!' } else { '?' };
                        let channel = system.messages[*message].buffer.index();
                        let message = &messages[message.index()];
                        writeln!(text, "to {target} : when true , {channel} {sign} {message} ;")
                    }
                };
            }
        }
    }
    text
}

/// The names, if all of them are words that are not reserved; else numbered ones.
fn words<'s>(names: impl Iterator<Item = &'s str> + Clone, letter: &str) -> Vec<String> {
    let word = |name: &str| {
        name.starts_with(|c: char| c.is_ascii_alphabetic())
            && name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_')
    };
    if names.clone().all(word) {
        return names.map(str::to_owned).collect();
    }
    names.enumerate().map(|(number, _)| format!("{letter}{number}")).collect()
}
