//! View of a check with the declared capacities.

use cfsm_core::finding::FindingKind;
use cfsm_core::program::Program;
use refine::BufferAsDeclared;
use serde::{Deserialize, Serialize};

use super::counterexample::number;
use super::exploration::{self, Exploration, ExplorationSubject};
use super::{ModelFinding, Number, WitnessStep, steps};

/// The results about runs with the declared capacities, with their program.
#[derive(Clone, Copy, Debug)]
pub struct AsDeclaredRuns<'a> {
    /// The program.
    pub program: &'a Program,
    /// The results.
    pub found: &'a refine::AsDeclared,
}

/// A buffer under the assumption that each channel holds as many messages as are declared.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub struct AsDeclared {
    /// `true` if some send may find the channel full; `None` if unknown.
    pub blocks: Option<bool>,
    /// Proved upper bound on its length.
    pub bound: Option<Number>,
    /// Its true maximum, if all states were visited.
    pub exact: Option<Number>,
    /// The send that finds the channel full.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub send: Option<WaitingSend>,
    /// `true` if a message that is sent to the full channel is lost; else its sender waits.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub loses: bool,
}

/// A send that finds the channel full.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub struct WaitingSend {
    /// The file; empty if the system does not come from a text.
    #[serde(default)]
    pub file: String,
    /// The line, counted from 1; 0 if the system does not come from a text.
    pub line: u32,
    /// The statement.
    pub text: String,
    /// A run to the state in which the process waits.
    pub run: Vec<WitnessStep>,
}

impl AsDeclaredRuns<'_> {
    /// The view of one buffer. Time linear in the run to its waiting send.
    pub(super) fn buffer(self, found: &BufferAsDeclared) -> AsDeclared {
        AsDeclared {
            blocks: found.blocks,
            bound: found.bound.as_ref().map(number),
            exact: found.exact.map(Number::from),
            send: found.wait.as_ref().and_then(|wait| self.waiting(wait)),
            loses: found.loses,
        }
    }

    fn waiting(self, wait: &explore::WaitingSend) -> Option<WaitingSend> {
        let semantics = self.found.semantics.as_ref()?;
        let (start, recorded) = semantics.replay(&wait.run).ok()?;
        let edge = &self.program.types[wait.process_type].edges[wait.edge];
        let origin = self.program.sources.origin(edge.span);
        let run = steps(self.program, semantics, &start, &recorded);
        Some(WaitingSend { file: origin.file, line: origin.line, text: origin.text, run })
    }

    /// Deadlocks, invalid end states and failed assertions, each with a run. Time linear in the
    /// runs.
    pub(super) fn findings(self) -> Vec<ModelFinding> {
        let Some((semantics, found)) = self.found.semantics.as_ref().zip(self.found.exploration.as_ref())
        else {
            return Vec::new();
        };
        let subject = ExplorationSubject { file: "", program: self.program, semantics, found };
        let Exploration { findings, .. } = exploration::exploration(&subject);
        findings.into_iter().filter_map(model_finding).collect()
    }
}

/// Converts a finding of an exploration to a finding about the model, at the place where its run
/// ends.
fn model_finding(found: exploration::Finding) -> Option<ModelFinding> {
    let kind = match found.kind {
        exploration::FindingKind::Deadlock => FindingKind::Deadlock,
        exploration::FindingKind::InvalidEndState => FindingKind::InvalidEndState,
        exploration::FindingKind::AssertionFailure => FindingKind::Assertion,
        exploration::FindingKind::RunTimeError | exploration::FindingKind::NonProgressCycle => return None,
    };
    let waiting = found.processes.iter().find(|process| !process.valid_end);
    let (name, place) = match (kind, waiting, found.run.last()) {
        (FindingKind::Assertion, _, Some(last)) => {
            (format!("{}[{}]", last.process, last.pid), Some((last.file.clone(), last.line)))
        }
        (_, Some(process), _) => {
            (format!("{}[{}]", process.process, process.pid), Some((process.file.clone(), process.line)))
        }
        _ => (String::new(), None),
    };
    let (file, line) = place.filter(|(_, line)| *line > 0).unzip();
    Some(ModelFinding { kind, name, line, file: file.unwrap_or_default(), text: found.text, run: found.run })
}
