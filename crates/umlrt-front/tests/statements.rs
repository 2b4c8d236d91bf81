//! Each form of statement in action code, with exactly the effects that it has in the program.

use umlrt_front::{Imports, Options, Outcome, parse};

use crate::effects::reaction;

/// A statement, in the languages that have it, and its effects.
struct Form {
    /// The code in ROOM; nothing where Art alone has the form.
    room: Option<&'static str>,
    /// The code in Art; nothing where ROOM alone has the form.
    art: Option<&'static str>,
    /// The effects, as [`reaction`] writes them.
    effects: &'static str,
}

/// Code that both languages have: in Art, messages that are made are sent.
const fn both(code: &'static str, effects: &'static str) -> Form {
    Form { room: Some(code), art: Some(code), effects }
}

const fn room(code: &'static str, effects: &'static str) -> Form {
    Form { room: Some(code), art: None, effects }
}

const fn art(code: &'static str, effects: &'static str) -> Form {
    Form { room: None, art: Some(code), effects }
}

/// Any messages of all ports, any number of times, those that start and stop timers among them.
const ANYTHING_IN_ROOM: &str = "1: ([timer.running == 0]; again 1 | \
    [timer.running == 0]; timer.running = 2; client.timer.commands!startTimer; again 1 | \
    [timer.running == 0]; timer.running = 1; client.timer.commands!startTimeout; again 1 | \
    left.q!a; again 1 | left.q!b; again 1 | only.q!a; again 1 | only.q!b; again 1 | \
    right.q!a; again 1 | right.q!b; again 1 | [!(timer.running == 0)]; again 1 | \
    [!(timer.running == 0)]; timer.running = 0; client.timer.commands!kill; again 1 | \
    nothing)";
const ANYTHING_IN_ART: &str = "1: (client.timer.armed!startTimeout; again 1 | client.timer.armed!startTimer; again 1 | \
    client.timer.armed??_; again 1 | client.timer??_; again 1 | left.q!a; again 1 | \
    left.q!b; again 1 | only.q!a; again 1 | only.q!b; again 1 | right.q!a; again 1 | \
    right.q!b; again 1 | nothing)";

/// A system in ROOM: at each `go`, `client` runs the code. `only` is wired to its port `p`, `left`
/// and `right` to its replicated port `r`. The second transition is there for its guard: what it
/// depends on is followed.
fn in_room(code: &str) -> Outcome {
    let library = "RoomModel etrice.api.timer {
        ProtocolClass PTimer { incoming { Message kill() } outgoing { Message timeout() } }
        ActorClass ATimerService { Interface { SPP timer: PTimer } Structure { ServiceImplementation of timer } }
    }";
    let text = format!(
        "RoomModel M {{
            import etrice.api.timer.*
            PrimitiveType int: ptInteger -> int (Int) default \"0\"
            Enumeration Colour {{ red, green }}
            ProtocolClass P {{
                incoming {{ Message go() Message look() }}
                outgoing {{ Message a() Message b(value: int) }}
            }}
            ActorClass Client {{
                Interface {{ Port p: P Port r[2]: P }}
                Structure {{
                    external Port p
                    external Port r
                    SAP timer: PTimer
                    Attribute n: int = \"0\"
                    Attribute m: int = \"0\"
                    Attribute small: uint8 = \"0\"
                    Attribute flag: boolean = \"false\"
                    Attribute colour: Colour
                }}
                Behavior {{
                    Operation two(x: int) '''p.a(); p.a();'''
                    Operation maybe() '''if (n == 0) return; p.a();'''
                    Operation twice(x: int): int '''p.a(); return 2 * x;'''
                    Operation again(x: int) '''p.a(); again(x);'''
                    StateMachine {{
                        State s
                        Transition init: initial -> s
                        Transition go: s -> s {{ triggers {{ <go: p> }} action '''{code}''' }}
                        Transition look: s -> s {{ triggers {{
                            <look: p guard '''n + m + small > 0 && flag'''>
                        }} }}
                    }}
                }}
            }}
            ActorClass Peer {{ Interface {{ conjugated Port q: P }} Structure {{ external Port q }}
                Behavior {{ StateMachine {{ State s Transition init: initial -> s }} }} }}
            ActorClass Top {{ Structure {{
                ActorRef client: Client ActorRef only: Peer ActorRef left: Peer ActorRef right: Peer
                ActorRef clock: ATimerService
                Binding client.p and only.q
                Binding client.r and left.q
                Binding client.r and right.q
                LayerConnection ref client satisfied_by clock.timer
            }} }}
        }}"
    );
    let files = [("etrice/api/timer.room".to_owned(), library.to_owned())];
    let options = Options { imports: Imports::Given(files.into()), ..Options::default() };
    parse("m.room", &text, &options)
}

