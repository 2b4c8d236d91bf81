//! Code in Art: what is put together from several places, and what is not read yet.

use std::collections::BTreeSet;

use cfsm_core::diagnostic::Diagnostic;
use cfsm_core::source::Span;

use super::members::stretch;
use crate::action::token;
use crate::codes;
use crate::fragment::Fragment;
use crate::tree::art::{Capsule, File, Graph};

/// The macro that stands for the code that is overridden.
const CALL_OF_BASE: &str = "CALLSUPER";

/// A condition that nothing is known of.
const UNKNOWN: &str = "inherited_here";

/// Functions of the run-time system that do what is not read yet.
struct Refused {
    words: &'static [&'static str],
    what: &'static str,
}

const REFUSED: &[Refused] = &[
    Refused { words: &["purge"], what: "deferred messages that are dropped" },
    Refused {
        words: &["RTInjector", "registerCreateFunction"],
        what: "capsules that are created by code of others",
    },
    Refused { words: &["newMsg"], what: "messages that are put together by hand" },
    Refused { words: &["import"], what: "capsules that are moved from part to part" },
    Refused { words: &["SUPERMETHOD"], what: "calls of overridden operations by this macro" },
];

/// Reports what a capsule has that is not read yet.
pub(crate) fn refuse(capsule: &Capsule, whole: &Capsule, file: &File, diagnostics: &mut Vec<Diagnostic>) {
    let mut report = |span: Span, what: &str| {
        let found = Diagnostic::error(codes::NOT_READ, span, format!("{what} are not read yet"));
        diagnostics.push(found.with_hint("no verdict can be given for a system with this capsule"));
    };
    for port in capsule.ports.iter().filter(|port| port.unwired && port.notify) {
        report(port.port.name.span, "ports that code wires and that are told of it");
    }
    for snippet in
        capsule.parts.iter().flat_map(|part| part.snippets.iter().map(move |snippet| (part, snippet)))
    {
        let (part, snippet) = snippet;
        let own_code = capsule.snippets.iter().map(|snippet| &snippet.code).chain(&file.code.fragments);
        let has_macros = own_code.into_iter().any(|code| code.text.contains("define"));
        let plain = is_creation(&snippet.code, &part.part.class.text) && !has_macros;
        if snippet.place.text.starts_with("create") && !plain {
            report(snippet.place.span, "capsules that are created by code");
        }
    }
    let outside = capsule.snippets.iter().map(|snippet| &snippet.code).chain(&file.code.fragments);
    for code in outside.chain(guards(capsule)).filter(|code| code.text.contains(CALL_OF_BASE)) {
        report(code.span().unwrap_or(capsule.name.span), "calls of overridden code by macros and guards");
    }
    let passing = whole.ports.iter().filter(|port| !port.behavior).map(|port| &port.port.name);
    let passing: BTreeSet<&str> = passing.map(|name| name.text.as_str()).collect();
    for code in fragments(capsule) {
        if token::hides_words(&code.text) {
            report(code.span().unwrap_or(capsule.name.span), "words that go on in the next line");
        }
        let tokens = token::tokens(&code.text);
        let words = tokens.iter().filter(|token| token.kind == token::Kind::Word);
        for found in words {
            let place = code.place(found.start, found.end).unwrap_or(capsule.name.span);
            if passing.contains(found.text) {
                report(place, "ports that only pass on, in code,");
            }
            if let Some(refused) = REFUSED.iter().find(|refused| refused.words.contains(&found.text)) {
                report(place, refused.what);
            }
        }
    }
}

/// The lines of code that define macros.
pub(crate) fn macros(code: &Fragment) -> Vec<Fragment> {
    let defines = |line: &str| token::tokens(line).iter().any(|token| token.is("define"));
    let mut all = Vec::new();
    let mut end = 0;
    for line in code.text.split_inclusive('\n') {
        end += line.len();
        if defines(line) {
            all.push(stretch(code, &(end - line.len()..end)));
        }
    }
    all
}

/// The words of code.
pub(crate) fn words(code: &Fragment) -> BTreeSet<String> {
    let tokens = token::tokens(&code.text);
    let words = tokens.iter().filter(|token| token.kind == token::Kind::Word);
    words.map(|word| word.text.to_owned()).collect()
}

