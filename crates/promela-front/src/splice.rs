//! Lines that end in a backslash, joined with the next one: the first thing that C's preprocessor
//! does, so that it happens inside comments, strings and words too.

use std::borrow::Cow;

/// A text without its joints.
#[derive(Debug)]
pub(crate) struct Spliced<'t> {
    /// The text.
    pub(crate) text: Cow<'t, str>,
    /// Where something was left out: a position in the new text, and how many bytes of the old text
    /// are missing up to there. Ascending in both.
    joints: Vec<(usize, usize)>,
}

/// Joins lines. Blanks may stand between the backslash and the end of the line, as GCC has it.
/// Linear time.
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
    let rest = rest.strip_prefix("\r\n").or_else(|| rest.strip_prefix(['\n', '\r']))?;
    Some(text.len() - rest.len())
}

impl Spliced<'_> {
    /// How many joints there are.
    pub(crate) const fn joints(&self) -> usize {
        self.joints.len()
    }

    /// The way back to the old text, for parts that are asked for in ascending order.
    pub(crate) const fn places(&self) -> Places<'_> {
        Places { joints: self.joints.as_slice(), passed: 0, missing: 0 }
    }
}

/// See [`Spliced::places`].
pub(crate) struct Places<'t> {
    joints: &'t [(usize, usize)],
    /// How many joints lie before the last part.
    passed: usize,
    /// How many bytes were left out there.
    missing: usize,
}

impl Places<'_> {
    /// The place in the old text of a part of the new one, which begins nowhere before the end of
    /// the last one, and how many joints lie before it. Time linear in the joints since then.
    pub(crate) fn original(&mut self, start: usize, end: usize) -> (usize, usize, usize) {
        // What was left out right before it, or right behind it, is no part of it.
        self.pass(|at| at <= start);
        let (begin, before) = (start + self.missing, self.passed);
        self.pass(|at| at < end);
        (begin, end + self.missing, before)
    }

    fn pass(&mut self, passed: impl Fn(usize) -> bool) {
        while let Some(&(_, missing)) = self.joints.get(self.passed).filter(|&&(at, _)| passed(at)) {
            self.missing = missing;
            self.passed += 1;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_that_end_in_a_backslash_are_joined() {
        assert_eq!(splice("a\\\nb\\ \t\r\nc\\d\\\n\\\ne").text, "abc\\de");
        assert_eq!(splice("a\\ b\n\\").text, "a\\ b\n\\");
        assert_eq!(splice("a\\\rb\\\n").text, "ab");
    }

    #[test]
    fn places_lead_back() {
        let spliced = splice("a\\\nbc\\\n\\\nd");
        assert_eq!(spliced.text, "abcd");
        let mut places = spliced.places();
        assert_eq!(places.original(0, 1), (0, 1, 0));
        assert_eq!(places.original(1, 3), (3, 5, 1));
        assert_eq!(places.original(3, 4), (9, 10, 3));
        assert_eq!(spliced.places().original(0, 4), (0, 10, 0));
    }
}
