//! What pairs of processes exclude, and what they must not: models in which one small thing makes
//! the difference.

use std::collections::{BTreeMap, BTreeSet};

use abstraction::{Options, Precision, abstract_program};
use cfsm_core::program::{ProcessType, ProcessTypeId, Variable, VariableId, VariableRef};
use promela_front::parse;

/// Whether pairs exclude something.
fn excludes(text: &str) -> bool {
    !excluded(text, &[]).is_empty()
}

/// What pairs exclude where the values of some variables are followed.
fn excluded(text: &str, followed: &[&str]) -> Vec<String> {
    let outcome = parse("model.pml", text, &promela_front::Options::default());
    let program = outcome.program.unwrap_or_else(|| panic!("{:?} in\n{text}", outcome.diagnostics));
    let names = |(_, variable): &(VariableId, &Variable)| followed.contains(&variable.name.as_str());
    let of_type = |(id, process): (ProcessTypeId, &ProcessType)| {
        let locals = process.locals.iter().filter(names);
        (id, locals.map(|(local, _)| VariableRef::Local(local)).collect())
    };
    let tracked: BTreeMap<ProcessTypeId, BTreeSet<VariableRef>> = program.types.iter().map(of_type).collect();
    let options = |pairs| Options {
        precision: Precision { pairs, tracked: tracked.clone(), ..Precision::default() },
        ..Options::default()
    };
    let without = abstract_program(&program, &options(false)).expect("it is small");
    let with = abstract_program(&program, &options(true)).expect("it is small");
    let fewer = with.system.transitions.len() < without.system.transitions.len();
    assert_eq!(fewer, !with.excluded.is_empty(), "{text}");
    let assumed =
        |what: &String| with.assumptions.iter().any(|assumption| assumption.contains(what.as_str()));
    assert!(with.excluded.iter().all(assumed), "{:?}", with.assumptions);
    with.excluded
}

/// A sender that counts rounds and a receiver that does, with another channel, body of the sender,
/// body of the receiver behind a receive of the end of a round, and whatever else there is.
fn rounds(channel: &str, sender: &str, receiver: &str, others: &str) -> String {
    format!(
        "mtype = {{ word, end }};
         {channel} chan waste = [1] of {{ byte }}; byte g;
         active proctype S() {{ byte n, x; do {sender} od }}
         active proctype R() {{ byte r, got; do {receiver} od }}
         {others}"
    )
}

const CHANNEL: &str = "chan q = [2] of { mtype, byte };";
const SENDER: &str = ":: q!word(n) :: q!end(n); n = (n + 1) % 5";
const RECEIVER: &str =
    ":: q?word(got) -> if :: got != r -> waste!got :: else fi :: q?end(got) -> r = (r + 1) % 5";

#[test]
fn what_both_have_counted_is_the_same() {
    assert!(excludes(&rounds(CHANNEL, SENDER, RECEIVER, "")));
    let excluded = [
        // Something else beside it.
        (SENDER, RECEIVER, "active proctype O() { do :: g = 1 - g od }"),
        (":: q!word(n) :: g = 1 - g :: x = n :: q!end(n); n = (n + 1) % 5", RECEIVER, ""),
        // It is asked the other way round, and of another's copy.
        (
            SENDER,
            ":: q?word(got) -> if :: got == r :: else -> waste!got fi :: q?end(_) -> r = (r + 1) % 5",
            "",
        ),
        (":: x = n; q!word(x) :: q!end(0); n = (n + 1) % 5", RECEIVER, ""),
        // Another one is silent, or says the right thing.
        (SENDER, RECEIVER, "active proctype O() { waste?_ }"),
    ];
    for (sender, receiver, others) in excluded {
        assert!(excludes(&rounds(CHANNEL, sender, receiver, others)), "{sender} {receiver} {others}");
    }
}

