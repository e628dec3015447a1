//! The entry: explorations until one has a final result, and the conclusions from it.

use crate::apart::Elsewhere;
use crate::checkpoint::{self, Checkpoint};
use crate::conclude::{Checked, describe};
use crate::error::Error;
use crate::explored::Outcome;
use crate::job::Job;
use crate::observer::{Observer, Stage};
use crate::options::Options;
use crate::plan::Plan;
use crate::portfolio;
use crate::unwritten;
use selvedge_explore::Control;
use selvedge_frontend::Loaded;
use selvedge_ir::FuncId;
use selvedge_vm::Program;
use std::sync::Arc;

/// Checks a program.
///
/// The same program and options give the same report, whatever the number of cores, except for
/// limits of time and memory. If the stop flag of `options.setup.vm` is set, the session ends
/// early, with a report of what it knows. In this case the caller must also stop the [`Control`]
/// that the observer gets, which names the reason.
///
/// # Errors
/// If the program cannot be run, requested output cannot be written, the session was told to end
/// before it had anything to explore, or there is an internal error.
pub fn check(program: &Loaded, options: &Options, observer: &dyn Observer) -> Result<Checked, Error> {
    checked(program, options, observer, None)
}

/// Like [`check`], with explorations made elsewhere.
///
/// # Errors
/// As [`check`], and those of `elsewhere`.
pub fn check_apart(
    program: &Loaded,
    options: &Options,
    observer: &dyn Observer,
    elsewhere: &dyn Elsewhere,
) -> Result<Checked, Error> {
    let options = Options {
        apart: true,
        ..options.clone()
    };
    checked(program, &options, observer, Some(elsewhere))
}

fn checked(
    program: &Loaded,
    options: &Options,
    observer: &dyn Observer,
    elsewhere: Option<&dyn Elsewhere>,
) -> Result<Checked, Error> {
    options.verify().map_err(Error::Usage)?;
    if let Some(cases) = &options.test_cases {
        cases
            .open()
            .map_err(|error| Error::Output(format!("the test cases: {error}")))?;
    }
    let outcome = explored(program, options, observer, elsewhere)?;
    let Some(again) = unwritten::as_inputs(options, &outcome.decided) else {
        return describe(options, outcome, observer);
    };
    observer.note(unwritten::GOING_ON);
    if let Some(cases) = &options.test_cases {
        cases
            .restart()
            .map_err(|error| Error::Output(format!("the test cases: {error}")))?;
    }
    let outcome = explored(program, &again, observer, elsewhere)?;
    describe(&again, outcome, observer)
}

/// Explores a program until an exploration has a final result.
fn explored(
    loaded: &Loaded,
    options: &Options,
    observer: &dyn Observer,
    elsewhere: Option<&dyn Elsewhere>,
) -> Result<Outcome, Error> {
    let mut setup = options.setup.clone();
    setup.absent.clone_from(&loaded.absent);
    let named = |(&id, place): (&FuncId, &String)| {
        let name = &loaded.module.functions[id].display;
        (id, format!("{name} in {place}"))
    };
    setup.machine_code = loaded.machine_code.iter().map(named).collect();
    observer.enter(Stage::Preparing);
    let control = Arc::new(Control::new());
    let first = Plan::first(options);
    let checkpoints = &options.checkpoints;
    let belongs = match checkpoints.are_wanted() {
        true => Some(checkpoint::belongs(options, &loaded.module).map_err(Error::Internal)?),
        false => None,
    };
    let from = match (&belongs, &checkpoints.resume) {
        (Some(belongs), Some(file)) => {
            let refused = |why| Error::Program(format!("the checkpoint {} {why}", file.display()));
            Some(Checkpoint::read(file, belongs).map_err(refused)?)
        }
        _ => None,
    };
    let first = from.as_ref().map_or(first, |from| from.phase.plan(first));
    let mut job = Job::new(
        options,
        (&setup, &loaded.module),
        (observer, &control),
        (belongs, from),
    );
    job.elsewhere = elsewhere;
    let (first, program) = begin(&job, first)?;
    list_missing(&program, loaded, observer);
    drop(program);
    let mut outcome = Err(Error::Stopped);
    observer.explores(&control, &mut || {
        outcome = if portfolio::suits(options) {
            portfolio::run(&job)
        } else {
            job.explore_on(first).map(Outcome::alone)
        }
    });
    outcome.map(|outcome| Outcome {
        all: Some(control.progress()),
        ..outcome
    })
}

/// Makes the program of the first plan; under conflict dependence, if there is no slice.
fn begin(job: &Job<'_>, first: Plan) -> Result<(Plan, Arc<Program>), Error> {
    match job.begin(first) {
        Err(Error::NoSlice(why)) => {
            let note =
                format!("note: no slice for --dependence predicate, for {why}: going on with conflict");
            job.observer.note(&note);
            let plan = Plan::conflict(job.options);
            Ok((plan, job.begin(plan)?))
        }
        made => Ok((first, made?)),
    }
}

/// Reports the functions that the program may reach and that have neither a body nor a model.
fn list_missing(program: &Program, loaded: &Loaded, observer: &dyn Observer) {
    let reached = |&(id, _): &(FuncId, &str)| loaded.undefined.binary_search(&id).is_ok();
    let name = |(id, name): (FuncId, &str)| match loaded.machine_code.get(&id) {
        Some(place) => format!("{name} (machine code in {place})"),
        None => name.to_owned(),
    };
    let missing: Vec<String> = program.missing().filter(reached).map(name).collect();
    if !missing.is_empty() {
        observer.missing(&missing);
    }
}
