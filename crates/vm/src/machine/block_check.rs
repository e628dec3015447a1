//! Checks that atomic blocks touch memory of their class only, and that nothing else touches memory
//! that only blocks touch (`blocks.rs`).

use super::vm::Vm;
use selvedge_base::StmtId;
use selvedge_model::{Access, Action, FaultKind, Notice, Op, Part, Unsupported};
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
    ///
    /// `unjoined`: the number of other threads before the step.
    pub(crate) fn check_block(&mut self, action: &Action, unjoined: u32) {
        let Some(map) = &self.program.classes else { return };
        if action.op != Op::AtomicBlock {
            if map.has_only {
                self.check_outside(action, unjoined);
            }
            return;
        }
        let class = action.object.as_blocks().unwrap_or_default();
        let strays = |access: &&Access| {
            !access.is_fence() && !map.allows(class, access.address, u64::from(access.size))
        };
        let stray = self.state.memory.accesses().iter().find(strays);
        let faulty = self.state.notices().iter().find_map(|notice| match notice {
            Notice::Fault(fault) if is_of_memory(fault.kind) => Some(fault.stmt),
            _ => None,
        });
        if let Some(stmt) = stray.map(|access| access.stmt).or(faulty) {
            self.stray("an atomic block that touches memory outside its class", stmt);
        }
    }

    /// Looks whether a step outside of blocks touched memory that only blocks touch. A thread whose
    /// fellows have all been joined may do so: all that they did happens before.
    fn check_outside(&mut self, action: &Action, unjoined: u32) {
        let Some(map) = &self.program.classes else { return };
        let is_joined = self.state.unjoined() == 0;
        let beside_others = self.beside_others(action, unjoined);
        let is_only =
            |access: &&Access| !access.is_fence() && map.is_only(access.address, u64::from(access.size));
        let own = action.is_memory() && !is_joined && map.is_only(action.object.0, u64::from(action.size));
        let intrusion = beside_others.iter().find(is_only).map(|access| access.stmt);
        if let Some(stmt) = intrusion.or(own.then_some(action.stmt)) {
            self.stray("an access outside of atomic blocks to memory of theirs", stmt);
        }
    }

    /// The accesses of a step that were made while there were other threads, or some that were not
    /// joined.
    pub(super) fn beside_others(&self, action: &Action, unjoined: u32) -> &[Access] {
        let accesses = self.state.memory.accesses();
        let joins = |part: &&Part| part.action.op == Op::Join;
        let before_joins = match self.state.parts().iter().rfind(joins) {
            _ if self.state.unjoined() > 0 => accesses.len(),
            Some(part) => part.accesses as usize,
            None if unjoined == 0 || action.op == Op::Join => 0,
            None => accesses.len(),
        };
        &accesses[..before_joins.min(accesses.len())]
    }

    /// What was explored is of no use. This is said, too, so that no verdict can be `true`, whoever
    /// explores.
    fn stray(&mut self, what: &'static str, stmt: StmtId) {
        self.program.strayed.store(true, Ordering::Relaxed);
        let what = what.into();
        self.state.notify(Notice::Unsupported(Unsupported { what, stmt }));
    }

    /// Leaves the accesses of a block out that are no concern of the race detector. Parts of the
    /// step would count them.
    pub(crate) fn leave_out_accesses(&mut self, action: &Action) {
        let Some(map) = &self.program.classes else { return };
        if action.op == Op::AtomicBlock && map.has_only && self.state.parts().is_empty() {
            self.state.memory.retain_accesses(|access| {
                access.is_fence() || !map.is_wholly_only(access.address, u64::from(access.size))
            });
        }
    }
}
