//! What a thread that is blocked in an operation on a file waits for.

use selvedge_model::ObjectId;

/// What a blocked thread waits for: `Core::wait[1]`.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Condition {
    /// Something to read in the open file, or its end.
    Data,
    /// Room for so many bytes in the open file.
    Room(u64),
    /// A stream that no other thread has.
    Stream(u32),
    /// One of the open files that a poll has looked up.
    Ready,
    /// A connection to be accepted from the open file.
    Connection,
    /// Room in the list of those that wait to be accepted by a socket.
    Place(u32),
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
            _ => None,
        }
    }
}
