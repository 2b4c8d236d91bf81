//! Random systems of capsules, as texts in ROOM and Art.

use cfsm_core::splitmix::SplitMix;

/// How deep states are nested.
const DEEPEST: usize = 2;
/// The messages of the one protocol, in each direction.
const MESSAGES: usize = 3;

/// A random system: some actor classes with random machines, wired in a ring over ports of their
/// own, and one of them with a replicated port to several instances of another one.
#[must_use]
pub fn room_text(seed: u64) -> String {
    text_of(seed, Language { is_art: false, has_points: true })
}

/// The same random system in ROOM and in Art, without what only one of them has.
#[must_use]
pub fn twin_texts(seed: u64) -> Twins {
    let text = |is_art| text_of(seed, Language { is_art, has_points: false });
    Twins { room: text(false), art: text(true) }
}

/// A system in two languages.
#[derive(Clone, Debug)]
pub struct Twins {
    /// In ROOM.
    pub room: String,
    /// In Art.
    pub art: String,
}

fn text_of(seed: u64, language: Language) -> String {
    let mut writer =
        Writer { random: SplitMix::new(seed), language, text: String::new(), indent: 0, names: 0 };
    writer.model();
    writer.text
}

#[derive(Clone, Copy)]
struct Language {
    is_art: bool,
    /// Graphs may have transition points.
    has_points: bool,
}

struct Writer {
    random: SplitMix,
    language: Language,
    text: String,
    indent: usize,
    names: usize,
}

/// A port of the class whose machine is written.
#[derive(Clone, Copy)]
struct Port {
    name: &'static str,
    /// The letter that its outgoing messages begin with; the incoming ones begin with the other.
    sends: char,
    receives: char,
}

const REGULAR: Port = Port { name: "left", sends: 'o', receives: 'i' };
const CONJUGATED: Port = Port { name: "right", sends: 'i', receives: 'o' };
const HUB: Port = Port { name: "spokes", sends: 'o', receives: 'i' };

/// A state graph that is written.
struct Graph<'w> {
    ports: &'w [Port],
    states: Vec<Child>,
    /// Transition points and exit points of the graph itself.
    points: Vec<String>,
    exits: Vec<String>,
    choices: Vec<String>,
}

/// A state of a graph, with the points on its border.
struct Child {
    name: String,
    entries: Vec<String>,
    exits: Vec<String>,
}

impl Writer {
    fn line(&mut self, line: &str) {
        self.text.extend(std::iter::repeat_n('\t', self.indent));
        self.text.push_str(line);
        self.text.push('\n');
    }

    fn open(&mut self, line: &str) {
        self.line(&format!("{line} {{"));
        self.indent += 1;
    }

    fn close(&mut self) {
        self.indent -= 1;
        self.line(if self.language.is_art { "};" } else { "}" });
    }

    fn name(&mut self, prefix: &str) -> String {
        self.names += 1;
        format!("{prefix}{}", self.names)
    }

    fn chance(&mut self, in_ten: usize) -> bool {
        self.random.below(10) < in_ten
    }

    fn model(&mut self) {
        let classes = 2 + self.random.below(2);
        let spokes = self.random.below(3);
        if self.language.is_art {
            return self.application(classes, spokes);
        }
        self.open("RoomModel Random");
        self.open("ProtocolClass PTalk");
        for (direction, letter) in [("incoming", 'i'), ("outgoing", 'o')] {
            self.open(direction);
            for number in 0..MESSAGES {
                self.line(&format!("Message {letter}{number}()"));
            }
            self.close();
        }
        self.close();
        self.actors(classes, spokes);
        self.open("ActorClass ATop");
        self.open("Structure");
        for class in 0..classes {
            self.line(&format!("ActorRef a{class}: A{class}"));
        }
        for class in 0..classes {
            self.line(&format!("Binding a{class}.left and a{}.right", (class + 1) % classes));
        }
        if spokes > 0 {
            self.line(&format!("ActorRef spoke[{spokes}]: ASpoke"));
            self.line("Binding a0.spokes and spoke.right");
        }
        for _ in 0..3 {
            self.close();
        }
    }

    /// The model as an application of Art.
    fn application(&mut self, classes: usize, spokes: usize) {
        self.open("protocol PTalk");
        for (direction, letter) in [("in", 'i'), ("out", 'o')] {
            for number in 0..MESSAGES {
                self.line(&format!("{direction} {letter}{number}();"));
            }
        }
        self.close();
        self.actors(classes, spokes);
        self.open("capsule ATop");
        for class in 0..classes {
            self.line(&format!("part a{class}: A{class};"));
        }
        for class in 0..classes {
            self.line(&format!("connect a{class}.left with a{}.right;", (class + 1) % classes));
        }
        if spokes > 0 {
            self.line(&format!("part spoke: ASpoke[{spokes}];"));
            self.line("connect a0.spokes with spoke.right;");
        }
        self.close();
    }

    fn actors(&mut self, classes: usize, spokes: usize) {
        for class in 0..classes {
            let hub = class == 0 && spokes > 0;
            let ports: &[Port] = if hub { &[REGULAR, CONJUGATED, HUB] } else { &[REGULAR, CONJUGATED] };
            self.actor(&format!("A{class}"), ports, spokes);
        }
        if spokes > 0 {
            self.actor("ASpoke", &[CONJUGATED], spokes);
        }
    }

