//! Channel objects: the queues of a run, as far as they are told apart.
//!
//! A global declaration makes one object per element, once. A local one makes one per element for
//! every instance; all instances of a context share it (thesis 7.4: not to tell two queues apart is
//! an over-approximation as long as the order of messages is not looked at).

use std::collections::BTreeSet;

use cfsm_core::define_id;
use cfsm_core::ids::{Id, IdMap};
use cfsm_core::program::{ChannelShape, VariableId};

use crate::contexts::{Birth, ContextId, Contexts};
use crate::values::Value;

define_id!(
    /// A channel object.
    ObjectId, "object"
);

/// A channel object.
#[derive(Clone, Debug)]
pub(crate) struct Object {
    /// The context whose instances declare it; `None` for a global channel.
    pub(crate) owner: Option<ContextId>,
    /// The variable that it is the initial value of.
    pub(crate) variable: VariableId,
    /// Which element of the variable, if that is an array.
    pub(crate) element: Option<u32>,
    /// Capacity and message format.
    pub(crate) shape: ChannelShape,
}

/// All channel objects.
pub(crate) type Objects = IdMap<ObjectId, Object>;

/// Makes the objects of one declaration and gives them in element order.
pub(crate) fn declare(
    objects: &mut Objects,
    owner: Option<ContextId>,
    variable: VariableId,
    length: Option<u32>,
    shape: &ChannelShape,
) -> Vec<ObjectId> {
    let mut push = |element| objects.push(Object { owner, variable, element, shape: shape.clone() });
    match length {
        None => vec![push(None)],
        Some(length) => (0..length).map(|element| push(Some(element))).collect(),
    }
}

/// The channel objects that a value may refer to, ascending, whatever their number of message
/// fields. 0 refers to none; another integer may be the number of any channel. Time linear in the
/// objects.
pub(crate) fn denoted(objects: &Objects, reference: &Value) -> Vec<ObjectId> {
    if reference.numbers.has_nonzero() {
        objects.ids().collect()
    } else {
        reference.channels.iter().copied().collect()
    }
}

/// Which queues may get the number of another one. When a process ends, Spin's verifier takes its
/// queues away, and those of the next process that is created get their numbers; a reference to one
/// of the former then denotes one of the latter.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Reuse {
    /// Objects of processes that may end.
    ending: BTreeSet<ObjectId>,
    /// Objects of processes that may be created in the course of a run.
    coming: BTreeSet<ObjectId>,
}

impl Reuse {
    /// What is known of it so far. `ends` says of a context whether its instances may end. Time
    /// `O(objects log objects)`.
    pub(crate) fn of(objects: &Objects, contexts: &Contexts, ends: impl Fn(ContextId) -> bool) -> Self {
        let comes = |owner: ContextId| {
            let context = &contexts[owner];
            context.shared || matches!(context.birth, Birth::Created { .. })
        };
        let owned = |holds: &dyn Fn(ContextId) -> bool| -> BTreeSet<ObjectId> {
            let local = objects.iter().filter(|(_, object)| object.owner.is_some_and(holds));
            local.map(|(id, _)| id).collect()
        };
        Self { ending: owned(&ends), coming: owned(&comes) }
    }

    /// What a value may refer to once it has left the process that has it, and may outlive that
    /// process. The process itself need not ask: its own queues live as long as it does.
    pub(crate) fn escaped(&self, mut value: Value) -> Value {
        if !value.channels.is_disjoint(&self.ending) {
            value.channels.extend(&self.coming);
        }
        value
    }
}

/// A table with one entry per object, e.g. for equivalences between objects.
pub(crate) fn identity(objects: &Objects) -> Vec<ObjectId> {
    (0..objects.len()).map(ObjectId::new).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::numbers::ValueSet;
    use cfsm_core::program::Type;

    #[test]
    fn a_reference_denotes_what_it_may() {
        let mut objects = Objects::new();
        let shape = |fields: &[Type]| ChannelShape::new(1, fields.to_vec());
        let variable = VariableId::new(0);
        let a = declare(&mut objects, None, variable, Some(2), &shape(&[Type::Byte]));
        let b = declare(&mut objects, None, variable, None, &shape(&[Type::Byte, Type::Bit]));
        let all = [a.clone(), b].concat();
        assert_eq!(denoted(&objects, &Value::channel(a[1])), [a[1]]);
        assert_eq!(denoted(&objects, &Value::zero()), []);
        assert_eq!(denoted(&objects, &Value::any()), all);
        assert_eq!(denoted(&objects, &ValueSet::of(1).into()), all);
        assert_eq!(objects[a[1]].element, Some(1));
    }
}
