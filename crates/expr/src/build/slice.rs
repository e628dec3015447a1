//! Extraction, concatenation, extension.
//!
//! The law that memory needs: pieces of a value, however cut, put together in order are the value
//! itself again, by name. Concatenations nest to the right (the high part is not a concatenation);
//! neighbours that belong together are merged.

use crate::arena::Arena;
use crate::bits::{self, mask};
use crate::node::{BinOp, Expr, Node, UnOp, Width};

impl Arena {
    /// `width` bits of a value, from bit `low` upwards.
    ///
    /// # Panics
    /// If the value has not that many bits, or `width` is 0.
    pub fn extract(&self, a: Expr, low: Width, width: Width) -> Expr {
        let from = self.width(a);
        assert!(
            width >= 1 && u32::from(low) + u32::from(width) <= u32::from(from),
            "bits {low} to {low}+{width} of {from}"
        );
        if width == from {
            return a;
        }
        match self.node(a) {
            Node::Const(value) => self.constant(width, value >> low),
            Node::Extract(x, inner) => self.extract(x, inner + low, width),
            Node::Concat(x, y) => {
                let cut = self.width(y);
                if low >= cut {
                    self.extract(x, low - cut, width)
                } else if low + width <= cut {
                    self.extract(y, low, width)
                } else {
                    let below = cut - low;
                    self.concat(self.extract(x, 0, width - below), self.extract(y, low, below))
                }
            }
            Node::Zext(x) => {
                let cut = self.width(x);
                if low >= cut {
                    self.constant(width, 0)
                } else if low + width <= cut {
                    self.extract(x, low, width)
                } else {
                    self.zext(self.extract(x, low, cut - low), width)
                }
            }
            Node::Sext(x) => {
                let cut = self.width(x);
                if low >= cut {
                    self.sext(self.is_negative(x), width)
                } else if low + width <= cut {
                    self.extract(x, low, width)
                } else {
                    self.sext(self.extract(x, low, cut - low), width)
                }
            }
            Node::Ite(..) => match self.two_valued(a) {
                Some((c, x, y)) => {
                    let part = |value| self.constant(width, value >> low);
                    self.ite(c, part(x), part(y))
                }
                None => self.intern(Node::Extract(a, low), width),
            },
            _ => self.intern(Node::Extract(a, low), width),
        }
    }

    /// The low `width` bits of a value, as [`extract`](Self::extract); but sums and products of
    /// extended values are computed in the narrow width instead. For conversions to a narrower
    /// type: `(char)(c + 1)` is a sum of bytes. Not for pieces that are put together again, which
    /// would not find each other.
    ///
    /// # Panics
    /// If the value has not that many bits, or `width` is 0.
    pub fn truncate(&self, a: Expr, width: Width) -> Expr {
        if width < self.width(a)
            && matches!(self.node(a), Node::Binary(..) | Node::Unary(..))
            && self.narrows(a, width, 8)
        {
            return self.computed_narrow(a, width);
        }
        self.extract(a, 0, width)
    }

    /// Whether the low bits of a value are sums and products of what is there already, at most so
    /// deep.
    fn narrows(&self, a: Expr, width: Width, depth: u32) -> bool {
        match self.node(a) {
            Node::Const(_) => true,
            Node::Zext(x) | Node::Sext(x) | Node::Concat(_, x) => self.width(x) >= width,
            Node::Unary(UnOp::Neg | UnOp::Not, x) => depth > 0 && self.narrows(x, width, depth - 1),
            Node::Binary(op, x, y) => {
                matches!(
                    op,
                    BinOp::Add | BinOp::Sub | BinOp::Mul | BinOp::And | BinOp::Or | BinOp::Xor
                ) && depth > 0
                    && self.narrows(x, width, depth - 1)
                    && self.narrows(y, width, depth - 1)
            }
            _ => false,
        }
    }

