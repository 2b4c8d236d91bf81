//! Loops of known shape, written in Promela: whether they end, and how often they turn.
#![allow(clippy::unwrap_used)] // clippy.toml allows it in tests, and helpers of tests are no less

use promela_front::parse;
use ranking::{LoopResult, Outcome, loops};

/// The loops of a process with the given body, whose parameters are x, y, z and n.
fn of(ty: &str, body: &str) -> Vec<LoopResult> {
    let text = format!(
        "chan q = [8] of {{ int }}; proctype P({ty} x; {ty} y; {ty} z; {ty} n) {{ {body} }}\ninit {{ run P(1, 2, 3, 4) }}"
    );
    let program = parse("loop.pml", &text, &Default::default()).program.expect("it can be read");
    loops(&program)
}

/// The greatest number of rounds of the outermost loop; `None` if it is not known to end.
fn most(ty: &str, body: &str) -> Option<i64> {
    match &of(ty, body)[0].outcome {
        Outcome::Ends(rounds) => rounds.most().try_into().ok(),
        _ => None,
    }
}

/// The bound for given values of x, y, z and n at the start.
fn rounds(ty: &str, body: &str, values: [i64; 4]) -> Option<i64> {
    match &of(ty, body)[0] {
        LoopResult { outcome: Outcome::Ends(rounds), variables, .. } => {
            use cfsm_core::ids::Id;
            let value = |variable: &cfsm_core::program::VariableRef| match variable {
                cfsm_core::program::VariableRef::Local(id) => values.get(id.index()).copied().unwrap_or(0),
                cfsm_core::program::VariableRef::Global(_) => 0,
            };
            let values: Vec<i64> = variables.iter().map(value).collect();
            rounds.at(&values).try_into().ok()
        }
        _ => None,
    }
}

#[test]
fn a_counter_ends_after_as_many_rounds_as_it_says() {
    let body = "x = 0; do :: x < n -> q!x; x++ :: else -> break od";
    assert_eq!(rounds("byte", body, [0, 0, 0, 9]), Some(9));
    assert_eq!(most("byte", body), Some(255));
    assert_eq!(rounds("int", "do :: x > 0 -> x = x - 3 :: else -> break od", [10, 0, 0, 0]), Some(4));
    assert_eq!(most("byte", "n = 7; do :: n > 0 -> n-- :: else -> break od"), Some(7));
}

/// The rounds of the loop of `init`, beside a process `W` that writes the loop's variable.
fn of_init(text: &str) -> Option<i64> {
    let program = parse("loop.pml", text, &Default::default()).program.expect("it can be read");
    let results = loops(&program);
    let of_init = |result: &&LoopResult| program.types[result.process_type].name == "init";
    match &results.iter().find(of_init).expect("a loop").outcome {
        Outcome::Ends(rounds) => rounds.most().try_into().ok(),
        _ => None,
    }
}

#[test]
fn a_process_that_comes_behind_the_loop_writes_nothing_in_it() {
    let writer = "byte g; proctype V() { run W() } proctype W() { g = 0 }";
    let count = "g = 0; do :: g < 9 -> g++ :: else -> break od";
    let most =
        |before: &str, behind: &str| of_init(&format!("{writer} init {{ {before}; {count}; {behind} }}"));
    assert_eq!(most("skip", "run W()"), Some(9));
    assert_eq!(most("skip", "run V(); run W()"), Some(9));
    assert_eq!(most("run W()", "skip"), None);
    assert_eq!(most("run V()", "run W()"), None);
    let other = "active proctype X() { run V() }";
    assert_eq!(of_init(&format!("{writer} {other} init {{ {count}; run W() }}")), None);
    assert_eq!(of_init(&format!("{writer} init {{ again: {count}; run W(); goto again }}")), None);
    assert_eq!(of_init(&format!("{writer} init {{ do :: {count}; run W() od }}")), None);
}

