//! Evaluates expressions, with the arithmetic of C.

use cfsm_core::ids::Id;
use cfsm_core::program::{Binary, Unary};

use crate::RunError;
use crate::code::{Code, Poll, Receive, Remote, Slot};
use crate::semantics::Semantics;
use crate::state::State;
use crate::waiting::Waiting;

/// Evaluation context: everything besides the state that the value of an expression may depend on.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Scene {
    /// The process that evaluates; the number of processes if no process does.
    pub process: usize,
    /// The rendezvous queue whose offer waits for a receiver.
    pub offer: Option<usize>,
    /// `true` if no other statement is executable, so that `timeout` holds.
    pub timeout: bool,
    /// `true` if an earlier choice of this process is executable, so that `else` is not.
    pub moved: bool,
    /// Depth of nested evaluations of `enabled`.
    pub questions: u8,
    /// The channels whose sends wait although they need not.
    pub waiting: Waiting,
}

impl Scene {
    /// The context of a process outside a rendezvous and a timeout.
    pub const fn of(process: usize) -> Self {
        Self { process, offer: None, timeout: false, moved: false, questions: 0, waiting: Waiting::Nowhere }
    }
}

/// Greatest depth of nested evaluations of `enabled`.
const MAX_QUESTIONS: u8 = 16;

impl Semantics {
    /// The value of an expression.
    pub(crate) fn value(&self, state: &State, scene: &Scene, code: &Code) -> Result<i32, RunError> {
        Ok(match code {
            Code::Constant(value) => *value,
            Code::Global(cell) => state.cells[*cell as usize],
            Code::Local(cell) => state.cells[state.local(scene.process, *cell)],
            Code::Element(element) => {
                let index = self.index(state, scene, &element.index, element.length)?;
                let cell = element.first + index;
                let cell = if element.global { cell as usize } else { state.local(scene.process, cell) };
                state.cells[cell]
            }
            Code::Unary(operator, operand) => unary(*operator, self.value(state, scene, operand)?),
            Code::Binary(operator, operands) => {
                let (left, right) = (&operands.0, &operands.1);
                let left = self.value(state, scene, left)?;
                match operator {
                    Binary::And if left == 0 => 0,
                    Binary::Or if left != 0 => 1,
                    _ => binary(*operator, left, self.value(state, scene, right)?)?,
                }
            }
            Code::Conditional(parts) => {
                let chosen = if self.value(state, scene, &parts.0)? != 0 { &parts.1 } else { &parts.2 };
                self.value(state, scene, chosen)?
            }
            Code::Length(_) | Code::Empty(_) | Code::Full(_) | Code::Poll(_) => {
                self.channel_value(state, scene, code)?
            }
            Code::Inside(inside) => self.index(state, scene, &inside.1, inside.0).map(|_| 0)?,
            Code::Timeout => scene.timeout.into(),
            Code::NonProgress => self.non_progress(state).into(),
            Code::Pid => to_int(scene.process),
            Code::ProcessCount => to_int(state.process_count()),
            Code::Last => state.last.into(),
            Code::Enabled(_) | Code::Priority(_) | Code::AtLocation(..) | Code::RemoteRead(..) => {
                self.remote_value(state, scene, code)?
            }
        })
    }

    /// Returns `true` if the value of an expression is not 0.
    pub(crate) fn holds(&self, state: &State, scene: &Scene, code: &Code) -> Result<bool, RunError> {
        Ok(self.value(state, scene, code)? != 0)
    }

    /// The value of an index expression, checked against the length of the array.
    pub(crate) fn index(
        &self,
        state: &State,
        scene: &Scene,
        index: &Code,
        length: u32,
    ) -> Result<u32, RunError> {
        let index = self.value(state, scene, index)?;
        u32::try_from(index)
            .ok()
            .filter(|index| *index < length)
            .ok_or(RunError::IndexOutOfBounds { index: index.into(), length })
    }

    fn channel_value(&self, state: &State, scene: &Scene, code: &Code) -> Result<i32, RunError> {
        let queue = |channel: &Code| {
            let channel = self.value(state, scene, channel)?;
            self.find_queue(state, channel)
        };
        Ok(match code {
            Code::Length(channel) => i32::try_from(state.queues[queue(channel)?].length).unwrap_or(i32::MAX),
            Code::Empty(channel) => (state.queues[queue(channel)?].length == 0).into(),
            Code::Full(channel) => self.is_full(state, queue(channel)?).into(),
            Code::Poll(poll) => {
                let Poll { channel, patterns, random } = &**poll;
                let queue = queue(channel)?;
                if self.code_at(state, queue).rendezvous {
                    return Err(RunError::PolledRendezvous);
                }
                self.matching(state, scene, queue, patterns, *random)?.is_some().into()
            }
            _ => 0,
        })
    }

