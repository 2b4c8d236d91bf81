//! What is said as declared, and of channels that the question limits, held against all states of
//! random programs with unequal capacities.

use std::fmt::Write as _;
use std::num::NonZeroU32;
use std::time::Instant;

use cfsm_core::program::{Initializer, Program, WhenFull};
use cfsm_core::splitmix::SplitMix;
use freeboard::{Analysis, Capacities, ChannelCapacity, Options, RunLimits, check_model, read_promela};
use integration_tests::capacity_programs::{capacity_program, with_unequal_capacities};
use integration_tests::comparison::exploration::two_at_a_time;
use integration_tests::data_programs::data_program;
use integration_tests::readings::{Reading, Room, capacities_of, in_reading};
use integration_tests::{given, say, short_or_long};
use refine::Correspondence as _;
use report::view::{Buffer, BufferVerdict};

use super::asked::number;
use super::runs::{Seen, explored, explored_as_declared};

/// States that are looked at.
const STATES: usize = 3_000;

fn program_text(seed: u64) -> String {
    let text = if seed % 4 == 3 { data_program(seed) } else { capacity_program(seed) };
    with_unequal_capacities(&text, seed)
}

/// What came of a program.
#[derive(Default)]
struct Outcome {
    wrong: String,
    never_blocks: usize,
    by_room: usize,
    blocks: usize,
    exact: usize,
    limited: usize,
}

/// A program whose channels are all global, decided with a number of states to search.
fn decided(text: &str, states: usize, capacities: Capacities) -> Option<Analysis> {
    let runs = RunLimits { search_states: states, exploration_states: states };
    let options = Options { runs, maxima_states: Some(states), capacities, ..Options::default() };
    let model = read_promela("model.pml", text, &options).ok()?;
    let global = model.program.buffered_channels().iter().all(|channel| channel.owner.is_none());
    global.then(|| check_model(model, &options, Instant::now()))
}

/// The row of each queue of a run.
fn row<'a>(analysis: &Analysis, rows: &'a [Buffer], origin: &explore::QueueOrigin) -> Option<&'a Buffer> {
    let [buffer] = analysis.abstraction.buffers(origin)[..] else { return None };
    rows.iter().find(|row| row.name == analysis.system().buffers[buffer].name)
}

fn declared(program: &Program) -> Reading {
    capacities_of(program).into_keys().map(|name| (name, Room::Declared)).collect()
}

impl Outcome {
    fn is_wrong(&mut self, line: &str) {
        writeln!(self.wrong, "{line}").unwrap();
    }

    /// Holds the second story against the states with the declared capacities, and with room for
    /// one more.
    fn as_declared(&mut self, analysis: &Analysis, searched: bool) {
        let program = &analysis.program;
        let rows = analysis.view("model.pml").property_results.swap_remove(0).buffers;
        let Some(seen) = explored(program, &declared(program), STATES) else { return };
        for (origin, &most) in &seen.maxima {
            let Some(row) = row(analysis, &rows, origin) else { continue };
            let (Some(found), Some(capacity)) = (&row.as_declared, row.declared) else { continue };
            let [bound, exact] = [&found.bound, &found.exact].map(|known| known.as_ref().and_then(number));
            let is_less = |known: Option<u64>| known.is_some_and(|known| known < most.into());
            if is_less(bound)
                || is_less(exact)
                || (seen.is_all && exact.is_some_and(|exact| exact != u64::from(most)))
            {
                self.is_wrong(&format!("{}: {found:?}, but {most} as declared", row.name));
            }
            self.exact += usize::from(exact.is_some());
            let name = &program.globals[origin.variable].name;
            let mut roomier = declared(program);
            roomier.insert(name.clone(), Room::Raised(1));
            let Some(more) = explored(program, &roomier, STATES) else { continue };
            let most = more.maxima.get(origin).copied().unwrap_or(0);
            match found.blocks {
                Some(false) if most > capacity => {
                    self.is_wrong(&format!("{}: never blocks, but {most} with room for one more", row.name));
                }
                Some(true) if most <= capacity && more.is_all && !more.goes_wrong => {
                    self.is_wrong(&format!("{}: blocks, but only {most} with room for one more", row.name));
                }
                _ => {}
            }
            self.never_blocks += usize::from(found.blocks == Some(false));
            let by_default =
                row.bound.as_ref().and_then(number).is_some_and(|bound| bound <= capacity.into());
            self.by_room += usize::from(!searched && found.blocks == Some(false) && !by_default);
            self.blocks += usize::from(found.blocks == Some(true));
        }
    }

