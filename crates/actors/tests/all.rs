//! Tests of roles, their extraction, their runs and their monitors.
#![allow(missing_docs)]
#![allow(clippy::unwrap_used)] // clippy.toml allows it in tests, and helpers of tests are no less

mod extraction;
mod hostile;
#[cfg(feature = "tokio")]
mod live;
mod monitors;
#[path = "../examples/paxos.rs"]
mod paxos;
#[path = "../examples/metrics.rs"]
mod pipeline;
mod random;
#[cfg(feature = "stateright")]
mod stateright;
#[path = "../examples/supervisor.rs"]
mod supervisor;
