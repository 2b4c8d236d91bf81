//! Tests of channel identity: the queue that a statement uses (thesis 7.4 and 7.5, paper 000
//! sections 3.5 and 3.6).

use cfsm_core::program::{Expression, Pattern, Place, Type, VariableRef};

use crate::testing::{
    ProcessBuilder, ProgramBuilder, assign, constant, element, global, into, is, process, receive,
    receive_from, run, send, send_to,
};

/// A process that moves a message from `from` to `to`, twice as many each time, in lines 2 to 4.
fn doubling(p: &mut ProcessBuilder, from: VariableRef, to: VariableRef) {
    p.edge(2, receive(from, vec![is(1)]), 3).edge(3, send(to, vec![constant(1)]), 4).edge(
        4,
        send(to, vec![constant(1)]),
        2,
    );
}

#[test]
fn an_assignment_before_the_loop_makes_two_names_one_queue() {
    let mut b = ProgramBuilder::new();
    let kind = b.symbols(&["token"]);
    let (from, to) = (b.channel("from", 2, &[kind]), b.channel("to", 2, &[kind]));
    let mut p = process("P");
    p.edge(1, assign(from, global(to)), 2);
    doubling(&mut p, from, to);
    let mut q = process("Q");
    q.edge(1, send(from, vec![constant(1)]), 0);
    b.active(p, 1);
    b.active(q, 1);
    insta::assert_snapshot!(b.outline(), @"
    buffer from [2] <>
    buffer to [2] <token>
    class P x1 from 1
      1 -> 2:
      2 -> 3: -to(token)
      3 -> 4: +to(token)
      4 -> 2: +to(token)
    class Q x1 from 1
      1 -> end: +from
      1 -> end: +to(token)
    ");
}

#[test]
fn an_assignment_behind_the_loop_does_not_touch_it() {
    let mut b = ProgramBuilder::new();
    let kind = b.symbols(&["token"]);
    let (from, to) = (b.channel("from", 2, &[kind]), b.channel("to", 2, &[kind]));
    let mut p = process("P");
    p.edge(1, send(from, vec![constant(1)]), 2);
    doubling(&mut p, from, to);
    p.edge(2, assign(from, global(to)), 0);
    b.active(p, 1);
    insta::assert_snapshot!(b.outline(), @"
    buffer from [2] <token>
    buffer to [2] <>
    class P x1 from 1
      1 -> 2: +from(token)
      2 -> 3: -from(token)
      3 -> 4: +to
      4 -> 2: +to
      2 -> end:
    ");
}

#[test]
fn an_index_is_a_constant_a_known_set_or_unknown() {
    let mut b = ProgramBuilder::new();
    let c = b.channels("c", 3, &[Type::Byte]);
    let mut p = process("P");
    let i = p.local("i", Type::Byte);
    let to = |index| send_to(Expression::Read(element(c, index)), vec![constant(1)]);
    p.edge(1, to(constant(1)), 2)
        .edge(2, assign(i, constant(2)), 3)
        .edge(2, assign(i, constant(9)), 3)
        // The 9 lies outside, which ends the run.
        .edge(3, to(global(i)), 4)
        .edge(4, to(Expression::Last), 0);
    b.active(p, 1);
    insta::assert_snapshot!(b.outline(), @"
    buffer c[0] [1] <>
    buffer c[1] [1] <>
    buffer c[2] [1] <>
    class P x1 from 1
      1 -> 2: +c[1]
      2 -> 3:
      3 -> 4: +c[2]
      4 -> end: +c[0]
      4 -> end: +c[1]
      4 -> end: +c[2]
    ");
}

#[test]
fn a_channel_that_was_never_set_does_nothing() {
    let mut b = ProgramBuilder::new();
    b.channel("other", 1, &[Type::Byte]);
    let mut p = process("P");
    let c = p.local("c", Type::Channel);
    p.edge(1, send(c, vec![constant(1)]), 2).edge(2, send(c, vec![constant(1)]), 0);
    b.active(p, 1);
    insta::assert_snapshot!(b.outline(), @"
    buffer other [1]
    class P x1 from 1
    ");
}

#[test]
fn a_number_used_as_a_channel_may_be_any_channel() {
    let mut b = ProgramBuilder::new();
    b.channel("one", 1, &[Type::Byte]);
    b.channel("two", 1, &[Type::Byte, Type::Byte]);
    let mut p = process("P");
    p.edge(1, send_to(constant(2), vec![constant(1)]), 0);
    b.active(p, 1);
    insta::assert_snapshot!(b.outline(), @"
    buffer one [1] <>
    buffer two [1] <>
    class P x1 from 1
      1 -> end: +one
      1 -> end: +two
    ");
}

#[test]
fn a_rendezvous_channel_is_a_rendezvous_buffer() {
    let mut b = ProgramBuilder::new();
    let c = b.channel("c", 0, &[Type::Bit]);
    let mut p = process("P");
    p.edge(1, send(c, vec![constant(1)]), 1);
    b.active(p, 1);
    let mut q = process("Q");
    q.edge(1, receive(c, vec![Pattern::Any]), 1);
    b.active(q, 1);
    let system = b.abstracted().system;
    assert!(system.is_rendezvous(system.messages.ids().next().unwrap()));
    assert_eq!(system.transitions.len(), 2);
}

/// A server that replies on the channel that was sent with the request.
fn with_server(instances: u32) -> ProgramBuilder {
    let mut b = ProgramBuilder::new();
    let desk = b.channel("desk", 3, &[Type::Channel]);
    let mut client = process("Client");
    let reply = client.local_channel("reply", &[Type::Byte]);
    client.edge(1, send(desk, vec![global(reply)]), 2).edge(2, receive(reply, vec![Pattern::Any]), 1);
    let mut server = process("Server");
    let to = server.local("to", Type::Channel);
    server.edge(1, receive(desk, vec![into(to)]), 2).edge(2, send(to, vec![constant(7)]), 1);
    b.active(server, 1);
    b.active(client, instances);
    b
}

#[test]
fn a_local_channel_travels_in_a_message() {
    insta::assert_snapshot!(with_server(1).outline(), @"
    buffer desk [3] <>
    buffer Client[1].reply [1] <>
    class Server x1 from 1
      1 -> 2: -desk
      2 -> 1: +Client[1].reply
    class Client x1 from 1
      1 -> 2: +desk
      2 -> 1: -Client[1].reply
    ");
    let several = with_server(3).abstracted();
    insta::assert_snapshot!(several.outline(), @"
    buffer desk [3] <>
    buffer Client[*].reply [1] <>
    class Server x1 from 1
      1 -> 2: -desk
      2 -> 1: +Client[*].reply
    class Client x3 from 1
      1 -> 2: +desk
      2 -> 1: -Client[*].reply
    ");
    insta::assert_snapshot!(several.assumptions.join("\n"), @"
    each buffer is asked about as unbounded, beside others that are unbounded or limited as declared, in any combination
    no more than 255 channels exist at a time
    a run ends with an error where a channel is used that does not exist
    ");
}

#[test]
fn local_channels_of_two_classes_have_two_names() {
    let mut b = ProgramBuilder::new();
    let mut client = process("Client");
    let number = client.parameter("number", Type::Byte);
    let reply = client.local_channel("reply", &[Type::Byte]);
    client.edge(1, send(reply, vec![global(number)]), 1);
    let id = b.next();
    b.add(client);
    let mut init = process("init");
    for number in [4, 5] {
        init.edge(1, run(id, vec![constant(number)]), 1);
    }
    b.active(init, 1);
    insta::assert_snapshot!(b.outline(), @"
    buffer Client(4)[*].reply [1] <>
    buffer Client(5)[*].reply [1] <>
    class init x1 from 1
      1 -> 1: run Client(4)
      1 -> 1: run Client(5)
    class Client(4) x0 from 1
      1 -> 1: +Client(4)[*].reply
    class Client(5) x0 from 1
      1 -> 1: +Client(5)[*].reply
    ");
}

#[test]
fn an_index_that_the_same_receive_stores_may_be_old_or_new() {
    let mut b = ProgramBuilder::new();
    let c = b.channel("c", 1, &[Type::Byte, Type::Byte]);
    let mut p = process("P");
    p.edge(1, send(c, vec![constant(1), constant(5)]), 1);
    b.active(p, 1);
    let array = b.global_array("array", Type::Byte, 2);
    let d = b.channel("d", 1, &[Type::Byte]);
    let mut q = process("Q");
    let i = q.local("i", Type::Byte);
    let patterns = vec![into(i), Pattern::Store(element(array, global(i)))];
    q.edge(1, receive(c, patterns), 2);
    for (line, index) in [(2, 0), (3, 1)] {
        let value = Expression::Read(element(array, constant(index)));
        q.edge(line, send(d, vec![value]), line + 1);
    }
    b.active(q, 1);
    let mut r = process("R");
    r.edge(1, receive_from(Expression::Read(Place::scalar(d)), vec![is(5)]), 1);
    b.active(r, 1);
    let outline = b.outline();
    for either in ["2 -> 3: +d(5)", "2 -> 3: +d(_)", "3 -> 4: +d(5)", "3 -> 4: +d(_)"] {
        assert!(outline.contains(either), "{either} is missing in\n{outline}");
    }
}

#[test]
fn the_order_of_messages_is_kept_where_queues_are_told_apart_and_used_in_order() {
    use cfsm_core::program::Action;
    use cfsm_core::system::Order;
    let order = |change: &dyn Fn(&mut Action)| {
        let mut b = ProgramBuilder::new();
        let kind = b.symbols(&["token"]);
        let line = b.channel("line", 2, &[kind]);
        let mut p = process("P");
        p.edge(1, send(line, vec![constant(1)]), 2).edge(2, receive(line, vec![is(1)]), 1);
        b.active(p, 2);
        let mut program = b.finish();
        for (_, process) in program.types.iter_mut() {
            process.edges.iter_mut().for_each(|(_, edge)| change(&mut edge.action));
        }
        crate::abstract_program(&program, &crate::Options::default()).unwrap().system.order
    };
    assert_eq!(order(&|_| ()), Some(Order::FifoCover));
    let sorting = |action: &mut Action| {
        if let Action::Send { sorted, .. } = action {
            *sorted = true;
        }
    };
    assert_eq!(order(&sorting), None);
    let choosing = |action: &mut Action| {
        if let Action::Receive { random, .. } = action {
            *random = true;
        }
    };
    assert_eq!(order(&choosing), None);
    // Each instance has a queue of its own.
    let mut b = ProgramBuilder::new();
    let mut p = process("P");
    let own = p.local_channel("own", &[Type::Byte]);
    p.edge(1, send(own, vec![constant(1)]), 1);
    b.active(p, 2);
    assert_eq!(b.abstracted().system.order, None);
}
