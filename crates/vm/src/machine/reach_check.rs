//! Checks that a step lets its thread reach no object that was hidden from it (`reach.rs` of the
//! crate), if explorers rely on that.

use super::vm::Vm;
use crate::future::Elements;
use crate::reach::{Reached, live};
use crate::state::Undo;
use rustc_hash::FxHashSet;
use selvedge_base::{Id, StmtId, ThreadId};
use selvedge_model::{Notice, Unsupported};

/// What the thread of a step reached before it, the objects that there were, and the number of
/// threads.
pub(super) struct Before {
    reached: Reached,
    existed: FxHashSet<u64>,
    threads: usize,
    /// The position of the undo log.
    position: usize,
}

impl Vm {
    /// What a thread reaches before its step, if the step has to be checked.
    pub(super) fn reaches(&self, thread: ThreadId) -> Option<Box<Before>> {
        let futures = self.state.modes().futures;
        futures.filter(|f| f.elements == Elements::Reachable)?;
        Some(Box::new(Before {
            reached: Reached::by(&self.program, &self.state, |t| t == thread),
            existed: live(&self.state),
            threads: self.state.threads().len(),
            position: self.state.position(),
        }))
    }

    /// Reports a step after which its thread, or a thread that it has created, reaches more than
    /// the thread did before.
    pub(super) fn check_reached(&mut self, thread: ThreadId, before: &Before, stmt: StmtId) {
        let changes = self.state.changes(before.position);
        let begun = |t| {
            changes
                .iter()
                .any(|c| matches!(c, Undo::BegunAgain(again) if *again == t))
        };
        let is_one = |t: ThreadId| t == thread || t.index() >= before.threads || begun(t);
        let now = Reached::by(&self.program, &self.state, is_one);
        if !now.is_within(&before.reached, &before.existed) {
            self.state.notify(Notice::Unsupported(Unsupported {
                what: "an address that was hidden in numbers, with --visibility reachable".into(),
                stmt,
            }));
        }
    }
}
