//! An engine of one's own: it refines a model by pairs of processes and data places at once, with
//! more steps than the engines of the library take, and has its turn before all others.
//!
//! An engine is one `impl` of `Engine`; nothing else has to know of it. It works for boundedness
//! and for livelocks, as it knows nothing of either. `cargo run --example own_engine`

use std::error::Error;

use freeboard::abstraction::{Precision, abstract_program};
use freeboard::refine::Property;
use freeboard::refine::portfolio::{AnalysisState, Effort, Engine, Side, Slot, Step, When};
use freeboard::report::text::{self, Style};
use freeboard::{Options, OwnEngines, check_promela};

fn main() -> Result<(), Box<dyn Error>> {
    print!("{}", report(TEXT)?);
    Ok(())
}

/// A producer that sends as long as a counter says, and a consumer that never comes.
pub const TEXT: &str = "
chan parts = [8] of { byte };
active proctype Producer() { byte left = 5; do :: left > 0 -> left--; parts!left :: left == 0 -> break od }
";

/// Refines the abstraction by everything that it can know without tracking values.
#[derive(Clone, Copy, Debug)]
pub struct EverythingAtOnce {
    /// Steps in which pairs of processes are followed.
    pub pair_steps: usize,
}

impl<P: Property> Engine<P> for EverythingAtOnce {
    fn name(&self) -> &'static str {
        "everything-at-once"
    }

    fn side(&self) -> Side {
        Side::Abstractions
    }

    fn applies(&self, state: &AnalysisState<'_, P>) -> bool {
        state.open() > 0
    }

    fn run(&self, state: &mut AnalysisState<'_, P>, _effort: &Effort) -> Step {
        let before = state.open();
        let limits = &state.limits().refinement;
        let options = freeboard::abstraction::Options {
            precision: Precision { pairs: true, data_places: true, ..Precision::default() },
            pair_steps: self.pair_steps,
            deadline: limits.deadline,
            ..limits.abstraction.clone()
        };
        // An abstraction that the library makes has every run of the program, whatever its
        // precision.
        let Ok(abstraction) = abstract_program(state.program(), &options) else {
            return Step::Exhausted("the abstraction is too large".into());
        };
        let what = "pairs of processes and data places were asked for at once".to_owned();
        state.refiner_mut().ask_about_own(abstraction, "everything-at-once", what);
        match state.open() {
            0 => Step::Proved,
            open if open < before => Step::Progress,
            _ => Step::Exhausted("what is known at once excludes no counterexample".into()),
        }
    }
}

/// From a model to a report, with the engine before all others.
pub fn report(model: &str) -> Result<String, Box<dyn Error>> {
    let engine = EverythingAtOnce { pair_steps: 1 << 20 };
    let slot = Slot::new(engine, When::Open, Effort::ALL);
    let engines = OwnEngines { boundedness: vec![slot], ..OwnEngines::default() };
    let options = Options { engines, ..Options::default() };
    let analysis = check_promela("parts.pml", model, &options)?;
    Ok(text::check(&analysis.view("parts.pml"), Style::default()))
}
