//! What Spin makes of models beside what the front end makes of them: whether they are accepted,
//! and their control-flow graphs, as the verifier that Spin generates prints them (`pan -d`).
//!
//! The models are those of this repository, and a collection of other people's models, if there is
//! one. Differences are allowed where a table in the repository gives the reason,
//! `differences.tsv`.
//!
//! - [`corpus`]: the models;
//! - [`verdict`]: what Spin says of them;
//! - [`pan`] and [`program`]: graphs, of Spin and of ours, in the form of [`graph`](mod@graph) and
//!   [`term`];
//! - [`pairing`]: two graphs side by side;
//! - [`run`]: all of it for many models;
//! - [`states`]: how many states Spin's verifier finds, and what is wrong in them;
//! - [`exploration`]: the same beside the concrete semantics;
//! - [`features`] and [`state_page`]: what models use, and the page about their states;
//! - [`differences`]: the table of reasons;
//! - [`page`]: the results as a page of the documentation.

pub mod corpus;
pub mod differences;
pub mod exploration;
pub mod features;
pub mod graph;
pub mod page;
pub mod pairing;
pub mod pan;
pub mod program;
pub mod regions;
pub mod run;
pub mod state_page;
pub mod states;
pub mod term;
pub mod verdict;
