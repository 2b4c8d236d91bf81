//! Lines that fit a terminal: broken between words.

/// Lines of prose are broken before this column, on terminals that are wider, too.
const PROSE: usize = 100;

/// Sign of the lines of excerpts and charts, which are not broken.
const DRAWN: char = '│';

/// Columns that prose may take on a terminal of this width, or where there is none.
pub(super) fn prose(width: Option<usize>) -> usize {
    width.map_or(PROSE, |width| width.min(PROSE))
}

/// Number of columns that a text takes. ANSI renditions take none.
pub(super) fn columns(text: &str) -> usize {
    let mut columns = 0;
    let mut is_shown = true;
    for character in text.chars() {
        match character {
            '\u{1b}' => is_shown = false,
            'm' if !is_shown => is_shown = true,
            _ => columns += usize::from(is_shown),
        }
    }
    columns
}

/// Breaks the lines that take more columns than `width` between words. The later parts of a line of
/// a table stand below its last column; those of other lines are indented. Words that are longer
/// than the width stay whole, and so do excerpts of source texts. Time linear in the text.
///
/// ```
/// let text = "buffer  declared 25, proved ≤ 13\n";
/// assert_eq!(report::text::broken(text, 22), "buffer  declared 25,\n        proved ≤ 13\n");
/// assert_eq!(report::text::broken(text, 80), text);
/// ```
#[must_use]
pub fn broken(text: &str, width: usize) -> String {
    let mut out = String::with_capacity(text.len());
    for part in text.split_inclusive('\n') {
        let line = part.trim_end_matches('\n');
        if columns(line) <= width || line.contains(DRAWN) {
            out.push_str(part);
            continue;
        }
        out.push_str(&parts(line, width).join("\n"));
        out.push_str(&part[line.len()..]);
    }
    out
}

/// The parts of a line that is too long.
fn parts(line: &str, width: usize) -> Vec<String> {
    let (start, last) = line.rfind("  ").map_or(("", line), |blanks| line.split_at(blanks + 2));
    let is_table = !start.trim().is_empty() && columns(start) + longest_word(last) <= width;
    if is_table {
        return wrapped(start, last, columns(start), width);
    }
    let indent = line.len() - line.trim_start().len();
    let (start, rest) = line.split_at(indent);
    wrapped(start, rest, indent + 4, width)
}

/// The words of a text. A bound is one with its sign.
fn words(text: &str) -> Vec<String> {
    const GLUE: char = '\u{a0}';
    let glued = text.replace("≤ ", &format!("≤{GLUE}"));
    glued.split(' ').map(|word| word.replace(GLUE, " ")).collect()
}

/// Number of columns of the longest word of a text.
pub(super) fn longest_word(text: &str) -> usize {
    words(text).iter().map(|word| columns(word)).max().unwrap_or_default()
}

/// A text behind the start of its first line, broken between words; later lines are indented.
pub(super) fn wrapped(start: &str, text: &str, indent: usize, width: usize) -> Vec<String> {
    let mut lines = Vec::new();
    let mut current = start.to_owned();
    let (mut used, mut is_empty) = (columns(start), true);
    for word in words(text) {
        let taken = columns(&word);
        if !is_empty && used + 1 + taken > width {
            let full = std::mem::replace(&mut current, " ".repeat(indent));
            lines.push(full.trim_end().to_owned());
            (used, is_empty) = (indent, true);
        }
        if !is_empty {
            current.push(' ');
            used += 1;
        }
        current.push_str(&word);
        used += taken;
        is_empty = false;
    }
    lines.push(current);
    lines
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn renditions_take_no_column() {
        assert_eq!(columns("\u{1b}[1;32mBOUNDED\u{1b}[0m: all"), "BOUNDED: all".len());
    }

    #[test]
    fn prose_is_indented_and_excerpts_stay() {
        let text = "  one two three\n 1 │ one two three four\n";
        assert_eq!(broken(text, 9), "  one two\n      three\n 1 │ one two three four\n");
    }

    #[test]
    fn where_the_last_column_has_no_room_the_line_is_broken_as_prose() {
        let text = "a long name  unpronounceable\n";
        assert_eq!(broken(text, 20), "a long name\n    unpronounceable\n");
    }
}
