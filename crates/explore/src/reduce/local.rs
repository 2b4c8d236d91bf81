//! Local steps: locations at which all steps of a process are invisible to other processes.

use std::collections::BTreeSet;

use cfsm_core::ids::Id;
use cfsm_core::program::Hold;

use super::cells::{self, Cells, Globals, each_read, is_of_variables};
use super::failure::{is_constant_inside, may_fail, target_may_fail};
use super::reach::{Queues, queues};
use crate::Semantics;
use crate::code::{Code, EdgeCode, Statement, TypeCode};

/// Shared data that a process accesses in a step at a location.
#[derive(Clone, Debug, Default)]
pub(super) struct Touch {
    /// Globals that it may read and that some statement writes.
    pub reads: Globals,
    /// Globals that it may write and that some expression reads.
    pub writes: Globals,
    /// The channels that it may send to.
    pub sends: Vec<Code>,
    /// The queues from which it may receive after the step.
    pub answers: BTreeSet<Queues>,
}

impl Touch {
    /// Returns `true` if the step accesses no shared data.
    pub fn is_empty(&self) -> bool {
        self.reads.is_empty() && self.writes.is_empty() && self.sends.is_empty() && self.answers.is_empty()
    }
}

/// Accesses of all process types to globals, and use of rendezvous.
struct Shared {
    /// For each cell of the globals, `true` if it is written.
    written: Vec<bool>,
    /// For each cell of the globals, `true` if it is read.
    read: Vec<bool>,
    /// `true` if the program has a rendezvous channel.
    rendezvous: bool,
    /// `true` if sends may count as local.
    sends: bool,
}

/// For each type and location, the shared data that steps there access. `None` unless all steps are
/// local (given that no other process uses these data) and sequences of them are finite.
pub(super) fn locations(semantics: &Semantics, sends: bool) -> Vec<Vec<Option<Box<Touch>>>> {
    let (written, read) = (cells::written(semantics), cells::read(semantics));
    let shared = Shared { written, read, rendezvous: semantics.has_rendezvous, sends };
    let of_type = |ty| Candidates::new(ty, &shared).settle();
    semantics.types.iter().map(of_type).collect()
}

impl Shared {
    /// Returns `true` if an edge depends on variables only, and writes variables only or sends.
    fn may_be_local(&self, edge: &EdgeCode) -> bool {
        let kind = match edge.statement {
            Statement::Condition(_)
            | Statement::Else
            | Statement::Assign(..)
            | Statement::Assert(_)
            | Statement::Print(_) => true,
            Statement::Send { sorted, .. } => {
                self.sends && !sorted && edge.d_step.is_none() && edge.hold != Hold::DStep
            }
            Statement::Receive(_) | Statement::Create(_) | Statement::SetPriority(..) => false,
        };
        kind && edge.statement.codes().into_iter().all(is_of_variables)
    }

    fn touch(&self, edge: &EdgeCode, touch: &mut Touch) {
        for code in edge.statement.codes() {
            each_read(code, &mut |cells| {
                if cells.global {
                    touch.reads.insert(cells.range.filter(|cell| self.written[*cell as usize]));
                }
            });
        }
        for cells in edge.statement.targets().into_iter().map(Cells::written).filter(|cells| cells.global) {
            touch.writes.insert(cells.range.filter(|cell| self.read[*cell as usize]));
        }
        if let Statement::Send { channel, .. } = &edge.statement {
            touch.sends.push(channel.clone());
        }
    }
}

fn edges(ty: &TypeCode, location: usize) -> &[EdgeCode] {
    let (first, end) = ty.ranges[location];
    &ty.edges[first as usize..end as usize]
}

/// Candidate locations of a type for local steps.
struct Candidates<'a> {
    ty: &'a TypeCode,
    shared: &'a Shared,
    is: Vec<bool>,
}

impl<'a> Candidates<'a> {
    fn new(ty: &'a TypeCode, shared: &'a Shared) -> Self {
        let is = (0..ty.ranges.len()).map(|location| {
            let edges = edges(ty, location);
            !edges.is_empty() && edges.iter().all(|edge| shared.may_be_local(edge))
        });
        Self { ty, shared, is: is.collect() }
    }

