//! Process types and `init`.

use super::author::{Author, Here};
use super::control::{indented, row};
use super::declaration::Level;
use super::feature::Feature;
use super::plan::{ProcessPlan, Twig};
use super::statement::Piece;
use super::world::{Declared, Header, Kind, Number, Role, Start};

impl Author<'_> {
    /// What others know of a type before it is written.
    pub(super) fn header(&mut self, at: usize, plan: &ProcessPlan, pids: &mut usize) {
        self.dice = super::dice::Dice::new(plan.seed);
        let several = self.profile.instances;
        let start = match self.dice.roll(5) {
            0 if self.may(Feature::Active) => Start::Active(1),
            1 if self.may(Feature::ActiveSeveral) && several > 1 => {
                Start::Active(2 + self.dice.roll(several - 1))
            }
            _ if self.may(Feature::Init) => Start::Created,
            _ => Start::Active(1),
        };
        let recursive = start == Start::Created && self.dice.roll(5) == 4 && self.may(Feature::Recursion);
        let mut parameters = Vec::new();
        if recursive {
            let (name, kind) = (format!("p{at}_n"), Kind::Number(Number::Byte));
            parameters.push(Declared { name, kind, length: None, role: Role::Plain });
        }
        // An `active` process has its parameters, too: they are 0.
        let wanted = start == Start::Created || self.dice.once_in(8);
        for (position, seed) in plan.parameters.iter().enumerate().filter(|_| wanted) {
            let parameter = self.with(*seed, |author| author.parameter(format!("p{at}_{position}"), start));
            parameters.push(parameter);
        }
        if !parameters.is_empty() {
            self.note(Feature::Parameters);
        }
        let pid = match start {
            Start::Active(count) => Some(std::mem::replace(pids, *pids + count)),
            Start::Created => None,
        };
        let name = format!("P{at}");
        let (labels, readable) = (Vec::new(), Vec::new());
        self.world.headers.push(Header { name, start, parameters, recursive, pid, labels, readable });
    }

    fn parameter(&mut self, name: String, start: Start) -> Declared {
        let records = self.world.records.len();
        let kind = match self.dice.roll(8) {
            // Nobody says which channel it is where nobody creates the process.
            3 | 4 if start == Start::Created && self.may(Feature::ChannelParameter) => {
                self.note(Feature::ChannelParameter);
                Kind::Channel(self.signature())
            }
            5 => Kind::Symbol(self.set()),
            6 if records > 0 && self.may(Feature::RecordParameter) => {
                let mobile = self.world.records.iter().position(|record| record.mobile);
                mobile.map_or(Kind::Number(Number::Byte), |record| {
                    self.note(Feature::RecordParameter);
                    Kind::Record(record)
                })
            }
            _ => {
                let number = self.number_type(false);
                self.note(number.feature());
                Kind::Number(number)
            }
        };
        Declared { name, kind, length: None, role: Role::Plain }
    }

    /// Begins a process type.
    pub(super) fn begin(&mut self, who: usize) {
        self.who = who;
        self.scope.clear();
        self.needed.clear();
        self.labels.clear();
        self.wanted.clear();
    }

    /// A process type.
    pub(super) fn process(&mut self, at: usize, plan: &ProcessPlan) -> String {
        self.begin(at);
        let header = self.world.headers[at].clone();
        header.parameters.iter().for_each(|parameter| self.enter(parameter));
        let mut lines = Vec::new();
        let mut readable = Vec::new();
        for (position, seed) in plan.locals.iter().enumerate() {
            let name = format!("l{at}_{position}");
            let (variable, text) = self.with(*seed, |author| author.local(&name));
            if matches!(variable.kind, Kind::Number(_)) && variable.length.is_none() {
                readable.push(name);
            }
            self.enter(&variable);
            lines.push(text);
        }
        let mut body = self.body(at, &plan.body);
        self.dice = super::dice::Dice::new(plan.seed ^ 0x5555_5555);
        if header.recursive
            && let Some(recursion) = self.attempt(Self::recursion)
        {
            body.push(recursion);
        }
        let straight = body.iter().all(|piece| !piece.joins && !piece.text.contains('\n'));
        let body = row(&body).text;
        lines.append(&mut self.needed);
        lines.push(body);
        self.world.headers[at].readable = readable;
        format!("{} {{\n{}\n}}\n", self.heading(&header, straight), indented(&lines.join(";\n")))
    }

    fn local(&mut self, name: &str) -> (Declared, String) {
        if self.dice.roll(4) == 3 && self.may(Feature::LocalChannel) {
            let signature = self.signature();
            return self.channel_declaration(Level::Local, name, signature);
        }
        self.variable(Level::Local, name)
    }

    fn heading(&mut self, header: &Header, straight: bool) -> String {
        let parameters: Vec<String> =
            header.parameters.iter().map(|parameter| self.declared(parameter)).collect();
        let deterministic = straight && self.rarely(6, Feature::Deterministic);
        let word = if deterministic { "D_proctype" } else { "proctype" };
        let start = match header.start {
            Start::Active(1) => {
                self.note(Feature::Active);
                "active ".to_owned()
            }
            Start::Active(count) => {
                self.note(Feature::ActiveSeveral);
                format!("active [{count}] ")
            }
            Start::Created => String::new(),
        };
        let mut heading = format!("{start}{word} {}({})", header.name, parameters.join("; "));
        if self.world.priorities {
            heading.push_str(&format!(" priority {}", 1 + self.dice.roll(3)));
        }
        let global = self
            .world
            .globals
            .iter()
            .find(|place| place.number().is_some() && place.plain_name().is_some())
            .and_then(|place| place.plain_name().map(str::to_owned));
        if let Some(global) = global
            && self.rarely(20, Feature::Provided)
        {
            let condition = *self.dice.pick(&["< 2", "!= 1", ">= 0"]);
            heading.push_str(&format!(" provided ({global} {condition})"));
        }
        heading
    }

    /// The statements at the outermost level, some of them with labels.
    fn body(&mut self, at: usize, twigs: &[Twig]) -> Vec<Piece> {
        let mut labelled = Vec::new();
        for (position, twig) in twigs.iter().enumerate() {
            let label = self.with(twig.seed ^ 0x2222_2222, |author| author.label(at, position));
            labelled.push(label);
        }
        let labels: Vec<String> = labelled.iter().flatten().cloned().collect();
        self.labels.clone_from(&labels);
        let mut pieces: Vec<Piece> = twigs.iter().map(|twig| self.statement(twig, Here::default())).collect();
        for (piece, label) in pieces.iter_mut().zip(labelled) {
            let Some(label) = label else { continue };
            if piece.text.starts_with("goto") || piece.text.starts_with("break") {
                piece.text = format!("skip;\n{}", piece.text);
            }
            // No jump may lead to a `d_step`.
            let skip = if piece.d_step { " skip;\n" } else { " " };
            piece.text = format!("{label}:{skip}{}", piece.text);
            piece.asks = false;
            piece.d_step = false;
        }
        self.world.headers[at].labels = labels;
        pieces
    }

    fn label(&mut self, at: usize, position: usize) -> Option<String> {
        use Feature::{AcceptLabel, EndLabel, Label, ProgressLabel};
        if self.dice.roll(3) != 2 || !self.may(Label) {
            return None;
        }
        let kind = self.choose(&[(5, Label), (2, EndLabel), (2, ProgressLabel), (1, AcceptLabel)]);
        self.note(kind);
        let prefix = match kind {
            EndLabel => "end",
            ProgressLabel => "progress",
            AcceptLabel => "accept",
            _ => "L",
        };
        Some(format!("{prefix}{at}_{position}"))
    }

    /// `init`: sets variables, creates the processes, and then does what it was given.
    pub(super) fn init(&mut self, seed: u32, twigs: &[Twig]) -> String {
        self.begin(self.world.headers.len());
        self.note(Feature::Init);
        self.dice = super::dice::Dice::new(seed);
        let mut first = Vec::new();
        for _ in 0..self.dice.roll(3) {
            first.extend(self.target().map(|(target, _)| format!("{target} = {}", self.dice.roll(3))));
        }
        first.extend(self.connections());
        let created: Vec<usize> = self
            .world
            .headers
            .iter()
            .enumerate()
            .filter(|(_, header)| header.start == Start::Created)
            .map(|(at, _)| at)
            .collect();
        for (position, at) in created.into_iter().enumerate() {
            if position > 0 && self.rarely(3, Feature::RunAfterEnd) {
                first.push(format!("if\n:: (_nr_pr < {})\n:: timeout\nfi", 2 + self.dice.roll(3)));
            }
            first.extend(self.launch(at));
            if self.rarely(8, Feature::RunAfterEnd) {
                first.push("timeout".into());
                first.extend(self.launch(at));
            }
        }
        let first = if first.is_empty() { vec!["skip".to_owned()] } else { first };
        let first = match self.dice.roll(3) {
            2 => first.join(";\n"),
            _ => {
                self.note(Feature::Atomic);
                format!("atomic {{\n{}\n}}", indented(&first.join(";\n")))
            }
        };
        let rest: Vec<Piece> = twigs.iter().map(|twig| self.statement(twig, Here::default())).collect();
        let mut all = vec![Piece { joins: true, ..Piece::step(first) }];
        all.extend(rest);
        let body = row(&all).text;
        let mut lines = std::mem::take(&mut self.needed);
        lines.push(body);
        format!("init {{\n{}\n}}\n", indented(&lines.join(";\n")))
    }

    /// Channels for most of the global variables that want one.
    fn connections(&mut self) -> Vec<String> {
        let variables: Vec<(String, usize)> = self
            .world
            .globals
            .iter()
            .filter_map(|place| match (place.kind, place.role, place.plain_name()) {
                (Kind::Channel(signature), Role::Plain, Some(name)) => Some((name.to_owned(), signature)),
                _ => None,
            })
            .collect();
        let mut first = Vec::new();
        for (name, signature) in variables {
            let certain = self.place(|place| {
                place.kind == Kind::Channel(signature) && matches!(place.role, Role::Queue(_))
            });
            if let Some(certain) = certain
                && self.dice.roll(8) < 7
            {
                let value = self.name(&certain);
                self.uses(&value, |uses, _| uses.otherwise = true);
                self.note(Feature::AssignChannel);
                first.push(format!("{name} = {value}"));
            }
        }
        first
    }

    /// Creates instances of a type.
    fn launch(&mut self, at: usize) -> Vec<String> {
        let way = self.dice.roll(6);
        let Some(run) = self.attempt(|author| author.run(at)) else { return Vec::new() };
        if way == 5 && self.may(Feature::RunInLoop) {
            self.note(Feature::RunInLoop);
            let bound = 1 + self.dice.roll(self.profile.rounds);
            let i = self.counter(bound);
            self.release(&i);
            return vec![match self.dice.roll(2) {
                0 => format!("do\n:: {i} < {bound} -> {run}; {i}++\n:: else -> break\nod"),
                _ => format!("for ({i} : 1 .. {bound}) {{\n  {run}\n}}"),
            }];
        }
        self.note(Feature::Run);
        let mut all = vec![run];
        if way >= 3 {
            all.extend(self.attempt(|author| author.run(at)));
        }
        all
    }
}
