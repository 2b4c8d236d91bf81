//! Supplied pumps, fed by the messages that a first pump has left: a backlog is moved from one
//! queue to another, or turned into other messages.
//!
//! A first pump fills queues, the *supplied* ones, with any number of messages. The second one
//! receives from these and may shrink them: `docs/soundness/witnesses.md` proves that it can still
//! be executed any number of times.

use std::collections::{BTreeMap, BTreeSet};

use super::counted::Counted;
use super::out_of_order::Letter;
use super::repeat::{self, Growth, Round, into};
use super::sensitive::Looks;
use super::words::feeds_itself;
use super::{Refusal, Supply, Witness};
use crate::{Move, ReplayError, Run, RunError, Semantics, State};

/// Greatest number of attempts with longer supplies.
const MOST_TRIES: usize = 6;
/// Greatest number of steps of the first pump, all rounds together.
const MOST_STEPS: usize = 20_000;
/// Greatest number of steps of the proposed second pump, all rounds together.
const MOST_PROPOSED: usize = 3_000;
/// Greatest number of rounds of the proposed second pump.
const MOST_ROUNDS: usize = 300;

/// A confirmed pump that fills queues.
pub(super) struct Supplier<'a> {
    semantics: &'a Semantics,
    prefix: Run,
    pump: Run,
    /// Number of rounds after which the theorem holds for the supplied queues.
    rounds: usize,
    /// The state after these rounds.
    state: State,
    /// The supplied queues, by index.
    pub(super) stocks: BTreeMap<usize, Stock>,
}

/// Effect of a round of the first pump on a supplied queue.
#[derive(Clone, Copy, Debug)]
pub(super) struct Stock {
    /// Number of messages that it holds after [`Supplier::rounds`]; those behind them are periodic.
    held: usize,
    /// Number of messages sent to it per round.
    pub(super) sent: usize,
    /// Its growth per round.
    growth: usize,
}

/// A run of the second pump, and the supply that it lacks.
struct Drawn {
    middle: Run,
    pump: Run,
    growth: Growth,
    rounds: usize,
    /// Number of further rounds of the first pump that it needs.
    missing: usize,
}

impl<'a> Supplier<'a> {
    /// Confirms the first pump, and that the queues that it does not fill are unchanged by each
    /// round.
    ///
    /// # Errors
    /// The reason for which it is not a pump, or cannot feed others.
    pub fn new(semantics: &'a Semantics, prefix: &Run, pump: &Run) -> Result<Self, Refusal> {
        if pump.steps.len() > MOST_STEPS / repeat::ROUNDS {
            return Err(Refusal::TooManyRounds(repeat::ROUNDS));
        }
        let found = semantics.confirm_exactly(prefix, pump, &mut 0)?;
        let start = semantics.initial().map_err(ReplayError::Start)?;
        let mut state = semantics.follow(&start, &prefix.steps, 0)?.pop().unwrap_or(start);
        for _ in 0..found.rounds {
            state = last(semantics.follow(&state, &pump.steps, 0)?, state);
        }
        let states = semantics.follow(&state, &pump.steps, 0)?;
        let after = last(states.clone(), state.clone());
        let changes = repeat::compare(&state, &after)?;
        let none = BTreeSet::new();
        let round = Round {
            semantics,
            run: pump,
            before: &state,
            states: &states,
            changes: &changes,
            supplied: &none,
        };
        let looks = round.looks();
        let mut stocks = BTreeMap::new();
        for (queue, growth) in changes.iter().enumerate() {
            let (held, left) = (round.content(&state, queue), round.content(&after, queue));
            if *growth > 0 {
                let sent = is_filled(&round, &looks, queue, &held, &left)?;
                let growth = *growth as usize;
                stocks.insert(queue, Stock { held: held.len(), sent, growth });
            } else if held != left {
                return Err(Refusal::Order);
            }
        }
        if stocks.is_empty() {
            return Err(Refusal::Empty);
        }
        let (prefix, pump) = (prefix.clone(), pump.clone());
        Ok(Self { semantics, prefix, pump, rounds: found.rounds, state, stocks })
    }

