//! A digest of the accesses that the detector holds: those with which a later access may race.
//!
//! An access races with each later access that conflicts with it and does not acquire a clock that
//! covers it. Which later threads acquire such a clock follows from the clocks that cover the
//! access now, and from later events. So for each access the digest contains its place, kind,
//! thread and statement, and the *names* of the clocks that cover it. Ticks and numbers of threads,
//! objects and clocks depend on the interleaving and are left out. Locks and calling contexts are
//! left out, too, because only the texts of reports depend on them.
//!
//! Accesses to few bytes that the same clocks cover are taken together, as a sum over their places,
//! kinds and statements ([`sums`](super::sums)).
//!
//! Parts that can make no difference are left out, so that a program that runs for ever returns to
//! a known state:
//!
//! - An access that is covered by the clock of every thread that may still move. New threads
//!   inherit the clocks of their creators.
//! - An access that another access to the same byte subsumes: every clock that covers the other
//!   access covers this one too, and every access that conflicts with this one conflicts with the
//!   other. (Shadow memory drops most of these itself, but which ones may depend on the
//!   interleaving.)
//! - The clocks of threads that have ended and were joined, and of threads that will never move;
//!   and the part of a clock that its acquiring thread already knows.
//! - The representation of an atomic variable's clocks: only the clocks that each thread's release
//!   sequences give count.

use super::RaceDetector;
use super::shadow::{Entry, Kind};
use super::store::Space;
use rustc_hash::FxHashMap;
use selvedge_base::{Digest, Domain, ForTests, Id, ThreadId};
use selvedge_model::{CoveringClock, Describe, ObjectId, Pending, Status};
use smallvec::SmallVec;
use std::rc::Rc;

/// The subject of a part of a digest.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum About {
    /// The name of a thread.
    Name,
    /// A thread's clock.
    Knows,
    /// The clock that a thread will acquire at an acquire fence.
    AcquireFence,
    /// The clock of a thread at its last release fence.
    ReleaseFence,
    /// The clock of the thread that woke it.
    Notification,
    /// The clock released by a lock, a semaphore or an atomic variable.
    Released,
    /// The clock released by readers of a read-write lock.
    ReadReleased,
    /// The clock at the head of a release sequence.
    Head,
    /// An access: its thread, kind and statement, and the clocks that cover it.
    Access,
    /// All accesses of a thread to few bytes that the same clocks cover.
    Accesses,
    /// The place, kind and statement of an access to few bytes.
    Bytes,
    /// Operations on an object.
    Object,
    /// Accesses to many bytes.
    Range,
    /// The number of a thread, for states that are identified with thread numbers.
    Number,
}

impl About {
    /// All subjects.
    #[rustfmt::skip]
    pub const ALL: [About; DOMAINS.len()] = {
        use About::*;
        [
            Name, Knows, AcquireFence, ReleaseFence, Notification, Released, ReadReleased, Head, Access,
            Accesses, Bytes, Object, Range, Number,
        ]
    };
}

/// For each subject the key of its hashes.
static DOMAINS: [Domain; 14] = [
    Domain::new("race name"),
    Domain::new("race knows"),
    Domain::new("race acquire fence"),
    Domain::new("race release fence"),
    Domain::new("race notification"),
    Domain::new("race released"),
    Domain::new("race read released"),
    Domain::new("race head"),
    Domain::new("race access"),
    Domain::new("race accesses"),
    Domain::new("race bytes"),
    Domain::new("race object"),
    Domain::new("race range"),
    Domain::new("race number"),
];

/// A digest of a sequence of numbers.
pub(super) fn hash(about: About, numbers: &[u64]) -> Digest {
    Digest::of_words(&DOMAINS[about as usize], numbers)
}

/// Names of threads that are their numbers.
pub(super) fn numbers(threads: usize) -> Rc<[Digest]> {
    (0..threads as u64).map(|n| hash(About::Number, &[n])).collect()
}

/// The names of threads.
pub(super) struct Names {
    names: Rc<[Digest]>,
    /// The part that the digest leaves out: none, except in tests of tests.
    without: ForTests<Option<About>>,
}

impl Names {
    /// Names that are the threads' numbers, for states that are identified with numbers. `names`:
    /// the [numbers](numbers) of all threads.
    pub(super) fn numbers(mut names: Rc<[Digest]>, without: ForTests<Option<About>>) -> Self {
        if without.is(Some(About::Number)) {
            names = names.iter().map(|_| Digest::EMPTY).collect();
        }
        Names { names, without }
    }

