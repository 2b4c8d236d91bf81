//! Texts of a model in HTML and SVG.

use std::fmt::Write as _;

use crate::visible;

/// A text as content of an element or as value of an attribute in double quotes. Characters that
/// control or reorder text are [spelled out](visible).
pub(crate) fn escaped(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for one in visible::lines(text).chars() {
        match one {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '"' => out.push_str("&quot;"),
            '\'' => out.push_str("&#39;"),
            _ => out.push(one),
        }
    }
    out
}

/// JSON as content of a `script` element: nothing in it can end the element or begin a comment.
pub(crate) fn script_data(json: &str) -> String {
    let mut out = String::with_capacity(json.len());
    for one in json.chars() {
        match one {
            '<' | '>' | '&' | '\u{2028}' | '\u{2029}' => {
                let _ = write!(out, "\\u{:04x}", u32::from(one));
            }
            _ => out.push(one),
        }
    }
    out
}

/// At most so many characters of a text, the last one an ellipsis if some are left out.
pub(crate) fn shortened(text: &str, most: usize) -> String {
    if text.chars().count() <= most {
        return text.to_owned();
    }
    text.chars().take(most.saturating_sub(1)).chain(['…']).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_of_a_model_is_markup() {
        assert_eq!(
            escaped("<a b=\"c\" d='e'>&\u{202e}"),
            "&lt;a b=&quot;c&quot; d=&#39;e&#39;&gt;&amp;\\u{202e}"
        );
        assert_eq!(script_data("\"</script><!--\""), "\"\\u003c/script\\u003e\\u003c!--\"");
        assert_eq!(shortened("abcd", 3), "ab…");
    }
}
