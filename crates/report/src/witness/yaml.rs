//! Format 2.0: a sequence of waypoints, as YAML.
//!
//! Format 2.0 knows no threads, so of a program with several ones only the target and the values of
//! inputs of the main thread's beginning are given: an order of steps of several threads would be
//! read as that of one.

use super::{Waypoint, WitnessTask, sha256, target, waypoints};
use crate::FindingReport;
use selvedge_base::Location;
use serde_json::{Value, json};

pub(super) fn write(finding: &FindingReport, task: &WitnessTask<'_>) -> String {
    let names: Vec<&str> = task.files.iter().map(|(name, _)| name.as_str()).collect();
    let hashes: serde_json::Map<String, Value> = task
        .files
        .iter()
        .map(|(name, bytes)| (name.clone(), json!(sha256(bytes))))
        .collect();
    let points = waypoints(finding);
    let alone = points
        .iter()
        .position(|point| point.creates.is_some())
        .unwrap_or(points.len());
    let inputs = points[..alone].iter().filter_map(assumption);
    let (_, at) = target(finding);
    let last = json!({"segment": [waypoint("target", at, None)]});
    let content: Vec<Value> = inputs.chain([last]).collect();
    let entry = json!([{
        "entry_type": "violation_sequence",
        "metadata": {
            "format_version": "2.0",
            "uuid": uuid(finding, task),
            "creation_time": task.time,
            "producer": {"name": "Selvedge", "version": task.version},
            "task": {
                "input_files": names,
                "input_file_hashes": hashes,
                "specification": task.specification,
                "data_model": "LP64",
                "language": "C",
            },
        },
        "content": content,
    }]);
    // What is text and numbers alone can always be written.
    let text = serde_norway::to_string(&entry).unwrap_or_default();
    // Readers of YAML 1.1 take it for a date, which is no text as the format wants it.
    text.replace(
        &format!("creation_time: {}\n", task.time),
        &format!("creation_time: '{}'\n", task.time),
    )
}

/// The segment that says what a function of an input returns.
fn assumption(point: &Waypoint<'_>) -> Option<Value> {
    let (_, value) = point.returns.as_ref()?;
    let constraint = json!({"value": format!("\\result == {value}"), "format": "ext_c_expression"});
    let point = waypoint("function_return", point.location, Some(constraint));
    Some(json!({"segment": [point]}))
}

fn waypoint(kind: &str, at: &Location, constraint: Option<Value>) -> Value {
    let mut location = json!({"file_name": at.file, "line": at.line});
    if at.column > 0 && kind == "target" {
        location["column"] = json!(at.column);
    }
    if !at.function.is_empty() {
        location["function"] = json!(at.function);
    }
    let mut point = json!({"type": kind, "action": "follow", "location": location});
    if let Some(constraint) = constraint {
        point["constraint"] = constraint;
    }
    json!({"waypoint": point})
}

/// A name of the witness: a function of what it says, so that the same finding has the same.
fn uuid(finding: &FindingReport, task: &WitnessTask<'_>) -> String {
    let text = format!("{}{}{}", task.time, task.specification, finding.schedule);
    let mut hash = xxhash_rust::xxh3::xxh3_128(text.as_bytes());
    // Version 8 of RFC 9562: contents as the producer likes.
    hash = hash & !(0xf << 76) | 0x8 << 76;
    hash = hash & !(0x3 << 62) | 0x2 << 62;
    let hex = format!("{hash:032x}");
    format!(
        "{}-{}-{}-{}-{}",
        &hex[..8],
        &hex[8..12],
        &hex[12..16],
        &hex[16..20],
        &hex[20..]
    )
}
