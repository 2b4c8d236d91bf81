//! Answers one question to a cone exactly: the cheapest weights, or a growth that excludes any
//! weights.
//!
//! Columns are generated on demand (by [`Cone::separate`]), so the programmes stay small:
//!
//! 1. solve the programme over the known columns in floats, round the weights to simple rationals;
//! 2. ask the cone, exactly, for violated columns. If there are none, the rounded weights are a
//!    proof, however imprecise the floats were. If some are new, repeat step 1 with them;
//! 3. where the programme is infeasible and there are many columns, floats propose a growth, which
//!    is verified exactly;
//! 4. where floats fail (crashed, no rational nearby, no new column), or rarely succeed, the exact
//!    simplex continues with the known columns and asks the cone in the same way. It ends with
//!    weights or with a ray, and both are verified.
//!
//! Only what steps 2 to 4 verify decides, and that is exact. The number of columns is finite and
//! each round adds one, so the loop terminates.

use std::collections::BTreeMap;

use cfsm_core::ids::{Id, IdMap};
use cfsm_core::system::StateId;
use num_bigint::BigInt;
use num_integer::Integer;
use num_traits::{One, Signed, Zero};

use crate::cone::{Behaviour, Column, Cone, Potential, RowId};
use crate::float::{self, Candidate, Programme};
use crate::flow::Separation;
use crate::linear::{self, Constraint, Domain, Relation};
use crate::projection::{Projected, Ray, project};
use crate::question::{Constraints, Demand, Question};
use crate::rounding::{self, Fractions};
use crate::simplex::{Simplex, Status};
use crate::{Encoding, Options, Search, Stopped, threads};

/// Columns found so far, shared between questions to one cone.
#[derive(Clone, Debug, Default)]
pub struct Pool {
    columns: Vec<Column>,
    known: BTreeMap<Vec<(RowId, i128)>, usize>,
    /// Maps each row to the columns with an entry there.
    touching: BTreeMap<RowId, Vec<usize>>,
    /// `true` if the projections have found no weights; they are not tried again then.
    projection_failed: bool,
}

impl Pool {
    /// The columns, in the order in which they were found.
    pub(crate) fn columns(&self) -> &[Column] {
        &self.columns
    }

    /// The columns with an entry in one of these rows, ascending.
    pub(crate) fn touching(&self, rows: impl Iterator<Item = RowId>) -> Vec<usize> {
        let mut all: Vec<usize> = rows.filter_map(|row| self.touching.get(&row)).flatten().copied().collect();
        all.sort_unstable();
        all.dedup();
        all
    }

    /// The index of the column with these entries, added if it is new.
    pub(crate) fn admit(&mut self, column: Column) -> usize {
        let (columns, touching) = (&mut self.columns, &mut self.touching);
        *self.known.entry(column.entries.clone()).or_insert_with_key(|_| {
            let at = columns.len();
            for (row, _) in column.entries.iter() {
                touching.entry(*row).or_default().push(at);
            }
            columns.push(column);
            at
        })
    }
}

/// The answer to a question.
#[derive(Debug)]
pub(crate) enum Answer {
    /// Weights that satisfy the question; the cheapest ones, if the exact simplex found them.
    Weights(Potential),
    /// Columns with multiplicities whose sum is ≥ 0 on all rows but the dropped ones, 0 on the free
    /// ones, and > 0 on some target row.
    Growth(Ray),
}

/// Answers a question.
pub(crate) fn decide(
    cone: &Cone<'_>,
    question: &Question,
    pool: &mut Pool,
    options: &Options,
) -> Result<Answer, Stopped> {
    if options.search == Search::Float
        && let Some(answer) = Active::new(cone, question, pool).in_floats(options)?
    {
        return Ok(answer);
    }
    Active::new(cone, question, pool).exactly(options)
}

/// Number of columns below which the exact simplex finds a growth as fast as floats do.
const FEW_COLUMNS: usize = 64;

/// Number of columns from which a programme takes longer than projecting all weights.
const MANY_COLUMNS: usize = 256;

/// Required distance of columns below 0 once rounding without a margin has failed.
pub(crate) const SLACK: f64 = 1e-6;

/// The result of rounding weights.
enum Rounded {
    /// The rounded weights satisfy the question.
    Weights(Potential),
    /// The rounded weights violate columns that were inactive; these are active now.
    Columns,
    /// No use: no rational nearby, or no new column.
    Useless,
}

