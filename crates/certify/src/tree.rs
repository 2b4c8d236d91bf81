//! The conditions of the theorems that are proved by cases: [on
//! livelocks](crate#freedom-from-livelocks) and [on all buffers](crate#all-buffers-bounded).

use std::collections::{BTreeMap, BTreeSet};

use certificate::{
    AllBoundedClaim, Apart, Cut, Delivery, Departure, Fairness, LivelockFreeClaim, MOST_NESTED, Proof,
    Ranking, Settling,
};
use cfsm_core::ids::IdMap;
use cfsm_core::system::{BufferId, ClassId, DataId, Direction, MessageId, StateId, Transition, TransitionId};
use num_bigint::BigInt;
use num_traits::{One, Signed, Zero};

use crate::facts::{Facts, single_class};
use crate::joint::Places;
use crate::net::Net;
use crate::potential::{Potential, action};
use crate::rejection::{Violation, ensure, violation};

pub fn livelock_free(net: &Net<'_>, claim: &LivelockFreeClaim) -> Result<(), Violation> {
    let facts = Facts::check(net, &claim.single, &claim.joint)?;
    let fires = net.system.transitions.values().map(|transition| !transition.progress).collect();
    let fair = claim.fairness == Fairness::Weak;
    Case::new(net, &facts, Goal::EachStepFalls { fair }, fires).check(&claim.proof)
}

pub fn all_bounded(net: &Net<'_>, claim: &AllBoundedClaim) -> Result<(), Violation> {
    let facts = Facts::check(net, &claim.single, &claim.joint)?;
    let fires = IdMap::filled(true, net.system.transitions.len());
    let named: BTreeSet<&str> = claim.proof.data_places();
    let weighed: IdMap<DataId, bool> =
        net.system.data.values().map(|place| named.contains(place.name.as_str())).collect();
    Case::new(net, &facts, Goal::NothingGrows { weighed: &weighed }, fires).check(&claim.proof)
}

/// What a ranking that falls at no cut has to show.
#[derive(Clone, Copy)]
enum Goal<'a> {
    /// Each transition that may fire lowers the potential.
    EachStepFalls {
        /// Whether the claim is about fair runs only.
        fair: bool,
    },
    /// Each message of a queue weighs something and so does what there is at data places; and what
    /// creates lowers the potential.
    NothingGrows {
        /// The data places that count: those with a weight anywhere in the proof.
        weighed: &'a IdMap<DataId, bool>,
    },
}

/// What is known of the runs that a part of the proof is about.
#[derive(Clone)]
struct Case<'a> {
    net: &'a Net<'a>,
    facts: &'a Facts,
    /// What is to be shown.
    goal: Goal<'a>,
    /// Per transition, whether it may fire again and again; what may not does so finitely often.
    fires: IdMap<TransitionId, bool>,
    /// Per cut or delivery around this part, those transitions of which some fire again and again,
    /// if the case says so.
    crossed: Vec<Option<Vec<TransitionId>>>,
    /// Per part of a settling around this part, the transitions inside of it, of which some fire
    /// again and again.
    moving: Vec<Vec<TransitionId>>,
    /// Sets of states of a single class that has an instance there all the time, from some time on.
    inhabited: Vec<Vec<StateId>>,
    /// How many proofs there are around this part.
    depth: usize,
}

impl<'a> Case<'a> {
    fn new(net: &'a Net<'a>, facts: &'a Facts, goal: Goal<'a>, fires: IdMap<TransitionId, bool>) -> Self {
        let (crossed, moving, inhabited) = (Vec::new(), Vec::new(), Vec::new());
        Self { net, facts, goal, fires, crossed, moving, inhabited, depth: 0 }
    }

    fn check(mut self, proof: &Proof) -> Result<(), Violation> {
        self.silence(proof.silent())?;
        match proof {
            Proof::Ranking(ranking) => return self.ranking(ranking),
            _ => self.depth += 1,
        }
        ensure!(self.depth <= MOST_NESTED, "there are more than {MOST_NESTED} proofs inside each other");
        match proof {
            Proof::Ranking(_) => Ok(()),
            Proof::Cut(cut) => self.cut(cut),
            Proof::Departure(departure) => self.departure(departure),
            Proof::Delivery(delivery) => self.delivery(delivery),
            Proof::Settling(settling) => self.settling(settling),
            Proof::Apart(apart) => self.apart(apart),
        }
    }

