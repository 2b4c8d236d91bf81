//! What the headers of the example models say is right, held against all states: the most that each
//! channel ever holds, channels taken as unbounded.

use std::collections::BTreeMap;

use explore::{Buffers, Completion, Limits, Options, Semantics};
use integration_tests::comparison::corpus::{Model, own_models};

/// More states than a bounded model among them has.
const ALL: usize = 300_000;
/// Enough states of a model that is not bounded.
const SOME: usize = 3_000;
/// What an unbounded channel holds at some time within that many states.
const MANY: u32 = 3;

/// The lines of a header that begin with a word.
fn of_header<'t>(text: &'t str, word: &'t str) -> impl Iterator<Item = &'t str> {
    text.lines().filter_map(move |line| Some(line.strip_prefix("// ")?.strip_prefix(word)?.trim()))
}

/// For each channel that the header names, the most that it holds; `None` if there is no limit.
fn expected(text: &str) -> BTreeMap<String, Option<u32>> {
    let maximum = |line: &str| {
        let (name, most) = line.rsplit_once(' ').expect("a channel and its maximum");
        let most = (most != "unbounded").then(|| most.parse().expect("a number"));
        (name.to_owned(), most)
    };
    of_header(text, "maximum:").map(maximum).collect()
}

/// For each channel, the most that it holds in the states that are looked at.
fn found(model: &Model, most: usize) -> (Completion, BTreeMap<String, u32>) {
    let outcome = promela_front::parse(&model.name, &model.text(), &promela_front::Options::default());
    let program = outcome.program.expect("an example is accepted");
    let options = Options { buffers: Buffers::Unbounded, ..Options::default() };
    let semantics = Semantics::new(&program, &options).expect("an example can be run");
    let limits = Limits { states: Some(most), ..Limits::default() };
    let found = semantics.explore(&limits).expect("an example can start");
    let mut maxima = BTreeMap::new();
    for (origin, most) in &found.maxima {
        let (owner, variables) = match origin.process {
            Some((number, id)) => {
                (format!("{}[{number}].", program.types[id].name), &program.types[id].locals)
            }
            None => (String::new(), &program.globals),
        };
        let variable = &variables[origin.variable];
        let name = match variable.length {
            Some(_) => format!("{owner}{}[{}]", variable.name, origin.element),
            None => format!("{owner}{}", variable.name),
        };
        maxima.insert(name, *most);
    }
    (found.completion, maxima)
}

#[test]
fn channels_hold_as_much_as_the_headers_say() {
    let examples: Vec<Model> =
        own_models().into_iter().filter(|model| model.name.starts_with("examples/")).collect();
    let mut channels = 0;
    for model in &examples {
        let expected = expected(&model.text());
        if expected.is_empty() {
            continue;
        }
        let bounded = of_header(&model.text(), "verdict:").any(|verdict| verdict == "bounded");
        let (completion, found) = found(model, if bounded { ALL } else { SOME });
        // One that is not bounded may come to an end at the limit on processes.
        assert!(completion == Completion::Complete || !bounded, "{}: {completion:?}", model.name);
        for (channel, most) in expected {
            let held = found.get(&channel).copied();
            match most {
                Some(most) if bounded => assert_eq!(held, Some(most), "{}: {channel}", model.name),
                Some(most) => assert!(held <= Some(most), "{}: {channel}: {held:?}", model.name),
                None => assert!(held.is_some_and(|held| held > MANY), "{}: {channel}: {held:?}", model.name),
            }
            channels += 1;
        }
    }
    assert!(channels >= 40, "{channels} channels");
}
