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

impl MappingModel {
    /// Of the models that declare a name by its last part, those that the name may denote: the one
    /// that it leads through, or else those that are imported by name, or else all.
    pub(crate) fn denoted<M>(&self, name: &Name, models: Vec<M>, title: impl Fn(&M) -> &str) -> Vec<M> {
        let last = name.last();
        let full = |model: &M| name.text == format!("{}.{last}", title(model));
        let imported = |model: &M| {
            self.imports
                .iter()
                .filter_map(|import| import.names.as_ref())
                .any(|names| names.imports(title(model), last))
        };
        let is_full = name.text.contains('.');
        let is_imported = !is_full && models.iter().any(imported);
        models
            .into_iter()
            .filter(|model| if is_full { full(model) } else { !is_imported || imported(model) })
            .collect()
    }
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