/// The active columns of a question: those that its programme contains.
struct Active<'a> {
    cone: &'a Cone<'a>,
    question: &'a Question,
    pool: &'a mut Pool,
    /// Required distance of columns below 0, in floats.
    slack: f64,
    /// Indices in the pool, in the order of activation.
    columns: Vec<usize>,
    /// Maps each column of the pool to `true` if it is active.
    contains: Vec<bool>,
}

impl<'a> Active<'a> {
    fn new(cone: &'a Cone<'a>, question: &'a Question, pool: &'a mut Pool) -> Self {
        Self { cone, question, pool, slack: 0.0, columns: Vec::new(), contains: Vec::new() }
    }

    /// Steps 1 to 3 of the module's description. `None` if floats fail.
    fn in_floats(&mut self, options: &Options) -> Result<Option<Answer>, Stopped> {
        loop {
            options.check_time()?;
            if self.columns.len() > MANY_COLUMNS
                && options.encoding == Encoding::Flow
                && !self.pool.projection_failed
                && let Some(answer) = self.projected(options)?
            {
                return Ok(Some(answer));
            }
            if self.columns.len() <= MANY_COLUMNS && self.is_coupled() {
                return Ok(None);
            }
            let Some(values) = self.solve(options)? else {
                return Ok(self.growth_in_floats(options)?.map(Answer::Growth));
            };
            match self.round(&values) {
                Rounded::Weights(potential) => return Ok(Some(Answer::Weights(potential))),
                Rounded::Columns => {}
                Rounded::Useless if self.slack > 0.0 => return Ok(None),
                Rounded::Useless => self.slack = SLACK,
            }
        }
    }

    /// The verified result of the projections.
    fn projected(&mut self, options: &Options) -> Result<Option<Answer>, Stopped> {
        let Self { cone, question, .. } = *self;
        let found = project(cone, question, options, || self.growth_in_floats(options))?;
        self.pool.projection_failed = !matches!(found, Projected::Weights(_));
        Ok(match found {
            Projected::Useless => None,
            Projected::Growth(ray) => Some(Answer::Growth(ray)),
            Projected::Weights(weights) => match cone.separate(&weights.0, &question.free) {
                Separation::Holds(heights) => Some(Answer::Weights(potential(cone, &weights, heights))),
                Separation::Violated(_) => None,
            },
        })
    }

    /// Returns `true` if an active column has an entry in a row whose weight may be negative.
    /// Floats rarely succeed there, and the exact simplex is fast on few columns.
    fn is_coupled(&self) -> bool {
        let mut columns = self.columns.iter().map(|&column| &self.pool.columns[column]);
        columns.any(|column| column.entries.iter().any(|(row, _)| self.question.demand[*row] == Demand::Free))
    }

    /// The cheapest weights according to the float solver.
    fn solve(&self, options: &Options) -> Result<Option<Vec<f64>>, Stopped> {
        let (programme, rows) = self.programme();
        let found = self.in_time(options, move || match float::minimise(&programme) {
            Candidate::Optimal(found) => Some(found),
            Candidate::Infeasible | Candidate::Failed => None,
        })?;
        Ok(found.map(|found| {
            let mut values = vec![0.0; self.question.demand.len()];
            rows.iter().zip(found).for_each(|(row, value)| values[row.index()] = value);
            values
        }))
    }

