//! Not, and, or, exclusive or.
//!
//! A value that visibly consists of pieces (a concatenation, an extension, a constant) is
//! *segmented*. An operation on two segmented values is the concatenation of the operations on the
//! pieces. So masks, shifts and disjunctions that combine bytes end as concatenations, and an
//! extraction never has to examine a bitwise operation.

use crate::arena::Arena;
use crate::bits::mask;
use crate::node::{BinOp, CmpOp, Expr, Node, UnOp, Width};

/// How many runs of bits a disjunction of disjoint values may be cut into.
const MOST_RUNS: usize = 8;

impl Arena {
    /// Logical negation; inverts each bit of wider values.
    pub fn not(&self, a: Expr) -> Expr {
        let width = self.width(a);
        match self.node(a) {
            Node::Const(value) => self.constant(width, !value),
            Node::Unary(UnOp::Not, inner) => inner,
            Node::Compare(CmpOp::Ult, x, y) => self.compare(CmpOp::Ule, y, x),
            Node::Compare(CmpOp::Ule, x, y) => self.compare(CmpOp::Ult, y, x),
            Node::Compare(CmpOp::Slt, x, y) => self.compare(CmpOp::Sle, y, x),
            Node::Compare(CmpOp::Sle, x, y) => self.compare(CmpOp::Slt, y, x),
            Node::Concat(high, low) => self.concat(self.not(high), self.not(low)),
            Node::Sext(inner) => self.sext(self.not(inner), width),
            Node::Zext(inner) => match self.two_valued(a) {
                Some((c, x, y)) => self.ite(c, self.constant(width, !x), self.constant(width, !y)),
                None => {
                    let above = width - self.width(inner);
                    self.concat(self.constant(above, u128::MAX), self.not(inner))
                }
            },
            Node::Ite(..) => match self.two_valued(a) {
                Some((c, x, y)) => self.ite(c, self.constant(width, !x), self.constant(width, !y)),
                None => self.intern(Node::Unary(UnOp::Not, a), width),
            },
            _ => self.intern(Node::Unary(UnOp::Not, a), width),
        }
    }

    fn is_not_of(&self, a: Expr, b: Expr) -> bool {
        matches!(self.node(a), Node::Unary(UnOp::Not, x) if x == b)
            || matches!(self.node(b), Node::Unary(UnOp::Not, x) if x == a)
    }

    /// The width of the lowest piece of a segmented value; `None` for one piece, the whole width
    /// for constants.
    fn lowest_piece(&self, a: Expr) -> Option<Width> {
        match self.node(a) {
            Node::Const(_) => Some(self.width(a)),
            Node::Concat(_, low) => Some(
                self.lowest_piece(low)
                    .unwrap_or(self.width(low))
                    .min(self.width(low)),
            ),
            Node::Zext(x) | Node::Sext(x) => {
                Some(self.lowest_piece(x).unwrap_or(self.width(x)).min(self.width(x)))
            }
            _ => None,
        }
    }

    /// The operation piece by piece, if both operands are segmented.
    fn piecewise(&self, op: BinOp, a: Expr, b: Expr, width: Width) -> Option<Expr> {
        if let (Node::Sext(x), Node::Sext(y)) = (self.node(a), self.node(b))
            && self.width(x) == self.width(y)
        {
            return Some(self.sext(self.binary(op, x, y), width));
        }
        let cut = self.lowest_piece(a)?.min(self.lowest_piece(b)?);
        (cut < width).then(|| self.cut_at(op, a, b, width, cut))
    }

    /// The operation on the bits from `cut` upwards, above that on the bits below.
    fn cut_at(&self, op: BinOp, a: Expr, b: Expr, width: Width, cut: Width) -> Expr {
        let part = |low, width| self.binary(op, self.extract(a, low, width), self.extract(b, low, width));
        self.concat(part(cut, width - cut), part(0, cut))
    }

    pub(super) fn and_of(&self, a: Expr, b: Expr, width: Width) -> Expr {
        let (a, b) = self.ordered(a, b);
        if a == b {
            return a;
        }
        if self.is_not_of(a, b) {
            return self.constant(width, 0);
        }
        if width == 1 {
            return self.conjunction(a, b);
        }
        let (fa, fb) = (self.facts(a), self.facts(b));
        // Where one may be 1 the other is 1.
        if fa.zeros | fb.ones == mask(width) {
            return a;
        }
        if fb.zeros | fa.ones == mask(width) {
            return b;
        }
        if let Some(result) = self.piecewise(BinOp::And, a, b, width) {
            return result;
        }
        let zeros = self.visible_zeros(a) | self.visible_zeros(b);
        let below = zeros.trailing_ones();
        if below > 0 && below < u32::from(width) {
            return self.cut_at(BinOp::And, a, b, width, below as Width);
        }
        let kept = 128 - (!zeros & mask(width)).leading_zeros();
        if kept > 0 && kept < u32::from(width) {
            return self.cut_at(BinOp::And, a, b, width, kept as Width);
        }
        if let Some(mask) = self.as_const(b) {
            if let Node::Binary(BinOp::And, x, y) = self.node(a)
                && let Some(inner) = self.as_const(y)
            {
                return self.and(x, self.constant(width, inner & mask));
            }
        } else if let Some(result) = self.absorbed(BinOp::And, a, b) {
            return result;
        }
        self.intern(Node::Binary(BinOp::And, a, b), width)
    }

