//! Registers: variables as processes of their own, whose states are the values (theory: value
//! tracking).
//!
//! A process that reads or writes such a variable synchronises with its register by rendezvous.
//! That keeps the values of variables separate from the locations of processes: a table of ten
//! elements has ten small registers, whereas its process would have a state for each combination of
//! their values. `docs/soundness/abstraction.md`, *Registers*, has the argument.

mod system;

use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;

use cfsm_core::program::{Action, EdgeId, Program, Type, VariableId, VariableRef};
use cfsm_core::system::{BufferId, ClassId, MessageId};

use crate::contexts::{ContextId, Move, NodeId, NodeRef};
use crate::counters::{Declared, declared};
use crate::data::Ground;
use crate::layout::Cells;
use crate::numbers::ValueSet;
use crate::step::Effect;

/// Largest number of values of a register.
const VALUES: usize = 8;

/// Largest number of elements of an array with registers.
const ELEMENTS: u32 = 64;

/// Largest number of combinations of register values that are considered for one statement; beyond
/// it, the values of some read registers are left open.
const COMBINATIONS: usize = 64;

/// A register of a system: a class with one instance. Each of its states represents a value and has
/// its name.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Register {
    /// Its class.
    pub class: ClassId,
    /// The rendezvous channel by which other processes read and write it.
    pub buffer: BufferId,
    /// The class whose local the variable is, which has one instance in any run; `None` for a
    /// global.
    pub owner: Option<ClassId>,
    /// The variable.
    pub variable: VariableRef,
    /// The element, if it is an array.
    pub element: Option<u32>,
}

/// The effect of a statement on a register: the value before, if the statement depends on it, and
/// the value after.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Change {
    before: Option<i64>,
    behind: i64,
}

/// A variable, or an element of an array, that has a register.
#[derive(Clone, Debug)]
struct Holder {
    /// The class whose local it is.
    class: Option<ClassId>,
    variable: VariableId,
    element: Option<u32>,
    /// The initial value.
    initial: i64,
    /// All values that it may have.
    values: BTreeSet<i64>,
    /// All changes by statements.
    changes: BTreeSet<Change>,
}

/// One of the alternatives into which registers split the execution of a statement.
#[derive(Clone, Debug)]
pub(crate) struct Variant {
    /// The effect of the statement.
    pub(crate) effect: Effect,
    /// The nodes that it leads to.
    pub(crate) targets: Vec<NodeId>,
    /// The changes of registers, by their indices.
    changes: Vec<(usize, Change)>,
}

impl Variant {
    /// The only alternative of a statement that accesses no register.
    pub(crate) fn plain(step: &Move) -> Self {
        Self { effect: step.effect.clone(), targets: step.targets.clone(), changes: Vec::new() }
    }
}

/// The registers of a system.
#[derive(Debug, Default)]
pub(crate) struct Registers {
    all: Vec<Holder>,
    /// The channel of each.
    buffers: Vec<BufferId>,
    /// The message type of each change of each register.
    messages: BTreeMap<(usize, Change), MessageId>,
}

/// A register as seen in the states of a context.
#[derive(Clone, Copy, Debug)]
struct Seen {
    /// Its index.
    register: usize,
    /// Its cell.
    position: usize,
}

/// The registers that a statement accesses.
#[derive(Debug, Default)]
struct Met {
    /// The registers that it certainly reads.
    read: Vec<Seen>,
    /// The registers that it writes; one of several if the index is not known.
    written: Vec<Seen>,
    is_certain: bool,
}

/// The result of a statement for given values of registers.
#[derive(Clone, Debug, PartialEq)]
struct Outcome {
    effect: Effect,
    targets: Vec<NodeId>,
    /// The values that the written register may have afterwards.
    behind: Option<Vec<i64>>,
}

/// The index of a variable that cannot have a register: it may have too many values, or something
/// other than a number.
struct Unfit(usize);

