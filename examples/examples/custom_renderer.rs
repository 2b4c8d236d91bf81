//! A renderer of one's own: the result as lines of the Test Anything Protocol, for tools that read
//! these.
//!
//! A renderer starts from the view, which has names, lines and numbers only.
//! `cargo run --example custom_renderer -- examples/machines/odd_or_even.fsa`

use std::error::Error;
use std::fmt::Write as _;
use std::path::{Path, PathBuf};

use freeboard::cfsm_core::formats::Format;
use freeboard::report::view::{BufferVerdict, Check};
use freeboard::{Options, check_machines};

fn main() -> Result<(), Box<dyn Error>> {
    let path = std::env::args().nth(1).map_or_else(default_machines, PathBuf::from);
    print!("{}", report(&path)?);
    Ok(())
}

/// The machines that are read if none are named.
pub fn default_machines() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("machines/eager.kmc")
}

/// Checks the machines in a file.
pub fn report(path: &Path) -> Result<String, Box<dyn Error>> {
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    let text = std::fs::read_to_string(path)?;
    let format = Format::of_path(path).unwrap_or_else(|| Format::of_text(&text));
    let analysis = check_machines(&name, &text, format, &Options::default())?;
    Ok(render(&analysis.view(&name)))
}

/// One test for each buffer: that it is bounded.
pub fn render(view: &Check) -> String {
    let buffers: Vec<_> = view.property_results.iter().flat_map(|result| &result.buffers).collect();
    let mut lines = format!("TAP version 14\n1..{}\n", buffers.len());
    for (number, buffer) in (1..).zip(buffers) {
        let name = &buffer.name;
        let _ = match (&buffer.bound, buffer.verdict) {
            (Some(bound), BufferVerdict::Bounded) => {
                writeln!(lines, "ok {number} - {name} holds at most {bound}")
            }
            (_, BufferVerdict::Unbounded) => writeln!(lines, "not ok {number} - {name} grows for ever"),
            _ => writeln!(lines, "not ok {number} - {name} # TODO not decided"),
        };
    }
    lines
}