#[test]
fn what_may_differ_is_not_excluded() {
    let kept = [
        // One side counts otherwise.
        (":: q!word(n) :: q!end(n); n = (n + 1) % 4", RECEIVER, ""),
        (":: q!word(n) :: q!end(n); n = (n + 1) % 5 :: n = 0", RECEIVER, ""),
        (":: q!word(n) :: n = (n + 1) % 5; q!end(n) :: n = (n + 1) % 5", RECEIVER, ""),
        (
            SENDER,
            ":: q?word(got) -> if :: got != r -> waste!got :: else fi :: q?end(_) -> r = (r + 2) % 5",
            "",
        ),
        (SENDER, ":: q?word(got) -> if :: got != r -> waste!got :: else fi :: q?end(_)", ""),
        // Between counting and telling, or before anything comes.
        (":: q!word(n) :: n = (n + 1) % 5; q!word(n); q!end(n)", RECEIVER, ""),
        (
            SENDER,
            ":: q?word(got) :: if :: got != r -> waste!got :: got == r fi :: q?end(_) -> r = (r + 1) % 5",
            "",
        ),
        // Others send, receive, or send beside it.
        (SENDER, RECEIVER, "active proctype O() { q!word(1) }"),
        (SENDER, RECEIVER, "active proctype O() { byte x; q?word(x) }"),
        (SENDER, RECEIVER, "active proctype O() { byte x; q?end(x) }"),
        (
            SENDER,
            ":: q!end(r) :: q?word(got) -> if :: got != r -> waste!got :: else fi :: q?end(got) -> r = (r + 1) % 5",
            "",
        ),
        // The order is not that in which it was sent, or something is looked at twice.
        (
            SENDER,
            ":: q??word(got) -> if :: got != r -> waste!got :: else fi :: q?end(_) -> r = (r + 1) % 5",
            "",
        ),
        (":: q!word(n) :: q!!end(n); n = (n + 1) % 5", RECEIVER, ""),
        (
            SENDER,
            ":: q?word(got) -> if :: got != r -> waste!got :: else fi :: q?<end(got)> -> r = (r + 1) % 5 :: q?end(_)",
            "",
        ),
        // What decides is shared.
        (":: q!word(g) :: q!end(n); n = (n + 1) % 5", RECEIVER, "active proctype O() { g = 1 }"),
    ];
    for (sender, receiver, others) in kept {
        assert!(!excludes(&rounds(CHANNEL, sender, receiver, others)), "{sender} {receiver} {others}");
    }
    // More than one of them, or a queue that there are several of.
    let two = rounds(CHANNEL, SENDER, RECEIVER, "");
    assert!(!excludes(&two.replace("active proctype S", "active [2] proctype S")));
    assert!(!excludes(&two.replace("active proctype R", "active [2] proctype R")));
    let own = "mtype = { word, end }; chan waste = [1] of { byte };
        proctype R(chan q) { byte r, got; do :: q?word(got) -> if :: got != r -> waste!got :: else fi :: q?end(_) -> r = (r + 1) % 5 od }
        proctype S() { chan q = [2] of { mtype, byte }; byte n; run R(q); do :: q!word(n) :: q!end(n); n = (n + 1) % 5 od }
        init { run S(); run S() }";
    assert!(!excludes(own));
}

/// Of several senders each one is counted on its own.
#[test]
fn each_sender_has_a_count_of_its_own() {
    let with = |index: &str, second: &str| {
        format!(
            "mtype = {{ word, end }}; chan q = [2] of {{ mtype, byte, byte }}; chan waste = [1] of {{ byte }};
             proctype S(byte id) {{ byte n; do :: q!word(id, n) :: q!end(id, n); n = (n + 1) % 5 od }}
             proctype R() {{ byte r[2], got, who; do
                :: q?word(who, got) -> if :: got != r[{index}] -> waste!got :: else fi
                :: q?end(who, _) -> r[who] = (r[who] + 1) % 5 od }}
             init {{ run R(); run S(0); {second} }}"
        )
    };
    assert!(excludes(&with("who", "run S(1)")));
    assert!(!excludes(&with("1 - who", "run S(1)")));
    assert!(!excludes(&with("0", "run S(1)")));
    assert!(!excludes(&with("who", "run S(0)")));
    assert!(!excludes(&with("who", "run S(1); q!word(1, 3)")));
}

/// A receiver that sends to its own queue may find anything that it may send, whenever it receives
/// that.
#[test]
fn what_it_has_sent_itself_is_received_too() {
    let with = |own: &str| {
        let receiver = format!(
            ":: q!{own} :: q?word(got) -> if :: got != r -> waste!got :: else fi :: q?end(got) -> r = (r + 1) % 5 :: q?note(_)"
        );
        rounds(CHANNEL, SENDER, &receiver, "").replace("{ word, end }", "{ word, end, note }")
    };
    assert!(excludes(&with("note(r)")));
    assert!(excludes(&with("note(7)")));
    for own in ["word(r)", "word(7)", "end(r)", "end(0)"] {
        assert!(!excludes(&with(own)), "{own}");
    }
    // Nobody else sends there.
    let alone = with("word(0)").replace("active proctype S", "proctype S");
    assert!(!excludes(&alone));
}

