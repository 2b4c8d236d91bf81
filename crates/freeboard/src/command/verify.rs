//! `freeboard verify`: the independent checker alone.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use clap::Args;
use freeboard::boundedness::Component;
use freeboard::certify::{
    Certificate, Checked, Claim, ContractFile, Fairness, FileError, Proof, Rejection, Trusted, check,
    read_system,
};
use freeboard::cfsm_core::digest::SourceDigest;
use freeboard::cfsm_core::system::{BufferKind, Order, System};
use freeboard::report::text::Style;
use freeboard::report::view::{ClauseListing, Number};
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

/// Said where there is no system.
const NO_SYSTEM: &str = "--system is missing: a certificate speaks of a system, and only a contract, as \
                         `freeboard contract --output PATH MODEL` writes it, has its own";

/// Said of certificates of older versions.
const NO_DIGEST: &str = "the certificate has no SHA-256 of its system, as those of older versions have none: \
                         that it was made for this one rests on the name";

/// The assumption of every claim on bounds.
const UNBOUNDED: &str = "each buffer is asked about as unbounded, beside others that are unbounded or limited as declared, in any combination";

/// The assumption of claims that rest on the order of messages, in a system whose meaning it is.
const FIFO: &str = "queues deliver first in, first out, as the system says, and lose nothing";

