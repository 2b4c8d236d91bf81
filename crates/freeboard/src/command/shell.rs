//! `freeboard completions` and `freeboard man`.

use clap::{Args, Command};
use clap_complete::Shell;

use super::error::Error;
use super::{Status, output};

#[derive(Debug, Args)]
pub struct CompletionArguments {
    /// The shell
    shell: Shell,
}

#[derive(Debug, Args)]
pub struct ManualArguments {
    /// The subcommand; without it, the page about all of them
    command: Option<String>,
}

/// Prints what makes a shell complete the words of `command`.
pub fn completions(arguments: &CompletionArguments, mut command: Command) -> Result<Status, Error> {
    let mut text = Vec::new();
    clap_complete::generate(arguments.shell, &mut command, "freeboard", &mut text);
    output::data(&String::from_utf8_lossy(&text))?;
    Ok(Status::Success)
}

/// Prints a manual page, as `man -l` reads it.
pub fn manual(arguments: &ManualArguments, mut command: Command) -> Result<Status, Error> {
    command.build();
    let page = match &arguments.command {
        None => &command,
        Some(name) => match command.find_subcommand(name) {
            Some(subcommand) => subcommand,
            None => return Err(Error::Usage("there is no such subcommand: `freeboard help` lists them")),
        },
    };
    let mut text = Vec::new();
    let written = clap_mangen::Man::new(page.clone()).render(&mut text);
    written.map_err(|error| Error::Write { name: "the page".into(), error })?;
    output::data(&String::from_utf8_lossy(&text))?;
    Ok(Status::Success)
}
