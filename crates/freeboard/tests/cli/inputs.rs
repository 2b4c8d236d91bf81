//! What is read, what is refused, and with which exit status.

use crate::harness::{freeboard, freeboard_reads, freeboard_unread, freeboard_without_colour, models};

#[test]
fn the_verdict_is_the_exit_status() {
    assert_eq!(freeboard(&["check", "two_processes.pml"]).status, 0);
    assert_eq!(freeboard(&["check", "turned_first.pml"]).status, 1);
    assert_eq!(freeboard(&["check", "--no-search", "turned_first.pml"]).status, 2);
    assert_eq!(freeboard(&["check", "chain_letter.pml"]).status, 1);
}

#[test]
fn every_option_of_check_is_taken() {
    let run = freeboard(&[
        "check",
        "--property",
        "boundedness",
        "--format",
        "human",
        "--encoding",
        "cycles",
        "--no-refine",
        "--no-search",
        "--time-limit",
        "1m",
        "--max-cycles",
        "1000",
        "--max-states",
        "1000",
        "-D",
        "N=3",
        "-DM",
        "-U",
        "M",
        "--input",
        "promela",
        "client_server.pml",
    ]);
    assert_eq!((run.status, run.stderr.as_str()), (0, ""), "{run:?}");
    assert!(run.stdout.contains("cycles\n"), "{run:?}");
}

#[test]
fn usage_errors_are_4_and_help_is_0() {
    for arguments in [
        &["check", "--no-such-flag", "two_processes.pml"][..],
        &["check"],
        &[],
        &["replay", "two_processes.pml"],
        &["check", "--time-limit", "soon", "two_processes.pml"],
        &["check", "-D", "3=4", "two_processes.pml"],
        &["check", "--format", "yaml", "two_processes.pml"],
        &["cycles", "--list", "--effects", "two_processes.pml"],
        &["verify", "two_processes.pml"],
        &["check", "--certificate", "-", "two_processes.pml"],
        &["check", "--system", "-", "two_processes.pml"],
        &["check", "--witness", "-", "two_processes.pml"],
    ] {
        let run = freeboard(arguments);
        assert_eq!((run.status, run.stdout.as_str()), (4, ""), "{arguments:?}: {run:?}");
        assert!(!run.stderr.is_empty());
    }
    for arguments in [&["--help"][..], &["check", "--help"], &["--version"], &["help"]] {
        let run = freeboard(arguments);
        assert_eq!((run.status, run.stderr.as_str()), (0, ""), "{arguments:?}: {run:?}");
        assert!(!run.stdout.is_empty());
    }
}

#[test]
fn a_text_in_another_language_is_wrong() {
    for arguments in [
        &["check", "--input", "fsa", "two_processes.pml"][..],
        &["cycles", "--input", "kmc", "two_processes.pml"],
        &["parse", "--input", "scm", "two_processes.pml"],
        &["parse", "--input", "json", "two_processes.pml"],
    ] {
        let run = freeboard(arguments);
        assert_eq!(run.status, 3, "{arguments:?}");
        assert!(run.stderr.contains("error[M0"), "{run:?}");
    }
}

#[test]
fn files_that_cannot_be_read_are_4() {
    let missing = freeboard(&["check", "no_such_model.pml"]);
    assert_eq!(missing.status, 4);
    assert!(missing.stderr.starts_with("error: no_such_model.pml: "), "{missing:?}");

    let directory = freeboard(&["explore", "."]);
    assert_eq!((directory.status, directory.stderr.as_str()), (4, "error: .: is a directory\n"));

    let target = models().join("no/such/directory/certificate.json");
    let unwritable = freeboard(&["check", "two_processes.pml", "--certificate", target.to_str().unwrap()]);
    assert_eq!(unwritable.status, 4);
    assert!(unwritable.stderr.contains("cannot be written"), "{unwritable:?}");
}

#[test]
fn text_that_is_not_utf8_is_latin_1_or_an_error() {
    let run = freeboard_reads(&["parse", "-"], b"/* \xfcber */ init { skip }");
    assert_eq!((run.status, run.stderr.as_str()), (0, ""));
    let run = freeboard_reads(&["check", "-"], b"chan c\xff;");
    assert_eq!(run.status, 3);
    assert!(run.stderr.contains("no token begins with `\u{ff}`"), "{run:?}");
    let run = freeboard_reads(&["check", "-"], b"{ \"\xff\" }");
    assert_eq!(run.status, 3);
    assert_eq!(run.stderr, "error: <stdin>: is not UTF-8 text: byte 3 begins no character\n");
}

