//! Joint exploration of a receiver and a sender (pairs): finds statements that no run executes
//! because messages are received in the order in which they were sent.
//!
//! The fixpoint knows the possible contents of a message, but not those of the messages before it.
//! So if a process counts the messages that it receives, and compares the count with a number that
//! the sender has counted up, the fixpoint takes every outcome for possible. Here two processes are
//! explored jointly, message by message, each as a node with the values of a few of its variables:
//! the only *receiver* of a queue, and one *sender*. All other processes may do anything that the
//! fixpoint allows. The steps of the receiver between two messages do not depend on how far the
//! sender is ahead, so the sender may be delayed until the receiver waits for its next message: no
//! message is ever in transit, and there are few joint states. `docs/soundness/abstraction.md`,
//! *Pairs*, has the argument.

mod alike;
mod lineage;
mod process;
mod processes;
mod spsc_channels;
mod walk;

use std::collections::{BTreeMap, BTreeSet};

use cfsm_core::program::{
    Action, EdgeId, Expression, LocationId, Pattern, Place, ProcessType, ProcessTypeId, VariableRef,
};

pub(crate) use self::lineage::exclude_as_in;
use self::processes::Processes;
use self::spsc_channels::{SpscChannel, spsc_channels};
use self::walk::{Asked, At, Outcome, Pair, Sides};
use crate::Tracked;
use crate::analysis::Analysis;
use crate::contexts::{ContextId, NodeId};
use crate::evaluate::View;
use crate::layout::Cells;
use crate::liveness::names;
use crate::private_queue::filling;
use crate::step::Effect;
use crate::unfolding;

/// Largest number of observed cells (cells whose values are distinguished) of a process.
const LOOKED_AT: usize = 6;

/// The values of the unfolded variables that are distinguished at a node.
type Told = BTreeMap<Tracked, i64>;

/// Maps each rare statement to the valuations with which it is executed; the empty set if it is
/// never executed.
type Rare = BTreeMap<EdgeId, BTreeSet<Told>>;

/// The exclusions that pairs have proved.
#[derive(Debug, Default)]
pub(crate) struct Excluded {
    /// For each context, the statements that its instances do not execute at all nodes at which the
    /// fixpoint allows them.
    rare: BTreeMap<ContextId, Rare>,
    /// `true` if some pair had too many states.
    pub(crate) gave_up: bool,
}

impl Excluded {
    /// Returns `true` if nothing is excluded.
    pub(crate) fn is_empty(&self) -> bool {
        self.rare.is_empty()
    }
}

/// A query: the statements that leave a location of the receiver, of which some may never be
/// executed.
struct Question<'l> {
    spsc: &'l SpscChannel,
    location: LocationId,
    /// The variables named by the conditions there.
    named: BTreeSet<VariableRef>,
    asked: BTreeSet<At>,
}

/// The remaining number of exploration steps.
struct Budget {
    left: usize,
    gave_up: bool,
}

impl Budget {
    /// Gives up the query: none of its statements is excluded.
    fn give_up(&mut self, question: &mut Question<'_>) {
        question.asked.clear();
        self.gave_up = true;
    }
}

/// Removes from an analysis the conditions on received values that no run without error executes,
/// although the fixpoint allows them. Returns what was removed.
///
/// # Complexity
/// Up to a number of pairs of states that does not depend on the program, each with the statements
/// that leave from there.
pub(crate) fn exclude(analysis: &mut Analysis<'_>) -> Excluded {
    let excluded = never_executed(analysis);
    leave_out(analysis, &excluded);
    excluded
}

fn leave_out(analysis: &mut Analysis<'_>, excluded: &Excluded) {
    for (context, rare) in &excluded.rare {
        let nodes: Vec<NodeId> = analysis.contexts[*context].nodes.ids().collect();
        for node in nodes {
            let told = told(analysis, *context, node);
            let never = |with: &BTreeSet<Told>| !with.iter().any(|with| may_be_one(with, &told));
            let moves = &mut analysis.contexts[*context].nodes[node].moves;
            moves.retain(|step| !rare.get(&step.edge).is_some_and(never));
        }
    }
}

