//! `#include`: search for files, and reading of them.

use std::fs::File;
use std::io::Read;
use std::path::{Path, PathBuf};
use std::rc::Rc;

use cfsm_core::source::Span;

use super::Preprocessor;
use super::source::{Frame, Line, Text};
use crate::codes;
use crate::decode;
use crate::lexer::Raw;
use crate::options::Includes;
use cfsm_core::diagnostic::Diagnostic;

/// Greatest nesting depth of includes, as in GCC.
const MAX_DEPTH: usize = 200;

/// Greatest size of an included file: 64 MiB.
const MAX_SIZE: u64 = 64 << 20;

/// The file that an `#include` names.
struct Wanted {
    name: String,
    /// `true` if the name is in quotes, so that the directory of the including file is searched.
    beside: bool,
}

/// Reasons for which a file was not read.
enum Refusal {
    NotFound(Vec<PathBuf>),
    Unreadable(PathBuf, String),
}

impl Preprocessor<'_> {
    /// Processes `#include`; the line starts after that word.
    pub(super) fn include(&mut self, span: Span, line: &Line<'_>, once: bool) {
        let Some(wanted) = self.wanted(line) else {
            self.incomplete = true;
            return self.error(codes::BAD_DIRECTIVE, span, "`#include` needs \"a file\" or <a file>");
        };
        let includes = &self.options.includes;
        if *includes == Includes::Refused {
            return self.not_included(span, "files cannot be included here", None);
        }
        if self.frames.len() > MAX_DEPTH {
            let message = format!("files are included more than {MAX_DEPTH} deep");
            return self.not_included(span, &message, None);
        }
        let places = places(&wanted, &line.source.name, includes);
        let source = match self.find(places) {
            Ok(source) => source,
            Err(Refusal::NotFound(places)) => {
                let places: Vec<_> = places.iter().map(|place| format!("`{}`", place.display())).collect();
                let looked = (!places.is_empty()).then(|| format!("looked for {}", places.join(", ")));
                let message = format!("the file `{}` is not found", wanted.name);
                return self.not_included(span, &message, looked);
            }
            Err(Refusal::Unreadable(path, reason)) => {
                let message = format!("the file `{}` cannot be included: {reason}", path.display());
                return self.not_included(span, &message, None);
            }
        };
        if self.once.contains(&source.file) {
            return;
        }
        if once {
            self.once.insert(source.file);
        }
        self.open(source);
    }

    /// Starts reading a text.
    pub(super) fn open(&mut self, source: Rc<Text>) {
        let presumed = Rc::clone(&source.name);
        self.frames.push(Frame { source, next: 0, conditions: self.conditions.len(), shift: 0, presumed });
    }

    fn not_included(&mut self, span: Span, message: &str, hint: Option<String>) {
        self.incomplete = true;
        self.diagnostics.push(Diagnostic::error(codes::INCLUDE, span, message).with_hint_if(hint));
    }

    /// The file name in the directive, which may be given by a macro.
    fn wanted(&mut self, line: &Line<'_>) -> Option<Wanted> {
        let first = line.pieces.first()?;
        match first.raw {
            Ok(Raw::String) => quoted(line.text(first)),
            Ok(Raw::Less) => {
                let close = line.pieces.iter().find(|piece| piece.raw == Ok(Raw::Greater))?;
                let name = line.source.slice(first.end, close.start).to_owned();
                Some(Wanted { name, beside: false })
            }
            _ => {
                let items = self.items_of(line);
                let items = self.expand_list(items);
                let first = items.first()?;
                if first.raw == Ok(Raw::String) {
                    return quoted(self.letters.get(first.text));
                }
                if first.raw != Ok(Raw::Less) {
                    return None;
                }
                let mut name = String::new();
                for item in &items[1..] {
                    if item.raw == Ok(Raw::Greater) {
                        return Some(Wanted { name, beside: false });
                    }
                    if item.spaced() && !name.is_empty() {
                        name.push(' ');
                    }
                    name.push_str(self.letters.get(item.text));
                }
                None
            }
        }
    }

    /// The first existing file. A file that was read before is not read again, but it is charged to
    /// the budget: a few short files that include each other could be read for ever.
    fn find(&mut self, places: Vec<PathBuf>) -> Result<Rc<Text>, Refusal> {
        for place in &places {
            if let Some(known) = self.included.get(place).map(Rc::clone) {
                if !self.spend(1 + known.pieces.len()) {
                    return Err(Refusal::Unreadable(place.clone(), "it is included too often".into()));
                }
                self.spent = false;
                return Ok(known);
            }
            let text = match &self.options.includes {
                Includes::Refused => None,
                Includes::Files(_) => {
                    read(place).map_err(|reason| Refusal::Unreadable(place.clone(), reason))?
                }
                Includes::Given(texts) => place.to_str().and_then(|name| texts.get(name)).cloned(),
            };
            if let Some(text) = text {
                let file = self.sources.add(place.display().to_string(), text);
                let source = self.load(file);
                self.included.insert(place.clone(), Rc::clone(&source));
                return Ok(source);
            }
        }
        Err(Refusal::NotFound(places))
    }
}

/// A name without its quotes.
fn quoted(letters: &str) -> Option<Wanted> {
    let name = letters.strip_prefix('"')?.strip_suffix('"')?;
    Some(Wanted { name: name.to_owned(), beside: true })
}

/// The candidate paths, in order.
fn places(wanted: &Wanted, including: &str, includes: &Includes) -> Vec<PathBuf> {
    let name = Path::new(&wanted.name);
    if wanted.name.is_empty() {
        return Vec::new();
    }
    if name.is_absolute() {
        return vec![name.to_owned()];
    }
    let beside = Path::new(including).parent().filter(|_| wanted.beside).map(|parent| parent.join(name));
    let others = match includes {
        Includes::Refused => Vec::new(),
        Includes::Files(directories) => directories.iter().map(|directory| directory.join(name)).collect(),
        Includes::Given(_) => vec![name.to_owned()],
    };
    let mut places: Vec<PathBuf> = beside.into_iter().chain(others).collect();
    places.dedup();
    places
}

/// The text of a file; `None` if it does not exist. Bytes that are not UTF-8 are read as Latin-1.
fn read(path: &Path) -> Result<Option<String>, String> {
    // Checked before opening: opening a pipe may block for ever.
    match std::fs::metadata(path) {
        Err(_) => return Ok(None),
        Ok(found) if !found.is_file() => return Err("it is no regular file".into()),
        Ok(_) => {}
    }
    let mut bytes = Vec::new();
    let file = File::open(path).map_err(|error| error.to_string())?;
    file.take(MAX_SIZE + 1).read_to_end(&mut bytes).map_err(|error| error.to_string())?;
    if bytes.len() as u64 > MAX_SIZE {
        return Err("it is larger than 64 MiB".into());
    }
    Ok(Some(decode(bytes)))
}
