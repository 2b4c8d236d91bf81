//! Interruptions: Ctrl-C and the limit of memory end a call early, with what it has found so far.

use std::sync::OnceLock;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::Duration;

use bytesize::ByteSize;
use freeboard::cfsm_core::deadline::Stop;

use super::output;

/// The reason for which a call ends early.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Interruption {
    /// Ctrl-C, or a request of the system to end.
    Signal,
    /// The process takes as much memory as it may.
    Memory {
        /// The limit.
        limit: ByteSize,
    },
}

/// The first interruption of this call.
static INTERRUPTION: OnceLock<Interruption> = OnceLock::new();

/// Set with the first interruption.
static STOPPED: AtomicBool = AtomicBool::new(false);

/// Watches for interruptions from now on. The handle stops the library's computations with the
/// first one; a second Ctrl-C ends the process.
pub fn watch(memory_limit: Option<ByteSize>) -> Stop {
    // Where there can be no handler, Ctrl-C does what it does without one.
    let _ = ctrlc::set_handler(|| {
        if interruption() == Some(Interruption::Signal) {
            // 128 and the number of the signal, as shells have it.
            std::process::exit(130);
        }
        output::note("interrupted: what is known follows; again, and nothing does");
        interrupt(Interruption::Signal);
    });
    if let Some(limit) = memory_limit {
        thread::spawn(move || {
            while used_memory().is_none_or(|used| used < limit) {
                thread::sleep(Duration::from_millis(5));
            }
            interrupt(Interruption::Memory { limit });
        });
    }
    Stop::from(&STOPPED)
}

/// The interruption of this call, if there was one.
pub fn interruption() -> Option<Interruption> {
    INTERRUPTION.get().copied()
}

impl Interruption {
    /// The end of a sentence that begins with `stopped`.
    pub fn told(self) -> String {
        match self {
            Self::Signal => "by an interruption (Ctrl-C)".into(),
            Self::Memory { limit } => {
                format!("at the limit of {} of memory that `--memory-limit` sets", limit.display().si())
            }
        }
    }
}

fn interrupt(interruption: Interruption) {
    INTERRUPTION.get_or_init(|| interruption);
    STOPPED.store(true, Ordering::Relaxed);
}

/// The physical memory that the process takes, where the system tells it.
fn used_memory() -> Option<ByteSize> {
    memory_stats::memory_stats().map(|stats| ByteSize::b(stats.physical_mem as u64))
}
