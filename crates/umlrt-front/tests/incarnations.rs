//! Capsules that code creates in optional parts.

use std::collections::BTreeSet;

use cfsm_core::program::{Action, Expression, Place, ProcessType, VariableRef};
use umlrt_front::model::Origin;
use umlrt_front::{Imports, Options, Outcome, parse};

/// A system in which `Top` runs code in its initial transition, with more declarations of it.
fn text(declarations: &str, code: &str) -> String {
    format!(
        "protocol P {{ in a(); out b(); }};
        capsule Worker {{
            service behavior port p : P;
            statemachine {{ state S; initial -> S `p.b().send();`; }};
        }};
        capsule Top {{
            {declarations}
            behavior port frame : Frame;
            behavior port p~ : P[2];
            optional part one : Worker[2];
            optional part other : Worker;
            connect one.p with p;
            statemachine {{ state S; initial -> S `{code}`; }};
        }};"
    )
}

fn read(text: &str) -> Outcome {
    let options = Options { imports: Imports::Refused, system: Some("Top".to_owned()), ..Options::default() };
    parse("m.art", text, &options)
}

/// The parts whose capsules are followed.
fn followed(text: &str) -> Vec<String> {
    let outcome = read(text);
    let lines: Vec<String> =
        outcome.diagnostics.iter().map(|found| found.line(&outcome.sources).to_string()).collect();
    let found = outcome.system.unwrap_or_else(|| panic!("{lines:?}"));
    let top = found.classes.values().find(|class| class.name == "Top").expect("the class");
    top.parts.iter().cloned().collect()
}

#[test]
fn parts_are_followed_as_long_as_all_code_that_names_them_is_understood() {
    for code in [
        "frame.incarnate(one);",
        "this->frame.incarnate(this->one, nullptr, nullptr, Thread1, -1);",
        "for (int i = 0; i < 2; i++) frame.incarnate(one);",
        "RTActorId id = frame.incarnate(one); if (!id.isValid()) frame.destroy(one);",
        "frame.incarnateAt(one, nullptr, nullptr, Thread1, -1, 1); frame.incarnationAt(one, 0);",
    ] {
        assert_eq!(followed(&text("", code)), ["one"], "{code}");
    }
    for code in [
        // Code that is not in the model must create them, if any does.
        "",
        "log(frame);",
        "frame.incarnate(one); fill(one);",
        "frame.incarnate(one); RTActorRef* kept = &one; frame.incarnate(*kept);",
        "frame.incarnate(one); kept->one;",
        "frame.incarnate(one); goto end; end: frame.incarnate(one);",
        "frame.incarnate(one); fill(this);",
        "{ Parts one; frame.incarnate(one); }",
        "frame.incarnate(one); fill(frame);",
        "frame.incarnate(one); RTFrame::Base& kept = this->frame; fill(kept);",
        "frame.incarnate(one); { goto end; end: fill(frame); }",
    ] {
        assert_eq!(followed(&text("", code)), [""; 0], "{code}");
    }
    let helper = "[[rt::decl]] `void fill() { frame.incarnate(one); } virtual void more() { frame.incarnate(other); }`";
    assert_eq!(followed(&text(helper, "fill();")), ["one"], "a virtual operation may be called by others");
}

/// Code of other capsules reaches a part by a pointer to it, or has macros for it; and a part may
/// have capsules from the beginning.
#[test]
fn parts_that_others_may_fill_are_not_followed() {
    let plain = text("", "frame.incarnate(one);");
    let of_worker = |code: &str| plain.replace("capsule Worker {", &format!("capsule Worker {{ {code}"));
    assert_eq!(followed(&of_worker("[[rt::impl]] `int one() { return two(); }`")), ["one"]);
    assert_eq!(followed(&plain.replace("one : Worker[2]", "one : Worker[0..2]")), ["one"]);
    for text in [
        of_worker("[[rt::impl]] `void fill(Top* top) { top->frame.incarnate(top->one); }`"),
        of_worker("[[rt::impl]] `RTActorRef Top::*part = &Top::one;`"),
        of_worker("[[rt::header_preface]] `#define FILL frame.incarnate(one)`"),
        plain.replace("one : Worker[2]", "one : Worker[1..2]"),
    ] {
        assert_eq!(followed(&text), [""; 0], "{text}");
    }
}

#[test]
fn an_instance_begins_when_it_is_created_and_drops_messages_until_then() {
    let outcome = read(&text("", "frame.incarnate(one);"));
    let found = outcome.system.as_ref().expect("no error");
    let worker = found.instances.values().find(|instance| instance.path == "Top.one[1]").expect("a place");
    let container = found.instances.ids().next().expect("the container");
    assert_eq!(worker.origin, Some(Origin { container, class: 0, part: "one".to_owned(), fixed: false }));
    assert!(worker.is_followed(found));
    let program = outcome.program().expect("a program");
    let globals: BTreeSet<&str> = program.globals.values().map(|one| one.name.as_str()).collect();
    assert!(globals.contains("Top.one[1].created") && !globals.contains("Top.other.created"), "{globals:?}");
}

/// The processes whose first step waits for a variable that tells of a creation.
fn waiting(outcome: &Outcome) -> Vec<String> {
    let program = outcome.program().expect("a program");
    let names = |expression: &Expression| {
        expression.any(&mut |part| {
            matches!(part, Expression::Read(Place { variable: VariableRef::Global(id), .. })
            if program.globals[*id].name.ends_with(".created"))
        })
    };
    let waits = |ty: &&ProcessType| {
        let mut first = ty.edges.values().filter(|edge| edge.source == ty.entry);
        first.any(|edge| matches!(&edge.action, Action::Condition(condition) if names(condition)))
    };
    program.types.values().filter(waits).map(|ty| ty.name.clone()).collect()
}

/// Messages to a capsule are lost as long as it is not there. In an optional part, it may be
/// missing while its container is there.
#[test]
fn parts_of_an_optional_part_come_with_it_if_they_are_fixed() {
    let nested = |kind: &str| {
        let text = format!(
            "protocol P {{ in a(); out b(); }};
            capsule Inner {{
                service behavior port p : P;
                statemachine {{ state S; initial -> S `p.b().send();`; }};
            }};
            capsule Outer {{
                behavior port p~ : P;
                {kind} inner : Inner;
                connect inner.p with p;
                statemachine {{ state S; initial -> S `p.a().send();`; }};
            }};
            capsule Top {{
                behavior port frame : Frame;
                optional part outer : Outer;
                statemachine {{ state S; initial -> S `frame.incarnate(outer); frame.destroy(outer);`; }};
            }};"
        );
        waiting(&read(&text))
    };
    assert_eq!(nested("part"), ["Top.outer", "Top.outer.inner"]);
    assert_eq!(nested("optional part"), ["Top.outer"]);
}
