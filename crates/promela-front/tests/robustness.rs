//! No input makes the front end panic, and every diagnostic lies in its file.

use super::invariants;
use promela_front::{Includes, Options, Outcome, Severity};
use proptest::prelude::*;

const MODELS: [&str; 4] = [
    include_str!("fixtures/valid/channels.pml"),
    include_str!("fixtures/valid/control.pml"),
    include_str!("fixtures/valid/lines.pml"),
    include_str!("fixtures/valid/whole_language.pml"),
];

const WORDS: [&str; 48] = [
    "active", "proctype", "P", "(", ")", "{", "}", "if", "fi", "do", "od", "::", "->", ";", "else", "break",
    "goto", "L", ":", "x", "=", "1", "+", "!", "?", "[", "]", ",", "atomic", "d_step", "chan", "byte", "of",
    "mtype", "run", "\n", "#define", "X", "\"", "/*", "*/", "unless", "eval", "len", "++", "init", "timeout",
    ".",
];

const DIRECTIVES: [&str; 44] = [
    "\n#define ",
    "\n#undef ",
    "\n#if ",
    "\n#ifdef ",
    "\n#else ",
    "\n#elif ",
    "\n#endif ",
    "\n#include ",
    "\n#line ",
    "\n# ",
    "\n",
    "f",
    "f(",
    "(",
    ")",
    ",",
    "x",
    "y",
    "#",
    "##",
    "...",
    "__VA_ARGS__",
    "defined",
    "1",
    "0..N",
    "?",
    ":",
    "!",
    "/",
    "*",
    "'",
    "\"",
    "\\",
    "\\\n",
    " ",
    "/*",
    "*/",
    "//",
    "é",
    "-",
    "<",
    ">",
    "__LINE__",
    "\"m.pml\"",
];

fn check(text: &str) -> Outcome {
    invariants::check(text, &Options { includes: Includes::Refused, ..Options::default() })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(512))]

    #[test]
    fn any_string(text in any::<String>()) {
        check(&text);
    }

    #[test]
    fn any_bytes(bytes in prop::collection::vec(any::<u8>(), 0..200)) {
        check(&String::from_utf8_lossy(&bytes));
    }

    #[test]
    fn any_words(words in prop::collection::vec(prop::sample::select(WORDS.to_vec()), 0..80)) {
        check(&words.join(" "));
        check(&format!("init {{ {} }}", words.join(" ")));
    }

    #[test]
    fn any_directives(words in prop::collection::vec(prop::sample::select(DIRECTIVES.to_vec()), 0..80)) {
        check(&words.concat());
    }

    #[test]
    fn a_model_with_a_part_replaced(
        model in prop::sample::select(MODELS.to_vec()),
        from in any::<prop::sample::Index>(),
        length in 0_usize..12,
        word in prop::sample::select(WORDS.to_vec()),
    ) {
        let characters: Vec<char> = model.chars().collect();
        let from = from.index(characters.len());
        let to = (from + length).min(characters.len());
        let text: String = characters[..from].iter().copied().chain(word.chars())
            .chain(characters[to..].iter().copied()).collect();
        check(&text);
    }

    #[test]
    fn the_same_text_gives_the_same(words in prop::collection::vec(prop::sample::select(WORDS.to_vec()), 0..40)) {
        let text = words.join(" ");
        let (one, other) = (check(&text), check(&text));
        prop_assert_eq!(one.diagnostics, other.diagnostics);
        prop_assert_eq!(one.program, other.program);
    }
}

/// The errors that come out on a stack of 2 MB, which is what a test has.
fn on_a_small_stack(text: String) -> Vec<&'static str> {
    let run = move || {
        let errors = check(&text).diagnostics.into_iter().filter(|found| found.severity == Severity::Error);
        errors.map(|diagnostic| diagnostic.code).collect()
    };
    std::thread::Builder::new().stack_size(2 << 20).spawn(run).expect("a thread").join().expect("no panic")
}

#[test]
fn nesting_up_to_the_limit_fits_on_the_stack() {
    for (open, core, close, per_level) in [
        ("(", "1", ")", 1),
        ("- ", "1", "", 1),
        ("1 + (", "1", ")", 1),
        ("(1 -> 1 : ", "1", ")", 1),
        ("a[", "1", "]", 1),
        ("{ ", "skip", " }", 1),
        ("if :: ", "skip", " fi", 1),
        ("do :: ", "skip", " od", 1),
        ("atomic { skip; ", "skip", " }", 1),
        ("d_step { if :: ", "skip", " :: else fi }", 2),
        ("{ skip } unless { ", "skip", " }", 1),
        ("for (i : 1 .. 2) { ", "skip", " }", 1),
    ] {
        let levels = 1500 / per_level;
        let body = format!("{}{core}{}", open.repeat(levels), close.repeat(levels));
        let text = format!("int a[3]; int i; init {{ {body} }}");
        assert_eq!(on_a_small_stack(text), Vec::<&str>::new(), "{open}");
    }
}

#[test]
fn nesting_beyond_the_limit_is_one_error() {
    for open in ["(", "- ", "! ", "1+(", "(1->1:", "a[", "{", "if :: ", "do::", "atomic {", "len(a["] {
        let text = format!("int a[3]; chan c; init {{ {}", open.repeat(100_000));
        assert_eq!(on_a_small_stack(text), ["P0102"], "{open}");
    }
    let text = format!("chan c; init {{ c?{}", "(".repeat(100_000));
    assert_eq!(on_a_small_stack(text), ["P0102"]);
}

#[test]
fn a_long_chain_of_operators_is_no_nesting() {
    for operator in ["+", "&&", "||", "|", "&", "^"] {
        let chain = vec!["x"; 20_001].join(operator);
        let text = format!("int x; init {{ x = {chain} }}");
        assert_eq!(on_a_small_stack(text), Vec::<&str>::new(), "{operator}");
    }
    let text = format!("int x; init {{ x = {} }}", vec!["x"; 20_001].join("-"));
    assert_eq!(on_a_small_stack(text), ["P0102"]);
}

#[test]
fn a_long_body_is_no_nesting() {
    let text = format!("int x; init {{ {} }}", "x = 1; if :: x == 1 :: else fi;\n".repeat(20_000));
    assert_eq!(on_a_small_stack(text), Vec::<&str>::new());
}
