//! Where each pointer was found to point rightly (`explained.rs` of the crate).
//!
//! *Invariant*: a remembered row lies in one object. All are forgotten before
//! an object with another name or maker can be there.

use super::{Kind, Memory, Object};
use rustc_hash::FxHashMap;
use selvedge_base::StmtId;

/// Bytes at a regular distance.
#[derive(Clone, Copy, Debug)]
pub struct Row {
    /// The first address.
    pub low: u64,
    /// So many addresses from there on are covered.
    pub len: u64,
    /// The distance, at least 1.
    pub stride: u64,
    /// Where the bytes are within a stride.
    pub at: u64,
}

/// A remembered row. It counts if it is of the present generation.
#[derive(Clone, Copy)]
struct Entry {
    row: Row,
    generation: u64,
}

const NOWHERE: Entry = Entry {
    row: Row {
        low: 0,
        len: 0,
        stride: 1,
        at: 0,
    },
    generation: 0,
};

/// The entries of each pointer. Several threads execute the same instructions on different objects.
const WAYS: usize = 4;

#[inline(always)]
const fn index(pointer: u32, address: u64) -> usize {
    pointer as usize * WAYS + (address >> 34 ^ address >> 29 ^ address >> 4) as usize % WAYS
}

/// What decides what an object is, as far as points-to sets tell objects apart.
#[derive(Clone, Copy, PartialEq, Eq)]
struct Identity {
    kind: Kind,
    name: u32,
    size: u64,
    made: StmtId,
}

impl Identity {
    fn of(object: &Object) -> Identity {
        let &Object {
            kind,
            name,
            size,
            made,
            ..
        } = object;
        // The life of a variable may begin at several places.
        let made = if name == 0 { made.stmt } else { StmtId(0) };
        Identity {
            kind,
            name,
            size,
            made,
        }
    }
}

/// What is remembered.
#[derive(Default)]
pub(super) struct Known {
    entries: Vec<Entry>,
    /// The objects of the entries, by base.
    objects: FxHashMap<u64, Identity>,
    /// At least 1 once there are pointers.
    generation: u64,
}

impl Known {
    /// Forgets everything.
    #[inline]
    pub fn forget(&mut self) {
        if !self.objects.is_empty() {
            self.generation += 1;
            self.objects.clear();
        }
    }

    /// An object is here now.
    #[inline]
    pub fn is_here(&mut self, base: u64, object: &Object) {
        if !self.objects.is_empty() && self.contradicts(base, object) {
            self.forget();
        }
    }

    #[inline(never)]
    fn contradicts(&self, base: u64, object: &Object) -> bool {
        let known = self.objects.get(&base);
        // A slot that is in no use has no statement and no bytes.
        let is_object = object.size > 0 || object.made.stmt != StmtId(0);
        is_object && known.is_some_and(|known| *known != Identity::of(object))
    }
}

impl Memory {
    /// Makes room for so many pointers.
    pub fn expect_pointers(&mut self, count: usize) {
        self.known.entries = vec![NOWHERE; count * WAYS];
        self.known.generation = 1;
    }

    /// Whether a pointer was found to point rightly at this address.
    #[inline(always)]
    pub fn is_known(&self, pointer: u32, address: u64) -> bool {
        let Entry { row, generation } = &self.known.entries[index(pointer, address)];
        let from = address.wrapping_sub(row.low);
        from < row.len
            && *generation == self.known.generation
            && (row.stride == 1 || from % row.stride == row.at)
    }

