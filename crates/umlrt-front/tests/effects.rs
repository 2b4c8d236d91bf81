//! The effects of a reaction in a program, as text.
//!
//! `a; b` is one effect after another, `(a | b)` a choice, `1: ...; again 1` a loop, and `nothing`
//! the way on to the next message. Steps that have no effect or are never possible are left out,
//! and locations from which the same happens are one.

use std::collections::{BTreeMap, BTreeSet};

use cfsm_core::program::{
    Action, Binary, Expression, LocationId, Pattern, Place, ProcessType, Program, Unary, VariableRef,
};

/// The reaction of a process to a message that it receives from a channel: its effects up to the
/// location where it waits again.
pub(crate) fn reaction(program: &Program, process: &str, channel: &str, message: &str) -> String {
    let found = program.types.values().find(|ty| ty.name == process);
    let names = Names { program, process: found.expect("the process") };
    // From the head of the queue, or from anywhere in it.
    let received = [format!("{channel}?{message}"), format!("{channel}??{message}")];
    let mut starts =
        names.process.edges.values().filter(|edge| received.contains(&names.action(&edge.action)));
    let start = starts.next().expect("a receive");
    assert!(starts.next().is_none(), "one location receives `{message}`");
    let graph = Effects::new(&names, start.target, start.source);
    let mut open = Vec::new();
    graph.text(graph.class_of[&start.target], &mut open)
}

/// A step with an effect, or the end of the reaction (no effect and no target).
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Step<T> {
    effect: String,
    target: Option<T>,
}

/// The steps with an effect from each location. Locations from which the same happens are in one
/// class.
struct Effects {
    class_of: BTreeMap<LocationId, usize>,
    steps: BTreeMap<usize, Vec<Step<usize>>>,
}

impl Effects {
    fn new(names: &Names<'_>, start: LocationId, end: LocationId) -> Self {
        let (mut steps, mut open) = (BTreeMap::new(), vec![start]);
        while let Some(at) = open.pop() {
            if steps.contains_key(&at) {
                continue;
            }
            let found = names.steps(at, end);
            open.extend(found.iter().filter_map(|step| step.target));
            steps.insert(at, found);
        }
        // The coarsest partition whose classes have the same steps.
        let mut class_of: BTreeMap<LocationId, usize> = steps.keys().map(|&at| (at, 0)).collect();
        loop {
            let mut classes = BTreeMap::new();
            let refined: BTreeMap<LocationId, usize> = steps
                .iter()
                .map(|(&at, own)| {
                    let number = classes.len();
                    (at, *classes.entry((class_of[&at], mapped(own, &class_of))).or_insert(number))
                })
                .collect();
            let stable = classes.len() == class_of.values().collect::<BTreeSet<_>>().len();
            class_of = refined;
            if stable {
                break;
            }
        }
        let steps = steps.iter().map(|(at, own)| (class_of[at], mapped(own, &class_of)));
        Self { steps: steps.collect(), class_of }
    }

    /// The effects from a class on, below classes that are written already.
    fn text(&self, class: usize, open: &mut Vec<usize>) -> String {
        if let Some(position) = open.iter().position(|&known| known == class) {
            return format!("again {}", position + 1);
        }
        open.push(class);
        let label = open.len();
        let mut ways: Vec<String> = Vec::new();
        for step in &self.steps[&class] {
            let rest = step.target.map(|target| self.text(target, open));
            ways.push(match rest {
                None => "nothing".to_owned(),
                Some(rest) if rest == "nothing" => step.effect.clone(),
                Some(rest) => format!("{}; {rest}", step.effect),
            });
        }
        open.pop();
        let text =
            if let [only] = ways.as_slice() { only.clone() } else { format!("({})", ways.join(" | ")) };
        if text.split(['(', ')', ';', '|']).any(|part| part.trim() == format!("again {label}")) {
            format!("{label}: {text}")
        } else {
            text
        }
    }
}

/// Steps with their targets' classes, in an order that depends on the text alone as far as it can.
fn mapped(steps: &[Step<LocationId>], class_of: &BTreeMap<LocationId, usize>) -> Vec<Step<usize>> {
    let mut all: Vec<Step<usize>> = steps
        .iter()
        .map(|step| Step { effect: step.effect.clone(), target: step.target.map(|at| class_of[&at]) })
        .collect();
    // Conditions that hold come before those that do not, and the end of the reaction last.
    let is_negated = |step: &Step<usize>| step.effect.starts_with("[!");
    all.sort_by_key(|step| (step.target.is_none(), is_negated(step), step.clone()));
    all.dedup();
    all
}

