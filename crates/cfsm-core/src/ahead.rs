//! Background tasks: work that is started on another thread before it is known whether the result
//! is needed.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, PoisonError, mpsc};
use std::thread::{Builder, Scope, ScopedJoinHandle};
use std::time::Duration;

use crate::deadline::Deadline;

/// Cancel flags that are currently unused. Their number is the greatest number ever in use at the
/// same time.
static FLAGS: Mutex<Vec<&'static AtomicBool>> = Mutex::new(Vec::new());

/// Stack size in bytes, that of a typical main thread: nested structures are processed recursively.
const STACK: usize = 8 << 20;

/// A task on another thread. Dropping it cancels the task and waits for its end.
///
/// The result is the same as if the task were run at any other time, so the number of threads never
/// influences results.
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
    /// Signals that the result is wanted; when it is dropped, that it is not.
    wanted: Option<mpsc::Sender<()>>,
    stop: &'static AtomicBool,
}

impl<'scope, T: Send + 'scope> Ahead<'scope, T> {
    /// Starts a task, which receives the deadline at which to stop: the given one, or the
    /// cancellation of the task. `None` if no thread can be created.
    #[must_use]
    pub fn begin(
        scope: &'scope Scope<'scope, '_>,
        deadline: Deadline,
        work: impl FnOnce(Deadline) -> T + Send + 'scope,
    ) -> Option<Self> {
        Self::begin_after(scope, deadline, Duration::ZERO, work)
    }

    /// Starts a task after a pause, unless it is cancelled before; at once if the result is waited
    /// for before.
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

    /// Waits for the result; `None` if the task panics.
    #[must_use]
    pub fn wait(mut self) -> Option<T> {
        if let Some(wanted) = &self.wanted {
            // The receiver was dropped: the task has started.
            let _ = wanted.send(());
        }
        self.work.take().and_then(|work| work.join().ok().flatten())
    }
}

impl<T> Drop for Ahead<'_, T> {
    fn drop(&mut self) {
        self.stop.store(true, Ordering::Relaxed);
        self.wanted = None;
        // Only now may another task use the flag.
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
