//! `cycles`, `loops` and `parse`.

use crate::harness::{freeboard, freeboard_begins, freeboard_reads};

#[test]
fn cycles_are_counted_per_process() {
    let run = freeboard(&["cycles", "--format", "json", "two_processes.pml"]);
    assert_eq!(run.status, 0);
    let view = run.json();
    assert_eq!(view["schema"], "freeboard.cycles/1");
    assert_eq!((&view["total"], &view["complete"]), (&2.into(), &true.into()));
    for (process, name) in view["processes"].as_array().unwrap().iter().zip(["Workshop", "Assembly"]) {
        assert_eq!((&process["name"], &process["cycles"]), (&name.into(), &1.into()));
        assert!(process["states"].is_u64() && process["transitions"].is_u64());
    }
}

#[test]
fn cycles_are_listed_with_their_statements() {
    let run = freeboard(&["cycles", "--list", "turned_last.pml"]);
    assert_eq!(run.status, 0);
    assert!(run.stdout.contains("turned_last.pml:21  ch1?grain  [-ch1(grain)]"), "{run:?}");
    let list = freeboard(&["cycles", "--list", "--format", "json", "turned_last.pml"]).json();
    assert!(list["processes"][0]["list"][0][0]["line"].is_u64(), "{list}");
}

/// A ring of so many states with three transitions from each to the next.
fn ring(states: usize) -> String {
    let edges = (0..3 * states).map(|edge| format!("{} tau {}\n", edge / 3, (edge / 3 + 1) % states));
    format!(".outputs A\n.state graph\n{}.marking 0\n.end\n", edges.collect::<String>())
}

/// There are 3^40 of them: who keeps them, or waits for the last one, does not come to an end.
#[test]
fn cycles_are_written_as_they_are_found() {
    let text = ring(40);
    let begins = |format, lines| {
        let arguments = ["cycles", "--input", "fsa", "--list", "--format", format, "-"];
        freeboard_begins(&arguments, text.as_bytes(), lines)
    };
    let run = begins("human", 2 + 3 * 41);
    assert_eq!((run.status, run.stderr.as_str()), (0, ""));
    assert!(run.stdout.starts_with("A: 40 states, 120 transitions\n  cycle 1\n"), "{run:?}");
    assert!(run.stdout.contains("\n  cycle 4\n"), "{run:?}");
    let run = begins("json", 1000);
    assert_eq!((run.status, run.stderr.as_str()), (0, ""));
    assert!(run.stdout.contains("\"cycles\": 12157665459056928801,\n      \"complete\": true,\n"), "{run:?}");
}

/// All edges between 25 states: nobody counts the cycles along different states.
#[test]
fn people_need_not_wait_for_the_number() {
    let edges = (0..625).filter(|edge| edge / 25 != edge % 25);
    let edges: String = edges.map(|edge| format!("{} tau {}\n", edge / 25, edge % 25)).collect();
    let text = format!(".outputs A\n.state graph\n{edges}.marking 0\n.end\n");
    let run = freeboard_begins(&["cycles", "--input", "fsa", "--list", "-"], text.as_bytes(), 100);
    assert_eq!((run.status, run.stderr.as_str()), (0, ""));
    assert_eq!(run.stdout.lines().count(), 100);
}

#[test]
fn a_number_that_is_too_great_is_told_as_such() {
    let text = ring(100);
    let run = freeboard_reads(&["cycles", "--input", "fsa", "-"], text.as_bytes());
    assert_eq!(run.status, 2);
    let total = "total: at least 18446744073709551615 elementary cycles, and no more are counted\n";
    assert!(run.stdout.ends_with(total), "{run:?}");
}

#[test]
fn effects_are_vectors() {
    let run = freeboard(&["cycles", "--effects", "two_processes.pml"]);
    assert!(run.stdout.contains("    [+1 AB(nut) +4 AB(bolt) -2 BA(order)]\n"), "{run:?}");
    let view = freeboard(&["cycles", "--effects", "--format", "json", "two_processes.pml"]).json();
    let effect = &view["processes"][0]["effects"][0];
    assert!(effect[0]["message"].is_string() && effect[0]["count"].is_i64(), "{view}");
}

