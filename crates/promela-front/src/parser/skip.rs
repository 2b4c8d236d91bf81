//! Error recovery: skips tokens to a point where parsing can continue.

use super::Parser;
use crate::lexer::Raw;
use crate::token::{Kind, Word};

impl Parser<'_> {
    /// Skips to the next separator or the end of the innermost sequence, past everything nested.
    pub(super) fn skip_statement(&mut self) {
        self.skip_statement_from(self.position);
    }

    /// As [`skip_statement`](Self::skip_statement), for a statement that began at an earlier token:
    /// groups opened since then are skipped to their ends.
    pub(super) fn skip_statement_from(&mut self, start: usize) {
        self.parentheses = 0;
        self.refresh();
        let mut depth = 0_usize;
        for token in &self.tokens[start..self.position] {
            match token.kind {
                Kind::Raw(Raw::OpenBrace) | Kind::Word(Word::If | Word::Do) => depth += 1,
                Kind::Raw(Raw::CloseBrace) | Kind::Word(Word::Fi | Word::Od) => {
                    depth = depth.saturating_sub(1);
                }
                _ => {}
            }
        }
        loop {
            match self.kind() {
                Kind::End => return,
                Kind::Raw(Raw::Semicolon | Raw::Arrow | Raw::Option | Raw::CloseBrace)
                | Kind::Word(Word::Fi | Word::Od)
                    if depth == 0 =>
                {
                    return;
                }
                Kind::Raw(Raw::OpenBrace) | Kind::Word(Word::If | Word::Do) => depth += 1,
                Kind::Raw(Raw::CloseBrace) | Kind::Word(Word::Fi | Word::Od) => depth -= 1,
                Kind::Word(Word::Proctype | Word::Active | Word::Init) => return,
                _ => {}
            }
            self.bump();
        }
    }

    /// Skips to the next token that can begin a unit.
    pub(super) fn skip_unit(&mut self) {
        self.parentheses = 0;
        self.refresh();
        let mut depth = 0_usize;
        while self.kind() != Kind::End {
            match self.kind() {
                Kind::Raw(Raw::OpenBrace) => depth += 1,
                Kind::Raw(Raw::CloseBrace) => {
                    depth = depth.saturating_sub(1);
                    if depth == 0 {
                        return self.bump();
                    }
                }
                Kind::Raw(Raw::Semicolon) if depth == 0 => return,
                Kind::Word(word) if depth == 0 && begins_unit(word) => return,
                Kind::Word(Word::Proctype | Word::Active) => return,
                _ => {}
            }
            self.bump();
        }
    }

    /// Skips `( ... )`, `[ ... ]` or `{ ... }`, if the next token opens one.
    pub(super) fn skip_group(&mut self) {
        let mut depth = 0_usize;
        let parentheses = std::mem::replace(&mut self.parentheses, 1);
        self.refresh();
        loop {
            match self.token().kind {
                Kind::Raw(Raw::OpenBrace | Raw::OpenParen | Raw::OpenBracket) => depth += 1,
                Kind::Raw(Raw::CloseBrace | Raw::CloseParen | Raw::CloseBracket) => {
                    depth = depth.saturating_sub(1);
                }
                Kind::End => break,
                _ if depth == 0 => break,
                _ => {}
            }
            self.bump();
            if depth == 0 {
                break;
            }
        }
        self.parentheses = parentheses;
        self.refresh();
    }
}

const fn begins_unit(word: Word) -> bool {
    matches!(
        word,
        Word::Active
            | Word::Proctype
            | Word::DProctype
            | Word::Init
            | Word::Never
            | Word::Trace
            | Word::NoTrace
            | Word::Ltl
            | Word::Typedef
            | Word::Inline
            | Word::Mtype
            | Word::Chan
            | Word::Bit
            | Word::Bool
            | Word::Byte
            | Word::Short
            | Word::Int
            | Word::Unsigned
            | Word::Pid
            | Word::Hidden
            | Word::Show
            | Word::Local
    )
}
