//! What comes out.

use certify::{Certificate, Checked, Fairness, Rejection};
use ilp_encode::{Combination, Stopped};
use thiserror::Error;

/// The result of [`check`](crate::check).
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Outcome {
    /// Which runs the question was about. A proof may be about more ([`is_livelock_free`]).
    ///
    /// [`is_livelock_free`]: Checked::is_livelock_free
    pub fairness: Fairness,
    /// The verdict.
    pub verdict: Verdict,
    /// Cycles without progress that can be repeated for ever in the abstraction: the
    /// counterexample. Those of a process that exists once hang together, unless the limit on cases
    /// was hit.
    pub combination: Option<Combination>,
    /// How many cases were looked at; 1 if none was distinguished.
    pub cases: usize,
    /// Why the kernel rejects a proof that was found: a bug of the search, and never a wrong
    /// verdict.
    pub rejected: Option<Rejection>,
    /// The number of elementary cycles without progress with different effects, where the cycle
    /// form listed them.
    pub listed_cycles: Option<usize>,
}

/// The verdict on a system.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Verdict {
    /// Every infinite run makes progress for ever, and here is the checked proof.
    Proved(Checked<Certificate>),
    /// That is not proved.
    Unknown(Reason),
}

/// Why a system is not proved free of livelocks.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
pub enum Reason {
    /// In the abstraction there is a livelock.
    #[error("some loops without progress can be repeated for ever, as far as the abstraction can tell")]
    CanRepeat,
    /// Too many cases had to be distinguished.
    #[error("more than {0} cases of where processes are in the long run would have to be distinguished")]
    Cases(usize),
    /// A limit was hit.
    #[error("{0}")]
    Limit(Stopped),
    /// A proof was found that the kernel rejects; see [`Outcome::rejected`].
    #[error("what was found as a proof is none: the checker rejects it")]
    Rejected,
    /// A run of the model is against a proof.
    #[error("a run of the model is a livelock although there is a proof against it: it cannot be trusted")]
    Contradicted,
}

impl Outcome {
    /// The outcome for a model of which a run has been seen that is against a proof: nothing is
    /// known any more.
    #[must_use]
    pub fn contradicted(self) -> Self {
        Self { verdict: Verdict::Unknown(Reason::Contradicted), ..self }
    }
}

impl Verdict {
    /// Whether the system is proved free of livelocks.
    #[must_use]
    pub const fn is_proved(&self) -> bool {
        matches!(self, Self::Proved(_))
    }

    /// As [`certificate`](Self::certificate), to put one in its place that says more.
    pub const fn certificate_mut(&mut self) -> Option<&mut Checked<Certificate>> {
        match self {
            Self::Proved(certificate) => Some(certificate),
            Self::Unknown(_) => None,
        }
    }

    /// The proof, if there is one.
    #[must_use]
    pub const fn certificate(&self) -> Option<&Checked<Certificate>> {
        match self {
            Self::Proved(certificate) => Some(certificate),
            Self::Unknown(_) => None,
        }
    }
}
