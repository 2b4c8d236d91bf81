//! Tracks message tags, the fields that say of which kind a message is, everywhere, and the other
//! fields only at the locations where they can still influence a condition.

use std::collections::BTreeSet;

use abstraction::Abstraction;
use boundedness::Combination;
use cfsm_core::program::Program;

use super::Refiner;
use crate::Property;
use crate::relevance::{Followed, Relevance};
use crate::strategy::Strategy;

/// The variables to track for message tags.
#[derive(Clone, Debug, PartialEq, Eq)]
struct TagVariables {
    /// The tags, and what counts the rounds of loops: tracked at all locations.
    everywhere: BTreeSet<Followed>,
    /// What comes with tags and is compared with constants in the end: tracked where it matters.
    lazily: BTreeSet<Followed>,
}

impl TagVariables {
    /// The variables of a program, given an abstraction of it with counterexamples; `None` if there
    /// are not both sorts of them.
    fn new(program: &Program, abstraction: &Abstraction, loops: &[Combination]) -> Option<Self> {
        let relevance = Relevance { program, abstraction };
        let is_tag = |chain: &BTreeSet<Followed>| chain.len() == 1;
        let (tags, others): (Vec<_>, Vec<_>) = relevance.kinds().into_iter().partition(is_tag);
        if others.is_empty() {
            return None;
        }
        let everywhere: BTreeSet<Followed> =
            tags.into_iter().flatten().chain(relevance.turns(loops)).collect();
        // Without any tag nothing says where the others matter.
        (!everywhere.is_empty()).then(|| Self { everywhere, lazily: others.into_iter().flatten().collect() })
    }
}

impl<P: Property> Refiner<'_, P> {
    /// Returns `true` if [`track_tags`](Self::track_tags) has something to track.
    #[must_use]
    pub fn has_tags(&self) -> bool {
        self.options.strategies.contains(&Strategy::Tracking) && self.tag_variables().is_some()
    }

    /// Tracks message tags, and, where it matters, the fields that come with them and are compared
    /// with constants in the end: most of what tracking all of these would say, with far fewer
    /// states. [`track`](Self::track) begins with this step, unless it has been taken.
    pub fn track_tags(&mut self) {
        if self.options.strategies.contains(&Strategy::Tracking) {
            self.tracks_tags = Some(self.ask_with_tags());
        }
    }

    /// Asks with message tags tracked; `true` if there was such a question.
    pub(super) fn ask_with_tags(&mut self) -> bool {
        let Some(TagVariables { everywhere, lazily }) = self.tag_variables() else { return false };
        let mut following = self.following();
        let Some(abstraction) = following.carry(&everywhere, &lazily) else { return false };
        let (strategy, what) = self.followed(&abstraction, following.described());
        let mut asked = self.ask(abstraction, strategy, what);
        self.look_by_cases(&mut asked);
        true
    }

    fn tag_variables(&self) -> Option<TagVariables> {
        let loops = self.property.counterexamples(&self.best.outcome);
        let variables = || TagVariables::new(self.program, &self.best.abstraction, loops);
        if self.may_go_on() { variables() } else { None }
    }
}
