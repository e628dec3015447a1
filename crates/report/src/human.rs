//! The report for people: findings like compiler diagnostics, the schedule thread by thread, the
//! verdict in the last line.

use crate::covered::covered_text;
use crate::lcov::coverage_text;
use crate::schedule_text::schedule_text;
use crate::snippet::{Mark, Sources, render};
use crate::{AccessSite, AssertionReport, FindingReport, RunReport, harmless, verdict_line};
use selvedge_model::Verdict;
use std::collections::BTreeSet;
use std::fmt::Write;

/// How much and how.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct HumanOptions {
    /// Colours for a terminal.
    pub color: bool,
    /// Only findings and the verdict.
    pub quiet: bool,
    /// All statistics.
    pub verbose: bool,
    /// All steps of schedules, also those that do not matter to the finding.
    pub all_steps: bool,
}

/// The whole report.
pub fn human(report: &RunReport, sources: &Sources, options: HumanOptions) -> String {
    let mut out = String::new();
    for finding in &report.findings {
        out.push_str(&finding_text(finding, sources, options));
        out.push('\n');
    }
    if !options.quiet {
        summary(&mut out, report, options);
    }
    out.push_str(&verdict_line(report));
    out.push('\n');
    out
}

/// One finding: the diagnostic, then the schedule.
pub fn finding_text(report: &FindingReport, sources: &Sources, options: HumanOptions) -> String {
    let finding = &report.finding;
    let label = if finding.thread.is_empty() {
        String::new()
    } else {
        format!("thread {}", finding.thread)
    };
    let first = Mark {
        location: &finding.location,
        label,
        stack: &finding.stack,
    };
    let others: Vec<Mark<'_>> = finding
        .related
        .iter()
        .map(|r| Mark {
            location: &r.location,
            label: if r.thread.is_empty() {
                r.message.clone()
            } else {
                format!("thread {}: {}", r.thread, r.message)
            },
            stack: &r.stack,
        })
        .collect();
    let mut out = render(
        &finding.message,
        finding.kind.name(),
        &first,
        &others,
        sources,
        options.color,
    );
    out.push('\n');
    if let Some(cause) = &report.cause {
        let _ = writeln!(out, "cause: {cause}");
    }
    sites_text(&mut out, &report.sites);
    if finding.count > 1 {
        let _ = writeln!(out, "seen {} times", finding.count);
    }
    if !report.inputs.is_empty() {
        let _ = write!(out, "\ninputs:\n{}", crate::inputs_text(&report.inputs));
    }
    if !report.rows.is_empty() {
        out.push_str(&schedule_text(report, options.all_steps));
    }
    if !report.output.is_empty() {
        out.push_str("\nprinted by then:\n");
        for line in report.output.lines() {
            let _ = writeln!(out, "  {line}");
        }
    }
    out
}

/// Where a variable that is raced for is used, if that is more than the two accesses of the race.
fn sites_text(out: &mut String, sites: &[AccessSite]) {
    let place = |site: &AccessSite| {
        (
            site.location.file.clone(),
            site.location.line,
            site.location.column,
        )
    };
    let places: BTreeSet<_> = sites.iter().map(place).collect();
    if places.len() < 3 {
        return;
    }
    out.push_str("\nwhere it is used, as far as this execution went:\n");
    for site in sites.iter().take(MOST_SITES) {
        let what = if site.write { "write" } else { "read" };
        let locks = match site.held.is_empty() {
            true => "no lock".to_owned(),
            false => site.held.join(", "),
        };
        let _ = writeln!(
            out,
            "  {}  {what:5}  thread {:6} holding {}",
            harmless(&crate::schedule_text::place(&site.location)),
            site.thread,
            harmless(&locks)
        );
    }
    if sites.len() > MOST_SITES {
        let _ = writeln!(out, "  and {} more", sites.len() - MOST_SITES);
    }
}

/// The most uses of a variable that are named.
const MOST_SITES: usize = 20;