/// A process type with the names of its program.
struct Names<'p> {
    program: &'p Program,
    process: &'p ProcessType,
}

impl Names<'_> {
    /// The steps with an effect from a location on, past those without one.
    fn steps(&self, from: LocationId, end: LocationId) -> Vec<Step<LocationId>> {
        let (mut steps, mut met, mut open) = (Vec::new(), BTreeSet::new(), vec![from]);
        while let Some(at) = open.pop() {
            if at == end {
                steps.push(Step { effect: String::new(), target: None });
                continue;
            }
            if !met.insert(at) {
                continue;
            }
            for edge in self.process.edges.values().filter(|edge| edge.source == at) {
                if edge.action == Action::Condition(Expression::Constant(1)) {
                    open.push(edge.target);
                } else if !is_never(&edge.action) {
                    steps.push(Step { effect: self.action(&edge.action), target: Some(edge.target) });
                }
            }
        }
        steps
    }

    fn action(&self, action: &Action) -> String {
        match action {
            Action::Condition(condition) => format!("[{}]", self.expression(condition)),
            Action::Assign { target, value } => {
                format!("{} = {}", self.place(target), self.expression(value))
            }
            Action::Send { channel, fields, sorted: false } => {
                let fields: Vec<String> = fields.iter().map(|field| self.field(channel, field)).collect();
                format!("{}!{}", self.expression(channel), fields.join(","))
            }
            Action::Receive { channel, patterns, random, peek: false } => {
                let patterns: Vec<String> = patterns.iter().map(|one| self.pattern(channel, one)).collect();
                let receive = if *random { "??" } else { "?" };
                format!("{}{receive}{}", self.expression(channel), patterns.join(","))
            }
            _ => format!("{action:?}"),
        }
    }

    fn pattern(&self, channel: &Expression, pattern: &Pattern) -> String {
        match pattern {
            Pattern::Any => "_".to_owned(),
            Pattern::Match(value) => self.field(channel, value),
            Pattern::Store(place) => self.place(place),
        }
    }

    /// A message, by its name.
    fn field(&self, channel: &Expression, field: &Expression) -> String {
        let (Expression::Read(place), Expression::Constant(number)) = (channel, field) else {
            return self.expression(field);
        };
        let VariableRef::Global(id) = place.variable else { return self.expression(field) };
        let variable = &self.program.globals[id];
        let cfsm_core::program::Initializer::NewChannel(shape) = &variable.init else {
            return self.expression(field);
        };
        self.program.constant_name(shape.fields[0], *number)
    }

    fn place(&self, place: &Place) -> String {
        let variable = match place.variable {
            VariableRef::Global(id) => &self.program.globals[id],
            VariableRef::Local(id) => &self.process.locals[id],
        };
        variable.name.strip_prefix("Top.").unwrap_or(&variable.name).to_owned()
    }

    fn expression(&self, value: &Expression) -> String {
        match value {
            Expression::Constant(number) => number.to_string(),
            Expression::Read(place) => self.place(place),
            Expression::Unary(operator, one) => {
                let sign = match operator {
                    Unary::Negate => "-",
                    Unary::Not => "!",
                    Unary::Complement => "~",
                };
                format!("{sign}{}", self.operand(one))
            }
            Expression::Binary(operator, one, other) => {
                format!("{} {} {}", self.operand(one), sign(*operator), self.operand(other))
            }
            Expression::Conditional(one, then, other) => {
                format!("{} ? {} : {}", self.operand(one), self.operand(then), self.operand(other))
            }
            Expression::Empty(channel) => format!("empty({})", self.expression(channel)),
            _ => format!("{value:?}"),
        }
    }

    fn operand(&self, value: &Expression) -> String {
        match value {
            Expression::Binary(..) | Expression::Conditional(..) => format!("({})", self.expression(value)),
            _ => self.expression(value),
        }
    }
}

/// True for the condition that a loop without one fails.
fn is_never(action: &Action) -> bool {
    *action == Action::Condition(Expression::Unary(Unary::Not, Box::new(Expression::Constant(1))))
}

const fn sign(operator: Binary) -> &'static str {
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
