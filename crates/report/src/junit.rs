//! JUnit's XML: one test case a run; a finding is a failure, an unknown verdict an error.

use crate::snippet::place;
use crate::{RunReport, verdict_line};
use quick_junit::{NonSuccessKind, Report, SerializeError, TestCase, TestCaseStatus, TestSuite};
use selvedge_model::Verdict;
use std::time::Duration;

/// The report as JUnit XML.
///
/// # Errors
/// If the library cannot write it.
pub fn junit(report: &RunReport) -> Result<String, SerializeError> {
    let line = verdict_line(report);
    let non_success = |kind, type_: &str, text: &str| {
        let mut status = TestCaseStatus::non_success(kind);
        status.set_message(line.as_str()).set_type(type_);
        if !text.is_empty() {
            status.set_description(text);
        }
        status
    };
    let status = match report.verdict {
        Verdict::Verified => TestCaseStatus::success(),
        Verdict::Violated => {
            let text: Vec<String> = report
                .findings
                .iter()
                .map(|f| format!("{}: {}", place(&f.finding.location), f.finding.message))
                .collect();
            let kind = report
                .findings
                .first()
                .map_or("violated", |f| f.finding.kind.name());
            non_success(NonSuccessKind::Failure, kind, &text.join("\n"))
        }
        Verdict::Unknown => non_success(NonSuccessKind::Error, "unknown", ""),
    };
    let time = Duration::try_from_secs_f64(report.statistics.seconds).unwrap_or_default();
    let mut case = TestCase::new(report.inputs.join(" "), status);
    case.set_classname("selvedge.check").set_time(time);
    let mut suite = TestSuite::new("selvedge");
    suite.set_time(time).add_test_case(case);
    let mut whole = Report::new("selvedge");
    whole.set_time(time).add_test_suite(suite);
    whole.to_string()
}
