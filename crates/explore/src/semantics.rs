//! The semantics of one program.

use cfsm_core::ids::Id;
use cfsm_core::program::{ProcessTypeId, Program};

use crate::code::{QueueCode, Statement, TypeCode, VariableCode};
use crate::encode::Places;
use crate::expand::Expansion;
use crate::waiting::WaitingChoices;
use crate::{Options, Process, RunError, State, Step, Unsupported, compile};

/// What the runs of a program are.
#[derive(Clone, Debug)]
pub struct Semantics {
    pub(crate) options: Options,
    pub(crate) globals: Vec<VariableCode>,
    /// Positions of the globals, in the order of their initialisation.
    pub(crate) global_order: Vec<usize>,
    /// How many cells the globals have.
    pub(crate) global_cells: u32,
    pub(crate) types: Vec<TypeCode>,
    /// All locations of all types.
    pub(crate) places: Places,
    pub(crate) queues: Vec<QueueCode>,
    /// The processes that exist at the start.
    pub(crate) start: Vec<(ProcessTypeId, u32)>,
    /// Whether the program asks for `timeout`.
    pub(crate) has_timeout: bool,
    /// Whether the program asks which process moved last.
    pub(crate) has_last: bool,
    /// Whether priorities may differ.
    pub(crate) has_priorities: bool,
    /// Whether there is a rendezvous.
    pub(crate) has_rendezvous: bool,
    /// The choices of sends that wait, where they may.
    pub(crate) waiting_choices: WaitingChoices,
    /// Whether a `d_step` that cannot go on is no step.
    pub(crate) whole_steps: bool,
}

impl Semantics {
    /// Prepares a program. Time linear in the program.
    ///
    /// # Errors
    /// What is in the program that cannot be run.
    pub fn new(program: &Program, options: &Options) -> Result<Self, Unsupported> {
        compile::compile(program, options)
    }

    /// How it is run.
    #[must_use]
    pub const fn options(&self) -> &Options {
        &self.options
    }

    /// All steps of a state, in a fixed order: processes from the last one to the first, the edges
    /// of each in their order; of a rendezvous, receivers from the last process to the first. If no
    /// process can step, the state has those steps that wait for `timeout`.
    #[must_use]
    pub fn successors(&self, state: &State) -> Vec<Step> {
        let mut steps = Vec::new();
        self.expand(state, true, &mut steps);
        steps
    }

    /// The steps of a state for each choice of sends that are let wait.
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

    /// The same, with or without what moved, put behind what is in `steps`, which should be empty.
    pub(crate) fn expand(&self, state: &State, record: bool, steps: &mut Vec<Step>) {
        self.expand_in(state, record, steps, &mut Vec::new());
    }

    /// The same with the storage of states that are not needed any more.
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

    /// The steps of one process, those that wait for a `timeout` not among them.
    pub(crate) fn expand_process(
        &self,
        (state, process): (&State, usize),
        record: bool,
        steps: &mut Vec<Step>,
        room: &mut Vec<State>,
    ) {
        self.expand_waiting((state, process), (record, false), steps, room);
    }

    /// The same, as if no process could step without a `timeout`, if that is asked for.
    pub(crate) fn expand_waiting(
        &self,
        (state, process): (&State, usize),
        (record, timeout): (bool, bool),
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

    /// Whether messages are put into queues in the middle of steps. A whole step has no middle.
    pub(crate) fn sends_in_d_step(&self) -> bool {
        if self.whole_steps {
            return false;
        }
        let edges = self.types.iter().flat_map(|ty| &ty.edges);
        edges
            .into_iter()
            .any(|edge| edge.d_step.is_some() && matches!(edge.statement, Statement::Send { .. }))
    }

    /// Whether the processes may rest here for ever: each is at its end, or at a location with an
    /// `end` label.
    #[must_use]
    pub fn is_valid_end(&self, state: &State) -> bool {
        state.processes().all(|process| self.has_ended(process) || self.may_rest(process))
    }

    /// Whether none of the processes that have not come to their end may rest here for ever, and
    /// there is one. Where no process can step, that is a deadlock of the whole.
    #[must_use]
    pub fn is_deadlock(&self, state: &State) -> bool {
        let mut left = state.processes().filter(|process| !self.has_ended(*process)).peekable();
        left.peek().is_some() && left.all(|process| !self.may_rest(process))
    }

    fn has_ended(&self, process: Process) -> bool {
        process.location == self.types[process.process_type.index()].exit
    }

    /// Whether a process is at an `end` label.
    fn may_rest(&self, process: Process) -> bool {
        self.types[process.process_type.index()].ends[process.location.index()]
    }
}
