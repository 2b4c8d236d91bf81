//! Prints random programs:
//!
//! ```sh
//! cargo run -p integration-tests --example generate -- [--small] NUMBER [COUNT DIRECTORY]
//! ```
//!
//! The program that a number stands for, or so many from that number on, each into a file of a
//! directory.
#![allow(missing_docs)] // an example has no interface

use std::path::Path;

use integration_tests::generator::{Profile, sample};

fn main() -> std::io::Result<()> {
    let (options, words): (Vec<String>, Vec<String>) =
        std::env::args().skip(1).partition(|word| word.starts_with("--"));
    let profile = if options.is_empty() { Profile::whole() } else { Profile::small() };
    let number = |at: usize| words.get(at).and_then(|word| word.parse::<u64>().ok());
    let first = number(0).unwrap_or(0);
    let Some((count, directory)) = number(1).zip(words.get(2)) else {
        println!("{}", sample(&profile, first).text);
        return Ok(());
    };
    for at in first..first + count {
        std::fs::write(Path::new(directory).join(format!("{at}.pml")), sample(&profile, at).text)?;
    }
    Ok(())
}
