//! The public interface of the crates, as a list: what a user can name, with signatures.
//!
//! It is read from the sources, which are formatted by rustfmt: items begin at the margin, and
//! methods, fields and variants are one step in. What is public in a private module is listed if
//! some `pub use` of the crate names it.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

use crate::comparison::corpus::repository;

/// The crates that are listed, in layer order.
pub const CRATES: &[&str] = &[
    "cfsm-core",
    "promela-front",
    "umlrt-front",
    "abstraction",
    "cycles",
    "certificate",
    "certify",
    "ilp-encode",
    "cases",
    "action-code",
    "boundedness",
    "livelock",
    "closing",
    "ranking",
    "explore",
    "refine",
    "report",
    "freeboard",
    "actors",
];

/// The list, crate by crate; one line for each item, field, variant and method.
///
/// # Panics
/// If a source file cannot be read.
#[must_use]
pub fn listing() -> String {
    let mut text = String::new();
    for name in CRATES {
        text += &format!("## {name}\n\n");
        let files = sources(&repository().join("crates").join(name).join("src"));
        let exported = exported(&files);
        let mut lines: Vec<String> = files.iter().flat_map(|file| file.lines(&exported)).collect();
        // Order in files is of no interest; what belongs to an item stands behind its name.
        lines.sort();
        lines.dedup();
        for line in lines {
            text += &line;
            text.push('\n');
        }
        text.push('\n');
    }
    text
}

/// A source file without its tests.
struct Source {
    /// Whether its module can be named from outside.
    public: bool,
    text: String,
}

/// All files of a crate. The command is no library.
fn sources(directory: &Path) -> Vec<Source> {
    let root = fs::read_to_string(directory.join("lib.rs")).expect("a crate has a root");
    let mut found = Vec::new();
    module(&root, directory, true, &mut found);
    found.push(Source { public: true, text: without_tests(&root) });
    found
}

/// The modules that a file names.
fn module(text: &str, directory: &Path, public: bool, found: &mut Vec<Source>) {
    for line in without_tests(text).lines() {
        let open = line.starts_with("pub mod ");
        let Some(name) = line.strip_prefix("pub mod ").or_else(|| line.strip_prefix("mod ")) else {
            continue;
        };
        let Some(name) = name.strip_suffix(';') else { continue };
        let candidates = [directory.join(format!("{name}.rs")), directory.join(name).join("mod.rs")];
        let Some(path) = candidates.iter().find(|path| path.is_file()) else { continue };
        let inner = fs::read_to_string(path).expect("it is there");
        let public = public && open;
        module(&inner, &directory.join(name), public, found);
        found.push(Source { public, text: without_tests(&inner) });
    }
}

fn without_tests(text: &str) -> String {
    let end = text.find("\n#[cfg(test)]\nmod tests {").unwrap_or(text.len());
    text[..end].to_owned()
}

/// All names that `pub use` mentions.
fn exported(files: &[Source]) -> BTreeSet<String> {
    let mut names = BTreeSet::new();
    for file in files {
        for statement in file.text.split("\npub use ").skip(1) {
            let statement = statement.split(';').next().unwrap_or_default();
            let words = statement.split(|c: char| !(c.is_alphanumeric() || c == '_'));
            names.extend(words.filter(|word| !word.is_empty()).map(str::to_owned));
        }
    }
    names
}

impl Source {
    fn lines(&self, exported: &BTreeSet<String>) -> Vec<String> {
        let mut found = Vec::new();
        let lines: Vec<&str> = self.text.lines().collect();
        let mut attribute = "";
        for (at, line) in lines.iter().enumerate() {
            if *line == "define_id!(" {
                let named = lines[at + 1..].iter().find(|line| !line.trim_start().starts_with("//"));
                let name = named.and_then(|line| line.trim().split(',').next()).unwrap_or_default();
                if self.public || exported.contains(name) {
                    found.push(format!("pub struct {name} (an id)"));
                }
            } else if *line == "#[non_exhaustive]" {
                attribute = "#[non_exhaustive] ";
            } else if line.starts_with("macro_rules! ")
                && lines[..at].iter().rev().take(3).any(|l| *l == "#[macro_export]")
            {
                found.push(line.trim_end_matches(" {").to_owned());
            } else if let Some(name) = line.strip_prefix("pub ").and_then(item) {
                if self.public || exported.contains(name) {
                    found.push(format!("{attribute}{}", signature(&lines[at..])));
                    found.extend(members(name, &lines[at..]));
                }
                attribute = "";
            } else if line.starts_with("impl") {
                let name = subject(line);
                if self.public || exported.contains(name) || exported.is_empty() {
                    found.extend(methods(name, line, &lines[at + 1..]));
                }
            }
        }
        found
    }
}

