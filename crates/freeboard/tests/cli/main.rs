//! The command line: exit statuses, streams, JSON keys and files.
#![allow(clippy::unwrap_used)] // clippy.toml allows it in tests, and helpers of tests are no less

mod capacities;
mod certificates;
mod explanations;
mod exports;
mod findings;
mod guide;
mod harness;
mod inputs;
mod json;
mod listings;
mod livelocks;
mod lsp;
mod machines;
mod manners;
mod open;
mod reach;
mod refinements;
mod report;
mod reports;
mod runs;
mod schema;
mod snapshots;
mod systems;
mod trust;
mod witnesses;
