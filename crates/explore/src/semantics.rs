//! The semantics of one program: initial state, successors, and tests of states.

use cfsm_core::ids::Id;
use cfsm_core::program::{Environment, ProcessTypeId, Program};

use crate::code::{QueueCode, Statement, TypeCode, VariableCode};
use crate::encode::Places;
use crate::expand::Expansion;
use crate::waiting::WaitingChoices;
use crate::{Options, Process, RunError, State, Step, Unsupported, compile};

/// A program prepared for execution.
#[derive(Clone, Debug)]
pub struct Semantics {
    pub(crate) options: Options,
    pub(crate) globals: Vec<VariableCode>,
    /// Indices of the globals, in the order of their initialisation.
    pub(crate) global_order: Vec<usize>,
    /// Number of cells of the globals.
    pub(crate) global_cells: u32,
    pub(crate) types: Vec<TypeCode>,
    /// Numbering of all locations of all types.
    pub(crate) places: Places,
    pub(crate) queues: Vec<QueueCode>,
    /// The types and numbers of the processes that exist initially.
    pub(crate) start: Vec<(ProcessTypeId, u32)>,
    /// `true` if the program uses `timeout`.
    pub(crate) has_timeout: bool,
    /// `true` if the program uses `_last`.
    pub(crate) has_last: bool,
    /// `true` if priorities may differ.
    pub(crate) has_priorities: bool,
    /// `true` if there is a rendezvous channel.
    pub(crate) has_rendezvous: bool,
    /// The choices of waiting sends, where sends may wait.
    pub(crate) waiting_choices: WaitingChoices,
    /// `true` if a `d_step` that blocks in the middle is not a step.
    pub(crate) whole_steps: bool,
    /// The environment, if the program is open.
    pub(crate) environment: Option<Environment>,
}

impl Semantics {
    /// Prepares a program. Time linear in the program.
    ///
    /// # Errors
    /// The construct of the program that cannot be executed.
    pub fn new(program: &Program, options: &Options) -> Result<Self, Unsupported> {
        compile::compile(program, options)
    }

    /// The options of the execution.
    #[must_use]
    pub const fn options(&self) -> &Options {
        &self.options
    }

    /// Returns `true` if the environment of the program may do more than is tried, so that the
    /// states that are reached need not be all.
    #[must_use]
    pub fn leaves_out_steps(&self) -> bool {
        self.environment.as_ref().is_some_and(|environment| !environment.is_complete)
    }

    /// Returns `true` if the program is open.
    #[must_use]
    pub const fn is_open(&self) -> bool {
        self.environment.is_some()
    }

    /// All steps of a state, in a fixed order: processes from the last one to the first, the edges
    /// of each in their order, and for a rendezvous the receivers from the last process to the
    /// first. If no process can step, these are the steps that `timeout` enables.
    #[must_use]
    pub fn successors(&self, state: &State) -> Vec<Step> {
        let mut steps = Vec::new();
        self.expand(state, true, &mut steps);
        steps
    }

    /// The steps of a state, separately for each choice of waiting sends.
    pub(crate) fn successors_of_choices(&self, state: &State) -> Vec<Vec<Step>> {
        let Ok(choices) = self.choices_of_waiting(state) else { return Vec::new() };
        let of_choice = |waiting| {
            let (mut steps, mut room) = (Vec::new(), Vec::new());
            Expansion { waiting, ..Expansion::new(self, state, true, &mut steps, &mut room) }.chosen();
            self.leave_whole_steps(&mut steps);
            steps
        };
        choices.into_iter().map(of_choice).collect()
    }

    /// Appends the steps of a state to `steps`, which should be empty; moves are recorded if
    /// `record`.
    pub(crate) fn expand(&self, state: &State, record: bool, steps: &mut Vec<Step>) {
        self.expand_in(state, record, steps, &mut Vec::new());
    }

    /// As [`expand`](Self::expand), reusing the storage of the states in `room`.
    pub(crate) fn expand_in(
        &self,
        state: &State,
        record: bool,
        steps: &mut Vec<Step>,
        room: &mut Vec<State>,
    ) {
        Expansion::new(self, state, record, steps, room).all();
        self.leave_whole_steps(steps);
    }

    /// Appends the steps of one process, without those that `timeout` enables.
    pub(crate) fn expand_process(
        &self,
        state: &State,
        process: usize,
        record: bool,
        steps: &mut Vec<Step>,
        room: &mut Vec<State>,
    ) {
        self.expand_waiting(state, process, record, false, steps, room);
    }

    /// Appends the steps of one process; if `timeout`, as if no process could step without it.
    pub(crate) fn expand_waiting(
        &self,
        state: &State,
        process: usize,
        record: bool,
        timeout: bool,
        steps: &mut Vec<Step>,
        room: &mut Vec<State>,
    ) {
        Expansion::new(self, state, record, steps, room).alone(process, timeout);
        self.leave_whole_steps(steps);
    }

    fn leave_whole_steps(&self, steps: &mut Vec<Step>) {
        if self.whole_steps {
            steps.retain(|step| step.errors.last() != Some(&RunError::DStepBlocks));
        }
    }

    /// Returns `true` if messages are put into queues in the middle of steps. A whole step has no
    /// middle.
    pub(crate) fn sends_in_d_step(&self) -> bool {
        if self.whole_steps {
            return false;
        }
        let edges = self.types.iter().flat_map(|ty| &ty.edges);
        edges
            .into_iter()
            .any(|edge| edge.d_step.is_some() && matches!(edge.statement, Statement::Send { .. }))
    }

    /// Returns `true` if all processes are at valid end states: each has terminated or is at a
    /// location with an `end` label.
    #[must_use]
    pub fn is_valid_end(&self, state: &State) -> bool {
        state.processes().all(|process| self.has_ended(process) || self.may_rest(process))
    }

    /// Returns `true` if some process has not terminated, and none of these is at a location with
    /// an `end` label. A state without steps is then a deadlock of the whole program.
    #[must_use]
    pub fn is_deadlock(&self, state: &State) -> bool {
        let mut left = state.processes().filter(|process| !self.has_ended(*process)).peekable();
        left.peek().is_some() && left.all(|process| !self.may_rest(process))
    }

    fn has_ended(&self, process: Process) -> bool {
        process.location == self.types[process.process_type.index()].exit
    }

    /// Returns `true` if a process is at a location with an `end` label.
    fn may_rest(&self, process: Process) -> bool {
        self.types[process.process_type.index()].ends[process.location.index()]
    }
}
