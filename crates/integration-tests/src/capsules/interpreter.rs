//! The meaning of the capsule model, as docs/reference/umlrt.md tells it, by interpretation.

use std::collections::{BTreeMap, VecDeque};

use cfsm_core::ids::Id;
use cfsm_core::program::{Binary, Unary};
use umlrt_front::model::{
    AttributeId, Block, CapsuleSystem, Class, Condition, InstanceId, Loop, Machine, MessageId, Node,
    PointKind, Recipient, Send, StateId, Step, TransitionId, Trigger, Value, ValueType,
};

use super::{Place, Queue, Runs, Seen, Waiting, queue_of};

/// Runs of a system of capsules.
pub struct Interpreter<'s> {
    system: &'s CapsuleSystem,
}

/// The whole system between two runs to completion, or in one.
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct World {
    machines: BTreeMap<InstanceId, Active>,
    queues: BTreeMap<Queue, VecDeque<Waiting>>,
    /// The values of variables that were changed.
    values: BTreeMap<(InstanceId, AttributeId), i64>,
}

/// A machine that was started.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
struct Active {
    leaf: StateId,
    history: BTreeMap<StateId, StateId>,
}

/// A run to completion of one instance on its way.
#[derive(Clone)]
struct Run {
    world: World,
    history: BTreeMap<StateId, StateId>,
    /// The last active state of the outermost graph.
    top: Option<StateId>,
    /// Neither entry code nor exit code is executed.
    quiet: bool,
}

/// How a block ends.
#[derive(Clone, Copy, PartialEq, Eq)]
enum End {
    Through,
    Break,
    Continue,
    Return,
}

/// A run behind a block.
struct After {
    run: Run,
    end: End,
}

/// The instance whose machine runs.
#[derive(Clone, Copy)]
struct Actor<'s> {
    instance: InstanceId,
    class: &'s Class,
    machine: &'s Machine,
    /// The message at hand.
    handled: Option<Waiting>,
}

impl<'s> Interpreter<'s> {
    /// The runs of a system.
    #[must_use]
    pub const fn new(system: &'s CapsuleSystem) -> Self {
        Self { system }
    }

    fn actors(&self) -> impl Iterator<Item = Actor<'s>> + use<'s> {
        let system = self.system;
        system.instances.iter().filter_map(move |(instance, known)| {
            let class = &system.classes[known.classes[0]];
            Some(Actor { instance, class, machine: class.machine.as_ref()?, handled: None })
        })
    }

    /// A message that waited in a queue arrives.
    fn receive(&self, actor: Actor<'s>, world: &World, waiting: Waiting) -> Vec<World> {
        let (place, message) = (waiting.place, MessageId::new(waiting.message));
        let actor = Actor { handled: Some(waiting), ..actor };
        let active = &world.machines[&actor.instance];
        let mut all = Vec::new();
        for level in levels(actor.machine, active.leaf) {
            let (mut unguarded, mut held, mut taken) = (false, false, Vec::new());
            for transition in level {
                let Trigger::Messages(events) = &actor.machine.transitions[transition].trigger else {
                    continue;
                };
                for event in
                    events.iter().filter(|event| event.port == place.port && event.message == message)
                {
                    let guarded = event.guard != Condition::True;
                    let values = match &event.guard {
                        Condition::When(value) => Some(evaluate(actor, world, value) != 0),
                        Condition::True => Some(true),
                        Condition::False => Some(false),
                        Condition::Free(_) => None,
                    };
                    if values != Some(false) {
                        taken.push((guarded, transition));
                    }
                    held |= guarded && values == Some(true);
                    unguarded |= !guarded;
                }
            }
            // Those without a guard are asked last.
            for (guarded, transition) in taken {
                if guarded || !held {
                    all.extend(self.take(actor, world, transition));
                }
            }
            if unguarded || held {
                return all;
            }
        }
        // No transition takes it, or no guard holds.
        all.push(world.clone());
        all
    }

