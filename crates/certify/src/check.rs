//! From a certificate to a checked one.

use std::collections::BTreeMap;
use std::ops::Deref;

use cfsm_core::digest::file_name;
use cfsm_core::system::System;
use num_bigint::BigInt;

use crate::bounded::Bounded;
use crate::net::Net;
use crate::rejection::Rejection;
use crate::{configurations, tree, trust};
use certificate::{Certificate, Claim, Fairness, SCHEMA};

/// Something that [`check`] has accepted; there is no other way to make one.
///
/// It does not remember the system, only its name: whoever passes it on passes the system on with
/// it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Checked<T>(T);

impl<T> Checked<T> {
    /// What has been checked.
    #[must_use]
    pub fn get(&self) -> &T {
        &self.0
    }

    /// What has been checked, without the proof that it has been.
    #[must_use]
    pub fn into_inner(self) -> T {
        self.0
    }
}

impl<T> Deref for Checked<T> {
    type Target = T;
    fn deref(&self) -> &T {
        &self.0
    }
}

impl Checked<Certificate> {
    /// The claims and values of both certificates, which must be about one system.
    #[must_use]
    pub fn and(self, other: Self) -> Self {
        Self(self.0.and(other.0))
    }

    /// The proved bounds: for each buffer of a claim, the least bound of a claim that it is part of
    /// (in messages), in the order of their names.
    ///
    /// A bound on several buffers together is one on each of them. Time `O(n log n)` in the number
    /// of buffers named.
    pub fn bounds(&self) -> impl Iterator<Item = (&str, &BigInt)> {
        let mut least: BTreeMap<&str, &BigInt> = BTreeMap::new();
        for (buffer, claimed) in self.0.claims.iter().flat_map(Claim::bounds) {
            let bound = least.entry(buffer).or_insert(claimed);
            *bound = (*bound).min(claimed);
        }
        least.into_iter()
    }

    /// Whether one of the claims is that every infinite run makes progress.
    #[must_use]
    pub fn is_livelock_free(&self) -> bool {
        self.is_livelock_free_under(Fairness::None)
    }

    /// Whether one of the claims is that every infinite run makes progress that is fair in this
    /// sense.
    #[must_use]
    pub fn is_livelock_free_under(&self, fairness: Fairness) -> bool {
        let suits = |of: &Fairness| of.is_none() || *of == fairness;
        self.0.claims.iter().any(|one| matches!(one, Claim::LivelockFree(one) if suits(&one.fairness)))
    }

    /// Whether one of the claims is that every buffer is bounded, whatever by. Claims about all
    /// buffers one by one are none; they are among the [bounds](Self::bounds).
    #[must_use]
    pub fn is_all_bounded(&self) -> bool {
        self.0.claims.iter().any(|claim| matches!(claim, Claim::AllBounded(_)))
    }

    /// The proved bound of one buffer, in messages; `None` if no claim is about it.
    #[must_use]
    pub fn bound(&self, buffer: &str) -> Option<&BigInt> {
        self.bounds().find_map(|(name, bound)| (name == buffer).then_some(bound))
    }
}

/// Accepts a certificate if every claim in it is proved for the system by the
/// [theorem](crate#the-theorem). A certificate without claims proves nothing and is accepted. No
/// claim rests on the name of the system; but a certificate that names another one was mixed up,
/// and is rejected. Names are often paths, as somebody typed them: what stands before the last `/`
/// makes no difference. If it has the digest of a system, it must be that of this one, and then it
/// must list all that it [rests on](crate::trusted) and that is not checked here.
///
/// One pass over places and transitions for each claim of another kind than bounds: `O(n)`
/// additions, multiplications and comparisons of integers, where n is the size of the system and
/// the claim; and once `O(n log n)` to look up names. A claim of a bound takes that for the places
/// that it gives a weight and the transitions that touch them only. A claim with configurations
/// takes a comparison with `O(log n)` of them for each step that leaves one of them.
///
/// # Errors
/// The first reason why not, in the order in which [`Rejection`] lists them; of a claim, the first
/// [condition](crate::Violation) that is broken.
pub fn check(system: &System, certificate: Certificate) -> Result<Checked<Certificate>, Rejection> {
    system.validate().map_err(Rejection::System)?;
    if certificate.schema != SCHEMA {
        return Err(Rejection::Schema { found: certificate.schema });
    }
    if file_name(&certificate.system) != file_name(&system.name) {
        return Err(Rejection::OtherSystem { found: certificate.system, expected: system.name.clone() });
    }
    trust::check(system, &certificate)?;
    for values in &certificate.values {
        certify_values::check(system, values).map_err(Rejection::Values)?;
    }
    let net = Net::new(system);
    let mut bounded = None;
    for (number, claim) in (1..).zip(&certificate.claims) {
        let checked = match claim {
            Claim::Bounded(claim) => bounded.get_or_insert_with(|| Bounded::new(&net)).check(claim),
            Claim::Contract(claim) => bounded.get_or_insert_with(|| Bounded::new(&net)).contract(claim),
            Claim::Linear(claim) => bounded.get_or_insert_with(|| Bounded::new(&net)).linear(claim),
            Claim::AllBounded(claim) => tree::all_bounded(&net, claim),
            Claim::LivelockFree(claim) => tree::livelock_free(&net, claim),
            Claim::Configurations(claim) => configurations::check(&net, claim),
        };
        checked.map_err(|violation| Rejection::Claim { number, subject: claim.subject(), violation })?;
    }
    Ok(Checked(certificate))
}
