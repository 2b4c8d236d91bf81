//! Actions of edges: one statement of the user each.

use serde::{Deserialize, Serialize};

use super::{Expression, Place, ProcessTypeId};

/// The action of an edge. Each variant states its effect and its executability.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub enum Action {
    /// No effect; executable if the expression is not 0. (`skip` is the condition 1.)
    Condition(Expression),
    /// No effect; executable if none of the edges before it that leave the same location is; see
    /// [`Edge::alternatives`](super::Edge::alternatives).
    Else,
    /// `target = value`; always executable.
    Assign {
        /// The variable or array element that is written.
        target: Place,
        /// The value that is stored, wrapped to the target's type.
        value: Expression,
    },
    /// A send; executable if the channel is not full, or, with capacity 0, together with a matching
    /// receive of another process in the same step.
    Send {
        /// The channel.
        channel: Expression,
        /// The message.
        fields: Vec<Expression>,
        /// `true` to insert in order (`!!`), `false` to append (`!`).
        sorted: bool,
    },
    /// A receive; executable if the first message (any one if `random`) matches all patterns.
    Receive {
        /// The channel.
        channel: Expression,
        /// One pattern for each field.
        patterns: Vec<Pattern>,
        /// `true` for the first message that matches (`??`), `false` for the first message only
        /// (`?`).
        random: bool,
        /// `true` if the message stays in the channel (`?< >`).
        peek: bool,
    },
    /// Creation of a process; always executable (up to a limit on their number).
    Create {
        /// Its type.
        process_type: ProcessTypeId,
        /// One argument for each parameter.
        arguments: Vec<Expression>,
        /// Its priority, if one is stated.
        #[serde(default)]
        priority: Option<u8>,
        /// The variable that receives the number of the new process.
        result: Option<Place>,
    },
    /// An assertion; always executable; an error if the expression is 0.
    Assert(Expression),
    /// Output of text; always executable.
    Print {
        /// The format, as written.
        format: String,
        /// The values that are printed.
        arguments: Vec<Expression>,
    },
    /// Change of a process's priority; always executable.
    SetPriority {
        /// Number of the process.
        process: Expression,
        /// The new priority.
        priority: Expression,
    },
    /// Code in another language: it may write everything that it can access. Its executability is
    /// unknown if `guard`; otherwise it is always executable.
    Opaque {
        /// The text.
        text: String,
        /// `true` for a condition (`c_expr`), `false` for a statement (`c_code`).
        guard: bool,
    },
}

/// The pattern of a receive for one field.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Pattern {
    /// Matches any value, which is stored.
    Store(Place),
    /// Matches any value, which is dropped (`_`).
    Any,
    /// Matches only this value: a constant, or `eval(expression)`.
    Match(Expression),
}

impl Pattern {
    /// Mutable access to the expression in the pattern.
    pub fn expression_mut(&mut self) -> Option<&mut Expression> {
        match self {
            Self::Store(place) => place.index.as_deref_mut(),
            Self::Any => None,
            Self::Match(value) => Some(value),
        }
    }

    /// The expression in the pattern: the value to be matched, or the index of the stored element.
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
    /// The variables and array elements that the action writes.
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

    /// The places that the action reads or writes, including those inside indices. Time linear in
    /// its expressions.
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

    /// Mutable access to the expressions that the action evaluates, including indices of written
    /// elements.
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

    /// The expressions that the action evaluates, including indices of written elements.
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