    /// Names that do not depend on thread numbers.
    pub(super) fn of<M: Describe + ?Sized>(machine: &M) -> Self {
        let name = |thread: usize| {
            let name = machine.thread_name(ThreadId::from_index(thread));
            Digest::of_bytes(&DOMAINS[About::Name as usize], name.as_bytes())
        };
        Names {
            names: (0..machine.pending().len()).map(name).collect(),
            without: ForTests::default(),
        }
    }

    /// The same names, with a part left out of the digest, for tests of tests.
    #[cfg(test)]
    pub(super) fn without(mut self, part: About) -> Self {
        if part == About::Name {
            self.names = self.names.iter().map(|_| Digest::EMPTY).collect();
        }
        self.without = ForTests::new(Some(part));
        self
    }

    fn thread(&self, thread: usize) -> [u64; 2] {
        let name = self.names.get(thread).copied();
        name.unwrap_or_else(|| hash(About::Number, &[thread as u64]))
            .words()
    }

    /// The name of an object: a kind and a name.
    pub(super) fn object(&self, object: ObjectId) -> [u64; 3] {
        let named = |kind: u64, thread: ThreadId| {
            let [low, high] = self.thread(thread.index());
            [kind, low, high]
        };
        match (object.as_thread(), object.as_joinable()) {
            (Some(thread), _) => named(1, thread),
            (_, Some(thread)) => named(2, thread),
            _ => [0, object.0, 0],
        }
    }
}

/// A clock that later events may acquire.
struct Clock {
    name: Digest,
    /// The name of the thread's own clock, if each thread that acquires this clock will have
    /// acquired all of that one by then.
    of: Option<Digest>,
    /// The index of the clock that this one extends, if each thread that acquires this clock will
    /// have acquired all of that one by then.
    beyond: Option<usize>,
}

/// All clocks, and what all threads know.
pub(super) struct Clocks {
    all: Vec<Clock>,
    /// The counters of all clocks, one clock after another.
    ticks: Vec<u32>,
    /// For each thread, the tick up to which every thread that may still move covers its events.
    pub(super) floor: Vec<u32>,
}

impl Clocks {
    /// Adds a clock, unless all threads know what it covers. Then it covers nothing that counts.
    fn add(&mut self, name: impl FnOnce() -> Digest, ticks: &[u32]) {
        if ticks.iter().zip(&self.floor).any(|(tick, floor)| tick > floor) {
            self.all.push(Clock {
                name: name(),
                of: None,
                beyond: None,
            });
            self.ticks.extend_from_slice(ticks);
        }
    }

    /// Adds a clock that a thread will acquire, if it covers more than the thread's clock. `base`:
    /// the thread's clock, if that counts.
    fn add_beyond(
        &mut self,
        name: impl FnOnce() -> Digest,
        (of, base): (Digest, Option<usize>),
        knows: &[u32],
        ticks: &[u32],
    ) {
        if ticks.iter().zip(knows).any(|(tick, knows)| tick > knows) {
            self.all.push(Clock {
                name: name(),
                of: Some(of),
                beyond: base,
            });
            let both = ticks.iter().zip(knows).map(|(&tick, &knows)| tick.max(knows));
            self.ticks.extend(both);
        }
    }
}

/// The clocks that cover a thread's actions at one tick: words of [`Summary::bits`], and the sum of
/// the clocks' names.
struct Cover {
    thread: usize,
    bits: usize,
    hash: Digest,
    /// The sum of the accesses that these clocks cover, without thread and clocks.
    accesses: Digest,
    /// The clocks, if they were asked for.
    clocks: Option<Rc<[CoveringClock]>>,
}

/// An access that counts.
pub(super) struct Kept {
    pub(super) entry: Entry,
    cover: usize,
    hash: Digest,
    /// The bytes within a granule; 1 for anything else.
    pub(super) bytes: u32,
}

/// The data that is computed once for each call.
pub(super) struct Summary {
    pub(super) names: Names,
    clocks: Clocks,
    covers: Vec<Cover>,
    /// The bits of all covers, one after another; one bit for each clock.
    bits: Vec<u64>,
    known: FxHashMap<(usize, u32), usize>,
}

