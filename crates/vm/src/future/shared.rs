//! What memory may hold besides its present contents, and which of its bytes are accessed.

use super::value::{Abstract, Span};
use rustc_hash::FxHashSet;
use selvedge_base::{Id, ThreadId};

/// The maximum number of places that are distinguished.
const MOST_STORES: usize = 256;
const MOST_TOUCHES: usize = 1024;
/// The number of different values of a place after which they are widened.
const PATIENCE: u32 = 4;

/// An access that may happen: `size` bytes at each of the addresses.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(super) struct Touch {
    pub(super) at: Span,
    pub(super) size: u64,
    pub(super) write: bool,
    /// By an operation on a synchronisation object, which does not change the kind of the object.
    pub(super) sync: bool,
    /// It is a wait at a barrier, which commutes with leaving the barrier.
    pub(super) barrier: bool,
}

impl Touch {
    /// True if it may access one of `size` bytes from an address.
    pub(super) fn meets(&self, address: u64, size: u64) -> bool {
        let (first, end) = (self.at.lo, self.at.hi.saturating_add(self.size));
        if end <= address || address.saturating_add(size) <= first {
            return false;
        }
        if self.at.stride == 0 {
            return true;
        }
        if address <= first {
            return true; // the first of them does
        }
        let behind = (address - first) % self.at.stride;
        // The last access that begins at or before the address, and the next one, if there is one.
        let last = address - behind;
        last <= self.at.hi && behind < self.size
            || last.saturating_add(self.at.stride) <= self.at.hi && self.at.stride - behind < size
            || last > self.at.hi && address - self.at.hi < self.size
    }
}

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
    fn knows(self, store: Origin) -> bool {
        self.thread.is_some() && self.thread == store.thread && (self.straight || store.straight)
    }
}

/// Values that may be stored at each of the addresses.
#[derive(Clone, Copy, Debug)]
struct Stored {
    by: Origin,
    at: Span,
    size: u64,
    value: Abstract,
    /// The number of different values; on one path, the number of times that it was followed with
    /// different values.
    changes: u32,
    /// The number of threads that had been followed when the value last changed.
    changed: u32,
}

/// Bytes that were read.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
struct Read {
    by: Origin,
    from: u64,
    to: u64,
}

/// An access about which the question is.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Goal {
    pub(crate) address: u64,
    pub(crate) size: u64,
    pub(crate) write: bool,
}

/// What following one thread, and the threads that it creates, has met.
#[derive(Debug, Default)]
struct Met {
    /// The ranges of bytes that were read.
    reads: FxHashSet<Read>,
    touches: FxHashSet<Touch>,
    /// True if the thread has to be followed again, because a value that was read has since become
    /// larger.
    stale: bool,
}

/// What all other threads may do to memory before the observed thread moves.
#[derive(Debug, Default)]
pub(super) struct Shared {
    stores: Vec<Stored>,
    /// By thread.
    threads: Vec<Met>,
    /// The number of the thread that is followed.
    current: usize,
    /// The number of times that a thread was followed.
    round: u32,
    /// The access about which the question is. If it meets another one, nothing more is of
    /// interest.
    goal: Option<Goal>,
    /// True if it has met one.
    met: bool,
    /// True if anything may be written anywhere, or nothing more is of interest.
    wild: bool,
    /// True if something may be read anywhere.
    reads_anywhere: bool,
}

fn range(at: Span, size: u64) -> (u64, u64) {
    (at.lo, at.hi.saturating_add(size))
}

impl Shared {
    /// Nothing is known yet of so many threads.
    pub(super) fn about(goal: Option<Goal>, threads: usize) -> Shared {
        let unknown = || Met {
            stale: true,
            ..Met::default()
        };
        Shared {
            goal,
            threads: std::iter::repeat_with(unknown).take(threads).collect(),
            ..Shared::default()
        }
    }

    /// True if nothing is known of what is written.
    pub(super) const fn is_wild(&self) -> bool {
        self.wild
    }

    pub(super) fn write_anything(&mut self) {
        self.wild = true;
    }

    /// True if following has ended because the access of the question meets another one.
    pub(super) const fn has_met(&self) -> bool {
        self.met
    }

    /// True if a thread has to be followed, for the first time or again.
    pub(super) fn is_stale(&self, thread: ThreadId) -> bool {
        self.threads[thread.index()].stale
    }

    /// Begins to follow a thread.
    pub(super) fn begin(&mut self, thread: ThreadId) {
        self.current = thread.index();
        self.round += 1;
        let met = &mut self.threads[self.current];
        met.reads.clear();
        met.touches.clear();
        met.stale = false;
    }

    /// The followed thread has to be followed again.
    pub(super) fn follow_again(&mut self) {
        self.threads[self.current].stale = true;
    }

    /// Each thread has to be followed again.
    pub(super) fn follow_all_again(&mut self) {
        self.threads.iter_mut().for_each(|met| met.stale = true);
    }

