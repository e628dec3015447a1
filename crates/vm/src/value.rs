//! Values of registers: 64 bits and a tag.
//!
//! Tag 0 means concrete and defined; the interpreter's fast paths support only this case. Any other
//! tag says which *bits* are undefined, or that the value is poison and why, or names a symbolic
//! value: an expression, with undefined bits of its own (structures with padding are passed in one
//! register) and, for a pointer, the object from which it was computed.

use crate::memory::{Parts, has_left};
use rustc_hash::FxHashMap;
use selvedge_expr::{Arena, Expr};
use std::cell::RefCell;

/// The largest number of this width, 1 to 64.
#[inline(always)]
pub(crate) const fn mask(width: u8) -> u64 {
    u64::MAX >> (64 - width as u32)
}

/// A register's content. Integers are zero-extended, floats are their IEEE bits, wide integers take
/// two registers.
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
    /// An `inbounds` address computation left its object. The address can be computed with, and may
    /// come back, but not be used.
    OutOfObject = 1,
    /// A shift by the width or more.
    Shift = 2,
    /// A float that does not fit the integer.
    FloatToInt = 3,
    /// A poison constant.
    Constant = 4,
    /// A call returned nothing where a value is used.
    NoResult = 5,
    /// The offset of an `inbounds` address computation does not fit 64 bits.
    AddressOverflow = 6,
    /// An integer of a width that is no whole bytes was loaded where something else was stored.
    OtherWidth = 7,
    /// A parameter for which the call has no argument.
    NoArgument = 8,
}

impl Tag {
    /// Concrete and defined.
    pub const NONE: Tag = Tag(0);
    /// All 64 bits undefined.
    pub const UNDEF: Tag = Tag(Self::MASK);
    const MASK: u32 = 1 << 30;
    const SYMBOLIC: u32 = 2 << 30;
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

    /// Whether the value is an expression.
    #[inline(always)]
    pub const fn is_symbolic(self) -> bool {
        self.0 & Self::POISON == Self::SYMBOLIC
    }

    /// A number that identifies the cause of poison and does not depend on what was interned
    /// before.
    pub const fn cause(self) -> u64 {
        (self.0 & 0xff) as u64
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
            6 => Poison::AddressOverflow,
            7 => Poison::OtherWidth,
            8 => Poison::NoArgument,
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

    /// The value without the mark that its address is outside of the object from which it was
    /// computed. As a number it is valid.
    #[inline]
    pub fn as_number(self) -> Value {
        match self.tag.as_poison() {
            Some(Poison::OutOfObject) => Value::new(self.bits),
            _ => self,
        }
    }

    /// A concrete value.
    #[inline(always)]
    pub const fn new(bits: u64) -> Value {
        Value { bits, tag: Tag::NONE }
    }

    /// A poison value, with the bits that it would have.
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

    /// Whether the value is an expression.
    #[inline(always)]
    pub const fn is_symbolic(self) -> bool {
        self.tag.is_symbolic()
    }
}

impl From<u64> for Value {
    fn from(bits: u64) -> Self {
        Value::new(bits)
    }
}

/// What a symbolic value is. Its register's bits are 0.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Symbol {
    /// The value, of at most 64 bits: zero-extended as concrete ones are.
    pub expr: Expr,
    /// Its undefined bits. The expression's values of these bits have no meaning.
    pub undefined: u64,
    /// For an address computed within an object: the object's first address; otherwise 0. Whatever
    /// other objects are near, the address is in that object or out of bounds.
    pub home: u64,
}

/// The meanings of tags: interned masks of undefined bits and symbolic values, and the expressions
/// themselves. They only grow. Interning does not depend on the state, so it needs no undo and can
/// be done through a shared reference.
pub struct Tags {
    masks: RefCell<(Vec<u64>, FxHashMap<u64, u32>)>,
    symbols: RefCell<(Vec<Symbol>, FxHashMap<Symbol, u32>)>,
    homes: RefCell<(Vec<u64>, FxHashMap<u64, u32>)>,
    /// The expressions.
    pub arena: Arena,
}

impl Default for Tags {
    fn default() -> Self {
        Tags {
            masks: RefCell::new((vec![u64::MAX], FxHashMap::from_iter([(u64::MAX, 0)]))),
            symbols: RefCell::default(),
            homes: RefCell::default(),
            arena: Arena::new(),
        }
    }
}

impl Tags {
    /// The undefined bits of a value: all for poison, none for concrete values. All for symbolic
    /// values, too, because their bits must not be read: code that supports expressions uses the
    /// symbol.
    pub fn undefined_bits(&self, tag: Tag) -> u64 {
        if tag.is_none() {
            0
        } else if tag.as_poison().is_some() || tag.is_symbolic() {
            u64::MAX
        } else {
            self.masks.borrow().0[(tag.0 & !Tag::MASK) as usize]
        }
    }

