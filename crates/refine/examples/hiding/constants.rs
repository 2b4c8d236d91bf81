//! The few values that a variable ever has, where all that is stored in it are constants or copies.

use std::collections::{BTreeMap, BTreeSet};

use cfsm_core::program::{
    Action, ChannelShape, Expression, Initializer, Pattern, ProcessTypeId, Program, Type, Unary, Variable,
};

use super::{Declared, each_variable, owner};

/// Where more values are stored, nothing is said.
const FEW: usize = 8;

/// Values; `None`: any.
pub(super) type Values = Option<BTreeSet<i64>>;

/// The position of a field, and the value of the first field of these messages, if only some are
/// meant.
type Field = (Option<i64>, usize);

/// What variables and fields of messages hold at any time.
pub(super) struct Constants {
    variables: BTreeMap<Declared, Values>,
    fields: BTreeMap<Field, Values>,
    shapes: Vec<ChannelShape>,
}

impl Constants {
    /// Follows constants through the program. Time linear in it, times how often values are copied.
    pub(super) fn of(program: &Program) -> Self {
        let mut constants =
            Self { variables: BTreeMap::new(), fields: BTreeMap::new(), shapes: shapes(program) };
        each_variable(program, &mut |declared, variable| constants.begin(declared, variable));
        while constants.grow(program) {}
        constants
    }

    /// All values that an expression may have in a process of a type.
    pub(super) fn values(&self, ty: ProcessTypeId, expression: &Expression) -> Values {
        match expression {
            Expression::Constant(value) => Some(BTreeSet::from([*value])),
            Expression::Read(place) => self.variables.get(&owner(ty, place.variable)).cloned().flatten(),
            Expression::Conditional(_, then, otherwise) => {
                let both = self.values(ty, then)?.union(&self.values(ty, otherwise)?).copied().collect();
                limited(both)
            }
            Expression::Unary(Unary::Not, _)
            | Expression::Empty(_)
            | Expression::Full(_)
            | Expression::Poll { .. }
            | Expression::Timeout => Some(BTreeSet::from([0, 1])),
            Expression::Binary(operator, ..) if !operator.is_arithmetic() => Some(BTreeSet::from([0, 1])),
            _ => None,
        }
    }

    /// The kind of messages that a send or a receive is about: a first field that all channels keep
    /// as it is.
    pub(super) fn kind(&self, first: Option<&Expression>) -> Option<i64> {
        let value = first?.constant()?;
        let keeps = |shape: &ChannelShape| shape.fields.first().is_some_and(|ty| ty.wrap(value) == value);
        self.shapes.iter().all(keeps).then_some(value)
    }

    fn begin(&mut self, declared: Declared, variable: &Variable) {
        let values = match &variable.init {
            Initializer::Zero | Initializer::Parameter => Some(BTreeSet::from([0])),
            Initializer::NewChannel(_) => None,
            Initializer::Value(_) | Initializer::List(_) => Some(BTreeSet::new()),
        };
        self.variables.insert(declared, values);
    }

    /// Adds what each statement stores; whether that is more.
    fn grow(&mut self, program: &Program) -> bool {
        let mut changed = false;
        each_variable(program, &mut |declared, variable| {
            // Initial values of globals are asked in no process; they read globals only.
            let ty = declared.0.unwrap_or_else(|| cfsm_core::ids::Id::new(0));
            for value in variable.init.expressions() {
                let values = self.values(ty, value);
                changed |= self.store(declared, variable.stored_type(), values);
            }
        });
        for (ty, process) in program.types.iter() {
            for edge in process.edges.values() {
                changed |= self.grow_by(program, ty, &edge.action);
            }
        }
        changed
    }

    fn grow_by(&mut self, program: &Program, ty: ProcessTypeId, action: &Action) -> bool {
        let stored = |place: &cfsm_core::program::Place| {
            (owner(ty, place.variable), program.variable(ty, place.variable).stored_type())
        };
        match action {
            Action::Assign { target, value } => {
                let values = self.values(ty, value);
                let (declared, kept_as) = stored(target);
                self.store(declared, kept_as, values)
            }
            Action::Send { fields, .. } => {
                let kind = self.kind(fields.first());
                let all: Vec<Values> = fields.iter().map(|field| self.values(ty, field)).collect();
                let mut changed = false;
                for (at, values) in all.into_iter().enumerate() {
                    changed |= self.send((kind, at), values);
                }
                changed
            }
            Action::Receive { patterns, .. } => {
                let first = match patterns.first() {
                    Some(Pattern::Match(first)) => Some(first),
                    _ => None,
                };
                let kind = self.kind(first);
                let mut changed = false;
                for (at, pattern) in patterns.iter().enumerate() {
                    if let Pattern::Store(place) = pattern {
                        let (declared, kept_as) = stored(place);
                        let values = self.received(kind, at);
                        changed |= self.store(declared, kept_as, values);
                    }
                }
                changed
            }
            Action::Create { process_type, arguments, result, .. } => {
                let mut changed = false;
                for (parameter, argument) in program.types[*process_type].locals.iter().zip(arguments) {
                    let values = self.values(ty, argument);
                    changed |=
                        self.store((Some(*process_type), parameter.0), parameter.1.stored_type(), values);
                }
                if let Some(place) = result {
                    let (declared, kept_as) = stored(place);
                    changed |= self.store(declared, kept_as, None);
                }
                changed
            }
            _ => false,
        }
    }

    fn store(&mut self, declared: Declared, ty: Type, values: Values) -> bool {
        let wrapped = values.map(|values| values.into_iter().map(|value| ty.wrap(value)).collect());
        add(self.variables.entry(declared).or_default(), wrapped)
    }

    /// What a channel makes of a value depends on the type of its field.
    fn send(&mut self, field: Field, values: Values) -> bool {
        let kept = values.map(|values| {
            let types: BTreeSet<Type> =
                self.shapes.iter().filter_map(|shape| shape.fields.get(field.1)).copied().collect();
            types.into_iter().flat_map(|ty| values.iter().map(move |value| ty.wrap(*value))).collect()
        });
        add(self.fields.entry(field).or_insert_with(|| Some(BTreeSet::new())), kept)
    }

    /// What is received at a position.
    fn received(&self, kind: Option<i64>, at: usize) -> Values {
        // A message may have fewer fields than the channel: the others are 0.
        let mut all = BTreeSet::from([0]);
        for ((sent, position), values) in &self.fields {
            if *position == at && (kind.is_none() || sent.is_none() || *sent == kind) {
                all.extend(values.as_ref()?);
            }
        }
        limited(all)
    }
}

fn add(known: &mut Values, more: Values) -> bool {
    let Some(values) = known else { return false };
    let before = values.len();
    match more {
        Some(more) => {
            values.extend(more);
            if values.len() > FEW {
                *known = None;
                return true;
            }
            values.len() != before
        }
        None => {
            *known = None;
            true
        }
    }
}

fn limited(values: BTreeSet<i64>) -> Values {
    (values.len() <= FEW).then_some(values)
}

/// All shapes of channels.
fn shapes(program: &Program) -> Vec<ChannelShape> {
    let mut shapes = Vec::new();
    each_variable(program, &mut |_, variable| {
        if let Initializer::NewChannel(shape) = &variable.init {
            shapes.push(shape.clone());
        }
    });
    shapes
}
