//! The fixpoint of the value analysis: all contexts, the values that variables may hold at their
//! nodes, and the messages that are sent.
//!
//! Within a context the analysis follows the control flow. Values that other contexts may write to
//! a global are joined into the state of every node at which those contexts may step
//! (thread-modular, without regard to their order). In between, inside `atomic` and `d_step`, a
//! state holds what the process itself knows.
//!
//! All stored facts only grow, in chains that `widening` keeps finite; the numbers of nodes per
//! context and of contexts per type are limited. So the fixpoint iteration terminates. One visit of
//! a node takes time `O(edges * frame)`; a node is visited again when its state has grown.

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
use crate::private_queue::{Shared, candidates};
use crate::traffic::Traffic;
use crate::unfolding::{Unfolded, unfolded};
use crate::value_relevance::ValueRelevance;
use crate::waiting::{has_priorities, leaving, waiting};
use crate::widening::Widening;
use crate::{Error, Options};

/// The places at which the analysis must be coarser than in its first attempt. Each entry was added
/// when the analysis hit a limit there, and the analysis was then started again.
#[derive(Clone, Debug, Default)]
pub(crate) struct Coarseness {
    /// Create statements at which the recursion limit was hit: they create their own ancestors too
    /// often.
    pub(crate) recursive: BTreeSet<(ProcessTypeId, EdgeId)>,
    /// Types with too many contexts.
    pub(crate) crowded: BTreeSet<ProcessTypeId>,
    /// Types with loops that create an unlimited number of processes, so that unfolding them does
    /// not help.
    pub(crate) endless: BTreeSet<ProcessTypeId>,
    /// Types whose variables are not unfolded.
    pub(crate) folded: BTreeSet<ProcessTypeId>,
    /// Queues that are not private to one process, although the syntactic check took them for
    /// private.
    pub(crate) shared: Shared,
}

/// A limit that the analysis has hit.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Coarser {
    /// The recursion limit of a create statement.
    Recursion(ProcessTypeId, EdgeId),
    /// The limit on contexts of a type; the flag is `true` if the limit on contexts with a creator
    /// that was itself created was hit.
    Crowd(ProcessTypeId, bool),
    /// Loops of the type, although unfolded, create an unlimited number of processes.
    Endless(ProcessTypeId),
    /// The limit on nodes of a context of the type.
    Nodes(ProcessTypeId),
    /// Another process uses a queue that was taken for private to its process.
    Shared(ProcessTypeId, VariableId),
    /// The limit on visits of nodes, which no coarser analysis would avoid.
    Visits,
    /// The deadline has passed.
    Late,
}

/// The state of the value analysis, during the fixpoint iteration and after it.
#[derive(Clone, Debug)]
pub(crate) struct Analysis<'a> {
    pub(crate) program: &'a Program,
    pub(crate) options: &'a Options,
    pub(crate) layout: Layout,
    pub(crate) widening: Widening,
    /// The values of globals at the start.
    pub(crate) start: Rc<Cells>,
    /// The unfolded variables of each process type.
    pub(crate) unfolded: IdMap<ProcessTypeId, Vec<Unfolded>>,
    pub(crate) leaving: IdMap<ProcessTypeId, IdMap<LocationId, Rc<[EdgeId]>>>,
    /// Locations at which a process may have to wait.
    pub(crate) waiting: IdMap<ProcessTypeId, IdMap<LocationId, bool>>,
    /// Number of observer processes (claims) that Spin counts among the processes.
    pub(crate) observers: i64,
    /// The references that may outlive their queues, according to the contexts found so far.
    pub(crate) reuse: Reuse,
    /// `true` for each context that has at most one instance, as computed by the last round.
    pub(crate) singles: IdMap<ContextId, bool>,
    /// The values that contexts write to globals.
    pub(crate) interference: Interference,
    /// Worklist of the contexts that have to be visited again.
    pub(crate) dirty: BTreeSet<ContextId>,
    /// All channel objects.
    pub(crate) objects: Objects,
    /// All messages that are sent.
    pub(crate) traffic: Traffic,
    /// All contexts.
    pub(crate) contexts: Contexts,
    /// The limits hit so far.
    pub(crate) coarseness: Coarseness,
    /// Number of node visits so far.
    pub(crate) visits: usize,
}

/// Analyses a valid program.
pub(crate) fn analyse<'a>(program: &'a Program, options: &'a Options) -> Result<Analysis<'a>, Error> {
    analyse_further(program, options, None, Coarseness::default(), 0)
}

