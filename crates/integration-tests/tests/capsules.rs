//! Systems of capsules mean the same to an interpreter of the capsule model and as programs, and
//! what is decided about them is right.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::time::Instant;

use abstraction::abstract_program;
use cfsm_core::ids::Id;
use cfsm_core::splitmix::SplitMix;
use freeboard::boundedness::BufferVerdict;
use freeboard::report::view::Verdict;
use freeboard::umlrt_front::model::{CapsuleSystem, InstanceId, PointKind, Thread, ThreadId};
use freeboard::umlrt_front::{Imports, Lowered, Options, lower, parse};
use freeboard::{Analysis, Detail, Model, RunLimits, check_model, check_room, list_cycles};
use integration_tests::capsules::{
    Interpreter, Queue, Runner, Runs, Twins, exchange_text, follow, room_text, twin_texts,
};
use integration_tests::given;

/// Random systems that are run, by default; `CAPSULE_SYSTEMS=10000` for a long run.
const SYSTEMS: u64 = 48;
/// Of so many systems, one is decided, and its bounds are held against runs.
const BOUNDS: u64 = 12;
/// Runs of each, in each direction.
const RUNS: u64 = 2;
/// Runs to completion of each run.
const STEPS: usize = 25;

fn systems() -> u64 {
    given("CAPSULE_SYSTEMS").unwrap_or(SYSTEMS)
}

fn options() -> Options {
    Options { imports: Imports::Refused, ..Options::default() }
}

fn check(name: &str, text: &str, reading: &Options) -> Analysis {
    check_room(name, text, reading, &freeboard::Options::default())
        .unwrap_or_else(|failure| panic!("{name}: {failure}"))
}

#[test]
fn runs_of_random_systems_are_runs_of_their_programs_and_the_other_way_round() {
    for seed in 0..systems() {
        let text = room_text(seed);
        // Histories are unfolded, or, where they are too many, variables.
        for max_configurations in [1000, 0] {
            let outcome = parse("random.room", &text, &Options { max_configurations, ..options() });
            let lowered = outcome.lowered.unwrap_or_else(|| panic!("seed {seed}\n{text}"));
            let system = outcome.system.expect("no error");
            runs_agree(&system, &lowered, seed, &text);
            let on_threads = on_threads(system.clone(), seed);
            let lowered_on_threads = lower(&on_threads, &Options { max_configurations, ..options() });
            runs_agree(&on_threads, &lowered_on_threads, seed, &text);
            if seed % BOUNDS == 0 {
                bounds_hold(&system, lowered, seed);
                bounds_hold(&on_threads, lowered_on_threads, seed);
            }
        }
    }
}

/// A random system is the same in ROOM and in Art: runs of the one's interpreter are runs of the
/// program that is made of the other, and the other way round.
#[test]
fn random_systems_are_the_same_in_both_languages() {
    for seed in 0..systems() {
        let Twins { room, art } = twin_texts(seed);
        let options = Options { system: Some("ATop".into()), ..options() };
        let read = |name, text| {
            let outcome = parse(name, text, &options);
            let failed = || panic!("seed {seed}: {:?}\n{text}", outcome.diagnostics);
            outcome.system.clone().zip(outcome.lowered.clone()).unwrap_or_else(failed)
        };
        let (in_room, lowered_room) = read("random.room", &room);
        let (in_art, lowered_art) = read("random.art", &art);
        runs_agree(&in_room, &lowered_art, seed, &art);
        runs_agree(&in_art, &lowered_room, seed, &art);
    }
}

