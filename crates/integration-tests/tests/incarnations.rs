//! Capsules that come and go, beside a simulation that knows nothing of how they are translated:
//! no queue of a random system is longer than proved, whatever the capacities are.
//!
//! The simulation is that of the runtime's rules (capsules run to completion; a message to a
//! capsule that is not there, or without a transition for it, is dropped), and executes one
//! statement at a time, so that a send can wait for room.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use cfsm_core::splitmix::SplitMix;
use freeboard::boundedness::BufferVerdict;
use freeboard::umlrt_front::{Imports, Options};
use freeboard::{Capacities, RunLimits, check_room};
use integration_tests::{given, say};

/// Random systems, by default; `CAPSULE_SYSTEMS=10000` for a long run.
const SYSTEMS: u64 = 60;
/// Optional parts of the container, each with one port.
const PARTS: usize = 2;
/// States of the container.
const STATES: usize = 2;

/// A statement of the container.
#[derive(Clone, Copy, Debug)]
enum Operation {
    Send(usize),
    Incarnate(usize),
    Destroy(usize),
}

/// A transition of the container: its target, and its code.
#[derive(Clone, Debug, Default)]
struct Transition {
    target: usize,
    code: Vec<Operation>,
}

/// A container with optional parts. Each part sends some messages when it begins, and some for each
/// that it receives.
#[derive(Clone, Debug)]
struct Script {
    initial: Transition,
    /// For each state and each port, the transition for a message there.
    transitions: [[Option<Transition>; PARTS]; STATES],
    first: [usize; PARTS],
    answers: [usize; PARTS],
}

impl Script {
    fn random(random: &mut SplitMix) -> Self {
        let transition = |random: &mut SplitMix, most: usize| {
            let code = (0..random.below(most + 1)).map(|_| match (random.below(4), random.below(PARTS)) {
                (0 | 1, part) => Operation::Send(part),
                (2, part) => Operation::Incarnate(part),
                (_, part) => Operation::Destroy(part),
            });
            let code = code.collect();
            Transition { target: random.below(STATES), code }
        };
        let mut initial = transition(random, 2);
        initial.code.insert(0, Operation::Incarnate(random.below(PARTS)));
        let transitions = std::array::from_fn(|_| {
            std::array::from_fn(|_| (random.below(3) > 0).then(|| transition(random, 3)))
        });
        let first = std::array::from_fn(|_| random.below(3));
        let answers = std::array::from_fn(|_| [0, 1, 1, 2][random.below(4)]);
        Self { initial, transitions, first, answers }
    }

    /// The text in Art.
    fn text(&self) -> String {
        let mut out = String::from("protocol P { in a(); out b(); };\n");
        for part in 0..PARTS {
            let send = |times: usize| "p.b().send(); ".repeat(times);
            let _ = writeln!(
                out,
                "capsule W{part} {{ service behavior port p : P; statemachine {{ state S; initial -> S `{}`; S -> S on p.a `{}`; }}; }};",
                send(self.first[part]),
                send(self.answers[part])
            );
        }
        out.push_str("capsule Top { behavior port frame : Frame;\n");
        for part in 0..PARTS {
            let _ = writeln!(
                out,
                "behavior port p{part}~ : P; optional part w{part} : W{part}; connect w{part}.p with p{part};"
            );
        }
        let states: Vec<String> = (0..STATES).map(|state| format!("S{state}")).collect();
        let Transition { target, code } = &self.initial;
        let _ = writeln!(
            out,
            "statemachine {{ state {}; initial -> S{target} `{}`;",
            states.join(", "),
            told(code)
        );
        for (state, by_port) in self.transitions.iter().enumerate() {
            for (port, transition) in by_port.iter().enumerate() {
                if let Some(Transition { target, code }) = transition {
                    let _ = writeln!(out, "S{state} -> S{target} on p{port}.b `{}`;", told(code));
                }
            }
        }
        out + "}; };\n"
    }
}

fn told(code: &[Operation]) -> String {
    let told = code.iter().map(|operation| match operation {
        Operation::Send(part) => format!("p{part}.a().send(); "),
        Operation::Incarnate(part) => format!("frame.incarnate(w{part}); "),
        Operation::Destroy(part) => format!("frame.destroy(w{part}); "),
    });
    told.collect()
}

/// A capsule in an optional part.
#[derive(Clone, Copy, Debug, Default)]
struct Worker {
    waiting: u64,
    /// Sends that are left of its code.
    to_send: usize,
}

/// A state of the simulation.
struct State<'a> {
    script: &'a Script,
    /// The limit of each queue by name, where there is one.
    limits: &'a BTreeMap<String, u64>,
    state: usize,
    /// The code that is left of a transition.
    code: Vec<Operation>,
    /// Messages at the ports of the container.
    waiting: [u64; PARTS],
    workers: [Option<Worker>; PARTS],
}

impl<'a> State<'a> {
    fn new(script: &'a Script, limits: &'a BTreeMap<String, u64>) -> Self {
        let Transition { target, code } = script.initial.clone();
        Self { script, limits, state: target, code, waiting: [0; PARTS], workers: [None; PARTS] }
    }

