//! Views of components and their composition: the JSON of `freeboard contract` and `freeboard
//! compose`.

use boundedness::{Component, Composed};
use certify::Trusted;
use serde::{Deserialize, Serialize};
use serde_json::Number;

use super::Verdict;

/// The value of [`ClauseListing::schema`].
pub const CLAUSES_SCHEMA: &str = "freeboard.clauses/1";

/// The value of [`Composition::schema`].
pub const COMPOSITION_SCHEMA: &str = "freeboard.composition/1";

/// The clauses of a component: what is proved about it in every environment.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub struct ClauseListing {
    /// Version of the format: [`CLAUSES_SCHEMA`].
    pub schema: String,
    /// The file, as the user named it.
    pub file: String,
    /// The open channels.
    pub open: Vec<String>,
    /// Inequalities between numbers of messages so far, that hold at any time in every environment;
    /// a buffer stands for the number of messages in it.
    pub clauses: Vec<String>,
    /// `true` if all that the plain test can tell follows from these.
    pub is_complete: bool,
}

impl ClauseListing {
    /// The clauses of a component; `file` is what the user calls it.
    #[must_use]
    pub fn of(component: &Component, file: &str) -> Self {
        let system = component.system();
        let mut clauses: Vec<String> =
            component.clauses().iter().map(|clause| clause.inequality(system)).collect();
        clauses.sort_by_key(String::len);
        let open = component.interface().iter().map(|channel| channel.name.clone());
        Self {
            schema: CLAUSES_SCHEMA.into(),
            file: file.into(),
            open: open.collect(),
            clauses,
            is_complete: component.is_complete(),
        }
    }
}

/// A system of components, with what is proved about it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub struct Composition {
    /// Version of the format: [`COMPOSITION_SCHEMA`].
    pub schema: String,
    /// The names of the parts.
    pub parts: Vec<String>,
    /// Proved if each buffer is bounded in every environment.
    pub verdict: Verdict,
    /// The channels that are open still.
    pub open: Vec<String>,
    /// Results by buffer: channels between parts first.
    pub buffers: Vec<ComposedBuffer>,
    /// `true` if all that the plain test can tell of the parts is in their contracts.
    pub is_complete: bool,
    /// All that the contracts of the parts rest on and that no checker repeats.
    pub trust: Vec<Trusted>,
}

/// A buffer of a system of components, with what is proved about it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub struct ComposedBuffer {
    /// Its name: that of the channel, or that of its part, a dot, and its own.
    pub name: String,
    /// The declared capacity, if there is one.
    pub declared: Option<u32>,
    /// The greatest number of messages in every environment; `None` if none is known.
    pub bound: Option<Number>,
    /// The assumption on environments under which there is a bound, if it needs one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub assumption: Option<String>,
    /// The bound under the assumption, for every k.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub bound_for_k: Option<String>,
}

impl Composition {
    /// The view of a composition of parts with these names.
    #[must_use]
    pub fn of(composition: &boundedness::Composition, parts: Vec<String>) -> Self {
        let buffers: Vec<ComposedBuffer> = composition.buffers.iter().map(buffer).collect();
        let is_proved = buffers.iter().all(|buffer| buffer.bound.is_some());
        Self {
            schema: COMPOSITION_SCHEMA.into(),
            parts,
            verdict: if is_proved { Verdict::Proved } else { Verdict::Unknown },
            open: composition.open.iter().map(|id| composition.system.buffers[*id].name.clone()).collect(),
            buffers,
            is_complete: composition.is_complete,
            trust: composition.certificate.all_trusted(&composition.system),
        }
    }
}

fn buffer(found: &boundedness::ComposedBuffer) -> ComposedBuffer {
    let boundedness::ComposedBuffer { name, declared, result } = found;
    let (bound, assumption, bound_for_k) = match result {
        Composed::Bounded { bound } => (bound.to_string().parse().ok(), None, None),
        Composed::Assuming { assumption, bound } => (None, Some(assumption.clone()), Some(bound.clone())),
        Composed::Unknown => (None, None, None),
    };
    ComposedBuffer { name: name.clone(), declared: *declared, bound, assumption, bound_for_k }
}
