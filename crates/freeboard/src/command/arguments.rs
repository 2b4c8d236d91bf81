//! Options that several subcommands share.

use std::path::PathBuf;
use std::str::FromStr;

use clap::{Args, ValueEnum};
use freeboard::explore::Buffers;
use freeboard::{
    AssumptionError, EnvironmentAssumption, OpenChannels, RangeAssumption, promela_front, umlrt_front,
};

/// How to print a result.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub enum Format {
    /// For people
    #[default]
    Human,
    /// For programs: one JSON object
    Json,
}

/// What language a file is written in.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Language {
    /// Promela
    Promela,
    /// Capsules (UML-RT) in ROOM, as eTrice has them, or in Art, as Code RealTime has them
    Room,
    /// Machines as lists of transitions, as chorgram and KMC write them
    Fsa,
    /// Local types, or lists of transitions, as KMC reads them
    Kmc,
    /// Machines with numbered channels, as McScM writes them
    Scm,
    /// A system in our own form, e.g. one that `check --system` has written
    Json,
}

/// A model, and how to read it.
#[derive(Debug, Args)]
pub struct Input {
    /// The model; `-` reads standard input
    pub file: PathBuf,
    /// Language of the model [default: by file name and content]
    #[arg(long, value_name = "LANGUAGE")]
    pub input: Option<Language>,
    /// Define a macro before the text begins; without a value it is 1
    #[arg(short = 'D', value_name = "NAME[=VALUE]", value_parser = definition)]
    pub defines: Vec<(String, Option<String>)>,
    /// Search included files here, after the directory of the file that includes them
    #[arg(short = 'I', value_name = "DIR")]
    pub include: Vec<PathBuf>,
    /// Do not define a macro that -D defines
    #[arg(short = 'U', value_name = "NAME")]
    pub undefines: Vec<String>,
    /// Of a model of capsules with several systems, the one to look at: a system, a subsystem class
    /// or an actor class
    #[arg(long, value_name = "NAME")]
    pub root: Option<String>,
    /// Channels that the environment uses: names with commas, or `auto` for those that are only
    /// sent to or only received from. Any message may come from there at any time, and a verdict is
    /// one for every environment
    #[arg(long, value_name = "CHANNELS")]
    pub open: Vec<OpenChannels>,
    /// An assumption. On the environment (--open): an inequality between numbers of
    /// messages so far, like `in - out <= 3` or `2*out >= in(req)`, or a range of values in a field
    /// of what it sends, like `in.1 in 0..9`. About a model of capsules:
    /// `queues-drain-between-timeouts`, so that a timer fires only when all queues of messages are
    /// empty
    #[arg(long, value_name = "ASSUMPTION")]
    pub assume: Vec<Assumption>,
    /// A Promela text whose processes are the environment of the model: they stand behind it
    #[arg(long, value_name = "FILE")]
    pub assume_model: Vec<PathBuf>,
}

/// An assumption about a model.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Assumption {
    /// A timer fires only when all queues of messages are empty.
    QueuesDrainBetweenTimeouts,
    /// The environment keeps to an inequality.
    Environment(EnvironmentAssumption),
    /// The environment keeps to a range of values.
    Range(RangeAssumption),
}

/// The word for an assumption about capsules.
const DRAINED: &str = "queues-drain-between-timeouts";

impl FromStr for Assumption {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        if text == DRAINED {
            return Ok(Self::QueuesDrainBetweenTimeouts);
        }
        if let Ok(range) = text.parse() {
            return Ok(Self::Range(range));
        }
        let inequality = text.parse().map(Self::Environment);
        inequality.map_err(|error: AssumptionError| format!("{error}; `{DRAINED}` is another"))
    }
}

impl Input {
    /// The options of the front end.
    pub fn parse_options(&self) -> promela_front::Options {
        promela_front::Options {
            defines: self.defines.clone(),
            undefines: self.undefines.clone(),
            includes: promela_front::Includes::Files(self.include.clone()),
            ..promela_front::Options::default()
        }
    }

    /// The channels that the environment uses, and the ranges of values that it keeps to.
    pub fn open_channels(&self) -> OpenChannels {
        let channels = self.open.iter().cloned().fold(OpenChannels::default(), OpenChannels::and);
        let range = |assumption: &Assumption| match assumption {
            Assumption::Range(range) => Some(range.clone()),
            _ => None,
        };
        let models = self.assume_model.iter().map(|file| file.display().to_string()).collect();
        OpenChannels { models, ranges: self.assume.iter().filter_map(range).collect(), ..channels }
    }

    /// The assumptions on the environment.
    pub fn environment_assumptions(&self) -> Vec<EnvironmentAssumption> {
        let inequality = |assumption: &Assumption| match assumption {
            Assumption::Environment(inequality) => Some(inequality.clone()),
            Assumption::QueuesDrainBetweenTimeouts | Assumption::Range(_) => None,
        };
        self.assume.iter().filter_map(inequality).collect()
    }

    /// The options of the front end for capsules.
    pub fn capsule_options(&self) -> umlrt_front::Options {
        umlrt_front::Options {
            imports: umlrt_front::Imports::Files(self.include.clone()),
            system: self.root.clone(),
            drained: self.assume.contains(&Assumption::QueuesDrainBetweenTimeouts),
            ..umlrt_front::Options::default()
        }
    }
}

/// How many messages channels hold: `declared`, `unbounded` or a number.
pub fn capacity(text: &str) -> Result<Buffers, String> {
    match text {
        "declared" => Ok(Buffers::Declared),
        "unbounded" => Ok(Buffers::Unbounded),
        number => number
            .parse()
            .map(Buffers::Size)
            .map_err(|_| String::from("expected `declared`, `unbounded` or a number of at least 1")),
    }
}

/// A file to be written. Standard output has the result, so `-` is none, and a file of that name is
/// hardly meant.
pub fn target(text: &str) -> Result<PathBuf, String> {
    match text {
        "-" => {
            Err("a file is written, and standard output has the result (`./-` is a file of that name)".into())
        }
        path => Ok(path.into()),
    }
}

fn definition(text: &str) -> Result<(String, Option<String>), String> {
    let (name, value) = match text.split_once('=') {
        Some((name, value)) => (name, Some(value.to_owned())),
        None => (text, None),
    };
    let starts = |c: char| c.is_ascii_alphabetic() || c == '_';
    let identifier = name.starts_with(starts) && name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_');
    if identifier { Ok((name.to_owned(), value)) } else { Err(format!("`{name}` is not a name")) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn capacities_are_words_or_numbers() {
        assert_eq!(capacity("declared"), Ok(Buffers::Declared));
        assert_eq!(capacity("unbounded"), Ok(Buffers::Unbounded));
        assert!(matches!(capacity("3"), Ok(Buffers::Size(size)) if size.get() == 3));
        assert!(["0", "-1", "many", ""].iter().all(|text| capacity(text).is_err()));
    }

    #[test]
    fn standard_output_is_no_file() {
        assert_eq!(target("a.cert"), Ok("a.cert".into()));
        assert_eq!(target("./-"), Ok("./-".into()));
        assert!(target("-").is_err());
    }

    #[test]
    fn definitions_have_a_name() {
        assert_eq!(definition("N"), Ok(("N".into(), None)));
        assert_eq!(definition("N=a=b"), Ok(("N".into(), Some("a=b".into()))));
        assert_eq!(definition("N="), Ok(("N".into(), Some(String::new()))));
        assert!(definition("=3").is_err() && definition("3").is_err() && definition("").is_err());
    }
}
