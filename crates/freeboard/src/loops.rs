//! The loops of a program: whether they end, and how often they turn.

use std::collections::BTreeSet;

use cfsm_core::ids::Id;
use cfsm_core::program::{Action, Claim, EdgeId, ProcessTypeId, Program};
use explore::{Buffers, RandomRuns, Region, Semantics, Staying, StepGraph};
use ranking::{Affine, LoopResult, Outcome, Rounds, Sum, Symbol};
use report::view::{LOOPS_SCHEMA, LoopListing, LoopRow, LoopVerdict};

use crate::execution::semantics;

/// Cells of the states near the start among which runs are looked for that stay in a loop.
const CELLS: usize = 2_000_000;

/// Random runs behind whose states processes go on alone, and cells of the states that are looked
/// at for each.
const RUNS: usize = 16;
const CELLS_OF_RUN: usize = 120_000;

/// The loops of a program, each with a proof that it ends (see [`ranking`]), or with a run that
/// stays in it for ever, where one is found among the first states; `file` is what the user calls
/// the model. Channels have their declared capacities.
#[must_use]
pub fn list_loops(program: &Program, file: &str) -> LoopListing {
    let found = ranking::loops(program);
    let observers = observers(program);
    let found: Vec<&LoopResult> =
        found.iter().filter(|result| !observers.contains(&result.process_type)).collect();
    let is_open = |result: &&LoopResult| !matches!(result.outcome, Outcome::Ends(_));
    let open = found.iter().filter(|result| is_open(result)).count();
    // A program that cannot be run has no runs to look for.
    let semantics = if open > 0 { semantics(program, Buffers::Declared).ok() } else { None };
    let runs = semantics.as_ref().and_then(|semantics| Runs::new(semantics, open));
    let rows = found.iter().map(|result| row(program, result, runs.as_ref(), file));
    LoopListing { schema: LOOPS_SCHEMA.into(), file: file.into(), loops: rows.collect() }
}

/// Runs of a program with declared capacities.
struct Runs<'a> {
    near: StepGraph,
    /// Random runs to states beyond; `None` if all states are near.
    random: Option<RandomRuns<'a>>,
    /// Cells of states that may be looked at behind random runs for each loop.
    cells: usize,
}

impl<'a> Runs<'a> {
    fn new(semantics: &'a Semantics, open: usize) -> Option<Self> {
        let near = StepGraph::new(semantics, CELLS).ok()?;
        let random = near.states().is_none().then(|| RandomRuns::new(semantics, RUNS, CELLS_OF_RUN));
        // As many as for the runs, in equal shares for all loops.
        let cells = RUNS * CELLS_OF_RUN / open;
        Some(Self { near, random, cells })
    }

    /// A run that stays in a loop for ever.
    fn staying(&self, result: &LoopResult) -> Option<Staying> {
        let LoopResult { process_type, shape, .. } = result;
        let region = Region { process_type: *process_type, edges: &shape.edges, locations: &shape.locations };
        let beyond = || self.random.as_ref()?.staying(region, self.cells);
        self.near.staying(*process_type, &shape.edges).or_else(beyond)
    }
}

fn observers(program: &Program) -> BTreeSet<ProcessTypeId> {
    let observer = |claim: &Claim| match claim {
        Claim::Observer { process_type, .. } => Some(*process_type),
        Claim::Ltl { .. } => None,
    };
    program.claims.iter().filter_map(observer).collect()
}

fn row(program: &Program, result: &LoopResult, runs: Option<&Runs<'_>>, file: &str) -> LoopRow {
    let process = &program.types[result.process_type];
    let head = program.sources.origin(process.locations[result.shape.head].span);
    let mut row = LoopRow {
        process: process.name.clone(),
        line: head.line,
        file: (head.file != file).then_some(head.file),
        depth: result.depth,
        receives: result.shape.edges.iter().any(|edge| is_receive(&process.edges[*edge].action)),
        verdict: LoopVerdict::Unknown,
        rounds: None,
        at_most: None,
        per_message: None,
        statements: Vec::new(),
        reached_after: None,
        states: None,
    };
    let lines = |edges: &mut dyn Iterator<Item = EdgeId>| -> Vec<u32> {
        let lines: BTreeSet<u32> = edges.map(|edge| program.sources.line(process.edges[edge].span)).collect();
        lines.into_iter().collect()
    };
    let (open, verdict) = match &result.outcome {
        Outcome::Ends(rounds) => return with_rounds(program, result, rounds, row),
        Outcome::Endless(edges) => (edges, LoopVerdict::Endless),
        Outcome::Unknown(edges) => (edges, LoopVerdict::Unknown),
    };
    (row.verdict, row.statements) = (verdict, lines(&mut open.iter().copied()));
    if let Some(staying) = runs.and_then(|runs| runs.staying(result)) {
        let moves = staying.cycle.steps.iter().flatten();
        let own = moves.filter(|step| step.process == staying.process).filter_map(|step| step.edge);
        row.statements = lines(&mut own.into_iter());
        row.verdict = LoopVerdict::Endless;
        row.reached_after = Some(staying.prefix.steps.len());
    } else if let Some(near) = runs.map(|runs| &runs.near).filter(|_| row.verdict == LoopVerdict::Unknown) {
        let turning = result.shape.to_head(process).collect();
        if let Some(most) = near.most(result.process_type, &result.shape.edges, &turning) {
            row.verdict = LoopVerdict::Ends;
            row.rounds = Some(most.to_string());
            row.states = near.states();
            row.statements.clear();
        }
    }
    row
}

