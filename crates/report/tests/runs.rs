//! Runs of programs, told and rendered.
#![allow(clippy::unwrap_used)] // clippy.toml allows it in tests, and helpers of tests are no less

use cfsm_core::program::Program;
use explore::{Buffers, Limits, Options, Semantics, State, Step};
use report::json;
use report::text::{self, Style};
use report::view::{self, End, ExplorationSubject, FindingKind, Simulation, SimulationSubject, WitnessStep};

fn program(text: &str) -> Program {
    let outcome = promela_front::parse("model.pml", text, &promela_front::Options::default());
    outcome.program.unwrap_or_else(|| panic!("{:#?}", outcome.diagnostics))
}

/// The run that always takes the first step, or the last one.
fn run(semantics: &Semantics, most: usize, last: bool) -> (State, Vec<Step>) {
    let start = semantics.initial().unwrap();
    let (mut state, mut steps) = (start.clone(), Vec::new());
    while steps.len() < most {
        let mut possible = semantics.successors(&state).into_iter();
        let Some(step) = (if last { possible.next_back() } else { possible.next() }) else { break };
        let after = step.after.clone();
        steps.push(step);
        let Some(after) = after else { break };
        state = after;
    }
    (start, steps)
}

fn told(text: &str, most: usize, last: bool) -> Simulation {
    let program = program(text);
    let semantics = Semantics::new(&program, &Options::default()).unwrap();
    let (start, steps) = run(&semantics, most, last);
    view::simulation(&SimulationSubject {
        file: "model.pml",
        program: &program,
        semantics: &semantics,
        start: &start,
        steps: &steps,
        seed: 0,
    })
}

/// Symbols, several fields, channels in messages, local channels, rendezvous, creation and death.
const CONVERSATION: &str = "\
mtype = { ask, tell };
chan desk = [2] of { mtype, chan, byte };
chan bell[2] = [0] of { bit };

proctype Guest(byte number)
{
    chan reply = [1] of { mtype };
    bell[number]!1;
    desk ! ask,
           reply, number + 7;
    reply?tell
}

init {
    chan from; byte what;
    run Guest(1);
    bell[1]?_;
    desk?ask,from,what -> from!tell
}
";

#[test]
fn a_conversation_as_text() {
    insta::assert_snapshot!(text::simulation(&told(CONVERSATION, 20, true), Style::default()));
}

#[test]
fn a_conversation_as_json() {
    let run = told(CONVERSATION, 5, true);
    let text = json::render(&run);
    insta::assert_snapshot!(text);
    assert_eq!(serde_json::from_str::<Simulation>(&text).unwrap(), run);
}

const WHOLE_BLOCK: &str = "\
chan c = [4] of { byte };
byte x;
active proctype P()
{
    d_step { c!x; c!5; x++; c?x };
    assert(x == 1);
    x = 7 / x
}
";

#[test]
fn a_d_step_is_one_step_and_errors_stand_below_theirs() {
    let run = told(WHOLE_BLOCK, 20, false);
    assert_eq!(run.end, End::Error);
    assert!(run.processes.is_empty() && run.buffers.is_empty());
    let lengths = |step: &WitnessStep| step.buffers.iter().map(|buffer| buffer.length).collect::<Vec<_>>();
    let middle: Vec<Vec<usize>> = run.steps[0].statements().map(lengths).collect();
    assert_eq!(middle, [vec![1], vec![2], vec![], vec![1]]);
    insta::assert_snapshot!(text::simulation(&run, Style::default()));
}

#[test]
fn who_waits_at_a_deadlock_is_told() {
    let text = "chan c = [1] of { bit };\nactive proctype P() { c!1; c!0 }\nactive proctype Q() { skip }\n";
    let run = told(text, 20, false);
    assert_eq!(run.end, End::Deadlock);
    insta::assert_snapshot!(text::simulation(&run, Style::default()));
    let text = format!("{text}active proctype R() {{ chan d = [1] of {{ bit }}; end: d?1 }}");
    assert_eq!(told(&text, 20, false).end, End::InvalidEndState);
    assert_eq!(told("active proctype P() { end: false }", 20, false).end, End::ValidEnd);
    assert_eq!(told("active proctype P() { do :: skip od }", 20, false).end, End::Steps);
}

#[test]
fn queues_of_processes_that_are_created_in_the_run_have_names() {
    let text = "\
chan names = [1] of { chan };
proctype P() { chan own = [3] of { byte }; names!own }
init { chan c; run P(); names?c; c!9 }
";
    let run = told(text, 4, true);
    let sent: Vec<String> = run.steps.iter().flat_map(|step| &step.sent).map(|m| m.channel.clone()).collect();
    assert_eq!(sent, ["names", "P[1].own"]);
    assert_eq!(run.steps[1].sent.as_ref().unwrap().fields, ["P[1].own"]);
}

