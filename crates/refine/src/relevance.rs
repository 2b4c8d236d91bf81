//! Which variables a counterexample rests on (theory 8).
//!
//! The loops of a counterexample pass conditions, and what the abstraction does not know of the variables in them is why
//! it may be spurious. So the variables of these conditions come first; then those that are sent, or that choose a
//! channel, an element or a message; then, step by step, those from which these get their values, through messages too.

use std::collections::{BTreeMap, BTreeSet};

use abstraction::Abstraction;
use boundedness::{Behaviour, Combination};
use cfsm_core::program::{
    Action, Binary, Edge, EdgeId, Expression, Pattern, Place, ProcessTypeId, Program, VariableRef,
};
use cfsm_core::system::{BufferId, Direction, TransitionId};

use crate::following::is_counted;

/// A variable, with the process type in which it is followed.
pub(crate) type Followed = (ProcessTypeId, VariableRef);

/// A statement.
type Statement = (ProcessTypeId, EdgeId);

/// What to look at.
pub(crate) struct Relevance<'a> {
    pub(crate) program: &'a Program,
    pub(crate) abstraction: &'a Abstraction,
}

impl Relevance<'_> {
    /// The variables that counterexamples rest on, up to a distance: 0 for those in conditions, but for what is received;
    /// that may be anything, and takes many states to follow. Time linear in program and system, for each step of
    /// distance.
    pub(crate) fn variables(&self, combinations: &[Combination], distance: usize) -> BTreeSet<Followed> {
        let statements = self.statements(combinations);
        let mut found = BTreeSet::new();
        for beside in statements.iter().flat_map(|statement| self.beside(*statement)) {
            self.note_looks(beside, distance > 1, &mut found);
        }
        if distance == 0 {
            found.retain(|followed| !self.is_received(*followed));
        }
        for _ in 2..distance {
            let before = found.clone();
            self.sources(&before, &mut found);
        }
        found
    }

    /// For each variable that a condition beside the loops (`None`: any condition) compares with a constant, that is no array and not counted up or down: it, and those from which it gets its values, directly
    /// or not, shortest first. Time linear in program and system, for each step of the longest one.
    pub(crate) fn threads(&self, loops: Option<&[Combination]>) -> Vec<BTreeSet<Followed>> {
        let anywhere = || self.abstraction.statements.values().flatten().copied().collect();
        let statements = loops.map_or_else(anywhere, |loops| self.statements(loops));
        let mut compared = BTreeSet::new();
        for (ty, edge) in statements.iter().flat_map(|statement| self.beside(*statement)) {
            if let Action::Condition(condition) = &edge.action {
                note_compared(ty, condition, &mut compared);
            }
        }
        let thread = |followed: &Followed| {
            let mut thread = BTreeSet::from([*followed]);
            loop {
                let before = thread.clone();
                self.sources(&before, &mut thread);
                if thread.len() == before.len() {
                    return thread;
                }
            }
        };
        let told = compared.iter().filter(|followed| !is_counted(self.program, **followed));
        let mut threads: Vec<BTreeSet<Followed>> = told.map(thread).collect();
        threads.sort_by_key(BTreeSet::len);
        threads
    }

    /// What a statement looks at: a condition, or, if asked for, anything else.
    fn note_looks(&self, (ty, edge): (ProcessTypeId, &Edge), all: bool, found: &mut BTreeSet<Followed>) {
        match &edge.action {
            Action::Condition(condition) => note(ty, condition, found),
            Action::Assign { .. } | Action::Print { .. } => {}
            action if all => action.expressions().into_iter().for_each(|value| note(ty, value, found)),
            _ => {}
        }
        if all {
            stored(&edge.action).for_each(|place| note_index(ty, place, found));
        }
    }

    /// Whether a message may be stored in a variable.
    fn is_received(&self, (ty, variable): Followed) -> bool {
        let receives = |edge: &Edge| matches!(edge.action, Action::Receive { .. });
        let edges = self.program.types[ty].edges.values().filter(|edge| receives(edge));
        edges.flat_map(|edge| stored(&edge.action)).any(|place| place.variable == variable)
    }

    /// The statements of the loops.
    fn statements(&self, combinations: &[Combination]) -> BTreeSet<Statement> {
        let parts = combinations.iter().flat_map(|combination| &combination.parts);
        let transitions = parts.flat_map(|(behaviour, _)| match behaviour {
            Behaviour::Cycle(transitions) | Behaviour::Path(_, transitions) => transitions,
        });
        transitions.flat_map(|&id: &TransitionId| self.abstraction.statements[id].iter().copied()).collect()
    }

    /// A statement, and those that leave the same location: what decides between them.
    fn beside(&self, (ty, edge): Statement) -> impl Iterator<Item = (ProcessTypeId, &Edge)> {
        let edges = &self.program.types[ty].edges;
        let source = edges[edge].source;
        edges.values().filter(move |other| other.source == source).map(move |edge| (ty, edge))
    }

    /// Where followed variables get their values from.
    fn sources(&self, followed: &BTreeSet<Followed>, found: &mut BTreeSet<Followed>) {
        for (ty, process) in self.program.types.iter() {
            for edge in process.edges.values() {
                if let Action::Assign { target, value } = &edge.action
                    && followed.contains(&(ty, target.variable))
                {
                    note(ty, value, found);
                    note_index(ty, target, found);
                }
            }
        }
        let sent = self.sent_fields();
        for (statement, buffer) in self.events(Direction::Receive) {
            let Action::Receive { patterns, .. } = &self.edge(statement).action else { continue };
            for (position, pattern) in patterns.iter().enumerate() {
                let Pattern::Store(place) = pattern else { continue };
                if followed.contains(&(statement.0, place.variable)) {
                    let values = sent.get(&(buffer, position)).into_iter().flatten();
                    values.for_each(|(sender, value)| note(*sender, value, found));
                }
            }
        }
    }

    /// What is sent into each field of each buffer.
    fn sent_fields(&self) -> BTreeMap<(BufferId, usize), Vec<(ProcessTypeId, &Expression)>> {
        let mut sent: BTreeMap<_, Vec<_>> = BTreeMap::new();
        for (statement, buffer) in self.events(Direction::Send) {
            let Action::Send { fields, .. } = &self.edge(statement).action else { continue };
            for (position, value) in fields.iter().enumerate() {
                sent.entry((buffer, position)).or_default().push((statement.0, value));
            }
        }
        sent
    }

    /// The statements that send or receive, with the buffer.
    fn events(&self, direction: Direction) -> BTreeSet<(Statement, BufferId)> {
        let system = &self.abstraction.system;
        let mut found = BTreeSet::new();
        for (id, step) in system.transitions.iter() {
            for event in step.events.iter().filter(|event| event.direction == direction) {
                let buffer = system.messages[event.message].buffer;
                found.extend(self.abstraction.statements[id].iter().map(|statement| (*statement, buffer)));
            }
        }
        found
    }

    fn edge(&self, (ty, edge): Statement) -> &Edge {
        &self.program.types[ty].edges[edge]
    }
}

