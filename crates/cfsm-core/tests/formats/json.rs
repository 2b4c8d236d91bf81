//! Our own JSON.

use cfsm_core::formats::{Format, write};
use cfsm_core::system::{System, SystemBuilder};

use super::lines;

fn pair() -> System {
    let mut b = SystemBuilder::new("pair");
    let m = b.message("q", "m");
    b.class("P", 1).send("0", m, "1");
    b.class("Q", 1).receive("0", m, "1");
    b.build().unwrap()
}

#[test]
fn a_system_comes_back_as_it_was() {
    let text = write(Format::Json, &pair()).unwrap();
    assert_eq!(super::system(Format::Json, &text), pair());
}

#[test]
fn errors_have_a_place() {
    let text = write(Format::Json, &pair()).unwrap();
    let dangling =
        text.replace("\"message\": 0", "\"message\": 7").replace("\"name\": \"Q\"", "\"name\": \"P\"");
    let cases = [
        lines(Format::Json, &dangling),
        lines(Format::Json, &text.replace("\"target\": 1", "\"target\": 2")),
        lines(Format::Json, &text.replace("\"name\": \"Q\"", "\"name\": \"P\"")),
        lines(Format::Json, &text.replace("system/1", "system/9")),
        lines(Format::Json, &text.replace("\"instances\"", "\"instancez\"")),
        lines(Format::Json, &text[..text.len() / 2]),
        lines(Format::Json, "[1]"),
        lines(Format::Json, ""),
    ];
    insta::assert_snapshot!(cases.concat().join("\n"));
}
