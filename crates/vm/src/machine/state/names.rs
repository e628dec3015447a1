//! What threads are called.

use super::State;
use selvedge_base::{Id, ThreadId};

/// The hierarchical name of a thread.
pub fn thread_name(state: &State, thread: ThreadId) -> String {
    let t = state.thread(thread);
    if thread.index() == 0 {
        "0".into()
    } else {
        format!("{}.{}", thread_name(state, t.parent), t.ordinal)
    }
}
