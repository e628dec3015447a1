//! Integer arithmetic: the part that concrete values share, and the effect of undefined bits on
//! results.
//!
//! Bitwise operations are exact in their undefined bits. Addition, subtraction and multiplication
//! make all bits from the lowest undefined bit on undefined; comparisons make their whole result
//! undefined. (These are the rules of Memcheck.)

pub mod float;
mod integer;
pub mod partly;

pub use integer::{divide, shift, signed};

use crate::code::Op;
use crate::symbolic;
use crate::value::{Tags, Value, mask};

/// Quotient or remainder by what is not 0; `None` if it does not fit.
#[cold]
pub fn quotient(op: Op, width: u8, a: u64, b: u64) -> Option<u64> {
    match op {
        Op::UDiv => Some(a / b),
        Op::URem => Some(a % b),
        Op::SDiv => divide(a, b, width).map(|(quotient, _)| quotient),
        _ => divide(a, b, width).map(|(_, rest)| rest),
    }
}

/// The low bits of a value.
#[inline(always)]
pub fn truncate(tags: &Tags, value: Value, width: u8) -> Value {
    if value.is_concrete() {
        return Value::new(value.bits & mask(width));
    }
    if value.tag.as_poison().is_some() {
        // A part of an address is a number.
        let number = value.as_number();
        let part = width < 64 && number.is_concrete();
        return if part {
            Value::new(number.bits & mask(width))
        } else {
            value
        };
    }
    if let Some(symbol) = tags.symbol(value.tag) {
        return symbolic::truncate(tags, symbol, width);
    }
    tags.value(
        value.bits & mask(width),
        tags.undefined_bits(value.tag) & mask(width),
    )
}

/// A byte of a value of up to eight bytes, the lowest first.
pub fn byte(tags: &Tags, value: Value, number: u64) -> Value {
    let (op, by) = (Op::LShr, Value::new(8 * number));
    truncate(tags, tagged(tags, op, 64, value, by), 8)
}

/// Sign extension of a value with undefined bits.
#[cold]
pub fn sign_extend(tags: &Tags, value: Value, from: u8, to: u8) -> Value {
    if value.tag.as_poison().is_some() {
        return value;
    }
    if let Some(symbol) = tags.symbol(value.tag) {
        return symbolic::extend(tags, symbol, from, to);
    }
    let undefined = tags.undefined_bits(value.tag) & mask(from);
    tags.value(
        signed(value.bits & mask(from), from) as u64 & mask(to),
        signed(undefined, from) as u64 & mask(to),
    )
}

/// An operation on numbers, as the interpreter's fast path does it.
fn concrete(op: Op, width: u8, a: u64, b: u64) -> Value {
    let (x, y) = (signed(a, width), signed(b, width));
    let bits = match op {
        Op::Add => a.wrapping_add(b) & mask(width),
        Op::Sub => a.wrapping_sub(b) & mask(width),
        Op::Mul => a.wrapping_mul(b) & mask(width),
        Op::Shl | Op::LShr | Op::AShr => shift(op, width, a, b),
        Op::And => a & b,
        Op::Or => a | b,
        Op::Xor => a ^ b,
        Op::Eq => u64::from(a == b),
        Op::Ne => u64::from(a != b),
        Op::Ult => u64::from(a < b),
        Op::Ule => u64::from(a <= b),
        Op::Ugt => u64::from(a > b),
        Op::Uge => u64::from(a >= b),
        Op::Slt => u64::from(x < y),
        Op::Sle => u64::from(x <= y),
        Op::Sgt => u64::from(x > y),
        Op::Sge => u64::from(x >= y),
        _ => float::binary(op, width, a, b),
    };
    Value::new(bits)
}

/// An operation of which at least one operand is not concrete.
#[cold]
pub fn tagged(tags: &Tags, op: Op, width: u8, a: Value, b: Value) -> Value {
    let (a, b) = (a.as_number(), b.as_number());
    if a.is_concrete() && b.is_concrete() {
        return concrete(op, width, a.bits, b.bits);
    }
    for v in [a, b] {
        if v.tag.as_poison().is_some() {
            return v;
        }
    }
    if a.is_symbolic() || b.is_symbolic() {
        return symbolic::binary(tags, op, width, a, b);
    }
    let all = mask(width);
    let (ua, ub) = (tags.undefined_bits(a.tag) & all, tags.undefined_bits(b.tag) & all);
    let (x, y) = (a.bits, b.bits);
    let undefined_from_lowest = |result: u64| {
        let low = (ua | ub).trailing_zeros();
        let undefined = if low >= 64 { 0 } else { (u64::MAX << low) & all };
        tags.value(result & all, undefined)
    };
    match op {
        // A defined 0 makes the bit of an `and` defined, a defined 1 that of an `or`.
        Op::And => tags.value(x & y, (ua | ub) & (x | ua) & (y | ub)),
        Op::Or => tags.value(x | y, (ua | ub) & !(x & !ua) & !(y & !ub) & all),
        Op::Xor => tags.value(x ^ y, ua | ub),
        Op::Add => undefined_from_lowest(x.wrapping_add(y)),
        Op::Sub => undefined_from_lowest(x.wrapping_sub(y)),
        Op::Mul => {
            if (ub == 0 && y == 0) || (ua == 0 && x == 0) {
                return Value::new(0);
            }
            undefined_from_lowest(x.wrapping_mul(y))
        }
        Op::Shl | Op::LShr | Op::AShr if ub == 0 => {
            tags.value(shift(op, width, x, y), shift(op, width, ua, y))
        }
        Op::Eq | Op::Ne => {
            // They differ in a defined bit, so the answer is known whatever the other bits are.
            let known_different = (x ^ y) & !(ua | ub) & all != 0;
            if known_different {
                Value::new(u64::from(op == Op::Ne))
            } else {
                tags.value(0, 1)
            }
        }
        Op::Ult | Op::Ule | Op::Ugt | Op::Uge | Op::Slt | Op::Sle | Op::Sgt | Op::Sge => tags.value(0, 1),
        _ => tags.value(0, all),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bitwise_operations_are_exact() {
        let tags = Tags::default();
        let half = tags.value(0x0f, 0xf0);
        assert_eq!(
            tagged(&tags, Op::And, 8, half, Value::new(0x0f)),
            Value::new(0x0f)
        );
        assert_eq!(tagged(&tags, Op::Or, 8, half, Value::new(0xf0)), Value::new(0xff));
        assert_eq!(
            tags.undefined_bits(tagged(&tags, Op::Xor, 8, half, Value::new(1)).tag),
            0xf0
        );
        assert_eq!(tagged(&tags, Op::Eq, 8, half, Value::new(1)), Value::new(0));
    }

    #[test]
    fn sums_are_undefined_from_the_lowest_undefined_bit() {
        let tags = Tags::default();
        let value = tags.value(0x01, 0x10);
        assert_eq!(
            tags.undefined_bits(tagged(&tags, Op::Add, 8, value, Value::new(1)).tag),
            0xf0
        );
    }

    #[test]
    fn least_by_minus_one_does_not_fit() {
        assert_eq!(divide(0x80, 0xff, 8), None);
        assert_eq!(divide(0xf9, 2, 8), Some((0xfd, 0xff)));
    }
}
