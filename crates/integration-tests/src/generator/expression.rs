//! Numbers and conditions.

use super::author::{Author, Here};
use super::feature::Feature;
use super::world::{Kind, Role, Start};

/// A condition, or something else that a sequence may begin with.
#[derive(Clone, Debug)]
pub(super) struct Condition {
    /// Its text, in parentheses where it needs them.
    pub(super) text: String,
    /// Whether it asks a channel, so that Spin wants no `else` beside it.
    pub(super) asks: bool,
}

impl Condition {
    pub(super) fn plain(text: String) -> Self {
        Self { text, asks: false }
    }
}

impl Author<'_> {
    /// A constant, mostly small.
    fn constant(&mut self) -> String {
        match self.dice.roll(14) {
            10 => "255".into(),
            11 => "7".into(),
            12 => "100".into(),
            13 if self.world.macros.contains(&"LIMIT") => {
                self.note(Feature::Macro);
                "LIMIT".into()
            }
            other => (other % 4).to_string(),
        }
    }

    /// The value of a variable, if there is one.
    fn read(&mut self) -> Option<String> {
        let place = self.place(|place| place.number().is_some())?;
        Some(self.name(&place))
    }

    /// A number.
    pub(super) fn number(&mut self, depth: usize) -> String {
        use Feature::{Arithmetic, Bitwise, Conditional, Division, MacroCall, Negate, OwnPid, Shift};
        if depth == 0 || self.dice.roll(5) < 2 {
            return match self.dice.roll(3) {
                0 => self.constant(),
                _ => self.read().unwrap_or_else(|| self.constant()),
            };
        }
        let table = [
            (10, Arithmetic),
            (2, Division),
            (2, Bitwise),
            (1, Shift),
            (1, Negate),
            (1, Conditional),
            (2, Feature::Length),
            (2, OwnPid),
            (1, MacroCall),
            (1, Feature::Comparison),
            (1, Feature::ProcessCount),
        ];
        let feature = self.choose(&table);
        match self.attempt(|author| author.compound(feature, depth - 1)) {
            Some(text) if self.may(feature) => {
                self.note(feature);
                text
            }
            _ => self.constant(),
        }
    }

    fn compound(&mut self, feature: Feature, depth: usize) -> Option<String> {
        Some(match feature {
            Feature::Arithmetic => self.binary(&["+", "+", "-", "*"], depth),
            Feature::Division => {
                let operator = *self.dice.pick(&["%", "/"]);
                let left = self.number(depth);
                let right = match self.rarely(20, Feature::RunTimeErrors) {
                    true => self.number(depth),
                    false => (1 + self.dice.roll(4)).to_string(),
                };
                format!("({left} {operator} {right})")
            }
            Feature::Bitwise if self.dice.roll(4) == 3 => format!("(~{})", self.number(depth)),
            Feature::Bitwise => self.binary(&["&", "|", "^"], depth),
            Feature::Shift => {
                let operator = *self.dice.pick(&["<<", ">>"]);
                format!("({} {operator} {})", self.number(depth), self.dice.roll(4))
            }
            Feature::Negate => format!("(-{})", self.number(depth)),
            Feature::Conditional => {
                let condition = self.truth(depth);
                format!("({condition} -> {} : {})", self.number(depth), self.number(depth))
            }
            Feature::Length => {
                let signature = self.dice.roll(self.world.signatures.len());
                let (channel, _) = self.channel(signature)?;
                self.uses(&channel, |uses, _| uses.otherwise = true);
                format!("len({channel})")
            }
            Feature::OwnPid => "_pid".into(),
            Feature::ProcessCount => "_nr_pr".into(),
            Feature::MacroCall if self.world.macros.contains(&"LESSER") => {
                format!("LESSER({}, {})", self.number(depth), self.number(0))
            }
            Feature::Comparison => self.comparison(depth),
            _ => return None,
        })
    }

    fn binary(&mut self, operators: &[&str], depth: usize) -> String {
        let operator = *self.dice.pick(operators);
        format!("({} {operator} {})", self.number(depth), self.number(depth))
    }

    fn comparison(&mut self, depth: usize) -> String {
        let operator = *self.dice.pick(&["<", "<", "==", "!=", "<=", ">", ">="]);
        let left = self.read().unwrap_or_else(|| self.constant());
        format!("({left} {operator} {})", self.number(depth))
    }

    /// A truth value that no channel is asked for.
    pub(super) fn truth(&mut self, depth: usize) -> String {
        use Feature::{Comparison, Connective, GuardedIndex, OwnPid, Symbol};
        let table = [
            (8, Comparison),
            (if depth == 0 { 0 } else { 3 }, Connective),
            (3, Symbol),
            (1, GuardedIndex),
            (1, OwnPid),
        ];
        let feature = self.choose(&table);
        let text = self.attempt(|author| author.truth_of(feature, depth));
        match text {
            Some(text) if self.may(feature) => {
                self.note(feature);
                text
            }
            _ => {
                self.note(Comparison);
                self.comparison(depth)
            }
        }
    }

    fn truth_of(&mut self, feature: Feature, depth: usize) -> Option<String> {
        use Feature::{Connective, GuardedIndex, OwnPid, Symbol};
        match feature {
            Connective => self.connective(depth.saturating_sub(1)),
            Symbol => self.symbol_question(),
            GuardedIndex => self.guarded_index(),
            OwnPid => Some(format!("(_pid {} {})", self.dice.pick(&["==", "<", ">"]), self.dice.roll(4))),
            _ => None,
        }
    }

    fn connective(&mut self, depth: usize) -> Option<String> {
        let left = self.truth(depth);
        Some(match self.dice.roll(5) {
            0 | 1 => format!("({left} && {})", self.truth(depth)),
            2 | 3 => format!("({left} || {})", self.truth(depth)),
            _ => format!("(!{left})"),
        })
    }

    fn symbol_question(&mut self) -> Option<String> {
        let place = self.place(|place| matches!(place.kind, Kind::Symbol(_)))?;
        let Kind::Symbol(set) = place.kind else { return None };
        let operator = *self.dice.pick(&["==", "!="]);
        let symbol = self.symbol(set);
        Some(format!("({} {operator} {symbol})", self.name(&place)))
    }

    /// An element behind the condition that it is there.
    fn guarded_index(&mut self) -> Option<String> {
        let array = self.place(|place| place.array().is_some() && place.number().is_some())?;
        let index = self.place(|place| {
            place.plain_name().is_some() && place.number().is_some_and(super::world::Number::unsigned)
        })?;
        let ((array, length), index) = (array.array()?, index.plain_name()?);
        let wanted = self.dice.roll(3);
        Some(match self.dice.roll(3) {
            0 | 1 => format!("({index} < {length} && {array}[{index}] == {wanted})"),
            _ => format!("({index} >= {length} || {array}[{index}] != {wanted})"),
        })
    }

    fn channel_question(&mut self) -> Option<String> {
        let signature = self.dice.roll(self.world.signatures.len());
        let (one, _) = self.channel(signature)?;
        let (other, _) = self.channel(signature)?;
        for channel in [&one, &other] {
            self.uses(channel, |uses, _| uses.otherwise = true);
        }
        Some(format!("({one} {} {other})", self.dice.pick(&["==", "!="])))
    }

    /// What a sequence may wait for: a truth value, a question to a channel, or something stranger.
    pub(super) fn condition(&mut self, here: Here) -> Condition {
        use Feature::{
            CompareChannels, Empty, Enabled, Full, Last, NotEmpty, NotFull, Poll, ProcessCount,
            ProgramCounter, RandomPoll, RemoteLabel, RemoteVariable, Timeout,
        };
        let outside = usize::from(!here.d_step && !here.inline);
        let table = [
            (30, Feature::Comparison),
            (2, CompareChannels),
            (1, Empty),
            (2, NotEmpty),
            (1, Full),
            (1, NotFull),
            (2, Poll),
            (1, RandomPoll),
            (2 * outside, Timeout),
            (outside, ProcessCount),
            (1, Last),
            (outside, Enabled),
            (outside, ProgramCounter),
            (2 * outside, RemoteLabel),
            (2 * outside, RemoteVariable),
        ];
        let feature = self.choose(&table);
        let found = self.attempt(|author| match feature {
            Empty | NotEmpty | Full | NotFull => author.filling(feature),
            CompareChannels => author.channel_question().map(Condition::plain),
            Poll | RandomPoll => author.poll(feature == RandomPoll),
            _ => author.strange(feature, here).map(Condition::plain),
        });
        match found {
            Some(condition) => {
                self.note(feature);
                condition
            }
            None => Condition::plain(self.truth(1)),
        }
    }

    fn filling(&mut self, feature: Feature) -> Option<Condition> {
        let signature = self.dice.roll(self.world.signatures.len());
        let (channel, role) = self.channel(signature)?;
        // Spin refuses some of these questions to a rendezvous channel.
        if matches!(role, Role::Queue(0)) {
            return None;
        }
        self.uses(&channel, |uses, _| uses.otherwise = true);
        let word = match feature {
            Feature::Empty => "empty",
            Feature::NotEmpty => "nempty",
            Feature::Full => "full",
            _ => "nfull",
        };
        let text = match self.dice.roll(4) {
            3 => format!("({word}({channel}) && {})", self.truth(0)),
            2 => format!("({word}({channel}) || {})", self.truth(0)),
            _ => format!("{word}({channel})"),
        };
        Some(Condition { text, asks: true })
    }

    fn strange(&mut self, feature: Feature, here: Here) -> Option<String> {
        Some(match feature {
            Feature::Timeout => match self.dice.roll(3) {
                2 => format!("(timeout && {})", self.truth(0)),
                _ => "timeout".into(),
            },
            Feature::ProcessCount => {
                format!("(_nr_pr {} {})", self.dice.pick(&["<", ">="]), self.dice.roll(6))
            }
            Feature::Last => format!("(_last {} {})", self.dice.pick(&["==", "!="]), self.dice.roll(3)),
            Feature::Enabled if !self.world.rendezvous => format!("enabled({})", self.other_pid()?),
            Feature::ProgramCounter => {
                format!(
                    "(pc_value({}) {} {})",
                    self.other_pid()?,
                    self.dice.pick(&[">", "<"]),
                    self.dice.roll(8)
                )
            }
            Feature::RemoteLabel => {
                let (header, pid) = self.somebody()?;
                let labels = &self.world.headers[header].labels;
                if labels.is_empty() || here.unless {
                    return None;
                }
                let label = self.dice.pick(labels).clone();
                let not = *self.dice.pick(&["", "", "!"]);
                format!("({not}{}[{pid}]@{label})", self.world.headers[header].name)
            }
            Feature::RemoteVariable => {
                let (header, pid) = self.somebody()?;
                let variables = &self.world.headers[header].readable;
                if variables.is_empty() {
                    return None;
                }
                let variable = self.dice.pick(variables).clone();
                let operator = *self.dice.pick(&["==", "!=", "<"]);
                let name = &self.world.headers[header].name;
                format!("({name}[{pid}]:{variable} {operator} {})", self.dice.roll(4))
            }
            _ => return None,
        })
    }

    /// The number of a process that is there at the start.
    fn other_pid(&mut self) -> Option<usize> {
        Some(self.somebody()?.1)
    }

    /// A type, and the number of an instance that is there at the start.
    fn somebody(&mut self) -> Option<(usize, usize)> {
        let who = self.who;
        let all: Vec<(usize, usize)> = self
            .world
            .headers
            .iter()
            .enumerate()
            .filter(|(at, _)| *at != who)
            .filter_map(|(at, header)| match header.start {
                Start::Active(count) => Some((at, header.pid? + self.dice.clone().roll(count))),
                Start::Created => None,
            })
            .collect();
        (!all.is_empty()).then(|| *self.dice.pick(&all))
    }
}
