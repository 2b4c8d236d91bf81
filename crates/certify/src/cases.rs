//! The conditions of the theorems that are proved by cases: [on
//! livelocks](crate#freedom-from-livelocks) and [on all buffers](crate#all-buffers-bounded).

use std::collections::BTreeSet;
use std::rc::Rc;

use cfsm_core::ids::IdMap;
use cfsm_core::system::{
    BufferId, ClassId, DataId, Direction, MessageId, StateId, System, Transition, TransitionId,
};
use num_bigint::BigInt;
use num_traits::{One, Signed, Zero};

use crate::check::Names;
use crate::lasting::lasting;
use crate::potential::Potential;
use crate::rejection::Broken;
use crate::together::Company;
use certificate::{
    AllBoundedClaim, Apart, Cut, Delivery, Departure, Fairness, LivelockFreeClaim, MOST_NESTED, Proof,
    Ranking, Settling,
};

pub fn livelock_free(system: &System, names: &Names, claim: &LivelockFreeClaim) -> Result<(), Broken> {
    let fires = system.transitions.values().map(|transition| !transition.progress).collect();
    let fair = claim.fairness == Fairness::Weak;
    Case::new(system, names, Goal::EachStepFalls { fair }, fires).check(&claim.proof)
}

pub fn all_bounded(system: &System, names: &Names, claim: &AllBoundedClaim) -> Result<(), Broken> {
    let fires = IdMap::filled(true, system.transitions.len());
    let named: BTreeSet<&str> = claim.proof.data_places();
    let weighed: IdMap<DataId, bool> =
        system.data.values().map(|place| named.contains(place.name.as_str())).collect();
    Case::new(system, names, Goal::NothingGrows { weighed: &weighed }, fires).check(&claim.proof)
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
    system: &'a System,
    names: &'a Names,
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
    /// Sets of states with an instance all the time, from some time on.
    inhabited: Vec<Vec<StateId>>,
    /// How many proofs there are around this part.
    depth: usize,
    /// Where processes are at the same time.
    company: Rc<Company>,
}

impl<'a> Case<'a> {
    fn new(system: &'a System, names: &'a Names, goal: Goal<'a>, fires: IdMap<TransitionId, bool>) -> Self {
        Self {
            system,
            names,
            goal,
            fires,
            crossed: Vec::new(),
            moving: Vec::new(),
            inhabited: Vec::new(),
            depth: 0,
            company: Rc::new(Company::new(system)),
        }
    }

    fn check(mut self, proof: &Proof) -> Result<(), Broken> {
        self.fires = lasting(self.system, self.fires);
        match proof {
            Proof::Ranking(ranking) => self.ranking(ranking),
            Proof::Cut(cut) => self.cut(cut),
            Proof::Departure(departure) => self.departure(departure),
            Proof::Delivery(delivery) => self.delivery(delivery),
            Proof::Settling(settling) => self.settling(settling),
            Proof::Apart(apart) => self.apart(apart),
        }
    }

    /// No transition that may fire again and again raises the potential, and enough of them lower
    /// it.
    fn ranking(&self, ranking: &Ranking) -> Result<(), Broken> {
        let mut falls = IdMap::filled(false, self.fires.len());
        let again = self.again(ranking)?;
        again.into_iter().flatten().for_each(|&id| falls[id] = true);
        let potential =
            Potential::of(self.system, self.names, &ranking.messages, &ranking.data, &ranking.states)?;
        match (again, self.goal) {
            (Some(_), _) => self.falls(&potential, |id| falls[id]),
            (None, Goal::EachStepFalls { .. }) => self.falls(&potential, |_| true),
            (None, Goal::NothingGrows { weighed }) => {
                let one = BigInt::one();
                potential.messages_are_heavy_enough(self.system, self.system.messages.ids(), |_| &one)?;
                let unweighed = weighed.iter().find(|(id, counts)| **counts && potential.data[*id].is_zero());
                if let Some((id, _)) = unweighed {
                    return Err(Broken::UnweighedData(self.system.data[id].name.clone()));
                }
                self.falls(&potential, |id| !self.system.transitions[id].creates.is_empty())
            }
        }
    }

