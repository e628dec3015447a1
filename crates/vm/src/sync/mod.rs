//! Synchronisation: POSIX threads, semaphores, C11 threads, thread support of C++.
//!
//! One blocking-object abstraction: a [`SyncObject`] for each address, a visible action for each
//! operation, and [`status`] that says from both whether the action is enabled. The deadlock
//! detector therefore sees every primitive.
//!
//! What POSIX leaves undefined is a fault; it is checked when the operation is performed, since it
//! depends on the order. What an operation needs to know at once (whether the thread holds a lock)
//! is only what no other thread can change.

mod atomic_block;
mod attr;
mod barrier;
mod c11;
mod cancel;
pub(crate) mod channel;
mod claim;
mod claim_shared;
mod cond;
mod creation;
mod cxx;
mod errno;
pub mod fuse;
mod fusible;
mod futex;
mod handle;
pub(crate) mod join;
mod key;
mod known;
pub mod lifecycle;
mod lock_word;
mod mutex;
mod name;
mod needed;
mod object;
mod once;
mod operation;
mod owner;
mod place;
mod rwlock;
mod sem;
mod sleep;
mod spin;
mod status;
mod text;
mod touch;
mod wait_set;
mod word_wait;

pub use cancel::{act, acts, arm, is_cancellation_point};
pub(crate) use cond::is_wait;
pub(crate) use fusible::{Fusible, polls_end, tries_mutexes};
pub(crate) use futex::word_of as futex_word;
pub(crate) use handle::thread_of;
pub(crate) use key::{create_key, is_of_deleted_key};
pub use needed::{ANYTHING, NOTHING, needed};
pub use object::{Kind, Mutex, MutexKind, Once, Robust, SyncObject};
pub(crate) use status::refresh;
pub use status::status;
pub use text::{blocked_text, waits_for};
pub(crate) use wait_set::wait_ends_by;

use crate::native::Native;

/// The native model of a threading function.
pub fn find(name: &str) -> Option<Native> {
    atomic_block::find(name)
        .or_else(|| mutex::find(name))
        .or_else(|| cond::find(name))
        .or_else(|| futex::find(name))
        .or_else(|| claim::find(name))
        .or_else(|| channel::find(name))
        .or_else(|| claim_shared::find(name))
        .or_else(|| owner::find(name))
        .or_else(|| touch::find(name))
        .or_else(|| place::find(name))
        .or_else(|| word_wait::find(name))
        .or_else(|| rwlock::find(name))
        .or_else(|| barrier::find(name))
        .or_else(|| spin::find(name))
        .or_else(|| sem::find(name))
        .or_else(|| once::find(name))
        .or_else(|| key::find(name))
        .or_else(|| attr::find(name))
        .or_else(|| sleep::find(name))
        .or_else(|| cancel::find(name))
        .or_else(|| lifecycle::find(name))
        .or_else(|| name::find(name))
        .or_else(|| c11::find(name))
        .or_else(|| cxx::find(name))
}
