//! The meaning of the operations on floats, on concrete bits: IEEE 754 binary32 and binary64,
//! rounding to the nearest with ties to even.
//!
//! IEEE does not specify which NaN an operation gives, and processors differ. Here every operation
//! that gives a NaN gives [`nan`]: quiet, positive, no payload. Operations on bits (negation,
//! absolute value, copying a sign, loads and stores) keep a NaN's bits.

use crate::bits::{mask, signed};
use crate::node::{FBinOp, FCmpOp, FUnOp, Width};

/// The canonical NaN of a width.
#[inline]
pub const fn nan(width: Width) -> u128 {
    if width == 32 {
        0x7fc0_0000
    } else {
        0x7ff8_0000_0000_0000
    }
}

/// The bits of plus infinity: also the mask of the exponent.
#[inline]
pub const fn infinity(width: Width) -> u128 {
    if width == 32 {
        0x7f80_0000
    } else {
        0x7ff0_0000_0000_0000
    }
}

/// Whether the bits are some NaN.
#[inline]
pub const fn is_nan(width: Width, bits: u128) -> bool {
    bits & (mask(width) >> 1) > infinity(width)
}

fn from32(x: f32) -> u128 {
    if x.is_nan() {
        nan(32)
    } else {
        u128::from(x.to_bits())
    }
}

fn from64(x: f64) -> u128 {
    if x.is_nan() {
        nan(64)
    } else {
        u128::from(x.to_bits())
    }
}

const fn to32(bits: u128) -> f32 {
    f32::from_bits(bits as u32)
}

const fn to64(bits: u128) -> f64 {
    f64::from_bits(bits as u64)
}

/// The value of a float of either width; exact.
fn widen(width: Width, bits: u128) -> f64 {
    if width == 32 {
        f64::from(to32(bits))
    } else {
        to64(bits)
    }
}

/// The value of [`FBinOp`].
pub fn binary(op: FBinOp, width: Width, a: u128, b: u128) -> u128 {
    macro_rules! apply {
        ($a:expr, $b:expr) => {
            match op {
                FBinOp::Add => $a + $b,
                FBinOp::Sub => $a - $b,
                FBinOp::Mul => $a * $b,
                FBinOp::Div => $a / $b,
                FBinOp::Rem => $a % $b,
            }
        };
    }
    if width == 32 {
        from32(apply!(to32(a), to32(b)))
    } else {
        from64(apply!(to64(a), to64(b)))
    }
}

/// The value of [`FUnOp`].
pub fn unary(op: FUnOp, width: Width, a: u128) -> u128 {
    macro_rules! apply {
        ($a:expr) => {
            match op {
                FUnOp::Sqrt => $a.sqrt(),
                FUnOp::Floor => $a.floor(),
                FUnOp::Ceil => $a.ceil(),
                FUnOp::Trunc => $a.trunc(),
                FUnOp::Round => $a.round(),
                FUnOp::RoundEven => $a.round_ties_even(),
            }
        };
    }
    if width == 32 {
        from32(apply!(to32(a)))
    } else {
        from64(apply!(to64(a)))
    }
}

/// The value of [`FCmpOp`] on operands of this width.
pub fn compare(op: FCmpOp, width: Width, a: u128, b: u128) -> bool {
    let (a, b) = (widen(width, a), widen(width, b));
    match op {
        FCmpOp::Eq => a == b,
        FCmpOp::Lt => a < b,
        FCmpOp::Le => a <= b,
    }
}

/// `a * b + c`, rounded once.
pub fn fma(width: Width, a: u128, b: u128, c: u128) -> u128 {
    if width == 32 {
        from32(to32(a).mul_add(to32(b), to32(c)))
    } else {
        from64(to64(a).mul_add(to64(b), to64(c)))
    }
}

/// The float of width `to` nearest to one of the other width.
pub fn convert(to: Width, a: u128) -> u128 {
    if to == 32 {
        from32(to64(a) as f32)
    } else {
        from64(f64::from(to32(a)))
    }
}

/// A float of width `from`, rounded towards 0 to an integer of width `to`; saturating, a NaN gives
/// 0.
pub fn to_int(is_signed: bool, from: Width, to: Width, a: u128) -> u128 {
    let value = widen(from, a);
    if is_signed {
        // The casts saturate at 128 bits and give 0 for a NaN.
        let (least, most) = (i128::MIN >> (128 - to), i128::MAX >> (128 - to));
        (value as i128).clamp(least, most) as u128 & mask(to)
    } else {
        (value as u128).min(mask(to))
    }
}

/// The float of width `to` nearest to an integer of width `from`.
pub fn from_int(is_signed: bool, from: Width, to: Width, a: u128) -> u128 {
    match (is_signed, to) {
        (true, 32) => from32(signed(a, from) as f32),
        (true, _) => from64(signed(a, from) as f64),
        (false, 32) => from32(a as f32),
        (false, _) => from64(a as f64),
    }
}
