//! Sends, receives and polls.

use super::author::Author;
use super::expression::Condition;
use super::feature::Feature;
use super::world::{Kind, Number, Place, Role};

/// What a field of a receive asks for.
enum Want {
    /// Store the field if there is a variable for it.
    Store,
    /// Any value.
    Any,
    /// A constant.
    Constant,
    /// A value by `eval`.
    Eval,
}

impl Author<'_> {
    /// A kind of messages, the ones with channels in them as often as all others.
    pub(super) fn signature(&mut self) -> usize {
        self.dice.roll(self.world.signatures.len())
    }

    /// The value of a field in a send.
    pub(super) fn field(&mut self, kind: Kind) -> Option<Vec<String>> {
        Some(match kind {
            Kind::Number(_) if self.rarely(40, Feature::ChannelAsNumber) => {
                let signature = self.signature();
                vec![self.channel_value(signature)?]
            }
            Kind::Number(_) => vec![self.number(1)],
            Kind::Symbol(set) => {
                let variable = match self.dice.roll(3) {
                    2 => self.place(|place| place.kind == Kind::Symbol(set)),
                    _ => None,
                };
                vec![match variable {
                    Some(place) => self.name(&place),
                    None => self.symbol(set),
                }]
            }
            Kind::Channel(_) if self.rarely(60, Feature::ChannelAsNumber) => vec![self.number(1)],
            Kind::Channel(signature) => vec![self.channel_value(signature)?],
            Kind::Record(record) => {
                let whole = match self.dice.roll(3) {
                    2 => None,
                    _ => self.place(|place| place.kind == Kind::Record(record)),
                };
                if let Some(place) = whole {
                    return Some(vec![self.name(&place)]);
                }
                let fields = self.world.records[record].fields.clone();
                let mut values = Vec::new();
                for field in fields {
                    values.extend(self.field(field.kind)?);
                }
                values
            }
        })
    }

    /// A message of a kind.
    pub(super) fn message(&mut self, signature: usize) -> Option<Vec<String>> {
        let kinds = self.world.signatures[signature].fields.clone();
        let mut values = Vec::new();
        for kind in kinds {
            values.extend(self.field(kind)?);
        }
        Some(values)
    }

    /// Fields as one text: between commas, or the first one before parentheses.
    fn listed(&mut self, fields: &[String]) -> String {
        // What begins with a parenthesis cannot stand before one.
        let word = fields[0].chars().all(|c| c.is_alphanumeric() || c == '_');
        if fields.len() > 1 && word && self.rarely(3, Feature::Shorthand) {
            return format!("{}({})", fields[0], fields[1..].join(","));
        }
        fields.join(",")
    }

    /// A send to a channel of a kind.
    pub(super) fn send(&mut self, signature: usize, sorted: bool) -> Option<String> {
        let (channel, role) = self.channel(signature)?;
        let fields = self.message(signature)?;
        self.uses(&channel, |uses, who| {
            uses.senders.insert(who);
            uses.signature = signature;
        });
        let fields = self.listed(&fields);
        let operator = if sorted && role != Role::Queue(0) { "!!" } else { "!" };
        Some(format!("{channel}{operator}{fields}"))
    }

    /// The patterns of a receive or a poll, where nothing is stored.
    fn patterns(&mut self, signature: usize, stores: bool) -> Vec<String> {
        let kinds = self.world.signatures[signature].fields.clone();
        let mut taken = Vec::new();
        let mut patterns = Vec::new();
        for kind in kinds {
            self.pattern(kind, stores, &mut taken, &mut patterns);
        }
        patterns
    }

    fn want(&mut self, stores: bool) -> Want {
        match self.dice.roll(20) {
            0..=9 if stores => Want::Store,
            10..=12 => Want::Constant,
            13 => Want::Eval,
            _ => Want::Any,
        }
    }

    fn pattern(&mut self, kind: Kind, stores: bool, taken: &mut Vec<String>, patterns: &mut Vec<String>) {
        if let Kind::Record(record) = kind {
            let whole = |place: &Place| place.kind == Kind::Record(record) && place.role == Role::Plain;
            if stores
                && self.dice.roll(3) < 2
                && let Some(place) = self.place(whole)
            {
                let name = self.name(&place);
                if taken.iter().all(|other| !other.starts_with(&name) && !name.starts_with(other.as_str())) {
                    taken.push(name.clone());
                    return patterns.push(name);
                }
            }
            for field in self.world.records[record].fields.clone() {
                self.pattern(field.kind, stores, taken, patterns);
            }
            return;
        }
        let text = match self.want(stores) {
            Want::Any => None,
            Want::Store => self.attempt(|author| author.stored(kind, taken)),
            Want::Constant => self.matched(kind),
            Want::Eval => self.evaluated(kind),
        };
        patterns.push(text.unwrap_or_else(|| {
            self.note(Feature::Wildcard);
            "_".into()
        }));
    }

    /// A variable for a field, of which no other field goes into the same.
    fn stored(&mut self, kind: Kind, taken: &mut Vec<String>) -> Option<String> {
        let number = matches!(kind, Kind::Channel(_)) && self.rarely(15, Feature::ChannelAsNumber);
        let place = self.place(|place| match (place.kind, kind) {
            (Kind::Number(_), Kind::Channel(_)) if number => place.role == Role::Plain,
            (Kind::Number(_), Kind::Number(_)) => place.role == Role::Plain,
            (one, other) => one == other && place.role == Role::Plain,
        })?;
        let earlier = taken.first().filter(|name| self.is_index(name)).cloned();
        let name = match (place.array(), earlier) {
            // An index that the same receive stores.
            (Some((name, length)), Some(index))
                if self.dice.roll(3) == 0 && self.may(Feature::StoredIndex) =>
            {
                self.note(Feature::StoredIndex);
                format!("{name}[{index} % {length}]")
            }
            _ => self.name(&place),
        };
        // What an inline is called with may be any variable.
        if self.scope.first().is_some_and(|first| first.plain_name() == Some("x")) && !taken.is_empty() {
            return None;
        }
        // Two elements of one array, or of one record, may be the same one.
        let stem = |name: &str| name.split(['[', '.']).next().unwrap_or_default().to_owned();
        if taken.iter().any(|other| stem(other) == stem(&name)) {
            return None;
        }
        taken.push(name.clone());
        Some(name)
    }

    /// Whether a name alone is that of a variable that can be an index, which a record cannot.
    fn is_index(&self, name: &str) -> bool {
        let mut places = self.scope.iter().chain(&self.world.globals);
        let named = places.find(|place| place.plain_name() == Some(name));
        named.is_some_and(|place| !matches!(place.kind, Kind::Record(_)))
    }

    fn matched(&mut self, kind: Kind) -> Option<String> {
        if !self.may(Feature::MatchConstant) {
            return None;
        }
        let text = match kind {
            Kind::Number(number) => {
                let greatest = usize::try_from(number.greatest().min(3)).expect("at most 3");
                self.dice.roll(greatest + 1).to_string()
            }
            Kind::Symbol(set) => self.symbol(set),
            Kind::Channel(_) | Kind::Record(_) => return None,
        };
        self.note(Feature::MatchConstant);
        Some(text)
    }

    fn evaluated(&mut self, kind: Kind) -> Option<String> {
        if !self.may(Feature::Eval) {
            return None;
        }
        let value = match kind {
            Kind::Number(_) => self.number(1),
            Kind::Symbol(_) => {
                let place = self.place(|place| place.kind == kind)?;
                self.name(&place)
            }
            Kind::Channel(signature) => {
                let (channel, _) = self.channel(signature)?;
                self.uses(&channel, |uses, _| uses.otherwise = true);
                channel
            }
            Kind::Record(_) => return None,
        };
        self.note(Feature::Eval);
        Some(format!("eval({value})"))
    }

    /// A receive from a channel of a kind.
    pub(super) fn receive(&mut self, signature: usize, feature: Feature) -> Option<String> {
        let (channel, role) = self.channel(signature)?;
        self.receive_from(&channel, role, signature, feature)
    }

    /// A receive from a given channel.
    pub(super) fn receive_from(
        &mut self,
        channel: &str,
        role: Role,
        signature: usize,
        feature: Feature,
    ) -> Option<String> {
        let plain = role == Role::Queue(0) && feature != Feature::Receive;
        if plain {
            return None;
        }
        let patterns = self.patterns(signature, true);
        self.uses(channel, |uses, who| {
            uses.receivers.insert(who);
            uses.signature = signature;
        });
        let patterns = self.listed(&patterns);
        Some(match feature {
            Feature::RandomReceive => format!("{channel}??{patterns}"),
            Feature::PeekReceive => format!("{channel}?<{patterns}>"),
            Feature::RandomPeek => format!("{channel}??<{patterns}>"),
            _ => format!("{channel}?{patterns}"),
        })
    }

    /// A question whether a receive could be executed.
    pub(super) fn poll(&mut self, random: bool) -> Option<Condition> {
        let signature = self.signature();
        let (channel, role) = self.channel(signature)?;
        if role == Role::Queue(0) {
            return None;
        }
        self.uses(&channel, |uses, _| uses.otherwise = true);
        let patterns = self.patterns(signature, false).join(",");
        let operator = if random { "??" } else { "?" };
        let poll = format!("{channel}{operator}[{patterns}]");
        let text = match self.dice.roll(4) {
            3 => format!("({poll} && {})", self.truth(0)),
            2 => format!("(!({poll}))"),
            _ => poll,
        };
        Some(Condition { text, asks: true })
    }

    /// A number type for a declaration or a field.
    pub(super) fn number_type(&mut self, field: bool) -> Number {
        use Feature::{Bit, Bool, Byte, Int, Pid, Short, Unsigned};
        let width = 2 + self.dice.roll(3);
        let wide = usize::from(!field);
        let table = [(8, Byte), (3, Bit), (2, Bool), (2, Short), (3, Int), (1, Pid), (2 * wide, Unsigned)];
        match self.choose(&table) {
            Bit => Number::Bit,
            Bool => Number::Bool,
            Short => Number::Short,
            Int => Number::Int,
            Pid => Number::Pid,
            Unsigned => Number::Unsigned(width),
            _ => Number::Byte,
        }
    }
}