    fn remote_value(&self, state: &State, scene: &Scene, code: &Code) -> Result<i32, RunError> {
        Ok(match code {
            Code::Enabled(process) => {
                let process = self.value(state, scene, process)?;
                match usize::try_from(process) {
                    Ok(process) if process == scene.process => return Err(RunError::EnabledSelf),
                    Ok(process) if process < state.process_count() => {
                        if scene.questions >= MAX_QUESTIONS {
                            return Err(RunError::EnabledLoop);
                        }
                        let other = Scene { process, questions: scene.questions + 1, ..*scene };
                        self.is_enabled(state, &other)?.into()
                    }
                    _ => 0,
                }
            }
            Code::Priority(process) => {
                let process = usize::try_from(self.value(state, scene, process)?).ok();
                let process = process.filter(|process| *process < state.process_count());
                process.map_or(0, |process| state.priority_of(process))
            }
            Code::AtLocation(remote, location) => {
                let Some(process) = self.remote(state, scene, remote)? else { return Ok(0) };
                (to_int(state.location_of(process).index()) == location.cast_signed()).into()
            }
            Code::RemoteRead(remote, first, element) => {
                let index = match element.as_deref() {
                    None => 0,
                    Some((length, index)) => self.index(state, scene, index, *length)?,
                };
                let Some(process) = self.remote(state, scene, remote)? else { return Ok(0) };
                state.cells[state.local(process, first + index)]
            }
            _ => 0,
        })
    }

    /// The process that a remote reference denotes; `None` if it does not exist, for which Spin's
    /// verifier reads zeros.
    fn remote(&self, state: &State, scene: &Scene, remote: &Remote) -> Result<Option<usize>, RunError> {
        let Some(process) = &remote.process else {
            return Ok((0..state.process_count()).find(|at| state.type_of(*at) == remote.process_type));
        };
        let process = self.value(state, scene, process)?;
        let found = usize::try_from(process).ok().filter(|process| *process < state.process_count());
        match found {
            Some(found) if state.type_of(found) != remote.process_type => {
                Err(RunError::RemoteType(process.into()))
            }
            found => Ok(found),
        }
    }

    /// Returns `true` if no process is at a progress location.
    pub(crate) fn non_progress(&self, state: &State) -> bool {
        (0..state.process_count()).all(|process| {
            let ty = &self.types[state.type_of(process).index()];
            !ty.progress[state.location_of(process).index()]
        })
    }

    /// Slot of the message that a receive would take: the first one of the queue, or the first one
    /// that matches if `random`.
    pub(crate) fn matching(
        &self,
        state: &State,
        scene: &Scene,
        queue: usize,
        patterns: &[Slot],
        random: bool,
    ) -> Result<Option<usize>, RunError> {
        let length = state.queues[queue].length as usize;
        let slots = if random { length } else { length.min(1) };
        'slots: for slot in 0..slots {
            for (field, pattern) in patterns.iter().enumerate() {
                if let Slot::Match(wanted) = pattern {
                    let wanted = self.value(state, scene, wanted)?;
                    if wanted != self.field(state, queue, slot, field)? {
                        continue 'slots;
                    }
                }
            }
            return Ok(Some(slot));
        }
        Ok(None)
    }

    /// Queue and slot of the message that a receive would take; `None` if it is not executable.
    pub(crate) fn receivable(
        &self,
        state: &State,
        scene: &Scene,
        receive: &Receive,
    ) -> Result<Option<(usize, usize)>, RunError> {
        let channel = self.value(state, scene, &receive.channel)?;
        let queue = self.find_queue(state, channel)?;
        let rendezvous = self.code_at(state, queue).rendezvous;
        if rendezvous && receive.peek {
            return Err(RunError::PolledRendezvous);
        }
        if scene.offer != rendezvous.then_some(queue) {
            return Ok(None);
        }
        let slot = self.matching(state, scene, queue, &receive.patterns, receive.random)?;
        Ok(slot.map(|slot| (queue, slot)))
    }
}

/// A number as a value of the program, saturated at the greatest `int`.
pub(crate) fn to_int(number: usize) -> i32 {
    i32::try_from(number).unwrap_or(i32::MAX)
}

pub(crate) fn unary(operator: Unary, operand: i32) -> i32 {
    match operator {
        Unary::Negate => operand.wrapping_neg(),
        Unary::Not => (operand == 0).into(),
        Unary::Complement => !operand,
    }
}

/// Applies a binary operator to both operands; short-circuit evaluation is up to the caller.
pub(crate) fn binary(operator: Binary, left: i32, right: i32) -> Result<i32, RunError> {
    let shift = || u32::try_from(right).ok().filter(|by| *by < 32).ok_or(RunError::Shift(right.into()));
    Ok(match operator {
        Binary::Add => left.wrapping_add(right),
        Binary::Subtract => left.wrapping_sub(right),
        Binary::Multiply => left.wrapping_mul(right),
        Binary::Divide | Binary::Remainder if right == 0 => return Err(RunError::DivisionByZero),
        Binary::Divide => left.checked_div(right).ok_or(RunError::DivisionOverflow)?,
        Binary::Remainder => left.checked_rem(right).ok_or(RunError::DivisionOverflow)?,
        Binary::BitAnd => left & right,
        Binary::BitOr => left | right,
        Binary::BitXor => left ^ right,
        Binary::ShiftLeft => left << shift()?,
        Binary::ShiftRight => left >> shift()?,
        Binary::Equal => (left == right).into(),
        Binary::NotEqual => (left != right).into(),
        Binary::Less => (left < right).into(),
        Binary::LessEqual => (left <= right).into(),
        Binary::Greater => (left > right).into(),
        Binary::GreaterEqual => (left >= right).into(),
        Binary::And | Binary::Or => (right != 0).into(),
    })
}
