//! Boundedness: can a message buffer grow without bound, and if not, how long can it get?
//!
//! Thesis, chapter 5; theory 2 to 4. [`check`] takes a system and gives one [`BufferVerdict`] per
//! buffer and a [`Verdict`] for the whole: [`Proved`](Verdict::Proved) with a certificate that
//! `certify` has accepted, or [`Unknown`](Verdict::Unknown) with the combinations of cycles that,
//! as far as the abstraction can tell, make buffers grow. Buffers that cannot grow are proved
//! bounded, with their bounds, in an unbounded system too.
//!
//! Where buffers are left open, [`by_cases`] asks about all of them together, given where processes
//! are in the long run ([`Options::cases`]).
//!
//! What this crate adds to `ilp-encode` is the question: the [`Property`] implementation
//! [`Boundedness`], whose targets are the message types of queues.
//!
//! ```
//! use boundedness::{Options, check};
//! use cfsm_core::system::SystemBuilder;
//!
//! let mut b = SystemBuilder::new("client-server");
//! let request = b.message("toServer", "request");
//! let reply = b.message("toClient", "reply");
//! b.class("client", 1).send("idle", request, "waiting").receive("waiting", reply, "idle");
//! b.class("server", 1).receive("ready", request, "busy").send("busy", reply, "ready");
//! let system = b.build()?;
//! let result = check(&system, &Options::default());
//! assert!(result.verdict.is_proved());
//! let bounds: Vec<_> = result.buffers.values().map(|buffer| buffer.to_string()).collect();
//! assert_eq!(bounds, ["bounded by 1", "bounded by 1"]);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
#![forbid(unsafe_code)]
#![deny(missing_docs)]

mod contract;
mod data;
mod linear;
mod structure;
mod verdict;

use certify::{BoundedClaim, Certificate, Claim};
use cfsm_core::ids::IdMap;
use cfsm_core::system::{BufferId, BufferKind, MessageId, System};
use ilp_encode::{BoundProofs, Bounds, Cone, Growth, Merged, Pool, Potential, Property, Stopped, growth};
use num_bigint::BigInt;

pub use contract::{
    Assumption, Clause, Component, ComponentError, ComposeError, Composed, ComposedBuffer, Composition,
    Contract, OpenSystem, Part, compose,
};
pub use data::data_bounds;
pub use ilp_encode::{Behaviour, BoundSearch, Combination, Encoding, Search};
pub use linear::{Form, NotInvariant, invariant};
pub use structure::by_cases;
pub use verdict::{BufferVerdict, Outcome, Reason, Verdict};

/// The property: no message type of a queue can be gained for ever.
#[derive(Clone, Copy, Debug, Default)]
pub struct Boundedness;

impl Property for Boundedness {
    fn is_target(&self, _: &System, _: MessageId) -> bool {
        true
    }
}

/// How to work, and for how long.
#[derive(Clone, Debug)]
pub struct Options {
    /// Encoding, search and limits of each question.
    pub questions: ilp_encode::Options,
    /// How many cases may be looked at where the plain test leaves buffers open; those that are
    /// split count too. 1: none is distinguished, the plain test.
    pub cases: usize,
    /// Greatest number of extreme rays of the cone of prices that are looked at for a buffer of an
    /// open system.
    pub clauses: usize,
}

impl Default for Options {
    /// The plain test.
    fn default() -> Self {
        Self { questions: ilp_encode::Options::default(), cases: 1, clauses: 256 }
    }
}

impl From<ilp_encode::Options> for Options {
    /// The plain test.
    fn from(questions: ilp_encode::Options) -> Self {
        Self { questions, ..Self::default() }
    }
}

