//! Types of registers, and the ids of what a module consists of.

use selvedge_base::id_type;
use serde::{Deserialize, Serialize};
use std::fmt;

id_type! {
    /// A function of a module, defined or declared.
    pub struct FuncId(u32), "f";
    /// A global variable of a module.
    pub struct GlobalId(u32), "g";
    /// A basic block of a function; block 0 is the entry.
    pub struct BlockId(u32), "b";
    /// A virtual register of a function.
    pub struct Reg(u32), "r";
    /// A type of the source, with names for its parts.
    pub struct ShapeId(u32), "shape";
    /// A stack object of a function: a local whose address is taken, or an aggregate.
    pub struct LocalId(u32), "l";
}

/// The type of a register. Everything larger lives in memory or in several registers.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub enum Type {
    /// An integer of 1 to 128 bits. In memory it takes `bytes()` bytes, little-endian, high bits
    /// zero.
    Int(u8),
    /// IEEE binary32.
    F32,
    /// IEEE binary64.
    F64,
    /// A pointer: 64 bits.
    Ptr,
}

impl Type {
    /// The boolean.
    pub const I1: Type = Type::Int(1);
    /// A byte.
    pub const I8: Type = Type::Int(8);
    /// A 32-bit integer.
    pub const I32: Type = Type::Int(32);
    /// A 64-bit integer.
    pub const I64: Type = Type::Int(64);

    /// Width in bits.
    pub const fn bits(self) -> u32 {
        match self {
            Type::Int(bits) => bits as u32,
            Type::F32 => 32,
            Type::F64 | Type::Ptr => 64,
        }
    }

    /// Bytes that a load or store of this type touches.
    pub const fn bytes(self) -> u32 {
        self.bits().div_ceil(8)
    }

    /// Whether the value needs more than one 64-bit word.
    pub const fn is_wide(self) -> bool {
        self.bits() > 64
    }

    /// Whether the type is a floating-point type.
    pub const fn is_float(self) -> bool {
        matches!(self, Type::F32 | Type::F64)
    }
}

impl fmt::Display for Type {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Type::Int(bits) => write!(f, "i{bits}"),
            Type::F32 => f.write_str("f32"),
            Type::F64 => f.write_str("f64"),
            Type::Ptr => f.write_str("ptr"),
        }
    }
}

impl fmt::Debug for Type {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}
