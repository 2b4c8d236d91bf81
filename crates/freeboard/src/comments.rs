//! Comments of Promela texts that set something: `// freeboard: capacity board=4`. Spin takes no
//! notice of them.

/// The text before the word of a setting.
const MARK: &str = "freeboard: ";

/// A setting in a comment.
pub(crate) struct Setting<'a> {
    /// The line of the comment, counted from 1.
    pub(crate) line: usize,
    /// The text behind the word, to the end of the line or of the comment.
    pub(crate) value: &'a str,
}

/// The settings with a word, in order. Linear time.
pub(crate) fn settings<'a>(text: &'a str, word: &str) -> Vec<Setting<'a>> {
    let setting = |Comment { line, text }: Comment<'a>| {
        let (_, rest) = text.split_once(MARK)?;
        let value = rest.strip_prefix(word)?.strip_prefix(' ')?;
        let value = value.lines().next().unwrap_or_default().trim_end_matches("*/").trim();
        Some(Setting { line, value })
    };
    comments(text).into_iter().filter_map(setting).collect()
}

/// The text with the settings of a word switched off.
pub(crate) fn without_settings(text: &str, word: &str) -> String {
    text.replace(&format!("{MARK}{word} "), &format!("freeboard, {word}: "))
}

/// A comment of a text, with the characters that begin it.
struct Comment<'a> {
    line: usize,
    text: &'a str,
}

/// The comments of a Promela text, those in strings left out. Linear time.
fn comments(text: &str) -> Vec<Comment<'_>> {
    let mut found = Vec::new();
    let mut at = 0;
    let mut line = 1;
    while let Some(rest) = text.get(at..).filter(|rest| !rest.is_empty()) {
        let length = if rest.starts_with("//") {
            rest.find('\n').unwrap_or(rest.len())
        } else if rest.starts_with("/*") {
            rest.get(2..).and_then(|inside| inside.find("*/")).map_or(rest.len(), |end| end + 4)
        } else if rest.starts_with('"') {
            string(rest)
        } else {
            rest.chars().next().map_or(1, char::len_utf8)
        };
        let part = &rest[..length];
        if part.starts_with("//") || part.starts_with("/*") {
            found.push(Comment { line, text: part });
        }
        line += part.matches('\n').count();
        at += length;
    }
    found
}

/// The bytes of a string at the start of a text, to its second quotation mark or the end of its
/// line.
fn string(text: &str) -> usize {
    let mut escaped = false;
    for (at, letter) in text.char_indices().skip(1) {
        match letter {
            '\n' => return at,
            '"' if !escaped => return at + 1,
            _ => escaped = letter == '\\' && !escaped,
        }
    }
    text.len()
}
