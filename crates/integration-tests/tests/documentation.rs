//! The documentation, held against the repository: paths exist, links resolve, the map is complete.
#![allow(clippy::unwrap_used)] // clippy.toml allows it in tests, and helpers of tests are no less

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

use freeboard::explore::{Buffers, Limits};
use freeboard::report::text::{self, Style};
use freeboard::{Options, check_livelock, check_promela, explore_program, read_program, read_promela};

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
        let gone = paths.iter().filter(|path| !root().join(path).exists());
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

/// Whether the map mentions a whole directory of sources. `crates/x/src/` alone would cover
/// everything and help nobody, except where all is for tests.
fn covers_files(path: &str) -> bool {
    path.ends_with('/') && (path.matches('/').count() > 3 || path == "crates/integration-tests/src/")
}

#[test]
fn the_map_has_every_crate_and_every_source_file() {
    let map = named_paths(&read("docs/architecture.md"));
    let covered: Vec<&String> = map.iter().filter(|path| covers_files(path)).collect();
    let mut absent = Vec::new();
    for entry in fs::read_dir(root().join("crates")).unwrap() {
        let member = format!("crates/{}", entry.unwrap().file_name().to_str().unwrap());
        if !root().join(&member).join("Cargo.toml").exists() {
            continue;
        }
        if !map.contains(&member) {
            absent.push(member.clone());
        }
        let sources = files(&format!("{member}/src"), "rs");
        let on_map = |file: &String| map.contains(file) || covered.iter().any(|all| file.starts_with(*all));
        absent.extend(sources.into_iter().filter(|file| !on_map(file)));
    }
    absent.sort();
    assert!(absent.is_empty(), "docs/architecture.md does not mention:\n  {}", absent.join("\n  "));
}

/// A row of the map: a file, what it is for, and where to enter. What stands as code in the last
/// cell are names in that file.
#[test]
fn the_entry_points_on_the_map_are_there() {
    let map = read("docs/architecture.md");
    let mut rows = 0;
    let mut wrong = Vec::new();
    for line in map.lines().filter(|line| line.starts_with("| `crates/")) {
        let cells: Vec<&str> = line.split('|').map(str::trim).collect();
        let file = cells[1].trim_matches('`');
        if Path::new(file).extension().is_none_or(|extension| extension != "rs") {
            continue;
        }
        rows += 1;
        let source = read(file);
        let names = cells[cells.len() - 2].split('`').skip(1).step_by(2);
        let last = |name: &str| name.rsplit("::").next().unwrap_or(name).to_owned();
        wrong
            .extend(names.filter(|name| !source.contains(&last(name))).map(|name| format!("{file}: {name}")));
    }
    assert!(
        wrong.is_empty(),
        "docs/architecture.md has entry points that are gone:\n  {}",
        wrong.join("\n  ")
    );
    assert!(rows > 50, "only {rows} rows: has the form of the map changed?");
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

/// What a command prints, if it is one of those that can be run here.
fn printed(command: &str) -> Option<String> {
    if let Some(name) = command.strip_prefix("$ freeboard check --property livelock ") {
        let options = Options::default();
        let model = read_promela(name, &read(name), &options).unwrap();
        let found = check_livelock(&model.program, &model.abstraction, &options);
        return Some(text::check(&found.view(name, &model), Style::default()));
    }
    if let Some(model) = command.strip_prefix("$ freeboard check ") {
        let analysis = check_promela(model, &read(model), &Options::default()).unwrap();
        return Some(text::check(&analysis.view(model), Style::default()));
    }
    let model = command.strip_prefix("$ freeboard explore --capacity unbounded ")?;
    let (program, _) = read_program(model, &read(model), &Options::default().parse).unwrap();
    let view = explore_program(&program, model, Buffers::Unbounded, &Limits::default()).unwrap();
    Some(text::exploration(&view, Style::default()))
}

/// What a page shows as the output of a command is what it prints, times left out.
#[test]
fn the_output_shown_is_the_output_printed() {
    let timeless = |text: &str| text.split("\nTime: ").next().unwrap_or(text).trim_end().to_owned();
    let mut shown = 0;
    for (page, text) in pages() {
        for (_, block) in code_blocks(&text) {
            let Some((command, output)) = block.split_once('\n') else { continue };
            let Some(printed) = printed(command) else { continue };
            assert_eq!(timeless(output), timeless(&printed), "{page}: {command}");
            shown += 1;
        }
    }
    assert!(shown >= 4, "only {shown} outputs shown");
}

#[test]
fn every_diagnostic_has_its_row() {
    let page = read("docs/promela-support.md");
    let codes = read("crates/promela-front/src/codes.rs");
    for code in codes.split('"').filter(|part| part.len() == 5 && part.starts_with('P')) {
        assert!(page.contains(&format!("| {code} |")), "docs/promela-support.md has no row for {code}");
    }
}

#[test]
fn every_diagnostic_about_machines_has_its_row() {
    let page = read("docs/machine-formats.md");
    for code in cfsm_core::formats::codes::ALL {
        assert!(page.contains(&format!("| {code} |")), "docs/machine-formats.md has no row for {code}");
    }
}

#[test]
fn every_diagnostic_about_capsules_has_its_row() {
    let page = read("docs/umlrt.md");
    let codes = read("crates/umlrt-front/src/codes.rs");
    for code in codes.split('"').filter(|part| part.len() == 5 && part.starts_with('U')) {
        assert!(page.contains(&format!("| {code} |")), "docs/umlrt.md has no row for {code}");
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
    let page = read("docs/dependencies.md");
    let manifest = read("Cargo.toml");
    let section = manifest.split_once("[workspace.dependencies]").unwrap().1;
    let section = section.split_once("\n[").unwrap().0;
    let external = section.lines().filter(|line| line.contains('=') && !line.contains("path ="));
    for name in external.map(|line| line.split_whitespace().next().unwrap()) {
        assert!(page.contains(&format!("| {name} |")), "docs/dependencies.md has no row for {name}");
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
