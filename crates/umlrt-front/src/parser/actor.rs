//! Actor classes, and what structures are made of.

use super::room::begins_structure;
use super::{Parsed, Parser};
use crate::lexer::Kind;
use crate::tree::structure::{
    Actor, Binding, Communication, EndPoint, InstanceMapping, Layer, Multiplicity, Part, Port, Segment,
    Structure, Typed,
};

impl Parser<'_> {
    /// An actor class, from its keyword on.
    pub(crate) fn actor(&mut self, is_abstract: bool, communication: Communication) -> Parsed<Actor> {
        self.bump();
        let name = self.name("the name of the actor class")?;
        self.documentation()?;
        let base = self.base()?;
        self.expect(Kind::OpenBrace, "`{`")?;
        let annotations = self.annotations()?;
        let mut actor = Actor {
            is_abstract,
            is_flat: false,
            destroys: true,
            reorders: false,
            communication,
            name,
            base,
            annotations,
            structure: Structure::default(),
            operations: Vec::new(),
            machine: None,
        };
        let begins = |word: &str| matches!(word, "Interface" | "Structure" | "Behavior");
        self.items("`Interface`, `Structure`, `Behavior`", begins, |parser| {
            parser.part_of_actor(&mut actor)
        })?;
        Ok(actor)
    }

    fn part_of_actor(&mut self, actor: &mut Actor) -> Parsed<()> {
        match self.word() {
            Some("Interface") => {
                self.bump();
                self.expect(Kind::OpenBrace, "`{`")?;
                let structure = &mut actor.structure;
                self.items("a port", begins_structure, |parser| {
                    match parser.word() {
                        Some("SPP") => structure.provision.push(parser.typed()?),
                        Some("Port" | "conjugated") => structure.interface.push(parser.port()?),
                        _ => return parser.unexpected("`Port`, `conjugated Port`, `SPP` or `}`"),
                    }
                    Ok(())
                })
            }
            Some("Structure") => {
                self.bump();
                self.documentation()?;
                self.expect(Kind::OpenBrace, "`{`")?;
                let structure = &mut actor.structure;
                self.items("a part of the structure", begins_structure, |parser| {
                    parser.structure_item(structure)
                })
            }
            Some("Behavior") => self.behavior(actor),
            _ => self.unexpected("`Interface`, `Structure`, `Behavior` or `}`"),
        }
    }

    fn behavior(&mut self, actor: &mut Actor) -> Parsed<()> {
        self.bump();
        self.documentation()?;
        self.expect(Kind::OpenBrace, "`{`")?;
        actor.annotations.extend(self.annotations()?);
        let begins = |word: &str| matches!(word, "Operation" | "override" | "ctor" | "dtor" | "StateMachine");
        self.items("`Operation`, `StateMachine`", begins, |parser| {
            if parser.structor(&mut actor.structure.code)? {
                return Ok(());
            }
            match parser.word() {
                Some("Operation" | "override") => actor.operations.push(parser.operation()?),
                Some("StateMachine") => {
                    parser.bump();
                    actor.machine = Some(parser.graph()?);
                }
                _ => return parser.unexpected("`Operation`, `ctor`, `dtor`, `StateMachine` or `}`"),
            }
            Ok(())
        })
    }

    /// One item of a structure: of an actor class, a subsystem class or a system.
    pub(crate) fn structure_item(&mut self, structure: &mut Structure) -> Parsed<()> {
        if self.user_code(&mut structure.code)? {
            return Ok(());
        }
        match self.word() {
            Some("Port" | "conjugated") => structure.internal.push(self.port()?),
            Some("external") => {
                self.bump();
                self.expect_word("Port")?;
                structure.external.push(self.name("the name of a port of the interface")?);
            }
            Some("SAP") => structure.access.push(self.typed()?),
            Some("SPP") => structure.provision.push(self.typed()?),
            Some("ServiceImplementation") => {
                self.bump();
                self.expect_word("of")?;
                structure.implemented.push(self.name("the name of a service provision point")?);
            }
            Some("Attribute") => structure.attributes.push(self.attribute()?),
            Some("ActorRef" | "SubSystemRef" | "optional" | "fixed") => structure.parts.push(self.part()?),
            Some("Binding") => structure.bindings.push(self.binding()?),
            Some("LayerConnection") => structure.layers.push(self.layer()?),
            _ => return self.unexpected("a port, a part, a binding or `}`"),
        }
        Ok(())
    }

    /// `SAP name: Protocol`, `SPP name: Protocol`.
    fn typed(&mut self) -> Parsed<Typed> {
        self.bump();
        let name = self.name("a name")?;
        self.expect(Kind::Colon, "`:` and a protocol")?;
        let class = self.path("the name of a protocol")?;
        self.documentation()?;
        Ok(Typed { name, class })
    }

    pub(crate) fn port(&mut self) -> Parsed<Port> {
        let conjugated = self.eat_word("conjugated");
        self.expect_word("Port")?;
        let name = self.name("the name of the port")?;
        let multiplicity = self.multiplicity()?;
        self.expect(Kind::Colon, "`:` and a protocol")?;
        let protocol = self.path("the name of a protocol")?;
        self.annotations()?;
        self.documentation()?;
        Ok(Port { redefines: false, conjugated, name, multiplicity, protocol })
    }

    /// `[3]`, `[*]`, or nothing, which is one.
    fn multiplicity(&mut self) -> Parsed<Multiplicity> {
        if !self.eat(Kind::OpenBracket) {
            return Ok(Multiplicity::Number(1));
        }
        let number = if self.eat(Kind::Star) {
            Multiplicity::Any
        } else {
            Multiplicity::Number(self.number("a number or `*`")?)
        };
        self.expect(Kind::CloseBracket, "`]`")?;
        Ok(number)
    }

    fn part(&mut self) -> Parsed<Part> {
        let optional = self.eat_word("optional");
        if !optional {
            self.eat_word("fixed");
        }
        if !self.eat_word("ActorRef") && !self.eat_word("SubSystemRef") {
            return self.unexpected("`ActorRef`");
        }
        let name = self.name("the name of the part")?;
        let multiplicity = self.multiplicity()?;
        self.expect(Kind::Colon, "`:` and a class")?;
        let class = self.path("the name of a class")?;
        self.documentation()?;
        Ok(Part { redefines: false, optional, vacant: false, private: false, name, multiplicity, class })
    }

    fn binding(&mut self) -> Parsed<Binding> {
        let start = self.bump().span;
        let one = self.end_point()?;
        self.expect_word("and")?;
        let other = self.end_point()?;
        Ok(Binding { one, other, span: self.since(start) })
    }

    fn end_point(&mut self) -> Parsed<EndPoint> {
        let first = self.name("a port, or a part and its port")?;
        let (part, port) =
            if self.eat(Kind::Dot) { (Some(first), self.name("the name of a port")?) } else { (None, first) };
        let sub = if self.eat_word("sub") { Some(self.name("a part of the protocol")?) } else { None };
        Ok(EndPoint { part, port, sub })
    }

    fn layer(&mut self) -> Parsed<Layer> {
        let start = self.bump().span;
        let relayed = self.eat_word("relay_sap");
        if !relayed && !self.eat_word("ref") {
            return self.unexpected("`ref` or `relay_sap`");
        }
        let from = self.name("the name of a part or of a provision point")?;
        self.expect_word("satisfied_by")?;
        let part = self.name("the name of a part")?;
        self.expect(Kind::Dot, "`.` and a provision point")?;
        let service = self.name("the name of a provision point")?;
        Ok(Layer { relayed, from, part, service, span: self.since(start) })
    }

    /// The form of older texts behind the name of a thread: `prio = 1 { path, path }`.
    pub(crate) fn old_thread(&mut self) -> Parsed<()> {
        if !self.eat_word("prio") {
            return Ok(());
        }
        self.expect(Kind::Equals, "`=`")?;
        self.number("a number")?;
        self.expect(Kind::OpenBrace, "`{`")?;
        self.listed(Kind::CloseBrace, "`,` or `}`", |parser| parser.path("the path of an instance"))?;
        Ok(())
    }

    pub(crate) fn instance_mapping(&mut self) -> Parsed<InstanceMapping> {
        self.expect_word("ActorInstanceMapping")?;
        let mut path = Vec::new();
        loop {
            let name = self.name("the path of an instance")?;
            let index = if self.eat(Kind::Colon) { Some(self.number("an index")?) } else { None };
            path.push(Segment { name, index });
            if !self.eat(Kind::Slash) {
                break;
            }
        }
        self.expect(Kind::Arrow, "`->` and a thread")?;
        let thread = self.name("the name of a logical thread")?;
        let mut inner = Vec::new();
        if self.eat(Kind::OpenBrace) {
            while !self.eat(Kind::CloseBrace) {
                inner.push(self.nested(Self::instance_mapping)?);
            }
        }
        Ok(InstanceMapping { path, thread, inner })
    }
}
