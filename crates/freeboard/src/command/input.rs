//! Reading: files, standard input, and the model in them.

use std::io::{self, ErrorKind, Read};
use std::path::{Path, PathBuf};

use freeboard::cfsm_core::formats::codes::UNKNOWN_PEER;
use freeboard::cfsm_core::formats::{self, Format, Reading};
use freeboard::cfsm_core::program::Program;
use freeboard::cfsm_core::source::Sources;
use freeboard::cfsm_core::system::System;
use freeboard::promela_front::{Diagnostic, Likeness};
use freeboard::{
    Model, OpenError, OpenMachines, Options, claims, promela_front, read_open_program, read_promela,
    read_room, umlrt_front,
};

use super::arguments::{Input, Language};
use super::{error::Error, output};

/// A text and what to call it.
pub struct Text {
    pub name: String,
    pub text: String,
}

/// Reads a file in UTF-8, or standard input if the path is `-`; without its byte order mark, if it
/// has one.
pub fn read(path: &Path) -> Result<Text, Error> {
    let Text { name, text } = utf8(name_of(path), bytes_of(path)?)?;
    let text = text.strip_prefix('\u{feff}').map(str::to_owned).unwrap_or(text);
    Ok(Text { name, text })
}

fn utf8(name: String, bytes: Vec<u8>) -> Result<Text, Error> {
    match String::from_utf8(bytes) {
        Ok(text) => Ok(Text { name, text }),
        Err(error) => Err(Error::Encoding { name, position: error.utf8_error().valid_up_to() }),
    }
}

/// What a file is called.
fn name_of(path: &Path) -> String {
    if is_standard(path) { "<stdin>".into() } else { path.display().to_string() }
}

fn bytes_of(path: &Path) -> Result<Vec<u8>, Error> {
    let bytes = all_bytes_of(path)?;
    // A message about a place in it would show what is no text.
    match bytes.iter().position(|&byte| byte == 0) {
        None => Ok(bytes),
        Some(position) => Err(Error::Binary { name: name_of(path), position }),
    }
}

fn all_bytes_of(path: &Path) -> Result<Vec<u8>, Error> {
    let bytes = if is_standard(path) {
        let mut bytes = Vec::new();
        io::stdin().lock().read_to_end(&mut bytes).map(|_| bytes)
    } else {
        std::fs::read(path)
    };
    bytes.map_err(|error| match error.kind() {
        ErrorKind::IsADirectory => Error::Directory { name: name_of(path) },
        _ => Error::Read { name: name_of(path), error },
    })
}

/// Whether a path means standard input.
pub fn is_standard(path: &Path) -> bool {
    path == Path::new("-")
}

/// A text in a language that can be read.
#[expect(clippy::large_enum_variant, reason = "there is one in a call")]
pub enum Source {
    Promela(Text),
    Room(Text),
    /// Machines in some format.
    Machines(Machines),
}

/// Machines that have been read.
pub struct Machines {
    pub name: String,
    /// The system, with the environment if some channels are open.
    pub system: System,
    pub open: Option<OpenMachines>,
    /// Warnings about them.
    pub diagnostics: Vec<Diagnostic>,
    /// Their texts.
    pub sources: Sources,
}

/// The same with all that there is to say about the machines.
pub enum Found {
    Promela(Text),
    Room(Text),
    Machines(Text, Box<Reading>),
}

