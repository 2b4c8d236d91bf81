//! Exports: traces, claims, nets, linear programmes.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use std::process::{Command, Stdio};

use freeboard::ilp_encode::linear::{Constraint, Domain, LinearProgramme, Maximum, Relation};
use freeboard::promela_front;
use serde_json::Value;

use crate::harness::{Run, freeboard, models};

fn exported(model: &str, to: &str) -> String {
    let run = freeboard(&["export", "--to", to, model]);
    assert_eq!((run.status, run.stderr.as_str()), (0, ""), "{run:?}");
    run.stdout
}

/// The path of the witness of a model.
fn witness(directory: &tempfile::TempDir, model: &str) -> String {
    let path = directory.path().join("witness.json").to_str().unwrap().to_owned();
    let run = freeboard(&["check", "--witness", &path, model]);
    assert_eq!(run.status, 1, "{run:?}");
    path
}

#[test]
fn a_trace_has_all_states() {
    let directory = tempfile::tempdir().unwrap();
    let path = witness(&directory, "visitors.pml");
    let run = freeboard(&["export", "--to", "itf", "--witness", &path, "visitors.pml"]);
    assert_eq!((run.status, run.stderr.as_str()), (0, ""), "{run:?}");
    let trace = run.json();
    assert_eq!(trace["#meta"]["format"], "ITF");
    let states = trace["states"].as_array().unwrap();
    // The initial one, one step and two steps of the loop; it never comes to the same state again.
    assert_eq!((states.len(), trace.get("loop")), (4, None));
    for (index, state) in states.iter().enumerate() {
        assert_eq!(state["#meta"]["index"], index);
        for variable in trace["vars"].as_array().unwrap() {
            assert!(state.get(variable.as_str().unwrap()).is_some());
        }
    }
    let last = states[3]["buffers"]["#map"].as_array().unwrap();
    assert_eq!(
        last,
        serde_json::json!([["guestbook", [["line"]]], ["bell", [["ring"]]]]).as_array().unwrap()
    );
}

#[test]
fn a_trace_that_repeats_has_a_loop() {
    let directory = tempfile::tempdir().unwrap();
    let path = witness(&directory, "open_counter.pml");
    let run = freeboard(&["export", "--to", "itf", "--witness", &path, "open_counter.pml"]);
    let trace = run.json();
    let start = trace["loop"].as_u64().unwrap();
    assert!(start < trace["states"].as_array().unwrap().len() as u64);
}

#[test]
fn only_what_replays_is_exported() {
    let directory = tempfile::tempdir().unwrap();
    let path = witness(&directory, "visitors.pml");
    for to in ["itf", "never"] {
        let run = freeboard(&["export", "--to", to, "--witness", &path, "two_processes.pml"]);
        assert_eq!((run.status, run.stdout.as_str()), (3, ""), "{run:?}");
        assert_eq!(freeboard(&["export", "--to", to, "two_processes.pml"]).status, 4);
    }
    assert_eq!(freeboard(&["export", "--to", "lp", "--witness", &path, "visitors.pml"]).status, 4);
}

/// Models with a run that is possible with the declared capacities.
const POSSIBLE: [&str; 11] = [
    "alternating_bit.pml",
    "assigned_before.pml",
    "chain_letter.pml",
    "channel_arguments.pml",
    "left_waiting.pml",
    "open_counter.pml",
    "postage.pml",
    "saved_up.pml",
    "shared_drawing.pml",
    "turned_first.pml",
    "visitors.pml",
];

/// Process and line of each statement of a witness; the end of a process is no statement.
fn statements(witness: &str) -> Vec<(u64, u64)> {
    let witness: Value = serde_json::from_str(&std::fs::read_to_string(witness).unwrap()).unwrap();
    let steps = ["prefix", "loop"].into_iter().flat_map(|part| witness[part].as_array().unwrap());
    let statements =
        steps.flat_map(|step| std::iter::once(step).chain(step["then"].as_array().into_iter().flatten()));
    let shown = statements.filter(|statement| statement.get("ended").is_none());
    shown.map(|statement| (statement["pid"].as_u64().unwrap(), statement["line"].as_u64().unwrap())).collect()
}

