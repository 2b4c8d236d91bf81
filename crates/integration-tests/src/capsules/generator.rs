//! Random systems of capsules, as ROOM texts.

use cfsm_core::splitmix::SplitMix;

/// How deep states are nested.
const DEEPEST: usize = 2;
/// The messages of the one protocol, in each direction.
const MESSAGES: usize = 3;

/// A random system: some actor classes with random machines, wired in a ring over ports of their
/// own, and one of them with a replicated port to several instances of another one.
#[must_use]
pub fn room_text(seed: u64) -> String {
    let mut writer = Writer { random: SplitMix::new(seed), text: String::new(), indent: 0, names: 0 };
    writer.model();
    writer.text
}

struct Writer {
    random: SplitMix,
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
        self.line("}");
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
        for class in 0..classes {
            let hub = class == 0 && spokes > 0;
            let ports: &[Port] = if hub { &[REGULAR, CONJUGATED, HUB] } else { &[REGULAR, CONJUGATED] };
            self.actor(&format!("A{class}"), ports, spokes);
        }
        if spokes > 0 {
            self.actor("ASpoke", &[CONJUGATED], spokes);
        }
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

    fn actor(&mut self, name: &str, ports: &[Port], spokes: usize) {
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
            self.line(&format!("EntryPoint {entry}"));
        }
        for exit in &graph.exits {
            self.line(&format!("ExitPoint {exit}"));
        }
        for _ in 0..self.random.below(2) {
            let name = self.name("tp");
            let handler = if self.chance(4) { "handler " } else { "" };
            self.line(&format!("{handler}TransitionPoint {name}"));
            graph.points.push(name);
        }
        for _ in 0..self.random.below(2) {
            let name = self.name("cp");
            self.line(&format!("ChoicePoint {name}"));
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
        self.open(&format!("State {name}"));
        for keyword in ["entry", "exit"] {
            if self.chance(3) {
                let code = self.code(ports);
                self.line(&format!("{keyword} {code}"));
            }
        }
        if depth < DEEPEST && self.chance(4) {
            for _ in 0..self.random.below(2) {
                child.entries.push(self.name("en"));
            }
            for _ in 0..self.random.below(2) {
                child.exits.push(self.name("ex"));
            }
            self.open("subgraph");
            self.graph(ports, depth + 1, child.entries.clone(), child.exits.clone());
            self.close();
        }
        self.close();
        child
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
                let condition = format!("cond '''{}'''", self.condition());
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
                let guard =
                    if self.chance(4) { format!(" guard '''{}'''", self.condition()) } else { String::new() };
                let triggers = format!("triggers {{ <{message}: {}{guard}> }}", port.name);
                let to = self.target(graph, true);
                self.transition(graph, &source, &to, &triggers);
            }
        }
    }

    fn transition(&mut self, graph: &Graph<'_>, from: &str, to: &str, condition: &str) {
        let name = self.name("t");
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
        let index = if port.name == "spokes" && self.chance(4) { "[i]" } else { "" };
        format!("{}{index}.{}{}();", port.name, port.sends, self.random.below(MESSAGES))
    }
}