/// Reads a model's text and finds out its language. Warnings about machines go to standard error.
pub fn open(input: &Input) -> Result<Source, Error> {
    let found = find(input)?;
    let (channels, assumptions) = (input.open_channels(), input.environment_assumptions());
    let has_environment = !channels.is_empty() || !assumptions.is_empty() || !channels.ranges.is_empty();
    if has_environment && matches!(found, Found::Room(_)) {
        return Err(Error::Usage(
            "--open, and --assume about an environment, are for Promela models and machines only",
        ));
    }
    if !channels.ranges.is_empty() && matches!(found, Found::Machines(..)) {
        return Err(Error::Usage(
            "--assume with a range of values is for Promela models only: machines have no data",
        ));
    }
    let (text, reading) = match found {
        Found::Promela(text) => return Ok(Source::Promela(text)),
        Found::Room(text) => return Ok(Source::Room(text)),
        Found::Machines(text, reading) => (text, *reading),
    };
    let Reading { system, diagnostics, sources } = reading;
    let Some(system) = system else { return Err(Error::Diagnostics { diagnostics, sources }) };
    let diagnostics: Vec<_> =
        diagnostics.into_iter().filter(|found| !has_environment || found.code != UNKNOWN_PEER).collect();
    output::diagnostics(&diagnostics, &sources);
    let name = text.name;
    if !has_environment {
        return Ok(Source::Machines(Machines { name, system, open: None, diagnostics, sources }));
    }
    let of_machines = |error: OpenError| Error::of_model(&name, error.into());
    let open = OpenMachines::new(&system, &channels).map_err(of_machines)?;
    let system = open.closed(&assumptions).map_err(|error| of_machines(error.into()))?;
    Ok(Source::Machines(Machines { name, system, open: Some(open), diagnostics, sources }))
}

/// Reads a model's text, finds out its language, and says nothing.
pub fn find(input: &Input) -> Result<Found, Error> {
    let (name, bytes) = (name_of(&input.file), bytes_of(&input.file)?);
    let known = input.input.or_else(|| by_name(&input.file));
    let language = match known {
        Some(language) => Some(language),
        None => match by_content(&input.file, &bytes) {
            Content::Language(language) => Some(language),
            Content::Machines => None,
            Content::Unknown => return Err(Error::NoModel { name }),
        },
    };
    if language == Some(Language::Promela) {
        let text = promela_front::decode(bytes);
        if let Some(other) = known.is_none().then(|| machines(&text)).flatten() {
            output::note(&format!("{name} is read as Promela, but looks like machines: try --input {other}"));
        }
        return Ok(Found::Promela(Text { name, text: text + &includes(&input.assume_model)? }));
    }
    if !input.assume_model.is_empty() {
        return Err(Error::Usage("--assume-model is for Promela models only"));
    }
    if language == Some(Language::Room) {
        let text = umlrt_front::decode(bytes);
        if !umlrt_front::is_model(&text) && promela_front::likeness(&text) == Likeness::Start {
            output::note(&format!("{name} looks like Promela: try --input promela"));
        }
        return Ok(Found::Room(Text { name, text }));
    }
    let text = utf8(name, bytes)?;
    let format = match language {
        Some(Language::Json) => Format::Json,
        Some(Language::Fsa) => Format::Fsa,
        Some(Language::Scm) => Format::Scm,
        // KMC reads two formats, both from files of any name.
        _ => Format::of_text(&text.text),
    };
    let mut reading = formats::read(format, &text.name, &text.text);
    if reading.system.is_none() && promela_front::likeness(&text.text) == Likeness::Start {
        output::note(&format!("{} looks like Promela: try --input promela", text.name));
    }
    // A system file has the digests of the texts that it was made from itself.
    if let Some(system) = reading.system.as_mut().filter(|_| format != Format::Json) {
        system.source = reading.sources.digests();
    }
    Ok(Found::Machines(text, Box::new(reading)))
}

/// The abstract system of a model, with what the user calls it. Warnings go to standard error.
pub fn system(input: &Input) -> Result<(String, System), Error> {
    match open(input)? {
        Source::Machines(Machines { name, system, .. }) => Ok((name, system)),
        Source::Promela(text) => {
            let open = input.open_channels();
            let options = Options { parse: input.parse_options(), open, ..Options::default() };
            let model: Model = read_promela(&text.name, &text.text, &options)
                .map_err(|failure| Error::of_model(&text.name, failure))?;
            output::diagnostics(&model.warnings, &model.program.sources);
            Ok((text.name, model.abstraction.system))
        }
        Source::Room(text) => {
            let model: Model =
                read_room(&text.name, &text.text, &input.capsule_options(), &Options::default())
                    .map_err(|failure| Error::of_model(&text.name, failure))?;
            output::diagnostics(&model.warnings, &model.program.sources);
            Ok((text.name, model.abstraction.system))
        }
    }
}

