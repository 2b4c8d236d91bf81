//! What is proved from the order of queues is not contradicted: by runs of random systems whose
//! queues hold words.

use std::collections::{BTreeMap, VecDeque};

use boundedness::by_cases;
use certify::{AllBoundedClaim, Claim, Proof};
use cfsm_core::ids::Id;
use cfsm_core::system::{Direction, MessageId, StateId, System, SystemBuilder, TransitionId};
use integration_tests::cases;
use petgraph::algo::tarjan_scc;
use petgraph::graph::DiGraph;
use proptest::collection::vec;
use proptest::prelude::*;
use proptest::strategy::ValueTree;
use proptest::test_runner::TestRunner;

/// Configurations that are looked at, and how often a loop must be possible in a row to be one for
/// ever.
const CONFIGURATIONS: usize = 1500;
const ROUNDS: usize = 30;

/// Where the one instance of each class is, and what each queue holds.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord)]
struct Configuration {
    states: Vec<StateId>,
    words: Vec<VecDeque<MessageId>>,
}

impl Configuration {
    fn start(system: &System) -> Self {
        let states = system.classes.values().map(|class| class.initial).collect();
        Self { states, words: vec![VecDeque::new(); system.buffers.len()] }
    }

    /// What a transition leads to, if it can fire.
    fn after(&self, system: &System, id: TransitionId) -> Option<Self> {
        let transition = &system.transitions[id];
        let at = self.states.iter().position(|state| *state == transition.source)?;
        let mut next = self.clone();
        next.states[at] = transition.target;
        for event in &transition.events {
            let word = &mut next.words[system.messages[event.message].buffer.index()];
            for _ in 0..event.count {
                match event.direction {
                    Direction::Send => word.push_back(event.message),
                    Direction::Receive => {
                        word.pop_front().filter(|message| *message == event.message)?;
                    }
                }
            }
        }
        Some(next)
    }

    fn length(&self) -> usize {
        self.words.iter().map(VecDeque::len).sum()
    }

    /// Whether another one is at the same states, with more behind what is in the queues.
    fn grows_into(&self, other: &Self) -> bool {
        let begins = |(one, other): (&VecDeque<_>, &VecDeque<_>)| {
            one.len() <= other.len() && one.iter().zip(other).all(|(one, other)| one == other)
        };
        self.states == other.states
            && self.length() < other.length()
            && self.words.iter().zip(&other.words).all(begins)
    }
}

/// What a system can do, from the start.
#[derive(Default)]
struct Runs {
    endless: bool,
    livelock: bool,
    all_seen: bool,
}

fn runs(system: &System) -> Runs {
    let mut graph = DiGraph::<(), bool>::new();
    let mut numbers = BTreeMap::from([(Configuration::start(system), graph.add_node(()))]);
    let mut tree: Vec<(Configuration, Option<(usize, TransitionId)>)> =
        vec![(Configuration::start(system), None)];
    let mut found = Runs { all_seen: true, ..Runs::default() };
    let mut next = 0;
    while next < tree.len() {
        for (id, transition) in system.transitions.iter() {
            let Some(after) = tree[next].0.after(system, id) else { continue };
            let from = numbers[&tree[next].0];
            if let Some(&to) = numbers.get(&after) {
                graph.add_edge(from, to, transition.progress);
            } else if tree.len() < CONFIGURATIONS {
                let to = graph.add_node(());
                graph.add_edge(from, to, transition.progress);
                numbers.insert(after.clone(), to);
                tree.push((after, Some((next, id))));
                found.endless |= grows_for_ever(system, &tree);
            } else {
                found.all_seen = false;
            }
        }
        next += 1;
    }
    graph.retain_edges(|graph, edge| !graph[edge]);
    let loops = |nodes: &Vec<_>| nodes.len() > 1 || graph.contains_edge(nodes[0], nodes[0]);
    found.livelock = tarjan_scc(&graph).iter().any(loops);
    found
}

/// Whether the last configuration of a tree has more in its queues than one that it comes from, and
/// the way between them is possible again and again.
fn grows_for_ever(system: &System, tree: &[(Configuration, Option<(usize, TransitionId)>)]) -> bool {
    let Some((last, _)) = tree.last() else { return false };
    let mut way = VecDeque::new();
    let mut at = tree.len() - 1;
    while let Some((before, id)) = tree[at].1 {
        way.push_front(id);
        at = before;
        if tree[at].0.grows_into(last) && repeats(system, last, &way) {
            return true;
        }
    }
    false
}

fn repeats(system: &System, from: &Configuration, way: &VecDeque<TransitionId>) -> bool {
    let mut now = from.clone();
    (0..ROUNDS).all(|_| {
        let length = now.length();
        let end = way.iter().try_fold(now.clone(), |now, id| now.after(system, *id));
        end.is_some_and(|end| {
            now = end;
            now.length() > length
        })
    })
}

/// A message, sent or received, or nothing; and whether that is progress.
type Deed = (Option<(usize, i32)>, bool);

/// Messages 0 to 2 go there, 3 and 4 come back.
fn deed(sends: std::ops::Range<usize>, receives: std::ops::Range<usize>) -> impl Strategy<Value = Deed> {
    let event = prop_oneof![
        4 => sends.prop_map(|message| Some((message, 1))),
        3 => receives.prop_map(|message| Some((message, -1))),
        1 => Just(None),
    ];
    (event, prop_oneof![8 => Just(false), 1 => Just(true)])
}

