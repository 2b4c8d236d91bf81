//! Parses declarations of variables.

use cfsm_core::source::Span;

use super::{Failed, Parsed, Parser};
use crate::ast::{Declaration, Declarator, Initial, TypeName, Visibility};
use crate::codes;
use crate::lexer::Raw;
use crate::token::{Kind, Word};

impl Parser<'_> {
    /// Returns `true` if a declaration of variables begins here.
    pub(super) fn at_declaration(&self) -> bool {
        match self.kind() {
            Kind::Word(word) => {
                matches!(word, Word::Hidden | Word::Show | Word::Local) || type_name(word).is_some()
            }
            // `T x`: two consecutive names can only be a declaration, but two statements may be
            // separated by a line end.
            Kind::Name => self.second().is_some_and(|next| {
                let declares = !self.in_body || !next.first_on_line || self.types.contains(self.text_here());
                next.kind == Kind::Name && declares
            }),
            _ => false,
        }
    }

    /// `byte x, y[3] = 2`
    pub(super) fn declaration(&mut self) -> Parsed<Declaration> {
        let start = self.here();
        let visibility = self.visibility();
        let ty = self.type_name()?;
        let mut declarators = vec![self.declarator()?];
        while self.eat(Raw::Comma) {
            declarators.push(self.declarator()?);
        }
        Ok(Declaration { visibility, ty, declarators, span: self.since(start) })
    }

    /// As [`declaration`](Self::declaration), in a body, where an `mtype` cannot declare constants.
    pub(super) fn declaration_in_body(&mut self) -> Parsed<Declaration> {
        if self.at_word(Word::Mtype) && (self.next_is(Raw::OpenBrace) || self.next_is(Raw::Assign)) {
            let message = "constants of `mtype` cannot be declared inside a process";
            self.error(codes::MISPLACED_DECLARATION, self.here(), message);
            return Err(Failed);
        }
        self.declaration()
    }

    fn visibility(&mut self) -> Option<Visibility> {
        let visibility = match self.kind() {
            Kind::Word(Word::Hidden) => Visibility::Hidden,
            Kind::Word(Word::Show) => Visibility::Show,
            Kind::Word(Word::Local) => Visibility::Local,
            _ => return None,
        };
        self.bump();
        Some(visibility)
    }

    fn type_name(&mut self) -> Parsed<TypeName> {
        if self.kind() == Kind::Name {
            return self.name("a type").map(TypeName::Named);
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