/// Runs Spin; its output.
fn spin(directory: &Path, arguments: &[&str]) -> Option<String> {
    let output =
        Command::new("spin").args(arguments).current_dir(directory).stdin(Stdio::null()).output().ok()?;
    Some(String::from_utf8_lossy(&output.stdout).into_owned())
}

/// The same of a run that Spin replays: `  2: proc  0 (P:1) guided.pml:24 (state 1) [c!1]`.
fn followed(replayed: &str) -> Vec<(u64, u64)> {
    let shown = replayed.lines().filter(|line| line.contains("(state ") && line.ends_with(']'));
    shown
        .map(|line| {
            let number = |behind: &str| {
                let rest = line.split_once(behind).unwrap().1.trim_start();
                rest.split_whitespace().next().unwrap().parse().unwrap()
            };
            (number("proc"), number("guided.pml:"))
        })
        .collect()
}

/// Spin finds the run of each claim, and its own trail has the same statements.
#[test]
fn spin_follows_the_claims() {
    let directory = tempfile::tempdir().unwrap();
    if spin(directory.path(), &["-V"]).is_none() || Command::new("gcc").arg("--version").output().is_err() {
        return;
    }
    for model in POSSIBLE {
        let path = witness(&directory, model);
        let run = freeboard(&["export", "--to", "never", "--witness", &path, model]);
        assert_eq!((run.status, run.stderr.as_str()), (0, ""), "{run:?}");
        let text = std::fs::read_to_string(models().join(model)).unwrap() + &run.stdout;
        std::fs::write(directory.path().join("guided.pml"), text).unwrap();
        let output = spin(directory.path(), &["-o3", "-run", "-DNOREDUCE", "guided.pml"]).unwrap();
        assert!(output.contains("end state in claim reached"), "{model}: {output}\n{}", run.stdout);
        let replayed = spin(directory.path(), &["-t", "-p", "guided.pml"]).unwrap();
        assert_eq!(followed(&replayed), statements(&path), "{model}: {replayed}");
    }
}

/// Spin replays each trail, with the same statements.
#[test]
fn spin_replays_the_trails() {
    let directory = tempfile::tempdir().unwrap();
    if spin(directory.path(), &["-V"]).is_none() {
        return;
    }
    for model in POSSIBLE {
        let path = witness(&directory, model);
        let run = freeboard(&["export", "--to", "trail", "--witness", &path, model]);
        assert_eq!((run.status, run.stderr.as_str()), (0, ""), "{run:?}");
        std::fs::copy(models().join(model), directory.path().join("guided.pml")).unwrap();
        std::fs::write(directory.path().join("guided.pml.trail"), &run.stdout).unwrap();
        let replayed = spin(directory.path(), &["-t", "-p", "guided.pml"]).unwrap();
        assert_eq!(followed(&replayed), statements(&path), "{model}: {}\n{replayed}", run.stdout);
    }
}

/// A model with a witness that goes through most kinds of statements before its loop.
const KINDS: &str = "chan c = [9] of { byte };
chan r = [0] of { byte };
byte n;
inline raise(x) { n = x; n = n + 1 }
proctype Short(byte s) { r!s }
active proctype P() {
  byte k;
  run Short(1);
  r?k;
  atomic {
    k = 2;
    if
    :: k == 2 -> n = 3
    :: else -> skip
    fi
  };
  atomic {
    do
    :: k > 0 -> k--
    :: k == 0 -> break
    od
  };
  { n = 7 };
  raise(8);
  if
  :: n == 9 -> goto again
  :: else -> n = 0
  fi;
again:
  do
  :: n > 9 -> break
  :: n == 9 -> c!n
  od
}
";

