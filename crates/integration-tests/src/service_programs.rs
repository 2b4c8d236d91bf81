//! Random small services: one to three processes between the channels `in` and `out`, which others
//! use, pass on what they are asked for over channels of their own, and mostly wait before they
//! take more.

use std::fmt::Write as _;

use crate::offers::Dice;

/// The program that a number stands for. Its channels of its own are `a` and `b`.
///
/// # Panics
/// Never: a string takes all.
#[must_use]
pub fn service_program(seed: u64) -> String {
    let mut dice = Dice::new(seed);
    let mut text = String::from("mtype = { x, y, z };\n");
    for channel in ["in", "out", "a", "b"] {
        let capacity = 1 + dice.below(3);
        writeln!(text, "chan {channel} = [{capacity}] of {{ mtype }};").expect("a string takes all");
    }
    let processes = 1 + dice.below(3);
    // The first one takes from outside, the others from the one before.
    let ends = [["in", "a"], ["a", "b"], ["b", "out"]];
    for (number, [source, target]) in ends.into_iter().enumerate().take(processes) {
        let options: Vec<String> =
            (0..=dice.below(2)).map(|_| format!("  :: {}\n", option(&mut dice, source, target))).collect();
        let instances = dice.mostly("", 5, &[" [2]"]);
        writeln!(text, "active{instances} proctype P{number}() {{\n  do\n{}  od\n}}", options.concat())
            .expect("a string takes all");
    }
    text
}

/// A turn: something is received, and something sent for it.
fn option(dice: &mut Dice, source: &str, target: &str) -> String {
    let kind = dice.one_of(&["x", "x", "y", "_"]);
    let asked = format!("{source}?{kind}");
    let first = dice.mostly(&asked, 12, &["skip"]).to_owned();
    let mut statements = Vec::new();
    for _ in 0..=dice.below(2) {
        let sent = dice.one_of(&["x", "x", "y"]);
        let to = dice.mostly(target, 4, &["out", "a", "b"]);
        statements.push(format!("{to}!{sent}"));
    }
    if dice.below(3) == 0 {
        let from = dice.one_of(&["a", "b", "b"]);
        statements.push(format!("{from}?_"));
    }
    statements.push(dice.mostly("out!z", 3, &["skip"]).to_owned());
    format!("{first} -> {}", statements.join("; "))
}
