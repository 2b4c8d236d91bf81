//! Witnesses of random programs: a pump that is called repeatable is repeated, and Spin finds the
//! same run.
//!
//! `FREEBOARD_LONG=1` looks at more programs.

use std::collections::BTreeSet;
use std::fmt::Write as _;

use cfsm_core::deadline::Deadline;
use cfsm_core::program::Program;
use explore::{
    Aim, Budget, Buffers, Guide, Move, Options, Quest, QueueOrigin, Run, Semantics, State, Witness,
};
use integration_tests::comparison::corpus::{Model, own_models};
use integration_tests::generator::{Profile, sample};
use integration_tests::room::with_capacities;
use integration_tests::spin::{Way, attempt, is_here};
use integration_tests::{say, short_or_long};

/// Rounds that are executed beyond those that were replayed.
const MORE_ROUNDS: usize = 200;
/// Capacity of channels for Spin: more than any run here needs.
const ROOM: u32 = 30;
/// Rounds of the pump that Spin is to follow.
const ROUNDS_OF_SPIN: usize = 3;

/// The program of a text, unless it is one of the few that the generator writes and nobody takes.
fn program(text: &str) -> Option<Program> {
    promela_front::parse("model.pml", text, &promela_front::Options::default()).program
}

fn unbounded(program: &Program) -> Option<Semantics> {
    Semantics::new(program, &Options { buffers: Buffers::Unbounded, ..Options::default() }).ok()
}

/// Up to four witnesses of a program, each for other queues.
fn witnesses(semantics: &Semantics, states: usize) -> Vec<Witness> {
    let mut found: Vec<Witness> = Vec::new();
    let mut known: BTreeSet<QueueOrigin> = BTreeSet::new();
    while found.len() < 4 {
        let guide = Guide::new(semantics, BTreeSet::new());
        let quest = Quest { aim: Aim::Growth { known: known.clone() }, guide };
        let search = semantics.search(&quest, &Budget { states, deadline: Deadline::default() });
        let Ok(Some(witness)) = search.map(|search| search.witness) else { break };
        known.extend(witness.growth().iter().map(|(origin, _)| *origin));
        found.push(witness);
    }
    found
}

/// The state behind moves that must be possible; what is sent and received may be something else,
/// if that decides nothing.
fn execute(
    semantics: &Semantics,
    mut state: State,
    (run, up_to_idle_data): (&Run, bool),
    moved: &mut Run,
) -> Result<State, usize> {
    let edge = |moved: &Move| (moved.process, moved.process_type, moved.edge);
    for (at, moves) in run.steps.iter().enumerate() {
        let is_same = |own: &Vec<Move>| {
            own == moves || up_to_idle_data && own.iter().map(edge).eq(moves.iter().map(edge))
        };
        let step = semantics.successors(&state).into_iter().find(|step| is_same(&step.moves)).ok_or(at)?;
        moved.steps.push(step.moves);
        state = step.after.ok_or(at)?;
    }
    Ok(state)
}

/// Ways of executing a round that are followed side by side, where any process may take an edge.
const WAYS: usize = 200;

/// A run, and where it leads.
#[derive(Clone)]
struct Reached {
    run: Run,
    state: State,
}

/// The runs that go on with a round, whoever takes its edges.
fn by_anybody(semantics: &Semantics, ways: &[Reached], round: &Run) -> Vec<Reached> {
    let edges =
        |moves: &[Move]| -> Vec<_> { moves.iter().map(|moved| (moved.process_type, moved.edge)).collect() };
    round.steps.iter().fold(ways.to_vec(), |ways, wanted| {
        let mut next: Vec<Reached> = Vec::new();
        for way in &ways {
            for step in semantics.successors(&way.state) {
                let Some(state) = step.after.filter(|_| edges(&step.moves) == edges(wanted)) else {
                    continue;
                };
                if next.len() < WAYS && !next.iter().any(|other| other.state == state) {
                    let mut run = way.run.clone();
                    run.steps.push(step.moves);
                    next.push(Reached { run, state });
                }
            }
        }
        next
    })
}