/// The same system in Art.
fn in_art(code: &str) -> Outcome {
    let text = format!(
        "protocol P {{ in go(), look(); out a(), b(`int`); }};
        capsule Client {{
            [[rt::decl]] `
                int n = 0, m = 0;
                uint8_t small = 0;
                bool flag = false;
                Colour colour = red;
                void two(int x) {{ p.a().send(); p.a().send(); }}
                void maybe() {{ if (n == 0) return; p.a().send(); }}
                int twice(int x) {{ p.a().send(); return 2 * x; }}
                void again(int x) {{ p.a().send(); again(x); }}
            `
            service behavior port p : P;
            service behavior port r : P[2];
            behavior port timer : Timing;
            behavior port frame : Frame;
            optional part spare : Peer;
            statemachine {{
                state s;
                initial -> s;
                go: s -> s on p.go `{code}`;
                look: s -> s on p.look[`n + m + small > 0 && flag`];
            }};
        }};
        capsule Peer {{ service behavior port q~ : P; statemachine {{ state s; initial -> s; }}; }};
        capsule Top {{
            part client : Client, only : Peer, left : Peer, right : Peer;
            connect client.p with only.q;
            connect client.r with left.q;
            connect client.r with right.q;
        }};"
    );
    parse("m.art", &text, &Options { imports: Imports::Refused, ..Options::default() })
}