    /// The low bits of a value that [narrows](Self::narrows).
    fn computed_narrow(&self, a: Expr, width: Width) -> Expr {
        match self.node(a) {
            Node::Unary(op, x) => self.unary(op, self.computed_narrow(x, width)),
            Node::Binary(op, x, y) => {
                self.binary(op, self.computed_narrow(x, width), self.computed_narrow(y, width))
            }
            _ => self.extract(a, 0, width),
        }
    }

    /// The bits of `high` above those of `low`.
    ///
    /// # Panics
    /// If that is more than 128 bits.
    pub fn concat(&self, high: Expr, low: Expr) -> Expr {
        let (high_width, low_width) = (self.width(high), self.width(low));
        assert!(
            high_width <= 128 - low_width,
            "a value of {high_width} + {low_width} bits"
        );
        if let Node::Concat(x, y) = self.node(high) {
            return self.concat(x, self.concat(y, low));
        }
        if let Some(merged) = self.merged(high, low) {
            return merged;
        }
        if let Some(result) = self
            .constants_moved_up(high, low)
            .or_else(|| self.constant_absorbed(high, low))
        {
            return result;
        }
        match (self.node(high), self.node(low)) {
            (Node::Zext(x), _) => self.zext(self.concat(x, low), high_width + low_width),
            (Node::Sext(x), _) => self.sext(self.concat(x, low), high_width + low_width),
            (Node::Const(0), _) => self.zext(low, high_width + low_width),
            (_, Node::Concat(x, y)) => match self.merged(high, x) {
                Some(merged) => self.concat(merged, y),
                None => self.intern(Node::Concat(high, low), high_width + low_width),
            },
            (_, Node::Zext(x)) => match self.merged(high, self.constant(low_width - self.width(x), 0)) {
                Some(merged) => self.concat(merged, x),
                None => self.intern(Node::Concat(high, low), high_width + low_width),
            },
            (_, Node::Sext(x)) => match self.with_signs(high, x, low_width - self.width(x)) {
                Some(merged) => self.concat(merged, x),
                None => self.intern(Node::Concat(high, low), high_width + low_width),
            },
            _ => self.intern(Node::Concat(high, low), high_width + low_width),
        }
    }

    /// `high` above `copies` of the sign of `x`, as a two-valued piece, if `high` depends on that
    /// sign only.
    fn with_signs(&self, high: Expr, x: Expr, copies: Width) -> Option<Expr> {
        let (c, a, b) = self.written_two_valued(high)?;
        let sign = |c: Expr| self.is_piece(c, x, self.width(x) - 1, 1);
        let (below_a, below_b) = if sign(c) {
            (mask(copies), 0)
        } else if sign(self.not(c)) {
            (0, mask(copies))
        } else {
            return None;
        };
        let width = self.width(high) + copies;
        let value = |above: u128, below| self.constant(width, above << copies | below);
        Some(self.ite(c, value(a, below_a), value(b, below_b)))
    }

    /// How many bits of a constant beside the piece of `x` from bit `at`, `width` wide, are `x`'s
    /// own known bits there. `above` or below the piece.
    fn absorbable(
        &self,
        constant: u128,
        constant_width: Width,
        x: Expr,
        at: Width,
        width: Width,
        above: bool,
    ) -> Width {
        let facts = self.facts(x);
        let known = facts.zeros | facts.ones;
        let same = if above {
            let low = at + width;
            let available = (self.width(x) - low).min(constant_width);
            let differs = !known.checked_shr(low.into()).unwrap_or(0)
                | facts.ones.checked_shr(low.into()).unwrap_or(0) ^ constant;
            differs.trailing_zeros().min(available.into())
        } else {
            let available = at.min(constant_width);
            if available == 0 {
                return 0;
            }
            // Both aligned at the top.
            let top = |bits: u128, width: Width| bits << (128 - width);
            let differs = !top(known, at) | top(facts.ones, at) ^ top(constant, constant_width);
            differs.leading_zeros().min(available.into())
        };
        same as Width
    }

