//! Many short lists in two vectors (compressed sparse rows): half the memory of a vector of
//! vectors, and one allocation.

use std::marker::PhantomData;

use cfsm_core::ids::Id;

/// A list per id.
#[derive(Debug)]
pub(crate) struct Csr<I, T> {
    /// Start of each list in `items`, and the end of the last one.
    starts: Vec<u32>,
    items: Vec<T>,
    key: PhantomData<fn() -> I>,
}

impl<I: Id, T> Csr<I, T> {
    /// Builds the lists from one list after the other.
    pub fn in_order<L: IntoIterator<Item = T>>(lists: impl Iterator<Item = L>) -> Self {
        let mut all = Self { starts: vec![0], items: Vec::new(), key: PhantomData };
        for list in lists {
            all.items.extend(list);
            all.starts.push(length(all.items.len()));
        }
        all
    }

    /// Builds the lists from pairs of owner and item; each list keeps their order. Time linear in
    /// owners and pairs.
    pub fn sorted(owners: usize, pairs: &[(I, T)]) -> Self
    where
        T: Copy,
    {
        let mut starts = vec![0u32; owners + 1];
        for (owner, _) in pairs {
            starts[owner.index() + 1] += 1;
        }
        for at in 0..owners {
            starts[at + 1] += starts[at];
        }
        let mut next = starts.clone();
        let mut order = vec![0u32; pairs.len()];
        for (at, (owner, _)) in pairs.iter().enumerate() {
            order[next[owner.index()] as usize] = length(at);
            next[owner.index()] += 1;
        }
        let items = order.into_iter().map(|at| pairs[at as usize].1).collect();
        Self { starts, items, key: PhantomData }
    }

    /// The list of an id.
    pub fn of(&self, id: I) -> &[T] {
        &self.items[self.range(id)]
    }

    /// The range of an id's items among all items.
    pub fn range(&self, id: I) -> std::ops::Range<usize> {
        self.starts[id.index()] as usize..self.starts[id.index() + 1] as usize
    }

    /// All items, list after list.
    pub fn items(&self) -> &[T] {
        &self.items
    }
}

fn length(items: usize) -> u32 {
    u32::try_from(items).expect("fewer than 2^32 items")
}

#[cfg(test)]
mod tests {
    use cfsm_core::system::StateId;

    use super::*;

    #[test]
    fn lists_keep_their_order() {
        let id = StateId::new;
        let sorted = Csr::sorted(3, &[(id(2), 'a'), (id(0), 'b'), (id(2), 'c')]);
        assert_eq!([0, 1, 2].map(|at| sorted.of(id(at)).iter().collect::<String>()), ["b", "", "ac"]);
        let plain: Csr<StateId, char> = Csr::in_order([vec!['b'], vec![], vec!['a', 'c']].into_iter());
        assert_eq!((plain.range(id(2)), plain.items()), (1..3, sorted.items()));
    }
}