    /// The bits that are 0 because of how the value is written.
    fn visible_zeros(&self, a: Expr) -> u128 {
        let width = self.width(a);
        match self.node(a) {
            Node::Const(value) => !value & mask(width),
            Node::Zext(x) => mask(width) & !mask(self.width(x)),
            Node::Concat(_, low) => match self.as_const(low) {
                Some(value) => {
                    mask(value.trailing_zeros().min(u32::from(self.width(low))).max(1) as Width) & !value
                }
                None => 0,
            },
            _ => 0,
        }
    }

    /// `x op (x op y)` and the like.
    fn absorbed(&self, op: BinOp, a: Expr, b: Expr) -> Option<Expr> {
        let below = |whole: Expr, part: Expr| matches!(self.node(whole), Node::Binary(o, x, y) if o == op && (x == part || y == part));
        if below(a, b) {
            Some(a)
        } else if below(b, a) {
            Some(b)
        } else {
            None
        }
    }

    /// Conjunction of two different truth values.
    fn conjunction(&self, a: Expr, b: Expr) -> Expr {
        match (self.as_const(a), self.as_const(b)) {
            (Some(0), _) | (_, Some(0)) => return self.truth(false),
            (Some(_), _) => return b,
            (_, Some(_)) => return a,
            _ => {}
        }
        if let Some(result) = self.absorbed(BinOp::And, a, b) {
            return result;
        }
        if let Some(result) = self
            .conjunct_simplified(a, b)
            .or_else(|| self.conjunct_simplified(b, a))
        {
            return result;
        }
        self.intern(Node::Binary(BinOp::And, a, b), 1)
    }

    /// `a and b` where `a` decides or simplifies `b`.
    fn conjunct_simplified(&self, a: Expr, b: Expr) -> Option<Expr> {
        // a and not (a and c) = a and not c; a and not (not a and c) = a.
        if let Node::Unary(UnOp::Not, inner) = self.node(b)
            && let Node::Binary(BinOp::And, x, y) = self.node(inner)
        {
            for (this, other) in [(x, y), (y, x)] {
                if this == a {
                    return self.deeper(|| Some(self.and(a, self.not(other))));
                }
                if self.complementary(this, a) {
                    return Some(a);
                }
            }
        }
        if self.complementary(a, b) {
            return Some(self.truth(false));
        }
        // x = k decides every comparison of x with a constant.
        let Node::Compare(CmpOp::Eq, x, k) = self.node(a) else {
            return None;
        };
        let k = self.as_const(k)?;
        match self.decided(b, x, k)? {
            true => Some(a),
            false => Some(self.truth(false)),
        }
    }

    /// The value of a comparison of `x` with a constant, if `x` is `k`.
    fn decided(&self, b: Expr, x: Expr, k: u128) -> Option<bool> {
        match self.node(b) {
            Node::Unary(UnOp::Not, inner) => match self.node(inner) {
                Node::Compare(CmpOp::Eq, ..) => self.decided(inner, x, k).map(|v| !v),
                _ => None,
            },
            Node::Compare(op, l, r) => {
                let width = self.width(l);
                if l == x {
                    Some(crate::bits::compare(op, width, k, self.as_const(r)?))
                } else if r == x {
                    Some(crate::bits::compare(op, width, self.as_const(l)?, k))
                } else {
                    None
                }
            }
            _ => None,
        }
    }

    /// Whether two truth values are each other's negation.
    pub(super) fn complementary(&self, a: Expr, b: Expr) -> bool {
        match (self.node(a), self.node(b)) {
            (Node::Unary(UnOp::Not, x), _) => x == b,
            (_, Node::Unary(UnOp::Not, y)) => y == a,
            // The negation of an order is an order.
            (Node::Compare(o, ..), Node::Compare(p, ..)) => {
                o != CmpOp::Eq && p != CmpOp::Eq && self.not(a) == b
            }
            _ => false,
        }
    }

