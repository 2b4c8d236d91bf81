//! Random programs: as many reachable states as Spin's verifier finds, and the same verdicts.
//!
//! `FREEBOARD_LONG` compares a thousand programs, `PROPTEST_CASES` as many as it says; the first
//! number is `PROPTEST_RNG_SEED`, or 0.

use std::collections::{BTreeMap, BTreeSet, HashSet};
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

use cfsm_core::program::{Action, Expression, Pattern, Program, VariableRef};
use explore::{Move, Semantics};
use integration_tests::comparison::corpus::Model;
use integration_tests::comparison::exploration::{
    Cycles, Extent, Outcome, compare, difference, two_at_a_time,
};
use integration_tests::comparison::states::Size;
use integration_tests::generator::{Feature, Generated, Profile, sample, shrunk};
use integration_tests::spin::is_here;
use integration_tests::{given, say, short_or_long};

/// How many states a program may have. What Spin takes is the compiler, not the search.
const STATES: usize = 20_000;
/// How often a program that differs is made smaller at most: each time takes a second.
const SHRINKING: usize = 120;

/// Small programs without what Spin's verifier is known to count in another way
/// (`docs/reference/semantics.md`): hidden variables are no part of its states, and an element
/// whose index comes with the same message is not put back where it was.
fn profile() -> Profile {
    Profile::small().without(&[Feature::Hidden, Feature::StoredIndex])
}

/// Whether Spin's claim for progress may change what the program does: it is a process, which
/// `_nr_pr` counts, and with it `_last` is put back in another way.
fn sees_claims(program: &Generated) -> bool {
    [Feature::ProcessCount, Feature::Last].iter().any(|feature| program.features.contains_key(feature))
}

fn outcome(program: &Generated, cycles: bool) -> Outcome {
    let directory = tempfile::tempdir().expect("a directory for temporary files");
    let file = directory.path().join("model.pml");
    std::fs::write(&file, &program.text).expect("room for a model");
    let model = Model::alone(&file);
    let parsed = promela_front::parse("model.pml", &program.text, &promela_front::Options::default());
    let extent = Extent { states: STATES, size: Size::Small, cycles: cycles && !sees_claims(program) };
    compare(&model, parsed.program.as_ref(), extent)
}

/// What differs, and is not Spin's own.
fn differs(program: &Generated, cycles: bool) -> Option<String> {
    match outcome(program, cycles) {
        Outcome::Both(ours, spin, cycles) => {
            difference(&ours, &spin, &cycles).filter(|_| !cannot_be_undone(program))
        }
        _ => None,
    }
}

/// Whether the program comes to a receive that Spin's verifier does not undo: it puts back into the
/// channel what the variables of the receive are behind it, and goes on with another message. So it
/// is where a variable is too narrow for its field, or both stored and matched
/// (`narrow_receive.pml`, `own_match.pml`).
fn cannot_be_undone(program: &Generated) -> bool {
    let parsed = promela_front::parse("model.pml", &program.text, &promela_front::Options::default());
    let program = parsed.program.expect("it has been explored");
    let semantics = Semantics::new(&program, &explore::Options::default()).expect("it has been explored");
    let start = semantics.initial().expect("it has been explored");
    let (mut met, mut open) = (HashSet::from([start.clone()]), vec![start]);
    while let Some(state) = open.pop() {
        for step in semantics.successors(&state) {
            if step.moves.iter().any(|moved| is_put_back_wrong(&program, moved)) {
                return true;
            }
            let new = step.after.filter(|after| !met.contains(after));
            met.extend(new.clone());
            open.extend(new);
        }
    }
    false
}

fn is_put_back_wrong(program: &Program, moved: &Move) -> bool {
    let (Some(edge), Some(message)) = (moved.edge, &moved.received) else { return false };
    let Action::Receive { patterns, .. } = &program.types[moved.process_type].edges[edge].action else {
        return false;
    };
    let stores = |variable: VariableRef| {
        patterns.iter().any(|pattern| matches!(pattern, Pattern::Store(place) if place.variable == variable))
    };
    patterns.iter().zip(&message.fields).any(|(pattern, value)| match pattern {
        Pattern::Any => false,
        Pattern::Match(matched) => {
            matched.any(&mut |part| matches!(part, Expression::Read(place) if stores(place.variable)))
        }
        Pattern::Store(place) => {
            program.variable(moved.process_type, place.variable).stored_type().wrap(*value) != *value
        }
    })
}