/// What a receiver does with a message: the state in which it takes which one, what it answers (if
/// anything), and the state that it goes to.
type Reaction = (usize, usize, Option<usize>, usize, bool);

fn reaction() -> impl Strategy<Value = Reaction> {
    let next = prop_oneof![3 => Just(0_usize), 1 => Just(1), 1 => Just(2)];
    let progress = prop_oneof![4 => Just(false), 1 => Just(true)];
    (0..2_usize, 0..3_usize, prop::option::of(3..5_usize), next, progress)
}

/// A sender that goes round a few loops and writes into one queue, and a receiver that reads it and
/// answers in another one. Sometimes somebody else takes part.
fn pairs() -> impl Strategy<Value = System> {
    let loops = vec(vec(deed(0..3, 3..5), 2..5), 1..3);
    let third = prop_oneof![3 => Just(Vec::new()).boxed(), 1 => vec(deed(0..5, 0..5), 1..3).boxed()];
    (loops, vec(reaction(), 2..5), third).prop_map(|(loops, reactions, third)| {
        let mut b = SystemBuilder::new("pair");
        let there = ["a", "b", "c"].map(|name| b.message("there", name));
        let back = ["d", "e"].map(|name| b.message("back", name));
        let messages = [&there[..], &back[..]].concat();
        let [sender, other, receiver] = ["Sender", "Other", "Receiver"].map(|name| b.class(name, 1).id());
        let mut step = |class, from: String, deed: Deed, to: String| {
            let changes: Vec<_> = deed.0.map(|(at, sign)| (messages[at], sign)).into_iter().collect();
            b.class_again(class).step(&from, &changes, &to);
            if deed.1 {
                b.progress();
            }
        };
        let ways = loops.into_iter().map(|way| (sender, way)).chain([(other, third)]);
        for (number, (class, way)) in ways.enumerate() {
            let last = way.len().saturating_sub(1);
            let state = |at: usize| if at == 0 { "0".into() } else { format!("{number}.{at}") };
            for (at, deed) in way.into_iter().enumerate() {
                step(class, state(at), deed, state(if at == last { 0 } else { at + 1 }));
            }
        }
        for (number, (from, message, answer, to, progress)) in reactions.into_iter().enumerate() {
            let between = format!("answers {number}");
            let taken = answer.map_or_else(|| to.to_string(), |_| between.clone());
            step(receiver, from.to_string(), (Some((message, -1)), progress), taken);
            if let Some(answer) = answer {
                step(receiver, between, (Some((answer, 1)), false), to.to_string());
            }
        }
        b.build().expect("names are given once")
    })
}

/// Whether a proof looks at what is delivered.
fn delivers(proof: &Proof) -> bool {
    proof.any(&|part| matches!(part, Proof::Delivery(_)))
}

/// The proof that all buffers are bounded, where the plain test leaves it open.
fn proof_of_bounds(system: &System) -> Option<Proof> {
    let plain = boundedness::check(system, &boundedness::Options::default());
    let options = boundedness::Options { cases: 60, ..boundedness::Options::default() };
    let outcome = by_cases(system, &plain, &options)?;
    assert!(outcome.rejected.is_empty(), "{:?} of {system:#?}", outcome.rejected);
    let mut claims = outcome.verdict.certificate()?.claims.iter();
    claims.find_map(|claim| match claim {
        Claim::AllBounded(AllBoundedClaim { proof, .. }) => Some(proof.clone()),
        _ => None,
    })
}

/// The proof that each infinite run makes progress again and again.
fn proof_of_progress(system: &System) -> Option<Proof> {
    let outcome = livelock::check(system, &livelock::Options { cases: 60, ..livelock::Options::default() });
    assert!(outcome.rejected.is_none(), "{:?} of {system:#?}", outcome.rejected);
    let mut claims = outcome.verdict.certificate()?.claims.iter();
    claims.find_map(|claim| match claim {
        Claim::LivelockFree(claim) => Some(claim.proof.clone()),
        _ => None,
    })
}

/// What rests on order has no run that contradicts it; without order nothing rests on it.
#[test]
fn what_order_proves_no_run_refutes() {
    let mut runner = TestRunner::deterministic();
    let (mut bounded, mut live, mut seen, mut endless, mut livelocks) = (0, 0, 0, 0, 0);
    for _ in 0..cases(4000).cases {
        let system = pairs().new_tree(&mut runner).expect("there is one").current();
        let [bounds, progress] = [proof_of_bounds(&system), proof_of_progress(&system)]
            .map(|proof| proof.as_ref().is_some_and(delivers));
        if !bounds && !progress {
            continue;
        }
        let found = runs(&system);
        assert!(!(bounds && found.endless), "{system:#?}");
        assert!(!(progress && found.livelock), "{system:#?}");
        bounded += u32::from(bounds);
        live += u32::from(progress);
        seen += u32::from(found.all_seen);
        endless += u32::from(found.endless);
        livelocks += u32::from(found.livelock);
        let unordered = System { order: None, ..system };
        assert!(!proof_of_bounds(&unordered).as_ref().is_some_and(delivers));
        assert!(!proof_of_progress(&unordered).as_ref().is_some_and(delivers));
    }
    println!(
        "{bounded} bounded and {live} live by order, all seen of {seen}; others grow ({endless}) or go round ({livelocks})"
    );
    assert!([bounded, live, seen].iter().all(|count| *count >= 20));
}
