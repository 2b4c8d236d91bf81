//! Random small programs that keep slots in tables: a mark and what goes with it, in two arrays at
//! one index, of which it is not known which one it is.

use std::fmt::Write as _;

use cfsm_core::splitmix::SplitMix;

/// The mark of a slot, and what goes with it: in records or not.
const SLOTS: &[[&str; 2]] = &[["r[i].u[j]", "r[i].k[j]"], ["u[i]", "k[i]"]];

/// The program that a number stands for.
///
/// # Panics
/// Never: a string takes all.
#[must_use]
pub fn slot_program(seed: u64) -> String {
    let mut dice = SplitMix::new(seed);
    let mut text = String::from(
        "typedef R { byte u[2]; byte k[2] }\nchan c = [2] of { byte, byte };\nchan d = [2] of { byte };\n",
    );
    for process in 0..=dice.below(2) {
        let count = ["", "[2] "][usize::from(dice.below(5) == 0)];
        let key = ["byte", "short", "bit"][dice.below(3)];
        writeln!(
            text,
            "active {count}proctype P{process}() {{\nR r[2]; byte u[2]; {key} k[2]; byte i, j, x;"
        )
        .expect("a string takes all");
        text += "do\n";
        for _ in 0..2 + dice.below(3) {
            let slot = SLOTS[usize::from(dice.below(3) == 0)];
            let steps: Vec<String> = (0..=dice.below(4)).map(|_| step(&mut dice, slot)).collect();
            let steps = steps.join("; ");
            let steps = if dice.below(5) == 0 { format!("atomic {{ {steps} }}") } else { steps };
            writeln!(text, ":: {steps}").expect("a string takes all");
        }
        text += ":: i = 1 - i\n:: j = 1 - j\n:: d!x\n:: d?i\nod }\n";
    }
    text
}

/// A statement about a slot, or about something that may be part of it.
fn step(dice: &mut SplitMix, [mark, key]: [&str; 2]) -> String {
    let (one, two) = (dice.below(2), dice.below(3));
    match dice.below(30) {
        0..=3 => format!("{mark} == {one}"),
        4 => format!("{mark} != {two}"),
        5..=7 => format!("{mark} = {one}"),
        8 | 9 => format!("{key} = {one}"),
        10 | 11 => format!("{key} = x"),
        12 | 13 => format!("x = {key}"),
        14 => format!("{mark} == {one} -> x = {key}; {mark} = {}", 1 - one),
        15 => format!("{mark} == 0 -> {mark} = 1; {key} = x; c!x,i"),
        16 => format!("{key} = ({key} + 1) % 3"),
        17 => format!("c?{key},i"),
        18 => format!("c?i,{mark}"),
        19 => "c?x,j".into(),
        20 => format!("r[j].u[i] = {one}; r[1].k[j] = {two}"),
        21 => format!("u[1 - i] = {one}; k[j] = {one}"),
        22 => format!("x = {two}"),
        // Several steps in a row: of a slot, of others in between, and of another one.
        23 | 24 => format!("{mark} == 0 -> {mark} = {one}; x = {two}; {key} = x"),
        25 => format!("{key} = x; {mark} = {one}; j = 1 - j; {key} = {two}"),
        27 => "u[j] == 1 -> k[j] = x; u[i] = 1; k[j] = 0; k[i] = x".into(),
        28 => format!("r[j].u[i] == {one} -> r[j].k[i] = x; {mark} = 1; r[j].u[i] = 1; {key} = {two}"),
        26 => format!("{mark} = {one}; u[j] = {one}; {key} = x; {mark} = {}", 1 - one),
        _ => "i = j".into(),
    }
}
