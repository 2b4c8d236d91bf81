//! The initial state, and the creation of processes and queues.

use cfsm_core::ids::Id;
use cfsm_core::program::ProcessTypeId;

use crate::RunError;
use crate::code::{Init, VariableCode};
use crate::evaluate::Scene;
use crate::semantics::Semantics;
use crate::state::{QueueState, State};

impl Semantics {
    /// The state in which every run starts.
    ///
    /// # Errors
    /// The first error in an initial value, or too many processes or queues.
    pub fn initial(&self) -> Result<State, RunError> {
        let mut state = State { cells: vec![0; self.global_cells as usize], ..State::default() };
        let scene = Scene::of(usize::MAX);
        for global in &self.global_order {
            self.initialize(&mut state, &scene, &self.globals[*global], None)?;
        }
        for (process_type, count) in &self.start {
            let priority = self.types[process_type.index()].priority;
            for _ in 0..*count {
                self.create(&mut state, *process_type, &[], priority)?;
            }
        }
        Ok(state)
    }

    /// Creates a process and returns its number.
    pub(crate) fn create(
        &self,
        state: &mut State,
        process_type: ProcessTypeId,
        arguments: &[i32],
        priority: i32,
    ) -> Result<usize, RunError> {
        let process = state.process_count();
        if process >= usize::from(self.options.max_processes) {
            return Err(RunError::TooManyProcesses(self.options.max_processes));
        }
        let ty = &self.types[process_type.index()];
        state.push_process(process_type, ty.entry, priority, ty.cells);
        for (parameter, argument) in ty.locals.iter().zip(arguments) {
            let cell = state.local(process, parameter.first);
            state.cells[cell] = parameter.width.keep(*argument);
        }
        let scene = Scene::of(process);
        for local in &ty.locals {
            self.initialize(state, &scene, local, Some(process))?;
        }
        Ok(process)
    }

    fn initialize(
        &self,
        state: &mut State,
        scene: &Scene,
        variable: &VariableCode,
        process: Option<usize>,
    ) -> Result<(), RunError> {
        for element in 0..variable.length {
            let value = match &variable.init {
                Init::Zero | Init::Parameter => return Ok(()),
                Init::Value(value) => self.value(state, scene, value)?,
                Init::List(values) => match values.get(element as usize) {
                    Some(value) => self.value(state, scene, value)?,
                    None => 0,
                },
                Init::Queues(first) => self.create_queue(state, first + element, process)?,
            };
            let cell = variable.first + element;
            let cell = process.map_or(cell as usize, |process| state.local(process, cell));
            state.cells[cell] = variable.width.keep(value);
        }
        Ok(())
    }

    /// Creates a queue and returns its number, counted from 1.
    fn create_queue(&self, state: &mut State, code: u32, process: Option<usize>) -> Result<i32, RunError> {
        let count = state.queues.len();
        if count >= usize::from(self.options.max_queues) {
            return Err(RunError::TooManyQueues(self.options.max_queues));
        }
        let code = u16::try_from(code).map_err(|_| RunError::TooManyQueues(self.options.max_queues))?;
        let owner = process.and_then(|process| u16::try_from(process).ok());
        let first = u32::try_from(state.messages.len()).unwrap_or(u32::MAX);
        state.queues.push(QueueState::new(code, owner, first));
        Ok(crate::evaluate::to_int(count + 1))
    }
}
