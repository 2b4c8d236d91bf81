//! What a verdict owes to data places.

use std::collections::BTreeSet;

use certify::{Certificate, Checked};

/// How many data places are named.
const NAMED: usize = 4;

/// Assumptions, with what a certificate takes from its system and does not check itself.
pub(super) fn with_data(assumptions: &[String], certificate: Option<&Checked<Certificate>>) -> Vec<String> {
    let claims = certificate.into_iter().flat_map(|certificate| &certificate.get().claims);
    let places: BTreeSet<&str> = claims.flat_map(certify::Claim::data_places).collect();
    let mut all = assumptions.to_vec();
    if !places.is_empty() {
        let mut names: Vec<String> = places.iter().take(NAMED).map(|name| format!("`{name}`")).collect();
        if places.len() > NAMED {
            names.push(format!("{} more", places.len() - NAMED));
        }
        all.push(format!(
            "what the analysis of values says of {}: never below 0, changed by no more than the system has it \
             (no certificate checks that)",
            names.join(", ")
        ));
    }
    all
}