fn summary(out: &mut String, report: &RunReport, options: HumanOptions) {
    let s = &report.statistics;
    let what = match report.verdict {
        Verdict::Verified if s.branches_explored > 0 => {
            "verified: every schedule was explored with every input, and nothing is wrong".to_owned()
        }
        Verdict::Verified => "verified: every schedule was explored and nothing is wrong".to_owned(),
        Verdict::Violated if report.findings.len() == 1 => "violated: 1 finding".to_owned(),
        Verdict::Violated => format!("violated: {} findings", report.findings.len()),
        Verdict::Unknown => "unknown: nothing was found, but not everything was explored".to_owned(),
    };
    let _ = writeln!(out, "{what}");
    for reason in &report.reasons {
        let place = reason.location.as_ref().filter(|l| !l.file.is_empty());
        let place = place
            .map(|l| format!(" at {}", crate::snippet::place(l)))
            .unwrap_or_default();
        let _ = writeln!(
            out,
            "  because of {}: {}{place}",
            crate::reason_word(reason),
            reason.detail
        );
    }
    // Unknown if the run had to be ended.
    let size = match s.threads {
        0 => String::new(),
        threads => format!(", up to {threads} threads and {} events deep", s.max_depth),
    };
    let _ = writeln!(
        out,
        "  {} executions ({} redundant), {} events{size}; {}, {}, visibility {}",
        s.executions, s.redundant_executions, s.events, report.strategy, report.dependence, report.visibility
    );
    if s.all_events > s.events {
        let _ = writeln!(
            out,
            "  with what took turns: {} executions, {} events",
            s.all_executions, s.all_events
        );
    }
    if s.estimates > 0 {
        let _ = writeln!(
            out,
            "  progress was estimated {} times, {:.0} percentage points off on average",
            s.estimates,
            s.estimate_error * 100.0
        );
    }
    if s.unfolding_events > 0 {
        let cutoffs = match s.states {
            0 => String::new(),
            states => format!(
                ", {} cutoffs, {states} states; {} more executions ended where only cutoffs were left",
                s.cutoffs, s.cut_executions
            ),
        };
        let _ = writeln!(out, "  the unfolding: {} events{cutoffs}", s.unfolding_events);
    }
    if s.unfolding_events == 0 && s.states > 0 {
        let forgotten = match s.forgotten_states {
            0 => String::new(),
            forgotten => format!("; {forgotten} were forgotten, and explored again if they were met again"),
        };
        let _ = writeln!(
            out,
            "  {} states; {} more executions ended at one of these{forgotten}",
            s.states, s.cut_executions
        );
    }
    if s.thread_choices > 0 {
        let _ = writeln!(
            out,
            "  {} thread choices: {} at fields, {} at elements of arrays, {} at others",
            s.thread_choices, s.field_choices, s.element_choices, s.other_choices
        );
    }
    if s.necessary_choices > 0 {
        let _ = writeln!(
            out,
            "  {} of them are necessary: {} at fields, {} at elements of arrays, {} at others",
            s.necessary_choices,
            s.necessary_field_choices,
            s.necessary_element_choices,
            s.necessary_other_choices
        );
    }
    for turns in report.also.iter().filter(|_| options.verbose) {
        let _ = writeln!(
            out,
            "  beside it: {}, visibility {}, {} units of work",
            turns.strategy, turns.visibility, turns.work
        );
    }
    if let Some(covered) = &report.covered {
        covered_text(out, covered);
    }
    if let Some(assertions) = &report.assertions {
        assertions_text(out, assertions, options.verbose);
    }
    if s.seconds > 0.0 {
        let rate = s.events as f64 / s.seconds;
        let _ = writeln!(
            out,
            "  {:.2} s, {rate:.0} events/s, {} MiB",
            s.seconds,
            s.peak_memory_bytes >> 20
        );
    }
    if s.solver_queries > 0 {
        solver(out, report, options);
    }
    if let Some(coverage) = &report.coverage {
        out.push_str(&coverage_text(coverage, options.verbose));
    }
    if options.verbose || report.verdict == Verdict::Verified {
        for assumption in &report.assumptions {
            let _ = writeln!(out, "  assuming {assumption}");
        }
    }
}

fn solver(out: &mut String, report: &RunReport, options: HumanOptions) {
    let s = &report.statistics;
    let _ = writeln!(
        out,
        "  {} branches on inputs, {} solver queries, {:.2} s in solvers",
        s.branches_explored, s.solver_queries, s.solver_seconds
    );
    if options.verbose {
        for layer in &report.layers {
            let _ = writeln!(
                out,
                "    {:14} answered {} of {}, {:.3} s",
                layer.name, layer.answered, layer.queries, layer.seconds
            );
        }
    }
}

/// The most assertions that are named in a report that is not verbose.
const MOST_ASSERTIONS: usize = 5;

/// To which assertions the order of threads does not matter.
fn assertions_text(out: &mut String, assertions: &[AssertionReport], verbose: bool) {
    let apart: Vec<String> = assertions
        .iter()
        .filter(|assertion| !assertion.by_order)
        .map(|assertion| crate::snippet::place(&assertion.location))
        .collect();
    if assertions.is_empty() {
        return;
    }
    if apart.is_empty() {
        let _ = writeln!(out, "  the order of threads may matter to each assertion");
        return;
    }
    let shown = if verbose { apart.len() } else { MOST_ASSERTIONS };
    let more = match apart.len().saturating_sub(shown) {
        0 => String::new(),
        more => format!(" and {more} more"),
    };
    let _ = writeln!(
        out,
        "  the order of threads does not matter to {} of {} assertions, where they are reached: {}{more}",
        apart.len(),
        assertions.len(),
        apart.iter().take(shown).cloned().collect::<Vec<_>>().join(", ")
    );
}
