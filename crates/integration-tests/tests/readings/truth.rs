//! Models with their truth: for each buffer, by what it is bounded in all readings, or in which one
//! it grows for ever.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use integration_tests::readings::{Reading, Room};

/// The truth about a buffer, for all readings in which it is unlimited itself.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Truth {
    /// The most messages that it holds in any reading.
    Bounded(u32),
    /// It grows for ever where these channels are limited as declared, and no other one is.
    Unbounded(Vec<String>),
}

/// A model.
pub struct Model {
    /// The name of its file.
    pub name: String,
    pub text: String,
    pub truths: BTreeMap<String, Truth>,
}

/// All models, in the order of their names.
pub fn models() -> Vec<Model> {
    let directory = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/readings/models");
    let files = fs::read_dir(&directory).unwrap().map(|entry| entry.unwrap().path());
    let mut models: Vec<Model> = files.map(|file| read(&file)).collect();
    models.sort_by(|one, other| one.name.cmp(&other.name));
    models
}

fn read(file: &Path) -> Model {
    let name = file.file_name().unwrap().to_string_lossy().into_owned();
    let text = fs::read_to_string(file).unwrap();
    let bounded = |rest: &str| {
        let (buffer, most) = rest.split_once(' ')?;
        Some((buffer.to_owned(), Truth::Bounded(most.parse().ok()?)))
    };
    let unbounded = |rest: &str| {
        let (buffer, limited) = rest.split_once(" with ").unwrap_or((rest, ""));
        let limited = limited.split(", ").filter(|name| !name.is_empty()).map(str::to_owned);
        (buffer.to_owned(), Truth::Unbounded(limited.collect()))
    };
    let truth = |line: &str| match line.strip_prefix("// bounded: ") {
        Some(rest) => Some(bounded(rest).unwrap_or_else(|| panic!("{name}: {line}"))),
        None => line.strip_prefix("// unbounded: ").map(unbounded),
    };
    let truths = text.lines().filter_map(truth).collect();
    Model { name, truths, text }
}

/// The channel that a buffer belongs to: `c` of `c[1]`.
pub fn channel_of(buffer: &str) -> &str {
    buffer.split('[').next().unwrap_or(buffer)
}

/// The reading in which these channels are limited as declared, and no other one is.
pub fn limited(channels: &[String]) -> Reading {
    channels.iter().map(|channel| (channel.clone(), Room::Declared)).collect()
}
