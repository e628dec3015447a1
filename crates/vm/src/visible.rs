//! Whether an access is a scheduling point: the policy ([`Visibility`](crate::Visibility)) that is
//! queried for each one.
//!
//! Synchronisation is always a scheduling point. Whether an access to memory is one is decided only
//! here: first when code is compiled ([`includes`]), then when the access is about to be made
//! ([`shows`]). The caller has already checked that other threads may reach the object.

use crate::program::Program;
use crate::state::State;
use crate::visibility::Points;
use selvedge_base::{StmtId, ThreadId};
use selvedge_model::MemoryOrder;
use std::sync::Arc;

/// Whether accesses of this order by a statement are scheduling points, if others can run between
/// them.
#[inline]
pub(crate) fn includes(program: &Program, order: MemoryOrder, stmt: StmtId) -> bool {
    let options = &program.options;
    let among = |points: &Arc<Points>| points.accesses.contains(&stmt);
    options.visibility.includes(order) && options.points.as_ref().is_none_or(among)
}

/// True if an operation on a lock by this statement is no scheduling point.
#[inline]
pub(crate) fn hides_lock(program: &Program, stmt: StmtId) -> bool {
    let points = program.options.points.as_ref();
    points.is_some_and(|points| points.locks.contains(&stmt))
}

/// True if no other thread can run between two accesses of a thread: there is no other thread, or
/// this thread is in an atomic block. With `Modes::lone`, threads that were joined count, too.
#[inline]
pub(crate) fn runs_alone(state: &State, thread: ThreadId) -> bool {
    state.is_lone() || state.thread(thread).core.atomic != 0
}

/// True if a plain access that the thread is about to make, to memory that other threads may reach,
/// is a scheduling point.
#[inline]
pub(crate) fn shows(program: &Program, state: &State, thread: ThreadId, stmt: StmtId) -> bool {
    includes(program, MemoryOrder::NotAtomic, stmt) && !runs_alone(state, thread)
}

/// True if the beginning or end of an object's life is a scheduling point. It is one whichever
/// statement accesses the object.
#[inline]
pub(crate) fn shows_lives(program: &Program, state: &State, thread: ThreadId) -> bool {
    program.options.visibility.includes_plain() && !runs_alone(state, thread)
}