#[test]
fn what_is_no_text_is_not_shown() {
    let run = freeboard_reads(&["check", "-"], b"\x7fELF\x02\x00\x1b[2J");
    assert_eq!((run.status, run.stderr.as_str()), (3, "error: <stdin>: is no text: byte 5 is 0\n"));
}

#[test]
fn promela_is_recognised_by_its_content() {
    let directory = tempfile::tempdir().unwrap();
    let model = std::fs::read(models().join("two_processes.pml")).unwrap();
    for name in ["model.txt", "model", "model.old"] {
        let path = directory.path().join(name);
        std::fs::write(&path, &model).unwrap();
        let run = freeboard(&["check", path.to_str().unwrap()]);
        assert_eq!((run.status, run.stderr.as_str()), (0, ""), "{name}: {run:?}");
        assert!(run.stdout.starts_with("BOUNDED: "), "{name}: {run:?}");
    }
}

#[test]
fn what_is_no_model_is_told_so() {
    let manifest = concat!(env!("CARGO_MANIFEST_DIR"), "/Cargo.toml");
    for command in ["check", "parse", "explore", "simulate", "cycles"] {
        let run = freeboard(&[command, manifest]);
        assert_eq!((run.status, run.stdout.as_str()), (3, ""), "{command}: {run:?}");
        let expected = format!(
            "error: {manifest}: is no model: it begins neither as Promela does nor as machines do\n\
             help: if it is one, say its language with --input\n"
        );
        assert_eq!(run.stderr, expected, "{command}");
    }
    let run = freeboard(&["check", "--input", "promela", manifest]);
    assert_eq!(run.status, 3, "{run:?}");
    assert!(run.stderr.starts_with("error[P0101]: `[` does not fit here"), "{run:?}");
}

#[test]
fn standard_input_is_read_and_its_language_told() {
    let model = std::fs::read(models().join("two_processes.pml")).unwrap();
    assert_eq!(freeboard_reads(&["check", "-"], &model).status, 0);

    let system = freeboard(&["parse", "--dump", "system", "--format", "json", "two_processes.pml"]);
    let run = freeboard_reads(&["check", "-"], system.stdout.as_bytes());
    assert_eq!(run.status, 0, "{run:?}");
    assert!(run.stdout.contains("declared 25, proved ≤ 13: a send can never block"));
    assert_eq!(freeboard_reads(&["check", "--input", "promela", "-"], system.stdout.as_bytes()).status, 3);
    assert_eq!(freeboard_reads(&["check", "--input", "json", "-"], &model).status, 3);
}

#[test]
fn all_errors_of_a_text_are_reported() {
    let text = b"chan c = [1] of { bit };\nactive proctype P() {\n  d!1;\n  x = 2;\n  c?y\n}\n";
    for format in ["human", "json"] {
        let run = freeboard_reads(&["check", "--format", format, "-"], text);
        assert_eq!((run.status, run.stdout.as_str()), (3, ""), "{run:?}");
        for (name, line) in [("d", 3), ("x", 4), ("y", 5)] {
            assert!(run.stderr.contains(&format!("`{name}` is not declared")), "{run:?}");
            assert!(run.stderr.contains(&format!("<stdin>:{line}:")), "{run:?}");
        }
        assert!(run.stderr.ends_with("3 errors\n"), "{run:?}");
    }
}

#[test]
fn an_empty_file_is_an_error_and_no_crash() {
    for command in ["check", "cycles", "parse", "simulate", "explore"] {
        let run = freeboard_reads(&[command, "-"], b"");
        assert_eq!(run.status, 3, "{run:?}");
        assert!(run.stderr.contains("no process is ever started"), "{run:?}");
    }
}

#[test]
fn warnings_do_not_stop_a_check() {
    let text = b"#define A 1\n#define A 2\nactive proctype P() { skip }\n";
    let run = freeboard_reads(&["check", "-"], text);
    assert_eq!(run.status, 0, "{run:?}");
    assert!(run.stdout.starts_with("BOUNDED: "), "{run:?}");
    assert!(run.stderr.starts_with("warning[") && run.stderr.ends_with("1 warning\n"), "{run:?}");
}

#[test]
fn macros_come_from_the_command_line() {
    let text = b"chan c = [N] of { bit };\nactive proctype P() { c!1 }\n";
    assert_eq!(freeboard_reads(&["check", "-"], text).status, 3);
    let run = freeboard_reads(&["check", "-DN=7", "-"], text);
    assert_eq!(run.status, 0, "{run:?}");
    assert!(run.stdout.contains("declared 7, proved ≤ 1: a send can never block"), "{run:?}");
    assert_eq!(freeboard_reads(&["check", "-DN=7", "-UN", "-"], text).status, 3);
}