/// The values of the unfolded variables that are distinguished at a node.
fn told(analysis: &Analysis<'_>, context: ContextId, node: NodeId) -> Told {
    let context = &analysis.contexts[context];
    unfolding::named(&analysis.unfolded[context.process_type], &context.nodes[node].key)
}

/// Returns `true` if two valuations agree on their common variables.
fn may_be_one(one: &Told, other: &Told) -> bool {
    one.iter().all(|(variable, value)| other.get(variable).is_none_or(|other| other == value))
}

/// Descriptions of the exclusions for the user, as sentences without a full stop, one for each
/// process type.
pub(crate) fn described(analysis: &Analysis<'_>, excluded: &Excluded) -> Vec<String> {
    let mut by_type: BTreeMap<(ProcessTypeId, bool, BTreeSet<&str>), BTreeSet<u32>> = BTreeMap::new();
    let lines = analysis.program.sources.lines();
    for (context, rare) in &excluded.rare {
        let process_type = analysis.contexts[*context].process_type;
        for (edge, with) in rare {
            let others = analysis.contexts.iter().filter(|(_, other)| other.process_type == process_type);
            let by_all = others.map(|(id, _)| id).all(|id| {
                excluded.rare.get(&id).is_some_and(|rare| rare.contains_key(edge))
                    || !executed(analysis, id).iter().any(|(_, other)| other == edge)
            });
            let span = analysis.program.types[process_type].edges[*edge].span;
            let told = with.iter().flat_map(BTreeMap::keys);
            let told = told.map(|told| analysis.program.variable(process_type, told.variable).name.as_str());
            let key = (process_type, by_all, told.collect());
            by_type.entry(key).or_default().insert(lines.origin(span).line);
        }
    }
    let sentence = |((process_type, by_all, told), lines): (&(_, bool, BTreeSet<&str>), &BTreeSet<u32>)| {
        let name = &analysis.program.types[*process_type].name;
        let who =
            if *by_all { format!("`{name}` never executes") } else { format!("some `{name}` never execute") };
        let numbers: Vec<String> = lines.iter().map(ToString::to_string).collect();
        let line = if numbers.len() == 1 { "line" } else { "lines" };
        let told: Vec<String> = told.iter().map(|name| format!("`{name}`")).collect();
        let told =
            if told.is_empty() { String::new() } else { format!(" with some values of {}", told.join(", ")) };
        let what = "what is received comes in the order in which it was sent, and nothing is lost";
        format!("{who} the condition in {line} {}{told}, as {what}", numbers.join(", "))
    };
    by_type.iter().map(sentence).collect()
}

/// For each context, the statements that its instances do not execute, in runs without error, at
/// all nodes at which the fixpoint allows them.
fn never_executed(analysis: &Analysis<'_>) -> Excluded {
    let spsc_channels = spsc_channels(analysis);
    let mut budget = Budget { left: analysis.options.pair_steps, gave_up: false };
    let mut processes = Processes::new(analysis);
    let mut all: BTreeMap<ContextId, Rare> = BTreeMap::new();
    for question in spsc_channels.iter().flat_map(|spsc| questions(analysis, spsc)) {
        let receiver = question.spsc.receiver;
        let asked = question.asked.clone();
        let never = answer(analysis, question, &mut processes, &mut budget);
        let rare = all.entry(receiver).or_default();
        for edge in never.iter().map(|(_, edge)| *edge).collect::<BTreeSet<_>>() {
            let executed = asked.difference(&never).filter(|(_, other)| *other == edge);
            let with: BTreeSet<Told> = executed.map(|(node, _)| told(analysis, receiver, *node)).collect();
            let known = rare.entry(edge).or_insert_with(|| with.clone());
            // Both of two queues may give an answer; the more restrictive one is kept.
            if with.len() < known.len() {
                *known = with;
            }
        }
    }
    all.retain(|_, rare| !rare.is_empty());
    Excluded { rare: all, gave_up: budget.gave_up }
}

