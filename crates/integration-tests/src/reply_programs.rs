//! Random small programs with a reply channel for each client, in an array: servers mostly answer
//! whoever asked, and now and then somebody else, or once too often.

use std::fmt::Write as _;

use crate::offers::Dice;

/// The program that a number stands for. Requests are in `ask`, replies in `reply[0]` and on.
///
/// # Panics
/// Never: a string takes all.
#[must_use]
pub fn reply_program(seed: u64) -> String {
    let mut dice = Dice::new(seed);
    let clients = 2 + dice.below(2);
    let mut text = format!("#define N {clients}\nchan ask = [{}] of {{ byte }};\n", 1 + dice.below(3));
    writeln!(text, "chan reply[N] = [{}] of {{ byte }};", 1 + dice.below(2)).expect("a string takes all");
    let shared = dice.once_in(8);
    if shared {
        text += "byte who;\n";
    }
    let who = if shared { "who" } else { "i" };
    text += &server(&mut dice, who);
    text += &client(&mut dice, clients);
    text
}

/// A change of the number of the client between its request and the reply.
fn change(dice: &mut Dice, who: &str) -> String {
    match dice.below(6) {
        0 => format!("{who} = ({who} + 1) % N"),
        1 => format!("{who} = 0"),
        2 => format!("if :: {who} = N - 1 :: skip fi"),
        3 => format!("if :: {who} == 0 -> {who} = 1 :: else fi"),
        4 => format!("do :: {who} > 0 -> {who}-- :: else -> break od"),
        _ => format!("{who} = j; j = {who}"),
    }
}

fn server(dice: &mut Dice, who: &str) -> String {
    let ty = dice.one_of(&["byte", "byte", "short", "int", "unsigned", "pid"]);
    let several = dice.mostly("", 6, &["[2] "]);
    let place = dice.mostly(who, 8, &["j", "N - 1 - i", "(i + 1) % N", "0", "i % 2"]);
    let between = if dice.once_in(5) { change(dice, who) + "; " } else { String::new() };
    let remember = dice.mostly("", 5, &["j = i; ", "j = 0; "]);
    let send = format!("reply[{place}]!1");
    let send = match dice.below(12) {
        0 => format!("{send}; {send}"),
        1 => format!("if :: {send} :: skip fi"),
        2 => format!("if :: {send} :: reply[j]!2 fi"),
        3 => format!("nfull(reply[{place}]) -> {send}"),
        4 => format!("atomic {{ {send}; j = {who} }}"),
        _ => send,
    };
    let more = dice.mostly(
        "",
        6,
        &[
            ":: reply[j]?_ -> skip\n",
            ":: j < N - 1 -> j++\n",
            ":: ask?j -> reply[j]!3\n",
            ":: j > 0 -> reply[j]!1; j--\n",
        ],
    );
    let declaration = if ty == "unsigned" { "unsigned i : 2, j : 2" } else { &format!("{ty} i, j") };
    format!(
        "active {several}proctype Server() {{ {declaration};\ndo\n:: ask?{who} -> {remember}{between}{send}\n{more}od }}\n"
    )
}

fn client(dice: &mut Dice, clients: usize) -> String {
    let own = dice.mostly("me", 8, &["(me + 1) % N", "0"]);
    let waits = dice.mostly("reply[me]?_", 7, &["reply[me]?1", "reply[me]??1", "reply[0]?_", "skip"]);
    let round = match dice.below(9) {
        0 => format!("ask!{own}; ask!{own}; {waits}"),
        1 => format!("ask!{own}; {waits}; {waits}"),
        2 => format!("if :: ask!{own} -> {waits} :: {waits} fi"),
        3 => format!("ask!{own}; if :: {waits} :: timeout -> skip fi"),
        _ => format!("ask!{own}; {waits}"),
    };
    let more = dice.mostly("", 8, &[":: me < N - 1 -> me++\n", ":: reply[me]?_ -> skip\n", ":: break\n"]);
    let body = format!("do\n:: {round}\n{more}od");
    match dice.below(3) {
        // The first process is the server.
        0 => format!(
            "active [N] proctype Client() {{ byte me = _pid - 1;\n{}{body} }}\n",
            if dice.once_in(6) { "me = me % N;\n" } else { "me < N;\n" }
        ),
        1 => format!("proctype Client(byte me) {{\n{body} }}\ninit {{ atomic {{ {} }} }}\n", runs(clients)),
        _ => format!(
            "proctype Client(byte me) {{\n{body} }}\ninit {{ byte n;\ndo :: n < N -> run Client(n); n++ :: else -> break od }}\n"
        ),
    }
}

fn runs(clients: usize) -> String {
    (0..clients).map(|number| format!("run Client({number})")).collect::<Vec<_>>().join("; ")
}
