//! From what is known of a program to systems.

use cfsm_core::program::Program;

use crate::analysis::{Analysis, analyse};
use crate::matter::Matter;
use crate::{
    Abstraction, Error, Options, Precision, assumptions, counters, grouping, order, pairs, transitions, zones,
};

/// What a system is made with, of what is known of a program's control flow and values.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Made {
    /// With [data places](crate::Precision::data_places).
    pub data_places: bool,
    /// With what [pairs](crate::Precision::pairs) of processes exclude.
    pub pairs: bool,
}

/// What is known of a program's control flow and values, of which several systems can be made: to
/// find it out takes longest.
#[derive(Clone, Debug)]
pub struct Analysed<'a>(Analysis<'a>);

impl<'a> Analysed<'a> {
    /// What is known with the precision of some options, whatever systems are made of it.
    ///
    /// # Errors
    /// As [`abstract_program`](crate::abstract_program).
    pub fn of(program: &'a Program, options: &'a Options) -> Result<Self, Error> {
        program.validate().map_err(Error::Program)?;
        analyse(program, options).map(Self)
    }

    /// The abstract system that is made like this, whatever the options say about it.
    ///
    /// # Errors
    /// As [`abstract_program`](crate::abstract_program).
    pub fn abstraction(mut self, made: Made) -> Result<Abstraction, Error> {
        let excluded = if made.pairs { pairs::exclude(&mut self.0) } else { pairs::Excluded::default() };
        self.made(made, excluded)
    }

    /// The same with what pairs of processes exclude; `None` if that is nothing.
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

    /// The abstract system without what is excluded.
    fn made(self, made: Made, mut excluded: pairs::Excluded) -> Result<Abstraction, Error> {
        let Self(mut analysis) = self;
        let Analysis { program, options, .. } = analysis;
        if !options.precision.carried.is_empty() {
            let mut carrying = analysis.carrying(Matter::of(&analysis))?;
            excluded = pairs::exclude_as_in(&mut carrying, (&analysis, &excluded));
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
        result.precision = Precision { data_places, pairs, ..options.precision.clone() };
        result.folded = analysis.coarseness.folded;
        result.system.order = order;
        result.assumptions = assumptions;
        result.excluded = excluded;
        result.pairs_given_up = pairs_given_up;
        result.approximations.extend(approximations);
        Ok(result)
    }
}
