//! Where processes may be at the same time.
//!
//! A send and a receive of a rendezvous are one step of both. So what one of them has done by rendezvous with the other says where
//! that one may be.

mod company;
mod moves;
mod places;

use cfsm_core::system::{ClassId, System};

pub use self::company::{Company, Stays};
use self::moves::Moves;
pub use self::places::{Atlas, Places, Whereabouts};

/// Combinations of states that are reached, at most.
pub const MOST_TOGETHER: usize = 1 << 18;

/// Combinations of states that there are, at most: a bit is kept for each.
const MOST_BITS: usize = 1 << 26;

/// At which states the instances of two or three classes may be at the same time, in any run, if there is
/// [one of each at most](crate::single_classes).
///
/// Others may do anything: they are there for each rendezvous that one of these can take part in, at any time. A transition with several rendezvous events
/// may fire alone, or with any of the other classes that have some.
#[derive(Clone, Debug)]
pub struct Together {
    /// How many places each class has.
    sizes: Vec<usize>,
    /// For each class, for each combination of places of the others, a row of bits: its places beside these.
    beside: Vec<Vec<u64>>,
}

impl Together {
    /// Looks at all combinations that can be reached; `None` if these are more than [`MOST_TOGETHER`], or there are too many of any kind.
    ///
    /// Time linear in the combinations and the steps from each, and in the system.
    #[must_use]
    pub fn of(system: &System, atlas: &Atlas, classes: &[ClassId]) -> Option<Self> {
        let sizes: Vec<usize> = classes.iter().map(|class| atlas.len(*class)).collect();
        let bits = sizes.iter().try_fold(1_usize, |all, size| all.checked_mul(*size))?;
        if bits > MOST_BITS {
            return None;
        }
        let moves = Moves::new(system, atlas, classes);
        let index = |at: &[usize]| at.iter().zip(&sizes).fold(0, |index, (place, size)| index * size + place);
        let start = moves.start();
        let mut reached = Places::none(bits);
        reached.insert(index(&start));
        let mut all = start.clone();
        let (mut next, mut done) = (Vec::new(), 0);
        while done < all.len() {
            let at: Vec<usize> = all[done..done + classes.len()].to_vec();
            done += classes.len();
            moves.after(&at, &mut next);
            for at in next.chunks_exact(classes.len()) {
                let number = index(at);
                if !reached.contains(number) {
                    reached.insert(number);
                    all.extend_from_slice(at);
                }
            }
            next.clear();
            if all.len() > MOST_TOGETHER * classes.len() {
                return None;
            }
        }
        let mut together = Self { beside: Vec::new(), sizes };
        for member in 0..classes.len() {
            let rows = bits / together.sizes[member];
            let words = together.words(member);
            let mut beside = vec![0; rows * words];
            for at in all.chunks_exact(classes.len()) {
                let row = together.row(member, at);
                beside[row * words + at[member] / 64] |= 1 << (at[member] % 64);
            }
            together.beside.push(beside);
        }
        Some(together)
    }

    /// How many words a row has.
    fn words(&self, member: usize) -> usize {
        Places::none(self.sizes[member]).words().len()
    }

    /// The row for places of the others.
    fn row(&self, member: usize, at: &[usize]) -> usize {
        let others = at.iter().zip(&self.sizes).enumerate().filter(|(other, _)| *other != member);
        others.fold(0, |row, (_, (place, size))| row * size + place)
    }

    /// Where one of them may be while each of the others is at one of its places; what it is given for itself does not count.
    #[must_use]
    pub fn beside(&self, member: usize, places: &[&Places]) -> Places {
        let mut beside = Places::none(self.sizes[member]);
        let words = self.words(member);
        let mut rows = vec![0];
        for (other, places) in places.iter().enumerate().filter(|(other, _)| *other != member) {
            let size = self.sizes[other];
            rows =
                rows.iter().flat_map(|row| places.numbers().map(move |place| row * size + place)).collect();
        }
        for row in rows {
            beside.join(&self.beside[member][row * words..(row + 1) * words]);
        }
        beside
    }
}
