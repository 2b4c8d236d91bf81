//! Liveness analysis: the local variables of a process that may be read before they are written.

use cfsm_core::ids::Id;

use super::cells::{Cells, each_read};
use crate::code::{EdgeCode, TypeCode};

/// Greatest number of cells times locations of a type. In larger types all variables count as live.
const MOST: usize = 1 << 22;

/// For each location of a type, the dead cells: on every path they are written before they are
/// read, or never read.
pub(super) fn dead(ty: &TypeCode) -> Vec<Vec<u32>> {
    let dead = |live: Vec<bool>| (0..ty.cells).zip(live).filter(|(_, live)| !live).map(|(cell, _)| cell);
    live(ty, ty).into_iter().map(|live| dead(live).collect()).collect()
}

/// For each location of a type, `true` for each live cell. `writes` is the same type with possibly
/// more writes. Backward iteration to the least fixed point.
pub(super) fn live(ty: &TypeCode, writes: &TypeCode) -> Vec<Vec<bool>> {
    let (locations, cells) = (ty.ranges.len(), ty.cells as usize);
    if locations.saturating_mul(cells) > MOST {
        return vec![vec![true; cells]; locations];
    }
    let mut into: Vec<Vec<usize>> = vec![Vec::new(); locations];
    for location in 0..locations {
        for edge in edges(ty, location) {
            into[edge.target.index()].push(location);
        }
    }
    let mut live = vec![vec![false; cells]; locations];
    let mut open: Vec<usize> = (0..locations).collect();
    while let Some(location) = open.pop() {
        let found = at(ty, writes, location, &live);
        if found != live[location] {
            live[location] = found;
            open.extend(&into[location]);
        }
    }
    live
}

fn edges(ty: &TypeCode, location: usize) -> &[EdgeCode] {
    let (first, end) = ty.ranges[location];
    &ty.edges[first as usize..end as usize]
}

/// The live cells at a location, given those of its successors.
fn at(ty: &TypeCode, writes: &TypeCode, location: usize, live: &[Vec<bool>]) -> Vec<bool> {
    let mut found = vec![false; ty.cells as usize];
    for (edge, written) in edges(ty, location).iter().zip(edges(writes, location)) {
        let mut behind = live[edge.target.index()].clone();
        for target in written.statement.targets() {
            let cells = Cells::written(target);
            if !cells.global && cells.all {
                mark(&mut behind, &cells, false);
            }
        }
        for code in edge.statement.codes() {
            each_read(code, &mut |cells| mark(&mut behind, &cells, true));
        }
        found.iter_mut().zip(behind).for_each(|(found, behind)| *found |= behind);
    }
    found
}

fn mark(live: &mut [bool], cells: &Cells, value: bool) {
    if !cells.global {
        live[cells.range.start as usize..cells.range.end as usize].fill(value);
    }
}
