//! Sparse effect vectors (thesis, section 5.3).

use super::MessageId;

/// The effect of a transition, a path or a cycle on the number of messages of each type: pairs of
/// message type and change, ascending by message type, without zeros.
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Effect {
    entries: Vec<(MessageId, i64)>,
}

impl Effect {
    /// The pairs of message type and change.
    #[must_use]
    pub fn entries(&self) -> &[(MessageId, i64)] {
        &self.entries
    }

    /// Returns `true` if the effect is zero.
    #[must_use]
    pub fn is_zero(&self) -> bool {
        self.entries.is_empty()
    }

    /// The change of one message type.
    #[must_use]
    pub fn of(&self, message: MessageId) -> i64 {
        self.entries.binary_search_by_key(&message, |entry| entry.0).map_or(0, |at| self.entries[at].1)
    }
}

impl FromIterator<(MessageId, i64)> for Effect {
    /// Sums up changes, given in any order.
    fn from_iter<T: IntoIterator<Item = (MessageId, i64)>>(changes: T) -> Self {
        let mut all: Vec<_> = changes.into_iter().collect();
        all.sort_unstable_by_key(|entry| entry.0);
        let mut entries: Vec<(MessageId, i64)> = Vec::with_capacity(all.len());
        for (message, change) in all {
            match entries.last_mut() {
                Some(last) if last.0 == message => last.1 += change,
                _ => entries.push((message, change)),
            }
        }
        entries.retain(|entry| entry.1 != 0);
        Self { entries }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ids::Id;

    #[test]
    fn changes_add_up_and_zeros_vanish() {
        let [a, b] = [MessageId::new(0), MessageId::new(1)];
        let effect: Effect = [(b, 2), (a, 1), (a, -1), (b, 1)].into_iter().collect();
        assert_eq!(effect.entries(), [(b, 3)]);
        assert_eq!((effect.of(a), effect.of(b)), (0, 3));
    }
}
