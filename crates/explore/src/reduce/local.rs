//! At which locations a process does what nobody else can see.

use std::collections::BTreeSet;

use cfsm_core::ids::Id;
use cfsm_core::program::{Binary, Hold};

use super::cells::{self, Cells, each_read};
use crate::Semantics;
use crate::code::{Code, EdgeCode, Init, Statement, TypeCode};

/// What statements of all types do to globals, and to rendezvous.
struct Shared {
    /// For each cell of the globals, whether it is written.
    written: Vec<bool>,
    /// For each cell of the globals, whether it is read.
    read: Vec<bool>,
    /// Whether it matters to some process, not only when it can, that another one is ready to receive what it hands
    /// over: there is an `else`, an escape, or it would keep control.
    partners_matter: bool,
    /// For each cell of the globals, whether it always refers to a queue that is no rendezvous.
    stores: Vec<bool>,
}

/// For each type and location, whether all that the process can do there is local, and goes on for finitely many steps.
pub(super) fn locations(semantics: &Semantics) -> Vec<Vec<bool>> {
    let written = cells::written(semantics);
    let stores = stores(semantics, &written);
    let mut shared = Shared { written, read: cells::read(semantics), partners_matter: false, stores };
    shared.partners_matter =
        semantics.has_rendezvous && semantics.types.iter().any(|ty| partners_matter(ty, &shared));
    let of_type = |ty| Candidates::new(ty, &shared).settle();
    semantics.types.iter().map(of_type).collect()
}

/// For each cell of the globals, whether it is a channel with room for messages for ever.
fn stores(semantics: &Semantics, written: &[bool]) -> Vec<bool> {
    let mut stores = vec![false; written.len()];
    for global in &semantics.globals {
        if let Init::Queues(first) = global.init {
            for element in 0..global.length {
                let cell = (global.first + element) as usize;
                stores[cell] = !written[cell] && !semantics.queues[(first + element) as usize].rendezvous;
            }
        }
    }
    stores
}

impl Shared {
    /// Whether a channel may be a rendezvous.
    fn may_hand_over(&self, channel: &Code) -> bool {
        match Cells::read(channel) {
            Some(cells) if cells.global => cells.range.into_iter().any(|cell| !self.stores[cell as usize]),
            _ => true,
        }
    }

    fn offers(&self, edge: &EdgeCode) -> bool {
        matches!(&edge.statement, Statement::Send { channel, .. } if self.may_hand_over(channel))
    }

    fn answers(&self, edge: &EdgeCode) -> bool {
        matches!(&edge.statement, Statement::Receive(receive) if self.may_hand_over(&receive.channel))
    }

    /// Whether an expression depends on nothing but the process's own variables and what never changes.
    fn is_own(&self, code: &Code) -> bool {
        let mut own = !code.any(&mut |part| {
            !matches!(
                part,
                Code::Constant(_)
                    | Code::Global(_)
                    | Code::Local(_)
                    | Code::Element(_)
                    | Code::Unary(..)
                    | Code::Binary(..)
                    | Code::Conditional(_)
                    | Code::Pid
            )
        });
        each_read(code, &mut |cells| {
            own &= !cells.global || !cells.range.into_iter().any(|cell| self.written[cell as usize]);
        });
        own
    }

    /// Whether a statement depends only on what is the process's own, and changes nothing that others see.
    fn is_local(&self, statement: &Statement) -> bool {
        let kind = matches!(
            statement,
            Statement::Condition(_)
                | Statement::Else
                | Statement::Assign(..)
                | Statement::Assert(_)
                | Statement::Print(_)
        );
        let seen =
            |cells: Cells| cells.global && cells.range.into_iter().any(|cell| self.read[cell as usize]);
        kind && statement.codes().into_iter().all(|code| self.is_own(code))
            && !statement.targets().into_iter().any(|target| seen(Cells::written(target)))
    }
}

/// Whether a process of a type may behave otherwise because another one is ready to receive from it.
fn partners_matter(ty: &TypeCode, shared: &Shared) -> bool {
    let kept = |location: usize| {
        ty.edges.iter().any(|edge| edge.hold == Hold::Atomic && edge.target.index() == location)
    };
    (0..ty.ranges.len()).any(|location| {
        let edges = edges(ty, location);
        edges.iter().any(|edge| shared.offers(edge))
            && (edges.iter().any(|edge| edge.rank > 0 || matches!(edge.statement, Statement::Else))
                || kept(location))
    })
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
            !edges.is_empty() && edges.iter().all(|edge| shared.is_local(&edge.statement))
        });
        Self { ty, shared, is: is.collect() }
    }

    /// Takes away what is not local because of what comes behind, and one location of each cycle.
    fn settle(mut self) -> Vec<bool> {
        loop {
            self.weed();
            if !self.cut() {
                return self.is;
            }
        }
    }

    /// Takes away locations with an edge that is not local because of where it leads, until none is left.
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
            Hold::No => !self.shared.partners_matter || !behind.iter().any(|edge| self.shared.answers(edge)),
            Hold::DStep => self.is[edge.target.index()],
            // The whole of it is one, so nothing in it may go wrong.
            Hold::Atomic => {
                self.is[edge.target.index()]
                    && behind.iter().all(|edge| edge.hold != Hold::DStep && cannot_fail(&edge.statement))
            }
        }
    }

    /// Takes away one location of some cycle of steps; whether there was one. What goes round inside a `d_step` is one
    /// step.
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
                        self.is[target] = false;
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
    let risky = |part: &Code| match part {
        Code::Element(_) => true,
        Code::Binary(operator, _) => {
            matches!(operator, Binary::Divide | Binary::Remainder | Binary::ShiftLeft | Binary::ShiftRight)
        }
        _ => false,
    };
    let element = |target: &&crate::code::Target| target.element.is_some();
    !statement.targets().iter().any(element)
        && !statement.codes().into_iter().any(|code| code.any(&mut |part| risky(part)))
}
