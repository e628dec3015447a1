//! SARIF 2.1.0: one result a finding, with related locations, and its schedule as a code flow in
//! which each thread is a thread flow.

use crate::paths::uri;
use crate::schedule_text::thread_heading;
use crate::snippet::{own, place};
use crate::{FindingReport, RowKind, RunReport, Sources, property_help, property_word, verdict_line};
use selvedge_base::Location as Place;
use selvedge_model::FaultKind;
use serde_json::{Value, json};
use serde_sarif::sarif::{
    self, ArtifactLocation, CodeFlow, Invocation, Location, Message, MultiformatMessageString, Notification,
    PhysicalLocation, PropertyBag, Region, ReportingDescriptor, ResultLevel, Run, Sarif, ThreadFlow,
    ThreadFlowLocation, Tool, ToolComponent,
};
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
        let help = MultiformatMessageString::builder()
            .text(property_help(kind))
            .build();
        ReportingDescriptor::builder()
            .id(id)
            .short_description(help.clone())
            .help(help)
            .properties(properties([("property", json!(property_word(kind)))]))
            .build()
    });
    let notes = report.reasons.iter().map(|r| {
        let at = r
            .location
            .as_ref()
            .map(|l| format!(" at {}", place(l)))
            .unwrap_or_default();
        Notification::builder()
            .level(json!("warning"))
            .message(text(format!("{}{at}", r.detail)))
            .build()
    });
    let driver = ToolComponent::builder()
        .name("selvedge")
        .version(report.version.clone())
        .rules(rules.collect::<Vec<_>>())
        .build();
    let invocation = Invocation::builder()
        .execution_successful(true)
        .tool_execution_notifications(notes.collect::<Vec<_>>())
        .build();
    let results = report.findings.iter().map(|f| result(f, files));
    let run = Run::builder()
        .tool(Tool::builder().driver(driver).build())
        .invocations(vec![invocation])
        .column_kind(json!("unicodeCodePoints"))
        .results(results.collect::<Vec<_>>())
        .properties(properties([("verdict", json!(verdict_line(report)))]))
        .build();
    let whole = Sarif::builder()
        .version(json!("2.1.0"))
        .schema("https://json.schemastore.org/sarif-2.1.0.json")
        .runs(vec![run])
        .build();
    format!("{:#}\n", json!(whole))
}

fn text(text: impl Into<String>) -> Message {
    Message::builder().text(text.into()).build()
}

fn properties<const N: usize>(known: [(&str, Value); N]) -> PropertyBag {
    let known = known.map(|(name, value)| (name.to_owned(), value));
    PropertyBag::builder()
        .additional_properties(BTreeMap::from(known))
        .build()
}

fn result(f: &FindingReport, files: &Files<'_>) -> sarif::Result {
    let finding = &f.finding;
    let (at, _) = own(&finding.location, &finding.stack);
    let related = finding.related.iter().enumerate().map(|(id, r)| {
        let thread = match r.thread.as_str() {
            "" => String::new(),
            thread => format!("thread {thread}: "),
        };
        Location {
            id: Some(id as i64),
            message: Some(text(format!("{thread}{}", r.message))),
            ..location(own(&r.location, &r.stack).0, files)
        }
    });
    let result = sarif::Result::builder()
        .rule_id(finding.kind.name())
        .level(ResultLevel::Error)
        .message(text(&finding.message))
        .locations(vec![location(at, files)])
        .related_locations(related.collect::<Vec<_>>())
        .partial_fingerprints(BTreeMap::from([("selvedge/v1".to_owned(), fingerprint(f))]))
        .properties(properties([
            ("inputs", crate::inputs_json(&f.inputs)),
            ("schedule", json!(f.schedule.to_string())),
            ("thread", json!(finding.thread)),
        ]))
        .build();
    let flow = CodeFlow::builder().thread_flows(thread_flows(f, files)).build();
    sarif::Result {
        code_flows: (!f.rows.is_empty()).then(|| vec![flow]),
        ..result
    }
}

/// What stays the same when lines move: the kind, and the files and functions of all places.
fn fingerprint(f: &FindingReport) -> String {
    let finding = &f.finding;
    let part = |location: &Place, stack: &[Place]| {
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
fn thread_flows(f: &FindingReport, files: &Files<'_>) -> Vec<ThreadFlow> {
    let skipped = f.rows.len().saturating_sub(MOST_ROWS);
    let mut threads: BTreeMap<&str, Vec<ThreadFlowLocation>> = BTreeMap::new();
    for (number, row) in f.rows.iter().enumerate().skip(skipped) {
        let importance = match row.kind {
            RowKind::Step if !row.matters => "unimportant",
            RowKind::Step => "important",
            RowKind::Related | RowKind::Fault | RowKind::Waits => "essential",
        };
        let at = Location {
            message: Some(text(&row.text)),
            ..location(&row.location, files)
        };
        let step = ThreadFlowLocation::builder()
            .location(at)
            .execution_order(number as i64 + 1)
            .importance(json!(importance))
            .build();
        threads.entry(&row.thread).or_default().push(step);
    }
    let flow = |(thread, steps)| {
        ThreadFlow::builder()
            .id(thread_heading(f, thread))
            .locations(steps)
            .build()
    };
    threads.into_iter().map(flow).collect()
}

/// Where files are named from, and their texts.
struct Files<'a> {
    directory: &'a Path,
    sources: &'a Sources,
}

impl Files<'_> {
    /// A column in characters, from 1. Debug information counts bytes.
    fn column(&self, at: &Place) -> usize {
        let bytes = at.column as usize - 1;
        let text = self.sources.get(&at.file);
        let line = text.and_then(|text| text.lines().nth(at.line as usize - 1));
        match line.and_then(|line| line.get(..bytes)) {
            Some(before) => before.chars().count() + 1,
            None => bytes + 1,
        }
    }
}

fn location(at: &Place, files: &Files<'_>) -> Location {
    if at.file.is_empty() {
        return Location::builder().build();
    }
    let file = ArtifactLocation::builder()
        .uri(uri(&at.file, files.directory))
        .build();
    let region = Region {
        start_line: (at.line > 0).then_some(i64::from(at.line)),
        start_column: (at.line > 0 && at.column > 0).then(|| files.column(at) as i64),
        ..Region::builder().build()
    };
    let physical = PhysicalLocation {
        region: (at.line > 0).then_some(region),
        ..PhysicalLocation::builder().artifact_location(file).build()
    };
    Location::builder().physical_location(physical).build()
}
