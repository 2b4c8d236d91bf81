//! What different means find out about the same program, held against each other: each strategy
//! alone, all together, runs, all states with unbounded and with declared buffers, and Spin.
//! Nothing that one proves may be refuted by another.
//!
//! `FREEBOARD_STRATEGY_CASES=5000` for a long run; `FREEBOARD_STRATEGY_FIRST` is the number of the
//! first program, so that a long run can be done in parts; of fewer than 500, some means may decide
//! nothing.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::time::Instant;

use explore::{Buffers, Claims, Completion, Exploration, Limits, Progress, Semantics};
use freeboard::livelock::Fairness;
use freeboard::{Analysis, Options, RunLimits, Strategies, check_livelock, check_model, read_promela};
use integration_tests::comparison::exploration::two_at_a_time;
use integration_tests::counter_programs::counter_program;
use integration_tests::data_programs::data_program;
use integration_tests::difference_programs::difference_program;
use integration_tests::generator::{Profile, sample};
use integration_tests::given;
use integration_tests::room::with_capacities;
use integration_tests::spin::{Answer, Way, attempt, is_here, never_more_than};
use refine::{Correspondence as _, Strategy};
use report::view::{Buffer, BufferVerdict, PropertyResult, Verdict};

/// Programs, by default.
const CASES: u64 = 60;
/// States that are looked at, by each means.
const STATES: usize = 2_000;
/// One in so many programs is one of the whole language, one is about differences of variables, and
/// one about counters; one in so many is given to Spin too.
const WHOLE_LANGUAGE: u64 = 6;
const FOR_SPIN: u64 = 30;
/// Capacity of all channels in Spin where all states have been seen and no queue holds as much.
const ROOM: u32 = 12;
/// By how much capacities are raised for Spin where there is a certificate.
const MORE_ROOM: u32 = 2;

fn wanted() -> u64 {
    given("FREEBOARD_STRATEGY_CASES").unwrap_or(CASES)
}

/// A way to find something out.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Means {
    /// The plain test.
    Plain,
    /// One strategy, and nothing else.
    One(Strategy),
    /// Runs, and nothing else.
    Runs,
    /// Everything.
    All,
}

const MEANS: [Means; 12] = [
    Means::Plain,
    Means::One(Strategy::Activation),
    Means::One(Strategy::Structure),
    Means::One(Strategy::DataPlaces),
    Means::One(Strategy::Counters),
    Means::One(Strategy::Ranking),
    Means::One(Strategy::Tracking),
    Means::One(Strategy::Order),
    Means::One(Strategy::Termination),
    Means::One(Strategy::Exhaustion),
    Means::Runs,
    Means::All,
];

impl Means {
    fn options(self, fairness: Fairness) -> Options {
        let (search, all) = match self {
            // Of these, it stores a twentieth.
            Self::One(Strategy::Termination) => (0, 20 * STATES),
            Self::One(Strategy::Exhaustion) => (0, STATES),
            Self::Plain | Self::One(_) => (0, 0),
            Self::Runs => (STATES, 0),
            Self::All => (STATES, STATES),
        };
        let strategies = match self {
            Self::Plain | Self::Runs => Strategies::none(),
            Self::One(strategy) => Strategies([strategy].into()),
            Self::All => Strategies::default(),
        };
        let runs = RunLimits { search_states: search, exploration_states: all };
        Options { refinement: strategies, runs, fairness, ..Options::default() }
    }
}

/// What one means finds out.
struct Found {
    means: Means,
    analysis: Analysis,
    bounded: PropertyResult,
    /// For all runs, and for fair ones.
    live: [PropertyResult; 2],
}

const FAIRNESS: [Fairness; 2] = [Fairness::None, Fairness::Weak];

/// What a means says of a program; `None` if that is not read.
fn ask(text: &str, means: Means) -> Option<Found> {
    let options = means.options(Fairness::None);
    let model = read_promela("model.pml", text, &options).ok()?;
    let live = FAIRNESS.map(|fairness| {
        let found = check_livelock(&model.program, &model.abstraction, &means.options(fairness));
        let mut results = found.view("model.pml", &model).property_results;
        results.swap_remove(0)
    });
    let analysis = check_model(model, &options, Instant::now());
    let mut results = analysis.view("model.pml").property_results;
    Some(Found { means, bounded: results.swap_remove(0), analysis, live })
}

fn is_by_exhaustion(result: &PropertyResult) -> bool {
    let searches = ["exhaustion", "termination"];
    result.refinement.iter().any(|refinement| searches.contains(&refinement.strategy.as_str()))
}

/// What a search of all states, as far as it comes, sees of a program.
fn seen(found: &Found, buffers: Buffers) -> Option<Exploration> {
    let options = explore::Options { buffers, claims: Claims::Ignored, ..explore::Options::default() };
    let semantics = Semantics::new(&found.analysis.program, &options).ok()?;
    let limits = Limits { states: Some(STATES), passed: Some(STATES), progress: true, ..Limits::default() };
    semantics.explore(&limits).ok()
}

