//! Tests of message types (thesis 7.2, paper 000 sections 3.1 and 3.2) and of values.

use cfsm_core::program::{Action, Binary, Expression, Pattern, Type};

use crate::testing::{
    ProgramBuilder, assign, constant, global, into, is, plus, process, receive, run, send, skip,
};
use crate::{Error, Options, abstract_program};

/// A sender that sets a symbolic variable to one of two values, and a receiver that tells three
/// apart.
#[test]
fn a_variable_sent_gives_a_transition_per_value_it_may_have() {
    let mut b = ProgramBuilder::new();
    let kind = b.symbols(&["red", "green", "blue"]);
    let c = b.channel("c", 2, &[kind]);
    let mut p = process("P");
    let v = p.local("v", kind);
    p.edge(1, assign(v, constant(1)), 2).edge(1, assign(v, constant(2)), 2).edge(
        2,
        send(c, vec![global(v)]),
        1,
    );
    b.active(p, 1);
    let mut q = process("Q");
    for colour in 1..=3 {
        q.edge(1, receive(c, vec![is(colour)]), 1);
    }
    b.active(q, 1);
    insta::assert_snapshot!(b.outline(), @"
    buffer c [2] <red> <green>
    class P x1 from 1
      1 -> 2:
      2 -> 1: +c(red)
      2 -> 1: +c(green)
    class Q x1 from 1
      1 -> 1: -c(red)
      1 -> 1: -c(green)
    ");
}

/// The receives of thesis Example 7.2: one looks at the first field, one at the second.
fn two_fields(number: Expression, flag: Expression) -> String {
    let mut b = ProgramBuilder::new();
    let a = b.channel("a", 10, &[Type::Int, Type::Bit]);
    let mut p = process("P");
    p.edge(1, send(a, vec![number, flag]), 1);
    b.active(p, 1);
    let mut q = process("Q");
    q.edge(1, receive(a, vec![is(5), Pattern::Any]), 1).edge(1, receive(a, vec![Pattern::Any, is(1)]), 2);
    b.active(q, 1);
    b.outline()
}

#[test]
fn overlapping_receives_give_four_types_where_everything_is_sent() {
    insta::assert_snapshot!(two_fields(Expression::Last, Expression::Timeout), @"
    buffer a [10] <5,1> <5,_> <_,1> <_,_>
    class P x1 from 1
      1 -> 1: +a(5,1)
      1 -> 1: +a(5,_)
      1 -> 1: +a(_,1)
      1 -> 1: +a(_,_)
    class Q x1 from 1
      1 -> 1: -a(5,1)
      1 -> 1: -a(5,_)
      1 -> 2: -a(5,1)
      1 -> 2: -a(_,1)
    ");
}

#[test]
fn overlapping_receives_give_fewer_types_where_less_is_sent() {
    insta::assert_snapshot!(two_fields(constant(5), Expression::Timeout), @"
    buffer a [10] <5,1> <5,_>
    class P x1 from 1
      1 -> 1: +a(5,1)
      1 -> 1: +a(5,_)
    class Q x1 from 1
      1 -> 1: -a(5,1)
      1 -> 1: -a(5,_)
      1 -> 2: -a(5,1)
    ");
}

#[test]
fn a_pattern_of_two_constants_takes_both_types() {
    let mut b = ProgramBuilder::new();
    let kind = b.symbols(&["on", "off", "quit"]);
    let c = b.channel("c", 1, &[kind, Type::Byte]);
    let mut p = process("P");
    for number in 1..=3 {
        p.edge(1, send(c, vec![constant(number), constant(9)]), 1);
    }
    b.active(p, 1);
    let mut q = process("Q");
    for number in 1..=2 {
        q.edge(1, receive(c, vec![is(number), Pattern::Any]), 1);
    }
    let any_of_both =
        Expression::Conditional(Box::new(Expression::Timeout), Box::new(constant(1)), Box::new(constant(2)));
    q.edge(1, receive(c, vec![Pattern::Match(any_of_both), Pattern::Any]), 1);
    b.active(q, 1);
    insta::assert_snapshot!(b.outline(), @"
    buffer c [1] <on,_> <off,_> <_,_>
    class P x1 from 1
      1 -> 1: +c(on,_)
      1 -> 1: +c(off,_)
      1 -> 1: +c(_,_)
    class Q x1 from 1
      1 -> 1: -c(on,_)
      1 -> 1: -c(off,_)
    ");
}

#[test]
fn eval_of_an_unknown_value_may_match_every_type() {
    let mut b = ProgramBuilder::new();
    let c = b.channel("c", 1, &[Type::Byte]);
    let mut p = process("P");
    p.edge(1, send(c, vec![constant(7)]), 1).edge(1, send(c, vec![constant(8)]), 1);
    b.active(p, 1);
    let mut q = process("Q");
    q.edge(1, receive(c, vec![is(7)]), 1).edge(1, receive(c, vec![Pattern::Match(Expression::Last)]), 2);
    b.active(q, 1);
    insta::assert_snapshot!(b.outline(), @"
    buffer c [1] <7> <_>
    class P x1 from 1
      1 -> 1: +c(7)
      1 -> 1: +c(_)
    class Q x1 from 1
      1 -> 1: -c(7)
      1 -> 2: -c(7)
      1 -> 2: -c(_)
    ");
}

#[test]
fn values_travel_in_messages_together_with_their_tag() {
    let mut b = ProgramBuilder::new();
    let kind = b.symbols(&["go", "stop"]);
    let c = b.channel("c", 1, &[kind, Type::Byte]);
    let d = b.channel("d", 1, &[Type::Byte]);
    let mut p = process("P");
    p.edge(1, send(c, vec![constant(1), constant(3)]), 1).edge(1, send(c, vec![constant(2), constant(4)]), 1);
    b.active(p, 1);
    let mut q = process("Q");
    let x = q.local("x", Type::Byte);
    q.edge(1, receive(c, vec![is(1), into(x)]), 2).edge(2, send(d, vec![global(x)]), 1);
    b.active(q, 1);
    let mut r = process("R");
    r.edge(1, receive(d, vec![is(3)]), 1).edge(1, receive(d, vec![is(4)]), 2).edge(2, skip(), 1);
    b.active(r, 1);
    // No 4 is sent with `go`, so the code after the receive of 4 is dead.
    insta::assert_snapshot!(b.outline(), @"
    buffer c [1] <go,_> <_,_>
    buffer d [1] <3>
    class P x1 from 1
      1 -> 1: +c(go,_)
      1 -> 1: +c(_,_)
    class Q x1 from 1
      1 -> 2: -c(go,_)
      2 -> 1: +d(3)
    class R x1 from 1
      1 -> 1: -d(3)
    ");
}

#[test]
fn a_peek_takes_nothing_and_tells_nothing_apart() {
    let mut b = ProgramBuilder::new();
    let c = b.channel("c", 1, &[Type::Byte]);
    let mut p = process("P");
    p.edge(1, send(c, vec![constant(7)]), 1).edge(1, send(c, vec![constant(8)]), 1);
    b.active(p, 1);
    let mut q = process("Q");
    let peek =
        |pattern| Action::Receive { channel: global(c), patterns: vec![pattern], random: false, peek: true };
    q.edge(1, peek(is(7)), 2).edge(1, peek(is(9)), 3).edge(2, receive(c, vec![Pattern::Any]), 1);
    b.active(q, 1);
    insta::assert_snapshot!(b.outline(), @"
    buffer c [1] <>
    class P x1 from 1
      1 -> 1: +c
    class Q x1 from 1
      1 -> 2:
      2 -> 1: -c
    ");
}

#[test]
fn a_set_of_values_is_widened_and_wraps() {
    let mut b = ProgramBuilder::new();
    let c = b.channel("c", 1, &[Type::Unsigned(2)]);
    let mut p = process("P");
    let x = p.local("x", Type::Byte);
    p.edge(1, assign(x, plus(global(x), 1)), 2).edge(2, send(c, vec![global(x)]), 1);
    b.active(p, 1);
    let mut q = process("Q");
    q.edge(1, receive(c, vec![is(3)]), 1)
        // Does not fit into two bits.
        .edge(1, receive(c, vec![is(4)]), 2);
    b.active(q, 1);
    insta::assert_snapshot!(b.outline(), @"
    buffer c [1] <3> <_>
    class P x1 from 1
      1 -> 2:
      2 -> 1: +c(3)
      2 -> 1: +c(_)
    class Q x1 from 1
      1 -> 1: -c(3)
    ");
}

#[test]
fn a_global_is_what_anyone_writes_and_a_condition_that_is_never_true_is_dead() {
    let program = |other: i64| {
        let mut b = ProgramBuilder::new();
        let g = b.global("g", Type::Byte);
        let c = b.channel("c", 1, &[Type::Byte]);
        let is_two = Expression::Binary(Binary::Equal, Box::new(global(g)), Box::new(constant(2)));
        let mut p = process("P");
        p.edge(1, assign(g, constant(1)), 2).edge(2, Action::Condition(is_two), 3).edge(
            3,
            send(c, vec![global(g)]),
            0,
        );
        b.active(p, 1);
        let mut q = process("Q");
        q.edge(1, assign(g, constant(other)), 0);
        b.active(q, 1);
        b.outline()
    };
    insta::assert_snapshot!(program(3), @"
    buffer c [1]
    class P x1 from 1
      1 -> 2:
    class Q x1 from 1
      1 -> end:
    ");
    insta::assert_snapshot!(program(2), @"
    buffer c [1] <>
    class P x1 from 1
      1 -> 2:
      2 -> 3:
      3 -> end: +c
    class Q x1 from 1
      1 -> end:
    ");
}

#[test]
fn opaque_code_may_write_every_variable() {
    let mut b = ProgramBuilder::new();
    let c = b.channel("c", 1, &[Type::Bit]);
    let d = b.channel("d", 1, &[Type::Bit]);
    let mut p = process("P");
    let x = p.local("x", Type::Byte);
    let code = Action::Opaque { text: "x = 1;".into(), guard: false };
    p.edge(1, code, 2).edge(2, send(c, vec![global(x)]), 3).edge(3, receive(d, vec![is(1)]), 0);
    b.active(p, 1);
    let abstraction = b.abstracted();
    insta::assert_snapshot!(abstraction.outline(), @"
    buffer c [1] <1> <_>
    buffer d [1] <1> <_>
    class P x1 from 1
      1 -> 2:
      2 -> 3: +c(1)
      2 -> 3: +c(_)
      2 -> 3: +d(1)
      2 -> 3: +d(_)
      3 -> end: -c(1)
      3 -> end: -d(1)
    ");
    assert!(abstraction.assumptions.iter().any(|assumption| assumption.contains("C code")));
}

#[test]
fn limits_make_it_coarser_and_too_many_transitions_are_an_error() {
    let mut b = ProgramBuilder::new();
    let c = b.channel("c", 1, &[Type::Byte]);
    let quiet = b.add(process("Quiet"));
    let mut p = process("P");
    p.edge(1, run(quiet, Vec::new()), 1);
    for number in 1..=5 {
        p.edge(1, send(c, vec![constant(number)]), 1).edge(1, receive(c, vec![is(number)]), 1);
    }
    b.active(p, 1);
    let program = b.finish();
    let options = |constants, transitions| Options { constants, transitions, ..Options::default() };
    let exact = abstract_program(&program, &options(5, 11)).unwrap();
    assert_eq!((exact.system.messages.len(), exact.approximations.len()), (5, 0));
    let coarse = abstract_program(&program, &options(4, 11)).unwrap();
    assert_eq!((coarse.system.messages.len(), coarse.approximations.len()), (1, 1));
    assert_eq!(abstract_program(&program, &options(5, 10)), Err(Error::TooManyTransitions { limit: 10 }));
}
