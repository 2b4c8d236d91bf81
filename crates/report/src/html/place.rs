//! Places of statements in a report: lines of its texts, and transitions of its machines.

use std::collections::BTreeMap;

use crate::view::{Report, Step, WitnessStep};

/// A statement as a key.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Statement {
    machine: usize,
    file: String,
    line: u32,
    text: String,
}

/// The machines, transitions and texts of a report, by what steps say of them.
pub(super) struct Places<'a> {
    machines: BTreeMap<&'a str, usize>,
    transitions: BTreeMap<Statement, Vec<usize>>,
    sources: BTreeMap<&'a str, usize>,
}

impl<'a> Places<'a> {
    pub(super) fn new(report: &'a Report) -> Self {
        let mut places =
            Self { machines: BTreeMap::new(), transitions: BTreeMap::new(), sources: BTreeMap::new() };
        for (machine, found) in report.network.machines.iter().enumerate() {
            places.machines.insert(&found.name, machine);
            for (position, transition) in found.transitions.iter().enumerate() {
                let Step { file, line, text, .. } = transition.step.clone();
                let key = Statement { machine, file, line, text };
                places.transitions.entry(key).or_default().push(position);
            }
        }
        for (source, found) in report.sources.iter().enumerate() {
            places.sources.insert(&found.name, source);
        }
        places
    }

    /// The machine of a process class.
    pub(super) fn machine(&self, process: &str) -> Option<usize> {
        self.machines.get(process).copied()
    }

    /// The transitions of a machine that a statement may be; several if the machine tells more
    /// states apart than the text does.
    pub(super) fn transitions(&self, machine: usize, step: &Step) -> &[usize] {
        self.at(&Statement { machine, file: step.file.clone(), line: step.line, text: step.text.clone() })
    }

    /// The same for a statement of a run.
    pub(super) fn taken(&self, machine: usize, step: &WitnessStep) -> &[usize] {
        self.at(&Statement { machine, file: step.file.clone(), line: step.line, text: step.text.clone() })
    }

    fn at(&self, statement: &Statement) -> &[usize] {
        self.transitions.get(statement).map(Vec::as_slice).unwrap_or_default()
    }

    /// The text of a file.
    pub(super) fn source(&self, file: &str) -> Option<usize> {
        self.sources.get(file).copied()
    }
}
