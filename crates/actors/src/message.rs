//! Messages, and the labels that stand for them in the model.

use std::fmt::{self, Debug, Write as _};
use std::hash::{Hash, Hasher};

/// A message between actors. Messages with the same [label](Message::label) are the same to the
/// model.
///
/// Derive it: `#[derive(Clone, Debug, Message)]`. Data that decides nothing is left out of the
/// label by `#[label(skip)]` at its field:
///
/// ```
/// use freeboard_actors::Message;
///
/// #[derive(Clone, Debug, Message)]
/// enum Job {
///     Square(#[label(skip)] u64),
///     Move { axis: char, #[label(skip)] steps: u32 },
///     Stop,
/// }
/// assert_eq!(Job::Square(4).label(), "Square");
/// assert_eq!(Job::Move { axis: 'x', steps: 9 }.label(), "Move('x')");
/// assert_eq!(Job::Stop.label(), "Stop");
/// ```
pub trait Message: Clone + Debug + Send + 'static {
    /// The name of the message in the model. To leave data out of it is a promise: no handler
    /// decides by that data where it goes next, or which messages it sends.
    fn label(&self) -> String;
}

/// A label: a name, and the data that counts, in parentheses.
#[doc(hidden)]
#[must_use]
pub fn label_of(name: &str, fields: &[&dyn Debug]) -> String {
    let mut label = name.to_owned();
    for (position, field) in fields.iter().enumerate() {
        let _ = write!(label, "{}{field:?}", if position == 0 { "(" } else { ", " });
    }
    if !fields.is_empty() {
        label.push(')');
    }
    label
}

/// Data of an actor's state that decides nothing: any two are equal. Wrapped in it, a sum or a
/// cache does not make the states infinitely many.
///
/// It is the same promise as `#[label(skip)]`: where the actor goes next, and what it sends, does
/// not depend on it.
#[derive(Clone, Copy, Default)]
pub struct Ignored<T>(pub T);

impl<T> PartialEq for Ignored<T> {
    fn eq(&self, _: &Self) -> bool {
        true
    }
}

impl<T> Eq for Ignored<T> {}

impl<T> Hash for Ignored<T> {
    fn hash<H: Hasher>(&self, _: &mut H) {}
}

impl<T> Debug for Ignored<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("_")
    }
}
