//! JSON, schema 1 (docs/json.md).

use crate::covered::covered_json;
use crate::lcov::coverage_json;
use crate::paths::location;
use crate::{AccessSite, AssertionReport, FindingReport, Reason, Row, RunReport, property_word, reason_word};
use selvedge_base::Location;
use selvedge_model::Verdict;
use serde_json::{Value, json};

/// The report as JSON, ended by a line feed.
pub fn json(report: &RunReport) -> String {
    let value = json!({
        "schema": 1,
        "tool": {"name": "selvedge", "version": report.version},
        "input": report.inputs,
        "verdict": match report.verdict {
            Verdict::Verified => "verified",
            Verdict::Violated => "violated",
            Verdict::Unknown => "unknown",
        },
        "reason": report.reasons.first().map_or(Value::Null, reason),
        "reasons": report.reasons.iter().map(reason).collect::<Vec<_>>(),
        "assumptions": report.assumptions,
        "strategy": report.strategy,
        "also": report.also,
        "dependence": report.dependence,
        "visibility": report.visibility,
        "statistics": report.statistics,
        "solver": report.layers,
        "coverage": report.coverage.as_ref().map_or(Value::Null, coverage_json),
        "covered": report.covered.as_ref().map_or(Value::Null, covered_json),
        "assertions": report.assertions.as_ref().map_or(Value::Null, |all| all.iter().map(assertion).collect()),
        "findings": report.findings.iter().map(finding).collect::<Vec<_>>(),
    });
    format!("{value:#}\n")
}

fn assertion(assertion: &AssertionReport) -> Value {
    json!({"location": location(&assertion.location), "by_order": assertion.by_order})
}

fn reason(reason: &Reason) -> Value {
    json!({
        "kind": reason_word(reason),
        "detail": reason.detail,
        "location": reason.location.as_ref().map_or(Value::Null, location),
    })
}

/// The steps that are given of a longer schedule: the last ones.
const MOST_STEPS: usize = 10_000;

fn step(row: &Row) -> Value {
    json!({
        "thread": row.thread,
        "text": row.text,
        "kind": row.kind,
        "location": location(&row.location),
        "held": row.held,
        "after": row.after,
        "matters": row.matters,
    })
}

fn site(site: &AccessSite) -> Value {
    json!({
        "write": site.write,
        "location": location(&site.location),
        "thread": site.thread,
        "held": site.held,
    })
}

pub(crate) fn finding(report: &FindingReport) -> Value {
    let finding = &report.finding;
    let left_out = report.rows.len().saturating_sub(MOST_STEPS);
    let stack = |stack: &[Location]| stack.iter().map(location).collect::<Vec<_>>();
    let related = finding.related.iter().map(|r| {
        json!({"message": r.message, "location": location(&r.location), "thread": r.thread, "stack": stack(&r.stack)})
    });
    json!({
        "kind": finding.kind.name(),
        "property": property_word(finding.kind),
        "message": finding.message,
        "cause": report.cause,
        "fewest_switches": report.fewest_switches,
        "location": location(&finding.location),
        "stack": stack(&finding.stack),
        "thread": finding.thread,
        "related": related.collect::<Vec<_>>(),
        "inputs": crate::inputs_json(&report.inputs),
        "schedule": report.schedule.to_string(),
        "threads": report.threads,
        "sites": report.sites.iter().map(site).collect::<Vec<_>>(),
        "steps": report.rows[left_out..].iter().map(step).collect::<Vec<_>>(),
        "steps_left_out": left_out,
        "count": finding.count,
    })
}