    /// The transitions at which a ranking falls, of which the case says that some fire again and
    /// again; `None` if it falls where the goal says.
    fn again(&self, ranking: &Ranking) -> Result<Option<&[TransitionId]>, Broken> {
        let at = |number: usize| number.checked_sub(1);
        match (ranking.falls_at_cut, ranking.falls_in_part) {
            (None, None) => Ok(None),
            (Some(number), None) => {
                let crossed = at(number).and_then(|at| self.crossed.get(at)?.as_deref());
                crossed.map(Some).ok_or(Broken::NotCrossed(number))
            }
            (None, Some(number)) => {
                let moving = at(number).and_then(|at| self.moving.get(at));
                moving.map(|moving| Some(&moving[..])).ok_or(Broken::NotMoving(number))
            }
            (Some(number), Some(_)) => Err(Broken::NotCrossed(number)),
        }
    }

    /// No transition that may fire again and again raises the potential, and some of them lower it.
    fn falls(&self, potential: &Potential, falls: impl Fn(TransitionId) -> bool) -> Result<(), Broken> {
        potential.messages_are_heavy_enough(self.system, self.system.messages.ids(), |_| &BigInt::ZERO)?;
        potential.data_are_not_negative(self.system, self.system.data.ids())?;
        potential.states_are_not_negative(self.system, self.system.states.ids())?;
        for (id, transition) in self.system.transitions.iter().filter(|(id, _)| self.fires[*id]) {
            let change = potential.change(self.system, transition);
            if change.is_positive() {
                return Err(Broken::Rises(potential.rise(self.system, id)));
            }
            if falls(id) && !change.is_negative() {
                return Err(Broken::Stays(potential.rise(self.system, id)));
            }
        }
        Ok(())
    }

    fn cut(&self, cut: &Cut) -> Result<(), Broken> {
        self.is_not_too_deep()?;
        let class = self.single(&cut.class)?;
        let inside = self.states(class, &cut.states)?;
        let of_class = |transition: &Transition| self.system.states[transition.source].class == class;
        let ends = |transition: &Transition| (inside[transition.source], inside[transition.target]);
        let limited = |both: bool| {
            let may = |(id, &fires): (TransitionId, &bool)| {
                let transition = &self.system.transitions[id];
                fires && (!of_class(transition) || ends(transition) == (both, both))
            };
            self.fires.iter().map(may).collect()
        };
        let leaving = self.fires.iter().filter(|(id, fires)| {
            **fires && {
                let transition = &self.system.transitions[*id];
                of_class(transition) && ends(transition) == (true, false)
            }
        });
        let leaving = leaving.map(|(id, _)| id).collect();
        let mut stays = self.with(limited(true), None);
        stays.inhabited.push(inside.iter().filter(|(_, inside)| **inside).map(|(id, _)| id).collect());
        stays.check(&cut.stays)?;
        self.with(limited(false), None).check(&cut.avoids)?;
        self.with(self.fires.clone(), Some(leaving)).check(&cut.crosses)
    }

    /// A process leaves each of some parts finitely often: in the long run it is in one of them,
    /// where it goes on or does nothing, or in none.
    fn settling(&self, settling: &Settling) -> Result<(), Broken> {
        self.is_not_too_deep()?;
        let class = self.single(&settling.class)?;
        let mut part_of: IdMap<StateId, Option<usize>> = IdMap::filled(None, self.system.states.len());
        for (number, part) in settling.parts.iter().enumerate() {
            for (state, _) in self.states(class, &part.states)?.iter().filter(|(_, inside)| **inside) {
                if part_of[state].replace(number).is_some() {
                    return Err(Broken::TwoParts(self.system.state_name(state)));
                }
            }
        }
        let potential =
            Potential::of(self.system, self.names, &settling.messages, &settling.data, &settling.states)?;
        let ends = |id: TransitionId| {
            let transition = &self.system.transitions[id];
            (part_of[transition.source], part_of[transition.target])
        };
        self.falls(&potential, |id| ends(id).0.is_some() && ends(id).0 != ends(id).1)?;
        let within = |part: Option<usize>| -> IdMap<TransitionId, bool> {
            let may = |(id, &fires): (TransitionId, &bool)| {
                fires && (self.system.class_of(id) != class || ends(id) == (part, part))
            };
            self.fires.iter().map(may).collect()
        };
        for (number, part) in settling.parts.iter().enumerate() {
            let mut inhabited = self.inhabited.clone();
            inhabited.push(part_of.iter().filter(|(_, of)| **of == Some(number)).map(|(id, _)| id).collect());
            let fires = within(Some(number));
            let inside = fires.iter().filter(|(id, fires)| **fires && self.system.class_of(*id) == class);
            let mut moving = self.moving.clone();
            moving.push(inside.map(|(id, _)| id).collect());
            Self { fires, moving, inhabited, depth: self.depth + 1, ..self.clone() }.check(&part.stays)?;
        }
        Self { fires: within(None), depth: self.depth + 1, ..self.clone() }.check(&settling.elsewhere)
    }

