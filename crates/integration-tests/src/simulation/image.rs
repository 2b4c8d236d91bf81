//! What may be the image of a run.

use std::collections::{BTreeMap, BTreeSet};

use abstraction::Abstraction;
use cfsm_core::ids::Id;
use cfsm_core::program::{Action, EdgeId, LocationId, ProcessTypeId, Program};
use cfsm_core::system::{BufferId, ClassId, Direction, Event, MessageId, StateId, Transition, TransitionId};
use explore::{Message, Move, Semantics, State, Step};

use super::data::{Measure, check_start, may_be_at};
use super::leaving::Leaving;
use super::registers::others;

/// What may be the image of a run so far.
#[derive(Clone, Debug)]
pub struct Image<'a> {
    program: &'a Program,
    semantics: &'a Semantics,
    leaving: &'a Leaving<'a>,
    known: Known,
    /// The states before and behind the step that is followed, if it is one of one statement, or a
    /// rendezvous.
    turn: Option<(State, State)>,
    /// Transitions that were the only image of a step.
    needed: BTreeSet<TransitionId>,
}

/// The sets.
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Known {
    /// Where each process may be, by its number, and where it is.
    processes: Vec<(LocationId, BTreeSet<StateId>)>,
    /// Classes that those which are there from the beginning may belong to, also when they are
    /// gone.
    first: Vec<BTreeSet<ClassId>>,
    /// How many of those are there.
    left: usize,
    /// Of each queue, by its number.
    buffers: BTreeMap<usize, BTreeSet<BufferId>>,
    /// What each register holds, as far as that is known.
    held: BTreeMap<ClassId, String>,
    /// Of each message that was ever in a queue.
    messages: BTreeMap<(usize, Vec<i64>), BTreeSet<MessageId>>,
}

impl<'a> Image<'a> {
    /// The image of a run that has no steps yet.
    ///
    /// # Errors
    /// What is wrong if there is none.
    pub fn new(
        program: &'a Program,
        semantics: &'a Semantics,
        leaving: &'a Leaving<'a>,
        start: &State,
    ) -> Result<Self, String> {
        let mut image = Self {
            program,
            semantics,
            leaving,
            known: Known::default(),
            turn: None,
            needed: BTreeSet::new(),
        };
        check_start(leaving.abstraction, semantics, start)?;
        let system = &leaving.abstraction.system;
        for register in &leaving.abstraction.registers {
            let initial = system.classes[register.class].initial;
            image.known.held.insert(register.class, system.states[initial].name.clone());
        }
        let Abstraction { system, process_types, .. } = leaving.abstraction;
        for process in start.processes() {
            let classes: BTreeSet<ClassId> = process_types
                .iter()
                .filter(|(class, ty)| **ty == process.process_type && system.classes[*class].instances > 0)
                .map(|(class, _)| class)
                .collect();
            image.enter(process.process_type, classes.iter().copied())?;
            image.known.first.push(classes);
        }
        image.known.left = image.known.first.len();
        for (id, ty) in program.types.iter() {
            let classes = process_types.iter().filter(|(_, of)| **of == id);
            let abstractly: u64 = classes.map(|(class, _)| u64::from(system.classes[class].instances)).sum();
            let concretely = start.processes().filter(|process| process.process_type == id).count();
            if u64::try_from(concretely) != Ok(abstractly) {
                return Err(format!(
                    "{}: {concretely} instances at the start, {abstractly} in the system",
                    ty.name
                ));
            }
        }
        Ok(image)
    }

    /// The sets.
    #[must_use]
    pub const fn known(&self) -> &Known {
        &self.known
    }

    /// Transitions that were the only image of a step.
    #[must_use]
    pub const fn needed(&self) -> &BTreeSet<TransitionId> {
        &self.needed
    }

    /// Lets a new process enter its type.
    fn enter(&mut self, ty: ProcessTypeId, classes: impl Iterator<Item = ClassId>) -> Result<(), String> {
        let Abstraction { system, locations, .. } = self.leaving.abstraction;
        let entry = self.program.types[ty].entry;
        let initial = classes.map(|class| system.classes[class].initial);
        let states: BTreeSet<StateId> = initial.filter(|state| locations[*state] == (ty, entry)).collect();
        if states.is_empty() {
            return Err(format!("no class for a new process of type {}", self.program.types[ty].name));
        }
        self.known.processes.push((entry, states));
        Ok(())
    }

