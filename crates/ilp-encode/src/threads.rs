//! Work on many items that do not depend on each other, on all threads, and work that looks at no
//! clock, on a thread of its own, with the feature `threads`.

use crate::{Options, Stopped};

/// The results for all items, in their order.
#[cfg(feature = "threads")]
pub(crate) fn map<T: Send, R: Send>(items: Vec<T>, work: impl Fn(T) -> R + Sync + Send) -> Vec<R> {
    use rayon::prelude::*;
    items.into_par_iter().map(work).collect()
}

/// The results for all items, in their order.
#[cfg(not(feature = "threads"))]
pub(crate) fn map<T, R>(items: Vec<T>, work: impl Fn(T) -> R) -> Vec<R> {
    items.into_iter().map(work).collect()
}

/// The result of work that looks at no clock; `None` if it panics. When the time is over, the work
/// is left behind: its thread ends with it.
#[cfg(feature = "threads")]
pub(crate) fn until<R: Send + 'static>(
    options: &Options,
    work: impl FnOnce() -> Option<R> + Send + 'static,
) -> Result<Option<R>, Stopped> {
    use std::sync::mpsc::{RecvTimeoutError, channel};
    use std::time::Duration;

    let (sender, receiver) = channel();
    let thread = std::thread::Builder::new().spawn(move || sender.send(work()));
    while thread.is_ok() {
        match receiver.recv_timeout(Duration::from_millis(5)) {
            Ok(result) => return Ok(result),
            Err(RecvTimeoutError::Timeout) => options.check_time()?,
            Err(RecvTimeoutError::Disconnected) => break,
        }
    }
    Ok(None)
}

/// The result of work that looks at no clock.
#[cfg(not(feature = "threads"))]
pub(crate) fn until<R>(_: &Options, work: impl FnOnce() -> Option<R>) -> Result<Option<R>, Stopped> {
    Ok(work())
}

#[cfg(all(test, feature = "threads"))]
mod tests {
    use std::time::{Duration, Instant};

    use super::*;

    #[test]
    fn work_that_looks_at_no_clock_is_left_behind() {
        let options = Options { deadline: Some(Instant::now()).into(), ..Options::default() };
        let sleep = || {
            std::thread::sleep(Duration::from_secs(60));
            Some(())
        };
        assert_eq!(until(&options, sleep), Err(Stopped::Time));
        assert_eq!(until(&Options::default(), || Some(1)), Ok(Some(1)));
    }
}
