//! Whether a loop is left for certain after some number of rounds, whatever it has read.

use selvedge_base::Id;
use selvedge_ir::{BinOp, CastOp, InstKind, IntPred, Operand, Reg, Type};

/// The instructions of one round, in order. A register that several of them assign has no single
/// meaning, and nothing is concluded about it.
pub(super) struct Countdown<'f> {
    pub insts: Vec<&'f InstKind>,
}

impl<'f> Countdown<'f> {
    /// Whether a condition has a value in some round, if no earlier round left the loop: it
    /// compares a counter with something that no round changes.
    pub fn comes_to(&self, cond: Operand, wanted: bool) -> bool {
        match self.maker(cond) {
            Some(&InstKind::Cmp { pred, a, b, ty, .. }) if self.is_fixed(b) => {
                self.is_counter(a, b, pred) && takes_value(pred, wanted, b, ty)
            }
            // `!x`, and a `bool` that was stored and loaded.
            Some(&InstKind::Bin {
                op: BinOp::Xor,
                a,
                b: Operand::Const(c, _),
                ..
            }) => self.comes_to(a, wanted ^ (c & 1 == 1)),
            Some(&InstKind::Copy { value, .. }) => self.comes_to(value, wanted),
            Some(&InstKind::Cast {
                op: CastOp::Trunc | CastOp::ZExt,
                a,
                ..
            }) => self.comes_to(a, wanted),
            _ => false,
        }
    }

    /// The only instruction that assigns a register.
    fn maker(&self, operand: Operand) -> Option<&'f InstKind> {
        let Operand::Reg(of) = operand else { return None };
        let mut makers = self.insts.iter().filter(|kind| assigns(kind, of));
        match (makers.next(), makers.next()) {
            (Some(&maker), None) => Some(maker),
            _ => None,
        }
    }

    fn is_fixed(&self, operand: Operand) -> bool {
        match operand {
            Operand::Const(..) => true,
            Operand::Reg(reg) => !self.insts.iter().any(|kind| assigns(kind, reg)),
            _ => false,
        }
    }

    /// What a register is a copy of.
    fn origin(&self, operand: Operand) -> Operand {
        let mut at = operand;
        for _ in 0..self.insts.len() {
            match self.maker(at) {
                Some(&InstKind::Copy { value, .. }) => at = value,
                _ => break,
            }
        }
        at
    }

    /// Whether a value is a counter, or the next value of one: each round adds the same odd number,
    /// so it takes all values of its width. `b`, `pred`: what it is compared with, and how.
    fn is_counter(&self, a: Operand, b: Operand, pred: IntPred) -> bool {
        let mut at = self.origin(a);
        if let Some(&InstKind::Cast {
            op: CastOp::ZExt,
            a: narrow,
            from,
            ..
        }) = self.maker(at)
        {
            // Of a wider type only those values come that fit.
            let fits = matches!(b, Operand::Const(c, _) if from.bits() < 128 && c >> from.bits() == 0);
            if !fits || !matches!(pred, IntPred::Eq | IntPred::Ne) {
                return false;
            }
            at = self.origin(narrow);
        }
        // The value is a register that is kept, or what is added to one.
        let Some(kind) = self.maker(at) else { return false };
        let (InstKind::Bin { .. }, Some(kept)) = (kind, self.step_of(kind)) else {
            return false;
        };
        // What is kept is what was added to it: `kept = (copy of kept) + c`.
        let Operand::Reg(of) = at else { return false };
        self.is_kept(kept, of)
    }

    /// What an odd number is added to.
    fn step_of(&self, kind: &InstKind) -> Option<Operand> {
        match *kind {
            InstKind::Bin {
                op: BinOp::Add | BinOp::Sub,
                a,
                b: Operand::Const(by, _),
                ..
            } if by & 1 == 1 => Some(a),
            _ => None,
        }
    }

    /// Whether an operand is, at the begin of a round, what `sum` was in the round before.
    fn is_kept(&self, operand: Operand, sum: Reg) -> bool {
        self.back_to(operand, sum, 0)
    }

    fn back_to(&self, operand: Operand, sum: Reg, depth: usize) -> bool {
        if operand == Operand::Reg(sum) {
            return true;
        }
        match self.maker(operand) {
            Some(&InstKind::Copy { value, .. }) if depth < self.insts.len() => {
                self.back_to(value, sum, depth + 1)
            }
            _ => false,
        }
    }
}

fn assigns(kind: &InstKind, reg: Reg) -> bool {
    let mut found = false;
    kind.for_each_result(|result| found |= result.index() == reg.index());
    found
}

/// Whether a comparison with `b` has an outcome for some value on its left side.
fn takes_value(pred: IntPred, wanted: bool, b: Operand, ty: Type) -> bool {
    let width = ty.bits();
    let ones = u128::MAX >> (128 - width.clamp(1, 128));
    let (least, most) = (1 << (width.clamp(1, 128) - 1), ones >> 1);
    let is = |value: u128| matches!(b, Operand::Const(c, _) if c & ones != value);
    // The comparison never, or always, holds where the left side cannot be less or greater.
    match (pred, wanted) {
        (IntPred::Eq | IntPred::Ne, _)
        | (IntPred::Ule | IntPred::Uge | IntPred::Sle | IntPred::Sge, true)
        | (IntPred::Ult | IntPred::Ugt | IntPred::Slt | IntPred::Sgt, false) => true,
        (IntPred::Ult, true) | (IntPred::Uge, false) => is(0),
        (IntPred::Ugt, true) | (IntPred::Ule, false) => is(ones),
        (IntPred::Slt, true) | (IntPred::Sge, false) => is(least),
        (IntPred::Sgt, true) | (IntPred::Sle, false) => is(most),
    }
}
