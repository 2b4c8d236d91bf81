//! The fixpoint: all contexts, what variables may hold at their nodes, and what is sent.
//!
//! Within a context the analysis follows the control flow. What other contexts may write into a
//! global is joined into the state of every node at which they may step (thread-modular, not
//! looking at their order); in between, inside `atomic` and `d_step`, a state holds what the
//! process itself knows.
//!
//! All that is kept only grows, in chains that `widening` keeps finite; the nodes of a context and
//! the contexts of a type are limited. So the work comes to an end. One visit of a node takes time
//! `O(edges * frame)`; a node is visited again when its state has grown.

use std::collections::BTreeSet;
use std::rc::Rc;

use cfsm_core::ids::IdMap;
use cfsm_core::program::{
    Action, Claim, EdgeId, LocationId, Observer, ProcessTypeId, Program, VariableId, VariableRef,
};

use crate::channels::{ObjectId, Objects, Reuse, denoted};
use crate::contexts::{Birth, Context, ContextId, Contexts, NodeId, singles};
use crate::evaluate::{View, evaluate};
use crate::initial;
use crate::interference::Interference;
use crate::layout::{Cells, Layout, lay_out, uses};
use crate::matter::Matter;
use crate::private_queue::{Shared, candidates};
use crate::traffic::Traffic;
use crate::unfolding::{Unfolded, unfolded};
use crate::waiting::{has_priorities, leaving, waiting};
use crate::widening::Widening;
use crate::{Error, Options};

/// Where the analysis has to be coarser than it was tried; found out on the way, by running into a
/// limit.
#[derive(Clone, Debug, Default)]
pub(crate) struct Coarseness {
    /// Create statements that lead back to themselves too often.
    pub(crate) recursive: BTreeSet<(ProcessTypeId, EdgeId)>,
    /// Types with too many contexts.
    pub(crate) crowded: BTreeSet<ProcessTypeId>,
    /// Types with loops that create processes for ever, so that it would not help to unfold them.
    pub(crate) endless: BTreeSet<ProcessTypeId>,
    /// Types in which nothing is unfolded.
    pub(crate) folded: BTreeSet<ProcessTypeId>,
    /// Queues that are not private to their processes, though it seemed so.
    pub(crate) shared: Shared,
}

/// A limit that was hit.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Coarser {
    /// A create statement leads back to itself too often.
    Recursion(ProcessTypeId, EdgeId),
    /// A type has too many contexts; whether those are too many whose creators have been created.
    Crowd(ProcessTypeId, bool),
    /// Processes are created for ever in a loop that was unfolded.
    Endless(ProcessTypeId),
    /// A context has too many nodes.
    Nodes(ProcessTypeId),
    /// Somebody else speaks to a queue that has been taken for private.
    Shared(ProcessTypeId, VariableId),
    /// It takes too long, however coarse.
    Visits,
    /// It has to stop.
    Late,
}

/// The analysis, while it grows and when it is done.
#[derive(Clone, Debug)]
pub(crate) struct Analysis<'a> {
    pub(crate) program: &'a Program,
    pub(crate) options: &'a Options,
    pub(crate) layout: Layout,
    pub(crate) widening: Widening,
    /// What globals hold at the start.
    pub(crate) start: Rc<Cells>,
    /// What is unfolded, per type.
    pub(crate) unfolded: IdMap<ProcessTypeId, Vec<Unfolded>>,
    pub(crate) leaving: IdMap<ProcessTypeId, IdMap<LocationId, Rc<[EdgeId]>>>,
    /// Locations at which a process may have to wait.
    pub(crate) waiting: IdMap<ProcessTypeId, IdMap<LocationId, bool>>,
    /// Processes that observe, and that Spin counts.
    pub(crate) observers: i64,
    /// Which references may outlive their queues, as of the contexts so far.
    pub(crate) reuse: Reuse,
    /// For each context, whether it has one instance at most, as of the last time of asking.
    pub(crate) singles: IdMap<ContextId, bool>,
    /// What contexts write into globals.
    pub(crate) interference: Interference,
    /// Contexts to be followed again.
    pub(crate) dirty: BTreeSet<ContextId>,
    /// All channel objects.
    pub(crate) objects: Objects,
    /// All that is sent.
    pub(crate) traffic: Traffic,
    /// All contexts.
    pub(crate) contexts: Contexts,
    /// Where it had to be coarser.
    pub(crate) coarseness: Coarseness,
    /// How often nodes were visited.
    pub(crate) visits: usize,
}

