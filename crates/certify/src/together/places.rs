//! Sets of places of one class.

use cfsm_core::ids::IdMap;
use cfsm_core::system::{ClassId, StateId, System};

/// Where an instance is; `None`: it has not been created.
pub type Whereabouts = Option<StateId>;

/// Bits in a word.
const BITS: usize = u64::BITS as usize;

/// The places of all classes of a system: nowhere, and its states.
#[derive(Clone, Debug)]
pub struct Atlas {
    /// Per class, its states.
    states: IdMap<ClassId, Vec<StateId>>,
    /// Per state, its number among the places of its class.
    numbers: IdMap<StateId, usize>,
}

impl Atlas {
    /// Time linear in the states.
    #[must_use]
    pub fn of(system: &System) -> Self {
        let mut states = IdMap::filled(Vec::new(), system.classes.len());
        let mut numbers = IdMap::new();
        for (id, state) in system.states.iter() {
            let own: &mut Vec<StateId> = &mut states[state.class];
            own.push(id);
            numbers.push(own.len());
        }
        Self { states, numbers }
    }

    /// How many places a class has.
    pub(super) fn len(&self, class: ClassId) -> usize {
        self.states[class].len() + 1
    }

    /// The number of a place.
    pub(super) fn number(&self, place: Whereabouts) -> usize {
        place.map_or(0, |state| self.numbers[state])
    }

    /// These places of a class.
    #[must_use]
    pub fn places(&self, class: ClassId, places: impl IntoIterator<Item = Whereabouts>) -> Places {
        let mut set = Places::none(self.len(class));
        places.into_iter().for_each(|place| set.insert(self.number(place)));
        set
    }

    /// All places of a class.
    #[must_use]
    pub fn anywhere(&self, class: ClassId) -> Places {
        let all = self.states[class].iter().copied().map(Some).chain([None]);
        self.places(class, all)
    }

    /// Whether a place is one of these, which are of its class.
    #[must_use]
    pub fn has(&self, places: &Places, place: Whereabouts) -> bool {
        places.contains(self.number(place))
    }
}

/// A set of places of one class, by their numbers in an [`Atlas`].
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Places(Vec<u64>);

impl Places {
    pub(super) fn none(len: usize) -> Self {
        Self(vec![0; len.div_ceil(BITS)])
    }

    /// All places of a class that has so many.
    pub(super) fn all(len: usize) -> Self {
        let mut all = Self::none(len);
        (0..len).for_each(|number| all.insert(number));
        all
    }

    /// The word, and the bit in it, of a place.
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

    /// Keeps what is in the other one too.
    pub fn meet(&mut self, other: &Self) {
        self.0.iter_mut().zip(&other.0).for_each(|(word, other)| *word &= other);
    }

    /// Whether all of it is in another one.
    #[must_use]
    pub fn is_within(&self, other: &Self) -> bool {
        self.0.iter().zip(&other.0).all(|(word, other)| word & !other == 0)
    }

    /// The words of bits.
    pub(super) fn words(&self) -> &[u64] {
        &self.0
    }

    /// Whether some of it is among these.
    pub(super) fn meets(&self, words: &[u64]) -> bool {
        self.0.iter().zip(words).any(|(word, other)| word & other != 0)
    }

    pub(super) fn join(&mut self, words: &[u64]) {
        self.0.iter_mut().zip(words).for_each(|(word, other)| *word |= other);
    }

    /// The numbers, ascending.
    pub(super) fn numbers(&self) -> impl Iterator<Item = usize> + '_ {
        self.0.iter().enumerate().flat_map(|(at, word)| {
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
}
