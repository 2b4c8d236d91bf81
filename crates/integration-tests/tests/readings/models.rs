//! Models whose verdicts rest on readings: their truths are those that Spin sees, and no verdict
//! contradicts them.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::time::Duration;

use freeboard::{Options, check_promela};
use integration_tests::comparison::exploration::two_at_a_time;
use integration_tests::lengths::{Lengths, lengths};
use integration_tests::readings::{Reading, Room, all_readings, declared_in, described, text_in_reading};
use integration_tests::say;
use integration_tests::spin::is_here;
use report::view::{Buffer, BufferVerdict};

use super::asked::number;
use super::truth::{Model, Truth, channel_of, limited, models};

/// Capacities of unlimited channels for Spin: more than any buffer here holds that is bounded.
const FAR: [u32; 2] = [10, 20];
/// Megabytes of a verifier.
const MEMORY: u32 = 512;
/// How long a verdict may take.
const PATIENCE: Duration = Duration::from_secs(20);

fn seen(model: &Model, reading: &Reading, far: u32) -> Result<Lengths, String> {
    let text = text_in_reading(&model.text, reading, Some(far));
    lengths(&text, MEMORY).map_err(|complaint| format!("{}, {}: {complaint}", model.name, described(reading)))
}

/// What Spin sees against a bound: the maximum of all readings is another one.
fn against_bound(buffer: &str, most: u32, seen: &[(Reading, Lengths)]) -> Option<String> {
    let unlimited = seen.iter().filter(|(reading, _)| reading[channel_of(buffer)] == Room::Unlimited);
    let longest = unlimited.map(|(_, lengths)| lengths.longest[buffer]).max().unwrap_or(0);
    let ended = seen.iter().all(|(_, lengths)| lengths.is_exhaustive);
    (longest != most || !ended)
        .then(|| format!("{buffer} holds up to {longest}, not {most}, all states seen: {ended}"))
}

/// What Spin sees against growth: with one of two capacities, the buffer does not hold as many
/// messages; or it does although the channels are not limited that it takes.
fn against_growth(model: &Model, buffer: &str, with: &[String]) -> Result<Option<String>, String> {
    for far in FAR {
        let longest = seen(model, &limited(with), far)?.longest[buffer];
        if longest != far {
            return Ok(Some(format!("{buffer} holds up to {longest}, with room for {far}")));
        }
    }
    // Where one of them grows for ever too, what is unlimited for Spin is full in the end.
    let all_bounded = with.iter().all(|name| {
        let mut of_channel = model.truths.iter().filter(|(key, _)| channel_of(key) == name);
        of_channel.all(|(_, truth)| matches!(truth, Truth::Bounded(_)))
    });
    let may_be_idle = !with.is_empty() && all_bounded;
    let idle = may_be_idle && seen(model, &Reading::new(), FAR[0])?.longest[buffer] == FAR[0];
    Ok(idle.then(|| format!("{buffer} grows though none of {with:?} is limited")))
}

/// All that Spin sees against the truths of a model.
fn against_truths(model: &Model) -> Result<Vec<String>, String> {
    let channels: Vec<String> = declared_in(&model.text).into_keys().collect();
    let missing = channels.iter().filter(|name| !model.truths.keys().any(|key| channel_of(key) == **name));
    let mut wrong: Vec<String> = missing.map(|name| format!("nothing is said of {name}")).collect();
    let readings = all_readings(&channels).into_iter();
    let all: Result<Vec<(Reading, Lengths)>, String> =
        readings.map(|reading| seen(model, &reading, FAR[0]).map(|lengths| (reading, lengths))).collect();
    let all =
        if model.truths.values().any(|truth| matches!(truth, Truth::Bounded(_))) { all? } else { Vec::new() };
    for (buffer, truth) in &model.truths {
        wrong.extend(match truth {
            Truth::Bounded(most) => against_bound(buffer, *most, &all),
            Truth::Unbounded(with) => against_growth(model, buffer, with)?,
        });
    }
    Ok(wrong.into_iter().map(|line| format!("{}: {line}", model.name)).collect())
}

#[test]
fn truths_are_what_spin_sees() {
    let models = models();
    assert!(models.len() >= 30, "{}", models.len());
    if !is_here("truths_are_what_spin_sees") {
        return;
    }
    let wrong: Vec<String> =
        two_at_a_time(&models, |model| against_truths(model).unwrap_or_else(|error| vec![error]))
            .into_iter()
            .flatten()
            .collect();
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// What is wrong with a row, if it contradicts a truth.
fn contradiction(row: &Buffer, truth: &Truth) -> Option<String> {
    let known = |number_of: &Option<report::view::Number>| number_of.as_ref().and_then(number);
    let (bound, exact) = (known(&row.bound), known(&row.exact));
    match truth {
        Truth::Unbounded(_) => (row.verdict == BufferVerdict::Bounded || bound.is_some() || exact.is_some())
            .then(|| format!("{bound:?}")),
        Truth::Bounded(_) if row.verdict == BufferVerdict::Unbounded => Some("unbounded".into()),
        Truth::Bounded(most) => {
            let most = u64::from(*most);
            let wrong = bound.is_some_and(|bound| bound < most) || exact.is_some_and(|exact| exact != most);
            wrong.then(|| format!("bound {bound:?}, exact {exact:?}"))
        }
    }
}

/// What freeboard says against the truths of a model, and which buffers it leaves open.
fn verdicts(model: &Model) -> [String; 2] {
    let options = Options { time_limit: Some(PATIENCE), ..Options::default() };
    let analysis = check_promela(&model.name, &model.text, &options).unwrap();
    let result = &analysis.view(&model.name).property_results[0];
    let rows: BTreeMap<&str, &Buffer> = result.buffers.iter().map(|row| (row.name.as_str(), row)).collect();
    let by: Vec<&str> = result.refinement.iter().map(|act| act.strategy.as_str()).collect();
    let [mut wrong, mut open] = [String::new(), String::new()];
    for (buffer, truth) in &model.truths {
        match rows.get(buffer.as_str()) {
            None => writeln!(wrong, "{}: nothing is said of {buffer}", model.name).unwrap(),
            Some(row) => {
                if let Some(said) = contradiction(row, truth) {
                    writeln!(wrong, "{}: {buffer}: {said}, but {truth:?}; by {by:?}", model.name).unwrap();
                }
                if row.verdict == BufferVerdict::Unknown {
                    writeln!(open, "  {}: {buffer}: unknown, {truth:?}", model.name).unwrap();
                }
            }
        }
    }
    [wrong, open]
}

#[test]
fn verdicts_do_not_contradict_truths() {
    let all = two_at_a_time(&models(), verdicts);
    let open: String = all.iter().map(|[_, open]| open.as_str()).collect();
    say(&format!("left open:\n{open}"));
    let wrong: String = all.iter().map(|[wrong, _]| wrong.as_str()).collect();
    assert!(wrong.is_empty(), "\n{wrong}");
}
