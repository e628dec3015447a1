//! The memory of the program under test: bounds, liveness and definedness of every byte, deterministic addresses, an
//! undo log and copy-on-write snapshots.
//!
//! Layout: owner → size class → arena of slots. An arena holds its objects' records and its pages, both in chunks
//! that snapshots share. Stepping back is by a log of old chunk contents: the first write of a step to 64 bytes saves
//! them, later ones are free. In front lie small translation caches (`tlb`).

mod address;
mod arena;
mod fragments;
mod object;
mod page;
mod tlb;
mod undo;

pub use address::{MAX_OBJECT, OWNERS, Parts, class_for, slot_shift};
pub use object::{Kind, Life, MemoryError, Object, Site};

use crate::value::{Symbol, Tag, Tags, Value};
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
    /// The value of `step` when the present step began; it is higher in its later parts.
    first: u64,
    /// Where the accesses of the present part begin.
    part: usize,
    read_tlb: Tlb,
    write_tlb: Tlb,
    /// What tags of values stand for.
    pub tags: Tags,
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
            first: 1,
            part: 0,
            read_tlb: Tlb::new(),
            write_tlb: Tlb::new(),
            tags: Tags::default(),
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
        self.first = self.step;
        self.part = 0;
        self.accesses.clear();
    }

    /// What comes from here on is ordered otherwise than what came before in the same step: accesses are recorded anew.
    /// How many there are by now.
    pub fn begin_part(&mut self) -> u32 {
        self.step += 1;
        self.part = self.accesses.len();
        self.part as u32
    }

    // ---- objects -------------------------------------------------------------------------------------------------

    /// Makes an object in the owner's arena of the right size class. Its bytes are undefined, or zero if `zeroed`.
    /// Private stack objects may reuse a slot at once; all others get one that was never used.
    pub fn allocate(&mut self, owner: u32, mut object: Object, align: u64) -> Result<u64, AllocError> {
        let class = class_for(object.size, align).ok_or(AllocError::TooLarge)?;
        object.life = Life::Live;
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

    /// Ends an object's life. The address stays its own until the slot is used again: those of private stack objects at once.
    pub fn end_object(&mut self, base: u64, life: Life, site: Site) {
        if let Some((base, mut object)) = self.object_at(base) {
            let private = object.kind == Kind::PrivateStack;
            object.life = life;
            object.ended = site;
            self.set_object(base, object);
            if private && let Some(parts) = Parts::of(base) {
                self.arena_mut(parts.owner, parts.class).free.push(parts.slot());
                self.log.push(Entry::GaveFree {
                    owner: parts.owner,
                    class: parts.class,
                });
            }
        }
    }

    /// Makes an object in a slot whose object is dead.
    pub fn reuse(&mut self, base: u64, object: Object) {
        if let Some(parts) = Parts::of(base) {
            let object = Object {
                life: Life::Live,
                ..object
            };
            self.set_object(base, object);
            self.blank(base, parts.class, object.zeroed, object.size);
        }
    }

    /// How many bytes the slot at an address has.
    pub fn slot_size(&self, address: u64) -> u64 {
        1 << slot_shift(address)
    }

    /// The object in whose slot an address lies, with its first address; also if it is dead.
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
        let arena = self.arena_mut(parts.owner, parts.class);
        let old = std::mem::replace(arena.object_mut(slot), object);
        self.saved_objects.push(old);
        self.log.push(Entry::Object { base });
        self.forget(base);
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
            self.fill(base, size, Value::UNDEF);
        }
    }

    /// Checks that `[address, address + size)` lies in one live object (writable if `write`). Returns its base.
    pub fn check(&self, address: u64, size: u64, write: bool) -> Result<(u64, &Object), MemoryError> {
        if address < 4096 {
            return Err(MemoryError::Null);
        }
        let (base, object) = self.find(address).ok_or(MemoryError::Invalid)?;
        let in_bounds = (address - base)
            .checked_add(size)
            .is_some_and(|end| end <= object.size);
        if object.life == Life::Live && in_bounds && !(write && object.kind == Kind::Constant) {
            return Ok((base, object));
        }
        let object = *object;
        Err(match (object.life, in_bounds) {
            (Life::Live, true) => MemoryError::Constant { base, object },
            (Life::Live, false) => MemoryError::OutOfBounds { base, object },
            _ => MemoryError::Dead { base, object },
        })
    }

    /// A range around an address at which `size` bytes cannot be accessed in which no access of so many bytes can begin: its first
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
                let next = self.next_slot(parts);
                let first = Parts {
                    offset: next << (address::MIN_SHIFT + parts.class),
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
        if let Some((page, private)) = self.read_tlb.open(address, size) {
            let offset = address as usize % PAGE;
            let mask = (u64::MAX >> (64 - size)) << (offset % CHUNK);
            let chunk = &mut page.chunks[offset / CHUNK];
            if chunk.undefined & mask == 0 {
                chunk.enter(self.step);
                let new = mask & !(chunk.read | chunk.written) != 0;
                chunk.read |= mask;
                let bits = page.bits(offset, size);
                if new && !private {
                    self.record(address, size, false, site);
                }
                return Ok(Value::new(bits));
            }
        }
        self.load_slowly(address, size, site)
    }

    /// The same without the cache, which then knows the object.
    #[inline(never)]
    fn load_slowly(&mut self, address: u64, size: u64, site: Site) -> Result<Value, MemoryError> {
        let (base, object) = self.check(address, size, false)?;
        let (private, len) = (object.kind == Kind::PrivateStack, object.size);
        let offset = address as usize % PAGE;
        let bit = offset % CHUNK;
        let step = self.step;
        if bit + size as usize > CHUNK || self.page(address).is_none() {
            let value = self.peek(address, size);
            if !private {
                self.record(address, size, false, site);
            }
            return Ok(value);
        }
        let page = self.page_mut(address);
        let chunk = &mut page.chunks[offset / CHUNK];
        let mask = (u64::MAX >> (64 - size)) << bit;
        chunk.enter(step);
        let new = mask & !(chunk.read | chunk.written) != 0;
        chunk.read |= mask;
        let value = if chunk.undefined & mask == 0 {
            Some(page.bits(offset, size))
        } else {
            None
        };
        let page: *mut Page = page;
        self.read_tlb.fill(address, base, len, private, page);
        if new && !private {
            self.record(address, size, false, site);
        }
        Ok(match value {
            Some(bits) => Value::new(bits),
            None => self.peek(address, size),
        })
    }

    /// Stores the low `size` ≤ 8 bytes of a value and records the access.
    #[inline(never)]
    pub fn store(&mut self, address: u64, size: u64, value: Value, site: Site) -> Result<(), MemoryError> {
        if value.is_concrete()
            && let Some((page, private)) = self.write_tlb.open(address, size)
            && let offset = address as usize % PAGE
            && let mask = (u64::MAX >> (64 - size)) << (offset % CHUNK)
            && (page.partial.is_none() || page.chunks[offset / CHUNK].undefined & mask == 0)
        {
            let chunk = &mut page.chunks[offset / CHUNK];
            chunk.enter(self.step);
            let new = mask & !chunk.written != 0;
            if chunk.written == 0 {
                let undefined = chunk.undefined;
                self.saved_chunks.push(page.data.as_chunks().0[offset / CHUNK]);
                self.log.push(Entry::Chunk {
                    address: address & !(CHUNK as u64 - 1),
                    undefined,
                });
            }
            let chunk = &mut page.chunks[offset / CHUNK];
            chunk.written |= mask;
            chunk.undefined &= !mask;
            page.set_bits(offset, size, value.bits);
            if new && !private {
                self.record(address, size, true, site);
            }
            return Ok(());
        }
        self.store_slowly(address, size, value, site)
    }

    /// The same without the cache, which then knows the object.
    #[inline(never)]
    fn store_slowly(&mut self, address: u64, size: u64, value: Value, site: Site) -> Result<(), MemoryError> {
        let (base, object) = self.check(address, size, true)?;
        let (private, len) = (object.kind == Kind::PrivateStack, object.size);
        let new = self.write(address, size, value);
        if new && !private {
            self.record(address, size, true, site);
        }
        let page: *mut Page = self.page_mut(address);
        self.write_tlb.fill(address, base, len, private, page);
        Ok(())
    }

    /// Loads without recording; the caller has checked the range and records it as a whole.
    #[inline]
    pub fn peek_checked(&self, address: u64, size: u64) -> Value {
        let offset = address as usize % PAGE;
        let bit = offset % CHUNK;
        if bit + size as usize <= CHUNK
            && let Some(page) = self.page(address)
            && page.chunks[offset / CHUNK].undefined & (u64::MAX >> (64 - size)) << bit == 0
        {
            return Value::new(page.bits(offset, size));
        }
        self.peek(address, size)
    }

    /// Stores without recording; the caller has checked the range and records it as a whole.
    #[inline]
    pub fn poke_checked(&mut self, address: u64, size: u64, value: Value) {
        self.write(address, size, value);
    }

    fn peek(&self, address: u64, size: u64) -> Value {
        let zeroed = self.object_at(address).is_some_and(|(_, o)| o.zeroed);
        let (mut bits, mut undefined) = (0u64, 0u64);
        let (mut poison, mut pure) = (0u32, true);
        let mut symbolic = false;
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
                            symbolic |= p.expr.is_some();
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
        if symbolic {
            return self.peek_symbolic(address, size, undefined);
        }
        // Poison survives in memory only as a whole value; parts of it are undefined.
        if poison != 0 && pure {
            return Value {
                bits,
                tag: Tag(poison),
            };
        }
        if undefined == 0 {
            Value::new(bits)
        } else {
            self.tags.value(bits, undefined)
        }
    }

    /// The same where at least one byte is symbolic.
    #[cold]
    fn peek_symbolic(&self, address: u64, size: u64, undefined: u64) -> Value {
        let arena = &self.tags.arena;
        let (mut whole, mut home, mut same) = (None, 0, true);
        for i in 0..size {
            let at = address + i;
            let offset = at as usize % PAGE;
            let page = self.page(at);
            let partial = page
                .filter(|page| page.chunks[offset / CHUNK].undefined >> (offset % CHUNK) & 1 == 1)
                .and_then(|page| page.partial.as_ref()?.get(&(offset as u16)));
            let byte = match partial.and_then(|p| p.expr) {
                Some(expr) => expr,
                None => arena.constant(8, page.map_or(0, |page| u128::from(page.data[offset]))),
            };
            let from = partial.map_or(0, |p| p.home);
            if i == 0 {
                home = from;
            }
            same &= from == home;
            whole = Some(match whole {
                None => byte,
                Some(low) => arena.concat(byte, low),
            });
        }
        match whole {
            Some(expr) => self.tags.symbolic(Symbol {
                expr,
                undefined,
                home: if same && size == 8 { home } else { 0 },
            }),
            None => Value::new(0),
        }
    }

    /// Writes `size` ≤ 8 bytes, saving the chunks first. Whether any of them was not yet written in this step.
    fn write(&mut self, address: u64, size: u64, value: Value) -> bool {
        let offset = address as usize % PAGE;
        let bit = offset % CHUNK;
        if bit + size as usize > CHUNK {
            let first = (CHUNK - bit) as u64;
            let low = self.write_chunk(address, first, value);
            let rest = Value {
                bits: value.bits >> (8 * first),
                tag: value.tag,
            };
            let rest = if value.is_concrete() || value.tag.as_poison().is_some() {
                rest
            } else if let Some(symbol) = self.tags.symbol(value.tag) {
                let whole = self.tags.fit(symbol.expr, 64);
                let by = (8 * first) as u8;
                self.tags.symbolic(Symbol {
                    expr: self.tags.arena.extract(whole, by, 64 - by),
                    undefined: symbol.undefined >> by,
                    ..symbol
                })
            } else {
                self.tags
                    .value(rest.bits, self.tags.undefined_bits(value.tag) >> (8 * first))
            };
            return low | self.write_chunk(address + first, size - first, rest);
        }
        self.write_chunk(address, size, value)
    }

    /// The same within one chunk.
    #[inline]
    fn write_chunk(&mut self, address: u64, size: u64, value: Value) -> bool {
        let offset = address as usize % PAGE;
        let mask = (u64::MAX >> (64 - size)) << (offset % CHUNK);
        let (page, new) = self.open_chunk(address, mask);
        let plain = page.partial.is_none() || page.chunks[offset / CHUNK].undefined & mask == 0;
        if value.is_concrete() && plain {
            page.set_bits(offset, size, value.bits);
            page.chunks[offset / CHUNK].undefined &= !mask;
        } else {
            self.write_tagged(address, size, value);
        }
        new
    }

    /// The page of a chunk that is about to be written, saved if this is its first write in the step; and whether any of the bytes
    /// was not yet written in this step.
    #[inline]
    fn open_chunk(&mut self, address: u64, mask: u64) -> (&mut Page, bool) {
        let step = self.step;
        let index = address as usize % PAGE / CHUNK;
        let page = arena::page_of(&mut self.owners, address);
        let chunk = &mut page.chunks[index];
        chunk.enter(step);
        let new = mask & !chunk.written != 0;
        if chunk.written == 0 {
            let undefined = chunk.undefined;
            self.saved_chunks.push(page.data.as_chunks().0[index]);
            self.log.push(Entry::Chunk {
                address: address & !(CHUNK as u64 - 1),
                undefined,
            });
        }
        page.chunks[index].written |= mask;
        (page, new)
    }

    /// Writes bytes of a saved chunk, with their definedness.
    #[cold]
    fn write_tagged(&mut self, address: u64, size: u64, value: Value) {
        let symbol = self.tags.symbol(value.tag);
        let undefined = symbol.map_or_else(|| self.tags.undefined_bits(value.tag), |s| s.undefined);
        let poison = if value.tag.as_poison().is_some() {
            value.tag.0
        } else {
            0
        };
        let whole = symbol.map(|s| self.tags.fit(s.expr, 64));
        let home = symbol.map_or(0, |s| s.home);
        for i in 0..size {
            let at = address + i;
            let mask = (undefined >> (8 * i)) as u8;
            let offset = at as usize % PAGE;
            let mut data = (value.bits >> (8 * i)) as u8;
            let mut expr = None;
            if let Some(whole) = whole
                && mask != 0xff
            {
                let byte = self.tags.arena.extract(whole, 8 * i as u8, 8);
                match self.tags.arena.as_const(byte) {
                    Some(bits) => data = bits as u8 & !mask,
                    None => expr = Some(byte),
                }
            }
            let page = self.page_mut(at);
            page.data[offset] = data;
            let bit = 1u64 << (offset % CHUNK);
            let chunk = &mut page.chunks[offset / CHUNK];
            let was = chunk.undefined & bit != 0;
            if mask == 0 && expr.is_none() {
                chunk.undefined &= !bit;
            } else {
                chunk.undefined |= bit;
            }
            let special = expr.is_some() || (mask != 0 && (mask != 0xff || poison != 0));
            let partial = special.then_some(Partial {
                mask,
                poison,
                expr,
                home,
            });
            if (was && page.partial.is_some()) || partial.is_some() {
                self.set_partial(at, partial);
            }
        }
    }

    fn set_partial(&mut self, address: u64, partial: Option<Partial>) {
        let offset = (address as usize % PAGE) as u16;
        let page = self.page_mut(address);
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
        if byte.tag == Tag::UNDEF {
            return self.undefine(address, len);
        }
        let mut word = byte;
        if byte.is_concrete() {
            word.bits = (byte.bits & 0xff) * 0x0101_0101_0101_0101;
        } else {
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

    /// Makes a range undefined.
    fn undefine(&mut self, address: u64, len: u64) {
        let (mut at, end) = (address, address + len);
        while at < end {
            let bit = at as usize % CHUNK;
            let bytes = (CHUNK - bit).min((end - at) as usize);
            let mask = (u64::MAX >> (CHUNK - bytes)) << bit;
            let zeroed = self.object_at(at).is_some_and(|(_, o)| o.zeroed);
            if zeroed || self.page(at).is_some() {
                let (page, _) = self.open_chunk(at, mask);
                page.chunks[at as usize % PAGE / CHUNK].undefined |= mask;
                if page.partial.is_some() {
                    (0..bytes as u64).for_each(|i| self.set_partial(at + i, None));
                }
            }
            at += bytes as u64;
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

    /// Forgets cached translations of the object at `base`.
    #[inline]
    fn forget(&mut self, base: u64) {
        let shift = slot_shift(base);
        self.read_tlb.forget(base, shift);
        self.write_tlb.forget(base, shift);
    }

    #[inline]
    fn flush(&mut self) {
        self.read_tlb.flush();
        self.write_tlb.flush();
    }
}
