//! A system built by hand: a master that creates workers for ever, and what becomes of its buffers.
//!
//! `cargo run --example builder`

use std::error::Error;

use freeboard::boundedness::BufferVerdict;
use freeboard::cfsm_core::system::{Defect, System, SystemBuilder};
use freeboard::{Options, check_system};

fn main() -> Result<(), Box<dyn Error>> {
    print!("{}", report()?);
    Ok(())
}

/// A master creates a worker for each job and waits for its result; each worker also writes to a
/// log that nobody reads.
fn master_and_workers() -> Result<System, Defect> {
    let mut b = SystemBuilder::new("master-and-workers");
    let (job, result) = (b.message("jobs", "job"), b.message("results", "result"));
    let line = b.message("log", "line");
    // No worker exists at the start.
    let mut worker = b.class("worker", 0);
    let created = worker.id();
    worker.receive("new", job, "working").step("working", &[(result, 1), (line, 1)], "done");
    b.class("master", 1)
        .create("idle", created, "hiring")
        .send("hiring", job, "waiting")
        .receive("waiting", result, "idle");
    b.build()
}

/// Checks the system and says what came out, buffer by buffer.
pub fn report() -> Result<String, Box<dyn Error>> {
    let analysis = check_system(master_and_workers()?, &Options::default())?;
    let mut report = String::new();
    for (id, verdict) in analysis.outcome.buffers.iter() {
        let name = &analysis.system.buffers[id].name;
        report += &match verdict {
            BufferVerdict::Bounded { bound } => format!("{name}: at most {bound}\n"),
            BufferVerdict::CanGrow { combination } => {
                let parts = analysis.outcome.combinations[*combination].parts.len();
                format!("{name}: can grow, by {parts} pieces of behaviour together\n")
            }
            _ => format!("{name}: {verdict}\n"),
        };
    }
    Ok(report)
}
