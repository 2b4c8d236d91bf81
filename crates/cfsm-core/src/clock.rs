//! The clock that time limits and timings are read from.
//!
//! It is the clock of the standard library where there is one. `wasm32-unknown-unknown` has none:
//! `std::time::Instant::now` panics there. There the host gives one with `set_source`; until it
//! does, the clock stands still, so that no time limit is ever over.

#[cfg(not(all(target_family = "wasm", target_os = "unknown")))]
pub use std::time::Instant;

#[cfg(all(target_family = "wasm", target_os = "unknown"))]
pub use self::host::{Instant, set_source};

#[cfg(all(target_family = "wasm", target_os = "unknown"))]
mod host {
    use std::sync::OnceLock;
    use std::time::Duration;

    static SOURCE: OnceLock<fn() -> Duration> = OnceLock::new();

    /// Sets the function that reads the host's clock: the time since any fixed moment. Only the
    /// first call counts.
    pub fn set_source(source: fn() -> Duration) {
        let _ = SOURCE.set(source);
    }

    /// A moment of the host's clock, with the methods of `std::time::Instant` that are used here.
    #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
    pub struct Instant(Duration);

    impl Instant {
        /// The present moment.
        #[must_use]
        pub fn now() -> Self {
            Self(SOURCE.get().map_or(Duration::ZERO, |source| source()))
        }

        /// The time that has passed since this moment; zero if the clock went back.
        #[must_use]
        pub fn elapsed(&self) -> Duration {
            Self::now().0.saturating_sub(self.0)
        }

        /// The moment that much later, unless it is beyond what can be told.
        #[must_use]
        pub fn checked_add(&self, duration: Duration) -> Option<Self> {
            self.0.checked_add(duration).map(Self)
        }
    }
}
