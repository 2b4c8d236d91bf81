//! Cut points and blocks: the transition system of a process type that loops are analysed in.
//!
//! Cut points are the entry and the heads of all loops, so that the ways between two of them have
//! no cycle; where these are too many, also the locations at which ways join, and finally all
//! locations. A block is one way to get from a cut point to the next one.

use std::collections::{BTreeMap, BTreeSet};

use cfsm_core::define_id;
use cfsm_core::ids::IdMap;
use cfsm_core::program::{EdgeId, LocationId};

use crate::affine::{Affine, Interval, Symbol};
use crate::execute::{Executor, Path};
use crate::limits::PATHS;
use crate::nesting::Loop;
use crate::variables::Tracked;

define_id!(
    /// A cut point.
    PointId, "point"
);
define_id!(
    /// A block.
    BlockId, "block"
);

/// A cut point: a location, with conditions on the variables if it has been split.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Point {
    /// The location.
    pub(crate) location: LocationId,
    /// Expressions over the variables that are not negative here.
    pub(crate) conditions: Vec<Affine>,
}

/// A way from one cut point to another one.
#[derive(Clone, Debug)]
pub(crate) struct Block {
    /// The cut point at which it begins.
    pub(crate) source: PointId,
    /// The cut point at which it ends.
    pub(crate) target: PointId,
    /// Its statements; none for what another process does.
    pub(crate) edges: Vec<EdgeId>,
    /// The intervals of its symbols; the first ones are the values of the variables at its source.
    pub(crate) symbols: IdMap<Symbol, Interval>,
    /// Its conditions: expressions over its symbols that are not negative.
    pub(crate) rows: Vec<Affine>,
    /// The value of each variable at its target.
    pub(crate) update: Vec<Affine>,
    /// Number of its statements that are counted.
    pub(crate) counted: u32,
}

impl Block {
    /// Returns `true` if it comes back to where it begins, and changes nothing.
    pub(crate) fn stands_still(&self) -> bool {
        let unchanged =
            self.symbols.ids().zip(&self.update).all(|(symbol, value)| *value == Affine::symbol(symbol));
        self.source == self.target && self.counted == 0 && unchanged
    }
}

/// The blocks of a process type.
#[derive(Clone, Debug)]
pub(crate) struct Blocks {
    /// The variables.
    pub(crate) variables: Vec<Tracked>,
    /// The cut points.
    pub(crate) points: IdMap<PointId, Point>,
    /// The points at which a process may start.
    pub(crate) starts: BTreeSet<PointId>,
    /// The blocks.
    pub(crate) blocks: IdMap<BlockId, Block>,
}

/// The cut points of one attempt.
enum Cuts {
    Heads,
    Joins,
    Everywhere,
}

impl Blocks {
    /// The blocks on ways to or in a loop; `None` behind the deadline. Time linear in the number of
    /// ways, which is limited.
    pub(crate) fn new(executor: &Executor<'_>, loops: &[Loop], around: &Loop) -> Option<Self> {
        let process = executor.process;
        let relevant = relevant(executor, around);
        let edges: Vec<EdgeId> =
            process.edges.ids().filter(|edge| relevant.contains(&process.edges[*edge].target)).collect();
        let heads: BTreeSet<LocationId> = loops.iter().map(|one| one.head).chain([process.entry]).collect();
        let joins = || {
            let mut seen = BTreeSet::new();
            let again = edges.iter().map(|edge| process.edges[*edge].target).filter(|to| !seen.insert(*to));
            heads.iter().copied().chain(again).collect::<BTreeSet<LocationId>>()
        };
        let of_others = executor.steps_of_others();
        // Others may step wherever control is.
        let cuts: &[Cuts] = match of_others[..] {
            [] => &[Cuts::Heads, Cuts::Joins, Cuts::Everywhere],
            _ => &[Cuts::Everywhere],
        };
        for cuts in cuts {
            let (cut, last) = match cuts {
                Cuts::Heads => (heads.clone(), false),
                Cuts::Joins => (joins(), false),
                Cuts::Everywhere => (process.locations.ids().collect(), true),
            };
            let cut: BTreeSet<LocationId> = cut.intersection(&relevant).copied().collect();
            if let Some(mut blocks) = between(executor, &edges, loops, &cut, last) {
                for at in blocks.points.ids().collect::<Vec<_>>() {
                    for path in &of_others {
                        blocks.blocks.push(block(path.clone(), at, at));
                    }
                }
                return Some(blocks);
            }
        }
        None
    }

