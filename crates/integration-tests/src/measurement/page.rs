//! The results as a page of the documentation, in Markdown. Times and memory are rounded to one
//! digit, so that the page changes where something has changed.

use std::fmt::Write as _;
use std::time::Duration;

use super::figures::{Cost, Size};
use super::reasons::Reasons;
use super::run::{End, LIMIT, MEGABYTES, Measured, TIME};
use crate::comparison::page::cell;

/// The section about one set of models.
#[must_use]
pub fn section(title: &str, results: &[Measured], reasons: &Reasons) -> String {
    let mut text = format!("## {title}\n\n");
    summary(&mut text, results);
    medians(&mut text, results);
    troubles(&mut text, results, reasons);
    coarse(&mut text, results);
    rows(&mut text, results);
    text
}

/// Whether a model has a buffer that stores messages, so that there is something to prove.
fn has_queue(result: &Measured) -> bool {
    result.system().is_some_and(|(size, _)| size.queues > 0)
}

/// How many models came how far.
fn summary(text: &mut String, results: &[Measured]) {
    let count = |wanted: &dyn Fn(&Measured) -> bool| results.iter().filter(|result| wanted(result)).count();
    let verdict = |result: &Measured, proved: bool| {
        result.verdict().is_some_and(|(reason, _)| reason.is_none() == proved)
    };
    let grows = |result: &Measured| result.growing().next().is_some();
    let accepted = |result: &Measured| result.rejected().is_none();
    let through = format!("abstracted in under {} s and {MEGABYTES} MB", TIME.as_secs());
    let rows: [(&str, usize); 9] = [
        ("models", results.len()),
        ("rejected by the front end, and not in the table", count(&|result| !accepted(result))),
        ("accepted", count(&accepted)),
        (&through, count(&|result| accepted(result) && result.trouble().is_none())),
        ("**not so**", count(&|result| accepted(result) && result.trouble().is_some())),
        ("proved, with queues", count(&|result| verdict(result, true) && has_queue(result))),
        ("proved, as there is no queue", count(&|result| verdict(result, true) && !has_queue(result))),
        (
            "unknown, as buffers can grow in the abstraction",
            count(&|result| verdict(result, false) && grows(result)),
        ),
        (
            "no verdict, or unknown for another reason",
            count(&|result| {
                accepted(result) && !verdict(result, true) && !(verdict(result, false) && grows(result))
            }),
        ),
    ];
    text.push_str("| models | |\n|---|---|\n");
    for (name, count) in rows {
        let _ = writeln!(text, "| {name} | {count} |");
    }
    text.push('\n');
}

/// Medians and greatest values over the models that were abstracted.
fn medians(text: &mut String, results: &[Measured]) {
    let systems: Vec<(Size, Cost)> = results.iter().filter_map(Measured::system).collect();
    let ends: Vec<Cost> =
        results.iter().filter_map(|result| result.verdict().map(|(_, cost)| cost)).collect();
    text.push_str("| of those abstracted | median | most |\n|---|---|---|\n");
    let mut row = |name: &str, median: &str, most: &str| {
        let _ = writeln!(text, "| {name} | {median} | {most} |");
    };
    let part = |part: fn(&Size) -> u64| systems.iter().map(|(size, _)| part(size)).collect();
    let sizes: [(&str, Vec<u64>); 6] = [
        ("process classes", part(|size| size.classes)),
        ("states", part(|size| size.states)),
        ("transitions", part(|size| size.transitions)),
        ("message types", part(|size| size.messages)),
        ("queues", part(|size| size.queues)),
        ("rendezvous", part(|size| size.rendezvous)),
    ];
    for (name, values) in sizes {
        let (median, most) = middle(values);
        row(name, &median.to_string(), &most.to_string());
    }
    let times = |costs: Vec<Cost>| {
        let (median, most) = middle(costs.into_iter().map(|cost| cost.time).collect());
        (seconds(median), seconds(most))
    };
    let peaks = |costs: Vec<Cost>| {
        let (median, most) = middle(costs.into_iter().filter_map(|cost| cost.kilobytes).collect());
        (megabytes(Some(median)), megabytes(Some(most)))
    };
    let costs: Vec<Cost> = systems.iter().map(|(_, cost)| *cost).collect();
    let all = [
        ("time of the abstraction", times(costs.clone())),
        ("peak of memory until then", peaks(costs)),
        ("time of the verdict", times(ends.clone())),
        ("peak of memory at the end", peaks(ends)),
    ];
    for (name, (median, most)) in all {
        row(name, &median, &most);
    }
    text.push('\n');
}

