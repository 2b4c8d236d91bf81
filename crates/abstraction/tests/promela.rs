//! From Promela text to the abstract system.

use abstraction::{Abstraction, Analysed, Made, Options, Precision, abstract_program};

fn abstracted(text: &str) -> Abstraction {
    let outcome = promela_front::parse("model.pml", text, &promela_front::Options::default());
    let program = outcome.program.unwrap_or_else(|| panic!("{:#?}", outcome.diagnostics));
    let result = abstract_program(&program, &Options::default()).expect("within limits");
    assert_eq!(result.system.validate(), Ok(()));
    assert_eq!(result, abstract_program(&program, &Options::default()).expect("within limits"));
    result
}

fn outline(text: &str) -> String {
    abstracted(text).outline()
}

#[test]
fn a_kitchen_where_one_dish_is_never_cooked() {
    insta::assert_snapshot!(outline(
        "mtype = { soup, salad, bill };
chan orders = [4] of { mtype, byte };
chan served = [4] of { mtype };
active proctype Guest() {
  mtype dish = soup;
  byte table;
  do
  :: dish = soup
  :: dish = salad
  :: orders!dish(table); served?eval(dish)
  :: table < 3 -> table++
  od
}
active proctype Cook() {
  byte where;
  do
  :: orders?soup(where) -> served!soup
  :: orders?bill(where) -> served!bill
  od
}
"
    ));
}

#[test]
fn workers_with_the_channels_they_are_given() {
    insta::assert_snapshot!(outline(
        "chan left = [2] of { byte };
chan right = [2] of { byte };
proctype Mover(chan from; chan to) {
  byte load;
end: do
  :: from?load -> to!load
  od
}
init {
  atomic {
    run Mover(left, right);
    run Mover(right, left);
    run Mover(left, right)
  }
  left!1
}
"
    ));
}

#[test]
fn clients_that_bring_their_own_channel() {
    let abstraction = abstracted(
        "chan counter = [5] of { chan, byte };
active [2] proctype Customer() {
  chan answer = [1] of { bit };
  bit ok;
  do
  :: counter!answer, 7;
     answer?ok
  od
}
active proctype Clerk() {
  chan who;
  byte wish;
  do
  :: counter?who, wish -> who!1
  od
}
",
    );
    insta::assert_snapshot!(abstraction.outline());
    insta::assert_snapshot!("clients_assumptions", abstraction.assumptions.join("\n"));
}

#[test]
fn a_handshake_and_an_alternating_flag() {
    insta::assert_snapshot!(outline(
        "mtype = { data, ack };
chan wire = [1] of { mtype, bit };
chan back = [1] of { mtype, bit };
chan start = [0] of { bool };
active proctype Source() {
  bit flag;
  start!true;
  do
  :: wire!data(flag);
     if
     :: back?ack(eval(flag)) -> flag = 1 - flag
     :: back?ack(eval(1 - flag))
     fi
  od
}
active proctype Sink() {
  bit expected;
  bit got;
  start?true;
  do
  :: wire?data(got) ->
     back!ack(got);
     if
     :: got == expected -> expected = 1 - expected
     :: else
     fi
  od
}
"
    ));
}

#[test]
fn a_ring_by_index_with_processes_made_in_a_loop() {
    insta::assert_snapshot!(outline(
        "#define N 3
chan ring[N] = [1] of { byte };
proctype Node(byte self) {
  byte token;
  do
  :: ring[self]?token -> ring[(self + 1) % N]!token
  od
}
init {
  byte i;
  do
  :: i < N -> run Node(i); i++
  :: i == N -> break
  od;
  ring[0]!9
}
"
    ));
}

/// Assumptions about run-time errors are reported only for programs that can have these errors.
#[test]
fn errors_that_end_a_run_are_assumptions() {
    let assumptions = |body: &str| {
        let text = format!("chan c = [2] of {{ byte }}; active proctype P() {{ byte n; chan none; {body} }}");
        let outcome = promela_front::parse("errors.pml", &text, &promela_front::Options::default());
        let program = outcome.program.expect("a valid model");
        abstract_program(&program, &Options::default()).expect("within limits").assumptions.join("; ")
    };
    assert!(assumptions("c!(6 / n)").contains("at a division by 0"));
    assert!(assumptions("(c?[eval(6 % n)])").contains("at a division by 0"));
    assert!(assumptions("byte m = 6 / n; c!m").contains("at a division by 0"));
    assert!(!assumptions("c!(n / 6)").contains("division"));
    assert!(assumptions("none!1").contains("a channel is used that does not exist"));
}

