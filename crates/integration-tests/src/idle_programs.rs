//! Random small programs in which data go many ways, and few of them decide anything.

use std::fmt::Write as _;

use cfsm_core::splitmix::SplitMix;

/// What is written and read.
const PLACES: [&str; 8] = ["x", "y", "i", "a[i]", "a[1]", "g", "h[i]", "h[0]"];

/// The program that a number stands for: no process goes round.
///
/// # Panics
/// Never: a string takes all.
#[must_use]
pub fn idle_program(seed: u64) -> String {
    let mut dice = SplitMix::new(seed);
    let mut text = "mtype = { m, n };
byte g, h[2]; chan c = [2] of { mtype, byte, byte }; chan e[2] = [2] of { byte, byte }; chan d = [9] of { bit };
chan o;
proctype Q(byte x; byte y) { byte i = y; byte a[2]; if :: x == 1 -> d!1 :: i == 1 -> d!0 :: else fi; a[i] = 1 }
proctype S(byte x) { chan s = [2] of { byte, byte }; byte i, a[2]; if :: x == 0 -> o = s :: else fi;
  s?i,_; if :: i == x -> d!1 :: else fi }
proctype T(bit b) { run V(b) }
proctype V(chan v) { v!2,3 }
"
    .to_owned();
    for process in 0..=dice.below(2) {
        writeln!(text, "active proctype P{process}() {{ byte x, y, i, a[2]; mtype k;")
            .expect("a string takes all");
        for _ in 0..4 + dice.below(8) {
            let statement = statement(&mut dice);
            writeln!(text, "  {statement};").expect("a string takes all");
        }
        text += "}\n";
    }
    text
}

fn statement(dice: &mut SplitMix) -> String {
    let mut place = || PLACES[dice.below(PLACES.len())];
    let (one, two, three) = (place(), place(), place());
    // No statement receives two fields into one variable.
    let other = if one == two { "_" } else { two };
    let index = if one == "i" { "_" } else { one };
    let few = dice.below(3);
    match dice.below(25) {
        0..3 => format!("{one} = {few}"),
        3..5 => format!("{one} = {two}"),
        5 => format!("{one} = ({two} + {three}) % 2"),
        6 => format!("{one} = ({two} == {few} || 2 / {three} > 1)"),
        7 => format!("{one} = ({two} > 0 -> {three} : {few})"),
        8 => format!("c!m({two},{three})"),
        9 => format!("c!n({two},{few})"),
        10 => format!("k = m; c!k({few},{three})"),
        11 => format!("if :: c?m({one},{other}) :: c?n(_,{three}) fi"),
        12 => format!("if :: c?k({one},{other}) :: empty(c) fi"),
        13 => format!("e[1]!{one},{few}"),
        14 => format!("e[0]!!{few},{two}"),
        15 => format!("if :: e[i]?{one},{other} :: empty(e[0]) fi"),
        16 => format!("if :: e[1]?i,{index} :: nempty(e[0]) -> e[0]?{few},{two} :: empty(e[1]) fi"),
        17 => "if :: c?m(i,a[i]) :: c?n(i,h[i]) :: empty(c) fi".to_owned(),
        18 => format!("run Q({one},{two})"),
        19 => format!("run S({one})"),
        20 => format!("if :: o != 0 -> o!{few},{two} :: else fi"),
        21 => format!("run S({few}); _nr_pr < 3; run S({one})"),
        22 => format!("run T(e[{few} % 2])"),
        23 => format!("if :: {one} == {few} -> d!1 :: else fi"),
        _ => format!("if :: c?[m,_,{few}] -> d!0; {one} = {two} :: else -> printf(\"%d\", {three}) fi"),
    }
}
