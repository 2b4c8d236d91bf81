//! States: the values of variables, the locations of processes, and the contents of queues.

use cfsm_core::ids::Id;
use cfsm_core::program::{ChannelDeclaration, LocationId, ProcessTypeId, VariableId};

use crate::code::QueueCode;
use crate::semantics::Semantics;

/// Number of cells of a process before its locals: type, location, priority.
pub(crate) const HEADER: u32 = 3;
const TYPE: u32 = 0;
const LOCATION: u32 = 1;
const PRIORITY: u32 = 2;
/// Owner of global queues.
const NOBODY: u16 = u16::MAX;

/// A state of a run. [`Semantics`] maps variables to cells.
#[derive(Debug, Default, PartialEq, Eq, Hash)]
pub struct State {
    /// The cells of the globals, then those of each process: its header and its locals.
    pub(crate) cells: Vec<i32>,
    /// Index of the first cell of each process.
    pub(crate) frames: Vec<u32>,
    pub(crate) queues: Vec<QueueState>,
    /// The messages of all queues, field by field.
    pub(crate) messages: Vec<i32>,
    /// The process inside `atomic` that moves next; it has a step.
    pub(crate) held: Option<u16>,
    /// The process that moved last; 0 if the program never uses `_last`.
    pub(crate) last: u16,
}

impl Clone for State {
    fn clone(&self) -> Self {
        let mut new = Self::default();
        new.clone_from(self);
        new
    }

    /// Reuses the storage, whose allocation is most of the cost.
    fn clone_from(&mut self, source: &Self) {
        let Self { cells, frames, queues, messages, held, last } = source;
        self.cells.clone_from(cells);
        self.frames.clone_from(frames);
        self.queues.clone_from(queues);
        self.messages.clone_from(messages);
        (self.held, self.last) = (*held, *last);
    }
}

/// A queue in a state.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) struct QueueState {
    /// Index of its declaration.
    pub code: u16,
    /// Number of the process that created it.
    pub owner: u16,
    /// Number of messages in the queue.
    pub length: u32,
    /// Index of its first message field in [`State::messages`].
    pub first: u32,
}

impl QueueState {
    /// An empty queue.
    pub const fn new(code: u16, owner: Option<u16>, first: u32) -> Self {
        let owner = match owner {
            Some(owner) => owner,
            None => NOBODY,
        };
        Self { code, owner, length: 0, first }
    }

    /// Number of the process that created it; `None` for a global queue.
    pub fn owner(&self) -> Option<usize> {
        (self.owner != NOBODY).then(|| self.owner.into())
    }
}

/// A process in a state.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Process {
    /// Its number, which is its index among the existing processes.
    pub number: usize,
    /// Its type.
    pub process_type: ProcessTypeId,
    /// Its control location.
    pub location: LocationId,
    /// Its priority.
    pub priority: u8,
}

/// A queue in a state, with its declaration.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Queue {
    /// Its number, counted from 1: the value of channel variables that refer to it.
    pub number: usize,
    /// The declaration.
    pub origin: QueueOrigin,
    /// `true` if it is a rendezvous queue.
    pub rendezvous: bool,
    /// Greatest number of messages that it can hold; `None` if unlimited. A rendezvous holds none.
    pub capacity: Option<u32>,
    /// The messages, the oldest first.
    pub messages: Vec<Vec<i64>>,
}

/// The declaration that a queue was created for, and its owner.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct QueueOrigin {
    /// Number and type of the process whose local it is; `None` for a global.
    pub process: Option<(usize, ProcessTypeId)>,
    /// The variable, a global or one of that type's locals.
    pub variable: VariableId,
    /// The element of the variable, 0 if it is no array.
    pub element: usize,
}

impl QueueOrigin {
    /// The declaration that the queue is made for.
    #[must_use]
    pub fn declaration(&self) -> ChannelDeclaration {
        ChannelDeclaration { owner: self.process.map(|(_, owner)| owner), variable: self.variable }
    }
}

impl State {
    /// Number of processes.
    #[must_use]
    pub const fn process_count(&self) -> usize {
        self.frames.len()
    }

    /// Number of queues.
    #[must_use]
    pub const fn queue_count(&self) -> usize {
        self.queues.len()
    }

    /// Number of messages in the queue with a number, counted from 1; `None` if there is no such
    /// queue.
    #[must_use]
    pub fn queue_length(&self, number: usize) -> Option<usize> {
        self.queues.get(number.checked_sub(1)?).map(|queue| queue.length as usize)
    }

    /// The process inside `atomic` that moves next, if there is one. Spin's verifier does not store
    /// such states.
    #[must_use]
    pub fn held(&self) -> Option<usize> {
        self.held.map(usize::from)
    }

