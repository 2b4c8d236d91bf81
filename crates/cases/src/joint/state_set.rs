//! Sets of states of one class, as bits.

use cfsm_core::ids::IdMap;
use cfsm_core::system::{ClassId, StateId, System};

/// The state of the one instance of a class; `None`: it has not been created.
pub type Whereabouts = Option<StateId>;

/// Bits in a word.
const BITS: usize = u64::BITS as usize;

/// Numbers the states of each class: 0 stands for "not created", and n for its nth state.
#[derive(Clone, Debug)]
pub struct StateIndex {
    /// Per class, its states.
    states: IdMap<ClassId, Vec<StateId>>,
    /// Per state, its number within its class.
    numbers: IdMap<StateId, usize>,
}

impl StateIndex {
    /// Numbers the states of a system. Time linear in the states.
    #[must_use]
    pub fn new(system: &System) -> Self {
        let mut states = IdMap::filled(Vec::new(), system.classes.len());
        let mut numbers = IdMap::new();
        for (id, state) in system.states.iter() {
            let own: &mut Vec<StateId> = &mut states[state.class];
            own.push(id);
            numbers.push(own.len());
        }
        Self { states, numbers }
    }

    /// How many numbers a class has: one more than it has states.
    pub(super) fn len(&self, class: ClassId) -> usize {
        self.states[class].len() + 1
    }

    /// The number of a state.
    pub(super) fn number(&self, state: Whereabouts) -> usize {
        state.map_or(0, |state| self.numbers[state])
    }

    /// The set of these states of a class.
    #[must_use]
    pub fn set(&self, class: ClassId, states: impl IntoIterator<Item = Whereabouts>) -> StateSet {
        let mut set = StateSet::empty(self.len(class));
        states.into_iter().for_each(|state| set.insert(self.number(state)));
        set
    }

    /// All states of a class, and "not created".
    #[must_use]
    pub fn all(&self, class: ClassId) -> StateSet {
        StateSet::full(self.len(class))
    }

    /// Whether a set has a state of its class.
    #[must_use]
    pub fn contains(&self, set: &StateSet, state: Whereabouts) -> bool {
        set.contains(self.number(state))
    }
}

/// A set of states of one class, by their numbers in a [`StateIndex`].
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StateSet(Vec<u64>);

impl StateSet {
    pub(super) fn empty(len: usize) -> Self {
        Self(vec![0; len.div_ceil(BITS)])
    }

    /// All states of a class that has so many numbers.
    pub(super) fn full(len: usize) -> Self {
        let mut full = Self::empty(len);
        (0..len).for_each(|number| full.insert(number));
        full
    }

    /// The word, and the bit in it, of a number.
    pub(super) const fn position(number: usize) -> (usize, u64) {
        (number / BITS, 1 << (number % BITS))
    }

    pub(super) fn insert(&mut self, number: usize) {
        let (word, bit) = Self::position(number);
        self.0[word] |= bit;
    }

    pub(super) fn contains(&self, number: usize) -> bool {
        let (word, bit) = Self::position(number);
        self.0[word] & bit != 0
    }

    /// Keeps what is in the other set too.
    pub fn intersect(&mut self, other: &Self) {
        self.0.iter_mut().zip(&other.0).for_each(|(word, other)| *word &= other);
    }

    /// Whether all of it is in another set.
    #[must_use]
    pub fn is_subset(&self, other: &Self) -> bool {
        self.0.iter().zip(&other.0).all(|(word, other)| word & !other == 0)
    }

    /// The words of bits.
    pub(super) fn words(&self) -> &[u64] {
        &self.0
    }

    /// Whether some of it is among these bits.
    pub(super) fn intersects(&self, words: &[u64]) -> bool {
        self.0.iter().zip(words).any(|(word, other)| word & other != 0)
    }

    /// Adds these bits.
    pub(super) fn unite(&mut self, words: &[u64]) {
        self.0.iter_mut().zip(words).for_each(|(word, other)| *word |= other);
    }

    /// The numbers in it, ascending.
    pub(super) fn numbers(&self) -> impl Iterator<Item = usize> + '_ {
        numbers(&self.0)
    }
}

/// The numbers of the bits that are set, ascending.
pub(super) fn numbers(words: &[u64]) -> impl Iterator<Item = usize> + '_ {
    words.iter().enumerate().flat_map(|(at, word)| {
        let mut rest = *word;
        std::iter::from_fn(move || {
            let bit = rest.trailing_zeros();
            (rest != 0).then(|| {
                rest &= rest - 1;
                at * BITS + bit as usize
            })
        })
    })
}
