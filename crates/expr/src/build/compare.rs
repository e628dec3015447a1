//! Comparisons. There are five: equal; and less, less or equal, each unsigned and signed.
//!
//! With constants there is no *less or equal*. A comparison that facts decide is a truth value. One
//! that leaves only one value is an equality. A test of the sign alone is a bit. Signed comparisons
//! of values with equal signs are unsigned.

use crate::arena::Arena;
use crate::bits::{self, mask, signed};
use crate::node::{BinOp, CmpOp, Expr, Node, UnOp, Width};

impl Arena {
    /// A comparison of two values.
    ///
    /// # Panics
    /// If their widths differ.
    pub fn compare(&self, op: CmpOp, a: Expr, b: Expr) -> Expr {
        let width = self.width(a);
        assert_eq!(width, self.width(b), "the widths of the operands of {op:?}");
        if let (Some(a), Some(b)) = (self.as_const(a), self.as_const(b)) {
            return self.truth(bits::compare(op, width, a, b));
        }
        if width > 1
            && let Some((c, (a1, b1), (a2, b2))) = self.both_two_valued(a, b)
        {
            let value = |a, b| self.truth(bits::compare(op, width, a, b));
            return self.ite(c, value(a1, b1), value(a2, b2));
        }
        match op {
            CmpOp::Eq => self.equal(a, b, width),
            CmpOp::Ne => self.not(self.equal(a, b, width)),
            CmpOp::Ult => self.unsigned_less(a, b, width),
            CmpOp::Ule => self.unsigned_less_equal(a, b, width),
            CmpOp::Ugt => self.unsigned_less(b, a, width),
            CmpOp::Uge => self.unsigned_less_equal(b, a, width),
            CmpOp::Slt => self.signed_less(a, b, width),
            CmpOp::Sle => self.signed_less_equal(a, b, width),
            CmpOp::Sgt => self.signed_less(b, a, width),
            CmpOp::Sge => self.signed_less_equal(b, a, width),
        }
    }

    fn equal(&self, a: Expr, b: Expr, width: Width) -> Expr {
        if a == b {
            return self.truth(true);
        }
        let (fa, fb) = (self.facts(a), self.facts(b));
        if fa.high < fb.low || fb.high < fa.low || fa.zeros & fb.ones != 0 || fa.ones & fb.zeros != 0 {
            return self.truth(false);
        }
        let (a, b) = self.ordered(a, b);
        if width == 1 {
            return self.equal_truths(a, b);
        }
        if let Some(k) = self.as_const(b) {
            return self.equal_constant(a, k, width);
        }
        let equal = |a, b| self.compare(CmpOp::Eq, a, b);
        match (self.node(a), self.node(b)) {
            (Node::Unary(op @ (UnOp::Not | UnOp::Neg), x), Node::Unary(p, y)) if op == p => {
                return equal(x, y);
            }
            (Node::Sext(x), Node::Sext(y)) | (Node::Zext(x), Node::Zext(y)) => {
                let narrow = self.width(x).max(self.width(y));
                return equal(self.extract(a, 0, narrow), self.extract(b, 0, narrow));
            }
            (Node::Concat(h, l), Node::Concat(i, m)) if self.width(l) == self.width(m) => {
                if h == i {
                    return equal(l, m);
                }
                if l == m {
                    return equal(h, i);
                }
            }
            _ => {}
        }
        let ((x, c), (y, d)) = (self.with_offset(a), self.with_offset(b));
        if c != 0 && d != 0 {
            let difference = self.constant(width, d.wrapping_sub(c));
            return equal(x, self.binary(BinOp::Add, y, difference));
        }
        // x + y = x
        for (whole, part) in [(a, b), (b, a)] {
            match self.node(whole) {
                Node::Binary(BinOp::Add | BinOp::Xor, x, y) if x == part || y == part => {
                    let rest = if x == part { y } else { x };
                    return equal(rest, self.constant(width, 0));
                }
                Node::Binary(BinOp::Sub, x, y) if x == part => return equal(y, self.constant(width, 0)),
                _ => {}
            }
        }
        self.intern(Node::Compare(CmpOp::Eq, a, b), 1)
    }

