//! How many messages a buffer can hold (theory 4), for all buffers of a system.
//!
//! The least bound is the optimum of a linear programme whose proof of optimality may reach through the
//! whole system, while a potential that proves the bound is mostly a local affair. So for each buffer on its own, with the
//! columns that its weights touch:
//!
//! - a potential that lives on few places is found by the solver that costs every weight, and verified exactly:
//!   whatever it says is proved;
//! - the programme over the columns at hand has an optimum that no bound can be below. Where it meets the bound, that is
//!   the least one. Where it does not, its weights are tried, or yield new columns, some times.
//!
//! Before that a walk through the system shows how many messages buffers do hold: a bound that is reached is the least one.
//!
//! Where that does not settle it in a small system, the exact simplex decides, kept from one buffer to the next, because their
//! programmes differ in the objective only. The optimum over the columns at hand is a float, and never decides more
//! than whether to go on looking.
//!
//! What is found for a buffer does not depend on the others, so they are looked at in parallel, and the number of threads
//! makes no difference.

use std::cell::Cell;

use cfsm_core::ids::IdMap;
use cfsm_core::system::{BufferId, MessageId};
use num_bigint::BigInt;
use num_traits::ToPrimitive;
use rayon::prelude::*;

use crate::cone::{Cone, Potential, Row, RowId};
use crate::decide::{Active, Pool, Rounded, potential};
use crate::flow::Separation;
use crate::growth::{Growth, weights};
use crate::merged::Merged;
use crate::question::{Constraints, Demand, Question};
use crate::rounding::Fractions;
use crate::simplex::{Simplex, Status};
use crate::walk::maxima;
use crate::{Options, Search, Stopped};

/// Columns up to which the exact simplex looks for the least bound where floats do not settle it. With
/// more, the best bound proved until then stands.
const EXACT_COLUMNS: usize = 256;

/// Pivots that it may take for one buffer, in a search that began with floats.
const PIVOTS: usize = 1_000;

/// How often the programme over the columns at hand is solved to see whether a bound is the least one.
const ROUNDS: usize = 6;

/// Buffers that are looked at one after the other; what columns they meet, all others begin with.
const FIRST: usize = 8;

/// Up to so many columns take part from the start.
const FEW: usize = 128;

/// What a unit of weight costs besides where the least bound is looked for: enough to prefer few places.
const SMALL_TOLL: f64 = 1.0 / 1024.0;

/// The bounds of one system's buffers.
#[derive(Debug)]
pub struct Bounds<'a> {
    cone: &'a Cone<'a>,
    /// The system that is looked at instead, if there is one.
    merged: Option<(&'a Merged, Cone<'a>)>,
    /// The question without targets, to the system that is looked at.
    question: Question,
    /// Per buffer, its message types.
    messages: IdMap<BufferId, Vec<MessageId>>,
    /// The growth question's potential.
    shared: Potential,
}

/// What was found for one buffer, in the system that is looked at.
struct Found {
    /// The best potential, if one is better than the shared one.
    best: Option<Potential>,
    /// Whether there is no better one, as far as floats can tell.
    is_least: bool,
    /// The columns that were met.
    pool: Pool,
}

impl<'a> Bounds<'a> {
    /// Prepares the questions, given what can grow; they may be put to a system
    /// [merged within buffers](Merged::within_buffers). Time linear in the system.
    pub fn new(cone: &'a Cone<'a>, merged: Option<&'a Merged>, growth: &Growth, options: &Options) -> Self {
        let system = cone.system();
        let small =
            |merged: &'a Merged| Some((merged, Cone::new(merged.system(), merged.facts(), options).ok()?));
        let merged = merged.filter(|_| options.merges()).and_then(small);
        let working = merged.as_ref().map_or(cone, |(_, cone)| cone);
        let mut question = Question::new(working);
        for (data, place) in working.system().data.iter() {
            question.marking[working.data_row(data)] = place.initial;
        }
        for (class, declared) in working.system().classes.iter() {
            question.marking[working.entry_row(class)] = declared.instances.into();
        }
        let mut messages = IdMap::filled(Vec::new(), system.buffers.len());
        for (id, message) in system.messages.iter() {
            messages[message.buffer].push(id);
        }
        let mut bounds = Self { cone, merged, question, messages, shared: growth.potential.clone() };
        for &row in &growth.growing {
            if let Row::Message(message) = row {
                let row = bounds.row(message);
                bounds.question.demand[row] = Demand::Dropped;
            }
        }
        bounds
    }

