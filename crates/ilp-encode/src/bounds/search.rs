//! The bounds of many buffers in floats, each verified exactly.

use std::collections::BTreeMap;

use cfsm_core::ids::{Id, IdMap};
use cfsm_core::system::{BufferId, ClassId};
use num_bigint::BigInt;
use num_traits::ToPrimitive;

use super::network::{Network, Scratch};
use super::{Bounds, Found};
use crate::cone::{Column, Potential, Row, RowId};
use crate::decide::{Pool, SLACK, potential};
use crate::dual_simplex::{Line, Lost, Room, Vertex};
use crate::flow::Separation;
use crate::question::{Demand, Question};
use crate::walk::{maxima, most};
use crate::{BoundSearch, Options, Stopped, rounding, threads};

/// Greatest number of buffers processed together; the next ones start with the columns that these
/// have found. The first one is processed alone, and then twice as many each time.
const TOGETHER: usize = 8;

/// Extra cost of a unit of weight in the first search, high enough for weights on few places, and
/// the limits of that search.
const LOCAL: Effort = Effort { toll: 8.0, room: Room { pivots: 5_000, tight: 1_500 } };

/// The same for the search for the least bound.
const LEAST: Effort = Effort { toll: 1.0 / 1024.0, room: Room { pivots: 1_500, tight: 1_500 } };

/// Number of transitions from which the searches get smaller limits if the places near a buffer
/// bound it.
const LARGE: usize = 2_000;

/// The smaller limits of the first search.
const LESS_LOCAL: Room = Room { pivots: 250, tight: 128 };

/// The smaller limits of the search for the least bound.
const LESS_LEAST: Room = Room { pivots: 50, tight: 128 };

/// Number of buffers whose circulations are computed in sequence.
const CHUNK: usize = 64;

/// Weights of rows, without zeros.
type Circulation = Vec<(RowId, i64)>;

/// The extra cost and the limits of a search.
#[derive(Clone, Copy, Debug)]
struct Effort {
    /// Extra cost of a unit of weight.
    toll: f64,
    room: Room,
}

/// The rows of the message types of some buffers.
struct Counted {
    /// Maps each of these rows to its buffer.
    owner: BTreeMap<RowId, BufferId>,
    /// Maps each buffer to its number of rows.
    rows: BTreeMap<BufferId, usize>,
}

/// The columns found by earlier searches, with their float versions.
#[derive(Default)]
struct Known {
    pool: Pool,
    lines: Vec<Line>,
    /// Maps each row to the lines with an entry there, and the entries.
    by_row: Vec<Vec<(u32, f64)>>,
}

impl Known {
    fn admit(&mut self, column: Column) {
        let line = Line::from_column(&column);
        if self.pool.admit(column) == self.lines.len() {
            let at = u32::try_from(self.lines.len()).expect("fewer than 2^32 columns");
            for (row, entry) in line.entries() {
                if self.by_row.len() <= row.index() {
                    self.by_row.resize_with(row.index() + 1, Vec::new);
                }
                self.by_row[row.index()].push((at, entry));
            }
            self.lines.push(line);
        }
    }

    /// The known lines that a vertex with these targets violates.
    fn violated(&self, vertex: &Vertex<'_>, targets: &[RowId]) -> Vec<&Line> {
        let mut weighed = vec![0.0; self.lines.len()];
        let mut support: Vec<RowId> = targets.iter().copied().chain(vertex.raised()).collect();
        support.sort_unstable();
        support.dedup();
        for row in support {
            let weight = vertex.weights()[row.index()];
            for &(line, entry) in self.by_row.get(row.index()).into_iter().flatten() {
                weighed[line as usize] += weight * entry;
            }
        }
        let violated = weighed.iter().zip(&self.lines).filter(|(weight, _)| vertex.is_violated(**weight));
        violated.map(|(_, line)| line).collect()
    }
}

