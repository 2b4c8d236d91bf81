//! Which constructs of the language a program uses.

use std::collections::BTreeSet;

use cfsm_core::program::{Action, Binary, Expression, Hold, Initializer, Pattern, Program, Type, Variable};

/// Constructs, as one would write them or call them.
pub type Features = BTreeSet<&'static str>;

/// Words of a text that leave no trace in a program, or the same as other words.
const WORDS: &[&str] = &[
    "inline",
    "typedef",
    "for",
    "select",
    "goto",
    "do",
    "if",
    "break",
    "D_proctype",
    "xr",
    "xs",
    "active",
    "init",
    "mtype",
    "bool",
    "hidden",
    "skip",
];

/// The constructs of a program. Control and data are taken from the program; what is resolved
/// there, such as inlines, is looked up in the text, which need not come to be executed.
#[must_use]
pub fn features(program: &Program, text: &str) -> Features {
    let mut found = Features::new();
    let code = without_comments(text);
    let words: BTreeSet<&str> =
        code.split(|c: char| !c.is_ascii_alphanumeric() && c != '_' && c != '#').collect();
    found.extend(WORDS.iter().filter(|word| words.contains(**word)));
    found.extend(words.contains("#define").then_some("#define"));
    program.globals.values().for_each(|variable| of_variable(variable, &mut found));
    for ty in program.types.values() {
        ty.locals.values().for_each(|variable| of_variable(variable, &mut found));
        let owns = |variable: &Variable| matches!(variable.init, Initializer::NewChannel(_));
        found.extend(ty.locals.values().any(owns).then_some("channel of an instance"));
        found.extend((ty.parameters > 0).then_some("parameters"));
        found.extend(ty.provided.is_some().then_some("provided"));
        found.extend(ty.priority.is_some().then_some("priority"));
        for location in ty.locations.values() {
            found.extend(location.is_end().then_some("end label"));
            found.extend(location.is_progress().then_some("progress label"));
            found.extend(location.is_accept().then_some("accept label"));
        }
        for edge in ty.edges.values() {
            found.extend((edge.hold == Hold::Atomic).then_some("atomic"));
            found.extend(edge.d_step.is_some().then_some("d_step"));
            found.extend((edge.rank > 0).then_some("unless"));
            of_action(&edge.action, &mut found);
        }
    }
    found.extend(program.initial.iter().any(|initial| initial.count > 1).then_some("active [n]"));
    found
}

fn without_comments(text: &str) -> String {
    let mut code = String::new();
    let mut rest = text;
    while let Some((before, behind)) = rest.split_once("/*") {
        code.push_str(before);
        code.push(' ');
        rest = behind.split_once("*/").map_or("", |(_, behind)| behind);
    }
    code.push_str(rest);
    code.lines().map(|line| line.split("//").next().unwrap_or_default()).collect::<Vec<_>>().join("\n")
}

fn of_variable(variable: &Variable, found: &mut Features) {
    found.insert(match variable.ty {
        Type::Bit => "bit",
        Type::Byte => "byte",
        Type::Short => "short",
        Type::Int => "int",
        Type::Unsigned(_) => "unsigned",
        Type::Pid => "pid",
        Type::Symbol(_) => "symbol",
        Type::Channel => "chan",
    });
    found.extend(variable.length.is_some().then_some("array"));
    if let Initializer::NewChannel(shape) = &variable.init {
        found.insert(if shape.capacity == 0 { "rendezvous" } else { "buffer" });
        found.extend((shape.fields.len() > 1).then_some("several fields"));
        found.extend(shape.fields.contains(&Type::Channel).then_some("channel in a message"));
        found.extend(variable.length.is_some().then_some("array of channels"));
    }
    variable.init.expressions().iter().for_each(|value| of_expression(value, found));
}

fn of_action(action: &Action, found: &mut Features) {
    found.insert(match action {
        Action::Condition(_) => "condition",
        Action::Else => "else",
        Action::Assign { .. } => "assignment",
        Action::Send { sorted: false, .. } => "!",
        Action::Send { sorted: true, .. } => "!!",
        Action::Receive { random: false, peek: false, .. } => "?",
        Action::Receive { random: true, peek: false, .. } => "??",
        Action::Receive { random: false, peek: true, .. } => "?< >",
        Action::Receive { random: true, peek: true, .. } => "??< >",
        Action::Create { .. } => "run",
        Action::Assert(_) => "assert",
        Action::Print { .. } => "printf",
        Action::SetPriority { .. } => "set_priority",
        Action::Opaque { .. } => "c_code",
    });
    if let Action::Receive { patterns, .. } = action {
        for pattern in patterns {
            found.insert(match pattern {
                Pattern::Store(_) => "stored field",
                Pattern::Any => "field `_`",
                Pattern::Match(Expression::Constant(_)) => "matched constant",
                Pattern::Match(_) => "eval",
            });
        }
    }
    action.expressions().into_iter().for_each(|value| of_expression(value, found));
}

fn of_expression(expression: &Expression, found: &mut Features) {
    let name = match expression {
        Expression::Constant(_) => None,
        Expression::Read(place) => place.index.is_some().then_some("element of an array"),
        Expression::Unary(..) => Some("unary operators"),
        Expression::Binary(operator, ..) => Some(of_operator(*operator)),
        Expression::Conditional(..) => Some("( -> : )"),
        Expression::Length(_) => Some("len"),
        Expression::Empty(_) => Some("empty"),
        Expression::Full(_) => Some("full"),
        Expression::Poll { .. } => Some("?[ ]"),
        Expression::Timeout => Some("timeout"),
        Expression::NonProgress => Some("np_"),
        Expression::Pid => Some("_pid"),
        Expression::ProcessCount => Some("_nr_pr"),
        Expression::Last => Some("_last"),
        Expression::Enabled(_) => Some("enabled"),
        Expression::ProgramCounter(_) => Some("pc_value"),
        Expression::Priority(_) => Some("get_priority"),
        Expression::AtLocation { .. } => Some("remote label"),
        Expression::RemoteRead { .. } => Some("remote variable"),
        Expression::Opaque(_) => Some("c_expr"),
    };
    found.extend(name);
    expression.children().into_iter().for_each(|child| of_expression(child, found));
}

const fn of_operator(operator: Binary) -> &'static str {
    match operator {
        Binary::Add | Binary::Subtract | Binary::Multiply => "+ - *",
        Binary::Divide | Binary::Remainder => "/ %",
        Binary::BitAnd | Binary::BitOr | Binary::BitXor => "bitwise operators",
        Binary::ShiftLeft | Binary::ShiftRight => "shifts",
        Binary::And | Binary::Or => "&& ||",
        Binary::Equal
        | Binary::NotEqual
        | Binary::Less
        | Binary::LessEqual
        | Binary::Greater
        | Binary::GreaterEqual => "comparisons",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn comments_are_no_code() {
        assert_eq!(without_comments("a /* for\nif */ b // goto\nc /* d"), "a   b \nc  ");
    }
}