/// The run of a witness whose rounds leave processes behind, with so many rounds, or as many as
/// there may be processes for.
fn unrolled_by_anybody(
    semantics: &Semantics,
    witness: &Witness,
    rounds: usize,
    look: &mut dyn FnMut(usize, &State, &State) -> Result<(), String>,
) -> Result<Run, String> {
    let state = semantics.initial().map_err(|error| error.to_string())?;
    let mut run = Run::default();
    let state = execute(semantics, state, (witness.prefix(), false), &mut run)
        .map_err(|at| format!("prefix, step {at}"))?;
    let room = usize::from(semantics.options().max_processes) - state.processes().count();
    let mut ways = vec![Reached { run, state }];
    for round in 0..rounds.min((room / witness.left_behind()).saturating_sub(1)) {
        let mut next = Vec::new();
        for way in &ways {
            let on = by_anybody(semantics, std::slice::from_ref(way), witness.pump());
            next.extend(on.into_iter().filter(|on| look(round, &way.state, &on.state).is_ok()));
        }
        next.truncate(WAYS / 10);
        if next.is_empty() {
            return Err(format!("round {round}, by anybody"));
        }
        ways = next;
    }
    Ok(ways.swap_remove(0).run)
}

/// The run of a witness with so many rounds, each told the state before and behind it.
fn unrolled(
    semantics: &Semantics,
    witness: &Witness,
    rounds: usize,
    look: &mut dyn FnMut(usize, &State, &State) -> Result<(), String>,
) -> Result<Run, String> {
    if witness.left_behind() > 0 {
        return unrolled_by_anybody(semantics, witness, rounds, look);
    }
    let mut run = Run::default();
    let start = semantics.initial().map_err(|error| error.to_string())?;
    let mut state = execute(semantics, start, (witness.prefix(), false), &mut run)
        .map_err(|at| format!("prefix, step {at}"))?;
    for round in 0..rounds {
        let before = state.clone();
        let pump = (witness.pump(), witness.is_up_to_idle_data());
        state =
            execute(semantics, state, pump, &mut run).map_err(|at| format!("round {round}, step {at}"))?;
        look(round, &before, &state)?;
    }
    Ok(run)
}

fn length(semantics: &Semantics, state: &State, origin: QueueOrigin) -> Option<usize> {
    let mut queues = semantics.queues(state);
    queues.find(|queue| queue.origin == origin).map(|queue| queue.messages.len())
}

/// Executes a pump many more times than it was, and looks at what grows.
fn repeat(semantics: &Semantics, witness: &Witness) -> Result<(), String> {
    let mut grows = |round, before: &State, behind: &State| {
        for (origin, growth) in witness.growth() {
            let grown = length(semantics, before, *origin).map(|length| length + *growth as usize);
            if grown.is_none() || length(semantics, behind, *origin) != grown {
                return Err(format!("round {round}: {origin:?} does not grow by {growth}"));
            }
        }
        Ok(())
    };
    unrolled(semantics, witness, witness.rounds() + MORE_ROUNDS, &mut grows).map(|_| ())
}

#[test]
fn pumps_can_be_repeated() {
    let programs = short_or_long(1_500, 40_000);
    let (mut repeated, mut steps, mut idle, mut behind) = (0, 0, 0, 0);
    for seed in 0..programs {
        let generated = sample(&Profile::whole(), seed);
        let Some(semantics) = program(&generated.text).as_ref().and_then(unbounded) else { continue };
        for witness in witnesses(&semantics, 600) {
            assert!(!witness.growth().is_empty(), "{seed}: {witness:?}");
            if let Err(problem) = repeat(&semantics, &witness) {
                panic!("{seed}: {problem}\n{witness:?}\n{}", generated.text);
            }
            repeated += 1;
            steps += witness.pump().steps.len();
            idle += usize::from(witness.is_up_to_idle_data());
            behind += usize::from(witness.left_behind() > 0);
        }
    }
    say(&format!("{repeated} pumps of {steps} steps in {programs} programs, {MORE_ROUNDS} more rounds each"));
    say(&format!("{idle} of them up to idle data, {behind} that leave processes behind"));
    assert!(repeated > programs / 100, "{repeated} pumps in {programs} programs");
}

