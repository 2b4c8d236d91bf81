//! The text of a document: positions of the protocol, in lines and UTF-16 units, and offsets in
//! bytes.

use std::ops::Range as Bytes;

use lsp_types::{Position, Range, TextDocumentContentChangeEvent};

/// A text with the offsets at which its lines begin.
#[derive(Clone, Debug, Default)]
pub struct Text {
    pub content: String,
    starts: Vec<usize>,
}

impl Text {
    /// Builds the index of lines, which end with `\n`, `\r\n` or `\r`. Time linear in the text.
    pub fn new(content: impl Into<String>) -> Self {
        let content = content.into();
        let bytes = content.as_bytes();
        let is_end = |at: usize| match bytes[at] {
            b'\n' => true,
            b'\r' => bytes.get(at + 1) != Some(&b'\n'),
            _ => false,
        };
        let behind = (0..bytes.len()).filter(|&at| is_end(at)).map(|at| at + 1);
        let starts = [0].into_iter().chain(behind).collect();
        Self { content, starts }
    }

    /// The bytes of a line, counted from 0, without its end; empty behind the last one.
    fn line(&self, line: usize) -> Bytes<usize> {
        let all = self.content.len();
        let start = self.starts.get(line).copied().unwrap_or(all);
        let end = self.starts.get(line + 1).copied().unwrap_or(all);
        let text = &self.content[start..end];
        start..start + text.trim_end_matches(['\r', '\n']).len()
    }

    /// The bytes of a line, counted from 1, without the blanks around it.
    pub fn line_without_blanks(&self, line: u32) -> Bytes<usize> {
        let whole = self.line((line as usize).saturating_sub(1));
        let text = &self.content[whole.clone()];
        let start = whole.start + (text.len() - text.trim_start().len());
        start..(start + text.trim().len())
    }

    /// The offset of a position. One that lies behind the end of its line is the end of it; one
    /// inside a character is the beginning of it.
    pub fn offset(&self, position: Position) -> usize {
        let line = self.line(position.line as usize);
        let mut units = 0;
        for (at, c) in self.content[line.clone()].char_indices() {
            units += c.len_utf16();
            if units > position.character as usize {
                return line.start + at;
            }
        }
        line.end
    }

    /// The position of an offset; the end of the text for one behind it.
    pub fn position(&self, offset: usize) -> Position {
        let most = offset.min(self.content.len());
        let offset = (0..=most).rev().find(|&at| self.content.is_char_boundary(at)).unwrap_or_default();
        let line = self.starts.partition_point(|&start| start <= offset).saturating_sub(1);
        let start = self.starts.get(line).copied().unwrap_or_default();
        let units = self.content[start..offset].encode_utf16().count();
        Position { line: number(line), character: number(units) }
    }

    /// The range of some bytes.
    pub fn range(&self, bytes: Bytes<usize>) -> Range {
        Range { start: self.position(bytes.start), end: self.position(bytes.end) }
    }

    /// The number of the line, counted from 1, at an offset.
    pub fn line_number(&self, offset: usize) -> u32 {
        self.position(offset).line + 1
    }

    /// The word at an offset, or just before it.
    pub fn word(&self, offset: usize) -> Option<Bytes<usize>> {
        let (before, behind) = self.content.split_at(offset);
        let before = before.chars().rev().take_while(|&c| is_of_word(c)).map(char::len_utf8).sum::<usize>();
        let behind = behind.chars().take_while(|&c| is_of_word(c)).map(char::len_utf8).sum::<usize>();
        (before + behind > 0).then(|| offset - before..offset + behind)
    }

    /// The text after a change.
    pub fn changed(&self, change: TextDocumentContentChangeEvent) -> Self {
        let Some(range) = change.range else { return Self::new(change.text) };
        let start = self.offset(range.start);
        let end = self.offset(range.end).max(start);
        Self::new(format!("{}{}{}", &self.content[..start], change.text, &self.content[end..]))
    }
}

/// Returns `true` for characters of names.
pub fn is_of_word(c: char) -> bool {
    c.is_alphanumeric() || c == '_'
}

fn number(number: usize) -> u32 {
    u32::try_from(number).unwrap_or(u32::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(line: u32, character: u32) -> Position {
        Position { line, character }
    }

    #[test]
    fn positions_count_units_of_utf_16() {
        let text = Text::new("ä𝄞b\r\n𝄞\rc\n");
        let known =
            [(at(0, 0), 0), (at(0, 1), 2), (at(0, 3), 6), (at(0, 4), 7), (at(1, 2), 13), (at(2, 1), 15)];
        for (position, offset) in known {
            assert_eq!((text.offset(position), text.position(offset)), (offset, position));
        }
    }

    #[test]
    fn positions_that_do_not_exist_are_the_next_before_them() {
        let text = Text::new("𝄞b\ncd");
        assert_eq!(text.offset(at(0, 1)), 0, "inside a character");
        assert_eq!(text.offset(at(0, 9)), 5, "behind the line");
        assert_eq!(text.offset(at(7, 0)), 8, "behind the text");
        assert_eq!(text.position(2), at(0, 0));
        assert_eq!(text.position(99), at(1, 2));
    }

    #[test]
    fn changes_replace_ranges() {
        let change = |range, text: &str| TextDocumentContentChangeEvent {
            range,
            range_length: None,
            text: text.into(),
        };
        let text = Text::new("a𝄞b\nc");
        let range = Range { start: at(0, 1), end: at(0, 3) };
        assert_eq!(text.changed(change(Some(range), "x\n")).content, "ax\nb\nc");
        assert_eq!(text.changed(change(None, "all")).content, "all");
    }

    #[test]
    fn a_word_is_there_at_both_its_ends() {
        let text = Text::new("to_S!x y");
        assert_eq!((text.word(0), text.word(4), text.word(5)), (Some(0..4), Some(0..4), Some(5..6)));
        assert_eq!(Text::new("! !").word(1), None);
    }
}
