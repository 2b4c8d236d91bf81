//! Manners of the command line: quiet, numbers, defaults from a file, completions, manual pages.

use std::path::Path;

#[cfg(target_os = "linux")]
use crate::harness::freeboard_interrupted;
use crate::harness::{Run, freeboard, freeboard_in, freeboard_reads};

#[test]
fn quiet_leaves_the_status_only() {
    let run = freeboard(&["check", "-q", "--max-cycles", "3", "visitors.pml"]);
    assert_eq!((run.status, run.stdout.as_str(), run.stderr.as_str()), (1, "", ""));
    let run = freeboard(&["--quiet", "check", "--format", "json", "visitors.pml"]);
    assert_eq!(run.json()["schema"], "freeboard.check/1");
    let run = freeboard(&["check", "-q", "no_such_file.pml"]);
    assert_eq!(run.status, 4);
    assert!(run.stderr.starts_with("error: "), "{run:?}");
}

#[test]
fn limits_are_plain_numbers_too() {
    let run = freeboard(&["check", "--time-limit", "30", "--max-states", "1e5", "visitors.pml"]);
    assert_eq!(run.status, 1, "{run:?}");
    for wrong in [["--time-limit", "soon"], ["--time-limit", "-1"], ["--max-states", "1.5"]] {
        let run = freeboard(&[&["check"], &wrong[..], &["visitors.pml"]].concat());
        assert_eq!(run.status, 4, "{run:?}");
    }
}

#[test]
fn nobody_sees_progress_but_a_terminal() {
    let run = freeboard(&["check", "two_processes.pml"]);
    assert_eq!(run.stderr, "");
}

/// A directory with defaults, a directory inside it, and a model in that.
fn with_defaults(defaults: &str) -> tempfile::TempDir {
    let directory = tempfile::tempdir().unwrap();
    std::fs::write(directory.path().join("freeboard.toml"), defaults).unwrap();
    let inner = directory.path().join("models");
    std::fs::create_dir(&inner).unwrap();
    let model = "chan c = [1] of { bit }; active proctype P() { do :: c!1 od }";
    std::fs::write(inner.join("m.pml"), model).unwrap();
    directory
}

fn inside(directory: &Path, arguments: &[&str]) -> Run {
    freeboard_in(&directory.join("models"), arguments)
}

#[test]
fn defaults_are_found_above() {
    let directory = with_defaults("[check]\nno-search = true\nwithout = [\"pairs\"]\ntime-limit = 20\n");
    let run = inside(directory.path(), &["check", "m.pml"]);
    assert_eq!(run.status, 2, "{run:?}");
    assert!(run.stderr.starts_with("note: with --no-search --time-limit=20 --without=pairs of "), "{run:?}");
    assert_eq!(inside(directory.path(), &["check", "--no-defaults", "m.pml"]).status, 1);
    assert_eq!(inside(directory.path(), &["parse", "m.pml"]).stderr, "");
    // What is said is not said twice.
    let run = inside(directory.path(), &["check", "--time-limit=5s", "m.pml"]);
    assert!(!run.stderr.contains("--time-limit"), "{run:?}");
}

#[test]
fn wrong_defaults_are_refused() {
    for (defaults, reason) in [
        ("[chek]\n", "no subcommand `chek`"),
        ("[check]\ntime = 3\n", "no option --time"),
        ("[check]\ntime-limit = { s = 3 }\n", "`time-limit` is neither"),
        ("check = 3\n", "no table"),
        ("[check\n", "TOML parse error"),
    ] {
        let directory = with_defaults(defaults);
        let run = inside(directory.path(), &["check", "m.pml"]);
        assert_eq!(run.status, 4, "{run:?}");
        assert!(run.stderr.contains(reason), "{run:?}");
    }
}

#[test]
fn shells_complete_and_the_manual_tells() {
    for shell in ["bash", "zsh", "fish", "powershell", "elvish"] {
        let run = freeboard(&["completions", shell]);
        assert_eq!((run.status, run.stderr.as_str()), (0, ""), "{run:?}");
        assert!(run.stdout.contains("time-limit"), "{shell}");
    }
    let run = freeboard(&["man"]);
    assert!(run.status == 0 && run.stdout.contains(".TH freeboard"), "{run:?}");
    let run = freeboard(&["man", "check"]);
    assert!(run.status == 0 && run.stdout.contains("time\\-limit"), "{run:?}");
    assert_eq!(freeboard(&["man", "cook"]).status, 4);
}

#[test]
fn another_language_is_told() {
    let directory = tempfile::tempdir().unwrap();
    let model = "chan c = [1] of { bit };\nactive proctype P() { c!1 }\n";
    for name in ["m.fsa", "m.scm", "m.kmc", "m.room"] {
        let path = directory.path().join(name);
        std::fs::write(&path, model).unwrap();
        let run = freeboard(&["check", path.to_str().unwrap()]);
        assert_eq!(run.status, 3, "{run:?}");
        assert!(run.stderr.contains("looks like Promela: try --input promela"), "{run:?}");
    }
}

/// A model with more states than anybody waits for, of which a search shows nothing. No send is
/// ever executed, but that takes number theory.
const LONG: &str = "chan c = [1] of { bit }; int x, y, z;\n\
                    active proctype P() { do :: x++ :: y++ :: z++ :: (x * x) % 4 == 3 -> c!1 od }";

/// Arguments of a check of [`LONG`] that ends early only if something ends it.
fn long_way<'a>(more: &[&'a str]) -> Vec<&'a str> {
    [&["check", "-", "--max-states", "1e9", "--time-limit", "1h"], more].concat()
}

#[test]
fn a_limit_of_memory_ends_a_check_with_what_is_known() {
    let run = freeboard_reads(&long_way(&["--memory-limit", "120MB"]), LONG.as_bytes());
    assert_eq!(run.status, 2, "{run:?}");
    let told = run.stdout.split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(told.contains("stopped at the limit of 120.0 MB of memory that `--memory-limit` sets"), "{told}");
    assert!(told.contains("Size: 1 process class"), "{told}");
    let run = freeboard(&["check", "--memory-limit", "much", "visitors.pml"]);
    assert_eq!(run.status, 4, "{run:?}");
}

#[test]
#[cfg(target_os = "linux")]
fn an_interruption_ends_a_check_with_what_is_known() {
    let run = freeboard_interrupted(&long_way(&["--property", "all"]), LONG.as_bytes());
    assert_eq!(run.status, 2, "{run:?}");
    assert!(run.stderr.starts_with("note: interrupted"), "{run:?}");
    let told = run.stdout.split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(told.contains("stopped by an interruption (Ctrl-C)"), "{told}");
}
