//! IEEE arithmetic on the bits of floats.

use crate::code::Op;
use selvedge_ir::{BinOp, FloatPred, UnOp};

/// Addition, subtraction, multiplication and division of floats of 32 or 64 bits.
#[inline]
pub fn binary(op: Op, width: u8, a: u64, b: u64) -> u64 {
    if width == 32 {
        let (a, b) = (f32::from_bits(a as u32), f32::from_bits(b as u32));
        let result = match op {
            Op::FAdd => a + b,
            Op::FSub => a - b,
            Op::FMul => a * b,
            _ => a / b,
        };
        u64::from(result.to_bits())
    } else {
        let (a, b) = (f64::from_bits(a), f64::from_bits(b));
        let result = match op {
            Op::FAdd => a + b,
            Op::FSub => a - b,
            Op::FMul => a * b,
            _ => a / b,
        };
        result.to_bits()
    }
}

/// The rarer binary operations; `None` if the operation is not one on floats.
pub fn rare(op: BinOp, width: u32, a: u64, b: u64) -> Option<u64> {
    macro_rules! both {
        (|$x:ident, $y:ident| $result:expr) => {
            if width == 32 {
                let ($x, $y) = (f32::from_bits(a as u32), f32::from_bits(b as u32));
                u64::from(($result).to_bits())
            } else {
                let ($x, $y) = (f64::from_bits(a), f64::from_bits(b));
                ($result).to_bits()
            }
        };
    }
    Some(match op {
        BinOp::FRem => both!(|x, y| x % y),
        BinOp::FMin => both!(|x, y| x.min(y)),
        BinOp::FMax => both!(|x, y| x.max(y)),
        BinOp::FCopySign => both!(|x, y| x.copysign(y)),
        BinOp::FAdd => both!(|x, y| x + y),
        BinOp::FSub => both!(|x, y| x - y),
        BinOp::FMul => both!(|x, y| x * y),
        BinOp::FDiv => both!(|x, y| x / y),
        _ => return None,
    })
}

/// Operations of one operand; `None` if the operation is not one on floats.
pub fn unary(op: UnOp, width: u32, a: u64) -> Option<u64> {
    macro_rules! both {
        (|$x:ident| $result:expr) => {
            if width == 32 {
                let $x = f32::from_bits(a as u32);
                u64::from(($result).to_bits())
            } else {
                let $x = f64::from_bits(a);
                ($result).to_bits()
            }
        };
    }
    Some(match op {
        UnOp::FNeg => both!(|x| -x),
        UnOp::FAbs => both!(|x| x.abs()),
        UnOp::FSqrt => both!(|x| x.sqrt()),
        UnOp::FFloor => both!(|x| x.floor()),
        UnOp::FCeil => both!(|x| x.ceil()),
        UnOp::FTrunc => both!(|x| x.trunc()),
        UnOp::FRound => both!(|x| x.round()),
        UnOp::FRoundEven => both!(|x| x.round_ties_even()),
        _ => return None,
    })
}

/// Comparison.
pub fn compare(pred: FloatPred, width: u32, a: u64, b: u64) -> bool {
    let (a, b) = (widen(width, a), widen(width, b));
    let unordered = a.is_nan() || b.is_nan();
    match pred {
        FloatPred::False => false,
        FloatPred::Oeq => a == b,
        FloatPred::Ogt => a > b,
        FloatPred::Oge => a >= b,
        FloatPred::Olt => a < b,
        FloatPred::Ole => a <= b,
        FloatPred::One => !unordered && a != b,
        FloatPred::Ord => !unordered,
        FloatPred::Uno => unordered,
        FloatPred::Ueq => unordered || a == b,
        FloatPred::Ugt => unordered || a > b,
        FloatPred::Uge => unordered || a >= b,
        FloatPred::Ult => unordered || a < b,
        FloatPred::Ule => unordered || a <= b,
        FloatPred::Une => unordered || a != b,
        FloatPred::True => true,
    }
}

/// The value of a float of either width; exact.
pub fn widen(width: u32, bits: u64) -> f64 {
    if width == 32 {
        f64::from(f32::from_bits(bits as u32))
    } else {
        f64::from_bits(bits)
    }
}

/// Fused multiply-add.
pub fn fma(width: u32, a: u64, b: u64, c: u64) -> u64 {
    if width == 32 {
        let [a, b, c] = [a, b, c].map(|x| f32::from_bits(x as u32));
        u64::from(a.mul_add(b, c).to_bits())
    } else {
        let [a, b, c] = [a, b, c].map(f64::from_bits);
        a.mul_add(b, c).to_bits()
    }
}
