//! Syntax trees to the capsule model: names to classes, inheritance flattened, instances, wires,
//! machines.

mod class;
mod instances;
mod machine;
mod names;
mod protocols;
mod shape;
mod system;
mod threads;
mod wiring;

use std::collections::BTreeMap;

use cfsm_core::diagnostic::{Diagnostic, Severity};
use cfsm_core::ids::IdMap;

use crate::files::Files;
use crate::model::{CapsuleSystem, Class, ClassId};
use crate::options::Options;
use names::{ItemId, Names};
use protocols::Protocols;
use shape::Shapes;

/// The capsule model of a text, with all that is wrong with it.
pub(crate) struct Resolved {
    /// Nothing if there is an error.
    pub(crate) system: Option<CapsuleSystem>,
    pub(crate) diagnostics: Vec<Diagnostic>,
}

/// Resolves what was read. Time linear in the text and in the number of instances, but for the
/// lookup of names in short lists.
pub(crate) fn resolve<'t>(files: &'t Files, options: &'t Options) -> Resolved {
    let mut diagnostics = Vec::new();
    let names = Names::new(files, &mut diagnostics);
    let mut resolver = Resolver {
        options,
        files,
        names,
        protocols: Protocols::default(),
        shapes: BTreeMap::new(),
        making: Vec::new(),
        classes: IdMap::new(),
        by_item: BTreeMap::new(),
        diagnostics,
    };
    resolver.check_all(files);
    let is_error = |found: &Diagnostic| found.severity == Severity::Error;
    let broken = files.diagnostics.iter().any(is_error);
    let system = resolver.system(files, options, broken || resolver.diagnostics.iter().any(is_error));
    let Resolver { diagnostics, .. } = resolver;
    let failed = diagnostics.iter().any(is_error);
    Resolved { system: system.filter(|_| !failed), diagnostics }
}

/// The names of the systems of a model: logical systems, or else subsystem classes, or else actor
/// classes that nothing contains.
pub(crate) fn systems(files: &Files) -> Vec<String> {
    let names = Names::new(files, &mut Vec::new());
    let roots = system::roots(files, &names);
    roots.into_iter().map(|id| names.items[id].item.name().text.clone()).collect()
}

/// The state of a resolution.
pub(crate) struct Resolver<'t> {
    options: &'t Options,
    files: &'t Files,
    names: Names<'t>,
    protocols: Protocols,
    shapes: Shapes<'t>,
    /// The items whose shapes are being made.
    making: Vec<ItemId>,
    classes: IdMap<ClassId, Class>,
    by_item: BTreeMap<ItemId, Option<ClassId>>,
    diagnostics: Vec<Diagnostic>,
}

impl Resolver<'_> {
    fn report(&mut self, found: Diagnostic) {
        if !self.diagnostics.contains(&found) {
            self.diagnostics.push(found);
        }
    }
}
