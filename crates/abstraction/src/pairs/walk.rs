//! All states of a pair.

use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};
use std::rc::Rc;

use cfsm_core::program::EdgeId;

use super::process::{Local, LocalStep, Lost, Process, Share};
use crate::contexts::NodeId;
use crate::layout::Cells;
use crate::values::Value;

/// Who has sent what was received last from the queue.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
enum Last {
    /// Nothing has been received.
    Nobody,
    /// The sender that is followed, or the receiver itself.
    Known,
    /// Another one.
    Other,
}

/// A state of a pair.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
struct State {
    receiver: usize,
    last: Last,
    sender: usize,
}

/// A statement at a node of the receiver.
pub(super) type At = (NodeId, EdgeId);

/// What has come of a walk.
#[derive(Debug)]
pub(super) enum Outcome {
    /// All states have been seen, or what is asked about is executed. These statements are at these nodes, while another sender's message is
    /// not the last.
    Executed(BTreeSet<At>),
    /// What these cells hold may decide.
    LookAt(Sides<BTreeSet<usize>>),
    /// There are too many steps, or some of which the fixpoint knows too little.
    GaveUp,
}

/// Something of each of the two.
#[derive(Clone, Debug)]
pub(super) struct Sides<R, S = R> {
    pub(super) receiver: R,
    pub(super) sender: S,
}

/// Steps that may still be taken.
struct Budget {
    left: usize,
    most: usize,
}

impl Budget {
    fn take(&mut self) -> Result<(), Lost> {
        self.left = self.left.checked_sub(1).ok_or(Lost)?;
        Ok(())
    }
}

/// What a process may do in a state, with the numbers of the states behind.
#[derive(Debug)]
struct Numbered {
    edge: EdgeId,
    share: Share,
    to: Vec<usize>,
}

/// The number of a message, and the states behind.
type Sending = (usize, Vec<usize>);

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
    steps: Vec<Option<Rc<[Numbered]>>>,
    /// The messages that may be the next one that it sends.
    sends: Vec<Option<Rc<[Sending]>>>,
    /// Where it gets by a message.
    receives: HashMap<(usize, usize), Rc<[usize]>>,
    waits: HashMap<usize, bool>,
    /// Where it sends into the queue, as far as nobody has asked yet.
    sending: BTreeSet<usize>,
}

impl<'a> Met<'a> {
    fn new(process: Process<'a>) -> Self {
        Self {
            process,
            numbers: HashMap::new(),
            locals: Vec::new(),
            steps: Vec::new(),
            sends: Vec::new(),
            receives: HashMap::new(),
            waits: HashMap::new(),
            sending: BTreeSet::new(),
        }
    }

    /// What is known in a state.
    fn cells(&self, number: usize) -> Cells {
        self.process.cells(&self.locals[number])
    }

    fn node(&self, number: usize) -> NodeId {
        self.locals[number].node
    }

    fn number(&mut self, local: &Local) -> usize {
        if let Some(&known) = self.numbers.get(local) {
            return known;
        }
        let next = self.locals.len();
        self.numbers.insert(local.clone(), next);
        self.locals.push(local.clone());
        self.steps.push(None);
        self.sends.push(None);
        next
    }

    fn steps(&mut self, number: usize) -> Result<Rc<[Numbered]>, Lost> {
        if let Some(known) = &self.steps[number] {
            return Ok(Rc::clone(known));
        }
        let steps = self.process.steps(&self.locals[number])?;
        let numbered = steps.into_iter().map(|LocalStep { edge, share, to }| {
            let to = to.iter().map(|to| self.number(to)).collect();
            Numbered { edge, share, to }
        });
        let steps: Rc<[Numbered]> = numbered.collect();
        self.steps[number] = Some(Rc::clone(&steps));
        Ok(steps)
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
        let mut seen = BTreeSet::from([number]);
        let mut open = vec![number];
        while let Some(at) = open.pop() {
            budget.take()?;
            for step in self.steps(at)?.iter() {
                match &step.share {
                    Share::Sends(message) => {
                        self.sending.insert(at);
                        sends.push((messages.number(message), step.to.clone()));
                    }
                    Share::Nothing => open.extend(step.to.iter().filter(|to| seen.insert(**to))),
                }
            }
        }
        let sends: Rc<[Sending]> = sends.into();
        self.sends[number] = Some(Rc::clone(&sends));
        Ok(sends)
    }

    /// Whether it may receive from the queue.
    fn waits(&mut self, number: usize) -> bool {
        *self.waits.entry(number).or_insert_with(|| self.process.waits(&self.locals[number]))
    }

    /// Where it gets by receiving a message from the queue.
    fn receive(&mut self, number: usize, message: usize, messages: &Messages) -> Result<Rc<[usize]>, Lost> {
        if let Some(known) = self.receives.get(&(number, message)) {
            return Ok(Rc::clone(known));
        }
        let to = self.process.receive(&self.locals[number], &messages.all[message])?;
        let to: Rc<[usize]> = to.iter().map(|to| self.number(to)).collect();
        self.receives.insert((number, message), Rc::clone(&to));
        Ok(to)
    }
}

