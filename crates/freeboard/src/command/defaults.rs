//! Defaults of options from a file `freeboard.toml`.

use std::ffi::OsString;
use std::path::{Path, PathBuf};

use clap::Command;
use toml::de::{DeTable, DeValue};

use super::error::Error;
use super::output;

/// The name of the file.
const NAME: &str = "freeboard.toml";

/// The flag that does without it.
pub const WITHOUT: &str = "no-defaults";

/// The words of a command line with the defaults of the next `freeboard.toml` in the working
/// directory or above it. An option that the words have replaces its default.
pub fn added(words: Vec<OsString>, command: &Command) -> Result<Vec<OsString>, Error> {
    let has = |name: &str| words.iter().any(|word| is_option(word, name));
    let subcommand = words.iter().skip(1).position(|word| !word.to_string_lossy().starts_with('-'));
    let Some(place) = subcommand.map(|position| position + 1).filter(|_| !has(WITHOUT)) else {
        return Ok(words);
    };
    let Some(path) = std::env::current_dir().ok().and_then(|directory| find(&directory)) else {
        return Ok(words);
    };
    let read = |error| Error::Read { name: path.display().to_string(), error };
    let text = std::fs::read_to_string(&path).map_err(read)?;
    let refused = |reason: String| Error::Defaults { name: path.display().to_string(), reason };
    let table = DeTable::parse(&text).map_err(|error| refused(error.to_string()))?.into_inner();
    let known = |name: &str| command.find_subcommand(name).is_some();
    if let Some(unknown) = table.keys().find(|name| !known(name.get_ref())) {
        return Err(refused(format!("there is no subcommand `{}`", unknown.get_ref())));
    }
    let name = words[place].to_string_lossy().into_owned();
    let (Some(options), Some(subcommand)) = (table.get(name.as_str()), command.find_subcommand(&name)) else {
        return Ok(words);
    };
    let options =
        options.get_ref().as_table().ok_or_else(|| refused(format!("`{name}` is no table of options")))?;
    let mut added = Vec::new();
    for (option, value) in options {
        let (option, value) = (option.get_ref().as_ref(), value.get_ref());
        if !subcommand.get_arguments().any(|known| known.get_long() == Some(option)) {
            return Err(refused(format!("`{name}` has no option --{option}")));
        }
        if !has(option) {
            added.extend(option_words(option, value).map_err(refused)?);
        }
    }
    if !added.is_empty() {
        output::note(&format!("with {} of {}", shown(&added), path.display()));
    }
    let mut words = words;
    words.splice(place + 1..place + 1, added);
    Ok(words)
}

/// The file in a directory or in the nearest one above it.
fn find(directory: &Path) -> Option<PathBuf> {
    directory.ancestors().map(|above| above.join(NAME)).find(|path| path.is_file())
}

/// `true` for `--name` and `--name=value`.
fn is_option(word: &OsString, name: &str) -> bool {
    let word = word.to_string_lossy();
    let rest = word.strip_prefix("--").and_then(|word| word.strip_prefix(name));
    rest.is_some_and(|rest| rest.is_empty() || rest.starts_with('='))
}

/// The words for an option with a value; none for a flag that is not set.
fn option_words(option: &str, value: &DeValue<'_>) -> Result<Vec<OsString>, String> {
    let with = |value: &str| Ok(vec![OsString::from(format!("--{option}={value}"))]);
    match value {
        DeValue::Boolean(true) => Ok(vec![format!("--{option}").into()]),
        DeValue::Boolean(false) => Ok(Vec::new()),
        DeValue::String(text) => with(text),
        DeValue::Integer(number) if number.radix() == 10 => with(number.as_str()),
        DeValue::Float(number) => with(number.as_str()),
        DeValue::Array(all) => {
            let words: Result<Vec<_>, _> =
                all.iter().map(|value| option_words(option, value.get_ref())).collect();
            Ok(words?.concat())
        }
        _ => Err(format!("`{option}` is neither a text, a number, a flag nor a list of them")),
    }
}

fn shown(words: &[OsString]) -> String {
    words.iter().map(|word| word.to_string_lossy().into_owned()).collect::<Vec<_>>().join(" ")
}
