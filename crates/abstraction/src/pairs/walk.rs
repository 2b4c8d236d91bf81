//! All states of a pair.

use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;

use cfsm_core::deadline::Deadline;
use cfsm_core::program::EdgeId;
use hashbrown::{HashMap, HashSet};

use super::process::{Doings, Local, Lost, Process, Share};
use crate::contexts::NodeId;
use crate::layout::Cells;
use crate::values::Value;

/// A state of a pair: where the receiver waits for its next message, and where the sender is behind
/// the last one of its own that was received. What the receiver does until it waits again does not
/// depend on the sender.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
struct State {
    receiver: usize,
    sender: usize,
}

/// A statement at a node of the receiver.
pub(super) type At = (NodeId, EdgeId);

/// What has come of a walk.
#[derive(Debug)]
pub(super) enum Outcome {
    /// All states have been seen, or what is asked about is executed. These statements are at these
    /// nodes, while another sender's message is not the last.
    Executed(BTreeSet<At>),
    /// What these cells hold may decide.
    LookAt(Sides<BTreeSet<usize>>),
    /// There are too many steps, or some of which the fixpoint knows too little.
    GaveUp,
}

/// Something of each of the two.
#[derive(Clone, Debug)]
pub(super) struct Sides<T> {
    pub(super) receiver: T,
    pub(super) sender: T,
}

/// The cells that something touches in a state.
type Touches<'a> = &'a dyn Fn(&Cells) -> BTreeSet<usize>;

/// What is asked of a pair.
pub(super) struct Asked<'a> {
    pub(super) statements: &'a BTreeSet<At>,
    /// The cells that may decide: where the receiver may execute one of the statements, and where
    /// the sender sends.
    pub(super) touched: Sides<Touches<'a>>,
    /// Those that are looked at already.
    pub(super) looked_at: &'a Sides<BTreeSet<usize>>,
}

/// Why a walk ends before all states have been seen.
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

/// Steps that may still be taken.
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

/// How many steps are taken from one look at the clock to the next.
const BETWEEN_LOOKS: usize = 256;

/// The number of a message, and the states behind.
type Sending = (usize, Vec<usize>);

/// What a process does before it waits for its next message.
#[derive(Debug, Default)]
struct Between {
    /// The states in which it executes what is asked about.
    asked: BTreeSet<(usize, At)>,
    /// Where it may wait then.
    waits: BTreeSet<usize>,
}

impl Between {
    /// What it does from one of several states on.
    fn of_all(several: &[Rc<Self>]) -> Self {
        let mut all = Self::default();
        for one in several {
            all.asked.extend(&one.asked);
            all.waits.extend(&one.waits);
        }
        all
    }
}

/// Messages, each one once.
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

/// The states of a process that have been met, and what it may do there.
struct Met<'a> {
    process: Process<'a>,
    numbers: HashMap<Local, usize>,
    locals: Vec<Local>,
    doings: Vec<Option<Rc<Doings<usize>>>>,
    /// When each state has been come by last.
    passed: Vec<usize>,
    /// How often it has been asked what happens from some state on.
    asked: usize,
    /// The messages that may be the next one that it sends.
    sends: Vec<Option<Rc<[Sending]>>>,
    /// What it does from a state on, before it waits.
    between: HashMap<usize, Rc<Between>>,
    /// The same, behind a message that it receives where it waits.
    reactions: HashMap<(usize, usize), Rc<Between>>,
    /// Where it sends into the queue, as far as nobody has asked yet.
    sending: BTreeSet<usize>,
}

impl<'a> Met<'a> {
    fn new(process: Process<'a>) -> Self {
        Self {
            process,
            numbers: HashMap::new(),
            locals: Vec::new(),
            doings: Vec::new(),
            passed: Vec::new(),
            asked: 0,
            sends: Vec::new(),
            between: HashMap::new(),
            reactions: HashMap::new(),
            sending: BTreeSet::new(),
        }
    }

    /// What is known in a state.
    fn cells(&self, number: usize) -> Cells {
        self.process.cells(&self.locals[number])
    }

    fn number(&mut self, local: Local) -> usize {
        let next = self.locals.len();
        let number = *self.numbers.entry(local.clone()).or_insert(next);
        if number == next {
            self.locals.push(local);
            self.doings.push(None);
            self.passed.push(0);
            self.sends.push(None);
        }
        number
    }

    /// What it may do in a state, with the numbers of the states behind.
    fn doings(&mut self, number: usize) -> Result<Rc<Doings<usize>>, Lost> {
        if let Some(known) = &self.doings[number] {
            return Ok(Rc::clone(known));
        }
        let doings = self.process.doings(&self.locals[number])?;
        let doings = Rc::new(doings.map(|to| self.number(to)));
        self.doings[number] = Some(Rc::clone(&doings));
        Ok(doings)
    }

    /// Notes that a state is come by; whether that is the first time since it was asked last what
    /// happens.
    fn pass(&mut self, number: usize) -> bool {
        std::mem::replace(&mut self.passed[number], self.asked) != self.asked
    }

    /// The messages that may be the next one that it sends, and where it is then.
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
            for (step, to) in self.doings(at)?.steps() {
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

    /// What it does from a state on, before it waits.
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
            let doings = self.doings(at)?;
            if doings.waits {
                between.waits.insert(at);
            }
            for (step, to) in doings.steps() {
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

    /// What it does behind a message that it receives where it waits, before it waits again.
    fn reaction(
        &mut self,
        (number, message): (usize, usize),
        messages: &Messages,
        asked: &BTreeSet<At>,
        budget: &mut Budget,
    ) -> Result<Rc<Between>, Lost> {
        if let Some(known) = self.reactions.get(&(number, message)) {
            return Ok(Rc::clone(known));
        }
        let mut behind = Vec::new();
        for to in self.process.receive(&self.locals[number], (message, &messages.all[message]))? {
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

/// A receiver and one of the senders of its queue.
pub(super) struct Pair<'a> {
    receiver: Met<'a>,
    messages: Messages,
    sender: Met<'a>,
    /// What the receiver itself sends into the queue, at any time.
    own: Vec<usize>,
    /// What others send there.
    others: Vec<usize>,
    seen: HashSet<State>,
    open: Vec<State>,
    /// What is asked about and executed, while another sender's message is not the last.
    executed: BTreeSet<At>,
    budget: Budget,
}

impl<'a> Pair<'a> {
    /// Before anything has happened; gives up beyond so many steps, and after the deadline.
    pub(super) fn new(
        (receiver, sender): (Process<'a>, Process<'a>),
        most: usize,
        deadline: Deadline,
    ) -> Self {
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

    /// How many steps have been taken.
    pub(super) const fn steps(&self) -> usize {
        self.budget.most - self.budget.left
    }

    /// The two processes.
    pub(super) fn processes(self) -> [Process<'a>; 2] {
        [self.receiver.process, self.sender.process]
    }

    /// Looks at all states. Stops as soon as something asked about is executed and there are more
    /// cells that may decide that: those that are `touched` in a state in which the receiver may
    /// execute it, or the sender send what has been received; some are looked at already.
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

    /// Notes what the receiver executes of what is asked about.
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

    /// Notes states that are to be looked at.
    fn meet(&mut self, between: &Between, sender: usize) {
        for &receiver in &between.waits {
            let state = State { receiver, sender };
            if self.seen.insert(state) {
                self.open.push(state);
            }
        }
    }

    /// All that the receiver may get where it waits. What others send says nothing about what is
    /// executed behind it: that is asked of them.
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
        self.receiver.reaction((receiver, message), &self.messages, question.statements, &mut self.budget)
    }
}
