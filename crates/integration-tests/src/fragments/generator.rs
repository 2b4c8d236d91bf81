//! Random fragments in C and C++.

use cfsm_core::splitmix::SplitMix;

/// The language of fragments.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Language {
    /// C, with GNU's expressions of statements.
    C,
    /// C++, with references and functions inside expressions besides.
    CPlusPlus,
}

/// Code of a capsule: the action of a transition, and the operations and macros that it uses.
#[derive(Clone, Debug)]
pub struct Fragment {
    /// The values of the attributes `n`, `k`, `s`, `u`, `w` and `f` before it.
    pub initial: [i64; 6],
    /// Macros.
    pub user_code: String,
    /// The bodies of the operations `first` and `second`, of which the latter has a parameter `x`.
    pub operations: [String; 2],
    /// The code of the transition.
    pub action: String,
}

impl Fragment {
    /// The system of one capsule with the code.
    #[must_use]
    pub fn room_text(&self) -> String {
        let Self { initial: [n, k, s, u, w, f], user_code, operations: [first, second], action } = self;
        let f = if *f == 0 { "false" } else { "true" };
        format!(
            "RoomModel M {{
    ProtocolClass P {{ incoming {{ Message go() }} outgoing {{ Message a() Message b() Message c() }} }}
    ActorClass ACode {{
        Interface {{ Port p: P }}
        Structure {{
            usercode1 '''{user_code}'''
            external Port p
            Attribute n: int32 = \"{n}\"
            Attribute k: int32 = \"{k}\"
            Attribute s: int16 = \"{s}\"
            Attribute u: uint8 = \"{u}\"
            Attribute w: uint32 = \"{w}\"
            Attribute f: boolean = \"{f}\"
        }}
        Behavior {{
            Operation first() '''{first}'''
            Operation second(x: int32) '''{second}'''
            StateMachine {{
                State idle
                Transition init: initial -> idle
                Transition t: idle -> idle {{ triggers {{ <go: p> }} action '''{action}''' }}
            }}
        }}
    }}
}}
"
        )
    }

    /// The functions of a C program, of which `go_` with the number is the code.
    #[must_use]
    pub(crate) fn c_text(&self, number: usize) -> String {
        let Self { initial: [n, k, s, u, w, f], user_code, operations: [first, second], action } = self;
        let macros: String = user_code
            .lines()
            .filter_map(|line| line.strip_prefix("#define "))
            .map(|line| format!("#undef {}\n", line.split(['(', ' ']).next().unwrap_or_default()))
            .collect();
        format!(
            "#define first first_{number}
#define second second_{number}
{user_code}
static void first(void) {{ {first} }}
static void second(int x) {{ {second} }}
static void go_{number}(void) {{ n = {n}; k = {k}; s = {s}; u = {u}; w = {w}; f = {f};
{action}
}}
#undef first
#undef second
{macros}"
        )
    }
}

/// The fragment of a seed. A seed gives either code of which all is read, or code with things in it
/// that are not.
#[must_use]
pub fn fragment(language: Language, seed: u64) -> Fragment {
    let mut random = SplitMix::new(seed.wrapping_mul(0x5851_f42d_4c95_7f2d) ^ 0x14057);
    let strange = seed % 2 == 1;
    let number = |random: &mut SplitMix, count: usize| i64::try_from(random.below(count)).expect("small");
    let initial = [
        number(&mut random, 6) - 1,
        number(&mut random, 4),
        number(&mut random, 5) - 2,
        number(&mut random, 300) % 256,
        number(&mut random, 4),
        number(&mut random, 2),
    ];
    let user_code = if strange && random.below(3) == 0 {
        "#define TWICE(x) x; x\n#define UNLESS(c) if (!(c))\n#define LEAVE return\n".to_owned()
    } else {
        String::new()
    };
    let has_macros = !user_code.is_empty();
    let mut writer =
        Writer { random, language, strange, has_macros, locals: Vec::new(), calls: false, names: 0 };
    let mut body = |calls: bool, count: usize, locals: &[&str]| {
        writer.calls = calls;
        writer.locals = locals.iter().map(|&name| name.to_owned()).collect();
        writer.statements(count, Inside::default())
    };
    let operations = [body(false, 2, &[]), body(false, 2, &["x"])];
    let action = body(true, 4, &[]);
    Fragment { initial, user_code, operations, action }
}

