//! Sets of words of numbers, all of the same length, as list decision diagrams.
//!
//! A node stands for the words that begin with its value and go on with one that it has below, and
//! those of the node to its right, which begin with greater values. Nodes with the same value, the
//! same below and the same to the right are one node. So sets are the same if and only if they have
//! the same number, and how many nodes there are depends on how the ends of words go with their
//! beginnings, not on how many words there are (S. Blom, J. van de Pol: Symbolic Reachability for
//! Process Algebras with Recursive Data Types, ICTAC 2008).
//!
//! Operations take time linear in the product of the nodes of their operands at most; what they
//! came to is kept for a while.

/// A set of words, by the number of its first node.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(super) struct Set(u32);

impl Set {
    /// No word.
    pub const EMPTY: Self = Self(0);
    /// The word that has no numbers.
    pub const END: Self = Self(1);
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Node {
    /// The number with which words begin.
    pub value: u32,
    /// How these go on.
    pub down: Set,
    /// The words that begin with greater numbers.
    pub right: Set,
}

/// What an operation is, to find its result again.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Operation(pub u32);

impl Operation {
    const UNION: Self = Self(0);
    const MINUS: Self = Self(1);
    /// Those below are of the diagrams themselves.
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

/// All nodes, and the results of operations.
#[derive(Debug)]
pub(super) struct Diagrams {
    nodes: Vec<Node>,
    /// Where nodes are found by what they are; 0 is an empty place.
    table: Vec<u32>,
    cache: Vec<Entry>,
}

/// How large tables are at first, and how large the cache may get.
const SMALL: usize = 1 << 12;
const MOST_KEPT: usize = 1 << 24;

impl Diagrams {
    pub fn new() -> Self {
        // The two first ones are not looked at.
        let none = Node { value: 0, down: Set::EMPTY, right: Set::EMPTY };
        Self { nodes: vec![none; 2], table: vec![0; SMALL], cache: vec![NOTHING; SMALL] }
    }

    /// How many bytes are in use.
    pub fn size(&self) -> usize {
        self.nodes.capacity() * size_of::<Node>()
            + self.table.len() * size_of::<u32>()
            + self.cache.len() * size_of::<Entry>()
    }

    /// How many nodes there are, those of sets that nobody needs any more too.
    pub fn len(&self) -> usize {
        self.nodes.len()
    }

    /// The first node of a set that has more than the word without numbers, if any.
    #[inline]
    pub fn node(&self, set: Set) -> Node {
        self.nodes[set.0 as usize]
    }

    /// The set with a first node. Values to the right must be greater.
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
        // As many as fit into memory: see `size`.
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

    /// What an operation came to before, if it is kept.
    #[inline]
    pub fn known(&self, operation: Operation, operands: (Set, Set)) -> Option<Set> {
        let entry = &self.cache[self.place(operation, operands)];
        (entry.operation == operation && entry.operands == operands).then_some(entry.result)
    }

    /// Keeps what an operation came to.
    #[inline]
    pub fn keep(&mut self, operation: Operation, operands: (Set, Set), result: Set) -> Set {
        let place = self.place(operation, operands);
        self.cache[place] = Entry { operation, operands, result };
        result
    }

    #[inline]
    fn place(&self, operation: Operation, operands: (Set, Set)) -> usize {
        hash(operation.0, operands.0.0, operands.1.0) & (self.cache.len() - 1)
    }

    /// The words of both.
    pub fn union(&mut self, one: Set, other: Set) -> Set {
        if one == Set::EMPTY || one == other {
            return other;
        }
        if other == Set::EMPTY {
            return one;
        }
        let both = (one.min(other), one.max(other));
        if let Some(known) = self.known(Operation::UNION, both) {
            return known;
        }
        let (a, b) = (self.node(one), self.node(other));
        let (value, down, right) = match a.value.cmp(&b.value) {
            std::cmp::Ordering::Less => (a.value, a.down, self.union(a.right, other)),
            std::cmp::Ordering::Greater => (b.value, b.down, self.union(one, b.right)),
            std::cmp::Ordering::Equal => (a.value, self.union(a.down, b.down), self.union(a.right, b.right)),
        };
        let result = self.make(value, down, right);
        self.keep(Operation::UNION, both, result)
    }

    /// The words of one that are none of the other.
    pub fn minus(&mut self, one: Set, other: Set) -> Set {
        if one == Set::EMPTY || one == other {
            return Set::EMPTY;
        }
        if other == Set::EMPTY {
            return one;
        }
        if let Some(known) = self.known(Operation::MINUS, (one, other)) {
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
        self.keep(Operation::MINUS, (one, other), result)
    }

    /// The set of words that are in order, each once.
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

    /// All words, in order.
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

    /// The nodes with which words begin, one to the right of the other.
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

    /// How many words there are; at least so many if it is the greatest number.
    pub fn count(&self, set: Set) -> u128 {
        // Nodes come behind those that they lead to.
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

/// Mixes three numbers.
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
