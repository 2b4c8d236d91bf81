//! Proofs of livelock freedom against Spin's search for cycles without progress.
//!
//! Spin takes a process that rests at a progress label for progress, so it sees fewer livelocks
//! than there are; but each of those it sees is one. So what is proved free of livelocks must have
//! no cycle without progress there.

use std::io::Write as _;

use freeboard::livelock::Fairness;
use freeboard::{Options, RunLimits, check_livelock, has_progress_labels, read_promela};
use integration_tests::comparison::corpus::{self, Model};
use integration_tests::comparison::exploration::two_at_a_time;
use integration_tests::generator::{Feature, Generated, Profile, sample};
use integration_tests::room::with_capacities;
use integration_tests::spin::{Answer, Way, attempt_within, is_here, verify_by};
use integration_tests::{given, short_or_long};

/// Programs that are proved and compared, by default; `FREEBOARD_LIVELOCK_CASES=1000` for a long
/// run.
const CASES: usize = 8;
/// Of how many programs Spin is asked about the text without labels too.
const ASKED_WITHOUT: usize = 60;
/// Memory of Spin's verifier for a random program, in megabytes: some hundred thousand states.
const MEMORY: u32 = 48;
/// By how many messages capacities are raised for Spin.
const MORE_ROOM: u32 = 2;

