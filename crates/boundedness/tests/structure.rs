//! All buffers by cases: what hangs together, and what must not be taken for it.

use boundedness::{BufferVerdict, Encoding, Options, Outcome, Search, check};
use cfsm_core::system::{System, SystemBuilder};

/// The outcome by cases, the same in all forms.
fn by_cases(system: &System) -> Outcome {
    let forms = [Encoding::Flow, Encoding::Cycles];
    let ways = forms.into_iter().flat_map(|form| [(form, Search::Float), (form, Search::Exact)]);
    let outcomes = ways.map(|(encoding, search)| {
        let questions = ilp_encode::Options { encoding, search, ..Default::default() };
        check(system, &Options { questions, cases: 100, ..Options::default() })
    });
    let outcomes: Vec<Outcome> = outcomes.collect();
    assert!(outcomes.iter().all(|outcome| outcome.verdict.is_proved() == outcomes[0].verdict.is_proved()));
    assert!(outcomes.iter().all(|outcome| outcome.buffers == outcomes[0].buffers));
    outcomes.into_iter().next().expect("there are four")
}

fn is_proved(system: &System) -> bool {
    let plain = check(system, &Options::default());
    assert!(!plain.verdict.is_proved(), "the plain test will do");
    let outcome = by_cases(system);
    if outcome.verdict.is_proved() {
        let open = |verdict: &BufferVerdict| {
            matches!(verdict, BufferVerdict::CanGrow { .. } | BufferVerdict::Unknown)
        };
        assert!(!outcome.buffers.values().any(open) && outcome.combinations.is_empty());
        assert!(outcome.verdict.certificate().is_some_and(|certificate| certificate.is_all_bounded()));
    } else {
        assert_eq!(outcome.buffers, plain.buffers);
    }
    outcome.verdict.is_proved()
}

/// Two loops of which one feeds the other and gets more back; `toll` per way from one to the other.
fn bridge(instances: u32, toll: i32) -> System {
    let mut b = SystemBuilder::new("bridge");
    let (x, y) = (b.message("x", "m"), b.message("y", "m"));
    let ticket = b.message("tickets", "m");
    let mut class = b.class("P", instances);
    class
        .step("1", &[(x, -1), (y, 1)], "1")
        .step("1", &[(ticket, -toll)], "2")
        .step("2", &[(y, -1), (x, 2)], "2")
        .step("2", &[(ticket, -toll)], "1");
    b.build().expect("names are given once")
}

#[test]
fn loops_that_do_not_hang_together() {
    assert!(is_proved(&bridge(1, 1)));
    let outcome = by_cases(&bridge(1, 1));
    let verdicts: Vec<String> = outcome.buffers.values().map(ToString::to_string).collect();
    assert_eq!(verdicts, ["bounded", "bounded", "bounded by 0"]);
    // One case that is split, and its three.
    assert_eq!(outcome.cases, 4);
}

#[test]
fn a_way_that_is_free() {
    assert!(!is_proved(&bridge(1, 0)));
}

#[test]
fn two_instances_can_be_at_both_loops() {
    assert!(!is_proved(&bridge(2, 1)));
}

#[test]
fn a_limit_on_cases() {
    let plain = check(&bridge(1, 1), &Options::default());
    for (cases, proved) in [(1, false), (3, false), (4, true)] {
        let options = Options { cases, ..Options::default() };
        assert_eq!(boundedness::by_cases(&bridge(1, 1), &plain, &options).is_some(), proved, "{cases}");
    }
}

#[test]
fn one_buffer_that_grows_leaves_the_others_open() {
    let mut system = bridge(1, 1);
    let tickets = system.messages.ids().nth(2).expect("there are three");
    let mut flood = system.transitions.values().next().expect("there is one").clone();
    // Whoever is at the first loop can send tickets: then there are ways between the loops.
    flood.events[0].message = tickets;
    flood.events[0].direction = cfsm_core::system::Direction::Send;
    flood.events.truncate(1);
    system.transitions.push(flood);
    let outcome = by_cases(&system);
    assert!(outcome.buffers.values().all(|verdict| matches!(verdict, BufferVerdict::CanGrow { .. })));
}

/// Thesis, Example 12.2: messages are paid for by what another loop has saved up.
fn saver(there_and_back: bool, most: Option<u64>) -> System {
    let mut b = SystemBuilder::new("saver");
    let x = b.message("x", "m");
    let credit = b.data("credit", 0);
    let room = most.map(|most| b.data("room", most));
    b.class("P", 1).step("1", &[], "1");
    b.changes(credit, 1);
    if let Some(room) = room {
        b.changes(room, -1);
    }
    let class = b.class_again(cfsm_core::ids::Id::new(0)).step("1", &[], "2").step("2", &[(x, 1)], "2").id();
    b.changes(credit, -1);
    if there_and_back {
        b.class_again(class).step("2", &[], "1");
    }
    b.build().expect("names are given once")
}

#[test]
fn what_is_saved_up_without_end() {
    // Each message needs credit, and in no loop that is repeated for ever without the other one
    // does x grow.
    assert!(!is_proved(&saver(false, None)));
    assert!(!is_proved(&saver(true, None)));
    // Room for so much only, and none comes back: the plain test knows that.
    assert!(check(&saver(true, Some(3)), &Options::default()).verdict.is_proved());
}

#[test]
fn who_creates_for_ever() {
    let mut b = SystemBuilder::new("nursery");
    let (x, y) = (b.message("x", "m"), b.message("y", "m"));
    let ticket = b.message("tickets", "m");
    let child = b.class("Child", 0).step("1", &[(x, -1), (y, 1)], "1").step("1", &[(ticket, -1)], "2").id();
    b.class_again(child).step("2", &[(y, -1), (x, 2)], "2");
    // Each child is at one of the loops, and one is not enough.
    b.class("Parent", 1).create("1", child, "1");
    assert!(!is_proved(&b.build().expect("names are given once")));
}

#[test]
fn who_creates_once() {
    let mut b = SystemBuilder::new("family");
    let (x, y) = (b.message("x", "m"), b.message("y", "m"));
    let child = b.class("Child", 0).step("1", &[(x, -1), (y, 1)], "1").id();
    // The parent makes more of it before the child is there, and not any more then.
    b.class("Parent", 1).create("2", child, "1").step("2", &[(y, -1), (x, 2)], "2");
    let mut system = b.build().expect("names are given once");
    let parent = system.classes.ids().nth(1).expect("there are two");
    assert_eq!(system.state_name(system.classes[parent].initial), "Parent@2");
    assert!(!is_proved(&system), "the child may exist when its parent is at the first state");
    // Unless it is a child no longer.
    system.transitions.iter_mut().for_each(|(_, transition)| transition.creates.clear());
    let child = system.classes.ids().next().expect("there are two");
    system.classes[child].instances = 0;
    assert!(!by_cases(&system).buffers.is_empty());
}
