//! Which variables a counterexample rests on (theory 8).
//!
//! The loops of a counterexample pass conditions, and what the abstraction does not know of the
//! variables in them is why it may be spurious. So the variables of these conditions come first;
//! then those that are sent, or that choose a channel, an element or a message; then, step by step,
//! those from which these get their values, through messages too.

use std::collections::{BTreeMap, BTreeSet};

use abstraction::Abstraction;
use boundedness::{Behaviour, Combination};
use cfsm_core::program::{
    Action, Binary, Edge, EdgeId, Expression, LocationId, Pattern, Place, ProcessType, ProcessTypeId,
    Program, VariableRef,
};
use cfsm_core::system::{Direction, MessageId, TransitionId};

use crate::following::{counts, is_counted};

/// A variable, with the process type in which it is followed.
pub(crate) type Followed = (ProcessTypeId, VariableRef);

/// A statement.
type Statement = (ProcessTypeId, EdgeId);

/// What to look at.
pub(crate) struct Relevance<'a> {
    pub(crate) program: &'a Program,
    pub(crate) abstraction: &'a Abstraction,
}

/// Variables that count turns, and whether what is copied from those that do nothing else counts as
/// a constant: it is one of few numbers.
#[derive(Clone, Copy)]
pub(crate) struct Turns<'t> {
    pub(crate) counting: &'t BTreeSet<Followed>,
    pub(crate) are_copied: bool,
}

