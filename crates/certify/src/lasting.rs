//! What may go on for ever, as there is somebody who does the other half.

use cfsm_core::ids::IdMap;
use cfsm_core::system::{Direction, MessageId, System, TransitionId};

/// Transitions that may fire again and again, without those that have nobody left to do the other
/// half: nobody sends what they receive, or receives what they send by rendezvous, again and again.
///
/// Time linear in the system, for each round in which some transition goes.
#[must_use]
pub fn lasting(system: &System, mut fires: IdMap<TransitionId, bool>) -> IdMap<TransitionId, bool> {
    loop {
        let mut done: IdMap<MessageId, [bool; 2]> = IdMap::filled([false; 2], system.messages.len());
        for (_, transition) in system.transitions.iter().filter(|(id, _)| fires[*id]) {
            for event in &transition.events {
                done[event.message][usize::from(event.direction == Direction::Send)] = true;
            }
        }
        let mut is_news = false;
        for (id, transition) in system.transitions.iter() {
            let lasts = transition.events.iter().all(|event| match event.direction {
                Direction::Receive => done[event.message][1],
                Direction::Send => done[event.message][0] || !system.is_rendezvous(event.message),
            });
            is_news |= fires[id] && !lasts;
            fires[id] &= lasts;
        }
        if !is_news {
            return fires;
        }
    }
}

#[cfg(test)]
mod tests {
    use cfsm_core::system::SystemBuilder;

    use super::*;

    fn left(build: impl FnOnce(&mut SystemBuilder)) -> Vec<bool> {
        let mut b = SystemBuilder::new("lasting");
        build(&mut b);
        let system = b.build().expect("names are given once");
        let all = IdMap::filled(true, system.transitions.len());
        lasting(&system, all).values().copied().collect()
    }

    #[test]
    fn what_nobody_sends_is_not_received_and_so_on() {
        let lasts = left(|b| {
            let [x, y, z] = ["x", "y", "z"].map(|buffer| b.message(buffer, "m"));
            b.class("P", 1).step("0", &[(x, -1), (y, 1)], "0").step("0", &[(y, -1), (z, 1)], "0");
            b.class("Q", 1).send("0", z, "0");
        });
        // `z` is only sent, which a queue allows.
        assert_eq!(lasts, [false, false, true]);
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
        assert_eq!(talk(false), [false]);
        assert_eq!(talk(true), [true, true]);
    }
}
