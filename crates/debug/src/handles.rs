//! References that a client uses for frames, scopes and values. A reference is valid until the
//! session moves; after that it is recognised as outdated. References are reused only after about a
//! billion others.

use crate::value::Term;
use selvedge_base::ThreadId;

/// Clients may store references as signed 32-bit integers.
const MOST: u64 = 0x7fff_ffff;

/// The target of a reference.
#[derive(Clone, Debug)]
pub(crate) enum Handle {
    /// An active call: the thread, and the frame if there is one.
    Frame(ThreadId, Option<usize>),
    /// The variables of a call.
    Locals(ThreadId, usize),
    /// Global variables.
    Globals,
    /// Thread-local variables.
    ThreadLocals(ThreadId),
    /// The state of a thread: what it waits for, its locks.
    State(ThreadId),
    /// A value with parts.
    Term(Term),
}

/// The references that belong to the current stop.
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

    /// Adds a handle and returns its reference.
    pub(crate) fn add(&mut self, handle: Handle) -> u64 {
        self.all.push(handle);
        self.first + self.all.len() as u64 - 1
    }

    /// The target of a reference, if the reference belongs to the current stop.
    pub(crate) fn get(&self, number: u64) -> Option<&Handle> {
        let index = usize::try_from(number.checked_sub(self.first)?).ok()?;
        self.all.get(index)
    }

    /// Makes all existing references outdated.
    pub(crate) fn forget(&mut self) {
        self.first += self.all.len() as u64;
        self.all.clear();
        if self.first > MOST / 2 {
            self.first = 1;
        }
    }
}
