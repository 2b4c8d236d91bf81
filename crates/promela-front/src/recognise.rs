//! Recognition of Promela texts, for files whose name does not tell their language.

/// Degree of resemblance to Promela; only the beginnings of lines are inspected.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Likeness {
    /// No line begins like a unit of Promela.
    None,
    /// Some line begins like a unit of Promela.
    Inside,
    /// The text begins like a unit of Promela, apart from comments.
    Start,
}

/// Computes the resemblance of a text to Promela. Time linear in the text.
///
/// ```
/// use promela_front::{Likeness, likeness};
///
/// assert_eq!(likeness("/* a model */\n#define N 3\nchan c = [N] of { byte }"), Likeness::Start);
/// assert_eq!(likeness("A model:\n\nactive proctype P() { skip }"), Likeness::Inside);
/// assert_eq!(likeness("[package]\nname = \"init\""), Likeness::None);
/// ```
#[must_use]
pub fn likeness(text: &str) -> Likeness {
    if begins_unit(text) {
        Likeness::Start
    } else if pairs_of_lines(text).any(begins_unit) {
        Likeness::Inside
    } else {
        Likeness::None
    }
}

/// Pairs of consecutive lines, since the brace of a unit may be on the second one.
fn pairs_of_lines(text: &str) -> impl Iterator<Item = &str> {
    let ends = text.match_indices('\n').map(|(at, _)| at + 1).chain([text.len()]);
    let starts = [0].into_iter().chain(ends.clone());
    starts.zip(ends.skip(1).chain([text.len()])).map(|(start, end)| &text[start..end])
}

/// Returns `true` if a text begins with a directive or a declaration.
fn begins_unit(text: &str) -> bool {
    let text = behind_blanks(text);
    match text.strip_prefix('#') {
        Some(directive) => is_directive(directive),
        None => is_declaration(text),
    }
}

/// A text from its first word on, without leading blanks and comments.
fn behind_blanks(text: &str) -> &str {
    let mut text = text.trim_start();
    loop {
        let behind = match text.as_bytes() {
            [b'/', b'*', ..] => text[2..].split_once("*/"),
            [b'/', b'/', ..] => text.split_once('\n'),
            _ => return text,
        };
        text = behind.map_or("", |(_, behind)| behind.trim_start());
    }
}

/// The name at the beginning of a text, and the rest.
fn name(text: &str) -> (&str, &str) {
    let end = text.find(|letter: char| !letter.is_ascii_alphanumeric() && letter != '_');
    let (name, behind) = text.split_at(end.unwrap_or(text.len()));
    if name.starts_with(|letter: char| letter.is_ascii_digit()) { ("", text) } else { (name, behind) }
}

/// Returns `true` if a preprocessor directive follows a `#`, which begins a comment in many
/// languages.
fn is_directive(text: &str) -> bool {
    let (directive, behind) = name(text);
    let operand = behind.trim_start_matches([' ', '\t']);
    match directive {
        "define" | "undef" | "ifdef" | "ifndef" => {
            operand.len() < behind.len() && !name(operand).0.is_empty()
        }
        "include" => operand.starts_with(['"', '<']),
        "if" => operand.len() < behind.len() || operand.starts_with('('),
        _ => false,
    }
}

fn is_declaration(text: &str) -> bool {
    let (word, behind) = name(text);
    let next = behind_blanks(behind);
    let (declared, behind_name) = name(next);
    let has_name = !declared.is_empty() && next.len() < behind.len();
    let before = |mark: char| behind_blanks(behind_name).starts_with(mark);
    match word {
        "init" => next.starts_with('{'),
        "never" | "trace" | "notrace" | "ltl" => next.starts_with('{') || has_name && before('{'),
        "c_code" | "c_decl" => next.starts_with(['{', '[']),
        "c_state" | "c_track" => next.starts_with('"'),
        "active" => next.starts_with('[') || matches!(declared, "proctype" | "D_proctype"),
        "proctype" | "D_proctype" | "inline" => has_name && before('('),
        "typedef" => has_name && before('{'),
        "mtype" => next.starts_with(['=', ':', '{']) || has_name,
        "hidden" | "show" | "local" => {
            let declaration = matches!(
                declared,
                "chan" | "mtype" | "bit" | "bool" | "byte" | "short" | "int" | "pid" | "unsigned"
            );
            declaration && is_declaration(next)
        }
        "chan" | "bit" | "bool" | "byte" | "short" | "int" | "pid" | "unsigned" => {
            let end = behind_name.trim_start_matches([' ', '\t', '\r']);
            has_name && (end.is_empty() || end.starts_with(['=', '[', ',', ';', ':', '\n', '/']))
        }
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_kind_of_unit_is_recognised() {
        for text in [
            "#define N 1",
            "#include \"a.h\"",
            "#if N > 1\n#endif",
            "#ifdef N\n#endif",
            "/* a */ mtype = { a }",
            "mtype:colour = { red }",
            "mtype { a }",
            "chan c",
            "chan c = [1] of { byte }",
            "byte x, y;",
            "unsigned u : 3",
            "hidden byte b;",
            "typedef T { byte x }",
            "inline f(x) { skip }",
            "active proctype P() { skip }",
            "active [2] proctype P() { skip }",
            "proctype P(byte b)\n{ skip }",
            "init\n{ skip }",
            "never { skip }",
            "ltl p { true }",
            "trace { skip }",
            "c_decl { int x; }",
        ] {
            assert_eq!(likeness(text), Likeness::Start, "{text}");
            assert_eq!(likeness(&format!("My first model\n  {text}")), Likeness::Inside, "{text}");
            assert_eq!(likeness(&format!("// a\n/* b\n */\n{text}")), Likeness::Start, "{text}");
        }
    }

    #[test]
    fn other_texts_are_not() {
        for text in [
            "",
            "/* never closed",
            "[workspace]\nmembers = [\"init\"]\n# define more",
            "#!/bin/sh\n# include all",
            "#defined",
            "int main(void) { return 0; }",
            "struct chan { int x; };",
            "scm ping :\nnb_channels = 1 ;",
            ".outputs A\n.state graph",
            "C: rec x . S!ask; x",
            "init: S!ask",
            "active users are shown",
            "never say never",
            "show me",
            "chan",
            "2 chan c",
        ] {
            assert_eq!(likeness(text), Likeness::None, "{text}");
        }
    }
}
