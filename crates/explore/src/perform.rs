//! Executes statements: their effects on a state.

use crate::code::{Create, EdgeCode, Receive, Slot, Statement, Target};
use crate::evaluate::Scene;
use crate::ready::Ready;
use crate::semantics::Semantics;
use crate::state::State;
use crate::{Message, RunError};

/// Record of the effect of a statement.
#[derive(Debug, Default)]
pub(crate) struct Effect {
    /// `true` if messages are recorded.
    pub record: bool,
    pub sent: Option<Message>,
    pub received: Option<Message>,
    pub created: Option<usize>,
    /// Errors behind which the run can continue.
    pub errors: Vec<RunError>,
}

impl Semantics {
    /// Executes an executable statement and moves the process to the target location.
    pub(crate) fn perform(
        &self,
        state: &mut State,
        scene: &Scene,
        edge: &EdgeCode,
        ready: Ready,
        effect: &mut Effect,
    ) -> Result<(), RunError> {
        match &edge.statement {
            Statement::Condition(_) | Statement::Else => {}
            Statement::Assign(target, value) => {
                let value = self.value(state, scene, value)?;
                self.store(state, scene, target, value)?;
            }
            Statement::Send { fields, sorted, .. } => {
                if let Ready::Send { queue } | Ready::Offer { queue } = ready {
                    self.send(state, scene, queue, fields, *sorted, effect)?;
                }
            }
            Statement::Receive(receive) => {
                if let Ready::Receive { queue, slot } = ready {
                    self.take(state, scene, receive, queue, slot, effect)?;
                }
            }
            Statement::Create(create) => self.run(state, scene, create, effect)?,
            Statement::Assert(condition) => {
                if !self.holds(state, scene, condition)? {
                    effect.errors.push(RunError::Assertion);
                }
            }
            Statement::Print(arguments) => {
                for argument in arguments {
                    self.value(state, scene, argument)?;
                }
            }
            Statement::SetPriority(process, priority) => {
                let process = self.value(state, scene, process)?;
                let priority = self.value(state, scene, priority)?;
                if let Some(process) =
                    usize::try_from(process).ok().filter(|process| *process < state.process_count())
                {
                    if !(1..=255).contains(&priority) {
                        return Err(RunError::Priority(priority.into()));
                    }
                    state.set_priority(process, priority);
                }
            }
        }
        state.set_location(scene.process, edge.target);
        Ok(())
    }

    fn store(&self, state: &mut State, scene: &Scene, target: &Target, value: i32) -> Result<(), RunError> {
        let index = match target.element.as_deref() {
            None => 0,
            Some((length, index)) => self.index(state, scene, index, *length)?,
        };
        let cell = target.first + index;
        let cell = if target.global { cell as usize } else { state.local(scene.process, cell) };
        state.cells[cell] = target.width.keep(value);
        Ok(())
    }

    fn send(
        &self,
        state: &mut State,
        scene: &Scene,
        queue: usize,
        fields: &[crate::code::Code],
        sorted: bool,
        effect: &mut Effect,
    ) -> Result<(), RunError> {
        let mut values = Vec::with_capacity(fields.len());
        for field in fields {
            values.push(self.value(state, scene, field)?);
        }
        let wanted = self.code_at(state, queue).fields.len();
        let slot = if sorted {
            self.sorted_slot(state, queue, &values)
        } else {
            state.queues[queue].length as usize
        };
        if values.len() != wanted {
            effect.errors.push(RunError::FieldCount { given: values.len(), wanted });
        }
        if self.code_at(state, queue).is_lossy && self.is_at_capacity(state, queue) {
            return Ok(());
        }
        self.insert(state, queue, slot, &values);
        effect.sent = effect.record.then(|| self.message(state, queue, slot));
        Ok(())
    }

    /// Executes a receive. Spin's verifier stores field by field and evaluates the channel each
    /// time.
    fn take(
        &self,
        state: &mut State,
        scene: &Scene,
        receive: &Receive,
        queue: usize,
        slot: usize,
        effect: &mut Effect,
    ) -> Result<(), RunError> {
        if effect.record && !receive.peek {
            effect.received = Some(self.message(state, queue, slot));
        }
        for (field, pattern) in receive.patterns.iter().enumerate() {
            if let Slot::Match(_) = pattern {
                continue;
            }
            let channel = self.value(state, scene, &receive.channel)?;
            if self.find_queue(state, channel)? != queue {
                return Err(RunError::ChannelOverwritten);
            }
            let value = self.field(state, queue, slot, field)?;
            if let Slot::Store(target) = pattern {
                self.store(state, scene, target, value)?;
            }
        }
        let code = self.code_at(state, queue);
        let (given, wanted, rendezvous) = (receive.patterns.len(), code.fields.len(), code.rendezvous);
        if !receive.peek {
            self.remove(state, queue, slot);
            if given != wanted {
                effect.errors.push(RunError::FieldCount { given, wanted });
            }
        }
        if self.has_rendezvous {
            let channel = self.value(state, scene, &receive.channel)?;
            let now = self.find_queue(state, channel)?;
            if rendezvous && !self.code_at(state, now).rendezvous {
                return Err(RunError::ChannelOverwritten);
            }
        }
        Ok(())
    }

    fn run(
        &self,
        state: &mut State,
        scene: &Scene,
        create: &Create,
        effect: &mut Effect,
    ) -> Result<(), RunError> {
        let mut arguments = Vec::with_capacity(create.arguments.len());
        for argument in &create.arguments {
            arguments.push(self.value(state, scene, argument)?);
        }
        let number = self.create(state, create.process_type, &arguments, create.priority)?;
        effect.created = Some(number);
        if let Some(target) = &create.result {
            self.store(state, scene, target, crate::evaluate::to_int(number))?;
        }
        Ok(())
    }
}
