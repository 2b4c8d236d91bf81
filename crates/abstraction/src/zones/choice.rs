//! Chooses the variables of the difference-bound matrices (zones) of each process type.
//!
//! A *group* is a set of variables connected by comparisons of two variables and by assignments
//! from one to another. It is chosen if it contains a variable to which a sum is added that,
//! according to the value sets, may leave the variable's type: there a data place has no useful
//! end, and a difference may provide one. Most programs have no such group, and finding that out
//! takes little time.

use std::collections::{BTreeMap, BTreeSet};

use cfsm_core::ids::IdMap;
use cfsm_core::program::{
    Action, Binary, EdgeId, Expression, Place, ProcessType, ProcessTypeId, Program, Type, Unary, Variable,
    VariableId, VariableRef,
};

use crate::analysis::Analysis;
use crate::evaluate::evaluate;
use crate::layout::Layout;

/// Largest number of variables in one matrix: locals of one process type, and globals that it
/// names. Groups that would exceed it are left out, the last ones first.
const VARIABLES: usize = 12;

/// Maximal depth of sums and connectives that are analysed.
const DEPTH: usize = 16;

/// A variable: a global, or a local of a type.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Scalar {
    /// Of the whole program.
    Global(VariableId),
    /// Of each process of a type.
    Local(ProcessTypeId, VariableId),
}

/// A variable of the matrices of one process type.
#[derive(Clone, Copy, Debug)]
pub(super) struct Column {
    /// The variable, as named by the statements of the type.
    pub(super) variable: VariableRef,
    /// Position of its cell in the frame.
    pub(super) position: usize,
    /// The least and the greatest value of its type.
    pub(super) range: (i64, i64),
    /// The least and the greatest value that it may hold; they differ from `range` for a counter.
    pub(super) ends: (i64, i64),
}

/// The variables of each process type's matrix: globals first.
pub(super) type Columns = IdMap<ProcessTypeId, Vec<Column>>;

impl Scalar {
    const fn of(process_type: ProcessTypeId, variable: VariableRef) -> Self {
        match variable {
            VariableRef::Global(id) => Self::Global(id),
            VariableRef::Local(id) => Self::Local(process_type, id),
        }
    }
}

/// Chooses the variables; `None` if there are none. Time linear in the program, and, where there
/// are candidates, in the nodes.
pub(super) fn choose(analysis: &Analysis<'_>) -> Option<Columns> {
    let (program, layout) = (analysis.program, &analysis.layout);
    let mut groups = Groups::default();
    let mut sums: BTreeMap<(ProcessTypeId, EdgeId), Scalar> = BTreeMap::new();
    for (id, process) in program.types.iter() {
        note(&mut groups, &mut sums, program, layout, id, process);
    }
    sums.retain(|_, scalar| groups.is_related(*scalar));
    let wanted = wanted(analysis, &groups, &sums);
    let mut columns: Columns = program.types.values().map(|_| Vec::new()).collect();
    for group in wanted {
        let members = groups.members(group);
        let mut more = columns.clone();
        for (id, columns) in more.iter_mut() {
            columns.extend(members.iter().filter_map(|scalar| column(program, layout, id, *scalar)));
            columns.sort_by_key(|column| column.position);
        }
        let fits = more.values().into_iter().all(|columns| columns.len() <= VARIABLES);
        if fits && !holds_channels(analysis, &more) {
            columns = more;
        }
    }
    columns.values().into_iter().any(|columns| !columns.is_empty()).then_some(columns)
}

/// A union-find structure of related variables.
#[derive(Default)]
struct Groups {
    /// Maps each related variable to a representative of its group, or to a variable closer to it.
    leads: BTreeMap<Scalar, Scalar>,
}

impl Groups {
    fn standing(&self, scalar: Scalar) -> Scalar {
        let mut at = scalar;
        while let Some(&next) = self.leads.get(&at).filter(|next| **next != at) {
            at = next;
        }
        at
    }

    fn relate(&mut self, one: Scalar, other: Scalar) {
        let (one, other) = (self.standing(one), self.standing(other));
        self.leads.entry(one).or_insert(one);
        self.leads.entry(other).or_insert(other);
        // The lesser one becomes the representative, so that the result does not depend on the
        // order of statements.
        self.leads.insert(one.max(other), one.min(other));
    }

    fn is_related(&self, scalar: Scalar) -> bool {
        self.leads.contains_key(&scalar)
    }

    fn members(&self, group: Scalar) -> Vec<Scalar> {
        self.leads.keys().copied().filter(|scalar| self.standing(*scalar) == group).collect()
    }
}

/// Collects the related variables of a process type's statements, and the sums that they add to a
/// variable.
fn note(
    groups: &mut Groups,
    sums: &mut BTreeMap<(ProcessTypeId, EdgeId), Scalar>,
    program: &Program,
    layout: &Layout,
    id: ProcessTypeId,
    process: &ProcessType,
) {
    let counts = |variable: VariableRef| column(program, layout, id, Scalar::of(id, variable)).is_some();
    for (edge, statement) in process.edges.iter() {
        match &statement.action {
            Action::Assign { target: Place { variable, index: None }, value } if counts(*variable) => {
                let target = Scalar::of(id, *variable);
                match one_term(value, &counts).map(|variable| Scalar::of(id, variable)) {
                    Some(same) if same == target => _ = sums.insert((id, edge), target),
                    Some(other) => groups.relate(target, other),
                    None => {}
                }
            }
            Action::Condition(condition) => {
                let mut pairs = Vec::new();
                compared(condition, &counts, DEPTH, &mut pairs);
                for (one, other) in pairs {
                    groups.relate(Scalar::of(id, one), Scalar::of(id, other));
                }
            }
            _ => {}
        }
    }
}

