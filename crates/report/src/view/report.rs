//! View of everything that a report about a model shows.

use std::collections::BTreeSet;

use cfsm_core::source::Sources;
use serde::{Deserialize, Serialize};

use super::{Argument, Check, Network, WitnessStep};

/// The contents of a report.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub struct Report {
    /// The result of the check.
    pub check: Check,
    /// The system that the certificate is about.
    pub network: Network,
    /// The arguments of the certificate.
    pub arguments: Vec<Argument>,
    /// The texts of the model to which something in the report refers.
    pub sources: Vec<SourceText>,
}

/// A source text.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub struct SourceText {
    /// The name under which the user gave it.
    pub name: String,
    /// The whole text.
    pub text: String,
}

impl Report {
    /// A report with those of the `sources` to which a step of it refers. Time linear in all.
    #[must_use]
    pub fn new(check: Check, network: Network, arguments: Vec<Argument>, sources: &Sources) -> Self {
        let transitions = network.machines.iter().flat_map(|machine| &machine.transitions);
        let mut used: BTreeSet<&str> = transitions.map(|transition| transition.step.file.as_str()).collect();
        let results = &check.property_results;
        let witnesses = results.iter().flat_map(|result| &result.witnesses);
        let runs = witnesses.flat_map(|witness| witness.prefix.iter().chain(&witness.pump));
        let steps = runs.chain(check.findings.iter().flat_map(|finding| &finding.run));
        used.extend(steps.flat_map(WitnessStep::statements).map(|step| step.file.as_str()));
        let files = sources.files.values().filter(|file| !file.name.is_empty());
        let files = files.filter(|file| used.contains(file.name.as_str()));
        let mut texts: Vec<SourceText> = Vec::new();
        for file in files {
            if texts.iter().all(|text| text.name != file.name) {
                texts.push(SourceText { name: file.name.clone(), text: file.text.clone() });
            }
        }
        Self { check, network, arguments, sources: texts }
    }
}
