//! Reachability search over the joint states of a pair.

use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;

use cfsm_core::deadline::Deadline;
use cfsm_core::program::EdgeId;
use hashbrown::{HashMap, HashSet};

use super::process::{Local, Lost, Process, Share, Successors};
use crate::contexts::NodeId;
use crate::layout::Cells;
use crate::values::Value;

/// A joint state: the state in which the receiver waits for its next message, and the state of the
/// sender after its last message that was received. The steps of the receiver until it waits again
/// do not depend on the sender.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
struct State {
    receiver: usize,
    sender: usize,
}

/// A statement at a node of the receiver.
pub(super) type At = (NodeId, EdgeId);

/// The result of a search.
#[derive(Debug)]
pub(super) enum Outcome {
    /// All states have been visited, or all queried statements are executed. Contains the queried
    /// statements that may be executed, with their nodes, while the last received message is not
    /// one of another sender.
    Executed(BTreeSet<At>),
    /// Cells to observe in addition, since their values may decide.
    LookAt(Sides<BTreeSet<usize>>),
    /// There are too many steps, or the fixpoint has too little information about some.
    GaveUp,
}

/// A pair of values, for the receiver and for the sender.
#[derive(Clone, Debug)]
pub(super) struct Sides<T> {
    pub(super) receiver: T,
    pub(super) sender: T,
}

/// Function from a state to the cells that may decide there.
type Touches<'a> = &'a dyn Fn(&Cells) -> BTreeSet<usize>;

/// A query to a pair.
pub(super) struct Asked<'a> {
    pub(super) statements: &'a BTreeSet<At>,
    /// The cells that may decide: where the receiver may execute one of the statements, and where
    /// the sender sends.
    pub(super) touched: Sides<Touches<'a>>,
    /// The cells that are observed already.
    pub(super) looked_at: &'a Sides<BTreeSet<usize>>,
}

/// The reasons why a search ends early.
enum Stop {
    LookAt(Sides<BTreeSet<usize>>),
    Lost,
}

impl From<Lost> for Stop {
    fn from(_: Lost) -> Self {
        Self::Lost
    }
}

impl From<Stop> for Outcome {
    fn from(stop: Stop) -> Self {
        match stop {
            Stop::LookAt(more) => Self::LookAt(more),
            Stop::Lost => Self::GaveUp,
        }
    }
}

/// The remaining number of steps.
struct Budget {
    left: usize,
    most: usize,
    deadline: Deadline,
}

impl Budget {
    fn take(&mut self) -> Result<(), Lost> {
        self.left = self.left.checked_sub(1).ok_or(Lost)?;
        let is_late = self.left.is_multiple_of(BETWEEN_LOOKS) && self.deadline.is_over();
        if is_late { Err(Lost) } else { Ok(()) }
    }
}

/// Number of steps between two checks of the deadline.
const BETWEEN_LOOKS: usize = 256;

/// The number of a message, and the states after it is sent.
type Sending = (usize, Vec<usize>);

/// The behaviour of a process until it waits for its next message.
#[derive(Debug, Default)]
struct Between {
    /// The states in which it executes a queried statement.
    asked: BTreeSet<(usize, At)>,
    /// The states in which it may wait.
    waits: BTreeSet<usize>,
}

impl Between {
    /// The union of the behaviours from several states.
    fn of_all(several: &[Rc<Self>]) -> Self {
        let mut all = Self::default();
        for one in several {
            all.asked.extend(&one.asked);
            all.waits.extend(&one.waits);
        }
        all
    }
}

/// Interned messages: each has a number.
#[derive(Default)]
struct Messages {
    numbers: BTreeMap<Vec<Value>, usize>,
    all: Vec<Vec<Value>>,
}

impl Messages {
    fn number(&mut self, message: &[Value]) -> usize {
        if let Some(&known) = self.numbers.get(message) {
            return known;
        }
        self.numbers.insert(message.to_vec(), self.all.len());
        self.all.push(message.to_vec());
        self.all.len() - 1
    }
}

/// The states of a process that have been visited, with their steps.
struct Met<'a> {
    process: Process<'a>,
    numbers: HashMap<Local, usize>,
    locals: Vec<Local>,
    successors: Vec<Option<Rc<Successors<usize>>>>,
    /// For each state, the number of the last traversal that visited it.
    passed: Vec<usize>,
    /// Number of traversals so far.
    asked: usize,
    /// Memo: the next messages that it may send, from each state.
    sends: Vec<Option<Rc<[Sending]>>>,
    /// Memo: the behaviour from a state until the process waits.
    between: HashMap<usize, Rc<Between>>,
    /// Memo: the same, after receiving a message in a waiting state.
    reactions: HashMap<(usize, usize), Rc<Between>>,
    /// The states in which it sends into the queue and that `see` has not examined yet.
    sending: BTreeSet<usize>,
}