    /// A truth value or its negation, whichever is the canonical one of the two, and whether it is
    /// the negation.
    pub(super) fn polarity(&self, c: Expr) -> (Expr, bool) {
        match self.node(c) {
            Node::Unary(UnOp::Not, inner) => (inner, true),
            Node::Compare(CmpOp::Ule | CmpOp::Sle, ..) => (self.not(c), true),
            // x < k rather than k - 1 < x.
            Node::Compare(op @ (CmpOp::Ult | CmpOp::Slt), x, _) if self.as_const(x).is_some() => {
                let negated = self.not(c);
                match self.node(negated) {
                    Node::Compare(o, _, k) if o == op && self.as_const(k).is_some() => (negated, true),
                    _ => (c, false),
                }
            }
            _ => (c, false),
        }
    }

    pub(super) fn or_of(&self, a: Expr, b: Expr, width: Width) -> Expr {
        if width == 1 {
            return self.not(self.and(self.not(a), self.not(b)));
        }
        let (a, b) = self.ordered(a, b);
        if a == b {
            return a;
        }
        if self.is_not_of(a, b) {
            return self.constant(width, u128::MAX);
        }
        let (fa, fb) = (self.facts(a), self.facts(b));
        // Where one may be 1 the other is 1.
        if fb.zeros | fa.ones == mask(width) {
            return a;
        }
        if fa.zeros | fb.ones == mask(width) {
            return b;
        }
        if let Some(result) = self
            .piecewise(BinOp::Or, a, b, width)
            .or_else(|| self.disjoint(a, b, width))
        {
            return result;
        }
        if let Some(constant) = self.as_const(b) {
            if let Node::Binary(BinOp::Or, x, y) = self.node(a)
                && let Some(inner) = self.as_const(y)
            {
                return self.or(x, self.constant(width, inner | constant));
            }
        } else if let Some(result) = self.absorbed(BinOp::Or, a, b) {
            return result;
        }
        self.intern(Node::Binary(BinOp::Or, a, b), width)
    }

    /// The disjunction of values of which at each bit one is 0, as a concatenation of pieces of
    /// them, if they are few.
    pub(super) fn disjoint(&self, a: Expr, b: Expr, width: Width) -> Option<Expr> {
        let (a_zeros, b_zeros) = (self.facts(a).zeros, self.facts(b).zeros);
        if a_zeros | b_zeros != mask(width) {
            return None;
        }
        // Runs of bits that come from `a`, from `b`, or are 0.
        let source = |bit: u32| (a_zeros >> bit & 1 == 0, b_zeros >> bit & 1 == 0);
        let mut runs: Vec<(Width, Width)> = Vec::new();
        let mut start = 0;
        for bit in 1..=u32::from(width) {
            if bit == u32::from(width) || source(bit) != source(start) {
                runs.push((start as Width, (bit - start) as Width));
                start = bit;
            }
        }
        if runs.len() > MOST_RUNS {
            return None;
        }
        let mut result = None;
        for (low, width) in runs {
            let piece = match source(u32::from(low)) {
                (true, _) => self.extract(a, low, width),
                (_, true) => self.extract(b, low, width),
                _ => self.constant(width, 0),
            };
            result = Some(result.map_or(piece, |below| self.concat(piece, below)));
        }
        result
    }

    pub(super) fn xor_of(&self, a: Expr, b: Expr, width: Width) -> Expr {
        if width == 1 {
            return self.not(self.compare(CmpOp::Eq, a, b));
        }
        let (a, b) = self.ordered(a, b);
        if a == b {
            return self.constant(width, 0);
        }
        if self.is_not_of(a, b) {
            return self.constant(width, u128::MAX);
        }
        match self.as_const(b) {
            Some(0) => return a,
            Some(value) if value == mask(width) => return self.not(a),
            _ => {}
        }
        // Negations move outwards.
        match (self.node(a), self.node(b)) {
            (Node::Unary(UnOp::Not, x), Node::Unary(UnOp::Not, y)) => return self.binary(BinOp::Xor, x, y),
            (Node::Unary(UnOp::Not, x), Node::Const(c)) => {
                return self.binary(BinOp::Xor, x, self.constant(width, !c));
            }
            (Node::Unary(UnOp::Not, x), _) => return self.not(self.binary(BinOp::Xor, x, b)),
            (_, Node::Unary(UnOp::Not, y)) => return self.not(self.binary(BinOp::Xor, a, y)),
            _ => {}
        }
        if let Some(result) = self
            .piecewise(BinOp::Xor, a, b, width)
            .or_else(|| self.disjoint(a, b, width))
        {
            return result;
        }
        for (whole, part) in [(a, b), (b, a)] {
            if let Node::Binary(BinOp::Xor, x, y) = self.node(whole) {
                if x == part {
                    return y;
                }
                if y == part {
                    return x;
                }
                if let (Some(c), Some(d)) = (self.as_const(y), self.as_const(part)) {
                    return self.binary(BinOp::Xor, x, self.constant(width, c ^ d));
                }
            }
        }
        self.intern(Node::Binary(BinOp::Xor, a, b), width)
    }
}
