//! Computes the targets of a property that can be gained for ever (theory 2).

use std::collections::{BTreeMap, BTreeSet};

use cfsm_core::ids::{Id, IdMap};
use cfsm_core::system::{BufferId, MessageId, System};
use num_bigint::BigInt;
use num_traits::{Signed, Zero};

use crate::cone::{Behaviour, Column, Cone, Potential, Row, RowId, gain_row};
use crate::decide::{Answer, Pool, decide, potential};
use crate::flow::Separation;
use crate::lumping::Merged;
use crate::question::{Demand, Question, generic};
use crate::{Options, Stopped};

/// A combination of cycles (and, where processes are created for ever, of paths) after which no
/// place holds less and some message types hold more: a counterexample in the abstraction (thesis,
/// Definition 5.11).
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Combination {
    /// Behaviours with the number of repetitions of each, at least 1.
    pub parts: Vec<(Behaviour, BigInt)>,
    /// The gains of one repetition of the whole, ascending by row, all positive.
    pub gains: Vec<(Row, BigInt)>,
}

impl Combination {
    /// The message types that the combination gains, with their amounts, in a stable order.
    pub fn messages(&self) -> impl Iterator<Item = (MessageId, &BigInt)> {
        self.gains.iter().filter_map(|(row, gain)| match row {
            Row::Message(message) => Some((*message, gain)),
            Row::Data(_) | Row::Entry(_) | Row::Gain => None,
        })
    }

    /// The buffers that the combination makes grow, ascending.
    #[must_use]
    pub fn grown(&self, system: &System) -> Vec<BufferId> {
        let mut grown: Vec<_> = self.messages().map(|(message, _)| system.messages[message].buffer).collect();
        grown.sort_unstable();
        grown.dedup();
        grown
    }
}

/// The targets of a property that can be gained for ever.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Growth {
    /// Targets that can be gained for ever in the abstraction, ascending. Empty if the property
    /// holds.
    pub growing: Vec<Row>,
    /// Counterexamples; each row that can grow is gained by one of them.
    pub combinations: Vec<Combination>,
    /// Weights of at least 1 on every other target, which prove that these cannot be gained for
    /// ever.
    pub potential: Potential,
}

/// The answer to the question whether some target can be gained for ever.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Gain {
    /// No target can, proved by weights of at least 1 on all of them.
    Never(Potential),
    /// This combination gains a target.
    Possible(Combination),
}

/// Decides whether some target can be gained for ever. Asks one question, or two if the system can
/// be lumped.
///
/// # Errors
/// [`Stopped`] if a limit of the options is hit.
pub fn gain(cone: &Cone<'_>, pool: &mut Pool, options: &Options) -> Result<Gain, Stopped> {
    let question = question(cone);
    if options.merges()
        && let Some(merged) = Merged::repeatable(cone)
        && let Some(potential) = never_in_merged(cone, &question, &merged, options)?
    {
        return Ok(Gain::Never(potential));
    }
    Ok(match decide(cone, &question, pool, options)? {
        Answer::Weights(potential) => Gain::Never(potential),
        Answer::Growth(ray) => Gain::Possible(combination(cone, &ray)),
    })
}

/// A potential that proves that no target can be gained, if that holds in the lumped system.
fn never_in_merged(
    cone: &Cone<'_>,
    question: &Question,
    merged: &Merged,
    options: &Options,
) -> Result<Option<Potential>, Stopped> {
    let small = Cone::new(merged.system(), merged.facts(), options)?;
    let found = decide(&small, &self::question(&small), &mut Pool::default(), options)?;
    let Answer::Weights(found) = found else { return Ok(None) };
    Ok(spread(cone, question, merged, &small, found))
}

/// The potential of the system from one of the lumped system; `None` if it does not hold, which is
/// not expected.
fn spread(
    cone: &Cone<'_>,
    question: &Question,
    merged: &Merged,
    small: &Cone<'_>,
    found: Potential,
) -> Option<Potential> {
    let weights = merged.spread(&weights(small, &found));
    let Separation::Holds(heights) = cone.separate(&weights, &question.free) else { return None };
    Some(potential(cone, &(weights, found.denominator), heights))
}

