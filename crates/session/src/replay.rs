//! Replaying a saved finding, step by step.

use crate::blocks;
use crate::error::Error;
use crate::machines::machine;
use crate::predicate;
use crate::refit::{self, Fitted};
use crate::setup::{Setup, sources};
use crate::sites::sites;
use crate::trace::{Move, Trace};
use selvedge_base::Location;
use selvedge_detect::Detectors;
use selvedge_frontend::Loaded;
use selvedge_model::{Describe, Fault, MemoryOrder, Op};
use selvedge_report::{FindingFile, FindingReport, Sources};
use selvedge_schedule::{Schedule, Step};
use selvedge_vm::{Program, Vm};
use std::collections::BTreeMap;
use std::sync::Arc;

type VmTrace = Trace<Vm, Detectors>;

/// What a replay has shown.
pub struct Replay {
    /// The steps that were made.
    pub steps: Vec<ReplayStep>,
    /// The same, as a schedule has them.
    pub schedule: Vec<Step>,
    /// Why the next step of the schedule could not be made.
    pub failure: Option<String>,
    /// The finding, if it occurred again.
    pub seen: Option<FindingReport>,
    /// How the program's steps differ from those of the schedule, in words; empty if the schedule
    /// was followed as it is.
    pub differences: Vec<String>,
    /// The finding is of the same kind and function, but at another statement.
    pub elsewhere: bool,
    /// What was changed in the program since, in words; `None` if that is not known.
    pub changes: Option<Vec<String>>,
}

/// One step of a replay.
pub struct ReplayStep {
    /// The thread that moved.
    pub thread: String,
    /// The action, as text.
    pub text: String,
    /// Its operation.
    pub op: Op,
    /// The thread that it created; the name of one that is begun again.
    pub created: Option<String>,
    /// It is an atomic access to memory.
    pub atomic: bool,
    /// It failed: a lock that was only tried.
    pub failed: bool,
    /// Which of its outcomes, of those that the order of threads leaves open.
    pub alternative: u16,
    /// The place.
    pub location: Location,
    /// The output of the program in this step.
    pub output: Vec<u8>,
}

/// Prepares a loaded program for [`replay`].
///
/// # Errors
/// If the program cannot be run.
pub fn program(setup: &Setup, loaded: Loaded) -> Result<Arc<Program>, Error> {
    let fails = |error: selvedge_vm::Error| Error::Program(error.to_string());
    let mut options = predicate::machine_options(setup, &loaded.module).map_err(Error::NoSlice)?;
    if !setup.one_block_class {
        options.blocks = blocks::classes(&loaded.module, &options.entry);
    }
    let program = Program::new(loaded.module, options).map_err(fails)?;
    Vm::new(Arc::clone(&program)).map_err(fails)?;
    Ok(program)
}

/// Runs the schedule of a finding on its program. `files`: what the program is made of, each file
/// as [`digest`](selvedge_report::digest) has it.
///
/// # Errors
/// If the program cannot be run.
pub fn replay(
    saved: &FindingFile,
    setup: &Setup,
    loaded: Loaded,
    files: &BTreeMap<String, String>,
) -> Result<Replay, Error> {
    let sources = sources(&loaded);
    Ok(replay_on(
        saved,
        setup,
        &program(setup, loaded)?,
        (&sources, files),
    ))
}

/// The steps of a schedule that need show no finding: a test case's.
///
/// # Errors
/// If the program cannot be run, or a step cannot be made.
pub fn steps_of(schedule: &Schedule, setup: &Setup, loaded: Loaded) -> Result<Vec<ReplayStep>, Error> {
    let program = program(setup, loaded)?;
    let moves: Vec<Move> = schedule.steps.iter().map(Move::of).collect();
    let made = steps(&program, &moves);
    match made.len() == moves.len() {
        true => Ok(made),
        false => Err(Error::Program(format!(
            "step {} of the schedule does not fit the program",
            made.len() + 1
        ))),
    }
}

