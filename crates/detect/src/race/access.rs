//! Accesses to bytes: plain accesses, and those that a synchronisation operation counts as.

use super::RaceDetector;
use super::objects::{Object, bytes_of, sized};
use super::report::Race;
use super::shadow::{Entry, Kind, Shadow, mask};
use super::store::Space;
use selvedge_base::{Id, ThreadId};
use selvedge_model::{
    Access, Action, Event, Machine, MemoryOrder, ObjectId, Op, Part, Pending, Seen, Silent, Status,
};

/// The sizes of synchronisation objects of several granules, on x86-64 Linux.
const SIZES: [u64; 4] = [32, 40, 48, LARGEST];
/// That of a read-write lock.
const LARGEST: u64 = 56;

/// The parts of the last event, without final joins if there is nothing after them that they could
/// order.
#[inline]
fn relevant_parts<'a>(seen: &Seen<'a>) -> &'a [Part] {
    let (parts, accesses) = (seen.parts, seen.accesses.len());
    let idle = |part: &Part| {
        part.accesses as usize == accesses && matches!(part.action.op, Op::Join | Op::ProcessExit)
    };
    if !parts.last().is_some_and(idle) {
        return parts;
    }
    let over = |p: &Pending| matches!(p.status, Status::Finished | Status::Parked);
    if !seen.pending.iter().all(over) {
        return parts;
    }
    let idle = parts.iter().rev().take_while(|part| idle(part)).count();
    &parts[..parts.len() - idle]
}

impl RaceDetector {
    /// Processes the rest of the event after its action: accesses in invisible steps, and further
    /// actions between them.
    #[inline]
    pub(super) fn rest<M: Machine + ?Sized>(&mut self, machine: &M, seen: &Seen<'_>) {
        let accesses = seen.accesses;
        let (mut from, mut me) = (0, seen.event.action.thread);
        for part in relevant_parts(seen) {
            let to = part.accesses as usize;
            self.plain_accesses(&accesses[from..to], me);
            (from, me) = (to, part.action.thread);
            let part = Event {
                action: part.action,
                context: part.context,
                alternative: 0,
                alternatives: 1,
                outcome: part.outcome,
                completes: false,
                silent: Silent::No,
            };
            self.synchronise(machine, accesses, &part);
        }
        self.plain_accesses(&accesses[from..], me);
    }

    /// Processes accesses in invisible steps. Between the parts of an event there are usually none.
    #[inline(always)]
    fn plain_accesses(&mut self, accesses: &[Access], thread: ThreadId) {
        if !accesses.is_empty() {
            self.some_plain_accesses(accesses, thread);
        }
    }

    fn some_plain_accesses(&mut self, accesses: &[Access], thread: ThreadId) {
        let me = thread.index();
        let mut accesses = accesses.iter().peekable();
        while let Some(access) = accesses.next() {
            if access.order == MemoryOrder::NotAtomic {
                let kind = Kind::new(access.write, false);
                let entry = self.entry(me, kind, access.stmt.0, access.context.0);
                let size = u64::from(access.size);
                // A write of the same bytes right after a read replaces it, so the read need not be
                // kept.
                let replaced = !access.write
                    && !Shadow::is_large(size)
                    && accesses.peek().is_some_and(|next| {
                        next.write
                            && next.order == MemoryOrder::NotAtomic
                            && (next.address, next.size) == (access.address, access.size)
                    });
                if replaced {
                    self.bytes::<false>(access.address, size, &entry);
                } else {
                    self.bytes::<true>(access.address, size, &entry);
                }
            } else if access.is_fence() {
                self.fence(me, access.order);
            } else {
                let mut action = Action::on(thread, Op::Read, ObjectId(access.address));
                action.op = if access.write { Op::Write } else { Op::Read };
                (action.size, action.stmt, action.order) = (access.size, access.stmt, access.order);
                // A read-modify-write is a read and a write in one.
                let same = |next: &&Access| {
                    let of = |a: &Access| (a.address, a.size, a.stmt, a.order);
                    next.write && !access.write && of(next) == of(access)
                };
                if accesses.next_if(same).is_some() {
                    action.op = Op::Rmw;
                }
                self.atomic(&action, access.context.0, false);
            }
        }
    }

    /// Processes one access to a range of bytes. Without `KEEP` it is only checked, not recorded.
    #[inline]
    pub(super) fn bytes<const KEEP: bool>(&mut self, address: u64, size: u64, entry: &Entry) {
        let end = address.saturating_add(size);
        let clock = self.threads[entry.thread].clock();
        let RaceDetector {
            shadow, store, races, ..
        } = self;
        if Shadow::is_large(size) {
            shadow.access_large(store, (address, end), entry, clock, |old| {
                races.push(Race {
                    old,
                    new: *entry,
                    address,
                    size,
                })
            });
            if !entry.kind.is_atomic() {
                self.meet_all_operations((address, size), entry);
            }
            return;
        }
        shadow.check_ranges(store, (address, end), entry, clock, |old| {
            races.push(Race {
                old,
                new: *entry,
                address,
                size,
            })
        });
        let mut granule = address >> 3;
        while granule << 3 < end {
            let bytes = mask(granule, address, end);
            let RaceDetector {
                shadow, store, races, ..
            } = self;
            let met = shadow.access::<KEEP>(store, granule, bytes, entry, clock, |old| {
                races.push(Race {
                    old,
                    new: *entry,
                    address,
                    size,
                });
            });
            if met.owned && !entry.kind.is_atomic() {
                self.meet_operations(granule, (address, size), entry);
            }
            if met.atomics && entry.kind.is_write() && !entry.kind.is_atomic() {
                self.overwrite_atomics(granule, bytes);
            }
            granule += 1;
        }
    }

