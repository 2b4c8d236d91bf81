//! Texts of which only some statements are known: those that transitions come from.

use std::collections::BTreeMap;

use crate::source::{FileId, Origin, Sources, Span};

/// A statement of a line beyond this one stands nowhere: lines before it have to be there, if only
/// empty.
const LINES: u32 = 1 << 20;

/// Where an excerpt stands: file and line, or nowhere.
type Place = Option<(String, u32)>;

/// Collects statements, and makes texts in which each of them stands where it came from.
#[derive(Debug, Default)]
pub(super) struct Excerpts {
    statements: Vec<(Place, String)>,
}

impl Excerpts {
    /// Adds a statement; white space is folded to single blanks. Without an origin it stands
    /// nowhere.
    pub fn add(&mut self, origin: Option<&Origin>, text: &str) {
        let known = origin.filter(|origin| !origin.file.is_empty() && (1..=LINES).contains(&origin.line));
        let place = known.map(|origin| (origin.file.clone(), origin.line));
        self.statements.push((place, text.split_whitespace().collect::<Vec<_>>().join(" ")));
    }

    /// The texts, the span of each statement in the order in which they were added, and a span of
    /// nothing, nowhere. Lines have their statements only; what stands nowhere is in a file without
    /// a name.
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

/// Adds a piece to a line, behind a blank.
fn append(sources: &mut Sources, file: FileId, piece: &str) -> Span {
    let text = &mut sources.files[file].text;
    // What is limited is the number of statements. Texts of 4 GiB have spans at their end.
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
