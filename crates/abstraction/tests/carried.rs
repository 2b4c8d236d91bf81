//! Tests of lazy tracking: the places at which values of lazily tracked variables are
//! distinguished.

use std::collections::{BTreeMap, BTreeSet};

use abstraction::{Abstraction, Options, Precision, abstract_program};
use cfsm_core::program::{ProcessTypeId, Program, VariableRef};

/// Locals of process types, by name: `Relay: kind, x`.
type Named<'a> = &'a [(&'a str, &'a [&'a str])];

fn variables(program: &Program, named: Named<'_>) -> BTreeMap<ProcessTypeId, BTreeSet<VariableRef>> {
    let of_type = |(ty, names): &(&str, &[&str])| {
        let found = program.types.iter().find(|(_, process)| process.name == *ty);
        let (id, process) = found.expect("a process type");
        let local = |name: &&str| {
            let found = process.locals.iter().find(|(_, local)| local.name == **name);
            VariableRef::Local(found.expect("a local").0)
        };
        (id, names.iter().map(local).collect())
    };
    named.iter().map(of_type).collect()
}

fn program(text: &str) -> Program {
    let outcome = promela_front::parse("model.pml", text, &promela_front::Options::default());
    outcome.program.unwrap_or_else(|| panic!("{text}: {:#?}", outcome.diagnostics))
}

fn abstraction(text: &str, tracked: Named<'_>, carried: Named<'_>) -> Abstraction {
    let program = program(text);
    let precision = Precision {
        tracked: variables(&program, tracked),
        carried: variables(&program, carried),
        ..Precision::default()
    };
    abstract_program(&program, &Options { precision, ..Options::default() }).expect("within limits")
}

/// The values that are told apart in states of a class, line by line: `4 [x=1]`; states without any
/// are left out.
fn told_apart(abstraction: &Abstraction, class: &str) -> Vec<String> {
    let system = &abstraction.system;
    let own = system.states.values().filter(|state| system.classes[state.class].name == class);
    own.map(|state| state.name.clone()).filter(|name| name.contains('=')).collect()
}

#[test]
fn a_value_is_known_until_somebody_has_looked_at_it() {
    let text = "chan q = [2] of { byte, byte };
active proctype Sender() { do :: q!1,2 :: q!3,4 od }
active proctype Receiver() {
  byte x, y;
  do
  :: q?x,y ->
     skip;
     if
     :: x == 1
     :: else
     fi;
     skip
  od
}
";
    let carrying = abstraction(text, &[], &[("Receiver", &["x", "y"])]);
    assert_eq!(told_apart(&carrying, "Receiver"), ["7 [x=1]", "7 [x=3]", "8 [x=1]", "8 [x=3]"]);
    let messages: Vec<&str> =
        carrying.system.messages.values().map(|message| message.name.as_str()).collect();
    assert_eq!(messages, ["1,_", "3,_"]);
}

/// A relay that passes on `x` and `y`, of which the reader looks at one, by the kind of the
/// message.
const RELAY: &str = "mtype = { a, b };
chan q = [2] of { mtype, byte, byte };
chan r = [2] of { mtype, byte, byte };
active proctype Sender() {
  mtype kind = a;
  byte x = 1, y = 1;
  do
  :: x = 1 :: x = 2 :: y = 1 :: y = 2
  :: kind = a; q!kind,x,y
  :: kind = b; q!kind,x,y
  od
}
active proctype Relay() {
  mtype kind;
  byte x, y;
  do
  :: q?kind,x,y ->
     r!kind,x,y
  od
}
active proctype Reader() {
  byte x, y;
  do
  :: r?a,x,y ->
     x == 1
  :: r?b,x,y ->
     y == 1
  od
}
";

#[test]
fn what_is_passed_on_is_known_where_the_reader_will_look_at_it() {
    let kinds: Named<'_> = &[("Relay", &["kind"]), ("Sender", &["kind"])];
    let carried: Named<'_> = &[("Relay", &["x", "y"]), ("Reader", &["x", "y"]), ("Sender", &["x", "y"])];
    let carrying = abstraction(RELAY, kinds, carried);
    assert_eq!(
        told_apart(&carrying, "Relay"),
        ["18 [kind=b,y=1]", "18 [kind=b,y=2]", "18 [kind=a,x=1]", "18 [kind=a,x=2]"]
    );
    assert_eq!(told_apart(&carrying, "Reader"), ["25 [x=1]", "25 [x=2]", "27 [y=1]", "27 [y=2]"]);
    // Followed everywhere, all of it is told apart.
    let everything = abstraction(RELAY, &[("Relay", &["kind", "x", "y"])], &[]);
    assert_eq!(told_apart(&everything, "Relay").len(), 8);
}

#[test]
fn what_nobody_can_decide_does_not_matter() {
    let text = "chan q = [2] of { byte };
active proctype Sender() { do :: q!1 :: q!3 od }
active proctype Receiver() {
  byte x, n;
  do
  :: n = n * 3 + 1
  :: q?x ->
     if
     :: x == n
     :: else
     fi
  od
}
";
    let carrying = abstraction(text, &[], &[("Receiver", &["x"])]);
    assert_eq!(told_apart(&carrying, "Receiver"), [""; 0]);
}

#[test]
fn what_is_put_aside_is_known_there() {
    let text = "mtype = { a, b };
chan q = [2] of { mtype, byte, byte };
active proctype Sender() { do :: q!a,1,1 :: q!a,2,2 :: q!b,1,2 :: q!b,2,1 od }
active proctype Keeper() {
  chan own = [1] of { mtype, byte, byte };
  mtype kind;
  byte x, y;
  do
  :: q?kind,x,y ->
     own!kind,x,y;
     skip;
     own?kind,x,y;
     if
     :: kind == a -> x == 1
     :: kind == b -> y == 1
     fi
  od
}
";
    let carrying = abstraction(text, &[("Keeper", &["kind"])], &[("Keeper", &["x", "y"])]);
    let aside: Vec<String> =
        told_apart(&carrying, "Keeper").into_iter().filter(|name| name.starts_with("11 ")).collect();
    assert_eq!(
        aside,
        [
            "11 [len(own)=1,own.1=b,own.3=1]",
            "11 [len(own)=1,own.1=b,own.3=2]",
            "11 [len(own)=1,own.1=a,own.2=1]",
            "11 [len(own)=1,own.1=a,own.2=2]",
        ]
    );
}

#[test]
fn the_element_that_is_selected_is_known() {
    let text = "chan q = [2] of { byte };
active proctype Sender() { do :: q!1 :: q!3 od }
active proctype Receiver() {
  byte x, i, table[9];
  do
  :: i = (i + 1) % 9
  :: q?x ->
     table[i] = x;
     skip;
     table[i] == 1
  od
}
";
    let carrying = abstraction(text, &[], &[("Receiver", &["x", "table"])]);
    assert_eq!(
        told_apart(&carrying, "Receiver"),
        ["8 [x=1]", "8 [x=3]", "9 [table[?1]=1]", "9 [table[?1]=3]", "10 [table[?1]=1]", "10 [table[?1]=3]"]
    );
}

#[test]
fn two_elements_of_one_array_have_names_of_their_own() {
    let text = "chan p = [1] of { byte, byte, byte, byte };
active proctype Sender() { do :: p!0,1,0,1 :: p!1,2,1,0 :: p!2,0,1,1 od }
active proctype Receiver() {
  byte x, y, v, w, table[5];
  do
  :: p?x,y,v,w ->
     table[x + 1] = v;
     table[y + 1] = w;
     if
     :: table[x + 1] == v && table[y + 1] == w
     :: else
     fi
  od
}
";
    let carrying = abstraction(text, &[], &[("Receiver", &["x", "y", "v", "w", "table"])]);
    let told = told_apart(&carrying, "Receiver");
    assert!(told.iter().any(|name| name.contains("table[?1]")), "{told:?}");
    assert!(told.iter().any(|name| name.contains("table[?2]")), "{told:?}");
}

/// With a limit on nodes so low that the use of another process's queue becomes visible only at
/// nodes with lazily tracked values.
#[test]
fn a_queue_that_turns_out_to_be_shared_is_no_reason_to_stop() {
    let text = "chan q = [1] of { byte }; chan c = [1] of { byte, byte, byte };
active proctype S() { do :: c!0,1,2 :: c!1,2,3 :: c!2,3,4 :: c!3,4,5 :: c!4,5,6 od }
active proctype W() { byte t, u, n, x, y, z; chan e;
  n = 3; if :: t = 1; u = 1 :: t = 0; u = 0 fi;
  if :: t != u -> e = n; e!1 :: t == u -> skip fi;
  do :: c?x,y,z; if :: x == y -> q!1 :: else fi; if :: y == z -> q!1 :: else fi; if :: x == z -> q!1 :: else fi od }
active proctype P() { chan d = [1] of { byte }; byte m; do :: d!1; m = 2; d?m; if :: m == 1 :: m != 1 -> q!1 fi od }
";
    for nodes in 3..40 {
        let program = program(text);
        let tracked = variables(&program, &[("W", &["t", "u"]), ("P", &["m"])]);
        let carried = variables(&program, &[("W", &["x", "y", "z"]), ("P", &["m"])]);
        let precision = Precision { tracked, carried, ..Precision::default() };
        let options = Options { precision, nodes, ..Options::default() };
        let all = abstract_program(&program, &options).expect("within limits").system;
        assert!(all.transitions.values().any(|step| step.events.len() == 1), "with {nodes} nodes");
    }
}
