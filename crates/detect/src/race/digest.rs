//! What the detector may still hold against accesses to come, as a hash.
//!
//! An access races later with whatever conflicts with it and does not know of it. Who will know of it follows from which clocks cover it
//! now, and from the events to come. So of each access that is kept counts: where, of what kind, by whom, at which statement, and the
//! *names* of the clocks that cover it. Ticks and numbers of threads, of objects and of clocks depend on the interleaving and are left out;
//! so are locks and contexts, which only words of reports depend on.
//!
//! What can make no difference is left out as well, so that a program that runs for ever comes back to what it was:
//!
//! - An access that the clock of every thread covers that may still move: new threads know what their creators know.
//! - An access to a byte that another one stands for: whatever clock covers that one covers it too, and whatever conflicts with
//!   it conflicts with that one. (The shadow forgets most of these itself, but which ones may depend on the interleaving.)
//! - The clocks of threads that have ended and were joined, and of those that will never move; what a thread will learn and knows already.
//! - Of an atomic variable's clocks, how they are kept: what counts is what each thread's release sequences bring.

use super::RaceDetector;
use super::shadow::{Entry, Kind};
use super::store::Space;
use rustc_hash::FxHashMap;
use selvedge_base::{Id, ThreadId};
use selvedge_model::{Describe, ObjectId, Status};

/// What a part of the hash is about.
#[derive(Clone, Copy)]
enum About {
    Name,
    Knows,
    AcquireFence,
    ReleaseFence,
    Notification,
    Released,
    ReadReleased,
    Head,
    Access,
    Bytes,
    Object,
    Range,
}

/// A hash of some numbers in their order.
fn hash(about: About, numbers: &[u64]) -> u128 {
    let mut low = 0x243f_6a88_85a3_08d3 ^ about as u64;
    let mut high = 0x1319_8a2e_0370_7344 ^ about as u64;
    for &number in numbers {
        low = mix(low ^ number);
        high = mix(high.rotate_left(29) ^ number);
    }
    u128::from(mix(high)) << 64 | u128::from(mix(low))
}

