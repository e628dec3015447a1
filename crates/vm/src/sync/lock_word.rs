//! The word of memory that is a lock, as claims use it (`claim.rs`, `claim_shared.rs`).

use crate::memory::Kind;
use crate::native::{Cx, Prepared, Stop};
use crate::state::State;
use crate::value::Value;
use selvedge_model::{Action, FaultKind, MemoryOrder, ObjectId, Op};

/// The size of the word in bytes.
const WORD: u64 = 4;

/// The claim of the word at an address. `note`: what it waits for, a value, or one of the
/// kinds of `claim_shared.rs`.
pub(super) fn prepare_at(cx: &mut Cx<'_>, address: u64, note: u64) -> Prepared {
    if !address.is_multiple_of(WORD) {
        let text = "a lock whose word is not aligned";
        let fault = cx.fault_on(FaultKind::Misaligned, text, ObjectId(address));
        return Prepared::Immediate(fault);
    }
    cx.state.own_core(cx.thread).note = note;
    let object2 = match cx.state.memory.object_at(address) {
        Some((base, object)) if matches!(object.kind, Kind::Heap | Kind::Stack) => ObjectId::heap(base),
        _ => ObjectId::NONE,
    };
    Prepared::Visible(Action {
        object2,
        size: WORD as u32,
        order: MemoryOrder::Acquire,
        blocks: cx.program.blocks_at(address),
        ..cx.action(Op::Claim, address)
    })
}

/// What the word holds, if it can be read.
pub(super) fn found(state: &State, address: u64) -> Option<Value> {
    state.memory.check(address, WORD, false).ok()?;
    Some(state.memory.peek_checked(address, WORD))
}

/// The word, which the action is to change.
pub(super) fn read(cx: &mut Cx<'_>, address: u64) -> Result<u32, Stop> {
    if let Err(error) = cx.state.memory.check(address, WORD, true) {
        return Err(cx.memory_fault(error, address, WORD, true));
    }
    let value = cx.state.memory.peek_checked(address, WORD);
    Ok(cx.concrete(value, "the word of a lock")? as u32)
}

/// Changes the word that was read.
pub(super) fn write(cx: &mut Cx<'_>, address: u64, word: u32) {
    cx.state
        .memory
        .poke_checked(address, WORD, Value::new(u64::from(word)));
}
