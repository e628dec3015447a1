//! Format 1.0: an automaton with one path, as GraphML.

use super::{Waypoint, WitnessTask, sha256, target, waypoints};
use crate::FindingReport;
use quick_xml::Writer;
use quick_xml::events::{BytesDecl, BytesText, Event};
use std::io;

/// The kinds of data: id, name, type, of what.
const KEYS: [(&str, &str, &str, &str); 18] = [
    ("witness-type", "witness-type", "string", "graph"),
    ("sourcecodelang", "sourcecodeLanguage", "string", "graph"),
    ("producer", "producer", "string", "graph"),
    ("specification", "specification", "string", "graph"),
    ("programfile", "programFile", "string", "graph"),
    ("programhash", "programHash", "string", "graph"),
    ("architecture", "architecture", "string", "graph"),
    ("creationtime", "creationTime", "string", "graph"),
    ("entry", "isEntryNode", "boolean", "node"),
    ("violation", "isViolationNode", "boolean", "node"),
    ("threadId", "threadId", "string", "edge"),
    ("createThread", "createThread", "string", "edge"),
    ("startline", "startline", "int", "edge"),
    ("endline", "endline", "int", "edge"),
    ("originfile", "originFileName", "string", "edge"),
    ("enterFunction", "enterFunction", "string", "edge"),
    ("assumption", "assumption", "string", "edge"),
    (
        "assumption.resultfunction",
        "assumption.resultfunction",
        "string",
        "edge",
    ),
];

pub(super) fn write(finding: &FindingReport, task: &WitnessTask<'_>) -> String {
    let mut writer = Writer::new_with_indent(Vec::new(), b' ', 2);
    // A vector takes what is written to it.
    let _ = document(&mut writer, finding, task);
    let mut text = String::from_utf8_lossy(&writer.into_inner()).into_owned();
    text.push('\n');
    text
}

type Out = Writer<Vec<u8>>;

fn document(out: &mut Out, finding: &FindingReport, task: &WitnessTask<'_>) -> io::Result<()> {
    out.write_event(Event::Decl(BytesDecl::new("1.0", Some("UTF-8"), None)))?;
    let root = out.create_element("graphml").with_attributes([
        ("xmlns", "http://graphml.graphdrawing.org/xmlns"),
        ("xmlns:xsi", "http://www.w3.org/2001/XMLSchema-instance"),
    ]);
    root.write_inner_content(|out| {
        for (id, name, kind, of) in KEYS {
            out.create_element("key")
                .with_attributes([("attr.name", name), ("attr.type", kind), ("for", of), ("id", id)])
                .write_empty()?;
        }
        out.create_element("graph")
            .with_attribute(("edgedefault", "directed"))
            .write_inner_content(|out| graph(out, finding, task))?;
        Ok(())
    })?;
    Ok(())
}

fn graph(out: &mut Out, finding: &FindingReport, task: &WitnessTask<'_>) -> io::Result<()> {
    let first = task.files.first();
    let hash = first.map(|(_, bytes)| sha256(bytes)).unwrap_or_default();
    let producer = format!("Selvedge {}", task.version);
    for (key, text) in [
        ("witness-type", "violation_witness"),
        ("sourcecodelang", "C"),
        ("producer", &producer),
        ("specification", task.specification),
        ("programfile", first.map_or("", |(name, _)| name)),
        ("programhash", &hash),
        ("architecture", "64bit"),
        ("creationtime", task.time),
    ] {
        data(out, key, text)?;
    }
    let mut points = waypoints(finding);
    let (thread, location) = target(finding);
    points.push(Waypoint {
        thread,
        location,
        enters: None,
        creates: None,
        returns: None,
    });
    let end = points.len();
    for number in 0..=end {
        let id = format!("n{number}");
        let node = out.create_element("node").with_attribute(("id", id.as_str()));
        match number {
            0 => {
                node.write_inner_content(|out| data(out, "entry", "true"))?;
            }
            _ if number == end => {
                node.write_inner_content(|out| data(out, "violation", "true"))?;
            }
            _ => {
                node.write_empty()?;
            }
        }
    }
    for (number, point) in points.iter().enumerate() {
        let (from, to) = (format!("n{number}"), format!("n{}", number + 1));
        out.create_element("edge")
            .with_attributes([("source", from.as_str()), ("target", to.as_str())])
            .write_inner_content(|out| edge(out, point))?;
    }
    Ok(())
}

fn edge(out: &mut Out, point: &Waypoint<'_>) -> io::Result<()> {
    data(out, "threadId", &point.thread.to_string())?;
    if let Some(created) = point.creates {
        data(out, "createThread", &created.to_string())?;
    }
    let at = point.location;
    if at.line > 0 {
        data(out, "startline", &at.line.to_string())?;
        data(out, "endline", &at.line.to_string())?;
        data(out, "originfile", &at.file)?;
    }
    if let Some(function) = point.enters {
        data(out, "enterFunction", function)?;
    }
    if let Some((function, value)) = &point.returns {
        data(out, "assumption", &format!("\\result == {value};"))?;
        data(out, "assumption.resultfunction", function)?;
    }
    Ok(())
}

fn data(out: &mut Out, key: &str, text: &str) -> io::Result<()> {
    out.create_element("data")
        .with_attribute(("key", key))
        .write_text_content(BytesText::new(text))?;
    Ok(())
}
