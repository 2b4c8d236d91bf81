//! One call from a program, or the text of one, to a typed result.

use cfsm_core::clock::Instant;

use abstraction::Abstraction;
use abstraction::abstract_program;
use boundedness::{Contract, Outcome};
use cfsm_core::diagnostic::Diagnostic;
use cfsm_core::finding::Finding;
use cfsm_core::program::Program;
use cfsm_core::system::System;
use explore::{Buffers, Run};
use ilp_encode::BoundSearch;
use refine::portfolio::{self, AnalysisState, Conclusion, EngineRun, Limits, Schedule, Side, Step};
use refine::{AsDeclared, Boundedness, Confirmation, FirstAnswer, Property, Refinement, RefinementOptions};
use report::view::{
    self, AsDeclaredRuns, BufferAnswer, Check, EngineCall, EngineResult, InEnvironment, ModelFinding, Runs,
    Subject,
};

use crate::analysis::Failure;
use crate::analysis::{Notes, Timings, decide};
use crate::as_declared::{self, Shown};
#[cfg(feature = "promela")]
use crate::capacities::Capacities;
use crate::execution::{has_progress_labels, semantics};
use crate::open::{self, Assumed, InOpenProgram as _};
#[cfg(feature = "promela")]
use crate::open::{OpenChannels, OpenError};
use crate::options::Options;
use crate::options::Stage;

mod livelock;

pub use livelock::check_livelock;

/// A Promela model, read and abstracted.
#[derive(Clone, Debug)]
pub struct Model {
    /// The program.
    pub program: Program,
    /// What the front end warns of.
    pub warnings: Vec<Diagnostic>,
    /// The abstract system and the ways back to the program.
    pub abstraction: Abstraction,
    /// What its author should know beside any verdict.
    pub findings: Vec<Finding<Run>>,
    /// The answer for an environment that keeps to the assumptions of the question, if there are
    /// any.
    pub assumed: Option<Assumed>,
    /// Times so far.
    pub timings: Timings,
}

/// Everything about a Promela model.
#[derive(Clone, Debug)]
pub struct Analysis {
    /// The program.
    pub program: Program,
    /// What the front end warns of.
    pub warnings: Vec<Diagnostic>,
    /// The abstract system and the ways back to the program.
    pub abstraction: Abstraction,
    /// What was found out about the system.
    pub outcome: Outcome,
    /// What was done about counterexamples.
    pub refinement: Notes,
    /// The calls of engines, in order.
    pub engines: Vec<EngineRun>,
    /// What runs of the program have shown, buffers taken as unbounded.
    pub confirmation: Confirmation,
    /// What is so with the declared capacities.
    pub as_declared: AsDeclared,
    /// A contract with the environment, if the program is open and not bounded in every one.
    pub contract: Option<Contract>,
    /// The assumptions on its environment, as the user wrote them.
    pub assumptions: Vec<String>,
    /// What the author of the model should know beside the verdict.
    pub findings: Vec<Finding<Run>>,
    /// Wall-clock times.
    pub timings: Timings,
}

impl Analysis {
    /// The abstract system, which the certificate speaks of.
    #[must_use]
    pub const fn system(&self) -> &System {
        &self.abstraction.system
    }