/// A call of `export --to trail` for a text, and the path of the witness that it is given.
fn trail(directory: &tempfile::TempDir, text: &str) -> (Run, String) {
    let model = directory.path().join("guided.pml");
    std::fs::write(&model, text).unwrap();
    let path = witness(directory, model.to_str().unwrap());
    let run = freeboard(&["export", "--to", "trail", "--witness", &path, model.to_str().unwrap()]);
    (run, path)
}

#[test]
fn all_kinds_of_statements_are_numbered() {
    let directory = tempfile::tempdir().unwrap();
    let (run, path) = trail(&directory, KINDS);
    assert_eq!((run.status, run.stderr.as_str()), (0, ""), "{run:?}");
    if spin(directory.path(), &["-V"]).is_none() {
        return;
    }
    std::fs::write(directory.path().join("guided.pml.trail"), &run.stdout).unwrap();
    let replayed = spin(directory.path(), &["-t", "-p", "guided.pml"]).unwrap();
    let (ours, theirs) = (statements(&path), followed(&replayed));
    assert_eq!(ours.len(), theirs.len(), "{}\n{replayed}", run.stdout);
    let shown = replayed.lines().filter(|line| line.contains("(state ") && line.ends_with(']'));
    for ((ours, theirs), line) in ours.into_iter().zip(theirs).zip(shown) {
        assert_eq!(ours.0, theirs.0, "{line}");
        // Spin puts the step behind an option at the end of the selection.
        assert!(ours.1 == theirs.1 || line.contains("[.(goto)]"), "{ours:?}: {line}");
    }
}

/// The numbers of the ends of all process types are those of Spin's verifier. Each of them counts
/// the statements before it.
#[test]
fn ends_of_processes_have_the_numbers_of_spin() {
    let directory = tempfile::tempdir().unwrap();
    if spin(directory.path(), &["-V"]).is_none() {
        return;
    }
    let mut compared = 0;
    for model in std::fs::read_dir(models()).unwrap() {
        let model = model.unwrap().path();
        let text = std::fs::read_to_string(&model).unwrap();
        let read = promela_front::tree("model", &text, &promela_front::Options::default());
        let Ok(numbers) = promela_front::numbers(&read.ast) else { continue };
        let ours: BTreeSet<u32> = numbers.values().map(promela_front::Numbers::end).collect();
        spin(directory.path(), &["-o3", "-a", model.to_str().unwrap()]).unwrap();
        let verifier = std::fs::read_to_string(directory.path().join("pan.t")).unwrap();
        let ends = verifier.lines().filter(|line| line.contains("\"-end-\""));
        let number = |line: &str| line.split_once("settr(").unwrap().1.split_once(',').unwrap().0.parse();
        let theirs: BTreeSet<u32> = ends.map(|line| number(line).unwrap()).collect();
        assert_eq!(ours, theirs, "{}", model.display());
        compared += 1;
    }
    assert!(compared > 20, "{compared} models");
}

/// A `d_step` is one line of a trail; Spin does all of it.
#[test]
fn a_d_step_is_one_step_of_a_trail() {
    let directory = tempfile::tempdir().unwrap();
    let text =
        "chan c = [9] of { byte };\nbyte n;\nactive proctype P() { d_step { n = 4; n++ }; do :: c!n od }\n";
    let (run, _) = trail(&directory, text);
    assert_eq!((run.status, run.stdout.lines().count()), (0, 2), "{run:?}");
    if spin(directory.path(), &["-V"]).is_none() {
        return;
    }
    std::fs::write(directory.path().join("guided.pml.trail"), &run.stdout).unwrap();
    let replayed = spin(directory.path(), &["-t", "-p", "guided.pml"]).unwrap();
    assert!(replayed.contains("trail ends after 2 steps") && replayed.contains("(c): [5]"), "{replayed}");
}

