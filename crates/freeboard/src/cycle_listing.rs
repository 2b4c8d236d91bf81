//! The elementary cycles of a system, per process class.

use std::collections::BTreeSet;
use std::ops::ControlFlow as Flow;

use cfsm_core::system::{ClassId, Effect, System, TransitionId};
use cycles::{End, Enumeration};
use ilp_encode::{ControlFlow, control_flow_graphs};
use report::view::{CYCLES_SCHEMA, CycleListing, Gain, ProcessCycles, Step, step};
use serde::ser::{Serialize, SerializeSeq, Serializer};

/// What to say of the cycles.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Detail {
    /// Their number.
    #[default]
    Count,
    /// Their steps.
    List,
    /// Their different effects.
    Effects,
}

/// The elementary cycles of each process class of a system, up to `limit` in all; `file` is what
/// the user calls the system.
///
/// Classes with several instances count once. There can be exponentially many cycles; time is
/// linear in those that are looked at, times the size of their class, where for [`Detail::Count`]
/// those along the same states are looked at once. With [`Detail::List`] all of them are kept;
/// [`list_cycles_lazily`] keeps none. Without a limit counting stops at `usize::MAX`, for each
/// class and in all, and the result is not complete.
#[must_use]
pub fn list_cycles(system: &System, file: &str, detail: Detail, limit: Option<usize>) -> CycleListing {
    listing(system, file, limit, |class, most| match detail {
        Detail::Count => class.summary(class.count(most)),
        Detail::List => {
            let mut list = Vec::new();
            let number = class.visit(most, |steps| {
                list.push(steps.iter().map(|&position| class.steps[position].clone()).collect());
                Flow::Continue(())
            });
            ProcessCycles { list: Some(list), ..class.summary(number) }
        }
        Detail::Effects => {
            let mut effects = BTreeSet::new();
            let number = class.visit(most, |steps| {
                effects.insert(class.effect(steps));
                Flow::Continue(())
            });
            let effects = effects.iter().map(|effect| vector(system, effect)).collect();
            ProcessCycles { effects: Some(effects), ..class.summary(number) }
        }
    })
}

/// The same document as with [`Detail::List`], of which no cycle is kept: they are counted now, and
/// found while the document is serialized.
///
/// Time: that of counting, and once more that of listing whenever it is serialized. Memory: linear
/// in the system.
#[must_use]
pub fn list_cycles_lazily<'a>(
    system: &'a System,
    file: &str,
    limit: Option<usize>,
) -> CycleListing<LazyCycles<'a>> {
    listing(system, file, limit, |class, most| {
        let summary = class.summary(class.count(most));
        ProcessCycles { list: Some(LazyCycles { class, most }), ..summary }
    })
}

/// A listing with an entry for each class, which is told how many cycles it may have.
fn listing<'a, L>(
    system: &'a System,
    file: &str,
    limit: Option<usize>,
    mut of_class: impl FnMut(ClassCycles<'a>, usize) -> ProcessCycles<L>,
) -> CycleListing<L> {
    let (mut total, mut complete, mut processes) = (0_usize, true, Vec::new());
    for class in cycles_of(system) {
        let most = limit.map_or(usize::MAX, |limit| limit - total);
        let process = of_class(class, most);
        let sum = total.checked_add(process.cycles);
        complete &= process.complete && sum.is_some();
        total = sum.unwrap_or(usize::MAX);
        processes.push(process);
    }
    CycleListing { schema: CYCLES_SCHEMA.into(), file: file.into(), processes, total, complete }
}

/// The classes of a system, to ask for their cycles. Time linear in the system.
#[must_use]
pub fn cycles_of(system: &System) -> Vec<ClassCycles<'_>> {
    let graphs = control_flow_graphs(system);
    let of_class = |(class, graph): (_, &ControlFlow)| ClassCycles {
        system,
        class,
        graph: graph.clone(),
        steps: graph.transitions.iter().map(|&id| step(system, id)).collect(),
    };
    graphs.iter().map(of_class).collect()
}

/// The elementary cycles of a process class, which are found whenever somebody asks for them.
#[derive(Clone, Debug)]
pub struct ClassCycles<'a> {
    system: &'a System,
    class: ClassId,
    graph: ControlFlow,
    steps: Vec<Step>,
}

impl ClassCycles<'_> {
    /// The steps of the class, on cycles or not.
    #[must_use]
    pub fn steps(&self) -> &[Step] {
        &self.steps
    }

    /// What is known of the class without its cycles, and a number of them with whether these are
    /// all.
    #[must_use]
    pub fn summary<L>(&self, (cycles, complete): (usize, bool)) -> ProcessCycles<L> {
        ProcessCycles {
            name: self.system.classes[self.class].name.clone(),
            states: self.graph.multigraph.vertex_count(),
            transitions: self.steps.len(),
            cycles,
            complete,
            list: None,
            effects: None,
        }
    }

    /// The number of the cycles, but none beyond `most`, and whether these are all. Cycles along
    /// the same states are looked at once.
    #[must_use]
    pub fn count(&self, most: usize) -> (usize, bool) {
        let (count, end) = Enumeration::of(&self.graph.multigraph).count(most as u128);
        (usize::try_from(count.cycles).unwrap_or(most), end == End::Complete)
    }

    /// Visits the cycles, each as positions in [`steps`](Self::steps), but none beyond `most` and
    /// none behind one at which the visitor breaks off. Returns how many were visited, and whether
    /// these are all.
    pub fn visit(&self, most: usize, mut visit: impl FnMut(&[usize]) -> Flow<()>) -> (usize, bool) {
        let mut positions = Vec::new();
        let summary = Enumeration::of(&self.graph.multigraph).max_cycles(most as u64).for_each(|edges| {
            positions.clear();
            positions.extend(edges.iter().map(|edge| edge.index()));
            visit(&positions)
        });
        (usize::try_from(summary.cycles).unwrap_or(most), summary.end == End::Complete)
    }

    fn effect(&self, steps: &[usize]) -> Effect {
        let transitions = steps.iter().map(|&position| self.graph.transitions[position]);
        let effect = |id: TransitionId| self.system.transitions[id].effect().entries().to_vec();
        transitions.flat_map(effect).collect()
    }
}

/// The list of a class's cycles, found while it is serialized.
#[derive(Clone, Debug)]
pub struct LazyCycles<'a> {
    class: ClassCycles<'a>,
    /// No more than that.
    most: usize,
}

impl Serialize for LazyCycles<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut list = serializer.serialize_seq(None)?;
        let mut failure = None;
        let _ = self.class.visit(self.most, |steps| {
            let cycle: Vec<&Step> = steps.iter().map(|&position| &self.class.steps[position]).collect();
            match list.serialize_element(&cycle) {
                Ok(()) => Flow::Continue(()),
                Err(error) => {
                    failure = Some(error);
                    Flow::Break(())
                }
            }
        });
        match failure {
            Some(error) => Err(error),
            None => list.end(),
        }
    }
}

fn vector(system: &System, effect: &Effect) -> Vec<Gain> {
    let gain =
        |&(message, count): &(_, i64)| Gain { message: system.message_name(message), count: count.into() };
    effect.entries().iter().map(gain).collect()
}
