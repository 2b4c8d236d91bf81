//! Contracts with one window: how far the environment may be ahead.

use std::collections::{BTreeMap, BTreeSet};

use certify::{Certificate, Checked, Claim, ContractClaim};
use cfsm_core::system::{MessageId, System};
use num_bigint::BigInt;

use super::kinds::kinds;
use super::open_system::{Assumption, OpenSystem, SLACK};
use crate::{BoundSearch, Options, check};

/// A contract of an open system, proved.
#[derive(Clone, Debug)]
pub struct Contract {
    /// The assumption, for every slack.
    pub assumption: Assumption,
    /// The system with an environment that keeps to the assumption; the certificate speaks of it.
    pub system: System,
    /// The proof: a [contract claim](ContractClaim) for each group of buffers.
    pub certificate: Checked<Certificate>,
}

impl Contract {
    /// The assumption as an inequality: `in(req) - out(resp) <= k`.
    #[must_use]
    pub fn inequality(&self) -> String {
        format!("{} <= k", self.assumption.difference(&self.system))
    }

    /// The bound of each buffer, linear in k.
    #[must_use]
    pub fn bounds(&self) -> BTreeMap<&str, &ContractClaim> {
        let claims = self.certificate.claims.iter().filter_map(|claim| match claim {
            Claim::Contract(claim) => Some(claim),
            _ => None,
        });
        claims.flat_map(|claim| claim.claim.buffers.iter().map(move |name| (name.as_str(), claim))).collect()
    }
}

impl OpenSystem<'_> {
    /// A contract with weights of 1. `None` if the system is not bounded even if the environment
    /// sends a limited number of messages in all, as far as the plain test can tell, or none is
    /// found in time.
    ///
    /// It limits as few kinds of messages as possible, and counts as many as possible as answers:
    /// none can be left out, or added, alone. One growth question for each kind that the
    /// environment may send or take. Types that their names do not tell apart are one kind.
    ///
    /// # Panics
    /// As [`check`].
    #[must_use]
    pub fn contract(&self, options: &Options) -> Option<Contract> {
        let questions = ilp_encode::Options { bounds: BoundSearch::None, ..options.questions.clone() };
        let quick = Options { questions, ..options.clone() };
        let is_bounded = |assumption: &Assumption| {
            check(&self.with_environment(std::slice::from_ref(assumption)), &quick).verdict.is_proved()
        };
        let all = |messages: &BTreeSet<MessageId>| messages.iter().map(|message| (*message, 1)).collect();
        let mut found = Assumption { sent: all(&self.sent), taken: all(&self.taken), slack: SLACK };
        if !is_bounded(&found) {
            found.taken.clear();
            if !is_bounded(&found) {
                return None;
            }
            for kind in kinds(self.system, &self.taken) {
                found.taken.extend(kind.messages.iter().map(|message| (*message, 1)));
                if !is_bounded(&found) {
                    found.taken.retain(|message, _| !kind.messages.contains(message));
                }
            }
        }
        for kind in kinds(self.system, &self.sent) {
            found.sent.retain(|message, _| !kind.messages.contains(message));
            if !is_bounded(&found) {
                found.sent.extend(kind.messages.iter().map(|message| (*message, 1)));
            }
        }
        let system = self.with_environment(std::slice::from_ref(&found));
        let outcome = check(&system, options);
        let claims = outcome.verdict.certificate()?.claims.iter().map(|claim| for_all(&system, claim));
        let claims: Option<Vec<Claim>> = claims.collect();
        let certificate = certify::check(&system, Certificate::new(&system, claims?)).ok()?;
        Some(Contract { assumption: found, system, certificate })
    }
}

/// The claim of a bound for each value of the parameter, which is the last data place.
fn for_all(system: &System, claim: &Claim) -> Option<Claim> {
    let claim = claim.bounded()?.clone();
    let weight = |weights: &BTreeMap<String, BigInt>, name: &str| -> BigInt {
        weights.get(name).cloned().unwrap_or_default()
    };
    let instances = system
        .classes
        .values()
        .map(|class| weight(&claim.states, &system.state_name(class.initial)) * u64::from(class.instances));
    let last = system.data.values().last()?;
    let others = system.data.values().take(system.data.len() - 1);
    let data = others.map(|place| weight(&claim.data, &place.name) * place.initial);
    let constant = instances.chain(data).sum();
    let slope = weight(&claim.data, &last.name);
    Some(Claim::Contract(ContractClaim { parameter: last.name.clone(), constant, slope, claim }))
}

