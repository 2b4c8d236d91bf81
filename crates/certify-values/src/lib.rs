//! The part of the kernel that is about variables: a check of the data places of a system.
//!
//! A [data place](cfsm_core::system::DataPlace) stands for a quantity of variables of which the
//! system says that it is never below 0, and changes by no more than the transitions say.
//! [`Values`] list what the transitions of a class do with its variables, and for each data place a
//! sum of these for each state. [`check`] multiplies, adds and compares: nothing is searched.
//!
//! # The theorem
//!
//! Let C be a class whose instances have the variables V, and let each step of an instance that
//! fires a transition t do what one of the listed ways of t says: its conditions hold for the
//! values before it and some unknown values within their ranges, and the variables have the values
//! that it lists behind it. Let variables only hold values of their ranges, let nothing else change
//! them, and let
//!
//! 1. at each state s some sums over V be given, the *invariants*, such that those of the initial
//!    state hold for all values with which instances begin, and each way of each transition from s
//!    to s' leads from values that satisfy the invariants of s to values that satisfy those of s';
//! 2. for a data place p, at each state s a sum e(s) over V be given that is not negative where the
//!    invariants of s hold; and, with m for the greatest value of e at the initial state for values
//!    with which instances begin,
//! 3. the initial value of p be at least m times the number of instances of C at the start, and
//!    each transition of the system change p by at least m times the number of instances of C that
//!    it creates, and, if it is one of C from s to s', by as much as each of its ways changes e
//!    besides.
//!
//! **Then in each run p, changed as the system says, is never below the sum of e over all instances
//! of C, and so never below 0.** So no transition waits for p, and a run of the system without p is
//! one of the system with it.
//!
//! *Why.* By 1 and induction over the run, the invariants hold at the state of each instance. By 2
//! the sum of e over all instances is a sum of numbers that are not negative. By 3 it is at most p
//! at the start, and each step changes p by no less than it. A step of several transitions, as in a
//! rendezvous, changes both by the sum of what these change. An instance that ends takes an amount
//! with it that is not negative. ∎
//!
//! # Shared variables
//!
//! Variables may be shared by all classes instead. Some states are *exclusive*: while an instance
//! is there, no other one takes a step (it is inside of something atomic). None of these is the
//! initial state of a class or an end of a transition with an event of a rendezvous, which
//! [`check`] sees. The invariants and e depend on the exclusive state at which there is an
//! instance, or on that there is none, and m is counted once; transitions that are not listed leave
//! all variables as they are, and have no exclusive end. The theorem holds, with e instead of its
//! sum over instances.
//!
//! *Why.* At each moment there is one instance at most at exclusive states: another one would have
//! come there by a step while the first was there, or by the same step, which would be a
//! rendezvous. So a step of the instance at an exclusive state begins there, and any other one
//! where there is none; and behind it the same holds of its target. The parts of a rendezvous have
//! no exclusive ends, and change the variables one after the other. ∎
//!
//! # Reasons
//!
//! A [`Reason`](certificate::Reason) for a sum f is a factor d ≥ 0, and factors λ ≥ 0 of sums h
//! that are known not to be negative, with d·f = Σ λ·h + c for a number c > −d. All values are
//! integers: if d > 0 then d·f > −d, so that f ≥ 0; and d = 0 says 0 > 0, so that there are no such
//! values.
#![forbid(unsafe_code)]
#![deny(missing_docs)]

mod sum;

use std::collections::{BTreeMap, BTreeSet};

use certificate::{Amount, Changed, Invariant, Quantity, Range, Step, Values, Variable, Way};
use cfsm_core::ids::Id;
use cfsm_core::system::{ClassId, DataId, StateId, System, Transition, TransitionId};
use num_bigint::BigInt;
use num_traits::Signed;
use thiserror::Error;

use crate::sum::{Names, Row};

/// The first condition that is broken.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("values of {subject}: {sentence}")]
pub struct Flaw {
    /// The class whose variables it is about, in quotes, or shared variables.
    pub subject: String,
    /// The condition, and what breaks it, in words.
    pub sentence: String,
}

/// A broken condition, in words.
struct Broken(String);

/// Returns from the function with a broken condition, in the words of a format string, unless a
/// condition holds.
macro_rules! ensure {
    ($condition:expr, $($sentence:tt)*) => {
        if !$condition {
            return Err($crate::Broken(format!($($sentence)*)));
        }
    };
}
pub(crate) use ensure;

