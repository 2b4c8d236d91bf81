//! Proofs of livelock freedom against Spin's search for cycles without progress.
//!
//! Spin takes a process that rests at a progress label for progress, so it sees fewer livelocks than there are; but
//! each of those it sees is one. So what is proved free of livelocks must have no cycle without progress there.
#![allow(clippy::unwrap_used)] // clippy.toml allows it in tests, and helpers of tests are no less

use freeboard::{Options, RunLimits, check_livelock, read_promela};
use integration_tests::generator::{Feature, Generated, Profile, sample};
use integration_tests::room::with_capacities;
use integration_tests::spin::{Answer, Way, attempt, is_here, verify_by};

/// Programs that are proved and compared, by default; `FREEBOARD_LIVELOCK_CASES=1000` for a long run.
const CASES: usize = 12;
/// Of how many programs Spin is asked about the text without labels too.
const ASKED_WITHOUT: usize = 60;
/// By how many messages capacities are raised for Spin.
const MORE_ROOM: u32 = 2;

fn wanted() -> usize {
    std::env::var("FREEBOARD_LIVELOCK_CASES").ok().and_then(|cases| cases.parse().ok()).unwrap_or(CASES)
}

/// Whether a text is proved free of livelocks; `None` if it is not read.
fn is_proved(text: &str) -> Option<bool> {
    let options = Options { runs: RunLimits::NONE, ..Options::default() };
    let model = read_promela("model.pml", text, &options).ok()?;
    let found = check_livelock(&model.program, &model.abstraction, &options);
    Some(found.outcome.verdict.is_proved())
}

/// The text without its progress labels.
fn unlabelled(text: &str) -> String {
    text.replace("progress", "plain")
}

/// The model with more room in its channels than it declares.
fn with_room(text: &str) -> String {
    with_capacities(text, |declared| Some(declared? + MORE_ROOM))
}

/// Programs with labels, small enough for Spin to look at all states.
fn profile() -> Profile {
    Profile::small().without(&[Feature::RunForEver])
}

fn labelled(seed: u64) -> Option<Generated> {
    let program = sample(&profile(), seed);
    program.features.contains_key(&Feature::ProgressLabel).then_some(program)
}

#[test]
fn what_is_proved_has_no_cycle_without_progress_in_random_programs() {
    if !is_here("what_is_proved_has_no_cycle_without_progress_in_random_programs") {
        return;
    }
    let (mut labelled_programs, mut proved, mut raised) = (0, 0, 0);
    let (mut compared, mut because_of_labels, mut incomplete) = (0, 0, 0);
    for program in (0..).filter_map(labelled) {
        if compared >= wanted() {
            break;
        }
        labelled_programs += 1;
        // What ends anyway is proved with no labels at all, and of little interest.
        if is_proved(&program.text) != Some(true) || is_proved(&unlabelled(&program.text)) == Some(true) {
            continue;
        }
        proved += 1;
        // A proof is about buffers without limits; what blocks at the declared capacity may go on with more.
        let roomy = with_room(&program.text);
        raised += usize::from(roomy != program.text);
        let Ok(answer) = attempt(Way::WithoutProgress, &roomy) else { continue };
        assert!(
            !sees_a_cycle(&answer),
            "after {compared} programs Spin sees a livelock: {}\n{}",
            answer.output,
            roomy
        );
        compared += 1;
        incomplete += usize::from(!answer.exhaustive && answer.errors == 0);
        if compared <= ASKED_WITHOUT {
            let without = attempt(Way::WithoutProgress, &unlabelled(&roomy));
            because_of_labels += usize::from(without.is_ok_and(|answer| sees_a_cycle(&answer)));
        }
    }
    println!(
        "{labelled_programs} programs with labels, {proved} proved, and not without their labels; {compared} compared, \
         {raised} with capacities raised; {because_of_labels} of the first {ASKED_WITHOUT} with cycles but for the labels, {incomplete} cut short"
    );
    assert!(compared > 0 && 3 * raised >= compared, "{raised} of {compared}");
    // The oracle can say no: it does for a fair part of these, if the labels are taken away.
    assert!(3 * because_of_labels >= compared.min(ASKED_WITHOUT), "{because_of_labels} of {compared}");
    assert!(4 * incomplete <= compared, "{incomplete} of {compared}");
}

fn sees_a_cycle(answer: &Answer) -> bool {
    answer.output.contains("non-progress cycle (at depth")
}

/// The oracle and the tool, on what differs in one label.
#[test]
fn labels_that_spin_does_not_see_prove_nothing() {
    let cases = [
        ("active proctype P() { bit x; do :: x = 1; progress: x = 0 od }", true),
        ("active proctype P() { bit x; do :: atomic { x = 1; progress: x = 0 } od }", false),
        ("active proctype P() { bit x; do :: d_step { x = 1; progress: x = 0 } od }", false),
        ("active proctype P() { bit x; progress: do :: atomic { x = 1; x = 0 } od }", true),
        ("chan c = [0] of { bit }; proctype R() { progress: c?1 } init { do :: run R(); c!1 od }", true),
        (
            "chan c = [0] of { bit }; proctype R() { progress: c?1 } init { do :: atomic { run R(); c!1 } od }",
            false,
        ),
        ("chan c = [1] of { bit }; active proctype P() { do :: c!1; progress: c?1 od }", true),
    ];
    let has_spin = is_here("labels_that_spin_does_not_see_prove_nothing");
    for (text, proved) in cases {
        assert_eq!(is_proved(text), Some(proved), "{text}");
        if has_spin {
            let answer = verify_by(Way::WithoutProgress, text);
            assert_eq!(sees_a_cycle(&answer), !proved, "{text}\n{}", answer.output);
        }
    }
}
