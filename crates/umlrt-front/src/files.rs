//! The files of a model: the text itself, and all that it imports.

use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::fs;
use std::path::{Component, Path, PathBuf};

use cfsm_core::diagnostic::Diagnostic;
use cfsm_core::ids::Id;
use cfsm_core::source::{FileId, Sources};

use crate::art;
use crate::codes;
use crate::options::{Imports, Options};
use crate::parser::{self, Declaration};
use crate::tree::physical::{MappingModel, Physical};
use crate::tree::{Import, Item, Model, Name, Room};

/// The library of the front end, as a model.
const LIBRARY: &str = include_str!("library.room");
/// The protocols of Art's run-time system.
const ART_LIBRARY: &str = include_str!("library.art");
/// The beginning of names that an installation of eTrice has. An import from there that is not
/// found is no error, as long as nothing but types is needed from it.
const INSTALLED: &str = "etrice.api.";

/// The text and what it imports, read.
pub(crate) struct Files {
    pub(crate) sources: Sources,
    /// The models: that of the text first, the library last.
    pub(crate) models: Vec<Model>,
    /// The text itself could be read as a model, which is the first one then.
    pub(crate) is_model: bool,
    pub(crate) diagnostics: Vec<Diagnostic>,
}

impl Files {
    /// The text itself, if it has classes; of a mapping, the model of the system that it maps.
    pub(crate) fn main(&self) -> Option<&Room> {
        match self.models.first().filter(|_| self.is_model)? {
            Model::Room(room) => Some(room),
            Model::Mapping(mapping) => self.mapped(mapping),
            Model::Physical(_) | Model::Art(_) => None,
        }
    }

    /// The text itself, if it is a mapping.
    pub(crate) fn mapping(&self) -> Option<&MappingModel> {
        match self.models.first().filter(|_| self.is_model)? {
            Model::Mapping(mapping) => Some(mapping),
            Model::Room(_) | Model::Physical(_) | Model::Art(_) => None,
        }
    }

    /// The model with the system that a mapping begins with, if it is only one.
    fn mapped(&self, mapping: &MappingModel) -> Option<&Room> {
        let wanted = &mapping.mappings.first()?.logical;
        let is_wanted =
            |item: &Item| matches!(item, Item::System(system) if system.name.text == wanted.last());
        let all = self.rooms().filter(|room| room.items.iter().any(is_wanted)).collect();
        match mapping.denoted(wanted, all, |room| &room.name.text).as_slice() {
            [only] => Some(only),
            _ => None,
        }
    }

    /// The models with nodes and threads in them.
    pub(crate) fn physical(&self) -> impl Iterator<Item = &Physical> + Clone {
        self.models.iter().filter_map(|model| match model {
            Model::Physical(physical) => Some(physical),
            Model::Room(_) | Model::Mapping(_) | Model::Art(_) => None,
        })
    }

    /// The models with classes in them.
    pub(crate) fn rooms(&self) -> impl Iterator<Item = &Room> {
        self.models.iter().filter_map(|model| match model {
            Model::Room(room) => Some(room),
            Model::Physical(_) | Model::Mapping(_) | Model::Art(_) => None,
        })
    }
}

/// Reads a text and all that it imports.
pub(crate) fn load(name: &str, text: &str, options: &Options) -> Files {
    let (known, open, siblings) = Default::default();
    let mut loader = Loader { options, known, open, siblings, files: empty() };
    let file = loader.files.sources.add(name, text);
    loader.known.insert(key(Path::new(name)), file);
    loader.open.push_back(Open { file, path: PathBuf::from(name) });
    while let Some(open) = loader.open.pop_front() {
        let first = open.file.index() == 0;
        loader.read(&open);
        loader.files.is_model |= first && !loader.files.models.is_empty();
    }
    loader.convert();
    let has_timers = loader.files.rooms().any(|room| room.name.text == "etrice.api.timer");
    if !has_timers {
        let file = loader.files.sources.add("", LIBRARY);
        loader.read(&Open { file, path: PathBuf::new() });
    }
    loader.files
}

fn empty() -> Files {
    Files { sources: Sources::default(), models: Vec::new(), is_model: false, diagnostics: Vec::new() }
}