/// Accepts values whose data places are proved by the [theorem](crate#the-theorem).
///
/// Time linear in the values, times the places; `O(n log n)` to look up names.
///
/// # Errors
/// The first condition that is broken.
pub fn check(system: &System, values: &Values) -> Result<(), Flaw> {
    let subject = || values.class.as_ref().map_or("shared variables".into(), |name| format!("`{name}`"));
    accepted(system, values).map_err(|Broken(sentence)| Flaw { subject: subject(), sentence })
}

fn accepted(system: &System, values: &Values) -> Result<(), Broken> {
    let variables = variables(values)?;
    let mut names = Names::new(&variables)?;
    let scope = Scope::new(system, values)?;
    let mut checker = Checker {
        system,
        states: scope.points(system),
        scope,
        ranges: ranges(variables.iter()),
        variables,
        invariants: BTreeMap::new(),
        places: Vec::new(),
    };
    for Invariant { state, sums } in &values.invariants {
        let rows = sums.iter().map(|sum| names.row(sum)).collect::<Result<_, Broken>>()?;
        let before = checker.invariants.insert(checker.point(state.as_ref())?, rows);
        ensure!(before.is_none(), "the invariants {} are listed twice", at(state.as_ref()));
    }
    for quantity in &values.places {
        let place = checker.place(quantity, &names)?;
        checker.places.push(place);
    }
    checker.start()?;
    checker.steps(&values.steps, &mut names)
}

/// The place of a point, in words.
fn at(state: Option<&String>) -> String {
    state.map_or("at no exclusive state".into(), |name| format!("at `{name}`"))
}

fn variables(values: &Values) -> Result<Vec<&Variable>, Broken> {
    for Variable { name, range, at_start } in &values.variables {
        let first = at_start.as_ref().unwrap_or(range);
        let is_within =
            range.least <= first.least && first.least <= first.greatest && first.greatest <= range.greatest;
        ensure!(is_within, "the variable `{name}` begins outside of its range");
    }
    Ok(values.variables.iter().collect())
}

/// The owner of the variables.
enum Scope {
    /// Each instance of the class has them.
    Class(ClassId),
    /// All share them; while an instance is at one of these states, no other one steps.
    Shared(BTreeSet<StateId>),
}

/// The state of an instance, where the values are its own; the exclusive state at which there is
/// one, if there is one, where they are shared.
type Point = Option<StateId>;

impl Scope {
    fn new(system: &System, values: &Values) -> Result<Self, Broken> {
        if let Some(name) = &values.class {
            let found = system.classes.iter().find(|(_, class)| class.name == *name);
            let found = found.map(|(id, _)| Self::Class(id));
            return found.ok_or_else(|| Broken(format!("the system has no class `{name}`")));
        }
        let all: BTreeMap<String, StateId> =
            system.states.ids().map(|id| (system.state_name(id), id)).collect();
        let mut exclusive = BTreeSet::new();
        for name in &values.exclusive {
            let Some(state) = all.get(name) else {
                return Err(Broken(format!("the system has no state `{name}`")));
            };
            exclusive.insert(*state);
        }
        for (name, class) in system.classes.values().map(|class| (&class.name, class)) {
            let begins = exclusive.contains(&class.initial);
            ensure!(!begins, "`{name}` begins at an exclusive state, while others may step");
        }
        for (id, transition) in system.transitions.iter() {
            let meets = transition.events.iter().any(|event| system.is_rendezvous(event.message));
            let apart = [transition.source, transition.target].iter().all(|end| !exclusive.contains(end));
            ensure!(apart || !meets, "transition {} of a rendezvous has an exclusive end", id.index());
        }
        Ok(Self::Shared(exclusive))
    }

    /// The states with points of their own, by name.
    fn points(&self, system: &System) -> BTreeMap<String, StateId> {
        let states = system.states.ids().filter(|id| match self {
            Self::Class(own) => system.states[*id].class == *own,
            Self::Shared(exclusive) => exclusive.contains(id),
        });
        states.map(|id| (system.state_name(id), id)).collect()
    }

    fn point(&self, state: StateId) -> Point {
        match self {
            Self::Class(_) => Some(state),
            Self::Shared(exclusive) => exclusive.contains(&state).then_some(state),
        }
    }
}

