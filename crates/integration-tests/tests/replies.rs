//! Bounds of reply channels in arrays, held against all states and against Spin: variables that
//! choose a channel are followed for tighter bounds, and these must not be too tight.
//!
//! `FREEBOARD_REPLY_CASES=20000` for a long run.

use std::collections::BTreeMap;
use std::time::Instant;

use cfsm_core::program::{Limit, Reading};
use explore::{Buffers, Claims, Limits, Semantics};
use freeboard::{Analysis, Options, RunLimits, check_model, read_promela};
use integration_tests::comparison::exploration::two_at_a_time;
use integration_tests::given;
use integration_tests::reply_programs::reply_program;
use integration_tests::room::with_capacities;
use integration_tests::spin::{Way, attempt, is_here, never_more_than};
use refine::Correspondence as _;

/// Programs, by default.
const CASES: u64 = 60;
/// States that are looked at.
const STATES: usize = 4_000;
/// One in so many programs is given to Spin too.
const FOR_SPIN: u64 = 20;

/// The answer for a program, held against searches.
#[derive(Default)]
struct Outcome {
    wrong: Option<String>,
    bounded: usize,
    /// Bounds that all states, or those that were looked at, meet.
    met: usize,
    tightened: bool,
    spin: bool,
}

/// The proved bounds of buffers, by name.
fn bounds(analysis: &Analysis) -> BTreeMap<String, u32> {
    let rows = analysis.view("model.pml").property_results.swap_remove(0).buffers;
    let bound = |row: &report::view::Buffer| row.bound.as_ref()?.to_string().parse().ok();
    rows.iter().filter_map(|row| Some((row.name.clone(), bound(row)?))).collect()
}

/// The most that each buffer was seen to hold.
fn maxima(analysis: &Analysis, buffers: Buffers) -> BTreeMap<String, u32> {
    let options = explore::Options { buffers, claims: Claims::Ignored, ..explore::Options::default() };
    let Ok(semantics) = Semantics::new(&analysis.program, &options) else { return BTreeMap::new() };
    let limits = Limits { states: Some(STATES), passed: Some(STATES), ..Limits::default() };
    let Ok(seen) = semantics.explore(&limits) else { return BTreeMap::new() };
    let system = analysis.system();
    let mut maxima = BTreeMap::new();
    for (origin, most) in &seen.maxima {
        if let [buffer] = analysis.abstraction.buffers(origin)[..] {
            maxima.insert(system.buffers[buffer].name.clone(), *most);
        }
    }
    maxima
}

/// A queue that is longer in Spin, which has room for more than is proved.
fn longer_in_spin(text: &str, bounds: &BTreeMap<String, u32>) -> Option<String> {
    let most = bounds.values().max()?;
    let text = with_capacities(text, |_| Some(most + 1));
    let answer = attempt(Way::ToFirstError, &(text + &never_more_than(bounds))).ok()?;
    answer.output.contains("assertion violated").then_some(answer.output)
}

fn outcome(seed: u64, has_spin: bool) -> Outcome {
    let text = reply_program(seed);
    let options =
        Options { runs: RunLimits { search_states: 0, exploration_states: 0 }, ..Options::default() };
    let model = read_promela("model.pml", &text, &options)
        .unwrap_or_else(|failure| panic!("{seed}: {failure}\n{text}"));
    let analysis = check_model(model, &options, Instant::now());
    let bounds = bounds(&analysis);
    let mut outcome = Outcome { bounded: bounds.len(), ..Outcome::default() };
    let results = analysis.view("model.pml").property_results.swap_remove(0);
    outcome.tightened = results.refinement.iter().any(|act| act.because.contains("above the capacity"));
    let mut most: BTreeMap<String, u32> = BTreeMap::new();
    let either = Buffers::Reading(Reading::uniform(Limit::Either));
    for buffers in [Buffers::Unbounded, Buffers::Declared, either] {
        for (name, seen) in maxima(&analysis, buffers) {
            let known = most.entry(name).or_default();
            *known = seen.max(*known);
        }
    }
    for (name, bound) in &bounds {
        let seen = most.get(name).copied().unwrap_or(0);
        outcome.met += usize::from(seen == *bound);
        if seen > *bound {
            outcome.wrong = Some(format!("{seed}: {name} ≤ {bound}, but {seen} was seen\n{text}"));
        }
    }
    outcome.spin = has_spin && seed % FOR_SPIN == 1 && !bounds.is_empty();
    if outcome.spin
        && let Some(output) = longer_in_spin(&text, &bounds)
    {
        outcome.wrong = Some(format!("{seed}: {bounds:?}, but Spin: {output}\n{text}"));
    }
    outcome
}

#[test]
fn replies_are_no_more_than_is_proved() {
    let has_spin = is_here("replies_are_no_more_than_is_proved");
    let seeds: Vec<u64> = (0..given("FREEBOARD_REPLY_CASES").unwrap_or(CASES)).collect();
    let outcomes = two_at_a_time(&seeds, |seed| outcome(*seed, has_spin));
    let sum = |count: fn(&Outcome) -> usize| outcomes.iter().map(count).sum::<usize>();
    let (bounded, met) = (sum(|one| one.bounded), sum(|one| one.met));
    let (tightened, spin) = (sum(|one| one.tightened.into()), sum(|one| one.spin.into()));
    println!(
        "{} programs: {bounded} buffers bounded, {met} bounds reached; {tightened} with tighter bounds, {spin} given to Spin",
        seeds.len()
    );
    let wrong: Vec<&str> = outcomes.iter().filter_map(|outcome| outcome.wrong.as_deref()).collect();
    assert!(wrong.is_empty(), "{}", wrong.iter().take(5).copied().collect::<Vec<_>>().join("\n\n"));
    assert!(10 * tightened >= seeds.len(), "{tightened}");
    assert!(2 * met >= bounded, "{met} of {bounded}");
}
