//! The graphs of a program that the front end made, in the form in which Spin's are read.

use std::collections::{BTreeMap, BTreeSet};

use cfsm_core::ids::Id as _;
use cfsm_core::program::{
    Action, Binary, Edge as Statement, Expression, Hold, LocationId, Pattern, Place, ProcessType,
    ProcessTypeId, Program, Unary,
};
use cfsm_core::source::Span;

use super::graph::{Edge, Graph, Label, Marks, State};
use super::regions::Regions;
use super::term::{HIDDEN, Meaning, Term};

impl Meaning for Program {
    fn constant(&self, name: &str) -> Option<i64> {
        let constants = self.symbols.values().flat_map(|set| &set.constants);
        constants.clone().find(|(found, _)| found == name).map(|(_, number)| *number)
    }

    fn location(&self, process_type: &str, label: &str) -> Option<i64> {
        let process = self.types.values().find(|process| process.name == process_type)?;
        let mut locations = process.locations.iter();
        let found = locations.find(|(_, location)| location.labels.iter().any(|found| found == label));
        i64::try_from(found?.0.index()).ok()
    }

    fn is_process_type(&self, name: &str) -> bool {
        self.types.values().any(|process| process.name == name)
    }
}

/// Makes the graph of a process type. A `d_step` becomes one edge, as in Spin's.
#[must_use]
pub fn graph(program: &Program, id: ProcessTypeId, regions: &Regions) -> Graph {
    let process = &program.types[id];
    let mut builder = Builder { program, process, id, regions, out: BTreeMap::new() };
    for edge in process.edges.values() {
        builder.out.entry(edge.source).or_default().push(edge);
    }
    let mut graph =
        Graph { name: process.name.clone(), entry: process.entry.index(), states: BTreeMap::new() };
    for (location, place) in process.locations.iter() {
        let marks = Marks { accept: place.is_accept(), end: place.is_end(), progress: place.is_progress() };
        let state = State { edges: builder.edges(location), marks, is_exit: location == process.exit };
        graph.states.insert(location.index(), state);
    }
    graph
}

struct Builder<'a> {
    program: &'a Program,
    process: &'a ProcessType,
    id: ProcessTypeId,
    regions: &'a Regions,
    out: BTreeMap<LocationId, Vec<&'a Statement>>,
}

