//! Random programs, each queue of which has its own capacity: what each strategy alone and all of
//! them together say of a buffer is held against runs in which other channels are limited as
//! declared, a little roomier, or unlimited, in any combination.
//!
//! `FREEBOARD_LONG=1` looks at 20 000 programs, in which every strategy acts at least 200 times. A
//! long run can be done in parts: `FREEBOARD_READINGS_FIRST` is the number of the first program,
//! `FREEBOARD_READINGS_CASES` how many there are, and `FREEBOARD_READINGS_TABLE` a file to which
//! each part adds a line with what it has counted. The test `parts_of_a_long_run_add_up` adds up
//! the lines of such a file.

use std::collections::BTreeSet;
use std::fmt::Write as _;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::PathBuf;

use cfsm_core::program::Program;
use cfsm_core::splitmix::SplitMix;
use explore::{Buffers, QueueOrigin};
use integration_tests::agreement_programs::agreement_program;
use integration_tests::aside_programs::aside_program;
use integration_tests::capacity_programs::{capacity_program, with_unequal_capacities};
use integration_tests::comparison::exploration::two_at_a_time;
use integration_tests::counter_programs::counter_program;
use integration_tests::data_programs::data_program;
use integration_tests::desk_programs::desk_program;
use integration_tests::difference_programs::difference_program;
use integration_tests::gate_programs::gate_program;
use integration_tests::generator::{Profile, sample};
use integration_tests::idle_programs::idle_program;
use integration_tests::lengths::lengths;
use integration_tests::office_programs::office_program;
use integration_tests::pair_programs::pair_program;
use integration_tests::readings::{
    Reading, Room, all_readings, capacities_of, described, is_asked_about, text_in_reading,
};
use integration_tests::record_programs::record_program;
use integration_tests::round_programs::round_program;
use integration_tests::slot_programs::slot_program;
use integration_tests::spill_programs::spill_program;
use integration_tests::spin::is_here;
use integration_tests::table_programs::table_program;
use integration_tests::window_programs::window_program;
use integration_tests::{given, say, short_or_long};
use refine::Correspondence as _;
use report::view::{Buffer, BufferVerdict};

use super::asked::{Acting, Found, Means, acting_on_livelocks, all_means, ask, number, read};
use super::runs::{Seen, explored, replayed};
use super::table::{Counts, LONG, Table, digest_of_the_generators};

/// Programs of a short run.
const SHORT: u64 = 60;
/// States that are looked at in each reading.
const STATES: usize = 1_500;
/// Channels of which all combinations are looked at.
const FEW_CHANNELS: usize = 3;
/// Readings that are drawn besides.
const DRAWN: usize = 3;
/// One program in so many is given to Spin, one in so many is asked for livelocks, and runs of one
/// in so many are searched further: numbers without a common factor with that of the families, so
/// that all of these are.
const FOR_SPIN: u64 = 42;
const FOR_LIVELOCKS: u64 = 8;
const FURTHER: u64 = 4;
/// Megabytes of a verifier.
const MEMORY: u32 = 64;

/// The generators, in turns. For each strategy there is one in whose programs it often decides.
pub(super) const FAMILIES: [fn(u64) -> String; 25] = [
    capacity_program,
    round_program,
    data_program,
    desk_program,
    gate_program,
    agreement_program,
    counter_program,
    office_program,
    capacity_program,
    pair_program,
    round_program,
    window_program,
    capacity_program,
    difference_program,
    agreement_program,
    desk_program,
    spill_program,
    slot_program,
    gate_program,
    table_program,
    record_program,
    office_program,
    aside_program,
    of_the_whole_language_or_idle,
    window_program,
];

fn of_the_whole_language_or_idle(seed: u64) -> String {
    if seed.is_multiple_of(2) { sample(&Profile::small(), seed).text } else { idle_program(seed) }
}

