//! Symbolic execution of statements: all ways in which a sequence of statements may go, each with
//! linear conditions and affine results.
//!
//! Arithmetic is that of C's `int`, and what is stored is cut to the type of its variable. A value
//! that may leave its type splits the path; what is not affine is a new symbol with an interval.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use cfsm_core::deadline::Deadline;
use cfsm_core::ids::IdMap;
use cfsm_core::program::{
    Action, Binary, Edge, EdgeId, Expression, Hold, Place, ProcessType, ProcessTypeId, Unary, VariableRef,
};
use num_integer::Integer;
use num_traits::ToPrimitive;

use crate::affine::{Affine, Interval, Symbol};
use crate::limits::PATHS;
use crate::polyhedron::{Polyhedron, Region};
use crate::variables::{INT, Ownership, Statement, Tracked, is_opaque, number};

/// A way to execute a sequence of statements.
#[derive(Clone, Debug)]
pub(crate) struct Path {
    /// The statements.
    pub(crate) edges: Vec<EdgeId>,
    /// The interval of each symbol. The first symbols are the values of the tracked variables at
    /// the start.
    pub(crate) symbols: IdMap<Symbol, Interval>,
    /// The conditions: expressions that are not negative.
    pub(crate) rows: Vec<Affine>,
    /// Number of the first conditions that are known to be possible together.
    possible: usize,
    /// The value of each tracked variable.
    pub(crate) values: Vec<Affine>,
    /// Number of its statements that are counted.
    pub(crate) counted: u32,
    /// The hold behind the last statement.
    hold: Hold,
    /// The values that other variables had when they were read, while nobody else could step.
    read: BTreeMap<VariableRef, Affine>,
}

impl Path {
    /// The path without statements.
    pub(crate) fn new(variables: &[Tracked]) -> Self {
        let symbols: IdMap<Symbol, Interval> = variables.iter().map(|variable| variable.range).collect();
        let values = symbols.ids().map(Affine::symbol).collect();
        Self {
            edges: Vec::new(),
            symbols,
            rows: Vec::new(),
            possible: 0,
            values,
            counted: 0,
            hold: Hold::No,
            read: BTreeMap::new(),
        }
    }

    /// Drops conditions that have nothing to do with the variables, numbers unknown symbols in the
    /// order in which they occur, and sorts conditions, so that paths which do the same are equal
    /// but for their statements. The first `count` symbols are the variables.
    pub(crate) fn simplify(&mut self, count: usize) {
        let values = self.values.iter().chain(self.read.values());
        let of_values = values.flat_map(|value| value.terms.keys().copied());
        let relevant = self.connected(self.symbols.ids().take(count).chain(of_values));
        let is_known = self.possible == self.rows.len();
        self.rows.retain(|row| row.terms.keys().any(|symbol| relevant[*symbol]));
        let mut number: BTreeMap<Symbol, Symbol> = BTreeMap::new();
        let mut symbols = IdMap::new();
        let occurring = self.values.iter().chain(&self.rows).chain(self.read.values());
        let occurring: Vec<Symbol> = occurring.flat_map(|value| value.terms.keys().copied()).collect();
        for symbol in self.symbols.ids().take(count).chain(occurring) {
            number.entry(symbol).or_insert_with(|| symbols.push(self.symbols[symbol]));
        }
        let rename = |value: &mut Affine| {
            if value.terms.keys().any(|symbol| number[symbol] != *symbol) {
                let terms = value.terms.iter().map(|(symbol, factor)| (number[symbol], *factor));
                value.terms = Arc::new(terms.collect());
            }
        };
        self.values.iter_mut().chain(&mut self.rows).chain(self.read.values_mut()).for_each(rename);
        self.symbols = symbols;
        self.rows.sort_unstable();
        self.rows.dedup();
        self.possible = if is_known { self.rows.len() } else { 0 };
    }

    /// The symbols that conditions connect with some given ones, and these.
    fn connected(&self, with: impl Iterator<Item = Symbol>) -> IdMap<Symbol, bool> {
        let mut connected = IdMap::filled(false, self.symbols.len());
        with.for_each(|symbol| connected[symbol] = true);
        let mut others: Vec<&Affine> = self.rows.iter().collect();
        loop {
            let before = others.len();
            others.retain(|row| {
                let meets = row.terms.keys().any(|symbol| connected[*symbol]);
                if meets {
                    row.terms.keys().for_each(|symbol| connected[*symbol] = true);
                }
                !meets
            });
            if others.len() == before {
                return connected;
            }
        }
    }

