//! Assertions for tests: systems, programs and files that must be bounded, or free of livelocks.
//!
//! [`assert_bounded!`](crate::assert_bounded) and
//! [`assert_livelock_free!`](crate::assert_livelock_free) are what tests use; behind each of them
//! is a function here that returns what to print instead of panicking.

#[cfg(feature = "programs")]
use cfsm_core::clock::Instant;
use std::fmt::Write as _;
use std::path::Path;
use std::time::Duration;

use cfsm_core::diagnostic::Diagnostic;
use cfsm_core::finding::FindingKind;
use cfsm_core::formats::Format;
#[cfg(feature = "programs")]
use cfsm_core::program::Program;
use cfsm_core::source::Sources;
use cfsm_core::suggest;
use cfsm_core::system::System;
use report::diagnostics;
use report::text::{self, Style};
use report::view::{BufferVerdict, Check, ModelFinding, Number, Verdict};

use crate::{Failure, Options, check_livelock_of_system, check_system};
#[cfg(feature = "programs")]
use crate::{Model, abstract_model, check_livelock, check_model};

/// The subject of an assertion.
#[derive(Clone, Debug)]
#[non_exhaustive]
#[cfg_attr(
    feature = "programs",
    expect(clippy::large_enum_variant, reason = "there is one for each assertion, on the stack of a test")
)]
pub enum Subject {
    /// A system.
    System(System),
    /// A program, of a front end.
    #[cfg(feature = "programs")]
    Program(Box<Program>),
}

impl From<System> for Subject {
    fn from(system: System) -> Self {
        Self::System(system)
    }
}

impl From<&System> for Subject {
    fn from(system: &System) -> Self {
        Self::System(system.clone())
    }
}

#[cfg(feature = "programs")]
impl From<Program> for Subject {
    fn from(program: Program) -> Self {
        Self::Program(Box::new(program))
    }
}

#[cfg(feature = "programs")]
impl From<&Program> for Subject {
    fn from(program: &Program) -> Self {
        Self::Program(Box::new(program.clone()))
    }
}

/// The expectation of a test about a subject, beside the property; by default a proof, however
/// long it takes, of a subject without findings.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Expectation {
    /// The most messages that any buffer may hold; for boundedness only.
    pub most: Option<u64>,
    /// The time in which the proof has to be found.
    pub within: Option<Duration>,
    /// `true` if parts of the subject may never act: one end of a message type, a class that is
    /// never started, a transition that can never be executed.
    pub findings_allowed: bool,
}

impl Expectation {
    /// The same, with no buffer that may hold more than `most` messages.
    #[must_use]
    pub const fn at_most(self, most: u64) -> Self {
        Self { most: Some(most), ..self }
    }

    /// The same, with a limit on the time.
    #[must_use]
    pub const fn within(self, limit: Duration) -> Self {
        Self { within: Some(limit), ..self }
    }

    /// The same, whatever is found beside the verdict.
    #[must_use]
    pub const fn findings_allowed(self) -> Self {
        Self { findings_allowed: true, ..self }
    }

    fn options(self) -> Options {
        Options { time_limit: self.within, ..Options::default() }
    }

    /// Findings that are not allowed: for them, what is proved may not be what is meant.
    fn findings(self, property: &str, view: &Check) -> Result<(), String> {
        let vacuous = view.findings.iter().filter(|found| !self.findings_allowed && found.kind.is_vacuity());
        let found: Vec<&ModelFinding> = vacuous.collect();
        if found.is_empty() {
            return Ok(());
        }
        let ends = found.iter().filter(|finding| finding.kind == FindingKind::OneEndedChannel);
        let ends: Vec<&str> = ends.map(|finding| finding.name.as_str()).collect();
        let lines = found.iter().map(|finding| {
            let meant = suggest::closest(&finding.name, ends.iter().copied());
            let meant = meant.filter(|_| ends.contains(&finding.name.as_str()));
            let meant = meant.map(|name| format!(" (is `{name}` meant?)")).unwrap_or_default();
            format!("- {}{meant}\n", text::sentence(finding))
        });
        let lines: String = lines.collect();
        Err(format!("assertion failed: {property}, but parts never act:\n\n{lines}\n{MEND}"))
    }
}

/// Advice on findings.
const MEND: &str = "\
A name may be misspelt, or a part be missing; then the proof is of something else than what is meant.
Mend the description, or, if it is meant so, say `findings allowed` in the assertion.";

/// Reads a file: machines by the extension or by content, and Promela (with the feature `promela`).
///
/// # Errors
/// What is wrong, in words that can be printed.
pub fn read(path: impl AsRef<Path>) -> Result<Subject, String> {
    let path = path.as_ref();
    let name = path.display().to_string();
    let text = std::fs::read_to_string(path).map_err(|error| format!("{name}: {error}"))?;
    let format = match Format::of_path(path) {
        None if Format::is_by_content(path) && !is_promela(&text) => Some(Format::of_text(&text)),
        format => format,
    };
    match format {
        Some(format) => {
            let read = crate::read_machines(&name, &text, format);
            read.map(|(system, _)| system.into()).map_err(|failure| told(&failure))
        }
        None => promela(&name, &text),
    }
}