    /// The result of a float solver, which looks at no clock: where it has many columns, it is left
    /// behind when the time is over.
    fn in_time<R: Send + 'static>(
        &self,
        options: &Options,
        solve: impl FnOnce() -> Option<R> + Send + 'static,
    ) -> Result<Option<R>, Stopped> {
        if self.columns.len() > MANY_COLUMNS { threads::until(options, solve) } else { Ok(solve()) }
    }

    /// A growth: the greatest gain of the targets where no column occurs more than once, in floats,
    /// rounded and verified. `None` if floats fail, or the exact simplex is fast.
    fn growth_in_floats(&self, options: &Options) -> Result<Option<Ray>, Stopped> {
        if self.columns.len() < FEW_COLUMNS {
            return Ok(None);
        }
        let columns = || self.columns.iter().map(|&column| &self.pool.columns[column]).enumerate();
        let mut changes: BTreeMap<RowId, Vec<(usize, BigInt)>> = BTreeMap::new();
        for (at, column) in columns() {
            for &(row, change) in &column.entries {
                changes.entry(row).or_default().push((at, BigInt::from(-change)));
            }
        }
        let balance = |(row, terms)| {
            let relation = match self.question.demand[row] {
                Demand::Dropped => return None,
                Demand::Free => Relation::Equal,
                Demand::Target | Demand::NonNegative => Relation::AtMost,
            };
            Some(Constraint { terms, relation, bound: BigInt::ZERO })
        };
        let cap = |at| Constraint {
            terms: vec![(at, BigInt::one())],
            relation: Relation::AtMost,
            bound: BigInt::one(),
        };
        let constraints: Vec<Constraint> =
            changes.into_iter().filter_map(balance).chain((0..self.columns.len()).map(cap)).collect();
        let gains: Vec<_> = columns().map(|(at, column)| (at, self.question.objective(column))).collect();
        let domains = vec![Domain::NonNegative; self.columns.len()];
        let times = self.in_time(options, move || linear::approximate(&domains, &constraints, &gains))?;
        let Some(times) = times else { return Ok(None) };
        let scale = times.iter().fold(BigInt::one(), |scale, times| scale.lcm(times.denom()));
        let growth = columns().zip(times).filter(|(_, times)| !times.is_zero());
        let growth: Vec<_> =
            growth.map(|((_, column), times)| (column.clone(), (times * &scale).to_integer())).collect();
        Ok(Some(growth).filter(|growth| self.is_growth(growth)))
    }

    /// Returns `true` if columns with multiplicities satisfy what [`Answer::Growth`] promises.
    fn is_growth(&self, columns: &[(Column, BigInt)]) -> bool {
        let mut sums: BTreeMap<RowId, BigInt> = BTreeMap::new();
        for (column, times) in columns {
            for &(row, change) in &column.entries {
                *sums.entry(row).or_default() += times * change;
            }
        }
        let fits = |(row, sum): (&RowId, &BigInt)| match self.question.demand[*row] {
            Demand::Dropped => true,
            Demand::Free => sum.is_zero(),
            Demand::Target | Demand::NonNegative => !sum.is_negative(),
        };
        let gain: BigInt =
            columns.iter().map(|(column, times)| self.question.objective(column) * times).sum();
        columns.iter().all(|(_, times)| times.is_positive()) && sums.iter().all(fits) && gain.is_positive()
    }

    /// Rounds the weights and checks them.
    fn round(&mut self, values: &[f64]) -> Rounded {
        let weights = rounding::simplest(values).or_else(|| rounding::dyadic(values));
        let Some(weights) = weights else { return Rounded::Useless };
        match self.try_weights(&self.question.clamp(weights)) {
            Ok(potential) => Rounded::Weights(potential),
            Err(0) => Rounded::Useless,
            Err(_) => Rounded::Columns,
        }
    }

    /// Step 4 of the module's description: the exact simplex.
    fn exactly(&mut self, options: &Options) -> Result<Answer, Stopped> {
        let constraints = Constraints::new(self.question);
        let mut simplex = Simplex::new(&constraints.bounds(self.question));
        let mut added = 0;
        loop {
            for &column in &self.columns[added..] {
                let column = &self.pool.columns[column];
                simplex.add_column(&constraints.entries(column), &self.question.objective(column));
            }
            added = self.columns.len();
            match simplex.run(&|| options.check_time().is_err()) {
                Status::Stopped => return Err(Stopped::Time),
                Status::Unbounded(ray) => {
                    let column =
                        |(at, times): (usize, BigInt)| (self.pool.columns[self.columns[at]].clone(), times);
                    return Ok(Answer::Growth(ray.into_iter().map(column).collect()));
                }
                Status::Optimal => {
                    let weights = constraints.weights(self.question, simplex.multipliers());
                    match self.try_weights(&weights) {
                        Ok(potential) => return Ok(Answer::Weights(potential)),
                        // An optimal basis satisfies every column it contains, so a violated column
                        // is new.
                        Err(found) => assert!(found > 0, "exact weights violate a column they satisfy"),
                    }
                }
            }
        }
    }

    /// The linear programme over the active columns. Its variables are the rows of these columns
    /// and the targets; all other weights can only be 0.
    fn programme(&self) -> (Programme, Vec<RowId>) {
        let counts = |row: RowId| self.question.demand[row] != Demand::Dropped;
        let columns = || self.columns.iter().map(|&column| &self.pool.columns[column].entries);
        let mut variable: IdMap<RowId, Option<usize>> = IdMap::filled(None, self.question.demand.len());
        let targets = self.question.demand.iter().filter(|(_, demand)| **demand == Demand::Target);
        let touched = columns().flatten().map(|entry| entry.0).filter(|&row| counts(row));
        let mut rows = Vec::new();
        let mut programme = Programme { slack: self.slack, ..Programme::default() };
        for row in targets.map(|(row, _)| row).chain(touched) {
            if variable[row].is_none() {
                variable[row] = Some(rows.len());
                rows.push(row);
                #[allow(clippy::cast_precision_loss)] // a candidate only
                programme.costs.push(self.question.marking[row] as f64);
                programme.floors.push(match self.question.demand[row] {
                    Demand::Target => Some(1.0),
                    Demand::NonNegative | Demand::Dropped => Some(0.0),
                    Demand::Free => None,
                });
            }
        }
        #[allow(clippy::cast_precision_loss)]
        let entry = |&(row, change): &(RowId, i128)| Some((variable[row]?, change as f64));
        programme.rows = columns().map(|entries| entries.iter().filter_map(entry).collect()).collect();
        (programme, rows)
    }

    /// The potential of the weights, or the number of columns that they violate and that became
    /// active by this call.
    fn try_weights(&mut self, weights: &Fractions) -> Result<Potential, usize> {
        let known = self.violated_in_pool(&weights.0);
        if !known.is_empty() {
            return Err(self.activate(known));
        }
        match self.cone.separate(&weights.0, &self.question.free) {
            Separation::Violated(columns) => {
                let columns: Vec<_> = columns.into_iter().map(|column| self.pool.admit(column)).collect();
                Err(self.activate(columns))
            }
            Separation::Holds(heights) => Ok(potential(self.cone, weights, heights)),
        }
    }

    /// Inactive columns of the pool that the weights violate, without the paths of free entries.
    fn violated_in_pool(&self, weights: &[BigInt]) -> Vec<usize> {
        let matters = |column: &Column| match column.behaviour {
            Behaviour::Cycle(_) => true,
            Behaviour::Path(class, _) => !self.question.free[class],
        };
        let violated = |at: &usize| {
            let column = &self.pool.columns[*at];
            !self.contains.get(*at).copied().unwrap_or(false)
                && matters(column)
                && column.weigh(weights).is_positive()
        };
        let rows = (0..weights.len()).filter(|&row| !weights[row].is_zero());
        let mut candidates = self.pool.touching(rows.map(RowId::new));
        candidates.retain(violated);
        candidates
    }

    /// Makes columns active; returns the number of those that were not.
    fn activate(&mut self, columns: Vec<usize>) -> usize {
        let before = self.columns.len();
        self.contains.resize(self.pool.columns.len(), false);
        for column in columns {
            if !std::mem::replace(&mut self.contains[column], true) {
                self.columns.push(column);
            }
        }
        self.columns.len() - before
    }
}

/// The potential with the given row weights, which satisfy every column, and their state weights.
pub(crate) fn potential(
    cone: &Cone<'_>,
    (weights, denominator): &Fractions,
    states: Vec<(StateId, BigInt)>,
) -> Potential {
    let system = cone.system();
    let of = |at: usize| (!weights[at].is_zero()).then(|| weights[at].clone());
    let messages = system.messages.ids().filter_map(|m| Some((m, of(cone.message_row(m).index())?)));
    let data = system.data.ids().filter_map(|d| Some((d, of(cone.data_row(d).index())?)));
    let data: Vec<_> = data.collect();
    let height = |state| states.binary_search_by_key(&state, |entry| entry.0).ok();
    let start = system.classes.values().filter_map(|class| Some((height(class.initial)?, class.instances)));
    let start: BigInt = start.map(|(at, instances)| &states[at].1 * instances).sum();
    let held: BigInt = data.iter().map(|(d, weight)| weight * system.data[*d].initial).sum();
    Potential {
        denominator: denominator.clone(),
        messages: messages.collect(),
        data,
        states,
        initial: start + held,
    }
}