/// The statements that instances of a context may execute, with the nodes.
fn executed(analysis: &Analysis<'_>, id: ContextId) -> BTreeSet<At> {
    let context = &analysis.contexts[id];
    let live = context.live();
    let nodes = context.nodes.iter().filter(|(node, _)| live[*node]);
    nodes.flat_map(|(id, node)| node.moves.iter().map(move |step| (id, step.edge))).collect()
}

/// The statements of a context that may send into the queue.
fn sends(analysis: &Analysis<'_>, sender: ContextId, spsc: &SpscChannel) -> BTreeSet<EdgeId> {
    let moves = analysis.contexts[sender].nodes.values().flat_map(|node| &node.moves);
    let sends = moves.filter(|step| match &step.effect {
        Effect::Send(messages) => messages.iter().any(|(object, _)| *object == spsc.queue),
        Effect::Nothing | Effect::Receive { .. } | Effect::Create { .. } => false,
    });
    sends.map(|step| step.edge).collect()
}

/// The queries about the receiver of a queue: locations with conditions that compare a received
/// value with something else.
fn questions<'l>(analysis: &Analysis<'_>, spsc: &'l SpscChannel) -> Vec<Question<'l>> {
    let process_type = analysis.contexts[spsc.receiver].process_type;
    let process = &analysis.program.types[process_type];
    let received = received(analysis, process_type, spsc);
    if received.is_empty() {
        return Vec::new();
    }
    let mut by_location: BTreeMap<LocationId, BTreeSet<At>> = BTreeMap::new();
    for at in executed(analysis, spsc.receiver) {
        let edge = &process.edges[at.1];
        if matches!(edge.action, Action::Condition(_) | Action::Else) {
            by_location.entry(edge.source).or_default().insert(at);
        }
    }
    let mut questions = Vec::new();
    for (location, asked) in by_location {
        let edges: BTreeSet<EdgeId> = asked.iter().map(|(_, edge)| *edge).collect();
        let conditions = edges.iter().filter_map(|edge| match &process.edges[*edge].action {
            Action::Condition(condition) => Some(condition),
            _ => None,
        });
        let named: BTreeSet<VariableRef> =
            conditions.flat_map(|condition| named(process, condition)).collect();
        if edges.len() > 1 && !named.is_disjoint(&received) && !named.is_subset(&received) {
            questions.push(Question { spsc, location, named, asked });
        }
    }
    questions
}

/// The local variables in which a process type stores what comes from a queue.
fn received(
    analysis: &Analysis<'_>,
    process_type: ProcessTypeId,
    spsc: &SpscChannel,
) -> BTreeSet<VariableRef> {
    let edges = &analysis.program.types[process_type].edges;
    let patterns = spsc.receives.iter().flat_map(|edge| match &edges[*edge].action {
        Action::Receive { patterns, .. } => patterns.as_slice(),
        _ => &[],
    });
    let stored = patterns.filter_map(|pattern| match pattern {
        Pattern::Store(place) => Some(place.variable),
        _ => None,
    });
    stored.filter(|variable| matches!(variable, VariableRef::Local(_))).collect()
}

/// The queried statements that are not executed, whichever sender has sent the last received
/// message.
fn answer<'a>(
    analysis: &'a Analysis<'a>,
    mut question: Question<'_>,
    processes: &mut Processes<'a>,
    budget: &mut Budget,
) -> BTreeSet<At> {
    for &sender in &question.spsc.senders {
        strike(analysis, &mut question, sender, processes, budget);
        if question.asked.is_empty() {
            break;
        }
    }
    question.asked
}

