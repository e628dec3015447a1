//! What the detector may still hold against accesses to come, as a hash.
//!
//! An access races later with whatever conflicts with it and does not know of it. Who will know of
//! it follows from which clocks cover it now, and from the events to come. So of each access that
//! is kept counts: where, of what kind, by whom, at which statement, and the *names* of the clocks
//! that cover it. Ticks and numbers of threads, of objects and of clocks depend on the interleaving
//! and are left out; so are locks and contexts, which only words of reports depend on.
//!
//! What can make no difference is left out as well, so that a program that runs for ever comes back
//! to what it was:
//!
//! - An access that the clock of every thread covers that may still move: new threads know what
//!   their creators know.
//! - An access to a byte that another one stands for: whatever clock covers that one covers it too,
//!   and whatever conflicts with it conflicts with that one. (The shadow forgets most of these
//!   itself, but which ones may depend on the interleaving.)
//! - The clocks of threads that have ended and were joined, and of those that will never move; what
//!   a thread will learn and knows already.
//! - Of an atomic variable's clocks, how they are kept: what counts is what each thread's release
//!   sequences bring.

use super::RaceDetector;
use super::shadow::{Entry, Kind};
use super::store::Space;
use rustc_hash::FxHashMap;
use selvedge_base::{Digest, Domain, ForTests, Id, ThreadId};
use selvedge_model::{Describe, Knower, ObjectId, Pending, Places, Status};
use smallvec::SmallVec;
use std::rc::Rc;

/// What a part of a digest is about.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum About {
    /// What a thread is called.
    Name,
    /// A thread's clock.
    Knows,
    /// What it will know after an acquire fence.
    AcquireFence,
    /// What it knew at its last release fence.
    ReleaseFence,
    /// What whoever woke it knew.
    Notification,
    /// What was known when a lock, a semaphore or an atomic variable was released.
    Released,
    /// What was known when a read lock was released.
    ReadReleased,
    /// What was known at the head of a release sequence.
    Head,
    /// Who made an access, which clocks cover it, of what kind it is, and where.
    Access,
    /// Where an access of few bytes is.
    Bytes,
    /// Operations on an object.
    Object,
    /// Accesses to many bytes.
    Range,
    /// The number of a thread, for states that are told by it anyway.
    Number,
}

impl About {
    /// All of them.
    #[rustfmt::skip]
    pub const ALL: [About; DOMAINS.len()] = {
        use About::*;
        [
            Name, Knows, AcquireFence, ReleaseFence, Notification, Released, ReadReleased, Head, Access, Bytes, Object,
            Range, Number,
        ]
    };
}

/// By what a part is about the key of its hashes.
static DOMAINS: [Domain; 13] = [
    Domain::new("race name"),
    Domain::new("race knows"),
    Domain::new("race acquire fence"),
    Domain::new("race release fence"),
    Domain::new("race notification"),
    Domain::new("race released"),
    Domain::new("race read released"),
    Domain::new("race head"),
    Domain::new("race access"),
    Domain::new("race bytes"),
    Domain::new("race object"),
    Domain::new("race range"),
    Domain::new("race number"),
];

/// A hash of some numbers in their order.
pub(super) fn hash(about: About, numbers: &[u64]) -> Digest {
    Digest::of_words(&DOMAINS[about as usize], numbers)
}

/// Names of so many threads that are their numbers.
pub(super) fn numbers(threads: usize) -> Rc<[Digest]> {
    (0..threads as u64).map(|n| hash(About::Number, &[n])).collect()
}

/// What threads are called.
pub(super) struct Names {
    names: Rc<[Digest]>,
    /// What the digest leaves out: nothing, but in tests of tests.
    without: ForTests<Option<About>>,
}

impl Names {
    /// Their numbers, for states that are told by these anyway: `names` are the [numbers](numbers)
    /// of all threads.
    pub(super) fn numbers(mut names: Rc<[Digest]>, without: ForTests<Option<About>>) -> Self {
        if without.is(Some(About::Number)) {
            names = names.iter().map(|_| Digest::EMPTY).collect();
        }
        Names { names, without }
    }

    /// Names that do not depend on their numbers.
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

    /// The same names with something left out of the digest, for tests of tests.
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

    /// What an object is called: a kind and a name.
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

/// A clock that later events may read.
struct Clock {
    name: Digest,
    /// The name of the thread's clock, if whoever will learn from this one knows all of that one by
    /// then.
    of: Option<Digest>,
    /// The clock that it began as, if whoever will learn from it knows all of that one by then.
    beyond: Option<usize>,
}

/// All of them, and what everybody knows.
pub(super) struct Clocks {
    all: Vec<Clock>,
    /// The counters of one after the other.
    ticks: Vec<u32>,
    /// By thread: what it did up to here every thread knows that may still move.
    floor: Vec<u32>,
}

impl Clocks {
    /// Adds a clock, unless it knows no more than everybody: then it covers nothing that counts.
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

