//! Analysis results of a program, from which abstract systems of different precision are built.

use cfsm_core::program::Program;

use crate::analysis::{Analysis, analyse};
use crate::value_relevance::ValueRelevance;
use crate::{
    Abstraction, Error, Options, Precision, assumptions, counters, grouping, order, pairs, transitions, zones,
};

/// Options for building a system from analysis results.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Made {
    /// `true` to add [data places](crate::Precision::data_places).
    pub data_places: bool,
    /// `true` to remove the steps that the analysis of [pairs](crate::Precision::pairs) of
    /// processes excludes.
    pub pairs: bool,
}

/// The result of the control-flow and value analysis of a program. The analysis is the most
/// expensive part of the abstraction, so several systems can be built from one result.
#[derive(Clone, Debug)]
pub struct Analysed<'a>(Analysis<'a>);

impl<'a> Analysed<'a> {
    /// Analyses a program with the precision of the given options, whatever systems are built from
    /// the result later.
    ///
    /// # Errors
    /// As [`abstract_program`](crate::abstract_program).
    pub fn of(program: &'a Program, options: &'a Options) -> Result<Self, Error> {
        program.validate().map_err(Error::Program)?;
        analyse(program, options).map(Self)
    }

    /// Builds the abstract system with the given [`Made`], which takes precedence over the
    /// precision in the options.
    ///
    /// # Errors
    /// As [`abstract_program`](crate::abstract_program).
    pub fn abstraction(mut self, made: Made) -> Result<Abstraction, Error> {
        let excluded = if made.pairs { pairs::exclude(&mut self.0) } else { pairs::Excluded::default() };
        self.made(made, excluded)
    }

    /// Builds the abstract system without the steps that the analysis of pairs of processes
    /// excludes; `None` if that analysis excludes nothing.
    ///
    /// # Errors
    /// As [`abstract_program`](crate::abstract_program).
    pub fn paired(mut self, made: Made) -> Result<Option<Abstraction>, Error> {
        let excluded = pairs::exclude(&mut self.0);
        if excluded.is_empty() {
            return Ok(None);
        }
        self.made(Made { pairs: true, ..made }, excluded).map(Some)
    }

    /// Builds the abstract system without the excluded steps.
    fn made(self, made: Made, mut excluded: pairs::Excluded) -> Result<Abstraction, Error> {
        let Self(mut analysis) = self;
        let Analysis { program, options, .. } = analysis;
        if !options.precision.carried.is_empty() {
            let mut carrying = analysis.carrying(ValueRelevance::new(&analysis))?;
            excluded = pairs::exclude_as_in(&mut carrying, &analysis, &excluded);
            analysis = carrying;
        }
        let pairs_given_up = excluded.gave_up;
        let grouping = grouping::group(&analysis);
        let order = order::order(program, &analysis, &grouping);
        let mut assumptions = assumptions::assumptions(program, &analysis);
        let excluded = pairs::described(&analysis, &excluded);
        assumptions.extend(excluded.iter().map(|what| format!("{what} (no certificate checks that)")));
        let approximations = assumptions::approximations(program, &analysis);
        if made.data_places {
            zones::narrow(&mut analysis);
        }
        let mut result = transitions::make(&analysis, &grouping, made)?;
        if made.data_places {
            result.wrapping = counters::wrapping(&analysis);
        }
        let Made { data_places, pairs } = made;
        result.precision = Precision { data_places, pairs, budgets: Vec::new(), ..options.precision.clone() };
        result.folded = analysis.coarseness.folded;
        result.system.order = order;
        result.assumptions = assumptions;
        result.excluded = excluded;
        result.pairs_given_up = pairs_given_up;
        result.approximations.extend(approximations);
        Ok(result.with_budgets(&options.precision.budgets))
    }
}
