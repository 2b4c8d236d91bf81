//! Fragments of action code: text in another language inside a model.

use cfsm_core::source::Span;

/// Action code as the user wrote it, without the quotes around its lines.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Fragment {
    /// The code.
    pub text: String,
    /// The pieces of the model's text that the code was put together from, in order.
    pub(crate) pieces: Vec<Piece>,
}

/// A stretch of code that stands in one piece in the model's text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Piece {
    /// Offset of its first byte in the code.
    pub(crate) at: usize,
    /// The place of its first byte in the model's text; the end is that of the whole piece.
    pub(crate) place: Span,
}

impl Fragment {
    /// Adds a piece that stands in the model's text as it is.
    pub(crate) fn push(&mut self, text: &str, place: Span) {
        self.pieces.push(Piece { at: self.text.len(), place });
        self.text.push_str(text);
    }

    /// Adds the content of a quoted string, in which a backslash escapes.
    pub(crate) fn push_escaped(&mut self, text: &str, place: Span) {
        let mut rest = text.char_indices().peekable();
        let mut start = 0;
        let offset = |position: usize| place.start + u32::try_from(position).unwrap_or(0);
        while let Some((position, character)) = rest.next() {
            if character != '\\' {
                continue;
            }
            self.push(&text[start..position], Span { start: offset(start), ..place });
            let Some((at, escaped)) = rest.next() else { return };
            let meant = match escaped {
                'n' => '\n',
                't' => '\t',
                'r' => '\r',
                'b' => '\u{8}',
                'f' => '\u{c}',
                other => other,
            };
            self.push(meant.encode_utf8(&mut [0; 4]), Span { start: offset(at), ..place });
            start = at + escaped.len_utf8();
        }
        self.push(&text[start..], Span { start: offset(start), ..place });
    }

    /// True if there is no code but blanks.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.text.trim().is_empty()
    }

    /// The place of the whole code in the model's text; `None` if it has no text at all.
    #[must_use]
    pub fn span(&self) -> Option<Span> {
        let (first, last) = (self.pieces.first()?, self.pieces.last()?);
        Some(first.place.to(last.place))
    }

    /// The place of a stretch of the code, in bytes `start..end`, in the model's text. A stretch
    /// over several pieces has the place from its first byte to its last one.
    #[must_use]
    pub fn place(&self, start: usize, end: usize) -> Option<Span> {
        let first = self.position(start)?;
        let last = self.position(end.saturating_sub(1).max(start))?;
        let end = last.start.saturating_add(u32::from(end > start));
        Some(Span { end: end.max(first.start), ..first })
    }

    /// The place of one byte of the code.
    fn position(&self, offset: usize) -> Option<Span> {
        let index = self.pieces.partition_point(|piece| piece.at <= offset).checked_sub(1)?;
        let piece = self.pieces[index];
        let start = piece.place.start + u32::try_from(offset - piece.at).ok()?;
        Some(Span { start, ..piece.place })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use cfsm_core::ids::Id;

    #[test]
    fn code_leads_back_to_the_text() {
        let model = r#"{"a \"b\"" "c"}"#;
        let place = |start, end| Span { file: Id::new(0), start, end };
        let mut fragment = Fragment::default();
        fragment.push_escaped(r#"a \"b\""#, place(2, 9));
        fragment.push("\n", place(9, 9));
        fragment.push_escaped("c", place(12, 13));
        assert_eq!(fragment.text, "a \"b\"\nc");
        let found = |start, end| {
            let span: Span = fragment.place(start, end).unwrap();
            &model[span.start as usize..span.end as usize]
        };
        assert_eq!(found(0, 1), "a");
        assert_eq!(found(3, 4), "b");
        assert_eq!(found(6, 7), "c");
        assert_eq!(fragment.span(), Some(place(2, 13)));
    }
}