    /// A transition out of the active leaf.
    fn take(&self, actor: Actor<'s>, world: &World, id: TransitionId) -> Vec<World> {
        let (machine, active) = (actor.machine, &world.machines[&actor.instance]);
        let transition = &machine.transitions[id];
        let quiet = matches!(transition.source, Node::Point(point)
            if matches!(machine.points[point].kind, PointKind::Transition { handler: true, .. }));
        let start = Run { world: world.clone(), history: active.history.clone(), top: None, quiet };
        let mut runs = vec![start];
        let mut at = Some(active.leaf);
        while let Some(state) = at.filter(|&state| transition.parent != Some(state)) {
            if !quiet {
                runs = self.code(actor, &machine.states[state].exit, runs);
            }
            at = machine.states[state].parent;
            for run in &mut runs {
                match at {
                    Some(parent) => {
                        run.history.insert(parent, state);
                    }
                    None => run.top = Some(state),
                }
            }
        }
        self.walk(actor, id, runs)
    }

    /// Along a transition and on to a leaf.
    fn walk(&self, actor: Actor<'s>, id: TransitionId, runs: Vec<Run>) -> Vec<World> {
        let machine = actor.machine;
        let transition = &machine.transitions[id];
        let runs = self.code(actor, &transition.action, runs);
        match transition.target {
            Node::State(state) => self.enter(actor, state, runs),
            Node::Choice(_) => self.branch(actor, transition.target, &runs),
            Node::Point(point) => {
                let known = &machine.points[point];
                let mut on = machine.transitions.iter().filter(|(_, on)| on.source == transition.target);
                match (known.kind, known.parent) {
                    (PointKind::Transition { .. }, Some(state)) => self.inside(actor, state, runs),
                    (PointKind::Transition { .. }, None) => {
                        let mut all = Vec::new();
                        for run in runs {
                            // Nothing is remembered behind exit points, in one reading: any state.
                            let outermost = machine.states.iter().filter(|(_, state)| state.parent.is_none());
                            let any = outermost.map(|(state, _)| state).collect();
                            for state in run.top.map_or(any, |top| vec![top]) {
                                all.extend(self.enter(actor, state, vec![run.clone()]));
                            }
                        }
                        all
                    }
                    (PointKind::Entry, state) => {
                        let state = state.expect("an entry point of a state");
                        let runs = self.code(actor, &machine.states[state].entry, runs);
                        match on.next() {
                            Some((on, _)) => self.walk(actor, on, runs),
                            None => self.inside(actor, state, runs),
                        }
                    }
                    (PointKind::Exit, state) => {
                        let state = state.expect("an exit point of a state");
                        let runs = self.code(actor, &machine.states[state].exit, runs);
                        let (on, _) = on.next().expect("a way on");
                        let mut both = runs.clone();
                        // Both readings: the state that is left here is remembered, or is not.
                        both.extend(runs.into_iter().map(|mut run| {
                            match machine.states[state].parent {
                                Some(parent) => {
                                    run.history.insert(parent, state);
                                }
                                None => run.top = Some(state),
                            }
                            run
                        }));
                        self.walk(actor, on, both)
                    }
                }
            }
            Node::Initial => unreachable!("nothing leads to an initial point"),
        }
    }

    /// From a choice point on: any branch whose condition may hold, or the one without a condition.
    fn branch(&self, actor: Actor<'s>, choice: Node, runs: &[Run]) -> Vec<World> {
        let machine = actor.machine;
        let branches = || machine.transitions.iter().filter(|(_, on)| on.source == choice);
        let certain = branches().any(|(_, on)| on.trigger == Trigger::Branch(Condition::True));
        let mut all = Vec::new();
        for run in runs {
            let held = |condition: &Condition| match condition {
                Condition::When(value) => evaluate(actor, &run.world, value) != 0,
                _ => false,
            };
            let any = branches().any(|(_, on)| matches!(&on.trigger, Trigger::Branch(asked) if held(asked)));
            for (on, known) in branches() {
                let possible = match &known.trigger {
                    Trigger::Branch(Condition::False) => false,
                    Trigger::Branch(Condition::True | Condition::Free(_)) => true,
                    Trigger::Branch(condition) => held(condition),
                    _ => !certain && !any,
                };
                if possible {
                    all.extend(self.walk(actor, on, vec![run.clone()]));
                }
            }
        }
        all
    }

