//! Shows the loops of Promela files.
fn main() {
    for path in std::env::args().skip(1) {
        let text = std::fs::read_to_string(&path).unwrap();
        let Some(program) = promela_front::parse(&path, &text, &Default::default()).program else { println!("{path}: not read"); continue };
        let start = std::time::Instant::now();
        for found in ranking::loops(&program) {
            let head = program.sources.line(program.types[found.process_type].locations[found.shape.head].span);
            let receives = found.shape.edges.iter().any(|e| matches!(program.types[found.process_type].edges[*e].action, cfsm_core::program::Action::Receive{..}));
            let what = match &found.outcome {
                ranking::Outcome::Ends(r) => format!("ends {} + {} per message {:?}", r.most(), r.per_message(), r.sums),
                ranking::Outcome::Endless(_) => "endless".into(),
                ranking::Outcome::Unknown(e) => format!("unknown {:?}", e.iter().map(|e| program.sources.line(program.types[found.process_type].edges[*e].span)).collect::<std::collections::BTreeSet<_>>()),
            };
            println!("{path}:{head} {} {what}", if receives { "receives" } else { "alone" });
        }
        println!("{path} TIME {:?}", start.elapsed());
    }
}
