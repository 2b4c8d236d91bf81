//! Templates by Farkas' lemma: affine functions with coefficients to be found, which are to be
//! non-negative on polyhedra.
//!
//! A function is non-negative on a polyhedron that is not empty if and only if it is a sum of the
//! polyhedron's conditions with non-negative multipliers, and a non-negative constant. With unknown
//! coefficients this is a linear programme in these and in the multipliers.

use cfsm_core::ids::Id;
use ilp_encode::linear::{Constraint, Domain, LinearProgramme, Maximum, Relation, approximate};
use num_bigint::BigInt;
use num_rational::BigRational;

use crate::affine::{Affine, Symbol};
use crate::limits::COLUMNS;
use crate::polyhedron::Region;

/// A linear combination of columns.
pub(crate) type Combination = Vec<(usize, i128)>;

/// A function that is affine in symbols, and whose coefficients are combinations of columns.
#[derive(Clone, Debug, Default)]
pub(crate) struct Form {
    /// The coefficient of each symbol, by its index.
    symbols: Vec<Combination>,
    /// The constant: a combination of columns, and a number.
    constant: Combination,
    number: i128,
}

impl Form {
    /// A number.
    pub(crate) fn number(number: i128) -> Self {
        Self { number, ..Self::default() }
    }

    /// A column.
    pub(crate) fn column(column: usize) -> Self {
        Self { constant: vec![(column, 1)], ..Self::default() }
    }

    /// Adds another form times a factor.
    pub(crate) fn plus(mut self, other: &Self, factor: i128) -> Self {
        if self.symbols.len() < other.symbols.len() {
            self.symbols.resize(other.symbols.len(), Vec::new());
        }
        for (own, added) in self.symbols.iter_mut().zip(&other.symbols) {
            own.extend(added.iter().map(|(column, value)| (*column, value * factor)));
        }
        self.constant.extend(other.constant.iter().map(|(column, value)| (*column, value * factor)));
        self.number += other.number * factor;
        self
    }
}

/// An affine function of the variables with a column for each coefficient and for the constant.
#[derive(Clone, Debug)]
pub(crate) struct Unknown {
    coefficients: Vec<usize>,
    constant: usize,
}

impl Unknown {
    /// The function of the given values, which are affine in symbols.
    pub(crate) fn of(&self, values: &[Affine]) -> Form {
        let mut form = Form::column(self.constant);
        for (&column, value) in self.coefficients.iter().zip(values) {
            for (symbol, factor) in value.terms.iter() {
                if form.symbols.len() <= symbol.index() {
                    form.symbols.resize(symbol.index() + 1, Vec::new());
                }
                form.symbols[symbol.index()].push((column, *factor));
            }
            if value.constant != 0 {
                form.constant.push((column, value.constant));
            }
        }
        form
    }

    /// The function that a solution gives, times a factor that makes all numbers integers.
    pub(crate) fn solved(&self, point: &[BigRational], factor: &BigInt) -> Option<Affine> {
        use num_traits::ToPrimitive;
        let value = |column: usize| (&point[column] * factor).to_integer().to_i128();
        let mut found = Affine::constant(value(self.constant)?);
        for (at, &column) in self.coefficients.iter().enumerate() {
            found = found.plus(&Affine::symbol(Symbol::new(at)), value(column)?)?;
        }
        Some(found)
    }

    /// Its columns.
    pub(crate) fn columns(&self) -> impl Iterator<Item = usize> {
        self.coefficients.iter().copied().chain([self.constant])
    }
}

/// A linear programme that is being built.
#[derive(Clone, Debug, Default)]
pub(crate) struct Search {
    domains: Vec<Domain>,
    constraints: Vec<Constraint>,
}

impl Search {
    /// A new column.
    pub(crate) fn column(&mut self, domain: Domain) -> usize {
        self.domains.push(domain);
        self.domains.len() - 1
    }

    /// A new function of this number of variables.
    pub(crate) fn function(&mut self, variables: usize) -> Unknown {
        let coefficients = (0..variables).map(|_| self.column(Domain::Free)).collect();
        Unknown { coefficients, constant: self.column(Domain::Free) }
    }

    /// Requires a column to be at most a number.
    pub(crate) fn at_most(&mut self, column: usize, bound: i128) {
        self.add(vec![(column, 1)], Relation::AtMost, bound);
    }

    fn add(&mut self, combination: Combination, relation: Relation, bound: i128) {
        let mut sums: std::collections::BTreeMap<usize, i128> = std::collections::BTreeMap::new();
        combination.into_iter().for_each(|(column, value)| *sums.entry(column).or_default() += value);
        let terms = sums.into_iter().filter(|(_, value)| *value != 0);
        let terms = terms.map(|(column, value)| (column, BigInt::from(value))).collect();
        self.constraints.push(Constraint { terms, relation, bound: bound.into() });
    }

    /// Requires a form to be non-negative everywhere in a region.
    pub(crate) fn non_negative(&mut self, form: Form, region: &Region) {
        let Region { symbols, rows } = region;
        let Form { symbols: mut coefficients, mut constant, number } = form;
        coefficients.resize(symbols.len().max(coefficients.len()), Vec::new());
        // form = sum of multiplier * row + multiplier * (x - low) + multiplier * (high - x) + rest
        for row in rows {
            let multiplier = self.column(Domain::NonNegative);
            for (symbol, value) in row.terms.iter() {
                coefficients[symbol.index()].push((multiplier, -value));
            }
            constant.push((multiplier, -row.constant));
        }
        for (symbol, interval) in symbols.iter() {
            if coefficients[symbol.index()].is_empty() {
                continue;
            }
            if interval.size() == 1 {
                // The multiplier of an equation has any sign.
                let equal = self.column(Domain::Free);
                coefficients[symbol.index()].push((equal, -1));
                constant.push((equal, interval.low));
                continue;
            }
            let (above, below) = (self.column(Domain::NonNegative), self.column(Domain::NonNegative));
            coefficients[symbol.index()].extend([(above, -1), (below, 1)]);
            constant.extend([(above, interval.low), (below, -interval.high)]);
        }
        for combination in coefficients.into_iter().filter(|combination| !combination.is_empty()) {
            self.add(combination, Relation::Equal, 0);
        }
        // What is left of the constant is not negative.
        let rest = constant.into_iter().map(|(column, value)| (column, -value)).collect();
        self.add(rest, Relation::AtMost, number);
    }

    /// A point with about the greatest value of an objective, or `None`. Floats find it where they
    /// can, so it has to be checked.
    pub(crate) fn candidate(&self, objective: &[(usize, i128)]) -> Option<Vec<BigRational>> {
        if self.domains.len() > COLUMNS {
            return None;
        }
        let objective = big(objective);
        approximate(&self.domains, &self.constraints, &objective)
    }

    /// A point with the greatest value of an objective; `None` if there is no point, or no greatest
    /// value.
    pub(crate) fn maximise(&self, objective: &[(usize, i128)]) -> Option<Vec<BigRational>> {
        let mut programme = LinearProgramme::new(&self.domains, &self.constraints);
        let objective = big(objective);
        match programme.maximise(&objective) {
            Maximum::At(_) => Some(programme.point()),
            Maximum::Infeasible | Maximum::Unbounded => None,
        }
    }
}

fn big(objective: &[(usize, i128)]) -> Vec<(usize, BigInt)> {
    objective.iter().map(|(column, value)| (*column, (*value).into())).collect()
}
