//! What a kind of file is to the operations on it.
//!
//! A [`FileDescription`] has no state of its own: what is known of a file lies in hidden words and
//! in the machine's memory, so that it is part of the state, its fingerprint and its undo log. What
//! a kind does not say is unsupported, by the name of the operation and of the kind.
//!
//! Operations (`transfer`, `streams`, `poll`, …) choose the action, wait, and access the program's
//! memory; a description says whether the operation can go on, and performs it. `docs/recipes.md`
//! says how to add a kind.

use super::table::OpenFile;
use crate::native::{Cx, Flow, Stop};
use crate::state::State;
use selvedge_model::ObjectId;

/// What an operation comes to: a value or an error number, or how the thread goes on instead.
pub(super) type Answer<T> = Result<Result<T, i32>, Stop>;

/// What could be done with an open file without waiting.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub(super) struct Readiness {
    /// There is something to read, or an end that is not a hang-up.
    pub readable: bool,
    /// There is room to write.
    pub writable: bool,
    /// What is written comes to nobody.
    pub error: bool,
    /// Nobody writes any more.
    pub hangup: bool,
    /// The other end of a stream writes no more (`POLLRDHUP`).
    pub ended: bool,
}

/// Bytes to be written, already checked.
#[derive(Clone, Copy, Debug)]
pub(super) struct Bytes {
    /// Where they are.
    pub from: u64,
    /// How many are left.
    pub count: u64,
    /// How many the whole write has.
    pub whole: u64,
    /// They lie in a stream's buffer, not in memory of the program.
    pub buffered: bool,
}

/// What came of a write.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Written {
    /// So many bytes were written, and that is all.
    All(u64),
    /// So many were written, and the rest waits for room.
    Part(u64),
}

/// What `stat` says of a file.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Status {
    /// The type of the file, as in `st_mode`.
    pub format: u64,
    /// Its length.
    pub length: u64,
}

/// A kind of file.
pub(super) trait FileDescription: Sync {
    /// What a file of this kind is, with an article.
    fn what(&self) -> &'static str;

    // ---- who can tell
    // ---------------------------------------------------------------------------------------------

    /// Whether other threads can tell that something was read or written: then it is an action.
    fn is_shared(&self) -> bool {
        true
    }

    /// The object whose actions may end a wait for this file, to read, to write or by a poll; none
    /// if its readiness never changes and its operations never wait.
    fn woken_by(&self, file: u32) -> Option<ObjectId>;

    /// The file whose readers get what is written to this one, if it is another one: writing to it,
    /// and closing it, is an action on both.
    fn reaches(&self, state: &State, file: u32) -> Option<u32> {
        let _ = (state, file);
        None
    }

    /// Whether closing it gives an address back, which lies in the table of descriptors and names.
    fn gives_name_back(&self, state: &State, file: u32) -> bool {
        let _ = (state, file);
        false
    }

    /// Whether somebody outside the program could end a wait for it, to read or by a poll.
    fn is_open_to_others(&self, state: &State, open: &OpenFile) -> bool {
        let _ = (state, open);
        false
    }

    /// What could be done now without waiting. It changes by actions on [`woken_by`] only.
    ///
    /// [`woken_by`]: FileDescription::woken_by
    fn ready(&self, state: &State, open: &OpenFile) -> Result<Readiness, Stop> {
        let _ = (state, open);
        Err(self.unsupported("poll"))
    }

    // ---- open files
    // ---------------------------------------------------------------------------------------------

    /// An open file was made.
    fn opened(&self, state: &mut State, open: &OpenFile) {
        let _ = (state, open);
    }

    /// No descriptor stands for an open file any more.
    fn closed(&self, cx: &mut Cx<'_>, open: &OpenFile) -> Result<(), Stop> {
        let _ = (cx, open);
        Ok(())
    }

