//! Code whose effects are easily missed.

use freeboard::report::view::Verdict;
use freeboard::umlrt_front::Options;

use super::{check, options};

/// Two capsules: one reacts to `go`, and the other one answers each `a` with two of them until it
/// gets a `b`.
pub fn with_reaction(operations: &str, reaction: &str) -> String {
    format!(
        "RoomModel M {{
            ProtocolClass P {{ incoming {{ Message go() }} outgoing {{ Message a() Message b() }} }}
            ActorClass ACode {{
                Interface {{ Port p: P Port r[2]: P }}
                Structure {{
                    usercode1 '''
                        #undef TRUE
                        #define TRUE 0
                    '''
                    external Port p
                    external Port r
                    Attribute n: int32
                    Attribute k: int32 = \"1\"
                }}
                Behavior {{ {operations} StateMachine {{
                    State s
                    Transition init: initial -> s
                    {reaction}
                }} }}
            }}
            ActorClass AOther {{
                Interface {{ conjugated Port q: P }}
                Structure {{ external Port q }}
                Behavior {{ StateMachine {{
                    State s
                    State off
                    Transition init: initial -> s {{ action '''q.go();''' }}
                    Transition a: s -> s {{ triggers {{ <a: q> }} action '''q.go(); q.go();''' }}
                    Transition b: s -> off {{ triggers {{ <b: q> }} }}
                }} }}
            }}
            ActorClass ATop {{
                Structure {{
                    ActorRef one: ACode
                    ActorRef two: AOther
                    ActorRef three: AOther
                    ActorRef four: AOther
                    Binding one.p and two.q
                    Binding one.r and three.q
                    Binding one.r and four.q
                }}
            }}
        }}"
    )
}

/// Two capsules: one runs an action at each `go`, and the other answers each `a` with two of them.
pub fn with_action(action: &str) -> String {
    let operations = "Operation op() '''p.a();''' Operation change() '''n = 1;'''";
    let reaction = format!("Transition t: s -> s {{ triggers {{ <go: p | go: r> }} action '''{action}''' }}");
    with_reaction(operations, &reaction).replace("s -> off", "s -> s")
}

/// The same with further user code.
fn with_user_code(code: &str, action: &str) -> String {
    with_action(action).replace("#define TRUE 0", &format!("#define TRUE 0\n{code}"))
}

/// Code that sends `a`, in ways that are easily missed.
const SENDS: &[&str] = &[
    "p.a();",
    "p_a_broadcast();",
    "p.get(0).a();",
    "k && op();",
    "k & op();",
    "k * op();",
    "DEBUG op();",
    "Sender s(p);",
    "PPort& q(p); q.a();",
    "super.p.a();",
    "ABase::p.a();",
    "ACode.this.p.a();",
    "PPort_a(&self->constData->p);",
    "exec(p::a);",
    "list.add(x -> p.a());",
    "for (p.a(); auto e : v) {}",
    "p[(p.a(), ifitem->index)].b();",
    "goto e; e: k = 1'000; p.a();",
    "goto e; e: log(R\"(\")\"); p.a();",
    "// C:\\\np.a();",
    "\\u0070.a();",
    "ACode_op(me);",
    "if (TRUE) p.b(); else p.a();",
    "for (int i; i != 0;) { p.a(); break; }",
    "switch (k) { case 0: int y; break; case 1: if (y) p.a(); }",
    "n = 2000000000; if (n + 2000000000L > n) p.a();",
    "while (true) { k = ({ if (n) break; 1; }); } p.a();",
    "list.forEach(x -> use(op()));",
    "switch (k) { case 0: int n = 1; break; case 1: if (n) p.a(); }",
    "int x = x; if (x) p.a();",
    "ifitem->a();",
    "p.m_items[0]->a();",
    "r_a(1);",
    "port_msg(r[1]).a();",
    "apply(k, p.a(), 2);",
];

