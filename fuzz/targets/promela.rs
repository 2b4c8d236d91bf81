//! Any bytes through the front end; see `crates/promela-front/tests/invariants/mod.rs` for what is
//! checked.
#![no_main]

#[path = "../../crates/promela-front/tests/invariants/mod.rs"]
mod invariants;

use libfuzzer_sys::fuzz_target;
use promela_front::{Includes, Options};

fuzz_target!(|bytes: &[u8]| {
    // Small limits, so that the fuzzer spends its time on many inputs and not on large ones.
    let includes = Includes::Refused;
    let options = Options { includes, max_expansion: 1 << 12, max_nesting: 200, ..Options::default() };
    invariants::check(&String::from_utf8_lossy(bytes), &options);
});