/// The program that a number stands for.
pub(super) fn program_text(seed: u64) -> String {
    let at = usize::try_from(seed).unwrap_or(0) % FAMILIES.len();
    with_unequal_capacities(&FAMILIES[at](seed), seed)
}

/// What is claimed of a queue by some means.
struct Claim<'a> {
    means: Means,
    row: &'a Buffer,
    origin: QueueOrigin,
}

/// What is claimed of global queues.
fn claims<'a>(found: &'a [Found], origins: &BTreeSet<QueueOrigin>) -> Vec<Claim<'a>> {
    let of = |found: &'a Found, origin: QueueOrigin| {
        let [buffer] = found.analysis.abstraction.buffers(&origin)[..] else { return None };
        let name = &found.analysis.system().buffers[buffer].name;
        let row = found.bounded.buffers.iter().find(|row| row.name == *name)?;
        Some(Claim { means: found.means, row, origin })
    };
    let global = origins.iter().filter(|origin| origin.process.is_none());
    global.flat_map(|origin| found.iter().filter_map(|found| of(found, *origin))).collect()
}

/// A bound below what was seen.
fn is_exceeded(row: &Buffer, most: u32) -> bool {
    let exceeds = |known: &report::view::Number| number(known).is_some_and(|known| known < u64::from(most));
    row.bound.as_ref().is_some_and(exceeds) || row.exact.as_ref().is_some_and(exceeds)
}

/// The readings that a program is looked at in: all combinations of a few channels, else some that
/// are drawn, with those in which all or none are limited; and some with a little more room.
fn readings(program: &Program, seed: u64) -> Vec<Reading> {
    let channels: Vec<String> = capacities_of(program).into_keys().collect();
    let mut dice = SplitMix::new(seed ^ 0xcafe);
    let mut readings = if channels.len() <= FEW_CHANNELS {
        all_readings(&channels)
    } else {
        let declared = channels.iter().map(|name| (name.clone(), Room::Declared)).collect();
        vec![Reading::new(), declared]
    };
    for _ in 0..DRAWN {
        let mut room = || match dice.below(3) {
            0 => Room::Declared,
            1 => Room::Raised(u32::try_from(1 + dice.below(3)).unwrap_or(1)),
            _ => Room::Unlimited,
        };
        readings.push(channels.iter().map(|name| (name.clone(), room())).collect());
    }
    readings
}

/// What came of a program.
#[derive(Default)]
struct Outcome {
    read: bool,
    wrong: String,
    acting: BTreeSet<Acting>,
    claims: usize,
    exact_checked: usize,
    replayed: usize,
    /// Of these, runs in which some channels have to be limited.
    limited: usize,
    readings: usize,
    spin: usize,
    /// Answers that the clock has cut short.
    cut_short: usize,
}

impl Outcome {
    fn is_wrong(&mut self, line: &str) {
        writeln!(self.wrong, "{line}").unwrap();
    }

