//! Parses units: process types, observers, formulas, inlines, typedefs.

use cfsm_core::source::Span;

use super::{Failed, Parsed, Parser};
use crate::ast::{
    Block, Declaration, Expression, Inline, Ltl, Name, Number, Observer, ObserverKind, Process, Symbols,
    Typedef, Unit,
};
use crate::codes;
use crate::inline::{group, parts};
use crate::lexer::{LexError, Raw};
use crate::token::{Kind, Word};

/// The clauses between the parameters of a process type and its body: priority and `provided`
/// condition.
type Clauses = (Option<Number>, Option<Expression>);

impl<'t> Parser<'t> {
    /// Parses the whole text. Recovers from errors in units.
    pub(super) fn units(&mut self) {
        loop {
            match self.kind() {
                Kind::End => return,
                Kind::Bad(LexError::OpenComment) => self.bump(),
                Kind::Raw(Raw::Semicolon | Raw::Arrow) => self.bump(),
                _ => {
                    let before = self.position;
                    let declares = !matches!(
                        self.kind(),
                        Kind::Word(
                            Word::Active | Word::Proctype | Word::DProctype | Word::Init | Word::Never
                        )
                    );
                    let unit = self.unit();
                    (self.parentheses, self.in_formula, self.calls) = (0, false, 0);
                    self.set_in_body(false);
                    match unit {
                        Ok(unit) => self.model.units.push(unit),
                        Err(Failed) => {
                            self.model.incomplete |= declares;
                            if self.position == before {
                                self.bump();
                            }
                            self.skip_unit();
                        }
                    }
                }
            }
        }
    }

    fn unit(&mut self) -> Parsed<Unit> {
        let wanted = "a declaration or a process type";
        match self.kind() {
            Kind::Word(Word::Active | Word::Proctype | Word::DProctype) => self.process().map(Unit::Process),
            Kind::Word(Word::Init) => self.init().map(Unit::Process),
            Kind::Word(Word::Mtype) if self.declares_symbols() => self.symbols().map(Unit::Symbols),
            Kind::Word(Word::Typedef) => self.typedef().map(Unit::Typedef),
            Kind::Word(Word::Inline) => self.inline().map(Unit::Inline),
            Kind::Word(Word::Never) => self.observer(ObserverKind::Never).map(Unit::Observer),
            Kind::Word(Word::Trace) => self.observer(ObserverKind::Trace).map(Unit::Observer),
            Kind::Word(Word::NoTrace) => self.observer(ObserverKind::NoTrace).map(Unit::Observer),
            Kind::Word(Word::Ltl) => self.ltl().map(Unit::Ltl),
            Kind::Word(word @ (Word::CCode | Word::CDecl | Word::CState | Word::CTrack)) => {
                self.embedded(word).map(Unit::Embedded)
            }
            Kind::Unsupported => {
                self.bump();
                self.model.incomplete = true;
                Err(Failed)
            }
            _ if self.at_declaration() => self.declaration().map(Unit::Declaration),
            _ => self.unexpected(wanted),
        }
    }

    fn process(&mut self) -> Parsed<Process> {
        let start = self.here();
        let active = if self.eat_word(Word::Active) { Some(self.count()?) } else { None };
        let deterministic = self.at_word(Word::DProctype);
        if !deterministic && !self.at_word(Word::Proctype) {
            return self.unexpected("`proctype`");
        }
        self.bump();
        let name = self.name("the name of the process type")?;
        self.processes.insert(name.text.clone());
        let Ok((parameters, (priority, provided), body)) = self.parameters_and_body() else {
            // The name counts as declared all the same.
            self.model.opaque_names.push(name.text);
            return Err(Failed);
        };
        let span = self.since(start);
        Ok(Process { name, init: false, active, deterministic, parameters, priority, provided, body, span })
    }

    fn parameters_and_body(&mut self) -> Parsed<(Vec<Declaration>, Clauses, Block)> {
        self.open(Raw::OpenParen, "`(`")?;
        let parameters = if self.at(Raw::CloseParen) { Vec::new() } else { self.parameters()? };
        self.close(Raw::CloseParen, "`)`, `,` or `;`")?;
        let priority = self.priority()?;
        let provided = if self.eat_word(Word::Provided) { Some(self.provided()?) } else { None };
        Ok((parameters, (priority, provided), self.body()?))
    }

