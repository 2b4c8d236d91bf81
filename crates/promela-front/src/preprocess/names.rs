//! Interned identifiers, and the macro table.

use std::collections::HashMap;
use std::hash::{BuildHasherDefault, Hasher};
use std::rc::Rc;

use super::builtin::Builtin;
use super::definition::Macro;
use crate::token::{Kind, Word};

/// An interned identifier from a directive, a macro's body or an argument.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Symbol(u32);

impl Symbol {
    /// Not an identifier.
    pub const NONE: Self = Self(u32::MAX);
    /// `defined`, which is special in conditions.
    pub const DEFINED: Self = Self(0);
    /// `__VA_ARGS__`.
    pub const REST: Self = Self(1);
}

/// The meaning of a macro.
#[derive(Clone, Debug)]
pub(super) enum Meaning {
    /// A macro defined in the text.
    Defined(Rc<Macro>),
    /// A predefined macro.
    Builtin(Builtin),
}

/// Data of a symbol.
#[derive(Debug)]
struct Entry {
    text: Box<str>,
    kind: Kind,
    meaning: Option<Meaning>,
    /// `true` while it is being expanded: inside its own expansion it is not a macro.
    active: bool,
}

/// Hash for short words. The keys are words of one text, so it need not resist attacks: a text can
/// only slow down its own processing.
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
        // The upper bits are well mixed, and the table uses the lower ones too.
        self.0 ^ (self.0 >> 32)
    }
}

/// All symbols and macros.
#[derive(Debug)]
pub(super) struct Names {
    symbols: HashMap<Box<str>, Symbol, BuildHasherDefault<WordHash>>,
    entries: Vec<Entry>,
    /// For each first byte of a word, a bit set of the lengths of macro names: most words of a text
    /// are not macros, and this shows it without a table lookup.
    lengths: [u64; 256],
}

impl Names {
    pub fn new() -> Self {
        let mut names = Self { symbols: HashMap::default(), entries: Vec::new(), lengths: [0; 256] };
        names.symbol("defined");
        names.symbol("__VA_ARGS__");
        names
    }

    /// The symbol of a word, which is interned if necessary.
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

    /// The symbol of a word that is currently a macro.
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

    /// The token kind of the word if it is not a macro.
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
