//! Systems and certificates made by hand.

use std::collections::BTreeMap;

use certify::{BoundedClaim, Certificate, Claim};
use cfsm_core::ids::Id;
use cfsm_core::source::Origin;
use cfsm_core::system::{System, SystemBuilder, TransitionId};
use num_bigint::BigInt;

/// The two processes of thesis Fig. 5.2, which is Fig. 1 of the SPIN 2004 paper, with the two
/// buffers that their messages pass through, and an origin for one transition.
pub fn two_processes() -> System {
    let mut b = SystemBuilder::new("two-processes");
    let (a_, b_, c_) = (b.message("AB", "a"), b.message("AB", "b"), b.message("BA", "c"));
    b.class("Left", 1)
        .step("s0", &[], "s1")
        .step("s1", &[(c_, -1), (b_, 2)], "s2")
        .step("s1", &[(c_, -1), (b_, 5)], "s3")
        .step("s2", &[(c_, -1), (a_, 2), (b_, 1)], "s3")
        .step("s3", &[(c_, -1), (a_, 2)], "s2");
    b.class("Right", 1).step("s0'", &[(c_, 2)], "s1'").receive("s1'", a_, "s2'").step(
        "s2'",
        &[(b_, -1), (c_, 1)],
        "s1'",
    );
    let mut system = b.build().expect("valid");
    system.transitions[TransitionId::new(2)].origin = Some(Origin {
        file: "fig52.pml".into(),
        line: 12,
        text: "BA?c; AB!b; AB!b; AB!b; AB!b; AB!b".into(),
    });
    system
}

/// Two clients, each of which creates a server. A client may send a job each time that it has met a
/// server, and a server meets one client once.
pub fn rendezvous() -> System {
    let mut b = SystemBuilder::new("rendezvous");
    let hello = b.message("door", "hello");
    let job = b.message("jobs", "job");
    let door = b.buffer("door");
    b.declare(door, 0);
    let server = b.class("Server", 0).receive("wait", hello, "end").id();
    b.class("Client", 2)
        .create("start", server, "meet")
        .send("meet", hello, "work")
        .send("work", job, "meet");
    b.build().expect("valid")
}

pub fn weights(all: &[(&str, i64)]) -> BTreeMap<String, BigInt> {
    all.iter().map(|&(name, weight)| (name.to_owned(), weight.into())).collect()
}

/// A claim about one buffer of [`two_processes`]. The optimal potential is the same for both: an
/// `a` weighs 1, a `b` 2 and a `c` 3. For AB a unit is one message, for BA three are.
pub fn two_processes_claim(buffer: &str, bound: i64, denominator: i64) -> BoundedClaim {
    BoundedClaim {
        buffers: vec![buffer.into()],
        bound: bound.into(),
        denominator: denominator.into(),
        messages: weights(&[("AB(a)", 1), ("AB(b)", 2), ("BA(c)", 3)]),
        data: weights(&[]),
        states: weights(&[
            ("Left@s0", 7),
            ("Left@s1", 7),
            ("Left@s2", 1),
            ("Right@s0'", 6),
            ("Right@s2'", 1),
        ]),
    }
}

/// AB holds at most 13 messages, BA at most 4.
pub fn two_processes_certificate() -> Certificate {
    let claims = [two_processes_claim("AB", 13, 1), two_processes_claim("BA", 4, 3)];
    Certificate::new(&two_processes(), claims.map(Claim::Bounded))
}

/// At most two jobs. It is the receiver of a hello that brings the unit that the job will weigh, so
/// the hello weighs -1: each half of the meeting leaves the potential as it is.
pub fn rendezvous_claim() -> BoundedClaim {
    BoundedClaim {
        buffers: vec!["jobs".into()],
        bound: 2.into(),
        denominator: 1.into(),
        messages: weights(&[("jobs(job)", 1), ("door(hello)", -1)]),
        data: weights(&[]),
        states: weights(&[("Client@start", 1), ("Client@work", 1), ("Server@wait", 1)]),
    }
}

pub fn rendezvous_certificate() -> Certificate {
    Certificate::new(&rendezvous(), [Claim::Bounded(rendezvous_claim())])
}
