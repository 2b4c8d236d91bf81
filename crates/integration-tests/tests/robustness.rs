//! No text makes the product panic, and none goes without an answer.

use std::collections::BTreeMap;
use std::time::Duration;

use freeboard::promela_front::{self, Severity};
use freeboard::{Failure, Options, check_promela};
use integration_tests::cases;
use integration_tests::models::{MODELS, fill};
use integration_tests::programs::programs;
use proptest::collection::vec;
use proptest::prelude::*;
use proptest::sample::{Index, select};

/// Pieces of the language, to be put together without sense.
const WORDS: &str = "active proctype init never P Q ( ) { } [ ] if fi do od :: -> ; : , . = == ! ? !! ?? \
    < > <= + - ++ -- * / % & && | || ^ ~ << >> ! else break goto skip L: L atomic d_step unless timeout chan \
    byte bit int mtype of c q x 0 1 2 255 256 -1 99999999999 run eval len empty nfull full assert printf \
    \"s\" 'c' _ _pid _nr_pr @ # \\ /* */ // \n #define #undef #if #endif #include inline typedef provided \
    priority xr xs for in select .. hidden show local ltl c_code D_proctype";

fn words() -> impl Strategy<Value = String> {
    let all: Vec<&'static str> = WORDS.split(' ').filter(|word| !word.is_empty()).collect();
    select(all).prop_map(str::to_owned)
}

fn errors(text: &str) -> Vec<String> {
    // Not about speed: what a text makes of itself may be large.
    let options = Options { time_limit: Some(Duration::from_secs(5)), ..Options::default() };
    match check_promela("any.pml", text, &options) {
        Ok(analysis) => {
            assert_eq!(analysis.program.validate(), Ok(()));
            assert_eq!(analysis.system().validate(), Ok(()));
            let warnings = analysis.warnings.iter();
            assert!(warnings.clone().all(|warning| warning.severity == Severity::Warning));
            Vec::new()
        }
        Err(Failure::Input { diagnostics, sources }) => {
            let errors = diagnostics.iter().filter(|diagnostic| diagnostic.severity == Severity::Error);
            let lines: Vec<String> = errors.map(|error| error.line(&sources).to_string()).collect();
            assert!(!lines.is_empty(), "no program and no error: {text:?}");
            lines
        }
        // A valid program may be too large.
        Err(Failure::Abstraction(abstraction::Error::TooManyTransitions { .. })) => Vec::new(),
        Err(other) => panic!("{other}: {text:?}"),
    }
}

/// A valid text: a model, or a random program.
fn valid() -> impl Strategy<Value = String> {
    let models: Vec<String> = MODELS.iter().map(|model| model.with_capacities(&BTreeMap::new())).collect();
    prop_oneof![select(models), programs().prop_map(|program| program.text(0))]
}

/// Cuts a text into words, blanks and signs.
fn pieces(text: &str) -> Vec<String> {
    let mut pieces: Vec<String> = Vec::new();
    for character in text.chars() {
        let joins = |last: &String| {
            last.chars().all(|c| c.is_alphanumeric() || c == '_')
                && (character.is_alphanumeric() || character == '_')
        };
        match pieces.last_mut() {
            Some(last) if joins(last) => last.push(character),
            _ => pieces.push(character.into()),
        }
    }
    pieces
}

proptest! {
    #![proptest_config(cases(400))]

    #[test]
    fn any_string(text in any::<String>()) {
        errors(&text);
    }

    #[test]
    fn any_bytes(bytes in vec(any::<u8>(), 0..300)) {
        errors(&String::from_utf8_lossy(&bytes));
        let ascii: String = bytes.iter().map(|byte| char::from(byte & 0x7f)).collect();
        errors(&ascii);
    }

    #[test]
    fn any_words(words in vec(words(), 0..60)) {
        let text = words.join(" ");
        errors(&text);
        errors(&format!("chan c = [2] of {{ byte }}; byte x; active proctype P() {{ {text} }}"));
    }

    /// Texts that are nearly right get furthest: a few pieces of a valid one are dropped, doubled,
    /// exchanged, or replaced. Whatever still is a program goes through everything.
    #[test]
    fn nearly_right(
        text in valid(),
        changes in vec((0..4, any::<Index>(), any::<Index>(), words()), 1..4),
    ) {
        let mut pieces = pieces(&text);
        for (change, at, other, word) in changes {
            let (at, other) = (at.index(pieces.len()), other.index(pieces.len()));
            match change {
                0 => { pieces.remove(at); }
                1 => pieces.insert(other, pieces[at].clone()),
                2 => pieces.swap(at, other),
                _ => pieces[at] = word,
            }
        }
        errors(&pieces.concat());
    }

    /// Numbers far from those that the model had in mind.
    #[test]
    fn any_numbers(
        at in any::<Index>(),
        number in select(vec!["0", "1", "255", "256", "257", "65536", "2147483647", "2147483648", "-1", "4294967296"]),
    ) {
        let model = at.get(MODELS);
        let capacities = fill(model.text, &BTreeMap::new());
        let mut pieces = pieces(&capacities);
        let numbers: Vec<usize> = (0..pieces.len()).filter(|at| pieces[*at].parse::<i64>().is_ok()).collect();
        pieces[*at.get(&numbers)] = number.to_owned();
        errors(&pieces.concat());
    }

    /// As many errors as there are, each on its line: errors that have nothing to do with one
    /// another, each in a process of its own, between sound ones, in any number and order.
    #[test]
    fn all_independent_errors_are_reported(mistakes in vec(option(mistakes()), 1..12)) {
        let mut text = String::from(DECLARATIONS);
        for (at, mistake) in mistakes.iter().enumerate() {
            let statement = mistake.map_or("x = 1; c!x", |(statement, _)| statement);
            text.push_str(&format!("active proctype P{at}() {{ c!0; {statement}; c?_ }}\n"));
        }
        assert_reported(&text.replace('#', "0"), &mistakes)?;
    }

    /// The same within one process, but for jumps: the label could be in a part that could not be
    /// read.
    #[test]
    fn errors_of_one_process_are_reported(
        mistakes in vec(option(mistakes().prop_filter("a jump", |(_, code)| *code != "P0203")), 1..12),
    ) {
        let mut text = format!("{} active proctype P() {{\n", DECLARATIONS.trim_end());
        for (at, mistake) in mistakes.iter().enumerate() {
            let statement = mistake.map_or("x = 1; c!x", |(statement, _)| statement);
            // Each has names of its own, or one error might stand for all of the same kind.
            text.push_str(&format!("  {};\n", statement.replace('#', &at.to_string())));
        }
        assert_reported(&(text + "  skip\n}\n"), &mistakes)?;
    }
}

