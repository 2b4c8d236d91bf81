//! Random systems, beside an interpreter.

use abstraction::abstract_program;
use cfsm_core::ids::Id;
use cfsm_core::splitmix::SplitMix;
use freeboard::boundedness::BufferVerdict;
use freeboard::umlrt_front::model::{CapsuleSystem, InstanceId, PointKind, Thread, ThreadId};
use freeboard::umlrt_front::{Lowered, Options, lower, parse};
use freeboard::{Model, RunLimits, check_model};
use integration_tests::capsules::{Interpreter, Queue, Runner, Runs, Twins, follow, room_text, twin_texts};
use integration_tests::given;
use std::collections::BTreeMap;
use std::time::Instant;

use super::options;

/// Random systems that are run, by default; `CAPSULE_SYSTEMS=10000` for a long run.
const SYSTEMS: u64 = 48;
/// Of so many systems, one is decided, and its bounds are held against runs.
const BOUNDS: u64 = 12;
/// Runs of each, in each direction.
const RUNS: u64 = 2;
/// Runs to completion of each run.
const STEPS: usize = 25;

fn systems() -> u64 {
    given("CAPSULE_SYSTEMS").unwrap_or(SYSTEMS)
}

#[test]
fn runs_of_random_systems_are_runs_of_their_programs_and_the_other_way_round() {
    for seed in 0..systems() {
        let text = room_text(seed);
        // Histories are unfolded, or, where they are too many, variables.
        for max_configurations in [1000, 0] {
            let outcome = parse("random.room", &text, &Options { max_configurations, ..options() });
            let lowered = outcome.lowered.unwrap_or_else(|| panic!("seed {seed}\n{text}"));
            let system = outcome.system.expect("no error");
            runs_agree(&system, &lowered, seed, &text);
            let on_threads = on_threads(system.clone(), seed);
            let lowered_on_threads = lower(&on_threads, &Options { max_configurations, ..options() });
            runs_agree(&on_threads, &lowered_on_threads, seed, &text);
            if seed % BOUNDS == 0 {
                bounds_hold(&system, lowered, seed);
                bounds_hold(&on_threads, lowered_on_threads, seed);
            }
        }
    }
}

/// A random system is the same in ROOM and in Art: runs of the one's interpreter are runs of the
/// program that is made of the other, and the other way round.
#[test]
fn random_systems_are_the_same_in_both_languages() {
    for seed in 0..systems() {
        let Twins { room, art } = twin_texts(seed);
        let options = Options { system: Some("ATop".into()), ..options() };
        let read = |name, text| {
            let outcome = parse(name, text, &options);
            let failed = || panic!("seed {seed}: {:?}\n{text}", outcome.diagnostics);
            outcome.system.clone().zip(outcome.lowered.clone()).unwrap_or_else(failed)
        };
        let (in_room, lowered_room) = read("random.room", &room);
        let (in_art, lowered_art) = read("random.art", &art);
        runs_agree(&in_room, &lowered_art, seed, &art);
        runs_agree(&in_art, &lowered_room, seed, &art);
    }
}

/// With priorities, and with messages that are deferred or copied, those in a queue are received in
/// any order.
#[test]
fn messages_overtake_each_other_in_any_way() {
    let (mut overtaking, mut requeued) = (0, 0);
    let systems = systems();
    for seed in 0..systems / 2 {
        let Twins { art, .. } = twin_texts(seed);
        let number = usize::try_from(seed).expect("small");
        // Some of the sends get a priority, or the message at hand waits once more behind them.
        let mut text = String::new();
        for (position, part) in art.split(".send();").enumerate() {
            if position > 0 {
                text += match (position + number) % 4 {
                    0 => ".send(High);",
                    1 => ".send(), msg->defer();",
                    2 => ".send(), sendCopyToMe(msg);",
                    _ => ".send();",
                };
            }
            text += part;
        }
        let outcome = parse("random.art", &text, &Options { system: Some("ATop".into()), ..options() });
        let failed = || panic!("seed {seed}: {:?}\n{text}", outcome.diagnostics);
        let (system, lowered) = outcome.system.clone().zip(outcome.lowered.clone()).unwrap_or_else(failed);
        overtaking += u64::from(system.overtaking);
        requeued += u64::from(text.contains("(msg)") || text.contains("defer"));
        runs_agree(&system, &lowered, seed, &text);
    }
    assert!(overtaking > systems / 4 && requeued > systems / 4, "{overtaking} {requeued}");
}

