//! Abstract values: sets of numbers that a register or a place in memory may hold.
//!
//! An address is a number like others. The machine's addresses are numbers, and objects are far
//! apart.

use crate::value::mask;

/// A set of values.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(super) enum Abstract {
    /// Numbers.
    Number(Span),
    /// The address of a byte in an object that does not exist yet.
    New {
        /// True if it may have been moved out of its object. Then it cannot be used for an access,
        /// but may equal any number.
        moved: bool,
    },
    /// One of these numbers; or the address of a byte in an object that does not exist yet; or
    /// null, or a number that is not far from it and so no address.
    Either(Span),
    /// Any value.
    Any,
}

/// The numbers `lo`, `lo + stride`, … up to `hi`, as unsigned numbers.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub(super) struct Span {
    pub(super) lo: u64,
    pub(super) hi: u64,
    /// 0 if and only if it is one number; otherwise it divides `hi - lo`.
    pub(super) stride: u64,
    /// True if it may also be an address outside of the object that contains all these numbers.
    /// Such an address cannot be used for an access, but can be computed with. It equals `lo`
    /// modulo the stride, if there is one.
    pub(super) out: bool,
}

pub(super) const fn gcd(mut a: u64, mut b: u64) -> u64 {
    while b != 0 {
        (a, b) = (b, a % b);
    }
    a
}

impl Span {
    /// One number.
    pub(super) const fn one(number: u64) -> Span {
        Span {
            lo: number,
            hi: number,
            stride: 0,
            out: false,
        }
    }

    /// The numbers from `lo` to `hi`, with a stride that is adjusted to fit.
    pub(super) const fn new(lo: u64, hi: u64, stride: u64) -> Span {
        if lo == hi {
            return Span::one(lo);
        }
        let stride = if stride == 0 { 1 } else { stride };
        let hi = lo + (hi - lo) / stride * stride;
        Span {
            lo,
            hi,
            stride: if lo == hi { 0 } else { stride },
            out: false,
        }
    }

    /// The number, if there is only one.
    pub(super) const fn as_one(self) -> Option<u64> {
        if self.lo == self.hi && !self.out {
            Some(self.lo)
        } else {
            None
        }
    }

    /// True if all of them have the form of an address.
    pub(super) const fn is_address(self) -> bool {
        self.lo >> 46 == 1 && self.hi >> 46 == 1
    }

    /// True if all of them are at most 2^40, or at most as much less than zero: an offset in an
    /// object, and no address.
    pub(super) const fn is_small(self) -> bool {
        !self.out && (self.hi < 1 << 40 || self.lo.wrapping_neg() < 1 << 40)
    }

    /// The count of numbers minus one.
    pub(super) fn steps(self) -> u64 {
        (self.hi - self.lo).checked_div(self.stride).unwrap_or(0)
    }

    fn join(self, other: Span) -> Span {
        let (lo, hi) = (self.lo.min(other.lo), self.hi.max(other.hi));
        let mut stride = gcd(gcd(self.stride, other.stride), self.lo.abs_diff(other.lo));
        if self.out && self.stride == 0 || other.out && other.stride == 0 {
            stride = 1;
        }
        Span {
            lo,
            hi,
            stride,
            out: self.out || other.out,
        }
    }

    /// The numbers from `least` to `most`, if there are any.
    pub(super) fn between(self, least: u64, most: u64) -> Option<Span> {
        let (mut lo, mut hi) = (self.lo, self.hi);
        if self.stride == 0 {
            return (least <= lo && lo <= most).then_some(self);
        }
        if lo < least {
            let steps = (least - lo).div_ceil(self.stride);
            lo = lo.checked_add(steps.checked_mul(self.stride)?)?;
        }
        if most < lo || hi < lo {
            return None;
        }
        if hi > most {
            hi = lo + (most - lo) / self.stride * self.stride;
        }
        let out = self.out;
        Some(Span {
            out,
            ..Span::new(lo, hi, self.stride)
        })
    }

