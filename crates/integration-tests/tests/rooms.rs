//! Guards on the length of a queue: what is proved with them, beside the states of random programs.

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicUsize, Ordering};

use abstraction::{Precision, abstract_program};
use boundedness::BufferVerdict;
use cfsm_core::program::Program;
use explore::{Buffers, Claims, Limits, QueueOrigin, Semantics};
use integration_tests::cases;
use proptest::collection::vec;
use proptest::prelude::*;

fn read(text: &str) -> Program {
    let read = promela_front::parse("model.pml", text, &promela_front::Options::default());
    read.program.unwrap_or_else(|| panic!("{:?}\n{text}", read.diagnostics))
}

/// What is proved about the channels of a program, with data places only.
fn proved(program: &Program) -> BTreeMap<String, u64> {
    let precision = Precision { data_places: true, ..Precision::default() };
    let options = abstraction::Options { precision, ..abstraction::Options::default() };
    let abstraction = abstract_program(program, &options).expect("it is small");
    let outcome = boundedness::check(&abstraction.system, &boundedness::Options::default());
    let bounds = outcome.buffers.iter().filter_map(|(id, verdict)| match verdict {
        BufferVerdict::Bounded { bound } => {
            Some((abstraction.system.buffers[id].name.clone(), bound.try_into().expect("a small number")))
        }
        _ => None,
    });
    bounds.collect()
}

/// Most messages of each channel in some thousand states.
fn seen(program: &Program) -> BTreeMap<String, u32> {
    let options = explore::Options {
        buffers: Buffers::Unbounded,
        claims: Claims::Ignored,
        ..explore::Options::default()
    };
    let limits = Limits { states: Some(4_000), ..Limits::default() };
    let found =
        Semantics::new(program, &options).expect("it can be run").explore(&limits).expect("it begins");
    let name = |origin: &QueueOrigin| {
        let name = &program.globals[origin.variable].name;
        if program.globals[origin.variable].length.is_some() {
            format!("{name}[{}]", origin.element)
        } else {
            name.clone()
        }
    };
    found.maxima.iter().map(|(origin, most)| (name(origin), *most)).collect()
}

/// Guards before `q!1`, and the most messages that `q` of capacity 3 holds then.
const GUARDS: [(&str, u64); 12] = [
    ("len(q) < 3", 3),
    ("3 > len(q)", 3),
    ("len(q) <= 3", 4),
    ("!(len(q) >= 3)", 3),
    ("len(q) == 1", 2),
    ("empty(q)", 1),
    ("!len(q)", 1),
    ("len(q) < 3 && v > 2", 3),
    ("!(len(q) > 3 || v > 2)", 4),
    ("len(q) < v", 255),
    ("len(q) < 2; v++", 2),
    ("nfull(q)", 3),
];

#[test]
fn guards_bound_what_is_sent_behind_them() {
    let with = |body: &str| format!("chan q = [3] of {{ bit }}; chan r = [3] of {{ bit }}; byte v; {body}");
    let bound = |body: &str| proved(&read(&with(body))).get("q").copied();
    let one =
        |guard: &str| bound(&format!("active proctype P() {{ do :: {guard} -> q!1 :: v++ :: r?_ od }}"));
    for (guard, most) in GUARDS {
        assert_eq!(one(guard), Some(most), "{guard}");
    }
    for guard in [
        "len(q) < 3 || v > 2",
        "len(q) > 3",
        "nempty(q)",
        "len(r) < 3",
        "len(q) < 3 -> q!1",
        "full(q)",
        "nfull(r)",
    ] {
        assert_eq!(one(guard), None, "{guard}");
    }
    // Numbers of channels are numbers, and a limit may be one.
    for (start, limit) in [
        ("chan c; if :: c = q :: skip fi;", "c"),
        ("chan c; if :: c = r :: c = q :: skip fi;", "c"),
        ("byte k; if :: d!d; d?k :: skip fi;", "k"),
        ("chan c; if :: d!d; d?c :: skip fi;", "c"),
    ] {
        for guard in ["len(q) < LIMIT", "LIMIT >= len(q)", "!(len(q) >= LIMIT)", "len(q) == LIMIT"] {
            let guard = guard.replace("LIMIT", limit);
            let text = format!(
                "chan d = [1] of {{ byte }}; active proctype P() {{ {start} do :: {guard} -> q!1 od }}"
            );
            assert_eq!(bound(&text), None, "{text}");
        }
    }
    // Several may have passed.
    assert_eq!(bound("active [4] proctype P() { do :: len(q) < 2 -> q!1 od }"), Some(5));
    assert_eq!(bound("proctype P() { do :: len(q) < 2 -> q!1 od } init { run P(); run P() }"), Some(3));
    let many = "proctype P() { do :: len(q) < 2 -> q!1 od } init { do :: run P() od }";
    assert_eq!(bound(many), None);
    assert_eq!(bound("active [4] proctype P() { do :: d_step { len(q) < 2 -> q!1 } od }"), Some(2));
    // Of guards that are one transition, the one that lets most pass counts.
    for guards in [":: len(q) < 2 :: len(q) < 4", ":: len(q) < 4 :: len(q) < 2"] {
        assert_eq!(bound(&format!("active proctype P() {{ do :: if {guards} fi; q!1 od }}")), Some(4));
    }
    // A queue of a process comes and goes with it.
    let own =
        "proctype P() { chan c = [2] of { bit }; do :: len(c) < 2 -> c!1 :: break od } init { run P() }";
    assert!(proved(&read(own)).is_empty());
    // Another one sends without a guard; and where it is not sure which queue is meant.
    let other = "active proctype P() { do :: len(q) < 2 -> q!1 od } active proctype Q() { do :: q!1 od }";
    assert_eq!(bound(other), None);
    let which = "active proctype P() { chan c = q; if :: c = r :: skip fi; do :: len(c) < 2 -> q!1 od }";
    assert_eq!(bound(which), None);
    let same = "active proctype P() { chan c = q; do :: len(c) < 2 -> c!1 od }";
    assert_eq!(bound(same), Some(2));
}

