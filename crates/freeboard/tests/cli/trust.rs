//! Trust: what no checker repeats is told in every format, stands in the certificate, and cannot be
//! taken out of it.

use std::fs;

use serde_json::{Value, json};
use tempfile::TempDir;

use crate::harness::{Run, freeboard, freeboard_reads, make_older};

/// A certificate and its system on disk.
struct Evidence {
    directory: TempDir,
    checked: Run,
}

impl Evidence {
    /// What `check` writes with these arguments and a model on standard input.
    fn new(arguments: &[&str], model: &str) -> Self {
        let directory = tempfile::tempdir().unwrap();
        let path = |name: &str| directory.path().join(name).to_str().unwrap().to_owned();
        let (certificate, system) = (path("certificate"), path("system"));
        let files = ["check", "--certificate", &certificate, "--system", &system, "-"];
        let checked = freeboard_reads(&[&files[..], arguments].concat(), model.as_bytes());
        Self { directory, checked }
    }

    fn path(&self, name: &str) -> String {
        self.directory.path().join(name).to_str().unwrap().to_owned()
    }

    fn verify(&self, format: &str) -> Run {
        let (certificate, system) = (self.path("certificate"), self.path("system"));
        freeboard(&["verify", "--format", format, "--system", &system, &certificate])
    }

    /// Changes one of the files.
    fn edit(&self, name: &str, change: impl FnOnce(&mut Value)) {
        let mut file: Value = serde_json::from_str(&fs::read_to_string(self.path(name)).unwrap()).unwrap();
        let before = file.clone();
        change(&mut file);
        assert_ne!(file, before);
        fs::write(self.path(name), file.to_string()).unwrap();
    }

    fn rejected(&self) -> String {
        let run = self.verify("human");
        assert_eq!(run.status, 1, "{run:?}");
        run.stdout
    }
}

/// The names of parts, in order.
fn parts(list: &Value) -> Vec<&str> {
    list.as_array().unwrap().iter().map(|part| part["part"].as_str().unwrap()).collect()
}

/// At most three dishes are out: a number that goes down with each, and up when one comes back.
const WINDOW: &str = "chan dishes = [4] of { bit };
active proctype Waiter() { byte open; do :: atomic { open < 3 -> dishes!1; open++ } :: atomic { dishes?_ -> open-- } od }
";

/// Each of four dishes is served once: how many are not yet out is counted over an array, of which
/// no certificate has a proof.
const TABLE: &str = "chan dishes = [4] of { byte }; byte dish[4] = 1;
active proctype Waiter() { byte i; do :: dish[i] == 2 -> dishes!i; dish[i] = 0 :: dish[i] == 1 -> dish[i] = 2 :: i = (i + 1) % 4 od }
active proctype Guest() { end: do :: dishes?_ od }
";

/// Every run ends; the queue is filled under a condition that the abstraction does not follow for
/// so long.
const ENDING: &str = "chan c = [4] of { byte };
active proctype P() { byte i; do :: i < 5 -> c!i; i++ :: else -> break od }
active proctype R() { end: do :: c?_ od }
";

fn evidence(model: &str) -> Evidence {
    let found = Evidence::new(&[], model);
    assert_eq!(found.checked.status, 0, "{:?}", found.checked);
    found
}

fn window() -> Evidence {
    evidence(WINDOW)
}

#[test]
fn a_data_place_is_told_by_name_wherever_it_counts() {
    let found = evidence(TABLE);
    let head = "BOUNDED: every buffer is proved bounded (certificate of the abstraction checked; trusted: data-places)";
    assert_eq!(found.checked.first_line(), head);
    assert!(found.checked.stdout.contains("\n  - data-places: what the analysis of values says of `"));
    let view = freeboard_reads(&["check", "--format", "json", "-"], TABLE.as_bytes()).json();
    assert_eq!(parts(&view["trust"]), ["abstraction", "data-places"]);
    assert_eq!(view["trust"], view["property-results"][0]["trust"]);
    insta::assert_snapshot!(found.verify("human").stdout);
    let verified = found.verify("json").json();
    assert_eq!(verified["trust"], view["trust"]);
    assert_eq!(verified["source"][0]["file"], "<stdin>");
    assert_eq!(verified["unclaimed"], json!([]));
}

#[test]
fn a_data_place_cannot_be_taken_out_of_the_list() {
    let found = evidence(TABLE);
    found.edit("certificate", |file| {
        file["trust"].as_array_mut().unwrap().retain(|part| part["part"] != "data-places");
    });
    assert!(found.rejected().contains("the certificate rests on data-places (`"));
    found.edit("certificate", |file| drop(file.as_object_mut().unwrap().remove("trust")));
    assert!(found.rejected().contains("does not say what it trusts"));
}

/// A data place is proved from a list of the ways in which statements change variables.
#[test]
fn a_data_place_that_is_proved_is_not_trusted() {
    let found = window();
    let head = "BOUNDED: every buffer is proved bounded (certificate of the abstraction checked)";
    assert_eq!(found.checked.first_line(), head);
    let view = freeboard_reads(&["check", "--format", "json", "-"], WINDOW.as_bytes()).json();
    assert_eq!(parts(&view["trust"]), ["abstraction", "counters"]);
    assert_eq!(found.verify("json").json()["trust"], view["trust"]);
    insta::assert_snapshot!(found.verify("human").stdout);
    found.edit("certificate", |file| file["values"][0]["places"][0]["denominator"] = json!("2"));
    assert!(found.rejected().contains("rejected: values of `Waiter`: "), "{}", found.rejected());
    found.edit("certificate", |file| drop(file.as_object_mut().unwrap().remove("values")));
    assert!(found.rejected().contains("the certificate rests on data-places (`3 - Waiter.open`)"));
}