/// Removes from the queried statements those that may be executed before anything is received, or
/// after a message of the given sender was received last.
fn strike<'a>(
    analysis: &'a Analysis<'a>,
    question: &mut Question<'_>,
    sender: ContextId,
    processes: &mut Processes<'a>,
    budget: &mut Budget,
) {
    let spsc = question.spsc;
    let followed = with_what_decides(analysis, spsc.receiver, &question.named);
    let mut looked_at = scalars(analysis, spsc.receiver, &followed);
    let put_aside = put_aside(analysis, spsc.receiver, &followed);
    let most = LOOKED_AT + put_aside.len();
    looked_at.extend(put_aside);
    let statements = sends(analysis, sender, spsc);
    let sent = sent(analysis, spsc, &followed, sender, &statements);
    let sent = with_what_decides(analysis, sender, &sent);
    let mut looked_at = Sides { receiver: looked_at, sender: scalars(analysis, sender, &sent) };
    loop {
        if budget.left == 0 || analysis.options.deadline.is_over() {
            return budget.give_up(question);
        }
        let receiver = processes.take((spsc.receiver, spsc.queue), &looked_at.receiver);
        let sending = processes.take((sender, spsc.queue), &looked_at.sender);
        let receives = |cells: &Cells| asked_elements(analysis, question, cells);
        let sends = |cells: &Cells| sent_elements(analysis, sender, &statements, &sent, cells);
        let asked = Asked {
            statements: &question.asked,
            touched: Sides { receiver: &receives, sender: &sends },
            looked_at: &looked_at,
        };
        let steps = budget.left.min(analysis.options.pair_steps / 2);
        let mut pair = Pair::new(receiver, sending, steps, analysis.options.deadline);
        let outcome = pair.walk(&asked);
        // Each pair counts as at least one step, for computing the messages of other senders.
        budget.left = budget.left.saturating_sub(1 + pair.steps());
        pair.processes().into_iter().for_each(|process| processes.keep(process));
        match outcome {
            Outcome::Executed(executed) => {
                question.asked.retain(|at| !executed.contains(at));
                return;
            }
            Outcome::LookAt(cells)
                if looked_at.receiver.len() + cells.receiver.len() <= most
                    && looked_at.sender.len() + cells.sender.len() <= LOOKED_AT =>
            {
                looked_at.receiver.extend(cells.receiver);
                looked_at.sender.extend(cells.sender);
            }
            Outcome::LookAt(_) | Outcome::GaveUp => return budget.give_up(question),
        }
    }
}

/// The cells of the local scalars among the given variables.
fn scalars(
    analysis: &Analysis<'_>,
    context: ContextId,
    variables: &BTreeSet<VariableRef>,
) -> BTreeSet<usize> {
    let frame = &analysis.layout.frames[analysis.contexts[context].process_type];
    let blocks = variables.iter().filter_map(|variable| match variable {
        VariableRef::Local(id) => Some(&frame.locals[*id]),
        VariableRef::Global(_) => None,
    });
    blocks.filter(|block| block.length.is_none()).map(|block| block.start).collect()
}

/// The cells of messages in private queues of a context whose fields are later stored in the given
/// variables.
fn put_aside(
    analysis: &Analysis<'_>,
    context: ContextId,
    variables: &BTreeSet<VariableRef>,
) -> BTreeSet<usize> {
    let process_type = analysis.contexts[context].process_type;
    let process = &analysis.program.types[process_type];
    let mut cells = BTreeSet::new();
    for queue in &analysis.layout.frames[process_type].private {
        let fields = variables.iter().flat_map(|variable| filling(process, queue.variable, *variable));
        let front = fields.map(|field| queue.front.start + field).filter(|cell| queue.front.contains(cell));
        let before = cells.len();
        cells.extend(front);
        cells.extend((cells.len() > before).then_some(queue.length));
    }
    cells
}

/// The cells of array elements that the queried conditions read in a state of the receiver, where
/// the index is known.
fn asked_elements(analysis: &Analysis<'_>, question: &Question<'_>, cells: &Cells) -> BTreeSet<usize> {
    let context = &analysis.contexts[question.spsc.receiver];
    let process = &analysis.program.types[context.process_type];
    let leaving = analysis.leaving[context.process_type][question.location].iter();
    let expressions = leaving.flat_map(|edge| process.edges[*edge].action.expressions());
    elements(&analysis.view(context, cells), &question.named, expressions)
}

