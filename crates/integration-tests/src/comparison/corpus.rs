//! The models to compare on: those of this repository, and a collection of models that other people
//! wrote, if there is one.

use std::fs;
use std::path::{Path, PathBuf};

/// A Promela text, and what is known of it before it is read.
#[derive(Clone, Debug)]
pub struct Model {
    /// The path by which the project speaks of it: relative to the collection or to this
    /// repository.
    pub name: String,
    /// Where it is.
    pub file: PathBuf,
    /// What comes from one author and is alike has one family.
    pub family: String,
    /// Whether it is part of a model only, and nothing can be said of it alone.
    pub fragment: bool,
    /// Whether Spin accepts it, as the collection says.
    pub listed: Option<bool>,
    /// Macros that it needs, with their bodies.
    pub defines: Vec<(String, Option<String>)>,
}

impl Model {
    /// A file of which nothing else is known.
    #[must_use]
    pub fn alone(file: &Path) -> Self {
        let file = file.canonicalize().unwrap_or_else(|_| file.to_path_buf());
        let name = file.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
        let family = String::new();
        Self { name, file, family, fragment: false, listed: None, defines: Vec::new() }
    }

    /// The text. What is not UTF-8 in it is replaced.
    ///
    /// # Panics
    /// If the file cannot be read.
    #[must_use]
    pub fn text(&self) -> String {
        let bytes = fs::read(&self.file).unwrap_or_else(|error| panic!("{}: {error}", self.name));
        String::from_utf8_lossy(&bytes).into_owned()
    }
}

/// The root of this repository.
#[must_use]
pub fn repository() -> PathBuf {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    root.canonicalize().unwrap_or(root)
}

/// Where the collection is: as given, or beside this repository. It has a table `INDEX.tsv`.
#[must_use]
pub fn place(given: Option<&Path>) -> Option<PathBuf> {
    let beside = || repository().join("../shared/corpus/promela");
    let place = given.map_or_else(beside, Path::to_path_buf);
    place.join("INDEX.tsv").is_file().then(|| place.canonicalize().unwrap_or(place))
}

/// The models of a collection, in the order of its table.
///
/// # Panics
/// If the table cannot be read.
#[must_use]
pub fn models(place: &Path) -> Vec<Model> {
    let table = fs::read_to_string(place.join("INDEX.tsv")).expect("the table of the collection");
    let mut lines = table.lines();
    let names: Vec<&str> = lines.next().unwrap_or_default().split('\t').collect();
    lines.map(|line| model(place, &names, line)).collect()
}

fn model(place: &Path, names: &[&str], line: &str) -> Model {
    let values: Vec<&str> = line.split('\t').collect();
    let value = |name: &str| {
        let column = names.iter().position(|found| *found == name);
        column.and_then(|column| values.get(column)).copied().unwrap_or_default()
    };
    let listed = match value("spin_6.5.2") {
        "accepts" => Some(true),
        "rejects" => Some(false),
        _ => None,
    };
    Model {
        name: value("path").to_owned(),
        file: place.join(value("path")),
        family: value("family").to_owned(),
        fragment: value("kind") == "fragment",
        listed,
        defines: defines(value("spin_arguments")),
    }
}

/// What stands behind each `-D` in a text.
fn defines(arguments: &str) -> Vec<(String, Option<String>)> {
    let words = arguments.split(|c: char| c.is_whitespace() || "()".contains(c));
    let macros = words.filter_map(|word| word.strip_prefix("-D"));
    let parts = macros.map(|text| match text.split_once('=') {
        Some((name, body)) => (name.to_owned(), Some(body.to_owned())),
        None => (text.to_owned(), None),
    });
    parts.collect()
}

/// The models of this repository, sorted: examples, and texts that the front end is tested with.
///
/// # Panics
/// If a directory cannot be read.
#[must_use]
pub fn own_models() -> Vec<Model> {
    let fixtures = "crates/promela-front/tests/fixtures";
    let directories =
        ["examples/models".to_owned(), format!("{fixtures}/valid"), format!("{fixtures}/invalid")];
    let mut found = Vec::new();
    for directory in directories {
        let entries = fs::read_dir(repository().join(&directory)).expect("a directory of models");
        let paths = entries.map(|entry| entry.expect("an entry").path());
        for file in paths.filter(|path| path.extension().is_some_and(|extension| extension == "pml")) {
            let model = Model::alone(&file);
            let name = format!("{directory}/{}", model.name);
            found.push(Model { name, family: directory.clone(), ..model });
        }
    }
    found.sort_by(|a, b| a.name.cmp(&b.name));
    found
}

/// About `count` of the models, the same ones each time, spread over all families: of each family
/// in turn.
#[must_use]
pub fn sample(models: &[Model], count: usize) -> Vec<Model> {
    let mut turns: Vec<(usize, usize)> = Vec::new();
    let mut seen = std::collections::BTreeMap::new();
    for (position, model) in models.iter().enumerate() {
        let family = model.name.split('/').next().unwrap_or_default();
        let turn = seen.entry(family).or_insert(0);
        turns.push((*turn, position));
        *turn += 1;
    }
    turns.sort_unstable();
    let mut chosen: Vec<usize> = turns.into_iter().take(count).map(|(_, position)| position).collect();
    chosen.sort_unstable();
    chosen.into_iter().map(|position| models[position].clone()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_of_the_table_is_a_model() {
        let names = ["path", "family", "kind", "spin_6.5.2", "spin_arguments"];
        let line = "some+one/a.pml\tFa\tmodel\trejects\tOK(-DN=3 -DFAST)";
        let model = model(Path::new("/c"), &names, line);
        assert_eq!((model.name.as_str(), model.listed), ("some+one/a.pml", Some(false)));
        assert_eq!(model.defines, [("N".into(), Some("3".into())), ("FAST".into(), None)]);
    }

    #[test]
    fn a_sample_has_some_of_everything() {
        let models = own_models();
        let sample = sample(&models, 6);
        assert_eq!(sample.len(), 6);
        assert!(sample.iter().any(|model| model.name.starts_with("examples/")));
        assert!(sample.iter().any(|model| model.name.starts_with("crates/")));
    }
}
