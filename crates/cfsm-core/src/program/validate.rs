//! Validation of programs: all ids exist, and all arities match.

use thiserror::Error;

use super::{Action, Claim, Edge, Expression, Hold, Pattern, Place, ProcessType, Program, VariableRef};
use crate::ids::{Id, IdMap};

/// A defect of a program. Names are those of the process type and of the kind of item.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum Fault {
    /// An id does not exist.
    #[error("{place}: {kind} does not exist")]
    Dangling {
        /// The place of the id.
        place: String,
        /// The kind of item that it should denote.
        kind: String,
    },
    /// A wrong number of arguments.
    #[error("{place}: {given} arguments for {wanted} parameters")]
    Arity {
        /// The place of the arguments.
        place: String,
        /// Number of arguments.
        given: usize,
        /// Number of parameters.
        wanted: usize,
    },
    /// A program of whole steps has other statements than sends, receives and creations.
    #[error("{place}: what is not all or nothing in a program of whole steps")]
    NotWhole {
        /// The process type.
        place: String,
    },
    /// The exit location has an outgoing edge.
    #[error("{place}: the exit location has an edge")]
    LeavesExit {
        /// The process type.
        place: String,
    },
}

pub(super) fn validate(program: &Program) -> Result<(), Fault> {
    let globals = Scope { program, process: None, place: "globals" };
    for variable in program.globals.values() {
        globals.all(variable.init.expressions())?;
    }
    for process in program.types.values() {
        check_type(program, process)?;
    }
    let observers = program.claims.iter().filter_map(|claim| match claim {
        Claim::Observer { process_type, .. } => Some(*process_type),
        Claim::Ltl { .. } => None,
    });
    let environment = program.environment.iter().map(|environment| environment.process_type);
    let initial = program.initial.iter().map(|initial| initial.process_type);
    for id in initial.chain(observers).chain(environment) {
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
        scope.all(variable.init.expressions())?;
    }
    if program.whole_steps && !is_whole(process) {
        return Err(Fault::NotWhole { place: place.into() });
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

/// Returns `true` if the steps of a process depend on its location and on the first messages of
/// channels only.
fn is_whole(process: &ProcessType) -> bool {
    let constant = |value: &Expression| value.constant().is_some();
    let matches = |pattern: &Pattern| pattern.expression().is_some_and(constant) || *pattern == Pattern::Any;
    let plain = |action: &Action| match action {
        Action::Condition(condition) => constant(condition),
        Action::Send { fields, sorted, .. } => !sorted && fields.iter().all(constant),
        Action::Receive { patterns, random, peek, .. } => !random && !peek && patterns.iter().all(matches),
        Action::Create { arguments, priority, result, .. } => {
            arguments.is_empty() && priority.is_none() && result.is_none()
        }
        _ => false,
    };
    process.provided.is_none()
        && process.priority.is_none()
        && process
            .edges
            .values()
            .all(|edge| edge.rank == 0 && edge.hold != Hold::Atomic && plain(&edge.action))
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
            Action::Assign { target, .. } => self.variable(target)?,
            Action::Receive { patterns, .. } => self.stores(patterns)?,
            Action::Create { process_type, arguments, result, .. } => {
                exists(&self.program.types, *process_type, self.place)?;
                let (given, wanted) = (arguments.len(), self.program.types[*process_type].parameters);
                if given != wanted {
                    return Err(Fault::Arity { place: self.place.into(), given, wanted });
                }
                result.iter().try_for_each(|target| self.variable(target))?;
            }
            Action::Condition(_)
            | Action::Else
            | Action::Send { .. }
            | Action::Assert(_)
            | Action::Print { .. }
            | Action::SetPriority { .. }
            | Action::Opaque { .. } => {}
        }
        self.all(edge.action.expressions())
    }

    /// Checks the variables that patterns store to; their indices are among the expressions.
    fn stores(&self, patterns: &[Pattern]) -> Result<(), Fault> {
        patterns.iter().try_for_each(|pattern| match pattern {
            Pattern::Store(place) => self.variable(place),
            Pattern::Any | Pattern::Match(_) => Ok(()),
        })
    }

    fn variable(&self, place: &Place) -> Result<(), Fault> {
        match (place.variable, self.process) {
            (VariableRef::Global(id), _) => exists(&self.program.globals, id, self.place),
            (VariableRef::Local(id), Some(process)) => exists(&process.locals, id, self.place),
            (VariableRef::Local(id), None) => {
                Err(Fault::Dangling { place: self.place.into(), kind: format!("{id:?}") })
            }
        }
    }

    fn all<'e>(&self, expressions: impl IntoIterator<Item = &'e Expression>) -> Result<(), Fault> {
        expressions.into_iter().try_for_each(|expression| self.expression(expression))
    }

    fn expression(&self, expression: &Expression) -> Result<(), Fault> {
        match expression {
            Expression::Read(place) => self.variable(place)?,
            Expression::Poll { patterns, .. } => self.stores(patterns)?,
            Expression::AtLocation { process_type, location, .. } => {
                exists(&self.program.types, *process_type, self.place)?;
                exists(&self.program.types[*process_type].locations, *location, self.place)?;
            }
            Expression::RemoteRead { process_type, variable, .. } => {
                exists(&self.program.types, *process_type, self.place)?;
                exists(&self.program.types[*process_type].locals, *variable, self.place)?;
            }
            Expression::Constant(_)
            | Expression::Unary(..)
            | Expression::Binary(..)
            | Expression::Conditional(..)
            | Expression::Length(_)
            | Expression::Empty(_)
            | Expression::Full(_)
            | Expression::Timeout
            | Expression::NonProgress
            | Expression::Pid
            | Expression::ProcessCount
            | Expression::Last
            | Expression::Enabled(_)
            | Expression::ProgramCounter(_)
            | Expression::Priority(_)
            | Expression::Opaque(_) => {}
        }
        self.all(expression.children())
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

    #[test]
    fn what_stands_deep_inside_is_checked_too() {
        let program = Program::default();
        let scope = Scope { program: &program, process: None, place: "globals" };
        let missing = || Place::scalar(VariableRef::Global(VariableId::new(7)));
        let poll = Expression::Poll {
            channel: Box::new(Expression::Constant(1)),
            patterns: vec![Pattern::Store(missing())],
            random: false,
        };
        assert!(scope.expression(&Expression::Length(Box::new(poll))).is_err());
        let index = Expression::Read(missing());
        assert!(scope.expression(&Expression::Enabled(Box::new(index))).is_err());
    }
}
