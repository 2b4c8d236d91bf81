//! Random roles, and random runs of networks of them: no run leaves the extracted system, or
//! exceeds a bound that is proved of it.

use std::collections::VecDeque;

use freeboard::cfsm_core::splitmix::SplitMix;
use freeboard::{Options, check_system};
use freeboard_actors::monitor::Monitor;
use freeboard_actors::{Address, Delivery, Message, Network, Out, Role};
use proptest::prelude::*;

#[derive(Clone, Debug, Message)]
struct Letter(u8);

/// A step, for a local state and an input.
#[derive(Clone, Debug)]
struct Entry {
    next: u8,
    sends: Vec<Sends>,
    arms: bool,
}

#[derive(Clone, Debug)]
struct Sends {
    to: u8,
    letter: u8,
}

/// A role by its table: what it does first, for each letter, and for its timer.
#[derive(Clone, Debug)]
struct Table {
    states: u8,
    start: Entry,
    letters: Vec<Vec<Entry>>,
    timer: Vec<Entry>,
}

/// A role in its network.
struct Player {
    table: Table,
    actors: Vec<Address>,
}

impl Player {
    fn play(&self, entry: &Entry, out: &mut Out<Letter, ()>) -> u8 {
        for sent in &entry.sends {
            out.send(self.actors[usize::from(sent.to) % self.actors.len()], Letter(sent.letter));
        }
        if entry.arms {
            out.arm((), std::time::Duration::ZERO);
        }
        entry.next % self.table.states
    }
}

impl Role for Player {
    type State = u8;
    type Message = Letter;
    type Timer = ();

    fn start(&self, out: &mut Out<Letter, ()>) -> u8 {
        self.play(&self.table.start, out)
    }

    fn on(&self, state: &mut u8, from: Address, message: &Letter, out: &mut Out<Letter, ()>) {
        let row = &self.table.letters[usize::from(*state)];
        let sender = self.actors.iter().position(|actor| *actor == from).unwrap_or_default();
        *state = self.play(&row[(usize::from(message.0) + sender) % row.len()], out);
    }

    fn on_timer(&self, state: &mut u8, (): &(), out: &mut Out<Letter, ()>) {
        *state = self.play(&self.table.timer[usize::from(*state)], out);
    }
}

const LETTERS: u8 = 3;
const ACTORS: usize = 3;

fn entries() -> impl Strategy<Value = Entry> {
    let sends = (0..ACTORS as u8, 0..LETTERS).prop_map(|(to, letter)| Sends { to, letter });
    // Most steps send one message or none, so that some networks are bounded.
    let sends = prop_oneof![
        4 => Just(Vec::new()),
        4 => sends.clone().prop_map(|one| vec![one]),
        1 => proptest::collection::vec(sends, 2),
    ];
    (0..4_u8, sends, proptest::bool::weighted(0.1)).prop_map(|(next, sends, arms)| Entry { next, sends, arms })
}

fn tables() -> impl Strategy<Value = Table> {
    (1..4_u8).prop_flat_map(|states| {
        let each = usize::from(states);
        let row = proptest::collection::vec(entries(), usize::from(LETTERS));
        let letters = proptest::collection::vec(row, each);
        let timer = proptest::collection::vec(entries(), each);
        (entries(), letters, timer).prop_map(move |(start, letters, timer)| Table {
            states,
            start,
            letters,
            timer,
        })
    })
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
    armed: Vec<bool>,
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
    Fire(usize),
}

impl<'a> Simulated<'a> {
    fn new(tables: &'a [Table], delivery: Delivery) -> Self {
        let many = tables.len();
        let mut network = Self {
            tables,
            delivery,
            states: vec![0; many],
            armed: vec![false; many],
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
        self.armed[actor] |= entry.arms;
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
                true if self.armed[actor] => steps.push(Step::Fire(actor)),
                true => {}
            }
        }
        steps
    }
}

/// A run of some steps; panics if the monitor finds a drift, or a buffer exceeds its bound.
fn run(tables: &[Table], delivery: Delivery, lossy: bool, seed: u64) -> usize {
    let (network, actors) = network(tables, delivery, lossy);
    let extracted = network.extract().expect("tables are small");
    let analysis = check_system(extracted.system().clone(), &quick()).expect("it is valid");
    let view = analysis.view("random");
    let bound = |name: &str| -> Option<u64> {
        let buffers = view.property_results.iter().flat_map(|result| &result.buffers);
        let buffer = buffers.into_iter().find(|buffer| buffer.name == name)?;
        buffer.bound.as_ref()?.to_string().parse().ok()
    };
    let monitor = Monitor::new(&extracted, None);
    let mut simulated = Simulated::new(tables, delivery);
    let mut random = SplitMix::new(seed);
    for _ in 0..200 {
        let steps = simulated.steps(lossy);
        if steps.is_empty() {
            break;
        }
        let step = steps[random.below(steps.len())];
        match step {
            Step::Send(actor) => {
                let Sends { to, letter } = simulated.outgoing[actor].pop_front().expect("it has some");
                let to = usize::from(to) % tables.len();
                monitor.sending(actors[actor], actors[to], &Letter(letter), || {
                    simulated.queues[to].push(Queued { from: actor, letter });
                });
            }
            Step::Receive { actor, position } => {
                let Queued { from, letter } = simulated.queues[actor].remove(position);
                monitor.received(actors[actor], actors[from], &Letter(letter));
                let row = &tables[actor].letters[usize::from(simulated.states[actor])];
                simulated.take(actor, &row[(usize::from(letter) + from) % row.len()]);
            }
            Step::Lose { actor, position } => drop(simulated.queues[actor].remove(position)),
            Step::Fire(actor) => {
                simulated.armed[actor] = false;
                simulated.take(actor, &tables[actor].timer[usize::from(simulated.states[actor])]);
            }
        }
        assert_eq!(monitor.drift(), None, "after {step:?}");
        for (actor, queue) in simulated.queues.iter().enumerate() {
            let name = format!("actor {actor}");
            if delivery == Delivery::Links {
                for from in 0..tables.len() {
                    let length = queue.iter().filter(|queued| queued.from == from).count() as u64;
                    let bound = bound(&format!("actor {from}->{name}"));
                    assert!(bound.is_none_or(|bound| length <= bound), "{from}->{name}: {length} > {bound:?}");
                }
            } else {
                let (length, bound) = (queue.len() as u64, bound(&name));
                assert!(bound.is_none_or(|bound| length <= bound), "{name}: {length} > {bound:?}");
            }
        }
    }
    let buffers = view.property_results.iter().flat_map(|result| &result.buffers);
    buffers.filter(|buffer| buffer.bound.is_some()).count()
}

/// No more than the plain test and a short look at states.
fn quick() -> Options {
    Options { max_configurations: Some(500), runs: freeboard::RunLimits::NONE, ..Options::default() }
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn no_run_leaves_the_extracted_system(
        tables in proptest::collection::vec(tables(), 2..=ACTORS),
        delivery in deliveries(),
        lossy in any::<bool>(),
        seed in any::<u64>(),
    ) {
        run(&tables, delivery, lossy, seed);
    }
}
