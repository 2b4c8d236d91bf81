//! Tests of data places: those that a program has, and how its moves change them.

use abstraction::{Options, Part, Precision, abstract_program};
use cfsm_core::program::VariableRef;

fn outline(text: &str) -> String {
    let outcome = promela_front::parse("model.pml", text, &promela_front::Options::default());
    let program = outcome.program.unwrap_or_else(|| panic!("{:#?}", outcome.diagnostics));
    let precision = Precision { data_places: true, ..Precision::default() };
    let options = Options { precision, ..Options::default() };
    let result = abstract_program(&program, &options).expect("within limits");
    assert_eq!(result.system.validate(), Ok(()));
    assert_eq!(result.system.data.len(), result.quantities.len());
    let without = Options { precision: Precision { data_places: false, ..Precision::default() }, ..options };
    assert!(abstract_program(&program, &without).expect("within limits").system.data.is_empty());
    result.outline()
}

#[test]
fn a_counter_between_two_guards() {
    insta::assert_snapshot!(outline(
        "chan orders = [4] of { bit };
active proctype Waiter() {
  int open;
  do
  :: open < 3 -> orders!1; open++
  :: open == 3 -> orders?1; open--
  od
}
"
    ));
}

#[test]
fn a_reset_from_a_large_range_and_a_byte_that_wraps() {
    insta::assert_snapshot!(outline(
        "active proctype P() {
  int fuel = 700; byte turns;
  do
  :: fuel > 0 -> fuel = fuel - 2; turns++
  :: fuel <= 0 -> fuel = 500
  od
}
"
    ));
}

/// A worker that returns adds one, although the number could wrap according to the analysis. A
/// variable without a guard on the side to which it counts has no data place.
#[test]
fn counters_that_could_wrap() {
    insta::assert_snapshot!(outline(
        "chan done = [4] of { bit };
int running; byte credit = 20; byte free; short up;
active proctype Master() {
  do
  :: running < 4 -> running++; done!1
  :: done?1 -> running--
  :: credit > 0 -> credit--
  :: credit = credit + 3
  :: free--; free++
  :: up > 5 -> up = 2 + up; up = up - 9
  od
}
"
    ));
}

/// The index of the slot that is taken or freed is unknown, but the sum of all slots changes by
/// one.
#[test]
fn a_table_of_slots() {
    insta::assert_snapshot!(outline(
        "chan free = [4] of { byte };
active proctype Clerk() {
  byte slot[3]; byte k;
  do
  :: k < 2 -> k++
  :: free?k
  :: slot[k] == 0 -> slot[k] = 1
  :: slot[k] == 1 -> slot[k] = 2
  :: slot[k] == 2 -> free!k; slot[k] = 0
  od
}
"
    ));
}

/// The key that is asked for again is in the table: for each key, as many slots as have been taken
/// and not freed.
#[test]
fn slots_with_what_they_hold_together() {
    let text = "chan wanted = [4] of { byte };
chan back = [4] of { byte };
active proctype Desk() {
  byte used[3], key[3]; byte k, i;
  do
  :: wanted?k ->
     if
     :: i = 0
     :: i = 1
     :: i = 2
     fi;
     used[i] == 0 -> used[i] = 1; key[i] = k
  :: back?i ->
     used[i] == 1 -> k = key[i]; used[i] = 0;
     if
     :: k == 1 -> wanted!k
     :: else
     fi
  od
}
active proctype Reader() { do :: wanted!1 :: wanted!2 :: back!0 :: back!1 od }
";
    let outcome = promela_front::parse("model.pml", text, &promela_front::Options::default());
    let program = outcome.program.unwrap_or_else(|| panic!("{:#?}", outcome.diagnostics));
    let desk = program.types.ids().next().expect("a type");
    let variable = |name: &str| {
        let mut locals = program.types[desk].locals.iter();
        VariableRef::Local(locals.find(|(_, local)| local.name == name).expect("a local").0)
    };
    let precision = Precision {
        data_places: true,
        tracked: [(desk, [variable("k")].into())].into(),
        carried: [(desk, [variable("key")].into())].into(),
        ..Precision::default()
    };
    let result =
        abstract_program(&program, &Options { precision, ..Options::default() }).expect("within limits");
    let slots = result.quantities.values().filter(|quantity| matches!(quantity.part, Part::Slots(_)));
    assert_eq!(slots.count(), 3);
    let outline = result.outline();
    let of_slots: Vec<&str> = outline.lines().filter(|line| line.contains("&&")).collect();
    insta::assert_snapshot!(of_slots.join("\n"));
}

/// The value registered with an agent is nothing, or its own port: so there is no process to
/// forward to.
#[test]
fn a_branch_that_no_element_leads_to() {
    insta::assert_snapshot!(outline(
        "chan forward = [4] of { byte };
chan names = [4] of { byte };
proctype Agent(byte port) {
  byte at[2] = 255; byte k;
  do
  :: names?k; at[k] = port
  :: at[k] != port ->
     if
     :: at[k] == 255
     :: else -> forward!at[k]
     fi
  od
}
init { names!0; names!1; run Agent(1); run Agent(2) }
"
    ));
}

#[test]
fn a_guard_that_asks_about_a_copy() {
    insta::assert_snapshot!(outline(
        "int jug = 5;
active proctype Guest() {
  int cup = 5;
  do
  :: cup > 0 -> jug--; cup = jug
  od
}
active proctype Host() {
  do
  :: jug = 5
  od
}
"
    ));
}

#[test]
fn instances_bring_what_they_start_with() {
    insta::assert_snapshot!(outline(
        "int left = 9;
proctype P(int n) {
  do
  :: n > 0 -> n--
  :: atomic { left > 0 -> left-- }
  od
}
init { run P(4); run P(200) }
"
    ));
}
