//! Livelocks under weak fairness against Spin's `-f`.
//!
//! What is proved has no fair cycle without progress there. Where all states are looked at and
//! there are no labels, a fair infinite run is what Spin finds too, so both must say the same.

use std::time::Duration;

use explore::{Buffers, Limits, Semantics};
use freeboard::livelock::Fairness;
use freeboard::{LivelockAnalysis, Model, Options, RunLimits, check_livelock, read_promela};
use integration_tests::generator::{Feature, Generated, Profile, sample};
use integration_tests::given;
use integration_tests::room::with_capacities;
use integration_tests::spin::{Answer, Way, attempt, is_here, verify_by};

/// Programs that are compared, by default; `FREEBOARD_FAIRNESS_CASES=1000` for a long run.
const CASES: usize = 3;
/// States of a program, at most, where all are looked at.
const STATES: usize = 1_500;
/// Capacity of all channels in Spin then, and more than these programs ever use.
const ROOM: u32 = 12;

fn wanted() -> usize {
    given("FREEBOARD_FAIRNESS_CASES").unwrap_or(CASES)
}

/// Time for a proof about a random program: most that take longer end without one.
const TIME: Duration = Duration::from_secs(1);

fn options(fairness: Fairness, runs: RunLimits) -> Options {
    Options { fairness, runs, ..Options::default() }
}

fn read(text: &str) -> Option<Model> {
    read_promela("model.pml", text, &Options::default()).ok()
}

fn checked(text: &str, fairness: Fairness, runs: RunLimits) -> Option<LivelockAnalysis> {
    let model = read(text)?;
    Some(check_livelock(&model.program, &model.abstraction, &options(fairness, runs)))
}

fn is_proved(text: &str, fairness: Fairness) -> Option<bool> {
    checked(text, fairness, RunLimits::NONE).map(|found| found.outcome.verdict.is_proved())
}

fn is_soon_proved(text: &str, fairness: Fairness) -> bool {
    let options = Options { time_limit: Some(TIME), ..options(fairness, RunLimits::NONE) };
    let proved = |model: Model| check_livelock(&model.program, &model.abstraction, &options);
    read(text).is_some_and(|model| proved(model).outcome.verdict.is_proved())
}

fn sees_a_cycle(answer: &Answer) -> bool {
    answer.output.contains("non-progress cycle (at depth")
}

/// What is to come of a text under weak fairness.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Verdict {
    Proved,
    Refuted,
    Open,
}
use Verdict::{Open, Proved, Refuted};

