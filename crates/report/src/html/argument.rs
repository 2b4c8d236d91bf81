//! The arguments of a certificate in words.

use std::fmt::Write as _;

use super::{LIMITS, long_table};
use crate::markup::escaped;
use crate::view::{Argument, CaseSummary, ConfigurationList, Report, Weight, Weights};

/// The arguments that prove the verdicts.
pub(super) fn arguments(report: &Report) -> String {
    report
        .arguments
        .iter()
        .map(|argument| match argument {
            Argument::Weights(weights) => of_weights(weights),
            Argument::Configurations(list) => of_configurations(list),
            Argument::Cases(cases) => of_cases(cases),
        })
        .collect()
}

fn of_weights(weights: &Weights) -> String {
    let Weights { buffers, bound, denominator, start, .. } = weights;
    let title = match (buffers.is_empty(), &weights.contract) {
        (true, _) => "The environment keeps a limit".to_owned(),
        (false, Some(contract)) => format!("{} ≤ {contract}, for every k", buffers.join(" + ")),
        (false, None) => format!("{} ≤ {bound}", buffers.join(" + ")),
    };
    let most = match (buffers.is_empty(), &weights.contract) {
        (true, _) => None,
        (false, None) => Some(format!("{bound}")),
        (false, Some(contract)) => Some(format!("{contract}, whatever k is")),
    };
    let holds = match buffers.as_slice() {
        [one] => format!("{one} never holds more messages than"),
        _ => format!("{} never hold more messages together than", buffers.join(" and ")),
    };
    let end = most.map(|most| {
        format!(" A message there is worth {denominator} at least, and nothing is worth less than 0: {holds} {most}.")
    });
    let end = end.unwrap_or_default();
    let told = worth(&weights.messages, &weights.states, &weights.data);
    format!(
        "<article class=\"argument\"><h3>{}</h3>\n<p>{}: no step raises the sum, and at the start it is {start}.{}</p>\n{}</article>\n",
        escaped(&title),
        escaped(&told.sentence),
        escaped(&end),
        told.table
    )
}

/// Weights in words, and in a table if they are many.
struct Worth {
    sentence: String,
    table: String,
}

/// `Each message toServer(order) is worth 2, each process at Client@waiting 1`
fn worth(messages: &[Weight], states: &[Weight], data: &[Weight]) -> Worth {
    let kinds = [("message", messages), ("process at", states), ("unit of", data)];
    let all = kinds.iter().flat_map(|(kind, weights)| weights.iter().map(move |weight| (*kind, weight)));
    let all: Vec<(&str, &Weight)> = all.collect();
    if all.is_empty() {
        return Worth { sentence: "Nothing is worth anything".into(), table: String::new() };
    }
    if all.len() > LIMITS.spoken {
        let rows =
            all.iter().map(|(kind, weight)| [format!("{kind} {}", weight.of), weight.weight.to_string()]);
        let rows = long_table("Weights", ["Each", "is worth"], rows);
        let table = format!("<details><summary>The {} weights</summary>\n{rows}</details>\n", all.len());
        let sentence =
            format!("{} kinds of messages, places of processes and quantities have a worth", all.len());
        return Worth { sentence, table };
    }
    let mut sentence = String::new();
    for (position, (kind, weight)) in all.iter().enumerate() {
        let (lead, verb) = if position == 0 { ("Each", " is worth") } else { (", each", "") };
        let _ = write!(sentence, "{lead} {kind} {}{verb} {}", weight.of, weight.weight);
    }
    Worth { sentence, table: String::new() }
}

fn of_configurations(list: &ConfigurationList) -> String {
    let bounds: Vec<String> =
        list.bounds.iter().map(|bound| format!("{} ≤ {}", bound.of, bound.weight)).collect();
    let text = format!(
        "A list of {} configurations of {} has the start, and with each of them all that one step leads to. In none of \
         them a buffer holds more.",
        list.configurations,
        list.classes.join(", ")
    );
    format!(
        "<article class=\"argument\"><h3>{}</h3>\n<p>{}</p></article>\n",
        escaped(&bounds.join(", ")),
        escaped(&text)
    )
}

fn of_cases(cases: &CaseSummary) -> String {
    let what = match cases.subject.as_str() {
        "livelocks" => "Every infinite run makes progress",
        _ => "Every buffer is bounded",
    };
    let end = match cases.subject.as_str() {
        "livelocks" => "what goes on without progress would lower it for ever, and it is never below 0.",
        _ => "a buffer that grew for ever would need steps that lower it for ever, and it is never below 0.",
    };
    let told = worth(&[], &[], &[]);
    let (sentence, table) = match cases.weights.as_slice() {
        [] if cases.cases <= 1 => {
            (format!("There is a sum of weights that no such step raises: {end}"), told.table)
        }
        [] => (
            format!(
                "In the long run there are {} cases. In each a sum of weights leads to a contradiction: {end}",
                cases.cases
            ),
            told.table,
        ),
        weights => {
            let rows = weights.iter().map(|weight| [weight.of.clone(), weight.weight.to_string()]);
            let rows = long_table("Weights", ["Place", "Weight"], rows);
            let table =
                format!("<details><summary>The {} weights</summary>\n{rows}</details>\n", weights.len());
            (format!("There is a sum of weights that no such step raises: {end}"), table)
        }
    };
    format!("<article class=\"argument\"><h3>{what}</h3>\n<p>{}</p>\n{table}</article>\n", escaped(&sentence))
}
