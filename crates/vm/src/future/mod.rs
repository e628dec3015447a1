//! What other threads may still do before a thread moves, computed from the live state (Parízek,
//! VMCAI 2016, "hybrid analysis"), by abstract interpretation instead of a static summary for each
//! function.
//!
//! The question is whether a thread may go first: whether {its action} is a persistent set. So only
//! executions count in which this thread, the *observed* one, does not move. In these executions:
//!
//! - Registers and memory have their present values, except for changes by the other threads. What
//!   those store is found by following them. What they load is the present contents of memory, or
//!   what may be stored. Both are computed together, until nothing is added. This begins with
//!   nothing stored, and is still sound: consider the first step of an execution that was not
//!   predicted. Everything loaded before it was predicted, so the step was predicted, too.
//! - No thread takes a lock that the observed thread holds, and no thread joins the observed
//!   thread. What would come after that does not happen.
//! - An object that does not exist yet is not used by the observed thread's next action. The end of
//!   an object's life is a write of all of it.
//!
//! Code that is not followed may do anything: a call through an unknown pointer, an unknown library
//! function, recursion, the exit of the process, too many instructions.

mod address;
mod instructions;
#[cfg(feature = "laboratory")]
mod laboratory;
mod library;
mod run;
mod shared;
mod value;

#[cfg(feature = "laboratory")]
pub use laboratory::Foresight;
pub use run::Elements;

use crate::vm::Vm;
use run::Run;
use rustc_hash::FxHashMap;
use selvedge_base::{StmtId, ThreadId};
use selvedge_ir::{Module, Terminator};
use selvedge_model::{Action, Op};
use shared::Shared;

/// How the future of other threads is computed.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Futures {
    /// How precisely accesses are distinguished.
    pub elements: Elements,
    /// If true, the question is not asked before statements where it was not useful so far.
    pub sparing: bool,
}

/// The predictions so far.
#[derive(Debug, Default)]
pub(crate) struct Foreseen {
    /// The observed thread and the prediction, for the present state.
    pub(crate) known: Option<(ThreadId, Future)>,
    /// For each statement, the number of useful answers, and the number of instructions that were
    /// followed.
    pays: FxHashMap<StmtId, (u64, u64)>,
}

/// The average number of instructions that may be followed for a useful answer: the approximate
/// cost of a few steps.
const WORTH: u64 = 100;
/// The number of instructions that may be followed before anything is known of a statement.
const TRIAL: u64 = 3_000;

impl Foreseen {
    /// True if asking before a statement has paid so far.
    pub(crate) fn pays(&self, stmt: StmtId) -> bool {
        let (useful, followed) = self.pays.get(&stmt).copied().unwrap_or_default();
        followed <= TRIAL + useful * WORTH
    }

    /// Follows the other threads. The observed thread is before a statement.
    pub(crate) fn look(&mut self, vm: &Vm, still: ThreadId, stmt: StmtId, elements: Elements) {
        let future = Future::of(vm, still, elements);
        self.pays.entry(stmt).or_default().1 += u64::from(future.followed);
        self.known = Some((still, future));
    }

    /// Records that an answer was useful.
    pub(crate) fn was_useful(&mut self, stmt: StmtId) {
        self.pays.entry(stmt).or_default().0 += 1;
    }
}

/// What all other threads may do to memory before the observed thread moves.
#[derive(Debug)]
pub(crate) struct Future {
    /// `None` means anything.
    shared: Option<Shared>,
    /// The number of instructions that were followed.
    followed: u32,
}

impl Future {
    /// The prediction for an observed thread.
    pub(crate) fn of(vm: &Vm, still: ThreadId, elements: Elements) -> Future {
        let (shared, followed) = Run::of(vm, still, elements);
        Future { shared, followed }
    }

    /// True if another thread may access these bytes, and this access or the other one writes.
    pub(crate) fn conflicts(&self, address: u64, size: u64, write: bool) -> bool {
        let Some(shared) = &self.shared else {
            return true;
        };
        write && shared.reads_anywhere
            || shared
                .touches
                .iter()
                .any(|touch| (write || touch.write) && touch.meets(address, size))
    }
}

/// True if threads of a program do only what their code shows, so that they can be followed.
pub(crate) fn can_follow(module: &Module) -> bool {
    let uses = |name: &dyn Fn(&str) -> bool| module.functions.iter().any(|f| name(&f.name));
    let mut blocks = module.functions.iter().flat_map(|f| f.blocks.iter());
    // In this case the end of a thread runs destructors.
    let unwinds = blocks.any(|block| matches!(block.term, Terminator::Invoke { .. }));
    let ends = unwinds && uses(&|name| name == "pthread_exit");
    !ends && !uses(&library::is_elsewhere)
}

/// The bytes that an action accesses, and whether it writes. `None` if the action does more than
/// this.
pub(crate) fn bytes(action: &Action) -> Option<(u64, u64, bool)> {
    if action.cancelable || action.may_fail || action.object2 != selvedge_model::ObjectId::NONE {
        return None;
    }
    let (address, size) = (action.object.0, u64::from(action.size));
    match action.op {
        Op::Read if size > 0 => Some((address, size, false)),
        Op::Write | Op::Rmw if size > 0 => Some((address, size, true)),
        Op::Lock
        | Op::Unlock
        | Op::TryLock
        | Op::RdLock
        | Op::WrLock
        | Op::RdUnlock
        | Op::WrUnlock
        | Op::TryRdLock
        | Op::TryWrLock
        | Op::SpinLock
        | Op::SpinUnlock
        | Op::SpinTryLock
        | Op::SemPost
        | Op::SemWait
        | Op::SemTryWait
            if action.object.is_address() =>
        {
            Some((address, 1, true))
        }
        _ => None,
    }
}
