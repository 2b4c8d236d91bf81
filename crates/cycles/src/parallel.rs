//! Parallel enumeration on several threads, with the same result in the same order.
//!
//! One root may have nearly all cycles, so a long search gives away half of the remaining choices
//! at the first choice of its path, and again when another thread has started on that part. The
//! part that is given away comes after the part that is kept, so results are joined in order.

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

/// Largest number of times that a search is split: bounds the depth of the threads' stacks.
const GIFTS: usize = 64;
/// Largest number of ways along the same vertices that are walked by one thread.
const WAYS: u32 = 1 << 12;
/// Number of roots that are found at a time.
const BATCH: usize = 64;
/// Largest number of batches of roots that are started before all of them must be finished: bounds
/// the depth of the threads' stacks.
const TURNS: usize = 32;

/// The state shared by all threads.
struct Shared<'a, I, F, J> {
    classes: Arc<Classes>,
    watch: Watch<'a>,
    /// The reason to stop, once there is one.
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
    /// Returns `true` if the enumeration must stop.
    fn stops(&self) -> bool {
        // The value is consistent even if another thread panicked while holding the lock.
        let mut end = self.end.lock().unwrap_or_else(PoisonError::into_inner);
        if end.is_none() {
            *end = self.watch.reason();
        }
        end.is_some()
    }

    /// The value of all searches from the given roots and from the next `turns` batches, and the
    /// batch of roots after those. Roots are found one after the other; meanwhile other threads
    /// search, and no thread waits for the end of a batch.
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

    /// The value of all searches from the given roots.
    fn all(&self, roots: Vec<Root>) -> T {
        let value = |root: Root| self.finish(root.search(&self.classes), (self.identity)(), 0, None);
        roots.into_par_iter().map(value).reduce(&self.identity, &self.join)
    }

    /// The value of the remaining cycles of a search, added to a value. `last` is set once another
    /// thread has started on the part that was split off last: before that, no further split is
    /// needed.
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

    /// The value of `count` ways of a path, starting at the way with the number `from`.
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
    /// Adds all ways of a path except the first.
    #[inline(always)]
    fn other_ways(&mut self, path: &mut Path) {
        let variants: &Variants = &self.shared.classes.variants;
        // Mostly there are few ways, and counting them would take longer than walking them.
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

    /// Adds all ways of a path except the first [`WAYS`]; there are more.
    #[inline(never)]
    fn many_ways(&mut self, path: &mut Path) {
        let variants: &Variants = &self.shared.classes.variants;
        path.set_way(0, variants);
        // More than 2^128 ways cannot be walked; the search is stopped long before the end.
        let ways = path.ways(variants).unwrap_or(u128::MAX);
        let value = std::mem::replace(&mut self.value, (self.shared.identity)());
        self.value = self.shared.ways(path.clone(), WAYS.into(), ways - u128::from(WAYS), value);
    }
}

/// The next batch of roots.
fn next_roots(roots: &mut Roots) -> Vec<Root> {
    std::iter::from_fn(|| roots.next_root()).take(BATCH).collect()
}

impl Enumeration<'_> {
    /// Folds the cycles on the threads of rayon's pool.
    ///
    /// Each thread begins with values of `identity` and adds cycles to them by `fold`; `join`
    /// combines two values of consecutive sequences of cycles. If `join` is associative and
    /// `identity` neutral, the result is that of one value to which all cycles are added in the
    /// [documented order](crate#order), independent of the threads.
    ///
    /// With [`Enumeration::max_cycles`], which cuts a sequence off, the cycles are visited by one
    /// thread with [`Enumeration::for_each`]. If one of the other limits ends the enumeration,
    /// arbitrary cycles may be missing. Memory: O(V + E) per thread and level of its stack, of
    /// which there are at most 64, besides the values.
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

    /// The cycles, found on the threads of rayon's pool, in the [documented order](crate#order),
    /// and the reason why the enumeration ended.
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
