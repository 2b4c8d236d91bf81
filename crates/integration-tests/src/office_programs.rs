//! Random small programs whose processes look up in a table where something is sent: letters are
//! sent on to where the table says, and so the tables of all offices together decide whether that
//! comes to an end.

use std::fmt::Write as _;

use crate::offers::Dice;

/// The program that a number stands for.
///
/// # Panics
/// Never: a string takes all.
#[must_use]
pub fn office_program(seed: u64) -> String {
    let mut dice = Dice::new(seed);
    let tenants = if dice.once_in(8) { 9 } else { 2 + dice.below(2) };
    let mut text = String::from("chan letters[2] = [2] of { byte };\nchan home = [1] of { byte };\n");
    text += "chan told[2] = [0] of { byte, byte };\n";
    text += &dice.beside("home");
    text += &office(&mut dice, tenants);
    let drawn: Vec<String> = (0..tenants.min(3)).map(|who| format!(":: who = {who}")).collect();
    let first = dice.below(2);
    let letter = dice.offer(&format!("letters[{first}]"), "who");
    let drawn = drawn.join(" ");
    let post = match dice.below(6) {
        0 => format!("if {drawn} fi; {letter}; letters[{}]!who", 1 - first),
        1 => format!("do :: if {drawn} fi; {letter}; home?_ od"),
        2 => format!("if {drawn} fi; {letter}; if {drawn} fi; {letter}"),
        _ => format!("if {drawn} fi; {letter}"),
    };
    writeln!(text, "active proctype Sender() {{ byte who; {post} }}").expect("a string takes all");
    if dice.once_in(4) {
        let (who, town) = (dice.below(tenants), dice.below(2));
        writeln!(
            text,
            "active proctype Mover() {{ told[{town}]!{who},{town}; told[{}]!{who},{town} }}",
            1 - town
        )
        .expect("a string takes all");
    }
    text + "init { atomic { run Office(0); run Office(1) } }\n"
}

/// A process type that sends letters on.
fn office(dice: &mut Dice, tenants: usize) -> String {
    let mut text = format!("proctype Office(byte town) {{ byte lives[{tenants}]; byte who, here;\n");
    for who in 0..tenants {
        let lives = dice.below(2);
        match dice.below(20) {
            // Each office says that it is the other one, or both say that it is they.
            0 => writeln!(
                text,
                "if :: town == 0 -> lives[{who}] = {lives} :: town == 1 -> lives[{who}] = {} fi;",
                1 - lives
            ),
            1 => writeln!(text, "if :: lives[{who}] = {lives} :: lives[{who}] = {} fi;", 1 - lives),
            _ => writeln!(text, "lives[{who}] = {lives};"),
        }
        .expect("a string takes all");
    }
    let here = dice.mostly(
        "skip",
        2,
        &[
            "home!who",
            "if :: home!who :: full(home) -> skip fi",
            "home!who; home!who",
            "if :: home!who :: else -> err!1 fi",
        ],
    );
    let to = dice.mostly("letters[1 - town]", 4, &["letters[lives[who]]"]);
    let on = dice.offer(to, "who");
    let on = if dice.once_in(3) { format!("{on}; {to}!who") } else { on };
    let on = if dice.once_in(6) { format!("{on}; home!who") } else { on };
    let away = dice.mostly("lives[who] != town", 8, &["else", "lives[who] == 1 - town"]);
    let mut more = dice.mostly("", 5, &[":: told[town]?who,here -> lives[who] = here\n"]).to_owned();
    more += dice.mostly("", 12, &[":: lives[0] = town\n", ":: lives[1] = 1\n", ":: home?who\n"]);
    writeln!(
        text,
        "do\n:: letters[town]?who -> if :: lives[who] == town -> {here} :: {away} -> {on} fi\n{more}od }}"
    )
    .expect("a string takes all");
    text
}
