//! Footprints: the parts of a state that steps of a process may read or write.

use std::collections::BTreeSet;

use cfsm_core::ids::Id;
use cfsm_core::program::{Hold, LocationId};

use crate::code::{Code, EdgeCode, Receive, Statement, TypeCode};
use crate::evaluate::Scene;
use crate::reduce::cells::{self, Cells, each_read, is_of_variables};
use crate::reduce::reach::queues;
use crate::{Semantics, State};

/// A part of a state.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Part {
    /// A cell of the globals.
    Global(u32),
    /// A process: its location and variables, or that it has ended.
    Process(usize),
    /// The contents of a queue, by its index.
    Queue(usize),
}

/// Computes footprints of steps, for states with the processes and queues of a first state, or
/// fewer processes.
pub(super) struct Touches<'a> {
    semantics: &'a Semantics,
    first: &'a State,
    /// For each cell of the globals, `true` if it is written.
    written: Vec<bool>,
    /// For each cell of the globals, `true` if its value matters.
    read: Vec<bool>,
    /// For each type and each cell of its processes, `true` if it is written.
    written_of: Vec<Vec<bool>>,
}

/// A process, its location, and `true` for all of its steps there or `false` for rendezvous
/// receives only.
type Place = (usize, usize, bool);

impl<'a> Touches<'a> {
    /// Prepares the computation. If `unread`, globals that are never read distinguish states, too.
    pub fn new(semantics: &'a Semantics, first: &'a State, unread: bool) -> Self {
        let (written, mut read) = (cells::written(semantics), cells::read(semantics));
        read.iter_mut().for_each(|read| *read |= unread);
        let written_of = semantics.types.iter().map(cells::written_of).collect();
        Self { semantics, first, written, read, written_of }
    }

    /// The parts in which states may differ: globals that are written and read, processes, and
    /// queues that store messages.
    pub fn all(&self) -> Vec<Part> {
        let globals = (0..self.semantics.global_cells).filter(|cell| self.is_shared(*cell)).map(Part::Global);
        let processes = (0..self.first.process_count()).map(Part::Process);
        let queues = (0..self.first.queue_count()).filter(|at| !self.is_rendezvous(*at)).map(Part::Queue);
        globals.chain(processes).chain(queues).collect()
    }

    /// The footprint of the steps of a process from a location. Time linear in the types of the
    /// processes.
    pub fn of(&self, process: usize, location: usize) -> BTreeSet<Part> {
        let mut found = BTreeSet::from([Part::Process(process)]);
        let (mut met, mut open) = (BTreeSet::new(), vec![(process, location, true)]);
        while let Some(place) = open.pop() {
            if met.insert(place) {
                self.place(place, &mut found, &mut open);
            }
        }
        found
    }

    fn place(&self, (process, location, all): Place, found: &mut BTreeSet<Part>, open: &mut Vec<Place>) {
        let ty = self.type_of(process);
        if location == ty.exit.index() {
            // The process dies if it is the last one, and its queues with it.
            found.extend((process + 1 < self.first.process_count()).then_some(Part::Process(process + 1)));
            let queues = self.first.queues.iter().enumerate();
            let own = queues.filter(|(at, queue)| queue.owner() == Some(process) && !self.is_rendezvous(*at));
            found.extend(own.map(|(at, _)| Part::Queue(at)));
        }
        for edge in ty.edges_at(LocationId::new(location)) {
            if !all && !matches!(edge.statement, Statement::Receive(_)) {
                continue;
            }
            self.edge(process, edge, found, open);
            if edge.hold != Hold::No {
                open.push((process, edge.target.index(), true));
            }
        }
    }

    fn edge(&self, process: usize, edge: &EdgeCode, found: &mut BTreeSet<Part>, open: &mut Vec<Place>) {
        let shared = |cells: Cells| {
            let range = if cells.global { cells.range } else { 0..0 };
            range.filter(|cell| self.is_shared(*cell)).map(Part::Global)
        };
        for code in edge.statement.codes() {
            each_read(code, &mut |cells| found.extend(shared(cells)));
            let _ = code.any(&mut |part| {
                self.asked(process, part, found);
                false
            });
        }
        edge.statement.targets().into_iter().for_each(|target| found.extend(shared(Cells::written(target))));
        match &edge.statement {
            Statement::Send { channel, .. } => {
                self.hold(process, channel, found);
                for queue in self.queues(process, channel).into_iter().filter(|at| self.is_rendezvous(*at)) {
                    self.partners(process, queue, found, open);
                }
            }
            Statement::Receive(receive) => self.hold(process, &receive.channel, found),
            _ => {}
        }
    }

