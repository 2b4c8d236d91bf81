//! Tokens after preprocessing, as the parser reads them.

use std::num::NonZeroU32;

use cfsm_core::source::Span;

use crate::lexer::{LexError, Raw};

/// A use of a macro, counted from 1 in the order of expansion.
pub(crate) type UseId = NonZeroU32;

/// Keywords.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[allow(missing_docs, reason = "each is the word itself")]
pub(crate) enum Word {
    Active,
    Assert,
    Atomic,
    Bit,
    Bool,
    Break,
    Byte,
    Chan,
    CCode,
    CDecl,
    CExpr,
    CState,
    CTrack,
    DProctype,
    DStep,
    Do,
    Else,
    Empty,
    Enabled,
    Eval,
    False,
    Fi,
    For,
    Full,
    GetPriority,
    Goto,
    Hidden,
    If,
    Init,
    Inline,
    Int,
    Len,
    Local,
    Ltl,
    Mtype,
    Nempty,
    Never,
    Nfull,
    NoTrace,
    NonProgress,
    Od,
    Of,
    PcValue,
    Pid,
    Printf,
    Printm,
    Priority,
    Proctype,
    Provided,
    Return,
    Run,
    Select,
    SetPriority,
    Short,
    Show,
    Skip,
    Timeout,
    Trace,
    True,
    Typedef,
    Unless,
    Unsigned,
    Xr,
    Xs,
}

/// All keywords.
const WORDS: &[(&str, Word)] = &[
    ("D_proctype", Word::DProctype),
    ("active", Word::Active),
    ("assert", Word::Assert),
    ("atomic", Word::Atomic),
    ("bit", Word::Bit),
    ("bool", Word::Bool),
    ("break", Word::Break),
    ("byte", Word::Byte),
    ("c_code", Word::CCode),
    ("c_decl", Word::CDecl),
    ("c_expr", Word::CExpr),
    ("c_state", Word::CState),
    ("c_track", Word::CTrack),
    ("chan", Word::Chan),
    ("d_step", Word::DStep),
    ("do", Word::Do),
    ("else", Word::Else),
    ("empty", Word::Empty),
    ("enabled", Word::Enabled),
    ("eval", Word::Eval),
    ("false", Word::False),
    ("fi", Word::Fi),
    ("for", Word::For),
    ("full", Word::Full),
    ("get_priority", Word::GetPriority),
    ("goto", Word::Goto),
    ("hidden", Word::Hidden),
    ("if", Word::If),
    ("init", Word::Init),
    ("inline", Word::Inline),
    ("int", Word::Int),
    ("len", Word::Len),
    ("local", Word::Local),
    ("ltl", Word::Ltl),
    ("mtype", Word::Mtype),
    ("nempty", Word::Nempty),
    ("never", Word::Never),
    ("nfull", Word::Nfull),
    ("notrace", Word::NoTrace),
    ("np_", Word::NonProgress),
    ("od", Word::Od),
    ("of", Word::Of),
    ("pc_value", Word::PcValue),
    ("pid", Word::Pid),
    ("printf", Word::Printf),
    ("printm", Word::Printm),
    ("priority", Word::Priority),
    ("proctype", Word::Proctype),
    ("provided", Word::Provided),
    ("return", Word::Return),
    ("run", Word::Run),
    ("select", Word::Select),
    ("set_priority", Word::SetPriority),
    ("short", Word::Short),
    ("show", Word::Show),
    ("skip", Word::Skip),
    ("timeout", Word::Timeout),
    ("trace", Word::Trace),
    ("true", Word::True),
    ("typedef", Word::Typedef),
    ("unless", Word::Unless),
    ("unsigned", Word::Unsigned),
    ("xr", Word::Xr),
    ("xs", Word::Xs),
];

/// Index in [`TABLE`] at which the search for a word begins.
const fn slot(word: &[u8]) -> usize {
    let (first, last) = (word[0] as usize, word[word.len() - 1] as usize);
    (first.wrapping_mul(7) ^ last.wrapping_mul(29) ^ word.len().wrapping_mul(113)) % 256
}

/// Hash table of indices in [`WORDS`], plus one, each at the first free slot from its [`slot`] on;
/// 0 is free.
const TABLE: [u8; 256] = {
    let mut table = [0_u8; 256];
    let mut word = 0;
    while word < WORDS.len() {
        let mut at = slot(WORDS[word].0.as_bytes());
        while table[at] != 0 {
            at = (at + 1) % 256;
        }
        word += 1;
        table[at] = word as u8;
    }
    table
};

impl Word {
    /// The keyword with this text, if there is one. Constant time.
    pub(crate) fn of(text: &str) -> Option<Self> {
        if text.is_empty() {
            return None;
        }
        let mut at = slot(text.as_bytes());
        loop {
            let position = usize::from(TABLE[at]).checked_sub(1)?;
            let (name, word) = WORDS[position];
            if name == text {
                return Some(word);
            }
            at = (at + 1) % 256;
        }
    }
}

/// The kind of a token.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    /// A keyword.
    Word(Word),
    /// Any other identifier.
    Name,
    /// Punctuation, numbers, strings.
    Raw(Raw),
    /// A lexical error.
    Bad(LexError),
    /// The name of an inline that is called: its arguments follow, and then the statements of its
    /// body.
    Call,
    /// A placeholder for a reported error.
    Unsupported,
    /// The end of the text.
    End,
}

/// A token.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Token {
    /// The kind of the token.
    pub kind: Kind,
    /// Span of the token in the text; for a token of a macro's body, that of the use of the
    /// outermost macro. A token in an argument of a macro has its own span.
    pub span: Span,
    /// Span of its characters; differs from `span` for a token of a macro's body. Characters that
    /// are in no file (a word made by `##`, a word split by a line end) are in a text of their own.
    pub text: Span,
    /// The innermost use of a macro that it passed through; see [`Uses`](crate::preprocess::Uses).
    pub through: Option<UseId>,
    /// `true` if it is the first one on its line: a line end can end a statement.
    pub first_on_line: bool,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_word_is_found() {
        for &(name, word) in WORDS {
            assert_eq!(Word::of(name), Some(word));
        }
        assert_eq!(Word::of("xt"), None);
        assert_eq!(Word::of(""), None);
    }

    #[test]
    fn tokens_are_small() {
        assert!(size_of::<Token>() <= 32);
    }
}
