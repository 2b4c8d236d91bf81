//! What Spin takes and what it refuses, text by text: it is the same here.

use std::process::{Command, Stdio};

use explore::{Buffers, Exploration, Limits, RunError, Semantics, Violation};
use freeboard::{Options, RunLimits, check_promela};
use integration_tests::spin::{is_here, verify};
use promela_front::Severity;

/// Arrows, and operators that touch each other.
const ARROWS: &[&str] = &[
    "byte x,y; init { if :: x==0 --> y=1 :: else --> skip fi }",
    "byte x,y; init { x --> y=1 }",
    "byte x,y; init { x-->y=1 }",
    "byte x,y; init { x-- -> y=1 }",
    "byte x,y; init { x-- > y=1 }",
    "byte x,y; init { x --  > y=1 }",
    "byte x,y; init { y = (x-->y) }",
    "byte x,y; init { y = (x > 0 --> 1 : 2) }",
    "byte x,y; init { x---> y=1 }",
    "byte x,y; init { (x - -y) --> y=1 }",
    "byte x,y; init { x -- -> y=1 }",
    "byte x,y; init { x >=> y }",
    "byte x,y; init { x = x >=> 1; y = x <=< 1 }",
    "byte x,y; init { x !!= y }",
    "byte x,y; init { do :: (x==0) --> break od }",
    "byte x,y; ltl p { [] (x==0 --> y==0) } init { skip }",
    "byte x,y; ltl p { [] (x==0 -> y==0) } init { skip }",
    "byte x,y; ltl p { [] (x==0 <-> y==0) } init { skip }",
    "byte x,y; ltl p { [] (x==0 <--> y==0) } init { skip }",
    "#define ARROW -->\nbyte x,y; init { x==0 ARROW y=1 }",
    "#define DD --\nbyte x,y; init { x DD> y=1 }",
    "byte x,y; init { x==0 =-> y=1 }",
    "byte x,y; init { x==0 ->> y=1 }",
    "byte x,y; init { x==0 ->-> y=1 }",
    "byte x,y; init { x==0 -->-> y=1 }",
    "byte x,y; init { x++--> y=1 }",
    "byte x,y; init { x =>y }",
    "byte x,y; init { x =<y }",
    "byte x,y; init { x -= 1 }",
    "byte x,y; init { x <<= y }",
    "byte x,y; init { x >>= y }",
    "byte x,y; init { x === y }",
    "byte x,y; init { x !== y }",
    "byte x,y; init { x &&& y }",
    "byte x,y; init { x ||| y }",
    "byte x,y; init { x <<< y }",
    "byte x,y; init { x >>> y }",
    "byte x,y; init { x <=> y }",
    "byte x,y; init { x <> y }",
    "byte x,y; init { x >< y }",
    "chan c=[1] of {byte}; byte x; init { c !!! x }",
    "chan c=[1] of {byte}; byte x; init { c ??? x }",
    "chan c=[1] of {byte}; byte x; init { c !!=x }",
    "byte x,y; init { x >>=> y }",
    "byte x,y; init { x <<=< y }",
    "byte x,y; init { x -=> y }",
    "byte x,y; init { x ==>y }",
    "byte x,y; init { x !!=y }",
    "byte x,y; init { x >=>= y }",
    "byte x,y; init { x=x>=>=y }",
    "byte x,y; init { x<=<=y }",
    "byte x,y; init { x>=>>y }",
];

