//! Ranges of bytes: filled, made undefined, copied.

use super::Memory;
use super::page::{Byte, CHUNK, PAGE};
use super::unwritten::WRITTEN_UNDEFINED;
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
        if byte.tag == Tag::UNDEF && !self.unwritten {
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

    /// Makes a range undefined: the bytes of an object whose life begins.
    pub(super) fn undefine(&mut self, address: u64, len: u64) {
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

    /// Copies in the order of memmove. Bytes are copied with all that is known of them, since a
    /// poison value or a symbolic address, which is more than its bytes, may come in pieces.
    fn copy_block(&mut self, to: u64, from: u64, len: u64, backwards: bool) {
        let mut done = 0;
        while done < len {
            let left = len - done;
            let in_chunk = |base: u64| match backwards {
                true => (base + left - 1) % CHUNK as u64 + 1,
                false => CHUNK as u64 - (base + done) % CHUNK as u64,
            };
            let room = left.min(in_chunk(to)).min(in_chunk(from));
            let words = if room < left { room & !7 } else { left };
            let place = |size| if backwards { left - size } else { done };
            let at = place(words);
            if words > 0 && self.copy_plain(to + at, from + at, words as usize) {
                done += words;
                continue;
            }
            let size = 8.min(left);
            let at = place(size);
            let mut bytes = [Byte::default(); 8];
            for (byte, at) in bytes.iter_mut().zip(from + at..from + at + size) {
                *byte = self.byte(at);
                if self.unwritten && byte.undefined {
                    byte.partial = byte.partial.or(Some(WRITTEN_UNDEFINED));
                }
            }
            for (&byte, at) in bytes.iter().zip(to + at..to + at + size) {
                self.set_byte(at, byte);
            }
            done += size;
        }
    }

    /// Copies bytes of one chunk into one chunk, if all are simply defined or simply undefined.
    /// Returns whether it did.
    fn copy_plain(&mut self, to: u64, from: u64, size: usize) -> bool {
        let Some(page) = self.page(from) else { return false };
        let offset = from as usize % PAGE;
        let mask = u64::MAX >> (CHUNK - size);
        let undefined = page.chunks[offset / CHUNK].undefined >> (offset % CHUNK) & mask;
        if undefined != 0 && (page.partial.is_some() || self.unwritten) {
            return false;
        }
        let mut bytes = [0; CHUNK];
        bytes[..size].copy_from_slice(&page.data[offset..offset + size]);
        let page = self.open_chunk(to);
        let offset = to as usize % PAGE;
        let bit = offset % CHUNK;
        let chunk = &mut page.chunks[offset / CHUNK];
        if page.partial.is_some() && chunk.undefined & mask << bit != 0 {
            return false;
        }
        chunk.undefined = chunk.undefined & !(mask << bit) | undefined << bit;
        page.data[offset..offset + size].copy_from_slice(&bytes[..size]);
        true
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::memory::{Kind, Life, Maker, Object, Site};
    use crate::value::Poison;
    use selvedge_base::Digest;
    use selvedge_expr::InputKey;

    /// Two objects: one that shares its page with others, and one of several pages.
    const SIZES: [u64; 2] = [700, 9_000];

    fn memory() -> (Memory, [u64; 2]) {
        let mut memory = Memory::default();
        let bases = SIZES.map(|size| {
            let object = Object {
                size,
                kind: Kind::Heap,
                life: Life::Live,
                zeroed: size > PAGE as u64,
                by: Maker::Other,
                protection: 0,
                name: 0,
                made: Site::default(),
                ended: Site::default(),
                reborn: false,
            };
            memory.allocate(1, object, 8).unwrap_or_default()
        });
        (memory, bases)
    }

    /// Byte by byte.
    fn copy_slowly(memory: &mut Memory, to: u64, from: u64, len: u64) {
        let bytes: Vec<Byte> = (from..from + len).map(|at| memory.byte(at)).collect();
        for (at, byte) in (to..).zip(bytes) {
            memory.set_byte(at, byte);
        }
    }

    /// A word, copied at another alignment, is what it was.
    #[test]
    fn what_is_copied_in_pieces_is_whole() {
        let (mut memory, [base, _]) = memory();
        for kind in 0..5 {
            memory.poke_checked(base + 3, 8, value(&memory, kind, 0x1234_5678_9abc, 0xf0));
            let word = meaning(&memory, memory.peek_checked(base + 3, 8));
            memory.copy(base + 100, base, 11);
            assert_eq!(
                meaning(&memory, memory.peek_checked(base + 103, 8)),
                word,
                "{kind}"
            );
        }
    }

    fn value(memory: &Memory, kind: u8, bits: u64, mask: u64) -> Value {
        match kind {
            0 => Value::UNDEF,
            1 => memory.tags.value(bits, mask),
            2 => Value::poison(bits, Poison::NoArgument),
            3 => {
                let key = InputKey {
                    thread: 1,
                    ordinal: mask as u32 % 4,
                    byte: 0,
                };
                memory.tags.of(memory.tags.arena.input(key, 64))
            }
            _ => Value::new(bits),
        }
    }

    /// What a value is, without the numbers that a memory gives to masks and expressions.
    type Meaning = (u64, u64, bool, Option<(Digest, u64, u64)>);

    fn meaning(memory: &Memory, value: Value) -> Meaning {
        let symbol = memory.tags.symbol(value.tag);
        let undefined = memory.tags.undefined_bits(value.tag);
        let symbol = symbol.map(|s| (memory.tags.arena.hash(s.expr), s.undefined, s.home));
        let bits = if symbol.is_some() { 0 } else { value.bits };
        (bits, undefined, value.tag.as_poison().is_some(), symbol)
    }

    fn contents(memory: &Memory, bases: [u64; 2]) -> Vec<[Meaning; 2]> {
        let places = bases.into_iter().zip(SIZES);
        let bytes = places.flat_map(|(base, size)| base..base + size - 8);
        let read = |at, size| meaning(memory, memory.peek_checked(at, size));
        bytes.map(|at| [read(at, 1), read(at, 8)]).collect()
    }

    #[test]
    fn copies_are_those_of_bytes() {
        let mut random = fastrand::Rng::with_seed(53);
        for round in 0..60 {
            let (mut fast, bases) = memory();
            let (mut slow, same) = memory();
            assert_eq!(bases, same);
            // With few kinds of values, so that many pages have no special bytes.
            let plain = round % 3 == 0;
            for _ in 0..random.u64(..200) {
                let which = random.usize(..2);
                let size = random.u64(1..=8);
                let at = bases[which] + random.u64(..SIZES[which] - 8);
                let kind = match random.u8(..8) {
                    1..4 if plain => 0,
                    kind => kind,
                };
                let [bits, mask] = [random.u64(..), random.u64(..)];
                for memory in [&mut fast, &mut slow] {
                    let value = value(memory, kind, bits, mask);
                    memory.poke_checked(at, size, value);
                }
            }
            let before = contents(&fast, bases);
            assert_eq!(before, contents(&slow, bases));
            for memory in [&mut fast, &mut slow] {
                memory.begin_step();
            }
            let marks = [fast.mark(), slow.mark()];
            for _ in 0..8 {
                let [from, to] = [random.usize(..2), random.usize(..2)];
                let most = SIZES[from].min(SIZES[to]).min(400);
                let len = random.u64(..most);
                let place = |which: usize, random: &mut fastrand::Rng| {
                    let at = random.u64(..=SIZES[which] - len);
                    bases[which] + if random.bool() { at & !7 } else { at }
                };
                let (from, to) = (place(from, &mut random), place(to, &mut random));
                fast.copy(to, from, len);
                copy_slowly(&mut slow, to, from, len);
                assert_eq!(contents(&fast, bases), contents(&slow, bases), "{round}");
            }
            fast.undo(marks[0]);
            slow.undo(marks[1]);
            assert_eq!(contents(&fast, bases), before);
        }
    }
}
