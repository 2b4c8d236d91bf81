//! The most general environment as Promela text.

use std::fmt::Write as _;

use cfsm_core::program::{ChannelDeclaration, Program, Type, VariableId};
use thiserror::Error;

use crate::Interface;
use crate::environment::free_name;
use crate::messages::Field;
use crate::uses::of_globals;

/// A reason for which an environment cannot be written as Promela text.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum NotWritable {
    /// Messages of an open channel refer to channels.
    #[error(
        "messages of `{channel}` refer to channels, and an environment that sends any of these cannot be written down"
    )]
    Reference {
        /// The open channel.
        channel: String,
    },
}

/// A process type in Promela that does what the most general environment does: it belongs behind
/// the text of the program. Types with many values are chosen bit by bit. Time linear in the
/// interface.
///
/// # Errors
/// [`NotWritable`] if messages refer to channels.
pub fn promela(program: &Program, interface: &Interface) -> Result<String, NotWritable> {
    let uses = of_globals(program);
    let mut text = Text::default();
    for variable in &interface.channels {
        let declaration = ChannelDeclaration { owner: None, variable: *variable };
        let Some(shape) = program.channel_shape(declaration) else { continue };
        if shape.fields.contains(&Type::Channel) {
            return Err(NotWritable::Reference { channel: program.globals[*variable].name.clone() });
        }
        if uses[*variable].may_be_read() {
            let fields = interface.fields(*variable, shape);
            let fields: Vec<Choice> = fields.iter().map(|field| text.field(program, field)).collect();
            elements(program, *variable).iter().for_each(|channel| text.send(channel, &fields));
        }
        if uses[*variable].may_be_sent_to() {
            let words = vec!["_"; shape.fields.len()].join(",");
            for channel in elements(program, *variable) {
                _ = writeln!(text.options, "    :: {channel}?{words}");
            }
        }
    }
    let Text { declarations, mut options, .. } = text;
    options.push_str("    :: break\n");
    Ok(format!(
        "active proctype {}() {{\n{declarations}    end: do\n{options}    od\n}}\n",
        free_name(program)
    ))
}

/// The parts of the process type.
#[derive(Default)]
struct Text {
    declarations: String,
    options: String,
    /// Number of variables.
    fields: usize,
}

/// The choice of a field of a message: the variable for its value, and statements that choose one.
struct Choice {
    name: String,
    statements: String,
}

impl Text {
    /// Declares the variable of a field.
    fn field(&mut self, program: &Program, field: &Field) -> Choice {
        let name = format!("field_{}", self.fields);
        self.fields += 1;
        _ = writeln!(self.declarations, "    {};", declared(program, &name, field.ty));
        Choice { statements: choice(program, &name, field), name }
    }

    /// Adds an option that chooses the fields of a message and sends it.
    fn send(&mut self, channel: &str, fields: &[Choice]) {
        self.options.push_str("    :: true ->\n");
        fields.iter().for_each(|field| self.options.push_str(&field.statements));
        let words: Vec<&str> = fields.iter().map(|field| field.name.as_str()).collect();
        _ = writeln!(self.options, "        {channel}!{}", words.join(","));
    }
}

/// The declaration of a variable.
fn declared(program: &Program, name: &str, ty: Type) -> String {
    match ty {
        Type::Bit => format!("bit {name}"),
        Type::Byte | Type::Channel => format!("byte {name}"),
        Type::Short => format!("short {name}"),
        Type::Int => format!("int {name}"),
        Type::Unsigned(bits) => format!("unsigned {name} : {bits}"),
        Type::Pid => format!("pid {name}"),
        Type::Symbol(set) => match &program.symbols[set].name {
            Some(set) => format!("mtype:{set} {name}"),
            None => format!("mtype {name}"),
        },
    }
}

/// The channels of a declaration.
fn elements(program: &Program, variable: VariableId) -> Vec<String> {
    let declared = &program.globals[variable];
    (0..declared.length.unwrap_or(1)).map(|element| declared.element_name(element as usize)).collect()
}

/// Statements that give a variable any value of a field.
fn choice(program: &Program, name: &str, field: &Field) -> String {
    let Field { ty, least, most, is_limited } = *field;
    if let Type::Symbol(set) = ty {
        let constants = &program.symbols[set].constants;
        let constants = constants.iter().filter(|(_, value)| (least..=most).contains(value));
        let options: String = constants.map(|(constant, _)| format!(" :: {name} = {constant}")).collect();
        return format!("        if{options} fi;\n");
    }
    if most - least <= i64::from(u8::MAX) {
        return format!("        select({name} : {least} .. {most});\n");
    }
    let chosen =
        if is_limited { format!("{name} >= {least} && {name} <= {most} -> break") } else { "break".into() };
    // Each bit in turn; what is stored in the field is cut to its type.
    format!(
        "        {name} = 0;\n        do :: {name} = {name} * 2 :: {name} = {name} * 2 + 1 :: {chosen} od;\n"
    )
}
