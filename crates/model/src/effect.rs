//! The dependence relation on *events*: how an operation with a known outcome used its objects
//! (Schemmel et al., CAV 2020, Section 3.2 and Appendix C).
//!
//! This is the fine relation, for the unfolding. A failing try only reads its object. A signal
//! affects the thread that it wakes, and a lost signal affects every thread that might have waited.
//! Independent events commute in every state. If an event is enabled after an independent one, it
//! was enabled before it as well, with the same outcome. Where no row of the table is finer, the
//! relation on operations ([`Conflict`](crate::Conflict)) applies: it holds for all outcomes.

use crate::{Action, ObjectId, Op, OpClass, Passed};
use selvedge_base::{Id, ThreadId};

/// How an event used an object.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
#[repr(u8)]
pub enum Effect {
    /// Read memory: a load, or a compare-and-swap that failed.
    Read,
    /// Wrote memory.
    Write,
    /// Added to memory, whatever was there.
    Add,
    /// Took or released a lock exclusively.
    Own,
    /// Took or released a shared lock.
    Share,
    /// Only tested the object: a failing try or timed operation, or reading the value of a
    /// semaphore.
    Test,
    /// Began to wait on a condition variable, or gave up waiting. Object: the condition variable.
    Wait,
    /// Began to wait, or gave up waiting. Object: the condition variable together with the thread.
    WaitOf,
    /// Woke one waiter. Object: the condition variable.
    Wake,
    /// Woke all waiters; there was at least one.
    WakeAll,
    /// Woke no thread.
    Lost,
    /// Woke a thread. Object: the condition variable together with that thread.
    WakeOf,
    /// Ended a wait that was woken. Object: the condition variable together with the thread.
    WokenOf,
    /// Added to a semaphore.
    Post,
    /// Took from a semaphore.
    Take,
    /// Arrived at a barrier.
    Arrive,
    /// Left a barrier.
    Leave,
    /// Waited for a thread's end.
    Join,
    /// A thread's end.
    Exit,
    /// Sent a message, or disconnected the channel. Object: the word that says how far senders have
    /// come.
    Sent,
    /// Received a message that was there. Object: the word that says how far senders have come.
    Received,
    /// Dependent on every use.
    Total,
}

impl Effect {
    /// The number of effects.
    pub const COUNT: usize = 22;

    /// All effects, in order.
    #[rustfmt::skip]
    pub const ALL: [Effect; Effect::COUNT] = {
        use Effect::*;
        [Read, Write, Add, Own, Share, Test, Wait, WaitOf, Wake, WakeAll, Lost, WakeOf, WokenOf, Post, Take, Arrive, Leave, Join, Exit, Sent, Received, Total]
    };

    /// True if two uses of one object by different threads may not commute. Symmetric.
    #[inline]
    pub const fn dependent(self, other: Effect) -> bool {
        use Effect::*;
        !matches!(
            (self, other),
            (Read, Read)
                | (Add, Add)
                | (Share, Share)
                | (Test, Test)
                | (Post, Post)
                | (Join, Join)
                | (Lost, Lost)
                | (Wake, Wake)
                // A thread that begins to wait later is not the target of an earlier signal. If a
                // signal wakes a thread, their objects that contain the thread make them dependent.
                | (Wait, Wait | Wake)
                | (Wake, Wait)
                | (WaitOf | WokenOf, WaitOf | WokenOf)
                // The last arrival names the threads that leave.
                | (Leave, Leave | Arrive)
                | (Arrive, Leave)
                // The place of the message in the channel makes those dependent that pass on the
                // same one.
                | (Sent, Received)
                | (Received, Sent | Received)
        )
    }

    /// The effect as a one-bit set.
    #[inline]
    pub const fn bit(self) -> u32 {
        1 << self as u32
    }

    /// For each effect the set of effects that it depends on.
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

    /// True if every other use of an object is dependent on this one. Then these uses are totally
    /// ordered in a configuration, and all earlier uses of the object are below such a use.
    #[inline]
    pub const fn is_total(self) -> bool {
        matches!(
            self,
            Effect::Own | Effect::Write | Effect::WakeAll | Effect::Take | Effect::Total
        )
    }
}

/// Marks the name of a condition variable together with a thread.
const PAIR: u64 = 1 << 59;
const PAIR_SHIFT: u32 = 48;
const PAIR_THREADS: u64 = (1 << 11) - 1;

/// The name of a condition variable together with a thread. Threads whose numbers differ by a
/// multiple of 2048 share a name. This only makes more events dependent than necessary.
#[inline]
const fn pair(condition: u64, thread: ThreadId) -> u64 {
    condition ^ PAIR ^ ((thread.0 as u64 & PAIR_THREADS) << PAIR_SHIFT)
}

/// The name of a place of a channel for a message, by the word that says how far senders have come.
/// Places whose numbers differ by a multiple of 2048 share a name.
#[inline]
const fn place(sent: u64, number: u32) -> u64 {
    sent ^ PAIR ^ ((number as u64 & PAIR_THREADS) << PAIR_SHIFT)
}

/// Calls `f` with each object that an event used, the used bytes, and the effect. `failed`: the
/// outcome was [`Outcome::Failed`](crate::Outcome::Failed). `woken`: the threads that the outcome
/// names. Two events of different threads are dependent exactly if they use a common byte of an
/// object in [dependent](Effect::dependent) ways, or if one names the thread of the other.
///
/// The names of threads, also in the action's objects, must not depend on the interleaving
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
            OpClass::Add => Effect::Add,
            OpClass::Acquire | OpClass::Release => Effect::Own,
            OpClass::AcquireShared | OpClass::ReleaseShared => Effect::Share,
            OpClass::Try => tried(action.op, failed),
            // A futex wait that has found another value has only read the word. It counts as a wait
            // of the queue all the same: with the value, it would have been one, and then a wakeup
            // before it is lost.
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
            // The value has reached its limit. (A time-out uses only the name of its mutex in this
            // class.)
            OpClass::Post if failed && matches!(action.op.class(), OpClass::Post) => Effect::Total,
            OpClass::Post => Effect::Post,
            OpClass::Take if failed => Effect::Test,
            OpClass::Take => Effect::Take,
            OpClass::Value => Effect::Test,
            OpClass::Join => Effect::Join,
            OpClass::Exit => Effect::Exit,
            OpClass::Channel => match (action.passed(), object == action.object2.0) {
                (None, _) => Effect::Total,
                // Who sends into a free place does not look how far receivers have come.
                (Some(Passed::Sent(_) | Passed::Disconnected), false) => return,
                (Some(Passed::Received(_)), false) => Effect::Total,
                // To who receives a message that is there, it is as if a message was sent.
                (Some(Passed::Disconnected), true) => Effect::Sent,
                (Some(Passed::Sent(number)), true) => {
                    f(place(object, number), bytes, Effect::Write);
                    Effect::Sent
                }
                (Some(Passed::Received(number)), true) => {
                    f(place(object, number), bytes, Effect::Write);
                    Effect::Received
                }
            },
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
    /// The same action with other names of threads, also in its objects.
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
    /// The same object with the other name of its thread, if it represents a thread or its
    /// joinability.
    #[must_use]
    pub fn renamed(self, name: impl Fn(ThreadId) -> ThreadId) -> ObjectId {
        match (self.as_thread(), self.as_joinable()) {
            // Machines may use names above this for their own purposes.
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