/// Transitions of transition points belong to the state around them, in some systems.
#[test]
fn transitions_inside_of_a_state_are_transitions_of_it() {
    let mut found = 0;
    for seed in 0..systems() {
        let text = room_text(seed);
        let mut system = parse("random.room", &text, &options()).system.expect("no error");
        for class in system.classes.ids().collect::<Vec<_>>() {
            let Some(machine) = &mut system.classes[class].machine else { continue };
            for id in machine.points.ids().collect::<Vec<_>>() {
                let point = &mut machine.points[id];
                if let (PointKind::Transition { inside, .. }, Some(_)) = (&mut point.kind, point.parent) {
                    *inside = true;
                    found += 1;
                }
            }
        }
        let lowered = lower(&system, &options());
        runs_agree(&system, &lowered, seed, &text);
    }
    assert!(found > 20);
}

/// Random runs of a system and of its program are runs of the other one.
fn runs_agree(system: &CapsuleSystem, lowered: &Lowered, seed: u64, text: &str) {
    let (interpreter, runner) = (Interpreter::new(system), Runner::new(system, lowered));
    for number in 0..RUNS {
        let mut random = SplitMix::new(seed * RUNS + number);
        if let Err(seen) = follow(&interpreter, &runner, &mut random, STEPS) {
            panic!("seed {seed}: the program cannot follow to {seen:?}\n{text}");
        }
        if let Err(seen) = follow(&runner, &interpreter, &mut random, STEPS) {
            panic!("seed {seed}: the interpreter cannot follow to {seen:?}\n{text}");
        }
    }
}

/// No queue holds more in a random run of the interpreter than is proved.
fn bounds_hold(system: &CapsuleSystem, lowered: Lowered, seed: u64) {
    let limits = RunLimits { search_states: 500, exploration_states: 2_000 };
    let options = freeboard::Options { runs: limits, ..freeboard::Options::default() };
    let abstraction = abstract_program(&lowered.program, &options.abstraction).expect("an abstract system");
    let (warnings, findings, timings) = Default::default();
    let model = Model { program: lowered.program, warnings, abstraction, findings, assumed: None, timings };
    let analysis = check_model(model, &options, Instant::now());
    let buffers = analysis.system().buffers.iter();
    let bounds: BTreeMap<&str, u64> = buffers
        .filter_map(|(id, buffer)| match &analysis.outcome.buffers[id] {
            BufferVerdict::Bounded { bound } => Some((buffer.name.as_str(), u64::try_from(bound).ok()?)),
            _ => None,
        })
        .collect();
    let name = |queue: &Queue| match queue {
        Queue::Thread(thread) => system.threads[*thread].name.clone(),
        Queue::Port(place) => {
            let instance = &system.instances[place.instance];
            let port = &system.classes[instance.classes[0]].ports[place.port];
            format!("{}.{}", instance.path, port.name)
        }
    };
    let interpreter = Interpreter::new(system);
    for number in 0..RUNS {
        let mut random = SplitMix::new(seed * RUNS + number);
        let mut state = interpreter.initial();
        for _ in 0..3 * STEPS {
            let choices = interpreter.next(&state);
            if choices.is_empty() {
                break;
            }
            state = choices[random.below(choices.len())].clone();
            for (queue, waiting) in interpreter.seen(&state).queues {
                let name = name(&queue);
                let bound = bounds.get(name.as_str()).copied().unwrap_or(u64::MAX);
                assert!(waiting.len() as u64 <= bound, "seed {seed}: {name} holds {}", waiting.len());
            }
        }
    }
}

/// A system with each instance on one of two threads, or on none.
fn on_threads(mut system: CapsuleSystem, seed: u64) -> CapsuleSystem {
    let mut random = SplitMix::new(seed);
    let span = system.classes[system.instances[InstanceId::new(0)].classes[0]].span;
    for name in ["one", "two"] {
        system.threads.push(Thread { name: name.to_owned(), pool: None, polls: false, span });
    }
    for id in system.instances.ids().collect::<Vec<_>>() {
        let number = random.below(3);
        system.instances[id].thread = (number < 2).then(|| ThreadId::new(number));
    }
    system
}
