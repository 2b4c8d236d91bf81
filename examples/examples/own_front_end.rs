//! A front end of one's own: a small language, read into a program, which is abstracted and checked
//! as a Promela model is.
//!
//! A line is a process: `NAME: step; step; ...`, and its steps are repeated for ever. `q!3` sends,
//! `q?x` receives into a variable, `x=3` assigns, `x<3` waits. `cargo run --example own_front_end`

use std::collections::BTreeMap;
use std::error::Error;
use std::time::Instant;

use freeboard::cfsm_core::program::{
    Action, Binary, ChannelShape, Expression, Pattern, Place, Program, ProgramBuilder, Type, VariableRef,
};
use freeboard::report::text::{self, Style};
use freeboard::{Options, abstract_model, check_model};

fn main() -> Result<(), Box<dyn Error>> {
    print!("{}", report(TEXT)?);
    Ok(())
}

/// A client that asks and waits, and a server; what is asked does not matter to the server.
pub const TEXT: &str = "Client: ask!1; answer?x\nServer: ask?y; answer!2\n";

/// From the text to a report.
pub fn report(text: &str) -> Result<String, Box<dyn Error>> {
    let options = Options::default();
    let model = abstract_model(read(text)?, &options)?;
    let analysis = check_model(model, &options, Instant::now());
    Ok(text::check(&analysis.view("own.txt"), Style::default()))
}

/// The names of a program, and what they stand for.
struct Names {
    channels: BTreeMap<String, Expression>,
    variables: BTreeMap<String, VariableRef>,
}

/// From the text to a program. Channels and variables are there when they are first named.
pub fn read(text: &str) -> Result<Program, Box<dyn Error>> {
    let mut b = ProgramBuilder::new("own.txt");
    let mut names = Names { channels: BTreeMap::new(), variables: BTreeMap::new() };
    for step in lines(text)?.into_iter().flat_map(|(_, steps)| steps) {
        if let Some((channel, _)) = step.split_once(['!', '?']) {
            let make = || b.channel(channel, ChannelShape::ANY, vec![Type::Byte]);
            names.channels.entry(channel.to_owned()).or_insert_with(make);
        }
        if let Some((_, variable)) = step.split_once('?') {
            names.variables.entry(variable.to_owned()).or_insert_with(|| b.global(variable, Type::Byte));
        }
    }
    for (name, steps) in lines(text)? {
        let mut process = b.process(name, 1);
        for (position, step) in steps.iter().enumerate() {
            let next = (position + 1) % steps.len();
            let action = action(step, &names)?;
            process.edge(&format!("{position}"), action, &format!("{next}"), step);
        }
    }
    Ok(b.build()?)
}

/// Names of processes and their steps.
fn lines(text: &str) -> Result<Vec<(&str, Vec<&str>)>, String> {
    text.lines()
        .map(|line| {
            let (name, steps) = line.split_once(':').ok_or_else(|| format!("no process: {line}"))?;
            Ok((name.trim(), steps.split(';').map(str::trim).collect()))
        })
        .collect()
}

fn action(step: &str, names: &Names) -> Result<Action, String> {
    let wrong = || format!("no step: {step}");
    let number = |text: &str| text.trim().parse().map(Expression::Constant).map_err(|_| wrong());
    let variable = |name: &str| names.variables.get(name.trim()).copied().ok_or_else(wrong);
    if let Some((channel, value)) = step.split_once('!') {
        let channel = names.channels[channel].clone();
        return Ok(Action::Send { channel, fields: vec![number(value)?], sorted: false });
    }
    if let Some((channel, name)) = step.split_once('?') {
        let patterns = vec![Pattern::Store(Place::scalar(variable(name)?))];
        return Ok(Action::Receive {
            channel: names.channels[channel].clone(),
            patterns,
            random: false,
            peek: false,
        });
    }
    if let Some((name, value)) = step.split_once('=') {
        return Ok(Action::Assign { target: Place::scalar(variable(name)?), value: number(value)? });
    }
    let (name, value) = step.split_once('<').ok_or_else(wrong)?;
    let left = Box::new(Expression::variable(variable(name)?));
    Ok(Action::Condition(Expression::Binary(Binary::Less, left, Box::new(number(value)?))))
}
