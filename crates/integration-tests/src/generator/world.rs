//! What there is in a program that is being written: types, variables, channels, process types.

use super::feature::Feature;

/// A type of numbers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Number {
    /// `byte`
    Byte,
    /// `bit`
    Bit,
    /// `bool`
    Bool,
    /// `short`
    Short,
    /// `int`
    Int,
    /// `pid`
    Pid,
    /// `unsigned`, so many bits
    Unsigned(usize),
}

impl Number {
    /// The feature that a variable of it is.
    pub(super) const fn feature(self) -> Feature {
        match self {
            Self::Byte => Feature::Byte,
            Self::Bit => Feature::Bit,
            Self::Bool => Feature::Bool,
            Self::Short => Feature::Short,
            Self::Int => Feature::Int,
            Self::Pid => Feature::Pid,
            Self::Unsigned(_) => Feature::Unsigned,
        }
    }

    /// The greatest value, or one that a program may well pass.
    pub(super) const fn greatest(self) -> i64 {
        match self {
            Self::Byte | Self::Pid => 255,
            Self::Bit | Self::Bool => 1,
            Self::Short => 32_767,
            Self::Int => 2_147_483_647,
            Self::Unsigned(bits) => (1 << bits) - 1,
        }
    }

    /// Whether its values are never negative.
    pub(super) const fn unsigned(self) -> bool {
        !matches!(self, Self::Short | Self::Int)
    }
}

/// What a variable is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    /// A number.
    Number(Number),
    /// A symbol of one of the sets.
    Symbol(usize),
    /// A channel for one kind of messages.
    Channel(usize),
    /// A record of one of the types.
    Record(usize),
}

/// A piece of the name of a place.
#[derive(Clone, Debug)]
pub(super) enum Part {
    /// Text as it stands.
    Text(String),
    /// An index into so many elements.
    Index(usize),
}

/// What may be done with a place.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Role {
    /// Anything.
    Plain,
    /// Counts up to a bound, which is not to be disturbed.
    Counter(usize),
    /// A channel made where it is declared, of this capacity.
    Queue(usize),
}

/// Something that has a name: a variable, an element, a field. Arrays as such are none.
#[derive(Clone, Debug)]
pub(super) struct Place {
    /// Its name.
    pub(super) parts: Vec<Part>,
    /// What it holds.
    pub(super) kind: Kind,
    /// What it is for.
    pub(super) role: Role,
}

impl Place {
    /// A variable with a plain name.
    pub(super) fn named(name: &str, kind: Kind, role: Role) -> Self {
        Self { parts: vec![Part::Text(name.to_owned())], kind, role }
    }

    /// The name, if there is no index in it.
    pub(super) fn plain_name(&self) -> Option<&str> {
        match self.parts.as_slice() {
            [Part::Text(name)] => Some(name),
            _ => None,
        }
    }

    /// The name and the length, if it stands for the elements of an array with a plain name.
    pub(super) fn array(&self) -> Option<(&str, usize)> {
        match self.parts.as_slice() {
            [Part::Text(name), Part::Index(length)] => Some((name, *length)),
            _ => None,
        }
    }

    /// The type, if it is a number.
    pub(super) const fn number(&self) -> Option<Number> {
        match self.kind {
            Kind::Number(number) => Some(number),
            _ => None,
        }
    }
}

/// A variable as it is declared: of a program, of a process type, or of a record.
#[derive(Clone, Debug)]
pub(super) struct Declared {
    /// Its name.
    pub(super) name: String,
    /// What it holds.
    pub(super) kind: Kind,
    /// The length, if it is an array.
    pub(super) length: Option<usize>,
    /// What it is for.
    pub(super) role: Role,
}

/// A type of records.
#[derive(Clone, Debug)]
pub(super) struct Record {
    /// Its fields.
    pub(super) fields: Vec<Declared>,
    /// Whether messages may carry it: it has no arrays, and no channels of its own.
    pub(super) mobile: bool,
}

/// A kind of messages: what their fields are.
#[derive(Clone, Debug)]
pub(super) struct Signature {
    /// The fields as declared, records among them.
    pub(super) fields: Vec<Kind>,
}

/// How the instances of a type come into being.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Start {
    /// So many at the start.
    Active(usize),
    /// Somebody creates them.
    Created,
}

/// What others know of a process type.
#[derive(Clone, Debug)]
pub(super) struct Header {
    /// Its name.
    pub(super) name: String,
    /// How it starts.
    pub(super) start: Start,
    /// Its parameters.
    pub(super) parameters: Vec<Declared>,
    /// Whether it creates itself; its first parameter says how often.
    pub(super) recursive: bool,
    /// The number of its first instance, if it is there at the start.
    pub(super) pid: Option<usize>,
    /// Labels that others may ask for.
    pub(super) labels: Vec<String>,
    /// Local numbers that others may read.
    pub(super) readable: Vec<String>,
}

/// An inline.
#[derive(Clone, Debug)]
pub(super) struct Inline {
    /// Its name.
    pub(super) name: String,
    /// Whether it gives a value.
    pub(super) returns: bool,
}

/// What is known outside all processes.
#[derive(Clone, Debug, Default)]
pub(super) struct World {
    /// Sets of symbols; the first has no name.
    pub(super) sets: Vec<Vec<String>>,
    /// Types of records.
    pub(super) records: Vec<Record>,
    /// Kinds of messages.
    pub(super) signatures: Vec<Signature>,
    /// Global places.
    pub(super) globals: Vec<Place>,
    /// Process types.
    pub(super) headers: Vec<Header>,
    /// Inlines.
    pub(super) inlines: Vec<Inline>,
    /// Names of the macros that there are.
    pub(super) macros: Vec<&'static str>,
    /// Whether priorities are used.
    pub(super) priorities: bool,
    /// Whether a channel has capacity 0.
    pub(super) rendezvous: bool,
}

impl World {
    /// All that can be named because of a declaration.
    pub(super) fn places(&self, declared: &Declared) -> Vec<Place> {
        let mut places = Vec::new();
        self.add_places(Vec::new(), declared, &mut places);
        places
    }

    fn add_places(&self, mut parts: Vec<Part>, declared: &Declared, places: &mut Vec<Place>) {
        parts.push(Part::Text(declared.name.clone()));
        parts.extend(declared.length.map(Part::Index));
        if let Kind::Record(record) = declared.kind {
            for field in &self.records[record].fields {
                let mut parts = parts.clone();
                parts.push(Part::Text(".".to_owned()));
                self.add_places(parts, field, places);
            }
        }
        places.push(Place { parts: joined(parts), kind: declared.kind, role: declared.role });
    }

    /// The fields of a kind of messages one scalar at a time.
    pub(super) fn flat(&self, signature: usize) -> Vec<Kind> {
        let mut flat = Vec::new();
        for kind in &self.signatures[signature].fields {
            self.add_flat(*kind, &mut flat);
        }
        flat
    }

    /// A kind one scalar at a time.
    pub(super) fn add_flat(&self, kind: Kind, flat: &mut Vec<Kind>) {
        match kind {
            Kind::Record(record) => {
                self.records[record].fields.iter().for_each(|field| self.add_flat(field.kind, flat));
            }
            scalar => flat.push(scalar),
        }
    }
}

/// Texts that stand side by side as one.
fn joined(parts: Vec<Part>) -> Vec<Part> {
    let mut all: Vec<Part> = Vec::new();
    for part in parts {
        match (all.last_mut(), part) {
            (Some(Part::Text(before)), Part::Text(text)) => before.push_str(&text),
            (_, part) => all.push(part),
        }
    }
    all
}
