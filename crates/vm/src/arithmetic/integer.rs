//! Arithmetic of concrete numbers of up to 64 bits.

use crate::code::Op;
use crate::value::mask;

/// Shifts by less than the width.
#[inline(always)]
pub fn shift(op: Op, width: u8, a: u64, by: u64) -> u64 {
    match op {
        Op::Shl => a << by & mask(width),
        Op::LShr => a >> by,
        _ => (signed(a, width) >> by) as u64 & mask(width),
    }
}

/// Signed quotient and remainder; `None` if the quotient does not fit.
#[inline]
pub fn divide(a: u64, b: u64, width: u8) -> Option<(u64, u64)> {
    let (a, b) = (signed(a, width), signed(b, width));
    let least = i64::MIN >> (64 - width);
    if a == least && b == -1 {
        return None;
    }
    Some(((a / b) as u64 & mask(width), (a % b) as u64 & mask(width)))
}

/// A number of a width as a signed one.
#[inline(always)]
pub const fn signed(bits: u64, width: u8) -> i64 {
    let shift = 64 - width as u32;
    ((bits << shift) as i64) >> shift
}
