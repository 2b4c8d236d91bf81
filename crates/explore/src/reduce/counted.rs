//! Specialisation of a program to large values of a counter: values beyond all constants with which
//! the program compares it.

use cfsm_core::ids::Id;
use cfsm_core::program::{Binary, EdgeId, ProcessTypeId, VariableId};

use super::cells::{Cells, each_read};
use super::confined::{Statements, confined};
use super::looks_at_processes;
use crate::code::{Code, Statement, Target, TypeCode, VariableCode};
use crate::width::Width;
use crate::{Semantics, State};

/// Greatest absolute value that a statement may add to a counter.
const MOST_ADDED: i32 = 1_000;

/// A counter: a scalar `int`, either a global or a local of the only process of its type.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Counter {
    /// The type of the process that declares it; `None` for a global.
    pub owner: Option<ProcessTypeId>,
    /// Its declaration.
    pub variable: VariableId,
    /// Index of its cell among the globals or among the cells of the process.
    cell: u32,
    /// Index of its cell in [`State::cells`], for states with these processes.
    pub position: usize,
}

/// A program specialised to large values of a counter, restricted to the statements whose effect
/// does not depend on the value then.
pub(crate) struct Large {
    /// The specialised program: it never reads or writes the counter.
    pub semantics: Semantics,
    /// The largest constant with which the counter is compared.
    pub compared: i32,
}

impl Counter {
    /// The counter in which two states differ, if they differ in one cell only and the second value
    /// is greater.
    pub fn between(semantics: &Semantics, before: &State, after: &State) -> Option<Self> {
        let same = before.frames == after.frames
            && before.held == after.held
            && before.last == after.last
            && before.queues == after.queues
            && before.messages == after.messages
            && before.cells.len() == after.cells.len();
        if !same {
            return None;
        }
        let mut cells = before.cells.iter().zip(&after.cells).enumerate();
        let (position, (old, new)) = cells.find(|(_, (old, new))| old != new)?;
        if new <= old || cells.any(|(_, (old, new))| old != new) {
            return None;
        }
        Self::at(semantics, before, position)
    }

    /// The counter that occupies a cell of a state.
    fn at(semantics: &Semantics, state: &State, position: usize) -> Option<Self> {
        let cell = u32::try_from(position).ok()?;
        let found = |variables: &[VariableCode], cell: u32| {
            let is_it = |variable: &VariableCode| {
                (variable.first, variable.length, variable.width) == (cell, 1, Width::Int)
            };
            variables.iter().position(is_it).map(VariableId::new)
        };
        if cell < semantics.global_cells {
            let variable = found(&semantics.globals, cell)?;
            return Some(Self { owner: None, variable, cell, position });
        }
        let process = state.frames.iter().rposition(|first| *first <= cell)?;
        let cell = (0..semantics.types[state.type_of(process).index()].cells)
            .find(|cell| state.local(process, *cell) == position)?;
        let owner = state.type_of(process);
        let is_only = (0..state.process_count()).filter(|other| state.type_of(*other) == owner).count() == 1;
        let variable = found(&semantics.types[owner.index()].locals, cell).filter(|_| is_only)?;
        Some(Self { owner: Some(owner), variable, cell, position })
    }

    /// The program specialised to large values of the counter and restricted to these statements.
    /// `None` if one of them depends on the value in another way.
    pub fn large(&self, semantics: &Semantics, statements: &Statements) -> Option<Large> {
        if looks_at_processes(semantics) || self.is_read_at_birth(semantics) {
            return None;
        }
        let mut part = confined(semantics, statements)?;
        let mut compared = 0;
        for (ty, code) in part.types.iter_mut().enumerate() {
            for edge in &mut code.edges {
                edge.statement = self.raised(ProcessTypeId::new(ty), &edge.statement, &mut compared)?;
            }
        }
        Some(Large { semantics: part, compared })
    }

    /// All statements whose effect is the same for all large values of the counter.
    pub fn indifferent(&self, semantics: &Semantics) -> Statements {
        let types = semantics.types.iter().enumerate();
        let all =
            types.flat_map(|(ty, code)| code.edges.iter().map(move |edge| (ProcessTypeId::new(ty), edge)));
        let same = all.filter(|(ty, edge)| self.raised(*ty, &edge.statement, &mut 0).is_some());
        same.map(|(ty, edge)| (ty, edge.id)).collect()
    }

    /// The number that an edge adds to the counter.
    pub fn added(&self, semantics: &Semantics, ty: ProcessTypeId, edge: EdgeId) -> i64 {
        let code: &TypeCode = &semantics.types[ty.index()];
        let mut edges = code.edges.iter().filter(|code| code.id == edge);
        let added = edges.find_map(|edge| match &edge.statement {
            Statement::Assign(target, value) if self.is_target(ty, target) => self.step(ty, value),
            _ => None,
        });
        added.map_or(0, i64::from)
    }

