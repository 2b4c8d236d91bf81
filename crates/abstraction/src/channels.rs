//! Channel objects: the queues of a run, as far as they are told apart.
//!
//! A global declaration makes one object per element, once. A local one makes one per element for every
//! instance; all instances of a context share it (thesis 7.4: not to tell two queues apart is an
//! over-approximation as long as the order of messages is not looked at).

use cfsm_core::define_id;
use cfsm_core::ids::{Id, IdMap};
use cfsm_core::program::{ChannelShape, VariableId};

use crate::contexts::ContextId;
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

/// The channel objects with `arity` message fields that a value may refer to, ascending. 0 refers to
/// none; another integer may be the number of any channel. An object with another number of fields is
/// left out, as the statement would end the run with an error there. Time linear in the objects.
pub(crate) fn denoted(objects: &Objects, reference: &Value, arity: usize) -> Vec<ObjectId> {
    let fits = |object: &ObjectId| objects[*object].shape.fields.len() == arity;
    if reference.numbers.has_nonzero() {
        objects.ids().filter(fits).collect()
    } else {
        reference.channels.iter().copied().filter(fits).collect()
    }
}

/// A table with one entry per object, e.g. for equivalences between objects.
pub(crate) fn identity(objects: &Objects) -> Vec<ObjectId> {
    (0..objects.len()).map(ObjectId::new).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::values::ValueSet;
    use cfsm_core::program::Type;

    #[test]
    fn a_reference_denotes_what_it_may() {
        let mut objects = Objects::new();
        let shape = |fields: &[Type]| ChannelShape { capacity: 1, fields: fields.to_vec() };
        let variable = VariableId::new(0);
        let a = declare(&mut objects, None, variable, Some(2), &shape(&[Type::Byte]));
        let b = declare(&mut objects, None, variable, None, &shape(&[Type::Byte, Type::Bit]));
        assert_eq!(denoted(&objects, &Value::channel(a[1]), 1), [a[1]]);
        assert_eq!(denoted(&objects, &Value::channel(a[1]), 2), []);
        assert_eq!(denoted(&objects, &Value::zero(), 1), []);
        assert_eq!(denoted(&objects, &Value::any(), 1), a);
        assert_eq!(denoted(&objects, &ValueSet::of(1).into(), 2), b);
        assert_eq!(objects[a[1]].element, Some(1));
    }
}