/// A receiver and one of the senders of its queue.
pub(super) struct Pair<'a> {
    receiver: Met<'a>,
    sender: Met<'a>,
    messages: Messages,
    /// What the receiver itself sends into the queue, at any time.
    own: Vec<usize>,
    /// What others send there.
    others: Vec<usize>,
    seen: HashSet<State>,
    open: Vec<State>,
    budget: Budget,
}

impl<'a> Pair<'a> {
    /// Before anything has happened; gives up beyond so many steps.
    pub(super) fn new(receiver: Process<'a>, sender: Process<'a>, most: usize) -> Self {
        let mut messages = Messages::default();
        let mut numbers =
            |sent: Vec<Vec<Value>>| sent.iter().map(|message| messages.number(message)).collect();
        let (own, others) = (numbers(receiver.sent()), numbers(receiver.sent_by_third(&sender)));
        Self {
            messages,
            receiver: Met::new(receiver),
            sender: Met::new(sender),
            own,
            others,
            seen: HashSet::new(),
            open: Vec::new(),
            budget: Budget { left: most, most },
        }
    }

    /// How many steps have been taken.
    pub(super) const fn steps(&self) -> usize {
        self.budget.most - self.budget.left
    }

    /// Looks at all states. Stops as soon as something asked about is executed and there are more cells that may decide that: those
    /// that are `touched` in a state in which the receiver may execute it, or the sender send what has been received; some are
    /// looked at already.
    pub(super) fn walk(
        &mut self,
        asked: &BTreeSet<At>,
        touched: &Sides<impl Fn(&Cells) -> BTreeSet<usize>, impl Fn(&Cells) -> BTreeSet<usize>>,
        looked_at: &Sides<BTreeSet<usize>>,
    ) -> Outcome {
        self.walked(asked, touched, looked_at).unwrap_or(Outcome::GaveUp)
    }

    fn walked(
        &mut self,
        asked: &BTreeSet<At>,
        touched: &Sides<impl Fn(&Cells) -> BTreeSet<usize>, impl Fn(&Cells) -> BTreeSet<usize>>,
        looked_at: &Sides<BTreeSet<usize>>,
    ) -> Result<Outcome, Lost> {
        let mut executed = BTreeSet::new();
        self.begin()?;
        while let Some(state) = self.open.pop() {
            self.budget.take()?;
            let steps = self.receiver.steps(state.receiver)?;
            let node = self.receiver.node(state.receiver);
            let here = steps.iter().filter(|step| !step.to.is_empty()).map(|step| (node, step.edge));
            let here: Vec<At> = here.filter(|at| asked.contains(at)).collect();
            if state.last != Last::Other && !here.is_empty() {
                let receiver = self.receiver.cells(state.receiver);
                let sending = std::mem::take(&mut self.sender.sending);
                let senders = sending.iter().map(|sender| self.sender.cells(*sender));
                let more = Sides {
                    receiver: &(touched.receiver)(&receiver) - &looked_at.receiver,
                    sender: &senders.flat_map(|sender| (touched.sender)(&sender)).collect()
                        - &looked_at.sender,
                };
                if !more.receiver.is_empty() || !more.sender.is_empty() {
                    return Ok(Outcome::LookAt(more));
                }
                executed.extend(here);
                if executed.is_superset(asked) {
                    break;
                }
            }
            self.expand(state, &steps)?;
        }
        Ok(Outcome::Executed(executed))
    }

    fn begin(&mut self) -> Result<(), Lost> {
        let receivers = self.receiver.process.entry()?;
        let receivers: Vec<usize> = receivers.iter().map(|to| self.receiver.number(to)).collect();
        for sender in self.sender.process.entry()? {
            let sender = self.sender.number(&sender);
            self.meet(&receivers, Last::Nobody, sender);
        }
        Ok(())
    }

    /// Notes states that are to be looked at.
    fn meet(&mut self, receivers: &[usize], last: Last, sender: usize) {
        for &receiver in receivers {
            let state = State { receiver, last, sender };
            if self.seen.insert(state) {
                self.open.push(state);
            }
        }
    }

    fn expand(&mut self, State { receiver, last, sender }: State, steps: &[Numbered]) -> Result<(), Lost> {
        for step in steps {
            self.meet(&step.to, last, sender);
        }
        // Only then does it matter what is sent.
        if !self.receiver.waits(receiver) {
            return Ok(());
        }
        for at in 0..self.others.len() {
            self.receive((receiver, sender), self.others[at], Last::Other)?;
        }
        for at in 0..self.own.len() {
            self.receive((receiver, sender), self.own[at], Last::Known)?;
        }
        for (message, senders) in self.sender.sends(sender, &mut self.messages, &mut self.budget)?.iter() {
            self.budget.take()?;
            let receivers = self.receiver.receive(receiver, *message, &self.messages)?;
            for &sender in senders {
                self.meet(&receivers, Last::Known, sender);
            }
        }
        Ok(())
    }

    /// What the receiver does with a message that is not the next one of the sender.
    fn receive(
        &mut self,
        (receiver, sender): (usize, usize),
        message: usize,
        last: Last,
    ) -> Result<(), Lost> {
        self.budget.take()?;
        let receivers = self.receiver.receive(receiver, message, &self.messages)?;
        self.meet(&receivers, last, sender);
        Ok(())
    }
}
