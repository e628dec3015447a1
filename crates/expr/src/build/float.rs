//! Constructors of floating-point operations. Operations that can be expressed exactly on bits are
//! (sign, absolute value, NaN tests), so only real arithmetic needs a solver that supports floats.

use crate::arena::Arena;
use crate::float;
use crate::node::{BinOp, CmpOp, Expr, FBinOp, FCmpOp, FPred, FUnOp, Node, Width};

fn assert_float(width: Width) {
    assert!(width == 32 || width == 64, "a float of {width} bits");
}

impl Arena {
    /// An operation on two floats of one width.
    ///
    /// # Panics
    /// If the width is not 32 or 64; so for the others.
    pub fn fbinary(&self, op: FBinOp, a: Expr, b: Expr) -> Expr {
        let width = self.width(a);
        assert_float(width);
        assert_eq!(width, self.width(b), "the widths of the operands of {op:?}");
        match (self.as_const(a), self.as_const(b)) {
            (Some(a), Some(b)) => self.constant(width, float::binary(op, width, a, b)),
            _ => self.intern(Node::FBinary(op, a, b), width),
        }
    }

    /// An operation on one float.
    pub fn funary(&self, op: FUnOp, a: Expr) -> Expr {
        let width = self.width(a);
        assert_float(width);
        match self.as_const(a) {
            Some(a) => self.constant(width, float::unary(op, width, a)),
            None => self.intern(Node::FUnary(op, a), width),
        }
    }

    /// `a * b + c`, rounded once.
    pub fn fma(&self, a: Expr, b: Expr, c: Expr) -> Expr {
        let width = self.width(a);
        assert_float(width);
        assert!(
            self.width(b) == width && self.width(c) == width,
            "the widths of the operands of Fma"
        );
        match (self.as_const(a), self.as_const(b), self.as_const(c)) {
            (Some(a), Some(b), Some(c)) => self.constant(width, float::fma(width, a, b, c)),
            _ => self.intern(Node::Fma(a, b, c), width),
        }
    }

    /// A float as one of width `to`, 32 or 64.
    pub fn fconvert(&self, a: Expr, to: Width) -> Expr {
        let width = self.width(a);
        assert_float(width);
        assert_float(to);
        match self.as_const(a) {
            _ if width == to => a,
            Some(a) => self.constant(to, float::convert(to, a)),
            None => self.intern(Node::FConvert(a), to),
        }
    }

    /// A float rounded towards 0 to an integer; saturating, a NaN gives 0. Where that is undefined,
    /// ask [`to_int_fits`](Self::to_int_fits) first.
    pub fn to_int(&self, signed: bool, a: Expr, width: Width) -> Expr {
        let from = self.width(a);
        assert_float(from);
        match self.as_const(a) {
            Some(a) => self.constant(width, float::to_int(signed, from, width, a)),
            None => self.intern(Node::ToInt(signed, a), width),
        }
    }

    /// Whether a float rounded towards 0 is a value of the integer type.
    pub fn to_int_fits(&self, signed: bool, a: Expr, width: Width) -> Expr {
        let from = self.width(a);
        let rounded = self.funary(FUnOp::Trunc, a);
        // Powers of two are exact; that a bound is infinite in a narrow float admits all finite
        // values.
        let bound = |exponent: u32, negative: bool| {
            let bits = if from == 32 {
                let power = 2f32.powi(exponent as i32);
                u128::from((if negative { -power } else { power }).to_bits())
            } else {
                let power = 2f64.powi(exponent as i32);
                u128::from((if negative { -power } else { power }).to_bits())
            };
            self.constant(from, bits)
        };
        let width = u32::from(width);
        let (least, beyond) = if signed {
            (bound(width - 1, true), bound(width - 1, false))
        } else {
            (self.constant(from, 0), bound(width, false))
        };
        self.and(
            self.fcompare(FPred::Ole, least, rounded),
            self.fcompare(FPred::Olt, rounded, beyond),
        )
    }

