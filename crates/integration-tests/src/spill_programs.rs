//! Random small programs in which something grows only where something else is limited: what finds
//! no room in one queue goes to another one, from which it is taken never, for a while, or always.

use std::fmt::Write as _;

use crate::offers::Dice;

/// The program that a number stands for.
///
/// # Panics
/// Never: a string takes all.
#[must_use]
pub fn spill_program(seed: u64) -> String {
    let mut dice = Dice::new(seed);
    let mut text =
        String::from("chan a = [1] of { byte };\nchan b = [2] of { byte };\nchan c = [1] of { byte };\n");
    text += &dice.beside("c");
    let senders = 1 + dice.below(2);
    for number in 0..senders {
        let (queue, other) = if number == 0 { ("a", "b") } else { ("b", "c") };
        let spilled = spilled(&mut dice, queue, other);
        let row = match dice.below(6) {
            0 => format!("{spilled}; {spilled}"),
            1 => format!("byte x; do :: x < 4 -> {spilled}; x++ :: x == 4 -> break od"),
            2 => format!("{queue}!1; do :: {spilled} od"),
            _ => format!("do :: {spilled} od"),
        };
        writeln!(text, "active proctype Sender{number}() {{ {row} }}").expect("a string takes all");
    }
    for queue in ["a", "b", "c"] {
        let body = match dice.below(7) {
            0 | 1 => format!("do :: {queue}?_ od"),
            2 => format!("{queue}?_; {queue}?_"),
            3 => format!("do :: full({queue}) -> {queue}?_ od"),
            4 => format!("do :: len({queue}) > 1 -> {queue}?_ :: timeout -> {queue}?_ od"),
            _ => continue,
        };
        writeln!(text, "active proctype Taker_{queue}() {{ {body} }}").expect("a string takes all");
    }
    text
}

/// A send to a queue, or to another one if there is no room.
fn spilled(dice: &mut Dice, queue: &str, other: &str) -> String {
    match dice.below(9) {
        0 => format!("if :: full({queue}) -> {other}!1 :: nfull({queue}) -> {queue}!1 fi"),
        1 => format!("if :: {queue}!1 :: timeout -> {other}!1 fi"),
        2 => format!("{{ {other}!1 }} unless {{ {queue}!1 }}"),
        3 => format!("atomic {{ if :: {queue}!1 :: else -> {other}!1 fi }}"),
        4 => format!("if :: {queue}!1 :: else -> {other}!1; {other}!1 fi"),
        5 => format!("if :: {queue}!1 :: else -> if :: {other}!1 :: else -> err!1 fi fi"),
        _ => format!("if :: {queue}!1 :: else -> {other}!1 fi"),
    }
}
