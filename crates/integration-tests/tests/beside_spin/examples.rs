//! What is right about the models in `examples/models`, against what freeboard says and what Spin
//! sees.
//!
//! Besides what freeboard says today, the header of each model has what is right: a line
//! `// verdict: bounded` or `// verdict: unbounded`, where it has progress labels also one with
//! `livelock-free` or `livelock`, and for each channel that stores messages a line
//! `// maximum: CHANNEL N` with the most that it ever holds, or `// maximum: CHANNEL unbounded`.
//! All this is about channels without a limit, as in the rest of the project.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;
use std::fs;
use std::path::Path;

use freeboard::report::view::{Buffer, BufferVerdict, Number, Property, Verdict};
use freeboard::{Options, RunLimits, check_promela};
use integration_tests::spin::{Way, is_here, verify_by};

/// Models that create processes for ever: Spin takes no more than 255, so it cannot look at all
/// states.
const CREATED_FOR_EVER: [&str; 4] =
    ["chain_letter.pml", "left_waiting.pml", "three_shifts.pml", "visitors.pml"];

/// Statements that make a model too large for Spin, each with one that allows for whatever it can
/// lead to.
const COARSER: [(&str, &str); 1] =
    [("points = points + change", "if :: points = 1 :: points = -1 fi; change = 0")];

/// How far runs are searched. By default it is further, which helps none of the models.
const RUNS: RunLimits = RunLimits { search_states: 50_000, exploration_states: 100_000 };

struct Model {
    name: String,
    text: String,
    verdicts: BTreeSet<String>,
    /// The most that a channel ever holds; `None` if there is no such number.
    maxima: BTreeMap<String, Option<u32>>,
}

/// What stands behind a key in the header, line by line.
fn of_header<'a>(text: &'a str, key: &'a str) -> impl Iterator<Item = &'a str> {
    let header = text.lines().map_while(|line| line.strip_prefix("//")).map(str::trim);
    header.filter_map(move |line| line.strip_prefix(key)).map(str::trim)
}

impl Model {
    fn is(&self, verdict: &str) -> bool {
        self.verdicts.contains(verdict)
    }

    /// The largest maximum of a channel that has one.
    fn largest(&self) -> u32 {
        self.maxima.values().flatten().copied().max().unwrap_or(0)
    }

    /// The model with this capacity for all its channels.
    fn with_capacity(&self, capacity: u32) -> String {
        let mut text = String::new();
        for line in self.text.lines() {
            match line.split_once("= [").and_then(|(name, rest)| Some((name, rest.split_once("] of")?.1))) {
                // A rendezvous stays one.
                Some((name, of)) if !line.contains("= [0]") => {
                    writeln!(text, "{name}= [{capacity}] of{of}").unwrap();
                }
                _ => writeln!(text, "{line}").unwrap(),
            }
        }
        COARSER.iter().fold(text, |text, (exact, coarser)| text.replace(exact, coarser))
    }
}

fn model(name: &str, text: String) -> Model {
    let verdicts = of_header(&text, "verdict:").map(str::to_owned).collect();
    let maximum = |line: &str| {
        let (channel, most) = line.split_once(' ').unwrap();
        (channel.to_owned(), (most != "unbounded").then(|| most.parse().unwrap()))
    };
    let maxima = of_header(&text, "maximum:").map(maximum).collect();
    Model { name: name.to_owned(), verdicts, maxima, text }
}

fn models() -> Vec<Model> {
    let directory = Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/../../examples/models"));
    let paths = fs::read_dir(directory).unwrap().map(|entry| entry.unwrap().path());
    let mut models: Vec<Model> = paths
        .filter(|path| path.extension().is_some_and(|extension| extension == "pml"))
        .map(|path| model(path.file_name().unwrap().to_str().unwrap(), fs::read_to_string(&path).unwrap()))
        .collect();
    models.sort_by(|one, other| one.name.cmp(&other.name));
    models
}

#[test]
fn every_model_says_what_is_right() {
    let known = ["bounded", "unbounded", "livelock", "livelock-free"].map(String::from);
    for model in models() {
        let name = &model.name;
        assert!(model.verdicts.is_subset(&BTreeSet::from(known.clone())), "{name}: {:?}", model.verdicts);
        assert!(model.is("bounded") != model.is("unbounded"), "{name}: bounded, or unbounded?");
        let grows = model.maxima.values().any(Option::is_none);
        assert_eq!(model.is("unbounded"), grows, "{name}: the verdict and the maxima");
        let asked = model.text.contains("\nprogress");
        let answers = usize::from(model.is("livelock")) + usize::from(model.is("livelock-free"));
        assert_eq!(answers, usize::from(asked), "{name}: progress labels, and what is right about them");
    }
}