    /// The length of each queue, by name.
    fn lengths(&self) -> impl Iterator<Item = (String, u64)> + '_ {
        let ports = self.waiting.iter().enumerate().map(|(port, waiting)| (format!("Top.p{port}"), *waiting));
        let workers = self
            .workers
            .iter()
            .enumerate()
            .filter_map(|(part, worker)| Some((format!("Top.w{part}.p"), worker.as_ref()?.waiting)));
        ports.chain(workers)
    }

    fn has_room(&self, queue: &str, waiting: u64) -> bool {
        self.limits.get(queue).is_none_or(|limit| waiting < *limit)
    }

    /// Lets the container do something, at random.
    fn step_container(&mut self, random: &mut SplitMix) {
        let Some(&operation) = self.code.first() else {
            let port = random.below(PARTS);
            if self.waiting[port] > 0 {
                self.waiting[port] -= 1;
                if let Some(Transition { target, code }) = &self.script.transitions[self.state][port] {
                    (self.state, self.code) = (*target, code.clone());
                }
            }
            return;
        };
        let script = self.script;
        match operation {
            Operation::Send(part) => {
                if let Some(Worker { waiting, .. }) = self.workers[part] {
                    if !self.has_room(&format!("Top.w{part}.p"), waiting) {
                        return;
                    }
                    self.workers[part].iter_mut().for_each(|worker| worker.waiting += 1);
                }
            }
            Operation::Incarnate(part) => {
                self.workers[part].get_or_insert(Worker { waiting: 0, to_send: script.first[part] });
            }
            Operation::Destroy(part) => {
                // A capsule completes its code.
                if self.workers[part].is_some_and(|worker| worker.to_send > 0) {
                    return;
                }
                self.workers[part] = None;
            }
        }
        self.code.remove(0);
    }

    /// Lets the capsule in a part do something.
    fn step_worker(&mut self, part: usize) {
        let has_room = self.has_room(&format!("Top.p{part}"), self.waiting[part]);
        let Some(worker) = &mut self.workers[part] else { return };
        if worker.to_send > 0 && has_room {
            worker.to_send -= 1;
            self.waiting[part] += 1;
        } else if worker.to_send == 0 && worker.waiting > 0 {
            worker.waiting -= 1;
            worker.to_send = self.script.answers[part];
        }
    }
}

/// The greatest length of each queue in random runs.
fn greatest(script: &Script, limits: &BTreeMap<String, u64>, random: &mut SplitMix) -> BTreeMap<String, u64> {
    let mut greatest: BTreeMap<String, u64> = BTreeMap::new();
    for _ in 0..20 {
        let mut state = State::new(script, limits);
        for _ in 0..400 {
            match random.below(PARTS + 1) {
                part @ 0..PARTS => state.step_worker(part),
                _ => state.step_container(random),
            }
            for (queue, length) in state.lengths() {
                let most = greatest.entry(queue).or_default();
                *most = length.max(*most);
            }
        }
    }
    greatest
}

/// Bounds of a system with limits, by queue.
fn bounds(text: &str, limits: &BTreeMap<String, u64>) -> BTreeMap<String, u64> {
    let limits: Vec<String> = limits.iter().map(|(queue, limit)| format!("{queue}={limit}")).collect();
    let capacities: Capacities = match limits.as_slice() {
        [] => Capacities::default(),
        some => some.join(",").parse().expect("limits"),
    };
    let runs = RunLimits { search_states: 500, exploration_states: 2_000 };
    let options = freeboard::Options { capacities, runs, ..freeboard::Options::default() };
    let reading = Options { imports: Imports::Refused, ..Options::default() };
    let analysis = check_room("random.art", text, &reading, &options)
        .unwrap_or_else(|failure| panic!("{failure}\n{text}"));
    let buffers = analysis.system().buffers.iter();
    let bounds = buffers.filter_map(|(id, buffer)| match &analysis.outcome.buffers[id] {
        BufferVerdict::Bounded { bound } => Some((buffer.name.clone(), u64::try_from(bound).ok()?)),
        _ => None,
    });
    bounds.collect()
}

#[test]
fn no_queue_of_capsules_that_come_and_go_is_longer_than_proved() {
    let systems = given("CAPSULE_SYSTEMS").unwrap_or(SYSTEMS);
    let (mut proved, mut reached) = (0, 0);
    for seed in 0..systems {
        let mut random = SplitMix::new(seed);
        let script = Script::random(&mut random);
        let text = script.text();
        let unlimited = BTreeMap::new();
        let some = BTreeMap::from([
            ("Top.p0".to_owned(), 1 + random.below(2) as u64),
            ("Top.w1.p".to_owned(), 1 + random.below(3) as u64),
        ]);
        for limits in [unlimited, some] {
            let lengths = greatest(&script, &limits, &mut random);
            for (queue, bound) in bounds(&text, &limits) {
                let most = lengths.get(&queue).copied().unwrap_or_default();
                assert!(most <= bound, "seed {seed}, {limits:?}: {queue} ≤ {bound} held {most}\n{text}");
                proved += u64::from(bound > 0);
                reached += u64::from(bound > 0 && most == bound);
            }
        }
    }
    say(&format!(
        "{systems} systems of capsules that come and go: {proved} bounds above 0, {reached} reached"
    ));
    assert!(proved > systems && reached > systems / 2, "{proved} bounds, {reached} reached");
}
