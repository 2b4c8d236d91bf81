//! Declarations: symbols, records, kinds of messages, variables, channels.

use super::author::Author;
use super::feature::Feature;
use super::world::{Declared, Kind, Number, Record, Role, Signature};

/// Where a variable is declared.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Level {
    /// Outside all processes.
    Global,
    /// In a process.
    Local,
    /// In a block.
    Block,
}

impl Author<'_> {
    /// Sets of symbols.
    pub(super) fn symbols(&mut self) -> String {
        self.world.sets.push(["red", "green", "blue"].map(str::to_owned).into());
        let mut text = String::from("mtype = { red, green, blue };\n");
        if self.rarely(3, Feature::SymbolSet) {
            self.world.sets.push(["apple", "pear"].map(str::to_owned).into());
            text.push_str("mtype:fruit = { apple, pear };\n");
        }
        text
    }

    /// A set of symbols: mostly the one without a name.
    pub(super) fn set(&mut self) -> usize {
        match self.dice.roll(3) {
            2 => self.world.sets.len() - 1,
            _ => 0,
        }
    }

    /// How a variable of a kind is declared, without its initial value.
    pub(super) fn declared(&self, variable: &Declared) -> String {
        let length = variable.length.map(|length| format!("[{length}]")).unwrap_or_default();
        let name = &variable.name;
        match variable.kind {
            Kind::Number(number) => match number {
                Number::Byte => format!("byte {name}{length}"),
                Number::Bit => format!("bit {name}{length}"),
                Number::Bool => format!("bool {name}{length}"),
                Number::Short => format!("short {name}{length}"),
                Number::Int => format!("int {name}{length}"),
                Number::Pid => format!("pid {name}{length}"),
                Number::Unsigned(bits) => format!("unsigned {name} : {bits}"),
            },
            Kind::Symbol(0) => format!("mtype {name}{length}"),
            Kind::Symbol(_) => format!("mtype:fruit {name}{length}"),
            Kind::Channel(_) => format!("chan {name}{length}"),
            Kind::Record(record) => format!("R{record} {name}{length}"),
        }
    }

    /// A type of records.
    pub(super) fn record(&mut self) -> String {
        let at = self.world.records.len();
        let mut fields = Vec::new();
        let mut lines = Vec::new();
        for position in 0..1 + self.dice.roll(3) {
            let name = format!("f{position}");
            let (kind, length) = match self.dice.roll(9) {
                5 => (Kind::Symbol(0), None),
                6 if at > 0 && self.may(Feature::NestedRecord) => {
                    self.note(Feature::NestedRecord);
                    (Kind::Record(at - 1), None)
                }
                7 if self.may(Feature::ArrayInRecord) => {
                    self.note(Feature::ArrayInRecord);
                    (Kind::Number(Number::Byte), Some(2))
                }
                8 if self.may(Feature::ChannelInRecord) => {
                    self.note(Feature::ChannelInRecord);
                    (Kind::Channel(0), None)
                }
                _ => (Kind::Number(self.number_type(false)), None),
            };
            let own = matches!(kind, Kind::Channel(_)) && self.dice.roll(3) == 2;
            let role = if own { Role::Queue(2) } else { Role::Plain };
            let field = Declared { name, kind, length, role };
            let mut line = self.declared(&field);
            if own {
                line.push_str(&self.making(0, 2));
            } else if matches!(kind, Kind::Number(_))
                && length.is_none()
                && self.rarely(5, Feature::Initializer)
            {
                line.push_str(&format!(" = {}", self.dice.roll(3)));
            }
            lines.push(line);
            fields.push(field);
        }
        let mobile = fields.iter().all(|field| match field.kind {
            Kind::Record(inner) => self.world.records[inner].mobile,
            Kind::Number(Number::Unsigned(_)) => false,
            _ => field.length.is_none() && field.role == Role::Plain,
        });
        self.world.records.push(Record { fields, mobile });
        format!("typedef R{at} {{ {} }};\n", lines.join("; "))
    }

    /// A kind of messages. The first one carries no channels.
    pub(super) fn add_signature(&mut self) {
        let at = self.world.signatures.len();
        let several = [0, 1, 1, 2][self.dice.roll(4)];
        let several = if self.may(Feature::SeveralFields) { several } else { 0 };
        let mut fields = Vec::new();
        for position in 0..=several {
            let record = self.world.records.iter().position(|record| record.mobile);
            fields.push(match self.dice.roll(9) {
                0 if position == 0 => Kind::Symbol(0),
                4 | 5 if at > 0 && self.may(Feature::ChannelInMessage) => {
                    self.note(Feature::ChannelInMessage);
                    Kind::Channel(self.dice.roll(at))
                }
                6 | 8 if record.is_some() && self.may(Feature::RecordInMessage) => {
                    self.note(Feature::RecordInMessage);
                    Kind::Record(record.unwrap_or(0))
                }
                7 => Kind::Symbol(0),
                _ => Kind::Number(self.number_type(true)),
            });
        }
        // The second kind carries channels more often than not: that is what the first is for.
        if at == 1 && self.dice.roll(3) < 2 && self.may(Feature::ChannelInMessage) {
            self.note(Feature::ChannelInMessage);
            fields[0] = Kind::Channel(0);
        }
        // A loop over a channel wants messages that are one record.
        if matches!(fields[0], Kind::Record(_)) && self.dice.once_in(2) {
            fields.truncate(1);
        }
        if fields.len() > 1 {
            self.note(Feature::SeveralFields);
        }
        self.world.signatures.push(Signature { fields });
    }

    /// ` = [capacity] of { fields }`.
    pub(super) fn making(&mut self, signature: usize, capacity: usize) -> String {
        if capacity == 0 {
            self.note(Feature::Rendezvous);
        }
        let signature = &self.world.signatures[signature];
        let fields = signature.fields.iter().map(|kind| match kind {
            Kind::Number(Number::Bit) => "bit".to_owned(),
            Kind::Number(Number::Bool) => "bool".to_owned(),
            Kind::Number(Number::Short) => "short".to_owned(),
            Kind::Number(Number::Int) => "int".to_owned(),
            Kind::Number(Number::Pid) => "pid".to_owned(),
            Kind::Number(_) => "byte".to_owned(),
            Kind::Symbol(_) => "mtype".to_owned(),
            Kind::Channel(_) => "chan".to_owned(),
            Kind::Record(record) => format!("R{record}"),
        });
        format!(" = [{capacity}] of {{ {} }}", fields.collect::<Vec<_>>().join(", "))
    }

    /// A capacity.
    pub(super) fn capacity(&mut self) -> usize {
        // Such a channel takes some questions away from the whole program, so there are several, or
        // none.
        if self.world.rendezvous && self.dice.roll(3) == 1 {
            return 0;
        }
        match self.dice.roll(self.profile.capacity + 1) {
            0 => 1.min(self.profile.capacity),
            other => other,
        }
    }

    /// A channel.
    pub(super) fn channel_declaration(
        &mut self,
        level: Level,
        name: &str,
        signature: usize,
    ) -> (Declared, String) {
        let capacity = self.capacity();
        let array = level == Level::Global && self.rarely(4, Feature::ChannelArray);
        let length = array.then(|| 2 + self.dice.roll(2));
        self.note(if level == Level::Global { Feature::GlobalChannel } else { Feature::LocalChannel });
        let variable = Declared {
            name: name.to_owned(),
            kind: Kind::Channel(signature),
            length,
            role: Role::Queue(capacity),
        };
        let text = self.declared(&variable) + &self.making(signature, capacity);
        (variable, text)
    }

    /// A variable that is no channel of its own.
    pub(super) fn variable(&mut self, level: Level, name: &str) -> (Declared, String) {
        let records = self.world.records.len();
        let (kind, feature) = match self.dice.roll(10) {
            5 | 6 => (Kind::Symbol(self.set()), Feature::Symbol),
            7 | 8 if records > 0 && self.may(Feature::Record) => {
                (Kind::Record(self.dice.roll(records)), Feature::Record)
            }
            9 if self.may(Feature::ChannelVariable) => {
                (Kind::Channel(self.signature()), Feature::ChannelVariable)
            }
            _ => {
                let number = self.number_type(false);
                (Kind::Number(number), number.feature())
            }
        };
        self.note(feature);
        let array = !matches!(kind, Kind::Number(Number::Unsigned(_))) && self.dice.once_in(5);
        let feature = if matches!(kind, Kind::Record(_)) { Feature::ArrayOfRecords } else { Feature::Array };
        let length = (array && self.may(feature)).then(|| 2 + self.dice.roll(2));
        if length.is_some() {
            self.note(feature);
        }
        let variable = Declared { name: name.to_owned(), kind, length, role: Role::Plain };
        let mut text = self.declared(&variable);
        let bit = matches!(kind, Kind::Number(Number::Bit | Number::Bool));
        let hidden = level == Level::Global && matches!(kind, Kind::Number(_)) && !bit;
        if hidden && self.rarely(12, Feature::Hidden) {
            text = format!("hidden {text}");
        }
        if let Some(value) = self.initial(level, &variable) {
            text.push_str(&format!(" = {value}"));
        }
        (variable, text)
    }

    fn initial(&mut self, level: Level, variable: &Declared) -> Option<String> {
        match variable.kind {
            Kind::Number(number) => {
                if let Some(length) = variable.length
                    && level != Level::Block
                    && self.rarely(2, Feature::InitializerList)
                {
                    let values: Vec<String> = (0..length).map(|_| self.dice.roll(3).to_string()).collect();
                    return Some(format!("{{ {} }}", values.join(", ")));
                }
                let reads = if level == Level::Global { 12 } else { 4 };
                if variable.length.is_none() && self.rarely(reads, Feature::InitializerReads) {
                    return self.earlier();
                }
                if !self.rarely(2, Feature::Initializer) {
                    return None;
                }
                let near = self.dice.roll(3);
                let extreme = variable.length.is_none() && self.rarely(4, Feature::WrapAround);
                let near = i64::try_from(near).expect("a small number");
                Some(if extreme { number.greatest() - near } else { near.min(number.greatest()) }.to_string())
            }
            Kind::Symbol(set) => self.rarely(2, Feature::Initializer).then(|| self.symbol(set)),
            // Only what is in a process knows which channels there are.
            Kind::Channel(signature) if level != Level::Global && variable.length.is_none() => {
                if self.dice.roll(12) == 11 {
                    return None;
                }
                let channel = self.channel_value(signature)?;
                self.note(Feature::InitializerReads);
                Some(channel)
            }
            Kind::Channel(_) | Kind::Record(_) => None,
        }
    }

    /// What an initial value may read: Spin computes some of them when it reads the text.
    fn earlier(&mut self) -> Option<String> {
        let place = self.place(|place| place.number().is_some() && place.plain_name().is_some())?;
        let name = place.plain_name()?;
        Some(match self.dice.roll(2) {
            0 => name.to_owned(),
            _ => format!("{name} + {}", self.dice.roll(3)),
        })
    }

    /// Puts a variable into the scope of the process at hand.
    pub(super) fn enter(&mut self, variable: &Declared) {
        let places = self.world.places(variable);
        self.scope.extend(places);
    }
}
