//! Texts for other tools: nets, linear programmes, traces and claims.
//!
//! A net and a linear programme are made of a [system](cfsm_core::system::System): they have its
//! counting interpretation. A trace and a claim are made of a run.

mod claim;
mod itf;
mod lola;
mod lp;
mod net;
mod pnml;

pub use claim::{NoClaim, claim, has_room};
pub use itf::itf;
pub use lola::lola;
pub use lp::lp;
pub use net::{Net, NetPlace, NetTransition, NoNet, PlaceKind};
pub use pnml::pnml;
