//! Random roles, and random runs of networks of them: no run leaves the extracted system, or
//! exceeds a bound that is proved of it.

use std::cell::RefCell;
use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::time::Duration;

use freeboard::cfsm_core::splitmix::SplitMix;
use freeboard::{Options, check_system};
use freeboard_actors::monitor::Monitor;
use freeboard_actors::{Address, Delivery, Message, Network, Out, Role};
use proptest::prelude::*;
use proptest::test_runner::{TestCaseError, TestRunner};

#[derive(Clone, Debug, Message)]
struct Letter(u8);

/// A step, for a local state and an input.
#[derive(Clone, Debug)]
struct Entry {
    next: u8,
    sends: Vec<Sends>,
    timers: Vec<Change>,
}

/// A timer that is armed or disarmed.
#[derive(Clone, Copy, Debug)]
struct Change {
    timer: u8,
    arms: bool,
}

#[derive(Clone, Debug)]
struct Sends {
    to: u8,
    letter: u8,
}

/// A role by its table: what it does first, for each letter, and for each timer.
#[derive(Clone, Debug)]
struct Table {
    states: u8,
    start: Entry,
    letters: Vec<Vec<Entry>>,
    timers: Vec<Vec<Entry>>,
}

/// A role in its network.
struct Player {
    table: Table,
    actors: Vec<Address>,
}

impl Player {
    fn play(&self, entry: &Entry, out: &mut Out<Letter, u8>) -> u8 {
        for sent in &entry.sends {
            out.send(self.actors[usize::from(sent.to) % self.actors.len()], Letter(sent.letter));
        }
        for Change { timer, arms } in &entry.timers {
            match arms {
                true => out.arm(*timer, Duration::ZERO),
                false => out.disarm(*timer),
            }
        }
        entry.next % self.table.states
    }
}

impl Role for Player {
    type State = u8;
    type Message = Letter;
    type Timer = u8;

    fn start(&self, out: &mut Out<Letter, u8>) -> u8 {
        self.play(&self.table.start, out)
    }

    fn on(&self, state: &mut u8, from: Address, message: &Letter, out: &mut Out<Letter, u8>) {
        let row = &self.table.letters[usize::from(*state)];
        let sender = self.actors.iter().position(|actor| *actor == from).unwrap_or_default();
        *state = self.play(&row[(usize::from(message.0) + sender) % row.len()], out);
    }

    fn on_timer(&self, state: &mut u8, timer: &u8, out: &mut Out<Letter, u8>) {
        *state = self.play(&self.table.timers[usize::from(*state)][usize::from(*timer)], out);
    }
}

const LETTERS: u8 = 3;
const ACTORS: usize = 3;
const TIMERS: u8 = 2;

/// Steps that send none, one or two messages, in these proportions.
fn entries(none: u32) -> impl Strategy<Value = Entry> {
    let sends = (0..ACTORS as u8, 0..LETTERS).prop_map(|(to, letter)| Sends { to, letter });
    let sends = prop_oneof![
        none => Just(Vec::new()),
        4 => sends.clone().prop_map(|one| vec![one]),
        1 => proptest::collection::vec(sends, 2..4),
    ];
    let change = (0..TIMERS, proptest::bool::weighted(0.4)).prop_map(|(timer, arms)| Change { timer, arms });
    let timers = prop_oneof![6 => Just(Vec::new()), 1 => proptest::collection::vec(change, 1..4)];
    (0..4_u8, sends, timers).prop_map(|(next, sends, timers)| Entry { next, sends, timers })
}

fn tables(none: u32) -> impl Strategy<Value = Table> {
    (1..4_u8).prop_flat_map(move |states| {
        let each = usize::from(states);
        let row = proptest::collection::vec(entries(none), usize::from(LETTERS));
        let letters = proptest::collection::vec(row, each);
        let row = proptest::collection::vec(entries(none), usize::from(TIMERS));
        let timers = proptest::collection::vec(row, each);
        (entries(2), letters, timers).prop_map(move |(start, letters, timers)| Table {
            states,
            start,
            letters,
            timers,
        })
    })
}

/// Networks from those in which most steps send to those in which few do.
fn all_tables() -> impl Strategy<Value = Vec<Table>> {
    prop_oneof![Just(1), Just(3), Just(8)]
        .prop_flat_map(|none| proptest::collection::vec(tables(none), 2..=ACTORS))
}

fn deliveries() -> impl Strategy<Value = Delivery> {
    prop_oneof![Just(Delivery::Mailboxes), Just(Delivery::Links), Just(Delivery::Unordered)]
}