    /// The image of a monotone map that multiplies distances by `factor`, given the images of both
    /// ends in full precision, as numbers of `bits` bits; anything if they wrap differently.
    fn image(lo: i128, hi: i128, stride: u128, bits: u8) -> Abstract {
        let modulus = 1i128 << bits;
        let Ok(stride) = u64::try_from(stride) else {
            return Abstract::all(bits);
        };
        if lo.div_euclid(modulus) != hi.div_euclid(modulus) {
            return Abstract::all(bits);
        }
        let (lo, hi) = (lo.rem_euclid(modulus) as u64, hi.rem_euclid(modulus) as u64);
        Abstract::Number(Span::new(lo, hi, stride))
    }
}

impl Abstract {
    /// An object that does not exist yet.
    pub(super) const NEW: Abstract = Abstract::New { moved: false };

    pub(super) const fn one(number: u64) -> Abstract {
        Abstract::Number(Span::one(number))
    }

    /// All numbers of this width.
    pub(super) const fn all(bits: u8) -> Abstract {
        if bits >= 64 {
            Abstract::Any
        } else {
            Abstract::Number(Span::new(0, mask(bits), 1))
        }
    }

    /// The number, if there is only one.
    pub(super) const fn as_one(self) -> Option<u64> {
        match self {
            Abstract::Number(span) => span.as_one(),
            _ => None,
        }
    }

    /// The numbers, if all of them can be computed with.
    pub(super) const fn number(self) -> Option<Span> {
        match self {
            Abstract::Number(span) if !span.out => Some(span),
            _ => None,
        }
    }

    /// Both sets, and the numbers between them.
    pub(super) fn join(self, other: Abstract) -> Abstract {
        match (self, other) {
            (Abstract::Number(a), Abstract::Number(b)) => match (self.is_null(), other.is_null()) {
                (true, false) if b.is_address() => Abstract::Either(b),
                (false, true) if a.is_address() => Abstract::Either(a),
                _ => Abstract::Number(a.join(b)),
            },
            (Abstract::New { moved: a }, Abstract::New { moved: b }) => Abstract::New { moved: a || b },
            (Abstract::Any, _) | (_, Abstract::Any) => Abstract::Any,
            (Abstract::New { .. }, Abstract::Number(a) | Abstract::Either(a))
            | (Abstract::Number(a) | Abstract::Either(a), Abstract::New { .. }) => Abstract::Either(a),
            (Abstract::Either(a), Abstract::Number(b) | Abstract::Either(b))
            | (Abstract::Number(a), Abstract::Either(b)) => match (self.is_null(), other.is_null()) {
                (true, _) => Abstract::Either(b),
                (_, true) => Abstract::Either(a),
                _ => Abstract::Either(a.join(b)),
            },
        }
    }

    /// True if it is null, or null or a new object.
    fn is_null(self) -> bool {
        matches!(self, Abstract::Number(span) | Abstract::Either(span) if span == Span::one(0))
    }

    /// The value with which to continue if `self` has become `next` repeatedly. `end`: the first
    /// address after the object in which a number lies.
    pub(super) fn widen(self, next: Abstract, end: impl Fn(u64) -> Option<u64>) -> Abstract {
        let (a, b, either) = match (self, self.join(next)) {
            (Abstract::Number(a), Abstract::Number(b)) => (a, b, false),
            (Abstract::Number(a) | Abstract::Either(a), Abstract::Either(b)) => (a, b, true),
            (_, joined) => return joined,
        };
        let lo = if b.lo < a.lo { b.lo % b.stride.max(1) } else { b.lo };
        let mut hi = b.hi;
        if b.hi > a.hi {
            let bounds = [0x7fff_ffff, 0xffff_ffff, u64::MAX >> 1, u64::MAX];
            let end = end(b.lo).filter(|&end| b.hi <= end);
            let least = end.or_else(|| bounds.into_iter().find(|&bound| b.hi <= bound));
            hi = least.unwrap_or(u64::MAX);
        }
        let span = Span {
            out: b.out,
            ..Span::new(lo, hi, b.stride)
        };
        match either {
            true => Abstract::Either(span),
            false => Abstract::Number(span),
        }
    }