    /// Returns `true` if another path, simplified as this one is, does the same.
    pub(crate) fn does_as(&self, other: &Self) -> bool {
        self.counted == other.counted
            && self.hold == other.hold
            && self.rows == other.rows
            && self.values == other.values
            && self.symbols == other.symbols
            && self.read == other.read
    }

    /// A new symbol.
    fn unknown(&mut self, interval: Interval) -> Affine {
        match interval.size() {
            1 => Affine::constant(interval.low),
            _ => Affine::symbol(self.symbols.push(interval)),
        }
    }

    fn interval(&self, value: &Affine) -> Interval {
        value.interval(&|symbol| self.symbols[symbol])
    }

    /// The interval of a value, with regard to the conditions if those matter.
    fn interval_within(&mut self, value: &Affine, wanted: Interval) -> Interval {
        let simple = self.interval(value);
        if wanted.covers(simple) || self.rows.is_empty() {
            return simple;
        }
        let Some(mut polyhedron) = self.polyhedron(value) else { return simple };
        let (low, high) = (polyhedron.least(value), polyhedron.greatest(value));
        let end = |end: Option<num_bigint::BigInt>| end.and_then(|end| end.to_i128());
        let (low, high) = (end(low).unwrap_or(simple.low), end(high).unwrap_or(simple.high));
        simple.meet(Interval::new(low, high.max(low))).unwrap_or(simple)
    }

    /// Returns `false` if the conditions cannot hold together.
    pub(crate) fn is_possible(&mut self) -> bool {
        self.possible == self.rows.len() || self.polyhedron(&Affine::default()).is_some()
    }

    /// The values that the symbols of an expression may have; `None` if the conditions cannot hold
    /// together. Those that are known to be possible matter where others connect them with new ones
    /// or with the expression, as symbols that no condition connects are independent.
    fn polyhedron(&mut self, value: &Affine) -> Option<Polyhedron> {
        let new = self.rows[self.possible..].iter().chain([value]);
        let connected = self.connected(new.flat_map(|row| row.terms.keys().copied()));
        let rows = self.rows.iter().filter(|row| row.terms.keys().any(|symbol| connected[*symbol]));
        let polyhedron = Polyhedron::new(&Region::new(&self.symbols, rows.cloned())?)?;
        self.possible = self.rows.len();
        Some(polyhedron)
    }

    /// Adds the condition that a value is not negative; `None` if that is impossible.
    fn with(mut self, row: Option<Affine>) -> Option<Self> {
        // A condition with numbers that are too large is left out.
        let Some(row) = row else { return Some(self) };
        let Interval { low, high } = self.interval(&row);
        if high < 0 {
            return None;
        }
        let row = row.tightened();
        if self.rows.iter().any(|other| other.contradicts(&row)) {
            return None;
        }
        if low < 0 && !self.rows.contains(&row) {
            self.rows.push(row);
        }
        Some(self)
    }

    /// Adds the condition that one value is at most another one.
    fn with_at_most(self, one: &Affine, other: &Affine) -> Option<Self> {
        self.with(other.plus(one, -1))
    }
}

const fn is_global(place: &Place) -> bool {
    matches!(place.variable, VariableRef::Global(_))
}

/// Numbers of paths on which a condition holds and on which it fails, without regard to what is
/// known; no more than one above the limit.
#[derive(Clone, Copy)]
struct Ways {
    hold: usize,
    fail: usize,
}

impl Ways {
    fn of(condition: &Expression) -> Self {
        let Self { hold, fail } = match condition {
            Expression::Unary(Unary::Not, inner) => Self::of(inner).opposite(),
            Expression::Binary(Binary::And, left, right) => Self::of(left).and(Self::of(right)),
            Expression::Binary(Binary::Or, left, right) => {
                Self::of(left).opposite().and(Self::of(right).opposite()).opposite()
            }
            Expression::Conditional(test, then, otherwise) => {
                let [test, then, otherwise] = [test, then, otherwise].map(|part| Self::of(part));
                Self {
                    hold: test.hold * then.hold + test.fail * otherwise.hold,
                    fail: test.hold * then.fail + test.fail * otherwise.fail,
                }
            }
            Expression::Binary(Binary::Equal, ..) => Self { hold: 1, fail: 2 },
            Expression::Binary(Binary::NotEqual, ..) => Self { hold: 2, fail: 1 },
            _ => Self { hold: 1, fail: 1 },
        };
        Self { hold: hold.min(PATHS + 1), fail: fail.min(PATHS + 1) }
    }