/// The variable of a sum that contains exactly one variable.
fn one_term(value: &Expression, counts: &dyn Fn(VariableRef) -> bool) -> Option<VariableRef> {
    let mut terms = Vec::new();
    collect_terms(value, counts, DEPTH, &mut terms);
    match terms[..] {
        [one] => Some(one),
        _ => None,
    }
}

fn collect_terms(
    value: &Expression,
    counts: &dyn Fn(VariableRef) -> bool,
    depth: usize,
    terms: &mut Vec<VariableRef>,
) {
    match value {
        Expression::Read(Place { variable, index: None }) if counts(*variable) => terms.push(*variable),
        Expression::Binary(Binary::Add, left, right) if depth > 0 => {
            collect_terms(left, counts, depth - 1, terms);
            collect_terms(right, counts, depth - 1, terms);
        }
        Expression::Binary(Binary::Subtract, left, _) if depth > 0 => {
            collect_terms(left, counts, depth - 1, terms);
        }
        _ => {}
    }
}

/// The pairs of variables that a condition compares.
fn compared(
    condition: &Expression,
    counts: &dyn Fn(VariableRef) -> bool,
    depth: usize,
    pairs: &mut Vec<(VariableRef, VariableRef)>,
) {
    use Binary::{And, Equal, Greater, GreaterEqual, Less, LessEqual, NotEqual, Or};
    match condition {
        Expression::Unary(Unary::Not, operand) if depth > 0 => compared(operand, counts, depth - 1, pairs),
        Expression::Binary(And | Or, left, right) if depth > 0 => {
            compared(left, counts, depth - 1, pairs);
            compared(right, counts, depth - 1, pairs);
        }
        Expression::Binary(Equal | NotEqual | Less | LessEqual | Greater | GreaterEqual, left, right) => {
            let both = one_term(left, counts).zip(one_term(right, counts));
            pairs.extend(both.filter(|(left, right)| left != right));
        }
        _ => {}
    }
}

/// The groups with a sum that may leave the type of the variable in which it is stored, ascending.
fn wanted(
    analysis: &Analysis<'_>,
    groups: &Groups,
    sums: &BTreeMap<(ProcessTypeId, EdgeId), Scalar>,
) -> BTreeSet<Scalar> {
    let mut wanted = BTreeSet::new();
    if sums.is_empty() {
        return wanted;
    }
    for context in analysis.contexts.values() {
        let process = &analysis.program.types[context.process_type];
        let live = context.live();
        for (_, node) in context.nodes.iter().filter(|(id, _)| live[*id]) {
            for step in &node.moves {
                let Some(&scalar) = sums.get(&(context.process_type, step.edge)) else { continue };
                let Action::Assign { target, value } = &process.edges[step.edge].action else { continue };
                let (least, most) =
                    analysis.program.variable(context.process_type, target.variable).ty.range();
                let sum = evaluate(value, &analysis.view(context, &node.cells));
                if sum.numbers.bounds().is_some_and(|(low, high)| low < least || most < high) {
                    wanted.insert(groups.standing(scalar));
                }
            }
        }
    }
    wanted
}

/// The column of a variable for a process type, if the variable qualifies and the type names it.
fn column(program: &Program, layout: &Layout, id: ProcessTypeId, scalar: Scalar) -> Option<Column> {
    let frame = &layout.frames[id];
    let (declared, block, column) = match scalar {
        Scalar::Global(global) => {
            let (variable, position) = (VariableRef::Global(global), *frame.globals.get(&global)?);
            (&program.globals[global], &layout.globals[global], (variable, position))
        }
        Scalar::Local(owner, local) if owner == id => {
            let block = &frame.locals[local];
            (&program.types[id].locals[local], block, (VariableRef::Local(local), block.start))
        }
        Scalar::Local(..) => return None,
    };
    let (variable, position) = column;
    let (range, ends) = (declared.ty.range(), block.ends());
    counts(declared).then_some(Column { variable, position, range, ends })
}

/// Returns `true` if a variable is a scalar whose values lie within C's `int`, and every store
/// converts to the same type.
fn counts(variable: &Variable) -> bool {
    let narrow = match variable.ty {
        Type::Bit | Type::Byte | Type::Short | Type::Int | Type::Pid => true,
        Type::Unsigned(bits) => bits < 32,
        Type::Symbol(_) | Type::Channel => false,
    };
    narrow && variable.length.is_none() && !variable.hidden
}

/// Returns `true` if one of the variables may hold a reference to a channel.
fn holds_channels(analysis: &Analysis<'_>, columns: &Columns) -> bool {
    let starts = |column: &Column| match column.variable {
        VariableRef::Global(id) => !analysis.start[analysis.layout.globals[id].start].channels.is_empty(),
        VariableRef::Local(_) => false,
    };
    if columns.values().flatten().any(starts) {
        return true;
    }
    analysis.contexts.values().into_iter().any(|context| {
        let columns = &columns[context.process_type];
        let holds = |position: usize| {
            context.nodes.values().into_iter().any(|node| !node.cells[position].channels.is_empty())
        };
        columns.iter().any(|column| holds(column.position))
    })
}

/// All variables that qualify.
#[cfg(test)]
pub(super) fn all(analysis: &Analysis<'_>) -> Columns {
    let (program, layout) = (analysis.program, &analysis.layout);
    let of_type = |id: ProcessTypeId| {
        let globals = program.globals.ids().map(Scalar::Global);
        let locals = program.types[id].locals.ids().map(|local| Scalar::Local(id, local));
        globals.chain(locals).filter_map(|scalar| column(program, layout, id, scalar)).collect()
    };
    program.types.ids().map(of_type).collect()
}
