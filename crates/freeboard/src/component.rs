//! Components: open models with all that is proved of them, for composition.

use cfsm_core::clock::Instant;

use abstraction::{Precision, abstract_program};
use boundedness::{Component, OpenSystem};
use certify::InterfaceChannel;
use cfsm_core::diagnostic::Diagnostic;
use cfsm_core::program::{
    Action, ChannelDeclaration, ChannelShape, Edge, Expression, Program, Type, Variable,
};
use promela_front::codes::CHANNEL_MISMATCH;

use crate::open::{OpenError, open_buffers};
use crate::options::Options;

/// The component of an open program: its clauses, for [`boundedness::compose`].
/// `warnings` are those of reading it.
///
/// The environment may send any number in a field of symbols, as other parts need not keep to
/// those that are declared.
///
/// # Errors
/// If the program is not open, a part of it may know or use more of others than messages, or there
/// is no abstraction, or nothing is known at the time limit.
pub fn component(
    program: &Program,
    warnings: &[Diagnostic],
    options: &Options,
) -> Result<Component, OpenError> {
    let start = Instant::now();
    let channels: Vec<OfInterface<'_>> = channels(program);
    let (open, internal): (Vec<OfInterface<'_>>, Vec<OfInterface<'_>>) =
        channels.into_iter().partition(|channel| channel.is_open);
    if open.is_empty() {
        return Err(OpenError::Nothing);
    }
    if let Some(text) = program.environment.iter().flat_map(|environment| &environment.assumptions).next() {
        return Err(OpenError::Range { text: text.clone() });
    }
    if let Some(channel) = open.iter().find(|channel| channel.shape.fields.contains(&Type::Channel)) {
        return Err(OpenError::Channels { name: channel.variable.name.clone() });
    }
    if warnings.iter().any(|warning| warning.code == CHANNEL_MISMATCH) {
        return Err(OpenError::ChannelsAsNumbers);
    }
    if let Some(what) = knows_of_others(program) {
        return Err(OpenError::Processes { what });
    }
    let program = &with_any_messages(program);
    let precision = Precision { data_places: true, pairs: true, ..options.abstraction.precision.clone() };
    let how = abstraction::Options { precision, open_events: true, ..options.abstraction.clone() };
    let abstracted = abstract_program(program, &how)?;
    let buffers = open_buffers(program, &abstracted);
    if let Some(merged) = buffers.iter().find(|buffer| abstracted.declarations[**buffer].queues != Some(1)) {
        return Err(OpenError::Merged { name: abstracted.system.buffers[*merged].name.clone() });
    }
    let component = OpenSystem::new(&abstracted.system, &buffers).component(&options.boundedness(start))?;
    let interface = open
        .iter()
        .map(|channel| InterfaceChannel { name: channel.variable.name.clone(), form: channel.form(program) });
    let internal = internal.iter().map(|channel| channel.variable.name.clone());
    Ok(component.with_interface(interface.collect::<Vec<_>>(), internal.collect::<Vec<_>>()))
}

/// A global channel of a program.
struct OfInterface<'p> {
    variable: &'p Variable,
    shape: &'p ChannelShape,
    is_open: bool,
}

fn channels(program: &Program) -> Vec<OfInterface<'_>> {
    let channel = |(id, variable)| {
        let declaration = ChannelDeclaration { owner: None, variable: id };
        let shape = program.channel_shape(declaration)?;
        Some(OfInterface { variable, shape, is_open: program.is_open(declaration) })
    };
    program.globals.iter().filter_map(channel).collect()
}

impl OfInterface<'_> {
    /// Its form, as far as all who use it have to agree.
    fn form(&self, program: &Program) -> String {
        let kind = if self.shape.capacity == 0 { "a rendezvous" } else { "a queue" };
        let field = |ty: &Type| match ty {
            Type::Symbol(set) => {
                format!("mtype {}", program.symbols[*set].name.as_deref().unwrap_or_default())
            }
            ty => format!("{ty:?}").to_lowercase(),
        };
        let fields: Vec<String> = self.shape.fields.iter().map(field).collect();
        let elements = self.variable.length.map(|length| format!("{length} times ")).unwrap_or_default();
        let symbols = program.symbols.values().flat_map(|set| &set.constants);
        let symbols: Vec<String> = symbols.map(|(name, value)| format!("{name} = {value}")).collect();
        let symbols =
            if symbols.is_empty() { String::new() } else { format!(", with {}", symbols.join(", ")) };
        format!("{elements}{kind} of {{ {} }}{symbols}", fields.join(", "))
    }
}

/// The first feature by which a program sees more of other processes than their messages.
fn knows_of_others(program: &Program) -> Option<&'static str> {
    let asks = |wanted: fn(&Expression) -> bool| {
        program.any_expression(&|value| value.any(&mut |part| wanted(part)))
    };
    let keeps_numbers = program
        .types
        .values()
        .flat_map(|process| process.edges.values())
        .any(|edge| matches!(edge.action, Action::Create { result: Some(_), .. }));
    let found = [
        (asks(|part| matches!(part, Expression::Pid)), "`_pid`"),
        (asks(|part| matches!(part, Expression::ProcessCount)), "`_nr_pr`"),
        (asks(|part| matches!(part, Expression::Last)), "`_last`"),
        (asks(|part| matches!(part, Expression::NonProgress)), "`np_`"),
        (asks(|part| matches!(part, Expression::Timeout)), "`timeout`"),
        (
            asks(|part| {
                matches!(
                    part,
                    Expression::Enabled(_)
                        | Expression::ProgramCounter(_)
                        | Expression::Priority(_)
                        | Expression::AtLocation { .. }
                        | Expression::RemoteRead { .. }
                )
            }),
            "the state of a process by its number",
        ),
        (keeps_numbers, "the number of a process that it creates"),
        (program.uses_priorities(), "priorities"),
    ];
    found.into_iter().find(|(is_used, _)| *is_used).map(|(_, what)| what)
}

/// The program with an environment that sends any values, those that are no declared symbols too.
fn with_any_messages(program: &Program) -> Program {
    let mut program = program.clone();
    let Some(environment) = &program.environment else { return program };
    let process = &mut program.types[environment.process_type];
    let sends: Vec<Edge> =
        process.edges.values().filter(|edge| matches!(edge.action, Action::Send { .. })).cloned().collect();
    for mut edge in sends {
        if let Action::Send { fields, .. } = &mut edge.action {
            fields.iter_mut().for_each(|field| *field = Expression::Opaque("any".into()));
        }
        process.edges.push(edge);
    }
    program
}
