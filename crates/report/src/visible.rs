//! Escapes characters in names and texts of inputs before they are shown to people.
//!
//! The author of a model chooses its names, and a name can contain characters that control a
//! terminal, break a table or change the reading direction. Before anything is shown to people,
//! such characters are escaped: `\u{1b}`, `\n`. JSON keeps them; there they are escaped anyway.
//! Escaping is idempotent.

use std::borrow::Cow;
use std::io::{self, Write};

use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::ser::{CharEscape, Formatter, Serializer};

/// Escapes all such characters in a text, including line breaks and tabs. Time linear.
#[must_use]
pub fn text(text: &str) -> Cow<'_, str> {
    spelled(text, is_hidden)
}

/// The same for a text of several lines, whose line breaks are kept.
#[must_use]
pub fn lines(text: &str) -> Cow<'_, str> {
    spelled(text, |one| one != '\n' && is_hidden(one))
}

/// Escapes all texts of a view; returns the view itself if nothing has to be escaped, as almost
/// always.
///
/// Time and memory: those of the view as JSON.
///
/// # Panics
/// If the view cannot be read back from its own JSON; those of this crate can.
#[must_use]
pub fn view<V: Serialize + DeserializeOwned + Clone>(view: &V) -> Cow<'_, V> {
    let (mut json, mut found) = (Vec::new(), false);
    let speller = Speller { found: &mut found };
    view.serialize(&mut Serializer::with_formatter(&mut json, speller)).expect("all keys are strings");
    if !found {
        return Cow::Borrowed(view);
    }
    Cow::Owned(serde_json::from_slice(&json).expect("a view is read as it was written"))
}

/// A source text with `?` for each byte of hidden characters, so that all positions are unchanged.
/// Line breaks and tabs are kept.
pub(crate) fn source(text: &str) -> Cow<'_, str> {
    // Almost all texts contain only these characters, and the check on bytes takes less than half
    // the time.
    if text.bytes().all(|byte| matches!(byte, b'\n' | b'\t' | b' '..=b'~')) {
        return Cow::Borrowed(text);
    }
    let spared = |one| matches!(one, '\n' | '\r' | '\t');
    let lone_return = text.replace("\r\n", "").contains('\r');
    if !lone_return && !text.contains(|one| is_hidden(one) && !spared(one)) {
        return Cow::Borrowed(text);
    }
    let mut shown = String::with_capacity(text.len());
    let mut rest = text.chars().peekable();
    while let Some(one) = rest.next() {
        let breaks = one == '\r' && rest.peek() == Some(&'\n');
        if is_hidden(one) && !breaks && !matches!(one, '\n' | '\t') {
            shown.extend(std::iter::repeat_n('?', one.len_utf8()));
        } else {
            shown.push(one);
        }
    }
    Cow::Owned(shown)
}

/// Returns `true` for characters that control a terminal or break lines (control characters and
/// separators), and those that change the reading direction.
fn is_hidden(one: char) -> bool {
    one.is_control()
        || matches!(one, '\u{61c}' | '\u{200e}' | '\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2066}'..='\u{2069}')
}

fn spelled(text: &str, hidden: impl Fn(char) -> bool) -> Cow<'_, str> {
    if !text.contains(&hidden) {
        return Cow::Borrowed(text);
    }
    let mut out = String::with_capacity(text.len());
    for one in text.chars() {
        if hidden(one) { out.extend(one.escape_default()) } else { out.push(one) }
    }
    Cow::Owned(out)
}

/// Writes JSON in whose strings hidden characters are escaped.
struct Speller<'a> {
    /// Set to `true` if any character was escaped.
    found: &'a mut bool,
}

impl Formatter for Speller<'_> {
    fn write_string_fragment<W: ?Sized + Write>(&mut self, writer: &mut W, fragment: &str) -> io::Result<()> {
        match text(fragment) {
            Cow::Borrowed(plain) => writer.write_all(plain.as_bytes()),
            Cow::Owned(shown) => {
                *self.found = true;
                // A fragment has no backslashes except those of escapes.
                writer.write_all(shown.replace('\\', "\\\\").as_bytes())
            }
        }
    }

    fn write_char_escape<W: ?Sized + Write>(&mut self, writer: &mut W, escape: CharEscape) -> io::Result<()> {
        let hidden = match escape {
            CharEscape::Quote => return writer.write_all(b"\\\""),
            CharEscape::ReverseSolidus => return writer.write_all(b"\\\\"),
            CharEscape::Solidus => return writer.write_all(b"/"),
            CharEscape::Backspace => '\u{8}',
            CharEscape::FormFeed => '\u{c}',
            CharEscape::LineFeed => '\n',
            CharEscape::CarriageReturn => '\r',
            CharEscape::Tab => '\t',
            CharEscape::AsciiControl(byte) => char::from(byte),
        };
        *self.found = true;
        write!(writer, "\\{}", hidden.escape_default())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::view::Step;

    #[test]
    fn what_steers_a_terminal_is_spelled_out() {
        assert_eq!(text("grün → \"a\\n\""), "grün → \"a\\n\"");
        assert_eq!(text("\u{1b}[31mred\u{7}\n\t"), "\\u{1b}[31mred\\u{7}\\n\\t");
        assert_eq!(text("\u{9b}2J \u{202e}"), "\\u{9b}2J \\u{202e}");
        assert_eq!(lines("a\u{1b}\nb"), "a\\u{1b}\nb");
        assert_eq!(text(&text("\u{1b}")), text("\u{1b}"));
    }

    #[test]
    fn views_are_spelled_out_in_all_their_texts() {
        let of = |file: &str, text: &str, effect: &str| Step {
            file: file.into(),
            line: 7,
            text: text.into(),
            effect: vec![effect.into()],
        };
        let plain = of("a \"b\" \\n", "grün", "→");
        assert!(matches!(view(&plain), Cow::Borrowed(_)));
        let shown = view(&of("\u{1b}[2J \\ \"", "a\nb\r\u{8}\u{c}\t", "\\\u{9b}x\u{7f}\\")).into_owned();
        assert_eq!(shown, of("\\u{1b}[2J \\ \"", "a\\nb\\r\\u{8}\\u{c}\\t", "\\\\u{9b}x\\u{7f}\\"));
    }

    #[test]
    fn in_source_texts_places_stay() {
        let all = "a\u{1b}b\u{9b}c\u{202e}d\re\r\n\tf";
        assert_eq!(source(all), "a?b??c???d?e\r\n\tf");
        assert_eq!(source(all).len(), all.len());
        assert!(matches!(source("a\r\n\tb"), Cow::Borrowed(_)));
    }
}