fn network(tables: &[Table], delivery: Delivery, lossy: bool) -> (Network<Letter>, Vec<Address>) {
    let mut network = Network::new("random", delivery);
    let actors: Vec<Address> = (0..tables.len()).map(|at| network.actor(&format!("actor {at}"))).collect();
    for (actor, table) in actors.iter().zip(tables) {
        network.play(*actor, Player { table: table.clone(), actors: actors.clone() });
    }
    (if lossy { network.lossy() } else { network }, actors)
}

/// A network that is simulated: its own sends, queues and timers, beside those of the library.
struct Simulated<'a> {
    tables: &'a [Table],
    delivery: Delivery,
    states: Vec<u8>,
    armed: Vec<BTreeSet<u8>>,
    outgoing: Vec<VecDeque<Sends>>,
    /// By receiver: messages with their senders, in the order in which they were sent.
    queues: Vec<Vec<Queued>>,
}

#[derive(Clone, Copy, Debug)]
struct Queued {
    from: usize,
    letter: u8,
}

/// A step of a simulated run.
#[derive(Clone, Copy, Debug)]
enum Step {
    Send(usize),
    Receive { actor: usize, position: usize },
    Lose { actor: usize, position: usize },
    Fire { actor: usize, timer: u8 },
}

impl<'a> Simulated<'a> {
    fn new(tables: &'a [Table], delivery: Delivery) -> Self {
        let many = tables.len();
        let mut network = Self {
            tables,
            delivery,
            states: vec![0; many],
            armed: vec![BTreeSet::new(); many],
            outgoing: vec![VecDeque::new(); many],
            queues: vec![Vec::new(); many],
        };
        for (actor, table) in tables.iter().enumerate() {
            network.take(actor, &table.start);
        }
        network
    }

    fn take(&mut self, actor: usize, entry: &Entry) {
        self.states[actor] = entry.next % self.tables[actor].states;
        for Change { timer, arms } in &entry.timers {
            match arms {
                true => self.armed[actor].insert(*timer),
                false => self.armed[actor].remove(timer),
            };
        }
        self.outgoing[actor].extend(entry.sends.iter().cloned());
    }

    /// The positions of messages that may come next.
    fn heads(&self, actor: usize) -> Vec<usize> {
        let queue = &self.queues[actor];
        let is_head = |position: &usize| match self.delivery {
            Delivery::Mailboxes => *position == 0,
            Delivery::Links => queue[..*position].iter().all(|other| other.from != queue[*position].from),
            _ => true,
        };
        (0..queue.len()).filter(is_head).collect()
    }

    fn steps(&self, lossy: bool) -> Vec<Step> {
        let mut steps = Vec::new();
        for actor in 0..self.tables.len() {
            for position in self.heads(actor) {
                if self.outgoing[actor].is_empty() {
                    steps.push(Step::Receive { actor, position });
                }
                if lossy {
                    steps.push(Step::Lose { actor, position });
                }
            }
            match self.outgoing[actor].is_empty() {
                false => steps.push(Step::Send(actor)),
                true => {
                    steps.extend(self.armed[actor].iter().map(|timer| Step::Fire { actor, timer: *timer }))
                }
            }
        }
        steps
    }
}

/// The tally of buffers with a bound, and of those whose runs came near to it.
#[derive(Clone, Copy, Debug, Default)]
struct Tally {
    networks: usize,
    with_bounds: usize,
    /// All buffers have a bound.
    bounded: usize,
    buffers: usize,
    /// Buffers with a bound above 0.
    bounds: usize,
    /// Some run had as many messages in a buffer as its bound.
    reached: usize,
    /// Or one less.
    nearly: usize,
    steps: usize,
}

const RUNS: u64 = 8;
const STEPS: usize = 100;

