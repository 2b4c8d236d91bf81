//! The command line: one module per subcommand, and what they share.
//!
//! Data goes to standard output, diagnostics and notes to standard error. Scripts rest on names,
//! exit statuses and JSON keys: they only grow.

mod answer;
mod arguments;
mod check;
mod close;
mod compose;
mod contract;
mod cycles;
mod defaults;
mod draw;
mod engines;
mod error;
mod explain;
mod explore;
mod export;
mod input;
mod interrupt;
mod loops;
mod lsp;
mod output;
mod parse;
mod progress;
mod question;
mod replay;
mod report;
mod shell;
mod simulate;
mod status;
mod verify;

use std::ffi::OsString;

use clap::error::{ContextKind, ContextValue, ErrorKind};
use clap::{CommandFactory, Parser, Subcommand};

pub use status::Status;

/// Proves that the message buffers of asynchronous systems cannot overflow, and hands over a
/// certificate.
#[derive(Debug, Parser)]
#[command(name = "freeboard", version, arg_required_else_help = true, after_help = status::HELP)]
#[command(term_width = output::style().width.unwrap_or(0))]
struct Arguments {
    /// Print no result for people, no note and no warning: the exit status tells
    #[arg(short, long, global = true)]
    quiet: bool,
    /// Take no defaults from a file `freeboard.toml`
    #[arg(long = defaults::WITHOUT, global = true)]
    no_defaults: bool,
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, Subcommand)]
enum Command {
    /// Prove that no buffer can overflow: verdict, bounds, evidence
    #[command(after_help = status::HELP)]
    Check(check::Arguments),
    /// Write a report: verdict, diagrams, runs to step through, and the proof in words (HTML)
    #[command(after_help = status::HELP)]
    Report(report::Arguments),
    /// Draw the network of a model, or one of its processes
    Draw(draw::Arguments),
    /// Check a certificate, trusting nothing that found it
    #[command(after_help = status::HELP)]
    Verify(verify::Arguments),
    /// Count or list the elementary cycles of each process
    Cycles(cycles::Arguments),
    /// List the loops of a model: which end, and after how many rounds
    #[command(after_help = status::HELP)]
    Loops(loops::Arguments),
    /// Make a random run of a model, step by step
    Simulate(simulate::Arguments),
    /// Look at all states of a model: the most that buffers hold, deadlocks, errors
    Explore(explore::Arguments),
    /// Execute a witness step by step, checking every step
    #[command(after_help = status::HELP)]
    Replay(replay::Arguments),
    /// Read a model and say what is wrong with it
    Parse(parse::Arguments),
    /// Write an open model with the most general environment as one more process
    Close(close::Arguments),
    /// List what is proved about an open model in every environment, and write it for `compose`
    Contract(contract::Arguments),
    /// Prove a system of components from their contracts alone
    #[command(after_help = status::HELP)]
    Compose(compose::Arguments),
    /// List the engines of `check`, for --engines and --without
    Engines(engines::Arguments),
    /// Write a model or a run for another tool: Petri nets, linear programmes, traces, claims
    Export(export::Arguments),
    /// Explain a diagnostic: what it means, an example, what to do
    Explain(explain::Arguments),
    /// Serve editors: diagnostics while typing, bounds at channels (Language Server Protocol)
    Lsp(lsp::Arguments),
    /// Print what makes a shell complete subcommands and options
    Completions(shell::CompletionArguments),
    /// Print a page of the manual
    Man(shell::ManualArguments),
}

impl Command {
    /// A word for people who wait; `None` where nobody does.
    const fn doing(&self) -> Option<&'static str> {
        match self {
            Self::Check(_) | Self::Report(_) | Self::Parse(_) | Self::Draw(_) | Self::Close(_) => {
                Some("reading")
            }
            Self::Verify(_) => Some("checking the certificate"),
            Self::Cycles(_) => Some("counting cycles"),
            Self::Loops(_) => Some("deciding about the loops"),
            Self::Simulate(_) | Self::Replay(_) => Some("executing"),
            Self::Explore(_) => Some("looking at all states"),
            Self::Contract(_) => Some("looking for a contract"),
            Self::Compose(_) => Some("composing contracts"),
            Self::Export(_) => Some("exporting"),
            Self::Engines(_) | Self::Explain(_) | Self::Lsp(_) | Self::Completions(_) | Self::Man(_) => None,
        }
    }
}

/// Does what the command line says.
pub fn run() -> Status {
    let mut words: Vec<OsString> = std::env::args_os().collect();
    // As other compilers have it: `--explain CODE`.
    if let Some(word) = words.get_mut(1).filter(|word| *word == "--explain") {
        *word = "explain".into();
    }
    // Before the words are understood, what is said about their defaults must not be too much.
    if words.iter().any(|word| word == "-q" || word == "--quiet") {
        output::be_quiet();
    }
    let words = match defaults::added(words, &Arguments::command()) {
        Ok(words) => words,
        Err(error) => {
            output::message(&error.told());
            return error.status();
        }
    };
    let arguments = match Arguments::try_parse_from(words) {
        Ok(arguments) => arguments,
        Err(error) => {
            let error = with_tip(error);
            // Where nobody reads, there is nobody to tell that nobody reads.
            let _ = error.print();
            let asked_for = matches!(error.kind(), ErrorKind::DisplayHelp | ErrorKind::DisplayVersion);
            return if asked_for { Status::Success } else { Status::Usage };
        }
    };
    if arguments.quiet {
        output::be_quiet();
    }
    if let Some(doing) = arguments.command.doing() {
        progress::start(doing);
    }
    let result = match arguments.command {
        Command::Check(arguments) => check::run(&arguments),
        Command::Report(arguments) => report::run(&arguments),
        Command::Draw(arguments) => draw::run(&arguments),
        Command::Verify(arguments) => verify::run(&arguments),
        Command::Cycles(arguments) => cycles::run(&arguments),
        Command::Loops(arguments) => loops::run(&arguments),
        Command::Simulate(arguments) => simulate::run(&arguments),
        Command::Explore(arguments) => explore::run(&arguments),
        Command::Replay(arguments) => replay::run(&arguments),
        Command::Parse(arguments) => parse::run(&arguments),
        Command::Close(arguments) => close::run(&arguments),
        Command::Contract(arguments) => contract::run(&arguments),
        Command::Compose(arguments) => compose::run(&arguments),
        Command::Engines(arguments) => engines::run(&arguments),
        Command::Export(arguments) => export::run(&arguments),
        Command::Explain(arguments) => explain::run(&arguments),
        Command::Lsp(arguments) => lsp::run(&arguments),
        Command::Completions(arguments) => shell::completions(&arguments, Arguments::command()),
        Command::Man(arguments) => shell::manual(&arguments, Arguments::command()),
    };
    progress::end();
    result.unwrap_or_else(|error| {
        output::message(&error.told());
        error.status()
    })
}

/// With the tip that helps where somebody asks for JSON as other programs have it.
fn with_tip(mut error: clap::Error) -> clap::Error {
    let flag = ContextValue::String("--json".into());
    if error.kind() == ErrorKind::UnknownArgument && error.get(ContextKind::InvalidArg) == Some(&flag) {
        error.remove(ContextKind::SuggestedArg);
        let tip = ContextValue::StyledStrs(vec!["JSON is printed with '--format json'".into()]);
        error.insert(ContextKind::Suggested, tip);
    }
    error
}