/// Code that changes `n`, in ways that are easily missed.
const CHANGES: &[&str] = &[
    "n = 1;",
    "change();",
    "k && change();",
    "super.n = 1;",
    "ACode::n = 1;",
    "ACode.this.n = 1;",
    "(k ? n : n) = 1;",
    "(n = 0) = 1;",
    "++(++n);",
    "inc(++n);",
    "inc(k ? n : n);",
    "set((int&)n);",
    "(Guard)n;",
    "Guard g(n);",
    "Guard g = n;",
    "int& r(n); r = 1;",
    "int& r = n; r = 1;",
    "decltype((n)) r = n; r = 1;",
    "IntRef r = n; r = 1;",
    "for (n = 1; auto e : v) {}",
    "p[ifitem->index + (n = 1)].b();",
    "printAndSet(n);",
    "table.print(n);",
    "*(&n) = 1;",
    "[&] { n = 1; }();",
    "std::cin >> n;",
];

#[test]
fn no_send_and_no_change_is_missed_in_code() {
    let check = |action: &str| {
        let reading = Options { system: Some("ATop".into()), ..options() };
        let verdict =
            check("m.room", &with_action(action), &reading).view("m.room").property_results[0].verdict;
        assert_ne!(verdict, Verdict::Proved, "{action}");
    };
    SENDS.iter().for_each(|action| check(action));
    CHANGES.iter().for_each(|change| check(&format!("{change} if (n != 0) p.a();")));
    for (code, action) in [
        ("#define LEAVE(c) if (c) break", "while (true) { LEAVE(n); } p.a();"),
        ("#define TELL p.a()", "TELL;"),
        ("#define CAT(x, y) x##y", "CAT(p, _a)();"),
        ("void print(PPort* port) { PPort_a(port); }", "print(&self->constData->p);"),
        ("#define CHANGE n = 1", "CHANGE; if (n) p.a();"),
    ] {
        let reading = Options { system: Some("ATop".into()), ..options() };
        let verdict = self::check("m.room", &with_user_code(code, action), &reading).outcome.verdict;
        assert!(!verdict.is_proved(), "{code} {action}");
    }
    // The same in code of the protocol, which files of its capsules include.
    for (code, action) in [
        ("#define SET self->n = 1", "SET; if (n) p.a();"),
        ("#define TELL PPort_a(&self->constData->p)", "TELL;"),
        ("#define TRULY 0\n#undef true\n#define true 0", "if (true) p.b(); else p.a();"),
        ("void printf(int& x) { x = 1; }", "printf(n); if (n) p.a();"),
    ] {
        let reading = Options { system: Some("ATop".into()), ..options() };
        let text = with_action(action)
            .replace("ProtocolClass P {", &format!("ProtocolClass P {{ usercode1 '''{code}\n'''"));
        let verdict = self::check("m.room", &text, &reading).outcome.verdict;
        assert!(!verdict.is_proved(), "{code} {action}");
    }
    // Without them there is a proof.
    let reading = Options { system: Some("ATop".into()), ..options() };
    for action in ["p.b();", "k = 2; if (n != 0) p.a();"] {
        let verdict = self::check("m.room", &with_action(action), &reading).outcome.verdict;
        assert!(verdict.is_proved(), "{action}");
    }
}

/// A capsule in Art that answers each message with one, or by what `reaction` does.
fn in_art(declarations: &str, definitions: &str, reaction: &str) -> String {
    format!(
        "protocol P {{ in e(), size(); }};
        capsule Top {{
            [[rt::decl]] `{declarations}`
            [[rt::impl]] `{definitions}`
            behavior port p~ : P;
            behavior port q : P;
            connect p with q;
            statemachine {{
                initial -> S `p.e().send();`;
                state S;
                t: S -> S on q.e, q.size `{reaction}`;
            }};
        }};"
    )
}

