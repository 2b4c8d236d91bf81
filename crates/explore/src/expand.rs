//! Computes the steps of a state, in the order in which Spin's verifier tries them.

use cfsm_core::ids::Id;
use cfsm_core::program::Hold;

use crate::code::{Choice, TypeCode};
use crate::evaluate::Scene;
use crate::perform::Effect;
use crate::ready::Ready;
use crate::semantics::Semantics;
use crate::state::State;
use crate::waiting::Waiting;
use crate::{Move, RunError, Step};

/// Outcome of trying a choice.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Taken {
    /// It is not executable.
    No,
    /// It was executed.
    Yes,
    /// It is a rendezvous send without a receiver.
    Unanswered,
}

/// Moves and errors of a step so far.
#[derive(Clone, Debug, Default)]
struct Log {
    moves: Vec<Move>,
    errors: Vec<RunError>,
}

impl Log {
    fn failed(mut self, error: RunError) -> Step {
        self.errors.push(error);
        Step { moves: self.moves, errors: self.errors, after: None }
    }
}

/// Rule for escapes (`unless`): the choices of a process are tried in order, those of escapes
/// first. Once a choice of an escape was executed, only choices of the same escape count.
#[derive(Debug, Default)]
struct Escapes {
    rank: u8,
}

impl Escapes {
    const fn exclude(&self, choice: &Choice) -> bool {
        self.rank > 0 && self.rank != choice.rank
    }

    const fn note(&mut self, choice: &Choice, taken: Taken) {
        match taken {
            Taken::No => {}
            Taken::Yes => self.rank = choice.rank,
            // Spin's verifier forgets here that something was executed before.
            Taken::Unanswered => self.rank = 0,
        }
    }
}

/// Computation of the steps of one state.
pub(crate) struct Expansion<'a> {
    pub semantics: &'a Semantics,
    pub state: &'a State,
    /// `true` if moves and messages are recorded.
    pub record: bool,
    /// `true` if only the existence of steps matters: which process may move behind them is not
    /// computed.
    pub probe: bool,
    pub steps: &'a mut Vec<Step>,
    /// States whose storage is reused.
    pub room: &'a mut Vec<State>,
    /// The channels whose sends wait although they need not.
    pub waiting: Waiting,
}

impl<'a> Expansion<'a> {
    /// A computation that appends to `steps`.
    pub const fn new(
        semantics: &'a Semantics,
        state: &'a State,
        record: bool,
        steps: &'a mut Vec<Step>,
        room: &'a mut Vec<State>,
    ) -> Self {
        Self { semantics, state, record, probe: false, steps, room, waiting: Waiting::Nowhere }
    }

    /// Appends all steps: for each choice of waiting sends, the executable ones, or those that
    /// `timeout` enables if there are none.
    pub fn all(&mut self) {
        self.for_each_choice(Self::chosen);
    }

    /// Appends all steps for the current choice of waiting sends.
    pub fn chosen(&mut self) {
        let before = self.steps.len();
        self.pass(false);
        if self.steps.len() == before && self.semantics.has_timeout {
            self.pass(true);
        }
    }

    /// Appends all steps of one process; if `timeout`, as if no process could step.
    pub fn alone(&mut self, process: usize, timeout: bool) {
        self.for_each_choice(|expansion| expansion.process(process, timeout));
    }

    /// Collects the steps for each choice of waiting sends, without duplicates.
    fn for_each_choice(&mut self, mut collect: impl FnMut(&mut Self)) {
        let choices = match self.semantics.choices_of_waiting(self.state) {
            Ok(choices) => choices,
            Err(error) => return self.steps.push(Log::default().failed(error)),
        };
        for waiting in choices {
            self.waiting = waiting;
            let before = self.steps.len();
            collect(self);
            for at in (before..self.steps.len()).rev() {
                if self.steps[..before].contains(&self.steps[at]) {
                    self.steps.remove(at);
                }
            }
        }
    }

    fn scene(&self, process: usize) -> Scene {
        Scene { waiting: self.waiting, ..Scene::of(process) }
    }

    fn pass(&mut self, timeout: bool) {
        match self.state.held {
            Some(process) => self.process(process.into(), timeout),
            None => (0..self.state.process_count()).rev().for_each(|process| self.process(process, timeout)),
        }
    }

