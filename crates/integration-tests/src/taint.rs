//! Random runs of an open program in which each value carries its taint: the open channels that it
//! comes from, or that a value comes from that it is computed from.
//!
//! The definition that the flow analysis of `closing` claims to cover, as plain as it can be. Runs
//! are those of the program and more: statements that keep control do not, a rendezvous is a
//! channel with room for a message, and an answer of the scheduler (`timeout`, `enabled`, `_last`)
//! is drawn. Taints are strict: each variable in an expression counts, whatever is evaluated.

mod evaluate;
mod step;

use std::cell::RefCell;
use std::collections::BTreeSet;

use cfsm_core::ids::{Id, IdMap};
use cfsm_core::program::{
    ChannelDeclaration, EdgeId, Expression, Initializer, LocationId, ProcessTypeId, Program, Type, Variable,
    VariableId,
};
use cfsm_core::splitmix::SplitMix;

/// The open channels that a value comes from; empty for a value of the program itself.
pub type Taint = BTreeSet<VariableId>;

/// A value with its taint.
#[derive(Clone, Debug, Default)]
pub struct Data {
    /// The number.
    pub value: i64,
    /// Its taint.
    pub taint: Taint,
}

/// The elements of each variable.
pub type Store = IdMap<VariableId, Vec<Data>>;

/// A process, which stays when it has ended.
#[derive(Clone, Debug)]
pub struct Process {
    /// Its type.
    pub process_type: ProcessTypeId,
    /// Its location.
    pub location: LocationId,
    /// Its local variables.
    pub locals: Store,
}

/// A channel.
#[derive(Clone, Debug)]
struct Queue {
    declaration: ChannelDeclaration,
    room: usize,
    fields: Vec<Type>,
    messages: Vec<Vec<Data>>,
}

/// A condition that a process is at, with the taint that it has now.
#[derive(Clone, Debug)]
pub struct Asked {
    /// The type of the process.
    pub process_type: ProcessTypeId,
    /// The edge.
    pub edge: EdgeId,
    /// `true` for what a receive compares, `false` for the expression of a condition.
    pub is_match: bool,
    /// The taint of what is compared, or of the expression.
    pub taint: Taint,
}

/// The most processes of a run.
const PROCESSES: usize = 6;

/// A run, at the state that it has come to.
#[derive(Clone, Debug)]
pub struct Run<'p> {
    program: &'p Program,
    open: BTreeSet<VariableId>,
    /// The global variables.
    pub globals: Store,
    /// All processes that were created.
    pub processes: Vec<Process>,
    queues: Vec<Queue>,
    dice: RefCell<SplitMix>,
}

impl<'p> Run<'p> {
    /// The start of a run with these open channels.
    #[must_use]
    pub fn new(program: &'p Program, open: &BTreeSet<VariableId>, seed: u64) -> Self {
        let mut run = Self {
            program,
            open: open.clone(),
            globals: program.globals.values().map(cells).collect(),
            processes: Vec::new(),
            queues: Vec::new(),
            dice: RefCell::new(SplitMix::new(seed)),
        };
        for (variable, declared) in program.globals.iter() {
            run.globals[variable] = run.initial(None, declared, ChannelDeclaration { owner: None, variable });
        }
        for initial in &program.initial {
            for _ in 0..initial.count {
                let parameters = program.types[initial.process_type].parameters;
                run.create(initial.process_type, &vec![Data::default(); parameters]);
            }
        }
        run
    }

    /// A number below `count`.
    fn draw(&self, count: usize) -> usize {
        self.dice.borrow_mut().below(count)
    }

    /// Creates a process, unless there are many.
    fn create(&mut self, process_type: ProcessTypeId, arguments: &[Data]) {
        if self.processes.len() >= PROCESSES {
            return;
        }
        let process = &self.program.types[process_type];
        let number = self.processes.len();
        let locals = process.locals.values().map(cells).collect();
        self.processes.push(Process { process_type, location: process.entry, locals });
        for (position, (variable, declared)) in process.locals.iter().enumerate() {
            let cells = match arguments.get(position).filter(|_| position < process.parameters) {
                Some(argument) => vec![wrapped(declared, argument.clone())],
                None => {
                    let declaration = ChannelDeclaration { owner: Some(process_type), variable };
                    self.initial(Some(number), declared, declaration)
                }
            };
            self.processes[number].locals[variable] = cells;
        }
    }

    /// The initial content of a variable; channels are made for it.
    fn initial(
        &mut self,
        process: Option<usize>,
        declared: &Variable,
        declaration: ChannelDeclaration,
    ) -> Vec<Data> {
        let mut cells = cells(declared);
        for (element, cell) in cells.iter_mut().enumerate() {
            *cell = match &declared.init {
                Initializer::Zero | Initializer::Parameter => Data::default(),
                Initializer::Value(value) => wrapped(declared, self.initial_value(process, Some(value))),
                Initializer::List(values) => {
                    wrapped(declared, self.initial_value(process, values.get(element)))
                }
                Initializer::NewChannel(shape) => {
                    let (fields, messages) = (shape.fields.clone(), Vec::new());
                    let room = (shape.capacity as usize).clamp(1, 3);
                    self.queues.push(Queue { declaration, room, fields, messages });
                    Data { value: self.queues.len() as i64, taint: Taint::new() }
                }
            };
        }
        cells
    }

    fn initial_value(&self, process: Option<usize>, value: Option<&Expression>) -> Data {
        value.map_or_else(Data::default, |value| Data {
            value: self.value(process, value).unwrap_or(0),
            taint: self.taint(process, value),
        })
    }

    /// The number of a queue, from 0, that a value refers to.
    fn queue(&self, value: i64) -> Option<usize> {
        usize::try_from(value).ok()?.checked_sub(1).filter(|queue| *queue < self.queues.len())
    }
}

fn cells(declared: &Variable) -> Vec<Data> {
    vec![Data::default(); declared.length.unwrap_or(1) as usize]
}

fn wrapped(declared: &Variable, data: Data) -> Data {
    Data { value: declared.stored_type().wrap(data.value), ..data }
}

/// All elements of a variable whose taint has one more source.
fn spread(cells: &mut [Data], taint: &Taint) {
    cells.iter_mut().for_each(|cell| cell.taint.extend(taint));
}

/// The first id of a type's edges and beyond.
fn edges(program: &Program, process_type: ProcessTypeId) -> impl Iterator<Item = EdgeId> + use<> {
    (0..program.types[process_type].edges.len()).map(EdgeId::new)
}
