//! Abstract systems that lack something: the check has to notice.

use std::collections::BTreeSet;

use abstraction::Abstraction;
use cfsm_core::system::{Direction, MessageId, TransitionId};

/// What is taken away, or made wrong.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Mutation {
    /// A transition is gone.
    Transition,
    /// All transitions that leave a state are gone.
    State,
    /// A transition leads to another state of its class.
    Target,
    /// A message that is sent is of another type of the same buffer.
    SentType,
    /// A message that is received is of another type of the same buffer.
    ReceivedType,
    /// A message is not sent, or not received.
    Event,
    /// A process is not created.
    Creation,
    /// A data place falls by far more than it does.
    Data,
}

impl Mutation {
    /// All of them.
    pub const ALL: [Self; 8] = [
        Self::Transition,
        Self::State,
        Self::Target,
        Self::SentType,
        Self::ReceivedType,
        Self::Event,
        Self::Creation,
        Self::Data,
    ];
}

/// A system that is wrong in one place: at one of the given transitions, the one that the number
/// chooses. `None` if none of them can be wrong in this way.
#[must_use]
pub fn mutated(
    abstraction: &Abstraction,
    at: &BTreeSet<TransitionId>,
    mutation: Mutation,
    choice: usize,
) -> Option<Abstraction> {
    let system = &abstraction.system;
    let other_type = |message: MessageId| {
        let same =
            |id: &MessageId| *id != message && system.messages[*id].buffer == system.messages[message].buffer;
        system.messages.ids().find(same)
    };
    let other_state = |id: TransitionId| {
        let target = system.transitions[id].target;
        let class = system.states[target].class;
        system.states.ids().find(|state| *state != target && system.states[*state].class == class)
    };
    let possible: Vec<TransitionId> = at
        .iter()
        .copied()
        .filter(|id| {
            let transition = &system.transitions[*id];
            match mutation {
                Mutation::Transition | Mutation::State => true,
                Mutation::Target => other_state(*id).is_some(),
                Mutation::SentType | Mutation::ReceivedType => {
                    transition.events.first().is_some_and(|event| {
                        let sent = event.direction == Direction::Send;
                        sent == (mutation == Mutation::SentType) && other_type(event.message).is_some()
                    })
                }
                Mutation::Event => !transition.events.is_empty(),
                Mutation::Creation => !transition.creates.is_empty(),
                Mutation::Data => !transition.data.is_empty(),
            }
        })
        .collect();
    let chosen = *possible.get(choice.checked_rem(possible.len())?)?;
    let mut mutated = abstraction.clone();
    let transition = &mut mutated.system.transitions[chosen];
    match mutation {
        Mutation::Target => transition.target = other_state(chosen)?,
        Mutation::SentType | Mutation::ReceivedType => {
            let event = transition.events.first_mut()?;
            event.message = other_type(event.message)?;
        }
        Mutation::Event => transition.events.clear(),
        Mutation::Creation => transition.creates.clear(),
        Mutation::Data => transition.data.first_mut()?.change = i64::MIN / 2,
        Mutation::Transition | Mutation::State => {
            let source = transition.source;
            let kept = system.transitions.iter().filter(|(id, transition)| {
                *id != chosen && (mutation == Mutation::Transition || transition.source != source)
            });
            mutated.system.transitions = kept.map(|(_, transition)| transition.clone()).collect();
        }
    }
    Some(mutated)
}
