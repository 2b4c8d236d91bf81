//! Reads files and prints what is wrong with them, system by system.
use umlrt_front::{Imports, Options};

fn main() {
    let mut arguments: Vec<String> = std::env::args().skip(1).collect();
    let mut includes = Vec::new();
    while arguments.first().is_some_and(|first| first == "-I") {
        arguments.remove(0);
        includes.push(arguments.remove(0).into());
    }
    let (mut good, mut all) = (0, 0);
    for path in arguments {
        let text = umlrt_front::decode(std::fs::read(&path).expect("a file"));
        let options = Options { imports: Imports::Files(includes.clone()), ..Options::default() };
        let systems = umlrt_front::systems(&path, &text, &options);
        if systems.is_empty() {
            println!("{path}: no system");
        }
        for system in systems {
            let options = Options { system: Some(system.clone()), ..options.clone() };
            let outcome = umlrt_front::parse(&path, &text, &options);
            all += 1;
            good += usize::from(outcome.system.is_some());
            println!("{path} {system}: {}", if outcome.system.is_some() { "read" } else { "ERRORS" });
            for found in outcome.diagnostics {
                println!("    {}", found.line(&outcome.sources));
            }
        }
    }
    println!("{good} of {all}");
}