/// An index outside of its array is an error behind which a run does not go on.
#[test]
fn a_search_in_an_array_ends_at_the_end_of_the_array() {
    let search = |read: &str| format!("byte a[4]; x = 0; do :: {read} -> x++ :: else -> break od");
    assert_eq!(most("byte", &search("a[x] != 0")), Some(4));
    assert_eq!(most("byte", &search("n > 3 && a[x] != 0")), Some(4));
    // Where the element is not looked at, nothing is known of the index.
    assert_eq!(most("byte", &search("n > 3 || a[x] != 0")), None);
    assert_eq!(most("byte", &search("a[x & 3] != 0")), None);
    assert_eq!(most("byte", "byte a[4]; x = 9; do :: x > 0 -> a[x] = 1; x-- :: else -> break od"), Some(0));
    assert_eq!(most("byte", "byte a[4]; x = 0; do :: a[x] = 1; x++ od"), Some(4));
    assert_eq!(most("byte", "byte a[4]; do :: a[0] != 0 :: else -> break od"), None);
}

#[test]
fn what_may_turn_for_ever_is_not_said_to_end() {
    for body in [
        "do :: x++ od",
        "do :: x > 0 -> x-- :: n = 5; x = n od",
        "do :: x >= 0 -> x = -x + 11 od",
        "do :: x != 0 -> x = x - 2 :: else -> break od",
    ] {
        assert_eq!(most("byte", body), None, "{body}");
        assert_eq!(most("int", body), None, "{body}");
    }
    assert!(matches!(of("byte", "do :: q!1 od")[0].outcome, Outcome::Endless(_)));
}

/// Loops that do not end and that the region graphs of thesis chapter 9 would say to end, if read
/// to the letter: by the signs of (9.36) and (9.56), by (9.52) with (9.53), by steps that get
/// smaller and smaller (9.5), and by cycles that make progress in different quantities (9.4.4, step
/// 7).
#[test]
fn where_the_chapter_is_wrong_loops_are_not_said_to_end() {
    let signs = "do :: x >= 0 -> x = -x + 11 :: else -> break od";
    let both_ways = "z = 0; do :: x >= 0 -> if :: z == 0 && x < 9 -> x++ :: z == 0 && x >= 9 -> z = 1
        :: z == 1 && x > 0 -> x-- :: else -> z = 0 fi :: else -> break od";
    let halves = "do :: x >= 0 -> if :: x < 2 -> x = x / 2 + 1 :: else -> x = x - 1 fi :: else -> break od";
    let quantities = "do :: x >= 0 -> if
        :: z <= 0 && n >= 1 && y >= -1000 -> x = x + 1; z = n; n = 3 - n
        :: z <= 0 && n >= 1 && y < -1000 -> x = x - 1
        :: z <= 0 && n <= 0 -> x = x - 1
        :: z == 1 -> x = x - 4; y = y + 4; z = 0
        :: z >= 2 -> x = x + 2; y = y - 4; z = 0 fi :: else -> break od";
    for body in [signs, both_ways, halves, quantities] {
        assert_eq!(most("short", body), None, "{body}");
    }
}

/// Thesis, Examples 9.1 to 9.5. In 9.4 the second variable wraps if it begins anywhere.
#[test]
fn the_examples_of_the_chapter_end() {
    let nine_one = "do :: x >= 0 -> x = -2 * x + 10 :: else -> break od";
    let nine_two =
        "do :: x >= -4 -> if :: x >= 0 -> x = -x - 1 :: x < 0 -> x = -x + 1 fi :: else -> break od";
    let nine_three = "do :: x >= 1 && y >= 1 -> x = x - y :: else -> break od";
    let nine_four = "do :: x >= 0 -> x = x + y; y = y - 1 :: else -> break od";
    let nine_five = "do :: x >= 0 -> if :: y >= 0 -> y = y - 1 :: else -> x = x + y fi :: else -> break od";
    for (name, body) in [("9.1", nine_one), ("9.2", nine_two), ("9.3", nine_three), ("9.5", nine_five)] {
        let found = most("short", body);
        println!("{name}: {found:?}");
        assert!(found.is_some(), "{name}");
    }
    let start = format!("x = 3; y = 4; {nine_four}");
    println!("9.4: {:?}", most("int", &start));
    assert!(most("int", &start).is_some());
}

