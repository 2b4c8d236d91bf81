//! Statements.

use cfsm_core::diagnostic::Diagnostic;
use cfsm_core::source::Span;

use super::token::{Kind, Token, tokens};
use super::{Opaque, Scope, sends};
use crate::codes;
use crate::fragment::Fragment;
use crate::model::{Block, Step};

/// Words that begin what is not understood.
const STRANGE: &[&str] =
    &["goto", "try", "catch", "throw", "synchronized", "asm", "__asm", "finally", "setjmp", "longjmp"];

/// Reads the statements of a fragment.
pub(crate) struct Reader<'r, 'c> {
    pub(crate) code: &'r Fragment,
    pub(crate) scope: &'r Scope<'c>,
    pub(crate) diagnostics: &'r mut Vec<Diagnostic>,
    pub(crate) tokens: Vec<Token<'r>>,
    position: usize,
    depth: usize,
}

impl<'r, 'c> Reader<'r, 'c> {
    pub(crate) fn new(
        code: &'r Fragment,
        scope: &'r Scope<'c>,
        diagnostics: &'r mut Vec<Diagnostic>,
    ) -> Self {
        let tokens = tokens(&code.text);
        Self { code, scope, diagnostics, tokens, position: 0, depth: 0 }
    }

    /// All statements.
    pub(crate) fn all(&mut self) -> Result<Block, Opaque> {
        if self.tokens.iter().any(|token| matches!(token.kind, Kind::Hash | Kind::Bad)) {
            return Err(Opaque);
        }
        let mut block = Vec::new();
        while self.position < self.tokens.len() {
            self.statement(&mut block)?;
        }
        Ok(block)
    }

    /// The fragment as one expression.
    pub(crate) fn whole_expression(&mut self) -> Result<Block, Opaque> {
        // A guard of older texts is a statement: `return x;`.
        let statement = self.tokens.iter().any(|token| token.kind == Kind::Semicolon || token.is("return"));
        if statement {
            return Ok(vec![Step::Call(self.all()?)]);
        }
        self.effects(0, self.tokens.len())
    }

    fn kind(&self) -> Option<Kind> {
        self.tokens.get(self.position).map(|token| token.kind)
    }

    fn at(&self, word: &str) -> bool {
        self.tokens.get(self.position).is_some_and(|token| token.is(word))
    }

    fn eat(&mut self, word: &str) -> bool {
        let found = self.at(word);
        self.position += usize::from(found);
        found
    }

    fn expect(&mut self, kind: Kind) -> Result<(), Opaque> {
        if self.kind() != Some(kind) {
            return Err(Opaque);
        }
        self.position += 1;
        Ok(())
    }

    fn statement(&mut self, block: &mut Block) -> Result<(), Opaque> {
        if self.depth >= self.scope.max_nesting {
            return Err(Opaque);
        }
        self.depth += 1;
        let result = self.statement_here(block);
        self.depth -= 1;
        result
    }

    fn statement_here(&mut self, block: &mut Block) -> Result<(), Opaque> {
        let Some(token) = self.tokens.get(self.position).copied() else { return Err(Opaque) };
        match token.kind {
            Kind::Semicolon => {
                self.position += 1;
                return Ok(());
            }
            Kind::OpenBrace => {
                self.position += 1;
                while self.kind() != Some(Kind::CloseBrace) {
                    self.statement(block)?;
                }
                self.position += 1;
                return Ok(());
            }
            Kind::CloseBrace => return Err(Opaque),
            _ => {}
        }
        match token.text {
            _ if token.kind != Kind::Word => self.simple(block),
            "if" => self.selection(block),
            "while" => self.while_loop(block),
            "for" => self.for_loop(block),
            "do" => self.do_loop(block),
            "switch" => self.switch(block),
            "break" => self.jump(block, Step::Break),
            "continue" => self.jump(block, Step::Continue),
            "return" => {
                self.position += 1;
                self.simple(block)?;
                block.push(Step::Return);
                Ok(())
            }
            "case" | "default" | "else" => Err(Opaque),
            word if STRANGE.contains(&word) => Err(Opaque),
            _ if self.tokens.get(self.position + 1).is_some_and(|next| next.kind == Kind::Colon) => {
                Err(Opaque)
            }
            _ => self.simple(block),
        }
    }

