//! What `check` says of the strategies that decided a model: which, why, and about which loops.

use crate::harness::freeboard;

/// The paragraphs on refinement, with everything but some strategies switched off.
fn refined_by(strategies: &[&str], arguments: &[&str]) -> String {
    let all = [
        "activation",
        "structure",
        "data-places",
        "counters",
        "ranking",
        "pairs",
        "tracking",
        "order",
        "termination",
        "recurrence",
        "exhaustion",
    ];
    let without = all.iter().filter(|one| !strategies.contains(one)).flat_map(|one| ["--without", one]);
    let arguments: Vec<&str> =
        ["check"].into_iter().chain(without).chain(arguments.iter().copied()).collect();
    let run = freeboard(&arguments);
    assert_eq!(run.status, 0, "{run:?}");
    let text = run.timeless();
    let told = text.split("\n\n").filter(|paragraph| paragraph.contains("efined by"));
    told.collect::<Vec<_>>().join("\n\n")
}

#[test]
fn what_a_round_uses_up() {
    insta::assert_snapshot!(refined_by(&["data-places"], &["--property", "boundedness", "packing.pml"]));
}

#[test]
fn what_is_used_up_without_progress() {
    insta::assert_snapshot!(refined_by(&["data-places"], &["--property", "livelock", "two_slopes.pml"]));
}

#[test]
fn what_one_process_uses_up_and_another_fills() {
    insta::assert_snapshot!(refined_by(&["data-places"], &["--property", "livelock", "common_jug.pml"]));
}

#[test]
fn how_often_loops_turn() {
    let refined = |property, model| refined_by(&["ranking"], &["--property", property, model]);
    insta::assert_snapshot!(
        [
            refined("boundedness", "packing.pml"),
            refined("boundedness", "seesaw.pml"),
            refined("livelock", "two_slopes.pml"),
            refined("livelock", "refilled.pml"),
            refined("livelock", "common_jug.pml"),
        ]
        .join("\n\n")
    );
}

#[test]
fn what_counts_messages_without_asking() {
    insta::assert_snapshot!(refined_by(&["counters"], &["--property", "boundedness", "ferry.pml"]));
}

#[test]
fn what_messages_weigh_together() {
    let arguments = ["--property", "boundedness", "freight.pml"];
    insta::assert_snapshot!(refined_by(&["data-places", "counters", "tracking"], &arguments));
}

#[test]
fn whose_values_are_followed() {
    insta::assert_snapshot!(refined_by(&["tracking"], &["seesaw.pml"]));
}

#[test]
fn loops_that_do_not_hang_together() {
    insta::assert_snapshot!(refined_by(&["structure"], &["two_bridges.pml"]));
}

#[test]
fn a_queue_that_is_read_for_ever() {
    insta::assert_snapshot!(refined_by(&["structure"], &["last_notice.pml"]));
}

#[test]
fn what_a_sender_and_a_receiver_have_both_counted() {
    insta::assert_snapshot!(refined_by(&["pairs"], &["fresh_bread.pml"]));
}

#[test]
fn what_is_put_aside_and_taken_back() {
    insta::assert_snapshot!(refined_by(&["pairs"], &["left_luggage.pml"]));
}

#[test]
fn who_cannot_be_where() {
    insta::assert_snapshot!(refined_by(
        &["tracking", "structure"],
        &["--property", "livelock", "moving_house.pml"]
    ));
}

#[test]
fn messages_in_their_order() {
    insta::assert_snapshot!(refined_by(&["order"], &["calculator.pml"]));
}

#[test]
fn every_run_ends() {
    insta::assert_snapshot!(refined_by(&["termination"], &["--property", "boundedness", "two_bridges.pml"]));
}

#[test]
fn one_run_stands_for_all() {
    insta::assert_snapshot!(refined_by(&["termination"], &["--property", "boundedness", "seesaw.pml"]));
}

#[test]
fn progress_again_and_again() {
    insta::assert_snapshot!(refined_by(&["recurrence"], &["--property", "livelock", "common_jug.pml"]));
}

#[test]
fn all_states() {
    insta::assert_snapshot!(refined_by(&["exhaustion"], &["calculator.pml"]));
}
