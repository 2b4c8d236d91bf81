//! Parser for lists of transitions, the format of chorgram and KMC.
//!
//! Line by line: `.outputs NAME`, `.state graph`, transitions `SOURCE PEER ! MESSAGE TARGET`,
//! `.marking STATE`, `.end`.

use std::collections::BTreeMap;

use super::machine::{Exchange, Machine, Step, assemble, channel, unknown_peer};
use super::{codes, doubts, scan};
use crate::diagnostic::Diagnostic;
use crate::source::{FileId, Sources, Span};
use crate::system::{Direction, System};

pub(super) fn read(sources: &Sources, file: FileId, text: &str) -> (Option<System>, Vec<Diagnostic>) {
    let mut reader = Reader { file, open: None, drafts: Vec::new(), diagnostics: Vec::new() };
    let plain = without_comments(file, text, &mut reader.diagnostics);
    let mut start = 0;
    for line in plain.split_inclusive('\n') {
        reader.line(start, line);
        start += line.len();
    }
    reader.finish();
    let Reader { drafts, mut diagnostics, .. } = reader;
    if drafts.is_empty() {
        let error = Diagnostic::error(codes::NO_MACHINE, scan::span(file, 0, 0), "there is no machine");
        diagnostics.push(
            error.with_hint("a machine is `.outputs`, `.state graph`, transitions, `.marking STATE`, `.end`"),
        );
    }
    let names = Names::of(&drafts, &mut diagnostics);
    let machines: Vec<Machine> =
        drafts.iter().enumerate().map(|(at, draft)| machine(&names, at, draft, &mut diagnostics)).collect();
    doubts::one_sided(&machines, &mut diagnostics);
    doubts::unreached(&machines, &mut diagnostics);
    let name = &sources.files[file].name;
    (assemble(sources, name, &[], &machines, &mut diagnostics), diagnostics)
}

/// The text with comments replaced by blanks, so that positions are preserved. `--` begins a
/// comment only at the beginning of a word, since it may be part of a name.
fn without_comments(file: FileId, text: &str, diagnostics: &mut Vec<Diagnostic>) -> String {
    let mut plain = String::with_capacity(text.len());
    let mut blank = true;
    let mut at = 0;
    while let Some(c) = text[at..].chars().next() {
        let rest = &text[at..];
        let comment = if blank && (rest.starts_with("--") || rest.starts_with("//")) {
            Some(rest.find('\n').unwrap_or(rest.len()))
        } else if blank && rest.starts_with("/*") {
            let end = rest.get(2..).and_then(|inside| inside.find("*/")).map(|end| end + 4);
            if end.is_none() {
                let place = scan::span(file, at, at + 2);
                let error = Diagnostic::error(codes::OPEN_COMMENT, place, "the comment has no end");
                diagnostics.push(error.with_hint("`*/` ends it"));
            }
            Some(end.unwrap_or(rest.len()))
        } else {
            None
        };
        let length = comment.unwrap_or(c.len_utf8());
        match comment {
            Some(_) => {
                plain.extend(rest[..length].bytes().map(|byte| if byte == b'\n' { '\n' } else { ' ' }))
            }
            None if c == '\u{feff}' => plain.push_str("   "),
            None => plain.push(c),
        }
        blank = comment.is_some() || c.is_whitespace() || c == '\u{feff}';
        at += length;
    }
    plain
}

/// A parsed machine whose peers are not resolved.
#[derive(Clone, Debug)]
struct Draft {
    name: Option<(String, Span)>,
    /// Span of its beginning.
    span: Span,
    marking: Option<(String, Span)>,
    lines: Vec<Line>,
}

impl Draft {
    const fn new(name: Option<(String, Span)>, span: Span) -> Self {
        Self { name, span, marking: None, lines: Vec::new() }
    }
}

/// A parsed transition.
#[derive(Clone, Debug)]
struct Line {
    source: String,
    target: String,
    event: Option<(Direction, String, Span, String)>,
    span: Span,
}

/// A word with its span.
type Word<'t> = (&'t str, Span);

struct Reader {
    file: FileId,
    open: Option<Draft>,
    drafts: Vec<Draft>,
    diagnostics: Vec<Diagnostic>,
}

impl Reader {
    fn line(&mut self, start: usize, line: &str) {
        let words = words(self.file, start, line);
        let (Some(&(first, from)), Some(&(_, to))) = (words.first(), words.last()) else { return };
        if first.starts_with('.') {
            self.directive(first, from, &words[1..]);
            return;
        }
        let Some(open) = &mut self.open else {
            let error = Diagnostic::error(codes::OUTSIDE, from.to(to), "this stands in no machine");
            self.diagnostics.push(error.with_hint("a machine begins with `.outputs` or `.state graph`"));
            return;
        };
        match transition(&words) {
            Some((source, event, target)) => {
                let event =
                    event.map(|(direction, peer, at, message)| (direction, peer.to_owned(), at, message));
                let (source, target) = (source.to_owned(), target.to_owned());
                open.lines.push(Line { source, target, event, span: from.to(to) });
            }
            None => {
                let error = Diagnostic::error(codes::BAD_LINE, from.to(to), "this is no transition");
                self.diagnostics.push(error.with_hint(
                    "`q0 1 ! msg q1` sends `msg` to machine 1, `?` receives, `q0 tau q1` does neither",
                ));
            }
        }
    }

