//! Random small programs in which the order of messages decides, or where processes are in the long
//! run: calculations that two processes have agreed on, notices behind letters, and tickets without
//! which nobody gets from one loop to another.

use crate::offers::Dice;

/// The program that a number stands for.
#[must_use]
pub fn agreement_program(seed: u64) -> String {
    let mut dice = Dice::new(seed);
    match dice.below(3) {
        0 => calculations(&mut dice),
        1 => notices(&mut dice),
        _ => tickets(&mut dice),
    }
}

/// So many times the same statement, or, once in so many times, one more or one less.
fn times(dice: &mut Dice, number: usize, statement: &str, mistakes: usize) -> String {
    let number = match dice.below(2 * mistakes) {
        0 => number + 1,
        1 if number > 1 => number - 1,
        _ => number,
    };
    vec![statement.to_owned(); number].join("; ")
}

/// A user and a calculator that agree how many operands a calculation has.
fn calculations(dice: &mut Dice) -> String {
    let numbers = [1, 2 + dice.below(2)];
    let mut text = String::from("mtype = { one, many, operand, result, again };\n");
    text += "chan asked = [4] of { mtype };\nchan answers = [4] of { mtype };\n";
    text += &dice.beside("asked");
    let mistakes = 8;
    let mut user = [String::new(), String::new()];
    let mut calculator = user.clone();
    for (at, number) in numbers.into_iter().enumerate() {
        let first = dice.offer("asked", "operand");
        let sent = times(dice, number, "asked!operand", mistakes);
        user[at] = if number == 1 { first } else { sent };
        calculator[at] = times(dice, number, "asked?operand", mistakes);
    }
    let [one, many] = user;
    let result = dice.offer("answers", "result");
    let again = dice.mostly(
        "answers!again",
        5,
        &["nfull(answers) -> answers!again", "if :: answers!again :: else -> answers!again fi"],
    );
    let got = dice.mostly("answers?result", 8, &["nempty(answers) -> answers?result", "skip"]);
    text += &format!(
        "active proctype User() {{
choose: if :: asked!one -> goto single :: asked!many -> goto several fi;
single: if :: {one}; {got}; goto single :: answers?again -> goto choose fi;
several: if :: {many}; {got}; goto several :: answers?again -> goto choose fi }}\n"
    );
    let [one, many] = calculator;
    let back = dice.mostly("goto ready", 12, &["goto single", "goto several"]);
    text + &format!(
        "active proctype Calculator() {{
ready: if :: asked?one -> goto single :: asked?many -> goto several fi;
single: if :: {one} -> {result}; goto single :: {again} -> goto ready fi;
several: if :: {many} -> {result}; goto several :: {again} -> {back} fi }}\n"
    )
}

/// Letters with notices behind them; who reads a notice mostly stops.
fn notices(dice: &mut Dice) -> String {
    let mut text = String::from("mtype = { letter, notice };\nchan post = [3] of { mtype };\n");
    text += "chan slips = [1] of { byte };\n";
    text += &dice.beside("post");
    let letters = times(dice, 1, "post!letter", 4);
    let letter = if dice.once_in(2) { dice.offer("post", "letter") } else { letters };
    let notice = dice.offer("post", "notice");
    let slip = dice.mostly("slips?_", 8, &["nempty(slips) -> slips?_", "skip"]);
    let row = match dice.below(8) {
        0 => format!("{notice}; {letter}; {slip}"),
        1 => format!("{letter}; {slip}; {notice}"),
        2 => format!("{letter}; {slip}"),
        _ => format!("{letter}; {notice}; {slip}"),
    };
    text += &format!("active proctype Sender() {{ do :: {row} od }}\n");
    let read = dice.offer("slips", "0");
    let read = if dice.once_in(5) { format!("{read}; slips!1") } else { read };
    let stops = dice.mostly("break", 4, &["skip", "goto reads", "post?notice; break", "slips!0; break"]);
    let taken = dice.mostly("post?letter", 14, &["post??letter", "post?<letter>; post?_"]);
    text += &format!(
        "active proctype Reader() {{\nreads: do\n:: {taken} -> {read}\n:: post?notice -> {stops}\nod }}\n"
    );
    text + dice.mostly(
        "",
        10,
        &["active proctype Other() { post?notice }\n", "active proctype Other() { do :: post?notice od }\n"],
    )
}

/// A trader who gains in one loop what he needs in another, and needs a ticket to get from one to
/// the other.
fn tickets(dice: &mut Dice) -> String {
    let count = 1 + dice.below(3);
    let mut text = String::from("chan orders = [4] of { bit };\nchan goods = [4] of { bit };\n");
    text += "chan tickets = [3] of { bit };\n";
    text += &dice.beside("goods");
    let ticket = dice.offer("tickets", "0");
    let given = vec!["tickets!0"; count].join("; ");
    let mistake = dice.mostly("", 8, &["; do :: tickets!0 od", "; do :: goods?_ od"]);
    text += &format!("active proctype Office() {{ goods!0; {given}; {ticket}{mistake} }}\n");
    let goods = dice.offer("goods", "0");
    let gain = 1 + dice.below(3);
    let orders = vec!["orders!0"; gain].join("; ");
    let there =
        dice.mostly("tickets?_ -> goto shop", 10, &["goto shop", "tickets?_ -> tickets!0; goto shop"]);
    let back = dice.mostly(
        "tickets?_ -> goto works",
        10,
        &["goods?_ -> goto works", "orders?_; tickets?_ -> goto works"],
    );
    let inn = dice.once_in(2);
    let to_inn = if inn { ":: tickets?_ -> goto inn\n" } else { "" };
    let mut trader = format!("works: if\n:: orders?_ -> {goods}; goto works\n:: {there}\n{to_inn}fi;\n");
    if inn {
        trader += &format!("inn: if\n:: {back}\n:: {there}\nfi;\n");
    }
    trader += &format!("shop: if\n:: goods?_ -> {orders}; goto shop\n:: {back}\nfi\n");
    text + &format!("active proctype Trader() {{\ngoto shop;\n{trader}}}\n")
}
