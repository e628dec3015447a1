//! Which part of an operation of several actions comes next.
//!
//! An operation that is one action stays at [`Phase::First`]. One of several sets `Core::phase`
//! when a part is performed, and is prepared anew. Each kind of operation has phases of its own, so
//! that a thread's phase says what it is in the middle of, whoever looks at it.

/// The next part of the operation that a thread is in. Part of the thread's fingerprint.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
#[repr(u8)]
pub enum Phase {
    /// The first one: nothing was performed yet.
    #[default]
    First,

    // ---- synchronisation
    /// A wait on a condition variable: in the wait set.
    Waiting,
    /// A wait on a condition variable: out of the wait set, wants the mutex.
    Woken,
    /// A wait on a condition variable: has the mutex, and is cancelled although a signal has woken
    /// it, which goes on to another thread.
    PassesOn,
    /// A barrier: arrived, has to leave.
    Arrived,
    /// A join that may fail: the thread was looked at and has ended.
    ThreadEnded,
    /// A join that could time out, where nothing does: it waits.
    Joins,
    /// A join: done, the thread's result is to be written.
    Joined,
    /// A creation of a thread: its handle was written before.
    Named,
    /// A creation of a thread: done, the handle (`Core::note`) is to be written.
    Created,
    /// `pthread_once`: an exception leaves the routine; the next thread is to try again.
    Thrown,
    /// The guard of a local static: marked as done, the threads that wait are to go on.
    GuardMarked,

    // ---- the end of threads and of the process
    /// A process that exits because its last thread has ended.
    LastEnded,
    /// A process that exits: an exit handler was taken from the list.
    HandlerTaken,
    /// A process that exits: there was no exit handler any more.
    NoHandlerLeft,
    /// A thread without frames: a visible model is to be performed.
    ModelToRun,
    /// The process has exited: it did so with the end of this thread. Others that wait are no
    /// deadlock then, so the state is not the one in which this thread just ended.
    ProcessEnded,

    // ---- library calls
    /// A model that accesses memory element by element: `Core::note` says how many accesses were
    /// performed.
    Accessing,

    // ---- files
    /// A descriptor (all of them, for a poll) was looked up.
    LookedUp,
    /// The descriptors of two directories, from which paths start, were looked up.
    DirectoryFound,
    /// A path was looked up: `Core::note` has the file.
    FileFound,
    /// Descriptors and open files were made: the descriptors are to stand for them.
    Reserved,
    /// `flock`: a lock of another kind was given up, the new one is to be got.
    LockGivenUp,
    /// `dup2`: the descriptor stands for another open file, the old one is to be given up.
    Replaced,
    /// `close`: the descriptor stands for nothing, the open file is to be given up.
    GivenUp,
    /// `close`: the listening socket (`Core::note`) is closed, the first connection that nobody has
    /// accepted is to be refused.
    Refusing,

    /// A connection or datagram: the socket of its address (`Core::note`) was found.
    PeerFound,
    /// A connection was accepted: it is to get a descriptor.
    Accepted,

    // ---- streams
    /// The descriptor is to be looked up, then the buffer filled.
    LookToFill,
    /// The buffer is to be filled.
    Fill,
    /// The descriptor is to be looked up, then the buffer flushed.
    LookToFlush,
    /// The buffer is to be flushed.
    Flush,
    /// The descriptor is to be looked up, then the position moved.
    LookToSeek,
    /// The position is to be moved.
    Seek,
    /// The call's work goes on.
    GoOn,
    /// The call's work goes on after a failure.
    GoOnFailed,
    /// The descriptor is to be closed.
    Close,
    /// The open file is to be given up.
    Drop,
    /// The stream is to be given back for the last time.
    End,
}
