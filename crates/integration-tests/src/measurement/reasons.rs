//! The table of models that do not get through the abstraction in time, with a reason for each.

use std::collections::BTreeMap;

use super::run::Measured;

/// Reasons by the model's name.
pub type Reasons = BTreeMap<String, String>;

/// Reads the table: model and reason, a tab between them; `#` begins a comment.
///
/// # Panics
/// If a line has not two parts, or two lines are about the same.
#[must_use]
pub fn reasons(table: &str) -> Reasons {
    let mut found = Reasons::new();
    for line in table.lines().filter(|line| !line.is_empty() && !line.starts_with('#')) {
        let parts: Vec<&str> = line.split('\t').collect();
        let [model, reason] = parts[..] else { panic!("two parts, a tab between them: {line}") };
        let earlier = found.insert(model.to_owned(), reason.to_owned());
        assert!(earlier.is_none(), "two reasons for one model: {line}");
    }
    found
}

/// What is wrong with the table: trouble without a reason, and reasons for what is no trouble.
#[must_use]
pub fn problems(results: &[Measured], reasons: &Reasons) -> Vec<String> {
    let mut problems = Vec::new();
    for result in results {
        let reason = reasons.get(&result.name);
        match (result.trouble(), reason) {
            (Some(trouble), None) => problems.push(format!("{}\tno reason: {trouble}", result.name)),
            (None, Some(_)) => problems.push(format!("{}\tno trouble any more", result.name)),
            (Some(_), Some(_)) | (None, None) => {}
        }
    }
    problems
}

#[cfg(test)]
mod tests {
    use super::super::run::End;
    use super::*;

    #[test]
    fn trouble_and_reasons_belong_together() {
        let reasons = reasons("# model\treason\na.pml\tbecause\nb.pml\tand so\n");
        let result = |name: &str, end| Measured { name: name.into(), findings: vec![], end };
        let mut results = vec![result("a.pml", End::Late), result("c.pml", End::Late)];
        assert_eq!(problems(&results, &reasons), ["c.pml\tno reason: is not abstracted within 20 s"]);
        results[1] = result("b.pml", End::Done);
        results[1].findings.push(super::super::figures::Finding::Rejected("no".into()));
        assert_eq!(problems(&results, &reasons), ["b.pml\tno trouble any more"]);
    }
}
