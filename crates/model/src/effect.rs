//! The dependence relation on *events*: what an operation did to its objects, its outcome known
//! (design: semantics, "Dependence"; Schemmel et al., CAV 2020, Section 3.2 and Appendix C).
//!
//! This is the fine relation, for the unfolding: a failing try only looks at its object, a signal
//! concerns the thread that it wakes, a lost one every thread that might have waited. Independent
//! events commute in every state, and an event that is enabled after an independent one was
//! enabled, with the same outcome, before it. Where no row is finer, the relation on operations
//! ([`Conflict`](crate::Conflict)) is taken over: it relates whatever the outcome.

use crate::{Action, ObjectId, Op, OpClass};
use selvedge_base::{Id, ThreadId};

/// How an event used an object.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
#[repr(u8)]
pub enum Effect {
    /// Read memory: loads, compare-and-swap that failed.
    Read,
    /// Wrote it.
    Write,
    /// Took or gave back a lock exclusively.
    Own,
    /// Took or gave back a shared lock.
    Share,
    /// Only found out: a failing try or timed operation, the value of a semaphore.
    Test,
    /// Began to wait on a condition variable, or gave up waiting. Object: the condition variable.
    Wait,
    /// The same. Object: the condition variable and the thread.
    WaitOf,
    /// Woke one waiter. Object: the condition variable.
    Wake,
    /// Woke all of at least one waiter.
    WakeAll,
    /// Woke nobody.
    Lost,
    /// Woke a thread. Object: the condition variable and that thread.
    WakeOf,
    /// Ended a wait that was woken. Object: the condition variable and the thread.
    WokenOf,
    /// Added to a semaphore.
    Post,
    /// Took from a semaphore.
    Take,
    /// Arrived at a barrier.
    Arrive,
    /// Left it.
    Leave,
    /// Waited for a thread's end.
    Join,
    /// A thread's end.
    Exit,
    /// Dependent on every use.
    Total,
}

impl Effect {
    /// How many there are.
    pub const COUNT: usize = 19;

    /// All, in order.
    #[rustfmt::skip]
    pub const ALL: [Effect; Effect::COUNT] = {
        use Effect::*;
        [Read, Write, Own, Share, Test, Wait, WaitOf, Wake, WakeAll, Lost, WakeOf, WokenOf, Post, Take, Arrive, Leave, Join, Exit, Total]
    };

    /// Whether two uses of one object by different threads may not commute. Symmetric.
    #[inline]
    pub const fn dependent(self, other: Effect) -> bool {
        use Effect::*;
        !matches!(
            (self, other),
            (Read, Read)
                | (Share, Share)
                | (Test, Test)
                | (Post, Post)
                | (Join, Join)
                | (Lost, Lost)
                | (Wake, Wake)
                // Whoever waits later is no target of an earlier signal; who is, has the thread in
                // its object.
                | (Wait, Wait | Wake)
                | (Wake, Wait)
                | (WaitOf | WokenOf, WaitOf | WokenOf)
                // The last arrival names the threads that leave.
                | (Leave, Leave | Arrive)
                | (Arrive, Leave)
        )
    }

    /// The effect as a member of a set of effects.
    #[inline]
    pub const fn bit(self) -> u32 {
        1 << self as u32
    }

    /// By effect those that it depends on.
    pub(crate) const fn table() -> [u32; Effect::COUNT] {
        let mut table = [0; Effect::COUNT];
        let mut i = 0;
        while i < Effect::COUNT {
            let mut j = 0;
            while j < Effect::COUNT {
                if Effect::ALL[i].dependent(Effect::ALL[j]) {
                    table[i] |= Effect::ALL[j].bit();
                }
                j += 1;
            }
            i += 1;
        }
        table
    }

    /// Whether every other use of an object is dependent on this one: such uses are totally ordered
    /// in a configuration, and everything before one is below it.
    #[inline]
    pub const fn is_total(self) -> bool {
        matches!(
            self,
            Effect::Own | Effect::Write | Effect::WakeAll | Effect::Take | Effect::Total
        )
    }
}

/// Marks what a condition variable and a thread stand for together.
const PAIR: u64 = 1 << 59;
const PAIR_SHIFT: u32 = 48;
const PAIR_THREADS: u64 = (1 << 11) - 1;

