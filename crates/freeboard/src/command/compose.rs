//! `freeboard compose`: systems of components, proved from their contracts.

use std::path::{Path, PathBuf};

use clap::Args;
use freeboard::boundedness::{Component, Part, compose};
use freeboard::certify::{ContractFile, write_system};
use freeboard::report::text;
use freeboard::report::view::{Composition, Verdict};

use super::arguments::{Format, target};
use super::error::Error;
use super::input::{self, Text};
use super::{Status, output};

/// The advice where a file is of another kind.
const HELP: &str = "a contract is what `freeboard contract --output PATH MODEL` writes";

#[derive(Debug, Args)]
pub struct Arguments {
    /// The contracts of the parts, as `freeboard contract --output` writes them; one that is named
    /// twice is two parts
    #[arg(required = true)]
    contracts: Vec<PathBuf>,
    /// Format of the result
    #[arg(long, default_value = "human")]
    format: Format,
    /// Write the certificate of the whole here (JSON)
    #[arg(long, value_name = "PATH", value_parser = target)]
    certificate: Option<PathBuf>,
    /// Write the system of the whole here (JSON), which the certificate speaks of
    #[arg(long, value_name = "PATH", value_parser = target)]
    system: Option<PathBuf>,
}

pub fn run(arguments: &Arguments) -> Result<Status, Error> {
    let mut parts: Vec<Part> = Vec::new();
    for path in &arguments.contracts {
        let component = component(path)?;
        let name = name(path, &parts);
        parts.push(Part { name, component });
    }
    let names = parts.iter().map(|part| part.name.clone()).collect();
    let composed = compose(&parts).map_err(|error| Error::Composition(error.to_string()))?;
    if let Some(path) = &arguments.system {
        output::file(path, &write_system(&composed.system))?;
    }
    if let Some(path) = &arguments.certificate {
        output::file(path, &composed.certificate.to_json())?;
    }
    let view = Composition::of(&composed, names);
    output::view(&view, arguments.format, text::composition)?;
    Ok(if view.verdict == Verdict::Proved { Status::Success } else { Status::Unknown })
}

/// The component in a file, checked.
fn component(path: &Path) -> Result<Component, Error> {
    let Text { name, text } = input::read(path)?;
    let file = ContractFile::from_json(&text).map_err(|error| Error::File {
        name: name.clone(),
        error,
        help: Some(HELP),
    })?;
    Component::from_file(file).map_err(|error| Error::Contract { name, error: error.to_string() })
}

/// The name of a part: that of its file, with a number if there is one of that name.
fn name(path: &Path, parts: &[Part]) -> String {
    let stem = path.file_stem().map_or_else(|| "part".into(), |stem| stem.to_string_lossy().into_owned());
    let numbered = (2..).map(|number| format!("{stem} {number}"));
    let is_free = |name: &String| parts.iter().all(|part| part.name != *name);
    std::iter::once(stem.clone()).chain(numbered).find(is_free).unwrap_or(stem)
}