    /// Equality of truth values: negations move out.
    fn equal_truths(&self, a: Expr, b: Expr) -> Expr {
        match (self.node(a), self.node(b)) {
            (_, Node::Const(value)) => {
                if value != 0 {
                    a
                } else {
                    self.not(a)
                }
            }
            _ => {
                let ((x, negated), (y, also)) = (self.polarity(a), self.polarity(b));
                if x == y {
                    return self.truth(negated == also);
                }
                let (x, y) = self.ordered(x, y);
                let equal = self.intern(Node::Compare(CmpOp::Eq, x, y), 1);
                if negated == also { equal } else { self.not(equal) }
            }
        }
    }

    /// Solves `a = k` for what `a` is made of, as far as that is unique. A loop: sums and the like
    /// may be nested deeply.
    fn equal_constant(&self, mut a: Expr, mut k: u128, mut width: Width) -> Expr {
        loop {
            k &= mask(width);
            if !self.facts(a).admits(k) {
                return self.truth(false);
            }
            let same_width = match self.node(a) {
                Node::Const(value) => return self.truth(value == k),
                Node::Unary(UnOp::Not, x) => Some((x, !k)),
                Node::Unary(UnOp::Neg, x) => Some((x, k.wrapping_neg())),
                Node::Unary(UnOp::BitReverse, x) => Some((x, bits::unary(UnOp::BitReverse, width, k))),
                Node::Binary(op, x, c) => match (op, self.as_const(c)) {
                    (BinOp::Add, Some(c)) => Some((x, k.wrapping_sub(c))),
                    (BinOp::Xor, Some(c)) => Some((x, k ^ c)),
                    (BinOp::Mul, Some(c)) if c & 1 == 1 => Some((x, k.wrapping_mul(inverse(c)))),
                    // The product cannot overflow: the address of an element.
                    (BinOp::Mul, Some(c))
                        if self
                            .facts(x)
                            .high
                            .checked_mul(c)
                            .is_some_and(|p| p <= mask(width)) =>
                    {
                        if !k.is_multiple_of(c) {
                            return self.truth(false);
                        }
                        Some((x, k / c))
                    }
                    (BinOp::Sub | BinOp::Xor, None) if k == 0 => return self.compare(CmpOp::Eq, x, c),
                    _ => None,
                },
                _ => None,
            };
            if let Some((x, solved)) = same_width {
                (a, k) = (x, solved);
                continue;
            }
            match self.node(a) {
                _ if width == 1 => return self.equal_truths(a, self.constant(1, k)),
                // That it fits was asked of the facts, except of the sign.
                Node::Zext(x) => (a, width) = (x, self.width(x)),
                Node::Sext(x) => {
                    let inner = self.width(x);
                    if signed(k & mask(inner), inner) as u128 & mask(width) != k {
                        return self.truth(false);
                    }
                    (a, width) = (x, inner);
                }
                Node::Concat(high, low) => {
                    let cut = self.width(low);
                    return self.and(
                        self.compare(CmpOp::Eq, high, self.constant(width - cut, k >> cut)),
                        self.compare(CmpOp::Eq, low, self.constant(cut, k)),
                    );
                }
                node => {
                    let constant = self.constant(width, k);
                    let looked_into = match node {
                        Node::Ite(..) => self.ite_compared(CmpOp::Eq, a, k, false),
                        Node::Select(table, index) => self.select_compared(CmpOp::Eq, table, index, k, false),
                        _ => None,
                    };
                    return looked_into
                        .unwrap_or_else(|| self.intern(Node::Compare(CmpOp::Eq, a, constant), 1));
                }
            }
        }
    }

