//! Loops that send.

use freeboard::Analysis;
use freeboard::umlrt_front::Options;

use super::{check, options};

/// A capsule in ROOM or Art that sends the digits of a number, and then `done`, on which the next
/// number is dialled. `DATA` in the action stands for the number, `DIGITS` for the loop.
fn dialler(name: &str, attribute: &str, action: &str) -> Analysis {
    let is_art = name.ends_with(".art");
    let (sent, received) = if is_art { (".send()", "*rtdata") } else { ("", "transitionData") };
    let digits = format!("for (int i = 0; i < n; i++) line.digit(i){sent};");
    let action = action.replace("DATA", received).replace("DIGITS", &digits);
    let text = if is_art { dialler_in_art(attribute, &action) } else { dialler_in_room(attribute, &action) };
    check(name, &text, &Options { system: Some("Top".into()), ..options() })
}

fn dialler_in_art(attribute: &str, action: &str) -> String {
    format!(
        "protocol P {{ in dial(`int`); out digit(`int`), done(); }};
        capsule Dialler {{
            [[rt::decl]] `{attribute}`
            service behavior port line : P;
            statemachine {{ state s; initial -> s; s -> s on line.dial `{action} line.done().send();`; }};
        }};
        capsule Exchange {{
            service behavior port line~ : P;
            statemachine {{
                state s;
                initial -> s `line.dial(3).send();`;
                s -> s on line.done `line.dial(4).send();`;
            }};
        }};
        capsule Top {{
            part dialler : Dialler, exchange : Exchange;
            connect dialler.line with exchange.line;
        }};"
    )
}

fn dialler_in_room(attribute: &str, action: &str) -> String {
    let attribute = attribute.replace("int n = ", "Attribute n: int = \"").replace(';', "\"");
    format!(
        "RoomModel M {{
            PrimitiveType int: ptInteger -> int (Int) default \"0\"
            ProtocolClass P {{
                incoming {{ Message dial(number: int) }}
                outgoing {{ Message digit(number: int) Message done() }}
            }}
            ActorClass Dialler {{
                Interface {{ Port line: P }}
                Structure {{ external Port line {attribute} }}
                Behavior {{ StateMachine {{
                    State s
                    Transition init: initial -> s
                    Transition t: s -> s {{
                        triggers {{ <dial: line> }} action '''{action} line.done();'''
                    }}
                }} }}
            }}
            ActorClass Exchange {{
                Interface {{ conjugated Port line: P }}
                Structure {{ external Port line }}
                Behavior {{ StateMachine {{
                    State s
                    Transition init: initial -> s {{ action '''line.dial(3);''' }}
                    Transition t: s -> s {{ triggers {{ <done: line> }} action '''line.dial(4);''' }}
                }} }}
            }}
            ActorClass Top {{ Structure {{
                ActorRef dialler: Dialler
                ActorRef exchange: Exchange
                Binding dialler.line and exchange.line
            }} }}
        }}"
    )
}

/// The digit loop of the papers' exchange: as many messages as the greatest value of its limit.
#[test]
fn a_loop_sends_as_many_messages_as_its_limit_allows() {
    let bound = |name: &str, attribute: &str, action: &str| {
        let analysis = dialler(name, attribute, action);
        let result = analysis.view(name).property_results.swap_remove(0);
        let line = result.buffers.iter().find(|buffer| buffer.name == "Top.exchange.line").expect("a queue");
        line.bound.as_ref().map(ToString::to_string)
    };
    for name in ["m.room", "m.art"] {
        for (attribute, action, most) in [
            ("int n = 7;", "DIGITS", "8"),
            ("int n = 7;", "n = 100; DIGITS", "101"),
            ("int n = 7;", "n = DATA; if (n > 100) n = 100; DIGITS", "101"),
            ("int n = 7;", "n = DATA; if (n <= 10) { DIGITS }", "11"),
            ("int n = 7;", "n = DATA; if (n > 10 || n < 1) return; DIGITS", "11"),
            ("", "int n = DATA; if (!(n < 10)) n = 9; DIGITS", "10"),
            // The limit holds for the next message, too.
            ("int n = 7;", "DIGITS n = DATA; if (n > 10) n = 10;", "11"),
        ] {
            assert_eq!(bound(name, attribute, action).as_deref(), Some(most), "{name}: {action}");
        }
        for action in ["int n = DATA; DIGITS", "int n = DATA; if (n > 100) log(n); DIGITS"] {
            assert_eq!(bound(name, "", action), None, "{name}: {action}");
        }
    }
}

/// Of a loop without a limit, the warning names what its end depends on, at its line.
#[test]
fn a_loop_without_a_limit_names_what_it_depends_on() {
    for name in ["m.room", "m.art"] {
        let analysis = dialler(name, "", "\nint n = DATA;\nDIGITS");
        let lines: Vec<String> = analysis
            .warnings
            .iter()
            .map(|found| found.line(&analysis.program.sources).to_string())
            .filter(|line| line.contains("how often this loop sends depends on `n`"))
            .collect();
        assert_eq!(lines.len(), 1, "{name}");
    }
}
