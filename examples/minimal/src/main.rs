//! Two machines, proved bounded.

use freeboard::cfsm_core::system::SystemBuilder;
use freeboard::{Options, check_system};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut b = SystemBuilder::new("relay");
    let (ping, pong) = (b.message("there", "ping"), b.message("back", "pong"));
    b.class("P", 1).send("0", ping, "1").receive("1", pong, "0");
    b.class("Q", 1).receive("0", ping, "1").send("1", pong, "0");
    let analysis = check_system(b.build()?, &Options::default())?;
    assert!(analysis.outcome.verdict.is_proved());
    for (buffer, verdict) in analysis.outcome.buffers.iter() {
        println!("{}: {verdict}", analysis.system.buffers[buffer].name);
    }
    Ok(())
}
