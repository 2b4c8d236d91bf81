//! Open systems: what is proved about them in every environment, and the assumptions on
//! environments under which they are bounded.
//!
//! An open system exchanges messages with an environment by rendezvous. A contract limits how many
//! messages of some types the environment sends, beyond those that it has taken of others; under it
//! every buffer is bounded, by a number that is linear in the limit. It is an ordinary question
//! about the system with an environment that keeps to the contract, whose slack is a data place
//! (`docs/soundness/open-systems.md`, Theorem 3). All that holds whatever the environment does are
//! clauses, from which systems of components are proved (Theorems 4 and 5).

mod clauses;
mod component;
mod composition;
mod generators;
mod joint;
mod kinds;
mod open_system;
mod window;

pub use component::{Clause, Component, ComponentError, Part};
pub use composition::{ComposeError, Composed, ComposedBuffer, Composition, compose};
pub use open_system::{Assumption, OpenSystem};
pub use window::Contract;
