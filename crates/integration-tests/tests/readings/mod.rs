//! Verdicts under different readings of capacities: no buffer that is called bounded holds more where other channels are limited or
//! unlimited, in any combination, and none that is called unbounded is bounded.

mod asked;
mod declared;
mod models;
mod random;
mod runs;
mod truth;
