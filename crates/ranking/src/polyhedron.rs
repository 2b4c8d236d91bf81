//! Polyhedra: the values of symbols under linear conditions, and their extremes.

use std::collections::BTreeMap;
use std::sync::Arc;

use cfsm_core::ids::IdMap;
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
        let mut least: BTreeMap<Arc<BTreeMap<Symbol, i128>>, i128> = BTreeMap::new();
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
    /// The interval of each symbol.
    symbols: IdMap<Symbol, Interval>,
    /// The column of each symbol of a row: the difference of the symbol to its least value. A
    /// symbol without rows has all values of its interval, whatever the others are.
    columns: BTreeMap<Symbol, usize>,
    programme: LinearProgramme,
}

impl Polyhedron {
    /// The polyhedron of a region; `None` if it is empty.
    pub(crate) fn new(region: &Region) -> Option<Self> {
        let Region { symbols, rows } = region;
        let mut columns: BTreeMap<Symbol, usize> = BTreeMap::new();
        for symbol in rows.iter().flat_map(|row| row.terms.keys()) {
            let next = columns.len();
            columns.entry(*symbol).or_insert(next);
        }
        let at_most = |terms: Vec<(usize, BigInt)>, bound: i128| Constraint {
            terms,
            relation: Relation::AtMost,
            bound: bound.into(),
        };
        let mut constraints = Vec::with_capacity(rows.len() + columns.len());
        for row in rows {
            let terms = row.terms.iter().map(|(symbol, factor)| (columns[symbol], BigInt::from(-factor)));
            let at_least_values = row.interval(&|symbol| Interval::of(symbols[symbol].low)).low;
            constraints.push(at_most(terms.collect(), at_least_values));
        }
        for (symbol, column) in &columns {
            constraints.push(at_most(vec![(*column, 1.into())], symbols[*symbol].size() - 1));
        }
        let domains = vec![Domain::NonNegative; columns.len()];
        let programme = LinearProgramme::new(&domains, &constraints);
        programme.is_feasible().then(|| Self { symbols: symbols.clone(), columns, programme })
    }

    /// The greatest integer that an expression can have, or a greater one; `None` beyond all
    /// numbers, which does not occur as all symbols have intervals.
    pub(crate) fn greatest(&mut self, value: &Affine) -> Option<BigInt> {
        let Self { symbols, columns, programme } = self;
        let in_columns =
            |(symbol, factor): (&Symbol, &i128)| Some((*columns.get(symbol)?, BigInt::from(*factor)));
        let objective: Vec<(usize, BigInt)> = value.terms.iter().filter_map(in_columns).collect();
        let start = |symbol| match columns.get(&symbol) {
            Some(_) => Interval::of(symbols[symbol].low),
            None => symbols[symbol],
        };
        let start = value.interval(&start).high;
        if objective.is_empty() {
            return Some(start.into());
        }
        match programme.maximise(&objective) {
            Maximum::At(most) => Some(most.floor().to_integer() + start),
            Maximum::Infeasible | Maximum::Unbounded => None,
        }
    }

    /// The least integer that an expression can have, or a smaller one.
    pub(crate) fn least(&mut self, value: &Affine) -> Option<BigInt> {
        value.times(-1).and_then(|negative| self.greatest(&negative)).map(|most| -most)
    }
}