/// The context of a statement: its depth, and the jumps that are possible there.
#[derive(Clone, Copy, Default)]
struct Inside {
    depth: usize,
    in_loop: bool,
    in_switch: bool,
}

impl Inside {
    const fn deeper(self) -> Self {
        Self { depth: self.depth + 1, ..self }
    }
}

struct Writer {
    random: SplitMix,
    language: Language,
    strange: bool,
    has_macros: bool,
    /// Local variables that have a value here.
    locals: Vec<String>,
    /// True if operations may be called.
    calls: bool,
    /// The number of names that were made.
    names: usize,
}

impl Writer {
    fn of<'t>(&mut self, all: &[&'t str]) -> &'t str {
        all[self.random.below(all.len())]
    }

    fn chance(&mut self, one_of: usize) -> bool {
        self.random.below(one_of) == 0
    }

    fn name(&mut self, stem: &str) -> String {
        self.names += 1;
        format!("{stem}{}", self.names)
    }

    fn statements(&mut self, most: usize, inside: Inside) -> String {
        let count = 1 + self.random.below(most);
        let before = self.locals.len();
        let all: Vec<String> = (0..count).map(|_| self.statement(inside)).collect();
        self.locals.truncate(before);
        all.join("\n")
    }

    fn block(&mut self, inside: Inside) -> String {
        if self.chance(3) {
            // Never a declaration.
            let send = self.send();
            return send;
        }
        format!("{{ {} }}", self.statements(3, inside.deeper()))
    }

    fn send(&mut self) -> String {
        format!("p.{}();", self.of(&["a", "b", "c"]))
    }

    fn variable(&mut self) -> String {
        if !self.locals.is_empty() && self.chance(2) {
            return self.locals[self.random.below(self.locals.len())].clone();
        }
        self.of(&["n", "n", "k", "s", "u", "w", "w", "f"]).to_owned()
    }

    fn number(&mut self) -> String {
        if self.chance(8) {
            return self.of(&["0x1F", "010", "'a'", "1u", "255", "-3"]).to_owned();
        }
        self.random.below(5).to_string()
    }

    fn value(&mut self, depth: usize) -> String {
        match self.random.below(if depth < 2 { 8 } else { 2 }) {
            0 => self.number(),
            1 | 2 => self.variable(),
            3 => {
                let operator = self.of(&["+", "-", "*", "&", "|", "^"]);
                format!("({} {operator} {})", self.value(depth + 1), self.value(depth + 1))
            }
            4 => {
                let operator = self.of(&["/", "%"]);
                let divisor = self.of(&["2", "3", "7"]);
                format!("({} {operator} {divisor})", self.value(depth + 1))
            }
            5 => {
                format!(
                    "({} ? {} : {})",
                    self.condition(depth + 1),
                    self.value(depth + 1),
                    self.value(depth + 1)
                )
            }
            6 => format!("{}({})", self.of(&["-", "~", "!"]), self.value(depth + 1)),
            _ => {
                let ty = self.of(&["int", "int32", "(uint8)", "short"]).trim_matches(['(', ')']);
                format!("(({ty}) {})", self.value(depth + 1))
            }
        }
    }

    fn condition(&mut self, depth: usize) -> String {
        match self.random.below(if depth < 2 { 7 } else { 2 }) {
            0 | 1 => {
                let operator = self.of(&["==", "!=", "<", "<=", ">", ">="]);
                format!("{} {operator} {}", self.value(depth + 1), self.number())
            }
            2 => self.variable(),
            3 | 4 => {
                let operator = self.of(&["&&", "||"]);
                format!("({}) {operator} ({})", self.condition(depth + 1), self.condition(depth + 1))
            }
            5 => format!("!({})", self.condition(depth + 1)),
            _ if self.strange => self.strange_value(),
            _ => self.variable(),
        }
    }

    /// A value whose evaluation does something.
    fn strange_value(&mut self) -> String {
        let variable = self.variable();
        let message = self.of(&["a", "b", "c"]);
        match self.random.below(8) {
            0 => format!("(p.{message}(), {variable})"),
            1 => format!("({variable} = {})", self.number()),
            2 => format!("({variable}++ > 1)"),
            3 => format!("(--{variable} != 0)"),
            4 => format!("id({variable})"),
            5 => format!("id((p.{message}(), {variable}))"),
            6 => format!("({{ p.{message}(); {variable}; }})"),
            _ => format!("({variable} += 2, {variable} < 5)"),
        }
    }

    fn assignment(&mut self) -> String {
        let variable = self.variable();
        match self.random.below(6) {
            0 => format!("{variable}++"),
            1 => format!("--{variable}"),
            2 => format!("{variable} {} {}", self.of(&["+=", "-=", "^="]), self.number()),
            _ => format!("{variable} = ({}) % 50", self.value(0)),
        }
    }

    fn statement(&mut self, inside: Inside) -> String {
        if self.strange && self.chance(4) {
            return self.strange_statement(inside);
        }
        let kinds = if inside.depth < 3 { 14 } else { 5 };
        match self.random.below(kinds) {
            0 | 1 => self.send(),
            2 | 3 => self.assignment() + ";",
            4 => self.jump(inside),
            5 | 6 => {
                let condition = self.condition(0);
                let then = self.block(inside);
                if self.chance(2) {
                    format!("if ({condition}) {then} else {}", self.block(inside))
                } else {
                    format!("if ({condition}) {then}")
                }
            }
            7 | 8 => self.a_loop(inside),
            9 => self.switch(inside),
            10 => {
                let name = if self.chance(4) { "n".to_owned() } else { self.name("x") };
                let ty = self.of(&["int", "int32", "int16", "uint8", "uint32", "boolean"]);
                if self.locals.contains(&name) || (name == "n" && inside.depth == 0) {
                    return self.send();
                }
                if name == "n" {
                    // It hides the attribute, in a block of its own.
                    let value = self.number();
                    self.locals.push(name);
                    let rest = self.statements(2, inside.deeper());
                    self.locals.pop();
                    return format!("{{ {ty} n = {value}; {rest} }}");
                }
                let value = self.value(1);
                self.locals.push(name.clone());
                format!("{ty} {name} = ({value}) % 50;")
            }
            11 if self.calls => {
                if self.chance(2) {
                    "first();".to_owned()
                } else {
                    format!("second({});", self.value(1))
                }
            }
            12 => format!("{{ {} }}", self.statements(2, inside.deeper())),
            13 => format!("use({});", self.variable()),
            _ => self.send(),
        }
    }

    fn jump(&mut self, inside: Inside) -> String {
        let condition = self.condition(1);
        let jump = match self.random.below(3) {
            0 if inside.in_loop || inside.in_switch => "break",
            1 if inside.in_loop => "continue",
            _ => "return",
        };
        format!("if ({condition}) {jump};")
    }

    fn a_loop(&mut self, inside: Inside) -> String {
        let body = Inside { in_loop: true, ..inside.deeper() };
        match self.random.below(5) {
            // A limit that is not known, but for its range.
            4 => {
                let (name, limit) = (self.name("i"), self.name("y"));
                let (value, code) = (self.value(1), self.statements(2, body));
                let limited =
                    self.of(&["if (L > 3) L = 3;", "if (3 < L) L = 2;", "if (!(L <= 3 && L > -9)) L = 1;"]);
                let limited = limited.replace('L', &limit);
                let change = self.of(&["", "", "L--;", "L++;", "++L; L -= 1;"]).replace('L', &limit);
                format!(
                    "{{ int {limit} = ({value}) << 1; {limited} {change} \
                     for (int {name} = 0; {name} < {limit}; {name}++) {{ tick(); {code} }} }}"
                )
            }
            0 | 1 => {
                let name = self.name("i");
                let most = 1 + self.random.below(4);
                self.locals.push(name.clone());
                let code = self.statements(2, body);
                self.locals.pop();
                format!("for (int {name} = 0; {name} < {most}; {name}++) {{ tick(); {code} }}")
            }
            2 => format!("while ({}) {{ tick(); {} }}", self.condition(0), self.statements(2, body)),
            _ => format!("do {{ tick(); {} }} while ({});", self.statements(2, body), self.condition(0)),
        }
    }

    fn switch(&mut self, inside: Inside) -> String {
        let mut text = format!("switch ({}) {{", self.value(1));
        let body = Inside { in_switch: true, ..inside.deeper() };
        let count = 1 + self.random.below(3);
        for label in 0..count {
            text += &format!("\ncase {label}: {{ {} }}", self.statements(2, body));
            if self.chance(2) {
                text += " break;";
            }
        }
        if self.chance(2) {
            text += &format!("\ndefault: {{ {} }}", self.statements(2, body));
        }
        text + "\n}"
    }

    fn strange_statement(&mut self, inside: Inside) -> String {
        let variable = self.variable();
        let message = self.of(&["a", "b", "c"]);
        if self.language == Language::CPlusPlus && self.chance(2) {
            return self.plus_statement();
        }
        match self.random.below(14) {
            0 => "change(&k);".to_owned(),
            1 => {
                let name = self.name("r");
                format!("int *{name} = &k; *{name} = {};", self.number())
            }
            2 => {
                let name = self.name("g");
                format!("void (*{name})(void) = p.{message}; {name}();")
            }
            3 => {
                let label = self.name("l");
                format!("if ({}) goto {label}; {} {label}: ;", self.condition(1), self.send())
            }
            4 => format!("{} ? p.a() : p.b();", self.condition(1)),
            5 => format!("{} && (p.{message}(), 1);", self.condition(1)),
            6 => format!("{variable} = ({}) % 50;", self.strange_value()),
            7 => format!("use({});", self.strange_value()),
            8 if self.has_macros => format!("TWICE(p.{message}());"),
            9 if self.has_macros => format!("UNLESS({}) {}", self.condition(1), self.send()),
            10 if self.has_macros => format!("if ({}) LEAVE;", self.condition(1)),
            11 => {
                let jump = if inside.in_loop { "break" } else { "return" };
                format!("{variable} = ({{ if ({}) {jump}; 1; }});", self.condition(1))
            }
            12 => format!("{variable} = (n++, n % 50);"),
            _ => format!("p.{message}(), {};", self.assignment()),
        }
    }

    fn plus_statement(&mut self) -> String {
        let variable = self.variable();
        let message = self.of(&["a", "b", "c"]);
        let name = self.name("y");
        let value = self.number();
        match self.random.below(10) {
            0 => format!("auto& {name} = {}; {name} = {value};", self.of(&["n", "k"])),
            1 => format!("auto& {name} = {variable}; {name}++;"),
            2 => format!("auto {name} = [&] {{ {variable} = {value}; p.{message}(); }}; {name}();"),
            3 => format!("[&] {{ if ({variable}) return; p.{message}(); }}();"),
            4 => format!("auto {name} = [] {{ p.{message}(); }}; if ({variable}) {{ {name}(); {name}(); }}"),
            5 => format!("for (int {name} : three) {{ if ({name} == {variable}) break; p.{message}(); }}"),
            6 => format!("if (int {name} = {variable}; {name} > 1) p.{message}();"),
            7 => format!("try {{ if ({variable}) throw 1; p.{message}(); }} catch (int) {{ p.c(); }}"),
            8 => format!("auto {name}(&{}); *{name} = {value};", self.of(&["n", "k"])),
            _ => format!("struct {{ ~{name}() {{ p.{message}(); }} }} z{name};")
                .replace("struct {", &format!("struct {name} {{")),
        }
    }
}