#[test]
fn what_spin_rewrites_has_no_trail() {
    let directory = tempfile::tempdir().unwrap();
    for (body, reason) in [
        ("byte i; for (i : 1 .. 2) { skip }; do :: c!i od", "in a model with `for`"),
        ("skip; byte i; do :: c!i od", "a declaration behind a statement"),
        ("up(); up(); do :: c!n od", "any of several statements"),
    ] {
        let text = format!(
            "chan c = [9] of {{ byte }};\nbyte n;\ninline up() {{ n++ }}\nactive proctype P() {{ {body} }}\n"
        );
        let (run, _) = trail(&directory, &text);
        assert_eq!((run.status, run.stdout.as_str()), (3, ""), "{run:?}");
        assert!(run.stderr.contains(reason) && run.stderr.contains("--to never"), "{}", run.stderr);
    }
}

#[test]
fn a_run_without_room_has_no_claim() {
    let directory = tempfile::tempdir().unwrap();
    let path = witness(&directory, "three_shifts.pml");
    let run = freeboard(&["export", "--to", "never", "--witness", &path, "three_shifts.pml"]);
    assert_eq!((run.status, run.stdout.as_str()), (3, ""), "{run:?}");
    assert!(run.stderr.contains("needs more room"), "{run:?}");
}

/// The places and arcs of a net for LoLA, read by its grammar.
#[derive(Debug, Default, PartialEq, Eq)]
struct Net {
    places: Vec<String>,
    marking: BTreeMap<String, u64>,
    transitions: BTreeMap<String, [BTreeMap<String, u64>; 2]>,
}

fn weighted(list: &str) -> BTreeMap<String, u64> {
    let pairs = list.split(',').map(str::trim).filter(|pair| !pair.is_empty());
    pairs
        .map(|pair| {
            let (name, weight) = pair.split_once(':').unwrap();
            (name.trim().to_owned(), weight.trim().parse().unwrap())
        })
        .collect()
}

fn lola(text: &str) -> Net {
    let mut plain = String::new();
    for part in text.split('{') {
        plain.push_str(part.rsplit_once('}').map_or(part, |(_, behind)| behind));
    }
    let (head, steps) = plain.split_once("TRANSITION").unwrap_or((&plain, ""));
    let (places, marking) = head.split_once("MARKING").unwrap();
    let places = places.trim().strip_prefix("PLACE").unwrap().trim().strip_suffix(';').unwrap();
    let mut net = Net {
        places: places.split(',').map(|name| name.trim().to_owned()).collect(),
        marking: weighted(marking.trim().strip_suffix(';').unwrap()),
        ..Net::default()
    };
    for step in steps.split("TRANSITION").filter(|step| !step.trim().is_empty()) {
        let (name, rest) = step.split_once("CONSUME").unwrap();
        let (takes, puts) = rest.split_once("PRODUCE").unwrap();
        let arcs = [takes, puts].map(|list| weighted(list.trim().strip_suffix(';').unwrap()));
        assert!(net.transitions.insert(name.trim().to_owned(), arcs).is_none(), "{name} twice");
    }
    net
}

/// The same of PNML, as we write it.
fn pnml(text: &str) -> Net {
    let attribute = |line: &str, name: &str| {
        let value = line.split_once(&format!(" {name}=\"")).unwrap().1;
        value.split_once('"').unwrap().0.to_owned()
    };
    let number =
        |part: &str| part.split_once("<text>").unwrap().1.split_once('<').unwrap().0.parse().unwrap();
    let mut net = Net::default();
    for part in text.split("<place").skip(1) {
        let id = attribute(part, "id");
        if let Some((_, marking)) = part.split_once("<initialMarking>") {
            net.marking.insert(id.clone(), number(marking));
        }
        net.places.push(id);
    }
    for part in text.split("<transition").skip(1) {
        net.transitions.insert(attribute(part, "id"), Default::default());
    }
    for part in text.split("<arc").skip(1) {
        let (source, target) = (attribute(part, "source"), attribute(part, "target"));
        let weight = part.split_once("<inscription>").map_or(1, |(_, rest)| number(rest));
        let arcs = net.transitions.get_mut(&source).map(|arcs| (1, target.clone(), arcs));
        match arcs {
            Some((side, place, arcs)) => _ = arcs[side].insert(place, weight),
            None => _ = net.transitions.get_mut(&target).unwrap()[0].insert(source, weight),
        }
    }
    net
}

