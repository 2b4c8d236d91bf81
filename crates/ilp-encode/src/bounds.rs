//! How many messages a buffer can hold (theory 4), for one buffer after the other.
//!
//! The least bound is the optimum of a linear programme whose proof of optimality may reach through the
//! whole system, while a potential that proves the bound is mostly a local affair. So both ends are
//! worked on:
//!
//! - *above*: a potential that lives on few places, found by the solver that costs every weight and
//!   verified exactly: whatever it says is proved;
//! - *below*: a float simplex on the maximisation, kept from one buffer to the next, because their
//!   programmes differ in the objective only and what was a good basis for one buffer is a few pivots
//!   from the next one's. Its value so far says how low a bound can be at all.
//!
//! Where the two meet, the bound is the least one. Where they do not, the potentials that the lower end
//! suggests are verified too, and at last the exact simplex decides. The lower end never decides more
//! than whether to go on looking.

use cfsm_core::system::BufferId;
use num_bigint::BigInt;
use num_traits::ToPrimitive;

use crate::cone::{Cone, Potential, Row};
use crate::decide::{Pool, decide_in_floats, potential};
use crate::flow::Separation;
use crate::growth::Growth;
use crate::question::{Constraints, Demand, Question};
use crate::rounding::{self, Fractions};
use crate::simplex::{Guess, Progress, Simplex, Status};
use crate::{Options, Search, Stopped};

/// Columns up to which the exact simplex looks for the least bound where floats do not settle it. With
/// more, the best bound proved until then stands.
const EXACT_COLUMNS: usize = 256;

/// Pivots that the lower end may take for one buffer.
const PIVOTS: usize = 8;

/// The bounds of one system's buffers.
#[derive(Debug)]
pub struct Bounds<'a> {
    cone: &'a Cone<'a>,
    /// The question without targets.
    question: Question,
    constraints: Constraints,
    pool: &'a mut Pool,
    /// The lower end. Holds the first columns of the pool.
    guess: Option<Guess>,
    /// The exact simplex, kept like the guess, once it was needed.
    simplex: Option<Simplex>,
    /// The growth question's potential.
    shared: Potential,
    search: Search,
}

impl<'a> Bounds<'a> {
    /// Prepares the questions, given what can grow. Time linear in the cone's rows.
    pub fn new(cone: &'a Cone<'a>, growth: &Growth, pool: &'a mut Pool, options: &Options) -> Self {
        let system = cone.system();
        let mut question = Question::new(cone);
        for &row in &growth.growing {
            if let Row::Message(message) = row {
                question.demand[cone.message_row(message)] = Demand::Dropped;
            }
        }
        for (data, place) in system.data.iter() {
            question.marking[cone.data_row(data)] = place.initial;
        }
        for (class, declared) in system.classes.iter() {
            question.marking[cone.entry_row(class)] = declared.instances.into();
        }
        let constraints = Constraints::new(&question);
        let shared = growth.potential.clone();
        let (guess, simplex, search) = (None, None, options.search);
        Self { cone, question, constraints, pool, guess, simplex, shared, search }
    }

    /// A bound on the number of messages in a buffer, with the potential that proves it: its floor
    /// ([`Potential::bound`]). It is the least bound that the state equation's relaxation gives, except
    /// in systems where that would take many pivots and an exact simplex over more than 256 columns.
    ///
    /// # Errors
    /// [`Stopped`] if a limit of the options is hit.
    ///
    /// # Panics
    /// If it is a rendezvous, or a message type of the buffer can grow.
    pub fn of(&mut self, buffer: BufferId, options: &Options) -> Result<Potential, Stopped> {
        let mut question = self.question.clone();
        for message in self.cone.system().messages_of(buffer) {
            let demand = &mut question.demand[self.cone.message_row(message)];
            assert!(*demand == Demand::NonNegative, "only a queue that cannot grow has a bound");
            *demand = Demand::Target;
        }
        // What the growth question proved on the way holds for every buffer.
        let mut best = self.shared.clone();
        if best.initial < best.denominator {
            return Ok(best);
        }
        if self.search == Search::Float {
            let local = Question { toll: 1, ..question.clone() };
            if let Some(found) = decide_in_floats(self.cone, &local, self.pool, options)? {
                best = better(best, found);
            }
            best = match self.meet(best, &question, options)? {
                Met::Least(potential) => return Ok(potential),
                Met::NotYet(potential) => potential,
            };
            if self.pool.columns().len() > EXACT_COLUMNS {
                return Ok(best);
            }
        }
        self.exactly(&question, options)
    }

