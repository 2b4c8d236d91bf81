//! Tests of process classes (thesis 7.3 and 7.6, paper 000 sections 3.3, 3.4 and 3.7).

use cfsm_core::ids::Id;
use cfsm_core::program::{Expression, ProcessTypeId, Type};

use crate::testing::{
    ProgramBuilder, assign, constant, element, global, is, plus, process, receive, run, send, send_to, skip,
};
use crate::{Options, abstract_program};

/// Instances of one type, each with the pair of channels it is given.
fn relays(pairs: &[(usize, usize)]) -> String {
    let mut b = ProgramBuilder::new();
    let kind = b.symbols(&["token"]);
    let channels = [b.channel("C", 2, &[kind]), b.channel("D", 2, &[kind])];
    let mut p = process("P");
    let (x, y) = (p.parameter("x", Type::Channel), p.parameter("y", Type::Channel));
    p.edge(1, receive(x, vec![is(1)]), 2).edge(2, send(y, vec![constant(1)]), 3).edge(
        3,
        send(y, vec![constant(1)]),
        1,
    );
    let id = b.add(p);
    let mut init = process("init");
    init.edge(1, send(channels[0], vec![constant(1)]), 2);
    for (line, &(x, y)) in (2..).zip(pairs) {
        let arguments = vec![global(channels[x]), global(channels[y])];
        init.edge(line, run(id, arguments), line + 1);
    }
    b.active(init, 1);
    b.outline()
}

