//! The constructors of expressions: they fold constants and put what they make into a canonical
//! form, so that equal meanings mostly get equal names and most branch conditions need no solver.
//!
//! The form, by file:
//! - `bitwise`: not, and, or, xor. Truth values know only not, and, `=`. Operations on
//!   concatenations become concatenations of operations; a mask becomes an extraction.
//! - `arith`: sums keep their constant outermost on the right; subtraction of a constant is
//!   addition; division is narrowed.
//! - `shift`: shifts by constants are extractions and concatenations.
//! - `compare`: `=`, `<`, `<=` unsigned and signed; `<=` not with constants; narrowed to the bits
//!   that matter.
//! - `slice`: extraction, concatenation, extension. *Pieces of a value put together again are the
//!   value.*
//! - `ite`: alternatives between two constants are the only ones that operations move into.
//! - `select`, `compose`, `float`.
//!
//! Everywhere: operands that may be exchanged are ordered by structural hash (not by name: that
//! would depend on what was made before), constants on the right; whatever [`Facts`](crate::Facts)
//! leave only one value for is that constant.

mod arith;
mod bitwise;
mod compare;
mod compose;
mod float;
mod ite;
mod select;
mod shift;
mod slice;

use crate::arena::Arena;
use crate::bits;
use crate::node::{BinOp, Expr, Node, UnOp, Width};

/// How deep constructors may call each other before rules that look further down give up. Rules
/// that every invariant needs are bounded by the width of a value instead.
const DEEPEST: u32 = 24;

impl Arena {
    /// An operation on one value.
    ///
    /// # Panics
    /// For `Bswap` if the width is not a multiple of 8.
    pub fn unary(&self, op: UnOp, a: Expr) -> Expr {
        let width = self.width(a);
        if let Some(a) = self.as_const(a) {
            return self.constant(width, bits::unary(op, width, a));
        }
        match op {
            UnOp::Not => self.not(a),
            UnOp::Bswap => self.bswap(a, width),
            _ if width == 1 => match op {
                // Of one bit: its negative, its count and itself reversed are it; its zeros are its
                // negation.
                UnOp::Ctlz | UnOp::Cttz => self.not(a),
                _ => a,
            },
            _ => {
                if let Some((c, x, y)) = self.two_valued(a) {
                    let value = |x| self.constant(width, bits::unary(op, width, x));
                    return self.ite(c, value(x), value(y));
                }
                match (op, self.node(a)) {
                    (UnOp::Neg, _) => self.neg(a),
                    (UnOp::BitReverse, Node::Unary(UnOp::BitReverse, inner)) => inner,
                    (UnOp::Ctpop, Node::Zext(inner)) => self.narrow_count(op, inner, width),
                    _ => self.intern(Node::Unary(op, a), width),
                }
            }
        }
    }

    /// A count of ones that zeros above do not change; the count of a narrow value fits it, as its
    /// width does.
    fn narrow_count(&self, op: UnOp, inner: Expr, width: Width) -> Expr {
        self.zext(self.unary(op, inner), width)
    }

    /// An operation on two values.
    ///
    /// # Panics
    /// If their widths differ.
    pub fn binary(&self, op: BinOp, a: Expr, b: Expr) -> Expr {
        let width = self.width(a);
        assert_eq!(width, self.width(b), "the widths of the operands of {op:?}");
        if let (Some(a), Some(b)) = (self.as_const(a), self.as_const(b)) {
            return self.constant(width, bits::binary(op, width, a, b));
        }
        if width > 1
            && let Some((c, (a1, b1), (a2, b2))) = self.both_two_valued(a, b)
        {
            let value = |a, b| self.constant(width, bits::binary(op, width, a, b));
            return self.ite(c, value(a1, b1), value(a2, b2));
        }
        match op {
            BinOp::And => self.and_of(a, b, width),
            BinOp::Or => self.or_of(a, b, width),
            BinOp::Xor => self.xor_of(a, b, width),
            BinOp::Add => self.add_of(a, b, width),
            BinOp::Sub => self.sub_of(a, b, width),
            BinOp::Mul => self.mul_of(a, b, width),
            BinOp::UDiv | BinOp::URem => self.unsigned_division(op, a, b, width),
            BinOp::SDiv | BinOp::SRem => self.signed_division(op, a, b, width),
            BinOp::Shl | BinOp::LShr | BinOp::AShr => self.shift(op, a, b, width),
        }
    }

    /// Conjunction.
    pub fn and(&self, a: Expr, b: Expr) -> Expr {
        self.binary(BinOp::And, a, b)
    }

    /// Disjunction.
    pub fn or(&self, a: Expr, b: Expr) -> Expr {
        self.binary(BinOp::Or, a, b)
    }

    /// Two operands that may be exchanged, in canonical order: constants on the right.
    fn ordered(&self, a: Expr, b: Expr) -> (Expr, Expr) {
        match (self.as_const(a), self.as_const(b)) {
            (Some(_), None) => (b, a),
            (None, Some(_)) => (a, b),
            _ if self.hash(a) > self.hash(b) => (b, a),
            _ => (a, b),
        }
    }

    /// Applies a rule that looks further down, unless the constructors are too deep in each other
    /// already.
    fn deeper<T>(&self, rule: impl FnOnce() -> Option<T>) -> Option<T> {
        let depth = self.depth.get();
        if depth >= DEEPEST {
            return None;
        }
        self.depth.set(depth + 1);
        let result = rule();
        self.depth.set(depth);
        result
    }
}
