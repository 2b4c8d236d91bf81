//! From Promela text to verdicts, through the one call that a user makes.

use std::collections::{BTreeMap, BTreeSet};

use boundedness::BufferVerdict;
use certify::Certificate;
use freeboard::report::text::{self, Style};
use freeboard::report::view::{Check, CycleKind};
use freeboard::{Analysis, Options, RunLimits, Strategies, check_promela};
use ilp_encode::{Encoding, Search};
use integration_tests::models::{self, MODELS, Model};
use integration_tests::programs::programs;
use integration_tests::{cases, combination, naive};
use proptest::prelude::*;

/// The verdict on each buffer that stores something, in words, by name.
fn verdicts(analysis: &Analysis) -> BTreeMap<String, String> {
    let stores = |(_, verdict): &(_, &BufferVerdict)| **verdict != BufferVerdict::Rendezvous;
    let named = |(id, verdict): (_, &BufferVerdict)| {
        (analysis.system().buffers[id].name.clone(), verdict.to_string())
    };
    analysis.outcome.buffers.iter().filter(stores).map(named).collect()
}

fn expected(model: &Model) -> BTreeMap<String, String> {
    let words =
        |bound: &Option<u32>| bound.map_or_else(|| "can grow".into(), |bound| format!("bounded by {bound}"));
    model.bounds.iter().map(|(name, bound)| ((*name).to_owned(), words(bound))).collect()
}

fn all_options() -> impl Iterator<Item = Options> {
    let encodings = [Encoding::Flow, Encoding::Cycles].into_iter();
    let ways = encodings.flat_map(|encoding| [Search::Float, Search::Exact].map(|search| (encoding, search)));
    ways.map(|(encoding, search)| Options { encoding, search, ..plain() })
}

/// The plain test, and a short look at runs.
fn plain() -> Options {
    let runs = RunLimits { search_states: 2_000, exploration_states: 2_000 };
    Options { runs, refinement: Strategies::none(), ..Options::default() }
}

fn analysed(text: &str) -> Analysis {
    check_promela("model.pml", text, &plain()).unwrap_or_else(|failure| panic!("{failure}\n{text}"))
}

fn view(model: &Model) -> Check {
    analysed(&model.with_capacities(&BTreeMap::new())).view("model.pml")
}

/// Everything that must be right about an analysis, whatever the verdict.
fn assert_sound(analysis: &Analysis) {
    let (system, outcome) = (analysis.system(), &analysis.outcome);
    let certificate = outcome.verdict.certificate().expect("there are no limits").get();
    assert!(naive::holds(system, certificate));
    let of = certify::read_system(&certify::write_system(system)).expect("it is a system");
    let read = Certificate::from_json(&certificate.to_json()).expect("it is a certificate");
    certify::check(&of, read).expect("it was accepted before it was written");
    for (buffer, verdict) in outcome.buffers.iter() {
        if let BufferVerdict::CanGrow { combination } = verdict {
            let verified = combination::verify(system, &outcome.combinations[*combination], buffer);
            assert_eq!(verified, Ok(()));
        }
    }
}

#[test]
fn models_have_the_verdicts_worked_out_by_hand() {
    for model in MODELS {
        let text = model.with_capacities(&BTreeMap::new());
        for options in all_options() {
            let analysis = check_promela("model.pml", &text, &options);
            let analysis = analysis.unwrap_or_else(|failure| panic!("{}: {failure}", model.name));
            assert_eq!(verdicts(&analysis), expected(model), "{}", model.name);
            let all_bounded = model.bounds.iter().all(|(_, bound)| bound.is_some());
            assert_eq!(analysis.outcome.verdict.is_proved(), all_bounded, "{}", model.name);
            assert_sound(&analysis);
        }
    }
}

/// The line, counted from 1, on which a piece of text stands.
fn line_of(text: &str, piece: &str) -> u32 {
    let lines: Vec<usize> =
        text.lines().enumerate().filter(|(_, line)| line.contains(piece)).map(|(at, _)| at + 1).collect();
    assert_eq!(lines.len(), 1, "`{piece}` is on lines {lines:?}");
    u32::try_from(lines[0]).expect("models are short")
}

/// The sender that does not wait is the one to blame, with the line of its loop, and nobody else.
#[test]
fn a_free_sender_is_named_with_its_line() {
    let model = models::FREE_SENDER;
    let check = view(&model);
    let examples = &check.property_results[0].counterexamples;
    assert_eq!(examples.len(), 1);
    assert_eq!(examples[0].grows, ["wire"]);
    let sender: Vec<_> = examples[0].cycles.iter().collect();
    assert_eq!(sender.len(), 1, "{sender:?}");
    assert_eq!((sender[0].process.as_str(), sender[0].kind), ("Sender", CycleKind::Cycle));
    let steps: Vec<(&str, u32, &str)> =
        sender[0].steps.iter().map(|step| (step.file.as_str(), step.line, step.text.as_str())).collect();
    assert_eq!(steps, [("model.pml", line_of(model.text, "wire!data(s)"), "wire!data(s)")]);
    let shown = text::check(&check, Style::default());
    let expected = format!("model.pml:{}  wire!data(s)", line_of(model.text, "wire!data(s)"));
    assert!(shown.contains(&expected), "{shown}");
}

