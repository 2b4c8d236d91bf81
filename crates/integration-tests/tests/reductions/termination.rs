//! Searches for a run without end, or for one that goes by none of some statements again and again,
//! that leave out what others cannot disturb, held against searches that leave out nothing: the
//! same answer, and where there is no such run, the same errors.
//!
//! `FREEBOARD_LONG` compares a thousand random programs of each kind, `PROPTEST_CASES` as many as
//! it says; the first number is `PROPTEST_RNG_SEED`, or 0.

use std::collections::{BTreeSet, HashMap};
use std::hash::{DefaultHasher, Hash, Hasher};

use cfsm_core::ids::IdMap;
use cfsm_core::program::{EdgeId, Limit, ProcessTypeId, Reading};
use explore::{
    Buffers, Completion, Lasso, Limits, Move, Run, Semantics, State, Step, Termination, Violation,
};
use integration_tests::comparison::corpus::own_models;
use integration_tests::generator::{Profile, sample, shrunk};
use integration_tests::{given, short_or_long};

use super::semantics;

/// How many states a program may have.
const STATES: usize = 5_000;

/// Statements that may be executed again and again.
type Visible = IdMap<ProcessTypeId, IdMap<EdgeId, bool>>;

/// What is searched.
struct Subject {
    semantics: Semantics,
    visible: Visible,
}

impl Subject {
    /// A program in which nothing may go on for ever.
    fn ending(text: &str, buffers: Buffers) -> Option<Self> {
        let (_, semantics) = semantics(text, buffers)?;
        Some(Self { semantics, visible: IdMap::default() })
    }

    /// A program with its own `progress` labels.
    fn labelled(text: &str, buffers: Buffers) -> Option<Self> {
        let (program, semantics) = semantics(text, buffers)?;
        Some(Self { semantics, visible: program.progress() })
    }

    /// A program with `progress` labels at some of its locations, about one in `part`.
    fn marked(text: &str, buffers: Buffers, seed: u64, part: u64) -> Option<Self> {
        let (mut program, semantics) = semantics(text, buffers)?;
        for (ty, content) in program.types.iter_mut() {
            for (at, location) in content.locations.iter_mut() {
                let mut hasher = DefaultHasher::new();
                (seed, ty, at).hash(&mut hasher);
                if hasher.finish().is_multiple_of(part) {
                    location.labels.push("progress".into());
                }
            }
        }
        Some(Self { semantics, visible: program.progress() })
    }

    fn is_visible(&self, moves: &[Move]) -> bool {
        let is = |moved: &Move| {
            moved
                .edge
                .is_some_and(|edge| self.visible.get(moved.process_type).is_some_and(|edges| edges[edge]))
        };
        moves.iter().any(is)
    }
}

/// What all states show.
struct All {
    /// Whether some run goes round without a visible step.
    goes_round: bool,
    errors: BTreeSet<String>,
    /// Whether more may lie behind an error.
    open: bool,
    states: usize,
}

/// Goes through all states, depth first from the start and then from what is behind visible steps;
/// `None` if they are too many, and none of those seen is on a cycle.
fn all(subject: &Subject) -> Option<All> {
    let mut all = All { goes_round: false, errors: BTreeSet::new(), open: false, states: 0 };
    let mut on_way: HashMap<State, bool> = HashMap::new();
    let mut way: Vec<(State, Vec<Step>)> = Vec::new();
    let mut waiting: Vec<State> = Vec::new();
    let mut next = Some(subject.semantics.initial().ok()?);
    loop {
        if let Some(state) = next.take() {
            match on_way.get(&state) {
                Some(again) => all.goes_round |= again,
                None => {
                    let steps = subject.semantics.successors(&state);
                    for error in steps.iter().flat_map(|step| &step.errors) {
                        let violation = Violation::Error(error.clone());
                        all.open |= violation.is_limit() || violation.is_open();
                        all.errors.insert(error.to_string());
                    }
                    on_way.insert(state.clone(), true);
                    way.push((state, steps));
                }
            }
        }
        all.states = on_way.len();
        if all.goes_round {
            return Some(all);
        }
        if all.states > STATES {
            return None;
        }
        if let Some((state, left)) = way.last_mut() {
            match left.pop() {
                None => {
                    on_way.insert(state.clone(), false);
                    way.pop();
                }
                Some(step) if subject.is_visible(&step.moves) => waiting.extend(step.after),
                Some(step) => next = step.after,
            }
        } else {
            while next.is_none() {
                let Some(state) = waiting.pop() else { return Some(all) };
                next = (!on_way.contains_key(&state)).then_some(state);
            }
        }
    }
}

