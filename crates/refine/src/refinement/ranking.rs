//! Budgets of rounds: a loop that ends turns only so often each time that it is entered.
//!
//! The statements of a counterexample are repeated; all others are executed now and then at most.
//! So a loop of the counterexample is asked how often it turns with those counted. What it may turn
//! is a budget: it is raised where the loop is entered and by counted statements, and each round
//! takes one. Where variables that others write matter, what these do is counted, too.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use abstraction::{Abstraction, Budget, Made};
use boundedness::{Behaviour, Combination};
use cfsm_core::deadline::Deadline;
use cfsm_core::ids::Id;
use cfsm_core::program::{Edge, EdgeId, LocationId, Place, ProcessTypeId, Program, VariableRef};
use num_traits::ToPrimitive;
use ranking::{Loop, LoopResult, Outcome, Question, Statement};

use super::{Asked, Refiner};
use crate::Property;
use crate::following::list;
use crate::strategy::Strategy;

/// Systems that are asked about, each with more budgets.
const QUESTIONS: usize = 4;

/// Most statements of a process type whose loops are looked at.
const STATEMENTS: usize = 100;

/// The statements that a counterexample repeats.
type Repeated = BTreeSet<Statement>;

impl<P: Property> Refiner<'_, P> {
    /// Finds out how often the loops of counterexamples turn, and asks about a system that knows
    /// it.
    pub(super) fn rank(&mut self, made: impl Fn(Made) -> Option<Abstraction>) -> Option<Asked<P::Outcome>> {
        let mut base = None;
        let mut looked_at: BTreeSet<Repeated> = BTreeSet::new();
        let mut budgets: Vec<Budget> = Vec::new();
        let mut asked: Option<Asked<P::Outcome>> = None;
        let most = self.property.most_rounds();
        let is_small =
            |budget: &Budget| budget.start <= most && budget.changes.values().all(|change| *change <= most);
        for _ in 0..QUESTIONS {
            if !self.may_go_on() || !self.options.strategies.contains(&Strategy::Ranking) {
                break;
            }
            let (abstraction, outcome) = match &asked {
                Some(Asked { abstraction, outcome, .. }) => (abstraction, outcome),
                None => (&self.best.abstraction, &self.best.outcome),
            };
            let counterexamples = self.property.counterexamples(outcome).iter();
            let repeated: BTreeSet<Repeated> =
                counterexamples.map(|one| repeated(abstraction, one)).collect();
            let before = budgets.len();
            for new in repeated.difference(&looked_at) {
                budgets.extend(found(self.program, new, self.options.deadline).into_iter().filter(is_small));
            }
            looked_at.extend(repeated);
            if budgets.len() == before {
                break;
            }
            if base.is_none() {
                let pairs = self.options.abstraction.precision.pairs;
                base = Some(made(Made { data_places: self.options.wants_data_places(), pairs })?);
            }
            let ranked = base.clone()?.with_budgets(&budgets);
            let names: BTreeSet<&String> = budgets.iter().map(|budget| &budget.name).collect();
            let names: Vec<String> = names.into_iter().cloned().collect();
            let turn = if names.len() == 1 { "turns" } else { "turn" };
            let what = format!("{} {turn} only so often each time", list(&names));
            asked = Some(self.ask(ranked.activated().0, Strategy::Ranking, what));
        }
        if !budgets.is_empty() {
            Arc::make_mut(&mut self.options).abstraction.precision.budgets.extend(budgets);
        }
        asked
    }
}

/// The statements of a counterexample.
fn repeated(abstraction: &Abstraction, counterexample: &Combination) -> Repeated {
    let parts = counterexample.parts.iter();
    let steps = parts.flat_map(|(Behaviour::Cycle(steps) | Behaviour::Path(_, steps), _)| steps);
    // Transitions of registers have no statements.
    let known = steps.filter(|step| step.index() < abstraction.statements.len());
    known.flat_map(|step| abstraction.statements[*step].iter().copied()).collect()
}

