//! What proptest draws: a tree of numbers, which [`write`](super::write) reads as a program.
//!
//! A number stands for choices among what there is, whatever that is. So a plan stays meaningful
//! when proptest takes a declaration, a statement or a process type out of it, and a number that
//! shrinks to 0 stands for the plainest choice.

use proptest::collection::vec;
use proptest::prelude::*;
use proptest::strategy::BoxedStrategy;

use super::profile::Profile;

/// A statement: choices, and what stands inside it.
#[derive(Clone, Debug)]
pub(super) struct Twig {
    /// The choices.
    pub(super) seed: u32,
    /// Statements or branches inside.
    pub(super) inner: Vec<Twig>,
}

/// A process type.
#[derive(Clone, Debug)]
pub(super) struct ProcessPlan {
    /// How it starts.
    pub(super) seed: u32,
    /// Its parameters.
    pub(super) parameters: Vec<u32>,
    /// Its local variables.
    pub(super) locals: Vec<u32>,
    /// Its statements.
    pub(super) body: Vec<Twig>,
}

/// A program.
#[derive(Clone, Debug)]
pub(super) struct Plan {
    /// What concerns the whole program.
    pub(super) seed: u32,
    /// Types of records.
    pub(super) records: Vec<u32>,
    /// Kinds of messages.
    pub(super) signatures: Vec<u32>,
    /// Global variables.
    pub(super) globals: Vec<u32>,
    /// Global channels.
    pub(super) channels: Vec<u32>,
    /// Inlines.
    pub(super) inlines: Vec<Twig>,
    /// Process types.
    pub(super) types: Vec<ProcessPlan>,
    /// Whether there is somebody at the other end of channels that have one end only, and what it
    /// does.
    pub(super) environment: u32,
    /// Statements of `init` besides those that start the others.
    pub(super) init: Vec<Twig>,
}

fn twig(profile: &Profile, depth: u32) -> BoxedStrategy<Twig> {
    if depth == 0 {
        return any::<u32>().prop_map(|seed| Twig { seed, inner: Vec::new() }).boxed();
    }
    let inner = vec(twig(profile, depth - 1), profile.inner.clone());
    (any::<u32>(), inner).prop_map(|(seed, inner)| Twig { seed, inner }).boxed()
}

fn process(profile: &Profile) -> impl Strategy<Value = ProcessPlan> + use<> {
    (
        any::<u32>(),
        vec(any::<u32>(), profile.parameters.clone()),
        vec(any::<u32>(), profile.locals.clone()),
        vec(twig(profile, profile.depth), profile.statements.clone()),
    )
        .prop_map(|(seed, parameters, locals, body)| ProcessPlan { seed, parameters, locals, body })
}

/// Plans of programs.
pub(super) fn plans(profile: &Profile) -> impl Strategy<Value = Plan> + use<> {
    let declarations = (
        vec(any::<u32>(), 0..=2),
        vec(any::<u32>(), profile.signatures.clone()),
        vec(any::<u32>(), profile.globals.clone()),
        vec(any::<u32>(), profile.channels.clone()),
    );
    let code = (
        vec(twig(profile, 2), 0..=2),
        vec(process(profile), profile.types.clone()),
        vec(twig(profile, profile.depth.min(2)), 0..=2),
    );
    (any::<u32>(), any::<u32>(), declarations, code).prop_map(|(seed, environment, declarations, code)| {
        let (records, signatures, globals, channels) = declarations;
        let (inlines, types, init) = code;
        Plan { seed, records, signatures, globals, channels, inlines, types, environment, init }
    })
}
