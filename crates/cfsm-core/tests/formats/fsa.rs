//! `.fsa` and `.fsm`.

use cfsm_core::formats::{Format, MOST_DIAGNOSTICS, Unwritable, write};

use super::{lines, system, told};

const PAIR: &str = ".outputs A\n.state graph\nq0 1 ! ask q1\nq1 1 ? yes q0\n.marking q0\n.end\n
.outputs B\n.state graph\n0 A ? ask 1\n1 A ! yes 0\n.marking 0\n.end\n";

#[test]
fn peers_are_positions_or_names() {
    let machines = ["A: q0; q0 A->B!ask q1, q1 B->A?yes q0", "B: 0; 0 A->B?ask 1, 1 B->A!yes 0"];
    assert_eq!(told(&system(Format::Fsa, PAIR)), machines);
    assert_eq!(lines(Format::Fsa, PAIR), [""; 0]);
    let system = system(Format::Fsa, PAIR);
    let origin = system.transitions.values().next().unwrap().origin.as_ref().unwrap();
    assert_eq!((origin.line, origin.text.as_str()), (3, "q0 1 ! ask q1"));
}

#[test]
fn what_does_not_matter_may_be_there_or_not() {
    let same = [
        PAIR.replace('\n', "\r\n"),
        PAIR.replace('\n', "\r"),
        PAIR.trim_end().to_owned(),
        format!("\u{feff}-- a comment\n\n--\n{PAIR}"),
        PAIR.replace("q0 1 ! ask q1", "\t  q0   1 !  ask   q1  -- sends\n/* over\n two lines */"),
        PAIR.replace("1 ! ask", "1!ask"),
        PAIR.replace(".marking q0", ".marking {q0}"),
        PAIR.replace(".outputs A\n", ".outputs A more\n.inputs\n.internals x\n"),
    ];
    for text in same {
        assert_eq!(told(&system(Format::Fsa, &text)), told(&system(Format::Fsa, PAIR)), "{text}");
        assert_eq!(lines(Format::Fsa, &text), [""; 0], "{text}");
    }
}

#[test]
fn machines_without_a_name_are_called_by_position() {
    let text = ".outputs\n.state graph\nqe1*qe2__ 1 ! <temp,m8> qe--\n.marking qe1*qe2__\n.end
.outputs \n.state graph\n.marking 0\n.end\n.state graph\n0 0 ? m < int > 1\n1 tau 2\n2 tau x 3\n3 0 tau y 4\n4 break 5\n.marking 0\n.end";
    let expected = [
        "0: qe1*qe2__; qe1*qe2__ 0->1!<temp,m8> qe--",
        "1: 0; ",
        "2: 0; 0 0->2?m<int> 1, 1 tau 2, 2 tau 3, 3 tau 4, 4 tau 5",
    ];
    assert_eq!(told(&system(Format::Fsa, text)), expected);
}

#[test]
fn all_errors_are_found() {
    let text = "q 0 ! a q\n.outputs A\n.state graph\nq0 1 > a q1\nq0 7 ! a q1\nq0 C ? a q1\n.final q1\n.end
.outputs A\n.state graph\n.marking\n.marking q0\n.marking q1\n.end\n.marking q\n.end\n.outputs 0\n.state graph\n.marking x";
    insta::assert_snapshot!(lines(Format::Fsa, text).join("\n"));
}

/// Valid texts that are probably not as intended.
#[test]
fn misspelt_names_are_warned_of() {
    let cases = [
        PAIR.replace(".marking q0", ".marking q9"),
        PAIR.replacen(".state graph", ".state grpah", 1),
        PAIR.replace("! ask q1", "! ask q1;"),
        PAIR.replace("! ask q1", "! ask q1 q2"),
        PAIR.replace("! yes", "! yse"),
        PAIR.replace("? yes q0", "? yes q0\nq8 1 ? no q9\nq9 1 ? no q8"),
        PAIR.replace("? yes q0", "? yes q0\nq8 tau q1"),
    ];
    let told: Vec<String> = cases
        .iter()
        .map(|text| {
            let told = lines(Format::Fsa, text);
            assert!(!told.is_empty(), "{text}");
            told.join("\n")
        })
        .collect();
    insta::assert_snapshot!(told.join("\n\n"));
}

