//! Data places as linear functions of variables, with all that a checker needs to see that they are
//! never negative.
//!
//! The blocks are the transitions of a class: each is one statement, and each state a cut point.
//! Invariants are those of loops; what of them is needed is found backwards, from the data places.
//! The amount of a distance of a variable from an end is known; that of another data place, as the
//! rounds of a loop, is found by one linear programme.
mod machine;
mod named;

use std::collections::{BTreeMap, BTreeSet};

use certificate::{Invariant, Step, Sum, Values, Way};
use cfsm_core::ids::{Id, IdMap};
use cfsm_core::program::{LocationId, VariableRef};
use cfsm_core::system::{DataId, State, StateId, TransitionId};
use num_bigint::BigInt;
use num_integer::Integer;
use num_traits::One;

use crate::affine::{Affine, Interval, Symbol};
use crate::blocks::{Block, BlockId, Blocks, Point, PointId};
use crate::farkas::{Form, Search, Unknown};
use crate::invariants::Invariants;
use crate::polyhedron::Region;
use crate::reasons::{Multipliers, contradiction, reason};
use crate::variables::{Ownership, Tracked};

pub use self::machine::{Machine, Valuation};
use self::machine::{Points, Steps};
use self::named::Named;

/// A data place that is to be proved.
#[derive(Clone, Debug)]
pub struct Wanted {
    /// The data place.
    pub place: DataId,
    /// The variable whose distance from an end it is; `None` if that is not known.
    pub distance: Option<Distance>,
}

/// The distance of a variable from an end.
#[derive(Clone, Debug)]
pub struct Distance {
    /// The variable.
    pub variable: VariableRef,
    /// `true` for the distance to a greatest value, `false` for that from a least one.
    pub falling: bool,
    /// The end, for each state with another one than at most states.
    pub ends: BTreeMap<StateId, i64>,
    /// The end at all other states.
    pub end: i64,
}

/// Proofs of as many of the wanted data places as can be found; `None` if that is none of them.
///
/// One linear programme for each bound on a variable at each state in each round of the fixpoint,
/// and one for each reason: polynomial in the transitions, whose number is limited.
#[must_use]
pub fn prove(machine: &Machine<'_>, wanted: &[Wanted]) -> Option<Values> {
    let ground = Ground::of(machine, wanted)?;
    let mut proved = Vec::new();
    for one in wanted {
        if machine.deadline.is_over() {
            return None;
        }
        proved.extend(ground.place(one));
    }
    if proved.is_empty() { None } else { ground.values(proved) }
}

/// The transitions of a class as blocks, and what holds at its states.
struct Ground<'a> {
    machine: &'a Machine<'a>,
    blocks: Blocks,
    /// The transition of each block.
    transitions: IdMap<BlockId, TransitionId>,
    /// The transitions of these, and others that are in the scope.
    listed: BTreeSet<TransitionId>,
    /// The state of each cut point; `None` where no process is at an exclusive state.
    states: IdMap<PointId, Option<StateId>>,
    /// The known sums at each cut point.
    invariants: IdMap<PointId, Vec<Affine>>,
    bounds: Invariants,
}

/// A data place with its amounts, and why it is one.
struct Proved {
    place: DataId,
    denominator: i128,
    amounts: BTreeMap<PointId, Shown>,
    /// The reason why each block changes it by no more than is allowed.
    changes: IdMap<BlockId, Multipliers>,
}

/// An amount, and why it is not negative.
struct Shown {
    amount: Affine,
    reason: Multipliers,
}

/// The amounts of a data place at cut points, times a denominator.
struct Amounts {
    denominator: i128,
    at: BTreeMap<PointId, Affine>,
}

/// An invariant: the cut point, and its position among the known sums there.
type Needed = (PointId, usize);

