//! Prints the public interface of the crates, the page `docs/generated/public-api.md`:
//!
//! ```sh
//! cargo run -p integration-tests --example api > docs/generated/public-api.md
//! ```
#![allow(missing_docs)] // an example has no interface

fn main() {
    print!("{}", integration_tests::api::rendered());
}
