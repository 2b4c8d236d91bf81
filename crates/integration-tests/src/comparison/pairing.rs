//! Two graphs, walked through together from their entries: which states correspond, and where they
//! do not.
//!
//! The graphs are equal up to states that do nothing: Spin keeps some jumps as states, within
//! `atomic` above all, and leaves others out. States with nothing but a jump are passed over on
//! both sides. All other states must correspond one to one.

use std::collections::{BTreeMap, VecDeque};

use super::graph::{Edge, Graph, Label};

/// What came out of a walk.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Walk {
    /// The first difference; one in the structure if there is any, else in atomicity, else in
    /// marks.
    pub difference: Option<Difference>,
    /// How many pairs of states correspond.
    pub states: usize,
    /// How many states were passed over as jumps, on both sides.
    pub jumps: usize,
    /// At how many states options come in another order.
    pub reordered: usize,
    /// How many pairs of edges stand in different lines, as far as Spin gives one.
    pub lines: usize,
    /// The first of them.
    pub line: Option<String>,
    /// How many pairs of edges there are.
    pub edges: usize,
}

/// A difference.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Difference {
    /// In what.
    pub aspect: Aspect,
    /// What it is, in words.
    pub text: String,
}

/// What two graphs can differ in.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Aspect {
    /// States and edges.
    Structure,
    /// Where other processes may step in between.
    Atomicity,
    /// Labels `end`, `progress`, `accept`.
    Marks,
}

/// Two targets, and the edges by which the walk comes to them.
type Step = (usize, usize, Option<(Edge, Edge)>);

struct Walker<'a> {
    ours: &'a Graph,
    spins: &'a Graph,
    /// Whether what is silent in ours is rather a `skip` of Spin's than passed over.
    silent_is_skip: bool,
    ours_to_spins: BTreeMap<usize, usize>,
    spins_to_ours: BTreeMap<usize, usize>,
    differences: BTreeMap<Aspect, String>,
    walk: Walk,
}

/// Walks through both graphs. Time linear in the edges, squared per state.
#[must_use]
pub fn compare(ours: &Graph, spins: &Graph) -> Walk {
    // What is silent in ours may be a state for Spin or not: first as often as possible, else as
    // rarely.
    let walk = compare_with(ours, spins, true);
    if walk.difference.is_none() {
        return walk;
    }
    let other = compare_with(ours, spins, false);
    if other.difference.is_none() { other } else { walk }
}

fn compare_with(ours: &Graph, spins: &Graph, silent_is_skip: bool) -> Walk {
    let mut walker = Walker {
        ours,
        spins,
        silent_is_skip,
        ours_to_spins: BTreeMap::new(),
        spins_to_ours: BTreeMap::new(),
        differences: BTreeMap::new(),
        walk: Walk::default(),
    };
    let mut work = VecDeque::from([(ours.entry, spins.entry, None)]);
    while let Some(step) = work.pop_front() {
        work.extend(walker.step(step));
    }
    let first = walker.differences.pop_first();
    walker.walk.difference = first.map(|(aspect, text)| Difference { aspect, text });
    walker.walk
}