    fn directive(&mut self, word: &str, span: Span, rest: &[Word<'_>]) {
        match word {
            ".outputs" => {
                self.finish();
                let name = rest.first().map(|(name, span)| ((*name).to_owned(), *span));
                self.open = Some(Draft::new(name, span));
            }
            ".state" | ".state_graph" => {
                self.graph(rest);
                self.open.get_or_insert_with(|| Draft::new(None, span));
            }
            ".marking" => self.marking(span, rest),
            ".end" => match self.open.take() {
                Some(draft) => self.close(draft),
                None => self.outside(span, ".end"),
            },
            // Directives of the format from which these files descend; they have no meaning for
            // machines.
            ".inputs" | ".internal" | ".internals" | ".dummy" | ".model" | ".name" => {}
            _ => {
                let warning =
                    Diagnostic::warning(codes::UNKNOWN_DIRECTIVE, span, format!("`{word}` is passed over"));
                let hint = "known are `.outputs`, `.state graph`, `.marking` and `.end`";
                self.diagnostics.push(warning.with_hint(hint));
            }
        }
    }

    /// Parses the words after `.state`; only `graph` is expected.
    fn graph(&mut self, rest: &[Word<'_>]) {
        if let Some((word, at)) = rest.iter().find(|(word, _)| *word != "graph") {
            let warning = Diagnostic::warning(codes::UNKNOWN_GRAPH, *at, format!("`{word}` is passed over"));
            self.diagnostics.push(warning.with_hint("a machine's transitions stand behind `.state graph`"));
        }
    }

    fn marking(&mut self, span: Span, rest: &[Word<'_>]) {
        let Some(open) = &mut self.open else {
            self.outside(span, ".marking");
            return;
        };
        let state = rest
            .iter()
            .map(|(word, at)| (word.trim_matches(['{', '}']), *at))
            .find(|(word, _)| !word.is_empty());
        let Some((state, at)) = state else {
            let error = Diagnostic::error(codes::BAD_MARKING, span, "`.marking` names no state");
            self.diagnostics.push(error.with_hint("it says where the machine starts: `.marking q0`"));
            return;
        };
        match &open.marking {
            Some((first, place)) if first != state => {
                let error = Diagnostic::error(codes::BAD_MARKING, at, "the machine starts in two states");
                self.diagnostics.push(error.with_label(*place, "the first one is here"));
            }
            _ => open.marking = Some((state.to_owned(), at)),
        }
    }

    fn outside(&mut self, span: Span, word: &str) {
        let error = Diagnostic::error(codes::OUTSIDE, span, format!("`{word}` stands in no machine"));
        self.diagnostics.push(error.with_hint("a machine begins with `.outputs` or `.state graph`"));
    }

    /// Ends a machine without `.end`.
    fn finish(&mut self) {
        if let Some(draft) = self.open.take() {
            let message = "the machine that begins here has no `.end`";
            self.diagnostics.push(Diagnostic::warning(codes::NO_END, draft.span, message));
            self.close(draft);
        }
    }

    fn close(&mut self, draft: Draft) {
        if draft.marking.is_none() {
            let error =
                Diagnostic::error(codes::BAD_MARKING, draft.span, "it is not said where the machine starts");
            self.diagnostics.push(error.with_hint("`.marking q0`, say, before `.end`"));
        }
        self.drafts.push(draft);
    }
}

/// The words of a line with their spans.
fn words(file: FileId, start: usize, line: &str) -> Vec<Word<'_>> {
    let mut words = Vec::new();
    let mut at = 0;
    for piece in line.split_inclusive(char::is_whitespace) {
        let word = piece.trim_end();
        if !word.is_empty() {
            words.push((word, scan::span(file, start + at, start + at + word.len())));
        }
        at += piece.len();
    }
    words
}

/// Direction, peer, span of the peer, and message.
type Event<'t> = (Direction, &'t str, Span, String);

/// Parses source, event and target; `None` if the line is not a transition. A message may contain
/// blanks, as in `m < int >`.
fn transition<'t>(words: &[Word<'t>]) -> Option<(&'t str, Option<Event<'t>>, &'t str)> {
    let direction = |word: &str| match word {
        "!" => Some(Direction::Send),
        "?" => Some(Direction::Receive),
        _ => None,
    };
    let silent = |word: &str| matches!(word, "tau" | "break");
    match words {
        [(source, _), (action, _), .., (target, _)] if silent(action) && words.len() <= 4 => {
            Some((source, None, target))
        }
        [(source, _), _, (action, _), .., (target, _)] if silent(action) && words.len() <= 5 => {
            Some((source, None, target))
        }
        [(source, _), (peer, at), (sign, _), message @ .., (target, _)] if direction(sign).is_some() => {
            let message: String = message.iter().map(|(word, _)| *word).collect();
            let direction = direction(sign)?;
            (!message.is_empty()).then_some((*source, Some((direction, *peer, *at, message)), *target))
        }
        // Without blanks around the sign.
        [(source, _), (action, at), (target, _)] => {
            let sign = action.find(['!', '?'])?;
            let (peer, message) = (&action[..sign], &action[sign + 1..]);
            let direction = direction(&action[sign..=sign])?;
            let whole = !peer.is_empty() && !message.is_empty();
            whole.then(|| (*source, Some((direction, peer, *at, message.to_owned())), *target))
        }
        _ => None,
    }
}

