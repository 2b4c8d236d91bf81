//! Random small programs that pass records on: through several queues, put aside in queues of a
//! process's own, filed in arrays by what is in them, and handed to processes that are created in
//! loops; now and then somebody looks at a part of one.

use std::fmt::Write as _;

use cfsm_core::splitmix::SplitMix;

/// The program that a number stands for.
///
/// # Panics
/// Never: a string takes all.
#[must_use]
pub fn record_program(seed: u64) -> String {
    let mut dice = SplitMix::new(seed);
    let mut text = String::from("mtype = { ask, tell };\nbyte t[3];\n");
    for queue in ["p", "q", "s"] {
        let room = [1, 1, 2, 0][dice.below(4)];
        writeln!(text, "chan {queue} = [{room}] of {{ mtype, byte, byte }};").expect("a string takes all");
    }
    text += "chan v = [1] of { byte, chan };\n";
    let processes = 1 + dice.below(3);
    for own in 0..processes {
        let count = ["active", "active", "active", "active [2]"][dice.below(4)];
        let owns = own == 0 && !count.ends_with(']') && dice.below(2) == 0;
        writeln!(text, "{count} proctype P{own}() {{\n{}", body(&mut dice, owns))
            .expect("a string takes all");
    }
    if dice.below(2) == 0 {
        let statement = |dice: &mut SplitMix| statement(dice, false);
        writeln!(text, "proctype W(byte x; byte y; chan o) {{\n{}", rest(&mut dice, false))
            .expect("a string takes all");
        let last = 1 + dice.below(3);
        let argument = ["i", "1 - i % 2", "x", "2"][dice.below(4)];
        let early = statement(&mut dice);
        writeln!(
            text,
            "init {{ byte a[3], i, k, x, y; chan d = [2] of {{ mtype, byte, byte }}; chan o = q;
             if :: x = 1 :: {early} :: skip fi;
             do :: i < {last} -> run W({argument}, y, o); i++ :: else -> break od }}"
        )
        .expect("a string takes all");
    }
    text
}

/// Declarations and a loop.
fn body(dice: &mut SplitMix, owns: bool) -> String {
    let initial = ["", " = 1", " = 2"][dice.below(3)];
    format!("byte x{initial}, y; chan o = {};\n{}", queue(dice), rest(dice, owns))
}

/// The same, but for what a process is told when it comes into being.
fn rest(dice: &mut SplitMix, owns: bool) -> String {
    let room = 1 + dice.below(2);
    let mut text = format!("byte a[3], i, k; chan d = [{room}] of {{ mtype, byte, byte }};\n");
    let looping = dice.below(5) > 0;
    text += if looping { "do\n" } else { "if\n" };
    for _ in 0..2 + dice.below(4) {
        let steps: Vec<String> = (0..2 + dice.below(4)).map(|_| statement(dice, owns)).collect();
        let steps = steps.join("; ");
        let steps = match dice.below(10) {
            0 | 1 => format!("atomic {{ {steps} }}"),
            2 => format!("{{ {steps} }} unless {{ y == 7 -> y = 0 }}"),
            _ => steps,
        };
        writeln!(text, ":: {steps}").expect("a string takes all");
    }
    let end = if looping { "od" } else { "fi" };
    text + ":: x = 1 - i; i = k % 3; k = 0\n" + end + " }"
}

fn queue(dice: &mut SplitMix) -> &'static str {
    ["p", "q", "s"][dice.below(3)]
}

fn variable(dice: &mut SplitMix) -> &'static str {
    ["x", "y", "i", "k"][dice.below(4)]
}

/// An element of an array, of the process's own or of one that it alone writes.
fn element(dice: &mut SplitMix, owns: bool) -> String {
    let array = if owns { ["a", "t"][dice.below(2)] } else { "a" };
    format!("{array}[{}]", ["i", "i", "k", "x", "1", "2 - i"][dice.below(6)])
}

fn value(dice: &mut SplitMix, owns: bool) -> String {
    match dice.below(6) {
        0 => "1".into(),
        1 => element(dice, owns),
        _ => variable(dice).to_owned(),
    }
}

fn place(dice: &mut SplitMix, owns: bool) -> String {
    match dice.below(4) {
        0 => element(dice, owns),
        _ => variable(dice).to_owned(),
    }
}

/// Two different places.
fn two(dice: &mut SplitMix, owns: bool) -> String {
    let one = place(dice, owns);
    let other = std::iter::repeat_with(|| place(dice, owns)).find(|other| *other != one);
    format!("{one},{}", other.unwrap_or_default())
}

/// A statement.
fn statement(dice: &mut SplitMix, owns: bool) -> String {
    if dice.below(22) < 12 { talk(dice, owns) } else { look(dice, owns) }
}

/// What sends or receives.
fn talk(dice: &mut SplitMix, owns: bool) -> String {
    let kind = ["ask", "ask", "tell"][dice.below(3)];
    let [one, other] = [(); 2].map(|()| value(dice, owns));
    match dice.below(14) {
        0..=3 => format!("{}?{kind},{}", queue(dice), two(dice, owns)),
        4 => format!("{}?_,{},eval({})", queue(dice), place(dice, owns), variable(dice)),
        5..=8 => format!("{}!{kind},{one},{other}", queue(dice)),
        9 => format!("nfull(d) -> d!{kind},{one},{other}"),
        10 => format!("d?{kind},{}", two(dice, owns)),
        11 => {
            let (queue, place) = (queue(dice), place(dice, owns));
            format!("nfull(d) -> d!{kind},{one},{other}; {queue}?_,{place},_; d?_,{}", two(dice, owns))
        }
        12 => ["v!x,p", "v?y,o", "v?eval(x),o", "v!k,o", "v!i,q"][dice.below(5)].into(),
        _ => format!("if :: o?{kind},{} :: o!{kind},{one},{other} fi", two(dice, owns)),
    }
}

/// What looks at values, or assigns them.
fn look(dice: &mut SplitMix, owns: bool) -> String {
    let kind = ["ask", "ask", "tell"][dice.below(3)];
    let number = dice.below(3);
    let [one, other] = [(); 2].map(|()| value(dice, owns));
    let place = place(dice, owns);
    match dice.below(8) {
        0 => format!("if :: {one} == {number} :: else -> {place} = {number} fi"),
        1 => format!("if :: {one} == {other} -> {}!{kind},{},0 :: else fi", queue(dice), variable(dice)),
        2 => format!("{place} = {one}"),
        3 => format!("{place} = {number}"),
        4 => format!("i = ({one} < 3 -> {other} : 0)"),
        5 => {
            let [one, two, three] = [(); 3].map(|()| element(dice, owns));
            format!("if :: {one} == {number} -> {two} = 1 :: {three} != {number} fi")
        }
        6 => {
            let queue = queue(dice);
            format!("if :: d?[{kind},{number},_] -> {place} = 2 :: {queue}?<_,{}> fi", two(dice, owns))
        }
        _ => format!("{place} = {one} + 1"),
    }
}