    fn enter(&self, actor: Actor<'s>, state: StateId, runs: Vec<Run>) -> Vec<World> {
        let (quiet, loud): (Vec<Run>, Vec<Run>) = runs.into_iter().partition(|run| run.quiet);
        let mut runs = self.code(actor, &actor.machine.states[state].entry, loud);
        runs.extend(quiet);
        self.inside(actor, state, runs)
    }

    /// From a state whose entry code has been executed to a leaf.
    fn inside(&self, actor: Actor<'s>, state: StateId, runs: Vec<Run>) -> Vec<World> {
        let known = &actor.machine.states[state];
        let mut all = Vec::new();
        for mut run in runs {
            if !known.composite {
                let active = Active { leaf: state, history: run.history };
                run.world.machines.insert(actor.instance, active);
                all.push(run.world);
            } else if let Some(&last) = run.history.get(&state) {
                all.extend(self.enter(actor, last, vec![run]));
            } else {
                let initial = known.initial.expect("an initial transition");
                all.extend(self.walk(actor, initial, vec![run]));
            }
        }
        all
    }

    fn code(&self, actor: Actor<'s>, block: &Block, runs: Vec<Run>) -> Vec<Run> {
        let all = runs.into_iter().flat_map(|run| self.block(actor, block, run));
        all.map(|after| after.run).collect()
    }

    fn block(&self, actor: Actor<'s>, block: &Block, run: Run) -> Vec<After> {
        let mut all = vec![After { run, end: End::Through }];
        for step in block {
            let (going, gone): (Vec<After>, Vec<After>) =
                all.into_iter().partition(|after| after.end == End::Through);
            all = going.into_iter().flat_map(|after| self.step(actor, step, after.run)).collect();
            all.extend(gone);
        }
        all
    }

    fn step(&self, actor: Actor<'s>, step: &Step, run: Run) -> Vec<After> {
        let through = |run| After { run, end: End::Through };
        match step {
            Step::Send(send) => self.send(actor, send, run).into_iter().map(through).collect(),
            Step::Requeue => {
                let mut run = run;
                if let Some(handled) = actor.handled {
                    let queue = queue_of(self.system, handled.place);
                    run.world.queues.entry(queue).or_default().push_back(handled);
                }
                vec![through(run)]
            }
            // No generated system creates capsules.
            Step::Incarnate { .. } => vec![through(run)],
            Step::Choice(blocks) => {
                blocks.iter().flat_map(|block| self.block(actor, block, run.clone())).collect()
            }
            Step::Assign { variable, value } => {
                let mut run = run;
                let number = stored(actor.class.variables[*variable].ty, evaluate(actor, &run.world, value));
                run.world.values.insert((actor.instance, *variable), number);
                vec![through(run)]
            }
            Step::If { condition, then, otherwise } => {
                let mut all = Vec::new();
                for (possible, block) in [(&condition.holds, then), (&condition.fails, otherwise)] {
                    if evaluate(actor, &run.world, possible) != 0 {
                        all.extend(self.block(actor, block, run.clone()));
                    }
                }
                all
            }
            Step::Switch(block) => {
                let afters = self.block(actor, block, run).into_iter();
                afters.map(|after| if after.end == End::Break { through(after.run) } else { after }).collect()
            }
            Step::Loop(known) => self.rounds(actor, known, run),
            Step::Call(block) => {
                self.block(actor, block, run).into_iter().map(|after| through(after.run)).collect()
            }
            // Twice at most: enough to be told from once and never.
            Step::Repeat(block) => {
                let (mut open, mut all) = (vec![run], Vec::new());
                for round in 0..=2 {
                    all.extend(open.iter().cloned().map(through));
                    let rounds = open.into_iter().filter(|_| round < 2);
                    let afters: Vec<After> = rounds.flat_map(|run| self.block(actor, block, run)).collect();
                    open = Vec::new();
                    for after in afters {
                        match after.end {
                            End::Through | End::Continue => open.push(after.run),
                            End::Break => all.push(through(after.run)),
                            End::Return => all.push(after),
                        }
                    }
                }
                all
            }
            Step::Break => vec![After { run, end: End::Break }],
            Step::Continue => vec![After { run, end: End::Continue }],
            Step::Return => vec![After { run, end: End::Return }],
        }
    }

