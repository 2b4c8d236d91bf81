//! Extraction against the exploration of stateright: every reachable local state and every message
//! there is in the extracted system, and the bounds hold.

mod abd;
mod commit;

use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::fmt::Debug;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::sync::OnceLock;

use freeboard::{Options, check_system};
use freeboard_actors::{ActorRole, Address, Delivery, Extracted, Message, Network, Out, Role};
use stateright::Model;
use stateright::actor::{Actor, ActorModel, ActorModelState, Id, Network as Messages, Out as Commands};

use crate::paxos;

/// A role, played in stateright. The tests' roles have no timers.
#[derive(Clone, Debug)]
struct Played<R>(R);

/// Roles that stateright can play.
trait Explorable: Role<Timer = (), State: Ord, Message: Eq + Hash + Ord> + Clone + Debug {}
impl<R: Role<Timer = (), State: Ord, Message: Eq + Hash + Ord> + Clone + Debug> Explorable for R {}

/// The addresses of a network are given in order from 0, as ids of stateright are.
fn addresses() -> &'static [Address] {
    static ALL: OnceLock<Vec<Address>> = OnceLock::new();
    ALL.get_or_init(|| {
        let mut network = Network::<paxos::Paxos>::new("addresses", Delivery::Links);
        (0..16).map(|at| network.actor(&at.to_string())).collect()
    })
}

fn position(address: Address) -> usize {
    addresses().iter().position(|known| *known == address).expect("networks here are small")
}

impl<R: Explorable> Played<R> {
    fn send(out: &Out<R::Message, ()>, commands: &mut Commands<Self>) {
        for (to, message) in out.sent() {
            commands.send(Id::from(position(to)), message.clone());
        }
    }
}

impl<R: Explorable> Actor for Played<R> {
    type Msg = R::Message;
    type Timer = ();
    type State = R::State;
    type Storage = ();
    type Random = ();

    fn on_start(&self, _: Id, _: &Option<()>, commands: &mut Commands<Self>) -> R::State {
        let mut out = Out::default();
        let state = self.0.start(&mut out);
        Self::send(&out, commands);
        state
    }

    fn on_msg(
        &self,
        _: Id,
        state: &mut Cow<'_, R::State>,
        from: Id,
        message: R::Message,
        commands: &mut Commands<Self>,
    ) {
        let (mut out, mut next) = (Out::default(), state.clone().into_owned());
        self.0.on(&mut next, addresses()[usize::from(from)], &message, &mut out);
        if next != **state {
            *state = Cow::Owned(next);
        }
        Self::send(&out, commands);
    }
}

/// What an exploration has seen.
#[derive(Default)]
struct Seen {
    states: usize,
    locals: BTreeMap<usize, BTreeSet<String>>,
    /// Messages by sender and receiver.
    messages: BTreeSet<(usize, usize, String)>,
    /// The greatest numbers of messages, by sender and receiver, and by receiver.
    flows: BTreeMap<(usize, usize), usize>,
    inboxes: BTreeMap<usize, usize>,
}

impl Seen {
    fn look<R: Explorable>(&mut self, state: &ActorModelState<Played<R>, ()>) {
        self.states += 1;
        for (actor, local) in state.actor_states.iter().enumerate() {
            self.locals.entry(actor).or_default().insert(format!("{:?}", **local));
        }
        let (mut flows, mut inboxes) = (BTreeMap::new(), BTreeMap::new());
        for (from, to, message, count) in travelling(&state.network) {
            self.messages.insert((from, to, message.label()));
            *flows.entry((from, to)).or_insert(0) += count;
            *inboxes.entry(to).or_insert(0) += count;
        }
        for (flow, length) in flows {
            let most = self.flows.entry(flow).or_default();
            *most = length.max(*most);
        }
        for (inbox, length) in inboxes {
            let most = self.inboxes.entry(inbox).or_default();
            *most = length.max(*most);
        }
    }
}

/// Senders, receivers and numbers of messages. (`Network::iter_all` of version 0.31 has no end for
/// flows that are ordered.)
fn travelling<M: Message + Eq + Hash>(network: &Messages<M>) -> Vec<(usize, usize, M, usize)> {
    let mut all = Vec::new();
    match network {
        Messages::Ordered(flows) => {
            for ((from, to), messages) in flows {
                let ends = (usize::from(*from), usize::from(*to));
                all.extend(messages.iter().map(|message| (ends.0, ends.1, message.clone(), 1)));
            }
        }
        Messages::UnorderedNonDuplicating(messages) => {
            let sorted = messages.iter().map(|(envelope, count)| {
                (usize::from(envelope.src), usize::from(envelope.dst), envelope.msg.clone(), *count)
            });
            all.extend(sorted);
        }
        Messages::UnorderedDuplicating(..) => panic!("not used here"),
    }
    all
}

