//! The syntax tree of ROOM texts: all that a text says, in its order, with places.
#![allow(dead_code, reason = "the tree has all that a text says, needed or not")]

pub(crate) mod art;
pub(crate) mod machine;
pub(crate) mod physical;
pub(crate) mod structure;

use cfsm_core::source::Span;

use crate::fragment::Fragment;

/// A name with its place; dotted if it leads through models (`etrice.api.timer.PTimer`).
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Name {
    pub(crate) text: String,
    pub(crate) span: Span,
}

impl Name {
    /// The name without the models that it leads through.
    pub(crate) fn last(&self) -> &str {
        self.text.rsplit('.').next().unwrap_or(&self.text)
    }

    /// True if an import brings in what a model declares by a name.
    pub(crate) fn imports(&self, model: &str, name: &str) -> bool {
        match self.text.strip_suffix(".*") {
            Some(imported) => imported == model,
            None => self.text == format!("{model}.{name}"),
        }
    }
}

/// An import: of names (`a.b.*`, `a.b.C`) that come from a file or from a place to be searched, or
/// of a whole file.
#[derive(Clone, Debug)]
pub(crate) struct Import {
    pub(crate) names: Option<Name>,
    pub(crate) file: Option<Name>,
    pub(crate) span: Span,
}

/// An annotation: `@Name(key = value, ...)`.
#[derive(Clone, Debug)]
pub(crate) struct Annotation {
    pub(crate) name: Name,
    pub(crate) values: Vec<KeyValue>,
}

/// One value of an annotation, as it is written.
#[derive(Clone, Debug)]
pub(crate) struct KeyValue {
    pub(crate) key: Name,
    pub(crate) value: Name,
}

/// A text in one of the four languages.
#[derive(Clone, Debug)]
pub(crate) enum Model {
    /// `RoomModel`: classes and systems.
    Room(Room),
    /// `PhysicalModel`: nodes and threads.
    Physical(physical::Physical),
    /// `MappingModel`: the assignment of systems to nodes and threads.
    Mapping(physical::MappingModel),
    /// An Art file: capsules.
    Art(art::File),
}

/// A `RoomModel`.
#[derive(Clone, Debug)]
pub(crate) struct Room {
    pub(crate) name: Name,
    pub(crate) annotations: Vec<Annotation>,
    pub(crate) imports: Vec<Import>,
    pub(crate) items: Vec<Item>,
    /// Code that belongs to the file and to none of its items.
    pub(crate) code: UserCode,
}

/// A class, a type or a system.
#[derive(Clone, Debug)]
pub(crate) enum Item {
    Data(structure::DataType),
    Protocol(structure::Protocol),
    Compound(structure::Compound),
    Actor(structure::Actor),
    SubSystem(structure::SubSystem),
    System(structure::System),
    AnnotationType(AnnotationType),
}

impl Item {
    /// The name that the item declares.
    pub(crate) const fn name(&self) -> &Name {
        match self {
            Self::Data(item) => &item.name,
            Self::Protocol(item) => &item.name,
            Self::Compound(item) => &item.name,
            Self::Actor(item) => &item.name,
            Self::SubSystem(item) => &item.name,
            Self::System(item) => &item.name,
            Self::AnnotationType(item) => &item.name,
        }
    }
}

/// The declaration of an annotation.
#[derive(Clone, Debug)]
pub(crate) struct AnnotationType {
    pub(crate) name: Name,
    pub(crate) targets: Vec<Name>,
    pub(crate) attributes: Vec<AnnotationAttribute>,
}

/// One attribute of an annotation.
#[derive(Clone, Debug)]
pub(crate) struct AnnotationAttribute {
    pub(crate) optional: bool,
    pub(crate) name: Name,
    /// The literal type, or the texts to choose from.
    pub(crate) values: Vec<Name>,
}

/// Code that a class brings along and that is not part of its machine: user code, constructors.
#[derive(Clone, Debug, Default)]
pub(crate) struct UserCode {
    pub(crate) fragments: Vec<Fragment>,
}
