//! The variables that a loop is analysed with: scalars that only the process itself writes.

use std::collections::{BTreeMap, BTreeSet};

use crate::affine::Interval;
use crate::limits::VARIABLES;
use crate::nesting;
use cfsm_core::ids::IdMap;
use cfsm_core::program::{
    Action, Claim, Edge, EdgeId, Expression, Initializer, LocationId, Place, ProcessTypeId, Program, Type,
    Unary, Variable, VariableId, VariableRef,
};

/// The range of C's `int`.
pub(crate) const INT: Interval = Interval::new(i32::MIN as i128, i32::MAX as i128);

/// A variable that a loop is analysed with.
#[derive(Clone, Debug)]
pub(crate) struct Tracked {
    /// The variable.
    pub(crate) reference: VariableRef,
    /// The values of its type.
    pub(crate) range: Interval,
    /// The values that it may have when the process starts.
    pub(crate) initial: Interval,
}

/// A statement of a process type.
pub type Statement = (ProcessTypeId, EdgeId);

/// The owners of the variables of a program.
#[derive(Debug)]
pub(crate) struct Ownership<'a> {
    pub(crate) program: &'a Program,
    /// The statements that write each global.
    writers: BTreeMap<VariableId, BTreeSet<Statement>>,
    /// `true` for each type of which no run has more than one instance.
    single: IdMap<ProcessTypeId, bool>,
    /// `true` if code in another language may write all globals.
    anything: bool,
}

impl<'a> Ownership<'a> {
    /// Linear time, but for chains of types that create each other.
    pub(crate) fn of(program: &'a Program) -> Self {
        let mut writers: BTreeMap<VariableId, BTreeSet<Statement>> = BTreeMap::new();
        let mut anything = false;
        for (ty, process) in program.types.iter() {
            for (id, edge) in process.edges.iter() {
                anything |= is_opaque(&edge.action);
                for place in edge.action.targets() {
                    if let VariableRef::Global(variable) = place.variable {
                        writers.entry(variable).or_default().insert((ty, id));
                    }
                }
            }
        }
        Self { program, writers, single: singles(program), anything }
    }

    /// Returns `true` if nobody but the instances' own statements, these of others and types that
    /// come later writes a variable.
    fn is_own(
        &self,
        ty: ProcessTypeId,
        others: &BTreeSet<Statement>,
        later: &BTreeSet<ProcessTypeId>,
        variable: VariableRef,
    ) -> bool {
        match variable {
            VariableRef::Local(_) => true,
            VariableRef::Global(_) => {
                let mut writers = self.writers(variable);
                !self.anything
                    && self.single[ty]
                    && writers
                        .all(|writer| writer.0 == ty || later.contains(&writer.0) || others.contains(&writer))
            }
        }
    }

    /// The types without an instance as long as the one instance of a type can still come to these
    /// locations: it alone creates them, behind all of these, or others of these types do.
    fn later(&self, ty: ProcessTypeId, locations: &BTreeSet<LocationId>) -> BTreeSet<ProcessTypeId> {
        let process = &self.program.types[ty];
        let before = nesting::before(process, locations);
        let observes = |claim: &Claim, other| matches!(claim, Claim::Observer { process_type, .. } if *process_type == other);
        let is_there = |other: ProcessTypeId| {
            self.program.initial.iter().any(|one| one.process_type == other)
                || self.program.claims.iter().any(|claim| observes(claim, other))
        };
        let mut later: BTreeSet<ProcessTypeId> =
            self.program.types.ids().filter(|other| *other != ty && !is_there(*other)).collect();
        loop {
            let mut earlier = Vec::new();
            for (creator, process) in self.program.types.iter().filter(|(id, _)| !later.contains(id)) {
                for edge in process.edges.values() {
                    let behind = creator == ty && !before.contains(&edge.target);
                    if let Action::Create { process_type, .. } = &edge.action
                        && !behind
                    {
                        earlier.push(*process_type);
                    }
                }
            }
            let count = later.len();
            earlier.iter().for_each(|ty| _ = later.remove(ty));
            if later.len() == count {
                return later;
            }
        }
    }

    /// The statements that write a global; none for a local variable.
    pub(crate) fn writers(&self, variable: VariableRef) -> impl Iterator<Item = Statement> {
        let writers = match variable {
            VariableRef::Global(global) => self.writers.get(&global),
            VariableRef::Local(_) => None,
        };
        writers.into_iter().flatten().copied()
    }

    /// The values that a read of a variable which is not tracked may have.
    pub(crate) fn read(&self, ty: ProcessTypeId, place: &Place) -> Interval {
        let variable = self.program.variable(ty, place.variable);
        match place.variable {
            VariableRef::Global(global) if !self.anything && !self.writers.contains_key(&global) => {
                initial(variable)
            }
            _ => range(variable),
        }
    }

