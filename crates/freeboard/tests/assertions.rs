//! Assertions: what holds passes, what does not prints what a test should print.
#![allow(clippy::unwrap_used)] // clippy.toml allows it in tests, and helpers of tests are no less

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::time::Duration;

use freeboard::cfsm_core::finding::FindingKind;
use freeboard::cfsm_core::formats::{Format, read};
use freeboard::cfsm_core::program::{Action, Expression, Program, ProgramBuilder, Type};
use freeboard::cfsm_core::system::System;
use freeboard::{Analysis, Failure, Options, SystemAnalysis, assert_bounded, assert_livelock_free};

fn system(text: &str) -> System {
    read(Format::LocalTypes, "talk.kmc", text).system.unwrap()
}

const TALK: &str = "A: rec x . B!ask; B?answer; x\nB: rec y . A?ask; A!answer; y\n";
/// The client asks with another name than the server waits for.
const MISSPELT: &str = "A: rec x . B!Ask; B?answer; x\nB: rec y . A?ask; A!answer; y\n";
const FLOOD: &str = "A: rec x . B!ask; x\nB: rec y . A?ask; y\n";

/// What an assertion prints.
fn printed(assertion: impl FnOnce()) -> String {
    let panic = catch_unwind(AssertUnwindSafe(assertion)).unwrap_err();
    let text = panic.downcast_ref::<String>().unwrap();
    // Times are not the same each time.
    text.lines().filter(|line| !line.starts_with("Time:")).collect::<Vec<_>>().join("\n")
}

fn program() -> Program {
    let mut b = ProgramBuilder::new("own.txt");
    let queue = b.channel("queue", 4, vec![Type::Byte]);
    let send = Action::Send { channel: queue, fields: vec![Expression::Constant(1)], sorted: false };
    b.process("Producer", 1).edge("busy", send, "busy", "queue ! 1");
    b.build().unwrap()
}

#[test]
fn what_holds_passes() {
    assert_bounded!(system(TALK));
    assert_bounded!(&system(TALK), at most 1);
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("talk.txt");
    std::fs::write(&path, TALK).unwrap();
    assert_bounded!(path & path);
    assert_bounded!(path &path, at most 1,);
    assert_bounded!(path &path, findings allowed, within Duration::from_secs(600), at most 1);
}

#[test]
fn findings_fail_unless_they_are_allowed() {
    insta::assert_snapshot!(printed(|| assert_bounded!(system(MISSPELT), at most 1)));
    insta::assert_snapshot!(printed(|| assert_livelock_free!(system(MISSPELT))));
    assert_bounded!(&system(MISSPELT), at most 1, within Duration::from_secs(600), findings allowed);
    assert_bounded!(&system(MISSPELT), findings allowed, at most 1);
    assert_livelock_free!(&system(MISSPELT), findings allowed, within Duration::from_secs(600),);
    let mut b = ProgramBuilder::new("own.txt");
    let queue = b.channel("queue", 4, vec![Type::Byte]);
    let send = Action::Send { channel: queue, fields: vec![Expression::Constant(1)], sorted: false };
    b.process("Producer", 1).edge("busy", send, "done", "queue ! 1");
    let program = b.build().unwrap();
    let text = printed(|| assert_bounded!(&program));
    assert!(text.contains("`queue` is never received from"), "{text}");
    assert_bounded!(&program, findings allowed);
    let vacuous: Vec<FindingKind> = system(MISSPELT).findings().iter().map(|found| found.kind).collect();
    assert_eq!(vacuous[..2], [FindingKind::OneEndedChannel; 2]);
}

#[test]
fn what_takes_too_long_is_printed() {
    let text = printed(|| assert_bounded!(system(TALK), within Duration::ZERO));
    assert!(text.contains("the time limit"), "{text}");
}

#[test]
fn a_run_is_printed() {
    insta::assert_snapshot!(printed(|| assert_bounded!(system(FLOOD))));
    insta::assert_snapshot!(printed(|| assert_bounded!(program())));
}

#[test]
fn a_bound_that_is_too_small_is_printed() {
    let text = printed(|| assert_bounded!(system(TALK), at most 0));
    let first = "assertion failed: every buffer of `talk.kmc` is bounded by 0: A->B, B->A may hold more";
    assert_eq!(text.lines().next(), Some(first));
}

#[test]
fn a_loop_without_progress_is_printed() {
    insta::assert_snapshot!(printed(|| assert_livelock_free!(system(TALK))));
}

#[test]
fn files_may_be_missing_or_wrong() {
    let text = printed(|| assert_bounded!(path "no/such.fsa"));
    assert!(text.starts_with("no/such.fsa: "), "{text}");
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("wrong.fsa");
    std::fs::write(&path, ".outputs A\n.state graph\nq0 A B\n.end\n").unwrap();
    let text = printed(|| assert_livelock_free!(path & path));
    assert!(text.contains("this is no transition") && text.contains("2 errors"), "{text}");
}

/// What comes back can be handed to another thread.
#[test]
fn results_are_send_and_sync() {
    fn is<T: Send + Sync>() {}
    is::<Analysis>();
    is::<SystemAnalysis>();
    is::<freeboard::LivelockAnalysis>();
    is::<Failure>();
    is::<Options>();
    is::<report::view::Check>();
    is::<cfsm_core::formats::Reading>();
}

/// Who has lost patience stops a call and no other; what was found until then is there, and nothing
/// wrong.
#[test]
fn calls_can_be_cancelled_and_watched() {
    use std::sync::{Arc, Mutex};

    use freeboard::{Progress, Stage, Stop, check_system};

    let (stop, other) = (Stop::new(), Stop::new());
    let patience = stop.clone();
    let stages = Arc::new(Mutex::new(Vec::new()));
    let seen = Arc::clone(&stages);
    let progress = Progress::new(move |stage| {
        seen.lock().unwrap().push(stage);
        // As if somebody had lost patience.
        patience.stop();
    });
    let options = Options { cancelled: Some(stop), progress: Some(progress), ..Options::default() };
    let analysis = check_system(system(TALK), &options).unwrap();
    assert_eq!(stages.lock().unwrap().first(), Some(&Stage::Deciding));
    let told = analysis.outcome.verdict.certificate().is_none();
    assert!(told && !analysis.outcome.verdict.is_proved());
    assert!(format!("{:?}", analysis.outcome.verdict).contains("Cancelled"));

    // Another call has another one.
    let options = Options { cancelled: Some(other), ..Options::default() };
    assert!(check_system(system(TALK), &options).unwrap().outcome.verdict.is_proved());
}
