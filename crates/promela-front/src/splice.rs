//! Joins lines that end in a backslash with the next one: the first phase of the preprocessor of C,
//! so that it applies inside comments, strings and words too.

use std::borrow::Cow;

/// A text with its lines joined.
#[derive(Debug)]
pub(crate) struct Spliced<'t> {
    /// The joined text.
    pub(crate) text: Cow<'t, str>,
    /// Positions in the joined text where something was left out, each with the total number of
    /// bytes left out up to there. Ascending in both.
    joints: Vec<(usize, usize)>,
}

/// Joins lines. Blanks are allowed between the backslash and the line end, as in GCC. Linear time.
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

/// The length of a backslash, blanks and a line end at the beginning of the bytes.
fn continuation(text: &str) -> Option<usize> {
    let rest = text.strip_prefix('\\')?.trim_start_matches([' ', '\t', '\x0b', '\x0c', '\0']);
    let rest = rest.strip_prefix("\r\n").or_else(|| rest.strip_prefix(['\n', '\r']))?;
    Some(text.len() - rest.len())
}

impl Spliced<'_> {
    /// Number of joints.
    pub(crate) const fn joints(&self) -> usize {
        self.joints.len()
    }

    /// An iterator that maps ranges back to the original text; they must be given in ascending
    /// order.
    pub(crate) const fn places(&self) -> Places<'_> {
        Places { joints: self.joints.as_slice(), passed: 0, missing: 0 }
    }
}

/// Maps ranges of a joined text to the original one: see [`Spliced::places`].
pub(crate) struct Places<'t> {
    joints: &'t [(usize, usize)],
    /// Number of joints before the last range.
    passed: usize,
    /// Number of bytes left out there.
    missing: usize,
}

impl Places<'_> {
    /// The range of the original text for a range of the joined one, which must not begin before
    /// the end of the last one, and the number of joints before it. Time linear in the joints since
    /// then.
    pub(crate) fn original(&mut self, start: usize, end: usize) -> (usize, usize, usize) {
        // Bytes left out right before the range, or right after it, are not part of it.
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