impl Summary {
    pub(super) fn new(names: Names, clocks: Clocks) -> Self {
        Summary {
            names,
            clocks,
            covers: Vec::with_capacity(16),
            bits: Vec::with_capacity(16),
            known: FxHashMap::with_capacity_and_hasher(16, Default::default()),
        }
    }

    /// An access, if it counts.
    pub(super) fn keep(&mut self, entry: Entry, bytes: u32) -> Option<Kept> {
        let Entry { thread, tick, .. } = entry;
        if tick <= self.clocks.floor.get(thread).copied().unwrap_or(0) {
            return None;
        }
        let cover = self.cover_of(thread, tick);
        Some(Kept {
            entry,
            cover,
            hash: self.access(&entry, Some(cover)),
            bytes,
        })
    }

    /// The index of the cover of a thread's actions at one tick.
    fn cover_of(&mut self, thread: usize, tick: u32) -> usize {
        match self.known.get(&(thread, tick)) {
            Some(&known) => known,
            None => self.cover(thread, tick),
        }
    }

    /// A digest of an access: its thread, kind and statement, and on request the clocks that cover
    /// it.
    pub(super) fn access(&self, entry: &Entry, cover: Option<usize>) -> Digest {
        if self.names.without.is(Some(About::Access)) {
            return Digest::EMPTY;
        }
        let [a, b] = self.names.thread(entry.thread);
        let cover = cover.map_or(Digest::EMPTY, |cover| self.covers[cover].hash);
        let [c, d] = cover.words();
        let kind = u64::from(entry.kind.is_write()) | u64::from(entry.kind.is_atomic()) << 1;
        hash(About::Access, &[a, b, c, d, kind, u64::from(entry.stmt)])
    }

    /// The clocks that cover an access.
    pub(super) fn covering_clocks(&mut self, kept: &Kept) -> Rc<[CoveringClock]> {
        if let Some(known) = &self.covers[kept.cover].clocks {
            return Rc::clone(known);
        }
        let clocks: Rc<[CoveringClock]> = self.clocks_at(&kept.entry).as_slice().into();
        self.covers[kept.cover].clocks = Some(Rc::clone(&clocks));
        clocks
    }

    /// The clocks that cover the actions of an entry's thread at the entry's tick.
    fn clocks_at(&self, entry: &Entry) -> SmallVec<[CoveringClock; 4]> {
        let Clocks { all, ticks, floor } = &self.clocks;
        let Entry { thread, tick, .. } = *entry;
        let knows = |clock: usize| ticks[clock * floor.len() + thread] >= tick;
        let covering = all.iter().enumerate().filter(|&(i, _)| knows(i));
        let least = covering.filter(|(_, clock)| !clock.beyond.is_some_and(knows));
        let mut covering_clocks: SmallVec<[CoveringClock; 4]> = least
            .map(|(_, clock)| CoveringClock {
                name: clock.name,
                beyond: clock.of,
            })
            .collect();
        covering_clocks.sort_unstable();
        covering_clocks
    }

    /// The number of words in a cover.
    const fn words(&self) -> usize {
        self.clocks.all.len().div_ceil(64)
    }

    fn cover(&mut self, thread: usize, tick: u32) -> usize {
        let bits = self.bits.len();
        self.bits.resize(bits + self.words(), 0);
        let Clocks { all, ticks, floor } = &self.clocks;
        let knows = |clock: usize| ticks[clock * floor.len() + thread] >= tick;
        let mut sum = Digest::EMPTY;
        for (i, clock) in all.iter().enumerate() {
            if knows(i) {
                self.bits[bits + i / 64] |= 1 << (i % 64);
                if !clock.beyond.is_some_and(knows) {
                    sum = sum.with(clock.name);
                }
            }
        }
        self.covers.push(Cover {
            thread,
            bits,
            hash: sum,
            accesses: Digest::EMPTY,
            clocks: None,
        });
        self.known.insert((thread, tick), self.covers.len() - 1);
        self.covers.len() - 1
    }

    /// True if one access can subsume another one to the same byte, as far as kinds and clocks
    /// decide.
    fn covers(&self, this: &Kept, other: &Kept) -> bool {
        let bits = |kept: &Kept| &self.bits[self.covers[kept.cover].bits..][..self.words()];
        this.entry.kind.covers(other.entry.kind)
            && bits(this).iter().zip(bits(other)).all(|(m, t)| m & !t == 0)
    }