    const fn opposite(self) -> Self {
        Self { hold: self.fail, fail: self.hold }
    }

    /// The numbers for `&&`, whose right side is evaluated only where the left one holds.
    const fn and(self, right: Self) -> Self {
        Self { hold: self.hold * right.hold, fail: self.fail + self.hold * right.fail }
    }

    /// Returns `true` if there are no more than the limit.
    const fn are_few(self, holds: bool) -> bool {
        (if holds { self.hold } else { self.fail }) <= PATHS
    }
}

/// A path and the value of an expression behind it.
struct Valued {
    path: Path,
    value: Affine,
}

/// Executes statements of one process type.
#[derive(Debug)]
pub(crate) struct Executor<'a> {
    /// The owners of variables.
    pub(crate) ownership: &'a Ownership<'a>,
    /// The process type.
    pub(crate) process_type: ProcessTypeId,
    /// Its declaration.
    pub(crate) process: &'a ProcessType,
    /// The tracked variables.
    pub(crate) variables: &'a [Tracked],
    /// The statements that are counted.
    pub(crate) counted: &'a BTreeSet<EdgeId>,
    /// `true` if others may keep the process from stepping, whatever its next statement is: by a
    /// condition of the process, or by priorities.
    pub(crate) may_be_held_up: bool,
    /// Statements of others that are counted, and may write tracked variables.
    pub(crate) others: &'a BTreeSet<Statement>,
    /// The deadline of the search for ways.
    pub(crate) deadline: Deadline,
}

