//! The state of descriptors, open files and files: hidden words, accessed by typed functions only.
//!
//! As in a kernel, there are three levels. A *descriptor* is a small number that refers to an open
//! file. An *open file* has a position and flags; `dup` makes a second descriptor for it. A *file*
//! has contents: a regular file, a pipe, the program's output, or a device. Numbers of open files
//! and files are never reused. Numbers of descriptors are: the lowest free one is used first.
//!
//! `description` defines what kinds of files do. The documentation of `files` says which action may
//! access what. A word that was never set is 0, which is the initial state: descriptors 0, 1 and 2
//! are open.

use super::system;
use crate::state::State;
use crate::word::{FileField, OpenFileField, WordKey};
pub(super) use crate::word::{MAX_DESCRIPTORS, MAX_FILE_NUMBERS, MAX_PEER_DESCRIPTORS};

// ---- kinds
// -------------------------------------------------------------------------------------------------

/// The kind of a file.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Kind {
    /// Bytes with a length.
    Regular,
    /// A pipe.
    Pipe,
    /// The captured output of the program.
    Output,
    /// `/dev/null`.
    Null,
    /// `/dev/zero`.
    Zero,
    /// An event counter.
    Event,
    /// An event counter that is a semaphore.
    Semaphore,
    /// A stream socket.
    Stream,
    /// A datagram socket.
    Datagram,
    /// A set of descriptors to wait for.
    Epoll,
    /// Standard input, as a stream of requests.
    Requests,
    /// A directory.
    Directory,
    /// A symbolic link.
    Link,
    /// A message queue.
    Queue,
    /// A timer.
    Timer,
    /// What signals are read from.
    Signals,
    /// `/dev/random`, `/dev/urandom`.
    Random,
    /// What `open_memstream` writes.
    Growing,
    /// A buffer of `fmemopen`.
    Lent,
}

impl Kind {
    const ALL: [Kind; 19] = [
        Kind::Regular,
        Kind::Pipe,
        Kind::Output,
        Kind::Null,
        Kind::Zero,
        Kind::Event,
        Kind::Semaphore,
        Kind::Stream,
        Kind::Datagram,
        Kind::Epoll,
        Kind::Requests,
        Kind::Directory,
        Kind::Link,
        Kind::Queue,
        Kind::Timer,
        Kind::Signals,
        Kind::Random,
        Kind::Growing,
        Kind::Lent,
    ];
}

/// The constant properties of an open file.
#[derive(Clone, Copy, Debug)]
pub(super) struct OpenFile {
    /// Its number.
    pub number: u32,
    /// The file.
    pub file: u32,
    /// The kind of the file.
    pub kind: Kind,
    /// May be read.
    pub readable: bool,
    /// May be written.
    pub writable: bool,
}

/// The file of standard input, and the captured output.
const STDIN_FILE: u32 = 1;
const OUTPUT_FILE: u32 = 2;
/// Open files 1, 2 and 3 belong to descriptors 0, 1 and 2.
const STANDARD: u32 = 3;
/// The lower half of the word of a descriptor below 3 that was closed.
const CLOSED: u32 = 1;
/// In the word of a descriptor: it is closed by exec.
const CLOSES_ON_EXEC: u64 = 1 << 32;

// ---- descriptors
// -------------------------------------------------------------------------------------------------

/// The open file that a descriptor refers to.
pub(super) fn descriptor(state: &State, fd: u32) -> Option<u32> {
    match state.word(WordKey::Descriptor(fd)) as u32 {
        0 if fd < STANDARD => Some(fd + 1),
        0 | CLOSED => None,
        word => Some(word - 1),
    }
}

/// Whether a descriptor is closed by exec (FD_CLOEXEC).
pub(super) fn closes_on_exec(state: &State, fd: u32) -> bool {
    state.word(WordKey::Descriptor(fd)) & CLOSES_ON_EXEC != 0
}

/// Says whether a descriptor is closed by exec.
pub(super) fn set_closes_on_exec(state: &mut State, fd: u32, closes: bool) {
    let word = state.word(WordKey::Descriptor(fd)) & !CLOSES_ON_EXEC;
    let flag = if closes { CLOSES_ON_EXEC } else { 0 };
    state.set_word(WordKey::Descriptor(fd), word | flag);
}

/// Makes a descriptor refer to an open file, or to none. It is not closed by exec.
pub(super) fn set_descriptor(state: &mut State, fd: u32, open: Option<u32>) {
    let word = match open {
        Some(open) if fd < STANDARD && open == fd + 1 => 0,
        Some(open) => u64::from(open) + 1,
        None if fd < STANDARD => u64::from(CLOSED),
        None => 0,
    };
    state.set_word(WordKey::Descriptor(fd), word);
}

fn used(state: &State, part: u32) -> u64 {
    state.word(WordKey::UsedDescriptors(part)) ^ if part == 0 { 7 } else { 0 }
}

