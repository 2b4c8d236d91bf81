//! Reading: files, standard input, and the model in them.

use std::io::{self, ErrorKind, Read};
use std::path::Path;

use freeboard::cfsm_core::system::System;
use freeboard::{Model, Options, certify, read_promela};

use super::arguments::{Input, Language};
use super::{error::Error, output};

/// A text and what to call it.
pub struct Text {
    pub name: String,
    pub text: String,
}

/// Reads a file, or standard input if the path is `-`.
pub fn read(path: &Path) -> Result<Text, Error> {
    let standard = is_standard(path);
    let name = if standard { "<stdin>".into() } else { path.display().to_string() };
    let bytes = if standard {
        let mut bytes = Vec::new();
        io::stdin().lock().read_to_end(&mut bytes).map(|_| bytes)
    } else {
        std::fs::read(path)
    };
    let bytes = bytes.map_err(|error| match error.kind() {
        ErrorKind::IsADirectory => Error::Directory { name: name.clone() },
        _ => Error::Read { name: name.clone(), error },
    })?;
    match String::from_utf8(bytes) {
        Ok(text) => Ok(Text { name, text }),
        Err(error) => Err(Error::Encoding { name, position: error.utf8_error().valid_up_to() }),
    }
}

/// Whether a path means standard input.
pub fn is_standard(path: &Path) -> bool {
    path == Path::new("-")
}

/// A text in a language that can be read.
pub enum Source {
    Promela(Text),
    /// A `freeboard.system/1` file, read.
    System(Text, System),
}

/// Reads a model's text and finds out its language.
pub fn open(input: &Input) -> Result<Source, Error> {
    let language = input.input.or_else(|| by_name(&input.file));
    if let Some(unread) = language.and_then(not_built) {
        return Err(Error::NotBuilt(unread.into()));
    }
    if !input.include.is_empty() {
        output::note("-I has no effect yet: files cannot be included");
    }
    let text = read(&input.file)?;
    match language.unwrap_or_else(|| by_content(&text.text)) {
        Language::Json => match certify::read_system(&text.text) {
            Ok(system) => Ok(Source::System(text, system)),
            Err(error) => Err(Error::File { name: text.name, error }),
        },
        _ => Ok(Source::Promela(text)),
    }
}

/// The abstract system of a model, with what the user calls it. Warnings go to standard error.
pub fn system(input: &Input) -> Result<(String, System), Error> {
    match open(input)? {
        Source::System(text, system) => Ok((text.name, system)),
        Source::Promela(text) => {
            let options = Options { parse: input.parse_options(), ..Options::default() };
            let model: Model = read_promela(&text.name, &text.text, &options)
                .map_err(|failure| Error::of_model(&text.name, failure))?;
            output::diagnostics(&model.warnings, &model.program.sources);
            Ok((text.name, model.abstraction.system))
        }
    }
}

fn not_built(language: Language) -> Option<&'static str> {
    match language {
        Language::Promela | Language::Json => None,
        Language::Fsa => Some("the input language fsa"),
        Language::Kmc => Some("the input language kmc"),
        Language::Scm => Some("the input language scm"),
    }
}

fn by_name(path: &Path) -> Option<Language> {
    match path.extension()?.to_str()?.to_ascii_lowercase().as_str() {
        "pml" | "prom" | "promela" | "spin" => Some(Language::Promela),
        "fsa" => Some(Language::Fsa),
        "kmc" => Some(Language::Kmc),
        "scm" => Some(Language::Scm),
        "json" => Some(Language::Json),
        _ => None,
    }
}

/// No Promela text begins with a brace.
fn by_content(text: &str) -> Language {
    if text.trim_start().starts_with('{') { Language::Json } else { Language::Promela }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn languages_are_told_by_name_then_by_content() {
        assert_eq!(by_name(Path::new("a/b.PML")), Some(Language::Promela));
        assert_eq!(by_name(Path::new("b.json")), Some(Language::Json));
        assert_eq!(by_name(Path::new("model")), None);
        assert_eq!(by_name(Path::new("-")), None);
        assert_eq!(by_content("\n { \"schema\""), Language::Json);
        assert_eq!(by_content(""), Language::Promela);
    }
}
