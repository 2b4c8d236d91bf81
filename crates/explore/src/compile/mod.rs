//! The compiler from a [`Program`] to [`Semantics`]: assigns cells to variables and queues to
//! declarations, and compiles all statements.

mod expression;
mod process;

use std::collections::BTreeSet;

use cfsm_core::ids::{Id, IdMap};
use cfsm_core::program::{
    Action, ChannelDeclaration, ChannelShape, Claim, Expression, Initializer, Limit, ProcessTypeId, Program,
    Type, Variable, VariableId, VariableRef,
};

use crate::code::{Init, QueueCode, VariableCode};
use crate::encode::Places;
use crate::semantics::Semantics;
use crate::waiting::WaitingChoices;
use crate::width::Width;
use crate::{Claims, Options, Unsupported};

/// State of the compiler while it translates one program.
pub(super) struct Compiler<'p> {
    pub program: &'p Program,
    pub options: &'p Options,
    /// The first cell of each global.
    pub globals: Vec<u32>,
    /// The first cell of each local of each type, counted behind the header of the process.
    pub locals: Vec<Vec<u32>>,
    pub queues: Vec<QueueCode>,
    pub has_timeout: bool,
    pub has_last: bool,
    pub has_priorities: bool,
    /// The values of globals that are never written. They are substituted in statements only: an
    /// initial value may be evaluated before that of the global.
    pub settled: IdMap<VariableId, Option<i32>>,
    /// `true` while a statement is compiled, and not an initial value or a `provided` condition.
    pub in_statement: bool,
}

pub(super) fn compile(program: &Program, options: &Options) -> Result<Semantics, Unsupported> {
    program.validate()?;
    check_options(options)?;
    if options.claims == Claims::Refused
        && let Some(claim) = program.claims.first()
    {
        return Err(Unsupported::Claim(claim_name(program, claim)));
    }
    let (globals, global_cells) = cells(&program.globals)?;
    let mut locals = Vec::with_capacity(program.types.len());
    let mut local_cells = Vec::with_capacity(program.types.len());
    for ty in program.types.values() {
        let (firsts, count) = cells(&ty.locals)?;
        locals.push(firsts);
        local_cells.push(count);
    }
    let queues = Vec::new();
    let (has_timeout, has_last, has_priorities) = (false, false, has_priorities(program));
    let mut compiler = Compiler {
        program,
        options,
        globals,
        locals,
        queues,
        has_timeout,
        has_last,
        has_priorities,
        settled: settled(program),
        in_statement: false,
    };
    let global_code = compiler.variables(None, &program.globals)?;
    let observers: Vec<ProcessTypeId> = program.claims.iter().filter_map(observer).collect();
    let mut types = Vec::with_capacity(program.types.len());
    for (id, ty) in program.types.iter() {
        types.push(compiler.process(id, ty, local_cells[id.index()], observers.contains(&id))?);
    }
    let has_rendezvous = compiler.queues.iter().any(|queue| queue.rendezvous);
    if compiler.has_priorities && has_rendezvous {
        return Err(Unsupported::PriorityRendezvous);
    }
    Ok(Semantics {
        options: options.clone(),
        globals: global_code,
        global_order: global_order(program),
        global_cells,
        places: Places::new(types.iter().map(|ty| ty.ends.len())).ok_or(Unsupported::TooLarge)?,
        start: program.initial.iter().map(|initial| (initial.process_type, initial.count)).collect(),
        has_timeout: compiler.has_timeout,
        has_last: compiler.has_last,
        has_priorities: compiler.has_priorities,
        has_rendezvous,
        waiting_choices: WaitingChoices::new(&types, &compiler.queues, compiler.has_priorities),
        whole_steps: program.whole_steps,
        environment: program.environment.clone(),
        queues: compiler.queues,
        types,
    })
}

/// The values of those globals that are initialised with a constant and that no statement writes.
fn settled(program: &Program) -> IdMap<VariableId, Option<i32>> {
    let written: BTreeSet<VariableId> = program
        .types
        .values()
        .flat_map(|ty| ty.edges.values())
        .flat_map(|edge| edge.action.targets())
        .filter_map(|place| match place.variable {
            VariableRef::Global(id) => Some(id),
            VariableRef::Local(_) => None,
        })
        .collect();
    let value = |(id, variable): (VariableId, &Variable)| {
        let scalar = variable.length.is_none() && variable.ty != Type::Channel && !written.contains(&id);
        match &variable.init {
            Initializer::Zero if scalar => Some(0),
            #[allow(clippy::cast_possible_truncation)] // as C takes a number that is too large
            Initializer::Value(Expression::Constant(value)) if scalar => {
                Some(Width::of(variable).keep(*value as i32))
            }
            _ => None,
        }
    };
    program.globals.iter().map(value).collect()
}

fn check_options(options: &Options) -> Result<(), Unsupported> {
    // The numbers of processes and queues are stored in a byte.
    const MOST: u16 = 255;
    let wanted = options.max_processes.max(options.max_queues);
    if wanted > MOST { Err(Unsupported::Limit(MOST)) } else { Ok(()) }
}

