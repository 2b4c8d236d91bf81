//! Systems of capsules, run in two ways: by an interpreter of the capsule model that is written
//! from docs/reference/umlrt.md and shares nothing with the lowering, and as the program that the
//! lowering makes.

mod collection;
mod exchange;
mod generator;
mod interpreter;
mod lowered;

use std::collections::{BTreeMap, HashSet};
use std::hash::Hash;

use umlrt_front::model::{CapsuleSystem, InstanceId, PortId, StateId, ThreadId};

pub use collection::{capsule_files, capsule_includes};
pub use exchange::exchange_text;
pub use generator::{Twins, room_text, twin_texts};
pub use interpreter::Interpreter;
pub(crate) use interpreter::{stored, value_of};
pub use lowered::Runner;

/// What can be seen of a system between two runs to completion.
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct Seen {
    /// The active leaf of each instance whose machine has been started.
    pub leaves: BTreeMap<InstanceId, StateId>,
    /// The messages in the queues that are not empty.
    pub queues: BTreeMap<Queue, Vec<Waiting>>,
}

impl Seen {
    /// The same, where messages may overtake each other with no order in the queues: which of those
    /// that are alike is taken out of a queue makes no difference.
    #[must_use]
    fn in_order(mut self, system: &CapsuleSystem) -> Self {
        if system.overtaking {
            self.queues.values_mut().for_each(|queue| queue.sort());
        }
        self
    }
}

/// A queue.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Queue {
    /// That of an end port alone.
    Port(Place),
    /// That of all instances on a thread.
    Thread(ThreadId),
}

/// A message in a queue.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Waiting {
    /// The port that it is sent to.
    pub place: Place,
    /// Its number in the protocol.
    pub message: usize,
}

/// The queue of the messages to a port.
#[must_use]
pub fn queue_of(system: &CapsuleSystem, place: Place) -> Queue {
    system.instances[place.instance].thread.map_or(Queue::Port(place), Queue::Thread)
}

/// An end port of an instance.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Place {
    /// The instance.
    pub instance: InstanceId,
    /// Its port.
    pub port: PortId,
}

/// A system that can be run, one run to completion of one instance after another.
pub trait Runs {
    /// A state of the system.
    type State: Clone + Eq + Hash;

    /// The state at the beginning.
    fn initial(&self) -> Self::State;

    /// All states after one run to completion.
    fn next(&self, state: &Self::State) -> Vec<Self::State>;

    /// What can be seen of a state.
    fn seen(&self, state: &Self::State) -> Seen;
}

/// Takes a random run of one system and looks for it in another one, step by step: among all states
/// of the other that agree with what was seen so far, some must be able to follow.
///
/// # Errors
/// What was seen last, if no state of the other can follow.
pub fn follow<L: Runs, F: Runs>(
    leader: &L,
    follower: &F,
    random: &mut cfsm_core::splitmix::SplitMix,
    steps: usize,
) -> Result<(), Seen> {
    let mut led = leader.initial();
    let mut following = vec![follower.initial()];
    for _ in 0..steps {
        let choices = leader.next(&led);
        if choices.is_empty() {
            return Ok(());
        }
        led = choices[random.below(choices.len())].clone();
        let seen = leader.seen(&led);
        let mut met = HashSet::new();
        let agreeing: Vec<F::State> = following
            .iter()
            .flat_map(|state| follower.next(state))
            .filter(|state| follower.seen(state) == seen && met.insert(state.clone()))
            .collect();
        if agreeing.is_empty() {
            return Err(seen);
        }
        following = agreeing;
    }
    Ok(())
}