    /// The least bound, from the exact simplex.
    fn exactly(&mut self, question: &Question, options: &Options) -> Result<Potential, Stopped> {
        let simplex = self.simplex.take();
        let mut simplex = simplex.unwrap_or_else(|| Simplex::new(&self.constraints.bounds(question)));
        simplex.aim(&self.objective(simplex.columns(), question));
        loop {
            for column in &self.pool.columns()[simplex.columns()..] {
                simplex.add_column(&self.constraints.entries(column), &question.objective(column));
            }
            match simplex.run(&|| options.check_time().is_err()) {
                Status::Stopped => return Err(Stopped::Time),
                Status::Unbounded(_) => unreachable!("the growth question's potential satisfies this one"),
                Status::Optimal => {}
            }
            let weights = self.constraints.weights(question, simplex.multipliers());
            match self.follow(&weights, question) {
                Hint::Columns => {}
                Hint::Useless => unreachable!("optimal weights satisfy the columns that are known"),
                Hint::Weights(potential) => {
                    self.simplex = Some(simplex);
                    return Ok(potential);
                }
            }
        }
    }

    /// Raises the lower end, and takes better potentials that turn up, until it meets the upper one.
    fn meet(&mut self, above: Potential, question: &Question, options: &Options) -> Result<Met, Stopped> {
        let guess = self.guess.take().or_else(|| Guess::new(self.constraints.bounds(question)));
        let Some(mut guess) = guess else { return Ok(Met::NotYet(above)) };
        if self.aim(&mut guess, question).is_none() {
            return Ok(Met::NotYet(above));
        }
        let mut best = above;
        let mut budget = PIVOTS;
        loop {
            options.check_time()?;
            let (multipliers, below) = match guess.run(&mut budget) {
                Progress::Optimal { multipliers, value } => (Some(multipliers), value),
                Progress::Exhausted { value } => (None, value),
                Progress::Failed => return Ok(Met::NotYet(best)),
            };
            if best.bound() <= floor(below) {
                self.guess = Some(guess);
                return Ok(Met::Least(best));
            }
            let weights = multipliers.and_then(|multipliers| self.round(&multipliers, question));
            match weights.map_or(Hint::Useless, |weights| self.follow(&weights, question)) {
                Hint::Weights(found) => {
                    let least = found.bound() <= floor(below);
                    best = better(best, found);
                    self.guess = Some(guess);
                    return Ok(if least { Met::Least(best) } else { Met::NotYet(best) });
                }
                Hint::Columns if self.feed(&mut guess, question).is_some() => {}
                Hint::Columns => return Ok(Met::NotYet(best)),
                Hint::Useless => {
                    self.guess = Some(guess);
                    return Ok(Met::NotYet(best));
                }
            }
        }
    }

    /// The weights that guessed multipliers suggest.
    fn round(&self, multipliers: &[f64], question: &Question) -> Option<Fractions> {
        let values = self.constraints.guessed_weights(question, multipliers);
        let weights = rounding::simplest(&values).or_else(|| rounding::dyadic(&values))?;
        Some(question.clamp(weights))
    }

    /// What the cone says to weights.
    fn follow(&mut self, weights: &Fractions, question: &Question) -> Hint {
        match self.cone.separate(&weights.0, &question.free) {
            Separation::Holds(heights) => Hint::Weights(potential(self.cone, weights, heights)),
            Separation::Violated(columns) => {
                let before = self.pool.columns().len();
                for column in columns {
                    self.pool.admit(column);
                }
                if self.pool.columns().len() > before { Hint::Columns } else { Hint::Useless }
            }
        }
    }

    /// Sets the objective over the columns that the guess knows, and adds those that it does not.
    fn aim(&self, guess: &mut Guess, question: &Question) -> Option<()> {
        guess.aim(&self.objective(guess.columns(), question))?;
        self.feed(guess, question)
    }

    /// The objective over the first columns of the pool, without zeros.
    fn objective(&self, columns: usize, question: &Question) -> Vec<(usize, BigInt)> {
        let known = self.pool.columns()[..columns].iter().enumerate();
        let objective = known.map(|(at, column)| (at, question.objective(column)));
        objective.filter(|(_, change)| *change != BigInt::ZERO).collect()
    }

    /// Adds the columns of the pool that the guess does not know.
    fn feed(&self, guess: &mut Guess, question: &Question) -> Option<()> {
        self.pool.columns()[guess.columns()..].iter().try_for_each(|column| {
            guess.add_column(self.constraints.entries(column), &question.objective(column))
        })
    }
}

/// How far the two ends came.
enum Met {
    /// The least bound.
    Least(Potential),
    /// The best one so far.
    NotYet(Potential),
}

/// What came of a suggestion.
enum Hint {
    /// Weights that satisfy the question.
    Weights(Potential),
    /// Columns that the pool did not have.
    Columns,
    /// Nothing.
    Useless,
}

/// The one that proves the lower bound; the first, if it makes no difference.
fn better(one: Potential, other: Potential) -> Potential {
    if other.bound() < one.bound() { other } else { one }
}

/// The integer below, with some room for rounding errors; at worst a bound is not the least one.
fn floor(value: f64) -> BigInt {
    BigInt::from((value + 1e-6).floor().to_i64().unwrap_or(-1))
}