#[derive(Debug, Args)]
pub struct Arguments {
    /// The system that the certificate speaks of, as `check --system` writes it; a contract has its
    /// own
    #[arg(long, value_name = "PATH")]
    system: Option<PathBuf>,
    /// The certificate, as `check --certificate` writes it, or a contract, as `contract --output`
    /// does
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
    /// The bounds that hold for every value of a parameter.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    contracts: Vec<ContractBound>,
    /// Proved inequalities between linear forms and numbers.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    invariants: Vec<String>,
    /// The clauses of a contract.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    clauses: Vec<String>,
    /// Whether a claim says that every buffer is bounded, with no number.
    all_bounded: bool,
    /// Whether freedom from livelocks is proved.
    livelock_free: bool,
    /// The same for runs that are weakly fair.
    livelock_free_if_fair: bool,
    /// The buffers that no claim is about.
    unclaimed: Vec<String>,
    /// The name of the system.
    system: String,
    /// Its digest.
    system_sha256: String,
    /// The texts that it was made from, as it says.
    source: Vec<SourceDigest>,
    /// The reading of the system under which the claims hold: sentences without a full stop.
    assumptions: Vec<String>,
    /// The parts that the claims, or the verdict of which these are a part, rest on and that are
    /// not checked here.
    trust: Vec<Trusted>,
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

/// A bound that is linear in a parameter.
#[derive(Serialize)]
#[serde(rename_all = "kebab-case")]
struct ContractBound {
    name: String,
    /// The bound, with `k` for the parameter.
    bound: String,
    /// The quantity that begins with the value k and is never below 0.
    parameter: String,
}

pub fn run(arguments: &Arguments) -> Result<Status, Error> {
    let Some(of_system) = &arguments.system else { return contract(arguments) };
    if input::is_standard(of_system) && input::is_standard(&arguments.certificate) {
        return Err(Error::Usage("only one of the two files can be standard input"));
    }
    let system = parsed(of_system, read_system, SYSTEM_HELP)?;
    let certificate = parsed(&arguments.certificate, Certificate::from_json, CERTIFICATE_HELP)?;
    let (name, has_digest) = (certificate.system.clone(), certificate.system_sha256.is_some());
    let checked = check(&system, certificate);
    if checked.is_ok() && name != system.name {
        output::note(&format!(
            "the certificate was made for `{name}`; what it claims is checked for `{}`",
            system.name
        ));
    }
    if checked.is_ok() && !has_digest {
        output::note(NO_DIGEST);
    }
    let view = view(&system, &checked);
    output::view(&view, arguments.format, human)?;
    Ok(if checked.is_ok() { Status::Success } else { Status::Refuted })
}

/// Checks a contract, which has the system that it speaks of.
fn contract(arguments: &Arguments) -> Result<Status, Error> {
    let Text { name, text } = input::read(&arguments.certificate)?;
    let file = ContractFile::from_json(&text).map_err(|error| match error {
        FileError::Form { .. } | FileError::Schema { .. } => Error::Usage(NO_SYSTEM),
        error => Error::File { name, error, help: None },
    })?;
    let system = file.system.clone();
    let component = Component::from_file(file.clone());
    let mut view = view(&system, &check(&system, file.certificate));
    match component {
        Ok(component) => {
            view.contracts.clear();
            view.clauses = ClauseListing::of(&component, &system.name).clauses;
        }
        Err(error) => {
            view.verdict = Verdict::Rejected;
            view.reason = Some(error.to_string());
        }
    }
    output::view(&view, arguments.format, human)?;
    Ok(if view.reason.is_none() { Status::Success } else { Status::Refuted })
}

/// The result in plain data. Time linear in system and certificate, but for `O(n log n)` in names.
fn view(system: &System, checked: &Result<Checked<Certificate>, Rejection>) -> Verification {
    let bounds = checked.iter().flat_map(|checked| checked.bounds());
    let accepted = checked.as_ref().ok();
    Verification {
        schema: "freeboard.verify/1",
        verdict: if checked.is_ok() { Verdict::Accepted } else { Verdict::Rejected },
        bounds: bounds
            .map(|(name, bound)| Bound {
                name: name.into(),
                bound: bound.to_string().parse().expect("decimal digits are a number"),
            })
            .collect(),
        contracts: accepted.map(contracts).unwrap_or_default(),
        invariants: accepted.map(invariants).unwrap_or_default(),
        clauses: Vec::new(),
        all_bounded: checked.as_ref().is_ok_and(Checked::is_all_bounded),
        livelock_free: checked.as_ref().is_ok_and(Checked::is_livelock_free),
        livelock_free_if_fair: checked
            .as_ref()
            .is_ok_and(|found| found.is_livelock_free_under(Fairness::Weak)),
        unclaimed: accepted.map(|found| unclaimed(system, found)).unwrap_or_default(),
        system: system.name.clone(),
        system_sha256: system.digest(),
        source: system.source.clone(),
        assumptions: accepted.map(|found| assumptions(system, found)).unwrap_or_default(),
        trust: accepted.map(|found| found.all_trusted(system)).unwrap_or_default(),
        reason: checked.as_ref().err().map(ToString::to_string),
    }
}

/// The bounds that hold for every value of a parameter.
fn contracts(checked: &Checked<Certificate>) -> Vec<ContractBound> {
    let claims = checked.claims.iter().filter_map(|claim| match claim {
        Claim::Contract(claim) => Some(claim),
        _ => None,
    });
    let bounds = claims.flat_map(|claim| {
        claim.claim.buffers.iter().map(|name| ContractBound {
            name: name.clone(),
            bound: claim.bound(),
            parameter: claim.parameter.clone(),
        })
    });
    bounds.collect()
}

/// The inequalities that hold in every state.
fn invariants(checked: &Checked<Certificate>) -> Vec<String> {
    let claims = checked.claims.iter().filter_map(|claim| match claim {
        Claim::Linear(claim) => Some(format!("{} ≤ {}", claim.form, claim.bound)),
        _ => None,
    });
    claims.collect()
}

/// The queues that no claim is about.
fn unclaimed(system: &System, checked: &Checked<Certificate>) -> Vec<String> {
    if checked.is_all_bounded() {
        return Vec::new();
    }
    let contracts = contracts(checked);
    let claimed = checked.bounds().map(|(name, _)| name);
    let claimed: BTreeSet<&str> = claimed.chain(contracts.iter().map(|bound| bound.name.as_str())).collect();
    let queues = system.buffers.values().filter(|buffer| buffer.kind == BufferKind::Queue);
    queues.map(|buffer| buffer.name.clone()).filter(|name| !claimed.contains(name.as_str())).collect()
}

/// The reading of the system under which the claims hold.
fn assumptions(system: &System, checked: &Checked<Certificate>) -> Vec<String> {
    let queues = || system.buffers.iter().filter(|(_, buffer)| buffer.kind == BufferKind::Queue);
    let limits = queues().filter_map(|(id, buffer)| Some((&buffer.name, system.limit_of(id)?)));
    let mut assumptions: Vec<String> =
        limits.map(|(name, limit)| format!("`{name}` holds at most {limit}, as asked")).collect();
    if assumptions.is_empty() || queues().any(|(id, _)| system.limit_of(id).is_none()) {
        assumptions.push(UNBOUNDED.into());
    }
    // What a contract is about is no assumption of it, as it holds for every value.
    let is_parameter = |name: &str| {
        checked.claims.iter().all(|claim| matches!(claim, Claim::Contract(claim) if claim.parameter == name))
    };
    let assumed = system.data.values().filter(|place| place.is_assumed && !is_parameter(&place.name));
    assumptions.extend(assumed.map(|place| {
        format!(
            "`{}` begins with {} and never falls below 0, which is up to the environment",
            place.name, place.initial
        )
    }));
    if system.order == Some(Order::Fifo) && checked.claims.iter().any(uses_order) {
        assumptions.push(FIFO.into());
    }
    assumptions
}

/// Whether the proof of a claim rests on the order in which queues deliver.
fn uses_order(claim: &Claim) -> bool {
    let delivers = |proof: &Proof| proof.any(&|part| matches!(part, Proof::Delivery(_)));
    match claim {
        Claim::Configurations(_) => true,
        Claim::AllBounded(claim) => delivers(&claim.proof),
        Claim::LivelockFree(claim) => delivers(&claim.proof),
        _ => false,
    }
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
    let mut out = vec![told(view)];
    if view.reason.is_none() {
        out.extend(list("No claim about", view.unclaimed.iter().map(|name| format!("`{name}`"))));
        out.extend(list("Assumptions", view.assumptions.iter().cloned()));
        let trust = view.trust.iter().map(|part| match part.about.as_slice() {
            [] => format!("{}: {}", part.part, part.why),
            about => format!("{}, of {}: {}", part.part, about.join(", "), part.why),
        });
        out.extend(list("Trusted, not checked here", trust));
        let texts = view.source.iter().map(|text| format!("{} (SHA-256 {})", text.file, text.sha256));
        out.extend(list("Made from, as the system says", texts));
    }
    out.iter().map(|line| visible::text(line) + "\n").collect()
}

/// A title and indented lines; nothing if there are no items.
fn list(title: &str, items: impl Iterator<Item = String>) -> Vec<String> {
    let mut lines: Vec<String> = items.map(|item| format!("  - {item}")).collect();
    if !lines.is_empty() {
        lines.insert(0, format!("{title}:"));
    }
    lines
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
    let contracts = view.contracts.iter().map(|bound| {
        format!("{} ≤ {} for every k that `{}` begins with", bound.name, bound.bound, bound.parameter)
    });
    let clauses = view.invariants.iter().chain(&view.clauses).cloned();
    let claims: Vec<String> =
        bounds.chain(contracts).chain(clauses).chain(all_bounded).chain(livelock_free).collect();
    match claims.as_slice() {
        [] => "accepted: it claims nothing".into(),
        claims => format!("accepted: {}", claims.join(", ")),
    }
}