/// Decides, as far as the abstraction allows, which buffers are bounded, and by what.
///
/// One growth question, then one bound question per buffer that cannot grow. If a limit of the
/// options is hit before the growth question is answered nothing is known; after that, every buffer
/// has its verdict, and those whose own bound was not found in time have the (larger) one that the
/// growth question proved on the way. What is open then is asked about [by cases](by_cases), if the
/// options allow any.
///
/// If the kernel rejects a proof that was found, which is a bug of the search, nothing of it
/// counts, and the outcome [says why](Outcome::rejected).
///
/// # Panics
/// If the system is not [valid](System::validate).
#[must_use]
pub fn check(system: &System, options: &Options) -> Outcome {
    let plain = plain(system, options).unwrap_or_else(|stopped| Outcome::stopped(system, stopped));
    let better = if options.cases > 1 { by_cases(system, &plain, options) } else { None };
    better.unwrap_or(plain)
}

/// The plain test.
fn plain(system: &System, options: &Options) -> Result<Outcome, Stopped> {
    let cone = Cone::new(system, &Boundedness, &options.questions)?;
    let growth = growth(&cone, &mut Pool::default(), &options.questions)?;
    Ok(outcome(&cone, &growth, options))
}

/// The question of one buffer: no message type of it can be gained for ever.
#[derive(Clone, Copy, Debug)]
struct OfBuffer(BufferId);

impl Property for OfBuffer {
    fn is_target(&self, system: &System, message: MessageId) -> bool {
        system.messages[message].buffer == self.0
    }
}

/// A bound on one buffer alone, if the plain test proves one in time, and the kernel accepts it;
/// other buffers may grow.
///
/// # Panics
/// As [`check`].
#[must_use]
pub fn bound_of(system: &System, buffer: BufferId, options: &Options) -> Option<BigInt> {
    let potential = potential_of(system, buffer, options)?;
    are_accepted(system, vec![claim(system, [buffer], &potential)]).then(|| potential.bound())
}

/// The best potential that bounds a buffer and is found in time; other buffers may grow.
fn potential_of(system: &System, buffer: BufferId, options: &Options) -> Option<Potential> {
    let cone = Cone::new(system, &OfBuffer(buffer), &options.questions).ok()?;
    let growth = growth(&cone, &mut Pool::default(), &options.questions).ok()?;
    if !growth.growing.is_empty() {
        return None;
    }
    let mut found = potentials(&cone, &growth, &[buffer], options);
    let number = found.of.pop()?.ok().flatten();
    Some(number.map_or(growth.potential, |number| found.potentials.swap_remove(number)))
}

fn outcome(cone: &Cone<'_>, growth: &Growth, options: &Options) -> Outcome {
    let system = cone.system();
    let grown = grown_by(system, growth);
    let bounded =
        system.buffers.iter().filter(|(id, buffer)| buffer.kind == BufferKind::Queue && grown[*id].is_none());
    let bounded: Vec<BufferId> = bounded.map(|(id, _)| id).collect();
    let Bounded { bounds, claims, stopped } = prove_bounds(cone, growth, &bounded, options);
    let mut verdicts = IdMap::filled(BufferVerdict::Rendezvous, system.buffers.len());
    for (id, bound) in bounded.into_iter().zip(bounds) {
        verdicts[id] = BufferVerdict::Bounded { bound };
    }
    for (id, combination) in grown.iter().filter_map(|(id, grown)| Some((id, (*grown)?))) {
        if system.buffers[id].kind == BufferKind::Queue {
            verdicts[id] = BufferVerdict::CanGrow { combination };
        }
    }
    let found = Outcome {
        buffers: verdicts,
        combinations: growth.combinations.clone(),
        verdict: Verdict::Unknown { reason: Reason::CanGrow, certificate: None },
        coarse_bounds: stopped,
        rejected: Vec::new(),
        cases: 1,
        listed_cycles: cone.columns().map(<[_]>::len),
    };
    found.certified(system, claims, !growth.growing.is_empty())
}

/// Bounds of buffers.
struct Bounded {
    /// One for each buffer.
    bounds: Vec<BigInt>,
    /// What proves them.
    claims: Vec<Claim>,
    /// The limit that was hit before some of them were found.
    stopped: Option<Stopped>,
}

