//! What is known of queues that processes keep to themselves, and what must not be: small models
//! whose verdicts are plain.

use abstraction::{Options, Precision, abstract_program};
use cfsm_core::program::{Program, VariableRef};
use cfsm_core::system::System;

fn program(text: &str) -> Program {
    let outcome = promela_front::parse("model.pml", text, &promela_front::Options::default());
    outcome.program.unwrap_or_else(|| panic!("{text}: {:#?}", outcome.diagnostics))
}

/// The plain abstraction, or that in which all variables are followed.
fn system(text: &str, follows: bool) -> System {
    let program = program(text);
    let all =
        |process: &cfsm_core::program::ProcessType| process.locals.ids().map(VariableRef::Local).collect();
    let tracked = program.types.iter().filter(|_| follows).map(|(id, process)| (id, all(process))).collect();
    let options = Options { precision: Precision { tracked, ..Precision::default() }, ..Options::default() };
    abstract_program(&program, &options).expect("it is small").system
}

fn is_bounded(text: &str, follows: bool) -> bool {
    boundedness::check(&system(text, follows), &boundedness::Options::default()).verdict.is_proved()
}

const QUEUE: &str = "chan q = [1] of { byte };";

/// `q` is flooded if what is said of the process's own queue is wrong.
#[test]
fn what_is_put_aside_is_known() {
    let bodies = [
        // How many there are.
        "chan d = [1] of { byte }; byte m; do :: nempty(d) -> q!1 :: empty(d) -> d!1; d?m od",
        "chan d = [1] of { byte }; byte m; do :: d?[_] -> q!1 :: else -> d!1; d?m od",
        "chan d = [1] of { byte }; byte m; do :: d?[m] -> q!1 :: else -> d!1; d?m od",
        "chan d = [1] of { byte }; byte m; do :: len(d) > 0 -> q!1 :: d!1; d?m od",
        "chan d = [1] of { byte }; byte m; do :: d?m -> q!1 :: d!1; d?<m>; d?_ od",
        "chan d = [1] of { byte }; byte m; do :: d!1; if :: empty(d) -> q!1 :: d?m fi od",
        "chan d = [4] of { byte }; byte m; d!1; d!2; do :: empty(d) -> q!1 :: d?m; break od",
        // What is in it.
        "chan d = [1] of { byte }; byte m; do :: d!0; d?m; m == 1 -> q!1 :: d!1; d?m; m == 0 -> q!1 od",
        "chan d = [1] of { byte, byte }; byte m, n; do :: d!0,1; d?m,n; m == n -> q!1 :: d!1,1; d?_,_ od",
        "chan d = [1] of { byte }; do :: d!0; d?1; q!1 :: d!1; d?_ od",
        "chan d = [1] of { byte }; do :: d!0; if :: d?[1] -> q!1 :: d?_ fi :: d!1; d?_ od",
        "chan d = [4] of { byte }; byte m; d!7; d!8; d!9; d?m; do :: m != 7 -> q!1 :: m == 7 -> skip od",
        // References to queues, too.
        "chan d = [1] of { chan }; chan e; do :: d!q; d?e; e == 0 -> q!1 :: d!0; d?e; e != 0 -> q!1 od",
    ];
    for body in bodies {
        let text = format!("{QUEUE} active proctype P() {{ {body} }}");
        assert!(is_bounded(&text, false), "{text}");
        let two = format!("{QUEUE} active [2] proctype P() {{ {body} }}");
        assert!(is_bounded(&two, false), "{two}");
    }
}

/// What a variable that is followed is filled from is followed while it is put aside.
#[test]
fn what_is_put_aside_is_followed() {
    let text = format!(
        "{QUEUE} active proctype P() {{ chan d = [1] of {{ byte, byte }}; byte m, n;
            do :: n = 1 - n; m = n; d!m,n; m = 2; d?m,_; if :: m != n -> q!1 :: m == n fi od }}"
    );
    assert!(is_bounded(&text, true), "{text}");
    let names = system(&text, true);
    let names: Vec<&str> = names.states.values().map(|state| state.name.as_str()).collect();
    assert!(names.iter().any(|name| name.contains("len(d)=1,d.1=0")), "{names:?}");
}

