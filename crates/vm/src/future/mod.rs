//! What other threads may still do before a thread moves: from the live state (Parízek, VMCAI 2016,
//! "hybrid analysis"), by abstract interpretation instead of a static summary per function.
//!
//! The question is whether a thread may go first: whether {its action} is a persistent set. So only
//! executions count in which that thread stands still. In these
//!
//! - registers and memory have the values that they have now, but for what the other threads do to
//!   them. What they store is found by following them; what they load is what memory holds now, or
//!   may be stored. Both are computed together, until nothing is added. That begins with nothing
//!   stored, and is still on the safe side: consider the first step of an execution that was not
//!   foreseen; everything loaded before it was foreseen, and so the step was;
//! - a lock that the thread holds is taken by nobody, and nobody joins the thread: what would come
//!   after that does not happen;
//! - an object that does not exist yet is none that the thread's next action is about. The end of
//!   an object's life is a write of all of it.
//!
//! What is not followed (a call through an unknown pointer, an unknown function of the library,
//! recursion, the exit of the process, too many instructions) may do anything.

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

/// How what others may do is looked at.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Futures {
    /// How far accesses are told apart.
    pub elements: Elements,
    /// It is not asked where it was of no use before.
    pub sparing: bool,
}

/// What was foreseen.
#[derive(Debug, Default)]
pub(crate) struct Foreseen {
    /// While which thread stands still in the present state.
    pub(crate) known: Option<(ThreadId, Future)>,
    /// How often it was of use before a statement, and how many instructions were followed there.
    pays: FxHashMap<StmtId, (u64, u64)>,
}

/// Instructions that may be followed for an answer that is of use, on average: about what a few
/// steps cost.
const WORTH: u64 = 100;
/// Instructions that may be followed before anything is known of a statement.
const TRIAL: u64 = 3_000;

impl Foreseen {
    /// Whether it has paid so far to ask before a statement.
    pub(crate) fn pays(&self, stmt: StmtId) -> bool {
        let (useful, followed) = self.pays.get(&stmt).copied().unwrap_or_default();
        followed <= TRIAL + useful * WORTH
    }

    /// Follows the others while a thread stands still before a statement.
    pub(crate) fn look(&mut self, vm: &Vm, still: ThreadId, stmt: StmtId, elements: Elements) {
        let future = Future::of(vm, still, elements);
        self.pays.entry(stmt).or_default().1 += u64::from(future.followed);
        self.known = Some((still, future));
    }

    /// Notes that an answer was of use.
    pub(crate) fn was_useful(&mut self, stmt: StmtId) {
        self.pays.entry(stmt).or_default().0 += 1;
    }
}

/// What all threads but one may do to memory before that one moves.
#[derive(Debug)]
pub(crate) struct Future {
    /// `None`: anything.
    shared: Option<Shared>,
    /// How many instructions were followed to know this.
    followed: u32,
}

impl Future {
    /// While this thread stands still.
    pub(crate) fn of(vm: &Vm, still: ThreadId, elements: Elements) -> Future {
        let (shared, followed) = Run::of(vm, still, elements);
        Future { shared, followed }
    }

    /// Whether bytes that are accessed now may be accessed, too, and one of the accesses writes.
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

/// Whether threads of a program do what their code says, so that they can be followed.
pub(crate) fn can_follow(module: &Module) -> bool {
    let uses = |name: &dyn Fn(&str) -> bool| module.functions.iter().any(|f| name(&f.name));
    let mut blocks = module.functions.iter().flat_map(|f| f.blocks.iter());
    // The end of a thread runs destructors then.
    let unwinds = blocks.any(|block| matches!(block.term, Terminator::Invoke { .. }));
    let ends = unwinds && uses(&|name| name == "pthread_exit");
    !ends && !uses(&library::is_elsewhere)
}

/// The bytes that an action is about, and whether it writes, if that is all that it is about.
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
