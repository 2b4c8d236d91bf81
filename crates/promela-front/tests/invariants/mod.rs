//! Invariants that hold for every text, including invalid ones. The tests and the fuzz target share
//! them.

use cfsm_core::program::Program;
use cfsm_core::source::Sources;
use promela_front::{Diagnostic, Options, Outcome, Severity, ast, parse, print};

/// Reads a text and checks that
/// - every diagnostic lies in its file, on whole characters, and in order;
/// - there is a program if and only if there is no error, and it is valid;
/// - the tree of a program, printed, is read as the same tree and the same program, places aside.
pub fn check(text: &str, options: &Options) -> Outcome {
    let outcome = parse("any.pml", text, options);
    for diagnostic in &outcome.diagnostics {
        assert!(lies_inside(diagnostic, &outcome.sources), "{diagnostic:?} lies outside of {text:?}");
        // It can be shown.
        assert!(!diagnostic.line(&outcome.sources).to_string().is_empty());
    }
    assert!(outcome.diagnostics.is_sorted_by_key(Diagnostic::span));
    let failed = outcome.diagnostics.iter().any(|diagnostic| diagnostic.severity == Severity::Error);
    assert_eq!(failed, outcome.program.is_none());
    if let Some(program) = &outcome.program {
        program.validate().expect("valid");
        check_printed(&outcome.ast, program, options);
    }
    outcome
}

fn lies_inside(diagnostic: &Diagnostic, sources: &Sources) -> bool {
    diagnostic.labels.iter().all(|label| {
        let file = sources.files.get(label.span.file);
        file.is_some_and(|file| file.text.get(label.span.start as usize..label.span.end as usize).is_some())
    })
}

fn check_printed(tree: &ast::Model, program: &Program, options: &Options) {
    let printed = print(tree);
    // The macros that the options define were put in already. What is printed may have more
    // parentheses.
    let max_nesting = 2 * options.max_nesting;
    let options = Options { defines: Vec::new(), undefines: Vec::new(), max_nesting, ..options.clone() };
    let again = parse("printed.pml", &printed, &options);
    let errors: Vec<String> =
        again.diagnostics.iter().map(|found| found.line(&again.sources).to_string()).collect();
    assert_eq!(without_places(&tree.units), without_places(&again.ast.units), "{printed}\n{errors:#?}");
    let Some(program_again) = again.program else { panic!("{printed}\n{errors:#?}") };
    assert_eq!(bare(program), bare(&program_again), "{printed}");
}

fn bare(program: &Program) -> String {
    without_places(&Program { sources: Sources::default(), ..program.clone() })
}

/// All of a value but the spans in it. The derived formatting recurses on the stack, so it gets its
/// own.
pub fn without_places(value: &(impl std::fmt::Debug + Sync)) -> String {
    let text = std::thread::scope(|scope| {
        let large = std::thread::Builder::new().stack_size(64 << 20);
        large.spawn_scoped(scope, || format!("{value:?}")).expect("a thread").join().expect("no panic")
    });
    let mut rest = text.as_str();
    let mut bare = String::with_capacity(text.len());
    while let Some(at) = rest.find("Span { file: file") {
        bare.push_str(&rest[..at]);
        rest = rest[at..].split_once('}').map_or("", |(_, behind)| behind);
    }
    bare + rest
}
