//! Combinatorics of the words of messages that pass through a queue.

/// Returns `true` if `held` followed by `sent` for ever is the same infinite word as `taken` for
/// ever; neither of the last two may be empty.
///
/// After `held`, both words are periodic, with the periods of `sent` and `taken`. Two words with
/// periods p and q that agree on p + q letters agree for ever (Fine and Wilf 1965). Time linear in
/// the three lengths.
pub(super) fn feeds_itself<M: PartialEq>(held: &[M], sent: &[M], taken: &[M]) -> bool {
    let supply = held.iter().chain(sent.iter().cycle());
    let demand = taken.iter().cycle();
    supply.zip(demand).take(held.len() + sent.len() + taken.len()).all(|(given, wanted)| given == wanted)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_taken_must_be_what_is_there() {
        assert!(feeds_itself(b"", b"ab", b"ab"));
        assert!(feeds_itself(b"ab", b"ab", b"ab"));
        assert!(feeds_itself(b"a", b"ba", b"ab"));
        assert!(feeds_itself(b"aaa", b"aa", b"a"));
        assert!(feeds_itself(b"", b"abab", b"ab"));
        assert!(!feeds_itself(b"b", b"a", b"a"));
        assert!(!feeds_itself(b"", b"ab", b"a"));
        assert!(!feeds_itself(b"aaaaaaab", b"a", b"a"));
        assert!(!feeds_itself(b"ab", b"abb", b"ab"));
    }
}
