//! When to stop: at a time, or when somebody says so.

use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Instant;

/// When work that takes long has to stop. Whoever works looks at it again and again, and gives what it has.
///
/// ```
/// use std::sync::atomic::{AtomicBool, Ordering};
/// use cfsm_core::deadline::Deadline;
///
/// static STOP: AtomicBool = AtomicBool::new(false);
/// let deadline = Deadline::default().or_when(&STOP);
/// assert!(!deadline.is_over());
/// STOP.store(true, Ordering::Relaxed);
/// assert!(deadline.is_over() && deadline.is_cancelled());
/// ```
#[derive(Clone, Copy, Debug, Default)]
pub struct Deadline {
    at: Option<Instant>,
    /// What is set to stop at once, by who asks and by who divides the work. They outlive all work, so that a deadline can be handed
    /// to any thread, and copied.
    flags: [Option<&'static AtomicBool>; 2],
}

impl Deadline {
    /// At a time; `None`: never.
    #[must_use]
    pub const fn at(at: Option<Instant>) -> Self {
        Self { at, flags: [None; 2] }
    }

    /// Or as soon as a flag is set. Who has no static one can leak one, `Box::leak(Box::default())`, and use it again. There is room for two; one
    /// more takes the place of the second.
    #[must_use]
    pub const fn or_when(self, flag: &'static AtomicBool) -> Self {
        let flags = match self.flags {
            [None, second] => [Some(flag), second],
            [first, _] => [first, Some(flag)],
        };
        Self { flags, ..self }
    }

    /// Whether it is time to stop. Reads the clock if there is a time.
    #[must_use]
    pub fn is_over(&self) -> bool {
        self.is_cancelled() || self.at.is_some_and(|at| Instant::now() >= at)
    }

    /// Whether somebody has said so.
    #[must_use]
    pub fn is_cancelled(&self) -> bool {
        self.flags.iter().flatten().any(|flag| flag.load(Ordering::Relaxed))
    }
}

impl From<Option<Instant>> for Deadline {
    fn from(at: Option<Instant>) -> Self {
        Self::at(at)
    }
}

/// Two are the same if they have the same time and the same flags, set or not.
impl PartialEq for Deadline {
    fn eq(&self, other: &Self) -> bool {
        let address = |flag: Option<&'static AtomicBool>| flag.map(std::ptr::from_ref);
        self.flags.map(address) == other.flags.map(address) && self.at == other.at
    }
}

impl Eq for Deadline {}
