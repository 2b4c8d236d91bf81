//! Machines that other people wrote, if there is a collection of them beside this repository.

use std::fs;
use std::path::{Path, PathBuf};

use cfsm_core::formats::Format;

use crate::comparison::corpus::repository;

/// A text of machines.
#[derive(Clone, Debug)]
pub struct MachineFile {
    /// The path by which the project speaks of it: relative to the collection.
    pub name: String,
    /// What it looks like.
    pub format: Format,
    /// The text.
    pub text: String,
}

/// Where the collection is: as given, or beside this repository.
#[must_use]
pub fn collection(given: Option<&Path>) -> Option<PathBuf> {
    let beside = || repository().join("../shared/corpus/cfsm");
    let place = given.map_or_else(beside, Path::to_path_buf);
    place.is_dir().then(|| place.canonicalize().unwrap_or(place))
}

/// The files of a collection, by name. What has an extension that is not one of machines is left
/// out.
///
/// # Panics
/// If a file cannot be read.
#[must_use]
pub fn machine_files(collection: &Path) -> Vec<MachineFile> {
    let mut paths = Vec::new();
    let mut directories = vec![collection.to_path_buf()];
    while let Some(directory) = directories.pop() {
        let entries =
            fs::read_dir(&directory).unwrap_or_else(|error| panic!("{}: {error}", directory.display()));
        for path in entries.filter_map(|entry| Some(entry.ok()?.path())) {
            if path.is_dir() {
                directories.push(path);
            } else if Format::of_path(&path).is_some() || Format::is_by_content(&path) {
                paths.push(path);
            }
        }
    }
    paths.sort();
    let file = |path: PathBuf| {
        let bytes = fs::read(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
        let text = String::from_utf8_lossy(&bytes).into_owned();
        let format = Format::of_path(&path).unwrap_or_else(|| Format::of_text(&text));
        let name = path.strip_prefix(collection).unwrap_or(&path).display().to_string();
        MachineFile { name, format, text }
    };
    paths.into_iter().map(file).collect()
}
