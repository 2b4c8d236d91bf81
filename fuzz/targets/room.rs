//! No text makes the front end for capsules panic, and a program that comes out is valid.
#![no_main]

use libfuzzer_sys::fuzz_target;
use umlrt_front::{Imports, Options, parse};

fuzz_target!(|text: &str| {
    let options = Options { imports: Imports::Refused, ..Options::default() };
    if let Some(program) = parse("fuzz.room", text, &options).program() {
        assert_eq!(program.validate(), Ok(()));
    }
});
