//! Options that several subcommands share.

use std::path::PathBuf;
use std::str::FromStr;
use std::time::Duration;

use bytesize::ByteSize;
use clap::{Args, ValueEnum};
use freeboard::explore::Buffers;
use freeboard::report::text::{ShownRuns, Style};
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

/// Format of the result of a check.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub enum ReportFormat {
    /// For people
    #[default]
    Human,
    /// For programs: one JSON object
    Json,
    /// For code scanning: SARIF 2.1.0
    Sarif,
    /// For build servers: JUnit XML
    Junit,
}

/// Options for runs that people read.
#[derive(Clone, Copy, Debug, Args)]
pub struct RunOptions {
    /// The runs that are shown step by step: `all`, or the number of one [default: the first one
    /// and short ones]
    #[arg(long, value_name = "N|all", value_parser = shown_runs)]
    run: Option<ShownRuns>,
    /// Show only some statements of runs
    #[arg(long)]
    only: Option<Only>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Only {
    /// Those that send, receive, or create or end a process
    Messages,
}

impl RunOptions {
    /// A style with these options.
    pub fn of(self, style: Style) -> Style {
        Style { runs: self.run.unwrap_or_default(), only_messages: self.only.is_some(), ..style }
    }
}

fn shown_runs(text: &str) -> Result<ShownRuns, String> {
    match text {
        "all" => Ok(ShownRuns::All),
        number => match number.parse() {
            Ok(number @ 1..) => Ok(ShownRuns::Number(number)),
            _ => Err("expected `all` or a number of at least 1".into()),
        },
    }
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
#[derive(Clone, Debug, Args)]
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

/// A duration such as `30s` or `2m`; a plain number is one of seconds.
pub fn duration(text: &str) -> Result<Duration, String> {
    match text.parse::<f64>() {
        Ok(seconds) => Duration::try_from_secs_f64(seconds).map_err(|error| error.to_string()),
        Err(_) => humantime::parse_duration(text).map_err(|error| error.to_string()),
    }
}

/// A size of memory, as `500MB`, `2GiB` or a number of bytes.
pub fn size(text: &str) -> Result<ByteSize, String> {
    match count(text) {
        Ok(bytes) => Ok(ByteSize::b(bytes as u64)),
        Err(_) => text.parse(),
    }
}

/// A number without fraction, as `400000`, `400_000` or `4e5`.
pub fn count(text: &str) -> Result<usize, String> {
    let refused = || format!("`{text}` is no number without fraction that can be counted to");
    let digits = text.replace('_', "");
    let (digits, exponent) = match digits.split_once(['e', 'E']) {
        Some((digits, exponent)) => (digits, exponent.parse::<u32>().map_err(|_| refused())?),
        None => (digits.as_str(), 0),
    };
    let (whole, fraction) = digits.split_once('.').unwrap_or((digits, ""));
    let fraction = fraction.trim_end_matches('0');
    let decimals = u32::try_from(fraction.len()).map_err(|_| refused())?;
    let number: usize = format!("{whole}{fraction}").parse().map_err(|_| refused())?;
    let factor = exponent.checked_sub(decimals).and_then(|zeros| 10_usize.checked_pow(zeros));
    factor.and_then(|factor| number.checked_mul(factor)).ok_or_else(refused)
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
    fn numbers_may_have_an_exponent() {
        for (text, number) in
            [("0", 0), ("400_000", 400_000), ("1e6", 1_000_000), ("2.50e2", 250), ("7.0", 7)]
        {
            assert_eq!(count(text), Ok(number), "{text}");
        }
        for text in ["", "e", "-1", "1.5", "1e-1", "1e99", "many", "1.2.3", "+"] {
            assert!(count(text).is_err(), "{text}");
        }
    }

    #[test]
    fn a_plain_number_is_one_of_seconds() {
        assert_eq!(duration("30"), Ok(Duration::from_secs(30)));
        assert_eq!(duration("0.5"), Ok(Duration::from_millis(500)));
        assert_eq!(duration("2m"), Ok(Duration::from_secs(120)));
        assert!(["-1", "nan", "soon", "1e300"].iter().all(|text| duration(text).is_err()));
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
