//! The commands that the documentation shows, run by a shell: they print what stands below them.
//!
//! A block of a page that is marked `console` has commands, in lines that begin with `$ `, and what
//! each of them prints. The pages of the guide are followed as a reader would: in order, in a
//! directory that is empty at first, where a block that stands behind a line such as "Save this as
//! `jobs.pml`:" becomes that file. The commands of all other pages are run at the root of the
//! repository.
//!
//! With `UPDATE_DOCS=1` in the environment what is printed is written into the pages instead.
#![cfg(unix)]

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

/// Commands of the guide that take a toolchain and some minutes, and that the gate runs.
const NOT_RUN: &[&str] = &["cargo install --locked --path crates/freeboard", "cargo run --quiet"];

/// A line between what two commands print.
const BETWEEN: &str = "-- next command --";

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..").canonicalize().unwrap()
}

/// All pages below a directory, sorted by their paths.
fn pages(directory: &Path) -> Vec<PathBuf> {
    let entries = fs::read_dir(directory).unwrap().map(|entry| entry.unwrap().path());
    let (directories, files): (Vec<PathBuf>, Vec<PathBuf>) = entries.partition(|path| path.is_dir());
    let is_page = |path: &PathBuf| path.extension().is_some_and(|extension| extension == "md");
    let inside = directories.iter().flat_map(|directory| pages(directory));
    let mut found: Vec<PathBuf> = files.into_iter().filter(is_page).chain(inside).collect();
    found.sort();
    found
}

/// A piece of a page: prose up to and with an opening fence, or what stands behind the fence up to
/// the closing one.
#[derive(Debug, Clone, Copy)]
enum Piece<'a> {
    Prose(&'a str),
    Block { language: &'a str, file: Option<&'a str>, text: &'a str },
}

/// The pieces of a page in order; put together, they are the page.
fn pieces(page: &str) -> Vec<Piece<'_>> {
    let mut found = Vec::new();
    let mut rest = page;
    while let Some(fence) = rest.find("\n```") {
        let begin = fence + 1 + rest[fence + 1..].find('\n').unwrap() + 1;
        let end = begin + rest[begin..].find("```\n").expect("each block has an end");
        let language = rest[fence + 4..begin].trim();
        let before = rest[..fence].trim_end();
        found.push(Piece::Prose(&rest[..begin]));
        found.push(Piece::Block { language, file: file_name(before), text: &rest[begin..end] });
        // The closing fence is prose, but for the line feed that an opening one may need.
        let closed = end + "```".len();
        found.push(Piece::Prose(&rest[end..closed]));
        rest = &rest[closed..];
    }
    found.push(Piece::Prose(rest));
    found
}

/// The file that the last line of a text introduces: "Save this as `jobs.pml`:".
fn file_name(text: &str) -> Option<&str> {
    let (before, name) = text.strip_suffix("`:")?.rsplit_once('`')?;
    (!before.is_empty() && !name.contains([' ', '\n'])).then_some(name)
}

/// The commands of a block, each with what is shown below it.
fn commands(block: &str) -> Vec<(&str, String)> {
    let mut found: Vec<(&str, String)> = Vec::new();
    for line in block.lines() {
        match (line.strip_prefix("$ "), found.last_mut()) {
            (Some(command), _) => found.push((command, String::new())),
            (None, Some((_, shown))) => *shown += &format!("{line}\n"),
            (None, None) => panic!("a block begins with a command, not with {line}"),
        }
    }
    found
}

/// What a shell prints for each of some commands, on both streams.
fn printed(commands: &[&str], directory: &Path) -> Vec<String> {
    let binary = Path::new(env!("CARGO_BIN_EXE_freeboard"));
    let mut path = binary.parent().unwrap().as_os_str().to_owned();
    path.push(":");
    path.push(std::env::var_os("PATH").unwrap_or_default());
    // The next command may ask for the status of the last one.
    let separate = format!("\nstatus=$?; echo '{BETWEEN}'; (exit $status)\n");
    let script = format!("exec 2>&1\n{}{separate}", commands.join(&separate));
    let mut shell = Command::new("sh");
    shell.arg("-c").arg(script).current_dir(directory).env("PATH", path).env_remove("CLICOLOR_FORCE");
    let output = shell.stdin(Stdio::null()).output().unwrap();
    let text = String::from_utf8(output.stdout).unwrap();
    let printed: Vec<String> = text.split(&format!("{BETWEEN}\n")).map(str::to_owned).collect();
    assert_eq!(printed.len(), commands.len() + 1, "{commands:?}: {text}");
    printed[..commands.len()].to_vec()
}

