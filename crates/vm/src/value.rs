//! Values of registers: 64 bits and a tag.
//!
//! Tag 0 means concrete and defined, and is the only case the interpreter's fast paths know. Any other tag says which
//! *bits* are undefined, or that the value is poison and why. (A later capability adds symbolic expressions as a third
//! class of tags; everything that meets a tag it does not know must treat it here, in one place.)

use rustc_hash::FxHashMap;
use std::cell::RefCell;

/// A register's content. Integers are zero-extended, floats are their IEEE bits, wide integers take two registers.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[repr(C)]
pub struct Value {
    /// The bits; undefined bits read as 0.
    pub bits: u64,
    /// What is not concrete about them.
    pub tag: Tag,
}

/// What is not concrete about a value.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Tag(pub u32);

/// Why a value is poison.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
#[repr(u8)]
pub enum Poison {
    /// An `inbounds` address computation left its object.
    OutOfObject = 1,
    /// A shift by the width or more.
    Shift = 2,
    /// A float that does not fit the integer.
    FloatToInt = 3,
    /// A poison constant.
    Constant = 4,
    /// A call returned nothing where a value is used.
    NoResult = 5,
}

impl Tag {
    /// Concrete and defined.
    pub const NONE: Tag = Tag(0);
    /// All 64 bits undefined.
    pub const UNDEF: Tag = Tag(Self::MASK);
    const MASK: u32 = 1 << 30;
    const POISON: u32 = 3 << 30;

    /// Poison for a reason.
    pub const fn poison(cause: Poison) -> Tag {
        Tag(Self::POISON | cause as u32)
    }

    /// Whether the value is concrete.
    #[inline(always)]
    pub const fn is_none(self) -> bool {
        self.0 == 0
    }

    /// Why the value is poison, if it is.
    pub const fn as_poison(self) -> Option<Poison> {
        if self.0 & Self::POISON != Self::POISON {
            return None;
        }
        Some(match self.0 & 0xff {
            1 => Poison::OutOfObject,
            2 => Poison::Shift,
            3 => Poison::FloatToInt,
            5 => Poison::NoResult,
            _ => Poison::Constant,
        })
    }
}

impl Value {
    /// The undefined value.
    pub const UNDEF: Value = Value {
        bits: 0,
        tag: Tag::UNDEF,
    };

    /// A concrete value.
    #[inline(always)]
    pub const fn new(bits: u64) -> Value {
        Value { bits, tag: Tag::NONE }
    }

    /// A poison value with what its bits would be.
    pub const fn poison(bits: u64, cause: Poison) -> Value {
        Value {
            bits,
            tag: Tag::poison(cause),
        }
    }

    /// Whether the value is concrete and defined.
    #[inline(always)]
    pub const fn is_concrete(self) -> bool {
        self.tag.is_none()
    }
}

impl From<u64> for Value {
    fn from(bits: u64) -> Self {
        Value::new(bits)
    }
}

/// Interned masks of undefined bits. Grows only; what is interned does not depend on the state, so it needs no undo and
/// may be done through a shared reference.
#[derive(Clone, Debug)]
pub struct Masks {
    table: RefCell<(Vec<u64>, FxHashMap<u64, u32>)>,
}

impl Default for Masks {
    fn default() -> Self {
        Masks {
            table: RefCell::new((vec![u64::MAX], FxHashMap::from_iter([(u64::MAX, 0)]))),
        }
    }
}

impl Masks {
    /// The undefined bits of a value: all for poison, none for concrete ones.
    pub fn undefined_bits(&self, tag: Tag) -> u64 {
        if tag.is_none() {
            0
        } else if tag.as_poison().is_some() {
            u64::MAX
        } else {
            self.table.borrow().0[(tag.0 & !Tag::MASK) as usize]
        }
    }

    /// The value with these bits of which those in `undefined` are undefined.
    pub fn value(&self, bits: u64, undefined: u64) -> Value {
        if undefined == 0 {
            return Value::new(bits);
        }
        let (masks, ids) = &mut *self.table.borrow_mut();
        let id = *ids.entry(undefined).or_insert_with(|| {
            masks.push(undefined);
            (masks.len() - 1) as u32
        });
        Value {
            bits: bits & !undefined,
            tag: Tag(Tag::MASK | id),
        }
    }
}
