//! What data places decide, and what they must not: small models whose verdicts are plain, each
//! with and without.

use abstraction::{Options, Precision, abstract_program};
use cfsm_core::program::Program;
use cfsm_core::system::System;
use explore::{Buffers, Claims, Limits, Progress, Semantics};
use integration_tests::difference_programs::difference_program;
use integration_tests::{given, say, short_or_long};

fn program(text: &str) -> Program {
    let outcome = promela_front::parse("model.pml", text, &promela_front::Options::default());
    outcome.program.unwrap_or_else(|| panic!("{text}: {:#?}", outcome.diagnostics))
}

fn system(program: &Program, data_places: bool) -> System {
    let precision = Precision { data_places, ..Precision::default() };
    let options = Options { precision, ..Options::default() };
    abstract_program(program, &options).expect("it is small").system
}

/// Whether every buffer is proved bounded with data places; without, it is not.
fn is_bounded(text: &str) -> bool {
    let program = program(text);
    let proved = |data_places| {
        let outcome = boundedness::check(&system(&program, data_places), &boundedness::Options::default());
        outcome.verdict.is_proved()
    };
    assert!(!proved(false), "decided without data places: {text}");
    proved(true)
}

/// Whether there is proved to be no livelock with data places; without, it is not.
fn is_livelock_free(text: &str) -> bool {
    let program = program(text);
    let proved = |data_places| {
        livelock::check(&system(&program, data_places), &livelock::Options::default()).verdict.is_proved()
    };
    assert!(!proved(false), "decided without data places: {text}");
    proved(true)
}

/// The declarations and the body of one process that sends into `q`.
fn sender(declarations: &str, body: &str) -> String {
    format!("chan q = [9] of {{ bit }};\n{declarations}\nactive proctype P() {{ {body} }}\n")
}

#[test]
fn guards_bound_counters() {
    let bounded = [
        // Beyond what could be told apart value by value.
        "int n; do :: n < 1000 -> q!1; n++ od",
        "int n = 1000000; do :: n > 0 -> q!1; n = n - 7 :: n <= 0 -> break od",
        "int n; do :: n != 10 -> q!1; n++ od",
        "byte n; do :: n >= 250 -> break :: else -> q!1; n++ od",
        "short n = -5; do :: n < 100 -> n = n + 2; q!1 od",
        "int n; int by; do :: by = 1 :: by = 3 :: by > 0 && n < 1000 -> q!1; n = n + by; by = 0 od",
        "bool done; do :: !done -> q!1; done = true od",
        "int n; do :: d_step { n < 300 -> n++ }; q!1 od",
        "int n; do :: atomic { n < 300 -> n++; q!1 } od",
        // What is taken off stands behind the guard of another loop.
        "int n; int m = 400; do :: n == 0 && m > 0 -> m--; n = 2 :: n > 0 -> q!1; n-- od",
    ];
    for body in bounded {
        assert!(is_bounded(&sender("", body)), "{body}");
        assert!(is_bounded(&sender("", body).replace("1000", "100000")), "{body}");
    }
}

/// Each element of a short array counts on its own, where it is known which one it is.
#[test]
fn elements_count_on_their_own() {
    let credits = |uses: &str, gives: &str| {
        format!(
            "chan q = [4] of {{ byte }}; chan back = [4] of {{ byte }}; byte credit[2] = {{ 2, 3 }};
             active proctype P() {{ do {uses} {gives} od }}
             active proctype Q() {{ do :: q?0 -> back!0 :: q?1 -> back!1 od }}"
        )
    };
    let uses = ":: credit[0] > 0 -> credit[0]--; q!0 :: credit[1] > 0 -> credit[1]--; q!1";
    assert!(is_bounded(&credits(uses, ":: back?0 -> credit[0]++ :: back?1 -> credit[1]++")));
    // What comes back goes to the other one's account, twice, or to one that is not known.
    assert!(is_bounded(&credits(uses, ":: back?0 -> credit[1]++ :: back?1 -> credit[0]++")));
    assert!(!is_bounded(&credits(uses, ":: back?0 -> credit[0] = credit[0] + 2 :: back?1 -> credit[1]++")));
    assert!(!is_bounded(&credits(uses, ":: back?0 -> credit[0] = credit[1] + 1 :: back?1 -> credit[1]++")));
    let either = "byte i; chan q = [9] of { bit }; byte n[2] = { 9, 9 };
        active proctype P() { do :: n[i] > 0 -> n[i]--; q!1 :: i = 1 - i od }";
    assert!(!is_bounded(either));
    let long = |length: usize| {
        sender(
            &format!("byte n[{length}] = 9;"),
            "do :: n[0] > 0 -> n[0]--; q!1 :: n[1] > 0 -> n[1]--; q!1 od",
        )
    };
    assert!(is_bounded(&long(16)));
    assert!(!is_bounded(&long(17)));
}

