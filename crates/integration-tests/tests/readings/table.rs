//! What is counted in the parts of a long run, and all of it together.

use std::collections::BTreeMap;
use std::fmt;
use std::fs::{OpenOptions, read_to_string};
use std::io::Write as _;
use std::path::Path;

use cfsm_core::digest::sha256;
use serde_json::{Value, json};

use super::random::{FAMILIES, program_text};

/// Programs of a long run, and how often each strategy has to act in these.
pub const LONG: u64 = 20_000;
const ACTING: usize = 200;

/// What is counted in a part, or in several that follow each other.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Table {
    /// The number of the first program.
    pub first: u64,
    /// How many programs there are.
    pub programs: usize,
    /// A digest of the generators that the programs are drawn by.
    pub drawn_by: String,
    /// What has been looked at.
    pub counts: Counts,
    /// In how many programs each strategy acts.
    pub acting: BTreeMap<String, usize>,
}

/// What has been looked at.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Counts {
    /// Programs that are read.
    pub read: usize,
    /// Programs with a claim that is refuted.
    pub wrong: usize,
    /// Readings that were explored.
    pub readings: usize,
    /// Bounds that are claimed.
    pub claims: usize,
    /// True maxima that were compared with those of all readings.
    pub maxima: usize,
    /// Witnesses that were executed.
    pub witnesses: usize,
    /// Of these, runs in which some channels have to be limited.
    pub limited: usize,
    /// Runs of Spin's verifier.
    pub spin: usize,
    /// Answers that the clock has cut short.
    pub cut_short: usize,
}

impl Counts {
    /// Each of them with its name.
    fn named(&mut self) -> [(&'static str, &mut usize); 9] {
        [
            ("read", &mut self.read),
            ("wrong", &mut self.wrong),
            ("readings", &mut self.readings),
            ("claims", &mut self.claims),
            ("maxima", &mut self.maxima),
            ("witnesses", &mut self.witnesses),
            ("limited", &mut self.limited),
            ("spin", &mut self.spin),
            ("cut_short", &mut self.cut_short),
        ]
    }
}

/// A digest of the first programs of all generators: another one where a generator has changed.
pub fn digest_of_the_generators() -> String {
    let texts: String = (0..4 * FAMILIES.len() as u64).map(program_text).collect();
    sha256(texts.as_bytes())
}

impl Table {
    /// Adds a line to a file.
    pub fn add_to(&self, file: &Path) {
        let mut counts = self.counts;
        let counts: BTreeMap<&str, usize> =
            counts.named().into_iter().map(|(name, count)| (name, *count)).collect();
        let line = json!({
            "first": self.first, "programs": self.programs, "drawn_by": self.drawn_by, "counts": counts, "acting": self.acting,
        });
        let mut file = OpenOptions::new().append(true).create(true).open(file).unwrap();
        writeln!(file, "{line}").unwrap();
    }

    fn of_line(line: &str) -> Self {
        let value: Value = serde_json::from_str(line).unwrap();
        let number = |value: &Value| usize::try_from(value.as_u64().unwrap()).unwrap();
        let mut counts = Counts::default();
        for (name, count) in counts.named() {
            *count = number(&value["counts"][name]);
        }
        let acting = value["acting"].as_object().unwrap().iter();
        Self {
            first: value["first"].as_u64().unwrap(),
            programs: number(&value["programs"]),
            drawn_by: value["drawn_by"].as_str().unwrap().to_owned(),
            counts,
            acting: acting.map(|(name, count)| (name.clone(), number(count))).collect(),
        }
    }

    /// The sum of all lines of a file, which are about programs that follow each other, in any
    /// order, drawn by the generators of today.
    pub fn sum_of(file: &Path) -> Self {
        let mut parts: Vec<Self> = read_to_string(file).unwrap().lines().map(Self::of_line).collect();
        parts.sort_by_key(|part| part.first);
        let mut parts = parts.into_iter();
        let sum = parts.next().unwrap();
        assert_eq!(sum.drawn_by, digest_of_the_generators(), "other programs");
        parts.fold(sum, Self::and)
    }

    fn and(mut self, mut next: Self) -> Self {
        assert_eq!(self.first + self.programs as u64, next.first, "a part is missing, or there twice");
        assert_eq!(self.drawn_by, next.drawn_by, "other programs");
        self.programs += next.programs;
        for ((_, sum), (_, more)) in self.counts.named().into_iter().zip(next.counts.named()) {
            *sum += *more;
        }
        for (name, more) in next.acting {
            *self.acting.entry(name).or_default() += more;
        }
        self
    }

    /// Fails unless nearly all programs are read and, in a long run, each strategy acts often
    /// enough.
    pub fn is_enough(&self) {
        assert!(10 * self.counts.read >= 9 * self.programs, "{} were read", self.counts.read);
        if self.programs as u64 >= LONG {
            let rare: Vec<_> = self.acting.iter().filter(|(_, count)| **count < ACTING).collect();
            assert!(rare.is_empty(), "these act too seldom: {rare:?}");
        }
    }
}

impl fmt::Display for Table {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Counts { read, wrong, readings, claims, maxima, witnesses, limited, spin, cut_short } =
            self.counts;
        writeln!(
            f,
            "{read} of {} programs from {} read, in {readings} readings; {claims} claims of bounds, {maxima} true maxima compared, {witnesses} witnesses executed ({limited} with limited channels), Spin asked {spin} times; {wrong} programs with contradictions, {cut_short} answers cut short",
            self.programs, self.first
        )?;
        self.acting.iter().try_for_each(|(name, count)| writeln!(f, "  {name} acts in {count}"))
    }
}

#[test]
fn parts_are_added_up() {
    let part = |first| Table {
        first,
        programs: 10,
        drawn_by: digest_of_the_generators(),
        counts: Counts { read: 9, claims: 4, ..Counts::default() },
        acting: BTreeMap::from([("order".to_owned(), 2)]),
    };
    let directory = tempfile::tempdir().unwrap();
    let file = directory.path().join("table.jsonl");
    part(10).add_to(&file);
    part(0).add_to(&file);
    let sum = Table::sum_of(&file);
    assert_eq!((sum.first, sum.programs, sum.acting["order"]), (0, 20, 4));
    assert_eq!(sum.counts, Counts { read: 18, claims: 8, ..Counts::default() });
}