    /// Where others are in the long run says where hubs are, and that where processes are.
    fn apart(&self, apart: &Apart) -> Result<(), Broken> {
        self.is_not_too_deep()?;
        let mut fires = self.fires.clone();
        let stays = self.company.stays(self.system, &self.inhabited);
        for limit in &apart.limits {
            let (hub, class) = (self.single(&limit.hub)?, self.single(&limit.class)?);
            let places = self.company.hub(self.system, hub, &stays);
            let places = places.unwrap_or_else(|| self.company.atlas().anywhere(hub));
            let met = self.company.met(self.system, (hub, &places), class, &stays);
            let met = met.ok_or_else(|| Broken::Strangers(limit.class.clone()))?;
            for (id, transition) in self.system.transitions.iter() {
                fires[id] &= self.system.class_of(id) != class
                    || self.company.atlas().has(&met, Some(transition.source));
            }
        }
        Self { fires, depth: self.depth + 1, ..self.clone() }.check(&apart.rest)
    }

    fn with(&self, fires: IdMap<TransitionId, bool>, crossed: Option<Vec<TransitionId>>) -> Self {
        let mut case = Self { fires, depth: self.depth + 1, ..self.clone() };
        case.crossed.push(crossed);
        case
    }

    const fn is_not_too_deep(&self) -> Result<(), Broken> {
        if self.depth >= MOST_NESTED { Err(Broken::TooDeep(MOST_NESTED)) } else { Ok(()) }
    }

    /// From a queue that keeps order nothing is received in the long run, or everything that is
    /// sent to it.
    fn delivery(&self, delivery: &Delivery) -> Result<(), Broken> {
        self.is_not_too_deep()?;
        let buffer = self.ordered(&delivery.buffer)?;
        let named = self.messages(buffer, &delivery.messages)?;
        let of_buffer = |message: MessageId| self.system.messages[message].buffer == buffer;
        let of_named = |message: MessageId| named[message];
        let reading = self.firing(Direction::Receive, &of_buffer);
        let receiving = self.firing(Direction::Receive, &of_named);
        let sending = self.firing(Direction::Send, &of_named);
        self.with(self.without(&reading), None).check(&delivery.unread)?;
        let silent = self.without(&receiving.iter().chain(&sending).copied().collect::<Vec<_>>());
        self.with(silent, Some(reading)).check(&delivery.unsent)?;
        self.with(self.fires.clone(), Some(receiving)).check(&delivery.delivered)
    }

    /// The transitions that may fire and send messages of some types, or receive some.
    fn firing(&self, direction: Direction, messages: &dyn Fn(MessageId) -> bool) -> Vec<TransitionId> {
        self.system.with_events(direction, messages).filter(|id| self.fires[*id]).collect()
    }

    /// What may fire but for these.
    fn without(&self, transitions: &[TransitionId]) -> IdMap<TransitionId, bool> {
        let mut fires = self.fires.clone();
        transitions.iter().for_each(|&id| fires[id] = false);
        fires
    }

