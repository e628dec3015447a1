//! Flags and metadata that make a result poison. They state facts that the optimiser has derived,
//! which hold unless the program is at fault.
//!
//! LLVM's Language Reference lists them: `nuw`, `exact`, `disjoint`, `nneg`, `samesign`, `nuw` and
//! `nsw` of `trunc`; `!range` and `!nonnull` of loads. If such a fact does not hold, the result has
//! no value, and its use is a finding. The `nsw` of additions, subtractions, multiplications and
//! shifts is left to the property `overflow`: C programs that do not request it may wrap.
//!
//! Shifts by the width or more are faults at the shift in unoptimised code: code that was compiled
//! here, or by a compiler that was told not to optimise it (`optnone`). An optimiser may execute a
//! shift early, before the test that its amount is small enough, and then drop its result. So
//! elsewhere the result is poison.

use super::function::{FnLower, Lower};
use crate::llvm::{AS_WRITTEN, Value};
use selvedge_ir::{BinOp, CastOp, InstKind, IntPred, Operand, OverflowOp, Reg, Type};

impl<'m> FnLower<'_, 'm, '_> {
    /// Emits integer or floating-point arithmetic with what makes its result poison.
    pub(super) fn arithmetic(&mut self, inst: Value<'m>, op: BinOp, dst: Reg, [a, b]: [Operand; 2]) {
        let ty = self.reg_type(dst);
        let signed_shift = self.shift_checks.signed.contains(&inst);
        let (nsw, nuw) = (inst.nsw() || signed_shift, inst.nuw());
        let shifts = matches!(op, BinOp::Shl | BinOp::LShr | BinOp::AShr);
        let may_leave = |b: Operand| !matches!(b, Operand::Const(n, _) if n < u128::from(ty.bits()));
        if shifts && self.speculated && may_leave(b) {
            return self.speculated_shift(inst, op, dst, [a, b]);
        }
        if nuw && op == BinOp::Mul {
            let (product, overflow) = (self.reg(ty), self.reg(Type::I1));
            self.emit(InstKind::Overflow {
                op: OverflowOp::UMul,
                dst: product,
                overflow,
                a,
                b,
            });
            return self.unless(dst, Operand::Reg(overflow), Operand::Reg(product));
        }
        if !nuw && !inst.exact() && !inst.disjoint() {
            return self.emit(InstKind::Bin {
                op,
                dst,
                a,
                b,
                nsw,
                nuw,
            });
        }
        let result = self.reg(ty);
        self.emit(InstKind::Bin {
            op,
            dst: result,
            a,
            b,
            nsw,
            nuw,
        });
        let result = Operand::Reg(result);
        if let Some(broken) = self.broken(inst, op, result, [a, b]) {
            self.unless(dst, broken, result);
        } else {
            self.copy(dst, result);
        }
    }

    /// Whether a flag of arithmetic does not hold.
    fn broken(
        &mut self,
        inst: Value<'m>,
        op: BinOp,
        result: Operand,
        [a, b]: [Operand; 2],
    ) -> Option<Operand> {
        let undone = |lower: &mut Self, op: BinOp| {
            let back = lower.bin(op, result, b);
            lower.compare(IntPred::Ne, back, a)
        };
        Some(match op {
            BinOp::Add if inst.nuw() => self.compare(IntPred::Ult, result, a),
            BinOp::Sub if inst.nuw() => self.compare(IntPred::Ult, a, b),
            BinOp::Shl if inst.nuw() => undone(self, BinOp::LShr),
            BinOp::LShr | BinOp::AShr if inst.exact() => undone(self, BinOp::Shl),
            BinOp::UDiv | BinOp::SDiv if inst.exact() => undone(self, BinOp::Mul),
            BinOp::Or if inst.disjoint() => {
                let both = self.bin(BinOp::And, a, b);
                let zero = Operand::Const(0, self.type_of(a));
                self.compare(IntPred::Ne, both, zero)
            }
            _ => return None,
        })
    }

    /// Emits a shift whose result is poison if the amount is too large.
    fn speculated_shift(&mut self, inst: Value<'m>, op: BinOp, dst: Reg, [a, b]: [Operand; 2]) {
        let ty = self.reg_type(dst);
        let width = Operand::Const(u128::from(ty.bits()), ty);
        let too_far = self.compare(IntPred::Uge, b, width);
        // An amount in range, which is right where this one is. If it is undefined, so is only the
        // result.
        let by = if ty.bits().is_power_of_two() {
            let most = Operand::Const(u128::from(ty.bits() - 1), ty);
            self.bin(BinOp::And, b, most)
        } else {
            let by = self.reg(ty);
            self.emit(InstKind::Select {
                dst: by,
                cond: too_far,
                a: Operand::Const(0, ty),
                b,
            });
            Operand::Reg(by)
        };
        let mut result = self.bin(op, a, by);
        if let Some(broken) = self.broken(inst, op, result, [a, by]) {
            let kept = self.reg(ty);
            self.unless(kept, broken, result);
            result = Operand::Reg(kept);
        }
        self.unless(dst, too_far, result);
    }

