//! Declarations: symbolic constants, variables, channels.

use cfsm_core::program::{
    Action, ChannelShape, Expression, Initializer, Place, SymbolSet, SymbolSetId, Type, Variable, VariableRef,
};
use cfsm_core::source::Span;

use super::Lowering;
use super::graph::NodeId;
use crate::ast::{Declaration, Declarator, Initial, Name, Symbols, TypeName};
use crate::codes;
use crate::diagnostic::Diagnostic;
use crate::resolve::{Declared, Entity};

/// Greatest number of constants in a set: they are kept in a byte, and 0 is none of them.
const MAX_SYMBOLS: usize = 255;
/// Greatest length of an array.
const MAX_LENGTH: i64 = 1 << 20;

impl Lowering<'_> {
    /// Constants get numbers from the last one back, behind those of earlier declarations.
    pub(super) fn symbols(&mut self, symbols: &Symbols) {
        let set = self.set_named(symbols.set.as_ref().map(|name| name.text.clone()));
        let last = self.program.symbols[set].constants.len() + symbols.names.len();
        let number = |position: usize| i64::try_from(last - position).unwrap_or(i64::MAX);
        let numbered = symbols.names.iter().enumerate().rev();
        let numbered = numbered.map(|(position, name)| (name.text.clone(), number(position)));
        self.program.symbols[set].constants.extend(numbered);
        for (position, name) in symbols.names.iter().enumerate() {
            self.declare(name, Entity::Constant(set, number(position)));
        }
        if self.program.symbols[set].constants.len() > MAX_SYMBOLS {
            let message = format!("an `mtype` has at most {MAX_SYMBOLS} constants");
            self.error(codes::BAD_SIZE, symbols.span, message);
        }
    }

    fn set_named(&mut self, name: Option<String>) -> SymbolSetId {
        if let Some(set) = self.sets.get(&name) {
            return *set;
        }
        let set = self.program.symbols.push(SymbolSet { name: name.clone(), constants: Vec::new() });
        self.sets.insert(name, set);
        set
    }

    pub(super) fn globals(&mut self, declaration: &Declaration) {
        for declarator in &declaration.declarators {
            let init = self.initializer(declarator, &declaration.ty);
            if let Some(variable) = self.new_variable(declaration, declarator, init) {
                let id = self.program.globals.push(variable);
                self.declare(&declarator.name, Entity::Variable(VariableRef::Global(id)));
            }
        }
    }

    pub(super) fn parameters(&mut self, declaration: &Declaration) {
        for declarator in &declaration.declarators {
            if declarator.init != Initial::None {
                let message = "a parameter cannot have an initialiser";
                self.error(codes::BAD_INITIALIZER, declarator.span, message);
            }
            if declarator.length.is_some() {
                let message = "a parameter cannot be an array";
                self.error(codes::MISPLACED_DECLARATION, declarator.span, message);
            }
            self.local(declaration, declarator, Initializer::Parameter);
        }
    }

    /// A local declaration. At the beginning of a body it is part of the creation; behind the first
    /// statement it is an assignment, of 0 if it says nothing.
    pub(super) fn locals(&mut self, declaration: &Declaration, after: NodeId) -> Option<NodeId> {
        let mut nodes: Option<(NodeId, NodeId)> = None;
        for declarator in &declaration.declarators {
            let init = self.initializer(declarator, &declaration.ty);
            if self.body.initializing {
                self.local(declaration, declarator, init);
                continue;
            }
            let value = self.late_value(declarator, init);
            let Some(id) = self.local(declaration, declarator, Initializer::Zero) else {
                continue;
            };
            let Some(value) = value else { continue };
            let index = declarator.length.is_some().then(|| Box::new(Expression::Constant(0)));
            let target = Place { variable: id, index };
            let node = self.action(Action::Assign { target, value }, after, declarator.span);
            if let Some((_, last)) = nodes {
                self.redirect(last, node);
            }
            nodes = Some((nodes.map_or(node, |(first, _)| first), node));
        }
        nodes.map(|(first, _)| first)
    }

    /// What a declaration behind a statement assigns, to the first element of an array as Spin does.
    fn late_value(&mut self, declarator: &Declarator, init: Initializer) -> Option<Expression> {
        match init {
            Initializer::Zero => Some(Expression::Constant(0)),
            Initializer::Value(value) => {
                if declarator.length.is_some() {
                    let message = "behind a statement, this initialises the first element only";
                    self.diagnostics.push(Diagnostic::warning(
                        codes::BAD_INITIALIZER,
                        declarator.span,
                        message,
                    ));
                }
                Some(value)
            }
            Initializer::List(_) => {
                let message = "not handled yet: a list of initial values behind a statement";
                self.error(codes::NOT_HANDLED, declarator.span, message);
                None
            }
            Initializer::NewChannel(_) | Initializer::Parameter => {
                let message = format!("the channel `{}` is made behind a statement", declarator.name.text);
                self.diagnostics.push(
                    Diagnostic::error(codes::MISPLACED_DECLARATION, declarator.span, message)
                        .with_hint("declare it before the first statement of the process"),
                );
                None
            }
        }
    }

    fn local(
        &mut self,
        declaration: &Declaration,
        declarator: &Declarator,
        init: Initializer,
    ) -> Option<VariableRef> {
        let variable = self.new_variable(declaration, declarator, init)?;
        let id = VariableRef::Local(self.body.locals.push(variable));
        self.declare(&declarator.name, Entity::Variable(id));
        Some(id)
    }

    fn declare(&mut self, name: &Name, entity: Entity) {
        let declared = self.names.declare(&name.text, Declared { entity, span: name.span });
        if let Err(earlier) = declared
            && !self.model.incomplete
        {
            let message = format!("`{}` is declared already", name.text);
            self.diagnostics.push(
                Diagnostic::error(codes::REDECLARED, name.span, message)
                    .with_label(earlier, "it is declared here, and visible"),
            );
        }
    }

    fn new_variable(
        &mut self,
        declaration: &Declaration,
        declarator: &Declarator,
        init: Initializer,
    ) -> Option<Variable> {
        let Some(ty) = self.scalar_type(&declaration.ty, declarator) else {
            self.declare(&declarator.name, Entity::Opaque);
            return None;
        };
        let length = declarator.length.as_ref();
        let length = length.map(|length| self.constant(length, (1, MAX_LENGTH), "the length").unwrap_or(1));
        let length = length.map(|length| u32::try_from(length).unwrap_or(1));
        let init = self.fitted(init, ty, length, declarator);
        Some(Variable { name: declarator.name.text.clone(), ty, length, init, span: declarator.span })
    }

    /// Checks an initialiser against its variable; a list that is too short repeats its last value.
    fn fitted(
        &mut self,
        init: Initializer,
        ty: Type,
        length: Option<u32>,
        declarator: &Declarator,
    ) -> Initializer {
        match (init, length) {
            (Initializer::NewChannel(_), _) if ty != Type::Channel => {
                let message = format!("`{}` is no `chan`", declarator.name.text);
                self.error(codes::BAD_INITIALIZER, declarator.span, message);
                Initializer::Zero
            }
            (Initializer::List(_), None) => {
                let message = format!("`{}` is no array", declarator.name.text);
                self.error(codes::BAD_INITIALIZER, declarator.span, message);
                Initializer::Zero
            }
            (Initializer::List(mut values), Some(length)) => {
                if values.len() > length as usize {
                    let message = format!("{} values for {length} elements", values.len());
                    self.error(codes::BAD_INITIALIZER, declarator.span, message);
                }
                let last = values.last().cloned().unwrap_or(Expression::Constant(0));
                values.resize(length as usize, last);
                Initializer::List(values)
            }
            (init, _) => init,
        }
    }

    fn initializer(&mut self, declarator: &Declarator, ty: &TypeName) -> Initializer {
        match &declarator.init {
            Initial::None => Initializer::Zero,
            Initial::Value(value) => {
                self.check_symbols_of(ty, value);
                let assigning = std::mem::replace(&mut self.assigning, true);
                let value = self.expression(value);
                self.assigning = assigning;
                Initializer::Value(value)
            }
            Initial::List(values) => {
                for value in values {
                    self.constant(value, (i64::MIN, i64::MAX), "a value in a list");
                }
                Initializer::List(values.iter().map(|value| self.expression(value)).collect())
            }
            Initial::Channel { capacity, fields, span } => self.channel(capacity, fields, *span),
        }
    }

    fn channel(
        &mut self,
        capacity: &crate::ast::Expression,
        fields: &[(TypeName, Span)],
        span: Span,
    ) -> Initializer {
        let capacity = self.constant(capacity, (0, 255), "the capacity").unwrap_or(0);
        let mut types = Vec::new();
        for (name, place) in fields {
            match name {
                TypeName::Unsigned => {
                    let message = "a field of a message cannot be `unsigned`";
                    self.error(codes::MISPLACED_DECLARATION, *place, message);
                }
                // It was reported; a field of some type keeps the number of fields.
                TypeName::Opaque(_) => types.push(Type::Byte),
                name => types.extend(self.plain_type(name)),
            }
        }
        debug_assert!(types.len() <= fields.len(), "one type per field at {span:?}");
        let capacity = u32::try_from(capacity).unwrap_or(0);
        Initializer::NewChannel(ChannelShape { capacity, fields: types })
    }

    fn scalar_type(&mut self, name: &TypeName, declarator: &Declarator) -> Option<Type> {
        if !matches!(name, TypeName::Unsigned) {
            if let Some(width) = &declarator.width {
                self.error(codes::BAD_SIZE, width.span, "only an `unsigned` has a width");
            }
            return self.plain_type(name);
        }
        let Some(width) = &declarator.width else {
            let message = format!("`{}` needs a width", declarator.name.text);
            self.diagnostics.push(
                Diagnostic::error(codes::BAD_SIZE, declarator.span, message)
                    .with_hint("write `unsigned x : 4` for 4 bits"),
            );
            return Some(Type::Unsigned(16));
        };
        let width = self.constant(width, (1, 31), "the width").unwrap_or(1);
        Some(Type::Unsigned(u8::try_from(width).unwrap_or(1)))
    }

    fn plain_type(&mut self, name: &TypeName) -> Option<Type> {
        Some(match name {
            TypeName::Bit => Type::Bit,
            TypeName::Byte => Type::Byte,
            TypeName::Short => Type::Short,
            TypeName::Int => Type::Int,
            TypeName::Unsigned => Type::Unsigned(16),
            TypeName::Pid => Type::Pid,
            TypeName::Chan => Type::Channel,
            TypeName::Mtype(set) => Type::Symbol(self.set_named(set.as_ref().map(|set| set.text.clone()))),
            TypeName::Opaque(_) => return None,
        })
    }
}
