//! Where processes may be at the same time.
//!
//! A send and a receive of a rendezvous are one step of both. So what one of them has done by
//! rendezvous with the other says where that one may be.

mod company;
mod moves;
mod places;
mod reached;

use cfsm_core::system::{ClassId, System};

pub use self::company::{Company, Stays};
use self::moves::Moves;
pub use self::places::{Atlas, Places, Whereabouts};
use self::reached::{Reached, Rows};

/// Combinations of states that are reached, at most.
pub const MOST_TOGETHER: usize = 1 << 18;

/// Combinations of states that there are, at most: a bit is kept for each.
const MOST_BITS: usize = 1 << 26;

/// Classes that are looked at together, at most: steps of more of them at once are not known.
const MOST_CLASSES: usize = 3;

/// At which states the instances of two or three classes may be at the same time, in any run, if
/// there is [one of each at most](crate::single_classes).
///
/// Others may do anything: they are there for each rendezvous that one of these can take part in,
/// at any time. A transition with several rendezvous events may fire alone, or with any of the
/// other classes that have some.
#[derive(Clone, Debug)]
pub struct Together {
    /// The class with most places, by its position: the *member* of a row.
    member: usize,
    /// How many places each class has.
    sizes: Vec<usize>,
    /// For each combination of places of the others, the places of the member beside these.
    rows: Rows,
}

impl Together {
    /// Looks at all combinations that can be reached; `None` if these are more than
    /// [`MOST_TOGETHER`], or there are too many of any kind, or more than three classes.
    ///
    /// Time linear in the combinations and the steps of one class from each, in words of bits for
    /// the steps of others, and in the system.
    #[must_use]
    pub fn of(system: &System, atlas: &Atlas, classes: &[ClassId]) -> Option<Self> {
        let sizes: Vec<usize> = classes.iter().map(|class| atlas.len(*class)).collect();
        let bits = sizes.iter().try_fold(1_usize, |all, size| all.checked_mul(*size))?;
        if bits > MOST_BITS || classes.len() > MOST_CLASSES {
            return None;
        }
        let member = (0..classes.len()).max_by_key(|member| sizes[*member])?;
        let mut moves = Moves::of(system, atlas, classes);
        let own = moves.remove(member);
        let rows = Reached::new(&own, &moves).run()?;
        Some(Self { member, sizes, rows })
    }

    /// Where one of them may be while each of the others is at one of its places; what it is given
    /// for itself does not count.
    ///
    /// Time linear in the combinations of places of all but the member with most, times the words
    /// that hold its places.
    #[must_use]
    pub fn beside(&self, asked: usize, places: &[&Places]) -> Places {
        let anywhere = Places::all(self.sizes[asked]);
        // The number of a row, and the place in it of who is asked about.
        let mut rows = vec![(0, 0)];
        for (other, size) in self.sizes.iter().enumerate().filter(|(other, _)| *other != self.member) {
            let places = if other == asked { &anywhere } else { places[other] };
            let add = |&(row, place): &(usize, usize)| {
                let place = move |number| if other == asked { number } else { place };
                places.numbers().map(move |number| (row * size + number, place(number)))
            };
            rows = rows.iter().flat_map(add).collect();
        }
        let mut beside = Places::none(self.sizes[asked]);
        for (row, place) in rows {
            let row = self.rows.row(row);
            if asked == self.member {
                beside.join(row);
            } else if places[self.member].meets(row) {
                beside.insert(place);
            }
        }
        beside
    }
}
