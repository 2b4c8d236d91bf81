//! The number of rounds: how often control comes back to the head of a loop before it leaves it.
//!
//! The blocks of a run through a loop are a flow from an entry point to some point; each level of a
//! ranking function is a quantity that is never negative, falls by its step with each block that is
//! lowered, and is raised by others by no more than they say. So the number of arrivals is at most
//! the optimum of a linear programme over the flow. Its multipliers are a bound in terms of what
//! the quantities are at the entry, whatever that is (as in KoAT and Loopus).

use std::collections::BTreeMap;

use cfsm_core::ids::Id;
use ilp_encode::linear::{Constraint, Domain, LinearProgramme, Maximum, Relation};
use num_bigint::BigInt;
use num_rational::BigRational;
use num_traits::{One, Signed, ToPrimitive, Zero};

use crate::affine::{Affine, Symbol};
use crate::blocks::{BlockId, PointId};
use crate::polyhedron::{Polyhedron, Region};
use crate::rank::{Level, LoopBlocks};

/// A bound on the number of rounds: the greatest of some sums.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Rounds {
    /// The sums, one for each way to enter the loop; none if it is never entered.
    pub sums: Vec<Sum>,
}

/// A sum that bounds the number of rounds.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Sum {
    /// The constant.
    pub constant: BigRational,
    /// The parts that depend on the values of variables when the loop is entered.
    pub parts: Vec<Part>,
    /// Number of rounds for each counted statement that is executed meanwhile.
    pub per_counted: BigRational,
    /// The greatest value of the sum, without counted statements. The number of rounds is at most
    /// this and [`per_counted`](Self::per_counted) for each, rounded down behind the addition.
    pub greatest: BigRational,
}

/// A part of a sum: a factor times an expression over the variables, or 0 where the expression is
/// negative.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Part {
    /// The factor, which is positive.
    pub factor: BigRational,
    /// The expression.
    pub value: Affine,
}

impl Rounds {
    /// The greatest bound over all entries, for runs without counted statements.
    #[must_use]
    pub fn most(&self) -> BigInt {
        self.greatest().floor().to_integer()
    }

    /// The least integer to which [`per_counted`](Self::per_counted) may be added for each counted
    /// statement; more than [`most`](Self::most) if that is a fraction.
    #[must_use]
    pub fn most_beside_counted(&self) -> BigInt {
        if self.per_counted().is_integer() { self.most() } else { self.greatest().ceil().to_integer() }
    }

    fn greatest(&self) -> BigRational {
        self.sums.iter().map(|sum| sum.greatest.clone()).max().unwrap_or_default()
    }

    /// The number of rounds for each counted statement that is executed in the loop.
    #[must_use]
    pub fn per_counted(&self) -> BigRational {
        self.sums.iter().map(|sum| sum.per_counted.clone()).max().unwrap_or_default()
    }

    /// The bound for given values of the variables, without counted statements.
    #[must_use]
    pub fn at(&self, values: &[i64]) -> BigInt {
        let sum = |sum: &Sum| {
            let part = |part: &Part| {
                let terms = part.value.terms.iter();
                let value: BigInt =
                    terms.map(|(symbol, factor)| BigInt::from(*factor) * values[symbol.index()]).sum();
                let value = (value + part.value.constant).max(BigInt::zero());
                &part.factor * BigRational::from_integer(value)
            };
            let total: BigRational = sum.parts.iter().map(part).sum();
            (total + &sum.constant).floor().to_integer()
        };
        self.sums.iter().map(sum).max().unwrap_or_default()
    }
}

