//! Nodes, threads, and the assignment of systems to them.

use super::{Import, Name};

/// A `PhysicalModel`.
#[derive(Clone, Debug)]
pub(crate) struct Physical {
    pub(crate) name: Name,
    pub(crate) imports: Vec<Import>,
    pub(crate) systems: Vec<PhysicalSystem>,
    pub(crate) nodes: Vec<NodeClass>,
    pub(crate) runtimes: Vec<RuntimeClass>,
}

/// A physical system: nodes by name and class.
#[derive(Clone, Debug)]
pub(crate) struct PhysicalSystem {
    pub(crate) name: Name,
    pub(crate) nodes: Vec<super::structure::Typed>,
}

/// A class of nodes with its threads.
#[derive(Clone, Debug)]
pub(crate) struct NodeClass {
    pub(crate) name: Name,
    pub(crate) settings: Vec<Setting>,
    pub(crate) threads: Vec<Thread>,
}

/// A thread of a node.
#[derive(Clone, Debug)]
pub(crate) struct Thread {
    pub(crate) default: bool,
    pub(crate) name: Name,
    pub(crate) settings: Vec<Setting>,
}

/// A line `key = value`; a number has its unit behind it.
#[derive(Clone, Debug)]
pub(crate) struct Setting {
    pub(crate) key: Name,
    pub(crate) value: Name,
}

/// A class of runtimes.
#[derive(Clone, Debug)]
pub(crate) struct RuntimeClass {
    pub(crate) name: Name,
    pub(crate) settings: Vec<Setting>,
}

/// A `MappingModel`.
#[derive(Clone, Debug)]
pub(crate) struct MappingModel {
    pub(crate) name: Name,
    pub(crate) imports: Vec<Import>,
    pub(crate) mappings: Vec<Mapping>,
}

/// The mapping of a logical system to a physical one.
#[derive(Clone, Debug)]
pub(crate) struct Mapping {
    pub(crate) logical: Name,
    pub(crate) physical: Name,
    pub(crate) subsystems: Vec<SubSystemMapping>,
}

/// The mapping of a subsystem to a node.
#[derive(Clone, Debug)]
pub(crate) struct SubSystemMapping {
    pub(crate) logical: Name,
    pub(crate) node: Name,
    pub(crate) threads: Vec<ThreadMapping>,
}

/// The mapping of a logical thread to a thread of the node.
#[derive(Clone, Debug)]
pub(crate) struct ThreadMapping {
    pub(crate) logical: Name,
    pub(crate) physical: Name,
}