    /// A loop; one whose condition is not known runs twice at most.
    fn rounds(&self, actor: Actor<'s>, known: &Loop, run: Run) -> Vec<After> {
        let (mut open, mut all) = (vec![run], Vec::new());
        let mut round = 0;
        while !open.is_empty() {
            assert!(round < 100, "loops of tests end");
            let mut inside = Vec::new();
            for run in open {
                if round == 0 && known.body_first {
                    inside.push(run);
                    continue;
                }
                for run in self.code(actor, &known.before, vec![run]) {
                    let may = |value| evaluate(actor, &run.world, value) != 0;
                    if known.condition.as_ref().is_none_or(|condition| may(&condition.fails)) {
                        all.push(After { run: run.clone(), end: End::Through });
                    }
                    if known.condition.as_ref().map_or(round < 2, |condition| may(&condition.holds)) {
                        inside.push(run);
                    }
                }
            }
            open = Vec::new();
            for after in inside.into_iter().flat_map(|run| self.block(actor, &known.body, run)) {
                match after.end {
                    End::Through | End::Continue => {
                        open.extend(self.code(actor, &known.update, vec![after.run]));
                    }
                    End::Break => all.push(After { run: after.run, end: End::Through }),
                    End::Return => all.push(after),
                }
            }
            round += 1;
        }
        all
    }

    fn send(&self, actor: Actor<'s>, send: &Send, run: Run) -> Vec<Run> {
        let peers = &self.system.instances[actor.instance].peers[0][send.port];
        let put = |mut run: Run, index: usize| {
            let peer = &peers[index];
            let place = Place { instance: peer.instance, port: peer.port };
            let waiting = Waiting { place, message: send.message.index() };
            run.world.queues.entry(queue_of(self.system, place)).or_default().push_back(waiting);
            run
        };
        let indices = 0..peers.len();
        match send.recipient {
            _ if peers.is_empty() => vec![run],
            Recipient::All => vec![indices.fold(run, put)],
            Recipient::Some => indices.fold(vec![run], |runs, index| {
                let reached: Vec<Run> = runs.iter().cloned().map(|run| put(run, index)).collect();
                runs.into_iter().chain(reached).collect()
            }),
            Recipient::Index(_) | Recipient::Any => indices.map(|index| put(run.clone(), index)).collect(),
        }
    }
}

impl Runs for Interpreter<'_> {
    type State = World;

    fn initial(&self) -> World {
        World::default()
    }

    fn next(&self, world: &World) -> Vec<World> {
        let mut all = Vec::new();
        for actor in self.actors() {
            if !world.machines.contains_key(&actor.instance) {
                let history = BTreeMap::new();
                let run = Run { world: world.clone(), history, top: None, quiet: false };
                let initial = actor.machine.initial.expect("an initial transition");
                all.extend(self.walk(actor, initial, vec![run]));
            }
        }
        for (queue, waiting) in &world.queues {
            // Where messages may overtake each other, any of them comes next.
            let next = if self.system.overtaking { waiting.len() } else { 1 };
            for (position, &message) in waiting.iter().enumerate().take(next) {
                let actor = self.actors().find(|actor| actor.instance == message.place.instance);
                let started = |actor: &Actor<'_>| world.machines.contains_key(&actor.instance);
                let Some(actor) = actor.filter(started) else { continue };
                let mut taken = world.clone();
                if let Some(queue) = taken.queues.get_mut(queue) {
                    queue.remove(position);
                }
                all.extend(self.receive(actor, &taken, message));
            }
        }
        all.sort();
        all.dedup();
        all
    }

    fn seen(&self, world: &World) -> Seen {
        let leaves = world.machines.iter().map(|(&instance, active)| (instance, active.leaf)).collect();
        let filled = world.queues.iter().filter(|(_, queue)| !queue.is_empty());
        let all = |queue: &VecDeque<Waiting>| queue.iter().copied().collect();
        let queues = filled.map(|(&queue, waiting)| (queue, all(waiting))).collect();
        Seen { leaves, queues }.in_order(self.system)
    }
}

