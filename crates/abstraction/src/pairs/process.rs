//! One process of a pair: its node, the values of its observed cells, and its steps.

use std::cell::OnceCell;
use std::collections::BTreeSet;
use std::iter::repeat;
use std::ops::Range;
use std::rc::Rc;

use cfsm_core::ids::IdMap;
use cfsm_core::program::{Action, EdgeId, Expression, LocationId, Pattern, ProcessType, VariableRef};
use hashbrown::HashMap;

use super::alike::{Alike, AlikeTo, Known, LocalSketch, Sketch, Taken, Told, Touch, Values};
use super::processes::Followed;
use crate::analysis::Analysis;
use crate::channels::{ObjectId, denoted};
use crate::contexts::{ContextId, NodeId};
use crate::evaluate::{View, evaluate};
use crate::layout::Cells;
use crate::liveness::live;
use crate::numbers::ValueSet;
use crate::private_queue::PrivateQueue;
use crate::receive::received;
use crate::step::{Effect, Step, Transfer, TransferCtx, matches, stored, transfer};
use crate::traffic::{Party, Patterns};
use crate::unfolding::{Unfolded, split};
use crate::values::Value;

/// Largest number of values of one cell that are distinguished.
const VALUES: usize = 16;

/// Largest number of states that are distinguished after one step.
const COMBINATIONS: usize = 64;

/// A process state: a node with the values of the observed cells; `None` means the value set of the
/// fixpoint.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(super) struct Local {
    pub(super) node: NodeId,
    values: Values,
}

/// The effect of a step on the shared queue.
#[derive(Clone, Debug)]
pub(super) enum Share {
    /// Nothing.
    Nothing,
    /// It sends this message there.
    Sends(Rc<[Value]>),
}

/// A step of a process that does not receive from the shared queue.
#[derive(Debug)]
pub(super) struct LocalStep {
    pub(super) edge: EdgeId,
    pub(super) share: Share,
    /// The range of its target states in [`Successors`].
    to: Range<usize>,
}

/// The steps of a process in a state.
#[derive(Debug)]
pub(super) struct Successors<T> {
    /// `true` if it may receive from the shared queue.
    pub(super) waits: bool,
    /// The other steps.
    steps: Vec<LocalStep>,
    /// The target states of these steps.
    to: Vec<T>,
}

impl<T> Successors<T> {
    /// The steps that do not receive from the shared queue, with their target states.
    pub(super) fn steps(&self) -> impl Iterator<Item = (&LocalStep, &[T])> {
        self.steps.iter().map(|step| (step, &self.to[step.to.clone()]))
    }

    /// The same steps with another representation of the states.
    pub(super) fn map<U>(self, write: impl FnMut(T) -> U) -> Successors<U> {
        let Self { waits, steps, to } = self;
        Successors { waits, steps, to: to.into_iter().map(write).collect() }
    }
}

/// The fixpoint has too little information about a step, so that the exploration must be given up.
#[derive(Clone, Copy, Debug)]
pub(super) struct Lost;

/// An observed cell.
pub(super) struct Looked {
    pub(super) cell: usize,
    /// `true` for each location at which its value is live.
    live: IdMap<LocationId, bool>,
}

/// A receive statement.
struct Asking<'p> {
    patterns: &'p [Pattern],
    /// The values that it accepts in each field.
    wanted: Patterns,
    /// The private queue that it receives from, if any, and whether the message stays in the queue.
    private: Option<(&'p PrivateQueue, bool)>,
}

/// A process with a single instance.
pub(super) struct Process<'a> {
    analysis: &'a Analysis<'a>,
    context: ContextId,
    queue: ObjectId,
    looked: Vec<Looked>,
    /// For each statement, the observed cells that it accesses.
    touches: IdMap<EdgeId, Touch>,
    known: Known,
    /// Memoised target states of statements that receive a message, by its number, from the shared
    /// queue.
    receipts: HashMap<(Alike, usize), Rc<[LocalSketch]>>,
    /// A buffer that is reused for the keys of the memo table.
    common: Vec<Told>,
}

