//! `selvedge check`: what is asked for, and explorations until one stands.

use crate::args::{CheckArgs, SearchOrder, Strategy, When};
use crate::conclude::{Outcome, conclude};
use crate::emit::Emitter;
use crate::exit::Exit;
use crate::job::Job;
use crate::output::{note, writable};
use crate::plan::Plan;
use crate::program::{Setup, sources};
use crate::watch::{MemoryLimit, Watch};
use crate::write::lcov_file;
use crate::{portfolio, properties, unfolding};
use selvedge_explore::Control;
use selvedge_explore::unfold::Partial;
use selvedge_ir::FuncId;
use selvedge_model::{Input, Property};
use selvedge_report::Ktest;
use selvedge_vm::Program;
use std::collections::BTreeSet;
use std::io::IsTerminal;
use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Instant;

/// Runs the command.
pub(crate) fn run(args: &CheckArgs) -> Exit {
    let started = Instant::now();
    let asked = match args
        .property
        .as_deref()
        .map_or_else(|| Ok(properties::default()), properties::parse)
    {
        Ok(asked) if asked.is_empty() => return Exit::usage("--property names no property"),
        Ok(asked) => asked,
        Err(message) => return Exit::usage(&message),
    };
    if let Some(output) = &args.output
        && output.is_dir()
    {
        return Exit::usage(&format!("-o {}: this is a directory", output.display()));
    }
    let dump = match unfolding::wanted(args) {
        Ok(dump) => dump,
        Err(message) => return Exit::usage(&message),
    };
    let written = [
        ("-o ", args.output.as_deref()),
        ("--coverage=", lcov_file(args)),
        ("--dump-unfolding ", dump.map(|(file, _)| file)),
    ];
    for (option, file) in written {
        if let Some(file) = file
            && let Err(error) = writable(file)
        {
            return Exit::usage(&format!("{option}{}: cannot be written: {error}", file.display()));
        }
    }
    let interrupted = Arc::new(AtomicBool::new(false));
    let flag = Arc::clone(&interrupted);
    // The second Ctrl-C ends the process at once: compiling and linking do not look at the flag.
    let handler = move || {
        if flag.swap(true, Ordering::Relaxed) {
            std::process::exit(Exit::INCONCLUSIVE.into());
        }
    };
    if let Err(error) = ctrlc::set_handler(handler) {
        note(&format!("warning: Ctrl-C will not end the run cleanly: {error}"));
    }
    let watch = Watch {
        started,
        max_time: args.max_time,
        max_memory: MemoryLimit::new(args.max_memory),
        progress: match args.progress {
            When::Auto => std::io::stderr().is_terminal() && !args.quiet,
            When::Always => true,
            When::Never => false,
        },
        interrupted,
    };
    if !args.quiet {
        unused(args).iter().for_each(|text| note(text));
    }
    check(args, asked, &watch)
}

/// What to say of options that the strategy has no use for.
fn unused(args: &CheckArgs) -> Vec<String> {
    let plan = Plan::first(args);
    let word = plan.strategy.word();
    let unfolds = plan.strategy == Strategy::Unfold;
    let ignored = |option: &str, given: bool| {
        let text = || format!("note: --{option} is for another strategy, and changes nothing for {word}");
        given.then(text)
    };
    let one_core = unfolds && args.jobs.is_some_and(|jobs| jobs > 1);
    [
        ignored("k", !unfolds && args.k != Partial::Last(1)),
        ignored("search", !unfolds && args.search != SearchOrder::Dfs),
        ignored("cutoffs", !unfolds && !args.cutoffs.on()),
        ignored(
            "quarantine",
            args.quarantine.is_some() && plan.quarantine.is_none(),
        ),
        ignored(
            "sleep-sets",
            plan.strategy != Strategy::Dpor && !args.sleep_sets.on(),
        ),
        ignored("recall", !plan.fuses(args) && !args.recall.on()),
        one_core.then(|| "note: unfold uses one core, whatever --jobs says".to_owned()),
    ]
    .into_iter()
    .flatten()
    .collect()
}

fn check(args: &CheckArgs, asked: BTreeSet<Property>, watch: &Watch) -> Exit {
    let mut setup = Setup::new(args, &asked);
    if let Some(path) = &args.given.input {
        match read_inputs(path) {
            Ok(inputs) => setup.vm.inputs = Some(inputs),
            Err(message) => return Exit::input(&message),
        }
    }
    let emitter = match &args.given.emit_tests {
        None => None,
        Some(directory) => match Emitter::new(directory, Arc::clone(&watch.interrupted)) {
            Ok(emitter) => Some(Arc::new(Mutex::new(emitter))),
            Err(error) => {
                return Exit::usage(&format!("--emit-tests {}: {error}", directory.display()));
            }
        },
    };
    let loaded = match setup.load() {
        Ok(loaded) => loaded,
        Err(error) => return Exit::input(&error.to_string()),
    };
    let sources = sources(&loaded);
    let undefined = loaded.undefined;
    setup.absent = loaded.absent;
    let control = Arc::new(Control::new());
    let job = Job::new(
        (args, &asked),
        (&setup, &loaded.module),
        emitter.as_ref(),
        &control,
    );
    let plan = Plan::first(args);
    match job.begin(plan) {
        Ok(program) => list_missing(args, &program, &undefined),
        Err(exit) => return exit,
    }
    let explored = watch.beside(&control, || {
        if portfolio::suits(args) {
            portfolio::run(&job)
        } else {
            job.explore_on(plan).map(Outcome::alone)
        }
    });
    let outcome = match explored {
        Ok(outcome) => outcome,
        Err(exit) => return exit,
    };
    if let Some(emitter) = &emitter {
        let mut emitter = lock(emitter);
        if let Some(error) = emitter.take_error() {
            return Exit::internal(&format!("cannot write the test cases: {error}"));
        }
        if !args.quiet {
            note(&format!("test cases written: {}", emitter.count()));
        }
    }
    conclude(args, &asked, outcome, &sources, watch)
}

pub(crate) fn lock(emitter: &Mutex<Emitter>) -> MutexGuard<'_, Emitter> {
    emitter.lock().unwrap_or_else(PoisonError::into_inner)
}

fn read_inputs(path: &Path) -> Result<Vec<Input>, String> {
    let bytes = std::fs::read(path).map_err(|error| format!("cannot read {}: {error}", path.display()))?;
    let ktest = Ktest::read(&bytes).map_err(|error| format!("{}: {error}", path.display()))?;
    Ok(ktest.inputs)
}

/// How many functions without a model are named before the run.
const NAMED: usize = 12;

/// Says which of the functions that the program may reach have neither a body nor a model.
fn list_missing(args: &CheckArgs, program: &Program, undefined: &[FuncId]) {
    let reached = |&(id, _): &(FuncId, &str)| undefined.binary_search(&id).is_ok();
    let missing: Vec<&str> = program.missing().filter(reached).map(|(_, name)| name).collect();
    if missing.is_empty() || args.quiet {
        return;
    }
    let named = missing[..missing.len().min(NAMED)].join(", ");
    let more = match missing.len() - missing.len().min(NAMED) {
        0 => String::new(),
        more => format!(", and {more} more"),
    };
    note(&format!(
        "note: these functions are neither defined nor modelled; calling one makes the verdict unknown: {named}{more}"
    ));
}
