//! The memory of the program under test: bounds, liveness and definedness of every byte,
//! deterministic addresses, an undo log and copy-on-write snapshots.
//!
//! Layout: owner → size class → arena of slots. An arena holds its objects' records and its pages,
//! both in chunks that snapshots share. Undo uses a log of old chunk contents: the first write of a
//! step to 64 bytes saves them, and later writes are free. Small translation caches (`tlb`) make
//! the common accesses fast.

mod access;
mod address;
mod arena;
mod contents;
mod counted;
mod fragments;
mod known;
mod object;
mod page;
mod pointers;
mod protection;
mod range;
mod tlb;
mod undo;
mod unwritten;
mod watched;

pub(crate) use address::beyond_objects;
pub use address::{MAX_OBJECT, OWNERS, Parts, class_for, has_left, slot_shift};
pub(crate) use arena::unshared;
pub(crate) use contents::Content;
pub(crate) use known::Row;
pub use object::{Kind, Life, Maker, MemoryError, Object, Refused, Site};
pub(crate) use pointers::Word;
pub(crate) use unwritten::address_of;

use crate::counters::Counters;
use crate::value::{Tags, Value};
use arena::Owner;
use known::Known;
use page::{CHUNK, PAGE, Page};
use protection::Protections;
use selvedge_base::StopFlag;
use selvedge_model::{Access, MemoryOrder};
use std::cell::Cell;
use std::rc::Rc;
use tlb::Tlb;
use undo::Entry;
use watched::Watched;

/// A range without bytes.
const NOWHERE: (u64, u64) = (u64::MAX, 0);

/// Memory could not be allocated.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum AllocError {
    /// The object is larger than any the machine can hold.
    TooLarge,
    /// The owner's arena for this size is full.
    Full,
}

/// A saved state of the memory.
#[cfg(feature = "laboratory")]
#[derive(Clone)]
pub struct MemoryState {
    owners: Vec<Option<Rc<Owner>>>,
}

/// The memory. See the module's documentation.
pub struct Memory {
    owners: Vec<Option<Rc<Owner>>>,
    log: Vec<Entry>,
    saved_chunks: Vec<[u8; CHUNK]>,
    saved_objects: Vec<Object>,
    saved_pages: Vec<Option<Rc<Page>>>,
    step: u64,
    /// The position at which the accesses of the present part begin.
    part: usize,
    read_tlb: Tlb,
    write_tlb: Tlb,
    /// The bytes of the live object that was last found to be writable. Dropped together with the
    /// cached translations.
    writable: Cell<(u64, u64)>,
    /// The meanings of the tags of values. Entries are only added, by all code that computes.
    pub tags: Tags,
    /// The accesses of this step, in the order of first accesses.
    accesses: Vec<Access>,
    /// True if accesses are recorded.
    recording: bool,
    /// True if the places of allocation of heap objects are part of states.
    places: bool,
    /// True if bytes that were never written are inputs: writing an undefined value is a write.
    unwritten: bool,
    /// Interrupts long operations when it is set.
    stop: StopFlag,
    /// True if something was interrupted: the effect of this step must not be used.
    cut: bool,
    /// True if nothing is interrupted.
    deaf: bool,
    /// Where pointers were found to point rightly.
    known: Known,
    /// Bytes whose writes are noticed.
    watched: Watched,
    /// Lists of protected pages. Entries are only added.
    protections: Protections,
    /// Variables to which threads add in any order.
    pub(crate) counters: Option<Rc<Counters>>,
}

impl Default for Memory {
    fn default() -> Self {
        Memory {
            owners: Vec::new(),
            log: Vec::new(),
            saved_chunks: Vec::new(),
            saved_objects: Vec::new(),
            saved_pages: Vec::new(),
            step: 1,
            part: 0,
            read_tlb: Tlb::new(),
            write_tlb: Tlb::new(),
            writable: Cell::new(NOWHERE),
            tags: Tags::default(),
            accesses: Vec::new(),
            recording: true,
            places: false,
            unwritten: false,
            stop: StopFlag::new(),
            cut: false,
            deaf: false,
            known: Known::default(),
            watched: Watched::default(),
            protections: Protections::default(),
            counters: None,
        }
    }
}

