//! Proofs that look at what is delivered: accepted ones, and each condition broken by as little as
//! possible.

use std::collections::BTreeMap;

use certify::{
    AllBoundedClaim, Certificate, Claim, Delivery, Fairness, LivelockFreeClaim, Proof, Ranking, check,
};
use cfsm_core::system::{BufferKind, System, SystemBuilder};
use num_bigint::BigInt;

fn weights(all: &[(&str, i64)]) -> BTreeMap<String, BigInt> {
    all.iter().map(|&(name, weight)| (name.to_owned(), weight.into())).collect()
}

fn ranking(falls_at_cut: Option<usize>, messages: &[(&str, i64)], states: &[(&str, i64)]) -> Box<Proof> {
    let (messages, states) = (weights(messages), weights(states));
    Box::new(Proof::Ranking(Ranking {
        silent: Vec::new(),
        falls_at_cut,
        falls_in_part: None,
        messages,
        data: weights(&[]),
        states,
    }))
}

/// A letter and a stamp go out, and the next ones when there is an answer to the letter. To take a
/// stamp is progress, or (the other system) the end of it.
fn office(stamps_end_it: bool) -> System {
    let mut b = SystemBuilder::new("office");
    let (letter, stamp) = (b.message("out", "letter"), b.message("out", "stamp"));
    let answer = b.message("in", "answer");
    let mut sender = b.class("Sender", 1);
    sender.send("0", letter, "1").send("1", stamp, "2").receive("2", answer, "0");
    let reader = b.class("Reader", 1).receive("0", letter, "1").send("1", answer, "0").id();
    b.class_again(reader).receive("0", stamp, if stamps_end_it { "2" } else { "0" });
    b.progress();
    b.build().expect("names are given once")
}

fn livelock(system: &System, proof: Proof) -> String {
    says(system, Claim::LivelockFree(LivelockFreeClaim::new(Fairness::None, proof)))
}

fn bounds(system: &System, proof: Proof) -> String {
    says(system, Claim::AllBounded(AllBoundedClaim::new(proof)))
}

fn says(system: &System, claim: Claim) -> String {
    let certificate = Certificate::new(system, [claim]);
    let read = Certificate::from_json(&certificate.to_json()).expect("it has just been written");
    assert_eq!(read, certificate);
    check(system, certificate).map_or_else(|rejection| rejection.to_string(), |_| "accepted".into())
}

/// Nobody answers if nothing is read; who sends no stamps does not go round; and stamps are
/// progress, so that none is received.
fn stamps() -> Delivery {
    Delivery {
        silent: Vec::new(),
        buffer: "out".into(),
        messages: vec!["out(stamp)".into()],
        unread: ranking(None, &[("in(answer)", 3)], &[("Sender@0", 2), ("Sender@1", 1), ("Reader@1", 4)]),
        unsent: ranking(
            None,
            &[("in(answer)", 5), ("out(letter)", 7)],
            &[("Sender@0", 8), ("Sender@2", 4), ("Reader@1", 6)],
        ),
        delivered: ranking(Some(1), &[], &[]),
    }
}

/// The same for all that is sent: who has taken a stamp is gone.
fn all_of_it() -> Delivery {
    let unread = &[("in(answer)", 3), ("out(letter)", 1), ("out(stamp)", 1)];
    let unsent = &[("in(answer)", 5), ("out(letter)", 7), ("out(stamp)", 1)];
    Delivery {
        unread: ranking(None, unread, &[("Sender@0", 3), ("Sender@1", 1), ("Reader@1", 4)]),
        unsent: ranking(None, unsent, &[("Sender@0", 8), ("Sender@2", 4), ("Reader@1", 6)]),
        delivered: ranking(Some(1), &[], &[("Reader@0", 1), ("Reader@1", 1)]),
        ..stamps()
    }
}

#[test]
fn who_reads_letters_comes_to_the_stamps() {
    assert_eq!(livelock(&office(false), Proof::Delivery(stamps())), "accepted");
    assert_eq!(bounds(&office(true), Proof::Delivery(all_of_it())), "accepted");
}

#[test]
fn who_does_not_end_at_stamps_may_leave_more_and_more() {
    let said = bounds(&office(false), Proof::Delivery(all_of_it()));
    assert!(
        said.ends_with(
            "does not lower the potential: 0 (messages) + 1 (target) - 1 (source) + 0 (created) = 0"
        )
    );
}

#[test]
fn a_queue_has_to_keep_order() {
    let unordered = System { order: None, ..office(false) };
    let said = "claim 1, on livelocks: the system does not say that the buffer `out` is one queue that is first in, first out";
    assert_eq!(livelock(&unordered, Proof::Delivery(stamps())), said);
    let mut one = unordered.clone();
    let out = one.buffers.iter().find(|(_, buffer)| buffer.name == "out").expect("it has one").0;
    one.buffers[out].in_order = true;
    assert_eq!(livelock(&one, Proof::Delivery(stamps())), "accepted");
    assert_eq!(
        livelock(&one, Proof::Delivery(Delivery { buffer: "in".into(), messages: Vec::new(), ..stamps() })),
        said.replace("`out`", "`in`")
    );
    // What is handed over by rendezvous does not wait in a queue.
    one.buffers[out].kind = BufferKind::Rendezvous;
    assert_eq!(livelock(&one, Proof::Delivery(stamps())), said);
}

#[test]
fn names_are_those_of_the_queue() {
    let with = |buffer: &str, message: &str| {
        let named = Delivery { buffer: buffer.into(), messages: vec![message.into()], ..stamps() };
        livelock(&office(false), Proof::Delivery(named))
    };
    assert_eq!(with("cellar", "out(stamp)"), "claim 1, on livelocks: the system has no buffer `cellar`");
    assert_eq!(with("out", "out(bill)"), "claim 1, on livelocks: the system has no message type `out(bill)`");
    assert_eq!(
        with("out", "in(answer)"),
        "claim 1, on livelocks: the message type `in(answer)` is not one of the queue whose delivery is looked at"
    );
}

/// In each case, what the case says is known and no more.
#[test]
fn each_case_is_about_its_runs() {
    let refused = |delivery: Delivery| {
        let said = livelock(&office(false), Proof::Delivery(delivery));
        assert!(said.contains("the potential: ") || said.contains("is not known to be crossed"), "{said}");
    };
    // Where nothing is read, something is sent; where something is, letters are answered.
    refused(Delivery { unread: ranking(None, &[], &[]), ..stamps() });
    refused(Delivery { unread: ranking(Some(1), &[], &[]), ..stamps() });
    refused(Delivery { unsent: stamps().unread, ..stamps() });
    refused(Delivery { delivered: stamps().unsent, ..stamps() });
    // Letters are received again and again.
    refused(Delivery { messages: vec!["out(letter)".into()], ..stamps() });
    refused(Delivery { messages: Vec::new(), ..stamps() });
}
