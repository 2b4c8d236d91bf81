//! Single steps: what they are made of, and what goes wrong in them.
#![allow(clippy::unwrap_used)] // helpers of tests

use cfsm_core::program::Program;
use explore::{Claims, Options, RunError, Semantics, State, Step, Unsupported};

fn program(text: &str) -> Program {
    let outcome = promela_front::parse("model.pml", text, &promela_front::Options::default());
    outcome.program.unwrap_or_else(|| panic!("{:#?}", outcome.diagnostics))
}

fn semantics(text: &str) -> Semantics {
    Semantics::new(&program(text), &Options::default()).unwrap()
}

/// Takes the only step, again and again; the state behind `count` steps.
fn only(semantics: &Semantics, count: usize) -> State {
    let mut state = semantics.initial().unwrap();
    for _ in 0..count {
        let [step] = <[Step; 1]>::try_from(semantics.successors(&state)).unwrap();
        assert_eq!(step.errors, []);
        state = step.after.unwrap();
    }
    state
}

fn error(text: &str, count: usize) -> RunError {
    let semantics = semantics(text);
    let mut steps = semantics.successors(&only(&semantics, count));
    let step = steps.pop().unwrap();
    assert_eq!(step.after, None);
    step.errors.into_iter().next().unwrap()
}

#[test]
fn a_rendezvous_is_one_step_of_two_processes() {
    let semantics = semantics(
        "chan c = [0] of { byte, bit };
active proctype P() { c!300,3 }
active proctype Q() { byte x; c?x,1 }",
    );
    let steps = semantics.successors(&semantics.initial().unwrap());
    let [step] = &steps[..] else { panic!("{steps:#?}") };
    let [sender, receiver] = &step.moves[..] else { panic!("{step:#?}") };
    assert_eq!((sender.process, receiver.process), (0, 1));
    let sent = sender.sent.as_ref().unwrap();
    assert_eq!((sent.queue, &sent.fields[..]), (1, &[44, 1][..]));
    assert_eq!(receiver.received, sender.sent);
    let after = step.after.as_ref().unwrap();
    assert_eq!(semantics.queue(after, 1).unwrap().messages, Vec::<Vec<i64>>::new());
    assert_eq!(semantics.local(after, 1, cfsm_core::ids::Id::new(0), 0), Some(44));
}

#[test]
fn a_process_dies_when_all_later_ones_are_gone() {
    let semantics = semantics("active [2] proctype P() { chan c = [1] of { byte }; skip }");
    let first = semantics.initial().unwrap();
    assert_eq!(semantics.queue_count_of(&first), [(0, 0), (1, 0)]);
    let step = semantics.successors(&first).remove(1);
    assert_eq!(step.moves[0].process, 0);
    let state = step.after.unwrap();
    let steps = semantics.successors(&state);
    assert_eq!(steps.len(), 1, "process 0 waits for process 1");
    let state = steps.into_iter().next().unwrap().after.unwrap();
    let mut steps = semantics.successors(&state);
    assert_eq!(steps.len(), 1);
    let death = steps.remove(0);
    assert_eq!((death.moves[0].process, death.moves[0].edge), (1, None));
    let after = death.after.unwrap();
    assert_eq!((after.process_count(), after.queue_count()), (1, 1));
}

/// The owners of all queues, with the elements of their variables.
trait Owners {
    fn queue_count_of(&self, state: &State) -> Vec<(usize, usize)>;
}

impl Owners for Semantics {
    fn queue_count_of(&self, state: &State) -> Vec<(usize, usize)> {
        self.queues(state).map(|queue| (queue.origin.process.unwrap().0, queue.origin.element)).collect()
    }
}

#[test]
fn what_goes_wrong_is_said() {
    let wrong = |body: &str| {
        let text = format!(
            "chan c = [1] of {{ byte, byte }}; chan none; chan r = [0] of {{ byte }};
byte a[3]; byte x = 3; int big = 2147483647;
active proctype P() {{ {body} }}"
        );
        error(&text, 0)
    };
    assert_eq!(wrong("a[x] = 1"), RunError::IndexOutOfBounds { index: 3, length: 3 });
    assert_eq!(wrong("a[x - 4] == 1"), RunError::IndexOutOfBounds { index: -1, length: 3 });
    assert_eq!(wrong("x = 7 / (x - 3)"), RunError::DivisionByZero);
    assert_eq!(wrong("x = (0 - big - 1) / (2 - x)"), RunError::DivisionOverflow);
    assert_eq!(wrong("x = 1 << (30 + x)"), RunError::Shift(33));
    assert_eq!(wrong("none!1"), RunError::NoChannel);
    assert_eq!(wrong("len(none) == 0"), RunError::NoChannel);
    assert_eq!(wrong("r?[1]"), RunError::PolledRendezvous);
    assert_eq!(wrong("d_step { x = 1; x == 2; x = 3 }"), RunError::DStepBlocks);
    assert_eq!(wrong("d_step { r!1; x = 1 }"), RunError::DStepRendezvous);
    assert_eq!(wrong("d_step { do :: x++ od }"), RunError::DStepTooLong(100_000));
    let text = "active proctype P() { set_priority(0, 256) }";
    assert_eq!(error(text, 0), RunError::Priority(256));
}

#[test]
fn processes_that_ask_each_other_whether_they_are_enabled_come_to_an_end() {
    let text = "active proctype P() { enabled(1) } active proctype Q() { enabled(0) }";
    assert_eq!(error(text, 0), RunError::EnabledLoop);
    assert_eq!(error("active proctype P() { enabled(_pid) }", 0), RunError::EnabledSelf);
}

#[test]
fn an_assertion_fails_and_the_run_goes_on() {
    let semantics = semantics("active proctype P() { assert(false) }");
    let steps = semantics.successors(&semantics.initial().unwrap());
    assert_eq!(steps[0].errors, [RunError::Assertion]);
    assert!(steps[0].after.is_some());
}

#[test]
fn one_process_too_many_is_an_error() {
    let text = "proctype P() { run P() } init { run P() }";
    let options = Options { max_processes: 2, ..Options::default() };
    let semantics = Semantics::new(&program(text), &options).unwrap();
    let step = semantics.successors(&semantics.initial().unwrap()).remove(0);
    let steps = semantics.successors(&step.after.unwrap());
    assert!(steps.iter().any(|step| step.errors == [RunError::TooManyProcesses(2)]));
}

#[test]
fn what_has_no_meaning_here_is_refused() {
    let refused = |text: &str| Semantics::new(&program(text), &Options::default()).unwrap_err();
    let c = refused("active proctype P() { c_code { x = 1; } }");
    assert!(matches!(c, Unsupported::EmbeddedCode(_)), "{c:?}");
    let claim = "active proctype P() { skip } never { do :: skip od }";
    assert!(matches!(refused(claim), Unsupported::Claim(_)));
    let options = Options { claims: Claims::Ignored, ..Options::default() };
    assert!(Semantics::new(&program(claim), &options).is_ok());
}
