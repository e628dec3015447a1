//! Integers of 256 bits, as two registers of 128 bits: what optimisers make of the product of two
//! wide numbers. The library of Rust prints numbers so.
//!
//! There is `zext`, `mul`, `lshr` by a constant, and `trunc`. All else that has such a value stays
//! unsupported. So none of them is in memory, an argument, a result, or a φ.
//!
//! *Poison.* A value is poison if and only if both registers are. So where a half is a constant, it
//! is computed from the other half all the same: `and` with 0.

use super::function::{FnLower, Lower};
use crate::llvm::{Opcode, TyKind, Value, ValueKind};
use selvedge_ir::{BinOp, CastOp, InstKind, IntPred, Operand, OverflowOp, Reg, Type};

/// The width, and that of a half.
const WIDTH: u32 = 256;
const HALF: Type = Type::Int(128);
/// Half of the bits of a half.
const DIGIT: u32 = 64;

impl<'m> FnLower<'_, 'm, '_> {
    /// Lowers an instruction if it has an operand or a result of 256 bits, and can be expressed.
    pub(super) fn double(&mut self, opcode: Opcode, inst: Value<'m>) -> Option<Lower<()>> {
        let from = inst.operand(0)?;
        match opcode {
            Opcode::LLVMZExt if is_double(inst) => Some(self.widen(inst, from)),
            Opcode::LLVMMul if is_double(inst) => Some(self.multiply(inst, from)),
            Opcode::LLVMLShr if is_double(inst) => Some(self.shift_right(inst, from)),
            Opcode::LLVMTrunc if is_double(from) => Some(self.narrow(inst, from)),
            _ => None,
        }
    }

    /// The halves of an operand.
    fn halves(&mut self, value: Value<'m>) -> Lower<[Operand; 2]> {
        if let Some(number) = value.double_int() {
            return Ok(number.map(|half| Operand::Const(half, HALF)));
        }
        if value.kind() != ValueKind::LLVMInstructionValueKind {
            return Err(format!("values of type {}", value.ty().text()));
        }
        Ok(self.registers(value).map(Operand::Reg))
    }

    /// The registers that an instruction assigns.
    fn registers(&mut self, inst: Value<'m>) -> [Reg; 2] {
        if let Some(&halves) = self.doubles.get(&inst) {
            return halves;
        }
        let halves = [self.reg(HALF), self.reg(HALF)];
        self.doubles.insert(inst, halves);
        halves
    }

    fn assign(&mut self, inst: Value<'m>, values: [Operand; 2]) {
        for (dst, value) in self.registers(inst).into_iter().zip(values) {
            self.copy(dst, value);
        }
    }

    /// 0, or poison if a half is.
    fn nothing(&mut self, half: Operand) -> Operand {
        self.bin(BinOp::And, half, number(0))
    }

    fn widen(&mut self, inst: Value<'m>, from: Value<'m>) -> Lower<()> {
        let narrow = self.part(from)?;
        let low = self.reg(HALF);
        match self.type_of(narrow) {
            HALF if !inst.nneg() => self.copy(low, narrow),
            HALF => {
                let negative = self.compare(IntPred::Slt, narrow, number(0));
                self.unless(low, negative, narrow);
            }
            _ => self.flagged_cast(inst, CastOp::ZExt, low, narrow),
        }
        let low = Operand::Reg(low);
        let high = self.nothing(low);
        self.assign(inst, [low, high]);
        Ok(())
    }

    fn multiply(&mut self, inst: Value<'m>, from: Value<'m>) -> Lower<()> {
        if inst.nsw() && !inst.nuw() {
            return Err("signed products of 256 bits".to_owned());
        }
        let a = self.halves(from)?;
        let b = self.halves(inst.operand(1).ok_or("a product of one number")?)?;
        let low = self.bin(BinOp::Mul, a[0], b[0]);
        let mut high = self.high_product(a[0], b[0]);
        // Whether the product needs more bits.
        let mut lost = Operand::Const(0, Type::I1);
        for (x, y) in [(a[1], b[0]), (a[0], b[1])] {
            let product = self.checked(OverflowOp::UMul, x, y, &mut lost);
            high = self.checked(OverflowOp::UAdd, high, product, &mut lost);
        }
        if !inst.nuw() {
            self.assign(inst, [low, high]);
            return Ok(());
        }
        let [a_is_high, b_is_high] = [a[1], b[1]].map(|high| self.compare(IntPred::Ne, high, number(0)));
        let both = self.bin(BinOp::And, a_is_high, b_is_high);
        lost = self.bin(BinOp::Or, lost, both);
        let registers = self.registers(inst);
        for (dst, value) in registers.into_iter().zip([low, high]) {
            self.unless(dst, lost, value);
        }
        Ok(())
    }

