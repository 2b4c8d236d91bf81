//! Random small programs that keep what they are asked for in the slots of a table, each a mark and
//! what was asked, and ask others for it later: as many slots hold a request of some kind as have
//! been asked for.

use std::fmt::Write as _;

use crate::offers::Dice;

/// The program that a number stands for.
///
/// # Panics
/// Never: a string takes all.
#[must_use]
pub fn desk_program(seed: u64) -> String {
    let mut dice = Dice::new(seed);
    let slots = 2 + dice.below(3);
    let mut text = String::from("chan asked = [2] of { byte };\nchan out[2] = [2] of { byte };\n");
    text += &dice.beside("asked");
    text += &desk(&mut dice, slots);
    // The kinds of requests that come back for one: those of kind 1 mostly become some of kind 0,
    // and those of kind 0 nothing.
    let none = dice.mostly("skip", 4, &["asked!0", "err!1", "asked!1"]);
    let few = dice.one_of(&["0", "00", "00", "000", "1", "10"]);
    let mut some: Vec<String> = few.chars().map(|kind| format!("asked!{kind}")).collect();
    some[0] = dice.offer("asked", &few[..1]);
    let some = some.join("; ");
    writeln!(text, "active proctype None() {{ do :: out[0]?_ -> {none} od }}").expect("a string takes all");
    writeln!(text, "active proctype Some() {{ do :: out[1]?_ -> {some} od }}").expect("a string takes all");
    let first = dice.offer("asked", "1");
    let more = dice.mostly("", 3, &["; asked!1", "; asked!0", "; nfull(asked) -> asked!1"]);
    writeln!(text, "active proctype Start() {{ {first}{more} }}").expect("a string takes all");
    text
}

/// A process with a table.
fn desk(dice: &mut Dice, slots: usize) -> String {
    let free = match dice.below(8) {
        0 | 1 => "i = 0; do :: u[i] == 1 -> i = i + 1 :: u[i] == 0 -> break od; ".to_owned(),
        2 | 3 => format!("select (i : 0 .. {}); u[i] == 0; ", slots - 1),
        4 => String::new(),
        _ => "u[i] == 0; ".to_owned(),
    };
    let noted = dice.mostly(
        "u[i] = 1; k[i] = x",
        4,
        &[
            "k[i] = x; u[i] = 1",
            "atomic { u[i] = 1; k[i] = x }",
            "u[i] = 1",
            "u[i] = 1; k[i] = 1",
            "u[i] = 1; i = 0; k[i] = x",
        ],
    );
    let sent = dice.offer("out[x]", "1");
    let asks = match dice.below(12) {
        0 => format!("x = k[i]; u[i] = 0; {sent}"),
        1 => format!("atomic {{ x = k[i]; u[i] = 0 }}; {sent}"),
        2 => format!("x = k[i]; {sent}; u[i] = 2"),
        3 => format!("x = k[i]; {sent}"),
        4 => format!("u[i] = 0; x = k[i]; {sent}"),
        _ => format!("x = k[i]; {sent}; u[i] = 0"),
    };
    let mark = dice.mostly("u[i] == 1", 10, &["u[i] != 0", "u[i] == 1 && nfull(out[0])"]);
    let received = dice.mostly("asked?x", 10, &["asked??x", "nempty(asked) -> asked?x", "asked?x; asked?x"]);
    let next = dice.one_of(&["i = (i + 1)", "i = (i + 1)", "i = (i + 2)"]);
    let several = dice.mostly("", 14, &["[2] "]);
    format!(
        "active {several}proctype Desk() {{ byte u[{slots}], k[{slots}]; byte i, x;
do\n:: {received} -> {free}{noted}\n:: {mark} -> {asks}\n:: {next} % {slots}\nod }}\n"
    )
}
