//! The taint analysis of open programs, held against random runs whose values carry their taints.

use std::collections::BTreeSet;

use cfsm_core::program::{
    Initializer, LocationId, ProcessTypeId, Program, Variable, VariableId, VariableRef,
};
use cfsm_core::splitmix::SplitMix;
use closing::{ConditionKind, DataFlow, Flags, HangingCondition, Interface, Reliability};
use integration_tests::comparison::corpus::{self, models, own_models};
use integration_tests::generator::{Profile, sample};
use integration_tests::taint::{Asked, Data, Run, Taint};
use integration_tests::{given, say, short_or_long};

/// Steps of a run.
const STEPS: usize = 120;
/// Runs of a program.
const RUNS: u64 = 6;

/// Claims that runs were held against, and what these did with chaotic values.
#[derive(Debug, Default)]
struct Held {
    reliable: usize,
    chaotic: usize,
    mixed: usize,
    guards: usize,
    matches: usize,
}

/// A program with an interface, and what is claimed of it.
struct Claims<'p> {
    program: &'p Program,
    text: &'p str,
    flow: DataFlow<'p>,
    conditions: Vec<HangingCondition>,
    held: Held,
}

impl Claims<'_> {
    fn hold(&mut self, run: &Run<'_>) {
        for process in &run.processes {
            let (process_type, at) = (process.process_type, process.location);
            for (local, cells) in process.locals.iter() {
                self.variable(process_type, at, VariableRef::Local(local), cells);
            }
            for (global, cells) in run.globals.iter() {
                self.variable(process_type, at, VariableRef::Global(global), cells);
            }
        }
        run.asked().iter().for_each(|asked| self.condition(asked));
    }

    /// The contents of a variable while a process is at a location.
    fn variable(
        &mut self,
        process_type: ProcessTypeId,
        at: LocationId,
        variable: VariableRef,
        cells: &[Data],
    ) {
        let flags = self.flow.flags(process_type, at, variable);
        for cell in cells {
            let name = &self.program.variable(process_type, variable).name;
            assert!(
                allows(&flags, &cell.taint),
                "{name} in {} at {at:?} has taint {:?}, and the claim is {flags:?}\n{}",
                self.program.types[process_type].name,
                cell.taint,
                self.text
            );
        }
        match flags.reliability() {
            Reliability::Reliable => self.held.reliable += 1,
            Reliability::Chaotic => self.held.chaotic += 1,
            Reliability::Mixed | Reliability::Unreached => self.held.mixed += 1,
        }
    }

    /// Decisions of processes: guards, and what receives compare.
    fn condition(&mut self, asked: &Asked) {
        let kind = if asked.is_match { ConditionKind::Match } else { ConditionKind::Guard };
        let mut own = self.conditions.iter().filter(|condition| {
            (condition.process_type, condition.edge) == (asked.process_type, Some(asked.edge))
                && condition.kind == kind
        });
        let listed = own.next();
        let is_covered = match listed {
            Some(condition) if asked.taint.is_empty() => !condition.always || asked.is_match,
            Some(condition) => asked.taint.is_subset(&condition.sources),
            None => asked.taint.is_empty(),
        };
        assert!(is_covered, "{asked:?} is not covered by {listed:?}\n{}", self.text);
        if !asked.taint.is_empty() {
            *(if asked.is_match { &mut self.held.matches } else { &mut self.held.guards }) += 1;
        }
    }
}

/// Returns `true` if flags allow a value with this taint.
fn allows(flags: &Flags, taint: &Taint) -> bool {
    if taint.is_empty() { flags.may_be_reliable } else { taint.is_subset(&flags.sources) }
}

/// Holds the claims about a program against runs of it.
fn held(program: &Program, open: &BTreeSet<VariableId>, text: &str, seed: u64) -> Held {
    let flow = DataFlow::of(program, &Interface { channels: open.clone(), ..Interface::default() });
    let conditions = flow.conditions();
    let mut claims = Claims { program, text, flow, conditions, held: Held::default() };
    for number in 0..RUNS {
        let mut run = Run::new(program, open, seed * RUNS + number);
        claims.hold(&run);
        for _ in 0..STEPS {
            run.step();
            claims.hold(&run);
        }
    }
    claims.held
}

fn add(all: &mut Held, more: &Held) {
    all.reliable += more.reliable;
    all.chaotic += more.chaotic;
    all.mixed += more.mixed;
    all.guards += more.guards;
    all.matches += more.matches;
}

/// The global channels of a program.
fn global_channels(program: &Program) -> impl Iterator<Item = VariableId> {
    let made = |variable: &Variable| matches!(variable.init, Initializer::NewChannel(_));
    program.globals.iter().filter(move |(_, variable)| made(variable)).map(|(id, _)| id)
}

fn parsed(text: &str) -> Option<Program> {
    promela_front::parse("random", text, &promela_front::Options::default()).program
}

/// Random programs of the whole language, some channels of which are open.
#[test]
fn every_claim_about_random_programs_holds_in_random_runs() {
    let count: u64 = given("FLOW_PROGRAMS").unwrap_or_else(|| short_or_long(400, 20_000));
    let mut all = Held::default();
    for seed in 0..count {
        let profile = if seed % 2 == 0 { Profile::small() } else { Profile::whole() };
        let generated = sample(&profile, seed);
        let Some(program) = parsed(&generated.text) else { continue };
        let mut dice = SplitMix::new(seed);
        let open = global_channels(&program).filter(|_| dice.below(2) == 0).collect();
        add(&mut all, &held(&program, &open, &generated.text, seed));
    }
    say(&format!("claims about random programs that were held: {all:?}"));
    let Held { reliable, chaotic, mixed, guards, matches } = all;
    assert!([reliable, chaotic, mixed, guards, matches].iter().all(|count| *count > 0));
}

/// Models, opened at each of their global channels.
#[test]
fn every_claim_about_models_holds_in_random_runs() {
    let mut everything = own_models();
    everything.extend(corpus::place(None).iter().flat_map(|place| models(place)));
    let mut all = Held::default();
    for model in corpus::sample(&everything, short_or_long(60, usize::MAX)) {
        let text = model.text();
        let Some(program) = parsed(&text) else { continue };
        for channel in global_channels(&program) {
            add(&mut all, &held(&program, &[channel].into(), &model.name, 0));
        }
    }
    say(&format!("claims about models that were held: {all:?}"));
    assert!(all.chaotic > 0 && all.guards > 0);
}
