//! Returns: the end of frames and of the stack objects in them, and the effect on the thread.

use crate::memory::{Kind, Life, Site};
use crate::thread::{NO_CALL, Stage};
use crate::value::{Poison, Value};
use crate::visible;
use crate::vm::Vm;
use selvedge_base::{Id, ThreadId};
use selvedge_model::{Notice, Unsupported};
use smallvec::SmallVec;

impl Vm {
    /// Returns from the current frame. Returns true if the thread still has one.
    pub(super) fn leave(&mut self, thread: ThreadId, returns: usize) -> bool {
        let frame = self.state.thread(thread).core.frame;
        let words = &self.program.code[frame.func.index()].returns[returns];
        if words.len() > 1 {
            return self.leave_with_many(thread, returns);
        }
        let value = words.first().map(|&word| self.slot(thread, word));
        if self.state.thread(thread).locals.len() > frame.locals as usize {
            let site = self.site(thread, frame.ip);
            self.end_locals(thread, frame.locals as usize, Life::Returned, site);
        }
        if !self.pop_frame(thread) {
            self.bottom(thread, value.unwrap_or(Value::new(0)));
            return false;
        }
        self.end_block(thread);
        if frame.call != NO_CALL {
            let (t, memory) = self.state.acting_and_memory(thread);
            let caller = &t.core.frame;
            match self.program.code[caller.func.index()].calls[frame.call as usize].results[..] {
                [] => {}
                [(slot, bits)] => {
                    t.regs[caller.base as usize + slot as usize] = match value {
                        Some(value) => crate::arithmetic::truncate(&memory.tags, value, bits),
                        None => Value::poison(0, Poison::NoResult),
                    };
                }
                _ => self.set_results(thread, frame.call as usize, value.as_slice()),
            }
        }
        true
    }

    #[inline(never)]
    fn leave_with_many(&mut self, thread: ThreadId, returns: usize) -> bool {
        let program = self.program.clone();
        let frame = self.state.thread(thread).core.frame;
        let words = &program.code[frame.func.index()].returns[returns];
        let values: SmallVec<[Value; 2]> = words.iter().map(|&w| self.slot(thread, w)).collect();
        let site = self.site(thread, frame.ip);
        self.end_locals(thread, frame.locals as usize, Life::Returned, site);
        if !self.pop_frame(thread) {
            self.bottom(thread, values.first().copied().unwrap_or(Value::new(0)));
            return false;
        }
        self.end_block(thread);
        if frame.call != NO_CALL {
            self.set_results(thread, frame.call as usize, &values);
        }
        true
    }

    /// Ends the atomic block when an atomic function returns.
    #[inline]
    fn end_block(&mut self, thread: ThreadId) {
        let core = self.state.own_core(thread);
        if core.atomic == core.depth + 1 {
            core.leave_block();
        }
        if core.lone_block == core.depth + 1 {
            core.lone_block = 0;
        }
    }

    /// Removes the current frame. Returns true if there is another frame, which becomes current.
    pub(super) fn pop_frame(&mut self, thread: ThreadId) -> bool {
        let t = self.state.acting(thread);
        let base = t.core.frame.base;
        t.core.depth -= 1;
        let depth = t.core.depth;
        if depth == 0 {
            t.regs.truncate(base as usize);
            t.low_depth = 0;
            return false;
        }
        let index = depth - 1;
        if depth < t.low_depth {
            t.low_depth = depth;
            self.state.save_frame(thread, index, base);
        }
        let t = self.state.acting(thread);
        t.core.frame = t.frames[index as usize];
        t.regs.truncate(base as usize);
        true
    }

    pub(super) fn set_results(&mut self, thread: ThreadId, call: usize, values: &[Value]) {
        let program = self.program.clone();
        let func = self.state.thread(thread).core.frame.func;
        for (i, &(slot, bits)) in program.code[func.index()].calls[call].results.iter().enumerate() {
            let value = match values.get(i) {
                Some(&v) => crate::arithmetic::truncate(&self.state.memory.tags, v, bits),
                None => Value::poison(0, Poison::NoResult),
            };
            self.set_slot(thread, slot, value);
        }
    }

    /// Ends stack objects until `count` are left.
    pub(super) fn end_locals(&mut self, thread: ThreadId, count: usize, life: Life, site: Site) {
        while self.state.thread(thread).locals.len() > count {
            if let Some(base) = self.state.pop_local(thread) {
                self.end_object(thread, base, life, site);
            }
        }
    }

    /// Ends stack objects before their function returns (pthread_exit, cancellation, longjmp, the
    /// end of a variable-length array). This is no scheduling point. If it would have to be one,
    /// the verdict becomes unknown.
    pub(super) fn end_locals_early(&mut self, thread: ThreadId, count: usize, life: Life, site: Site) {
        if visible::shows_lives(&self.program, &self.state, thread) {
            let reachable = |&base: &u64| {
                let object = self.state.memory.object_at(base);
                object.is_some_and(|(_, o)| o.life == Life::Live && o.kind == Kind::Stack)
            };
            let locals = &self.state.thread(thread).locals;
            if locals
                .get(count..)
                .is_some_and(|ending| ending.iter().any(reachable))
            {
                let what = "the end of a local variable before its function returns, under visibility memory";
                self.state.notify(Notice::Unsupported(Unsupported {
                    what: what.into(),
                    stmt: site.stmt,
                }));
            }
        }
        self.end_locals(thread, count, life, site);
    }

    /// Handles the return of the start routine, or of a function that ran after it.
    fn bottom(&mut self, thread: ThreadId, value: Value) {
        let cancels = self.program.cancels;
        let core = self.state.own_core(thread);
        if core.stage == Stage::Running {
            core.result = value;
            core.stage = if thread.index() == 0 {
                Stage::Exiting
            } else {
                core.cancel.returned = cancels;
                Stage::Unwinding
            };
        }
    }

    /// Drops all frames. Their stack objects end only if the thread goes on without them
    /// (`unwind`), not if the process exits.
    pub(super) fn drop_frames(&mut self, thread: ThreadId, unwind: bool, site: Site) {
        while self.state.thread(thread).core.depth > 0 {
            let first = self.state.thread(thread).core.frame.locals as usize;
            if unwind {
                self.end_locals_early(thread, first, Life::Returned, site);
            }
            if !self.pop_frame(thread) {
                break;
            }
        }
    }
}
