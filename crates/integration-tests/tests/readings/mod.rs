//! Verdicts under different readings of capacities: no buffer that is called bounded holds more
//! where other channels are limited or unlimited, in any combination, and none that is called
//! unbounded is bounded.

#![allow(clippy::unwrap_used)] // clippy.toml allows it in tests, and helpers of tests are no less

mod asked;
mod declared;
mod models;
mod random;
mod runs;
mod table;
mod truth;
