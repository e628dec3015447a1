//! Replaying a saved finding, step by step.

use crate::blocks;
use crate::error::Error;
use crate::machines::machine;
use crate::predicate;
use crate::setup::Setup;
use crate::trace::{Move, Trace};
use selvedge_base::Location;
use selvedge_frontend::Loaded;
use selvedge_model::Describe;
use selvedge_report::{FindingFile, FindingReport};
use selvedge_vm::{Program, Vm};
use std::sync::Arc;

/// The result of a replay.
pub struct Replay {
    /// The steps that were made.
    pub steps: Vec<ReplayStep>,
    /// The reason why the next step of the schedule could not be made.
    pub failure: Option<String>,
    /// The finding, if it occurred again.
    pub seen: Option<FindingReport>,
}

/// One step of a replay.
pub struct ReplayStep {
    /// The thread that moved.
    pub thread: String,
    /// The action, as text.
    pub text: String,
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

/// Runs the schedule of a finding on its program.
///
/// # Errors
/// If the program cannot be run.
pub fn replay(saved: &FindingFile, setup: &Setup, loaded: Loaded) -> Result<Replay, Error> {
    Ok(replay_on(saved, setup, &program(setup, loaded)?))
}

/// Like [`replay`], on a [prepared](program) program.
pub fn replay_on(saved: &FindingFile, setup: &Setup, program: &Arc<Program>) -> Replay {
    let (vm, detectors) = machine(program);
    let mut trace = Trace::new(vm, detectors, Vec::new());
    let mut steps = Vec::with_capacity(saved.schedule.steps.len());
    let mut written = 0;
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
        let output = trace.machine.output();
        steps.push(ReplayStep {
            thread: step.thread,
            text: made.text.clone(),
            location: trace.machine.location(made.action.stmt),
            output: output.get(written..).unwrap_or_default().to_vec(),
        });
        written = output.len();
    }
    trace.finish();
    let seen = trace.faults.iter().map(|(_, fault)| fault.clone()).find(|fault| {
        let at = trace.machine.location(fault.stmt);
        fault.kind.name() == saved.kind && (at.file, at.line, at.column) == saved.location
    });
    let seen = seen.map(|fault| {
        let moves: Vec<Move> = trace.made.iter().map(|made| made.step.clone()).collect();
        // A second run, because only now it is known which places the finding names.
        let trace = crate::finding::replay(program, &moves, &fault).unwrap_or(trace);
        crate::finding::report(setup, trace, &fault, 1, saved.inputs.clone())
    });
    Replay { steps, failure, seen }
}
