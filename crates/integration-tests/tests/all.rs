//! All tests of this crate that need no process of their own: one program, as each has to be
//! linked.

mod abstraction;
mod api;
mod beside_spin;
mod capsules;
mod carried;
mod certificates;
mod composition;
mod configurations;
mod counters;
mod data_flow;
mod data_places;
mod deliveries;
mod documentation;
mod every_file;
mod exactness;
mod fragments;
mod house;
mod incarnations;
mod layering;
mod machines;
mod maxima;
mod open_systems;
mod pairs;
mod private_queues;
mod promela;
mod random_systems;
mod readings;
mod reductions;
mod registers;
mod replies;
mod robustness;
mod rooms;
mod selections;
mod simulation;
mod structure;
mod systems;
mod together;
mod values;

/// Long runs spend a fifth of their time in the allocator of the system: this is the one that the
/// command has.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;