/// With priorities, and with messages that are deferred or copied, those in a queue are received in
/// any order.
#[test]
fn messages_overtake_each_other_in_any_way() {
    let (mut overtaking, mut requeued) = (0, 0);
    let systems = systems();
    for seed in 0..systems / 2 {
        let Twins { art, .. } = twin_texts(seed);
        let number = usize::try_from(seed).expect("small");
        // Some of the sends get a priority, or the message at hand waits once more behind them.
        let mut text = String::new();
        for (position, part) in art.split(".send();").enumerate() {
            if position > 0 {
                text += match (position + number) % 4 {
                    0 => ".send(High);",
                    1 => ".send(), msg->defer();",
                    2 => ".send(), sendCopyToMe(msg);",
                    _ => ".send();",
                };
            }
            text += part;
        }
        let outcome = parse("random.art", &text, &Options { system: Some("ATop".into()), ..options() });
        let failed = || panic!("seed {seed}: {:?}\n{text}", outcome.diagnostics);
        let (system, lowered) = outcome.system.clone().zip(outcome.lowered.clone()).unwrap_or_else(failed);
        overtaking += u64::from(system.overtaking);
        requeued += u64::from(text.contains("(msg)") || text.contains("defer"));
        runs_agree(&system, &lowered, seed, &text);
    }
    assert!(overtaking > systems / 4 && requeued > systems / 4, "{overtaking} {requeued}");
}

/// Transitions of transition points belong to the state around them, in some systems.
#[test]
fn transitions_inside_of_a_state_are_transitions_of_it() {
    let mut found = 0;
    for seed in 0..systems() {
        let text = room_text(seed);
        let mut system = parse("random.room", &text, &options()).system.expect("no error");
        for class in system.classes.ids().collect::<Vec<_>>() {
            let Some(machine) = &mut system.classes[class].machine else { continue };
            for id in machine.points.ids().collect::<Vec<_>>() {
                let point = &mut machine.points[id];
                if let (PointKind::Transition { inside, .. }, Some(_)) = (&mut point.kind, point.parent) {
                    *inside = true;
                    found += 1;
                }
            }
        }
        let lowered = lower(&system, &options());
        runs_agree(&system, &lowered, seed, &text);
    }
    assert!(found > 20);
}

/// Random runs of a system and of its program are runs of the other one.
fn runs_agree(system: &CapsuleSystem, lowered: &Lowered, seed: u64, text: &str) {
    let (interpreter, runner) = (Interpreter::new(system), Runner::new(system, lowered));
    for number in 0..RUNS {
        let mut random = SplitMix::new(seed * RUNS + number);
        if let Err(seen) = follow(&interpreter, &runner, &mut random, STEPS) {
            panic!("seed {seed}: the program cannot follow to {seen:?}\n{text}");
        }
        if let Err(seen) = follow(&runner, &interpreter, &mut random, STEPS) {
            panic!("seed {seed}: the interpreter cannot follow to {seen:?}\n{text}");
        }
    }
}

/// No queue holds more in a random run of the interpreter than is proved.
fn bounds_hold(system: &CapsuleSystem, lowered: Lowered, seed: u64) {
    let limits = RunLimits { search_states: 500, exploration_states: 2_000 };
    let options = freeboard::Options { runs: limits, ..freeboard::Options::default() };
    let abstraction = abstract_program(&lowered.program, &options.abstraction).expect("an abstract system");
    let (warnings, findings, timings) = Default::default();
    let model = Model { program: lowered.program, warnings, abstraction, findings, assumed: None, timings };
    let analysis = check_model(model, &options, Instant::now());
    let buffers = analysis.system().buffers.iter();
    let bounds: BTreeMap<&str, u64> = buffers
        .filter_map(|(id, buffer)| match &analysis.outcome.buffers[id] {
            BufferVerdict::Bounded { bound } => Some((buffer.name.as_str(), u64::try_from(bound).ok()?)),
            _ => None,
        })
        .collect();
    let name = |queue: &Queue| match queue {
        Queue::Thread(thread) => system.threads[*thread].name.clone(),
        Queue::Port(place) => {
            let instance = &system.instances[place.instance];
            let port = &system.classes[instance.classes[0]].ports[place.port];
            format!("{}.{}", instance.path, port.name)
        }
    };
    let interpreter = Interpreter::new(system);
    for number in 0..RUNS {
        let mut random = SplitMix::new(seed * RUNS + number);
        let mut state = interpreter.initial();
        for _ in 0..3 * STEPS {
            let choices = interpreter.next(&state);
            if choices.is_empty() {
                break;
            }
            state = choices[random.below(choices.len())].clone();
            for (queue, waiting) in interpreter.seen(&state).queues {
                let name = name(&queue);
                let bound = bounds.get(name.as_str()).copied().unwrap_or(u64::MAX);
                assert!(waiting.len() as u64 <= bound, "seed {seed}: {name} holds {}", waiting.len());
            }
        }
    }
}

