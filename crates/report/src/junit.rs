//! JUnit's XML: one test case a run; a finding is a failure, an unknown verdict an error.

use crate::snippet::place;
use crate::{RunReport, verdict_line};
use selvedge_model::Verdict;
use std::fmt::Write;

/// The report as JUnit XML.
pub fn junit(report: &RunReport) -> String {
    let name = escape(&report.inputs.join(" "));
    let (failures, errors) = match report.verdict {
        Verdict::Verified => (0, 0),
        Verdict::Violated => (1, 0),
        Verdict::Unknown => (0, 1),
    };
    let mut out = String::from("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n");
    let seconds = report.statistics.seconds;
    let _ = writeln!(
        out,
        "<testsuite name=\"selvedge\" tests=\"1\" failures=\"{failures}\" errors=\"{errors}\" time=\"{seconds:.3}\">"
    );
    let _ = writeln!(
        out,
        "  <testcase name=\"{name}\" classname=\"selvedge.check\" time=\"{seconds:.3}\">"
    );
    let line = escape(&verdict_line(report));
    match report.verdict {
        Verdict::Verified => {}
        Verdict::Violated => {
            let text: Vec<String> = report
                .findings
                .iter()
                .map(|f| format!("{}: {}", place(&f.finding.location), f.finding.message))
                .collect();
            let _ = writeln!(
                out,
                "    <failure message=\"{line}\">{}</failure>",
                escape(&text.join("\n"))
            );
        }
        Verdict::Unknown => {
            let _ = writeln!(out, "    <error message=\"{line}\"/>");
        }
    }
    out.push_str("  </testcase>\n</testsuite>\n");
    out
}

fn escape(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '"' => out.push_str("&quot;"),
            '\t' | '\n' => out.push(c),
            c if c < ' ' => out.push('\u{fffd}'), // no XML document may contain it
            c => out.push(c),
        }
    }
    out
}
