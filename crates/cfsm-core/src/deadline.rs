//! Deadlines and cancellation of long computations.

use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use crate::clock::Instant;

/// A deadline for long computations, with cancellation. Computations check it regularly and stop
/// with a partial result.
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
    /// Cancel flags: that of the caller and that of whoever divides the work. They outlive all
    /// computations, so that a deadline can be copied and passed to any thread.
    flags: [Option<Flag>; 2],
}

impl Deadline {
    /// A deadline at a time; `None` is never.
    #[must_use]
    pub const fn at(at: Option<Instant>) -> Self {
        Self { at, flags: [None; 2] }
    }

    /// Adds a cancel flag. For a flag that is not static, use [`Stop`]. There is room for two; a
    /// further one replaces the second.
    #[must_use]
    pub const fn or_when(self, flag: &'static AtomicBool) -> Self {
        self.or_by(Flag::Set(flag))
    }

    /// Adds a [`Stop`]: the deadline is over when it is [stopped](Stop::stop) or its last clone is
    /// dropped. It takes the room of a flag.
    #[must_use]
    pub fn or_stopped(self, stop: &Stop) -> Self {
        self.or_by(stop.flag())
    }

    const fn or_by(self, flag: Flag) -> Self {
        let flags = match self.flags {
            [None, second] => [Some(flag), second],
            [first, _] => [first, Some(flag)],
        };
        Self { flags, ..self }
    }

    /// Returns `true` if it is time to stop. Reads the clock if there is a time.
    #[must_use]
    pub fn is_over(&self) -> bool {
        self.is_cancelled() || self.at.is_some_and(|at| Instant::now() >= at)
    }

    /// Returns `true` if a cancel flag is set.
    #[must_use]
    pub fn is_cancelled(&self) -> bool {
        self.flags.iter().flatten().any(Flag::is_set)
    }
}

impl From<Option<Instant>> for Deadline {
    fn from(at: Option<Instant>) -> Self {
        Self::at(at)
    }
}

/// Equality means the same time and the same flags, regardless of their values.
impl PartialEq for Deadline {
    fn eq(&self, other: &Self) -> bool {
        self.flags == other.flags && self.at == other.at
    }
}

impl Eq for Deadline {}

