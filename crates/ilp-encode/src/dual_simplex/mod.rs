//! Cheapest weights in floats, by a dual simplex method whose memory depends only on the number of
//! weights above their lower bounds, not on the size of the system.
//!
//! The programme is `min cost·z`, `z ≥ floor`, `column·z ≤ 0` for columns that are added one by
//! one. At a *vertex* some weights, the *raised* ones, are above their lower bounds, and equally
//! many columns are *tight*, `column·z = 0`. The state is the inverse of the square matrix of tight
//! columns and raised weights. A violated column becomes tight: a weight is raised for it, or
//! another column stops being tight. All costs are positive, so the method starts with all weights
//! at their lower bounds.
//!
//! Nothing here decides a result: other modules round and verify the weights.

mod inverse;
mod pivot;

use std::collections::BTreeMap;

use cfsm_core::ids::Id;

use crate::cone::{Column, RowId};
use crate::question::{Demand, Question, generic};
use inverse::Inverse;

/// Absolute values up to this count as 0.
const TINY: f64 = 1e-9;

/// Rates below this are ignored.
const NOTHING: f64 = 1e-13;

/// Number of pivots after which the rounding error is checked, and least number of pivots after
/// which the inverse is computed anew if there is none.
const OFTEN: usize = 8;
const SELDOM: usize = 128;

/// Number of the most violated columns that are processed together.
const WORST: usize = 24;

/// A column in floats.
#[derive(Clone, Debug)]
pub(crate) struct Line {
    /// Pairs of row and change.
    entries: Vec<(u32, f64)>,
    /// Its Euclidean length.
    length: f64,
}

impl Line {
    /// Converts a column.
    pub fn from_column(column: &Column) -> Self {
        #[allow(clippy::cast_precision_loss, clippy::cast_possible_truncation)]
        // A candidate only; fewer than 2^32 rows.
        let entry = |&(row, change): &(RowId, i128)| (row.index() as u32, change as f64);
        let entries: Vec<_> = column.entries.iter().map(entry).collect();
        let length = entries.iter().map(|entry| entry.1 * entry.1).sum::<f64>().sqrt();
        Self { entries, length }
    }

    /// The entries by row.
    pub fn entries(&self) -> impl Iterator<Item = (RowId, f64)> + '_ {
        self.entries.iter().map(|&(row, change)| (RowId::new(row as usize), change))
    }
}

/// A column with its entries by variable.
#[derive(Clone, Debug)]
struct Tight {
    entries: Vec<(u32, f64)>,
    /// The scalar product of the column with the lower bounds, plus the slack.
    floor: f64,
}

/// A vertex: the current weights with the basis that determines them.
#[derive(Debug)]
pub(crate) struct Vertex<'a> {
    question: &'a Question,
    /// Maps each variable to its cost. Variables are the rows and, for free rows, their opposites.
    costs: Vec<f64>,
    /// Maps each variable to its reduced cost, which is at least 0.
    reduced: Vec<f64>,
    /// Variables with an entry in a column that has been tight, and the map from variables to
    /// membership in that list.
    near: Vec<u32>,
    is_near: Vec<bool>,
    /// Maps each variable to the rate of change of its reduced cost; scratch space for a step.
    change: Vec<f64>,
    /// Required distance of columns below 0.
    slack: f64,
    tight: Vec<Tight>,
    /// The variables above their lower bounds.
    raised: Vec<u32>,
    inverse: Inverse,
    /// Number of pivots since the inverse was last computed anew.
    updates: usize,
    /// Maps each variable to its distance above its lower bound.
    values: Vec<f64>,
    /// Maps each row to its weight.
    weights: Vec<f64>,
    /// Maps each tight column to its multiplier.
    multipliers: Vec<f64>,
    /// Maps each variable to `true` if it is raised.
    is_raised: Vec<bool>,
    /// Maps each raised variable to its index in `raised`.
    place: Vec<u32>,
    pivots: usize,
    room: Room,
}

/// The limits of a search.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Room {
    /// Maximum number of pivots, in addition to some for each tight column.
    pub pivots: usize,
    /// Maximum number of tight columns, whose matrix is dense.
    pub tight: usize,
}

/// The search failed: infeasible, numerically hard, or too large.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Lost;