/// The median, the lower one of two, and the greatest. Nothing of nothing.
fn middle<T: Copy + Default + Ord>(mut values: Vec<T>) -> (T, T) {
    values.sort_unstable();
    let median = values.get(values.len().saturating_sub(1) / 2).copied();
    (median.unwrap_or_default(), values.last().copied().unwrap_or_default())
}

fn troubles(text: &mut String, results: &[Measured], reasons: &Reasons) {
    text.push_str("### Not through the abstraction in time\n\n");
    let mut rows = String::new();
    for result in results {
        let Some(trouble) = result.trouble() else { continue };
        let reason = reasons.get(&result.name).map_or("**no reason is known**", String::as_str);
        let _ = writeln!(rows, "| {} | {} | {reason} |", cell(&result.name), cell(&trouble));
    }
    if rows.is_empty() {
        text.push_str("None.\n\n");
    } else {
        let _ = writeln!(text, "| model | what shows | reason |\n|---|---|---|\n{rows}");
    }
}

/// Where limits of the abstraction's options were hit.
fn coarse(text: &mut String, results: &[Measured]) {
    text.push_str("### Made coarser by limits\n\n");
    let mut rows = String::new();
    for result in results {
        for sentence in result.coarse() {
            let _ = writeln!(rows, "| {} | {} |", cell(&result.name), cell(sentence));
        }
    }
    if rows.is_empty() {
        text.push_str("None.\n\n");
    } else {
        let _ = writeln!(text, "| model | |\n|---|---|\n{rows}");
    }
}

const HEAD: &str = "\
| model | classes | instances | states | transitions | message types | queues | rendezvous | verdict | \
abstraction | memory | verdict after | memory |
|---|---|---|---|---|---|---|---|---|---|---|---|---|";

fn rows(text: &mut String, results: &[Measured]) {
    let _ = writeln!(text, "### Model by model\n\n{HEAD}");
    for result in results.iter().filter(|result| result.rejected().is_none()) {
        let (size, cost) = match result.system() {
            None => (["?"; 7].join(" | "), String::from("? | ?")),
            Some((size, cost)) => {
                let Size { classes, instances, states, transitions, messages, queues, rendezvous } = size;
                let size = [classes, instances, states, transitions, messages, queues, rendezvous];
                (size.map(|part| part.to_string()).join(" | "), costs(&cost))
            }
        };
        let end = result.verdict().map_or_else(|| String::from("? | ?"), |(_, cost)| costs(&cost));
        let _ = writeln!(text, "| {} | {size} | {} | {cost} | {end} |", cell(&result.name), verdict(result));
    }
    text.push('\n');
}

fn costs(cost: &Cost) -> String {
    format!("{} | {}", seconds(cost.time), megabytes(cost.kilobytes))
}

/// The verdict in few words, with the buffers that can grow.
fn verdict(result: &Measured) -> String {
    const NAMES: usize = 3;
    let Some((reason, _)) = result.verdict() else {
        return match &result.end {
            End::Late => format!("**none within {} s**", LIMIT.as_secs()),
            End::Done | End::Crashed(_) => {
                format!("**none**: {}", cell(&result.trouble().unwrap_or_default()))
            }
        };
    };
    let names: Vec<&str> = result.growing().collect();
    match reason {
        None => String::from("proved"),
        Some(reason) if names.is_empty() => format!("unknown: {}", cell(reason)),
        Some(_) => {
            let shown: Vec<String> =
                names.iter().take(NAMES).map(|name| format!("`{}`", short(name))).collect();
            let more = names.len() - shown.len();
            let more = if more == 0 { String::new() } else { format!(" and {more} more") };
            format!("unknown: {}{more}", shown.join(", "))
        }
    }
}

/// A name that is not too long for a table.
fn short(name: &str) -> String {
    const LENGTH: usize = 32;
    let name = cell(name);
    if name.chars().count() <= LENGTH {
        return name;
    }
    name.chars().take(LENGTH - 1).chain(['…']).collect()
}

