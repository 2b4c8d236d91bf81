//! Region graphs, the termination proofs of the thesis (chapter 9), for comparison only: no verdict
//! of freeboard depends on them.
//!
//! A loop of class G*P* has a conjunction of guards `a·x ≥ b` and several paths, each with
//! conditions and an affine update. For a chosen guard each path is split into the *regions* in
//! which one round lowers the guard, leaves it as it is, or raises it: positive, standstill and
//! negative ones. The loop ends from every start if each region is left after finitely many rounds,
//! and none is entered infinitely often. Variables are unbounded integers; there is no wrap-around.
//!
//! The implementation departs from the letter of the chapter where that is wrong:
//! - where a cycle returns to a region, it returns to that region's own rows ((9.36) and (9.56)
//!   have those of the opposite kind), and what is compared is the value at the return (not one
//!   round later, as in (9.37));
//! - rounds within a positive region do not raise the guard: (9.53) contradicts (9.52);
//! - "falls" means: falls by 1 at least. Strict inequalities of integers become that, and what
//!   holds of rationals that come closer and closer to a limit is not concluded;
//! - the cycles of an orbit have to progress in the same quantity, not in the same direction only.
//!
//! All questions are linear programmes over rationals, solved exactly, with each row tightened to
//! what integers can satisfy (divided by the divisor that its coefficients share, and rounded).
//! That is less than the integer programmes of the chapter and errs on the safe side: a region or
//! an edge too many.
//!
//! # Complexity
//! One programme for each path and kind, one for each pair of regions, and as many as there are
//! elementary cycles, which is exponential in the number of paths, for each guard.

use std::fmt;

use cycles::{GraphError, Multigraph, elementary_cycles};
use ilp_encode::linear::{Constraint, Domain, LinearProgramme, Maximum, Relation};
use num_bigint::BigInt;
use num_integer::Integer;

use crate::affine_loops::{Affine, Loop};

/// Number of finite differences of the guard that are looked at (section 9.4.2).
const DIFFERENCES: usize = 4;
/// Number of cycles above which no proof is attempted.
const CYCLES: usize = 1_000;

impl Loop {
    /// Decides whether the loop ends from every start: region graphs for one guard after the other,
    /// until one shows that it does.
    #[must_use]
    pub fn termination(&self) -> Answer {
        let mut obstacles = Vec::new();
        for guard in 0..self.guards.len() {
            match RegionGraph::new(self, guard).obstacle() {
                None => return Answer::Ends { guard },
                Some(obstacle) => obstacles.push(obstacle),
            }
        }
        Answer::Unknown(obstacles)
    }
}

/// The answer of the method.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Answer {
    /// The loop ends from every start: the region graph for this guard shows it.
    Ends {
        /// The position of the guard.
        guard: usize,
    },
    /// No proof: the obstacle in the region graph of each guard.
    Unknown(Vec<Obstacle>),
}

/// The reason why a region graph is no proof.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Obstacle {
    /// Control may stay in the region for ever.
    Stays(Name),
    /// There are more cycles than are looked at.
    ManyCycles,
    /// These cycles meet others, and no region is common to all of them (Definition 9.9).
    NoBase(Vec<Vec<Name>>),
    /// These cycles do not progress in one quantity and one direction on one base region.
    NoProgress(Vec<Vec<Name>>),
}

/// The effect of one round on the chosen guard (Definition 9.4).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// The guard falls.
    Positive,
    /// The guard does not change.
    Standstill,
    /// The guard rises.
    Negative,
}

impl Kind {
    /// The conditions on a change of the guard: by `least` at least, in the direction of the kind.
    fn rows(self, change: Affine, least: i64) -> Vec<Affine> {
        match self {
            Self::Positive => vec![change.at_most(-least)],
            Self::Standstill => vec![change.negated(), change],
            Self::Negative => vec![change.shifted(-least)],
        }
    }
}

/// The name of a region: `N2` is the negative region of the second path.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Name {
    /// The effect on the guard.
    pub kind: Kind,
    /// The position of the path.
    pub path: usize,
}

impl fmt::Display for Name {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let letter = match self.kind {
            Kind::Positive => 'P',
            Kind::Standstill => 'S',
            Kind::Negative => 'N',
        };
        write!(f, "{letter}{}", self.path + 1)
    }
}

/// Conditions on points, whose coordinates are functions of common columns.
#[derive(Clone, Debug)]
struct System {
    columns: usize,
    rows: Vec<Affine>,
}

