//! Comparisons of numbers.

use crate::{IntPred, Operand, Type};

impl IntPred {
    /// Whether the comparison holds of two numbers with `bits` bits (1 to 128). All higher bits
    /// must be 0.
    pub fn holds(self, bits: u32, a: u128, b: u128) -> bool {
        let signed = |number: u128| (number << (128 - bits)).cast_signed() >> (128 - bits);
        let (x, y) = (signed(a), signed(b));
        match self {
            IntPred::Eq => a == b,
            IntPred::Ne => a != b,
            IntPred::Ult => a < b,
            IntPred::Ule => a <= b,
            IntPred::Ugt => a > b,
            IntPred::Uge => a >= b,
            IntPred::Slt => x < y,
            IntPred::Sle => x <= y,
            IntPred::Sgt => x > y,
            IntPred::Sge => x >= y,
        }
    }
}

/// A comparison of the low bits of a value with a number.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Comparison {
    /// How they are compared: the value comes first.
    pub pred: IntPred,
    /// How many bits are compared, up to 64.
    pub bits: u8,
    /// The number.
    pub with: u64,
}

impl Comparison {
    /// The result of the comparison for `value`.
    pub fn of(self, value: u64) -> bool {
        let low = u64::MAX >> (64 - u32::from(self.bits));
        let (a, b) = (u128::from(value & low), u128::from(self.with & low));
        self.pred.holds(u32::from(self.bits), a, b)
    }

    /// The comparison of an instruction that compares a value of type `ty` with the constant
    /// `number`; `None` if `number` is no constant or wider than 64 bits. `turned`: the constant is
    /// the first operand.
    pub fn with(pred: IntPred, number: Operand, ty: Type, turned: bool) -> Option<Comparison> {
        let Operand::Const(with, _) = number else {
            return None;
        };
        let bits = u8::try_from(ty.bits())
            .ok()
            .filter(|bits| (1..=64).contains(bits))?;
        let pred = match (turned, pred) {
            (false, pred) | (true, pred @ (IntPred::Eq | IntPred::Ne)) => pred,
            (true, IntPred::Ult) => IntPred::Ugt,
            (true, IntPred::Ule) => IntPred::Uge,
            (true, IntPred::Ugt) => IntPred::Ult,
            (true, IntPred::Uge) => IntPred::Ule,
            (true, IntPred::Slt) => IntPred::Sgt,
            (true, IntPred::Sle) => IntPred::Sge,
            (true, IntPred::Sgt) => IntPred::Slt,
            (true, IntPred::Sge) => IntPred::Sle,
        };
        let with = with as u64;
        Some(Comparison { pred, bits, with })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// All comparisons of all pairs of a sample of bytes, as Rust compares them.
    #[test]
    fn bytes_are_compared_as_numbers() {
        for a in [0u8, 1, 3, 0x7f, 0x80, 0xff] {
            for b in [0u8, 2, 3, 0x7f, 0x81, 0xff] {
                let (x, y) = (a.cast_signed(), b.cast_signed());
                let expected = [
                    (IntPred::Eq, a == b),
                    (IntPred::Ne, a != b),
                    (IntPred::Ult, a < b),
                    (IntPred::Ule, a <= b),
                    (IntPred::Ugt, a > b),
                    (IntPred::Uge, a >= b),
                    (IntPred::Slt, x < y),
                    (IntPred::Sle, x <= y),
                    (IntPred::Sgt, x > y),
                    (IntPred::Sge, x >= y),
                ];
                for (pred, holds) in expected {
                    assert_eq!(pred.holds(8, a.into(), b.into()), holds, "{a} {pred:?} {b}");
                    // The higher bits are ignored.
                    let comparison =
                        Comparison::with(pred, Operand::Const(b.into(), Type::Int(8)), Type::Int(8), false);
                    let comparison = comparison.expect("a comparison with a number");
                    assert_eq!(comparison.of(0xab00 | u64::from(a)), holds, "{a} {pred:?} {b}");
                    let turned =
                        Comparison::with(pred, Operand::Const(a.into(), Type::Int(8)), Type::Int(8), true);
                    let turned = turned.expect("a comparison with a number");
                    assert_eq!(turned.of(0xab00 | u64::from(b)), holds, "{a} {pred:?} {b}");
                }
            }
        }
    }
}