fn guard() -> impl Strategy<Value = String> {
    let channel = || proptest::sample::select(vec!["q", "r", "a[0]", "a[1]", "a[v % 2]", "c"]);
    let simple = (channel(), 0..4_u32, 0..9_usize).prop_map(|(c, k, form)| match form {
        0 | 1 => format!("len({c}) < {k}"),
        2 => format!("{k} >= len({c})"),
        3 => format!("empty({c})"),
        4 => format!("!(len({c}) >= {k})"),
        5 => format!("len({c}) == {k}"),
        6 => format!("len({c}) < v"),
        7 => format!("nempty({c})"),
        _ => format!("len({c}) != {k}"),
    });
    prop_oneof![
        3 => simple.clone(),
        1 => (simple.clone(), simple.clone()).prop_map(|(a, b)| format!("({a} && {b})")),
        1 => (simple.clone(), simple)
            .prop_map(|(a, b)| format!("!({a} || {b})"))
            .prop_filter("these are not negated", |guard| !guard.contains("empty")),
    ]
}

fn option() -> impl Strategy<Value = String> {
    let channel = || proptest::sample::select(vec!["q", "r", "a[0]", "a[1]", "a[v % 2]", "c"]);
    let step = prop_oneof![
        5 => channel().prop_map(|c| format!("{c}!1")),
        2 => channel().prop_map(|c| format!("{c}?_")),
        1 => Just("v = 1 - v".to_owned()),
        1 => guard(),
        1 => Just("c = q".to_owned()),
        1 => Just("goto out".to_owned()),
    ];
    let steps = vec(step, 1..=3).prop_map(|all| all.join("; "));
    prop_oneof![
        4 => (guard(), steps.clone()).prop_map(|(g, s)| format!(":: {g} -> {s}")),
        2 => (guard(), steps.clone()).prop_map(|(g, s)| format!(":: atomic {{ {g} -> {s} }}")),
        1 => (guard(), steps.clone(), steps.clone()).prop_map(|(g, s, t)| format!(":: {g} -> if :: {s} :: {t} fi")),
        1 => (guard(), steps.clone()).prop_map(|(g, s)| format!(":: d_step {{ {g} -> v = 1 - v }}; {s}")),
        1 => channel().prop_map(|c| format!(":: {c}?_")),
    ]
}

#[test]
fn no_run_holds_more_than_guards_allow() {
    static PROVED: AtomicUsize = AtomicUsize::new(0);
    let process = (vec(option(), 1..=3), 1..=3_u32, any::<bool>());
    proptest!(cases(400), |(processes in vec(process, 1..=2))| {
        let mut text = "chan q = [2] of { bit }; chan r = [2] of { bit }; chan a[2] = [2] of { bit }; byte v;".to_owned();
        let mut runs = String::new();
        for (at, (options, count, is_run)) in processes.iter().enumerate() {
            let body = format!("proctype P{at}() {{ chan c = r; out: do {} od }}", options.join(" "));
            if *is_run {
                text += &format!("\n{body}");
                runs += &format!("run P{at}(); ").repeat(*count as usize);
            } else {
                text += &format!("\nactive [{count}] {body}");
            }
        }
        let text = format!("{text}\ninit {{ {runs} skip }}");
        let program = read(&text);
        let bounds = proved(&program);
        for (name, most) in seen(&program) {
            if let Some(bound) = bounds.get(&name) {
                prop_assert!(u64::from(most) <= *bound, "{name}: {most}, said to be at most {bound}\n{text}");
                PROVED.fetch_add(usize::from(most > 0), Ordering::Relaxed);
            }
        }
    });
    assert!(PROVED.load(Ordering::Relaxed) > 50, "{} bounds", PROVED.load(Ordering::Relaxed));
}