    /// Arithmetic that notes whether its result fits.
    fn checked(&mut self, op: OverflowOp, a: Operand, b: Operand, lost: &mut Operand) -> Operand {
        let (dst, overflow) = (self.reg(HALF), self.reg(Type::I1));
        self.emit(InstKind::Overflow {
            op,
            dst,
            overflow,
            a,
            b,
        });
        *lost = self.bin(BinOp::Or, *lost, Operand::Reg(overflow));
        Operand::Reg(dst)
    }

    /// The high half of the product of two halves, by digits of 64 bits. No sum here overflows.
    fn high_product(&mut self, a: Operand, b: Operand) -> Operand {
        let [a, b] = [a, b].map(|half| [self.low_digit(half), self.high_digit(half)]);
        let mut product = |i: usize, j: usize| self.bin(BinOp::Mul, a[i], b[j]);
        let (low, mixed, other, high) = (product(0, 0), product(0, 1), product(1, 0), product(1, 1));
        let mut carry = self.high_digit(low);
        let mut sum = high;
        for product in [mixed, other] {
            let (digit, above) = (self.low_digit(product), self.high_digit(product));
            carry = self.bin(BinOp::Add, carry, digit);
            sum = self.bin(BinOp::Add, sum, above);
        }
        let carry = self.high_digit(carry);
        self.bin(BinOp::Add, sum, carry)
    }

    fn low_digit(&mut self, half: Operand) -> Operand {
        self.bin(BinOp::And, half, number(u64::MAX.into()))
    }

    fn high_digit(&mut self, half: Operand) -> Operand {
        self.bin(BinOp::LShr, half, number(DIGIT.into()))
    }

    fn shift_right(&mut self, inst: Value<'m>, from: Value<'m>) -> Lower<()> {
        let by = inst.operand(1).and_then(|by| by.double_int());
        let by = match by {
            Some([by, 0]) if by < WIDTH.into() && !inst.exact() => by,
            _ => return Err("shifts of 256 bits by such a number".to_owned()),
        };
        let [low, high] = self.halves(from)?;
        let half = u128::from(HALF.bits());
        let nothing = self.nothing(high);
        let shifted = match by {
            0 => [low, high],
            _ if by < half => {
                let kept = self.bin(BinOp::LShr, low, number(by));
                let moved = self.bin(BinOp::Shl, high, number(half - by));
                let low = self.bin(BinOp::Or, kept, moved);
                [low, self.bin(BinOp::LShr, high, number(by))]
            }
            _ => [self.bin(BinOp::LShr, high, number(by - half)), nothing],
        };
        self.assign(inst, shifted);
        Ok(())
    }

    fn narrow(&mut self, inst: Value<'m>, from: Value<'m>) -> Lower<()> {
        let [low, high] = self.halves(from)?;
        let results = self.results(inst)?;
        let &[dst] = &results[..] else {
            return Err(format!("values of type {} here", inst.ty().text()));
        };
        let to = self.reg_type(dst);
        let mut kept = if to == HALF {
            low
        } else {
            self.cast(CastOp::Trunc, low, to)
        };
        // The flags: the bits that go away are those that the result is extended by.
        for (flag, op) in [(inst.nuw(), CastOp::ZExt), (inst.nsw(), CastOp::SExt)] {
            if !flag {
                continue;
            }
            let back = if to == HALF {
                low
            } else {
                self.cast(op, kept, HALF)
            };
            let above = match op {
                CastOp::SExt => self.bin(BinOp::AShr, back, number(127)),
                _ => number(0),
            };
            for (found, extended) in [(low, back), (high, above)] {
                let differs = self.compare(IntPred::Ne, found, extended);
                let next = self.reg(to);
                self.unless(next, differs, kept);
                kept = Operand::Reg(next);
            }
        }
        self.copy(dst, kept);
        Ok(())
    }
}

fn is_double(value: Value<'_>) -> bool {
    let ty = value.ty();
    ty.kind() == TyKind::LLVMIntegerTypeKind && ty.int_bits() == WIDTH
}

fn number(value: u128) -> Operand {
    Operand::Const(value, HALF)
}
