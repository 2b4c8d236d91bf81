//! Certificates: written, accepted, forged and rejected.

use std::fs;
use std::path::Path;

use tempfile::TempDir;

use crate::harness::{Run, freeboard, freeboard_reads};

fn written(model: &str) -> (TempDir, Run) {
    let directory = tempfile::tempdir().unwrap();
    let path = |name: &str| directory.path().join(name).to_str().unwrap().to_owned();
    let (certificate, system, witness) = (path("certificate"), path("system"), path("witness"));
    let run = freeboard(&[
        "check",
        "--certificate",
        &certificate,
        "--system",
        &system,
        "--witness",
        &witness,
        model,
    ]);
    (directory, run)
}

fn verify(directory: &Path, certificate: &str, format: &str) -> Run {
    let path = |name: &str| directory.join(name).to_str().unwrap().to_owned();
    freeboard(&["verify", "--format", format, "--system", &path("system"), &path(certificate)])
}

#[test]
fn what_check_writes_verify_accepts() {
    let (directory, run) = written("two_processes.pml");
    assert_eq!(run.status, 0);
    assert_eq!(run.stderr, "note: nothing is refuted: no witness is written\n");
    assert!(!directory.path().join("witness").exists());
    let run = verify(directory.path(), "certificate", "human");
    assert_eq!((run.status, run.first_line()), (0, "accepted: AB ≤ 13, BA ≤ 4"));

    let view = verify(directory.path(), "certificate", "json").json();
    assert_eq!((&view["schema"], &view["verdict"]), (&"freeboard.verify/1".into(), &"accepted".into()));
    assert_eq!((&view["bounds"][0]["name"], &view["bounds"][0]["bound"]), (&"AB".into(), &13.into()));
}

#[test]
fn a_certificate_can_come_from_standard_input() {
    let (directory, _) = written("two_processes.pml");
    let system = directory.path().join("system");
    let certificate = fs::read(directory.path().join("certificate")).unwrap();
    let arguments = ["verify", "--system", system.to_str().unwrap(), "-"];
    assert_eq!(freeboard_reads(&arguments, &certificate).status, 0);
    assert_eq!(freeboard(&["verify", "--system", "-", "-"]).status, 4);
}

#[test]
fn forged_bounds_are_rejected() {
    let (directory, _) = written("two_processes.pml");
    let certificate = fs::read_to_string(directory.path().join("certificate")).unwrap();
    let forged = certificate.replace("\"bound\": \"13\"", "\"bound\": \"12\"");
    assert_ne!(forged, certificate);
    fs::write(directory.path().join("forged"), forged).unwrap();
    let run = verify(directory.path(), "forged", "human");
    assert_eq!(run.status, 1);
    assert!(run.stdout.starts_with("rejected: claim 1, on AB: the initial potential is"), "{run:?}");
    assert_eq!(run.stdout.lines().count(), 1);

    let view = verify(directory.path(), "forged", "json").json();
    assert_eq!(view["verdict"], "rejected");
    assert_eq!(view["bounds"].as_array().unwrap().len(), 0);
    assert!(view["reason"].as_str().unwrap().starts_with("claim 1"));
}

#[test]
fn files_of_another_kind_are_3() {
    let (directory, _) = written("two_processes.pml");
    for (name, text) in [("text", "hello"), ("other", "{ \"schema\": \"freeboard.certificate/9\" }")] {
        fs::write(directory.path().join(name), text).unwrap();
        let run = verify(directory.path(), name, "human");
        assert_eq!((run.status, run.stdout.as_str()), (3, ""), "{run:?}");
    }
    assert_eq!(verify(directory.path(), "system", "human").status, 3);
    assert_eq!(verify(directory.path(), "missing", "human").status, 4);
}