/// Runs the analysis until no limit is hit. It starts with the given relevance of values,
/// coarseness and number of visits already made; after each limit the analysis starts again,
/// coarser.
fn analyse_further<'a>(
    program: &'a Program,
    options: &'a Options,
    mut relevance: Option<ValueRelevance>,
    mut coarseness: Coarseness,
    mut visits: usize,
) -> Result<Analysis<'a>, Error> {
    loop {
        let mut analysis = Analysis::new(program, options, relevance.as_ref(), coarseness);
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
                // The layout of cells changes, so the relevance of values is invalid: no variable
                // is lazily tracked any more.
                relevance = None;
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
    /// Analyses the program again with the same coarseness, and distinguishes the values of lazily
    /// tracked variables at the places where they are relevant.
    pub(crate) fn carrying(&self, relevance: ValueRelevance) -> Result<Self, Error> {
        analyse_further(self.program, self.options, Some(relevance), self.coarseness.clone(), self.visits)
    }

    fn new(
        program: &'a Program,
        options: &'a Options,
        relevance: Option<&ValueRelevance>,
        coarseness: Coarseness,
    ) -> Self {
        let uses = uses(program);
        let layout = lay_out(program, &uses, &candidates(program, &coarseness.shared), options);
        let mut objects = Objects::new();
        let declared = initial::declare_all(program, &mut objects, None);
        let start = Rc::new(initial::globals(program, &layout, &declared, options.values));
        let unfolded = unfolded(program, &layout, &uses, &options.precision, relevance, &coarseness);
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

    /// Visits contexts until a fixpoint is reached.
    fn run(&mut self) -> Result<(), Coarser> {
        loop {
            // In rounds, so that a context takes in the changes of many others at once.
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

    /// Recomputes which references may outlive their queues.
    fn look_for_reuse(&mut self) {
        let ends = |id: ContextId| {
            let context = &self.contexts[id];
            context.reaches(self.program.types[context.process_type].exit)
        };
        // A context with unknown references may use any queue. Queues of created processes are
        // therefore news to it; they are among those of `coming`.
        let reuse = Reuse::of(&self.objects, &self.contexts, ends, &singles(&self.contexts));
        if reuse != self.reuse {
            self.reuse = reuse;
            self.dirty.extend(self.contexts.ids());
            self.contexts.iter_mut().for_each(|(_, context)| context.news += 1);
        }
    }

    /// Recomputes the facts that depend on all contexts. Returns `true` if some contexts have to be
    /// visited again.
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

    /// Returns `true` if a run may have more than one instance of the context.
    pub(crate) fn several(&self, context: ContextId) -> bool {
        !self.singles[context]
    }

    /// Returns `true` if a reached node has a statement that satisfies the predicate.
    fn reaches(&self, ask: impl Fn(&Action, &View<'_>) -> bool) -> bool {
        self.contexts.values().any(|context| {
            context.nodes.values().into_iter().any(|node| {
                let process = &self.program.types[context.process_type];
                let leaving = &self.leaving[context.process_type][node.location];
                leaving.iter().any(|&edge| ask(&process.edges[edge].action, &self.view(context, &node.cells)))
            })
        })
    }

    /// Returns `true` if a statement may use the channel 0, which does not exist.
    pub(crate) fn uses_no_channel(&self) -> bool {
        self.reaches(|action, view| match action {
            Action::Send { channel, .. } | Action::Receive { channel, .. } => {
                evaluate(channel, view).may_be_zero()
            }
            _ => false,
        })
    }

    /// Returns `true` if a statement may read a message of a rendezvous channel without receiving
    /// it.
    pub(crate) fn peeks_at_a_rendezvous(&self) -> bool {
        let stored = |object: &ObjectId| self.objects[*object].shape.capacity > 0;
        self.reaches(|action, view| match action {
            Action::Receive { channel, peek: true, .. } => {
                !denoted(&self.objects, &evaluate(channel, view)).iter().all(stored)
            }
            _ => false,
        })
    }

    /// The position of a variable's first cell in the states of a context; `None` for a global that
    /// is not part of the frame.
    pub(crate) fn position(&self, context: ContextId, variable: VariableRef) -> Option<usize> {
        let frame = &self.layout.frames[self.contexts[context].process_type];
        match variable {
            VariableRef::Global(id) => frame.globals.get(&id).copied(),
            VariableRef::Local(id) => Some(frame.locals[id].start),
        }
    }

    /// The view that a process of a context has in a state, for the evaluation of expressions.
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

/// A statement as executed at a node of a context.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Site {
    /// The context.
    pub(crate) context: ContextId,
    /// The node.
    pub(crate) node: NodeId,
    /// The statement, an edge of the context's type.
    pub(crate) edge: EdgeId,
}
