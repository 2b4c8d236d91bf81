//! Bounds that users ask about most.

use freeboard::boundedness::BufferVerdict;
use freeboard::{Options, RunLimits, check_promela};

/// The proved bounds of the buffers of a text, without any look at its runs.
fn bounds(text: &str) -> Vec<String> {
    let options = Options { runs: RunLimits::NONE, ..Options::default() };
    let analysis = check_promela("m.pml", text, &options).expect("it is accepted");
    let shown = |verdict: &BufferVerdict| match verdict {
        BufferVerdict::Bounded { bound } => bound.to_string(),
        other => format!("{other:?}"),
    };
    analysis.outcome.buffers.values().map(shown).collect()
}

/// A server that answers each client on a channel of its own holds one answer for each at most,
/// whether clients know their number by `_pid` or by an argument.
#[test]
fn a_reply_channel_for_each_client_holds_one_reply() {
    for clients in [2, 5, 64, 100] {
        let numbered = format!(
            "chan toS = [{clients}] of {{ byte }}; chan toC[{clients}] = [1] of {{ bit }};
            active [{clients}] proctype C() {{ do :: toS!_pid; toC[_pid]?_ od }}
            active proctype S() {{ byte c; do :: toS?c -> toC[c]!1 od }}"
        );
        let created = format!(
            "chan toS = [{clients}] of {{ byte }}; chan toC[{clients}] = [1] of {{ bit }};
            proctype C(byte me) {{ do :: toS!me; toC[me]?_ od }}
            active proctype S() {{ byte c; do :: toS?c -> toC[c]!1 od }}
            init {{ byte i; atomic {{ for (i : 0 .. {clients} - 1) {{ run C(i) }} }} }}"
        );
        for text in [numbered, created] {
            let found = bounds(&text);
            assert_eq!(found[0], clients.to_string(), "{text}");
            assert!(found[1..].iter().all(|bound| bound == "1"), "{found:?}\n{text}");
        }
    }
}

/// Channels that are passed to processes are told apart whether their creator is there from the
/// start, or is created itself, by a process that is.
#[test]
fn channels_are_told_apart_one_level_down() {
    let office = "{ chan forms = [1] of { byte }; chan done = [0] of { bit }; run Clerk(done);
        do :: run Guest(done, forms); forms?_ :: break od }
        proctype Guest(chan ring, form) { ring!1; form!1 }
        proctype Clerk(chan ring) { do :: ring?1 od }";
    for start in ["active proctype Office() ", "init { run Office() } proctype Office() "] {
        let text = format!("{start}{office}");
        assert_eq!(bounds(&text)[0], "1", "{text}");
    }
}

/// The least number of 32 bits is received where it is waited for.
#[test]
fn the_least_number_is_a_message_like_any_other() {
    for receive in ["c?-2147483648", "c??-2147483648", "c?eval(1 << 31)"] {
        let text = format!(
            "chan c = [3] of {{ int }}; chan q = [3] of {{ byte }};
            active proctype A() {{ do :: c!-2147483648 od }}
            active proctype B() {{ do :: {receive} -> q!1 od }}"
        );
        assert!(bounds(&text)[1].starts_with("CanGrow"), "{text}");
    }
}
