//! Figures of the source code that say whether a stranger can find the way: how many parameters are
//! tuples, how wide comments are, how doc comments open, where numbers have names, which files
//! depend on each other in a circle, and how much code there is.
//!
//! `cargo run -p integration-tests --example house` prints them. The test `house` holds them
//! against limits.

mod circles;
mod items;
mod text;

use std::fs;
use std::path::{Path, PathBuf};

use crate::comparison::corpus::repository;

pub use self::circles::circles;
pub use self::items::{Opener, TupleParameter, constants, openers, tuple_parameters};
pub use self::text::{code_lines, wide_comments};

/// Columns that a comment may have.
pub const COMMENT_WIDTH: usize = 100;

/// A source file of a crate, without its test modules.
pub struct SourceFile {
    /// The name of the crate, as its folder is called.
    pub crate_name: String,
    /// Where the file is, from the root of the repository.
    pub path: PathBuf,
    /// The names of the module that the file is, from the root of the crate.
    pub module: Vec<String>,
    /// The text up to the first test module.
    pub text: String,
    /// The items of the text.
    pub syntax: syn::File,
}

/// The source files of all libraries and of the command, in order of their paths. Tests, examples,
/// benchmarks and this crate, which holds tests only, are left out.
///
/// # Panics
/// If a file cannot be read, or is no Rust.
#[must_use]
pub fn source_files() -> Vec<SourceFile> {
    let root = repository();
    let mut files = Vec::new();
    for folder in sorted(&root.join("crates")) {
        let crate_name = folder.file_name().expect("it has a name").to_string_lossy().into_owned();
        let sources = folder.join("src");
        if crate_name != "integration-tests" && sources.is_dir() {
            collect(&root, &crate_name, &sources, &mut files);
        }
    }
    files
}

/// The entries of a folder, in order of their names.
fn sorted(folder: &Path) -> Vec<PathBuf> {
    let entries = fs::read_dir(folder).expect("the folder is there");
    let mut paths: Vec<PathBuf> = entries.map(|entry| entry.expect("it is read").path()).collect();
    paths.sort();
    paths
}

/// Adds the files of a folder and of those inside of it.
fn collect(root: &Path, crate_name: &str, folder: &Path, files: &mut Vec<SourceFile>) {
    for path in sorted(folder) {
        if path.is_dir() {
            collect(root, crate_name, &path, files);
        } else if path.extension().is_some_and(|extension| extension == "rs") && !is_test(&path) {
            let text = text::without_tests(&fs::read_to_string(&path).expect("it is text"));
            let syntax = syn::parse_file(&text).unwrap_or_else(|e| panic!("{}: {e}", path.display()));
            let sources = root.join("crates").join(crate_name).join("src");
            let module = module_of(path.strip_prefix(sources).expect("it is inside"));
            let path = path.strip_prefix(root).expect("it is inside").to_owned();
            files.push(SourceFile { crate_name: crate_name.to_owned(), path, module, text, syntax });
        }
    }
}

/// Whether a file holds nothing but tests of its parent module.
fn is_test(path: &Path) -> bool {
    path.file_name().is_some_and(|name| name == "tests.rs")
}

/// The module that a file is, by its path from the folder `src`.
fn module_of(path: &Path) -> Vec<String> {
    let mut module: Vec<String> =
        path.with_extension("").iter().map(|part| part.to_string_lossy().into_owned()).collect();
    if module.last().is_some_and(|last| ["mod", "lib", "main"].contains(&last.as_str())) {
        module.pop();
    }
    module
}