    /// Limits some channels, and holds what is said then against the states of the program with
    /// these capacities.
    fn limited(&mut self, text: &str, states: usize, dice: &mut SplitMix) {
        let Some(plain) = decided(text, 0, Capacities::default()) else { return };
        let mut capacities = Capacities::default();
        for name in capacities_of(&plain.program).into_keys() {
            let size = u32::try_from(1 + dice.below(3)).ok().and_then(NonZeroU32::new);
            let when_full = if dice.below(4) == 0 { WhenFull::Lose } else { WhenFull::Wait };
            if dice.below(2) == 0 {
                capacities.channels.insert(name, ChannelCapacity { size, when_full });
            }
        }
        let Some(analysis) = decided(text, states, capacities.clone()) else { return };
        let rows = analysis.view("model.pml").property_results.swap_remove(0).buffers;
        for others in [Room::Declared, Room::Unlimited] {
            let Some(seen) = of_question(&plain.program, &capacities, others) else { continue };
            self.limited += 1;
            for (origin, &most) in &seen.maxima {
                let Some(row) = row(&analysis, &rows, origin) else { continue };
                let is_less =
                    |known: &report::view::Number| number(known).is_some_and(|known| known < most.into());
                if row.bound.as_ref().is_some_and(is_less) || row.exact.as_ref().is_some_and(is_less) {
                    self.is_wrong(&format!("{capacities:?}: {row:?}, but {most} with others {others:?}"));
                }
                if row.verdict == BufferVerdict::Unbounded && row.limit.is_some() {
                    self.is_wrong(&format!("{capacities:?}: {row:?}"));
                }
            }
        }
    }
}

/// The states of a program in which some channels have the capacities of a question, and the others
/// are declared or unlimited. `full` compares with what was declared. Channels that wait are those
/// of the language; those that lose are the explorer's.
fn of_question(program: &Program, capacities: &Capacities, others: Room) -> Option<Seen> {
    let room = |name: &String| if capacities.channels.contains_key(name) { Room::Declared } else { others };
    let reading = capacities_of(program).into_keys().map(|name| (name.clone(), room(&name))).collect();
    let mut program = in_reading(program, &reading)?;
    for (_, variable) in program.globals.iter_mut() {
        let Some(ChannelCapacity { size: Some(size), when_full }) = capacities.channels.get(&variable.name)
        else {
            continue;
        };
        if let Initializer::NewChannel(shape) = &mut variable.init {
            shape.capacity = size.get();
            let lossy = *when_full == WhenFull::Lose;
            shape.limit =
                lossy.then_some(cfsm_core::program::FixedLimit { size: *size, when_full: WhenFull::Lose });
        }
    }
    explored_as_declared(&program, STATES)
}

fn outcome(seed: u64) -> Outcome {
    let text = program_text(seed);
    let mut outcome = Outcome::default();
    for states in [0, STATES] {
        if let Some(analysis) = decided(&text, states, Capacities::default()) {
            outcome.as_declared(&analysis, states > 0);
        }
    }
    let mut dice = SplitMix::new(seed ^ 0xbeef);
    for states in [0, STATES] {
        outcome.limited(&text, states, &mut dice);
    }
    if !outcome.wrong.is_empty() {
        write!(outcome.wrong, "seed {seed}\n{text}").unwrap();
    }
    outcome
}

#[test]
fn what_is_said_as_declared_and_with_limits_is_so() {
    let first = given("FREEBOARD_READINGS_FIRST").unwrap_or(0);
    let wanted: u64 = given("FREEBOARD_READINGS_CASES").unwrap_or(short_or_long(120, 5_000));
    let seeds: Vec<u64> = (first..first + wanted).collect();
    let outcomes = two_at_a_time(&seeds, |seed| outcome(*seed));
    let sum = |part: fn(&Outcome) -> usize| outcomes.iter().map(part).sum::<usize>();
    let (never, by_room, blocks) =
        (sum(|one| one.never_blocks), sum(|one| one.by_room), sum(|one| one.blocks));
    let (exact, limited) = (sum(|one| one.exact), sum(|one| one.limited));
    say(&format!(
        "{wanted} programs: {never} buffers never block, {by_room} of them by the room of others, {blocks} do, {exact} maxima; \
         {limited} questions with limits"
    ));
    let wrong: Vec<&str> =
        outcomes.iter().map(|outcome| outcome.wrong.as_str()).filter(|wrong| !wrong.is_empty()).collect();
    let shown = wrong.iter().take(given("FREEBOARD_READINGS_SHOWN").unwrap_or(5)).copied();
    assert!(wrong.is_empty(), "{} programs:\n{}", wrong.len(), shown.collect::<Vec<_>>().join("\n\n"));
    assert!(never > 50 && blocks > 50 && exact > 50 && limited > 50);
}

/// As `spin -m`: a message that finds no room is lost, and nobody waits.
#[test]
fn what_finds_no_room_is_lost() {
    let text = "chan q = [2] of { byte }; chan r = [9] of { byte };
        active proctype P() { q!1; q!2; q!3; q?1; q!4; q?2; q?4; r!1 }
        active proctype Q() { byte x; empty(q) && len(r) == 1 -> r!2 }";
    let rows = |limits: &str| {
        let analysis = decided(text, STATES, limits.parse().unwrap()).unwrap();
        let rows = analysis.view("model.pml").property_results.swap_remove(0).buffers;
        rows.iter().map(|row| row.exact.as_ref().and_then(number)).collect::<Vec<_>>()
    };
    assert_eq!(rows("q=2,lossy"), [Some(2), Some(2)]);
    // Without a loss, 3 comes before 4.
    assert_eq!(rows("q=3"), [Some(3), Some(0)]);
    // Who waits for room never goes on.
    assert_eq!(rows("q=2"), [Some(2), Some(0)]);
}
