//! Read and write sets: the cells that expressions read and statements write.

use std::ops::Range;

use crate::Semantics;
use crate::code::{Code, Target, TypeCode};

/// A range of cells of the globals, or of a process.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Cells {
    /// `true` for globals, `false` for locals of a process.
    pub global: bool,
    /// The cells.
    pub range: Range<u32>,
    /// `true` if all cells of the range are accessed, `false` if one of them is (an array element
    /// with unknown index).
    pub all: bool,
}

impl Cells {
    fn of(global: bool, first: u32, element: Option<(u32, &Code)>) -> Self {
        let (range, all) = match element {
            None => (first..first + 1, true),
            Some((length, Code::Constant(index))) => match u32::try_from(*index) {
                Ok(index) if index < length => (first + index..first + index + 1, true),
                // A run-time error that ends the run.
                _ => (first..first + length, false),
            },
            Some((length, _)) => (first..first + length, false),
        };
        Self { global, range, all }
    }

    /// The cells that a write to a target may change.
    pub fn written(target: &Target) -> Self {
        let element = target.element.as_deref().map(|(length, index)| (*length, index));
        Self::of(target.global, target.first, element)
    }

    /// The cells that the outermost operator of an expression reads; `None` if it is not a
    /// variable.
    pub fn read(code: &Code) -> Option<Self> {
        match code {
            Code::Global(cell) => Some(Self::of(true, *cell, None)),
            Code::Local(cell) => Some(Self::of(false, *cell, None)),
            Code::Element(element) => {
                Some(Self::of(element.global, element.first, Some((element.length, &element.index))))
            }
            _ => None,
        }
    }
}

/// A bit set of cells of the globals.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub(crate) struct Globals(Vec<u64>);

impl Globals {
    /// Inserts cells.
    pub fn insert(&mut self, cells: impl IntoIterator<Item = u32>) {
        for cell in cells {
            let word = (cell / u64::BITS) as usize;
            if self.0.len() <= word {
                self.0.resize(word + 1, 0);
            }
            self.0[word] |= 1 << (cell % u64::BITS);
        }
    }

    /// Adds the elements of another set.
    pub fn add(&mut self, other: &Self) {
        if self.0.len() < other.0.len() {
            self.0.resize(other.0.len(), 0);
        }
        self.0.iter_mut().zip(&other.0).for_each(|(word, other)| *word |= other);
    }

    /// Returns `true` if the set contains a cell.
    pub fn contains(&self, cell: u32) -> bool {
        self.0.get((cell / u64::BITS) as usize).is_some_and(|word| word & (1 << (cell % u64::BITS)) != 0)
    }

    /// Returns `true` if the sets have no cell in common.
    pub fn is_disjoint(&self, other: &Self) -> bool {
        self.0.iter().zip(&other.0).all(|(word, other)| word & other == 0)
    }

    /// Returns `true` if the set is empty.
    pub fn is_empty(&self) -> bool {
        self.0.iter().all(|word| *word == 0)
    }
}

/// Calls `call` with all cells that an expression may read.
pub(crate) fn each_read(code: &Code, call: &mut impl FnMut(Cells)) {
    Cells::read(code).into_iter().for_each(&mut *call);
    code.children().into_iter().for_each(|child| each_read(child, call));
}

/// Returns `true` if the value of an expression depends on variables only.
pub(crate) fn is_of_variables(code: &Code) -> bool {
    !code.any(&mut |part| {
        !matches!(
            part,
            Code::Constant(_)
                | Code::Global(_)
                | Code::Local(_)
                | Code::Element(_)
                | Code::Inside(_)
                | Code::Unary(..)
                | Code::Binary(..)
                | Code::Conditional(_)
                | Code::Pid
        )
    })
}

/// For each cell of the globals, `true` if some statement may write it.
pub(crate) fn written(semantics: &Semantics) -> Vec<bool> {
    let mut written = vec![false; semantics.global_cells as usize];
    for edge in semantics.types.iter().flat_map(|ty| &ty.edges) {
        for target in edge.statement.targets() {
            mark(&mut written, &Cells::written(target));
        }
    }
    written
}

/// For each cell of the globals, `true` if some expression may read it.
pub(crate) fn read(semantics: &Semantics) -> Vec<bool> {
    let mut read = vec![false; semantics.global_cells as usize];
    let globals = semantics.globals.iter().flat_map(|global| global.init.codes());
    let types = semantics.types.iter().flat_map(|ty| {
        let edges = ty.edges.iter().flat_map(|edge| edge.statement.codes());
        ty.initial_values().into_iter().chain(&ty.provided).chain(edges)
    });
    for code in globals.chain(types) {
        each_read(code, &mut |cells| mark(&mut read, &cells));
    }
    read
}

/// For each cell of a type, `true` if some statement of the type may write it.
pub(crate) fn written_of(ty: &TypeCode) -> Vec<bool> {
    let mut written = vec![false; ty.cells as usize];
    let targets = ty.edges.iter().flat_map(|edge| edge.statement.targets());
    for cells in targets.map(Cells::written).filter(|cells| !cells.global) {
        written[cells.range.start as usize..cells.range.end as usize].fill(true);
    }
    written
}

fn mark(marks: &mut [bool], cells: &Cells) {
    if cells.global {
        marks[cells.range.start as usize..cells.range.end as usize].fill(true);
    }
}