impl Executor<'_> {
    /// The ways to go on with a statement, but for impossible ones if there are several; if more
    /// than the limit are possible, some of them, and still more than that.
    pub(crate) fn step(&self, mut path: Path, id: EdgeId) -> Vec<Path> {
        let edge = &self.process.edges[id];
        // An `atomic` that has to wait lets others step; a `d_step` never waits in its middle.
        if (self.may_be_held_up || may_wait(&edge.action)) && path.hold != Hold::DStep {
            path.read.clear();
        }
        let mut paths = self.act(path, edge);
        if paths.len() > 1 {
            let possible = paths.into_iter().filter_map(|mut path| path.is_possible().then_some(path));
            paths = possible.take(PATHS + 1).collect();
        }
        for path in &mut paths {
            path.counted += u32::from(self.counted.contains(&id));
            path.edges.push(id);
            path.hold = edge.hold;
            // The receiver of a rendezvous may go on first.
            if edge.hold == Hold::No || matches!(edge.action, Action::Send { .. }) {
                path.read.clear();
            }
        }
        paths
    }

    /// As [`step`](Self::step), but nothing is known about what the statement does.
    pub(crate) fn step_blindly(&self, mut path: Path, id: EdgeId) -> Path {
        let edge = &self.process.edges[id];
        if is_opaque(&edge.action) {
            self.forget_all(&mut path);
        }
        for place in edge.action.targets() {
            self.forget(&mut path, place);
        }
        path.counted += u32::from(self.counted.contains(&id));
        path.edges.push(id);
        path.hold = edge.hold;
        path.read.clear();
        path
    }

    /// A path for each counted statement of another process type that writes tracked variables: its
    /// effect on these.
    pub(crate) fn steps_of_others(&self) -> Vec<Path> {
        let mut paths = Vec::new();
        for &(process_type, id) in self.others {
            let action = &self.ownership.program.types[process_type].edges[id].action;
            let mut path = Path { counted: 1, ..Path::new(self.variables) };
            let mut writes = false;
            for target in action.targets().into_iter().filter(|target| is_global(target)) {
                if let Some(at) = self.position(target) {
                    writes = true;
                    let range = self.variables[at].range;
                    path.values[at] = match action {
                        Action::Assign { value, .. } => number(value).map(Interval::of),
                        _ => None,
                    }
                    .filter(|value| range.covers(*value))
                    .map_or_else(|| path.unknown(range), |value| Affine::constant(value.low));
                }
            }
            if writes && !paths.iter().any(|other: &Path| other.does_as(&path)) {
                paths.push(path);
            }
        }
        paths
    }

    fn act(&self, mut path: Path, edge: &Edge) -> Vec<Path> {
        match &edge.action {
            Action::Condition(condition) => self.assume(path, condition, true),
            Action::Else => {
                let beside = self.process.edges.values().filter(|other| other.source == edge.source);
                let before: Vec<&Edge> = beside.take_while(|other| !std::ptr::eq(*other, edge)).collect();
                let options = before.iter().rev().take(edge.alternatives as usize);
                let mut paths = vec![path];
                for option in options {
                    paths = match &option.action {
                        Action::Condition(condition) => {
                            let fails = |path| self.assume(path, condition, false);
                            paths.into_iter().flat_map(fails).collect()
                        }
                        _ => paths,
                    };
                }
                paths
            }
            Action::Assign { target, value } => match self.position(target) {
                Some(at) => self.store(path, at, value),
                None => {
                    path.read.remove(&target.variable);
                    self.with_index_in_range(path, target)
                }
            },
            Action::Opaque { .. } => {
                self.forget_all(&mut path);
                vec![path]
            }
            action => {
                action.targets().into_iter().for_each(|place| self.forget(&mut path, place));
                vec![path]
            }
        }
    }

    /// The position of a tracked variable.
    fn position(&self, place: &Place) -> Option<usize> {
        let at = self.variables.iter().position(|tracked| tracked.reference == place.variable);
        at.filter(|_| place.index.is_none())
    }

    fn forget(&self, path: &mut Path, place: &Place) {
        path.read.remove(&place.variable);
        if let Some(at) = self.position(place) {
            path.values[at] = path.unknown(self.variables[at].range);
        }
    }

    fn forget_all(&self, path: &mut Path) {
        path.read.clear();
        for at in 0..self.variables.len() {
            path.values[at] = path.unknown(self.variables[at].range);
        }
    }

    fn store(&self, path: Path, at: usize, value: &Expression) -> Vec<Path> {
        let range = self.variables[at].range;
        let stored = self.evaluate(path, value).into_iter().flat_map(|valued| cut(valued, range));
        let assigned = stored.map(|Valued { mut path, value }| {
            path.values[at] = value;
            path
        });
        assigned.collect()
    }

    /// The paths on which a condition holds, or on which it does not. A part of it with too many
    /// ways to hold is left out.
    fn assume(&self, path: Path, condition: &Expression, holds: bool) -> Vec<Path> {
        use Binary::{And, Equal, Greater, GreaterEqual, Less, LessEqual, NotEqual, Or};
        if !Ways::of(condition).are_few(holds) {
            let sides = match (condition, holds) {
                (Expression::Binary(And, left, right), true)
                | (Expression::Binary(Or, left, right), false) => [left, right],
                _ => return vec![path],
            };
            let few = sides.into_iter().find(|side| Ways::of(side).are_few(holds));
            return few.map_or_else(|| vec![path.clone()], |few| self.assume(path.clone(), few, holds));
        }
        let both = |path: Path, left: &Expression, right: &Expression| -> Vec<Path> {
            let first = self.assume(path, left, holds);
            first.into_iter().flat_map(|path| self.assume(path, right, holds)).collect()
        };
        // The right side is looked at where the left one does not decide.
        let either = |path: Path, left: &Expression, right: &Expression| -> Vec<Path> {
            let mut paths = self.assume(path.clone(), left, holds);
            for path in self.assume(path, left, !holds) {
                paths.extend(self.assume(path, right, holds));
            }
            paths
        };
        match condition {
            Expression::Unary(Unary::Not, inner) => self.assume(path, inner, !holds),
            Expression::Binary(And, left, right) if holds => both(path, left, right),
            Expression::Binary(And, left, right) => either(path, left, right),
            Expression::Binary(Or, left, right) if holds => either(path, left, right),
            Expression::Binary(Or, left, right) => both(path, left, right),
            Expression::Conditional(test, then, otherwise) => {
                let mut paths = Vec::new();
                for (branch, taken) in [(then, true), (otherwise, false)] {
                    for path in self.assume(path.clone(), test, taken) {
                        paths.extend(self.assume(path, branch, holds));
                    }
                }
                paths
            }
            Expression::Binary(operator, left, right)
                if matches!(operator, Equal | NotEqual | Less | LessEqual | Greater | GreaterEqual) =>
            {
                let operator = if holds { *operator } else { opposite(*operator) };
                let mut paths = Vec::new();
                for Valued { path, value: left } in self.evaluate(path, left) {
                    for Valued { path, value: right } in self.evaluate(path, right) {
                        paths.extend(compare(path, &left, operator, &right));
                    }
                }
                paths
            }
            _ => {
                let operator = if holds { NotEqual } else { Equal };
                let zero = Affine::default();
                let valued = self.evaluate(path, condition).into_iter();
                valued.flat_map(|Valued { path, value }| compare(path, &value, operator, &zero)).collect()
            }
        }
    }

    /// The values that an expression may have, each an `int`.
    fn evaluate(&self, path: Path, expression: &Expression) -> Vec<Valued> {
        match expression {
            Expression::Constant(value) => {
                cut(Valued { path, value: Affine::constant((*value).into()) }, INT)
            }
            Expression::Read(place) => {
                let read = |mut path: Path| {
                    let value = self.read(&mut path, place);
                    Valued { path, value }
                };
                self.with_index_in_range(path, place).into_iter().map(read).collect()
            }
            Expression::Unary(Unary::Negate, operand) => {
                let operands = self.evaluate(path, operand).into_iter();
                operands.flat_map(|valued| scaled(valued, -1, 0)).collect()
            }
            Expression::Unary(Unary::Complement, operand) => {
                let operands = self.evaluate(path, operand).into_iter();
                operands.flat_map(|valued| scaled(valued, -1, -1)).collect()
            }
            Expression::Conditional(test, then, otherwise) => {
                let mut values = Vec::new();
                for (branch, taken) in [(then, true), (otherwise, false)] {
                    for path in self.assume(path.clone(), test, taken) {
                        values.extend(self.evaluate(path, branch));
                    }
                }
                values
            }
            Expression::Binary(operator, left, right) if operator.is_arithmetic() => {
                let mut values = Vec::new();
                for Valued { path, value: left } in self.evaluate(path, left) {
                    for Valued { path, value: right } in self.evaluate(path, right) {
                        values.extend(calculate(path, &left, *operator, &right));
                    }
                }
                values
            }
            Expression::Unary(Unary::Not, _) | Expression::Binary(..) => {
                let mut values = Vec::new();
                for (holds, value) in [(true, 1), (false, 0)] {
                    let paths = self.assume(path.clone(), expression, holds).into_iter();
                    values.extend(paths.map(|path| Valued { path, value: Affine::constant(value) }));
                }
                values
            }
            Expression::Empty(_)
            | Expression::Full(_)
            | Expression::Poll { .. }
            | Expression::Timeout
            | Expression::NonProgress
            | Expression::Enabled(_)
            | Expression::AtLocation { .. } => unknown(path, Interval::new(0, 1)),
            _ => unknown(path, INT),
        }
    }

    /// The paths on which the index of a place is one of its array: all runs end where it is not.
    fn with_index_in_range(&self, path: Path, place: &Place) -> Vec<Path> {
        let length = self.ownership.program.variable(self.process_type, place.variable).length;
        let (Some(index), Some(length)) = (&place.index, length) else { return vec![path] };
        let last = Affine::constant(i128::from(length) - 1);
        let inside =
            |Valued { path, value }: Valued| path.with(Some(value.clone()))?.with_at_most(&value, &last);
        self.evaluate(path, index).into_iter().filter_map(inside).collect()
    }

    fn read(&self, path: &mut Path, place: &Place) -> Affine {
        if let Some(at) = self.position(place) {
            return path.values[at].clone();
        }
        if let Some(known) = path.read.get(&place.variable).filter(|_| place.index.is_none()) {
            return known.clone();
        }
        let interval = self.ownership.read(self.process_type, place);
        let value = path.unknown(interval);
        if place.index.is_none() {
            path.read.insert(place.variable, value.clone());
        }
        value
    }
}

