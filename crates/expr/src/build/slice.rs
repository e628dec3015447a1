//! Extraction, concatenation, extension.
//!
//! The law that memory needs: pieces of a value, however cut, put together in order are the value itself again, by name.
//! Concatenations nest to the right (the high part is not a concatenation); neighbours that belong together are merged.

use crate::arena::Arena;
use crate::bits::{self, mask};
use crate::node::{BinOp, Expr, Node, Width};

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
            Node::Binary(op @ (BinOp::Add | BinOp::Sub | BinOp::Mul), x, y)
                if low == 0 && self.cuts_for_free(x, width) && self.cuts_for_free(y, width) =>
            {
                self.deeper(|| Some(self.binary(op, self.extract(x, 0, width), self.extract(y, 0, width))))
                    .unwrap_or_else(|| self.intern(Node::Extract(a, low), width))
            }
            _ => self.intern(Node::Extract(a, low), width),
        }
    }

    /// Whether the low bits of a value are known without a new node of its kind.
    fn cuts_for_free(&self, a: Expr, width: Width) -> bool {
        match self.node(a) {
            Node::Const(_) => true,
            Node::Zext(x) | Node::Sext(x) | Node::Concat(_, x) => self.width(x) >= width,
            _ => false,
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

    /// `high` above `copies` of the sign of `x`, as a two-valued piece, if `high` is constant or depends on that sign only.
    fn with_signs(&self, high: Expr, x: Expr, copies: Width) -> Option<Expr> {
        let sign = |c: Expr| self.is_piece(c, x, self.width(x) - 1, 1);
        let (c, (if_set, if_clear)) = match (self.as_const(high), self.two_valued(high)) {
            (Some(value), _) => (self.is_negative(x), (value, value)),
            (None, Some((c, a, b))) if sign(c) => (c, (a, b)),
            // The sign may be the negation of a canonical condition.
            (None, Some((c, a, b))) if sign(self.not(c)) => (self.not(c), (b, a)),
            _ => return None,
        };
        let width = self.width(high) + copies;
        Some(self.ite(
            c,
            self.constant(width, if_set << copies | mask(copies)),
            self.constant(width, if_clear << copies),
        ))
    }

    /// Two neighbours as one piece that is not a concatenation, if they belong together.
    fn merged(&self, high: Expr, low: Expr) -> Option<Expr> {
        let (high_width, low_width) = (self.width(high), self.width(low));
        let width = high_width + low_width;
        if let (Some(h), Some(l)) = (self.as_const(high), self.as_const(low)) {
            return Some(self.constant(width, h << low_width | l));
        }
        // Neighbouring pieces of one value. Only one of them must show it: the other is what the constructor makes of that
        // piece (a constant where the bits are known, say).
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
        if high_width > 1
            && low_width > 1
            && let Some((c, (h1, l1), (h2, l2))) = self.both_two_valued(high, low)
        {
            let value = |h: u128, l: u128| self.constant(width, h << low_width | l);
            return Some(self.ite(c, value(h1, l1), value(h2, l2)));
        }
        None
    }

    /// Whether `piece` is what extraction makes of these bits of `x`. Makes no node where it can tell without.
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
                    Node::Binary(BinOp::Add | BinOp::Sub | BinOp::Mul, ..) => low != 0,
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
            Node::Sext(_) => match self.two_valued(a) {
                Some((c, x, y)) => self.ite(c, self.constant(width, x), self.constant(width, y)),
                None => self.intern(Node::Zext(a), width),
            },
            Node::Extract(..) => self
                .merged(self.constant(above, 0), a)
                .unwrap_or_else(|| self.intern(Node::Zext(a), width)),
            Node::Concat(x, y) => match self.merged(self.constant(above, 0), x) {
                Some(merged) => self.concat(merged, y),
                None => self.intern(Node::Zext(a), width),
            },
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
            Node::Concat(high, low) if self.two_valued(high).is_some() => {
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