    /// The process with a number.
    #[must_use]
    pub fn process(&self, number: usize) -> Option<Process> {
        let first = *self.frames.get(number)? as usize;
        Some(Process {
            number,
            process_type: ProcessTypeId::new(usize::try_from(self.cells[first]).ok()?),
            location: LocationId::new(usize::try_from(self.cells[first + 1]).ok()?),
            priority: u8::try_from(self.cells[first + 2]).ok()?,
        })
    }

    /// All processes, in the order of their numbers.
    pub fn processes(&self) -> impl Iterator<Item = Process> {
        (0..self.process_count()).filter_map(|number| self.process(number))
    }

    /// Index of the cell of a local variable of a process.
    pub(crate) fn local(&self, process: usize, cell: u32) -> usize {
        (self.frames[process] + HEADER + cell) as usize
    }

    /// Number of values in variables, headers and messages.
    pub(crate) fn size(&self) -> usize {
        self.cells.len() + self.messages.len()
    }

    pub(crate) fn type_of(&self, process: usize) -> ProcessTypeId {
        ProcessTypeId::new(self.header(process, TYPE))
    }

    pub(crate) fn location_of(&self, process: usize) -> LocationId {
        LocationId::new(self.header(process, LOCATION))
    }

    pub(crate) fn priority_of(&self, process: usize) -> i32 {
        self.cells[(self.frames[process] + PRIORITY) as usize]
    }

    pub(crate) fn set_location(&mut self, process: usize, location: LocationId) {
        let cell = (self.frames[process] + LOCATION) as usize;
        self.cells[cell] = number(location.index());
    }

    pub(crate) fn set_priority(&mut self, process: usize, priority: i32) {
        let cell = (self.frames[process] + PRIORITY) as usize;
        self.cells[cell] = priority;
    }

    fn header(&self, process: usize, cell: u32) -> usize {
        usize::try_from(self.cells[(self.frames[process] + cell) as usize]).unwrap_or_default()
    }

    /// Appends a process; its locals are 0.
    pub(crate) fn push_process(&mut self, ty: ProcessTypeId, entry: LocationId, priority: i32, locals: u32) {
        self.frames.push(u32::try_from(self.cells.len()).unwrap_or(u32::MAX));
        self.cells.extend([number(ty.index()), number(entry.index()), priority]);
        self.cells.resize(self.cells.len() + locals as usize, 0);
    }

    /// Removes the last process and its queues.
    pub(crate) fn pop_process(&mut self) {
        let Some(first) = self.frames.pop() else { return };
        self.cells.truncate(first as usize);
        let owner = self.frames.len();
        while let Some(queue) = self.queues.last() {
            if usize::from(queue.owner) != owner {
                break;
            }
            self.messages.truncate(queue.first as usize);
            self.queues.pop();
        }
    }
}

impl Semantics {
    /// The value of a global; `None` if there is no such element.
    #[must_use]
    pub fn global(&self, state: &State, variable: VariableId, element: usize) -> Option<i64> {
        let found = self.globals.get(variable.index())?;
        let inside = element < found.length as usize;
        inside.then(|| state.cells[found.first as usize + element].into())
    }

    /// The value of a local variable of a process; `None` if there is no such process or element.
    #[must_use]
    pub fn local(&self, state: &State, process: usize, variable: VariableId, element: usize) -> Option<i64> {
        let ty = state.process(process)?.process_type;
        let found = self.types[ty.index()].locals.get(variable.index())?;
        let inside = element < found.length as usize;
        inside.then(|| state.cells[state.local(process, found.first) + element].into())
    }

    /// The queue with a number, counted from 1.
    #[must_use]
    pub fn queue(&self, state: &State, number: usize) -> Option<Queue> {
        let queue = state.queues.get(number.checked_sub(1)?)?;
        let code = self.queue_code(queue);
        let messages = (0..queue.length as usize).map(|slot| self.message(state, number - 1, slot).fields);
        Some(Queue {
            number,
            origin: origin(queue, code),
            rendezvous: code.rendezvous,
            capacity: code.capacity,
            messages: messages.collect(),
        })
    }

    /// All queues, in the order of their numbers.
    pub fn queues(&self, state: &State) -> impl Iterator<Item = Queue> {
        (1..=state.queue_count()).filter_map(|number| self.queue(state, number))
    }

    /// The origin of the queue with a number, counted from 1; `None` if there is no such queue.
    #[must_use]
    pub fn queue_origin(&self, state: &State, number: usize) -> Option<QueueOrigin> {
        let queue = state.queues.get(number.checked_sub(1)?)?;
        Some(origin(queue, self.queue_code(queue)))
    }

    pub(crate) fn queue_code(&self, queue: &QueueState) -> &QueueCode {
        &self.queues[usize::from(queue.code)]
    }
}

fn origin(queue: &QueueState, code: &QueueCode) -> QueueOrigin {
    QueueOrigin {
        process: code.owner.map(|owner| (queue.owner.into(), owner)),
        variable: code.variable,
        element: code.element as usize,
    }
}

fn number(index: usize) -> i32 {
    i32::try_from(index).unwrap_or(i32::MAX)
}
