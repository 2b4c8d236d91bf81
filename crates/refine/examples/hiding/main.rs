//! An experiment, on which no verdict rests: is a model bounded because of a few of its variables?
//!
//! All states of a *coarse* program are looked at: most variables are hidden, what they hold is not
//! looked at, and a condition that asks for them may always hold. It can do whatever the model can,
//! with as many messages in each queue. Which variables are kept is found from runs of it that make
//! queues grow and that the model has not.
//!
//! ```sh
//! cargo run --release -p freeboard-refine --example hiding -- MOST_STATES MODEL...
//! ```
//!
//! For each model it prints what was kept and the maxima; and, where all states of the model itself
//! are few enough too, what is wrong if one of its queues holds more than that.

use std::collections::BTreeSet;
use std::time::Instant;

use cfsm_core::program::{ProcessTypeId, Program, Variable, VariableId, VariableRef};

mod coarse;
mod constants;
mod excluding;
mod rebuild;
mod search;
mod weaken;

/// Who has a variable, if it is not global, and which it is.
type Declared = (Option<ProcessTypeId>, VariableId);

/// The variables that are not hidden.
type Kept = BTreeSet<Declared>;

/// A variable as seen from a process type.
fn owner(ty: ProcessTypeId, variable: VariableRef) -> Declared {
    match variable {
        VariableRef::Global(id) => (None, id),
        VariableRef::Local(id) => (Some(ty), id),
    }
}

/// All variables of a program.
fn each_variable(program: &Program, see: &mut dyn FnMut(Declared, &Variable)) {
    program.globals.iter().for_each(|(id, variable)| see((None, id), variable));
    for (ty, process) in program.types.iter() {
        process.locals.iter().for_each(|(id, variable)| see((Some(ty), id), variable));
    }
}

fn main() {
    let mut arguments = std::env::args().skip(1);
    let Some(most) = arguments.next().and_then(|most| most.parse().ok()) else {
        eprintln!("usage: hiding MOST_STATES MODEL...");
        return;
    };
    for file in arguments {
        let text = std::fs::read(&file).unwrap_or_default();
        let read =
            promela_front::parse(&file, &String::from_utf8_lossy(&text), &promela_front::Options::default());
        let Some(program) = read.program else {
            println!("{file}: not a program");
            continue;
        };
        let begin = Instant::now();
        println!("{file}: {}, {:.2} s", search::search(&program, most), begin.elapsed().as_secs_f64());
    }
}