    /// The environment, if the program is open.
    pub(crate) fn environment(&self) -> InEnvironment<'_> {
        InEnvironment {
            contract: self.contract.as_ref(),
            assumptions: &self.assumptions,
            ..InEnvironment::default()
        }
    }

    /// Whether a process of the model has a progress label, so that livelocks are a question.
    #[must_use]
    pub fn has_progress_labels(&self) -> bool {
        has_progress_labels(&self.program)
    }

    /// The answer on the buffer with this name, from certificates and runs together; `None` for a
    /// name that is no buffer. It is that of the [view](Self::view).
    #[must_use]
    pub fn buffer(&self, name: &str) -> Option<BufferAnswer> {
        self.view("").buffer(name)
    }

    /// The result in plain data; `file` is what the user calls the model.
    #[must_use]
    pub fn view(&self, file: &str) -> Check {
        view::check(&Subject {
            file,
            system: self.system(),
            outcome: &self.outcome,
            assumptions: &self.abstraction.assumptions,
            approximations: &self.abstraction.approximations,
            refinement: &self.refinement.acts,
            tried: &self.refinement.tried,
            runs: Some(Runs { program: &self.program, confirmation: &self.confirmation }),
            as_declared: Some(AsDeclaredRuns { program: &self.program, found: &self.as_declared }),
            seconds: self.timings.seconds(),
        })
        .with_findings(told(&self.findings, &self.program))
        .with_engines(engine_calls(view::Property::Boundedness, &self.engines))
        .in_environment(&self.program, self.environment())
    }
}

/// The view of calls of engines.
fn engine_calls(property: view::Property, calls: &[EngineRun]) -> impl Iterator<Item = EngineCall> + '_ {
    calls.iter().map(move |call| EngineCall {
        property,
        engine: call.engine.into(),
        work: call.work,
        result: match call.step {
            Step::Proved => EngineResult::Proved,
            Step::Refuted => EngineResult::Refuted,
            Step::Progress => EngineResult::Progress,
            Step::Exhausted(_) => EngineResult::Exhausted,
        },
    })
}

/// The view of findings about a program. Runs are told with unbounded buffers.
fn told(found: &[Finding<Run>], program: &Program) -> Vec<ModelFinding> {
    let steps = |run: &Run| {
        let semantics = semantics(program, Buffers::Unbounded).ok()?;
        let (start, recorded) = semantics.replay(run).ok()?;
        Some(view::steps(program, &semantics, &start, &recorded))
    };
    view::findings(found, |run| steps(run).unwrap_or_default())
}

/// Reads a Promela text and makes the abstract system; `name` is what diagnostics call the text.
///
/// # Errors
/// [`Failure::Input`] if the text has errors, [`Failure::Abstraction`] if there is no abstract
/// system.
#[cfg(feature = "promela")]
pub fn read_promela(name: &str, text: &str, options: &Options) -> Result<Model, Failure> {
    let start = Instant::now();
    options.tell(Stage::Reading);
    let read = promela_front::parse(name, text, &options.parse);
    let Some(mut program) = read.program else {
        return Err(Failure::Input { diagnostics: read.diagnostics, sources: read.sources });
    };
    // What is asked for in the call goes before what the text says.
    let capacities = Capacities::in_comments(name, text)?.and(options.capacities.clone());
    capacities.limit_program(&mut program)?;
    let open = OpenChannels::in_comments(name, text, &program).map_err(OpenError::from)?;
    let program = open.and(options.open.clone()).close(&program, &options.abstraction)?;
    model(program, read.diagnostics, start, options)
}

/// The abstract system of a program, e.g. of a front end of your own.
///
/// # Errors
/// [`Failure::Abstraction`] if there is no abstract system, [`Failure::Open`] if an assumption on
/// the environment cannot be made.
pub fn abstract_model(program: Program, options: &Options) -> Result<Model, Failure> {
    model(program, Vec::new(), Instant::now(), options)
}

/// The abstract system of a program whose text was read since `start`.
pub(crate) fn model(
    program: Program,
    warnings: Vec<Diagnostic>,
    start: Instant,
    options: &Options,
) -> Result<Model, Failure> {
    let parse = start.elapsed();
    options.tell(Stage::Abstracting);
    let abstraction = abstract_program(&program, &options.abstraction)?;
    let findings = abstraction::findings(&program, &abstraction);
    let has_assumptions = !options.assumptions.is_empty();
    let assumed = has_assumptions.then(|| open::under_assumptions(&program, options, start)).transpose()?;
    let total = start.elapsed();
    let timings = Timings { parse, abstraction: total - parse, total, ..Timings::default() };
    Ok(Model { program, warnings, abstraction, findings, assumed, timings })
}