impl<'a> Ground<'a> {
    fn of(machine: &'a Machine<'a>, wanted: &[Wanted]) -> Option<Self> {
        let ownership = Ownership::of(machine.program);
        let seeds = wanted.iter().flat_map(|one| &one.distance).map(|distance| distance.variable);
        let seeds: BTreeSet<VariableRef> = seeds.collect();
        let every = wanted.iter().any(|one| one.distance.is_none());
        let variables = machine.variables(&ownership, &seeds, every);
        let exclusive = machine.exclusive();
        let own = |(id, state): &(StateId, &State)| match machine.class {
            Some(class) => state.class == class,
            None => exclusive.contains(id),
        };
        let of_states = machine.system.states.iter().filter(own).map(|(id, _)| Some(id));
        let elsewhere = if machine.class.is_none() { Some(None) } else { None };
        let states: IdMap<PointId, Option<StateId>> = elsewhere.into_iter().chain(of_states).collect();
        let points = Points::new(&states);
        let start = machine.class.map(|class| machine.system.classes[class].initial);
        // Nothing asks where a point is.
        let point = || Point { location: LocationId::new(0), conditions: Vec::new() };
        let mut blocks = Blocks {
            variables,
            points: states.values().map(|_| point()).collect(),
            starts: BTreeSet::from([start.map_or(PointId::new(0), |start| points.of(start))]),
            blocks: IdMap::new(),
        };
        let Steps { transitions, listed } = machine.steps(&ownership, &points, &mut blocks)?;
        let bounds = Invariants::of(&blocks, machine.deadline)?;
        let impossible = || vec![Affine::constant(-1)];
        let known = |point| if bounds.reaches(point) { bounds.rows(point) } else { impossible() };
        let invariants = states.ids().map(known).collect();
        Some(Self { machine, blocks, transitions, listed, states, invariants, bounds })
    }

    /// A data place with all reasons, if there are some.
    fn place(&self, wanted: &Wanted) -> Option<Proved> {
        let Amounts { denominator, at } = match &wanted.distance {
            Some(distance) => self.distance(distance)?,
            None => self.found(wanted.place)?,
        };
        let mut amounts = BTreeMap::new();
        for (point, amount) in at {
            let reason = reason(&amount, &self.known_at(point))?;
            amounts.insert(point, Shown { amount, reason });
        }
        let brought = self.brought(amounts.get(self.start()).map(|shown| &shown.amount));
        if !self.is_brought(wanted.place, denominator, brought)? {
            return None;
        }
        let mut changes = IdMap::new();
        for (id, block) in self.blocks.blocks.iter() {
            if self.machine.deadline.is_over() {
                return None;
            }
            let allowed = self.machine.allowed(self.transitions[id], wanted.place, denominator, brought)?;
            let amount = |point| amounts.get(&point).map(|shown| shown.amount.clone()).unwrap_or_default();
            let behind = amount(block.target).substitute(&|symbol| block.update[symbol.index()].clone())?;
            let left = Affine::constant(allowed).plus(&amount(block.source), 1)?.plus(&behind, -1)?;
            changes.push(self.reason(block, &left)?);
        }
        Some(Proved { place: wanted.place, denominator, amounts, changes })
    }

    /// Returns `true` if a data place has what instances bring at the start, and transitions out of
    /// the scope do not take of it.
    fn is_brought(&self, place: DataId, denominator: i128, brought: i128) -> Option<bool> {
        let Machine { system, class, .. } = *self.machine;
        let instances = class.map_or(1, |class| system.classes[class].instances);
        let initial = denominator.checked_mul(system.data[place].initial.into())?;
        let mut enough = initial >= brought.checked_mul(instances.into())?;
        for id in system.transitions.ids().filter(|id| !self.listed.contains(id)) {
            enough &= self.machine.allowed(id, place, denominator, brought)? >= 0;
        }
        Some(enough)
    }

    fn start(&self) -> &PointId {
        self.blocks.starts.first().expect("there is one start")
    }

    /// The greatest value of an amount where an instance begins.
    fn brought(&self, amount: Option<&Affine>) -> i128 {
        let first = |symbol: Symbol| self.blocks.variables[symbol.index()].initial;
        amount.map_or(0, |amount| amount.interval(&first).high)
    }