/// How many elements hold a value counts where arrays stand inside records that are elements
/// themselves.
#[test]
fn tables_inside_records_count() {
    let table = |body: &str| {
        format!(
            "typedef R {{ byte slot[2]; bit open }}; chan q = [4] of {{ byte }}; chan in = [4] of {{ byte, byte }};
             active proctype P() {{ R c[2]; byte i, j; do {body} od }}
             active proctype Q() {{ in!0,1; in!1,0; in!1,1 }}"
        )
    };
    let free = ":: c[i].slot[j] == 2 -> q!1; c[i].slot[j] = 0 :: c[i].slot[j] == 1 -> c[i].slot[j] = 2 :: i = 1 - i :: j = 1 - j";
    assert!(is_bounded(&table(&format!("{free} :: in?i,j; c[i].slot[j] = 1"))));
    // It is filled again, or another element is freed than was asked about.
    assert!(!is_bounded(&table(&format!("{free} :: c[i].slot[j] = 1"))));
    assert!(!is_bounded(&table(
        &free
            .replace("c[i].slot[j] = 0", "c[j].slot[i] = 0")
            .replace(":: j =", ":: in?i,j; c[i].slot[j] = 2 :: j =")
    )));
    assert!(!is_bounded(&table(
        &free.replace("q!1;", "q!1; i = 1 - i;").replace(":: j =", ":: in?i,j; c[i].slot[j] = 2 :: j =")
    )));
}

/// A global table counts where one process alone writes it.
#[test]
fn global_tables_count_for_their_only_writer() {
    let table = |count: &str, others: &str| {
        format!(
            "chan q = [4] of {{ byte }}; byte slot[4] = 1;
             active {count} proctype P() {{ byte i; do
                :: slot[i] == 2 -> q!1; slot[i] = 0 :: slot[i] == 1 -> slot[i] = 2 :: i = (i + 1) % 4 od }}
             {others}"
        )
    };
    assert!(is_bounded(&table("", "")));
    assert!(is_bounded(&table("", "active proctype Q() { byte n; do :: slot[0] == 1 -> n = slot[1] od }")));
    assert!(!is_bounded(&table("", "active proctype Q() { do :: slot[1] = 1 od }")));
    // Each may act upon what it has seen before the other one has freed it.
    assert!(!is_bounded(&table("[2]", "active proctype Q() { slot[1] = 1 }")));
}

#[test]
fn what_can_grow_is_not_called_bounded() {
    let unbounded = [
        // It wraps, or might.
        "byte n; do :: q!1; n-- od",
        "byte n; do :: n >= 0 -> q!1; n++ od",
        "unsigned n : 3; do :: n < 8 -> q!1; n++ od",
        "int n; do :: q!1; n++ od",
        "short n; do :: n < 32767 -> q!1; n++ :: else -> n++ od",
        "byte n = 9; do :: n > 0 -> q!1; n = n - 2 od",
        // Somebody gives back what is taken.
        "int n; do :: n < 3 -> q!1; n++ :: n = 0 od",
        "bool done; do :: !done -> q!1; done = true :: done = false od",
        // Thesis, Example 12.2: two loops need each other, and the third feeds them.
        "int x; int y; do :: y++ :: x == 0 && y > 0 -> x = y; y = 0 :: x > 0 -> q!1; x-- od",
    ];
    for body in unbounded {
        assert!(!is_bounded(&sender("", body)), "{body}");
    }
}

