//! Random small programs that count up and down near the ends of types, often without a guard, in
//! scalars and in elements of arrays.

use std::fmt::Write as _;

use cfsm_core::splitmix::SplitMix;

/// The program that a number stands for.
///
/// # Panics
/// Never: a string takes all.
#[must_use]
pub fn wrapping_program(seed: u64) -> String {
    let mut dice = SplitMix::new(seed);
    let types =
        [("byte", 253), ("short", 32_765), ("short", -32_766), ("int", 2_147_483_645), ("unsigned", 5)];
    let mut text = String::new();
    for name in ["x", "y"] {
        let (ty, far) = types[dice.below(types.len())];
        let width = if ty == "unsigned" { " : 3" } else { "" };
        let first = if dice.below(2) == 0 { far } else { 0 } + i64::try_from(dice.below(3)).expect("few");
        writeln!(text, "{ty} {name}{width} = {first};").expect("a string takes all");
    }
    let cells: &[&str] = if dice.below(2) == 0 {
        &["x", "y"]
    } else {
        let (ty, far) = [("byte", 254), ("short", 32_766), ("bit", 1)][dice.below(3)];
        let first = [far, 1, 3];
        let (one, two) = (first[dice.below(3)], first[dice.below(3)]);
        writeln!(text, "{ty} a[2] = {{ {one}, {two} }};").expect("a string takes all");
        text += "byte i; chan c = [1] of { short };\n";
        &["x", "a[0]", "a[1]", "a[i]", "a[i]", "a[1 - i]", "a[a[0]]"]
    };
    for process in 0..=dice.below(2) {
        writeln!(text, "active proctype P{process}() {{").expect("a string takes all");
        if cells.len() > 2 && dice.below(2) == 0 {
            text += ["if :: i = 1 :: i = 0 fi; a[i] = a[i] + 1;\n", "if :: i = 1 :: i = 0 fi; a[i]--;\n"]
                [dice.below(2)];
        }
        text += "do\n";
        if cells.len() > 2 {
            let more = [":: i = 1 - i", ":: nempty(c) -> c?a[i]", ":: empty(c) -> c!x"];
            writeln!(text, "{}", more[dice.below(more.len())]).expect("a string takes all");
        }
        for _ in 0..=dice.below(3) {
            let (one, other) = (cells[dice.below(cells.len())], cells[dice.below(cells.len())]);
            let (few, bound) = (dice.below(4), [0, 1, 6, 254, 32_766][dice.below(5)]);
            let guard = [String::new(), format!("{one} < {bound} -> "), format!("{one} > {bound} -> ")];
            let step = [
                format!("{one}++"),
                format!("{one}--"),
                format!("{one} = {one} + {few}"),
                format!("{one} = {few} + {one}"),
                format!("{one} = {one} - {few}"),
                format!("{one} = {one} + {other}"),
                format!("{one} = {one} - {other}"),
                format!("{one} = {other} + {few}"),
                format!("{one} = {other} - {few}"),
                format!("{one} = {few}"),
            ];
            let guard = &guard[dice.below(guard.len())];
            writeln!(text, ":: {guard}{}", step[dice.below(step.len())]).expect("a string takes all");
        }
        text += "od }\n";
    }
    text
}