/// The number that a variable of a type holds after a number was stored in it.
pub(crate) fn stored(ty: ValueType, number: i64) -> i64 {
    match ty {
        ValueType::Boolean => i64::from(number != 0),
        ValueType::Byte => number.rem_euclid(256),
        ValueType::Word => number.rem_euclid(65_536),
        ValueType::Short => (number + 32_768).rem_euclid(65_536) - 32_768,
        ValueType::Unsigned => (number + 0x8000_0000).rem_euclid(0x1_0000_0000) - 0x8000_0000,
        ValueType::Int => i64::from(i32::try_from(number).expect("numbers of tests are small")),
    }
}

fn evaluate(actor: Actor<'_>, world: &World, value: &Value) -> i64 {
    value_of(value, &|variable| {
        let changed = world.values.get(&(actor.instance, variable));
        changed.copied().unwrap_or(actor.class.variables[variable].initial)
    })
}

/// The value of an expression, by those of the variables in it.
pub(crate) fn value_of(value: &Value, read: &dyn Fn(AttributeId) -> i64) -> i64 {
    let inner = |value: &Value| value_of(value, read);
    match value {
        Value::Constant(number) => *number,
        Value::Read(variable) => read(*variable),
        Value::Unary(Unary::Negate, one) => -inner(one),
        Value::Unary(Unary::Not, one) => i64::from(inner(one) == 0),
        Value::Unary(Unary::Complement, one) => !inner(one),
        Value::Conditional(condition, then, otherwise) => {
            if inner(condition) == 0 {
                inner(otherwise)
            } else {
                inner(then)
            }
        }
        Value::Binary(Binary::And, one, other) => i64::from(inner(one) != 0 && inner(other) != 0),
        Value::Binary(Binary::Or, one, other) => i64::from(inner(one) != 0 || inner(other) != 0),
        Value::Binary(operator, one, other) => {
            let (one, other) = (inner(one), inner(other));
            match operator {
                Binary::Add => one + other,
                Binary::Subtract => one - other,
                Binary::Multiply => one * other,
                Binary::Divide => one / other,
                Binary::Remainder => one % other,
                Binary::Equal => i64::from(one == other),
                Binary::NotEqual => i64::from(one != other),
                Binary::Less => i64::from(one < other),
                Binary::LessEqual => i64::from(one <= other),
                Binary::Greater => i64::from(one > other),
                Binary::GreaterEqual => i64::from(one >= other),
                Binary::BitAnd => one & other,
                Binary::BitOr => one | other,
                Binary::BitXor => one ^ other,
                _ => panic!("tests have no {operator:?}"),
            }
        }
    }
}

/// The transitions that a leaf may take, from the inside to the outside.
fn levels(machine: &Machine, leaf: StateId) -> Vec<Vec<TransitionId>> {
    let mut all = Vec::new();
    let mut at = Some(leaf);
    while let Some(state) = at {
        let from = |wanted: &dyn Fn(Node) -> bool| {
            let all = machine.transitions.iter().filter(|(_, transition)| wanted(transition.source));
            all.map(|(id, _)| id).collect::<Vec<_>>()
        };
        at = machine.states[state].parent;
        let on_border = |source, of: Option<StateId>, wanted: bool| match source {
            Node::Point(point) => {
                let point = &machine.points[point];
                point.parent == of
                    && matches!(point.kind, PointKind::Transition { inside, .. } if inside == wanted)
            }
            _ => false,
        };
        all.push(from(&|source| source == Node::State(state) || on_border(source, Some(state), true)));
        all.push(from(&|source| on_border(source, at, false)));
    }
    all
}