    /// Transitions that leave the states fire finitely often, so in a fair run nobody is there in
    /// the long run.
    fn departure(&self, departure: &Departure) -> Result<(), Broken> {
        if !matches!(self.goal, Goal::EachStepFalls { fair: true }) {
            return Err(Broken::NotFair);
        }
        self.is_not_too_deep()?;
        let left = self.ready_states(&departure.left)?;
        let potential =
            Potential::of(self.system, self.names, &departure.messages, &departure.data, &departure.states)?;
        let leaves = |id| left[self.system.transitions[id].source];
        self.falls(&potential, leaves)?;
        let Some(rest) = &departure.rest else {
            let inhabited = self.inhabited.iter().any(|states| states.iter().all(|state| left[*state]));
            return if inhabited || self.never_empty(&left) { Ok(()) } else { Err(Broken::NobodyThere) };
        };
        let stays_away = |(id, fires): (TransitionId, &bool)| {
            let transition = &self.system.transitions[id];
            *fires && !leaves(id) && self.enters(transition, &left) == 0
        };
        let fires = self.fires.iter().map(stays_away).collect();
        Self { fires, depth: self.depth + 1, ..self.clone() }.check(rest)
    }

    /// How many instances a transition puts at one of the states.
    fn enters(&self, transition: &Transition, states: &IdMap<StateId, bool>) -> usize {
        let created = transition.creates.iter().filter(|class| states[self.system.classes[**class].initial]);
        created.count() + usize::from(states[transition.target])
    }

    /// Whether there is an instance at one of the states all the time: at the start, and whenever
    /// one leaves. Instances do not vanish from states that are always ready.
    fn never_empty(&self, states: &IdMap<StateId, bool>) -> bool {
        let mut classes = self.system.classes.values();
        let mut leaving = self.system.transitions.values().filter(|transition| states[transition.source]);
        classes.any(|class| class.instances > 0 && states[class.initial])
            && leaving.all(|transition| self.enters(transition, states) > 0)
    }

    /// States that are always ready.
    fn ready_states(&self, names: &[String]) -> Result<IdMap<StateId, bool>, Broken> {
        let mut states = IdMap::filled(false, self.system.states.len());
        for name in names {
            let state = *self.names.states.get(name).ok_or_else(|| Broken::UnknownState(name.clone()))?;
            if !self.system.states[state].always_ready {
                return Err(Broken::NotReady(name.clone()));
            }
            states[state] = true;
        }
        Ok(states)
    }

    /// A class that has one instance at most, in every run.
    fn single(&self, name: &str) -> Result<ClassId, Broken> {
        let found = self.system.classes.iter().find(|(_, class)| class.name == name);
        let (id, _) = found.ok_or_else(|| Broken::UnknownClass(name.into()))?;
        if self.company.single()[id] { Ok(id) } else { Err(Broken::SeveralInstances(name.into())) }
    }

    /// A queue that keeps order.
    fn ordered(&self, name: &str) -> Result<BufferId, Broken> {
        let id = *self.names.buffers.get(name).ok_or_else(|| Broken::UnknownBuffer(name.into()))?;
        if self.system.keeps_order(id) { Ok(id) } else { Err(Broken::OutOfOrder(name.into())) }
    }

    /// The message types of a delivery, all of one buffer.
    fn messages(&self, buffer: BufferId, names: &[String]) -> Result<IdMap<MessageId, bool>, Broken> {
        let mut named = IdMap::filled(false, self.system.messages.len());
        for name in names {
            let found = self.names.messages.get(name).ok_or_else(|| Broken::UnknownMessage(name.clone()))?;
            if self.system.messages[*found].buffer != buffer {
                return Err(Broken::OtherBuffer(name.clone()));
            }
            named[*found] = true;
        }
        Ok(named)
    }

    /// The states of a cut, all of one class.
    fn states(&self, class: ClassId, names: &[String]) -> Result<IdMap<StateId, bool>, Broken> {
        let mut inside = IdMap::filled(false, self.system.states.len());
        for name in names {
            let state = *self.names.states.get(name).ok_or_else(|| Broken::UnknownState(name.clone()))?;
            if self.system.states[state].class != class {
                return Err(Broken::OtherClass(name.clone()));
            }
            inside[state] = true;
        }
        Ok(inside)
    }
}
