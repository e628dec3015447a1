//! The word of memory that is a lock, as claims use it (`claim.rs`, `claim_shared.rs`).

use crate::memory::Kind;
use crate::native::{Cx, Prepared, Stop};
use crate::state::State;
use crate::value::Value;
use selvedge_model::{Action, FaultKind, MemoryOrder, ObjectId, Op};

/// The usual size of the word in bytes.
pub(super) const WORD: u64 = 4;

/// The claim of the word of some size at an address. `note`: what it waits for, a value, bits, or
/// one of the kinds of `claim_shared.rs`.
pub(super) fn prepare_at(cx: &mut Cx<'_>, (address, size): (u64, u64), note: u64) -> Prepared {
    if !address.is_multiple_of(size) {
        let text = "a lock whose word is not aligned";
        let fault = cx.fault_on(FaultKind::Misaligned, text, ObjectId(address));
        return Prepared::Immediate(fault);
    }
    cx.state.own_core(cx.thread).note = note;
    Prepared::Visible(Action {
        order: MemoryOrder::Acquire,
        ..action(cx, Op::Claim, (address, size))
    })
}

/// A read of the word of some size at an address.
pub(super) fn read_at(cx: &Cx<'_>, place: (u64, u64)) -> Action {
    action(cx, Op::Read, place)
}

fn action(cx: &Cx<'_>, op: Op, (address, size): (u64, u64)) -> Action {
    let object2 = match cx.state.memory.object_at(address) {
        Some((base, object)) if matches!(object.kind, Kind::Heap | Kind::Stack) => ObjectId::heap(base),
        _ => ObjectId::NONE,
    };
    Action {
        object2,
        size: size as u32,
        blocks: cx.program.blocks_at(address),
        ..cx.action(op, address)
    }
}

/// What the word holds, if it can be read.
pub(super) fn found(state: &State, action: &Action) -> Option<Value> {
    let (address, size) = (action.object.0, u64::from(action.size));
    state.memory.check(address, size, false).ok()?;
    Some(state.memory.peek_checked(address, size))
}

/// The word, which the action is to change.
pub(super) fn read(cx: &mut Cx<'_>, (address, size): (u64, u64)) -> Result<u64, Stop> {
    if let Err(error) = cx.state.memory.check(address, size, true) {
        return Err(cx.memory_fault(error, address, size, true));
    }
    let value = cx.state.memory.peek_checked(address, size);
    cx.concrete(value, "the word of a lock")
}

/// Changes the word that was read.
pub(super) fn write(cx: &mut Cx<'_>, (address, size): (u64, u64), word: u64) {
    cx.state.memory.poke_checked(address, size, Value::new(word));
}
