//! The program of a system of capsules, one run to completion after another.

use std::collections::{BTreeMap, HashSet};

use explore::{Buffers, Claims, Options, Semantics, State, Step};
use umlrt_front::model::CapsuleSystem;
use umlrt_front::{Inbox, Lowered};

use super::{Place, Runs, Seen, Waiting, queue_of};

/// Runs of a lowered system.
pub struct Runner<'l> {
    system: &'l CapsuleSystem,
    lowered: &'l Lowered,
    semantics: Semantics,
}

/// The most states inside one run to completion.
const MOST: usize = 20_000;

impl<'l> Runner<'l> {
    /// The runs of a lowered system.
    ///
    /// # Panics
    /// If its program cannot be run.
    #[must_use]
    pub fn new(system: &'l CapsuleSystem, lowered: &'l Lowered) -> Self {
        let options = Options { buffers: Buffers::Unbounded, claims: Claims::Ignored, ..Options::default() };
        let semantics = Semantics::new(&lowered.program, &options).expect("the program can be run");
        Self { system, lowered, semantics }
    }

    /// The message that a number in the channel of an inbox is.
    fn waiting(&self, inbox: &Inbox, number: i64) -> Waiting {
        let all = self.lowered.inboxes.iter();
        let own = all.filter(|(_, other)| other.channel == inbox.channel && other.first <= number);
        let (key, inbox) = own.max_by_key(|(_, other)| other.first).expect("the port of a message");
        Waiting {
            place: Place { instance: key.instance, port: key.port },
            message: usize::try_from(number - inbox.first).expect("a message"),
        }
    }

    /// True if a process is where it waits, or has not begun.
    fn rests(&self, state: &State, number: usize) -> bool {
        let Some(process) = state.process(number) else { return true };
        let mut types = self.lowered.processes.iter();
        let Some((instance, _)) = types.find(|(_, ty)| **ty == process.process_type) else { return true };
        self.lowered.stable[instance].contains_key(&process.location)
    }

    /// All states after one run to completion of one process.
    fn complete(&self, state: &State, number: usize, ends: &mut Vec<State>) {
        let (mut open, mut met) = (vec![state.clone()], HashSet::new());
        while let Some(state) = open.pop() {
            let steps = self.semantics.successors(&state).into_iter();
            let own = |step: &Step| step.moves.first().is_some_and(|first| first.process == number);
            let mut steps = steps.filter(own).peekable();
            let goes_on = steps.peek().is_some() || self.rests(&state, number);
            assert!(goes_on, "a run to completion goes on until it is complete");
            for step in steps {
                assert!(step.errors.is_empty(), "no step fails");
                let next = step.after.expect("no step ends the run");
                if !met.insert(next.clone()) {
                    continue;
                }
                if self.rests(&next, number) {
                    ends.push(next);
                } else {
                    assert!(met.len() < MOST, "a run to completion has too many states");
                    open.push(next);
                }
            }
        }
    }
}

impl Runs for Runner<'_> {
    type State = State;

    fn initial(&self) -> State {
        self.semantics.initial().expect("the program starts")
    }

    fn next(&self, state: &State) -> Vec<State> {
        let mut ends = Vec::new();
        for number in 0..state.process_count() {
            self.complete(state, number, &mut ends);
        }
        ends
    }

    fn seen(&self, state: &State) -> Seen {
        let mut seen = Seen { leaves: BTreeMap::new(), queues: BTreeMap::new() };
        for (&instance, ty) in &self.lowered.processes {
            let process = state.processes().find(|process| process.process_type == *ty);
            let stable = process.and_then(|process| self.lowered.stable[&instance].get(&process.location));
            if let Some(leaf) = stable.and_then(|stable| stable.configuration.leaf) {
                seen.leaves.insert(instance, leaf);
            }
        }
        for (key, inbox) in &self.lowered.inboxes {
            let number = self.semantics.global(state, inbox.channel, 0);
            let number = number.and_then(|number| usize::try_from(number).ok());
            let queue = number.and_then(|number| self.semantics.queue(state, number)).expect("a queue");
            let messages: Vec<Waiting> =
                queue.messages.iter().map(|message| self.waiting(inbox, message[0])).collect();
            if !messages.is_empty() {
                let place = Place { instance: key.instance, port: key.port };
                seen.queues.insert(queue_of(self.system, place), messages);
            }
        }
        seen.in_order(self.system)
    }
}
