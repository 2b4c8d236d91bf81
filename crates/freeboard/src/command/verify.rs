//! `freeboard verify`: the independent checker alone.

use std::path::{Path, PathBuf};

use clap::Args;
use freeboard::certify::{Certificate, Fairness, FileError, check, read_system};
use freeboard::report::text::Style;
use freeboard::report::view::Number;
use freeboard::report::visible;
use serde::Serialize;

use super::arguments::Format;
use super::error::Error;
use super::input::{self, Text};
use super::{Status, output};

/// What helps where the file is of another kind.
const SYSTEM_HELP: &str =
    "--system takes the abstract system, as `freeboard check --system PATH MODEL` writes it";
const CERTIFICATE_HELP: &str = "a certificate is what `freeboard check --certificate PATH MODEL` writes";

#[derive(Debug, Args)]
pub struct Arguments {
    /// The system that the certificate speaks of, as `check --system` writes it
    #[arg(long, value_name = "PATH")]
    system: PathBuf,
    /// The certificate, as `check --certificate` writes it
    certificate: PathBuf,
    /// How to print the result
    #[arg(long, default_value = "human")]
    format: Format,
}

/// The result in plain data.
#[derive(Serialize)]
#[serde(rename_all = "kebab-case")]
struct Verification {
    schema: &'static str,
    verdict: Verdict,
    /// What is proved, by buffer.
    bounds: Vec<Bound>,
    /// Whether a claim says that every buffer is bounded, with no number.
    all_bounded: bool,
    /// Whether freedom from livelocks is proved.
    livelock_free: bool,
    /// The same for runs that are weakly fair.
    livelock_free_if_fair: bool,
    /// The first broken line, if there is one.
    reason: Option<String>,
}

#[derive(Serialize)]
#[serde(rename_all = "kebab-case")]
enum Verdict {
    Accepted,
    Rejected,
}

#[derive(Serialize)]
#[serde(rename_all = "kebab-case")]
struct Bound {
    name: String,
    bound: Number,
}

pub fn run(arguments: &Arguments) -> Result<Status, Error> {
    if input::is_standard(&arguments.system) && input::is_standard(&arguments.certificate) {
        return Err(Error::Usage("only one of the two files can be standard input"));
    }
    let system = parsed(&arguments.system, read_system, SYSTEM_HELP)?;
    let certificate = parsed(&arguments.certificate, Certificate::from_json, CERTIFICATE_HELP)?;
    let name = certificate.system.clone();
    let checked = check(&system, certificate);
    if checked.is_ok() && name != system.name {
        output::note(&format!(
            "the certificate was made for `{name}`; what it claims is checked for `{}`",
            system.name
        ));
    }
    let bounds = checked.iter().flat_map(|checked| checked.bounds());
    let view = Verification {
        schema: "freeboard.verify/1",
        verdict: if checked.is_ok() { Verdict::Accepted } else { Verdict::Rejected },
        bounds: bounds
            .map(|(name, bound)| Bound {
                name: name.into(),
                bound: bound.to_string().parse().expect("decimal digits are a number"),
            })
            .collect(),
        all_bounded: checked.as_ref().is_ok_and(certify::Checked::is_all_bounded),
        livelock_free: checked.as_ref().is_ok_and(certify::Checked::is_livelock_free),
        livelock_free_if_fair: checked
            .as_ref()
            .is_ok_and(|found| found.is_livelock_free_under(Fairness::Weak)),
        reason: checked.as_ref().err().map(ToString::to_string),
    };
    output::view(&view, arguments.format, human)?;
    Ok(if checked.is_ok() { Status::Success } else { Status::Refuted })
}

fn parsed<T>(
    path: &Path,
    read: impl FnOnce(&str) -> Result<T, FileError>,
    help: &'static str,
) -> Result<T, Error> {
    let Text { name, text } = input::read(path)?;
    read(&text).map_err(|error| {
        // A file of the right kind that contradicts itself needs another cure.
        let is_other = matches!(error, FileError::Form { .. } | FileError::Schema { .. });
        Error::File { name, error, help: is_other.then_some(help) }
    })
}

fn human(view: &Verification, _: Style) -> String {
    format!("{}\n", visible::text(&told(view)))
}

fn told(view: &Verification) -> String {
    if let Some(reason) = &view.reason {
        return format!("rejected: {reason}");
    }
    let bounds = view.bounds.iter().map(|bound| format!("{} ≤ {}", bound.name, bound.bound));
    let livelock_free = match view {
        Verification { livelock_free: true, .. } => Some("every infinite run makes progress".to_owned()),
        Verification { livelock_free_if_fair: true, .. } => {
            Some("every infinite run makes progress that is weakly fair".to_owned())
        }
        _ => None,
    };
    let all_bounded = view.all_bounded.then(|| "every buffer is bounded".to_owned());
    let claims: Vec<String> = bounds.chain(all_bounded).chain(livelock_free).collect();
    match claims.as_slice() {
        [] => "accepted: it claims nothing".into(),
        claims => format!("accepted: {}", claims.join(", ")),
    }
}