    /// The float of width `to` nearest to an integer.
    pub fn from_int(&self, signed: bool, a: Expr, to: Width) -> Expr {
        let width = self.width(a);
        assert_float(to);
        match self.as_const(a) {
            Some(a) => self.constant(to, float::from_int(signed, width, to, a)),
            None => self.intern(Node::FromInt(signed, a), to),
        }
    }

    /// A comparison of two floats.
    pub fn fcompare(&self, pred: FPred, a: Expr, b: Expr) -> Expr {
        let width = self.width(a);
        assert_float(width);
        assert_eq!(width, self.width(b), "the widths of the operands of {pred:?}");
        let ordered = |op, a, b| self.fcompare_ordered(op, a, b);
        match pred {
            FPred::False => self.truth(false),
            FPred::Oeq => ordered(FCmpOp::Eq, a, b),
            FPred::Ogt => ordered(FCmpOp::Lt, b, a),
            FPred::Oge => ordered(FCmpOp::Le, b, a),
            FPred::Olt => ordered(FCmpOp::Lt, a, b),
            FPred::Ole => ordered(FCmpOp::Le, a, b),
            FPred::One => self.or(ordered(FCmpOp::Lt, a, b), ordered(FCmpOp::Lt, b, a)),
            FPred::Ord => self.not(self.or(self.is_nan(a), self.is_nan(b))),
            FPred::Uno => self.or(self.is_nan(a), self.is_nan(b)),
            FPred::Ueq => self.not(self.fcompare(FPred::One, a, b)),
            FPred::Ugt => self.not(self.fcompare(FPred::Ole, a, b)),
            FPred::Uge => self.not(self.fcompare(FPred::Olt, a, b)),
            FPred::Ult => self.not(self.fcompare(FPred::Oge, a, b)),
            FPred::Ule => self.not(self.fcompare(FPred::Ogt, a, b)),
            FPred::Une => self.not(self.fcompare(FPred::Oeq, a, b)),
            FPred::True => self.truth(true),
        }
    }

    fn fcompare_ordered(&self, op: FCmpOp, a: Expr, b: Expr) -> Expr {
        match (self.as_const(a), self.as_const(b)) {
            (Some(x), Some(y)) => self.truth(float::compare(op, self.width(a), x, y)),
            _ => self.intern(Node::FCompare(op, a, b), 1),
        }
    }

    /// Whether a float is some NaN.
    pub fn is_nan(&self, a: Expr) -> Expr {
        let width = self.width(a);
        assert_float(width);
        self.compare(
            CmpOp::Ult,
            self.constant(width - 1, float::infinity(width)),
            self.extract(a, 0, width - 1),
        )
    }

    /// A float with the opposite sign; a NaN too.
    pub fn fneg(&self, a: Expr) -> Expr {
        let width = self.width(a);
        self.binary(BinOp::Xor, a, self.constant(width, 1 << (width - 1)))
    }

    /// A float with the sign cleared.
    pub fn fabs(&self, a: Expr) -> Expr {
        let width = self.width(a);
        self.zext(self.extract(a, 0, width - 1), width)
    }

    /// The magnitude of `a` with the sign of `b`.
    pub fn fcopysign(&self, a: Expr, b: Expr) -> Expr {
        let width = self.width(a);
        self.concat(self.extract(b, width - 1, 1), self.extract(a, 0, width - 1))
    }

    /// The smaller of two floats (IEEE minNum); if one is a NaN, the other. Of zeros that differ in
    /// sign it is `a`.
    pub fn fmin(&self, a: Expr, b: Expr) -> Expr {
        self.fpick(a, b, self.fcompare(FPred::Ole, a, b))
    }

    /// The greater of two floats (IEEE maxNum); if one is a NaN, the other. Of zeros that differ in
    /// sign it is `a`.
    pub fn fmax(&self, a: Expr, b: Expr) -> Expr {
        self.fpick(a, b, self.fcompare(FPred::Oge, a, b))
    }

    fn fpick(&self, a: Expr, b: Expr, first: Expr) -> Expr {
        self.ite(self.or(first, self.is_nan(b)), a, b)
    }
}
