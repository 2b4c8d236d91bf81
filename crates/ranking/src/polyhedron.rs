//! Polyhedra: the values of symbols under linear conditions, and their extremes.

use std::collections::BTreeMap;

use cfsm_core::ids::{Id, IdMap};
use ilp_encode::linear::{Constraint, Domain, LinearProgramme, Maximum, Relation};
use num_bigint::BigInt;

use crate::affine::{Affine, Interval, Symbol};

/// Conditions on symbols: an interval for each, and expressions that are not negative.
#[derive(Clone, Debug, Default)]
pub(crate) struct Region {
    /// The interval of each symbol.
    pub(crate) symbols: IdMap<Symbol, Interval>,
    /// Expressions over two symbols or more that are not negative.
    pub(crate) rows: Vec<Affine>,
}

impl Region {
    /// The region of these conditions: those on one symbol narrow its interval, and those that
    /// follow from intervals or from another one are left out. `None` if an interval is empty.
    pub(crate) fn new(
        symbols: &IdMap<Symbol, Interval>,
        conditions: impl IntoIterator<Item = Affine>,
    ) -> Option<Self> {
        let mut symbols = symbols.clone();
        let mut least: BTreeMap<BTreeMap<Symbol, i128>, i128> = BTreeMap::new();
        for Affine { terms, constant } in conditions.into_iter().map(Affine::tightened) {
            let mut all = terms.iter();
            match (all.next(), all.next()) {
                (None, _) if constant < 0 => return None,
                (None, _) => {}
                // Coefficients are coprime.
                (Some((symbol, 1)), None) => {
                    symbols[*symbol] = symbols[*symbol].meet(Interval::new(-constant, i128::MAX))?;
                }
                (Some((symbol, -1)), None) => {
                    symbols[*symbol] = symbols[*symbol].meet(Interval::new(i128::MIN, constant))?;
                }
                _ => {
                    let held = least.entry(terms).or_insert(constant);
                    *held = constant.min(*held);
                }
            }
        }
        let rows = least.into_iter().map(|(terms, constant)| Affine { terms, constant });
        let mut rows: Vec<Affine> = rows.collect();
        rows.retain(|row| row.interval(&|symbol| symbols[symbol]).low < 0);
        Some(Self { symbols, rows })
    }
}

/// All values of symbols in a region.
#[derive(Debug)]
pub(crate) struct Polyhedron {
    programme: LinearProgramme,
}

/// The condition that an expression is not negative.
fn constraint(row: &Affine) -> Constraint {
    let terms = row.terms.iter().map(|(symbol, coefficient)| (symbol.index(), BigInt::from(-coefficient)));
    Constraint { terms: terms.collect(), relation: Relation::AtMost, bound: row.constant.into() }
}

impl Polyhedron {
    /// The polyhedron of a region; `None` if it is empty.
    pub(crate) fn new(region: &Region) -> Option<Self> {
        let ends = |(symbol, interval): (Symbol, &Interval)| {
            let end = |factor: i128, bound: i128| Constraint {
                terms: vec![(symbol.index(), factor.into())],
                relation: Relation::AtMost,
                bound: bound.into(),
            };
            [end(1, interval.high), end(-1, -interval.low)]
        };
        let constraints: Vec<Constraint> =
            region.rows.iter().map(constraint).chain(region.symbols.iter().flat_map(ends)).collect();
        let domains = vec![Domain::Free; region.symbols.len()];
        let programme = LinearProgramme::new(&domains, &constraints);
        programme.is_feasible().then_some(Self { programme })
    }

    /// The greatest integer that an expression can have, or a greater one; `None` beyond all
    /// numbers, which does not occur as all symbols have intervals.
    pub(crate) fn greatest(&mut self, value: &Affine) -> Option<BigInt> {
        let terms = value.terms.iter();
        let objective: Vec<(usize, BigInt)> =
            terms.map(|(symbol, factor)| (symbol.index(), (*factor).into())).collect();
        match self.programme.maximise(&objective) {
            Maximum::At(most) => Some(most.floor().to_integer() + value.constant),
            Maximum::Infeasible | Maximum::Unbounded => None,
        }
    }

    /// The least integer that an expression can have, or a smaller one.
    pub(crate) fn least(&mut self, value: &Affine) -> Option<BigInt> {
        value.times(-1).and_then(|negative| self.greatest(&negative)).map(|most| -most)
    }
}
