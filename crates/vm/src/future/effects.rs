//! What one thread may do, and the threads that it creates.

use super::stores::Stores;
use super::touch::{Goal, Touch};
use selvedge_base::ThreadId;

/// What one thread may do before the observed thread moves.
#[derive(Clone, PartialEq, Eq, Hash, Default, Debug)]
pub(super) struct Effects {
    /// True if it may do anything, or if nothing else is known.
    pub(super) anything: bool,
    /// True if following has ended early, because the access of the question meets another one.
    pub(super) met: bool,
    /// The accesses, in ascending order.
    pub(super) touches: Vec<Touch>,
    /// True if something may be read anywhere.
    pub(super) reads_anywhere: bool,
    /// The ranges of bytes of which the values matter.
    pub(super) reads: Vec<(u64, u64)>,
    pub(super) stores: Stores,
    /// Locks that it does not take, because the observed thread holds them, and barriers that do
    /// not open for it.
    pub(super) relied: Vec<u64>,
    /// The arrivals at barriers that have not opened.
    pub(super) arrivals: Vec<Arrival>,
}

/// An arrival at a barrier.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(super) struct Arrival {
    pub(super) barrier: u64,
    /// The number of threads that it waits for.
    pub(super) count: u64,
    /// The thread; `None` for one that does not exist yet.
    pub(super) who: Option<ThreadId>,
}

impl Effects {
    /// Of a thread that may do anything.
    pub(super) fn anything() -> Effects {
        Effects {
            anything: true,
            ..Effects::default()
        }
    }

    /// True if one of the accesses meets this one, and one of the two writes.
    pub(super) fn conflict(&self, goal: Goal) -> bool {
        self.anything
            || goal.write && self.reads_anywhere
            || self.touches.iter().any(|touch| goal.meets(touch))
    }

    /// A measure of its size: the number of accesses, reads and stores.
    pub(super) const fn size(&self) -> usize {
        self.touches.len() + self.reads.len() + self.stores.len()
    }
}
