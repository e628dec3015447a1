//! The state of a stream: hidden words, and the thread that holds it.

use crate::program::STREAMS;
use crate::state::State;
pub(super) use crate::word::StreamField as Field;
use crate::word::WordKey;
use selvedge_base::{Id, ThreadId};

/// The end of the file was reached.
pub(super) const AT_END: u64 = 1;
/// An operation failed.
pub(super) const FAILED: u64 = 2;
/// Buffered data must be flushed before the call returns.
pub(super) const FLUSH: u64 = 4;
/// The buffering mode: by lines; unbuffered.
pub(super) const BY_LINE: u64 = 8;
pub(super) const UNBUFFERED: u64 = 16;
/// It is `stdin`, and was closed.
pub(super) const CLOSED: u64 = 32;

pub(super) const READABLE: u64 = 1 << 32;
pub(super) const WRITABLE: u64 = 1 << 33;
pub(super) const APPENDS: u64 = 1 << 34;
/// There is no descriptor; the number is that of an open file in memory.
pub(super) const IN_MEMORY: u64 = 1 << 35;

/// The default size of a buffer.
pub(super) const BUFFER: u64 = 4096;
/// The handle of standard input.
pub(super) const STDIN: u64 = STREAMS[0].1;

pub(super) fn get(state: &State, stream: u32, field: Field) -> u64 {
    let word = state.word(WordKey::Stream(stream, field));
    match (stream, field) {
        (0, Field::Address) => STDIN,
        (0, Field::Descriptor) => READABLE,
        _ => word,
    }
}

pub(super) fn set(state: &mut State, stream: u32, field: Field, value: u64) {
    if get(state, stream, field) != value {
        state.set_word(WordKey::Stream(stream, field), value);
    }
}

pub(super) fn has(state: &State, stream: u32, flag: u64) -> bool {
    get(state, stream, Field::Flags) & flag != 0
}

pub(super) fn raise(state: &mut State, stream: u32, flag: u64) {
    let flags = get(state, stream, Field::Flags) | flag;
    set(state, stream, Field::Flags, flags);
}

pub(super) fn lower(state: &mut State, stream: u32, flag: u64) {
    let flags = get(state, stream, Field::Flags) & !flag;
    set(state, stream, Field::Flags, flags);
}

/// The descriptor of a stream.
pub(super) fn descriptor(state: &State, stream: u32) -> u32 {
    get(state, stream, Field::Descriptor) as u32
}

/// Whether a stream is in memory, and has no descriptor.
pub(super) fn is_in_memory(state: &State, stream: u32) -> bool {
    get(state, stream, Field::Descriptor) & IN_MEMORY != 0
}

pub(super) fn is_readable(state: &State, stream: u32) -> bool {
    get(state, stream, Field::Descriptor) & READABLE != 0
}

pub(super) fn is_writable(state: &State, stream: u32) -> bool {
    get(state, stream, Field::Descriptor) & WRITABLE != 0
}

/// The number of unread bytes in the buffer.
pub(super) fn unread(state: &State, stream: u32) -> u64 {
    get(state, stream, Field::End).saturating_sub(get(state, stream, Field::Begin))
}

/// The size of a stream's buffer.
pub(super) fn size(state: &State, stream: u32) -> u64 {
    match get(state, stream, Field::Size) {
        _ if has(state, stream, UNBUFFERED) => 1,
        0 => BUFFER,
        size => size,
    }
}

/// The addresses of all `FILE` objects, in no particular order.
pub(crate) fn objects(state: &State) -> impl Iterator<Item = u64> + '_ {
    state.words().filter_map(|(key, base)| match key {
        WordKey::Stream(_, Field::Address) => Some(base),
        _ => None,
    })
}

/// The number that identifies a thread in the fields of a stream.
pub(super) fn region(state: &State, thread: ThreadId) -> u64 {
    u64::from(state.thread(thread).region)
}

/// Whether a thread can take the stream.
pub(super) fn is_free(state: &State, stream: u32, thread: ThreadId) -> bool {
    let holder = get(state, stream, Field::Holder);
    holder == 0 || holder == region(state, thread)
}

/// The thread that holds a stream.
pub(super) fn holder(state: &State, stream: u32) -> Option<ThreadId> {
    let holder = get(state, stream, Field::Holder);
    let threads = state.threads().iter();
    threads
        .enumerate()
        .find(|(_, t)| holder != 0 && u64::from(t.region) == holder)
        .map(|(i, _)| ThreadId::from_index(i))
}
