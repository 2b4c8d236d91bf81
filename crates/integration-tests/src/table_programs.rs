//! Random small programs that keep states in tables: arrays that are asked and written at an index
//! of which it is not known which one it is, among others that may be the same.

use std::fmt::Write as _;

use cfsm_core::splitmix::SplitMix;

const PLACES: &[&str] = &[
    "a[i]",
    "a[i]",
    "a[i]",
    "a[j]",
    "a[1]",
    "b[i]",
    "a[a[i]]",
    "a[1 - i]",
    "z[i]",
    "z[i]",
    "z[j]",
    "r[i].c[j]",
    "r[i].c[j]",
    "r[i].e[j]",
    "r[j].c[i]",
    "r[1].c[j]",
];

/// The program that a number stands for.
///
/// # Panics
/// Never: a string takes all.
#[must_use]
pub fn table_program(seed: u64) -> String {
    let mut dice = SplitMix::new(seed);
    let mut text = String::from(
        "typedef R { byte c[2]; byte e[2] }\nchan c = [2] of { byte, byte };\nchan d = [0] of { byte };\n",
    );
    let shared = dice.below(3) == 0;
    let ty = ["byte", "short", "bit", "unsigned"][dice.below(4)];
    let (width, values) = match ty {
        "unsigned" => (" : 3", 8),
        "bit" => ("", 2),
        _ => ("", 4),
    };
    let table = if ty == "unsigned" { "byte a[3] = 2" } else { &format!("{ty} a[3] = 1") };
    if shared {
        writeln!(text, "{table};").expect("a string takes all");
    }
    for process in 0..=dice.below(2) {
        let count = ["", "[2]"][usize::from(dice.below(4) == 0)];
        writeln!(text, "active {count} proctype P{process}() {{").expect("a string takes all");
        if !shared {
            writeln!(text, "{table};").expect("a string takes all");
        }
        let initial = ["", "", " = a[i]", " = a[j] + 1"][dice.below(4)];
        writeln!(text, "R r[2]; byte b[2]; byte z[3]; byte i, j; {ty} x{width}{initial};\ndo")
            .expect("a string takes all");
        // What others write and a process only reads is not its own.
        let only_reads = shared && dice.below(2) == 0;
        for _ in 0..2 + dice.below(4) {
            let steps = (0..=dice.below(4)).map(|_| step(&mut dice, values));
            let steps: Vec<String> = steps.map(|step| kept(step, only_reads)).collect();
            writeln!(text, ":: {}", steps.join("; ")).expect("a string takes all");
        }
        text += ":: i = 1 - j\n:: j = 1\n:: j = 0\nod }\n";
    }
    text
}

/// A statement, or another one if it may write the table and is not to.
fn kept(step: String, only_reads: bool) -> String {
    let writes = |part: &str| {
        let part = part.trim();
        part.contains("a[") && (part.contains('?') || part.contains("] = "))
    };
    if only_reads && step.split(';').flat_map(|part| part.split("->")).any(writes) {
        return "a[i] == 1; if :: a[i] == 1 -> i = j :: a[i] != 1 fi".into();
    }
    step
}

/// A statement.
fn step(dice: &mut SplitMix, values: usize) -> String {
    let place = |dice: &mut SplitMix| PLACES[dice.below(PLACES.len())];
    let (one, other, value) = (place(dice), place(dice), dice.below(values));
    match dice.below(19) {
        0..=2 => format!("{one} == {value}"),
        3 => format!("{one} != {value}"),
        4 => format!("({one} > {value} && {other} < 2)"),
        5 => format!("(i > 1 || {one} == {value})"),
        6 => format!("if :: {one} == {value} -> {one} = 0 :: else -> {one} = 1 fi"),
        7 | 8 => format!("{one} = {value}"),
        9 => format!("{one} = {other}"),
        10 => format!("{one} = {one} + 1"),
        11 => format!("x = {one}; {other} = x"),
        12 => "i = j".into(),
        13 => format!("nfull(c) -> c!{one},{value}"),
        14 => format!("nempty(c) -> c?{one},{}", ["i", "j", "x", "a[i]"][dice.below(4)]),
        // A statement between two questions, where the second one would have another answer.
        15 | 16 => {
            let between = [
                "c?a[i],x",
                "c?x,a[i]",
                "c?i,a[i]",
                "c?a[i],i",
                "d?a[i]",
                "d?i",
                "i = j",
                "a[j] = 2",
                "c?r[i].c[j],j",
                "c?j,r[j].c[0]",
                "r[j].c[i] = 2",
                "j = i",
            ];
            let between = between[dice.below(between.len())];
            let asked = ["a[i]", "r[i].c[j]", "a[1 - i]"][dice.below(3)];
            format!(
                "{asked} == {value} -> c!{},1; {between}; if :: {asked} == {value} :: {asked} != {value} fi",
                values - 1
            )
        }
        17 => format!("x == {value}"),
        _ => ["d!i", "d?i", "d?a[i]", "i = 0"][dice.below(4)].into(),
    }
}