/// Decides, as far as the abstraction allows, which buffers of a Promela model are bounded, and by
/// what; and searches runs of the model for what the abstraction cannot decide.
///
/// # Errors
/// [`Failure::Input`] if the text has errors, [`Failure::Abstraction`] if there is no abstract
/// system.
#[cfg(feature = "promela")]
pub fn check_promela(name: &str, text: &str, options: &Options) -> Result<Analysis, Failure> {
    let start = Instant::now();
    let model = read_promela(name, text, options)?;
    Ok(check_model(model, options, start))
}

/// The same for a model that has been read, in a call that began at `start`.
#[must_use]
pub fn check_model(model: Model, options: &Options, start: Instant) -> Analysis {
    let Model { program, warnings, abstraction, findings, assumed, mut timings } = model;
    if let Some(Assumed { abstraction, outcome, assumptions }) = assumed {
        timings.total = start.elapsed();
        return Analysis {
            program,
            warnings,
            abstraction,
            outcome,
            refinement: Notes::default(),
            engines: Vec::new(),
            confirmation: Confirmation { limit: Some(UNSEARCHED.into()), ..Confirmation::default() },
            as_declared: AsDeclared::default(),
            contract: None,
            assumptions,
            findings,
            timings,
        };
    }
    let property = Boundedness { options: options.boundedness(start) };
    // Cases are told apart by refinement, where it helps.
    let plain = property.options.questions.clone().into();
    let outcome = decide(&abstraction.system, options, &plain, start, &mut timings);
    let first = FirstAnswer { abstraction, outcome };
    let refinement = options.refinement(start, &first.abstraction.precision);
    let tightening = refinement.clone();
    let own = options.engines.boundedness.iter().cloned();
    let schedule = own.rev().fold(Schedule::boundedness(), Schedule::with);
    let found = run_schedule(&program, &property, first, refinement, options, start, &schedule);
    let Conclusion { refinement, runs: confirmation, log } = found;
    let mut refinement = refinement;
    if options.bounds == BoundSearch::Least && refinement.is_loose() {
        let begin = Instant::now();
        refinement = refinement.tightened(&program, &property, &tightening);
        timings.refine += begin.elapsed();
    }
    let begin = Instant::now();
    let refinement = refinement.with_values(&program, &property, tightening.deadline);
    timings.solve += begin.elapsed();
    let Refinement { abstraction, outcome, acts, tried } = refinement;
    timings.add(&log);
    let begin = Instant::now();
    let queues = &abstraction.declarations.values().map(|declaration| declaration.queues).collect();
    let shown = Shown { system: &abstraction.system, outcome: &outcome, confirmation: &confirmation, queues };
    let as_declared = as_declared::look(&program, &abstraction, shown, options, start);
    timings.search += begin.elapsed();
    let contract = open::contract(&program, &abstraction, &outcome, options, start);
    timings.total = start.elapsed();
    Analysis {
        program,
        warnings,
        abstraction,
        outcome,
        refinement: Notes { acts, tried },
        engines: log,
        confirmation,
        as_declared,
        contract,
        assumptions: Vec::new(),
        findings,
        timings,
    }
}

/// The reason for which no run is searched that keeps to an assumption on the environment.
const UNSEARCHED: &str = "no run was searched in which the environment keeps to the assumptions";

/// Gives the engines of a schedule their turns, in a call that began at `start`.
fn run_schedule<P: Property>(
    program: &Program,
    property: &P,
    first: FirstAnswer<P>,
    refinement: RefinementOptions,
    options: &Options,
    start: Instant,
    schedule: &Schedule<P>,
) -> Conclusion<P> {
    let limits =
        Limits { refinement, runs: options.limits_of_runs(start), maxima_states: options.maxima_states };
    let tell = |side: Side| {
        if side == Side::Runs {
            options.tell(Stage::Searching);
        }
    };
    let mut state = AnalysisState::new(program, property, first, limits).observed_by(&tell);
    portfolio::run(&mut state, schedule);
    state.into_conclusion()
}