/// The same on a program that is [ready](program), with its sources.
///
/// The schedule is followed as it is. If that does not show the finding, it is followed as far as
/// the program still has its steps (`refit.rs`).
pub fn replay_on(
    saved: &FindingFile,
    setup: &Setup,
    program: &Arc<Program>,
    (sources, files): (&Sources, &BTreeMap<String, String>),
) -> Replay {
    let (plain, failure) = follow(saved, program);
    let exact = best(saved, &plain, sources).filter(|(likeness, _)| *likeness == SAME);
    if let Some((_, fault)) = exact {
        return shown(saved, setup, (plain, program), Some(fault));
    }
    let Fitted { trace, differences } = refit::fit(saved, program, sources);
    let (of_plain, of_fitted) = (best(saved, &plain, sources), best(saved, &trace, sources));
    let likeness = |found: &Option<(u8, Fault)>| found.as_ref().map_or(0, |(likeness, _)| *likeness);
    let fitted = likeness(&of_fitted) > likeness(&of_plain);
    let (trace, found) = if fitted {
        (trace, of_fitted)
    } else {
        (plain, of_plain)
    };
    let elsewhere = found.is_some() && likeness(&found) < SAME;
    Replay {
        failure,
        differences: refit::named(match fitted || found.is_none() {
            true => differences,
            false => Vec::new(),
        }),
        elsewhere,
        changes: refit::changes(saved, program, sources, files),
        ..shown(saved, setup, (trace, program), found.map(|(_, fault)| fault))
    }
}

/// What [`refit::likeness`] says of the finding itself.
const SAME: u8 = 2;

/// Makes the steps of a schedule as they are; why the next one could not be made.
fn follow(saved: &FindingFile, program: &Arc<Program>) -> (VmTrace, Option<String>) {
    let (vm, detectors) = machine(program);
    let mut trace = Trace::new(vm, detectors, Vec::new());
    let mut failure = None;
    for step in &saved.schedule.steps {
        if let Err(error) = trace.make(&Move::of(step)) {
            failure = Some(error.to_string());
            break;
        }
    }
    trace.finish();
    (trace, failure)
}

/// The fault of a trace that is most like a saved finding, if one is at all.
fn best(saved: &FindingFile, trace: &VmTrace, sources: &Sources) -> Option<(u8, Fault)> {
    let faults = trace.faults.iter().map(|(_, fault)| {
        let likeness = refit::likeness(saved, &trace.machine, fault, sources);
        (likeness, fault)
    });
    let likely = faults.filter(|(likeness, _)| *likeness > 0);
    // The first of the best.
    let best = likely.rev().max_by_key(|(likeness, _)| *likeness);
    best.map(|(likeness, fault)| (likeness, fault.clone()))
}

/// A trace for people, with the finding that it shows.
fn shown(
    saved: &FindingFile,
    setup: &Setup,
    (trace, program): (VmTrace, &Arc<Program>),
    fault: Option<Fault>,
) -> Replay {
    let moves: Vec<Move> = trace.made.iter().map(|made| made.step.clone()).collect();
    // Step by step once more, for what each has written.
    let steps = steps(program, &moves);
    let schedule = trace.made.iter().map(|made| Step {
        thread: made.step.thread.clone(),
        alternative: made.step.alternative,
        note: made.text.clone(),
    });
    let schedule = schedule.collect();
    let seen = fault.map(|fault| {
        // Once more: only now it is known which places the finding names.
        let trace = crate::finding::replay(program, &moves, &fault).unwrap_or(trace);
        let sites = sites(&trace, &fault);
        crate::finding::report(setup, trace, &fault, 1, (saved.inputs.clone(), sites))
    });
    Replay {
        steps,
        schedule,
        failure: None,
        seen,
        differences: Vec::new(),
        elsewhere: false,
        changes: None,
    }
}

/// The steps in words, with what the program writes in each.
fn steps(program: &Arc<Program>, moves: &[Move]) -> Vec<ReplayStep> {
    let (vm, detectors) = machine(program);
    let mut trace = Trace::new(vm, detectors, Vec::new());
    let mut steps = Vec::with_capacity(moves.len());
    let mut written = 0;
    for (number, step) in moves.iter().enumerate() {
        if trace.make(step).is_err() {
            break;
        }
        let made = &trace.made[number];
        let output = trace.machine.output();
        steps.push(ReplayStep {
            thread: step.thread.clone(),
            text: made.text.clone(),
            op: made.action.op,
            created: made.created.map(|new| trace.machine.thread_name(new)),
            atomic: made.action.order != MemoryOrder::NotAtomic,
            failed: made.failed,
            alternative: step.alternative,
            location: trace.machine.location(made.action.stmt),
            output: output.get(written..).unwrap_or_default().to_vec(),
        });
        written = output.len();
    }
    steps
}