impl Memory {
    /// Sets whether the places of allocation of heap objects are part of states, and the flag that
    /// interrupts long operations.
    pub fn configure(&mut self, places: bool, stop: StopFlag) {
        (self.places, self.stop) = (places, stop);
    }

    /// Sets that bytes that were never written are inputs.
    pub fn set_unwritten_inputs(&mut self, unwritten: bool) {
        self.unwritten = unwritten;
    }

    /// The accesses of this step, in the order of first accesses.
    #[inline]
    pub fn accesses(&self) -> &[Access] {
        &self.accesses
    }

    /// Whether accesses are recorded.
    #[inline]
    pub fn is_recording(&self) -> bool {
        self.recording
    }

    /// Sets whether accesses are recorded. Returns the old setting.
    #[inline]
    pub fn set_recording(&mut self, recording: bool) -> bool {
        std::mem::replace(&mut self.recording, recording)
    }

    /// True if something was interrupted: the effect of this step must not be used.
    #[inline]
    pub fn was_cut(&self) -> bool {
        self.cut && !self.deaf
    }

    /// Sets whether the stop flag is ignored.
    pub fn set_deaf(&mut self, deaf: bool) {
        self.deaf = deaf;
    }

    /// Records an access as it is, if accesses are recorded.
    #[inline]
    pub fn record_access(&mut self, access: Access) {
        if self.recording {
            self.accesses.push(access);
        }
    }

    /// Records a fence, if accesses are recorded. What comes after it is ordered differently, so it
    /// is recorded again.
    pub fn record_fence(&mut self, fence: Access) {
        if self.recording {
            self.begin_part();
            self.accesses.push(fence);
        }
    }

    /// Drops all accesses of the step that do not fulfil a condition.
    pub fn retain_accesses(&mut self, condition: impl Fn(&Access) -> bool) {
        self.accesses.retain(condition);
    }

    /// Begins a step and drops the accesses of the last one.
    #[inline]
    pub fn begin_step(&mut self) {
        self.step += 1;
        self.part = 0;
        self.accesses.clear();
    }

    /// Drops the accesses of the step, except for the first `keep`.
    #[cold]
    pub fn forget_accesses(&mut self, keep: usize) {
        self.accesses.truncate(keep);
        self.part = self.accesses.len();
    }

    /// Begins a part of the step. Later accesses are ordered differently than earlier ones, so they
    /// are recorded again. Returns the number of accesses so far.
    pub fn begin_part(&mut self) -> u32 {
        self.step += 1;
        self.part = self.accesses.len();
        self.part as u32
    }

    /// Begins a round of a loop: its writes are saved, and its accesses recorded, whatever the step
    /// has done before.
    pub fn begin_round(&mut self) {
        self.begin_part();
    }

    /// Whether it was told to stop. Then it compares no contents any more.
    pub fn is_told_to_stop(&self) -> bool {
        self.stop.is_set()
    }

    /// Begins an attempt, whose changes may be undone separately: they are saved whatever the step
    /// has saved before. Returns the accesses so far, for [`end_attempt`](Memory::end_attempt).
    pub fn begin_attempt(&mut self) -> (usize, Vec<Access>) {
        self.step += 1;
        (std::mem::take(&mut self.part), std::mem::take(&mut self.accesses))
    }

    /// Ends an attempt, and continues the step.
    pub fn end_attempt(&mut self, (part, accesses): (usize, Vec<Access>)) {
        self.part = part;
        self.accesses.splice(0..0, accesses);
    }

    // ---- objects
    // ---------------------------------------------------------------------------------------------