/// The same for the message fields that a sender may send into the queue in a state.
fn sent_elements(
    analysis: &Analysis<'_>,
    sender: ContextId,
    sends: &BTreeSet<EdgeId>,
    named: &BTreeSet<VariableRef>,
    cells: &Cells,
) -> BTreeSet<usize> {
    let context = &analysis.contexts[sender];
    let edges = &analysis.program.types[context.process_type].edges;
    let expressions = sends.iter().flat_map(|edge| edges[*edge].action.expressions());
    elements(&analysis.view(context, cells), named, expressions)
}

/// The cells of elements of the given arrays that expressions read in a state, where the index is
/// known.
fn elements<'e>(
    view: &View<'_>,
    named: &BTreeSet<VariableRef>,
    expressions: impl Iterator<Item = &'e Expression>,
) -> BTreeSet<usize> {
    let is_exact = |place: &Place| view.seen(place.variable).is_some_and(|seen| seen.block.is_exact());
    let mut touched = BTreeSet::new();
    let mut touch = |part: &Expression| {
        if let Expression::Read(place) = part
            && named.contains(&place.variable)
            && is_exact(place)
        {
            let found = view.touched(place);
            touched.extend(found.cells.into_iter().filter(|_| found.certain));
        }
        false
    };
    expressions.for_each(|expression| {
        expression.any(&mut touch);
    });
    touched
}

/// The given variables, with those in conditions right before assignments to them, if these are
/// few.
fn with_what_decides(
    analysis: &Analysis<'_>,
    context: ContextId,
    variables: &BTreeSet<VariableRef>,
) -> BTreeSet<VariableRef> {
    let process_type = analysis.contexts[context].process_type;
    let process = &analysis.program.types[process_type];
    let assigns = |edge: &EdgeId| matches!(&process.edges[*edge].action, Action::Assign { target, .. } if variables.contains(&target.variable));
    let mut all = variables.clone();
    for edge in process.edges.values() {
        if let Action::Condition(condition) = &edge.action
            && analysis.leaving[process_type][edge.target].iter().any(assigns)
        {
            all.extend(named(process, condition));
        }
    }
    if all.len() <= LOOKED_AT { all } else { variables.clone() }
}

/// The variables of a sender whose values are sent to the observed variables of the receiver, with
/// those that are assigned to them, if these are few.
fn sent(
    analysis: &Analysis<'_>,
    spsc: &SpscChannel,
    followed: &BTreeSet<VariableRef>,
    sender: ContextId,
    sends: &BTreeSet<EdgeId>,
) -> BTreeSet<VariableRef> {
    let types = &analysis.program.types;
    let receiver = &types[analysis.contexts[spsc.receiver].process_type];
    let mut positions = BTreeSet::new();
    for edge in &spsc.receives {
        if let Action::Receive { patterns, .. } = &receiver.edges[*edge].action {
            let named = patterns.iter().enumerate().filter(
                |(_, pattern)| matches!(pattern, Pattern::Store(place) if followed.contains(&place.variable)),
            );
            positions.extend(named.map(|(position, _)| position));
        }
    }
    let process_type = analysis.contexts[sender].process_type;
    let mut sent = BTreeSet::new();
    for edge in sends {
        if let Action::Send { fields, .. } = &types[process_type].edges[*edge].action {
            let fields = positions.iter().filter_map(|position| fields.get(*position));
            sent.extend(fields.flat_map(|field| named(&types[process_type], field)));
        }
    }
    let assigned = assigned(&types[process_type], sent.clone());
    if assigned.len() <= LOOKED_AT { assigned } else { sent }
}

/// The local variables that an expression names.
fn named(process: &ProcessType, expression: &Expression) -> Vec<VariableRef> {
    let locals = process.locals.ids().map(VariableRef::Local);
    locals.filter(|variable| names(expression, *variable)).collect()
}

/// The given variables, with those that are assigned to them, directly or transitively.
fn assigned(process: &ProcessType, mut variables: BTreeSet<VariableRef>) -> BTreeSet<VariableRef> {
    loop {
        let before = variables.len();
        for edge in process.edges.values() {
            if let Action::Assign { target, value } = &edge.action
                && variables.contains(&target.variable)
            {
                variables.extend(named(process, value));
            }
        }
        if variables.len() == before {
            return variables;
        }
    }
}
