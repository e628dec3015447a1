//! Sets of descriptors to wait for: `epoll`.
//!
//! The set is a list of entries in hidden words, in the order in which they were added: what is
//! waited for, and for which events. What the program wants to be told with an entry (`epoll_data`)
//! may be partly undefined, so it lies in an object of memory, as contents do. A file in no set any
//! more descriptor stands for leaves all sets.
//!
//! A set can be read if an entry is ready. So `epoll_wait` is a poll of the set itself (`poll.rs`),
//! and a set may be polled like other files. Threads that wait see changes of the set.
//!
//! Happens-before: a change of a set happens before a wait that ends later, as ThreadSanitizer has
//! it.
//!
//! Unsupported: sets in sets, `EPOLLET`, `EPOLLEXCLUSIVE`, and more entries than a poll may have.

use crate::hidden::HiddenObject;
use crate::libc::files::content;
use crate::libc::files::description::{FileDescription, Readiness, Status};
use crate::libc::files::errno::EINVAL;
use crate::libc::files::polled::Pin;
use crate::libc::files::table::{self, Kind, OpenFile};
use crate::native::{Cx, Stop};
use crate::state::State;
use crate::word::{MAX_PINNED, WordKey};
use selvedge_model::ObjectId;

/// Sets of descriptors; see the documentation of the module.
pub(in crate::libc::files) const EPOLL: Epoll = Epoll;

/// Sets of descriptors; see the documentation of the module.
pub(in crate::libc::files) struct Epoll;

/// The most entries of a set.
pub(super) const MOST: u32 = MAX_PINNED;
/// The size of what the program is told with an entry.
const DATA: u64 = 8;

/// An entry: a descriptor, the open file that it stood for, and the events that are waited for.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Interest {
    pub fd: u32,
    pub open: u32,
    /// The events of a poll, and `EPOLLONESHOT`; 0 after an entry of one shot was reported.
    pub events: u32,
}

/// An entry is reported once.
pub(super) const ONE_SHOT: u32 = 1 << 30;

impl Interest {
    fn word(self) -> u64 {
        (u64::from(self.open) + 1) | u64::from(self.fd) << 20 | u64::from(self.events) << 32
    }

    fn of(word: u64) -> Option<Interest> {
        (word != 0).then(|| Interest {
            fd: (word >> 20) as u32 & 0xfff,
            open: (word as u32 & 0xf_ffff) - 1,
            events: (word >> 32) as u32,
        })
    }

    /// The events of the entry that are there now. None after one shot.
    fn answer(self, state: &State) -> Result<u16, Stop> {
        match self.events & !ONE_SHOT {
            0 if self.events & ONE_SHOT != 0 => Ok(0),
            events => Pin::Open(self.open, events as u16).answer(state),
        }
    }
}

/// The entry at an index.
fn interest(state: &State, file: u32, index: u32) -> Option<Interest> {
    Interest::of(state.word(WordKey::Interest(file, index)))
}

pub(super) fn set_interest(state: &mut State, file: u32, index: u32, interest: Option<Interest>) {
    state.set_word(WordKey::Interest(file, index), interest.map_or(0, Interest::word));
}

/// The entries of a set, with their indexes.
pub(super) fn interests(state: &State, file: u32) -> impl Iterator<Item = (u32, Interest)> + '_ {
    (0..MOST).map_while(move |index| Some((index, interest(state, file, index)?)))
}

/// The place of what the program is told with an entry.
pub(super) fn data(state: &State, file: u32, index: u32) -> u64 {
    table::content(state, file) + DATA * u64::from(index)
}

/// Makes room for what the program is told.
pub(super) fn make(cx: &mut Cx<'_>, file: u32) -> Result<(), Stop> {
    let content = content::allocate(cx, DATA * u64::from(MOST))?;
    table::set_content(cx.state, file, content);
    Ok(())
}

/// Removes an entry. Those behind it move up.
pub(super) fn remove(state: &mut State, file: u32, index: u32) {
    let mut at = index;
    while let Some(next) = interest(state, file, at + 1).filter(|_| at + 1 < MOST) {
        set_interest(state, file, at, Some(next));
        let (to, from) = (data(state, file, at), data(state, file, at + 1));
        state.memory.copy(to, from, DATA);
        at += 1;
    }
    set_interest(state, file, at, None);
}

/// All sets.
fn sets(state: &State) -> impl Iterator<Item = u32> + '_ {
    table::files(state).filter(|&file| table::kind(state, file) == Kind::Epoll)
}

/// Removes an open file that was closed from all sets.
pub(in crate::libc::files) fn forget(state: &mut State, open: u32) {
    let all: Vec<u32> = sets(state).collect();
    for &file in &all {
        let found = |state: &State| interests(state, file).find(|(_, it)| it.open == open);
        while let Some((index, _)) = found(state) {
            remove(state, file, index);
        }
    }
    if !all.is_empty() {
        table::mark_gone(state, open);
    }
}

/// The entries with events, and these: `(index, events)`, at most so many. Entries of one shot are
/// then done.
pub(in crate::libc::files) fn report(
    state: &mut State,
    file: u32,
    most: usize,
) -> Result<Vec<(u64, u16)>, Stop> {
    let mut ready = Vec::new();
    for (index, it) in interests(state, file).collect::<Vec<_>>() {
        let answer = it.answer(state)?;
        if answer == 0 || ready.len() == most {
            continue;
        }
        ready.push((data(state, file, index), answer));
        if it.events & ONE_SHOT != 0 {
            let done = Interest {
                events: ONE_SHOT,
                ..it
            };
            set_interest(state, file, index, Some(done));
        }
    }
    Ok(ready)
}

impl FileDescription for Epoll {
    fn what(&self) -> &'static str {
        "a set of descriptors (epoll)"
    }

    fn status(&self, _: &State, _: u32) -> Result<Status, Stop> {
        Ok(Status::ANONYMOUS)
    }

    fn woken_by(&self, file: u32) -> Option<ObjectId> {
        Some(HiddenObject::File(file).id())
    }

    fn is_open_to_others(&self, state: &State, open: &OpenFile) -> bool {
        interests(state, open.file).any(|(_, it)| {
            let member = table::open_file(state, it.open);
            member.description().is_open_to_others(state, &member)
        })
    }

    fn members(&self, state: &State, open: &OpenFile) -> Vec<(u32, u16)> {
        let waited_for = interests(state, open.file).filter(|(_, it)| it.events & !ONE_SHOT != 0);
        waited_for.map(|(_, it)| (it.open, it.events as u16)).collect()
    }

    fn refuses(&self, _: u64) -> Option<i32> {
        Some(EINVAL) // a set is neither read nor written
    }

    fn ready(&self, state: &State, open: &OpenFile) -> Result<Readiness, Stop> {
        let mut readable = false;
        for (_, it) in interests(state, open.file) {
            readable |= it.answer(state)? != 0;
        }
        Ok(Readiness {
            readable,
            ..Readiness::default()
        })
    }
}
