//! Recurrence: the transitions that may fire again and again, as their partners may.

use std::collections::VecDeque;

use cfsm_core::ids::IdMap;
use cfsm_core::system::{Direction, MessageId, System, TransitionId};

/// The transitions that may fire again and again, and the message types that no longer pass.
#[derive(Clone, Debug)]
pub(crate) struct Recurring {
    /// Per transition, whether it may fire again and again.
    pub fires: IdMap<TransitionId, bool>,
    /// The message types that are silent in the long run, in the order in which that was found out:
    /// of the transitions that are left by those before it, none sends it, or it is of a rendezvous
    /// buffer and none receives it.
    pub silent: Vec<MessageId>,
}

/// Takes out of some transitions those that wait for a partner that does not come again and again:
/// those that receive what no other one sends, or send by rendezvous what no other one receives,
/// and so on.
///
/// Time linear in the system.
pub(crate) fn recurring(system: &System, mut fires: IdMap<TransitionId, bool>) -> Recurring {
    let mut users: IdMap<MessageId, Vec<TransitionId>> = IdMap::filled(Vec::new(), system.messages.len());
    let mut halves: IdMap<MessageId, Halves> = IdMap::filled(Halves::default(), system.messages.len());
    for (id, transition) in system.transitions.iter().filter(|(id, _)| fires[*id]) {
        for event in &transition.events {
            users[event.message].push(id);
            *halves[event.message].of(event.direction) += 1;
        }
    }
    let is_silent = |message: MessageId, halves: &Halves| {
        let used = halves.sends + halves.receives > 0;
        used && (halves.sends == 0 || (halves.receives == 0 && system.is_rendezvous(message)))
    };
    let mut open: VecDeque<MessageId> =
        halves.iter().filter(|(id, halves)| is_silent(*id, halves)).map(|(id, _)| id).collect();
    let mut silent = Vec::new();
    while let Some(message) = open.pop_front() {
        if !is_silent(message, &halves[message]) {
            // The transitions that use it went with another message type.
            continue;
        }
        silent.push(message);
        for id in &users[message] {
            if !std::mem::replace(&mut fires[*id], false) {
                continue;
            }
            for event in &system.transitions[*id].events {
                *halves[event.message].of(event.direction) -= 1;
                if is_silent(event.message, &halves[event.message]) {
                    open.push_back(event.message);
                }
            }
        }
    }
    Recurring { fires, silent }
}

/// How many events of transitions that may fire send a message type, and receive it.
#[derive(Clone, Copy, Debug, Default)]
struct Halves {
    sends: usize,
    receives: usize,
}

impl Halves {
    const fn of(&mut self, direction: Direction) -> &mut usize {
        match direction {
            Direction::Send => &mut self.sends,
            Direction::Receive => &mut self.receives,
        }
    }
}

#[cfg(test)]
mod tests {
    use cfsm_core::system::SystemBuilder;

    use super::*;

    /// Which transitions recur, and the names of the silent message types.
    fn left(build: impl FnOnce(&mut SystemBuilder)) -> (Vec<bool>, Vec<String>) {
        let mut b = SystemBuilder::new("recurring");
        build(&mut b);
        let system = b.build().expect("names are given once");
        let all = IdMap::filled(true, system.transitions.len());
        let Recurring { fires, silent } = recurring(&system, all);
        let names = silent.into_iter().map(|message| system.message_name(message));
        (fires.values().copied().collect(), names.collect())
    }

    #[test]
    fn what_nobody_sends_is_not_received_and_so_on() {
        let found = left(|b| {
            let [x, y, z] = ["x", "y", "z"].map(|buffer| b.message(buffer, "m"));
            b.class("P", 1).step("0", &[(y, -1), (z, 1)], "0").step("0", &[(x, -1), (y, 1)], "0");
            b.class("Q", 1).send("0", z, "0");
        });
        // `z` is only sent, which a queue allows.
        assert_eq!(found, (vec![false, false, true], vec!["x(m)".to_owned(), "y(m)".to_owned()]));
    }

    #[test]
    fn a_rendezvous_takes_two() {
        let talk = |heard: bool| {
            left(|b| {
                let x = b.buffer("x");
                b.declare(x, 0);
                let x = b.message_in(x, "m");
                b.class("P", 1).send("0", x, "0");
                if heard {
                    b.class("Q", 1).receive("0", x, "0");
                }
            })
        };
        assert_eq!(talk(false), (vec![false], vec!["x(m)".to_owned()]));
        assert_eq!(talk(true), (vec![true, true], Vec::new()));
    }
}
