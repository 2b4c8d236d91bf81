//! Taint analysis: which values come from the environment, and which conditions hang on them.
//!
//! A value is *chaotic* if it comes from a message of the environment, or is computed from such a
//! value, and *reliable* otherwise. For each variable at each location of a process type one least
//! fixpoint has two parts: whether its value may be reliable in some run, and from which open
//! channels it may come in some run (its provenance). So it is both a may-analysis and, by the part
//! that is missing, a must-analysis: what may not be reliable is surely chaotic. Paper 002 has two
//! analyses for that; `docs/soundness/open-systems.md` has the equations and what is changed.
//!
//! Flows are those of data: a constant that is assigned behind a condition on a chaotic value is
//! reliable. The analysis is flow-sensitive for locals; a global has the same flags everywhere. It
//! takes time linear in the program times its local variables for each round, and mostly needs few
//! rounds.

mod conditions;
mod evaluate;
mod receive;
mod state;
mod transfer;
mod value;

use cfsm_core::program::{LocationId, ProcessTypeId, Program, VariableRef};

pub use conditions::{Cell, ConditionKind, HangingCondition};
pub use value::{Flags, Reliability};

use crate::Interface;
use evaluate::{Process, Scope};
use state::State;

/// The result of the taint analysis of an open program.
///
/// ```
/// use cfsm_core::program::{Action, Binary, Expression, Pattern, Place, ProgramBuilder, Type};
/// use closing::{DataFlow, Interface, Reliability};
///
/// let mut b = ProgramBuilder::new("worker.txt");
/// let jobs = b.channel("jobs", 2, vec![Type::Byte]);
/// let mut worker = b.process("Worker", 1);
/// let job = worker.local("job", Type::Byte);
/// let patterns = vec![Pattern::Store(Place::scalar(job))];
/// let take = Action::Receive { channel: jobs, patterns, random: false, peek: false };
/// let (read, five) = (Expression::variable(job), Expression::Constant(5));
/// let small = Expression::Binary(Binary::Less, Box::new(read), Box::new(five));
/// worker.edge("idle", take, "busy", "jobs ? job").wait("busy", small, "idle", "job < 5");
/// let (worker, busy) = (worker.id(), worker.location("busy"));
/// let program = b.build()?;
///
/// let flow = DataFlow::of(&program, &Interface::named(&program, ["jobs"])?);
/// assert_eq!(flow.flags(worker, busy, job).reliability(), Reliability::Chaotic);
/// assert_eq!(program.sources.text(flow.conditions()[0].span), "job < 5");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug)]
pub struct DataFlow<'p> {
    state: State<'p>,
}

impl<'p> DataFlow<'p> {
    /// Analyses a program whose interface is open. An environment that [`close`](crate::close)
    /// added to it counts as what it stands for, and observers are no part of the program.
    #[must_use]
    pub fn of(program: &'p Program, interface: &Interface) -> Self {
        let mut state = State::new(program, &interface.channels);
        state.saturate();
        Self { state }
    }

    /// The flags of a variable while a process is at a location; of an array, those of all its
    /// elements.
    #[must_use]
    pub fn flags(&self, process_type: ProcessTypeId, at: LocationId, variable: VariableRef) -> Flags {
        match self.scope(process_type, at) {
            None => Flags::default(),
            Some(_) if self.state.has_code => self.state.any_flags(),
            Some(scope) => scope.cell(variable).flags.clone(),
        }
    }

    /// The conditions that hang on the environment, by process types and edges: the places at which
    /// an assumption on the environment can make a difference.
    ///
    /// That a process waits for a message of the environment is no condition, unless the receive
    /// compares what is in the message, or an `else` stands beside it.
    #[must_use]
    pub fn conditions(&self) -> Vec<HangingCondition> {
        conditions::conditions(&self.state)
    }

    fn scope(&self, process_type: ProcessTypeId, at: LocationId) -> Option<Scope<'_>> {
        scope_at(&self.state, process_type, at)
    }
}

/// The scope of a process at a location, if one may be there.
fn scope_at<'a>(state: &'a State<'a>, process_type: ProcessTypeId, at: LocationId) -> Option<Scope<'a>> {
    let locals = state.locals[process_type][at].as_ref()?;
    Some(Scope { state, process: Some(Process { process_type, locals }) })
}