    /// The points in a loop.
    pub(crate) fn points_in(&self, of: &Loop) -> BTreeSet<PointId> {
        let inside = |point: &&PointId| of.locations.contains(&self.points[**point].location);
        self.points.ids().collect::<Vec<_>>().iter().filter(inside).copied().collect()
    }

    /// The blocks all of whose statements are in a loop, and those of others while control is
    /// there.
    pub(crate) fn blocks_in(&self, of: &Loop) -> Vec<BlockId> {
        let inside = |block: &Block| {
            of.locations.contains(&self.points[block.source].location)
                && block.edges.iter().all(|edge| of.edges.contains(edge))
        };
        self.blocks.iter().filter(|(_, block)| inside(block)).map(|(id, _)| id).collect()
    }
}

/// The locations from which a loop can be reached, and those inside.
fn relevant(executor: &Executor<'_>, around: &Loop) -> BTreeSet<LocationId> {
    let process = executor.process;
    let mut relevant = around.locations.clone();
    let mut open: Vec<LocationId> = relevant.iter().copied().collect();
    while let Some(location) = open.pop() {
        for edge in process.edges.values().filter(|edge| edge.target == location) {
            if relevant.insert(edge.source) {
                open.push(edge.source);
            }
        }
    }
    relevant
}

/// The blocks between cut points; `None` behind the deadline, and if there are too many and this is
/// not the last attempt, in which each block is one statement.
fn between(
    executor: &Executor<'_>,
    edges: &[EdgeId],
    loops: &[Loop],
    cut: &BTreeSet<LocationId>,
    last: bool,
) -> Option<Blocks> {
    let process = executor.process;
    let point = |location: LocationId| Point { location, conditions: Vec::new() };
    let others = cut.iter().copied().filter(|location| *location != process.entry);
    let points: IdMap<PointId, Point> = [process.entry].into_iter().chain(others).map(point).collect();
    let mut leaving: BTreeMap<LocationId, Vec<EdgeId>> = BTreeMap::new();
    edges.iter().for_each(|id| leaving.entry(process.edges[*id].source).or_default().push(*id));
    let mut blocks = IdMap::new();
    for (source, Point { location, .. }) in points.iter() {
        let mut open = vec![Way {
            at: *location,
            path: Path::new(executor.variables),
            inside: vec![true; loops.len()],
            last_inside: Vec::new(),
        }];
        let mut seen: BTreeMap<LocationId, Vec<Way>> = BTreeMap::new();
        while let Some(way) = open.pop() {
            for &id in leaving.get(&way.at).into_iter().flatten() {
                if executor.deadline.is_over() {
                    return None;
                }
                let target = process.edges[id].target;
                let mut behind = executor.step(way.path.clone(), id);
                if behind.len() > PATHS || (last && blocks.len() + behind.len() > 4 * PATHS) {
                    behind = vec![executor.step_blindly(way.path.clone(), id)];
                }
                let last_inside: Vec<bool> = loops.iter().map(|of| of.edges.contains(&id)).collect();
                let inside: Vec<bool> =
                    way.inside.iter().zip(&last_inside).map(|(all, last)| *all && *last).collect();
                for mut path in behind {
                    path.simplify(executor.variables.len());
                    let (inside, last_inside) = (inside.clone(), last_inside.clone());
                    let way = Way { at: target, path, inside, last_inside };
                    let seen = seen.entry(target).or_default();
                    if seen.iter().any(|other| other.does_as(&way)) {
                        continue;
                    }
                    seen.push(way.clone());
                    let found = points.iter().find(|(_, point)| point.location == target);
                    match found {
                        Some((target, _)) => _ = blocks.push(block(way.path, source, target)),
                        None => open.push(way),
                    }
                }
                if !last && blocks.len() + open.len() > PATHS {
                    return None;
                }
            }
        }
    }
    let starts = points.ids().take(1).collect();
    Some(Blocks { variables: executor.variables.to_vec(), points, starts, blocks })
}

/// A path from a cut point to a location.
#[derive(Clone)]
struct Way {
    at: LocationId,
    path: Path,
    /// For each loop, `true` if all statements are in it.
    inside: Vec<bool>,
    /// For each loop, `true` if the last statement is in it.
    last_inside: Vec<bool>,
}

impl Way {
    /// Returns `true` if the other one leads to the same location in the same loops, and does the
    /// same.
    fn does_as(&self, other: &Self) -> bool {
        self.inside == other.inside && self.last_inside == other.last_inside && self.path.does_as(&other.path)
    }
}

fn block(path: Path, source: PointId, target: PointId) -> Block {
    let Path { edges, symbols, rows, values, counted, .. } = path;
    Block { source, target, edges, symbols, rows, update: values, counted }
}