impl System {
    const fn new(columns: usize) -> Self {
        Self { columns, rows: Vec::new() }
    }

    /// The point whose coordinates are the columns from `first` on.
    fn point(&self, first: usize, variables: usize) -> Vec<Affine> {
        (first..first + variables).map(|at| Affine::variable(at, self.columns)).collect()
    }

    fn require(&mut self, rows: &[Affine], point: &[Affine]) {
        self.rows.extend(rows.iter().map(|row| row.at(point)));
    }

    fn programme(&self) -> LinearProgramme {
        // a·x + c ≥ 0 is -a·x ≤ c; with a divisor d of all of a, (-a/d)·x ≤ ⌊c/d⌋.
        let constraint = |row: &Affine| {
            let divisor = row.coefficients.iter().fold(BigInt::ZERO, |gcd, value| gcd.gcd(value));
            let divisor = if divisor == BigInt::ZERO { BigInt::from(1) } else { divisor };
            let terms = row.coefficients.iter().enumerate().filter(|(_, value)| **value != BigInt::ZERO);
            Constraint {
                terms: terms.map(|(column, value)| (column, -(value / &divisor))).collect(),
                relation: Relation::AtMost,
                bound: row.constant.div_floor(&divisor),
            }
        };
        let constraints: Vec<Constraint> = self.rows.iter().map(constraint).collect();
        LinearProgramme::new(&vec![Domain::Free; self.columns], &constraints)
    }

    fn is_feasible(&self) -> bool {
        self.programme().is_feasible()
    }

    fn bounds(&self, objective: &Affine) -> bool {
        let terms: Vec<(usize, BigInt)> = objective.coefficients.iter().cloned().enumerate().collect();
        self.programme().maximise(&terms) != Maximum::Unbounded
    }
}

/// A region: the points of a path at which one round has the same effect on the chosen guard.
#[derive(Clone, Debug)]
struct Region {
    name: Name,
    rows: Vec<Affine>,
    /// The quantities that are bounded below in the region: guards, and conditions of the path.
    quantities: Vec<Affine>,
    /// One round may lead from the region into itself.
    repeats: bool,
}

/// The direction in which a quantity progresses along a cycle.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Direction {
    Down,
    Up,
}

/// The region graph of a loop for a chosen guard (Definition 9.6).
#[derive(Clone, Debug)]
pub struct RegionGraph<'a> {
    subject: &'a Loop,
    guard: &'a Affine,
    regions: Vec<Region>,
    /// Edges between different regions.
    edges: Vec<(usize, usize)>,
}

impl<'a> RegionGraph<'a> {
    /// Constructs the region graph for the guard at a position of the list.
    ///
    /// # Panics
    /// If the loop has no such guard.
    #[must_use]
    pub fn new(subject: &'a Loop, guard: usize) -> Self {
        let guard = &subject.guards[guard];
        let mut graph = Self { subject, guard, regions: Vec::new(), edges: Vec::new() };
        for path in 0..subject.paths.len() {
            let kinds = [Kind::Positive, Kind::Standstill, Kind::Negative];
            let found = kinds.into_iter().filter_map(|kind| graph.region(Name { kind, path }));
            let found: Vec<Region> = found.collect();
            graph.regions.extend(found);
        }
        for from in 0..graph.regions.len() {
            for to in 0..graph.regions.len() {
                if graph.edge(&graph.regions[from], &graph.regions[to]).is_feasible() {
                    if from == to {
                        graph.regions[from].repeats = true;
                    } else {
                        graph.edges.push((from, to));
                    }
                }
            }
        }
        graph
    }

    /// The region with a name, unless it is empty.
    fn region(&self, name: Name) -> Option<Region> {
        let path = &self.subject.paths[name.path];
        let quantities = [&self.subject.guards[..], &path.conditions].concat();
        let mut system = System::new(self.subject.variables());
        let x = system.point(0, self.subject.variables());
        system.require(&quantities, &x);
        system.rows.extend(name.kind.rows(self.change(name, self.guard), 1));
        system.is_feasible().then_some(Region { name, rows: system.rows, quantities, repeats: false })
    }

    /// The change of a quantity in one round from a point of a region.
    fn change(&self, region: Name, quantity: &Affine) -> Affine {
        quantity.at(&self.subject.paths[region.path].updates).minus(quantity)
    }