    pub(super) fn add(self, other: Abstract, bits: u8) -> Abstract {
        let (Some(a), Some(b)) = (self.number(), other.number()) else {
            return Abstract::all(bits);
        };
        let stride = u128::from(gcd(a.stride, b.stride));
        let sum = |a: u64, b: u64| i128::from(a) + i128::from(b);
        Span::image(sum(a.lo, b.lo), sum(a.hi, b.hi), stride, bits)
    }

    pub(super) fn sub(self, other: Abstract, bits: u8) -> Abstract {
        let (Some(a), Some(b)) = (self.number(), other.number()) else {
            return Abstract::all(bits);
        };
        let stride = u128::from(gcd(a.stride, b.stride));
        let difference = |a: u64, b: u64| i128::from(a) - i128::from(b);
        Span::image(difference(a.lo, b.hi), difference(a.hi, b.lo), stride, bits)
    }

    pub(super) fn mul(self, other: Abstract, bits: u8) -> Abstract {
        let (Some(a), Some(b)) = (self.number(), other.number()) else {
            return Abstract::all(bits);
        };
        let (a, k) = if b.stride == 0 { (a, b) } else { (b, a) };
        if k.stride != 0 || k.lo > mask(63) || a.hi > mask(63) {
            return Abstract::all(bits);
        }
        let times = |x: u64| i128::from(x) * i128::from(k.lo);
        let stride = u128::from(a.stride) * u128::from(k.lo);
        Span::image(times(a.lo), times(a.hi), stride, bits)
    }

    pub(super) fn shl(self, by: Abstract, bits: u8) -> Abstract {
        match by.as_one() {
            Some(by) if by < u64::from(bits) && by < 63 => self.mul(Abstract::one(1 << by), bits),
            _ => Abstract::all(bits),
        }
    }

    /// Shift to the right. If `signed`, the sign bit is shifted in.
    pub(super) fn shr(self, by: Abstract, bits: u8, signed: bool) -> Abstract {
        match (self.number(), by.as_one()) {
            (Some(a), Some(by)) if by < u64::from(bits) && !(signed && a.hi > mask(bits) >> 1) => {
                Abstract::Number(Span::new(a.lo >> by, a.hi >> by, 1))
            }
            _ => Abstract::all(bits),
        }
    }

    /// Quotient or remainder; negative numbers are not followed.
    pub(super) fn divide(self, by: Abstract, bits: u8, signed: bool, remainder: bool) -> Abstract {
        let positive = mask(bits) >> u32::from(signed);
        match (self.number(), by.as_one()) {
            (Some(a), Some(by)) if by != 0 && by <= positive && a.hi <= positive => {
                Abstract::Number(match remainder {
                    false => Span::new(a.lo / by, a.hi / by, 1),
                    true if a.hi < by => a,
                    true if a.stride == 0 => Span::one(a.lo % by),
                    true => Span::new(0, by - 1, 1),
                })
            }
            _ => Abstract::all(bits),
        }
    }

    pub(super) fn and(self, other: Abstract, bits: u8) -> Abstract {
        match (self.number(), other.number()) {
            (Some(a), Some(b)) if a.stride == 0 && b.stride == 0 => Abstract::one(a.lo & b.lo),
            (a, b) => {
                let (a, b) = if b.is_some_and(|b| b.stride == 0) {
                    (a, b)
                } else {
                    (b, a)
                };
                let full = Span::new(0, mask(bits), 1);
                let (x, y) = (a.unwrap_or(full), b.unwrap_or(full));
                let all_ones = y.stride == 0 && (y.lo.wrapping_add(1)) & y.lo == 0;
                if all_ones && a.is_some() && x.hi <= y.lo {
                    return Abstract::Number(x);
                }
                Abstract::Number(Span::new(0, x.hi.min(y.hi), 1))
            }
        }
    }

