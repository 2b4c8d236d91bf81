//! Steps of runs: those of processes, and those of the environment.

use cfsm_core::program::{
    Action, Binary, Edge, EdgeId, Expression, Pattern, Place, Type, Unary, VariableId, VariableRef,
};

use super::{Asked, Data, Queue, Run, Taint, edges, spread, wrapped};

/// Values that the environment sends are below, and wrapped to their types.
const VALUES: usize = 5;

impl Run<'_> {
    /// One step, of the environment or of a process, if the one that is drawn can be executed.
    pub fn step(&mut self) {
        if self.processes.is_empty() || (!self.open.is_empty() && self.draw(3) == 0) {
            return self.outside();
        }
        let process = self.draw(self.processes.len());
        let leaving = self.leaving(process);
        if leaving.is_empty() {
            return;
        }
        let edge = leaving[self.draw(leaving.len())];
        if self.is_executable(process, edge) {
            self.execute(process, edge);
        }
    }

    /// The environment sends a message to an open channel, or takes one from there.
    fn outside(&mut self) {
        let open: Vec<usize> = (0..self.queues.len())
            .filter(|queue| self.source(self.queues[*queue].declaration).is_some())
            .collect();
        if open.is_empty() {
            return;
        }
        let queue = open[self.draw(open.len())];
        let Queue { declaration, room, fields, messages } = &self.queues[queue];
        if messages.len() >= *room || (!messages.is_empty() && self.draw(4) == 0) {
            self.queues[queue].messages.remove(0);
            return;
        }
        let taint = self.source(*declaration).unwrap_or_default();
        let any = |ty: &Type| {
            let count = if *ty == Type::Channel { self.queues.len() + 1 } else { VALUES };
            Data { value: ty.wrap(self.draw(count) as i64), taint: taint.clone() }
        };
        let message = fields.iter().map(any).collect();
        self.queues[queue].messages.push(message);
    }

    fn leaving(&self, process: usize) -> Vec<EdgeId> {
        let at = &self.processes[process];
        let own = &self.program.types[at.process_type].edges;
        edges(self.program, at.process_type).filter(|edge| own[*edge].source == at.location).collect()
    }

    fn edge(&self, process: usize, edge: EdgeId) -> &Edge {
        &self.program.types[self.processes[process].process_type].edges[edge]
    }

    fn is_executable(&self, process: usize, edge: EdgeId) -> bool {
        let value = |expression: &Expression| self.value(Some(process), expression);
        match &self.edge(process, edge).action {
            Action::Condition(condition) => value(condition).is_some_and(|value| value != 0),
            Action::Else => {
                let is_other = |other: &EdgeId| self.edge(process, *other).action != Action::Else;
                let mut others = self.leaving(process).into_iter().filter(is_other);
                !others.any(|other| self.is_executable(process, other))
            }
            Action::Send { channel, .. } => {
                let queue = value(channel).and_then(|channel| self.queue(channel));
                queue.is_some_and(|queue| self.queues[queue].messages.len() < self.queues[queue].room)
            }
            Action::Receive { channel, patterns, random, .. } => {
                let queue = value(channel).and_then(|channel| self.queue(channel));
                queue.is_some_and(|queue| self.first_match(Some(process), queue, patterns, *random).is_some())
            }
            // Code in another language is not executed.
            Action::Opaque { .. } => false,
            Action::Assign { .. }
            | Action::Create { .. }
            | Action::Assert(_)
            | Action::Print { .. }
            | Action::SetPriority { .. } => true,
        }
    }

    /// Executes a statement; nothing happens if a value that it needs does not exist.
    fn execute(&mut self, process: usize, edge: EdgeId) {
        let Edge { action, target, .. } = self.edge(process, edge).clone();
        let effect = match &action {
            Action::Condition(condition) => {
                named_locals(condition, &mut |local| self.processes[process].locals[local][0].taint.clear());
                Some(())
            }
            Action::Assign { target, value } => {
                self.data(process, value).and_then(|data| self.store(process, target, data))
            }
            Action::Send { channel, fields, sorted } => self.send(process, channel, fields, *sorted),
            Action::Receive { .. } => self.receive(process, &action),
            Action::Create { process_type, arguments, result, .. } => {
                let arguments: Option<Vec<Data>> =
                    arguments.iter().map(|argument| self.data(process, argument)).collect();
                arguments.map(|arguments| {
                    self.create(*process_type, &arguments);
                    let number = Data { value: self.processes.len() as i64 - 1, taint: Taint::new() };
                    result.iter().for_each(|target| _ = self.store(process, target, number.clone()));
                })
            }
            _ => Some(()),
        };
        if effect.is_some() {
            self.processes[process].location = target;
        }
    }

    fn data(&self, process: usize, expression: &Expression) -> Option<Data> {
        let value = self.value(Some(process), expression)?;
        Some(Data { value, taint: self.taint(Some(process), expression) })
    }

    /// Stores a value. Each element of an array hangs on the index, as another one might have been
    /// written.
    fn store(&mut self, process: usize, target: &Place, data: Data) -> Option<()> {
        let index =
            target.index.as_deref().map_or(Some(Data::default()), |index| self.data(process, index))?;
        let program = self.program;
        let process_type = self.processes[process].process_type;
        let declared = program.variable(process_type, target.variable);
        let cells = match target.variable {
            VariableRef::Global(variable) => &mut self.globals[variable],
            VariableRef::Local(variable) => &mut self.processes[process].locals[variable],
        };
        *cells.get_mut(usize::try_from(index.value).ok()?)? = wrapped(declared, data);
        spread(cells, &index.taint);
        Some(())
    }

    fn send(
        &mut self,
        process: usize,
        channel: &Expression,
        fields: &[Expression],
        sorted: bool,
    ) -> Option<()> {
        let channel = self.data(process, channel)?;
        let queue = self.queue(channel.value)?;
        let fields: Option<Vec<Data>> = fields.iter().map(|field| self.data(process, field)).collect();
        let mut message = fields?;
        spread(&mut message, &channel.taint);
        let types = self.queues[queue].fields.clone();
        message.resize_with(types.len(), Data::default);
        message.iter_mut().zip(&types).for_each(|(field, ty)| field.value = ty.wrap(field.value));
        let end = self.queues[queue].messages.len();
        let position = if sorted { self.draw(end + 1) } else { end };
        self.queues[queue].messages.insert(position, message);
        Some(())
    }

    fn receive(&mut self, process: usize, action: &Action) -> Option<()> {
        let Action::Receive { channel, patterns, random, peek } = action else { return None };
        let channel = self.data(process, channel)?;
        let queue = self.queue(channel.value)?;
        let position = self.first_match(Some(process), queue, patterns, *random)?;
        let mut message = self.queues[queue].messages[position].clone();
        if !peek {
            self.queues[queue].messages.remove(position);
        }
        spread(&mut message, &channel.taint);
        for (pattern, field) in patterns.iter().zip(message) {
            if let Pattern::Store(place) = pattern {
                self.store(process, place, field)?;
            }
        }
        Some(())
    }

    /// The conditions that processes are at, and what receives compare of a message that is there.
    #[must_use]
    pub fn asked(&self) -> Vec<Asked> {
        let mut found = Vec::new();
        for (process, at) in self.processes.iter().enumerate() {
            for edge in self.leaving(process) {
                let (is_match, taint) = match &self.edge(process, edge).action {
                    Action::Condition(condition) => (false, self.taint(Some(process), condition)),
                    Action::Receive { channel, patterns, .. } => {
                        let queue = self.value(Some(process), channel).and_then(|value| self.queue(value));
                        let Some(queue) = queue.filter(|queue| !self.queues[*queue].messages.is_empty())
                        else {
                            continue;
                        };
                        (true, self.compared(queue, patterns, 1))
                    }
                    _ => continue,
                };
                found.push(Asked { process_type: at.process_type, edge, is_match, taint });
            }
        }
        found
    }
}

/// The local variables that a condition compares with constants, where it holds.
fn named_locals(condition: &Expression, tell: &mut dyn FnMut(VariableId)) {
    match condition {
        Expression::Binary(Binary::And, left, right) => {
            named_locals(left, tell);
            named_locals(right, tell);
        }
        Expression::Binary(Binary::Equal, left, right) => match (&**left, &**right) {
            (Expression::Read(place), Expression::Constant(_))
            | (Expression::Constant(_), Expression::Read(place)) => local(place).into_iter().for_each(tell),
            _ => {}
        },
        Expression::Unary(Unary::Not, operand) => {
            if let Expression::Read(place) = &**operand {
                local(place).into_iter().for_each(tell);
            }
        }
        _ => {}
    }
}

fn local(place: &Place) -> Option<VariableId> {
    match place {
        Place { variable: VariableRef::Local(variable), index: None } => Some(*variable),
        _ => None,
    }
}
