//! A concrete interpreter for the tests, written from the semantics of programs and not from the
//! abstraction: unbounded buffers, any message of a buffer may be taken, no atomicity. It can
//! behave like Spin's simulator or like its verifier, where the two differ.

use cfsm_core::program::{
    Action, Binary, EdgeId, Expression, Initializer, LocationId, Pattern, Place, ProcessTypeId, Program,
    Type, Unary, Variable, VariableId, VariableRef,
};

/// A queue; its number is its position + 1.
pub(crate) struct Queue {
    pub(crate) owner: Option<ProcessTypeId>,
    pub(crate) variable: VariableId,
    pub(crate) element: Option<u32>,
    messages: Vec<Vec<i64>>,
}

pub(crate) struct Instance {
    pub(crate) process_type: ProcessTypeId,
    pub(crate) at: LocationId,
    pub(crate) locals: Vec<Vec<i64>>,
    /// Number of queues before its own.
    queues_before: usize,
}

/// The effect of a step on other processes; queues by position.
#[derive(Debug)]
pub(crate) enum Did {
    Nothing,
    Sent(usize, Vec<i64>),
    Received(usize, Vec<i64>),
    Created,
}

pub(crate) struct Machine<'p> {
    program: &'p Program,
    pub(crate) globals: Vec<Vec<i64>>,
    pub(crate) queues: Vec<Queue>,
    pub(crate) instances: Vec<Instance>,
    /// `true` to behave like the verifier: numbers of queues are reused, and some bits are bytes.
    verifier: bool,
}

/// Pseudo-random numbers: the same on every machine.
pub(crate) struct Dice(pub(crate) u64);

impl Dice {
    pub(crate) fn roll(&mut self, sides: usize) -> usize {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        usize::try_from(self.0 >> 33).unwrap() % sides.max(1)
    }

    pub(crate) fn pick<T: Clone>(&mut self, all: &[T]) -> T {
        all[self.roll(all.len())].clone()
    }
}

impl<'p> Machine<'p> {
    pub(crate) fn new(program: &'p Program, verifier: bool) -> Self {
        let (globals, queues, instances) = (Vec::new(), Vec::new(), Vec::new());
        let mut machine = Self { program, globals, queues, instances, verifier };
        for (id, variable) in program.globals.iter() {
            let values = machine.initial(None, id, variable);
            machine.globals.push(values);
        }
        for initial in &program.initial {
            for _ in 0..initial.count {
                let parameters = program.types[initial.process_type].parameters;
                machine.create(initial.process_type, vec![0; parameters]);
            }
        }
        machine
    }

    fn initial(&mut self, owner: Option<ProcessTypeId>, id: VariableId, variable: &Variable) -> Vec<i64> {
        let length = variable.length.unwrap_or(1);
        let make = |element: u32| match &variable.init {
            Initializer::NewChannel(_) => {
                self.queues.push(Queue {
                    owner,
                    variable: id,
                    element: variable.length.map(|_| element),
                    messages: Vec::new(),
                });
                i64::try_from(self.queues.len()).unwrap()
            }
            _ => 0,
        };
        (0..length).map(make).collect()
    }

    fn create(&mut self, process_type: ProcessTypeId, arguments: Vec<i64>) {
        let process = &self.program.types[process_type];
        let mut locals = Vec::new();
        let queues_before = self.queues.len();
        for (position, (id, variable)) in process.locals.iter().enumerate() {
            let initial = self.initial(Some(process_type), id, variable);
            let argument = arguments.get(position).map(|&value| vec![variable.ty.wrap(value)]);
            locals.push(argument.unwrap_or(initial));
        }
        let at = process.entry;
        self.instances.push(Instance { process_type, at, locals, queues_before });
    }

    /// Removes the newest instance with its queues, if it has reached its end; in the verifier
    /// only.
    pub(crate) fn bury(&mut self) -> bool {
        let ended = |last: &Instance| last.at == self.program.types[last.process_type].exit;
        let Some(last) = self.instances.pop_if(|last| self.verifier && ended(last)) else {
            return false;
        };
        self.queues.truncate(last.queues_before);
        true
    }

    /// The stored value of a type; `loose` where the verifier has no bit fields.
    fn kept(&self, ty: Type, value: i64, loose: bool) -> i64 {
        let ty = if self.verifier && loose && ty == Type::Bit { Type::Byte } else { ty };
        ty.wrap(value)
    }

    fn slot(&mut self, who: usize, place: &Place) -> Option<&mut i64> {
        use cfsm_core::ids::Id;
        let index = match &place.index {
            Some(index) => usize::try_from(self.value(who, index)?).ok()?,
            None => 0,
        };
        match place.variable {
            VariableRef::Global(id) => self.globals[id.index()].get_mut(index),
            VariableRef::Local(id) => self.instances[who].locals[id.index()].get_mut(index),
        }
    }

    fn value(&mut self, who: usize, expression: &Expression) -> Option<i64> {
        Some(match expression {
            Expression::Constant(value) => *value,
            Expression::Read(place) => *self.slot(who, place)?,
            Expression::Pid => i64::try_from(who).unwrap(),
            Expression::Unary(Unary::Not, operand) => i64::from(self.value(who, operand)? == 0),
            Expression::Binary(operator, left, right) => {
                let left = self.value(who, left)?;
                match operator {
                    Binary::And if left == 0 => return Some(0),
                    Binary::Or if left != 0 => return Some(1),
                    _ => {}
                }
                let right = self.value(who, right)?;
                match operator {
                    Binary::Add => Type::Int.wrap(left + right),
                    Binary::Subtract => Type::Int.wrap(left - right),
                    Binary::Remainder => left.checked_rem(right)?,
                    Binary::Equal => i64::from(left == right),
                    Binary::NotEqual => i64::from(left != right),
                    Binary::Less => i64::from(left < right),
                    Binary::LessEqual => i64::from(left <= right),
                    Binary::Greater => i64::from(left > right),
                    Binary::GreaterEqual => i64::from(left >= right),
                    Binary::And | Binary::Or => i64::from(right != 0),
                    _ => return None,
                }
            }
            _ => return None,
        })
    }

