//! Tests of the type check: texts with the expected warnings. Texts are not lowered.

use cfsm_core::source::Sources;

use super::check;
use crate::ast::Model;
use crate::options::Options;
use crate::preprocess::preprocess;
use crate::{inline, parser};
use cfsm_core::diagnostic::{Diagnostic, Severity};

/// The tree of a text without errors of syntax.
fn tree(text: &str) -> (Model, Sources) {
    let options = Options::default();
    let mut sources = Sources::default();
    let file = sources.add("m.pml", text);
    let preprocessed = preprocess(&mut sources, file, &options);
    let (tokens, _) = inline::expand(&sources, preprocessed.tokens, options.max_expansion);
    let (model, found) = parser::parse(&sources, &tokens, preprocessed.incomplete, &options);
    assert!(found.iter().all(|found| found.severity == Severity::Warning), "{found:?}");
    (model, sources)
}

/// The warnings about a text, as `line: code message`.
fn warnings(text: &str) -> Vec<String> {
    let (model, sources) = tree(text);
    let mut found = check(&model, &sources);
    found.sort_by_key(Diagnostic::span);
    let line =
        |found: &Diagnostic| format!("{}: {} {}", sources.line(found.span()), found.code, found.message);
    found.iter().map(line).collect()
}

/// The codes alone, without `P0406`.
fn codes(text: &str) -> Vec<String> {
    let codes = warnings(text).into_iter().map(|line| line.split(' ').nth(1).unwrap_or_default().to_owned());
    codes.filter(|code| code != "P0406").collect()
}

#[test]
fn a_channel_that_carries_itself_has_a_type() {
    let text = "chan c = [1] of { chan };
        init { chan d, e; c!c; c?d; d?e; e!e; c!d; d!0 }";
    assert_eq!(codes(text), Vec::<String>::new());
    let text = "chan c = [1] of { chan };
        init { chan d, e; c!c; c?d; d?e; e!e,1; e!7 }";
    assert_eq!(codes(text), ["P0401", "P0402"]);
}

#[test]
fn channels_that_carry_channels_keep_them_apart() {
    let text = "chan numbers = [1] of { int }; chan pairs = [1] of { int, int };
        chan a = [1] of { chan }; chan b = [1] of { chan };
        chan upper = [1] of { chan, chan };
        init { chan c, d; a!numbers; b!pairs; upper!a,b; upper?c,d; c?d; d!1; b?c; c!1,2 }";
    assert_eq!(codes(text), Vec::<String>::new());
}

/// A server that is sent channels of two kinds tells them apart by what else is in the message.
#[test]
fn a_received_channel_may_be_one_of_several() {
    let server = "mtype = { small, large }; chan door = [1] of { mtype, chan };
        chan one = [1] of { byte }; chan two = [1] of { byte, byte };
        active proctype P() { door!small,one; door!large,two }
        active proctype S() { chan c; do :: door?small,c; c!1 :: door?large,c; c!1,2 od }";
    assert_eq!(codes(server), Vec::<String>::new());
    assert_eq!(codes(&server.replace("c!1,2", "c!1,2,3")), ["P0401"]);
}

#[test]
fn fields_of_records_are_places_of_their_own() {
    let records = "typedef In { chan c; byte n[2] }; typedef Out { In a; In b; mtype m };
        chan one = [1] of { byte }; chan two = [1] of { byte, byte };
        chan whole = [1] of { In, byte };
        Out out;
        init { out.a.c = one; out.b.c = two; BODY }";
    let body = |body: &str| codes(&records.replace("BODY", body));
    assert_eq!(body("out.a.c!1; out.b.c!1,2; whole!out.a,1; whole?out.b,_"), Vec::<String>::new());
    assert_eq!(body("whole!one,1,2,3"), Vec::<String>::new());
    assert_eq!(body("out.a.c!1,2"), ["P0401"]);
    assert_eq!(body("whole!1,1,2,3; out.m = 5; out.b.n[0] = 256"), ["P0402", "P0404", "P0405"]);
}

#[test]
fn a_channel_that_is_made_in_a_record_is_known() {
    let text = "typedef Line { chan to[2] = [1] of { byte, byte } }; Line line[2];
        init { line[0].to[1]!1,2; line[1].to[0]!1 }";
    assert_eq!(
        warnings(text),
        ["2: P0401 this sends 1 field through `to`, a channel that comes there carries 2"]
    );
}

#[test]
fn a_line_of_an_inline_is_reported_once() {
    let text = "byte b;
        inline f(x) { byte own; b = x; b = 300 }
        inline g() { b = 1 }
        init { f(1); f(2); f(400) }";
    let found = [
        "2: P0406 the variable `own` is never used",
        "2: P0405 the number 400 does not fit into `byte`",
        "2: P0405 the number 300 does not fit into `byte`",
        "3: P0406 the inline `g` is never called",
    ];
    assert_eq!(warnings(text), found);
}