impl Relevance<'_> {
    /// The variables that counterexamples rest on, up to a distance: 0 for those in conditions, but
    /// for what is received; that may be anything, and takes many states to follow. Time linear in
    /// program and system, for each step of distance.
    pub(crate) fn variables(&self, combinations: &[Combination], distance: usize) -> BTreeSet<Followed> {
        let statements = self.statements(combinations);
        let mut found = BTreeSet::new();
        for beside in self.beside(&statements) {
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

    /// For each variable that a condition beside the loops (`None`: any condition) compares with a
    /// constant, that is no array and not counted up or down: it, and those from which it gets its
    /// values, directly or not, shortest first. Time linear in program and system, for each step of
    /// the longest one.
    pub(crate) fn threads(&self, loops: Option<&[Combination]>) -> Vec<BTreeSet<Followed>> {
        let anywhere = || self.abstraction.statements.values().flatten().copied().collect();
        let statements = loops.map_or_else(anywhere, |loops| self.statements(loops));
        let mut compared = BTreeSet::new();
        for (ty, edge) in self.beside(&statements) {
            if let Action::Condition(condition) = &edge.action {
                note_compared(ty, condition, &mut compared);
            }
        }
        let thread = |followed: &Followed| self.with_sources(BTreeSet::from([*followed]));
        let told = compared.iter().filter(|followed| !is_counted(self.program, **followed));
        let mut threads: Vec<BTreeSet<Followed>> = told.map(thread).collect();
        threads.sort_by_key(BTreeSet::len);
        threads
    }

    /// Of threads anywhere, those that are passed on in messages and never choose a channel or an
    /// element: what kinds of messages there are, and of answers. Time as for threads.
    pub(crate) fn kinds(&self) -> Vec<BTreeSet<Followed>> {
        let choosing = choosing(self.program);
        let is_kind =
            |thread: &BTreeSet<Followed>| self.is_passed_on(thread) && thread.is_disjoint(&choosing);
        self.threads(None).into_iter().filter(is_kind).collect()
    }

    /// Whether messages are stored in what a thread consists of.
    pub(crate) fn is_passed_on(&self, thread: &BTreeSet<Followed>) -> bool {
        thread.len() > 1 || thread.iter().any(|followed| self.is_received(*followed))
    }

    /// The scalars that a loop of a counterexample, one that receives nothing, compares with
    /// constants and counts, and does nothing else to: it is they that end it, and where they are
    /// followed, it cannot be gone round for ever without what is around it. Time linear in the
    /// loops.
    pub(crate) fn turns(&self, loops: &[Combination]) -> BTreeSet<Followed> {
        let parts = loops.iter().flat_map(|combination| &combination.parts);
        let mut found = BTreeSet::new();
        for (behaviour, _) in parts {
            let Behaviour::Cycle(transitions) = behaviour else { continue };
            let statements =
                transitions.iter().flat_map(|id| self.abstraction.statements[*id].iter().copied());
            let statements: BTreeSet<Statement> = statements.collect();
            let mut compared = BTreeSet::new();
            let mut receives = false;
            for &(ty, edge) in &statements {
                match &self.edge((ty, edge)).action {
                    Action::Condition(condition) => note_compared(ty, condition, &mut compared),
                    action => receives |= matches!(action, Action::Receive { .. }),
                }
            }
            if receives {
                continue;
            }
            found.extend(compared.into_iter().filter(|followed| self.only_counts(&statements, *followed)));
        }
        found
    }

    /// The same of all loops there may be.
    pub(crate) fn turns_anywhere(&self) -> BTreeSet<Followed> {
        let of_type = |(ty, process): (ProcessTypeId, &ProcessType)| {
            let mut compared = BTreeSet::new();
            for edge in process.edges.values() {
                if let Action::Condition(condition) = &edge.action {
                    note_compared(ty, condition, &mut compared);
                }
            }
            compared.retain(|(_, variable)| {
                matches!(variable, VariableRef::Local(_)) && counts_in_turns(process, *variable)
            });
            compared
        };
        self.program.types.iter().flat_map(of_type).collect()
    }

    /// Whether some statements count a local variable up or down, and do nothing else to it.
    fn only_counts(&self, statements: &BTreeSet<Statement>, (ty, variable): Followed) -> bool {
        let own =
            statements.iter().filter(|(of, _)| *of == ty).map(|statement| &self.edge(*statement).action);
        let mut writes =
            own.filter(|action| stored(action).any(|place| place.variable == variable)).peekable();
        matches!(variable, VariableRef::Local(_))
            && writes.peek().is_some()
            && writes.all(|action| counts(action, variable))
    }

    /// What is only ever copied, through messages too, and comes to something that is looked at
    /// beside loops: a condition in which it is not compared with a constant, or the choice of a
    /// channel. What is computed on its way is not among that. Time as for threads.
    pub(crate) fn copied(&self, loops: Option<&[Combination]>, turns: Turns<'_>) -> BTreeSet<Followed> {
        let mut looks: Vec<BTreeSet<Followed>> = Vec::new();
        let anywhere = || self.abstraction.statements.values().flatten().copied().collect();
        let statements = loops.map_or_else(anywhere, |loops| self.statements(loops));
        for (ty, edge) in self.beside(&statements) {
            let mut look = BTreeSet::new();
            match &edge.action {
                Action::Condition(condition) => note_comparisons(ty, condition, &mut looks),
                Action::Send { channel, .. } | Action::Receive { channel, .. } => {
                    note(ty, channel, &mut look)
                }
                _ => {}
            }
            looks.push(look);
        }
        let all = self.with_sources(looks.iter().flatten().copied().collect());
        let computed = self.computed(&all, turns);
        looks.retain(|look| look.is_disjoint(&computed));
        let found = self.with_sources(looks.into_iter().flatten().collect());
        found.difference(&computed).copied().collect()
    }

    /// Those among some variables that hold nothing but what is computed, there or where it comes
    /// from: no constant ever gets there. What counts turns counts if something else is copied
    /// there.
    fn computed(&self, found: &BTreeSet<Followed>, turns: Turns<'_>) -> BTreeSet<Followed> {
        let mut origins: BTreeMap<Followed, BTreeSet<Followed>> = BTreeMap::new();
        let mut copies: BTreeSet<Followed> = BTreeSet::new();
        let Turns { counting, are_copied } = turns;
        let pure: BTreeSet<Followed> =
            counting.iter().copied().filter(|turn| self.is_never_copied_to(*turn)).collect();
        let is_counter = |followed: &Followed| counting.contains(followed);
        let told =
            found.iter().filter(|followed| is_counter(followed) || !is_computed(self.program, **followed));
        for followed in told {
            let of_variable = origins.entry(*followed).or_default();
            let (mut written, mut constant) = (false, false);
            self.values_stored(&BTreeSet::from([*followed]), &mut |ty, value| {
                written = true;
                constant |= matches!(value, Expression::Constant(_) | Expression::Pid);
                note_values(ty, value, of_variable);
            });
            let counted = are_copied && of_variable.iter().any(|origin| pure.contains(origin));
            if (constant || counted || !written) && !is_counter(followed) {
                copies.insert(*followed);
            }
        }
        loop {
            let before = copies.len();
            let reached = origins.iter().filter(|(_, origins)| !origins.is_disjoint(&copies));
            let reached: Vec<Followed> = reached.map(|(followed, _)| *followed).collect();
            copies.extend(reached);
            if copies.len() == before {
                return found.difference(&copies).copied().collect();
            }
        }
    }

    /// Whether a variable holds nothing but constants and what is added to them.
    fn is_never_copied_to(&self, (ty, variable): Followed) -> bool {
        let mut actions = self.program.types[ty].edges.values().map(|edge| &edge.action);
        actions.all(|action| match action {
            Action::Assign { target, value } if target.variable == variable => {
                matches!(value, Expression::Constant(_)) || counts(action, variable)
            }
            action => action.targets().iter().all(|target| target.variable != variable),
        })
    }

    /// Variables, and those from which they get their values, directly or not.
    fn with_sources(&self, mut followed: BTreeSet<Followed>) -> BTreeSet<Followed> {
        loop {
            let before = followed.clone();
            self.sources(&before, &mut followed);
            if followed.len() == before.len() {
                return followed;
            }
        }
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
    pub(crate) fn is_received(&self, (ty, variable): Followed) -> bool {
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

    /// Statements, and those that leave the same locations: what decides between them.
    fn beside(&self, statements: &BTreeSet<Statement>) -> Vec<(ProcessTypeId, &Edge)> {
        let sources: BTreeSet<(ProcessTypeId, LocationId)> =
            statements.iter().map(|statement| (statement.0, self.edge(*statement).source)).collect();
        let mut beside = Vec::new();
        for (ty, process) in self.program.types.iter() {
            let leaves = |edge: &&Edge| sources.contains(&(ty, edge.source));
            beside.extend(process.edges.values().filter(leaves).map(|edge| (ty, edge)));
        }
        beside
    }

    /// Where followed variables get their values from, and the indices of where they are stored.
    fn sources(&self, followed: &BTreeSet<Followed>, found: &mut BTreeSet<Followed>) {
        for (ty, process) in self.program.types.iter() {
            for edge in process.edges.values() {
                if let Action::Assign { target, .. } = &edge.action
                    && followed.contains(&(ty, target.variable))
                {
                    note_index(ty, target, found);
                }
            }
        }
        self.values_stored(followed, &mut |ty, value| note(ty, value, found));
    }

    /// The expressions whose values are stored in some variables, through messages too, with the
    /// process types that evaluate them.
    fn values_stored(&self, followed: &BTreeSet<Followed>, see: &mut dyn FnMut(ProcessTypeId, &Expression)) {
        for (ty, process) in self.program.types.iter() {
            for edge in process.edges.values() {
                if let Action::Assign { target, value } = &edge.action
                    && followed.contains(&(ty, target.variable))
                {
                    see(ty, value);
                }
            }
        }
        let sent = self.sent_fields();
        for (statement, message) in self.events(Direction::Receive) {
            let Action::Receive { patterns, .. } = &self.edge(statement).action else { continue };
            for (position, pattern) in patterns.iter().enumerate() {
                let Pattern::Store(place) = pattern else { continue };
                if followed.contains(&(statement.0, place.variable)) {
                    let values = sent.get(&(message, position)).into_iter().flatten();
                    values.for_each(|(sender, value)| see(*sender, value));
                }
            }
        }
    }

    /// What is sent in each field of each type of messages.
    fn sent_fields(&self) -> BTreeMap<(MessageId, usize), Vec<(ProcessTypeId, &Expression)>> {
        let mut sent: BTreeMap<_, Vec<_>> = BTreeMap::new();
        for (statement, message) in self.events(Direction::Send) {
            let Action::Send { fields, .. } = &self.edge(statement).action else { continue };
            for (position, value) in fields.iter().enumerate() {
                sent.entry((message, position)).or_default().push((statement.0, value));
            }
        }
        sent
    }

    /// The statements that send or receive, with the message.
    fn events(&self, direction: Direction) -> BTreeSet<(Statement, MessageId)> {
        let system = &self.abstraction.system;
        let mut found = BTreeSet::new();
        for (id, step) in system.transitions.iter() {
            for event in step.events.iter().filter(|event| event.direction == direction) {
                let statements = self.abstraction.statements[id].iter();
                found.extend(statements.map(|statement| (*statement, event.message)));
            }
        }
        found
    }

    fn edge(&self, (ty, edge): Statement) -> &Edge {
        &self.program.types[ty].edges[edge]
    }
}

/// Whether a statement that counts a variable may be executed again without a receive, and without
/// anything else that is stored there. Time linear in the process, for each statement that counts.
fn counts_in_turns(process: &ProcessType, variable: VariableRef) -> bool {
    let stays = |edge: &Edge| {
        !matches!(edge.action, Action::Receive { .. })
            && (counts(&edge.action, variable)
                || stored(&edge.action).all(|place| place.variable != variable))
    };
    let leads_back = |edge: &Edge| {
        let mut seen = BTreeSet::from([edge.target]);
        let mut open = vec![edge.target];
        while let Some(at) = open.pop() {
            let leaving = process.edges.values().filter(|next| next.source == at && stays(next));
            open.extend(leaving.map(|next| next.target).filter(|target| seen.insert(*target)));
        }
        seen.contains(&edge.source)
    };
    process.edges.values().filter(|edge| counts(&edge.action, variable)).any(leads_back)
}

/// The variables that choose channels, or elements of arrays.
fn choosing(program: &Program) -> BTreeSet<Followed> {
    let mut found = BTreeSet::new();
    for (ty, process) in program.types.iter() {
        for action in process.edges.values().map(|edge| &edge.action) {
            if let Action::Send { channel, .. } | Action::Receive { channel, .. } = action {
                note(ty, channel, &mut found);
            }
            action.places().into_iter().for_each(|place| note_index(ty, place, &mut found));
        }
    }
    found
}

/// Notes the variables whose values an expression has, not those that select elements.
fn note_values(ty: ProcessTypeId, expression: &Expression, found: &mut BTreeSet<Followed>) {
    match expression {
        Expression::Read(place) => drop(found.insert((ty, place.variable))),
        _ => expression.children().into_iter().for_each(|part| note_values(ty, part, found)),
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

/// The scalars that an expression compares with constants.
fn note_compared(ty: ProcessTypeId, expression: &Expression, found: &mut BTreeSet<Followed>) {
    expression.any(&mut |inner| {
        if let Some(Place { variable, index: None }) = compared_with_constant(inner) {
            found.insert((ty, *variable));
        }
        false
    });
}

/// Of each comparison in an expression that is not one with a constant, what it names.
fn note_comparisons(ty: ProcessTypeId, expression: &Expression, found: &mut Vec<BTreeSet<Followed>>) {
    match expression {
        Expression::Binary(Binary::And | Binary::Or, one, other) => {
            [one, other].into_iter().for_each(|part| note_comparisons(ty, part, found));
        }
        Expression::Unary(_, part) => note_comparisons(ty, part, found),
        Expression::Binary(..) if compared_with_constant(expression).is_none() => {
            let mut named = BTreeSet::new();
            note(ty, expression, &mut named);
            found.push(named);
        }
        _ => {}
    }
}

/// What is compared with a constant, if an expression is such a comparison.
fn compared_with_constant(expression: &Expression) -> Option<&Place> {
    let Expression::Binary(Binary::Equal | Binary::NotEqual, one, other) = expression else { return None };
    match (&**one, &**other) {
        (Expression::Read(place), Expression::Constant(_))
        | (Expression::Constant(_), Expression::Read(place)) => Some(place),
        _ => None,
    }
}

/// Whether something else than a constant or what another variable holds is assigned to a variable,
/// or other process types write it.
fn is_computed(program: &Program, (ty, variable): Followed) -> bool {
    let is_copy =
        |value: &Expression| matches!(value, Expression::Constant(_) | Expression::Read(_) | Expression::Pid);
    let is_foreign = |(other, process): (ProcessTypeId, &ProcessType)| {
        let mut places = process.edges.values().flat_map(|edge| edge.action.targets());
        other != ty && places.any(|place| place.variable == variable)
    };
    let is_global = matches!(variable, VariableRef::Global(_));
    (is_global && program.types.iter().any(is_foreign))
        || program.types[ty].edges.values().any(|edge| match &edge.action {
            Action::Assign { target, value } => target.variable == variable && !is_copy(value),
            Action::Create { result, .. } => result.as_ref().is_some_and(|place| place.variable == variable),
            _ => false,
        })
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
