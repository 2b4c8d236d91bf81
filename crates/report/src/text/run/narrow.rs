//! Text renderer for runs on narrow terminals: a statement on a line, and below it what it does.

use super::super::{Ink, Style, line, wrapped};
use super::{Line, is_silent};

/// Renders lines within a width, broken between words. A word that is longer than the width stays
/// whole. The file stands above the lines in it, and only lines have numbers beside them.
pub(super) fn table(lines: &[Line<'_>], width: usize, style: Style) -> String {
    let cell =
        |at: usize| lines.iter().map(move |line| line.row[at].chars().count()).max().unwrap_or_default();
    let numbers = cell(0).max("step".len());
    let processes = cell(1).max("process".len());
    let places =
        lines.iter().map(|line| place(&line.row[2]).line.len()).max().unwrap_or_default().max("line".len());
    let indent = 2 + numbers + 2 + processes + 2 + places + 2;
    let mut out = String::new();
    let heading = format!("  {:>numbers$}  {:processes$}  {:>places$}  statement", "step", "process", "line");
    line(&mut out, &style.paint(Ink::Strong, &heading));
    let (mut file, silence) = ("", String::new());
    for Line { row, errors } in lines {
        let [number, process, at, statement, messages, buffers] = row;
        let at = place(at);
        if at.file != file {
            file = at.file;
            line(&mut out, &style.paint(Ink::Faint, &format!("  in {file}:")));
        }
        let start = format!("  {number:>numbers$}  {process:processes$}  {:>places$}  ", at.line);
        let silent = is_silent(row);
        // A send is its message, mostly.
        let shown = if messages == statement { &silence } else { messages };
        let effect: Vec<&str> =
            [shown, buffers].into_iter().filter(|part| !part.is_empty()).map(String::as_str).collect();
        let effect = if effect.is_empty() { String::new() } else { format!("-> {}", effect.join(", then ")) };
        let whole = format!("{start}{statement}  {effect}");
        if whole.trim_end().chars().count() <= width {
            line(&mut out, &if silent { style.paint(Ink::Faint, whole.trim_end()) } else { whole });
        } else {
            for text in wrapped(&start, statement, indent, width) {
                line(&mut out, &if silent { style.paint(Ink::Faint, &text) } else { text });
            }
            let start = " ".repeat(indent + 2);
            let effect =
                if effect.is_empty() { Vec::new() } else { wrapped(&start, &effect, indent + 5, width) };
            effect.iter().for_each(|text| line(&mut out, text));
        }
        for error in *errors {
            let start = " ".repeat(2 + numbers + 2);
            let text = format!("{} {error}", style.paint(Ink::Bad, "error:"));
            wrapped(&start, &text, start.len() + 2, width).iter().for_each(|text| line(&mut out, text));
        }
    }
    out
}

/// A place in a file.
struct Place<'a> {
    file: &'a str,
    line: &'a str,
}

/// The parts of `model.pml:7`.
fn place(cell: &str) -> Place<'_> {
    let (file, line) = cell.rsplit_once(':').unwrap_or_default();
    Place { file, line }
}
