//! What is said of programs in which sends wait for room, beside all their states, with and without
//! capacities.
#![allow(clippy::unwrap_used)] // clippy.toml allows it in tests, and helpers of tests are no less

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicUsize, Ordering};

use abstraction::abstract_program;
use cfsm_core::program::Program;
use explore::{Buffers, Claims, Limits, Semantics};
use proptest::collection::vec;
use proptest::prelude::*;
use refine::{Options, confirm};

/// Channels, each with a capacity.
const CHANNELS: [&str; 3] = ["a", "b", "c"];

fn program([a, b, c]: [u32; 3], processes: &[Vec<String>]) -> Program {
    let channels = format!(
        "chan rv = [0] of {{ bit }}; chan a = [{a}] of {{ bit }}; chan b = [{b}] of {{ bit }}; chan c = [{c}] of {{ bit }};"
    );
    let processes: Vec<String> = processes
        .iter()
        .enumerate()
        .map(|(at, statements)| {
            format!("active proctype P{at}() {{ byte x, z[2]; {} }}", statements.join("; "))
        })
        .collect();
    let text = format!("{channels} {}", processes.join(" "));
    let read = promela_front::parse("model.pml", &text, &promela_front::Options::default());
    read.program.unwrap_or_else(|| panic!("{:?}\n{text}", read.diagnostics))
}

/// Statements in which it makes a difference whether there is room.
fn statement() -> impl Strategy<Value = String> {
    let channel = || proptest::sample::select(CHANNELS.to_vec());
    let simple = prop_oneof![
        4 => channel().prop_map(|c| format!("{c}!1")),
        2 => channel().prop_map(|c| format!("{c}?_")),
        1 => Just("timeout".to_owned()),
        1 => Just("x++; z[x] = 1".to_owned()),
        1 => channel().prop_map(|c| format!("x++; {c}!z[x]")),
        1 => Just("rv!1".to_owned()),
        1 => Just("rv?_".to_owned()),
    ];
    let many = vec(simple.clone(), 1..=3).prop_map(|all| all.join("; "));
    prop_oneof![
        4 => simple,
        3 => (channel(), many.clone()).prop_map(|(c, s)| format!("if :: {c}!1 :: else -> {s} fi")),
        1 => (channel(), channel()).prop_map(|(c, d)| format!("if :: {c}!z[x + 1] :: else -> {d}!1; {d}!1 fi")),
        3 => (channel(), many.clone()).prop_map(|(c, s)| format!("if :: {c}!1 :: timeout -> {s} fi")),
        1 => (channel(), many.clone()).prop_map(|(c, s)| format!("if :: full({c}) -> {s} :: nfull({c}) fi")),
        1 => (channel(), many.clone()).prop_map(|(c, s)| format!("{{ {s} }} unless {{ {c}!1 }}")),
        1 => many.prop_map(|s| format!("atomic {{ {s} }}")),
    ]
}

/// The same statements where `full` and `nfull` are comparisons with the numbers that were
/// declared.
fn as_lengths(processes: &[Vec<String>], capacities: [u32; 3]) -> Vec<Vec<String>> {
    let replaced = |statement: &String| {
        CHANNELS.iter().zip(capacities).fold(statement.clone(), |text, (channel, capacity)| {
            text.replace(&format!("nfull({channel})"), &format!("len({channel}) < {capacity}"))
                .replace(&format!("full({channel})"), &format!("len({channel}) >= {capacity}"))
        })
    };
    processes.iter().map(|statements| statements.iter().map(replaced).collect()).collect()
}

/// Most messages of each channel in all states.
fn maxima(program: &Program, buffers: Buffers) -> Option<BTreeMap<String, u32>> {
    let options = explore::Options { buffers, claims: Claims::Ignored, ..explore::Options::default() };
    let found = Semantics::new(program, &options).unwrap().explore(&Limits::default()).ok()?;
    let name = |origin: &explore::QueueOrigin| program.globals[origin.variable].name.clone();
    Some(found.maxima.iter().map(|(origin, most)| (name(origin), *most)).collect())
}

#[test]
fn what_is_said_of_runs_is_so_where_sends_wait() {
    static WAITING: AtomicUsize = AtomicUsize::new(0);
    let config = ProptestConfig { cases: 400, failure_persistence: None, ..ProptestConfig::default() };
    let processes = vec(vec(statement(), 1..=4), 1..=3);
    proptest!(config, |(capacities in [1_u32..=3, 1..=3, 1..=3], processes in processes)| {
        let program_with = |capacities| program(capacities, &processes);
        let text = program_with(capacities);
        let abstraction = abstract_program(&text, &abstraction::Options::default()).unwrap();
        let outcome = boundedness::check(&abstraction.system, &boundedness::Options::default());
        let found = confirm(&text, &abstraction, &outcome, &Options::default());
        prop_assert!(!found.contradicts(&outcome));
        let buffers = &abstraction.system.buffers;
        let said: BTreeMap<&str, u32> =
            found.exact.iter().map(|(id, most)| (buffers[*id].name.as_str(), *most)).collect();
        let unbounded = maxima(&text, Buffers::Unbounded).unwrap();
        let declared = maxima(&text, Buffers::Declared).unwrap();
        for (at, channel) in CHANNELS.iter().enumerate() {
            let Some(&most) = said.get(channel) else { continue };
            prop_assert!(unbounded.get(*channel).is_none_or(|seen| *seen <= most), "{channel} unbounded");
            prop_assert!(declared.get(*channel).is_none_or(|seen| *seen <= most), "{channel} declared");
            if most > capacities[at] {
                WAITING.fetch_add(1, Ordering::Relaxed);
                continue;
            }
            // It is said that a send never waits: there would be one more if it had room for that.
            let mut roomier = capacities;
            roomier[at] += 1;
            let roomier = maxima(&program(roomier, &as_lengths(&processes, capacities)), Buffers::Declared).unwrap();
            prop_assert!(roomier.get(*channel).is_none_or(|seen| *seen <= capacities[at]), "{channel} with room");
        }
    });
    assert!(WAITING.load(Ordering::Relaxed) > 100, "{} sends wait", WAITING.load(Ordering::Relaxed));
}