/// The kinds of loop named by the design, beside the chapter's examples.
#[test]
fn usual_kinds_of_loop_end() {
    let kinds = [
        (
            "nested",
            "x = 0; do :: x < 10 -> y = 0; do :: y < 5 -> y++ :: else -> break od; x++ :: else -> break od",
        ),
        ("lexicographic", "do :: x > 0 && y > 0 -> if :: x--; y = 200 :: y-- fi :: else -> break od"),
        ("two pointers", "do :: x < y -> if :: x++ :: y-- fi :: else -> break od"),
        ("sum falls", "do :: x > 0 && y > 0 -> if :: x--; :: y-- fi :: else -> break od"),
        ("copy through another", "do :: x > 0 -> y = x - 1; x = y :: else -> break od"),
        ("halving", "do :: x > 0 -> x = x / 2 :: else -> break od"),
        ("shifting", "do :: x > 0 -> x = x >> 1 :: else -> break od"),
        (
            "binary search",
            "x = 0; y = 100; do :: x < y -> z = (x + y) / 2; if :: x = z + 1 :: y = z fi :: else -> break od",
        ),
        ("distance falls", "do :: x != y -> if :: x < y -> x++ :: else -> x-- fi :: else -> break od"),
        (
            "greatest common divisor",
            "x = 12; y = 18; do :: x > y -> x = x - y :: y > x -> y = y - x :: else -> break od",
        ),
        ("remainder", "do :: y > 0 -> z = x % y; x = y; y = z :: else -> break od"),
        ("phases", "do :: x < n -> if :: z == 0 -> z = 1 :: else -> x++ fi :: else -> break od"),
        (
            "up and down",
            "z = 0; x = 0; do :: z == 0 && x < 9 -> x++ :: z == 0 && x == 9 -> z = 1 :: z == 1 && x > 0 -> x-- :: else -> break od",
        ),
        ("two bounds", "do :: x < n && y > 3 -> x++; y = y - 2 :: else -> break od"),
    ];
    let mut failed = Vec::new();
    for (name, body) in kinds {
        let found = most("byte", body);
        println!("{name}: {found:?}");
        if found.is_none() {
            failed.push(name);
        }
    }
    println!("{failed:?}");
    assert!(failed.is_empty(), "{failed:?}");
}

/// Thesis, Fig. 12.3: the number is 3; the method of section 12.2 gives 5.
#[test]
fn the_seesaw_turns_three_times() {
    let body = "x = 6; y = -1; do :: x + y >= 3 || -y >= 0 -> q!1; x = x - 2; y = y + 1 :: else -> break od";
    assert_eq!(most("int", body), Some(3));
}

/// A condition beside `else` may lead out of the loop.
#[test]
fn a_loop_that_is_left_by_its_condition_ends() {
    assert_eq!(most("byte", "x = 1; do :: x > 10 -> break :: else -> x++ od"), Some(10));
}

/// An `atomic` in which a process may be held up, by its `provided` clause or by others of higher
/// priority, lets others step between any two statements; a `d_step` does not.
#[test]
fn what_is_read_twice_may_differ_where_a_process_may_be_held_up() {
    let ends = |process: &str, hold: &str| {
        let text = format!(
            "byte g; bool p = 1;
            active proctype P() {process} {{ byte x, y; L: {hold} {{ x = g; p = 0; y = g }}; if :: x != y -> goto L :: else fi }}
            active proctype Q() {{ do :: !p -> g = g + 1; p = 1 od }}"
        );
        let program = parse("loop.pml", &text, &Default::default()).program.expect("it can be read");
        matches!(loops(&program)[0].outcome, Outcome::Ends(_))
    };
    assert!(ends("", "atomic") && ends("", "d_step") && ends("provided (p)", "d_step"));
    assert!(!ends("", "") && !ends("provided (p)", "atomic") && !ends("priority 2", "atomic"));
}

/// The inner loop is shown to end by pairs of rounds only, if at all. It may be left behind the
/// first of two, where x is 2, and then it does not end any more.
#[test]
fn a_loop_may_be_left_between_two_rounds() {
    let inner = "do :: z == 1 -> skip :: z == 0 && x >= 0 -> x = -2 * x + 10 :: break od";
    let around = |then: &str| format!("z = 0; do :: x = 4; {inner}; if :: x == 2 -> {then} :: else fi od");
    let ends = |then: &str| matches!(of("short", &around(then))[1].outcome, Outcome::Ends(_));
    assert!(ends("skip"));
    assert!(!ends("z = 1"));
}
