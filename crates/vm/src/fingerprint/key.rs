//! Hashes of single fragments of the state.

use selvedge_base::{Digest, Domain};

/// Kinds of fragments.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
#[repr(u8)]
pub enum FragmentKind {
    /// A byte of a live object that differs from the byte of a new object: address, contents in two
    /// words.
    Byte,
    /// An object's record.
    Object,
    /// The number of used slots of an arena.
    Arena,
    /// An entry of an arena's free list.
    FreeSlot,
    /// The identity of a thread and its start function.
    Birth,
    /// The rest of a thread's own data, without its frames.
    Core,
    /// A change to a thread by others: joining, detaching, cancelling it.
    Flag,
    /// A frame: its place, its stack objects, its live registers.
    Frame,
    /// The locks that a thread holds.
    Held,
    /// A synchronisation object.
    Sync,
    /// The value of a synchronisation object that counts: object, value.
    Count,
    /// A defined byte of a variable to which several threads add: the variable's address, and what
    /// the byte adds to its value.
    Counter,
    /// The fact that a thread has used a synchronisation object.
    User,
    /// A hidden word of a model.
    Word,
    /// Dead slots that will be reused: the place, the slots.
    Dead,
    /// A decision on symbolic values: the thread, and the decision's name.
    Decision,
    /// Consecutive protected pages of an object: its address, the first page and what is refused,
    /// the end.
    Protection,
}

impl FragmentKind {
    /// All kinds.
    #[rustfmt::skip]
    pub const ALL: [FragmentKind; 17] = {
        use FragmentKind::*;
        [Byte, Object, Arena, FreeSlot, Birth, Core, Flag, Frame, Held, Sync, Count, Counter, User, Word, Dead, Decision, Protection]
    };
}

/// A damaged hash, to show that the checks find it.
#[cfg(feature = "laboratory")]
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Damage {
    /// The number of bits of each hash that are kept.
    pub bits: u32,
    /// A kind of fragment whose changes are ignored.
    pub forget: Option<FragmentKind>,
}

#[cfg(feature = "laboratory")]
impl Damage {
    const NONE: Damage = Damage {
        bits: 128,
        forget: None,
    };

    fn complete(self) -> Damage {
        let forget = None;
        Damage { forget, ..self }
    }

    fn applied(&self, kind: FragmentKind, digest: Digest) -> Digest {
        match self.forget == Some(kind) {
            true => Digest::EMPTY,
            false => digest.weakened(self.bits),
        }
    }
}

/// For each kind the key of its hashes.
static DOMAINS: [Domain; FragmentKind::ALL.len()] = [
    Domain::new("machine byte"),
    Domain::new("machine object"),
    Domain::new("machine arena"),
    Domain::new("machine free slot"),
    Domain::new("machine birth"),
    Domain::new("machine core"),
    Domain::new("machine flag"),
    Domain::new("machine frame"),
    Domain::new("machine held"),
    Domain::new("machine sync"),
    Domain::new("machine count"),
    Domain::new("machine counter"),
    Domain::new("machine user"),
    Domain::new("machine word"),
    Domain::new("machine dead"),
    Domain::new("machine decision"),
    Domain::new("machine protection"),
];

/// The key for bytes that are not plain.
static PARTIAL: Domain = Domain::new("machine partial byte");

/// The hash function.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Keys {
    #[cfg(feature = "laboratory")]
    damage: Damage,
    /// If true, numbers of threads and calling contexts are included, as one machine's events
    /// contain them.
    pub named: bool,
}

/// Several words as one number.
pub(crate) fn mixed(words: &[u64; 4]) -> u128 {
    let [low, high] = Digest::of_words(&PARTIAL, words).words();
    u128::from(high | 1 << 63) << 64 | u128::from(low)
}

impl Keys {
    pub const SOUND: Keys = Keys::sound(false);

    /// For states of one machine whose events must be equal in every name.
    pub const NAMED: Keys = Keys::sound(true);

    const fn sound(named: bool) -> Keys {
        Keys {
            #[cfg(feature = "laboratory")]
            damage: Damage::NONE,
            named,
        }
    }

    #[cfg(feature = "laboratory")]
    pub fn damaged(damage: Damage) -> Keys {
        let named = false;
        Keys { damage, named }
    }

    /// The same hash, with nothing ignored.
    pub fn complete(self) -> Keys {
        #[cfg(feature = "laboratory")]
        return Keys {
            damage: self.damage.complete(),
            ..self
        };
        #[cfg(not(feature = "laboratory"))]
        self
    }

    /// The hash of a fragment of two words.
    #[inline]
    pub fn pair(&self, kind: FragmentKind, a: u64, b: u64) -> Digest {
        self.hash(kind, &[a, b])
    }

    /// The hash of a fragment.
    pub fn words(&self, kind: FragmentKind, words: &[u64]) -> Digest {
        match (kind, words) {
            (FragmentKind::Count, &[object, value]) => self.count(object, value),
            (FragmentKind::Counter, &[address, value]) => self.counter(address, value),
            (FragmentKind::Byte, &[address, low, high]) => {
                self.byte(address, u128::from(high) << 64 | u128::from(low))
            }
            _ => self.hash(kind, words),
        }
    }

    /// The hash of a byte of memory.
    #[inline]
    pub fn byte(&self, address: u64, content: u128) -> Digest {
        let (low, high) = (content as u64, (content >> 64) as u64);
        match high {
            0 => self.pair(FragmentKind::Byte, address, low),
            // The contents of a byte that is not plain are a hash already.
            _ => self.hash(FragmentKind::Byte, &[address, low, high]),
        }
    }

    /// The hash of a value to which several threads add, in any order: the hashes of the additions
    /// sum up.
    pub fn count(&self, object: u64, value: u64) -> Digest {
        self.hash(FragmentKind::Count, &[object]).times(value)
    }

    /// The same for what a byte adds to the value of a variable.
    pub fn counter(&self, address: u64, value: u64) -> Digest {
        self.hash(FragmentKind::Counter, &[address]).times(value)
    }

    #[inline]
    fn hash(&self, kind: FragmentKind, words: &[u64]) -> Digest {
        let digest = Digest::of_words(&DOMAINS[kind as usize], words);
        #[cfg(feature = "laboratory")]
        let digest = self.damage.applied(kind, digest);
        digest
    }
}
