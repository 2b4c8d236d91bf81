//! Exports: traces, claims, nets, linear programmes.

use std::collections::BTreeMap;

use crate::harness::{freeboard, models};

fn exported(model: &str, to: &str) -> String {
    let run = freeboard(&["export", "--to", to, model]);
    assert_eq!((run.status, run.stderr.as_str()), (0, ""), "{run:?}");
    run.stdout
}

/// The path of the witness of a model.
fn witness(directory: &tempfile::TempDir, model: &str) -> String {
    let path = directory.path().join("witness.json").to_str().unwrap().to_owned();
    assert_eq!(freeboard(&["check", "--witness", &path, model]).status, 1);
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

/// Both formats have the same net, and all that it names is declared.
#[test]
fn nets_are_the_same_in_both_formats() {
    for entry in std::fs::read_dir(models()).unwrap() {
        let path = entry.unwrap().path();
        let model = path.file_name().unwrap().to_str().unwrap();
        if path.extension().is_none_or(|ending| ending != "pml") {
            continue;
        }
        let (one, mut other) = (lola(&exported(model, "lola")), pnml(&exported(model, "pnml")));
        assert_eq!(one.places.len(), one.places.iter().collect::<std::collections::BTreeSet<_>>().len());
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
