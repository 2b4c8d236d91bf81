//! Grouping of contexts into process classes: contexts of the same type with the same arguments
//! form one class (thesis 7.3, paper 000 section 3.3).
//!
//! The channels that they declare are then merged as well, per declaration, which may make the
//! arguments of further contexts equal, and so on. Every merger is a union of behaviours, hence an
//! over-approximation.

use std::collections::{BTreeMap, BTreeSet, VecDeque};

use cfsm_core::ids::{Id, IdMap};
use cfsm_core::program::ProcessTypeId;
use cfsm_core::system::ClassId;

use crate::analysis::Analysis;
use crate::channels::{ObjectId, identity};
use crate::contexts::{Birth, ContextId, Contexts};
use crate::creation::asks_for_pid;
use crate::values::Value;

/// A process class, before it gets a name.
#[derive(Clone, Debug)]
pub(crate) struct Group {
    /// The type of its processes.
    pub(crate) process_type: ProcessTypeId,
    /// The values that the parameters may have at the start.
    pub(crate) arguments: Vec<Value>,
    /// The process numbers of its instances, if the behaviour depends on them.
    pub(crate) pid: Option<Value>,
    /// The contexts that it consists of.
    pub(crate) contexts: Vec<ContextId>,
    /// Number of instances at the start.
    pub(crate) instances: u32,
    /// The process number of its instance, if no run has more than one.
    pub(crate) number: Option<u32>,
}

/// All process classes, with the class of each context and the representative of each channel
/// object.
#[derive(Clone, Debug)]
pub(crate) struct Grouping {
    /// The classes: initial processes in order, then the classes they create, and so on.
    pub(crate) groups: IdMap<ClassId, Group>,
    /// The class of each context.
    pub(crate) class_of: IdMap<ContextId, ClassId>,
    /// Maps each channel object to the representative of its merged set.
    pub(crate) representative: Vec<ObjectId>,
}

/// Groups contexts. Time `O(n² log n)` in their number at worst, where each merger leads to
/// another.
pub(crate) fn group(analysis: &Analysis<'_>) -> Grouping {
    let contexts = &analysis.contexts;
    let order = in_order_of_creation(contexts);
    let numbers = numbers(analysis, &order);
    let mut representative = identity(&analysis.objects);
    let mut count = usize::MAX;
    loop {
        let groups = with_equal_arguments(analysis, &order, &representative);
        if groups.len() == count {
            return finish(analysis, groups, &numbers, representative);
        }
        count = groups.len();
        for (_, members) in &groups {
            merge_channels(contexts, members, &mut representative);
        }
    }
}

/// Initial contexts, then what they create, breadth first, creators' statements in source order.
fn in_order_of_creation(contexts: &Contexts) -> Vec<ContextId> {
    let initial = |id: &ContextId| matches!(contexts[*id].birth, Birth::Initial(_));
    let mut waiting: VecDeque<ContextId> = contexts.ids().filter(initial).collect();
    let mut seen: BTreeSet<ContextId> = waiting.iter().copied().collect();
    let mut order = Vec::new();
    while let Some(id) = waiting.pop_front() {
        order.push(id);
        let children = contexts[id].children.values();
        waiting.extend(children.copied().filter(|child| seen.insert(*child)));
    }
    order
}

/// Process numbers of the contexts with one instance, if all processes that are created once are
/// created in order.
fn numbers(analysis: &Analysis<'_>, order: &[ContextId]) -> BTreeMap<ContextId, u32> {
    let mut numbers = BTreeMap::new();
    let mut next: u32 = 0;
    for &id in order {
        let several = analysis.several(id);
        if !several {
            let known = analysis.contexts[id].pid.numbers.single().and_then(|pid| u32::try_from(pid).ok());
            numbers.insert(id, known.unwrap_or(next));
        }
        next = match analysis.contexts[id].birth {
            Birth::Initial(count) => next.saturating_add(count),
            Birth::Created { .. } => next + u32::from(!several),
        };
    }
    numbers
}

/// The key by which contexts are grouped: their type, arguments, and process number if the
/// behaviour depends on it.
type Identity = (ProcessTypeId, Vec<Value>, Option<Value>);

type Members = (Identity, Vec<ContextId>);

fn with_equal_arguments(
    analysis: &Analysis<'_>,
    order: &[ContextId],
    representative: &[ObjectId],
) -> Vec<Members> {
    let contexts = &analysis.contexts;
    let types = analysis.program.types.iter();
    let numbered: BTreeSet<ProcessTypeId> =
        types.filter(|(_, process)| asks_for_pid(process)).map(|(id, _)| id).collect();
    let mut position = BTreeMap::new();
    let mut groups: Vec<Members> = Vec::new();
    for &id in order {
        let context = &contexts[id];
        let arguments: Vec<Value> =
            context.arguments.iter().map(|argument| representatives(argument, representative)).collect();
        let pid = numbered.contains(&context.process_type).then(|| context.pid.clone());
        let identity = (context.process_type, arguments, pid);
        let at = *position.entry(identity.clone()).or_insert(groups.len());
        if at == groups.len() {
            groups.push((identity, Vec::new()));
        }
        groups[at].1.push(id);
    }
    groups
}

fn representatives(value: &Value, representative: &[ObjectId]) -> Value {
    let channels = value.channels.iter();
    Value {
        numbers: value.numbers.clone(),
        channels: channels.map(|object| representative[object.index()]).collect(),
    }
}

/// Makes the channels of the first context the representatives of those of the others.
fn merge_channels(contexts: &Contexts, members: &[ContextId], representative: &mut [ObjectId]) {
    let Some((&first, others)) = members.split_first() else {
        return;
    };
    for &other in others {
        for (variable, objects) in &contexts[other].declared {
            for (object, standing) in objects.iter().zip(&contexts[first].declared[variable]) {
                representative[object.index()] = *standing;
            }
        }
    }
}

fn finish(
    analysis: &Analysis<'_>,
    groups: Vec<Members>,
    numbers: &BTreeMap<ContextId, u32>,
    representative: Vec<ObjectId>,
) -> Grouping {
    let mut class_of = IdMap::filled(ClassId::new(0), analysis.contexts.len());
    let mut classes = IdMap::new();
    for ((process_type, arguments, pid), contexts) in groups {
        let instances = contexts.iter().map(|&id| match analysis.contexts[id].birth {
            Birth::Initial(count) => count,
            Birth::Created { .. } => 0,
        });
        let number = match contexts[..] {
            [only] => numbers.get(&only).copied(),
            _ => None,
        };
        let class = classes.push(Group {
            process_type,
            arguments,
            pid,
            instances: instances.fold(0, u32::saturating_add),
            number,
            contexts: contexts.clone(),
        });
        for id in contexts {
            class_of[id] = class;
        }
    }
    Grouping { groups: classes, class_of, representative }
}