#[test]
fn several_processes_add_up() {
    let each = |how: &str, rest: &str| {
        format!("chan q = [9] of {{ bit }};\n{how} P() {{ int n; do :: n < 500 -> q!1; n++ od }}\n{rest}\n")
    };
    assert!(is_bounded(&each("active [3] proctype", "")));
    assert!(is_bounded(&each("proctype", "init { run P(); run P() }")));
    assert!(is_bounded(&each("proctype", "init { int i; do :: i < 400 -> run P(); i++ od }")));
    assert!(!is_bounded(&each("proctype", "init { do :: run P() od }")));
    let arguments = "chan q = [9] of { bit };
        proctype P(int n) { do :: n > 0 -> q!1; n-- od }
        init { run P(300); run P(700) }";
    assert!(is_bounded(arguments));
    let descendants = "chan q = [9] of { bit };
        proctype P(int n) { q!1; if :: n > 0 -> run P(n - 1) :: else fi }
        init { run P(1000) }";
    // They are thrown together, so nothing is known of their arguments.
    assert!(!is_bounded(descendants));
}

#[test]
fn others_may_write_a_global() {
    let global = |others: &str| format!("{}\n{others}\n", sender("int n;", "do :: n < 300 -> q!1; n++ od"));
    assert!(is_bounded(&global("")));
    assert!(is_bounded(&global("active proctype Q() { n < 5 -> n = 7 }")));
    assert!(!is_bounded(&global("active proctype Q() { do :: n = 0 od }")));
    assert!(!is_bounded(&global("active proctype Q() { do :: n-- od }")));
    // Between guard and update, another one's update may come: then nothing is known of the end.
    let two = |body: &str| {
        format!("chan q = [9] of {{ bit }};\nint n;\nactive [2] proctype P() {{ do :: {body} od }}\n")
    };
    assert!(is_bounded(&two("atomic { n < 300 -> n++ }; q!1")));
    assert!(!is_bounded(&two("n < 300 -> n++; q!1")));
}

#[test]
fn what_is_received_counts_with_its_range() {
    let with = |sends: &str| {
        format!(
            "{}\nactive proctype Q() {{ {sends} }}\n",
            sender("chan c = [1] of { int };", "int n; do :: n <= 0 -> c?n :: n > 0 -> q!1; n-- od")
        )
    };
    assert!(is_bounded(&with("c!100; c!1000")));
    assert!(!is_bounded(&with("do :: c!100 od")));
}

#[test]
fn rankings_fall_with_data() {
    let free = [
        "int n; do :: true -> progress: n = 5; do :: n > 0 -> n-- :: break od; n = 500; do :: n > 0 -> n-- :: break od od",
        "int n; do :: n < 1000 -> n++ :: n >= 1000 -> progress: n = 0 od",
        "bit turn; do :: turn == 0 -> turn = 1 :: turn == 1 -> progress: turn = 0 od",
    ];
    for body in free {
        assert!(is_livelock_free(&format!("active proctype P() {{ {body} }}")), "{body}");
    }
    let not = [
        "int n; do :: n < 1000 -> n++ :: n >= 1000 -> n = 0 :: skip; progress: n = 0 od",
        "byte n; do :: n++ :: skip; progress: n = 0 od",
        "int n; do :: n > 0 -> n-- :: n < 9 -> n++ :: skip; progress: n = 0 od",
    ];
    for body in not {
        assert!(!is_livelock_free(&format!("active proctype P() {{ {body} }}")), "{body}");
    }
}

