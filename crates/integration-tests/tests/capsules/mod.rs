//! Systems of capsules mean the same to an interpreter of the capsule model and as programs, and
//! what is decided about them is right.

mod loops;
mod missed;
mod papers;
mod random;
mod shapes;
mod threads;

use freeboard::umlrt_front::{Imports, Options};
use freeboard::{Analysis, check_room};

fn options() -> Options {
    Options { imports: Imports::Refused, ..Options::default() }
}

fn check(name: &str, text: &str, reading: &Options) -> Analysis {
    check_room(name, text, reading, &freeboard::Options::default())
        .unwrap_or_else(|failure| panic!("{name}: {failure}"))
}