fn set_used(state: &mut State, part: u32, bits: u64) {
    state.set_word(
        WordKey::UsedDescriptors(part),
        bits ^ if part == 0 { 7 } else { 0 },
    );
}

/// Reserves the lowest free number that is at least `least`, among those of peers from outside if
/// that is one.
pub(super) fn reserve(state: &mut State, least: u32) -> Option<u32> {
    let free = |&fd: &u32| used(state, fd / 64) >> (fd % 64) & 1 == 0;
    let end = match least {
        0..MAX_DESCRIPTORS => MAX_DESCRIPTORS,
        _ => MAX_PEER_DESCRIPTORS,
    };
    let fd = (least..end).find(free)?;
    reserve_number(state, fd);
    Some(fd)
}

/// Reserves this number.
pub(super) fn reserve_number(state: &mut State, fd: u32) {
    let bits = used(state, fd / 64) | 1 << (fd % 64);
    set_used(state, fd / 64, bits);
}

/// Releases a number.
pub(super) fn release_number(state: &mut State, fd: u32) {
    let bits = used(state, fd / 64) & !(1 << (fd % 64));
    set_used(state, fd / 64, bits);
}

// ---- open files
// -------------------------------------------------------------------------------------------------

/// The properties of an open file.
pub(super) fn open_file(state: &State, number: u32) -> OpenFile {
    let word = state.word(WordKey::OpenFile(number, OpenFileField::File));
    let (file, readable, writable) = match (number, word) {
        (1, _) => (STDIN_FILE, true, false),
        (2..=STANDARD, _) => (OUTPUT_FILE, false, true),
        _ => (word as u32, word >> 32 & 1 != 0, word >> 33 & 1 != 0),
    };
    OpenFile {
        number,
        file,
        kind: kind(state, file),
        readable,
        writable,
    }
}

/// Makes an open file with one descriptor; `None` if there are too many.
pub(super) fn new_open_file(state: &mut State, file: u32, readable: bool, writable: bool) -> Option<u32> {
    let number = new_number(state, WordKey::OpenFileCount, STANDARD + 1, MAX_FILE_NUMBERS)?;
    let word = u64::from(file) | u64::from(readable) << 32 | u64::from(writable) << 33;
    state.set_word(WordKey::OpenFile(number, OpenFileField::File), word);
    let open = open_file(state, number);
    open.description().opened(state, &open);
    Some(number)
}

/// The next unused number of a counter, below a limit.
fn new_number(state: &mut State, counter: WordKey, first: u32, limit: u32) -> Option<u32> {
    let made = state.word(counter);
    let number = u32::try_from(made)
        .ok()?
        .checked_add(first)
        .filter(|&n| n < limit)?;
    state.set_word(counter, made + 1);
    Some(number)
}

/// The part of a word with flags that has these. The rest is the lock.
const FLAGS: u64 = u32::MAX as u64;

/// `O_APPEND` and `O_NONBLOCK` of an open file.
pub(super) fn flags(state: &State, open: u32) -> u64 {
    state.word(WordKey::OpenFile(open, OpenFileField::Flags)) & FLAGS
}

/// Sets `O_APPEND` and `O_NONBLOCK` of an open file.
pub(super) fn set_flags(state: &mut State, open: u32, flags: u64) {
    let word = WordKey::OpenFile(open, OpenFileField::Flags);
    state.set_word(word, state.word(word) & !FLAGS | flags);
}

/// The lock of an open file, as its number.
pub(super) fn lock(state: &State, open: u32) -> u64 {
    state.word(WordKey::OpenFile(open, OpenFileField::Flags)) >> 32
}

/// Sets the lock of an open file.
pub(super) fn set_lock(state: &mut State, open: u32, lock: u64) {
    let word = WordKey::OpenFile(open, OpenFileField::Flags);
    state.set_word(word, state.word(word) & FLAGS | lock << 32);
}

/// The position of an open file.
pub(super) fn position(state: &State, open: u32) -> u64 {
    state.word(WordKey::OpenFile(open, OpenFileField::Position))
}

/// Sets the position of an open file.
pub(super) fn set_position(state: &mut State, open: u32, position: u64) {
    state.set_word(WordKey::OpenFile(open, OpenFileField::Position), position);
}

/// Counts one more descriptor of an open file.
pub(super) fn share(state: &mut State, open: u32) {
    let word = WordKey::OpenFile(open, OpenFileField::Shares);
    state.set_word(word, state.word(word) + 1);
}

/// Counts one descriptor less of an open file. Returns whether it was the last one.
pub(super) fn unshare(state: &mut State, open: u32) -> bool {
    let word = WordKey::OpenFile(open, OpenFileField::Shares);
    let others = state.word(word);
    if others > 0 {
        state.set_word(word, others - 1);
        return false;
    }
    true
}

/// The number of descriptors of an open file that was closed, where this has to be known.
const GONE: u64 = u64::MAX;

