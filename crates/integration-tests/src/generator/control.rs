//! Statements with statements inside.

use super::author::{Author, Here};
use super::feature::Feature;
use super::plan::Twig;
use super::statement::Piece;
use super::world::{Kind, Place, Role};

const COMPOUND: &[(usize, Feature)] = {
    use Feature::*;
    &[
        (2, Block),
        (6, If),
        (6, Do),
        (5, Counter),
        (2, ForRange),
        (2, ForArray),
        (6, ForChannel),
        (4, Atomic),
        (3, DStep),
        (4, Unless),
        (4, Server),
        (2, Flag),
        (3, GuardedCount),
        (1, StopFlag),
    ]
};

/// Lines moved to the right.
pub(super) fn indented(text: &str) -> String {
    text.lines().map(|line| format!("  {line}")).collect::<Vec<_>>().join("\n")
}

/// Statements in a row. No jump may lead to a `d_step`.
pub(super) fn row(pieces: &[Piece]) -> Piece {
    let mut parts = Vec::new();
    let mut joins = false;
    for piece in pieces {
        if joins && piece.d_step {
            parts.push("skip".to_owned());
        }
        parts.push(piece.text.clone());
        joins = piece.joins;
    }
    let first = pieces.first();
    Piece {
        text: if parts.is_empty() { "skip".into() } else { parts.join(";\n") },
        asks: first.is_some_and(|first| first.asks),
        d_step: first.is_some_and(|first| first.d_step),
        joins,
    }
}

