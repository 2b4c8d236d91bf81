//! Typed indices and dense maps: an id is an index into the one [`IdMap`] that owns the item.
//!
//! Ids of different kinds do not mix, maps iterate in id order (so that no result depends on
//! hashing), and a lookup is an index into a vector.

use std::fmt;
use std::marker::PhantomData;
use std::num::{NonZeroU8, TryFromIntError};
use std::ops::{Index, IndexMut};
use std::sync::atomic::{AtomicU8, Ordering};

use serde::{Deserialize, Serialize};

/// A typed index. Implemented by the types that [`define_id!`](crate::define_id) defines; of these,
/// `usize::from` gives the position, too.
pub trait Id: Copy + Eq + Ord + fmt::Debug {
    /// The id of the thing at `position` (counted from 0).
    fn new(position: usize) -> Self;
    /// The position of the thing (counted from 0).
    fn index(self) -> usize;
}

/// Defines a newtype over `u32` that implements [`Id`]; its `Debug` form is the prefix and the
/// number.
#[macro_export]
macro_rules! define_id {
    ($(#[$doc:meta])* $name:ident, $prefix:literal) => {
        $(#[$doc])*
        #[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, serde::Serialize, serde::Deserialize)]
        #[serde(transparent)]
        pub struct $name(u32);

        impl $crate::ids::Id for $name {
            fn new(position: usize) -> Self {
                Self(u32::try_from(position).expect("fewer than 2^32 things of one kind"))
            }
            fn index(self) -> usize {
                self.0 as usize
            }
        }

        impl From<$name> for usize {
            fn from(id: $name) -> Self {
                $crate::ids::Id::index(id)
            }
        }

        impl std::fmt::Debug for $name {
            fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                write!(f, concat!($prefix, "{}"), self.0)
            }
        }
    };
}

/// A builder of things with ids, one of a few hundred.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Owner(NonZeroU8);

impl Owner {
    /// The next one. After 255 they begin again.
    #[must_use]
    pub fn next() -> Self {
        static COUNT: AtomicU8 = AtomicU8::new(0);
        let count = COUNT.fetch_add(1, Ordering::Relaxed);
        Self(NonZeroU8::new(count).unwrap_or(NonZeroU8::MAX))
    }
}

/// An id that knows the builder that it is from, if it is from one. That makes no difference to
/// what it is equal to, nor to how it is written.
pub trait OwnedId: Id {
    /// The same id, from a builder.
    #[must_use]
    fn of(self, owner: Owner) -> Self;
    /// The builder that it is from.
    fn owner(self) -> Option<Owner>;
}

/// As [`define_id!`](crate::define_id), for an [`OwnedId`]: there are fewer than 2²⁴ things of its
/// kind.
#[macro_export]
macro_rules! define_owned_id {
    ($(#[$doc:meta])* $name:ident, $prefix:literal) => {
        $(#[$doc])*
        #[derive(Clone, Copy, serde::Serialize, serde::Deserialize)]
        #[serde(try_from = "u32", into = "u32")]
        pub struct $name {
            /// The position, and above it the owner.
            bits: u32,
        }

        impl $crate::ids::Id for $name {
            fn new(position: usize) -> Self {
                let bits = u32::try_from(position).ok().and_then(|bits| Self::try_from(bits).ok());
                bits.expect("fewer than 2^24 things of one kind")
            }
            fn index(self) -> usize {
                u32::from(self) as usize
            }
        }

        impl $crate::ids::OwnedId for $name {
            fn of(self, owner: $crate::ids::Owner) -> Self {
                Self { bits: u32::from(self) | u32::from(u8::from(owner)) << 24 }
            }
            fn owner(self) -> Option<$crate::ids::Owner> {
                $crate::ids::Owner::try_from(self.bits.to_be_bytes()[0]).ok()
            }
        }

        impl TryFrom<u32> for $name {
            type Error = String;
            fn try_from(bits: u32) -> Result<Self, String> {
                if bits >> 24 == 0 { Ok(Self { bits }) } else { Err(format!("{bits} is no position")) }
            }
        }

        impl From<$name> for u32 {
            fn from(id: $name) -> Self {
                id.bits & (u32::MAX >> 8)
            }
        }

        impl From<$name> for usize {
            fn from(id: $name) -> Self {
                $crate::ids::Id::index(id)
            }
        }

        impl PartialEq for $name {
            fn eq(&self, other: &Self) -> bool {
                u32::from(*self) == u32::from(*other)
            }
        }

        impl Eq for $name {}

        impl PartialOrd for $name {
            fn partial_cmp(&self, other: &Self) -> Option<std::cmp::Ordering> {
                Some(self.cmp(other))
            }
        }

        impl Ord for $name {
            fn cmp(&self, other: &Self) -> std::cmp::Ordering {
                u32::from(*self).cmp(&u32::from(*other))
            }
        }

        impl std::hash::Hash for $name {
            fn hash<H: std::hash::Hasher>(&self, state: &mut H) {
                u32::from(*self).hash(state);
            }
        }

        impl std::fmt::Debug for $name {
            fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                write!(f, concat!($prefix, "{}"), u32::from(*self))
            }
        }
    };
}

impl From<Owner> for u8 {
    fn from(owner: Owner) -> Self {
        owner.0.get()
    }
}

impl TryFrom<u8> for Owner {
    type Error = TryFromIntError;
    fn try_from(number: u8) -> Result<Self, TryFromIntError> {
        NonZeroU8::try_from(number).map(Self)
    }
}

/// A dense map from ids to things, in the order in which the things were pushed.
#[derive(Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct IdMap<I, T> {
    items: Vec<T>,
    #[serde(skip)]
    key: PhantomData<fn() -> I>,
}

impl<I: Id, T> IdMap<I, T> {
    /// An empty map.
    #[must_use]
    pub const fn new() -> Self {
        Self { items: Vec::new(), key: PhantomData }
    }

    /// A map with `value` for each of the first `len` ids.
    #[must_use]
    pub fn filled(value: T, len: usize) -> Self
    where
        T: Clone,
    {
        Self { items: vec![value; len], key: PhantomData }
    }

    /// Adds an item and returns its id.
    pub fn push(&mut self, item: T) -> I {
        let id = I::new(self.items.len());
        self.items.push(item);
        id
    }

    /// Number of items.
    #[must_use]
    pub fn len(&self) -> usize {
        self.items.len()
    }

    /// Returns `true` if the map is empty.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.items.is_empty()
    }

    /// Mutable access to the item with this id, if it exists.
    #[must_use]
    pub fn get_mut(&mut self, id: I) -> Option<&mut T> {
        self.items.get_mut(id.index())
    }

    /// The item with this id, if it exists.
    #[must_use]
    pub fn get(&self, id: I) -> Option<&T> {
        self.items.get(id.index())
    }

    /// All ids, ascending.
    pub fn ids(&self) -> impl DoubleEndedIterator<Item = I> + ExactSizeIterator + use<I, T> {
        (0..self.items.len()).map(I::new)
    }

    /// All items with their ids, ascending by id.
    pub fn iter(&self) -> impl DoubleEndedIterator<Item = (I, &T)> + ExactSizeIterator {
        self.items.iter().enumerate().map(|(position, item)| (I::new(position), item))
    }

    /// Mutable access to all items with their ids, ascending by id.
    pub fn iter_mut(&mut self) -> impl DoubleEndedIterator<Item = (I, &mut T)> {
        self.items.iter_mut().enumerate().map(|(position, item)| (I::new(position), item))
    }

    /// All items, ascending by id.
    pub fn values(&self) -> std::slice::Iter<'_, T> {
        self.items.iter()
    }
}