/// Returns `true` if an action is not always executable.
pub(crate) const fn may_wait(action: &Action) -> bool {
    !matches!(
        action,
        Action::Assign { .. } | Action::Assert(_) | Action::Print { .. } | Action::Create { .. }
    )
}

/// A value of which only the interval is known.
fn unknown(mut path: Path, interval: Interval) -> Vec<Valued> {
    let value = path.unknown(interval);
    vec![Valued { path, value }]
}

const fn opposite(comparison: Binary) -> Binary {
    match comparison {
        Binary::Equal => Binary::NotEqual,
        Binary::NotEqual => Binary::Equal,
        Binary::Less => Binary::GreaterEqual,
        Binary::GreaterEqual => Binary::Less,
        Binary::Greater => Binary::LessEqual,
        _ => Binary::Greater,
    }
}

/// The paths on which a comparison holds.
fn compare(path: Path, left: &Affine, comparison: Binary, right: &Affine) -> Vec<Path> {
    let less = |path: Path, one: &Affine, other: &Affine| {
        let one = one.plus(&Affine::constant(1), 1);
        path.with(one.and_then(|one| other.plus(&one, -1)))
    };
    let found = match comparison {
        Binary::Less => less(path, left, right),
        Binary::Greater => less(path, right, left),
        Binary::LessEqual => path.with_at_most(left, right),
        Binary::GreaterEqual => path.with_at_most(right, left),
        Binary::Equal => path.with_at_most(left, right).and_then(|path| path.with_at_most(right, left)),
        _ => {
            let below = less(path.clone(), left, right);
            return below.into_iter().chain(less(path, right, left)).collect();
        }
    };
    found.into_iter().collect()
}

