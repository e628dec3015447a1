//! `--emit-tests DIR`: a test case for each execution, as `testNNNNNN.ktest` and `testNNNNNN.json`
//! (docs/json.md).
//!
//! A [`Recorder`] follows the executions as a detector does, on one core, so the numbers are those
//! of the depth-first order. Executions that ended only because of an assumption, a limit or
//! something unsupported give no case, because the real program would go on.

use crate::setup::Setup;
use crate::write_file::write_file;
use selvedge_model::{Describe, Detector, Event, Fault, FaultKind, Machine, Notice, Property, Status};
use selvedge_report::{Ktest, hex, inputs_json};
use selvedge_schedule::{Schedule, Step};
use selvedge_vm::{Reached, Vm};
use serde_json::{Value, json};
use std::collections::{BTreeMap, BTreeSet};
use std::io;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// The place where a session writes test cases. Clones refer to the same place.
#[derive(Clone, Debug)]
pub struct TestCases(Arc<Mutex<Emitter>>);

impl TestCases {
    /// A directory, which is not created yet. `stop` is set when nothing can be written any more.
    pub fn at(directory: &Path, stop: Arc<AtomicBool>) -> TestCases {
        TestCases(Arc::new(Mutex::new(Emitter {
            directory: directory.to_owned(),
            opened: false,
            count: 0,
            error: None,
            reached: Reached::default(),
            stop,
        })))
    }

    /// Creates the directory, or uses an existing one that contains no cases. A session does this
    /// if the caller has not.
    ///
    /// # Errors
    /// The system's error, or that there are cases already.
    pub fn open(&self) -> io::Result<()> {
        self.lock().open()
    }

    /// How many cases there are.
    pub fn count(&self) -> u64 {
        self.lock().count
    }

    /// The reason why a case could not be written; returned once.
    pub fn take_error(&self) -> Option<io::Error> {
        self.lock().error.take()
    }

    pub(crate) fn restart(&self) -> io::Result<()> {
        self.lock().restart()
    }

    fn lock(&self) -> MutexGuard<'_, Emitter> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// The directory that cases are written to.
#[derive(Debug)]
struct Emitter {
    directory: PathBuf,
    opened: bool,
    /// Cases written by the present exploration.
    count: u64,
    error: Option<io::Error>,
    /// The places that earlier executions have reached.
    reached: Reached,
    /// Set when nothing can be written any more.
    stop: Arc<AtomicBool>,
}

/// One case before it is written.
struct Case {
    ktest: Ktest,
    json: Value,
}

impl Emitter {
    fn open(&mut self) -> io::Result<()> {
        if std::mem::replace(&mut self.opened, true) {
            return Ok(());
        }
        std::fs::create_dir_all(&self.directory)?;
        for entry in std::fs::read_dir(&self.directory)? {
            let name = entry?.file_name();
            let name = name.to_string_lossy();
            if name.starts_with("test") && (name.ends_with(".ktest") || name.ends_with(".json")) {
                return Err(io::Error::new(
                    io::ErrorKind::AlreadyExists,
                    "it holds test cases already",
                ));
            }
        }
        Ok(())
    }

    /// Removes the cases, because the exploration starts again.
    fn restart(&mut self) -> io::Result<()> {
        for number in 1..=self.count {
            std::fs::remove_file(self.path(number, "ktest"))?;
            std::fs::remove_file(self.path(number, "json"))?;
        }
        self.count = 0;
        self.reached = Reached::default();
        Ok(())
    }

    fn path(&self, number: u64, extension: &str) -> PathBuf {
        self.directory.join(format!("test{number:06}.{extension}"))
    }

    fn write(&mut self, mut case: Case) {
        if self.error.is_some() {
            return;
        }
        let number = self.count + 1;
        case.json["number"] = number.into();
        let text = format!("{:#}\n", case.json);
        let written = write_file(&self.path(number, "ktest"), case.ktest.write())
            .and_then(|()| write_file(&self.path(number, "json"), text));
        match written {
            Ok(()) => self.count = number,
            Err(error) => self.fail(error),
        }
    }

