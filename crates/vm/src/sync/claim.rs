//! Claims: waiting until a word of memory has a value, and changing it, in one action.
//!
//! This is what taking a lock comes to whose state is a word of memory, if the waiting is left out:
//! `crates/analysis/src/rust_locks.rs` puts claims in the place of such code. The state is the word
//! alone. So a claim and any other code that uses the word understand each other.

use super::operation::done;
use crate::memory::Kind;
use crate::native::{Cx, Native, Performed, Prepared, Stop, Visible};
use crate::state::State;
use crate::value::Value;
use selvedge_ir::{Callee, InstKind};
use selvedge_model::{Action, FaultKind, MemoryOrder, ObjectId, Op, Outcome, Status};

/// The size of the word in bytes.
const WORD: u64 = 4;

impl crate::program::Program {
    /// Whether there are claims in the place of the program's own code. The model library has some
    /// that stand for nothing else.
    pub fn claims(&self) -> bool {
        let Some(claim) = self.module.function(selvedge_ir::CLAIM) else {
            return false;
        };
        let own = self.module.functions.iter().filter(|function| !function.library);
        let mut insts = own.flat_map(|function| function.blocks.iter().flat_map(|block| &block.insts));
        insts.any(|inst| {
            matches!(inst.kind, InstKind::Call { callee: Callee::Direct(callee), .. } if callee == claim)
        })
    }
}

/// The models of this file: `__selvedge_claim(word, when, then)` waits until the word is `when`,
/// and makes it `then`.
pub(super) fn find(name: &str) -> Option<Native> {
    (name == selvedge_ir::CLAIM).then_some(Native::Visible(Visible {
        prepare,
        perform,
        numbers: crate::native::ALL_ARGUMENTS,
    }))
}

fn prepare(cx: &mut Cx<'_>) -> Prepared {
    let numbers = (cx.word(0), cx.word(1));
    let (address, when) = match numbers {
        (Ok(address), Ok(when)) => (address, when),
        (Err(flow), _) | (_, Err(flow)) => return Prepared::Immediate(flow),
    };
    if address % WORD != 0 {
        let text = "a lock whose word is not aligned";
        let fault = cx.fault_on(FaultKind::Misaligned, text, ObjectId(address));
        return Prepared::Immediate(fault);
    }
    cx.state.own_core(cx.thread).note = when;
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
fn found(state: &State, address: u64) -> Option<Value> {
    state.memory.check(address, WORD, false).ok()?;
    Some(state.memory.peek_checked(address, WORD))
}

/// Whether a claim is enabled: also where the access is a fault, or the value unknown, which the
/// step then says.
pub(super) fn status(state: &State, action: &Action) -> Status {
    let when = state.thread(action.thread).core.note;
    match found(state, action.object.0) {
        Some(value) if value.is_concrete() && value.bits as u32 != when as u32 => Status::Blocked,
        _ => Status::Enabled,
    }
}

fn perform(cx: &mut Cx<'_>, _: u16) -> Performed {
    done(take(cx).map(|()| (0, Outcome::Done)))
}

fn take(cx: &mut Cx<'_>) -> Result<(), Stop> {
    let (address, when, then) = (cx.word(0)?, cx.word(1)?, cx.word(2)?);
    cx.state.own_core(cx.thread).note = 0;
    if let Err(error) = cx.state.memory.check(address, WORD, true) {
        return Err(cx.memory_fault(error, address, WORD, true));
    }
    let value = cx.state.memory.peek_checked(address, WORD);
    let value = cx.concrete(value, "the word of a lock")?;
    if value as u32 != when as u32 {
        return Err(crate::native::Flow::Unsupported(
            "a claim of a word that has another value".into(),
        ));
    }
    cx.state.memory.poke_checked(address, WORD, Value::new(then));
    Ok(())
}