    /// Makes an object in the owner's arena of the right size class. Its bytes are undefined, or
    /// zero if `zeroed`. Private stack objects may reuse a slot at once; all others get a new slot.
    pub fn allocate(&mut self, owner: u32, object: Object, align: u64) -> Result<u64, AllocError> {
        let class = class_for(object.size, align).ok_or(AllocError::TooLarge)?;
        let arena = self.arena_mut(owner, class);
        let reused = if object.kind == Kind::PrivateStack {
            arena.free.pop()
        } else {
            None
        };
        let slot = match reused {
            Some(slot) => {
                self.log.push(Entry::TookFree { owner, class, slot });
                slot
            }
            None => {
                let slot = arena.next;
                if u64::from(slot) >= 1 << (address::OFFSET_BITS - address::MIN_SHIFT - class) {
                    return Err(AllocError::Full);
                }
                arena.next += 1;
                arena.reserve(slot, class);
                self.log.push(Entry::Bumped { owner, class });
                slot
            }
        };
        let base = Parts {
            owner,
            class,
            offset: slot << (address::MIN_SHIFT + class),
        }
        .address();
        self.set_object(base, object);
        self.blank(base, class, object.zeroed, object.size);
        Ok(base)
    }

    /// True if so many slots of this arena have no live object, while its last slot has just been
    /// made. Looks only now and then: at most four times while the arena doubles.
    pub fn has_many_dead(&self, last: u64, many: u32) -> bool {
        let Some((parts, arena)) = Parts::of(last).and_then(|parts| Some((parts, self.arena(parts)?))) else {
            return false;
        };
        let step = 1_u32 << arena.next.ilog2().saturating_sub(2);
        parts.slot() + 1 == arena.next
            && arena.next > many
            && arena.next.is_multiple_of(step)
            && (0..arena.next)
                .filter(|&slot| arena.object(slot).life != Life::Live)
                .count() as u32
                >= many
    }

    /// Ends an object for good, whether its scope has ended before or not. The address stays
    /// reserved until the slot is reused. Slots of private stack objects are reused at once, and
    /// the last ones of an arena are given back: how deep a thread's calls once were makes no
    /// difference to its state.
    pub fn end_object(&mut self, base: u64, life: Life, site: Site) {
        if let Some((base, mut object)) = self.object_at(base) {
            let private = object.kind == Kind::PrivateStack;
            let in_scope = object.life != Life::OutOfScope;
            if in_scope {
                object.life = life;
                object.ended = site;
            }
            // A record that may vanish has to be in the log, whether it changes or not.
            if in_scope || private {
                self.set_object(base, object);
            }
            if private && let Some(parts) = Parts::of(base) {
                self.give_slot(parts);
            }
        }
    }

    /// Gives the slot of a private stack object back.
    fn give_slot(&mut self, parts: Parts) {
        let Parts { owner, class, .. } = parts;
        let arena = self.arena_mut(owner, class);
        if parts.slot() + 1 != arena.next {
            arena.free.push(parts.slot());
            self.log.push(Entry::GaveFree { owner, class });
            return;
        }
        self.lower(owner, class);
        while let arena = self.arena_mut(owner, class)
            && let Some(slot) = arena.free.pop_if(|&mut slot| slot + 1 == arena.next)
        {
            self.log.push(Entry::TookFree { owner, class, slot });
            let offset = slot << (address::MIN_SHIFT + class);
            let base = Parts { offset, ..parts }.address();
            if let Some((base, object)) = self.object_at(base) {
                self.set_object(base, object);
            }
            self.lower(owner, class);
        }
    }

    /// The last slot of an arena becomes one that was never used.
    fn lower(&mut self, owner: u32, class: u32) {
        self.arena_mut(owner, class).next -= 1;
        self.log.push(Entry::Lowered { owner, class });
    }

    /// Ends the scope of an object that keeps its slot. Another life may
    /// [begin](Memory::begin_life) there.
    pub fn end_life(&mut self, base: u64, site: Site) {
        if let Some((base, object)) = self.object_at(base) {
            let object = Object {
                life: Life::OutOfScope,
                ended: site,
                ..object
            };
            self.set_object(base, object);
        }
    }

