//! Work that is begun on another thread before it is known whether it will be needed.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, PoisonError, mpsc};
use std::thread::{Builder, Scope, ScopedJoinHandle};
use std::time::Duration;

use crate::deadline::Deadline;

/// Flags that nobody uses at the moment. There are as many as were ever in use at the same time.
static FLAGS: Mutex<Vec<&'static AtomicBool>> = Mutex::new(Vec::new());

/// As much as a first thread has, mostly: what is nested is worked on by recursion.
const STACK: usize = 8 << 20;

/// Work on another thread. When this is dropped, the work is stopped and waited for.
///
/// What it comes to is what it would come to at any other time, so whether there are several
/// threads changes no result.
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
    work: Option<ScopedJoinHandle<'scope, Option<T>>>,
    /// Tells that it is wanted, and, when it is gone, that it is not.
    wanted: Option<mpsc::Sender<()>>,
    stop: &'static AtomicBool,
}

impl<'scope, T: Send + 'scope> Ahead<'scope, T> {
    /// Begins the work, which is told when to stop: at the deadline, or when it is not needed any
    /// more. `None` if there can be no other thread.
    #[must_use]
    pub fn begin(
        scope: &'scope Scope<'scope, '_>,
        deadline: Deadline,
        work: impl FnOnce(Deadline) -> T + Send + 'scope,
    ) -> Option<Self> {
        Self::begin_after(scope, deadline, Duration::ZERO, work)
    }

    /// Begins the work after a pause, unless it turns out by then that it is not needed; at once if
    /// it is waited for before.
    #[must_use]
    pub fn begin_after(
        scope: &'scope Scope<'scope, '_>,
        deadline: Deadline,
        pause: Duration,
        work: impl FnOnce(Deadline) -> T + Send + 'scope,
    ) -> Option<Self> {
        let free = FLAGS.lock().unwrap_or_else(PoisonError::into_inner).pop();
        let stop = free.unwrap_or_else(|| Box::leak(Box::default()));
        stop.store(false, Ordering::Relaxed);
        let deadline = deadline.or_when(stop);
        let (wanted, is_wanted) = mpsc::channel();
        let work = move || match is_wanted.recv_timeout(pause) {
            Ok(()) | Err(mpsc::RecvTimeoutError::Timeout) => Some(work(deadline)),
            Err(mpsc::RecvTimeoutError::Disconnected) => None,
        };
        let work = Builder::new().stack_size(STACK).spawn_scoped(scope, work).ok()?;
        Some(Self { work: Some(work), wanted: Some(wanted), stop })
    }

    /// Waits for what the work comes to; `None` if it panics.
    #[must_use]
    pub fn wait(mut self) -> Option<T> {
        if let Some(wanted) = &self.wanted {
            // Who does not listen any more has begun.
            let _ = wanted.send(());
        }
        self.work.take().and_then(|work| work.join().ok().flatten())
    }
}

impl<T> Drop for Ahead<'_, T> {
    fn drop(&mut self) {
        self.stop.store(true, Ordering::Relaxed);
        self.wanted = None;
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
    fn a_pause_ends_as_soon_as_it_is_known_whether_the_work_is_needed() {
        const LONG: Duration = Duration::from_secs(1 << 30);
        std::thread::scope(|scope| {
            let begin =
                |work: fn() -> u32| Ahead::begin_after(scope, Deadline::default(), LONG, move |_| work());
            drop(begin(|| unreachable!("it is not needed")));
            assert_eq!(begin(|| 2).and_then(Ahead::wait), Some(2));
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
