//! What may go on for ever, as there is somebody who does the other half.

use cfsm_core::ids::IdMap;
use cfsm_core::system::{Direction, MessageId, System, TransitionId};

/// Transitions that may fire again and again, without those that have nobody left to do the other half: nobody sends what they receive, or
/// receives what they send by rendezvous, again and again.
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
