//! List decision diagrams: sets of words of numbers, all of the same length.
//!
//! A node represents the words that begin with its value and continue with a word of its `down`
//! node, and those of its `right` node, which begin with greater values. Nodes are hash-consed, so
//! sets are equal if and only if their nodes have the same number. The number of nodes depends on
//! how ends of words correlate with their beginnings, not on the number of words (S. Blom, J. van
//! de Pol: Symbolic Reachability for Process Algebras with Recursive Data Types, ICTAC 2008).
//!
//! Operations take time at most linear in the product of the numbers of nodes of their operands;
//! results are cached.

/// A set of words, represented by the number of its first node.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(super) struct Set(u32);

impl Set {
    /// The empty set.
    pub const EMPTY: Self = Self(0);
    /// The set of the empty word.
    pub const END: Self = Self(1);
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Node {
    /// The first number of the words.
    pub value: u32,
    /// The continuations of these words.
    pub down: Set,
    /// The words that begin with greater numbers.
    pub right: Set,
}

/// Key of an operation in the cache.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Operation(pub u32);

impl Operation {
    const UNION: Self = Self(0);
    const MINUS: Self = Self(1);
    /// The first key that is free for operations outside this module.
    pub const FREE: u32 = 2;
}

#[derive(Clone, Copy, Debug)]
struct Entry {
    operation: Operation,
    operands: (Set, Set),
    result: Set,
}

const NOTHING: Entry =
    Entry { operation: Operation(u32::MAX), operands: (Set::EMPTY, Set::EMPTY), result: Set::EMPTY };

/// The node table and the operation cache.
#[derive(Debug)]
pub(super) struct Diagrams {
    nodes: Vec<Node>,
    /// Hash table from nodes to their numbers; 0 is an empty slot.
    table: Vec<u32>,
    cache: Vec<Entry>,
}

/// Initial size of the tables; [`MOST_KEPT`] is the greatest size of the cache.
const SMALL: usize = 1 << 12;
const MOST_KEPT: usize = 1 << 24;

impl Diagrams {
    pub fn new() -> Self {
        // Nodes 0 and 1 are the terminals; their contents are never read.
        let none = Node { value: 0, down: Set::EMPTY, right: Set::EMPTY };
        Self { nodes: vec![none; 2], table: vec![0; SMALL], cache: vec![NOTHING; SMALL] }
    }

    /// Number of bytes in use.
    pub fn size(&self) -> usize {
        self.nodes.capacity() * size_of::<Node>()
            + self.table.len() * size_of::<u32>()
            + self.cache.len() * size_of::<Entry>()
    }

    /// Number of nodes, including those of sets that are no longer needed.
    pub fn len(&self) -> usize {
        self.nodes.len()
    }

    /// The first node of a set, which must not be a terminal.
    #[inline]
    pub fn node(&self, set: Set) -> Node {
        self.nodes[set.0 as usize]
    }

    /// The set with this first node. Values in `right` must be greater.
    pub fn make(&mut self, value: u32, down: Set, right: Set) -> Set {
        if down == Set::EMPTY {
            return right;
        }
        debug_assert!(right == Set::EMPTY || self.node(right).value > value, "values are in order");
        let node = Node { value, down, right };
        let mask = self.table.len() - 1;
        let mut at = hash(value, down.0, right.0) & mask;
        loop {
            match self.table[at] {
                0 => break,
                number if self.nodes[number as usize] == node => return Set(number),
                _ => at = (at + 1) & mask,
            }
        }
        // The number fits: nodes are limited by memory, see `size`.
        let number = u32::try_from(self.nodes.len()).unwrap_or(u32::MAX);
        self.nodes.push(node);
        self.table[at] = number;
        if self.nodes.len() * 2 > self.table.len() {
            self.grow();
        }
        Set(number)
    }

