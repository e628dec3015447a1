//! What memory may hold besides its present contents.

use super::value::{Abstract, Span};
use selvedge_base::ThreadId;

/// The maximum number of places that are distinguished.
const MOST: usize = 256;
/// The number of different values of a place after which they are widened.
const PATIENCE: u32 = 4;

/// Where a load or a store is.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(super) struct Origin {
    /// The thread; `None` for one that does not exist yet.
    pub(super) thread: Option<ThreadId>,
    /// True on the path on which each branch was decided (`own.rs`).
    pub(super) straight: bool,
}

impl Origin {
    /// True if a load here need not see a store, because the thread itself knows what it has stored
    /// before: one of the two is on the thread's only path.
    pub(super) fn knows(self, store: Origin) -> bool {
        self.thread.is_some() && self.thread == store.thread && (self.straight || store.straight)
    }
}

/// Values that may be stored at each of the addresses.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
struct Stored {
    by: Origin,
    at: Span,
    size: u64,
    value: Abstract,
    /// The number of different values; on one path, the number of times that it was followed with
    /// different values.
    changes: u32,
    /// The number of times that the thread had been followed when the value last changed.
    changed: u32,
}

/// What became of a store.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Added {
    /// The value was known.
    Known,
    /// The place or the value is new.
    New,
    /// There are too many places.
    TooMany,
}

/// The stores of one thread, and of threads that it creates.
#[derive(Clone, PartialEq, Eq, Hash, Default, Debug)]
pub(super) struct Stores(Vec<Stored>);

impl Stores {
    pub(super) const fn len(&self) -> usize {
        self.0.len()
    }

    /// Adds a store that is made when the thread is followed for this time.
    pub(super) fn add(
        &mut self,
        by: Origin,
        (at, size): (Span, u64),
        value: Abstract,
        time: u32,
        end: impl Fn(u64) -> Option<u64>,
    ) -> Added {
        let known = self
            .0
            .iter_mut()
            .find(|s| s.at == at && s.size == size && s.by == by);
        let Some(stored) = known else {
            if self.0.len() >= MOST {
                return Added::TooMany;
            }
            self.0.push(Stored {
                by,
                at,
                size,
                value,
                changes: 0,
                changed: time,
            });
            return Added::New;
        };
        let joined = match stored.changes < PATIENCE {
            true => stored.value.join(value),
            false => stored.value.widen(value, end),
        };
        if joined == stored.value {
            return Added::Known;
        }
        stored.value = joined;
        // A path is not long.
        stored.changes += u32::from(!by.straight || stored.changed != time);
        stored.changed = time;
        Added::New
    }

    /// Adds all stores of the thread as they were when others stored less. So values that grow
    /// from time to time are widened. Returns false if there are too many places.
    pub(super) fn add_earlier(&mut self, earlier: &Stores, end: impl Fn(u64) -> Option<u64>) -> bool {
        for stored in std::mem::replace(&mut self.0, earlier.0.clone()) {
            let place = (stored.at, stored.size);
            if self.add(stored.by, place, stored.value, u32::MAX, &end) == Added::TooMany {
                return false;
            }
        }
        // The next time is another one.
        for stored in &mut self.0 {
            stored.changed = 0;
        }
        true
    }

    /// The values that may have been stored in `size` bytes at one of the addresses; `None` if
    /// nothing was stored. `knows`: the stores that need not be seen.
    pub(super) fn load(&self, (at, size): (Span, u64), knows: impl Fn(Origin) -> bool) -> Option<Abstract> {
        let (first, end) = (at.lo, at.hi.saturating_add(size));
        let mut value: Option<Abstract> = None;
        for stored in &self.0 {
            let (from, to) = stored.range();
            if to <= first || end <= from || knows(stored.by) {
                continue;
            }
            let fits = |n: u64| n.is_multiple_of(size);
            let whole = stored.size == size
                && fits(stored.at.lo.abs_diff(at.lo))
                && fits(stored.at.stride)
                && fits(at.stride);
            let stored = if whole { stored.value } else { Abstract::Any };
            value = Some(value.map_or(stored, |value| value.join(stored)));
        }
        value
    }
}

impl Stored {
    fn range(&self) -> (u64, u64) {
        (self.at.lo, self.at.hi.saturating_add(self.size))
    }
}
