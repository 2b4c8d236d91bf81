//! The documentation, held against the repository: paths exist, links resolve, the index is
//! complete. What commands print is held against the pages in
//! `crates/freeboard/tests/cli/guide.rs`.
#![allow(clippy::unwrap_used)] // clippy.toml allows it in tests, and helpers of tests are no less

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

fn root() -> &'static Path {
    Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/../.."))
}

fn read(path: &str) -> String {
    fs::read_to_string(root().join(path)).unwrap_or_else(|error| panic!("{path}: {error}"))
}

/// All files below a directory that have the extension, relative to the root, sorted.
fn files(directory: &str, extension: &str) -> Vec<String> {
    let mut found = Vec::new();
    let mut open = vec![PathBuf::from(directory)];
    while let Some(directory) = open.pop() {
        for entry in fs::read_dir(root().join(&directory)).unwrap() {
            let entry = entry.unwrap();
            let path = directory.join(entry.file_name());
            if entry.file_type().unwrap().is_dir() {
                open.push(path);
            } else if path.extension().is_some_and(|found| found == extension) {
                found.push(path.to_str().unwrap().replace('\\', "/"));
            }
        }
    }
    found.sort();
    found
}

/// Every page of the documentation, with its text.
fn pages() -> Vec<(String, String)> {
    let mut pages = files("docs", "md");
    pages.extend(["README.md", "CHANGELOG.md", "CONTRIBUTING.md"].map(String::from));
    pages.into_iter().map(|page| (page.clone(), read(&page))).collect()
}

/// What a text names below one of the top-level directories: `crates/certify/src/bounded.rs`.
fn named_paths(text: &str) -> BTreeSet<String> {
    let in_path = |c: char| c.is_ascii_alphanumeric() || "_-./*".contains(c);
    let words = text.split(|c: char| !in_path(c));
    let starts = ["crates/", "examples/", "benches/", "docs/", ".ci/"];
    let paths = words.filter(|word| starts.iter().any(|start| word.starts_with(start)));
    let paths = paths.map(|path| path.trim_end_matches('.'));
    paths.filter(|path| !path.contains('*')).map(str::to_owned).collect()
}

/// The text between fences, block by block, with the language behind the opening fence.
fn code_blocks(text: &str) -> Vec<(&str, &str)> {
    let blocks = text.split("\n```").skip(1).step_by(2);
    blocks.map(|block| block.split_once('\n').unwrap_or((block, ""))).collect()
}

/// The text without what stands between fences.
fn prose(text: &str) -> String {
    text.split("\n```").step_by(2).collect::<Vec<_>>().join("\n")
}

/// The names by which headings can be linked to, as code hosts make them.
fn anchors(text: &str) -> BTreeSet<String> {
    let prose = prose(text);
    let headings = prose.lines().filter_map(|line| line.strip_prefix('#'));
    let titles = headings.map(|line| line.trim_start_matches('#').trim().to_lowercase());
    let kept = |c: &char| c.is_alphanumeric() || " -_".contains(*c);
    titles.map(|title| title.chars().filter(kept).collect::<String>().replace(' ', "-")).collect()
}

/// Targets of links, those to other sites left out.
fn links(text: &str) -> Vec<String> {
    let prose = prose(text);
    let targets = prose.split("](").skip(1).filter_map(|rest| rest.split_once(')'));
    targets.map(|(target, _)| target.to_owned()).filter(|target| !target.contains("://")).collect()
}

#[test]
fn every_path_that_is_named_exists() {
    let mut missing = Vec::new();
    for (page, text) in pages() {
        let paths = named_paths(&text);
        // The changelog tells of pages where they stood then.
        let is_history = |path: &str| page == "CHANGELOG.md" && path.starts_with("docs/");
        let gone = paths.iter().filter(|path| !root().join(path).exists() && !is_history(path));
        missing.extend(gone.map(|path| format!("{page}: {path}")));
    }
    assert!(missing.is_empty(), "the documentation names what does not exist:\n  {}", missing.join("\n  "));
}

