//! Closed models as `freeboard close` writes them: Spin takes them, and finds in them no longer
//! queues than the open model has here, and none that are shorter.

use std::collections::{BTreeMap, BTreeSet};

use cfsm_core::ids::IdMap;
use cfsm_core::program::{Initializer, Program, VariableId};
use cfsm_core::splitmix::SplitMix;
use closing::{Interface, close};
use explore::{Claims, Completion, Limits, Options as RunOptions, Semantics};
use freeboard::{OpenChannels, close_promela};
use integration_tests::generator::{Profile, sample};
use integration_tests::service_programs::service_program;
use integration_tests::spin::{Way, attempt, is_here, never_more_than};
use integration_tests::{given, say, short_or_long};

/// States of an open model that are looked at.
const STATES: usize = 20_000;

/// The greatest lengths of the channels of a program that are not open, with the declared
/// capacities; `None` if not all runs have been seen.
fn maxima(program: &Program, open: &BTreeSet<VariableId>) -> Option<BTreeMap<String, u32>> {
    let options = RunOptions { claims: Claims::Ignored, ..RunOptions::default() };
    let semantics = Semantics::new(program, &options).ok()?;
    let limits = Limits { states: Some(STATES), passed: Some(STATES * 10), ..Limits::default() };
    let found = semantics.explore(&limits).ok()?;
    if found.completion != Completion::Complete || found.errors > 0 {
        return None;
    }
    let own = found
        .maxima
        .iter()
        .filter(|(origin, _)| origin.process.is_none() && !open.contains(&origin.variable));
    let named =
        own.map(|(origin, most)| (program.globals[origin.variable].element_name(origin.element), *most));
    Some(named.collect())
}

fn global_channels(globals: &IdMap<VariableId, cfsm_core::program::Variable>) -> Vec<VariableId> {
    let channels = globals.iter().filter(|(_, variable)| matches!(variable.init, Initializer::NewChannel(_)));
    channels.map(|(id, _)| id).collect()
}

#[test]
fn spin_finds_the_same_maxima_in_closed_texts() {
    if !is_here("closed texts beside Spin") {
        return;
    }
    let wanted: u64 = given("CLOSED_TEXTS").unwrap_or_else(|| short_or_long(6, 500));
    let (mut accepted, mut compared, mut exact) = (0, 0, 0);
    for seed in 0.. {
        if accepted == wanted {
            break;
        }
        // Programs of the whole language, and others whose environments are complete.
        let text = if seed % 4 == 0 { sample(&Profile::small(), seed).text } else { service_program(seed) };
        let parse = promela_front::Options::default();
        let Some(program) = promela_front::parse("random", &text, &parse).program else { continue };
        let mut dice = SplitMix::new(seed);
        let channels = global_channels(&program.globals);
        let open = match Interface::named(&program, ["in", "out"]) {
            Ok(interface) => interface.channels,
            Err(_) => channels.into_iter().filter(|_| dice.below(2) == 0).collect(),
        };
        let interface = Interface { channels: open.clone(), ..Interface::default() };
        let names: BTreeSet<String> = interface.names(&program).map(str::to_owned).collect();
        let names = OpenChannels { names, ..OpenChannels::default() };
        let Ok(closed_text) = close_promela("random", &text, &parse, &names) else { continue };
        // Texts that Spin does not take as they are say nothing.
        if attempt(Way::PastErrors, &text).is_err() {
            continue;
        }
        let text = closed_text;
        let answer = attempt(Way::PastErrors, &text);
        assert!(answer.is_ok(), "{answer:?}\n{text}");
        accepted += 1;
        let closed = close(&program, &interface);
        let is_complete = closed.environment.as_ref().is_some_and(|environment| environment.is_complete);
        let Some(most) = maxima(&closed, &open).filter(|most| is_complete && !most.is_empty()) else {
            continue;
        };
        let found = |bounds: &BTreeMap<String, u32>| {
            let model = format!("{text}\n{}", never_more_than(bounds));
            attempt(Way::ToFirstError, &model).ok().filter(|answer| answer.errors > 0 || answer.exhaustive)
        };
        let Some(answer) = found(&most) else { continue };
        compared += 1;
        assert_eq!(answer.errors, 0, "seed {seed}: longer than {most:?}\n{text}\n{}", answer.output);
        if let Some((name, most)) = most.iter().find(|(_, most)| **most > 0) {
            let fewer = BTreeMap::from([(name.clone(), most - 1)]);
            let Some(answer) = found(&fewer) else { continue };
            exact += 1;
            assert!(answer.errors > 0, "seed {seed}: {name} is never {most}\n{text}\n{}", answer.output);
        }
    }
    assert!(compared > 0 && exact > 0, "nothing was compared");
    say(&format!(
        "Spin takes all of {accepted} closed texts; {compared} have no longer queues there than here, {exact} no shorter ones"
    ));
}