/// Whoever is created for ever brings a path of its own, from its start.
#[test]
fn creation_for_ever_is_named_with_its_lines() {
    let model = models::CREATED_FOR_EVER;
    let check = view(&model);
    let example = check.property_results[0].counterexample.as_ref().expect("`once` can grow");
    assert_eq!(example.grows, ["once"]);
    let mut parts: Vec<_> = example.cycles.iter().map(|cycle| (cycle.process.as_str(), cycle.kind)).collect();
    parts.sort_by_key(|part| part.0);
    assert_eq!(parts, [("Child", CycleKind::Path), ("Parent", CycleKind::Cycle)]);
    for cycle in &example.cycles {
        let (piece, effect) =
            if cycle.process == "Child" { ("once!1", "+once") } else { (":: run Child()", "run Child") };
        let step = cycle.steps.iter().find(|step| step.line == line_of(model.text, piece)).expect(piece);
        assert!(step.effect.iter().any(|one| one.starts_with(effect)), "{step:?}");
    }
}

/// The other counterexamples lead to the lines that do the harm.
#[test]
fn loops_to_blame_are_named_with_their_lines() {
    for (model, process, pieces) in [
        (models::KINDS_NOT_ASKED_FOR, "Barber", ["proctype Barber", "proctype Guest"]),
        (models::ASSIGNED_INSIDE, "P", [":: c!1", ":: c!1"]),
    ] {
        let check = view(&model);
        let examples = &check.property_results[0].counterexamples;
        let cycles = || examples.iter().flat_map(|example| &example.cycles);
        assert!(cycles().any(|cycle| cycle.process == process), "{}", model.name);
        let lines: BTreeSet<u32> = cycles().flat_map(|cycle| &cycle.steps).map(|step| step.line).collect();
        for piece in pieces {
            assert!(lines.contains(&line_of(model.text, piece)), "{}: {piece} in {lines:?}", model.name);
        }
    }
}

/// Declared capacities are shown and, above 0, do not matter.
#[test]
fn capacities_do_not_matter() {
    for capacity in [1, 7, 255] {
        let model = models::TWO_PROCESSES;
        let capacities = BTreeMap::from([("AB".to_owned(), capacity), ("BA".to_owned(), capacity)]);
        let analysis = analysed(&model.with_capacities(&capacities));
        assert_eq!(verdicts(&analysis), expected(&model));
        assert!(analysis.system().buffers.values().all(|buffer| buffer.declared == Some(capacity)));
    }
}

/// Macros given from outside, with and without a body.
#[test]
fn macros_given_as_options_count() {
    let text = "chan q = [2] of { byte }; active proctype P() { q!1; MORE q!ONE }";
    for (more, bound) in [("", 2), ("q!7; q!8;", 4)] {
        let mut options = Options::default();
        options.parse.defines = vec![("MORE".into(), Some(more.into())), ("ONE".into(), None)];
        let analysis = check_promela("model.pml", text, &options).unwrap();
        assert_eq!(verdicts(&analysis), BTreeMap::from([("q".to_owned(), format!("bounded by {bound}"))]));
    }
}

/// What is the same up to layout, comments and names of labels has the same verdicts.
#[test]
fn layout_does_not_matter() {
    for model in MODELS.iter().filter(|model| !model.text.contains('#')) {
        let text = model.with_capacities(&BTreeMap::new());
        let spread = text.replace(';', " /* and then */ ;\n\n").replace("::", "\n\t:: // or\n");
        assert_eq!(verdicts(&analysed(&spread)), expected(model), "{}", model.name);
    }
}

proptest! {
    #![proptest_config(cases(150))]

    /// Random programs: all ways agree, certificates and counterexamples stand up.
    #[test]
    fn all_ways_agree_on_random_programs(program in programs()) {
        let text = program.text(0);
        let mut first = None;
        for options in all_options() {
            let analysis = check_promela("model.pml", &text, &options);
            let analysis = analysis.unwrap_or_else(|failure| panic!("{failure}\n{text}"));
            assert_sound(&analysis);
            let verdicts = verdicts(&analysis);
            prop_assert_eq!(first.get_or_insert_with(|| verdicts.clone()), &verdicts, "{}", text);
        }
    }
}
