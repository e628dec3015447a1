//! `selvedge check`: what is asked for, and explorations until one stands.

use crate::args::{CheckArgs, SearchOrder, Strategy, When};
use crate::conclude::{Outcome, conclude, known, without_exploration};
use crate::emit::Emitter;
use crate::exit::Exit;
use crate::job::{Job, Stopped};
use crate::last_words::{self, Words};
use crate::output::{note, writable};
use crate::plan::Plan;
use crate::program::{Setup, sources};
use crate::watch::{self, Place, Watch};
use crate::write::lcov_file;
use crate::{portfolio, progress, properties, unfolding, write};
use selvedge_explore::Control;
use selvedge_explore::unfold::Partial;
use selvedge_frontend::{Loaded, files};
use selvedge_ir::FuncId;
use selvedge_model::{Input, LimitKind, Property};
use selvedge_report::{Ktest, Reason, RunReport};
use selvedge_vm::Program;
use std::collections::BTreeSet;
use std::io::IsTerminal;
use std::path::Path;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread;

/// Runs the command.
pub(crate) fn run(args: &CheckArgs) -> Exit {
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
    let progress = match args.progress {
        When::Auto => std::io::stderr().is_terminal() && !args.quiet,
        When::Always => true,
        When::Never => false,
    };
    let setup = Setup::new(args, &asked);
    let report = known(args, Plan::first(args), &setup, None);
    last_words::prepare(words(args, &report));
    let watch = Watch::new(args, asked.clone(), progress, report);
    thread::scope(|scope| {
        let thread = thread::Builder::new().name("watcher".to_owned());
        match thread.spawn_scoped(scope, || watch.run()) {
            Ok(watcher) => watch::hear(&watch, watcher.thread()),
            Err(error) => return Exit::output(&format!("no thread can be started: {error}")),
        }
        let _ends = Ends(&watch);
        if !args.quiet {
            unused(args).iter().for_each(|text| note(text));
        }
        check(args, setup, asked, &watch)
    })
}

/// Lets the watcher go, also after a panic.
pub(crate) struct Ends<'a>(pub(crate) &'a Watch<'a>);

impl Drop for Ends<'_> {
    fn drop(&mut self) {
        self.0.enter(Place::Writing);
    }
}

/// What to say if there is no other way any more to say a verdict.
fn words(args: &CheckArgs, report: &RunReport) -> Words {
    let text = |kind: LimitKind, detail: &str| {
        let reasons = vec![Reason {
            limit: Some(kind),
            detail: detail.to_owned(),
            location: None,
        }];
        let report = RunReport {
            reasons,
            ..report.clone()
        };
        write::text(args, &report, &Default::default())
    };
    Words {
        file: args.output.as_deref().and_then(last_words::name),
        memory: text(LimitKind::Memory, "out of memory"),
        interrupted: text(LimitKind::Interrupted, "interrupted by the user, twice"),
        code: Exit::INCONCLUSIVE.into(),
    }
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

fn check(args: &CheckArgs, mut setup: Setup, asked: BTreeSet<Property>, watch: &Watch<'_>) -> Exit {
    setup.frontend.stop = watch.stop.clone();
    setup.vm.stop = watch.stop.clone();
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
    watch.enter(Place::Loading);
    let loaded = match setup.load(watch.max_memory) {
        Ok(loaded) => loaded,
        // What was interrupted says nothing about the inputs.
        Err(_) if watch.stop.is_set() => return without_exploration(args, watch),
        Err(error) => return error.exit(),
    };
    let sources = sources(&loaded);
    let outcome = match explored(args, &asked, setup, loaded, emitter.as_ref(), watch) {
        Ok(outcome) => outcome,
        Err(Stopped::Told) => return without_exploration(args, watch),
        Err(Stopped::With(exit)) => return exit,
    };
    if let Some(emitter) = &emitter {
        let mut emitter = lock(emitter);
        if let Some(error) = emitter.take_error() {
            return Exit::output(&format!("cannot write the test cases: {error}"));
        }
        if !args.quiet {
            note(&format!("test cases written: {}", emitter.count()));
        }
    }
    conclude(args, &asked, &outcome, &sources, watch)
}

/// Explores a program until an exploration stands.
pub(crate) fn explored(
    args: &CheckArgs,
    asked: &BTreeSet<Property>,
    mut setup: Setup,
    loaded: Loaded,
    emitter: Option<&Arc<Mutex<Emitter>>>,
    watch: &Watch<'_>,
) -> Result<Outcome, Stopped> {
    setup.absent = loaded.absent;
    watch.enter(Place::Preparing);
    let control = Arc::new(Control::new());
    let job = Job::new(
        (args, asked),
        (&setup, &loaded.module),
        emitter,
        (watch, &control),
    );
    let program = job.begin(Plan::first(args))?;
    list_missing(args, &program, &loaded.undefined);
    drop(program);
    watch.explores(&control);
    progress::beside(watch, &control, || {
        if portfolio::suits(args) {
            portfolio::run(&job)
        } else {
            job.explore_on(Plan::first(args)).map(Outcome::alone)
        }
    })
}

pub(crate) fn lock(emitter: &Mutex<Emitter>) -> MutexGuard<'_, Emitter> {
    emitter.lock().unwrap_or_else(PoisonError::into_inner)
}

fn read_inputs(path: &Path) -> Result<Vec<Input>, String> {
    let bytes = files::read(path, files::LARGEST);
    let bytes = bytes.map_err(|error| format!("cannot read {}: {error}", path.display()))?;
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
