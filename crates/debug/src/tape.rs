//! The stops on the way of a schedule, in their order, and the searches in them.

use crate::stack::calls;
use crate::{Debuggee, Ending};
use selvedge_base::{FileId, Id, StmtId, ThreadId};
use selvedge_model::{Choice, Describe, Machine, Status};
use selvedge_schedule::Step;
use selvedge_vm::Vm;
use std::collections::BTreeSet;

/// Lines of one step that are noted. A step with more (a long loop) has stops at these only.
const MOST_LINES: usize = 20_000;

/// Stops of a whole schedule at lines. Steps after that have none.
const MOST_STOPS: usize = 2_000_000;

/// Why a finding cannot be gone through.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub enum Error {
    /// The program cannot be run.
    #[error("{0}")]
    Program(#[from] selvedge_vm::Error),
    /// The schedule is of another program.
    #[error("the schedule does not fit the program: step {0}: {1}")]
    Schedule(usize, String),
}

/// A place where the session can stand.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Stop {
    /// How many steps of the schedule have been made.
    pub(crate) step: usize,
    /// At which line of the next step, counted from 1; 0: before its visible action.
    pub(crate) line: usize,
    /// Who moves; in the end the thread that showed what is wrong.
    pub(crate) thread: ThreadId,
    /// How many calls are active in it.
    pub(crate) depth: u32,
    /// Where it is.
    pub(crate) stmt: StmtId,
    /// What the finding is about happens here.
    pub(crate) is_wrong: bool,
}

/// Where the stops of a way lie.
pub(crate) struct Tape {
    pub(crate) stops: Vec<Stop>,
    pub(crate) choices: Vec<Choice>,
    /// Some lines are left out.
    pub(crate) is_cut: bool,
}

impl Tape {
    /// Makes the schedule of a finding, and notes all stops.
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

    /// The end of the way.
    pub(crate) fn end(&self) -> usize {
        self.stops.len() - 1
    }

    /// The first stop behind one for which something holds; else the end.
    pub(crate) fn ahead(&self, from: usize, holds: impl Fn(&Stop) -> bool) -> usize {
        let rest = self.stops.iter().enumerate().skip(from + 1);
        let found = rest.into_iter().find(|(_, stop)| holds(stop));
        found.map_or(self.end(), |(at, _)| at)
    }

    /// The last stop before one for which something holds; else the beginning.
    pub(crate) fn back(&self, from: usize, holds: impl Fn(&Stop) -> bool) -> usize {
        self.stops[..from].iter().rposition(holds).unwrap_or(0)
    }
}

/// The place of the next visible action of a thread.
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

/// The stop at the line that a finding is about, if its thread has gone on from there: what races
/// does not stop.
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

/// The choice that a step of the schedule stands for.
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

/// A thread that waits: the first one, if the end of an execution shows what is wrong.
fn stuck(vm: &Vm) -> Option<ThreadId> {
    let blocked = vm.pending().iter().position(|p| p.status == Status::Blocked);
    blocked.map(ThreadId::from_index)
}

/// Which lines code is at.
pub(crate) type Lines = BTreeSet<(FileId, u32)>;