    /// Returns `true` if an initial value or a `provided` condition depends on the counter.
    fn is_read_at_birth(&self, semantics: &Semantics) -> bool {
        let mut types = semantics.types.iter().enumerate();
        types.any(|(ty, code)| {
            let reads = |value: &&Code| self.is_read(ProcessTypeId::new(ty), value);
            code.initial_values().iter().any(reads) || code.provided.is_some()
        })
    }

    /// The statement specialised to large values of the counter; updates the largest constant with
    /// which the counter is compared. `None` if its effect depends on the value in another way.
    fn raised(&self, ty: ProcessTypeId, statement: &Statement, compared: &mut i32) -> Option<Statement> {
        let mut new = statement.clone();
        match &mut new {
            Statement::Assign(target, value) if self.is_target(ty, target) => {
                self.step(ty, value)?;
                return Some(Statement::Condition(Code::Constant(1)));
            }
            Statement::Condition(code) | Statement::Assert(code) | Statement::Assign(_, code) => {
                self.decide(ty, code, compared);
            }
            Statement::Create(create) if Some(create.process_type) == self.owner => return None,
            _ => {}
        }
        let reads = new.codes().into_iter().any(|code| self.is_read(ty, code));
        let writes = new.targets().into_iter().any(|target| self.is_touched(ty, &Cells::written(target)));
        (!reads && !writes).then_some(new)
    }

    /// Replaces comparisons of the counter with constants by their value for large counters.
    fn decide(&self, ty: ProcessTypeId, code: &mut Code, compared: &mut i32) {
        match code {
            Code::Unary(_, operand) => self.decide(ty, operand, compared),
            Code::Conditional(parts) => {
                let (condition, yes, no) = &mut **parts;
                for part in [condition, yes, no] {
                    self.decide(ty, part, compared);
                }
            }
            Code::Binary(operator, operands) => {
                let (left, right) = &mut **operands;
                let found = match (&*left, &*right) {
                    (counter, Code::Constant(number)) if self.is_counter(ty, counter) => {
                        is_true_of_large(*operator).map(|holds| (*number, holds))
                    }
                    (Code::Constant(number), counter) if self.is_counter(ty, counter) => {
                        is_true_of_large(mirrored(*operator)).map(|holds| (*number, holds))
                    }
                    _ => None,
                };
                match found {
                    Some((number, holds)) => {
                        *compared = (*compared).max(number);
                        *code = Code::Constant(i32::from(holds));
                    }
                    None => {
                        self.decide(ty, left, compared);
                        self.decide(ty, right, compared);
                    }
                }
            }
            _ => {}
        }
    }

    /// The constant that is added if `value` is assigned to the counter; `None` if `value` is not
    /// the counter plus or minus a constant.
    fn step(&self, ty: ProcessTypeId, value: &Code) -> Option<i32> {
        let Code::Binary(operator, operands) = value else { return None };
        let added = match (operator, &operands.0, &operands.1) {
            (Binary::Add, counter, Code::Constant(number))
            | (Binary::Add, Code::Constant(number), counter)
                if self.is_counter(ty, counter) =>
            {
                *number
            }
            (Binary::Subtract, counter, Code::Constant(number)) if self.is_counter(ty, counter) => {
                number.checked_neg()?
            }
            _ => return None,
        };
        (-MOST_ADDED..=MOST_ADDED).contains(&added).then_some(added)
    }

    fn is_counter(&self, ty: ProcessTypeId, code: &Code) -> bool {
        match code {
            Code::Global(cell) => self.owner.is_none() && *cell == self.cell,
            Code::Local(cell) => self.owner == Some(ty) && *cell == self.cell,
            _ => false,
        }
    }

    fn is_target(&self, ty: ProcessTypeId, target: &Target) -> bool {
        target.element.is_none() && self.is_touched(ty, &Cells::written(target))
    }

    fn is_read(&self, ty: ProcessTypeId, code: &Code) -> bool {
        let mut read = false;
        each_read(code, &mut |cells| read |= self.is_touched(ty, &cells));
        read
    }

    fn is_touched(&self, ty: ProcessTypeId, cells: &Cells) -> bool {
        let here = if cells.global { self.owner.is_none() } else { self.owner == Some(ty) };
        here && cells.range.contains(&self.cell)
    }
}

/// The value of the comparison of a large number with a constant; `None` if the operator is no
/// comparison.
const fn is_true_of_large(operator: Binary) -> Option<bool> {
    match operator {
        Binary::Greater | Binary::GreaterEqual | Binary::NotEqual => Some(true),
        Binary::Less | Binary::LessEqual | Binary::Equal => Some(false),
        _ => None,
    }
}

/// The comparison with its operands exchanged.
const fn mirrored(operator: Binary) -> Binary {
    match operator {
        Binary::Greater => Binary::Less,
        Binary::GreaterEqual => Binary::LessEqual,
        Binary::Less => Binary::Greater,
        Binary::LessEqual => Binary::GreaterEqual,
        other => other,
    }
}
