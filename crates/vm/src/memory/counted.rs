//! The hashes of bytes, also of those of counters ([`crate::counters`]): there they are linear in
//! the value, so that an addition changes the hash of a state by the same amount in every order.

use super::fragments::fresh;
#[cfg(feature = "laboratory")]
use super::{Life, fragments::in_page, page::PAGE};
use super::{Memory, Object};
use crate::fingerprint::Keys;
use selvedge_base::Digest;

impl Memory {
    /// Of a defined byte of a counter: the counter's address, and what the byte adds to its value.
    /// Then the rest of what counts of the byte is that of a zero.
    #[inline]
    pub(super) fn counted(&self, address: u64, content: u128) -> Option<[u64; 2]> {
        let start = self.counters.as_ref()?.start(address)?;
        (content <= 0xff).then(|| [start, (content as u64) << (8 * (address - start))])
    }

    /// The hash of a byte of an object.
    #[inline]
    pub(super) fn byte_hash(&self, object: &Object, (address, content): (u64, u128), keys: &Keys) -> Digest {
        let hash = |content| match content == fresh(object) {
            true => Digest::EMPTY,
            false => keys.byte(address, content),
        };
        match self.counted(address, content) {
            Some([start, value]) => hash(0).with(keys.counter(start, value)),
            None => hash(content),
        }
    }

    /// What to add to the hash of the memory, so that it is that of a memory without counters.
    #[cfg(feature = "laboratory")]
    pub(crate) fn without_counters(&self, keys: &Keys) -> Digest {
        let mut delta = Digest::EMPTY;
        for address in self.counters.iter().flat_map(|counters| counters.bytes()) {
            if let (Some((_, object)), Some(page)) = (self.object_at(address), self.page(address))
                && object.life == Life::Live
            {
                let byte = in_page(&self.tags, page, address as usize % PAGE);
                if byte != fresh(&object) {
                    delta = delta.with(keys.byte(address, byte));
                }
                delta = delta.without(self.byte_hash(&object, (address, byte), keys));
            }
        }
        delta
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::counters::{Counters, Word};
    use crate::memory::{Kind, Life, Maker, Site};
    use crate::value::Value;
    use rustc_hash::FxHashMap;
    use std::rc::Rc;

    fn all(memory: &Memory) -> Digest {
        let mut sum = Digest::EMPTY;
        memory.each_fragment(&mut |kind, words| sum = sum.with(Keys::SOUND.words(kind, words)));
        sum
    }

    /// The change that an addition makes to the hash is the same whatever was there; and different
    /// contents have different hashes.
    #[test]
    fn additions_add_up() {
        for zeroed in [false, true] {
            let mut memory = Memory::default();
            let object = Object {
                size: 24,
                kind: Kind::Heap,
                life: Life::Live,
                zeroed,
                by: Maker::Other,
                protection: 0,
                name: 0,
                made: Site::default(),
                ended: Site::default(),
                reborn: false,
            };
            let base = memory.allocate(1, object, 8).unwrap_or_default();
            let words = [(base + 8, 8), (base + 16, 4)];
            let words = words.map(|(address, size)| Word { address, size });
            memory.counters = Some(Rc::new(Counters::These(words.to_vec())));
            let mut seen: FxHashMap<Digest, (u64, u64)> = FxHashMap::default();
            for Word { address, size } in words {
                let mut added: FxHashMap<u64, Digest> = FxHashMap::default();
                for value in (0..600).chain([0xff_ffff, 0x7fff_0000]) {
                    memory.poke_checked(address, size, Value::new(value));
                    let known = *seen.entry(all(&memory)).or_insert((address, value));
                    // The other word is 0 both times.
                    assert!(known == (address, value) || value == 0, "{known:?}, {value}");
                    memory.begin_step();
                    let (mark, more) = (memory.mark(), value % 3 + 1);
                    let before = all(&memory);
                    memory.poke_checked(address, size, Value::new(value + more));
                    let changed = memory.changed_fragments(mark, &Keys::SOUND);
                    assert_eq!(before.with(changed), all(&memory), "{value}");
                    assert_eq!(*added.entry(more).or_insert(changed), changed, "{value} + {more}");
                }
                memory.poke_checked(address, size, Value::new(0));
            }
        }
    }
}