    fn fail(&mut self, error: io::Error) {
        self.error = Some(error);
        self.stop.store(true, Ordering::Relaxed);
    }
}

/// Watches executions and hands cases to the emitter.
pub(crate) struct Recorder {
    cases: TestCases,
    /// The schedule, without steps.
    template: Schedule,
    args: Vec<String>,
    /// The properties whose first violation ends the exploration.
    ends_at: BTreeSet<Property>,
    steps: Vec<Step>,
    faults: Vec<Fault>,
    /// The number of times that something other than a fault has stopped a thread.
    stopped: u32,
}

impl Recorder {
    pub(crate) fn new(cases: &TestCases, setup: &Setup, ends_at: BTreeSet<Property>) -> Recorder {
        let name = setup.inputs.first().map(|path| path.display().to_string());
        let mut args = vec![name.unwrap_or_default()];
        args.extend(setup.vm.args.iter().cloned());
        Recorder {
            cases: cases.clone(),
            template: setup.schedule(),
            args,
            ends_at,
            steps: Vec::new(),
            faults: Vec::new(),
            stopped: 0,
        }
    }

    fn emit(&mut self, machine: &Vm, end: &str) {
        let mut emitter = self.cases.lock();
        let inputs = machine.inputs();
        let mut schedule = self.template.clone();
        schedule.steps.clone_from(&self.steps);
        let new = machine
            .program()
            .lines_between(&emitter.reached, machine.reached());
        emitter.reached.add(machine.reached());
        let output = machine.output();
        let json = json!({
            "selvedge-test": 1,
            "end": end,
            "exit": self.exit(machine),
            "faults": self.faults.iter().map(|fault| fault.kind.name()).collect::<Vec<_>>(),
            "inputs": inputs_json(&inputs),
            "output": String::from_utf8_lossy(&output),
            "output_bytes": hex(&output),
            "new_lines": new_lines(new),
            "schedule": schedule.to_string(),
        });
        let ktest = Ktest {
            args: self.args.clone(),
            inputs,
        };
        emitter.write(Case { ktest, json });
    }

    /// How the real process ends, as far as this is defined.
    fn exit(&self, machine: &Vm) -> Value {
        match self.faults.first() {
            Some(fault) => match fault.kind {
                FaultKind::AssertionFailed => json!({"signal": SIGABRT}),
                FaultKind::Abort if is_abort(&fault.message) => json!({"signal": SIGABRT}),
                _ => Value::Null,
            },
            None => machine
                .exit_code()
                .map_or(Value::Null, |code| json!({"code": code & 0xff})),
        }
    }
}

const SIGABRT: i32 = 6;

/// Whether this is the message of a call of `abort`, as it is or by a panic.
fn is_abort(message: &str) -> bool {
    message == "abort was called" || message.starts_with("panic: ")
}

fn new_lines(lines: BTreeMap<String, BTreeSet<u32>>) -> Value {
    lines
        .into_iter()
        .map(|(file, lines)| json!({"file": file, "lines": lines}))
        .collect()
}

/// A position: steps, faults, stops.
pub(crate) type RecorderMark = (usize, usize, u32);

impl Detector<Vm> for Recorder {
    type Mark = RecorderMark;

    fn mark(&mut self) -> RecorderMark {
        (self.steps.len(), self.faults.len(), self.stopped)
    }

    fn undo(&mut self, (steps, faults, stopped): RecorderMark) {
        self.steps.truncate(steps);
        self.faults.truncate(faults);
        self.stopped = stopped;
    }

    fn event(&mut self, machine: &Vm, event: &Event, faults: &mut Vec<Fault>) {
        // With fixed inputs, a program makes no data choices.
        if !event.is_data_choice() {
            self.steps.push(step(machine, event));
        }
        for notice in machine.notices() {
            match notice {
                Notice::Fault(fault) => self.faults.push(fault.clone()),
                Notice::Unsupported(_) | Notice::Limit(_) => self.stopped += 1,
                Notice::AssertNoted(..) => {}
            }
        }
        self.faults.extend(faults.iter().cloned());
        let last = |fault: &Fault| self.ends_at.contains(&fault.kind.property());
        if self.faults.iter().any(last) {
            self.emit(machine, "fault");
        }
    }

    fn end(&mut self, machine: &Vm, faults: &mut Vec<Fault>) {
        let before = self.faults.len();
        self.faults.extend(faults.iter().cloned());
        let parked = machine.pending().iter().any(|p| p.status == Status::Parked);
        if !self.faults.is_empty() {
            self.emit(machine, "fault");
        } else if !parked && self.stopped == 0 {
            self.emit(
                machine,
                if machine.exit_code().is_some() {
                    "exit"
                } else {
                    "deadlock"
                },
            );
        }
        self.faults.truncate(before);
    }

    fn forget(&mut self) {
        let mut emitter = self.cases.lock();
        if let Err(error) = emitter.restart() {
            emitter.fail(error);
        }
    }
}

fn step(machine: &Vm, event: &Event) -> Step {
    Step {
        thread: machine.thread_name(event.action.thread),
        alternative: event.alternative,
        note: String::new(),
    }
}
