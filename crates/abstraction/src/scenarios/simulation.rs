//! Property test: the abstract system simulates every step of random runs of random programs.
//!
//! The image of an instance is the set of classes that it may belong to, that of a queue a set of
//! buffers, and that of each message in a queue a set of message types; a step keeps those for
//! which there is a transition. None of the sets may become empty.

use std::collections::{BTreeMap, BTreeSet};

use cfsm_core::ids::Id;
use cfsm_core::program::{
    Action, Binary, EdgeId, Expression, LocationId, Pattern, Place, ProcessTypeId, Program, Type, VariableRef,
};
use cfsm_core::system::{BufferId, ClassId, Direction, MessageId, TransitionId};

use super::machine::{Dice, Did, Machine};
use crate::testing::{
    ProcessBuilder, ProgramBuilder, assign, constant, element, global, process, receive_from, run, send_to,
};
use crate::{Abstraction, Options, abstract_program};

const PROGRAMS: u64 = 10_000;
const STEPS: usize = 300;
const INSTANCES: usize = 60;
const LINES: usize = 6;

/// The variables and types that a random process can name.
struct Names {
    numbers: Vec<VariableRef>,
    array: VariableRef,
    /// Channels of one byte.
    narrow: Vec<VariableRef>,
    /// An array of two channels of (channel, number).
    wide: VariableRef,
    workers: [ProcessTypeId; 2],
}

fn number(dice: &mut Dice, names: &Names) -> Expression {
    let small = i64::try_from(dice.roll(4)).unwrap();
    match dice.roll(7) {
        0 | 1 => constant(small),
        2 | 3 => global(dice.pick(&names.numbers)),
        4 => Expression::Read(element(names.array, constant(small))),
        5 => Expression::Binary(
            dice.pick(&[Binary::Add, Binary::Remainder, Binary::Equal, Binary::Less, Binary::And]),
            Box::new(number(dice, names)),
            Box::new(number(dice, names)),
        ),
        _ => Expression::Pid,
    }
}

fn wide(dice: &mut Dice, names: &Names) -> Expression {
    let index = number(dice, names);
    Expression::Read(element(names.wide, index))
}

fn pattern(dice: &mut Dice, names: &Names) -> Pattern {
    let place = match dice.roll(2) {
        0 => Place::scalar(dice.pick(&names.numbers)),
        _ => element(names.array, number(dice, names)),
    };
    match dice.roll(4) {
        0 => Pattern::Store(place),
        1 => Pattern::Any,
        _ => Pattern::Match(number(dice, names)),
    }
}

fn action(dice: &mut Dice, names: &Names) -> Action {
    let narrow = dice.pick(&names.narrow);
    match dice.roll(14) {
        0 => Action::Condition(number(dice, names)),
        1 => assign(dice.pick(&names.numbers), number(dice, names)),
        2 => Action::Assign { target: element(names.array, number(dice, names)), value: number(dice, names) },
        3 => assign(dice.pick(&names.narrow), global(narrow)),
        4 => send_to(global(narrow), vec![number(dice, names)]),
        5..8 => receive_from(global(narrow), vec![pattern(dice, names)]),
        8 | 9 => send_to(wide(dice, names), vec![global(narrow), number(dice, names)]),
        10..13 => {
            let first = match dice.roll(3) {
                0 => Pattern::Match(global(narrow)),
                _ => Pattern::Store(Place::scalar(narrow)),
            };
            let second = pattern(dice, names);
            receive_from(wide(dice, names), vec![first, second])
        }
        _ => run(dice.pick(&names.workers), vec![number(dice, names), global(narrow)]),
    }
}

fn fill(dice: &mut Dice, p: &mut ProcessBuilder, names: &Names) {
    for line in 1..LINES {
        for _ in 0..=dice.roll(3) {
            let target = match dice.roll(3) {
                0 => dice.roll(LINES),
                _ => line % (LINES - 1) + 1,
            };
            let action = action(dice, names);
            p.edge(line, action, target);
        }
    }
}