const fn is_receive(action: &Action) -> bool {
    matches!(action, Action::Receive { peek: false, .. })
}

fn with_rounds(program: &Program, result: &LoopResult, rounds: &Rounds, row: LoopRow) -> LoopRow {
    let most = rounds.most_beside_counted().to_string();
    let is_constant = rounds.sums.iter().all(|sum| sum.parts.is_empty());
    let texts: BTreeSet<String> = rounds.sums.iter().map(|sum| in_words(program, result, sum)).collect();
    let mut texts = texts.into_iter();
    let rounds_text = match (texts.next(), texts.next()) {
        (Some(text), None) if !is_constant => text,
        _ => most.clone(),
    };
    let each = rounds.per_counted();
    LoopRow {
        verdict: LoopVerdict::Ends,
        at_most: (rounds_text != most).then_some(most),
        rounds: Some(rounds_text),
        per_message: (each != Default::default()).then(|| each.to_string()),
        ..row
    }
}

/// A sum as an expression over the variables of the program, which is taken as 0 where it is
/// negative. A part that may be negative by itself is cut at 0 in it.
fn in_words(program: &Program, result: &LoopResult, sum: &Sum) -> String {
    let is_alone = sum.parts.len() == 1 && sum.constant == Default::default();
    let mut terms: Vec<String> = Vec::new();
    for part in &sum.parts {
        let value = affine(program, result, &part.value);
        let is_single = part.value.terms.len() == 1 && part.value.constant == 0;
        let value = if !is_alone && may_be_negative(program, result, &part.value) {
            format!("max(0, {value})")
        } else if is_single || sum.parts.len() == 1 && part.factor == one() {
            value
        } else {
            format!("({value})")
        };
        terms.push(if part.factor == one() { value } else { format!("{} * {value}", part.factor) });
    }
    if sum.constant != Default::default() {
        terms.push(sum.constant.to_string());
    }
    terms.join(" + ")
}

/// `true` unless the types of its variables keep an expression from being negative.
fn may_be_negative(program: &Program, result: &LoopResult, value: &Affine) -> bool {
    let is_natural = |(symbol, factor): (&Symbol, &i128)| {
        let (least, _) = program.variable(result.process_type, result.variables[symbol.index()]).ty.range();
        least == 0 && *factor > 0
    };
    value.constant < 0 || !value.terms.iter().all(is_natural)
}

fn one() -> num_rational::BigRational {
    num_rational::BigRational::from_integer(1.into())
}

/// `n - i + 1`.
fn affine(program: &Program, result: &LoopResult, value: &Affine) -> String {
    let mut text = String::new();
    // What is added comes first.
    let (added, taken): (Vec<_>, Vec<_>) = value.terms.iter().partition(|(_, factor)| **factor > 0);
    for (symbol, factor) in added.into_iter().chain(taken) {
        let name = &program.variable(result.process_type, result.variables[symbol.index()]).name;
        let sign = match (text.is_empty(), *factor > 0) {
            (true, true) => "",
            (true, false) => "-",
            (false, true) => " + ",
            (false, false) => " - ",
        };
        let times = if factor.abs() == 1 { String::new() } else { format!("{} * ", factor.abs()) };
        text = format!("{text}{sign}{times}{name}");
    }
    match value.constant {
        0 => text,
        constant if constant > 0 => format!("{text} + {constant}"),
        constant => format!("{text} - {}", constant.unsigned_abs()),
    }
}
