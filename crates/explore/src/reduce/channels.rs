//! Flow-insensitive points-to analysis of channels: the queue declarations that a channel
//! expression may refer to.

use cfsm_core::ids::Id;

use super::cells::Cells;
use super::uses::QueueSet;
use crate::Semantics;
use crate::code::{Code, Init, Statement, Target, VariableCode};
use crate::width::Width;

/// For each cell, the declarations of the queues that its value may refer to. A cell that may hold
/// arbitrary numbers refers to all.
#[derive(Debug)]
pub(super) struct Channels {
    globals: Vec<QueueSet>,
    /// For each type, the sets of its cells.
    locals: Vec<Vec<QueueSet>>,
    /// The queues of processes. When a process ends, the numbers of its queues are reused by others
    /// of this set.
    owned: QueueSet,
    /// `true` if there are too many declarations to represent them.
    crowded: bool,
    changed: bool,
}

impl Channels {
    /// Analyses a program: propagates assignments and arguments to a fixed point. Time linear in
    /// the program, times the length of chains of assignments.
    pub fn new(semantics: &Semantics) -> Self {
        let empty = |cells: u32| vec![QueueSet::default(); cells as usize];
        let owned = semantics.queues.iter().enumerate().filter(|(_, queue)| queue.owner.is_some());
        let owned = owned.fold(QueueSet::default(), |sum, (at, _)| sum.with(QueueSet::at(at)));
        let mut channels = Self {
            owned,
            globals: empty(semantics.global_cells),
            locals: semantics.types.iter().map(|ty| empty(ty.cells)).collect(),
            crowded: semantics.queues.len() > QueueSet::MOST,
            changed: true,
        };
        while std::mem::take(&mut channels.changed) {
            channels.round(semantics);
        }
        channels
    }

    /// The declarations that a channel expression in a process of a type may refer to.
    pub fn of(&self, ty: usize, channel: &Code) -> QueueSet {
        if self.crowded { QueueSet::ANY } else { self.value(Some(ty), channel) }
    }

    fn value(&self, ty: Option<usize>, code: &Code) -> QueueSet {
        if let Some(cells) = Cells::read(code) {
            let all = if cells.global { Some(&self.globals) } else { ty.map(|ty| &self.locals[ty]) };
            let (first, end) = (cells.range.start as usize, cells.range.end as usize);
            return all.map_or(QueueSet::ANY, |all| {
                all[first..end].iter().fold(QueueSet::default(), |sum, set| sum.with(*set))
            });
        }
        match code {
            Code::Conditional(parts) => self.value(ty, &parts.1).with(self.value(ty, &parts.2)),
            // Number 0 refers to no queue.
            Code::Constant(0) => QueueSet::default(),
            _ => QueueSet::ANY,
        }
    }

    fn round(&mut self, semantics: &Semantics) {
        for global in &semantics.globals {
            self.begin(None, global);
        }
        for (at, ty) in semantics.types.iter().enumerate() {
            ty.locals.iter().for_each(|local| self.begin(Some(at), local));
            for edge in &ty.edges {
                self.statement(semantics, at, &edge.statement);
            }
        }
    }

    fn statement(&mut self, semantics: &Semantics, ty: usize, statement: &Statement) {
        match statement {
            Statement::Assign(target, value) => self.write(ty, target, self.value(Some(ty), value)),
            Statement::Create(create) => {
                let created = create.process_type.index();
                for (parameter, argument) in semantics.types[created].locals.iter().zip(&create.arguments) {
                    let set = self.value(Some(ty), argument);
                    let cells = parameter.first..parameter.first + parameter.length;
                    self.add(Some(created), cells, set, parameter.width);
                }
                create.result.iter().for_each(|target| self.write(ty, target, QueueSet::ANY));
            }
            other => other.targets().into_iter().for_each(|target| self.write(ty, target, QueueSet::ANY)),
        }
    }

    /// Adds the initial values of a variable; a parameter has those of the arguments.
    fn begin(&mut self, ty: Option<usize>, variable: &VariableCode) {
        for element in 0..variable.length {
            let set = match &variable.init {
                Init::Zero | Init::Parameter => QueueSet::default(),
                Init::Value(value) => self.value(ty, value),
                Init::List(values) => {
                    values.get(element as usize).map_or_else(QueueSet::default, |value| self.value(ty, value))
                }
                Init::Queues(first) => QueueSet::at((first + element) as usize),
            };
            let cell = variable.first + element;
            self.add(ty, cell..cell + 1, set, variable.width);
        }
    }

    fn write(&mut self, ty: usize, target: &Target, set: QueueSet) {
        let cells = Cells::written(target);
        self.add((!cells.global).then_some(ty), cells.range, set, target.width);
    }

    fn add(&mut self, ty: Option<usize>, cells: std::ops::Range<u32>, mut set: QueueSet, width: Width) {
        // Queue numbers have 8 bits.
        if !set.is_empty() && width.keep(0xff) != 0xff {
            set = QueueSet::ANY;
        }
        // A global may outlive the queue that it refers to.
        if ty.is_none() && set.meets(&self.owned) {
            set.add(self.owned);
        }
        let all = ty.map_or(&mut self.globals, |ty| &mut self.locals[ty]);
        for known in &mut all[cells.start as usize..cells.end as usize] {
            let both = known.with(set);
            self.changed |= both != *known;
            *known = both;
        }
    }
}