const fn observer(claim: &Claim) -> Option<ProcessTypeId> {
    match claim {
        Claim::Observer { process_type, .. } => Some(*process_type),
        Claim::Ltl { .. } => None,
    }
}

fn claim_name(program: &Program, claim: &Claim) -> String {
    match claim {
        Claim::Observer { process_type, .. } => program.types[*process_type].name.clone(),
        Claim::Ltl { name, .. } => name.clone().unwrap_or_else(|| String::from("ltl")),
    }
}

/// The first cell of each variable, and the number of cells of all of them.
fn cells(variables: &IdMap<VariableId, Variable>) -> Result<(Vec<u32>, u32), Unsupported> {
    // Keeps a state below some GiB, and cell numbers far from overflow.
    const MOST: u32 = 1 << 28;
    let mut next = 0_u32;
    let mut firsts = Vec::with_capacity(variables.len());
    for variable in variables.values() {
        firsts.push(next);
        next = next
            .checked_add(variable.length.unwrap_or(1))
            .filter(|next| *next < MOST)
            .ok_or(Unsupported::TooLarge)?;
    }
    Ok((firsts, next))
}

/// The order in which globals are initialised: by type, records last, as Spin's verifier does it.
fn global_order(program: &Program) -> Vec<usize> {
    let class = |variable: &Variable| match variable.ty {
        _ if variable.name.contains('.') => 7,
        Type::Unsigned(_) => 0,
        Type::Bit => 1,
        Type::Byte | Type::Pid => 2,
        Type::Channel => 3,
        Type::Symbol(_) => 4,
        Type::Short => 5,
        Type::Int => 6,
    };
    let mut order: Vec<usize> = (0..program.globals.len()).collect();
    order.sort_by_key(|at| class(&program.globals[VariableId::new(*at)]));
    order
}

/// Returns `true` if processes of the program can have different priorities.
fn has_priorities(program: &Program) -> bool {
    program.types.values().any(|ty| {
        ty.priority.is_some_and(|priority| priority != 1)
            || ty.edges.values().any(|edge| {
                matches!(edge.action, Action::SetPriority { .. } | Action::Create { priority: Some(_), .. })
            })
    })
}

impl Compiler<'_> {
    /// Compiles the variables of a type, or the globals, in declaration order.
    pub(super) fn variables(
        &mut self,
        owner: Option<ProcessTypeId>,
        variables: &IdMap<VariableId, Variable>,
    ) -> Result<Vec<VariableCode>, Unsupported> {
        let mut all = Vec::with_capacity(variables.len());
        for (id, variable) in variables.iter() {
            let first = match owner {
                None => self.globals[id.index()],
                Some(owner) => self.locals[owner.index()][id.index()],
            };
            let length = variable.length.unwrap_or(1);
            let init = match &variable.init {
                Initializer::Zero => Init::Zero,
                Initializer::Value(value) => Init::Value(self.expression(owner, value)?),
                Initializer::List(values) => Init::List(self.expressions(owner, values)?),
                Initializer::NewChannel(shape) => Init::Queues(self.queue(owner, id, length, shape)?),
                Initializer::Parameter => Init::Parameter,
            };
            all.push(VariableCode { first, length, width: Width::of(variable), init });
        }
        Ok(all)
    }

    fn queue(
        &mut self,
        owner: Option<ProcessTypeId>,
        variable: VariableId,
        length: u32,
        shape: &ChannelShape,
    ) -> Result<u32, Unsupported> {
        let first = self.queues.len();
        if first + length as usize >= usize::from(u16::MAX) {
            return Err(Unsupported::TooLarge);
        }
        let rendezvous = shape.capacity == 0;
        let declared = shape.declared();
        let limit = self.options.buffers.limit(ChannelDeclaration { owner, variable });
        let (capacity, may_wait_from) = match (shape.limit, limit) {
            _ if rendezvous => (Some(0), None),
            // An open channel holds one message, and others are lost.
            _ if shape.is_open => (Some(1), None),
            (Some(fixed), _) => (Some(fixed.size.get()), None),
            (None, Limit::Declared) => (declared, None),
            (None, Limit::Unlimited) => (None, None),
            (None, Limit::Size(size)) => (Some(size.get()), None),
            (None, Limit::Either) => (None, declared),
        };
        for element in 0..length {
            let fields = Width::fields(&shape.fields);
            self.queues.push(QueueCode {
                capacity,
                may_wait_from,
                declared,
                is_fixed: shape.limit.is_some() || shape.is_open,
                is_lossy: shape.is_lossy()
                    || shape.is_open
                    || (limit == Limit::Declared && !shape.when_full.waits()),
                rendezvous,
                fields,
                owner,
                variable,
                element,
            });
        }
        u32::try_from(first).map_err(|_| Unsupported::TooLarge)
    }

    pub(super) fn expressions(
        &mut self,
        owner: Option<ProcessTypeId>,
        values: &[Expression],
    ) -> Result<Vec<crate::code::Code>, Unsupported> {
        values.iter().map(|value| self.expression(owner, value)).collect()
    }
}
