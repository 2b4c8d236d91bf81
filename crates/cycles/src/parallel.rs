//! The same enumeration on several threads, with the same result in the same order.
//!
//! One root can have nearly all cycles, so a search that goes on for long gives half of what is
//! left at the first choice of its path away, and again when somebody has begun with that. What is
//! given away comes behind what is kept, so results are joined in order.

use std::ops::ControlFlow;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use rayon::prelude::*;

use crate::classes::{Classes, Variants};
use crate::enumerate::{Cycle, SLICE};
use crate::graph::EdgeId;
use crate::limits::{End, Enumeration, Watch};
use crate::path::Path;
use crate::roots::{Root, Roots};
use crate::search::{Fuel, Search, Status, Visitor};

/// How often a search may give half away before it keeps the rest: bounds the depth of the threads'
/// stacks.
const GIFTS: usize = 64;
/// How many ways along the same vertices are walked by one thread.
const WAYS: u32 = 1 << 12;
/// How many roots are found at a time.
const BATCH: usize = 64;
/// How many batches of roots may be begun before all of them have to be done: bounds the depth of
/// the threads' stacks.
const TURNS: usize = 32;

/// What all threads know.
struct Shared<'a, I, F, J> {
    classes: Arc<Classes>,
    watch: Watch<'a>,
    /// Why to stop, once somebody knows.
    end: Mutex<Option<End>>,
    identity: I,
    fold: F,
    join: J,
}

impl<T, I, F, J> Shared<'_, I, F, J>
where
    T: Send,
    I: Fn() -> T + Sync,
    F: Fn(&mut T, &[EdgeId]) + Sync,
    J: Fn(T, T) -> T + Sync,
{
    /// Whether to stop.
    fn stops(&self) -> bool {
        // A thread that panicked leaves what it wrote, and that is whole.
        let mut end = self.end.lock().unwrap_or_else(PoisonError::into_inner);
        if end.is_none() {
            *end = self.watch.reason();
        }
        end.is_some()
    }

    /// The value of all searches from some roots and from those that come next, as many times as
    /// `turns` says; and the roots that come then. Roots are found one after the other; meanwhile
    /// others are at work, and nobody waits for the last of a batch.
    fn in_turn(&self, roots: &mut Roots, batch: Vec<Root>, turns: usize) -> (T, Vec<Root>) {
        let others = || {
            let next = next_roots(roots);
            if turns == 0 || next.is_empty() || self.stops() {
                return ((self.identity)(), next);
            }
            self.in_turn(roots, next, turns - 1)
        };
        let (first, (second, rest)) = rayon::join(|| self.all(batch), others);
        ((self.join)(first, second), rest)
    }

    /// The value of all searches from some roots.
    fn all(&self, roots: Vec<Root>) -> T {
        let value = |root: Root| self.finish(root.search(&self.classes), (self.identity)(), 0, None);
        roots.into_par_iter().map(value).reduce(&self.identity, &self.join)
    }

    /// The value of all that is left of a search, added to a value. `last` says whether somebody
    /// has begun with what was given away last: before that, there is no need for more.
    fn finish(&self, mut search: Search, value: T, gifts: usize, last: Option<&AtomicBool>) -> T {
        let mut folder = Folder { shared: self, value };
        loop {
            let mut fuel = Fuel::new(SLICE);
            let status = search.run(&self.classes.variants, &mut fuel, &mut folder);
            if status == Status::Done || self.stops() {
                return folder.value;
            }
            if gifts < GIFTS
                && last.is_none_or(|begun| begun.load(Ordering::Relaxed))
                && let Some(gift) = search.split()
            {
                let value = folder.value;
                let begun = AtomicBool::new(false);
                let (first, second) = rayon::join(
                    || self.finish(search, value, gifts + 1, Some(&begun)),
                    || {
                        begun.store(true, Ordering::Relaxed);
                        self.finish(gift, (self.identity)(), gifts + 1, None)
                    },
                );
                return (self.join)(first, second);
            }
        }
    }

    /// The value of some ways of a path, from one number on.
    fn ways(&self, mut path: Path, from: u128, count: u128, mut value: T) -> T {
        if self.stops() {
            return value;
        }
        if count > u128::from(WAYS) {
            let half = count / 2;
            let other = path.clone();
            let (first, second) = rayon::join(
                || self.ways(path, from, half, value),
                || self.ways(other, from + half, count - half, (self.identity)()),
            );
            return (self.join)(first, second);
        }
        path.set_way(from, &self.classes.variants);
        for _ in 0..count {
            (self.fold)(&mut value, path.edges());
            path.next_way(&self.classes.variants);
        }
        value
    }
}

