//! Annotations of GitHub's actions: one line a finding, in the form of workflow commands.

use crate::paths::relative;
use crate::snippet::own;
use crate::{FindingReport, Reason, RunReport, harmless, reason_word, verdict_line};
use selvedge_base::Location;
use std::fmt::Write;
use std::path::Path;

/// The report as workflow commands, with the verdict in the last line. Files are named from a
/// directory: that of the checkout.
pub fn github(report: &RunReport, directory: &Path) -> String {
    let mut out = String::new();
    for FindingReport { finding, cause, .. } in &report.findings {
        let (at, _) = own(&finding.location, &finding.stack);
        let mut text = finding.message.clone();
        if let Some(cause) = cause {
            let _ = write!(text, "\ncause: {cause}");
        }
        for related in &finding.related {
            let (at, _) = own(&related.location, &related.stack);
            let thread = match related.thread.as_str() {
                "" => String::new(),
                thread => format!("thread {thread}: "),
            };
            let _ = write!(
                text,
                "\n{thread}{} ({}:{})",
                related.message,
                relative(&at.file, directory),
                at.line
            );
        }
        command(&mut out, "error", Some(at), finding.kind.name(), &text, directory);
    }
    for reason in &report.reasons {
        let Reason { detail, location, .. } = reason;
        let title = format!("unknown: {}", reason_word(reason));
        command(&mut out, "warning", location.as_ref(), &title, detail, directory);
    }
    out.push_str(&verdict_line(report));
    out.push('\n');
    out
}

fn command(out: &mut String, name: &str, at: Option<&Location>, title: &str, text: &str, directory: &Path) {
    let _ = write!(out, "::{name} ");
    if let Some(at) = at.filter(|at| !at.file.is_empty()) {
        let _ = write!(out, "file={},", property(relative(&at.file, directory)));
        if at.line > 0 {
            let _ = write!(out, "line={},", at.line);
        }
        if at.column > 0 {
            let _ = write!(out, "col={},", at.column);
        }
    }
    let _ = writeln!(out, "title={}::{}", property(title), data(text));
}

/// A text behind `::`.
fn data(text: &str) -> String {
    harmless(text).replace('%', "%25").replace('\n', "%0A")
}

/// A text before `::`.
fn property(text: &str) -> String {
    data(text).replace(':', "%3A").replace(',', "%2C")
}