    /// Per buffer, a bound on the number of messages in it, with the potential that proves it: its floor
    /// ([`Potential::bound`]). It is the least bound that the state equation's relaxation gives, except
    /// where that would take many steps: see `bounds.rs`. `None`: the potential of the growth question, which is
    /// about all buffers together, proves as much.
    ///
    /// [`Stopped`] if a limit of the options was hit before it was found.
    ///
    /// # Panics
    /// If a buffer is a rendezvous, or a message type of it can grow.
    #[must_use]
    pub fn of(&self, buffers: &[BufferId], options: &Options) -> Vec<Result<Option<Potential>, Stopped>> {
        // What the growth question proved on the way holds for every buffer.
        if self.shared.initial < self.shared.denominator {
            return buffers.iter().map(|_| Ok(None)).collect();
        }
        let mut found: Vec<Result<Found, Stopped>> = match options.search {
            Search::Float => self.all_in_floats(buffers, options),
            Search::Exact => buffers
                .iter()
                .map(|_| Ok(Found { best: None, is_least: false, pool: Pool::default() }))
                .collect(),
        };
        self.exactly(buffers, &mut found, options);
        let shared = self.shared.bound();
        let lifted = found.into_par_iter().map(|found| {
            let best = found?.best.filter(|best| best.bound() < shared);
            Ok(best.and_then(|best| self.lifted(best)))
        });
        lifted.collect()
    }