/// The constraint that limits a step.
#[derive(Clone, Copy)]
enum Limit {
    /// A variable whose reduced cost would become negative.
    Variable(u32),
    /// The index of a tight column whose multiplier falls to 0.
    Tight(usize),
}

impl<'a> Vertex<'a> {
    /// Starts with all weights at their lower bounds. A unit of any weight has an extra cost of
    /// `toll`, plus a pseudo-random amount of up to an eighth of it. The search fails with [`Lost`]
    /// if it exceeds `room`.
    pub fn new(question: &'a Question, toll: f64, room: Room) -> Self {
        let rows = question.demand.len();
        #[allow(clippy::cast_precision_loss)] // a candidate only
        let toll = |at: usize| toll * (1.0 + generic(at) as f64 / 8192.0);
        #[allow(clippy::cast_precision_loss)]
        let cost = |(row, marking): (RowId, &u64)| *marking as f64 + toll(row.index());
        let mut costs: Vec<f64> = question.marking.iter().map(cost).collect();
        costs.extend((rows..2 * rows).map(toll));
        let floor = |demand: &Demand| if *demand == Demand::Target { 1.0 } else { 0.0 };
        Self {
            question,
            slack: 0.0,
            values: vec![0.0; costs.len()],
            weights: question.demand.values().map(floor).collect(),
            is_raised: vec![false; costs.len()],
            place: vec![0; costs.len()],
            reduced: costs.clone(),
            near: Vec::new(),
            is_near: vec![false; costs.len()],
            change: vec![0.0; costs.len()],
            costs,
            tight: Vec::new(),
            raised: Vec::new(),
            inverse: Inverse::default(),
            updates: 0,
            multipliers: Vec::new(),
            pivots: 0,
            room,
        }
    }

    /// The weights of all rows.
    pub fn weights(&self) -> &[f64] {
        &self.weights
    }

    /// The rows whose weights may differ from their lower bounds.
    pub fn raised(&self) -> impl Iterator<Item = RowId> + '_ {
        let rows = self.question.demand.len();
        self.raised.iter().map(move |&variable| RowId::new(variable as usize % rows))
    }

    /// Returns `true` if columns must be below 0 by a positive distance.
    pub fn has_slack(&self) -> bool {
        self.slack > 0.0
    }

    /// Requires from now on that columns are at least `slack` below 0.
    pub fn slacken(&mut self, slack: f64) -> Result<(), Lost> {
        self.slack = slack;
        self.tight.iter_mut().for_each(|tight| tight.floor += slack);
        self.update();
        self.make_feasible()
    }

    /// The weight of a column, plus the slack.
    fn weigh(&self, line: &Line) -> f64 {
        let terms = line.entries.iter().map(|&(row, change)| self.weights[row as usize] * change);
        terms.sum::<f64>() + self.slack
    }

    /// Returns `true` if a line with this weight is violated.
    pub fn is_violated(&self, weight: f64) -> bool {
        weight + self.slack > TINY
    }

    /// The violation of a column, relative to its length; `None` if it is not violated.
    pub fn violation(&self, line: &Line) -> Option<f64> {
        let weight = self.weigh(line);
        (weight > TINY).then(|| weight / line.length)
    }

    /// Pivots until none of the columns that are most violated at the start is violated.
    pub fn satisfy<'c>(&mut self, lines: impl Iterator<Item = &'c Line>) -> Result<(), Lost> {
        let mut worst: Vec<(f64, &Line)> =
            lines.filter_map(|line| Some((self.violation(line)?, line))).collect();
        worst.sort_by(|a, b| b.0.total_cmp(&a.0));
        worst.truncate(WORST);
        loop {
            let violated = worst.iter().filter_map(|(_, line)| Some((self.violation(line)?, *line)));
            let Some((_, line)) = violated.max_by(|a, b| a.0.total_cmp(&b.0)) else { return Ok(()) };
            self.tighten(line)?;
            self.make_feasible()?;
        }
    }

    /// Pivots until no variable is below its lower bound.
    fn make_feasible(&mut self) -> Result<(), Lost> {
        loop {
            // The variable that is farthest below, measured along the edge on which it rises
            // (steepest edge).
            let far = |place: usize| {
                let value = self.values[self.raised[place] as usize];
                (value < -TINY).then(|| (value * value / self.inverse.norm(place), place))
            };
            let farthest = (0..self.raised.len()).filter_map(far).max_by(|a, b| a.0.total_cmp(&b.0));
            let Some((_, place)) = farthest else { return Ok(()) };
            self.lower(place)?;
        }
    }

    /// Returns `true` if no weights are cheaper when tolls do not count, according to the tight
    /// columns.
    pub fn is_cheapest_without_toll(&self) -> bool {
        let rows = self.question.demand.len();
        #[allow(clippy::cast_precision_loss)]
        let cost = |variable: u32| {
            let at = variable as usize;
            if at < rows { self.question.marking[RowId::new(at)] as f64 } else { 0.0 }
        };
        let costs: Vec<f64> = self.raised.iter().map(|&variable| -cost(variable)).collect();
        let multipliers = self.inverse.left(&costs);
        let mut reduced: BTreeMap<u32, f64> = BTreeMap::new();
        for (tight, multiplier) in self.tight.iter().zip(&multipliers) {
            for &(variable, entry) in &tight.entries {
                *reduced.entry(variable).or_insert_with(|| cost(variable)) += multiplier * entry;
            }
        }
        let mut reduced = reduced.into_iter().filter(|(variable, _)| !self.is_raised[*variable as usize]);
        multipliers.iter().all(|&multiplier| multiplier > -1e-7)
            && reduced.all(|(_, reduced)| reduced > -1e-7)
    }
}