    /// The points of a region from which one round leads to another one.
    fn edge(&self, from: &Region, to: &Region) -> System {
        let mut system = System::new(self.subject.variables());
        system.rows.clone_from(&from.rows);
        system.require(&to.rows, &self.subject.paths[from.name.path].updates);
        system
    }

    /// The names of the regions that control may stay in for more than one round, and of the
    /// others.
    #[must_use]
    pub fn regions(&self) -> [Vec<Name>; 2] {
        [true, false].map(|repeats| {
            let alike = self.regions.iter().filter(|region| region.repeats == repeats);
            alike.map(|region| region.name).collect()
        })
    }

    /// The edges between different regions.
    #[must_use]
    pub fn edges(&self) -> Vec<[Name; 2]> {
        self.edges.iter().map(|(from, to)| [self.regions[*from].name, self.regions[*to].name]).collect()
    }

    /// The reason why the graph does not show that the loop ends; `None` if it does.
    #[must_use]
    pub fn obstacle(&self) -> Option<Obstacle> {
        if let Some(region) = self.regions.iter().find(|region| !self.is_left(region)) {
            return Some(Obstacle::Stays(region.name));
        }
        let Ok(cycles) = self.cycles() else { return Some(Obstacle::ManyCycles) };
        if cycles.len() > CYCLES {
            return Some(Obstacle::ManyCycles);
        }
        meeting(cycles).iter().find_map(|orbit| self.obstacle_of_orbit(orbit))
    }

    /// Elementary cycles of two regions or more, no more than one above the limit.
    fn cycles(&self) -> Result<Vec<Vec<usize>>, GraphError> {
        let graph = Multigraph::new(self.regions.len(), self.edges.iter().copied())?;
        let cycles = elementary_cycles(&graph).take(CYCLES + 1);
        Ok(cycles.map(|cycle| cycle.vertices(&graph).map(|vertex| vertex.index()).collect()).collect())
    }

    /// Returns `true` if control leaves the region after finitely many rounds (section 9.4.2).
    fn is_left(&self, region: &Region) -> bool {
        if !region.repeats || region.name.kind == Kind::Positive {
            return true;
        }
        let mut inside = System::new(self.subject.variables());
        inside.rows.clone_from(&region.rows);
        let bounded = region.name.kind == Kind::Negative && inside.bounds(self.guard);
        bounded || self.slows_down(region) || region.quantities.iter().any(|drag| self.falls(region, drag))
    }

    /// Returns `true` if a quantity falls with each round that stays in the region.
    fn falls(&self, region: &Region, quantity: &Affine) -> bool {
        let mut system = self.edge(region, region);
        system.rows.push(self.change(region.name, quantity));
        !system.is_feasible()
    }

    /// Returns `true` if a finite difference of the guard falls with each round that stays in the
    /// region, so that all before it fall from some round on, and the guard itself at last.
    fn slows_down(&self, region: &Region) -> bool {
        let first = self.change(region.name, self.guard);
        let differences = std::iter::successors(Some(first), |last| Some(self.change(region.name, last)));
        differences.take(DIFFERENCES).any(|difference| self.falls(region, &difference))
    }

    /// The reason why cycles that meet each other may go on for ever.
    fn obstacle_of_orbit(&self, orbit: &[Vec<usize>]) -> Option<Obstacle> {
        let in_all = |region: &&usize| orbit.iter().all(|cycle| cycle.contains(region));
        let bases: Vec<usize> = orbit.iter().take(1).flatten().filter(in_all).copied().collect();
        let name = |region: &usize| self.regions[*region].name;
        let names = || orbit.iter().map(|cycle| cycle.iter().map(name).collect()).collect();
        if bases.is_empty() {
            return Some(Obstacle::NoBase(names()));
        }
        let progress = |base: &usize| {
            let region = &self.regions[*base];
            let mut inside = System::new(self.subject.variables());
            inside.rows.clone_from(&region.rows);
            region.quantities.iter().any(|quantity| {
                let all = |way| orbit.iter().all(|cycle| self.progresses(&from(cycle, *base), quantity, way));
                all(Direction::Down) || (inside.bounds(quantity) && all(Direction::Up))
            })
        };
        if bases.iter().any(progress) { None } else { Some(Obstacle::NoProgress(names())) }
    }