    /// True if one access subsumes another one, and the reverse does not hold.
    pub(super) fn stands_for(&self, this: &Kept, other: &Kept) -> bool {
        self.covers(this, other) && !self.covers(other, this)
    }

    /// The accesses to one place that no other access subsumes, with their bytes.
    fn remaining<'k>(&self, kept: &'k [Kept]) -> SmallVec<[(&'k Kept, u32); 4]> {
        let mut parts: SmallVec<[(&Kept, u32); 4]> = SmallVec::new();
        for this in kept {
            let others = kept.iter().filter(|other| other.bytes & this.bytes != 0);
            let bytes = others
                .filter(|other| self.stands_for(other, this))
                .fold(this.bytes, |bytes, other| bytes & !other.bytes);
            match parts.iter_mut().find(|(known, _)| known.hash == this.hash) {
                Some((_, known)) => *known |= bytes,
                None => parts.push((this, bytes)),
            }
        }
        parts.retain(|&mut (_, bytes)| bytes != 0);
        parts
    }

    /// The digest of the operations on an object.
    fn object(&self, name: [u64; 3], kept: &[Kept]) -> Digest {
        if self.names.without.is(Some(About::Object)) {
            return Digest::EMPTY;
        }
        let [kind, a, b] = name;
        let part = |(this, bytes): (&Kept, u32)| {
            let [c, d] = this.hash.words();
            hash(About::Object, &[kind, a, b, c, d, u64::from(bytes)])
        };
        self.remaining(kept).into_iter().map(part).sum()
    }

    /// The digest of an access to few bytes, without its thread and the clocks that cover it.
    fn bytes(without: ForTests<Option<About>>, granule: u64, bytes: u32, kind: Kind, stmt: u32) -> Digest {
        let mut numbers = [
            granule,
            u64::from(bytes),
            u64::from(kind.number()),
            u64::from(stmt),
        ];
        if without.is(Some(About::Access)) {
            numbers[2..].fill(0);
        }
        hash(About::Bytes, &numbers)
    }

    /// The digest of all accesses to few bytes. Those of a thread that the same clocks cover are
    /// taken together.
    fn all_bytes(&self) -> Digest {
        if self.names.without.is(Some(About::Bytes)) {
            return Digest::EMPTY;
        }
        let mut sums: FxHashMap<(usize, Digest), Digest> = FxHashMap::default();
        for cover in self.covers.iter().filter(|cover| cover.accesses != Digest::EMPTY) {
            let sum = sums.entry((cover.thread, cover.hash)).or_default();
            *sum = sum.with(cover.accesses);
        }
        let part = |((thread, cover), sum): ((usize, Digest), Digest)| {
            if self.names.without.is(Some(About::Access)) {
                return sum;
            }
            let ([a, b], [c, d], [e, f]) = (self.names.thread(thread), cover.words(), sum.words());
            hash(About::Accesses, &[a, b, c, d, e, f])
        };
        sums.into_iter().map(part).sum()
    }
}

impl RaceDetector {
    /// The approximate number of words that computing a digest reads.
    pub(super) fn words(&self) -> usize {
        let clocks = 4 * self.threads.len() + 3 * self.objects.len();
        clocks * self.width() + self.shadow.len()
    }

    /// The digest; see the module's documentation.
    pub(super) fn remembered(&self, pending: &[Pending], names: Names) -> Digest {
        let clocks = self.clocks(pending, &names);
        let floor = clocks.floor.clone();
        let without = names.without;
        let mut digest = Summary::new(names, clocks);
        let (mut kept, mut entries) = (Vec::new(), Vec::new());
        let part = |granule, bytes, kind, stmt| Summary::bytes(without, granule, bytes, kind, stmt);
        let mut sums = self.sums.borrow_mut();
        for chunk in sums.update(&self.shadow, &self.store, part) {
            for sum in &chunk.sums {
                if sum.tick > floor.get(sum.thread).copied().unwrap_or(0) {
                    let cover = digest.cover_of(sum.thread, sum.tick);
                    let accesses = &mut digest.covers[cover].accesses;
                    *accesses = accesses.with(sum.digest);
                }
            }
            for &(granule, cell) in &chunk.several {
                self.shadow
                    .entries(&self.store, cell as usize, &floor, &mut entries);
                kept.clear();
                kept.extend(
                    entries
                        .iter()
                        .filter_map(|&(entry, bytes)| digest.keep(entry, bytes)),
                );
                for (this, bytes) in digest.remaining(&kept) {
                    let part = part(granule, bytes, this.entry.kind, this.entry.stmt);
                    let accesses = &mut digest.covers[this.cover].accesses;
                    *accesses = accesses.with(part);
                }
            }
        }
        let mut sum = digest.all_bytes();
        for (id, object) in self.objects.all() {
            kept.clear();
            for (thread, &name) in self
                .store
                .ticks(object.touched(), self.width())
                .iter()
                .enumerate()
            {
                if let Some(origin) = self.store.origin(name) {
                    let entry = Entry::new(thread, Kind::ATOMIC_WRITE, origin);
                    kept.extend(digest.keep(entry, 1));
                }
            }
            if kept.is_empty() {
                continue;
            }
            let place = digest.names.object(id);
            sum = sum.with(digest.object(place, &kept));
        }
        sum.with(self.ranges(&mut digest))
    }

