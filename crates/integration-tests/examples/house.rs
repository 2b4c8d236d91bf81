//! Prints the figures of the source code, crate by crate; `-- all` lists what they count.
//!
//! ```sh
//! cargo run -p integration-tests --example house [-- all]
//! ```
#![allow(missing_docs)] // an example has no interface

use integration_tests::house::{
    SourceFile, circles, code_lines, constants, openers, source_files, tuple_parameters, wide_comments,
};

fn main() {
    let files = source_files();
    let lists = std::env::args().any(|argument| argument == "all");
    let mut crates: Vec<&str> = files.iter().map(|file| file.crate_name.as_str()).collect();
    crates.dedup();
    println!(
        "| crate | code lines | tuple parameters | wide comments | doc comments | open with a question | number constants | largest circles |"
    );
    println!("|---|--:|--:|--:|--:|--:|--:|---|");
    let mut total = [0; 6];
    for name in crates {
        let own: Vec<&SourceFile> = files.iter().filter(|file| file.crate_name == name).collect();
        let sum = |figure: &dyn Fn(&SourceFile) -> usize| own.iter().map(|file| figure(file)).sum::<usize>();
        let figures = [
            sum(&code_lines),
            sum(&|file| tuple_parameters(file).len()),
            sum(&|file| wide_comments(file).len()),
            sum(&|file| openers(file).len()),
            sum(&|file| openers(file).iter().filter(|opener| opener.is_question).count()),
            sum(&|file| constants(file).len()),
        ];
        let circles: Vec<String> = circles(&own).iter().map(|circle| circle.len().to_string()).collect();
        let row: Vec<String> = figures.iter().map(ToString::to_string).collect();
        println!("| {name} | {} | {} |", row.join(" | "), circles.join(", "));
        total.iter_mut().zip(figures).for_each(|(total, figure)| *total += figure);
    }
    let row: Vec<String> = total.iter().map(ToString::to_string).collect();
    println!("| all | {} | |", row.join(" | "));
    if lists {
        files.iter().for_each(list);
    }
}

/// Prints what the figures of a file count.
fn list(file: &SourceFile) {
    let path = file.path.display();
    for parameter in tuple_parameters(file) {
        println!("{path}: tuple parameter of {} parts: {}", parameter.parts, parameter.function);
    }
    for line in wide_comments(file) {
        println!("{path}:{line}: wide comment");
    }
    for opener in openers(file).iter().filter(|opener| opener.is_question) {
        println!("{path}: opens with a question: {}", opener.line);
    }
    for name in constants(file) {
        println!("{path}: constant: {name}");
    }
}
