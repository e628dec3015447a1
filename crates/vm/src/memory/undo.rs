//! The memory's undo log.

use super::page::{CHUNK, PAGE, Partial};
use super::{Memory, Parts};

/// A change. Large old contents are on separate stacks and are popped in the same order.
#[derive(Clone, Copy, Debug)]
pub(super) enum Entry {
    /// 64 bytes were written for the first time in a step; old content: `saved_chunks`.
    Chunk { address: u64, undefined: u64 },
    /// A byte's partial definedness changed.
    Partial { address: u64, old: Option<Partial> },
    /// An object's record changed; old one: `saved_objects`.
    Object { base: u64 },
    /// A page of a large slot was made.
    Made { owner: u32, class: u32, page: u32 },
    /// A page was dropped; `saved_pages`.
    Page { owner: u32, class: u32, page: u32 },
    /// A new slot was taken.
    Bumped { owner: u32, class: u32 },
    /// The last slot was given back.
    Lowered { owner: u32, class: u32 },
    /// A slot was taken from the free list.
    TookFree { owner: u32, class: u32, slot: u32 },
    /// A slot was put on the free list.
    GaveFree { owner: u32, class: u32 },
}

impl Memory {
    /// The present position in the undo log.
    #[inline]
    pub fn mark(&self) -> usize {
        self.log.len()
    }

    pub(super) fn forget_log(&mut self) {
        self.log.clear();
        self.saved_chunks.clear();
        self.saved_objects.clear();
        self.saved_pages.clear();
        self.accesses.clear();
    }

    /// Empties the undo log: the present state becomes the oldest one that can be restored.
    pub fn commit(&mut self) {
        self.forget_log();
    }

    /// Goes back to a position.
    pub fn undo(&mut self, mark: usize) {
        while self.log.len() > mark {
            let Some(entry) = self.log.pop() else { break };
            match entry {
                Entry::Chunk { address, undefined } => {
                    let Some(data) = self.saved_chunks.pop() else {
                        unreachable!("one saved chunk an entry")
                    };
                    let page = match self.write_tlb.page(address) {
                        Some(page) => page,
                        None => self.page_mut(address),
                    };
                    let offset = address as usize % PAGE;
                    page.data.as_chunks_mut().0[offset / CHUNK] = data;
                    let chunk = &mut page.chunks[offset / CHUNK];
                    chunk.undefined = undefined;
                    chunk.stamp = 0;
                }
                Entry::Partial { address, old } => {
                    let offset = (address as usize % PAGE) as u16;
                    let map = self.page_mut(address).partial.get_or_insert_default();
                    match old {
                        Some(p) => map.insert(offset, p),
                        None => map.remove(&offset),
                    };
                }
                Entry::Object { base } => {
                    if let (Some(object), Some(parts)) = (self.saved_objects.pop(), Parts::of(base)) {
                        self.known.is_here(base, &object);
                        *self.arena_mut(parts.owner, parts.class).object_mut(parts.slot()) = object;
                    }
                    self.forget(base);
                }
                Entry::Made { owner, class, page } => {
                    self.read_tlb.flush();
                    self.write_tlb.flush();
                    *self.arena_mut(owner, class).page_place(page as usize) = None;
                }
                Entry::Page { owner, class, page } => {
                    // The caches are flushed at once, because chunks that are undone after this are
                    // looked up in them.
                    self.read_tlb.flush();
                    self.write_tlb.flush();
                    let old = self.saved_pages.pop().flatten();
                    *self.arena_mut(owner, class).page_place(page as usize) = old;
                }
                Entry::Bumped { owner, class } => self.arena_mut(owner, class).next -= 1,
                Entry::Lowered { owner, class } => self.arena_mut(owner, class).next += 1,
                Entry::TookFree { owner, class, slot } => self.arena_mut(owner, class).free.push(slot),
                Entry::GaveFree { owner, class } => {
                    self.arena_mut(owner, class).free.pop();
                }
            }
        }
        self.accesses.clear();
    }

    /// Old contents of the chunks written since a position, oldest first: (address, undefined mask,
    /// bytes).
    pub fn changed_chunks(&self, mark: usize) -> impl Iterator<Item = (u64, u64, &[u8; CHUNK])> {
        let chunks = self.log[mark..].iter().filter_map(|e| match e {
            Entry::Chunk { address, undefined } => Some((*address, *undefined)),
            _ => None,
        });
        let count = chunks.clone().count();
        let old = &self.saved_chunks[self.saved_chunks.len() - count..];
        chunks
            .zip(old)
            .map(|((address, undefined), data)| (address, undefined, data))
    }
}
