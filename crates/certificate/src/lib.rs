//! The format of certificates: claims about a system and their proofs, as data and as JSON files.
//!
//! A [`Certificate`] lists claims about one [system](cfsm_core::system::System), each with all that
//! is needed to check it: weights of places, a tree of cases, sets of configurations. This crate
//! defines what can be written down, and reads and writes it; what a claim *means* and when it is
//! proved is defined by the kernel, the crate `certify`, whose front page has the theorems. Nothing
//! here decides anything: any certificate can be made, and it is worth nothing until the kernel has
//! accepted it.
//!
//! Provers import this crate and not the checker's code, so that no mistake can be made twice with
//! one line. What a proof needs to know about a system beyond weights (which messages are not sent
//! any more, which classes have one instance, where processes can be at the same time) is
//! *listed* in the certificate by who found it, and the kernel checks that the list is closed.
//!
//! The files are described field by field in `docs/certificate-format.md`.
#![forbid(unsafe_code)]
#![deny(missing_docs)]

mod claim;
mod decimal;
mod file;
mod invariant;
mod limits;
mod linear;
mod proof;
mod trust;
mod values;

pub use claim::{
    AllBoundedClaim, BoundedClaim, Certificate, Claim, Configuration, ConfigurationsClaim, ContractClaim,
    Fairness, LivelockFreeClaim, SCHEMA,
};
pub use file::{CONTRACT_SCHEMA, ContractFile, FileError, InterfaceChannel, read_system, write_system};
pub use invariant::{JointRow, JointStates, SingleClass};
pub use limits::{
    MOST_CONFIGURATIONS, MOST_DIGITS, MOST_JOINT_BITS, MOST_JOINT_STATES, MOST_MESSAGES, MOST_NESTED,
};
pub use linear::{LinearClaim, LinearForm};
pub use proof::{Apart, Cut, Delivery, Departure, Limit, Proof, Ranking, SettledPart, Settling};
pub use trust::{Trusted, TrustedPart, trusted};
pub use values::{
    Amount, Changed, Invariant, Multiple, Quantity, Range, Reason, Step, Sum, Values, Variable, Way,
};
