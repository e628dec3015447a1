//! A report as diagnostics, file by file.

use crate::uri::from_path;
use lsp_types::{
    Diagnostic, DiagnosticRelatedInformation, DiagnosticSeverity, Location, NumberOrString, Position, Range,
    Uri,
};
use serde::Deserialize;
use std::collections::BTreeMap;
use std::path::Path;

/// What is read of a report (docs/json.md).
#[derive(Deserialize)]
struct Report {
    verdict: String,
    reasons: Vec<Reason>,
    findings: Vec<Finding>,
}

#[derive(Deserialize)]
struct Reason {
    kind: String,
    detail: String,
    location: Option<Place>,
}

#[derive(Deserialize)]
struct Finding {
    kind: String,
    message: String,
    cause: Option<String>,
    location: Place,
    stack: Vec<Place>,
    related: Vec<Related>,
}

#[derive(Deserialize)]
struct Related {
    message: String,
    thread: String,
    location: Place,
    stack: Vec<Place>,
}

#[derive(Deserialize, Clone, Default)]
struct Place {
    file: String,
    line: u32,
    column: u32,
}

/// What a report says.
pub(crate) struct Said {
    /// The verdict.
    pub(crate) verdict: String,
    /// Why it is unknown, where that has no place.
    pub(crate) reasons: Vec<String>,
    /// Diagnostics by the file's URI.
    pub(crate) files: BTreeMap<String, (Uri, Vec<Diagnostic>)>,
}

/// Reads a report whose files are named from a directory.
pub(crate) fn read(report: &str, directory: &Path) -> Result<Said, serde_json::Error> {
    let report: Report = serde_json::from_str(report)?;
    let mut said = Said {
        verdict: report.verdict,
        reasons: Vec::new(),
        files: BTreeMap::new(),
    };
    for finding in &report.findings {
        let mut message = finding.message.clone();
        if let Some(cause) = &finding.cause {
            message.push_str("\ncause: ");
            message.push_str(cause);
        }
        let related = finding.related.iter().filter_map(|related| {
            let location = location(own(&related.location, &related.stack), directory)?;
            let message = match related.thread.as_str() {
                "" => related.message.clone(),
                thread => format!("thread {thread}: {}", related.message),
            };
            Some(DiagnosticRelatedInformation { location, message })
        });
        let diagnostic = Diagnostic {
            severity: Some(DiagnosticSeverity::ERROR),
            code: Some(NumberOrString::String(finding.kind.clone())),
            message,
            related_information: Some(related.collect()),
            ..Diagnostic::default()
        };
        said.add(own(&finding.location, &finding.stack), diagnostic, directory);
    }
    for reason in &report.reasons {
        let text = format!("unknown: {}: {}", reason.kind, reason.detail);
        let placed = reason.location.as_ref().is_some_and(|place| {
            let diagnostic = Diagnostic {
                severity: Some(DiagnosticSeverity::INFORMATION),
                code: Some(NumberOrString::String("unknown".to_owned())),
                message: text.clone(),
                ..Diagnostic::default()
            };
            said.add(place, diagnostic, directory)
        });
        if !placed {
            said.reasons.push(text);
        }
    }
    Ok(said)
}

impl Said {
    /// Whether the place is in a file.
    fn add(&mut self, place: &Place, diagnostic: Diagnostic, directory: &Path) -> bool {
        let Some(Location { uri, range }) = location(place, directory) else {
            return false;
        };
        let file = self.files.entry(uri.as_str().to_owned());
        let (_, all) = file.or_insert_with(|| (uri, Vec::new()));
        all.push(Diagnostic {
            range,
            source: Some("selvedge".to_owned()),
            ..diagnostic
        });
        true
    }
}

/// The innermost place of the program itself.
fn own<'a>(place: &'a Place, stack: &'a [Place]) -> &'a Place {
    let is_own = |place: &&Place| {
        let at = selvedge_base::Location {
            file: place.file.clone(),
            ..selvedge_base::Location::default()
        };
        !place.file.is_empty() && !at.is_of_system()
    };
    std::iter::once(place).chain(stack).find(is_own).unwrap_or(place)
}

fn location(place: &Place, directory: &Path) -> Option<Location> {
    if place.file.is_empty() || place.line == 0 {
        return None;
    }
    let text = std::fs::read(directory.join(&place.file)).unwrap_or_default();
    let text = String::from_utf8_lossy(&text);
    let line = text.lines().nth(place.line as usize - 1).unwrap_or_default();
    Some(Location {
        uri: from_path(&place.file, directory)?,
        range: range(place.line - 1, place.column, line),
    })
}

/// From a column, counted in bytes from 1, to the end of the line. Positions are counted in units
/// of UTF-16 from 0.
fn range(line: u32, column: u32, text: &str) -> Range {
    let units = |text: &str| text.encode_utf16().count() as u32;
    let indented = text.len() - text.trim_start().len();
    let first = match column {
        0 => indented,
        column => column as usize - 1,
    };
    let before = text.get(..first).unwrap_or_default();
    let start = units(before);
    let end = units(text.trim_end()).max(start);
    let at = |character| Position { line, character };
    Range {
        start: at(start),
        end: at(end),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn columns_are_those_of_the_protocol() {
        let text = "  /* 𝄞 */ x++;  ";
        let column = text.find('x').unwrap() as u32 + 1;
        let range = range(3, column, text);
        assert_eq!((range.start.line, range.start.character), (3, 11));
        assert_eq!(range.end.character, 15);
        let whole = super::range(0, 0, "    y();");
        assert_eq!((whole.start.character, whole.end.character), (4, 8));
        // A line that is shorter by now.
        let short = super::range(0, 100, "y");
        assert_eq!((short.start.character, short.end.character), (0, 1));
    }

    #[test]
    fn a_finding_in_a_library_is_shown_where_the_program_called_it() {
        let report = r#"{"verdict": "violated", "reasons": [{"kind": "limit-time", "detail": "1 s", "location": null}],
            "findings": [{"kind": "data-race", "message": "m", "cause": "c",
            "location": {"file": "/usr/include/x.h", "line": 3, "column": 1}, "stack": [{"file": "a.c", "line": 7, "column": 0}],
            "related": [{"message": "other", "thread": "0.1", "location": {"file": "b.c", "line": 2, "column": 1}, "stack": []}]}]}"#;
        let said = read(report, Path::new("/work")).unwrap();
        let (_, all) = &said.files["file:///work/a.c"];
        assert_eq!(all[0].range.start.line, 6);
        assert_eq!(all[0].message, "m\ncause: c");
        let related = all[0].related_information.as_ref().unwrap();
        assert_eq!(related[0].location.uri.as_str(), "file:///work/b.c");
        assert_eq!(said.reasons, ["unknown: limit-time: 1 s"]);
    }
}
