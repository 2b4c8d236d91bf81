//! Figures of lines.

use super::{COMMENT_WIDTH, SourceFile};

/// The text of a file up to its first test module. In this project these stand at the end.
pub(super) fn without_tests(text: &str) -> String {
    let mut kept = Vec::new();
    let mut lines = text.lines().peekable();
    while let Some(line) = lines.next() {
        if line == "#[cfg(test)]" && lines.peek().is_some_and(|next| next.starts_with("mod ")) {
            if lines.next().is_some_and(|next| next.ends_with('{')) {
                break;
            }
        } else {
            kept.push(line);
        }
    }
    kept.join("\n") + "\n"
}

/// Lines with code on them: not empty, and not only a comment.
#[must_use]
pub fn code_lines(file: &SourceFile) -> usize {
    let is_code = |line: &&str| !line.trim().is_empty() && !line.trim().starts_with("//");
    file.text.lines().filter(is_code).count()
}

/// The numbers, from 1, of lines with a comment alone that pass [`COMMENT_WIDTH`] columns. Code in
/// a doc comment, and addresses, cannot be wrapped and do not count.
#[must_use]
pub fn wide_comments(file: &SourceFile) -> Vec<usize> {
    let mut wide = Vec::new();
    let mut in_code = false;
    for (number, line) in (1..).zip(file.text.lines()) {
        let Some(comment) = line.trim().strip_prefix("//") else {
            in_code = false;
            continue;
        };
        let comment = comment.trim_start_matches(['/', '!']).trim();
        if comment.starts_with("```") {
            in_code = !in_code;
        }
        let is_table = comment.starts_with('|');
        if line.chars().count() > COMMENT_WIDTH && !in_code && !is_table && comment.contains(' ') {
            wide.push(number);
        }
    }
    wide
}
