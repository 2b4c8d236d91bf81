//! Definitions in a text: names with their places, for "go to definition".

use std::collections::BTreeMap;
use std::ops::Range as Bytes;

use freeboard::cfsm_core::source::{FileId, Sources, Span};
use freeboard::promela_front::ast::{
    Block, Declaration, Model, Name, Process, Statement, StatementKind, Unit,
};

use super::text::is_of_word;
use crate::command::arguments::Language;

/// A name that a text defines.
#[derive(Clone, Debug)]
struct Definition {
    name: String,
    /// The part of the text in which the name means this; `None` is everywhere.
    scope: Option<Span>,
    place: Span,
}

/// The definitions of a text.
#[derive(Clone, Debug, Default)]
pub struct Outline {
    definitions: Vec<Definition>,
    /// Machines, in the order of the text: a number may stand for one.
    machines: Vec<Span>,
}

impl Outline {
    /// The place at which a name is defined that is used at an offset of a file.
    pub fn find(&self, name: &str, file: FileId, offset: usize) -> Option<Span> {
        let named = || self.definitions.iter().filter(|definition| definition.name == name);
        let is_around = |scope: Span| scope.file == file && bytes(scope).contains(&offset);
        let mut local = named().filter(|definition| definition.scope.is_some_and(is_around));
        let local = local.next().map(|first| {
            let before = |definition: &&Definition| bytes(definition.place).start <= offset;
            // Of several blocks of a process, the last one before the use.
            local.rfind(before).unwrap_or(first)
        });
        let found = local.or_else(|| named().find(|definition| definition.scope.is_none()));
        let by_number = || self.machines.get(name.parse::<usize>().ok()?).copied();
        found.map(|definition| definition.place).or_else(by_number)
    }

    /// The definitions of a Promela text, as far as it could be parsed.
    pub fn of_promela(model: &Model, sources: &Sources) -> Self {
        let mut outline = Self::default();
        for unit in &model.units {
            match unit {
                Unit::Symbols(symbols) => symbols.names.iter().for_each(|name| outline.add(name, None)),
                Unit::Declaration(declaration) => outline.declaration(declaration, None),
                Unit::Typedef(record) => outline.add(&record.name, None),
                Unit::Process(process) => outline.process(process),
                Unit::Inline(inline) => outline.add(&inline.name, None),
                Unit::Observer(_) | Unit::Ltl(_) | Unit::Embedded(_) => {}
            }
        }
        for (file, source) in sources.files.iter().filter(|(_, source)| !source.name.is_empty()) {
            outline.macros(file, &source.text);
        }
        outline
    }

    fn process(&mut self, process: &Process) {
        if !process.init {
            self.add(&process.name, None);
        }
        for parameters in &process.parameters {
            self.declaration(parameters, Some(process.span));
        }
        self.block(&process.body, process.span);
    }

    fn block(&mut self, block: &Block, scope: Span) {
        let mut open: Vec<&Statement> = block.statements.iter().rev().collect();
        while let Some(statement) = open.pop() {
            for label in &statement.labels {
                self.add(label, Some(scope));
            }
            match &statement.kind {
                StatementKind::Declaration(declaration) => self.declaration(declaration, Some(scope)),
                StatementKind::If(options) | StatementKind::Do(options) => {
                    open.extend(options.iter().flat_map(|option| &option.statements).rev());
                }
                StatementKind::For(_, block)
                | StatementKind::Block(block)
                | StatementKind::Atomic(block)
                | StatementKind::DStep(block) => open.extend(block.statements.iter().rev()),
                StatementKind::Unless(first, second) => open.extend([&**second, &**first]),
                _ => {}
            }
        }
    }

    fn declaration(&mut self, declaration: &Declaration, scope: Option<Span>) {
        for declarator in &declaration.declarators {
            self.add(&declarator.name, scope);
        }
    }

    fn add(&mut self, name: &Name, scope: Option<Span>) {
        self.definitions.push(Definition { name: name.text.to_string(), scope, place: name.span });
    }

    /// Adds the macros of a file. What else has their names goes before them.
    fn macros(&mut self, file: FileId, text: &str) {
        let mut start = 0;
        for line in text.split_inclusive('\n') {
            let directive = line.trim_start().strip_prefix('#').map(str::trim_start);
            if let Some(rest) = directive.and_then(|rest| rest.strip_prefix("define")) {
                let rest = rest.trim_start();
                let name = rest.split(|c| !is_of_word(c)).next().unwrap_or_default();
                let at = start + (line.len() - rest.len());
                self.named(name, None, span(file, at..at + name.len()));
            }
            start += line.len();
        }
    }

    fn named(&mut self, name: &str, scope: Option<Span>, place: Span) {
        self.definitions.push(Definition { name: name.into(), scope, place });
    }

    /// The definitions of a text in another language: words behind certain words.
    pub fn of_words(language: Language, file: FileId, text: &str) -> Self {
        let mut outline = Self::default();
        // Where the scope begins that what follows is in: a class of capsules.
        let mut class: Option<usize> = None;
        let mut within: BTreeMap<usize, usize> = BTreeMap::new();
        let mut before = "";
        let plain = without_comments(language, text);
        for word in words(&plain) {
            let name = &plain[word.clone()];
            let place = span(file, word.clone());
            match meaning(language, before, plain[word.end..].trim_start().starts_with(':')) {
                Some(Meaning::Machine) => {
                    outline.machines.push(place);
                    outline.named(name, None, place);
                }
                Some(Meaning::Class) => {
                    if let Some(class) = class.replace(word.start) {
                        within.insert(class, word.start);
                    }
                    outline.named(name, None, place);
                }
                Some(Meaning::Part) => {
                    let scope = class.map(|start| span(file, start..text.len()));
                    outline.named(name, scope, place);
                }
                None => {}
            }
            before = name;
        }
        // A class ends where the next one begins.
        for definition in &mut outline.definitions {
            let start = definition.scope.map(|scope| bytes(scope).start);
            if let (Some(scope), Some(end)) = (&mut definition.scope, start.and_then(|at| within.get(&at))) {
                *scope = span(file, bytes(*scope).start..*end);
            }
        }
        outline
    }
}

