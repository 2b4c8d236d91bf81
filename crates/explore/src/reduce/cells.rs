//! Which cells code reads, and which ones statements write.

use std::ops::Range;

use crate::Semantics;
use crate::code::{Code, Target};

/// Cells of the globals, or of a process.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Cells {
    /// Whether they are globals.
    pub global: bool,
    /// Which ones.
    pub range: Range<u32>,
    /// Whether all of them are meant, and not one of them.
    pub all: bool,
}

impl Cells {
    fn of(global: bool, first: u32, element: Option<(u32, &Code)>) -> Self {
        let (range, all) = match element {
            None => (first..first + 1, true),
            Some((length, Code::Constant(index))) => match u32::try_from(*index) {
                Ok(index) if index < length => (first + index..first + index + 1, true),
                // It is an error, behind which nothing comes.
                _ => (first..first + length, false),
            },
            Some((length, _)) => (first..first + length, false),
        };
        Self { global, range, all }
    }

    /// What a place stands for that is written.
    pub fn written(target: &Target) -> Self {
        let element = target.element.as_deref().map(|(length, index)| (*length, index));
        Self::of(target.global, target.first, element)
    }

    /// What the outermost part of an expression reads.
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

/// Calls with all cells that an expression may read.
pub(super) fn each_read(code: &Code, call: &mut impl FnMut(Cells)) {
    Cells::read(code).into_iter().for_each(&mut *call);
    code.children().into_iter().for_each(|child| each_read(child, call));
}

/// For each cell of the globals, whether some statement may write it.
pub(super) fn written(semantics: &Semantics) -> Vec<bool> {
    let mut written = vec![false; semantics.global_cells as usize];
    for edge in semantics.types.iter().flat_map(|ty| &ty.edges) {
        for target in edge.statement.targets() {
            mark(&mut written, &Cells::written(target));
        }
    }
    written
}

/// For each cell of the globals, whether anything may read it.
pub(super) fn read(semantics: &Semantics) -> Vec<bool> {
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

/// The cells of globals that nothing reads.
pub(super) fn unread(semantics: &Semantics) -> Vec<usize> {
    let read = read(semantics);
    (0..read.len()).filter(|cell| !read[*cell]).collect()
}

fn mark(marks: &mut [bool], cells: &Cells) {
    if cells.global {
        marks[cells.range.start as usize..cells.range.end as usize].fill(true);
    }
}
