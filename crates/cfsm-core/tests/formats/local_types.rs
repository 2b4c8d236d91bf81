//! KMC's local types.

use cfsm_core::formats::Format;

use super::{lines, system, told};

fn machines(text: &str) -> Vec<String> {
    told(&system(Format::LocalTypes, text))
}

#[test]
fn messages_choices_and_recursion() {
    let text = "A: rec x . {B!m; x, C?n; end}\nB: rec y.A?m;y\nC: A!n; end";
    let expected = ["A: 0; 0 A->B!m 0, 0 C->A?n 1", "B: 0; 0 A->B?m 0", "C: 0; 0 C->A!n 1"];
    assert_eq!(machines(text), expected);
}

#[test]
fn inner_variables_hide_outer_ones() {
    let text = "A: rec x . A!a; rec x . A!b; {A!c; x, A!d; end}";
    assert_eq!(machines(text), ["A: 0; 0 A->A!a 1, 1 A->A!b 2, 2 A->A!c 1, 2 A->A!d 3"]);
}

/// The branch is a loop of its own: behind it only its own messages can come.
#[test]
fn a_loop_that_begins_in_a_branch_is_its_own() {
    let text = "A: {rec x . A!a; x, A!b; end}";
    assert_eq!(machines(text), ["A: 0; 0 A->A!b 2, 0 A->A!a 1, 1 A->A!a 1"]);
}

#[test]
fn a_variable_in_a_branch_is_what_it_stands_for() {
    let text = "A: rec x . {A!a; {x, end, {A!b; x}}, A?c; x}";
    let expected = "A: 0; 0 A->A!a 1, 0 A->A?c 0, 1 A->A!b 0, 1 A->A!a 1, 1 A->A?c 0";
    assert_eq!(machines(text), [expected]);
    // Two loops that are each other's beginning.
    assert_eq!(machines("A: rec x . {x, rec y . {x, y, A!a; y}}"), ["A: 0; 0 A->A!a 1, 1 A->A!a 1"]);
    assert_eq!(machines("A: rec x . x"), ["A: 0; "]);
}

#[test]
fn payloads_comments_and_separators() {
    let text = "-- first\nA: B!m<int>; B!n < List < bool > > ; end // rest\n|\n/* B */ B: A?m<int>; A?n<List<bool>>;end";
    let expected =
        ["A: 0; 0 A->B!m<int> 1, 1 A->B!n<List<bool>> 2", "B: 0; 0 A->B?m<int> 1, 1 A->B?n<List<bool>> 2"];
    assert_eq!(machines(text), expected);
    assert_eq!(lines(Format::LocalTypes, "alice: bob!hi\r\nbob: alice?hi\r\n"), [""; 0]);
}

#[test]
fn all_errors_are_found() {
    let text =
        "A: B!; end\nB: {A?a; x, A?b; y\nC: rec . end\nD: F!a; {A!b; end}} \nE E: D?m<int; end\nA: G!x; end";
    insta::assert_snapshot!(lines(Format::LocalTypes, text).join("\n"));
    insta::assert_snapshot!(
        [lines(Format::LocalTypes, ""), lines(Format::LocalTypes, "A: Z!a; Z?b; end\nA: end")]
            .concat()
            .join("\n")
    );
}

#[test]
fn depth_has_a_limit_and_length_has_none() {
    let deep = format!("A: {}A!a; end{}", "{".repeat(100_000), "}".repeat(100_000));
    assert!(lines(Format::LocalTypes, &deep)[0].contains("error[M0203]"));
    let long = format!("A: rec x . {}x", "A!a; ".repeat(100_000));
    assert_eq!(system(Format::LocalTypes, &long).transitions.len(), 100_000);
    let recs = format!("A: {}x", "rec x . ".repeat(100_000));
    assert_eq!(machines(&recs), ["A: 0; "]);
}

/// Each level takes over what those around it can do.
#[test]
fn shared_transitions_have_a_limit() {
    let branches = "A!a; end, ".repeat(20_000);
    let inner = "A!b; {x, A!c; ".repeat(200);
    let text = format!("A: rec x . {{{branches} {inner} end{}}}", "}".repeat(200));
    assert!(lines(Format::LocalTypes, &text)[0].contains("error[M0203]"));
}

#[test]
fn messages_without_an_other_end_are_warned_of() {
    let told = lines(
        Format::LocalTypes,
        "A: rec x . {B!aks; x, rec y . B!stop; end}\nB: rec y . {A?ask; y, A?stop; end}",
    );
    assert_eq!(
        told,
        [
            "m:1:13: warning[M0007]: `aks` is sent to `A->B` and never received (`ask` is received and never sent)",
            "m:2:13: warning[M0007]: `ask` is received from `A->B` and never sent (`aks` is sent and never received)",
        ]
    );
}
