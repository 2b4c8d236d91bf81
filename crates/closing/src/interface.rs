//! Interfaces: the channels of a program that its environment uses.

use std::collections::BTreeSet;

use cfsm_core::program::{ChannelDeclaration, ChannelShape, Initializer, Program, Variable, VariableId};
use cfsm_core::suggest::closest;
use thiserror::Error;

use crate::messages::Field;
use crate::range::{FieldRange, RangeAssumption, RangeError};

/// The channels that the environment of a program uses: global declarations, with all elements of
/// an array.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Interface {
    /// The declarations, ids of [`Program::globals`].
    pub channels: BTreeSet<VariableId>,
    /// Assumptions on the values that the environment sends to these.
    pub ranges: Vec<FieldRange>,
}

/// A name that is none of an open channel.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum InterfaceError {
    /// There is no global channel of that name.
    #[error("there is no global channel `{name}` that the environment could use; {}", advice(known, closest.as_deref()))]
    Unknown {
        /// The name.
        name: String,
        /// The global channels that there are.
        known: Vec<String>,
        /// The one with the most similar name.
        closest: Option<String>,
    },
}

fn advice(known: &[String], closest: Option<&str>) -> String {
    match (closest, known) {
        (Some(closest), _) => format!("did you mean `{closest}`?"),
        (None, []) => "all channels are local: declare it outside of the processes".into(),
        (None, known) => format!("there are {}", known.join(", ")),
    }
}

impl Interface {
    /// The interface of these channels. `in[..]` is another way to write `in`, for an array.
    ///
    /// # Errors
    /// [`InterfaceError::Unknown`] if a name is not that of a global channel.
    pub fn named<'a>(
        program: &Program,
        names: impl IntoIterator<Item = &'a str>,
    ) -> Result<Self, InterfaceError> {
        let channels = names.into_iter().map(|name| find(program, name)).collect::<Result<_, _>>()?;
        Ok(Self { channels, ranges: Vec::new() })
    }

    /// The interface whose environment keeps to these ranges as well.
    ///
    /// # Errors
    /// If one is none of an open channel, or leaves no value.
    pub fn with_ranges<'a>(
        mut self,
        program: &Program,
        assumptions: impl IntoIterator<Item = &'a RangeAssumption>,
    ) -> Result<Self, RangeError> {
        for assumption in assumptions {
            let range = assumption.of(program, &self)?;
            let FieldRange { channel, field, .. } = range;
            self.ranges.push(range);
            let declaration = ChannelDeclaration { owner: None, variable: channel };
            let fields = program.channel_shape(declaration).map(|shape| self.fields(channel, shape));
            if fields.is_some_and(|fields| fields[field].is_empty(program)) {
                return Err(RangeError::Empty { text: assumption.text.clone() });
            }
        }
        Ok(self)
    }

    /// The fields of messages that the environment sends to a channel.
    pub(crate) fn fields(&self, channel: VariableId, shape: &ChannelShape) -> Vec<Field> {
        let mut fields: Vec<Field> = shape.fields.iter().map(|ty| Field::of_type(*ty)).collect();
        for range in self.ranges.iter().filter(|range| range.channel == channel) {
            fields[range.field].keep_to(range);
        }
        fields
    }

    /// Returns `true` if there is no open channel.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.channels.is_empty()
    }

    /// The names of the channels, in the order of their declarations.
    pub fn names<'p>(&self, program: &'p Program) -> impl Iterator<Item = &'p str> {
        self.channels.iter().map(|channel| program.globals[*channel].name.as_str())
    }
}

/// Returns `true` if a variable is declared with new channels.
fn is_channel(variable: &Variable) -> bool {
    matches!(variable.init, Initializer::NewChannel(_))
}

fn find(program: &Program, name: &str) -> Result<VariableId, InterfaceError> {
    let bare = name.strip_suffix("[..]").unwrap_or(name);
    let mut channels = program.globals.iter().filter(|(_, variable)| is_channel(variable));
    let found = channels.find(|(_, variable)| variable.name == bare).map(|(id, _)| id);
    found.ok_or_else(|| {
        let known = program.globals.values().filter(|variable| is_channel(variable));
        let known: Vec<String> = known.map(|variable| variable.name.clone()).collect();
        let before = bare.split('[').next().unwrap_or(bare);
        let whole = known.iter().find(|known| *known == before).cloned();
        let closest = whole.or_else(|| closest(bare, known.iter().map(String::as_str)).map(str::to_owned));
        InterfaceError::Unknown { name: name.to_owned(), known, closest }
    })
}