    fn capsule(&mut self, name: &str, ports: &[Port], spokes: usize) {
        self.open(&format!("capsule {name}"));
        for port in ports {
            let conjugated = if port.sends == 'i' { "~" } else { "" };
            let several = if port.name == "spokes" { format!("[{spokes}]") } else { String::new() };
            self.line(&format!("service behavior port {}{conjugated}: PTalk{several};", port.name));
        }
        self.line("[[rt::decl]] `int n = 1; bool flag = false; uint8_t small = 0; int x = 0;`");
        self.open("statemachine");
        self.graph(ports, 0, Vec::new(), Vec::new());
        self.close();
        self.close();
    }

    fn actor(&mut self, name: &str, ports: &[Port], spokes: usize) {
        if self.language.is_art {
            return self.capsule(name, ports, spokes);
        }
        self.open(&format!("ActorClass {name}"));
        self.open("Interface");
        for port in ports {
            let conjugated = if port.sends == 'i' { "conjugated " } else { "" };
            let several = if port.name == "spokes" { format!("[{spokes}]") } else { String::new() };
            self.line(&format!("{conjugated}Port {}{several}: PTalk", port.name));
        }
        self.close();
        self.open("Structure");
        for port in ports {
            self.line(&format!("external Port {}", port.name));
        }
        // One of these is never followed: code that is not known may change it.
        self.line("Attribute n: int32 = \"1\"");
        self.line("Attribute flag: boolean = \"false\"");
        self.line("Attribute small: uint8");
        self.line("Attribute x: int32");
        self.close();
        self.open("Behavior");
        self.open("StateMachine");
        self.graph(ports, 0, Vec::new(), Vec::new());
        for _ in 0..3 {
            self.close();
        }
    }

    /// The content of a state graph with the given points on its border.
    fn graph(&mut self, ports: &[Port], depth: usize, entries: Vec<String>, exits: Vec<String>) {
        let mut graph = Graph { ports, states: Vec::new(), points: Vec::new(), exits, choices: Vec::new() };
        for entry in &entries {
            self.declare("EntryPoint", entry);
        }
        for exit in graph.exits.clone() {
            self.declare("ExitPoint", &exit);
        }
        for _ in 0..if self.language.has_points { self.random.below(2) } else { 0 } {
            let name = self.name("tp");
            let handler = if self.chance(4) { "handler " } else { "" };
            self.line(&format!("{handler}TransitionPoint {name}"));
            graph.points.push(name);
        }
        for _ in 0..self.random.below(2) {
            let name = self.name("cp");
            self.declare("ChoicePoint", &name);
            graph.choices.push(name);
        }
        for _ in 0..1 + self.random.below(3) {
            let child = self.state(ports, depth);
            graph.states.push(child);
        }
        self.transitions(&graph, &entries);
    }

    fn state(&mut self, ports: &[Port], depth: usize) -> Child {
        let name = self.name("s");
        let mut child = Child { name: name.clone(), entries: Vec::new(), exits: Vec::new() };
        let is_art = self.language.is_art;
        self.open(&format!("{} {name}", if is_art { "state" } else { "State" }));
        for keyword in ["entry", "exit"] {
            if self.chance(3) {
                let code = self.code(ports);
                self.line(&format!("{keyword} {code}{}", if is_art { ";" } else { "" }));
            }
        }
        if depth < DEEPEST && self.chance(4) {
            for _ in 0..self.random.below(2) {
                child.entries.push(self.name("en"));
            }
            for _ in 0..self.random.below(2) {
                child.exits.push(self.name("ex"));
            }
            if !is_art {
                self.open("subgraph");
            }
            self.graph(ports, depth + 1, child.entries.clone(), child.exits.clone());
            if !is_art {
                self.close();
            }
        }
        self.close();
        child
    }

    /// A point or a choice point.
    fn declare(&mut self, kind: &str, name: &str) {
        if !self.language.is_art {
            return self.line(&format!("{kind} {name}"));
        }
        let kind = match kind {
            "EntryPoint" => "entrypoint",
            "ExitPoint" => "exitpoint",
            _ => "choice",
        };
        self.line(&format!("{kind} {name};"));
    }

