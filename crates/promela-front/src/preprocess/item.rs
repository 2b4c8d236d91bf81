//! Tokens during macro expansion.

use cfsm_core::source::Span;

use super::names::Symbol;
use crate::lexer::{LexError, Raw};
use crate::token::UseId;

/// Padding before a token at the edge of a macro or an argument. GCC uses it to decide on blanks
/// and line breaks in its output, which in turn decide which characters Spin reads as one operator.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) enum Pad {
    /// No edge.
    #[default]
    None,
    /// The end of an expansion: a blank if the token has one.
    End,
    /// The beginning of an expansion after a blank.
    White,
    /// The beginning of an expansion without a blank before it.
    Tight,
}

impl Pad {
    /// The padding at the beginning of an expansion.
    pub const fn begin(white: bool) -> Self {
        if white { Self::White } else { Self::Tight }
    }

    /// The combination of two consecutive edges.
    pub const fn then(self, next: Self) -> Self {
        match (self, next) {
            (_, Self::None) => self,
            (Self::None | Self::End, _) => next,
            (Self::Tight, Self::End) => Self::End,
            _ => self,
        }
    }
}

/// A token during macro expansion.
#[derive(Clone, Copy, Debug)]
pub(super) struct Item {
    /// The token or the lexical error.
    pub raw: Result<Raw, LexError>,
    /// `true` if white space precedes it.
    pub white: bool,
    /// The padding before it.
    pub pad: Pad,
    /// `true` if it is never expanded, because it was met inside its own expansion.
    pub painted: bool,
    /// `true` if it was written outside of any macro's body, so that it keeps its span.
    pub written: bool,
    /// `true` if it is a placeholder for a reported error.
    pub reported: bool,
    /// Its symbol, if it is an identifier.
    pub symbol: Symbol,
    /// Its line, or that of the use of the outermost macro.
    pub line: u32,
    /// See [`Token::span`](crate::token::Token::span).
    pub span: Span,
    /// See [`Token::text`](crate::token::Token::text).
    pub text: Span,
    /// See [`Token::through`](crate::token::Token::through).
    pub through: Option<UseId>,
}

impl Item {
    /// Returns `true` if a blank precedes it, including padding.
    pub const fn spaced(&self) -> bool {
        match self.pad {
            Pad::None | Pad::End => self.white,
            Pad::White => true,
            Pad::Tight => false,
        }
    }

    /// The token as part of a use of the macro in whose body it is.
    pub const fn stamped(mut self, stamp: Stamp) -> Self {
        self.span = stamp.span;
        self.line = stamp.line;
        self.through = stamp.through;
        self.written = false;
        self
    }
}

/// The data that all tokens of an expansion get from the use.
#[derive(Clone, Copy, Debug)]
pub(super) struct Stamp {
    pub span: Span,
    pub line: u32,
    pub through: Option<UseId>,
}
