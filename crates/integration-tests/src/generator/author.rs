//! Whoever writes a program: what is in scope, what has been used, and the dice.

use std::collections::{BTreeMap, BTreeSet};

use super::dice::Dice;
use super::feature::Feature;
use super::profile::Profile;
use super::world::{Kind, Number, Part, Place, Role, World};

/// Where a statement stands.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Here {
    /// Within `d_step`.
    pub(super) d_step: bool,
    /// Within `atomic`.
    pub(super) atomic: bool,
    /// Within a loop that `break` leaves.
    pub(super) in_loop: bool,
    /// Within a loop without a bound.
    pub(super) repeats: bool,
    /// Within a loop with a bound.
    pub(super) counts: bool,
    /// Within `unless`.
    pub(super) unless: bool,
    /// Within an inline.
    pub(super) inline: bool,
}

/// Who uses a channel with a plain name, and how.
#[derive(Clone, Debug, Default)]
pub(super) struct Uses {
    /// Process types that send to it.
    pub(super) senders: BTreeSet<usize>,
    /// Process types that receive from it.
    pub(super) receivers: BTreeSet<usize>,
    /// Whether it is used in another way, too.
    pub(super) otherwise: bool,
    /// Whether somebody waits for an answer to what is sent there.
    pub(super) asked: bool,
    /// What messages it carries.
    pub(super) signature: usize,
}

/// Whoever writes a program.
pub(super) struct Author<'p> {
    /// What may be used.
    pub(super) profile: &'p Profile,
    /// Choices of the statement or declaration at hand.
    pub(super) dice: Dice,
    /// What is known everywhere.
    pub(super) world: World,
    /// What has been used, each time.
    pub(super) used: Vec<Feature>,
    /// Places of the process type at hand.
    pub(super) scope: Vec<Place>,
    /// Declarations that its statements needed.
    pub(super) needed: Vec<String>,
    /// Labels that jumps of it may lead to.
    pub(super) labels: Vec<String>,
    /// Those that jumps of it lead to.
    pub(super) wanted: BTreeSet<String>,
    /// The position of the process type; as many as there are for `init`.
    pub(super) who: usize,
    /// Uses of global channels with plain names.
    pub(super) channels: BTreeMap<String, Uses>,
    /// Names given away.
    pub(super) names: usize,
}

impl<'p> Author<'p> {
    /// Nothing is written yet.
    pub(super) fn new(profile: &'p Profile) -> Self {
        Self {
            profile,
            dice: Dice::new(0),
            world: World::default(),
            used: Vec::new(),
            scope: Vec::new(),
            needed: Vec::new(),
            labels: Vec::new(),
            wanted: BTreeSet::new(),
            who: 0,
            channels: BTreeMap::new(),
            names: 0,
        }
    }

    /// Whether a construct may be used.
    pub(super) fn may(&self, feature: Feature) -> bool {
        self.profile.has(feature)
    }

    /// Counts a use.
    pub(super) fn note(&mut self, feature: Feature) {
        self.used.push(feature);
    }

    /// Whether to use a construct, once in so many times; counted if so.
    pub(super) fn rarely(&mut self, count: usize, feature: Feature) -> bool {
        let wanted = self.dice.once_in(count) && self.may(feature);
        if wanted {
            self.note(feature);
        }
        wanted
    }

    /// Tries to write something. If that fails, nothing of it was used.
    pub(super) fn attempt<T>(&mut self, write: impl FnOnce(&mut Self) -> Option<T>) -> Option<T> {
        let before = (self.used.len(), self.needed.len(), self.scope.len());
        let written = write(self);
        if written.is_none() {
            self.used.truncate(before.0);
            self.needed.truncate(before.1);
            self.scope.truncate(before.2);
        }
        written
    }

    /// One of the constructs that may be used, by weight; not counted yet. The first if there is
    /// none.
    pub(super) fn choose(&mut self, table: &[(usize, Feature)]) -> Feature {
        let allowed: Vec<(usize, Feature)> =
            table.iter().copied().filter(|(_, feature)| self.may(*feature)).collect();
        if allowed.is_empty() {
            return table[0].1;
        }
        allowed[self.dice.weighted(allowed.iter().map(|(weight, _)| *weight))].1
    }

    /// Writes with other dice for a while.
    pub(super) fn with<T>(&mut self, seed: u32, write: impl FnOnce(&mut Self) -> T) -> T {
        let before = std::mem::replace(&mut self.dice, Dice::new(seed));
        let written = write(self);
        self.dice = before;
        written
    }

    /// A name that nothing has yet.
    pub(super) fn fresh(&mut self, prefix: &str) -> String {
        self.names += 1;
        format!("{prefix}{}", self.names)
    }