    fn transitions(&mut self, graph: &Graph<'_>, entries: &[String]) {
        let first = self.target(graph, false);
        self.transition(graph, "initial", &first, "");
        for entry in entries {
            // An entry point without a way on leads to the history.
            if self.chance(7) {
                let to = self.target(graph, false);
                self.transition(graph, &format!("my {entry}"), &to, "");
            }
        }
        for child in &graph.states {
            for exit in &child.exits {
                let to = self.target(graph, true);
                self.transition(graph, &format!("{exit} of {}", child.name), &to, "");
            }
        }
        for choice in &graph.choices {
            for _ in 0..1 + self.random.below(2) {
                let to = self.state_of(graph);
                let asked = self.condition();
                let condition = if self.language.is_art {
                    format!("when `{asked}`")
                } else {
                    format!("cond '''{asked}'''")
                };
                self.transition(graph, &format!("cp {choice}"), &to, &condition);
            }
            let to = self.state_of(graph);
            self.transition(graph, &format!("cp {choice}"), &to, "");
        }
        let mut sources: Vec<String> = graph.states.iter().map(|child| child.name.clone()).collect();
        sources.extend(graph.points.iter().map(|point| format!("my {point}")));
        for source in sources {
            for _ in 0..1 + self.random.below(3) {
                let port = graph.ports[self.random.below(graph.ports.len())];
                let message = format!("{}{}", port.receives, self.random.below(MESSAGES));
                let guard = if self.chance(4) { Some(self.condition()) } else { None };
                let triggers = if self.language.is_art {
                    let guard = guard.map(|guard| format!(" when `return {guard};`")).unwrap_or_default();
                    format!("on {}.{message}{guard}", port.name)
                } else {
                    let guard = guard.map(|guard| format!(" guard '''{guard}'''")).unwrap_or_default();
                    format!("triggers {{ <{message}: {}{guard}> }}", port.name)
                };
                let to = self.target(graph, true);
                self.transition(graph, &source, &to, &triggers);
            }
        }
    }

    fn transition(&mut self, graph: &Graph<'_>, from: &str, to: &str, condition: &str) {
        let name = self.name("t");
        if self.language.is_art {
            let end = |end: &str| match end.split_once(" of ") {
                Some((point, state)) => format!("{state}.{point}"),
                None => end.trim_start_matches("my ").trim_start_matches("cp ").to_owned(),
            };
            let code = if self.chance(5) { self.code(graph.ports) } else { String::new() };
            return self.line(&format!("{name}: {} -> {} {condition} {code};", end(from), end(to)));
        }
        self.open(&format!("Transition {name}: {from} -> {to}"));
        if !condition.is_empty() {
            self.line(condition);
        }
        if self.chance(5) {
            let code = self.code(graph.ports);
            self.line(&format!("action {code}"));
        }
        self.close();
    }

    /// A state of the graph, or an entry point of one.
    fn state_of(&mut self, graph: &Graph<'_>) -> String {
        let child = &graph.states[self.random.below(graph.states.len())];
        match child.entries.first() {
            Some(entry) if self.chance(5) => format!("{entry} of {}", child.name),
            _ => child.name.clone(),
        }
    }

    /// The target of a transition; one that leaves a state may end on the border.
    fn target(&mut self, graph: &Graph<'_>, border: bool) -> String {
        if !graph.choices.is_empty() && self.chance(3) {
            return format!("cp {}", graph.choices[self.random.below(graph.choices.len())]);
        }
        if border && !graph.exits.is_empty() && self.chance(4) {
            return format!("my {}", graph.exits[self.random.below(graph.exits.len())]);
        }
        if border && !graph.points.is_empty() && self.chance(3) {
            return format!("my {}", graph.points[self.random.below(graph.points.len())]);
        }
        self.state_of(graph)
    }

    fn code(&mut self, ports: &[Port]) -> String {
        let mut code = String::new();
        for _ in 0..1 + self.random.below(2) {
            let send = self.send(ports);
            let condition = self.condition();
            match self.random.below(9) {
                0 => code += &format!("if ({condition}) {{ {send} }} "),
                1 => {
                    let other = self.send(ports);
                    code += &format!("if ({condition}) {send} else {{ {other} return; }} ");
                }
                2 => code += "n = (n + 1) % 3; ",
                3 => code += "this.flag = !flag; small--; ",
                4 => code += "if (n < 4) n += 2; else n = 0; x = outside(); ",
                5 => {
                    let rounds = self.random.below(3);
                    code += &format!(
                        "for (int i = 0; i < {rounds}; i++) {{ if ({condition}) continue; {send} }} "
                    );
                }
                6 => {
                    code += &format!("switch (n) {{ case 0: break; case 1: {send} default: flag = n > 1; }} ")
                }
                _ => code += &format!("{send} "),
            }
        }
        if self.language.is_art {
            return format!("`{}`", code.replace("this.", "this->"));
        }
        format!("'''{code}'''")
    }

    fn condition(&mut self) -> &'static str {
        let all = [
            "x > 0",
            "n == 0",
            "flag",
            "!flag && n < 2",
            "small > 254 || n == 1",
            "n > 1 ? flag : x",
            "n != 1",
        ];
        all[self.random.below(all.len())]
    }

    fn send(&mut self, ports: &[Port]) -> String {
        let port = ports[self.random.below(ports.len())];
        let indexed = port.name == "spokes" && self.chance(4);
        let message = format!("{}{}", port.sends, self.random.below(MESSAGES));
        if self.language.is_art {
            let how = if indexed { "sendAt(0)" } else { "send()" };
            return format!("{}.{message}().{how};", port.name);
        }
        format!(
            "{}{}.{message}();",
            port.name,
            match (indexed, self.language.has_points) {
                (false, _) => "",
                (true, true) => "[i]",
                // In Art, there may be no peer with another number.
                (true, false) => "[0]",
            }
        )
    }
}
