//! Units: process types, declarations, and what is not handled yet.

use cfsm_core::source::Span;

use super::{Failed, Parsed, Parser};
use crate::ast::{
    Block, Declaration, Declarator, Expression, Initial, Name, Process, Symbols, TypeName, Unit,
};
use crate::codes;
use crate::lexer::{LexError, Raw};
use crate::token::{Kind, Word};

impl Parser<'_> {
    /// The whole text. Errors in a unit are dealt with here.
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
                        Kind::Word(Word::Active | Word::Proctype | Word::DProctype | Word::Init)
                    );
                    let unit = self.unit();
                    self.in_body = false;
                    self.parentheses = 0;
                    match unit {
                        Ok(Some(unit)) => self.model.units.push(unit),
                        Ok(None) => {}
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

    fn unit(&mut self) -> Parsed<Option<Unit>> {
        let start = self.here();
        match self.kind() {
            Kind::Word(Word::Active | Word::Proctype | Word::DProctype) => {
                self.process().map(Unit::Process).map(Some)
            }
            Kind::Word(Word::Init) => self.init().map(Unit::Process).map(Some),
            Kind::Word(Word::Mtype) if self.declares_symbols() => self.symbols().map(Unit::Symbols).map(Some),
            Kind::Word(word) if !self.at_declaration() => self.unsupported_unit(word, start).map(|()| None),
            Kind::Unsupported => {
                self.bump();
                self.model.incomplete = true;
                Ok(None)
            }
            // A macro out of a text that is missing.
            Kind::Name if self.model.incomplete && self.next_is(Raw::OpenParen) => {
                self.bump();
                self.skip_group();
                Ok(None)
            }
            _ if self.at_declaration() => self.declaration(false).map(Unit::Declaration).map(Some),
            _ => self.unexpected("a declaration or a process type"),
        }
    }

    fn unsupported_unit(&mut self, word: Word, start: Span) -> Parsed<()> {
        let text = self.sources.text(self.token().text);
        let introduces = matches!(word, Word::Typedef | Word::Inline);
        match word {
            Word::Never | Word::Trace | Word::NoTrace | Word::Ltl | Word::Typedef | Word::Inline => {}
            Word::CCode | Word::CDecl | Word::CState | Word::CTrack => self.model.incomplete = true,
            _ => return self.unexpected("a declaration or a process type"),
        }
        self.bump();
        let mut span = start;
        if self.kind() == Kind::Name {
            let name = self.name("a name")?;
            span = start.to(name.span);
            if introduces {
                self.model.opaque_names.push(name.text);
            }
        }
        self.error(codes::NOT_HANDLED, span, format!("not handled yet: `{text}`"));
        if matches!(word, Word::CState | Word::CTrack) {
            while self.eat(Raw::String) {}
            return Ok(());
        }
        if self.at(Raw::OpenParen) || self.at(Raw::OpenBracket) {
            self.skip_group();
        }
        if !self.at(Raw::OpenBrace) {
            return self.unexpected("`{`");
        }
        self.skip_group();
        Ok(())
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
        let Ok((parameters, body)) = self.parameters_and_body() else {
            // It exists all the same.
            self.model.opaque_names.push(name.text);
            return Err(Failed);
        };
        let span = self.since(start);
        Ok(Process { name, init: false, active, deterministic, parameters, body, span })
    }

    fn parameters_and_body(&mut self) -> Parsed<(Vec<Declaration>, Block)> {
        self.open(Raw::OpenParen, "`(`")?;
        let parameters = if self.at(Raw::CloseParen) { Vec::new() } else { self.parameters()? };
        self.close(Raw::CloseParen, "`)`, `,` or `;`")?;
        Ok((parameters, self.body()?))
    }

    fn init(&mut self) -> Parsed<Process> {
        let start = self.here();
        let name = Name { text: String::from("init"), span: start };
        self.bump();
        let body = self.body()?;
        let (active, span) = (Some(None), self.since(start));
        Ok(Process { name, init: true, active, deterministic: false, parameters: Vec::new(), body, span })
    }

    /// `priority`, `provided`, and the body.
    fn body(&mut self) -> Parsed<Block> {
        while let Kind::Word(word @ (Word::Priority | Word::Provided)) = self.kind() {
            let start = self.here();
            let text = self.sources.text(self.token().text);
            self.bump();
            if word == Word::Priority {
                self.expect(Raw::Number, "a number")?;
            } else {
                self.skip_group();
            }
            self.error(codes::NOT_HANDLED, self.since(start), format!("not handled yet: `{text}`"));
        }
        if !self.at(Raw::OpenBrace) {
            return self.unexpected("`{`");
        }
        // From the brace on, the ends of lines separate; before it nothing does.
        self.separated = true;
        self.in_body = true;
        let block = self.block();
        self.in_body = false;
        block
    }

    /// `[n]` behind `active`.
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
        let mut parameters = vec![self.declaration(false)?];
        while self.eat(Raw::Semicolon) {
            if self.at(Raw::CloseParen) {
                break;
            }
            parameters.push(self.declaration(false)?);
        }
        Ok(parameters)
    }

    /// Whether `mtype` begins a declaration of constants: `{` comes before a variable could.
    fn declares_symbols(&self) -> bool {
        let mut next = self.tokens[self.position + 1..].iter().map(|token| token.kind);
        match next.next() {
            Some(Kind::Raw(Raw::OpenBrace)) => true,
            Some(Kind::Raw(Raw::Assign)) => true,
            Some(Kind::Raw(Raw::Colon)) => next.nth(1) == Some(Kind::Raw(Raw::Assign)),
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

    /// Whether a declaration of variables begins here.
    pub(super) fn at_declaration(&self) -> bool {
        match self.kind() {
            Kind::Word(word) => {
                matches!(word, Word::Hidden | Word::Show | Word::Local) || type_name(word).is_some()
            }
            // `T x` with a typedef T, which was reported.
            Kind::Name => {
                self.tokens.get(self.position + 1).is_some_and(|next| next.kind == Kind::Name)
                    && (!self.in_body || !self.tokens[self.position + 1].first_on_line)
            }
            _ => false,
        }
    }

    /// `byte x, y[3] = 2`. `show` and `local` do not change what a program does.
    pub(super) fn declaration(&mut self, in_body: bool) -> Parsed<Declaration> {
        let start = self.here();
        let hidden = self.at_word(Word::Hidden);
        if matches!(self.kind(), Kind::Word(Word::Hidden | Word::Show | Word::Local)) {
            self.bump();
        }
        let ty = self.type_name()?;
        if hidden {
            self.check_hidden(&ty, self.since(start));
        }
        if in_body && matches!(self.kind(), Kind::Raw(Raw::OpenBrace | Raw::Assign)) {
            let message = "constants of `mtype` cannot be declared inside a process";
            self.error(codes::MISPLACED_DECLARATION, start, message);
            return Err(Failed);
        }
        let mut declarators = vec![self.declarator()?];
        // In a list of parameters a comma may also come before the next type, in Spin it may not.
        while self.eat(Raw::Comma) {
            declarators.push(self.declarator()?);
        }
        Ok(Declaration { ty, declarators, span: self.since(start) })
    }

    /// A hidden variable is no part of the state. Spin wants it to be global and no `bit`; and its verifier
    /// keeps an `unsigned` whole then, whatever its width.
    fn check_hidden(&mut self, ty: &TypeName, span: Span) {
        let (code, message) = match ty {
            _ if self.in_body => (codes::MISPLACED_DECLARATION, "only a global variable can be hidden"),
            TypeName::Bit => (codes::MISPLACED_DECLARATION, "a `bit` or `bool` cannot be hidden"),
            TypeName::Unsigned => (codes::NOT_HANDLED, "not handled yet: a hidden `unsigned`"),
            _ => return,
        };
        self.error(code, span, message);
    }

    fn type_name(&mut self) -> Parsed<TypeName> {
        if self.kind() == Kind::Name {
            let name = self.name_here();
            if !self.model.opaque_names.contains(&name.text) && !self.model.incomplete {
                let message = format!("`{}` is no type", name.text);
                self.error(codes::UNKNOWN_NAME, name.span, message);
            }
            self.bump();
            return Ok(TypeName::Opaque(name));
        }
        let Kind::Word(word) = self.kind() else {
            return self.unexpected("a type");
        };
        let Some(ty) = type_name(word) else {
            return self.unexpected("a type");
        };
        self.bump();
        if matches!(ty, TypeName::Mtype(_)) && self.eat(Raw::Colon) {
            return Ok(TypeName::Mtype(Some(self.name("the name of a set of constants")?)));
        }
        Ok(ty)
    }

    fn declarator(&mut self) -> Parsed<Declarator> {
        let start = self.here();
        let name = self.name("the name of a variable")?;
        let (mut width, mut length) = (None, None);
        if self.eat(Raw::Colon) {
            width = Some(self.expression()?);
        } else if self.at(Raw::OpenBracket) {
            self.open(Raw::OpenBracket, "`[`")?;
            length = Some(self.expression()?);
            self.close(Raw::CloseBracket, "`]`")?;
        }
        let init = if self.eat(Raw::Assign) { self.initial()? } else { Initial::None };
        Ok(Declarator { name, width, length, init, span: self.since(start) })
    }

    fn initial(&mut self) -> Parsed<Initial> {
        let start = self.here();
        if self.at(Raw::OpenBrace) {
            self.open(Raw::OpenBrace, "`{`")?;
            let values = self.expressions()?;
            self.close(Raw::CloseBrace, "`,` or `}`")?;
            return Ok(Initial::List(values));
        }
        if !self.at(Raw::OpenBracket) {
            return self.expression().map(Initial::Value);
        }
        self.open(Raw::OpenBracket, "`[`")?;
        let capacity = self.expression()?;
        self.close(Raw::CloseBracket, "`]`")?;
        if !self.eat_word(Word::Of) {
            return self.unexpected("`of`");
        }
        self.open(Raw::OpenBrace, "`{`")?;
        let mut fields = vec![self.field_type()?];
        while self.eat(Raw::Comma) {
            fields.push(self.field_type()?);
        }
        self.close(Raw::CloseBrace, "`,` or `}`")?;
        Ok(Initial::Channel { capacity, fields, span: self.since(start) })
    }

    fn field_type(&mut self) -> Parsed<(TypeName, Span)> {
        let start = self.here();
        let ty = self.type_name()?;
        Ok((ty, self.since(start)))
    }
}

const fn type_name(word: Word) -> Option<TypeName> {
    Some(match word {
        Word::Bit | Word::Bool => TypeName::Bit,
        Word::Byte => TypeName::Byte,
        Word::Short => TypeName::Short,
        Word::Int => TypeName::Int,
        Word::Unsigned => TypeName::Unsigned,
        Word::Pid => TypeName::Pid,
        Word::Chan => TypeName::Chan,
        Word::Mtype => TypeName::Mtype(None),
        _ => return None,
    })
}
