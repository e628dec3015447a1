//! Sums, products, quotients.
//!
//! A constant in a sum is the right operand of the outermost addition. There is no subtraction of a
//! constant, and none from a constant: that is `-x + c`. Products with a constant are multiplied
//! out over sums, which keeps addresses linear.

use crate::arena::Arena;
use crate::bits::mask;
use crate::node::{BinOp, Expr, Node, UnOp, Width};

impl Arena {
    /// A value as `x + c`; `c` is 0 for one that is not such a sum.
    pub(super) fn with_offset(&self, a: Expr) -> (Expr, u128) {
        if let Node::Binary(BinOp::Add, x, c) = self.node(a)
            && let Some(c) = self.as_const(c)
        {
            return (x, c);
        }
        (a, 0)
    }

    fn plus(&self, a: Expr, c: u128, width: Width) -> Expr {
        self.binary(BinOp::Add, a, self.constant(width, c))
    }

    pub(super) fn add_of(&self, a: Expr, b: Expr, width: Width) -> Expr {
        if width == 1 {
            return self.binary(BinOp::Xor, a, b);
        }
        let (a, b) = self.ordered(a, b);
        if let Some(c) = self.as_const(b) {
            if c == 0 {
                return a;
            }
            if let (x, inner) = self.with_offset(a)
                && inner != 0
            {
                return self.plus(x, inner.wrapping_add(c), width);
            }
            // not x + c = -x + (c - 1)
            if let Node::Unary(UnOp::Not, x) = self.node(a) {
                return self.plus(self.neg(x), c.wrapping_sub(1), width);
            }
        } else {
            let ((x, c), (y, d)) = (self.with_offset(a), self.with_offset(b));
            if c != 0 || d != 0 {
                return self.plus(self.binary(BinOp::Add, x, y), c.wrapping_add(d), width);
            }
            match (self.node(a), self.node(b)) {
                (_, Node::Unary(UnOp::Neg, y)) => return self.binary(BinOp::Sub, a, y),
                (Node::Unary(UnOp::Neg, x), _) => return self.binary(BinOp::Sub, b, x),
                (Node::Unary(UnOp::Not, x), _) => {
                    return self.plus(self.binary(BinOp::Sub, b, x), u128::MAX, width);
                }
                (_, Node::Unary(UnOp::Not, y)) => {
                    return self.plus(self.binary(BinOp::Sub, a, y), u128::MAX, width);
                }
                (Node::Binary(BinOp::Sub, x, y), _) if y == b => return x,
                (_, Node::Binary(BinOp::Sub, x, y)) if y == a => return x,
                _ => {}
            }
            if a == b {
                return self.binary(BinOp::Shl, a, self.constant(width, 1));
            }
        }
        // Not of a constant: sums with a constant stay sums, so that offsets add up.
        if self.as_const(b).is_none()
            && let Some(result) = self.disjoint(a, b, width)
        {
            return result;
        }
        self.intern(Node::Binary(BinOp::Add, a, b), width)
    }

    pub(super) fn sub_of(&self, a: Expr, b: Expr, width: Width) -> Expr {
        if a == b {
            return self.constant(width, 0);
        }
        if width == 1 {
            return self.binary(BinOp::Xor, a, b);
        }
        if let Some(c) = self.as_const(b) {
            return self.plus(a, c.wrapping_neg(), width);
        }
        if let Some(c) = self.as_const(a) {
            return self.plus(self.neg(b), c, width);
        }
        let ((x, c), (y, d)) = (self.with_offset(a), self.with_offset(b));
        if c != 0 || d != 0 {
            return self.plus(self.binary(BinOp::Sub, x, y), c.wrapping_sub(d), width);
        }
        match (self.node(a), self.node(b)) {
            (_, Node::Unary(UnOp::Neg, y)) => self.binary(BinOp::Add, a, y),
            (Node::Unary(UnOp::Not, x), Node::Unary(UnOp::Not, y)) => self.binary(BinOp::Sub, y, x),
            (Node::Binary(BinOp::Add, x, y), _) if x == b => y,
            (Node::Binary(BinOp::Add, x, y), _) if y == b => x,
            (_, Node::Binary(BinOp::Sub, x, y)) if x == a => y,
            (Node::Binary(BinOp::Sub, x, y), _) if x == b => self.neg(y),
            (_, Node::Binary(BinOp::Add, x, y)) if x == a => self.neg(y),
            (_, Node::Binary(BinOp::Add, x, y)) if y == a => self.neg(x),
            _ => self.intern(Node::Binary(BinOp::Sub, a, b), width),
        }
    }

