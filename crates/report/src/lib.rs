//! Reports: a plain view of a result, and one module per renderer.
//!
//! The results of the analyses are typed and contain ids. This crate converts them to a [`view`]:
//! names, lines and numbers in exactly the shape of the JSON that `freeboard check` prints, on
//! which scripts may rely. Renderers read nothing but the view:
//!
//! - [`text`]: for people;
//! - [`html`]: for people, as a document that shows runs and diagrams;
//! - [`diagram`]: machines and networks as SVG, DOT and Mermaid;
//! - [`json`]: for programs;
//! - [`sarif`], [`junit`]: for code scanning and build servers;
//! - [`export`]: for model checkers and solvers;
//! - [`diagnostics`]: errors and warnings of the front end, with the text they point at.
//!
//! All but text, JSON and diagnostics come with the feature `documents`, on by default.
//!
//! A renderer returns a string. None of them prints, queries the terminal or reads the environment;
//! colour is used only on request. The same view gives the same string. Text for people is made
//! [`visible`]: control characters in names and texts of inputs are escaped.
//!
//! ```
//! use cfsm_core::system::SystemBuilder;
//! use report::text::{self, Style};
//! use report::view::{self, Seconds, Subject};
//!
//! let mut b = SystemBuilder::new("client-server");
//! let request = b.message("toServer", "request");
//! let reply = b.message("toClient", "reply");
//! b.class("client", 1).send("idle", request, "waiting").receive("waiting", reply, "idle");
//! b.class("server", 1).receive("ready", request, "busy").send("busy", reply, "ready");
//! let system = b.build()?;
//!
//! let check = view::check(&Subject {
//!     file: "client-server.json",
//!     system: &system,
//!     outcome: &boundedness::check(&system, &boundedness::Options::default()),
//!     assumptions: &[],
//!     approximations: &[],
//!     refinement: &[],
//!     tried: &[],
//!     runs: None,
//!     as_declared: None,
//!     seconds: Seconds::default(),
//! });
//! let text = text::check(&check, Style::default());
//! assert!(text.starts_with("BOUNDED: every buffer is proved bounded (certificate checked)\n"));
//! assert!(text.contains("toServer  -         1             -        bounded  proved ≤ 1\n"));
//! # Ok::<(), cfsm_core::system::Defect>(())
//! ```
#![forbid(unsafe_code)]
#![deny(missing_docs)]

#[cfg(feature = "documents")]
mod alerts;
pub mod diagnostics;
#[cfg(feature = "documents")]
pub mod diagram;
mod excerpts;
#[cfg(feature = "documents")]
pub mod export;
#[cfg(feature = "documents")]
pub mod html;
pub mod json;
#[cfg(feature = "documents")]
pub mod junit;
#[cfg(feature = "documents")]
mod markup;
#[cfg(feature = "documents")]
pub mod sarif;
pub mod text;
pub mod view;
pub mod visible;
#[cfg(feature = "documents")]
mod xml;