    /// A constant beside a piece of a value that has just these bits there becomes part of the
    /// piece.
    fn constant_absorbed(&self, high: Expr, low: Expr) -> Option<Expr> {
        let high_width = self.width(high);
        let (first, rest) = match self.node(low) {
            Node::Concat(x, y) => (x, Some(y)),
            Node::Zext(x) => (self.constant(self.width(low) - self.width(x), 0), Some(x)),
            _ => (low, None),
        };
        let first_width = self.width(first);
        let above_rest = |piece| rest.map_or(piece, |rest| self.concat(piece, rest));
        match (self.node(high), self.node(first)) {
            (Node::Const(value), Node::Extract(x, at)) => {
                let n = self.absorbable(value, high_width, x, at, first_width, true);
                if n == 0 {
                    return None;
                }
                let below = above_rest(self.extract(x, at, first_width + n));
                if n == high_width {
                    return Some(below);
                }
                Some(self.concat(self.constant(high_width - n, value >> n), below))
            }
            (Node::Extract(x, at), Node::Const(value)) => {
                let n = self.absorbable(value, first_width, x, at, high_width, false);
                if n == 0 {
                    return None;
                }
                let piece = self.extract(x, at - n, high_width + n);
                if n == first_width {
                    return Some(above_rest(piece));
                }
                Some(self.concat(piece, above_rest(self.constant(first_width - n, value))))
            }
            _ => None,
        }
    }

    /// Constant bytes between two alternatives belong to the upper one.
    fn constants_moved_up(&self, high: Expr, low: Expr) -> Option<Expr> {
        let (c, ..) = self.written_two_valued(high)?;
        let (first, rest) = match self.node(low) {
            Node::Concat(x, y) => (x, Some(y)),
            _ => (low, None),
        };
        let (d, x, y) = self.written_two_valued(first)?;
        let width = self.width(first);
        let same = ((x ^ y).leading_zeros() - (128 - u32::from(width))) as Width / 8 * 8;
        if c == d || same == 0 || same == width {
            return None;
        }
        let constant = self.extract(first, width - same, same);
        let below = self.extract(first, 0, width - same);
        let below = rest.map_or(below, |rest| self.concat(below, rest));
        Some(self.concat(self.concat(high, constant), below))
    }

    /// Two neighbours as one piece that is not a concatenation, if they belong together.
    fn merged(&self, high: Expr, low: Expr) -> Option<Expr> {
        let (high_width, low_width) = (self.width(high), self.width(low));
        let width = high_width + low_width;
        if let (Some(h), Some(l)) = (self.as_const(high), self.as_const(low)) {
            return Some(self.constant(width, h << low_width | l));
        }
        // Neighbouring pieces of one value. Only one of them must show it: the other is what the
        // constructor makes of that piece (a constant where the bits are known, say).
        if let Node::Extract(x, at) = self.node(high)
            && at >= low_width
            && self.is_piece(low, x, at - low_width, low_width)
        {
            return Some(self.extract(x, at - low_width, width));
        }
        if let Node::Extract(x, at) = self.node(low)
            && u32::from(at) + u32::from(width) <= u32::from(self.width(x))
            && self.is_piece(high, x, at + low_width, high_width)
        {
            return Some(self.extract(x, at, width));
        }
        // A copy of the sign above a value.
        if high_width == 1 && self.as_const(high).is_none() && self.is_piece(high, low, low_width - 1, 1) {
            return Some(self.sext(low, width));
        }
        let value = |h: u128, l: u128| self.constant(width, h << low_width | l);
        if let Some((c, x, y)) = self.written_two_valued(high)
            && low_width == 1
        {
            // The condition itself below.
            match self.polarity(low) {
                (d, false) if c == d => return Some(self.ite(c, value(x, 1), value(y, 0))),
                (d, true) if c == d => return Some(self.ite(c, value(x, 0), value(y, 1))),
                _ => {}
            }
        }
        if (self.written_two_valued(high).is_some() || self.written_two_valued(low).is_some())
            && let Some((c, (h1, l1), (h2, l2))) = self.both_two_valued(high, low)
        {
            return Some(self.ite(c, value(h1, l1), value(h2, l2)));
        }
        None
    }