    /// The system that is looked at.
    fn working(&self) -> &Cone<'a> {
        self.merged.as_ref().map_or(self.cone, |(_, cone)| cone)
    }

    /// The row there of a message type.
    fn row(&self, message: MessageId) -> RowId {
        let row = self.cone.message_row(message);
        self.merged.as_ref().map_or(row, |(merged, _)| merged.row(row))
    }

    /// The question about a buffer.
    fn question(&self, buffer: BufferId, toll: f64) -> Question {
        let mut question = Question { toll, ..self.question.clone() };
        for &message in &self.messages[buffer] {
            let demand = &mut question.demand[self.row(message)];
            assert!(
                matches!(demand, Demand::NonNegative | Demand::Target),
                "only a queue that cannot grow has a bound"
            );
            *demand = Demand::Target;
        }
        question
    }

    /// A potential of the system from one of the system that is looked at.
    fn lifted(&self, found: Potential) -> Option<Potential> {
        let Some((merged, cone)) = &self.merged else { return Some(found) };
        let weights = merged.spread(&weights(cone, &found));
        let free = IdMap::filled(false, self.cone.system().classes.len());
        match self.cone.separate(&weights, &free) {
            Separation::Holds(heights) => Some(potential(self.cone, &(weights, found.denominator), heights)),
            Separation::Violated(_) => None,
        }
    }

    /// What floats find for each buffer. The first ones have the columns of those before them, the others those of
    /// the first ones, so that it makes no difference who is looked at when.
    fn all_in_floats(&self, buffers: &[BufferId], options: &Options) -> Vec<Result<Found, Stopped>> {
        let shared = self.shared.bound();
        let reached = maxima(self.cone, buffers, &shared);
        let reached = |buffer: BufferId| BigInt::from(reached[buffer]);
        let (first, rest) = buffers.split_at(buffers.len().min(FIRST));
        let mut pool = Pool::default();
        let mut found = Vec::with_capacity(buffers.len());
        for &buffer in first {
            let one = self.in_floats(buffer, &reached(buffer), &pool, options);
            if let Ok(one) = &one {
                one.pool.columns().iter().for_each(|column| {
                    pool.admit(column.clone());
                });
            }
            found.push(one);
        }
        let in_parallel =
            rest.par_iter().map(|&buffer| self.in_floats(buffer, &reached(buffer), &pool, options));
        found.par_extend(in_parallel);
        found
    }

    /// What floats find for a buffer, verified. Nothing that has been reached needs to be bettered.
    fn in_floats(
        &self,
        buffer: BufferId,
        reached: &BigInt,
        pool: &Pool,
        options: &Options,
    ) -> Result<Found, Stopped> {
        if self.shared.bound() <= *reached {
            return Ok(Found { best: None, is_least: true, pool: Pool::default() });
        }
        let mut pool = pool.clone();
        let local = self.question(buffer, 1.0);
        let known = pool.columns().len();
        let mut active = Active::new(self.working(), &local, &mut pool);
        if known <= FEW {
            active.activate((0..known).collect());
        }
        let best = active.in_floats(options)?;
        let columns = std::mem::take(&mut active.columns);
        let best = best.filter(|best| best.bound() < self.shared.bound());
        if best.as_ref().is_some_and(|best| best.bound() <= *reached) {
            return Ok(Found { best, is_least: true, pool });
        }
        let questions = [SMALL_TOLL, 0.0].map(|toll| self.question(buffer, toll));
        self.tighten(best, columns, &questions, pool, options)
    }

    /// Tries to better a bound, until it is the least one.
    fn tighten(
        &self,
        mut best: Option<Potential>,
        columns: Vec<usize>,
        [small, none]: &[Question; 2],
        mut pool: Pool,
        options: &Options,
    ) -> Result<Found, Stopped> {
        let mut is_least = false;
        let mut active = Active::new(self.working(), small, &mut pool);
        active.activate(columns);
        for _ in 0..ROUNDS {
            options.check_time()?;
            let bound = best.as_ref().unwrap_or(&self.shared).bound();
            let Some((values, _)) = active.solve() else { break };
            #[allow(clippy::cast_precision_loss)] // an estimate only
            let cost = |(value, marking): (&f64, &u64)| value * *marking as f64;
            let below: f64 = values.iter().zip(small.marking.values()).map(cost).sum();
            if active.slack == 0.0 && bound <= floor(below) {
                // The toll has made the estimate too large, perhaps.
                active.question = none;
                let least = active.solve().map(|(_, below)| bound <= floor(below));
                active.question = small;
                is_least = least == Some(true);
                if is_least {
                    break;
                }
            }
            match active.round(&values) {
                Rounded::Weights(found) => {
                    let is_better = found.bound() < bound;
                    if is_better {
                        best = Some(found);
                    }
                    if !is_better || active.slack > 0.0 {
                        break;
                    }
                }
                Rounded::Columns => {}
                Rounded::Useless if active.slack > 0.0 => break,
                Rounded::Useless => active.slack = crate::decide::SLACK,
            }
        }
        Ok(Found { best, is_least, pool })
    }

    /// The least bounds where floats did not settle them, from the exact simplex, if there are few columns.
    fn exactly(&self, buffers: &[BufferId], found: &mut [Result<Found, Stopped>], options: &Options) {
        let is_settled = |found: &Result<Found, Stopped>| found.as_ref().map_or(true, |found| found.is_least);
        if found.iter().all(is_settled) {
            return;
        }
        let mut pool = Pool::default();
        for column in found.iter().flatten().flat_map(|found| found.pool.columns()) {
            pool.admit(column.clone());
        }
        let constraints = Constraints::new(&self.question);
        let mut simplex = Simplex::new(&constraints.bounds(&self.question));
        for (&buffer, found) in buffers.iter().zip(found) {
            if options.search == Search::Float && pool.columns().len() > EXACT_COLUMNS {
                return;
            }
            let Ok(known) = found else { continue };
            if known.is_least {
                continue;
            }
            match self.exactly_of(buffer, (&constraints, &mut simplex, &mut pool), options) {
                Ok(best) => known.best = best.or(known.best.take()),
                Err(stopped) => *found = Err(stopped),
            }
        }
    }

    /// The least bound of a buffer, from the exact simplex; `None` if that took too long.
    fn exactly_of(
        &self,
        buffer: BufferId,
        (constraints, simplex, pool): (&Constraints, &mut Simplex, &mut Pool),
        options: &Options,
    ) -> Result<Option<Potential>, Stopped> {
        let question = self.question(buffer, 0.0);
        let pivots = Cell::new(0);
        let may_stop = options.search == Search::Float;
        let is_long = || {
            pivots.set(pivots.get() + 1);
            may_stop && pivots.get() > PIVOTS
        };
        let known = pool.columns()[..simplex.columns()].iter().enumerate();
        let objective = known.map(|(at, column)| (at, question.objective(column)));
        let objective: Vec<_> = objective.filter(|(_, change)| *change != BigInt::ZERO).collect();
        simplex.aim(&objective);
        loop {
            for column in &pool.columns()[simplex.columns()..] {
                simplex.add_column(&constraints.entries(column), &question.objective(column));
            }
            match simplex.run(&|| is_long() || options.check_time().is_err()) {
                Status::Stopped if options.check_time().is_ok() => return Ok(None),
                Status::Stopped => return Err(Stopped::Time),
                Status::Unbounded(_) => unreachable!("the growth question's potential satisfies this one"),
                Status::Optimal => {}
            }
            let weights: Fractions = constraints.weights(&question, simplex.multipliers());
            match self.working().separate(&weights.0, &question.free) {
                Separation::Holds(heights) => return Ok(Some(potential(self.working(), &weights, heights))),
                Separation::Violated(columns) => columns.into_iter().for_each(|column| {
                    pool.admit(column);
                }),
            }
        }
    }
}

/// The integer below, with some room for rounding errors; at worst a bound is not the least one.
fn floor(value: f64) -> BigInt {
    BigInt::from((value + 1e-6).floor().to_i64().unwrap_or(-1))
}