impl Builder<'_> {
    fn edges(&self, location: LocationId) -> Vec<Edge> {
        let mut found: Vec<Edge> = Vec::new();
        let mut blocks: Vec<(usize, Option<Span>)> = Vec::new();
        for edge in self.out.get(&location).into_iter().flatten() {
            let region = self.regions.around(edge.span);
            if region.is_none() && edge.hold != Hold::DStep {
                found.push(self.edge(edge));
                continue;
            }
            let collapsed = self.collapsed(edge);
            // Options at the beginning of one block are one edge.
            let same = |(at, block): &&(usize, Option<Span>)| {
                let earlier = &found[*at];
                *block == region && (region.is_some() || earlier.target == collapsed.target)
            };
            if blocks.iter().find(same).is_none() {
                blocks.push((found.len(), region));
                found.push(collapsed);
            }
        }
        found
    }

    fn edge(&self, edge: &Statement) -> Edge {
        let text = self.program.sources.origin(edge.span).text;
        let alone = self.out.get(&edge.source).is_some_and(|all| all.len() == 1);
        let place = &self.process.locations[edge.source];
        // Spin keeps such a jump as a state if the label has a meaning or is asked for from
        // outside.
        let kept = alone && !place.labels.is_empty();
        let jumps = JUMPS.contains(&first_word(&text));
        let label = match self.label(&edge.action) {
            label if label == Label::skip() && jumps && !kept => Label::Jump,
            label if label == Label::skip() && (jumps || !is_skip(&text)) => Label::Silent,
            label => label,
        };
        Edge {
            target: edge.target.index(),
            label,
            atomic: edge.hold != Hold::No,
            rank: usize::from(edge.rank),
            line: self.program.sources.line(edge.span),
            last_line: self.last_line(edge.span),
            text,
        }
    }

    /// The whole `d_step` that begins with an edge: it leads to where control leaves it.
    fn collapsed(&self, first: &Statement) -> Edge {
        let mut exits = BTreeSet::new();
        let mut seen = BTreeSet::new();
        let mut work = vec![first];
        let mut atomic = false;
        while let Some(edge) = work.pop() {
            if edge.hold != Hold::DStep {
                exits.insert(edge.target);
                atomic |= edge.hold == Hold::Atomic;
            } else if seen.insert(edge.target) {
                work.extend(self.out.get(&edge.target).into_iter().flatten());
            }
        }
        let target = exits.first().map_or(first.target.index(), |location| location.index());
        let text = format!("d_step {{ {} ... }}", self.program.sources.origin(first.span).text);
        let label = if exits.len() > 1 {
            Label::Unknown(format!("a d_step with {} ends", exits.len()))
        } else {
            Label::DStep
        };
        let line = self.program.sources.line(first.span);
        let (rank, last_line) = (usize::from(first.rank), self.last_line(first.span));
        Edge { target, label, atomic, rank, line, last_line, text }
    }

    fn last_line(&self, span: Span) -> u32 {
        self.program.sources.line(Span { start: span.end, ..span })
    }

    fn label(&self, action: &Action) -> Label {
        match action {
            Action::Condition(value) => Label::Condition(self.term(value)),
            Action::Else => Label::Else,
            Action::Assign { target, value } => Label::Assign(self.place(target), self.term(value)),
            Action::Send { channel, fields, sorted } => {
                Label::Send(self.term(channel), *sorted, self.terms(fields))
            }
            Action::Receive { channel, patterns, random, peek } => {
                let patterns = patterns.iter().map(|pattern| self.pattern(pattern)).collect();
                Label::Receive(self.term(channel), *random, *peek, patterns)
            }
            Action::Create { process_type, arguments, result, .. } => {
                let name = &self.program.types[*process_type].name;
                let run = Term::Node(format!("run {name}"), self.terms(arguments));
                match result {
                    Some(place) => Label::Assign(self.place(place), run),
                    None => Label::Condition(run),
                }
            }
            Action::Assert(value) => Label::Assert(self.term(value)),
            Action::Print { .. } => Label::Print,
            Action::SetPriority { process, priority } => {
                Label::Priority(self.term(process), self.term(priority))
            }
            Action::Opaque { guard, .. } => Label::Code(*guard),
        }
    }

    fn terms(&self, expressions: &[Expression]) -> Vec<Term> {
        expressions.iter().map(|expression| self.term(expression)).collect()
    }

    fn pattern(&self, pattern: &Pattern) -> Term {
        match pattern {
            Pattern::Store(place) => self.place(place),
            Pattern::Any => Term::name("_"),
            Pattern::Match(value) => Term::node("eval", vec![self.term(value)]),
        }
    }

    fn place(&self, place: &Place) -> Term {
        let variable = self.program.variable(self.id, place.variable);
        self.variable(&variable.name, place.index.as_deref())
    }

    /// A variable by name, with its index. The names of those that no user has declared are no
    /// names.
    fn variable(&self, name: &str, index: Option<&Expression>) -> Term {
        let is_name = |c: char| c.is_ascii_alphanumeric() || "_.".contains(c);
        let name = if name.chars().all(is_name) { name } else { HIDDEN };
        Term::node(name, index.map(|index| self.term(index)).into_iter().collect())
    }

    fn term(&self, expression: &Expression) -> Term {
        let node = |name: &str, parts: &[&Expression]| {
            Term::node(name, parts.iter().map(|part| self.term(part)).collect())
        };
        match expression {
            Expression::Constant(value) => Term::Number(*value),
            Expression::Read(place) => self.place(place),
            Expression::Unary(operator, operand) => node(unary(*operator), &[operand]),
            Expression::Binary(operator, left, right) => node(binary(*operator), &[left, right]),
            Expression::Conditional(condition, then, otherwise) => node("?:", &[condition, then, otherwise]),
            Expression::Length(channel) => node("len", &[channel]),
            Expression::Empty(channel) => node("empty", &[channel]),
            Expression::Full(channel) => node("full", &[channel]),
            Expression::Poll { channel, patterns, random } => {
                let mut parts = vec![self.term(channel)];
                parts.extend(patterns.iter().map(|pattern| self.pattern(pattern)));
                Term::node(if *random { "??[" } else { "?[" }, parts)
            }
            Expression::Timeout => Term::name("timeout"),
            Expression::NonProgress => Term::name("np_"),
            Expression::Pid => Term::name("_pid"),
            Expression::ProcessCount => Term::name("_nr_pr"),
            Expression::Last => Term::name("_last"),
            Expression::Enabled(process) => node("enabled", &[process]),
            Expression::ProgramCounter(process) => node("pc_value", &[process]),
            Expression::Priority(process) => node("get_priority", &[process]),
            Expression::AtLocation { process_type, process, location } => {
                let mut parts: Vec<Term> = process.iter().map(|process| self.term(process)).collect();
                parts.push(Term::Number(i64::try_from(location.index()).unwrap_or(-1)));
                Term::Node(format!("{}@", self.program.types[*process_type].name), parts)
            }
            Expression::RemoteRead { process_type, process, variable, index } => {
                let of = &self.program.types[*process_type];
                let field = self.variable(&of.locals[*variable].name, index.as_deref());
                let Term::Node(name, indices) = field else { return field };
                let parts = process.iter().map(|process| self.term(process)).chain(indices).collect();
                Term::Node(format!("remote {}.{name}", of.name), parts)
            }
            // In a send that an observer watches for, any value.
            Expression::Opaque(text) if text == "_" => Term::name("_"),
            Expression::Opaque(_) => Term::name("c_expr"),
        }
    }
}

/// What a statement begins with that does nothing itself: the way on from its end is a jump.
const JUMPS: &[&str] = &["goto", "break", "if", "do", "for", "select", "atomic", "d_step", ""];

/// The word that a text begins with; empty if it begins with something else.
fn first_word(text: &str) -> &str {
    let end = text.find(|c: char| !c.is_ascii_alphanumeric() && c != '_');
    if text.starts_with(['(', ';']) { text } else { &text[..end.unwrap_or(text.len())] }
}

/// Whether a text is sure to be a statement of its own that does nothing.
fn is_skip(text: &str) -> bool {
    ["skip", "true", "1"].contains(&text.trim_matches(|c: char| "();".contains(c) || c.is_whitespace()))
}

const fn unary(operator: Unary) -> &'static str {
    match operator {
        Unary::Negate => "negate",
        Unary::Not => "!",
        Unary::Complement => "~",
    }
}

const fn binary(operator: Binary) -> &'static str {
    match operator {
        Binary::Add => "+",
        Binary::Subtract => "-",
        Binary::Multiply => "*",
        Binary::Divide => "/",
        Binary::Remainder => "%",
        Binary::BitAnd => "&",
        Binary::BitOr => "|",
        Binary::BitXor => "^",
        Binary::ShiftLeft => "<<",
        Binary::ShiftRight => ">>",
        Binary::Equal => "==",
        Binary::NotEqual => "!=",
        Binary::Less => "<",
        Binary::LessEqual => "<=",
        Binary::Greater => ">",
        Binary::GreaterEqual => ">=",
        Binary::And => "&&",
        Binary::Or => "||",
    }
}
