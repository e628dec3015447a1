//! The stops along a schedule, in order, and the searches in them.

use crate::stack::calls;
use crate::{Debuggee, Ending};
use selvedge_base::{FileId, Id, StmtId, ThreadId};
use selvedge_model::{Choice, Describe, Machine, Status};
use selvedge_schedule::Step;
use selvedge_vm::Vm;
use std::collections::BTreeSet;

/// The maximum number of recorded lines in one step. A longer step (a long loop) has no stops after
/// these.
const MOST_LINES: usize = 20_000;

/// The maximum number of stops of a schedule. After that, steps have no stops at lines.
const MOST_STOPS: usize = 2_000_000;

/// Why a finding cannot be debugged.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub enum Error {
    /// The program cannot be run.
    #[error("{0}")]
    Program(#[from] selvedge_vm::Error),
    /// The schedule is of another program.
    #[error("the schedule does not fit the program: step {0}: {1}")]
    Schedule(usize, String),
}

/// A position at which the session can stop.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Stop {
    /// The number of steps of the schedule that are complete.
    pub(crate) step: usize,
    /// The line within the next step, counted from 1; 0: before the visible action of that step.
    pub(crate) line: usize,
    /// The thread that moves; at the end, the thread that exhibits the fault.
    pub(crate) thread: ThreadId,
    /// The number of its active calls.
    pub(crate) depth: u32,
    /// Its location.
    pub(crate) stmt: StmtId,
    /// The fault of the finding is here.
    pub(crate) is_wrong: bool,
}

/// All stops of a schedule.
pub(crate) struct Tape {
    pub(crate) stops: Vec<Stop>,
    pub(crate) choices: Vec<Choice>,
    /// Some lines were not recorded.
    pub(crate) is_cut: bool,
}

impl Tape {
    /// Runs the schedule of a finding and records all stops.
    pub(crate) fn new(debuggee: &Debuggee) -> Result<Tape, Error> {
        let mut vm = Vm::new(debuggee.program.clone())?;
        let (mut stops, mut choices, mut is_cut) = (Vec::new(), Vec::new(), false);
        for (number, step) in debuggee.schedule.iter().enumerate() {
            let choice = choice(&vm, step).map_err(|why| Error::Schedule(number + 1, why))?;
            stops.push(before(&vm, number, choice.thread));
            let most = MOST_LINES.min(MOST_STOPS.saturating_sub(stops.len()));
            let (_, lines) = vm.step_with_lines(choice, most);
            is_cut |= lines.len() >= most;
            stops.extend(lines.iter().enumerate().map(|(i, line)| Stop {
                step: number,
                line: i + 1,
                thread: choice.thread,
                depth: line.depth,
                stmt: line.stmt,
                is_wrong: false,
            }));
            choices.push(choice);
        }
        let ending = debuggee.ending.as_ref();
        let shown = ending.and_then(|ending| by_name(&vm, &ending.thread));
        let last = shown.or_else(|| stuck(&vm)).or(choices.last().map(|c| c.thread));
        let last = last.unwrap_or(ThreadId(0));
        if let Some(ending) = ending.filter(|_| shown == Some(last))
            && let Some(at) = line_of(&vm, &stops, last, ending)
        {
            stops[at].is_wrong = true;
        }
        stops.push(Stop {
            is_wrong: true,
            ..before(&vm, choices.len(), last)
        });
        Ok(Tape {
            stops,
            choices,
            is_cut,
        })
    }

    /// The last stop.
    pub(crate) fn end(&self) -> usize {
        self.stops.len() - 1
    }

    /// The first stop after `from` that satisfies the predicate; else the last stop.
    pub(crate) fn ahead(&self, from: usize, holds: impl Fn(&Stop) -> bool) -> usize {
        let rest = self.stops.iter().enumerate().skip(from + 1);
        let found = rest.into_iter().find(|(_, stop)| holds(stop));
        found.map_or(self.end(), |(at, _)| at)
    }

    /// The last stop before `from` that satisfies the predicate; else the first stop.
    pub(crate) fn back(&self, from: usize, holds: impl Fn(&Stop) -> bool) -> usize {
        self.stops[..from].iter().rposition(holds).unwrap_or(0)
    }
}

/// The stop before the next visible action of a thread.
fn before(vm: &Vm, step: usize, thread: ThreadId) -> Stop {
    let frames = vm.frames(thread);
    let pending = vm.pending()[thread.index()].action.stmt;
    Stop {
        step,
        line: 0,
        thread,
        depth: frames.len() as u32,
        stmt: frames.first().map_or(pending, |frame| frame.stmt),
        is_wrong: false,
    }
}

/// The stop at the line of the finding, if its thread has moved on from there: a race does not stop
/// its threads.
fn line_of(vm: &Vm, stops: &[Stop], thread: ThreadId, ending: &Ending) -> Option<usize> {
    let place = ending.stack.first()?;
    let top = calls(vm, thread).into_iter().next();
    if top.is_some_and(|top| (&top.location.file, top.location.line) == (&place.file, place.line)) {
        return None;
    }
    stops.iter().rposition(|stop| {
        let at = vm.location(stop.stmt);
        stop.thread == thread && stop.line > 0 && (&at.file, at.line) == (&place.file, place.line)
    })
}

/// The choice for a step of the schedule.
fn choice(vm: &Vm, step: &Step) -> Result<Choice, String> {
    let name = &step.thread;
    let thread = by_name(vm, name).ok_or_else(|| format!("there is no thread {name}"))?;
    let pending = &vm.pending()[thread.index()];
    if pending.status != Status::Enabled {
        return Err(format!("thread {name} cannot move"));
    }
    if step.alternative >= pending.alternatives {
        return Err(format!(
            "thread {name} has only {} alternatives",
            pending.alternatives
        ));
    }
    Ok(Choice {
        thread,
        alternative: step.alternative,
    })
}

fn by_name(vm: &Vm, name: &str) -> Option<ThreadId> {
    let all = 0..vm.pending().len();
    all.map(ThreadId::from_index)
        .find(|&thread| vm.thread_name(thread) == name)
}

/// The first blocked thread. It is used if the end of the execution exhibits the fault.
fn stuck(vm: &Vm) -> Option<ThreadId> {
    let blocked = vm.pending().iter().position(|p| p.status == Status::Blocked);
    blocked.map(ThreadId::from_index)
}

/// Lines that have code.
pub(crate) type Lines = BTreeSet<(FileId, u32)>;