/// True if code does nothing but to return a new capsule of a class.
fn is_creation(code: &Fragment, class: &str) -> bool {
    let tokens = token::tokens(&code.text);
    let words: Vec<&str> = tokens.iter().map(|token| token.text).collect();
    let once = |word: &str| code.text.matches(word).count() == 1;
    let begins = words.len() > 3 && words[..3] == ["return", "new", class] && words[3] == "(";
    begins && ["return", "new", ";"].iter().all(|word| once(word)) && !code.text.contains('?')
}

/// The guards in the machine of a capsule.
fn guards(capsule: &Capsule) -> Vec<&Fragment> {
    let mut all = Vec::new();
    let mut open: Vec<&Graph> = capsule.machine.iter().collect();
    while let Some(graph) = open.pop() {
        open.extend(graph.states.iter().map(|state| &state.graph));
        for transition in &graph.transitions {
            all.extend(transition.guard.iter());
            all.extend(transition.triggers.iter().filter_map(|trigger| trigger.guard.as_ref()));
        }
    }
    all
}

/// The names behind a dot or an arrow in code, but for those of the capsule itself, and those of
/// pointers to members, as `&Capsule::name`: members of other objects, which may be other capsules.
pub(crate) fn named_elsewhere(code: &Fragment) -> BTreeSet<String> {
    let tokens = token::tokens(&code.text);
    let of_another = tokens.windows(2).enumerate().filter(|(position, pair)| {
        let own = position.checked_sub(1).is_some_and(|before| tokens[before].is("this"));
        matches!(pair[0].kind, token::Kind::Dot | token::Kind::Arrow) && !own
    });
    let is_word = |token: &&token::Token<'_>| token.kind == token::Kind::Word;
    let pointed = tokens.iter().filter(is_word).filter(|member| {
        let class = code.text[..member.start].trim_end().strip_suffix("::").map(str::trim_end);
        let is_part = |c: char| c.is_alphanumeric() || matches!(c, '_' | ':');
        class.is_some_and(|class| class.trim_end_matches(is_part).trim_end().ends_with('&'))
    });
    of_another.map(|(_, pair)| pair[1].text.to_owned()).chain(pointed.map(|m| m.text.to_owned())).collect()
}

/// The first word of code by which messages may overtake each other: a priority, a message that is
/// deferred, or one that is handled at once. Where words may be hidden, all of the code.
pub(crate) fn reordering(code: &Fragment) -> Option<Span> {
    let hides = token::hides_words(&code.text) || token::assembles(&code.text) || code.text.contains("##");
    if hides {
        return code.span();
    }
    let tokens = token::tokens(&code.text);
    let closes = |position: usize| tokens.get(position).is_some_and(|token| token.text == ")");
    let found = (0..tokens.len()).find(|&position| match tokens[position].text {
        "defer" | "invoke" | "invokeAt" => true,
        "send" => !closes(position + 2),
        // Behind the index there is a priority.
        "sendAt" => arguments(&tokens[position + 1..]) != Some(1),
        _ => false,
    })?;
    code.place(tokens[found].start, tokens[found].end).or_else(|| code.span())
}

