//! Virtual addresses: arithmetic from (owner, size class, slot), the same in every interleaving.
//!
//! Bit 46 is set, bits 45..34 are the owner (0: the program's globals, 1 + k: the thread with
//! region k), bits 33..29 the size class, bits 28..0 the offset within the class's arena. A slot of
//! class c has 16 · 2^c bytes; an object always leaves at least one byte of its slot free, so its
//! one-past-the-end address is still its own.

/// The number of owners: the globals and up to 4,095 threads.
pub const OWNERS: u32 = 1 << OWNER_BITS;
/// Bits of an address that are an offset within an arena.
pub const OFFSET_BITS: u32 = 29;
const CLASS_BITS: u32 = 5;
const OWNER_BITS: u32 = 12;
/// Slots of class 0 have `1 << MIN_SHIFT` bytes.
pub const MIN_SHIFT: u32 = 4;
/// The number of size classes.
pub const CLASSES: usize = (OFFSET_BITS - MIN_SHIFT) as usize;
/// The largest object in bytes.
pub const MAX_OBJECT: u64 = (1 << (OFFSET_BITS - 1)) - 1;

/// The parts of an address.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub struct Parts {
    /// Owner number.
    pub owner: u32,
    /// Size class.
    pub class: u32,
    /// Byte offset within the arena.
    pub offset: u32,
}

impl Parts {
    /// Splits an address into its parts; `None` if it is in no arena.
    #[inline(always)]
    pub fn of(address: u64) -> Option<Parts> {
        // Bit 46: small integers and null are never valid.
        if address >> 46 != 1 {
            return None;
        }
        let owner = (address >> (OFFSET_BITS + CLASS_BITS)) as u32 & (OWNERS - 1);
        let class = (address >> OFFSET_BITS) as u32 & ((1 << CLASS_BITS) - 1);
        let offset = address as u32 & ((1 << OFFSET_BITS) - 1);
        Some(Parts { owner, class, offset })
    }

    /// The address.
    #[inline(always)]
    pub const fn address(self) -> u64 {
        1 << 46
            | (self.owner as u64) << (OFFSET_BITS + CLASS_BITS)
            | (self.class as u64) << OFFSET_BITS
            | self.offset as u64
    }

    /// The slot number within the arena.
    #[inline(always)]
    pub const fn slot(self) -> u32 {
        self.offset >> (MIN_SHIFT + self.class)
    }

    /// The first address of the slot.
    #[inline(always)]
    pub const fn base(self) -> u64 {
        let shift = MIN_SHIFT + self.class;
        Parts {
            offset: self.offset >> shift << shift,
            ..self
        }
        .address()
    }
}

/// An address that belongs to an owner and at which no object can be, because it is in a size class
/// that does not exist.
pub const fn beyond_objects(owner: u32) -> u64 {
    let class = (1 << CLASS_BITS) - 1;
    assert!(class >= CLASSES as u32);
    let offset = 0;
    Parts { owner, class, offset }.address()
}

/// The size class for an object, `None` if it is too large for the machine.
pub fn class_for(size: u64, align: u64) -> Option<u32> {
    let bytes = size
        .checked_add(1)?
        .max(align)
        .max(1 << MIN_SHIFT)
        .checked_next_power_of_two()?;
    let class = bytes.trailing_zeros() - MIN_SHIFT;
    ((class as usize) < CLASSES).then_some(class)
}

/// log2 of the slot size at an address.
#[inline(always)]
pub const fn slot_shift(address: u64) -> u32 {
    MIN_SHIFT + ((address >> OFFSET_BITS) as u32 & ((1 << CLASS_BITS) - 1))
}

/// Whether an address is outside of the object from which it was computed; 0: from none.
#[inline]
pub const fn has_left(address: u64, home: u64) -> bool {
    home != 0 && (address ^ home) >> slot_shift(home) != 0
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parts_round_trip() {
        for owner in [0, 1, 17, OWNERS - 1] {
            for class in [0, 3, CLASSES as u32 - 1] {
                let parts = Parts {
                    owner,
                    class,
                    offset: 1 << MIN_SHIFT << class,
                };
                assert_eq!(Parts::of(parts.address()), Some(parts));
            }
        }
    }

    #[test]
    fn objects_leave_room_for_one_past_the_end() {
        assert_eq!(class_for(0, 1), Some(0));
        assert_eq!(class_for(15, 1), Some(0));
        assert_eq!(class_for(16, 1), Some(1));
        assert_eq!(class_for(MAX_OBJECT, 1), Some(CLASSES as u32 - 1));
        assert_eq!(class_for(MAX_OBJECT + 1, 1), None);
        assert_eq!(class_for(1 << 40, 1), None);
        assert_eq!(class_for(u64::MAX, 1), None);
    }
}