#[test]
fn what_may_well_be_meant_is_not_warned_of() {
    let fine = [
        // A machine that does nothing, one that ends, and one that is never answered.
        format!("{PAIR}.outputs C\n.state graph\n.marking q0\n.end\n"),
        format!("{PAIR}.outputs C\n.state\nq0 tau q1\n.marking q0\n.end\n"),
        PAIR.replace("1 A ! yes 0\n", "1 A ! yes 0\n0 A ? ask 2\n"),
    ];
    for text in fine {
        assert_eq!(lines(Format::Fsa, &text), [""; 0], "{text}");
    }
    // Of a peer that is not there it is said once, and behind an error nothing of the kind.
    let alone = PAIR.replace("1 ! ask", "C ! ask").replace("0 A ? ask", "0 C ? ask");
    let told = lines(Format::Fsa, &alone);
    assert!(told.len() == 2 && told.iter().all(|line| line.contains("M0006")), "{told:#?}");
    let wrong = PAIR.replace("q0 1 ! ask q1", "q0 1 ! ask");
    assert_eq!(lines(Format::Fsa, &wrong).len(), 1);
}

#[test]
fn a_carriage_return_ends_a_line() {
    let text = PAIR.replace("1 ? yes q0", "1 ? yes").replace('\n', "\r");
    let told = lines(Format::Fsa, &text);
    assert!(told.len() == 1 && told[0].starts_with("m:4:1: error[M0101]"), "{told:#?}");
    assert_eq!(Format::of_text("-- two\r.outputs A\r"), Format::Fsa);
    let reading = cfsm_core::formats::read(Format::Fsa, "m", &text);
    assert_eq!(reading.sources.text(reading.diagnostics[0].span()), "q1 1 ? yes");
}

#[test]
fn an_empty_text_and_an_open_comment_are_errors() {
    insta::assert_snapshot!([lines(Format::Fsa, ""), lines(Format::Fsa, "/* A")].concat().join("\n"));
}

#[test]
fn names_of_channels_are_not_mixed_up() {
    // `A` to `B->C` and `A->B` to `C` would share a queue.
    let text = ".outputs A\n.state graph\n0 B->C ! m 1\n.marking 0\n.end\n.outputs A->B\n.state graph\n.marking 0\n.end";
    assert_eq!(lines(Format::Fsa, text).iter().filter(|line| line.contains("error[M0101]")).count(), 2);
}

#[test]
fn many_errors_are_cut_short() {
    let text = "x\n".repeat(500);
    let lines = lines(Format::Fsa, &text);
    assert_eq!(lines.len(), MOST_DIAGNOSTICS + 1);
    assert!(lines[MOST_DIAGNOSTICS].contains("there are 401 more"), "{}", lines[MOST_DIAGNOSTICS]);
}

#[test]
fn what_is_written_is_read_again() {
    let first = system(Format::Fsa, PAIR);
    let text = write(Format::Fsa, &first).unwrap();
    insta::assert_snapshot!(text);
    assert_eq!(told(&system(Format::Fsa, &text)), told(&first));
}

#[test]
fn what_cannot_be_said_is_not_written() {
    let mut b = cfsm_core::system::SystemBuilder::new("s");
    let m = b.message("A->B", "m");
    b.class("A", 2).send("0", m, "1");
    let error = write(Format::Fsa, &b.build().unwrap()).unwrap_err();
    assert_eq!(error.to_string(), "fsa has no words for 2 instances of `A`");
    let system = system(Format::LocalTypes, "A: B!a; end\nB: A?a; end");
    assert!(matches!(write(Format::LocalTypes, &system), Err(Unwritable::ReadOnly(_))));
}
