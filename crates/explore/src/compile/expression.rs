//! Compiles expressions, places and patterns.

use cfsm_core::ids::Id;
use cfsm_core::program::{Expression, Pattern, Place, ProcessTypeId, Variable, VariableRef};

use super::Compiler;
use crate::Unsupported;
use crate::code::{Code, Element, Poll, Remote, Slot, Target};
use crate::width::Width;

/// Greatest depth of an expression that is accepted. Expressions are evaluated recursively, so this
/// bounds the stack.
const MAX_DEPTH: usize = 1000;

impl Compiler<'_> {
    /// Compiles an expression of a process type; `owner` is `None` among the globals.
    pub fn expression(
        &mut self,
        owner: Option<ProcessTypeId>,
        expression: &Expression,
    ) -> Result<Code, Unsupported> {
        check_depth(expression)?;
        self.code(owner, expression)
    }

    fn code(&mut self, owner: Option<ProcessTypeId>, expression: &Expression) -> Result<Code, Unsupported> {
        Ok(match expression {
            // Conversion as in C: a constant that is too large is truncated.
            #[allow(clippy::cast_possible_truncation)]
            Expression::Constant(value) => Code::Constant(*value as i32),
            Expression::Read(place) => self.read(owner, place)?,
            Expression::Unary(operator, operand) => Code::Unary(*operator, self.boxed(owner, operand)?),
            Expression::Binary(operator, left, right) => {
                let operands = (self.code(owner, left)?, self.code(owner, right)?);
                Code::Binary(*operator, Box::new(operands))
            }
            Expression::Conditional(condition, then, otherwise) => Code::Conditional(Box::new((
                self.code(owner, condition)?,
                self.code(owner, then)?,
                self.code(owner, otherwise)?,
            ))),
            Expression::Length(channel) => Code::Length(self.boxed(owner, channel)?),
            Expression::Empty(channel) => Code::Empty(self.boxed(owner, channel)?),
            Expression::Full(channel) => Code::Full(self.boxed(owner, channel)?),
            Expression::Poll { channel, patterns, random } => {
                let channel = self.code(owner, channel)?;
                let patterns = self.patterns(owner, patterns)?;
                Code::Poll(Box::new(Poll { channel, patterns, random: *random }))
            }
            Expression::Timeout => {
                self.has_timeout = true;
                Code::Timeout
            }
            Expression::NonProgress => Code::NonProgress,
            Expression::Pid => Code::Pid,
            Expression::ProcessCount => Code::ProcessCount,
            Expression::Last => {
                self.has_last = true;
                Code::Last
            }
            Expression::Enabled(process) => Code::Enabled(self.boxed(owner, process)?),
            Expression::ProgramCounter(_) => return Err(Unsupported::ProgramCounter),
            Expression::Priority(process) => Code::Priority(self.boxed(owner, process)?),
            Expression::AtLocation { process_type, process, location } => {
                let remote = self.remote(owner, *process_type, process.as_deref())?;
                Code::AtLocation(remote, u32::try_from(location.index()).map_err(|_| Unsupported::TooLarge)?)
            }
            Expression::RemoteRead { process_type, process, variable, index } => {
                let remote = self.remote(owner, *process_type, process.as_deref())?;
                let first = self.locals[process_type.index()][variable.index()];
                let variable = &self.program.types[*process_type].locals[*variable];
                let element = self.element(owner, variable, index.as_deref())?;
                Code::RemoteRead(remote, first, element)
            }
            Expression::Opaque(text) => return Err(Unsupported::EmbeddedCode(text.clone())),
        })
    }

    fn boxed(
        &mut self,
        owner: Option<ProcessTypeId>,
        expression: &Expression,
    ) -> Result<Box<Code>, Unsupported> {
        self.code(owner, expression).map(Box::new)
    }

    fn remote(
        &mut self,
        owner: Option<ProcessTypeId>,
        process_type: ProcessTypeId,
        process: Option<&Expression>,
    ) -> Result<Remote, Unsupported> {
        let process = process.map(|process| self.boxed(owner, process)).transpose()?;
        Ok(Remote { process_type, process })
    }

    /// Length of the array and index of the element; `None` if the variable is a scalar.
    fn element(
        &mut self,
        owner: Option<ProcessTypeId>,
        variable: &Variable,
        index: Option<&Expression>,
    ) -> Result<Option<Box<(u32, Code)>>, Unsupported> {
        match (variable.length, index) {
            (None, None) => Ok(None),
            (Some(length), Some(index)) => Ok(Some(Box::new((length, self.code(owner, index)?)))),
            _ => Err(Unsupported::Index(variable.name.clone())),
        }
    }

    fn read(&mut self, owner: Option<ProcessTypeId>, place: &Place) -> Result<Code, Unsupported> {
        if let VariableRef::Global(id) = place.variable
            && let Some(value) = self.settled[id].filter(|_| self.in_statement)
        {
            return Ok(Code::Constant(value));
        }
        let Target { global, first, element, .. } = self.target(owner, place)?;
        Ok(match element {
            Some(element) => {
                let (length, index) = *element;
                Code::Element(Box::new(Element { global, first, length, index }))
            }
            None if global => Code::Global(first),
            None => Code::Local(first),
        })
    }

    /// Compiles a place that a statement writes.
    pub fn target(&mut self, owner: Option<ProcessTypeId>, place: &Place) -> Result<Target, Unsupported> {
        let program = self.program;
        let (global, first, variable) = match (place.variable, owner) {
            (VariableRef::Local(id), Some(owner)) => {
                (false, self.locals[owner.index()][id.index()], &program.types[owner].locals[id])
            }
            // A local among globals is not valid; `Program::validate` has refused it before.
            (VariableRef::Global(id) | VariableRef::Local(id), _) => {
                (true, self.globals[id.index()], &program.globals[id])
            }
        };
        let element = self.element(owner, variable, place.index.as_deref())?;
        Ok(Target { global, first, element, width: Width::of(variable) })
    }

    /// Compiles the patterns of a receive or a poll.
    pub fn patterns(
        &mut self,
        owner: Option<ProcessTypeId>,
        patterns: &[Pattern],
    ) -> Result<Vec<Slot>, Unsupported> {
        let slot = |pattern: &Pattern| {
            Ok(match pattern {
                Pattern::Store(place) => Slot::Store(self.target(owner, place)?),
                Pattern::Any => Slot::Any,
                Pattern::Match(value) => Slot::Match(self.expression(owner, value)?),
            })
        };
        patterns.iter().map(slot).collect()
    }
}

/// Checks that an expression is at most [`MAX_DEPTH`] deep.
fn check_depth(expression: &Expression) -> Result<(), Unsupported> {
    let mut level = vec![expression];
    for _ in 0..MAX_DEPTH {
        level = level.iter().flat_map(|expression| expression.children()).collect();
        if level.is_empty() {
            return Ok(());
        }
    }
    Err(Unsupported::Depth(MAX_DEPTH))
}
