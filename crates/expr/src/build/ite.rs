//! Alternatives.
//!
//! A value that is one of two constants, depending on one condition, is *two-valued*: an
//! alternative between constants, or an extended truth value (that is what 1 and 0, and -1 and 0,
//! become). Operations on a two-valued value and a constant are two-valued again; nothing else
//! moves into alternatives.

use crate::arena::Arena;
use crate::bits::mask;
use crate::node::{CmpOp, Expr, Node, Width};

/// A condition with two values if it holds and two if not.
type Pairs = (Expr, (u128, u128), (u128, u128));

impl Arena {
    /// If `c` (of width 1) then `a` else `b`.
    ///
    /// # Panics
    /// If the width of `c` is not 1 or those of `a` and `b` differ.
    pub fn ite(&self, c: Expr, a: Expr, b: Expr) -> Expr {
        assert_eq!(self.width(c), 1, "the width of a condition");
        let width = self.width(a);
        assert_eq!(width, self.width(b), "the widths of the alternatives");
        if a == b {
            return a;
        }
        if let Some(value) = self.as_const(c) {
            return if value != 0 { a } else { b };
        }
        // A negated condition exchanges the alternatives.
        let (c, a, b) = match self.polarity(c) {
            (c, true) => (c, b, a),
            (c, false) => (c, a, b),
        };
        if width == 1 {
            return self.truth_ite(c, a, b);
        }
        if let Some(result) = self.ite_of_constants(c, a, b, width) {
            return result;
        }
        // An alternative under the same condition is decided.
        let (before, a, b) = ((a, b), self.under(c, a, true), self.under(c, b, false));
        if (a, b) != before {
            return self.ite(c, a, b);
        }
        // x = k ? k : x
        if let Node::Compare(CmpOp::Eq, x, k) = self.node(c)
            && x == b
            && k == a
        {
            return b;
        }
        if let Some(result) = self.ite_narrowed(c, a, b, width) {
            return result;
        }
        match (self.node(a), self.node(b)) {
            (Node::Ite(d, x, y), _) if y == b => return self.ite(self.and(c, d), x, b),
            (Node::Ite(d, x, y), _) if x == b => return self.ite(self.and(c, self.not(d)), y, b),
            (_, Node::Ite(d, x, y)) if x == a => return self.ite(self.or(c, d), a, y),
            (_, Node::Ite(d, x, y)) if y == a => return self.ite(self.or(c, self.not(d)), a, x),
            _ => {}
        }
        self.intern(Node::Ite(c, a, b), width)
    }

    /// The value given the condition, if it depends on the same one.
    fn under(&self, c: Expr, e: Expr, holds: bool) -> Expr {
        if let Node::Ite(d, x, y) = self.node(e)
            && d == c
        {
            return if holds { x } else { y };
        }
        match self.two_valued(e) {
            Some((d, x, y)) if d == c => self.constant(self.width(e), if holds { x } else { y }),
            _ => e,
        }
    }

    fn truth_ite(&self, c: Expr, a: Expr, b: Expr) -> Expr {
        match (self.as_const(a), self.as_const(b)) {
            (Some(1), _) => return self.or(c, b),
            (Some(_), _) => return self.and(self.not(c), b),
            (_, Some(0)) => return self.and(c, a),
            (_, Some(_)) => return self.or(self.not(c), a),
            _ => {}
        }
        if a == c {
            return self.or(c, b);
        }
        if b == c {
            return self.and(c, a);
        }
        if self.complementary(a, b) {
            return self.compare(CmpOp::Eq, c, a);
        }
        let a = self.under(c, a, true);
        let b = self.under(c, b, false);
        if a == b {
            return a;
        }
        self.intern(Node::Ite(c, a, b), 1)
    }

    /// An alternative between constants: 1 and 0, -1 and 0 are extensions of the condition, and
    /// what consists of bytes that all are such, or the same either way, is a concatenation of them
    /// (which is what its bytes put together are).
    fn ite_of_constants(&self, c: Expr, a: Expr, b: Expr, width: Width) -> Option<Expr> {
        let (x, y) = (self.as_const(a)?, self.as_const(b)?);
        let ones = mask(width);
        Some(match (x, y) {
            (1, 0) => self.zext(c, width),
            (0, 1) => self.zext(self.not(c), width),
            (x, 0) if x == ones => self.sext(c, width),
            (0, y) if y == ones => self.sext(self.not(c), width),
            _ => {
                let byte = |low: Width| (x >> low & 0xff, y >> low & 0xff);
                let plain =
                    |low| matches!(byte(low), (0xff | 1, 0) | (0, 0xff | 1)) || byte(low).0 == byte(low).1;
                if width == 8 || !width.is_multiple_of(8) || !(0..width).step_by(8).all(plain) {
                    return Some(self.intern(Node::Ite(c, a, b), width));
                }
                let piece = |low| {
                    let (x, y) = byte(low);
                    self.ite(c, self.constant(8, x), self.constant(8, y))
                };
                (8..width)
                    .step_by(8)
                    .fold(piece(0), |below, low| self.concat(piece(low), below))
            }
        })
    }

    /// Zeros above both alternatives move out.
    fn ite_narrowed(&self, c: Expr, a: Expr, b: Expr, width: Width) -> Option<Expr> {
        let needed = |e| match self.node(e) {
            Node::Zext(x) => Some(self.width(x)),
            Node::Const(value) => Some((128 - value.leading_zeros()).max(1) as Width),
            _ => None,
        };
        let narrow = needed(a)?.max(needed(b)?);
        if narrow >= width {
            return None;
        }
        let inner = self.ite(c, self.extract(a, 0, narrow), self.extract(b, 0, narrow));
        Some(self.zext(inner, width))
    }

    /// A two-valued value as its condition and the values if it holds and if not. Of wider values
    /// than one bit only.
    pub(super) fn two_valued(&self, e: Expr) -> Option<(Expr, u128, u128)> {
        let bit = |c: Expr, one: u128| match self.polarity(c) {
            (inner, true) => (inner, 0, one),
            (c, false) => (c, one, 0),
        };
        let width = self.width(e);
        match self.node(e) {
            Node::Ite(c, a, b) => Some((c, self.as_const(a)?, self.as_const(b)?)),
            Node::Zext(c) if self.width(c) == 1 => Some(bit(c, 1)),
            Node::Sext(c) if self.width(c) == 1 => Some(bit(c, mask(width))),
            // Of one bit extended before.
            Node::Zext(x) if matches!(self.node(x), Node::Sext(_)) => self.two_valued(x),
            _ => None,
        }
    }

    /// The condition and constants of an alternative between constants that is written as one.
    pub(super) fn written_two_valued(&self, e: Expr) -> Option<(Expr, u128, u128)> {
        match self.node(e) {
            Node::Ite(..) if self.width(e) > 1 => self.two_valued(e),
            _ => None,
        }
    }

    /// Two values that are constants or two-valued with one common condition: the condition, both
    /// if it holds, both if not.
    pub(super) fn both_two_valued(&self, a: Expr, b: Expr) -> Option<Pairs> {
        if let Some(b) = self.as_const(b) {
            let (c, x, y) = self.two_valued(a)?;
            return Some((c, (x, b), (y, b)));
        }
        let (d, z, w) = self.two_valued(b)?;
        if let Some(a) = self.as_const(a) {
            return Some((d, (a, z), (a, w)));
        }
        let (c, x, y) = self.two_valued(a)?;
        (c == d).then_some((c, (x, z), (y, w)))
    }
}