    /// Keeps what has an image of a step.
    ///
    /// # Errors
    /// What is wrong if nothing has one.
    pub fn follow(&mut self, before: &State, step: &Step) -> Result<(), String> {
        let Some(after) = &step.after else { return Ok(()) };
        let whole = match step.moves.as_slice() {
            [_] => true,
            [one, _] => one.sent.as_ref().is_some_and(|message| self.is_rendezvous(after, message)),
            _ => false,
        };
        self.turn = whole.then(|| (before.clone(), after.clone()));
        let mut moves = step.moves.iter();
        while let Some(one) = moves.next() {
            match (one.edge, &one.sent) {
                (None, _) => self.forget(after),
                (Some(edge), Some(message)) if self.is_rendezvous(after, message) => {
                    let other = moves.next().ok_or("a rendezvous of one process")?;
                    let back = other.edge.ok_or("a rendezvous with nobody")?;
                    self.rendezvous(after, message, [(one, edge), (other, back)])?;
                }
                (Some(edge), _) => self.single(after, one, edge)?,
            }
        }
        self.turn = None;
        self.measure(after)?;
        self.compare(after)
    }

    /// Where processes cannot be because they would have less than nothing of some quantity, they
    /// are not.
    fn measure(&mut self, after: &State) -> Result<(), String> {
        let (abstraction, semantics) = (self.leaving.abstraction, self.semantics);
        for (number, (_, states)) in self.known.processes.iter_mut().enumerate() {
            states.retain(|state| may_be_at(abstraction, semantics, after, number, *state));
            if states.is_empty() {
                return Err("less than nothing of a quantity".into());
            }
        }
        Ok(())
    }

    fn is_rendezvous(&self, state: &State, message: &Message) -> bool {
        self.semantics.queue(state, message.queue).is_some_and(|queue| queue.rendezvous)
    }

    /// Forgets the last process and its queues.
    fn forget(&mut self, after: &State) {
        self.known.processes.truncate(after.process_count());
        self.known.left = self.known.left.min(after.process_count());
        let left = after.queue_count();
        self.known.buffers.retain(|queue, _| *queue <= left);
        self.known.messages.retain(|(queue, _), _| *queue <= left);
    }

    /// The transitions that may be the image of an edge, as far as its ends go.
    fn candidates(&self, one: &Move, edge: EdgeId) -> Result<Vec<TransitionId>, String> {
        let Abstraction { system, locations, .. } = self.leaving.abstraction;
        let edge = &self.program.types[one.process_type].edges[edge];
        let (at, states) = self.known.processes.get(one.process).ok_or("an unknown process")?;
        if *at != edge.source {
            return Err(format!("process {} is not where its edge begins", one.process));
        }
        let leaving = states.iter().flat_map(|state| &self.leaving.by_state[state.index()]).copied();
        let target = (one.process_type, edge.target);
        Ok(leaving.filter(|id| locations[system.transitions[*id].target] == target).collect())
    }

