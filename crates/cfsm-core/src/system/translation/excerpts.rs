//! Reconstruction of source texts from the statements of transitions.

use std::collections::BTreeMap;

use crate::source::{FileId, Origin, Sources, Span};

/// Greatest line number of a statement with a position: all earlier lines have to be created, even
/// if empty.
const LINES: u32 = 1 << 20;

/// The position of an excerpt: file and line, or none.
type Place = Option<(String, u32)>;

/// Collects statements, and builds texts in which each of them is at its original line.
#[derive(Debug, Default)]
pub(super) struct Excerpts {
    statements: Vec<(Place, String)>,
}

impl Excerpts {
    /// Adds a statement; white space is folded to single blanks. Without an origin it has no
    /// position.
    pub fn add(&mut self, origin: Option<&Origin>, text: &str) {
        let known = origin.filter(|origin| !origin.file.is_empty() && (1..=LINES).contains(&origin.line));
        let place = known.map(|origin| (origin.file.clone(), origin.line));
        self.statements.push((place, text.split_whitespace().collect::<Vec<_>>().join(" ")));
    }

    /// Builds the texts; returns them with the span of each statement, in the order of addition,
    /// and an empty span without a position. Lines contain these statements only; statements
    /// without a position are in a file without a name.
    pub fn finish(self) -> (Sources, Vec<Span>, Span) {
        let mut by_place: BTreeMap<Place, Vec<usize>> = BTreeMap::from([(None, Vec::new())]);
        for (at, (place, _)) in self.statements.iter().enumerate() {
            by_place.entry(place.clone()).or_default().push(at);
        }
        let mut sources = Sources::default();
        let nowhere = Span { file: sources.add("", ""), start: 0, end: 0 };
        let mut spans = vec![nowhere; self.statements.len()];
        let (mut file, mut line) = (nowhere.file, 0);
        for (place, statements) in by_place {
            if let Some((name, number)) = place {
                if sources.files[file].name != name {
                    (file, line) = (sources.add(name, ""), 1);
                }
                let lines = (number - line) as usize;
                sources.files[file].text.extend(std::iter::repeat_n('\n', lines));
                line = number;
            }
            for at in statements {
                spans[at] = append(&mut sources, file, &self.statements[at].1);
            }
        }
        (sources, spans, nowhere)
    }
}

/// Appends a fragment and a blank to a text.
fn append(sources: &mut Sources, file: FileId, piece: &str) -> Span {
    let text = &mut sources.files[file].text;
    // The number of statements is limited. In texts of 4 GiB spans saturate at the end.
    let length = |text: &str| u32::try_from(text.len()).unwrap_or(u32::MAX);
    let start = length(text);
    text.push_str(piece);
    let end = length(text);
    text.push(' ');
    Span { file, start, end }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn statements_stand_where_they_came_from() {
        let origin = |file: &str, line| Origin { file: file.into(), line, text: String::new() };
        let mut excerpts = Excerpts::default();
        excerpts.add(Some(&origin("b.pml", 3)), "c!1");
        excerpts.add(None, "q0 ->  q1");
        excerpts.add(Some(&origin("a.pml", 7)), "d?1");
        excerpts.add(Some(&origin("b.pml", 3)), "c!2");
        excerpts.add(Some(&origin("b.pml", u32::MAX)), "far");
        excerpts.add(Some(&origin("b.pml", 1)), "skip");
        let (sources, spans, nowhere) = excerpts.finish();
        let (origins, lines) = (spans.iter().map(|span| sources.origin(*span)), sources.lines());
        let told: Vec<String> = origins.map(|at| format!("{}:{} {}", at.file, at.line, at.text)).collect();
        assert_eq!(
            told,
            ["b.pml:3 c!1", ":0 q0 -> q1", "a.pml:7 d?1", "b.pml:3 c!2", ":0 far", "b.pml:1 skip"]
        );
        assert!(spans.iter().all(|span| lines.origin(*span) == sources.origin(*span)));
        assert_eq!((sources.line(nowhere), sources.text(nowhere)), (0, ""));
    }
}
