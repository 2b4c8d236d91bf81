//! How much there may be of quantities of data: the question about buffers, put to data places.

use std::collections::{BTreeMap, BTreeSet};

use cfsm_core::ids::{Id, IdMap};
use cfsm_core::system::{
    Buffer, BufferId, BufferKind, Class, ClassId, DataId, DataPlace, Direction, Event, MessageId,
    MessageType, State, StateId, System, Transition,
};
use ilp_encode::{Cone, Pool, Property, Stopped, growth};

use crate::{Bounded, Options, are_accepted, grown_by, prove_bounds};

/// The property: none of some message types can be gained for ever.
struct OfThese(IdMap<MessageId, bool>);

impl Property for OfThese {
    fn is_target(&self, _: &System, message: MessageId) -> bool {
        self.0[message]
    }
}

/// For each of these data places, a bound on how much there is of it in any run; `None` if none was
/// found.
///
/// Each gets a queue beside it, which one more process fills with what there is at the start, and
/// to which each transition sends, or from which it receives, what it changes the place by. So a
/// queue holds no less than there is of its place, and its bound, which `certify` checks, is one of
/// the place.
///
/// A place that is raised together with others, but a step later, has less of it at the moment when
/// it is raised than at others, as far as weights tell. So it is asked again how much there is
/// *behind* the steps that raise it, where there is most: a second queue has some messages more
/// while a process is where such a step leads.
///
/// A bound that the kernel rejects is not returned.
///
/// # Panics
/// If the system is not [valid](System::validate).
#[must_use]
pub fn data_bounds(system: &System, places: &[DataId], options: &Options) -> Vec<Option<u64>> {
    let at_any_time: Vec<Asked> = places.iter().map(|&place| Asked { place, more: 0 }).collect();
    let bounds = bounds_where(system, &at_any_time, options);
    let found =
        places.iter().zip(&bounds).filter_map(|(&place, bound)| Some(Asked { place, more: (*bound)? }));
    let behind: Vec<Asked> = found.filter(|asked| asked.more > system.data[asked.place].initial).collect();
    let nearer: BTreeMap<DataId, Option<u64>> =
        behind.iter().map(|asked| asked.place).zip(bounds_where(system, &behind, options)).collect();
    let least = |(place, bound): (&DataId, Option<u64>)| match nearer.get(place) {
        Some(&Some(nearer)) => bound.map(|bound| bound.min(nearer)),
        _ => bound,
    };
    places.iter().zip(bounds).map(least).collect()
}

/// A question about a data place.
#[derive(Clone, Copy)]
struct Asked {
    place: DataId,
    /// Number of messages that its queue has more for each process that has come to where the place
    /// is raised; 0 if it makes no difference where processes are.
    more: u64,
}

/// Bounds on how much there is of data places.
fn bounds_where(system: &System, asked: &[Asked], options: &Options) -> Vec<Option<u64>> {
    let mut measured = system.clone();
    // The order of messages makes no difference to how many there are.
    measured.order = None;
    // Nor does fairness, and what waits for a queue is not ready.
    measured.states.iter_mut().for_each(|(_, state)| state.always_ready = false);
    let queues: Vec<Option<BufferId>> =
        asked.iter().map(|asked| measure(system, &mut measured, *asked)).collect();
    let known: Vec<BufferId> = queues.iter().copied().flatten().collect();
    let bounds = bounds_of(&measured, &known, options).unwrap_or_default();
    let bound = |(queue, asked): (Option<BufferId>, &Asked)| {
        let all = bounds.get(&queue?)?;
        // What there is at the start is there before any step.
        Some(all.saturating_sub(asked.more).max(system.data[asked.place].initial))
    };
    queues.into_iter().zip(asked).map(bound).collect()
}

/// Puts a queue beside a data place; `None` if its numbers are too large.
fn measure(system: &System, measured: &mut System, asked: Asked) -> Option<BufferId> {
    let DataPlace { name, initial, .. } = &system.data[asked.place];
    let changes = |transition: &Transition| -> i64 {
        transition.data.iter().filter(|change| change.place == asked.place).map(|change| change.change).sum()
    };
    let raising = system.transitions.values().filter(|transition| changes(transition) > 0);
    let behind: BTreeSet<StateId> = raising.map(|transition| transition.target).collect();
    let more =
        |state: StateId| if behind.contains(&state) { i64::try_from(asked.more).ok() } else { Some(0) };
    let starts = |class: &Class| more(class.initial);
    let mut counts = Vec::new();
    for (id, transition) in system.transitions.iter() {
        let created = transition.creates.iter().map(|class| starts(&system.classes[*class]));
        let created = created.sum::<Option<i64>>()?;
        let moved = more(transition.target)? - more(transition.source)?;
        let change = changes(transition).checked_add(moved)?.checked_add(created)?;
        counts.push((id, change, u32::try_from(change.unsigned_abs()).ok()?));
    }
    let started = system.classes.values().map(|class| {
        let instances = i64::from(class.instances);
        starts(class)?.checked_mul(instances)
    });
    let initial = u64::try_from(started.sum::<Option<i64>>()?).ok()?.checked_add(*initial)?;
    let initial = u32::try_from(initial).ok()?;
    let name = format!("the amount of {name}");
    let buffer = measured.buffers.push(Buffer {
        name: name.clone(),
        kind: BufferKind::Queue,
        declared: None,
        in_order: false,
    });
    let message = measured.messages.push(MessageType { buffer, name: "1".into() });
    for (id, change, count) in counts.into_iter().filter(|(_, change, _)| *change != 0) {
        let direction = if change > 0 { Direction::Send } else { Direction::Receive };
        measured.transitions[id].events.push(Event { direction, message, count });
    }
    if initial > 0 {
        fill(measured, name, Event { direction: Direction::Send, message, count: initial });
    }
    Some(buffer)
}

