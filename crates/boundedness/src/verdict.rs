//! What comes out: verdicts per buffer and for the whole.

use std::fmt;

use certify::{Certificate, Checked, Claim, Rejection};
use cfsm_core::ids::IdMap;
use cfsm_core::system::{BufferId, System};
use ilp_encode::{Combination, Stopped};
use num_bigint::BigInt;
use thiserror::Error;

/// The result of [`check`](crate::check).
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Outcome {
    /// Per buffer, its verdict.
    pub buffers: IdMap<BufferId, BufferVerdict>,
    /// Combinations of cycles that make buffers grow in the abstraction, the counterexamples.
    pub combinations: Vec<Combination>,
    /// The verdict on the whole system.
    pub verdict: Verdict,
    /// The limit that was hit while bounds were computed, if one was: then some bounds are larger
    /// than need be.
    pub coarse_bounds: Option<Stopped>,
    /// Why the kernel rejects proofs that were found: bugs of the search, and never wrong verdicts.
    pub rejected: Vec<Rejection>,
    /// How many cases were looked at for a proof; 1 if none was distinguished.
    pub cases: usize,
    /// The number of elementary cycles with different effects, where the cycle form listed them.
    pub listed_cycles: Option<usize>,
}

/// The verdict on one buffer.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum BufferVerdict {
    /// It never holds more than this many messages: a claim of the certificate says so.
    Bounded {
        /// In messages.
        bound: BigInt,
    },
    /// It never holds more than some number of messages, which is not known: a claim of the
    /// certificate on all buffers says so.
    Finite,
    /// It can grow in the abstraction; whether in the model too is not known.
    CanGrow {
        /// Position of a counterexample in [`Outcome::combinations`].
        combination: usize,
    },
    /// Nothing is known.
    Unknown,
    /// Nothing is asked: it stores nothing, or the environment uses it.
    Rendezvous,
}

/// The verdict on a system.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Verdict {
    /// Every buffer is bounded, and here is the checked proof.
    Proved(Checked<Certificate>),
    /// Not every buffer is proved bounded.
    Unknown {
        /// Why.
        reason: Reason,
        /// Proofs for those buffers that are.
        certificate: Option<Checked<Certificate>>,
    },
}

impl Outcome {
    /// The outcome for a model of which a run has been seen that is against a proof: nothing is
    /// known any more.
    #[must_use]
    pub fn contradicted(self) -> Self {
        self.without_proofs(Reason::Contradicted)
    }

    /// The same with these claims as a certificate, where some buffers may grow all the same. If
    /// the kernel rejects them, no buffer counts as bounded, and the outcome says why.
    pub(crate) fn certified(mut self, system: &System, claims: Vec<Claim>, may_grow: bool) -> Self {
        match certify::check(system, Certificate::new(system, claims)) {
            Ok(certificate) if may_grow => {
                let certificate = Some(certificate);
                Self { verdict: Verdict::Unknown { reason: Reason::CanGrow, certificate }, ..self }
            }
            Ok(certificate) => Self { verdict: Verdict::Proved(certificate), ..self },
            Err(rejection) => {
                self.rejected.push(rejection);
                self.without_proofs(Reason::Rejected)
            }
        }
    }

    fn without_proofs(self, reason: Reason) -> Self {
        let unknown = |verdict: &BufferVerdict| match verdict {
            BufferVerdict::Bounded { .. } | BufferVerdict::Finite => BufferVerdict::Unknown,
            other => other.clone(),
        };
        Self {
            buffers: self.buffers.values().map(unknown).collect(),
            verdict: Verdict::Unknown { reason, certificate: None },
            ..self
        }
    }
}

impl Verdict {
    /// Whether the system is proved bounded.
    #[must_use]
    pub const fn is_proved(&self) -> bool {
        matches!(self, Self::Proved(_))
    }

    /// As [`certificate`](Self::certificate), to put one in its place that says more.
    pub const fn certificate_mut(&mut self) -> Option<&mut Checked<Certificate>> {
        match self {
            Self::Proved(certificate) => Some(certificate),
            Self::Unknown { certificate, .. } => certificate.as_mut(),
        }
    }

    /// What has been proved, if anything has.
    #[must_use]
    pub const fn certificate(&self) -> Option<&Checked<Certificate>> {
        match self {
            Self::Proved(certificate) => Some(certificate),
            Self::Unknown { certificate, .. } => certificate.as_ref(),
        }
    }
}

/// Why a system is not proved bounded.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
pub enum Reason {
    /// Some buffers can grow in the abstraction.
    #[error("some combination of loops makes a buffer grow, as far as the abstraction can tell")]
    CanGrow,
    /// A limit was hit.
    #[error("{0}")]
    Limit(Stopped),
    /// A proof was found that the kernel rejects; see [`Outcome::rejected`].
    #[error("what was found as a proof is none: the checker rejects it")]
    Rejected,
    /// A run exceeds a bound that was proved.
    #[error("a run of the model exceeds a bound that was proved: the proof cannot be trusted")]
    Contradicted,
}

impl fmt::Display for BufferVerdict {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Bounded { bound } => write!(f, "bounded by {bound}"),
            Self::Finite => f.write_str("bounded"),
            Self::CanGrow { .. } => f.write_str("can grow"),
            Self::Unknown => f.write_str("unknown"),
            Self::Rendezvous => f.write_str("rendezvous"),
        }
    }
}
