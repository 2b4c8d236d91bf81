//! Files that depend on each other in a circle.

use std::collections::{BTreeMap, BTreeSet};

use petgraph::algo::tarjan_scc;
use petgraph::graph::{DiGraph, NodeIndex};
use syn::visit::{self, Visit};
use syn::{ItemUse, Path, UseTree};

use super::SourceFile;

/// The circles among the files of a crate, the largest first: strongly connected components of the
/// graph in which a file leads to those that define what it names. A name that a module passes on
/// (`pub use`) leads to the file that it comes from.
///
/// Names behind a glob, of methods and inside macros are not followed.
#[must_use]
pub fn circles(files: &[&SourceFile]) -> Vec<Vec<String>> {
    let modules = Modules::new(files);
    let mut graph = DiGraph::<usize, ()>::new();
    let nodes: Vec<NodeIndex> = (0..files.len()).map(|file| graph.add_node(file)).collect();
    for (from, file) in files.iter().enumerate() {
        for to in modules.named_in(file) {
            if to != from {
                graph.update_edge(nodes[from], nodes[to], ());
            }
        }
    }
    let mut circles: Vec<Vec<String>> = tarjan_scc(&graph)
        .into_iter()
        .filter(|circle| circle.len() > 1)
        .map(|circle| {
            let mut paths: Vec<String> =
                circle.into_iter().map(|node| files[graph[node]].path.display().to_string()).collect();
            paths.sort();
            paths
        })
        .collect();
    circles.sort_by(|one, other| other.len().cmp(&one.len()).then_with(|| one.cmp(other)));
    circles
}

/// The modules of a crate, and what each passes on.
struct Modules {
    /// The file of each module, by its names from the root of the crate.
    files: BTreeMap<Vec<String>, usize>,
    /// For each module and each name in it that an import gives: the path that is imported.
    imports: BTreeMap<Vec<String>, BTreeMap<String, Vec<String>>>,
}

impl Modules {
    fn new(files: &[&SourceFile]) -> Self {
        let mut modules = Self { files: BTreeMap::new(), imports: BTreeMap::new() };
        for (number, file) in files.iter().enumerate() {
            modules.files.insert(file.module.clone(), number);
            let mut imports = BTreeMap::new();
            for item in &file.syntax.items {
                if let syn::Item::Use(item) = item {
                    for import in imports_of(&item.tree) {
                        imports.insert(import.name, absolute(&import.path, &file.module));
                    }
                }
            }
            modules.imports.insert(file.module.clone(), imports);
        }
        modules
    }

    /// The files that define what a file names.
    fn named_in(&self, file: &SourceFile) -> BTreeSet<usize> {
        let mut paths = Paths(Vec::new());
        paths.visit_file(&file.syntax);
        let local = paths.0.into_iter().filter(|path| is_local(path, &self.imports[&file.module]));
        local.filter_map(|path| self.file_of(&absolute(&path, &file.module), 0)).collect()
    }

    /// The file that defines what a path from the root of the crate names.
    fn file_of(&self, path: &[String], passed_on: usize) -> Option<usize> {
        /// A name is passed on so often at most.
        const MOST_PASSED_ON: usize = 16;
        let length = (0..=path.len()).rev().find(|length| self.files.contains_key(&path[..*length]))?;
        let (module, rest) = path.split_at(length);
        let imported = rest.first().and_then(|name| self.imports[module].get(name));
        match imported {
            Some(target) if passed_on < MOST_PASSED_ON && target != path => {
                let target: Vec<String> = target.iter().chain(&rest[1..]).cloned().collect();
                self.file_of(&target, passed_on + 1)
            }
            _ => self.files.get(module).copied(),
        }
    }
}

/// Whether a path leads into the crate that it is written in.
fn is_local(path: &[String], imports: &BTreeMap<String, Vec<String>>) -> bool {
    let first = path.first().map_or("", String::as_str);
    ["crate", "self", "super"].contains(&first) || (path.len() > 1 && imports.contains_key(first))
}

/// A path from the root of the crate; those of other crates lead nowhere.
fn absolute(path: &[String], module: &[String]) -> Vec<String> {
    let mut base: Vec<String> = module.to_vec();
    let mut rest = path;
    while let [first, others @ ..] = rest {
        match first.as_str() {
            "crate" => base = Vec::new(),
            "self" => {}
            "super" => {
                base.pop();
            }
            _ => break,
        }
        rest = others;
    }
    base.extend(rest.iter().cloned());
    base
}

/// The paths in a file, as they are written.
struct Paths(Vec<Vec<String>>);

impl<'ast> Visit<'ast> for Paths {
    fn visit_path(&mut self, path: &'ast Path) {
        self.0.push(path.segments.iter().map(|segment| segment.ident.to_string()).collect());
        visit::visit_path(self, path);
    }

    fn visit_item_use(&mut self, item: &'ast ItemUse) {
        // What is only passed on is not used here.
        if matches!(item.vis, syn::Visibility::Inherited) {
            self.0.extend(imports_of(&item.tree).into_iter().map(|import| import.path));
        }
    }
}

/// A name that an import gives.
struct Import {
    name: String,
    path: Vec<String>,
}

/// The names that an import gives, without globs.
fn imports_of(tree: &UseTree) -> Vec<Import> {
    fn add(tree: &UseTree, before: &[String], imports: &mut Vec<Import>) {
        let with = |name: &syn::Ident| -> Vec<String> {
            let name = name.to_string();
            if name == "self" { before.to_vec() } else { before.iter().cloned().chain([name]).collect() }
        };
        match tree {
            UseTree::Path(path) => add(&path.tree, &[before, &[path.ident.to_string()]].concat(), imports),
            UseTree::Name(name) => {
                let path = with(&name.ident);
                imports.push(Import { name: path.last().cloned().unwrap_or_default(), path });
            }
            UseTree::Rename(rename) => {
                imports.push(Import { name: rename.rename.to_string(), path: with(&rename.ident) });
            }
            UseTree::Group(group) => group.items.iter().for_each(|item| add(item, before, imports)),
            UseTree::Glob(_) => {}
        }
    }
    let mut imports = Vec::new();
    add(tree, &[], &mut imports);
    imports
}
