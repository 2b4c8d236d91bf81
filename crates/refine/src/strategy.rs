//! What may be done about a counterexample, and what was.

use std::sync::Arc;

use boundedness::Combination;
use cfsm_core::system::System;

use crate::property::SeenStates;

/// What is done about a counterexample.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
#[non_exhaustive]
pub enum Strategy {
    /// What can never happen is left out (thesis 10.2; theory 5).
    Activation,
    /// Where processes are in the long run is told apart: what one does for ever hangs together
    /// (thesis 12.3; theory 7).
    Structure,
    /// Variables that are counted down to an end, or up to one, are places like those of messages
    /// (theory 6; it generalises thesis 12.2).
    DataPlaces,
    /// Variables that are counted up and down keep to a range, though no condition says so: they
    /// are as many as there are messages or processes of some kind (theory 6). Then they are
    /// places.
    Counters,
    /// Loops turn only so often each time that they are entered, which ranking functions show
    /// (thesis chapter 9, 12.2): they use up what they may.
    Ranking,
    /// A process and one that sends to it are followed together, message by message, to find
    /// conditions on what is received that never hold (thesis 11.4 generalised).
    Pairs,
    /// The values of variables are followed, through messages too (theory 8; thesis 11.3 and 11.4).
    Tracking,
    /// Messages come in the order in which they were sent: all configurations of the machines are
    /// listed.
    Order,
    /// Every run of the program comes to an end.
    Termination,
    /// Every run of the program that goes on for ever makes progress again and again.
    Recurrence,
    /// All states of the program are looked at.
    Exhaustion,
    /// An [engine](crate::portfolio::Engine) of the caller, by its name.
    Own(&'static str),
}

impl Strategy {
    /// All of them, in the order in which they are first tried to their end, mostly: a few steps of
    /// some come before others.
    pub const ALL: [Self; 11] = [
        Self::Activation,
        Self::Structure,
        Self::DataPlaces,
        Self::Counters,
        Self::Ranking,
        Self::Pairs,
        Self::Tracking,
        Self::Order,
        Self::Termination,
        Self::Recurrence,
        Self::Exhaustion,
    ];

    /// Whether it asks about another abstract system, and does not look at runs of the program.
    #[must_use]
    pub const fn refines(self) -> bool {
        !matches!(self, Self::Termination | Self::Recurrence | Self::Exhaustion)
    }

    /// Its name, as users write it.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Activation => "activation",
            Self::Structure => "structure",
            Self::DataPlaces => "data-places",
            Self::Counters => "counters",
            Self::Ranking => "ranking",
            Self::Pairs => "pairs",
            Self::Tracking => "tracking",
            Self::Order => "order",
            Self::Termination => "termination",
            Self::Recurrence => "recurrence",
            Self::Exhaustion => "exhaustion",
            Self::Own(name) => name,
        }
    }

    /// The sentence that says what it does, for people, without a full stop.
    #[must_use]
    pub const fn summary(self) -> &'static str {
        match self {
            Self::Activation => "leaves out transitions that wait for what nobody can send",
            Self::Structure => {
                "proves by cases of where processes are in the long run, and of what queues deliver"
            }
            Self::DataPlaces => "counts what is left to the end of a counter as it counts messages",
            Self::Counters => "finds ranges that counters keep to though no condition says so",
            Self::Ranking => "shows how often loops turn, by ranking functions",
            Self::Pairs => "follows a process and one that sends to it together, message by message",
            Self::Tracking => "tracks the values of variables, through messages too",
            Self::Order => "lists configurations, with messages in their order",
            Self::Termination => "shows that every run ends",
            Self::Recurrence => "shows that every run that goes on makes progress again and again",
            Self::Exhaustion => "looks at all states",
            Self::Own(_) => "an engine of the caller",
        }
    }

    /// Why no execution does what a strategy excludes.
    pub(crate) const fn reason(self) -> &'static str {
        match self {
            Self::Activation => "a statement of these loops waits for something that nobody can send",
            Self::Structure => {
                "what is repeated for ever hangs together in a process of which there is one, and a queue that is read for ever delivers all that is sent to it, which is not so here"
            }
            Self::DataPlaces | Self::Counters => {
                "these loops use up what a variable has, and no loop of them gives it back"
            }
            Self::Ranking => "one of these loops turns only so often each time that it is entered",
            Self::Pairs => {
                "a condition in these loops never holds, as what is received comes in the order in which it was sent"
            }
            Self::Tracking => {
                "the conditions in these loops cannot hold again and again with the values that the variables have there"
            }
            Self::Order => {
                "messages are received in the order in which they were sent, and then these loops never come together"
            }
            Self::Termination => "every run of the model comes to an end, so no loop is run for ever",
            Self::Recurrence => {
                "every run of the model that goes on for ever makes progress again and again, so these loops are not all that is run"
            }
            Self::Exhaustion => "all states of the model have been seen, and none of its runs does that",
            Self::Own(_) => "an abstraction that knows more has no such loops",
        }
    }
}

/// A strategy that acted, and what came of it.
#[derive(Clone, Debug)]
pub struct Act {
    /// The strategy.
    pub strategy: Strategy,
    /// The counterexample that it excludes, with the system that it is one of.
    pub spurious: Option<(Arc<System>, Combination)>,
    /// Why no execution does that, for people: a sentence without a full stop.
    pub because: String,
    /// What was done, for people: a sentence without a full stop.
    pub what: String,
    /// How many questions were open before (buffers, for boundedness).
    pub before: usize,
    /// How many were open behind it.
    pub after: usize,
}

impl Act {
    /// The act of showing that every run ends, which decides all that was open.
    #[must_use]
    pub fn termination(spurious: Option<(Arc<System>, Combination)>, states: usize, before: usize) -> Self {
        let strategy = Strategy::Termination;
        let what = match states {
            0 => "one run stands for all others, and it comes to an end".to_owned(),
            1 => "no run goes on for ever, which one state shows".to_owned(),
            _ => format!("no run goes on for ever, which {states} states show"),
        };
        Self { strategy, spurious, because: strategy.reason().into(), what, before, after: 0 }
    }

    /// The act of showing that no run goes on for ever without progress.
    #[must_use]
    pub fn recurrence(spurious: Option<(Arc<System>, Combination)>, states: usize) -> Self {
        let strategy = Strategy::Recurrence;
        let what = match states {
            0 => "one run stands for all others, and it comes to an end".to_owned(),
            1 => "no run goes on for ever without progress, which one state shows".to_owned(),
            _ => format!("no run goes on for ever without progress, which {states} states show"),
        };
        Self { strategy, spurious, because: strategy.reason().into(), what, before: 1, after: 0 }
    }

    /// The act of looking at all states, which decides all that was open.
    #[must_use]
    pub fn exhaustion(spurious: Option<(Arc<System>, Combination)>, seen: SeenStates, before: usize) -> Self {
        let strategy = Strategy::Exhaustion;
        let SeenStates { states, in_sets } = seen;
        let how = if in_sets { ", in sets" } else { "" };
        let what = format!("all {states} states were looked at{how}");
        Self { strategy, spurious, because: strategy.reason().into(), what, before, after: 0 }
    }
}
