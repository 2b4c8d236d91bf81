//! What is said here, held against what the model checker Spin says. Without Spin and a C compiler
//! nothing is compared, and that is said.
//!
//! These tests take longest and wait for compilers: they run beside each other.
#![allow(clippy::unwrap_used)] // clippy.toml allows it in tests, and helpers of tests are no less

mod comparison;
mod environments;
mod examples;
mod fairness;
mod generator;
mod livelock;
mod pumps;
mod random_states;
mod spin;
mod states;
mod strategies;
mod texts;