/// What Spin should see behind a step: who moved, and how many messages the global queues hold.
fn seen(program: &Program, semantics: &Semantics, moves: &[Move], state: &State) -> String {
    let mut text = match moves.last() {
        // Of a process that dies there is nothing left that could have moved.
        Some(last) if last.edge.is_some() => format!("_last == {}", last.process),
        _ => "true".to_owned(),
    };
    for queue in semantics.queues(state) {
        if queue.rendezvous || queue.origin.process.is_some() {
            continue;
        }
        let variable = &program.globals[queue.origin.variable];
        let element = variable.length.map(|_| format!("[{}]", queue.origin.element)).unwrap_or_default();
        // The variable may refer to another queue by now.
        let means = semantics.global(state, queue.origin.variable, queue.origin.element);
        if means != i64::try_from(queue.number).ok() {
            continue;
        }
        write!(text, " && len({}{element}) == {}", variable.name, queue.messages.len()).unwrap();
    }
    text
}

/// A claim that comes to its end if Spin can take the steps of a witness, and some rounds of its
/// pump.
fn claim(program: &Program, semantics: &Semantics, witness: &Witness) -> String {
    let run = unrolled(semantics, witness, ROUNDS_OF_SPIN, &mut |_, _, _| Ok(())).unwrap();
    let (_, steps) = semantics.replay(&run).unwrap();
    let mut text = String::from("never {\n  true;\n");
    for step in steps {
        let after = step.after.unwrap();
        // Inside of an atomic sequence the claim stands still.
        if after.held().is_none() {
            writeln!(text, "  {};", seen(program, semantics, &step.moves, &after)).unwrap();
        }
    }
    text + "}\n"
}

/// Whether Spin finds the run of a witness; what it complains of if it does not take the model.
fn is_found(text: &str, program: &Program, semantics: &Semantics, witness: &Witness) -> Result<bool, String> {
    let claim = claim(program, semantics, witness);
    let answer = attempt(Way::Unmerged, &format!("{}\n{claim}", with_capacities(text, |_| Some(ROOM))))?;
    Ok(answer.output.contains("end state in claim reached"))
}

#[test]
fn spin_finds_the_same_runs() {
    if !is_here("spin_finds_the_same_runs") {
        return;
    }
    let wanted = short_or_long(5, 400);
    let (mut found, mut refused) = (0, 0);
    // With a claim, Spin counts one more process, and asks for `timeout` at other times.
    let different = ["_nr_pr", "_last", "timeout", "hidden"];
    for seed in 0.. {
        if found == wanted {
            break;
        }
        let generated = sample(&Profile::small(), seed);
        if different.iter().any(|word| generated.text.contains(word)) {
            continue;
        }
        let Some(program) = program(&generated.text) else { continue };
        let Some(semantics) = unbounded(&program) else { continue };
        for witness in witnesses(&semantics, 300).iter().take(1) {
            match is_found(&generated.text, &program, &semantics, witness) {
                Ok(true) => found += 1,
                Ok(false) => panic!(
                    "{seed}: Spin does not find this run\n{}\n{}",
                    generated.text,
                    claim(&program, &semantics, witness)
                ),
                // Some verifiers cannot be compiled, and some stop at a loop of one statement.
                Err(_) => refused += 1,
            }
        }
    }
    say(&format!("Spin finds the runs of {found} witnesses of random programs; {refused} it does not take"));
    assert!(refused < wanted, "Spin takes too few of these programs");
}

#[test]
fn spin_finds_the_runs_of_the_examples() {
    if !is_here("spin_finds_the_runs_of_the_examples") {
        return;
    }
    let examples = own_models().into_iter().filter(|model: &Model| model.name.starts_with("examples/"));
    let mut found = 0;
    for model in examples {
        let text = model.text();
        if !text.contains("// verdict: unbounded") {
            continue;
        }
        let program = program(&text).unwrap();
        let semantics = unbounded(&program).unwrap();
        for witness in witnesses(&semantics, 10_000) {
            assert_eq!(
                is_found(&text, &program, &semantics, &witness),
                Ok(true),
                "{}: {witness:?}",
                model.name
            );
            found += 1;
        }
    }
    assert!(found >= 6, "{found}");
}
