//! Source files and spans, which lead back to the text of the user.

use serde::{Deserialize, Serialize};

use crate::define_id;
use crate::ids::IdMap;

define_id!(
    /// A source file of a program.
    FileId, "file"
);

/// A stretch of a source file, in bytes: `start..end`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct Span {
    /// The file.
    pub file: FileId,
    /// Byte offset of the first byte.
    pub start: u32,
    /// Byte offset behind the last byte.
    pub end: u32,
}

impl Span {
    /// The least span that contains both; `self` if they are in different files.
    #[must_use]
    pub fn to(self, other: Self) -> Self {
        if self.file != other.file {
            return self;
        }
        Self { file: self.file, start: self.start.min(other.start), end: self.end.max(other.end) }
    }
}

/// A source text. One without a name does not belong to the user: it has fragments of text, but no
/// lines.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct SourceFile {
    /// The name under which the user gave it; empty if it does not belong to the user.
    pub name: String,
    /// The whole text.
    pub text: String,
}

/// The files of a program.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Sources {
    /// The files, in the order in which they were read.
    pub files: IdMap<FileId, SourceFile>,
}

impl Sources {
    /// Adds a file.
    pub fn add(&mut self, name: impl Into<String>, text: impl Into<String>) -> FileId {
        self.files.push(SourceFile { name: name.into(), text: text.into() })
    }

    /// The text of a span; empty if the span does not lie in the file on character boundaries.
    #[must_use]
    pub fn text(&self, span: Span) -> &str {
        self.files
            .get(span.file)
            .and_then(|file| file.text.get(span.start as usize..span.end as usize))
            .unwrap_or_default()
    }

    /// The line of a span's first byte, counted from 1; 0 if it is in no file, or in one without a
    /// name. Time linear in the file.
    #[must_use]
    pub fn line(&self, span: Span) -> u32 {
        let Some(file) = self.files.get(span.file).filter(|file| !file.name.is_empty()) else {
            return 0;
        };
        let before = file.text.as_bytes().iter().take(span.start as usize);
        1 + u32::try_from(before.filter(|&&byte| byte == b'\n').count()).unwrap_or(u32::MAX - 1)
    }

    /// File, line and text of a span, with white space folded to single blanks, for use without the
    /// sources. Time linear in the file.
    #[must_use]
    pub fn origin(&self, span: Span) -> Origin {
        self.origin_at(span, self.line(span))
    }

    /// Builds an index of lines, for many queries.
    #[must_use]
    pub fn lines(&self) -> Lines<'_> {
        let ends = |file: &SourceFile| {
            let bytes = file.text.bytes().zip(0_u32..);
            bytes.filter(|(byte, _)| *byte == b'\n').map(|(_, position)| position).collect()
        };
        Lines { sources: self, ends: self.files.values().map(ends).collect() }
    }

    fn origin_at(&self, span: Span, line: u32) -> Origin {
        Origin {
            file: self.files.get(span.file).map(|file| file.name.clone()).unwrap_or_default(),
            line,
            text: self.text(span).split_whitespace().collect::<Vec<_>>().join(" "),
        }
    }
}

/// An index of the lines of all files, with queries in logarithmic time.
#[derive(Clone, Debug)]
pub struct Lines<'s> {
    sources: &'s Sources,
    /// Offsets of the line ends of each file.
    ends: IdMap<FileId, Vec<u32>>,
}

impl Lines<'_> {
    /// As [`Sources::line`].
    #[must_use]
    pub fn line(&self, span: Span) -> u32 {
        let named = self.sources.files.get(span.file).is_some_and(|file| !file.name.is_empty());
        let Some(ends) = self.ends.get(span.file).filter(|_| named) else {
            return 0;
        };
        1 + u32::try_from(ends.partition_point(|&end| end < span.start)).unwrap_or(u32::MAX - 1)
    }

    /// As [`Sources::origin`].
    #[must_use]
    pub fn origin(&self, span: Span) -> Origin {
        self.sources.origin_at(span, self.line(span))
    }
}

/// The origin of an item in the user's text, in a form that needs no [`Sources`].
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct Origin {
    /// Name of the file.
    pub file: String,
    /// Line, counted from 1; 0 if it is in no file of the user.
    pub line: u32,
    /// The text, on one line.
    pub text: String,
}

/// Decodes the bytes of a file: UTF-8, or else Latin-1, in which every byte sequence is valid. Old
/// models have comments in the latter. A byte order mark is dropped.
///
/// ```
/// assert_eq!(cfsm_core::source::decode(b"\xef\xbb\xbfskip".into()), "skip");
/// assert_eq!(cfsm_core::source::decode(b"/* \xe4 */".into()), "/* \u{e4} */");
/// ```
#[must_use]
pub fn decode(bytes: Vec<u8>) -> String {
    let mut bytes = bytes;
    const MARK: &[u8] = "\u{feff}".as_bytes();
    if bytes.starts_with(MARK) {
        bytes.drain(..MARK.len());
    }
    String::from_utf8(bytes)
        .unwrap_or_else(|error| error.as_bytes().iter().map(|&byte| char::from(byte)).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn origin_gives_line_and_folded_text() {
        let mut sources = Sources::default();
        let file = sources.add("m.pml", "a\nb!\n   c;\n");
        let span = Span { file, start: 2, end: 9 };
        assert_eq!(sources.origin(span), Origin { file: "m.pml".into(), line: 2, text: "b! c".into() });
    }

    #[test]
    fn the_index_says_what_counting_says() {
        let mut sources = Sources::default();
        let file = sources.add("m.pml", "a\nb!\n\n   c;\n");
        let lines = sources.lines();
        for start in 0..14 {
            let span = Span { file, start, end: start };
            assert_eq!(lines.origin(span), sources.origin(span));
        }
        assert_eq!(lines.line(Span { file: crate::ids::Id::new(7), start: 0, end: 0 }), 0);
    }

    #[test]
    fn a_span_outside_the_text_is_empty() {
        let mut sources = Sources::default();
        let file = sources.add("m.pml", "é");
        assert_eq!(sources.text(Span { file, start: 0, end: 1 }), "");
        assert_eq!(sources.text(Span { file, start: 0, end: 9 }), "");
    }
}
