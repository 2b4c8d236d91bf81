//! Protocols.

use super::data::begins_member;
use super::{Parsed, Parser};
use crate::lexer::Kind;
use crate::tree::UserCode;
use crate::tree::machine::Rule;
use crate::tree::structure::{Communication, Compound, Handler, Message, PortClass, Protocol, Typed};

impl Parser<'_> {
    /// A protocol class, from its keyword on.
    pub(crate) fn protocol(&mut self, communication: Communication) -> Parsed<Protocol> {
        self.bump();
        let name = self.name("the name of the protocol")?;
        self.documentation()?;
        let base = self.base()?;
        self.expect(Kind::OpenBrace, "`{`")?;
        let annotations = self.annotations()?;
        let mut protocol = Protocol {
            communication,
            name,
            base,
            annotations,
            code: UserCode::default(),
            incoming: Vec::new(),
            outgoing: Vec::new(),
            regular: None,
            conjugated: None,
            semantics: Vec::new(),
        };
        self.items("`incoming`, `outgoing`", begins_section, |parser| parser.section(&mut protocol))?;
        Ok(protocol)
    }

    fn section(&mut self, protocol: &mut Protocol) -> Parsed<()> {
        if self.user_code(&mut protocol.code)? {
            return Ok(());
        }
        match self.word() {
            Some("incoming") => self.messages(&mut protocol.incoming),
            Some("outgoing") => self.messages(&mut protocol.outgoing),
            Some("regular") => {
                protocol.regular = Some(self.port_class()?);
                Ok(())
            }
            Some("conjugated" | "conjugate") => {
                protocol.conjugated = Some(self.port_class()?);
                Ok(())
            }
            Some("semantics") => {
                self.bump();
                self.expect(Kind::OpenBrace, "`{`")?;
                while !self.eat(Kind::CloseBrace) {
                    protocol.semantics.push(self.rule()?);
                }
                Ok(())
            }
            _ => self.unexpected("`incoming`, `outgoing`, a port class, `semantics` or `}`"),
        }
    }

    fn messages(&mut self, messages: &mut Vec<Message>) -> Parsed<()> {
        self.bump();
        self.expect(Kind::OpenBrace, "`{`")?;
        self.items(
            "`Message`",
            |word| matches!(word, "Message" | "private"),
            |parser| {
                messages.push(parser.message()?);
                Ok(())
            },
        )
    }

    fn message(&mut self) -> Parsed<Message> {
        let private = self.eat_word("private");
        self.expect_word("Message")?;
        let name = self.name("the name of the message")?;
        let (mut data_name, mut data) = (None, None);
        if self.eat(Kind::OpenParen) && !self.eat(Kind::CloseParen) {
            if self.ahead(1) == Kind::Colon {
                data_name = Some(self.name("the name of the data")?.text);
                self.bump();
            }
            data = Some(self.type_ref()?);
            self.expect(Kind::CloseParen, "`)`")?;
        }
        self.annotations()?;
        self.documentation()?;
        Ok(Message { name, private, data_name, data })
    }

    fn port_class(&mut self) -> Parsed<PortClass> {
        self.bump();
        self.expect_word("PortClass")?;
        self.expect(Kind::OpenBrace, "`{`")?;
        let mut class = PortClass::default();
        self.items("`handle`, `Operation`", begins_member, |parser| {
            if parser.user_code(&mut class.code)? {
                return Ok(());
            }
            match parser.word() {
                Some("handle") => class.handlers.push(parser.handler()?),
                Some("Operation") => class.operations.push(parser.operation()?),
                Some("Attribute") => class.attributes.push(parser.attribute()?),
                _ => return parser.unexpected("`handle`, `Operation`, `Attribute` or `}`"),
            }
            Ok(())
        })?;
        Ok(class)
    }

    fn handler(&mut self) -> Parsed<Handler> {
        self.bump();
        let incoming = self.eat_word("incoming");
        if !incoming && !self.eat_word("outgoing") {
            return self.unexpected("`incoming` or `outgoing`");
        }
        let message = self.name("the name of a message")?;
        Ok(Handler { incoming, message, code: self.code()? })
    }

    /// `in: message -> (rule, rule)`.
    fn rule(&mut self) -> Parsed<Rule> {
        let incoming = self.eat_word("in");
        if !incoming && !self.eat_word("out") {
            return self.unexpected("`in`, `out` or `}`");
        }
        self.expect(Kind::Colon, "`:`")?;
        let message = self.name("the name of a message")?;
        let mut then = Vec::new();
        if self.eat(Kind::Arrow) {
            if self.eat(Kind::OpenParen) {
                then = self.listed(Kind::CloseParen, "`,` or `)`", |parser| parser.nested(Self::rule))?;
            } else {
                then.push(self.nested(Self::rule)?);
            }
        }
        Ok(Rule { incoming, message, then })
    }

    pub(crate) fn compound(&mut self) -> Parsed<Compound> {
        self.bump();
        let name = self.name("the name of the protocol")?;
        self.documentation()?;
        self.expect(Kind::OpenBrace, "`{`")?;
        self.annotations()?;
        let mut parts = Vec::new();
        self.items(
            "`SubProtocol`",
            |word| word == "SubProtocol",
            |parser| {
                parser.expect_word("SubProtocol")?;
                let name = parser.name("the name of the part")?;
                parser.expect(Kind::Colon, "`:`")?;
                parts.push(Typed { name, class: parser.path("the name of a protocol")? });
                Ok(())
            },
        )?;
        Ok(Compound { name, parts })
    }
}

fn begins_section(word: &str) -> bool {
    matches!(
        word,
        "incoming"
            | "outgoing"
            | "regular"
            | "conjugated"
            | "conjugate"
            | "semantics"
            | "usercode1"
            | "usercode2"
            | "usercode3"
    )
}
