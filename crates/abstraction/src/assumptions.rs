//! The assumptions and approximations of an abstract system, as sentences for the user.

use cfsm_core::program::{
    Action, Binary, Claim, Expression, FixedLimit, Initializer, Observer, ProcessTypeId, Program, Type,
    Variable, WhenFull,
};

use crate::analysis::{Analysis, Coarseness};
use crate::contexts::Birth;
use crate::counters::{Declared, declared};

/// Number of channels that Spin can number.
const CHANNEL_NUMBERS: usize = 255;

/// The assumptions about the program's runs under which a verdict about the system holds.
pub(crate) fn assumptions(program: &Program, analysis: &Analysis<'_>) -> Vec<String> {
    let edges = || program.types.values().flat_map(|process| process.edges.values());
    let mut all = Vec::new();
    if !analysis.objects.is_empty() {
        all.extend(capacities(program));
    }
    if analysis.contexts.values().any(|context| matches!(context.birth, Birth::Created { .. })) {
        all.push("the number of processes is not limited".to_owned());
    }
    let many_channels =
        analysis.contexts.iter().any(|(id, context)| !context.declared.is_empty() && analysis.several(id));
    if many_channels || analysis.objects.len() > CHANNEL_NUMBERS {
        all.push(format!("no more than {CHANNEL_NUMBERS} channels exist at a time"));
    }
    let variables =
        || program.globals.values().chain(program.types.values().flat_map(|process| process.locals.values()));
    if variables().any(|variable| variable.length.is_some()) {
        all.push("a run ends with an error where an index lies outside its array".to_owned());
    }
    let evaluated = edges().flat_map(|edge| edge.action.expressions());
    let mut evaluated = evaluated.chain(variables().flat_map(|variable| variable.init.expressions()));
    if evaluated.any(|value| value.any(&mut may_divide_by_zero)) {
        all.push("a run ends with an error at a division by 0".to_owned());
    }
    let is_none = |variable: &Variable| variable.ty == Type::Channel && variable.init == Initializer::Zero;
    if variables().any(is_none) || analysis.uses_no_channel() {
        all.push("a run ends with an error where a channel is used that does not exist".to_owned());
    }
    if analysis.peeks_at_a_rendezvous() {
        let what = "a message of a rendezvous is looked at without being received";
        all.push(format!("a run ends with an error where {what}"));
    }
    if edges().any(|edge| matches!(edge.action, Action::Opaque { .. })) {
        all.push(
            "embedded C code writes global variables and those of its own process only; it does not \
             send, receive or create processes"
                .to_owned(),
        );
    }
    if has_embedded_expression(program) {
        all.push("an embedded C expression does not change variables".to_owned());
    }
    all.extend(program.assumptions.iter().cloned());
    all.extend(
        analysis
            .options
            .precision
            .counters
            .iter()
            .map(|(counter, (least, most))| kept(program, *counter, *least, *most)),
    );
    let formulas: Vec<String> = program.claims.iter().filter_map(formula).collect();
    if !formulas.is_empty() {
        all.push(format!("not analysed, and no part of the verdict: {}", formulas.join(", ")));
    }
    if program.claims.iter().any(|claim| interferes(program, claim)) {
        all.push("the never claim does not change what the processes do".to_owned());
    }
    all
}

/// The readings of channel capacities that a verdict is about.
fn capacities(program: &Program) -> Vec<String> {
    let mut limited = Vec::new();
    let mut unlimited = false;
    for channel in program.buffered_channels() {
        let Some(FixedLimit { size, when_full }) = program.fixed_limit(channel) else {
            unlimited = true;
            continue;
        };
        let name = match channel.owner {
            None => program.globals[channel.variable].name.clone(),
            Some(owner) => {
                let ty = &program.types[owner];
                format!("{}.{}", ty.name, ty.locals[channel.variable].name)
            }
        };
        let fate = match when_full {
            WhenFull::Wait => "a send that finds no room waits",
            WhenFull::Lose => "a message that finds no room is lost",
        };
        limited.push(format!("`{name}` holds at most {size}, as asked: {fate}"));
    }
    if unlimited {
        limited.push(READINGS.to_owned());
    }
    limited
}

