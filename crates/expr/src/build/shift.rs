//! Shifts. A shift by a constant is an extraction combined with zeros or copies of the sign.

use crate::arena::Arena;
use crate::node::{BinOp, Expr, Node, Width};

impl Arena {
    pub(super) fn shift(&self, op: BinOp, a: Expr, b: Expr, width: Width) -> Expr {
        let amount = self.facts(b);
        let past = amount.low >= u128::from(width);
        if op == BinOp::AShr && self.facts(a).sign(width) == Some(false) {
            return self.shift(BinOp::LShr, a, b, width);
        }
        if past {
            return match op {
                BinOp::AShr => self.sext(self.is_negative(a), width),
                _ => self.constant(width, 0),
            };
        }
        if let Some(by) = self.as_const(b) {
            // Less than the width, which fits.
            let by = by as Width;
            let rest = width - by;
            let (x, offset) = self.with_offset(a);
            return match op {
                _ if by == 0 => a,
                // Multiplication: offsets add up.
                BinOp::Shl if offset != 0 => {
                    let offset = self.constant(width, offset << by);
                    self.binary(BinOp::Add, self.shift(op, x, b, width), offset)
                }
                BinOp::Shl => self.concat(self.extract(a, 0, rest), self.constant(by, 0)),
                BinOp::LShr => self.zext(self.extract(a, by, rest), width),
                _ => self.sext(self.extract(a, by, rest), width),
            };
        }
        if width == 1 {
            // By 0 the value, by 1 nothing or the sign, which is the value.
            return match op {
                BinOp::AShr => a,
                _ => self.and(a, self.not(b)),
            };
        }
        if self.as_const(a) == Some(0) {
            return a;
        }
        self.intern(Node::Binary(op, a, b), width)
    }
}
