//! Random small Promela programs.
//!
//! A program is drawn as text in which `@` stands for a number that tells its names from those of
//! other programs, and `$c0` for the capacity of channel `c0`: so the same program can be read on
//! its own by one tool, and together with others, and with other capacities, by the other.
//!
//! Programs are such that Spin takes them without run-time errors: indices are bits, arithmetic is
//! modulo 3, and processes are created outside loops only.

use std::collections::BTreeMap;
use std::fmt::Write;

use proptest::collection::vec;
use proptest::prelude::*;
use proptest::sample::select;
use proptest::strategy::Union;

use crate::models::fill;

const SYMBOLS: &str = "mtype = { a, b, k };\n";

/// A program.
#[derive(Clone, Debug)]
pub struct Program {
    /// Declarations of variables, channels, and the type of created processes.
    declarations: String,
    /// The bodies of its processes.
    bodies: Vec<String>,
}

/// What kind of channel a statement is about.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    /// Symbols, stored.
    Symbols,
    /// Symbols with a number.
    Pairs,
    /// Symbols, handed over.
    Rendezvous,
    /// Two channels of symbols.
    Array,
}

impl Program {
    /// Its text, to be read on its own.
    #[must_use]
    pub fn text(&self, number: usize) -> String {
        format!("{SYMBOLS}{}", self.part(number, "active ", &BTreeMap::new()))
    }

    /// Its declarations and processes, numbered. Capacities are by channel without number.
    fn part(&self, number: usize, prefix: &str, capacities: &BTreeMap<String, u32>) -> String {
        let mut text = self.declarations.clone();
        for (process, body) in self.bodies.iter().enumerate() {
            let variables = "byte x; mtype m; bit i; chan v = c0@;";
            writeln!(text, "{prefix}proctype P{process}@() {{\n  {variables}\n{body}}}").expect("room");
        }
        fill(&text, capacities).replace('@', &format!("_{number}"))
    }
}

/// One text of several numbered programs with their capacities, in which one of them is chosen at
/// the start and run.
#[must_use]
pub fn any_of<'a>(programs: impl IntoIterator<Item = (usize, &'a Program, BTreeMap<String, u32>)>) -> String {
    let mut text = SYMBOLS.to_owned();
    let mut start = String::from("init {\n  if\n");
    for (number, program, capacities) in programs {
        text.push_str(&program.part(number, "", &capacities));
        let runs: Vec<String> = (0..program.bodies.len()).map(|p| format!("run P{p}_{number}()")).collect();
        writeln!(start, "  :: atomic {{ {} }}", runs.join("; ")).expect("a string takes all");
    }
    text + &start + "  fi\n}\n"
}

/// Programs of two or three processes and three channels.
pub fn programs() -> impl Strategy<Value = Program> {
    use Kind::{Array, Pairs, Rendezvous, Symbols};
    select(vec![Symbols, Symbols, Pairs, Pairs, Rendezvous, Array]).prop_flat_map(|third| {
        let bodies = vec(body(&[("c0@", Symbols), ("c1@", Symbols), ("c2@", third), ("v", Symbols)]), 2..=3);
        (bodies, created()).prop_map(move |(bodies, created)| {
            let declared = match third {
                Symbols => "chan c2@ = [$c2] of { mtype };",
                Pairs => "chan c2@ = [$c2] of { mtype, byte };",
                Rendezvous => "chan c2@ = [0] of { mtype };",
                Array => "chan c2@[2] = [$c2] of { mtype };",
            };
            let others = "chan c0@ = [$c0] of { mtype };\nchan c1@ = [$c1] of { mtype };\nbyte g@;";
            Program { declarations: format!("{others}\n{declared}\n{created}"), bodies }
        })
    })
}

/// The type of processes that are created with a channel and a number.
fn created() -> impl Strategy<Value = String> {
    let channel = ("v", Kind::Symbols);
    (vec(statement(&[channel]), 1..=2), turn(&[channel]), any::<bool>()).prop_map(|(once, turn, loops)| {
        let rest = if loops { format!("  do\n  :: {turn}\n  od\n") } else { String::new() };
        format!("proctype C@(chan v; byte x) {{\n  mtype m; bit i;\n  {};\n{rest}}}\n", once.join(";\n  "))
    })
}

