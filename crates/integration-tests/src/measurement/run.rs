//! Models, one after the other, each in a process of its own.

use std::io;
use std::path::Path;
use std::time::Duration;

use super::figures::{Cost, Finding, Size};
use crate::comparison::corpus::Model;
use crate::program::limited;

/// How long a process may take.
pub const LIMIT: Duration = Duration::from_secs(20);
/// How long the abstraction of a model should take at most.
pub const TIME: Duration = Duration::from_secs(2);
/// How much memory a model should take until it is abstracted, in megabytes of a million bytes.
pub const MEGABYTES: u64 = 500;

/// How a process ended.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum End {
    /// It came to its end.
    Done,
    /// It was stopped.
    Late,
    /// It crashed, and said this.
    Crashed(String),
}

/// A model, and what was found out of it.
#[derive(Clone, Debug)]
pub struct Measured {
    /// The model's name.
    pub name: String,
    /// What its process found, in this order.
    pub findings: Vec<Finding>,
    /// How its process ended.
    pub end: End,
}

impl Measured {
    /// Why the front end does not accept it.
    #[must_use]
    pub fn rejected(&self) -> Option<&str> {
        self.findings.iter().find_map(|finding| match finding {
            Finding::Rejected(text) => Some(text.as_str()),
            _ => None,
        })
    }

    /// Its abstract system, and what that took.
    #[must_use]
    pub fn system(&self) -> Option<(Size, Cost)> {
        self.findings.iter().find_map(|finding| match finding {
            Finding::System(size, cost) => Some((*size, *cost)),
            _ => None,
        })
    }

    /// Its verdict: why it is unknown, if it is not proved; and what that took.
    #[must_use]
    pub fn verdict(&self) -> Option<(Option<&str>, Cost)> {
        self.findings.iter().find_map(|finding| match finding {
            Finding::Verdict(reason, cost) => Some((reason.as_deref(), *cost)),
            _ => None,
        })
    }

    /// The names of buffers that can grow.
    pub fn growing(&self) -> impl Iterator<Item = &str> {
        self.findings.iter().filter_map(|finding| match finding {
            Finding::Grows(name) => Some(name.as_str()),
            _ => None,
        })
    }

    /// Where limits made it coarser.
    pub fn coarse(&self) -> impl Iterator<Item = &str> {
        self.findings.iter().filter_map(|finding| match finding {
            Finding::Coarse(text) => Some(text.as_str()),
            _ => None,
        })
    }

    /// What is wrong, if it does not get through the abstraction within [`TIME`] and [`MEGABYTES`].
    /// Memory that nobody could measure counts as little.
    #[must_use]
    pub fn trouble(&self) -> Option<String> {
        if let Some((_, cost)) = self.system() {
            let megabytes = cost.kilobytes.unwrap_or_default() * 1024 / 1_000_000;
            let slow = cost.time > TIME;
            let large = megabytes > MEGABYTES;
            let mut found = Vec::new();
            found.extend(slow.then(|| format!("takes {:.1} s", cost.time.as_secs_f64())));
            found.extend(large.then(|| format!("takes {megabytes} MB")));
            return (!found.is_empty()).then(|| found.join(" and "));
        }
        let failed = self.findings.iter().find_map(|finding| match finding {
            Finding::Failed(text) => Some(text.clone()),
            _ => None,
        });
        failed.or_else(|| match &self.end {
            End::Done if self.rejected().is_some() => None,
            End::Done => Some(String::from("ends without an answer")),
            End::Late => Some(format!("is not abstracted within {} s", LIMIT.as_secs())),
            End::Crashed(text) => Some(format!("crashes: {text}")),
        })
    }
}

/// Measures one model: runs a program with the model's file and its macros, as `-DNAME=BODY`,
/// behind some first arguments. It prints findings as lines.
///
/// # Errors
/// If the program cannot be started, or there is no room for its files.
pub fn measure(program: &Path, first: &[&str], model: &Model) -> io::Result<Measured> {
    let directory = tempfile::tempdir()?;
    let mut arguments: Vec<String> = first.iter().map(|argument| (*argument).to_owned()).collect();
    arguments.push(model.file.to_string_lossy().into_owned());
    arguments.extend(model.defines.iter().map(|(name, body)| match body {
        Some(body) => format!("-D{name}={body}"),
        None => format!("-D{name}"),
    }));
    let ended = limited(directory.path(), program, &arguments, LIMIT)?;
    let findings = ended.output.lines().filter_map(Finding::read).collect();
    let end = match ended.status {
        None => End::Late,
        Some(status) if status.success() => End::Done,
        // What a panic says stands behind the line that tells where it was.
        Some(status) => {
            End::Crashed(match ended.errors.lines().rev().find(|line| !line.starts_with("note:")) {
                Some(line) => line.to_owned(),
                None => status.to_string(),
            })
        }
    };
    Ok(Measured { name: model.name.clone(), findings, end })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn measured(findings: Vec<Finding>, end: End) -> Measured {
        Measured { name: "m.pml".into(), findings, end }
    }

    #[test]
    fn trouble_is_told() {
        let cost = |milliseconds, kilobytes| Cost {
            time: Duration::from_millis(milliseconds),
            kilobytes: Some(kilobytes),
        };
        let system = |milliseconds, kilobytes| {
            let system = Finding::System(Size::default(), cost(milliseconds, kilobytes));
            measured(vec![system], End::Late).trouble()
        };
        // That the verdict comes late is nothing that the abstraction can help.
        assert_eq!(system(1_900, 400_000), None);
        assert_eq!(system(2_100, 400_000).as_deref(), Some("takes 2.1 s"));
        assert_eq!(system(2_100, 500_000).as_deref(), Some("takes 2.1 s and takes 512 MB"));
        let trouble = |findings, end| measured(findings, end).trouble().unwrap_or_default();
        assert_eq!(trouble(vec![Finding::Failed("too large".into())], End::Done), "too large");
        assert_eq!(trouble(vec![], End::Late), "is not abstracted within 20 s");
        assert_eq!(trouble(vec![], End::Crashed("killed".into())), "crashes: killed");
        assert_eq!(trouble(vec![], End::Done), "ends without an answer");
        assert_eq!(measured(vec![Finding::Rejected("no".into())], End::Done).trouble(), None);
    }

    #[test]
    fn a_program_that_fails_is_a_crash() {
        let model = Model::alone(Path::new("/dev/null"));
        let crashed = measure(Path::new("sh"), &["-c", "echo 'grows\tc'; echo out >&2; exit 3"], &model);
        let crashed = crashed.expect("there is a shell");
        assert_eq!(crashed.end, End::Crashed("out".into()));
        assert_eq!(crashed.growing().collect::<Vec<_>>(), ["c"]);
        let fine = measure(Path::new("sh"), &["-c", "true"], &model).expect("there is a shell");
        assert_eq!(fine.end, End::Done);
    }
}