#[test]
fn every_local_link_resolves() {
    let mut broken = Vec::new();
    for (page, text) in pages() {
        let directory = Path::new(&page).parent().unwrap();
        for link in links(&text) {
            let (path, anchor) = link.split_once('#').unwrap_or((&link, ""));
            let target = if path.is_empty() { PathBuf::from(&page) } else { directory.join(path) };
            let target = root().join(target);
            let is_page = target.extension().is_some_and(|extension| extension == "md");
            let reaches = |anchor: &str| anchors(&fs::read_to_string(&target).unwrap()).contains(anchor);
            if !target.exists() || (is_page && !anchor.is_empty() && !reaches(anchor)) {
                broken.push(format!("{page}: {link}"));
            }
        }
    }
    assert!(broken.is_empty(), "links lead nowhere:\n  {}", broken.join("\n  "));
}

/// The members of the workspace below `crates/`.
fn crates() -> Vec<String> {
    let entries = fs::read_dir(root().join("crates")).unwrap();
    let names = entries.map(|entry| entry.unwrap().file_name().into_string().unwrap());
    let mut crates: Vec<String> =
        names.filter(|name| root().join("crates").join(name).join("Cargo.toml").exists()).collect();
    crates.sort();
    crates
}

#[test]
fn the_architecture_has_every_crate_and_is_short() {
    let page = read("docs/internals/architecture.md");
    let paths = named_paths(&page);
    let absent: Vec<String> =
        crates().into_iter().filter(|name| !paths.contains(&format!("crates/{name}"))).collect();
    assert!(absent.is_empty(), "docs/internals/architecture.md does not mention {absent:?}");
    let words = page.split_whitespace().count();
    assert!(
        words <= 3000,
        "docs/internals/architecture.md has {words} words: what is about one file goes there"
    );
}

/// What stands as code on a page and is a path into a crate: `explore::Semantics::confirm`.
fn code_paths(text: &str) -> Vec<Vec<&str>> {
    let prose_codes = text.split("\n```").step_by(2).flat_map(|prose| prose.split('`').skip(1).step_by(2));
    let paths = prose_codes.map(|code| code.split("::").collect::<Vec<_>>());
    paths
        .filter(|path| path.len() > 1 && root().join("crates").join(path[0].replace('_', "-")).is_dir())
        .collect()
}

#[test]
fn the_items_that_the_architecture_names_are_there() {
    let page = read("docs/internals/architecture.md");
    let in_word = |c: char| c.is_alphanumeric() || c == '_';
    let mut wrong = Vec::new();
    let paths = code_paths(&page);
    for path in &paths {
        let sources = files(&format!("crates/{}/src", path[0].replace('_', "-")), "rs");
        let text: String = sources.iter().map(|file| read(file)).collect();
        let words: BTreeSet<&str> = text.split(|c: char| !in_word(c)).collect();
        if !path[1..].iter().all(|name| words.contains(name.trim_end_matches('!'))) {
            wrong.push(path.join("::"));
        }
    }
    assert!(wrong.is_empty(), "docs/internals/architecture.md names what is gone: {wrong:?}");
    assert!(paths.len() > 20, "only {} items: has the form of the page changed?", paths.len());
}

#[test]
fn the_index_has_every_page() {
    let index: BTreeSet<String> = links(&read("docs/README.md")).into_iter().collect();
    // What another page stands for now.
    let moved = ["docs/README.md", "docs/cli.md"];
    let pages = files("docs", "md").into_iter().filter(|page| !moved.contains(&page.as_str()));
    let absent: Vec<String> =
        pages.filter(|page| !index.contains(page.strip_prefix("docs/").unwrap())).collect();
    assert!(absent.is_empty(), "docs/README.md has no link to {absent:?}");
}

#[test]
fn pages_that_programs_write_say_how() {
    for page in files("docs/generated", "md") {
        let text = read(&page);
        let top = text.lines().take(15).collect::<Vec<_>>().join("\n");
        let by_cargo = top.contains("cargo run ") && top.contains(&format!("> {page}"));
        let by_script = top.contains("Written by `benches/peers/");
        assert!(by_cargo || by_script, "{page} does not say which command writes it");
    }
}

/// The block that a page introduces by the name of a file.
fn file_in(page: &str, name: &str) -> String {
    let text = read(page);
    let (_, behind) = text.split_once(&format!("`{name}`:\n")).unwrap_or_else(|| panic!("{page}: no {name}"));
    code_blocks(behind)[0].1.to_owned() + "\n"
}

