//! The interface of a kind of file to operations.
//!
//! *Invariant*: a [`FileDescription`] has no state. The state of a file is in hidden words and in
//! the machine's memory. So it is part of the machine's state, its fingerprint and its undo log.
//!
//! An operation that a kind does not implement is unsupported, by the names of the operation and of
//! the kind.
//!
//! Operations (`transfer`, `streams`, `poll`, …) choose the action, wait, and access the program's
//! memory. A description decides whether the operation can continue, and performs it.
//! `docs/recipes.md` explains how to add a kind.

use super::table::OpenFile;
use crate::native::{Cx, Flow, Stop};
use crate::state::State;
use selvedge_model::ObjectId;

/// The result of an operation: a value or an error number, or how the thread continues instead.
pub(super) type Answer<T> = Result<Result<T, i32>, Stop>;

/// Which way bytes go.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(in crate::libc::files) enum Way {
    /// To the program, or a connection that it accepts.
    In,
    /// From the program.
    Out,
}

/// The operations on an open file that would not wait.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub(super) struct Readiness {
    /// A read returns data, or an end that is not a hang-up.
    pub readable: bool,
    /// There is room to write.
    pub writable: bool,
    /// Written data reaches no reader.
    pub error: bool,
    /// There is no writer any more.
    pub hangup: bool,
    /// The other end of a stream will not write any more (`POLLRDHUP`).
    pub ended: bool,
}

/// Bytes to be written; their memory is checked.
#[derive(Clone, Copy, Debug)]
pub(super) struct Bytes {
    /// Their address.
    pub from: u64,
    /// The number of bytes left.
    pub count: u64,
    /// The number of bytes of the whole write.
    pub whole: u64,
    /// They are in a stream's buffer, not in memory of the program.
    pub buffered: bool,
}

/// The result of a write.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Written {
    /// This many bytes were written, and the write is complete.
    All(u64),
    /// This many bytes were written, and the rest waits for room.
    Part(u64),
}

/// The status of a file, for `stat`.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Status {
    /// The type of the file, as in `st_mode`.
    pub format: u64,
    /// The length of the file.
    pub length: u64,
}

impl Status {
    /// That of a file that is in no directory and has no type, as Linux has it for timers and their
    /// like.
    pub(super) const ANONYMOUS: Status = Status { format: 0, length: 0 };
}

/// A kind of file.
pub(super) trait FileDescription: Sync {
    /// The kind's name, with an article.
    fn what(&self) -> &'static str;

    // ---- visibility to other threads
    // ---------------------------------------------------------------------------------------------

    /// Whether other threads can observe reads and writes, so that these are actions.
    fn is_shared(&self) -> bool {
        true
    }

    /// The object whose actions can end a wait for this file: for reading, writing or polling.
    /// `None` if its readiness never changes and its operations never wait.
    fn woken_by(&self, file: u32) -> Option<ObjectId>;

    /// The other file whose readers get the data that is written to this one, if there is one.
    /// Writing to this file and closing it are actions on both.
    fn reaches(&self, state: &State, file: u32) -> Option<u32> {
        let _ = (state, file);
        None
    }

    /// Whether closing the file releases an address in the table of descriptors and names.
    fn gives_name_back(&self, state: &State, file: u32) -> bool {
        let _ = (state, file);
        false
    }

    /// Whether another process could end a wait for this file, for reading or polling.
    fn is_open_to_others(&self, state: &State, open: &OpenFile) -> bool {
        let _ = (state, open);
        false
    }

    /// The operations that would not wait now. The result changes by actions on [`woken_by`] only.
    ///
    /// [`woken_by`]: FileDescription::woken_by
    fn ready(&self, state: &State, open: &OpenFile) -> Result<Readiness, Stop> {
        let _ = (state, open);
        Err(self.unsupported("poll"))
    }

    /// Whether time alone makes the file ready to read at some moment. Then an operation that
    /// would observe it decides whether that moment has come, and calls [`ripen`] if so.
    ///
    /// [`ripen`]: FileDescription::ripen
    fn ripens(&self, state: &State, open: &OpenFile) -> bool {
        let _ = (state, open);
        false
    }

    /// Called when the moment has come at which the file is ready to read.
    fn ripen(&self, state: &mut State, open: &OpenFile) {
        let _ = (state, open);
    }

    /// The files whose readiness is this one's: the members of a set of descriptors. Each with the
    /// events that are asked for.
    fn members(&self, state: &State, open: &OpenFile) -> Vec<(u32, u16)> {
        let _ = (state, open);
        Vec::new()
    }

    // ---- open files
    // ---------------------------------------------------------------------------------------------

    /// Called when an open file was made.
    fn opened(&self, state: &mut State, open: &OpenFile) {
        let _ = (state, open);
    }

    /// Called when the last descriptor of an open file was closed.
    fn closed(&self, cx: &mut Cx<'_>, open: &OpenFile) -> Result<(), Stop> {
        let _ = (cx, open);
        Ok(())
    }

    /// A connection that nobody has accepted. After [`closed`](FileDescription::closed) it is to be
    /// refused.
    fn unaccepted(&self, state: &State, file: u32) -> Option<u32> {
        let _ = (state, file);
        None
    }

    /// Refuses the first connection that nobody has accepted.
    fn refuse(&self, state: &mut State, file: u32) {
        let _ = (state, file);
    }

    /// Called when the file was opened for writing with `O_TRUNC`.
    fn emptied(&self, cx: &mut Cx<'_>, file: u32) -> Result<(), Stop> {
        let _ = (cx, file);
        Err(self.unsupported("O_TRUNC"))
    }

    /// The flags that `F_GETFL` returns in addition to access mode and changeable flags.
    fn constant_flags(&self) -> u64 {
        0
    }