#[test]
fn files_are_included_from_where_the_command_line_says() {
    let directory = tempfile::tempdir().unwrap();
    std::fs::write(directory.path().join("size.h"), "#define N 7\n").unwrap();
    let text = b"#include \"size.h\"\nchan c = [N] of { bit };\nactive proctype P() { c!1 }\n";
    let missing = freeboard_reads(&["check", "-"], text);
    assert_eq!(missing.status, 3);
    assert!(missing.stderr.contains("size.h"), "{missing:?}");
    let run = freeboard_reads(&["check", "-I", directory.path().to_str().unwrap(), "-"], text);
    assert_eq!(run.status, 0, "{run:?}");
}

#[test]
fn a_time_limit_of_nothing_gives_unknown() {
    let run = freeboard(&["check", "--time-limit", "0s", "two_processes.pml"]);
    assert_eq!(run.status, 2, "{run:?}");
    assert!(run.stdout.contains("the time limit was reached"), "{run:?}");
}

#[test]
fn colour_needs_a_terminal() {
    for run in [
        freeboard(&["check", "turned_first.pml"]),
        freeboard_without_colour(&["check", "turned_first.pml"]),
        freeboard_without_colour(&["parse", "no_such_model.pml"]),
        freeboard_reads(&["parse", "-"], b"init { x = 1 }"),
    ] {
        assert!(!run.stdout.contains('\u{1b}') && !run.stderr.contains('\u{1b}'), "{run:?}");
    }
}

#[test]
fn who_asks_for_json_as_elsewhere_is_told_how() {
    let run = freeboard(&["check", "--json", "two_processes.pml"]);
    assert_eq!(run.status, 4);
    assert!(run.stderr.contains("\n  tip: JSON is printed with '--format json'\n"), "{run:?}");
    assert!(!run.stderr.contains("-- --json"), "{run:?}");
}

#[test]
fn options_without_an_effect_are_told() {
    let run = freeboard(&["check", "--max-cycles", "3", "two_processes.pml"]);
    assert_eq!(run.status, 0);
    assert!(
        run.stderr.starts_with("warning: --max-cycles has no effect without --encoding cycles"),
        "{run:?}"
    );
    let weak = |model| freeboard(&["check", "--fairness", "weak", model]);
    let run = weak("two_processes.pml");
    assert_eq!(run.status, 0);
    assert!(run.stderr.starts_with("warning: --fairness weak has no effect"), "{run:?}");
    // Here something is marked as progress, so livelocks are asked for.
    assert_eq!(weak("open_counter.pml").stderr, "");
}

#[test]
fn machines_on_standard_input_are_told_from_a_model() {
    let text = b".outputs A\n.state graph\n0 1 ! m 0\n.marking 0\n.end\n";
    let run = freeboard_reads(&["check", "-"], text);
    assert_eq!(run.status, 3);
    let note = "note: <stdin> is read as Promela, but looks like machines: try --input fsa\n";
    assert!(run.stderr.starts_with(note), "{run:?}");
}

#[test]
fn names_do_not_reach_the_terminal_as_they_are() {
    let system = freeboard(&["parse", "--dump", "system", "--format", "json", "turned_first.pml"]).stdout;
    let system =
        system.replace("ch2", "\\u001b]0;x\\u0007\\n\\u009b31mch2").replace("Mill", "\\u001b[2JMill");
    let clean = |text: &str| text.chars().all(|one| one == '\n' || !one.is_control());
    for arguments in [
        &["check", "-"][..],
        &["check", "--no-search", "-"],
        &["cycles", "--list", "-"],
        &["cycles", "--effects", "-"],
        &["simulate", "-"],
        &["explore", "--max-states", "50", "-"],
        &["parse", "-"],
    ] {
        let run = freeboard_reads(arguments, system.as_bytes());
        assert!(clean(&run.stdout) && clean(&run.stderr), "{run:?}");
        assert!(arguments[0] == "parse" || run.stdout.contains("\\u{1b}"), "{arguments:?}: {run:?}");
    }
    // JSON has them as they are, escaped as JSON has it.
    let run = freeboard_reads(&["check", "--format", "json", "-"], system.as_bytes());
    assert!(!run.stdout.contains('\u{1b}') && run.stdout.contains("\\u001b]0;x\\u0007\\n"), "{run:?}");
    let run = freeboard_reads(&["check", "-"], b"init { \x1b[31mred\r = 1 }\n");
    assert!(run.status == 3 && clean(&run.stderr), "{run:?}");
}

#[test]
fn nobody_has_to_read_the_output() {
    let run = freeboard_unread(&["check", "-"]);
    assert_eq!((run.status, run.stderr.as_str()), (0, ""), "{run:?}");
}