/// Some runs; panics if the monitor finds a drift, or a buffer exceeds its bound.
fn run(tables: &[Table], delivery: Delivery, lossy: bool, seed: u64, tally: &mut Tally) {
    let (network, actors) = network(tables, delivery, lossy);
    let extracted = network.extract().expect("tables are small");
    let analysis = check_system(extracted.system().clone(), &quick()).expect("it is valid");
    let view = analysis.view("random");
    let buffers = view.property_results.iter().flat_map(|result| &result.buffers);
    let bounds: BTreeMap<String, Option<usize>> = buffers
        .map(|buffer| {
            let bound = buffer.bound.as_ref().map(|bound| bound.to_string().parse().expect("it is small"));
            (buffer.name.clone(), bound)
        })
        .collect();
    let mut longest: BTreeMap<String, usize> = BTreeMap::new();
    let mut random = SplitMix::new(seed);
    for _ in 0..RUNS {
        let monitor = Monitor::new(&extracted, None);
        let mut simulated = Simulated::new(tables, delivery);
        for _ in 0..STEPS {
            let mut steps = simulated.steps(lossy);
            // Every other step is one of those that make queues longer, if there are any.
            if random.below(2) == 0 && steps.iter().any(|step| matches!(step, Step::Send(_))) {
                steps.retain(|step| matches!(step, Step::Send(_)));
            }
            if steps.is_empty() {
                break;
            }
            let step = steps[random.below(steps.len())];
            simulated.step(step, &monitor, &actors);
            tally.steps += 1;
            assert_eq!(monitor.drift(), None, "after {step:?}");
            for (name, length) in simulated.lengths() {
                if let Some(bound) = bounds[&name] {
                    assert!(length <= bound, "{name}: {length} > {bound}");
                }
                let longest = longest.entry(name).or_default();
                *longest = length.max(*longest);
            }
        }
    }
    tally.networks += 1;
    tally.buffers += bounds.len();
    tally.with_bounds += usize::from(bounds.values().flatten().any(|bound| *bound > 0));
    tally.bounded += usize::from(bounds.values().all(Option::is_some));
    for (name, bound) in &bounds {
        let length = longest.get(name).copied().unwrap_or_default();
        let Some(bound) = bound.filter(|bound| *bound > 0) else { continue };
        tally.bounds += 1;
        tally.reached += usize::from(length == bound);
        tally.nearly += usize::from(length + 1 >= bound);
    }
}

impl Simulated<'_> {
    fn step(&mut self, step: Step, monitor: &Monitor, actors: &[Address]) {
        let tables = self.tables;
        match step {
            Step::Send(actor) => {
                let Sends { to, letter } = self.outgoing[actor].pop_front().expect("it has some");
                let to = usize::from(to) % tables.len();
                monitor.sending(actors[actor], actors[to], &Letter(letter), || {
                    self.queues[to].push(Queued { from: actor, letter });
                });
            }
            Step::Receive { actor, position } => {
                let Queued { from, letter } = self.queues[actor].remove(position);
                monitor.received(actors[actor], actors[from], &Letter(letter));
                let row = &tables[actor].letters[usize::from(self.states[actor])];
                self.take(actor, &row[(usize::from(letter) + from) % row.len()]);
            }
            Step::Lose { actor, position } => {
                monitor.lost(actors[actor]);
                self.queues[actor].remove(position);
            }
            Step::Fire { actor, timer } => {
                self.armed[actor].remove(&timer);
                let row = &tables[actor].timers[usize::from(self.states[actor])];
                self.take(actor, &row[usize::from(timer)]);
            }
        }
    }

    /// The lengths of all buffers that hold messages, by the names of the model.
    fn lengths(&self) -> BTreeMap<String, usize> {
        let mut lengths = BTreeMap::new();
        for (actor, queue) in self.queues.iter().enumerate() {
            for Queued { from, .. } in queue {
                let name = match self.delivery {
                    Delivery::Links => format!("actor {from}->actor {actor}"),
                    _ => format!("actor {actor}"),
                };
                *lengths.entry(name).or_default() += 1;
            }
        }
        lengths
    }
}

/// No more than the plain test and a short look at states.
fn quick() -> Options {
    Options {
        max_configurations: Some(500),
        runs: freeboard::RunLimits::NONE,
        time_limit: Some(Duration::from_secs(1)),
        ..Options::default()
    }
}

/// `PROPTEST_CASES=10000` for more.
#[test]
fn no_run_leaves_the_extracted_system() {
    let cases = std::env::var("PROPTEST_CASES").ok().and_then(|cases| cases.parse().ok()).unwrap_or(64);
    let config = ProptestConfig { failure_persistence: None, cases, ..ProptestConfig::default() };
    let tally = RefCell::new(Tally::default());
    let networks = (all_tables(), deliveries(), any::<bool>(), any::<u64>());
    let result = TestRunner::new(config).run(&networks, |network| {
        let (tables, delivery, lossy, seed) = network;
        run(&tables, delivery, lossy, seed, &mut tally.borrow_mut());
        Ok::<(), TestCaseError>(())
    });
    let tally = tally.into_inner();
    println!("{tally:?}");
    result.unwrap_or_else(|error| panic!("{error}"));
    assert!(cases < 64 || 3 * tally.with_bounds >= tally.networks, "bounds are rare: {tally:?}");
}