/// Channels in values.
const CHANNELS: &[&str] = &[
    "chan c=[1] of {byte}, d=[1] of {byte}; byte x; init { x = (c==d -> 1 : 2) }",
    "chan c=[1] of {byte}; chan d=[1] of {byte}; byte x; init { x = (c==d -> 1 : 2) }",
    "chan c=[1] of {byte}; chan d=[1] of {byte}; byte x; init { (c==d -> 1 : 2) }",
    "chan c=[1] of {byte}; chan d=[1] of {byte}; byte x; init { c==d }",
    "chan c=[1] of {byte}; chan d=[1] of {byte}; byte x; init { x = c==d }",
    "chan c=[1] of {byte}; chan d=[1] of {byte}; byte x; init { c!(c==d -> 1 : 2) }",
    "chan c=[1] of {byte}; chan d=[1] of {byte}; chan e; init { e = (c==d -> c : d) }",
    "chan c=[1] of {byte}; chan d=[1] of {byte}; chan e; byte x; init { e = (x -> c : d) }",
    "chan c=[1] of {byte}; chan d=[1] of {byte}; byte x; init { assert((c==d -> 1 : 2)) }",
    "chan c=[1] of {byte}; chan d=[1] of {byte}; byte x; init { printf(\"%d\", (c==d -> 1 : 2)) }",
    "chan c=[1] of {byte}; chan d=[1] of {byte}; proctype P(byte b){ skip } init { run P((c==d -> 1 : 2)) }",
    "chan c=[1] of {byte}; chan d=[1] of {byte}; byte x[3]; init { x[(c==d -> 1 : 2)] = 1 }",
    "chan c=[1] of {byte}; chan d=[1] of {byte}; init { byte x = (c==d -> 1 : 2); }",
    "chan c=[1] of {byte}; chan d=[1] of {byte}; byte x; init { if :: (c==d -> 1 : 0) -> skip :: else fi }",
    "chan c=[1] of {byte}; chan d=[1] of {byte}; byte x; init { x = !(c==d) }",
    "chan c=[2] of {byte}; byte x; init { x = c + 1 }",
    "chan c=[2] of {byte}; byte x; init { c + 1 > 0 }",
    "chan c[2]=[2] of {byte}; byte x; init { x = (c[0] == c[1] -> 1:2) }",
    "typedef R { chan c }; R r; chan c=[2] of {byte}; byte x; init { x = (r.c == r.c -> 1:2) }",
    "chan c=[2] of {byte}; byte x; proctype P(chan q) { x = (q==c -> 1:2) } init { run P(c) }",
    "chan c=[2] of {byte}; byte x; init { x = (len(c)==1 -> 1:2) }",
    "chan c=[2] of {byte}; byte x; init { x = (c?[1] -> 1:2) }",
    "chan c=[2] of {byte}; byte x; init { x = (full(c) -> 1:2) }",
    "chan c=[2] of {chan}; chan d; init { c!(1 -> c : d) }",
    "chan c=[2] of {byte}; chan d; byte x; inline f(a) { x = a } init { f(c==d) }",
    "chan c=[2] of {byte}; chan d=[1] of {byte}; byte x; init { for (x : 1 .. (c==d -> 1:2)) { skip } }",
    "chan c=[2] of {byte}; chan d=[1] of {byte}; byte x; init { select (x : 1 .. (c==d -> 1:2)) }",
    "chan c=[2] of {byte}; chan d=[1] of {byte}; byte x; init { x = c }",
    "chan c=[2] of {byte}; chan d=[1] of {byte}; byte x; init { x = (c) }",
    "chan c=[2] of {byte}; chan d=[1] of {byte}; byte x; init { x = -c }",
    "chan c=[2] of {byte}; chan d=[1] of {byte}; byte x; init { x = (x==1 && c==d) }",
];