    /// The result of `F_GETPIPE_SZ` for a pipe.
    fn pipe_size(&self) -> Option<u64> {
        None
    }

    // ---- reading and writing
    // ---------------------------------------------------------------------------------------------

    /// Whether `pread` and `pwrite` are possible.
    fn takes_positions(&self) -> bool {
        false
    }

    /// The error number if `count` bytes cannot be read or written at once, independent of the
    /// contents.
    fn refuses(&self, count: u64) -> Option<i32> {
        let _ = count;
        None
    }

    /// Whether a read returns data, or the information that there is none, without waiting.
    fn can_read(&self, state: &State, open: &OpenFile) -> bool {
        let _ = (state, open);
        true
    }

    /// The text for a thread that waits for [`can_read`](FileDescription::can_read).
    fn waits_to_read(&self) -> &'static str {
        "waits for data"
    }

    /// The number of bytes that a read of `count` bytes returns, from the current position or from
    /// `at`.
    fn available(&self, state: &State, open: &OpenFile, count: u64, at: Option<u64>) -> Answer<u64> {
        let _ = (state, open, count, at);
        Err(self.unsupported("read"))
    }

    /// Called when the program got the error that [`available`](FileDescription::available)
    /// returned.
    fn told(&self, state: &mut State, open: &OpenFile) {
        let _ = (state, open);
    }

    /// Reads available bytes into checked memory.
    fn read(
        &self,
        cx: &mut Cx<'_>,
        open: &OpenFile,
        to: u64,
        bytes: u64,
        at: Option<u64>,
    ) -> Result<(), Stop> {
        let _ = (cx, open, to, bytes, at);
        Err(self.unsupported("read"))
    }

    /// Whether a write succeeds at least in part, or fails, without waiting for this much room.
    fn can_write(&self, state: &State, open: &OpenFile, room: u64) -> bool {
        let _ = (state, open, room);
        true
    }

    /// The text for a thread that waits for [`can_write`](FileDescription::can_write).
    fn waits_to_write(&self) -> &'static str {
        "waits for room"
    }

    /// The room that a write of `count` bytes waits for.
    fn needed(&self, count: u64) -> u64 {
        count
    }

    /// After how many seconds of the thread's clock a wait to read or to write ends (`SO_RCVTIMEO`,
    /// `SO_SNDTIMEO`). 0: never.
    fn time_out(&self, state: &State, file: u32, way: Way) -> u64 {
        let _ = (state, file, way);
        0
    }

    /// Whether a write of no bytes does something: it sends an empty datagram, or tells that nobody
    /// receives any more.
    fn sends_nothing(&self) -> bool {
        false
    }

    /// Writes as many bytes as there is room for, at the current position or at `at`.
    fn write(&self, cx: &mut Cx<'_>, open: &OpenFile, bytes: Bytes, at: Option<u64>) -> Answer<Written> {
        let _ = (cx, open, bytes, at);
        Err(self.unsupported("write"))
    }

    /// Writes a text that is not in memory of the program. Only while there is one thread.
    fn print(&self, cx: &mut Cx<'_>, open: &OpenFile, text: &[u8]) -> Result<(), Stop> {
        let _ = (cx, open, text);
        Err(self.unsupported("formatted output"))
    }

    // ---- the rest
    // ---------------------------------------------------------------------------------------------

    /// Moves the position and returns the new one.
    fn seek(&self, cx: &mut Cx<'_>, open: &OpenFile, offset: i64, whence: i32) -> Answer<u64> {
        let _ = (cx, open, offset, whence);
        Err(self.unsupported("lseek"))
    }

    /// Truncates or extends the file.
    fn truncate(&self, cx: &mut Cx<'_>, open: &OpenFile, length: u64) -> Answer<()> {
        let _ = (cx, open, length);
        Err(self.unsupported("ftruncate"))
    }

    /// Writes the file to the disk.
    fn synchronise(&self) -> Answer<()> {
        Err(self.unsupported("fsync"))
    }

    /// Called when a stream of the file was flushed or is closed.
    fn flushed(&self, cx: &mut Cx<'_>, open: &OpenFile) -> Result<(), Stop> {
        let _ = (cx, open);
        Ok(())
    }

    /// The status of the file, for `stat`.
    fn status(&self, state: &State, file: u32) -> Result<Status, Stop> {
        let _ = (state, file);
        Err(self.unsupported("stat"))
    }

    /// The result of an operation that this kind does not have.
    fn unsupported(&self, operation: &str) -> Stop {
        Flow::Unsupported(format!("{operation} on {}", self.what()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::libc::files::table::Kind;

    /// A kind that implements nothing optional.
    struct Bare;

    impl FileDescription for Bare {
        fn what(&self) -> &'static str {
            "a bare file"
        }

        fn woken_by(&self, _: u32) -> Option<ObjectId> {
            None
        }
    }

    fn unsupported<T>(answer: Result<T, Stop>) -> String {
        match answer {
            Err(Flow::Unsupported(what)) => what,
            _ => panic!("it is unsupported"),
        }
    }

    #[test]
    fn what_a_kind_does_not_say_is_unsupported_by_name() {
        let state = State::new();
        let open = OpenFile {
            number: 9,
            file: 9,
            kind: Kind::Null,
            readable: true,
            writable: true,
        };
        assert_eq!(unsupported(Bare.ready(&state, &open)), "poll on a bare file");
        let available = Bare.available(&state, &open, 1, None);
        assert_eq!(unsupported(available), "read on a bare file");
        assert_eq!(unsupported(Bare.synchronise()), "fsync on a bare file");
        assert_eq!(unsupported(Bare.status(&state, 9)), "stat on a bare file");
    }
}
