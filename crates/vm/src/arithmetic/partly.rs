//! Numbers of which some bits are undefined: whether an operation on them may go wrong.
//!
//! Undefined bits may have any value, independently of each other. So an operation on such numbers
//! goes wrong for some value of these bits exactly if it does for one of the extremes.

use selvedge_ir::BinOp;

/// What reports call the operand whose undefined bits decide whether an operation goes wrong.
pub const DISTANCE: &str = "the distance of a shift";
/// See [`DISTANCE`].
pub const DIVIDEND: &str = "the dividend of a signed division by -1";
/// See [`DISTANCE`].
pub const OVERFLOWING: &str = "an operand of signed arithmetic that may overflow";

/// A number of up to 128 bits.
#[derive(Clone, Copy, Debug)]
pub struct Partly {
    /// Its bits; those that are undefined do not count.
    pub bits: u128,
    /// The bits that are undefined.
    pub undefined: u128,
}

impl Partly {
    /// The least and the greatest signed number of a width that it may be.
    fn extremes(self, width: u32) -> (i128, i128) {
        let shift = 128 - width;
        let sign = 1 << (width - 1);
        let (known, unknown) = (self.bits & !self.undefined, self.undefined);
        let number = |bits: u128| ((bits << shift) as i128) >> shift;
        (number(known | unknown & sign), number(known | unknown & !sign))
    }

    /// The greatest unsigned number of a width that it may be.
    fn most(self, width: u32) -> u128 {
        (self.bits | self.undefined) & (u128::MAX >> (128 - width))
    }

    /// True if it may be this number of a width.
    fn may_be(self, width: u32, number: i128) -> bool {
        ((self.bits ^ number as u128) & !self.undefined) << (128 - width) == 0
    }
}

/// True if the signed result of an operation may not fit its width.
pub fn may_overflow(op: BinOp, width: u32, a: Partly, b: Partly) -> bool {
    let (of_a, of_b) = (a.extremes(width), b.extremes(width));
    let fits =
        |exact: Option<i128>| exact.is_some_and(|exact| (exact << (128 - width)) >> (128 - width) == exact);
    let at_corners = |exact: fn(i128, i128) -> Option<i128>| {
        let corners = [of_a.0, of_a.1]
            .into_iter()
            .flat_map(|x| [of_b.0, of_b.1].map(|y| exact(x, y)));
        !corners.into_iter().all(fits)
    };
    match op {
        BinOp::Add => at_corners(i128::checked_add),
        BinOp::Sub => at_corners(i128::checked_sub),
        BinOp::Mul => at_corners(i128::checked_mul),
        BinOp::Shl => {
            let by = b.most(width).min(u128::from(width - 1)) as u32;
            let shifted = |x: i128| Some(x << by).filter(|shifted| shifted >> by == x);
            !fits(shifted(of_a.0)) || !fits(shifted(of_a.1))
        }
        _ => false,
    }
}

/// True if a distance of a shift may be the width or more.
pub fn may_leave(width: u32, by: Partly) -> bool {
    by.most(width) >= u128::from(width)
}

/// True if this may be the division of the least number by -1.
pub fn may_not_divide(width: u32, a: Partly, b: Partly) -> bool {
    a.may_be(width, i128::MIN >> (128 - width)) && b.may_be(width, -1)
}

#[cfg(test)]
mod tests {
    use super::*;

    const WIDTH: u32 = 3;

    /// All values of a number of three bits.
    fn values(number: Partly) -> impl Iterator<Item = u128> {
        (0..8u128).filter(move |&value| (value ^ number.bits) & !number.undefined & 7 == 0)
    }

    fn signed(value: u128) -> i128 {
        ((value << 125) as i128) >> 125
    }

    /// Calls `check` with all pairs of numbers of three bits.
    fn pairs(check: impl Fn(Partly, Partly)) {
        for of in 0..1u128 << 12 {
            let part = |at: u32| of >> at & 7;
            let number = |at: u32| Partly {
                bits: part(at),
                undefined: part(at + 3),
            };
            check(number(0), number(6));
        }
    }

    fn some(a: Partly, b: Partly, wrong: impl Fn(u128, u128) -> bool) -> bool {
        values(a).any(|x| values(b).any(|y| wrong(x, y)))
    }

    #[test]
    fn an_overflow_is_possible_if_some_value_overflows() {
        let fits = |exact: i128| (-4..4).contains(&exact);
        pairs(|a, b| {
            for (op, exact) in [
                (BinOp::Add, (|x, y| x + y) as fn(i128, i128) -> i128),
                (BinOp::Sub, |x, y| x - y),
                (BinOp::Mul, |x, y| x * y),
            ] {
                let expected = some(a, b, |x, y| !fits(exact(signed(x), signed(y))));
                assert_eq!(may_overflow(op, WIDTH, a, b), expected, "{op:?} {a:?} {b:?}");
            }
            if !may_leave(WIDTH, b) {
                let expected = some(a, b, |x, y| !fits(signed(x) << y));
                assert_eq!(may_overflow(BinOp::Shl, WIDTH, a, b), expected, "{a:?} {b:?}");
            }
        });
    }

    #[test]
    fn a_shift_and_a_division_go_wrong_if_they_do_for_some_value() {
        pairs(|a, b| {
            assert_eq!(may_leave(WIDTH, b), values(b).any(|by| by >= 3), "{b:?}");
            let expected = some(a, b, |x, y| x == 4 && y == 7);
            assert_eq!(may_not_divide(WIDTH, a, b), expected, "{a:?} {b:?}");
        });
    }
}
