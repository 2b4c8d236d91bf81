//! Ways in which models put several statements together.

use super::author::{Author, Here};
use super::control::{indented, row};
use super::feature::Feature;
use super::plan::Twig;
use super::statement::Piece;
use super::world::{Kind, Place, Role, Start};

impl Author<'_> {
    /// A statement with others inside.
    pub(super) fn idiom(&mut self, feature: Feature, inner: &[Twig], here: Here) -> Option<Piece> {
        match feature {
            Feature::Server => self.server(inner, here),
            Feature::Flag => {
                let flag = self.shared()?;
                let body = self.sequence(inner, here);
                let text = format!("atomic {{ {flag} == 0 -> {flag} = 1 }};\n{};\n{flag} = 0", body.text);
                Some(Piece::step(text))
            }
            Feature::GuardedCount => {
                let count = self.shared()?;
                let bound = 1 + self.dice.roll(4);
                let body = indented(&self.sequence(inner, here).text);
                let more = format!("{count} < {bound} ->\n  {count}++;\n{body}");
                Some(match (self.dice.roll(3), here.d_step) {
                    (2, false) => {
                        Piece::step(format!("{count} < {bound};\n{count}++;\n{}", body.trim_start()))
                    }
                    _ => Piece { joins: true, ..Piece::step(format!("if\n:: {more}\n:: else\nfi")) },
                })
            }
            Feature::StopFlag => {
                let flag = self.shared()?;
                let inside = Here { in_loop: true, repeats: true, ..here };
                let body = indented(&self.sequence(inner, inside).text);
                let text = format!("do\n:: {flag} == 0 ->\n{body}\n:: {flag} != 0 -> break\nod");
                Some(Piece { joins: true, ..Piece::step(text) })
            }
            _ => None,
        }
    }

    /// A global number that is no array.
    fn shared(&mut self) -> Option<String> {
        let all: Vec<Place> = self
            .world
            .globals
            .iter()
            .filter(|place| place.number().is_some() && place.plain_name().is_some())
            .cloned()
            .collect();
        if all.is_empty() {
            return None;
        }
        self.dice.pick(&all).plain_name().map(str::to_owned)
    }

    /// What another process may have written in between decides.
    pub(super) fn race(&mut self) -> Option<String> {
        let shared = self.shared()?;
        let values = ["0", "1", "2", "3"];
        let (one, other) = (self.dice.roll(4), self.dice.roll(3));
        let other = (one + 1 + other) % 4;
        let signature = self.signature();
        let send = self.send(signature, false)?;
        let (one, other) = (values[one], values[other]);
        Some(format!(
            "{shared} = {one};\n{shared} = {other};\nif\n:: {shared} == {one} -> {send}\n:: else\nfi"
        ))
    }

    /// What is known of a variable decides which options there are.
    pub(super) fn case_split(&mut self) -> Option<String> {
        let place = self.place(|place| match place.kind {
            Kind::Number(_) | Kind::Symbol(_) => true,
            Kind::Channel(_) => place.role == Role::Plain,
            Kind::Record(_) => false,
        })?;
        let name = self.name(&place);
        self.split(&name, place.kind)
    }

    fn split(&mut self, name: &str, kind: Kind) -> Option<String> {
        let values: Vec<String> = match kind {
            Kind::Number(number) => {
                let greatest = [number.greatest().to_string(), "-1".into(), "100".into()];
                (0..4).map(|value| value.to_string()).chain(greatest).collect()
            }
            Kind::Symbol(set) => self.world.sets[set].clone(),
            Kind::Channel(signature) => {
                let all = self.world.globals.iter().filter(|place| place.kind == Kind::Channel(signature));
                let queues = all.filter(|place| matches!(place.role, Role::Queue(_)));
                queues.filter_map(|place| place.plain_name().map(str::to_owned)).collect()
            }
            Kind::Record(_) => return None,
        };
        let options: Vec<String> = values.iter().map(|value| format!(":: {name} == {value}")).collect();
        Some(format!("if\n{}\n:: else\nfi", options.join("\n")))
    }

    /// An index out of two, and then the array is asked element by element.
    pub(super) fn chosen_index(&mut self) -> Option<String> {
        let array = self.place(|place| {
            place.role == Role::Plain && place.array().is_some() && place.number().is_some()
        })?;
        let (name, length) = array.array()?;
        let index = self.plain_target()?;
        let (one, other) = (self.dice.roll(length), self.dice.roll(length));
        let value = self.dice.roll(4);
        let asked = self.dice.roll(length);
        let split = self.split(&format!("{name}[{asked}]"), array.kind)?;
        Some(format!(
            "if\n:: {index} = {one}\n:: {index} = {other}\nfi;\n{name}[{index}] = {value};\n{split}"
        ))
    }

    /// A kind of messages that carries channels, and the kind of those, and where in a message they
    /// are.
    fn carrier(&mut self) -> Option<(usize, usize)> {
        let carriers: Vec<(usize, usize)> = self
            .world
            .signatures
            .iter()
            .enumerate()
            .filter_map(|(at, signature)| match signature.fields[0] {
                Kind::Channel(carried) => Some((at, carried)),
                _ => None,
            })
            .collect();
        (!carriers.is_empty()).then(|| *self.dice.pick(&carriers))
    }

    /// A loop that takes messages, and answers where they say how.
    fn server(&mut self, inner: &[Twig], here: Here) -> Option<Piece> {
        let inside = Here { in_loop: true, repeats: true, ..here };
        let mut options = Vec::new();
        if let Some((signature, carried)) = self.carrier() {
            let (channel, _) = self.channel(signature)?;
            let reply = self.fresh("v");
            self.needed.push(format!("chan {reply}"));
            self.note(Feature::ChannelVariable);
            let rest = self.world.flat(signature).len() - 1;
            self.uses(&channel, |uses, who| _ = uses.receivers.insert(who));
            let fields = [vec![reply.clone()], vec!["_".to_owned(); rest]].concat().join(",");
            let answer: Vec<String> = self.message(carried)?;
            options.push(format!("{channel}?{fields} ->\n  {reply}!{}", answer.join(",")));
        }
        for twig in inner {
            let signature = self.signature();
            let receive = self.receive(signature, Feature::Receive)?;
            self.note(Feature::Receive);
            let body = indented(&self.statement(twig, inside).text);
            options.push(format!("{receive} ->\n{body}"));
        }
        let text = format!("do\n:: {}\nod", options.join("\n:: "));
        Some(Piece { joins: true, ..Piece::question(text) })
    }

    /// A question with a channel of one's own, and the answer.
    pub(super) fn request(&mut self) -> Option<String> {
        let (signature, carried) = self.carrier()?;
        let (channel, _) = self.channel(signature)?;
        let mine = |place: &Place| {
            place.kind == Kind::Channel(carried)
                && matches!(place.role, Role::Queue(_))
                && place.plain_name().is_some_and(|name| name.starts_with("own"))
        };
        let own = match self.place(mine) {
            Some(place) => place.plain_name()?.to_owned(),
            None if self.may(Feature::LocalChannel) => {
                let name = self.fresh("own");
                let (variable, text) =
                    self.channel_declaration(super::declaration::Level::Local, &name, carried);
                self.enter(&variable);
                self.needed.push(text);
                name
            }
            None => return None,
        };
        let mut fields = vec![own.clone()];
        for kind in self.world.signatures[signature].fields.clone().into_iter().skip(1) {
            fields.extend(self.field(kind)?);
        }
        self.uses(&channel, |uses, who| {
            uses.senders.insert(who);
            uses.asked = true;
            uses.signature = signature;
        });
        let role = Role::Queue(1);
        let answer = self.receive_from(&own, role, carried, Feature::Receive)?;
        Some(format!("{channel}!{};\n{answer}", fields.join(",")))
    }

    /// Takes a message from one element of an array of channels and puts one into the next.
    pub(super) fn pass_on(&mut self) -> Option<String> {
        let array = self.place(|place| {
            place.array().is_some()
                && matches!(place.kind, Kind::Channel(_))
                && matches!(place.role, Role::Queue(_))
        })?;
        let (Some((name, length)), Kind::Channel(signature)) = (array.array(), array.kind) else {
            return None;
        };
        let parameter = self.place(|place| {
            place.number().is_some_and(super::world::Number::unsigned)
                && place.plain_name().is_some_and(|name| name.starts_with('p'))
        });
        let me = match (parameter, self.dice.roll(2)) {
            (Some(place), 1) => place.plain_name()?.to_owned(),
            _ => "_pid".to_owned(),
        };
        let channel = format!("{name}[{me} % {length}]");
        let receive = self.receive_from(&channel, array.role, signature, Feature::Receive)?;
        let fields = self.message(signature)?.join(",");
        Some(format!("{receive};\n{name}[({me} + 1) % {length}]!{fields}"))
    }

    /// `run`, of a type that comes later.
    pub(super) fn creation(&mut self, value: bool, here: Here) -> Option<String> {
        if here.repeats && !self.rarely(8, Feature::RunForEver) {
            return None;
        }
        let later: Vec<usize> = (0..self.world.headers.len())
            .filter(|at| *at > self.who || self.who == self.world.headers.len())
            .collect();
        if later.is_empty() {
            return None;
        }
        let who = *self.dice.pick(&later);
        let run = self.run(who)?;
        if here.counts && !here.repeats {
            self.note(Feature::RunInLoop);
        }
        if value {
            return Some(format!("{} = {run}", self.target()?.0));
        }
        Some(run)
    }

    /// `run` of a given type.
    pub(super) fn run(&mut self, who: usize) -> Option<String> {
        let header = self.world.headers[who].clone();
        let mut arguments = Vec::new();
        for (position, parameter) in header.parameters.iter().enumerate() {
            let counts = header.recursive && position == 0;
            arguments.push(match parameter.kind {
                Kind::Number(_) if counts => (1 + self.dice.roll(self.profile.rounds)).to_string(),
                Kind::Record(record) => {
                    let place = self.place(|place| place.kind == Kind::Record(record))?;
                    self.name(&place)
                }
                Kind::Channel(signature) => self.channel_value(signature)?,
                // Spin takes no symbolic variable here.
                Kind::Symbol(set) => self.symbol(set),
                kind => self.field(kind)?.pop()?,
            });
        }
        let priority = match self.world.priorities && self.dice.once_in(2) {
            true => format!(" priority {}", 1 + self.dice.roll(4)),
            false => String::new(),
        };
        Some(format!("run {}({}){priority}", header.name, arguments.join(", ")))
    }

    /// The end of a type that creates itself.
    pub(super) fn recursion(&mut self) -> Option<Piece> {
        let header = self.world.headers[self.who].clone();
        let first = &header.parameters.first()?.name;
        let run = self.run(self.who)?;
        // The first argument is the one that grows less.
        let (head, rest) = run.split_once('(')?;
        let rest = rest.find([',', ')']).map(|end| &rest[end..])?;
        self.note(Feature::Recursion);
        let text = format!("if\n:: {first} > 0 -> {head}({first} - 1{rest}\n:: else\nfi");
        debug_assert_eq!(header.start, Start::Created);
        Some(row(&[Piece { joins: true, ..Piece::step(text) }]))
    }
}