impl<'a> Process<'a> {
    /// The process of a context, for one queue and a set of observed cells of its own variables;
    /// `known` holds the memoised effects of its statements.
    pub(super) fn new(
        analysis: &'a Analysis<'a>,
        (context, queue): Followed,
        cells: &BTreeSet<usize>,
        known: Known,
    ) -> Self {
        let process_type = analysis.contexts[context].process_type;
        let process = &analysis.program.types[process_type];
        let frame = &analysis.layout.frames[process_type];
        let owner = |cell: usize| {
            let mut locals = frame.locals.iter();
            locals.find(|(_, block)| block.all().contains(&cell)).map(|(id, _)| VariableRef::Local(id))
        };
        let looked = cells.iter().map(|&cell| {
            let where_live = owner(cell).map(|owner| live(process, owner));
            let is_live = |at| where_live.as_ref().is_none_or(|live| live.contains(&at));
            Looked { cell, live: process.locations.ids().map(is_live).collect() }
        });
        let looked: Vec<Looked> = looked.collect();
        let touches = process.edges.ids().map(|edge| known.touch(edge, &looked)).collect();
        let (receipts, common) = (HashMap::new(), Vec::new());
        Self { analysis, context, queue, looked, touches, known, receipts, common }
    }

    /// The context and the queue.
    pub(super) const fn followed(&self) -> Followed {
        (self.context, self.queue)
    }

    /// Returns the memoised effects of its statements.
    pub(super) fn known(self) -> Known {
        self.known
    }

