//! `freeboard explain`: what a diagnostic means, and what to do about it.

use clap::Args;
use freeboard::report::json;
use serde::Serialize;

use super::arguments::Format;
use super::error::Error;
use super::{Status, output};

#[derive(Debug, Args)]
pub struct Arguments {
    /// Code of the diagnostic, such as P0201
    code: String,
    /// How to print the explanation
    #[arg(long, default_value = "human")]
    format: Format,
}

/// The explanations of all diagnostics: a section for each code.
const EXPLANATIONS: &str = include_str!("explanations.md");

/// The explanation of a diagnostic.
#[derive(Debug, PartialEq, Eq, Serialize)]
struct Explanation {
    schema: &'static str,
    code: &'static str,
    /// The meaning, as the tables of the documentation have it.
    meaning: &'static str,
    /// The language of the example.
    language: Option<&'static str>,
    /// A text or a part of one that shows the diagnostic, if a short one does.
    example: Option<String>,
    /// Advice.
    advice: &'static str,
}

/// The sections: codes, with what stands below them.
fn sections() -> impl Iterator<Item = (&'static str, &'static str)> {
    EXPLANATIONS.split("\n# ").skip(1).filter_map(|section| section.split_once('\n'))
}

impl Explanation {
    fn new(wanted: &str) -> Option<Self> {
        let (code, text) = sections().find(|(code, _)| code.eq_ignore_ascii_case(wanted))?;
        let (meaning, rest) = text.split_once('\n')?;
        let (language, example, advice) = match rest.trim_start().strip_prefix("```") {
            None => (None, None, rest),
            Some(block) => {
                let (language, block) = block.split_once('\n')?;
                let (example, advice) = block.split_once("\n```\n")?;
                (Some(language), Some(format!("{example}\n")), advice)
            }
        };
        let schema = "freeboard.explain/1";
        Some(Self { schema, code, meaning, language, example, advice: advice.trim() })
    }

    fn told(&self) -> String {
        let example = self.example.iter().flat_map(|example| example.lines());
        let example: String = example.map(|line| format!("    {line}\n")).collect();
        let example = if example.is_empty() { example } else { format!("\nExample:\n\n{example}") };
        format!("{}: {}\n{example}\nWhat to do: {}\n", self.code, self.meaning, self.advice)
    }
}

pub fn run(arguments: &Arguments) -> Result<Status, Error> {
    let Some(explanation) = Explanation::new(&arguments.code) else {
        return Err(Error::NoCode { code: arguments.code.clone() });
    };
    match arguments.format {
        Format::Json => output::data(&json::render(&explanation))?,
        Format::Human => output::people(&explanation.told())?,
    }
    Ok(Status::Success)
}
