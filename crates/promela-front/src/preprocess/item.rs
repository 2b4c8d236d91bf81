//! Tokens while macros are expanded.

use cfsm_core::source::Span;

use super::names::Symbol;
use crate::lexer::{LexError, Raw};
use crate::token::UseId;

/// What the edge of a macro or of an argument leaves before a token. GCC decides by it whether it
/// writes a blank, and where it begins a new line; that decides which characters Spin reads as one
/// operator.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) enum Pad {
    /// There is no edge.
    #[default]
    None,
    /// The end of something: a blank if the token has one.
    End,
    /// The beginning of something that had a blank before it.
    White,
    /// The beginning of something without a blank before it.
    Tight,
}

impl Pad {
    /// The beginning of something.
    pub const fn begin(white: bool) -> Self {
        if white { Self::White } else { Self::Tight }
    }

    /// Two edges, one behind the other.
    pub const fn then(self, next: Self) -> Self {
        match (self, next) {
            (_, Self::None) => self,
            (Self::None | Self::End, _) => next,
            (Self::Tight, Self::End) => Self::End,
            _ => self,
        }
    }
}

/// A token while macros are expanded.
#[derive(Clone, Copy, Debug)]
pub(super) struct Item {
    /// What it is.
    pub raw: Result<Raw, LexError>,
    /// Whether a blank, a comment or the end of a line stands before it.
    pub white: bool,
    /// What edges stand before it.
    pub pad: Pad,
    /// Whether it is no macro for ever, because it was met inside its own expansion.
    pub painted: bool,
    /// Whether the user wrote it outside of any macro's body: it keeps its place.
    pub written: bool,
    /// Whether it stands for something that was reported as an error.
    pub reported: bool,
    /// Its number, if it is an identifier.
    pub symbol: Symbol,
    /// Its line, or the line on which the outermost macro is used.
    pub line: u32,
    /// See [`Token::span`](crate::token::Token::span).
    pub span: Span,
    /// See [`Token::text`](crate::token::Token::text).
    pub text: Span,
    /// See [`Token::through`](crate::token::Token::through).
    pub through: Option<UseId>,
}

impl Item {
    /// Whether a blank stands before it, edges considered.
    pub const fn spaced(&self) -> bool {
        match self.pad {
            Pad::None | Pad::End => self.white,
            Pad::White => true,
            Pad::Tight => false,
        }
    }

    /// The same, out of the body of a macro that is used.
    pub const fn stamped(mut self, stamp: Stamp) -> Self {
        self.span = stamp.span;
        self.line = stamp.line;
        self.through = stamp.through;
        self.written = false;
        self
    }
}

/// What all tokens out of a macro's body have from its use.
#[derive(Clone, Copy, Debug)]
pub(super) struct Stamp {
    pub span: Span,
    pub line: u32,
    pub through: Option<UseId>,
}
