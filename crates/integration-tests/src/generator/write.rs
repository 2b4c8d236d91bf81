//! From a plan to the text of a program.

use std::collections::{BTreeMap, BTreeSet};

use super::Generated;
use super::author::{Author, Here};
use super::control::indented;
use super::declaration::Level;
use super::dice::Dice;
use super::feature::Feature;
use super::plan::{Plan, Twig};
use super::profile::Profile;
use super::world::{Inline, Kind, Number, Place, Role, Start};

/// The program that a plan stands for.
pub(super) fn write(plan: &Plan, profile: &Profile) -> Generated {
    let mut author = Author::new(profile);
    author.dice = Dice::new(plan.seed);
    author.world.priorities = author.rarely(15, Feature::Priority);
    author.world.rendezvous = author.dice.roll(3) == 2 && author.may(Feature::Rendezvous);
    let mut text = author.symbols();
    author.types(plan, &mut text);
    author.globals(plan, &mut text);
    text.push_str(&author.macros());
    let mut pids = 0;
    for (at, process) in plan.types.iter().enumerate() {
        author.header(at, process, &mut pids);
    }
    text.push_str(&author.inlines(&plan.inlines));
    let init = author.may(Feature::Init)
        && (plan.types.is_empty()
            || plan.seed % 3 == 1
            || author.world.headers.iter().any(|header| header.start == Start::Created));
    let mut processes: Vec<String> =
        plan.types.iter().enumerate().map(|(at, process)| author.process(at, process)).collect();
    let init = init.then(|| author.init(plan.seed, &plan.init));
    author.exclusive(&mut processes);
    let environment =
        (!plan.environment.is_multiple_of(32)).then(|| author.environment(plan.environment)).flatten();
    for process in processes.iter().chain(&init).chain(&environment) {
        text.push_str(process);
    }
    let mut features = BTreeMap::new();
    for feature in author.used {
        *features.entry(feature).or_insert(0) += 1;
    }
    Generated { text, features }
}

impl Author<'_> {
    fn types(&mut self, plan: &Plan, text: &mut String) {
        // A channel in a record carries the first kind of messages, which has no records in it
        // then.
        let first = plan.signatures.first().copied().unwrap_or(0);
        self.with(first, Self::add_signature);
        if self.may(Feature::Record) {
            for seed in &plan.records {
                text.push_str(&self.with(*seed, Self::record));
            }
        }
        for seed in plan.signatures.iter().skip(1) {
            self.with(*seed, Self::add_signature);
        }
    }

    fn globals(&mut self, plan: &Plan, text: &mut String) {
        for (position, seed) in plan.globals.iter().enumerate() {
            let name = format!("g{position}");
            let (variable, line) = self.with(*seed, |author| author.variable(Level::Global, &name));
            let places = self.world.places(&variable);
            self.world.globals.extend(places);
            text.push_str(&format!("{line};\n"));
        }
        // Each kind of messages has a channel; the others are for any kind.
        let kinds = self.world.signatures.len();
        let more = plan.channels.len().max(kinds);
        for position in 0..more {
            let seed = plan.channels.get(position).or(plan.signatures.get(position)).copied().unwrap_or(0);
            let name = format!("c{position}");
            let (variable, line) = self.with(seed, |author| {
                let signature = if position < kinds { position } else { author.signature() };
                author.channel_declaration(Level::Global, &name, signature)
            });
            let places = self.world.places(&variable);
            self.world.globals.extend(places);
            text.push_str(&format!("{line};\n"));
        }
    }

    /// Some macros, and a condition on one of them.
    fn macros(&mut self) -> String {
        let mut text = String::new();
        if self.rarely(3, Feature::Macro) {
            self.world.macros.push("LIMIT");
            text.push_str("#define LIMIT 2\n");
        }
        if self.rarely(3, Feature::MacroCall) {
            self.world.macros.extend(["LESSER", "SEND"]);
            text.push_str("#define LESSER(a, b) ((a) < (b) -> (a) : (b))\n#define SEND(to, what) to!what\n");
        }
        let number = self
            .world
            .globals
            .iter()
            .find(|place| place.number().is_some() && place.plain_name().is_some())
            .and_then(|place| place.plain_name());
        if let Some(number) = number.map(str::to_owned)
            && self.rarely(4, Feature::MacroCondition)
        {
            self.world.macros.push("RESET");
            let condition =
                *self.dice.pick(&["#ifdef LIMIT", "#if LIMIT > 1 && defined(LESSER)", "#ifndef NEVER"]);
            text.push_str(&format!(
                "{condition}\n#define RESET {number} = 0\n#else\n#define RESET skip\n#endif\n"
            ));
        }
        text
    }

    /// Inlines, each with one parameter that it writes and one that it only reads.
    fn inlines(&mut self, twigs: &[Twig]) -> String {
        let mut text = String::new();
        if !self.may(Feature::Inline) {
            return text;
        }
        for (position, twig) in twigs.iter().enumerate() {
            let name = format!("call{position}");
            self.scope = [("x", Role::Plain), ("y", Role::Counter(usize::MAX))]
                .map(|(name, role)| Place::named(name, Kind::Number(Number::Byte), role))
                .into();
            let body = self.with(twig.seed, |author| {
                let body = author.sequence(&twig.inner, Here { inline: true, ..Here::default() });
                let returns = author.dice.roll(2) == 1 && author.may(Feature::InlineReturn);
                author.finish_inline(&name, returns, body.text)
            });
            text.push_str(&body);
        }
        self.scope.clear();
        text
    }

    fn finish_inline(&mut self, name: &str, returns: bool, body: String) -> String {
        self.world.inlines.push(Inline { name: name.to_owned(), returns });
        let mut lines: Vec<String> = std::mem::take(&mut self.needed);
        lines.push(body);
        if returns {
            let value = self.number(1);
            lines.push(format!("return {value}"));
        }
        format!("inline {name}(x, y) {{\n{}\n}}\n", indented(&lines.join(";\n")))
    }

    /// Claims on channels that are right: who alone sends to, or receives from, a channel that no
    /// variable refers to.
    fn exclusive(&mut self, processes: &mut [String]) {
        if !self.may(Feature::Exclusive) {
            return;
        }
        let single = |who: &BTreeSet<usize>| {
            let who = *who.first().filter(|_| who.len() == 1)?;
            let header = self.world.headers.get(who)?;
            (header.start == Start::Active(1)).then_some(who)
        };
        let global = |name: &str| name.starts_with('c') && !name.contains(['[', '.']);
        let claims: Vec<(usize, String)> = self
            .channels
            .iter()
            .filter(|(name, uses)| global(name) && !uses.otherwise)
            .flat_map(|(name, uses)| {
                let sends = single(&uses.senders).map(|who| (who, format!("xs {name}")));
                let receives = single(&uses.receivers).map(|who| (who, format!("xr {name}")));
                sends.into_iter().chain(receives)
            })
            .collect();
        for (who, claim) in claims {
            if self.rarely(2, Feature::Exclusive) {
                processes[who] = processes[who].replacen(" {\n", &format!(" {{\n  {claim};\n"), 1);
            }
        }
    }
}
