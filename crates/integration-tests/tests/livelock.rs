//! Proofs of livelock freedom against Spin's search for cycles without progress.
//!
//! Spin takes a process that rests at a progress label for progress, so it sees fewer livelocks than there are; but
//! each of those it sees is one. So what is proved free of livelocks must have no cycle without progress there.
#![allow(clippy::unwrap_used)] // clippy.toml allows it in tests, and helpers of tests are no less

use std::io::Write as _;

use freeboard::livelock::Fairness;
use freeboard::{Options, RunLimits, check_livelock, has_progress_labels, read_promela};
use integration_tests::comparison::corpus::{self, Model};
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
        // Who receives inside `atomic` goes on, and takes the sender along from its label.
        (
            "chan c = [0] of { bit }; chan d = [0] of { bit }; active proctype P() { do :: c!1; progress: d?1 od }
             active proctype Q() { do :: atomic { c?1; d!1 } od }",
            false,
        ),
        (
            "chan c = [0] of { bit }; chan d = [0] of { bit }; active proctype P() { do :: c!1; progress: d?1 od }
             active proctype Q() { do :: c?1; d!1 od }",
            true,
        ),
        (
            "chan c = [0] of { bit }; active proctype P() { do :: c!1; progress: skip od }
             active proctype Q() { bit x; do :: d_step { c?1; x = 1 } od }",
            true,
        ),
        ("active proctype P() { bit x; L: atomic { x = 1; goto progress }; progress: atomic { x = 0; goto L } }", true),
        ("active proctype P() { bit x; again: x = 1; progress: goto again }", true),
        ("active proctype P() { bit x; do :: { x = 1; progress: x = 0 } unless { x == 1 -> x = 0 } od }", true),
        ("active proctype P() { bit x; do :: x = 1; progress: d_step { x = 0; x = 1 } od }", true),
        ("active proctype P() { bit x; do :: x = 1; progress: { x = 0; x = 1 } od }", true),
        ("active proctype P() { bit x; do :: x = 1 - x; if :: x == 0 -> skip :: else -> skip fi; progress: skip; skip od }", true),
        (
            "inline mark(v) { v = 1; progress: v = 0 }
             active proctype P() { bit x; do :: x = 1; mark(x) od }",
            true,
        ),
        ("inline mark(v) { v = 1; progress: v = 0 } active proctype P() { bit x; do :: atomic { x = 1; mark(x) } od }", false),
        (
            "active proctype P() { bit x; do :: timeout -> progress: x = 1 od } active proctype Q() { bit y; do :: y = 1 - y od }",
            false,
        ),
        // Two of a type, one label each.
        ("active [2] proctype P() { bit x; do :: x = 1 - x; progress: x = 1 - x od }", true),
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

/// Seconds for one model of other people. What takes longer is not proved here.
const SECONDS: u64 = 30;

/// What is proved of models that other people wrote, if they are there, with all that `check` does for a proof.
#[test]
fn what_is_proved_has_no_cycle_without_progress_in_models_of_others() {
    let name = "what_is_proved_has_no_cycle_without_progress_in_models_of_others";
    let Some(place) = corpus::place(None) else {
        writeln!(std::io::stderr(), "SKIPPED {name}: there is no collection of models").unwrap();
        return;
    };
    if !is_here(name) {
        return;
    }
    let (mut labelled, mut proved, mut proved_if_fair, mut compared) = (0, 0, 0, 0);
    for model in corpus::models(&place).iter() {
        let text = model.text();
        if !text.contains("progress") {
            continue;
        }
        for (fairness, way) in
            [(Fairness::None, Way::WithoutProgress), (Fairness::Weak, Way::FairWithoutProgress)]
        {
            let Some(is_proved) = of_others(model, &text, fairness) else { continue };
            let is_fair = fairness == Fairness::Weak;
            labelled += usize::from(!is_fair);
            *(if is_fair { &mut proved_if_fair } else { &mut proved }) += usize::from(is_proved);
            if !is_proved {
                continue;
            }
            for text in [with_room(&text), text.clone()] {
                let macros = model
                    .defines
                    .iter()
                    .map(|(name, body)| format!("#define {name} {}\n", body.as_deref().unwrap_or("1")));
                let text = macros.collect::<String>() + &text;
                let Ok(answer) = attempt(way, &text) else { continue };
                assert!(!sees_a_cycle(&answer), "{}: {}", model.name, answer.output);
                compared += 1;
            }
        }
    }
    println!(
        "{labelled} models with labels: {proved} proved, {proved_if_fair} under fairness; {compared} comparisons"
    );
}

/// Whether a model with progress labels is proved; `None` for others.
fn of_others(model: &Model, text: &str, fairness: Fairness) -> Option<bool> {
    let includes = model.file.parent().map(std::path::Path::to_path_buf).into_iter().collect();
    let parse = promela_front::Options {
        defines: model.defines.clone(),
        includes: promela_front::Includes::Files(includes),
        ..promela_front::Options::default()
    };
    let time_limit = Some(std::time::Duration::from_secs(SECONDS));
    let options = Options { parse, fairness, time_limit, runs: RunLimits::NONE, ..Options::default() };
    let read = read_promela(&model.name, text, &options).ok()?;
    let found = has_progress_labels(&read.program)
        .then(|| check_livelock(&read.program, &read.abstraction, &options))?;
    Some(found.outcome.verdict.is_proved())
}
