//! Facts about a value that need no solver: certain bits and an unsigned interval. They are
//! computed once, when the node is made, from the facts of its children.
//!
//! The transfer functions are the usual ones of abstract interpretation (LLVM's `KnownBits` and
//! `ConstantRange`, without wrapping intervals). If nothing is known cheaply, the result is
//! [`Facts::any`].

use crate::bits::{mask, signed};
use crate::node::{BinOp, UnOp, Width};

/// Certain bits and an unsigned interval. Each is sound alone; [`Facts::refine`] lets one sharpen
/// the other.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Facts {
    /// Bits that are certainly 0, among those of the width.
    pub zeros: u128,
    /// Bits that are certainly 1.
    pub ones: u128,
    /// The least possible value or less.
    pub low: u128,
    /// The greatest possible value or more.
    pub high: u128,
}

/// How many bits the value takes.
const fn length(value: u128) -> u32 {
    128 - value.leading_zeros()
}

impl Facts {
    /// Nothing known.
    pub const fn any(width: Width) -> Facts {
        Facts {
            zeros: 0,
            ones: 0,
            low: 0,
            high: mask(width),
        }
    }

    /// Exactly this value.
    pub const fn exactly(value: u128, width: Width) -> Facts {
        Facts {
            zeros: !value & mask(width),
            ones: value,
            low: value,
            high: value,
        }
    }

    /// The only possible value, if there is only one.
    pub const fn value(&self) -> Option<u128> {
        if self.low == self.high {
            Some(self.low)
        } else {
            None
        }
    }

    /// Whether a value is possible as far as is known.
    pub const fn admits(&self, value: u128) -> bool {
        self.low <= value && value <= self.high && value & self.zeros == 0 && !value & self.ones == 0
    }

    /// The sign bit, if it is known.
    pub const fn sign(&self, width: Width) -> Option<bool> {
        let top = 1 << (width - 1);
        if self.zeros & top != 0 {
            Some(false)
        } else if self.ones & top != 0 {
            Some(true)
        } else {
            None
        }
    }

    /// The facts that hold for both of two values.
    pub fn join(self, other: Facts) -> Facts {
        Facts {
            zeros: self.zeros & other.zeros,
            ones: self.ones & other.ones,
            low: self.low.min(other.low),
            high: self.high.max(other.high),
        }
    }

    fn interval(low: u128, high: u128, width: Width) -> Facts {
        Facts {
            low,
            high,
            ..Facts::any(width)
        }
    }

    fn known(zeros: u128, ones: u128, width: Width) -> Facts {
        Facts {
            zeros: zeros & mask(width),
            ones: ones & mask(width),
            ..Facts::any(width)
        }
    }

    /// Narrows the interval by the bits, and the bits by the interval.
    pub fn refine(mut self, width: Width) -> Facts {
        self.low = self.low.max(self.ones);
        self.high = self.high.min(mask(width) & !self.zeros);
        // The bits above the highest one in which the bounds differ are the same for all values
        // between.
        let common = !low_mask(length(self.low ^ self.high)) & mask(width);
        self.ones |= self.low & common;
        self.zeros |= !self.low & common;
        self
    }

    /// The trailing bits that are certainly 0.
    fn trailing_zeros(&self, width: Width) -> u32 {
        self.zeros.trailing_ones().min(u32::from(width))
    }

    /// The facts of an operation on one value.
    pub fn unary(op: UnOp, width: Width, a: Facts) -> Facts {
        let w = u32::from(width);
        match op {
            UnOp::Not => Facts {
                zeros: a.ones,
                ones: a.zeros,
                low: mask(width) - a.high,
                high: mask(width) - a.low,
            },
            UnOp::Neg => Facts::binary(BinOp::Sub, width, Facts::exactly(0, width), a),
            UnOp::Ctpop => Facts::interval(
                u128::from(a.ones.count_ones()),
                u128::from(w - a.zeros.count_ones()),
                width,
            ),
            UnOp::Ctlz => Facts::interval(
                u128::from(w - length(a.high)),
                u128::from(w - length(a.low)),
                width,
            ),
            UnOp::Cttz => Facts::interval(
                u128::from(a.trailing_zeros(width)),
                u128::from(a.ones.trailing_zeros().min(w)),
                width,
            ),
            UnOp::Bswap => Facts::known(
                a.zeros.swap_bytes() >> (128 - w),
                a.ones.swap_bytes() >> (128 - w),
                width,
            ),
            UnOp::BitReverse => Facts::known(
                a.zeros.reverse_bits() >> (128 - w),
                a.ones.reverse_bits() >> (128 - w),
                width,
            ),
        }
        .refine(width)
    }