/// What came of many programs.
#[derive(Debug, Default)]
struct Tally {
    compared: usize,
    /// Of those, in which both said whether there is a cycle without progress; and how often there
    /// is one.
    cycles: (usize, usize),
    assertions: usize,
    invalid_ends: usize,
    /// All states that were compared, and the most of one program.
    states: (u64, u64),
    features: BTreeSet<Feature>,
    /// Why others were not.
    passed: BTreeMap<String, usize>,
    different: Vec<(u64, String)>,
    /// Differences that are Spin's own.
    not_undone: Vec<u64>,
}

impl Tally {
    fn add(&mut self, seed: u64, program: &Generated, outcome: Outcome) {
        let reason = match outcome {
            Outcome::Both(ours, spin, cycles) => {
                self.compared += 1;
                self.states = (self.states.0 + spin.states, self.states.1.max(spin.states));
                self.assertions += usize::from(spin.assertion);
                self.invalid_ends += usize::from(spin.invalid_end);
                self.features.extend(program.features.keys());
                match difference(&ours, &spin, &cycles) {
                    Some(_) if cannot_be_undone(program) => self.not_undone.push(seed),
                    other => self.different.extend(other.map(|difference| (seed, difference))),
                }
                match cycles {
                    Cycles::Both(_, spin) => {
                        self.cycles = (self.cycles.0 + 1, self.cycles.1 + usize::from(spin));
                        return;
                    }
                    Cycles::Unknown(reason) => format!("no verdict on cycles: {reason}"),
                    Cycles::NotAsked => return,
                }
            }
            Outcome::Refused(reason) => format!("refused: {reason}"),
            Outcome::Uncounted(reason) => {
                // Without line numbers, so that the same reasons are counted together.
                let plain = reason.chars().filter(|c| !c.is_ascii_digit()).collect::<String>();
                format!("Spin: {plain}")
            }
            Outcome::TooLarge => "too many states".into(),
            Outcome::Passed(reason) => reason.into(),
        };
        *self.passed.entry(reason).or_default() += 1;
    }
}

/// Compares so many programs; those that cannot be compared do not count. Cycles are compared in
/// every `cycles`th.
fn tally(profile: &Profile, count: usize, cycles: u64) -> Tally {
    let first = given("PROPTEST_RNG_SEED").unwrap_or(0);
    let tally = Mutex::new(Tally::default());
    let (compared, stuck) = (AtomicUsize::new(0), AtomicBool::new(false));
    // More than half can be compared, or there is something wrong.
    let seeds: Vec<u64> = (first..first + 2 * count as u64 + 50).collect();
    two_at_a_time(&seeds, |seed| {
        if compared.load(Ordering::Relaxed) >= count || stuck.load(Ordering::Relaxed) {
            return;
        }
        let program = sample(profile, *seed);
        let outcome = outcome(&program, seed % cycles == 0);
        if matches!(outcome, Outcome::Both(..)) {
            compared.fetch_add(1, Ordering::Relaxed);
        }
        let mut tally = tally.lock().expect("nobody panics with it");
        tally.add(*seed, &program, outcome);
        // So many differences have one cause, and the first one will do.
        stuck.fetch_or(tally.different.len() > 20, Ordering::Relaxed);
    });
    tally.into_inner().expect("nobody panics with it")
}

/// The first program that differs, made small.
fn smallest(profile: &Profile, seed: u64, cycles: bool) -> String {
    let mut tries = 0;
    let program = shrunk(profile, seed, |program| {
        tries += 1;
        tries <= SHRINKING && differs(program, cycles).is_some()
    });
    format!("{}: {:?}", program.text, differs(&program, cycles))
}

#[test]
fn random_programs_have_the_states_and_verdicts_that_spin_finds() {
    if !is_here("random_programs_have_the_states_and_verdicts_that_spin_finds") {
        return;
    }
    let count = given("PROPTEST_CASES").unwrap_or(short_or_long(15, 1_000));
    let (profile, count, each) = (profile(), usize::try_from(count).expect("a number of programs"), 2);
    let mut found = tally(&profile, count, each);
    found.different.sort();
    say(&format!("{} features; {found:?}", found.features.len()));
    if let Some((seed, _)) = found.different.first() {
        let small = smallest(&profile, *seed, seed % each == 0);
        panic!("not as Spin: {:?}\nmade small, {seed} is\n{small}", found.different);
    }
    assert!(found.compared >= count && found.cycles.0 * 5 > count, "{found:?}");
    // Those that are Spin's own are few.
    assert!(found.not_undone.len() * 10 <= count + 30, "{:?}", found.not_undone);
}
