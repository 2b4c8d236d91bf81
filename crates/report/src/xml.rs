//! Elements of XML texts, with everything escaped that comes from a model.

use xmlwriter::{Indent, Options, XmlWriter};

use crate::visible;

/// A document with one declaration and the elements that a function writes.
pub(crate) fn document(write: impl FnOnce(&mut XmlWriter)) -> String {
    let mut writer = XmlWriter::new(Options { indent: Indent::Spaces(2), ..Options::default() });
    writer.write_declaration();
    write(&mut writer);
    writer.end_document()
}

/// Writes an attribute of the element that was started last.
pub(crate) fn attribute(writer: &mut XmlWriter, name: &str, value: &str) {
    writer.write_attribute(name, &escaped(&visible::text(value)));
}

/// Writes an element with nothing but a text in it.
pub(crate) fn text_element(writer: &mut XmlWriter, name: &str, text: &str) {
    writer.start_element(name);
    end_with(writer, text);
}

/// Ends the element that was started last, with nothing but a text in it.
pub(crate) fn end_with(writer: &mut XmlWriter, text: &str) {
    // Without line breaks and indentation beside the text.
    writer.set_preserve_whitespaces(true);
    writer.write_text(&escaped(&visible::lines(text)));
    writer.end_element();
    writer.set_preserve_whitespaces(false);
}

/// A text without the characters that mean something in XML (the writer itself escapes quotes, and
/// `<` in texts) or that may not stand in it.
fn escaped(text: &str) -> String {
    let mut escaped = String::with_capacity(text.len());
    for one in text.chars() {
        match one {
            '&' => escaped.push_str("&amp;"),
            '<' => escaped.push_str("&lt;"),
            '>' => escaped.push_str("&gt;"),
            '\u{fffe}' | '\u{ffff}' => escaped.push(char::REPLACEMENT_CHARACTER),
            one => escaped.push(one),
        }
    }
    escaped
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_means_something_is_escaped() {
        let text = document(|writer| {
            writer.start_element("a");
            attribute(writer, "b", "\"<&'>\u{1b}\n");
            end_with(writer, "]]><c>\u{ffff}&amp;");
        });
        let expected = "<a b=\"&quot;&lt;&amp;'&gt;\\u{1b}\\n\">";
        assert!(text.contains(expected), "{text}");
        assert!(text.contains(">]]&gt;&lt;c&gt;\u{fffd}&amp;amp;</a>"), "{text}");
    }
}