fn note(ty: ProcessTypeId, expression: &Expression, found: &mut BTreeSet<Followed>) {
    expression.any(&mut |inner| {
        if let Expression::Read(place) = inner {
            found.insert((ty, place.variable));
        }
        false
    });
}

/// The variables that an expression compares with constants.
fn note_compared(ty: ProcessTypeId, expression: &Expression, found: &mut BTreeSet<Followed>) {
    expression.any(&mut |inner| {
        if let Expression::Binary(Binary::Equal | Binary::NotEqual, one, other) = inner {
            match (&**one, &**other) {
                (Expression::Read(place), Expression::Constant(_))
                | (Expression::Constant(_), Expression::Read(place))
                    if place.index.is_none() =>
                {
                    found.insert((ty, place.variable));
                }
                _ => {}
            }
        }
        false
    });
}

fn note_index(ty: ProcessTypeId, place: &Place, found: &mut BTreeSet<Followed>) {
    if let Some(index) = &place.index {
        note(ty, index, found);
    }
}

/// The places that an action stores into.
fn stored(action: &Action) -> impl Iterator<Item = &Place> {
    let (one, many): (Option<&Place>, &[Pattern]) = match action {
        Action::Assign { target, .. } => (Some(target), &[]),
        Action::Create { result, .. } => (result.as_ref(), &[]),
        Action::Receive { patterns, .. } => (None, patterns),
        _ => (None, &[]),
    };
    let stored = many.iter().filter_map(|pattern| match pattern {
        Pattern::Store(place) => Some(place),
        Pattern::Any | Pattern::Match(_) => None,
    });
    one.into_iter().chain(stored)
}
