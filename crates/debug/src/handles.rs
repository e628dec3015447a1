//! Numbers that a client has for frames, scopes and values. They hold until the session moves on:
//! numbers of before are then known to be old, and never mean something else.

use crate::value::Term;
use selvedge_base::ThreadId;

/// Clients may keep numbers as signed 32-bit integers.
const MOST: u64 = 0x7fff_ffff;

/// What a number stands for.
#[derive(Clone, Debug)]
pub(crate) enum Handle {
    /// A call that is active: the thread, and the frame if there is one.
    Frame(ThreadId, Option<usize>),
    /// The variables of a call.
    Locals(ThreadId, usize),
    /// Global variables.
    Globals,
    /// Thread-local variables.
    ThreadLocals(ThreadId),
    /// What is known of a thread: for what it waits, its locks.
    State(ThreadId),
    /// A value with parts.
    Term(Term),
}

/// The numbers of the present stop.
pub(crate) struct Handles {
    first: u64,
    all: Vec<Handle>,
}

impl Handles {
    pub(crate) fn new() -> Handles {
        Handles {
            first: 1,
            all: Vec::new(),
        }
    }

    /// Gives a number.
    pub(crate) fn add(&mut self, handle: Handle) -> u64 {
        self.all.push(handle);
        self.first + self.all.len() as u64 - 1
    }

    /// What a number stands for, if it is of the present stop.
    pub(crate) fn get(&self, number: u64) -> Option<&Handle> {
        let index = usize::try_from(number.checked_sub(self.first)?).ok()?;
        self.all.get(index)
    }

    /// From now on all numbers are old.
    pub(crate) fn forget(&mut self) {
        self.first += self.all.len() as u64;
        self.all.clear();
        if self.first > MOST / 2 {
            self.first = 1;
        }
    }
}
