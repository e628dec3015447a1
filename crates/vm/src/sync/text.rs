//! What threads wait for, and operations in words.

use super::{atomic_block, channel, claim_shared, mutex, once, rwlock, spin};
use crate::libc::files;
use crate::naming::object_name;
use crate::phase::Phase;
use crate::program::Program;
use crate::state::{State, thread_name};
use selvedge_base::{Id, ThreadId};
use selvedge_model::{ObjectId, Op, Status, WaitsFor};

/// The threads that hold what a blocked thread needs, or that have to end first, each of which it
/// waits for; none if anybody could help it, or nobody.
pub fn waits_for(state: &State, thread: ThreadId) -> WaitsFor {
    let Some(pending) = state.pending().get(thread.index()) else {
        return WaitsFor::new();
    };
    if pending.status != Status::Blocked {
        return WaitsFor::new();
    }
    let object = pending.action.object;
    let holder = |mutex: u64| mutex::known(state, mutex).and_then(|m| m.owner);
    let one = match pending.action.op {
        Op::Lock | Op::TimedLock => holder(object.0),
        Op::WaitAcquire if state.thread(thread).core.phase != Phase::Waiting => {
            holder(pending.action.object2.0)
        }
        Op::RdLock | Op::TimedRdLock | Op::WrLock | Op::TimedWrLock => {
            return rwlock::holders(state, object.0);
        }
        Op::SpinLock => spin::owner(state, object.0),
        Op::OnceEnter => once::runner(state, object.0),
        Op::Join => object.as_thread(),
        Op::AtomicBlock => object
            .as_blocks()
            .and_then(|class| atomic_block::stopped(state, class)),
        _ if pending.action.blocks.is_some() => atomic_block::stopped(state, pending.action.blocks),
        Op::HiddenWait => files::waits_for(state, thread),
        _ => None,
    };
    one.into_iter().collect()
}

/// Why a thread does not move: `waits for mutex `m`, held by thread 0.1`.
pub fn blocked_text(program: &Program, state: &State, thread: ThreadId) -> String {
    let Some(pending) = state.pending().get(thread.index()) else {
        return String::new();
    };
    match pending.status {
        Status::Enabled => return "can move".into(),
        Status::Finished => return "has ended".into(),
        Status::Parked => return "was stopped".into(),
        Status::Held => return "could go on, which other executions show".into(),
        Status::Blocked => {}
    }
    let action = &pending.action;
    if let Some(text) = crate::arrived::blocked_text(program.signals, state, action) {
        return text;
    }
    let name = object_name(program, state, action.object);
    let what = match action.op {
        Op::Lock | Op::TimedLock => format!("mutex {name}"),
        Op::WaitAcquire if state.thread(thread).core.phase == Phase::Waiting => {
            return format!("waits on condition variable {name}");
        }
        Op::WaitAcquire => {
            format!(
                "mutex {} after a wait on {name}",
                object_name(program, state, action.object2)
            )
        }
        Op::Claim
            if program
                .location(action.stmt)
                .function
                .contains("std::thread::scoped::scope") =>
        {
            return "waits for the threads of a scope".into();
        }
        Op::Claim
            if program
                .location(action.stmt)
                .function
                .contains("sync::once::futex") =>
        {
            return format!("waits for the end of the closure that runs once for {name}");
        }
        Op::Claim => {
            return match claim_shared::Kind::of(state.thread(thread).core.note) {
                Some(kind) if kind.is_shared() => {
                    format!("waits until no writer has or waits for the lock {name}")
                }
                _ => format!("waits until the lock {name} is free"),
            };
        }
        Op::Channel => return channel::blocked_text(state, action, &name),
        Op::FutexWoken if state.thread(thread).core.wait[1] != ObjectId::NONE => {
            return format!("waits on condition variable {name}");
        }
        Op::FutexWoken => return format!("waits on the futex {name}"),
        Op::RdLock | Op::WrLock | Op::TimedRdLock | Op::TimedWrLock => format!("read-write lock {name}"),
        Op::SpinLock => format!("spin lock {name}"),
        Op::OnceEnter => format!("the initialisation {name}"),
        Op::Join => return format!("waits for the end of {name}"),
        Op::AtomicBlock => "the end of an atomic block".into(),
        _ if action.blocks.is_some() => "the end of an atomic block".into(),
        Op::SemWait | Op::SemTimedWait => return format!("waits for a post to semaphore {name}"),
        Op::BarrierLeave => return format!("waits for others at barrier {name}"),
        Op::Destroy => return format!("waits until all threads have left barrier {name}"),
        Op::HiddenWait => match waits_for(state, thread).first() {
            Some(holder) => {
                return format!(
                    "{}, thread {}",
                    files::blocked_text(state, action),
                    thread_name(state, *holder)
                );
            }
            None => return files::blocked_text(state, action),
        },
        Op::ProcessExit => return "waits for the other threads before the process ends".into(),
        op => return format!("waits in {} {name}", op.info().text),
    };
    match waits_for(state, thread)[..] {
        [] => format!("waits for {what}"),
        [holder] if holder == thread => format!("waits for {what}, which it holds itself"),
        [holder] => format!("waits for {what}, held by thread {}", thread_name(state, holder)),
        ref holders => {
            let names: Vec<String> = holders.iter().map(|&t| thread_name(state, t)).collect();
            format!("waits for {what}, held by threads {}", names.join(", "))
        }
    }
}