/// Arrays as arguments of inlines.
const ARGUMENTS: &[&str] = &[
    "byte a[3]; inline f(x) { x[0] = 1 } init { f(a) }",
    "byte a[3]; byte y; inline f(x) { y = x } init { f(a[1]) }",
    "byte a[3]; byte y; inline f(x) { skip } init { f(a) }",
    "typedef R { byte a[3] }; R r; byte y; inline f(x) { x[1]=2 } init { f(r.a) }",
    "typedef R { byte a[3] }; R r[2]; byte y; inline f(x) { x.a[1]=2 } init { f(r) }",
    "typedef R { byte a[3] }; R r[2]; byte y; inline f(x) { x.a[1]=2 } init { f(r[1]) }",
    "byte a[3]; byte y; inline f(x,z) { z = x[1] } init { f(a, y) }",
    "byte a[1]; inline f(x) { x[0] = 1 } init { f(a) }",
    "byte a[3]; byte y; inline f(a) { y = a } init { f(1) }",
    "byte a[3]; byte y; inline g(x) { x[0]=1 } inline f(x) { g(x) } init { f(a) }",
    "chan c[2]=[1] of {byte}; inline f(x) { x[0]!1 } init { f(c) }",
    "chan c=[1] of {byte}; inline f(x) { x!1 } init { f(c) }",
    "byte a[3]; byte y; inline f(x) { y = x } init { f(len(a)) }",
    "byte a[3]; init { byte b[2]; f(b) } inline f(x) { skip }",
    "inline f(x) { x[0]=1 } init { byte b[2]; f(b) }",
    "inline f(x) { x[0]=1 } proctype P() { byte b[2]; f(b) } init { run P() }",
    "byte a[3]; byte y; inline f(x) { y = x } init { f(a + 1) }",
    "#define f(x) x[0]=1\nbyte a[3]; init { f(a) }",
    "byte a[3]; inline f() { a[0]=1 } init { f() }",
    "byte a[3]; byte y; inline f(x) { y = x[y] } init { f(a) }",
    "byte a[3]; byte y; inline f(x) { for (y in x) { skip } } init { f(a) }",
];

/// Temporal logic.
const FORMULAS: &[&str] = &[
    "byte x; ltl p { X (x==0) } init { skip }",
    "byte x; ltl p { next (x==0) } init { skip }",
    "byte x; ltl p { [] X (x==0) } init { skip }",
    "byte X; ltl p { [] (X==0) } init { skip }",
    "byte x; ltl p { <> (x==0) U (x==1) } init { skip }",
    "byte x; ltl p { always (x==0) } init { skip }",
    "byte x; ltl p { (x==0) V (x==1) } init { skip }",
    "byte x; ltl p { (x==0) W (x==1) } init { skip }",
    "byte next; ltl p { [] (next==0) } init { skip }",
    "#define p (x==0)\nbyte x; ltl q { X p } init { skip }",
];

/// `else` beside messages.
const ELSE: &[&str] = &[
    "chan c=[1] of {byte}; byte x; init { if :: c!1 :: else fi }",
    "chan c=[1] of {byte}; byte x; init { if :: c?x :: else fi }",
    "chan c=[1] of {byte}; byte x; init { do :: c?x :: else -> break od }",
    "chan c=[1] of {byte}; byte x; init { do :: c?[x] -> c?x :: else -> break od }",
    "chan c=[1] of {byte}; byte x; init { do :: len(c)>0 -> c?x :: else -> break od }",
    "chan c=[1] of {byte}; byte x; init { do :: full(c) -> c?x :: else -> break od }",
    "chan c=[1] of {byte}; byte x; init { do :: nfull(c) && x==0 -> c!x :: else -> break od }",
    "chan c=[1] of {byte}; byte x; init { xr c; do :: c?x :: else -> break od }",
    "chan c=[1] of {byte}; byte x; proctype P() { xs c; c!1 } init { do :: c?x :: else -> break od }",
    "chan c=[1] of {byte}; byte x; init { do :: c?x :: else -> break od } proctype P() { xs c; c!1 }",
    "chan c=[1] of {byte}; byte x; init { do :: atomic { c?x; x=0 } :: else -> break od }",
    "chan c=[1] of {byte}; byte x; init { do :: c??x :: else -> break od }",
    "chan c=[1] of {byte}; byte x; init { do :: c??[1] -> c?x :: else -> break od }",
    "chan c=[1] of {byte}; byte x; inline f() { do :: c?x :: else -> break od } init { f(); f() }",
    "chan c=[1] of {byte}; byte x; init { if :: x==0 -> c?x :: else fi }",
    "chan c=[1] of {byte}; byte x; init { if :: c?<x> :: else fi }",
    "chan c=[1] of {byte}; byte x; init { if :: empty(c) :: else fi }",
    "chan c=[1] of {byte}; byte x; init { if :: x==1 :: c!2 :: else -> c!1 fi }",
    "chan c=[1] of {byte}; byte x; init { if :: { c!2 } :: else -> c!1 fi }",
];