    fn process(&self) -> &'a ProcessType {
        &self.analysis.program.types[self.analysis.contexts[self.context].process_type]
    }

    fn party(&self) -> Party {
        Party { context: self.context, several: false }
    }

    fn unfolded(&self) -> &'a [Unfolded] {
        &self.analysis.unfolded[self.analysis.contexts[self.context].process_type]
    }

    /// The context in which a statement is executed.
    fn ctx(&self, edge: EdgeId) -> TransferCtx<'a> {
        let analysis = self.analysis;
        TransferCtx {
            program: analysis.program,
            objects: &analysis.objects,
            traffic: &analysis.traffic,
            reuse: &analysis.reuse,
            unfolded: self.unfolded(),
            target: self.process().edges[edge].target,
        }
    }

    fn view<'c>(&'c self, cells: &'c Cells) -> View<'c> {
        self.analysis.view(&self.analysis.contexts[self.context], cells)
    }

    /// The messages that it sends into the shared queue at any time.
    pub(super) fn sent(&self) -> Vec<Vec<Value>> {
        let sent = self.analysis.traffic.sent_by(self.queue, |context| context == self.context);
        sent.into_iter().cloned().collect()
    }

    /// The messages that processes other than these two send into the shared queue.
    pub(super) fn sent_by_third(&self, other: &Self) -> Vec<Vec<Value>> {
        let is_third = |context| context != self.context && context != other.context;
        self.analysis.traffic.sent_by(self.queue, is_third).into_iter().cloned().collect()
    }

    /// The abstract values of all cells in a state.
    pub(super) fn cells(&self, local: &Local) -> Cells {
        let mut cells = self.analysis.contexts[self.context].nodes[local.node].cells.clone();
        for (looked, value) in self.looked.iter().zip(&*local.values) {
            if let Some(value) = value {
                cells[looked.cell] = Value::from(ValueSet::of(*value)).into();
            }
        }
        cells
    }

    /// The initial states.
    pub(super) fn entry(&self) -> Result<Vec<Local>, Lost> {
        let around = self.analysis.around(self.context);
        let cells = self.analysis.entry(self.context, &around);
        // The entry is the first node.
        let Some(node) = self.analysis.contexts[self.context].nodes.ids().next() else { return Err(Lost) };
        // An instance whose initialisation fails may never begin; then nothing is known about it.
        let states = self.parts(node, &cells);
        if states.is_empty() { Err(Lost) } else { Ok(states) }
    }

    /// The states after a statement, given the values of cells there. If these are not included in
    /// the node at which the fixpoint had placed the result, the statement may have led to another
    /// node, and the exploration is lost.
    fn locals(&self, from: NodeId, edge: EdgeId, cells: Cells) -> Result<Vec<Local>, Lost> {
        let location = self.process().edges[edge].target;
        let context = &self.analysis.contexts[self.context];
        let mut all = Vec::new();
        for (key, cells) in split(cells, self.unfolded(), location, self.analysis.options.values) {
            let node = *context.index.get(&(location, key)).ok_or(Lost)?;
            let mut moves = context.nodes[from].moves.iter().filter(|step| step.edge == edge);
            let leads = moves.any(|step| step.targets.contains(&node));
            let mut known = context.nodes[node].cells.iter().zip(&cells);
            if !leads || !known.all(|(known, cell)| Rc::ptr_eq(known, cell) || known.includes(cell)) {
                return Err(Lost);
            }
            all.extend(self.parts(node, &cells));
        }
        Ok(all)
    }

    /// The states at a node, distinguished by the values of the observed cells, where these are
    /// few.
    fn parts(&self, node: NodeId, cells: &Cells) -> Vec<Local> {
        let location = self.analysis.contexts[self.context].nodes[node].location;
        let mut parts: Vec<Vec<Option<i64>>> = vec![Vec::with_capacity(self.looked.len())];
        for looked in &self.looked {
            let value = &cells[looked.cell];
            let values = value.numbers.values().filter(|values| {
                let few = values.len() <= VALUES && values.len() * parts.len() <= COMBINATIONS;
                few && value.channels.is_empty() && looked.live[location]
            });
            match values {
                None => parts.iter_mut().for_each(|part| part.push(None)),
                Some([value]) => parts.iter_mut().for_each(|part| part.push(Some(*value))),
                Some(values) => {
                    let longer = |part: &Vec<Option<i64>>, value| {
                        let mut part = part.clone();
                        part.push(Some(value));
                        part
                    };
                    let told = |part| values.iter().map(move |value| longer(part, *value));
                    parts = parts.iter().flat_map(told).collect();
                }
            }
        }
        parts.into_iter().map(|values| Local { node, values: values.into() }).collect()
    }

    /// The statements that leave from a state.
    fn leaving(&self, local: &Local) -> &'a [EdgeId] {
        let context = &self.analysis.contexts[self.context];
        &self.analysis.leaving[context.process_type][context.nodes[local.node].location]
    }

    /// The steps of the process in a state.
    pub(super) fn successors(&mut self, local: &Local) -> Result<Successors<Local>, Lost> {
        let mut successors = Successors { waits: false, steps: Vec::new(), to: Vec::new() };
        let cells = OnceCell::new();
        for &edge in self.leaving(local) {
            let taken = self.taken(local, &cells, edge);
            successors.waits |= taken.waits;
            for Sketch { share, to } in taken.steps.as_ref().map_err(|lost| *lost)? {
                let first = successors.to.len();
                self.draw(to, local, edge, &mut successors.to)?;
                let to = first..successors.to.len();
                successors.steps.push(LocalStep { edge, share: share.clone(), to });
            }
        }
        Ok(successors)
    }

    /// The effects of a statement in a state and in all equivalent ones, memoised. `cells` caches
    /// the abstract values of the state.
    fn taken(&mut self, local: &Local, cells: &OnceCell<Cells>, edge: EdgeId) -> Rc<Taken> {
        let mut told = std::mem::take(&mut self.common);
        told.clear();
        self.touches[edge].common(&self.looked, &local.values, &mut told);
        let alike = AlikeTo { node: local.node, edge, told: &told };
        let known = self.known.taken.get(&alike).map(Rc::clone);
        let taken = known.unwrap_or_else(|| {
            let taken = Rc::new(self.take(local, cells, edge));
            self.known.taken.insert(alike.into(), Rc::clone(&taken));
            taken
        });
        self.common = told;
        taken
    }

    /// Computes the effects of a statement in a state.
    fn take(&self, local: &Local, cells: &OnceCell<Cells>, edge: EdgeId) -> Taken {
        let view = self.view(cells.get_or_init(|| self.cells(local)));
        let waits = match &self.process().edges[edge].action {
            Action::Receive { channel, .. } => self.means_queue(channel, &view),
            _ => false,
        };
        Taken { waits, steps: self.executed(&view, local, edge) }
    }

    /// The steps of a statement in a state, except receives from the shared queue.
    fn executed(&self, view: &View<'_>, local: &Local, edge: EdgeId) -> Result<Vec<Sketch>, Lost> {
        let statement = &self.process().edges[edge];
        let mut all = Vec::new();
        if let Action::Receive { channel, patterns, peek, .. } = &statement.action {
            let elsewhere = denoted(&self.analysis.objects, &evaluate(channel, view));
            let private = view.private_queue(channel).map(|queue| (queue, *peek));
            // All matching is done before any value is stored.
            let asking = Asking { patterns, wanted: view.wanted(patterns), private };
            for object in elsewhere.into_iter().filter(|object| *object != self.queue) {
                for message in self.messages(object, *peek) {
                    let to = self.store(view, local.node, edge, &asking, message)?;
                    all.push(Sketch { share: Share::Nothing, to: self.sketched(local, edge, &to) });
                }
            }
            return Ok(all);
        }
        let others = self.analysis.alternatives(self.analysis.contexts[self.context].process_type, edge);
        let Transfer { steps, .. } =
            transfer(&self.ctx(edge), view, self.party(), &statement.action, &others);
        for Step { effect, cells, .. } in steps {
            let to = self.sketched(local, edge, &self.locals(local.node, edge, cells)?);
            all.extend(self.shares(effect).into_iter().map(|share| Sketch { share, to: Rc::clone(&to) }));
        }
        Ok(all)
    }

    /// Sketches of the states after a statement, valid for all states equivalent to the one before
    /// it.
    fn sketched(&self, before: &Local, edge: EdgeId, behind: &[Local]) -> Rc<[LocalSketch]> {
        let touch = &self.touches[edge];
        let sketch = |to: &Local| touch.sketch(&self.looked, &before.values, to.node, &to.values);
        behind.iter().map(sketch).collect()
    }

    /// Appends the states after a statement that is executed in a given state.
    fn draw(
        &self,
        to: &[LocalSketch],
        before: &Local,
        edge: EdgeId,
        behind: &mut Vec<Local>,
    ) -> Result<(), Lost> {
        let nodes = &self.analysis.contexts[self.context].nodes;
        for sketch in to {
            let node = sketch.node;
            let (known, location) = (&nodes[node].cells, nodes[node].location);
            let mut kept = self.touches[edge].kept(&before.values);
            if !kept.all(|(number, value)| known[self.looked[number].cell].numbers.contains(value)) {
                return Err(Lost);
            }
            let is_relevant = |looked: &Looked| looked.live[location];
            let values = sketch.draw(&self.looked, &before.values, is_relevant);
            behind.push(Local { node, values: values.collect() });
        }
        Ok(())
    }

    /// The effects of a step on the shared queue.
    fn shares(&self, effect: Effect) -> Vec<Share> {
        let Effect::Send(messages) = effect else { return vec![Share::Nothing] };
        let share = |(object, message): (ObjectId, Vec<Value>)| {
            if object == self.queue { Share::Sends(message.into()) } else { Share::Nothing }
        };
        messages.into_iter().map(share).collect()
    }

    /// The messages that it may receive from a channel object.
    fn messages(&self, object: ObjectId, peek: bool) -> impl Iterator<Item = &'a Vec<Value>> + use<'a> {
        let handshake = self.analysis.objects[object].shape.capacity == 0;
        // Reading a message that is never stored ends the run.
        let looks = !(handshake && peek);
        self.analysis.traffic.messages(object, handshake.then_some(self.party())).filter(move |_| looks)
    }

    fn means_queue(&self, channel: &Expression, view: &View<'_>) -> bool {
        denoted(&self.analysis.objects, &evaluate(channel, view)).contains(&self.queue)
    }

    /// The states after receiving a message, with its number, from the shared queue.
    pub(super) fn receive(
        &mut self,
        local: &Local,
        number: usize,
        message: &[Value],
    ) -> Result<Vec<Local>, Lost> {
        let mut all = Vec::new();
        let cells = OnceCell::new();
        for &edge in self.leaving(local) {
            if let Action::Receive { patterns, peek: false, .. } = &self.process().edges[edge].action
                && self.taken(local, &cells, edge).waits
            {
                let mut told = Vec::new();
                self.touches[edge].common(&self.looked, &local.values, &mut told);
                let alike = (AlikeTo { node: local.node, edge, told: &told }.into(), number);
                let known = self.receipts.get(&alike).cloned();
                let to = match known {
                    Some(known) => known,
                    None => {
                        let view = self.view(cells.get_or_init(|| self.cells(local)));
                        let asking = Asking { patterns, wanted: view.wanted(patterns), private: None };
                        let to = self.store(&view, local.node, edge, &asking, message)?;
                        self.sketched(local, edge, &to)
                    }
                };
                self.draw(&to, local, edge, &mut all)?;
                self.receipts.insert(alike, to);
            }
        }
        Ok(all)
    }

    /// The states after a receive of the given message; none if the message does not match.
    fn store(
        &self,
        view: &View<'_>,
        from: NodeId,
        edge: EdgeId,
        Asking { patterns, wanted, private }: &Asking<'_>,
        message: &[Value],
    ) -> Result<Vec<Local>, Lost> {
        let Some(message) = received(view, private.map(|(queue, _)| queue), message) else {
            return Ok(Vec::new());
        };
        if !matches(&message, wanted) {
            return Ok(Vec::new());
        }
        // If a message has too few fields, the remaining ones may have any value.
        let unknown = Value::any();
        let received: Vec<Value> =
            message.iter().chain(repeat(&unknown)).take(patterns.len()).cloned().collect();
        match stored(&self.ctx(edge), view, patterns, &received) {
            Some((mut cells, _)) => {
                private.iter().for_each(|(queue, stays)| queue.behind(&mut cells, *stays));
                self.locals(from, edge, cells)
            }
            None => Ok(Vec::new()),
        }
    }
}