    /// The state of a program with the same edges, after enough rounds to fill all supplied queues
    /// with the messages of two rounds.
    ///
    /// # Errors
    /// The error of the initial state, if it has one.
    pub fn begin(&self, part: &Semantics) -> Result<State, RunError> {
        const MORE: usize = 64;
        let mut state = part.initial()?;
        let mut go = |run: &Run| {
            let next = part.repeated(state.clone(), run, &mut Vec::new(), &mut |_| {});
            state = next.unwrap_or_else(|| state.clone());
            self.stocks.iter().all(|(queue, stock)| state.queues[*queue].length as usize >= 2 * stock.sent)
        };
        go(&self.prefix);
        for round in 0..self.rounds + MORE {
            if go(&self.pump) && round >= self.rounds {
                break;
            }
        }
        Ok(state)
    }

    /// Refills the supplied queues after a step, so that they hold the next messages of the supply,
    /// and no others. Returns `false` if the step does more with them than to receive the first
    /// messages and to append some.
    pub fn refill(&self, part: &Semantics, before: &State, after: &mut State) -> bool {
        self.stocks.iter().all(|(&queue, stock)| {
            let (Some(&old), Some(&new)) = (before.queues.get(queue), after.queues.get(queue)) else {
                return false;
            };
            if (new.code, new.owner) != (old.code, old.owner) {
                return false;
            }
            let width = part.queue_code(&old).fields.len();
            let (held, left) = (old.length as usize, new.length as usize);
            let (all, rest) = (part.contents(before, queue), part.contents(after, queue));
            let is_taken = |taken: &usize| held - taken <= left && rest.starts_with(&all[taken * width..]);
            let Some(taken) = (0..=held).find(is_taken).filter(|taken| taken + stock.sent <= held) else {
                return false;
            };
            for slot in (held - taken..left).rev() {
                part.remove(after, queue, slot);
            }
            for slot in held - taken..held {
                let again = part.contents(after, queue)[(slot - stock.sent) * width..][..width].to_vec();
                part.insert(after, queue, slot, &again);
            }
            true
        })
    }

    /// Confirms that a second pump, after a run `middle` that starts when the first one was
    /// executed often enough, can be executed any number of times if the supply is long enough. The
    /// same processes take the same edges; control and data may repeat after several rounds of the
    /// second pump only.
    ///
    /// # Errors
    /// The reason for which it is not confirmed.
    pub fn confirm(&self, middle: &Run, pump: &Run, effort: &mut usize) -> Result<Witness, Refusal> {
        let (mut state, mut times) = (self.state.clone(), self.rounds);
        let mut refusal = Refusal::TooManyRounds(MOST_STEPS / self.pump.steps.len().max(1));
        for _ in 0..MOST_TRIES {
            let more = match self.draw(&state, middle, pump, effort) {
                Ok(drawn) if drawn.missing == 0 => return Ok(self.witness(times, drawn)),
                Ok(drawn) => drawn.missing,
                // The supply may have been exhausted.
                Err(reason @ (Refusal::Replay(_) | Refusal::Differs)) => {
                    refusal = reason;
                    times
                }
                Err(reason) => return Err(reason),
            };
            if (times + more).saturating_mul(self.pump.steps.len()) > MOST_STEPS {
                break;
            }
            for _ in 0..more {
                state = last(self.semantics.follow(&state, &self.pump.steps, 0)?, state);
            }
            times += more;
            *effort += more * self.pump.steps.len();
        }
        Err(refusal)
    }

    fn witness(&self, times: usize, drawn: Drawn) -> Witness {
        let supply = Supply { first: self.prefix.steps.len(), steps: self.pump.steps.len(), times };
        let rounds = std::iter::repeat_n(&self.pump.steps, times).flatten();
        let steps = self.prefix.steps.iter().chain(rounds).chain(&drawn.middle.steps);
        Witness {
            prefix: Run { steps: steps.cloned().collect() },
            pump: drawn.pump,
            growth: drawn.growth,
            rounds: drawn.rounds,
            up_to_idle_data: false,
            supply: Some(supply),
            counter: None,
            left_behind: 0,
            buffers: self.semantics.options.buffers.clone(),
        }
    }