    /// Appends the steps of a process.
    pub fn process(&mut self, process: usize, timeout: bool) {
        let mut scene = Scene { timeout, ..self.scene(process) };
        match self.semantics.may_step(self.state, &scene) {
            Ok(true) => {}
            Ok(false) => return,
            Err(error) => return self.steps.push(Log::default().failed(error)),
        }
        let semantics = self.semantics;
        let ty = semantics.type_at(self.state, process);
        let location = self.state.location_of(process);
        if location == ty.exit {
            return self.death(process);
        }
        let mut escapes = Escapes::default();
        for choice in &ty.choices[location.index()] {
            if escapes.exclude(choice) {
                break;
            }
            let taken = self.choice(&scene, ty, choice);
            escapes.note(choice, taken);
            scene.moved |= taken == Taken::Yes;
        }
    }

    /// Appends the death of a process. Processes die in the reverse order of their creation.
    fn death(&mut self, process: usize) {
        if process + 1 != self.state.process_count() {
            return;
        }
        let process_type = self.state.type_of(process);
        let mut after = self.copy(self.state);
        after.pop_process();
        after.held = None;
        self.semantics.note_last(&mut after, process);
        let end = Move { process, process_type, edge: None, sent: None, received: None, created: None };
        let moves = if self.record { vec![end] } else { Vec::new() };
        self.steps.push(Step { moves, errors: Vec::new(), after: Some(after) });
    }

    fn choice(&mut self, scene: &Scene, ty: &TypeCode, choice: &Choice) -> Taken {
        match self.semantics.first_ready(self.state, scene, choice) {
            Ok(None) => Taken::No,
            Ok(Some((edge, Ready::Offer { queue }))) if !choice.d_step => {
                self.rendezvous(scene, ty, edge, queue)
            }
            Ok(Some((edge, ready))) => {
                let next = self.copy(self.state);
                let step = self.execute(next, scene, edge, ready, Log::default());
                self.steps.push(step);
                Taken::Yes
            }
            Err(error) => {
                let mut log = Log::default();
                if self.record {
                    log.moves.push(self.attempt(self.state, scene.process, choice.first));
                }
                self.steps.push(log.failed(error));
                // The run ends here, so a later `else` is not executable.
                Taken::Yes
            }
        }
    }

    /// A rendezvous send, once for each process that can receive.
    fn rendezvous(&mut self, scene: &Scene, ty: &TypeCode, edge: u32, queue: usize) -> Taken {
        let mut middle = self.copy(self.state);
        let mut log = Log::default();
        let code = &ty.edges[edge as usize];
        if let Err(error) = self.statement(&mut middle, scene, edge, Ready::Offer { queue }, &mut log) {
            self.steps.push(log.failed(error));
            return Taken::Yes;
        }
        debug_assert_eq!(middle.location_of(scene.process), code.target, "the sender has moved on");
        let mut answered = false;
        for receiver in (0..middle.process_count()).rev().filter(|receiver| *receiver != scene.process) {
            let scene = Scene { offer: Some(queue), ..self.scene(receiver) };
            answered |= self.receiver(&middle, &scene, &log);
        }
        self.room.push(middle);
        if answered { Taken::Yes } else { Taken::Unanswered }
    }

    /// Appends the steps of a receiver and returns `true` if it takes the message. If evaluating
    /// its receive is an error, it does not take it: any process may be at a receive, whatever the
    /// channel is, and must not disable an `else` by that.
    fn receiver(&mut self, middle: &State, scene: &Scene, log: &Log) -> bool {
        match self.semantics.may_step(middle, scene) {
            Ok(true) => {}
            Ok(false) => return false,
            Err(error) => {
                self.steps.push(log.clone().failed(error));
                return false;
            }
        }
        let mut takes = false;
        let semantics = self.semantics;
        let ty = semantics.type_at(middle, scene.process);
        let mut escapes = Escapes::default();
        for choice in &ty.choices[middle.location_of(scene.process).index()] {
            if escapes.exclude(choice) {
                break;
            }
            match semantics.first_ready(middle, scene, choice) {
                Ok(None) => {}
                Ok(Some((edge, ready))) => {
                    let next = self.copy(middle);
                    let step = self.execute(next, scene, edge, ready, log.clone());
                    self.steps.push(step);
                    escapes.note(choice, Taken::Yes);
                    takes = true;
                }
                Err(error) => {
                    let mut log = log.clone();
                    if self.record {
                        log.moves.push(self.attempt(middle, scene.process, choice.first));
                    }
                    self.steps.push(log.failed(error));
                }
            }
        }
        takes
    }

    fn copy(&mut self, state: &State) -> State {
        let mut copy = self.room.pop().unwrap_or_default();
        copy.clone_from(state);
        copy
    }