/// The budgets of the loops of which repeated statements are a part.
fn found(program: &Program, repeated: &Repeated, deadline: Deadline) -> Vec<Budget> {
    let types: BTreeSet<ProcessTypeId> = repeated.iter().map(|(process_type, _)| *process_type).collect();
    let small = types.into_iter().filter(|ty| program.types[*ty].edges.len() <= STATEMENTS);
    small.flat_map(|process_type| of_type(program, process_type, repeated, deadline)).collect()
}

fn of_type(
    program: &Program,
    process_type: ProcessTypeId,
    repeated: &Repeated,
    deadline: Deadline,
) -> Vec<Budget> {
    let process = &program.types[process_type];
    let is_counted = |edge: &EdgeId| !repeated.contains(&(process_type, *edge));
    let counted: BTreeSet<EdgeId> = process.edges.ids().filter(is_counted).collect();
    let is_part = |shape: &Loop| shape.to_head(process).any(|edge| !counted.contains(&edge));
    let others = BTreeSet::new();
    let question = Question { program, process_type, counted: counted.clone(), others, deadline };
    let results = question.loops(is_part);
    let is_known = |result: &&LoopResult| matches!(result.outcome, Outcome::Ends(_));
    let mut budgets: Vec<Budget> = results.iter().filter_map(|result| budget(&question, result)).collect();
    let ends: BTreeSet<LocationId> =
        results.iter().filter(is_known).map(|result| result.shape.head).collect();
    let others = writes_of_others(program, process_type, repeated);
    if results.len() > ends.len() && !others.is_empty() {
        let shared = Question { others, ..question };
        let results = shared.loops(|shape| is_part(shape) && !ends.contains(&shape.head));
        budgets.extend(results.iter().filter_map(|result| budget(&shared, result)));
    }
    budgets
}

/// The statements of other types that write globals, and are not repeated.
fn writes_of_others(program: &Program, own: ProcessTypeId, repeated: &Repeated) -> BTreeSet<Statement> {
    let others = program.types.iter().filter(|(ty, _)| *ty != own);
    let statements =
        others.flat_map(|(ty, process)| process.edges.iter().map(move |(id, edge)| (ty, id, edge)));
    let writes = statements.filter(|(ty, id, edge)| {
        !repeated.contains(&(*ty, *id)) && edge.action.targets().into_iter().any(is_global)
    });
    writes.map(|(ty, id, _)| (ty, id)).collect()
}

const fn is_global(place: &Place) -> bool {
    matches!(place.variable, VariableRef::Global(_))
}

/// The budget of a loop that ends.
fn budget(question: &Question<'_>, result: &LoopResult) -> Option<Budget> {
    let Outcome::Ends(rounds) = &result.outcome else { return None };
    let Question { program, process_type, counted, others, .. } = question;
    let process = &program.types[*process_type];
    let most = rounds.most().to_i64()?;
    let each = rounds.per_counted().ceil().to_integer().to_i64()?;
    let inside = &result.shape.locations;
    let enters = |edge: &Edge| !inside.contains(&edge.source) && inside.contains(&edge.target);
    let entering = process.edges.iter().filter(|(_, edge)| enters(edge)).map(|(id, _)| (id, most));
    let refilling = result.shape.edges.intersection(counted).map(|id| (*id, each));
    let turning = result.shape.turning(process, counted).into_iter().map(|id| (id, -1));
    let own = entering.chain(refilling).chain(turning).map(|(id, change)| ((*process_type, id), change));
    let writes = |(ty, id): &&Statement| {
        let targets = program.types[*ty].edges[*id].action.targets();
        targets.iter().any(|target| is_global(target) && result.variables.contains(&target.variable))
    };
    let of_others = others.iter().filter(writes).map(|statement| (*statement, each));
    let mut changes: BTreeMap<Statement, i64> = BTreeMap::new();
    own.chain(of_others).for_each(|(statement, change)| *changes.entry(statement).or_default() += change);
    changes.retain(|_, change| *change != 0);
    let line = program.sources.line(process.locations[result.shape.head].span);
    Some(Budget {
        name: format!("the loop at line {line}"),
        process_type: *process_type,
        start: if inside.contains(&process.entry) { most } else { 0 },
        changes,
    })
}
