//! Which atomic additions are an operation of their own ([`crate::counters`]).

use super::thread::NO_CALL;
use super::vm::Vm;
use crate::code::ComplexOperands;
use crate::counters::{Counters, Seen, Word};
use crate::fingerprint::{Fingerprints, Keys};
use selvedge_analysis::Fate;
use selvedge_base::{Id, ThreadId};
use selvedge_ir::{RmwOp, Type};
use selvedge_model::{Action, MemoryOrder, Op};
use smallvec::SmallVec;
use std::rc::Rc;

impl Vm {
    /// Makes additions that nobody looks at an operation of their own.
    #[must_use]
    pub fn with_counters(mut self) -> Vm {
        let words = self.program.0.counters();
        if words.is_empty() {
            return self;
        }
        self.state.memory.counters = Some(Rc::new(Counters::These(words)));
        if self.fingerprints.is_some() {
            self.fingerprints = Some(Box::new(Fingerprints::new(
                &self.program,
                &self.state,
                Keys::SOUND,
            )));
        }
        self
    }

    /// Whether there are variables to which such additions are made.
    pub fn counts(&self) -> bool {
        self.state.memory.counters.is_some()
    }

    /// The same for all variables. No search may rely on it that has a relation or compares states.
    #[must_use]
    pub fn with_all_counters(mut self) -> Vm {
        self.state.memory.counters = Some(Rc::new(Counters::All));
        self
    }

    /// Whether a thread's next instruction, an atomic read-modify-write, is an addition to a
    /// counter, and nothing depends on the value that was there.
    pub(crate) fn is_blind_addition(
        &self,
        thread: ThreadId,
        (op, ty): (RmwOp, Type),
        operands: &ComplexOperands,
    ) -> bool {
        let Some(counters) = &self.state.memory.counters else {
            return false;
        };
        let core = self.state.thread(thread).core;
        // A dead register may be the last that points to a block, and such blocks may be sought.
        let is_number = ty == Type::I32 || ty == Type::I64 && !self.program.options.leaks;
        let adds = matches!(op, RmwOp::Add | RmwOp::Sub) && is_number;
        if !adds || core.atomic != 0 || core.is_within_channel() {
            return false;
        }
        let [address, value] = [0, 1].map(|i| self.slot(thread, operands.operands[i].0));
        let word = Word {
            address: address.bits,
            size: u64::from(ty.bytes()),
        };
        // An addition of 0 is a read.
        let adds_number = value.is_concrete() && value.bits != 0;
        address.is_concrete() && adds_number && counters.has(word) && self.is_unread(thread, operands.fate)
    }

    /// Looks whether a step shows that a variable is no counter. `unjoined`: the number of other
    /// threads before the step.
    pub(crate) fn check_counters(&mut self, action: &Action, unjoined: u32) {
        let Some(counters) = self.state.memory.counters.clone() else {
            return;
        };
        let weak = |order: MemoryOrder| order != MemoryOrder::NotAtomic && !order.acquires();
        let mut found: SmallVec<[(u64, Seen); 2]> = SmallVec::new();
        let mut note = |address: u64, what: Seen| {
            found.extend(counters.start(address).map(|start| (start, what)));
        };
        match action.op {
            Op::Add if action.order.acquires() => note(action.object.0, Seen::Acquires),
            Op::Read | Op::Rmw if weak(action.order) => note(action.object.0, Seen::ReadWeakly),
            _ => {}
        }
        for access in self.beside_others(action, unjoined) {
            if !access.write && !access.is_fence() && weak(access.order) {
                note(access.address, Seen::ReadWeakly);
            }
        }
        for (address, what) in found {
            if self.noted_counters.insert((address, what)) {
                self.program.note_counter(address, what);
            }
        }
    }

    /// Whether nothing depends on a result of the instruction that a thread is about to execute.
    fn is_unread(&self, thread: ThreadId, mut fate: Fate) -> bool {
        let thread = self.state.thread(thread);
        let mut depth = thread.core.depth as usize;
        loop {
            match fate {
                Fate::Unread => return true,
                Fate::Read => return false,
                Fate::Returned => {}
            }
            let call = thread.frame(depth - 1).call;
            if call == NO_CALL || depth < 2 {
                return false;
            }
            depth -= 1;
            let caller = thread.frame(depth - 1).func;
            fate = self.program.code[caller.index()].calls[call as usize].fate;
        }
    }
}
