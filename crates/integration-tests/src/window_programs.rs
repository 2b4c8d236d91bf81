//! Random small programs with windows: how many messages are on their way is counted without a
//! guard on one side, between queues that have their own numbers of places.

use std::fmt::Write as _;

use crate::offers::Dice;

/// The program that a number stands for.
///
/// # Panics
/// Never: a string takes all.
#[must_use]
pub fn window_program(seed: u64) -> String {
    let mut dice = Dice::new(seed);
    let mut text = String::from("chan q = [2] of { byte };\nchan r = [2] of { byte };\n");
    text += &dice.beside("q");
    let window = 1 + dice.below(4);
    let ty = dice.one_of(&["byte", "byte", "short", "int"]);
    let rises = dice.below(3) > 0;
    let first = if rises { 0 } else { window };
    let first = if dice.once_in(12) { first + 1 } else { first };
    let (guard, taken, given) =
        if rises { (format!("n < {window}"), "n++", "n--") } else { ("n > 0".to_owned(), "n--", "n++") };
    let sent = match dice.below(9) {
        0 => format!("if :: q!1 -> {taken} :: else -> skip fi"),
        1 => format!("if :: q!1 -> {taken} :: full(q) -> skip fi"),
        2 => format!("if :: q!1 :: else -> skip fi; {taken}"),
        3 => format!("{taken}; {}", dice.offer("q", "1")),
        4 => format!("atomic {{ {}; {taken} }}", dice.offer("q", "1")),
        5 => format!("q!1; q!1; {taken}; {taken}"),
        _ => format!("{}; {taken}", dice.offer("q", "1")),
    };
    let given = dice.mostly(given, 10, &["n = 0", "skip", "n--; n--", "n = n - a"]);
    let back = dice.mostly("r?a", 10, &["r?1", "nempty(r) -> r?a", "q?a"]);
    let more =
        dice.mostly("", 6, &[":: n == 0 -> skip\n", ":: n--\n", ":: r?a -> skip\n", ":: full(q) -> skip\n"]);
    writeln!(
        text,
        "active proctype Client() {{ {ty} n = {first}; byte a;\ndo\n:: {guard} -> {sent}\n:: {back} -> {given}\n{more}od }}"
    )
    .expect("a string takes all");
    let reply = dice.offer("r", "b");
    let reply = match dice.below(10) {
        0 => format!("{reply}; r!b"),
        1 => format!("if :: {reply} :: r!b; r!b fi"),
        _ => reply,
    };
    let several = dice.mostly("", 5, &["[2] "]);
    let more = dice.mostly("", 8, &[":: r?b -> q!b\n", ":: q?b -> skip\n"]);
    writeln!(text, "active {several}proctype Server() {{ byte b;\ndo\n:: q?b -> {reply}\n{more}od }}")
        .expect("a string takes all");
    text
}
