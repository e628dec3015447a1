//! Operations that are expressed by others: overflow, saturation, minimum and maximum, funnel
//! shifts.

use crate::arena::Arena;
use crate::bits::mask;
use crate::node::{BinOp, CmpOp, Expr, Node, UnOp, Width};

impl Arena {
    /// Whether a sum does not fit its width, as signed or unsigned numbers.
    pub fn add_overflows(&self, signed: bool, a: Expr, b: Expr) -> Expr {
        let sum = self.binary(BinOp::Add, a, b);
        if !signed {
            return self.compare(CmpOp::Ult, sum, a);
        }
        // Both operands have the sign that the sum has not.
        let differs = |x| self.binary(BinOp::Xor, x, sum);
        self.is_negative(self.binary(BinOp::And, differs(a), differs(b)))
    }

    /// Whether a difference does not fit its width.
    pub fn sub_overflows(&self, signed: bool, a: Expr, b: Expr) -> Expr {
        if !signed {
            return self.compare(CmpOp::Ult, a, b);
        }
        let difference = self.binary(BinOp::Sub, a, b);
        let differs = |x| self.binary(BinOp::Xor, a, x);
        self.is_negative(self.binary(BinOp::And, differs(b), differs(difference)))
    }

    /// Whether a product does not fit its width.
    pub fn mul_overflows(&self, signed: bool, a: Expr, b: Expr) -> Expr {
        let width = self.width(a);
        assert_eq!(width, self.width(b), "the widths of a product");
        match (self.as_const(a), self.as_const(b)) {
            (Some(x), Some(y)) => self.truth(crate::bits::mul_overflows(signed, width, x, y)),
            _ => self.intern(Node::MulOverflows(signed, a, b), 1),
        }
    }

    /// Whether a value is negative as a signed number.
    pub fn is_negative(&self, a: Expr) -> Expr {
        self.extract(a, self.width(a) - 1, 1)
    }

    /// The absolute value; of the least value itself.
    pub fn abs(&self, a: Expr) -> Expr {
        self.ite(self.is_negative(a), self.unary(UnOp::Neg, a), a)
    }

    /// The minimum or, with `greatest`, the maximum.
    pub fn min_max(&self, signed: bool, greatest: bool, a: Expr, b: Expr) -> Expr {
        let op = if signed { CmpOp::Sle } else { CmpOp::Ule };
        let first = if greatest {
            self.compare(op, b, a)
        } else {
            self.compare(op, a, b)
        };
        self.ite(first, a, b)
    }

    /// The sum, or the bound that it passes.
    pub fn add_saturating(&self, signed: bool, a: Expr, b: Expr) -> Expr {
        let width = self.width(a);
        let bound = if signed {
            self.signed_bound(a)
        } else {
            self.constant(width, mask(width))
        };
        self.ite(
            self.add_overflows(signed, a, b),
            bound,
            self.binary(BinOp::Add, a, b),
        )
    }

    /// The difference, or the bound that it passes.
    pub fn sub_saturating(&self, signed: bool, a: Expr, b: Expr) -> Expr {
        let bound = if signed {
            self.signed_bound(a)
        } else {
            self.constant(self.width(a), 0)
        };
        self.ite(
            self.sub_overflows(signed, a, b),
            bound,
            self.binary(BinOp::Sub, a, b),
        )
    }

    /// The value shifted to the left, or the bound that it passes. An amount of the width or more
    /// passes unless the value is 0.
    pub fn shl_saturating(&self, signed: bool, a: Expr, b: Expr) -> Expr {
        let width = self.width(a);
        let shifted = self.binary(BinOp::Shl, a, b);
        let back = if signed { BinOp::AShr } else { BinOp::LShr };
        let fits = self.compare(CmpOp::Eq, self.binary(back, shifted, b), a);
        let bound = if signed {
            self.signed_bound(a)
        } else {
            self.constant(width, mask(width))
        };
        self.ite(fits, shifted, bound)
    }

    /// The least value if `a` is negative, else the greatest.
    fn signed_bound(&self, a: Expr) -> Expr {
        let width = self.width(a);
        let least = 1 << (width - 1);
        self.ite(
            self.is_negative(a),
            self.constant(width, least),
            self.constant(width, least - 1),
        )
    }

    /// `a` above `b`, shifted to the left by `amount` modulo the width: the upper word; or to the
    /// right: the lower one.
    pub fn funnel(&self, left: bool, a: Expr, b: Expr, amount: Expr) -> Expr {
        let width = self.width(a);
        if let Some(amount) = self.as_const(amount) {
            let n = (amount % u128::from(width)) as Width;
            return match (n, left) {
                (0, true) => a,
                (0, false) => b,
                (n, true) => self.concat(self.extract(a, 0, width - n), self.extract(b, width - n, n)),
                (n, false) => self.concat(self.extract(a, 0, n), self.extract(b, n, width - n)),
            };
        }
        if width == 1 {
            return if left { a } else { b };
        }
        let n = self.binary(BinOp::URem, amount, self.constant(width, u128::from(width)));
        let rest = self.binary(BinOp::Sub, self.constant(width, u128::from(width)), n);
        // With n = 0 the other word is shifted by the width, which gives 0.
        let (up, down) = if left { (n, rest) } else { (rest, n) };
        self.binary(
            BinOp::Or,
            self.binary(BinOp::Shl, a, up),
            self.binary(BinOp::LShr, b, down),
        )
    }
}
