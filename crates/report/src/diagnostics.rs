//! Renders errors and warnings of the front end in the style of rustc, with excerpts of the text.

use std::fmt::Write as _;

use cfsm_core::diagnostic::{Diagnostic, Severity};
use cfsm_core::ids::Id;
use cfsm_core::source::Sources;
use codespan_reporting::diagnostic as shown;
use codespan_reporting::term::termcolor::Buffer;
use codespan_reporting::term::{self, Config};

use crate::excerpts::Excerpts;
use crate::visible;

/// Renders diagnostics one after the other: file, line and column, the text with a caret, a
/// correction, and a line with the numbers of errors and warnings. Time linear in the texts and the
/// diagnostics' excerpts.
#[must_use]
pub fn render(diagnostics: &[Diagnostic], sources: &Sources, colour: bool) -> String {
    let mut buffer = if colour { Buffer::ansi() } else { Buffer::no_color() };
    let mut plain = String::new();
    for diagnostic in diagnostics {
        let excerpts = Excerpts::around(diagnostic, sources);
        let shown = convert(diagnostic, &excerpts);
        // An excerpt can fail only if a span lies outside its text; the message must be printed
        // even then.
        if term::emit_to_write_style(&mut buffer, &Config::default(), &excerpts, &shown).is_err() {
            let _ = writeln!(plain, "{}\n", visible::text(&diagnostic.line(sources).to_string()));
        }
    }
    let mut text = String::from_utf8_lossy(buffer.as_slice()).into_owned();
    text.push_str(&plain);
    text.push_str(&summary(diagnostics));
    text
}

/// Numbers of errors and warnings, as a line; empty if there are none.
fn summary(diagnostics: &[Diagnostic]) -> String {
    let of = |severity| diagnostics.iter().filter(|d| d.severity == severity).count();
    let part = |count: usize, word: &str| match count {
        0 => None,
        1 => Some(format!("1 {word}")),
        _ => Some(format!("{count} {word}s")),
    };
    let parts = [part(of(Severity::Error), "error"), part(of(Severity::Warning), "warning")];
    let parts: Vec<String> = parts.into_iter().flatten().collect();
    if parts.is_empty() {
        return String::new();
    }
    format!("{}\n", parts.join(", "))
}

fn convert(diagnostic: &Diagnostic, excerpts: &Excerpts<'_>) -> shown::Diagnostic<usize> {
    let severity = match diagnostic.severity {
        Severity::Error => shown::Severity::Error,
        Severity::Warning => shown::Severity::Warning,
    };
    let labels = diagnostic.labels.iter().enumerate().map(|(position, label)| {
        let style = if position == 0 { shown::LabelStyle::Primary } else { shown::LabelStyle::Secondary };
        let range = excerpts.visible(label.span);
        shown::Label::new(style, label.span.file.index(), range).with_message(visible::text(&label.text))
    });
    let hint = diagnostic.hint.iter().map(|hint| format!("help: {}", visible::text(hint)));
    let notes = diagnostic.notes.iter().map(|note| format!("note: {}", visible::text(note)));
    shown::Diagnostic::new(severity)
        .with_code(diagnostic.code)
        .with_message(visible::text(&diagnostic.message))
        .with_labels(labels.collect())
        .with_notes(hint.chain(notes).collect())
}

#[cfg(test)]
mod tests {
    use cfsm_core::source::{FileId, Span};

    use super::*;

    fn sample() -> (Vec<Diagnostic>, Sources) {
        let mut sources = Sources::default();
        let file = sources.add("m.pml", "chan AB = [1] of { byte };\ninit {\n  BA!1;\n  AB!1,2\n}\n");
        let span = |start, end| Span { file, start, end };
        let unknown =
            Diagnostic::error("P0201", span(36, 38), "`BA` is not declared").with_hint("did you mean `AB`?");
        let mut long = Diagnostic::warning("P0301", span(44, 50), "the message has 2 fields")
            .with_label(span(10, 25), "the channel has 1");
        long.notes.push("the last one is dropped".into());
        (vec![unknown, long], sources)
    }

    #[test]
    fn errors_and_warnings_show_their_place() {
        let (diagnostics, sources) = sample();
        insta::assert_snapshot!(render(&diagnostics, &sources, false));
    }

    #[test]
    fn colour_only_if_asked_for() {
        let (diagnostics, sources) = sample();
        assert!(!render(&diagnostics, &sources, false).contains('\u{1b}'));
        assert!(render(&diagnostics, &sources, true).contains('\u{1b}'));
    }

    #[test]
    fn a_span_outside_its_text_loses_the_excerpt_only() {
        let (_, sources) = sample();
        for (file, start, end) in [(0, 500, 600), (7, 0, 1), (0, 9, 3)] {
            let span = Span { file: FileId::new(file), start, end };
            let text = render(&[Diagnostic::error("P0201", span, "lost")], &sources, false);
            assert!(text.contains("lost") && text.ends_with("1 error\n"), "{text}");
        }
    }

    /// Compact JSON, all in one line, as written for programs.
    #[test]
    fn of_a_long_line_a_part_is_shown() {
        let (mut sources, all) = (Sources::default(), "{\"grün\": [1, 2, 3]}, ".repeat(500));
        let file = sources.add("m.json", format!("\n{all}\n"));
        let at = |part: usize| u32::try_from(1 + part * all.len() / 500).unwrap();
        let short = Diagnostic::error("M0403", Span { file, start: at(250), end: at(250) + 8 }, "wrong")
            .with_label(Span { file, start: at(2), end: at(2) + 4 }, "as here");
        let long = Diagnostic::error("M0403", Span { file, start: at(499), end: at(500) }, "to its end");
        let whole = Diagnostic::error("M0403", Span { file, start: 0, end: at(500) + 1 }, "all of it");
        insta::assert_snapshot!(render(&[short, long, whole], &sources, false));
    }

    #[test]
    fn what_steers_a_terminal_is_not_shown() {
        let mut sources = Sources::default();
        let file = sources.add("m\u{1b}c.pml", "a \u{1b}[31mred\r\n\tb\rc\n");
        let span = Span { file, start: 3, end: 9 };
        let wrong = Diagnostic::error("P0201", span, "`\u{1b}[31mred` is wrong").with_hint("no \u{7}");
        let text = render(&[wrong], &sources, false);
        insta::assert_snapshot!(text);
        assert!(!text.contains(|one: char| one.is_control() && one != '\n'), "{text:?}");
    }

    #[test]
    fn nothing_gives_nothing() {
        assert_eq!(render(&[], &Sources::default(), false), "");
    }
}