/// A system with each instance on one of two threads, or on none.
fn on_threads(mut system: CapsuleSystem, seed: u64) -> CapsuleSystem {
    let mut random = SplitMix::new(seed);
    let span = system.classes[system.instances[InstanceId::new(0)].classes[0]].span;
    for name in ["one", "two"] {
        system.threads.push(Thread { name: name.to_owned(), pool: None, polls: false, span });
    }
    for id in system.instances.ids().collect::<Vec<_>>() {
        let number = random.below(3);
        system.instances[id].thread = (number < 2).then(|| ThreadId::new(number));
    }
    system
}

/// A sender of four messages at once, which the receiver answers one by one, on one thread.
const BURST: &str = "
    RoomModel Burst {
        LogicalSystem Burst { SubSystemRef all: SAll }
        SubSystemClass SAll {
            ActorRef sender: ASender
            ActorRef receiver: AReceiver
            Binding sender.out and receiver.in
        }
        ProtocolClass P { incoming { Message item() } outgoing { Message next() } }
        ActorClass ASender {
            Interface { conjugated Port out: P }
            Structure { external Port out Attribute i: int32 Attribute answers: int32 }
            Behavior { StateMachine {
                State sending { entry '''for (i = 0; i < 4; i++) out.item();''' }
                State waiting
                Transition init: initial -> sending
                Transition first: sending -> waiting { triggers { <next: out> } action '''answers = 1;''' }
                Transition more: waiting -> waiting {
                    triggers { <next: out guard '''answers < 3'''> }
                    action '''answers++;'''
                }
                Transition last: waiting -> sending {
                    triggers { <next: out guard '''answers == 3'''> }
                }
            } }
        }
        ActorClass AReceiver {
            Interface { Port in: P }
            Structure { external Port in }
            Behavior { StateMachine {
                State ready
                Transition init: initial -> ready
                Transition item: ready -> ready { triggers { <item: in> } action '''in.next();''' }
            } }
        }
    }";

/// The burst with room for some messages.
fn burst(room: u32) -> Analysis {
    let thread = format!(
        "DefaultThread main {{ execmode = blocked prio = 0 stacksize = 1 msgblocksize = 1 msgpoolsize = {room} }}"
    );
    let node = format!("NodeClass N {{ runtime = R priomin = 0 priomax = 0 {thread} }}");
    let physical = format!(
        "PhysicalModel Board {{ PhysicalSystem Board {{ NodeRef node: N }} {node} RuntimeClass R {{ model = multiThreaded }} }}"
    );
    let given = [("burst.room".to_owned(), BURST.to_owned()), ("board.etphys".to_owned(), physical)];
    let mapping = "MappingModel M {
        import model \"burst.room\"
        import model \"board.etphys\"
        Mapping Burst -> Board { SubSystemMapping all -> node }
    }";
    let reading = Options { imports: Imports::Given(given.into()), ..Options::default() };
    check("m.etmap", mapping, &reading)
}

#[test]
fn a_thread_loses_messages_only_where_its_pool_is_too_small() {
    let enough = burst(5).view("m.etmap").property_results.swap_remove(0);
    let [thread] = enough.buffers.as_slice() else { panic!("{:?}", enough.buffers) };
    assert_eq!(enough.verdict, Verdict::Proved);
    let declared = thread.as_declared.as_ref().expect("it has a pool");
    assert_eq!((declared.blocks, declared.loses), (Some(false), true));
    let little = burst(4).view("m.etmap").property_results.swap_remove(0);
    let declared = little.buffers[0].as_declared.as_ref().expect("it has a pool");
    assert_eq!((declared.blocks, declared.loses), (Some(true), true));
    let lost = declared.send.as_ref().expect("a send");
    assert!(lost.text.contains("out.item()") || lost.text.contains("in.next()"), "{}", lost.text);
}