/// The name of an item that is not a module or a re-export.
fn item(line: &str) -> Option<&str> {
    let line = ["const fn ", "fn ", "struct ", "enum ", "trait ", "type ", "const ", "static "]
        .iter()
        .find_map(|keyword| line.strip_prefix(keyword))?;
    line.split(|c: char| !(c.is_alphanumeric() || c == '_')).next()
}

/// What an `impl` is for, without its parameters.
fn subject(line: &str) -> &str {
    let line = line.rsplit_once(" for ").map_or(line, |(_, subject)| subject);
    let line = line.strip_prefix("impl").unwrap_or(line).trim_start();
    let line =
        if line.starts_with('<') { line.split_once("> ").map_or(line, |(_, rest)| rest) } else { line };
    line.split(|c: char| !(c.is_alphanumeric() || c == '_')).next().unwrap_or_default()
}

/// From the first line of an item to its body, on one line.
fn signature(lines: &[&str]) -> String {
    let mut text = String::new();
    for line in lines {
        let line = line.trim();
        let (part, ends) = match line.strip_suffix('{') {
            Some(part) => (part.trim_end(), true),
            None => (line, line.ends_with(';') || line.ends_with('}') || line.starts_with("where")),
        };
        if !text.is_empty() && !part.is_empty() && !text.ends_with('(') && !part.starts_with(')') {
            text.push(' ');
        }
        text += part.trim_end_matches(';');
        if ends {
            break;
        }
    }
    text.replace(",)", ")").replace("( ", "(")
}

/// Fields, variants and methods of traits.
fn members(name: &str, lines: &[&str]) -> Vec<String> {
    let first = lines[0];
    if !first.ends_with('{') || first.contains("fn ") {
        return Vec::new();
    }
    let body = lines[1..].iter().take_while(|line| **line != "}");
    let body: Vec<&str> = body.copied().collect();
    let wanted = |line: &str| {
        let inner = line.strip_prefix("    ").filter(|inner| !inner.starts_with([' ', '/', '#', '}', ')']));
        inner.is_some_and(|inner| !first.starts_with("pub struct ") || inner.starts_with("pub "))
    };
    let places = (0..body.len()).filter(|at| wanted(body[*at]));
    let told = places.map(|at| {
        let line = body[at].trim();
        if line.contains("fn ") {
            return format!("{name}: {}", signature(&body[at..]));
        }
        let line = line.trim_end_matches([',', '{']).trim_end();
        format!("{name}: {}", line.strip_prefix("pub ").unwrap_or(line))
    });
    told.collect()
}

/// The public methods of an `impl`; of one of a trait, that there is one.
fn methods(name: &str, first: &str, lines: &[&str]) -> Vec<String> {
    if first.contains(" for ") {
        return vec![first.trim_end_matches('{').trim_end().to_owned()];
    }
    let body: Vec<&str> = lines.iter().take_while(|line| **line != "}").copied().collect();
    let places = (0..body.len()).filter(|at| body[*at].strip_prefix("    pub ").and_then(item).is_some());
    places.map(|at| format!("{name}: {}", signature(&body[at..]))).collect()
}

/// Where the list is kept.
#[must_use]
pub fn page() -> PathBuf {
    repository().join("docs/generated/public-api.md")
}

/// The page: how it is made, and the list.
#[must_use]
pub fn rendered() -> String {
    format!("{HEAD}```text\n{}```\n", listing())
}

const HEAD: &str = "\
# The public interface

All that a user of the crates can name, with signatures, read from the sources. A change of this page is a change that users see: what
goes away or changes its form breaks their code. It needs a line in the [changelog](../../CHANGELOG.md), and while the version is below 1 a new
minor version. Enums and structs that will grow are `#[non_exhaustive]`; `Options` structs have defaults, and are to be made with
`..Default::default()`. A test compares this page with the sources. This page is the output of

```sh
cargo run -p integration-tests --example api > docs/generated/public-api.md
```

";
