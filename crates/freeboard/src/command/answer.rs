//! The answer to a question, for `check` and `report`.

use std::time::Instant;

use freeboard::abstraction::Abstraction;
use freeboard::certify::{Certificate, Checked};
use freeboard::cfsm_core::source::Sources;
use freeboard::cfsm_core::system::{DataPlace, System};
use freeboard::promela_front::Diagnostic;
use freeboard::report::view::{self, Check, InEnvironment, PropertyResult, Seconds, Verdict};
use freeboard::{
    Failure, Model, Options, RunLimits, abstraction, boundedness, check_livelock, check_livelock_of_system,
    check_model, check_system, has_progress_labels, read_promela, read_room,
};

use super::arguments::Input;
use super::error::Error;
use super::input::{Machines, Source};
use super::question::{Question, Wanted, time_limit};
use super::{Status, input, interrupt, output};

/// The answer to a question.
pub struct Answer<'a> {
    /// The result.
    pub view: Check,
    /// The abstract system, which the certificates are about; `None` if it is too large to be made.
    pub system: Option<&'a System>,
    /// The certificates of all that is proved about it.
    pub certificates: &'a [Option<&'a Checked<Certificate>>],
    /// The texts of the model.
    pub sources: &'a Sources,
}

/// The receiver of an answer.
pub trait Receiver {
    /// Returns `true` if it uses certificates, so that those of all properties have to be about one
    /// system.
    fn wants_evidence(&self) -> bool;

    /// Takes the warnings about the model, which people have been told.
    fn warned(&mut self, diagnostics: &[Diagnostic], sources: &Sources);

    /// Takes the answer, and returns the exit status.
    fn finish(&mut self, answer: &Answer<'_>) -> Result<Status, Error>;
}

/// A question with the receiver of its answer.
struct Asked<'a> {
    question: &'a Question,
    receiver: &'a mut dyn Receiver,
}

/// Answers a question about a file. The receiver gets the answer, and returns the exit status.
pub fn answer(
    question: &Question,
    input: &Input,
    options: Options,
    receiver: &mut dyn Receiver,
) -> Result<Status, Error> {
    let mut asked = Asked { question, receiver };
    match input::open(input)? {
        Source::Promela(text) => {
            let start = Instant::now();
            let model = read_promela(&text.name, &text.text, &options);
            asked.program(&text.name, model, start, &options)
        }
        Source::Room(text) => {
            let start = Instant::now();
            let reading = input.capsule_options();
            let model = read_room(&text.name, &text.text, &reading, &options);
            asked.program(&text.name, model, start, &options)
        }
        Source::Machines(machines) => asked.machines(machines, options),
    }
}

impl Asked<'_> {
    fn finish(
        &mut self,
        sources: &Sources,
        view: &Check,
        system: &System,
        certificates: &[Option<&Checked<Certificate>>],
    ) -> Result<Status, Error> {
        let view = with_end(self.question, view);
        self.receiver.finish(&Answer { view, system: Some(system), certificates, sources })
    }

    fn machines(&mut self, machines: Machines, mut options: Options) -> Result<Status, Error> {
        let start = Instant::now();
        let Machines { name, mut system, open, diagnostics, sources } = machines;
        self.receiver.warned(&diagnostics, &sources);
        let name = name.as_str();
        if !options.assumptions.is_empty() {
            // Runs know nothing of assumptions.
            options.runs = RunLimits::NONE;
        }
        system.validate().map_err(|defect| Error::of_model(name, defect.into()))?;
        let limited = options.capacities.limit_system(&mut system);
        limited.map_err(|error| Error::of_model(name, error.into()))?;
        let assumed = assumed(&system, options.assumptions.len());
        let is_open = open.is_some() || !assumed.is_empty();
        let marked = system.transitions.values().any(|transition| transition.progress);
        let wanted = Wanted::of(self.question.property, marked);
        wanted.warn(self.question);
        if !wanted.boundedness {
            let found = check_livelock_of_system(&system, &options);
            let certificates = [found.outcome.verdict.certificate()];
            let view = found.view_of_system(name, &system);
            let environment = InEnvironment { values: &assumed, ..InEnvironment::default() };
            let view = if is_open { view.of_open_model(environment) } else { view };
            return self.finish(&sources, &view, &system, &certificates);
        }
        let analysis = check_system(system, &options).map_err(|failure| Error::of_model(name, failure))?;
        let bounds = analysis.outcome.verdict.certificate();
        let needs_contract = !analysis.outcome.verdict.is_proved() && options.assumptions.is_empty();
        let contract = open.as_ref().filter(|_| needs_contract).and_then(|open| open.contract(&options));
        let assumptions: Vec<String> =
            options.assumptions.iter().map(|assumption| assumption.text.clone()).collect();
        let environment =
            InEnvironment { contract: contract.as_ref(), assumptions: &assumptions, values: &assumed };
        let in_environment = |view: Check| if is_open { view.of_open_model(environment) } else { view };
        if !wanted.livelock {
            let view = in_environment(analysis.view(name));
            return match &contract {
                Some(contract) => {
                    self.finish(&sources, &view, &contract.system, &[Some(&contract.certificate)])
                }
                None => self.finish(&sources, &view, &analysis.system, &[bounds]),
            };
        }
        spend(&mut options, start);
        let found = check_livelock_of_system(&analysis.system, &options);
        let certificates = [bounds, found.outcome.verdict.certificate()];
        let view = in_environment(found.view_after_system(name, &analysis));
        self.finish(&sources, &view, &analysis.system, &certificates)
    }

    /// Checks a model that was read, in a call that began at `start`.
    fn program(
        &mut self,
        name: &str,
        model: Result<Model, Failure>,
        start: Instant,
        options: &Options,
    ) -> Result<Status, Error> {
        let model = match model {
            Ok(model) => model,
            Err(Failure::Abstraction(limit @ abstraction::Error::TooManyTransitions { .. })) => {
                let view = undecided(self.question, view::undecided(name, limit, Seconds::default()));
                let answer = Answer { view, system: None, certificates: &[], sources: &Sources::default() };
                return self.receiver.finish(&answer);
            }
            Err(failure) => return Err(Error::of_model(name, failure)),
        };
        output::diagnostics(&model.warnings, &model.program.sources);
        self.receiver.warned(&model.warnings, &model.program.sources);
        let wanted = Wanted::of(self.question.property, has_progress_labels(&model.program));
        wanted.warn(self.question);
        let mut options = options.clone();
        if !wanted.boundedness {
            spend(&mut options, start);
            let found = check_livelock(&model.program, &model.abstraction, &options);
            let sources = &model.program.sources;
            let certificates = [found.outcome.verdict.certificate()];
            let system = found.refined.as_ref().map_or(&model.abstraction.system, |refined| &refined.system);
            return self.finish(sources, &found.view(name, &model), system, &certificates);
        }
        let analysis = check_model(model, &options, start);
        let sources = &analysis.program.sources;
        let bounds = analysis.outcome.verdict.certificate();
        if let Some(contract) = analysis.contract.as_ref().filter(|_| !wanted.livelock) {
            return self.finish(
                sources,
                &analysis.view(name),
                &contract.system,
                &[Some(&contract.certificate)],
            );
        }
        if !wanted.livelock {
            return self.finish(sources, &analysis.view(name), analysis.system(), &[bounds]);
        }
        spend(&mut options, start);
        let found = check_livelock(&analysis.program, &analysis.abstraction, &options);
        let view = found.view_after(name, &analysis);
        if !analysis.assumptions.is_empty() {
            output::warning("--assume is about bounds: what is said of livelocks is about every environment");
            return self.finish(sources, &view, analysis.system(), &[bounds]);
        }
        let Some(Abstraction { system, .. }) = &found.refined else {
            let certificates = [bounds, found.outcome.verdict.certificate()];
            return self.finish(sources, &view, analysis.system(), &certificates);
        };
        // A certificate speaks of one system: that of livelocks, which mostly says more.
        let again = self
            .receiver
            .wants_evidence()
            .then(|| boundedness::check(system, &options.boundedness(Instant::now())));
        if again.as_ref().is_some_and(|again| !again.verdict.is_proved())
            && analysis.outcome.verdict.is_proved()
        {
            output::note(
                "of the system of livelocks, not all bounds are proved: --property boundedness writes a certificate of these",
            );
        }
        let bounds = again.as_ref().and_then(|outcome| outcome.verdict.certificate());
        self.finish(sources, &view, system, &[bounds, found.outcome.verdict.certificate()])
    }
}

