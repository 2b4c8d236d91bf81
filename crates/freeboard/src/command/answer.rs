//! The answer to a question, for `check` and `report`.

use std::time::Instant;

use freeboard::abstraction::Abstraction;
use freeboard::certify::{Certificate, Checked};
use freeboard::cfsm_core::source::Sources;
use freeboard::cfsm_core::system::System;
use freeboard::report::view::{self, Check, InEnvironment, PropertyResult, Seconds, Verdict};
use freeboard::{
    Failure, Model, Options, RunLimits, abstraction, boundedness, check_livelock, check_livelock_of_system,
    check_model, check_system, has_progress_labels, read_promela, read_room,
};

use super::error::Error;
use super::input::{Machines, Source};
use super::question::{Question, Wanted, time_limit};
use super::{Status, input, output};

/// The answer to a question.
pub struct Answer<'a> {
    /// The result.
    pub view: Check,
    /// The abstract system, which the certificates are about; `None` if it is too large to be made.
    pub system: Option<&'a System>,
    /// What is proved about it.
    pub certificates: &'a [Option<&'a Checked<Certificate>>],
    /// The texts of the model.
    pub sources: &'a Sources,
}

/// The receiver of an answer.
#[derive(Clone, Copy)]
pub struct Receiver<'a> {
    /// `true` if it uses certificates, so that those of all properties have to be about one system.
    pub wants_evidence: bool,
    /// The use that it makes of the answer, with the exit status.
    pub finish: &'a dyn Fn(&Answer<'_>) -> Result<Status, Error>,
}

/// A question with the texts that it is about, and the receiver of its answer.
#[derive(Clone, Copy)]
struct Asked<'a> {
    question: &'a Question,
    receiver: Receiver<'a>,
    sources: &'a Sources,
}

impl Asked<'_> {
    fn finish(
        self,
        view: &Check,
        system: &System,
        certificates: &[Option<&Checked<Certificate>>],
    ) -> Result<Status, Error> {
        let view = with_time_limit(self.question, view);
        let answer = Answer { view, system: Some(system), certificates, sources: self.sources };
        (self.receiver.finish)(&answer)
    }
}

/// Answers a question. The receiver gets the answer, and returns the exit status.
pub fn answer(question: &Question, receiver: Receiver<'_>) -> Result<Status, Error> {
    let options = question.options();
    match input::open(&question.input)? {
        Source::Promela(text) => {
            let start = Instant::now();
            let model = read_promela(&text.name, &text.text, &options);
            program(question, receiver, &text.name, model, start, &options)
        }
        Source::Room(text) => {
            let start = Instant::now();
            let reading = question.input.capsule_options();
            let model = read_room(&text.name, &text.text, &reading, &options);
            program(question, receiver, &text.name, model, start, &options)
        }
        Source::Machines(machines) => of_machines(question, receiver, machines, options),
    }
}

fn of_machines(
    question: &Question,
    receiver: Receiver<'_>,
    machines: Machines,
    mut options: Options,
) -> Result<Status, Error> {
    let start = Instant::now();
    let Machines { name, mut system, open, sources } = machines;
    let asked = Asked { question, receiver, sources: &sources };
    let name = name.as_str();
    if !options.assumptions.is_empty() {
        // Runs know nothing of assumptions.
        options.runs = RunLimits::NONE;
    }
    system.validate().map_err(|defect| Error::of_model(name, defect.into()))?;
    let limited = options.capacities.limit_system(&mut system);
    limited.map_err(|error| Error::of_model(name, error.into()))?;
    let marked = system.transitions.values().any(|transition| transition.progress);
    let wanted = Wanted::of(question.property, marked);
    wanted.warn(question);
    if !wanted.boundedness {
        let found = check_livelock_of_system(&system, &options);
        let certificates = [found.outcome.verdict.certificate()];
        let view = found.view_of_system(name, &system);
        let view = if open.is_some() { view.of_open_model(InEnvironment::default()) } else { view };
        return asked.finish(&view, &system, &certificates);
    }
    let analysis = check_system(system, &options).map_err(|failure| Error::of_model(name, failure))?;
    let bounds = analysis.outcome.verdict.certificate();
    let needs_contract = !analysis.outcome.verdict.is_proved() && options.assumptions.is_empty();
    let contract = open.as_ref().filter(|_| needs_contract).and_then(|open| open.contract(&options));
    let assumptions: Vec<String> =
        options.assumptions.iter().map(|assumption| assumption.text.clone()).collect();
    let environment = InEnvironment { contract: contract.as_ref(), assumptions: &assumptions };
    let in_environment = |view: Check| if open.is_some() { view.of_open_model(environment) } else { view };
    if !wanted.livelock {
        let view = in_environment(analysis.view(name));
        return match &contract {
            Some(contract) => asked.finish(&view, &contract.system, &[Some(&contract.certificate)]),
            None => asked.finish(&view, &analysis.system, &[bounds]),
        };
    }
    spend(&mut options, start);
    let found = check_livelock_of_system(&analysis.system, &options);
    let certificates = [bounds, found.outcome.verdict.certificate()];
    let view = in_environment(found.view_after_system(name, &analysis));
    asked.finish(&view, &analysis.system, &certificates)
}

