//! The set of visited states: their full encodings, stored consecutively in blocks.

use std::hash::BuildHasher;

use hashbrown::{DefaultHashBuilder, HashTable};

/// Number of strings of a block. Each ends at most 4 GiB behind the beginning of its block.
const BLOCK: usize = 1024;

/// A set of byte strings, numbered in the order of insertion. Strings are compared in full.
#[derive(Default)]
pub(crate) struct Store {
    blocks: Blocks,
    /// Hash table of the numbers of the strings.
    table: HashTable<u32>,
    hasher: DefaultHashBuilder,
}

/// There are more states than can be numbered, or larger ones than fit into a block.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Full;

impl Store {
    /// Number of strings.
    pub fn len(&self) -> usize {
        self.blocks.count
    }

    /// Approximate number of bytes in use.
    pub fn size(&self) -> usize {
        // The table has 4 bytes and a control byte for each slot, and keeps an eighth of them
        // empty.
        self.blocks.size() + self.table.capacity() * 6
    }

    /// The string with a number.
    pub fn get(&self, number: usize) -> &[u8] {
        self.blocks.get(number)
    }

    /// The number of a string; `None` if it is not in the set.
    pub fn find(&self, string: &[u8]) -> Option<usize> {
        let hash = self.hasher.hash_one(string);
        let found = self.table.find(hash, |number| self.get(*number as usize) == string);
        found.map(|number| *number as usize)
    }

    /// Inserts a string; returns its number, and `true` if it is new.
    pub fn insert(&mut self, string: &[u8]) -> Result<(usize, bool), Full> {
        let hash = self.hasher.hash_one(string);
        let blocks = &self.blocks;
        if let Some(found) = self.table.find(hash, |number| blocks.get(*number as usize) == string) {
            return Ok((*found as usize, false));
        }
        let number = self.len();
        let short = u32::try_from(number).map_err(|_| Full)?;
        if self.table.len() == self.table.capacity() {
            self.grow();
        }
        self.blocks.push(string)?;
        let Self { blocks, table, hasher } = self;
        table.insert_unique(hash, short, |number| hasher.hash_one(blocks.get(*number as usize)));
        Ok((number, true))
    }

    /// Removes all strings. Capacity for one block is kept.
    pub fn clear(&mut self) {
        if self.table.capacity() > 2 * BLOCK {
            *self = Self::default();
        } else if self.blocks.count > 0 {
            self.table.clear();
            self.blocks.clear();
        }
    }

    /// Doubles the table. The old table is dropped first, and strings are read in their order,
    /// which takes less memory and time than letting the table grow by itself.
    fn grow(&mut self) {
        let places = self.table.capacity() + 1;
        self.table = HashTable::new();
        self.table.reserve(places, |_| 0);
        let Self { blocks, table, hasher } = self;
        for number in 0..blocks.count {
            let hash = hasher.hash_one(blocks.get(number));
            // The conversion succeeds: the number was in the old table.
            let short = u32::try_from(number).unwrap_or(u32::MAX);
            table.insert_unique(hash, short, |number| hasher.hash_one(blocks.get(*number as usize)));
        }
    }
}

/// Storage of the strings. All blocks but the last one are full, and exactly as large as their
/// strings.
#[derive(Default)]
struct Blocks {
    all: Vec<Block>,
    /// Number of strings.
    count: usize,
    /// Number of bytes of the strings in full blocks.
    full: usize,
}

#[derive(Default)]
struct Block {
    bytes: Vec<u8>,
    /// End of each string in `bytes`.
    ends: Vec<u32>,
}

impl Blocks {
    fn get(&self, number: usize) -> &[u8] {
        let (block, at) = (&self.all[number / BLOCK], number % BLOCK);
        let first = at.checked_sub(1).map_or(0, |before| block.ends[before]);
        &block.bytes[first as usize..block.ends[at] as usize]
    }

    fn push(&mut self, string: &[u8]) -> Result<(), Full> {
        // The first block may be one that was cleared.
        let last = self.all.last().filter(|_| self.count < self.all.len() * BLOCK);
        let first = last.map_or(0, |last| last.bytes.len());
        let end = u32::try_from(first + string.len()).map_err(|_| Full)?;
        if last.is_none() {
            self.begin();
        }
        let Some(block) = self.all.last_mut() else { return Err(Full) };
        block.bytes.extend_from_slice(string);
        block.ends.push(end);
        self.count += 1;
        Ok(())
    }

    /// Starts a block with the capacity of the previous one.
    fn begin(&mut self) {
        let mut next = Block::default();
        if let Some(last) = self.all.last_mut() {
            last.bytes.shrink_to_fit();
            self.full += last.bytes.len();
            next = Block { bytes: Vec::with_capacity(last.bytes.len()), ends: Vec::with_capacity(BLOCK) };
        }
        self.all.push(next);
    }

    /// Removes all strings, and keeps the storage of the first block.
    fn clear(&mut self) {
        self.all.truncate(1);
        if let Some(first) = self.all.first_mut() {
            first.bytes.clear();
            first.ends.clear();
        }
        (self.count, self.full) = (0, 0);
    }

    fn size(&self) -> usize {
        let last = self.all.last().map_or(0, |last| last.bytes.capacity());
        self.full + last + self.count * size_of::<u32>() + self.all.capacity() * size_of::<Block>()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_string_is_found_again() {
        let mut store = Store::default();
        for number in 0..10_000_u32 {
            assert_eq!(store.insert(&number.to_le_bytes()), Ok((number as usize, true)));
        }
        assert_eq!(store.insert(b""), Ok((10_000, true)));
        assert_eq!(store.insert(&77_u32.to_le_bytes()), Ok((77, false)));
        assert_eq!(store.insert(b""), Ok((10_000, false)));
        assert_eq!((store.find(b""), store.find(b"7")), (Some(10_000), None));
        assert_eq!(store.get(77), 77_u32.to_le_bytes());
        assert_eq!(store.len(), 10_001);
    }

    #[test]
    fn a_store_that_was_cleared_is_as_good_as_new() {
        let mut store = Store::default();
        for count in [1, 0, 5, BLOCK, BLOCK + 1, 7, 5 * BLOCK, 3] {
            for number in 0..count {
                let string = (number * count).to_string();
                assert_eq!(store.insert(string.as_bytes()), Ok((number, true)));
                assert_eq!(store.insert(string.as_bytes()), Ok((number, false)));
            }
            assert_eq!(store.len(), count);
            assert_eq!(store.find(b"x"), None);
            assert!((0..count).all(|number| store.get(number) == (number * count).to_string().as_bytes()));
            store.clear();
            assert_eq!((store.len(), store.find(b"0")), (0, None));
            assert!(store.size() < 100 * BLOCK, "{} bytes", store.size());
        }
    }

    #[test]
    fn the_size_is_little_more_than_that_of_the_strings() {
        let mut store = Store::default();
        let mut bytes = 0;
        for number in 0..3 * BLOCK + 7 {
            let string = format!("{number:>0$}", 4 + number % 50);
            bytes += string.len();
            assert_eq!(store.insert(string.as_bytes()), Ok((number, true)));
        }
        let size = store.size();
        assert!((bytes..bytes + 24 * store.len()).contains(&size), "{size} for {bytes}");
    }
}