/// Writes to `_pid` and its kin.
const PREDEFINED: &[&str] = &[
    "chan a=[1] of {byte}; init { a?_pid }",
    "chan a=[1] of {byte,byte}; byte c; init { a?c(_pid) }",
    "chan a=[1] of {byte}; byte c; init { a?c(_pid) }",
    "chan a=[1] of {byte}; byte c; init { a?_last }",
    "chan a=[1] of {byte}; byte c; init { a?[_pid] }",
    "chan a=[1] of {byte}; byte c; init { a?<_pid> }",
    "chan a=[1] of {byte}; byte c; init { a?_ }",
    "chan a=[1] of {byte}; byte c; init { a?np_ }",
    "chan a=[1] of {byte}; byte c; init { _pid = 3 }",
    "chan a=[1] of {byte}; byte c; init { _nr_pr = 3 }",
    "chan a=[1] of {byte}; byte c; init { _last = 3 }",
    "chan a=[1] of {byte}; byte c; init { _priority = 3 }",
    "chan a=[1] of {byte}; byte c; init { _pid++ }",
    "chan a=[1] of {byte}; byte c; init { a?eval(_pid) }",
    "chan a=[1] of {byte}; byte c; init { a?c(_last) }",
    "chan a=[1] of {byte}; byte c; init { for (_pid : 1 .. 2) { skip } }",
];

