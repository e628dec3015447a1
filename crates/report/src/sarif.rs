//! SARIF 2.1.0: one result a finding, with related locations.

use crate::snippet::place;
use crate::{RunReport, verdict_line};
use selvedge_base::Location;
use serde_json::{Value, json};

/// The report as SARIF, ended by a line feed.
pub fn sarif(report: &RunReport) -> String {
    let mut rules: Vec<&str> = report.findings.iter().map(|f| f.finding.kind.name()).collect();
    rules.sort_unstable();
    rules.dedup();
    let results = report.findings.iter().map(|f| {
        let related = f.finding.related.iter().enumerate().map(|(id, r)| {
            let mut value = location(&r.location);
            value["id"] = json!(id);
            value["message"] = json!({"text": if r.thread.is_empty() { r.message.clone() } else { format!("thread {}: {}", r.thread, r.message) }});
            value
        });
        json!({
            "ruleId": f.finding.kind.name(),
            "level": "error",
            "message": {"text": f.finding.message},
            "locations": [location(&f.finding.location)],
            "relatedLocations": related.collect::<Vec<_>>(),
            "properties": {
                "inputs": crate::inputs_json(&f.inputs),
                "schedule": f.schedule.to_string(),
                "thread": f.finding.thread,
            },
        })
    });
    let notes = report.reasons.iter().map(|r| {
        let at = r
            .location
            .as_ref()
            .map(|l| format!(" at {}", place(l)))
            .unwrap_or_default();
        json!({"level": "warning", "message": {"text": format!("{}{at}", r.detail)}})
    });
    let value = json!({
        "version": "2.1.0",
        "$schema": "https://json.schemastore.org/sarif-2.1.0.json",
        "runs": [{
            "tool": {"driver": {
                "name": "selvedge",
                "version": report.version,
                "rules": rules.iter().map(|id| json!({"id": id})).collect::<Vec<_>>(),
            }},
            "invocations": [{"executionSuccessful": true, "toolExecutionNotifications": notes.collect::<Vec<_>>()}],
            "results": results.collect::<Vec<_>>(),
            "properties": {"verdict": verdict_line(report)},
        }],
    });
    format!("{value:#}\n")
}

fn location(at: &Location) -> Value {
    if at.file.is_empty() {
        return json!({});
    }
    let mut physical = json!({"artifactLocation": {"uri": at.file}});
    if at.line > 0 {
        physical["region"] = if at.column > 0 {
            json!({"startLine": at.line, "startColumn": at.column})
        } else {
            json!({"startLine": at.line})
        };
    }
    json!({"physicalLocation": physical})
}