#[test]
fn a_certificate_is_for_one_system() {
    let found = window();
    // More dishes at the start: no claim would hold by accident.
    found.edit("system", |file| file["data"][0]["initial"] = json!(2));
    let said = found.rejected();
    assert!(
        said.starts_with("rejected: the certificate was made for another system: for that with the SHA-256 ")
    );
    assert_eq!(said.lines().count(), 1, "{said}");
    let found = window();
    found.edit("system", |file| file["source"][0]["sha256"] = json!("0"));
    assert!(found.rejected().contains("was made for another system"));
    let found = window();
    found.edit("certificate", |file| file["system-sha256"] = json!("0"));
    assert!(found.rejected().contains("was made for another system: for that with the SHA-256 0, "));
}

/// White space and the order of keys are no part of a system.
#[test]
fn a_system_that_is_written_otherwise_is_the_same() {
    let found = window();
    let text = fs::read_to_string(found.path("system")).unwrap();
    let file: Value = serde_json::from_str(&text).unwrap();
    assert_ne!(file.to_string(), text);
    fs::write(found.path("system"), file.to_string()).unwrap();
    assert_eq!(found.verify("human").status, 0);
}

#[test]
fn an_older_certificate_is_accepted_with_a_note_and_its_data_places_are_told() {
    let found = evidence(TABLE);
    make_older(&found.path("certificate"));
    let run = found.verify("human");
    assert_eq!(run.status, 0, "{run:?}");
    assert!(run.stderr.starts_with("note: the certificate has no SHA-256 of its system"), "{run:?}");
    assert!(run.stdout.contains("  - data-places, of "), "{run:?}");
    // So is an older system, which does not say from what it was made.
    found.edit("system", |file| drop(file.as_object_mut().unwrap().remove("source")));
    let run = found.verify("human");
    assert!(run.status == 0 && !run.stdout.contains("Made from"), "{run:?}");
}

/// The digest is that of the text: `sha256sum` prints the same.
#[test]
fn a_system_has_the_digest_of_its_text() {
    let found = Evidence::new(&[], "init { skip }\n");
    let system: Value = serde_json::from_str(&fs::read_to_string(found.path("system")).unwrap()).unwrap();
    let digest = "126ba2ed89bdb2efb5534e71026fea18342a4b1c70dbdcca60d71e77a4777d56";
    assert_eq!(system["source"], json!([{ "file": "<stdin>", "sha256": digest }]));
}

#[test]
fn what_a_search_has_shown_is_in_the_certificate_by_name() {
    for (strategy, without, seen) in [
        ("termination", &[][..], "every run comes to an end"),
        ("exhaustion", &["--without", "termination"], "all states were looked at"),
    ] {
        let all = [&["--without", "tracking", "--without", "data-places", "--without", "ranking"], without]
            .concat();
        let found = Evidence::new(&all, ENDING);
        let head = format!("BOUNDED: every buffer is proved bounded ({seen}; not certified)");
        assert_eq!(found.checked.first_line(), head, "{:?}", found.checked);
        assert!(found.checked.stdout.contains(&format!("Not certified:\n  - {strategy}: ")));
        let run = found.verify("human");
        let expected = "accepted: it claims nothing\nNo claim about:\n  - `c`\n";
        assert!(run.status == 0 && run.stdout.starts_with(expected), "{run:?}");
        assert!(run.stdout.contains(&format!("  - {strategy}, of c: ")), "{run:?}");
        // Without that line nothing else is said than before: that nothing is claimed.
        found.edit("certificate", |file| file["trust"] = json!([]));
        let run = found.verify("human");
        assert!(run.status == 0 && run.stdout.starts_with(expected), "{run:?}");
        assert!(!run.stdout.contains(strategy), "{run:?}");
    }
}

#[test]
fn some_buffers_may_be_certified_and_others_not() {
    let text = format!("{ENDING}chan d = [1] of {{ bit }}; active proctype Q() {{ d!1; d?_ }}\n");
    let found =
        Evidence::new(&["--without", "tracking", "--without", "data-places", "--without", "ranking"], &text);
    let head =
        "BOUNDED: every buffer is proved bounded (every run comes to an end; 1 of 2 buffers not certified)";
    assert_eq!(found.checked.first_line(), head);
    let view = found.verify("json").json();
    assert_eq!(view["unclaimed"], json!(["c"]));
    assert_eq!(parts(&view["trust"]), ["abstraction", "termination"]);
    assert_eq!(view["trust"][1]["about"], json!(["c"]));
}

/// Of machines there is no abstraction, and their order is what they mean.
#[test]
fn a_verdict_on_machines_is_checked_entirely() {
    let game = concat!(env!("CARGO_MANIFEST_DIR"), "/../../examples/machines/odd_or_even.fsa");
    let run = freeboard(&["check", game]);
    assert_eq!(run.first_line(), "BOUNDED: every buffer is proved bounded (certificate checked)");
    assert_eq!(freeboard(&["check", "--format", "json", game]).json()["trust"], json!([]));
}

#[test]
fn a_refuted_model_says_what_its_other_bounds_rest_on() {
    let view = freeboard(&["check", "--format", "json", "alternating_bit.pml"]).json();
    assert_eq!(view["property-results"][0]["verdict"], "refuted");
    assert_eq!(parts(&view["trust"]), ["abstraction"]);
}
