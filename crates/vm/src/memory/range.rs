//! Ranges of bytes: filled, made undefined, copied.

use super::Memory;
use super::page::{CHUNK, PAGE};
use crate::value::{Tag, Value};

/// The number of bytes after which the stop flag is polled.
const BLOCK: u64 = 1 << 18;

impl Memory {
    /// Fills a checked range with one byte value (its low 8 bits and their definedness), without
    /// recording.
    pub fn fill(&mut self, address: u64, len: u64, byte: Value) {
        let mut done = 0;
        while done < len && !(done > 0 && self.is_cut()) {
            let block = BLOCK.min(len - done);
            self.fill_block(address + done, block, byte);
            done += block;
        }
    }

    /// True if the operation has to stop. Its effect, and that of the step, is then incomplete.
    pub fn is_cut(&mut self) -> bool {
        self.cut |= self.stop.is_set() && !self.deaf;
        self.was_cut()
    }

    fn fill_block(&mut self, address: u64, len: u64, byte: Value) {
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
                let page = self.open_chunk(at);
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
        while done < len && !(done > 0 && self.is_cut()) {
            let block = BLOCK.min(len - done);
            let at = if backwards { len - done - block } else { done };
            self.copy_block(to + at, from + at, block, backwards);
            done += block;
        }
    }

    fn copy_block(&mut self, to: u64, from: u64, len: u64, backwards: bool) {
        let mut done = 0;
        while done < len {
            let size = 8.min(len - done);
            let at = if backwards { len - done - size } else { done };
            let value = self.peek_checked(from + at, size);
            self.poke_checked(to + at, size, value);
            done += size;
        }
    }
}
