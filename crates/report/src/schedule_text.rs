//! The schedule of a finding as text: the steps in their order, under the thread that makes them.

use crate::{FindingReport, Row, RowKind, ThreadReport, harmless};
use selvedge_base::Location;
use std::fmt::Write;

/// How many steps of a schedule are shown if not all are.
const SHOWN_STEPS: usize = 60;
/// Places are aligned up to this many characters.
const WIDEST_PLACE: usize = 32;

/// The schedule with its title. `whole`: with all steps, whether they matter or not and however
/// many they are.
pub fn schedule_text(report: &FindingReport, whole: bool) -> String {
    let steps = report.schedule.steps.len();
    let switches = report.schedule.context_switches();
    let fewest = match (switches, report.fewest_switches) {
        (0 | 1, _) => "",
        (_, true) => "; no order of these steps has fewer",
        (_, false) => "; another order may have fewer",
    };
    let mut out = format!(
        "\nschedule ({}, {}{fewest}):\n",
        counted(steps, "step", "steps"),
        counted(switches, "context switch", "context switches")
    );
    let rows: Vec<&Row> = report.rows.iter().filter(|row| whole || row.matters).collect();
    match report.rows.len() - rows.len() {
        0 => {}
        1 => out.push_str("  1 step that does not matter is left out (--trace all shows it)\n"),
        more => {
            let _ = writeln!(
                out,
                "  {more} steps that do not matter are left out (--trace all shows them)"
            );
        }
    }
    let skipped = if whole {
        0
    } else {
        rows.len().saturating_sub(SHOWN_STEPS)
    };
    if skipped > 0 {
        let _ = writeln!(out, "  … {skipped} earlier steps (--trace all shows them)");
    }
    let shown = &rows[skipped..];
    let places: Vec<String> = shown.iter().map(|row| place(&row.location)).collect();
    let places: Vec<String> = places
        .iter()
        .map(|place| harmless(place).replace('\n', "␊"))
        .collect();
    let longest = places.iter().map(|place| place.chars().count()).max();
    let width = longest.unwrap_or(0).min(WIDEST_PLACE);
    let mut thread = None;
    for (row, place) in shown.iter().zip(&places) {
        if thread != Some(&row.thread) {
            thread = Some(&row.thread);
            let _ = writeln!(out, "  {}", harmless(&thread_heading(report, &row.thread)));
        }
        let text = harmless(&row.text).replace('\n', "␊");
        let _ = writeln!(out, "    {place:width$}  {}{text}", mark(row));
    }
    out
}

fn counted(number: usize, one: &str, many: &str) -> String {
    format!("{number} {}", if number == 1 { one } else { many })
}

/// A thread, with what the program calls it and what it runs: `thread 0.1 "writer" (write_all)`.
pub(crate) fn thread_heading(report: &FindingReport, thread: &str) -> String {
    let known = report.threads.iter().find(|known| known.name == thread);
    let mut heading = format!("thread {thread}");
    if let Some(ThreadReport { label, runs, .. }) = known {
        if !label.is_empty() {
            let _ = write!(heading, " {label:?}");
        }
        if !runs.is_empty() {
            let _ = write!(heading, " ({runs})");
        }
    }
    heading
}

fn mark(row: &Row) -> &'static str {
    match row.kind {
        RowKind::Step => "",
        RowKind::Related => "↳ ",
        RowKind::Fault => "✗ ",
        RowKind::Waits => "… ",
    }
}

/// `bank.c:12`, as much of it as is known.
pub(crate) fn place(location: &Location) -> String {
    let file = location.file.rsplit('/').next().unwrap_or_default();
    match location.line {
        0 => file.to_owned(),
        line => format!("{file}:{line}"),
    }
}