/// A buffer whose bound is asked for, and what is known of it.
struct Asked<'a> {
    buffer: BufferId,
    /// The number of messages in it that a walk reaches: a bound equal to it cannot be improved.
    reached: &'a BigInt,
    /// Its cheapest circulation, with `true` if no other weights are cheaper.
    circulation: Option<&'a (Circulation, bool)>,
    /// `true` if weights are looked for on the places near it only.
    is_brief: bool,
}

/// The columns available in the search for one buffer: `known` from earlier searches, the others
/// from this one.
struct AtHand<'a> {
    known: &'a Known,
    columns: Vec<Column>,
    lines: Vec<Line>,
}

impl AtHand<'_> {
    /// Pivots until no available column is violated.
    fn satisfy(&self, vertex: &mut Vertex<'_>, targets: &[RowId]) -> Result<(), Lost> {
        loop {
            let mut violated = self.known.violated(vertex, targets);
            violated.extend(self.lines.iter().filter(|line| vertex.violation(line).is_some()));
            if violated.is_empty() {
                return Ok(());
            }
            vertex.satisfy(violated.into_iter())?;
        }
    }

    /// Adds those of `columns` that the vertex violates; returns `true` if there are any.
    fn add(&mut self, columns: Vec<Column>, vertex: &Vertex<'_>) -> bool {
        let before = self.lines.len();
        for column in columns {
            let line = Line::from_column(&column);
            if vertex.violation(&line).is_some() {
                self.columns.push(column);
                self.lines.push(line);
            }
        }
        self.lines.len() > before
    }
}

/// The decided buffers, and those still open.
struct Settled {
    /// Maps each decided buffer to its result.
    found: BTreeMap<BufferId, Result<Found, Stopped>>,
    /// The potentials found.
    potentials: Vec<Potential>,
    /// Buffers that may be undecided, ascending.
    open: Vec<BufferId>,
    /// Maps each buffer to the index of the first potential with the least bound of those that
    /// bound it.
    standing: BTreeMap<BufferId, usize>,
    /// Maps each potential to the number of searches, each for a buffer that it bounds, that have
    /// found nothing better.
    unbeaten: Vec<usize>,
}

impl Settled {
    /// The next undecided buffers, at most so many, and far apart: one potential often decides
    /// neighbouring buffers.
    fn next(&mut self, most: usize) -> Vec<BufferId> {
        self.open.retain(|buffer| !self.found.contains_key(buffer));
        let apart = self.open.len().div_ceil(most).max(1);
        self.open.iter().copied().step_by(apart).collect()
    }

    /// Adds a potential that bounds some buffers; returns its index.
    fn add(&mut self, potential: Potential, buffers: &[BufferId]) -> usize {
        let number = self.potentials.len();
        let bound = potential.bound();
        for buffer in buffers {
            let standing = self.standing.entry(*buffer).or_insert(number);
            if self.potentials.get(*standing).is_some_and(|known| bound < known.bound()) {
                *standing = number;
            }
        }
        self.potentials.push(potential);
        self.unbeaten.push(0);
        number
    }

    /// Returns `true` if some searches, half as many as are made together, have found nothing
    /// better than what bounds this buffer: in a large system no long search is made then.
    fn is_settling(&self, buffer: BufferId) -> bool {
        self.standing.get(&buffer).is_some_and(|standing| 2 * self.unbeaten[*standing] >= TOGETHER)
    }

    /// Records the result for a buffer, unless it has one.
    fn note(&mut self, buffer: BufferId, best: Option<usize>, is_least: bool) {
        self.found.entry(buffer).or_insert(Ok(Found { best, is_least }));
    }
}

