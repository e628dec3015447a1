//! Handles of threads (`pthread_t`).

use crate::state::State;
use selvedge_base::{Id, ThreadId};

/// A `pthread_t`: the number of the thread's memory region, the same in every interleaving (its own
/// number depends on the order in which threads were created, and the program keeps handles in
/// memory); 0 is none.
pub fn handle(state: &State, thread: ThreadId) -> u64 {
    u64::from(state.thread(thread).region)
}

/// The thread of a `pthread_t`.
pub fn thread_of(state: &State, handle: u64) -> Option<ThreadId> {
    state
        .threads()
        .iter()
        .position(|t| u64::from(t.region) == handle)
        .map(ThreadId::from_index)
}