/// One line; what comes behind it is on lines 2 and up.
const DECLARATIONS: &str = "chan c = [2] of { byte }; byte a[3]; byte x;\n";

/// A statement that is wrong in one way, and the code of that.
type Mistake = (&'static str, &'static str);

fn assert_reported(text: &str, mistakes: &[Option<Mistake>]) -> Result<(), TestCaseError> {
    let numbered = mistakes.iter().zip(2..);
    let expected = numbered.filter_map(|(mistake, line)| mistake.map(|(_, code)| (line, code)));
    let found = promela_front::parse("m.pml", text, &promela_front::Options::default());
    let errors = found.diagnostics.iter().filter(|found| found.severity == Severity::Error);
    let errors: Vec<(u32, &str)> =
        errors.map(|error| (found.sources.line(error.span()), error.code)).collect();
    prop_assert_eq!(errors, expected.collect::<Vec<_>>(), "{}", text);
    prop_assert_eq!(found.program.is_some(), mistakes.iter().all(Option::is_none));
    Ok(())
}

fn option<T: std::fmt::Debug + Clone + 'static>(
    strategy: impl Strategy<Value = T> + 'static,
) -> impl Strategy<Value = Option<T>> {
    prop_oneof![strategy.prop_map(Some), Just(None)]
}

/// Mistakes; `#` stands for a number.
fn mistakes() -> impl Strategy<Value = Mistake> {
    select(vec![
        ("unknown# = 1", "P0201"),
        ("x = missing#", "P0201"),
        ("channel#!1", "P0201"),
        ("goto nowhere#", "P0203"),
        ("break", "P0205"),
        ("run Nobody#()", "P0206"),
        ("c!1,2", "P0301"),
        ("x!1", "P0306"),
        ("a = 1", "P0307"),
        ("x[1] = 1", "P0307"),
        ("x = )", "P0101"),
        ("do :: od", "P0103"),
    ])
}

#[test]
fn long_texts_and_deep_ones_are_read() {
    let many = "  x = 1; c!x; c?x;\n".repeat(3000);
    let text = format!("chan c = [2] of {{ byte }}; active proctype P() {{ byte x;\n{many}}}\n");
    assert_eq!(errors(&text), Vec::<String>::new());
    for (open, close) in [("(", ")"), ("{ ", " }"), ("if :: ", " fi"), ("do :: ", " od"), ("a[", "]")] {
        for depth in [10, 100, 10_000] {
            let text = format!("byte a[2]; init {{ {}1{} }}", open.repeat(depth), close.repeat(depth));
            assert!(errors(&text).len() <= 1, "{open} {depth}");
        }
    }
}

/// One mistake per line, through to what a user sees.
#[test]
fn twenty_mistakes_are_twenty_errors() {
    let lines: String = (0..20).map(|at| format!("  nothing{at} = 1;\n")).collect();
    let found = errors(&format!("active proctype P() {{\n{lines}  skip\n}}\n"));
    assert_eq!(found.len(), 20, "{found:#?}");
    for (at, error) in found.iter().enumerate() {
        assert!(error.starts_with(&format!("any.pml:{}:3: error[P0201]: `nothing{at}`", at + 2)), "{error}");
    }
}

/// Neither the length nor the depth of a model is a matter of the stack, from the text to the
/// verdict.
#[test]
fn long_and_deep_models_are_checked() {
    let long = "\tx = x + 1;\n".repeat(50_000);
    let deep = format!(
        "{}x = {}1{} {}",
        "if :: x < 3 -> ".repeat(1000),
        "(".repeat(900),
        ")".repeat(900),
        "fi ".repeat(1000)
    );
    for body in [long, deep] {
        let text = format!("int x; chan c = [1] of {{ byte }};\ninit {{ c!1;\n{body} }}");
        let analysis = check_promela("large.pml", &text, &Options::default());
        let analysis = analysis.unwrap_or_else(|failure| panic!("{failure}"));
        assert!(analysis.outcome.verdict.is_proved());
    }
}
