//! Pivots from vertex to vertex.

use cfsm_core::ids::Id;

use super::{Inverse, Limit, Line, Lost, NOTHING, OFTEN, SELDOM, TINY, Tight, Vertex};
use crate::cone::RowId;
use crate::question::Demand;

impl Vertex<'_> {
    /// Makes a violated column tight.
    pub(super) fn tighten(&mut self, line: &Line) -> Result<(), Lost> {
        let new = self.by_variable(line);
        // The multipliers of tight columns fall at these rates as the multiplier of the new one
        // rises from 0.
        let along: Vec<f64> = {
            let mut entries = vec![0.0; self.raised.len()];
            self.in_raised(&new, &mut entries);
            self.inverse.left(&entries)
        };
        let falls: Vec<f64> = along.iter().map(|rate| -rate).collect();
        let (limit, pivot, step) = self.limit(&falls, Some(&new))?;
        match limit {
            Limit::Variable(variable) => {
                let column = self.inverse.times_sparse(&self.entries_of(variable));
                self.inverse.grow(&column, &along, pivot);
                self.tight.push(new);
                self.multipliers.push(step);
                self.raise(variable);
            }
            Limit::Tight(place) => {
                self.inverse.replace_row(place, &along);
                self.tight[place] = new;
                self.multipliers[place] = step;
            }
        }
        self.moved()
    }

    /// Moves a variable below its lower bound to that bound; `place` is its index in `raised`.
    pub(super) fn lower(&mut self, place: usize) -> Result<(), Lost> {
        let rates = self.inverse.row(place).to_vec();
        let variable = self.raised[place];
        match self.limit(&rates, None)?.0 {
            Limit::Variable(other) => {
                let column = self.inverse.times_sparse(&self.entries_of(other));
                self.inverse.replace_column(place, &column);
                self.raised[place] = other;
                self.is_raised[other as usize] = true;
            }
            Limit::Tight(tight) => {
                self.inverse.shrink(tight, place);
                self.tight.swap_remove(tight);
                self.multipliers.swap_remove(tight);
                self.raised.swap_remove(place);
            }
        }
        self.is_raised[variable as usize] = false;
        self.values[variable as usize] = 0.0;
        self.weigh_row(variable);
        self.moved()
    }

    /// Changes the multipliers at these rates until the first limit. Returns that limit, its rate,
    /// and the size of the step.
    fn limit(&mut self, rates: &[f64], new: Option<&Tight>) -> Result<(Limit, f64, f64), Lost> {
        for &variable in &self.near {
            self.change[variable as usize] = 0.0;
        }
        for (tight, rate) in self.tight.iter().zip(rates).filter(|(_, rate)| rate.abs() > NOTHING) {
            for &(variable, entry) in &tight.entries {
                self.change[variable as usize] += rate * entry;
            }
        }
        for &(variable, entry) in new.iter().flat_map(|new| &new.entries) {
            if !self.is_near[variable as usize] {
                self.is_near[variable as usize] = true;
                self.near.push(variable);
            }
            self.change[variable as usize] += entry;
        }
        // The first limit of all; among those equally near, the one with the greatest rate.
        let mut best: Option<(f64, Limit, f64)> = None;
        let mut consider = |rate: f64, left: f64, limit: Limit| {
            let at = left.max(0.0) / -rate;
            let is_closer =
                |best: (f64, Limit, f64)| at < best.0 - TINY || at <= best.0 + TINY && rate < best.2;
            if best.is_none_or(is_closer) {
                best = Some((at, limit, rate));
            }
        };
        for &variable in &self.near {
            let rate = self.change[variable as usize];
            if rate < -TINY && !self.is_raised[variable as usize] {
                consider(rate, self.reduced[variable as usize], Limit::Variable(variable));
            }
        }
        for (place, (&rate, &multiplier)) in rates.iter().zip(&self.multipliers).enumerate() {
            if rate < -TINY {
                consider(rate, multiplier, Limit::Tight(place));
            }
        }
        let (least, limit, rate) = best.ok_or(Lost)?;
        for &variable in &self.near {
            self.reduced[variable as usize] += least * self.change[variable as usize];
        }
        for (multiplier, rate) in self.multipliers.iter_mut().zip(rates) {
            *multiplier += least * rate;
        }
        Ok((limit, rate, least))
    }

    /// The entries of a column by variable.
    fn by_variable(&self, line: &Line) -> Tight {
        #[allow(clippy::cast_possible_truncation)] // fewer than 2^31 rows
        let rows = self.question.demand.len() as u32;
        let (mut entries, mut floor) = (Vec::with_capacity(line.entries.len()), self.slack);
        for &(row, change) in &line.entries {
            match self.question.demand[RowId::new(row as usize)] {
                Demand::Dropped => continue,
                Demand::Target => floor += change,
                Demand::NonNegative => {}
                Demand::Free => entries.push((row + rows, -change)),
            }
            entries.push((row, change));
        }
        entries.sort_unstable_by_key(|entry| entry.0);
        Tight { entries, floor }
    }

    /// Writes the entries of a column at the raised variables to `entries`.
    fn in_raised(&self, column: &Tight, entries: &mut [f64]) {
        for &(variable, entry) in &column.entries {
            if self.is_raised[variable as usize] {
                entries[self.place[variable as usize] as usize] = entry;
            }
        }
    }

    /// The non-zero entries of the tight columns at a variable.
    fn entries_of(&self, variable: u32) -> Vec<(usize, f64)> {
        let entry = |(at, tight): (usize, &Tight)| {
            let place = tight.entries.binary_search_by_key(&variable, |entry| entry.0).ok()?;
            Some((at, tight.entries[place].1))
        };
        self.tight.iter().enumerate().filter_map(entry).collect()
    }

    fn raise(&mut self, variable: u32) {
        self.raised.push(variable);
        self.is_raised[variable as usize] = true;
    }

    /// Ends a pivot: recomputes the values and, if rounding errors have grown, the inverse and the
    /// multipliers.
    fn moved(&mut self) -> Result<(), Lost> {
        self.pivots += 1;
        if self.pivots > self.room.pivots + 4 * self.tight.len() || self.tight.len() > self.room.tight {
            return Err(Lost);
        }
        self.update();
        self.updates += 1;
        // The inverse takes as long as its updates since the last time, or less.
        let is_due = self.updates >= SELDOM.max(self.tight.len());
        if self.pivots.is_multiple_of(OFTEN) && (is_due || self.error() > TINY) {
            self.updates = 0;
            let mut matrix = vec![vec![0.0; self.raised.len()]; self.tight.len()];
            for (tight, entries) in self.tight.iter().zip(&mut matrix) {
                self.in_raised(tight, entries);
            }
            self.inverse = Inverse::from_matrix(matrix).ok_or(Lost)?;
            self.update();
            self.reduce();
            if self.error() > 1e-6 {
                return Err(Lost);
            }
        }
        Ok(())
    }

    pub(super) fn update(&mut self) {
        for (place, &variable) in (0..).zip(&self.raised) {
            self.place[variable as usize] = place;
        }
        let floors = self.tight.iter().enumerate().filter(|(_, tight)| tight.floor != 0.0);
        let floors: Vec<(usize, f64)> = floors.map(|(at, tight)| (at, -tight.floor)).collect();
        for (&variable, value) in self.raised.iter().zip(self.inverse.times_sparse(&floors)) {
            self.values[variable as usize] = value;
        }
        for at in 0..self.raised.len() {
            self.weigh_row(self.raised[at]);
        }
    }

    /// Recomputes the multipliers and the reduced costs.
    fn reduce(&mut self) {
        let costs: Vec<f64> = self.raised.iter().map(|&variable| -self.costs[variable as usize]).collect();
        self.multipliers = self.inverse.left(&costs);
        for &variable in &self.near {
            self.reduced[variable as usize] = self.costs[variable as usize];
        }
        for (tight, multiplier) in self.tight.iter().zip(&self.multipliers) {
            for &(variable, entry) in &tight.entries {
                self.reduced[variable as usize] += multiplier * entry;
            }
        }
    }

    /// Recomputes the weight of a variable's row.
    fn weigh_row(&mut self, variable: u32) {
        let rows = self.question.demand.len();
        let row = variable as usize % rows;
        self.weights[row] = match self.question.demand[RowId::new(row)] {
            Demand::Target => 1.0 + self.values[row],
            Demand::NonNegative => self.values[row],
            Demand::Free => self.values[row] - self.values[row + rows],
            Demand::Dropped => 0.0,
        };
    }

    /// The greatest absolute weight of a tight column, 0 without rounding errors.
    fn error(&self) -> f64 {
        let weight = |tight: &Tight| {
            let weights =
                tight.entries.iter().map(|&(variable, entry)| self.values[variable as usize] * entry);
            (tight.floor + weights.sum::<f64>()).abs()
        };
        self.tight.iter().map(weight).fold(0.0, f64::max)
    }
}