impl LoopBlocks<'_> {
    /// A bound on the number of arrivals at the head; `None` if the levels do not bound it, or
    /// numbers are too large.
    pub(crate) fn rounds(&self, levels: &[Level]) -> Option<Rounds> {
        let entries = self.entries.iter();
        let sums = entries.map(|(point, entry)| {
            let sum = self.sum_of_entry(levels, *point, &entry.region)?;
            if !entry.amid {
                return Some(sum);
            }
            // Control has come to this point once more, and variables may have changed before.
            let greatest = sum.greatest + BigRational::one();
            Some(Sum { constant: greatest.clone(), parts: Vec::new(), greatest, ..sum })
        });
        Some(Rounds { sums: sums.collect::<Option<_>>()? })
    }

    fn sum_of_entry(&self, levels: &[Level], entry: PointId, region: &Region) -> Option<Sum> {
        let mut polyhedron = Polyhedron::new(region)?;
        let columns: BTreeMap<BlockId, usize> =
            self.inside.iter().enumerate().map(|(column, block)| (*block, column)).collect();
        let flow = self.flow(&columns, entry);
        let mut constraints = flow.clone();
        let mut quantities = Vec::new();
        for quantity in levels.iter().flat_map(|level| &level.quantities) {
            let changes = quantity.changes.iter();
            let terms = changes.map(|(block, change)| (columns[block], BigInt::from(-change))).collect();
            let at_entry = quantity.functions.get(&entry).cloned().unwrap_or_default();
            let most = polyhedron.greatest(&at_entry).unwrap_or_default().max(BigInt::zero());
            constraints.push(Constraint { terms, relation: Relation::AtMost, bound: most });
            quantities.push(at_entry);
        }
        // One counted statement: its multiplier is the number of rounds for each.
        let counted =
            columns.iter().map(|(block, column)| (*column, BigInt::from(self.all.blocks[*block].counted)));
        let terms = counted.filter(|(_, count)| !count.is_zero()).collect();
        constraints.push(Constraint { terms, relation: Relation::AtMost, bound: 1.into() });
        let arrivals = columns.iter().map(|(block, column)| (*column, BigInt::from(self.arrivals(*block))));
        let objective: Vec<(usize, BigInt)> = arrivals.filter(|(_, count)| !count.is_zero()).collect();
        let mut programme = LinearProgramme::new(&vec![Domain::NonNegative; columns.len()], &constraints);
        let Maximum::At(total) = programme.maximise(&objective) else { return None };
        let multipliers = programme.multipliers(&constraints);
        let (of_flow, of_levels) = multipliers.split_at(flow.len());
        let per_counted = of_levels.last()?.clone();
        let greatest = total - &per_counted;
        let bound = |(row, multiplier): (&Constraint, &BigRational)| {
            multiplier * BigRational::from_integer(row.bound.clone())
        };
        let mut constant = flow.iter().zip(of_flow).map(bound).sum::<BigRational>();
        let mut parts = Vec::new();
        for (quantity, factor) in
            quantities.into_iter().zip(of_levels).filter(|(_, factor)| factor.is_positive())
        {
            let known = known_values(&quantity, &mut polyhedron);
            match known.value() {
                Some(value) => constant += factor * BigRational::from_integer(value.max(0).into()),
                None => parts.push(Part { factor: factor.clone(), value: known }),
            }
        }
        Some(Sum { constant, parts, per_counted, greatest })
    }

    /// No point is left more often than it is entered.
    fn flow(&self, columns: &BTreeMap<BlockId, usize>, entry: PointId) -> Vec<Constraint> {
        let mut terms: BTreeMap<PointId, BTreeMap<usize, BigInt>> = BTreeMap::new();
        for (&block, &column) in columns {
            let block = &self.all.blocks[block];
            *terms.entry(block.source).or_default().entry(column).or_default() += 1;
            *terms.entry(block.target).or_default().entry(column).or_default() -= 1;
        }
        let row = |(point, terms): (PointId, BTreeMap<usize, BigInt>)| Constraint {
            terms: terms.into_iter().filter(|(_, value)| !value.is_zero()).collect(),
            relation: Relation::AtMost,
            bound: i32::from(point == entry).into(),
        };
        terms.into_iter().map(row).collect()
    }
}

/// The expression with numbers in place of the variables that have one value only.
fn known_values(value: &Affine, polyhedron: &mut Polyhedron) -> Affine {
    let mut known: BTreeMap<Symbol, i128> = BTreeMap::new();
    for symbol in value.terms.keys() {
        let variable = Affine::symbol(*symbol);
        if let (Some(least), Some(greatest)) = (polyhedron.least(&variable), polyhedron.greatest(&variable))
            && least == greatest
            && let Some(number) = least.to_i128()
        {
            known.insert(*symbol, number);
        }
    }
    let put = |symbol| known.get(&symbol).map_or_else(|| Affine::symbol(symbol), |n| Affine::constant(*n));
    value.substitute(&put).unwrap_or_else(|| value.clone())
}