    /// A comparison of an alternative with a constant where one side is constant too; `swapped`:
    /// the constant is on the left.
    fn ite_compared(&self, op: CmpOp, ite: Expr, k: u128, swapped: bool) -> Option<Expr> {
        let Node::Ite(c, x, y) = self.node(ite) else {
            return None;
        };
        if self.as_const(x).is_none() && self.as_const(y).is_none() {
            return None;
        }
        self.deeper(|| {
            let k = self.constant(self.width(ite), k);
            let side = |e| {
                if swapped {
                    self.compare(op, k, e)
                } else {
                    self.compare(op, e, k)
                }
            };
            Some(self.ite(c, side(x), side(y)))
        })
    }

    fn unsigned_less_equal(&self, a: Expr, b: Expr, width: Width) -> Expr {
        let one = |value| self.constant(width, value);
        if let Some(k) = self.as_const(b) {
            return if k == mask(width) {
                self.truth(true)
            } else {
                self.unsigned_less(a, one(k + 1), width)
            };
        }
        if let Some(k) = self.as_const(a) {
            return if k == 0 {
                self.truth(true)
            } else {
                self.unsigned_less(one(k - 1), b, width)
            };
        }
        let (fa, fb) = (self.facts(a), self.facts(b));
        if a == b || fa.high <= fb.low {
            return self.truth(true);
        }
        if fa.low > fb.high {
            return self.truth(false);
        }
        if fa.low >= fb.high {
            return self.compare(CmpOp::Eq, a, b);
        }
        if width == 1 {
            return self.or(self.not(a), b);
        }
        match self.narrowed(a, b) {
            Some((a, b)) => self.compare(CmpOp::Ule, a, b),
            None => self.intern(Node::Compare(CmpOp::Ule, a, b), 1),
        }
    }

    fn unsigned_less(&self, a: Expr, b: Expr, width: Width) -> Expr {
        if let (Some(x), Some(y)) = (self.as_const(a), self.as_const(b)) {
            return self.truth(x < y);
        }
        let (fa, fb) = (self.facts(a), self.facts(b));
        if fa.high < fb.low {
            return self.truth(true);
        }
        if a == b || fa.low >= fb.high {
            return self.truth(false);
        }
        // Only one value of the interval is out, or in.
        if fa.high == fb.low {
            return self.not(self.compare(CmpOp::Eq, a, b));
        }
        if width == 1 {
            return self.and(self.not(a), b);
        }
        if let Some(k) = self.as_const(b) {
            return self.less_than_constant(a, k, width);
        }
        if let Some(k) = self.as_const(a) {
            return self.constant_less_than(k, b, width);
        }
        match self.narrowed(a, b) {
            Some((a, b)) => self.compare(CmpOp::Ult, a, b),
            None => self.intern(Node::Compare(CmpOp::Ult, a, b), 1),
        }
    }

    /// Two values without what they have in common above: zeros, signs, one and the same piece.
    /// Keeps the unsigned order.
    fn narrowed(&self, a: Expr, b: Expr) -> Option<(Expr, Expr)> {
        match (self.node(a), self.node(b)) {
            // Sign extension keeps the unsigned order too.
            (Node::Zext(x), Node::Zext(y)) | (Node::Sext(x), Node::Sext(y)) => {
                let narrow = self.width(x).max(self.width(y));
                Some((self.extract(a, 0, narrow), self.extract(b, 0, narrow)))
            }
            (Node::Concat(h, l), Node::Concat(i, m)) if h == i => Some((l, m)),
            (Node::Concat(h, l), Node::Concat(i, m)) if l == m => Some((h, i)),
            _ => None,
        }
    }

