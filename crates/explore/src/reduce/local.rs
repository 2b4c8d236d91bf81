//! At which locations a process does what nobody else can see.

use std::collections::BTreeSet;

use cfsm_core::ids::Id;
use cfsm_core::program::Hold;

use super::cells::{self, Cells, Globals, each_read, is_of_variables};
use super::failure::{is_constant_inside, may_fail, target_may_fail};
use super::reach::{Queues, queues};
use crate::Semantics;
use crate::code::{Code, EdgeCode, Statement, TypeCode};

/// What a process touches of what it shares with others, in a step at a location.
#[derive(Clone, Debug, Default)]
pub(super) struct Touch {
    /// Globals that it may read, and somebody writes.
    pub reads: Globals,
    /// Globals that it may write, and somebody reads.
    pub writes: Globals,
    /// The channels that it may send to.
    pub sends: Vec<Code>,
    /// The queues from which it may receive behind the step.
    pub answers: BTreeSet<Queues>,
}

impl Touch {
    /// Whether it touches nothing.
    pub fn is_empty(&self) -> bool {
        self.reads.is_empty() && self.writes.is_empty() && self.sends.is_empty() && self.answers.is_empty()
    }
}

/// What statements of all types do to globals, and to rendezvous.
struct Shared {
    /// For each cell of the globals, whether it is written.
    written: Vec<bool>,
    /// For each cell of the globals, whether it is read.
    read: Vec<bool>,
    /// Whether there is a rendezvous.
    rendezvous: bool,
    /// Whether a send may be local.
    sends: bool,
}

/// For each type and location, if all that the process can do there is local as long as nobody else
/// cares for what it touches, and goes on for finitely many steps: what it touches.
pub(super) fn locations(semantics: &Semantics, sends: bool) -> Vec<Vec<Option<Box<Touch>>>> {
    let (written, read) = (cells::written(semantics), cells::read(semantics));
    let shared = Shared { written, read, rendezvous: semantics.has_rendezvous, sends };
    let of_type = |ty| Candidates::new(ty, &shared).settle();
    semantics.types.iter().map(of_type).collect()
}

impl Shared {
    /// Whether an edge depends on variables only, and changes variables only, or sends.
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

/// Locations of a type that may be local.
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

    /// Takes away what is not local because of what comes behind, and one location of each cycle.
    fn settle(mut self) -> Vec<Option<Box<Touch>>> {
        loop {
            self.weed();
            if !self.cut() {
                let touch = |at: usize| self.is[at].then(|| Box::new(self.touch(at)));
                return (0..self.is.len()).map(touch).collect();
            }
        }
    }

    /// What is touched at a location, and up to the end of a `d_step` or an `atomic` that begins
    /// there.
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

    /// Takes away locations with an edge that is not local because of where it leads, until none is
    /// left.
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
            // The whole of it is one, so nothing in it may go wrong.
            Hold::Atomic => {
                self.is[edge.target.index()]
                    && behind.iter().all(|edge| edge.hold != Hold::DStep && cannot_fail(&edge.statement))
            }
        }
    }

    /// Takes away one location of some cycle of steps; whether there was one. What goes round
    /// inside a `d_step` is one step.
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
                        // Better one that is local only at times.
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

    /// The local locations that steps from a location may lead to.
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

/// How far a location was looked at.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Seen {
    Not,
    OnWay,
    Done,
}

/// Whether a statement cannot end the run with an error.
fn cannot_fail(statement: &Statement) -> bool {
    !matches!(statement, Statement::Send { .. })
        && !statement.targets().iter().any(|target| target_may_fail(target, &is_constant_inside))
        && !statement.codes().into_iter().any(|code| may_fail(code, &is_constant_inside))
}
