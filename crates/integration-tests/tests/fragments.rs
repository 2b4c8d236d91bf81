//! Action code sends what a compiler makes of it: whatever an execution sends, the code as it is
//! read may send, too.

use freeboard::umlrt_front::{Imports, Options, parse};
use integration_tests::fragments::{Fragment, Language, allows, compiler_is_here, execute, fragment};

/// How many fragments are run, if nothing else is asked for.
const FRAGMENTS: u64 = 600;
/// How many are compiled together.
const TOGETHER: u64 = 100;

#[test]
fn what_code_in_c_sends_is_what_is_read_of_it() {
    if compiler_is_here(Language::C, "what_code_in_c_sends_is_what_is_read_of_it") {
        are_right(Language::C, FRAGMENTS);
    }
}

#[test]
fn what_code_in_c_plus_plus_sends_is_what_is_read_of_it() {
    if compiler_is_here(Language::CPlusPlus, "what_code_in_c_plus_plus_sends_is_what_is_read_of_it") {
        are_right(Language::CPlusPlus, FRAGMENTS / 2);
    }
}

/// `FRAGMENTS` has the number of fragments, 10000 for a long test.
fn are_right(language: Language, usual: u64) {
    let asked = std::env::var("FRAGMENTS").ok().and_then(|number| number.parse().ok());
    let count: u64 = asked.unwrap_or(usual);
    let directory = tempfile::tempdir().expect("a directory for temporary files");
    let (mut sends, mut exact, mut undecided) = (0, 0, 0);
    for first in (0..count).step_by(usize::try_from(TOGETHER).expect("small")) {
        let fragments: Vec<Fragment> =
            (first..first + TOGETHER).map(|seed| fragment(language, seed)).collect();
        let traces =
            execute(&fragments, language, directory.path()).expect("a compiler").expect("they compile");
        for (fragment, trace) in fragments.iter().zip(&traces) {
            let text = fragment.room_text();
            let options = Options { imports: Imports::Refused, ..Options::default() };
            let outcome = parse("m.room", &text, &options);
            let shown = || format!("{trace:?}\n{text}");
            let system = outcome.system.unwrap_or_else(|| panic!("not read: {}", shown()));
            match allows(&system, trace) {
                Some(allowed) => assert!(allowed, "{}", shown()),
                None => undecided += 1,
            }
            sends += trace.sent.len() as u64;
            // Whatever is read of code is not just anything.
            let mut other = trace.clone();
            other.sent.push('a');
            exact += usize::from(!trace.cut && allows(&system, &other) == Some(false));
        }
    }
    println!("{sends} messages; {exact} fragments that send no more; {undecided} that take too long");
    assert!(sends > count && exact > 100 && undecided * 20 < count, "{sends} {exact} {undecided}");
}
