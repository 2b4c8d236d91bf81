//! Lines that end in a backslash, joined with the next one: the first thing that C's preprocessor does, so
//! that it happens inside comments, strings and words too.

use std::borrow::Cow;

/// A text without its joints.
#[derive(Debug)]
pub(crate) struct Spliced<'t> {
    /// The text.
    pub(crate) text: Cow<'t, str>,
    /// Where something was left out: a position in the new text, and how many bytes of the old text are
    /// missing up to there. Ascending in both.
    joints: Vec<(usize, usize)>,
}

/// Joins lines. Blanks may stand between the backslash and the end of the line, as GCC has it. Linear time.
pub(crate) fn splice(text: &str) -> Spliced<'_> {
    let (mut joined, mut joints) = (String::new(), Vec::new());
    let (mut copied, mut missing) = (0, 0);
    for (position, _) in text.match_indices('\\') {
        let Some(length) = continuation(&text[position..]) else { continue };
        joined.push_str(&text[copied..position]);
        copied = position + length;
        missing += length;
        joints.push((joined.len(), missing));
    }
    if joints.is_empty() {
        return Spliced { text: Cow::Borrowed(text), joints };
    }
    joined.push_str(&text[copied..]);
    Spliced { text: Cow::Owned(joined), joints }
}

/// The length of a backslash, blanks and the end of the line, if they stand at the beginning.
fn continuation(text: &str) -> Option<usize> {
    let rest = text.strip_prefix('\\')?.trim_start_matches([' ', '\t', '\x0b', '\x0c', '\0']);
    let rest = rest.strip_prefix('\r').filter(|rest| rest.starts_with('\n')).unwrap_or(rest);
    rest.strip_prefix('\n').map(|rest| text.len() - rest.len())
}

impl Spliced<'_> {
    /// The place in the old text of a part of the new one. Logarithmic time.
    pub(crate) fn original(&self, start: usize, end: usize) -> (usize, usize) {
        let missing = |count: usize| count.checked_sub(1).map_or(0, |last| self.joints[last].1);
        // What was left out right before it, or right behind it, is no part of it.
        let before_start = missing(self.joints.partition_point(|&(at, _)| at <= start));
        let before_end = missing(self.joints.partition_point(|&(at, _)| at < end));
        (start + before_start, end + before_end.max(before_start))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_that_end_in_a_backslash_are_joined() {
        assert_eq!(splice("a\\\nb\\ \t\r\nc\\d\\\n\\\ne").text, "abc\\de");
        assert_eq!(splice("a\\ b\n\\").text, "a\\ b\n\\");
        assert_eq!(splice("\\\r\\\n").text, "\\\r");
    }

    #[test]
    fn places_lead_back() {
        let spliced = splice("a\\\nbc\\\n\\\nd");
        assert_eq!(spliced.text, "abcd");
        assert_eq!(spliced.original(0, 1), (0, 1));
        assert_eq!(spliced.original(1, 3), (3, 5));
        assert_eq!(spliced.original(3, 4), (9, 10));
        assert_eq!(spliced.original(0, 4), (0, 10));
    }
}