/// A cancel flag. It outlives all deadlines, so that they can be copied.
#[derive(Clone, Copy, Debug)]
enum Flag {
    /// A flag that is set to cancel.
    Set(&'static AtomicBool),
    /// A slot and a turn: the flag counts as set once the slot has another turn.
    Turn(&'static AtomicU64, u64),
}

impl Flag {
    fn is_set(&self) -> bool {
        match self {
            Self::Set(flag) => flag.load(Ordering::Relaxed),
            Self::Turn(slot, turn) => slot.load(Ordering::Relaxed) != *turn,
        }
    }
}

/// Equality means the same memory location, and the same turn.
impl PartialEq for Flag {
    fn eq(&self, other: &Self) -> bool {
        match (self, other) {
            (Self::Set(one), Self::Set(other)) => std::ptr::eq(*one, *other),
            (Self::Turn(one, turn), Self::Turn(other, again)) => std::ptr::eq(*one, *other) && turn == again,
            (Self::Set(_), Self::Turn(..)) | (Self::Turn(..), Self::Set(_)) => false,
        }
    }
}

/// Slots that are currently unused. Their number is the greatest number ever in use at the same
/// time.
static SLOTS: Mutex<Vec<&'static AtomicU64>> = Mutex::new(Vec::new());

/// Handle that cancels a computation from another thread or a signal handler: one for each
/// computation, as in a server, or a static flag for all.
///
/// Clones cancel the same computation. When the last one is dropped, computations that still
/// observe it are cancelled and its slot is reused, so that memory is bounded by the number of
/// handles at the same time.
///
/// ```
/// use cfsm_core::deadline::{Deadline, Stop};
///
/// let stop = Stop::new();
/// let deadline = Deadline::default().or_stopped(&stop);
/// assert!(!deadline.is_over());
/// std::thread::spawn({ let stop = stop.clone(); move || stop.stop() }).join().unwrap();
/// assert!(deadline.is_over() && stop.is_stopped());
/// ```
#[derive(Clone, Debug)]
pub struct Stop(Kind);

#[derive(Clone, Debug)]
enum Kind {
    Flag(&'static AtomicBool),
    Slot(Arc<Slot>),
}

/// A slot in use, with its turn.
#[derive(Debug)]
struct Slot {
    slot: &'static AtomicU64,
    turn: u64,
}

impl Stop {
    /// A new handle.
    #[must_use]
    pub fn new() -> Self {
        let free = SLOTS.lock().unwrap_or_else(PoisonError::into_inner).pop();
        let slot = free.unwrap_or_else(|| Box::leak(Box::default()));
        Self(Kind::Slot(Arc::new(Slot { slot, turn: slot.load(Ordering::Relaxed) })))
    }

    /// Cancels the computation at its next check.
    pub fn stop(&self) {
        match &self.0 {
            Kind::Flag(flag) => flag.store(true, Ordering::Relaxed),
            Kind::Slot(slot) => slot.end(),
        }
    }

    /// Returns `true` if the computation was cancelled.
    #[must_use]
    pub fn is_stopped(&self) -> bool {
        self.flag().is_set()
    }

    fn flag(&self) -> Flag {
        match &self.0 {
            Kind::Flag(flag) => Flag::Set(flag),
            Kind::Slot(slot) => Flag::Turn(slot.slot, slot.turn),
        }
    }
}

impl Default for Stop {
    fn default() -> Self {
        Self::new()
    }
}

/// A handle to a flag of the caller, which cancels while it is set; it can be reused after it is
/// cleared.
impl From<&'static AtomicBool> for Stop {
    fn from(flag: &'static AtomicBool) -> Self {
        Self(Kind::Flag(flag))
    }
}

impl Slot {
    /// Ends the turn. Turns never repeat: there are 2^64.
    fn end(&self) {
        self.slot.store(self.turn + 1, Ordering::Relaxed);
    }
}

impl Drop for Slot {
    fn drop(&mut self) {
        self.end();
        SLOTS.lock().unwrap_or_else(PoisonError::into_inner).push(self.slot);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn who_stops_one_stops_no_other() {
        let (one, other) = (Stop::new(), Stop::new());
        let of = |stop| Deadline::default().or_stopped(stop);
        let deadlines = (of(&one), of(&other));
        assert!(deadlines.0 == of(&one.clone()) && deadlines.0 != deadlines.1);
        one.clone().stop();
        assert!(deadlines.0.is_cancelled() && one.is_stopped());
        assert!(!deadlines.1.is_cancelled() && !other.is_stopped());
    }

    #[test]
    fn places_are_used_again_and_what_is_over_stays_over() {
        // Other tests take places too, so which one comes next is not known: but among many there
        // are few.
        let mut places = std::collections::BTreeSet::new();
        let mut over = Vec::new();
        for _ in 0..1000 {
            let stop = Stop::new();
            let deadline = Deadline::default().or_stopped(&stop);
            assert!(!deadline.is_cancelled());
            let Kind::Slot(slot) = &stop.0 else { unreachable!("it is new") };
            places.insert(std::ptr::from_ref(slot.slot).addr());
            over.push(deadline);
        }
        assert!(places.len() < 20, "{}", places.len());
        let _later = Stop::new();
        assert!(over.iter().all(Deadline::is_cancelled));
    }

    #[test]
    fn a_flag_of_the_callers_stops_too() {
        static FLAG: AtomicBool = AtomicBool::new(false);
        let stop = Stop::from(&FLAG);
        let deadline = Deadline::default().or_stopped(&stop);
        assert!(!deadline.is_cancelled() && deadline == Deadline::default().or_when(&FLAG));
        FLAG.store(true, Ordering::Relaxed);
        assert!(deadline.is_cancelled() && stop.is_stopped());
        FLAG.store(false, Ordering::Relaxed);
        stop.stop();
        assert!(FLAG.load(Ordering::Relaxed));
    }
}