/// The value of an operator on numbers.
fn calculate(path: Path, left: &Affine, operator: Binary, right: &Affine) -> Vec<Valued> {
    let wrapped = |path: Path, value: Option<Affine>| match value {
        Some(value) => cut(Valued { path, value }, INT),
        None => unknown(path, INT),
    };
    match (operator, left.value(), right.value()) {
        (Binary::Add, ..) => wrapped(path, left.plus(right, 1)),
        (Binary::Subtract, ..) => wrapped(path, left.plus(right, -1)),
        (Binary::Multiply, _, Some(factor)) => wrapped(path, left.times(factor)),
        (Binary::Multiply, Some(factor), _) => wrapped(path, right.times(factor)),
        (Binary::ShiftLeft, _, Some(bits @ 0..=31)) => wrapped(path, left.times(1 << bits)),
        (Binary::ShiftRight, _, Some(bits @ 0..=31)) => quotient(path, left, 1 << bits),
        (Binary::BitAnd, _, Some(mask @ 0..)) if (mask + 1) & mask == 0 => remainder(path, left, mask + 1),
        (Binary::BitAnd, _, Some(mask @ 0..)) => unknown(path, Interval::new(0, mask)),
        (Binary::Divide | Binary::Remainder, _, Some(divisor @ 1..)) => {
            let one = Affine::constant(1);
            let mut values = Vec::new();
            if let Some(path) = path.clone().with(Some(left.clone())) {
                values.extend(divide(path, left, operator, divisor));
            }
            // C divides towards 0.
            let negative = left.times(-1).filter(|_| path.interval(left).low < 0);
            if let Some(negative) = negative
                && let Some(path) = path.with(negative.plus(&one, -1))
            {
                let values_of = divide(path, &negative, operator, divisor).into_iter();
                values.extend(values_of.flat_map(|valued| scaled(valued, -1, 0)));
            }
            values
        }
        (Binary::Divide | Binary::Remainder, _, None)
            if path.interval(left).low >= 0 && path.interval(right).low >= 0 =>
        {
            // Neither the quotient nor the remainder is above the left side, and the remainder is
            // below the right side; 0 on the right is an error.
            let mut path = path;
            let value = path.unknown(Interval::new(0, path.interval(left).high.min(INT.high)));
            let path = path
                .with(right.plus(&Affine::constant(1), -1))
                .and_then(|path| path.with_at_most(&value, left));
            let path = match operator {
                Binary::Remainder => path.and_then(|path| compare(path, &value, Binary::Less, right).pop()),
                _ => path,
            };
            path.map(|path| Valued { path, value }).into_iter().collect()
        }
        (Binary::BitOr | Binary::BitXor, ..) => {
            let (one, other) = (path.interval(left), path.interval(right));
            let most = one.high.max(other.high).clamp(0, INT.high);
            let most = (1i128 << (128 - most.leading_zeros())) - 1;
            let negative = one.low < 0 || other.low < 0;
            unknown(path, if negative { INT } else { Interval::new(0, most) })
        }
        (Binary::Multiply, None, None) => {
            let (one, other) = (path.interval(left), path.interval(right));
            let corners = [one.low, one.high].map(|a| [other.low, other.high].map(|b| a.saturating_mul(b)));
            let corners = corners.into_iter().flatten();
            let hull = corners.fold(None, |all: Option<Interval>, corner| {
                Some(all.map_or(Interval::of(corner), |all| all.hull(Interval::of(corner))))
            });
            unknown(path, hull.filter(|hull| INT.covers(*hull)).unwrap_or(INT))
        }
        _ => unknown(path, INT),
    }
}

