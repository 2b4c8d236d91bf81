//! Conditions that hang on the environment, for people: a row for each.

use comfy_table::{Table, presets};

use crate::view::{ConditionListing, ConditionRow};
use crate::visible;

/// Renders the conditions that hang on the environment, or a sentence that there are none.
#[must_use]
pub fn environment_conditions(listing: &ConditionListing) -> String {
    let listing = visible::view(listing);
    let open = quoted(&listing.open);
    if listing.conditions.is_empty() {
        return format!("No condition hangs on the environment: what comes from {open} decides nothing.\n");
    }
    let mut table = Table::new();
    table.load_style(presets::NOTHING);
    for row in &listing.conditions {
        table.add_row(columns(row));
    }
    let rows: Vec<String> = table.lines().map(|line| line.trim_end().to_owned()).collect();
    let hang = match listing.conditions.len() {
        1 => "1 condition hangs".to_owned(),
        count => format!("{count} conditions hang"),
    };
    format!("{hang} on the environment, which uses {open}:\n\n{}\n", rows.join("\n"))
}

fn columns(row: &ConditionRow) -> [String; 5] {
    let when = if row.always { "always" } else { "sometimes" };
    let place = if row.line == 0 { row.file.clone() } else { format!("{}:{}", row.file, row.line) };
    let sources = format!("from {}, {when}", quoted(&row.sources));
    [place, row.process.clone(), row.text.clone(), row.part.clone(), sources]
}

fn quoted(names: &[String]) -> String {
    let names: Vec<String> = names.iter().map(|name| format!("`{name}`")).collect();
    names.join(", ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_and_none() {
        let row = ConditionRow {
            file: "m.pml".into(),
            line: 7,
            process: "P".into(),
            text: "x > 3".into(),
            part: "x".into(),
            sources: vec!["a".into(), "b".into()],
            always: false,
        };
        let mut listing = ConditionListing { open: vec!["a".into(), "b".into()], conditions: vec![row] };
        let text = environment_conditions(&listing);
        let expected = "1 condition hangs on the environment, which uses `a`, `b`:\n\n \
                        m.pml:7  P  x > 3  x  from `a`, `b`, sometimes\n";
        assert_eq!(text, expected);
        listing.conditions.clear();
        assert!(environment_conditions(&listing).starts_with("No condition hangs on the environment"));
    }
}