    /// Removes candidates that are not local because of their successors, and one location of each
    /// cycle.
    fn settle(mut self) -> Vec<Option<Box<Touch>>> {
        loop {
            self.weed();
            if !self.cut() {
                let touch = |at: usize| self.is[at].then(|| Box::new(self.touch(at)));
                return (0..self.is.len()).map(touch).collect();
            }
        }
    }

    /// Shared data accessed at a location, and up to the end of a `d_step` or an `atomic` that
    /// begins there.
    fn touch(&self, location: usize) -> Touch {
        let (mut touch, mut met, mut open) = (Touch::default(), BTreeSet::new(), vec![location]);
        while let Some(at) = open.pop() {
            for edge in edges(self.ty, at) {
                self.shared.touch(edge, &mut touch);
                if edge.hold == Hold::No && self.shared.rendezvous {
                    let behind = edges(self.ty, edge.target.index());
                    touch.answers.extend(behind.iter().filter_map(|edge| match &edge.statement {
                        Statement::Receive(receive) => {
                            Some(queues(self.ty, &receive.channel, &self.shared.written))
                        }
                        _ => None,
                    }));
                }
                if edge.hold != Hold::No && met.insert(edge.target.index()) {
                    open.push(edge.target.index());
                }
            }
        }
        touch
    }

    /// Removes candidates with an edge that is not local because of its target, to a fixed point.
    fn weed(&mut self) {
        loop {
            let out: Vec<usize> = (0..self.is.len())
                .filter(|at| self.is[*at] && !edges(self.ty, *at).iter().all(|edge| self.leads_well(edge)))
                .collect();
            if out.is_empty() {
                return;
            }
            out.into_iter().for_each(|at| self.is[at] = false);
        }
    }

    fn leads_well(&self, edge: &EdgeCode) -> bool {
        let behind = edges(self.ty, edge.target.index());
        match edge.hold {
            Hold::No => true,
            Hold::DStep => self.is[edge.target.index()],
            // The whole `atomic` counts as one step, so nothing in it may be an error.
            Hold::Atomic => {
                self.is[edge.target.index()]
                    && behind.iter().all(|edge| edge.hold != Hold::DStep && cannot_fail(&edge.statement))
            }
        }
    }

    /// Removes one location of some cycle of steps; returns `true` if there was one. A cycle inside
    /// a `d_step` is one step.
    fn cut(&mut self) -> bool {
        let mut seen = vec![Seen::Not; self.is.len()];
        for root in 0..self.is.len() {
            if !self.is[root] || seen[root] != Seen::Not {
                continue;
            }
            let mut way = vec![(root, self.behind_steps(root))];
            seen[root] = Seen::OnWay;
            while let Some((at, behind)) = way.last_mut() {
                let Some(target) = behind.pop() else {
                    seen[*at] = Seen::Done;
                    way.pop();
                    continue;
                };
                match seen[target] {
                    Seen::OnWay => {
                        let cycle = way.iter().rev().map(|(at, _)| *at);
                        let mut cycle = cycle.take_while(|at| *at != target).chain([target]);
                        // Prefers a location that is local only conditionally.
                        let cut = cycle.find(|at| !self.touch(*at).is_empty()).unwrap_or(target);
                        self.is[cut] = false;
                        return true;
                    }
                    Seen::Not => {
                        seen[target] = Seen::OnWay;
                        way.push((target, self.behind_steps(target)));
                    }
                    Seen::Done => {}
                }
            }
        }
        false
    }

    /// The candidate locations that a step from a location may lead to.
    fn behind_steps(&self, location: usize) -> Vec<usize> {
        let (mut behind, mut met, mut open) = (BTreeSet::new(), BTreeSet::new(), vec![location]);
        while let Some(at) = open.pop() {
            for edge in edges(self.ty, at) {
                let target = edge.target.index();
                if edge.hold != Hold::DStep {
                    behind.extend(self.is[target].then_some(target));
                } else if met.insert(target) {
                    open.push(target);
                }
            }
        }
        behind.into_iter().collect()
    }
}

/// State of a location in the depth-first search.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Seen {
    Not,
    OnWay,
    Done,
}

/// Returns `true` if a statement cannot end the run with an error.
fn cannot_fail(statement: &Statement) -> bool {
    !matches!(statement, Statement::Send { .. })
        && !statement.targets().iter().any(|target| target_may_fail(target, &is_constant_inside))
        && !statement.codes().into_iter().any(|code| may_fail(code, &is_constant_inside))
}
