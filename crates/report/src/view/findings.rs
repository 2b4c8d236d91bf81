//! View of findings about a model, in addition to its verdicts.

use cfsm_core::finding::{Finding, FindingKind};
use serde::{Deserialize, Serialize};

use super::{Check, WitnessStep};

/// A fact about the model that its author should know.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub struct ModelFinding {
    /// Its kind.
    pub kind: FindingKind,
    /// The channel, statement or process that it is about, as the author would write it.
    pub name: String,
    /// The line, counted from 1, if it is in a text.
    pub line: Option<u32>,
    /// The file of the line.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub file: String,
    /// The fact: a clause without a full stop.
    #[serde(default)]
    pub text: String,
    /// A run that shows it, for the kinds that have one.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub run: Vec<WitnessStep>,
}

/// The view of findings; `told` returns the steps of a run. Time linear in them and their runs.
#[must_use]
pub fn findings<R>(found: &[Finding<R>], told: impl Fn(&R) -> Vec<WitnessStep>) -> Vec<ModelFinding> {
    let view = |finding: &Finding<R>| {
        let place = finding.origin.as_ref().filter(|origin| origin.line > 0);
        ModelFinding {
            kind: finding.kind,
            name: finding.name.clone(),
            line: place.map(|origin| origin.line),
            file: place.map(|origin| origin.file.clone()).unwrap_or_default(),
            text: finding.text.clone(),
            run: finding.run.as_ref().map(&told).unwrap_or_default(),
        }
    };
    found.iter().map(view).collect()
}

impl Check {
    /// Adds findings about the model that are not there yet.
    #[must_use]
    pub fn with_findings(mut self, findings: Vec<ModelFinding>) -> Self {
        for finding in findings {
            if !self.findings.contains(&finding) {
                self.findings.push(finding);
            }
        }
        self
    }
}