/// A time in one digit.
fn seconds(time: Duration) -> String {
    const LEAST: Duration = Duration::from_millis(100);
    if time < LEAST {
        return String::from("< 0.1 s");
    }
    // In tenths of a second, as a whole number.
    match digit(u64::try_from((time.as_millis() + 50) / 100).unwrap_or(u64::MAX)) {
        tenths @ ..10 => format!("0.{tenths} s"),
        tenths => format!("{} s", tenths / 10),
    }
}

/// An amount of memory in one digit.
fn megabytes(kilobytes: Option<u64>) -> String {
    const LEAST: u64 = 20;
    match kilobytes.map(|kilobytes| kilobytes * 1024 / 1_000_000) {
        None => String::from("?"),
        Some(small) if small < LEAST => format!("< {LEAST} MB"),
        Some(megabytes) => format!("{} MB", digit(megabytes)),
    }
}

/// The first digit, rounded, and zeros.
fn digit(number: u64) -> u64 {
    let mut unit = 1;
    while number / unit >= 10 {
        unit *= 10;
    }
    number.saturating_add(unit / 2) / unit * unit
}

#[cfg(test)]
mod tests {
    use super::super::figures::Finding;
    use super::*;

    #[test]
    fn numbers_have_one_digit() {
        let time = |milliseconds| seconds(Duration::from_millis(milliseconds));
        assert_eq!(
            [0, 99, 100, 349, 949, 951].map(time),
            ["< 0.1 s", "< 0.1 s", "0.1 s", "0.3 s", "0.9 s", "1 s"]
        );
        assert_eq!([1_400, 1_500, 9_600, 14_000].map(time), ["1 s", "2 s", "10 s", "10 s"]);
        let memory = |kilobytes| megabytes(Some(kilobytes));
        assert_eq!(
            [0, 19_000, 20_000, 34_000, 950_000].map(memory),
            ["< 20 MB", "< 20 MB", "20 MB", "30 MB", "1000 MB"]
        );
        assert_eq!(megabytes(None), "?");
        assert_eq!(
            (middle(vec![3, 1, 2]), middle(vec![4, 3, 1, 2]), middle(Vec::<u64>::new())),
            ((2, 3), (2, 4), (0, 0))
        );
    }

    #[test]
    fn every_model_has_its_row() {
        let cost = Cost { time: Duration::from_millis(300), kilobytes: Some(30_000) };
        let size = Size { classes: 1, instances: 2, queues: 5, ..Size::default() };
        let grows = ["a", "b", "c", "d"].map(|name| Finding::Grows(name.into()));
        let mut unknown = vec![Finding::System(size, cost), Finding::Coarse("a limit was hit".into())];
        unknown.extend(grows);
        unknown.push(Finding::Verdict(Some("some can grow".into()), cost));
        let proved = vec![Finding::System(size, cost), Finding::Verdict(None, cost)];
        let done = |name: &str, findings| Measured { name: name.into(), findings, end: End::Done };
        let results = [
            done("unknown.pml", unknown),
            done("proved.pml", proved),
            done("rejected.pml", vec![Finding::Rejected("no".into())]),
            Measured { end: End::Late, ..done("late.pml", vec![]) },
            Measured { end: End::Crashed("ai|".into()), ..done("crash.pml", vec![]) },
        ];
        let page = section("Models", &results, &Reasons::from([("late.pml".into(), "so it is".into())]));
        for expected in [
            "| models | 5 |",
            "| accepted | 4 |",
            "| abstracted in under 2 s and 500 MB | 2 |",
            "| **not so** | 2 |",
            "| proved, with queues | 1 |",
            "| no verdict, or unknown for another reason | 2 |",
            "| late.pml | is not abstracted within 20 s | so it is |",
            "| crash.pml | crashes: ai\\| | **no reason is known** |",
            "| unknown.pml | a limit was hit |",
            "| unknown.pml | 1 | 2 | 0 | 0 | 0 | 5 | 0 | unknown: `a`, `b`, `c` and 1 more | 0.3 s | 30 MB | 0.3 s | 30 MB |",
            "| proved.pml | 1 | 2 | 0 | 0 | 0 | 5 | 0 | proved | 0.3 s | 30 MB | 0.3 s | 30 MB |",
            "| late.pml | ? | ? | ? | ? | ? | ? | ? | **none within 20 s** | ? | ? | ? | ? |",
        ] {
            assert!(page.contains(expected), "{expected}\n{page}");
        }
        assert!(!page.contains("rejected.pml"), "{page}");
    }
}
