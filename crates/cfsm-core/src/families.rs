//! Families of systems with known verdicts, for tests and benchmarks of any size (feature
//! `testing`).

pub mod large;

use crate::system::{MessageId, System, SystemBuilder};

/// The number of messages that a machine receives and sends in one turn of its loop.
#[derive(Clone, Copy, Debug)]
pub struct Ratio {
    /// Number of messages received.
    pub takes: i32,
    /// Number of messages sent.
    pub sends: i32,
}

impl Ratio {
    /// Sends one message for each.
    pub const ONE: Self = Self { takes: 1, sends: 1 };
    /// Sends two messages for each.
    pub const DOUBLE: Self = Self { takes: 1, sends: 2 };
    /// Sends one message for two.
    pub const HALF: Self = Self { takes: 2, sends: 1 };
    /// Sends three messages for each.
    pub const TRIPLE: Self = Self { takes: 1, sends: 3 };
    /// Sends one message for three.
    pub const THIRD: Self = Self { takes: 3, sends: 1 };
}

/// A ring of one-loop machines: `first` machines with the ratio `first_ratio`, then `second`
/// machines with `second_ratio`. Each sends to the next, and the last one to the first. Message i
/// is received by machine i, each in a buffer of its own.
///
/// One round multiplies the number of messages by p^`first` · q^`second`, where p and q are sends
/// divided by takes of the two ratios; the ring is bounded iff that is at most 1. With 84 times
/// [`Ratio::DOUBLE`] and 53 times [`Ratio::THIRD`] it is 2^84 / 3^53 = 0.998, which floating point
/// does not tell from 1.
#[must_use]
pub fn ring(first: usize, first_ratio: Ratio, second: usize, second_ratio: Ratio) -> System {
    let length = first + second;
    let mut b = SystemBuilder::new(format!("ring-{first}-{second}"));
    let messages: Vec<MessageId> = (0..length).map(|i| b.message(&format!("q{i}"), "m")).collect();
    for i in 0..length {
        let Ratio { takes, sends } = if i < first { first_ratio } else { second_ratio };
        let changes = [(messages[i], -takes), (messages[(i + 1) % length], sends)];
        b.class(&format!("P{i}"), 1).step("loop", &changes, "loop");
    }
    b.build().expect("names are numbered")
}

/// `length` machines that receive one message and send `factor`, one that turns over, `length` that
/// receive `factor` and send one, one that closes the circle: one round preserves the number of
/// messages, so it is bounded. With a leak the closing machine also sends one message that no
/// machine receives: unbounded, and the smallest combination that shows it has multiplicities up to
/// `factor^length`.
#[must_use]
pub fn chain(length: usize, factor: i32, leak: bool) -> System {
    let mut b = SystemBuilder::new(format!("chain-{length}{}", if leak { "-leak" } else { "" }));
    let up: Vec<_> = (0..=length).map(|i| b.message(&format!("a{i}"), "m")).collect();
    let down: Vec<_> = (0..=length).map(|i| b.message(&format!("b{i}"), "m")).collect();
    for i in 0..length {
        let changes = [(up[i], -1), (up[i + 1], factor)];
        b.class(&format!("Up{i}"), 1).step("loop", &changes, "loop");
        let changes = [(down[i + 1], -factor), (down[i], 1)];
        b.class(&format!("Down{i}"), 1).step("loop", &changes, "loop");
    }
    b.class("Turn", 1).step("loop", &[(up[length], -1), (down[length], 1)], "loop");
    let mut changes = vec![(down[0], -1), (up[0], 1)];
    if leak {
        changes.push((b.message("z", "m"), 1));
    }
    b.class("Close", 1).step("loop", &changes, "loop");
    b.build().expect("names are numbered")
}

/// Two machines with the effects (m, −(m−1)) and (−(m+1), m): nearly parallel, but their sum is
/// positive, so both buffers can grow.
#[must_use]
pub fn near_parallel(m: i32) -> System {
    let mut b = SystemBuilder::new(format!("near-parallel-{m}"));
    let (x, y) = (b.message("x", "m"), b.message("y", "m"));
    b.class("P", 1).step("loop", &[(y, -(m - 1)), (x, m)], "loop");
    b.class("Q", 1).step("loop", &[(x, -(m + 1)), (y, m)], "loop");
    b.build().expect("two names")
}

/// A line of `processes` (at least 2) processes of about `states` states each, bounded: each serves
/// requests of the one before it, and for some of them asks the next one and waits for the answer.
/// Between two neighbours there is a buffer for requests and one for answers, with `kinds` message
/// types each; a process chooses between `kinds` branches at every turn, so the number of its
/// elementary cycles is exponential in `states / kinds`.
#[must_use]
pub fn line_of_servers(processes: usize, states: usize, kinds: usize) -> System {
    let mut b = SystemBuilder::new(format!("line-{processes}-{states}"));
    let between = |b: &mut SystemBuilder, name: &str| -> Vec<Vec<MessageId>> {
        (1..processes)
            .map(|i| (0..kinds).map(|k| b.message(&format!("{name}{i}"), &format!("k{k}"))).collect())
            .collect()
    };
    let (requests, answers) = (between(&mut b, "ask"), between(&mut b, "answer"));
    for p in 0..processes {
        let mut class = b.class(&format!("P{p}"), 1);
        // A turn costs one state, and one per branch and call; turns follow one another in a loop.
        let turns = (states / (1 + 2 * kinds)).max(1);
        for turn in 0..turns {
            let (here, next) = (format!("t{turn}"), format!("t{}", (turn + 1) % turns));
            for k in 0..kinds {
                let (asked, called) = (format!("t{turn}a{k}"), format!("t{turn}c{k}"));
                if p == 0 {
                    class.step(&here, &[], &asked);
                } else {
                    class.receive(&here, requests[p - 1][k], &asked);
                }
                // The last has no successor to ask, and every third branch is answered at once.
                let done = if p + 1 == processes || (turn + k) % 3 == 2 {
                    asked
                } else {
                    class.send(&asked, requests[p][k], &called);
                    let waited = format!("t{turn}w{k}");
                    class.receive(&called, answers[p][k], &waited);
                    waited
                };
                if p == 0 {
                    class.step(&done, &[], &next);
                } else {
                    class.send(&done, answers[p - 1][k], &next);
                }
            }
        }
    }
    b.build().expect("names are numbered")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_are_as_stated() {
        assert_eq!(ring(84, Ratio::DOUBLE, 53, Ratio::THIRD).transitions.len(), 137);
        assert_eq!(chain(25, 3, true).buffers.len(), 53);
        let line = line_of_servers(100, 50, 3);
        assert_eq!(line.classes.len(), 100);
        assert!((4_000..=7_000).contains(&line.states.len()), "{} states", line.states.len());
    }
}