    /// `a < k`, where `a` may be less than `k` and may be not.
    fn less_than_constant(&self, a: Expr, k: u128, width: Width) -> Expr {
        let facts = self.facts(a);
        let less = |a, k| self.compare(CmpOp::Ult, a, self.constant(self.width(a), k));
        if facts.low + 1 == k {
            return self.compare(CmpOp::Eq, a, self.constant(width, facts.low));
        }
        if k == 1 << (width - 1) {
            return self.not(self.is_negative(a));
        }
        match self.node(a) {
            Node::Zext(x) => less(x, k),
            Node::Sext(x) => {
                let inner = self.width(x);
                // The values of x's negative half are far up; between the halves is a gap.
                let half = 1 << (inner - 1);
                if k <= half {
                    less(x, k)
                } else if k <= mask(width) - (half - 1) {
                    less(x, half)
                } else {
                    less(x, k & mask(inner))
                }
            }
            Node::Concat(high, low) if k & mask(self.width(low)) == 0 => less(high, k >> self.width(low)),
            Node::Ite(..) => self
                .ite_compared(CmpOp::Ult, a, k, false)
                .unwrap_or_else(|| self.intern(Node::Compare(CmpOp::Ult, a, self.constant(width, k)), 1)),
            Node::Select(table, index) => self
                .select_compared(CmpOp::Ult, table, index, k, false)
                .unwrap_or_else(|| self.intern(Node::Compare(CmpOp::Ult, a, self.constant(width, k)), 1)),
            _ => self.intern(Node::Compare(CmpOp::Ult, a, self.constant(width, k)), 1),
        }
    }

    /// `k < b`, where it may be and may be not.
    fn constant_less_than(&self, k: u128, b: Expr, width: Width) -> Expr {
        let facts = self.facts(b);
        let greater = |b, k| self.compare(CmpOp::Ult, self.constant(self.width(b), k), b);
        if facts.high - 1 == k {
            return self.compare(CmpOp::Eq, b, self.constant(width, facts.high));
        }
        if k == mask(width) >> 1 {
            return self.is_negative(b);
        }
        match self.node(b) {
            Node::Zext(x) => greater(x, k),
            Node::Sext(x) => {
                let inner = self.width(x);
                let half = 1 << (inner - 1);
                if k < half {
                    greater(x, k)
                } else if k < mask(width) - (half - 1) {
                    greater(x, half - 1)
                } else {
                    greater(x, k & mask(inner))
                }
            }
            Node::Concat(high, low) if k & mask(self.width(low)) == mask(self.width(low)) => {
                greater(high, k >> self.width(low))
            }
            Node::Ite(..) => self
                .ite_compared(CmpOp::Ult, b, k, true)
                .unwrap_or_else(|| self.intern(Node::Compare(CmpOp::Ult, self.constant(width, k), b), 1)),
            Node::Select(table, index) => self
                .select_compared(CmpOp::Ult, table, index, k, true)
                .unwrap_or_else(|| self.intern(Node::Compare(CmpOp::Ult, self.constant(width, k), b), 1)),
            _ => self.intern(Node::Compare(CmpOp::Ult, self.constant(width, k), b), 1),
        }
    }

    fn signed_less_equal(&self, a: Expr, b: Expr, width: Width) -> Expr {
        let (least, most) = (1 << (width - 1), mask(width) >> 1);
        if let Some(k) = self.as_const(b) {
            return if k == most {
                self.truth(true)
            } else {
                self.signed_less(a, self.constant(width, k.wrapping_add(1)), width)
            };
        }
        if let Some(k) = self.as_const(a) {
            return if k == least {
                self.truth(true)
            } else {
                self.signed_less(self.constant(width, k.wrapping_sub(1)), b, width)
            };
        }
        if let Some(decided) = self.signs_decide(a, b, width) {
            return decided.unwrap_or_else(|| self.unsigned_less_equal(a, b, width));
        }
        if a == b {
            return self.truth(true);
        }
        if width == 1 {
            return self.or(a, self.not(b));
        }
        match self.signed_narrowed(a, b) {
            Some((a, b)) => self.compare(CmpOp::Sle, a, b),
            None => self.intern(Node::Compare(CmpOp::Sle, a, b), 1),
        }
    }

