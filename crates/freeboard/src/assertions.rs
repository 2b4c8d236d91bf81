//! Assertions for tests: systems, programs and files that must be bounded, or free of livelocks.
//!
//! [`assert_bounded!`](crate::assert_bounded) and
//! [`assert_livelock_free!`](crate::assert_livelock_free) are what tests use; behind each of them
//! is a function here that returns what to print instead of panicking.

use std::fmt::Write as _;
use std::path::Path;
#[cfg(feature = "programs")]
use std::time::Instant;

use cfsm_core::diagnostic::Diagnostic;
use cfsm_core::formats::Format;
#[cfg(feature = "programs")]
use cfsm_core::program::Program;
use cfsm_core::source::Sources;
use cfsm_core::system::System;
use report::diagnostics;
use report::text::{self, Style};
use report::view::{BufferVerdict, Check, Verdict};

use crate::{Failure, Options, check_livelock_of_system, check_system};
#[cfg(feature = "programs")]
use crate::{Model, abstract_model, check_livelock, check_model};

/// What an assertion is about.
#[derive(Clone, Debug)]
#[non_exhaustive]
#[expect(clippy::large_enum_variant, reason = "there is one for each assertion, on the stack of a test")]
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

/// That every buffer is proved bounded, by at most `most` if that is given.
///
/// # Errors
/// What a test should print: the verdict, the buffers, and the counterexample or the run.
pub fn bounded(subject: Subject, most: Option<u64>) -> Result<(), String> {
    let options = Options::default();
    let (name, view) = match subject {
        Subject::System(system) => {
            let name = system.name.clone();
            let analysis = check_system(system, &options).map_err(|failure| told(&failure))?;
            (name.clone(), analysis.view(&name))
        }
        #[cfg(feature = "programs")]
        Subject::Program(program) => {
            let (name, model) = model(*program, &options)?;
            let analysis = check_model(model, &options, Instant::now());
            (name.clone(), analysis.view(&name))
        }
    };
    judged(&format!("every buffer of `{name}` is bounded"), &view)?;
    let Some(most) = most else { return Ok(()) };
    let buffers = view.property_results.iter().flat_map(|result| &result.buffers);
    let over = buffers.filter(|buffer| {
        let bound = buffer.bound.as_ref().map(ToString::to_string);
        let within = bound.and_then(|bound| bound.parse::<u64>().ok()).is_some_and(|bound| bound <= most);
        buffer.verdict == BufferVerdict::Bounded && !within
    });
    let over: Vec<&str> = over.map(|buffer| buffer.name.as_str()).collect();
    if over.is_empty() {
        return Ok(());
    }
    let what = format!("every buffer of `{name}` is bounded by {most}: {} may hold more", over.join(", "));
    Err(shown(&what, &view))
}

/// That every infinite run makes progress for ever.
///
/// # Errors
/// What a test should print: the verdict, and the counterexample or the run.
pub fn livelock_free(subject: Subject) -> Result<(), String> {
    let options = Options::default();
    let (name, view) = match subject {
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
    judged(&format!("`{name}` is free of livelocks"), &view)
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
/// use freeboard::assert_bounded;
/// use freeboard::cfsm_core::system::SystemBuilder;
///
/// let mut b = SystemBuilder::new("relay");
/// let (ping, pong) = (b.message("there", "ping"), b.message("back", "pong"));
/// b.class("P", 1).send("0", ping, "1").receive("1", pong, "0");
/// b.class("Q", 1).receive("0", ping, "1").send("1", pong, "0");
/// let system = b.build()?;
/// assert_bounded!(&system);
/// assert_bounded!(&system, at most 1);
/// # Ok::<(), freeboard::cfsm_core::system::Defect>(())
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
    (path $path:expr $(, at most $most:expr)? $(,)?) => {
        $crate::assertions::check($crate::assertions::read($path).and_then(|subject| {
            $crate::assertions::bounded(subject, $crate::assertions::most!($($most)?))
        }))
    };
    ($subject:expr $(, at most $most:expr)? $(,)?) => {
        $crate::assertions::check($crate::assertions::bounded(
            ::core::convert::Into::into($subject),
            $crate::assertions::most!($($most)?),
        ))
    };
}

/// Asserts that every infinite run of a system or a program makes progress for ever; prints the
/// counterexample or the run otherwise. Takes what [`assert_bounded!`](crate::assert_bounded)
/// takes.
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
    (path $path:expr $(,)?) => {
        $crate::assertions::check($crate::assertions::read($path).and_then($crate::assertions::livelock_free))
    };
    ($subject:expr $(,)?) => {
        $crate::assertions::check($crate::assertions::livelock_free(::core::convert::Into::into($subject)))
    };
}

/// The bound of an assertion, if there is one.
#[doc(hidden)]
#[macro_export]
macro_rules! __most {
    () => {
        ::core::option::Option::None
    };
    ($most:expr) => {
        ::core::option::Option::Some($most)
    };
}
#[doc(hidden)]
pub use crate::__most as most;

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
