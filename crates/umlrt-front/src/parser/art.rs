//! Art: files, capsules, protocols.

use cfsm_core::source::Span;

use super::{Parsed, Parser};
use crate::codes;
use crate::fragment::Fragment;
use crate::lexer::Kind;
use crate::model::{BOUND, UNBOUND};
use crate::tree::art::{Capsule, File, Part, Port, Snippet};
use crate::tree::structure::{
    self, Binding, Communication, DataClass, DataKind, DataType, EndPoint, Message, Multiplicity, Protocol,
    TypeRef,
};
use crate::tree::{Name, UserCode};
use cfsm_core::diagnostic::Diagnostic;

/// Words that no name may be.
const KEYWORDS: &str = "behavior capsule choice class connect entry entrypoint exclude exit exitpoint fixed \
                        history in initial junction notify on optional out part plugin port protocol \
                        publish redefine service state statemachine subscribe template trigger typename \
                        unwired when with";

/// Words that tell what a port is for.
const PORT_WORDS: &[&str] = &["service", "behavior", "notify", "unwired", "publish", "subscribe", "port"];

fn begins_item(word: &str) -> bool {
    matches!(word, "capsule" | "protocol" | "class" | "abstract" | "template")
}

fn begins_member(word: &str) -> bool {
    PORT_WORDS.contains(&word)
        || matches!(word, "fixed" | "optional" | "plugin" | "part" | "connect" | "statemachine" | "trigger")
}

fn begins_event(word: &str) -> bool {
    matches!(word, "in" | "out")
}

