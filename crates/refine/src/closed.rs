//! What the order of messages proves: parts of a system whose configurations are few.
//!
//! The plain test does not look at the order of messages. Where it leaves a buffer open, all
//! configurations of the part of the system around it may still be few enough to be listed. The
//! list is a proof that `certify` checks.

use std::collections::{BTreeMap, BTreeSet};

use boundedness::{BufferVerdict, Outcome, Verdict};
use certify::{Certificate, Claim, ConfigurationsClaim, MOST_CONFIGURATIONS};
use cfsm_core::ids::{Id, IdMap};
use cfsm_core::system::{BufferId, BufferKind, ClassId, Order, System};
use explore::{Configuration, ConfigurationLimits, Portion, configurations};

use crate::Options;

/// Most classes of a portion around one buffer, and most configurations of it.
const FEW_CLASSES: usize = 3;
const SMALL: usize = 10_000;
/// States and messages of all configurations of a part together, for each configuration that is
/// allowed.
const SIZE: usize = 100;

/// Proves buffers that an outcome leaves open, or knows no number for, bounded by their exact
/// maxima, where the [order](System::order) of queues is known and the configurations around them
/// are not more than [`Options::exploration_states`]. Returns how many configurations were kept.
///
/// Parts with a buffer that `growing` names are left out, as they have no end of configurations.
/// The outcome must be the system's. What it says can only get better.
pub fn prove_by_configurations(
    system: &System,
    outcome: &mut Outcome,
    growing: &BTreeMap<BufferId, usize>,
    options: &Options,
) -> usize {
    let is_ordered = matches!(system.order, Some(Order::Fifo | Order::FifoCover));
    if !is_ordered || options.exploration_states == 0 || options.deadline.is_over() {
        return 0;
    }
    let mut kept = 0;
    let mut claims = Vec::new();
    let mut proved: BTreeMap<BufferId, u32> = BTreeMap::new();
    // Of all small portions together no more are listed than of one large one.
    let mut left = options.exploration_states;
    let small = small_portions(system, outcome).into_iter().map(|portion| (portion, true));
    let large = portions(system).into_iter().map(|portion| (portion, false));
    for (portion, is_small) in small.chain(large).take_while(|_| !options.deadline.is_over()) {
        let is_open = |id: &BufferId| has_no_bound(&outcome.buffers[*id]) && !proved.contains_key(id);
        let open: Vec<BufferId> = portion.buffers.iter().copied().filter(is_open).collect();
        if open.is_empty() || portion.buffers.iter().any(|buffer| growing.contains_key(buffer)) {
            continue;
        }
        let most =
            if is_small { left.min(SMALL) } else { options.exploration_states.min(MOST_CONFIGURATIONS) };
        let limits = ConfigurationLimits {
            configurations: most,
            size: most.saturating_mul(SIZE),
            deadline: options.deadline,
        };
        let listed = configurations(system, &portion, &limits);
        if is_small {
            left = left.saturating_sub(listed.as_ref().map_or_else(|unlisted| unlisted.found, Vec::len));
        }
        let Ok(all) = listed else { continue };
        kept += all.len();
        let maxima = maxima(system, &all);
        let bounds: Vec<(BufferId, u32)> = open.iter().map(|buffer| (*buffer, maxima[*buffer])).collect();
        claims.push(claim(system, &portion, &bounds, all));
        proved.extend(bounds);
    }
    if !claims.is_empty() {
        improve(system, outcome, claims, &proved);
    }
    kept
}

const fn is_open(verdict: &BufferVerdict) -> bool {
    matches!(verdict, BufferVerdict::CanGrow { .. } | BufferVerdict::Unknown)
}

/// Whether a number would be news.
const fn has_no_bound(verdict: &BufferVerdict) -> bool {
    is_open(verdict) || matches!(verdict, BufferVerdict::Finite)
}

/// The most that each buffer holds.
fn maxima(system: &System, all: &[Configuration]) -> IdMap<BufferId, u32> {
    let mut maxima = IdMap::filled(0, system.buffers.len());
    for configuration in all {
        let mut lengths: BTreeMap<BufferId, u32> = BTreeMap::new();
        for message in &configuration.messages {
            *lengths.entry(system.messages[*message].buffer).or_insert(0) += 1;
        }
        lengths.into_iter().for_each(|(buffer, length)| maxima[buffer] = length.max(maxima[buffer]));
    }
    maxima
}

fn claim(system: &System, portion: &Portion, bounds: &[(BufferId, u32)], all: Vec<Configuration>) -> Claim {
    let Portion { classes, buffers } = portion.clone();
    let bounds = bounds.iter().map(|(buffer, bound)| (*buffer, (*bound).into()));
    let all = all.into_iter().map(|configuration| (configuration.states, configuration.messages));
    Claim::Configurations(ConfigurationsClaim::new(system, classes, buffers, bounds, all))
}

/// Adds claims to an outcome, or the reason why the kernel rejects them.
fn improve(system: &System, outcome: &mut Outcome, claims: Vec<Claim>, proved: &BTreeMap<BufferId, u32>) {
    let before = outcome.verdict.certificate().into_iter().flat_map(|found| found.claims.clone());
    let certificate = Certificate::new(system, before.chain(claims));
    let checked = match certify::check(system, certificate) {
        Ok(checked) => checked,
        Err(rejection) => {
            outcome.rejected.push(rejection);
            return;
        }
    };
    for (buffer, bound) in proved {
        outcome.buffers[*buffer] = BufferVerdict::Bounded { bound: (*bound).into() };
    }
    drop_combinations(outcome);
    outcome.verdict = match &outcome.verdict {
        Verdict::Unknown { reason, .. } if outcome.buffers.values().any(is_open) => {
            Verdict::Unknown { reason: *reason, certificate: Some(checked) }
        }
        _ => Verdict::Proved(checked),
    };
}