    /// True if both have the same accesses.
    #[cfg(feature = "laboratory")]
    pub(super) fn is_same(&self, other: &Shared) -> bool {
        let touches = |shared: &Shared| shared.touches().copied().collect::<FxHashSet<Touch>>();
        touches(self) == touches(other) && self.reads_anywhere == other.reads_anywhere
    }

    /// Forgets what is of no use after the last round.
    pub(super) fn finish(&mut self) {
        self.stores = Vec::new();
    }

    /// The number of accesses that are stored.
    pub(super) fn size(&self) -> usize {
        let threads = self.threads.iter();
        threads.map(|met| met.touches.len() + met.reads.len()).sum()
    }

    /// The accesses.
    pub(super) fn touches(&self) -> impl Iterator<Item = &Touch> {
        self.threads.iter().flat_map(|met| &met.touches)
    }

    /// True if something may be read anywhere.
    pub(super) const fn reads_anywhere(&self) -> bool {
        self.reads_anywhere
    }

    /// Records that something may be read anywhere.
    pub(super) fn read_anything(&mut self) {
        self.reads_anywhere = true;
        self.met |= self.goal.is_some_and(|goal| goal.write);
        self.wild |= self.met;
    }

    /// True if `is_same` holds of each range of bytes that was read.
    pub(super) fn is_unchanged(&self, is_same: impl Fn(u64, u64) -> bool) -> bool {
        let mut reads = self.threads.iter().flat_map(|met| &met.reads);
        reads.all(|read| is_same(read.from, read.to - read.from))
    }

    pub(super) fn touch(&mut self, touch: Touch) {
        let touches = &mut self.threads[self.current].touches;
        if !touches.insert(touch) {
            return;
        }
        self.wild |= touches.len() > MOST_TOUCHES;
        let meets = |goal: Goal| (goal.write || touch.write) && touch.meets(goal.address, goal.size);
        self.met |= self.goal.is_some_and(meets);
        self.wild |= self.met;
    }

    /// Records that a value may be stored.
    pub(super) fn store(
        &mut self,
        by: Origin,
        (at, size): (Span, u64),
        value: Abstract,
        end: impl Fn(u64) -> Option<u64>,
    ) {
        let bytes = range(at, size);
        let mut known = self.stores.iter();
        let known = known.position(|s| s.at == at && s.size == size && s.by == by);
        match known {
            Some(known) => {
                let stored = &mut self.stores[known];
                let joined = match stored.changes < PATIENCE {
                    true => stored.value.join(value),
                    false => stored.value.widen(value, end),
                };
                if joined == stored.value {
                    return;
                }
                stored.value = joined;
                // A path is not long.
                stored.changes += u32::from(!by.straight || stored.changed != self.round);
                stored.changed = self.round;
            }
            None if self.stores.len() >= MOST_STORES => {
                self.wild = true;
                return;
            }
            None => self.stores.push(Stored {
                by,
                at,
                size,
                value,
                changes: 0,
                changed: self.round,
            }),
        }
        for met in self.threads.iter_mut().filter(|met| !met.stale) {
            let mut reads = met.reads.iter();
            met.stale = reads.any(|r| r.from < bytes.1 && bytes.0 < r.to && !r.by.knows(by));
        }
    }

    /// The values that may have been stored in `size` bytes at one of the addresses, without those
    /// that the thread itself knows; `None` if nothing was stored.
    pub(super) fn load(&mut self, by: Origin, at: Span, size: u64) -> Option<Abstract> {
        if self.wild {
            return Some(Abstract::Any);
        }
        let bytes = range(at, size);
        let (from, to) = bytes;
        let reads = &mut self.threads[self.current].reads;
        reads.insert(Read { by, from, to });
        let mut value: Option<Abstract> = None;
        for stored in &self.stores {
            let (from, to) = range(stored.at, stored.size);
            if to <= bytes.0 || bytes.1 <= from || by.knows(stored.by) {
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn accesses_meet_where_they_have_a_byte_in_common() {
        let mut rng = fastrand::Rng::with_seed(5);
        let mut met = [0; 2];
        for _ in 0..50_000 {
            let (lo, steps) = (rng.u64(..60), rng.u64(..5));
            let stride = rng.u64(1..20);
            let at = Span::new(lo, lo + steps * stride, stride);
            let (size, address, bytes) = (rng.u64(1..12), rng.u64(..120), rng.u64(1..12));
            let touch = Touch {
                at,
                size,
                write: true,
                sync: false,
                barrier: false,
            };
            let mut starts = (0..=steps).map(|n| lo + n * stride);
            let expected = starts.any(|from| from < address + bytes && address < from + size);
            assert_eq!(
                touch.meets(address, bytes),
                expected,
                "{touch:?} {address} {bytes}"
            );
            met[usize::from(expected)] += 1;
        }
        assert!(met.iter().all(|&n| n > 5_000), "{met:?}");
    }
}