/// Loops whose guards ask about another variable than the one that they count.
#[test]
fn copies_count_as_what_they_are_copies_of() {
    let two = |global: &str, local: &str, body: &str, other: &str| {
        format!(
            "{}\nactive proctype Q() {{ {other} }}\n",
            sender(global, &format!("{local} do :: {body} od"))
        )
    };
    let bounded = [
        ("int n;", "int m;", "m < 100 -> q!1; n++; m = n", "skip"),
        ("byte n;", "short m;", "m < 100 -> q!1; n++; m = n + 1", "skip"),
        ("int n = 50;", "int m = 40;", "m >= 3 -> q!1; n--; atomic { m = n; skip }", "n = 60"),
        ("int n; int most = 9;", "int m;", "m < most -> q!1; n++; m = n", "most = 90"),
    ];
    for (global, local, body, other) in bounded {
        assert!(is_bounded(&two(global, local, body, other)), "{body}");
    }
    let unbounded = [
        // What is asked about is no copy, or somebody gives back what is taken.
        ("int n;", "int m;", "m < 100 -> q!1; n++; m = 0", "skip"),
        ("int n;", "int m;", "m < 100 -> q!1; n++; m = n", "do :: n = 0 od"),
        ("int n;", "int m;", "m < 100 -> q!1; n++; m = n", "do :: n-- od"),
        ("int n;", "int m;", "m < 100 -> q!1; n++; m = n :: n = 0; m = n", "skip"),
        // It wraps.
        ("byte n;", "int m;", "m < 300 -> q!1; n++; m = n", "skip"),
        ("unsigned n : 3;", "int m;", "m <= 7 -> q!1; n--; m = n", "skip"),
        ("short n;", "int m;", "m < 32768 -> q!1; n++; m = n", "skip"),
    ];
    for (global, local, body, other) in unbounded {
        assert!(!is_bounded(&two(global, local, body, other)), "{body}, {other}");
    }
    let jug = |other: &str| {
        let guest = "active proctype Guest() { int cup = 5; do :: cup > 0 -> jug--; cup = jug od }";
        format!("int jug = 5; {guest} active proctype Host() {{ do :: {other} od }}")
    };
    assert!(is_livelock_free(&jug("jug = 5; progress: skip")));
    assert!(!is_livelock_free(&jug("jug = 5; skip :: skip; progress: skip")));
}

/// Random programs whose freedom from livelocks is proved with data places, and not without: none
/// of their states, as far as they are looked at, lies on a cycle without progress.
#[test]
fn what_goes_round_is_not_called_free_of_livelocks() {
    let count = given("PROPTEST_CASES").unwrap_or(short_or_long(1_000, 30_000));
    let mut proved = 0;
    for seed in 0..count {
        let text = difference_program(2_000_000 + seed);
        let program = program(&text);
        let is_free = |data_places| {
            livelock::check(&system(&program, data_places), &livelock::Options::default()).verdict.is_proved()
        };
        if !is_free(true) || is_free(false) {
            continue;
        }
        proved += 1;
        for buffers in [Buffers::Unbounded, Buffers::Declared] {
            let options = explore::Options {
                buffers: buffers.clone(),
                claims: Claims::Ignored,
                ..explore::Options::default()
            };
            let Ok(semantics) = Semantics::new(&program, &options) else { continue };
            let limits = Limits { states: Some(3_000), progress: true, ..Limits::default() };
            let Ok(seen) = semantics.explore(&limits) else { continue };
            assert!(!matches!(seen.progress, Progress::Cycle(_)), "seed {seed}, {buffers:?}:\n{text}");
        }
    }
    say(&format!("{proved} of {count} programs are proved free of livelocks with data places only"));
    assert!(proved * 50 > count, "{proved} of {count}");
}

/// The bound is that of the counter, also between guard and update.
#[test]
fn bounds_are_those_of_the_counters() {
    let program = program(&sender("", "int n; do :: n < 1000 -> q!1; n++ od"));
    let outcome = boundedness::check(&system(&program, true), &boundedness::Options::default());
    let bounds: Vec<String> = outcome.buffers.values().map(ToString::to_string).collect();
    assert_eq!(bounds, ["bounded by 1000"]);
}
