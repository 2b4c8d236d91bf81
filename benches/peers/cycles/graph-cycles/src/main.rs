//! The crate graph-cycles: SECONDS FILE prints the number of cycles and the least time of one
//! enumeration.

use std::ops::ControlFlow;
use std::time::Instant;

use graph_cycles::Cycles;
use petgraph::graph::DiGraph;

fn main() {
    let arguments: Vec<String> = std::env::args().collect();
    let seconds: f64 = arguments[1].parse().expect("seconds");
    let text = std::fs::read_to_string(&arguments[2]).expect("a file");
    let numbers: Vec<u32> = text.split_whitespace().map(|word| word.parse().expect("numbers")).collect();
    let mut graph = DiGraph::<(), ()>::new();
    let nodes: Vec<_> = (0..numbers[0]).map(|_| graph.add_node(())).collect();
    for ends in numbers[2..].chunks_exact(2) {
        graph.add_edge(nodes[ends[0] as usize], nodes[ends[1] as usize], ());
    }
    let (mut best, mut spent, mut runs, mut found) = (f64::INFINITY, 0.0, 0, (0u64, 0));
    while spent < seconds || runs < 3 {
        found = (0, 0);
        let start = Instant::now();
        graph.visit_cycles(|_, cycle| {
            found = (found.0 + 1, found.1 + cycle.len());
            ControlFlow::<()>::Continue(())
        });
        let took = start.elapsed().as_secs_f64();
        best = took.min(best);
        spent += took;
        runs += 1;
    }
    println!("{} {best:.9} {}", found.0, found.1);
}
