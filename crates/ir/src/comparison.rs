//! Comparisons with numbers.

use crate::{IntPred, Operand, Type};

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
    /// Its result.
    pub fn of(self, value: u64) -> bool {
        let above = 64 - u32::from(self.bits);
        let (a, b) = (value << above >> above, self.with << above >> above);
        let signed = |x: u64| (x << above).cast_signed() >> above;
        let (x, y) = (signed(a), signed(b));
        match self.pred {
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

    /// The comparison by an instruction, if it is one of a value of this type with a number.
    /// `turned`: the number comes first.
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