    fn store(&mut self, who: usize, place: &Place, value: i64) -> Option<()> {
        let process_type = self.instances[who].process_type;
        let variable = self.program.variable(process_type, place.variable);
        let ty = if self.verifier { variable.stored_type() } else { variable.ty };
        let value = self.kept(ty, value, variable.length.is_some());
        *self.slot(who, place)? = value;
        Some(())
    }

    fn queue(&mut self, who: usize, channel: &Expression) -> Option<usize> {
        let number = self.value(who, channel)?;
        let queue = usize::try_from(number).ok()?.checked_sub(1)?;
        (queue < self.queues.len()).then_some(queue)
    }

    fn shape(&self, queue: usize) -> Option<&'p [Type]> {
        let queue = self.queues.get(queue)?;
        let variable = match queue.owner {
            Some(owner) => &self.program.types[owner].locals[queue.variable],
            None => &self.program.globals[queue.variable],
        };
        match &variable.init {
            Initializer::NewChannel(shape) => Some(&shape.fields),
            _ => None,
        }
    }

    /// Lets an instance execute an edge, if it is executable. `Err` means an error during the step,
    /// after which the machine is unusable.
    pub(crate) fn step(&mut self, who: usize, edge: EdgeId, dice: &mut Dice) -> Result<Option<Did>, ()> {
        let process_type = self.instances[who].process_type;
        if self.has_alternative(who, edge)? {
            return Ok(None);
        }
        let edge = &self.program.types[process_type].edges[edge];
        let did = match &edge.action {
            Action::Else => Did::Nothing,
            Action::Condition(condition) => match self.value(who, condition).ok_or(())? {
                0 => return Ok(None),
                _ => Did::Nothing,
            },
            Action::Assign { target, value } => {
                let value = self.value(who, value).ok_or(())?;
                self.store(who, target, value).ok_or(())?;
                Did::Nothing
            }
            Action::Send { channel, fields, .. } => self.send(who, channel, fields).ok_or(())?,
            Action::Receive { channel, patterns, .. } => {
                let queue = self.queue(who, channel).ok_or(())?;
                match self.receive(who, queue, patterns, dice)? {
                    Some(did) => did,
                    None => return Ok(None),
                }
            }
            Action::Create { process_type, arguments, result, .. } => {
                let values = arguments.iter().map(|argument| self.value(who, argument));
                let values: Option<Vec<i64>> = values.collect();
                let number = i64::try_from(self.instances.len()).unwrap();
                self.create(*process_type, values.ok_or(())?);
                if let Some(result) = result {
                    self.store(who, result, number).ok_or(())?;
                }
                Did::Created
            }
            _ => return Err(()),
        };
        self.instances[who].at = edge.target;
        Ok(Some(did))
    }

    /// Returns `true` if the edge is an `else` and one of its alternative conditions holds.
    fn has_alternative(&mut self, who: usize, edge: EdgeId) -> Result<bool, ()> {
        let process = &self.program.types[self.instances[who].process_type];
        let this = &process.edges[edge];
        if this.action != Action::Else {
            return Ok(false);
        }
        let edges = process.edges.iter().filter(|(id, other)| *id < edge && other.source == this.source);
        let edges: Vec<&Action> = edges.map(|(_, other)| &other.action).collect();
        for action in edges.iter().rev().take(this.alternatives as usize) {
            if let Action::Condition(condition) = action
                && self.value(who, condition).ok_or(())? != 0
            {
                return Ok(true);
            }
        }
        Ok(false)
    }

    fn send(&mut self, who: usize, channel: &Expression, fields: &[Expression]) -> Option<Did> {
        let queue = self.queue(who, channel)?;
        let types = self.shape(queue)?;
        let fields: Option<Vec<i64>> = fields.iter().map(|field| self.value(who, field)).collect();
        // A wrong number of fields does not stop the run.
        let fields = fields?.into_iter().chain(std::iter::repeat(0)).zip(types);
        let message: Vec<i64> = fields.map(|(field, ty)| self.kept(*ty, field, types.len() == 1)).collect();
        self.queues[queue].messages.push(message.clone());
        Some(Did::Sent(queue, message))
    }

    fn receive(
        &mut self,
        who: usize,
        queue: usize,
        patterns: &[Pattern],
        dice: &mut Dice,
    ) -> Result<Option<Did>, ()> {
        let count = self.queues[queue].messages.len();
        if count == 0 {
            return Ok(None);
        }
        let position = dice.roll(count);
        let message = self.queues[queue].messages[position].clone();
        for (pattern, field) in patterns.iter().zip(&message) {
            if let Pattern::Match(value) = pattern
                && self.value(who, value).ok_or(())? != *field
            {
                return Ok(None);
            }
        }
        for (pattern, field) in patterns.iter().zip(&message) {
            if let Pattern::Store(place) = pattern {
                self.store(who, place, *field).ok_or(())?;
            }
        }
        self.queues[queue].messages.remove(position);
        Ok(Some(Did::Received(queue, message)))
    }
}