#[test]
fn a_limit_on_cycles_is_told() {
    let run = freeboard(&["cycles", "--max-cycles", "1", "two_processes.pml"]);
    assert_eq!(run.status, 2);
    assert!(run.stdout.ends_with("total: 1 elementary cycle, and more: the limit was reached\n"), "{run:?}");
}

#[test]
fn parse_says_what_is_wrong_and_nothing_else() {
    let run = freeboard(&["parse", "two_processes.pml"]);
    assert_eq!((run.status, run.stdout.as_str(), run.stderr.as_str()), (0, "", ""));
    let run = freeboard_reads(&["parse", "--format", "json", "-"], b"init { x = 1 }\n");
    assert_eq!(run.status, 3);
    let view = run.json();
    assert_eq!(view["schema"], "freeboard.parse/1");
    let finding = &view["diagnostics"][0];
    assert_eq!((&finding["severity"], &finding["line"]), (&"error".into(), &1.into()));
    assert!(run.stderr.contains("`x` is not declared"), "{run:?}");
}

#[test]
fn parse_says_what_is_wrong_with_machines() {
    let talk = "A: rec x . B!ask; x\nB: rec y . A?aks; y\n";
    let parse = |more: &[&str], text: &str| {
        let arguments = [&["parse", "--input", "kmc"], more, &["-"]].concat();
        freeboard_reads(&arguments, text.as_bytes())
    };
    let run = parse(&["--format", "json"], talk);
    assert_eq!(run.status, 0, "{run:?}");
    assert!(run.stderr.contains("warning[M0007]"), "{run:?}");
    insta::assert_snapshot!(run.stdout);
    let run = parse(&["--format", "json"], &talk.replace("; y", "; z"));
    assert_eq!(run.status, 3, "{run:?}");
    assert!(run.stderr.contains("error[M0204]"), "{run:?}");
    insta::assert_snapshot!(run.stdout);
    // For people, and where something else is asked for, they stand on standard error alone.
    for more in [&[][..], &["--dump", "system"], &["--dump", "system", "--format", "json"]] {
        let run = parse(more, &talk.replace("; y", "; z"));
        assert_eq!((run.status, run.stdout.as_str()), (3, ""), "{run:?}");
        assert!(run.stderr.contains("error[M0204]"), "{run:?}");
    }
}

#[test]
fn every_stage_can_be_dumped() {
    let dump = |stage, format| freeboard(&["parse", "--dump", stage, "--format", format, "relay.pml"]);
    assert!(dump("ast", "human").stdout.contains("Runner"));
    assert_eq!(dump("ast", "json").status, 4);
    assert!(dump("program", "human").stdout.contains("baton!gives"));
    assert!(dump("program", "json").json()["types"][0]["name"] == "Runner");
    assert!(dump("system", "human").stdout.contains("baton"));
    assert_eq!(dump("system", "json").json()["schema"], "freeboard.system/1");
}

#[test]
fn a_system_has_no_program_to_dump() {
    let system = freeboard(&["parse", "--dump", "system", "--format", "json", "relay.pml"]).stdout;
    let run = |arguments: &[&str]| freeboard_reads(arguments, system.as_bytes());
    assert_eq!(run(&["parse", "-"]).status, 0);
    assert_eq!(run(&["parse", "--dump", "program", "-"]).status, 4);
    assert_eq!(run(&["parse", "--dump", "system", "-"]).stdout, system);
    assert_eq!(run(&["cycles", "-"]).status, 0);
}

/// Thesis, Fig. 12.3: the loop turns three times.
#[test]
fn loops_are_told_with_their_rounds() {
    let run = freeboard(&["loops", "--format", "json", "seesaw.pml"]);
    assert_eq!(run.status, 0);
    let view = run.json();
    assert_eq!(view["schema"], "freeboard.loops/1");
    let row = &view["loops"][0];
    assert_eq!(
        (&row["process"], &row["verdict"], &row["rounds"]),
        (&"Seesaw".into(), &"ends".into(), &"3".into())
    );
    assert!(row["line"].is_u64());
}