/// The distances of values from the ends of their ranges.
fn ranges<'v>(variables: impl Iterator<Item = &'v &'v Variable>) -> Vec<Row> {
    let ends = |(at, Variable { range: Range { least, greatest }, .. }): (usize, &&Variable)| {
        let up = Row { terms: BTreeMap::from([(at, 1.into())]), constant: -least };
        let down = Row { terms: BTreeMap::from([(at, (-1).into())]), constant: greatest.clone() };
        [up, down]
    };
    variables.enumerate().flat_map(ends).collect()
}

/// A data place that is to be proved.
struct Place {
    id: DataId,
    name: String,
    denominator: BigInt,
    /// The amounts at points, times the denominator. At others it is 0.
    amounts: BTreeMap<Point, Row>,
    /// The greatest amount of a new instance, or of shared variables at the start, times the
    /// denominator.
    brought: BigInt,
}

struct Checker<'a> {
    system: &'a System,
    scope: Scope,
    /// The states with points of their own.
    states: BTreeMap<String, StateId>,
    variables: Vec<&'a Variable>,
    ranges: Vec<Row>,
    invariants: BTreeMap<Point, Vec<Row>>,
    places: Vec<Place>,
}

impl Checker<'_> {
    fn point(&self, name: Option<&String>) -> Result<Point, Broken> {
        let Some(name) = name else {
            let is_shared = matches!(self.scope, Scope::Shared(_));
            return if is_shared { Ok(None) } else { Err(Broken("a state has no name".into())) };
        };
        let found = self.states.get(name).copied().map(Some);
        found.ok_or_else(|| Broken(format!("`{name}` is no state of the class, or no exclusive one")))
    }

    fn invariants_at(&self, point: Point) -> &[Row] {
        self.invariants.get(&point).map_or(&[], Vec::as_slice)
    }

    /// The point at which variables have their first values, and how many times they are there.
    fn first(&self) -> (Point, u32) {
        match self.scope {
            Scope::Class(own) => {
                let class = &self.system.classes[own];
                (Some(class.initial), class.instances)
            }
            Scope::Shared(_) => (None, 1),
        }
    }

    /// The least value of a sum over the values with which instances begin.
    fn least_at_start(&self, row: &Row) -> BigInt {
        let least = |(at, factor): (&usize, &BigInt)| {
            let Variable { range, at_start, .. } = self.variables[*at];
            let Range { least, greatest } = at_start.as_ref().unwrap_or(range);
            factor * if factor.is_negative() { greatest } else { least }
        };
        row.terms.iter().map(least).sum::<BigInt>() + &row.constant
    }

    /// Condition 2, for one data place.
    fn place(&self, quantity: &Quantity, names: &Names<'_>) -> Result<Place, Broken> {
        let Quantity { place: name, denominator, amounts: listed } = quantity;
        let found = self.system.data.iter().find(|(_, place)| place.name == *name);
        let Some((id, _)) = found else {
            return Err(Broken(format!("the system has no data place `{name}`")));
        };
        ensure!(denominator.is_positive(), "the denominator of `{name}` is {denominator}, less than 1");
        let mut amounts = BTreeMap::new();
        for Amount { state, sum, reason } in listed {
            let (point, row) = (self.point(state.as_ref())?, names.row(sum)?);
            let known = self.ranges.iter().chain(self.invariants_at(point)).collect::<Vec<_>>();
            let (follows, at) = (row.follows(reason, &known), at(state.as_ref()));
            ensure!(follows, "`{name}` {at}: no reason why the amount is not negative");
            ensure!(amounts.insert(point, row).is_none(), "`{name}` has two amounts {at}");
        }
        let first = amounts.get(&self.first().0);
        let brought = first.map_or(BigInt::ZERO, |first| -self.least_at_start(&first.times(&(-1).into())));
        Ok(Place { id, name: name.clone(), denominator: denominator.clone(), amounts, brought })
    }

    /// Conditions 1 and 3 at the start.
    fn start(&self) -> Result<(), Broken> {
        let (point, instances) = self.first();
        for row in self.invariants_at(point) {
            let holds = !self.least_at_start(row).is_negative();
            ensure!(holds, "an invariant of the start does not hold for all first values");
        }
        for Place { id, name, denominator, brought, .. } in &self.places {
            let initial = self.system.data[*id].initial;
            let enough = denominator * initial >= brought * instances;
            ensure!(enough, "`{name}` has {initial} at the start, less than the instances bring");
        }
        Ok(())
    }

    /// The change of a data place by a transition, less what the instances of the class bring that
    /// it creates; times the denominator.
    fn allowed(&self, place: &Place, transition: &Transition) -> BigInt {
        let change = transition.data.iter().find(|change| change.place == place.id);
        let is_own = |class: &&ClassId| matches!(self.scope, Scope::Class(own) if own == **class);
        let created = transition.creates.iter().filter(is_own).count();
        &place.denominator * change.map_or(0, |change| change.change) - &place.brought * created
    }

    /// Conditions 1 and 3, for all transitions.
    fn steps<'v>(&self, steps: &'v [Step], names: &mut Names<'v>) -> Result<(), Broken> {
        let mut listed: BTreeMap<usize, &[Way]> = BTreeMap::new();
        for Step { transition, ways } in steps {
            ensure!(listed.insert(*transition, ways).is_none(), "transition {transition} is listed twice");
        }
        for (id, transition) in self.system.transitions.iter() {
            let class = self.system.states[transition.source].class;
            let may_change = match self.scope {
                Scope::Class(own) => own == class,
                Scope::Shared(_) => true,
            };
            match listed.remove(&id.index()).filter(|_| may_change) {
                Some(ways) => ways.iter().try_for_each(|way| self.way(id, way, names))?,
                None => self.unlisted(id, may_change)?,
            }
        }
        match listed.into_keys().next() {
            Some(transition) => Err(Broken(format!("there is no transition {transition}"))),
            None => Ok(()),
        }
    }

    /// Conditions 1 and 3, for a transition that is not listed, which changes no variable.
    fn unlisted(&self, id: TransitionId, may_change: bool) -> Result<(), Broken> {
        let transition = &self.system.transitions[id];
        let [from, to] = [transition.source, transition.target].map(|state| self.scope.point(state));
        ensure!(!may_change || (from, to) == (None, None), "transition {} is not listed", id.index());
        for place in &self.places {
            let enough = !self.allowed(place, transition).is_negative();
            ensure!(enough, "transition {} changes `{}` by too little", id.index(), place.name);
        }
        Ok(())
    }

    fn way<'v>(&self, id: TransitionId, way: &'v Way, names: &mut Names<'v>) -> Result<(), Broken> {
        let Way { unknown, conditions, changed, reasons } = way;
        let transition = &self.system.transitions[id];
        let [source, target] = [transition.source, transition.target].map(|state| self.scope.point(state));
        names.with_unknown(self.variables.len(), unknown)?;
        let all: Vec<&Variable> = self.variables.iter().copied().chain(unknown).collect();
        let ranges = ranges(all.iter());
        let conditions: Vec<Row> = conditions.iter().map(|sum| names.row(sum)).collect::<Result<_, _>>()?;
        let mut update: Vec<Row> = (0..self.variables.len()).map(Row::of).collect();
        for (number, Changed { variable, behind }) in changed.iter().enumerate() {
            let at = names.position(variable)?;
            ensure!(at < update.len(), "`{variable}` is changed, which is no variable");
            let again = changed[..number].iter().any(|before| before.variable == *variable);
            ensure!(!again, "`{variable}` is changed twice by one way of transition {}", id.index());
            update[at] = names.row(behind)?;
        }
        let known: Vec<&Row> = ranges.iter().chain(&conditions).chain(self.invariants_at(source)).collect();
        let mut goals: Vec<Row> =
            self.invariants_at(target).iter().map(|row| row.substitute(&update)).collect();
        for place in &self.places {
            let amount = |point| place.amounts.get(&point).cloned().unwrap_or_default();
            let change = amount(target).substitute(&update).plus(&amount(source), &(-1).into());
            let most = Row { terms: BTreeMap::new(), constant: self.allowed(place, transition) };
            goals.push(most.plus(&change, &(-1).into()));
        }
        let count = goals.len();
        ensure!(
            reasons.len() == count,
            "transition {} has {} reasons, not {count}",
            id.index(),
            reasons.len()
        );
        for (number, (goal, reason)) in goals.iter().zip(reasons).enumerate() {
            let place = number.checked_sub(count - self.places.len()).map(|at| &self.places[at].name);
            let what = place.map_or_else(
                || format!("invariant {number} of the target holds"),
                |name| format!("`{name}` changes by no more than the system has it"),
            );
            ensure!(goal.follows(reason, &known), "transition {}: no reason why {what}", id.index());
        }
        Ok(())
    }
}