#[cfg(test)]
mod tests {
    use super::*;
    use cfsm_core::system::{BufferId, SystemBuilder};

    /// A front end that passes requests on to a worker without waiting for its answers.
    fn pipe() -> (System, BTreeSet<BufferId>) {
        let mut b = SystemBuilder::new("pipe");
        let [request, work, done, answer] =
            [("in", "req"), ("toW", "work"), ("fromW", "done"), ("out", "resp")]
                .map(|(buffer, message)| b.message(buffer, message));
        let open = ["in", "out"].map(|name| b.buffer(name));
        for buffer in open {
            b.declare(buffer, 0);
        }
        let mut front = b.class("Front", 1);
        front.receive("idle", request, "busy").send("busy", work, "idle");
        front.receive("idle", done, "ready").send("ready", answer, "idle");
        b.class("Worker", 1).receive("idle", work, "busy").send("busy", done, "idle");
        (b.build().expect("it is valid"), open.into())
    }

    #[test]
    fn a_window_bounds_a_pipe() {
        let (system, open) = pipe();
        let found = OpenSystem::new(&system, &open).contract(&Options::default()).expect("there is one");
        assert_eq!(found.inequality(), "in(req) - out(resp) <= k");
        let bounds: Vec<(&str, String)> =
            found.bounds().into_iter().map(|(name, claim)| (name, claim.bound())).collect();
        assert_eq!(bounds, [("fromW", "k".to_owned()), ("toW", "k".to_owned())]);
    }

    #[test]
    fn each_number_of_a_contract_matters() {
        let (system, open) = pipe();
        let found = OpenSystem::new(&system, &open).contract(&Options::default()).expect("there is one");
        let accepts = |claim: ContractClaim| {
            certify::check(&found.system, Certificate::new(&found.system, [Claim::Contract(claim)])).is_ok()
        };
        for claim in found.bounds().into_values() {
            assert!(accepts(claim.clone()));
            let slope = &claim.slope - 1;
            assert!(!accepts(ContractClaim { slope, ..claim.clone() }));
            let constant = &claim.constant - 1;
            assert!(!accepts(ContractClaim { constant, ..claim.clone() }));
            for name in claim.claim.messages.keys() {
                let mut lighter = claim.clone();
                *lighter.claim.messages.get_mut(name).expect("it is there") -= 1;
                assert!(!accepts(lighter), "{name}");
            }
        }
    }

    /// Messages that a system sends to itself over an open buffer are none of its environment's.
    #[test]
    fn what_is_sent_to_oneself_is_not_limited() {
        let mut b = SystemBuilder::new("echo");
        let (tick, log) = (b.message("in", "tick"), b.message("log", "entry"));
        let open = b.buffer("in");
        b.declare(open, 0);
        let mut echo = b.class("Echo", 1);
        echo.send("idle", tick, "sent").receive("sent", tick, "read").send("read", log, "idle");
        let system = b.build().expect("it is valid");
        let open = OpenSystem::new(&system, &[open].into());
        assert!(open.contract(&Options::default()).is_none());
        let none = Assumption { sent: [(tick, 1)].into(), taken: BTreeMap::new(), slack: 0 };
        let assumed = open.with_environment(&[none]);
        assert!(!check(&assumed, &Options::default()).verdict.is_proved());
    }

    #[test]
    fn a_system_that_floods_itself_has_none() {
        let mut b = SystemBuilder::new("flood");
        let (tick, log) = (b.message("in", "tick"), b.message("log", "entry"));
        let open = b.buffer("in");
        b.declare(open, 0);
        b.class("P", 1).receive("idle", tick, "idle").send("idle", log, "idle");
        let system = b.build().expect("it is valid");
        assert!(OpenSystem::new(&system, &[open].into()).contract(&Options::default()).is_none());
    }
}
