//! Tests of the checker, most of them rejections: a checker that accepts is easy to write.

mod accepted;
mod all_bounded;
mod configurations;
mod data;
mod deliveries;
mod departures;
mod facts;
mod files;
mod linear;
mod livelocks;
mod machines;
mod properties;
mod rejected;
mod settlings;
mod trust;
mod walk;
