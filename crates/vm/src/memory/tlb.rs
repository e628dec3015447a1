//! Translation caches: which addresses can be read or written without looking at arenas and
//! objects.
//!
//! The only `unsafe` of the memory lives here. An entry holds a pointer to a page that its `Memory`
//! owns, uniquely for the write cache, and the bounds of one live object within that page.
//! Argument: every operation that can move, share or drop a page flushes both caches
//! (`Memory::flush`: save, restore, what drops pages, the undo of that and of making one); what
//! changes an object's bounds or life makes both forget it (`Memory::forget`: allocate, end, reuse,
//! undo of those); and pages live in `Rc` allocations that do not move otherwise. A page shared
//! with a snapshot is never entered: `page_mut` unshares it before `fill`, and `save` flushes.
//! Reads go through `&self` and writes through `&mut self` of the `Memory`.

#![expect(unsafe_code, reason = "pointers to pages")]

use super::page::{CHUNK, PAGE, Page};

const ENTRIES: usize = 16;

#[derive(Clone, Copy)]
struct Entry {
    /// First address covered.
    low: u64,
    /// How many bytes are covered; 0: empty.
    len: u64,
    page: *mut Page,
    /// Whether the object is one whose accesses are not recorded.
    private: bool,
}

const EMPTY: Entry = Entry {
    low: 0,
    len: 0,
    page: std::ptr::null_mut(),
    private: false,
};

/// One direct-mapped cache.
pub(super) struct Tlb {
    entries: [Entry; ENTRIES],
    used: bool,
}

#[inline(always)]
fn index(address: u64) -> usize {
    ((address >> 12) ^ (address >> 29) ^ (address >> 34)) as usize % ENTRIES
}

impl Tlb {
    pub fn new() -> Tlb {
        Tlb {
            entries: [EMPTY; ENTRIES],
            used: false,
        }
    }

    #[inline]
    pub fn flush(&mut self) {
        if self.used {
            self.entries = [EMPTY; ENTRIES];
            self.used = false;
        }
    }

    /// Forgets the object in a slot of `1 << shift` bytes.
    #[inline]
    pub fn forget(&mut self, base: u64, shift: u32) {
        if !self.used {
            return;
        }
        if 1usize << shift > PAGE {
            return self.flush();
        }
        let entry = &mut self.entries[index(base)];
        if (entry.low ^ base) >> shift == 0 {
            *entry = EMPTY;
        }
    }

    /// Enters the part of the object `[base, base + size)` that lies in the page of an address.
    #[inline]
    pub fn fill(&mut self, address: u64, base: u64, size: u64, private: bool, page: *mut Page) {
        let start = address & !(PAGE as u64 - 1);
        let low = base.max(start);
        let high = (base + size).min(start + PAGE as u64);
        self.entries[index(address)] = Entry {
            low,
            len: high - low,
            page,
            private,
        };
        self.used = true;
    }

    /// The page of bytes that are covered and lie in one chunk, and whether accesses to them are
    /// not recorded.
    #[inline(always)]
    pub fn open(&mut self, address: u64, size: u64) -> Option<(&mut Page, bool)> {
        let entry = &self.entries[index(address)];
        let from = address.wrapping_sub(entry.low);
        if from >= entry.len || size > entry.len - from || address as usize % CHUNK + size as usize > CHUNK {
            return None;
        }
        // SAFETY: a non-empty entry's page is alive and uniquely owned (module comment), and lent
        // while the caller's memory is borrowed exclusively.
        Some((unsafe { &mut *entry.page }, entry.private))
    }

    /// The page that an address lies in, if any part of it is covered.
    #[inline(always)]
    pub fn page(&mut self, address: u64) -> Option<&mut Page> {
        let entry = &self.entries[index(address)];
        if entry.len == 0 || (entry.low ^ address) >= PAGE as u64 {
            return None;
        }
        // SAFETY: as in `open`.
        Some(unsafe { &mut *entry.page })
    }

    /// The bytes, if they are covered, defined, and recorded as read in this step (or in an object
    /// whose accesses are not recorded).
    #[inline(always)]
    pub fn load(&self, address: u64, size: u64, step: u64) -> Option<u64> {
        let entry = &self.entries[index(address)];
        let from = address.wrapping_sub(entry.low);
        if from >= entry.len || size > entry.len - from {
            return None;
        }
        let offset = address as usize % PAGE;
        let bit = offset % CHUNK;
        // SAFETY: a non-empty entry's page is alive (module comment); `[address, address + size)`
        // lies within it.
        unsafe {
            let chunk = &(*entry.page).chunks[offset / CHUNK];
            let mask = (u64::MAX >> (64 - size)) << bit;
            let known = (chunk.read | chunk.written) & !chunk.undefined;
            if bit + size as usize > CHUNK {
                return None;
            }
            if (chunk.stamp != step || known & mask != mask)
                && !(entry.private && chunk.undefined & mask == 0)
            {
                return None;
            }
            let from = (&raw const (*entry.page).data).cast::<u8>().add(offset);
            Some(match size {
                8 => from.cast::<u64>().read_unaligned(),
                4 => u64::from(from.cast::<u32>().read_unaligned()),
                2 => u64::from(from.cast::<u16>().read_unaligned()),
                1 => u64::from(from.read()),
                _ => return None,
            })
        }
    }

    /// Writes the bytes, if they are covered, defined, and recorded as written in this step.
    /// Returns true on success.
    #[inline(always)]
    pub fn store(&mut self, address: u64, size: u64, bits: u64, step: u64) -> bool {
        let entry = &self.entries[index(address)];
        let from = address.wrapping_sub(entry.low);
        if from >= entry.len || size > entry.len - from {
            return false;
        }
        let offset = address as usize % PAGE;
        let bit = offset % CHUNK;
        // SAFETY: as in `load`; the page is uniquely owned and `self` is borrowed exclusively
        // through its memory.
        unsafe {
            let chunk = &(*entry.page).chunks[offset / CHUNK];
            let mask = (u64::MAX >> (64 - size)) << bit;
            if bit + size as usize > CHUNK
                || chunk.stamp != step
                || chunk.written & !chunk.undefined & mask != mask
            {
                return false;
            }
            let to = (&raw mut (*entry.page).data).cast::<u8>().add(offset);
            match size {
                8 => to.cast::<u64>().write_unaligned(bits),
                4 => to.cast::<u32>().write_unaligned(bits as u32),
                2 => to.cast::<u16>().write_unaligned(bits as u16),
                1 => to.write(bits as u8),
                _ => return false,
            }
            true
        }
    }
}
