//! What a run leaves: the report, saved findings with their inputs, coverage.

use crate::args::{CheckArgs, Format, Steps};
use crate::output::{note, print};
use crate::saved::digests;
use selvedge_report::{FindingFile, HumanOptions, Ktest, Page, RunReport, Sources, verdict_line};
use selvedge_session::{is_device, write_file};
use std::io::IsTerminal;
use std::path::{Path, PathBuf};

/// Which files are written beside the report.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Saves {
    /// What was asked for.
    All,
    /// None: findings were not replayed, and have no schedule to be saved.
    Nothing,
}

/// Writes the report, the saved findings and the coverage to where they were asked for.
///
/// # Errors
/// If the report or the coverage cannot be written. That a finding cannot be saved is a warning:
/// the report has it.
pub(crate) fn write(
    args: &CheckArgs,
    run: &RunReport,
    sources: &Sources,
    saves: Saves,
) -> Result<(), String> {
    let text = text(args, run, sources)?;
    if args.finding.as_os_str() != "none" && saves == Saves::All {
        for (i, finding) in run.findings.iter().enumerate() {
            let path = numbered(&args.finding, i);
            let text = FindingFile::write(finding, sources, &digests(&finding.schedule.inputs));
            let saved = write_file(&path, text).and_then(|()| {
                let ktest = Ktest {
                    args: run.inputs.iter().take(1).chain(&args.args).cloned().collect(),
                    inputs: finding.inputs.clone(),
                };
                match finding.inputs.is_empty() || is_device(&path) {
                    true => Ok(()),
                    false => write_file(&path.with_extension("ktest"), ktest.write()),
                }
            });
            match saved {
                Ok(()) if args.quiet => {}
                Ok(()) => note(&format!("saved: {} (selvedge replay {0})", path.display())),
                Err(error) => note(&format!(
                    "warning: the finding is not saved: {}: {error}",
                    path.display()
                )),
            }
        }
    }
    if let (Some(path), Some(coverage)) = (lcov_file(args), &run.coverage) {
        write_file(path, selvedge_report::lcov(coverage))
            .map_err(|error| format!("cannot write {}: {error}", path.display()))?;
    }
    if let Some(path) = &args.witness
        && saves == Saves::All
    {
        crate::witness::write(args, path, run)?;
    }
    if let Some(path) = &args.html {
        let page = Page {
            verdict: &verdict_line(run),
            inputs: &run.inputs,
            findings: &run.findings,
        };
        write_file(path, page.html(sources))
            .map_err(|error| format!("cannot write {}: {error}", path.display()))?;
    }
    match &args.output {
        Some(path) => {
            write_file(path, &text).map_err(|error| format!("cannot write {}: {error}", path.display()))
        }
        None => print(&text).map_err(|error| format!("cannot write the report: {error}")),
    }
}

/// The report in the form that was asked for.
///
/// # Errors
/// If the form cannot be written.
pub(crate) fn text(args: &CheckArgs, run: &RunReport, sources: &Sources) -> Result<String, String> {
    let to_terminal =
        args.output.is_none() && std::io::stdout().is_terminal() && std::env::var_os("NO_COLOR").is_none();
    Ok(match args.format {
        Format::Human => {
            let options = HumanOptions {
                color: to_terminal,
                quiet: args.quiet,
                verbose: args.verbose,
                all_steps: args.verbose || args.trace == Steps::All,
            };
            selvedge_report::human(run, sources, options)
        }
        Format::Json => selvedge_report::json(run),
        Format::Sarif => selvedge_report::sarif(run, &directory(), sources),
        Format::Junit => {
            selvedge_report::junit(run).map_err(|error| format!("cannot write the report: {error}"))?
        }
        Format::Github => selvedge_report::github(run, &directory()),
    })
}

/// Where files are named from.
fn directory() -> PathBuf {
    std::env::current_dir().unwrap_or_default()
}

/// The file that coverage is to be written to, if that is asked for.
pub(crate) fn lcov_file(args: &CheckArgs) -> Option<&Path> {
    args.given
        .coverage
        .as_deref()
        .filter(|path| path.as_os_str() != "text")
}

/// `FINDING.json`, `FINDING-2.json`, …
fn numbered(path: &Path, index: usize) -> PathBuf {
    if index == 0 {
        return path.to_owned();
    }
    let stem = path.file_stem().unwrap_or_default().to_string_lossy();
    let extension = path
        .extension()
        .map(|e| format!(".{}", e.to_string_lossy()))
        .unwrap_or_default();
    path.with_file_name(format!("{stem}-{}{extension}", index + 1))
}