    /// The amounts of the distance of a variable from an end.
    fn distance(&self, distance: &Distance) -> Option<Amounts> {
        let tracked = |one: &Tracked| one.reference == distance.variable;
        let symbol = Symbol::new(self.blocks.variables.iter().position(tracked)?);
        let sign = if distance.falling { -1 } else { 1 };
        let amount = |(point, state): (PointId, &Option<StateId>)| {
            let end = state.and_then(|state| distance.ends.get(&state).copied()).unwrap_or(distance.end);
            let end = Affine::constant(i128::from(end) * -sign);
            Some((point, end.plus(&Affine::symbol(symbol), sign)?))
        };
        Some(Amounts { denominator: 1, at: self.states.iter().map(amount).collect::<Option<_>>()? })
    }

    /// Amounts that a data place is never below, with the changes and the initial value that it
    /// has.
    fn found(&self, place: DataId) -> Option<Amounts> {
        let mut search = Search::default();
        let count = self.blocks.variables.len();
        let functions: IdMap<PointId, Unknown> = self.states.ids().map(|_| search.function(count)).collect();
        let at_source: Vec<Affine> = (0..count).map(|at| Affine::symbol(Symbol::new(at))).collect();
        let first: IdMap<Symbol, Interval> =
            self.blocks.variables.iter().map(|variable| variable.initial).collect();
        let start = functions[*self.start()].of(&at_source);
        let most = Form::number(self.machine.most_brought(place)?).plus(&start, -1);
        search.non_negative(most, &Region { symbols: first, rows: Vec::new() });
        let ranges: IdMap<Symbol, Interval> =
            self.blocks.variables.iter().map(|variable| variable.range).collect();
        for (point, known) in self.invariants.iter().filter(|(point, _)| self.bounds.reaches(*point)) {
            let region = Region::new(&ranges, known.iter().cloned())?;
            search.non_negative(functions[point].of(&at_source), &region);
        }
        for (id, block) in self.blocks.blocks.iter() {
            let Some(region) = self.bounds.region(block) else { continue };
            let allowed = self.machine.allowed(self.transitions[id], place, 1, 0)?;
            let change =
                functions[block.target].of(&block.update).plus(&functions[block.source].of(&at_source), -1);
            search.non_negative(Form::number(allowed).plus(&change, -1), &region);
        }
        let point = search.candidate(&[])?;
        let columns = functions.values().flat_map(Unknown::columns);
        let factor = columns.fold(BigInt::one(), |all, column| all.lcm(point[column].denom()));
        let solved = |(at, function): (PointId, &Unknown)| Some((at, function.solved(&point, &factor)?));
        let at = functions.iter().map(solved).collect::<Option<_>>()?;
        Some(Amounts { denominator: i128::try_from(factor).ok()?, at })
    }

    /// The sums that are known at a cut point, those of ranges first.
    fn known_at(&self, point: PointId) -> Vec<Affine> {
        let ranges = self.blocks.variables.iter().map(|variable| variable.range);
        ends(ranges).chain(self.invariants[point].iter().cloned()).collect()
    }

    /// The sums that are known of a block, in the order of the certificate.
    fn known_of(&self, block: &Block) -> Vec<Affine> {
        let ranges = ends(block.symbols.values().copied());
        ranges
            .chain(block.rows.iter().cloned())
            .chain(self.invariants[block.source].iter().cloned())
            .collect()
    }

    fn reason(&self, block: &Block, goal: &Affine) -> Option<Multipliers> {
        let known = self.known_of(block);
        match self.bounds.polyhedron(block) {
            Some(_) => reason(goal, &known),
            None => contradiction(&known).or_else(|| reason(goal, &known)),
        }
    }

    /// The positions of invariants among the known sums of a block.
    fn first_invariant(block: &Block) -> usize {
        2 * block.symbols.len() + block.rows.len()
    }

    fn needed(
        &self,
        Multipliers { parts, .. }: &Multipliers,
        point: PointId,
        first: usize,
    ) -> BTreeSet<Needed> {
        let invariants = parts.keys().filter_map(|at| at.checked_sub(first));
        invariants.map(|at| (point, at)).collect()
    }