/// Adds the cycles of one search to a value.
struct Folder<'s, 'a, T, I, F, J> {
    shared: &'s Shared<'a, I, F, J>,
    value: T,
}

impl<T, I, F, J> Visitor for Folder<'_, '_, T, I, F, J>
where
    T: Send,
    I: Fn() -> T + Sync,
    F: Fn(&mut T, &[EdgeId]) + Sync,
    J: Fn(T, T) -> T + Sync,
{
    #[inline(always)]
    fn visit(&mut self, path: &mut Path) -> ControlFlow<()> {
        (self.shared.fold)(&mut self.value, path.edges());
        if path.has_choices() {
            self.other_ways(path);
        }
        ControlFlow::Continue(())
    }
}

impl<T, I, F, J> Folder<'_, '_, T, I, F, J>
where
    T: Send,
    I: Fn() -> T + Sync,
    F: Fn(&mut T, &[EdgeId]) + Sync,
    J: Fn(T, T) -> T + Sync,
{
    /// Adds all ways of a path but for the first.
    #[inline(always)]
    fn other_ways(&mut self, path: &mut Path) {
        let variants: &Variants = &self.shared.classes.variants;
        // Mostly ways are few, and to count them would take longer than to walk them.
        for _ in 1..WAYS {
            if !path.next_way(variants) {
                return;
            }
            (self.shared.fold)(&mut self.value, path.edges());
        }
        if path.next_way(variants) {
            self.many_ways(path);
        }
    }

    /// Adds all ways of a path but for the first [`WAYS`], of which there are more.
    #[inline(never)]
    fn many_ways(&mut self, path: &mut Path) {
        let variants: &Variants = &self.shared.classes.variants;
        path.set_way(0, variants);
        // More than 2^128 ways nobody will have walked. The first so many are enough to be stopped
        // on.
        let ways = path.ways(variants).unwrap_or(u128::MAX);
        let value = std::mem::replace(&mut self.value, (self.shared.identity)());
        self.value = self.shared.ways(path.clone(), WAYS.into(), ways - u128::from(WAYS), value);
    }
}

/// The next batch.
fn next_roots(roots: &mut Roots) -> Vec<Root> {
    std::iter::from_fn(|| roots.next_root()).take(BATCH).collect()
}

impl Enumeration<'_> {
    /// Folds the cycles on the threads of rayon's pool.
    ///
    /// Each thread begins with values of `identity` and adds cycles to them by `fold`; `join` puts
    /// two values together whose cycles follow each other. If `join` is associative and `identity`
    /// neutral, the result is that of one value to which all cycles are added in the [documented
    /// order](crate#order), whatever the threads did.
    ///
    /// [`Enumeration::max_cycles`] is not for this: it cuts a sequence off, and is done by one
    /// thread with [`Enumeration::for_each`]. If the other limits end it, cycles are missing
    /// anywhere. Memory: O(V + E) per thread and level of its stack, of which there are at most 64,
    /// besides the values.
    pub fn par_fold<T: Send>(
        &self,
        identity: impl Fn() -> T + Sync + Send,
        fold: impl Fn(&mut T, &[EdgeId]) + Sync + Send,
        join: impl Fn(T, T) -> T + Sync + Send,
    ) -> (T, End) {
        if self.max_cycles.is_some() {
            let mut value = identity();
            let summary = self.for_each(|edges| fold(&mut value, edges));
            return (value, summary.end);
        }
        let mut roots = self.roots();
        let shared = Shared {
            classes: roots.shared_classes(),
            watch: self.watch(),
            end: Mutex::new(None),
            identity,
            fold,
            join,
        };
        let mut value = (shared.identity)();
        let mut batch = next_roots(&mut roots);
        while !batch.is_empty() && !shared.stops() {
            let (found, next) = shared.in_turn(&mut roots, batch, TURNS);
            value = (shared.join)(value, found);
            batch = next;
        }
        let end = *shared.end.lock().unwrap_or_else(PoisonError::into_inner);
        (value, end.unwrap_or(End::Complete))
    }

    /// The cycles, found on the threads of rayon's pool, in the [documented order](crate#order);
    /// and how it ended.
    #[must_use]
    pub fn par_collect(&self) -> (Vec<Cycle>, End) {
        self.par_fold(
            Vec::new,
            |cycles: &mut Vec<Cycle>, edges| cycles.push(Cycle { edges: edges.to_vec() }),
            |mut first, mut second| {
                first.append(&mut second);
                first
            },
        )
    }
}
