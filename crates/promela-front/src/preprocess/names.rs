//! Identifiers as small numbers, and which of them are macros.

use std::collections::HashMap;
use std::hash::{BuildHasherDefault, Hasher};
use std::rc::Rc;

use super::builtin::Builtin;
use super::definition::Macro;
use crate::token::{Kind, Word};

/// An identifier that was seen in a directive, a macro's body or an argument.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Symbol(u32);

impl Symbol {
    /// What is no identifier.
    pub const NONE: Self = Self(u32::MAX);
    /// `defined`, which is special in conditions.
    pub const DEFINED: Self = Self(0);
    /// `__VA_ARGS__`.
    pub const REST: Self = Self(1);
}

/// What a macro is.
#[derive(Clone, Debug)]
pub(super) enum Meaning {
    /// One of the text's.
    Defined(Rc<Macro>),
    /// One that is there from the beginning.
    Builtin(Builtin),
}

/// What is known about a symbol.
#[derive(Debug)]
struct Entry {
    text: Box<str>,
    kind: Kind,
    meaning: Option<Meaning>,
    /// Whether it is being expanded: inside its own expansion it is no macro.
    active: bool,
}

/// A hash for short words; the keys are words of one text, so that it need not resist attacks: the
/// worst that a text can do is to slow down its own reading.
#[derive(Default)]
struct WordHash(u64);

impl Hasher for WordHash {
    fn write(&mut self, bytes: &[u8]) {
        let (chunks, rest) = bytes.as_chunks::<8>();
        let mut last = [0; 8];
        last[..rest.len()].copy_from_slice(rest);
        for chunk in chunks.iter().chain([&last]) {
            self.0 = (self.0.rotate_left(5) ^ u64::from_le_bytes(*chunk)).wrapping_mul(0x517c_c1b7_2722_0a95);
        }
    }

    fn finish(&self) -> u64 {
        // The upper bits are the well mixed ones, the table looks at the lower ones too.
        self.0 ^ (self.0 >> 32)
    }
}

/// All symbols and macros.
#[derive(Debug)]
pub(super) struct Names {
    symbols: HashMap<Box<str>, Symbol, BuildHasherDefault<WordHash>>,
    entries: Vec<Entry>,
    /// By the first byte of a word, a bit for each length of a macro's name: most words of a text
    /// are no macros, and this tells so without a look into the table.
    lengths: [u64; 256],
}

impl Names {
    pub fn new() -> Self {
        let mut names = Self { symbols: HashMap::default(), entries: Vec::new(), lengths: [0; 256] };
        names.symbol("defined");
        names.symbol("__VA_ARGS__");
        names
    }

    /// The number of a word, a new one if need be.
    pub fn symbol(&mut self, text: &str) -> Symbol {
        if let Some(&symbol) = self.symbols.get(text) {
            return symbol;
        }
        let symbol = Symbol(u32::try_from(self.entries.len()).unwrap_or(u32::MAX - 1));
        let kind = Word::of(text).map_or(Kind::Name, Kind::Word);
        self.entries.push(Entry { text: text.into(), kind, meaning: None, active: false });
        self.symbols.insert(text.into(), symbol);
        symbol
    }

    /// The symbol of a word that is a macro now.
    pub fn macro_named(&self, text: &str) -> Option<Symbol> {
        let first = *text.as_bytes().first()?;
        if self.lengths[usize::from(first)] & length_bit(text) == 0 {
            return None;
        }
        self.symbols.get(text).copied().filter(|&symbol| self.is_macro(symbol))
    }

    pub fn define(&mut self, symbol: Symbol, meaning: Meaning) {
        if let Some(entry) = self.entries.get_mut(symbol.0 as usize) {
            if let Some(first) = entry.text.as_bytes().first() {
                self.lengths[usize::from(*first)] |= length_bit(&entry.text);
            }
            entry.meaning = Some(meaning);
        }
    }

    pub fn undefine(&mut self, symbol: Symbol) {
        if let Some(entry) = self.entries.get_mut(symbol.0 as usize) {
            entry.meaning = None;
        }
    }

    pub fn is_macro(&self, symbol: Symbol) -> bool {
        self.meaning(symbol).is_some()
    }

    pub fn meaning(&self, symbol: Symbol) -> Option<&Meaning> {
        self.entries.get(symbol.0 as usize)?.meaning.as_ref()
    }

    pub fn text(&self, symbol: Symbol) -> &str {
        self.entries.get(symbol.0 as usize).map_or("", |entry| &entry.text)
    }

    /// What the word is if it is no macro.
    pub fn kind(&self, symbol: Symbol) -> Kind {
        self.entries.get(symbol.0 as usize).map_or(Kind::Name, |entry| entry.kind)
    }

    pub fn is_active(&self, symbol: Symbol) -> bool {
        self.entries.get(symbol.0 as usize).is_some_and(|entry| entry.active)
    }

    pub fn set_active(&mut self, symbol: Symbol, active: bool) {
        if let Some(entry) = self.entries.get_mut(symbol.0 as usize) {
            entry.active = active;
        }
    }
}

fn length_bit(text: &str) -> u64 {
    1 << text.len().min(63)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_macros_are_found() {
        let mut names = Names::new();
        let symbol = names.symbol("abcdefghijk");
        assert_eq!(names.macro_named("abcdefghijk"), None);
        names.define(symbol, Meaning::Builtin(Builtin::Line));
        assert_eq!(names.macro_named("abcdefghijk"), Some(symbol));
        assert_eq!(names.macro_named("abcdefghijl"), None);
        names.undefine(symbol);
        assert_eq!(names.macro_named("abcdefghijk"), None);
    }

    #[test]
    fn the_special_words_have_their_numbers() {
        let mut names = Names::new();
        assert_eq!(names.symbol("defined"), Symbol::DEFINED);
        assert_eq!(names.symbol("__VA_ARGS__"), Symbol::REST);
    }
}
