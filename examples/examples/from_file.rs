//! From a Promela file to a verdict, a report and a certificate that is checked again.
//!
//! `cargo run --example from_file -- examples/models/two_processes.pml`

use std::error::Error;
use std::path::{Path, PathBuf};

use freeboard::certify::{self, Certificate};
use freeboard::report::text::{self, Style};
use freeboard::{Options, check_promela};

fn main() -> Result<(), Box<dyn Error>> {
    let path = std::env::args().nth(1).map_or_else(default_model, PathBuf::from);
    print!("{}", report(&path)?);
    Ok(())
}

/// The model that is read if none is named.
pub fn default_model() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("models/two_processes.pml")
}

/// Checks the model in a file and says what came out.
pub fn report(path: &Path) -> Result<String, Box<dyn Error>> {
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    let model = std::fs::read_to_string(path)?;

    // One call. A text with errors is a `Failure` that holds all of them with their places.
    let analysis = check_promela(&name, &model, &Options::default())?;

    // Results are typed: here everything that is proved, with the bounds.
    let mut report = String::new();
    if let Some(certificate) = analysis.outcome.verdict.certificate() {
        for (buffer, bound) in certificate.bounds() {
            report += &format!("{buffer} never holds more than {bound} messages\n");
        }

        // A proof can be written down and checked by somebody who trusts none of this.
        let (proof, system) = (certificate.to_json(), certify::write_system(analysis.system()));
        let checked = certify::check(&certify::read_system(&system)?, Certificate::from_json(&proof)?)?;
        report += &format!("certificate with {} claims accepted\n\n", checked.claims.len());
    }

    // The view has names, lines and numbers only; a renderer makes a text of it.
    report += &text::check(&analysis.view(&name), Style::default());
    Ok(report)
}