/// The assumptions on an environment that a system file has, as data places; behind them are those
/// of the call.
fn assumed(system: &System, of_call: usize) -> Vec<String> {
    let places: Vec<&DataPlace> = system.data.values().filter(|place| place.is_assumed).collect();
    let of_file = places.len().saturating_sub(of_call);
    let told = |place: &&DataPlace| format!("{} >= 0, which begins with {}", place.name, place.initial);
    places[..of_file].iter().map(told).collect()
}

/// Takes the time since `start` from the limit.
fn spend(options: &mut Options, start: Instant) {
    options.time_limit = options.time_limit.map(|limit| limit.saturating_sub(start.elapsed()));
}

/// The view in which nothing is decided, for the properties that were asked for.
fn undecided(question: &Question, mut view: Check) -> Check {
    let of_livelock: Vec<PropertyResult> = view.property_results.clone();
    let of_livelock =
        of_livelock.into_iter().map(|result| PropertyResult { property: view::Property::Livelock, ..result });
    let wanted = Wanted::of(question.property, false);
    if !wanted.boundedness {
        view.property_results.clear();
    }
    if wanted.livelock {
        view.property_results.extend(of_livelock);
    }
    view
}

/// The event that ended a call before all was decided, if one did: an interruption, or the limit
/// of time.
fn early_end(question: &Question, view: &Check) -> Option<String> {
    if let Some(interruption) = interrupt::interruption() {
        return Some(interruption.told());
    }
    let limit = time_limit(question);
    let is_over = view.statistics.seconds.total >= limit.as_secs_f64();
    let limit = humantime::format_duration(limit);
    is_over.then(|| match question.time_limit {
        None => format!("after the default limit of {limit}: `--time-limit` sets another"),
        Some(_) => format!("after the limit of {limit} that `--time-limit` sets"),
    })
}

/// Adds what ended the call early to the reason of what is not decided.
fn with_end(question: &Question, view: &Check) -> Check {
    let mut view = view.clone();
    let Some(end) = early_end(question, &view) else { return view };
    let stopped = format!("stopped {end}");
    for result in &mut view.property_results {
        let is_open = result.reason.is_some() || result.verdict == Verdict::Unknown;
        if is_open {
            let reason = result.reason.take();
            result.reason =
                Some(reason.map_or_else(|| stopped.clone(), |reason| format!("{reason}; {stopped}")));
        }
    }
    view
}

/// Refuted if anything is, unknown if anything else is.
pub fn status(view: &Check) -> Status {
    let verdicts = || view.property_results.iter().map(|result| result.verdict);
    if verdicts().any(|verdict| verdict == Verdict::Refuted) {
        Status::Refuted
    } else if verdicts().all(|verdict| verdict == Verdict::Proved) {
        Status::Success
    } else {
        Status::Unknown
    }
}
