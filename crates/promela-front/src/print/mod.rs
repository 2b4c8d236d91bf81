//! Printing of the tree: legal Promela that is parsed into the same tree, apart from spans.

mod expression;
mod statement;

use std::fmt::Write as _;

use crate::ast::{
    Declaration, Declarator, Embedded, EmbeddedKind, Initial, Inline, Ltl, Model, Number, Observer,
    ObserverKind, Process, Symbols, Text, TypeName, Typedef, Unit, Visibility,
};

/// Number of bytes of free stack below which a new segment is allocated.
const RED_ZONE: usize = 64 << 10;
/// Size of a new stack segment, in bytes.
const STACK_PIECE: usize = 1 << 20;
/// Indentation of the statements of a block.
const INDENT: &str = "    ";

/// Prints a tree, one statement per line. Macros are expanded and includes inserted; calls of
/// inlines stay calls. If the tree was parsed without an error, the text is parsed into the same
/// tree apart from spans. Time linear in the tree and in the indentation.
///
/// ```
/// use promela_front::{Options, parse, print};
///
/// let text = "#define N 2\nbyte x; active proctype P() { do :: x<N->x=x+1;skip od }";
/// let tree = parse("m.pml", text, &Options::default()).ast;
/// let printed = "byte x;\n\nactive proctype P()\n{\n    do\n    :: x < 2;\n        \
///                x = x + 1;\n        1;\n    od;\n}\n";
/// assert_eq!(print(&tree), printed);
/// ```
#[must_use]
pub fn print(model: &Model) -> String {
    let mut printer = Printer { text: String::new(), indent: 0 };
    for (position, unit) in model.units.iter().enumerate() {
        let together = |unit: &Unit| matches!(unit, Unit::Declaration(_) | Unit::Symbols(_));
        if position > 0 && !(together(unit) && together(&model.units[position - 1])) {
            printer.text.push('\n');
        }
        printer.unit(unit);
    }
    printer.text
}

/// Prints a formula, or another expression, as text that is parsed into the same tree.
pub(crate) fn print_expression(expression: &crate::ast::Expression) -> String {
    let mut printer = Printer { text: String::new(), indent: 0 };
    printer.expression(expression);
    printer.text
}

struct Printer {
    text: String,
    indent: usize,
}

impl Printer {
    fn push(&mut self, text: &str) {
        self.text.push_str(text);
    }

    /// Prints a number where a sign is not part of it.
    fn number(&mut self, number: impl std::fmt::Display) {
        let _ = write!(self.text, "{number}");
    }

    fn new_line(&mut self) {
        self.text.push('\n');
        for _ in 0..self.indent {
            self.text.push_str(INDENT);
        }
    }

    /// Prints items with a separator between them.
    fn list<T>(&mut self, items: &[T], between: &str, mut print: impl FnMut(&mut Self, &T)) {
        for (position, item) in items.iter().enumerate() {
            if position > 0 {
                self.push(between);
            }
            print(self, item);
        }
    }

    fn unit(&mut self, unit: &Unit) {
        match unit {
            Unit::Symbols(symbols) => self.symbols(symbols),
            Unit::Declaration(declaration) => {
                self.declaration(declaration);
                self.push(";");
            }
            Unit::Typedef(typedef) => self.typedef(typedef),
            Unit::Process(process) => self.process(process),
            Unit::Inline(inline) => self.inline(inline),
            Unit::Observer(observer) => self.observer(observer),
            Unit::Ltl(ltl) => self.ltl(ltl),
            Unit::Embedded(embedded) => self.embedded(embedded),
        }
        self.push("\n");
    }

    fn symbols(&mut self, symbols: &Symbols) {
        self.push("mtype");
        if let Some(set) = &symbols.set {
            self.push(":");
            self.push(&set.text);
        }
        self.push(" = { ");
        self.list(&symbols.names, ", ", |printer, name| printer.push(&name.text));
        self.push(" };");
    }

    fn typedef(&mut self, typedef: &Typedef) {
        self.push("typedef ");
        self.push(&typedef.name.text);
        self.push(" {");
        self.indent += 1;
        for field in &typedef.fields {
            self.new_line();
            self.declaration(field);
            self.push(";");
        }
        self.indent -= 1;
        self.push("\n}");
    }

    pub(super) fn declaration(&mut self, declaration: &Declaration) {
        self.push(match declaration.visibility {
            None => "",
            Some(Visibility::Hidden) => "hidden ",
            Some(Visibility::Show) => "show ",
            Some(Visibility::Local) => "local ",
        });
        self.type_name(&declaration.ty);
        self.push(" ");
        self.list(&declaration.declarators, ", ", Self::declarator);
    }