impl<'a> Met<'a> {
    fn new(process: Process<'a>) -> Self {
        Self {
            process,
            numbers: HashMap::new(),
            locals: Vec::new(),
            successors: Vec::new(),
            passed: Vec::new(),
            asked: 0,
            sends: Vec::new(),
            between: HashMap::new(),
            reactions: HashMap::new(),
            sending: BTreeSet::new(),
        }
    }

    /// The abstract values of all cells in a state.
    fn cells(&self, number: usize) -> Cells {
        self.process.cells(&self.locals[number])
    }

    fn number(&mut self, local: Local) -> usize {
        let next = self.locals.len();
        let number = *self.numbers.entry(local.clone()).or_insert(next);
        if number == next {
            self.locals.push(local);
            self.successors.push(None);
            self.passed.push(0);
            self.sends.push(None);
        }
        number
    }

    /// The steps in a state, with the numbers of the target states; memoised.
    fn successors(&mut self, number: usize) -> Result<Rc<Successors<usize>>, Lost> {
        if let Some(known) = &self.successors[number] {
            return Ok(Rc::clone(known));
        }
        let successors = self.process.successors(&self.locals[number])?;
        let successors = Rc::new(successors.map(|to| self.number(to)));
        self.successors[number] = Some(Rc::clone(&successors));
        Ok(successors)
    }

    /// Marks a state as visited. Returns `true` if the current traversal has not visited it before.
    fn pass(&mut self, number: usize) -> bool {
        std::mem::replace(&mut self.passed[number], self.asked) != self.asked
    }

    /// The next messages that it may send from a state, with the states after each.
    fn sends(
        &mut self,
        number: usize,
        messages: &mut Messages,
        budget: &mut Budget,
    ) -> Result<Rc<[Sending]>, Lost> {
        if let Some(known) = &self.sends[number] {
            return Ok(Rc::clone(known));
        }
        let mut sends = Vec::new();
        self.asked += 1;
        self.pass(number);
        let mut open = vec![number];
        while let Some(at) = open.pop() {
            budget.take()?;
            for (step, to) in self.successors(at)?.steps() {
                match &step.share {
                    Share::Sends(message) => {
                        self.sending.insert(at);
                        sends.push((messages.number(message), to.to_vec()));
                    }
                    Share::Nothing => open.extend(to.iter().filter(|to| self.pass(**to))),
                }
            }
        }
        let sends: Rc<[Sending]> = sends.into();
        self.sends[number] = Some(Rc::clone(&sends));
        Ok(sends)
    }

    /// The behaviour from a state until the process waits.
    fn between(
        &mut self,
        start: usize,
        asked: &BTreeSet<At>,
        budget: &mut Budget,
    ) -> Result<Rc<Between>, Lost> {
        if let Some(known) = self.between.get(&start) {
            return Ok(Rc::clone(known));
        }
        let mut between = Between::default();
        self.asked += 1;
        self.pass(start);
        let mut open = vec![start];
        while let Some(at) = open.pop() {
            budget.take()?;
            let node = self.locals[at].node;
            let successors = self.successors(at)?;
            if successors.waits {
                between.waits.insert(at);
            }
            for (step, to) in successors.steps() {
                let statement = (node, step.edge);
                if !to.is_empty() && asked.contains(&statement) {
                    between.asked.insert((at, statement));
                }
                open.extend(to.iter().filter(|to| self.pass(**to)));
            }
        }
        let between = Rc::new(between);
        self.between.insert(start, Rc::clone(&between));
        Ok(between)
    }

    /// The behaviour after receiving a message in a waiting state, until the process waits again.
    fn reaction(
        &mut self,
        number: usize,
        message: usize,
        messages: &Messages,
        asked: &BTreeSet<At>,
        budget: &mut Budget,
    ) -> Result<Rc<Between>, Lost> {
        if let Some(known) = self.reactions.get(&(number, message)) {
            return Ok(Rc::clone(known));
        }
        let mut behind = Vec::new();
        for to in self.process.receive(&self.locals[number], message, &messages.all[message])? {
            let to = self.number(to);
            behind.push(self.between(to, asked, budget)?);
        }
        let all = match &behind[..] {
            [one] => Rc::clone(one),
            several => Rc::new(Between::of_all(several)),
        };
        self.reactions.insert((number, message), Rc::clone(&all));
        Ok(all)
    }
}

/// The joint search for a receiver and one of the senders of its queue.
pub(super) struct Pair<'a> {
    receiver: Met<'a>,
    messages: Messages,
    sender: Met<'a>,
    /// The messages that the receiver itself sends into the queue.
    own: Vec<usize>,
    /// The messages that other processes send into the queue.
    others: Vec<usize>,
    seen: HashSet<State>,
    open: Vec<State>,
    /// The queried statements that are executed while the last received message is not one of
    /// another sender.
    executed: BTreeSet<At>,
    budget: Budget,
}

