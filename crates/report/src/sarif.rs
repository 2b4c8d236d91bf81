//! SARIF renderer: one log of version 2.1.0 with one run, for code scanning.
//!
//! What is refuted is an error, what is undecided a warning, and what is worth knowing a note, each
//! at its line. A run that shows it is a code flow. What is proved gives no result.

use std::fmt::Write as _;

use serde_json::{Value, json};

use crate::alerts::{self, Alert, Level, Place, RULES};
use crate::json;
use crate::view::{FileReport, Verdict};

/// The address of the schema that logs of this version name.
const SCHEMA: &str = "https://json.schemastore.org/sarif-2.1.0.json";

/// Renders the results for files. Time linear in them.
#[must_use]
pub fn render(files: &[FileReport]) -> String {
    let alerts: Vec<Alert> = files.iter().flat_map(alerts::of_file).collect();
    let mut rules: Vec<Value> = RULES
        .iter()
        .map(|rule| json!({ "id": rule.id, "shortDescription": { "text": rule.text } }))
        .collect();
    for alert in &alerts {
        if rules.iter().all(|rule| rule["id"] != alert.rule.as_str()) {
            rules.push(json!({ "id": alert.rule }));
        }
    }
    let results: Vec<Value> = alerts.iter().map(result).collect();
    let successful = files.iter().all(|file| file.check.is_some());
    let log = json!({
        "$schema": SCHEMA,
        "version": "2.1.0",
        "runs": [{
            "tool": { "driver": {
                "name": "freeboard",
                "version": env!("CARGO_PKG_VERSION"),
                "rules": rules,
            } },
            "invocations": [{ "executionSuccessful": successful }],
            "results": results,
            "properties": { "files": files.iter().map(summary).collect::<Vec<_>>() },
        }],
    });
    json::render(&log)
}

/// The verdicts on a file, with what they rest on.
fn summary(report: &FileReport) -> Value {
    let verdicts = report.check.iter().flat_map(|check| &check.property_results).map(|result| {
        let verdict = match result.verdict {
            Verdict::Proved => "proved",
            Verdict::Refuted => "refuted",
            Verdict::Unknown => "unknown",
        };
        json!({ "property": result.property, "verdict": verdict, "trust": result.trust })
    });
    let verdicts: Vec<Value> = verdicts.collect();
    let assumptions = report.check.as_ref().map(|check| check.assumptions.clone()).unwrap_or_default();
    json!({ "file": report.file, "status": report.status, "verdicts": verdicts, "assumptions": assumptions })
}

fn result(alert: &Alert) -> Value {
    let level = match alert.level {
        Level::Error => "error",
        Level::Warning => "warning",
        Level::Note => "note",
    };
    let mut result = json!({
        "ruleId": alert.rule,
        "level": level,
        "message": { "text": alert.text },
        "locations": [{ "physicalLocation": physical(&alert.place) }],
        // The same over changes of lines elsewhere in the file.
        "partialFingerprints": { "subject/v1": format!("{}:{}:{}", alert.place.file, alert.rule, alert.name) },
    });
    let run: Vec<Value> = alert
        .run
        .iter()
        .map(|stop| {
            json!({ "location": {
                "physicalLocation": physical(&stop.place),
                "message": { "text": stop.text },
            } })
        })
        .collect();
    if !run.is_empty() {
        result["codeFlows"] = json!([{ "threadFlows": [{ "locations": run }] }]);
    }
    result
}

fn physical(place: &Place) -> Value {
    let mut location = json!({ "artifactLocation": { "uri": uri(&place.file) } });
    if place.line > 0 {
        location["region"] = json!({ "startLine": place.line });
    }
    location
}

/// A path as a URI reference: all bytes that may not stand in one are percent-encoded.
fn uri(path: &str) -> String {
    let mut uri = String::from(if path.starts_with('/') { "file://" } else { "" });
    for byte in path.bytes() {
        match byte {
            b'\\' => uri.push('/'),
            b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' | b'/' | b'-' | b'_' | b'.' | b'~' => {
                uri.push(byte.into())
            }
            _ => {
                let _ = write!(uri, "%{byte:02X}");
            }
        }
    }
    uri
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_are_uri_references() {
        assert_eq!(uri("models/a b.pml"), "models/a%20b.pml");
        assert_eq!(uri("/models/ä:1.pml"), "file:///models/%C3%A4%3A1.pml");
        assert_eq!(uri("<stdin>"), "%3Cstdin%3E");
    }
}
