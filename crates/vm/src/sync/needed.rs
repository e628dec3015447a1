//! On which object's changes the status of a pending action depends.

use selvedge_model::{Needs, ObjectId, Pending, Status};

/// [`needed`]: nothing of what other threads do.
pub const NOTHING: u64 = 0;
/// [`needed`]: more than one object.
pub const ANYTHING: u64 = u64::MAX;

/// The object whose changes may enable or disable a pending action, or change its alternatives: the
/// counterpart of [`status`](super::status).
#[inline]
pub fn needed(pending: &Pending) -> u64 {
    match pending.status {
        Status::Enabled | Status::Blocked => {}
        // For others to have had their turn, or for a compare-exchange to fail.
        Status::Held => return ANYTHING,
        Status::Finished | Status::Parked => return NOTHING,
    }
    // Whether a thread was stopped within a block that may touch this memory.
    if pending.action.blocks.is_some() && pending.action.op.info().needs == Needs::Nothing {
        return ObjectId::blocks(pending.action.blocks).0;
    }
    match pending.action.op.info().needs {
        Needs::Nothing => NOTHING,
        Needs::Object => pending.action.object.0,
        Needs::Anything => ANYTHING,
        // Whether a weak compare-exchange may fail without cause: what the others do to memory
        // decides.
        Needs::IfMayFail if pending.action.may_fail => ANYTHING,
        Needs::IfMayFail => NOTHING,
    }
}
