//! A collection of capsule models by others: its files, and where they find each other.

use std::path::{Path, PathBuf};

/// Projects that are built with another one, as their build files say.
const PREREQUISITES: &[(&str, &str)] = &[("library_threads_exe", "library_threads_lib")];

/// The files in ROOM and Art in a directory, sorted.
#[must_use]
pub fn capsule_files(directory: &Path) -> Vec<PathBuf> {
    let mut files = Vec::new();
    collect(directory, &mut files);
    files.sort();
    files
}

fn collect(directory: &Path, files: &mut Vec<PathBuf>) {
    for entry in std::fs::read_dir(directory).into_iter().flatten().flatten() {
        let path = entry.path();
        if path.is_dir() {
            collect(&path, files);
        } else if path.extension().is_some_and(|extension| extension == "room" || extension == "art") {
            files.push(path);
        }
    }
}

/// The directories of a file's own project in a collection, and those of the library in its
/// language.
#[must_use]
pub fn capsule_includes(place: &Path, file: &Path) -> Vec<PathBuf> {
    if file.extension().is_some_and(|extension| extension == "art") {
        let project = art_project(file);
        let named = project.file_name().map(text).unwrap_or_default();
        let others = PREREQUISITES.iter().filter(|(project, _)| *project == named);
        let others = others.map(|(_, other)| project.with_file_name(other)).collect::<Vec<_>>();
        return std::iter::once(project).chain(others).collect();
    }
    let is_project = |path: &&Path| path.file_name().is_some_and(|name| text(name).starts_with("org."));
    let project = file.ancestors().find(is_project).unwrap_or(file);
    let language = ["cpp", "java"].into_iter().find(|language| text(project).ends_with(language));
    let library = format!("modellib.{}", language.unwrap_or("c"));
    let mut all = Vec::new();
    directories(place, &mut all);
    all.retain(|path| {
        path.starts_with(project)
            || (path.ends_with("model") && path.parent().is_some_and(|above| text(above).ends_with(&library)))
    });
    all
}

/// The directory of an Art file's project: one test, or all samples, which use each other.
fn art_project(file: &Path) -> PathBuf {
    let is_project = |path: &&Path| {
        let above = path.parent().map(text).unwrap_or_default();
        above.ends_with("tests") || path.ends_with("art-samples") || above.ends_with("exercises")
    };
    file.ancestors().find(is_project).or(file.parent()).unwrap_or(file).to_owned()
}

fn text(path: impl AsRef<Path>) -> String {
    path.as_ref().display().to_string()
}

fn directories(directory: &Path, found: &mut Vec<PathBuf>) {
    for entry in std::fs::read_dir(directory).into_iter().flatten().flatten() {
        let path = entry.path();
        if path.is_dir() {
            directories(&path, found);
            found.push(path);
        }
    }
}