struct Loader<'o> {
    options: &'o Options,
    /// The files that are read or will be.
    known: BTreeMap<PathBuf, FileId>,
    open: VecDeque<Open>,
    /// The Art files that may declare what a file names, by what they declare; nothing before they
    /// are looked for.
    siblings: Option<BTreeMap<String, Sibling>>,
    files: Files,
}

/// An Art file that declares a name.
struct Sibling {
    path: PathBuf,
    /// The declaration inherits from something.
    is_derived: bool,
}

/// A file that has not been read.
struct Open {
    file: FileId,
    path: PathBuf,
}

impl Loader<'_> {
    fn read(&mut self, open: &Open) {
        let reading = parser::parse(&self.files.sources, open.file, self.options);
        self.files.diagnostics.extend(reading.diagnostics);
        let Some(model) = reading.model else { return };
        // A mapping names systems of both kinds, in files that may differ in their ends only.
        let (imports, ends): (&[Import], &[&str]) = match &model {
            Model::Room(room) => (&room.imports, &["room"]),
            Model::Physical(physical) => (&physical.imports, &["etphys"]),
            Model::Mapping(mapping) => (&mapping.imports, &["room", "etphys"]),
            Model::Art(_) => (&[], &[]),
        };
        for import in imports {
            self.import(import, &open.path, ends);
        }
        let (mut named, mut in_code) = (BTreeSet::new(), BTreeSet::new());
        if let Model::Art(file) = &model {
            (named, in_code) = (art::named(file), art::named_in_code(file));
        }
        self.files.models.push(model);
        for name in named.union(&in_code).cloned().collect::<Vec<_>>() {
            let siblings = self.siblings.get_or_insert_with(|| siblings(self.options, &open.path));
            // Code names a capsule to create one in a part of a base.
            let is_meant = |sibling: &&Sibling| named.contains(&name) || sibling.is_derived;
            if let Some(path) = siblings.get(&name).filter(is_meant).map(|sibling| sibling.path.clone()) {
                self.open_first(vec![path]);
            }
        }
    }

    /// Makes models with classes of the Art files that were read.
    fn convert(&mut self) {
        let is_art = |model: &Model| matches!(model, Model::Art(_));
        if !self.files.models.iter().any(is_art) {
            return;
        }
        let file = self.files.sources.add("", ART_LIBRARY);
        self.read(&Open { file, path: PathBuf::new() });
        let (art, others): (Vec<Model>, Vec<Model>) =
            std::mem::take(&mut self.files.models).into_iter().partition(is_art);
        let art =
            art.into_iter().filter_map(|model| if let Model::Art(file) = model { Some(file) } else { None });
        let rooms = art::rooms(art.collect(), &mut self.files.diagnostics);
        self.files.models = rooms.into_iter().map(Model::Room).chain(others).collect();
    }

    fn import(&mut self, import: &Import, from: &Path, ends: &[&str]) {
        let found = match (&import.file, &import.names) {
            (Some(file), _) => self.open_first(self.candidates_for_file(&file.text, from)),
            (None, Some(names)) => {
                let mut any = false;
                for end in ends {
                    any |= self.open_first(self.candidates_for_name(&names.text, from, end));
                }
                any
            }
            (None, None) => false,
        };
        if found {
            return;
        }
        let installed = |name: &Name| name.text.starts_with(INSTALLED);
        if import.file.is_none() && import.names.as_ref().is_some_and(installed) {
            return;
        }
        let wanted = import.file.as_ref().or(import.names.as_ref()).map_or("", |name| name.text.as_str());
        let hint = match self.options.imports {
            Imports::Refused => "imports are not allowed here",
            Imports::Files(_) => "name the directory of the model library with -I",
            Imports::Given(_) => "it is not among the files that are given",
        };
        let message = format!("`{wanted}` is imported and not found");
        self.files
            .diagnostics
            .push(Diagnostic::error(codes::MISSING_IMPORT, import.span, message).with_hint(hint));
    }

    /// Opens the first of some files that exists, unless it is open already; false if none exists.
    fn open_first(&mut self, candidates: Vec<PathBuf>) -> bool {
        for path in candidates {
            let key = key(&path);
            if self.known.contains_key(&key) {
                return true;
            }
            let Some(text) = self.text(&path) else { continue };
            let file = self.files.sources.add(path.display().to_string(), text);
            self.known.insert(key, file);
            self.open.push_back(Open { file, path });
            return true;
        }
        false
    }

    /// Places of a file that is named: relative to the importing file, in the include directories,
    /// and, for the places of an IDE (`platform:/resource/project/...`), below some directory
    /// above.
    fn candidates_for_file(&self, named: &str, from: &Path) -> Vec<PathBuf> {
        let plain = ["platform:/resource/", "classpath:/", "file:"];
        let stripped = plain.iter().find_map(|prefix| named.strip_prefix(prefix)).unwrap_or(named);
        let relative = Path::new(stripped.trim_start_matches('/'));
        let mut all = vec![directory(from).join(stripped)];
        all.extend(self.bases(from).into_iter().map(|base| base.join(relative)));
        all
    }

    /// Places of the model that a name leads into: `a.b.C` is `C` of the model `a.b`, in
    /// `a/b.room`, or with another end.
    fn candidates_for_name(&self, named: &str, from: &Path, end: &str) -> Vec<PathBuf> {
        let parts: Vec<&str> = named.trim_end_matches(".*").split('.').collect();
        let bases = self.bases(from);
        let mut all = Vec::new();
        for length in (1..=parts.len()).rev() {
            let relative = parts[..length].join("/");
            let file = format!("{relative}.{end}");
            all.extend(bases.iter().map(|base| base.join(&file)));
        }
        all
    }

    /// The directory of a file and those above it, then the include directories.
    fn bases(&self, from: &Path) -> Vec<PathBuf> {
        let mut all = vec![directory(from)];
        if let Imports::Files(directories) = &self.options.imports {
            all.extend(directory(from).ancestors().skip(1).map(Path::to_owned));
            all.extend(directories.iter().cloned());
        }
        all
    }

    fn text(&self, path: &Path) -> Option<String> {
        match &self.options.imports {
            Imports::Refused => None,
            Imports::Given(files) => files.get(key(path).to_str()?).cloned(),
            Imports::Files(_) => path.is_file().then(|| fs::read(path).ok().map(crate::decode)).flatten(),
        }
    }
}