/// What a proof of one means says that a search has seen otherwise.
fn against_search(found: &Found, seen: &Exploration, buffers: &Buffers, wrong: &mut String) {
    let system = found.analysis.system();
    for (origin, most) in &seen.maxima {
        let [buffer] = found.analysis.abstraction.buffers(origin)[..] else { continue };
        let name = &system.buffers[buffer].name;
        let Some(row) = found.bounded.buffers.iter().find(|row| row.name == *name) else { continue };
        let exceeds =
            |known: &report::view::Number| number(known).is_some_and(|known| known < u64::from(*most));
        if row.bound.as_ref().is_some_and(exceeds) || row.exact.as_ref().is_some_and(exceeds) {
            writeln!(wrong, "{:?}: {row:?}, but {most} with {buffers:?}", found.means).unwrap();
        }
    }
    let circles = matches!(seen.progress, Progress::Cycle(_));
    if circles && found.live[0].verdict == Verdict::Proved {
        writeln!(wrong, "{:?}: no livelock, but a cycle with {buffers:?}", found.means).unwrap();
    }
    let all = seen.completion == Completion::Complete && *buffers == Buffers::Unbounded;
    // A run that needs a limited channel is none of these.
    let in_these = found.bounded.witnesses.iter().any(|witness| witness.limited.is_empty());
    if all && in_these {
        writeln!(wrong, "{:?}: refuted, but all states were seen", found.means).unwrap();
    }
}

fn number(number: &report::view::Number) -> Option<u64> {
    number.to_string().parse().ok()
}

/// What two means say of a buffer that cannot both be true.
fn clash(one: &Buffer, other: &Buffer) -> bool {
    use BufferVerdict::{Bounded, Unbounded};
    let exact = |row: &Buffer| row.exact.as_ref().and_then(number);
    let bound = |row: &Buffer| row.bound.as_ref().and_then(number);
    (one.verdict == Bounded && other.verdict == Unbounded)
        || exact(one).zip(exact(other)).is_some_and(|(one, other)| one != other)
        || exact(one).zip(bound(other)).is_some_and(|(exact, bound)| exact > bound)
        || (exact(one).is_some() && other.verdict == Unbounded)
}

/// Contradictions between what two means say.
fn against_each_other(one: &Found, other: &Found, wrong: &mut String) {
    let proves = |result: &PropertyResult| result.verdict == Verdict::Proved;
    let refutes = |result: &PropertyResult| result.verdict == Verdict::Refuted;
    let [all, fair] = &one.live;
    let [other_all, other_fair] = &other.live;
    // What is proved for all runs is so for fair ones, and a fair run is one.
    if (proves(all) && (refutes(other_all) || refutes(other_fair))) || (proves(fair) && refutes(other_fair)) {
        writeln!(wrong, "{:?} proves that there is no livelock, {:?} has one", one.means, other.means)
            .unwrap();
    }
    if proves(&one.bounded) && refutes(&other.bounded) {
        writeln!(wrong, "{:?} proves bounds, {:?} refutes", one.means, other.means).unwrap();
    }
    // Those of processes may be told apart in other ways.
    let global = |row: &&Buffer| !row.name.contains('.');
    for row in one.bounded.buffers.iter().filter(global) {
        for against in
            other.bounded.buffers.iter().filter(|against| against.name == row.name && clash(row, against))
        {
            writeln!(wrong, "{:?}: {row:?}, {:?}: {against:?}", one.means, other.means).unwrap();
        }
    }
}

/// What Spin finds against what everything together has proved; and how often it was asked.
fn against_spin(text: &str, found: &Found, wrong: &mut String) -> usize {
    let mut asked = 0;
    let mut ask = |way: Way, text: &str, sees: &dyn Fn(&Answer) -> bool| {
        let Ok(answer) = attempt(way, text) else { return };
        asked += 1;
        if sees(&answer) {
            writeln!(wrong, "Spin, {way:?}: {}\n{text}", answer.output).unwrap();
        }
    };
    let least = |row: &Buffer| number(row.exact.as_ref().or(row.bound.as_ref())?);
    let known: BTreeMap<String, u32> = found
        .bounded
        .buffers
        .iter()
        .filter(|row| !row.name.contains('.'))
        .filter_map(|row| Some((row.name.clone(), u32::try_from(least(row)?).ok()?)))
        .collect();
    let roomy = with_capacities(text, |declared| Some(declared? + MORE_ROOM));
    let large = with_capacities(text, |_| Some(ROOM));
    let fits = known.values().all(|most| *most < ROOM)
        && found.bounded.buffers.iter().all(|row| row.exact.is_some());
    if !known.is_empty() {
        let texts = if found.bounded.buffers.iter().any(|row| row.exact.is_some()) {
            vec![text.to_owned(), if fits { large.clone() } else { text.to_owned() }]
        } else {
            vec![roomy.clone()]
        };
        for text in texts {
            ask(Way::ToFirstError, &(text + &never_more_than(&known)), &|answer| {
                answer.output.contains("assertion violated")
            });
        }
    }
    for (result, way) in found.live.iter().zip([Way::WithoutProgress, Way::FairWithoutProgress]) {
        if result.verdict != Verdict::Proved {
            continue;
        }
        let second = if !is_by_exhaustion(result) {
            &roomy
        } else if fits {
            &large
        } else {
            text
        };
        for text in [text, second] {
            ask(way, text, &|answer| answer.output.contains("non-progress cycle (at depth"));
        }
    }
    asked
}