impl<I: Id, T> Default for IdMap<I, T> {
    fn default() -> Self {
        Self::new()
    }
}

impl<I: Id, T: fmt::Debug> fmt::Debug for IdMap<I, T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_map().entries(self.iter()).finish()
    }
}

impl<I: Id, T> Index<I> for IdMap<I, T> {
    type Output = T;
    fn index(&self, id: I) -> &T {
        &self.items[id.index()]
    }
}

impl<I: Id, T> IndexMut<I> for IdMap<I, T> {
    fn index_mut(&mut self, id: I) -> &mut T {
        &mut self.items[id.index()]
    }
}

impl<I: Id, T> FromIterator<T> for IdMap<I, T> {
    fn from_iter<It: IntoIterator<Item = T>>(items: It) -> Self {
        Self { items: items.into_iter().collect(), key: PhantomData }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    define_id!(
        /// An id for the tests.
        ThingId, "thing"
    );

    #[test]
    fn ids_are_positions() {
        let mut map: IdMap<ThingId, &str> = IdMap::new();
        let a = map.push("a");
        let b = map.push("b");
        assert_eq!((map[a], map[b]), ("a", "b"));
        assert_eq!(map.ids().collect::<Vec<_>>(), [a, b]);
        assert_eq!(format!("{map:?}"), r#"{thing0: "a", thing1: "b"}"#);
        assert_eq!(map.get(ThingId::new(2)), None);
        assert_eq!(usize::from(b), 1);
    }

    #[test]
    fn serde_writes_a_plain_list() {
        let map: IdMap<ThingId, u8> = [1, 2].into_iter().collect();
        let text = serde_json::to_string(&map).unwrap();
        assert_eq!(text, "[1,2]");
        assert_eq!(serde_json::from_str::<IdMap<ThingId, u8>>(&text).unwrap(), map);
    }
}