    fn signed_less(&self, a: Expr, b: Expr, width: Width) -> Expr {
        if let Some(decided) = self.signs_decide(a, b, width) {
            return decided.unwrap_or_else(|| self.unsigned_less(a, b, width));
        }
        if a == b {
            return self.truth(false);
        }
        if width == 1 {
            return self.and(a, self.not(b));
        }
        let (least, most) = (1u128 << (width - 1), mask(width) >> 1);
        let equal = |e, k| self.compare(CmpOp::Eq, e, self.constant(width, k));
        if let Some(k) = self.as_const(b) {
            return match k {
                _ if k == least => self.truth(false),
                _ if k == least + 1 => equal(a, least),
                _ if k == most => self.not(equal(a, most)),
                0 => self.is_negative(a),
                _ => self.signed_with_constant(a, k, width, false),
            };
        }
        if let Some(k) = self.as_const(a) {
            return match k {
                _ if k == most => self.truth(false),
                _ if k == most - 1 => equal(b, most),
                _ if k == least => self.not(equal(b, least)),
                _ if k == mask(width) => self.not(self.is_negative(b)),
                _ => self.signed_with_constant(b, k, width, true),
            };
        }
        match self.signed_narrowed(a, b) {
            Some((a, b)) => self.compare(CmpOp::Slt, a, b),
            None => self.intern(Node::Compare(CmpOp::Slt, a, b), 1),
        }
    }

    /// What known signs say of `a < b` and `a <= b`: nothing, the answer, or (`Some(None)`) that
    /// the unsigned order is the same.
    fn signs_decide(&self, a: Expr, b: Expr, width: Width) -> Option<Option<Expr>> {
        match (self.facts(a).sign(width)?, self.facts(b).sign(width)?) {
            (x, y) if x == y => Some(None),
            (negative, _) => Some(Some(self.truth(negative))),
        }
    }

    /// Two values without the copies of their signs, or with the same bits above left out.
    fn signed_narrowed(&self, a: Expr, b: Expr) -> Option<(Expr, Expr)> {
        match (self.node(a), self.node(b)) {
            (Node::Sext(x), Node::Sext(y)) => {
                let narrow = self.width(x).max(self.width(y));
                Some((self.extract(a, 0, narrow), self.extract(b, 0, narrow)))
            }
            _ => None,
        }
    }

    /// `x < k`, or, `swapped`, `k < x`.
    fn signed_with_constant(&self, x: Expr, k: u128, width: Width, swapped: bool) -> Expr {
        let build = |x, k| {
            if swapped {
                self.compare(CmpOp::Slt, k, x)
            } else {
                self.compare(CmpOp::Slt, x, k)
            }
        };
        match self.node(x) {
            Node::Sext(inner) => {
                let narrow = self.width(inner);
                let value = signed(k, width);
                if signed(k & mask(narrow), narrow) == value {
                    return build(inner, self.constant(narrow, k));
                }
                // Beyond all that x can be: above if the constant is positive.
                return self.truth((value > 0) != swapped);
            }
            Node::Ite(..) => {
                if let Some(result) = self.ite_compared(CmpOp::Slt, x, k, swapped) {
                    return result;
                }
            }
            Node::Select(table, index) => {
                if let Some(result) = self.select_compared(CmpOp::Slt, table, index, k, swapped) {
                    return result;
                }
            }
            _ => {}
        }
        let k = self.constant(width, k);
        let (a, b) = if swapped { (k, x) } else { (x, k) };
        self.intern(Node::Compare(CmpOp::Slt, a, b), 1)
    }
}

/// The number whose product with an odd one is 1 modulo 2^128 (Newton's iteration, which doubles
/// the good bits each time).
fn inverse(odd: u128) -> u128 {
    let mut x = odd;
    for _ in 0..7 {
        x = x.wrapping_mul(2u128.wrapping_sub(odd.wrapping_mul(x)));
    }
    x
}