    fn transition(&self, id: TransitionId) -> &'a Transition {
        &self.leaving.abstraction.system.transitions[id]
    }

    /// What a transition sends and receives, but for what it says to registers.
    fn events(&self, id: TransitionId) -> impl Iterator<Item = &'a Event> + 'a {
        let Abstraction { system, registers, .. } = self.leaving.abstraction;
        others(registers, system, id)
    }

    /// The step of one process, with or without a message.
    fn single(&mut self, after: &State, one: &Move, edge: EdgeId) -> Result<(), String> {
        let candidates = self.candidates(one, edge)?;
        let message = match (&one.sent, &one.received) {
            (Some(_), Some(_)) => return Err("a statement that sends and receives".into()),
            (Some(message), None) => Some((Direction::Send, message)),
            (None, Some(message)) => Some((Direction::Receive, message)),
            (None, None) => None,
        };
        let kept: Vec<TransitionId> = match message {
            Some((direction, message)) => {
                let types = self.types(after, message)?;
                let kept = self.with_message(&candidates, direction, &types);
                let types = kept.iter().filter_map(|id| self.message_of(*id)).collect();
                self.learn(message, types)?;
                self.takes_turns(one, edge, message)?;
                kept
            }
            None => {
                let events = |id: &TransitionId| self.events(*id).next().is_none();
                candidates.into_iter().filter(events).collect()
            }
        };
        let creates = usize::from(one.created.is_some());
        let kept: Vec<TransitionId> =
            kept.into_iter().filter(|id| self.transition(*id).creates.len() == creates).collect();
        self.keep(one, edge, &kept)?;
        let Some(created) = one.created else { return Ok(()) };
        let ty = after.process(created).ok_or("a created process that is not there")?.process_type;
        let process_types = &self.leaving.abstraction.process_types;
        let classes: BTreeSet<ClassId> = kept
            .iter()
            .map(|id| self.transition(*id).creates[0])
            .filter(|class| process_types[*class] == ty)
            .collect();
        self.enter(ty, classes.into_iter())
    }

    /// A send and a receive of the same message type.
    fn rendezvous(
        &mut self,
        after: &State,
        message: &Message,
        sides: [(&Move, EdgeId); 2],
    ) -> Result<(), String> {
        let types = self.types(after, message)?;
        let [(sender, out), (receiver, back)] = sides;
        if receiver.received.as_ref() != Some(message) {
            return Err("a rendezvous that hands over something else".into());
        }
        let sends = self.with_message(&self.candidates(sender, out)?, Direction::Send, &types);
        let receives = self.with_message(&self.candidates(receiver, back)?, Direction::Receive, &types);
        let of = |ids: &[TransitionId]| -> BTreeSet<MessageId> {
            ids.iter().filter_map(|id| self.message_of(*id)).collect()
        };
        let both: BTreeSet<MessageId> = of(&sends).intersection(&of(&receives)).copied().collect();
        let sends = self.with_message(&sends, Direction::Send, &both);
        let receives = self.with_message(&receives, Direction::Receive, &both);
        self.learn(message, both)?;
        self.keep(sender, out, &sends)?;
        self.keep(receiver, back, &receives)
    }

    /// Those that send or receive one message of one of the types and do nothing else.
    fn with_message(
        &self,
        candidates: &[TransitionId],
        direction: Direction,
        types: &BTreeSet<MessageId>,
    ) -> Vec<TransitionId> {
        let fits = |id: &&TransitionId| match self.events(**id).collect::<Vec<_>>()[..] {
            [event] => event.direction == direction && event.count == 1 && types.contains(&event.message),
            _ => false,
        };
        candidates.iter().filter(fits).copied().collect()
    }

    fn message_of(&self, id: TransitionId) -> Option<MessageId> {
        self.events(id).next().map(|event| event.message)
    }

    /// The types that a message in a queue may be of.
    fn types(&mut self, after: &State, message: &Message) -> Result<BTreeSet<MessageId>, String> {
        let Abstraction { system, declarations, .. } = self.leaving.abstraction;
        let buffers = match self.known.buffers.get(&message.queue) {
            Some(buffers) => buffers.clone(),
            None => {
                let origin = self.semantics.queue_origin(after, message.queue).ok_or("an unknown queue")?;
                let owner = origin.process.map(|(_, ty)| ty);
                declarations
                    .iter()
                    .filter(|(_, declaration)| {
                        let element = declaration.element.map_or(0, |element| element as usize);
                        (declaration.process_type, declaration.variable, element)
                            == (owner, origin.variable, origin.element)
                    })
                    .map(|(id, _)| id)
                    .collect()
            }
        };
        let of_buffers = |id: &MessageId| buffers.contains(&system.messages[*id].buffer);
        Ok(match self.known.messages.get(&(message.queue, message.fields.clone())) {
            Some(types) => types.iter().copied().filter(of_buffers).collect(),
            None => system.messages.ids().filter(of_buffers).collect(),
        })
    }

    /// Whether a statement sends to the end of a queue, or takes what is at the front, if its
    /// buffer is one that keeps order.
    fn takes_turns(&self, one: &Move, edge: EdgeId, message: &Message) -> Result<(), String> {
        let action = &self.program.types[one.process_type].edges[edge].action;
        let jumps =
            matches!(action, Action::Send { sorted: true, .. } | Action::Receive { random: true, .. });
        let system = &self.leaving.abstraction.system;
        let buffers = self.known.buffers.get(&message.queue);
        if jumps && buffers.is_some_and(|buffers| buffers.iter().all(|buffer| system.keeps_order(*buffer))) {
            return Err("a statement does not keep the order of a buffer that does".into());
        }
        Ok(())
    }

    /// What a step says of a message and of its queue. A buffer that keeps the order of messages is
    /// one queue.
    fn learn(&mut self, message: &Message, types: BTreeSet<MessageId>) -> Result<(), String> {
        let system = &self.leaving.abstraction.system;
        let buffers: BTreeSet<BufferId> = types.iter().map(|id| system.messages[*id].buffer).collect();
        let mut others = self.known.buffers.iter().filter(|(queue, _)| **queue != message.queue);
        let keeps = |buffer: &BufferId| system.order.is_some() || system.keeps_order(*buffer);
        if others.any(|(_, others)| others.intersection(&buffers).any(keeps)) {
            return Err("two queues are one buffer that keeps the order of messages".into());
        }
        self.known.buffers.insert(message.queue, buffers);
        self.known.messages.insert((message.queue, message.fields.clone()), types);
        Ok(())
    }

    /// The states behind the transitions are where the process may be now.
    fn keep(&mut self, one: &Move, edge: EdgeId, kept: &[TransitionId]) -> Result<(), String> {
        let target = self.program.types[one.process_type].edges[edge].target;
        let mut kept = kept.to_vec();
        if self.turn.is_none() {
            self.known.held.clear();
        }
        if let Some((before, after)) = &self.turn {
            let (abstraction, semantics) = (self.leaving.abstraction, self.semantics);
            let measure = Measure { abstraction, semantics, before, after };
            let globals = one.sent.is_none();
            let some = !kept.is_empty();
            kept.retain(|id| measure.allows(*id, one.process, one.created, globals));
            if !kept.is_empty() {
                kept.retain(|id| measure.tells_registers(self.program, *id, one.process));
                if kept.is_empty() {
                    return Err("the step does to a register what its transition does not say".into());
                }
                for register in &abstraction.registers {
                    let is_own = |id: &TransitionId| register.owner == Some(abstraction.system.class_of(*id));
                    if register.owner.is_some() && !kept.iter().all(is_own) {
                        // It may be its process, and may be another one.
                        if kept.iter().any(is_own) {
                            self.known.held.remove(&register.class);
                        }
                        continue;
                    }
                    let Some([was, is]) = measure.held(self.program, register, one.process) else { continue };
                    let held = self.known.held.insert(register.class, is);
                    if let Some(held) = held.filter(|held| *held != was) {
                        let name = &abstraction.system.classes[register.class].name;
                        return Err(format!("`{name}` holds {held}, and its variable {was}"));
                    }
                }
            }
            if some && kept.is_empty() {
                return Err("the step changes a quantity by more than its transition".into());
            }
        }
        let states: BTreeSet<StateId> = kept.iter().map(|id| self.transition(*id).target).collect();
        if states.is_empty() {
            return Err("the step has no image".into());
        }
        if let [only] = kept[..] {
            self.needed.insert(only);
        }
        if one.process < self.known.left {
            let system = &self.leaving.abstraction.system;
            self.known.first[one.process] = states.iter().map(|state| system.states[*state].class).collect();
        }
        self.known.processes[one.process] = (target, states);
        Ok(())
    }

    /// Whether the processes that were there at the start can be given to classes, each class as
    /// many as it has.
    ///
    /// # Errors
    /// If they cannot.
    pub fn finish(&self) -> Result<(), String> {
        let classes = &self.leaving.abstraction.system.classes;
        let mut given: Vec<(ClassId, Option<usize>)> = Vec::new();
        for (class, of) in classes.iter() {
            given.extend((0..of.instances).map(|_| (class, None)));
        }
        for process in 0..self.known.first.len() {
            let mut tried = vec![false; given.len()];
            if !self.give(process, &mut given, &mut tried) {
                return Err("more processes of the start in a class than it has".into());
            }
        }
        Ok(())
    }

    /// Gives a process a class, moving others where it has to.
    fn give(&self, process: usize, given: &mut [(ClassId, Option<usize>)], tried: &mut [bool]) -> bool {
        for at in 0..given.len() {
            if tried[at] || !self.known.first[process].contains(&given[at].0) {
                continue;
            }
            tried[at] = true;
            if given[at].1.is_none_or(|other| self.give(other, given, tried)) {
                given[at].1 = Some(process);
                return true;
            }
        }
        false
    }

    /// What was followed is what there is.
    fn compare(&self, after: &State) -> Result<(), String> {
        let known = self.known.processes.iter().map(|(location, _)| *location);
        let real = after.processes().map(|process| process.location);
        if known.eq(real) { Ok(()) } else { Err("the locations are others than those of the steps".into()) }
    }
}