/// Finds every target that can be gained for ever, with a combination for each and a potential
/// against all others.
///
/// One linear programme would suffice (theory 2); here each round either ends with the potential or
/// finds a combination and drops the targets it gains, because combinations that gain little are
/// easier to read. At most one round per target. The same question is first asked about the lumped
/// system; if nothing can grow there, that is the answer.
///
/// # Errors
/// [`Stopped`] if a limit of the options is hit.
pub fn growth(cone: &Cone<'_>, pool: &mut Pool, options: &Options) -> Result<Growth, Stopped> {
    let question = question(cone);
    let merged = if options.merges() { Merged::repeatable(cone) } else { None };
    let known = match &merged {
        Some(merged) => of_merged(cone, &question, merged, options)?,
        None => None,
    };
    grow(cone, question, pool, options, known)
}

/// The targets that can be gained for ever, ascending, given rows that are known to be. It returns
/// no evidence and so needs fewer questions: at most one for each target that is not known.
///
/// # Errors
/// [`Stopped`] if a limit of the options is hit.
pub fn growing(
    cone: &Cone<'_>,
    known: &BTreeSet<Row>,
    pool: &mut Pool,
    options: &Options,
) -> Result<Vec<Row>, Stopped> {
    let mut question = question(cone);
    let rows = cone.rows();
    let mut growing = Vec::new();
    let mut drop = |question: &mut Question, row: RowId| {
        let is_target = question.demand[row] == Demand::Target;
        if is_target {
            question.demand[row] = Demand::Dropped;
            growing.push(rows[row]);
        }
        is_target
    };
    for (row, _) in rows.iter().filter(|(_, row)| known.contains(row)) {
        drop(&mut question, row);
    }
    while let Answer::Growth(ray) = decide(cone, &question, pool, options)? {
        let gains = balance(&ray).into_iter().filter(|(_, gain)| gain.is_positive());
        let gained = gains.filter(|(row, _)| drop(&mut question, *row)).count();
        assert!(gained > 0, "a ray that gains nothing");
    }
    growing.sort_unstable();
    Ok(growing)
}

/// The answer from the lumped system: the targets that can be gained, and the potential of all
/// others. `None` if the potential does not hold, which is not expected.
fn of_merged(
    cone: &Cone<'_>,
    question: &Question,
    merged: &Merged,
    options: &Options,
) -> Result<Option<(Vec<Row>, Potential)>, Stopped> {
    let small = Cone::new(merged.system(), merged.facts(), options)?;
    let found = grow(&small, self::question(&small), &mut Pool::default(), options, None)?;
    let Some(potential) = spread(cone, question, merged, &small, found.potential) else { return Ok(None) };
    let mut grows = IdMap::filled(false, small.rows().len());
    for (id, row) in small.rows().iter() {
        grows[id] = found.growing.binary_search(row).is_ok();
    }
    let growing = cone.rows().iter().filter(|(id, _)| grows[merged.row(*id)]).map(|(_, row)| *row).collect();
    Ok(Some((growing, potential)))
}

/// The row weights of a potential. Entries weigh as much as the initial states, and the property's
/// own row as much as a target must.
pub(crate) fn weights(cone: &Cone<'_>, potential: &Potential) -> Vec<BigInt> {
    let mut weights = vec![BigInt::zero(); cone.rows().len()];
    weights[gain_row(cone.system()).index()].clone_from(&potential.denominator);
    for (message, weight) in &potential.messages {
        weights[cone.message_row(*message).index()].clone_from(weight);
    }
    for (data, weight) in &potential.data {
        weights[cone.data_row(*data).index()].clone_from(weight);
    }
    for (class, declared) in cone.system().classes.iter() {
        if let Ok(at) = potential.states.binary_search_by_key(&declared.initial, |entry| entry.0) {
            weights[cone.entry_row(class).index()].clone_from(&potential.states[at].1);
        }
    }
    weights
}

