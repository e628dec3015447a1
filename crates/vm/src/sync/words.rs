//! Where the threading models keep hidden words (`State::word`). Words of one thread are touched by
//! that thread only; words of the process by visible actions only.

use selvedge_base::{Id, ThreadId};

/// Number of thread-specific data keys created.
pub(super) const KEYS: u32 = 0x4000_0000;
/// Number of exit handlers registered and not yet run.
pub(super) const EXIT_HANDLERS: u32 = 0x4000_0001;
/// Most keys that may be created.
pub(super) const MAX_KEYS: u32 = 1024;
/// Most exit handlers.
pub(super) const MAX_EXIT_HANDLERS: u32 = 1 << 15;
/// Most destructors of thread-local variables of one thread.
pub(super) const MAX_THREAD_DESTRUCTORS: u32 = 1 << 10;

/// A live key: its destructor with the lowest bit set; 0 if it does not exist.
pub(super) const fn key(key: u32) -> u32 {
    0x4000_0400 + key
}

/// Two words of an exit handler: function, argument.
pub(super) const fn exit_handler(index: u32) -> u32 {
    0x4001_0000 + 2 * index
}

/// A thread's value of a key.
pub(super) fn value(thread: ThreadId, key: u32) -> u32 {
    0x8000_0000 | (thread.index() as u32) << 11 | key
}

/// The number of the thread that a hidden word belongs to, if it is one of those above and below.
pub(crate) const fn owner_of_word(number: u32) -> Option<usize> {
    match number >> 30 {
        2 | 3 => Some(((number & 0x3fff_ffff) >> 11) as usize),
        _ => None,
    }
}

/// The innermost cleanup buffer of a thread.
pub(super) fn cleanup(thread: ThreadId) -> u32 {
    value(thread, MAX_KEYS)
}

/// The `std::thread::_State` that a thread has to delete.
pub(super) fn cxx_state(thread: ThreadId) -> u32 {
    value(thread, MAX_KEYS + 1)
}

/// The number of destructors of thread-local variables that a thread still has to run.
pub(super) fn thread_destructors(thread: ThreadId) -> u32 {
    value(thread, MAX_KEYS + 2)
}

/// Two words of such a destructor: function, object.
pub(super) fn thread_destructor(thread: ThreadId, index: u32) -> u32 {
    0xc000_0000 | (thread.index() as u32) << 11 | (2 * index)
}
