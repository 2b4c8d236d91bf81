//! Buffers that are alike: one answer for all of them, found in a small system.
//!
//! The weights for one buffer may be chosen equal on each part of the coarsest [equitable
//! partition](crate::lumping) that tells the message types of this buffer apart from all others:
//! their average over each part satisfies the same conditions at the same cost. In a system of one
//! server and a thousand clients such a partition has parts for the server, for the client whose
//! buffer it is, and for all other clients together. So the question is put to the system that is
//! merged by this partition.
//!
//! Buffers whose message types are in the same parts of the coarsest partition of all are alike, as
//! far as colour refinement sees. The weights of one are those of each other one, carried over from
//! part to part by number. Whether that is right is not assumed: the weights are verified on the
//! system itself, and a buffer for which they do not hold is asked about on its own.

use std::collections::BTreeMap;

use cfsm_core::ids::Id;
use cfsm_core::system::BufferId;
use num_bigint::BigInt;

use super::Bounds;
use crate::cone::{Cone, Potential, RowId};
use crate::growth::weights;
use crate::lumping::{Lumping, Parts};
use crate::question::Demand;
use crate::{BoundSearch, Options, Stopped, threads};

/// Greatest number of parts in percent of the places and transitions: of the coarsest partition,
/// and of the one around a buffer that is like no other.
const WORTHWHILE: usize = 20;

/// Weights that are equal on each part of a partition.
struct ByPart {
    weights: BTreeMap<usize, BigInt>,
    denominator: BigInt,
}

/// An answer for one buffer: its potential, if it is better than the shared one.
type Answer = Result<Option<Potential>, Stopped>;

impl Bounds<'_> {
    /// The answers for buffers that are alike, and for those around which the merged system is
    /// small. The others have none.
    ///
    /// Time linear in the system for each buffer, and a search for each set of buffers that are
    /// alike.
    pub(super) fn of_alike(&self, buffers: &[BufferId], options: &Options) -> BTreeMap<BufferId, Answer> {
        let lumping = Lumping::new(self.cone, self.cone.taking_part(), |message| {
            u64::from(self.question.demand[self.row(message)] == Demand::Dropped)
        });
        if lumping.percentage(&lumping.around(&[])) > WORTHWHILE {
            return BTreeMap::new();
        }
        let mut alike: BTreeMap<Vec<usize>, Vec<BufferId>> = BTreeMap::new();
        for &buffer in buffers {
            let mut parts: Vec<usize> =
                self.messages[buffer].iter().map(|&message| lumping.part_of(message)).collect();
            parts.sort_unstable();
            alike.entry(parts).or_default().push(buffer);
        }
        let of_set = |buffers: Vec<BufferId>| self.of_set(&lumping, &buffers, options);
        threads::map(alike.into_values().collect(), of_set).into_iter().flatten().collect()
    }

    /// The answers for buffers that are alike, as far as there are any.
    fn of_set(
        &self,
        lumping: &Lumping<'_>,
        buffers: &[BufferId],
        options: &Options,
    ) -> Vec<(BufferId, Answer)> {
        let [first, others @ ..] = buffers else { return Vec::new() };
        let parts = lumping.around(&self.messages[*first]);
        if others.is_empty() && lumping.percentage(&parts) > WORTHWHILE {
            return Vec::new();
        }
        let Some(found) = self.in_merged(lumping, &parts, *first, options) else { return Vec::new() };
        let found = match found {
            Ok(Some(found)) => found,
            Ok(None) => return buffers.iter().map(|buffer| (*buffer, Ok(None))).collect(),
            Err(stopped) => return vec![(*first, Err(stopped))],
        };
        let by_part = self.by_part(lumping, &parts, &found);
        let carried = |buffer: &BufferId| -> Option<(BufferId, Answer)> {
            if let Err(stopped) = options.check_time() {
                return Some((*buffer, Err(stopped)));
            }
            let parts = lumping.around(&self.messages[*buffer]);
            Some((*buffer, Ok(Some(self.carried(lumping, &parts, &by_part)?))))
        };
        let mut answers: Vec<_> =
            threads::map(others.iter().collect(), carried).into_iter().flatten().collect();
        answers.push((*first, Ok(Some(found))));
        answers
    }

    /// The answer for a buffer, from the system that is merged around it; `None` if a number of
    /// that does not fit.
    fn in_merged(
        &self,
        lumping: &Lumping<'_>,
        parts: &Parts,
        buffer: BufferId,
        options: &Options,
    ) -> Option<Answer> {
        let merged = lumping.merge(parts)?;
        let small = Cone::new(merged.system(), merged.facts(), options).ok()?;
        let around = self.around(&merged, small);
        // The merged system is small, or one for many buffers.
        let options = Options { bounds: BoundSearch::Least, ..options.clone() };
        let mut found = around.one_by_one(&[buffer], &options);
        Some(found.of.pop()?.map(|number| number.map(|number| found.potentials.swap_remove(number))))
    }

    /// Weights by part.
    fn by_part(&self, lumping: &Lumping<'_>, parts: &Parts, found: &Potential) -> ByPart {
        let mut of_part = BTreeMap::new();
        for (at, weight) in weights(self.cone, found).into_iter().enumerate() {
            if weight != BigInt::ZERO
                && let Some(part) = lumping.part_of_row(parts, RowId::new(at))
            {
                of_part.insert(part, weight);
            }
        }
        ByPart { weights: of_part, denominator: found.denominator.clone() }
    }

    /// The potential with these weights on a partition; `None` if it does not hold.
    fn carried(&self, lumping: &Lumping<'_>, parts: &Parts, by_part: &ByPart) -> Option<Potential> {
        let weight = |row: RowId| match lumping.part_of_row(parts, row) {
            Some(part) => by_part.weights.get(&part).cloned().unwrap_or_default(),
            None => by_part.denominator.clone(),
        };
        self.holding(
            (0..self.cone.rows().len()).map(|at| weight(RowId::new(at))).collect(),
            by_part.denominator.clone(),
        )
    }
}