fn body(channels: &[(&'static str, Kind)]) -> impl Strategy<Value = String> + use<> {
    let create = select(vec!["run C@(c0@, 1)", "run C@(c1@, 2)", "run C@(v, x)"]).prop_map(str::to_owned);
    let first = Union::new_weighted(vec![(6, statement(channels)), (1, create.boxed())]);
    (vec(first, 0..=3), vec(turn(channels), 0..=3)).prop_map(|(first, turns)| {
        let mut body: String = first.iter().map(|statement| format!("  {statement};\n")).collect();
        if turns.is_empty() {
            body.push_str("  skip\n");
        } else {
            writeln!(body, "  do\n  :: {}\n  od", turns.join("\n  :: ")).expect("a string takes all");
        }
        body
    })
}

/// A branch of a loop: mostly it takes before it gives, or else nearly everything would grow.
fn turn(channels: &[(&'static str, Kind)]) -> impl Strategy<Value = String> + use<> {
    let first = Union::new_weighted(vec![
        (8, Union::new(channels.iter().map(|channel| receive(*channel))).boxed()),
        (1, statement(channels)),
    ]);
    let leave = select(vec!["", "", "", "", "", "; break"]);
    (first, vec(statement(channels), 0..=2), leave).prop_map(|(first, mut rest, leave)| {
        rest.insert(0, first);
        rest.join("; ") + leave
    })
}

fn statement(channels: &[(&'static str, Kind)]) -> BoxedStrategy<String> {
    let simple = simple(channels);
    let assignments = vec(assignment(), 1..=2).prop_map(|all| format!("d_step {{ {} }}", all.join("; ")));
    let two = vec(simple.clone(), 2).prop_map(|two| two.join("; "));
    // Spin does not take `else` beside a question to a channel.
    let both = (condition(&[]), simple.clone(), simple.clone());
    let choice = both
        .prop_map(|(condition, then, other)| format!("if :: {condition} -> {then} :: else -> {other} fi"));
    let either = (simple.clone(), two.clone()).prop_map(|(one, other)| format!("if :: {one} :: {other} fi"));
    Union::new_weighted(vec![
        (12, simple),
        (2, condition(channels)),
        (1, assignments.boxed()),
        (1, two.prop_map(|two| format!("atomic {{ {two} }}")).boxed()),
        (3, choice.boxed()),
        (1, either.boxed()),
    ])
    .boxed()
}

fn simple(channels: &[(&'static str, Kind)]) -> BoxedStrategy<String> {
    Union::new_weighted(vec![
        (5, Union::new(channels.iter().map(|channel| send(*channel))).boxed()),
        (3, Union::new(channels.iter().map(|channel| receive(*channel))).boxed()),
        (2, assignment()),
    ])
    .boxed()
}

fn send((channel, kind): (&'static str, Kind)) -> BoxedStrategy<String> {
    let endings: Vec<&str> = match kind {
        Kind::Symbols | Kind::Rendezvous => vec!["!a", "!a", "!b", "!m"],
        Kind::Pairs => vec!["!a,1", "!a,x", "!b(2)", "!m,1", "!b,g@"],
        Kind::Array => vec!["[0]!a", "[1]!b", "[i]!a", "[1 - i]!m"],
    };
    select(endings).prop_map(move |ending| format!("{channel}{ending}")).boxed()
}

fn receive((channel, kind): (&'static str, Kind)) -> BoxedStrategy<String> {
    let endings: Vec<&str> = match kind {
        Kind::Symbols => vec!["?a", "?a", "?b", "?_", "?m", "?eval(m)", "??b"],
        Kind::Rendezvous => vec!["?a", "?b", "?_", "?m", "?eval(m)"],
        Kind::Pairs => vec!["?a,x", "?b(_)", "?a,1", "?m,eval(x)", "??b,2", "?_,g@"],
        Kind::Array => vec!["[0]?a", "[1]?b", "[i]?m", "[i]?_", "[1 - i]?a"],
    };
    select(endings).prop_map(move |ending| format!("{channel}{ending}")).boxed()
}

fn assignment() -> BoxedStrategy<String> {
    let all = [
        "x = 1",
        "x = (x + 1) % 3",
        "x = g@",
        "m = a",
        "m = b",
        "i = 1 - i",
        "g@ = 2",
        "g@ = (g@ + 1) % 3",
        "g@ = x",
    ];
    select(all.to_vec()).prop_map(str::to_owned).boxed()
}

fn condition(channels: &[(&'static str, Kind)]) -> BoxedStrategy<String> {
    let mut all: Vec<String> =
        ["x == 1", "x != 2", "g@ == 2", "g@ < 2", "m == a", "i"].map(str::to_owned).into();
    for (channel, kind) in channels {
        if matches!(kind, Kind::Symbols | Kind::Pairs) {
            all.extend([format!("len({channel}) > 1"), format!("empty({channel})")]);
        }
    }
    select(all).prop_map(|condition| format!("({condition})")).boxed()
}
