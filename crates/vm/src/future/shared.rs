//! What following a thread has met so far: the memory that it shares with others.

use super::effects::{Arrival, Effects};
use super::stores::{Added, Origin, Stores};
use super::touch::{Goal, Touch};
use super::value::{Abstract, Span};
use rustc_hash::FxHashSet;

/// The maximum number of accesses of one thread.
const MOST_TOUCHES: usize = 1024;

/// Bytes that were read.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
struct Read {
    by: Origin,
    from: u64,
    to: u64,
}

/// See the module's documentation.
#[derive(Debug, Default)]
pub(super) struct Shared {
    stores: Stores,
    /// The ranges of bytes that were read.
    reads: FxHashSet<Read>,
    touches: FxHashSet<Touch>,
    relied: Vec<u64>,
    arrivals: Vec<Arrival>,
    /// The number of times that the thread was followed.
    time: u32,
    /// True if the thread has to be followed again, because a value that it read has since become
    /// larger.
    stale: bool,
    /// The access of the question. If it meets another one, nothing more is of interest.
    goal: Option<Goal>,
    /// True if it has met one.
    met: bool,
    /// True if it may do anything, or nothing more is of interest.
    wild: bool,
    /// True if something may be read anywhere.
    reads_anywhere: bool,
}

impl Shared {
    /// Nothing was met yet.
    pub(super) fn about(goal: Option<Goal>) -> Shared {
        Shared {
            goal,
            ..Shared::default()
        }
    }

    /// Begins to follow the thread, for the first time or again.
    pub(super) fn begin(&mut self) {
        self.reads.clear();
        self.touches.clear();
        self.arrivals.clear();
        self.stale = false;
        self.time += 1;
    }

    /// True if the thread may do anything, or nothing more is of interest.
    pub(super) const fn is_wild(&self) -> bool {
        self.wild
    }

    pub(super) fn do_anything(&mut self) {
        self.wild = true;
    }

    /// True if the thread has to be followed again.
    pub(super) const fn is_stale(&self) -> bool {
        self.stale
    }

    /// The thread has to be followed again.
    pub(super) fn follow_again(&mut self) {
        self.stale = true;
    }

    /// Records that something may be read anywhere.
    pub(super) fn read_anything(&mut self) {
        self.reads_anywhere = true;
        self.met |= self.goal.is_some_and(|goal| goal.write);
        self.wild |= self.met;
    }

    /// Records that the thread does not get past a lock or a barrier.
    pub(super) fn rely(&mut self, object: u64) {
        if !self.relied.contains(&object) {
            self.relied.push(object);
        }
    }

    pub(super) fn arrive(&mut self, arrival: Arrival) {
        self.arrivals.push(arrival);
    }

    pub(super) fn touch(&mut self, touch: Touch) {
        if self.touches.insert(touch) {
            self.met |= self.goal.is_some_and(|goal| goal.meets(&touch));
            self.wild |= self.met || self.touches.len() > MOST_TOUCHES;
        }
    }

    /// Records that a value may be stored.
    pub(super) fn store(
        &mut self,
        by: Origin,
        (at, size): (Span, u64),
        value: Abstract,
        end: impl Fn(u64) -> Option<u64>,
    ) {
        match self.stores.add(by, (at, size), value, self.time, end) {
            Added::Known => return,
            Added::TooMany => self.wild = true,
            Added::New => {}
        }
        let (from, to) = (at.lo, at.hi.saturating_add(size));
        if !self.stale {
            let mut reads = self.reads.iter();
            self.stale = reads.any(|r| r.from < to && from < r.to && !r.by.knows(by));
        }
    }

    /// The values that the thread may have stored in `size` bytes at one of the addresses, without
    /// those that it knows itself; `None` if nothing was stored.
    pub(super) fn load(&mut self, by: Origin, place: (Span, u64)) -> Option<Abstract> {
        let (at, size) = place;
        let (from, to) = (at.lo, at.hi.saturating_add(size));
        self.reads.insert(Read { by, from, to });
        self.stores.load(place, |store| by.knows(store))
    }

    /// What the thread may do.
    pub(super) fn finish(self) -> Effects {
        if self.wild {
            return Effects {
                met: self.met,
                ..Effects::anything()
            };
        }
        let mut reads: Vec<(u64, u64)> = self.reads.iter().map(|read| (read.from, read.to)).collect();
        reads.sort_unstable();
        reads.dedup();
        let mut touches: Vec<Touch> = self.touches.into_iter().collect();
        touches.sort_unstable();
        Effects {
            met: false,
            anything: false,
            touches,
            reads_anywhere: self.reads_anywhere,
            reads,
            stores: self.stores,
            relied: self.relied,
            arrivals: self.arrivals,
        }
    }
}