/// The names of all machines.
struct Names {
    /// The names by position.
    all: Vec<String>,
    /// The position of the first machine with each name.
    positions: BTreeMap<String, usize>,
}

impl Names {
    /// Collects the names; a machine without a name is named by its position, as in transitions.
    fn of(drafts: &[Draft], diagnostics: &mut Vec<Diagnostic>) -> Self {
        let mut names = Vec::with_capacity(drafts.len());
        for (position, draft) in drafts.iter().enumerate() {
            let Some((name, span)) = &draft.name else {
                names.push(position.to_string());
                continue;
            };
            no_arrow(name, *span, diagnostics);
            if let Some(other) = number(name).filter(|other| *other != position && *other < drafts.len()) {
                let message = format!("this is machine {position}, and is called `{name}`");
                let warning = Diagnostic::warning(codes::MISLEADING_NAME, *span, message);
                diagnostics.push(
                    warning.with_hint(format!("in transitions, {other} is the position of another one")),
                );
            }
            names.push(name.clone());
        }
        let mut positions = BTreeMap::new();
        for (position, name) in names.iter().enumerate() {
            positions.entry(name.clone()).or_insert(position);
        }
        Self { all: names, positions }
    }

    /// Resolves the machine in a transition: by position, counted from 0, or by name.
    fn peer(&self, word: &str) -> Option<&str> {
        let by_position = number(word).filter(|position| *position < self.all.len());
        by_position.or_else(|| self.positions.get(word).copied()).map(|position| self.all[position].as_str())
    }
}

fn number(word: &str) -> Option<usize> {
    word.bytes().all(|byte| byte.is_ascii_digit()).then(|| word.parse().ok())?
}

/// Checks that the name of a machine has no `->`, which is used in the names of channels.
fn no_arrow(name: &str, span: Span, diagnostics: &mut Vec<Diagnostic>) {
    if name.contains("->") {
        let error =
            Diagnostic::error(codes::BAD_LINE, span, format!("`{name}` cannot be the name of a machine"));
        diagnostics.push(error.with_hint("names of machines have no `->` in them: names of channels do"));
    }
}

fn machine(names: &Names, position: usize, draft: &Draft, diagnostics: &mut Vec<Diagnostic>) -> Machine {
    let name = &names.all[position];
    let mut steps = Vec::with_capacity(draft.lines.len());
    for line in &draft.lines {
        let event = line.event.as_ref().map(|(direction, peer, at, message)| {
            let peer = names.peer(peer).unwrap_or_else(|| {
                diagnostics.push(unknown_peer(*at, peer, *direction));
                no_arrow(peer, *at, diagnostics);
                peer
            });
            let buffer = match direction {
                Direction::Send => channel(name, peer),
                Direction::Receive => channel(peer, name),
            };
            Exchange { direction: *direction, buffer, message: message.clone() }
        });
        let (source, target) = (line.source.clone(), line.target.clone());
        steps.push(Step { source, target, event, span: line.span });
    }
    let span = draft.name.as_ref().map_or(draft.span, |(_, span)| *span);
    let initial = draft.marking.as_ref().map(|(state, _)| state.clone()).unwrap_or_default();
    let machine = Machine { name: name.clone(), span, initial, states: Vec::new(), steps };
    diagnostics.extend(draft.marking.as_ref().and_then(|(_, at)| unknown_start(&machine, *at)));
    machine
}

/// The warning for a machine with transitions whose initial state none of them mentions.
fn unknown_start(machine: &Machine, at: Span) -> Option<Diagnostic> {
    if machine.steps.is_empty() || machine.mentions(&machine.initial) {
        return None;
    }
    let text = format!("no transition leaves `{0}` or leads to it", machine.initial);
    let warning = Diagnostic::warning(codes::UNKNOWN_START, at, text);
    Some(warning.with_hint("the machine starts there, and does nothing"))
}