/// Each in one detail of what makes a process able to step, or lets it rest; Spin sees a fair cycle
/// where it says so.
const CASES_OF_FAIRNESS: &[(&str, Verdict, bool)] = &[
    // A process that can always step steps.
    ("active proctype P() { bit x; do :: x = 1 - x od }
      active proctype Q() { bit y; do :: y = 1 - y; progress: y = 1 - y od }", Proved, false),
    // One that is stopped again and again need not.
    ("bit x; active proctype P() { do :: x = 1 - x od }
      active proctype Q() { bit y; do :: x == 1; progress: y = 1 - y od }", Refuted, true),
    // `else` makes it ready all the time.
    ("bit x; active proctype P() { do :: x = 1 - x od }
      active proctype Q() { bit y; do :: x == 1; progress: y = 1 - y :: else -> progress1: y = 1 - y od }", Proved, false),
    // The labels are on one of the two ways.
    ("bit x; active proctype P() { do :: x = 1 - x od }
      active proctype Q() { bit y; do :: x == 1; progress: y = 1 - y :: else -> y = 1 - y od }", Refuted, true),
    // Two statements, and all the time one of them can be executed; that is not seen.
    ("bit x; active proctype P() { do :: x = 1 - x od }
      active proctype Q() { bit y; progress: do :: x == 1 -> y = 1 :: x == 0 -> y = 0 od }", Open, false),
    // `atomic` ends.
    ("bit x; active proctype P() { do :: atomic { x = 1 - x; x = 1 - x } od }
      active proctype Q() { bit y; do :: y = 1 - y; progress: y = 1 - y od }", Proved, false),
    ("bit x; active proctype P() { do :: d_step { x = 1 - x; x = 1 - x } od }
      active proctype Q() { bit y; do :: y = 1 - y; progress: y = 1 - y od }", Proved, false),
    // `provided` stops a process.
    ("bit x; active proctype P() { do :: x = 1 - x od }
      active proctype Q() provided (x == 0) { bit y; do :: y = 1 - y; progress: y = 1 - y od }", Refuted, true),
    // One that can be interrupted by `unless`, and one that cannot.
    ("bit x, z; active proctype P() { do :: x = 1 - x od }
      active proctype Q() { bit y; do :: { y = 1 - y; progress: y = 1 - y } unless { z == 1 } od }", Open, false),
    // Only who begins a rendezvous can step.
    ("chan c = [0] of { bit }; active proctype P() { do :: c!1 od }
      active proctype Q() { bit y; do :: c?y od }
      active proctype R() { bit y; do :: c?y -> progress: skip od }", Refuted, true),
    ("chan c = [0] of { bit }; active proctype P() { bit z; do :: z = 1 - z od }
      active proctype Q() { bit y; do :: c?y -> progress: skip od }
      active proctype R() { do :: c!1 od }", Open, false),
    // Who receives, steps.
    ("chan c = [0] of { bit }; active proctype P() { do :: c!1 od }
      active proctype Q() { bit y; do :: c?y :: y = 1; progress: y = 0 od }", Refuted, true),
    // Nobody waits for others where there is always somebody who can step.
    ("bit x; active proctype P() { do :: x = 1 - x od }
      active proctype Q() { do :: timeout -> progress: skip od }", Refuted, true),
    // A process that is to be created.
    ("bit x; proctype P() { do :: x = 1 - x od } proctype Q() { bit y; do :: y = 1 - y; progress: y = 0 od }
      init { run P(); run Q() }", Proved, false),
    ("bit x; proctype P() { do :: x = 1 - x od } proctype Q() { bit y; do :: y = 1 - y; progress: y = 0 od }
      init { atomic { run P(); run Q() } }", Proved, false),
    ("bit x; active proctype P() { do :: x = 1 - x od } proctype Q() { bit y; do :: y = 1 - y; progress: y = 0 od }
      init { x == 1; run Q() }", Refuted, true),
    // One that comes to an end need not step any more.
    ("bit x; active proctype P() { do :: x = 1 - x od } active proctype Q() { bit y; progress: y = 1 }", Refuted, true),
    // Three processes of one type, all of which step.
    ("bit x; active proctype P() { do :: x = 1 - x od }
      active [3] proctype Q() { bit y; do :: y = 1 - y; progress: y = 1 - y od }", Proved, false),
    // A process that leaves for another part, where it stays.
    ("bit x; active proctype P() { do :: x = 1 - x od }
      active proctype Q() { bit y; y = 1; do :: y = 1 - y; progress: y = 1 - y od }", Proved, false),
    ("bit x; active proctype P() { do :: x = 1 - x od }
      active proctype Q() { bit y; if :: y = 1; x == 1 :: y = 0 fi; do :: y = 1 - y; progress: y = 1 - y od }", Refuted, true),
];

/// The oracle and the tool, on what differs in one detail.
#[test]
fn details_of_fairness() {
    let has_spin = is_here("details_of_fairness");
    for &(text, expected, cycle) in CASES_OF_FAIRNESS {
        let found = checked(text, Fairness::Weak, RunLimits::default()).unwrap();
        let verdict = match (&found.outcome.verdict, &found.confirmation.witness) {
            (verdict, None) if verdict.is_proved() => Proved,
            (_, None) => Open,
            (_, Some(_)) => Refuted,
        };
        assert_eq!(verdict, expected, "{text}\n{found:?}");
        assert_eq!(is_proved(text, Fairness::None), Some(false), "{text}");
        if has_spin {
            let answer = verify_by(Way::FairWithoutProgress, text);
            assert_eq!(sees_a_cycle(&answer), cycle, "{text}\n{}", answer.output);
        }
    }
}

/// Programs with few states, of which Spin's claim for progress does not change what they do.
fn profile() -> Profile {
    Profile::small().without(&[Feature::Hidden, Feature::StoredIndex, Feature::ProcessCount, Feature::Last])
}

fn labelled(seed: u64) -> Option<Generated> {
    let program = sample(&profile(), seed);
    program.features.contains_key(&Feature::ProgressLabel).then_some(program)
}

/// The text, and a process that goes on for ever without progress: where a proof for all runs has
/// to give up.
fn disturbed(text: &str) -> String {
    format!(
        "{text}\nbit disturbance;\nactive proctype Disturber() {{ do :: disturbance = 1 - disturbance od }}\n"
    )
}

#[test]
fn what_is_proved_has_no_fair_cycle_without_progress_in_random_programs() {
    if !is_here("what_is_proved_has_no_fair_cycle_without_progress_in_random_programs") {
        return;
    }
    let (mut drawn, mut compared, mut with_others) = (0, 0, 0);
    for program in (0..40_000).filter_map(labelled) {
        if compared >= wanted() {
            break;
        }
        drawn += 1;
        // A proof that needs no fairness is looked at elsewhere.
        let texts = [program.text.clone(), disturbed(&program.text)];
        for (position, text) in texts.iter().enumerate() {
            // Few states are soon counted, and a proof may take long.
            let roomy = with_capacities(text, |declared| Some(declared? + 2));
            if !is_small(&roomy) {
                continue;
            }
            if !is_soon_proved(text, Fairness::Weak) || is_soon_proved(text, Fairness::None) {
                continue;
            }
            let Ok(answer) = attempt(Way::FairWithoutProgress, &roomy) else { continue };
            assert!(!sees_a_cycle(&answer), "after {compared} programs: {}\n{roomy}", answer.output);
            compared += 1;
            with_others += position;
        }
    }
    println!(
        "{compared} proofs for fair runs of {drawn} programs with labels, {with_others} of them beside a disturber"
    );
    assert!(compared > 0);
}

/// The text, and a process that goes round until another one stops it, which it does in each fair
/// run.
fn with_loop_to_be_stopped(text: &str) -> String {
    let looping = "active proctype Looping() { bit side; do :: halted == 0 -> side = 1 - side :: halted == 1 -> break od }";
    format!("{text}\nbit halted;\n{looping}\nactive proctype Halter() {{ halted = 1 }}\n")
}

/// Whether a program has few states, so that Spin, which looks at each several times, comes to an
/// end.
fn is_small(text: &str) -> bool {
    let small = || {
        let model = read(text)?;
        let semantics = Semantics::new(&model.program, &explore::Options::default()).ok()?;
        let found = semantics.explore(&Limits { states: Some(STATES), ..Limits::default() }).ok()?;
        Some(found.completion == explore::Completion::Complete)
    };
    small() == Some(true)
}

/// Whether there is a fair infinite run, where all states of a program can be looked at and no
/// queue comes near its capacity in Spin.
fn has_fair_run(text: &str) -> Option<bool> {
    let model = read(text)?;
    let options_of_runs = explore::Options { buffers: Buffers::Unbounded, ..explore::Options::default() };
    let semantics = Semantics::new(&model.program, &options_of_runs).ok()?;
    let found = semantics.explore(&Limits { states: Some(STATES), ..Limits::default() }).ok()?;
    let is_whole = found.completion == explore::Completion::Complete && found.errors == 0;
    if !is_whole || found.maxima.values().any(|most| *most >= ROOM) {
        return None;
    }
    let runs = RunLimits { search_states: 0, exploration_states: 10 * STATES };
    let found = check_livelock(&model.program, &model.abstraction, &options(Fairness::Weak, runs));
    found.confirmation.complete.then_some(found.confirmation.witness.is_some())
}

#[test]
fn fair_runs_are_those_of_spin_in_random_programs() {
    if !is_here("fair_runs_are_those_of_spin_in_random_programs") {
        return;
    }
    let (mut compared, mut fair, mut unfair_only, mut drawn) = (0, 0, 0, 0);
    // About one in five can be compared.
    let most_drawn = 200 * u64::try_from(wanted()).expect("a small number");
    for seed in 0..most_drawn {
        if compared >= 2 * wanted() {
            break;
        }
        drawn += 1;
        let program = sample(&profile(), seed);
        let text = program.text.replace("progress", "plain");
        // In every other one there is an unfair run at least.
        let text = if seed % 2 == 0 { with_loop_to_be_stopped(&text) } else { text };
        // What has no infinite run at all is of little interest.
        if is_proved(&text, Fairness::None) != Some(false) {
            continue;
        }
        let Some(ours) = has_fair_run(&text) else { continue };
        let roomy = with_capacities(&text, |_| Some(ROOM));
        let Ok(answer) = attempt(Way::FairWithoutProgress, &roomy) else { continue };
        let spin = sees_a_cycle(&answer);
        if !spin && !answer.exhaustive {
            continue;
        }
        assert_eq!(ours, spin, "seed {seed}: {}\n{text}", answer.output);
        compared += 1;
        fair += usize::from(ours);
        let plain = |answer| sees_a_cycle(&answer);
        unfair_only += usize::from(!ours && attempt(Way::WithoutProgress, &roomy).is_ok_and(plain));
    }
    println!(
        "{compared} of {drawn} programs, {fair} with fair infinite runs, {unfair_only} with unfair ones only"
    );
    assert!(fair > 0 && unfair_only > 0, "{fair} and {unfair_only} of {compared}");
}
