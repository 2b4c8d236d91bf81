//! What a property asks of a cone: the one trait that every property implements.

use cfsm_core::system::{DataId, MessageId, System, TransitionId};

/// A property that holds if something cannot be gained for ever.
///
/// Boundedness asks for message types that can be gained, livelock freedom for steps without
/// progress; encoding, decision, certificates and counterexamples are the same for both. An
/// implementation is asked once per message type and transition when a [`Cone`](crate::Cone) is
/// built.
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
    /// Whether messages of this type must not be gained for ever. Not asked of rendezvous.
    fn is_target(&self, _system: &System, _message: MessageId) -> bool {
        false
    }

    /// Whether a quantity of data must not be gained for ever.
    fn is_data_target(&self, _system: &System, _data: DataId) -> bool {
        false
    }

    /// How much a transition adds to the property's own row ([`Row::Gain`](crate::Row::Gain)),
    /// which must not be gained for ever. Livelock: 1 for each step that is not progress.
    fn gain(&self, _system: &System, _transition: TransitionId) -> u32 {
        0
    }

    /// Whether a transition cannot take part in a counterexample. Livelock: a step that is
    /// progress.
    fn excludes(&self, _system: &System, _transition: TransitionId) -> bool {
        false
    }
}