/// The number of arguments between parentheses at the beginning of tokens.
fn arguments(tokens: &[token::Token<'_>]) -> Option<usize> {
    let (mut depth, mut commas) = (0_usize, 0);
    for token in tokens {
        match token.text {
            "(" | "[" | "{" => depth += 1,
            ")" | "]" | "}" => depth = depth.checked_sub(1)?,
            text if depth == 1 && text.contains(',') => commas += 1,
            _ => {}
        }
        if depth == 0 {
            return Some(commas + 1);
        }
    }
    None
}

/// True if code may move capsules into parts.
pub(crate) fn imports(code: &Fragment) -> bool {
    ["import", "define"].iter().any(|word| code.text.contains(word)) || token::hides_words(&code.text)
}

/// True if code of a capsule may destroy capsules.
pub(crate) fn any_destroys(capsule: &Capsule) -> bool {
    fragments(capsule).into_iter().any(|code| destroys(code) || token::hides_words(&code.text))
}

/// True if code may destroy capsules.
pub(crate) fn destroys(code: &Fragment) -> bool {
    ["destroy", "define", "delete"].iter().any(|word| code.text.contains(word))
}

/// All code of a capsule.
pub(crate) fn fragments(capsule: &Capsule) -> Vec<&Fragment> {
    let of_parts = capsule.parts.iter().flat_map(|part| &part.snippets);
    let mut all: Vec<&Fragment> =
        capsule.snippets.iter().chain(of_parts).map(|snippet| &snippet.code).collect();
    let mut open: Vec<&Graph> = capsule.machine.iter().collect();
    while let Some(graph) = open.pop() {
        for state in &graph.states {
            all.extend(state.entry.iter().chain(&state.exit));
            open.push(&state.graph);
        }
        for transition in &graph.transitions {
            all.extend(transition.guard.iter().chain(&transition.action));
            all.extend(transition.triggers.iter().filter_map(|trigger| trigger.guard.as_ref()));
        }
    }
    all
}

/// True for the guard `else`.
pub(crate) fn is_else(guard: &Fragment) -> bool {
    guard.text.trim().trim_end_matches(';').trim() == "else"
}

/// A guard as an expression: what it returns, if it is a statement.
pub(crate) fn condition(guard: &Fragment) -> Fragment {
    let text = guard.text.trim();
    let returned = text
        .strip_prefix("return")
        .filter(|rest| !rest.starts_with(|c: char| c.is_alphanumeric() || c == '_'));
    let inside = returned.and_then(|rest| rest.strip_suffix(';'));
    let Some(inside) = inside.filter(|inside| !inside.contains(';')) else {
        return guard.clone();
    };
    let start = guard.text.find(inside).unwrap_or(0);
    stretch(guard, &(start..start + inside.len()))
}

/// Code that takes the place of inherited code, which it may call. Where it is missing, the
/// inherited code may run or not.
pub(crate) fn overriding(base: Option<&Fragment>, own: Option<&Fragment>) -> Option<Fragment> {
    let (base, own) = match (base, own) {
        (None, own) => return own.cloned(),
        (Some(base), None) => return Some(perhaps(base)),
        (Some(base), Some(own)) => (base, own),
    };
    let calls: Vec<usize> = own.text.match_indices(CALL_OF_BASE).map(|(at, _)| at).collect();
    if calls.is_empty() {
        return Some(own.clone());
    }
    let (mut whole, mut done) = (Fragment::default(), 0);
    if hides(own, base) {
        // A jump: code that is not understood.
        whole.text.push_str("goto here; here: ");
    }
    for at in calls {
        append(&mut whole, &stretch(own, &(done..at)));
        whole.text.push('{');
        append(&mut whole, base);
        whole.text.push_str("\n}");
        done = at + CALL_OF_BASE.len();
    }
    append(&mut whole, &stretch(own, &(done..own.text.len())));
    Some(whole)
}

/// True if in the middle of code, inherited code might mean something else: a variable that was
/// declared before it, or the end of both.
fn hides(own: &Fragment, base: &Fragment) -> bool {
    let (own, base) = (token::tokens(&own.text), token::tokens(&base.text));
    let is_word = |token: &token::Token<'_>| token.kind == token::Kind::Word;
    // What stands behind a word, or behind what makes a pointer or a template of one.
    let declares = |token: &token::Token<'_>| is_word(token) || token.text.ends_with(['*', '&', '>', ',']);
    let declared = own.windows(2).filter(|pair| is_word(&pair[1]) && declares(&pair[0]));
    let declared: BTreeSet<&str> = declared.map(|pair| pair[1].text).collect();
    let met = |token: &&token::Token<'_>| is_word(token) && declared.contains(token.text);
    base.iter().any(|token| token.text == "return" || met(&token))
}

fn perhaps(base: &Fragment) -> Fragment {
    let mut whole = Fragment::default();
    whole.text.push_str("if (");
    whole.text.push_str(UNKNOWN);
    whole.text.push_str(") {");
    append(&mut whole, base);
    whole.text.push_str("\n}");
    whole
}

/// An inherited guard that may have to hold.
pub(crate) fn perhaps_guarded(base: &Fragment) -> Fragment {
    if is_else(base) {
        return base.clone();
    }
    let base = condition(base);
    let mut whole = Fragment::default();
    whole.text.push_str(UNKNOWN);
    whole.text.push_str(" || (");
    append(&mut whole, &base);
    whole.text.push(')');
    whole
}

/// Adds code with the places that it comes from.
fn append(whole: &mut Fragment, code: &Fragment) {
    let at = whole.text.len();
    whole
        .pieces
        .extend(code.pieces.iter().map(|piece| crate::fragment::Piece { at: at + piece.at, ..*piece }));
    whole.text.push_str(&code.text);
}