    /// Adds what a thread will know beyond what it knows, which is the clock `base` if that counts;
    /// nothing, if that is nothing.
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

/// Which clocks cover what a thread did at one tick: words of [`Summary::bits`], and the sum of
/// their names.
struct Cover {
    bits: usize,
    hash: Digest,
}

/// An access that counts.
pub(super) struct Kept {
    pub(super) entry: Entry,
    cover: usize,
    hash: Digest,
    /// The bytes of a granule; anything else is one.
    pub(super) bytes: u32,
}

/// What is computed once a call.
pub(super) struct Summary {
    pub(super) names: Names,
    clocks: Clocks,
    covers: Vec<Cover>,
    /// One bit for each clock, for one cover after the other.
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
        let cover = match self.known.get(&(thread, tick)) {
            Some(&known) => known,
            None => self.cover(thread, tick),
        };
        Some(Kept {
            entry,
            cover,
            hash: self.access(&entry, Some(cover)),
            bytes,
        })
    }

    /// Who made an access, of what kind and at which statement; and which clocks cover it, if that
    /// is asked.
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

    /// Which clocks cover an access.
    pub(super) fn knowers(&self, kept: &Kept) -> SmallVec<[Knower; 2]> {
        let Clocks { all, ticks, floor } = &self.clocks;
        let Entry { thread, tick, .. } = kept.entry;
        let knows = |clock: usize| ticks[clock * floor.len() + thread] >= tick;
        let covering = all.iter().enumerate().filter(|&(i, _)| knows(i));
        let least = covering.filter(|(_, clock)| !clock.beyond.is_some_and(knows));
        let mut knowers: SmallVec<[Knower; 2]> = least
            .map(|(_, clock)| Knower {
                name: clock.name,
                beyond: clock.of,
            })
            .collect();
        knowers.sort_unstable();
        knowers
    }

    /// How many words of bits a cover has.
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
        self.covers.push(Cover { bits, hash: sum });
        self.known.insert((thread, tick), self.covers.len() - 1);
        self.covers.len() - 1
    }

    /// Whether one access can stand for another to the same byte, as far as kinds and clocks go.
    fn covers(&self, this: &Kept, other: &Kept) -> bool {
        let bits = |kept: &Kept| &self.bits[self.covers[kept.cover].bits..][..self.words()];
        this.entry.kind.covers(other.entry.kind)
            && bits(this).iter().zip(bits(other)).all(|(m, t)| m & !t == 0)
    }

    /// Whether one stands for another, and not the other way round.
    pub(super) fn stands_for(&self, this: &Kept, other: &Kept) -> bool {
        self.covers(this, other) && !self.covers(other, this)
    }

    /// The accesses to one place.
    fn place(&self, about: About, place: [u64; 3], kept: &[Kept]) -> Digest {
        let [kind, a, b] = place;
        let part = |(access, bytes): (Digest, u32)| {
            if self.names.without.is(Some(about)) {
                return Digest::EMPTY;
            }
            let [c, d] = access.words();
            hash(about, &[kind, a, b, c, d, u64::from(bytes)])
        };
        if let [this] = kept {
            return part((this.hash, this.bytes));
        }
        let mut parts: Vec<(Digest, u32)> = Vec::with_capacity(kept.len());
        for this in kept {
            let others = kept.iter().filter(|other| other.bytes & this.bytes != 0);
            let bytes = others
                .filter(|other| self.stands_for(other, this))
                .fold(this.bytes, |bytes, other| bytes & !other.bytes);
            match parts.iter_mut().find(|(hash, _)| *hash == this.hash) {
                Some((_, known)) => *known |= bytes,
                None => parts.push((this.hash, bytes)),
            }
        }
        let parts = parts.into_iter().filter(|&(_, bytes)| bytes != 0);
        parts.map(part).sum()
    }
}

impl RaceDetector {
    /// About how many words a digest looks at.
    pub(super) fn words(&self) -> usize {
        let clocks = 4 * self.threads.len() + 3 * self.objects.len();
        clocks * self.width() + self.shadow.len()
    }

    /// See the module's documentation.
    pub(super) fn remembered(&self, pending: &[Pending], names: Names) -> Digest {
        let clocks = self.clocks(pending, &names);
        let mut digest = Summary::new(names, clocks);
        let mut sum = Digest::EMPTY;
        let mut kept = Vec::new();
        self.shadow
            .for_each(&self.store, &Places::All, |granule, entries| {
                kept.clear();
                kept.extend(
                    entries
                        .iter()
                        .filter_map(|&(entry, bytes)| digest.keep(entry, bytes)),
                );
                sum = sum.with(digest.place(About::Bytes, [0, granule, 0], &kept));
            });
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
            sum = sum.with(digest.place(About::Object, place, &kept));
        }
        sum.with(self.ranges(&mut digest))
    }

    /// Accesses to many bytes: those that no other one to the same bytes or more stands for, each
    /// once.
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

    /// The clocks that later events may read.
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
                None => floor.fill(0), // it has done nothing yet, and nobody created it
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
