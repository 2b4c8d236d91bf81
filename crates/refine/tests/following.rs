//! Whose values are followed where not all can be.
#![cfg(feature = "programs")]
#![allow(clippy::unwrap_used)] // clippy.toml allows it in tests, and helpers of tests are no less

use abstraction::{Options, abstract_program};
use boundedness::{BufferVerdict, check};
use refine::{Boundedness, FirstAnswer, RefinementOptions, Strategy, refine};

/// The bounds of all buffers, and the acts, where only values are followed and counted.
fn refined(text: &str) -> (Vec<Option<String>>, Vec<String>) {
    let read = promela_front::parse("model.pml", text, &promela_front::Options::default());
    let program = read.program.unwrap_or_else(|| panic!("{:?}", read.diagnostics));
    let question = Boundedness { options: boundedness::Options::default() };
    let abstraction = abstract_program(&program, &Options::default()).unwrap();
    let outcome = check(&abstraction.system, &question.options);
    let strategies = [Strategy::DataPlaces, Strategy::Counters, Strategy::Tracking].into();
    let options = RefinementOptions { strategies, ..RefinementOptions::default() };
    let found = refine(&program, &question, FirstAnswer { abstraction, outcome }, &options);
    let bound = |verdict: &BufferVerdict| match verdict {
        BufferVerdict::Bounded { bound } => Some(bound.to_string()),
        _ => None,
    };
    let acts = found.acts.iter().map(|act| act.what.clone()).collect();
    // Registers are asked by rendezvous.
    let queues = found.outcome.buffers.values().filter(|verdict| **verdict != BufferVerdict::Rendezvous);
    (queues.map(bound).collect(), acts)
}

/// Loads of one to four, so many at a time, and receipts that say how much has arrived.
fn weights(kind: &str, most: u32, guard: &str, receipt: &str) -> String {
    format!(
        "chan d = [1] of {{ byte }}; chan k = [1] of {{ byte }};
         active proctype Tx() {{ {kind} all; byte n, a;
           do
           :: select (n : 1 .. 4); if :: {guard} <= {most} -> all = all + n; d!n :: else fi
           :: k?a -> all = all - a
           od }}
         active proctype Rx() {{ byte m; do :: d?m -> {receipt} od }}"
    )
}

#[test]
fn what_messages_weigh_together() {
    for (kind, most) in [("int", 12), ("byte", 12), ("byte", 24), ("short", 30_000)] {
        let (bounds, acts) = refined(&weights(kind, most, "all + n", "k!m"));
        assert!(bounds.iter().all(Option::is_some), "{kind}, {most}: {bounds:?} {acts:?}");
    }
}

/// Where `all` has too many values beside the others, it is counted and they are followed.
#[test]
fn what_is_counted_need_not_be_followed() {
    let (bounds, acts) = refined(&weights("byte", 24, "all + n", "k!m"));
    assert_eq!(bounds, [Some("24".into()), Some("24".into())], "{acts:?}");
    assert_eq!(acts, ["the values of `n` of Tx, `a` of Tx and `m` of Rx are followed"]);
}

/// What decides is passed on beside what says nothing; all of it together has too many values.
#[test]
fn what_decides_is_followed_by_itself() {
    let text = |kind: &str| {
        format!(
            "chan asked = [4] of {{ byte, byte }}; chan answers = [4] of {{ byte, byte, byte }};
             chan passed = [4] of {{ byte, byte, byte }};
             active proctype Helper() {{ byte x, y; select (x : 0 .. 40); select (y : 0 .. 40); answers!x, y, 4 }}
             active proctype Server() {{ byte x, y; do :: asked?x, y -> answers!x, y, {kind} od }}
             active proctype Relay() {{ byte x, y, k; do :: answers?x, y, k -> passed!x, y, k od }}
             active proctype Client() {{ byte x, y, k;
               do :: passed?x, y, k -> if :: k == 4 -> asked!x, y; asked!y, x :: else fi od }}"
        )
    };
    let (bounds, acts) = refined(&text("1"));
    assert!(bounds.iter().all(Option::is_some), "{bounds:?} {acts:?}");
    assert_eq!(acts, ["the values of `k` of Relay and `k` of Client are followed"]);
    // Then each answer makes two more.
    let (bounds, acts) = refined(&text("4"));
    assert!(bounds.iter().any(Option::is_none), "{bounds:?} {acts:?}");
}

/// What a loop counts that receives nothing is followed with the kinds of messages: it does not go
/// round again without a message that lets it in.
#[test]
fn what_ends_a_loop_is_followed_with_the_kinds() {
    let text = |kind: &str| {
        format!(
            "chan c = [2] of {{ byte }}; chan back = [1] of {{ byte }}; chan q = [9] of {{ byte }};
             active proctype Teller() {{ c!2; do :: c!{kind}; back?_ od }}
             active proctype Lister() {{ byte k, i;
               do :: c?k ->
                 if
                 :: k == 2 -> i = 0; do :: i < 3 -> q!1; i++ :: i == 3 -> break od
                 :: else -> i = 0
                 fi; back!0 od }}"
        )
    };
    let (bounds, acts) = refined(&text("1"));
    assert!(bounds.iter().all(Option::is_some), "{bounds:?} {acts:?}");
    assert_eq!(acts, ["the values of `k` of Lister and `i` of Lister are followed"]);
    let (bounds, acts) = refined(&text("2"));
    assert!(bounds.iter().any(Option::is_none), "{bounds:?} {acts:?}");
}

