//! Systems of components: what is proved from the parts is what is proved of the whole.

use std::cell::Cell;
use std::collections::{BTreeMap, BTreeSet};

use boundedness::{BufferVerdict, Component, Composed, OpenSystem, Options, Part, check, compose};
use certify::{Certificate, Claim, ContractClaim, ContractFile};
use cfsm_core::ids::{Id, IdMap};
use cfsm_core::system::{BufferId, BufferKind, ClassId, Direction, System};
use cfsm_core::testing::{SystemShape, systems};
use integration_tests::systems::{tamed, with_data};
use integration_tests::walk::{Order, explore};
use integration_tests::{cases, say, short_or_long};
use proptest::prelude::*;

/// Configurations of a whole system that are looked at.
const CONFIGURATIONS: usize = 400;

fn shape() -> SystemShape {
    SystemShape {
        classes: 2..=4,
        instances: 1..=2,
        transitions: 2..=5,
        creates: 0.05,
        ..SystemShape::plain()
    }
}

/// The part of each class: classes that share more than queues are in one part.
fn split(system: &System, wanted: &[usize]) -> IdMap<ClassId, usize> {
    let mut parts: IdMap<ClassId, usize> =
        system.classes.ids().map(|class| wanted[class.index() % wanted.len()]).collect();
    let classes = |uses: &dyn Fn(&cfsm_core::system::Transition) -> bool| -> BTreeSet<ClassId> {
        let all = system.transitions.iter().filter(|(_, transition)| uses(transition));
        all.map(|(id, _)| system.class_of(id)).collect()
    };
    let mut linked: Vec<BTreeSet<ClassId>> = Vec::new();
    for class in system.classes.ids() {
        let mut creators = classes(&|transition| transition.creates.contains(&class));
        creators.insert(class);
        linked.push(creators);
    }
    for place in system.data.ids() {
        linked.push(classes(&|transition| transition.data.iter().any(|change| change.place == place)));
    }
    for (buffer, declared) in system.buffers.iter() {
        let uses = |direction: Direction| {
            classes(&|transition| {
                let mut events = transition.events.iter();
                events.any(|event| {
                    event.direction == direction && system.messages[event.message].buffer == buffer
                })
            })
        };
        let (sends, receives) = (uses(Direction::Send), uses(Direction::Receive));
        if declared.kind != BufferKind::Queue || sends.is_empty() || receives.is_empty() {
            linked.push(&sends | &receives);
        }
    }
    for _ in 0..linked.len() {
        for together in &linked {
            if let Some(least) = together.iter().map(|class| parts[*class]).min() {
                together.iter().for_each(|class| parts[*class] = least);
            }
        }
    }
    parts
}

/// The buffers that classes of several parts use.
fn shared(system: &System, parts: &IdMap<ClassId, usize>) -> BTreeSet<BufferId> {
    let mut users: BTreeMap<BufferId, BTreeSet<usize>> = BTreeMap::new();
    for (id, transition) in system.transitions.iter() {
        for event in &transition.events {
            let buffer = system.messages[event.message].buffer;
            users.entry(buffer).or_default().insert(parts[system.class_of(id)]);
        }
    }
    users.into_iter().filter(|(_, users)| users.len() > 1).map(|(buffer, _)| buffer).collect()
}

/// The system with the classes of one part only, its shared buffers open.
fn part(system: &System, parts: &IdMap<ClassId, usize>, number: usize, open: &BTreeSet<BufferId>) -> System {
    let mut part = system.clone();
    let is_own = |class: ClassId| parts[class] == number;
    part.classes.iter_mut().filter(|(class, _)| !is_own(*class)).for_each(|(_, class)| class.instances = 0);
    let own = system.transitions.iter().filter(|(id, _)| is_own(system.class_of(*id)));
    part.transitions = own.map(|(_, transition)| transition.clone()).collect();
    open.iter().for_each(|buffer| part.buffers[*buffer].kind = BufferKind::Rendezvous);
    part
}

fn components(whole: &Whole) -> Vec<Part> {
    let numbers: BTreeSet<usize> = whole.parts.values().copied().collect();
    let component = |number: usize| {
        let mut own = part(&whole.system, &whole.parts, number, &whole.open);
        if whole.coarse == Some(number) {
            for buffer in &whole.open {
                merge_messages(&mut own, *buffer);
            }
        }
        let component = OpenSystem::new(&own, &whole.open).component(&Options::default());
        Part { name: format!("part {number}"), component: component.expect("no limit is hit") }
    };
    numbers.into_iter().map(component).collect()
}

/// A part that does not tell the messages of a channel apart.
fn merge_messages(system: &mut System, buffer: BufferId) {
    let messages: Vec<_> = system.messages_of(buffer).collect();
    let names: Vec<String> = messages.iter().map(|id| system.messages[*id].name.clone()).collect();
    system.messages[messages[0]].name = names.join("|");
    for (_, transition) in system.transitions.iter_mut() {
        for event in transition.events.iter_mut().filter(|event| messages.contains(&event.message)) {
            event.message = messages[0];
        }
    }
}