    fn jump(&mut self, block: &mut Block, step: Step) -> Result<(), Opaque> {
        self.position += 1;
        self.expect(Kind::Semicolon)?;
        block.push(step);
        Ok(())
    }

    /// An expression or a declaration, up to its semicolon. The last one of a fragment may be
    /// without.
    fn simple(&mut self, block: &mut Block) -> Result<(), Opaque> {
        let start = self.position;
        let end = self.up_to(Kind::Semicolon)?;
        self.position = (end + 1).min(self.tokens.len());
        block.extend(self.effects(start, end)?);
        Ok(())
    }

    /// The position of the next token of a kind outside all brackets, or the end of the fragment.
    fn up_to(&self, kind: Kind) -> Result<usize, Opaque> {
        let mut depth = 0_usize;
        for (position, token) in self.tokens.iter().enumerate().skip(self.position) {
            match token.kind {
                found if found == kind && depth == 0 => return Ok(position),
                Kind::OpenParen | Kind::OpenBracket | Kind::OpenBrace => depth += 1,
                Kind::CloseParen | Kind::CloseBracket | Kind::CloseBrace => {
                    depth = depth.checked_sub(1).ok_or(Opaque)?;
                }
                Kind::Word if STRANGE.contains(&token.text) => return Err(Opaque),
                Kind::Word if depth == 0 && position > self.position && is_keyword(token.text) => {
                    // A macro without a semicolon stands before a statement.
                    return Err(Opaque);
                }
                _ => {}
            }
        }
        if depth == 0 { Ok(self.tokens.len()) } else { Err(Opaque) }
    }

    /// `( ... )`: the effects of what is between.
    fn parenthesised(&mut self) -> Result<Block, Opaque> {
        self.expect(Kind::OpenParen)?;
        let start = self.position;
        let end = self.up_to(Kind::CloseParen)?;
        if end == self.tokens.len() {
            return Err(Opaque);
        }
        self.position = end + 1;
        self.effects(start, end)
    }

    fn selection(&mut self, block: &mut Block) -> Result<(), Opaque> {
        self.position += 1;
        self.eat("constexpr");
        block.extend(self.parenthesised()?);
        let (mut then, mut otherwise) = (Vec::new(), Vec::new());
        self.statement(&mut then)?;
        if self.eat("else") {
            self.statement(&mut otherwise)?;
        }
        if !(then.is_empty() && otherwise.is_empty()) {
            self.scope.count_condition();
            block.push(Step::Choice(vec![then, otherwise]));
        }
        Ok(())
    }

    fn while_loop(&mut self, block: &mut Block) -> Result<(), Opaque> {
        let start = self.position;
        self.position += 1;
        let condition = self.parenthesised()?;
        let mut body = Vec::new();
        self.statement(&mut body)?;
        body.extend(condition.clone());
        block.extend(condition);
        self.repeat(block, body, start);
        Ok(())
    }

    fn for_loop(&mut self, block: &mut Block) -> Result<(), Opaque> {
        let start = self.position;
        self.position += 1;
        self.expect(Kind::OpenParen)?;
        let open = self.position;
        let end = self.up_to(Kind::CloseParen)?;
        // What the head of a loop sends is rare enough not to be told apart.
        if sends(&self.effects(open, end)?) {
            return Err(Opaque);
        }
        self.position = end + 1;
        let mut body = Vec::new();
        self.statement(&mut body)?;
        self.repeat(block, body, start);
        Ok(())
    }

    fn do_loop(&mut self, block: &mut Block) -> Result<(), Opaque> {
        let start = self.position;
        self.position += 1;
        let mut body = Vec::new();
        self.statement(&mut body)?;
        if !self.eat("while") {
            return Err(Opaque);
        }
        body.extend(self.parenthesised()?);
        self.expect(Kind::Semicolon)?;
        self.repeat(block, body, start);
        Ok(())
    }

