//! Statements.

use std::collections::{BTreeMap, BTreeSet};

use action_code::{Declarator, Expression, ExpressionKind, Section, Statement, StatementKind, statements};
use cfsm_core::diagnostic::Diagnostic;
use cfsm_core::program::Binary;
use cfsm_core::source::Span;
use std::ops::Range;

use super::range::Judgement;
use super::types::initial_of;
use super::variables::Key;
use super::{Opaque, Scope, changes, sends, size};
use crate::codes;
use crate::fragment::Fragment;
use crate::model::{Attribute, AttributeId, Block, Loop, Step, Test, Value, ValueType};

/// Words that lead elsewhere.
const JUMPS: &[&str] = &["break", "continue", "goto", "return", "throw", "yield", "co_return"];

/// The code behind a declaration where its variable is known, as far as that tells if it has a
/// value there.
#[derive(Clone, Copy)]
enum Behind<'s> {
    /// All of it.
    Statements(&'s [Statement]),
    /// The loop whose head declares it.
    Loop,
    /// Sections of a `switch`, which may be reached without the declaration.
    Sections,
}

/// Reads the statements of a fragment.
pub(crate) struct Reader<'r, 'c> {
    pub(crate) code: &'r Fragment,
    pub(crate) scope: &'r Scope<'c>,
    pub(crate) diagnostics: &'r mut Vec<Diagnostic>,
    /// Local names by block, with the variable if it is followed.
    pub(crate) locals: Locals,
    /// The beginnings of the words whose meaning at their place is understood.
    understood: BTreeSet<usize>,
}

/// Local names by block, with the variable if it is followed.
pub(crate) type Locals = Vec<BTreeMap<String, Option<AttributeId>>>;

impl<'r, 'c> Reader<'r, 'c> {
    pub(crate) fn new(
        code: &'r Fragment,
        scope: &'r Scope<'c>,
        diagnostics: &'r mut Vec<Diagnostic>,
        locals: Locals,
    ) -> Self {
        Self { code, scope, diagnostics, locals, understood: BTreeSet::new() }
    }
}

impl Reader<'_, '_> {
    /// All statements.
    pub(crate) fn all(&mut self) -> Result<Block, Opaque> {
        let code = statements(&self.code.text, self.scope.max_nesting);
        if !code.is_whole || self.scope.hides_words(&self.code.text) {
            return Err(Opaque);
        }
        let block = self.sequence(&code.statements)?;
        self.check_words(&code.words)?;
        Ok(block)
    }

    /// The meaning of a word at its place is understood.
    pub(crate) fn understand(&mut self, word: &Range<usize>) {
        self.understood.insert(word.start);
    }

    /// Words that nothing has understood: they may change the variables that they name, and code in
    /// which they name anything that can send is not understood.
    pub(crate) fn check_words(&mut self, words: &[Range<usize>]) -> Result<(), Opaque> {
        for range in words.iter().filter(|word| !self.understood.contains(&word.start)) {
            let word = self.code.text.get(range.clone()).unwrap_or_default();
            if self.scope.reaches(word) || JUMPS.contains(&word) {
                return Err(Opaque);
            }
            self.scope.variables.lose_by_name(word, self.code.span());
        }
        Ok(())
    }

    fn sequence(&mut self, all: &[Statement]) -> Result<Block, Opaque> {
        let mut block = Vec::new();
        self.locals.push(BTreeMap::new());
        for (position, statement) in all.iter().enumerate() {
            self.statement(statement, Behind::Statements(&all[position + 1..]), &mut block)?;
        }
        self.locals.pop();
        Ok(block)
    }

    fn one(&mut self, statement: &Statement) -> Result<Block, Opaque> {
        self.sequence(std::slice::from_ref(statement))
    }