/// Where values are told apart, a statement may be excluded with some of them only.
#[test]
fn what_is_executed_with_some_values_only() {
    let with = |own: &str, sender: &str| {
        format!(
            "mtype = {{ word, end, note }}; chan q = [2] of {{ mtype, byte }}; chan waste = [1] of {{ byte }};
             active proctype S() {{ byte n; do {sender} od }}
             active proctype R() {{ byte r, got; mtype kind; do
                :: q!{own}
                :: q?kind(got) -> if :: kind == end -> r = (r + 1) % 5
                    :: kind != end -> if :: got != r -> waste!kind :: else fi fi od }}"
        )
    };
    let some = "some values of `kind`";
    let found = excluded(&with("note(7)", SENDER), &["kind"]);
    assert!(matches!(found.as_slice(), [what] if what.contains(some)), "{found:?}");
    // It is not known then what the receiver has received.
    assert_eq!(excluded(&with("note(7)", SENDER), &[]), [""; 0]);
    for (own, sender) in
        [("word(7)", SENDER), ("end(7)", SENDER), ("note(7)", ":: q!word(n) :: q!end(n); n = (n + 1) % 4")]
    {
        let found = excluded(&with(own, sender), &["kind"]);
        assert!(!found.iter().any(|what| what.contains(some)), "{own} {sender} {found:?}");
    }
}

/// A queue that nobody sends to has no senders to be asked, so nothing is excluded.
#[test]
fn without_a_sender_nothing_is_excluded() {
    let text = "chan q = [2] of { byte }; chan waste = [1] of { byte };
        active proctype R() { byte r, got; r = 1; do :: q?got :: if :: got != r -> waste!got :: got == r fi od }";
    assert!(!excludes(text));
}

/// What an adversarial reading of the argument came up with, and what mutations of the code got
/// past the other tests.
#[test]
fn what_has_nearly_been_excluded() {
    let sender = format!(
        "mtype = {{ word, end }}; {CHANNEL} chan waste = [1] of {{ byte }}; byte g;
        active proctype S() {{ byte n; do {SENDER} od }}"
    );
    let kept = [
        // Nothing has been received yet.
        "chan q = [2] of { byte }; chan waste = [1] of { byte };
         active proctype S() { do :: q!1 od }
         active proctype R() { byte r = 1, got; do :: if :: got != r -> waste!got :: else fi :: q?got od }"
            .to_owned(),
        // Another variable may be the queue.
        format!("{sender} chan w2 = [2] of {{ mtype, byte }};
         active proctype R() {{ byte r, got; chan c = q; do
         :: q?word(got) -> if :: got != r -> waste!got :: else fi
         :: q?end(_) -> r = (r + 1) % 5 :: c?end(_) :: c = w2 :: c = q od }}"),
        // It is not known which element is written.
        format!("{sender}
         active proctype R() {{ byte a[2], got, x; do
         :: q?word(got) -> if :: got != a[1] -> waste!got :: else fi
         :: q?end(_) -> a[1] = (a[1] + 1) % 5 :: a[x] = 3 :: x = 1 - x od }}"),
        // What is known of x more exactly than the fixpoint knew is the key of a node with another
        // y.
        "mtype = { word, end }; chan q = [2] of { mtype, byte }; chan waste = [1] of { byte };
         active proctype S() { byte n; do :: q!word(n) :: q!end(n); n = (n + 1) % 70 od }
         proctype P() { skip }
         active proctype R() { byte x, y, r, got; x = 3; do
         :: q?word(got) -> if :: got != r -> waste!got :: else -> if :: y == 0 -> y = 1; x = 3 + r - got :: skip fi fi
         :: q?end(_) -> if :: y == 0 -> r = (r + 1) % 70 :: y == 1 -> skip fi
         :: break od;
         do :: x < 6 -> run P(); x++ :: else -> break od }"
            .to_owned(),
        "mtype = { word, end }; chan q = [2] of { mtype, byte }; chan ack = [1] of { bit }; chan waste = [1] of { byte };
         active proctype S() { byte n; do :: q!word(n); ack?_ :: q!end(n); ack?_; n = (n + 1) % 70 od }
         proctype P() { skip }
         active proctype R() { byte x, y, r, got; x = 3; do
         :: q?word(got) -> if :: got != r -> waste!got :: else -> if :: y == 0 && r == 69 -> y = 1; x = 3 + r - got :: skip fi fi; ack!0
         :: q?end(_) -> if :: y == 0 -> r = (r + 1) % 70 :: y == 1 -> skip fi; ack!0
         :: break od;
         do :: x < 6 -> run P(); x++ :: else -> break od }"
            .to_owned(),
        // The sender can begin only with an error, or never.
        "chan q = [2] of { byte }; chan waste = [1] of { byte }; byte g;
         proctype S() { byte n = 1 / g; do :: q!(g == 0 -> 0 : n) od }
         proctype R() { byte r, got; do
         :: if :: got != r -> waste!0 :: got == r -> skip fi; r = 1 - r
         :: q?got od }
         init { run R(); do :: true -> skip :: break od; run S() }"
            .to_owned(),
    ];
    for text in kept {
        assert!(!excludes(&text), "{text}");
    }
}
