//! The steps of an execution as text.

use selvedge_base::{Id, ThreadId};
use selvedge_model::{Action, Describe, Event, Op, Outcome};

/// The data for a step's text that are read before the step.
pub(crate) struct Before {
    text: String,
    value: Option<String>,
}

impl Before {
    /// Reads a machine that is about to take an action.
    pub(crate) fn new<M: Describe>(machine: &M, action: &Action) -> Before {
        let value = matches!(action.op, Op::Read | Op::Rmw | Op::Add)
            .then(|| machine.value(action.object, action.size))
            .flatten();
        Before {
            text: machine.action_text(action),
            value,
        }
    }

    /// The text of the step, after it was made.
    pub(crate) fn text<M: Describe>(self, machine: &M, event: &Event) -> String {
        let Before { text, value } = self;
        let action = &event.action;
        match (action.op, event.outcome) {
            (Op::Spawn, Outcome::Thread(new)) => {
                let name = machine.thread_name(new);
                match machine.routine(new) {
                    routine if routine.is_empty() => format!("create thread {name}"),
                    routine => format!("create thread {name}, which runs {routine}"),
                }
            }
            (Op::WaitRelease | Op::WaitReleaseWord | Op::FutexWait, _) if event.alternative != 0 => {
                format!("{text}, ended without a signal")
            }
            // Of a read-write lock, by the values in `crates/vm/src/sync/claim_shared.rs`.
            (Op::Claim, Outcome::Value(1)) => format!("{text}: not free, says that it waits"),
            (Op::Claim, Outcome::Value(_)) => format!("{text}: leaves it to those that wait"),
            (Op::Signal | Op::Broadcast, Outcome::Failed) => format!("{text}: nobody waits"),
            (Op::Signal, Outcome::Thread(woken)) => {
                format!("{text}: wakes thread {}", machine.thread_name(woken))
            }
            (Op::Broadcast, Outcome::Threads(woken)) => {
                let woken = machine.waiters(woken).iter();
                let names = woken.map(|&thread| machine.thread_name(thread));
                let names: Vec<String> = names.collect();
                match names.len() {
                    0 => format!("{text}: nobody waits"),
                    1 => format!("{text}: wakes thread {}", names[0]),
                    _ => format!("{text}: wakes threads {}", names.join(", ")),
                }
            }
            (Op::Read, _) => match value {
                Some(value) => format!("{text}: {value}"),
                None => text,
            },
            (Op::Write, _) => match written(machine, action) {
                Some(value) => format!("{text}: {value}"),
                None => text,
            },
            (Op::Rmw | Op::Add, outcome) => match (value, written(machine, action)) {
                (Some(value), _) if outcome == Outcome::Failed => format!("{text}: {value}, fails"),
                (Some(old), Some(new)) => format!("{text}: {old} → {new}"),
                (Some(old), None) => format!("{text}: {old}"),
                (None, _) if outcome == Outcome::Failed => format!("{text}: fails"),
                (None, _) => text,
            },
            (
                Op::TryLock
                | Op::TimedLock
                | Op::SpinTryLock
                | Op::TryRdLock
                | Op::TimedRdLock
                | Op::TryWrLock
                | Op::TimedWrLock
                | Op::SemTryWait
                | Op::SemTimedWait,
                Outcome::Failed,
            ) => format!("{text}: fails"),
            _ => text,
        }
    }
}

/// What an action has written, if nothing else of the step has written there after it.
fn written<M: Describe>(machine: &M, action: &Action) -> Option<String> {
    let (from, to) = (action.object.0, action.object.0 + u64::from(action.size));
    let again = machine
        .accesses()
        .iter()
        .any(|a| a.write && a.address < to && from < a.address + u64::from(a.size));
    machine.value(action.object, action.size).filter(|_| !again)
}

/// The start function of a thread, for display.
pub(crate) fn routine<M: Describe>(machine: &M, thread: ThreadId) -> String {
    match machine.routine(thread) {
        _ if thread.index() == 0 => "main".to_owned(),
        routine => routine,
    }
}