/// Explores all states with the steps of stateright, for the delivery given.
fn explore<R: Explorable>(members: &[R], delivery: Delivery) -> Seen {
    let messages = match delivery {
        Delivery::Links => Messages::new_ordered([]),
        _ => Messages::new_unordered_nonduplicating([]),
    };
    let model = ActorModel::new((), ()).actors(members.iter().cloned().map(Played)).init_network(messages);
    let mut seen = Seen::default();
    let mut open: VecDeque<_> = model.init_states().into();
    let mut known: BTreeSet<u64> = open.iter().map(hash_of).collect();
    while let Some(state) = open.pop_front() {
        seen.look(&state);
        let mut actions = Vec::new();
        model.actions(&state, &mut actions);
        let next = actions.into_iter().filter_map(|action| model.next_state(&state, action));
        open.extend(next.filter(|next| known.insert(hash_of(next))));
    }
    seen
}

/// What tells states apart here, as stateright does: 64 bits.
fn hash_of(state: &impl Hash) -> u64 {
    let mut hasher = DefaultHasher::new();
    state.hash(&mut hasher);
    hasher.finish()
}

/// Holds an extraction against an exploration.
fn compare<R: Explorable>(
    names: &[String],
    members: &[R],
    network: &Network<R::Message>,
    delivery: Delivery,
) {
    let seen = explore(members, delivery);
    let extracted = network.extract().unwrap();
    let system = extracted.system();
    let states: BTreeSet<String> = system.states.ids().map(|state| system.state_name(state)).collect();
    for (actor, locals) in &seen.locals {
        for local in locals {
            let name = format!("{}@{local}", names[*actor]);
            assert!(states.contains(&name), "{name} is reached in stateright only");
        }
    }
    let buffer = |from: usize, to: usize| match delivery {
        Delivery::Links => format!("{}->{}", names[from], names[to]),
        _ => names[to].clone(),
    };
    let messages: BTreeSet<String> = system.messages.ids().map(|id| system.message_name(id)).collect();
    for (from, to, label) in &seen.messages {
        let from_whom =
            if delivery == Delivery::Links { String::new() } else { format!(" from {}", names[*from]) };
        let name = format!("{}({label}{from_whom})", buffer(*from, *to));
        assert!(messages.contains(&name), "{name} is sent in stateright only");
    }
    let bounds = bounds(&extracted);
    let flows = seen.flows.iter().map(|(&(from, to), most)| (buffer(from, to), *most));
    let inboxes = seen.inboxes.iter().map(|(&to, most)| (names[to].clone(), *most));
    let lengths: Vec<_> = if delivery == Delivery::Links { flows.collect() } else { inboxes.collect() };
    for (buffer, most) in lengths {
        let bound = bounds[&buffer];
        assert!(most <= bound, "{buffer}: {most} messages in stateright, bound {bound}");
    }
    println!(
        "{delivery:?}: {} states, {} messages in stateright; {} states, {} messages extracted; bounds {bounds:?}",
        seen.states,
        seen.messages.len(),
        states.len(),
        messages.len()
    );
}

/// The proved bounds: all of these networks have them.
fn bounds(extracted: &Extracted) -> BTreeMap<String, usize> {
    let analysis = check_system(extracted.system().clone(), &Options::default()).unwrap();
    let view = analysis.view("extracted");
    let buffers = view.property_results.iter().flat_map(|result| &result.buffers);
    let number = |bound: Option<&freeboard::report::view::Number>| {
        bound
            .unwrap_or_else(|| panic!("a bound is missing: {:?}", analysis.outcome.buffers))
            .to_string()
            .parse()
            .unwrap()
    };
    buffers.map(|buffer| (buffer.name.clone(), number(buffer.bound.as_ref()))).collect()
}

const DELIVERIES: [Delivery; 2] = [Delivery::Links, Delivery::Unordered];

fn named(network: &Network<impl Message>) -> Vec<String> {
    network.names().map(str::to_owned).collect()
}

#[test]
fn paxos_is_covered() {
    for delivery in DELIVERIES {
        let paxos::Group { network, members } = paxos::network(delivery, 1);
        compare(&named(&network), &members, &network, delivery);
    }
}

#[test]
fn an_atomic_register_is_covered() {
    for delivery in DELIVERIES {
        let abd::Group { network, members } = abd::network(delivery);
        compare(&named(&network), &members, &network, delivery);
    }
}

#[test]
fn two_phase_commit_is_covered() {
    for delivery in DELIVERIES {
        let commit::Group { network, members } = commit::network(delivery, 3);
        compare(&named(&network), &members, &network, delivery);
    }
}

#[test]
fn an_actor_of_stateright_is_a_role() {
    let paxos::Group { network, members } = paxos::network(Delivery::Links, 1);
    let mut adapted = Network::new("paxos", Delivery::Links);
    let names = named(&network);
    let actors: Vec<Address> = names.iter().map(|name| adapted.actor(name)).collect();
    for (own, member) in actors.iter().zip(members) {
        adapted.play(*own, ActorRole { actor: Played(member), own: *own });
    }
    let (one, other) = (network.extract().unwrap(), adapted.extract().unwrap());
    assert_eq!(one.system().states, other.system().states);
    assert_eq!(one.system().transitions, other.system().transitions);
    assert_eq!(one.system().buffers, other.system().buffers);
}