    fn repeat(&mut self, block: &mut Block, body: Block, start: usize) {
        if sends(&body) {
            self.scope.count_condition();
            self.warn(start, "a loop that sends", "it is taken as running any number of times");
            block.push(Step::Repeat(body));
        } else if body.iter().any(leaves) {
            block.push(Step::Choice(vec![Vec::new(), vec![Step::Return]]));
        }
    }

    /// A `switch`: one of its labels, and what follows it up to a `break`.
    fn switch(&mut self, block: &mut Block) -> Result<(), Opaque> {
        self.position += 1;
        block.extend(self.parenthesised()?);
        self.expect(Kind::OpenBrace)?;
        let (mut cases, mut has_default): (Vec<Block>, bool) = (Vec::new(), false);
        while self.kind() != Some(Kind::CloseBrace) {
            if self.at("case") || self.at("default") {
                has_default |= self.at("default");
                let end = self.up_to_label()?;
                self.position = end + 1;
                cases.push(Vec::new());
                continue;
            }
            let Some(case) = cases.last_mut() else { return Err(Opaque) };
            let mut statement = Vec::new();
            std::mem::swap(case, &mut statement);
            self.statement(&mut statement)?;
            if let Some(case) = cases.last_mut() {
                *case = statement;
            }
        }
        self.position += 1;
        let mut choices = fall_through(&cases)?;
        if !has_default {
            choices.push(Vec::new());
        }
        if choices.iter().any(|choice| !choice.is_empty()) {
            self.scope.count_condition();
            block.push(Step::Choice(choices));
        }
        Ok(())
    }

    fn up_to_label(&self) -> Result<usize, Opaque> {
        let all = self.tokens.iter().enumerate().skip(self.position);
        let mut colons = all.filter(|(_, token)| token.kind == Kind::Colon);
        colons.next().map(|(position, _)| position).ok_or(Opaque)
    }

    /// The place of some tokens in the model's text.
    pub(crate) fn place(&self, start: usize, end: usize) -> Option<Span> {
        let (first, last) = (self.tokens.get(start)?, self.tokens.get(end.checked_sub(1)?)?);
        self.code.place(first.start, last.end)
    }

    pub(crate) fn warn(&mut self, position: usize, message: &str, hint: &str) {
        if let Some(span) = self.place(position, position + 1) {
            let found = Diagnostic::warning(codes::OPAQUE_CODE, span, message).with_hint(hint);
            if !self.diagnostics.contains(&found) {
                self.diagnostics.push(found);
            }
        }
    }
}

/// The steps from each label of a `switch` on. A `break` that is nested in another statement
/// is not understood.
fn fall_through(cases: &[Block]) -> Result<Vec<Block>, Opaque> {
    let nested = |step: &Step| match step {
        Step::Choice(blocks) => blocks.iter().flatten().any(breaks),
        Step::Repeat(_) | Step::Call(_) | Step::Send(_) => false,
        Step::Break | Step::Continue | Step::Return => false,
    };
    if cases.iter().flatten().any(nested) {
        return Err(Opaque);
    }
    let from = |index: usize| {
        let steps = cases[index..].iter().flatten();
        steps.take_while(|step| **step != Step::Break).cloned().collect()
    };
    Ok((0..cases.len()).map(from).collect())
}

/// True if a step leaves the loop or `switch` around it.
fn breaks(step: &Step) -> bool {
    match step {
        Step::Break => true,
        Step::Choice(blocks) => blocks.iter().flatten().any(breaks),
        Step::Repeat(_) | Step::Call(_) | Step::Send(_) | Step::Continue | Step::Return => false,
    }
}

/// True if a step leaves the whole code.
fn leaves(step: &Step) -> bool {
    match step {
        Step::Return => true,
        Step::Choice(blocks) => blocks.iter().flatten().any(leaves),
        Step::Repeat(block) => block.iter().any(leaves),
        Step::Call(_) | Step::Send(_) | Step::Break | Step::Continue => false,
    }
}

/// True if a word begins a statement and stands in no expression.
fn is_keyword(word: &str) -> bool {
    matches!(
        word,
        "if" | "else" | "while" | "for" | "do" | "switch" | "case" | "break" | "continue" | "return"
    )
}
