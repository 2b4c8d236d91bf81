//! The two files: certificates and systems as JSON.

use cfsm_core::named::{Misplaced, misplaced};
use cfsm_core::system::{Defect, SCHEMA as SYSTEM_SCHEMA, System};
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use thiserror::Error;

use crate::claim::{Certificate, SCHEMA};
use crate::limits::MOST_DIGITS;

/// Why a file is not a certificate, or not a system.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum FileError {
    /// A certificate in another version of the format.
    #[error(
        "this is a file of the format `{found}`, and this version reads `{expected}`: \
         make it again with `freeboard check --certificate`"
    )]
    Version {
        /// What the file says.
        found: String,
        /// What it should say.
        expected: &'static str,
    },
    /// A format that this version does not read.
    #[error("schema is `{found}`, expected `{expected}`")]
    Schema {
        /// What the file says.
        found: String,
        /// What it should say.
        expected: &'static str,
    },
    /// Not JSON, or not of the form that the schema asks for.
    #[error("not a {expected} file: {error}")]
    Form {
        /// The schema.
        expected: &'static str,
        /// What is wrong, with line and column.
        error: serde_json::Error,
    },
    /// A number that takes too long to read.
    #[error("a number has {digits} digits, more than {MOST_DIGITS}")]
    LongNumber {
        /// How many.
        digits: usize,
    },
    /// A system that contradicts itself.
    #[error("the system is not valid: {0}")]
    System(#[from] Defect),
}

/// The value of [`ContractFile::schema`] that this version reads and writes.
pub const CONTRACT_SCHEMA: &str = "freeboard.contract/1";

/// A component with what is known about it, whatever its environment does: the system with its
/// environment, and a certificate with [contract claims](crate::ContractClaim) about it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub struct ContractFile {
    /// Version of the format: [`CONTRACT_SCHEMA`].
    pub schema: String,
    /// The name of the class that is the environment: from one state it sends and receives the
    /// messages of open channels, which are rendezvous, and counts them in data places.
    pub environment: String,
    /// `true` if all that the plain test can tell about the component follows from these claims;
    /// `false` if some are missing.
    pub is_complete: bool,
    /// The channels that others use, whether a message is exchanged there or not.
    pub interface: Vec<InterfaceChannel>,
    /// The names of channels that others could mean, but may not use.
    pub internal: Vec<String>,
    /// The system.
    pub system: System,
    /// The claims.
    pub certificate: Certificate,
}

/// A channel of an interface. Those of two components are one channel if they have the same name,
/// and then they must have the same form.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub struct InterfaceChannel {
    /// Its name, without an index.
    pub name: String,
    /// Its form, as far as all who use it have to agree: queue or rendezvous, number of elements,
    /// types of fields, numbers of symbols.
    pub form: String,
}

impl ContractFile {
    /// Reads a contract, with a valid system. Names are not resolved here, and nothing is proved.
    ///
    /// # Errors
    /// As [`Certificate::from_json`] and [`read_system`].
    pub fn from_json(text: &str) -> Result<Self, FileError> {
        let file: Self = read(text, CONTRACT_SCHEMA).map_err(|error| with_digits(text, error))?;
        file.system.validate()?;
        Ok(file)
    }

    /// The contract as JSON, with a line break at the end.
    #[must_use]
    pub fn to_json(&self) -> String {
        write(self)
    }
}

/// The error about a number that is too long, if there is one in the text.
fn with_digits(text: &str, error: FileError) -> FileError {
    match longest_number(text) {
        digits if digits > MOST_DIGITS => FileError::LongNumber { digits },
        _ => error,
    }
}

impl Certificate {
    /// Reads a certificate. Names are not resolved here; the kernel does that.
    ///
    /// # Errors
    /// [`FileError::Version`] if it is of another version, [`FileError::Schema`] if it is another
    /// kind of file, [`FileError::Form`] if it is not of the form that
    /// `docs/certificate-format.md` describes: unknown, missing or repeated keys, fields without
    /// keys, numbers that are not decimal integers in strings. [`FileError::LongNumber`] if one has
    /// more than [`MOST_DIGITS`] digits.
    pub fn from_json(text: &str) -> Result<Self, FileError> {
        read(text, SCHEMA).map_err(|error| with_digits(text, error))
    }

    /// The certificate as JSON, places in the order of their names, with a line break at the end.
    #[must_use]
    pub fn to_json(&self) -> String {
        write(self)
    }
}

/// Reads and [validates](System::validate) a system.
///
/// # Errors
/// [`FileError::Schema`] if it is of another version, [`FileError::Form`] if it is not of the form
/// that `docs/certificate-format.md` describes, [`FileError::System`] if it is but makes no sense.
pub fn read_system(text: &str) -> Result<System, FileError> {
    let system: System = read(text, SYSTEM_SCHEMA)?;
    system.validate()?;
    Ok(system)
}

/// A system as JSON, with a line break at the end.
#[must_use]
pub fn write_system(system: &System) -> String {
    write(system)
}

/// The number of digits in the longest row of them.
fn longest_number(text: &str) -> usize {
    text.split(|one: char| !one.is_ascii_digit()).map(str::len).max().unwrap_or_default()
}

/// The one field that every version has.
#[derive(Deserialize)]
#[serde(expecting = "a JSON object with the key `schema`")]
struct Header {
    schema: Option<String>,
}

fn read<T: DeserializeOwned>(text: &str, expected: &'static str) -> Result<T, FileError> {
    let form = |error| FileError::Form { expected, error };
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    // First the schema: what a file of another version has too much or too little is not its fault.
    let header: Header = serde_json::from_str(text).map_err(form)?;
    match header.schema {
        Some(found) if found != expected => {
            let kind = |schema: &str| schema.split('/').next().map(str::to_owned);
            let same_kind = expected == SCHEMA && kind(&found) == kind(expected);
            Err(if same_kind {
                FileError::Version { found, expected }
            } else {
                FileError::Schema { found, expected }
            })
        }
        _ => {
            let file = serde_json::from_str(text).map_err(form)?;
            misplaced(text).map_or(Ok(file), |found| Err(form(unnamed(text, found))))
        }
    }
}

/// The error that something is not written as other readers of the format ask for.
fn unnamed(text: &str, Misplaced { at, what }: Misplaced) -> serde_json::Error {
    let before = &text[..at];
    let line = 1 + before.matches('\n').count();
    let column = 1 + before.len() - before.rfind('\n').map_or(0, |end| end + 1);
    serde::de::Error::custom(format!("{what} at line {line} column {column}"))
}

fn write(file: &impl Serialize) -> String {
    let mut text = serde_json::to_string_pretty(file).expect("all keys are strings");
    text.push('\n');
    text
}
