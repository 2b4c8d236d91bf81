//! Text renderer for witnesses: a line that sums each up, and the steps of some.

use super::{Ink, SHORT, ShownRuns, Style, line, plural, run};
use crate::view::{Capacity, LimitedChannel, Witness};

/// Renders the first witness and short ones step by step, and a summary of the others.
pub(super) fn witnesses(out: &mut String, witnesses: &[Witness], style: Style) {
    for (position, witness) in witnesses.iter().enumerate() {
        out.push('\n');
        let number = if witnesses.len() > 1 { format!(" {}", position + 1) } else { String::new() };
        let title = style.paint(Ink::Strong, &format!("Run{number}"));
        let text = format!("{title}: {}", in_short(witness));
        match style.width {
            Some(width) => super::wrapped("", &text, 2, width).iter().for_each(|text| line(out, text)),
            None => line(out, &text),
        }
        let is_shown = match style.runs {
            ShownRuns::FirstAndShort => position == 0 || run::shown(witness) <= SHORT,
            ShownRuns::All => true,
            ShownRuns::Number(number) => position + 1 == number,
        };
        if is_shown {
            out.push_str(&run::lasso(witness, style));
        }
    }
}

/// `3 steps, then 2 steps for ever; each time AB grows by 1`
pub(crate) fn in_short(witness: &Witness) -> String {
    if witness.pump.is_empty() {
        return plural(witness.prefix.len(), "step", "steps");
    }
    let grows = witness.grows.iter().map(|growth| format!("{} grows by {}", growth.name, growth.count));
    let grows = grows.collect::<Vec<_>>().join(", ");
    let pump = plural(witness.pump.len(), "step", "steps");
    let lasso = match witness.prefix.len() {
        first if witness.supply.is_some() => {
            let first = plural(first, "step", "steps");
            format!("{first}, some of them as often as one likes, then {pump} as often as these allow")
        }
        0 => format!("{pump} for ever"),
        first => format!("{}, then {pump} for ever", plural(first, "step", "steps")),
    };
    let left = left_behind(witness.left_behind).unwrap_or_default() + &counted(witness).unwrap_or_default();
    let fits = fits(witness).map(|fits| format!(" ({fits})")).unwrap_or_default() + &left;
    if grows.is_empty() { format!("{lasso}{fits}") } else { format!("{lasso}; each time {grows}{fits}") }
}

/// Largest number of processes that the language allows at a time.
const MOST_PROCESSES: usize = 255;

/// A remark that each round leaves processes behind, more than the language allows.
fn left_behind(processes: usize) -> Option<String> {
    let (some, wait) = match processes {
        0 => return None,
        1 => ("1 process".to_owned(), "waits"),
        some => (format!("{some} processes"), "wait"),
    };
    Some(format!(
        "; {some} of each round {wait} for ever, and there may be any number here: \
         the language itself allows {MOST_PROCESSES} at a time"
    ))
}

/// A remark that a number is counted up, beyond the range of the language.
fn counted(witness: &Witness) -> Option<String> {
    let counter = witness.counter.as_ref()?;
    Some(format!(
        "; `{counter}` is counted up for that, and may be any number here: an `int` of the language is {} at most",
        i32::MAX
    ))
}

/// `with data limited to 2, as declared`; nothing if no channel is limited.
pub(super) fn limits(limited: &[LimitedChannel]) -> Option<String> {
    let one = |channel: &LimitedChannel| format!("{} limited to {}", channel.name, channel.capacity);
    let all: Vec<String> = limited.iter().map(one).collect();
    (!all.is_empty()).then(|| format!("with {}, as declared", all.join(" and ")))
}

/// A remark on whether a run is also possible with the declared capacities.
fn fits(witness: &Witness) -> Option<String> {
    let limits = limits(&witness.limited).map(|limits| format!("a run {limits}"));
    match (witness.as_declared, witness.capacity) {
        (_, Capacity::Declared) => Some("a run with the declared capacities".into()),
        (Some(fits), _) => {
            let also = match (fits, witness.grows.is_empty()) {
                (true, true) => "possible with the declared capacities, too".into(),
                (true, false) => {
                    "possible with the declared capacities, too, as long as there is room".into()
                }
                (false, _) => needs(witness),
            };
            Some(limits.map_or_else(|| also.clone(), |limits| format!("{limits}; {also}")))
        }
        (None, _) => limits,
    }
}

/// `it needs more room than declared: for 9 in inbox`
fn needs(witness: &Witness) -> String {
    let needs = witness.needs.iter().map(|buffer| format!("for {} in {}", buffer.length, buffer.name));
    let needs = needs.collect::<Vec<_>>().join(", ");
    let colon = if needs.is_empty() { "" } else { ": " };
    format!("it needs more room than declared{colon}{needs}")
}