/// Numbers of fields.
const LENGTHS: &[&str] = &[
    "chan a=[1] of {byte}; byte v; init { a?v,_,_ }",
    "chan a=[1] of {byte}; byte v; init { a?v,v,_ }",
    "chan a=[1] of {byte}; byte v,w; init { a?v,w }",
    "chan a=[1] of {byte}; byte v,w; init { a?1,2 }",
    "chan a=[1] of {byte}; byte v,w; init { a??v,w }",
    "chan a=[1] of {byte}; byte v,w; init { a?<v,w> }",
    "chan a=[1] of {byte}; byte v,w; init { a?[v,w] }",
    "chan a=[1] of {byte}; byte v,w; init { a!v,w }",
    "chan a=[1] of {byte}; byte v,w; init { a!!v,w }",
    "typedef R {byte x; byte y}; R r; chan a=[1] of {R}; byte v,w; init { a!r,w }",
    "typedef R {byte x; byte y}; R r; chan a=[1] of {R}; byte v,w; init { a?r,w }",
    "chan a=[1] of {byte}; byte v,w; proctype P(chan q) { q!v,w } init { run P(a) }",
    "chan a[2]=[1] of {byte}; byte v,w; init { a[0]!v,w; }",
    "chan a[2]=[1] of {byte}; byte v,w; init { a[v]?v,w; }",
    "typedef R {chan a=[1] of {byte}}; R r; byte v,w; init { r.a!v,w; }",
    "typedef R {chan a=[1] of {byte}}; R r; byte v,w; init { r.a?v,w; }",
    "chan a; byte v,w; init { a?v,w; }",
    "chan a=[0] of {byte}; byte v,w; init { a?v,w; }",
    "chan a=[0] of {byte}; byte v,w; init { a!v,w; }",
    "chan a=[1] of {byte}; byte v,w; init { chan b = a; b!v,w; }",
    "chan a=[1] of {byte}; byte v,w; init { chan b = [1] of {byte}; b!v,w; }",
    "chan a=[1] of {byte}; byte v,w; trace { a?v,w }  init { skip }",
    "chan a=[1] of {byte}; chan b=[1] of {byte,byte}; byte v,w; init { a!1,2; b!1,2; assert(false) }",
    "chan a=[1] of {byte}; chan b=[1] of {byte,byte}; byte v,w; init { a!!1,2; b!1,2; }",
    "chan a=[0] of {byte}; chan b=[1] of {byte,byte}; byte v,w; init { a!1,2; b!1,2; } active proctype Q() { a?v; assert(v==1); a?w }",
    "chan a=[1] of {byte}; proctype P(chan q) { q!1,2; } init { chan b=[1] of {byte,byte}; run P(a) }",
    "proctype P(chan q) { q!1,2; } init { chan b=[1] of {byte,byte}; run P(b) }",
    "proctype P(chan q) { q!1,2; } init { run P(0) }",
    "init { chan q; q!1,2; }",
    "init { chan q; q!1; }",
    "typedef R { chan c=[1] of {byte,byte,byte} }; R r; chan a=[1] of {byte}; init { a!1,2,3 }",
    "typedef R { byte x[3] }; R r; chan c=[1] of {R}; chan a=[1] of {byte}; init { a!1,2,3 }",
    "chan a=[1] of {byte}; trace { a!1,2 } init { a!1 }",
    "chan a=[1] of {byte}; inline f() { a!1,2 } init { a!1 }",
    "proctype P() { chan b=[1] of {byte,byte}; skip } chan a=[1] of {byte}; init { a!1,2 }",
    "chan a=[1] of {byte}; init { a!1,2 } proctype P() { chan b=[1] of {byte,byte}; skip } ",
    "typedef R {byte x; byte y}; R r; chan a=[1] of {byte}; init { a!r }",
    "typedef R {byte x; byte y}; R r; chan a=[1] of {byte}; init { a!r.x,r.y }",
    "typedef R {byte x; byte y}; R r; chan b=[1] of {R}; chan a=[1] of {byte}; init { a!r.x,r.y }",
    "typedef R {byte x; byte y}; typedef T { R r; byte z }; chan b=[1] of {T}; chan a=[1] of {byte}; init { a!1,2,3 }",
    "typedef R {byte x; byte y}; typedef T { R r; byte z }; chan b=[1] of {T}; chan a=[1] of {byte}; init { a!1,2 }",
];

/// Whether Spin makes a verifier of a text, and whether it calls an `else` dubious.
fn spin_says(text: &str) -> (bool, bool) {
    let directory = tempfile::tempdir().unwrap();
    std::fs::write(directory.path().join("model.pml"), text).unwrap();
    let mut spin = Command::new("spin");
    let output =
        spin.args(["-a", "model.pml"]).current_dir(&directory).stdin(Stdio::null()).output().unwrap();
    let said = String::from_utf8_lossy(&output.stdout).contains("dubious use of 'else'");
    (output.status.success() && directory.path().join("pan.c").exists(), said)
}

/// The same here.
fn we_say(text: &str) -> (bool, bool) {
    let outcome = promela_front::parse("model.pml", text, &promela_front::Options::default());
    let mut found = outcome.diagnostics.iter();
    let dubious = |found: &promela_front::Diagnostic| {
        found.code == promela_front::codes::DUBIOUS_ELSE && found.severity == Severity::Warning
    };
    (outcome.program.is_some(), found.any(dubious))
}

#[test]
fn what_spin_takes_is_taken_and_what_it_refuses_is_refused() {
    if !is_here("what_spin_takes_is_taken_and_what_it_refuses_is_refused") {
        return;
    }
    for texts in [ARROWS, CHANNELS, ARGUMENTS, FORMULAS, ELSE, PREDEFINED, LENGTHS] {
        let answers: Vec<(bool, bool)> = texts.iter().map(|text| spin_says(text)).collect();
        for (text, answer) in texts.iter().zip(&answers) {
            assert_eq!(we_say(text), *answer, "taken, and an `else` warned of: {text}");
        }
        for taken in [true, false] {
            assert!(answers.iter().any(|answer| answer.0 == taken), "all the same: {texts:?}");
        }
    }
}