#[test]
fn arguments_make_classes() {
    insta::assert_snapshot!(relays(&[(0, 1), (1, 1)]), @"
    buffer C [2] <token>
    buffer D [2] <token>
    class init x1 from 1
      1 -> 2: +C(token)
      2 -> 3: run P(C,D)
      3 -> 4: run P(D,D)
    class P(C,D) x0 from 1
      1 -> 2: -C(token)
      2 -> 3: +D(token)
      3 -> 1: +D(token)
    class P(D,D) x0 from 1
      1 -> 2: -D(token)
      2 -> 3: +D(token)
      3 -> 1: +D(token)
    ");
}

#[test]
fn equal_arguments_are_one_class() {
    insta::assert_snapshot!(relays(&[(0, 1), (0, 1)]), @"
    buffer C [2] <token>
    buffer D [2] <>
    class init x1 from 1
      1 -> 2: +C(token)
      2 -> 3: run P
      3 -> 4: run P
    class P x0 from 1
      1 -> 2: -C(token)
      2 -> 3: +D
      3 -> 1: +D
    ");
}

#[test]
fn active_processes_are_counted() {
    let mut b = ProgramBuilder::new();
    let c = b.channel("c", 1, &[Type::Pid]);
    let mut p = process("P");
    p.edge(1, send(c, vec![constant(1)]), 0);
    b.active(p, 3);
    insta::assert_snapshot!(b.outline(), @"
    buffer c [1] <>
    class P x3 from 1
      1 -> end: +c
    ");
}

#[test]
fn active_processes_that_ask_for_their_number_are_told_apart() {
    let mut b = ProgramBuilder::new();
    let c = b.channels("c", 2, &[Type::Pid]);
    let mut p = process("P");
    p.edge(1, send_to(Expression::Read(element(c, Expression::Pid)), vec![constant(1)]), 0);
    b.active(p, 2);
    insta::assert_snapshot!(b.outline(), @"
    buffer c[0] [1] <>
    buffer c[1] [1] <>
    class P[0] x1 from 1
      1 -> end: +c[0]
    class P[1] x1 from 1
      1 -> end: +c[1]
    ");
}

#[test]
fn a_run_in_a_loop_is_one_class_with_all_arguments() {
    let mut b = ProgramBuilder::new();
    let mut worker = process("Worker");
    worker.parameter("number", Type::Unsigned(2));
    worker.local_channel("own", &[Type::Bit]);
    worker.edge(1, skip(), 0);
    let id = b.add(worker);
    let mut init = process("init");
    let i = init.local("i", Type::Byte);
    init.edge(1, run(id, vec![global(i)]), 2)
        .edge(2, assign(i, plus(global(i), 1)), 1)
        .edge(2, skip(), 3)
        .edge(3, run(id, vec![constant(3)]), 0);
    b.active(init, 1);
    insta::assert_snapshot!(b.outline(), @"
    buffer Worker[*].own [1]
    buffer Worker[1].own [1]
    class init x1 from 1
      1 -> 2: run Worker(0|1|2|…)
      2 -> 1:
      2 -> 3:
      3 -> end: run Worker(3)
    class Worker(0|1|2|…) x0 from 1
      1 -> end:
    class Worker(3) x0 from 1
      1 -> end:
    ");
}

#[test]
fn recursion_with_a_growing_argument_ends() {
    let mut b = ProgramBuilder::new();
    let c = b.channel("c", 1, &[Type::Byte]);
    let id = b.next();
    let mut p = process("P");
    let x = p.parameter("x", Type::Byte);
    p.edge(1, send(c, vec![global(x)]), 2).edge(2, run(id, vec![plus(global(x), 1)]), 0);
    b.add(p);
    let mut init = process("init");
    init.edge(1, run(id, vec![constant(0)]), 0);
    b.active(init, 1);
    insta::assert_snapshot!(b.outline(), @"
    buffer c [1] <>
    class init x1 from 1
      1 -> end: run P(0)
    class P(0) x0 from 1
      1 -> 2: +c
      2 -> end: run P(_)
    class P(_) x0 from 1
      1 -> 2: +c
      2 -> end: run P(_)
    ");
}

#[test]
fn mutual_creation_ends_and_a_limit_on_contexts_merges() {
    let mut b = ProgramBuilder::new();
    let (p_id, q_id) = (ProcessTypeId::new(0), ProcessTypeId::new(1));
    let mut p = process("P");
    p.edge(1, run(q_id, Vec::new()), 0);
    b.active(p, 1);
    let mut q = process("Q");
    q.edge(1, run(p_id, Vec::new()), 2).edge(2, run(p_id, Vec::new()), 0);
    b.add(q);
    let program = b.finish();
    let expected = "class P x1 from 1
  1 -> end: run Q
class Q x0 from 1
  1 -> 2: run P
  2 -> end: run P
";
    for limit in [1, 2, 64] {
        let (contexts_per_type, descendants_per_type) = (limit, limit);
        let options = Options { contexts_per_type, descendants_per_type, ..Options::default() };
        let abstraction = abstract_program(&program, &options).unwrap();
        assert_eq!(abstraction.outline(), expected);
        assert_eq!(abstraction.approximations.is_empty(), limit > 1, "{limit}");
    }
}

/// The way in which instances of a process type are created.
#[derive(Clone, Copy)]
enum Creation {
    Active(u32),
    Once,
    InLoop,
    Recursive,
}

/// Number of message types sent by a process that writes 1 and then 2 to a global and sends the
/// value that it reads back.
fn types_read_back(creation: Creation) -> usize {
    let mut b = ProgramBuilder::new();
    let g = b.global("g", Type::Byte);
    let c = b.channel("c", 1, &[Type::Byte]);
    let id = b.next();
    let mut p = process("P");
    p.edge(1, assign(g, constant(1)), 2).edge(2, assign(g, constant(2)), 3).edge(
        3,
        send(c, vec![global(g)]),
        0,
    );
    if let Creation::Recursive = creation {
        p.edge(1, run(id, Vec::new()), 1);
    }
    let behind = |creation| match creation {
        Creation::InLoop => 1,
        _ => 0,
    };
    if let Creation::Active(count) = creation {
        b.active(p, count);
    } else {
        b.add(p);
        let mut init = process("init");
        init.edge(1, run(id, Vec::new()), behind(creation));
        b.active(init, 1);
    }
    let mut q = process("Q");
    q.edge(1, receive(c, vec![is(1)]), 1).edge(1, receive(c, vec![is(2)]), 1);
    b.active(q, 1);
    b.abstracted().system.messages.len()
}

#[test]
fn instances_see_each_others_writes() {
    assert_eq!(types_read_back(Creation::Active(1)), 1);
    assert_eq!(types_read_back(Creation::Once), 1);
    assert_eq!(types_read_back(Creation::Active(2)), 2);
    assert_eq!(types_read_back(Creation::InLoop), 2);
    assert_eq!(types_read_back(Creation::Recursive), 2);
}

#[test]
fn the_way_back_leads_to_statements() {
    let mut b = ProgramBuilder::new();
    let c = b.channel("c", 1, &[Type::Byte]);
    let mut p = process("P");
    p.edge(1, send(c, vec![constant(1)]), 2).edge(2, skip(), 0);
    b.active(p, 1);
    let abstraction = b.abstracted();
    assert_eq!(abstraction.statements.len(), abstraction.system.transitions.len());
    assert_eq!(abstraction.locations.len(), abstraction.system.states.len());
    assert_eq!(abstraction.declarations.len(), abstraction.system.buffers.len());
    let lines = abstraction.system.transitions.values();
    let lines: Vec<u32> = lines.map(|t| t.origin.as_ref().unwrap().line).collect();
    assert_eq!(lines, [1, 2]);
}
