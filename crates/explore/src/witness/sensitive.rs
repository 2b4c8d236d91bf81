//! What statements look at in queues, besides the first message.
//!
//! A growing queue keeps its first message from round to round, but not its length, nor what lies behind. So a
//! statement that depends on these may behave differently in a later round. Here they are found: for a state and
//! the processes that move, all statements that these could execute there.

use std::collections::{BTreeMap, BTreeSet};

use cfsm_core::ids::Id;
use cfsm_core::program::Binary;

use crate::code::{Code, Receive, Slot, Statement, Target, TypeCode};
use crate::evaluate::Scene;
use crate::{Semantics, State};

/// How a statement looks at a queue.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Look {
    /// At more than can be said about a queue that grows.
    Whole,
    /// Whether it holds at least so many, for some number up to this one.
    Threshold(u32),
}

/// A question about a queue.
#[derive(Clone, Debug)]
struct Question {
    channel: Code,
    look: Look,
    /// Whether the channel may be another one when the question is asked than it is in the state before.
    late: bool,
}

/// The questions that each type asks at each location.
#[derive(Clone, Debug)]
pub(super) struct Sensitive {
    types: Vec<TypeQuestions>,
    /// Whether what a process can do depends on what others can do.
    all_processes: bool,
}

#[derive(Clone, Debug, Default)]
struct TypeQuestions {
    at: Vec<Vec<Question>>,
    /// In `provided`, asked at all locations.
    always: Vec<Question>,
}

/// What is asked of queues in a part of a run.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Looks {
    /// Queues, by position, of which more than the first message matters.
    pub whole: BTreeSet<usize>,
    /// The greatest number that the length of each queue is compared with.
    pub thresholds: BTreeMap<usize, u32>,
    /// Whether a question is about a queue that is not known.
    pub any: bool,
}

impl Sensitive {
    pub fn of(semantics: &Semantics) -> Self {
        let types: Vec<_> = semantics.types.iter().map(questions_of).collect();
        let all_processes = semantics.has_timeout || semantics.has_priorities || asks_for_others(semantics);
        Self { types, all_processes }
    }

    /// Adds what is asked when these processes step in a state.
    pub fn note(&self, semantics: &Semantics, state: &State, movers: &[usize], looks: &mut Looks) {
        let everyone: Vec<usize>;
        let asking = if self.all_processes {
            everyone = (0..state.process_count()).collect();
            &everyone
        } else {
            movers
        };
        for &process in asking {
            let Some(found) = state.process(process) else { continue };
            let questions = &self.types[found.process_type.index()];
            let here = questions.at.get(found.location.index()).into_iter().flatten();
            for question in here.chain(&questions.always) {
                looks.note(semantics, state, process, question);
            }
        }
    }
}

impl Looks {
    fn note(&mut self, semantics: &Semantics, state: &State, process: usize, question: &Question) {
        match queues_of(semantics, state, process, question) {
            Some(queues) => queues.into_iter().for_each(|queue| match question.look {
                Look::Whole => {
                    self.whole.insert(queue);
                }
                Look::Threshold(number) => {
                    let most = self.thresholds.entry(queue).or_insert(0);
                    *most = number.max(*most);
                }
            }),
            None => self.any = true,
        }
    }
}

/// Positions of the queues that a question may be about; `None` if they are not known.
fn queues_of(
    semantics: &Semantics,
    state: &State,
    process: usize,
    question: &Question,
) -> Option<Vec<usize>> {
    let ty = &semantics.types[state.type_of(process).index()];
    let late = question.late && !is_settled(semantics, ty, &question.channel);
    if late {
        return None;
    }
    if let Code::Element(element) = &question.channel {
        // An array of channels that nobody writes: any of them, as the index may change.
        let cells = element.first..element.first + element.length;
        let cells = cells.map(|cell| if element.global { cell as usize } else { state.local(process, cell) });
        return cells.map(|cell| position(state.cells[cell], state)).collect();
    }
    let channel = semantics.value(state, &Scene::of(process), &question.channel).ok()?;
    Some(vec![position(channel, state)?])
}

fn position(channel: i32, state: &State) -> Option<usize> {
    let position = usize::try_from(channel).ok()?.checked_sub(1)?;
    (position < state.queue_count()).then_some(position)
}

/// Whether a channel expression is a variable, or an element of an array, that no statement writes.
fn is_settled(semantics: &Semantics, ty: &TypeCode, channel: &Code) -> bool {
    let (global, first, length) = match channel {
        Code::Global(cell) => (true, *cell, 1),
        Code::Local(cell) => (false, *cell, 1),
        Code::Element(element) => (element.global, element.first, element.length),
        _ => return false,
    };
    let writes = |target: &&Target| {
        let cells = target.element.as_deref().map_or(1, |(length, _)| *length);
        target.global == global && target.first < first + length && first < target.first + cells
    };
    let in_type = |ty: &TypeCode| ty.edges.iter().any(|edge| targets(&edge.statement).iter().any(writes));
    if global { !semantics.types.iter().any(in_type) } else { !in_type(ty) }
}

fn targets(statement: &Statement) -> Vec<&Target> {
    match statement {
        Statement::Assign(target, _) => vec![target],
        Statement::Receive(receive) => {
            let stored = receive.patterns.iter().filter_map(|pattern| match pattern {
                Slot::Store(target) => Some(target),
                Slot::Any | Slot::Match(_) => None,
            });
            stored.collect()
        }
        Statement::Create(create) => create.result.iter().collect(),
        _ => Vec::new(),
    }
}

