//! Lowers declarations: symbolic constants, variables, channels.

use std::sync::Arc;

use cfsm_core::program::{
    Action, ChannelShape, Expression, Initializer, Place, SymbolSet, SymbolSetId, Type, Variable, VariableRef,
};
use cfsm_core::source::Span;

use super::Lowering;
use super::statement::SKIP;
use crate::ast::{Declaration, Declarator, Initial, ObserverKind, Symbols, TypeName, Visibility};
use crate::codes;
use crate::resolve::Entity;
use cfsm_core::diagnostic::Diagnostic;

/// Greatest number of constants in a set: they are stored in a byte, and 0 is not used.
const MAX_SYMBOLS: usize = 255;
/// Greatest length of an array.
pub(super) const MAX_LENGTH: i64 = 1 << 20;

impl Lowering<'_> {
    /// Declares symbolic constants. They are numbered from the last one back, after those of
    /// earlier declarations.
    pub(super) fn symbols(&mut self, symbols: &Symbols) {
        let set = self.set_named(symbols.set.as_ref().map(|name| Arc::clone(&name.text)));
        let last = self.program.symbols[set].constants.len() + symbols.names.len();
        let number = |position: usize| i64::try_from(last - position).unwrap_or(i64::MAX);
        let numbered = symbols.names.iter().enumerate().rev();
        let numbered = numbered.map(|(position, name)| (name.text.to_string(), number(position)));
        self.program.symbols[set].constants.extend(numbered);
        for (position, name) in symbols.names.iter().enumerate() {
            self.declare(name, Entity::Constant(set, number(position)));
        }
        if self.program.symbols[set].constants.len() > MAX_SYMBOLS {
            let message = format!("an `mtype` has at most {MAX_SYMBOLS} constants");
            self.error(codes::BAD_SIZE, symbols.span, message);
        }
    }

    fn set_named(&mut self, name: Option<Arc<str>>) -> SymbolSetId {
        if let Some(set) = self.sets.get(&name) {
            return *set;
        }
        let set = self
            .program
            .symbols
            .push(SymbolSet { name: name.as_ref().map(ToString::to_string), constants: Vec::new() });
        self.sets.insert(name, set);
        set
    }

    pub(super) fn globals(&mut self, declaration: &Declaration) {
        self.check_hidden(declaration, true);
        for declarator in &declaration.declarators {
            if matches!(declaration.ty, TypeName::Named(_)) {
                self.record_variable(declaration, declarator, false);
                continue;
            }
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
            if matches!(declaration.ty, TypeName::Named(_)) {
                self.record_variable(declaration, declarator, true);
            } else {
                self.local(declaration, declarator, Initializer::Parameter);
            }
        }
    }

    /// Lowers a local declaration. At the beginning of a body it is part of the creation; after the
    /// first statement it is an assignment, of 0 if it has no initialiser, and a `skip` for a
    /// record.
    pub(super) fn locals(&mut self, declaration: &Declaration) {
        self.check_hidden(declaration, false);
        if self.body.observer == Some(ObserverKind::Never) {
            self.error(codes::MISPLACED_DECLARATION, declaration.span, "a `never` claim has no variables");
        }
        for declarator in &declaration.declarators {
            if matches!(declaration.ty, TypeName::Named(_)) {
                self.record_variable(declaration, declarator, false);
                if !self.body.initializing {
                    self.action(SKIP, declarator.span);
                }
                continue;
            }
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
            self.action(Action::Assign { target, value }, declarator.span);
        }
    }

    /// The value that a declaration after a statement assigns; for an array, to the first element
    /// only, as in Spin.
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
                let message = "a list of initial values can stand before the first statement only";
                self.error(codes::BAD_INITIALIZER, declarator.span, message);
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
        let length = self.length(declarator);
        let init = self.fitted(init, ty, length, declarator);
        let hidden = declaration.visibility == Some(Visibility::Hidden);
        let name = &*declarator.name.text;
        Some(Variable { length, hidden, ..Variable::scalar(name, ty, init, declarator.span) })
    }

    /// Number of elements, if the variable is an array.
    pub(super) fn length(&mut self, declarator: &Declarator) -> Option<u32> {
        let length = declarator.length.as_ref()?;
        let length = self.constant(length, 1..=MAX_LENGTH, "the length").unwrap_or(1);
        Some(u32::try_from(length).unwrap_or(1))
    }

    /// Checks an initialiser against its variable; a list that is too short repeats its last value.
    pub(super) fn fitted(
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
                    let diagnostic = Diagnostic::warning(codes::BAD_INITIALIZER, declarator.span, message);
                    self.diagnostics.push(diagnostic.with_hint("the rest says nothing"));
                }
                let last = values.last().cloned().unwrap_or(Expression::Constant(0));
                values.resize(length as usize, last);
                Initializer::List(values)
            }
            (init, _) => init,
        }
    }

    pub(super) fn initializer(&mut self, declarator: &Declarator, ty: &TypeName) -> Initializer {
        match &declarator.init {
            Initial::None => Initializer::Zero,
            Initial::Value(value) => {
                self.check_symbols_of(ty, value);
                self.check_channels(value);
                Initializer::Value(self.expression(value))
            }
            Initial::List(values) => {
                for value in values {
                    self.constant(value, i64::MIN..=i64::MAX, "a value in a list");
                }
                Initializer::List(values.iter().map(|value| self.expression(value)).collect())
            }
            Initial::Channel { capacity, fields, .. } => {
                if let [(TypeName::Named(name), _)] = &fields[..]
                    && let Some(ty) = self.type_names.get(&name.text)
                {
                    self.channel_records.insert(declarator.name.span, *ty);
                }
                self.channel(capacity, fields)
            }
        }
    }

    fn channel(&mut self, capacity: &crate::ast::Expression, fields: &[(TypeName, Span)]) -> Initializer {
        let capacity = self.constant(capacity, 0..=u32::MAX.into(), "the capacity").unwrap_or(0);
        let mut types = Vec::new();
        for (name, place) in fields {
            match name {
                TypeName::Unsigned => {
                    let message = "a field of a message cannot be `unsigned`";
                    self.error(codes::MISPLACED_DECLARATION, *place, message);
                }
                TypeName::Named(name) => match self.record_type(name) {
                    Some(ty) => {
                        let scalars = self.scalar_types(ty, *place);
                        if scalars.iter().any(|ty| matches!(ty, Type::Unsigned(_))) {
                            let message =
                                "a field of a message cannot be `unsigned`, nor can one of a record in it";
                            self.error(codes::MISPLACED_DECLARATION, *place, message);
                        }
                        types.extend(scalars);
                    }
                    // The error was reported; a field of some type keeps the number of fields.
                    None => types.push(Type::Byte),
                },
                name => types.extend(self.plain_type(name)),
            }
        }
        let capacity = u32::try_from(capacity).unwrap_or(0);
        let shape = ChannelShape::new(capacity, types);
        self.lengths.note(&shape);
        Initializer::NewChannel(shape)
    }

    /// Checks that a hidden variable is global and not a `bit`, as Spin requires.
    pub(super) fn check_hidden(&mut self, declaration: &Declaration, global: bool) {
        if declaration.visibility != Some(Visibility::Hidden) {
            return;
        }
        let (code, message) = match declaration.ty {
            _ if !global => (codes::MISPLACED_DECLARATION, "only a global variable can be hidden"),
            TypeName::Bit => (codes::MISPLACED_DECLARATION, "a `bit` or `bool` cannot be hidden"),
            _ => return,
        };
        self.error(code, declaration.span, message);
    }

    pub(super) fn scalar_type(&mut self, name: &TypeName, declarator: &Declarator) -> Option<Type> {
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
        let width = self.constant(width, 1..=31, "the width").unwrap_or(1);
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
            TypeName::Mtype(set) => {
                Type::Symbol(self.set_named(set.as_ref().map(|set| Arc::clone(&set.text))))
            }
            TypeName::Named(_) => return None,
        })
    }
}