impl Author<'_> {
    /// A statement.
    pub(super) fn statement(&mut self, twig: &Twig, here: Here) -> Piece {
        self.with(twig.seed, |author| {
            if twig.inner.is_empty() {
                return author.simple(here);
            }
            for _ in 0..3 {
                let feature = author.choose(COMPOUND);
                if author.may(feature)
                    && stands(feature, here)
                    && let Some(piece) =
                        author.attempt(|author| author.compound_of(feature, &twig.inner, here))
                {
                    author.note(feature);
                    return piece;
                }
            }
            author.sequence(&twig.inner, here)
        })
    }

    /// Statements in a row.
    pub(super) fn sequence(&mut self, twigs: &[Twig], here: Here) -> Piece {
        let pieces: Vec<Piece> = twigs.iter().map(|twig| self.statement(twig, here)).collect();
        row(&pieces)
    }

    fn compound_of(&mut self, feature: Feature, inner: &[Twig], here: Here) -> Option<Piece> {
        use Feature::*;
        match feature {
            Block => Some(self.block(inner, here)),
            If => Some(self.selection(inner, here)),
            Do => Some(self.repetition(inner, here)),
            Counter => Some(self.counting(inner, here)),
            ForRange => Some(self.range(inner, here)),
            ForArray => self.for_array(inner, here),
            ForChannel => self.for_channel(inner, here),
            Atomic => {
                let body = self.sequence(inner, Here { atomic: true, ..here });
                Some(Piece {
                    text: format!("atomic {{\n{}\n}}", indented(&body.text)),
                    d_step: false,
                    ..body
                })
            }
            DStep => Some(self.d_step(inner, here)),
            Unless => Some(self.unless(inner, here)),
            other => self.idiom(other, inner, here),
        }
    }

    fn block(&mut self, inner: &[Twig], here: Here) -> Piece {
        let scope = self.scope.len();
        let local = self.rarely(2, Feature::BlockLocal).then(|| {
            let name = self.fresh("b");
            let (variable, text) = self.variable(super::declaration::Level::Block, &name);
            self.enter(&variable);
            text
        });
        let body = self.sequence(inner, here);
        self.scope.truncate(scope);
        let local = local.map(|local| format!("{local};\n")).unwrap_or_default();
        Piece { text: format!("{{\n{}\n}}", indented(&(local + &body.text))), ..body }
    }

    /// An option of a selection or a loop.
    fn option(&mut self, twig: &Twig, here: Here) -> Piece {
        self.with(twig.seed, |author| {
            let mut pieces = Vec::new();
            match author.dice.roll(10) {
                5..=7 if !here.d_step && author.may(Feature::Receive) => {
                    let signature = author.signature();
                    let receive = author
                        .attempt(|author| author.receive(signature, Feature::Receive))
                        .map(Piece::question);
                    pieces.extend(receive.inspect(|_| author.note(Feature::Receive)));
                }
                8 | 9 if !twig.inner.is_empty() => {}
                _ => {
                    let condition = author.condition(here);
                    pieces.push(Piece { asks: condition.asks, ..Piece::step(condition.text) });
                }
            }
            pieces.extend(twig.inner.iter().map(|twig| author.statement(twig, here)));
            if pieces.is_empty() {
                pieces.push(author.simple(here));
            }
            row(&pieces)
        })
    }

    fn options(&mut self, inner: &[Twig], here: Here) -> Vec<Piece> {
        inner.iter().map(|twig| self.option(twig, here)).collect()
    }

    fn selection(&mut self, inner: &[Twig], here: Here) -> Piece {
        let mut options = self.options(inner, here);
        let asks = options.iter().any(|option| option.asks);
        // Spin takes no `else` beside questions to channels.
        if !asks && (here.d_step || self.dice.roll(6) < 5) && (here.d_step || self.may(Feature::Else)) {
            self.note(Feature::Else);
            let text = match self.dice.roll(2) {
                0 => "else".to_owned(),
                _ => format!("else ->\n{}", self.simple(here).text),
            };
            options.push(Piece::step(text));
        } else if asks && !here.d_step {
            match self.dice.roll(4) {
                2 => options.push(Piece::step("skip".into())),
                3 if self.may(Feature::Timeout) => {
                    self.note(Feature::Timeout);
                    options.push(Piece::step("timeout".into()));
                }
                _ => {}
            }
        }
        self.bracketed("if", &options, "fi", asks)
    }

    /// Options between two words.
    fn bracketed(&self, opening: &str, options: &[Piece], closing: &str, asks: bool) -> Piece {
        let mut text = format!("{opening}\n");
        for option in options {
            text.push_str(&format!(":: {}\n", indented(&option.text).trim_start()));
        }
        Piece { text: text + closing, asks, d_step: options.iter().any(|option| option.d_step), joins: true }
    }

    fn repetition(&mut self, inner: &[Twig], here: Here) -> Piece {
        let inside = Here { in_loop: true, repeats: true, ..here };
        // A loop that never ends is no good within a single step.
        if here.d_step {
            return self.counting(inner, here);
        }
        let mut options = self.options(inner, inside);
        let asks = options.iter().any(|option| option.asks);
        match self.dice.roll(6) {
            0 | 1 if !asks && self.may(Feature::Else) => {
                self.note(Feature::Else);
                options.push(Piece::step("else -> break".into()));
            }
            2 => options.push(Piece::step(format!("{} -> break", self.truth(1)))),
            3 => options.push(Piece::step("break".into())),
            0..=4 if self.may(Feature::Timeout) => {
                self.note(Feature::Timeout);
                options.push(Piece::step("timeout -> break".into()));
            }
            _ => {}
        }
        self.bracketed("do", &options, "od", asks)
    }

    /// A loop that counts, in one of the ways in which people write it.
    fn counting(&mut self, inner: &[Twig], here: Here) -> Piece {
        let bound = 1 + self.dice.roll(self.profile.rounds);
        let i = self.counter(bound);
        let way = self.dice.roll(5);
        let inside = Here { in_loop: true, counts: true, ..here };
        let body = indented(&self.sequence(inner, inside).text);
        self.release(&i);
        let text = match way {
            0 | 1 => format!("{i} = 0;\ndo\n:: {i} < {bound} ->\n{body};\n  {i}++\n:: else -> break\nod"),
            2 => format!(
                "{i} = 0;\ndo\n:: {i} == {bound} -> break\n:: {i} != {bound} ->\n{body};\n  {i}++\nod"
            ),
            3 => format!("{i} = {bound};\ndo\n:: {i} > 0 ->\n  {i}--;\n{body}\n:: else -> break\nod"),
            _ => {
                format!("{i} = 0;\ndo\n:: {i} >= {bound} -> break\n:: else ->\n{body};\n  {i} = {i} + 1\nod")
            }
        };
        Piece { joins: true, ..Piece::step(text) }
    }

    fn range(&mut self, inner: &[Twig], here: Here) -> Piece {
        let bound = 1 + self.dice.roll(self.profile.rounds);
        let low = self.dice.roll(2);
        let i = self.counter(bound + 1);
        let inside = Here { in_loop: true, counts: true, ..here };
        let body = indented(&self.sequence(inner, inside).text);
        self.release(&i);
        Piece { joins: true, ..Piece::step(format!("for ({i} : {low} .. {bound}) {{\n{body}\n}}")) }
    }

    fn for_array(&mut self, inner: &[Twig], here: Here) -> Option<Piece> {
        // Spin wants a name without a dot.
        let plain = |place: &Place| place.array().is_some_and(|(name, _)| !name.contains('.'));
        let array = self.place(|place| plain(place) && place.number().is_some())?;
        let (name, length) = array.array()?;
        let i = self.counter(length);
        let inside = Here { in_loop: true, counts: true, ..here };
        let body = self.sequence(inner, inside).text;
        self.release(&i);
        let body = indented(&format!("{name}[{i}] = {name}[{i}] + 1;\n{body}"));
        Some(Piece { joins: true, ..Piece::step(format!("for ({i} in {name}) {{\n{body}\n}}")) })
    }

    /// Spin wants a channel that carries one record.
    fn for_channel(&mut self, inner: &[Twig], here: Here) -> Option<Piece> {
        let signatures = self.world.signatures.iter().map(|signature| signature.fields.clone());
        let (signature, record) = signatures.enumerate().find_map(|(at, fields)| match fields[..] {
            [Kind::Record(record)] => Some((at, record)),
            _ => None,
        })?;
        let channel = self.place(|place| {
            place.kind == Kind::Channel(signature)
                && matches!(place.role, Role::Queue(capacity) if capacity > 0)
                && place.plain_name().is_some()
        })?;
        let variable = self.place(|place| {
            place.kind == Kind::Record(record) && place.plain_name().is_some() && place.role == Role::Plain
        })?;
        let channel = channel.plain_name()?.to_owned();
        self.uses(&channel, |uses, _| uses.otherwise = true);
        let inside = Here { in_loop: true, counts: true, ..here };
        let body = indented(&self.sequence(inner, inside).text);
        let text = format!("for ({} in {channel}) {{\n{body}\n}}", variable.plain_name()?);
        Some(Piece { joins: true, asks: true, ..Piece::step(text) })
    }

    fn d_step(&mut self, inner: &[Twig], here: Here) -> Piece {
        let inside = Here { d_step: true, in_loop: false, ..here };
        let mut pieces = Vec::new();
        // The first statement of a `d_step` may wait.
        match self.dice.roll(5) {
            3 if self.may(Feature::Receive) => {
                let signature = self.signature();
                let receive =
                    self.attempt(|author| author.receive(signature, Feature::Receive)).map(Piece::question);
                pieces.extend(receive.inspect(|_| self.note(Feature::Receive)));
            }
            4 => {
                let condition = self.condition(inside);
                pieces.push(Piece { asks: condition.asks, ..Piece::step(condition.text) });
            }
            _ => {}
        }
        pieces.extend(inner.iter().map(|twig| self.statement(twig, inside)));
        let body = row(&pieces);
        Piece {
            text: format!("d_step {{\n{}\n}}", indented(&body.text)),
            d_step: true,
            asks: body.asks,
            joins: false,
        }
    }

    /// The last statement inside is the escape.
    fn unless(&mut self, inner: &[Twig], here: Here) -> Piece {
        let inside = Here { unless: true, ..here };
        let (escape, body) = inner.split_last().expect("there is one inside");
        let body = if body.is_empty() { self.simple(inside) } else { self.sequence(body, inside) };
        let condition = match self.dice.roll(3) {
            2 if self.may(Feature::Receive) => {
                let signature = self.signature();
                self.attempt(|author| author.receive(signature, Feature::Receive))
                    .inspect(|_| self.note(Feature::Receive))
            }
            _ => None,
        };
        let condition = condition.unwrap_or_else(|| self.condition(here).text);
        let escape = row(&[Piece::step(condition), self.statement(escape, inside)]);
        if here.unless {
            self.note(Feature::NestedUnless);
        }
        let (body_text, escape) = (indented(&body.text), indented(&escape.text));
        Piece { text: format!("{{\n{body_text}\n}} unless {{\n{escape}\n}}"), joins: true, ..body }
    }
}

/// Whether a statement can stand in a place.
fn stands(feature: Feature, here: Here) -> bool {
    use Feature::*;
    match feature {
        DStep => !here.d_step && !here.inline && !here.atomic,
        Atomic | Unless | Server | Flag | StopFlag | ForChannel => !here.d_step && !here.inline,
        Do => !here.inline,
        _ => true,
    }
}
