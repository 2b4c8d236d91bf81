//! The outermost level: imports, classes, systems.

use super::{Parsed, Parser};
use crate::lexer::Kind;
use crate::tree::structure::{Communication, Structure, SubSystem, System};
use crate::tree::{Import, Item, Name, Room, UserCode};

impl Parser<'_> {
    pub(crate) fn room(&mut self) -> Parsed<Room> {
        self.expect_word("RoomModel")?;
        let name = self.path("the name of the model")?;
        self.documentation()?;
        self.expect(Kind::OpenBrace, "`{`")?;
        let annotations = self.annotations()?;
        let code = UserCode::default();
        let mut room = Room { name, annotations, imports: Vec::new(), items: Vec::new(), code };
        // Behind an error nothing is gained by another one about the end of the text.
        self.items("a class, a type, a system", begins_item, |parser| parser.item(&mut room)).ok();
        Ok(room)
    }

    fn item(&mut self, room: &mut Room) -> Parsed<()> {
        if self.at_word("import") {
            room.imports.push(self.import()?);
            return Ok(());
        }
        let item = match self.word() {
            Some("PrimitiveType" | "Enumeration" | "ExternalType" | "DataClass") => {
                Item::Data(self.data_type()?)
            }
            Some("CompoundProtocolClass") => Item::Compound(self.compound()?),
            Some("SubSystemClass") => Item::SubSystem(self.subsystem()?),
            Some("LogicalSystem") => Item::System(self.system()?),
            Some("AnnotationType") => {
                self.bump();
                Item::AnnotationType(self.annotation_type()?)
            }
            _ => self.class()?,
        };
        room.items.push(item);
        Ok(())
    }

    /// A protocol class or an actor class, with the words before it.
    fn class(&mut self) -> Parsed<Item> {
        let (mut is_abstract, mut communication) = (false, Communication::EventDriven);
        loop {
            match self.word() {
                Some("abstract") => is_abstract = true,
                Some("eventdriven") => communication = Communication::EventDriven,
                Some("datadriven") => communication = Communication::DataDriven,
                Some("async") => communication = Communication::Asynchronous,
                Some("sync") => communication = Communication::Synchronous,
                Some("ActorClass") => return self.actor(is_abstract, communication).map(Item::Actor),
                Some("ProtocolClass") if !is_abstract => {
                    return self.protocol(communication).map(Item::Protocol);
                }
                _ => return self.unexpected("a class, a type, a system or `}`"),
            }
            self.bump();
        }
    }

    /// `import a.b.* from "file"`, `import a.b.C`, `import model "file"`.
    pub(crate) fn import(&mut self) -> Parsed<Import> {
        let start = self.here();
        self.expect_word("import")?;
        if self.at_word("model") && self.ahead(1) == Kind::Text {
            self.bump();
            let file = Some(self.quoted("the name of a file")?);
            return Ok(Import { names: None, file, span: self.since(start) });
        }
        let mut names = self.path("a name, or `model` and a file")?;
        if self.at(Kind::Dot) {
            self.bump();
            let star = self.expect(Kind::Star, "a name or `*`")?;
            names = Name { text: format!("{}.*", names.text), span: names.span.to(star.span) };
        }
        let file = if self.eat_word("from") { Some(self.quoted("the name of a file")?) } else { None };
        Ok(Import { names: Some(names), file, span: self.since(start) })
    }

    fn subsystem(&mut self) -> Parsed<SubSystem> {
        self.bump();
        let name = self.name("the name of the subsystem class")?;
        self.documentation()?;
        self.expect(Kind::OpenBrace, "`{`")?;
        let annotations = self.annotations()?;
        let structure = Structure::default();
        let mut class = SubSystem { name, annotations, structure, threads: Vec::new(), mappings: Vec::new() };
        self.items("a part of the subsystem", begins_structure, |parser| match parser.word() {
            Some("LogicalThread") => {
                parser.bump();
                class.threads.push(parser.name("the name of the thread")?);
                parser.old_thread()
            }
            Some("ActorInstanceMapping") => {
                class.mappings.push(parser.instance_mapping()?);
                Ok(())
            }
            Some("Port" | "conjugated") => {
                class.structure.interface.push(parser.port()?);
                Ok(())
            }
            _ => parser.structure_item(&mut class.structure),
        })?;
        Ok(class)
    }

    fn system(&mut self) -> Parsed<System> {
        self.bump();
        let name = self.name("the name of the system")?;
        self.documentation()?;
        self.expect(Kind::OpenBrace, "`{`")?;
        let annotations = self.annotations()?;
        let mut system = System { name, annotations, structure: Structure::default() };
        self.items("a part of the system", begins_structure, |parser| {
            parser.structure_item(&mut system.structure)
        })?;
        Ok(system)
    }
}

fn begins_item(word: &str) -> bool {
    matches!(
        word,
        "import"
            | "PrimitiveType"
            | "Enumeration"
            | "ExternalType"
            | "DataClass"
            | "CompoundProtocolClass"
            | "SubSystemClass"
            | "LogicalSystem"
            | "AnnotationType"
            | "abstract"
            | "eventdriven"
            | "datadriven"
            | "async"
            | "sync"
            | "ActorClass"
            | "ProtocolClass"
    )
}

/// Words that begin a part of a structure.
pub(crate) fn begins_structure(word: &str) -> bool {
    matches!(
        word,
        "LogicalThread"
            | "ActorInstanceMapping"
            | "Port"
            | "conjugated"
            | "external"
            | "SAP"
            | "SPP"
            | "ServiceImplementation"
            | "Attribute"
            | "ActorRef"
            | "SubSystemRef"
            | "optional"
            | "fixed"
            | "Binding"
            | "LayerConnection"
            | "usercode1"
            | "usercode2"
            | "usercode3"
    )
}