    /// Executes the second pump with the supply in `stocked`, until some rounds of it are a pump.
    fn draw(&self, stocked: &State, middle: &Run, pump: &Run, effort: &mut usize) -> Result<Drawn, Refusal> {
        let semantics = self.semantics;
        let mut steps = Vec::new();
        let go = |state: State, run: &Run, steps: &mut Vec<_>| {
            let done = steps.len();
            semantics.repeated(state, run, steps, &mut |_| {}).ok_or(ReplayError::NoSuchStep(done))
        };
        let mut ends = vec![go(stocked.clone(), middle, &mut steps)?];
        let first = steps.len();
        *effort += first;
        let (mut refusal, mut tries) = (Refusal::Differs, 0);
        for round in 1..=MOST_ROUNDS.min(MOST_PROPOSED / pump.steps.len().max(1)) {
            let Ok(next) = go(ends[round - 1].clone(), pump, &mut steps) else { break };
            *effort += pump.steps.len();
            let frame = semantics.frame(&next);
            ends.push(next);
            // After the first round, remainders from before the pump are gone.
            for begin in (0..round.min(2)).filter(|begin| semantics.frame(&ends[*begin]) == frame) {
                let (before, rounds) = steps.split_at(first + begin * pump.steps.len());
                let run = |steps: &[Vec<Move>]| Run { steps: steps.to_vec() };
                match self.check(stocked, run(before), run(rounds), &ends[begin], effort) {
                    Err(reason @ (Refusal::Replay(_) | Refusal::Order | Refusal::Differs))
                        if tries < MOST_TRIES =>
                    {
                        (refusal, tries) = (reason, tries + 1);
                    }
                    found => return found,
                }
            }
        }
        Err(refusal)
    }

    /// Checks that a second pump, which begins in the state after some steps, can be executed any
    /// number of times with a long enough supply: in its part of the run, no observation of
    /// supplied queues depends on their finite length.
    fn check(
        &self,
        stocked: &State,
        middle: Run,
        pump: Run,
        begin: &State,
        effort: &mut usize,
    ) -> Result<Drawn, Refusal> {
        let supplied: BTreeSet<usize> = self.stocks.keys().copied().collect();
        let (growth, rounds) = repeat::confirm_supplied(self.semantics, begin, &pump, 0, &supplied, effort)?;
        if growth.is_empty() {
            return Err(Refusal::Shrinks);
        }
        let along = self.semantics.follow(stocked, &middle.steps, 0)?;
        let once = self.semantics.follow(begin, &pump.steps, 0)?;
        let changes = vec![0; stocked.queues.len()];
        let parts = [
            self.part(&middle, stocked, &along, &changes, &supplied),
            self.part(&pump, begin, &once, &changes, &supplied),
        ];
        let mut looks = parts.each_ref().map(Round::looks);
        // Until rounds repeat exactly, other queues may become long enough to enable further
        // observations.
        let mut before = last(once.clone(), begin.clone());
        for _ in 1..rounds {
            let states = self.semantics.follow(&before, &pump.steps, 0)?;
            self.part(&pump, &before, &states, &changes, &supplied).add_looks(&mut looks[1]);
            before = last(states, before);
        }
        let mut missing = 0;
        for (&queue, stock) in &self.stocks {
            for (part, looks) in parts.iter().zip(&looks) {
                takes_in_order(part, looks, queue)?;
            }
            let compared = looks.iter().filter_map(|looks| looks.thresholds.get(&queue)).max();
            let wanted = stock.wanted(&parts, queue, rounds, compared.copied())?;
            let held = stocked.queues[queue].length as usize;
            missing = missing.max(wanted.saturating_sub(held).div_ceil(stock.growth));
        }
        Ok(Drawn { middle, pump, growth, rounds, missing })
    }

    fn part<'r>(
        &'r self,
        run: &'r Run,
        before: &'r State,
        states: &'r [State],
        changes: &'r [u32],
        supplied: &'r BTreeSet<usize>,
    ) -> Round<'r> {
        Round { semantics: self.semantics, run, before, states, changes, supplied }
    }
}

