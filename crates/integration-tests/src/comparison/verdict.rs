//! What Spin says of a text, and of what kind its complaint is.

use std::io;
use std::path::Path;
use std::time::Duration;

use tempfile::TempDir;

use super::corpus::Model;
use crate::program::limited;

/// How long Spin, a C compiler or a verifier may take.
pub(super) const LIMIT: Duration = Duration::from_secs(60);

/// Why Spin does not take a text.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Class {
    /// The text is wrong: syntax, names, types, control flow.
    Language,
    /// `cpp` fails: a file that is not there, a directive that is wrong.
    Preprocessor,
    /// Spin has a limit of its own that the text exceeds.
    Limit,
    /// Spin comes to an end by a signal, or not in time.
    Crash,
}

impl Class {
    /// In words.
    #[must_use]
    pub const fn words(self) -> &'static str {
        match self {
            Self::Language => "the text is wrong",
            Self::Preprocessor => "the preprocessor fails",
            Self::Limit => "a limit of Spin",
            Self::Crash => "Spin crashes",
        }
    }
}

/// Spin's answer to `spin -a`.
#[derive(Clone, Debug)]
pub struct Verdict {
    /// `None` if it accepts.
    pub rejected: Option<Class>,
    /// Whether it accepts, with exit status 0 and a verifier, and prints an error nevertheless.
    pub grumbles: bool,
    /// The first line of what it printed that says what is wrong.
    pub complaint: String,
}

/// Runs `spin -a` in a directory of its own, where the verifier then is. Spin is given the whole
/// path, so that `cpp` finds what is beside the file.
///
/// # Errors
/// If Spin cannot be started, or there is no room for its files.
pub fn ask_spin(model: &Model) -> io::Result<(Verdict, TempDir)> {
    // Without merging of statements: what is merged is not in the graph.
    ask_spin_with(model, &["-o3"])
}

/// The same, with options that say what Spin leaves out of its optimisations.
pub(super) fn ask_spin_with(model: &Model, options: &[&str]) -> io::Result<(Verdict, TempDir)> {
    let directory = tempfile::tempdir()?;
    let mut arguments = vec![String::from("-a")];
    arguments.extend(options.iter().copied().map(String::from));
    arguments.extend(model.defines.iter().map(|(name, body)| match body {
        Some(body) => format!("-D{name}={body}"),
        None => format!("-D{name}"),
    }));
    arguments.push(model.file.to_string_lossy().into_owned());
    let ended = limited(directory.path(), Path::new("spin"), &arguments, LIMIT)?;
    let verifier = directory.path().join("pan.c").is_file();
    let place = model.file.parent().map(|parent| format!("{}/", parent.display())).unwrap_or_default();
    let text = ended.text().replace(&place, "");
    let rejected = match ended.status {
        Some(status) if status.success() && verifier => None,
        status => Some(class(status.is_none_or(|status| status.code().is_none()), &text)),
    };
    let complaint = complaint(&text).unwrap_or_default().to_owned();
    let grumbles = rejected.is_none() && !complaint.is_empty();
    Ok((Verdict { rejected, grumbles, complaint }, directory))
}

/// The class of a rejection. What is none of the special ones is about the language: Spin says so
/// in hundreds of ways.
fn class(broken: bool, text: &str) -> Class {
    const PREPROCESSOR: &[&str] = &["preprocessing failed", "No such file or directory"];
    const LIMITS: &[&str] = &[
        "out of memory",
        "inlining too deep",
        "inline text too long",
        "macro expansion too long",
        "buffer overflow",
        "too many inline",
        "string too long",
        "name too long",
        "cannot happen",
        "yacc stack overflow",
        "memory exhausted",
        "literal too long",
        "#define too long",
    ];
    let says = |words: &[&str]| words.iter().any(|words| text.contains(words));
    if says(PREPROCESSOR) {
        Class::Preprocessor
    } else if broken {
        Class::Crash
    } else if says(LIMITS) {
        Class::Limit
    } else {
        Class::Language
    }
}

/// The line that says what is wrong: of `cpp`, if it fails, else the first one with an error in it.
fn complaint(text: &str) -> Option<&str> {
    let is_error = |line: &&str| {
        let small = line.to_ascii_lowercase();
        small.contains("error:") || small.contains("error,") || small.contains("preprocessing failed")
    };
    // `cpp` says more than Spin does when it has failed.
    let fatal = text.lines().find(|line| line.contains("fatal error:"));
    fatal.or_else(|| text.lines().find(is_error)).map(str::trim)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn complaints_have_classes() {
        let failed =
            "x.pml:1:10: fatal error: y.h: No such file or directory\nspin: preprocessing failed gcc";
        assert_eq!(class(false, failed), Class::Preprocessor);
        assert_eq!(class(false, "spin: x.pml:1, Error: syntax error\tsaw '='"), Class::Language);
        assert_eq!(class(true, ""), Class::Crash);
        assert_eq!(complaint("ltl f: []\nspin: x.pml:2, Error: a\n"), Some("spin: x.pml:2, Error: a"));
        assert_eq!(complaint("spin: Warning, b\n"), None);
    }
}