/// The name of a condition variable together with a thread. Threads far apart share a name: then
/// more is dependent than need be.
#[inline]
const fn pair(condition: u64, thread: ThreadId) -> u64 {
    condition ^ PAIR ^ ((thread.0 as u64 & PAIR_THREADS) << PAIR_SHIFT)
}

/// Calls `f` with each object that an event used, which of its bytes, and how. `failed`: the
/// outcome was [`Outcome::Failed`](crate::Outcome::Failed); `woken`: the threads that the outcome
/// names. Two events of different threads are dependent iff they use a common byte of an object in
/// [dependent](Effect::dependent) ways, or one names the thread of the other.
///
/// Names of threads, in the action's objects too, must not depend on the interleaving
/// ([`Action::renamed`]).
#[inline]
pub fn for_each_effect(
    action: &Action,
    failed: bool,
    woken: &[ThreadId],
    mut f: impl FnMut(u64, u8, Effect),
) {
    action.for_each_use(|object, bytes, class| {
        let effect = match class {
            OpClass::Local => return,
            OpClass::Read => Effect::Read,
            OpClass::Write if failed && action.op == Op::Rmw => Effect::Read,
            OpClass::Write => Effect::Write,
            OpClass::Acquire | OpClass::Release => Effect::Own,
            OpClass::AcquireShared | OpClass::ReleaseShared => Effect::Share,
            OpClass::Try => tried(action.op, failed),
            OpClass::Wait => {
                f(pair(object, action.thread), bytes, Effect::WaitOf);
                Effect::Wait
            }
            OpClass::Notified => return f(pair(object, action.thread), bytes, Effect::WokenOf),
            OpClass::Notify => {
                for &thread in woken {
                    f(pair(object, thread), bytes, Effect::WakeOf);
                }
                match (action.op, woken) {
                    (_, []) => Effect::Lost,
                    (Op::Signal, _) => Effect::Wake,
                    _ => Effect::WakeAll,
                }
            }
            OpClass::Arrive => Effect::Arrive,
            OpClass::Leave => Effect::Leave,
            // The value has reached its maximum. (A time-out only uses the name of its mutex in
            // this class.)
            OpClass::Post if failed && action.op == Op::SemPost => Effect::Total,
            OpClass::Post => Effect::Post,
            OpClass::Take if failed => Effect::Test,
            OpClass::Take => Effect::Take,
            OpClass::Value => Effect::Test,
            OpClass::Join => Effect::Join,
            OpClass::Exit => Effect::Exit,
            OpClass::Cancel | OpClass::Total => Effect::Total,
        };
        f(object, bytes, effect);
    });
}

#[inline]
const fn tried(op: Op, failed: bool) -> Effect {
    match op {
        _ if failed => Effect::Test,
        Op::BadUnlock => Effect::Test,
        Op::TryRdLock | Op::TimedRdLock => Effect::Share,
        _ => Effect::Own,
    }
}

impl Action {
    /// The same action with other names of threads, in its objects too.
    #[must_use]
    pub fn renamed(self, name: impl Fn(ThreadId) -> ThreadId) -> Action {
        Action {
            object: self.object.renamed(&name),
            object2: self.object2.renamed(&name),
            thread: name(self.thread),
            ..self
        }
    }
}

impl ObjectId {
    /// The same object if it stands for a thread, or for whether it may be joined, under the
    /// thread's other name.
    #[must_use]
    pub fn renamed(self, name: impl Fn(ThreadId) -> ThreadId) -> ObjectId {
        match (self.as_thread(), self.as_joinable()) {
            // Machines may have names of their own above this.
            (Some(thread), _) if thread.index() < 0x8000 => ObjectId::thread(name(thread)),
            (_, Some(thread)) => ObjectId::joinable(name(thread)),
            _ => self,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_relation_is_symmetric_and_total_effects_depend_on_all() {
        for a in Effect::ALL {
            for b in Effect::ALL {
                assert_eq!(a.dependent(b), b.dependent(a), "{a:?} {b:?}");
                assert!(!a.is_total() || a.dependent(b), "{a:?} {b:?}");
            }
        }
    }
}
