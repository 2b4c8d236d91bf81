//! Statements without statements inside.

use super::author::{Author, Here};
use super::feature::Feature;
use super::world::{Kind, Number, Role};

/// A statement.
#[derive(Clone, Debug)]
pub(super) struct Piece {
    /// Its text.
    pub(super) text: String,
    /// Whether it begins with a question to a channel.
    pub(super) asks: bool,
    /// Whether it begins with a `d_step`, into which no jump may lead.
    pub(super) d_step: bool,
    /// Whether jumps lead behind it.
    pub(super) joins: bool,
}

impl Piece {
    /// A statement that is one step.
    pub(super) const fn step(text: String) -> Self {
        Self { text, asks: false, d_step: false, joins: false }
    }

    /// One that begins with a question to a channel.
    pub(super) const fn question(text: String) -> Self {
        Self { text, asks: true, d_step: false, joins: false }
    }
}

const SIMPLE: &[(usize, Feature)] = {
    use Feature::*;
    &[
        (2, Skip),
        (9, Assign),
        (3, AssignSymbol),
        (3, AssignChannel),
        (4, Increment),
        (2, Decrement),
        (2, WrapAround),
        (1, Guard),
        (1, Assert),
        (1, Print),
        (12, Send),
        (1, SortedSend),
        (7, Receive),
        (1, RandomReceive),
        (1, PeekReceive),
        (1, RandomPeek),
        (4, RequestReply),
        (3, Token),
        (2, Race),
        (5, CaseSplit),
        (2, ChosenIndex),
        (2, Select),
        (5, Run),
        (1, RunValue),
        (2, Inline),
        (2, InlineReturn),
        (1, MacroCall),
        (1, Macro),
        (1, Priority),
        (1, Break),
        (1, Goto),
        (1, Timeout),
    ]
};

