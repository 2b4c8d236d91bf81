//! Types, protocols, actor classes, subsystems, systems.

use cfsm_core::source::Span;

use super::machine::{Graph, Rule};
use super::{Annotation, Name, UserCode};
use crate::fragment::Fragment;

/// The kind of a data type.
#[derive(Clone, Debug)]
pub(crate) enum DataKind {
    /// `PrimitiveType`.
    Primitive(Primitive),
    /// `Enumeration` with its literals.
    Enumeration(Vec<EnumLiteral>),
    /// `ExternalType`.
    External,
    /// `DataClass`.
    Class(DataClass),
}

/// A primitive type: its literal type (`ptInteger`), the type that it is in the target language,
/// and the value of attributes without one of their own.
#[derive(Clone, Debug)]
pub(crate) struct Primitive {
    pub(crate) literal: Name,
    pub(crate) target: Name,
    pub(crate) default: Name,
}

/// A literal of an enumeration, with its number if one is written.
#[derive(Clone, Debug)]
pub(crate) struct EnumLiteral {
    pub(crate) name: Name,
    pub(crate) value: Option<i64>,
}

/// A data type.
#[derive(Clone, Debug)]
pub(crate) struct DataType {
    pub(crate) name: Name,
    pub(crate) kind: DataKind,
}

/// The body of a `DataClass`.
#[derive(Clone, Debug)]
pub(crate) struct DataClass {
    pub(crate) base: Option<Name>,
    pub(crate) code: UserCode,
    pub(crate) attributes: Vec<Attribute>,
    pub(crate) operations: Vec<Operation>,
}

/// An attribute of an actor class, a data class or a port class.
#[derive(Clone, Debug)]
pub(crate) struct Attribute {
    pub(crate) name: Name,
    pub(crate) size: Option<u32>,
    pub(crate) ty: Option<TypeRef>,
    pub(crate) default: Option<Name>,
}

/// The use of a data type, by reference if it says so.
#[derive(Clone, Debug)]
pub(crate) struct TypeRef {
    pub(crate) name: Name,
    pub(crate) by_reference: bool,
}

/// A parameter of an operation.
#[derive(Clone, Debug)]
pub(crate) struct Parameter {
    pub(crate) name: Name,
    pub(crate) ty: TypeRef,
}

/// An operation: of a class, or of a port class.
#[derive(Clone, Debug)]
pub(crate) struct Operation {
    pub(crate) name: Name,
    pub(crate) parameters: Vec<Parameter>,
    pub(crate) result: Option<TypeRef>,
    /// Of a port class: the message that it says it sends.
    pub(crate) sends: Option<Name>,
    pub(crate) code: Fragment,
}

/// The way in which a protocol or an actor class communicates.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum Communication {
    #[default]
    EventDriven,
    DataDriven,
    Asynchronous,
    Synchronous,
}

/// A protocol class.
#[derive(Clone, Debug)]
pub(crate) struct Protocol {
    pub(crate) communication: Communication,
    pub(crate) name: Name,
    pub(crate) base: Option<Name>,
    pub(crate) annotations: Vec<Annotation>,
    pub(crate) code: UserCode,
    pub(crate) incoming: Vec<Message>,
    pub(crate) outgoing: Vec<Message>,
    pub(crate) regular: Option<PortClass>,
    pub(crate) conjugated: Option<PortClass>,
    pub(crate) semantics: Vec<Rule>,
}

/// A message of a protocol.
#[derive(Clone, Debug)]
pub(crate) struct Message {
    pub(crate) name: Name,
    pub(crate) private: bool,
    /// The name of the data.
    pub(crate) data_name: Option<String>,
    pub(crate) data: Option<TypeRef>,
}

/// Code that belongs to the ports of a protocol.
#[derive(Clone, Debug, Default)]
pub(crate) struct PortClass {
    pub(crate) code: UserCode,
    pub(crate) handlers: Vec<Handler>,
    pub(crate) operations: Vec<Operation>,
    pub(crate) attributes: Vec<Attribute>,
}

/// Code that runs whenever a message is sent or received.
#[derive(Clone, Debug)]
pub(crate) struct Handler {
    /// Declared for an incoming message of the protocol, else for an outgoing one.
    pub(crate) incoming: bool,
    pub(crate) message: Name,
    pub(crate) code: Fragment,
}

/// A protocol that is a bundle of others.
#[derive(Clone, Debug)]
pub(crate) struct Compound {
    pub(crate) name: Name,
    pub(crate) parts: Vec<Typed>,
}

/// A name with the class that it is of.
#[derive(Clone, Debug)]
pub(crate) struct Typed {
    pub(crate) name: Name,
    pub(crate) class: Name,
}