    /// The digest of accesses to many bytes: those that no other access to the same bytes or more
    /// subsumes, each once.
    fn ranges(&self, digest: &mut Summary) -> Digest {
        let ranges = self.shadow.ranges();
        let ranges: Vec<(u64, u64, Kept)> = ranges
            .filter_map(|(start, end, entry)| Some((start, end, digest.keep(entry, 1)?)))
            .collect();
        let mut parts = Vec::new();
        for (start, end, this) in &ranges {
            let replaced = ranges
                .iter()
                .any(|(s, e, other)| s <= start && end <= e && digest.stands_for(other, this));
            if !replaced && !digest.names.without.is(Some(About::Range)) {
                let [a, b] = this.hash.words();
                parts.push(hash(About::Range, &[*start, *end, a, b]));
            }
        }
        parts.sort_unstable();
        parts.dedup();
        parts.into_iter().sum()
    }

    /// The clocks that later events may acquire.
    pub(super) fn clocks(&self, pending: &[Pending], names: &Names) -> Clocks {
        let row = |slot: u32| self.store.ticks(slot, self.width());
        let moves = Status::is_alive;
        let mut floor = vec![u32::MAX; self.width()];
        for (thread, _) in pending.iter().enumerate().filter(|(_, p)| moves(p.status)) {
            match self.threads.get(thread) {
                Some(record) => {
                    let knows = row(record.clock());
                    floor.iter_mut().zip(knows).for_each(|(f, &k)| *f = k.min(*f));
                }
                None => floor.fill(0), // it has done nothing yet, and no thread created it
            }
        }
        let room = 4 * self.threads.len() + self.objects.len();
        let mut clocks = Clocks {
            all: Vec::with_capacity(room),
            ticks: Vec::with_capacity(room * self.width()),
            floor,
        };
        let named = |about, parts: &[u64]| {
            if names.without.is(Some(about)) {
                return Digest::EMPTY;
            }
            hash(about, parts)
        };
        for (thread, (pending, record)) in pending.iter().zip(&self.threads).enumerate() {
            let (moves, joined) = match pending.status {
                Status::Enabled | Status::Blocked | Status::Held => (true, false),
                Status::Finished => (false, self.store.get(Space::Records, record.joined()) != 0),
                Status::Parked => continue,
            };
            if joined {
                continue;
            }
            let (knows, name) = (row(record.clock()), names.thread(thread));
            let before = clocks.all.len();
            let own = named(About::Knows, &name);
            clocks.add(|| own, knows);
            if !moves {
                continue;
            }
            let base = (own, (clocks.all.len() > before).then_some(before));
            let at_fence = row(record.at_acquire_fence());
            clocks.add_beyond(|| named(About::AcquireFence, &name), base, knows, at_fence);
            if self.store.get(Space::Records, record.notified()) != 0 {
                let notified = row(record.notification());
                clocks.add_beyond(|| named(About::Notification, &name), base, knows, notified);
            }
            let fence = row(record.at_release_fence());
            clocks.add(|| named(About::ReleaseFence, &name), fence);
        }
        for (id, object) in self.objects.all() {
            let name = names.object(id);
            let mut add = |about, parts: &[u64], slot| clocks.add(|| named(about, parts), row(slot));
            add(About::Released, &name, object.released());
            add(About::ReadReleased, &name, object.read_released());
            for (thread, head) in self.heads(object) {
                let parts = [name.as_slice(), &names.thread(thread)].concat();
                add(About::Head, &parts, head);
            }
        }
        clocks
    }
}