/// The crate on the last page of the guide is one that the gate builds and runs.
#[test]
fn the_crate_of_the_guide_is_the_one_that_is_built() {
    let page = "docs/guide/9-as-a-library.md";
    for file in ["src/main.rs", "tests/protocol.rs"] {
        assert_eq!(file_in(page, &format!("minimal/{file}")), read(&format!("examples/minimal/{file}")));
    }
    assert_eq!(file_in("docs/guide/7-machines.md", "shop.fsa"), read("examples/minimal/tests/shop.fsa"));
    let manifest = read("examples/minimal/Cargo.toml").replace("../../crates", "../freeboard/crates");
    let shown = file_in(page, "minimal/Cargo.toml");
    let absent: Vec<&str> = shown.lines().filter(|line| !manifest.contains(line)).collect();
    assert!(absent.is_empty(), "examples/minimal/Cargo.toml lacks {absent:?}");
    assert!(read(".ci/run").contains(page), "the gate does not run it");
}

/// The crate on the page about actors is one that the gate builds and runs.
#[test]
fn the_crate_of_the_page_on_actors_is_the_one_that_is_built() {
    let page = "docs/reference/actors.md";
    for file in ["src/lib.rs", "tests/mailboxes.rs"] {
        assert_eq!(file_in(page, &format!("mailboxes/{file}")), read(&format!("examples/mailboxes/{file}")));
    }
    let manifest = read("examples/mailboxes/Cargo.toml").replace("../../crates", "../freeboard/crates");
    let shown = file_in(page, "mailboxes/Cargo.toml");
    let absent: Vec<&str> = shown.lines().filter(|line| !manifest.contains(line)).collect();
    assert!(absent.is_empty(), "examples/mailboxes/Cargo.toml lacks {absent:?}");
    assert!(read(".ci/run").contains(page), "the gate does not run it");
}

/// What stands as code in the page on the kernel and looks like a function of it is one.
#[test]
fn the_functions_of_the_kernel_are_there() {
    let page = read("docs/soundness/kernel.md");
    let crates = ["crates/certify/src", "crates/certify-values/src", "crates/certificate/src"];
    let sources = crates.into_iter().flat_map(|folder| files(folder, "rs"));
    let sources: Vec<String> = sources.map(|file| read(&file)).collect();
    let defines = |name: &str| {
        let function = [format!("fn {name}("), format!("fn {name}<")];
        sources.iter().any(|source| function.iter().any(|function| source.contains(function)))
    };
    // Keys and kinds of the format, and names of other crates.
    let others = [
        "bounded",
        "configurations",
        "single",
        "joint",
        "after",
        "apart",
        "fires",
        "abstraction",
        "order",
        "limits",
        "trust",
        "ids",
        "digest",
        "validate",
        "values",
    ];
    let is_name = |word: &&str| word.chars().all(|c| c.is_ascii_lowercase() || c == '_');
    let words = page.split('`').skip(1).step_by(2).filter(is_name);
    let named: BTreeSet<&str> = words.filter(|word| !others.contains(word) || defines(word)).collect();
    let gone: Vec<&&str> = named.iter().filter(|name| !defines(name)).collect();
    assert!(gone.is_empty(), "docs/soundness/kernel.md names functions that are gone: {gone:?}");
    assert!(named.len() >= 25, "only {} functions are named", named.len());
}

#[test]
fn the_readme_has_two_commands() {
    let readme = read("README.md");
    let blocks = code_blocks(&readme).into_iter();
    let commands: Vec<&str> =
        blocks.filter(|(language, _)| *language == "sh").map(|(_, command)| command.trim()).collect();
    let [check, test] = commands.as_slice() else { panic!("not two commands: {commands:?}") };
    let start = "cargo run --locked --release -p freeboard -- check examples/models/";
    assert!(check.starts_with(start), "{check}");
    assert!(root().join(check.split_whitespace().last().unwrap()).exists(), "{check}");
    assert_eq!(*test, "cargo test --locked --workspace --all-features");

    // The gate runs the second one, and takes it from there.
    let gate = read(".ci/run");
    assert!(gate.contains("README.md"), ".ci/run does not read the README");
    assert!(!gate.contains("--workspace --all-features\n"), ".ci/run has a test command of its own");
}

#[test]
fn every_diagnostic_has_its_row() {
    let page = read("docs/reference/promela-support.md");
    let codes = read("crates/promela-front/src/codes.rs");
    for code in codes.split('"').filter(|part| part.len() == 5 && part.starts_with('P')) {
        assert!(
            page.contains(&format!("| {code} |")),
            "docs/reference/promela-support.md has no row for {code}"
        );
    }
}