/// A system that has been split.
#[derive(Clone, Debug)]
struct Whole {
    system: System,
    parts: IdMap<ClassId, usize>,
    /// The channels between parts.
    open: BTreeSet<BufferId>,
    /// A part that does not tell the messages of a channel apart.
    coarse: Option<usize>,
}

fn wholes() -> impl Strategy<Value = Whole> {
    let systems = prop_oneof![3 => with_data(tamed(shape())), 1 => with_data(systems(shape()))];
    let wanted = proptest::collection::vec(0_usize..3, 4);
    (systems, wanted, proptest::option::weighted(0.2, 0_usize..2)).prop_map(|(system, wanted, coarse)| {
        let parts = split(&system, &wanted);
        let open = shared(&system, &parts);
        Whole { system, parts, open, coarse }
    })
}

/// The parts of random systems compose to what the plain test says of the whole (Theorem 4 of open
/// systems), and no run exceeds the bounds.
#[test]
fn the_composed_verdict_is_that_of_the_whole() {
    let [bounded, growing, incomplete, coarser] = [(); 4].map(|()| Cell::new(0));
    let count = |cell: &Cell<u32>| cell.set(cell.get() + 1);
    proptest!(cases(short_or_long(80, 10_000)), |(found in wholes())| {
        let Whole { system, parts, open, coarse } = &found;
        if open.is_empty() {
            return Ok(());
        }
        let whole = check(system, &Options::default());
        let composed = compose(&components(&found)).expect("it composes");
        let seen = explore(system, Order::Fifo, CONFIGURATIONS);
        if !composed.is_complete {
            count(&incomplete);
        }
        for (id, buffer) in system.buffers.iter().filter(|(_, buffer)| buffer.kind == BufferKind::Queue) {
            let owner = system.transitions.iter().find(|(_, transition)| {
                transition.events.iter().any(|event| system.messages[event.message].buffer == id)
            });
            let Some((owner, _)) = owner else { continue };
            let owner = parts[system.class_of(owner)];
            let name =
                if open.contains(&id) { buffer.name.clone() } else { format!("part {owner}.{}", buffer.name) };
            let found = composed.buffers.iter().find(|found| found.name == name).expect("it is there");
            match (&whole.buffers[id], &found.result) {
                (BufferVerdict::Bounded { bound: least }, Composed::Bounded { bound }) => {
                    count(&bounded);
                    prop_assert!(bound >= least, "{name}: {bound} < {least}");
                    prop_assert!(*bound >= seen.most[id.index()].into(), "{name} {}", seen.most[id.index()]);
                }
                (BufferVerdict::CanGrow { .. }, Composed::Unknown) => count(&growing),
                (_, Composed::Unknown) if !composed.is_complete || coarse.is_some() => count(&coarser),
                (whole, composed) => prop_assert!(false, "{name}: {whole:?} but {composed:?}"),
            }
        }
    });
    say(&format!(
        "composition: {} buffers bounded, {} growing, alike; {} unknown as messages are not told apart; {} systems with too many clauses",
        bounded.get(),
        growing.get(),
        coarser.get(),
        incomplete.get()
    ));
    assert!(bounded.get() > 0 && growing.get() > 0);
}

/// Each number of a clause matters: files with a price, a constant or a weight changed by one are
/// rejected, or say less.
#[test]
fn each_number_of_a_contract_file_is_checked() {
    let (tried, rejected) = (Cell::new(0), Cell::new(0));
    proptest!(cases(short_or_long(20, 1_000)), |(whole in wholes())| {
        if whole.open.is_empty() {
            return Ok(());
        }
        for part in components(&whole) {
            let file = part.component.file();
            let again = ContractFile::from_json(&file.to_json()).expect("it can be read");
            prop_assert_eq!(&again, &file);
            prop_assert!(Component::from_file(again).is_ok());
            for (number, claim) in file.certificate.claims.iter().enumerate() {
                let Claim::Contract(claim) = claim else { continue };
                let cheaper = ContractClaim { constant: &claim.constant - 1, ..claim.clone() };
                prop_assert!(!accepts(&file, &file.system, number, cheaper), "the constant");
                let steeper = ContractClaim { slope: &claim.slope - 1, ..claim.clone() };
                prop_assert!(!accepts(&file, &file.system, number, steeper), "the slope");
                // A lower price is rejected, unless the clause holds with it.
                for (id, transition) in file.system.transitions.iter() {
                    for (change, place) in transition.data.iter().enumerate() {
                        let is_parameter = file.system.data[place.place].name == claim.parameter;
                        if is_parameter && place.change < 0 {
                            let mut system = file.system.clone();
                            system.transitions[id].data[change].change += 1;
                            tried.set(tried.get() + 1);
                            let is_rejected = !accepts(&file, &system, number, claim.clone());
                            rejected.set(rejected.get() + usize::from(is_rejected));
                        }
                    }
                }
            }
        }
    });
    say(&format!("prices lowered by one: {} of {} are rejected", rejected.get(), tried.get()));
    assert!(rejected.get() > 0);
}

fn accepts(file: &ContractFile, system: &System, number: usize, claim: ContractClaim) -> bool {
    let mut claims = file.certificate.claims.clone();
    claims[number] = Claim::Contract(claim);
    certify::check(system, Certificate::new(system, claims)).is_ok()
}