    /// A place that can be named here and is as asked.
    pub(super) fn place(&mut self, ask: impl Fn(&Place) -> bool) -> Option<Place> {
        let all: Vec<&Place> =
            self.scope.iter().chain(&self.world.globals).filter(|place| ask(place)).collect();
        if all.is_empty() {
            return None;
        }
        Some((*self.dice.pick(&all)).clone())
    }

    /// The name of a place, with indices.
    pub(super) fn name(&mut self, place: &Place) -> String {
        let mut name = String::new();
        for part in &place.parts {
            match part {
                Part::Text(text) => name.push_str(text),
                Part::Index(length) => {
                    let index = self.index(*length);
                    name.push_str(&format!("[{index}]"));
                }
            }
        }
        name
    }

    /// An index into so many elements, mostly within.
    fn index(&mut self, length: usize) -> String {
        let constant = self.dice.roll(length);
        match self.dice.roll(12) {
            4..=6 => {
                let counters = |place: &Place| match place.role {
                    Role::Counter(bound) => bound <= length && place.plain_name().is_some(),
                    _ => false,
                };
                let counter = self.place(counters);
                counter.and_then(|counter| counter.plain_name().map(str::to_owned))
            }
            7 | 8 => {
                self.note(Feature::OwnPid);
                Some(format!("_pid % {length}"))
            }
            9 | 10 => {
                let number = self.place(|place| {
                    place.plain_name().is_some() && place.number().is_some_and(Number::unsigned)
                });
                self.note(Feature::Division);
                number.and_then(|number| Some(format!("{} % {length}", number.plain_name()?)))
            }
            11 if self.rarely(12, Feature::RunTimeErrors) => {
                let number = self.place(|place| place.plain_name().is_some() && place.number().is_some());
                number.and_then(|number| number.plain_name().map(str::to_owned))
            }
            _ => None,
        }
        .unwrap_or_else(|| constant.to_string())
    }

    /// The name of a number that may be written.
    pub(super) fn target(&mut self) -> Option<(String, Number)> {
        let place = self.place(|place| place.number().is_some() && place.role == Role::Plain)?;
        let number = place.number()?;
        Some((self.name(&place), number))
    }

    /// The plain name of a number that may be written.
    pub(super) fn plain_target(&mut self) -> Option<String> {
        let place = self.place(|place| {
            let name = place.plain_name().is_some_and(|name| !name.contains('.'));
            place.number().is_some() && place.role == Role::Plain && name
        })?;
        place.plain_name().map(str::to_owned)
    }

    /// A channel for a kind of messages, mostly one that is there for certain.
    pub(super) fn channel(&mut self, signature: usize) -> Option<(String, Role)> {
        let fits = |place: &Place| place.kind == Kind::Channel(signature);
        let certain = |place: &Place| fits(place) && matches!(place.role, Role::Queue(_));
        let place = match self.dice.roll(5) {
            4 => self.place(|place| fits(place) && !certain(place)),
            _ => None,
        };
        let place = place.or_else(|| self.place(certain)).or_else(|| self.place(fits))?;
        Some((self.name(&place), place.role))
    }

    /// A channel as a value: rarely one for other messages.
    pub(super) fn channel_value(&mut self, signature: usize) -> Option<String> {
        let kinds = self.world.signatures.len();
        let signature = match kinds > 1 && self.rarely(30, Feature::OtherShape) {
            true => self.dice.roll(kinds),
            false => signature,
        };
        let (channel, _) = self.channel(signature)?;
        self.uses(&channel, |uses, _| uses.otherwise = true);
        Some(channel)
    }

    /// Notes who uses a channel.
    pub(super) fn uses(&mut self, channel: &str, how: impl FnOnce(&mut Uses, usize)) {
        let who = self.who;
        how(self.channels.entry(channel.to_owned()).or_default(), who);
    }

    /// A symbol of a set.
    pub(super) fn symbol(&mut self, set: usize) -> String {
        self.note(Feature::Symbol);
        let symbols = &self.world.sets[set.min(self.world.sets.len() - 1)];
        self.dice.pick(symbols).clone()
    }

    /// A new counter of the process type at hand. It has to be taken out of scope when it is free
    /// again.
    pub(super) fn counter(&mut self, bound: usize) -> String {
        let name = self.fresh("i");
        let ty = ["byte", "byte", "byte", "int", "short"][self.dice.roll(5)];
        self.needed.push(format!("{ty} {name}"));
        self.scope.push(Place::named(&name, Kind::Number(Number::Byte), Role::Counter(bound)));
        name
    }

    /// Makes a counter a plain variable again.
    pub(super) fn release(&mut self, counter: &str) {
        for place in &mut self.scope {
            if place.plain_name() == Some(counter) {
                place.role = Role::Plain;
            }
        }
    }
}
