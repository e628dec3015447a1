//! Reading and writing up to eight bytes: through the translation caches, without them, and with
//! bytes that are not simply defined.

use super::page::{Byte, CHUNK, PAGE, Page, Partial};
use super::undo::Entry;
use super::unwritten::WRITTEN_UNDEFINED;
use super::{Kind, Memory, MemoryError, Site, arena};
use crate::value::{Symbol, Tag, Value};

impl Memory {
    /// Loads `size` ≤ 8 bytes if that needs no slow path: cached translation, all defined, already
    /// recorded.
    #[inline(always)]
    pub fn load_fast(&self, address: u64, size: u64) -> Option<u64> {
        self.read_tlb.load(address, size, self.step)
    }

    /// Stores `size` ≤ 8 concrete bytes if that needs no slow path: cached translation, already
    /// logged and recorded.
    #[inline(always)]
    pub fn store_fast(&mut self, address: u64, size: u64, bits: u64) -> bool {
        self.write_tlb.store(address, size, bits, self.step)
    }

    /// Loads `size` ≤ 8 bytes, little-endian, and records the access.
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

    /// Loads without the cache, and enters the object into the cache.
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
            if !chunk.saved {
                chunk.saved = true;
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
            if new {
                self.note_written(address, size, site);
            }
            if new && !private {
                self.record(address, size, true, site);
            }
            return Ok(());
        }
        self.store_slowly(address, size, value, site)
    }

    /// Stores without the cache, and enters the object into the cache.
    #[inline(never)]
    fn store_slowly(&mut self, address: u64, size: u64, value: Value, site: Site) -> Result<(), MemoryError> {
        let (base, object) = self.check(address, size, true)?;
        let (private, len) = (object.kind == Kind::PrivateStack, object.size);
        self.write(address, size, value);
        let offset = address as usize % PAGE;
        let page = self.page_mut(address);
        let mut new = true;
        if offset % CHUNK + size as usize <= CHUNK {
            let chunk = &mut page.chunks[offset / CHUNK];
            let mask = (u64::MAX >> (64 - size)) << (offset % CHUNK);
            new = mask & !chunk.written != 0;
            chunk.written |= mask;
        }
        let page: *mut Page = page;
        if new {
            self.note_written(address, size, site);
        }
        if new && !private {
            self.record(address, size, true, site);
        }
        self.write_tlb.fill(address, base, len, private, page);
        Ok(())
    }

    /// Loads without recording. The caller has checked the range and records it as a whole.
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

    /// Stores without recording. The caller has checked the range and records it as a whole.
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
        // Poison stays in memory only as a whole value; parts of it are undefined.
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

    /// Loads bytes of which at least one is symbolic.
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

    /// Writes `size` ≤ 8 bytes, after saving the chunks. The access is not recorded.
    fn write(&mut self, address: u64, size: u64, value: Value) {
        let offset = address as usize % PAGE;
        let bit = offset % CHUNK;
        if bit + size as usize > CHUNK {
            let first = (CHUNK - bit) as u64;
            self.write_chunk(address, first, value);
            let rest = Value {
                bits: value.bits >> (8 * first),
                tag: value.tag,
            };
            let rest = if value.is_concrete() || value.tag.as_poison().is_some() {
                rest
            } else if let Some(symbol) = self.tags.symbol(value.tag) {
                let whole = self.tags.fit(symbol.expr, 64);
                let by = (8 * first) as u8;
                self.tags.part(Symbol {
                    expr: self.tags.arena.extract(whole, by, 64 - by),
                    undefined: symbol.undefined >> by,
                    ..symbol
                })
            } else {
                self.tags
                    .value(rest.bits, self.tags.undefined_bits(value.tag) >> (8 * first))
            };
            return self.write_chunk(address + first, size - first, rest);
        }
        self.write_chunk(address, size, value);
    }

    /// Writes within one chunk.
    #[inline]
    fn write_chunk(&mut self, address: u64, size: u64, value: Value) {
        let offset = address as usize % PAGE;
        let mask = (u64::MAX >> (64 - size)) << (offset % CHUNK);
        let page = self.open_chunk(address);
        let plain = page.partial.is_none() || page.chunks[offset / CHUNK].undefined & mask == 0;
        if value.is_concrete() && plain {
            page.set_bits(offset, size, value.bits);
            page.chunks[offset / CHUNK].undefined &= !mask;
        } else {
            self.write_tagged(address, size, value);
        }
    }

    /// The page of a chunk that is about to be written, saved if this is its first write in the
    /// step.
    #[inline]
    pub(super) fn open_chunk(&mut self, address: u64) -> &mut Page {
        let step = self.step;
        let index = address as usize % PAGE / CHUNK;
        let page = arena::page_of(&mut self.owners, address, &mut self.log);
        let chunk = &mut page.chunks[index];
        chunk.enter(step);
        if !chunk.saved {
            chunk.saved = true;
            let undefined = chunk.undefined;
            self.saved_chunks.push(page.data.as_chunks().0[index]);
            self.log.push(Entry::Chunk {
                address: address & !(CHUNK as u64 - 1),
                undefined,
            });
        }
        page
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
        let marks = self.unwritten && poison == 0;
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
                // Concrete bytes of an address belong to it like the others.
                match self.tags.arena.as_const(byte).filter(|_| home == 0) {
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
            let partial = match marks && mask == 0xff {
                true => Some(WRITTEN_UNDEFINED),
                false => partial,
            };
            if (was && page.partial.is_some()) || partial.is_some() {
                self.set_partial(at, partial);
            }
        }
    }

    /// A byte with all that is known of it.
    pub(super) fn byte(&self, at: u64) -> Byte {
        let offset = at as usize % PAGE;
        match self.page(at) {
            Some(page) => {
                let undefined = page.chunks[offset / CHUNK].undefined >> (offset % CHUNK) & 1 == 1;
                let partial = page.partial.as_ref().filter(|_| undefined);
                Byte {
                    data: page.data[offset],
                    undefined,
                    partial: partial.and_then(|partial| partial.get(&(offset as u16)).copied()),
                }
            }
            None => Byte {
                data: 0,
                undefined: !self.object_at(at).is_some_and(|(_, object)| object.zeroed),
                partial: None,
            },
        }
    }

    /// Writes a byte with all that is known of it.
    pub(super) fn set_byte(&mut self, at: u64, byte: Byte) {
        let page = self.open_chunk(at);
        let offset = at as usize % PAGE;
        page.data[offset] = byte.data;
        let (chunk, bit) = (&mut page.chunks[offset / CHUNK], 1u64 << (offset % CHUNK));
        let was = chunk.undefined & bit != 0;
        match byte.undefined {
            true => chunk.undefined |= bit,
            false => chunk.undefined &= !bit,
        }
        if was && page.partial.is_some() || byte.partial.is_some() {
            self.set_partial(at, byte.partial);
        }
    }

    pub(super) fn set_partial(&mut self, address: u64, partial: Option<Partial>) {
        let offset = (address as usize % PAGE) as u16;
        if partial.is_some_and(|partial| partial.expr.is_some()) {
            self.note_symbolic(address);
        }
        let page = self.page_mut(address);
        let old = match partial {
            Some(p) => page.partial.get_or_insert_default().insert(offset, p),
            None => page.partial.as_mut().and_then(|map| map.remove(&offset)),
        };
        if old != partial {
            self.log.push(Entry::Partial { address, old });
        }
    }
}