#[test]
fn every_diagnostic_about_machines_has_its_row() {
    let page = read("docs/reference/machine-formats.md");
    for code in cfsm_core::formats::codes::ALL {
        assert!(
            page.contains(&format!("| {code} |")),
            "docs/reference/machine-formats.md has no row for {code}"
        );
    }
}

#[test]
fn every_diagnostic_about_capsules_has_its_row() {
    let page = read("docs/reference/umlrt.md");
    let codes = read("crates/umlrt-front/src/codes.rs");
    for code in codes.split('"').filter(|part| part.len() == 5 && part.starts_with('U')) {
        assert!(page.contains(&format!("| {code} |")), "docs/reference/umlrt.md has no row for {code}");
    }
}

/// Keys of the schema are those that a system has when it is written.
#[test]
fn the_schema_of_systems_has_the_keys_of_systems() {
    let schema: serde_json::Value = serde_json::from_str(&read("docs/system.schema.json")).unwrap();
    let mut b = cfsm_core::system::SystemBuilder::new("all");
    let m = b.message("q", "m");
    let q = b.buffer("q");
    b.declare(q, 3);
    let created = b.class("Q", 0).id();
    b.class("P", 1).step("0", &[(m, 2)], "1").create("1", created, "0");
    b.progress();
    let mut system = b.build().unwrap();
    let origin = cfsm_core::source::Origin { file: "f".into(), line: 1, text: "t".into() };
    let place = system.data.push(cfsm_core::system::DataPlace {
        room_of: Some(q),
        is_assumed: true,
        ..cfsm_core::system::DataPlace::new("room", 1)
    });
    let first = &mut system.transitions[cfsm_core::ids::Id::new(0)];
    first.origin = Some(origin);
    first.data.push(cfsm_core::system::DataChange { place, change: -1 });
    system.states[cfsm_core::ids::Id::new(0)].always_ready = true;
    system.buffers[q].in_order = true;
    system.source = vec![cfsm_core::digest::SourceDigest { file: "f".into(), sha256: String::new() }];
    let written = serde_json::to_value(&system).unwrap();
    let keys = |value: &serde_json::Value| -> BTreeSet<String> {
        value.as_object().unwrap().keys().cloned().collect()
    };
    assert_eq!(keys(&schema["properties"]), keys(&written));
    let lists = [
        ("buffer", "buffers"),
        ("message", "messages"),
        ("class", "classes"),
        ("state", "states"),
        ("data", "data"),
        ("source", "source"),
    ];
    for (name, list) in lists {
        assert_eq!(keys(&schema["$defs"][name]["properties"]), keys(&written[list][0]), "{name}");
    }
    let transitions = written["transitions"].as_array().unwrap();
    let all: BTreeSet<String> = transitions.iter().flat_map(keys).collect();
    assert_eq!(keys(&schema["$defs"]["transition"]["properties"]), all);
    assert_eq!(keys(&schema["$defs"]["event"]["properties"]), keys(&transitions[0]["events"][0]));
    assert_eq!(keys(&schema["$defs"]["origin"]["properties"]), keys(&transitions[0]["origin"]));
}

#[test]
fn every_dependency_is_justified() {
    let page = read("docs/internals/dependencies.md");
    let manifest = read("Cargo.toml");
    let section = manifest.split_once("[workspace.dependencies]").unwrap().1;
    let section = section.split_once("\n[").unwrap().0;
    let external = section.lines().filter(|line| line.contains('=') && !line.contains("path ="));
    for name in external.map(|line| line.split_whitespace().next().unwrap()) {
        assert!(
            page.contains(&format!("| {name} |")),
            "docs/internals/dependencies.md has no row for {name}"
        );
    }
}

#[test]
fn the_readers_of_pages_read_what_is_there() {
    let text =
        "See `crates/none/src/lib.rs`, crates/cycles. [a](b.md#c) [d](https://e)\n```sh\nls [x](y)\n```\n";
    let paths = named_paths(text);
    assert!(paths.contains("crates/none/src/lib.rs") && paths.contains("crates/cycles"));
    assert_eq!(links(text), ["b.md#c"]);
    assert_eq!(code_blocks(text), [("sh", "ls [x](y)")]);
    assert!(anchors("# One\n## Two `three`: four\n").contains("two-three-four"));
}
