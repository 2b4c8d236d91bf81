//! Trust: the certificate must name its system and list all that it rests on.

use std::collections::BTreeSet;

use certificate::{Certificate, Trusted, trusted};
use cfsm_core::system::System;

use crate::rejection::Rejection;

/// Compares the system that a certificate names, and the parts that it says it rests on, with what
/// is so. A certificate that says neither is not rejected.
pub fn check(system: &System, certificate: &Certificate) -> Result<(), Rejection> {
    if let Some(found) = &certificate.system_sha256 {
        let expected = system.digest();
        if !found.eq_ignore_ascii_case(&expected) {
            return Err(Rejection::OtherDigest { found: found.clone(), expected });
        }
        if certificate.trust.is_none() {
            return Err(Rejection::NoTrust);
        }
    }
    let Some(told) = &certificate.trust else { return Ok(()) };
    for Trusted { part, about, .. } in trusted(system, certificate) {
        let same = || told.iter().filter(|told| told.part == part);
        let names: BTreeSet<&String> = same().flat_map(|told| &told.about).collect();
        let name = about.into_iter().find(|name| !names.contains(name));
        if same().next().is_none() || name.is_some() {
            return Err(Rejection::Untold { part, name });
        }
    }
    Ok(())
}