    /// `or` and `xor`; `exact` computes them on numbers.
    pub(super) fn or(self, other: Abstract, bits: u8, exact: fn(u64, u64) -> u64) -> Abstract {
        match (self.number(), other.number()) {
            (Some(a), Some(b)) if a.stride == 0 && b.stride == 0 => Abstract::one(exact(a.lo, b.lo)),
            (Some(a), Some(b)) => {
                let most = (a.hi | b.hi)
                    .checked_ilog2()
                    .map_or(0, |bit| u64::MAX >> (63 - bit));
                Abstract::Number(Span::new(0, most, 1))
            }
            _ => Abstract::all(bits),
        }
    }

    pub(super) fn trunc(self, bits: u8) -> Abstract {
        if bits >= 64 {
            return self;
        }
        match self.number() {
            Some(a) if a.lo >> bits == a.hi >> bits => {
                Abstract::Number(Span::new(a.lo & mask(bits), a.hi & mask(bits), a.stride))
            }
            _ => Abstract::all(bits),
        }
    }

    /// Sign extension from `from` to `to` bits.
    pub(super) fn sext(self, from: u8, to: u8) -> Abstract {
        let half = mask(from) >> 1;
        match self.number() {
            Some(a) if a.hi <= half => self,
            Some(a) if a.lo > half && a.hi <= mask(from) => {
                let above = mask(to) & !mask(from);
                Abstract::Number(Span::new(a.lo | above, a.hi | above, a.stride))
            }
            _ => Abstract::all(to),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::comparison::{Comparison, Relation};
    use super::*;

    const BITS: u8 = 8;

    fn random(rng: &mut fastrand::Rng) -> Span {
        let (a, b) = (rng.u64(..256), rng.u64(..256));
        match rng.u8(..3) {
            0 => Span::one(a),
            _ => Span::new(a.min(b), a.max(b), rng.u64(1..40)),
        }
    }

    fn all(span: Span) -> Vec<u64> {
        (0..=span.steps()).map(|n| span.lo + n * span.stride).collect()
    }

    fn holds(value: Abstract, number: u64) -> bool {
        match value {
            Abstract::Number(span) => {
                (span.lo..=span.hi).contains(&number) && (number - span.lo).is_multiple_of(span.stride.max(1))
            }
            _ => true,
        }
    }

    fn signed(number: u64) -> i64 {
        i64::from(number as u8 as i8)
    }

    /// Each result of an operation on members is a member of its result on sets.
    #[test]
    fn results_are_members() {
        let mut rng = fastrand::Rng::with_seed(1);
        let mut exact = 0;
        for _ in 0..1_500 {
            let (a, b) = (random(&mut rng), random(&mut rng));
            let (x, y) = (Abstract::Number(a), Abstract::Number(b));
            let sums = [
                x.add(y, BITS),
                x.sub(y, BITS),
                x.mul(y, BITS),
                x.and(y, BITS),
                x.or(y, BITS, |a, b| a | b),
                x.or(y, BITS, |a, b| a ^ b),
                x.join(y),
                x.join(y),
                x.widen(y, |_| None),
                x.divide(y, BITS, false, false),
                x.divide(y, BITS, false, true),
                x.divide(y, BITS, true, false),
                x.divide(y, BITS, true, true),
                x.shl(y, BITS),
                x.shr(y, BITS, false),
                x.shr(y, BITS, true),
            ];
            exact += sums.iter().filter(|s| **s != Abstract::all(BITS)).count();
            let (few_a, few_b) = (all(a), all(b));
            for &m in few_a.iter().take(5).chain(few_a.last()) {
                for &n in few_b.iter().take(5).chain(few_b.last()) {
                    let (s, t) = (signed(m), signed(n));
                    let low = |number: i64| number as u64 & mask(BITS);
                    let quotient = |signed: bool| match (n, signed) {
                        (0, _) => None,
                        (_, false) => Some((m / n, m % n)),
                        (_, true) => Some((low(s / t), low(s % t))),
                    };
                    let shift = (n < u64::from(BITS)).then_some(n);
                    let expected = [
                        Some(low((m + n) as i64)),
                        Some(low(m as i64 - n as i64)),
                        Some(low((m * n) as i64)),
                        Some(m & n),
                        Some(m | n),
                        Some(m ^ n),
                        Some(m),
                        Some(n),
                        Some(m),
                        quotient(false).map(|q| q.0),
                        quotient(false).map(|q| q.1),
                        quotient(true).map(|q| q.0),
                        quotient(true).map(|q| q.1),
                        shift.map(|n| low((m << n) as i64)),
                        shift.map(|n| m >> n),
                        shift.map(|n| low(s >> n)),
                    ];
                    for (i, (value, number)) in sums.iter().zip(expected).enumerate() {
                        let is_member = number.is_none_or(|number| holds(*value, number));
                        assert!(
                            is_member,
                            "operation {i}: {a:?} {b:?}: {m} {n} gives {number:?}, not in {value:?}"
                        );
                    }
                }
            }
        }
        assert!(exact > 10_000, "{exact}");
    }

    #[test]
    fn conversions_keep_members() {
        let mut rng = fastrand::Rng::with_seed(2);
        for _ in 0..3_000 {
            let a = random(&mut rng);
            let bits = rng.u8(1..9);
            let (truncated, extended) = (
                Abstract::Number(a).trunc(bits),
                Abstract::Number(a).sext(BITS, 16),
            );
            for m in all(a) {
                assert!(holds(truncated, m & mask(bits)), "{a:?} {bits} {truncated:?}");
                assert!(holds(extended, signed(m) as u64 & mask(16)), "{a:?} {extended:?}");
            }
        }
    }

    #[test]
    fn comparisons_are_decided_and_restrict() {
        let mut rng = fastrand::Rng::with_seed(3);
        let (mut decided, mut restricted) = (0, 0);
        for _ in 0..4_000 {
            let (a, b) = (random(&mut rng), random(&mut rng));
            let relations = [
                Relation::Eq,
                Relation::Ne,
                Relation::Lt,
                Relation::Le,
                Relation::Gt,
                Relation::Ge,
            ];
            let comparison = Comparison {
                relation: relations[rng.usize(..6)],
                signed: rng.bool(),
                bits: BITS,
            };
            let really = |m: u64, n: u64| match comparison.signed {
                true => comparison
                    .relation
                    .of((signed(m) + 128) as u64, (signed(n) + 128) as u64),
                false => comparison.relation.of(m, n),
            };
            let (x, y) = (Abstract::Number(a), Abstract::Number(b));
            let answer = comparison.decide(x, y);
            decided += usize::from(answer.is_some());
            let left = comparison.restrict(x, y);
            restricted += usize::from(left != Some(x));
            for &m in &all(a) {
                for &n in &all(b) {
                    let holds_really = really(m, n);
                    assert!(
                        answer.is_none_or(|answer| answer == holds_really),
                        "{comparison:?} {a:?} {b:?}"
                    );
                    let stays = left.is_some_and(|left| holds(left, m));
                    assert!(
                        !holds_really || stays,
                        "{comparison:?} {a:?} {b:?}: {m} {n}, {left:?}"
                    );
                }
            }
        }
        assert!(decided > 400 && restricted > 400, "{decided} {restricted}");
    }

    #[test]
    fn what_lies_between_is_kept() {
        let mut rng = fastrand::Rng::with_seed(4);
        for _ in 0..20_000 {
            let (a, least, most) = (random(&mut rng), rng.u64(..256), rng.u64(..256));
            let kept = a.between(least, most).map_or(Vec::new(), all);
            let expected: Vec<u64> = all(a)
                .into_iter()
                .filter(|m| (least..=most).contains(m))
                .collect();
            assert_eq!(kept, expected, "{a:?} {least} {most}");
        }
    }
}