/// The question of growth.
pub(crate) fn question(cone: &Cone<'_>) -> Question {
    let mut question = Question::new(cone);
    for row in cone.rows().ids() {
        question.marking[row] = generic(Id::index(row));
        if cone.is_target(row) {
            question.demand[row] = Demand::Target;
        }
    }
    for (class, created) in cone.created().iter() {
        question.free[class] = !created;
    }
    question
}

/// Finds every growing target in one system. `known` gives the targets and the potential of the
/// others if they have been computed.
fn grow(
    cone: &Cone<'_>,
    mut question: Question,
    pool: &mut Pool,
    options: &Options,
    known: Option<(Vec<Row>, Potential)>,
) -> Result<Growth, Stopped> {
    let rows = cone.rows();
    let mut growing: Vec<Row> = Vec::new();
    let mut rays: Vec<Vec<(Column, BigInt)>> = Vec::new();
    loop {
        let answer = match &known {
            Some((all, potential)) if growing.len() == all.len() => Answer::Weights(potential.clone()),
            _ => decide(cone, &question, pool, options)?,
        };
        match answer {
            Answer::Weights(potential) => {
                growing.sort_unstable();
                let combinations = rays.iter().map(|ray| combination(cone, ray)).collect();
                return Ok(Growth { growing, combinations, potential });
            }
            Answer::Growth(ray) => {
                let ray = lift(ray, &rays);
                let before = growing.len();
                for (row, gain) in balance(&ray) {
                    // The final check of a counterexample: it takes from no place.
                    let is_free = question.demand[row] == Demand::Free;
                    assert!(gain.is_positive() && !is_free, "a ray that takes from {:?}", rows[row]);
                    if question.demand[row] == Demand::Target {
                        question.demand[row] = Demand::Dropped;
                        growing.push(rows[row]);
                    }
                }
                assert!(growing.len() > before, "a ray that gains nothing");
                rays.push(ray);
            }
        }
    }
}

/// The sum of columns with multiplicities, ascending by row.
fn balance(ray: &[(Column, BigInt)]) -> Vec<(RowId, BigInt)> {
    let mut sum = BTreeMap::<RowId, BigInt>::new();
    for (column, times) in ray {
        for &(row, change) in &column.entries {
            *sum.entry(row).or_default() += times * change;
        }
    }
    sum.into_iter().filter(|(_, change)| !change.is_zero()).collect()
}

/// Adds earlier rays to compensate for decreases of `ray` on rows that they gain: such rows were
/// dropped from the question that `ray` answers.
fn lift(mut ray: Vec<(Column, BigInt)>, earlier: &[Vec<(Column, BigInt)>]) -> Vec<(Column, BigInt)> {
    // A ray may take from rows that earlier ones gain but, once lifted, not from the rows over
    // which these were lifted, so one pass from the latest to the first settles every row.
    for other in earlier.iter().rev() {
        let missing = balance(&ray);
        let times = balance(other)
            .iter()
            .filter(|(_, gain)| gain.is_positive())
            .filter_map(|(row, gain)| {
                let at = missing.binary_search_by_key(row, |entry| entry.0).ok()?;
                let lacking = -&missing[at].1;
                lacking.is_positive().then(|| num_integer::Integer::div_ceil(&lacking, gain))
            })
            .max();
        if let Some(times) = times {
            for (column, count) in other {
                match ray.iter_mut().find(|(known, _)| known == column) {
                    Some((_, sum)) => *sum += count * &times,
                    None => ray.push((column.clone(), count * &times)),
                }
            }
        }
    }
    ray
}

fn combination(cone: &Cone<'_>, ray: &[(Column, BigInt)]) -> Combination {
    let rows = cone.rows();
    Combination {
        parts: ray.iter().map(|(column, times)| (column.behaviour.clone(), times.clone())).collect(),
        gains: balance(ray).into_iter().map(|(row, gain)| (rows[row], gain)).collect(),
    }
}