/// The cells behind the name of a model on the page: what is right, and what freeboard says today.
fn cells_of(model: &Model) -> String {
    let all = |key| of_header(&model.text, key).collect::<Vec<_>>().join(", ");
    let or = |text: String, other: &str| if text.is_empty() { other.to_owned() } else { text };
    let bounds = all("bound:");
    let livelock = all("livelock:");
    let today = all("expect:") + if bounds.is_empty() { "" } else { ": " } + &bounds;
    let today = today + if livelock.is_empty() { "" } else { "; livelock " } + &livelock;
    format!(" {} | {} | {today} |", all("verdict:"), or(all("maximum:"), "no channel"))
}

#[test]
fn the_page_says_what_the_headers_say() {
    let page =
        fs::read_to_string(concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/reference/models.md")).unwrap();
    let mut rows = page.lines().filter(|line| line.contains("| `examples/models/")).count();
    for model in models() {
        let end = format!("| `examples/models/{}` |{}", model.name, cells_of(&model));
        assert!(
            page.lines().any(|line| line.ends_with(&end)),
            "docs/reference/models.md has no row that ends in\n{end}"
        );
        rows -= 1;
    }
    assert_eq!(rows, 0, "docs/reference/models.md has rows that are too many");
}

/// What is wrong with an answer on a channel; nothing is wrong with not knowing.
fn contradicts(buffer: &Buffer, most: Option<u32>) -> bool {
    let small = |number: &Number| number.as_u64().expect("small models have small bounds");
    if let Some(exact) = &buffer.exact
        && most.map(u64::from) != Some(small(exact))
    {
        return true;
    }
    let bound = buffer.bound.as_ref().map(small);
    match (buffer.verdict, most) {
        (BufferVerdict::Unbounded, Some(_)) | (BufferVerdict::Bounded, None) => true,
        // Bounded by no number that is known is right too.
        (BufferVerdict::Bounded, Some(most)) => bound.is_some_and(|bound| bound < most.into()),
        _ => false,
    }
}

#[test]
fn no_answer_contradicts_what_is_right() {
    for model in models() {
        let name = &model.name;
        let analysis = check_promela(name, &model.text, &Options { runs: RUNS, ..Options::default() });
        let analysis = analysis.unwrap_or_else(|failure| panic!("{failure}"));
        for result in analysis.view(name).property_results {
            let (good, bad) = match result.property {
                Property::Boundedness => ("bounded", "unbounded"),
                Property::Livelock => ("livelock-free", "livelock"),
            };
            match result.verdict {
                Verdict::Proved => assert!(model.is(good), "{name} is not {good}, but that is proved"),
                Verdict::Refuted => assert!(model.is(bad), "{name} is not {bad}, but that is shown"),
                _ => {}
            }
            if result.property == Property::Boundedness {
                let names: Vec<&String> = result.buffers.iter().map(|buffer| &buffer.name).collect();
                assert_eq!(BTreeSet::from_iter(names), model.maxima.keys().collect(), "{name}");
            }
            for buffer in &result.buffers {
                let most = model.maxima[&buffer.name];
                assert!(!contradicts(buffer, most), "{name}: {buffer:?}, and the maximum is {most:?}");
            }
        }
    }
}

#[test]
fn a_wrong_answer_is_noticed() {
    let buffer = |verdict, bound: Option<u32>| Buffer {
        name: "c".into(),
        declared: None,
        verdict,
        bound: bound.map(Into::into),
        exact: None,
        limit: None,
        as_declared: None,
        counterexample: None,
        witness: None,
    };
    let bounded = |bound| buffer(BufferVerdict::Bounded, Some(bound));
    assert!(contradicts(&bounded(2), Some(3)));
    assert!(contradicts(&bounded(2), None));
    assert!(contradicts(&buffer(BufferVerdict::Unbounded, None), Some(3)));
    assert!(!contradicts(&bounded(3), Some(3)));
    assert!(!contradicts(&buffer(BufferVerdict::Unbounded, None), None));
    assert!(!contradicts(&buffer(BufferVerdict::Unknown, None), Some(3)));
}

/// A second name for each channel: what a variable means at first, whatever is assigned to it
/// later. One that a process declares has no name outside of it; that it holds as much as is said,
/// and no more, `maxima.rs` checks.
fn second_names(maxima: &BTreeMap<String, Option<u32>>) -> (String, Vec<(String, Option<u32>)>) {
    let mut declarations = String::new();
    let mut named = Vec::new();
    let global = maxima.iter().filter(|(channel, _)| !channel.contains('.'));
    for (number, (channel, most)) in global.enumerate() {
        writeln!(declarations, "chan kept_{number} = {channel};").unwrap();
        named.push((format!("kept_{number}"), *most));
    }
    (declarations, named)
}

/// Spin sees every channel that has a maximum reach it, and none exceed it.
#[test]
fn spin_sees_the_maxima() {
    if !is_here("spin_sees_the_maxima") {
        return;
    }
    for model in models() {
        let name = &model.name;
        if CREATED_FOR_EVER.contains(&name.as_str()) || model.maxima.values().all(Option::is_none) {
            continue;
        }
        let (declarations, channels) = second_names(&model.maxima);
        let text = model.with_capacity(model.largest() + 2) + &declarations;
        let mut claim = String::from("never { do :: d_step { skip");
        for (channel, most) in &channels {
            if let Some(most) = most {
                write!(claim, "; assert(len({channel}) <= {most})").unwrap();
                write!(claim, "; assert(len({channel}) != {most})").unwrap();
            }
        }
        let answer = verify_by(Way::PastErrors, &(text.clone() + &claim + " } od }\n"));
        assert!(answer.exhaustive, "{name}: {}", answer.output);
        for (channel, most) in channels.iter().filter_map(|(channel, most)| Some((channel, (*most)?))) {
            let fails = |test: &str| answer.output.contains(&format!("(q_len({channel}){test}{most})"));
            assert!(fails("!="), "{name}: {channel} never holds {most}\n{text}\n{}", answer.output);
            assert!(!fails("<="), "{name}: {channel} holds more than {most}\n{text}\n{}", answer.output);
        }
    }
}

/// Spin fills every other channel, whatever its capacity.
#[test]
fn spin_fills_what_is_unbounded() {
    if !is_here("spin_fills_what_is_unbounded") {
        return;
    }
    let mut filled = 0;
    for model in models() {
        let (declarations, channels) = second_names(&model.maxima);
        for (channel, _) in channels.iter().filter(|(_, most)| most.is_none()) {
            for capacity in [3, 7] {
                let claim = format!("never {{ do :: assert(len({channel}) != {capacity}) od }}\n");
                let text = model.with_capacity(capacity) + &declarations + &claim;
                let answer = verify_by(Way::Nearest, &text);
                let failed = format!("assertion violated (q_len({channel})!={capacity})");
                assert!(answer.output.contains(&failed), "{}: {}\n{text}", model.name, answer.output);
                filled += 1;
            }
        }
    }
    assert!(filled >= 20, "only {filled} channels filled");
}

/// The model in which no progress is made any more from some time on, and the claim that it goes on
/// for ever all the same. Unlike Spin's own search for cycles without progress this takes nothing
/// for progress that does not move.
fn without_progress(model: &Model, label: &str) -> String {
    let mut text = String::from("bit late;\n");
    for line in model.with_capacity(model.largest() + 2).lines() {
        let is_label = line.starts_with(label) && line.ends_with(':');
        writeln!(text, "{line}{}", if is_label { " !late;" } else { "" }).unwrap();
    }
    text + "active proctype Clock() { late = 1 }\n\
            never { do :: late -> break :: true od; accept: do :: true od }\n"
}

#[test]
fn spin_sees_livelocks_where_they_are() {
    if !is_here("spin_sees_livelocks_where_they_are") {
        return;
    }
    for model in models() {
        let name = &model.name;
        if !model.is("livelock") && !model.is("livelock-free") {
            continue;
        }
        let answer = verify_by(Way::Accepted, &without_progress(&model, "progress"));
        assert_eq!(answer.errors, u32::from(model.is("livelock")), "{name}: {}", answer.output);
        assert!(answer.errors > 0 || answer.exhaustive, "{name}: {}", answer.output);
        // All of them can go on for ever, so without the labels there is an error to be found.
        let answer = verify_by(Way::Accepted, &without_progress(&model, "no label"));
        assert_eq!(answer.errors, 1, "{name}: {}", answer.output);
    }
}