    fn grow(&mut self) {
        let places = self.table.len() * 2;
        self.table = vec![0; places];
        for (number, node) in (0..).zip(&self.nodes).skip(2) {
            let mut at = hash(node.value, node.down.0, node.right.0) & (places - 1);
            while self.table[at] != 0 {
                at = (at + 1) & (places - 1);
            }
            self.table[at] = number;
        }
        if self.cache.len() < places.min(MOST_KEPT) {
            self.cache = vec![NOTHING; places];
        }
    }

    /// The cached result of an operation, if there is one.
    #[inline]
    pub fn known(&self, operation: Operation, one: Set, other: Set) -> Option<Set> {
        let entry = &self.cache[self.place(operation, one, other)];
        (entry.operation == operation && entry.operands == (one, other)).then_some(entry.result)
    }

    /// Caches the result of an operation and returns it.
    #[inline]
    pub fn keep(&mut self, operation: Operation, one: Set, other: Set, result: Set) -> Set {
        let place = self.place(operation, one, other);
        self.cache[place] = Entry { operation, operands: (one, other), result };
        result
    }

    #[inline]
    fn place(&self, operation: Operation, one: Set, other: Set) -> usize {
        hash(operation.0, one.0, other.0) & (self.cache.len() - 1)
    }

    /// The union of two sets.
    pub fn union(&mut self, one: Set, other: Set) -> Set {
        if one == Set::EMPTY || one == other {
            return other;
        }
        if other == Set::EMPTY {
            return one;
        }
        let (low, high) = (one.min(other), one.max(other));
        if let Some(known) = self.known(Operation::UNION, low, high) {
            return known;
        }
        let (a, b) = (self.node(one), self.node(other));
        let (value, down, right) = match a.value.cmp(&b.value) {
            std::cmp::Ordering::Less => (a.value, a.down, self.union(a.right, other)),
            std::cmp::Ordering::Greater => (b.value, b.down, self.union(one, b.right)),
            std::cmp::Ordering::Equal => (a.value, self.union(a.down, b.down), self.union(a.right, b.right)),
        };
        let result = self.make(value, down, right);
        self.keep(Operation::UNION, low, high, result)
    }

    /// The difference of two sets.
    pub fn minus(&mut self, one: Set, other: Set) -> Set {
        if one == Set::EMPTY || one == other {
            return Set::EMPTY;
        }
        if other == Set::EMPTY {
            return one;
        }
        if let Some(known) = self.known(Operation::MINUS, one, other) {
            return known;
        }
        let (a, b) = (self.node(one), self.node(other));
        let result = match a.value.cmp(&b.value) {
            std::cmp::Ordering::Less => {
                let right = self.minus(a.right, other);
                self.make(a.value, a.down, right)
            }
            std::cmp::Ordering::Greater => self.minus(one, b.right),
            std::cmp::Ordering::Equal => {
                let down = self.minus(a.down, b.down);
                let right = self.minus(a.right, b.right);
                self.make(a.value, down, right)
            }
        };
        self.keep(Operation::MINUS, one, other, result)
    }

    /// The set of these words, which must be sorted and without duplicates.
    pub fn of(&mut self, words: &[Vec<u32>]) -> Set {
        self.of_ends(words, 0)
    }

    fn of_ends(&mut self, words: &[Vec<u32>], at: usize) -> Set {
        let Some(last) = words.last() else { return Set::EMPTY };
        let Some(value) = last.get(at) else { return Set::END };
        let mut set = Set::EMPTY;
        let (mut rest, mut value) = (words, *value);
        loop {
            let begins = rest.partition_point(|word| word[at] < value);
            let down = self.of_ends(&rest[begins..], at + 1);
            set = self.make(value, down, set);
            rest = &rest[..begins];
            let Some(last) = rest.last() else { return set };
            value = last[at];
        }
    }

    /// All words of a set, in order.
    pub fn words(&self, set: Set) -> Vec<Vec<u32>> {
        let (mut words, mut word) = (Vec::new(), Vec::new());
        self.add_words(set, &mut word, &mut words);
        words
    }

    fn add_words(&self, set: Set, word: &mut Vec<u32>, words: &mut Vec<Vec<u32>>) {
        if set == Set::END {
            return words.push(word.clone());
        }
        for node in self.nodes_of(set) {
            word.push(node.value);
            self.add_words(node.down, word, words);
            word.pop();
        }
    }