impl<'a> Pair<'a> {
    /// The initial search state. The search gives up after `most` steps, and after the deadline.
    pub(super) fn new(receiver: Process<'a>, sender: Process<'a>, most: usize, deadline: Deadline) -> Self {
        let mut messages = Messages::default();
        let mut numbers =
            |sent: Vec<Vec<Value>>| sent.iter().map(|message| messages.number(message)).collect();
        let (own, others) = (numbers(receiver.sent()), numbers(receiver.sent_by_third(&sender)));
        Self {
            receiver: Met::new(receiver),
            messages,
            sender: Met::new(sender),
            own,
            others,
            seen: HashSet::new(),
            open: Vec::new(),
            executed: BTreeSet::new(),
            budget: Budget { left: most, most, deadline },
        }
    }

    /// Number of steps taken.
    pub(super) const fn steps(&self) -> usize {
        self.budget.most - self.budget.left
    }

    /// Returns the two processes.
    pub(super) fn processes(self) -> [Process<'a>; 2] {
        [self.receiver.process, self.sender.process]
    }

    /// Visits all joint states. Stops as soon as a queried statement is executed and there are more
    /// cells that may decide it: those that are `touched` in a state in which the receiver may
    /// execute it, or in which the sender may send the received message, and that are not observed
    /// yet.
    pub(super) fn walk(&mut self, question: &Asked<'_>) -> Outcome {
        self.walked(question).unwrap_or_else(|lost| lost.into())
    }

    fn walked(&mut self, question: &Asked<'_>) -> Result<Outcome, Stop> {
        self.begin(question)?;
        while let Some(state) = self.open.pop() {
            if self.executed.is_superset(question.statements) {
                break;
            }
            self.expand(state, question)?;
        }
        Ok(Outcome::Executed(std::mem::take(&mut self.executed)))
    }

    fn begin(&mut self, question: &Asked<'_>) -> Result<(), Stop> {
        let receivers = self.receiver.process.entry()?;
        let senders = self.sender.process.entry()?;
        for receiver in receivers {
            let receiver = self.receiver.number(receiver);
            let between = self.receiver.between(receiver, question.statements, &mut self.budget)?;
            self.see(&between, question)?;
            for sender in &senders {
                let sender = self.sender.number(sender.clone());
                self.meet(&between, sender);
            }
        }
        Ok(())
    }

    /// Records the queried statements that the receiver executes.
    fn see(&mut self, between: &Between, question: &Asked<'_>) -> Result<(), Stop> {
        for (receiver, at) in &between.asked {
            if self.executed.contains(at) && self.sender.sending.is_empty() {
                continue;
            }
            let receiver = self.receiver.cells(*receiver);
            let sending = std::mem::take(&mut self.sender.sending);
            let senders = sending.iter().map(|sender| self.sender.cells(*sender));
            let looked_at = question.looked_at;
            let more = Sides {
                receiver: &(question.touched.receiver)(&receiver) - &looked_at.receiver,
                sender: &senders.flat_map(|sender| (question.touched.sender)(&sender)).collect()
                    - &looked_at.sender,
            };
            if !more.receiver.is_empty() || !more.sender.is_empty() {
                return Err(Stop::LookAt(more));
            }
            self.executed.insert(*at);
        }
        Ok(())
    }

    /// Adds the joint states that have not been visited to the worklist.
    fn meet(&mut self, between: &Between, sender: usize) {
        for &receiver in &between.waits {
            let state = State { receiver, sender };
            if self.seen.insert(state) {
                self.open.push(state);
            }
        }
    }

    /// Expands a state by all messages that the receiver may get. After a message of another
    /// sender, executed statements are not recorded: they belong to the query to that sender.
    fn expand(&mut self, State { receiver, sender }: State, question: &Asked<'_>) -> Result<(), Stop> {
        for at in 0..self.others.len() {
            let reaction = self.reaction(receiver, self.others[at], question)?;
            self.meet(&reaction, sender);
        }
        for at in 0..self.own.len() {
            let reaction = self.reaction(receiver, self.own[at], question)?;
            self.see(&reaction, question)?;
            self.meet(&reaction, sender);
        }
        for (message, senders) in self.sender.sends(sender, &mut self.messages, &mut self.budget)?.iter() {
            let reaction = self.reaction(receiver, *message, question)?;
            self.see(&reaction, question)?;
            senders.iter().for_each(|sender| self.meet(&reaction, *sender));
        }
        Ok(())
    }

    fn reaction(
        &mut self,
        receiver: usize,
        message: usize,
        question: &Asked<'_>,
    ) -> Result<Rc<Between>, Lost> {
        self.budget.take()?;
        self.receiver.reaction(receiver, message, &self.messages, question.statements, &mut self.budget)
    }
}
