//! What edges do: one statement of the user each.

use serde::{Deserialize, Serialize};

use super::{Expression, Place, ProcessTypeId};

/// What an edge does. Each says when it can be executed.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub enum Action {
    /// Nothing; when the expression is not 0. (`skip` is the condition 1.)
    Condition(Expression),
    /// Nothing; when none of the edges before it that leave from the same location can be executed;
    /// see [`Edge::alternatives`](super::Edge::alternatives).
    Else,
    /// `target = value`; always.
    Assign {
        /// What is written.
        target: Place,
        /// What is stored, wrapped to the target's type.
        value: Expression,
    },
    /// A send; when the channel is not full, or, of capacity 0, with a matching receive of another
    /// process in the same step.
    Send {
        /// To which channel.
        channel: Expression,
        /// The message.
        fields: Vec<Expression>,
        /// Sorted into the channel (`!!`) and not appended (`!`).
        sorted: bool,
    },
    /// A receive; when the first message (any one if `random`) matches all patterns.
    Receive {
        /// From which channel.
        channel: Expression,
        /// One for each field.
        patterns: Vec<Pattern>,
        /// The first message that matches (`??`) and not the first message only (`?`).
        random: bool,
        /// The message stays where it is (`?< >`).
        peek: bool,
    },
    /// Creation of a process; always (up to a limit on their number).
    Create {
        /// Its type.
        process_type: ProcessTypeId,
        /// One argument for each parameter.
        arguments: Vec<Expression>,
        /// Its priority, if one is stated.
        #[serde(default)]
        priority: Option<u8>,
        /// What receives the number of the new process.
        result: Option<Place>,
    },
    /// An assertion; always; an error if the expression is 0.
    Assert(Expression),
    /// Output of text; always.
    Print {
        /// The format, as written.
        format: String,
        /// What is printed.
        arguments: Vec<Expression>,
    },
    /// Change of a process's priority; always.
    SetPriority {
        /// Number of the process.
        process: Expression,
        /// The new priority.
        priority: Expression,
    },
    /// Code in another language: may write everything it can see; whether it can be executed is not
    /// known if `guard`, else always.
    Opaque {
        /// The text.
        text: String,
        /// Whether it is a condition (`c_expr`) and not a statement (`c_code`).
        guard: bool,
    },
}

/// What a receive asks of one field.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Pattern {
    /// Anything; the value is stored here.
    Store(Place),
    /// Anything; the value is dropped (`_`).
    Any,
    /// Only a value equal to this: a constant, or `eval(expression)`.
    Match(Expression),
}

impl Pattern {
    /// The expression in it, to be changed.
    pub fn expression_mut(&mut self) -> Option<&mut Expression> {
        match self {
            Self::Store(place) => place.index.as_deref_mut(),
            Self::Any => None,
            Self::Match(value) => Some(value),
        }
    }

    /// The expression in it: what is matched, or the index of where it is stored.
    #[must_use]
    pub fn expression(&self) -> Option<&Expression> {
        match self {
            Self::Store(place) => place.index.as_deref(),
            Self::Any => None,
            Self::Match(value) => Some(value),
        }
    }
}

impl Action {
    /// What it writes.
    #[must_use]
    pub fn targets(&self) -> Vec<&Place> {
        match self {
            Self::Assign { target, .. } => vec![target],
            Self::Receive { patterns, .. } => patterns
                .iter()
                .filter_map(|pattern| match pattern {
                    Pattern::Store(place) => Some(place),
                    Pattern::Any | Pattern::Match(_) => None,
                })
                .collect(),
            Self::Create { result, .. } => result.iter().collect(),
            Self::Condition(_)
            | Self::Else
            | Self::Send { .. }
            | Self::Assert(_)
            | Self::Print { .. }
            | Self::SetPriority { .. }
            | Self::Opaque { .. } => Vec::new(),
        }
    }

    /// The places that it reads or writes, those inside of indices included. Time linear in its
    /// expressions.
    #[must_use]
    pub fn places(&self) -> Vec<&Place> {
        let mut places = self.targets();
        let mut open = self.expressions();
        while let Some(expression) = open.pop() {
            places.extend(match expression {
                Expression::Read(place) => Some(place),
                _ => None,
            });
            open.extend(expression.children());
        }
        places
    }

    /// The expressions that it evaluates, indices of what it writes included, to be changed.
    pub fn expressions_mut(&mut self) -> Vec<&mut Expression> {
        match self {
            Self::Else | Self::Opaque { .. } => Vec::new(),
            Self::Condition(value) | Self::Assert(value) => vec![value],
            Self::Assign { target, value } => {
                [value].into_iter().chain(target.index.as_deref_mut()).collect()
            }
            Self::Send { channel, fields, .. } => [channel].into_iter().chain(fields).collect(),
            Self::Receive { channel, patterns, .. } => {
                [channel].into_iter().chain(patterns.iter_mut().filter_map(Pattern::expression_mut)).collect()
            }
            Self::Create { arguments, result, .. } => {
                let index = result.as_mut().and_then(|place| place.index.as_deref_mut());
                arguments.iter_mut().chain(index).collect()
            }
            Self::Print { arguments, .. } => arguments.iter_mut().collect(),
            Self::SetPriority { process, priority } => vec![process, priority],
        }
    }

    /// The expressions that it evaluates, indices of what it writes included.
    #[must_use]
    pub fn expressions(&self) -> Vec<&Expression> {
        match self {
            Self::Else | Self::Opaque { .. } => Vec::new(),
            Self::Condition(value) | Self::Assert(value) => vec![value],
            Self::Assign { target, value } => [value].into_iter().chain(target.index.as_deref()).collect(),
            Self::Send { channel, fields, .. } => [channel].into_iter().chain(fields).collect(),
            Self::Receive { channel, patterns, .. } => {
                [channel].into_iter().chain(patterns.iter().filter_map(Pattern::expression)).collect()
            }
            Self::Create { arguments, result, .. } => {
                let index = result.as_ref().and_then(|place| place.index.as_deref());
                arguments.iter().chain(index).collect()
            }
            Self::Print { arguments, .. } => arguments.iter().collect(),
            Self::SetPriority { process, priority } => vec![process, priority],
        }
    }
}