/// The default question.
const READINGS: &str = "each buffer is asked about as unbounded, beside others that are unbounded or limited as declared, in any combination";

/// The assumption that a counter stays within its range.
fn kept(program: &Program, counter: Declared, least: i64, most: i64) -> String {
    let name = &declared(program, counter).name;
    let of = counter.0.map(|owner| format!(" of {}", program.types[owner].name)).unwrap_or_default();
    format!("`{name}`{of} stays between {least} and {most} (no certificate checks that)")
}

/// Returns `true` if an embedded C expression is evaluated: inside a statement, or as one, which
/// may be evaluated without being executed. Expressions for whose truth a `trace` observer waits do
/// not count.
fn has_embedded_expression(program: &Program) -> bool {
    let waits = |id: ProcessTypeId| {
        program.claims.iter().any(|claim| {
            matches!(claim, Claim::Observer { process_type, kind } if *process_type == id && *kind != Observer::Never)
        })
    };
    let opaque = |value: &Expression| value.any(&mut |inner| matches!(inner, Expression::Opaque(_)));
    let initial = |variable: &Variable| variable.init.expressions().iter().any(opaque);
    let evaluates = |action: &Action| {
        matches!(action, Action::Opaque { guard: true, .. }) || action.expressions().into_iter().any(opaque)
    };
    let environment = program.environment.as_ref().map(|environment| environment.process_type);
    let running = || {
        let types = program.types.iter().filter(|(id, _)| !waits(*id) && Some(*id) != environment);
        types.map(|(_, process)| process)
    };
    program.globals.values().any(initial)
        || running().any(|process| {
            process.locals.values().any(initial)
                || process.provided.as_ref().is_some_and(opaque)
                || process.edges.values().any(|edge| evaluates(&edge.action))
        })
}

fn may_divide_by_zero(value: &Expression) -> bool {
    let Expression::Binary(Binary::Divide | Binary::Remainder, _, divisor) = value else { return false };
    divisor.constant().is_none_or(|divisor| divisor == 0)
}

/// The name of an LTL formula, for the user; `None` for an observer.
fn formula(claim: &Claim) -> Option<String> {
    match claim {
        Claim::Ltl { name: Some(name), .. } => Some(format!("the ltl formula `{name}`")),
        Claim::Ltl { name: None, formula, .. } => Some(format!("the ltl formula `{formula}`")),
        Claim::Observer { .. } => None,
    }
}

/// Returns `true` if a never claim has statements other than conditions, `else` and assertions.
fn interferes(program: &Program, claim: &Claim) -> bool {
    let Claim::Observer { process_type, kind: Observer::Never } = claim else {
        return false;
    };
    let looks_on =
        |action: &Action| matches!(action, Action::Condition(_) | Action::Else | Action::Assert(_));
    let edges = program.types[*process_type].edges.values();
    edges.into_iter().any(|edge| !looks_on(&edge.action))
}

/// The approximations that were made because a limit was hit.
pub(crate) fn approximations(program: &Program, analysis: &Analysis<'_>) -> Vec<String> {
    let Coarseness { recursive, crowded, folded, .. } = &analysis.coarseness;
    let name = |id: &ProcessTypeId| &program.types[*id].name;
    let recursive = recursive.iter().map(|(id, edge)| {
        let line = program.sources.line(program.types[*id].edges[*edge].span);
        format!(
            "line {line}: processes that process type {} creates again and again are thrown together",
            name(id)
        )
    });
    let crowded = crowded.iter().map(|id| {
        format!("process type {}: created in too many ways, so that some are thrown together", name(id))
    });
    let folded = folded.iter().map(|id| {
        format!("process type {}: the rounds of the loops that create processes are not told apart", name(id))
    });
    recursive.chain(crowded).chain(folded).collect()
}
