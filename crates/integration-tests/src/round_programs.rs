//! Random small programs in which a process compares a number that it receives with its own count
//! of rounds, which are the same as long as no message is lost: what comes of a difference nobody
//! takes away.

use crate::offers::Dice;

/// The program that a number stands for.
#[must_use]
pub fn round_program(seed: u64) -> String {
    let mut dice = Dice::new(seed);
    let rounds = 2 + dice.below(3);
    let is_answered = dice.below(3) > 0;
    let mut text = String::from("mtype = { word, end };\nchan q = [2] of { mtype, byte };\n");
    text += "chan coins = [1] of { byte };\nchan waste = [1] of { byte };\nbyte g;\n";
    text += &dice.beside("q");
    let several = dice.mostly("", 30, &["[2] "]);
    let sender = sender(&mut dice, rounds, is_answered);
    text += &format!("active {several}proctype S() {{ byte n, x;\ndo\n{sender}od }}\n");
    let initial = dice.mostly("", 20, &[" = 1"]);
    let receiver = receiver(&mut dice, rounds, is_answered);
    text += &format!("active proctype R() {{ byte r{initial}, got;\ndo\n{receiver}od }}\n");
    text += dice.mostly(
        "",
        4,
        &[
            "active proctype O() { do :: g = 1 - g od }\n",
            "active proctype O() { do :: waste?_ od }\n",
            "active proctype O() { waste?_ }\n",
            "active proctype O() { q!word(1) }\n",
            "active proctype O() { byte x; q?word(x) }\n",
            "active proctype O() { byte x; nfull(q) -> q!end(x) }\n",
        ],
    );
    text
}

/// What a sender does in a round.
fn sender(dice: &mut Dice, rounds: usize, is_answered: bool) -> String {
    let answer = if is_answered { "; coins?_" } else { "" };
    let told = dice.mostly("n", 8, &["x", "0"]);
    let copied = if told == "x" { dice.mostly("x = n; ", 5, &[""]) } else { "" };
    let word = dice.offer("q", &format!("word({told})"));
    let last = ["n", "n", "0"][dice.below(3)];
    let counted = format!("n = (n + 1) % {rounds}");
    let end = match dice.below(12) {
        0 => format!("if :: q!end({last}) -> {counted} :: else -> err!1 fi"),
        1 => format!("if :: q!end({last}) -> {counted} :: full(q) -> skip fi"),
        2 => format!("if :: q!end({last}) :: else -> skip fi; {counted}"),
        3 => format!("atomic {{ nfull(q) -> q!end({last}); {counted} }}"),
        4 => format!("{counted}; q!end({last})"),
        5 => format!("q!end({last}); n = n"),
        _ => format!("q!end({last}); {counted}"),
    };
    let more = dice.mostly("", 6, &[":: g = 1 - g\n", ":: x = n\n", ":: n = 0\n", ":: full(q) -> g = 0\n"]);
    format!(":: {copied}{word}{answer}\n:: {end}{answer}\n{more}")
}

/// What a receiver does in a round.
fn receiver(dice: &mut Dice, rounds: usize, is_answered: bool) -> String {
    let answer = if is_answered {
        format!(
            "; {}",
            dice.mostly(
                "coins!1",
                6,
                &["nfull(coins) -> coins!1", "coins!1; coins!1", "if :: coins!1 :: else -> err!1 fi"]
            )
        )
    } else {
        String::new()
    };
    let wasted = dice.offer("waste", "got");
    let wasted = if dice.once_in(4) { format!("{wasted}; waste!got") } else { wasted };
    let asked = match dice.below(8) {
        0 => format!("if :: got == r :: else -> {wasted} fi"),
        1 => format!("if :: got > r -> {wasted} :: got <= r fi"),
        2 => format!("if :: got != r -> {wasted} :: got == r fi"),
        _ => format!("if :: got != r -> {wasted} :: else fi"),
    };
    let received =
        dice.mostly("q?word(got)", 12, &["q??word(got)", "q?<word(got)>", "nempty(q) -> q?word(got)"]);
    let end = dice.mostly("q?end(got)", 10, &["q?end(_)", "q??end(got)", "q?end(r)"]);
    let rounds = if dice.once_in(10) { rounds + 1 } else { rounds };
    let by = if dice.once_in(16) { 2 } else { 1 };
    format!(":: {received} -> {asked}{answer}\n:: {end} -> r = (r + {by}) % {rounds}{answer}\n")
}
