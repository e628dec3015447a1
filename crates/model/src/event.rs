//! Choices and events: the input and the output of a machine's step.

use crate::{Action, MemoryOrder, Op};
use selvedge_base::{ContextId, StmtId, ThreadId};
use serde::{Deserialize, Serialize};

/// A decision: which thread moves, and which of its alternatives it takes. Plain data; a sequence
/// of choices replays an execution from the initial state.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Serialize, Deserialize)]
pub struct Choice {
    /// The thread that moves.
    pub thread: ThreadId,
    /// The alternative, counted from 0; less than `Pending::alternatives`.
    pub alternative: u16,
}

selvedge_base::id_type! {
    /// An interned set of threads that a broadcast or a barrier released. `Machine::waiters`
    /// resolves it.
    pub struct Waiters(u32), "w";
}

/// The result of an action that can end in several ways. Threads that it names (`Thread`,
/// `Threads`) are ordered after the event. A step must name another thread if it changes the
/// pending action of that thread, or lets it pass a condition variable, barrier or futex.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Outcome {
    /// Success, or the only possible result.
    Done,
    /// A try-operation or compare-and-swap that failed, a lost signal, a timed wait or lock that
    /// timed out; or a read or write that was a fault and did not happen.
    Failed,
    /// Spawn: the new thread; Signal: the thread woken.
    Thread(ThreadId),
    /// Broadcast, the last BarrierArrive: the threads released.
    Threads(Waiters),
    /// Choose: the value. WaitRelease: 1 if the wait ends at once.
    Value(u16),
    /// No result yet. The action takes effect with the data choice that is now pending in its
    /// thread; the event of that choice [completes](Event::completes) it.
    Incomplete,
}

/// A visible action that was taken, with the thread's invisible actions up to its next visible one.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Event {
    /// The action. For a data choice that completes an incomplete action, this is the incomplete
    /// action.
    pub action: Action,
    /// The calling context of the action's statement.
    pub context: ContextId,
    /// The alternative that was taken.
    pub alternative: u16,
    /// The number of alternatives that the thread had.
    pub alternatives: u16,
    /// The result.
    pub outcome: Outcome,
    /// True if this event is a data choice that completes an action. The action was begun with an
    /// earlier event of the thread and was incomplete until now.
    pub completes: bool,
    /// Whether it is a write or a read-modify-write that has changed nothing.
    pub silent: Silent,
}

/// Whether a write has changed nothing.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug, Default)]
pub enum Silent {
    /// Bytes have other values now, or the machine does not know; or it is no write.
    #[default]
    No,
    /// Its bytes have the values that they had before. But who reads them may learn of its thread,
    /// or not learn of the thread that wrote the values before.
    Values,
    /// Who reads its bytes finds and learns what it would have without it: a plain write, or a
    /// read-modify-write that does not release.
    Wholly,
}

impl Event {
    /// The action as it used its objects with this outcome: one that changed nothing is a read. It
    /// is the action itself if it may have happened in another way in the same state, or has not
    /// yet happened.
    ///
    /// `values_only`: only values count, and not what happens before what.
    #[inline]
    pub const fn as_used(&self, values_only: bool) -> Action {
        if self.alternatives != 1 || self.completes {
            return self.action;
        }
        let op = match self.outcome {
            Outcome::Failed => self.action.read_if_it_fails(),
            Outcome::Done => match self.silent {
                Silent::Wholly => Some(Op::Read),
                Silent::Values if values_only => Some(Op::Read),
                Silent::Values | Silent::No => None,
            },
            _ => None,
        };
        match op {
            Some(op) => Action {
                op,
                may_fail: false,
                ..self.action
            },
            None => self.action,
        }
    }

    /// True if the event is a data choice.
    #[inline]
    pub const fn is_data_choice(&self) -> bool {
        self.completes || matches!(self.action.op, Op::Choose)
    }
}

/// A visible action that was performed within an earlier transition, because its order with actions
/// of other threads does not matter: unlocking a lock that no thread tries, joining a thread that
/// has ended, the end of the process when all other threads have ended. It is never enabled
/// together with a dependent action, so nothing races with it. But it orders the actions after it.
///
/// It is an action of the thread whose event it is part of, with one exception. If that thread
/// ended with the event, the part may be the `Join` of a thread that waited for it. The joining
/// thread then continues: the rest of the step is executed by it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Part {
    /// The action.
    pub action: Action,
    /// The calling context of its statement.
    pub context: ContextId,
    /// The result.
    pub outcome: Outcome,
    /// The number of accesses of the step that came before this part.
    pub accesses: u32,
}

/// A memory access made during an event, for race detection: a plain access, or with visibility
/// `memory` any access. Or a fence: an atomic access to no bytes. It orders the accesses of its
/// thread before and after it, and is no action, since no action of others depends on it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Access {
    /// The first byte.
    pub address: u64,
    /// The calling context.
    pub context: ContextId,
    /// The statement.
    pub stmt: StmtId,
    /// The number of bytes.
    pub size: u32,
    /// True if it writes (`free` writes all bytes of its object).
    pub write: bool,
    /// `NotAtomic` for plain accesses.
    pub order: MemoryOrder,
}

impl Access {
    /// A fence of this order.
    pub const fn fence(order: MemoryOrder, stmt: StmtId, context: ContextId) -> Access {
        Access {
            address: 0,
            context,
            stmt,
            size: 0,
            write: false,
            order,
        }
    }

    /// Whether it is a fence.
    #[inline]
    pub fn is_fence(&self) -> bool {
        self.size == 0 && self.order != MemoryOrder::NotAtomic
    }
}