#[test]
fn an_error_before_any_statement_is_a_step_of_nobody() {
    let text = "byte a[2]; byte i = 3;\nactive proctype P() provided (a[i] == 0) { skip }";
    let run = told(text, 20, false);
    assert_eq!((run.steps[0].process.as_str(), run.steps[0].errors.len()), ("", 1));
    let text = text::simulation(&run, Style::default());
    assert!(text.contains("error: index 3 of an array of 2\n"), "{text}");
}

#[test]
fn numbers_go_on_and_colour_is_the_only_difference() {
    let program = program(
        "chan c = [0] of { byte };\nactive proctype P() { do :: c!1; skip od }\nactive proctype Q() { do :: c?_ od }\n",
    );
    let options = Options { buffers: Buffers::Unbounded, ..Options::default() };
    let semantics = Semantics::new(&program, &options).unwrap();
    let (start, steps) = run(&semantics, 3, true);
    let steps = view::steps(&program, &semantics, &start, &steps);
    let plain = text::sequence(&steps, 41, Style::default());
    assert!(plain.lines().nth(1).unwrap().trim_start().starts_with("41  P[0]"), "{plain}");
    let coloured = text::sequence(&steps, 41, Style { colour: true, ..Style::default() });
    assert!(coloured.contains('\u{1b}'));
    let codes = ["1", "2", "0"].map(|code| format!("\u{1b}[{code}m"));
    let stripped = codes.iter().fold(coloured, |text, code| text.replace(code, ""));
    assert_eq!(stripped, plain);
    assert_eq!(text::sequence(&[], 1, Style::default()), "");
}

fn explored(text: &str, states: Option<usize>) -> view::Exploration {
    let program = program(text);
    let semantics = Semantics::new(&program, &Options::default()).unwrap();
    let found = semantics.explore(&Limits { states, violations: 9, ..Limits::default() }).unwrap();
    let subject =
        ExplorationSubject { file: "model.pml", program: &program, semantics: &semantics, found: &found };
    view::exploration(&subject)
}

/// A deadlock, another invalid end, a failed assertion and two kinds of other errors.
const TROUBLE: &str = "\
chan c = [3] of { byte };
chan dead = [0] of { byte };
byte a[2];
active proctype P() {
    byte x;
    do
    :: x < 2 -> c!x; x++
    :: x == 1 -> assert(x == 2)
    :: x == 1 -> a[x + 3] = 0
    :: x == 1 -> a[x + 4] = 0
    :: x == 1 -> dead!1
    :: x == 2 -> x = x / (x - 2)
    :: x == 0 -> run Idle(); dead!2
    od
}
proctype Idle() { end: dead?0 }
";

#[test]
fn an_exploration_as_text() {
    let view = explored(TROUBLE, None);
    assert!(view.found() && view.complete);
    insta::assert_snapshot!(text::exploration(&view, Style::default()));
}

#[test]
fn an_exploration_as_json() {
    let text = "chan c = [1] of { bit };\nactive proctype P() { atomic { c!1; c!0 } }\n";
    let view = explored(text, None);
    let text = json::render(&view);
    insta::assert_snapshot!(text);
    assert_eq!(serde_json::from_str::<view::Exploration>(&text).unwrap(), view);
}

#[test]
fn every_kind_is_found_once() {
    let view = explored(TROUBLE, None);
    let kinds: Vec<FindingKind> = view.findings.iter().map(|found| found.kind).collect();
    let of = |kind| kinds.iter().filter(|found| **found == kind).count();
    assert_eq!((of(FindingKind::Deadlock), of(FindingKind::InvalidEndState)), (1, 1));
    assert_eq!((of(FindingKind::AssertionFailure), of(FindingKind::RunTimeError)), (1, 2));
    assert!(view.findings.iter().all(|found| !found.run.is_empty()));
}

#[test]
fn what_was_not_seen_is_said() {
    let text = "active proctype P() { do :: skip od }";
    assert!(text::exploration(&explored(text, None), Style::default()).starts_with("COMPLETE: nothing"));
    let view = explored("byte x; active proctype P() { do :: x++ od }", Some(5));
    assert!(!view.complete && !view.found());
    let text = text::exploration(&view, Style::default());
    assert!(text.starts_with("INCOMPLETE: ") && text.contains("the limit on states was reached"), "{text}");
}
