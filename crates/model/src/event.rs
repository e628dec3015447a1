//! Choices and events: what goes into a machine's step and what comes out.

use crate::{Action, MemoryOrder, Op};
use selvedge_base::{ContextId, StmtId, ThreadId};
use serde::{Deserialize, Serialize};

/// A decision: which thread moves, and which of its alternatives it takes. Plain data; a sequence
/// of choices replays an execution from the initial state.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Serialize, Deserialize)]
pub struct Choice {
    /// The thread that moves.
    pub thread: ThreadId,
    /// Which alternative, from 0; below `Pending::alternatives`.
    pub alternative: u16,
}

selvedge_base::id_type! {
    /// An interned set of threads that a broadcast or a barrier released; resolved by
    /// `Machine::waiters`.
    pub struct Waiters(u32), "w";
}

/// What came of an action that can end in several ways. The threads that it names (`Thread`,
/// `Threads`) are ordered after the event: a step that changes the pending action of another
/// thread, or lets it pass a condition variable, barrier or futex, must name it.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Outcome {
    /// The only way, or success.
    Done,
    /// A try-operation or compare-and-swap that failed, a lost signal, a timed wait or lock that
    /// timed out; a read or write that was at fault, and did not happen.
    Failed,
    /// Spawn: the new thread; Signal: the thread woken.
    Thread(ThreadId),
    /// Broadcast, the last BarrierArrive: the threads released.
    Threads(Waiters),
    /// Choose: the value. WaitRelease: 1, if the wait is over at once.
    Value(u16),
    /// Nothing yet: the action has its effect with the data choice that its thread stands at now,
    /// and the event of that one [completes](Event::completes) it.
    Incomplete,
}

/// A visible action that was taken, with the thread's invisible actions up to just before its next
/// visible one.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Event {
    /// The action. Of a data choice that completes another action: that one.
    pub action: Action,
    /// Where: the calling context of the action's statement.
    pub context: ContextId,
    /// Which alternative was taken, of how many.
    pub alternative: u16,
    /// How many alternatives the thread had.
    pub alternatives: u16,
    /// What came of it.
    pub outcome: Outcome,
    /// What was taken is a data choice without which the action, begun with an earlier event of the
    /// thread, was incomplete.
    pub completes: bool,
}

impl Event {
    /// Whether a data choice was taken.
    #[inline]
    pub const fn is_data_choice(&self) -> bool {
        self.completes || matches!(self.action.op, Op::Choose)
    }
}

/// A visible action that was performed within an earlier transition, because the order with what
/// others do does not matter: giving back a lock that nobody tries, joining a thread that has
/// ended, the end of the process when all others have ended. Never enabled together with anything
/// dependent on it, so nothing races with it; but what comes after it is ordered by it.
///
/// It is an action of the thread whose event it is part of; or, if that thread ended with the
/// event, the `Join` of one that waited for it, which then goes on: what follows in the step is
/// done by the joiner.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Part {
    /// The action.
    pub action: Action,
    /// The calling context of its statement.
    pub context: ContextId,
    /// What came of it.
    pub outcome: Outcome,
    /// How many of the step's accesses came before it.
    pub accesses: u32,
}

/// A plain (or, under visibility `memory`, any) access to memory made during an event, for race
/// detection.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Access {
    /// First byte.
    pub address: u64,
    /// The calling context.
    pub context: ContextId,
    /// The statement.
    pub stmt: StmtId,
    /// How many bytes.
    pub size: u32,
    /// Whether it writes (`free` writes all bytes of its object).
    pub write: bool,
    /// `NotAtomic` for plain accesses.
    pub order: MemoryOrder,
}
