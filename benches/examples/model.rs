//! Prints a model of a family:
//! `cargo run --release -p benches --example model -- ring 2000 > ring.pml`.
#![allow(missing_docs)] // an example has no interface

use std::process::ExitCode;

use benches::families::Family;

fn main() -> ExitCode {
    let given: Vec<String> = std::env::args().skip(1).collect();
    let size = given.get(1).and_then(|size| size.parse().ok()).filter(|size| *size > 0);
    let family = given.first().and_then(|name| Family::ALL.into_iter().find(|family| family.name() == name));
    let (Some(family), Some(size)) = (family, size) else {
        let names = Family::ALL.map(Family::name).join(", ");
        eprintln!("give a family ({names}) and a size");
        return ExitCode::FAILURE;
    };
    print!("{}", family.text(size));
    ExitCode::SUCCESS
}