    /// Returns `true` if a quantity is less (or greater) each time that a cycle returns to its
    /// first region than at the entry before (Definition 9.7, section 9.4.3).
    fn progresses(&self, cycle: &[usize], quantity: &Affine, direction: Direction) -> bool {
        let variables = self.subject.variables();
        let regions: Vec<&Region> = cycle.iter().map(|region| &self.regions[*region]).collect();
        let repeating = regions.iter().filter(|region| region.repeats).count();
        let mut system = System::new(variables * (1 + repeating));
        let start = system.point(0, variables);
        let mut entry = start.clone();
        let mut fresh = variables;
        for region in &regions {
            let path = &self.subject.paths[region.name.path];
            system.require(&region.rows, &entry);
            if region.repeats {
                // Any number of rounds is replaced by their effect on the guard.
                system.require(&self.subject.guards, &path.image(&entry));
                let exit = system.point(fresh, variables);
                fresh += variables;
                system.require(&region.rows, &exit);
                let change = self.guard.at(&exit).minus(&self.guard.at(&entry));
                system.rows.extend(region.name.kind.rows(change, 0));
                entry = exit;
            }
            entry = path.image(&entry);
        }
        system.require(&regions[0].rows, &entry);
        let change = quantity.at(&entry).minus(&quantity.at(&start));
        system.rows.push(if direction == Direction::Down { change } else { change.negated() });
        !system.is_feasible()
    }
}

/// The same cycle, written from one of its regions on.
fn from(cycle: &[usize], first: usize) -> Vec<usize> {
    let at = cycle.iter().position(|region| *region == first).unwrap_or(0);
    [&cycle[at..], &cycle[..at]].concat()
}

/// Splits cycles into sets such that cycles of different sets have no region in common.
fn meeting(cycles: Vec<Vec<usize>>) -> Vec<Vec<Vec<usize>>> {
    let mut sets: Vec<Vec<Vec<usize>>> = Vec::new();
    for cycle in cycles {
        let meets = |set: &Vec<Vec<usize>>| set.iter().flatten().any(|region| cycle.contains(region));
        let (met, apart): (Vec<_>, Vec<_>) = sets.into_iter().partition(meets);
        sets = apart;
        sets.push(met.into_iter().flatten().chain([cycle]).collect());
    }
    sets
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::chapter_nine::{self, Sample};

    fn answer(name: &str) -> Answer {
        let samples = chapter_nine::samples();
        let sample = samples.into_iter().find(|sample| sample.name == name).expect("a sample");
        sample.subject.termination()
    }

    #[test]
    fn the_examples_of_the_chapter_end() {
        for example in ["Example 9.1", "Example 9.2", "Example 9.3", "Example 9.4", "Example 9.5"] {
            assert_eq!(answer(example), Answer::Ends { guard: 0 }, "{example}");
        }
    }

    #[test]
    fn loops_that_go_on_for_ever_are_unknown() {
        for Sample { name, subject, ends } in chapter_nine::samples() {
            assert!(ends || matches!(subject.termination(), Answer::Unknown(_)), "{name}");
        }
    }

    #[test]
    fn the_graph_of_example_9_1_is_that_of_figure_9_1() {
        let samples = chapter_nine::samples();
        let graph = RegionGraph::new(&samples[0].subject, 0);
        let [repeating, others] = graph.regions();
        assert!(repeating.is_empty(), "{repeating:?}");
        assert_eq!(others.iter().map(ToString::to_string).collect::<Vec<_>>(), ["P1", "N1"]);
        assert_eq!(graph.edges().len(), 2);
    }

    #[test]
    fn obstacles_name_the_cycles() {
        let Answer::Unknown(obstacles) = answer("two values in turn") else { panic!("it does not end") };
        let [Obstacle::NoProgress(cycles)] = &obstacles[..] else { panic!("{obstacles:?}") };
        assert_eq!(cycles.iter().map(Vec::len).collect::<Vec<_>>(), [2]);
    }

    #[test]
    fn random_loops_that_are_said_to_end_do() {
        let mut random = cfsm_core::splitmix::SplitMix::new(9);
        let mut proved = 0;
        for _ in 0..60 {
            let space = chapter_nine::Space { variables: 2, low: 0, high: 5 };
            let subject = space.draw(1 + random.below(3), &mut random);
            if let Answer::Ends { .. } = subject.termination() {
                assert!(space.longest(&subject).is_some(), "{subject:?}");
                proved += 1;
            }
        }
        assert!(proved > 10, "{proved}");
    }
}