    /// Leaves out the transitions that send or receive one of these message types, given in an
    /// order: of what is left, nothing sends it; or it is of a rendezvous, and nothing receives it.
    fn silence(&mut self, names: &[String]) -> Result<(), Violation> {
        let system = self.net.system;
        // How often each message type is received, and sent, by what may fire.
        let mut counts: IdMap<MessageId, [usize; 2]> = IdMap::filled([0; 2], system.messages.len());
        let side = |direction| usize::from(direction == Direction::Send);
        // Few cases have any.
        let counted = system.transitions.iter().filter(|(id, _)| !names.is_empty() && self.fires[*id]);
        for event in counted.flat_map(|(_, transition)| &transition.events) {
            counts[event.message][side(event.direction)] += 1;
        }
        for name in names {
            let message = self.net.message(name)?;
            let [receives, sends] = counts[message];
            let users = self.net.of_message.of(message).iter();
            let mut users = users.copied().filter(|id| self.fires[*id]).collect::<Vec<_>>();
            if let Some(id) = users.first() {
                let is_silent = sends == 0 || (receives == 0 && system.is_rendezvous(message));
                let action = || action(system, &system.transitions[*id]);
                ensure!(is_silent, "`{name}` is not silent here: {id:?} ({}) may fire", action());
            }
            users.dedup();
            for id in users {
                self.fires[id] = false;
                for event in &system.transitions[id].events {
                    counts[event.message][side(event.direction)] -= 1;
                }
            }
        }
        Ok(())
    }

    /// No transition that may fire again and again raises the potential, and enough of them lower
    /// it.
    fn ranking(&self, ranking: &Ranking) -> Result<(), Violation> {
        let system = self.net.system;
        let again = self.again(ranking)?;
        let mut falls = IdMap::filled(false, self.fires.len());
        again.into_iter().flatten().for_each(|&id| falls[id] = true);
        let potential = self.potential(&ranking.messages, &ranking.data, &ranking.states)?;
        match (again, self.goal) {
            (Some(_), _) => self.falls(&potential, |id| falls[id]),
            (None, Goal::EachStepFalls { .. }) => self.falls(&potential, |_| true),
            (None, Goal::NothingGrows { weighed }) => {
                let one = BigInt::one();
                potential.messages_are_heavy_enough(system, system.messages.ids(), |_| &one)?;
                for (id, _) in weighed.iter().filter(|(_, counts)| **counts) {
                    let name = &system.data[id].name;
                    ensure!(
                        !potential.data[id].is_zero(),
                        "the data place `{name}` weighs nothing here, and something in other parts of the proof"
                    );
                }
                self.falls(&potential, |id| !system.transitions[id].creates.is_empty())
            }
        }
    }

    /// The transitions at which a ranking falls, of which the case says that some fire again and
    /// again; `None` if it falls where the goal says.
    fn again(&self, ranking: &Ranking) -> Result<Option<&[TransitionId]>, Violation> {
        let at = |number: usize| number.checked_sub(1);
        let not_crossed = |number: usize| {
            violation!(
                "the potential is to fall at cut {number}, \
                 which is not known to be crossed again and again here"
            )
        };
        match (ranking.falls_at_cut, ranking.falls_in_part) {
            (None, None) => Ok(None),
            (Some(number), None) => {
                let crossed = at(number).and_then(|at| self.crossed.get(at)?.as_deref());
                crossed.map(Some).ok_or_else(|| not_crossed(number))
            }
            (None, Some(number)) => {
                let moving = at(number).and_then(|at| self.moving.get(at));
                let not_moving = || {
                    violation!(
                        "the potential is to fall in part {number}, in which nothing is known to go on here"
                    )
                };
                moving.map(|moving| Some(&moving[..])).ok_or_else(not_moving)
            }
            (Some(number), Some(_)) => Err(not_crossed(number)),
        }
    }

    fn potential(
        &self,
        messages: &BTreeMap<String, BigInt>,
        data: &BTreeMap<String, BigInt>,
        states: &BTreeMap<String, BigInt>,
    ) -> Result<Potential, Violation> {
        let mut potential = Potential::zero(self.net.system);
        potential.set(self.net, messages, data, states)?;
        Ok(potential)
    }

    /// No place that counts has a negative weight, no transition that may fire again and again
    /// raises the potential, and some of them lower it.
    fn falls(&self, potential: &Potential, falls: impl Fn(TransitionId) -> bool) -> Result<(), Violation> {
        let system = self.net.system;
        potential.messages_are_heavy_enough(system, system.messages.ids(), |_| &BigInt::ZERO)?;
        potential.others_are_not_negative(system, system.data.ids(), system.states.ids())?;
        for (id, transition) in system.transitions.iter().filter(|(id, _)| self.fires[*id]) {
            let change = potential.change(system, transition);
            if change.is_positive() {
                return Err(potential.violation(system, id, "raises"));
            }
            if falls(id) && !change.is_negative() {
                return Err(potential.violation(system, id, "does not lower"));
            }
        }
        Ok(())
    }

