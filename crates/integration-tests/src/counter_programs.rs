//! Random small programs that count messages or processes, rightly or not quite: windows, credits,
//! pools and semaphores, whose counters are lowered or raised without a guard, before or behind
//! what they count, and now and then once too often.

use std::fmt::Write as _;

use cfsm_core::splitmix::SplitMix;

/// What draws a program.
struct Author {
    dice: SplitMix,
}

impl Author {
    fn one_of(&mut self, all: &[&'static str]) -> &'static str {
        all[self.dice.below(all.len())]
    }

    /// Mostly the one, now and then another.
    fn mostly(&mut self, one: &'static str, others: &[&'static str]) -> &'static str {
        if self.dice.below(7) > 0 { one } else { self.one_of(others) }
    }

    /// Two statements, one behind the other, or at once; now and then one of them only.
    fn both(&mut self, one: &str, other: &str) -> String {
        match self.mostly("both", &["one", "other"]) {
            "both" => match self.dice.below(3) {
                0 => format!("{one}; {other}"),
                1 => format!("{other}; {one}"),
                _ => format!("atomic {{ {one}; {other} }}"),
            },
            "one" => one.to_owned(),
            _ => other.to_owned(),
        }
    }
}

/// The program that a number stands for.
///
/// # Panics
/// Never: a string takes all.
#[must_use]
pub fn counter_program(seed: u64) -> String {
    let mut author = Author { dice: SplitMix::new(seed) };
    let rises = author.dice.below(3) > 0;
    let is_local = author.dice.below(2) == 0;
    let ty = author.one_of(&["byte n", "byte n", "short n", "int n", "unsigned n : 3"]);
    let first = if rises { author.mostly("0", &["1", "3"]) } else { author.one_of(&["1", "2", "4"]) };
    let declaration = format!("{ty} = {first};\n");
    let (outside, inside) = if is_local { ("", declaration.as_str()) } else { (declaration.as_str(), "") };
    let (guard, taken, given) = if rises {
        (author.one_of(&["n < 2", "n < 3", "n != 2", "n <= 3", "n < 2 && m < 9"]), "n++", "n--")
    } else {
        (author.mostly("n > 0", &["n >= 1", "n != 0", "n > 1"]), "n--", "n++")
    };
    let mut text = format!(
        "chan q = [2] of {{ byte }};\nchan r = [2] of {{ byte }};\n{outside}byte m = {};\nshort w;\n",
        author.dice.below(2)
    );
    text += "proctype Worker(byte job) { r!job }\n";
    let first = author.one_of(&["", "", "if :: w = 256 :: w = 2 fi;", "w = 257; if :: n = w :: n <= w fi;"]);
    let several = if is_local { "" } else { author.mostly("", &["[2] "]) };
    writeln!(text, "active {several}proctype Client() {{ {inside}byte a;\n  {first}\n  do")
        .expect("a string takes all");
    for _ in 0..=author.dice.below(2) {
        let work = author.one_of(&["q!1", "q!1", "q!2", "run Worker(1)", "r!1"]);
        let work = author.mostly(work, &["q!1; q!1", "m++"]);
        let taken = author.mostly(taken, &["n = n + 2", "n = n - a", "n = 1", "m++"]);
        let step = author.both(work, taken);
        writeln!(text, "  :: {} -> {step}", author.mostly(guard, &["true"])).expect("a string takes all");
    }
    let back = author.mostly("r?a", &["r?1", "r??2", "q?a"]);
    let given = author.mostly(given, &["n--; n--", "n++; n++", "n = n - a", "n = 0", "m = n; n--", "skip"]);
    writeln!(text, "  :: {back} -> {given}").expect("a string takes all");
    if author.dice.below(4) == 0 {
        let more = [
            "n > 0 -> n--",
            "r?a -> skip",
            "n = 0",
            "m++",
            "q?a -> n--",
            "m++ :: m == 0 -> n--",
            "n = w; n--",
        ];
        let more = author.one_of(&more);
        writeln!(text, "  :: {more}").expect("a string takes all");
    }
    text += "  od\n}\n";
    let servers = author.mostly("", &["[2] "]);
    let serve = author.mostly("q?b -> r!b", &["q?b -> r!b; r!b", "atomic { q?b -> r!b }", "q?b -> m++; r!b"]);
    let more = author.mostly("", &["  :: q?b -> skip\n", "  :: r?b -> q!b\n", "  :: m++\n"]);
    writeln!(text, "active {servers}proctype Server() {{ byte b;\n  do\n  :: {serve}\n{more}  od\n}}")
        .expect("a string takes all");
    text
}