/// Spreads a number over all bits (the end of SplitMix64: Steele, Lea and Flood, OOPSLA 2014).
const fn mix(number: u64) -> u64 {
    let a = number.wrapping_add(0x9e37_79b9_7f4a_7c15);
    let b = (a ^ (a >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    let c = (b ^ (b >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    c ^ (c >> 31)
}

const fn halves(hash: u128) -> [u64; 2] {
    [hash as u64, (hash >> 64) as u64]
}

/// Names of threads that do not depend on their numbers.
struct Names(Vec<u128>);

impl Names {
    fn new<M: Describe + ?Sized>(machine: &M) -> Self {
        let name = |thread: usize| {
            let name = machine.thread_name(ThreadId::from_index(thread));
            let bytes: Vec<u64> = name.bytes().map(u64::from).collect();
            hash(About::Name, &bytes)
        };
        Names((0..machine.pending().len()).map(name).collect())
    }

    fn thread(&self, thread: usize) -> u128 {
        self.0.get(thread).copied().unwrap_or(thread as u128)
    }

    fn object(&self, object: ObjectId) -> u128 {
        match object.as_thread().or(object.as_joinable()) {
            Some(thread) => self.thread(thread.index()).rotate_left(1),
            None => u128::from(object.0),
        }
    }
}

/// A clock that later events may read.
struct Clock {
    name: u128,
    ticks: Vec<u32>,
}

/// All of them, and what everybody knows.
struct Clocks {
    all: Vec<Clock>,
    /// By thread: what it did up to here every thread knows that may still move.
    floor: Vec<u32>,
}

impl Clocks {
    fn add(&mut self, about: About, parts: [u128; 2], ticks: Vec<u32>) {
        // A clock that knows no more than everybody covers nothing that counts.
        if ticks.iter().zip(&self.floor).any(|(tick, floor)| tick > floor) {
            let [[a, b], [c, d]] = parts.map(halves);
            let name = hash(about, &[a, b, c, d]);
            self.all.push(Clock { name, ticks });
        }
    }
}

/// Which clocks cover what a thread did at one tick.
struct Cover {
    clocks: Box<[u64]>,
    hash: u128,
}

/// An access that counts.
struct Kept {
    entry: Entry,
    cover: usize,
    hash: u128,
    /// The bytes of a granule; anything else is one.
    bytes: u32,
}

/// What is computed once a call.
struct Digest {
    names: Names,
    clocks: Clocks,
    covers: Vec<Cover>,
    known: FxHashMap<(usize, u32), usize>,
}

impl Digest {
    /// An access, if it counts.
    fn keep(&mut self, entry: Entry, bytes: u32) -> Option<Kept> {
        let Entry { thread, tick, .. } = entry;
        if tick <= self.clocks.floor.get(thread).copied().unwrap_or(0) {
            return None;
        }
        let cover = match self.known.get(&(thread, tick)) {
            Some(&known) => known,
            None => self.cover(thread, tick),
        };
        let [a, b] = halves(self.names.thread(thread));
        let [c, d] = halves(self.covers[cover].hash);
        let kind = u64::from(entry.kind.is_write()) | u64::from(entry.kind.is_atomic()) << 1;
        Some(Kept {
            entry,
            cover,
            hash: hash(About::Access, &[a, b, c, d, kind, u64::from(entry.stmt)]),
            bytes,
        })
    }

    fn cover(&mut self, thread: usize, tick: u32) -> usize {
        let all = &self.clocks.all;
        let mut clocks = vec![0; all.len().div_ceil(64)];
        let mut sum = 0u128;
        for (i, clock) in all.iter().enumerate() {
            if clock.ticks[thread] >= tick {
                clocks[i / 64] |= 1 << (i % 64);
                sum = sum.wrapping_add(clock.name);
            }
        }
        self.covers.push(Cover {
            clocks: clocks.into_boxed_slice(),
            hash: sum,
        });
        self.known.insert((thread, tick), self.covers.len() - 1);
        self.covers.len() - 1
    }

    /// Whether one access can stand for another to the same byte, as far as kinds and clocks go.
    fn covers(&self, this: &Kept, other: &Kept) -> bool {
        let (mine, theirs) = (&self.covers[this.cover].clocks, &self.covers[other.cover].clocks);
        this.entry.kind.covers(other.entry.kind) && mine.iter().zip(theirs).all(|(m, t)| m & !t == 0)
    }

    /// Whether one stands for another, and not the other way round.
    fn stands_for(&self, this: &Kept, other: &Kept) -> bool {
        self.covers(this, other) && !self.covers(other, this)
    }

    /// The accesses to one place.
    fn place(&self, about: About, place: u128, kept: &[Kept]) -> u128 {
        let mut parts: Vec<(u128, u32)> = Vec::with_capacity(kept.len());
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
        let [a, b] = halves(place);
        let parts = parts.into_iter().filter(|&(_, bytes)| bytes != 0);
        parts.fold(0u128, |sum, (access, bytes)| {
            let [c, d] = halves(access);
            sum.wrapping_add(hash(about, &[a, b, c, d, u64::from(bytes)]))
        })
    }
}

impl RaceDetector {
    /// See the module's documentation.
    pub(super) fn remembered<M: Describe + ?Sized>(&self, machine: &M) -> u128 {
        let names = Names::new(machine);
        let clocks = self.clocks(machine, &names);
        let mut digest = Digest {
            names,
            clocks,
            covers: Vec::new(),
            known: FxHashMap::default(),
        };
        let mut sum = 0u128;
        let mut kept = Vec::new();
        self.shadow.for_each(&self.store, |granule, entries| {
            kept.clear();
            kept.extend(
                entries
                    .iter()
                    .filter_map(|&(entry, bytes)| digest.keep(entry, bytes)),
            );
            sum = sum.wrapping_add(digest.place(About::Bytes, u128::from(granule), &kept));
        });
        for (id, object) in self.objects.all() {
            kept.clear();
            for thread in 0..self.width() {
                let name = self.store.tick(object.touched(), thread);
                if let Some(origin) = self.store.origin(name) {
                    let entry = Entry::new(thread, Kind::ATOMIC_WRITE, origin);
                    kept.extend(digest.keep(entry, 1));
                }
            }
            let place = digest.names.object(id);
            sum = sum.wrapping_add(digest.place(About::Object, place, &kept));
        }
        sum.wrapping_add(self.ranges(&mut digest))
    }

    /// Accesses to many bytes: those that no other one to the same bytes or more stands for, each once.
    fn ranges(&self, digest: &mut Digest) -> u128 {
        let ranges = self.shadow.ranges();
        let ranges: Vec<(u64, u64, Kept)> = ranges
            .filter_map(|(start, end, entry)| Some((start, end, digest.keep(entry, 1)?)))
            .collect();
        let mut parts = Vec::new();
        for (start, end, this) in &ranges {
            let replaced = ranges
                .iter()
                .any(|(s, e, other)| s <= start && end <= e && digest.stands_for(other, this));
            if !replaced {
                let [a, b] = halves(this.hash);
                parts.push(hash(About::Range, &[*start, *end, a, b]));
            }
        }
        parts.sort_unstable();
        parts.dedup();
        parts.into_iter().fold(0, u128::wrapping_add)
    }

    /// The clocks that later events may read.
    fn clocks<M: Describe + ?Sized>(&self, machine: &M, names: &Names) -> Clocks {
        let width = self.width();
        let row = |slot: u32| -> Vec<u32> { (0..width).map(|t| self.store.tick(slot, t)).collect() };
        let with = |slot: u32, other: &[u32]| -> Vec<u32> {
            let both = row(slot).into_iter().zip(other);
            both.map(|(a, &b)| a.max(b)).collect()
        };
        let moves = |status: Status| matches!(status, Status::Enabled | Status::Blocked);
        let mut floor = vec![u32::MAX; width];
        for (thread, _) in machine
            .pending()
            .iter()
            .enumerate()
            .filter(|(_, p)| moves(p.status))
        {
            match self.threads.get(thread) {
                Some(record) => {
                    let knows = row(record.clock());
                    floor.iter_mut().zip(knows).for_each(|(f, k)| *f = k.min(*f));
                }
                None => floor.fill(0), // it has done nothing yet, and nobody created it
            }
        }
        let mut clocks = Clocks {
            all: Vec::new(),
            floor,
        };
        for (thread, (pending, record)) in machine.pending().iter().zip(&self.threads).enumerate() {
            let knows = row(record.clock());
            let parts = [names.thread(thread), 0];
            match pending.status {
                Status::Enabled | Status::Blocked => {
                    clocks.add(
                        About::AcquireFence,
                        parts,
                        with(record.at_acquire_fence(), &knows),
                    );
                    clocks.add(About::ReleaseFence, parts, row(record.at_release_fence()));
                    if self.store.get(Space::Records, record.notified()) != 0 {
                        clocks.add(About::Notification, parts, with(record.notification(), &knows));
                    } else {
                        clocks.add(About::Notification, parts, knows.clone());
                    }
                }
                Status::Finished if self.store.get(Space::Records, record.joined()) == 0 => {}
                Status::Finished | Status::Parked => continue,
            }
            clocks.add(About::Knows, parts, knows);
        }
        for (id, object) in self.objects.all() {
            let name = names.object(id);
            clocks.add(About::Released, [name, 0], row(object.released()));
            clocks.add(About::ReadReleased, [name, 0], row(object.read_released()));
            for (thread, head) in self.heads(object) {
                clocks.add(About::Head, [name, names.thread(thread)], row(head));
            }
        }
        clocks
    }
}
