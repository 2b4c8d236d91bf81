//! Results for other programs: SARIF and JUnit XML; several files in one call.

use freeboard::report::text::{Style, broken, check};
use serde_json::Value;

use crate::harness::{freeboard, freeboard_reads};
use crate::schema::Schema;

/// A log is of the schema of SARIF 2.1.0, and has what readers of such logs need beside that.
fn check_log(log: &Value) {
    assert_eq!(Schema::of_sarif().refuses(log), None);
    assert_eq!(log["version"], "2.1.0");
    assert!(log["$schema"].as_str().unwrap().ends_with("sarif-2.1.0.json"));
    let run = &log["runs"][0];
    assert_eq!(log["runs"].as_array().unwrap().len(), 1);
    let driver = &run["tool"]["driver"];
    assert!(driver["name"].is_string() && driver["version"].is_string());
    let rules: Vec<&str> =
        driver["rules"].as_array().unwrap().iter().map(|rule| rule["id"].as_str().unwrap()).collect();
    let mut unique = rules.clone();
    unique.sort_unstable();
    unique.dedup();
    assert_eq!(unique.len(), rules.len(), "rules are unique");
    assert!(run["invocations"][0]["executionSuccessful"].is_boolean());
    for result in run["results"].as_array().unwrap() {
        assert!(!result["message"]["text"].as_str().unwrap().is_empty());
        assert!(["error", "warning", "note"].contains(&result["level"].as_str().unwrap()));
        assert!(rules.contains(&result["ruleId"].as_str().unwrap()), "{result}");
        check_location(&result["locations"][0]);
        assert!(result["partialFingerprints"].as_object().unwrap().values().all(Value::is_string));
        for flow in result["codeFlows"].as_array().into_iter().flatten() {
            for thread in flow["threadFlows"].as_array().unwrap() {
                let locations = thread["locations"].as_array().unwrap();
                assert!(!locations.is_empty());
                for stop in locations {
                    check_location(&stop["location"]);
                    assert!(stop["location"]["message"]["text"].is_string());
                }
            }
        }
    }
}

fn check_location(location: &Value) {
    let physical = &location["physicalLocation"];
    let uri = physical["artifactLocation"]["uri"].as_str().unwrap();
    assert!(!uri.is_empty() && uri.chars().all(|one| one.is_ascii_graphic() && !"<>\"{}|\\^`".contains(one)));
    if let Some(region) = physical.get("region") {
        assert!(region["startLine"].as_u64().unwrap() >= 1);
    }
}

fn results(log: &Value) -> &Vec<Value> {
    log["runs"][0]["results"].as_array().unwrap()
}

#[test]
fn what_is_refuted_has_a_line_and_a_run() {
    let run = freeboard(&["check", "--format", "sarif", "visitors.pml"]);
    assert_eq!((run.status, run.stderr.as_str()), (1, ""), "{run:?}");
    let log = run.json();
    check_log(&log);
    let found = results(&log).iter().find(|result| result["ruleId"] == "unbounded-buffer").unwrap();
    assert_eq!(found["level"], "error");
    let physical = &found["locations"][0]["physicalLocation"];
    assert_eq!(
        (&physical["artifactLocation"]["uri"], &physical["region"]["startLine"]),
        (&"visitors.pml".into(), &19.into())
    );
    let flow = found["codeFlows"][0]["threadFlows"][0]["locations"].as_array().unwrap();
    assert_eq!(flow.len(), 3);
    assert!(
        flow[2]["location"]["message"]["text"]
            .as_str()
            .unwrap()
            .starts_with("for ever: Visitor[1] guestbook!line")
    );
    let rules: Vec<&str> = results(&log).iter().map(|result| result["ruleId"].as_str().unwrap()).collect();
    assert_eq!(rules, ["unbounded-buffer", "blocking-send", "one-ended-channel", "one-ended-channel"]);
}

#[test]
fn the_schema_of_sarif_refuses_other_logs() {
    let log = freeboard(&["check", "--format", "sarif", "visitors.pml"]).json();
    let schema = Schema::of_sarif();
    assert_eq!(schema.refuses(&log), None);
    let wrong: [(&str, Value); 6] = [
        ("/version", "2.0.0".into()),
        ("/runs/0/tool", Value::Null),
        ("/runs/0/results/0/level", "fatal".into()),
        ("/runs/0/results/0/locations/0/physicalLocation/region/startLine", 0.into()),
        ("/runs/0/results/0/locations/0/physicalLocation/artifactLocation/uri", "a b".into()),
        ("/runs/0/results/0/codeFlows/0/threadFlows", Value::Array(Vec::new())),
    ];
    for (place, value) in wrong {
        let mut other = log.clone();
        *other.pointer_mut(place).unwrap_or_else(|| panic!("{place}")) = value;
        assert!(schema.refuses(&other).is_some(), "{place}");
    }
    let mut other = log.clone();
    other["runs"][0]["results"][0].as_object_mut().unwrap().remove("message");
    assert!(schema.refuses(&other).is_some(), "a result without a message");
    let mut other = log;
    other["runs"][0]["results"][0]["colour"] = "red".into();
    assert!(schema.refuses(&other).is_some(), "a key that there is not");
}

