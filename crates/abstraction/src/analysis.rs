//! The fixpoint: all contexts, what variables may hold at their locations, and what is sent.
//!
//! Within a context the analysis follows the control flow; between contexts it does not look at order:
//! what a context may write into a global anywhere, every other may read everywhere (and it itself too,
//! if it has several instances). All that is kept only grows and has a top, so rounds over all contexts
//! come to an end. A round takes time `O(edges * cells)` per change of a state; a cell changes at most
//! (limit on sets + channel objects) times.

use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;

use cfsm_core::ids::{Id, IdMap};
use cfsm_core::program::{EdgeId, LocationId, ProcessTypeId, Program};

use crate::Options;
use crate::channels::{Objects, Reuse};
use crate::contexts::{Birth, Context, ContextId, Contexts, Loops, recursion, several};
use crate::evaluate::View;
use crate::initial::{self, Declared};
use crate::layout::{Cells, Layout, lay_out};
use crate::step::{Deed, Sends, Step, World, step};
use crate::values::Value;

/// The analysis, while it grows and when it is done.
#[derive(Debug)]
pub(crate) struct Analysis<'a> {
    program: &'a Program,
    options: &'a Options,
    layout: Layout,
    loops: Loops,
    start: Cells,
    leaving: IdMap<ProcessTypeId, IdMap<LocationId, Vec<EdgeId>>>,
    /// Which references may outlive their queues, as of the contexts so far.
    reuse: Reuse,
    /// All channel objects.
    pub(crate) objects: Objects,
    /// All that is sent.
    pub(crate) sends: Sends,
    /// All contexts.
    pub(crate) contexts: Contexts,
    /// Types of which some contexts had to be thrown together because there were too many.
    pub(crate) merged: BTreeSet<ProcessTypeId>,
}

/// Analyses a valid program.
pub(crate) fn analyse<'a>(program: &'a Program, options: &'a Options) -> Analysis<'a> {
    let layout = lay_out(program, options.array_elements);
    let mut objects = Objects::new();
    let declared = initial::declare_all(program, &mut objects, None);
    let start = initial::globals(program, &layout, &declared, options.values);
    let mut analysis = Analysis {
        program,
        options,
        loops: Loops::of(program),
        start,
        leaving: program.types.values().map(leaving).collect(),
        layout,
        sends: Sends::filled(BTreeMap::new(), objects.len()),
        objects,
        reuse: Reuse::default(),
        contexts: Contexts::new(),
        merged: BTreeSet::new(),
    };
    for initial in program.initial.iter().filter(|initial| initial.count > 0) {
        let parameters = program.types[initial.process_type].parameters;
        let zeros = vec![Value::zero(); parameters];
        analysis.add(initial.process_type, Birth::Initial(initial.count), zeros);
    }
    while analysis.round() {}
    analysis
}

fn leaving(process: &cfsm_core::program::ProcessType) -> IdMap<LocationId, Vec<EdgeId>> {
    let mut leaving = IdMap::filled(Vec::new(), process.locations.len());
    for (id, edge) in process.edges.iter() {
        leaving[edge.source].push(id);
    }
    leaving
}