impl Bounds<'_> {
    /// The results of the float search for each buffer. The buffers are processed in groups, each
    /// group with the columns of the groups before, so the result does not depend on the schedule.
    /// A potential may decide several buffers.
    pub(super) fn all_in_floats(
        &self,
        buffers: &[BufferId],
        options: &Options,
    ) -> (Vec<Result<Found, Stopped>>, Vec<Potential>, Pool) {
        let shared = self.growth.potential.bound();
        let reached = maxima(self.cone, buffers, &shared);
        let mut known = Known::default();
        let mut settled = Settled {
            found: BTreeMap::new(),
            potentials: Vec::new(),
            open: buffers.to_vec(),
            standing: BTreeMap::new(),
            unbeaten: Vec::new(),
        };
        for &buffer in buffers.iter().filter(|&&buffer| shared <= reached[buffer].into()) {
            settled.note(buffer, None, true);
        }
        let counted = self.counted(buffers);
        let circulations = self.circulations(&settled.open, options);
        let (is_fast, is_large) = (options.bounds == BoundSearch::Fast, self.is_large());
        let mut most = 1;
        loop {
            let some = settled.next(most);
            most = TOGETHER.min(2 * most);
            if some.is_empty() {
                break;
            }
            let one = |buffer: &BufferId| {
                let asked = Asked {
                    buffer: *buffer,
                    reached: &reached[*buffer].into(),
                    circulation: circulations.get(buffer),
                    is_brief: is_fast || is_large && settled.is_settling(*buffer),
                };
                self.of_buffer(&asked, &known, options)
            };
            let answers = threads::map(some.iter().collect(), one);
            for (buffer, answer) in some.into_iter().zip(answers) {
                match answer {
                    Ok((best, is_least, columns)) => {
                        columns.into_iter().for_each(|column| known.admit(column));
                        if !settled.found.contains_key(&buffer) {
                            self.settle(buffer, best, is_least, &counted, &reached, &mut settled);
                        }
                    }
                    Err(stopped) => _ = settled.found.entry(buffer).or_insert(Err(stopped)),
                }
            }
        }
        let Settled { mut found, potentials, .. } = settled;
        let nothing = || Ok(Found { best: None, is_least: true });
        let all = buffers.iter().map(|buffer| found.remove(buffer).unwrap_or_else(nothing));
        (all.collect(), potentials, known.pool)
    }

    /// Records what a search has found for a buffer: a potential that is known already, if it is as
    /// good, or a new one, which may decide other buffers.
    fn settle(
        &self,
        buffer: BufferId,
        best: Option<Potential>,
        is_least: bool,
        counted: &Counted,
        reached: &IdMap<BufferId, i64>,
        settled: &mut Settled,
    ) {
        let bound = best.as_ref().map_or_else(|| self.growth.potential.bound(), Potential::bound);
        let standing = settled.standing.get(&buffer).copied();
        if let Some(standing) = standing.filter(|known| settled.potentials[*known].bound() <= bound) {
            settled.unbeaten[standing] += 1;
            settled.note(buffer, Some(standing), is_least);
        } else if let Some(best) = best {
            let bounded = self.heavy(&best, counted);
            let number = settled.add(best, &bounded);
            settled.note(buffer, Some(number), is_least);
            for other in bounded.into_iter().filter(|other| bound <= reached[*other].into()) {
                settled.note(other, Some(number), true);
            }
        } else {
            settled.note(buffer, None, is_least);
        }
    }

    /// Maps each row of a message type of these buffers to its buffer, and each buffer to its
    /// number of rows.
    fn counted(&self, buffers: &[BufferId]) -> Counted {
        let (mut owner, mut rows) = (BTreeMap::new(), BTreeMap::new());
        for &buffer in buffers {
            for &message in &self.messages[buffer] {
                if owner.insert(self.row(message), buffer).is_none() {
                    *rows.entry(buffer).or_insert(0) += 1;
                }
            }
        }
        Counted { owner, rows }
    }

    /// The buffers whose message types all weigh at least 1, ascending.
    fn heavy(&self, potential: &Potential, Counted { owner, rows }: &Counted) -> Vec<BufferId> {
        let heavy = potential.messages.iter().filter(|(_, weight)| *weight >= potential.denominator);
        let mut counts: BTreeMap<BufferId, usize> = BTreeMap::new();
        for &buffer in heavy.filter_map(|(message, _)| owner.get(&self.working().message_row(*message))) {
            *counts.entry(buffer).or_insert(0) += 1;
        }
        counts
            .into_iter()
            .filter(|(buffer, count)| rows[buffer] == *count)
            .map(|(buffer, _)| buffer)
            .collect()
    }

    /// Maps each buffer, as far as time allows, to the weights of its minimum-cost circulation,
    /// with `true` if no other weights are cheaper.
    fn circulations(
        &self,
        buffers: &[BufferId],
        options: &Options,
    ) -> BTreeMap<BufferId, (Circulation, bool)> {
        let network = Network::new(self.working(), &self.question);
        let of_some = |some: &[BufferId]| {
            let mut scratch = Scratch::new(&network);
            let of_one = |&buffer: &BufferId| {
                let mut rows: Vec<RowId> = self.messages[buffer].iter().map(|&m| self.row(m)).collect();
                rows.sort_unstable();
                rows.dedup();
                Some((buffer, (network.cheapest(&rows, &mut scratch)?, network.is_whole)))
            };
            let some = some.iter().take_while(|_| options.check_time().is_ok());
            some.filter_map(of_one).collect::<Vec<_>>()
        };
        threads::map(buffers.chunks(CHUNK).collect(), of_some).into_iter().flatten().collect()
    }

    /// The verified potential of a circulation; `None` if some column violates it.
    fn of_circulation(&self, circulation: &Circulation, question: &Question) -> Option<Potential> {
        let cone = self.working();
        let mut weights = vec![BigInt::ZERO; question.demand.len()];
        circulation.iter().for_each(|&(row, weight)| weights[row.index()] = weight.into());
        let weights = question.clamp((weights, 1.into()));
        match cone.separate(&weights.0, &question.free) {
            Separation::Holds(heights) => Some(potential(cone, &weights, heights)),
            Separation::Violated(_) => None,
        }
    }

    /// Returns `true` if searches get smaller limits.
    fn is_large(&self) -> bool {
        self.working().system().transitions.len() >= LARGE
    }

    /// The verified result for a buffer: the best potential, `true` if its bound is the least, and
    /// the columns found.
    fn of_buffer(
        &self,
        asked: &Asked<'_>,
        known: &Known,
        options: &Options,
    ) -> Result<(Option<Potential>, bool, Vec<Column>), Stopped> {
        options.check_time()?;
        let question = self.question(asked.buffer);
        let shared = self.growth.potential.bound();
        let mut best = None;
        if let Some((circulation, is_cheapest)) = asked.circulation
            && let Some(found) = self.of_circulation(circulation, &question)
        {
            let bound = found.bound();
            best = Some(found).filter(|_| bound < shared);
            if *is_cheapest || bound <= *asked.reached {
                return Ok((best, true, Vec::new()));
            }
        }
        let mut at_hand = AtHand { known, columns: Vec::new(), lines: Vec::new() };
        let (best, is_least) = self.in_floats(asked, best, &question, &mut at_hand, options)?;
        Ok((best, is_least, at_hand.columns))
    }

    /// The verified result of the float search for a buffer: the best potential, and `true` if its
    /// bound is the least.
    fn in_floats(
        &self,
        asked: &Asked<'_>,
        mut best: Option<Potential>,
        question: &Question,
        at_hand: &mut AtHand<'_>,
        options: &Options,
    ) -> Result<(Option<Potential>, bool), Stopped> {
        let Asked { buffer, reached, is_brief, .. } = *asked;
        let mut bound = best.as_ref().map_or_else(|| self.growth.potential.bound(), Potential::bound);
        let (mut local, mut least) = (LOCAL, LEAST);
        let mut has_less = false;
        // The bound that no walk has reached, once a walk has tried it.
        let mut too_high = None;
        if let Some((near, _)) = self.cheapest(&self.near(question), LEAST, at_hand, options)?
            && near.bound() < bound
        {
            bound = near.bound();
            best = Some(near);
            if self.is_large() {
                (local.room, least.room) = (LESS_LOCAL, LESS_LEAST);
                has_less = true;
            }
            if bound <= *reached || !is_brief && self.is_walked_to(buffer, &bound) {
                return Ok((best, true));
            }
            too_high = Some(bound.clone());
        }
        if is_brief {
            return Ok((best, false));
        }
        match self.cheapest(question, local, at_hand, options)? {
            Some((found, _)) if found.bound() < bound => {
                bound = found.bound();
                best = Some(found);
            }
            // Weights with a very small extra cost use even more places.
            None if has_less => return Ok((best, false)),
            _ => {}
        }
        if too_high.as_ref() != Some(&bound) && (bound <= *reached || self.is_walked_to(buffer, &bound)) {
            return Ok((best, true));
        }
        let mut is_least = false;
        if let Some((potential, cheapest)) = self.cheapest(question, least, at_hand, options)? {
            is_least = cheapest || potential.bound() <= *reached;
            if potential.bound() < bound {
                best = Some(potential);
            }
        }
        Ok((best, is_least))
    }

    /// Returns `true` if a walk brings `bound` messages into a buffer.
    fn is_walked_to(&self, buffer: BufferId, bound: &BigInt) -> bool {
        let working = self.working();
        let mut row = IdMap::filled(false, working.rows().len());
        self.messages[buffer].iter().for_each(|&message| row[self.row(message)] = true);
        let wanted = bound.to_i64().unwrap_or(i64::MAX);
        most(working, row, wanted) >= wanted
    }

    /// The question with weights only on the rows that no class but the users of the targets
    /// changes.
    fn near(&self, question: &Question) -> Question {
        let cone = self.working();
        let targets = question.demand.iter().filter(|(_, demand)| **demand == Demand::Target);
        let mut users: Vec<ClassId> = targets.flat_map(|(row, _)| cone.touching(row)).copied().collect();
        users.sort_unstable();
        users.dedup();
        let mut near = question.clone();
        for (row, demand) in near.demand.iter_mut() {
            let is_near = match cone.row(row) {
                Row::Entry(class) => users.binary_search(&class).is_ok(),
                _ => cone.touching(row).iter().all(|class| users.binary_search(class).is_ok()),
            };
            if !is_near {
                *demand = Demand::Dropped;
            }
        }
        near
    }

    /// The cheapest weights with an extra cost (toll) per unit, and `true` if no weights are
    /// cheaper without it. `None` if the float search fails.
    fn cheapest(
        &self,
        question: &Question,
        Effort { toll, room }: Effort,
        at_hand: &mut AtHand<'_>,
        options: &Options,
    ) -> Result<Option<(Potential, bool)>, Stopped> {
        let cone = self.working();
        let targets = question.demand.iter().filter(|(_, demand)| **demand == Demand::Target);
        let targets: Vec<RowId> = targets.map(|(row, _)| row).collect();
        let mut vertex = Vertex::new(question, toll, room);
        loop {
            options.check_time()?;
            if at_hand.satisfy(&mut vertex, &targets).is_err() {
                return Ok(None);
            }
            let values = vertex.weights();
            let weights = rounding::simplest(values).or_else(|| rounding::dyadic(values));
            let Some(weights) = weights.map(|weights| question.clamp(weights)) else { return Ok(None) };
            match cone.separate(&weights.0, &question.free) {
                Separation::Holds(heights) => {
                    let found = potential(cone, &weights, heights);
                    return Ok(Some((found, vertex.is_cheapest_without_toll())));
                }
                Separation::Violated(columns) => {
                    if !at_hand.add(columns, &vertex)
                        && (vertex.has_slack() || vertex.slacken(SLACK).is_err())
                    {
                        return Ok(None);
                    }
                }
            }
        }
    }
}
