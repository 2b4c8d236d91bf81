//! Channel objects: the abstract queues of a run.
//!
//! A global declaration creates one object per element, once. A local one creates one per element
//! for every instance; all instances of a context share it (thesis 7.4: merging two queues is an
//! over-approximation as long as the order of messages is not used).

use std::collections::{BTreeMap, BTreeSet};

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
    /// Index of the element, if the variable is an array.
    pub(crate) element: Option<u32>,
    /// Capacity and message format.
    pub(crate) shape: ChannelShape,
}

/// All channel objects.
pub(crate) type Objects = IdMap<ObjectId, Object>;

/// Creates the objects of one declaration and returns them in element order.
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

/// The channel objects that a value may refer to, ascending, regardless of their number of message
/// fields. 0 refers to none; any other integer may be the number of any channel. Time linear in the
/// objects.
pub(crate) fn denoted(objects: &Objects, reference: &Value) -> Vec<ObjectId> {
    if reference.numbers.has_nonzero() {
        objects.ids().collect()
    } else {
        reference.channels.iter().copied().collect()
    }
}

/// Queues that may get the number of another queue. When a process ends, Spin's verifier deletes
/// its queues, and the queues of the next created process reuse their numbers; a reference to a
/// deleted queue then denotes a new one.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Reuse {
    /// Objects of processes that may end.
    ending: BTreeSet<ObjectId>,
    /// Objects of processes that may be created in the course of a run.
    coming: BTreeSet<ObjectId>,
    /// The contexts of those objects whose processes are created at most once in a run: they do not
    /// come when one of the same context has ended.
    once: BTreeMap<ObjectId, ContextId>,
}

impl Reuse {
    /// Collects the ending and the coming objects. `ends(context)` returns `true` if instances of
    /// the context may end, `singles` if there is at most one in a run. Time
    /// `O(objects log objects)`.
    pub(crate) fn of(
        objects: &Objects,
        contexts: &Contexts,
        ends: impl Fn(ContextId) -> bool,
        singles: &IdMap<ContextId, bool>,
    ) -> Self {
        let comes = |owner: ContextId| {
            let context = &contexts[owner];
            context.shared || matches!(context.birth, Birth::Created { .. })
        };
        let owned = |holds: &dyn Fn(ContextId) -> bool| -> BTreeSet<ObjectId> {
            let local = objects.iter().filter(|(_, object)| object.owner.is_some_and(holds));
            local.map(|(id, _)| id).collect()
        };
        let single = objects.iter().filter_map(|(id, object)| Some((id, object.owner?)));
        let once = single.filter(|(_, owner)| singles[*owner]).collect();
        Self { ending: owned(&ends), coming: owned(&comes), once }
    }

    /// The objects that a value may refer to once it has left the process that holds it, and may
    /// outlive that process. Values that stay in the process need no such extension: its own queues
    /// live as long as it does.
    pub(crate) fn escaped(&self, mut value: Value) -> Value {
        // Two owners that end come after each other.
        let mut owners = value.channels.intersection(&self.ending).map(|ended| self.once.get(ended));
        let Some(first) = owners.next() else { return value };
        let alone = first.filter(|_| owners.all(|other| other == first));
        let comes = |object: &&ObjectId| alone.is_none() || self.once.get(*object) != alone;
        value.channels.extend(self.coming.iter().filter(comes));
        value
    }
}

/// The identity table, with one entry per object, e.g. as a start for equivalences between objects.
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