    /// Begins the life of an object that has a slot. Its bytes are undefined, whatever they were
    /// before.
    pub fn begin_life(&mut self, base: u64, site: Site) {
        if let Some((base, object)) = self.object_at(base) {
            // It may be in a slot that was reused.
            let reborn = object.reborn || object.life != Life::Unborn;
            let object = Object {
                life: Life::Live,
                made: site,
                ended: Site::default(),
                ..object
            };
            self.renew(base, object, reborn);
        }
    }

    /// Makes an object in a slot whose object is dead.
    pub fn reuse(&mut self, base: u64, object: Object) {
        self.renew(base, object, true);
    }

    fn renew(&mut self, base: u64, object: Object, reborn: bool) {
        if let Some(parts) = Parts::of(base) {
            let reborn = reborn && self.unwritten && object.kind != Kind::PrivateStack;
            let object = Object { reborn, ..object };
            self.set_object(base, object);
            self.blank(base, parts.class, object.zeroed, object.size);
            self.unknown(base, object.size);
        }
    }

    /// How many bytes the slot at an address has.
    pub fn slot_size(&self, address: u64) -> u64 {
        1 << slot_shift(address)
    }

    /// The object in whose slot an address lies, with its first address. The object may be dead.
    #[inline]
    pub fn object_at(&self, address: u64) -> Option<(u64, Object)> {
        self.find(address).map(|(base, object)| (base, *object))
    }

    #[inline]
    fn find(&self, address: u64) -> Option<(u64, &Object)> {
        let parts = Parts::of(address)?;
        let arena = self.arena(parts)?;
        let slot = parts.slot();
        (slot < arena.next).then(|| (parts.base(), arena.object(slot)))
    }

    fn set_object(&mut self, base: u64, object: Object) {
        let Some(parts) = Parts::of(base) else { return };
        let slot = parts.slot();
        self.known.is_here(base, &object);
        let arena = self.arena_mut(parts.owner, parts.class);
        let old = std::mem::replace(arena.object_mut(slot), object);
        self.saved_objects.push(old);
        self.log.push(Entry::Object { base });
        self.forget(base);
    }

    /// Gives a slot fresh contents.
    fn blank(&mut self, base: u64, class: u32, zeroed: bool, size: u64) {
        let Some(parts) = Parts::of(base) else { return };
        let slot_bytes = 1usize << (address::MIN_SHIFT + class);
        if slot_bytes >= PAGE {
            let first = parts.offset as usize / PAGE;
            for page in first..first + slot_bytes / PAGE {
                let arena = self.arena_mut(parts.owner, class);
                if let Some(place) = arena.page_slot(page).filter(|p| p.is_some()) {
                    let old = place.take();
                    self.saved_pages.push(old);
                    self.log.push(Entry::Page {
                        owner: parts.owner,
                        class,
                        page: page as u32,
                    });
                }
            }
            self.flush();
        } else if zeroed {
            self.fill(base, size, Value::new(0));
        } else {
            self.undefine(base, size);
        }
    }

    /// Later accesses of this step to these bytes are recorded again, because the bytes belong to
    /// another object.
    fn unknown(&mut self, base: u64, size: u64) {
        let step = self.step;
        let mut at = base & !(CHUNK as u64 - 1);
        while at < base + size {
            let offset = at as usize % PAGE;
            if self.page(at).is_some() {
                let chunk = &mut self.page_mut(at).chunks[offset / CHUNK];
                if chunk.stamp == step {
                    (chunk.read, chunk.written) = (0, 0);
                }
            }
            at += CHUNK as u64;
        }
    }