/// Analyses a valid program.
pub(crate) fn analyse<'a>(program: &'a Program, options: &'a Options) -> Result<Analysis<'a>, Error> {
    analyse_further(program, options, (None, Coarseness::default(), 0))
}

/// The analysis with what is known of where values matter, not finer than it was found that it can
/// be, after some visits.
fn analyse_further<'a>(
    program: &'a Program,
    options: &'a Options,
    (mut matter, mut coarseness, mut visits): (Option<Matter>, Coarseness, usize),
) -> Result<Analysis<'a>, Error> {
    loop {
        let mut analysis = Analysis::new(program, options, matter.as_ref(), coarseness);
        analysis.visits = visits;
        let result = analysis.run();
        visits = analysis.visits;
        let Err(limit) = result else {
            return Ok(analysis);
        };
        // Each limit is hit once per type or statement at most.
        coarseness = analysis.coarseness;
        match limit {
            Coarser::Recursion(process_type, edge) => coarseness.recursive.insert((process_type, edge)),
            Coarser::Crowd(process_type, descendants) => {
                if !descendants {
                    coarseness.folded.extend(creators(program, process_type));
                }
                coarseness.crowded.insert(process_type)
            }
            Coarser::Endless(process_type) => coarseness.endless.insert(process_type),
            Coarser::Nodes(process_type) => coarseness.folded.insert(process_type),
            Coarser::Shared(process_type, variable) => {
                // Cells stand elsewhere now; nothing is carried then.
                matter = None;
                coarseness.shared.insert((process_type, variable))
            }
            Coarser::Visits => return Err(Error::TooManyVisits { limit: options.visits }),
            Coarser::Late => return Err(Error::TooLate),
        };
    }
}

/// The types that create processes of a type.
fn creators(program: &Program, created: ProcessTypeId) -> impl Iterator<Item = ProcessTypeId> {
    let creates = move |action: &Action| matches!(action, Action::Create { process_type, .. } if *process_type == created);
    let types = program.types.iter();
    types
        .filter(move |(_, process)| process.edges.values().into_iter().any(|edge| creates(&edge.action)))
        .map(|(id, _)| id)
}

impl<'a> Analysis<'a> {
    /// The same, with variables that are carried told apart where they matter.
    pub(crate) fn carrying(&self, matter: Matter) -> Result<Self, Error> {
        analyse_further(self.program, self.options, (Some(matter), self.coarseness.clone(), self.visits))
    }

    fn new(
        program: &'a Program,
        options: &'a Options,
        matter: Option<&Matter>,
        coarseness: Coarseness,
    ) -> Self {
        let uses = uses(program);
        let layout = lay_out(program, &uses, &candidates(program, &coarseness.shared), options);
        let mut objects = Objects::new();
        let declared = initial::declare_all(program, &mut objects, None);
        let start = Rc::new(initial::globals(program, &layout, &declared, options.values));
        let unfolded = unfolded(program, &layout, &uses, (&options.precision, matter), &coarseness);
        let counted = |claim: &Claim| {
            matches!(claim, Claim::Ltl { .. } | Claim::Observer { kind: Observer::Never, .. })
        };
        let prioritised = has_priorities(program);
        let mut analysis = Self {
            program,
            options,
            widening: Widening::of(program, options.values),
            start,
            unfolded,
            leaving: program.types.values().map(leaving).collect(),
            waiting: program.types.values().map(|process| waiting(process, prioritised)).collect(),
            observers: program.claims.iter().any(counted).into(),
            reuse: Reuse::default(),
            singles: IdMap::new(),
            interference: Interference::new(layout.global_cells),
            layout,
            dirty: BTreeSet::new(),
            traffic: Traffic::default(),
            objects,
            contexts: Contexts::new(),
            coarseness,
            visits: 0,
        };
        analysis.traffic.extend_to(analysis.objects.len());
        analysis.add_initial();
        analysis
    }

    /// [`Error::TooLate`] after the deadline.
    pub(crate) fn in_time(&self) -> Result<(), Error> {
        if self.options.deadline.is_over() { Err(Error::TooLate) } else { Ok(()) }
    }