    /// The same case with these transitions only.
    fn firing(&self, may: impl Fn(TransitionId, &Transition) -> bool) -> Self {
        let transitions = self.net.system.transitions.iter();
        let fires = transitions.map(|(id, transition)| self.fires[id] && may(id, transition)).collect();
        Self { fires, ..self.clone() }
    }

    /// The same case with one more entry for what is crossed again and again.
    fn crossing(mut self, crossed: Option<Vec<TransitionId>>) -> Self {
        self.crossed.push(crossed);
        self
    }

    /// The same case with an instance at these states all the time.
    fn inhabiting(mut self, inside: &IdMap<StateId, bool>) -> Self {
        self.inhabited.push(inside.iter().filter(|(_, inside)| **inside).map(|(id, _)| id).collect());
        self
    }

    /// The transitions that may fire and fulfil a condition.
    fn fired(&self, holds: impl Fn(&Transition) -> bool) -> Vec<TransitionId> {
        let transitions = self.net.system.transitions.iter();
        let fired = transitions.filter(|(id, transition)| self.fires[*id] && holds(transition));
        fired.map(|(id, _)| id).collect()
    }

    fn cut(&self, cut: &Cut) -> Result<(), Violation> {
        let class = single_class(self.net, &self.facts.single, &cut.class)?;
        let inside = self.states(class, &cut.states)?;
        let of_class = |transition: &Transition| self.net.system.states[transition.source].class == class;
        let ends = |transition: &Transition| (inside[transition.source], inside[transition.target]);
        let limited = |both| self.firing(|_, step| !of_class(step) || ends(step) == (both, both));
        let leaving = self.fired(|step| of_class(step) && ends(step) == (true, false));
        limited(true).crossing(None).inhabiting(&inside).check(&cut.stays)?;
        limited(false).crossing(None).check(&cut.avoids)?;
        self.clone().crossing(Some(leaving)).check(&cut.crosses)
    }

    /// A process leaves each of some parts finitely often: in the long run it is in one of them,
    /// where it goes on or does nothing, or in none.
    fn settling(&self, settling: &Settling) -> Result<(), Violation> {
        let system = self.net.system;
        let class = single_class(self.net, &self.facts.single, &settling.class)?;
        let mut part_of: IdMap<StateId, Option<usize>> = IdMap::filled(None, system.states.len());
        let mut parts = Vec::new();
        for (number, part) in settling.parts.iter().enumerate() {
            let inside = self.states(class, &part.states)?;
            for (state, _) in inside.iter().filter(|(_, inside)| **inside) {
                let (before, name) = (part_of[state].replace(number), || system.state_name(state));
                ensure!(before.is_none(), "the state `{}` is in two parts of a settling", name());
            }
            parts.push((inside, &part.stays));
        }
        let potential = self.potential(&settling.messages, &settling.data, &settling.states)?;
        let ends = |step: &Transition| (part_of[step.source], part_of[step.target]);
        self.falls(&potential, |id| {
            let (source, target) = ends(&system.transitions[id]);
            source.is_some() && source != target
        })?;
        let of_class = |step: &Transition| system.states[step.source].class == class;
        let within = |part| self.firing(|_, step| !of_class(step) || ends(step) == (part, part));
        for (number, (inside, stays)) in parts.iter().enumerate() {
            let mut case = within(Some(number)).inhabiting(inside);
            let moving = case.fired(of_class);
            case.moving.push(moving);
            case.check(stays)?;
        }
        within(None).check(&settling.elsewhere)
    }

    /// Relations say where classes are while others are where they are known to stay.
    fn apart(&self, apart: &Apart) -> Result<(), Violation> {
        let (system, numbers) = (self.net.system, &self.facts.numbers);
        // Per class, the places where its instance is, from some time on.
        let mut known: BTreeMap<ClassId, Places> = BTreeMap::new();
        let mut limited: BTreeSet<ClassId> = BTreeSet::new();
        let narrow = |known: &mut BTreeMap<ClassId, Places>, class, places: Places| {
            let narrowed = known.get(&class).map(|known| known & &places);
            known.insert(class, narrowed.unwrap_or(places));
        };
        for states in &self.inhabited {
            if let Some(first) = states.first() {
                let places = states.iter().map(|state| numbers.of[*state]).collect();
                narrow(&mut known, system.states[*first].class, places);
            }
        }
        for limit in &apart.limits {
            let relation = limit.relation.checked_sub(1).and_then(|at| self.facts.relations.get(at));
            let (number, name) = (limit.relation, &limit.class);
            let relation = relation.ok_or_else(|| violation!("the claim has no relation {number}"))?;
            let class = self.net.class(name)?;
            ensure!(relation.classes.contains(&class), "relation {number} is not about the class `{name}`");
            let places = relation.places(class, &known);
            narrow(&mut known, class, places);
            limited.insert(class);
        }
        let may = |_, step: &Transition| {
            let class = system.states[step.source].class;
            !limited.contains(&class) || known[&class].contains(&numbers.of[step.source])
        };
        self.firing(may).check(&apart.rest)
    }

