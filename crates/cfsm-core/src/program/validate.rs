//! Validation of programs: every id points at something, every arity fits.

use thiserror::Error;

use super::{
    Action, Claim, Edge, Expression, Initializer, Pattern, Place, ProcessType, Program, VariableRef,
};
use crate::ids::{Id, IdMap};

/// What is wrong with a program. Names are those of the process type and the kind of thing.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum Fault {
    /// An id points at nothing.
    #[error("{place}: {kind} does not exist")]
    Dangling {
        /// Where the id stands.
        place: String,
        /// What it should denote.
        kind: String,
    },
    /// A number of arguments does not fit the number of parameters.
    #[error("{place}: {given} arguments for {wanted} parameters")]
    Arity {
        /// Where the arguments stand.
        place: String,
        /// How many there are.
        given: usize,
        /// How many are wanted.
        wanted: usize,
    },
    /// A process at its end can go on.
    #[error("{place}: the exit location has an edge")]
    LeavesExit {
        /// The process type.
        place: String,
    },
}

pub(super) fn validate(program: &Program) -> Result<(), Fault> {
    let globals = Scope { program, process: None, place: "globals" };
    for variable in program.globals.values() {
        globals.initializer(&variable.init)?;
    }
    for process in program.types.values() {
        check_type(program, process)?;
    }
    let observers = program.claims.iter().filter_map(|claim| match claim {
        Claim::Observer { process_type, .. } => Some(*process_type),
        Claim::Ltl { .. } => None,
    });
    for id in program.initial.iter().map(|initial| initial.process_type).chain(observers) {
        exists(&program.types, id, "the start")?;
    }
    Ok(())
}

fn check_type(program: &Program, process: &ProcessType) -> Result<(), Fault> {
    let place = process.name.as_str();
    let scope = Scope { program, process: Some(process), place };
    exists(&process.locations, process.entry, place)?;
    exists(&process.locations, process.exit, place)?;
    if process.parameters > process.locals.len() {
        let (given, wanted) = (process.locals.len(), process.parameters);
        return Err(Fault::Arity { place: place.into(), given, wanted });
    }
    for variable in process.locals.values() {
        scope.initializer(&variable.init)?;
    }
    scope.all(process.provided.iter().chain(process.exclusive.iter().map(|claim| &claim.channel)))?;
    for edge in process.edges.values() {
        if edge.source == process.exit {
            return Err(Fault::LeavesExit { place: place.into() });
        }
        scope.edge(edge)?;
    }
    Ok(())
}

fn exists<I: Id, T>(map: &IdMap<I, T>, id: I, place: &str) -> Result<(), Fault> {
    if id.index() < map.len() {
        return Ok(());
    }
    Err(Fault::Dangling { place: place.into(), kind: format!("{id:?}") })
}

struct Scope<'a> {
    program: &'a Program,
    process: Option<&'a ProcessType>,
    place: &'a str,
}