    /// The value with these bits of which those in `undefined` are undefined.
    pub fn value(&self, bits: u64, undefined: u64) -> Value {
        if undefined == 0 {
            return Value::new(bits);
        }
        let (masks, ids) = &mut *self.masks.borrow_mut();
        let id = *ids.entry(undefined).or_insert_with(|| {
            masks.push(undefined);
            (masks.len() - 1) as u32
        });
        Value {
            bits: bits & !undefined,
            tag: Tag(Tag::MASK | id),
        }
    }

    /// An address that was computed from the object at `home` and lies outside of it.
    pub fn stray(&self, address: u64, home: u64) -> Value {
        let (homes, ids) = &mut *self.homes.borrow_mut();
        let id = *ids.entry(home).or_insert_with(|| {
            homes.push(home);
            (homes.len() - 1) as u32
        });
        Value {
            bits: address,
            tag: Tag(Tag::poison(Poison::OutOfObject).0 | id << 8),
        }
    }

    /// The object that an address outside of it was computed from.
    pub fn home(&self, tag: Tag) -> Option<u64> {
        let homes = self.homes.borrow();
        match tag.as_poison() {
            Some(Poison::OutOfObject) => homes.0.get(((tag.0 & !Tag::POISON) >> 8) as usize).copied(),
            _ => None,
        }
    }

    /// What a symbolic value is if its number is known to be this: an address outside of the object
    /// from which it was computed, if it is one.
    pub fn stray_of(&self, symbol: Symbol, bits: u64) -> Option<Value> {
        let is_whole = self.arena.width(symbol.expr) == 64;
        (is_whole && has_left(bits, symbol.home)).then(|| self.stray(bits, symbol.home))
    }

    /// The object from which a value was computed, if it is an address; else 0.
    pub fn origin(&self, value: Value) -> u64 {
        match self.symbol(value.tag) {
            Some(symbol) => symbol.home,
            None if value.is_concrete() => Parts::of(value.bits).map_or(0, Parts::base),
            None => self.home(value.tag).unwrap_or(0),
        }
    }

    /// The symbolic value of a tag, if it is one.
    pub fn symbol(&self, tag: Tag) -> Option<Symbol> {
        tag.is_symbolic()
            .then(|| self.symbols.borrow().0[(tag.0 & !Tag::POISON) as usize])
    }

    /// The value that is an expression of at most 64 bits; concrete if that is a constant. An
    /// address that turns out to be a constant stays outside of its object if it is.
    pub fn symbolic(&self, symbol: Symbol) -> Value {
        if let Some(bits) = self.arena.as_const(symbol.expr) {
            let bits = bits as u64;
            let stray = self.stray_of(symbol, bits).filter(|_| symbol.undefined == 0);
            return stray.unwrap_or_else(|| self.value(bits, symbol.undefined));
        }
        self.numbered(symbol)
    }

    /// A part of a value, which belongs to the same object as the whole: an expression also if this
    /// part is a constant.
    pub(crate) fn part(&self, symbol: Symbol) -> Value {
        match symbol.home {
            0 => self.symbolic(symbol),
            _ => self.numbered(symbol),
        }
    }

    fn numbered(&self, symbol: Symbol) -> Value {
        let (symbols, ids) = &mut *self.symbols.borrow_mut();
        let id = *ids.entry(symbol).or_insert_with(|| {
            symbols.push(symbol);
            (symbols.len() - 1) as u32
        });
        Value {
            bits: 0,
            tag: Tag(Tag::SYMBOLIC | id),
        }
    }

    /// The wholly defined value that is an expression of at most 64 bits.
    pub fn of(&self, expr: Expr) -> Value {
        self.symbolic(Symbol {
            expr,
            undefined: 0,
            home: 0,
        })
    }

    /// A value as an expression of a width of at most 64 bits: cut or zero-extended. Undefined bits
    /// of what is not symbolic read as 0.
    pub fn expr(&self, value: Value, width: u8) -> Expr {
        match self.symbol(value.tag) {
            Some(symbol) => self.fit(symbol.expr, width),
            None => self
                .arena
                .constant(width, u128::from(value.bits & (u64::MAX >> (64 - width.min(64))))),
        }
    }

    /// An expression cut or zero-extended to a width.
    pub fn fit(&self, expr: Expr, width: u8) -> Expr {
        let has = self.arena.width(expr);
        if has > width {
            self.arena.extract(expr, 0, width)
        } else if has < width {
            self.arena.zext(expr, width)
        } else {
            expr
        }
    }
}
