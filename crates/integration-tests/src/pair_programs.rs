//! Random small programs in which a process compares what it receives with what it has counted
//! itself: numbers of rounds that the sender counts too, which are equal, or seem to be. Some of
//! what it receives it has sent itself.

use std::fmt::Write as _;

use cfsm_core::splitmix::SplitMix;

/// The program that a number stands for.
///
/// # Panics
/// Never: a string takes all.
#[must_use]
pub fn pair_program(seed: u64) -> String {
    let mut dice = SplitMix::new(seed);
    let rounds = 2 + dice.below(3);
    let senders = 1 + dice.below(2);
    let capacity = 1 + dice.below(2);
    let mut text = format!("chan q = [{capacity}] of {{ byte, byte, byte }};\n");
    text += "chan other = [1] of { byte, byte, byte };\n";
    writeln!(text, "chan back = [{}] of {{ byte }};\nbyte g;", dice.below(3)).expect("a string takes all");
    for own in 0..senders {
        text += &sender(&mut dice, own, rounds);
    }
    text += &receiver(&mut dice, rounds);
    if dice.below(8) == 0 {
        text += "active proctype O() { do :: q!0,0,1 :: g = 1 - g od }\n";
    }
    text
}

/// A process that sends.
fn sender(dice: &mut SplitMix, own: usize, rounds: usize) -> String {
    let count = ["", "[2] "][usize::from(dice.below(30) == 0)];
    let initial = ["", "", "", " = 1"][dice.below(4)];
    let mut text = format!("active {count}proctype S{own}() {{\nbyte n{initial}, x;\ndo\n");
    for _ in 0..1 + dice.below(3) {
        let steps: Vec<String> = (0..=dice.below(3)).map(|_| sending(dice, own, rounds)).collect();
        writeln!(text, ":: {}", held(dice, &steps.join("; "))).expect("a string takes all");
    }
    text + "od }\n"
}

/// A process that receives, and perhaps creates others in the end, as many as a variable says that
/// it has used before.
fn receiver(dice: &mut SplitMix, rounds: usize) -> String {
    let count = ["", "[2] "][usize::from(dice.below(12) == 0)];
    let initial = ["", "", "", " = 1"][dice.below(4)];
    let mut text =
        format!("active {count}proctype R() {{\nbyte r[2], s{initial}, who, got, x; chan c = q;\ndo\n");
    for kind in 0..2 {
        let queue = ["q", "q", "q", "c"][dice.below(4)];
        let random = if dice.below(20) == 0 { "??" } else { "?" };
        let (open, close) = if dice.below(20) == 0 { ("<", ">") } else { ("", "") };
        let what = [format!("{kind}"), "x".into()][usize::from(dice.below(6) == 0)].clone();
        let counter = ["r[who]", "r[who]", "r[who]", "s", "r[0]", "g"][dice.below(6)];
        let (same, other) = (taking(dice, counter, rounds), taking(dice, counter, rounds));
        let second = if dice.below(2) == 0 { "else".into() } else { format!("got == {counter}") };
        let asked = format!("if :: got != {counter} -> {other} :: {second} -> {same} fi");
        let body = format!("{queue}{random}{open}{what},who,got{close} -> {asked}");
        writeln!(text, ":: {}", held(dice, &body)).expect("a string takes all");
    }
    for _ in 0..dice.below(3) {
        writeln!(text, ":: {}", taking(dice, "s", rounds)).expect("a string takes all");
    }
    if dice.below(4) == 0 {
        let told = ["0", "s", "r[0]", "got"][dice.below(4)];
        writeln!(text, ":: q!{},{},{told}", dice.below(3), dice.below(3)).expect("a string takes all");
    }
    match dice.below(8) {
        0 => text += ":: c = other\n:: c = q\n",
        1 => {
            return text
                + ":: break\nod;\ndo :: x < 3 -> run P(); x++ :: else -> break od }\nproctype P() { skip }\n";
        }
        2 => return text + "od unless { g == 1 -> q?x,who,got } }\n",
        _ => {}
    }
    text + "od }\n"
}

/// Statements that nobody comes between, perhaps.
fn held(dice: &mut SplitMix, statements: &str) -> String {
    if dice.below(8) == 0 { format!("atomic {{ {statements} }}") } else { statements.to_owned() }
}

/// A statement of a sender.
fn sending(dice: &mut SplitMix, own: usize, rounds: usize) -> String {
    match dice.below(24) {
        0..=4 => format!("q!0,{own},n"),
        16..=23 | 5 | 6 => format!("q!1,{own},n; n = (n + 1) % {rounds}"),
        7 => format!("n = (n + 1) % {rounds}; q!1,{own},n"),
        8 => "back?x".into(),
        9 => "back?n".into(),
        10 => format!("q!1,{},n", 1 - own),
        11 => "n = x".into(),
        12 => "g = n".into(),
        13 => format!("n == {} -> q!0,{own},0; n = 0", dice.below(rounds)),
        14 => format!("q!!1,{own},n"),
        _ => format!("if :: n > 0 :: else -> q!0,{own},n fi"),
    }
}

/// A statement of a receiver.
fn taking(dice: &mut SplitMix, counter: &str, rounds: usize) -> String {
    match dice.below(16) {
        0..=8 => format!("{counter} = ({counter} + 1) % {rounds}"),
        9 => "skip".into(),
        10 => "r[x] = s; x = 1 - x".into(),
        11 => format!("x = {} + s - got", dice.below(3)),
        12 => "back!got".into(),
        13 => "s = got".into(),
        14 => "r[who] = got".into(),
        _ => format!("back!s; s = (s + 1) % {rounds}"),
    }
}