/// Refuses assumptions on the environment, which only `check` knows what to do with.
///
/// # Errors
/// If there are some.
pub fn without_assumptions(input: &Input) -> Result<(), Error> {
    if input.environment_assumptions().is_empty() {
        return Ok(());
    }
    Err(Error::Usage("--assume about an environment is for `check` only: nothing else keeps to it"))
}

/// The program of a model or a system that is to be run, with what the user calls it. Warnings go
/// to standard error, and a note if there are claims, which runs are not held against.
pub fn program(input: &Input) -> Result<(String, Program), Error> {
    program_of(open(input)?, input)
}

/// The same of a model that was read.
pub fn program_of(source: Source, input: &Input) -> Result<(String, Program), Error> {
    match source {
        Source::Machines(Machines { name, system, .. }) => match system.to_program() {
            Ok(translation) => Ok((name, translation.program)),
            Err(reason) => Err(Error::of_model(&name, reason.into())),
        },
        Source::Promela(text) => {
            let (parse, open) = (input.parse_options(), input.open_channels());
            let (program, warnings) = read_open_program(&text.name, &text.text, &parse, &open)
                .map_err(|failure| Error::of_model(&text.name, failure))?;
            output::diagnostics(&warnings, &program.sources);
            for claim in claims(&program) {
                output::note(&format!(
                    "the claim `{claim}` is ignored: runs are those of the processes alone"
                ));
            }
            Ok((text.name, program))
        }
        Source::Room(text) => {
            let read = umlrt_front::parse(&text.name, &text.text, &input.capsule_options());
            let (diagnostics, sources) = (read.diagnostics, read.sources);
            let Some(lowered) = read.lowered else { return Err(Error::Diagnostics { diagnostics, sources }) };
            output::diagnostics(&diagnostics, &sources);
            Ok((text.name, lowered.program))
        }
    }
}

/// Lines that include files behind a text.
fn includes(files: &[PathBuf]) -> Result<String, Error> {
    let line = |file: &PathBuf| {
        let path = file.canonicalize();
        let path = path.map_err(|error| Error::Read { name: name_of(file), error })?;
        Ok(format!("\n#include \"{}\"\n", path.display()))
    };
    files.iter().map(line).collect()
}

/// `true` if the name of a file says that it is a model, and of no other kind of file.
pub fn is_model_by_name(path: &Path) -> bool {
    by_name(path).is_some_and(|language| language != Language::Json)
        && path.extension().is_some_and(|ending| !ending.eq_ignore_ascii_case("etmap"))
}

/// The language that the name of a file says.
pub fn by_name(path: &Path) -> Option<Language> {
    match path.extension()?.to_str()?.to_ascii_lowercase().as_str() {
        "pml" | "prom" | "promela" | "spin" => Some(Language::Promela),
        "room" | "etmap" | "art" => Some(Language::Room),
        _ => match Format::of_path(path)? {
            Format::Fsa => Some(Language::Fsa),
            Format::LocalTypes => Some(Language::Kmc),
            Format::Scm => Some(Language::Scm),
            Format::Json => Some(Language::Json),
            _ => None,
        },
    }
}

/// What a text may be that begins as no Promela text does: the value of `--input`. Only the
/// beginning is looked at.
fn machines(text: &str) -> Option<&'static str> {
    let line = text.lines().map(str::trim).find(|line| !line.is_empty() && !line.starts_with("--"))?;
    match Format::of_text(line) {
        Format::Fsa if line.starts_with('.') => Some("fsa"),
        Format::Scm => Some("scm"),
        // `P: rec x . Q!ask; x`; in Promela only `mtype` can have a colon behind it.
        Format::LocalTypes => {
            let (name, _) = line.split_once(':')?;
            (name != "mtype" && name.chars().all(char::is_alphanumeric)).then_some("kmc")
        }
        _ => None,
    }
}

/// What is in a file whose name does not say it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Content {
    /// A text in this language.
    Language(Language),
    /// Machines in the format that the text looks like.
    Machines,
    /// Something that begins as no model does.
    Unknown,
}