/// Meaning of a word.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Meaning {
    Machine,
    /// A class of capsules, a protocol, a system.
    Class,
    /// A port, a part, a state or a message of one.
    Part,
}

/// The meaning of a word behind another one, and perhaps before a colon.
fn meaning(language: Language, before: &str, has_colon: bool) -> Option<Meaning> {
    let room = |word: &str| match word {
        "ActorClass" | "ProtocolClass" | "SubSystemClass" | "LogicalSystem" | "DataClass" | "capsule"
        | "protocol" => Some(Meaning::Class),
        "Port" | "SAP" | "SPP" | "ActorRef" | "State" | "Message" | "Operation" | "Attribute" | "port"
        | "part" | "state" | "event" => Some(Meaning::Part),
        _ => None,
    };
    match language {
        Language::Promela | Language::Json => None,
        Language::Room => room(before),
        Language::Fsa => (before == "outputs").then_some(Meaning::Machine),
        Language::Scm => (before == "automaton").then_some(Meaning::Machine),
        Language::Kmc => (has_colon || before == "outputs").then_some(Meaning::Machine),
    }
}

/// The words of a text.
fn words(text: &str) -> impl Iterator<Item = Bytes<usize>> + '_ {
    let mut at = 0;
    std::iter::from_fn(move || {
        let start = at + text[at..].find(is_of_word)?;
        let rest = &text[start..];
        at = start + rest.find(|c| !is_of_word(c)).unwrap_or(rest.len());
        Some(start..at)
    })
}

/// A text of the same length with blanks for its comments.
fn without_comments(language: Language, text: &str) -> String {
    let mut plain = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(c) = rest.chars().next() {
        let is_line = rest.starts_with("//") || (language != Language::Room && rest.starts_with("--"));
        let comment = if is_line {
            rest.find('\n').unwrap_or(rest.len())
        } else if rest.starts_with("/*") {
            rest.find("*/").map_or(rest.len(), |end| end + 2)
        } else {
            0
        };
        if comment == 0 {
            plain.push(c);
            rest = &rest[c.len_utf8()..];
        } else {
            plain.extend(rest[..comment].bytes().map(|_| ' '));
            rest = &rest[comment..];
        }
    }
    plain
}

/// The bytes of a span.
pub fn bytes(span: Span) -> Bytes<usize> {
    span.start as usize..span.end as usize
}

fn span(file: FileId, bytes: Bytes<usize>) -> Span {
    let offset = |at: usize| u32::try_from(at).unwrap_or(u32::MAX);
    Span { file, start: offset(bytes.start), end: offset(bytes.end) }
}

#[cfg(test)]
mod tests {
    use freeboard::cfsm_core::ids::Id as _;
    use freeboard::promela_front;

    use super::*;

    /// The text from the definition on of the word that begins at some offset.
    fn defined<'t>(outline: &Outline, text: &'t str, word: &str, offset: usize) -> Option<&'t str> {
        outline.find(word, FileId::new(0), offset).map(|span| &text[bytes(span).start..])
    }

    #[test]
    fn locals_go_before_globals() {
        let text = "#define N 2\nchan c = [N] of { bit };\nproctype P(chan d) { chan c = [1] of { bit }; c!1 }\n\
                    init { c!1; run P(c) }";
        let read = promela_front::tree("m.pml", text, &promela_front::Options::default());
        let outline = Outline::of_promela(&read.ast, &read.sources);
        let local = text.find("c!1").unwrap();
        let global = text.rfind("c!1").unwrap();
        assert!(defined(&outline, text, "c", local).unwrap().starts_with("c = [1]"));
        assert!(defined(&outline, text, "c", global).unwrap().starts_with("c = [N]"));
        assert!(defined(&outline, text, "d", local).unwrap().starts_with("d)"));
        assert_eq!(defined(&outline, text, "d", global), None);
        assert!(defined(&outline, text, "P", global).unwrap().starts_with("P(chan d)"));
        assert!(defined(&outline, text, "N", global).unwrap().starts_with("N 2"));
    }

    #[test]
    fn machines_have_names_and_numbers() {
        let text = "-- .outputs X\n.outputs A\n.state graph\n0 1 ! m 1\n.marking 0\n.end\n.outputs B\n";
        let outline = Outline::of_words(Language::Fsa, FileId::new(0), text);
        for word in ["B", "1"] {
            assert!(defined(&outline, text, word, 30).unwrap().starts_with("B\n"), "{word}");
        }
        assert_eq!(defined(&outline, text, "X", 30), None);
    }

    #[test]
    fn ports_belong_to_their_class() {
        let text = "capsule A { port p : Q; }; // port r\ncapsule B { port p~ : Q; part a : A; };";
        let outline = Outline::of_words(Language::Room, FileId::new(0), text);
        let (first, second) = (text.find("Q;").unwrap(), text.rfind("Q;").unwrap());
        assert!(defined(&outline, text, "p", first).unwrap().starts_with("p : Q"));
        assert!(defined(&outline, text, "p", second).unwrap().starts_with("p~ : Q"));
        assert!(defined(&outline, text, "A", second).unwrap().starts_with("A {"));
        assert_eq!(defined(&outline, text, "r", second), None);
    }
}
