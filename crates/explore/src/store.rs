//! The set of states that were met: all of each, one after another in one arena.

use std::hash::BuildHasher;

use hashbrown::{DefaultHashBuilder, HashTable};

/// Byte strings with numbers, in the order in which they came. Two are the same if all bytes are.
#[derive(Default)]
pub(crate) struct Store {
    bytes: Vec<u8>,
    /// Where each ends.
    ends: Vec<usize>,
    table: HashTable<u32>,
    hasher: DefaultHashBuilder,
}

/// There are more states than can have numbers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Full;

impl Store {
    /// How many there are.
    pub fn len(&self) -> usize {
        self.ends.len()
    }

    /// How many bytes are in use, roughly.
    pub fn size(&self) -> usize {
        // The table keeps 4 bytes and a control byte for each place.
        self.bytes.capacity() + self.ends.capacity() * size_of::<usize>() + self.table.capacity() * 6
    }

    /// The string with a number.
    pub fn get(&self, number: usize) -> &[u8] {
        slice(&self.bytes, &self.ends, number)
    }

    /// The number of a string that is there.
    pub fn find(&self, string: &[u8]) -> Option<usize> {
        let hash = self.hasher.hash_one(string);
        let found = self.table.find(hash, |number| self.get(*number as usize) == string);
        found.map(|number| *number as usize)
    }

    /// The number of a string, and whether it is new.
    pub fn insert(&mut self, string: &[u8]) -> Result<(usize, bool), Full> {
        let Self { bytes, ends, table, hasher } = self;
        let hash = hasher.hash_one(string);
        if let Some(found) = table.find(hash, |number| slice(bytes, ends, *number as usize) == string) {
            return Ok((*found as usize, false));
        }
        let number = ends.len();
        let short = u32::try_from(number).map_err(|_| Full)?;
        bytes.extend_from_slice(string);
        ends.push(bytes.len());
        table.insert_unique(hash, short, |number| hasher.hash_one(slice(bytes, ends, *number as usize)));
        Ok((number, true))
    }
}

fn slice<'b>(bytes: &'b [u8], ends: &[usize], number: usize) -> &'b [u8] {
    let first = number.checked_sub(1).map_or(0, |before| ends[before]);
    &bytes[first..ends[number]]
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
}
