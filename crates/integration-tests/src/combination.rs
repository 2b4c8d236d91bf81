//! What makes a combination of cycles and paths a counterexample.

use std::collections::BTreeSet;

use cfsm_core::ids::Id;
use cfsm_core::system::{BufferId, ClassId, Direction, StateId, System, TransitionId};
use ilp_encode::{Behaviour, Combination, Row};
use num_bigint::BigInt;
use num_traits::{Signed, Zero};

/// What a combination adds up to.
struct Sum {
    messages: Vec<BigInt>,
    data: Vec<BigInt>,
    /// Per class, instances created minus instances started.
    instances: Vec<BigInt>,
}

/// Checks a counterexample from first principles: its cycles are closed and elementary, its paths
/// begin where instances do, and run as often as it says they take from no place on balance and add
/// to those that it names, messages of `buffer` among them.
///
/// # Errors
/// What is wrong with it.
pub fn verify(system: &System, combination: &Combination, buffer: BufferId) -> Result<(), String> {
    let mut sum = Sum {
        messages: vec![BigInt::ZERO; system.messages.len()],
        data: vec![BigInt::ZERO; system.data.len()],
        instances: vec![BigInt::ZERO; system.classes.len()],
    };
    for (behaviour, times) in &combination.parts {
        if !times.is_positive() {
            return Err(format!("{behaviour:?} is run {times} times"));
        }
        let transitions = match behaviour {
            Behaviour::Cycle(transitions) => {
                closed_and_elementary(system, transitions)?;
                transitions
            }
            Behaviour::Path(class, transitions) => {
                connected(system, system.classes[*class].initial, transitions)?;
                sum.instances[class.index()] -= times;
                transitions
            }
        };
        transitions.iter().for_each(|transition| sum.add(system, *transition, times));
    }
    sum.takes_from_no_place(system)?;
    sum.gains_are_right(combination)?;
    let grows =
        |row: &Row| matches!(row, Row::Message(message) if system.messages[*message].buffer == buffer);
    if combination.gains.iter().any(|(row, _)| grows(row)) {
        Ok(())
    } else {
        Err(format!("{} does not grow", system.buffers[buffer].name))
    }
}

/// Follows transitions and returns where they end.
fn connected(system: &System, start: StateId, transitions: &[TransitionId]) -> Result<StateId, String> {
    transitions.iter().try_fold(start, |at, id| {
        let transition = &system.transitions[*id];
        if transition.source == at {
            Ok(transition.target)
        } else {
            Err(format!("{id:?} does not begin at {}", system.state_name(at)))
        }
    })
}

fn closed_and_elementary(system: &System, transitions: &[TransitionId]) -> Result<(), String> {
    let first = transitions.first().ok_or("a cycle of nothing")?;
    let start = system.transitions[*first].source;
    if connected(system, start, transitions)? != start {
        return Err(format!("{transitions:?} does not come back"));
    }
    let entered: BTreeSet<StateId> = transitions.iter().map(|id| system.transitions[*id].target).collect();
    let classes: BTreeSet<ClassId> = entered.iter().map(|state| system.states[*state].class).collect();
    if entered.len() == transitions.len() && classes.len() == 1 {
        Ok(())
    } else {
        Err(format!("{transitions:?} enters a state twice, or two classes"))
    }
}

impl Sum {
    fn add(&mut self, system: &System, transition: TransitionId, times: &BigInt) {
        let transition = &system.transitions[transition];
        for event in &transition.events {
            let message = &mut self.messages[event.message.index()];
            match event.direction {
                Direction::Send => *message += times * event.count,
                Direction::Receive => *message -= times * event.count,
            }
        }
        for data in &transition.data {
            self.data[data.place.index()] += times * data.change;
        }
        for class in &transition.creates {
            self.instances[class.index()] += times;
        }
    }

    fn takes_from_no_place(&self, system: &System) -> Result<(), String> {
        for (message, change) in system.messages.ids().zip(&self.messages) {
            if change.is_negative() || (system.is_rendezvous(message) && !change.is_zero()) {
                return Err(format!("{} changes by {change}", system.message_name(message)));
            }
        }
        for (place, change) in system.data.values().zip(&self.data) {
            if change.is_negative() {
                return Err(format!("{} changes by {change}", place.name));
            }
        }
        for (class, change) in system.classes.values().zip(&self.instances) {
            if change.is_negative() {
                return Err(format!("{change} instances of {} left to start", class.name));
            }
        }
        Ok(())
    }

    /// All rows that gain are named, with what they gain, and no others.
    fn gains_are_right(&self, combination: &Combination) -> Result<(), String> {
        let messages = self.messages.iter().enumerate().map(|(id, sum)| (Row::Message(Id::new(id)), sum));
        let data = self.data.iter().enumerate().map(|(id, sum)| (Row::Data(Id::new(id)), sum));
        let instances = self.instances.iter().enumerate().map(|(id, sum)| (Row::Entry(Id::new(id)), sum));
        let gained = messages.chain(data).chain(instances).filter(|(_, sum)| !sum.is_zero());
        let gained: Vec<(Row, BigInt)> = gained.map(|(row, sum)| (row, sum.clone())).collect();
        if gained == combination.gains {
            Ok(())
        } else {
            Err(format!("it says it gains {:?} and gains {gained:?}", combination.gains))
        }
    }
}
