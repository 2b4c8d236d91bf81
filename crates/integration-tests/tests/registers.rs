//! What tables hold in processes of their own, and where that decides.

use std::collections::BTreeSet;

use abstraction::{Abstraction, Options, Precision, abstract_program};
use cfsm_core::program::{Program, VariableRef};

/// The tenants of a street move between two towns, one at a time. One of the offices knows where to
/// find each tenant, at any time; an office sends letters for who lives in the other town on to
/// there. In this order the office of the other town is told first, both ways.
const IN_ORDER: [&str; 4] =
    ["registry[1]!who, 1", "registry[0]!who, 1", "registry[0]!who, 0", "registry[1]!who, 0"];

fn street(told: [&str; 4]) -> String {
    format!(
        "chan registry[2] = [0] of {{ byte, bit }}; chan letters[2] = [2] of {{ byte }}; chan delivered = [1] of {{ byte }};
         proctype Office(bit town) {{ bit lives[10]; byte who; bit here;
           do
           :: registry[town]?who, here -> lives[who] = here
           :: letters[town]?who ->
              if :: lives[who] == town -> delivered!who :: lives[who] != town -> letters[1 - town]!who fi
           od }}
         proctype Street() {{ byte moves, who;
           do :: moves < 2 -> moves++; select (who : 0 .. 9); {}; {}; {}; {} od }}
         proctype Sender() {{ byte who;
           do :: select (who : 0 .. 9); letters[0]!who; delivered?who; progress: skip od }}
         init {{ atomic {{ run Office(0); run Office(1); run Street(); run Sender() }} }}",
        told[0], told[1], told[2], told[3]
    )
}

fn program(text: &str) -> Program {
    let read = promela_front::parse("model.pml", text, &promela_front::Options::default());
    read.program.unwrap_or_else(|| panic!("{:?}", read.diagnostics))
}

/// All scalars of processes are followed; what the tables hold is in registers, or told apart in
/// their processes, as far as that goes.
fn followed(program: &Program, in_registers: bool) -> Abstraction {
    let mut precision = Precision { data_places: true, ..Precision::default() };
    for (ty, process) in program.types.iter() {
        for (id, variable) in process.locals.iter().filter(|(_, variable)| variable.name != "moves") {
            if variable.length.is_some() && in_registers {
                precision.registers.insert((Some(ty), id));
            } else {
                precision.tracked.entry(ty).or_default().insert(VariableRef::Local(id));
            }
        }
    }
    abstract_program(program, &Options { precision, ..Options::default() }).expect("it is small")
}

fn is_proved(abstraction: &Abstraction) -> bool {
    let options = livelock::Options { cases: 1_000, ..livelock::Options::default() };
    livelock::check(&abstraction.system, &options).verdict.is_proved()
}

#[test]
fn a_table_of_ten_is_ten_small_processes() {
    let program = program(&street(IN_ORDER));
    let abstraction = followed(&program, true);
    assert_eq!(abstraction.registers.len(), 20);
    let classes: BTreeSet<_> = abstraction.registers.iter().map(|register| register.class).collect();
    let own = abstraction.system.states.values().filter(|state| classes.contains(&state.class));
    assert_eq!(own.count(), 40);
    assert!(is_proved(&abstraction));
    // An office has a state for each table that it may have, which are too many.
    let told = followed(&program, false);
    assert!(!is_proved(&told));
}

#[test]
fn who_is_nowhere_for_a_while_gets_no_letters() {
    let [come, go, back, leave] = IN_ORDER;
    for told in [[go, come, back, leave], [come, go, leave, back]] {
        assert!(!is_proved(&followed(&program(&street(told)), true)), "{told:?}");
    }
}