    /// Works until nothing changes.
    fn run(&mut self) -> Result<(), Coarser> {
        loop {
            // In rounds, so that news from many contexts are taken in at once.
            for context in self.dirty.clone() {
                self.dirty.remove(&context);
                self.follow(context)?;
            }
            self.look_for_reuse();
            if self.dirty.is_empty() && !self.settle()? {
                return Ok(());
            }
        }
    }

    /// Finds out again which references may outlive their queues.
    fn look_for_reuse(&mut self) {
        let ends = |id: ContextId| {
            let context = &self.contexts[id];
            context.reaches(self.program.types[context.process_type].exit)
        };
        // A queue of a created process is news to those who may speak to any queue; it is among
        // those coming.
        let reuse = Reuse::of(&self.objects, &self.contexts, ends);
        if reuse != self.reuse {
            self.reuse = reuse;
            self.dirty.extend(self.contexts.ids());
            self.contexts.iter_mut().for_each(|(_, context)| context.news += 1);
        }
    }

    /// Finds out again what rests on all contexts; whether that makes some of them dirty.
    fn settle(&mut self) -> Result<bool, Coarser> {
        let singles = singles(&self.contexts);
        let multiplied = self.contexts.iter().filter(|(id, context)| !singles[*id] && !context.shared);
        for (_, Context { birth, .. }) in multiplied {
            let Birth::Created { parent, .. } = *birth else { continue };
            let creator = self.contexts[parent].process_type;
            let unfolded = !self.unfolded[creator].is_empty() && !self.coarseness.endless.contains(&creator);
            if singles[parent] && unfolded {
                return Err(Coarser::Endless(creator));
            }
        }
        for (id, _) in singles.iter().filter(|(id, single)| self.singles[*id] != **single) {
            self.dirty.insert(id);
            self.contexts[id].news += 1;
        }
        self.singles = singles;
        Ok(!self.dirty.is_empty())
    }

    /// Whether a run may have more than one instance of a context.
    pub(crate) fn several(&self, context: ContextId) -> bool {
        !self.singles[context]
    }

    /// Whether there is a statement that is reached and as asked.
    fn reaches(&self, ask: impl Fn(&Action, &View<'_>) -> bool) -> bool {
        self.contexts.values().any(|context| {
            context.nodes.values().into_iter().any(|node| {
                let process = &self.program.types[context.process_type];
                let leaving = &self.leaving[context.process_type][node.location];
                leaving.iter().any(|&edge| ask(&process.edges[edge].action, &self.view(context, &node.cells)))
            })
        })
    }

    /// Whether a statement may use the channel 0, which does not exist.
    pub(crate) fn uses_no_channel(&self) -> bool {
        self.reaches(|action, view| match action {
            Action::Send { channel, .. } | Action::Receive { channel, .. } => {
                evaluate(channel, view).may_be_zero()
            }
            _ => false,
        })
    }

    /// Whether a statement may look at a message of a rendezvous without taking it.
    pub(crate) fn peeks_at_a_rendezvous(&self) -> bool {
        let stored = |object: &ObjectId| self.objects[*object].shape.capacity > 0;
        self.reaches(|action, view| match action {
            Action::Receive { channel, peek: true, .. } => {
                !denoted(&self.objects, &evaluate(channel, view)).iter().all(stored)
            }
            _ => false,
        })
    }

    /// Where a variable begins in the states of a context.
    pub(crate) fn position(&self, context: ContextId, variable: VariableRef) -> Option<usize> {
        let frame = &self.layout.frames[self.contexts[context].process_type];
        match variable {
            VariableRef::Global(id) => frame.globals.get(&id).copied(),
            VariableRef::Local(id) => Some(frame.locals[id].start),
        }
    }

    /// What a process of a context reads at a state.
    pub(crate) fn view<'v>(&'v self, context: &'v Context, cells: &'v Cells) -> View<'v> {
        View {
            layout: &self.layout,
            start: &self.start,
            frame: Some(&self.layout.frames[context.process_type]),
            cells,
            pid: &context.pid,
            observers: self.observers,
            limit: self.options.values,
        }
    }
}

/// The contexts in which a create statement is executed, by node.
pub(crate) type Site = (ContextId, NodeId, EdgeId);
