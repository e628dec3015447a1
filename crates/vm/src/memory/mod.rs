//! The memory of the program under test: bounds, liveness and definedness of every byte, deterministic addresses, an
//! undo log and copy-on-write snapshots.
//!
//! Layout: owner → size class → arena of slots. An arena holds its objects' records and its pages, both in chunks
//! that snapshots share. Stepping back is by a log of old chunk contents: the first write of a step to 64 bytes saves
//! them, later ones are free. In front lie small translation caches (`tlb`).

mod address;
mod arena;
mod object;
mod page;
mod tlb;
mod undo;

pub use address::{MAX_OBJECT, OWNERS, Parts, slot_shift};
pub use object::{Kind, Life, MemoryError, Object, Site};

use crate::value::{Masks, Poison, Tag, Value};
use address::class_for;
use arena::Owner;
use page::{CHUNK, PAGE, Page, Partial};
use selvedge_model::{Access, MemoryOrder};
use std::rc::Rc;
use tlb::Tlb;
use undo::Entry;

/// Memory could not be had.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum AllocError {
    /// The object is larger than any the machine can hold.
    TooLarge,
    /// The owner's arena for this size is full.
    Full,
}

/// A kept state of the memory.
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
    read_tlb: Tlb,
    write_tlb: Tlb,
    /// Definedness masks of values.
    pub masks: Masks,
    /// What this step accessed, in the order of first accesses.
    pub accesses: Vec<Access>,
    /// Whether accesses are recorded.
    pub recording: bool,
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
            read_tlb: Tlb::new(),
            write_tlb: Tlb::new(),
            masks: Masks::default(),
            accesses: Vec::new(),
            recording: true,
        }
    }
}

impl Memory {
    /// Begins a step: forgets the accesses of the last one.
    #[inline]
    pub fn begin_step(&mut self) {
        self.step += 1;
        self.accesses.clear();
    }

    // ---- objects -------------------------------------------------------------------------------------------------

    /// Makes an object in the owner's arena of the right size class. Its bytes are undefined, or zero if `zeroed`.
    /// Private stack objects may reuse a slot at once; all others get one that was never used.
    pub fn allocate(&mut self, owner: u32, mut object: Object, align: u64) -> Result<u64, AllocError> {
        let class = class_for(object.size, align).ok_or(AllocError::TooLarge)?;
        object.life = Life::Live;
        let arena = self.arena_mut(owner, class);
        let reused = if object.kind == Kind::PrivateStack { arena.free.pop() } else { None };
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
        let base = Parts { owner, class, offset: slot << (address::MIN_SHIFT + class) }.address();
        self.set_object(base, object);
        self.blank(base, class, object.zeroed, object.size);
        Ok(base)
    }

    /// Ends an object's life. The address stays its own (no slot is used again, but those of private stack objects).
    pub fn end_object(&mut self, base: u64, life: Life, site: Site) {
        if let Some((base, mut object)) = self.object_at(base) {
            let private = object.kind == Kind::PrivateStack;
            object.life = life;
            object.ended = site;
            self.set_object(base, object);
            if private && let Some(parts) = Parts::of(base) {
                self.arena_mut(parts.owner, parts.class).free.push(parts.slot());
                self.log.push(Entry::GaveFree { owner: parts.owner, class: parts.class });
            }
        }
    }

    /// Makes a dead object live again with undefined bytes: a scope that is entered once more.
    pub fn revive(&mut self, base: u64) {
        if let (Some((base, mut object)), Some(parts)) = (self.object_at(base), Parts::of(base)) {
            object.life = Life::Live;
            self.set_object(base, object);
            self.blank(base, parts.class, object.zeroed, object.size);
        }
    }

    /// The object in whose slot an address lies, with its first address; also if it is dead.
    #[inline]
    pub fn object_at(&self, address: u64) -> Option<(u64, Object)> {
        let parts = Parts::of(address)?;
        let arena = self.arena(parts)?;
        let slot = parts.slot();
        (slot < arena.next).then(|| (parts.base(), *arena.object(slot)))
    }

    fn set_object(&mut self, base: u64, object: Object) {
        let Some(parts) = Parts::of(base) else { return };
        let slot = parts.slot();
        let arena = self.arena_mut(parts.owner, parts.class);
        let old = std::mem::replace(arena.object_mut(slot), object);
        self.saved_objects.push(old);
        self.log.push(Entry::Object { base });
        self.flush();
    }