    /// The facts of an operation on two values.
    pub fn binary(op: BinOp, width: Width, a: Facts, b: Facts) -> Facts {
        let all = mask(width);
        match op {
            BinOp::Add => sum(width, a, b, false),
            // a - b = a + not b + 1
            BinOp::Sub => {
                let mut facts = sum(width, a, Facts::unary(UnOp::Not, width, b), true);
                if a.low >= b.high {
                    (facts.low, facts.high) = (a.low - b.high, a.high - b.low);
                } else if a.high < b.low {
                    facts.low = a.low.wrapping_sub(b.high) & all;
                    facts.high = a.high.wrapping_sub(b.low) & all;
                }
                facts
            }
            BinOp::Mul => {
                let zeros =
                    low_mask((a.trailing_zeros(width) + b.trailing_zeros(width)).min(u32::from(width)));
                let mut facts = Facts::known(zeros, 0, width);
                if let Some(high) = a.high.checked_mul(b.high)
                    && high <= all
                {
                    (facts.low, facts.high) = (a.low * b.low, high);
                }
                facts
            }
            BinOp::UDiv if b.low > 0 => Facts::interval(a.low / b.high, a.high / b.low, width),
            BinOp::UDiv => Facts::interval(a.low.checked_div(b.high).unwrap_or(all), all, width),
            BinOp::URem if a.high < b.low => a,
            BinOp::URem if b.low > 0 => Facts::interval(0, a.high.min(b.high - 1), width),
            BinOp::URem => Facts::interval(0, a.high, width),
            BinOp::SDiv | BinOp::SRem => match (a.sign(width), b.sign(width)) {
                (Some(false), Some(false)) if b.low > 0 => {
                    let unsigned = if op == BinOp::SDiv {
                        BinOp::UDiv
                    } else {
                        BinOp::URem
                    };
                    Facts::binary(unsigned, width, a, b)
                }
                _ => Facts::any(width),
            },
            BinOp::Shl => {
                let by = b.low.min(u128::from(width)) as u32;
                Facts::known(
                    low_mask((a.trailing_zeros(width) + by).min(u32::from(width))),
                    0,
                    width,
                )
            }
            BinOp::LShr => shifted_right(width, a, b),
            BinOp::AShr => match a.sign(width) {
                Some(false) => shifted_right(width, a, b),
                Some(true) => Facts::unary(
                    UnOp::Not,
                    width,
                    shifted_right(width, Facts::unary(UnOp::Not, width, a), b),
                ),
                None => Facts::any(width),
            },
            BinOp::And => Facts {
                zeros: a.zeros | b.zeros,
                ones: a.ones & b.ones,
                low: 0,
                high: a.high.min(b.high),
            },
            BinOp::Or => Facts {
                zeros: a.zeros & b.zeros,
                ones: a.ones | b.ones,
                low: a.low.max(b.low),
                high: all,
            },
            BinOp::Xor => Facts::known(
                a.zeros & b.zeros | a.ones & b.ones,
                a.zeros & b.ones | a.ones & b.zeros,
                width,
            ),
        }
        .refine(width)
    }

    /// The facts of `width` bits from bit `low` of a value.
    pub fn extract(self, low: Width, width: Width) -> Facts {
        let mut facts = Facts::known(self.zeros >> low, self.ones >> low, width);
        let above = u32::from(low) + u32::from(width);
        let upper = |bound: u128| bound.checked_shr(above).unwrap_or(0);
        if upper(self.low) == upper(self.high) {
            facts.low = self.low >> low & mask(width);
            facts.high = self.high >> low & mask(width);
        }
        facts.refine(width)
    }

    /// The facts of a value above another of width `low_width`.
    pub fn concat(self, low: Facts, low_width: Width, width: Width) -> Facts {
        Facts {
            zeros: self.zeros << low_width | low.zeros,
            ones: self.ones << low_width | low.ones,
            low: self.low << low_width | low.low,
            high: self.high << low_width | low.high,
        }
        .refine(width)
    }

    /// The facts of a value with zeros above.
    pub fn zext(mut self, from: Width, width: Width) -> Facts {
        self.zeros |= mask(width) & !mask(from);
        self
    }

    /// The facts of a value with copies of its sign above.
    pub fn sext(self, from: Width, width: Width) -> Facts {
        let above = mask(width) & !mask(from);
        match self.sign(from) {
            Some(false) => self.zext(from, width),
            Some(true) => Facts {
                zeros: self.zeros,
                ones: self.ones | above,
                low: self.low | above,
                high: self.high | above,
            },
            None => Facts::known(self.zeros, self.ones, width),
        }
    }

    /// Least and greatest as signed numbers, as far as is known.
    pub const fn signed_range(&self, width: Width) -> (i128, i128) {
        match self.sign(width) {
            Some(_) => (signed(self.low, width), signed(self.high, width)),
            None => (signed(1 << (width - 1), width), signed(mask(width) >> 1, width)),
        }
    }
}

/// The low bits set.
const fn low_mask(bits: u32) -> u128 {
    if bits >= 128 { u128::MAX } else { (1 << bits) - 1 }
}

/// A sum with an incoming carry: the bits up to where operands and carry are known, and the
/// interval if no value or every value wraps.
fn sum(width: Width, a: Facts, b: Facts, carry: bool) -> Facts {
    let c = u128::from(carry);
    let all = mask(width);
    // The sum of all bits that may be 1, and the sum of all bits that must be 1, show where a carry
    // is certain.
    let (a_max, b_max) = (!a.zeros & all, !b.zeros & all);
    let most = a_max.wrapping_add(b_max).wrapping_add(c);
    let least = a.ones.wrapping_add(b.ones).wrapping_add(c);
    let carry_zeros = !(most ^ a.zeros ^ b.zeros);
    let carry_ones = least ^ a.ones ^ b.ones;
    let certain = (a.zeros | a.ones) & (b.zeros | b.ones) & (carry_zeros | carry_ones);
    let mut facts = Facts::known(!most & certain, least & certain, width);
    let wraps = |x: u128, y: u128| match x.checked_add(y).and_then(|s| s.checked_add(c)) {
        Some(s) => s > all,
        None => true,
    };
    if wraps(a.low, b.low) == wraps(a.high, b.high) {
        facts.low = a.low.wrapping_add(b.low).wrapping_add(c) & all;
        facts.high = a.high.wrapping_add(b.high).wrapping_add(c) & all;
    }
    facts
}

fn shifted_right(width: Width, a: Facts, b: Facts) -> Facts {
    let shift = |value: u128, by: u128| if by >= u128::from(width) { 0 } else { value >> by };
    Facts::interval(shift(a.low, b.high), shift(a.high, b.low), width)
}