fn are_right(forms: &[Form]) {
    let mut wrong = Vec::new();
    for form in forms {
        let sent = |code: &str| {
            ["p.a()", "p.b(1)", "r.a()"]
                .iter()
                .fold(code.to_owned(), |code, made| code.replace(made, &format!("{made}.send()")))
        };
        // Where both languages have the form, that of Art is made from that of ROOM.
        let of_art = form.art.map(|code| if form.room.is_some() { sent(code) } else { code.to_owned() });
        for (code, read) in [(form.room.map(str::to_owned), in_room as fn(&str) -> Outcome), (of_art, in_art)]
        {
            let Some(code) = code else { continue };
            let outcome = read(&code);
            let program = outcome.program().unwrap_or_else(|| panic!("{code}: {:?}", outcome.diagnostics));
            let effects = reaction(program, "Top.client", "client.p", "go");
            if effects != form.effects {
                wrong.push(format!("{code}\n  has     {effects}\n  and not {}", form.effects));
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// A send appends one message to each of the peers, or to one of them.
#[test]
fn sends() {
    are_right(&[
        both("", "nothing"),
        both("p.a();", "only.q!a"),
        both("this->p.a(); p.b(1);", "only.q!a; only.q!b"),
        both("r.a();", "left.q!a; right.q!a"),
        room("r[0].a();", "(left.q!a | right.q!a)"),
        room("r[n].a();", "(left.q!a | right.q!a)"),
        room("r[((etReplSubPort*)ifitem)->index].a();", "(left.q!a | right.q!a)"),
        room("p_a();", "only.q!a"),
        room("r_a_broadcast();", "left.q!a; right.q!a"),
        room("r_a(0);", "(left.q!a | right.q!a)"),
        art("r.a().sendAt(0);", "(left.q!a | right.q!a)"),
        art("r.a().sendAt(1);", "(left.q!a | right.q!a | nothing)"),
        art("r.a().sendAt(msg->sapIndex0());", "(left.q!a | right.q!a | nothing)"),
        art("p.a();", "1: (only.q!a; again 1 | only.q!b; again 1 | nothing)"),
        art("auto made = p.a(); made.send();", "1: (only.q!a; again 1 | only.q!b; again 1 | nothing)"),
    ]);
}

/// Messages that overtake others are sent like these; they are received in any order. One that is
/// handled at once may find its receiver not ready.
#[test]
fn sends_that_overtake() {
    are_right(&[
        art("p.a().send(High);", "only.q!a"),
        art("r.a().sendAt(0, Low);", "(left.q!a | right.q!a)"),
        art("r.a().sendAt(n, Low);", "(left.q!a | right.q!a | nothing)"),
        art("p.a().invoke();", "(only.q!a | nothing)"),
        art(
            "RTMessage answer; r.a().invoke(&answer); p.b(1).send();",
            "(left.q!a; (only.q!b | right.q!a; only.q!b) | only.q!b | right.q!a; only.q!b)",
        ),
        art("r.a().invokeAt(0, &answer);", "(left.q!a | right.q!a | nothing)"),
        art("p.a().reply();", "(only.q!a | nothing)"),
        art("msg->defer();", "client.p!go"),
        art("msg->defer(); p.a().send();", "client.p!go; only.q!a"),
        art("sendCopyToMe(msg);", "client.p!go"),
        art(
            "if (n == 1) msg->defer(); else p.a().send();",
            "([n == 1]; client.p!go | [!(n == 1)]; only.q!a)",
        ),
        art("p.recall(); p.recallAll(); p.recallFront();", "nothing"),
        art("p.registerSAP(\"name\"); p.registerSPP(name); p.deregister();", "nothing"),
    ]);
}

/// Starting a timer puts it to those that are armed, unless, in ROOM, one runs already.
#[test]
fn timers() {
    are_right(&[
        room(
            "timer.startTimeout(100);",
            "([timer.running == 0]; timer.running = 1; client.timer.armed!startTimeout | [!(timer.running == 0)])",
        ),
        room(
            "timer.startTimer(100);",
            "([timer.running == 0]; timer.running = 2; client.timer.armed!startTimer | [!(timer.running == 0)])",
        ),
        room(
            "timer.kill();",
            "([timer.running == 0] | [!(timer.running == 0)]; timer.running = 0; client.timer.commands!kill)",
        ),
        art("timer.informIn(RTTimespec(1, 0));", "client.timer.armed!startTimeout"),
        art("timer.informAt(when);", "client.timer.armed!startTimeout"),
        art("timer.informEvery(RTTimespec(1, 0));", "client.timer.armed!startTimer"),
        art(
            "timer.cancelTimer(id);",
            "(client.timer.armed??_; 2: (client.timer??_; again 2 | nothing) | \
             client.timer??_; 2: (client.timer??_; again 2 | nothing) | nothing)",
        ),
    ]);
}

/// Capsules are created at any time, so that code which creates one does nothing more.
#[test]
fn capsules_that_come_and_go() {
    are_right(&[
        art(
            "frame.incarnate(spare); p.a().send();",
            "([client.spare.created == 0]; client.spare.created = 1; only.q!a | only.q!a)",
        ),
        art(
            "RTActorId id = frame.incarnate(spare, Peer); if (!id.isValid()) p.a().send();",
            "([client.spare.created == 0]; client.spare.created = 1; (only.q!a | nothing) | only.q!a | nothing)",
        ),
        art("frame.incarnate(spare); fill(spare); p.a().send();", "only.q!a"),
        art("frame.destroy(spare); p.a().send();", "only.q!a"),
        art("frame.deport(id, spare); p.a().send();", "only.q!a"),
    ]);
}

/// A variable that conditions depend on gets the value that is written.
#[test]
fn assignments() {
    are_right(&[
        both("n = 4;", "n = 4"),
        both("this->n = -4;", "n = -4"),
        both("flag = true;", "flag = 1"),
        both("flag = !flag;", "flag = !flag"),
        both("flag = n > 2 && m <= n;", "flag = (n > 2) && (m <= n)"),
        both("small = 255;", "small = 255"),
        both("n = m = 2;", "m = 2; n = m"),
        both(
            "n += 2; n -= m; n *= 3; n /= 2; n %= 5;",
            "n = n + 2; n = n - m; n = n * 3; n = n / 2; n = n % 5",
        ),
        both("n &= 3; n |= m; n ^= 1;", "n = n & 3; n = n | m; n = n ^ 1"),
        both("n++; ++n; n--; --n;", "n = n + 1; n = n + 1; n = n - 1; n = n - 1"),
        both("m = n++; m = --n;", "n = n + 1; m = n - 1; n = n - 1; m = n"),
        both("n = m > 2 ? m : 2;", "n = (m > 2) ? m : 2"),
        both("n = (m + 3) * 2 - 7 % 4;", "n = ((m + 3) * 2) - (7 % 4)"),
        both("n = 2, m = 3;", "n = 2; m = 3"),
        // The value is not known: neither is the variable followed.
        both("n = unknown(); p.a();", "only.q!a"),
        both("if (n == 1) p.a(); n = unknown();", "(only.q!a | nothing)"),
        both("n <<= 1; if (n == 1) p.a();", "(only.q!a | nothing)"),
        // Enumerations are not followed.
        both("colour = red; if (colour == green) p.a();", "(only.q!a | nothing)"),
        // Nor are local variables on which nothing depends.
        both("int i = 3; p.a();", "only.q!a"),
        both("int i = 3; if (i == n) p.a();", "i = 3; ([i == n]; only.q!a; i = 0 | [!(i == n)]; i = 0)"),
        both(
            "int i; i = n; i += 2; if (i > 3) p.a();",
            "i = n; i = i + 2; ([i > 3]; only.q!a; i = 0 | [!(i > 3)]; i = 0)",
        ),
        both("bool b = n > 3; if (b) p.a();", "b = n > 3; ([b]; only.q!a; b = 0 | [!b]; b = 0)"),
        both("int i; if (i == n) p.a();", "(only.q!a | nothing)"),
        both("int n = 3; if (n == 3) p.a();", "n = 3; ([n == 3]; only.q!a; n = 0 | [!(n == 3)]; n = 0)"),
    ]);
}

/// Each branch is taken where its condition holds, or may be where that is not known.
#[test]
fn branches() {
    are_right(&[
        both("if (n == 1) p.a();", "([n == 1]; only.q!a | [!(n == 1)])"),
        both("if (n == 1) p.a(); else p.b(1);", "([n == 1]; only.q!a | [!(n == 1)]; only.q!b)"),
        both(
            "if (flag) { p.a(); } else if (n > 2) { p.b(1); } p.a();",
            "([flag]; only.q!a; only.q!a | [!flag]; ([n > 2]; only.q!b; only.q!a | [!(n > 2)]; only.q!a))",
        ),
        both("if (unknown()) p.a(); else p.b(1);", "(only.q!a | only.q!b)"),
        both("if (flag && n > 2) p.a();", "([flag && (n > 2)]; only.q!a | [!(flag && (n > 2))])"),
        both("if (flag && unknown()) p.a();", "(only.q!a | nothing)"),
        both("flag && (p.a(), true);", "([flag]; only.q!a | [!flag])"),
        both("flag ? p.a() : p.b(1);", "([flag]; only.q!a | [!flag]; only.q!b)"),
        both("unknown() ? p.a() : p.b(1);", "(only.q!a | only.q!b)"),
        both("if (n == 1) return; p.a();", "([n == 1] | [!(n == 1)]; only.q!a)"),
        both(
            "switch (n) { case 1: p.a(); break; case 2: p.b(1); }",
            "([n == 1]; only.q!a | [!(n == 1)]; ([n == 2]; only.q!b | [!(n == 2)]))",
        ),
        both(
            "switch (n) { case 1: p.a(); case 2: p.b(1); break; default: r.a(); }",
            "([n == 1]; only.q!a; only.q!b | [!(n == 1)]; ([n == 2]; only.q!b | [!(n == 2)]; left.q!a; right.q!a))",
        ),
        both(
            "switch (n) { case 1: case 2: p.a(); break; }",
            "([n == 1]; only.q!a | [!(n == 1)]; ([n == 2]; only.q!a | [!(n == 2)]))",
        ),
        both(
            "switch (n) { default: p.a(); break; case 2: return; } p.b(1);",
            "([n == 2] | [!(n == 2)]; only.q!a; only.q!b)",
        ),
        both(
            "switch (n) { case 1: if (flag) break; p.a(); }",
            "([n == 1]; ([flag] | [!flag]; only.q!a) | [!(n == 1)])",
        ),
        both(
            "switch (unknown()) { case 1: p.a(); break; case 2: p.b(1); }",
            "(only.q!a | only.q!b | nothing)",
        ),
        both("switch (n) { case RED: p.a(); break; default: p.b(1); }", "(only.q!a | only.q!b)"),
    ]);
}

/// A loop goes on as long as its condition holds, or as long as it may where that is not known.
#[test]
fn loops() {
    are_right(&[
        both(
            "for (int i = 0; i < 3; i++) p.a();",
            "i = 0; 2: ([i < 3]; only.q!a; i = i + 1; again 2 | [!(i < 3)]; i = 0)",
        ),
        both(
            "for (int i = 0; i < n; i++) p.a();",
            "i = 0; 2: ([i < n]; only.q!a; i = i + 1; again 2 | [!(i < n)]; i = 0)",
        ),
        both("while (n > 0) { p.a(); n--; }", "1: ([n > 0]; only.q!a; n = n - 1; again 1 | [!(n > 0)])"),
        both("do { p.a(); n--; } while (n > 0);", "1: only.q!a; n = n - 1; ([n > 0]; again 1 | [!(n > 0)])"),
        both("while (unknown()) p.a();", "1: (only.q!a; again 1 | nothing)"),
        both("do p.a(); while (unknown());", "only.q!a; 2: (only.q!a; again 2 | nothing)"),
        both(
            "for (;;) { if (n > 3) break; n++; p.a(); }",
            "1: ([n > 3] | [!(n > 3)]; n = n + 1; only.q!a; again 1)",
        ),
        both(
            "for (int i = 0; i < 3; i++) { if (i == n) continue; p.a(); }",
            "i = 0; 2: ([i < 3]; ([i == n]; i = i + 1; again 2 | [!(i == n)]; only.q!a; i = i + 1; again 2) | [!(i < 3)]; i = 0)",
        ),
        both(
            "while (n > 0) { n--; if (flag) return; } p.a();",
            "1: ([n > 0]; n = n - 1; ([flag] | [!flag]; again 1) | [!(n > 0)]; only.q!a)",
        ),
        both(
            "for (int i = 0; i < 3; i++) { switch (n) { case 1: break; case 2: continue; default: return; } p.a(); }",
            "i = 0; 2: ([i < 3]; ([n == 1]; only.q!a; i = i + 1; again 2 | [!(n == 1)]; ([n == 2]; i = i + 1; again 2 | [!(n == 2)]; i = 0)) | [!(i < 3)]; i = 0)",
        ),
        both("while (unknown()) other();", "nothing"),
        both("for (auto x : list) p.a();", "1: (only.q!a; again 1 | nothing)"),
    ]);
}

/// An operation of the capsule does what its body does.
#[test]
fn operations() {
    are_right(&[
        both("two(1); p.b(1);", "only.q!a; only.q!a; only.q!b"),
        both("this->two(1);", "only.q!a; only.q!a"),
        both("maybe(); p.b(1);", "([n == 0]; only.q!b | [!(n == 0)]; only.q!a; only.q!b)"),
        // Values of operations are not known.
        both("if (twice(3) == 6) p.b(1);", "only.q!a; (only.q!b | nothing)"),
        both("m = twice(3); if (m == 1) p.b(1);", "only.q!a; (only.q!b | nothing)"),
        both("for (int i = 0; i < twice(1); i++) p.b(1);", "1: only.q!a; (only.q!b; again 1 | nothing)"),
        both("again(3);", "only.q!a; 2: (only.q!a; again 2 | nothing)"),
        art("Client::two(1);", "1: (only.q!a; again 1 | nothing)"),
    ]);
}

/// The values of messages are not known.
#[test]
fn received_data() {
    are_right(&[
        room("if (transitionData == 1) p.a();", "(only.q!a | nothing)"),
        art("if (*rtdata == 1) p.a().send();", "(only.q!a | nothing)"),
        room("n = transitionData; if (n == 1) p.a();", "(only.q!a | nothing)"),
        art("n = *rtdata; if (n == 1) p.a().send();", "(only.q!a | nothing)"),
    ]);
}

/// A value that is not known is known by its range where a comparison with a number limits a loop.
#[test]
fn ranges() {
    are_right(&[
        both(
            "n = f(); if (n > 100) n = 100; for (int i = 0; i < n; i++) p.a();",
            "n at least = -2147483648; n at most = 2147483647; ([100 < n at most]; n at least = (n at least < 101) ? 101 : n at least; n at least = 100; n at most = 100; i = 0; 8: ([i < n at most]; only.q!a; i = i + 1; again 8 | [i >= n at least]; i = 0) | [100 >= n at least]; n at most = (n at most > 100) ? 100 : n at most; i = 0; 6: ([i < n at most]; only.q!a; i = i + 1; again 6 | [i >= n at least]; i = 0))",
        ),
        both(
            "int k = f(); if (k <= 9) while (k > 0) { p.a(); k--; }",
            "k at least = -2147483648; k at most = 2147483647; ([9 < k at most]; k at least = (k at least < 10) ? 10 : k at least; k at least = 0; k at most = 0 | [9 >= k at least]; k at most = (k at most > 9) ? 9 : k at most; 5: ([0 < k at most]; only.q!a; k at least = (k at least == -2147483648) ? -2147483648 : (k at least + -1); k at most = (k at most == 2147483647) ? 2147483647 : (k at most + -1); again 5 | [0 >= k at least]; k at least = 0; k at most = 0))",
        ),
        both(
            "int k = f(); if (k > 9 || k < 2) return; for (int i = 0; i < k; i++) p.a();",
            "k at least = -2147483648; k at most = 2147483647; ([(9 < k at most) || (k at least < 2)]; k at least = 0; k at most = 0; i = 0 | [(9 >= k at least) && (k at most >= 2)]; k at most = (k at most > 9) ? 9 : k at most; k at least = (k at least < 2) ? 2 : k at least; i = 0; 7: ([i < k at most]; only.q!a; i = i + 1; again 7 | [i >= k at least]; k at least = 0; k at most = 0; i = 0))",
        ),
        both(
            "int k = f(); if (k > 9 && g()) k = 9; for (int i = 0; i < k; i++) p.a();",
            "k at least = -2147483648; k at most = 2147483647; ([(9 < k at most) && 1]; k at least = (k at least < 10) ? 10 : k at least; k at least = 9; k at most = 9; i = 0; 8: ([i < k at most]; only.q!a; i = i + 1; again 8 | [i >= k at least]; k at least = 0; k at most = 0; i = 0) | [(9 >= k at least) || 1]; i = 0; 5: ([i < k at most]; only.q!a; i = i + 1; again 5 | [i >= k at least]; k at least = 0; k at most = 0; i = 0))",
        ),
        // Nothing limits it.
        both("int k = f(); for (int i = 0; i < k; i++) p.a();", "1: (only.q!a; again 1 | nothing)"),
        // What the function has a reference to may change in it.
        both(
            "n = f(); if (n > 9) n = 9; g(&n); for (int i = 0; i < n; i++) p.a();",
            "1: (only.q!a; again 1 | nothing)",
        ),
    ]);
}

/// A call of what is not in the model sends what it is given, any number of times.
#[test]
fn unknown_calls() {
    are_right(&[
        both("unknown(); p.a();", "only.q!a"),
        both("unknown(n); if (n == 1) p.a();", "(only.q!a | nothing)"),
        both("unknown(&n); if (n == 1) p.a();", "(only.q!a | nothing)"),
        both("printf(\"%d\", n); if (n == 1) p.a();", "([n == 1]; only.q!a | [!(n == 1)])"),
        both("unknown(p.a());", "1: (only.q!a; again 1 | nothing)"),
        both("unknown(&p);", "1: (only.q!a; again 1 | only.q!b; again 1 | nothing)"),
        room("unknown(this);", ANYTHING_IN_ROOM),
        art("unknown(this);", ANYTHING_IN_ART),
    ]);
}

/// A fragment that is not understood sends what its text names, any number of times.
#[test]
fn unreadable_fragments() {
    are_right(&[
        both("p.a(); goto end; end: p.b(1);", "1: (only.q!a; again 1 | only.q!b; again 1 | nothing)"),
        both("try { p.a(); } catch (int e) { }", "1: (only.q!a; again 1 | nothing)"),
        both("p.a(;", "1: (only.q!a; again 1 | nothing)"),
        room("asm(\"nop\");", ANYTHING_IN_ROOM),
        art("asm(\"nop\");", ANYTHING_IN_ART),
        both("auto f = [&] { p.a(); }; f();", "1: (only.q!a; again 1 | nothing)"),
        both("#define AGAIN p.a()\nAGAIN; AGAIN;", "1: (only.q!a; again 1 | nothing)"),
        both("goto end; n = 2; end: ; if (n == 1) p.a();", "1: (only.q!a; again 1 | nothing)"),
    ]);
}

/// A message that was kept, or is reached in another way, is not the one at hand.
#[test]
fn other_messages_are_not_deferred() {
    for code in [
        "kept->defer();",
        "sendCopyToMe(kept);",
        "RTMessage* msg = kept; msg->defer();",
        "auto later = &RTMessage::defer;",
        "goto end; end: msg->defer();",
    ] {
        let outcome = in_art(code);
        let errors =
            outcome.diagnostics.iter().filter(|found| found.severity == umlrt_front::Severity::Error);
        let codes: Vec<&str> = errors.map(|found| found.code).collect();
        assert_eq!(codes, ["U0601"], "{code}");
    }
    // In a text it is no call.
    assert!(in_art("log(\"defer() and sendCopyToMe() wait\");").program().is_some());
}

/// Truth values of the run-time system of Art.
#[test]
fn truth_values_of_the_library() {
    are_right(&[
        art("flag = n == 1 ? RTTrue : RTFalse;", "flag = (n == 1) ? 1 : 0"),
        art("int RTTrue = f(); flag = RTTrue; if (flag) p.a().send();", "(only.q!a | nothing)"),
        room("flag = RTTrue; if (flag) p.a();", "(only.q!a | nothing)"),
    ]);
}

/// Numbers without a sign begin anew at 0, and are compared as such.
#[test]
fn numbers_without_a_sign() {
    are_right(&[
        both(
            "uint32_t w = 0; w--; if (w > 5) p.a();",
            "w = 0; w = w - 1; ([(w < 0) || (5 < w)]; only.q!a; w = 0 | [!((w < 0) || (5 < w))]; w = 0)",
        ),
        both(
            "unsigned int w = 4; w += 2; if (w == 6) p.a();",
            "w = 4; w = w + 2; ([w == 6]; only.q!a; w = 0 | [!(w == 6)]; w = 0)",
        ),
        both(
            "for (unsigned i = 0; i < 2; i++) p.a();",
            "i = 0; 2: ([!(!(i < 0) && (i < 2))]; i = 0 | [!(i < 0) && (i < 2)]; only.q!a; i = i + 1; again 2)",
        ),
        // Beside it, a number with a sign loses the sign.
        both("unsigned w = 4; if (w > n) p.a();", "(only.q!a | nothing)"),
        both("unsigned w = 4; if (w - 5 < 0) p.a();", "(only.q!a | nothing)"),
        both("unsigned w = 4; n = w; if (n == 4) p.a();", "(only.q!a | nothing)"),
        both("unsigned long w = 4; if (w == 4) p.a();", "(only.q!a | nothing)"),
    ]);
}

/// A local variable may have the name of what stands for the message.
#[test]
fn variables_named_as_the_message() {
    are_right(&[
        both("std::string msg = \"x\"; log(msg.c_str()); p.a();", "only.q!a"),
        both("int rtport = 1; log(rtport); if (rtport == 1) p.a();", "(only.q!a | nothing)"),
    ]);
}
