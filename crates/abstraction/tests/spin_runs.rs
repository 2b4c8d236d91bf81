//! Runs that Spin has and that one would not expect: each of them must be in the system. The
//! models are those in which a proof was wrong once.

use abstraction::{Options, abstract_program};
use cfsm_core::system::{Direction, System};

fn system(text: &str) -> System {
    let outcome = promela_front::parse("model.pml", text, &promela_front::Options::default());
    let program = outcome.program.unwrap_or_else(|| panic!("{:#?}", outcome.diagnostics));
    abstract_program(&program, &Options::default()).expect("within limits").system
}

/// The names of all buffers.
fn buffers(text: &str) -> Vec<String> {
    system(text).buffers.values().map(|buffer| buffer.name.clone()).collect()
}

/// Numbers of transitions that send into a buffer, and that receive from it.
fn effects(text: &str, buffer: &str) -> (usize, usize) {
    let system = system(text);
    let buffer = system.buffers.iter().find(|(_, found)| found.name == buffer).expect("a buffer").0;
    let count = |direction| {
        let events = system.transitions.values().flat_map(|transition| &transition.events);
        let on = |message| system.messages[message].buffer == buffer;
        events.filter(|event| event.direction == direction && on(event.message)).count()
    };
    (count(Direction::Send), count(Direction::Receive))
}

#[test]
fn a_comment_that_ends_in_a_backslash_goes_on() {
    let text = "chan c = [20] of { byte };
active proctype P() {
  c!1; // take it away again \\
  c?_
  c!1;
  // take it away again \\ \t
  c?_
  c!1
}";
    assert_eq!(effects(text, "c"), (3, 0));
}

#[test]
fn a_global_that_another_one_is_made_from_may_not_be_made_yet() {
    let model = |value: &str| {
        format!(
            "chan c = [20] of {{ byte }};
int x = 5; byte y = x; byte z = y + 1;
active proctype P() {{ if :: z == {value} -> c!1; c!1 :: else fi }}"
        )
    };
    // The verifier makes all bytes before all ints, the simulator makes what is read first.
    assert_eq!(effects(&model("1"), "c").0, 2);
    assert_eq!(effects(&model("6"), "c").0, 2);
    assert_eq!(effects(&model("5"), "c").0, 0);
}

#[test]
fn the_number_of_a_channel_goes_to_a_later_one_when_its_process_has_ended() {
    let model = |end: &str| {
        format!(
            "chan give = [2] of {{ chan }};
proctype A() {{ chan mine = [20] of {{ byte }}; give!mine{end} }}
proctype B() {{ chan other = [20] of {{ byte }}; do :: other?_ od }}
active proctype Q() {{ chan x; run A(); give?x; run B(); x!1; x!2; x!3 }}"
        )
    };
    assert_eq!(effects(&model(""), "A[1].mine").0, 3);
    assert_eq!(effects(&model(""), "B[2].other"), (3, 1));
    // A process that does not end keeps its channels.
    assert_eq!(effects(&model("; do :: mine?_ od"), "B[2].other"), (0, 0));
}

#[test]
fn a_reference_into_a_global_or_an_argument_may_outlive_its_channel_too() {
    let through_a_global = "chan left;
proctype A() { chan mine = [20] of { byte }; left = mine }
proctype B() { chan other = [20] of { byte }; other?_ }
active proctype Q() { run A(); run B(); left!1 }";
    assert_eq!(effects(through_a_global, "B[2].other"), (1, 1));
    let as_an_argument = "proctype C(chan x) { (_nr_pr == 3); x!1 }
proctype A() { chan mine = [20] of { byte }; run C(mine); mine!1 }
proctype B() { chan other = [20] of { byte }; other?_ }
active proctype Q() { run A(); run B() }";
    assert_eq!(effects(as_an_argument, "B[2].other"), (1, 1));
}

#[test]
fn channels_of_one_instance_do_not_come_after_each_other() {
    let model = |create: &str| {
        format!(
            "init {{ {create} }}
proctype R() {{ chan c = [20] of {{ byte }}; chan d = [20] of {{ byte }}; run A(d, c) }}
proctype A(chan p; chan q) {{ p!0; q!1 }}"
        )
    };
    assert_eq!(effects(&model("run R()"), "R[1].c"), (1, 0));
    // The channels of a later instance may have the numbers of those of an earlier one.
    for create in [
        "do :: run R() :: break od",
        "run R(); run R()",
        "byte i; do :: i < 2 -> run R(); i++ :: else -> break od",
    ] {
        let buffers = buffers(&model(create));
        let name = buffers.iter().find(|name| name.ends_with(".c")).expect("a channel of R");
        assert!(effects(&model(create), name).0 >= 2, "{create}: {buffers:?}");
    }
}

#[test]
fn a_channel_that_is_compared_may_have_the_number_of_an_earlier_one() {
    let text = "chan left; chan c = [20] of { byte };
proctype A() { chan mine = [20] of { byte }; left = mine }
proctype B() { chan other = [20] of { byte }; if :: left == other -> c!1 :: else fi }
active proctype Q() { run A(); run B() }";
    assert_eq!(effects(text, "c").0, 1);
}