/// An actor class.
#[derive(Clone, Debug)]
pub(crate) struct Actor {
    pub(crate) is_abstract: bool,
    /// Its structure and its machine have all that it inherits.
    pub(crate) is_flat: bool,
    /// Its code may destroy capsules.
    pub(crate) destroys: bool,
    /// Its code may have messages overtake each other.
    pub(crate) reorders: bool,
    pub(crate) communication: Communication,
    pub(crate) name: Name,
    pub(crate) base: Option<Name>,
    pub(crate) annotations: Vec<Annotation>,
    pub(crate) structure: Structure,
    pub(crate) operations: Vec<Operation>,
    pub(crate) machine: Option<Graph>,
}

/// Ports, parts and wires of an actor class, a subsystem class or a system.
#[derive(Clone, Debug, Default)]
pub(crate) struct Structure {
    pub(crate) interface: Vec<Port>,
    pub(crate) provision: Vec<Typed>,
    pub(crate) internal: Vec<Port>,
    pub(crate) external: Vec<Name>,
    pub(crate) access: Vec<Typed>,
    pub(crate) implemented: Vec<Name>,
    pub(crate) attributes: Vec<Attribute>,
    pub(crate) parts: Vec<Part>,
    pub(crate) bindings: Vec<Binding>,
    pub(crate) layers: Vec<Layer>,
    /// Ports that are told when their wires come and go.
    pub(crate) notified: Vec<Name>,
    /// Ports that code wires while the system runs.
    pub(crate) unwired: Vec<Name>,
    pub(crate) code: UserCode,
}

/// A port.
#[derive(Clone, Debug)]
pub(crate) struct Port {
    /// It takes the place of an inherited one.
    pub(crate) redefines: bool,
    pub(crate) conjugated: bool,
    pub(crate) name: Name,
    pub(crate) multiplicity: Multiplicity,
    pub(crate) protocol: Name,
}

/// A number of ports or parts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Multiplicity {
    /// `[*]`: as many as are bound.
    Any,
    Number(u32),
}

impl Multiplicity {
    pub(crate) fn most(self) -> usize {
        match self {
            Self::Any => usize::MAX,
            Self::Number(number) => number as usize,
        }
    }
}

/// A part: an `ActorRef` or a `SubSystemRef`.
#[derive(Clone, Debug)]
pub(crate) struct Part {
    /// It takes the place of an inherited one.
    pub(crate) redefines: bool,
    pub(crate) optional: bool,
    /// Nothing is ever in it.
    pub(crate) vacant: bool,
    /// It is empty at first, and no code but that of its capsule names it.
    pub(crate) private: bool,
    pub(crate) name: Name,
    pub(crate) multiplicity: Multiplicity,
    pub(crate) class: Name,
}

/// A wire between two ports.
#[derive(Clone, Debug)]
pub(crate) struct Binding {
    pub(crate) one: EndPoint,
    pub(crate) other: EndPoint,
    pub(crate) span: Span,
}

/// One end of a wire: a port of a part, or of the container itself.
#[derive(Clone, Debug)]
pub(crate) struct EndPoint {
    pub(crate) part: Option<Name>,
    pub(crate) port: Name,
    /// The part of a compound protocol.
    pub(crate) sub: Option<Name>,
}

/// A layer connection: the service access points of a part are served by a provision point.
#[derive(Clone, Debug)]
pub(crate) struct Layer {
    /// The container's own provision point is passed on (`relay_sap`), not a part's access points.
    pub(crate) relayed: bool,
    pub(crate) from: Name,
    pub(crate) part: Name,
    pub(crate) service: Name,
    pub(crate) span: Span,
}

/// A subsystem class.
#[derive(Clone, Debug)]
pub(crate) struct SubSystem {
    pub(crate) name: Name,
    pub(crate) annotations: Vec<Annotation>,
    pub(crate) structure: Structure,
    pub(crate) threads: Vec<Name>,
    pub(crate) mappings: Vec<InstanceMapping>,
}

/// The assignment of instances to a logical thread.
#[derive(Clone, Debug)]
pub(crate) struct InstanceMapping {
    pub(crate) path: Vec<Segment>,
    pub(crate) thread: Name,
    pub(crate) inner: Vec<InstanceMapping>,
}

/// A step of a path of instances, with an index for one of several.
#[derive(Clone, Debug)]
pub(crate) struct Segment {
    pub(crate) name: Name,
    pub(crate) index: Option<u32>,
}

/// A system: subsystems and the wires between them.
#[derive(Clone, Debug)]
pub(crate) struct System {
    pub(crate) name: Name,
    pub(crate) annotations: Vec<Annotation>,
    pub(crate) structure: Structure,
}