impl Analysis<'_> {
    /// Whether a run may have more than one instance of a context.
    pub(crate) fn several(&self, context: ContextId) -> bool {
        several(&self.contexts, &self.loops, context)
    }

    /// All edges that instances of a context may execute, with what they may do, in edge order.
    pub(crate) fn steps(&self, context: ContextId) -> Vec<(EdgeId, Deed)> {
        let Context { process_type, states, .. } = &self.contexts[context];
        let outside = self.outside(context);
        let edges = self.program.types[*process_type].edges.iter();
        edges
            .filter_map(|(id, edge)| {
                let cells = states[edge.source].as_ref()?;
                self.step(*process_type, id, cells, &outside).map(|step| (id, step.deed))
            })
            .collect()
    }

    /// Goes over all contexts once; whether anything has changed.
    fn round(&mut self) -> bool {
        let mut changed = false;
        // What this adds to values depends on what has changed before, so there is a round behind it.
        let ends = |id: ContextId| {
            let context = &self.contexts[id];
            context.states[self.program.types[context.process_type].exit].is_some()
        };
        self.reuse = Reuse::of(&self.objects, &self.contexts, ends);
        let mut next = 0;
        while next < self.contexts.len() {
            changed |= self.follow(ContextId::new(next));
            next += 1;
        }
        changed
    }

    /// Follows the control flow of one context; whether anything has changed.
    fn follow(&mut self, id: ContextId) -> bool {
        let process_type = self.contexts[id].process_type;
        let outside = self.outside(id);
        let entry = self.entry(id, &outside);
        let mut changed = self.reach(id, self.program.types[process_type].entry, &entry);
        let states = self.contexts[id].states.iter();
        let mut waiting: BTreeSet<LocationId> =
            states.filter(|(_, state)| state.is_some()).map(|(location, _)| location).collect();
        while let Some(location) = waiting.pop_first() {
            let Some(cells) = self.contexts[id].states[location].clone() else {
                continue;
            };
            for at in 0..self.leaving[process_type][location].len() {
                let edge = self.leaving[process_type][location][at];
                let Some(step) = self.step(process_type, edge, &cells, &outside) else {
                    continue;
                };
                changed |= self.record(id, edge, &step);
                let target = self.program.types[process_type].edges[edge].target;
                if self.reach(id, target, &step.cells) {
                    changed = true;
                    waiting.insert(target);
                }
            }
        }
        changed
    }

    fn step(
        &self,
        process_type: ProcessTypeId,
        edge: EdgeId,
        cells: &Cells,
        outside: &[Value],
    ) -> Option<Step> {
        let (objects, sends, reuse) = (&self.objects, &self.sends, &self.reuse);
        let world = World { program: self.program, objects, sends, reuse };
        let view = View {
            layout: &self.layout,
            process_type: Some(process_type),
            cells,
            outside,
            limit: self.options.values,
        };
        step(&world, &view, &self.program.types[process_type].edges[edge].action)
    }

    /// What others may have written, for each cell of a global, seen from a context.
    fn outside(&self, id: ContextId) -> Vec<Value> {
        let mut outside = vec![Value::empty(); self.layout.global_cells];
        for (other, context) in self.contexts.iter() {
            if other != id || self.several(id) {
                for (all, written) in outside.iter_mut().zip(&context.assigned) {
                    grow(all, written, self.options.values);
                }
            }
        }
        outside
    }

    fn entry(&self, id: ContextId, outside: &[Value]) -> Cells {
        let context = &self.contexts[id];
        initial::entry(
            self.program,
            &self.layout,
            context.process_type,
            (&self.start, &context.arguments, &context.declared),
            outside,
            self.options.values,
        )
    }

    /// Joins a state into that of a location; whether that has grown.
    fn reach(&mut self, id: ContextId, location: LocationId, cells: &Cells) -> bool {
        let state = &mut self.contexts[id].states[location];
        match state {
            None => {
                *state = Some(cells.clone());
                true
            }
            Some(known) => join_cells(known, cells, self.options.values),
        }
    }

    /// Notes what a step does to the rest of the system; whether that is new.
    fn record(&mut self, id: ContextId, edge: EdgeId, step: &Step) -> bool {
        let limit = self.options.values;
        let mut changed = false;
        for (cell, value) in &step.written {
            changed |= grow(&mut self.contexts[id].assigned[*cell], value, limit);
        }
        match &step.deed {
            Deed::Nothing | Deed::Receive { .. } => {}
            Deed::Send(messages) => {
                for (object, fields) in messages {
                    // A message without fields has nothing that could grow.
                    changed |= !self.sends[*object].contains_key(&(id, edge));
                    let known = self.sends[*object]
                        .entry((id, edge))
                        .or_insert_with(|| vec![Value::empty(); fields.len()]);
                    for (known, field) in known.iter_mut().zip(fields) {
                        changed |= grow(known, field, limit);
                    }
                }
            }
            Deed::Create { process_type, arguments } => {
                changed |= self.create(id, edge, *process_type, arguments)
            }
        }
        changed
    }

    /// Notes that a context creates processes; whether that is new.
    fn create(
        &mut self,
        creator: ContextId,
        edge: EdgeId,
        process_type: ProcessTypeId,
        arguments: &[Value],
    ) -> bool {
        if let Some(&child) = self.contexts[creator].children.get(&edge) {
            return self.join_arguments(child, arguments);
        }
        let child = match self.known_context(creator, edge, process_type) {
            Some(child) => {
                self.contexts[child].shared = true;
                self.join_arguments(child, arguments);
                child
            }
            None => {
                let parent = creator;
                self.add(process_type, Birth::Created { parent, edge }, arguments.to_vec())
            }
        };
        self.contexts[creator].children.insert(edge, child);
        true
    }

    /// A context that a create statement must use again: because of recursion, or because the type has
    /// as many as are allowed.
    fn known_context(
        &mut self,
        creator: ContextId,
        edge: EdgeId,
        process_type: ProcessTypeId,
    ) -> Option<ContextId> {
        if let Some(known) = recursion(&self.contexts, creator, edge) {
            return Some(known);
        }
        let of_type = |context: &&Context| context.process_type == process_type;
        if self.contexts.values().filter(of_type).count() < self.options.contexts_per_type.max(1) {
            return None;
        }
        self.merged.insert(process_type);
        let mut all = self.contexts.iter().rev();
        all.find(|(_, context)| context.process_type == process_type).map(|(id, _)| id)
    }

    fn join_arguments(&mut self, id: ContextId, arguments: &[Value]) -> bool {
        let limit = self.options.values;
        let known = self.contexts[id].arguments.iter_mut().zip(arguments);
        known.fold(false, |changed, (known, new)| grow(known, new, limit) | changed)
    }

    fn add(&mut self, process_type: ProcessTypeId, birth: Birth, arguments: Vec<Value>) -> ContextId {
        let id = ContextId::new(self.contexts.len());
        let owner = Some((id, process_type));
        let declared: Declared = initial::declare_all(self.program, &mut self.objects, owner);
        while self.sends.len() < self.objects.len() {
            self.sends.push(BTreeMap::new());
        }
        let locations = self.program.types[process_type].locations.len();
        self.contexts.push(Context {
            process_type,
            birth,
            shared: false,
            arguments,
            declared,
            children: BTreeMap::new(),
            states: IdMap::filled(None, locations),
            assigned: vec![Value::empty(); self.layout.global_cells],
        })
    }
}

fn grow(known: &mut Value, new: &Value, limit: usize) -> bool {
    let grown = !known.includes(new);
    if grown {
        *known = known.join(new, limit);
    }
    grown
}

fn join_cells(known: &mut Cells, new: &Cells, limit: usize) -> bool {
    let mut grown = false;
    for (known, new) in known.iter_mut().zip(new) {
        if !Rc::ptr_eq(known, new) && !known.includes(new) {
            *known = known.join(new, limit).into();
            grown = true;
        }
    }
    grown
}
