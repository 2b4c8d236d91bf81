//! Exact effects of what is hard to tell apart: channels that travel, stand in arrays and records,
//! belong to several instances; processes made in loops; guards, atomic regions and values that
//! decide.

use std::time::Instant;

use abstraction::{Error, Options, Precision, abstract_program};
use cfsm_core::deadline::Deadline;
use cfsm_core::program::{Program, VariableRef};

fn program(text: &str) -> Program {
    let outcome = promela_front::parse("model.pml", text, &promela_front::Options::default());
    outcome.program.unwrap_or_else(|| panic!("{:#?}", outcome.diagnostics))
}

fn outline(text: &str) -> String {
    let result = abstract_program(&program(text), &Options::default()).expect("within limits");
    assert_eq!(result.approximations, Vec::<String>::new());
    result.outline()
}

/// A phone is handed over from one station to the other: the channel on which it is reached travels
/// in a message. (The shape of the mobile handover models; own names and messages.)
#[test]
fn a_channel_that_travels_in_a_message_is_still_one_channel() {
    insta::assert_snapshot!(outline(
        "mtype = { talk, move_to };
chan near = [1] of { mtype };
chan far = [1] of { mtype };
chan order = [1] of { mtype, chan };
active proctype Phone() {
  chan air = near, next;
  do
  :: air!talk
  :: order?move_to(next) -> air = next
  od
}
active proctype Centre() { order!move_to(far) }
active proctype Near() { do :: near?talk od }
active proctype Far() { do :: far?talk od }
"
    ));
}

#[test]
fn an_index_that_ranges_over_an_interval_selects_just_those_elements() {
    insta::assert_snapshot!(outline(
        "chan line[5] = [1] of { byte };
byte at;
active proctype P() {
  byte i = 1;
  do
  :: i < 3 -> line[i]!7; i++
  :: else -> break
  od;
  line[i]!8
}
active proctype Q() {
  do
  :: at > 3 -> line[at]?7
  :: at = (at + 1) % 5
  od
}
"
    ));
}

#[test]
fn a_channel_in_a_record_is_that_of_the_record() {
    insta::assert_snapshot!(outline(
        "typedef Port { chan inner; byte count };
typedef Node { Port ports[2]; chan own };
chan a = [1] of { byte };
chan b = [1] of { byte };
chan c = [1] of { byte };
Node node[2];
init {
  node[0].ports[0].inner = a;
  node[0].ports[1].inner = b;
  node[1].own = c;
  node[0].ports[0].inner!1;
  node[0].ports[1].inner!2;
  node[1].own!3;
  node[1].ports[0].inner = node[0].ports[1].inner;
  node[1].ports[0].inner?2
}
"
    ));
}

#[test]
fn instances_that_are_told_apart_have_channels_of_their_own() {
    insta::assert_snapshot!(outline(
        "mtype = { hello, welcome };
chan door = [2] of { mtype, chan };
proctype Guest(byte id) {
  chan own = [1] of { mtype };
  door!hello(own);
  own?welcome
}
active proctype Host() {
  chan whose;
  do :: door?hello(whose) -> whose!welcome od
}
init { run Guest(1); run Guest(2) }
"
    ));
}

#[test]
fn processes_made_in_a_loop_that_ends_are_counted() {
    insta::assert_snapshot!(outline(
        "chan work[3] = [1] of { byte };
proctype Worker(byte id; chan mine) { do :: mine?id od }
init {
  byte i;
  atomic { for (i : 0 .. 2) { run Worker(i, work[i]) } }
  work[i - 1]!0
}
"
    ));
}

#[test]
fn processes_made_in_a_loop_without_end_are_one_class() {
    insta::assert_snapshot!(outline(
        "chan work[2] = [1] of { byte };
proctype Worker(byte id; chan mine) { mine!id }
init {
  byte i;
  do
  :: i < 2 -> run Worker(i, work[i]); i = 1 - i
  od
}
"
    ));
}

#[test]
fn what_init_sets_before_others_exist_is_a_constant() {
    insta::assert_snapshot!(outline(
        "chan q[4] = [1] of { byte };
byte size, first;
proctype P() { q[first]!1; if :: size == 3 -> q[size]!2 :: else -> q[0]!3 fi }
init {
  size = 2; size++;
  atomic { first = 1; run P(); run P() }
}
"
    ));
}

#[test]
fn others_do_not_interfere_inside_atomic_but_where_it_waits() {
    insta::assert_snapshot!(outline(
        "chan q[3] = [1] of { bit };
byte g;
active proctype P() {
  atomic { g = 1; q[g]!0 };
  atomic { g = 1; q[0]!0; q[g]!1 }
}
active proctype Q() { do :: g = 2 od }
"
    ));
}

#[test]
fn a_rendezvous_needs_somebody_who_answers() {
    insta::assert_snapshot!(outline(
        "mtype = { yes, no };
chan meet = [0] of { mtype };
active proctype P() { if :: meet!yes :: meet!no fi }
active proctype Q() { meet?yes }
active proctype R() { chan alone = [0] of { byte }; alone!1 }
"
    ));
}

#[test]
fn numbers_of_processes_made_at_once_are_known() {
    insta::assert_snapshot!(outline(
        "chan q[5] = [1] of { pid };
proctype P() { q[_pid]!_pid }
init { pid last; atomic { run P(); last = run P() }; q[last]?eval(last) }
"
    ));
}

#[test]
fn what_is_asked_for_is_unfolded() {
    let program = program(
        "chan q = [4] of { byte };
active proctype P() { byte i; do :: i < 2 -> q!i; i++ :: else -> break od }
",
    );
    let (id, process) = program.types.iter().next().expect("one type");
    let i = process.locals.ids().next().expect("one local");
    let tracked = [(id, [VariableRef::Local(i)].into())].into();
    let options = Options { precision: Precision { tracked, ..Precision::default() }, ..Options::default() };
    let result = abstract_program(&program, &options).expect("within limits");
    insta::assert_snapshot!(result.outline());
    let counted = result.values.values().filter(|values| !values.is_empty()).count();
    assert_eq!(
        counted + 2,
        result.system.states.len(),
        "all but the entry, and the end, where nobody reads it"
    );
}

#[test]
fn statements_that_do_the_same_are_one_transition_with_two_origins() {
    let text = "chan q = [1] of { byte };
active proctype P() { do :: q!1 :: q!2 od }
";
    let result = abstract_program(&program(text), &Options::default()).expect("within limits");
    let statements: Vec<usize> = result.statements.values().map(Vec::len).collect();
    assert_eq!(statements, [2]);
}

/// In a short program that is found out where transitions are made, in one with many values where
/// they are followed.
#[test]
fn behind_the_deadline_there_is_no_result() {
    let stops = |text: &str| {
        let program = program(text);
        let deadline = Deadline::at(Some(Instant::now()));
        let late = abstract_program(&program, &Options { deadline, ..Options::default() });
        assert_eq!(late.err(), Some(Error::TooLate));
        assert!(abstract_program(&program, &Options::default()).is_ok());
    };
    stops("active proctype P() { skip }");
    stops("byte x; active proctype P() { do :: x < 60 -> x++ :: else -> x = 0 od }");
}
