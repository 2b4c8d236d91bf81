//! Data types, attributes and operations.

use super::{Parsed, Parser};
use crate::lexer::Kind;
use crate::tree::structure::{
    Attribute, DataClass, DataKind, DataType, EnumLiteral, Operation, Parameter, Primitive, TypeRef,
};
use crate::tree::{Name, UserCode};

impl Parser<'_> {
    pub(crate) fn data_type(&mut self) -> Parsed<DataType> {
        match self.word() {
            Some("PrimitiveType") => self.primitive(),
            Some("Enumeration") => self.enumeration(),
            Some("ExternalType") => self.external_type(),
            _ => self.data_class(),
        }
    }

    fn primitive(&mut self) -> Parsed<DataType> {
        self.bump();
        let name = self.name("the name of the type")?;
        self.expect(Kind::Colon, "`:`")?;
        let literal = self.name("a literal type, for instance `ptInteger`")?;
        self.expect(Kind::Arrow, "`->`")?;
        let target = self.target()?;
        if self.eat(Kind::OpenParen) {
            self.path("the name of a type of the target language")?;
            self.expect(Kind::CloseParen, "`)`")?;
        }
        self.expect_word("default")?;
        let default = self.quoted("the default value between quotes")?;
        self.documentation()?;
        Ok(DataType { name, kind: DataKind::Primitive(Primitive { literal, target, default }) })
    }

    /// The name of a type in the target language, quoted or not.
    fn target(&mut self) -> Parsed<Name> {
        if self.at(Kind::Text) { self.quoted("a type") } else { self.path("a type of the target language") }
    }

    fn enumeration(&mut self) -> Parsed<DataType> {
        self.bump();
        let name = self.name("the name of the type")?;
        self.documentation()?;
        if self.eat_word("of") {
            self.path("the name of a type")?;
        }
        self.expect(Kind::OpenBrace, "`{`")?;
        let mut literals = Vec::new();
        while !self.eat(Kind::CloseBrace) {
            if !literals.is_empty() {
                self.expect(Kind::Comma, "`,` or `}`")?;
            }
            let name = self.name("the name of a literal")?;
            let value = if self.eat(Kind::Equals) { Some(self.integer()?) } else { None };
            literals.push(EnumLiteral { name, value });
        }
        Ok(DataType { name, kind: DataKind::Enumeration(literals) })
    }

    fn integer(&mut self) -> Parsed<i64> {
        let negative = self.eat(Kind::Minus);
        if !negative {
            self.eat(Kind::Plus);
        }
        let value = i64::from(self.number("a number")?);
        Ok(if negative { -value } else { value })
    }

    fn external_type(&mut self) -> Parsed<DataType> {
        self.bump();
        let name = self.name("the name of the type")?;
        self.expect(Kind::Arrow, "`->`")?;
        self.target()?;
        if self.eat_word("default") {
            self.quoted("the default value between quotes")?;
        }
        self.documentation()?;
        Ok(DataType { name, kind: DataKind::External })
    }

    fn data_class(&mut self) -> Parsed<DataType> {
        self.bump();
        let name = self.name("the name of the class")?;
        self.documentation()?;
        let base = self.base()?;
        self.expect(Kind::OpenBrace, "`{`")?;
        self.annotations()?;
        let (attributes, operations) = (Vec::new(), Vec::new());
        let mut class = DataClass { base, code: UserCode::default(), attributes, operations };
        self.items("`Attribute`, `Operation`", begins_member, |parser| parser.data_member(&mut class))?;
        Ok(DataType { name, kind: DataKind::Class(class) })
    }

    fn data_member(&mut self, class: &mut DataClass) -> Parsed<()> {
        if self.user_code(&mut class.code)? || self.structor(&mut class.code)? {
            return Ok(());
        }
        match self.word() {
            Some("Attribute") => class.attributes.push(self.attribute()?),
            Some("Operation" | "override") => class.operations.push(self.operation()?),
            _ => return self.unexpected("`Attribute`, `Operation`, `ctor`, `dtor` or `}`"),
        }
        Ok(())
    }

    /// `extends Class`, if it stands here.
    pub(crate) fn base(&mut self) -> Parsed<Option<Name>> {
        if self.eat_word("extends") { self.path("the name of a class").map(Some) } else { Ok(None) }
    }

    pub(crate) fn attribute(&mut self) -> Parsed<Attribute> {
        self.expect_word("Attribute")?;
        let name = self.name("the name of the attribute")?;
        let size = if self.at(Kind::OpenBracket) && self.ahead(1) == Kind::Number {
            self.bump();
            let size = self.number("a number")?;
            self.expect(Kind::CloseBracket, "`]`")?;
            Some(size)
        } else {
            None
        };
        self.expect(Kind::Colon, "`:` and a type")?;
        let ty = if self.at(Kind::Word) { Some(self.type_ref()?) } else { None };
        let default =
            if self.eat(Kind::Equals) { Some(self.quoted("the value between quotes")?) } else { None };
        self.documentation()?;
        Ok(Attribute { name, size, ty, default })
    }

    pub(crate) fn type_ref(&mut self) -> Parsed<TypeRef> {
        let name = self.path("the name of a type")?;
        let by_reference = self.eat_word("ref");
        Ok(TypeRef { name, by_reference })
    }

    pub(crate) fn operation(&mut self) -> Parsed<Operation> {
        self.eat_word("override");
        self.expect_word("Operation")?;
        self.eat(Kind::Tilde);
        let name = self.name("the name of the operation")?;
        self.expect(Kind::OpenParen, "`(`")?;
        let mut parameters = Vec::new();
        while !self.eat(Kind::CloseParen) {
            if !parameters.is_empty() {
                self.expect(Kind::Comma, "`,` or `)`")?;
            }
            let name = self.name("the name of a parameter, or `)`")?;
            self.expect(Kind::Colon, "`:` and a type")?;
            let ty = self.type_ref()?;
            self.eat_word("varargs");
            parameters.push(Parameter { name, ty });
        }
        let (mut result, mut sends) = (None, None);
        if self.eat(Kind::Colon) {
            if !self.eat_word("void") {
                result = Some(self.type_ref()?);
            }
        } else if self.eat_word("sends") {
            sends = Some(self.name("the name of a message")?);
        }
        self.documentation()?;
        let code = self.code()?;
        Ok(Operation { name, parameters, result, sends, code })
    }
}

/// Words that begin a member of a class.
pub(crate) fn begins_member(word: &str) -> bool {
    matches!(word, "Attribute" | "Operation" | "override" | "ctor" | "dtor" | "handle" | "usercode")
}