fn program(dice: &mut Dice) -> Program {
    let mut b = ProgramBuilder::new();
    let mut names = Names {
        numbers: vec![b.global("g", Type::Unsigned(2)), b.global("h", Type::Byte)],
        array: b.global_array("a", dice.pick(&[Type::Unsigned(2), Type::Bit]), 3),
        narrow: vec![
            b.channel("c", 1, &[dice.pick(&[Type::Byte, Type::Bit])]),
            b.channel("d", 1, &[Type::Unsigned(2)]),
            b.global("v", Type::Channel),
        ],
        wide: b.channels("w", 2, &[Type::Channel, Type::Byte]),
        workers: [1, 2].map(ProcessTypeId::new),
    };
    let globals = (names.numbers.len(), names.narrow.len());
    let mut p = process("P");
    names.numbers.push(p.local("x", Type::Byte));
    names.narrow.push(p.local_channel("own", &[Type::Byte]));
    fill(dice, &mut p, &names);
    b.active(p, u32::try_from(1 + dice.roll(2)).unwrap());
    for name in ["Worker", "Other"] {
        names.numbers.truncate(globals.0);
        names.narrow.truncate(globals.1);
        let mut worker = process(name);
        names.numbers.push(worker.parameter("n", Type::Byte));
        names.narrow.push(worker.parameter("to", Type::Channel));
        names.narrow.push(worker.local_channel("mine", &[Type::Byte]));
        fill(dice, &mut worker, &names);
        b.add(worker);
    }
    b.finish()
}

/// The image of a run in the abstract system.
struct Image<'a> {
    abstraction: &'a Abstraction,
    classes: Vec<BTreeSet<ClassId>>,
    buffers: BTreeMap<usize, BTreeSet<BufferId>>,
    messages: BTreeMap<(usize, Vec<i64>), BTreeSet<MessageId>>,
}

impl Image<'_> {
    fn transitions(
        &self,
        who: usize,
        ends: [(ProcessTypeId, LocationId); 2],
    ) -> impl Iterator<Item = TransitionId> + '_ {
        let Abstraction { system, locations, .. } = self.abstraction;
        let fits = move |id: &TransitionId| {
            let transition = &system.transitions[*id];
            [transition.source, transition.target].map(|state| locations[state]) == ends
                && self.classes[who].contains(&system.class_of(*id))
        };
        system.transitions.ids().filter(fits)
    }

    /// Restricts the image to the transitions that simulate a step. Returns `true` if there is one.
    fn follow(
        &mut self,
        machine: &Machine<'_>,
        who: usize,
        ends: [(ProcessTypeId, LocationId); 2],
        did: Did,
    ) -> bool {
        let system = &self.abstraction.system;
        let candidates: Vec<TransitionId> = self.transitions(who, ends).collect();
        let kept: Vec<TransitionId> = match did {
            Did::Nothing => candidates
                .into_iter()
                .filter(|id| {
                    system.transitions[*id].events.is_empty() && system.transitions[*id].creates.is_empty()
                })
                .collect(),
            Did::Created => {
                candidates.into_iter().filter(|id| system.transitions[*id].creates.len() == 1).collect()
            }
            Did::Sent(queue, message) => self.message(machine, candidates, Direction::Send, queue, message),
            Did::Received(queue, message) => {
                self.message(machine, candidates, Direction::Receive, queue, message)
            }
        };
        let system = &self.abstraction.system;
        self.classes[who] = kept.iter().map(|id| system.class_of(*id)).collect();
        if machine.instances.len() > self.classes.len() {
            let created = kept.iter().flat_map(|id| system.transitions[*id].creates.iter().copied());
            self.classes.push(created.collect());
        }
        !kept.is_empty()
    }

    /// Removes the instance and the queues that the machine has removed.
    fn forget(&mut self, machine: &Machine<'_>) {
        self.classes.truncate(machine.instances.len());
        self.buffers.retain(|queue, _| *queue < machine.queues.len());
        self.messages.retain(|(queue, _), _| *queue < machine.queues.len());
    }

    fn message(
        &mut self,
        machine: &Machine<'_>,
        candidates: Vec<TransitionId>,
        direction: Direction,
        queue: usize,
        message: Vec<i64>,
    ) -> Vec<TransitionId> {
        let Abstraction { system, declarations, .. } = self.abstraction;
        let origin = &machine.queues[queue];
        let buffers = self.buffers.entry(queue).or_insert_with(|| {
            let same = declarations.iter().filter(|(_, declaration)| {
                (declaration.process_type, declaration.variable, declaration.element)
                    == (origin.owner, origin.variable, origin.element)
            });
            same.map(|(id, _)| id).collect()
        });
        let messages =
            self.messages.entry((queue, message)).or_insert_with(|| system.messages.ids().collect());
        let event = |id: &TransitionId| system.transitions[*id].events.first().copied();
        let fits = |id: &TransitionId| {
            event(id).is_some_and(|event| {
                event.direction == direction
                    && messages.contains(&event.message)
                    && buffers.contains(&system.messages[event.message].buffer)
            })
        };
        let kept: Vec<TransitionId> = candidates.into_iter().filter(fits).collect();
        *messages = kept.iter().filter_map(event).map(|event| event.message).collect();
        *buffers = messages.iter().map(|&message| system.messages[message].buffer).collect();
        kept
    }
}

