//! Waits on a condition variable whose lock is a word of memory: giving the lock back and beginning
//! to wait, in one action.
//!
//! This is what a wait on a condition variable of Rust's standard library comes to, where its locks
//! are claims (`claim.rs`): `crates/analysis/src/rust_locks.rs` puts it in the place of such code.
//! The queue is that of a futex word, so the system call futex and this wait understand each other.

use super::futex::{go_on, join_queue, later_prepare};
use super::wait_set::WORD;
use crate::native::{ALL_ARGUMENTS, Cx, Flow, Native, Performed, Prepared, Stop, Visible};
use crate::phase::Phase;
use crate::value::Value;
use selvedge_model::{Action, FaultKind, MemoryOrder, ObjectId, Op, Outcome};

/// What the word holds while the lock is taken.
const TAKEN: u64 = 1;

/// The model of this file: `__selvedge_wait_with_word(queue, word, timed)`.
pub(super) fn find(name: &str) -> Option<Native> {
    (name == selvedge_ir::WAIT_WITH_WORD).then_some(Native::Visible(Visible {
        prepare,
        perform,
        numbers: ALL_ARGUMENTS,
    }))
}

/// The addresses of the word whose queue is joined and of the lock, both aligned.
fn words(cx: &mut Cx<'_>) -> Result<(u64, u64), Stop> {
    let (queue, lock) = (cx.word(0)?, cx.word(1)?);
    match [queue, lock].into_iter().find(|address| address % WORD != 0) {
        Some(address) => {
            let text = "a condition variable or a lock whose word is not aligned";
            Err(cx.fault_on(FaultKind::Misaligned, text, ObjectId(address)))
        }
        None => Ok((queue, lock)),
    }
}

/// The queue of a word that only threads of this process use: its lowest bit says so.
const fn queue_of(address: u64) -> ObjectId {
    ObjectId::queue(address | 1)
}

fn prepare(cx: &mut Cx<'_>) -> Prepared {
    if cx.state.thread(cx.thread).core.phase != Phase::First {
        return later_prepare(cx);
    }
    match words(cx) {
        Ok((queue, lock)) => Prepared::Visible(Action {
            object: queue_of(queue),
            object2: ObjectId(lock),
            size: WORD as u32,
            order: MemoryOrder::Release,
            blocks: cx.program.blocks_at(lock),
            ..cx.action(Op::WaitReleaseWord, 0)
        }),
        Err(flow) => Prepared::Immediate(flow),
    }
}

fn perform(cx: &mut Cx<'_>, alternative: u16) -> Performed {
    if cx.state.thread(cx.thread).core.phase != Phase::First {
        return go_on(cx);
    }
    match begin(cx, alternative != 0) {
        Ok(()) if alternative == 0 => Performed::Again(Outcome::Done),
        Ok(()) => Performed::Again(Outcome::Value(alternative)),
        Err(flow) => Performed::Done(flow, Outcome::Failed),
    }
}

/// Gives the lock back and begins to wait. `wakes`: the wait ends spuriously, at once.
fn begin(cx: &mut Cx<'_>, wakes: bool) -> Result<(), Stop> {
    let (queue, lock) = words(cx)?;
    if let Err(error) = cx.state.memory.check(lock, WORD, true) {
        return Err(cx.memory_fault(error, lock, WORD, true));
    }
    let held = cx.state.memory.peek_checked(lock, WORD);
    if cx.concrete(held, "the word of a lock")? as u32 != TAKEN as u32 {
        let text = "a wait on a condition variable with a lock that is not taken, or has sleeping threads";
        return Err(Flow::Unsupported(text.into()));
    }
    cx.state.memory.poke_checked(lock, WORD, Value::new(0));
    // The library looks at the word once more when it has given the lock back. Accesses come after
    // what their action releases: so who takes the lock now is not ordered after this one.
    cx.access(queue, WORD, false)?;
    let timed = cx.word(2)? != 0 && cx.program.options.timeouts;
    join_queue(cx, (queue_of(queue), ObjectId(lock)), timed, wakes);
    Ok(())
}
