//! The locks that open files have on their files (`flock.rs`): a part of the words of both.

use super::table::{self, OpenFile};
use crate::state::State;
use crate::word::FileField;

/// The lock that an open file has.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Lock {
    None,
    Shared,
    Exclusive,
}

/// The lock of an open file.
pub(super) fn lock_of(state: &State, open: u32) -> Lock {
    match table::lock(state, open) {
        0 => Lock::None,
        1 => Lock::Shared,
        _ => Lock::Exclusive,
    }
}

/// Gives an open file a lock, or takes it away. The file counts its shared locks, and an exclusive
/// one as more than there can be of these.
pub(super) fn set_lock(state: &mut State, open: &OpenFile, lock: Lock) {
    let weight = |lock| match lock {
        Lock::None => 0,
        Lock::Shared => 1,
        Lock::Exclusive => EXCLUSIVELY,
    };
    let old = weight(lock_of(state, open.number));
    let held = table::field(state, open.file, FileField::Counter);
    table::set_field(state, open.file, FileField::Counter, held - old + weight(lock));
    table::set_lock(state, open.number, lock as u64);
}

/// What an exclusive lock counts.
const EXCLUSIVELY: u64 = 1 << 32;

/// Whether no other open file has a lock that excludes this one.
pub(super) fn is_free(state: &State, open: &OpenFile, exclusive: bool) -> bool {
    let held = table::field(state, open.file, FileField::Counter);
    match (lock_of(state, open.number), exclusive) {
        (Lock::Exclusive, _) => true,
        (Lock::Shared, true) => held == 1,
        (Lock::None, true) => held == 0,
        (_, false) => held < EXCLUSIVELY,
    }
}

/// Whether closing an open file gives up a lock.
pub(super) fn is_held(state: &State, open: u32) -> bool {
    lock_of(state, open) != Lock::None
}

/// Gives up the lock of an open file that is closed.
pub(super) fn give_up(state: &mut State, open: &OpenFile) {
    if is_held(state, open.number) {
        set_lock(state, open, Lock::None);
    }
}