fn wanted() -> usize {
    given("FREEBOARD_LIVELOCK_CASES").unwrap_or(CASES)
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

/// What came of a program with labels.
enum Outcome {
    /// It is not proved, or without its labels too: what ends anyway is of little interest.
    Open,
    /// It is proved, and Spin has no answer.
    Unanswered,
    /// It is proved, and Spin has answered.
    Compared {
        /// The text that Spin was given.
        text: String,
        /// Whether it is another one than was proved.
        raised: bool,
        /// What it said.
        answer: Answer,
        /// Whether it sees a cycle if the labels are taken away; `None` if it was not asked.
        without: Option<bool>,
    },
}

fn outcome(text: &str, ask_without: bool) -> Outcome {
    if is_proved(text) != Some(true) || is_proved(&unlabelled(text)) == Some(true) {
        return Outcome::Open;
    }
    // A proof is about buffers without limits; what blocks at the declared capacity may go on with
    // more.
    let roomy = with_room(text);
    let ask = |text: &str| attempt_within(MEMORY, Way::WithoutProgress, text);
    let Ok(answer) = ask(&roomy) else { return Outcome::Unanswered };
    let without = || ask(&unlabelled(&roomy)).is_ok_and(|answer| sees_a_cycle(&answer));
    Outcome::Compared { raised: roomy != text, answer, without: ask_without.then(without), text: roomy }
}

/// What came of many programs.
#[derive(Debug, Default)]
struct Tally {
    /// Programs with labels.
    labelled: usize,
    /// Those that are proved, and not without their labels.
    proved: usize,
    compared: usize,
    /// Of the compared, those with capacities raised, and those of which Spin has not seen all
    /// states.
    raised: usize,
    incomplete: usize,
    /// Those that Spin was asked about without their labels, and in which it sees a cycle then.
    asked_without: usize,
    because_of_labels: usize,
}

impl Tally {
    fn add(&mut self, outcome: Outcome) {
        self.labelled += 1;
        self.proved += usize::from(!matches!(outcome, Outcome::Open));
        let Outcome::Compared { text, raised, answer, without } = outcome else { return };
        assert!(!sees_a_cycle(&answer), "{self:?}\nSpin sees a livelock: {}\n{text}", answer.output);
        self.compared += 1;
        self.raised += usize::from(raised);
        self.incomplete += usize::from(!answer.exhaustive && answer.errors == 0);
        self.asked_without += usize::from(without.is_some());
        self.because_of_labels += usize::from(without == Some(true));
    }
}

#[test]
fn what_is_proved_has_no_cycle_without_progress_in_random_programs() {
    /// Programs that are looked at, two at a time, before anything is counted.
    const CHUNK: usize = 64;
    if !is_here("what_is_proved_has_no_cycle_without_progress_in_random_programs") {
        return;
    }
    let mut tally = Tally::default();
    let mut programs = (0..).filter_map(labelled);
    while tally.compared < wanted() {
        let chunk: Vec<Generated> = programs.by_ref().take(CHUNK).collect();
        let ask_without = tally.asked_without < ASKED_WITHOUT;
        let outcomes = two_at_a_time(&chunk, |program| outcome(&program.text, ask_without));
        outcomes.into_iter().for_each(|outcome| tally.add(outcome));
        if wanted() > CASES {
            writeln!(std::io::stderr(), "{tally:?}").unwrap();
        }
    }
    println!("{tally:?}");
    let Tally { compared, raised, incomplete, asked_without, because_of_labels, .. } = tally;
    assert!(compared > 0 && 3 * raised >= compared, "{tally:?}");
    // The oracle can say no: it does for a fair part of these, if the labels are taken away.
    assert!(3 * because_of_labels >= asked_without, "{tally:?}");
    // Of some, Spin has not seen all states in the memory that it may use.
    assert!(3 * incomplete <= compared, "{tally:?}");
}

/// What Spin says about a program with labels that a search proves, if runs of it go on for ever,
/// but not for ever without progress.
fn answer_to_search(program: &Generated) -> Option<(String, Answer)> {
    let read = promela_front::parse("model.pml", &program.text, &promela_front::Options::default());
    let read = read.program?;
    // It stores a fourth of these.
    let options = refine::Options { exploration_states: 20_000, ..refine::Options::default() };
    let found = refine::recurrence(&read, &options);
    if !found.ends || !found.clean || refine::termination(&read, &options).ends {
        return None;
    }
    let answer = attempt_within(MEMORY, Way::WithoutProgress, &program.text).ok()?;
    Some((program.text.clone(), answer))
}

#[test]
fn what_a_search_proves_has_no_cycle_without_progress_in_random_programs() {
    const CHUNK: usize = 64;
    if !is_here("what_a_search_proves_has_no_cycle_without_progress_in_random_programs") {
        return;
    }
    let (mut compared, mut complete) = (0, 0);
    let mut programs = (0..).filter_map(labelled);
    while compared < wanted().div_ceil(2) {
        let chunk: Vec<Generated> = programs.by_ref().take(CHUNK).collect();
        for (text, answer) in two_at_a_time(&chunk, answer_to_search).into_iter().flatten() {
            assert!(!sees_a_cycle(&answer), "Spin sees a livelock: {}\n{text}", answer.output);
            compared += 1;
            complete += usize::from(answer.exhaustive);
        }
    }
    println!("{compared} programs, in {complete} of which Spin has seen all states");
    assert!(2 * complete >= compared, "{complete} of {compared}");
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
        // At the beginning of options and blocks: what is behind first steps. (Of steps on locals,
        // Spin makes one.)
        ("active proctype P() { bit x; do :: progress: x = 1; x = 0 od }", true),
        ("active proctype P() { bit x; if :: progress: x = 1; x = 0 fi; do :: x = 1; x = 0 od }", false),
        ("active proctype P() { bit x; { progress: do :: x == 0 -> break od }; do :: x = 1; x = 0 od }", true),
        ("bit x; active proctype P() { { progress: do :: x == 0 -> break od }; x = 1; do :: x = 1; x = 0 od }", false),
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

/// What one model of other people may take.
struct Share {
    /// Seconds for a proof. What takes longer is not proved here: most of those take long in vain.
    seconds: u64,
    /// Memory of Spin's verifier, in megabytes.
    megabytes: u32,
}

/// By default, and with the environment variable `FREEBOARD_LONG`: then Spin looks at ten times as
/// many states of large models.
fn share() -> Share {
    short_or_long(Share { seconds: 1, megabytes: MEMORY }, Share { seconds: 10, megabytes: 512 })
}

/// What is proved of models that other people wrote, if they are there, with all that `check` does
/// for a proof.
#[test]
fn what_is_proved_has_no_cycle_without_progress_in_models_of_others() {
    let name = "what_is_proved_has_no_cycle_without_progress_in_models_of_others";
    compare_others(name, Fairness::None, Way::WithoutProgress);
}

#[test]
fn what_is_proved_has_no_fair_cycle_without_progress_in_models_of_others() {
    let name = "what_is_proved_has_no_fair_cycle_without_progress_in_models_of_others";
    compare_others(name, Fairness::Weak, Way::FairWithoutProgress);
}

fn compare_others(name: &str, fairness: Fairness, way: Way) {
    let Some(place) = corpus::place(None) else {
        writeln!(std::io::stderr(), "SKIPPED {name}: there is no collection of models").expect("a terminal");
        return;
    };
    if !is_here(name) {
        return;
    }
    let (mut labelled, mut proved, mut compared) = (0, 0, 0);
    // By default a third of them.
    let labelled_models =
        corpus::models(&place).into_iter().filter(|model| model.text().contains("progress"));
    for model in labelled_models.step_by(short_or_long(3, 1)) {
        let text = model.text();
        let Some(is_proved) = of_others(&model, &text, fairness) else { continue };
        labelled += 1;
        if !is_proved {
            continue;
        }
        proved += 1;
        for text in [with_room(&text), text.clone()] {
            let macros = model
                .defines
                .iter()
                .map(|(name, body)| format!("#define {name} {}\n", body.as_deref().unwrap_or("1")));
            let text = macros.collect::<String>() + &text;
            let Ok(answer) = attempt_within(share().megabytes, way, &text) else { continue };
            assert!(!sees_a_cycle(&answer), "{}: {}", model.name, answer.output);
            compared += 1;
        }
    }
    println!("{labelled} models with labels: {proved} proved ({fairness:?}); {compared} comparisons");
}

/// Whether a model with progress labels is proved; `None` for others.
fn of_others(model: &Model, text: &str, fairness: Fairness) -> Option<bool> {
    let includes = model.file.parent().map(std::path::Path::to_path_buf).into_iter().collect();
    let parse = promela_front::Options {
        defines: model.defines.clone(),
        includes: promela_front::Includes::Files(includes),
        ..promela_front::Options::default()
    };
    let time_limit = Some(std::time::Duration::from_secs(share().seconds));
    let options = Options { parse, fairness, time_limit, runs: RunLimits::NONE, ..Options::default() };
    let read = read_promela(&model.name, text, &options).ok()?;
    let found = has_progress_labels(&read.program)
        .then(|| check_livelock(&read.program, &read.abstraction, &options))?;
    Some(found.outcome.verdict.is_proved())
}
