//! One call from a text, or a system, to a typed result.

use cfsm_core::clock::Instant;
use std::time::Duration;

use boundedness::Outcome;
use cfsm_core::diagnostic::{Diagnostic, Severity};
use cfsm_core::finding::{self, Finding};
use cfsm_core::program::Program;
use cfsm_core::source::{Origin, Sources};
use cfsm_core::system::{Defect, NotRunnable, Order, System};
use explore::{RunError, Unsupported};
#[cfg(feature = "programs")]
use refine::portfolio::{EngineRun, Side};
use refine::{Act, AsDeclared, Confirmation};
use report::view::{self, AsDeclaredRuns, BufferAnswer, Check, Runs, Seconds, Subject};
use thiserror::Error;

use crate::capacities::{CapacityComment, CapacityError};
use crate::execution::advice;
use crate::machines;
#[cfg(feature = "programs")]
use crate::open::OpenError;
use crate::options::{Options, Stage};

/// Why there is no result.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum Failure {
    /// The text has errors.
    #[error("{}", first_line(diagnostics, sources))]
    Input {
        /// All errors and warnings, in source order; at least one error.
        diagnostics: Vec<Diagnostic>,
        /// The texts they point at.
        sources: Sources,
    },
    /// There is no abstract system.
    #[cfg(feature = "programs")]
    #[error(transparent)]
    Abstraction(#[from] abstraction::Error),
    /// The system given makes no sense.
    #[error("the system is not valid: {0}")]
    System(#[from] Defect),
    /// A limit cannot be set.
    #[error(transparent)]
    Capacity(#[from] CapacityError),
    /// A comment that means to set a limit sets none.
    #[error(transparent)]
    CapacityComment(#[from] CapacityComment),
    /// A program has no environment of the kind that was asked for.
    #[cfg(feature = "programs")]
    #[error(transparent)]
    Open(Box<OpenError>),
    /// The program cannot be run.
    #[error("cannot be run: {reason}{}; {}", located(place.as_deref()), advice(reason))]
    Unsupported {
        /// Where, if it is in a statement.
        place: Option<Box<Origin>>,
        /// What is in the way.
        reason: Unsupported,
    },
    /// The system cannot be run.
    #[error("cannot be run: {0}")]
    NotRunnable(#[from] NotRunnable),
    /// The program goes wrong before its first step.
    #[error("the start of the program fails: {0}")]
    Start(RunError),
}

#[cfg(feature = "programs")]
impl From<OpenError> for Failure {
    fn from(error: OpenError) -> Self {
        Self::Open(Box::new(error))
    }
}

/// ` (model.pml:7)`
fn located(place: Option<&Origin>) -> String {
    place.map(|place| format!(" ({}:{})", place.file, place.line)).unwrap_or_default()
}

/// The first error, and how many there are.
fn first_line(diagnostics: &[Diagnostic], sources: &Sources) -> String {
    let mut errors = diagnostics.iter().filter(|diagnostic| diagnostic.severity == Severity::Error);
    let first = errors.next().map(|error| error.line(sources).to_string());
    let more = match errors.count() {
        0 => String::new(),
        more => format!(" (and {more} more)"),
    };
    format!("{}{more}", first.unwrap_or_default())
}

/// Wall-clock times of the stages of a call.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Timings {
    /// Reading the text.
    pub parse: Duration,
    /// Making the abstract system.
    pub abstraction: Duration,
    /// Deciding about it, with the check of the certificate.
    pub solve: Duration,
    /// Refining: abstractions and decisions behind the first ones.
    pub refine: Duration,
    /// Searching runs.
    pub search: Duration,
    /// The whole call.
    pub total: Duration,
}

impl Timings {
    /// Adds the times of calls of engines.
    #[cfg(feature = "programs")]
    pub(crate) fn add(&mut self, calls: &[EngineRun]) {
        for call in calls {
            match call.side {
                Side::Abstractions => self.refine += call.elapsed,
                Side::Runs => self.search += call.elapsed,
            }
        }
    }

    /// The times in seconds, to the microsecond.
    #[must_use]
    pub fn seconds(&self) -> Seconds {
        #[allow(clippy::cast_precision_loss)] // 2^53 microseconds are 285 years
        let seconds = |time: Duration| time.as_micros() as f64 / 1e6;
        Seconds {
            parse: seconds(self.parse),
            abstraction: seconds(self.abstraction),
            solve: seconds(self.solve),
            refine: seconds(self.refine),
            search: seconds(self.search),
            total: seconds(self.total),
        }
    }
}

/// What was done about counterexamples, and what did not help.
#[derive(Clone, Debug, Default)]
pub struct Notes {
    /// What helped, in this order.
    pub acts: Vec<Act>,
    /// What was tried beside that: sentences without a full stop.
    pub tried: Vec<String>,
}

/// States that are looked at for true maxima where everything is proved, so that they are only nice
/// to know; unless all have been seen already.
pub(crate) const NICE_TO_KNOW: usize = 2_000;

/// Everything about a system that does not come from a program.
#[derive(Clone, Debug)]
pub struct SystemAnalysis {
    /// The system.
    pub system: System,
    /// What was found out about it, with certificates.
    pub outcome: Outcome,
    /// What else decides what these leave open: that all states have been seen, if so.
    pub refinement: Notes,
    /// The program that runs as the system does; empty if no run was searched.
    pub program: Program,
    /// What runs of the system have shown, buffers taken as unbounded.
    pub confirmation: Confirmation,
    /// What is so with the declared capacities.
    pub as_declared: AsDeclared,
    /// What the author of the system should know beside the verdict.
    pub findings: Vec<Finding>,
    /// Wall-clock times.
    pub timings: Timings,
}

/// What is taken for granted if a system was made from a model.
const OWN_RUNS: &str =
    "runs are those of the system itself: not all of them need be runs of the model that it was made from";

impl SystemAnalysis {
    /// The answer on the buffer with this name, from certificates and runs together; `None` for a
    /// name that is no buffer. It is that of the [view](Self::view), of which one can be kept for
    /// many buffers.
    ///
    /// ```
    /// use freeboard::cfsm_core::system::SystemBuilder;
    /// use freeboard::{BufferAnswer, Options, check_system};
    ///
    /// let mut b = SystemBuilder::new("relay");
    /// let (ping, pong) = (b.message("there", "ping"), b.message("back", "pong"));
    /// b.class("P", 1).send("0", ping, "1").receive("1", pong, "0");
    /// b.class("Q", 1).receive("0", ping, "1").send("1", pong, "0");
    /// let analysis = check_system(b.build()?, &Options::default())?;
    /// match analysis.buffer("there").expect("there is such a buffer") {
    ///     BufferAnswer::Proved(Some(bound)) => assert_eq!(bound, 1.into()),
    ///     answer => panic!("{answer:?}"),
    /// }
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[must_use]
    pub fn buffer(&self, name: &str) -> Option<BufferAnswer> {
        self.view(&self.system.name).buffer(name)
    }

    /// The result in plain data; `file` is what the user calls the system.
    #[must_use]
    pub fn view(&self, file: &str) -> Check {
        let from_text = self.system.transitions.values().any(|transition| transition.origin.is_some());
        let made = from_text && self.system.order != Some(Order::Fifo);
        let assumptions = if made { vec![OWN_RUNS.into()] } else { Vec::new() };
        view::check(&Subject {
            file,
            system: &self.system,
            outcome: &self.outcome,
            assumptions: &assumptions,
            approximations: &[],
            refinement: &self.refinement.acts,
            tried: &self.refinement.tried,
            runs: Some(Runs { program: &self.program, confirmation: &self.confirmation }),
            as_declared: Some(AsDeclaredRuns { program: &self.program, found: &self.as_declared }),
            seconds: self.timings.seconds(),
        })
        .with_findings(view::findings(&self.findings, |()| Vec::new()))
    }
}

/// Decides which buffers of a system are bounded, and by what: exact up to the order of messages.
/// Looks at configurations, where their [order](System::order) is known, and at runs for what is
/// left open: all states, if they are few, are a proof without a certificate.
///
/// # Errors
/// [`Failure::System`] if the system is not valid.
pub fn check_system(system: System, options: &Options) -> Result<SystemAnalysis, Failure> {
    let start = Instant::now();
    let mut system = system;
    system.validate()?;
    options.capacities.limit_system(&mut system)?;
    let mut timings = Timings::default();
    let mut outcome = decide(&system, options, &options.boundedness(start), start, &mut timings);
    let (program, confirmation, refinement) =
        machines::look(&system, &mut outcome, options, start, &mut timings);
    let findings = finding::in_system(&system);
    let as_declared = machines::look_as_declared(&system, (&outcome, &confirmation), options, start);
    timings.total = start.elapsed();
    Ok(SystemAnalysis { system, outcome, refinement, program, confirmation, as_declared, findings, timings })
}

/// Decides about a system, without a look at its runs.
pub(crate) fn decide(
    system: &System,
    options: &Options,
    how: &boundedness::Options,
    start: Instant,
    timings: &mut Timings,
) -> Outcome {
    let begin = Instant::now();
    options.tell(Stage::Deciding);
    let outcome = boundedness::check(system, how);
    timings.solve = begin.elapsed();
    timings.total = start.elapsed();
    outcome
}
