//! Visits of nodes: executes the statements of a node, and joins the resulting states into the
//! target nodes.

use std::collections::BTreeSet;
use std::rc::Rc;

use cfsm_core::ids::Id;
use cfsm_core::program::{Action, EdgeId, Expression, Hold, Initial, LocationId, ProcessTypeId};

use crate::analysis::{Analysis, Coarser, Site};
use crate::channels::{Object, ObjectId};
use crate::contexts::{Basis, ContextId, Move, Node, NodeId};
use crate::layout::Cells;
use crate::step::{CommOffer, Effect, Step, Transfer, TransferCtx, transfer};
use crate::traffic::Party;
use crate::unfolding::split;
use crate::values::Value;

/// Number of visits between two checks of the deadline.
const OFTEN: usize = 64;

/// A state that arrives at a location.
#[derive(Clone, Debug)]
struct Arrival {
    accompanied: bool,
    interrupted: bool,
    cells: Cells,
    /// `true` for the state of a new instance. All instances of a context start at one node.
    entry: bool,
}

/// The worklist for the nodes of one context.
#[derive(Debug)]
pub(crate) struct Visits {
    context: ContextId,
    /// The values that other contexts may write to the cells of the frame at any time.
    pub(crate) around: Cells,
    open: BTreeSet<NodeId>,
    /// Number of cells of the frame that other contexts may write; they come first.
    shared: usize,
}

impl Visits {
    /// The next open node after the given one, or the first open node if there is none: so a visit
    /// takes in the changes of all earlier nodes in each round, instead of needing a round for each
    /// of them.
    fn next(&mut self, at: NodeId) -> Option<NodeId> {
        let next = self.open.range(at..).next().or_else(|| self.open.first()).copied()?;
        self.open.remove(&next);
        Some(next)
    }

    /// The values that other contexts may write to the shared cells.
    fn disturbing(&self) -> &[Rc<Value>] {
        &self.around[..self.shared]
    }
}

impl<'a> Analysis<'a> {
    /// Visits the nodes of one context until nothing changes.
    pub(crate) fn follow(&mut self, id: ContextId) -> Result<(), Coarser> {
        let context = &self.contexts[id];
        let accompanied =
            !self.is_initial(id) || !matches!(self.program.initial[..], [Initial { count: 1, .. }]);
        let entry = self.program.types[context.process_type].entry;
        let shared = self.layout.frames[context.process_type].shared().end;
        let mut visits = Visits { context: id, around: self.around(id), open: BTreeSet::new(), shared };
        self.surround(&visits);
        let cells = self.entry(id, &visits.around);
        let state = Arrival { accompanied, interrupted: accompanied, cells, entry: true };
        self.arrive(&mut visits, entry, state)?;
        for node in self.contexts[id].nodes.ids() {
            self.disturb(&visits, node);
            visits.open.insert(node);
        }
        let mut at = NodeId::new(0);
        while let Some(node) = visits.next(at) {
            at = node;
            self.visit(&mut visits, node)?;
        }
        Ok(())
    }

    /// Executes the statements of a node.
    fn visit(&mut self, visits: &mut Visits, node: NodeId) -> Result<(), Coarser> {
        self.visits += 1;
        if self.visits > self.options.visits {
            return Err(Coarser::Visits);
        }
        if self.visits.is_multiple_of(OFTEN) && self.options.deadline.is_over() {
            return Err(Coarser::Late);
        }
        let id = visits.context;
        if self.is_settled(id, node) {
            return Ok(());
        }
        let process_type = self.contexts[id].process_type;
        let program = self.program;
        let mut basis =
            Basis { news: self.contexts[id].news, objects: self.objects.len(), channels: Vec::new() };
        // Changes of the node during the visit count as new.
        self.contexts[id].nodes[node].basis = Some(basis.clone());
        let Node { location, accompanied, .. } = self.contexts[id].nodes[node];
        let cells = self.contexts[id].nodes[node].cells.clone();
        let party = Party { context: id, several: self.several(id) };
        let mut moves = Vec::new();
        for &edge in Rc::clone(&self.leaving[process_type][location]).iter() {
            let statement = &program.types[process_type].edges[edge];
            let others = self.alternatives(process_type, edge);
            let ctx = TransferCtx {
                program,
                objects: &self.objects,
                traffic: &self.traffic,
                reuse: &self.reuse,
                unfolded: &self.unfolded[process_type],
                target: statement.target,
            };
            let view = self.view(&self.contexts[id], &cells);
            let Transfer { offer, steps } = transfer(&ctx, &view, party, &statement.action, &others);
            basis.channels.extend(self.listened(&offer));
            self.hear(Site { context: id, node, edge }, offer)?;
            for step in steps {
                moves.push(self.take(visits, node, accompanied, edge, step)?);
            }
        }
        let node = &mut self.contexts[id].nodes[node];
        node.moves = moves;
        if let Some(known) = &mut node.basis {
            *known = basis;
        }
        Ok(())
    }