/// The Art files in the directory of a file and in those that are named, and below these, by the
/// names that they declare. Of several that declare the same, the first is meant.
fn siblings(options: &Options, file: &Path) -> BTreeMap<String, Sibling> {
    let mut texts: Vec<(PathBuf, String)> = Vec::new();
    match &options.imports {
        Imports::Refused => {}
        Imports::Given(files) => {
            texts.extend(files.iter().map(|(path, text)| (PathBuf::from(path), text.clone())));
        }
        Imports::Files(directories) => {
            let mut open: VecDeque<PathBuf> = VecDeque::from([directory(file)]);
            open.extend(directories.iter().cloned());
            while let Some(directory) = open.pop_front() {
                let directory = if directory.as_os_str().is_empty() { PathBuf::from(".") } else { directory };
                let entries = fs::read_dir(&directory).into_iter().flatten().flatten();
                let mut paths: Vec<PathBuf> = entries.map(|entry| entry.path()).collect();
                paths.sort();
                for path in paths {
                    if path.is_dir() {
                        open.push_back(path);
                    } else if texts.len() < options.max_files
                        && path.extension().is_some_and(|end| end == "art")
                        && let Ok(bytes) = fs::read(&path)
                    {
                        texts.push((path, crate::decode(bytes)));
                    }
                }
            }
        }
    }
    let mut all = BTreeMap::new();
    for (path, text) in texts {
        for Declaration { name, is_derived } in parser::declared(&text) {
            let first = || Sibling { path: path.clone(), is_derived };
            all.entry(name).or_insert_with(first).is_derived |= is_derived;
        }
    }
    all
}

fn directory(file: &Path) -> PathBuf {
    file.parent().map(Path::to_owned).unwrap_or_default()
}

/// A path without `.` and `..`, as far as that can be told from its text.
fn key(path: &Path) -> PathBuf {
    let mut plain = PathBuf::new();
    for component in path.components() {
        match component {
            Component::CurDir => {}
            Component::ParentDir if plain.file_name().is_some() => {
                plain.pop();
            }
            other => plain.push(other),
        }
    }
    plain
}
