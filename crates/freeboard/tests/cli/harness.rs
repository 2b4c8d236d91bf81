//! Running the command.

use std::io::{BufRead, BufReader, Write};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Output, Stdio};

/// What a run left behind.
#[derive(Debug)]
pub struct Run {
    pub status: i32,
    pub stdout: String,
    pub stderr: String,
}

impl Run {
    pub fn json(&self) -> serde_json::Value {
        serde_json::from_str(&self.stdout).unwrap_or_else(|error| panic!("{error}: {self:?}"))
    }

    /// The first line of standard output; empty if there is none.
    pub fn first_line(&self) -> &str {
        self.stdout.lines().next().unwrap_or_default()
    }

    /// Standard output without the line that tells the time.
    pub fn timeless(&self) -> String {
        let lines = self.stdout.lines().filter(|line| !line.starts_with("Time: "));
        lines.map(|line| format!("{line}\n")).collect()
    }
}

/// Makes of a certificate file one of an older version, without the digest of its system and the
/// list of what it trusts.
pub fn make_older(certificate: &str) {
    let text = std::fs::read_to_string(certificate).unwrap();
    let mut file: serde_json::Value = serde_json::from_str(&text).unwrap();
    let keys = file.as_object_mut().unwrap();
    assert!(keys.remove("system-sha256").is_some() && keys.remove("trust").is_some());
    std::fs::write(certificate, file.to_string()).unwrap();
}

/// Where the models are; runs take place there, so that they can name them shortly.
pub fn models() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples/models")
}

fn command(arguments: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_freeboard"));
    command.args(arguments).current_dir(models()).env_remove("NO_COLOR");
    command
}

/// The command with pipes to it and from it.
pub fn start(arguments: &[&str]) -> Child {
    let pipe = Stdio::piped;
    command(arguments).stdin(pipe()).stdout(pipe()).stderr(pipe()).spawn().unwrap()
}

fn finish(command: &mut Command) -> Run {
    left_behind(command.output().unwrap())
}

fn left_behind(output: Output) -> Run {
    Run {
        status: output.status.code().unwrap(),
        stdout: String::from_utf8(output.stdout).unwrap(),
        stderr: String::from_utf8(output.stderr).unwrap(),
    }
}

/// Runs the command with nothing on standard input.
pub fn freeboard(arguments: &[&str]) -> Run {
    finish(command(arguments).stdin(Stdio::null()))
}

/// The same in another directory.
pub fn freeboard_in(directory: &Path, arguments: &[&str]) -> Run {
    finish(command(arguments).current_dir(directory).stdin(Stdio::null()))
}

/// Runs the command with a text on standard input.
pub fn freeboard_reads(arguments: &[&str], input: &[u8]) -> Run {
    let mut child = start(arguments);
    // A command that has no use for its input may have ended by now.
    let _ = child.stdin.take().unwrap().write_all(input);
    left_behind(child.wait_with_output().unwrap())
}

/// Runs the command with a text on standard input, and interrupts it as soon as it can tell of it.
#[cfg(target_os = "linux")]
pub fn freeboard_interrupted(arguments: &[&str], input: &[u8]) -> Run {
    let mut child = start(arguments);
    child.stdin.take().unwrap().write_all(input).unwrap();
    let status = format!("/proc/{}/status", child.id());
    let is_caught = || {
        let text = std::fs::read_to_string(&status).unwrap();
        let mask = text.lines().find_map(|line| line.strip_prefix("SigCgt:")).unwrap().trim();
        let interrupt = 1 << (2 - 1);
        u64::from_str_radix(mask, 16).unwrap() & interrupt != 0
    };
    while !is_caught() {
        std::thread::sleep(std::time::Duration::from_millis(5));
    }
    let killed = Command::new("kill").args(["-INT", &child.id().to_string()]).status().unwrap();
    assert!(killed.success());
    left_behind(child.wait_with_output().unwrap())
}

/// Runs the command with `NO_COLOR`.
pub fn freeboard_without_colour(arguments: &[&str]) -> Run {
    finish(command(arguments).stdin(Stdio::null()).env("NO_COLOR", "1"))
}

/// Runs the command with a text on standard input, and reads the first lines of what it prints and
/// no more.
pub fn freeboard_begins(arguments: &[&str], input: &[u8], lines: usize) -> Run {
    let mut child = start(arguments);
    child.stdin.take().unwrap().write_all(input).unwrap();
    let begin = BufReader::new(child.stdout.take().unwrap()).lines().take(lines);
    let stdout = begin.map(|line| line.unwrap() + "\n").collect();
    Run { stdout, ..left_behind(child.wait_with_output().unwrap()) }
}

/// Runs the command with a standard output that nobody reads.
pub fn freeboard_unread(arguments: &[&str]) -> Run {
    let mut child = start(arguments);
    drop(child.stdout.take());
    let text = "chan c = [1] of { bit }; active proctype P() { c!1 }";
    child.stdin.take().unwrap().write_all(text.as_bytes()).unwrap();
    // What nobody reads is not there.
    left_behind(child.wait_with_output().unwrap())
}