impl Registers {
    /// Creates the requested registers, as far as possible: for variables that only assignments
    /// write, that exist once in any run, and that have few values and a known initial one.
    pub(crate) fn new(ground: Ground<'_>, asked: &BTreeSet<Declared>) -> Self {
        let mut registers = Self::default();
        for &declared in asked.iter().filter(|declared| may_have_registers(ground.program, **declared)) {
            registers.all.extend(declared_registers(ground, declared));
        }
        let mut moves = registers.moves(ground);
        while !registers.all.is_empty() {
            match registers.settle(ground, &moves) {
                Ok(true) => {}
                Ok(false) => break,
                Err(Unfit(register)) => {
                    registers.all.remove(register);
                    moves = registers.moves(ground);
                }
            }
        }
        registers
    }

    /// The moves that access registers.
    fn moves<'a>(&self, ground: Ground<'a>) -> Vec<(NodeRef, &'a Move)> {
        let contexts = ground.analysis.contexts.ids();
        let moves = contexts.flat_map(|context| {
            ground.moves(context).map(move |(node, step)| (NodeRef { context, node }, step))
        });
        moves.filter(|(at, step)| self.met(ground, *at, step.edge).is_some()).collect()
    }

    /// Visits all moves once. Returns `true` if new values or changes were found.
    fn settle(&mut self, ground: Ground<'_>, moves: &[(NodeRef, &Move)]) -> Result<bool, Unfit> {
        let mut is_news = false;
        for register in &mut self.all {
            register.changes.clear();
        }
        for (at, step) in moves {
            let variants = self.tell_apart(ground, *at, step)?;
            for (number, change) in variants.iter().flatten().flat_map(|variant| &variant.changes) {
                let register = &mut self.all[*number];
                register.changes.insert(*change);
                is_news |= register.values.insert(change.behind);
                if register.values.len() > VALUES {
                    return Err(Unfit(*number));
                }
            }
        }
        Ok(is_news)
    }

    /// The alternatives of a statement; `None` if it accesses no register.
    pub(crate) fn variants(&self, ground: Ground<'_>, at: NodeRef, step: &Move) -> Option<Vec<Variant>> {
        // `new` has removed all unfit registers.
        self.tell_apart(ground, at, step).ok().flatten()
    }

    fn tell_apart(
        &self,
        ground: Ground<'_>,
        at: NodeRef,
        step: &Move,
    ) -> Result<Option<Vec<Variant>>, Unfit> {
        let Some(met) = self.met(ground, at, step.edge) else { return Ok(None) };
        let mut variants = Vec::new();
        let writes: Vec<Option<Seen>> = match met.written.len() {
            0 => vec![None],
            _ => met.written.iter().copied().map(Some).collect(),
        };
        for written in writes {
            let read = met.read.iter().filter(|read| written.is_none_or(|w| w.position != read.position));
            let mut seen: Vec<Seen> = written.iter().chain(read).copied().collect();
            let cells = &ground.analysis.contexts[at.context].nodes[at.node].cells;
            let ways =
                |seen: &[Seen]| seen.iter().map(|seen| self.possible(*seen, cells).len()).product::<usize>();
            while seen.len() > usize::from(written.is_some()) && ways(&seen) > COMBINATIONS {
                seen.pop();
            }
            variants.extend(self.combined(ground, at, step, &seen, written)?);
        }
        Ok(Some(variants))
    }

    /// The values that a register may have at a node.
    fn possible(&self, seen: Seen, cells: &Cells) -> Vec<i64> {
        let held = &cells[seen.position].numbers;
        self.all[seen.register].values.iter().copied().filter(|value| held.contains(*value)).collect()
    }

    /// The variants for all combinations of register values; the first register is the written one,
    /// if there is one. Combinations with the same outcome are merged.
    fn combined(
        &self,
        ground: Ground<'_>,
        at: NodeRef,
        step: &Move,
        seen: &[Seen],
        written: Option<Seen>,
    ) -> Result<Vec<Variant>, Unfit> {
        let cells = &ground.analysis.contexts[at.context].nodes[at.node].cells;
        let mut outcomes: Vec<(Vec<Option<i64>>, Option<Outcome>)> = Vec::new();
        for combination in combinations(seen.iter().map(|seen| self.possible(*seen, cells))) {
            let mut cells = cells.clone();
            for (seen, value) in seen.iter().zip(&combination) {
                cells[seen.position] = Rc::new(ValueSet::of(*value).into());
            }
            let outcome = outcome(ground, at, step, &cells, written)?;
            outcomes.push((combination.into_iter().map(Some).collect(), outcome));
        }
        for column in 0..seen.len() {
            outcomes = without_difference(outcomes, column);
        }
        let mut variants = Vec::new();
        for (combination, outcome) in outcomes {
            let Some(Outcome { effect, targets, behind }) = outcome else { continue };
            let reads = seen.iter().zip(&combination).skip(usize::from(written.is_some()));
            let kept = reads.filter_map(|(seen, value)| {
                value.map(|value| (seen.register, Change { before: Some(value), behind: value }))
            });
            let kept: Vec<(usize, Change)> = kept.collect();
            match (written, behind) {
                (Some(written), Some(behind)) => variants.extend(behind.into_iter().map(|behind| {
                    let change = (written.register, Change { before: combination[0], behind });
                    let changes = std::iter::once(change).chain(kept.iter().copied()).collect();
                    Variant { effect: effect.clone(), targets: targets.clone(), changes }
                })),
                _ => variants.push(Variant { effect, targets, changes: kept }),
            }
        }
        Ok(variants)
    }

    /// The registers that a statement accesses; `None` if there are none. A read whose element is
    /// uncertain, or in a statement of another kind, is not split by registers.
    fn met(&self, ground: Ground<'_>, at: NodeRef, edge: EdgeId) -> Option<Met> {
        let NodeRef { context, node } = at;
        let analysis = ground.analysis;
        let known = &analysis.contexts[context];
        let action = &ground.program.types[known.process_type].edges[edge].action;
        let others = match action {
            Action::Condition(_) | Action::Assign { .. } | Action::Send { .. } => Vec::new(),
            Action::Else => analysis.alternatives(known.process_type, edge),
            _ => return None,
        };
        let conditions: Vec<Action> =
            others.into_iter().map(|other| Action::Condition(other.clone())).collect();
        let view = analysis.view(known, &known.nodes[node].cells);
        let mut met = Met { is_certain: true, ..Met::default() };
        for target in action.targets() {
            let touched = view.touched(target);
            met.is_certain = touched.certain;
            met.written.extend(self.seen(ground, context, target.variable, &touched.cells));
        }
        let places = conditions.iter().chain([action]).flat_map(Action::places);
        let reads =
            places.filter(|place| !action.targets().iter().any(|target| std::ptr::eq(*target, *place)));
        for place in reads {
            let touched = view.touched(place);
            if touched.certain {
                met.read.extend(self.seen(ground, context, place.variable, &touched.cells));
            }
        }
        met.read.sort_unstable_by_key(|seen| seen.position);
        met.read.dedup_by_key(|seen| seen.position);
        (!met.read.is_empty() || !met.written.is_empty()).then_some(met)
    }

    /// The registers of some cells of a variable.
    fn seen(
        &self,
        ground: Ground<'_>,
        context: ContextId,
        variable: VariableRef,
        cells: &[usize],
    ) -> Vec<Seen> {
        let (class, id) = match variable {
            VariableRef::Global(id) => (None, id),
            VariableRef::Local(id) => (Some(ground.grouping.class_of[context]), id),
        };
        let Some(first) = ground.analysis.position(context, variable) else { return Vec::new() };
        let own = self.all.iter().enumerate();
        let own = own.filter(|(_, register)| register.class == class && register.variable == id);
        let seen = own.map(|(number, register)| Seen {
            register: number,
            position: first + register.element.unwrap_or_default() as usize,
        });
        seen.filter(|seen| cells.contains(&seen.position)).collect()
    }
}

