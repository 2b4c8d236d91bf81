//! Proof by cases: what can be repeated for ever, given where some processes are in the long run.
//!
//! Thesis 12.3; theory 7. A process that exists once and runs two cycles for ever goes from one to
//! the other for ever: what it does in the long run is strongly connected. A [`Prover`] puts the
//! question of a [`Property`](ilp_encode::Property) (see `ilp-encode`), and where the answer is
//! cycles of one process that do not hang together, it asks whether they can; if not, the process
//! settles in the long run, and there is a question for each part where it may. Where it does says
//! where others cannot be that have met the same process as it has. What it proves is a tree, which
//! `certify` knows how to check.
//!
//! A queue that [keeps order](cfsm_core::system::System::keeps_order) and from which messages are
//! taken for ever delivers all that is sent to it. Where the answer takes some and leaves others,
//! that makes three questions too: nothing is taken in the long run, some of the others are, or
//! they are not sent.
//!
//! The property says what the tree is about: its exclusions are the transitions that fire finitely
//! often, and what must not be gained is what the leaves rule out. `livelock` and `boundedness` say
//! why such a tree proves what they claim.
#![forbid(unsafe_code)]
#![deny(missing_docs)]

mod apart;
mod delivery;
mod departure;
mod joint;
mod prover;
mod recurring;
mod relations;
mod settling;
mod single;

pub use joint::{CoReachability, Confinement, JointReach, StateIndex, StateSet, Whereabouts};
pub use prover::{Evidence, Found, Options, Prover};
pub use single::single_classes;
