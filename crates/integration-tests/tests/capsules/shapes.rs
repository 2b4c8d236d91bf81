//! Wires, parts and machines in shapes that are rare.

use freeboard::umlrt_front::{Options, parse};

use super::missed::{with_action, with_reaction};
use super::{check, options};

/// Two wires between two replicated ports carry two messages of a broadcast, in some generators.
#[test]
fn wires_between_the_same_ports_count() {
    let text = with_action("r.a();")
        .replace("conjugated Port q: P", "conjugated Port q[2]: P")
        .replace("action '''q.go(); q.go();'''", "action '''q.go();'''")
        .replace("Binding one.r and four.q", "Binding one.r and three.q");
    assert!(text.contains("q[2]") && text.matches("one.r and three.q").count() == 2);
    let reading = Options { system: Some("ATop".into()), ..options() };
    assert!(!check("m.room", &text, &reading).outcome.verdict.is_proved());
    let text = text.replacen("Binding one.r and three.q", "", 1);
    assert!(check("m.room", &text, &reading).outcome.verdict.is_proved());
    // A binding of parts that are replicated is distributed over their ports.
    let text = text.replace("ActorRef three", "ActorRef three[2]");
    assert!(text.contains("three[2]"));
    assert!(!check("m.room", &text, &reading).outcome.verdict.is_proved());
}

/// Each life of an optional capsule begins without a history: each may send an `a`.
#[test]
fn an_optional_capsule_is_created_anew() {
    let reaction = "State T { subgraph {
            State x
            State y
            Transition init: initial -> x
            Transition first: x -> y { triggers { <go: p> } action '''p.a();''' }
        } }
        Transition out: T -> s { triggers { <go: p> } }";
    let text = with_reaction("", reaction)
        .replace(
            "Transition init: initial -> s\n                    State T",
            "Transition init: initial -> T\n State T",
        )
        .replace("ActorRef one", "optional ActorRef one");
    assert!(text.contains("initial -> T") && text.contains("optional"));
    for max_configurations in [1, 1000] {
        let reading = Options { system: Some("ATop".into()), max_configurations, ..options() };
        assert!(!check("m.room", &text, &reading).outcome.verdict.is_proved());
        let once = Options { system: Some("ATop".into()), max_configurations, ..options() };
        let text = text.replace("optional ", "");
        assert!(check("m.room", &text, &once).outcome.verdict.is_proved());
    }
}

/// Code that each of many classes adds to does not grow with each of them.
#[test]
fn code_that_is_refined_often_stays_small() {
    let classes: String = (1..16)
        .map(|level| {
            format!(
                "ActorClass ACode{level} extends ACode{} {{ Behavior {{ StateMachine {{
                    RefinedState s {{ exit '''if (k) return; p.b();''' }}
                }} }} }}\n",
                if level == 1 { String::new() } else { (level - 1).to_string() }
            )
        })
        .collect();
    let text = with_action("p.b();")
        .replace("ActorClass AOther", &format!("{classes} ActorClass AOther"))
        .replace(
            "State s\n                    Transition init: initial -> s\n                    Transition t",
            "State s { exit '''p.b();''' }\n Transition init: initial -> s\n Transition t",
        )
        .replace("one: ACode", "one: ACode15");
    let reading = Options { system: Some("ATop".into()), ..options() };
    let outcome = parse("m.room", &text, &reading);
    assert!(outcome.lowered.expect("no error").program.types.values().all(|ty| ty.edges.len() < 100_000));
}

#[test]
fn conditions_are_asked_in_any_order() {
    let sends = "Operation f(): boolean '''p.b(); return false;'''";
    let guards = |first: &str, second: &str| {
        format!(
            "Transition t1: s -> s {{ triggers {{ <go: p guard '''{first}'''> }} action '''p.a();''' }}
             Transition t2: s -> s {{ triggers {{ <go: p guard '''{second}'''> }} action '''p.b();''' }}"
        )
    };
    let choice = |first: &str, second: &str| {
        format!(
            "ChoicePoint c
             Transition t: s -> cp c {{ triggers {{ <go: p> }} }}
             Transition c1: cp c -> s {{ cond '''{first}''' action '''p.a();''' }}
             Transition c2: cp c -> s {{ cond '''{second}''' action '''p.b();''' }}
             Transition c3: cp c -> s {{ action '''p.b();''' }}"
        )
    };
    let reading = Options { system: Some("ATop".into()), ..options() };
    for first in ["true", "1", "k == 1", "unknown()"] {
        for second in ["k == 1", "true", "f()", "unknown()"] {
            for reaction in [guards(first, second), choice(first, second)] {
                let text = with_reaction(sends, &reaction);
                let verdict = check("m.room", &text, &reading).outcome.verdict;
                assert!(!verdict.is_proved(), "{reaction}");
            }
        }
    }
    let text = with_reaction(sends, &guards("k == 0", "k == 1"));
    assert!(check("m.room", &text, &reading).outcome.verdict.is_proved());
}
