//! `freeboard draw`.

use std::path::PathBuf;

use clap::{Args, ValueEnum};
use freeboard::report::diagram::{self, Diagram};
use freeboard::report::view::network;

use super::arguments::Input;
use super::error::Error;
use super::input::{self, is_standard};
use super::{Status, output};

#[derive(Debug, Args)]
pub struct Arguments {
    #[command(flatten)]
    input: Input,
    /// Draw the state diagram of this process instead of the network of all
    #[arg(long, value_name = "NAME")]
    process: Option<String>,
    /// Format of the diagram
    #[arg(long, value_name = "FORMAT", default_value = "svg")]
    format: Notation,
    /// Write the diagram here; `-` is standard output
    #[arg(long, short, value_name = "PATH", default_value = "-")]
    output: PathBuf,
}

#[derive(Clone, Copy, Debug, ValueEnum)]
enum Notation {
    /// A picture, laid out
    Svg,
    /// Text for Graphviz
    Dot,
    /// Text for Mermaid, which Markdown pages show
    Mermaid,
}

pub fn run(arguments: &Arguments) -> Result<Status, Error> {
    input::without_assumptions(&arguments.input)?;
    let (_, system) = input::system(&arguments.input)?;
    let network = network(&system);
    let diagram = match &arguments.process {
        None => Diagram::of_network(&network, &[]),
        Some(name) => {
            let machine = network.machines.iter().find(|machine| machine.name == *name);
            let known = || network.machines.iter().map(|machine| machine.name.clone()).collect();
            machine
                .map(Diagram::of_machine)
                .ok_or_else(|| Error::NoProcess { name: name.clone(), known: known() })?
        }
    };
    let text = match arguments.format {
        Notation::Svg => diagram
            .document()
            .ok_or(Error::NotDrawn { nodes: diagram.nodes.len(), most: diagram::MOST_NODES })?,
        Notation::Dot => diagram.dot(),
        Notation::Mermaid => diagram.mermaid(),
    };
    if is_standard(&arguments.output) {
        output::data(&text)?;
    } else {
        output::file(&arguments.output, &text)?;
    }
    Ok(Status::Success)
}