/// Whether every run ends (without visible steps), with how many states that was found out in both
/// ways; or what is wrong. `None` if there are too many.
fn compared(subject: &Subject) -> Option<Result<(bool, usize, usize), String>> {
    let all = all(subject)?;
    let limits = Limits { states: Some(4 * STATES), ..Limits::default() };
    let found = subject.semantics.recurrence(&limits, &subject.visible).ok()?;
    if found.completion != Completion::Complete {
        // It may have gone where there is no end of states.
        let wrong = !all.goes_round || found.proof.is_some();
        return wrong.then(|| Err(format!("{:?}, proved: {}", found.completion, found.proof.is_some())));
    }
    if found.goes_round != all.goes_round {
        return Some(Err(format!("goes round: {}, but {}", all.goes_round, found.goes_round)));
    }
    if found.proof.is_some() == (all.goes_round || all.open) {
        return Some(Err(format!("proved: {}", found.proof.is_some())));
    }
    let errors: BTreeSet<String> = found.errors.iter().map(ToString::to_string).collect();
    if !all.goes_round && errors != all.errors {
        return Some(Err(format!("errors {errors:?}, but there are {:?}", all.errors)));
    }
    if let Err(wrong) = goes_round(subject, &found) {
        return Some(Err(wrong));
    }
    Some(Ok((!all.goes_round, all.states, found.states)))
}

/// Whether the run that is said to go round can be executed, without visible steps in the round,
/// and comes back to where it was.
fn goes_round(subject: &Subject, found: &Termination) -> Result<(), String> {
    let Some(Lasso { prefix, cycle }) = &found.lasso else {
        // Where sends may wait, what goes round may do so in no single reading: there need be no
        // run to show.
        let needs_run = found.goes_round && !subject.semantics.has_waiting_choices();
        return if needs_run { Err("no run".into()) } else { Ok(()) };
    };
    if cycle.steps.iter().any(|moves| subject.is_visible(moves)) {
        return Err("a visible step in the round".into());
    }
    let steps = [prefix, cycle].into_iter().flat_map(|part| part.steps.clone()).collect();
    let (start, steps) = subject.semantics.replay(&Run { steps }).map_err(|error| error.to_string())?;
    let behind = |count: usize| match count {
        0 => Some(&start),
        _ => steps[count - 1].after.as_ref(),
    };
    let (first, length) = (prefix.steps.len(), cycle.steps.len());
    let again = behind(first) == behind(first + length);
    if again && length > 0 { Ok(()) } else { Err("it does not go round".into()) }
}

/// What is asked of a random program.
#[derive(Clone, Copy)]
enum Asked {
    /// Whether every run ends.
    Ends,
    /// Whether every run does that goes by no mark; one location in so many has one.
    Marked(u64),
}

impl Asked {
    fn subject(self, text: &str, buffers: Buffers, seed: u64) -> Option<Subject> {
        match self {
            Self::Ends => Subject::ending(text, buffers),
            Self::Marked(part) => Subject::marked(text, buffers, seed, part),
        }
    }
}