    /// Checks that a plain access is ordered with the operations on the synchronisation objects
    /// that cover a granule, or did.
    #[cold]
    fn meet_operations(&mut self, granule: u64, access: (u64, u64), entry: &Entry) {
        let at = granule << 3;
        for first in (at.saturating_sub(LARGEST - 8)..=at).step_by(8) {
            for size in SIZES.into_iter().filter(|size| first + size > at) {
                if let Some(object) = self.objects.find(sized(first, size)) {
                    self.meet(object, access, entry);
                }
            }
        }
    }

    /// The same for a large access.
    #[cold]
    fn meet_all_operations(&mut self, (address, size): (u64, u64), entry: &Entry) {
        let end = address.saturating_add(size);
        let within = |&(id, _): &(ObjectId, Object)| {
            bytes_of(id).is_some_and(|(first, bytes)| {
                SIZES.contains(&bytes) && first < end && address < first + bytes
            })
        };
        let mut objects: Vec<(ObjectId, Object)> = self.objects.all().filter(within).collect();
        objects.sort_unstable_by_key(|(id, _)| *id);
        for (_, object) in objects {
            self.meet(object, (address, size), entry);
        }
    }

    /// Checks that a plain access to the bytes of a synchronisation object is ordered with the
    /// operations on the object.
    fn meet(&mut self, object: Object, (address, size): (u64, u64), entry: &Entry) {
        self.objects.facts(object).plain = true;
        let clock = self.threads[entry.thread].clock();
        for thread in 0..self.threads.len() {
            let name = self.store.tick(object.touched(), thread);
            if let Some(origin) = self.store.origin(name)
                && thread != entry.thread
                && origin.tick > self.store.tick(clock, thread)
            {
                let old = Entry::new(thread, Kind::ATOMIC_WRITE, origin);
                self.races.push(Race {
                    old,
                    new: *entry,
                    address,
                    size,
                });
            }
        }
    }

    /// Records a synchronisation operation as an atomic access to its object's bytes.
    ///
    /// For objects of several granules, an operation is not written into shadow memory. Instead the
    /// object stores the last operation of each thread, and its granules refer to the object.
    pub(super) fn touch(&mut self, event: &Event, object: ObjectId, me: usize, read: bool) {
        let size = event.action.object_size();
        self.touch_bytes(event, object, size, me, read);
    }

    /// Records the access to the mutex of a condition wait.
    pub(super) fn touch_mutex(&mut self, event: &Event, me: usize) {
        self.touch_bytes(event, event.action.object2, 40, me, false);
    }

    fn touch_bytes(&mut self, event: &Event, id: ObjectId, size: u64, me: usize, read: bool) {
        if size == 0 || !id.is_address() {
            return;
        }
        let entry = self.entry(me, Kind::new(!read, true), event.action.stmt.0, event.context.0);
        if !SIZES.contains(&size) || !id.0.is_multiple_of(8) || read {
            self.bytes::<true>(id.0, size, &entry);
            return;
        }
        let object = self.objects.get(&mut self.store, sized(id.0, size));
        let facts = self.objects.facts(object);
        if !facts.marked || facts.plain || self.shadow.has_ranges() {
            self.touch_slowly(object, id.0, size, &entry);
        }
        let name = self.store.add_origin(entry.origin());
        self.store.set_tick(object.touched(), me, name);
    }

    #[cold]
    fn touch_slowly(&mut self, object: Object, address: u64, size: u64, entry: &Entry) {
        let clock = self.threads[entry.thread].clock();
        let end = address + size;
        let RaceDetector {
            shadow,
            store,
            races,
            objects,
            ..
        } = self;
        let facts = objects.facts(object);
        shadow.check_ranges(store, (address, end), entry, clock, |old| {
            races.push(Race {
                old,
                new: *entry,
                address,
                size,
            })
        });
        for granule in address >> 3..end.div_ceil(8) {
            if !facts.marked {
                shadow.set_owned(store, granule);
                let cell = shadow.cell(store, granule);
                facts.plain |= store.get(Space::Records, cell + 1) != 0;
            }
            shadow.check(store, granule, mask(granule, address, end), entry, clock, |old| {
                races.push(Race {
                    old,
                    new: *entry,
                    address,
                    size,
                });
            });
        }
        facts.marked = true;
    }
}