/// The name is that of the file as it was typed; where it stands makes no difference.
#[test]
fn a_certificate_holds_for_the_same_model_by_another_path() {
    let directory = tempfile::tempdir().unwrap();
    let path = |name: &str| directory.path().join(name).to_str().unwrap().to_owned();
    let check = |model, option, file| freeboard(&["check", model, option, &path(file)]);
    assert_eq!(check("two_processes.pml", "--certificate", "certificate").status, 0);
    assert_eq!(check("./two_processes.pml", "--system", "system").status, 0);
    let run = verify(directory.path(), "certificate", "human");
    assert_eq!((run.status, run.first_line()), (0, "accepted: AB ≤ 13, BA ≤ 4"));
    let note = "note: the certificate was made for `two_processes.pml`; what it claims is checked for `./two_processes.pml`\n";
    assert_eq!(run.stderr, note);

    // Of another name it is another one, whatever is in it.
    let certificate = fs::read_to_string(path("certificate")).unwrap();
    let renamed =
        certificate.replace("\"system\": \"two_processes.pml\"", "\"system\": \"three_processes.pml\"");
    assert_ne!(renamed, certificate);
    fs::write(path("renamed"), renamed).unwrap();
    let run = verify(directory.path(), "renamed", "human");
    assert_eq!(run.status, 1);
    assert!(run.stdout.contains("is for the system `three_processes.pml`"), "{run:?}");

    assert_eq!(check("turned_last.pml", "--system", "system").status, 0);
    assert_eq!(verify(directory.path(), "certificate", "human").status, 1);
}

#[test]
fn what_is_no_system_or_certificate_is_told_with_what_would_be_one() {
    let (directory, _) = written("two_processes.pml");
    let certificate = directory.path().join("certificate");
    let certificate = certificate.to_str().unwrap();
    let run = freeboard(&["verify", "--system", "two_processes.pml", certificate]);
    assert_eq!(run.status, 3);
    assert!(
        run.stderr.contains("\nhelp: --system takes the abstract system, as `freeboard check --system PATH"),
        "{run:?}"
    );
    fs::write(directory.path().join("null"), "null").unwrap();
    let run = verify(directory.path(), "null", "human");
    assert!(
        run.stderr.contains("expected a JSON object") && run.stderr.contains("check --certificate PATH"),
        "{run:?}"
    );
    let long =
        fs::read_to_string(certificate).unwrap().replace("\"13\"", &format!("\"{}\"", "9".repeat(100_001)));
    fs::write(directory.path().join("long"), long).unwrap();
    let run = verify(directory.path(), "long", "human");
    assert!(
        run.status == 3 && run.stderr.ends_with(": a number has 100001 digits, more than 100000\n"),
        "{run:?}"
    );
}

#[test]
fn an_unbounded_model_has_a_certificate_for_its_bounded_buffers() {
    let (directory, run) = written("alternating_bit.pml");
    assert_eq!(run.status, 1);
    let run = verify(directory.path(), "certificate", "human");
    assert_eq!((run.status, run.first_line()), (0, "accepted: ready ≤ 1"));
}

#[test]
fn a_certificate_that_claims_nothing_says_so() {
    let directory = tempfile::tempdir().unwrap();
    let path = |name: &str| directory.path().join(name).to_str().unwrap().to_owned();
    let text = b"chan c = [1] of { bit }; active proctype P() { do :: c!1 od }";
    let run = freeboard_reads(
        &["check", "--certificate", &path("certificate"), "--system", &path("system"), "-"],
        text,
    );
    assert_eq!(run.status, 1);
    let run = verify(directory.path(), "certificate", "human");
    assert_eq!((run.status, run.first_line()), (0, "accepted: it claims nothing"));
}

#[test]
fn without_any_proof_there_is_no_certificate() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("certificate");
    let limit = ["--time-limit", "0s", "two_processes.pml"];
    let run = freeboard(&[&["check", "--certificate", path.to_str().unwrap()][..], &limit].concat());
    assert_eq!(run.status, 2);
    assert!(run.stderr.contains("no certificate is written") && !path.exists(), "{run:?}");
}

#[test]
fn a_written_system_can_be_checked_like_a_model() {
    let (directory, _) = written("turned_first.pml");
    let system = directory.path().join("system");
    let run = freeboard(&["check", "--input", "json", system.to_str().unwrap()]);
    assert_eq!(run.status, 1);
    assert!(run.stdout.contains("turned_first.pml:"), "{run:?}");
}