    /// Two's complement negation.
    pub fn neg(&self, a: Expr) -> Expr {
        let width = self.width(a);
        if width == 1 {
            return a;
        }
        let (x, c) = self.with_offset(a);
        if c != 0 {
            return self.plus(self.neg(x), c.wrapping_neg(), width);
        }
        if let Some((c, x, y)) = self.two_valued(a) {
            let value = |x: u128| self.constant(width, x.wrapping_neg());
            return self.ite(c, value(x), value(y));
        }
        match self.node(a) {
            Node::Const(value) => self.constant(width, value.wrapping_neg()),
            Node::Unary(UnOp::Neg, x) => x,
            Node::Unary(UnOp::Not, x) => self.plus(x, 1, width),
            Node::Binary(BinOp::Sub, x, y) => self.binary(BinOp::Sub, y, x),
            Node::Binary(BinOp::Mul, x, c) => match self.as_const(c) {
                Some(c) => self.binary(BinOp::Mul, x, self.constant(width, c.wrapping_neg())),
                None => self.intern(Node::Unary(UnOp::Neg, a), width),
            },
            _ => self.intern(Node::Unary(UnOp::Neg, a), width),
        }
    }

    pub(super) fn mul_of(&self, a: Expr, b: Expr, width: Width) -> Expr {
        if width == 1 {
            return self.and(a, b);
        }
        let (a, b) = self.ordered(a, b);
        let Some(c) = self.as_const(b) else {
            return self.intern(Node::Binary(BinOp::Mul, a, b), width);
        };
        if c == 0 || c == 1 {
            return if c == 0 { b } else { a };
        }
        let times = |x, c: u128| self.binary(BinOp::Mul, x, self.constant(width, c));
        let (x, offset) = self.with_offset(a);
        if offset != 0 {
            return self.plus(times(x, c), offset.wrapping_mul(c), width);
        }
        if c.is_power_of_two() {
            let by = u128::from(c.trailing_zeros());
            return self.binary(BinOp::Shl, a, self.constant(width, by));
        }
        if c == mask(width) {
            return self.neg(a);
        }
        match self.node(a) {
            Node::Unary(UnOp::Neg, x) => times(x, c.wrapping_neg()),
            Node::Binary(BinOp::Mul, x, d) if self.as_const(d).is_some() => {
                let d = self.as_const(d).unwrap_or(1);
                times(x, c.wrapping_mul(d))
            }
            _ => self.intern(Node::Binary(BinOp::Mul, a, b), width),
        }
    }

    /// Unsigned quotient and remainder: of powers of two by shifting, else as narrow as the
    /// operands' values are.
    pub(super) fn unsigned_division(&self, op: BinOp, a: Expr, b: Expr, width: Width) -> Expr {
        let (fa, fb) = (self.facts(a), self.facts(b));
        if op == BinOp::URem && fb.high == 0 {
            return a;
        }
        if let Some(c) = self.as_const(b)
            && c.is_power_of_two()
        {
            let shift = c.trailing_zeros() as Width;
            return match op {
                BinOp::UDiv => self.binary(BinOp::LShr, a, self.constant(width, u128::from(shift))),
                _ => self.and(a, self.constant(width, c - 1)),
            };
        }
        // By 0 the quotient is all ones, which has no narrow form; the remainder is the dividend.
        if fb.low > 0 || op == BinOp::URem {
            if fa.high < fb.low {
                return if op == BinOp::UDiv {
                    self.constant(width, 0)
                } else {
                    a
                };
            }
            let needed = (128 - (fa.high | fb.high).leading_zeros()).max(1) as Width;
            if needed < width {
                let narrow = self.binary(op, self.truncate(a, needed), self.truncate(b, needed));
                return self.zext(narrow, width);
            }
            if op == BinOp::URem && a == b {
                return self.constant(width, 0);
            }
            if op == BinOp::UDiv && a == b {
                return self.constant(width, 1);
            }
        }
        self.intern(Node::Binary(op, a, b), width)
    }

    /// Signed quotient and remainder: unsigned where both operands are not negative.
    pub(super) fn signed_division(&self, op: BinOp, a: Expr, b: Expr, width: Width) -> Expr {
        let (fa, fb) = (self.facts(a), self.facts(b));
        let not_negative = fa.sign(width) == Some(false) && fb.sign(width) == Some(false);
        if not_negative && op == BinOp::SRem {
            return self.binary(BinOp::URem, a, b);
        }
        if not_negative && fb.low > 0 {
            return self.binary(BinOp::UDiv, a, b);
        }
        match self.as_const(b) {
            Some(0) if op == BinOp::SRem => return a,
            Some(1) if width > 1 => {
                return if op == BinOp::SDiv {
                    a
                } else {
                    self.constant(width, 0)
                };
            }
            Some(c) if c == mask(width) => {
                return if op == BinOp::SDiv {
                    self.neg(a)
                } else {
                    self.constant(width, 0)
                };
            }
            // The sign of the divisor does not matter to the remainder.
            Some(c) if op == BinOp::SRem && c > 1 << (width - 1) => {
                return self.binary(op, a, self.constant(width, c.wrapping_neg()));
            }
            _ => {}
        }
        self.intern(Node::Binary(op, a, b), width)
    }
}
