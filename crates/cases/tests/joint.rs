//! Joint reachability of two processes, with others around them.

use cases::{CoReachability, JointReach, StateIndex, Whereabouts, single_classes};
use cfsm_core::system::{MessageId, SystemBuilder};

/// Where the class `Hub` may be while `East` is where it begins.
fn beside_east(build: impl FnOnce(&mut SystemBuilder, [MessageId; 3])) -> Vec<String> {
    let mut b = SystemBuilder::new("hub");
    let messages = ["west", "east", "spy"].map(|buffer| {
        let buffer = b.buffer(buffer);
        b.declare(buffer, 0);
        b.message_in(buffer, "m")
    });
    build(&mut b, messages);
    let system = b.build().expect("names are given once");
    let [hub, east] = ["Hub", "East"]
        .map(|name| system.classes.iter().find(|(_, class)| class.name == name).expect("there is one").0);
    let begins = system.classes[east].initial;
    let states = StateIndex::new(&system);
    let together = JointReach::new(&system, &states, &[hub, east]).expect("they are few");
    let beside = together.beside(0, &[&states.all(hub), &states.set(east, [Some(begins)])]);
    let of_hub = system.states.iter().filter(|(_, state)| state.class == hub);
    let all = std::iter::once(None).chain(of_hub.map(|(id, _)| Some(id)));
    let name = |place: Whereabouts| place.map_or_else(|| "nowhere".into(), |state| system.state_name(state));
    all.filter(|place| states.contains(&beside, *place)).map(name).collect()
}

#[test]
fn who_fires_with_whom() {
    // One half needs the other one.
    let one = beside_east(|b, [_, east, _]| {
        b.class("Hub", 1).send("0", east, "1");
        b.class("East", 1).receive("0", east, "1");
    });
    assert_eq!(one, ["Hub@0"]);
    // Somebody else may have it.
    let third = beside_east(|b, [_, east, _]| {
        b.class("Hub", 1).send("0", east, "1");
        b.class("East", 1).receive("0", east, "1");
        b.class("West", 1).receive("0", east, "1");
    });
    assert_eq!(third, ["Hub@0", "Hub@1"]);
    // Two at once, to others.
    let others = beside_east(|b, [west, east, spy]| {
        b.class("Hub", 1).step("0", &[(west, 1), (spy, 1)], "1").send("1", east, "2");
        b.class("East", 1).receive("0", east, "1");
        b.class("West", 1).receive("0", west, "1");
        b.class("Spy", 1).receive("0", spy, "1");
    });
    assert_eq!(others, ["Hub@0", "Hub@1"]);
    // The same twice, for two.
    let twice = beside_east(|b, [_, east, _]| {
        b.class("Hub", 1).step("0", &[(east, 2)], "1");
        b.class("East", 1).receive("0", east, "1");
        b.class("West", 1).receive("0", east, "1").receive("1", east, "2");
    });
    assert_eq!(twice, ["Hub@0", "Hub@1"]);
    // Who has not been created yet is nowhere.
    let late = beside_east(|b, [_, east, _]| {
        let hub = b.class("Hub", 0).id();
        b.class_again(hub).send("0", east, "1");
        b.class("East", 1).receive("0", east, "1");
        b.class("Agency", 1).create("0", hub, "1");
    });
    assert_eq!(late, ["nowhere", "Hub@0"]);
}

#[test]
fn strangers_are_anywhere() {
    let mut b = SystemBuilder::new("strangers");
    let (one, other) = (b.message("x", "m"), b.message("y", "m"));
    let hub = b.class("Hub", 1).send("0", one, "1").id();
    let east = b.class("East", 1).receive("0", other, "1").id();
    let system = b.build().expect("names are given once");
    let co_reachability = CoReachability::new(&system, &single_classes(&system));
    let confinement = co_reachability.confinement(&system, [&vec![system.classes[east].initial]]);
    let all = co_reachability.states().all(hub);
    assert_eq!(co_reachability.hub(&system, hub, &confinement), None);
    assert_eq!(co_reachability.beside_hub(&system, hub, &all, east, &confinement), None);
}