    fn statement(
        &mut self,
        statement: &Statement,
        behind: Behind<'_>,
        block: &mut Block,
    ) -> Result<(), Opaque> {
        match &statement.kind {
            StatementKind::Block(inner) => block.extend(self.sequence(inner)?),
            StatementKind::Expression(expression) => {
                self.value(expression, block)?;
            }
            StatementKind::Declaration(declarators) => {
                for declarator in declarators {
                    self.declare(declarator, behind, block)?;
                }
            }
            StatementKind::If { condition, then, otherwise } => {
                let Judgement { test, mut if_holds, mut if_fails } = self.judge(condition, block)?;
                if_holds.extend(self.one(then)?);
                if let Some(otherwise) = otherwise {
                    if_fails.extend(self.one(otherwise)?);
                }
                self.branch(test, if_holds, if_fails, block);
            }
            StatementKind::Switch { value, sections } => self.switch(value, sections, block)?,
            StatementKind::While { condition, body } => {
                let known = self.loop_of(condition, body, false)?;
                self.repeat(block, known, statement);
            }
            StatementKind::DoWhile { body, condition } => {
                let known = self.loop_of(condition, body, true)?;
                self.repeat(block, known, statement);
            }
            StatementKind::For { .. } => {
                self.locals.push(BTreeMap::new());
                self.for_loop(statement, block)?;
                self.locals.pop();
            }
            StatementKind::ForEach { element, collection, body } => {
                self.value(collection, block)?;
                self.lose_places(collection);
                self.understand(&element.name_range);
                let known = self.each(&element.name, body)?;
                self.repeat(block, known, statement);
            }
            StatementKind::Break => {
                self.understand(&statement.range);
                block.push(Step::Break);
            }
            StatementKind::Continue => {
                self.understand(&statement.range);
                block.push(Step::Continue);
            }
            StatementKind::Return(value) => {
                self.understand(&statement.range);
                self.result(value.as_ref(), block)?;
                block.push(Step::Return);
            }
            StatementKind::Opaque => return Err(Opaque),
        }
        Ok(())
    }

    /// The result of a function. Who gets it may get a reference, in Art.
    fn result(&mut self, value: Option<&Expression>, block: &mut Block) -> Result<(), Opaque> {
        let Some(value) = value else { return Ok(()) };
        self.value(value, block)?;
        if self.scope.is_art {
            self.lose_referred(value);
        }
        Ok(())
    }

    /// A loop with a condition and nothing else in its head.
    fn loop_of(
        &mut self,
        condition: &Expression,
        body: &Statement,
        body_first: bool,
    ) -> Result<Loop, Opaque> {
        let body = self.one(body)?;
        let mut before = Vec::new();
        let condition = self.judge_loop(condition, &mut before)?;
        Ok(Loop { before, condition, body, update: Vec::new(), body_first })
    }

    /// A loop over a collection.
    fn each(&mut self, element: &str, body: &Statement) -> Result<Loop, Opaque> {
        self.locals.push(BTreeMap::from([(element.to_owned(), None)]));
        let body = self.one(body)?;
        self.locals.pop();
        let (before, update) = (Vec::new(), Vec::new());
        Ok(Loop { before, condition: None, body, update, body_first: false })
    }

    /// Two blocks of which a condition chooses one.
    pub(crate) fn branch(
        &mut self,
        condition: Option<Test>,
        then: Block,
        otherwise: Block,
        block: &mut Block,
    ) {
        if then.is_empty() && otherwise.is_empty() {
            return;
        }
        match condition {
            Some(condition) => block.push(Step::If { condition, then, otherwise }),
            None => {
                self.scope.count_condition();
                block.push(Step::Choice(vec![then, otherwise]));
            }
        }
    }

    fn for_loop(&mut self, statement: &Statement, block: &mut Block) -> Result<(), Opaque> {
        let StatementKind::For { initial, condition, update, body } = &statement.kind else {
            return Err(Opaque);
        };
        if let Some(initial) = initial {
            self.statement(initial, Behind::Loop, block)?;
        }
        let mut before = Vec::new();
        let condition = match condition {
            Some(condition) => self.judge_loop(condition, &mut before)?,
            None => Some(Test::exact(Value::Constant(1))),
        };
        let body = self.one(body)?;
        let mut after = Vec::new();
        for update in update {
            self.value(update, &mut after)?;
        }
        self.repeat(block, Loop { before, condition, body, update: after, body_first: false }, statement);
        Ok(())
    }

    fn repeat(&mut self, block: &mut Block, known: Loop, statement: &Statement) {
        let step = Step::Loop(known);
        let one = vec![step];
        if !sends(&one) && !changes(&one) {
            let returns = |step: &Step| step.any(&mut |step| *step == Step::Return);
            if one.iter().any(returns) {
                block.push(Step::Choice(vec![Vec::new(), vec![Step::Return]]));
            }
            return;
        }
        if matches!(&one[0], Step::Loop(Loop { condition: None, .. })) {
            self.scope.count_condition();
            if sends(&one) {
                let causes: Vec<String> =
                    unknown_ends(statement).iter().map(|name| format!("`{name}`")).collect();
                let message = match causes.as_slice() {
                    [] => "a loop that sends".to_owned(),
                    _ => format!(
                        "how often this loop sends depends on {}, which is not known",
                        causes.join(" and ")
                    ),
                };
                let hint = if causes.is_empty() {
                    "it is taken as running any number of times"
                } else {
                    "it is taken as running any number of times; a comparison with a number before it, \
                     as in `if (n > 100) n = 100;`, limits it"
                };
                self.warn(&statement.range, &message, hint);
            }
        }
        block.extend(one);
    }

