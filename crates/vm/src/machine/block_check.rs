//! Checks that atomic blocks touch memory of their class only (`blocks.rs`).

use super::vm::Vm;
use selvedge_model::{Access, Action, FaultKind, Notice, Op, Unsupported};
use std::sync::atomic::Ordering;

/// Whether a fault may be one of an access to memory that depends on what other threads did to that
/// memory: what was accessed is not recorded then.
fn is_of_memory(kind: FaultKind) -> bool {
    use FaultKind as F;
    matches!(
        kind,
        F::OutOfBounds
            | F::UseAfterFree
            | F::UseAfterScope
            | F::UseAfterReturn
            | F::InvalidPointer
            | F::DoubleFree
            | F::InvalidFree
            | F::OverlappingCopy
    )
}

impl Vm {
    /// Looks whether a step of an atomic block touched memory of its class only. The step has
    /// ended, and with it the block, or the part of it up to a data choice.
    pub(crate) fn check_block(&mut self, action: &Action) {
        let (Op::AtomicBlock, Some(map)) = (action.op, &self.program.classes) else {
            return;
        };
        let class = action.object.as_blocks().unwrap_or_default();
        let strays = |access: &&Access| !map.allows(class, access.address, u64::from(access.size));
        let stray = self.state.memory.accesses().iter().find(strays);
        let faulty = self.state.notices().iter().find_map(|notice| match notice {
            Notice::Fault(fault) if is_of_memory(fault.kind) => Some(fault.stmt),
            _ => None,
        });
        let Some(stmt) = stray.map(|access| access.stmt).or(faulty) else {
            return;
        };
        self.program.strayed.store(true, Ordering::Relaxed);
        // Said, too, so that no verdict can be `true`, whoever explores.
        self.state.notify(Notice::Unsupported(Unsupported {
            what: "an atomic block that touches memory outside its class".into(),
            stmt,
        }));
    }
}
