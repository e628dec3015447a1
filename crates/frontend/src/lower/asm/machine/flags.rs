//! The flags that an instruction leaves, and the conditions on them.

use super::{Machine, constant};
use selvedge_ir::{BinOp, InstKind, IntPred, Operand, OverflowOp, Type};

/// What the flags were set from.
#[derive(Clone, Copy, Debug)]
pub(in crate::lower::asm) enum Flags {
    /// Nothing that is known.
    Unknown,
    /// A sum of two values.
    Sum { a: Operand, b: Operand, result: Operand },
    /// A difference of two values, or their comparison.
    Difference { a: Operand, b: Operand, result: Operand },
    /// Bitwise: neither carry nor overflow.
    Bits { result: Operand },
    /// Only zero and sign are known.
    Step { result: Operand },
    /// Only the carry is known.
    Carry(Operand),
    /// Only zero is known.
    Zero(Operand),
}

/// A condition, without its negation.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Condition {
    Equal,
    Below,
    BelowOrEqual,
    Less,
    LessOrEqual,
    Sign,
    Overflow,
}

/// The condition that the end of a mnemonic names, and whether it is negated.
fn condition(name: &str) -> Option<(Condition, bool)> {
    Some(match name {
        "e" | "z" => (Condition::Equal, false),
        "ne" | "nz" => (Condition::Equal, true),
        "b" | "c" | "nae" => (Condition::Below, false),
        "ae" | "nb" | "nc" => (Condition::Below, true),
        "be" | "na" => (Condition::BelowOrEqual, false),
        "a" | "nbe" => (Condition::BelowOrEqual, true),
        "l" | "nge" => (Condition::Less, false),
        "ge" | "nl" => (Condition::Less, true),
        "le" | "ng" => (Condition::LessOrEqual, false),
        "g" | "nle" => (Condition::LessOrEqual, true),
        "s" => (Condition::Sign, false),
        "ns" => (Condition::Sign, true),
        "o" => (Condition::Overflow, false),
        "no" => (Condition::Overflow, true),
        _ => return None,
    })
}

/// Whether a mnemonic ends in a condition.
pub(in crate::lower::asm) fn is_condition(name: &str) -> bool {
    condition(name).is_some()
}

impl Machine<'_, '_, '_, '_> {
    /// Whether a condition holds, as an `i1`.
    pub(in crate::lower::asm) fn condition(&mut self, name: &str) -> Option<Operand> {
        let (condition, negated) = condition(name)?;
        let holds = self.holds(condition)?;
        Some(if negated {
            self.lower.bin(BinOp::Xor, holds, Operand::Const(1, Type::I1))
        } else {
            holds
        })
    }

    fn holds(&mut self, condition: Condition) -> Option<Operand> {
        use Condition::{Below, BelowOrEqual, Equal, Less, LessOrEqual, Overflow, Sign};
        match (self.flags, condition) {
            (Flags::Unknown, _) => None,
            (Flags::Carry(carry), Below) => Some(carry),
            (Flags::Zero(zero), Equal) => Some(zero),
            (Flags::Carry(_) | Flags::Zero(_), _) => None,
            (Flags::Difference { a, b, .. }, Equal) => Some(self.compare(IntPred::Eq, a, b)),
            (Flags::Difference { a, b, .. }, Below) => Some(self.compare(IntPred::Ult, a, b)),
            (Flags::Difference { a, b, .. }, BelowOrEqual) => Some(self.compare(IntPred::Ule, a, b)),
            (Flags::Difference { a, b, .. }, Less) => Some(self.compare(IntPred::Slt, a, b)),
            (Flags::Difference { a, b, .. }, LessOrEqual) => Some(self.compare(IntPred::Sle, a, b)),
            (Flags::Difference { a, b, .. }, Overflow) => Some(self.overflows(OverflowOp::SSub, a, b)),
            (Flags::Sum { a, result, .. }, Below) => Some(self.compare(IntPred::Ult, result, a)),
            (Flags::Sum { a, b, .. }, Overflow) => Some(self.overflows(OverflowOp::SAdd, a, b)),
            (Flags::Bits { .. }, Below | Overflow) => Some(Operand::Const(0, Type::I1)),
            (Flags::Bits { result }, BelowOrEqual) => Some(self.against_zero(IntPred::Eq, result)),
            (Flags::Bits { result }, LessOrEqual) => Some(self.against_zero(IntPred::Sle, result)),
            (Flags::Bits { result }, Less) => Some(self.against_zero(IntPred::Slt, result)),
            (Flags::Sum { result, .. } | Flags::Bits { result } | Flags::Step { result }, Equal) => {
                Some(self.against_zero(IntPred::Eq, result))
            }
            (
                Flags::Sum { result, .. }
                | Flags::Difference { result, .. }
                | Flags::Bits { result }
                | Flags::Step { result },
                Sign,
            ) => Some(self.against_zero(IntPred::Slt, result)),
            (Flags::Sum { .. } | Flags::Step { .. }, _) => None,
        }
    }

    fn against_zero(&mut self, pred: IntPred, value: Operand) -> Operand {
        let width = self.lower.type_of(value).bits() as u8;
        self.compare(pred, value, constant(0, width))
    }

    fn overflows(&mut self, op: OverflowOp, a: Operand, b: Operand) -> Operand {
        let dst = self.lower.reg(self.lower.type_of(a));
        let overflow = self.lower.reg(Type::I1);
        self.lower.emit(InstKind::Overflow {
            op,
            dst,
            overflow,
            a,
            b,
        });
        Operand::Reg(overflow)
    }
}

#[cfg(test)]
mod tests {
    use super::{Condition, condition};

    #[test]
    fn conditions_and_their_negations() {
        assert_eq!(condition("z"), Some((Condition::Equal, false)));
        assert_eq!(condition("nae"), Some((Condition::Below, false)));
        assert_eq!(condition("nbe"), Some((Condition::BelowOrEqual, true)));
        assert_eq!(condition("p"), None);
    }
}
