//! Excerpts of a text that are shown with a diagnostic: lines, and parts of very long ones.

use std::borrow::Cow;
use std::ops::Range;

use cfsm_core::diagnostic::Diagnostic;
use cfsm_core::ids::{Id, IdMap};
use cfsm_core::source::{FileId, SourceFile, Sources, Span};
use codespan_reporting::files::{Error, Files};

use crate::visible;

/// The longest line that is shown as a whole, in bytes.
const LONGEST: usize = 240;
/// Number of bytes shown before a place in a longer line.
const BEFORE: usize = 40;
const BEHIND: usize = 80;

/// The texts, divided into pieces, each of which is shown as a line.
pub struct Excerpts<'a> {
    sources: &'a Sources,
    /// Positions of the first bytes of the pieces of each text.
    begins: IdMap<FileId, Vec<usize>>,
    /// Names and texts in printable form.
    shown: IdMap<FileId, (Cow<'a, str>, Cow<'a, str>)>,
}

impl<'a> Excerpts<'a> {
    /// Divides the texts into lines; a very long line is also divided around the places that the
    /// diagnostic points at. Time linear in the texts.
    pub fn around(diagnostic: &Diagnostic, sources: &'a Sources) -> Self {
        let mut begins: IdMap<FileId, Vec<usize>> =
            sources.files.values().map(|file| lines(&file.text)).collect();
        for Span { file, start, end } in diagnostic.labels.iter().map(|label| label.span) {
            if let Some(text) = sources.files.get(file) {
                part(&mut begins[file], &text.text, (end as usize).saturating_sub(1));
                part(&mut begins[file], &text.text, start as usize);
            }
        }
        let shown =
            sources.files.values().map(|file| (visible::text(&file.name), visible::source(&file.text)));
        Self { sources, begins, shown: shown.collect() }
    }

    /// A span without the line breaks at its end, since a caret in the next line would point at
    /// nothing; in a very long line only the first piece of the span.
    pub fn visible(&self, span: Span) -> Range<usize> {
        let (start, end) = (span.start as usize, span.end as usize);
        let Some(begins) = self.begins.get(span.file) else { return start..end };
        let text = self.sources.text(span);
        let shown = text.trim_end_matches(['\n', '\r']).len();
        let end = start.max(end - (text.len() - shown));
        let next = begins.partition_point(|begin| *begin <= start);
        match begins.get(next) {
            Some(next) if self.ends_inside_a_line(span.file, *next) => start..end.min(*next).max(start),
            _ => start..end,
        }
    }

    fn ends_inside_a_line(&self, file: FileId, end: usize) -> bool {
        !self.sources.files[file].text[..end].ends_with('\n')
    }

    fn shown(&self, id: usize) -> Result<&(Cow<'a, str>, Cow<'a, str>), Error> {
        self.shown.get(FileId::new(id)).ok_or(Error::FileMissing)
    }

    fn file(&self, id: usize) -> Result<(&'a SourceFile, &[usize]), Error> {
        let id = FileId::new(id);
        let file = self.sources.files.get(id).ok_or(Error::FileMissing)?;
        Ok((file, self.begins.get(id).ok_or(Error::FileMissing)?))
    }
}

/// Positions of the first bytes of all lines.
fn lines(text: &str) -> Vec<usize> {
    std::iter::once(0).chain(text.match_indices('\n').map(|(at, _)| at + 1)).collect()
}

/// Divides the line around a place, if it is very long.
fn part(begins: &mut Vec<usize>, text: &str, place: usize) {
    let Some(before) = text.get(..place) else { return };
    let begin = before.rfind('\n').map_or(0, |at| at + 1);
    let end = text[place..].find('\n').map_or(text.len(), |at| place + at);
    if end - begin <= LONGEST {
        return;
    }
    let around = [place.saturating_sub(BEFORE), place + BEHIND];
    let cuts = (begin..end).step_by(LONGEST).chain(around).filter(|cut| (begin + 1..end).contains(cut));
    begins.extend(cuts.map(|cut| boundary(text, cut)));
    begins.sort_unstable();
    begins.dedup();
}

/// The last character boundary up to the given position.
fn boundary(text: &str, at: usize) -> usize {
    (0..=at).rev().find(|at| text.is_char_boundary(*at)).unwrap_or(0)
}

impl<'a> Files<'a> for Excerpts<'a> {
    type FileId = usize;
    type Name = &'a str;
    type Source = &'a str;

    fn name(&'a self, id: usize) -> Result<&'a str, Error> {
        Ok(&self.shown(id)?.0)
    }

    fn source(&'a self, id: usize) -> Result<&'a str, Error> {
        Ok(&self.shown(id)?.1)
    }

    fn line_index(&'a self, id: usize, byte: usize) -> Result<usize, Error> {
        Ok(self.file(id)?.1.partition_point(|begin| *begin <= byte).saturating_sub(1))
    }

    fn line_range(&'a self, id: usize, line: usize) -> Result<Range<usize>, Error> {
        let (file, begins) = self.file(id)?;
        let max = begins.len();
        let begin = *begins.get(line).ok_or(Error::LineTooLarge { given: line, max })?;
        Ok(begin..begins.get(line + 1).copied().unwrap_or(file.text.len()))
    }

    /// The line number in the text, regardless of the pieces.
    fn line_number(&'a self, id: usize, line: usize) -> Result<usize, Error> {
        let begin = self.line_range(id, line)?.start;
        Ok(1 + self.file(id)?.0.text[..begin].matches('\n').count())
    }

    fn column_number(&'a self, id: usize, _line: usize, byte: usize) -> Result<usize, Error> {
        let text = &self.file(id)?.0.text;
        let before = text.get(..byte).ok_or(Error::IndexTooLarge { given: byte, max: text.len() })?;
        Ok(1 + before.chars().rev().take_while(|one| *one != '\n').count())
    }
}