    /// The nodes at the top of a set, from left to right.
    pub fn nodes_of(&self, set: Set) -> impl Iterator<Item = Node> {
        let mut at = set;
        std::iter::from_fn(move || {
            (at != Set::EMPTY).then(|| {
                let node = self.node(at);
                at = node.right;
                node
            })
        })
    }

    /// Number of words; [`u128::MAX`] stands for any larger number, too.
    pub fn count(&self, set: Set) -> u128 {
        // Nodes have greater numbers than those below and to the right of them.
        let mut counts = vec![0_u128; set.0 as usize + 2];
        counts[1] = 1;
        let mut needed = vec![false; set.0 as usize + 2];
        needed[set.0 as usize] = true;
        for at in (2..=set.0 as usize).rev().filter(|_| set.0 > 1) {
            if needed[at] {
                let node = self.nodes[at];
                needed[node.down.0 as usize] = true;
                needed[node.right.0 as usize] = true;
            }
        }
        for at in (2..=set.0 as usize).filter(|at| needed[*at]) {
            let node = self.nodes[at];
            counts[at] = counts[node.down.0 as usize].saturating_add(counts[node.right.0 as usize]);
        }
        counts[set.0 as usize]
    }
}

/// Hashes three numbers.
#[inline]
fn hash(a: u32, b: u32, c: u32) -> usize {
    let mixed = u64::from(a).wrapping_mul(0x9E37_79B9_7F4A_7C15)
        ^ (u64::from(b) << 32 | u64::from(c)).wrapping_mul(0xC2B2_AE3D_27D4_EB4F);
    let mixed = (mixed ^ (mixed >> 32)).wrapping_mul(0xD6E8_FEB8_6659_FD93);
    usize::try_from(mixed ^ (mixed >> 32)).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use proptest::prelude::*;

    use super::*;

    type Words = BTreeSet<Vec<u32>>;

    fn words() -> impl Strategy<Value = Words> {
        prop::collection::btree_set(prop::collection::vec(0..4_u32, 4), 0..40)
    }

    fn of(diagrams: &mut Diagrams, words: &Words) -> Set {
        diagrams.of(&words.iter().cloned().collect::<Vec<_>>())
    }

    proptest! {
        #[test]
        fn sets_are_what_their_words_are(one in words(), other in words()) {
            let mut diagrams = Diagrams::new();
            let (a, b) = (of(&mut diagrams, &one), of(&mut diagrams, &other));
            prop_assert_eq!(a == b, one == other);
            let (both, less) = (diagrams.union(a, b), diagrams.minus(a, b));
            let union: Words = one.union(&other).cloned().collect();
            let minus: Words = one.difference(&other).cloned().collect();
            prop_assert_eq!(of(&mut diagrams, &union), both);
            prop_assert_eq!(of(&mut diagrams, &minus), less);
            prop_assert_eq!(diagrams.count(both), union.len() as u128);
            prop_assert_eq!(diagrams.words(less), minus.into_iter().collect::<Vec<_>>());
        }
    }

    #[test]
    fn nodes_are_found_again_however_many_there_are() {
        let mut diagrams = Diagrams::new();
        let words: Vec<Vec<u32>> = (0..20_000).map(|number| vec![number, number / 3, number % 7]).collect();
        let set = diagrams.of(&words);
        let nodes = diagrams.len();
        assert!(nodes > SMALL);
        assert_eq!(diagrams.of(&words), set);
        assert_eq!((diagrams.len(), diagrams.count(set)), (nodes, 20_000));
    }

    #[test]
    fn many_words_are_few_nodes() {
        let mut diagrams = Diagrams::new();
        let mut set = Set::END;
        for _ in 0..100 {
            let right = diagrams.make(1, set, Set::EMPTY);
            set = diagrams.make(0, set, right);
        }
        assert_eq!(diagrams.count(set), 1 << 100);
        assert_eq!(diagrams.len(), 202);
    }
}