    /// The scalars on which conditions and indices at these locations depend, directly or by
    /// assignments of the same type, and that only the process itself and the given statements of
    /// others write.
    pub(crate) fn tracked(
        &self,
        ty: ProcessTypeId,
        others: &BTreeSet<Statement>,
        locations: &BTreeSet<LocationId>,
    ) -> Vec<Tracked> {
        let process = &self.program.types[ty];
        let later = self.later(ty, locations);
        let mut open: Vec<VariableRef> = Vec::new();
        let inside = || process.edges.values().filter(|edge| locations.contains(&edge.source));
        for edge in inside() {
            if let Action::Condition(condition) = &edge.action {
                open.extend(read_in(condition));
            }
        }
        // An index is in its array, or the run ends.
        for edge in inside() {
            if let Action::Assign { target: Place { index: Some(index), .. }, .. } = &edge.action {
                open.extend(read_in(index));
            }
        }
        self.chosen(ty, others, &later, open, |_| Vec::new())
    }

    /// Scalars of the process itself with which the values of some have to do: by conditions that
    /// ask for both, and by assignments. With `every`, also all that conditions ask for.
    pub(crate) fn related(
        &self,
        ty: ProcessTypeId,
        seeds: &BTreeSet<VariableRef>,
        every: bool,
    ) -> Vec<Tracked> {
        let edges = || self.program.types[ty].edges.values();
        let conditions: Vec<Vec<VariableRef>> = edges()
            .filter_map(|edge| match &edge.action {
                Action::Condition(condition) => Some(read_in(condition)),
                _ => None,
            })
            .collect();
        let mut open: Vec<VariableRef> = seeds.iter().copied().collect();
        if every {
            open.extend(conditions.iter().flatten());
        }
        let beside = |variable: VariableRef| {
            let asked = conditions.iter().filter(|all| all.contains(&variable)).flatten().copied();
            let copies = edges().filter_map(|edge| match &edge.action {
                Action::Assign { target, value } if read_in(value).contains(&variable) => {
                    Some(target.variable)
                }
                _ => None,
            });
            asked.chain(copies).collect()
        };
        self.chosen(ty, &BTreeSet::new(), &BTreeSet::new(), open, beside)
    }

    /// Scalar globals with which the values of some have to do, whoever writes them; none if code
    /// in another language may.
    pub(crate) fn shared(&self, seeds: &BTreeSet<VariableRef>) -> Vec<Tracked> {
        let edges = || self.program.types.values().flat_map(|process| process.edges.values());
        let mut open: Vec<VariableRef> = seeds.iter().copied().collect();
        let mut chosen: BTreeSet<VariableRef> = BTreeSet::new();
        while let Some(variable) = open.pop().filter(|_| chosen.len() < VARIABLES && !self.anything) {
            let VariableRef::Global(global) = variable else { continue };
            if !is_plain_number(&self.program.globals[global]) || !chosen.insert(variable) {
                continue;
            }
            for Edge { action, .. } in edges() {
                match action {
                    Action::Condition(condition) if read_in(condition).contains(&variable) => {
                        open.extend(read_in(condition));
                    }
                    Action::Assign { target, value } if target.variable == variable => {
                        open.extend(read_in(value));
                    }
                    Action::Assign { target, value } if read_in(value).contains(&variable) => {
                        open.push(target.variable);
                    }
                    _ => {}
                }
            }
        }
        let tracked = |reference: VariableRef| {
            let (VariableRef::Global(id) | VariableRef::Local(id)) = reference;
            let variable = &self.program.globals[id];
            Tracked { reference, range: range(variable), initial: initial(variable) }
        };
        chosen.into_iter().map(tracked).collect()
    }

    /// The variables that can be tracked among these, and those on which they depend, until there
    /// are enough.
    fn chosen(
        &self,
        ty: ProcessTypeId,
        others: &BTreeSet<Statement>,
        later: &BTreeSet<ProcessTypeId>,
        mut open: Vec<VariableRef>,
        beside: impl Fn(VariableRef) -> Vec<VariableRef>,
    ) -> Vec<Tracked> {
        let process = &self.program.types[ty];
        let mut chosen: Vec<VariableRef> = Vec::new();
        let mut at = 0;
        while at < open.len() && chosen.len() < VARIABLES {
            let variable = open[at];
            at += 1;
            if chosen.contains(&variable) || !self.can_be_tracked(ty, others, later, variable) {
                continue;
            }
            chosen.push(variable);
            open.extend(beside(variable));
            for Edge { action, .. } in process.edges.values() {
                if let Action::Assign { target, value } = action
                    && target.variable == variable
                {
                    open.extend(read_in(value));
                }
            }
        }
        chosen.sort_unstable();
        let tracked = |reference: VariableRef| {
            let variable = self.program.variable(ty, reference);
            let range = range(variable);
            // Before a process is created others may have written.
            let is_shared = self.writers(reference).any(|(writer, _)| writer != ty);
            let at_start = self.program.initial.iter().any(|initial| initial.process_type == ty);
            let initial = if is_shared && !at_start { range } else { initial(variable) };
            Tracked { reference, range, initial }
        };
        chosen.into_iter().map(tracked).collect()
    }

