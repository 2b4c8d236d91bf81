//! Action code, documentation and annotations.

use cfsm_core::source::Span;

use super::{Parsed, Parser};
use crate::fragment::Fragment;
use crate::lexer::Kind;
use crate::tree::{Annotation, AnnotationAttribute, AnnotationType, KeyValue, Name, UserCode};

impl Parser<'_> {
    /// Code: lines of quoted text in braces, a text in triple apostrophes, or nothing at all.
    pub(crate) fn code(&mut self) -> Parsed<Fragment> {
        let mut code = Fragment::default();
        if self.eat(Kind::OpenBrace) {
            while !self.eat(Kind::CloseBrace) {
                if !code.pieces.is_empty() {
                    let end = self.here();
                    code.push("\n", Span { end: end.start, ..end });
                }
                let line = self.expect(Kind::Text, "a line of code between quotes, or `}`")?.span;
                let inside = Span { start: line.start + 1, end: line.end - 1, ..line };
                code.push_escaped(self.text(inside), inside);
            }
        } else if self.at(Kind::Block) {
            let block = self.bump().span;
            let inside = Span { start: block.start + 3, end: block.end - 3, ..block };
            code.push(self.text(inside), inside);
        }
        Ok(code)
    }

    /// Documentation, `[ "..." ]`, if the next tokens are one.
    pub(crate) fn documentation(&mut self) -> Parsed<()> {
        let begins = matches!(self.ahead(1), Kind::Text | Kind::CloseBracket);
        if !self.at(Kind::OpenBracket) || !begins {
            return Ok(());
        }
        self.bump();
        while !self.eat(Kind::CloseBracket) {
            self.expect(Kind::Text, "a text between quotes, or `]`")?;
        }
        Ok(())
    }

    /// `usercode1 ...`, if the next token begins one.
    pub(crate) fn user_code(&mut self, code: &mut UserCode) -> Parsed<bool> {
        if !matches!(self.word(), Some("usercode" | "usercode1" | "usercode2" | "usercode3")) {
            return Ok(false);
        }
        self.bump();
        code.fragments.push(self.code()?);
        Ok(true)
    }

    /// `ctor` or `dtor` with its code, if the next token begins one.
    pub(crate) fn structor(&mut self, code: &mut UserCode) -> Parsed<bool> {
        if !matches!(self.word(), Some("ctor" | "dtor")) {
            return Ok(false);
        }
        self.bump();
        code.fragments.push(self.code()?);
        Ok(true)
    }

    /// All annotations that stand here.
    pub(crate) fn annotations(&mut self) -> Parsed<Vec<Annotation>> {
        let mut all = Vec::new();
        while self.eat(Kind::At) {
            let name = self.path("the name of an annotation")?;
            let mut values = Vec::new();
            if self.eat(Kind::OpenParen) {
                values = self.listed(Kind::CloseParen, "`,` or `)`", |parser| {
                    let key = parser.name("the name of an attribute")?;
                    parser.expect(Kind::Equals, "`=`")?;
                    Ok(KeyValue { key, value: parser.literal()? })
                })?;
            }
            all.push(Annotation { name, values });
        }
        Ok(all)
    }

    /// A text, a number with its sign, `true` or `false`.
    pub(crate) fn literal(&mut self) -> Parsed<Name> {
        let start = self.here();
        match self.kind() {
            Kind::Text => self.quoted("a value"),
            Kind::Word if matches!(self.word(), Some("true" | "false")) => self.name("a value"),
            _ => {
                if !self.eat(Kind::Minus) {
                    self.eat(Kind::Plus);
                }
                // `1.` and `.5` are numbers too.
                let dot = self.eat(Kind::Dot);
                if matches!(self.kind(), Kind::Number | Kind::Real) {
                    self.bump();
                    if !dot {
                        self.eat(Kind::Dot);
                    }
                } else {
                    return self.unexpected("a text, a number, `true` or `false`");
                }
                let span = self.since(start);
                Ok(Name { text: self.text(span).to_owned(), span })
            }
        }
    }

    /// The declaration of an annotation, behind its keyword.
    pub(crate) fn annotation_type(&mut self) -> Parsed<AnnotationType> {
        let name = self.name("the name of the annotation")?;
        self.documentation()?;
        self.expect(Kind::OpenBrace, "`{`")?;
        self.expect_word("target")?;
        self.expect(Kind::Equals, "`=`")?;
        let target = |parser: &mut Self| parser.any_word("what is annotated");
        let targets = if self.eat(Kind::OpenBrace) {
            self.listed(Kind::CloseBrace, "`,` or `}`", target)?
        } else {
            vec![target(self)?]
        };
        let mut attributes = Vec::new();
        self.items(
            "`optional attribute`, `mandatory attribute`",
            |word| matches!(word, "optional" | "mandatory"),
            |parser| {
                attributes.push(parser.annotation_attribute()?);
                Ok(())
            },
        )?;
        Ok(AnnotationType { name, targets, attributes })
    }

    fn annotation_attribute(&mut self) -> Parsed<AnnotationAttribute> {
        let optional = self.eat_word("optional");
        if !optional {
            self.expect_word("mandatory")?;
        }
        self.expect_word("attribute")?;
        let name = self.name("the name of an attribute")?;
        self.expect(Kind::Colon, "`:`")?;
        let values = if self.eat(Kind::OpenBrace) {
            self.listed(Kind::CloseBrace, "`,` or `}`", |parser| parser.quoted("a text between quotes"))?
        } else {
            vec![self.name("a literal type, for instance `ptInteger`")?]
        };
        Ok(AnnotationAttribute { optional, name, values })
    }

    /// A word, be it a keyword or not.
    fn any_word(&mut self, wanted: &str) -> Parsed<Name> {
        let span = self.expect(Kind::Word, wanted)?.span;
        Ok(Name { text: self.text(span).to_owned(), span })
    }
}
