//! When to stop: at a time, or when somebody says so.

use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Instant;

/// When work that takes long has to stop. Whoever works looks at it again and again, and gives what
/// it has.
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
    /// What is set to stop at once, by who asks and by who divides the work. They outlive all work,
    /// so that a deadline can be handed to any thread, and copied.
    flags: [Option<Flag>; 2],
}

impl Deadline {
    /// At a time; `None`: never.
    #[must_use]
    pub const fn at(at: Option<Instant>) -> Self {
        Self { at, flags: [None; 2] }
    }

    /// Or as soon as a flag is set. Who has no static one takes a [`Stop`]. There is room for two;
    /// one more takes the place of the second.
    #[must_use]
    pub const fn or_when(self, flag: &'static AtomicBool) -> Self {
        self.or_by(Flag::Set(flag))
    }

    /// Or as soon as somebody [stops](Stop::stop) it, or nobody has that [`Stop`] any more. It
    /// takes room as a flag does.
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

    /// Whether it is time to stop. Reads the clock if there is a time.
    #[must_use]
    pub fn is_over(&self) -> bool {
        self.is_cancelled() || self.at.is_some_and(|at| Instant::now() >= at)
    }

    /// Whether somebody has said so.
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

/// Two are the same if they have the same time and the same flags, set or not.
impl PartialEq for Deadline {
    fn eq(&self, other: &Self) -> bool {
        self.flags == other.flags && self.at == other.at
    }
}

impl Eq for Deadline {}

/// What a deadline looks at, besides the clock. It outlives all deadlines, so that they can be
/// copied.
#[derive(Clone, Copy, Debug)]
enum Flag {
    /// Whoever sets it stops.
    Set(&'static AtomicBool),
    /// A slot, and the turn of which it holds: once there is another turn, this one is over.
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

/// Two are the same if they look at the same place, and for the same turn.
impl PartialEq for Flag {
    fn eq(&self, other: &Self) -> bool {
        match (self, other) {
            (Self::Set(one), Self::Set(other)) => std::ptr::eq(*one, *other),
            (Self::Turn(one, turn), Self::Turn(other, again)) => std::ptr::eq(*one, *other) && turn == again,
            (Self::Set(_), Self::Turn(..)) | (Self::Turn(..), Self::Set(_)) => false,
        }
    }
}

/// Slots that nobody uses at the moment. There are as many as were ever in use at the same time.
static SLOTS: Mutex<Vec<&'static AtomicU64>> = Mutex::new(Vec::new());

/// Stops work from another thread or a signal handler: one for each piece of work, as in a server,
/// or a static flag for all.
///
/// Clones stop the same work. When the last one is dropped, work that still looks at it is stopped,
/// and its place in memory is used again, so that any number of them one after the other take no
/// more room than those at the same time.
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

/// A slot that is in use, and for which turn.
#[derive(Debug)]
struct Slot {
    slot: &'static AtomicU64,
    turn: u64,
}

impl Stop {
    /// One that nobody else has.
    #[must_use]
    pub fn new() -> Self {
        let free = SLOTS.lock().unwrap_or_else(PoisonError::into_inner).pop();
        let slot = free.unwrap_or_else(|| Box::leak(Box::default()));
        Self(Kind::Slot(Arc::new(Slot { slot, turn: slot.load(Ordering::Relaxed) })))
    }

    /// Stops the work as soon as it looks.
    pub fn stop(&self) {
        match &self.0 {
            Kind::Flag(flag) => flag.store(true, Ordering::Relaxed),
            Kind::Slot(slot) => slot.end(),
        }
    }

    /// Whether somebody has stopped it.
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

/// A flag of the caller's, which stops when it is set; it can be used again when it is not.
impl From<&'static AtomicBool> for Stop {
    fn from(flag: &'static AtomicBool) -> Self {
        Self(Kind::Flag(flag))
    }
}

impl Slot {
    /// Ends the turn. Turns never come back: there are 2^64.
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