/// Takes out the combinations that no buffer that is still open refers to.
fn drop_combinations(outcome: &mut Outcome) {
    let mut places: BTreeMap<usize, usize> = BTreeMap::new();
    for verdict in outcome.buffers.values() {
        if let BufferVerdict::CanGrow { combination } = verdict {
            places.insert(*combination, 0);
        }
    }
    (0..).zip(places.values_mut()).for_each(|(place, slot)| *slot = place);
    let ids: Vec<BufferId> = outcome.buffers.ids().collect();
    for id in ids {
        if let BufferVerdict::CanGrow { combination } = &mut outcome.buffers[id] {
            *combination = places[combination];
        }
    }
    let mut position = 0;
    outcome.combinations.retain(|_| {
        position += 1;
        places.contains_key(&(position - 1))
    });
}

/// For each buffer without a number the classes that use it, and the buffers that nobody else uses:
/// what others do is not followed then, so configurations are few where they are many for all
/// together. Those without the creators of their classes, or larger than that, are left out.
fn small_portions(system: &System, outcome: &Outcome) -> Vec<Portion> {
    let mut users: IdMap<BufferId, BTreeSet<ClassId>> = IdMap::filled(BTreeSet::new(), system.buffers.len());
    let mut used: IdMap<ClassId, BTreeSet<BufferId>> = IdMap::filled(BTreeSet::new(), system.classes.len());
    let mut created: BTreeSet<ClassId> = BTreeSet::new();
    for (id, transition) in system.transitions.iter() {
        for event in &transition.events {
            let (class, buffer) = (system.class_of(id), system.messages[event.message].buffer);
            users[buffer].insert(class);
            used[class].insert(buffer);
        }
        created.extend(&transition.creates);
    }
    let mut seen = BTreeSet::new();
    let open = outcome.buffers.iter().filter(|(_, verdict)| has_no_bound(verdict)).map(|(id, _)| id);
    let classes: Vec<&BTreeSet<ClassId>> = open.map(|buffer| &users[buffer]).collect();
    let few = classes.into_iter().filter(|classes| {
        (1..=FEW_CLASSES).contains(&classes.len()) && classes.is_disjoint(&created) && seen.insert(*classes)
    });
    let portion = |classes: &BTreeSet<ClassId>| {
        let buffers: BTreeSet<BufferId> = classes.iter().flat_map(|class| &used[*class]).copied().collect();
        let buffers = buffers.into_iter().filter(|buffer| users[*buffer].is_subset(classes)).collect();
        Portion { classes: classes.iter().copied().collect(), buffers }
    };
    few.map(portion).collect()
}

/// The parts of a system that have nothing to do with each other: classes that share buffers, or
/// create each other, and the buffers that they use. In the order of their first classes.
fn portions(system: &System) -> Vec<Portion> {
    let mut union = Union((0..system.classes.len()).collect());
    let mut users: IdMap<BufferId, Option<usize>> = IdMap::filled(None, system.buffers.len());
    for (id, transition) in system.transitions.iter() {
        let class = system.class_of(id).index();
        for event in &transition.events {
            let user = &mut users[system.messages[event.message].buffer];
            union.join(class, *user.get_or_insert(class));
        }
        for created in &transition.creates {
            union.join(class, created.index());
        }
    }
    let mut portions: BTreeMap<usize, Portion> = BTreeMap::new();
    for class in system.classes.ids() {
        let empty = || Portion { classes: Vec::new(), buffers: Vec::new() };
        portions
            .entry(union.root(class.index()))
            .or_insert_with(empty)
            .classes
            .push(ClassId::new(class.index()));
    }
    for (buffer, user) in users.iter() {
        if let Some(portion) = user.and_then(|class| portions.get_mut(&union.root(class))) {
            portion.buffers.push(buffer);
        }
    }
    portions.into_values().filter(|portion| portion.buffers.iter().any(|b| is_queue(system, *b))).collect()
}

fn is_queue(system: &System, buffer: BufferId) -> bool {
    system.buffers[buffer].kind == BufferKind::Queue
}

/// Disjoint sets of numbers.
struct Union(Vec<usize>);

impl Union {
    fn root(&mut self, mut at: usize) -> usize {
        while self.0[at] != at {
            self.0[at] = self.0[self.0[at]];
            at = self.0[at];
        }
        at
    }

    /// The least number is the root.
    fn join(&mut self, one: usize, other: usize) {
        let (one, other) = (self.root(one), self.root(other));
        self.0[one.max(other)] = one.min(other);
    }
}

#[cfg(test)]
mod tests {
    use cfsm_core::system::SystemBuilder;

    use super::*;

    #[test]
    fn a_list_that_the_kernel_rejects_is_told_and_proves_nothing() {
        let mut b = SystemBuilder::new("sender");
        let x = b.message("x", "m");
        b.class("P", 1).send("0", x, "0");
        let mut system = b.build().expect("names are given once");
        system.order = Some(Order::Fifo);
        let mut outcome = boundedness::check(&system, &boundedness::Options::default());
        let before = outcome.clone();
        let portion = portions(&system).remove(0);
        let buffer = portion.buffers[0];
        let forged = claim(&system, &portion, &[(buffer, 3)], Vec::new());
        improve(&system, &mut outcome, vec![forged], &BTreeMap::from([(buffer, 3)]));
        assert_eq!(outcome.buffers, before.buffers);
        assert!(!outcome.verdict.is_proved());
        let told = outcome.rejected[0].to_string();
        assert!(told.contains("the initial configuration is not in the list"), "{told}");
    }
}