fn questions_of(ty: &TypeCode) -> TypeQuestions {
    let mut always = Vec::new();
    ty.provided.iter().for_each(|provided| in_code(provided, false, &mut always));
    let mut at = Vec::with_capacity(ty.ranges.len());
    for &(first, end) in &ty.ranges {
        let mut here = Vec::new();
        let edges = &ty.edges[first as usize..end as usize];
        edges.iter().for_each(|edge| in_statement(&edge.statement, false, &mut here));
        // Of a `d_step`, all of it: it is one step.
        let groups: BTreeSet<u32> = edges.iter().filter_map(|edge| edge.d_step).collect();
        let inside = ty.edges.iter().filter(|edge| edge.d_step.is_some_and(|group| groups.contains(&group)));
        inside.for_each(|edge| in_statement(&edge.statement, true, &mut here));
        at.push(here);
    }
    TypeQuestions { at, always }
}

fn in_statement(statement: &Statement, late: bool, found: &mut Vec<Question>) {
    match statement {
        Statement::Send { channel, sorted: true, .. } => {
            found.push(Question { channel: channel.clone(), look: Look::Whole, late });
        }
        Statement::Receive(Receive { channel, random: true, .. }) => {
            found.push(Question { channel: channel.clone(), look: Look::Whole, late });
        }
        _ => {}
    }
    // The fields of a message are stored one after another, and then the next index is computed.
    let late = late || matches!(statement, Statement::Receive(_));
    codes(statement).into_iter().for_each(|code| in_code(code, late, found));
}

fn codes(statement: &Statement) -> Vec<&Code> {
    match statement {
        Statement::Condition(code) | Statement::Assert(code) => vec![code],
        Statement::Else => Vec::new(),
        Statement::Assign(target, value) => indices([target]).chain([value]).collect(),
        Statement::Send { channel, fields, .. } => [channel].into_iter().chain(fields).collect(),
        Statement::Receive(receive) => {
            let slots = receive.patterns.iter().flat_map(in_slot);
            [&receive.channel].into_iter().chain(slots).collect()
        }
        Statement::Create(create) => create.arguments.iter().chain(indices(&create.result)).collect(),
        Statement::Print(arguments) => arguments.iter().collect(),
        Statement::SetPriority(process, priority) => vec![process, priority],
    }
}

fn indices<'c>(targets: impl IntoIterator<Item = &'c Target>) -> impl Iterator<Item = &'c Code> {
    targets.into_iter().filter_map(|target| target.element.as_deref().map(|(_, index)| index))
}

fn in_slot(slot: &Slot) -> Option<&Code> {
    match slot {
        Slot::Store(target) => target.element.as_deref().map(|(_, index)| index),
        Slot::Match(code) => Some(code),
        Slot::Any => None,
    }
}

fn in_code(code: &Code, late: bool, found: &mut Vec<Question>) {
    match code {
        Code::Binary(operator, operands) => {
            if let Some(question) = comparison(*operator, &operands.0, &operands.1, late) {
                found.push(question);
                return;
            }
        }
        Code::Length(channel) => {
            found.push(Question { channel: (**channel).clone(), look: Look::Whole, late });
        }
        Code::Poll(poll) if poll.random => {
            found.push(Question { channel: poll.channel.clone(), look: Look::Whole, late });
        }
        _ => {}
    }
    children(code).into_iter().for_each(|child| in_code(child, late, found));
}

/// `len(c) < 3` and the like: all the same for queues that are longer.
fn comparison(operator: Binary, left: &Code, right: &Code, late: bool) -> Option<Question> {
    let compares = matches!(
        operator,
        Binary::Equal
            | Binary::NotEqual
            | Binary::Less
            | Binary::LessEqual
            | Binary::Greater
            | Binary::GreaterEqual
    );
    let (channel, number) = match (left, right) {
        (Code::Length(channel), Code::Constant(number)) | (Code::Constant(number), Code::Length(channel)) => {
            (channel, *number)
        }
        _ => return None,
    };
    let plain = children(channel).is_empty();
    let number = u32::try_from(number.max(0)).ok()?;
    (compares && plain).then(|| Question {
        channel: (**channel).clone(),
        look: Look::Threshold(number),
        late,
    })
}

fn children(code: &Code) -> Vec<&Code> {
    match code {
        Code::Constant(_)
        | Code::Global(_)
        | Code::Local(_)
        | Code::Timeout
        | Code::NonProgress
        | Code::Pid
        | Code::ProcessCount
        | Code::Last => Vec::new(),
        Code::Element(element) => vec![&element.index],
        Code::Unary(_, operand) => vec![operand],
        Code::Binary(_, operands) => vec![&operands.0, &operands.1],
        Code::Conditional(parts) => vec![&parts.0, &parts.1, &parts.2],
        Code::Length(child)
        | Code::Empty(child)
        | Code::Full(child)
        | Code::Enabled(child)
        | Code::Priority(child) => {
            vec![child]
        }
        Code::Poll(poll) => {
            [&poll.channel].into_iter().chain(poll.patterns.iter().filter_map(in_slot)).collect()
        }
        Code::AtLocation(remote, _) => remote.process.as_deref().into_iter().collect(),
        Code::RemoteRead(remote, _, element) => {
            let index = element.as_deref().map(|(_, index)| index);
            remote.process.as_deref().into_iter().chain(index).collect()
        }
    }
}

/// Whether some statement asks whether another process is enabled.
fn asks_for_others(semantics: &Semantics) -> bool {
    fn asks(code: &Code) -> bool {
        matches!(code, Code::Enabled(_)) || children(code).into_iter().any(asks)
    }
    semantics.types.iter().any(|ty| {
        ty.provided.as_ref().is_some_and(asks)
            || ty.edges.iter().any(|edge| codes(&edge.statement).into_iter().any(asks))
    })
}