/// The quotient or the remainder of a value that is not negative.
fn divide(path: Path, value: &Affine, operator: Binary, divisor: i128) -> Vec<Valued> {
    match operator {
        Binary::Divide => quotient(path, value, divisor),
        _ => remainder(path, value, divisor),
    }
}

/// The quotient of a value, rounded down.
fn quotient(mut path: Path, value: &Affine, divisor: i128) -> Vec<Valued> {
    // The value is an `int`, or the negative of one.
    let interval = path.interval(value).meet(Interval::new(INT.low, -INT.low)).unwrap_or(INT);
    let [low, high] = [interval.low, interval.high].map(|end| Integer::div_floor(&end, &divisor));
    let quotient = path.unknown(Interval::new(low, high));
    let rest = quotient.times(-divisor).and_then(|product| value.plus(&product, 1));
    let most = Affine::constant(divisor - 1);
    let path = path.with(rest.clone()).and_then(|path| path.with(rest.and_then(|rest| most.plus(&rest, -1))));
    path.map(|path| Valued { path, value: quotient }).into_iter().collect()
}

/// The remainder of the quotient that is rounded down.
fn remainder(path: Path, value: &Affine, divisor: i128) -> Vec<Valued> {
    let interval = path.interval(value);
    if interval.low >= 0 && interval.high < divisor {
        return vec![Valued { path, value: value.clone() }];
    }
    let rest = |Valued { mut path, value: quotient }: Valued| {
        let rest = quotient.times(-divisor).and_then(|product| value.plus(&product, 1));
        let value = rest.unwrap_or_else(|| path.unknown(Interval::new(0, divisor - 1)));
        Valued { path, value }
    };
    quotient(path, value, divisor).into_iter().map(rest).collect()
}

/// A value times a factor, plus a constant, as an `int`.
fn scaled(Valued { path, value }: Valued, factor: i128, constant: i128) -> Vec<Valued> {
    let sum = value.times(factor).and_then(|value| value.plus(&Affine::constant(constant), 1));
    match sum {
        Some(value) => cut(Valued { path, value }, INT),
        None => unknown(path, INT),
    }
}

/// The part of a value that is kept in a type with the given range, which has 2ⁿ values: the value
/// itself where it fits, else its lower bits.
fn cut(Valued { mut path, value }: Valued, range: Interval) -> Vec<Valued> {
    let interval = path.interval_within(&value, range);
    if range.covers(interval) {
        return vec![Valued { path, value }];
    }
    let size = range.size();
    let mut kept = Vec::new();
    let ends = [Affine::constant(range.low), Affine::constant(range.high)];
    let fits = path.clone().with_at_most(&ends[0], &value);
    let fits = fits.and_then(|path| path.with_at_most(&value, &ends[1]));
    kept.extend(fits.map(|path| Valued { path, value: value.clone() }));
    let one = Affine::constant(1);
    let above = if interval.high > range.high {
        path.clone().with(value.plus(&ends[1], -1).and_then(|over| over.plus(&one, -1)))
    } else {
        None
    };
    let below = if interval.low < range.low {
        path.with(ends[0].plus(&value, -1).and_then(|under| under.plus(&one, -1)))
    } else {
        None
    };
    let once = |by: i128, all: bool| if all { value.plus(&Affine::constant(by), 1) } else { None };
    for (path, wrapped) in [
        (above, once(-size, interval.high <= range.high + size)),
        (below, once(size, interval.low >= range.low - size)),
    ] {
        if let Some(mut path) = path {
            let value = wrapped.unwrap_or_else(|| path.unknown(range));
            kept.push(Valued { path, value });
        }
    }
    kept
}