impl Author<'_> {
    /// A statement without statements inside.
    pub(super) fn simple(&mut self, here: Here) -> Piece {
        use Feature::*;
        for _ in 0..3 {
            let feature = self.choose(SIMPLE);
            if !self.may(feature) || !fits(feature, here) {
                continue;
            }
            if let Some(mut piece) = self.attempt(|author| author.simple_of(feature, here)) {
                self.note(feature);
                let writes = matches!(
                    feature,
                    Receive
                        | RandomReceive
                        | WrapAround
                        | Increment
                        | RunValue
                        | InlineReturn
                        | AssignChannel
                );
                if writes
                    && self.dice.once_in(4)
                    && self.may(CaseSplit)
                    && let Some(split) = self.attempt(Self::case_split)
                {
                    self.note(CaseSplit);
                    piece.text = format!("{};\n{split}", piece.text);
                    piece.joins = true;
                }
                return piece;
            }
        }
        match self.attempt(Self::assignment) {
            Some(text) if self.may(Assign) => {
                self.note(Assign);
                Piece::step(text)
            }
            _ => Piece::step("skip".into()),
        }
    }

    fn simple_of(&mut self, feature: Feature, here: Here) -> Option<Piece> {
        use Feature::*;
        let text = match feature {
            Skip => "skip".into(),
            Assign => self.assignment()?,
            AssignSymbol => self.assign_symbol()?,
            AssignChannel => self.assign_channel()?,
            Increment => format!("{}++", self.target()?.0),
            Decrement => format!("{}--", self.target()?.0),
            WrapAround => self.beyond()?,
            Assert => format!("assert({})", self.likely()),
            Print => self.print(),
            Select => {
                let target = self.plain_target()?;
                let low = self.dice.roll(2);
                format!("select ({target} : {low} .. {})", low + 1 + self.dice.roll(2))
            }
            Run | RunValue => self.creation(feature == RunValue, here)?,
            Inline | InlineReturn => self.call(feature == InlineReturn)?,
            Macro if self.world.macros.contains(&"RESET") => "RESET".into(),
            Priority if self.world.priorities => match self.dice.roll(2) {
                0 => format!("set_priority(_pid, {})", 1 + self.dice.roll(4)),
                _ => format!("{} = get_priority(_pid)", self.target()?.0),
            },
            Break => "break".into(),
            Goto => self.jump()?,
            Timeout => "timeout".into(),
            Race => self.race()?,
            CaseSplit => self.case_split()?,
            ChosenIndex => self.chosen_index()?,
            Guard => {
                let condition = self.condition(here);
                return Some(Piece { asks: condition.asks, ..Piece::step(condition.text) });
            }
            _ => return self.exchange(feature),
        };
        // A select is a loop, or a selection: jumps lead behind it.
        Some(Piece {
            joins: matches!(feature, Select | Inline | Race | CaseSplit | ChosenIndex),
            ..Piece::step(text)
        })
    }

    /// A statement about messages.
    fn exchange(&mut self, feature: Feature) -> Option<Piece> {
        use Feature::{
            MacroCall, PeekReceive, RandomPeek, RandomReceive, Receive, RequestReply, Send, SortedSend, Token,
        };
        let text = match feature {
            Send | SortedSend => {
                let signature = self.signature();
                self.send(signature, feature == SortedSend)?
            }
            RequestReply => self.request()?,
            Token => self.pass_on()?,
            MacroCall if self.world.macros.contains(&"SEND") => {
                let (channel, _) = self.channel(0)?;
                self.uses(&channel, |uses, _| uses.otherwise = true);
                let kinds = self.world.flat(0);
                let [kind] = kinds[..] else { return None };
                format!("SEND({channel}, {})", self.field(kind)?.pop()?)
            }
            receive @ (Receive | RandomReceive | PeekReceive | RandomPeek) => {
                let signature = self.signature();
                self.receive(signature, receive)?
            }
            _ => return None,
        };
        Some(Piece::question(text))
    }

    fn assignment(&mut self) -> Option<String> {
        let (target, number) = self.target()?;
        Some(match self.dice.roll(5) {
            0 | 1 => format!("{target} = {}", self.dice.roll(3)),
            2 => format!("{target} = ({target} + 1) % {}", 2 + self.dice.roll(3)),
            3 if matches!(number, Number::Bit | Number::Bool) => format!("{target} = 1 - {target}"),
            _ => format!("{target} = {}", self.number(2)),
        })
    }

    fn assign_symbol(&mut self) -> Option<String> {
        let target = self.place(|place| matches!(place.kind, Kind::Symbol(_)))?;
        let value = match self.dice.roll(3) {
            2 => self.place(|place| place.kind == target.kind),
            _ => None,
        };
        let value = match (value, target.kind) {
            (Some(place), _) => self.name(&place),
            (None, Kind::Symbol(set)) => self.symbol(set),
            _ => return None,
        };
        Some(format!("{} = {value}", self.name(&target)))
    }

    /// What channel variables there are get another channel; rarely, one that was made for its
    /// name.
    fn assign_channel(&mut self) -> Option<String> {
        let any = self.dice.roll(12) == 11;
        let target =
            self.place(|place| matches!(place.kind, Kind::Channel(_)) && (any || place.role == Role::Plain))?;
        let Kind::Channel(signature) = target.kind else { return None };
        let value = self.channel_value(signature)?;
        let target = self.name(&target);
        self.uses(&target, |uses, _| uses.otherwise = true);
        (target != value).then(|| format!("{target} = {value}"))
    }

    /// A value that does not fit.
    fn beyond(&mut self) -> Option<String> {
        let (target, number) = self.target()?;
        let greatest = number.greatest();
        Some(match self.dice.roll(4) {
            0 => format!("{target} = {target} + {}", if greatest > 255 { 30_000 } else { 255 }),
            1 => format!("{target} = {}", greatest.min(2_147_483_646) + 1),
            2 if number.unsigned() => format!("{target} = -1"),
            _ => format!("{target} = {greatest}; {target}++"),
        })
    }

    /// Something that is mostly true.
    fn likely(&mut self) -> String {
        match self.dice.roll(10) {
            9 => self.truth(1),
            8 => format!("({} || 1)", self.truth(1)),
            other => ["true", "(_pid < 200)", "(1 || 0)"][other % 3].into(),
        }
    }

    fn print(&mut self) -> String {
        let symbol = match self.dice.roll(3) {
            2 => self.place(|place| place.kind == Kind::Symbol(0)),
            _ => None,
        };
        match (symbol, self.dice.roll(2)) {
            (Some(place), 0) => format!("printm({})", self.name(&place)),
            (Some(place), _) => format!("printf(\"%e\\n\", {})", self.name(&place)),
            (None, 0) => format!("printf(\"%d\\n\", {})", self.number(1)),
            (None, _) => "printf(\"here\\n\")".into(),
        }
    }

    fn jump(&mut self) -> Option<String> {
        if self.labels.is_empty() {
            return None;
        }
        let label = self.dice.pick(&self.labels).clone();
        self.wanted.insert(label.clone());
        Some(format!("goto {label}"))
    }

    /// A call of an inline.
    fn call(&mut self, returns: bool) -> Option<String> {
        let all: Vec<String> = self
            .world
            .inlines
            .iter()
            .filter(|inline| inline.returns == returns)
            .map(|inline| inline.name.clone())
            .collect();
        if all.is_empty() {
            return None;
        }
        let name = self.dice.pick(&all).clone();
        let (written, read) = (self.plain_target()?, self.plain_target()?);
        Some(if returns {
            let target = self.plain_target()?;
            format!("{target} = {name}({read}, {})", self.dice.roll(4))
        } else {
            format!("{name}({written}, {})", if written == read { "1".into() } else { read })
        })
    }
}

/// Whether a statement can stand in a place.
fn fits(feature: Feature, here: Here) -> bool {
    use Feature::*;
    match feature {
        Break => here.in_loop,
        Run | RunValue => !here.d_step && !here.inline,
        Goto => !here.d_step && !here.inline,
        Timeout | Priority | InlineReturn | Inline => !here.d_step && !here.inline,
        // To be blocked within a `d_step` is an error.
        Guard | RandomReceive | PeekReceive | RandomPeek | Receive => !here.d_step,
        // A channel that it needs is declared where the process type begins.
        Token | RequestReply => !here.d_step && !here.inline,
        _ => true,
    }
}