    /// Holds claims against the runs of a reading.
    fn against_reading(&mut self, claims: &[Claim<'_>], reading: &Reading, seen: &Seen) {
        for claim in claims {
            let most = seen.maxima.get(&claim.origin).copied().unwrap_or(0);
            if is_exceeded(claim.row, most) {
                let beyond = if is_asked_about(reading) { "" } else { " (beyond the question)" };
                self.is_wrong(&format!(
                    "{:?}: {} bound {:?} exact {:?}, but {most} with {}{beyond}",
                    claim.means,
                    claim.row.name,
                    claim.row.bound,
                    claim.row.exact,
                    described(reading)
                ));
            }
        }
    }

    /// Holds true maxima against the greatest of all readings, if all of these have been seen.
    fn against_all(&mut self, program: &Program, claims: &[Claim<'_>], all: &[(Reading, Seen)]) {
        let asked: Vec<&(Reading, Seen)> =
            all.iter().filter(|(reading, _)| is_asked_about(reading)).collect();
        for claim in claims {
            let name = &program.globals[claim.origin.variable].name;
            let is_unlimited =
                |reading: &Reading| reading.get(name).is_none_or(|room| *room == Room::Unlimited);
            let own: Vec<&Seen> =
                asked.iter().filter(|(reading, _)| is_unlimited(reading)).map(|(_, seen)| seen).collect();
            if !own.iter().all(|seen| seen.is_all) {
                continue;
            }
            let most =
                own.iter().filter_map(|seen| seen.maxima.get(&claim.origin)).max().copied().unwrap_or(0);
            self.exact_checked += usize::from(claim.row.exact.is_some());
            if claim.row.exact.as_ref().is_some_and(|exact| number(exact) != Some(u64::from(most))) {
                let Claim { means, row, .. } = claim;
                self.is_wrong(&format!(
                    "{means:?}: {} exact {:?}, but {most} in all readings",
                    row.name, row.exact
                ));
            }
            if claim.row.verdict == BufferVerdict::Unbounded {
                self.is_wrong(&format!(
                    "{:?}: {} unbounded, but {most} in all readings",
                    claim.means, claim.row.name
                ));
            }
        }
    }

    /// Executes all witnesses, each in the reading that it is a run of.
    fn replay(&mut self, found: &[Found]) {
        for one in found {
            for witness in &one.analysis.confirmation.witnesses {
                self.replayed += 1;
                self.limited += usize::from(*witness.buffers() != Buffers::Unbounded);
                if let Err(problem) = replayed(&one.analysis.program, witness) {
                    self.is_wrong(&format!("{:?}: a witness is none: {problem}", one.means));
                }
            }
        }
    }

    /// What two means say that cannot both be true.
    fn against_each_other(&mut self, claims: &[Claim<'_>]) {
        for one in claims.iter().filter(|claim| claim.row.verdict == BufferVerdict::Bounded) {
            let mut others = claims.iter().filter(|other| other.origin == one.origin);
            if let Some(other) = others.find(|other| other.row.verdict == BufferVerdict::Unbounded) {
                self.is_wrong(&format!(
                    "{}: bounded by {:?}, unbounded by {:?}",
                    one.row.name, one.means, other.means
                ));
            }
        }
    }

    /// Holds claims against what Spin sees in two readings.
    fn ask_spin(&mut self, text: &str, claims: &[Claim<'_>], readings: &[Reading]) {
        for reading in [readings.first(), readings.last()].into_iter().flatten() {
            let Ok(seen) = lengths(&text_in_reading(text, reading, None), MEMORY) else { continue };
            self.spin += 1;
            for claim in claims {
                let Some(most) = seen.longest.get(&claim.row.name) else { continue };
                if is_exceeded(claim.row, *most) {
                    let Claim { means, row, .. } = claim;
                    self.is_wrong(&format!(
                        "Spin: {means:?}: {row:?}, but {most} with {}",
                        described(reading)
                    ));
                }
            }
        }
    }
}

fn outcome(seed: u64, has_spin: bool) -> Outcome {
    let text = program_text(seed);
    let mut outcome = Outcome::default();
    let Some(model) = read(&text) else { return outcome };
    outcome.read = true;
    let found: Vec<Found> =
        all_means(seed % FURTHER == 3).into_iter().map(|means| ask(&model, means)).collect();
    outcome.acting = found.iter().flat_map(|found| found.acting.iter().copied()).collect();
    outcome.cut_short = found.iter().filter(|found| found.is_cut_short).count();
    if seed % FOR_LIVELOCKS == 1 {
        outcome.acting.extend(acting_on_livelocks(&model));
    }
    let program = &found[0].analysis.program;
    let readings = readings(program, seed);
    let all: Vec<(Reading, Seen)> = readings
        .iter()
        .filter_map(|reading| Some((reading.clone(), explored(program, reading, STATES)?)))
        .collect();
    outcome.readings = all.len();
    let origins = all.iter().flat_map(|(_, seen)| seen.maxima.keys().copied()).collect();
    let claims = claims(&found, &origins);
    outcome.claims = claims.iter().filter(|claim| claim.row.verdict == BufferVerdict::Bounded).count();
    all.iter().for_each(|(reading, seen)| outcome.against_reading(&claims, reading, seen));
    if capacities_of(program).len() <= FEW_CHANNELS && all.len() == readings.len() {
        outcome.against_all(program, &claims, &all);
    }
    outcome.against_each_other(&claims);
    outcome.replay(&found);
    if has_spin && seed % FOR_SPIN == 2 {
        outcome.ask_spin(&text, &claims, &readings);
    }
    if !outcome.wrong.is_empty() {
        write!(outcome.wrong, "seed {seed}\n{text}").unwrap();
    }
    outcome
}

/// The same, and a panic is something that is wrong.
fn outcome_or_panic(seed: u64, has_spin: bool) -> Outcome {
    catch_unwind(AssertUnwindSafe(|| outcome(seed, has_spin))).unwrap_or_else(|_| {
        let wrong = format!("panics\nseed {seed}\n{}", program_text(seed));
        Outcome { read: true, wrong, ..Outcome::default() }
    })
}

/// What has been counted in all programs of a part.
fn table(first: u64, outcomes: &[Outcome]) -> Table {
    let sum = |part: fn(&Outcome) -> usize| outcomes.iter().map(part).sum::<usize>();
    let acting = |acting| outcomes.iter().filter(|outcome| outcome.acting.contains(acting)).count();
    Table {
        first,
        programs: outcomes.len(),
        drawn_by: digest_of_the_generators(),
        counts: Counts {
            read: sum(|outcome| usize::from(outcome.read)),
            wrong: sum(|outcome| usize::from(!outcome.wrong.is_empty())),
            readings: sum(|outcome| outcome.readings),
            claims: sum(|outcome| outcome.claims),
            maxima: sum(|outcome| outcome.exact_checked),
            witnesses: sum(|outcome| outcome.replayed),
            limited: sum(|outcome| outcome.limited),
            spin: sum(|outcome| outcome.spin),
            cut_short: sum(|outcome| outcome.cut_short),
        },
        acting: Acting::all().iter().map(|one| (one.name().to_owned(), acting(one))).collect(),
    }
}

#[test]
fn no_claim_is_refuted_in_any_reading() {
    let has_spin = is_here("no_claim_is_refuted_in_any_reading");
    let first = given("FREEBOARD_READINGS_FIRST").unwrap_or(0);
    let wanted: u64 = given("FREEBOARD_READINGS_CASES").unwrap_or(short_or_long(SHORT, LONG));
    let seeds: Vec<u64> = (first..first + wanted).collect();
    let outcomes = two_at_a_time(&seeds, |seed| outcome_or_panic(*seed, has_spin));
    let table = table(first, &outcomes);
    say(&table.to_string());
    if let Some(file) = given::<PathBuf>("FREEBOARD_READINGS_TABLE") {
        table.add_to(&file);
    }
    let wrong: Vec<&str> =
        outcomes.iter().map(|outcome| outcome.wrong.as_str()).filter(|wrong| !wrong.is_empty()).collect();
    let shown = wrong.iter().take(given("FREEBOARD_READINGS_SHOWN").unwrap_or(5)).copied();
    assert!(wrong.is_empty(), "{} programs:\n{}", wrong.len(), shown.collect::<Vec<_>>().join("\n\n"));
    table.is_enough();
}

/// Adds up the parts of a long run, if there are any: no program is missing or looked at twice.
#[test]
fn parts_of_a_long_run_add_up() {
    let Some(file) = given::<PathBuf>("FREEBOARD_READINGS_SUM") else { return };
    let sum = Table::sum_of(&file);
    say(&sum.to_string());
    assert_eq!(sum.counts.wrong, 0);
    sum.is_enough();
}
