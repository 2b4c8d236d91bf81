//! Types as the type check sees them: records are flattened, and channels have message shapes.

use std::collections::HashMap;
use std::rc::Rc;

use cfsm_core::source::Span;

use super::constant::fold;
use crate::ast::{Declarator, Initial, TypeName, Typedef};

/// Greatest number of fields of a message; longer ones are not checked.
const MAX_FIELDS: usize = 256;
/// Greatest number of steps for flattening a record, however its types are nested.
const MAX_STEPS: usize = 4096;

/// Kinds of numeric types.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    Bit,
    Byte,
    Pid,
    Short,
    Int,
    /// This number of bits.
    Unsigned(u32),
}

impl Kind {
    /// The least and the greatest value.
    pub(super) fn range(self) -> (i64, i64) {
        match self {
            Self::Bit => (0, 1),
            Self::Byte | Self::Pid => (0, 255),
            Self::Short => (-(1 << 15), (1 << 15) - 1),
            Self::Int => (-(1 << 31), (1 << 31) - 1),
            Self::Unsigned(bits) => (0, (1_i64 << bits.min(32)) - 1),
        }
    }

    /// Returns `true` if the range of `other` is contained in that of this kind.
    pub(super) fn holds(self, other: Self) -> bool {
        let ((least, greatest), (low, high)) = (self.range(), other.range());
        least <= low && high <= greatest
    }

    /// The kind in Promela syntax.
    pub(super) fn name(self) -> String {
        match self {
            Self::Bit => String::from("bit"),
            Self::Byte => String::from("byte"),
            Self::Pid => String::from("pid"),
            Self::Short => String::from("short"),
            Self::Int => String::from("int"),
            Self::Unsigned(bits) => format!("unsigned : {bits}"),
        }
    }
}

/// A set of symbolic constants.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct SetId(usize);

/// A typedef.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct RecordId(usize);

/// The shape of a message: its fields, and where they are declared.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(super) struct ShapeId(usize);

/// A type.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Ty {
    Number(Kind),
    Symbols(SetId),
    Channel,
    Record(RecordId),
    /// Unknown; compatible with everything.
    Unknown,
}

/// The message fields of a declared channel, `[n] of { ... }`.
#[derive(Clone, Debug)]
pub(super) struct Shape<'m> {
    /// The name of the channel at its declaration.
    pub(super) name: &'m str,
    /// Types of the fields, with records flattened.
    pub(super) fields: Vec<Ty>,
    /// Span of the declaration.
    pub(super) span: Span,
}

/// A field of a typedef.
#[derive(Clone, Copy, Debug)]
struct RecordField<'m> {
    ty: Ty,
    declarator: &'m Declarator,
    shape: Option<ShapeId>,
}

/// A scalar part of a record.
#[derive(Clone, Debug)]
pub(super) struct Leaf {
    pub(super) ty: Ty,
    /// The path to it: positions of fields.
    pub(super) path: Vec<usize>,
}

#[derive(Debug)]
struct Record<'m> {
    fields: Vec<RecordField<'m>>,
    names: HashMap<&'m str, usize>,
    /// The flattened fields; `None` if there are too many.
    leaves: Option<Rc<[Leaf]>>,
}

/// All types of a model.
#[derive(Debug, Default)]
pub(super) struct Types<'m> {
    sets: HashMap<Option<&'m str>, SetId>,
    set_names: Vec<Option<&'m str>>,
    records: Vec<Record<'m>>,
    record_names: HashMap<&'m str, RecordId>,
    shapes: Vec<Shape<'m>>,
}

impl<'m> Types<'m> {
    /// The symbol set with a name, `None` being the plain `mtype`.
    pub(super) fn set(&mut self, name: Option<&'m str>) -> SetId {
        let next = SetId(self.set_names.len());
        let id = *self.sets.entry(name).or_insert(next);
        if id == next {
            self.set_names.push(name);
        }
        id
    }

    /// The type of a declared variable; an array has the type of its elements.
    pub(super) fn declared(&mut self, name: &'m TypeName, declarator: &Declarator) -> Ty {
        match name {
            TypeName::Unsigned => {
                let width = declarator.width.as_ref().and_then(fold);
                width
                    .and_then(|width| u32::try_from(width).ok())
                    .map_or(Ty::Unknown, |width| Ty::Number(Kind::Unsigned(width)))
            }
            other => self.plain(other),
        }
    }

