//! Control-flow graphs whose edges are labelled with statements, in one form for both sides.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use super::term::{Term, all_fit};

/// The graph of one process type or claim.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Graph {
    /// Its name; `init` for the init process.
    pub name: String,
    /// The state it starts in.
    pub entry: usize,
    /// The states by number.
    pub states: BTreeMap<usize, State>,
}

/// A control state.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct State {
    /// What leaves it, in source order.
    pub edges: Vec<Edge>,
    /// What its labels mean.
    pub marks: Marks,
    /// Whether the process comes to its end here.
    pub is_exit: bool,
}

/// What labels of a state mean.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Marks {
    /// `accept`
    pub accept: bool,
    /// `end`
    pub end: bool,
    /// `progress`
    pub progress: bool,
}

/// One statement.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Edge {
    /// Where it leads.
    pub target: usize,
    /// What it does.
    pub label: Label,
    /// Whether the process goes on before any other one.
    pub atomic: bool,
    /// 0, or more for the escape of an `unless`; greater ones first.
    pub rank: usize,
    /// The line it stands in; 0 if nobody says.
    pub line: u32,
    /// The line it ends in.
    pub last_line: u32,
    /// The statement as text, for people.
    pub text: String,
}

/// What an edge does.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Label {
    /// `goto`, `break`, or the way on from the end of an `if`: nothing that a user would call a
    /// step.
    Jump,
    /// In a program, nothing that can be executed always: a `skip` that comes out of a macro, the
    /// way on from an `if`, or a jump with a label. Spin shows it as `skip` or as a jump.
    Silent,
    /// `else`
    Else,
    /// A whole `d_step`.
    DStep,
    /// Output. What is printed is not compared, as Spin shortens it.
    Print,
    /// Code in C; whether as a condition.
    Code(bool),
    /// A condition; `skip` is the condition 1.
    Condition(Term),
    /// An assignment.
    Assign(Term, Term),
    /// A send: channel, whether sorted, message.
    Send(Term, bool, Vec<Term>),
    /// A receive: channel, whether random, whether the message stays, patterns.
    Receive(Term, bool, bool, Vec<Term>),
    /// An assertion.
    Assert(Term),
    /// A change of priority.
    Priority(Term, Term),
    /// What could not be understood.
    Unknown(String),
}

impl Label {
    /// `skip`
    #[must_use]
    pub const fn skip() -> Self {
        Self::Condition(Term::Number(1))
    }

    /// Whether this label of ours means what that one of Spin's does.
    #[must_use]
    pub fn fits(&self, spins: &Self) -> bool {
        match (self, spins) {
            (Self::Silent, _) => *spins == Self::Jump || *spins == Self::skip(),
            (Self::Condition(a), Self::Condition(b)) | (Self::Assert(a), Self::Assert(b)) => a.fits(b),
            (Self::Assign(a, x), Self::Assign(b, y)) | (Self::Priority(a, x), Self::Priority(b, y)) => {
                a.fits(b) && x.fits(y)
            }
            (Self::Send(a, sorted, x), Self::Send(b, other, y)) => {
                a.fits(b) && sorted == other && all_fit(x, y)
            }
            (Self::Receive(a, random, stays, x), Self::Receive(b, other, leaves, y)) => {
                a.fits(b) && (random, stays) == (other, leaves) && all_fit(x, y)
            }
            _ => self == spins,
        }
    }
}

impl Graph {
    /// The state with this number; one without edges if there is none.
    #[must_use]
    pub fn state(&self, number: usize) -> State {
        self.states.get(&number).cloned().unwrap_or_default()
    }

    /// The only edge of a state, if it is a jump.
    #[must_use]
    pub fn only_jump(&self, number: usize) -> Option<&Edge> {
        match self.states.get(&number)?.edges.as_slice() {
            [edge] if matches!(edge.label, Label::Jump | Label::Silent) => Some(edge),
            _ => None,
        }
    }

    /// A state's edges in words.
    #[must_use]
    pub fn describe(&self, number: usize) -> String {
        let state = self.state(number);
        if state.is_exit {
            return String::from("the end");
        }
        let texts: Vec<String> = state
            .edges
            .iter()
            .map(|edge| {
                let rank = if edge.rank > 0 { format!("^{} ", edge.rank) } else { String::new() };
                let flag = if edge.atomic { "[A] " } else { "" };
                format!("{rank}{flag}`{}`", edge.text.replace('`', "'").replace('|', "\\|"))
            })
            .collect();
        texts.join(", ")
    }

    /// All of it as text, one line per edge.
    #[must_use]
    pub fn outline(&self) -> String {
        let mut text = format!("{} from {}\n", self.name, self.entry);
        for (number, state) in &self.states {
            for Edge { target, label, atomic, rank, line, .. } in &state.edges {
                let flag = if *atomic { "A" } else { "-" };
                let _ = writeln!(text, "  {number} -> {target} ^{rank} [{flag}] line {line}: {label:?}");
            }
        }
        text
    }
}