    fn provided(&mut self) -> Parsed<Expression> {
        self.open(Raw::OpenParen, "`(`")?;
        let condition = self.expression()?;
        self.close(Raw::CloseParen, "`)` or an operator")?;
        Ok(condition)
    }

    /// Parses an optional `priority n`.
    pub(super) fn priority(&mut self) -> Parsed<Option<Number>> {
        if !self.eat_word(Word::Priority) {
            return Ok(None);
        }
        let span = self.here();
        match self.kind() {
            Kind::Raw(Raw::Number) => Ok(Some(Number { value: self.number(), span })),
            _ => self.unexpected("a number"),
        }
    }

    fn init(&mut self) -> Parsed<Process> {
        let start = self.here();
        let name = Name { text: "init".into(), span: start };
        self.bump();
        let priority = self.priority()?;
        let body = self.body()?;
        let span = self.since(start);
        Ok(Process {
            name,
            init: true,
            active: Some(None),
            deterministic: false,
            parameters: Vec::new(),
            priority,
            provided: None,
            body,
            span,
        })
    }

    fn body(&mut self) -> Parsed<Block> {
        if !self.at(Raw::OpenBrace) {
            return self.unexpected("`{`");
        }
        // Line ends are separators from the brace on, not before it.
        self.separated = true;
        self.set_in_body(true);
        let block = self.block();
        self.set_in_body(false);
        block
    }

    /// `never name { ... }` and the like.
    fn observer(&mut self, kind: ObserverKind) -> Parsed<Observer> {
        let start = self.here();
        self.bump();
        let name = if self.kind() == Kind::Name { Some(self.name("a name")?) } else { None };
        let body = self.body()?;
        Ok(Observer { kind, name, body, span: self.since(start) })
    }

    /// `ltl name { formula }`, or `ltl name { formula; }`
    fn ltl(&mut self) -> Parsed<Ltl> {
        let start = self.here();
        self.bump();
        let name = if self.kind() == Kind::Name { Some(self.name("a name")?) } else { None };
        self.expect(Raw::OpenBrace, "`{`")?;
        self.in_formula = true;
        if self.all_processes.is_empty() {
            self.find_processes();
        }
        let formula = self.expression()?;
        self.in_formula = false;
        self.eat(Raw::Semicolon);
        self.expect(Raw::CloseBrace, "`}` or an operator")?;
        Ok(Ltl { name, formula, span: self.since(start) })
    }

    fn find_processes(&mut self) {
        let (sources, tokens) = (self.sources, self.tokens);
        let declares = |kind| matches!(kind, Kind::Word(Word::Proctype | Word::DProctype));
        let names = tokens.windows(2).filter(|pair| declares(pair[0].kind));
        self.all_processes.extend(names.map(|pair| sources.text(pair[1].text)));
    }

    /// `inline f(a, b) { ... }`: the body is parsed at the calls.
    fn inline(&mut self) -> Parsed<Inline> {
        let start = self.here();
        self.bump();
        let name = self.name("the name of the inline")?;
        if !self.inlines.insert(name.text.clone()) {
            let message = format!("the inline `{}` exists already", name.text);
            self.error(codes::REDECLARED, name.span, message);
        }
        self.open(Raw::OpenParen, "`(`")?;
        let mut parameters = Vec::new();
        while !self.at(Raw::CloseParen) {
            parameters.push(self.name("a parameter")?);
            if !self.eat(Raw::Comma) {
                break;
            }
        }
        self.close(Raw::CloseParen, "`,` or `)`")?;
        let body = self.braced_text()?;
        Ok(Inline { name, parameters, body, span: self.since(start) })
    }

    /// `typedef T { ... }`
    fn typedef(&mut self) -> Parsed<Typedef> {
        let start = self.here();
        self.bump();
        let name = self.name("the name of the type")?;
        self.types.insert(name.text.clone());
        let Ok(fields) = self.fields_of_typedef() else {
            // The name counts as declared all the same.
            self.model.opaque_names.push(name.text);
            return Err(Failed);
        };
        Ok(Typedef { name, fields, span: self.since(start) })
    }