    fn plain(&mut self, name: &'m TypeName) -> Ty {
        match name {
            TypeName::Bit => Ty::Number(Kind::Bit),
            TypeName::Byte => Ty::Number(Kind::Byte),
            TypeName::Short => Ty::Number(Kind::Short),
            TypeName::Int => Ty::Number(Kind::Int),
            TypeName::Pid => Ty::Number(Kind::Pid),
            TypeName::Unsigned => Ty::Unknown,
            TypeName::Chan => Ty::Channel,
            TypeName::Mtype(set) => Ty::Symbols(self.set(set.as_ref().map(|set| &*set.text))),
            TypeName::Named(name) => {
                self.record_names.get(&*name.text).map_or(Ty::Unknown, |id| Ty::Record(*id))
            }
        }
    }

    /// Adds a typedef; those of its fields must have been added before.
    pub(super) fn add_record(&mut self, typedef: &'m Typedef) {
        let (mut fields, mut names) = (Vec::new(), HashMap::new());
        for declaration in &typedef.fields {
            for declarator in &declaration.declarators {
                let ty = self.declared(&declaration.ty, declarator);
                names.insert(&*declarator.name.text, fields.len());
                let shape = self.shape_of(declarator);
                fields.push(RecordField { ty, declarator, shape });
            }
        }
        let leaves = self.spread(&fields);
        self.record_names.insert(&typedef.name.text, RecordId(self.records.len()));
        self.records.push(Record { fields, names, leaves });
    }

    /// The leaves of a record, in the order in which a message carries them. Those of nested
    /// records are known, so this takes time linear in the result.
    fn spread(&self, fields: &[RecordField<'m>]) -> Option<Rc<[Leaf]>> {
        let (mut leaves, mut steps) = (Vec::new(), 0);
        for (position, field) in fields.iter().enumerate() {
            let times = field.declarator.length.as_ref().map_or(Some(1), fold)?;
            for _ in 0..times {
                let inner = match field.ty {
                    Ty::Record(record) => self.records.get(record.0)?.leaves.clone()?,
                    ty => Rc::from([Leaf { ty, path: Vec::new() }]),
                };
                steps += 1;
                if steps > MAX_STEPS {
                    return None;
                }
                for leaf in inner.iter() {
                    steps += leaf.path.len();
                    if leaves.len() == MAX_FIELDS {
                        return None;
                    }
                    let path = std::iter::once(position).chain(leaf.path.iter().copied()).collect();
                    leaves.push(Leaf { ty: leaf.ty, path });
                }
            }
        }
        Some(leaves.into())
    }

    /// The leaves of a record; `None` if there are too many.
    pub(super) fn leaves(&self, record: RecordId) -> Option<Rc<[Leaf]>> {
        self.records.get(record.0)?.leaves.clone()
    }

    /// Position and type of a field of a record.
    pub(super) fn field(&self, record: RecordId, name: &str) -> Option<(usize, Ty)> {
        let record = self.records.get(record.0)?;
        let position = *record.names.get(name)?;
        Some((position, record.fields[position].ty))
    }

    /// Type of the field at a position, and its shape if it is a channel that is created there.
    pub(super) fn field_at(&self, record: RecordId, position: usize) -> Option<(Ty, Option<ShapeId>)> {
        let field = self.records.get(record.0)?.fields.get(position)?;
        Some((field.ty, field.shape))
    }

    /// The shape of a channel that is created at its declaration.
    pub(super) fn shape_of(&mut self, declarator: &'m Declarator) -> Option<ShapeId> {
        let Initial::Channel { fields, .. } = &declarator.init else { return None };
        let mut spread = Vec::new();
        for (name, _) in fields {
            match self.plain(name) {
                Ty::Record(record) => spread.extend(self.leaves(record)?.iter().map(|leaf| leaf.ty)),
                ty => spread.push(ty),
            }
        }
        self.shapes.push(Shape { name: &declarator.name.text, fields: spread, span: declarator.span });
        Some(ShapeId(self.shapes.len() - 1))
    }

    pub(super) fn shape(&self, shape: ShapeId) -> &Shape<'m> {
        &self.shapes[shape.0]
    }

    /// A symbol set in Promela syntax.
    pub(super) fn set_name(&self, set: SetId) -> String {
        match self.set_names.get(set.0) {
            Some(Some(name)) => format!("mtype:{name}"),
            _ => String::from("mtype"),
        }
    }
}