/// Compares so many random programs.
fn random(profile: &Profile, buffers: Buffers, asked: Asked) {
    let few = if matches!(asked, Asked::Ends) { 100 } else { 50 };
    let long = short_or_long(few, 1_000);
    let count = usize::try_from(given("PROPTEST_CASES").unwrap_or(long)).expect("a number of programs");
    let mut seed = given("PROPTEST_RNG_SEED").unwrap_or(0);
    let (mut done, mut end, mut states, mut reduced) = (0, 0, 0, 0);
    let last = seed + 10 * count as u64 + 100;
    while done < count && seed < last {
        let program = sample(profile, seed);
        match asked.subject(&program.text, buffers.clone(), seed).and_then(|subject| compared(&subject)) {
            None => {}
            Some(Ok((ends, all, few))) => {
                done += 1;
                end += usize::from(ends);
                if ends {
                    states += all;
                    reduced += few;
                }
            }
            Some(Err(difference)) => {
                let fails = |text: &str| {
                    let found =
                        asked.subject(text, buffers.clone(), seed).and_then(|subject| compared(&subject));
                    found.is_some_and(|found| found.is_err())
                };
                let small = shrunk(profile, seed, |program| fails(&program.text));
                panic!("{seed}: {difference}\nmade small:\n{}", small.text);
            }
        }
        seed += 1;
    }
    println!("{done} programs, {end} of which end, in {states} states, {reduced} stored, up to seed {seed}");
    assert!(done >= count, "{done} programs");
    assert!(10 * end >= done, "{end} of {done} end");
    assert!(reduced < states);
}

#[test]
fn small_programs() {
    random(&Profile::small(), Buffers::Unbounded, Asked::Ends);
    random(&Profile::small(), Buffers::Declared, Asked::Ends);
}

#[test]
fn programs_of_the_whole_language() {
    random(&Profile::whole(), Buffers::Unbounded, Asked::Ends);
    random(&Profile::whole(), Buffers::Declared, Asked::Ends);
}

#[test]
fn small_programs_with_marks() {
    for part in [2, 5] {
        random(&Profile::small(), Buffers::Unbounded, Asked::Marked(part));
        random(&Profile::small(), Buffers::Declared, Asked::Marked(part));
    }
}

#[test]
fn programs_of_the_whole_language_with_marks() {
    for part in [2, 5] {
        random(&Profile::whole(), Buffers::Unbounded, Asked::Marked(part));
        random(&Profile::whole(), Buffers::Declared, Asked::Marked(part));
    }
}

/// Each send to a full queue may wait, or not.
#[test]
fn programs_whose_sends_may_wait() {
    let may_wait = Buffers::Reading(Reading::uniform(Limit::Either));
    for asked in [Asked::Ends, Asked::Marked(2)] {
        random(&Profile::small(), may_wait.clone(), asked);
        random(&Profile::whole(), may_wait.clone(), asked);
    }
}

#[test]
fn our_own_models() {
    let mut compared_models = 0;
    for model in own_models() {
        for buffers in [Buffers::Unbounded, Buffers::Declared] {
            let text = model.text();
            let marked = (2..6).map(|part| Subject::marked(&text, buffers.clone(), part, part));
            let subjects =
                [Subject::ending(&text, buffers.clone()), Subject::labelled(&text, buffers.clone())];
            for subject in subjects.into_iter().chain(marked).flatten() {
                if let Some(found) = compared(&subject) {
                    assert!(found.is_ok(), "{}, {buffers:?}: {found:?}", model.name);
                    compared_models += 1;
                }
            }
        }
    }
    assert!(compared_models > 300, "{compared_models} models");
}

/// Small programs with a run without end, or an error behind which there may be one, that is missed
/// if some condition of persistent sets is left out: the step of the first process would always
/// come first then.
#[test]
fn each_way_to_disturb_a_process() {
    let mut wrong = Vec::new();
    let models = include_str!("../fixtures/disturbed.txt").split("%\n").filter(|model| !model.is_empty());
    for model in models {
        let (name, text) = model.split_once('\n').expect("a name and a program");
        let mut missed = true;
        for buffers in [Buffers::Unbounded, Buffers::Declared] {
            let subject =
                Subject::ending(text, buffers.clone()).unwrap_or_else(|| panic!("{name} is a program"));
            let answer = compared(&subject);
            if !matches!(answer, Some(Ok(_))) {
                wrong.push(format!("{name}, {buffers:?}: {answer:?}"));
            }
            missed &= subject.semantics.termination(&Limits::default()).expect("it starts").proof.is_some();
        }
        if missed {
            wrong.push(format!("{name}: every run ends"));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}
