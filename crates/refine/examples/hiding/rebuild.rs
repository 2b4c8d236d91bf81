//! A process type whose statements are weaker ones.

use std::collections::{BTreeMap, BTreeSet};

use cfsm_core::ids::{Id, IdMap};
use cfsm_core::program::{Action, Edge, EdgeId, Expression, Hold, LocationId, ProcessType};

use super::coarse::DSteps;

/// What an edge becomes.
pub struct Ways {
    pub actions: Vec<Action>,
    /// Whether it can be executed where it could not be.
    pub weaker: bool,
}

impl Ways {
    pub fn same(action: &Action) -> Self {
        Self { actions: vec![action.clone()], weaker: false }
    }
    pub fn one(action: Action) -> Self {
        Self { actions: vec![action], weaker: false }
    }
    pub fn skip() -> Self {
        Self::one(SKIP)
    }
}

pub const SKIP: Action = Action::Condition(Expression::Constant(1));

/// Whether anybody does more than in the program.
#[derive(Clone, Copy)]
pub struct Partners {
    /// In a receive.
    pub receive: bool,
    /// In a send.
    pub send: bool,
}

/// A type whose edges are these.
pub fn rebuild(
    process: &ProcessType,
    mut ways: Vec<Ways>,
    partners: Partners,
    d_steps: DSteps,
) -> (ProcessType, IdMap<EdgeId, EdgeId>) {
    let edges: Vec<&Edge> = process.edges.values().collect();
    let mut at: BTreeMap<LocationId, Vec<usize>> = BTreeMap::new();
    for (position, edge) in edges.iter().enumerate() {
        at.entry(edge.source).or_default().push(position);
    }
    // What can be executed where it could not be; who offers more in a rendezvous lets its partner
    // do more.
    let does_more = |ways: &Ways, edge: &Edge| {
        let partner_does = match edge.action {
            Action::Send { .. } => partners.receive,
            Action::Receive { .. } => partners.send,
            _ => false,
        };
        ways.weaker || ways.actions.len() > 1 || partner_does
    };
    let more: Vec<bool> = ways.iter().zip(&edges).map(|(ways, edge)| does_more(ways, edge)).collect();
    // There a process may have had to wait inside `atomic`, and others stepped.
    let mut weak: BTreeSet<LocationId> = BTreeSet::new();
    for (location, positions) in at.iter().filter(|(_, positions)| positions.iter().any(|at| more[*at])) {
        for position in positions.iter().filter(|position| edges[**position].action == Action::Else) {
            ways[*position] = Ways { actions: vec![SKIP], weaker: true };
        }
        if !positions.iter().any(|position| never_blocks(&edges[*position].action)) {
            weak.insert(*location);
        }
    }
    let differs = |(position, edge): &(usize, &&Edge)| {
        let ways = &ways[*position];
        d_steps == DSteps::Apart
            || more[*position]
            || ways.actions.len() != 1
            || ways.actions[0] != edge.action
    };
    let touched: BTreeSet<u32> =
        edges.iter().enumerate().filter(differs).filter_map(|(_, edge)| edge.d_step).collect();
    let mut made = IdMap::new();
    let mut origins = IdMap::new();
    for (position, (edge, ways)) in edges.iter().zip(ways).enumerate() {
        for action in ways.actions {
            let apart = edge.d_step.is_some_and(|step| touched.contains(&step));
            let hold = match edge.hold {
                Hold::Atomic if weak.contains(&edge.target) => Hold::No,
                Hold::DStep if apart => Hold::Atomic,
                hold => hold,
            };
            made.push(Edge {
                action,
                hold,
                rank: 0,
                d_step: edge.d_step.filter(|_| !apart),
                ..(*edge).clone()
            });
            origins.push(EdgeId::new(position));
        }
    }
    (ProcessType { edges: made, deterministic: false, exclusive: Vec::new(), ..process.clone() }, origins)
}

const fn never_blocks(action: &Action) -> bool {
    match action {
        Action::Condition(Expression::Constant(value)) => *value != 0,
        Action::Else | Action::Assign { .. } | Action::Assert(_) | Action::Print { .. } => true,
        _ => false,
    }
}
