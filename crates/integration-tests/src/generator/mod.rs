//! Random small Promela programs of the whole language, as far as it can be executed.
//!
//! A case is drawn by proptest as a tree of numbers (`plan`) that is read as a program: each number
//! stands for choices among what there is in the program. So programs shrink: statements,
//! declarations and process types go, choices become the plainest ones. What is common in models is
//! common here: requests with a channel for the answer, tokens, counters, flags, servers, creation
//! in loops.
//!
//! ```
//! use integration_tests::generator::{Profile, sample};
//!
//! let program = sample(&Profile::whole(), 7);
//! assert_eq!(program.text, sample(&Profile::whole(), 7).text);
//! ```
//!
//! Nearly all programs are accepted by Spin, and what they use is known ([`Generated::features`]).
//! A [`Profile`] says which constructs there are, and how large programs are.

mod author;
mod control;
mod declaration;
mod dice;
mod environment;
mod expression;
mod feature;
mod idiom;
mod message;
mod plan;
mod process;
mod profile;
mod statement;
mod world;
mod write;

use std::collections::BTreeMap;
use std::fmt;

use proptest::prelude::*;
use proptest::strategy::ValueTree;
use proptest::test_runner::{Config, RngAlgorithm, TestRng, TestRunner};

pub use feature::Feature;
pub use profile::Profile;

/// A program, and what it is made of.
#[derive(Clone)]
pub struct Generated {
    /// Its text.
    pub text: String,
    /// The constructs in it, and how often each was chosen.
    pub features: BTreeMap<Feature, usize>,
}

/// The text, as one reads it.
impl fmt::Debug for Generated {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "\n{}", self.text)
    }
}

/// Programs of a profile.
pub fn programs(profile: &Profile) -> impl Strategy<Value = Generated> + use<> {
    let written = profile.clone();
    plan::plans(profile).prop_map(move |plan| write::write(&plan, &written))
}

/// The program of a profile that a number stands for. The same number gives the same program for as
/// long as the generator stays what it is.
///
/// # Panics
/// Never: there are no cases that are refused.
#[must_use]
pub fn sample(profile: &Profile, seed: u64) -> Generated {
    tree(profile, seed).current()
}

/// The same program, made small as long as it fails. The program itself if it does not fail.
pub fn shrunk(profile: &Profile, seed: u64, mut fails: impl FnMut(&Generated) -> bool) -> Generated {
    let mut tree = tree(profile, seed);
    let mut smallest = tree.current();
    for _ in 0..SHRINKING {
        let current = tree.current();
        let failed = fails(&current);
        if failed {
            smallest = current;
        }
        if !(if failed { tree.simplify() } else { tree.complicate() }) {
            break;
        }
    }
    smallest
}

/// How often a program is made smaller, or less small, at most.
const SHRINKING: usize = 5_000;

fn tree(profile: &Profile, seed: u64) -> impl ValueTree<Value = Generated> + use<> {
    let mut bytes = [0; 32];
    bytes[..8].copy_from_slice(&seed.to_le_bytes());
    let rng = TestRng::from_seed(RngAlgorithm::ChaCha, &bytes);
    let mut runner = TestRunner::new_with_rng(Config::default(), rng);
    programs(profile).new_tree(&mut runner).expect("no case is refused")
}
