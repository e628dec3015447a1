//! `selvedge replay`: a saved finding, step by step.

use crate::args::ReplayArgs;
use crate::exit::Exit;
use crate::output::print;
use crate::program::{Setup, machine, sources};
use crate::trace::{Move, Trace};
use crate::trust;
use crate::watch::MemoryLimit;
use selvedge_frontend::files;
use selvedge_model::{Describe, Property};
use selvedge_report::{FindingFile, HumanOptions, finding_text, property_word};
use selvedge_vm::{Program, Vm};
use std::io::IsTerminal;
use std::sync::Arc;

/// Runs the command.
pub(crate) fn run(args: &ReplayArgs) -> Exit {
    let path = args.finding.display();
    let text = match files::read_text(&args.finding, files::LARGEST) {
        Ok(text) => text,
        Err(error) => return Exit::input(&format!("cannot read {path}: {error}")),
    };
    let saved = match FindingFile::read(&text) {
        Ok(saved) => saved,
        Err(error) => return Exit::input(&format!("{path}: {error}")),
    };
    if !args.trust
        && let Err(reason) = trust::check(&saved.schedule, &args.finding)
    {
        return Exit::input(&format!(
            "{path}: {reason}; if you trust whoever made the finding, replay it with --trust"
        ));
    }
    let mut setup = match Setup::from_schedule(&saved.schedule) {
        Ok(setup) => setup,
        Err(message) => return Exit::input(&format!("{path}: {message}")),
    };
    if setup.vm.inputs.is_some() {
        setup.vm.inputs = Some(saved.inputs.clone());
    }
    let loaded = match setup.load(MemoryLimit::new(None)) {
        Ok(loaded) => loaded,
        Err(error) => return error.exit(),
    };
    let sources = sources(&loaded);
    let program = match Program::new(loaded.module, setup.vm.clone()) {
        Ok(program) => program,
        Err(error) => return Exit::input(&error.to_string()),
    };
    if let Err(error) = Vm::new(Arc::clone(&program)) {
        return Exit::input(&error.to_string());
    }
    let (vm, detectors) = machine(&program);
    let mut trace = Trace::new(vm, detectors, None);
    let mut out = format!("replaying {path}: {}\n\n", saved.message);
    let mut printed = 0;
    let mut failure = None;
    for (number, step) in saved.schedule.steps.iter().enumerate() {
        let step = Move {
            thread: step.thread.clone(),
            alternative: step.alternative,
        };
        if let Err(error) = trace.make(&step) {
            failure = Some(error.to_string());
            break;
        }
        let made = &trace.made[number];
        let at = trace.machine.location(made.action.stmt);
        let place = if at.file.is_empty() {
            String::new()
        } else {
            format!("  {}:{}:{}", at.file, at.line, at.column)
        };
        let source = sources
            .get(&at.file)
            .and_then(|text| text.lines().nth((at.line as usize).checked_sub(1)?));
        out.push_str(&format!(
            "{:5}  thread {:8} {}{place}\n",
            number + 1,
            step.thread,
            made.text
        ));
        if let Some(line) = source {
            out.push_str(&format!("                         | {}\n", line.trim()));
        }
        let output = trace.machine.output();
        if let Some(new) = output.get(printed..).filter(|new| !new.is_empty()) {
            for line in String::from_utf8_lossy(new).lines() {
                out.push_str(&format!("                         > {line}\n"));
            }
        }
        printed = output.len();
    }
    trace.finish();
    let seen = trace.faults.iter().map(|(_, fault)| fault.clone()).find(|fault| {
        let at = trace.machine.location(fault.stmt);
        fault.kind.name() == saved.kind && (at.file, at.line, at.column) == saved.location
    });
    let result = match (failure, seen) {
        (_, Some(fault)) => {
            let mut report = crate::finding::report(&setup, trace, &fault, 1, saved.inputs.clone());
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
            debug_assert_ne!(fault.kind.property(), Property::Termination);
            out.push_str(&format!("false({})\n", property_word(fault.kind)));
            Ok(())
        }
        (Some(error), None) => Err(format!("the schedule does not fit the program: {error}")),
        (None, None) => Err("the schedule ran to its end, and the finding was not seen".to_owned()),
    };
    if let Err(error) = print(&out) {
        return Exit::output(&format!("cannot write the report: {error}"));
    }
    match result {
        Ok(()) => Exit::Code(Exit::VIOLATED),
        Err(message) => {
            crate::output::note(&format!(
                "error: {message}; has the program been changed since {path} was saved?"
            ));
            Exit::Code(6)
        }
    }
}