/// A channel that does not exist comes from an `active` process's parameter, too, or in a message.
#[test]
fn a_channel_that_is_0_is_an_assumption_where_it_is_used() {
    let assumptions = |text: &str| {
        let outcome = promela_front::parse("none.pml", text, &promela_front::Options::default());
        let program = outcome.program.expect("a valid model");
        abstract_program(&program, &Options::default()).expect("within limits").assumptions.join("; ")
    };
    let said = "a channel is used that does not exist";
    assert!(assumptions("chan d = [1] of { byte }; active proctype P(chan c) { c!1 }").contains(said));
    let message = |sent: &str| {
        assumptions(&format!(
            "chan give = [2] of {{ byte, chan }}; chan one = [2] of {{ byte }};
            active proctype P() {{ chan c = one; give!{sent}; give?_,c; c!1 }}"
        ))
    };
    assert!(message("1").contains(said));
    assert!(!message("1,c").contains(said));
}

/// Statements inside a C expression have no effect in the system.
#[test]
fn a_look_at_a_rendezvous_is_an_assumption() {
    let found = |capacity: u32| {
        let text = format!(
            "chan c = [{capacity}] of {{ byte }};
active proctype P() {{ byte x; c!1; c?<x> }}
"
        );
        abstracted(&text).assumptions.iter().any(|assumption| assumption.contains("rendezvous"))
    };
    assert!(!found(1));
    // Nobody sends, but the statement is not reached either.
    assert!(!found(0));
    let looked_at = abstracted("chan c = [0] of { byte }; active proctype P() { byte x; c?<x> }");
    assert!(looked_at.assumptions.iter().any(|assumption| assumption.contains("rendezvous")));
    assert!(looked_at.system.transitions.is_empty());
}

#[test]
fn an_expression_in_c_is_an_assumption() {
    let assumptions = |body: &str| {
        let text = format!("byte x, y; active proctype P() {{ {body} }} trace {{ do :: c!_ od }}");
        let text = format!("chan c = [2] of {{ byte }}; {text}");
        let outcome = promela_front::parse("code.pml", &text, &promela_front::Options::default());
        let program = outcome.program.expect("a valid model");
        abstract_program(&program, &Options::default()).expect("within limits").assumptions.join("; ")
    };
    let said = "an embedded C expression does not change variables";
    // Each of these lets Spin's verifier go on with x = 1.
    assert!(assumptions("y = c_expr { (now.x = 1) }; c!x").contains(said));
    assert!(assumptions("if :: y == 0 && c_expr { (now.x = 1) } -> c!x fi").contains(said));
    assert!(assumptions("if :: c_expr { (now.x = 1) && 0 } :: x == 1 -> c!x fi").contains(said));
    assert!(!assumptions("c_code { now.x = 1; }; c!x").contains(said));
}

/// A formula is never dropped in silence.
#[test]
fn formulas_are_named_as_not_analysed() {
    let found =
        abstracted("byte x;\nactive proctype P() { x = 1 }\nltl p { <> (x == 1) }\nltl { [] (x < 2) }\n");
    let named = "not analysed, and no part of the verdict: the ltl formula `p`, the ltl formula `ltl_1`";
    assert!(found.assumptions.iter().any(|assumption| assumption == named), "{:?}", found.assumptions);
}

/// A receiver that counts what it gets, and a sender that has counted it: places and pairs both
/// have something to say.
const COUNTED: &str = "chan q = [2] of { byte }; chan lost = [1] of { byte };
active proctype S() { byte n; do :: n < 5 -> q!n; n++ :: n == 5 -> n = 0 od }
active proctype R() { byte r, got; do :: q?got -> if :: got != r -> lost!got :: else fi; r = (r + 1) % 5 od }";

#[test]
fn systems_of_one_analysis_are_those_of_an_analysis_for_each() {
    let outcome = promela_front::parse("model.pml", COUNTED, &promela_front::Options::default());
    let program = outcome.program.expect("it is right");
    let plain = Options::default();
    let known = Analysed::of(&program, &plain).expect("within limits");
    let mut all = Vec::new();
    for (data_places, pairs) in [(true, true), (true, false), (false, true), (false, false)] {
        let precision = Precision { data_places, pairs, ..Precision::default() };
        let one = known.clone().abstraction(Made { data_places, pairs }).expect("within limits");
        let alone = abstract_program(&program, &Options { precision, ..Options::default() });
        assert_eq!(Ok(&one), alone.as_ref());
        assert!(!all.contains(&one), "{data_places} {pairs}");
        all.push(one);
    }
}