/// Two capsules: one reacts to `go`, and the other one answers each `a` with two of them until it
/// gets a `b`.
fn with_reaction(operations: &str, reaction: &str) -> String {
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
fn with_action(action: &str) -> String {
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

fn papers() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../umlrt-front/tests/fixtures/papers")
}

/// What the header of a text expects.
#[derive(Default)]
struct Expected {
    verdict: String,
    bounds: BTreeMap<String, u64>,
    grows: Vec<String>,
    /// The named transitions of each elementary cycle that has some.
    cycles: Vec<String>,
}

fn expected(text: &str) -> Expected {
    let mut expected = Expected::default();
    for line in text.lines().map_while(|line| line.strip_prefix("// ")) {
        let Some((key, value)) = line.split_once(": ") else { continue };
        match key {
            "verdict" => expected.verdict = value.to_owned(),
            "grows" => expected.grows.push(value.to_owned()),
            "cycles" => expected.cycles.push(value.to_owned()),
            "bound" => {
                let (queue, bound) = value.split_once(" <= ").expect("a bound");
                expected.bounds.insert(queue.to_owned(), bound.parse().expect("a number"));
            }
            _ => {}
        }
    }
    expected.cycles.sort();
    expected
}

/// The named transitions of each elementary cycle of the first process that has more than one.
fn cycles(analysis: &Analysis) -> Vec<String> {
    let listing = list_cycles(analysis.system(), "m.room", Detail::List, Some(10_000));
    let named = |text: &str| {
        let name = text.strip_prefix("Transition ")?.split(':').next()?;
        Some(name.to_owned())
    };
    let lists = listing.processes.iter().filter_map(|process| process.list.as_ref());
    let mut all: Vec<String> = lists
        .flatten()
        .map(|steps| {
            let mut names: Vec<String> = steps.iter().filter_map(|step| named(&step.text)).collect();
            names.sort();
            names.dedup();
            names.join(" ")
        })
        .filter(|names| !names.is_empty())
        .collect();
    all.sort();
    all
}

#[test]
fn the_examples_of_the_papers_come_out_as_they_should() {
    let entries = fs::read_dir(papers()).expect("texts");
    let mut paths: Vec<PathBuf> = entries.map(|entry| entry.expect("an entry").path()).collect();
    paths.sort();
    assert!(paths.len() >= 12);
    for path in paths {
        let text = fs::read_to_string(&path).expect("a text");
        let name = path.file_name().and_then(|name| name.to_str()).expect("a name");
        let (expected, analysis) = (expected(&text), check(name, &text, &options()));
        let verdict = analysis.view(name).property_results[0].verdict;
        match expected.verdict.as_str() {
            "proved" => assert_eq!(verdict, Verdict::Proved, "{name}"),
            "refuted" => assert_eq!(verdict, Verdict::Refuted, "{name}"),
            other => {
                assert_eq!(other, "not proved", "{name}");
                assert_ne!(verdict, Verdict::Proved, "{name}");
            }
        }
        for (id, buffer) in analysis.system().buffers.iter() {
            let found = &analysis.outcome.buffers[id];
            if let Some(bound) = expected.bounds.get(&buffer.name) {
                let BufferVerdict::Bounded { bound: proved, .. } = found else {
                    panic!("{name}: {} is {found}", buffer.name);
                };
                assert!(*proved <= (*bound).into(), "{name}: {} is {found}", buffer.name);
            }
            if expected.grows.contains(&buffer.name) {
                assert!(matches!(found, BufferVerdict::CanGrow { .. }), "{name}: {} is {found}", buffer.name);
            }
        }
        if !expected.cycles.is_empty() {
            assert_eq!(cycles(&analysis), expected.cycles, "{name}");
        }
    }
}

/// The size of the papers' exchange: 27 processes, some 800 states, 300 types of messages.
#[test]
fn a_system_of_the_size_of_an_exchange_is_decided() {
    let text = exchange_text(13, 30);
    let outcome = parse("exchange.room", &text, &Options::default());
    let lowered = outcome.lowered.expect("no error");
    assert_eq!(lowered.program.types.len(), 27);
    let stable: usize = lowered.stable.values().map(BTreeMap::len).sum();
    assert!(stable >= 780, "{stable} stable locations");
    let analysis = check("exchange.room", &text, &Options::default());
    assert_eq!(analysis.view("exchange.room").property_results[0].verdict, Verdict::Proved);
    assert!(analysis.system().buffers.len() >= 75);
}
