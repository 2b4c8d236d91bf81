//! Exported never claims: Spin finds the run of each witness that is possible with the declared
//! capacities, and replays it statement by statement.

use std::fs;
use std::path::Path;

use freeboard::report::export::claim;
use freeboard::report::view::{Verdict, Witness, WitnessStep};
use freeboard::{Options, RunLimits, check_promela};
use integration_tests::spin::{Followed, follow, is_here};

/// How far runs are searched: far enough for all witnesses of the models.
const RUNS: RunLimits = RunLimits { search_states: 50_000, exploration_states: 100_000 };

/// The statements of a witness that Spin shows: not the ends of processes.
fn statements(witness: &Witness) -> Vec<Followed> {
    let steps = witness.prefix.iter().chain(&witness.pump).flat_map(WitnessStep::statements);
    steps.filter(|step| !step.ended).map(|step| Followed { process: step.pid, line: step.line }).collect()
}

#[test]
fn spin_follows_the_claims_of_witnesses() {
    if !is_here("spin_follows_the_claims_of_witnesses") {
        return;
    }
    let directory = Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/../../examples/models"));
    let mut paths: Vec<_> = fs::read_dir(directory).unwrap().map(|entry| entry.unwrap().path()).collect();
    paths.sort();
    let (mut followed, mut without_room) = (0, 0);
    for path in paths.iter().filter(|path| path.extension().is_some_and(|ending| ending == "pml")) {
        let text = fs::read_to_string(path).unwrap();
        let name = path.file_name().unwrap().to_str().unwrap();
        let analysis = check_promela(name, &text, &Options { runs: RUNS, ..Options::default() }).unwrap();
        let view = analysis.view(name);
        let refuted = view.property_results.iter().filter(|result| result.verdict == Verdict::Refuted);
        for witness in refuted.flat_map(|result| &result.witnesses) {
            let Ok(claim) = claim(witness) else {
                without_room += 1;
                continue;
            };
            let found =
                follow(&format!("{text}\n{claim}")).unwrap_or_else(|why| panic!("{name}: {why}\n{claim}"));
            assert_eq!(found, statements(witness), "{name}\n{claim}");
            followed += 1;
        }
    }
    println!("{followed} runs followed, {without_room} need more room than declared");
    assert!(followed >= 5, "only {followed} runs");
}