/// A receipt for more, for something else, or two of them; a guard that does not ask for all that
/// is on its way.
#[test]
fn what_weighs_something_else() {
    for (guard, receipt) in
        [("all + n", "k!m + 1"), ("all + n", "k!4"), ("all + n", "k!m; k!m"), ("n", "k!m")]
    {
        let (bounds, acts) = refined(&weights("int", 12, guard, receipt));
        assert!(bounds.iter().any(Option::is_none), "{guard}, {receipt}: {bounds:?} {acts:?}");
    }
    let (bounds, acts) = refined(&weights("int", 12, "all", "k!m"));
    assert!(bounds.iter().all(Option::is_some), "one load more: {bounds:?} {acts:?}");
}

/// Each house sends a letter on to where its table says that who is asked for lives; `lives` are
/// these tables. What comes along is looked at in answers only, and is too much to be followed with
/// the rest.
fn forwarded(lives: [[u32; 2]; 2]) -> String {
    let table = |[one, other]: [u32; 2]| format!("lives[0] = {one}; lives[1] = {other};");
    let house = |home: usize| {
        format!(
            "active proctype House{home}() {{ byte lives[2]; byte who, place, cost, why; {}
               do :: in[{home}]?who, place, cost, why ->
                 if
                 :: lives[who] == {home} -> select (cost : 1 .. 9); select (why : 1 .. 9); answers!1, who, place, cost, why
                 :: lives[who] != {home} -> place = lives[who]; answers!2, who, place, cost, why
                 fi
               od }}",
            table(lives[home])
        )
    };
    format!(
        "chan in[2] = [4] of {{ byte, byte, byte, byte }}; chan answers = [4] of {{ byte, byte, byte, byte, byte }};
         {} {}
         active proctype Clerk() {{ byte kind, who, place, cost, why, all;
           in[0]!0, 0, 0, 0; in[0]!1, 0, 0, 0; in[1]!0, 0, 0, 0;
           do :: answers?kind, who, place, cost, why ->
             if
             :: kind == 2 -> in[place]!who, place, cost, why; in[place]!who, place, cost, why
             :: kind == 1 -> if :: cost < why :: cost == why :: cost > why fi
             fi
           od }}",
        house(0),
        house(1)
    )
}

/// A letter makes two more where it is sent on, so it must not be sent on for ever.
#[test]
fn what_is_passed_on_is_followed_where_it_matters() {
    let (bounds, acts) = refined(&forwarded([[0, 1], [0, 1]]));
    assert!(bounds.iter().all(Option::is_some), "{bounds:?} {acts:?}");
    assert!(acts.iter().any(|act| act.contains("where they matter")), "{acts:?}");
    // Each says that who is asked for lives at the other one.
    let (bounds, acts) = refined(&forwarded([[0, 1], [0, 0]]));
    assert!(bounds.iter().any(Option::is_none), "{bounds:?} {acts:?}");
}

/// A messenger looks at what kind of thing he carries; who gets an answer looks at that. The shop
/// moves as often as `moves` says.
fn answered(moves: &str) -> String {
    format!(
        "mtype = {{ order, answer, done, moved }};
         chan road = [4] of {{ mtype, mtype }}; chan shop = [4] of {{ mtype }}; chan home = [4] of {{ mtype }};
         active proctype Messenger() {{ mtype kind, status;
           do :: road?kind(status) -> if :: kind == order -> shop!status :: kind == answer -> home!status fi od }}
         active proctype Shop() {{ byte moves;
           do :: shop?_ -> if :: {moves} -> moves++; road!answer(moved) :: road!answer(done) fi od }}
         active proctype Customer() {{ mtype status; road!order(done);
           do :: home?status ->
             if :: status == moved -> road!order(done); road!order(done) :: status == done -> road!order(done) fi
           od }}"
    )
}

/// The kind is told apart everywhere, an answer only on its way to where it is looked at.
#[test]
fn kinds_are_followed_and_what_comes_with_them_is_carried() {
    let (bounds, acts) = refined(&answered("moves < 2"));
    assert!(bounds.iter().all(|bound| bound.as_deref() == Some("3")), "{bounds:?} {acts:?}");
    let carried = "the values of `kind` of Messenger are followed, and where they matter those of `status` of Messenger and `status` of Customer";
    assert!(acts.iter().any(|act| act.starts_with(carried)), "{acts:?}");
    let (bounds, acts) = refined(&answered("true"));
    assert!(bounds.iter().all(Option::is_none), "{bounds:?} {acts:?}");
}
