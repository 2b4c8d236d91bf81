//! Random small programs in which a process compares what it receives with what it has counted itself: numbers of rounds that the
//! sender counts too, which are equal, or seem to be.

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
    writeln!(text, "chan back = [{}] of {{ byte }};\nbyte g;", dice.below(3)).expect("a string takes all");
    for own in 0..senders {
        let count = ["", "[2] "][usize::from(dice.below(30) == 0)];
        writeln!(text, "active {count}proctype S{own}() {{\nbyte n, x;\ndo").expect("a string takes all");
        for _ in 0..1 + dice.below(3) {
            let steps: Vec<String> = (0..=dice.below(3)).map(|_| sending(&mut dice, own, rounds)).collect();
            writeln!(text, ":: {}", steps.join("; ")).expect("a string takes all");
        }
        text += "od }\n";
    }
    let count = ["", "[2] "][usize::from(dice.below(12) == 0)];
    writeln!(text, "active {count}proctype R() {{\nbyte r[2], s, who, got, x;\ndo")
        .expect("a string takes all");
    for kind in 0..2 {
        let receive = ["q?", "q?", "q?", "q?", "q??"][if dice.below(4) == 0 { dice.below(5) } else { 0 }];
        let (open, close) = if dice.below(20) == 0 { ("<", ">") } else { ("", "") };
        let what = [format!("{kind}"), "x".into()][usize::from(dice.below(6) == 0)].clone();
        let counter = ["r[who]", "r[who]", "r[who]", "s", "r[0]", "g"][dice.below(6)];
        let (same, other) = (taking(&mut dice, counter, rounds), taking(&mut dice, counter, rounds));
        let second = if dice.below(2) == 0 { "else".into() } else { format!("got == {counter}") };
        writeln!(
            text,
            ":: {receive}{open}{what},who,got{close} -> if :: got != {counter} -> {other} :: {second} -> {same} fi"
        )
        .expect("a string takes all");
    }
    for _ in 0..dice.below(3) {
        writeln!(text, ":: {}", taking(&mut dice, "s", rounds)).expect("a string takes all");
    }
    text += "od }\n";
    if dice.below(8) == 0 {
        text += "active proctype O() { do :: q!0,0,1 :: g = 1 - g od }\n";
    }
    text
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
    match dice.below(12) {
        0..=6 => format!("{counter} = ({counter} + 1) % {rounds}"),
        7 => "skip".into(),
        8 => "back!got".into(),
        9 => "s = got".into(),
        10 => "r[who] = got".into(),
        _ => format!("back!s; s = (s + 1) % {rounds}"),
    }
}
