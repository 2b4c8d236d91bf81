//! Whether every step of a run has its image in the abstract system: the claim of
//! `docs/soundness/abstraction.md`, put to the test.
//!
//! The runs are those of the concrete semantics (`explore`), which shares no code with the
//! abstraction. What may be the image of a run so far is kept by [`Image`]: for each process a set
//! of abstract states, for each queue a set of buffers, and for each message in a queue a set of
//! message types. A step leaves those for which there is a transition; none of the sets may become
//! empty.
//!
//! Where the system has data places, no quantity may grow by more than the transition says, and
//! none may be below 0.
//!
//! - [`image`]: what may be the image of a run, step by step;
//! - [`leaving`]: the transitions by the state that they leave;
//! - [`data`]: what a step does to data places;
//! - [`runs`]: random runs, and all runs of a small program;
//! - [`mutation`]: abstract systems that lack something, which the check has to notice.

pub mod data;
pub mod image;
pub mod leaving;
pub mod mutation;
mod registers;
pub mod runs;

pub use image::Image;
pub use runs::{Failure, Tally, check_all_runs, check_random_run};