    /// All that a checker needs.
    fn values(&self, proved: Vec<Proved>) -> Option<Values> {
        let kept = self.kept(&proved)?;
        let named = Named::new(self, &kept);
        let Machine { system, class, .. } = *self.machine;
        let invariants = self.states.iter().filter_map(|(point, state)| {
            let sums: Vec<Sum> = kept.at(point).map(|at| named.sum(&self.invariants[point][at])).collect();
            (!sums.is_empty()).then(|| Invariant { state: state.map(|state| system.state_name(state)), sums })
        });
        let mut steps: BTreeMap<TransitionId, Vec<Way>> = BTreeMap::new();
        self.listed.iter().for_each(|id| _ = steps.entry(*id).or_default());
        for (id, block) in self.blocks.blocks.iter() {
            let of_invariants = kept.at(block.target).map(|at| &kept.reasons[&(id, at)]);
            let of_places = proved.iter().map(|place| &place.changes[id]);
            let reasons = of_invariants.chain(of_places).map(|one| named.reason(one, block)).collect();
            steps.entry(self.transitions[id]).or_default().push(named.way(block, reasons));
        }
        let places = proved.iter().map(|one| named.quantity(one)).collect();
        let step = |(id, ways): (TransitionId, Vec<Way>)| Step { transition: id.index(), ways };
        let exclusive = self.states.values().filter(|_| class.is_none()).flatten();
        Some(Values {
            class: class.map(|class| system.classes[class].name.clone()),
            exclusive: exclusive.map(|state| system.state_name(*state)).collect(),
            variables: named.variables(),
            invariants: invariants.collect(),
            steps: steps.into_iter().map(step).collect(),
            places,
        })
    }

    /// The invariants that proofs rest on, directly or by others.
    fn kept(&self, proved: &[Proved]) -> Option<Kept> {
        let mut kept = Kept::default();
        let mut open: BTreeSet<Needed> = BTreeSet::new();
        let of_ranges = 2 * self.blocks.variables.len();
        for place in proved {
            for (point, shown) in &place.amounts {
                open.extend(self.needed(&shown.reason, *point, of_ranges));
            }
            for (id, block) in self.blocks.blocks.iter() {
                open.extend(self.needed(&place.changes[id], block.source, Self::first_invariant(block)));
            }
        }
        while let Some(needed) = open.pop_first() {
            let (point, at) = needed;
            if self.machine.deadline.is_over() {
                return None;
            }
            kept.invariants.insert(needed);
            for (id, block) in self.blocks.blocks.iter().filter(|(_, block)| block.target == point) {
                let sum = &self.invariants[point][at];
                let behind = sum.substitute(&|symbol| block.update[symbol.index()].clone())?;
                let reason = self.reason(block, &behind)?;
                let further = self.needed(&reason, block.source, Self::first_invariant(block));
                open.extend(further.into_iter().filter(|needed| !kept.invariants.contains(needed)));
                kept.reasons.insert((id, at), reason);
            }
        }
        Some(kept)
    }
}

/// The invariants that are needed, and why each block keeps them.
#[derive(Default)]
struct Kept {
    invariants: BTreeSet<Needed>,
    /// By the block and the position of the invariant at its target.
    reasons: BTreeMap<(BlockId, usize), Multipliers>,
}

impl Kept {
    fn at(&self, point: PointId) -> impl Iterator<Item = usize> {
        self.invariants.range((point, 0)..=(point, usize::MAX)).map(|(_, at)| *at)
    }
}

/// The distances of symbols from the ends of their intervals.
fn ends(intervals: impl Iterator<Item = Interval>) -> impl Iterator<Item = Affine> {
    let of = |(at, Interval { low, high }): (usize, Interval)| {
        let symbol = Affine::symbol(Symbol::new(at));
        let end = |end: i128, factor| Affine::constant(end).plus(&symbol, factor).unwrap_or_default();
        [end(-low, 1), end(high, -1)]
    };
    intervals.enumerate().flat_map(of)
}