/// The result of a statement in a state; `None` if it cannot be executed there.
fn outcome(
    ground: Ground<'_>,
    at: NodeRef,
    step: &Move,
    cells: &Cells,
    written: Option<Seen>,
) -> Result<Option<Outcome>, Unfit> {
    let analysis = ground.analysis;
    let known = &analysis.contexts[at.context];
    let mut steps = analysis.executed(at.context, step.edge, cells);
    assert!(steps.len() < 2, "what meets registers is done in one way at most");
    let Some(done) = steps.pop() else { return Ok(None) };
    let behind = match written {
        None => None,
        Some(written) => {
            let held = &done.cells[written.position];
            let numbers = held.numbers.values().filter(|_| held.channels.is_empty());
            Some(numbers.ok_or(Unfit(written.register))?.to_vec())
        }
    };
    let unfolded = &analysis.unfolded[known.process_type];
    let shared = analysis.layout.frames[known.process_type].shared();
    // Other processes may write a shared variable before the target is reached.
    let fits = |target: &&NodeId| {
        let mut told = unfolded.iter().zip(&known.nodes[**target].key);
        told.all(|(unfolded, value)| {
            let position = unfolded.position();
            value.is_none_or(|value| {
                shared.contains(&position) || done.cells[position].numbers.contains(value)
            })
        })
    };
    let targets: Vec<NodeId> = step.targets.iter().filter(fits).copied().collect();
    Ok((!targets.is_empty()).then_some(Outcome { effect: done.effect, targets, behind }))
}

