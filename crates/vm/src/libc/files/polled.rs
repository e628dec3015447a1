//! The entries that a poll has looked up, and whether one of them is ready.

use super::condition::Condition;
use super::description::Readiness;
use super::table::{self, OpenFile};
use crate::native::Stop;
use crate::state::State;
use crate::word::{MAX_PINNED, WordKey};
use selvedge_base::ThreadId;

pub(super) const IN: u16 = 0x1;
pub(super) const OUT: u16 = 0x4;
pub(super) const ERROR: u16 = 0x8;
pub(super) const HANGUP: u16 = 0x10;
pub(super) const INVALID: u16 = 0x20;
pub(super) const READ_NORMAL: u16 = 0x40;
pub(super) const WRITE_NORMAL: u16 = 0x100;
pub(super) const READ_HANGUP: u16 = 0x2000;

/// An entry of a poll, stored in a hidden word: what its descriptor refers to, and the requested
/// events.
#[derive(Clone, Copy)]
pub(super) enum Pin {
    Ignored,
    Closed,
    Open(u32, u16),
}

impl Pin {
    pub fn word(self) -> u64 {
        match self {
            Pin::Ignored => 0,
            Pin::Closed => 1,
            Pin::Open(open, events) => (u64::from(open) + 2) | u64::from(events) << 32,
        }
    }

    pub fn of(word: u64) -> Pin {
        match word {
            0 => Pin::Ignored,
            1 => Pin::Closed,
            _ => Pin::Open(word as u32 - 2, (word >> 32) as u16),
        }
    }

    /// The current result for the entry.
    pub fn answer(self, state: &State) -> Result<u16, Stop> {
        Ok(match self {
            Pin::Ignored => 0,
            Pin::Closed => INVALID,
            Pin::Open(open, events) => {
                let open = table::open_file(state, open);
                events_of(open.description().ready(state, &open)?) & (events | ERROR | HANGUP)
            }
        })
    }

    /// The open files among those that the entry asks for that time alone makes ready.
    pub fn ripening(self, state: &State) -> Vec<OpenFile> {
        let Pin::Open(open, events) = self else {
            return Vec::new();
        };
        let reads = |events: u16| events & (IN | READ_NORMAL) != 0;
        if !reads(events) {
            return Vec::new();
        }
        let open = table::open_file(state, open);
        let members = open.description().members(state, &open).into_iter();
        let members = members.filter(|(_, events)| reads(*events));
        members
            .map(|(member, _)| table::open_file(state, member))
            .chain([open])
            .filter(|open| open.description().ripens(state, open))
            .collect()
    }

    /// Whether actions of other threads can change the result.
    pub fn may_change(self, state: &State) -> bool {
        match self {
            Pin::Ignored | Pin::Closed => false,
            Pin::Open(open, _) => {
                let open = table::open_file(state, open);
                open.description().woken_by(open.file).is_some()
            }
        }
    }
}

/// Readiness as the events of a poll.
fn events_of(ready: Readiness) -> u16 {
    let when = |holds: bool, events: u16| if holds { events } else { 0 };
    when(ready.readable, IN | READ_NORMAL)
        | when(ready.writable, OUT | WRITE_NORMAL)
        | when(ready.error, ERROR)
        | when(ready.hangup, HANGUP)
        | when(ready.ended, READ_HANGUP)
}

pub(super) fn pin(state: &State, thread: ThreadId, index: u32) -> Pin {
    let region = state.thread(thread).region;
    Pin::of(state.word(WordKey::Pinned(region, index)))
}

/// The entries that a waiting thread has looked up. `Core::note` is their number.
fn pins(state: &State, thread: ThreadId) -> impl Iterator<Item = Pin> + '_ {
    let core = &state.thread(thread).core;
    let count = if Condition::of(core.wait[1]) == Some(Condition::Ready) {
        core.note as u32
    } else {
        0
    };
    (0..count.min(MAX_PINNED)).map(move |index| pin(state, thread, index))
}

/// Whether an entry of a waiting thread is ready, or becomes so by time alone. No entry is
/// unsupported, since each gave a result before the wait.
pub(super) fn is_ready(state: &State, thread: ThreadId) -> bool {
    pins(state, thread)
        .any(|pin| pin.answer(state).is_ok_and(|answer| answer != 0) || !pin.ripening(state).is_empty())
}

/// Whether another process could make an entry of a waiting thread ready.
pub(super) fn is_open_to_others(state: &State, thread: ThreadId) -> bool {
    pins(state, thread).any(|pin| match pin {
        Pin::Open(open, _) => {
            let open = table::open_file(state, open);
            open.description().is_open_to_others(state, &open)
        }
        Pin::Ignored | Pin::Closed => false,
    })
}

/// Whether a waiting thread has looked up an open file.
pub(super) fn has_pinned(state: &State, thread: ThreadId, open: u32) -> bool {
    pins(state, thread).any(|pin| matches!(pin, Pin::Open(it, _) if it == open))
}