/// Two messages for one, in ways that are easily missed in Art.
#[test]
fn no_send_and_no_change_is_missed_in_art() {
    let proves = |text: &str| check("m.art", text, &options()).outcome.verdict.is_proved();
    let twice = "p.e().send(); if (n) p.e().send();";
    for (declarations, definitions, reaction) in [
        ("", "", "p.e().send(); p.e().send();"),
        ("", "", "auto s = p.size(); s.send(); s.send();"),
        ("", "", "rtport->size().send(); p.e().send();"),
        ("void both();", "void Top::both() { p.e().send(); p.e().send(); }", "both();"),
        ("void both();", "", "both();"),
        ("void both(); void both(int n) {}", "", "both();"),
        ("virtual void hook();", "void Top::hook() { p.e().send(); }", "p.e().send();"),
        ("void unexpectedMessage() { p.e().send(); }", "", "p.e().send();"),
        ("Top(RTController*, RTActorRef*);", "", "p.e().send();"),
        ("#define AGAIN p.e().send()", "", "AGAIN; AGAIN;"),
        ("int n = 0; int& r = n;", "", &format!("r = 1; {twice}")),
        ("int n = 0; int* r = &n;", "", &format!("*r = 1; {twice}")),
        ("int n = 0; int& get() { return n; }", "", &format!("get() = 1; {twice}")),
        ("int n = 0;", "", &format!("((Top*) other)->n = 1; {twice}")),
        ("int n = 0; void set(); ", "", &format!("set(); {twice}")),
    ] {
        assert!(!proves(&in_art(declarations, definitions, reaction)), "{declarations} {reaction}");
    }
    assert!(proves(&in_art("int n = 0; void once() { p.e().send(); }", "", "if (!n) once();")));
    // From wherever the state is, by an exit point.
    let leaving = in_art("", "", "p.e().send();").replace(
        "state S;",
        "state S { state I; initial -> I; exitpoint x; }; S.x -> S on q.e `p.e().send(); p.e().send();`;",
    );
    assert!(!proves(&leaving));
    // A connection of two replicated ports is as many wires.
    let several = in_art("", "", "p.e().send();").replace("~ : P", "~ : P[2]").replace("q : P", "q : P[2]");
    assert!(!proves(&several));
}

/// A capsule with a part in which it creates a worker. On the way to `U`, it sends without end.
fn creating(worker: &str, code: &str, transitions: &str) -> String {
    format!(
        "protocol P {{ in a(); out b(); }};
        capsule Worker {{ service behavior port p : P; {worker} }};
        capsule Sink {{ service behavior port s : P; statemachine {{ state S; initial -> S; }}; }};
        capsule Top {{
            behavior port frame : Frame;
            behavior notify port p~ : P;
            behavior port s~ : P;
            optional part one : Worker;
            part sink : Sink;
            connect one.p with p;
            connect s with sink.s;
            statemachine {{
                state S; state T; state U;
                initial -> S `frame.incarnate(one); {code}`;
                {transitions} `while (n()) s.a().send();`;
            }};
        }};"
    )
}

/// Runs with capsules that come and go in ways that are easily missed in Art.
#[test]
fn no_capsule_that_code_creates_is_missed() {
    let proves = |worker: &str, code: &str, transitions: &str| {
        let text = creating(worker, code, transitions);
        let reading = Options { system: Some("Top".into()), ..options() };
        check("m.art", &text, &reading).outcome.verdict.is_proved()
    };
    let machine = "statemachine { state S; initial -> S `p.b().send();`; };";
    let twice = "S -> T on p.b; T -> U on p.b";
    assert!(proves(machine, "", twice));
    assert!(!proves(machine, "frame.destroy(one); frame.incarnate(one);", twice));
    let shared = "[[rt::header_preface]] `#define AGAIN frame.destroy(one); frame.incarnate(one);`";
    assert!(!proves(&format!("{shared} {machine}"), "AGAIN", twice));
    // It may be destroyed before its machine begins, or have none.
    let unbegun = "S -> T on p.rtBound; T -> S on p.b; T -> U on p.rtUnbound";
    assert!(!proves(machine, "frame.destroy(one);", unbegun));
    assert!(!proves("", "", "S -> U on p.rtBound"));
}