    fn fields_of_typedef(&mut self) -> Parsed<Vec<Declaration>> {
        self.expect(Raw::OpenBrace, "`{`")?;
        self.set_in_body(true);
        let mut fields = vec![self.declaration()?];
        while self.at_separator() {
            while self.at_separator() {
                self.bump();
            }
            if self.at(Raw::CloseBrace) {
                break;
            }
            fields.push(self.declaration()?);
        }
        self.set_in_body(false);
        self.expect(Raw::CloseBrace, "`;` or `}`")?;
        Ok(fields)
    }

    /// Parses an optional `[n]` after `active`.
    fn count(&mut self) -> Parsed<Option<Expression>> {
        if !self.at(Raw::OpenBracket) {
            return Ok(None);
        }
        self.open(Raw::OpenBracket, "`[`")?;
        let count = self.expression()?;
        self.close(Raw::CloseBracket, "`]`")?;
        Ok(Some(count))
    }

    fn parameters(&mut self) -> Parsed<Vec<Declaration>> {
        let mut parameters = vec![self.declaration()?];
        while self.eat(Raw::Semicolon) {
            parameters.push(self.declaration()?);
        }
        Ok(parameters)
    }

    /// Returns `true` if `mtype` begins a declaration of constants, not of variables.
    fn declares_symbols(&self) -> bool {
        let mut next = self.tokens[self.position + 1..].iter().map(|token| token.kind);
        match next.next() {
            Some(Kind::Raw(Raw::OpenBrace | Raw::Assign)) => true,
            Some(Kind::Raw(Raw::Colon)) => {
                matches!(next.nth(1), Some(Kind::Raw(Raw::Assign | Raw::OpenBrace)))
            }
            _ => false,
        }
    }

    /// `mtype = { a, b }`, `mtype:name = { a, b }`; commas are optional.
    fn symbols(&mut self) -> Parsed<Symbols> {
        let start = self.here();
        self.bump();
        let set = if self.eat(Raw::Colon) { Some(self.name("the name of the set")?) } else { None };
        self.eat(Raw::Assign);
        self.open(Raw::OpenBrace, "`{`")?;
        let mut names = Vec::new();
        while !self.at(Raw::CloseBrace) {
            if names.is_empty() || !self.eat(Raw::Comma) {
                names.push(self.name("a name")?);
            }
        }
        self.close(Raw::CloseBrace, "`}`")?;
        let span = self.since(start);
        if names.is_empty() {
            self.error(codes::UNEXPECTED, span, "this `mtype` declares nothing");
        }
        Ok(Symbols { set, names, span })
    }

    /// Parses `name(a, b)` for a call of an inline, and the statements that it expands to.
    pub(super) fn call(
        &mut self,
        start: Span,
        target: Option<crate::ast::Variable>,
    ) -> Parsed<crate::ast::Call> {
        let name = self.name_here();
        let Some(list) = group(self.tokens, self.position + 1, Raw::OpenParen) else {
            return self.unexpected("`(`");
        };
        let ranges = parts(self.tokens, list.start + 1..list.end - 1);
        let arguments = ranges.into_iter().map(|range| self.argument(range)).collect();
        let reported = self.diagnostics.len();
        let values = self.arguments_of_call()?;
        let end = self.last.unwrap_or(start);
        self.calls += 1;
        let body = self.nested(Self::block);
        self.calls -= 1;
        let span = start.to(end);
        self.explain_call(reported, &name, span);
        self.last = Some(end);
        Ok(crate::ast::Call { target, name, arguments, values, body: body? })
    }

    /// Adds the call to errors in its body.
    fn explain_call(&mut self, reported: usize, name: &Name, span: Span) {
        for diagnostic in &mut self.diagnostics[reported..] {
            let text = format!("in the expansion of inline `{}`, which is called here", name.text);
            diagnostic.labels.push(cfsm_core::diagnostic::Label { span, text });
        }
    }

    /// Parses arguments, which must be expressions although they are used as text.
    fn arguments_of_call(&mut self) -> Parsed<Vec<Expression>> {
        self.bump();
        self.open(Raw::OpenParen, "`(`")?;
        let values = if self.at(Raw::CloseParen) { Vec::new() } else { self.expressions()? };
        self.close(Raw::CloseParen, "`,` or `)`")?;
        Ok(values)
    }
}