/// Runs a program once. Returns the numbers of checked steps: [others, sends, receives, creations].
fn check(program: &Program, abstraction: &Abstraction, dice: &mut Dice) -> [usize; 4] {
    let mut machine = Machine::new(program, dice.roll(2) == 0);
    let classes = machine.instances.iter().map(|instance| {
        let of_type = abstraction.process_types.iter().filter(|(class, process_type)| {
            **process_type == instance.process_type && abstraction.system.classes[*class].instances > 0
        });
        of_type.map(|(class, _)| class).collect()
    });
    let mut image = Image {
        abstraction,
        classes: classes.collect(),
        buffers: BTreeMap::new(),
        messages: BTreeMap::new(),
    };
    let mut checked = [0; 4];
    for _ in 0..STEPS {
        while machine.bury() {
            image.forget(&machine);
        }
        if machine.instances.is_empty() {
            break;
        }
        let who = dice.roll(machine.instances.len());
        let (process_type, at) = (machine.instances[who].process_type, machine.instances[who].at);
        let edges = program.types[process_type].edges.iter();
        let leaving: Vec<EdgeId> = edges.filter(|(_, edge)| edge.source == at).map(|(id, _)| id).collect();
        if leaving.is_empty() || machine.instances.len() > INSTANCES {
            continue;
        }
        let edge = dice.pick(&leaving);
        let action = &program.types[process_type].edges[edge].action;
        match machine.step(who, edge, dice) {
            Ok(Some(did)) => {
                let ends = [at, machine.instances[who].at].map(|location| (process_type, location));
                let kind = match did {
                    Did::Nothing => 0,
                    Did::Sent(..) => 1,
                    Did::Received(..) => 2,
                    Did::Created => 3,
                };
                let text = format!("{did:?}");
                assert!(
                    image.follow(&machine, who, ends, did),
                    "{text} by {action:?} has no image in\n{}\n{:#?}",
                    abstraction.outline(),
                    program
                );
                checked[kind] += 1;
            }
            Ok(None) => {}
            // An error while a message is being stored leaves the machine in between.
            Err(()) if matches!(action, Action::Receive { .. }) => break,
            Err(()) => {}
        }
    }
    checked
}

#[test]
fn every_step_of_a_run_has_its_image() {
    let mut checked = [0; 4];
    for seed in 0..PROGRAMS {
        let mut dice = Dice(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15));
        dice.roll(2);
        let program = program(&mut dice);
        // Small limits too, so that their effects are tested.
        let options = match seed % 3 {
            0 => Options::default(),
            1 => Options { values: 3, array_elements: 1, ..Options::default() },
            _ => Options {
                contexts_per_type: 2,
                descendants_per_type: 2,
                constants: 2,
                vectors: 3,
                ..Options::default()
            },
        };
        let abstraction = abstract_program(&program, &options).unwrap();
        for _ in 0..6 {
            let steps = check(&program, &abstraction, &mut dice);
            checked.iter_mut().zip(steps).for_each(|(all, new)| *all += new);
        }
    }
    let enough = checked.iter().all(|&steps| steps > 10_000);
    assert!(enough, "steps tried: {checked:?}");
}