    /// Whether `piece` is what extraction makes of these bits of `x`. Makes no node where it can
    /// tell without.
    fn is_piece(&self, piece: Expr, x: Expr, low: Width, width: Width) -> bool {
        match self.node(piece) {
            Node::Extract(y, at) if y == x => at == low,
            Node::Const(value) => {
                let facts = self.facts(x);
                (facts.zeros | facts.ones) >> low & mask(width) == mask(width)
                    && facts.ones >> low & mask(width) == value
            }
            _ => {
                // The piece of an opaque value is an extraction, which was looked at above.
                let opaque = match self.node(x) {
                    Node::Concat(..) | Node::Zext(_) | Node::Sext(_) | Node::Ite(..) | Node::Extract(..) => {
                        false
                    }
                    _ => self.width(x) != width,
                };
                !opaque && self.deeper(|| Some(self.extract(x, low, width) == piece)) == Some(true)
            }
        }
    }

    /// Zeros above a value; `width` is the new width, at least the old one.
    ///
    /// # Panics
    /// If `width` is less than the value's or more than 128.
    pub fn zext(&self, a: Expr, width: Width) -> Expr {
        let from = self.width(a);
        assert!(
            (from..=128).contains(&width),
            "extension of {from} bits to {width}"
        );
        if width == from {
            return a;
        }
        let above = width - from;
        match self.node(a) {
            Node::Const(value) => self.constant(width, value),
            Node::Zext(x) => self.zext(x, width),
            Node::Ite(..) => match self.two_valued(a) {
                Some((c, x, y)) => self.ite(c, self.constant(width, x), self.constant(width, y)),
                None => self.intern(Node::Zext(a), width),
            },
            Node::Extract(..) | Node::Concat(..) => {
                let zeros = self.constant(above, 0);
                if let Some(result) = self.constant_absorbed(zeros, a) {
                    return result;
                }
                if let Node::Concat(x, y) = self.node(a)
                    && let Some(merged) = self.merged(zeros, x)
                {
                    return self.concat(merged, y);
                }
                self.intern(Node::Zext(a), width)
            }
            _ => self.intern(Node::Zext(a), width),
        }
    }

    /// Copies of the sign above a value; `width` is the new width, at least the old one.
    ///
    /// # Panics
    /// If `width` is less than the value's or more than 128.
    pub fn sext(&self, a: Expr, width: Width) -> Expr {
        let from = self.width(a);
        assert!(
            (from..=128).contains(&width),
            "extension of {from} bits to {width}"
        );
        if width == from {
            return a;
        }
        match self.node(a) {
            Node::Const(value) => return self.constant(width, bits::signed(value, from) as u128),
            Node::Sext(x) => return self.sext(x, width),
            Node::Concat(high, low) if self.written_two_valued(high).is_some() => {
                return self.concat(self.sext(high, width - self.width(low)), low);
            }
            Node::Ite(..) => {
                if let Some((c, x, y)) = self.two_valued(a) {
                    let value = |x| self.constant(width, bits::signed(x, from) as u128);
                    return self.ite(c, value(x), value(y));
                }
            }
            _ => {}
        }
        match self.facts(a).sign(from) {
            Some(false) => self.zext(a, width),
            Some(true) => self.concat(self.constant(width - from, u128::MAX), a),
            None => self.intern(Node::Sext(a), width),
        }
    }

    /// Bytes in the opposite order.
    pub(super) fn bswap(&self, a: Expr, width: Width) -> Expr {
        assert_eq!(width % 8, 0, "the bytes of {width} bits");
        let mut result = self.extract(a, 0, 8);
        for low in (8..width).step_by(8) {
            result = self.concat(result, self.extract(a, low, 8));
        }
        result
    }
}
