//! A property of one's own, against the public trait: acceptance cycles, as Spin's `-a` looks for
//! them. Each location with a label that begins with `accept` must be left finitely often in each
//! run.
//!
//! The trait asks what must not be gained for ever: here, steps that leave such a location. Run it
//! with `cargo run -p examples --example custom_property [FILE.pml]`.

use freeboard::Options;
use freeboard::cfsm_core::ids::IdMap;
use freeboard::cfsm_core::system::{System, TransitionId};
use freeboard::ilp_encode::{self, Behaviour, Cone, Growth, Pool, Property, growth};

/// No run leaves accepting locations again and again.
struct NoAcceptance {
    /// Per transition, whether it leaves one.
    leaves: IdMap<TransitionId, bool>,
}

impl Property for NoAcceptance {
    fn gain(&self, _: &System, transition: TransitionId) -> u32 {
        u32::from(self.leaves[transition])
    }
}

/// Asks whether a model can pass accepting locations for ever, as far as the abstraction can tell.
pub fn check(name: &str, text: &str) -> Result<Growth, Box<dyn std::error::Error>> {
    let model = freeboard::read_promela(name, text, &Options::default())?;
    let system = &model.abstraction.system;
    let accepting = |state| {
        let (ty, location) = model.abstraction.locations[state];
        model.program.types[ty].locations[location].is_accept()
    };
    let leaves = system.transitions.values().map(|transition| accepting(transition.source)).collect();
    let options = ilp_encode::Options::default();
    let cone = Cone::new(system, &NoAcceptance { leaves }, &options)?;
    let growth = growth(&cone, &mut Pool::default(), &options)?;
    for (behaviour, times) in growth.combinations.iter().flat_map(|found| &found.parts) {
        let (Behaviour::Cycle(steps) | Behaviour::Path(_, steps)) = behaviour;
        let lines: Vec<_> =
            steps.iter().filter_map(|&step| system.transitions[step].origin.as_ref()).collect();
        let texts: Vec<_> = lines.iter().map(|origin| format!("{}: {}", origin.line, origin.text)).collect();
        println!("{times} times: {}", texts.join("; "));
    }
    Ok(growth)
}

/// A receiver that waits where it may not wait for ever.
pub const PATIENT: &str = "chan c = [1] of { bit };
active proctype Sender() { c!1; c!1 }
active proctype Receiver() { accept: do :: c?1 od }";

fn main() -> Result<(), Box<dyn std::error::Error>> {
    if let Some(file) = std::env::args().nth(1) {
        let found = check(&file, &std::fs::read_to_string(&file)?)?;
        println!("{}", if found.growing.is_empty() { "no acceptance cycle" } else { "unknown" });
        return Ok(());
    }
    // Two messages, so the receiver comes to rest; with a sender that goes on it does not.
    assert!(check("patient.pml", PATIENT)?.growing.is_empty());
    let endless = PATIENT.replace("{ c!1; c!1 }", "{ do :: c!1 od }");
    assert!(!check("endless.pml", &endless)?.growing.is_empty());
    println!("two models decided");
    Ok(())
}
