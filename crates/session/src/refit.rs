//! A saved finding on a program that was edited since: its schedule is fitted to what the program
//! does now.
//!
//! A step of the schedule is known by its thread, its operation, its function and the text of its
//! line; never by the number of the line. Where a thread stands at something else, either the
//! schedule's step is gone (the thread stands at a later one of its steps), or what the thread
//! stands at is new, and is done. Nothing is believed because of that: what the fitted schedule
//! shows is shown by running it.

use crate::machines::machine;
use crate::trace::{Move, Trace};
use selvedge_base::{Id, Location, ThreadId};
use selvedge_detect::Detectors;
use selvedge_model::{Describe, Fault, Machine, Op, Pending, Status};
use selvedge_report::{FindingFile, Place, Sources, digest, own_files};
use selvedge_vm::{Program, Vm};
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

type VmTrace = Trace<Vm, Detectors>;

/// New steps that are made before the schedule is given up.
const MOST_NEW: usize = 1000;
/// How many of a thread's next steps are looked at, to find where it stands.
const LOOK_AHEAD: usize = 100;
/// Differences that are named.
const MOST_NAMED: usize = 6;

/// A schedule that was fitted to a program.
pub(crate) struct Fitted {
    pub(crate) trace: VmTrace,
    /// In words, what was different.
    pub(crate) differences: Vec<String>,
}

/// Runs the schedule of a finding as far as the program still has its steps.
pub(crate) fn fit(saved: &FindingFile, program: &Arc<Program>, sources: &Sources) -> Fitted {
    let (vm, detectors) = machine(program);
    let mut fitted = Fitted {
        trace: Trace::new(vm, detectors, Vec::new()),
        differences: Vec::new(),
    };
    let steps = &saved.schedule.steps;
    let mut new = 0;
    for (number, step) in steps.iter().enumerate() {
        let Some(place) = saved.places.get(number) else {
            break; // saved by an earlier version
        };
        loop {
            let vm = &fitted.trace.machine;
            let Some((thread, pending)) = standing(vm, &step.thread) else {
                fitted.differs(format!("there is no thread {}", step.thread));
                break;
            };
            if matches!(pending.status, Status::Finished | Status::Parked) {
                fitted.differs(format!("thread {} has ended before `{}`", step.thread, step.note));
                break;
            }
            let here = here(vm, thread, &pending, sources);
            let is_it = |place: &Place, note: &str| *place == here && is_of(pending.action.op, note);
            if is_it(place, &step.note) {
                let alternative = step.alternative.min(pending.alternatives.saturating_sub(1));
                fitted.make(&step.thread, alternative);
                break;
            }
            let later = steps.iter().zip(&saved.places).skip(number + 1);
            let mut later = later
                .filter(|(later, _)| later.thread == step.thread)
                .take(LOOK_AHEAD);
            if later.any(|(later, place)| is_it(place, &later.note)) {
                fitted.differs(format!("thread {} does no `{}` any more", step.thread, step.note));
                break;
            }
            let text = format!(
                "thread {} does `{}`",
                step.thread,
                vm.action_text(&pending.action)
            );
            if new == MOST_NEW || !fitted.make(&step.thread, 0) {
                break;
            }
            new += 1;
            fitted.differs(format!("new: {text} at `{}`", here.statement));
        }
    }
    fitted.trace.finish();
    fitted
}

impl Fitted {
    fn make(&mut self, thread: &str, alternative: u16) -> bool {
        let step = Move {
            thread: thread.to_owned(),
            alternative,
        };
        match self.trace.make(&step) {
            Ok(()) => true,
            Err(error) => {
                self.differs(error.to_string());
                false
            }
        }
    }

    fn differs(&mut self, text: String) {
        if !self.differences.contains(&text) {
            self.differences.push(text);
        }
    }
}

fn standing(vm: &Vm, name: &str) -> Option<(ThreadId, Pending)> {
    let threads = vm.pending().iter().enumerate();
    let mut threads = threads.map(|(i, pending)| (ThreadId::from_index(i), *pending));
    threads.find(|&(thread, _)| vm.thread_name(thread) == name)
}

/// Where a thread stands, as rows of a schedule say it.
fn here(vm: &Vm, thread: ThreadId, pending: &Pending, sources: &Sources) -> Place {
    let context = match pending.action.op {
        Op::Start => vm.created_in(thread),
        _ => vm.pending_context(thread),
    };
    Place::new(&vm.own_location(pending.action.stmt, context), sources)
}

