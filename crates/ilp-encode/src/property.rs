//! The trait of a property: the rows of a cone that must not be gained for ever.

use cfsm_core::system::{DataId, MessageId, System, TransitionId};

/// A property that holds if something cannot be gained for ever.
///
/// For boundedness, messages of a type can be gained; for livelock freedom, steps without progress.
/// Encoding, decision, certificates and counterexamples are the same for both. The methods are
/// called once per message type and transition when a [`Cone`](crate::Cone) is built.
///
/// ```
/// use cfsm_core::system::{MessageId, System, SystemBuilder, TransitionId};
/// use ilp_encode::{Cone, Options, Pool, Property, Row, growth};
///
/// /// No infinite run: steps cannot be gained for ever.
/// struct Termination;
///
/// impl Property for Termination {
///     fn gain(&self, _: &System, _: TransitionId) -> u32 {
///         1
///     }
/// }
///
/// let mut b = SystemBuilder::new("consumer");
/// let m = b.message("q", "m");
/// b.class("P", 1).receive("0", m, "0");
/// let system = b.build()?;
/// let options = Options::default();
/// let cone = Cone::new(&system, &Termination, &options)?;
/// assert!(growth(&cone, &mut Pool::default(), &options)?.growing.is_empty());
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub trait Property {
    /// Returns `true` if messages of this type must not be gained for ever. Not called for
    /// rendezvous.
    fn is_target(&self, _system: &System, _message: MessageId) -> bool {
        false
    }

    /// Returns `true` if a quantity of data must not be gained for ever.
    fn is_data_target(&self, _system: &System, _data: DataId) -> bool {
        false
    }

    /// The change of the property's own row ([`Row::Gain`](crate::Row::Gain)) by a transition; the
    /// row must not be gained for ever. Livelock: 1 for each step that is not progress.
    fn gain(&self, _system: &System, _transition: TransitionId) -> u32 {
        0
    }

    /// Returns `true` if a transition cannot take part in a counterexample. Livelock: a step that
    /// is progress.
    fn excludes(&self, _system: &System, _transition: TransitionId) -> bool {
        false
    }
}