/// Each of these floods `q`, or may.
const FLOODING: &[&str] = &[
        // It is not empty, or holds something else.
        "active proctype P() { chan d = [1] of { byte }; do :: nempty(d) -> q!1 :: d!1 od }",
        "active proctype P() { chan d = [1] of { byte }; do :: empty(d) -> q!1 :: d!1; d?_ od }",
        "active proctype P() { chan d = [1] of { byte }; do :: d!1; if :: d?[0] :: else -> q!1 fi; d?_ od }",
        "active proctype P() { chan d = [1] of { byte }; byte m; do :: d!0; d?m; m == 0 -> q!1 :: d!1; d?m od }",
        "active proctype P() { chan d = [1] of { byte }; byte m = 1; do :: d!len(d); d?m; m == 0 -> q!1 od }",
        // There are several.
        "active proctype P() { chan d = [2] of { byte }; byte m; do :: d!0; d!1; d?m; d?m; m == 1 -> q!1 od }",
        "active proctype P() { chan d = [3] of { byte }; do :: d!0; d!1; d!2; d?_; d?_; nempty(d) -> q!1; d?_ od }",
        "active proctype P() { chan d = [3] of { byte }; do :: d!0; d!1; d?<_>; d?_; d?1; q!1 od }",
        "active proctype P() { chan d = [2] of { byte }; do :: d!0; d!1; d?_; d?[1] -> q!1; d?_ od }",
        "active proctype P() { chan d = [2] of { byte }; do :: d!0; d!0; d?_; empty(d) || len(d) == 1 -> q!1; d?_ od }",
        "active proctype P() { chan d = [4] of { byte }; do :: d!0; d!0; d!0; len(d) == 3 -> q!1; d?_; d?_; d?_ od }",
        "active proctype P() { chan d = [2] of { byte }; do :: d!1 :: d?_; d?0 -> q!1 :: d!0 od }",
        // They change places.
        "active proctype P() { chan d = [2] of { byte }; byte m; do :: d!1; d!!0; d?m; m == 0 -> q!1; d?m od }",
        "active proctype P() { chan d = [2] of { byte }; byte m; do :: d!0; d!1; d??1; d?m; m == 0 -> q!1 od }",
        "active proctype P() { chan d = [2] of { byte }; do :: d!0; d!1; d??[1] -> q!1; d?_; d?_ od }",
        // It has another name.
        "active proctype P() { chan d = [1] of { byte }; chan e; e = d; do :: e!1; nempty(d) -> q!1; d?_ od }",
        "active proctype P() { chan d = [1] of { byte }; chan e = d; do :: e!1; nempty(d) -> q!1; d?_ od }",
        "active proctype P() { chan d = [1] of { byte }; chan e[2]; e[1] = d; do :: e[1]!1; d?_ -> q!1 od }",
        "active proctype P() { chan d = [1] of { byte }; byte e; chan f; e = d; f = e; do :: f!1; d?_ -> q!1 od }",
        "active proctype P() { chan d = [1] of { byte }; chan f = [1] of { byte }; d = f;
            do :: f!1; nempty(d) -> q!1; f?_ od }",
        "active proctype P() { chan d = [1] of { byte }; chan e; if :: true -> e = d :: false -> e = q fi; do :: e!1; d?_ -> q!1 od }",
        // Others know of it.
        "proctype W(chan c) { do :: c!1 od } active proctype P() { chan d = [1] of { byte }; run W(d);
            do :: nempty(d) -> q!1; d?_ od }",
        "chan c = [1] of { chan }; active proctype W() { chan e; c?e; do :: e!1 od }
            active proctype P() { chan d = [1] of { byte }; c!d; do :: nempty(d) -> q!1; d?_ od }",
        "chan g; active proctype W() { do :: g!1 od }
            active proctype P() { chan d = [1] of { byte }; g = d; do :: d?_ -> q!1 od }",
        "chan c = [1] of { byte }; active proctype W() { byte e; chan f; c?e; f = e; do :: f!1 od }
            active proctype P() { chan d = [1] of { byte }; c!d; do :: d?_ -> q!1 od }",
        // They know its number: the next one is sent only when what is wrong has been done.
        "chan c = [1] of { byte }; active proctype W() { chan e; byte n = 3; e = n; do :: e!1; c?_ od }
            active proctype P() { chan d = [1] of { byte }; do :: d?_; q!1; c!1 od }",
        "chan c = [1] of { byte }; active proctype W() { byte n; chan e; do :: n < 9 -> n++; e = n :: e!1; c?_ od }
            active proctype P() { chan d = [1] of { byte }; do :: nempty(d) -> q!1; c!1; d?_ od }",
        // Its number was that of another one.
        "chan g; chan c = [1] of { byte }; proctype O() { chan f = [1] of { byte }; g = f }
            proctype P() { chan d = [1] of { byte }; do :: d?_; q!1; c!1 od }
            init { run O(); _nr_pr == 1 -> run P(); do :: g!1; c?_ od }",
        "chan c = [1] of { byte }; chan r = [1] of { chan }; proctype O() { chan f = [1] of { byte }; r!f }
            proctype P() { chan d = [1] of { byte }; do :: nempty(d) -> q!1; c!1; d?_ od }
            init { chan g; run O(); r?g; _nr_pr == 1 -> run P(); do :: g!1; c?_ od }",
        // It is written into by other means.
        "active proctype P() { chan d = [1] of { byte }; c_code { x(); }; do :: nempty(d) -> q!1 od }",
        "active proctype W() { do :: c_code { x(); } od }
            active proctype P() { chan d = [1] of { byte }; do :: nempty(d) -> q!1 od }",
        // What is stored in it is cut.
        "active proctype P() { chan d = [1] of { byte }; do :: d!256; d?0 -> q!1 od }",
        "active proctype P() { chan d = [1] of { bit, bit }; do :: d!2,0; d?0,_ -> q!1 od }",
        "active proctype P() { chan d = [1] of { bit }; do :: d!2; d?2 -> q!1 od }",
        "active proctype P() { chan d = [1] of { byte, byte }; do :: d!1; d?1,_ -> q!1 od }",
        "active proctype W() { byte n; n = c_expr { x() } }
            active proctype P() { chan d = [1] of { byte }; do :: nempty(d) -> q!1 od }",
        // It may be empty or not, and hold one thing or another.
        "active proctype P() { chan d = [2] of { byte }; do :: d!1; nempty(d); d?_; empty(d); q!1 od }",
        "active proctype P() { chan d = [2] of { byte }; do :: d!1; d!1; nempty(d); d?_; d?_; q!1 od }",
        "active proctype P() { chan d = [3] of { byte }; if :: d!1 :: skip fi;
            if :: nempty(d) -> skip :: d!2; d?[2] -> do :: q!1 od fi }",
        "active proctype P() { chan d = [3] of { byte }; do :: d!0; d!0; d?_; d?_; empty(d); q!1 od }",
        "active proctype P() { chan d = [3] of { byte }; do :: !(d?[1]) -> q!1 od }",
        "active proctype P() { chan d = [3] of { byte }; do :: !(d?[_]) -> q!1 :: skip od }",
        // Somebody has used it once, by its number.
        "active proctype W() { byte n = 2; chan e; e = n; e!1 }
            active proctype P() { chan d = [1] of { byte }; d?_; do :: q!1 od }",
        "active proctype W() { byte n = 2; chan e; e = n; e!1 }
            active proctype P() { chan d = [1] of { byte }; nempty(d); do :: q!1 od }",
        "active proctype W() { byte n = 2; chan e; e = n; e?_ }
            active proctype P() { chan d = [1] of { byte }; d!1; empty(d); do :: q!1 od }",
        "active proctype P() { byte n = 2; chan e; chan d = [1] of { byte }; e = n; e!1; nempty(d); do :: q!1 od }",
        // It is not a queue of its own.
        "active proctype P() { chan d[2] = [1] of { byte }; d[1]!1; empty(d[0]); do :: q!1 od }",
        "active proctype P() { chan d = [0] of { byte }; do :: empty(d) -> q!1 od }",
        "active proctype P() { chan d[2] = [1] of { byte }; byte i; do :: d[i]!1; nempty(d[0]) -> q!1; d[0]?_ od }",
];

#[test]
fn what_is_not_known_is_not_believed() {
    for model in FLOODING {
        let text = format!("{QUEUE} {model}");
        assert!(!is_bounded(&text, false), "{text}");
        assert!(!is_bounded(&text, true), "followed: {text}");
    }
}