/// What there is in the states of a model, with buffers as declared.
fn explored(text: &str) -> Exploration {
    let program = promela_front::parse("model.pml", text, &promela_front::Options::default()).program;
    let options = explore::Options { buffers: Buffers::Declared, ..explore::Options::default() };
    let semantics = Semantics::new(&program.unwrap(), &options).unwrap();
    semantics.explore(&Limits { violations: 10, ..Limits::default() }).unwrap()
}

/// Models with a message of too many fields, each with whether a buffer grows behind that.
const TOO_MANY: &[(&str, bool)] = &[
    ("chan a=[1] of {byte}; byte v; active proctype R() { a?v,_,_ } active proctype S() { a!1 }", false),
    (
        "chan a=[1] of {byte}; byte v; active proctype R() { a?v,_,_; do :: a!1 od } active proctype S() { a!1 }",
        true,
    ),
    (
        "chan a=[1] of {byte,byte}; byte v; active proctype R() { a?v,_,_; do :: a!1,2 od } active proctype S() { a!1,2 }",
        true,
    ),
    (
        "chan a=[1] of {byte,byte}; active proctype R() { a?1,2,3; do :: a!1,2 od } active proctype S() { a!1,2 }",
        true,
    ),
    ("chan a=[1] of {byte}; byte c; active proctype R() { a?c(_pid) } active proctype S() { a!1 }", false),
    (
        "chan a=[0] of {byte}; chan b=[2] of {byte}; byte v; active proctype R() { a?v,_,_; do :: b!1 od } active proctype S() { a!1 }",
        true,
    ),
    (
        "chan a=[1] of {byte}; chan b=[1] of {byte,byte}; active proctype R() { a!1,2; do :: a!1 od } active proctype S() { b!1,2 }",
        true,
    ),
    ("chan a=[1] of {byte}; byte v; proctype R(chan q) { q?v,_,_ } init { atomic { a!1; run R(a) } }", false),
];

/// Spin's verifier stops at them. So does nothing that is proved rest on what comes behind.
#[test]
fn too_many_fields_are_an_error_of_the_run() {
    if !is_here("too_many_fields_are_an_error_of_the_run") {
        return;
    }
    for (text, grows) in TOO_MANY {
        let answer = verify(text);
        assert_eq!(answer.errors, 1, "{text}\n{}", answer.output);
        let found = explored(text);
        let too_many = |violation: &Violation| matches!(violation, Violation::Error(RunError::FieldCount { given, wanted }) if given > wanted);
        assert!(found.violations.iter().any(|(violation, _)| too_many(violation)), "{text}");
        let runs = RunLimits { search_states: 2_000, exploration_states: 2_000 };
        let analysis = check_promela("model.pml", text, &Options { runs, ..Options::default() }).unwrap();
        assert!(!(*grows && analysis.outcome.verdict.is_proved()), "{text}");
    }
}

/// What is received into `_pid` is there, as in the verifier, which forgets it where it goes back
/// over the end of the process: so there is one run only.
#[test]
fn a_received_number_is_read() {
    if !is_here("a_received_number_is_read") {
        return;
    }
    for (asserted, errors) in [("_pid == 7", 0), ("_pid == 0", 1)] {
        let text = format!(
            "chan a=[1] of {{byte,byte}}; byte c; init {{ assert(_pid == 0); a!1,7; a?c(_pid); assert({asserted}) }}"
        );
        assert_eq!(verify(&text).errors, errors, "{text}");
        let found = explored(&text);
        assert_eq!(found.assertions > 0, errors > 0, "{text}");
    }
}