    fn type_name(&mut self, ty: &TypeName) {
        let word = match ty {
            TypeName::Bit => "bit",
            TypeName::Byte => "byte",
            TypeName::Short => "short",
            TypeName::Int => "int",
            TypeName::Unsigned => "unsigned",
            TypeName::Pid => "pid",
            TypeName::Chan => "chan",
            TypeName::Mtype(None) => "mtype",
            TypeName::Mtype(Some(set)) => {
                self.push("mtype:");
                return self.push(&set.text);
            }
            TypeName::Named(name) => return self.push(&name.text),
        };
        self.push(word);
    }

    fn declarator(&mut self, declarator: &Declarator) {
        self.push(&declarator.name.text);
        if let Some(width) = &declarator.width {
            self.push(" : ");
            self.expression(width);
        }
        if let Some(length) = &declarator.length {
            self.push("[");
            self.expression(length);
            self.push("]");
        }
        match &declarator.init {
            Initial::None => {}
            Initial::Value(value) => {
                self.push(" = ");
                self.expression(value);
            }
            Initial::List(values) => {
                self.push(" = { ");
                self.list(values, ", ", Self::expression);
                self.push(" }");
            }
            Initial::Channel { capacity, fields, .. } => {
                self.push(" = [");
                self.expression(capacity);
                self.push("] of { ");
                self.list(fields, ", ", |printer, (ty, _)| printer.type_name(ty));
                self.push(" }");
            }
        }
    }

    fn process(&mut self, process: &Process) {
        if process.init {
            self.push("init");
            self.priority(process.priority);
        } else {
            if let Some(count) = &process.active {
                self.push("active ");
                if let Some(count) = count {
                    self.push("[");
                    self.expression(count);
                    self.push("] ");
                }
            }
            self.push(if process.deterministic { "D_proctype " } else { "proctype " });
            self.push(&process.name.text);
            self.push("(");
            self.list(&process.parameters, "; ", Self::declaration);
            self.push(")");
            self.priority(process.priority);
            if let Some(condition) = &process.provided {
                self.push(" provided (");
                self.expression(condition);
                self.push(")");
            }
        }
        self.new_line();
        self.block(&process.body);
    }

    pub(super) fn priority(&mut self, priority: Option<Number>) {
        if let Some(priority) = priority {
            self.push(" priority ");
            self.constant(priority.value);
        }
    }

    fn inline(&mut self, inline: &Inline) {
        self.push("inline ");
        self.push(&inline.name.text);
        self.push("(");
        self.list(&inline.parameters, ", ", |printer, name| printer.push(&name.text));
        self.push(") ");
        self.braced(&inline.body);
    }

    /// Prints a stored text with braces around it.
    pub(super) fn braced(&mut self, text: &Text) {
        self.push("{ ");
        self.push(&text.text);
        self.push(" }");
    }

    fn observer(&mut self, observer: &Observer) {
        self.push(match observer.kind {
            ObserverKind::Never => "never",
            ObserverKind::Trace => "trace",
            ObserverKind::NoTrace => "notrace",
        });
        if let Some(name) = &observer.name {
            self.push(" ");
            self.push(&name.text);
        }
        self.new_line();
        self.block(&observer.body);
    }

    fn ltl(&mut self, ltl: &Ltl) {
        self.push("ltl ");
        if let Some(name) = &ltl.name {
            self.push(&name.text);
            self.push(" ");
        }
        self.push("{ ");
        self.expression(&ltl.formula);
        self.push(" }");
    }

    fn embedded(&mut self, embedded: &Embedded) {
        match embedded.kind {
            EmbeddedKind::Declaration => self.push("c_decl "),
            EmbeddedKind::Code => self.push("c_code "),
            EmbeddedKind::State => self.push("c_state "),
            EmbeddedKind::Track => self.push("c_track "),
        }
        match embedded.kind {
            EmbeddedKind::Declaration | EmbeddedKind::Code => {
                self.list(&embedded.texts, " ", Self::braced);
            }
            EmbeddedKind::State | EmbeddedKind::Track => {
                self.list(&embedded.texts, " ", |printer, text| printer.quoted(&text.text));
            }
        }
    }

    pub(super) fn quoted(&mut self, text: &str) {
        self.push("\"");
        self.push(text);
        self.push("\"");
    }
}
