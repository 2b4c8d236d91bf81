//! Words that begin loops and branches in other languages, for hints.

/// The loop or branch of Promela that corresponds to such a word.
pub(crate) fn instead_of(word: &str) -> Option<&'static str> {
    match word {
        "while" | "until" | "repeat" | "loop" | "forever" => Some(LOOP),
        "switch" | "case" | "match" | "elif" | "elseif" | "elsif" | "then" => Some(BRANCH),
        _ => None,
    }
}

/// A loop with a condition, as a hint.
pub(crate) const LOOP: &str = "a loop is `do :: condition -> ... :: else -> break od`";

/// A branch, as a hint.
pub(crate) const BRANCH: &str = "a branch is `if :: condition -> ... :: else -> ... fi`";
