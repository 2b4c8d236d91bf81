//! Nodes and threads, and the mapping of systems to them.

use super::{Parsed, Parser};
use crate::lexer::Kind;
use crate::tree::Name;
use crate::tree::physical::{
    Mapping, MappingModel, NodeClass, Physical, PhysicalSystem, RuntimeClass, Setting, SubSystemMapping,
    Thread, ThreadMapping,
};
use crate::tree::structure::Typed;

impl Parser<'_> {
    pub(crate) fn physical(&mut self) -> Parsed<Physical> {
        self.bump();
        let name = self.path("the name of the model")?;
        self.expect(Kind::OpenBrace, "`{`")?;
        let (systems, nodes, runtimes) = Default::default();
        let mut model = Physical { name, imports: Vec::new(), systems, nodes, runtimes };
        let begins = |word: &str| matches!(word, "import" | "PhysicalSystem" | "NodeClass" | "RuntimeClass");
        self.items("`PhysicalSystem`, `NodeClass`, `RuntimeClass`", begins, |parser| {
            match parser.word() {
                Some("import") => model.imports.push(parser.import()?),
                Some("PhysicalSystem") => model.systems.push(parser.physical_system()?),
                Some("NodeClass") => model.nodes.push(parser.node_class()?),
                Some("RuntimeClass") => model.runtimes.push(parser.runtime_class()?),
                _ => return parser.unexpected("`PhysicalSystem`, `NodeClass`, `RuntimeClass` or `}`"),
            }
            Ok(())
        })
        .ok();
        Ok(model)
    }

    fn physical_system(&mut self) -> Parsed<PhysicalSystem> {
        self.bump();
        let name = self.name("the name of the system")?;
        self.documentation()?;
        self.expect(Kind::OpenBrace, "`{`")?;
        let mut nodes = Vec::new();
        while !self.eat(Kind::CloseBrace) {
            self.expect_word("NodeRef")?;
            let name = self.name("the name of the node")?;
            self.expect(Kind::Colon, "`:` and a class")?;
            nodes.push(Typed { name, class: self.path("the name of a node class")? });
            self.documentation()?;
        }
        Ok(PhysicalSystem { name, nodes })
    }

    fn node_class(&mut self) -> Parsed<NodeClass> {
        self.bump();
        let name = self.name("the name of the class")?;
        self.documentation()?;
        self.expect(Kind::OpenBrace, "`{`")?;
        let mut class = NodeClass { name, settings: Vec::new(), threads: Vec::new() };
        let begins = |word: &str| matches!(word, "DefaultThread" | "Thread");
        self.items("a setting or a thread", begins, |parser| {
            if !matches!(parser.word(), Some("DefaultThread" | "Thread")) {
                class.settings.push(parser.setting()?);
                return Ok(());
            }
            let default = parser.at_word("DefaultThread");
            parser.bump();
            let name = parser.name("the name of the thread")?;
            parser.expect(Kind::OpenBrace, "`{`")?;
            let mut settings = Vec::new();
            while !parser.eat(Kind::CloseBrace) {
                settings.push(parser.setting()?);
            }
            class.threads.push(Thread { default, name, settings });
            Ok(())
        })?;
        Ok(class)
    }

    fn runtime_class(&mut self) -> Parsed<RuntimeClass> {
        self.bump();
        let name = self.name("the name of the class")?;
        self.documentation()?;
        self.expect(Kind::OpenBrace, "`{`")?;
        let mut settings = Vec::new();
        while !self.eat(Kind::CloseBrace) {
            settings.push(self.setting()?);
        }
        Ok(RuntimeClass { name, settings })
    }

    /// `key = value`; a number may have a sign and a unit.
    fn setting(&mut self) -> Parsed<Setting> {
        let key = self.name("a setting, a thread or `}`")?;
        self.expect(Kind::Equals, "`=`")?;
        let start = self.here();
        if self.at(Kind::Word) {
            let value = self.path("a value")?;
            return Ok(Setting { key, value });
        }
        if !self.eat(Kind::Minus) {
            self.eat(Kind::Plus);
        }
        self.number("a value")?;
        if matches!(self.word(), Some("s" | "ms" | "us" | "ns")) {
            self.bump();
        }
        let span = self.since(start);
        Ok(Setting { key, value: Name { text: self.text(span).to_owned(), span } })
    }

    pub(crate) fn mapping_model(&mut self) -> Parsed<MappingModel> {
        self.bump();
        let name = self.path("the name of the model")?;
        self.expect(Kind::OpenBrace, "`{`")?;
        let mut model = MappingModel { name, imports: Vec::new(), mappings: Vec::new() };
        let begins = |word: &str| matches!(word, "import" | "Mapping");
        self.items("`Mapping`", begins, |parser| {
            match parser.word() {
                Some("import") => model.imports.push(parser.import()?),
                Some("Mapping") => model.mappings.push(parser.mapping()?),
                _ => return parser.unexpected("`Mapping` or `}`"),
            }
            Ok(())
        })
        .ok();
        Ok(model)
    }

    fn mapping(&mut self) -> Parsed<Mapping> {
        self.bump();
        let logical = self.path("the name of a logical system")?;
        self.expect(Kind::Arrow, "`->` and a physical system")?;
        let physical = self.path("the name of a physical system")?;
        self.expect(Kind::OpenBrace, "`{`")?;
        let mut subsystems = Vec::new();
        while !self.eat(Kind::CloseBrace) {
            subsystems.push(self.subsystem_mapping()?);
        }
        Ok(Mapping { logical, physical, subsystems })
    }

    fn subsystem_mapping(&mut self) -> Parsed<SubSystemMapping> {
        self.expect_word("SubSystemMapping")?;
        let logical = self.name("the name of a subsystem")?;
        self.expect(Kind::Arrow, "`->` and a node")?;
        let node = self.name("the name of a node")?;
        let mut threads = Vec::new();
        if self.eat(Kind::OpenBrace) {
            while !self.eat(Kind::CloseBrace) {
                self.expect_word("ThreadMapping")?;
                let logical = self.name("the name of a logical thread")?;
                self.expect(Kind::Arrow, "`->` and a thread")?;
                threads.push(ThreadMapping { logical, physical: self.name("the name of a thread")? });
            }
        }
        Ok(SubSystemMapping { logical, node, threads })
    }
}
