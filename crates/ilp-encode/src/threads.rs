//! Work on many items that do not depend on each other: on all threads, with the feature `threads`.

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