impl Walker<'_> {
    fn differ(&mut self, aspect: Aspect, text: String) {
        self.differences.entry(aspect).or_insert(text);
    }

    /// Pairs two states, and returns where to go on.
    fn step(&mut self, (ours, spins, by): Step) -> Vec<Step> {
        let Some(met) = self.meet(ours, spins) else {
            let text =
                format!("ours has {}; Spin has {}", self.ours.describe(ours), self.spins.describe(spins));
            self.differ(Aspect::Structure, after(by.as_ref()) + &text);
            return Vec::new();
        };
        self.walk.jumps += met.jumps;
        if let Some((our_edge, spin_edge)) = &by {
            let held = (met.ours_held.unwrap_or(our_edge.atomic), met.spins_held.unwrap_or(spin_edge.atomic));
            if held.0 != held.1 && our_edge.label != Label::DStep {
                let who = |held| if held { "goes on alone" } else { "lets others step" };
                let text = format!("ours {}, Spin's {}", who(held.0), who(held.1));
                self.differ(Aspect::Atomicity, after(by.as_ref()) + &text);
            }
        }
        let known = (self.ours_to_spins.get(&met.ours), self.spins_to_ours.get(&met.spins));
        match known {
            (None, None) => {}
            (Some(spins), Some(_)) if *spins == met.spins => return Vec::new(),
            _ => {
                let text = "a state of one side is two states of the other: before ";
                let text = format!("{text}{}", self.ours.describe(met.ours));
                self.differ(Aspect::Structure, after(by.as_ref()) + &text);
                return Vec::new();
            }
        }
        self.ours_to_spins.insert(met.ours, met.spins);
        self.spins_to_ours.insert(met.spins, met.ours);
        self.walk.states += 1;
        self.marks(&met, by.as_ref());
        self.walk.reordered += usize::from(met.reordered);
        self.walk.edges += met.pairs.len();
        self.lines(&met);
        met.pairs.into_iter().map(|(a, b)| (a.target, b.target, Some((a, b)))).collect()
    }

    fn lines(&mut self, met: &Met) {
        let apart = |(ours, spins): &&(Edge, Edge)| {
            spins.line > 0 && !(ours.line..=ours.last_line).contains(&spins.line)
        };
        self.walk.lines += met.pairs.iter().filter(apart).count();
        if let (None, Some((ours, spins))) = (&self.walk.line, met.pairs.iter().find(apart)) {
            self.walk.line = Some(format!("`{}`: ours {}, Spin's {}", spins.text, ours.line, spins.line));
        }
    }

    fn marks(&mut self, met: &Met, by: Option<&(Edge, Edge)>) {
        let (ours, spins) = (self.ours.state(met.ours), self.spins.state(met.spins));
        if ours.marks != spins.marks && !ours.is_exit {
            let text = format!(
                "before {}: ours {:?}, Spin's {:?}",
                self.ours.describe(met.ours),
                ours.marks,
                spins.marks
            );
            self.differ(Aspect::Marks, after(by) + &text);
        }
    }

    /// Two states whose edges fit, behind all jumps of both sides; or before some, if ours is
    /// silent there: then it may be a `skip` or a jump of Spin's.
    fn meet(&self, ours: usize, spins: usize) -> Option<Met> {
        let (our_chain, spin_chain) = (jumps(self.ours, ours), jumps(self.spins, spins));
        let met = |before: usize, behind: usize| {
            let ((ours, ours_held), (spins, spins_held)) = (our_chain[before], spin_chain[behind]);
            let (our_state, spin_state) = (self.ours.state(ours), self.spins.state(spins));
            if our_state.is_exit != spin_state.is_exit {
                return None;
            }
            let (pairs, reordered) = pairs(&our_state.edges, &spin_state.edges)?;
            Some(Met { ours, spins, ours_held, spins_held, pairs, reordered, jumps: before + behind })
        };
        let (last, spin_last) = (our_chain.len() - 1, spin_chain.len() - 1);
        let is_silent = |before: &usize| {
            self.ours.only_jump(our_chain[*before].0).is_some_and(|edge| edge.label == Label::Silent)
        };
        let mut silent = (0..=last).filter(is_silent);
        let is_skip = matches!(self.spins.state(spin_chain[spin_last].0).edges.as_slice(),
            [edge] if edge.label == Label::skip());
        let as_skip = if is_skip && self.silent_is_skip {
            silent.clone().find_map(|before| met(before, spin_last))
        } else {
            None
        };
        as_skip
            .or_else(|| met(last, spin_last))
            .or_else(|| silent.find_map(|before| (0..=spin_last).find_map(|behind| met(before, behind))))
    }
}

/// A state and those that follow it by jumps only, each with whether the jump to it holds. Of a
/// circle of jumps, all states, so that the last one is the same from wherever one enters.
fn jumps(graph: &Graph, from: usize) -> Vec<(usize, Option<bool>)> {
    let mut chain = vec![(from, None)];
    let mut at = from;
    while let Some(jump) = graph.only_jump(at) {
        at = jump.target;
        if let Some(start) = chain.iter().position(|(state, _)| *state == at) {
            let least = (start..chain.len()).min_by_key(|&position| chain[position].0);
            chain.truncate(least.unwrap_or(start) + 1);
            return chain;
        }
        chain.push((at, Some(jump.atomic)));
    }
    chain
}

/// Two states that fit, and the way to them.
struct Met {
    ours: usize,
    spins: usize,
    /// Whether the last jump on the way holds, if there is one.
    ours_held: Option<bool>,
    spins_held: Option<bool>,
    pairs: Vec<(Edge, Edge)>,
    reordered: bool,
    jumps: usize,
}

fn after(by: Option<&(Edge, Edge)>) -> String {
    let place = |edge: &Edge| format!("line {}, after `{}`: ", edge.line, edge.text.replace('|', "\\|"));
    by.map_or_else(|| String::from("at the start: "), |(ours, _)| place(ours))
}