#[test]
fn what_an_inline_returns_goes_into_its_target() {
    let text = "inline f() { return 256 }
        init { byte b; int i; b = f(); i = f() }";
    assert_eq!(warnings(text)[0], "1: P0405 the number 256 does not fit into `byte`");
}

#[test]
fn names_in_text_that_is_not_read_may_be_used_there() {
    for text in [
        "byte x; c_decl { int i; } init { skip }",
        "init { byte x; c_code { Pinit->x = 1; } }",
        "byte x; inline f() { x = 1 } inline g() { f() } init { g() }",
        "byte x; ltl p { [] (x == 0) } init { skip }",
        "proctype P() { byte x; L: skip } never { P[1]@L; P[1]:x == 1 } init { run P() }",
        "#define p (x > 1)\nbyte x; init { skip }",
        "typedef T { byte b }; chan c = [1] of { T }; init { c?_ }",
        "typedef T { byte b }; typedef U { T t }; U u; init { u.t.b = 1 }",
        "inline f(x) { skip } init { byte b; f(b) }",
    ] {
        assert_eq!(warnings(text), Vec::<String>::new(), "{text}");
    }
}

#[test]
fn what_is_never_used_is_named() {
    let text = "typedef T { byte b };
        byte x; chan c;
        proctype P() { run P(1) }
        init { byte y; { byte y; y = 1 } }";
    let found = [
        "1: P0406 the type `T` is never used",
        "2: P0406 the variable `x` is never used",
        "2: P0406 the channel `c` is never used",
        "4: P0406 the variable `y` is never used",
    ];
    assert_eq!(warnings(text), found);
}

#[test]
fn loops_over_channels_receive() {
    let text = "typedef M { byte a; byte b }; chan c = [3] of { byte, byte }; chan cs[2] = [1] of { M };
        M m; byte i; int big;
        init { for (m in c) { m.a = 1 }; for (i in cs) { skip }; for (i : 0 .. 300) { skip };
        for (i : 1 .. big) { skip }; select (i : 1 .. 256) }";
    assert_eq!(codes(text), ["P0405", "P0405"]);
}

#[test]
fn one_of_two_channels_comes() {
    let text = "chan one = [1] of { byte }; chan two = [1] of { byte, byte };
        proctype P(chan c; chan d) { c!1; d!1 }
        init { run P((len(one) > 0 -> one : 0), (len(one) > 0 -> one : two)) }";
    let found = "2: P0401 this sends 1 field through `d`, a channel that comes there carries 2";
    assert_eq!(warnings(text), [found]);
}

#[test]
fn events_of_a_trace_are_no_actions() {
    let text = "mtype = { a }; chan c = [1] of { mtype, byte };
        trace { c!a,_; c?a,300 }
        init { byte x; c!a,1; c?_,x }";
    assert_eq!(codes(text), Vec::<String>::new());
}

#[test]
fn a_long_text_is_checked_in_passing() {
    let line = "run P(c); d = c; c!d,1; c?d,x; x = x + 1; if :: x == 3 -> e!c :: else -> e?d fi;\n";
    let text = format!(
        "chan c = [1] of {{ chan, byte }}; chan e = [1] of {{ chan }};
        proctype P(chan p) {{ p!p,1 }}
        init {{ byte x; chan d; {} }}",
        line.repeat(20_000)
    );
    assert_eq!(codes(&text), Vec::<String>::new());
}

/// Many channels in one class, each with a variable and a parameter of its own.
#[test]
fn many_places_that_exchange_channels_are_no_burden() {
    let mut text = String::from("chan hub = [1] of { chan };\n");
    for number in 0..5_000 {
        text += &format!(
            "chan c{number} = [1] of {{ chan }};
            active proctype P{number}() {{ chan x; hub!c{number}; hub?x; x!x; c{number}?x; x?x }}\n"
        );
    }
    assert_eq!(codes(&text), Vec::<String>::new());
}

#[test]
fn deep_nesting_fits_on_a_small_stack() {
    for (open, core, close) in [
        ("(", "x", ")"),
        ("- ", "x", ""),
        ("a[", "1", "]"),
        ("if :: ", "x = 1", " fi"),
        ("{ skip } unless { ", "x = 1", " }"),
        ("for (x : 1 .. 2) { ", "x = 1", " }"),
    ] {
        let text = format!("int a[3]; int x; init {{ {}{core}{} }}", open.repeat(1_900), close.repeat(1_900));
        let read = move || {
            let (model, sources) = tree(&text);
            std::thread::scope(|scope| {
                let small = std::thread::Builder::new().stack_size(256 << 10);
                let found = small.spawn_scoped(scope, || check(&model, &sources).len());
                found.expect("a thread").join().expect("no overflow")
            })
        };
        let large = std::thread::Builder::new().stack_size(64 << 20);
        assert!(large.spawn(read).expect("a thread").join().expect("no panic") <= 1, "{open}");
    }
}
