//! What passes over the ir tell the machine of a channel of Rust's standard library.

/// Functions that begin and end an operation of a channel, of which all is one step: `(channel,
/// until, mark)` and `()`. The channel is the address of the word of the receivers, the second
/// argument an [`Until`], the third the distance to the word that holds the mark, or 0: then the
/// mark is 1. The machine implements them. Only passes over the ir insert calls.
pub const CHANNEL: [&str; 2] = ["__selvedge_channel_begin", "__selvedge_channel_end"];

/// The distance from the word of the receivers to that of the senders, in bytes.
pub const CHANNEL_TAIL: u64 = 128;

/// What an operation of a channel waits for.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Until {
    /// Nothing.
    Now = 0,
    /// A channel without a limit has a message, or has no sender any more.
    Message = 1,
    /// The same, of a channel with a limit.
    LimitedMessage = 2,
    /// A channel with a limit has room, or has no receiver any more.
    Room = 3,
}

impl Until {
    /// What a number stands for.
    pub fn of(number: u64) -> Option<Until> {
        [Until::Now, Until::Message, Until::LimitedMessage, Until::Room]
            .into_iter()
            .find(|&until| until as u64 == number)
    }
}
