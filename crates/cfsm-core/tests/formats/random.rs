//! No text makes a reader panic, and what is written is read again.

use cfsm_core::formats::{Format, read, write};
use cfsm_core::system::SystemBuilder;
use proptest::collection::vec;
use proptest::prelude::*;
use proptest::sample::{Index, select};

use super::{system, told};

/// Pieces that texts of all formats are made of.
const PIECES: &[&str] = &[
    ".outputs",
    ".state graph",
    ".marking",
    ".end",
    "q0",
    "1",
    "!",
    "?",
    "tau",
    "\n",
    "\r\n",
    " ",
    "--",
    "/*",
    "*/",
    "//",
    "A",
    "B",
    ":",
    "rec",
    "x",
    ".",
    ";",
    ",",
    "{",
    "}",
    "<",
    ">",
    "end",
    "a",
    "scm",
    "automaton",
    "initial",
    "state",
    "to",
    "when",
    "true",
    "nb_channels",
    "=",
    "parameters",
    "real",
    "lossy",
    "bad_states",
    "\"schema\"",
    "\"freeboard.system/1\"",
    "[",
    "]",
    "->",
    "|",
    "'",
    "\u{feff}",
    "é",
    "\u{0}",
    "99999999999999999999",
];

const WHOLE: &[&str] = &[
    ".outputs A\n.state graph\nq0 1 ! ask q1\nq1 1 ? yes q0\n.marking q0\n.end\n.outputs\n.state graph\n0 A ? ask 1\n.marking 0\n.end",
    "A: rec x . {B!m<int>; x, {rec y . C?n; y, x}, end}\nB: rec y . A?m<int>; y\nC: A!n; end",
    "scm s :\nnb_channels = 2 ;\nlossy : 0 ;\nparameters : real a ;\nautomaton P :\ninitial : 0\nstate 0 : to 1 : when true , 0 ! a ;\nstate 1 :\n",
    "{\"schema\":\"freeboard.system/1\",\"name\":\"s\",\"buffers\":[{\"name\":\"q\",\"kind\":\"queue\",\"declared\":null}],\"messages\":[{\"buffer\":0,\"name\":\"m\"}],\"classes\":[{\"name\":\"P\",\"instances\":1,\"initial\":0}],\"states\":[{\"class\":0,\"name\":\"0\"}],\"transitions\":[{\"source\":0,\"target\":0,\"events\":[{\"direction\":\"send\",\"message\":0}]}]}",
];

/// Reads a text as each format; what is true of every reading.
fn invariants(text: &str) {
    let _ = Format::of_text(text);
    for format in Format::ALL {
        let reading = read(format, "m", text);
        let wrong = reading.lines().any(|line| line.contains(" error["));
        assert_eq!(wrong, reading.system.is_none(), "{format}: {text}");
        for label in reading.diagnostics.iter().flat_map(|diagnostic| &diagnostic.labels) {
            let (start, end) = (label.span.start as usize, label.span.end as usize);
            assert!(start <= end && text.get(start..end).is_some(), "{format}: {text}");
        }
        let Some(system) = reading.system else { continue };
        assert_eq!(system.validate(), Ok(()));
        for format in Format::ALL {
            if let Ok(written) = write(format, &system) {
                let again = read(format, "m", &written);
                assert!(again.system.is_some(), "{:?}\n{written}", again.lines().collect::<Vec<_>>());
            }
        }
    }
}

/// Systems that all formats can express: machines and a queue for each pair of them.
fn plain() -> impl Strategy<Value = cfsm_core::system::System> {
    let step = (0..4_usize, 0..4_usize, 0..4_usize, 0..3_usize, any::<bool>(), any::<bool>());
    vec(vec(step, 0..6), 1..4).prop_map(|machines| {
        let count = machines.len();
        let mut b = SystemBuilder::new("random");
        for (at, steps) in machines.iter().enumerate() {
            let class = b.class(&format!("P{at}"), 1).id();
            b.class_again(class).state("q0");
            for &(source, target, peer, message, sends, silent) in steps {
                let (source, target) = (format!("q{source}"), format!("q{target}"));
                let peer = peer % count;
                let name = if sends { format!("P{at}->P{peer}") } else { format!("P{peer}->P{at}") };
                if silent {
                    b.class_again(class).step(&source, &[], &target);
                } else {
                    let message = b.message(&name, &format!("m{message}"));
                    b.class_again(class).step(&source, &[(message, if sends { 1 } else { -1 })], &target);
                }
            }
        }
        b.build().unwrap()
    })
}

proptest! {
    #[test]
    fn random_characters(text in ".{0,80}") {
        invariants(&text);
    }

    #[test]
    fn random_pieces(pieces in vec(select(PIECES), 0..60), blank in select(&[" ", "", "\n"][..])) {
        invariants(&pieces.join(blank));
    }

    #[test]
    fn texts_with_changes(whole in select(WHOLE), changes in vec((any::<Index>(), 0..6_usize, select(PIECES)), 0..4)) {
        let mut text: Vec<char> = whole.chars().collect();
        for (at, take, put) in changes {
            let at = at.index(text.len() + 1);
            let end = (at + take).min(text.len());
            text.splice(at..end, put.chars());
        }
        invariants(&text.into_iter().collect::<String>());
    }

    #[test]
    fn what_is_written_is_read_again(first in plain()) {
        let fsa = write(Format::Fsa, &first).unwrap();
        prop_assert_eq!(told(&system(Format::Fsa, &fsa)), told(&first));
        let json = write(Format::Json, &first).unwrap();
        prop_assert_eq!(&system(Format::Json, &json), &first);
        // States and channels have become numbers; written once more nothing changes.
        let scm = write(Format::Scm, &first).unwrap();
        let second = system(Format::Scm, &scm);
        prop_assert_eq!(second.transitions.len(), first.transitions.len());
        prop_assert_eq!(write(Format::Scm, &second).unwrap(), scm);
    }
}
