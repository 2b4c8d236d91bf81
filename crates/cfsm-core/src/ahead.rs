//! Work that is begun on another thread before it is known whether it will be needed.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, PoisonError};
use std::thread::{Builder, Scope, ScopedJoinHandle};

use crate::deadline::Deadline;

/// Flags that nobody uses at the moment. There are as many as were ever in use at the same time.
static FLAGS: Mutex<Vec<&'static AtomicBool>> = Mutex::new(Vec::new());

/// Work on another thread. When this is dropped, the work is stopped and waited for.
///
/// What it comes to is what it would come to at any other time, so whether there are several threads changes no result.
///
/// ```
/// use cfsm_core::ahead::Ahead;
/// use cfsm_core::deadline::Deadline;
///
/// let sum = std::thread::scope(|scope| {
///     let squares = Ahead::begin(scope, Deadline::default(), |_| (1..=3).map(|n| n * n).sum::<u32>());
///     let cubes: u32 = (1..=3).map(|n| n * n * n).sum();
///     squares.and_then(Ahead::wait).map(|squares| squares + cubes)
/// });
/// assert_eq!(sum, Some(14 + 36));
/// ```
#[derive(Debug)]
pub struct Ahead<'scope, T> {
    work: Option<ScopedJoinHandle<'scope, T>>,
    stop: &'static AtomicBool,
}

impl<'scope, T: Send + 'scope> Ahead<'scope, T> {
    /// Begins the work, which is told when to stop: at the deadline, or when it is not needed any more. `None` if there can be no other thread.
    #[must_use]
    pub fn begin(
        scope: &'scope Scope<'scope, '_>,
        deadline: Deadline,
        work: impl FnOnce(Deadline) -> T + Send + 'scope,
    ) -> Option<Self> {
        let free = FLAGS.lock().unwrap_or_else(PoisonError::into_inner).pop();
        let stop = free.unwrap_or_else(|| Box::leak(Box::default()));
        stop.store(false, Ordering::Relaxed);
        let deadline = deadline.or_when(stop);
        let work = Builder::new().spawn_scoped(scope, move || work(deadline)).ok()?;
        Some(Self { work: Some(work), stop })
    }

    /// Waits for what the work comes to; `None` if it panics.
    #[must_use]
    pub fn wait(mut self) -> Option<T> {
        self.work.take().and_then(|work| work.join().ok())
    }
}

impl<T> Drop for Ahead<'_, T> {
    fn drop(&mut self) {
        self.stop.store(true, Ordering::Relaxed);
        // Only then may somebody else use the flag.
        let _ = self.work.take().map(ScopedJoinHandle::join);
        FLAGS.lock().unwrap_or_else(PoisonError::into_inner).push(self.stop);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn work_that_is_not_needed_is_stopped() {
        std::thread::scope(|scope| {
            let endless = |deadline: Deadline| while !deadline.is_over() {};
            let first = Ahead::begin(scope, Deadline::default(), endless);
            let second = Ahead::begin(scope, Deadline::default(), |_| 2);
            drop(first);
            assert_eq!(second.and_then(Ahead::wait), Some(2));
        });
    }

    #[test]
    fn the_deadline_of_who_begins_it_holds_too() {
        static STOP: AtomicBool = AtomicBool::new(false);
        std::thread::scope(|scope| {
            let deadline = Deadline::default().or_when(&STOP);
            let until = |deadline: Deadline| {
                while !deadline.is_over() {}
                deadline.is_cancelled()
            };
            let work = Ahead::begin(scope, deadline, until);
            STOP.store(true, Ordering::Relaxed);
            assert_eq!(work.and_then(Ahead::wait), Some(true));
        });
    }
}
