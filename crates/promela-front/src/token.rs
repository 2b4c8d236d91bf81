//! Tokens after preprocessing: what the parser reads.

use cfsm_core::source::Span;

use crate::lexer::{LexError, Raw};

/// Words with a meaning of their own.
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

/// Sorted, so that a lookup is a binary search.
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

impl Word {
    /// The keyword, if the text is one.
    pub(crate) fn of(text: &str) -> Option<Self> {
        let position = WORDS.binary_search_by_key(&text, |(name, _)| name).ok()?;
        Some(WORDS[position].1)
    }
}

/// What a token is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    /// A keyword.
    Word(Word),
    /// Any other identifier.
    Name,
    /// Punctuation, numbers, strings.
    Raw(Raw),
    /// What the lexer could not read.
    Bad(LexError),
    /// The use of a macro that was reported when it was defined.
    Unsupported,
    /// The end of the text.
    End,
}

/// A token.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Token {
    /// What it is.
    pub kind: Kind,
    /// Where the user wrote it; for a token out of a macro, where the macro is used.
    pub span: Span,
    /// Where its letters stand; differs from `span` for a token out of a macro.
    pub text: Span,
    /// Whether it is the first one on its line: the end of a line can end a statement.
    pub first_on_line: bool,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_table_of_words_is_sorted() {
        assert!(WORDS.is_sorted_by_key(|(name, _)| *name));
        assert_eq!(Word::of("D_proctype"), Some(Word::DProctype));
        assert_eq!(Word::of("xs"), Some(Word::Xs));
        assert_eq!(Word::of("xt"), None);
    }
}