    /// Updates the values that other contexts may write around the nodes of a context; a change
    /// makes the results of all its nodes outdated.
    fn surround(&mut self, visits: &Visits) {
        let context = &mut self.contexts[visits.context];
        if context.around != visits.disturbing() {
            context.around = visits.disturbing().to_vec();
            context.news += 1;
        }
    }

    /// Returns `true` if the facts on which the last visit of a node depends are unchanged, so that
    /// another visit would give the same result.
    fn is_settled(&self, id: ContextId, node: NodeId) -> bool {
        let context = &self.contexts[id];
        context.nodes[node].basis.as_ref().is_some_and(|basis| {
            basis.news == context.news
                && basis.objects == self.objects.len()
                && basis.channels.iter().all(|(object, news)| self.traffic.news(*object) == *news)
        })
    }

    /// The queues that a statement uses, with their version numbers.
    fn listened(&self, offer: &CommOffer) -> Vec<(ObjectId, usize)> {
        let objects: Vec<ObjectId> = match offer {
            CommOffer::Nothing => Vec::new(),
            CommOffer::Sends(messages) => messages.iter().map(|(object, _)| *object).collect(),
            CommOffer::Listens(objects, _) => objects.clone(),
        };
        objects.into_iter().map(|object| (object, self.traffic.news(object))).collect()
    }

    /// Executes one step of a statement at a node; `before` is `true` if other processes may exist
    /// there.
    fn take(
        &mut self,
        visits: &mut Visits,
        node: NodeId,
        before: bool,
        edge: EdgeId,
        step: Step,
    ) -> Result<Move, Coarser> {
        let id = visits.context;
        let process_type = self.contexts[id].process_type;
        let statement = &self.program.types[process_type].edges[edge];
        let Step { effect, cells, written } = step;
        if before {
            self.publish(id, &written);
        }
        if let Effect::Create { process_type, arguments, pid } = &effect {
            let site = Site { context: id, node, edge };
            // The new process is initialised before the result of `run` is stored, and executes
            // statements after that.
            let standing = self.contexts[id].nodes[node].cells.clone();
            self.create(site, *process_type, arguments, pid, &standing)?;
            if !written.is_empty() {
                self.create(site, *process_type, arguments, pid, &cells)?;
            }
        }
        let accompanied = before || matches!(effect, Effect::Create { .. });
        let waits = self.waiting[process_type][statement.target];
        let interrupted = accompanied
            && match statement.hold {
                Hold::No => true,
                Hold::Atomic => waits || self.is_handshake(&effect),
                Hold::DStep => self.is_handshake(&effect),
            };
        let arrival = Arrival { accompanied, interrupted, cells, entry: false };
        let targets = self.arrive(visits, statement.target, arrival)?;
        Ok(Move { edge, effect, targets })
    }

    /// The possible executions of a statement in a state, according to the final fixpoint.
    pub(crate) fn executed(&self, context: ContextId, edge: EdgeId, cells: &Cells) -> Vec<Step> {
        let process_type = self.contexts[context].process_type;
        let statement = &self.program.types[process_type].edges[edge];
        let ctx = TransferCtx {
            program: self.program,
            objects: &self.objects,
            traffic: &self.traffic,
            reuse: &self.reuse,
            unfolded: &self.unfolded[process_type],
            target: statement.target,
        };
        let party = Party { context, several: self.several(context) };
        let view = self.view(&self.contexts[context], cells);
        let others = self.alternatives(process_type, edge);
        transfer(&ctx, &view, party, &statement.action, &others).steps
    }