    /// Checks that `[address, address + size)` lies in one live object (writable if `write`).
    /// Returns its base.
    pub fn check(&self, address: u64, size: u64, write: bool) -> Result<(u64, &Object), MemoryError> {
        if address < 4096 {
            return Err(MemoryError::Null);
        }
        let (base, object) = self.find(address).ok_or(MemoryError::Invalid)?;
        let in_bounds = (address - base)
            .checked_add(size)
            .is_some_and(|end| end <= object.size);
        let protected = match object.protection {
            0 => None,
            _ => self.refused(object, address - base, size, write),
        };
        let refused =
            protected.is_some() || object.kind == Kind::Missing || write && object.kind == Kind::Constant;
        if object.life == Life::Live && in_bounds && !refused {
            return Ok((base, object));
        }
        let object = *object;
        if object.kind == Kind::Missing {
            return Err(MemoryError::Missing { object });
        }
        Err(match (object.life, in_bounds, protected) {
            (Life::Live, true, Some(refused)) => MemoryError::Protected {
                base,
                object,
                refused,
            },
            (Life::Live, true, None) => MemoryError::Constant { base, object },
            (Life::Live, false, _) => MemoryError::OutOfBounds { base, object },
            _ => MemoryError::Dead { base, object },
        })
    }

    /// [`Memory::check`] for a write, when the same object is checked again and again.
    #[inline]
    pub fn check_again(&self, address: u64, size: u64) -> Result<(), MemoryError> {
        let (start, end) = self.writable.get();
        if start <= address && size <= end.saturating_sub(address) {
            return Ok(());
        }
        let (base, object) = self.check(address, size, true)?;
        if object.protection == 0 {
            self.writable.set((base, base + object.size));
        }
        Ok(())
    }

    /// A range around an address at which `size` bytes cannot be accessed for another reason than
    /// that pages are protected. No access of this size can begin in the range. Returns its first
    /// address and its length.
    pub fn gap(&self, address: u64, size: u64) -> (u64, u64) {
        let Some(parts) = Parts::of(address) else {
            let arenas = 1u64 << 46;
            return if address < arenas {
                (0, arenas)
            } else {
                (2 * arenas, (2 * arenas).wrapping_neg())
            };
        };
        let slot = 1u64 << slot_shift(address);
        match self.find(address) {
            Some((base, object))
                if object.life == Life::Live
                    && object.size >= size
                    && address - base > object.size - size =>
            {
                let first = base + object.size - size + 1;
                (first, base + slot - first)
            }
            Some((base, _)) => (base, slot),
            None => {
                // No object has one of the classes above the largest.
                let next = self.next_slot(parts);
                let first = Parts {
                    offset: next.checked_shl(address::MIN_SHIFT + parts.class).unwrap_or(0),
                    ..parts
                };
                let end = (address | ((1 << address::OFFSET_BITS) - 1)) + 1;
                (first.address(), end - first.address())
            }
        }
    }

    /// The first slot of an arena that was never used.
    fn next_slot(&self, parts: Parts) -> u32 {
        self.arena(parts).map_or(0, |arena| arena.next)
    }

    // ---- the record and the caches
    // ---------------------------------------------------------------------------------

    /// Records an access; merges it with a neighbouring access of the same statement.
    #[inline]
    pub fn record(&mut self, address: u64, size: u64, write: bool, site: Site) {
        if !self.recording || size == 0 {
            return;
        }
        for access in self.accesses[self.part..].iter_mut().rev().take(4) {
            let same = access.stmt == site.stmt && access.write == write && access.context == site.context;
            if same
                && access.address + u64::from(access.size) == address
                && u64::from(access.size) + size < 1 << 31
            {
                access.size += size as u32;
                return;
            }
        }
        self.accesses.push(Access {
            address,
            context: site.context,
            stmt: site.stmt,
            size: size.min(u64::from(u32::MAX)) as u32,
            write,
            order: MemoryOrder::NotAtomic,
        });
    }

    /// Drops cached translations of the object at `base`.
    #[inline]
    fn forget(&mut self, base: u64) {
        let shift = slot_shift(base);
        self.writable.set(NOWHERE);
        self.read_tlb.forget(base, shift);
        self.write_tlb.forget(base, shift);
    }

    #[inline]
    fn flush(&mut self) {
        self.known.forget();
        self.writable.set(NOWHERE);
        self.read_tlb.flush();
        self.write_tlb.flush();
    }
}
