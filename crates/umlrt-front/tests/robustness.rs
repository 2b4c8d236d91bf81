//! No input makes the front end panic, and every diagnostic lies in its file.

use proptest::prelude::*;
use umlrt_front::{Imports, Options, Outcome, Severity, parse};

const MODELS: [&str; 4] = [
    include_str!("fixtures/valid/whole_language.room"),
    include_str!("fixtures/valid/machine.room"),
    include_str!("fixtures/valid/code.room"),
    include_str!("fixtures/valid/whole_language.art"),
];

const WORDS: [&str; 78] = [
    "RoomModel",
    "ActorClass",
    "A",
    "{",
    "}",
    "Interface",
    "Structure",
    "Behavior",
    "StateMachine",
    "State",
    "Transition",
    ":",
    "initial",
    "->",
    "s",
    "my",
    "cp",
    "of",
    "triggers",
    "<",
    ">",
    "or",
    "guard",
    "cond",
    "action",
    "'''",
    "\"",
    "'",
    "Port",
    "conjugated",
    "external",
    "ProtocolClass",
    "incoming",
    "outgoing",
    "Message",
    "m",
    "(",
    ")",
    "ActorRef",
    "Binding",
    "and",
    ".",
    "[",
    "]",
    "*",
    "3",
    "SAP",
    "SPP",
    "LayerConnection",
    "ref",
    "satisfied_by",
    "extends",
    "import",
    "from",
    "@",
    "/*",
    "capsule",
    "protocol",
    "class",
    "port",
    "part",
    "behavior",
    "service",
    "optional",
    "connect",
    "with",
    "statemachine",
    "state",
    "junction",
    "entrypoint",
    "exitpoint",
    "on",
    "when",
    "redefine",
    "exclude",
    "history",
    ";",
    "`",
];

fn check(text: &str) -> Outcome {
    let outcome = parse("m.room", text, &Options { imports: Imports::Refused, ..Options::default() });
    let failed = outcome.diagnostics.iter().any(|found| found.severity == Severity::Error);
    assert_eq!(failed, outcome.lowered.is_none());
    for found in &outcome.diagnostics {
        for label in &found.labels {
            let file = &outcome.sources.files[label.span.file];
            assert!(label.span.start <= label.span.end && label.span.end as usize <= file.text.len());
            assert!(file.text.get(label.span.start as usize..label.span.end as usize).is_some());
        }
        assert!(!found.line(&outcome.sources).to_string().is_empty());
    }
    if let Some(lowered) = &outcome.lowered {
        assert_eq!(lowered.program.validate(), Ok(()));
    }
    outcome
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(256))]

    #[test]
    fn any_string(text in any::<String>()) {
        check(&text);
    }

    #[test]
    fn any_words(words in prop::collection::vec(prop::sample::select(WORDS.to_vec()), 0..80)) {
        check(&words.join(" "));
        check(&format!("RoomModel M {{ ActorClass A {{ {} }} }}", words.join(" ")));
        check(&format!("capsule A {{ {} }};", words.join(" ")));
        check(&format!("capsule A {{ statemachine {{ {} }}; }};", words.join(" ")));
    }

    #[test]
    fn a_model_with_a_part_replaced(
        model in prop::sample::select(MODELS.to_vec()),
        from in any::<prop::sample::Index>(),
        length in 0_usize..30,
        word in prop::sample::select(WORDS.to_vec()),
    ) {
        let characters: Vec<char> = model.chars().collect();
        let from = from.index(characters.len());
        let to = (from + length).min(characters.len());
        let text: String = characters[..from].iter().copied().chain(word.chars())
            .chain(characters[to..].iter().copied()).collect();
        check(&text);
    }
}

#[test]
fn valid_models_have_no_error() {
    for model in MODELS {
        let outcome = check(model);
        let lines: Vec<String> =
            outcome.diagnostics.iter().map(|found| found.line(&outcome.sources).to_string()).collect();
        assert!(outcome.lowered.is_some(), "{lines:?}");
    }
}

#[test]
fn deep_nesting_is_one_error() {
    for (open, close) in [("State s { subgraph { ", ""), ("State s { subgraph { ", "} } ")] {
        let text = format!(
            "RoomModel M {{ ActorClass A {{ Behavior {{ StateMachine {{ {}{}",
            open.repeat(5000),
            close.repeat(5000)
        );
        let codes: Vec<&str> = check(&text).diagnostics.iter().map(|found| found.code).collect();
        assert!(codes.contains(&"U0102"), "{codes:?}");
    }
    let text = format!(
        "RoomModel M {{ ActorClass A {{ Behavior {{ Operation f() '''{}''' }} }} }}",
        "if (x) { ".repeat(5000)
    );
    check(&text);
}