#[test]
fn loops_are_told_in_terms_of_variables() {
    let model = "chan q = [4] of { byte };\nproctype P(byte n) {\n    byte i, x;\n    do\n    :: i < n -> i++\n    :: else -> break\n    od;\n    do\n    :: q?x -> do\n              :: x > 2 -> x = x - 2\n              :: else -> break\n              od\n    od\n}\ninit { run P(3); do :: q!1 od }\n";
    let run = freeboard_reads(&["loops", "-"], model.as_bytes());
    assert_eq!((run.status, run.stderr.as_str()), (1, ""));
    let rows: Vec<&str> = run.stdout.lines().map(str::trim).collect();
    assert!(rows.iter().any(|row| row.contains("ends     at most n (255 in all cases)")), "{run:?}");
    assert!(rows.iter().any(|row| row.contains("ends     at most 1 for each message received")), "{run:?}");
    assert!(
        rows.iter().any(|row| row.contains("ends     at most 1/2 * (x - 1) (127 in all cases)")),
        "{run:?}"
    );
    assert_eq!(rows.last(), Some(&"total: 3 end, 1 endless, 0 unknown"), "{run:?}");
}

#[test]
fn a_loop_that_others_keep_going_is_shown_by_a_run() {
    let model =
        "bool on = true;\nactive proctype P() { do :: on -> skip od }\nactive proctype Q() { on = !on }\n";
    let run = freeboard_reads(&["loops", "--format", "json", "-"], model.as_bytes());
    assert_eq!(run.status, 1);
    let view = run.json();
    let row = &view["loops"][0];
    assert_eq!(
        (&row["verdict"], &row["reached-after"], &row["rounds"]),
        (&"endless".into(), &0.into(), &serde_json::Value::Null)
    );
}

/// The row of the first loop of a model.
fn loop_row(model: &str) -> serde_json::Value {
    freeboard_reads(&["loops", "--format", "json", "-"], model.as_bytes()).json()["loops"][0].clone()
}

/// A run of the first loop has 5 rounds for 2 messages: 2 and 6/5 for each would be too few.
#[test]
fn rounds_are_rounded_behind_what_messages_add() {
    let row = loop_row(
        "chan c = [2] of { byte };
         active proctype P() { int y = -3; do :: y < 6 -> y = y + 5 :: c?_ -> y = y - 1 od }
         active proctype Q() { c!0; c!0 }",
    );
    assert_eq!((row["rounds"].as_str(), row["per-message"].as_str()), (Some("3"), Some("6/5")), "{row}");
    let row = loop_row(
        "chan c = [2] of { byte };
         active proctype P() {
             int y; if :: y = -3 :: y = 4 fi; do :: y < 6 -> y = y + 5 :: c?_ -> y = y - 1 od
         }
         active proctype Q() { c!0; c!0 }",
    );
    assert_eq!((row["at-most"].as_str(), row["per-message"].as_str()), (Some("3"), Some("6/5")), "{row}");
}

/// From x = 2 and y = 128 there is a round, though -y + 5 is negative.
#[test]
fn parts_of_an_expression_are_cut_at_0_by_themselves() {
    let row = loop_row(
        "byte g;
         active proctype P() {
             short x; byte y;
             if :: x = 3; y = 1 :: x = 3; y = 2 :: x = 2; y = 128 fi;
             do :: x == 2 -> x = 0; y = g :: x == 3 -> y < 4; x = g; y = y + 1 od
         }
         active proctype Q() { do :: g++ od }",
    );
    assert_eq!(
        (row["rounds"].as_str(), row["at-most"].as_str()),
        (Some("max(0, -y + 4) + 1"), Some("4")),
        "{row}"
    );
}