/// A text without the lines that tell the time.
fn timeless(text: &str) -> String {
    text.lines().filter(|line| !line.starts_with("Time: ")).map(|line| line.to_owned() + "\n").collect()
}

/// Runs the commands of a block, and gives the block as it should be.
fn run(block: &str, directory: &Path) -> String {
    let shown = commands(block);
    let all: Vec<&str> = shown.iter().map(|(command, _)| *command).collect();
    if all.iter().all(|command| NOT_RUN.contains(command)) {
        return block.to_owned();
    }
    let printed = printed(&all, directory);
    let same = shown.iter().zip(&printed).all(|((_, shown), printed)| timeless(shown) == timeless(printed));
    if same {
        return block.to_owned();
    }
    all.iter().zip(printed).map(|(command, printed)| format!("$ {command}\n{printed}")).collect()
}

/// Follows a page in a directory; gives the number of blocks with commands.
fn follow(page: &Path, directory: &Path, saves: bool) -> usize {
    let name = page.display();
    let text = fs::read_to_string(page).unwrap();
    let mut blocks = 0;
    let mut as_it_should_be = String::new();
    for piece in pieces(&text) {
        let (language, file, block) = match piece {
            Piece::Prose(prose) => {
                as_it_should_be += prose;
                continue;
            }
            Piece::Block { language, file, text } => (language, file, text),
        };
        if language == "console" {
            as_it_should_be += &run(block, directory);
            blocks += 1;
            continue;
        }
        as_it_should_be += block;
        if saves {
            let file = file.unwrap_or_else(|| panic!("{name}: neither commands nor a file:\n{block}"));
            let path = directory.join(file);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, block).unwrap();
        }
    }
    if std::env::var_os("UPDATE_DOCS").is_some_and(|value| value == "1") {
        if text != as_it_should_be {
            fs::write(page, as_it_should_be).unwrap();
        }
    } else {
        assert_eq!(text, as_it_should_be, "{name}: UPDATE_DOCS=1 writes what is printed");
    }
    blocks
}

#[test]
fn the_guide_is_followed_literally() {
    let directory = tempfile::tempdir().unwrap();
    for page in pages(&root().join("docs/guide")) {
        let blocks = follow(&page, directory.path(), true);
        assert!(blocks > 0, "{}: a page of the guide has commands", page.display());
    }
}

#[test]
fn other_pages_show_what_is_printed() {
    let guide = root().join("docs/guide");
    let all = pages(&root().join("docs")).into_iter().filter(|page| !page.starts_with(&guide));
    let blocks: usize = all.chain([root().join("README.md")]).map(|page| follow(&page, &root(), false)).sum();
    assert!(blocks >= 5, "only {blocks} blocks");
}

/// The first command of the README builds the tool; what it has the tool do is done here.
#[test]
fn the_command_of_the_readme_proves_a_model() {
    let readme = fs::read_to_string(root().join("README.md")).unwrap();
    let mut commands = readme.lines().filter_map(|line| line.strip_prefix("cargo run --locked --release "));
    let command = commands.next().expect("there is such a command");
    let (_, arguments) = command.split_once(" -- ").unwrap();
    let printed = printed(&[&format!("freeboard {arguments}"), "echo $?"], &root());
    assert!(printed[0].starts_with("BOUNDED: "), "{printed:?}");
    assert_eq!(printed[1], "0\n");
}

#[test]
fn pages_are_read_as_they_are_meant() {
    let page = "One.\nSave this as `a/b.pml`:\n\n```promela\nx\n```\n\n```console\n$ false\n$ echo $?\n1\n```\nEnd.\n";
    let pieces = pieces(page);
    let text: String = pieces
        .iter()
        .map(|piece| match piece {
            Piece::Prose(text) | Piece::Block { text, .. } => *text,
        })
        .collect();
    assert_eq!(text, page);
    let Piece::Block { language: "promela", file: Some("a/b.pml"), text: "x\n" } = pieces[1] else {
        panic!("{pieces:?}")
    };
    let Piece::Block { language: "console", file: None, text } = pieces[4] else { panic!("{pieces:?}") };
    assert_eq!(commands(text), [("false", String::new()), ("echo $?", "1\n".to_owned())]);
    assert_eq!(run(text, &root()), text);
    assert_eq!(run("$ echo 2\n3\n", &root()), "$ echo 2\n2\n");
}