#[cfg(feature = "promela")]
fn is_promela(text: &str) -> bool {
    promela_front::likeness(text) == promela_front::Likeness::Start
}

#[cfg(not(feature = "promela"))]
const fn is_promela(_: &str) -> bool {
    false
}

#[cfg(feature = "promela")]
fn promela(name: &str, text: &str) -> Result<Subject, String> {
    let read = crate::read_program(name, text, &promela_front::Options::default());
    read.map(|(program, _)| program.into()).map_err(|failure| told(&failure))
}

#[cfg(not(feature = "promela"))]
fn promela(name: &str, _: &str) -> Result<Subject, String> {
    Err(format!("{name}: it is not known what this is (the feature `promela` reads Promela models)"))
}

/// That every buffer is proved bounded, as expected.
///
/// # Errors
/// What a test should print: the verdict, the buffers, and the counterexample or the run; or what
/// never acts.
pub fn bounded(subject: impl Into<Subject>, expected: Expectation) -> Result<(), String> {
    let options = expected.options();
    let (name, view) = match subject.into() {
        Subject::System(system) => {
            let name = system.name.clone();
            let analysis = check_system(system, &options).map_err(|failure| told(&failure))?;
            (name.clone(), analysis.view(&name))
        }
        #[cfg(feature = "programs")]
        Subject::Program(program) => {
            let start = Instant::now();
            let (name, model) = model(*program, &options)?;
            let analysis = check_model(model, &options, start);
            (name.clone(), analysis.view(&name))
        }
    };
    let property = format!("every buffer of `{name}` is bounded");
    judged(&property, &view)?;
    let Some(most) = expected.most else { return expected.findings(&property, &view) };
    let buffers = view.property_results.iter().flat_map(|result| &result.buffers);
    let over = buffers.filter(|buffer| {
        let within = buffer.bound.as_ref().and_then(Number::as_u64).is_some_and(|bound| bound <= most);
        buffer.verdict == BufferVerdict::Bounded && !within
    });
    let over: Vec<&str> = over.map(|buffer| buffer.name.as_str()).collect();
    let property = format!("{property} by {most}");
    if over.is_empty() {
        return expected.findings(&property, &view);
    }
    Err(shown(&format!("{property}: {} may hold more", over.join(", ")), &view))
}

/// That every infinite run makes progress for ever. A bound that is expected is not looked at.
///
/// # Errors
/// What a test should print: the verdict, and the counterexample or the run; or what never acts.
pub fn livelock_free(subject: impl Into<Subject>, expected: Expectation) -> Result<(), String> {
    let options = expected.options();
    let (name, view) = match subject.into() {
        Subject::System(system) => {
            system.validate().map_err(|defect| told(&defect.into()))?;
            let name = system.name.clone();
            (name.clone(), check_livelock_of_system(&system, &options).view_of_system(&name, &system))
        }
        #[cfg(feature = "programs")]
        Subject::Program(program) => {
            let (name, model) = model(*program, &options)?;
            let found = check_livelock(&model.program, &model.abstraction, &options);
            (name.clone(), found.view(&name, &model))
        }
    };
    let property = format!("`{name}` is free of livelocks");
    judged(&property, &view)?;
    expected.findings(&property, &view)
}

/// A program and its abstraction, and what it is called.
#[cfg(feature = "programs")]
fn model(program: Program, options: &Options) -> Result<(String, Model), String> {
    let file = program.sources.files.values().next();
    let name = file.map_or_else(|| "program".into(), |file| file.name.clone());
    let model = abstract_model(program, options).map_err(|error| told(&error))?;
    Ok((name, model))
}

fn judged(what: &str, view: &Check) -> Result<(), String> {
    if view.property_results.iter().all(|result| result.verdict == Verdict::Proved) {
        return Ok(());
    }
    Err(shown(what, view))
}

/// The report, under the sentence that does not hold.
fn shown(what: &str, view: &Check) -> String {
    let mut text = format!("assertion failed: {what}\n\n");
    let _ = write!(text, "{}", text::check(view, Style::default()));
    text
}

/// What went wrong before anything could be decided.
fn told(failure: &Failure) -> String {
    let shown = |found: &[Diagnostic], sources: &Sources| diagnostics::render(found, sources, false);
    match failure {
        Failure::Input { diagnostics, sources } => shown(diagnostics, sources),
        failure => failure.to_string(),
    }
}