    /// A `switch`: one of its labels, and what follows it up to a `break`.
    fn switch(&mut self, value: &Expression, sections: &[Section], block: &mut Block) -> Result<(), Opaque> {
        let value = self.value(value, block)?;
        let mut bodies = Vec::new();
        self.locals.push(BTreeMap::new());
        for section in sections {
            let mut steps = Vec::new();
            for statement in &section.statements {
                self.statement(statement, Behind::Sections, &mut steps)?;
            }
            bodies.push(steps);
        }
        self.locals.pop();
        // What falls through is written once for each label that it can be reached from.
        let (mut chosen, mut written) = (Vec::new(), 0);
        for (index, section) in sections.iter().enumerate() {
            let label = match &section.label {
                Some(label) => Some(self.value(label, &mut Vec::new())?),
                None => None,
            };
            let steps = from(&bodies, index);
            written += size(&steps);
            if written > self.scope.max_steps {
                return Err(Opaque);
            }
            chosen.push((label, steps));
        }
        let wraps = chosen.iter().any(|(_, body)| body.iter().any(breaks));
        let mut steps = Vec::new();
        self.chosen(value, chosen, &mut steps);
        if wraps {
            block.push(Step::Switch(steps));
        } else {
            block.extend(steps);
        }
        Ok(())
    }

    /// The choice among the blocks of a `switch`, each with its label's value.
    fn chosen(&mut self, value: Option<Value>, all: Vec<Labelled>, block: &mut Block) {
        if all.iter().all(|(_, body)| body.is_empty()) {
            return;
        }
        let fits = |value: &Value, label: &Option<Option<Value>>| match label {
            Some(Some(label)) => self.have_one_type(value, label),
            Some(None) => false,
            None => true,
        };
        let Some(value) = value.filter(|value| all.iter().all(|(label, _)| fits(value, label))) else {
            self.scope.count_condition();
            let has_default = all.iter().any(|(label, _)| label.is_none());
            let mut blocks: Vec<Block> = all.into_iter().map(|(_, body)| body).collect();
            blocks.extend((!has_default).then(Vec::new));
            block.push(Step::Choice(blocks));
            return;
        };
        let default = all.iter().find(|(label, _)| label.is_none()).map(|(_, body)| body.clone());
        let mut steps = default.unwrap_or_default();
        for (label, then) in all.into_iter().rev() {
            let Some(Some(label)) = label else { continue };
            let condition = Value::Binary(Binary::Equal, Box::new(value.clone()), Box::new(label));
            let condition = Test::exact(condition);
            steps = vec![Step::If { condition, then, otherwise: steps }];
        }
        block.extend(steps);
    }

    fn declare(
        &mut self,
        declared: &Declarator,
        behind: Behind<'_>,
        block: &mut Block,
    ) -> Result<(), Opaque> {
        if declared.name.is_empty() || self.scope.macros.contains(&declared.name) {
            return Err(Opaque);
        }
        self.understand(&declared.name_range);
        // Its own initial value is not known yet.
        self.locals.push(BTreeMap::from([(declared.name.clone(), None)]));
        let declared_value = self.initial_value(declared, block);
        self.locals.pop();
        let value = declared_value?;
        let ty = self.type_declared(declared).filter(|_| declared.is_plain);
        let place = self.place(&declared.range);
        let written = match behind {
            Behind::Statements(rest) => {
                declared.value.is_some() || self.is_written_first(&declared.name, rest)
            }
            Behind::Loop => declared.value.is_some(),
            Behind::Sections => false,
        };
        let variable = ty.zip(place).filter(|_| written).and_then(|(ty, span)| {
            let (name, initial) = (declared.name.clone(), initial_of(ty, None).unwrap_or_default());
            let attribute = Attribute { name, ty, initial, local: true, span };
            self.scope.variables.declare(Key::Local(span), attribute)
        });
        if let Some(names) = self.locals.last_mut() {
            names.insert(declared.name.clone(), variable);
        }
        if let Some(variable) = variable.filter(|_| declared.value.is_some()) {
            self.assign(variable, value, block);
        }
        Ok(())
    }

    fn initial_value(&mut self, declared: &Declarator, block: &mut Block) -> Result<Option<Value>, Opaque> {
        let Some(value) = &declared.value else { return Ok(None) };
        let found = self.value(value, block)?;
        if !declared.is_plain {
            self.lose_places(value);
        } else if self.type_declared(declared).is_none() {
            // The type may be that of a reference.
            self.lose_referred(value);
        }
        Ok(found)
    }