/// Adds a process that does one thing.
fn fill(system: &mut System, name: String, event: Event) {
    let class = ClassId::new(system.classes.len());
    let state = |name: &str| State { class, name: name.into(), always_ready: false };
    let source = system.states.push(state("before"));
    let target = system.states.push(state("behind"));
    system.classes.push(Class { name, instances: 1, initial: source });
    system.transitions.push(Transition {
        source,
        target,
        events: vec![event],
        creates: Vec::new(),
        data: Vec::new(),
        progress: false,
        origin: None,
    });
}

/// The bounds of queues that have one, as far as limits allow.
fn bounds_of(
    system: &System,
    queues: &[BufferId],
    options: &Options,
) -> Result<BTreeMap<BufferId, u64>, Stopped> {
    let asked = system.messages.values().map(|message| queues.contains(&message.buffer)).collect();
    let cone = Cone::new(system, &OfThese(asked), &options.questions)?;
    let growth = growth(&cone, &mut Pool::default(), &options.questions)?;
    let grown = grown_by(system, &growth);
    let bounded: Vec<BufferId> = queues.iter().copied().filter(|queue| grown[*queue].is_none()).collect();
    let Bounded { bounds, claims, .. } = prove_bounds(&cone, &growth, &bounded, options);
    if !are_accepted(system, claims) {
        return Ok(BTreeMap::new());
    }
    let bounds = bounded.into_iter().zip(bounds);
    Ok(bounds.filter_map(|(queue, bound)| Some((queue, u64::try_from(bound).ok()?))).collect())
}

#[cfg(test)]
mod tests {
    use cfsm_core::system::SystemBuilder;

    use super::*;

    /// The bound on what is left of a window of 3: a client lowers it before a request or behind
    /// that, and raises it once for each reply.
    fn bound(before: bool, replies: usize) -> Option<u64> {
        let mut b = SystemBuilder::new("window");
        let (request, reply) = (b.message("q", "request"), b.message("r", "reply"));
        let left = b.data("left", 3);
        let client = b.class("client", 1).id();
        let (sent, taken) = if before {
            (("taken", "idle"), ("idle", "taken"))
        } else {
            (("idle", "sent"), ("sent", "idle"))
        };
        b.class_again(client).step("idle", &[], "idle");
        b.class_again(client).send(sent.0, request, sent.1).step(taken.0, &[], taken.1);
        b.changes(left, -1);
        b.class_again(client).receive("idle", reply, "back").step("back", &[], "idle");
        b.changes(left, 1);
        let mut server = b.class("server", 1);
        server.receive("ready", request, "busy 1");
        for number in 1..replies {
            server.send(&format!("busy {number}"), reply, &format!("busy {}", number + 1));
        }
        server.send(&format!("busy {replies}"), reply, "ready");
        let system = b.build().expect("a valid system");
        let bounds = data_bounds(&system, &[left], &Options::default());
        let asked = Asked { place: left, more: 0 };
        let at_any_time = bounds_where(&system, &[asked], &Options::default());
        assert_eq!(at_any_time, [bounds[0].map(|bound| bound + u64::from(!before))]);
        bounds[0]
    }

    #[test]
    fn there_is_never_more_than_the_window() {
        assert_eq!(bound(true, 1), Some(3));
    }

    #[test]
    fn what_is_lowered_late_is_looked_at_where_it_is_raised() {
        assert_eq!(bound(false, 1), Some(3));
    }

    #[test]
    fn a_reply_too_many_opens_the_window() {
        assert_eq!(bound(true, 2), None);
    }

    fn bound_of(build: impl FnOnce(&mut SystemBuilder, DataId), initial: u64) -> Option<u64> {
        let mut b = SystemBuilder::new("one place");
        let place = b.data("place", initial);
        build(&mut b, place);
        data_bounds(&b.build().expect("a valid system"), &[place], &Options::default())[0]
    }

    #[test]
    fn it_is_looked_at_where_it_has_been_raised() {
        let up_and_down = |b: &mut SystemBuilder, place| {
            let class = b.class("P", 1).id();
            for (source, change, target) in [("low", 2, "high"), ("high", -2, "low")] {
                b.class_again(class).step(source, &[], target);
                b.changes(place, change);
            }
        };
        assert_eq!(bound_of(up_and_down, 0), Some(2));
    }

    #[test]
    fn what_there_is_at_the_start_may_be_most() {
        let spent = |b: &mut SystemBuilder, place| {
            let token = b.message("tokens", "token");
            let class = b.class("P", 1).id();
            b.class_again(class).step("rich", &[(token, 2)], "poor");
            b.changes(place, -3);
            b.class_again(class).receive("poor", token, "poor");
            b.changes(place, 1);
            b.class_again(class).step("poor", &[(token, 2)], "lent").step("lent", &[], "poor");
            b.changes(place, -2);
        };
        assert_eq!(bound_of(spent, 3), Some(3));
    }

    /// Processes that bring some of it with them, and those that start where it is raised.
    #[test]
    fn what_new_processes_bring_is_part_of_it() {
        let brought = |b: &mut SystemBuilder, place| {
            let child = b.class("child", 0).id();
            b.class_again(child).step("born", &[], "rested");
            b.changes(place, 1);
            b.class_again(child).step("rested", &[], "born");
            b.changes(place, -1);
            b.class("parent", 2).create("alone", child, "done");
            b.changes(place, 4);
        };
        assert_eq!(bound_of(brought, 1), Some(11));
    }
}