/// Bounds of buffers that cannot grow.
fn prove_bounds(cone: &Cone<'_>, growth: &Growth, buffers: &[BufferId], options: &Options) -> Bounded {
    let system = cone.system();
    let found = potentials(cone, growth, buffers, options);
    let mut proved: Vec<Vec<BufferId>> = vec![Vec::new(); found.potentials.len()];
    let mut coarse = Vec::new();
    let mut stopped = None;
    let mut bounds = Vec::new();
    for (&id, potential) in buffers.iter().zip(found.of) {
        let potential = potential.unwrap_or_else(|limit| {
            stopped = Some(limit);
            None
        });
        let (proof, together) = match potential {
            Some(number) => (&found.potentials[number], &mut proved[number]),
            None => (&growth.potential, &mut coarse),
        };
        together.push(id);
        bounds.push(proof.bound());
    }
    let own = proved.into_iter().zip(&found.potentials);
    let mut claims: Vec<(BufferId, Claim)> = own
        .filter_map(|(buffers, potential)| Some((*buffers.first()?, claim(system, buffers, potential))))
        .collect();
    if let Some(&first) = coarse.first() {
        claims.push((first, claim(system, coarse, &growth.potential)));
    }
    claims.sort_by_key(|(first, _)| *first);
    Bounded { bounds, claims: claims.into_iter().map(|(_, claim)| claim).collect(), stopped }
}

/// Whether the kernel accepts claims.
fn are_accepted(system: &System, claims: Vec<Claim>) -> bool {
    certify::check(system, Certificate::new(system, claims)).is_ok()
}

/// The potentials of bounds of each buffer, if they are asked for and were found in time.
fn potentials(cone: &Cone<'_>, growth: &Growth, buffers: &[BufferId], options: &Options) -> BoundProofs {
    if options.questions.bounds == BoundSearch::None {
        return BoundProofs { of: buffers.iter().map(|_| Ok(None)).collect(), ..BoundProofs::default() };
    }
    let merged = if options.questions.merges() { Merged::within_buffers(cone) } else { None };
    let bounds = Bounds::new(cone, merged.as_ref(), growth, &options.questions);
    bounds.of(buffers, &options.questions)
}

/// Per buffer, the first combination that gains messages of it.
fn grown_by(system: &System, growth: &Growth) -> IdMap<BufferId, Option<usize>> {
    let mut grown = IdMap::filled(None, system.buffers.len());
    for (number, combination) in growth.combinations.iter().enumerate() {
        for (message, _) in combination.messages() {
            grown[system.messages[message].buffer].get_or_insert(number);
        }
    }
    grown
}

fn claim(system: &System, buffers: impl IntoIterator<Item = BufferId>, potential: &Potential) -> Claim {
    let Potential { denominator, messages, data, states, .. } = potential.clone();
    let claim = BoundedClaim::new(system, buffers, potential.bound(), denominator, messages, states);
    Claim::Bounded(claim.with_data(system, data))
}

impl Outcome {
    fn stopped(system: &System, stopped: Stopped) -> Self {
        let buffers = system.buffers.values().map(|buffer| match buffer.kind {
            BufferKind::Rendezvous | BufferKind::Environment => BufferVerdict::Rendezvous,
            BufferKind::Queue => BufferVerdict::Unknown,
        });
        Self {
            buffers: buffers.collect(),
            combinations: Vec::new(),
            verdict: Verdict::Unknown { reason: Reason::Limit(stopped), certificate: None },
            coarse_bounds: None,
            rejected: Vec::new(),
            cases: 1,
            listed_cycles: None,
        }
    }

    /// The message types that a combination gains, with their numbers as text, in a stable order.
    pub fn gains<'a>(&'a self, combination: usize) -> impl Iterator<Item = (MessageId, String)> + 'a {
        self.combinations[combination].messages().map(|(message, gain)| (message, gain.to_string()))
    }

    /// The buffers that a combination makes grow, ascending.
    #[must_use]
    pub fn grown(&self, system: &System, combination: usize) -> Vec<BufferId> {
        self.combinations[combination].grown(system)
    }
}