/// What is in a file whose name does not say it. No Promela text begins with a brace. Where nothing
/// is known but that somebody takes a text for a model, it is Promela, which most models are.
pub fn by_content(path: &Path, bytes: &[u8]) -> Content {
    let text = promela_front::decode(bytes.to_vec());
    let may_be_machines = Format::is_by_content(path);
    let looks_like_promela = match promela_front::likeness(&text) {
        Likeness::Start => true,
        // The name of a text that explains models ends in something of its own.
        Likeness::Inside => (may_be_machines || path.extension().is_none()) && machines(&text).is_none(),
        Likeness::None => false,
    };
    match text.trim_start() {
        text if umlrt_front::is_model(text) => Content::Language(Language::Room),
        _ if looks_like_promela => Content::Language(Language::Promela),
        _ if may_be_machines => Content::Machines,
        text if text.starts_with('{') => Content::Language(Language::Json),
        text if text.is_empty() || is_standard(path) || machines(text).is_some() => {
            Content::Language(Language::Promela)
        }
        _ => Content::Unknown,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn languages_are_told_by_name_then_by_content() {
        assert_eq!(by_name(Path::new("a/b.PML")), Some(Language::Promela));
        assert_eq!(by_name(Path::new("b.room")), Some(Language::Room));
        assert_eq!(by_name(Path::new("b.json")), Some(Language::Json));
        assert_eq!(by_name(Path::new("b.fsm")), Some(Language::Fsa));
        assert_eq!(by_name(Path::new("b.kmc")), Some(Language::Kmc));
        assert_eq!(by_name(Path::new("b.art")), Some(Language::Room));
        assert_eq!(by_name(Path::new("model")), None);
        for text in ["RoomModel M {", "// An alarm.\nprotocol P {", "capsule C : B {", "[[rt::decl]] ``"] {
            let found = by_content(Path::new("-"), text.as_bytes());
            assert_eq!(found, Content::Language(Language::Room), "{text}");
        }
        assert_eq!(by_name(Path::new("-")), None);
    }

    #[test]
    fn what_a_name_does_not_say_the_content_does() {
        let promela = Content::Language(Language::Promela);
        let json = Content::Language(Language::Json);
        for (name, text, expected) in [
            ("model", "\n { \"schema\"", json),
            ("model", "\u{feff}{ \"schema\"", json),
            ("-", "", promela),
            ("-", "nothing known", promela),
            ("model", "", promela),
            ("model", "#define N 3", promela),
            ("model", "A model\ninit { skip }", promela),
            ("model", ".outputs A\n.state graph\n", promela),
            ("model", "nothing known", Content::Unknown),
            ("model.txt", "mtype = { a }", promela),
            ("model.TXT", "A model\ninit { skip }", promela),
            ("model.txt", "C: rec x . S!ask; x\n", Content::Machines),
            ("model.txt", "C: rec x .\nchan c; x\n", Content::Machines),
            ("model.txt", "{ \"schema\"", Content::Machines),
            ("model.txt", "nothing known", Content::Machines),
            ("model.old", "proctype P() { skip }", promela),
            ("README.md", "A model\n\ninit { skip }", Content::Unknown),
            ("Cargo.toml", "[package]\nname = \"chan\"", Content::Unknown),
        ] {
            assert_eq!(by_content(Path::new(name), text.as_bytes()), expected, "{name}: {text}");
        }
    }

    #[test]
    fn machines_are_told_from_promela() {
        for (text, expected) in [
            ("\n.outputs A\n.state graph\n", Some("fsa")),
            ("scm ping :\nnb_channels = 1 ;\n", Some("scm")),
            ("-- two of them\nC: rec x . S!ask; x\n", Some("kmc")),
            ("active proctype P() { end: skip }", None),
            ("mtype:colour = { red }", None),
            ("#define A\nbyte x : 3", None),
            ("/* a: b */ init { skip }", None),
            ("", None),
        ] {
            assert_eq!(machines(text), expected, "{text}");
        }
    }
}