fn all_models() -> Vec<String> {
    let names = std::fs::read_dir(models()).unwrap().map(|entry| entry.unwrap().file_name());
    let mut names: Vec<String> = names.map(|name| name.into_string().unwrap()).collect();
    names.retain(|name| name.ends_with(".pml"));
    names.sort();
    names
}

/// Both formats have the same net, and all that it names is declared.
#[test]
fn nets_are_the_same_in_both_formats() {
    for model in all_models() {
        let model = model.as_str();
        let (one, mut other) = (lola(&exported(model, "lola")), pnml(&exported(model, "pnml")));
        assert_eq!(one.places.len(), one.places.iter().collect::<BTreeSet<_>>().len());
        // An initial marking of 0 is not written by either.
        other.marking.retain(|_, tokens| *tokens > 0);
        assert_eq!(one, other, "{model}");
        let mut named = one.transitions.values().flatten().flat_map(BTreeMap::keys);
        assert!(named.all(|name| one.places.contains(name)), "{model}");
    }
}

#[test]
fn a_small_net() {
    insta::assert_snapshot!(exported("visitors.pml", "lola"));
    insta::assert_snapshot!(exported("visitors.pml", "pnml"));
    insta::assert_snapshot!(exported("visitors.pml", "lp"));
}

/// The rows of a linear programme in the CPLEX LP format, as we write it: factors by column.
fn rows(text: &str) -> Vec<(BTreeMap<String, i64>, i64)> {
    let plain: String =
        text.lines().filter(|line| !line.starts_with('\\')).map(|line| format!("{line}\n")).collect();
    let body = plain.split_once("Subject To").unwrap().1.trim().strip_suffix("End").unwrap();
    let mut found = Vec::new();
    for row in body.split_inclusive(">= ").collect::<Vec<_>>().windows(2) {
        let terms = row[0].rsplit_once(':').unwrap().1.trim_end_matches(">= ");
        let words: Vec<&str> = terms.split_whitespace().collect();
        let factor = |term: &[&str]| {
            let number: i64 = term[1].parse().unwrap();
            (term[2].to_owned(), if term[0] == "-" { -number } else { number })
        };
        let bound = row[1].split_whitespace().next().unwrap().parse().unwrap();
        found.push((words.chunks(3).map(factor).collect(), bound));
    }
    found
}

/// It has no solution if and only if the plain test proves that all is bounded.
#[test]
fn the_linear_programme_is_the_plain_test() {
    let (mut proved, mut open) = (0, 0);
    for model in all_models() {
        let rows = rows(&exported(&model, "lp"));
        let names: BTreeSet<&String> = rows.iter().flat_map(|(row, _)| row.keys()).collect();
        let position = |name: &String| names.iter().position(|known| *known == name).unwrap();
        let constraints: Vec<Constraint> = rows
            .iter()
            .map(|(row, bound)| Constraint {
                terms: row.iter().map(|(name, factor)| (position(name), (-factor).into())).collect(),
                relation: Relation::AtMost,
                bound: (-bound).into(),
            })
            .collect();
        let mut programme = LinearProgramme::new(&vec![Domain::NonNegative; names.len()], &constraints);
        let has_none = programme.maximise(&[]) == Maximum::Infeasible;
        let options = ["check", "--property", "boundedness", "--no-refine", "--no-search", "-q"];
        let status = freeboard(&[&options[..], &[&model]].concat()).status;
        assert_eq!(has_none, status == 0, "{model}: {status}");
        if has_none { proved += 1 } else { open += 1 }
    }
    assert!(proved > 5 && open > 5, "{proved} proved, {open} open");
}
