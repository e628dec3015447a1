//! `selvedge replay`: a saved finding, step by step.

use crate::args::ReplayArgs;
use crate::exit::Exit;
use crate::native_replay;
use crate::output::print;
use crate::program;
use crate::saved;
use crate::watch::MemoryLimit;
use selvedge_model::Property;
use selvedge_report::{HumanOptions, Page, finding_text, harmless, property_word};
use selvedge_session::{sources, write_file};
use std::io::IsTerminal;

/// Runs the command.
pub(crate) fn run(args: &ReplayArgs) -> Exit {
    let path = args.finding.display();
    let (saved, setup) = match saved::read(&args.finding, args.trust) {
        Ok(read) => read,
        Err(exit) => return exit,
    };
    let loaded = match program::load(&setup, MemoryLimit::new(None)) {
        Ok(loaded) => loaded,
        Err(error) => return program::exit(&error),
    };
    program::tell(&loaded);
    let sources = sources(&loaded);
    let files = saved::digests(&saved.schedule.inputs);
    let mut replay = match selvedge_session::replay(&saved, &setup, loaded, &files) {
        Ok(replay) => replay,
        Err(error) => return Exit::of(&error),
    };
    let mut out = format!("replaying {path}: {}\n\n", harmless(&saved.message));
    for (number, step) in replay.steps.iter().enumerate() {
        let at = &step.location;
        let place = if at.file.is_empty() {
            String::new()
        } else {
            format!("  {}:{}:{}", at.file, at.line, at.column)
        };
        let source = sources
            .get(&at.file)
            .and_then(|text| text.lines().nth((at.line as usize).checked_sub(1)?));
        out.push_str(&format!(
            "{:5}  thread {:8} {}{}\n",
            number + 1,
            step.thread,
            harmless(&step.text),
            harmless(&place)
        ));
        if let Some(line) = source {
            out.push_str(&format!("                         | {}\n", harmless(line.trim())));
        }
        for line in String::from_utf8_lossy(&step.output).lines() {
            out.push_str(&format!("                         > {}\n", harmless(line)));
        }
    }
    let Some(mut report) = replay.seen.take() else {
        if let Err(error) = print(&out) {
            return Exit::output(&format!("cannot write the report: {error}"));
        }
        return saved::not_seen(&args.finding, &replay);
    };
    let verdict = format!("false({})", property_word(report.finding.kind));
    if let Some(html) = &args.html {
        let page = Page {
            verdict: &verdict,
            inputs: &[path.to_string()],
            findings: std::slice::from_ref(&report),
        };
        if let Err(error) = write_file(html, page.html(&sources)) {
            return Exit::output(&format!("cannot write {}: {error}", html.display()));
        }
    }
    // The steps are above.
    report.rows.clear();
    let color = std::io::stdout().is_terminal() && std::env::var_os("NO_COLOR").is_none();
    out.push('\n');
    out.push_str(&finding_text(
        &report,
        &sources,
        HumanOptions {
            color,
            ..HumanOptions::default()
        },
    ));
    assert_ne!(report.finding.kind.property(), Property::Termination);
    out.push_str(&format!("{verdict}\n"));
    saved::tell_changes(&replay);
    match print(&out) {
        Ok(()) if args.native => native_replay::run(&saved, &setup, &replay.steps, report.finding.kind),
        Ok(()) => Exit::Code(Exit::VIOLATED),
        Err(error) => Exit::output(&format!("cannot write the report: {error}")),
    }
}