    /// Gives a slot fresh content.
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
                    self.log.push(Entry::Page { owner: parts.owner, class, page: page as u32 });
                }
            }
            self.flush();
        } else if zeroed {
            self.fill(base, size, Value::new(0));
        } else {
            self.fill(base, size, Value::UNDEF);
        }
    }

    /// Checks that `[address, address + size)` lies in one live object (writable if `write`). Returns its base.
    pub fn check(&self, address: u64, size: u64, write: bool) -> Result<(u64, Object), MemoryError> {
        if address < 4096 {
            return Err(MemoryError::Null);
        }
        let (base, object) = self.object_at(address).ok_or(MemoryError::Invalid)?;
        if object.life != Life::Live {
            return Err(MemoryError::Dead { base, object });
        }
        if (address - base).checked_add(size).is_none_or(|end| end > object.size) {
            return Err(MemoryError::OutOfBounds { base, object });
        }
        if write && object.kind == Kind::Constant {
            return Err(MemoryError::Constant { base, object });
        }
        Ok((base, object))
    }

    // ---- scalar access -------------------------------------------------------------------------------------------

    /// Loads `size` ≤ 8 bytes if that needs no slow path: cached translation, all defined, already recorded.
    #[inline(always)]
    pub fn load_fast(&self, address: u64, size: u64) -> Option<u64> {
        self.read_tlb.load(address, size, self.step)
    }

    /// Stores `size` ≤ 8 concrete bytes if that needs no slow path: cached translation, already logged and recorded.
    #[inline(always)]
    pub fn store_fast(&mut self, address: u64, size: u64, bits: u64) -> bool {
        self.write_tlb.store(address, size, bits, self.step)
    }

    /// Loads `size` ≤ 8 bytes, little-endian, and records the access.
    #[inline(never)]
    pub fn load(&mut self, address: u64, size: u64, site: Site) -> Result<Value, MemoryError> {
        let (base, object) = self.check(address, size, false)?;
        let value = self.peek(address, size, object.zeroed);
        if self.mark_chunks(address, size, false) && object.kind != Kind::PrivateStack {
            self.record(address, size, false, site);
        }
        self.fill_tlb(address, base, object, false);
        Ok(value)
    }

    /// Stores the low `size` ≤ 8 bytes of a value and records the access.
    #[inline(never)]
    pub fn store(&mut self, address: u64, size: u64, value: Value, site: Site) -> Result<(), MemoryError> {
        let (base, object) = self.check(address, size, true)?;
        let new = self.mark_chunks(address, size, true);
        if new && object.kind != Kind::PrivateStack {
            self.record(address, size, true, site);
        }
        self.poke(address, size, value);
        self.fill_tlb(address, base, object, true);
        Ok(())
    }

    /// Loads without recording; the caller has checked the range and records it as a whole.
    pub fn peek_checked(&self, address: u64, size: u64) -> Value {
        let zeroed = self.object_at(address).is_some_and(|(_, o)| o.zeroed);
        self.peek(address, size, zeroed)
    }

    /// Stores without recording; the caller has checked the range and records it as a whole.
    pub fn poke_checked(&mut self, address: u64, size: u64, value: Value) {
        self.mark_chunks(address, size, true);
        self.poke(address, size, value);
    }

    fn peek(&self, address: u64, size: u64, zeroed: bool) -> Value {
        let (mut bits, mut undefined) = (0u64, 0u64);
        let (mut poison, mut pure) = (0u32, true);
        for i in 0..size {
            let at = address + i;
            let (byte, mask, cause) = match self.page(at) {
                Some(page) => {
                    let offset = at as usize % PAGE;
                    let mut mask = 0u8;
                    let mut cause = 0;
                    if page.chunks[offset / CHUNK].undefined >> (offset % CHUNK) & 1 == 1 {
                        mask = 0xff;
                        if let Some(p) = page.partial.as_ref().and_then(|p| p.get(&(offset as u16))) {
                            (mask, cause) = (p.mask, p.poison);
                        }
                    }
                    (page.data[offset], mask, cause)
                }
                None => (0, if zeroed { 0 } else { 0xff }, 0),
            };
            bits |= u64::from(byte) << (8 * i);
            undefined |= u64::from(mask) << (8 * i);
            if i == 0 {
                poison = cause;
            }
            pure &= cause == poison;
        }
        // Poison survives in memory only as a whole value; parts of it are undefined.
        if poison != 0 && pure {
            return Value { bits, tag: Tag(poison) };
        }
        if undefined == 0 { Value::new(bits) } else { self.undefined_value(bits, undefined) }
    }

    fn undefined_value(&self, bits: u64, undefined: u64) -> Value {
        // Interning needs no undo and no exclusive access from outside: see `Masks`.
        self.masks.value(bits, undefined)
    }

    /// Writes bytes of chunks that `mark_chunks` has prepared.
    fn poke(&mut self, address: u64, size: u64, value: Value) {
        let undefined = self.masks.undefined_bits(value.tag);
        let poison = if value.tag.as_poison().is_some() { value.tag.0 } else { 0 };
        let zeroed = self.object_at(address).is_some_and(|(_, o)| o.zeroed);
        for i in 0..size {
            let at = address + i;
            let byte = (value.bits >> (8 * i)) as u8;
            let mask = (undefined >> (8 * i)) as u8;
            let offset = at as usize % PAGE;
            let page = self.page_mut(at, zeroed);
            page.data[offset] = byte;
            let bit = 1u64 << (offset % CHUNK);
            let chunk = &mut page.chunks[offset / CHUNK];
            let was = chunk.undefined & bit != 0;
            if mask == 0 {
                chunk.undefined &= !bit;
            } else {
                chunk.undefined |= bit;
            }
            let partial = (mask != 0 && (mask != 0xff || poison != 0)).then_some(Partial { mask, poison });
            if (was && page.partial.is_some()) || partial.is_some() {
                self.set_partial(at, partial);
            }
        }
    }

    fn set_partial(&mut self, address: u64, partial: Option<Partial>) {
        let offset = (address as usize % PAGE) as u16;
        let page = self.page_mut(address, false);
        let old = match partial {
            Some(p) => page.partial.get_or_insert_default().insert(offset, p),
            None => page.partial.as_mut().and_then(|map| map.remove(&offset)),
        };
        if old != partial {
            self.log.push(Entry::Partial { address, old });
        }
    }

    // ---- ranges --------------------------------------------------------------------------------------------------

    /// Fills a checked range with one byte value (its low 8 bits and their definedness), without recording.
    pub fn fill(&mut self, address: u64, len: u64, byte: Value) {
        let mut word = byte;
        if byte.is_concrete() {
            word.bits = (byte.bits & 0xff) * 0x0101_0101_0101_0101;
        } else if byte.tag != Tag::UNDEF {
            for i in 0..len {
                self.poke_checked(address + i, 1, byte);
            }
            return;
        }
        let mut i = 0;
        while i < len {
            let size = (8 - (address + i) % 8).min(len - i);
            self.poke_checked(address + i, size, word);
            i += size;
        }
    }

    /// Copies a checked range with its definedness, as memmove does, without recording.
    pub fn copy(&mut self, to: u64, from: u64, len: u64) {
        let backwards = to > from && to < from + len;
        let mut done = 0;
        while done < len {
            let size = 8.min(len - done);
            let at = if backwards { len - done - size } else { done };
            let value = self.peek_checked(from + at, size);
            self.poke_checked(to + at, size, value);
            done += size;
        }
    }

    /// Notes an access; merges it with a neighbour of the same statement.
    #[inline]
    pub fn record(&mut self, address: u64, size: u64, write: bool, site: Site) {
        if !self.recording || size == 0 {
            return;
        }
        for access in self.accesses.iter_mut().rev().take(4) {
            let same = access.stmt == site.stmt && access.write == write && access.context == site.context;
            if same && access.address + u64::from(access.size) == address && u64::from(access.size) + size < 1 << 31 {
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

    /// Marks bytes as touched in this step; saves chunks about to be written for the first time. Whether any byte was
    /// not yet known as touched in this way.
    fn mark_chunks(&mut self, address: u64, size: u64, write: bool) -> bool {
        let (mut at, end, mut new) = (address, address + size, false);
        while at < end {
            let offset = at as usize % CHUNK;
            let bytes = (CHUNK - offset).min((end - at) as usize);
            let mask = if bytes == CHUNK { u64::MAX } else { ((1u64 << bytes) - 1) << offset };
            new |= self.mark_chunk(at, mask, write);
            at += bytes as u64;
        }
        new
    }

    fn mark_chunk(&mut self, at: u64, mask: u64, write: bool) -> bool {
        let step = self.step;
        let zeroed = self.object_at(at).is_some_and(|(_, o)| o.zeroed);
        if !write && self.page(at).is_none() {
            return true;
        }
        let page = self.page_mut(at, zeroed);
        let index = at as usize % PAGE / CHUNK;
        let chunk = &mut page.chunks[index];
        if chunk.stamp != step {
            (chunk.stamp, chunk.read, chunk.written) = (step, 0, 0);
        }
        if !write {
            let new = mask & !(chunk.read | chunk.written) != 0;
            chunk.read |= mask;
            return new;
        }
        let new = mask & !chunk.written != 0;
        let first = chunk.written == 0;
        chunk.written |= mask;
        if first {
            let undefined = chunk.undefined;
            let mut data = [0; CHUNK];
            data.copy_from_slice(&page.data[index * CHUNK..(index + 1) * CHUNK]);
            self.saved_chunks.push(data);
            self.log.push(Entry::Chunk { address: at & !(CHUNK as u64 - 1), undefined });
        }
        new
    }

    fn fill_tlb(&mut self, address: u64, base: u64, object: Object, write: bool) {
        let page_base = address & !(PAGE as u64 - 1);
        let low = base.max(page_base);
        let high = (base + object.size).min(page_base + PAGE as u64);
        if self.page(address).is_none() {
            return;
        }
        let page = self.page_mut(address, object.zeroed) as *mut Page;
        if write { &mut self.write_tlb } else { &mut self.read_tlb }.fill(low, high, page);
    }

    #[inline]
    fn flush(&mut self) {
        self.read_tlb.flush();
        self.write_tlb.flush();
    }

    // ---- convenience for models ----------------------------------------------------------------------------------

    /// Whether a poison cause means an access through the value is out of bounds.
    pub fn out_of_object(tag: Tag) -> bool {
        tag.as_poison() == Some(Poison::OutOfObject)
    }
}