#[test]
fn all_kinds_of_results_are_sarif() {
    for (model, options) in [
        ("alternating_bit.pml", &[][..]),
        ("two_processes.pml", &[]),
        ("open_counter.pml", &["--property", "livelock"]),
        ("alternating_bit.pml", &["--no-search", "--no-refine"]),
    ] {
        let run = freeboard(&[&["check", "--format", "sarif", model][..], options].concat());
        check_log(&run.json());
        let is_wrong = |result: &Value| {
            let rule = result["ruleId"].as_str().unwrap();
            ["unbounded-buffer", "undecided-buffer", "livelock", "undecided"].contains(&rule)
        };
        assert_eq!(run.status == 0, !results(&run.json()).iter().any(is_wrong), "{model}");
    }
}

#[test]
fn what_is_wrong_with_a_text_is_a_result() {
    let run = freeboard_reads(&["check", "--format", "sarif", "-"], b"active proctype P() {\n  c!1 }\n");
    assert_eq!(run.status, 3, "{run:?}");
    let log = run.json();
    check_log(&log);
    assert_eq!(log["runs"][0]["invocations"][0]["executionSuccessful"], false);
    let found = &results(&log)[0];
    assert_eq!((&found["ruleId"], &found["level"]), (&"P0201".into(), &"error".into()));
    assert_eq!(found["locations"][0]["physicalLocation"]["region"]["startLine"], 2);
    let run = freeboard(&["check", "--format", "sarif", "no_such_file.pml"]);
    assert_eq!(run.status, 4, "{run:?}");
    check_log(&run.json());
    assert_eq!(results(&run.json())[0]["ruleId"], "not-checked");
}

#[test]
fn junit_has_a_case_for_each_buffer() {
    let run = freeboard(&["check", "--format", "junit", "visitors.pml"]);
    assert_eq!(run.status, 1, "{run:?}");
    let timeless: String =
        run.stdout.split(" time=\"").enumerate().fold(String::new(), |text, (part, rest)| {
            text + if part == 0 { rest } else { rest.split_once('"').unwrap().1 }
        });
    insta::assert_snapshot!(timeless);
}

#[test]
fn texts_of_models_cannot_break_xml() {
    let text = "chan c = [1] of { byte };\nactive proctype P() { do :: c!(1 < 2 && 3 > 2) od }\n";
    let run = freeboard_reads(&["check", "--format", "junit", "-"], text.as_bytes());
    assert!(run.stdout.contains("c!(1 &lt; 2 &amp;&amp; 3 &gt; 2)"), "{run:?}");
    let run = freeboard_reads(&["check", "--format", "junit", "-"], b"chan c = \"\x1b]]><\";\n");
    assert_eq!(run.status, 3, "{run:?}");
    assert!(!run.stdout.contains('\u{1b}') && run.stdout.contains("errors=\"1\""), "{run:?}");
}

#[test]
fn several_files_have_a_line_each() {
    let run = freeboard(&["check", "visitors.pml", "two_processes.pml", "visitors.pml", "no_such_file.pml"]);
    assert_eq!(run.status, 4, "{run:?}");
    insta::assert_snapshot!(run.stdout);
    assert!(run.stderr.starts_with("error: no_such_file.pml: "), "{run:?}");
    let run = freeboard(&["check", "--format", "json", "visitors.pml", "two_processes.pml"]);
    assert_eq!(run.status, 1, "{run:?}");
    let checks = run.json();
    assert_eq!((&checks["schema"], &checks["status"]), (&"freeboard.checks/1".into(), &1.into()));
    let alone = freeboard(&["check", "--format", "json", "two_processes.pml"]).json();
    let same = &checks["files"][1]["check"];
    assert_eq!(same["property-results"], alone["property-results"]);
    let run = freeboard(&["check", "--format", "sarif", "visitors.pml", "two_processes.pml"]);
    check_log(&run.json());
    let run = freeboard(&["check", "--witness", "w.json", "visitors.pml", "two_processes.pml"]);
    assert_eq!(run.status, 4, "{run:?}");
}

