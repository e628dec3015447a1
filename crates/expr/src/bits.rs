//! The meaning of the operations on bit-vectors, on concrete values. Constant folding and the
//! evaluator use only these functions, so they cannot disagree. Division by 0 and shifts past the
//! width are as in SMT-LIB's QF_BV.
//!
//! Values are zero-extended to 128 bits; the results are too.

use crate::node::{BinOp, CmpOp, UnOp, Width};

/// All ones of a width.
#[inline(always)]
pub const fn mask(width: Width) -> u128 {
    u128::MAX >> (128 - width as u32)
}

/// The value as a signed number.
#[inline(always)]
pub const fn signed(value: u128, width: Width) -> i128 {
    let shift = 128 - width as u32;
    ((value << shift) as i128) >> shift
}

/// The value of [`UnOp`].
#[inline]
pub const fn unary(op: UnOp, width: Width, a: u128) -> u128 {
    let w = width as u32;
    let bits = match op {
        UnOp::Not => !a,
        UnOp::Neg => a.wrapping_neg(),
        UnOp::Ctpop => a.count_ones() as u128,
        UnOp::Ctlz => (a.leading_zeros() - (128 - w)) as u128,
        UnOp::Cttz => {
            let zeros = a.trailing_zeros();
            (if zeros < w { zeros } else { w }) as u128
        }
        UnOp::Bswap => a.swap_bytes() >> (128 - w),
        UnOp::BitReverse => a.reverse_bits() >> (128 - w),
    };
    bits & mask(width)
}

/// The value of [`BinOp`].
#[inline]
pub const fn binary(op: BinOp, width: Width, a: u128, b: u128) -> u128 {
    let w = width as u128;
    let bits = match op {
        BinOp::Add => a.wrapping_add(b),
        BinOp::Sub => a.wrapping_sub(b),
        BinOp::Mul => a.wrapping_mul(b),
        BinOp::UDiv => match a.checked_div(b) {
            Some(quotient) => quotient,
            None => u128::MAX,
        },
        BinOp::URem => match a.checked_rem(b) {
            Some(rest) => rest,
            None => a,
        },
        BinOp::SDiv => {
            let (x, y) = (signed(a, width), signed(b, width));
            if y == 0 {
                if x < 0 { 1 } else { u128::MAX }
            } else {
                x.wrapping_div(y) as u128
            }
        }
        BinOp::SRem => {
            let (x, y) = (signed(a, width), signed(b, width));
            if y == 0 { a } else { x.wrapping_rem(y) as u128 }
        }
        BinOp::Shl => {
            if b >= w {
                0
            } else {
                a << b
            }
        }
        BinOp::LShr => {
            if b >= w {
                0
            } else {
                a >> b
            }
        }
        BinOp::AShr => (signed(a, width) >> (if b >= w { 127 } else { b })) as u128,
        BinOp::And => a & b,
        BinOp::Or => a | b,
        BinOp::Xor => a ^ b,
    };
    bits & mask(width)
}

/// The value of [`CmpOp`] on operands of this width.
#[inline]
pub const fn compare(op: CmpOp, width: Width, a: u128, b: u128) -> bool {
    match op {
        CmpOp::Eq => a == b,
        CmpOp::Ne => a != b,
        CmpOp::Ult => a < b,
        CmpOp::Ule => a <= b,
        CmpOp::Ugt => a > b,
        CmpOp::Uge => a >= b,
        CmpOp::Slt => signed(a, width) < signed(b, width),
        CmpOp::Sle => signed(a, width) <= signed(b, width),
        CmpOp::Sgt => signed(a, width) > signed(b, width),
        CmpOp::Sge => signed(a, width) >= signed(b, width),
    }
}

/// Whether the product does not fit the width.
#[inline]
pub const fn mul_overflows(is_signed: bool, width: Width, a: u128, b: u128) -> bool {
    if is_signed {
        match signed(a, width).checked_mul(signed(b, width)) {
            Some(r) => signed(r as u128 & mask(width), width) != r,
            None => true,
        }
    } else {
        match a.checked_mul(b) {
            Some(r) => r & mask(width) != r,
            None => true,
        }
    }
}