/// Asserts that every buffer of a system or a program is proved bounded; prints the counterexample
/// or the run otherwise. It takes what is [`Into<Subject>`](crate::assertions::Subject): a system
/// or a program, or a reference to one.
///
/// ```
/// use std::time::Duration;
///
/// use freeboard::assert_bounded;
/// use freeboard::cfsm_core::system::SystemBuilder;
///
/// let mut b = SystemBuilder::new("relay");
/// let (ping, pong) = (b.message("there", "ping"), b.message("back", "pong"));
/// b.class("P", 1).send("0", ping, "1").receive("1", pong, "0");
/// b.class("Q", 1).receive("0", ping, "1").send("1", pong, "0");
/// let system = b.build()?;
/// assert_bounded!(&system);
/// assert_bounded!(&system, at most 1, within Duration::from_secs(60));
/// # Ok::<(), freeboard::cfsm_core::system::Defect>(())
/// ```
///
/// Clauses may follow, in any order: `at most N`, no buffer holds more than `N` messages; `within
/// DURATION`, the proof takes no longer; and `findings allowed`. Without that clause, a subject of
/// which a part never acts fails, proved or not: a name may be misspelt. Here nobody sends `pings`.
///
/// ```should_panic
/// # use freeboard::assert_bounded;
/// # use freeboard::cfsm_core::system::SystemBuilder;
/// let mut b = SystemBuilder::new("misspelt");
/// let (ping, pings) = (b.message("there", "ping"), b.message("there", "pings"));
/// b.class("P", 1).send("0", ping, "1");
/// b.class("Q", 1).receive("0", pings, "0");
/// let system = b.build().unwrap();
/// assert_bounded!(&system, findings allowed);
/// assert_bounded!(&system);
/// ```
///
/// What is in a file is read first, whatever the format:
///
/// ```no_run
/// freeboard::assert_bounded!(path "tests/protocol.fsa");
/// freeboard::assert_bounded!(path "tests/protocol.fsa", at most 3);
/// ```
#[macro_export]
macro_rules! assert_bounded {
    (path $path:expr $(, $($clause:tt)*)?) => {
        $crate::assertions::check($crate::assertions::read($path).and_then(|subject| {
            $crate::assertions::bounded(subject, $crate::assertions::expected!(bounded $(, $($clause)*)?))
        }))
    };
    ($subject:expr $(, $($clause:tt)*)?) => {
        $crate::assertions::check($crate::assertions::bounded(
            $subject,
            $crate::assertions::expected!(bounded $(, $($clause)*)?),
        ))
    };
}

/// Asserts that every infinite run of a system or a program makes progress for ever; prints the
/// counterexample or the run otherwise. Takes what [`assert_bounded!`](crate::assert_bounded)
/// takes, with its clauses `within` and `findings allowed`.
///
/// ```
/// use freeboard::assert_livelock_free;
/// use freeboard::cfsm_core::system::SystemBuilder;
///
/// let mut b = SystemBuilder::new("relay");
/// let (ping, pong) = (b.message("there", "ping"), b.message("back", "pong"));
/// b.class("P", 1).send("0", ping, "1").receive("1", pong, "0");
/// b.progress();
/// b.class("Q", 1).receive("0", ping, "1").send("1", pong, "0");
/// assert_livelock_free!(b.build()?);
/// # Ok::<(), freeboard::cfsm_core::system::Defect>(())
/// ```
#[macro_export]
macro_rules! assert_livelock_free {
    (path $path:expr $(, $($clause:tt)*)?) => {
        $crate::assertions::check($crate::assertions::read($path).and_then(|subject| {
            $crate::assertions::livelock_free(
                subject,
                $crate::assertions::expected!(livelock_free $(, $($clause)*)?),
            )
        }))
    };
    ($subject:expr $(, $($clause:tt)*)?) => {
        $crate::assertions::check($crate::assertions::livelock_free(
            $subject,
            $crate::assertions::expected!(livelock_free $(, $($clause)*)?),
        ))
    };
}

/// The clauses of an assertion: what stands before `;` is put together from those that were read.
#[doc(hidden)]
#[macro_export]
macro_rules! __expected {
    ($property:ident $(, $($clause:tt)*)?) => {
        $crate::assertions::expected!(
            $crate::assertions::Expectation::default(); $property $(, $($clause)*)?
        )
    };
    ($expected:expr; $property:ident $(,)?) => {
        $expected
    };
    ($expected:expr; bounded, at most $most:expr $(, $($clause:tt)*)?) => {
        $crate::assertions::expected!($expected.at_most($most); bounded $(, $($clause)*)?)
    };
    ($expected:expr; $property:ident, within $limit:expr $(, $($clause:tt)*)?) => {
        $crate::assertions::expected!($expected.within($limit); $property $(, $($clause)*)?)
    };
    ($expected:expr; $property:ident, findings allowed $(, $($clause:tt)*)?) => {
        $crate::assertions::expected!($expected.findings_allowed(); $property $(, $($clause)*)?)
    };
    ($expected:expr; $property:ident, $($clause:tt)*) => {
        ::core::compile_error!(
            "clauses are `at most N` (for `assert_bounded!`), `within DURATION` and `findings allowed`"
        )
    };
}
#[doc(hidden)]
pub use crate::__expected as expected;

/// Panics where the assertion stands, with what there is to print.
///
/// # Panics
/// If something is wrong.
#[doc(hidden)]
#[track_caller]
pub fn check(result: Result<(), String>) {
    if let Err(text) = result {
        panic!("{text}");
    }
}