#[test]
fn an_element_of_an_array_of_bits_may_hold_a_byte() {
    let model = |value: &str, declaration: &str| {
        format!(
            "chan c = [20] of {{ byte }};
init {{ {declaration}; if :: b[1] == {value} -> c!1; c!1 :: else fi }}"
        )
    };
    for declaration in ["bit b[3]; b[1] = 2", "bool b[3] = 2"] {
        assert_eq!(effects(&model("2", declaration), "c").0, 2);
        assert_eq!(effects(&model("0", declaration), "c").0, 2);
    }
    assert_eq!(effects(&model("2", "bit b[3]; b[1] = 1"), "c").0, 0);
}

#[test]
fn the_only_field_of_a_message_may_hold_a_byte_where_it_is_a_bit() {
    let model = |capacity: u32, fields: &str, message: &str| {
        format!(
            "chan c = [20] of {{ byte }}; chan e = [{capacity}] of {{ {fields} }};
active proctype P() {{ e!{message} }}
active proctype Q() {{ if :: e?{message} -> c!1; c!1 :: e?0 fi }}"
        )
    };
    for capacity in [0, 5] {
        assert_eq!(effects(&model(capacity, "bit", "2"), "c").0, 2);
        assert_eq!(effects(&model(capacity, "bit, bit", "2,2"), "c").0, 0);
    }
    // A message is of one of two types, and each of the receives takes one.
    assert_eq!(effects(&model(5, "bool", "2"), "e"), (2, 2));
}

#[test]
fn a_message_has_the_fields_of_the_channel_that_it_is_sent_to() {
    let send = "chan c = [5] of { byte, byte };  chan d = [20] of { byte };
active proctype P() { c = d; c!1; c!1; c!1 }";
    assert_eq!(effects(send, "d").0, 3);
    let receive = "chan c = [5] of { byte, byte };  chan d = [20] of { byte }; chan e = [20] of { byte };
active proctype P() { d!7; c = d; c?7; e!1; e!1 }";
    assert_eq!(effects(receive, "d"), (1, 1));
    assert_eq!(effects(receive, "e").0, 2);
}

#[test]
fn a_run_may_go_on_with_the_wrong_number_of_fields() {
    let text = "chan d = [20] of { byte, byte }; chan e = [20] of { byte };
proctype S(chan q) { q!1 }
proctype R(chan q) { byte x; q?x; if :: x == 1 -> e!x :: else fi }
init { run S(d); run R(d) }";
    assert_eq!(effects(text, "d"), (1, 1));
    assert_eq!(effects(text, "e").0, 1);
    let too_many = "chan d = [20] of { byte }; chan e = [20] of { byte }; chan two = [1] of { byte, byte };
proctype S(chan q) { q!1,2 }
proctype R(chan q) { byte x; q?_,x; if :: x == 9 -> e!x :: else fi }
init { run S(d); run R(d) }";
    assert_eq!(effects(too_many, "d"), (1, 1));
    assert_eq!(effects(too_many, "e").0, 1);
}

#[test]
fn a_new_process_is_initialised_before_the_result_of_run_is_stored() {
    let model = |creation: &str| {
        format!(
            "byte x = 7; chan c = [4] of {{ byte }};
proctype A() {{ byte y = x; if :: y == 7 -> c!1 :: else -> c!2; c!3; c!4 fi }}
init {{ {creation} }}"
        )
    };
    assert_eq!(effects(&model("x = run A()"), "c").0, 4);
    assert_eq!(effects(&model("atomic { x = 7; x = run A() }"), "c").0, 4);
    assert_eq!(effects(&model("run A()"), "c").0, 1);
}

#[test]
fn initial_processes_are_initialised_one_after_the_other() {
    let model = |declaration: &str, claim: &str| {
        format!(
            "chan c = [4] of {{ byte }};
active [3] proctype P() {{ {declaration}; if :: n != 3 -> c!1 :: else fi }}
{claim}"
        )
    };
    assert_eq!(effects(&model("byte n = _nr_pr", ""), "c").0, 1);
    assert_eq!(effects(&model("byte n = 3", ""), "c").0, 0);
    // The verifier counts the process that stands for a formula.
    let one = |claim: &str| {
        let text = "chan c = [4] of { byte };
active proctype P() { byte n = _nr_pr; if :: n != 1 -> c!1 :: else fi }
";
        effects(&format!("{text}{claim}"), "c").0
    };
    assert_eq!(one("ltl f { [] (len(c) < 9) }"), 1);
    assert_eq!(one(""), 0);
}

/// An initial value may read an element before anything is known about the element at that index.
#[test]
fn initial_values_may_be_elements() {
    let model = |table: &str| {
        format!(
            "chan c = [4] of {{ byte }};
active proctype P() {{ {table}; byte k = 1; byte y = a[k]; do :: y == 1 -> c!1 :: y == 2 -> c!1; c!1; c!1 :: a[k] == 5 od }}"
        )
    };
    assert_eq!(effects(&model("byte a[2] = 1"), "c").0, 1);
    assert!(effects(&model("byte a[3] = { 0, 2, 0 }"), "c").0 >= 3);
}

#[test]
fn there_may_be_more_processes_than_spin_allows() {
    let text = "chan c = [4] of { byte }; byte x;
proctype A() { (x == 200) }
init { int i; atomic { do :: i < 256 -> x = run A(); i++ :: else -> break od;
  if :: _nr_pr == 255 -> c!1 :: _nr_pr > 255 -> c!2 fi } }";
    assert!(effects(text, "c").0 > 0);
}