    /// Remembers that a pointer, which is at an address, may point to these bytes of an object.
    pub fn explain(&mut self, (pointer, address): (u32, u64), row: Row, (base, object): (u64, &Object)) {
        let generation = self.known.generation;
        self.known.entries[index(pointer, address)] = Entry { row, generation };
        self.known.objects.insert(base, Identity::of(object));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::memory::{Life, Maker, Site};

    fn object(name: u32, kind: Kind) -> Object {
        Object {
            size: 48,
            kind,
            life: Life::Live,
            zeroed: true,
            by: Maker::Other,
            protection: 0,
            name,
            made: Site {
                stmt: StmtId(7),
                ..Site::default()
            },
            ended: Site::default(),
            reborn: false,
        }
    }

    fn memory() -> Memory {
        let mut memory = Memory::default();
        memory.expect_pointers(3);
        memory
    }

    fn whole(base: u64) -> Row {
        Row {
            low: base,
            len: 48,
            stride: 1,
            at: 0,
        }
    }

    /// Makes an object, and remembers that pointer 1 may point to all of it.
    fn explained(memory: &mut Memory, object: Object) -> u64 {
        let base = memory.allocate(1, object, 8).unwrap_or_default();
        for at in 0..48 {
            memory.explain((1, base + at), whole(base), (base, &object));
        }
        assert!((0..48).all(|at| memory.is_known(1, base + at)));
        base
    }

    #[test]
    fn only_bytes_of_the_row_are_known() {
        let mut memory = memory();
        let base = explained(&mut memory, object(1, Kind::Heap));
        assert!(!memory.is_known(1, base + 48) && !memory.is_known(1, base.wrapping_sub(1)));
        assert!(!memory.is_known(0, base) && !memory.is_known(2, base));
        let row = Row {
            stride: 12,
            at: 4,
            ..whole(base)
        };
        for at in 0..48 {
            memory.explain((2, base + at), row, (base, &object(1, Kind::Heap)));
        }
        for at in 0..48 {
            assert_eq!(memory.is_known(2, base + at), at % 12 == 4, "{at}");
        }
    }

    #[test]
    fn another_object_in_the_place_of_one_that_was_undone_is_not_known() {
        for (second, expected) in [(1, true), (2, false)] {
            let mut memory = memory();
            let mark = memory.mark();
            let base = explained(&mut memory, object(1, Kind::Heap));
            memory.undo(mark);
            assert_eq!(memory.allocate(1, object(second, Kind::Heap), 8), Ok(base));
            assert_eq!(memory.is_known(1, base), expected);
        }
    }

    #[test]
    fn objects_without_a_name_are_told_apart_by_what_made_them() {
        let mut memory = memory();
        let mark = memory.mark();
        let base = explained(&mut memory, object(0, Kind::Heap));
        memory.undo(mark);
        let made = Site {
            stmt: StmtId(8),
            ..Site::default()
        };
        let other = Object {
            made,
            ..object(0, Kind::Heap)
        };
        assert_eq!(memory.allocate(1, other, 8), Ok(base));
        assert!(!memory.is_known(1, base));
    }

    #[test]
    fn what_reuses_a_slot_is_not_known() {
        let mut memory = memory();
        let base = explained(&mut memory, object(1, Kind::PrivateStack));
        memory.end_object(base, Life::Returned, Site::default());
        let next = object(2, Kind::PrivateStack);
        assert_eq!(memory.allocate(1, next, 8), Ok(base));
        assert!(!memory.is_known(1, base));
        // And what was there before, once that is undone.
        let mut memory = self::memory();
        let first = object(1, Kind::Heap);
        let base = memory.allocate(1, first, 8).unwrap_or_default();
        let mark = memory.mark();
        memory.reuse(base, object(2, Kind::Heap));
        memory.explain((1, base), whole(base), (base, &object(2, Kind::Heap)));
        memory.undo(mark);
        assert!(!memory.is_known(1, base));
    }

    #[cfg(feature = "laboratory")]
    #[test]
    fn what_a_restored_state_had_is_not_known() {
        let mut memory = memory();
        let first = object(1, Kind::Heap);
        let base = memory.allocate(1, first, 8).unwrap_or_default();
        let saved = memory.save();
        memory.reuse(base, object(2, Kind::Heap));
        memory.explain((1, base), whole(base), (base, &object(2, Kind::Heap)));
        assert!(memory.is_known(1, base));
        memory.restore(&saved);
        assert!(!memory.is_known(1, base));
    }
}
