//! Every file in `machines/` has the verdict that its header promises.
//!
//! A header has a line `verdict: bounded` or `verdict: unbounded`, and lines `maximum: BUFFER N`
//! for true maxima.
#![allow(clippy::unwrap_used)] // clippy.toml allows it in tests, and helpers of tests are no less

use std::fs;
use std::path::Path;

use freeboard::cfsm_core::formats::Format;
use freeboard::{Options, check_machines};

#[test]
fn every_file_is_as_its_header_says() {
    let directory = Path::new(env!("CARGO_MANIFEST_DIR")).join("machines");
    let mut seen = 0;
    for entry in fs::read_dir(directory).unwrap() {
        let path = entry.unwrap().path();
        let text = fs::read_to_string(&path).unwrap();
        let name = path.display().to_string();
        let format = Format::of_path(&path).unwrap();
        let analysis = check_machines(&name, &text, format, &Options::default()).unwrap();
        let stated = |key: &str| -> Vec<String> {
            let lines = text.lines().filter_map(|line| line.split_once(key));
            lines.map(|(_, rest)| rest.trim().to_owned()).collect()
        };
        let verdict = match (analysis.outcome.verdict.is_proved(), analysis.confirmation.witnesses.is_empty())
        {
            (true, true) => "bounded",
            (false, false) => "unbounded",
            _ => "open",
        };
        assert_eq!(stated("verdict:"), [verdict], "{name}");
        for line in stated("maximum:") {
            let (buffer, most) = line.rsplit_once(' ').unwrap();
            let (id, _) = analysis.system.buffers.iter().find(|(_, known)| known.name == buffer).unwrap();
            assert_eq!(analysis.confirmation.exact[&id].to_string(), most, "{name}: {buffer}");
        }
        seen += 1;
    }
    assert!(seen >= 4);
}
