//! tmp
#![allow(missing_docs)]
use std::path::Path;
use std::time::Instant;
use freeboard::{Options, read_promela, promela_front};
use freeboard::boundedness;
use integration_tests::comparison::corpus::{models, own_models, place, Model};
fn main() {
    let filter = std::env::args().nth(1).unwrap_or_default();
    let states: usize = std::env::args().nth(2).and_then(|s| s.parse().ok()).unwrap_or(400_000);
    let mut all: Vec<Model> = own_models();
    all.extend(models(&place(None).unwrap()));
    for model in all.iter().filter(|m| m.name.contains(&filter)) {
        let parse = promela_front::Options { defines: model.defines.clone(), ..promela_front::Options::default() };
        let Ok(read) = read_promela(&model.file.display().to_string(), &model.text(), &Options { parse, ..Options::default() }) else { continue };
        let system = &read.abstraction.system;
        let outcome = boundedness::check(system, &boundedness::Options::default());
        if outcome.verdict.is_proved() { continue }
        let start = Instant::now();
        let c = refine::confirm(&read.program, &read.abstraction, &outcome, &refine::Options { search_states: states, ..refine::Options::default() });
        let _ = Path::new("");
        let can = outcome.buffers.values().filter(|v| matches!(v, boundedness::BufferVerdict::CanGrow { .. })).count();
        let lens: Vec<_> = c.witnesses.iter().map(|w| (w.prefix().steps.len(), w.pump().steps.len())).collect();
        println!("{:70} can {:3} unbounded {:3} exact {:3} states {:8} {:6.2} s {:?} {:?}", model.name, can, c.unbounded.len(), c.exact.len(), c.states, start.elapsed().as_secs_f64(), lens, c.limit);
    }
}