impl Stock {
    /// Number of messages that a queue must hold before the steps in front of the second pump and
    /// `rounds` rounds of it: those received, those that prove that each round receives the same,
    /// and those by which lengths exceed numbers with which they are compared.
    fn wanted(
        &self,
        [middle, pump]: &[Round<'_>; 2],
        queue: usize,
        rounds: usize,
        compared: Option<u32>,
    ) -> Result<usize, Refusal> {
        let (first, taken) = (middle.taken(queue).len(), pump.taken(queue));
        let period = self.held + self.sent + taken.len();
        let held = middle.content(middle.before, queue);
        let mut pairs = held.iter().skip(first).take(period).zip(taken.iter().copied().cycle());
        if !pairs.all(|(given, wanted)| given == wanted) {
            return Err(Refusal::Order);
        }
        let beyond = compared.map_or(0, |number| number as usize) + 1;
        Ok(first + rounds * taken.len() + period + beyond)
    }
}

/// Number of messages sent to a queue by a round that fills it. Fails unless the round uses the
/// queue first in, first out, and can be repeated.
fn is_filled(
    round: &Round<'_>,
    looks: &Looks,
    queue: usize,
    held: &[Letter],
    left: &[Letter],
) -> Result<usize, Refusal> {
    takes_in_order(round, looks, queue)?;
    let (sent, taken) = (round.sent(queue), round.taken(queue));
    let through = held.iter().chain(sent.iter().copied());
    if !through.eq(taken.iter().copied().chain(left)) {
        return Err(Refusal::Order);
    }
    let held: Vec<&Letter> = held.iter().collect();
    let lasts = taken.is_empty() || feeds_itself(&held, &sent, &taken);
    if lasts { Ok(sent.len()) } else { Err(Refusal::Order) }
}

/// Checks that a part of a run receives only the first messages of a queue, appends others, and
/// observes no more than the first message and comparisons of the length with numbers; and that the
/// queue exists all the time.
fn takes_in_order(part: &Round<'_>, looks: &Looks, queue: usize) -> Result<(), Refusal> {
    let sees_more = looks.any || looks.whole.contains(&queue) || looks.patterns.contains_key(&queue);
    if sees_more || part.sorts_into(queue) {
        return Err(Refusal::Sensitive);
    }
    if part.ends_owner(queue) { Err(Refusal::Differs) } else { Ok(()) }
}

fn last(mut states: Vec<State>, start: State) -> State {
    states.pop().unwrap_or(start)
}

impl Round<'_> {
    /// The messages sent to a queue, in order.
    fn sent(&self, queue: usize) -> Vec<&Letter> {
        self.moves().filter_map(|moved| into(&moved.sent, queue)).collect()
    }

    /// The messages received from a queue, in order.
    fn taken(&self, queue: usize) -> Vec<&Letter> {
        self.moves().filter_map(|moved| into(&moved.received, queue)).collect()
    }
}

impl Semantics {
    /// As [`confirm`](Self::confirm) for a pump fed by another one: the steps of the prefix that
    /// `supply` names, which may be repeated more often.
    ///
    /// # Errors
    /// The reason for which it is not a witness.
    pub fn confirm_supplied(&self, prefix: &Run, supply: &Supply, pump: &Run) -> Result<Witness, Refusal> {
        let Supply { first, steps, times } = *supply;
        let end = steps.checked_mul(times).and_then(|all| all.checked_add(first));
        let end = end.filter(|end| *end <= prefix.steps.len() && steps > 0 && times > 0);
        let end = end.ok_or(Refusal::Empty)?;
        let round = &prefix.steps[first..first + steps];
        if prefix.steps[first..end].chunks(steps).any(|other| other != round) || pump.steps.is_empty() {
            return Err(Refusal::Empty);
        }
        let run = |steps: &[Vec<_>]| Run { steps: steps.to_vec() };
        let (before, round, middle) = (run(&prefix.steps[..first]), run(round), run(&prefix.steps[end..]));
        if let Ok(counted) = Counted::new(self, &before, &round) {
            return counted.confirm(&middle, pump, &mut 0);
        }
        Supplier::new(self, &before, &round)?.confirm(&middle, pump, &mut 0)
    }

    fn frame(&self, state: &State) -> Vec<u8> {
        let mut frame = Vec::new();
        self.encode_frame(state, &mut frame);
        frame
    }
}
