//! Expressions: a small copyable name, and the node that it identifies.
//!
//! Every value is a bit-vector of 1 to 128 bits. A truth value has width 1. A float is its IEEE 754
//! bits, of width 32 or 64. This file defines all nodes; evaluator, solver and text format must
//! each handle every one of them.

use std::fmt;
use std::num::NonZeroU32;

/// The width of a value in bits, 1 to 128.
pub type Width = u8;

/// An expression: the name of a node in an [`Arena`](crate::Arena). Equal expressions of one arena
/// are equal names.
///
/// The order of names is the order of creation; children are always older than their parents.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Expr(NonZeroU32);

impl Expr {
    /// The index of the node, counted from 0.
    #[inline(always)]
    pub const fn index(self) -> u32 {
        self.0.get() - 1
    }

    /// The expression with this index.
    ///
    /// # Panics
    /// If the index is `u32::MAX`.
    #[inline(always)]
    pub const fn from_index(index: u32) -> Expr {
        match NonZeroU32::new(index.wrapping_add(1)) {
            Some(n) => Expr(n),
            None => panic!("too many expressions"),
        }
    }
}

impl fmt::Debug for Expr {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "e{}", self.index())
    }
}

/// The name of one symbolic input. It does not depend on the interleaving.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub struct InputKey {
    /// The thread that asked for it.
    pub thread: u32,
    /// Its number among the thread's inputs.
    pub ordinal: u32,
    /// Which piece of it.
    pub byte: u32,
}

/// The number of an input in its arena, dense, in the order of first use.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub struct InputId(pub u32);

/// The number of an interned table of an arena.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub struct TableId(pub u32);

/// Operations on one value; the result has its width.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum UnOp {
    /// Each bit inverted; on width 1 logical negation.
    Not,
    /// Two's complement negation.
    Neg,
    /// The number of ones.
    Ctpop,
    /// The number of leading zeros; of 0 the width.
    Ctlz,
    /// The number of trailing zeros; of 0 the width.
    Cttz,
    /// Bytes in the opposite order; the width is a multiple of 8. Never in a node: becomes a
    /// concatenation of bytes.
    Bswap,
    /// Bits in the opposite order.
    BitReverse,
}

/// Operations on two values of one width; the result has it too.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum BinOp {
    /// Sum, modulo 2^width.
    Add,
    /// Difference, modulo 2^width. Never in a node with a constant on the right.
    Sub,
    /// Product, modulo 2^width.
    Mul,
    /// Unsigned quotient; by 0: all ones.
    UDiv,
    /// Unsigned remainder; by 0: the dividend.
    URem,
    /// Signed quotient, rounded towards 0; by 0: 1 if the dividend is negative, else -1; least by
    /// -1: least.
    SDiv,
    /// Signed remainder with the sign of the dividend; by 0: the dividend; least by -1: 0.
    SRem,
    /// Shift to the left; by the width or more: 0. In a node the amount is not constant; so for the
    /// other shifts.
    Shl,
    /// Shift to the right with zeros; by the width or more: 0.
    LShr,
    /// Shift to the right with copies of the sign; by the width or more: all of them the sign.
    AShr,
    /// Conjunction of bits.
    And,
    /// Disjunction of bits. Never in a node of width 1: `a or b` is `not (not a and not b)` there.
    Or,
    /// Exclusive disjunction of bits. Never in a node of width 1: it is `not (a = b)` there.
    Xor,
}

/// Comparisons. The result has width 1. In nodes only `Eq`, `Ult`, `Ule`, `Slt` and `Sle`, none of
/// the latter four on width 1, and `Ule` and `Sle` never with a constant.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
#[expect(
    missing_docs,
    reason = "names of SMT-LIB and LLVM; what they do not say has a line"
)]
pub enum CmpOp {
    Eq,
    Ne,
    Ult,
    Ule,
    Ugt,
    Uge,
    Slt,
    Sle,
    Sgt,
    Sge,
}

/// Operations on two floats of one width, rounded to the nearest, ties to even. A result that is a
/// NaN is the canonical one ([`float::nan`](crate::float::nan)).
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
#[expect(
    missing_docs,
    reason = "names of SMT-LIB and LLVM; what they do not say has a line"
)]
pub enum FBinOp {
    Add,
    Sub,
    Mul,
    Div,
    /// C's `fmod`: exact, with the sign of the dividend.
    Rem,
}

/// Operations on one float. A result that is a NaN is the canonical one.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum FUnOp {
    /// Square root, rounded to the nearest.
    Sqrt,
    /// To an integral value, downwards.
    Floor,
    /// To an integral value, upwards.
    Ceil,
    /// To an integral value, towards 0.
    Trunc,
    /// To the nearest integral value, halves away from 0 (C's `round`).
    Round,
    /// To the nearest integral value, halves to the even one (C's `rint` and `nearbyint` in the
    /// default mode).
    RoundEven,
}

/// Ordered comparisons of floats, as in nodes: false if an operand is a NaN.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
#[expect(
    missing_docs,
    reason = "names of SMT-LIB and LLVM; what they do not say has a line"
)]
pub enum FCmpOp {
    Eq,
    Lt,
    Le,
}