    /// From a queue that keeps order nothing is received in the long run, or everything that is
    /// sent to it.
    fn delivery(&self, delivery: &Delivery) -> Result<(), Violation> {
        let system = self.net.system;
        let buffer = self.net.buffer(&delivery.buffer)?;
        let name = &delivery.buffer;
        ensure!(
            system.keeps_order(buffer),
            "the system does not say that the buffer `{name}` is one queue that is first in, first out"
        );
        let named = self.messages(buffer, &delivery.messages)?;
        let has = |step: &Transition, direction, holds: &dyn Fn(MessageId) -> bool| {
            step.events.iter().any(|event| event.direction == direction && holds(event.message))
        };
        let reads = |step: &Transition| {
            has(step, Direction::Receive, &|message| system.messages[message].buffer == buffer)
        };
        let receives = |step: &Transition| has(step, Direction::Receive, &|message| named.contains(&message));
        let sends = |step: &Transition| has(step, Direction::Send, &|message| named.contains(&message));
        self.firing(|_, step| !reads(step)).crossing(None).check(&delivery.unread)?;
        let unsent = self.firing(|_, step| !receives(step) && !sends(step));
        unsent.crossing(Some(self.fired(reads))).check(&delivery.unsent)?;
        self.clone().crossing(Some(self.fired(receives))).check(&delivery.delivered)
    }

    /// Transitions that leave the states fire finitely often, so in a fair run nobody is there in
    /// the long run.
    fn departure(&self, departure: &Departure) -> Result<(), Violation> {
        let is_fair = matches!(self.goal, Goal::EachStepFalls { fair: true });
        ensure!(is_fair, "a departure is a proof for fair runs, and the claim is about all runs");
        let left = self.ready_states(&departure.left)?;
        let potential = self.potential(&departure.messages, &departure.data, &departure.states)?;
        self.falls(&potential, |id| left[self.net.system.transitions[id].source])?;
        let Some(rest) = &departure.rest else {
            let inhabited = self.inhabited.iter().any(|states| states.iter().all(|state| left[*state]));
            ensure!(
                inhabited || self.never_empty(&left),
                "there need not be an instance at the states of a departure, \
                 and there is no proof for the rest"
            );
            return Ok(());
        };
        self.firing(|_, step| !left[step.source] && self.enters(step, &left) == 0).check(rest)
    }

    /// How many instances a transition puts at one of the states.
    fn enters(&self, transition: &Transition, states: &IdMap<StateId, bool>) -> usize {
        let initial = |class: &ClassId| self.net.system.classes[*class].initial;
        let created = transition.creates.iter().filter(|class| states[initial(class)]);
        created.count() + usize::from(states[transition.target])
    }

    /// Whether there is an instance at one of the states all the time: at the start, and whenever
    /// one leaves. Instances do not vanish from states that are always ready.
    fn never_empty(&self, states: &IdMap<StateId, bool>) -> bool {
        let system = self.net.system;
        let mut leaving = system.transitions.values().filter(|transition| states[transition.source]);
        system.classes.values().any(|class| class.instances > 0 && states[class.initial])
            && leaving.all(|transition| self.enters(transition, states) > 0)
    }

    /// States that are always ready.
    fn ready_states(&self, names: &[String]) -> Result<IdMap<StateId, bool>, Violation> {
        let mut states = IdMap::filled(false, self.net.system.states.len());
        for name in names {
            let state = self.net.state(name)?;
            ensure!(
                self.net.system.states[state].always_ready,
                "the state `{name}` is not always ready, \
                 so an instance may stay there for ever in a fair run"
            );
            states[state] = true;
        }
        Ok(states)
    }

    /// The message types of a delivery, all of one buffer.
    fn messages(&self, buffer: BufferId, names: &[String]) -> Result<BTreeSet<MessageId>, Violation> {
        let message = |name: &String| {
            let found = self.net.message(name)?;
            let is_of = self.net.system.messages[found].buffer == buffer;
            ensure!(is_of, "the message type `{name}` is not one of the queue whose delivery is looked at");
            Ok(found)
        };
        names.iter().map(message).collect()
    }

    /// The states of a cut or of a part, all of one class.
    fn states(&self, class: ClassId, names: &[String]) -> Result<IdMap<StateId, bool>, Violation> {
        let mut inside = IdMap::filled(false, self.net.system.states.len());
        for name in names {
            inside[self.net.state_of(class, name)?] = true;
        }
        Ok(inside)
    }
}