/// Marks an open file that was closed.
pub(super) fn mark_gone(state: &mut State, open: u32) {
    state.set_word(WordKey::OpenFile(open, OpenFileField::Shares), GONE);
}

/// Whether an open file was closed and marked.
pub(super) fn is_gone(state: &State, open: u32) -> bool {
    state.word(WordKey::OpenFile(open, OpenFileField::Shares)) == GONE
}

// ---- files
// -------------------------------------------------------------------------------------------------

/// The kind of a file.
pub(super) fn kind(state: &State, file: u32) -> Kind {
    match file {
        STDIN_FILE if state.word(WordKey::File(file, FileField::Kind)) == 0 => Kind::Regular,
        OUTPUT_FILE => Kind::Output,
        _ if system::is_one(file) => Kind::Directory,
        _ => {
            let number = (state.word(WordKey::File(file, FileField::Kind)) & 0xff) as usize;
            Kind::ALL.get(number).copied().unwrap_or(Kind::Null)
        }
    }
}

/// The permission bits of a file.
pub(super) fn mode(state: &State, file: u32) -> u32 {
    match file {
        STDIN_FILE => 0o644,
        OUTPUT_FILE => 0o600,
        _ => match state.word(WordKey::File(file, FileField::Kind)) {
            0 if system::is_one(file) => system::mode(file),
            word => (word >> 8) as u32,
        },
    }
}

/// Sets the permission bits. Returns false for the files that exist from the start, whose mode is
/// fixed.
pub(super) fn set_mode(state: &mut State, file: u32, mode: u32) -> bool {
    if matches!(file, STDIN_FILE | OUTPUT_FILE) {
        return false;
    }
    let kind = kind(state, file);
    set_field(state, file, FileField::Kind, kind as u64 | u64::from(mode) << 8);
    true
}

/// Makes an empty file; `None` if there are too many.
pub(super) fn new_file(state: &mut State, kind: Kind, mode: u32) -> Option<u32> {
    let limit = MAX_FILE_NUMBERS - system::RESERVED;
    let file = new_number(state, WordKey::FileCount, OUTPUT_FILE + 1, limit)?;
    state.set_word(
        WordKey::File(file, FileField::Kind),
        kind as u64 | u64::from(mode) << 8,
    );
    Some(file)
}

/// The object with the contents of a file; 0 if it has none yet.
pub(super) fn content(state: &State, file: u32) -> u64 {
    state.word(WordKey::File(file, FileField::Content))
}

/// Sets the object with the contents of a file.
pub(super) fn set_content(state: &mut State, file: u32, base: u64) {
    state.set_word(WordKey::File(file, FileField::Content), base);
}

/// The number of bytes in a file or pipe.
pub(super) fn length(state: &State, file: u32) -> u64 {
    state.word(WordKey::File(file, FileField::Length))
}

/// Sets the number of bytes in a file or pipe.
pub(super) fn set_length(state: &mut State, file: u32, length: u64) {
    state.set_word(WordKey::File(file, FileField::Length), length);
}

/// A field of a file whose meaning depends on the kind.
pub(super) fn field(state: &State, file: u32, field: FileField) -> u64 {
    state.word(WordKey::File(file, field))
}

/// Sets a field of a file.
pub(super) fn set_field(state: &mut State, file: u32, field: FileField, value: u64) {
    state.set_word(WordKey::File(file, field), value);
}

/// The number of names of a file.
pub(super) fn links(state: &State, file: u32) -> u64 {
    match file {
        STDIN_FILE | OUTPUT_FILE => 1,
        _ => state.word(WordKey::File(file, FileField::Links)),
    }
}

/// Sets the number of names of a file.
pub(super) fn set_links(state: &mut State, file: u32, links: u64) {
    state.set_word(WordKey::File(file, FileField::Links), links);
}

/// The numbers of all files that were made.
pub(super) fn files(state: &State) -> std::ops::Range<u32> {
    OUTPUT_FILE + 1..OUTPUT_FILE + 1 + state.word(WordKey::FileCount) as u32
}

/// The file of standard input.
pub(super) const fn stdin_file() -> u32 {
    STDIN_FILE
}

// ---- others
// -------------------------------------------------------------------------------------------------

/// Whether SIGPIPE is ignored.
pub(super) fn pipe_signal_ignored(state: &State) -> bool {
    state.word(WordKey::PipeSignalIgnored) != 0
}

/// Sets whether SIGPIPE is ignored.
pub(crate) fn ignore_pipe_signal(state: &mut State, ignored: bool) {
    state.set_word(WordKey::PipeSignalIgnored, u64::from(ignored));
}

/// The number of a new name.
pub(super) fn new_name(state: &mut State) -> Option<u32> {
    new_number(state, WordKey::NameCount, 0, MAX_FILE_NUMBERS)
}

/// The number of a new stream.
pub(super) fn new_stream(state: &mut State) -> Option<u32> {
    new_number(state, WordKey::StreamCount, 3, MAX_FILE_NUMBERS)
}