/// Edges that do the same, group by group: those of the same rank. Whether some of rank 0 come in
/// another order. Spin shows the options of an escape in reverse.
fn pairs(ours: &[Edge], spins: &[Edge]) -> Option<(Vec<(Edge, Edge)>, bool)> {
    let (ours, spins) = (by_rank(ours), by_rank(spins));
    if ours.len() != spins.len() {
        return None;
    }
    let (mut found, mut reordered) = (Vec::new(), false);
    for (rank, (a, mut b)) in ours.into_iter().zip(spins).enumerate() {
        let same = |a: &[&Edge], b: &[&Edge]| {
            a.len() == b.len() && a.iter().zip(b).all(|(a, b)| a.label.fits(&b.label))
        };
        if rank > 0 {
            b.reverse();
        }
        if !same(&a, &b) {
            b = rearranged(&a, b)?;
            reordered |= rank == 0;
        }
        found.extend(a.into_iter().cloned().zip(b.into_iter().cloned()));
    }
    Some((found, reordered))
}

fn by_rank(edges: &[Edge]) -> Vec<Vec<&Edge>> {
    let mut groups: BTreeMap<usize, Vec<&Edge>> = BTreeMap::new();
    for edge in edges {
        groups.entry(edge.rank).or_default().push(edge);
    }
    groups.into_values().collect()
}

/// The second edges in the order of the first ones, if the labels are the same ones.
fn rearranged<'a>(order: &[&Edge], mut edges: Vec<&'a Edge>) -> Option<Vec<&'a Edge>> {
    let mut found = Vec::new();
    for wanted in order {
        let position = edges.iter().position(|edge| wanted.label.fits(&edge.label))?;
        found.push(edges.remove(position));
    }
    edges.is_empty().then_some(found)
}

#[cfg(test)]
mod tests {
    use super::super::graph::State;
    use super::super::term::Term;
    use super::*;

    /// A graph with edges `(source, target, label)`; a letter is a condition, `>` a jump; state 9
    /// is the end.
    fn graph(edges: &[(usize, usize, &str)]) -> Graph {
        let mut graph = Graph { name: "P".into(), entry: edges[0].0, states: BTreeMap::new() };
        for (source, target, text) in edges {
            let label = match *text {
                ">" => Label::Jump,
                name => Label::Condition(Term::name(name)),
            };
            let edge = Edge {
                target: *target,
                label,
                atomic: false,
                rank: 0,
                line: 1,
                last_line: 1,
                text: (*text).into(),
            };
            graph.states.entry(*source).or_default().edges.push(edge);
        }
        graph.states.insert(9, State { is_exit: true, ..State::default() });
        graph
    }

    #[test]
    fn jumps_are_passed_over() {
        let ours = graph(&[(1, 2, "a"), (2, 9, "b")]);
        let walk = compare(&ours, &graph(&[(5, 6, "a"), (6, 7, ">"), (7, 8, "b"), (8, 9, ">")]));
        assert_eq!((walk.difference, walk.states, walk.jumps), (None, 3, 2));
    }

    #[test]
    fn another_order_of_options_is_counted() {
        let ours = graph(&[(1, 2, "a"), (1, 9, "b"), (2, 9, "c")]);
        let walk = compare(&ours, &graph(&[(1, 9, "b"), (1, 2, "a"), (2, 9, "c")]));
        assert_eq!((walk.difference, walk.reordered), (None, 1));
    }

    #[test]
    fn what_is_not_the_same_is_said() {
        let ours = graph(&[(1, 2, "a"), (2, 9, "b")]);
        for other in [
            graph(&[(1, 2, "a"), (2, 9, "c")]),
            graph(&[(1, 2, "a"), (2, 1, "b")]),
            graph(&[(1, 2, "a"), (2, 9, "b"), (2, 9, "b")]),
            graph(&[(1, 1, ">")]),
        ] {
            let difference = compare(&ours, &other).difference.expect("they differ");
            assert_eq!(difference.aspect, Aspect::Structure);
        }
        let two = graph(&[(1, 2, "a"), (1, 3, "d"), (2, 9, "b"), (3, 9, "b")]);
        let one = graph(&[(1, 2, "a"), (1, 2, "d"), (2, 9, "b")]);
        assert!(compare(&two, &one).difference.is_some() && compare(&one, &two).difference.is_some());
    }

    #[test]
    fn marks_and_atomicity_count() {
        let ours = graph(&[(1, 2, "a"), (2, 9, "b")]);
        let mut other = ours.clone();
        other.states.get_mut(&2).expect("it is there").marks.end = true;
        assert_eq!(compare(&ours, &other).difference.map(|found| found.aspect), Some(Aspect::Marks));
        other.states.get_mut(&1).expect("it is there").edges[0].atomic = true;
        assert_eq!(compare(&ours, &other).difference.map(|found| found.aspect), Some(Aspect::Atomicity));
    }
}