/// What came of a program: what is wrong, and which means decide what the plain test leaves open.
#[derive(Default)]
struct Outcome {
    read: bool,
    wrong: String,
    /// Boundedness, livelocks, livelocks in fair runs.
    decided: BTreeMap<(Means, usize), usize>,
    open: [usize; 3],
    spin: usize,
}

fn outcome(seed: u64, has_spin: bool) -> Outcome {
    let text = match seed % WHOLE_LANGUAGE {
        0 => sample(&Profile::small(), seed).text,
        1 => difference_program(seed),
        2 => counter_program(seed),
        _ => data_program(seed),
    };
    let mut outcome = Outcome::default();
    let Some(all) = MEANS.iter().map(|means| ask(&text, *means)).collect::<Option<Vec<Found>>>() else {
        return outcome;
    };
    outcome.read = true;
    for buffers in [Buffers::Unbounded, Buffers::Declared] {
        let Some(seen) = seen(&all[0], buffers.clone()) else { continue };
        all.iter().for_each(|found| against_search(found, &seen, &buffers, &mut outcome.wrong));
    }
    for one in &all {
        all.iter().for_each(|other| against_each_other(one, other, &mut outcome.wrong));
    }
    let results = |found: &Found| [found.bounded.verdict, found.live[0].verdict, found.live[1].verdict];
    let plain = results(&all[0]);
    for (at, verdict) in plain.into_iter().enumerate().filter(|(_, verdict)| *verdict == Verdict::Unknown) {
        debug_assert_eq!(verdict, Verdict::Unknown, "that is what is asked");
        outcome.open[at] += 1;
        for found in all.iter().filter(|found| results(found)[at] != Verdict::Unknown) {
            *outcome.decided.entry((found.means, at)).or_default() += 1;
        }
    }
    if has_spin && seed % FOR_SPIN == 1 {
        let everything = all.last().unwrap();
        outcome.spin = against_spin(&text, everything, &mut outcome.wrong);
    }
    if !outcome.wrong.is_empty() {
        write!(outcome.wrong, "seed {seed}\n{text}").unwrap();
    }
    outcome
}

#[test]
fn no_two_means_contradict_each_other() {
    let has_spin = is_here("no_two_means_contradict_each_other");
    let first = given("FREEBOARD_STRATEGY_FIRST").unwrap_or(0);
    let seeds: Vec<u64> = (first..first + wanted()).collect();
    let outcomes = two_at_a_time(&seeds, |seed| outcome(*seed, has_spin));
    let mut decided: BTreeMap<(Means, usize), usize> = BTreeMap::new();
    let (mut open, mut read, mut spin) = ([0; 3], 0, 0);
    for outcome in &outcomes {
        read += usize::from(outcome.read);
        spin += outcome.spin;
        open.iter_mut().zip(outcome.open).for_each(|(sum, one)| *sum += one);
        outcome.decided.iter().for_each(|(key, count)| *decided.entry(*key).or_default() += count);
    }
    let wrong: Vec<&str> = outcomes
        .iter()
        .filter(|outcome| !outcome.wrong.is_empty())
        .map(|outcome| outcome.wrong.as_str())
        .collect();
    println!(
        "{read} of {} programs, from number {first} on; left open by the plain test: {open:?} (bounded, live, live if fair)",
        seeds.len()
    );
    for means in MEANS {
        let counts = [0, 1, 2].map(|at| decided.get(&(means, at)).copied().unwrap_or(0));
        println!("  decided of these by {means:?}: {counts:?}");
    }
    println!("Spin was asked {spin} times; {} programs with contradictions", wrong.len());
    assert!(wrong.is_empty(), "{}", wrong.iter().take(5).copied().collect::<Vec<_>>().join("\n\n"));
    assert!(10 * read >= 9 * seeds.len(), "{read} were read");
    // What nobody sends is left out of the first system already; only what else is known of later
    // ones makes more of it dead.
    for means in MEANS[1..].iter().filter(|means| **means != Means::One(Strategy::Activation)) {
        let count: usize = (0..3).filter_map(|at| decided.get(&(*means, at))).sum();
        assert!(count > 0, "{means:?} decides nothing");
    }
}