/// Takes the time since `start` from the limit.
fn spend(options: &mut Options, start: Instant) {
    options.time_limit = options.time_limit.map(|limit| limit.saturating_sub(start.elapsed()));
}

/// Checks a model that was read, in a call that began at `start`.
fn program(
    question: &Question,
    receiver: Receiver<'_>,
    name: &str,
    model: Result<Model, Failure>,
    start: Instant,
    options: &Options,
) -> Result<Status, Error> {
    let model = match model {
        Ok(model) => model,
        Err(Failure::Abstraction(limit @ abstraction::Error::TooManyTransitions { .. })) => {
            let view = undecided(question, view::undecided(name, limit, Seconds::default()));
            let answer = Answer { view, system: None, certificates: &[], sources: &Sources::default() };
            return (receiver.finish)(&answer);
        }
        Err(failure) => return Err(Error::of_model(name, failure)),
    };
    output::diagnostics(&model.warnings, &model.program.sources);
    let wanted = Wanted::of(question.property, has_progress_labels(&model.program));
    wanted.warn(question);
    let mut options = options.clone();
    if !wanted.boundedness {
        spend(&mut options, start);
        let found = check_livelock(&model.program, &model.abstraction, &options);
        let asked = Asked { question, receiver, sources: &model.program.sources };
        let certificates = [found.outcome.verdict.certificate()];
        let system = found.refined.as_ref().map_or(&model.abstraction.system, |refined| &refined.system);
        return asked.finish(&found.view(name, &model), system, &certificates);
    }
    let analysis = check_model(model, &options, start);
    let asked = Asked { question, receiver, sources: &analysis.program.sources };
    let bounds = analysis.outcome.verdict.certificate();
    if let Some(contract) = analysis.contract.as_ref().filter(|_| !wanted.livelock) {
        return asked.finish(&analysis.view(name), &contract.system, &[Some(&contract.certificate)]);
    }
    if !wanted.livelock {
        return asked.finish(&analysis.view(name), analysis.system(), &[bounds]);
    }
    spend(&mut options, start);
    let found = check_livelock(&analysis.program, &analysis.abstraction, &options);
    let view = found.view_after(name, &analysis);
    if !analysis.assumptions.is_empty() {
        output::warning("--assume is about bounds: what is said of livelocks is about every environment");
        return asked.finish(&view, analysis.system(), &[bounds]);
    }
    let Some(Abstraction { system, .. }) = &found.refined else {
        let certificates = [bounds, found.outcome.verdict.certificate()];
        return asked.finish(&view, analysis.system(), &certificates);
    };
    // A certificate speaks of one system: that of livelocks, which mostly says more.
    let again =
        receiver.wants_evidence.then(|| boundedness::check(system, &options.boundedness(Instant::now())));
    if again.as_ref().is_some_and(|again| !again.verdict.is_proved()) && analysis.outcome.verdict.is_proved()
    {
        output::note(
            "of the system of livelocks, not all bounds are proved: --property boundedness writes a certificate of these",
        );
    }
    let bounds = again.as_ref().and_then(|outcome| outcome.verdict.certificate());
    asked.finish(&view, system, &[bounds, found.outcome.verdict.certificate()])
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

/// Adds to the reason of what is not decided that the time was over, if it was.
fn with_time_limit(question: &Question, view: &Check) -> Check {
    let limit = time_limit(question);
    let mut view = view.clone();
    if view.statistics.seconds.total < limit.as_secs_f64() {
        return view;
    }
    let limit = humantime::format_duration(limit);
    let stopped = match question.time_limit {
        None => format!("stopped after the default limit of {limit}: `--time-limit` sets another"),
        Some(_) => format!("stopped after the limit of {limit} that `--time-limit` sets"),
    };
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
