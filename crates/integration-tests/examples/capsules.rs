//! Reads systems of capsules and says of each what is decided, and in which time.

use std::time::{Duration, Instant};

use freeboard::umlrt_front::{self, Imports};
use freeboard::{Options, check_room};

fn main() {
    let mut arguments: Vec<String> = std::env::args().skip(1).collect();
    let mut includes = Vec::new();
    while arguments.first().is_some_and(|first| first == "-I") {
        arguments.remove(0);
        includes.push(arguments.remove(0).into());
    }
    let drained = arguments.first().is_some_and(|first| first == "--drained");
    for path in arguments.into_iter().skip(usize::from(drained)) {
        let text = umlrt_front::decode(std::fs::read(&path).expect("a file"));
        let imports = Imports::Files(includes.clone());
        let reading = umlrt_front::Options { imports, drained, ..umlrt_front::Options::default() };
        for system in umlrt_front::systems(&path, &text, &reading) {
            let reading = umlrt_front::Options { system: Some(system.clone()), ..reading.clone() };
            let options = Options { time_limit: Some(Duration::from_secs(20)), ..Options::default() };
            let start = Instant::now();
            let found = check_room(&path, &text, &reading, &options);
            let seconds = start.elapsed().as_secs_f64();
            let name = path.rsplit('/').next().unwrap_or_default();
            match found {
                Err(failure) => println!("{name} {system}: not read: {failure}"),
                Ok(analysis) => {
                    let view = analysis.view(&path);
                    let verdict = view.property_results[0].verdict;
                    println!(
                        "{name} {system}: {verdict:?} in {seconds:.2} s; {} processes, {} queues, {} warnings",
                        analysis.program.types.len(),
                        analysis.program.globals.len(),
                        analysis.warnings.len()
                    );
                    let buffers = analysis.system().buffers.iter();
                    for (id, buffer) in buffers {
                        println!("    {}: {}", buffer.name, analysis.outcome.buffers[id]);
                    }
                }
            }
        }
    }
}