    /// Adds the queues and processes that a subexpression observes.
    fn asked(&self, process: usize, code: &Code, found: &mut BTreeSet<Part>) {
        match code {
            Code::Length(channel) | Code::Empty(channel) | Code::Full(channel) => {
                self.hold(process, channel, found);
            }
            Code::Poll(poll) => self.hold(process, &poll.channel, found),
            Code::ProcessCount => found.extend((0..self.first.process_count()).map(Part::Process)),
            _ => {}
        }
    }

    /// Adds the queues that a channel may refer to, and the processes that own them.
    fn hold(&self, process: usize, channel: &Code, found: &mut BTreeSet<Part>) {
        for queue in self.queues(process, channel) {
            found.extend((!self.is_rendezvous(queue)).then_some(Part::Queue(queue)));
            found.extend(self.first.queues[queue].owner().map(Part::Process));
        }
    }

    /// Adds the processes that may receive from a rendezvous, or whose receives may be errors when
    /// they are tested, with their locations.
    fn partners(&self, sender: usize, queue: usize, found: &mut BTreeSet<Part>, open: &mut Vec<Place>) {
        for process in (0..self.first.process_count()).filter(|process| *process != sender) {
            let ty = self.type_of(process);
            let receives = |edge: &EdgeCode| match &edge.statement {
                Statement::Receive(receive) => {
                    self.may_go_wrong(process, receive)
                        || self.queues(process, &receive.channel).contains(&queue)
                }
                _ => false,
            };
            let places = (0..ty.ranges.len())
                .filter(|location| ty.edges_at(LocationId::new(*location)).iter().any(receives))
                .map(|location| (process, location, false));
            let before = open.len();
            open.extend(places);
            found.extend((open.len() > before).then_some(Part::Process(process)));
        }
    }

    /// Returns `true` if evaluating the channel of a receive, or testing the receive, may be an
    /// error: any rendezvous offer triggers that test.
    fn may_go_wrong(&self, process: usize, receive: &Receive) -> bool {
        let value = || self.semantics.value(self.first, &Scene::of(process), &receive.channel);
        let queue = || self.semantics.find_queue(self.first, value().ok()?).ok();
        let is_there =
            |at: usize| self.first.queues[at].owner().is_none() && !(receive.peek && self.is_rendezvous(at));
        !self.is_fixed(process, &receive.channel) || !queue().is_some_and(is_there)
    }

    /// The queues that a channel of a process may refer to, by index.
    fn queues(&self, process: usize, channel: &Code) -> Vec<usize> {
        let count = self.first.queue_count();
        let known = queues(self.type_of(process), channel, &self.written);
        let fixed;
        let numbers = if self.is_fixed(process, channel) {
            // If the channel has no value, no step continues.
            fixed = self.semantics.value(self.first, &Scene::of(process), channel).ok();
            fixed.as_slice()
        } else if let Some(numbers) = known.numbers(self.first, process) {
            numbers
        } else {
            return (0..count).collect();
        };
        let positions = numbers.iter().filter_map(|number| usize::try_from(number.checked_sub(1)?).ok());
        positions.filter(|position| *position < count).collect()
    }

    /// Returns `true` if an expression has the same value for a process in all states: it depends
    /// on the number of the process and on variables that are never written.
    fn is_fixed(&self, process: usize, code: &Code) -> bool {
        let mut fixed = is_of_variables(code);
        let of_process = &self.written_of[self.first.type_of(process).index()];
        each_read(code, &mut |cells| {
            let written = if cells.global { &self.written } else { of_process };
            fixed &= !cells.range.into_iter().any(|cell| written[cell as usize]);
        });
        fixed
    }

    fn type_of(&self, process: usize) -> &TypeCode {
        self.semantics.type_at(self.first, process)
    }

    fn is_rendezvous(&self, queue: usize) -> bool {
        self.semantics.code_at(self.first, queue).rendezvous
    }

    /// Returns `true` if a global may differ between states and its value matters.
    fn is_shared(&self, cell: u32) -> bool {
        self.written[cell as usize] && self.read[cell as usize]
    }
}
