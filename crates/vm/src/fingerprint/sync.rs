//! Synchronisation objects as fragments.
//!
//! Data that follows from the threads is left out: which threads wait on a condition variable or
//! have yet to leave a barrier (their cores say so), and which threads hold a read-write lock for
//! reading (their locks say so). These change by actions that are independent of each other. So do
//! the values of semaphores, which are stored nowhere else. The hash of such a value is the hash of
//! one unit, times the value, so each post adds the same. The first of several readers makes the
//! entry of a statically initialised lock, so the entry itself counts by the threads that have used
//! it.

use super::threads::{self, Style};
use crate::state::State;
use crate::sync::{Once, SyncObject};
use crate::value::{Tag, Value};
use crate::word::{WordKey, WordOwner};
use selvedge_base::{Id, ThreadId};
use smallvec::SmallVec;

/// A synchronisation object's fragment without its count; `None` if it has none.
pub(super) fn words(state: &State, address: u64, object: &SyncObject) -> Option<[u64; 4]> {
    let region = |thread: ThreadId| u64::from(state.thread(thread).region);
    let holder = |thread: Option<ThreadId>| thread.map_or(0, region);
    let (tag, a, b) = match *object {
        SyncObject::Mutex(m) => (1, holder(m.owner), m.kind as u64 | (m.robust as u64) << 8),
        SyncObject::Cond { .. } => (2, 0, 0),
        SyncObject::RwLock { writer: None, .. } => return None,
        SyncObject::Sem { .. } => (8, 0, 0),
        SyncObject::RwLock { writer, .. } => (3, holder(writer), 0),
        SyncObject::Barrier {
            count,
            arrived,
            leaving: _,
        } => (4, u64::from(count), u64::from(arrived)),
        SyncObject::Spin { owner } => (5, holder(owner), 0),
        SyncObject::Once(Once::New) => (6, 0, 0),
        SyncObject::Once(Once::Running(thread)) => (6, 1, region(thread)),
        SyncObject::Once(Once::Done) => (6, 2, 0),
        SyncObject::Destroyed { kind } => (7, kind as u64, 0),
    };
    Some([address, tag, a, b])
}

/// The count of an object that several threads change in any order: 0 for others.
pub(super) fn count(object: Option<&SyncObject>) -> u64 {
    match object {
        Some(SyncObject::Sem { value }) => u64::from(*value),
        Some(
            SyncObject::Mutex(_)
            | SyncObject::Cond { .. }
            | SyncObject::RwLock { .. }
            | SyncObject::Barrier { .. }
            | SyncObject::Spin { .. }
            | SyncObject::Once(_)
            | SyncObject::Destroyed { .. },
        )
        | None => 0,
    }
}

/// True if the users of an object since its creation are recorded.
pub(super) const fn has_users(object: Option<&SyncObject>) -> bool {
    matches!(object, Some(SyncObject::RwLock { .. }))
}

/// The words of a hidden word that is set.
pub(super) fn word(state: &State, key: WordKey, value: u64, style: Style<'_>) -> SmallVec<[u64; 6]> {
    let mut words = SmallVec::from_slice(&[word_name(state, key), value]);
    if key.is_tag() {
        // The tag's own number depends on what was interned before.
        let value = Value {
            bits: 0,
            tag: Tag(value as u32),
        };
        words.truncate(1);
        words.extend(threads::value(state, value, style));
    }
    words
}

/// The number of a hidden word and the thread to which it belongs (0: none), independent of the
/// order of creations.
pub(super) fn word_name(state: &State, key: WordKey) -> u64 {
    let number = |key: WordKey| u64::from(key.number().get());
    match key.owner() {
        WordOwner::Process | WordOwner::Region(_) => number(key),
        WordOwner::Thread(thread) => match state.threads().get(thread.index()) {
            Some(thread) => u64::from(thread.region) << 32 | number(key.of_first_thread()),
            None => number(key),
        },
    }
}