impl Scope<'_> {
    fn edge(&self, edge: &Edge) -> Result<(), Fault> {
        if let Some(process) = self.process {
            exists(&process.locations, edge.source, self.place)?;
            exists(&process.locations, edge.target, self.place)?;
        }
        match &edge.action {
            Action::Else | Action::Opaque { .. } => Ok(()),
            Action::Condition(e) | Action::Assert(e) => self.expression(e),
            Action::Assign { target, value } => self.place(target).and_then(|()| self.expression(value)),
            Action::Send { channel, fields, .. } => self.all([channel].into_iter().chain(fields)),
            Action::Receive { channel, patterns, .. } => {
                self.expression(channel).and_then(|()| self.patterns(patterns))
            }
            Action::Create { process_type, arguments, result } => {
                exists(&self.program.types, *process_type, self.place)?;
                let (given, wanted) = (arguments.len(), self.program.types[*process_type].parameters);
                if given != wanted {
                    return Err(Fault::Arity { place: self.place.into(), given, wanted });
                }
                result.iter().try_for_each(|target| self.place(target))?;
                self.all(arguments)
            }
            Action::Print { arguments, .. } => self.all(arguments),
            Action::SetPriority { process, priority } => self.all([process, priority]),
        }
    }

    fn initializer(&self, init: &Initializer) -> Result<(), Fault> {
        match init {
            Initializer::Zero | Initializer::NewChannel(_) | Initializer::Parameter => Ok(()),
            Initializer::Value(value) => self.expression(value),
            Initializer::List(values) => self.all(values),
        }
    }

    fn patterns(&self, patterns: &[Pattern]) -> Result<(), Fault> {
        patterns.iter().try_for_each(|pattern| match pattern {
            Pattern::Store(place) => self.place(place),
            Pattern::Any => Ok(()),
            Pattern::Match(value) => self.expression(value),
        })
    }

    fn place(&self, place: &Place) -> Result<(), Fault> {
        match (place.variable, self.process) {
            (VariableRef::Global(id), _) => exists(&self.program.globals, id, self.place)?,
            (VariableRef::Local(id), Some(process)) => exists(&process.locals, id, self.place)?,
            (VariableRef::Local(id), None) => {
                return Err(Fault::Dangling { place: self.place.into(), kind: format!("{id:?}") });
            }
        }
        place.index.iter().try_for_each(|index| self.expression(index))
    }

    fn all<'e>(&self, expressions: impl IntoIterator<Item = &'e Expression>) -> Result<(), Fault> {
        expressions.into_iter().try_for_each(|expression| self.expression(expression))
    }

    fn expression(&self, expression: &Expression) -> Result<(), Fault> {
        match expression {
            Expression::Constant(_)
            | Expression::Timeout
            | Expression::NonProgress
            | Expression::Pid
            | Expression::ProcessCount
            | Expression::Last
            | Expression::Opaque(_) => Ok(()),
            Expression::Read(place) => self.place(place),
            Expression::Unary(_, e)
            | Expression::Length(e)
            | Expression::Empty(e)
            | Expression::Full(e)
            | Expression::Enabled(e)
            | Expression::ProgramCounter(e)
            | Expression::Priority(e) => self.expression(e),
            Expression::Binary(_, left, right) => self.all([left.as_ref(), right.as_ref()]),
            Expression::Conditional(c, t, e) => self.all([c.as_ref(), t.as_ref(), e.as_ref()]),
            Expression::Poll { channel, patterns, .. } => {
                self.expression(channel).and_then(|()| self.patterns(patterns))
            }
            Expression::AtLocation { process_type, process, location } => {
                exists(&self.program.types, *process_type, self.place)?;
                exists(&self.program.types[*process_type].locations, *location, self.place)?;
                self.all(process.iter().map(AsRef::as_ref))
            }
            Expression::RemoteRead { process_type, process, variable, index } => {
                exists(&self.program.types, *process_type, self.place)?;
                exists(&self.program.types[*process_type].locals, *variable, self.place)?;
                self.all(process.iter().chain(index).map(AsRef::as_ref))
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::{Initial, VariableId};
    use super::*;

    #[test]
    fn an_empty_program_is_valid() {
        assert_eq!(Program::default().validate(), Ok(()));
    }

    #[test]
    fn a_dangling_start_is_named() {
        let initial = vec![Initial { process_type: Id::new(3), count: 1 }];
        let program = Program { initial, ..Program::default() };
        assert_eq!(program.validate().unwrap_err().to_string(), "the start: type3 does not exist");
    }

    #[test]
    fn a_local_has_no_meaning_among_globals() {
        let program = Program::default();
        let scope = Scope { program: &program, process: None, place: "globals" };
        let local = VariableRef::Local(VariableId::new(0));
        assert!(scope.expression(&Expression::variable(local)).is_err());
    }
}