impl Parser<'_> {
    /// True if a text begins as an Art file does.
    pub(crate) fn begins_art(&self) -> bool {
        self.at_marker() || self.word().is_some_and(begins_item)
    }

    /// True if the name of a file ends as that of an Art file does.
    pub(crate) fn is_art(&self) -> bool {
        let file = self.sources.files.get(self.here().file);
        file.is_some_and(|file| file.name.ends_with(".art"))
    }

    /// An Art file.
    pub(crate) fn art(&mut self) -> Parsed<File> {
        let (protocols, capsules, classes, code) = Default::default();
        let mut file = File { protocols, capsules, classes, code, span: self.here() };
        while self.kind() != Kind::End {
            let start = self.position;
            if self.art_item(&mut file).is_err() {
                self.skip_to(start, begins_item);
            }
        }
        Ok(file)
    }

    /// Skips to the next item, past closing braces that are too many.
    fn skip_to(&mut self, start: usize, begins: fn(&str) -> bool) {
        self.skip(start, begins);
        while matches!(self.kind(), Kind::CloseBrace | Kind::Semicolon) {
            self.bump();
        }
    }

    fn art_item(&mut self, file: &mut File) -> Parsed<()> {
        let snippets = self.snippets()?;
        if self.kind() == Kind::End && !snippets.is_empty() {
            file.code.fragments.extend(snippets.into_iter().map(|snippet| snippet.code));
            return Ok(());
        }
        file.code.fragments.extend(snippets.into_iter().map(|snippet| snippet.code));
        let is_abstract = self.eat_word("abstract");
        if self.eat_word("template") {
            self.template()?;
        }
        match self.word() {
            Some("capsule") => {
                let capsule = self.capsule(is_abstract)?;
                file.capsules.push(capsule);
            }
            Some("protocol") => {
                let protocol = self.art_protocol()?;
                file.protocols.push(protocol);
            }
            Some("class") => {
                let class = self.art_class()?;
                file.classes.push(class);
            }
            _ => return self.unexpected("`capsule`, `protocol`, `class` or code"),
        }
        self.semicolon()
    }

    fn semicolon(&mut self) -> Parsed<()> {
        self.expect(Kind::Semicolon, "`;`").map(|_| ())
    }

    /// The parameters of a template, which only C++ code uses.
    fn template(&mut self) -> Parsed<()> {
        self.expect(Kind::Less, "`<`")?;
        while !self.eat(Kind::Greater) {
            if matches!(self.kind(), Kind::End | Kind::OpenBrace) {
                return self.unexpected("`>`");
            }
            self.bump();
        }
        Ok(())
    }

    /// A name.
    pub(crate) fn art_name(&mut self, wanted: &str) -> Parsed<Name> {
        match self.word() {
            Some(word) if KEYWORDS.split(' ').all(|keyword| keyword != word) => {
                let span = self.bump().span;
                Ok(Name { text: word.to_owned(), span })
            }
            Some(_) => self.unexpected(&format!("{wanted}, which is none of Art's keywords")),
            None => self.unexpected(wanted),
        }
    }

    /// True at `[[`.
    fn at_marker(&self) -> bool {
        self.at(Kind::OpenBracket) && self.ahead(1) == Kind::OpenBracket
    }

    /// `[[rt::word`, behind which a list or `]]` follows.
    fn marker(&mut self) -> Parsed<Name> {
        self.expect(Kind::OpenBracket, "`[`")?;
        self.expect(Kind::OpenBracket, "`[`")?;
        self.expect_word("rt")?;
        self.expect(Kind::Colon, "`::`")?;
        self.expect(Kind::Colon, "`::`")?;
        let span = self.expect(Kind::Word, "a kind of code, for instance `decl`")?.span;
        Ok(Name { text: self.text(span).to_owned(), span })
    }

    fn end_of_marker(&mut self) -> Parsed<()> {
        self.expect(Kind::CloseBracket, "`]]`")?;
        self.expect(Kind::CloseBracket, "`]]`").map(|_| ())
    }

    /// All code with its place that stands here.
    fn snippets(&mut self) -> Parsed<Vec<Snippet>> {
        let mut all = Vec::new();
        while self.at_marker() && !self.at_properties() {
            let place = self.marker()?;
            self.end_of_marker()?;
            all.push(Snippet { place, code: self.snippet("code between backticks")? });
        }
        Ok(all)
    }

    fn at_properties(&self) -> bool {
        self.at_marker()
            && self.tokens.get(self.position + 5).is_some_and(|token| self.text(token.span) == "properties")
    }

    /// Properties, none of which changes what a model does.
    pub(crate) fn properties(&mut self) -> Parsed<()> {
        while self.at_properties() {
            self.marker()?;
            self.expect(Kind::OpenParen, "`(`")?;
            self.listed(Kind::CloseParen, "`,` or `)`", |parser| {
                let property = parser.expect(Kind::Word, "the name of a property")?.span;
                if parser.eat(Kind::Equals) {
                    let by_hand = match parser.text(property) {
                        "generate_file_impl" | "generate_file_header" => parser.at_word("false"),
                        "capsule_factory" => true,
                        _ => false,
                    };
                    if by_hand {
                        let message = "code that this property refers to is not read";
                        parser.diagnostics.push(Diagnostic::error(codes::NOT_READ, property, message));
                    }
                    if !matches!(parser.kind(), Kind::Word | Kind::Number | Kind::Real | Kind::Text) {
                        return parser.unexpected("a value");
                    }
                    parser.bump();
                }
                Ok(())
            })?;
            self.end_of_marker()?;
        }
        Ok(())
    }

    /// Code between backticks.
    pub(crate) fn snippet(&mut self, wanted: &str) -> Parsed<Fragment> {
        let all = self.expect(Kind::Snippet, wanted)?.span;
        let inside = Span { start: all.start + 1, end: all.end - 1, ..all };
        let mut code = Fragment::default();
        code.push(self.text(inside), inside);
        Ok(code)
    }

    /// Code between backticks, if the next token is some.
    pub(crate) fn maybe_snippet(&mut self) -> Parsed<Option<Fragment>> {
        if self.at(Kind::Snippet) { self.snippet("code").map(Some) } else { Ok(None) }
    }

    fn art_protocol(&mut self) -> Parsed<Protocol> {
        self.bump();
        let name = self.art_name("the name of the protocol")?;
        self.properties()?;
        let base = if self.eat(Kind::Colon) { Some(self.art_name("the name of a protocol")?) } else { None };
        self.expect(Kind::OpenBrace, "`{`")?;
        let (code, incoming, outgoing) = Default::default();
        let mut protocol = Protocol {
            communication: Communication::EventDriven,
            name,
            base,
            annotations: Vec::new(),
            code,
            incoming,
            outgoing,
            regular: None,
            conjugated: None,
            semantics: Vec::new(),
        };
        self.items("`in`, `out`", begins_event, |parser| parser.event_of(&mut protocol))?;
        Ok(protocol)
    }

    fn event_of(&mut self, protocol: &mut Protocol) -> Parsed<()> {
        let snippets = self.snippets()?;
        protocol.code.fragments.extend(snippets.into_iter().map(|snippet| snippet.code));
        if self.at(Kind::CloseBrace) {
            return Ok(());
        }
        self.properties()?;
        let incoming = self.eat_word("in");
        if !incoming && !self.eat_word("out") {
            return self.unexpected("`in`, `out` or `}`");
        }
        loop {
            let redefines = self.eat_word("redefine");
            let name = self.art_name("the name of an event")?;
            if matches!(name.text.as_str(), BOUND | UNBOUND) {
                let message = format!("every protocol has an event `{}`", name.text);
                self.diagnostics.push(Diagnostic::error(codes::REDECLARED, name.span, message));
            }
            self.properties()?;
            self.expect(Kind::OpenParen, "`(`")?;
            let span = self.here();
            let ty = self.maybe_snippet()?;
            if self.at(Kind::Word) {
                self.bump();
            }
            self.expect(Kind::CloseParen, "`)`")?;
            self.properties()?;
            let data = ty.map(|ty| TypeRef { name: Name { text: ty.text, span }, by_reference: false });
            let message = Message { name, private: false, data_name: None, data };
            // The type of its data is all that a redefinition changes.
            if !redefines {
                let list = if incoming { &mut protocol.incoming } else { &mut protocol.outgoing };
                list.push(message);
            }
            if !self.eat(Kind::Comma) {
                return self.semicolon();
            }
        }
    }

    /// A class with a machine: all code of it is user code.
    fn art_class(&mut self) -> Parsed<DataType> {
        self.bump();
        let name = self.art_name("the name of the class")?;
        self.properties()?;
        if self.eat(Kind::Colon) {
            self.bases()?;
        }
        let begin = self.position;
        self.expect(Kind::OpenBrace, "`{`")?;
        self.items("`trigger`, `statemachine`", begins_member, |parser| {
            parser.snippets()?;
            match parser.word() {
                Some("trigger") => parser.triggered_operation(),
                Some("statemachine") => parser.statemachine().map(|_| ()),
                _ if parser.at(Kind::CloseBrace) => Ok(()),
                _ => parser.unexpected("`trigger`, `statemachine`, code or `}`"),
            }
        })?;
        let mut code = UserCode::default();
        for token in &self.tokens[begin..self.position] {
            if token.kind == Kind::Snippet {
                let inside = Span { start: token.span.start + 1, end: token.span.end - 1, ..token.span };
                let mut fragment = Fragment::default();
                fragment.push(self.text(inside), inside);
                code.fragments.push(fragment);
            }
        }
        let (base, attributes, operations) = Default::default();
        Ok(DataType { name, kind: DataKind::Class(DataClass { base, code, attributes, operations }) })
    }

    /// `trigger operation(...)`.
    fn triggered_operation(&mut self) -> Parsed<()> {
        self.bump();
        loop {
            self.art_name("the name of an operation")?;
            self.expect(Kind::OpenParen, "`(`")?;
            while !self.eat(Kind::CloseParen) {
                if !matches!(self.kind(), Kind::Snippet | Kind::Word | Kind::Comma) {
                    return self.unexpected("a type between backticks, a name, `,` or `)`");
                }
                self.bump();
            }
            self.properties()?;
            if !self.eat(Kind::Comma) {
                return self.semicolon();
            }
        }
    }

    /// The bases of a capsule or a class: names, and C++ between backticks.
    fn bases(&mut self) -> Parsed<Bases> {
        let mut bases = Bases { named: Vec::new(), others: false };
        loop {
            if self.at(Kind::Snippet) {
                self.bump();
                bases.others = true;
            } else {
                bases.named.push(self.art_name("the name of a base")?);
            }
            if !self.eat(Kind::Comma) {
                return Ok(bases);
            }
        }
    }

    fn capsule(&mut self, is_abstract: bool) -> Parsed<Capsule> {
        self.bump();
        let name = self.art_name("the name of the capsule")?;
        self.properties()?;
        let bases = if self.eat(Kind::Colon) { Some(self.bases()?) } else { None };
        if let Some(second) = bases.as_ref().and_then(|bases| bases.named.get(1)) {
            let message = "a capsule inherits from one capsule at most";
            let found = Diagnostic::error(codes::NOT_READ, second.span, message);
            self.diagnostics.push(found.with_hint("a class in C++ stands between backticks"));
        }
        let has_other_bases = bases.as_ref().is_some_and(|bases| bases.others || bases.named.len() > 1);
        let base = bases.and_then(|bases| bases.named.into_iter().next());
        let (snippets, ports, parts, excluded, connectors) = Default::default();
        let mut capsule = Capsule {
            is_abstract,
            name,
            base,
            has_other_bases,
            snippets,
            ports,
            parts,
            excluded,
            connectors,
            machine: None,
        };
        self.expect(Kind::OpenBrace, "`{`")?;
        self.items("a port, a part, `connect`, `statemachine`", begins_member, |parser| {
            parser.member_of(&mut capsule)
        })?;
        Ok(capsule)
    }

    fn member_of(&mut self, capsule: &mut Capsule) -> Parsed<()> {
        let snippets = self.snippets()?;
        capsule.snippets.extend(snippets);
        match self.word() {
            Some(word) if PORT_WORDS.contains(&word) => self.ports(capsule),
            Some("fixed" | "optional" | "plugin" | "part") => self.parts(capsule),
            Some("connect") => {
                let start = self.bump().span;
                let one = self.connected()?;
                self.expect_word("with")?;
                let other = self.connected()?;
                capsule.connectors.push(Binding { one, other, span: self.since(start) });
                self.semicolon()
            }
            Some("statemachine") => {
                let start = self.here();
                let graph = self.statemachine()?;
                if capsule.machine.replace(graph).is_some() {
                    let message = "there is a state machine already";
                    self.diagnostics.push(Diagnostic::error(codes::REDECLARED, start, message));
                }
                Ok(())
            }
            _ if self.at(Kind::CloseBrace) => Ok(()),
            _ => self.unexpected("a port, a part, `connect`, `statemachine`, code or `}`"),
        }
    }

    fn ports(&mut self, capsule: &mut Capsule) -> Parsed<()> {
        let (mut service, mut behavior, mut notify, mut unwired) = (false, false, false, false);
        while !self.at_word("port") {
            match self.word() {
                Some("service") => service = true,
                Some("behavior") => behavior = true,
                Some("notify") => notify = true,
                Some("unwired" | "publish" | "subscribe") => unwired = true,
                _ => return self.unexpected("`port`"),
            }
            self.bump();
        }
        self.bump();
        loop {
            let Some(redefines) = self.change(&mut capsule.excluded)? else {
                if self.eat(Kind::Comma) {
                    continue;
                }
                return self.semicolon();
            };
            let name = self.art_name("the name of the port")?;
            let mut conjugated = self.eat(Kind::Tilde);
            self.properties()?;
            conjugated |= self.eat(Kind::Tilde);
            self.expect(Kind::Colon, "`:` and a protocol")?;
            let protocol = self.art_name("the name of a protocol")?;
            let multiplicity = self.multiplicity_behind()?.unwrap_or(Multiplicity::Number(1));
            let port = structure::Port { redefines, conjugated, name, multiplicity, protocol };
            // A port that is wired by code is one of the machine.
            capsule.ports.push(Port { behavior: behavior || unwired, service, notify, unwired, port });
            if !self.eat(Kind::Comma) {
                return self.semicolon();
            }
        }
    }

    /// `redefine` or `exclude` before a name; nothing for one that is excluded, which is read.
    fn change(&mut self, excluded: &mut Vec<Name>) -> Parsed<Option<bool>> {
        if self.eat_word("exclude") {
            excluded.push(self.art_name("a name")?);
            return Ok(None);
        }
        Ok(Some(self.eat_word("redefine")))
    }

    fn parts(&mut self, capsule: &mut Capsule) -> Parsed<()> {
        let (mut optional, mut plugin) = (false, false);
        match self.word() {
            Some("optional") => optional = true,
            Some("plugin") => plugin = true,
            _ => {}
        }
        if !self.at_word("part") {
            self.bump();
        }
        self.expect_word("part")?;
        loop {
            let Some(redefines) = self.change(&mut capsule.excluded)? else {
                if self.eat(Kind::Comma) {
                    continue;
                }
                return self.semicolon();
            };
            let name = self.art_name("the name of the part")?;
            self.properties()?;
            self.expect(Kind::Colon, "`:` and a capsule")?;
            let class = self.art_name("the name of a capsule")?;
            let start = self.position;
            let multiplicity = self.multiplicity_of_part(capsule)?;
            // Of a range, there may be fewer than the most.
            let is_range = self.tokens[start..self.position].iter().any(|token| token.kind == Kind::Dot);
            let optional = optional || plugin || is_range;
            // From more than none on, some may be there from the beginning.
            let least = self.tokens.get(start + 1).map(|token| self.text(token.span));
            let private = !is_range || least == Some("0");
            let snippets = self.snippets()?;
            self.properties()?;
            let part =
                structure::Part { redefines, optional, vacant: false, private, name, multiplicity, class };
            capsule.parts.push(Part { plugin, snippets, part });
            if !self.eat(Kind::Comma) {
                return self.semicolon();
            }
        }
    }

    /// The most instances of a part. Code RealTime ignores that there are none at most.
    fn multiplicity_of_part(&mut self, capsule: &Capsule) -> Parsed<Multiplicity> {
        let start = self.here();
        let behind = self.position;
        Ok(match self.multiplicity_behind()? {
            None => Multiplicity::Number(1),
            Some(Multiplicity::Number(0)) => {
                let message = "a multiplicity of 0 is ignored: there is one instance at most";
                self.diagnostics.push(Diagnostic::warning(codes::BAD_NUMBER, self.since(start), message));
                Multiplicity::Number(1)
            }
            // In a capsule that inherits, the name may be that of something else.
            Some(Multiplicity::Any) if capsule.base.is_none() && !capsule.has_other_bases => {
                let code = self.tokens[behind..self.position].iter().rev();
                let mut code = code.filter(|token| token.kind == Kind::Snippet);
                let name = code.next().map(|token| self.text(token.span).trim_matches('`').trim().to_owned());
                let number = name.and_then(|name| self.constant(&name));
                number.map_or(Multiplicity::Any, Multiplicity::Number)
            }
            Some(known) => known,
        })
    }

    /// The value of a constant that code of this file defines, once, as a number.
    fn constant(&self, name: &str) -> Option<u32> {
        let is_part = |c: char| c.is_ascii_alphanumeric() || c == '_';
        if name.is_empty() || !name.chars().all(is_part) {
            return None;
        }
        let mut found = None;
        for token in self.tokens.iter().filter(|token| token.kind == Kind::Snippet) {
            let text = self.text(token.span);
            for (at, _) in text.match_indices(name) {
                let (before, behind) = (&text[..at], &text[at + name.len()..]);
                if before.ends_with(is_part) || behind.starts_with(is_part) {
                    continue;
                }
                let statement = before.rsplit([';', '{', '}', '`']).next().unwrap_or_default();
                let is_constant =
                    statement.split_whitespace().any(|word| matches!(word, "const" | "constexpr"));
                let value = behind.trim_start().strip_prefix('=').filter(|_| is_constant);
                let value = value.and_then(|value| value.split(';').next()?.trim().parse().ok());
                // Where the name stands alone, it is used; all else may be another definition.
                match value {
                    Some(value) if found.is_none() => found = Some(value),
                    None if before.trim_end() == "`" && behind.trim_start() == "`" => {}
                    _ => return None,
                }
            }
        }
        found
    }

    /// `[3]`, `[0..3]`, `[0..*]` or C++ between brackets: the most of a number.
    fn multiplicity_behind(&mut self) -> Parsed<Option<Multiplicity>> {
        if !self.at(Kind::OpenBracket) || self.at_marker() {
            return Ok(None);
        }
        self.bump();
        let mut number = self.bound()?;
        if self.eat(Kind::Dot) {
            self.expect(Kind::Dot, "`..`")?;
            number = self.bound()?;
        }
        self.expect(Kind::CloseBracket, "`]`")?;
        Ok(Some(number))
    }

    fn bound(&mut self) -> Parsed<Multiplicity> {
        match self.kind() {
            Kind::Star => {
                self.bump();
                Ok(Multiplicity::Any)
            }
            Kind::Snippet => {
                let code = self.snippet("a number")?;
                Ok(code.text.trim().parse().map_or(Multiplicity::Any, Multiplicity::Number))
            }
            _ => self.number("a number").map(Multiplicity::Number),
        }
    }

    fn connected(&mut self) -> Parsed<EndPoint> {
        let first = self.art_name("the name of a port or a part")?;
        if !self.eat(Kind::Dot) {
            return Ok(EndPoint { part: None, port: first, sub: None });
        }
        let port = self.art_name("the name of a port")?;
        Ok(EndPoint { part: Some(first), port, sub: None })
    }
}

/// The bases of a capsule or a class.
struct Bases {
    named: Vec<Name>,
    /// There are classes in C++ among them.
    others: bool,
}
