//! Several files in one call.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use freeboard::Options;
use freeboard::report::view::{CHECKS_SCHEMA, Checks};
use freeboard::report::{json, text};

use super::super::answer::answer;
use super::super::arguments::ReportFormat;
use super::super::error::Error;
use super::super::{Status, input, interrupt, output};
use super::Arguments;
use super::outlet::{self, Outlet};

/// `true` if the call is about a single file.
pub fn is_alone(arguments: &Arguments) -> bool {
    arguments.named().count() == 1 && !arguments.question.input.file.is_dir()
}

/// Checks all files, one after the other. The status is the worst of them.
pub fn check_all(arguments: &Arguments, options: &Options) -> Result<Status, Error> {
    if arguments.certificate.is_some() || arguments.system.is_some() || arguments.witness.is_some() {
        return Err(Error::Usage(
            "--certificate, --system and --witness are about one file, and there are several",
        ));
    }
    let (mut reports, mut worst) = (Vec::new(), Status::Success);
    let files = files(arguments)?;
    let named = files.len();
    for file in files {
        if interrupt::interruption().is_some() {
            break;
        }
        let input = arguments.about(file);
        let mut outlet = Outlet::of_several(arguments, input.file.display().to_string());
        let result = answer(&arguments.question, &input, options.clone(), &mut outlet);
        if let Err(error) = &result {
            output::message(&error.told());
        }
        worst = worst.worse(outlet.note(&result));
        reports.push(outlet.report);
    }
    if let Some(interruption) = interrupt::interruption() {
        let left = named - reports.len();
        output::note(&format!("stopped {}: {left} of {named} files were not checked", interruption.told()));
    }
    match arguments.format {
        ReportFormat::Human => output::human(&reports, |reports, style| text::files(reports, style))?,
        ReportFormat::Json => {
            let checks = Checks { schema: CHECKS_SCHEMA.into(), status: worst as u8, files: reports };
            output::data(&json::render(&checks))?;
        }
        format => outlet::render(format, &reports)?,
    }
    Ok(worst)
}

/// The files that are named, each once, with those of directories in place of these.
fn files(arguments: &Arguments) -> Result<Vec<PathBuf>, Error> {
    let (mut files, mut known) = (Vec::new(), BTreeSet::new());
    for named in arguments.named() {
        let mut found = Vec::new();
        if named.is_dir() {
            models(named, &mut found)?;
        } else {
            found.push(named.clone());
        }
        found.sort();
        files.extend(found.into_iter().filter(|file| known.insert(file.clone())));
    }
    if files.is_empty() {
        return Err(Error::Usage(
            "there is no model in these directories: no name ends as those of models do",
        ));
    }
    Ok(files)
}

/// Collects the models in a directory and those inside it. Hidden directories and links to
/// directories are left out.
fn models(directory: &Path, found: &mut Vec<PathBuf>) -> Result<(), Error> {
    let failed = |error| Error::Read { name: directory.display().to_string(), error };
    for entry in std::fs::read_dir(directory).map_err(failed)? {
        let entry = entry.map_err(failed)?;
        let (path, kind) = (entry.path(), entry.file_type().map_err(failed)?);
        if kind.is_dir() {
            if !entry.file_name().to_string_lossy().starts_with('.') {
                models(&path, found)?;
            }
        } else if input::is_model_by_name(&path) {
            found.push(path);
        }
    }
    Ok(())
}
