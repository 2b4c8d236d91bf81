//! The kernel, the independent checker of certificates: one exact pass that accepts or names the
//! first broken condition.
//!
//! Whatever *finds* a proof (cycle enumeration, encodings, floating-point solvers) is large and
//! fast and may be wrong. What it finds is written down as a [`Certificate`], and this crate, which
//! shares no code with the search, decides whether it proves what it claims: [`check`] reads a
//! system and some integers, adds and multiplies, and compares. It knows nothing of cycles, linear
//! programs, rational numbers or floating point, and it does not search: where a proof rests on a
//! fact that takes a search to find, the certificate lists what that came to, and [`check`] sees
//! that the list is closed. Nothing else can make a [`Checked`] certificate.
//!
//! The format of certificates is a crate of its own, which is passed on here.
//! `docs/soundness/kernel.md` says for each theorem which function checks it.
//!
//! # The theorem
//!
//! A system is read as a counting net ([`cfsm_core::system`]): a *place* is a message type, whose
//! tokens are the messages of it in its buffer, or a control state, whose tokens are the instances
//! at it. A *step* fires one transition, or, where messages pass by rendezvous, several transitions
//! at once whose sends and receives of rendezvous message types cancel out. A *potential* gives
//! every place a weight; the potential Φ(M) of a configuration M is the sum over all places of
//! weight times tokens.
//!
//! A [`BoundedClaim`] consists of buffers B, a bound b, a denominator d, weights w of message types
//! and weights h of states, all of them integers. Let
//!
//! 1. h(s) ≥ 0 for every state s, and w(m) ≥ 0 for every message type m of a queue (message types
//!    of rendezvous buffers may have weights of any sign);
//! 2. B not be empty, name no buffer twice and no rendezvous buffer, d ≥ 1, and w(m) ≥ d for every
//!    message type m of a buffer in B;
//! 3. for every transition t, from state s to state s', with effect vector eff(t) and created
//!    classes creates(t): w·eff(t) + h(s') − h(s) + Σ h(initial(Q)) over Q in creates(t) ≤ 0;
//! 4. Σ instances(P) · h(initial(P)) over all classes P < (b + 1) · d.
//!
//! **Then in every reachable configuration the buffers of B hold at most b messages together**,
//! whatever the interleaving and the order of messages, with every buffer taken as unbounded, and
//! with however many instances are created on the way.
//!
//! *Why.* By 3 no transition raises Φ, and a step of several transitions changes Φ by the sum of
//! what they change, because the rendezvous places, which are always empty, contribute nothing
//! before and after. So Φ(M) ≤ Φ(M0) in every reachable M, and Φ(M0) is the left side of 4, for
//! buffers start empty. By 1 every place adds at least 0 to Φ(M), and by 2 each message in B adds
//! at least d. Hence d · (messages in B) ≤ Φ(M) ≤ Φ(M0) < (b + 1) · d, and the number of messages
//! is an integer.
//!
//! The page `docs/soundness/certificates.md` has the proof at length, what it says about message
//! loss, why such weights exist whenever the state equation proves a bound (linear programming
//! duality, thesis, chapter 5 in flow form), and what the theorem does *not* say.
//!
//! # Freedom from livelocks
//!
//! A transition may be marked as [progress](cfsm_core::system::Transition::progress); a step makes
//! progress if one of its transitions does. A *livelock* is an infinite run with finitely many
//! steps that make progress. A [`LivelockFreeClaim`] says that there is none. Its proof is a tree,
//! and each part of it is about the runs that fire some transitions (those that *may fire*) from
//! some time on and no others. At the root these are the transitions without progress. Each part
//! lists message types that are [silent](Proof::silent) in it: in turn, none of these transitions
//! sends the message type, or none receives it and it is of a rendezvous buffer. Transitions that
//! send or receive it are left out, as they fire finitely often: what is not sent any more is in
//! finite supply, and a rendezvous takes two.
//!
//! Some parts follow the one instance of a class of which one at most is ever created: one or none
//! at the start, and nobody creates it; or it is [listed](SingleClass) as one that the instance of
//! another such class creates once.
//!
//! - A [`Ranking`] has integer weights as in 1 above such that no transition that may fire raises
//!   Φ; and all of them lower it, or all of a set of which some fire again and again. Then there is
//!   no such run: Φ would fall for ever and is never below 0.
//! - A [`Cut`] names states A of a class of which one instance at most is created. In the long run
//!   that instance only moves inside A, or only outside A, or it leaves A again and again; a proof
//!   for each case.
//!
//! - A [`Settling`] names disjoint parts of such a class, and weights as in 1 such that no
//!   transition that may fire raises Φ, and all that leave a part lower it. In the long run the
//!   instance moves again and again inside one of the parts, where a ranking may fall, or it moves
//!   outside all of them, or not at all; a proof for each case.
//! - An [`Apart`] leaves out transitions of processes from states where they cannot be while others
//!   stay where they are known to stay. It rests on relations ([`JointStates`]): closed sets of the
//!   states that two or three classes, with one instance each, are at together. Such a set has the
//!   start, and with each combination what a step of one of these classes leads to, or of two or
//!   three that meet by rendezvous; others may do anything. A proof for what is left.
//! - A [`Delivery`] names message types M of a queue that [keeps
//!   order](cfsm_core::system::System::keeps_order). In the long run nothing is received from the
//!   queue; or some of M are received again and again; or something is received again and again,
//!   but nothing of M. In the last case nothing of M is sent in the long run: whatever is sent
//!   comes to the front of a queue from which messages are taken for ever, and nobody else takes it
//!   from there. A proof for each case. Messages must not get lost.
//!
//! A claim may be about [fair](Fairness::Weak) runs only: those in which no instance stays for ever
//! at a state that is [always ready](cfsm_core::system::State::always_ready). Its proof may have
//! parts of one more kind:
//!
//! - A [`Departure`] names such states S, and weights as in 1 above such that no transition that
//!   may fire raises Φ, and all that leave a state in S lower it. So they fire finitely often, who
//!   is at S behind the last time stays there, and there is nobody: a proof for the transitions
//!   that neither leave S nor lead or create into it. No such proof is needed if S has somebody all
//!   the time: if every transition that takes an instance from S puts one there, and there is one
//!   at the start; or in the first case of a cut, or of a part of a settling, whose states lie
//!   within S.
//!
//! # All buffers bounded
//!
//! An [`AllBoundedClaim`] says that every queue is bounded, without a number. Its proof is a tree
//! too, and about runs that come to no configuration twice; queues that keep order hold words here.
//! At the root all transitions may fire. Steps move an instance once at most, so from each
//! configuration there are finitely many. If some queue could hold more messages than any number,
//! there would be infinitely many reachable configurations, and hence an infinite run through
//! different ones (König's lemma). The tree shows that there is none.
//!
//! - A [`Ranking`] that [falls at a cut](Ranking::falls_at_cut) or [in a
//!   part](Ranking::falls_in_part), a [`Cut`], a [`Settling`], an [`Apart`], and a [`Delivery`], as
//!   above.
//! - A [`Ranking`] that falls at none of these has weights as in 1, and w(m) ≥ 1 for all message
//!   types m of queues. No transition that may fire raises Φ, and all that may fire and create an
//!   instance lower it. So from some time on no instance is created, and the messages in queues are
//!   no more than Φ: that leaves finitely many configurations.
//!
//! Data places with a weight in no part of the tree are left out of the net. All others are part of
//! configurations: their weight is at least 1 in each ranking that falls at none of these.
//!
//! There is no such claim for some of the buffers: the run through different configurations may be
//! one in which others grow, and how long a buffer can get need not show in any infinite run.
//!
//! # Closed sets of configurations
//!
//! A [`ConfigurationsClaim`] is about a system whose [order](cfsm_core::system::System::order) is
//! first in, first out: what a potential cannot prove may still be true because of the order of
//! messages. It names classes K, buffers Q, bounds on queues of Q, and lists configurations:
//! multisets of states of K, with words of messages in the queues of Q. Let
//!
//! 1. no transition of a class outside K use a buffer of Q or create an instance of a class in K,
//!    and a transition of K that uses a rendezvous buffer do nothing else;
//! 2. the list have the initial configuration: every instance of K at its initial state, the queues
//!    empty;
//! 3. the list have, with each configuration, all that steps of K lead to. Here a transition
//!    performs its events on queues of Q in order, first in, first out, and all or nothing; its
//!    events on other queues are always possible and change nothing; two instances fire the two
//!    halves of a rendezvous in Q together, while a half of another rendezvous fires alone;
//! 4. in every configuration of the list each queue hold at most as many messages as its bound
//!    says.
//!
//! **Then in every reachable configuration of the system each of these queues holds at most as many
//! messages as its bound says.** For what K and Q are in a reachable configuration is in the list,
//! by induction on the run: 2 is the start, a step of others changes nothing there by 1, and a step
//! of K leads to what 3 puts into the list.
//!
//! # Use
//!
//! ```
//! use std::collections::BTreeMap;
//! use cfsm_core::system::SystemBuilder;
//! use certify::{BoundedClaim, Certificate, Claim, check};
//!
//! let mut b = SystemBuilder::new("client-server");
//! let request = b.message("toServer", "request");
//! let reply = b.message("toClient", "reply");
//! b.class("client", 1).send("idle", request, "waiting").receive("waiting", reply, "idle");
//! b.class("server", 1).receive("ready", request, "busy").send("busy", reply, "ready");
//! let system = b.build()?;
//!
//! // What may still come out of the client: one message while it is idle, none while it waits.
//! let weights = |all: &[(&str, i32)]| -> BTreeMap<_, _> {
//!     all.iter().map(|&(name, weight)| (name.to_owned(), weight.into())).collect()
//! };
//! let claim = BoundedClaim {
//!     buffers: vec!["toServer".into()],
//!     bound: 1.into(),
//!     denominator: 1.into(),
//!     messages: weights(&[("toServer(request)", 1), ("toClient(reply)", 1)]),
//!     data: weights(&[]),
//!     states: weights(&[("client@idle", 1), ("server@busy", 1)]),
//! };
//! let certificate = Certificate::new(&system, [Claim::Bounded(claim)]);
//! let checked = check(&system, certificate.clone())?;
//! assert_eq!(checked.bound("toServer"), Some(&1.into()));
//!
//! // One line broken: a busy server would be worth nothing, and a reply comes from nowhere.
//! let mut forged = certificate;
//! let Claim::Bounded(claim) = &mut forged.claims[0] else { unreachable!("it is the claim above") };
//! claim.states.remove("server@busy");
//! let rejection = check(&system, forged).unwrap_err();
//! assert_eq!(
//!     rejection.to_string(),
//!     "claim 1, on toServer: transition3 from `server@busy` to `server@ready` \
//!      (sends 1 toClient(reply)) raises the potential: \
//!      1 (messages) + 0 (target) - 0 (source) + 0 (created) = 1"
//! );
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! Files: [`Certificate::from_json`] and [`read_system`], described field by field in
//! `docs/certificate-format.md`.
#![forbid(unsafe_code)]
#![deny(missing_docs)]

mod bounded;
mod check;
mod configurations;
mod facts;
mod joint;
mod net;
mod potential;
mod rejection;
mod single;
mod tree;
mod trust;

pub use certificate::*;
pub use check::{Checked, check};
pub use rejection::{Rejection, Rise, Violation};
