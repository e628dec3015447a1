//! The constructors of expressions. They fold constants and put what they make into a canonical form.

mod compose;
mod float;

use crate::arena::Arena;
use crate::bits;
use crate::node::{BinOp, CmpOp, Expr, Node, UnOp, Width};

impl Arena {
    /// An operation on one value.
    pub fn unary(&self, op: UnOp, a: Expr) -> Expr {
        let width = self.width(a);
        if let Some(a) = self.as_const(a) {
            return self.constant(width, bits::unary(op, width, a));
        }
        match op {
            UnOp::Bswap => {
                let mut result = self.extract(a, 0, 8);
                for low in (8..width).step_by(8) {
                    result = self.concat(result, self.extract(a, low, 8));
                }
                result
            }
            _ => self.intern(Node::Unary(op, a), width),
        }
    }

    /// An operation on two values of one width.
    pub fn binary(&self, op: BinOp, a: Expr, b: Expr) -> Expr {
        let width = self.width(a);
        assert_eq!(width, self.width(b), "the widths of the operands of {op:?}");
        if let (Some(a), Some(b)) = (self.as_const(a), self.as_const(b)) {
            return self.constant(width, bits::binary(op, width, a, b));
        }
        self.intern(Node::Binary(op, a, b), width)
    }

    /// A comparison of two values of one width.
    pub fn compare(&self, op: CmpOp, a: Expr, b: Expr) -> Expr {
        let width = self.width(a);
        assert_eq!(width, self.width(b), "the widths of the operands of {op:?}");
        if let (Some(a), Some(b)) = (self.as_const(a), self.as_const(b)) {
            return self.truth(bits::compare(op, width, a, b));
        }
        match op {
            CmpOp::Ne => self.not(self.compare(CmpOp::Eq, a, b)),
            CmpOp::Ugt => self.compare(CmpOp::Ult, b, a),
            CmpOp::Uge => self.compare(CmpOp::Ule, b, a),
            CmpOp::Sgt => self.compare(CmpOp::Slt, b, a),
            CmpOp::Sge => self.compare(CmpOp::Sle, b, a),
            _ => self.intern(Node::Compare(op, a, b), 1),
        }
    }

    /// Logical negation (inverts each bit of wider values).
    pub fn not(&self, a: Expr) -> Expr {
        self.unary(UnOp::Not, a)
    }

    /// Conjunction.
    pub fn and(&self, a: Expr, b: Expr) -> Expr {
        self.binary(BinOp::And, a, b)
    }

    /// Disjunction.
    pub fn or(&self, a: Expr, b: Expr) -> Expr {
        self.binary(BinOp::Or, a, b)
    }

    /// If `c` (of width 1) then `a` else `b`.
    pub fn ite(&self, c: Expr, a: Expr, b: Expr) -> Expr {
        assert_eq!(self.width(c), 1, "the width of a condition");
        assert_eq!(self.width(a), self.width(b), "the widths of the alternatives");
        match self.as_const(c) {
            Some(0) => b,
            Some(_) => a,
            None if a == b => a,
            None => self.intern(Node::Ite(c, a, b), self.width(a)),
        }
    }

    /// `width` bits of a value, from bit `low` upwards.
    pub fn extract(&self, a: Expr, low: Width, width: Width) -> Expr {
        let from = self.width(a);
        assert!(
            width >= 1 && u32::from(low) + u32::from(width) <= u32::from(from),
            "bits {low} to {low}+{width} of {from}"
        );
        match self.node(a) {
            _ if width == from => a,
            Node::Const(value) => self.constant(width, value >> low),
            _ => self.intern(Node::Extract(a, low), width),
        }
    }

    /// The bits of `high` above those of `low`.
    pub fn concat(&self, high: Expr, low: Expr) -> Expr {
        let (high_width, low_width) = (self.width(high), self.width(low));
        assert!(
            high_width <= 128 - low_width,
            "a value of {high_width} + {low_width} bits"
        );
        let width = high_width + low_width;
        match (self.as_const(high), self.as_const(low)) {
            (Some(h), Some(l)) => self.constant(width, h << low_width | l),
            _ => self.intern(Node::Concat(high, low), width),
        }
    }

    /// Zeros above a value; `width` is the new width, at least the old one.
    pub fn zext(&self, a: Expr, width: Width) -> Expr {
        let from = self.width(a);
        assert!(
            (from..=128).contains(&width),
            "extension of {from} bits to {width}"
        );
        match self.node(a) {
            _ if width == from => a,
            Node::Const(value) => self.constant(width, value),
            _ => self.intern(Node::Zext(a), width),
        }
    }

    /// Copies of the sign above a value; `width` is the new width, at least the old one.
    pub fn sext(&self, a: Expr, width: Width) -> Expr {
        let from = self.width(a);
        assert!(
            (from..=128).contains(&width),
            "extension of {from} bits to {width}"
        );
        match self.node(a) {
            _ if width == from => a,
            Node::Const(value) => self.constant(width, bits::signed(value, from) as u128),
            _ => self.intern(Node::Sext(a), width),
        }
    }

    /// The element of a table of equally wide values with this index, as an unsigned number; beyond the end of the table it
    /// is the last element.
    ///
    /// # Panics
    /// If the table is empty or its elements differ in width.
    pub fn select(&self, table: &[Expr], index: Expr) -> Expr {
        assert!(!table.is_empty(), "an empty table");
        let width = self.width(table[0]);
        assert!(
            table.iter().all(|&e| self.width(e) == width),
            "the widths of a table"
        );
        let table_id = self.intern_table(table);
        if let Some(index) = self.as_const(index) {
            return self.table_element(table_id, index);
        }
        self.intern(Node::Select(table_id, index), width)
    }
}
