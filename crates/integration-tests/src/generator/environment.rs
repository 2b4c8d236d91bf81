//! Somebody at the other end of channels.

use super::author::{Author, Uses};
use super::control::indented;
use super::dice::Dice;
use super::feature::Feature;
use super::world::{Kind, Role};

impl Author<'_> {
    /// A process that sends where others receive and nobody sends, takes what nobody takes, and
    /// answers where nobody answers. `None` if there is nothing to do for it.
    pub(super) fn environment(&mut self, seed: u32) -> Option<String> {
        if !self.may(Feature::Active) {
            return None;
        }
        self.dice = Dice::new(seed);
        self.begin(self.world.headers.len() + 1);
        let (mut sends, mut options) = (Vec::new(), Vec::new());
        for (name, signature) in self.ends() {
            let Uses { senders, receivers, asked, .. } = self.uses_of(&name, signature);
            let asked = asked && matches!(self.world.signatures[signature].fields[0], Kind::Channel(_));
            if asked {
                options.extend(self.attempt(|author| author.answer(&name, signature)));
            } else if receivers.is_empty() && !senders.is_empty() && self.dice.roll(3) > 0 {
                let width = self.world.flat(signature).len();
                options.push(format!("{name}?{}", vec!["_"; width].join(",")));
            } else if !receivers.is_empty() && (senders.is_empty() || self.dice.roll(3) < 2) {
                for _ in 0..1 + self.dice.roll(3) {
                    let fields = self.attempt(|author| author.plain_message(signature));
                    sends.extend(fields.map(|fields| format!("{name}!{}", fields.join(","))));
                }
            }
        }
        if sends.is_empty() && options.is_empty() {
            return None;
        }
        let mut body = std::mem::take(&mut self.needed);
        if !sends.is_empty() && self.dice.roll(4) == 0 {
            self.note(Feature::Send);
            body.append(&mut sends);
        }
        if !sends.is_empty() {
            body.push("byte sent".into());
            let most = 3 + self.dice.roll(self.profile.rounds * 3);
            options.extend(sends.into_iter().map(|send| format!("sent < {most} -> {send}; sent++")));
        }
        if !options.is_empty() {
            self.note(Feature::Do);
            body.push(format!("do\n:: {}\nod", options.join("\n:: ")));
        }
        self.note(Feature::Active);
        Some(format!("active proctype Env() {{\n{}\n}}\n", indented(&body.join(";\n"))))
    }

    /// A message as others may want it: small numbers.
    fn plain_message(&mut self, signature: usize) -> Option<Vec<String>> {
        let mut fields = Vec::new();
        for kind in self.world.flat(signature) {
            match kind {
                Kind::Number(_) if self.dice.roll(5) > 0 => fields.push(self.dice.roll(4).to_string()),
                kind => fields.extend(self.field(kind)?),
            }
        }
        Some(fields)
    }

    /// The global channels by name, elements of arrays one by one, and what they carry.
    fn ends(&self) -> Vec<(String, usize)> {
        let mut ends = Vec::new();
        for place in &self.world.globals {
            let (Kind::Channel(signature), Role::Queue(_)) = (place.kind, place.role) else { continue };
            match (place.plain_name(), place.array()) {
                (Some(name), _) => ends.push((name.to_owned(), signature)),
                (None, Some((name, length))) => {
                    ends.extend((0..length).map(|at| (format!("{name}[{at}]"), signature)));
                }
                (None, None) => {}
            }
        }
        ends
    }

    /// Who may use a channel: under its own name, as some element of its array, or through a
    /// variable.
    fn uses_of(&self, name: &str, signature: usize) -> Uses {
        let mut all = Uses::default();
        for (other, uses) in &self.channels {
            let variable = !other.starts_with('c') && uses.signature == signature;
            let unknown = other.split_once('[').is_some_and(|(stem, index)| {
                name.starts_with(stem) && index.trim_end_matches(']').parse::<usize>().is_err()
            });
            if variable || unknown || other == name {
                all.senders.extend(&uses.senders);
                all.receivers.extend(&uses.receivers);
                all.asked |= uses.asked;
            }
        }
        all
    }

    /// Takes a question and answers it.
    fn answer(&mut self, name: &str, signature: usize) -> Option<String> {
        let Kind::Channel(carried) = self.world.signatures[signature].fields[0] else { return None };
        let reply = self.fresh("v");
        let rest = self.world.flat(signature).len() - 1;
        let answer = self.message(carried)?;
        self.needed.push(format!("chan {reply}"));
        self.note(Feature::Server);
        let patterns = [vec![reply.clone()], vec!["_".to_owned(); rest]].concat().join(",");
        Some(format!("{name}?{patterns} -> {reply}!{}", answer.join(",")))
    }
}
