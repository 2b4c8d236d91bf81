//! Random small programs with rendezvous that never come about: somebody offers one, and who could
//! take part takes something else, or looks at it without taking part. What would come behind them
//! never happens.

use std::fmt::Write as _;

use crate::offers::Dice;

/// The program that a number stands for.
///
/// # Panics
/// Never: a string takes all.
#[must_use]
pub fn gate_program(seed: u64) -> String {
    let mut dice = Dice::new(seed);
    let mut text = String::from("chan gate = [0] of { byte };\nchan bell = [0] of { byte };\n");
    text += "chan work = [2] of { byte };\nchan more = [2] of { byte };\n";
    text += &dice.beside("work");
    let workers = 1 + dice.below(2);
    for number in 0..workers {
        let count = dice.mostly("", 10, &["[2] "]);
        let body = worker(&mut dice);
        writeln!(text, "active {count}proctype Worker{number}() {{ byte x;\n{body} }}")
            .expect("a string takes all");
    }
    for gate in ["gate", "bell"] {
        let body = keeper(&mut dice, gate);
        writeln!(text, "active proctype Keeper_{gate}() {{ byte x;\n{body} }}").expect("a string takes all");
    }
    text + dice.mostly(
        "",
        4,
        &[
            "active proctype Taker() { do :: work?_ od }\n",
            "active proctype Taker() { do :: more?_ -> bell!1 od }\n",
        ],
    )
}

/// A process that does something behind a gate, and perhaps something else before.
fn worker(dice: &mut Dice) -> String {
    let gate = dice.one_of(&["gate", "gate", "bell"]);
    let asked = dice.mostly("1", 5, &["2", "x"]);
    let (work, other) = (dice.offer("work", "1"), dice.offer("more", "1"));
    let first = match dice.below(6) {
        0 => format!("{other};\n"),
        1 => "if :: x = 1 :: x = 3 fi;\n".to_owned(),
        2 => "if :: nempty(more) -> skip :: empty(more) -> more!1 fi;\n".to_owned(),
        _ => String::new(),
    };
    let row = match dice.below(6) {
        0 => format!("do :: {gate}!{asked} -> {work} od"),
        1 => format!("do :: {gate}!{asked}; {work} :: more?_ od"),
        2 => format!("{gate}!{asked}; do :: {work}; {other} od"),
        3 => format!("if :: {gate}!{asked} :: more?_ fi; do :: {work} od"),
        4 => format!("{gate}!{asked}; bell!1; do :: {other} od"),
        _ => format!("{gate}!{asked}; do :: {work} od"),
    };
    first + &row
}

/// A process that looks at what is offered at a gate, and takes something, mostly something else.
fn keeper(dice: &mut Dice, gate: &str) -> String {
    let looks = dice.one_of(&["?<x>", "?<x>", "?<1>", "?<_>", "?<eval(x)>"]);
    let takes = dice.mostly("?2", 3, &["?1", "?x", "?3", "?eval(x)"]);
    let (told, other) = (dice.mostly("skip", 3, &["work!1", "more!1", "x = 2"]), dice.offer("more", "1"));
    match dice.below(6) {
        0 => format!("do :: {gate}{looks} -> {told} od"),
        1 => format!("if :: {gate}{looks} -> {told} :: {gate}{takes} -> {other} fi"),
        2 => format!("{gate}{takes}; {other}"),
        3 => format!("if :: {gate}?[1] -> {told} :: {gate}{looks} -> {told} fi"),
        4 => format!("{gate}{looks}; {gate}{takes}; do :: {other} od"),
        _ => format!("do :: {gate}{looks} -> {told} :: {gate}{takes} -> {other} od"),
    }
}