    /// It was opened to be written, with `O_TRUNC`.
    fn emptied(&self, cx: &mut Cx<'_>, file: u32) -> Result<(), Stop> {
        let _ = (cx, file);
        Err(self.unsupported("O_TRUNC"))
    }

    /// What `F_GETFL` adds to its access and its flags.
    fn constant_flags(&self) -> u64 {
        0
    }

    /// What `F_GETPIPE_SZ` answers, if it is a pipe.
    fn pipe_size(&self) -> Option<u64> {
        None
    }

    // ---- reading and writing
    // ---------------------------------------------------------------------------------------------

    /// Whether `pread` and `pwrite` may give a position.
    fn takes_positions(&self) -> bool {
        false
    }

    /// An error number if so many bytes cannot be read or written at once, whatever is in the file.
    fn refuses(&self, count: u64) -> Option<i32> {
        let _ = count;
        None
    }

    /// Whether reading gets something, or an answer that there is nothing, without waiting.
    fn can_read(&self, state: &State, open: &OpenFile) -> bool {
        let _ = (state, open);
        true
    }

    /// What a thread is doing that waits for [`can_read`](FileDescription::can_read).
    fn waits_to_read(&self) -> &'static str {
        "waits for data"
    }

    /// How many of `count` bytes a read gets, from its position or from another one.
    fn available(&self, state: &State, open: &OpenFile, count: u64, at: Option<u64>) -> Answer<u64> {
        let _ = (state, open, count, at);
        Err(self.unsupported("read"))
    }

    /// The program was told the error that [`available`](FileDescription::available) answered.
    fn told(&self, state: &mut State, open: &OpenFile) {
        let _ = (state, open);
    }

    /// Reads bytes that are available into memory, already checked.
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

    /// Whether a write does something, or answers that it cannot, without waiting for this much
    /// room.
    fn can_write(&self, state: &State, open: &OpenFile, room: u64) -> bool {
        let _ = (state, open, room);
        true
    }

    /// What a thread is doing that waits for [`can_write`](FileDescription::can_write).
    fn waits_to_write(&self) -> &'static str {
        "waits for room"
    }

    /// How much room a write of so many bytes waits for.
    fn needed(&self, count: u64) -> u64 {
        count
    }

    /// Writes as many bytes as there is room for, at its position or at another one.
    fn write(&self, cx: &mut Cx<'_>, open: &OpenFile, bytes: Bytes, at: Option<u64>) -> Answer<Written> {
        let _ = (cx, open, bytes, at);
        Err(self.unsupported("write"))
    }

    /// Writes a text that lies in no memory of the program, while there is one thread.
    fn print(&self, cx: &mut Cx<'_>, open: &OpenFile, text: &[u8]) -> Result<(), Stop> {
        let _ = (cx, open, text);
        Err(self.unsupported("formatted output"))
    }

    // ---- the rest
    // ---------------------------------------------------------------------------------------------

    /// Moves the position; where it came to.
    fn seek(&self, cx: &mut Cx<'_>, open: &OpenFile, offset: i64, whence: i32) -> Answer<u64> {
        let _ = (cx, open, offset, whence);
        Err(self.unsupported("lseek"))
    }

    /// Cuts it off, or extends it.
    fn truncate(&self, cx: &mut Cx<'_>, open: &OpenFile, length: u64) -> Answer<()> {
        let _ = (cx, open, length);
        Err(self.unsupported("ftruncate"))
    }

    /// Writes it through to the disk.
    fn synchronise(&self) -> Answer<()> {
        Err(self.unsupported("fsync"))
    }

    /// What `stat` says of it.
    fn status(&self, state: &State, file: u32) -> Result<Status, Stop> {
        let _ = (state, file);
        Err(self.unsupported("stat"))
    }

    /// What to say of an operation that this kind does not have.
    fn unsupported(&self, operation: &str) -> Stop {
        Flow::Unsupported(format!("{operation} on {}", self.what()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::libc::files::table::Kind;

    /// A kind that says nothing of itself.
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