    /// The type of a local variable; that of a number, where `auto` leaves it to the value.
    fn type_declared(&self, declared: &Declarator) -> Option<ValueType> {
        let is_number = |value: &Expression| {
            let text = self.code.text.get(value.range.clone()).unwrap_or_default();
            !text.is_empty() && text.len() < 10 && text.chars().all(|digit| digit.is_ascii_digit())
        };
        let is_int = declared.type_name == "auto" && declared.value.as_ref().is_some_and(is_number);
        if is_int { Some(ValueType::Int) } else { self.scope.type_of(&declared.type_name) }
    }

    /// True if the first statement that names a variable gives it a value.
    fn is_written_first(&self, name: &str, rest: &[Statement]) -> bool {
        let text = |range: &Range<usize>| self.code.text.get(range.clone()).unwrap_or_default();
        let names =
            |range: &Range<usize>| super::token::tokens(text(range)).iter().any(|token| token.is(name));
        let writes = |expression: &Expression| match &expression.kind {
            ExpressionKind::Assignment { operator: None, target, value } => {
                target.kind == ExpressionKind::Name(name.to_owned()) && !names(&value.range)
            }
            _ => false,
        };
        match rest.iter().find(|statement| names(&statement.range)).map(|statement| &statement.kind) {
            None => true,
            Some(StatementKind::Expression(expression)) => writes(expression),
            Some(StatementKind::For { initial: Some(initial), .. }) => {
                matches!(&initial.kind, StatementKind::Expression(expression) if writes(expression))
            }
            Some(_) => false,
        }
    }

    /// The place of a range in the model's text.
    pub(crate) fn place(&self, range: &Range<usize>) -> Option<Span> {
        self.code.place(range.start, range.end)
    }

    pub(crate) fn warn(&mut self, range: &Range<usize>, message: &str, hint: &str) {
        // The first word is enough to find it.
        let length = self.code.text[range.clone()].chars().take_while(|c| c.is_alphanumeric() || *c == '_');
        let length = length.map(char::len_utf8).sum::<usize>().max(1);
        if let Some(span) = self.code.place(range.start, (range.start + length).min(range.end)) {
            let found = Diagnostic::warning(codes::OPAQUE_CODE, span, message).with_hint(hint);
            if !self.diagnostics.contains(&found) {
                self.diagnostics.push(found);
            }
        }
    }
}

/// The names in the condition of a loop that the head of the loop does not change.
fn unknown_ends(statement: &Statement) -> Vec<String> {
    let (condition, update) = match &statement.kind {
        StatementKind::While { condition, .. } | StatementKind::DoWhile { condition, .. } => {
            (Some(condition), [].as_slice())
        }
        StatementKind::For { condition, update, .. } => (condition.as_ref(), update.as_slice()),
        _ => (None, [].as_slice()),
    };
    let mut names = Vec::new();
    condition.into_iter().for_each(|condition| collect_names(condition, &mut names));
    names.retain(|name| {
        !update.iter().any(|update| match &update.kind {
            ExpressionKind::Assignment { target, .. } | ExpressionKind::Increment { target, .. } => {
                target.kind == ExpressionKind::Name(name.clone())
            }
            _ => false,
        })
    });
    names
}

/// The names in an expression, in their order.
fn collect_names(found: &Expression, names: &mut Vec<String>) {
    if let ExpressionKind::Name(name) = &found.kind
        && !names.contains(name)
    {
        names.push(name.clone());
    }
    found.children().into_iter().for_each(|child| collect_names(child, names));
}

/// The label of a block: none for `default`, else its value if that is understood.
type Labelled = (Option<Option<Value>>, Block);

/// The steps from a label of a `switch` on, up to a jump; a `break` at the end is left out.
fn from(bodies: &[Block], index: usize) -> Block {
    let mut steps = Vec::new();
    for step in bodies[index..].iter().flatten() {
        match step {
            Step::Break => break,
            Step::Return | Step::Continue => {
                steps.push(step.clone());
                break;
            }
            _ => steps.push(step.clone()),
        }
    }
    steps
}

/// True if a step leaves the `switch` around it.
fn breaks(step: &Step) -> bool {
    match step {
        Step::Break => true,
        Step::Choice(blocks) => blocks.iter().flatten().any(breaks),
        Step::If { then, otherwise, .. } => then.iter().chain(otherwise).any(breaks),
        Step::Repeat(_) | Step::Call(_) | Step::Loop(_) | Step::Switch(_) => false,
        Step::Send(_) | Step::Requeue | Step::Incarnate { .. } => false,
        Step::Assign { .. } | Step::Continue | Step::Return => false,
    }
}
