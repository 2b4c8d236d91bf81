//! A search for an execution of code, as it is read, that sends what a compiled one sent.

use std::collections::{BTreeMap, BTreeSet};

use umlrt_front::model::{AttributeId, Block, CapsuleSystem, Class, Loop, Step, Test};

use super::Trace;
use crate::capsules::{stored, value_of};

/// A state of an execution: the number of messages of the trace that are sent, and the values of
/// variables.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct At {
    sent: usize,
    values: BTreeMap<AttributeId, i64>,
}

/// The way in which a block ends.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum End {
    Through,
    Break,
    Continue,
    Return,
}

type Ends = BTreeMap<End, BTreeSet<At>>;

/// Executions of code that send what a trace says.
struct Executions<'m> {
    system: &'m CapsuleSystem,
    class: &'m Class,
    sent: &'m [u8],
    /// True if one has sent all.
    reached: bool,
    /// The number of steps that may still be looked at.
    left: usize,
}

/// The most steps that are looked at.
const WORK: usize = 300_000;

/// True if the code of the transition `t` of the class `ACode` may send what a trace says; nothing
/// if that takes too long to tell.
#[must_use]
pub fn allows(system: &CapsuleSystem, trace: &Trace) -> Option<bool> {
    let class = system.classes.values().find(|class| class.name == "ACode").expect("the class");
    let machine = class.machine.as_ref().expect("a machine");
    let transition = machine.transitions.values().find(|transition| transition.name == "t").expect("t");
    let sent = trace.sent.as_bytes();
    let mut executions = Executions { system, class, sent, reached: sent.is_empty(), left: WORK };
    let ends = executions.block(&transition.action, [At { sent: 0, values: BTreeMap::new() }].into());
    let complete = |at: &At| at.sent == trace.sent.len();
    if trace.cut && executions.reached {
        return Some(true);
    }
    // What was handed on may be sent behind the rest, too.
    let behind = executions.block(&class.background, ends.into_values().flatten().collect());
    let found = !trace.cut && behind.into_values().flatten().any(|at| complete(&at));
    (found || executions.left > 0).then_some(found)
}

impl Executions<'_> {
    fn block(&mut self, block: &Block, from: BTreeSet<At>) -> Ends {
        let (mut ends, mut open) = (Ends::new(), from);
        for step in block {
            let mut found = self.step(step, open);
            open = found.remove(&End::Through).unwrap_or_default();
            for (end, all) in found {
                ends.entry(end).or_default().extend(all);
            }
        }
        ends.insert(End::Through, open);
        ends
    }

    fn step(&mut self, step: &Step, from: BTreeSet<At>) -> Ends {
        self.left = self.left.saturating_sub(from.len());
        if self.left == 0 || from.is_empty() {
            return Ends::new();
        }
        match step {
            Step::Send(send) => {
                let protocol = &self.system.protocols[self.class.ports[send.port].protocol];
                let name = &protocol.messages[send.message].name;
                let sends = |at: &At| self.sent.get(at.sent).is_some_and(|sent| name.as_bytes() == [*sent]);
                let all: BTreeSet<At> =
                    from.into_iter().filter(sends).map(|at| At { sent: at.sent + 1, ..at }).collect();
                self.reached |= all.iter().any(|at| at.sent == self.sent.len());
                Ends::from([(End::Through, all)])
            }
            // There is no such code in ROOM.
            Step::Requeue | Step::Incarnate { .. } => Ends::from([(End::Through, from)]),
            Step::Assign { variable, value } => {
                let all = from.into_iter().map(|mut at| {
                    let number = stored(self.class.variables[*variable].ty, self.value(value, &at));
                    at.values.insert(*variable, number);
                    at
                });
                Ends::from([(End::Through, all.collect())])
            }
            Step::Choice(blocks) => {
                let all: Vec<Ends> = blocks.iter().map(|block| self.block(block, from.clone())).collect();
                united(all)
            }
            Step::If { condition, then, otherwise } => {
                let Ways { holds, fails } = self.ways(condition, from);
                let all = vec![self.block(then, holds), self.block(otherwise, fails)];
                united(all)
            }
            Step::Loop(known) => self.rounds(known, from),
            Step::Repeat(block) => {
                let any = Loop {
                    before: Vec::new(),
                    condition: None,
                    body: block.clone(),
                    update: Vec::new(),
                    body_first: false,
                };
                self.rounds(&any, from)
            }
            Step::Switch(block) => {
                let mut ends = self.block(block, from);
                let left = ends.remove(&End::Break).unwrap_or_default();
                ends.entry(End::Through).or_default().extend(left);
                ends
            }
            Step::Call(block) => {
                let left = self.block(block, from).into_values().flatten().collect();
                Ends::from([(End::Through, left)])
            }
            Step::Break => Ends::from([(End::Break, from)]),
            Step::Continue => Ends::from([(End::Continue, from)]),
            Step::Return => Ends::from([(End::Return, from)]),
        }
    }

    fn rounds(&mut self, known: &Loop, from: BTreeSet<At>) -> Ends {
        let (mut left, mut returned) = (BTreeSet::new(), BTreeSet::new());
        let (mut seen, mut open) = (BTreeSet::new(), from);
        let mut is_first = known.body_first;
        while !open.is_empty() {
            let mut inside = open;
            if !is_first {
                let mut tested = self.block(&known.before, inside);
                inside = tested.remove(&End::Through).unwrap_or_default();
                match &known.condition {
                    None => left.extend(inside.iter().cloned()),
                    Some(condition) => {
                        let ways = self.ways(condition, inside);
                        left.extend(ways.fails);
                        inside = ways.holds;
                    }
                }
                inside.retain(|at| seen.insert(at.clone()));
            }
            is_first = false;
            let mut ends = self.block(&known.body, inside);
            left.extend(ends.remove(&End::Break).unwrap_or_default());
            returned.extend(ends.remove(&End::Return).unwrap_or_default());
            let behind = ends.into_values().flatten().collect();
            open = self.block(&known.update, behind).remove(&End::Through).unwrap_or_default();
        }
        Ends::from([(End::Through, left), (End::Return, returned)])
    }

    fn ways(&self, condition: &Test, from: BTreeSet<At>) -> Ways {
        let fails = from.iter().filter(|at| self.value(&condition.fails, at) != 0).cloned().collect();
        let holds = from.into_iter().filter(|at| self.value(&condition.holds, at) != 0).collect();
        Ways { holds, fails }
    }

    fn value(&self, value: &umlrt_front::model::Value, at: &At) -> i64 {
        value_of(value, &|variable| {
            at.values.get(&variable).copied().unwrap_or(self.class.variables[variable].initial)
        })
    }
}

/// The executions in which a condition may hold, and those in which it may fail.
struct Ways {
    holds: BTreeSet<At>,
    fails: BTreeSet<At>,
}

fn united(all: Vec<Ends>) -> Ends {
    let mut ends = Ends::new();
    for (end, found) in all.into_iter().flatten() {
        ends.entry(end).or_default().extend(found);
    }
    ends
}
