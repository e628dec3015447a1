//! Comparisons of abstract values, and what they say of the compared values.

use super::value::{Abstract, Span};
use crate::value::mask;

/// A comparison.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Relation {
    Eq,
    Ne,
    Lt,
    Le,
    Gt,
    Ge,
}

impl Relation {
    /// The relation that holds if this one does not.
    pub(super) const fn negated(self) -> Relation {
        match self {
            Relation::Eq => Relation::Ne,
            Relation::Ne => Relation::Eq,
            Relation::Lt => Relation::Ge,
            Relation::Ge => Relation::Lt,
            Relation::Gt => Relation::Le,
            Relation::Le => Relation::Gt,
        }
    }

    /// The relation with the sides exchanged.
    pub(super) const fn turned(self) -> Relation {
        match self {
            Relation::Lt => Relation::Gt,
            Relation::Gt => Relation::Lt,
            Relation::Le => Relation::Ge,
            Relation::Ge => Relation::Le,
            same => same,
        }
    }

    pub(super) fn of(self, a: u64, b: u64) -> bool {
        match self {
            Relation::Eq => a == b,
            Relation::Ne => a != b,
            Relation::Lt => a < b,
            Relation::Le => a <= b,
            Relation::Gt => a > b,
            Relation::Ge => a >= b,
        }
    }
}

/// A comparison of two operands of this width.
#[derive(Clone, Copy, Debug)]
pub(super) struct Comparison {
    pub(super) relation: Relation,
    pub(super) signed: bool,
    pub(super) bits: u8,
}

impl Comparison {
    /// The numbers in the order of the comparison; for signed ones the negative numbers come first.
    /// `None` if the span contains numbers on both sides of zero.
    fn ordered(self, span: Span) -> Option<Span> {
        if !self.signed {
            return Some(span);
        }
        let half = mask(self.bits) >> 1;
        if (span.lo > half) != (span.hi > half) {
            return None;
        }
        let turn = |x: u64| x ^ (half + 1);
        Some(Span {
            lo: turn(span.lo),
            hi: turn(span.hi),
            ..span
        })
    }

    /// The result of the comparison, if it is the same for all values.
    pub(super) fn decide(self, a: Abstract, b: Abstract) -> Option<bool> {
        // No object lies at null.
        let is_new = |a| a == Abstract::NEW;
        if self.bits == 64 && (is_new(a) && b.as_one() == Some(0) || is_new(b) && a.as_one() == Some(0)) {
            match self.relation {
                Relation::Eq => return Some(false),
                Relation::Ne => return Some(true),
                _ => {}
            }
        }
        let (a, b) = (self.ordered(a.number()?)?, self.ordered(b.number()?)?);
        if a.stride == 0 && b.stride == 0 {
            return Some(self.relation.of(a.lo, b.lo));
        }
        match self.relation {
            _ if a.hi < b.lo => Some(self.relation.of(0, 1)),
            _ if b.hi < a.lo => Some(self.relation.of(1, 0)),
            Relation::Le if a.hi <= b.lo => Some(true),
            Relation::Ge if b.hi <= a.lo => Some(true),
            Relation::Gt if a.hi <= b.lo => Some(false),
            Relation::Lt if b.hi <= a.lo => Some(false),
            _ => None,
        }
    }

    /// The values of the left side for which it can hold; `None` if there are none.
    pub(super) fn restrict(self, a: Abstract, b: Abstract) -> Option<Abstract> {
        let (Some(left), Some(right)) = (a.number(), b.number()) else {
            return Some(a);
        };
        let (most, half) = (mask(self.bits), mask(self.bits) >> 1);
        let (least, most) = match (self.signed, self.ordered(right)) {
            (false, _) => (0, most),
            // Compared with a number that is not negative, a greater number is not negative either.
            (true, Some(_)) if right.hi <= half => match self.relation {
                Relation::Gt | Relation::Ge => (0, half),
                _ if left.hi <= half => (0, half),
                _ => return Some(a),
            },
            _ => return Some(a),
        };
        let limits = match self.relation {
            Relation::Lt => (least, right.hi.checked_sub(1)?.min(most)),
            Relation::Le => (least, right.hi.min(most)),
            Relation::Gt => (right.lo.checked_add(1)?, most),
            Relation::Ge => (right.lo, most),
            Relation::Eq => (right.lo, right.hi),
            Relation::Ne if right.stride != 0 || left.stride == 0 => {
                return (left.stride != 0 || right.stride != 0 || left.lo != right.lo).then_some(a);
            }
            Relation::Ne if right.lo == left.lo => (left.lo + left.stride, left.hi),
            Relation::Ne if right.lo == left.hi => (left.lo, left.hi - left.stride),
            Relation::Ne => return Some(a),
        };
        left.between(limits.0, limits.1).map(Abstract::Number)
    }
}