    /// Emits a conversion with what makes its result poison.
    pub(super) fn flagged_cast(&mut self, inst: Value<'m>, op: CastOp, dst: Reg, a: Operand) {
        let (from, to) = (self.type_of(a), self.reg_type(dst));
        let nneg = matches!(op, CastOp::ZExt | CastOp::UToF) && inst.nneg();
        let trunc = op == CastOp::Trunc && (inst.nuw() || inst.nsw());
        if !nneg && !trunc {
            return self.emit(InstKind::Cast { op, dst, a, from });
        }
        let result = self.cast(op, a, to);
        if nneg {
            let negative = self.compare(IntPred::Slt, a, Operand::Const(0, from));
            return self.unless(dst, negative, result);
        }
        let mut kept = result;
        for (flag, op) in [(inst.nuw(), CastOp::ZExt), (inst.nsw(), CastOp::SExt)] {
            if flag {
                let back = self.cast(op, result, from);
                let lost = self.compare(IntPred::Ne, back, a);
                let next = self.reg(to);
                self.unless(next, lost, kept);
                kept = Operand::Reg(next);
            }
        }
        self.copy(dst, kept);
    }

    /// Emits a comparison with what makes its result poison.
    pub(super) fn flagged_compare(&mut self, inst: Value<'m>, pred: IntPred, dst: Reg, [a, b]: [Operand; 2]) {
        let ty = self.type_of(a);
        if !inst.same_sign() || !matches!(ty, Type::Int(_)) {
            return self.emit(InstKind::Cmp { pred, dst, a, b, ty });
        }
        let result = self.compare(pred, a, b);
        let signs = self.bin(BinOp::Xor, a, b);
        let differ = self.compare(IntPred::Slt, signs, Operand::Const(0, ty));
        self.unless(dst, differ, result);
    }

    /// Checks the facts that a load states about the value in its register: if they do not hold,
    /// the value is poison.
    pub(super) fn promises(&mut self, load: Value<'m>, dst: Reg) -> Lower<()> {
        let ty = self.reg_type(dst);
        let loaded = Operand::Reg(dst);
        if load.has_metadata("nonnull") && ty == Type::Ptr {
            let null = self.compare(IntPred::Eq, loaded, Operand::Const(0, ty));
            self.unless(dst, null, loaded);
        }
        let ranges = load.ranges();
        if ranges.is_empty() || !matches!(ty, Type::Int(_)) {
            return Ok(());
        }
        // In one of the ranges `[from, to)`, which may wrap.
        let mask = u128::MAX >> (128 - ty.bits());
        let mut inside = Operand::Const(0, Type::I1);
        for (from, to) in ranges {
            let above = self.bin(BinOp::Sub, loaded, Operand::Const(from, ty));
            let size = Operand::Const(to.wrapping_sub(from) & mask, ty);
            let here = self.compare(IntPred::Ult, above, size);
            inside = self.bin(BinOp::Or, inside, here);
        }
        let outside = self.bin(BinOp::Xor, inside, Operand::Const(1, Type::I1));
        self.unless(dst, outside, loaded);
        Ok(())
    }

    /// `dst = value`, or poison under a condition.
    pub(super) fn unless(&mut self, dst: Reg, condition: Operand, value: Operand) {
        let ty = self.reg_type(dst);
        self.emit(InstKind::Select {
            dst,
            cond: condition,
            a: Operand::Poison(ty),
            b: value,
        });
    }

    /// `llvm.assume`: undefined behaviour if it does not hold.
    pub(super) fn assumption(&mut self, inst: Value<'m>) -> Lower<()> {
        match self.operand(inst, 0)? {
            Operand::Const(1, _) => Ok(()),
            _ => self.call_library(inst, "__selvedge_assumed"),
        }
    }

    /// Whether the code of a function may have been moved by an optimiser.
    pub(super) fn may_be_moved(function: Value<'m>) -> bool {
        !function.has_own_attribute(AS_WRITTEN) && !function.has_attribute("optnone")
    }
}