/// The Cartesian product.
fn combinations(choices: impl Iterator<Item = Vec<i64>>) -> Vec<Vec<i64>> {
    choices.fold(vec![Vec::new()], |all, values| {
        let longer = all.iter().flat_map(|known| {
            values.iter().map(move |value| known.iter().copied().chain([*value]).collect())
        });
        longer.collect()
    })
}

/// Merges the outcomes for all values of one register, if the outcome does not depend on it.
fn without_difference(
    outcomes: Vec<(Vec<Option<i64>>, Option<Outcome>)>,
    column: usize,
) -> Vec<(Vec<Option<i64>>, Option<Outcome>)> {
    let mut apart: BTreeMap<Vec<Option<i64>>, Option<Outcome>> = BTreeMap::new();
    for (combination, outcome) in &outcomes {
        let mut rest = combination.clone();
        rest[column] = None;
        if apart.entry(rest).or_insert_with(|| outcome.clone()) != outcome {
            return outcomes;
        }
    }
    apart.into_iter().collect()
}

/// Returns `true` if a variable may have [registers](crate::Precision::registers), judging by its
/// statements: only assignments write it, and it holds numbers. Time linear in the program.
#[must_use]
pub fn may_have_registers(program: &Program, (owner, variable): Declared) -> bool {
    let place = match owner {
        None => VariableRef::Global(variable),
        Some(_) => VariableRef::Local(variable),
    };
    let types = program.types.iter().filter(|(id, _)| owner.is_none_or(|owner| owner == *id));
    let mut actions = types.flat_map(|(_, ty)| ty.edges.values()).map(|edge| &edge.action);
    let writes_otherwise = |action: &Action| match action {
        Action::Assign { .. } => false,
        Action::Opaque { .. } => true,
        _ => action.targets().iter().any(|target| target.variable == place),
    };
    declared(program, (owner, variable)).ty != Type::Channel && !actions.any(writes_otherwise)
}

/// The registers of a variable: one for each element, in each class that has at most one instance.
fn declared_registers(ground: Ground<'_>, (owner, variable): Declared) -> Vec<Holder> {
    let analysis = ground.analysis;
    let (block, starts) = match owner {
        None => {
            let block = &analysis.layout.globals[variable];
            (block, vec![(None, analysis.start[block.all()].to_vec())])
        }
        Some(owner) => {
            let block = &analysis.layout.frames[owner].locals[variable];
            let groups = ground.grouping.groups.iter();
            let single = groups.filter(|(_, group)| group.process_type == owner && group.number.is_some());
            let starts = single.filter_map(|(class, group)| {
                let [context] = group.contexts[..] else { return None };
                let cells = analysis.entry(context, &analysis.around(context));
                Some((Some(class), cells[block.all()].to_vec()))
            });
            (block, starts.collect())
        }
    };
    if !block.is_exact() || block.counter.is_some() || block.length.is_some_and(|length| length > ELEMENTS) {
        return Vec::new();
    }
    let of_class = |(class, cells): (Option<ClassId>, Cells)| {
        let all = (0..).zip(cells).filter_map(move |(element, cell)| {
            let initial = cell.numbers.single().filter(|_| cell.channels.is_empty())?;
            Some(Holder {
                class,
                variable,
                element: block.length.map(|_| element),
                initial,
                values: BTreeSet::from([initial]),
                changes: BTreeSet::new(),
            })
        });
        all.collect::<Vec<Holder>>()
    };
    starts.into_iter().flat_map(of_class).collect()
}