#[cfg(test)]
mod tests {
    use cfsm_core::ids::IdMap;

    use super::*;
    use crate::cone::Behaviour;

    const ROOM: Room = Room { pivots: 100, tight: 100 };

    const DEMANDS: [Demand; 4] = [Demand::Target, Demand::NonNegative, Demand::NonNegative, Demand::Free];

    fn question() -> Question {
        let demand: IdMap<RowId, Demand> = DEMANDS.into_iter().collect();
        Question { demand, marking: [0, 1, 3, 0].into_iter().collect(), free: IdMap::new() }
    }

    fn line(entries: &[(usize, i128)]) -> Line {
        let entries = entries.iter().map(|&(row, change)| (RowId::new(row), change)).collect();
        Line::from_column(&Column { entries, behaviour: Behaviour::Cycle(Vec::new()) })
    }

    /// Row 0 must weigh 1; a step that sends to it twice needs weight 2 on row 1. The more
    /// expensive row 2 is not needed.
    #[test]
    fn the_cheapest_weights_are_found() {
        let question = question();
        let mut vertex = Vertex::new(&question, 1.0 / 64.0, ROOM);
        let lines = [line(&[(0, 2), (1, -1)]), line(&[(0, 1), (2, -1), (1, -1)]), line(&[(0, 1), (3, 1)])];
        vertex.satisfy(lines.iter()).unwrap();
        let expected = [1.0, 2.0, 0.0, -1.0];
        assert!(vertex.weights().iter().zip(expected).all(|(a, b)| (a - b).abs() < 1e-9), "{vertex:?}");
        assert!(lines.iter().all(|line| vertex.violation(line).is_none()));
        assert!(vertex.is_cheapest_without_toll());
        vertex.slacken(0.5).unwrap();
        assert!((vertex.weights()[1] - 2.5).abs() < 1e-9 && (vertex.weights()[3] + 1.5).abs() < 1e-9);
    }

    #[test]
    fn what_is_impossible_is_lost() {
        let question = question();
        let mut vertex = Vertex::new(&question, 1.0, ROOM);
        assert!(vertex.satisfy([line(&[(0, 1), (1, 1)])].iter()).is_err());
    }

    /// A large toll minimises the sum of weights even at a higher cost.
    #[test]
    fn tolls_make_weights_small() {
        let question = question();
        let either = line(&[(0, 4), (1, -1), (2, -2)]);
        for (toll, row) in [(4.0, 2), (1.0 / 1024.0, 1)] {
            let mut vertex = Vertex::new(&question, toll, ROOM);
            vertex.satisfy([either.clone()].iter()).unwrap();
            assert!(vertex.weights()[3 - row].abs() < 1e-9 && vertex.weights()[row] > 1.0, "{toll}");
        }
    }
}
