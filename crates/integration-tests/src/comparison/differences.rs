//! The table of differences that are known, with a reason for each.

use std::collections::{BTreeMap, BTreeSet};

use super::run::{Compared, Graphs};
use super::verdict::Class;

/// What a difference is about: the model, and the process type if it is about a graph.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Key {
    /// The model's name.
    pub model: String,
    /// The process type; `None` if the difference is that only one side accepts the model.
    pub process: Option<String>,
}

/// A difference that was found.
#[derive(Clone, Debug)]
pub struct Found {
    /// What it is about.
    pub key: Key,
    /// What it is, in words.
    pub text: String,
}

/// The reasons by what they are about.
pub type Reasons = BTreeMap<Key, String>;

/// Reads the table: model, process type or `-`, and reason, between tabs; `#` begins a comment.
///
/// # Panics
/// If a line has not three parts, or two lines are about the same.
#[must_use]
pub fn reasons(table: &str) -> Reasons {
    let mut found = Reasons::new();
    for line in table.lines().filter(|line| !line.is_empty() && !line.starts_with('#')) {
        let parts: Vec<&str> = line.split('\t').collect();
        let [model, process, reason] = parts[..] else { panic!("three parts, tabs between them: {line}") };
        let process = (process != "-").then(|| process.to_owned());
        let earlier = found.insert(Key { model: model.to_owned(), process }, reason.to_owned());
        assert!(earlier.is_none(), "two reasons for one difference: {line}");
    }
    found
}

/// The differences among results. That Spin does not come as far as the text itself is none.
#[must_use]
pub fn found(results: &[Compared]) -> Vec<Found> {
    let mut all = Vec::new();
    for result in results.iter().filter(|result| !result.model.fragment) {
        let of = |process: Option<&str>| Key {
            model: result.model.name.clone(),
            process: process.map(str::to_owned),
        };
        match (result.spin.rejected, result.accepted) {
            (None, false) => all.push(Found { key: of(None), text: result.error.clone() }),
            (Some(Class::Language), true) => {
                all.push(Found { key: of(None), text: result.spin.complaint.clone() });
            }
            _ => {}
        }
        match &result.graphs {
            Graphs::Compared(processes, _) => {
                for process in processes {
                    if let Some(difference) = &process.walk.difference {
                        let key = of(Some(&process.name));
                        all.push(Found { key, text: difference.text.clone() });
                    }
                }
            }
            Graphs::Unavailable(text) => {
                all.push(Found { key: of(Some("(all)")), text: text.clone() });
            }
            Graphs::None => {}
        }
    }
    all
}

/// What is wrong with the table: differences without a reason, and reasons for what is no
/// difference. With `graphs` only if all graphs of the models were compared.
#[must_use]
pub fn problems(results: &[Compared], reasons: &Reasons, graphs: bool) -> Vec<String> {
    let found = found(results);
    let mut problems = Vec::new();
    for difference in &found {
        if !reasons.contains_key(&difference.key) {
            let process = difference.key.process.as_deref().unwrap_or("-");
            problems.push(format!("{}\t{process}\tno reason: {}", difference.key.model, difference.text));
        }
    }
    let keys: BTreeSet<&Key> = found.iter().map(|difference| &difference.key).collect();
    let seen: BTreeSet<&str> = results.iter().map(|result| result.model.name.as_str()).collect();
    for key in reasons.keys().filter(|key| seen.contains(key.model.as_str())) {
        if !keys.contains(key) && (graphs || key.process.is_none()) {
            let process = key.process.as_deref().unwrap_or("-");
            problems.push(format!("{}\t{process}\tno such difference any more", key.model));
        }
    }
    problems
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_table_has_three_columns() {
        let reasons = reasons("# model\tprocess\treason\na.pml\t-\tbecause\na.pml\tP\tand so\n");
        let key = Key { model: "a.pml".into(), process: Some("P".into()) };
        assert_eq!((reasons.len(), reasons[&key].as_str()), (2, "and so"));
    }
}