    fn can_be_tracked(
        &self,
        ty: ProcessTypeId,
        others: &BTreeSet<Statement>,
        later: &BTreeSet<ProcessTypeId>,
        reference: VariableRef,
    ) -> bool {
        is_plain_number(self.program.variable(ty, reference)) && self.is_own(ty, others, later, reference)
    }
}

/// Returns `true` for scalars that hold numbers of their types.
fn is_plain_number(variable: &Variable) -> bool {
    let is_number = !matches!(variable.ty, Type::Channel | Type::Unsigned(32));
    is_number && variable.length.is_none() && variable.stored_type() == variable.ty
}

/// Returns `true` for code in another language, which may write what it can access.
pub(crate) const fn is_opaque(action: &Action) -> bool {
    matches!(action, Action::Opaque { .. })
}

/// The scalars that an expression reads.
fn read_in(expression: &Expression) -> Vec<VariableRef> {
    let mut read = Vec::new();
    expression.any(&mut |part| {
        if let Expression::Read(Place { variable, index: None }) = part {
            read.push(*variable);
        }
        false
    });
    read
}

/// The values that a variable, or an element of an array, can hold.
fn range(variable: &Variable) -> Interval {
    match variable.ty {
        Type::Unsigned(32) => Interval::new(INT.low, u32::MAX.into()),
        // The verifier of Spin stores some of these in bytes, or in several of them.
        Type::Unsigned(_) if variable.length.is_some() || variable.hidden => Interval::new(0, INT.high),
        Type::Bit if variable.length.is_some() => Interval::new(0, u8::MAX.into()),
        ty => Interval::new(ty.range().0.into(), ty.range().1.into()),
    }
}

/// The values that a variable, or some element of an array, holds at first.
fn initial(variable: &Variable) -> Interval {
    let all = range(variable);
    let value = |expression: &Expression| {
        let value = number(expression).map_or(all, Interval::of);
        if all.covers(value) { value } else { all }
    };
    match &variable.init {
        Initializer::Zero => Interval::of(0),
        Initializer::Value(expression) => value(expression),
        Initializer::List(values) => {
            let missing = variable.length.is_some_and(|length| values.len() < length as usize);
            let values = values.iter().map(value).chain(missing.then_some(Interval::of(0)));
            values.reduce(Interval::hull).unwrap_or(all)
        }
        Initializer::NewChannel(_) | Initializer::Parameter => all,
    }
}

/// The value of a constant, with a sign or not.
pub(crate) fn number(expression: &Expression) -> Option<i128> {
    match expression {
        Expression::Unary(Unary::Negate, operand) => number(operand).map(|value| -value),
        constant => constant.constant().map(Into::into),
    }
}

/// `true` for each type of which no run has more than one instance: it is there once at the start,
/// or it is created by one statement outside of loops, of a type for which the same is true.
fn singles(program: &Program) -> IdMap<ProcessTypeId, bool> {
    let mut at_start: IdMap<ProcessTypeId, u64> = IdMap::filled(0, program.types.len());
    for initial in &program.initial {
        at_start[initial.process_type] += u64::from(initial.count);
    }
    let mut created: IdMap<ProcessTypeId, Vec<Creation>> = IdMap::filled(Vec::new(), program.types.len());
    for (creator, process) in program.types.iter() {
        let loops = nesting::loops(process);
        for (id, edge) in process.edges.iter() {
            if let Action::Create { process_type, .. } = &edge.action {
                let in_loop = loops.iter().any(|one| one.edges.contains(&id));
                created[*process_type].push(Creation { creator, in_loop });
            }
        }
    }
    let mut single: IdMap<ProcessTypeId, bool> = IdMap::filled(false, program.types.len());
    // Each pass adds a type at least, or is the last one.
    loop {
        let before = single.clone();
        for ty in program.types.ids() {
            single[ty] = match (at_start[ty], &created[ty][..]) {
                (0 | 1, []) => true,
                (0, [Creation { creator, in_loop: false }]) => before[*creator],
                _ => false,
            };
        }
        if before.values().eq(single.values()) {
            return single;
        }
    }
}

/// A create statement.
#[derive(Clone, Copy, Debug)]
struct Creation {
    creator: ProcessTypeId,
    in_loop: bool,
}