    /// Executes the statement of an edge and the rest of its `d_step`.
    fn execute(&self, mut next: State, scene: &Scene, edge: u32, ready: Ready, mut log: Log) -> Step {
        match self.statements(&mut next, scene, edge, ready, &mut log) {
            Ok(hold) => {
                if !self.probe {
                    self.semantics.settle(&mut next, scene, hold);
                }
                Step { moves: log.moves, errors: log.errors, after: Some(next) }
            }
            Err(error) => log.failed(error),
        }
    }

    fn statements(
        &self,
        next: &mut State,
        scene: &Scene,
        mut at: u32,
        mut ready: Ready,
        log: &mut Log,
    ) -> Result<Hold, RunError> {
        let semantics = self.semantics;
        let ty = semantics.type_at(next, scene.process);
        let scene = &mut scene.clone();
        let limit = semantics.options.d_step_limit;
        for _ in 0..=limit {
            let edge = &ty.edges[at as usize];
            let in_d_step = edge.d_step.is_some();
            if in_d_step && matches!(ready, Ready::Offer { .. }) {
                if self.record {
                    log.moves.push(self.attempt(next, scene.process, at));
                }
                return Err(RunError::DStepRendezvous);
            }
            self.statement(next, scene, at, ready, log)?;
            if edge.hold != Hold::DStep {
                return Ok(edge.hold);
            }
            scene.offer = None;
            scene.moved = false;
            let (from, to) = ty.ranges[edge.target.index()];
            let inside = Choice { first: from, count: to - from, d_step: true, rank: 0 };
            (at, ready) = semantics.first_ready(next, scene, &inside)?.ok_or(RunError::DStepBlocks)?;
        }
        Err(RunError::DStepTooLong(limit))
    }

    /// Executes one statement and logs it.
    fn statement(
        &self,
        next: &mut State,
        scene: &Scene,
        edge: u32,
        ready: Ready,
        log: &mut Log,
    ) -> Result<(), RunError> {
        let mut effect = Effect { record: self.record, ..Effect::default() };
        let mut moved = self.attempt(next, scene.process, edge);
        let code = &self.semantics.type_at(next, scene.process).edges[edge as usize];
        let result = self.semantics.perform(next, scene, code, ready, &mut effect);
        log.errors.append(&mut effect.errors);
        if self.record {
            (moved.sent, moved.received, moved.created) = (effect.sent, effect.received, effect.created);
            log.moves.push(moved);
        }
        result
    }

    /// A move without effects (so far).
    fn attempt(&self, state: &State, process: usize, edge: u32) -> Move {
        let process_type = state.type_of(process);
        let edge = self.semantics.types[process_type.index()].edges.get(edge as usize).map(|edge| edge.id);
        Move { process, process_type, edge, sent: None, received: None, created: None }
    }
}

impl Semantics {
    pub(crate) fn type_at(&self, state: &State, process: usize) -> &TypeCode {
        &self.types[state.type_of(process).index()]
    }

    fn note_last(&self, state: &mut State, process: usize) {
        if self.has_last {
            state.last = u16::try_from(process).unwrap_or(u16::MAX);
        }
    }

    /// Determines the process that moves next: one inside `atomic` keeps control while it can step.
    fn settle(&self, next: &mut State, scene: &Scene, hold: Hold) {
        self.note_last(next, scene.process);
        next.held = None;
        if hold == Hold::Atomic && self.can_step(next, scene.process, scene.waiting) {
            next.held = u16::try_from(scene.process).ok();
        }
    }

    /// Returns `true` if a process has a step, apart from priorities of others and `timeout`. An
    /// error counts as a step.
    fn can_step(&self, state: &State, process: usize, waiting: Waiting) -> bool {
        let scene = Scene { waiting, ..Scene::of(process) };
        match self.may_step(state, &scene) {
            Ok(true) => {}
            Ok(false) => return false,
            Err(_) => return true,
        }
        let ty = self.type_at(state, process);
        let location = state.location_of(process);
        if location == ty.exit {
            return process + 1 == state.process_count();
        }
        ty.choices[location.index()].iter().any(|choice| match self.first_ready(state, &scene, choice) {
            Ok(None) => false,
            Ok(Some((_, Ready::Offer { .. }))) if !choice.d_step => self.is_answered(state, &scene, choice),
            Ok(Some(_)) | Err(_) => true,
        })
    }

    fn is_answered(&self, state: &State, scene: &Scene, choice: &Choice) -> bool {
        let (mut steps, mut room) = (Vec::new(), Vec::new());
        let (steps, room) = (&mut steps, &mut room);
        let mut expansion = Expansion {
            probe: true,
            waiting: scene.waiting,
            ..Expansion::new(self, state, false, steps, room)
        };
        expansion.choice(scene, self.type_at(state, scene.process), choice) == Taken::Yes
    }
}
