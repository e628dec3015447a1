//! SARIF 2.1.0: one result a finding, with related locations, and its schedule as a code flow in
//! which each thread is a thread flow.

use crate::paths::uri;
use crate::schedule_text::thread_heading;
use crate::snippet::{own, place};
use crate::{FindingReport, RowKind, RunReport, Sources, property_help, property_word, verdict_line};
use selvedge_base::Location;
use selvedge_model::FaultKind;
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::path::Path;

/// Rows of a schedule that are given; those before them are left out.
const MOST_ROWS: usize = 1000;

/// The report as SARIF, ended by a line feed. Files in a directory are named from there; columns
/// are characters of the sources, where these are known.
pub fn sarif(report: &RunReport, directory: &Path, sources: &Sources) -> String {
    let files = Files { directory, sources };
    let files = &files;
    let kinds: BTreeMap<&str, FaultKind> = report
        .findings
        .iter()
        .map(|f| (f.finding.kind.name(), f.finding.kind))
        .collect();
    let rules = kinds.into_iter().map(|(id, kind)| {
        json!({
            "id": id,
            "shortDescription": {"text": property_help(kind)},
            "help": {"text": property_help(kind)},
            "properties": {"property": property_word(kind)},
        })
    });
    let results = report.findings.iter().map(|f| result(f, files));
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
                "rules": rules.collect::<Vec<_>>(),
            }},
            "invocations": [{"executionSuccessful": true, "toolExecutionNotifications": notes.collect::<Vec<_>>()}],
            "columnKind": "unicodeCodePoints",
            "results": results.collect::<Vec<_>>(),
            "properties": {"verdict": verdict_line(report)},
        }],
    });
    format!("{value:#}\n")
}

fn result(f: &FindingReport, files: &Files<'_>) -> Value {
    let finding = &f.finding;
    let (at, _) = own(&finding.location, &finding.stack);
    let related = finding.related.iter().enumerate().map(|(id, r)| {
        let mut value = location(own(&r.location, &r.stack).0, files);
        value["id"] = json!(id);
        let thread = match r.thread.as_str() {
            "" => String::new(),
            thread => format!("thread {thread}: "),
        };
        value["message"] = json!({"text": format!("{thread}{}", r.message)});
        value
    });
    let mut value = json!({
        "ruleId": finding.kind.name(),
        "level": "error",
        "message": {"text": finding.message},
        "locations": [location(at, files)],
        "relatedLocations": related.collect::<Vec<_>>(),
        "partialFingerprints": {"selvedge/v1": fingerprint(f)},
        "properties": {
            "inputs": crate::inputs_json(&f.inputs),
            "schedule": f.schedule.to_string(),
            "thread": finding.thread,
        },
    });
    if !f.rows.is_empty() {
        value["codeFlows"] = json!([{"threadFlows": thread_flows(f, files)}]);
    }
    value
}

/// What stays the same when lines move: the kind, and the files and functions of all places.
fn fingerprint(f: &FindingReport) -> String {
    let finding = &f.finding;
    let part = |location: &Location, stack: &[Location]| {
        let (at, _) = own(location, stack);
        let file = at.file.rsplit('/').next().unwrap_or_default();
        format!("{file}:{}", at.function)
    };
    let mut others: Vec<String> = finding
        .related
        .iter()
        .map(|r| part(&r.location, &r.stack))
        .collect();
    others.sort();
    let first = part(&finding.location, &finding.stack);
    format!("{}|{first}|{}", finding.kind.name(), others.join("|"))
}

/// The schedule: what each thread does, numbered in the order of all.
fn thread_flows(f: &FindingReport, files: &Files<'_>) -> Vec<Value> {
    let skipped = f.rows.len().saturating_sub(MOST_ROWS);
    let mut threads: BTreeMap<&str, Vec<Value>> = BTreeMap::new();
    for (number, row) in f.rows.iter().enumerate().skip(skipped) {
        let importance = match row.kind {
            RowKind::Step if !row.matters => "unimportant",
            RowKind::Step => "important",
            RowKind::Related | RowKind::Fault | RowKind::Waits => "essential",
        };
        let mut at = location(&row.location, files);
        at["message"] = json!({"text": row.text});
        threads.entry(&row.thread).or_default().push(json!({
            "location": at,
            "executionOrder": number + 1,
            "importance": importance,
        }));
    }
    let flow =
        |(thread, steps): (&str, Vec<Value>)| json!({"id": thread_heading(f, thread), "locations": steps});
    threads.into_iter().map(flow).collect()
}

/// Where files are named from, and their texts.
struct Files<'a> {
    directory: &'a Path,
    sources: &'a Sources,
}

impl Files<'_> {
    /// A column in characters, from 1. Debug information counts bytes.
    fn column(&self, at: &Location) -> usize {
        let bytes = at.column as usize - 1;
        let text = self.sources.get(&at.file);
        let line = text.and_then(|text| text.lines().nth(at.line as usize - 1));
        match line.and_then(|line| line.get(..bytes)) {
            Some(before) => before.chars().count() + 1,
            None => bytes + 1,
        }
    }
}

fn location(at: &Location, files: &Files<'_>) -> Value {
    if at.file.is_empty() {
        return json!({});
    }
    let mut physical = json!({"artifactLocation": {"uri": uri(&at.file, files.directory)}});
    if at.line > 0 {
        physical["region"] = if at.column > 0 {
            json!({"startLine": at.line, "startColumn": files.column(at)})
        } else {
            json!({"startLine": at.line})
        };
    }
    json!({"physicalLocation": physical})
}
