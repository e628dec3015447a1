//! Parts of the state that a general state replaces (`crate::generalise`).

use super::State;
use super::log::Undo;
use crate::value::Value;
use selvedge_base::{Id, ThreadId};
use selvedge_expr::{Assignment, Expr};

impl State {
    /// Replaces a register of a thread, in whichever frame it is.
    pub(crate) fn replace_register(&mut self, thread: ThreadId, at: u32, value: Value) {
        let regs = &mut self.threads[thread.index()].regs;
        let saved = &regs[at as usize..];
        self.log.values.extend_from_slice(saved);
        self.log.entries.push(Undo::Regs {
            thread,
            start: at,
            len: saved.len() as u32,
        });
        regs[at as usize] = value;
    }

    /// Puts these conditions in the place of the path's, with inputs for which they hold.
    pub(crate) fn replace_path(&mut self, facts: &[Expr], model: Assignment) {
        self.path.replace(&self.memory.tags.arena, facts, model);
        self.log.entries.push(Undo::Path);
    }
}