#[test]
fn the_models_of_a_directory_are_checked() {
    let directory = tempfile::tempdir().unwrap();
    let inner = directory.path().join("inner");
    std::fs::create_dir_all(&inner).unwrap();
    std::fs::create_dir(directory.path().join(".hidden")).unwrap();
    let model = "chan c = [1] of { bit }; active proctype P() { c!1; c?_ }";
    for name in ["b.pml", "a.pml", "inner/c.PML", ".hidden/d.pml", "e.txt", "f.json"] {
        std::fs::write(directory.path().join(name), model).unwrap();
    }
    let run = freeboard(&["check", "--format", "json", directory.path().to_str().unwrap()]);
    assert_eq!(run.status, 0, "{run:?}");
    let checks = run.json();
    let names = checks["files"].as_array().unwrap().iter().map(|file| {
        let path = std::path::Path::new(file["file"].as_str().unwrap());
        path.file_name().unwrap().to_string_lossy().into_owned()
    });
    assert_eq!(names.collect::<Vec<_>>(), ["a.pml", "b.pml", "c.PML"]);
    std::fs::remove_dir_all(directory.path().join("inner")).unwrap();
    let empty = directory.path().join(".hidden/none");
    std::fs::create_dir(&empty).unwrap();
    assert_eq!(freeboard(&["check", empty.to_str().unwrap()]).status, 4);
}

/// Every line of a run is within the width, but for words that are longer, and no word is broken.
#[test]
fn runs_fit_a_narrow_terminal() {
    let name = "alternating_bit.pml";
    let text = std::fs::read_to_string(crate::harness::models().join(name)).unwrap();
    let view = freeboard::check_promela(name, &text, &freeboard::Options::default()).unwrap().view(name);
    let words =
        |text: &str| text.split_whitespace().map(str::to_owned).collect::<std::collections::BTreeSet<_>>();
    for width in [45, 60, 80, 100] {
        let style = Style { width: Some(width), ..Style::default() };
        let shown = check(&view, style);
        let runs = shown
            .lines()
            .skip_while(|line| !line.starts_with("Run"))
            .take_while(|line| *line != "Assumptions:");
        let runs: Vec<&str> = runs.collect();
        for line in &runs {
            let long = line.split_whitespace().any(|word| word.len() > width / 3);
            assert!(line.chars().count() <= width || long, "{width}: {line}");
        }
        let whole = words(&runs.join("\n"));
        for witness in &view.property_results[0].witnesses {
            for step in witness.prefix.iter().chain(&witness.pump) {
                assert!(words(&step.text).is_subset(&whole), "{width}: {}\n{runs:?}", step.text);
            }
        }
    }
}

#[test]
fn runs_are_shown_as_asked_for() {
    let first = freeboard(&["check", "--run", "1", "alternating_bit.pml"]).stdout;
    let second = freeboard(&["check", "--run", "2", "alternating_bit.pml"]).stdout;
    assert!(first.contains("\nRun 2: ") && !first.contains("toSender!receipt(tag)   toSender"), "{first}");
    assert!(second.contains("toSender!receipt(tag)   toSender"), "{second}");
    let messages = freeboard(&["check", "--only", "messages", "alternating_bit.pml"]).stdout;
    assert!(messages.contains("(2 statements without messages left out)"), "{messages}");
    assert!(!messages.contains("tag == wanted"), "{messages}");
    assert_eq!(freeboard(&["check", "--run", "0", "alternating_bit.pml"]).status, 4);
}

/// Results of all kinds are within the width of a terminal, but for words that are longer.
#[test]
fn results_fit_a_narrow_terminal() {
    let (mut lines, mut changed) = (0, 0);
    for name in
        ["alternating_bit.pml", "open_orders.pml", "left_waiting.pml", "taking_turns.pml", "ferry.pml"]
    {
        let text = std::fs::read_to_string(crate::harness::models().join(name)).unwrap();
        let options = freeboard::Options::default();
        let view = freeboard::check_promela(name, &text, &options).unwrap().view(name);
        for width in [45, 60, 80] {
            let wide = check(&view, Style { width: Some(width), ..Style::default() });
            let shown = broken(&wide, width);
            for line in shown.lines() {
                let long = line.split_whitespace().any(|word| word.chars().count() > width / 3);
                assert!(line.chars().count() <= width || long, "{width}: {line}");
                lines += 1;
            }
            changed += usize::from(shown != wide);
            let words = |text: &str| text.split_whitespace().map(str::to_owned).collect::<Vec<_>>();
            assert_eq!(words(&wide), words(&shown), "no word is lost or broken");
        }
    }
    assert!(lines > 500 && changed > 0, "{lines} lines, {changed} results");
}
