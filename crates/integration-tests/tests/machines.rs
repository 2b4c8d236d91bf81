//! Machines that other people wrote: all are read, and decided with evidence.
#![allow(clippy::unwrap_used)] // clippy.toml allows it in tests, and helpers of tests are no less

use cfsm_core::formats::{Format, read, write};
use freeboard::certify::{Certificate, check};
use freeboard::{Options, check_machines};
use integration_tests::machines::{MachineFile, collection, machine_files};

fn files() -> Vec<MachineFile> {
    match collection(None) {
        Some(place) => machine_files(&place),
        None => {
            eprintln!("SKIPPED: there is no collection of machines in ../shared/corpus/cfsm");
            Vec::new()
        }
    }
}

#[test]
fn nearly_all_are_read() {
    let files = files();
    let wrong: Vec<&str> = files
        .iter()
        .filter(|file| read(file.format, &file.name, &file.text).system.is_none())
        .map(|file| file.name.as_str())
        .collect();
    assert!(wrong.len() * 50 <= files.len(), "{wrong:?}");
}

#[test]
fn all_but_one_are_decided_with_evidence() {
    let mut open = Vec::new();
    for file in files() {
        let Ok(analysis) = check_machines(&file.name, &file.text, file.format, &Options::default()) else {
            continue;
        };
        let verdict = &analysis.outcome.verdict;
        if let Some(certificate) = verdict.certificate() {
            // As somebody else would do it, from the two files.
            let text = certificate.to_json();
            let system = write(Format::Json, &analysis.system).unwrap();
            let system = read(Format::Json, "system.json", &system).system.unwrap();
            assert!(check(&system, Certificate::from_json(&text).unwrap()).is_ok(), "{}", file.name);
        }
        let refuted = !analysis.confirmation.witnesses.is_empty();
        assert!(!(refuted && verdict.is_proved()), "{}", file.name);
        if !refuted && !verdict.is_proved() {
            open.push(file.name);
        }
    }
    assert!(open.len() <= 1, "{open:?}");
}

#[test]
fn a_game_needs_the_order_of_messages() {
    let text = include_str!("../../../examples/machines/odd_or_even.fsa");
    let analysis = check_machines("game.fsa", text, Format::Fsa, &Options::default()).unwrap();
    assert!(analysis.outcome.verdict.is_proved());
    let certificate = analysis.outcome.verdict.certificate().unwrap();
    assert!(certificate.claims.iter().any(|claim| claim.bounded().is_none()));
    let bounds: Vec<String> =
        certificate.bounds().map(|(buffer, bound)| format!("{buffer} {bound}")).collect();
    let expected =
        ["Ann->Bob 2", "Ann->Referee 1", "Bob->Ann 2", "Bob->Referee 1", "Referee->Ann 1", "Referee->Bob 1"];
    assert_eq!(bounds, expected);
    let plain = Options { runs: freeboard::RunLimits::NONE, ..Options::default() };
    assert!(!check_machines("game.fsa", text, Format::Fsa, &plain).unwrap().outcome.verdict.is_proved());
}

/// A ring in which each machine sends twice as many tokens as it receives. A round that makes
/// buffers grow has 240 steps, which a search without the counts of the counterexample does not
/// find.
#[test]
fn a_large_ring_that_grows_is_refuted_by_a_run() {
    const MACHINES: usize = 80;
    let mut text = String::new();
    for machine in 0..MACHINES {
        let (before, next) = ((machine + MACHINES - 1) % MACHINES, (machine + 1) % MACHINES);
        let (start, first) =
            if machine == 0 { ("s", format!("s {next} ! tok a\n")) } else { ("a", String::new()) };
        text += &format!(
            ".outputs M{machine}\n.state graph\n{first}a {before} ? tok b\nb {next} ! tok c\nc {next} ! tok a\n.marking {start}\n.end\n\n"
        );
    }
    let analysis = check_machines("ring.fsa", &text, Format::Fsa, &Options::default()).unwrap();
    let [witness] = &analysis.confirmation.witnesses[..] else { panic!("{:?}", analysis.confirmation) };
    assert_eq!(witness.growth().len(), MACHINES);
    assert_eq!(analysis.confirmation.unbounded.len(), MACHINES);
}
