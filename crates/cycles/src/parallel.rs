//! The same enumeration on several threads, with the same result in the same order.
//!
//! One root can have nearly all cycles, so a search that goes on for long gives half of what is left at the first
//! choice of its path away, again and again. What is given away comes behind what is kept, so results are joined
//! in order.

use std::ops::ControlFlow;
use std::sync::{Arc, Mutex, PoisonError};

use rayon::prelude::*;

use crate::classes::{Classes, Variants};
use crate::enumerate::{Cycle, SLICE};
use crate::graph::EdgeId;
use crate::limits::{End, Enumeration, Watch};
use crate::path::Path;
use crate::search::{Fuel, Search, Status, Visitor};

/// How often a search may give half away before it keeps the rest: bounds the depth of the threads' stacks.
const GIFTS: usize = 64;
/// How many ways along the same vertices are walked by one thread.
const WAYS: u128 = 1 << 12;
/// How many roots are at work at the same time.
const BATCH: usize = 64;

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

    /// The value of all that is left of a search, added to a value.
    fn finish(&self, mut search: Search, value: T, gifts: usize) -> T {
        let mut folder = Folder { shared: self, value: Some(value) };
        loop {
            let mut fuel = Fuel::new(SLICE);
            let status = search.run(&self.classes.variants, &mut fuel, &mut folder);
            if status == Status::Done || self.stops() {
                return folder.take();
            }
            if gifts < GIFTS
                && let Some(gift) = search.split()
            {
                let value = folder.take();
                let (first, second) = rayon::join(
                    || self.finish(search, value, gifts + 1),
                    || self.finish(gift, (self.identity)(), gifts + 1),
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
        if count > WAYS {
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
    /// Always there, but while it is worked on.
    value: Option<T>,
}

impl<T, I: Fn() -> T, F, J> Folder<'_, '_, T, I, F, J> {
    fn take(&mut self) -> T {
        self.value.take().unwrap_or_else(|| (self.shared.identity)())
    }
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
        let Some(value) = &mut self.value else { return ControlFlow::Break(()) };
        if path.has_choices() {
            let value = self.take();
            self.value = Some(walk(self.shared, path, value));
        } else {
            (self.shared.fold)(value, path.edges());
        }
        ControlFlow::Continue(())
    }
}

/// Adds all ways of a path to a value.
#[inline(never)]
fn walk<T, I, F, J>(shared: &Shared<'_, I, F, J>, path: &mut Path, mut value: T) -> T
where
    T: Send,
    I: Fn() -> T + Sync,
    F: Fn(&mut T, &[EdgeId]) + Sync,
    J: Fn(T, T) -> T + Sync,
{
    let variants: &Variants = &shared.classes.variants;
    // More than 2^128 ways nobody will have walked. The first so many are enough to be stopped on.
    let ways = path.ways(variants).unwrap_or(u128::MAX);
    if ways > WAYS {
        return shared.ways(path.clone(), 0, ways, value);
    }
    loop {
        (shared.fold)(&mut value, path.edges());
        if !path.next_way(variants) {
            return value;
        }
    }
}

impl Enumeration<'_> {
    /// Folds the cycles on the threads of rayon's pool.
    ///
    /// Each thread begins with values of `identity` and adds cycles to them by `fold`; `join` puts two values
    /// together whose cycles follow each other. If `join` is associative and `identity` neutral, the result is that of
    /// one value to which all cycles are added in the [documented order](crate#order), whatever the threads did.
    ///
    /// [`Enumeration::max_cycles`] is not for this: it cuts a sequence off, and is done by one thread with
    /// [`Enumeration::for_each`]. If the other limits end it, cycles are missing anywhere. Memory: O(V + E) per thread and
    /// level of its stack, of which there are at most 64, besides the values.
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
        loop {
            let batch: Vec<Search> = std::iter::from_fn(|| roots.next_search()).take(BATCH).collect();
            if batch.is_empty() || shared.stops() {
                break;
            }
            let next = batch
                .into_par_iter()
                .map(|search| shared.finish(search, (shared.identity)(), 0))
                .reduce(&shared.identity, &shared.join);
            value = (shared.join)(value, next);
        }
        let end = *shared.end.lock().unwrap_or_else(PoisonError::into_inner);
        (value, end.unwrap_or(End::Complete))
    }

    /// The cycles, found on the threads of rayon's pool, in the [documented order](crate#order); and how it ended.
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