    /// The conditions to which an `else` is the alternative: those of the same selection. (The
    /// verifier requires more, the simulator does not.)
    pub(crate) fn alternatives(&self, process_type: ProcessTypeId, edge: EdgeId) -> Vec<&'a Expression> {
        let process = &self.program.types[process_type];
        let statement = &process.edges[edge];
        if statement.action != Action::Else {
            return Vec::new();
        }
        let before = self.leaving[process_type][statement.source].iter().filter(|other| **other < edge);
        let options = before.rev().take(statement.alternatives as usize).map(|&id| &process.edges[id]);
        let conditions = options.filter_map(|other| match &other.action {
            Action::Condition(condition) => Some(condition),
            _ => None,
        });
        conditions.collect()
    }

    /// Returns `true` if another process takes part in a step.
    fn is_handshake(&self, effect: &Effect) -> bool {
        let without_buffer = |object: &ObjectId| self.objects[*object].shape.capacity == 0;
        match effect {
            Effect::Send(messages) => messages.iter().any(|(object, _)| without_buffer(object)),
            Effect::Receive { from, .. } => from.iter().any(without_buffer),
            Effect::Nothing | Effect::Create { .. } => false,
        }
    }

    /// Records the communication that a reached statement offers.
    fn hear(&mut self, site: Site, offer: CommOffer) -> Result<(), Coarser> {
        let Site { context: id, edge, .. } = site;
        self.keeps_to_itself(site, &offer)?;
        match offer {
            CommOffer::Nothing => {}
            CommOffer::Sends(messages) => {
                for (object, fields) in messages {
                    if let Some(news) = self.traffic.send(object, site, &fields, &self.widening) {
                        self.dirty.extend(news);
                    }
                }
            }
            CommOffer::Listens(objects, patterns) => {
                for object in objects {
                    let handshake = (self.objects[object].shape.capacity == 0).then_some(&patterns);
                    let news = self.traffic.listen(object, id, edge, handshake, &self.widening);
                    self.dirty.extend(news);
                }
            }
        }
        Ok(())
    }

    /// Returns an error if a statement uses a queue that was taken for private to another process.
    fn keeps_to_itself(&self, site: Site, offer: &CommOffer) -> Result<(), Coarser> {
        let Site { context: id, edge, .. } = site;
        let objects: Vec<ObjectId> = match offer {
            CommOffer::Nothing => Vec::new(),
            CommOffer::Sends(messages) => messages.iter().map(|(object, _)| *object).collect(),
            CommOffer::Listens(objects, _) => objects.clone(),
        };
        let process_type = self.contexts[id].process_type;
        let own = match &self.program.types[process_type].edges[edge].action {
            Action::Send { channel, .. } | Action::Receive { channel, .. } => {
                self.layout.frames[process_type].private_queue(channel)
            }
            _ => None,
        };
        for object in objects {
            let Object { owner: Some(owner), variable, .. } = self.objects[object] else { continue };
            let owners = self.contexts[owner].process_type;
            let is_private =
                self.layout.frames[owners].private.iter().any(|queue| queue.variable == variable);
            let is_own = owner == id && own.is_some_and(|queue| queue.variable == variable);
            if is_private && !is_own {
                return Err(Coarser::Shared(owners, variable));
            }
        }
        Ok(())
    }

    /// Records the values that a process writes to globals while other processes exist.
    fn publish(&mut self, id: ContextId, written: &[(usize, Value)]) {
        let process_type = self.contexts[id].process_type;
        for (cell, value) in written {
            if let Some(origin) = self.layout.frames[process_type].origin(*cell)
                && self.interference.write(id, origin, value, &self.widening)
            {
                let readers = self.interference.readers(origin).iter().copied();
                let singles = &self.singles;
                self.dirty.extend(readers.filter(|&reader| reader != id || !singles[id]));
            }
        }
    }

    /// Joins a state into the nodes of a location. Returns these nodes.
    fn arrive(
        &mut self,
        visits: &mut Visits,
        location: LocationId,
        arrival: Arrival,
    ) -> Result<Vec<NodeId>, Coarser> {
        let id = visits.context;
        let process_type = self.contexts[id].process_type;
        let Arrival { accompanied, interrupted, mut cells, entry } = arrival;
        if interrupted {
            self.mix(&mut cells, visits.disturbing());
        }
        let unfolded = &self.unfolded[process_type];
        let parts = match entry {
            true => vec![(vec![None; unfolded.len()], cells)],
            false => split(cells, unfolded, location, self.options.values),
        };
        let mut targets = Vec::new();
        for (key, cells) in parts {
            let context = &mut self.contexts[id];
            let Some(&node) = context.index.get(&(location, key.clone())) else {
                if context.nodes.len() >= self.options.nodes.max(1) && key.iter().any(Option::is_some) {
                    return Err(Coarser::Nodes(process_type));
                }
                let (index, moves) = ((location, key.clone()), Vec::new());
                let basis = None;
                let node =
                    context.nodes.push(Node { location, key, cells, accompanied, interrupted, moves, basis });
                context.index.insert(index, node);
                targets.push(node);
                visits.open.insert(node);
                continue;
            };
            targets.push(node);
            let known = &mut context.nodes[node];
            let mut grown = (accompanied && !known.accompanied) || (interrupted && !known.interrupted);
            known.accompanied |= accompanied;
            known.interrupted |= interrupted;
            for (known, new) in known.cells.iter_mut().zip(&cells) {
                if Rc::ptr_eq(known, new) {
                    continue;
                }
                if known == new {
                    // The next comparison is one of pointers.
                    Rc::clone_from(known, new);
                } else if !known.includes(new) {
                    self.widening.grow(Rc::make_mut(known), new);
                    grown = true;
                }
            }
            if grown {
                known.basis = None;
                self.disturb(visits, node);
                visits.open.insert(node);
            }
        }
        Ok(targets)
    }

    /// Joins the interference of other contexts into the state of a node.
    fn disturb(&mut self, visits: &Visits, node: NodeId) {
        let mut known = std::mem::take(&mut self.contexts[visits.context].nodes[node].cells);
        let interrupted = self.contexts[visits.context].nodes[node].interrupted;
        let grown = interrupted && self.mix(&mut known, visits.disturbing());
        let node = &mut self.contexts[visits.context].nodes[node];
        node.cells = known;
        if grown {
            node.basis = None;
        }
    }

    /// Joins the interference of other contexts into a state. Returns `true` if the state has
    /// grown.
    fn mix(&self, cells: &mut Cells, around: &[Rc<Value>]) -> bool {
        let mut grown = false;
        for (cell, around) in cells.iter_mut().zip(around) {
            if !Rc::ptr_eq(cell, around) && !cell.includes(around) {
                self.widening.grow(Rc::make_mut(cell), around);
                grown = true;
            }
        }
        grown
    }
}