/// Whether the words for a step are of an operation: both begin with the same verb. The rest names
/// objects, and says what came of it.
fn is_of(op: Op, note: &str) -> bool {
    let verb = |text: &str| text.split(' ').next().map(str::to_owned);
    verb(note) == verb(op.info().text)
}

/// How well a fault fits a saved finding: 0: another one; 1: the same kind in the same function, of
/// another statement; 2: the same.
pub(crate) fn likeness(saved: &FindingFile, vm: &Vm, fault: &Fault, sources: &Sources) -> u8 {
    if fault.kind.name() != saved.kind {
        return 0;
    }
    let (stmt, _) = vm.outside_library(fault.stmt, fault.context);
    let at = vm.location(stmt);
    let place = Place::new(&at, sources);
    let (file, line, column) = &saved.location;
    let same_line = (&at.file, at.line, at.column) == (file, *line, *column);
    match place.function == saved.place.function {
        // The text of a line says more than its number, if it is known.
        true if saved.place.statement.is_empty() => 1 + u8::from(same_line),
        true => 1 + u8::from(place.statement == saved.place.statement),
        false => 0,
    }
}

/// What was changed in a program since a finding was saved, in words; empty if nothing was.
/// `None` if the finding does not say what it was found in.
pub(crate) fn changes(
    saved: &FindingFile,
    program: &Program,
    sources: &Sources,
    files: &BTreeMap<String, String>,
) -> Option<Vec<String>> {
    if saved.files.is_empty() || saved.version.is_empty() {
        return None;
    }
    let mut changes = Vec::new();
    if !saved.is_intact {
        changes.push("the finding itself has been edited".to_owned());
    }
    let texts = own_files(sources).map(|(path, text)| (path, digest(text.as_bytes())));
    let now: Vec<(&str, String)> = texts
        .chain(files.iter().map(|(path, digest)| (path.as_str(), digest.clone())))
        .collect();
    let base = |path: &str| path.rsplit('/').next().unwrap_or_default().to_owned();
    for (path, old) in &saved.files {
        // It may be named from another directory.
        let mut named = now.iter().filter(|(now, _)| base(now) == base(path)).peekable();
        if named.peek().is_none() {
            changes.push(format!("{path} is no part of the program any more"));
        } else if named.all(|(_, now)| now != old) {
            changes.push(format!("{path} has been changed"));
        }
    }
    let known: BTreeSet<String> = saved.files.keys().map(|path| base(path)).collect();
    let new: BTreeSet<&str> = now
        .iter()
        .map(|(path, _)| *path)
        .filter(|path| !known.contains(&base(path)))
        .collect();
    changes.extend(new.iter().map(|path| format!("{path} is new")));
    if changes.len() > usize::from(!saved.is_intact) {
        changes.extend(gone(saved, program, sources));
    }
    if saved.version != env!("CARGO_PKG_VERSION") {
        changes.push(format!("it was saved by version {} of selvedge", saved.version));
    }
    Some(changes)
}

/// Functions and statements of the schedule that the program does not have any more.
fn gone(saved: &FindingFile, program: &Program, sources: &Sources) -> Vec<String> {
    let all = || saved.places.iter().chain([&saved.place]);
    let asked: BTreeSet<&str> = all().map(|place| place.function.as_str()).collect();
    let locations = program.module.stmts.ids().map(|stmt| program.location(stmt));
    let lines: BTreeSet<(String, u32, String)> = locations
        .filter(|at| asked.contains(at.function.as_str()))
        .map(|at| (at.file, at.line, at.function))
        .collect();
    let places = lines.into_iter().map(|(file, line, function)| Location {
        file,
        line,
        function,
        ..Location::default()
    });
    let there: BTreeSet<Place> = places.map(|at| Place::new(&at, sources)).collect();
    let functions: BTreeSet<&str> = there.iter().map(|place| place.function.as_str()).collect();
    let mut gone = Vec::new();
    for place in all() {
        let text = match functions.contains(place.function.as_str()) {
            _ if place.function.is_empty() || place.statement.is_empty() => continue,
            true if there.contains(place) => continue,
            true => format!("`{}` has no line `{}` any more", place.function, place.statement),
            false => format!("there is no function `{}` any more", place.function),
        };
        if !gone.contains(&text) {
            gone.push(text);
        }
    }
    gone.truncate(MOST_NAMED);
    gone
}

/// The first of some differences, and how many more there are.
pub(crate) fn named(mut differences: Vec<String>) -> Vec<String> {
    let more = differences.len().saturating_sub(MOST_NAMED);
    differences.truncate(MOST_NAMED);
    if more > 0 {
        differences.push(format!("and {more} more differences"));
    }
    differences
}