impl FCmpOp {
    /// The same as one of all comparisons.
    pub const fn pred(self) -> FPred {
        match self {
            FCmpOp::Eq => FPred::Oeq,
            FCmpOp::Lt => FPred::Olt,
            FCmpOp::Le => FPred::Ole,
        }
    }
}

/// All comparisons of floats: `O` is false, `U` true if an operand is a NaN.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
#[expect(
    missing_docs,
    reason = "names of SMT-LIB and LLVM; what they do not say has a line"
)]
pub enum FPred {
    False,
    Oeq,
    Ogt,
    Oge,
    Olt,
    Ole,
    One,
    Ord,
    Uno,
    Ueq,
    Ugt,
    Uge,
    Ult,
    Ule,
    Une,
    True,
}

/// A node. Its width is [`Arena::width`](crate::Arena::width) of its name.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Node {
    /// A constant; bits above the width are 0.
    Const(u128),
    /// An input.
    Input(InputId),
    /// An operation on one value. Never `Bswap`.
    Unary(UnOp, Expr),
    /// An operation on two values of the node's width.
    Binary(BinOp, Expr, Expr),
    /// A comparison of two values of one width: `Eq`, `Ult`, `Ule`, `Slt` or `Sle`.
    Compare(CmpOp, Expr, Expr),
    /// If the first (of width 1) then the second else the third.
    Ite(Expr, Expr, Expr),
    /// The bits of a value from this one upwards.
    Extract(Expr, Width),
    /// The bits of the first above those of the second.
    Concat(Expr, Expr),
    /// Zeros above a value.
    Zext(Expr),
    /// Copies of the sign above a value.
    Sext(Expr),
    /// The element of a table with this index; beyond the end: the last element.
    Select(TableId, Expr),
    /// Whether the product of two values does not fit their width, as signed (`true`) or unsigned
    /// numbers.
    MulOverflows(bool, Expr, Expr),
    /// An operation on two floats.
    FBinary(FBinOp, Expr, Expr),
    /// An operation on one float.
    FUnary(FUnOp, Expr),
    /// A comparison of two floats.
    FCompare(FCmpOp, Expr, Expr),
    /// `a * b + c`, rounded once.
    Fma(Expr, Expr, Expr),
    /// A float of the other width (32 to 64 or back).
    FConvert(Expr),
    /// A float rounded towards 0 to a signed (`true`) or unsigned integer of the node's width;
    /// saturating, a NaN gives 0.
    ToInt(bool, Expr),
    /// The float of the node's width nearest to a signed (`true`) or unsigned integer.
    FromInt(bool, Expr),
}

impl Node {
    /// The expressions that the node is made of, in order; those of a table are not among them.
    #[inline]
    pub fn children(self) -> impl Iterator<Item = Expr> + Clone {
        let three = match self {
            Node::Const(_) | Node::Input(_) => [None, None, None],
            Node::Unary(_, a)
            | Node::Extract(a, _)
            | Node::Zext(a)
            | Node::Sext(a)
            | Node::Select(_, a)
            | Node::FUnary(_, a)
            | Node::FConvert(a)
            | Node::ToInt(_, a)
            | Node::FromInt(_, a) => [Some(a), None, None],
            Node::Binary(_, a, b)
            | Node::Compare(_, a, b)
            | Node::Concat(a, b)
            | Node::MulOverflows(_, a, b)
            | Node::FBinary(_, a, b)
            | Node::FCompare(_, a, b) => [Some(a), Some(b), None],
            Node::Ite(a, b, c) | Node::Fma(a, b, c) => [Some(a), Some(b), Some(c)],
        };
        three.into_iter().flatten()
    }

    /// Whether the node itself does floating-point arithmetic.
    pub const fn is_float(self) -> bool {
        matches!(
            self,
            Node::FBinary(..)
                | Node::FUnary(..)
                | Node::FCompare(..)
                | Node::Fma(..)
                | Node::FConvert(_)
                | Node::ToInt(..)
                | Node::FromInt(..)
        )
    }

    /// The node without its children, as two numbers: which kind, and which operation of the kind.
    pub(crate) const fn shape(self) -> (u8, u8) {
        match self {
            Node::Const(_) => (0, 0),
            Node::Input(_) => (1, 0),
            Node::Unary(op, _) => (2, op as u8),
            Node::Binary(op, ..) => (3, op as u8),
            Node::Compare(op, ..) => (4, op as u8),
            Node::Ite(..) => (5, 0),
            Node::Extract(_, low) => (6, low),
            Node::Concat(..) => (7, 0),
            Node::Zext(_) => (8, 0),
            Node::Sext(_) => (9, 0),
            Node::Select(..) => (10, 0),
            Node::MulOverflows(signed, ..) => (11, signed as u8),
            Node::FBinary(op, ..) => (12, op as u8),
            Node::FUnary(op, _) => (13, op as u8),
            Node::FCompare(op, ..) => (14, op as u8),
            Node::Fma(..) => (15, 0),
            Node::FConvert(_) => (16, 0),
            Node::ToInt(signed, _) => (17, signed as u8),
            Node::FromInt(signed, _) => (18, signed as u8),
        }
    }
}
