//! The conditions that threads wait for in operations on files.

use selvedge_model::ObjectId;

/// The condition that a blocked thread waits for: `Core::wait[1]`.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Condition {
    /// The open file has data to read, or its end.
    Data,
    /// The open file has room for this many bytes.
    Room(u64),
    /// No other thread holds the stream.
    Stream(u32),
    /// One of the open files that a poll has looked up is ready.
    Ready,
    /// A connection waits to be accepted from the open file.
    Connection,
    /// The queue of a listening socket has room.
    Place(u32),
    /// No other open file has a lock that excludes a shared or exclusive (true) one.
    Lock(bool),
}

impl Condition {
    pub fn word(self) -> ObjectId {
        ObjectId(match self {
            Condition::Data => 1,
            Condition::Room(bytes) => 2 | bytes << 8,
            Condition::Stream(stream) => 3 | u64::from(stream) << 8,
            Condition::Ready => 4,
            Condition::Connection => 5,
            Condition::Place(file) => 6 | u64::from(file) << 8,
            Condition::Lock(exclusive) => 7 | u64::from(exclusive) << 8,
        })
    }

    pub fn of(word: ObjectId) -> Option<Condition> {
        match word.0 & 0xff {
            1 => Some(Condition::Data),
            2 => Some(Condition::Room(word.0 >> 8)),
            3 => Some(Condition::Stream((word.0 >> 8) as u32)),
            4 => Some(Condition::Ready),
            5 => Some(Condition::Connection),
            6 => Some(Condition::Place((word.0 >> 8) as u32)),
            7 => Some(Condition::Lock(word.0 >> 8 != 0)),
            _ => None,
        }
    }
}
