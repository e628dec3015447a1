//! Hashes of single fragments of the state.

use xxhash_rust::xxh3::xxh3_128_with_seed;

/// Kinds of fragments.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
#[repr(u8)]
pub enum FragmentKind {
    /// One byte of a live object that is not as it was when the object was made: address, content in two words.
    Byte,
    /// An object's record.
    Object,
    /// How many slots of an arena were used.
    Arena,
    /// A place in an arena's free list.
    FreeSlot,
    /// Who a thread is and what it runs.
    Birth,
    /// What a thread knows of itself, but for its frames.
    Core,
    /// Something that others do to a thread: joining, detaching, cancelling it.
    Flag,
    /// A frame: its place, its stack objects, its live registers.
    Frame,
    /// The locks that a thread holds.
    Held,
    /// A synchronisation object.
    Sync,
    /// The value of a synchronisation object that counts: object, value.
    Count,
    /// A thread has used a synchronisation object.
    User,
    /// A hidden word of a model.
    Word,
    /// Dead slots that will be used again: the place, the slots.
    Dead,
    /// A decision on symbolic values: who made it, its name.
    Decision,
}

impl FragmentKind {
    /// All kinds.
    #[rustfmt::skip]
    pub const ALL: [FragmentKind; 15] = {
        use FragmentKind::*;
        [Byte, Object, Arena, FreeSlot, Birth, Core, Flag, Frame, Held, Sync, Count, User, Word, Dead, Decision]
    };
}

/// A damaged hash, to show that the checks would notice one.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Damage {
    /// How many bits of each hash are kept.
    pub bits: u32,
    /// A kind that is left out where changes are folded.
    pub forget: Option<FragmentKind>,
}

/// The hash function.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Keys {
    mask: u128,
    forget: Option<FragmentKind>,
    /// Numbers of threads and calling contexts count, too: what one machine's events name.
    pub named: bool,
}

/// Several words as one number.
pub(crate) fn mixed(words: &[u64; 4]) -> u128 {
    let mut bytes = [0; 32];
    for (place, word) in bytes.as_chunks_mut().0.iter_mut().zip(words) {
        *place = word.to_le_bytes();
    }
    xxh3_128_with_seed(&bytes, SEED) | 1 << 127
}

const SEED: u64 = 0x5e1f_ed6e_0000_0001;

impl Keys {
    pub const SOUND: Keys = Keys {
        mask: u128::MAX,
        forget: None,
        named: false,
    };

    /// For states of one machine whose events are to be equal in every name.
    pub const NAMED: Keys = Keys {
        named: true,
        ..Keys::SOUND
    };

    pub fn damaged(damage: Damage) -> Keys {
        let mask = if damage.bits >= 128 {
            u128::MAX
        } else {
            // The upper ones: sums of such hashes have no other bits.
            !(u128::MAX >> damage.bits)
        };
        Keys {
            mask,
            forget: damage.forget,
            named: false,
        }
    }

    /// The same hash, with nothing forgotten.
    pub fn complete(self) -> Keys {
        Keys { forget: None, ..self }
    }

    /// The hash of a fragment of two words.
    #[inline]
    pub fn pair(&self, kind: FragmentKind, a: u64, b: u64) -> u128 {
        let mut bytes = [0; 16];
        bytes[..8].copy_from_slice(&a.to_le_bytes());
        bytes[8..].copy_from_slice(&b.to_le_bytes());
        self.bytes(kind, &bytes)
    }

    /// The hash of a fragment.
    pub fn words(&self, kind: FragmentKind, words: &[u64]) -> u128 {
        if let (FragmentKind::Count, &[object, value]) = (kind, words) {
            return self.count(object, value);
        }
        if let (FragmentKind::Byte, &[address, low, high]) = (kind, words) {
            return self.byte(address, u128::from(high) << 64 | u128::from(low));
        }
        if let &[a, b] = words {
            return self.pair(kind, a, b);
        }
        let mut short = [[0; 8]; 32];
        if let Some(bytes) = short.get_mut(..words.len()) {
            bytes
                .iter_mut()
                .zip(words)
                .for_each(|(b, w)| *b = w.to_le_bytes());
            return self.bytes(kind, bytes.as_flattened());
        }
        let bytes: Vec<[u8; 8]> = words.iter().map(|w| w.to_le_bytes()).collect();
        self.bytes(kind, bytes.as_flattened())
    }

    /// The hash of a byte of memory.
    #[inline]
    pub fn byte(&self, address: u64, content: u128) -> u128 {
        // What is no plain byte is a hash itself.
        let high = (content >> 64) as u64;
        let byte = self.pair(FragmentKind::Byte, address, content as u64);
        match high {
            0 => byte,
            _ => byte.wrapping_add(self.pair(FragmentKind::Byte, !address, high)),
        }
    }

    /// The hash of a value that several threads add to: what they add sums up, in any order.
    pub fn count(&self, object: u64, value: u64) -> u128 {
        self.pair(FragmentKind::Count, object, 0)
            .wrapping_mul(u128::from(value))
    }

    #[inline]
    fn bytes(&self, kind: FragmentKind, bytes: &[u8]) -> u128 {
        if self.forget == Some(kind) {
            return 0;
        }
        xxh3_128_with_seed(bytes, SEED ^ (kind as u64) << 32) & self.mask
    }
}
